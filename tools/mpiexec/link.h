// SPDX-License-Identifier: BSD-3-Clause
/* link.h - a connection between two mpiexecs: parent and child in the proxy tree.
 *
 *      parent                                   child (proxy)
 *        |<------- hello, one line of text -------|      behind any output of a login shell
 *        |-------- frames ----------------------->|      stdin and stdout of the launcher's
 *        |<------- frames ------------------------|      command, or one socket
 *
 * Each end sends something at least every HEARTBEAT_MS.  An end that is silent for SILENT_MS is
 * taken for dead.  No function blocks: bytes that cannot be written now stay in the queue. */
#ifndef MPIEXEC_LINK_H
#define MPIEXEC_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "tools/mpiexec/marshal.h"

#define HEARTBEAT_MS 1000
#define SILENT_MS    6000      /* longer than the pauses of a swapping host */
#define FRAME_MAX    (1 << 28) /* much larger than any environment or table of addresses */

/* Frames from parent to child; those from child to parent begin with UP. */
enum frame_kind {
	FRAME_PING,   /* both ways: heartbeat */
	FRAME_CONF,   /* configuration; host: the receiver's, rank: its node in the tree */
	FRAME_WORLD,  /* addresses of all ranks: start them */
	FRAME_SIGNAL, /* which: a signal for all ranks */
	FRAME_END,    /* the job ends; which: a signal for all ranks */
	FRAME_POLL,   /* asks for UP_VIEWS */
	FRAME_STACKS, /* asks for UP_STACKS */
	FRAME_TOP,    /* asks for UP_TOP */
	FRAME_CLOCK,  /* asks for UP_CLOCK: our clock */
	FRAME_STDIN,  /* rank: -1 all; without bytes: end of input */
	FRAME_CREDIT, /* rank, which: credit for more output, an int */
	FRAME_SHUT,   /* rank, which: no one reads this output any more */
	FRAME_DRAIN,  /* all ranks of the job have ended: end their background processes */
	FRAME_PAUSE,  /* the root will be stopped: ignore its silence */
	FRAME_BYE,    /* the job is over: exit */
	FRAME_SPAWN,  /* a further world: find its programs, open its sockets */
	FRAME_GO,     /* rank: id of a world; which 1: soft.  Start it */
	FRAME_FORGET, /* rank: id of a world that has ended, or is not started */
	FRAME_KILL,   /* rank: id of a world; which: a signal for it */
	FRAME_STOP,   /* rank: a process; which: a signal for it */
	FRAME_REPLY,  /* rank: to its request; text, a line */
	FRAME_NOTICE, /* struct boot_notice: a process has ended, and the job goes on */
	FRAME_GATE,   /* ranks that wait in MPI_Init for a tool go on */
	FRAME_TOOL,   /* the words of a tool's server: start it */
	UP_READY,     /* ranks and their addresses */
	UP_BEGUN,     /* ranks and their processes */
	UP_OUT,       /* rank, which: output; without bytes: its end */
	UP_DIED,      /* rank; struct death: pid, status, state, lost, where, core */
	UP_ABORT,     /* rank; pid, code, text, lost: it has aborted the job */
	UP_VIEWS,     /* entry and struct rank_view of each rank; times are ages */
	UP_STACKS,    /* entry and text of each rank whose stack is known: stacks.h */
	UP_TEXT,      /* text for the user */
	UP_FAIL,      /* which: exit code; text: this host cannot continue */
	UP_LOST,      /* text: this host, and those behind it, are unreachable */
	UP_STDIN,    /* stdin: bytes read, an int; which 1: no more wanted; rank: id of the world */
	UP_PROFILE,  /* the table of a rank that has ended: profile.h */
	UP_SNAPSHOT, /* which: the number of a snapshot; the table of a rank that runs */
	UP_TRACE,    /* a part of the ring of such a rank: trace.h */
	UP_TOP,      /* what the ranks do: top.h */
	UP_CLOCK,    /* the clock of the question, and that of the host: host_clock.h */
	UP_GONE,     /* no rank runs here, and no output is left */
	UP_REQUEST,  /* rank: its request; text */
	UP_PREPARED, /* rank: id of a world; errno and words for each program; addresses */
	UP_SPAWNED,  /* rank: id of a world; pid and errno of each rank; words */
	UP_GATHERED, /* several UP_READY or UP_BEGUN with their heads: start_gather.h */
	FRAME_KINDS
};

struct proxy_frame {
	uint32_t len; /* bytes that follow */
	uint16_t kind, which;
	int32_t host; /* receiver, or subject; -1: all hosts */
	int32_t rank; /* an entry of the root's table of processes */
};

struct proxy_link {
	int in, out;          /* non-blocking, close-on-exec; -1: closed */
	struct marshal got;   /* received, not yet delivered */
	struct marshal queue; /* to be written, from queue.at on */
	uint64_t read_ns;     /* time of the last read */
	uint64_t written_ns;  /* time of the last write */
	bool hello;           /* the peer's hello has been read */
	const char *trouble;  /* why it is closed; NULL: open, or closed by the peer */
};

/* Receives one frame; v is valid until the function returns. */
typedef void link_take_fn(void *arg, const struct proxy_frame *f, const char *v);

/* Receives a line of text that came before the hello. */
typedef void link_preamble_fn(void *arg, const char *line);

/* Takes ownership of two fds. */
void link_open(struct proxy_link *l, int in, int out, uint64_t now);
void link_close(struct proxy_link *l);

/* The line with which a child identifies itself and its version. */
const char *link_hello(void);

/* Queues one frame. */
void link_put(struct proxy_link *l, const struct proxy_frame *f, const void *v);

/* link_write writes, link_read reads as much as possible without blocking.  Return false if the
 * link is broken or closed. */
bool link_write(struct proxy_link *l, uint64_t now);
bool link_read(struct proxy_link *l, link_take_fn *take, link_preamble_fn *preamble, void *arg,
	uint64_t now);

#endif
