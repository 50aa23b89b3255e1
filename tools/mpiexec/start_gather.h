// SPDX-License-Identifier: BSD-3-Clause
/* start_gather.h - a proxy gathers the frames of a start that go up through it: each process gets
 * at most one frame a child for each step of the start, however many hosts there are.
 *
 *     UP_READY of this host ──────────────┐
 *     UP_READY of the hosts behind it ────┼─> held until all of them are here ──> one UP_GATHERED
 *     UP_GATHERED of a child: taken apart ┘         (UP_BEGUN: likewise, the next step)
 *
 * Frames of a host keep their order: any other frame from behind sends the held ones first.  After
 * UP_LOST or UP_FAIL of a host, which may never answer, no frame is held any more.  Hosts without
 * ranks are not waited for, and their frames are not held. */
#ifndef HAFT_TOOLS_MPIEXEC_START_GATHER_H
#define HAFT_TOOLS_MPIEXEC_START_GATHER_H

#include <stdbool.h>
#include "tools/mpiexec/link.h"
#include "tools/mpiexec/marshal.h"

struct plan;

/* Zero: every frame passes. */
struct start_gather {
	int nused;           /* hosts with ranks: the first ones */
	int want;            /* of them, those that are here or behind */
	int ready, begun;    /* frames that have come so far */
	bool open;           /* a host may not answer: hold nothing */
	int host;            /* this one */
	int nheld;           /* frames in `held' */
	struct marshal held; /* each with its head */
};

/* For the proxy of a host, at this node of the tree. */
void start_gather_init(struct start_gather *g, const struct plan *p, int host, int node);

/* A frame that goes up.  `send' sends to the parent, at once or later, and not always this one. */
void start_gather_put(struct start_gather *g, const struct proxy_frame *f, const void *v,
	link_take_fn *send, void *arg);

/* Gives the frames that an UP_GATHERED has to `take', as they were. */
void start_gather_each(
	const struct proxy_frame *gathered, const char *v, link_take_fn *take, void *arg);

#endif
