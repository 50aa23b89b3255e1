// SPDX-License-Identifier: BSD-3-Clause
/* remote_state.h - the state of hosts, shared by remote_ranks.c, which sends to proxies, and by
 * remote_frames.c, which takes their frames. */
#ifndef HAFT_TOOLS_MPIEXEC_REMOTE_STATE_H
#define HAFT_TOOLS_MPIEXEC_REMOTE_STATE_H

#include "libmpi/boot/boot.h"
#include "tools/mpiexec/proxy_tree.h"
#include "tools/mpiexec/remote_ranks.h"

struct plan;

/* One host. */
struct remote_host {
	bool ready, over;
	bool begun;   /* its ranks of the command line have been started */
	bool added;   /* to be started: remote_work does it */
	char *why;    /* why it cannot be used; malloc'ed; NULL: it can */
	bool seen;    /* has answered the current request */
	bool stacks;  /* likewise the one for stacks */
	int64_t took; /* bytes of stdin sent */
	bool sated;   /* its ranks want no more */
};

struct remote_ranks {
	struct job *j;
	struct plan *plan;
	struct proxy_tree tree;
	struct remote_host *hosts; /* by host */
	uint8_t key[BOOT_KEY];     /* of the universe, for hosts that are added */
	uint64_t cookie;
	bool adds;  /* a host waits to be started */
	int nready; /* of the hosts with ranks */
	int nover;
	bool begun; /* the ranks have been told to start */
	bool polling;
	uint64_t poll_ns;           /* when to stop waiting for answers */
	const struct world *reader; /* the spawned world that reads stdin; NULL: world 0 does */
	int64_t sent;               /* bytes of stdin */
	bool drained;
};

/* Sends a frame to all hosts; a frame about a rank to its host. */
void remote_send(
	struct remote_ranks *f, enum frame_kind kind, int which, const void *v, size_t len);
void remote_send_rank(struct remote_ranks *f, enum frame_kind kind, int which, int rank,
	const void *v, size_t len);

#endif
