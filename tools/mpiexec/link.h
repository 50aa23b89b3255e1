// SPDX-License-Identifier: BSD-3-Clause
/* link.h - a connection between two mpiexecs, parent and child in the tree of hosts.
 *
 *      parent                                   child (agent)
 *        |<------- hello, one line of text -------|      behind whatever a login has to say
 *        |-------- frames ----------------------->|      stdin and stdout of the launcher's
 *        |<------- frames ------------------------|      command, or one socket
 *
 * Each end says something at least every HEART_MS; one that has been silent for DEAD_MS is dead.
 * Nothing here blocks: what cannot be written now waits in the queue. */
#ifndef MPIEXEC_LINK_H
#define MPIEXEC_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/mpiexec/marshal.h"

#define HEART_MS  1000
#define DEAD_MS   6000      /* a host that swaps has its pauses; a user waits no longer */
#define FRAME_MAX (1 << 28) /* an environment or a table of addresses is far smaller */

/* From parent to child unless it says UP. */
enum frame_kind {
	FRAME_PING,   /* both ways: I live */
	FRAME_CONF,   /* the plan; host: of the receiver, rank: its node in the tree */
	FRAME_WORLD,  /* all addresses: start */
	FRAME_SIGNAL, /* which: a signal for all ranks */
	FRAME_END,    /* the job is ending; which: a signal for all ranks */
	FRAME_LOOK,   /* what do the ranks do? */
	FRAME_STDIN,  /* rank: -1 all; without bytes: the end */
	FRAME_ROOM,   /* rank, which: so many bytes (an int) of its output were written */
	FRAME_SHUT,   /* rank, which: nobody will read its output any more */
	FRAME_DRAIN,  /* all ranks of the job have ended: end what they have left */
	FRAME_PAUSE,  /* the root will be stopped: its silence means nothing */
	FRAME_BYE,    /* it is over: end */
	UP_READY,     /* ranks and their addresses */
	UP_BEGUN,     /* ranks and their processes */
	UP_OUT,       /* rank, which: output; without bytes: its end */
	UP_DIED,      /* rank; pid, status, state, lost: struct death */
	UP_ABORT,     /* rank; pid, code, text, lost: it has called for the end */
	UP_SEEN,      /* struct seen of each rank; times are ages */
	UP_SAID,      /* text for the user */
	UP_FAIL,      /* which: exit code; text: this host cannot do its part */
	UP_LOST,      /* text: this host, and those behind it, cannot be reached */
	UP_TOOK,      /* stdin: so many bytes (an int) were read; which 1: no more are wanted */
	UP_GONE,      /* all is over here: no rank, no output */
	FRAME_KINDS
};

struct frame {
	uint32_t len; /* of what follows */
	uint16_t kind, which;
	int32_t host; /* whom it is for, or about; -1: all */
	int32_t rank;
};

struct link {
	int in, out;         /* non-blocking, close-on-exec; -1: closed */
	struct pack got;     /* read, not yet delivered */
	struct pack queue;   /* to be written, from queue.at on */
	uint64_t heard_ns;   /* when something came last */
	uint64_t said_ns;    /* when something was written last */
	bool hello;          /* the other's hello was read */
	const char *trouble; /* why it is closed; NULL: it is not, or the other end has closed it */
};

/* Takes one frame; v is valid until it returns. */
typedef void link_take_fn(void *arg, const struct frame *f, const char *v);

/* Takes a line of text that came before the hello. */
typedef void link_noise_fn(void *arg, const char *line);

/* Begins with two fds, which become the link's. */
void link_open(struct link *l, int in, int out, uint64_t now);
void link_close(struct link *l);

/* The line by which a child says who it is. */
const char *link_hello(void);

/* Queues one frame. */
void link_put(struct link *l, const struct frame *f, const void *v);

/* Writes what can be written.  Reads what has come.  False: the link is broken, or was closed. */
bool link_write(struct link *l, uint64_t now);
bool link_read(struct link *l, link_take_fn *take, link_noise_fn *noise, void *arg, uint64_t now);

#endif
