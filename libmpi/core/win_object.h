// SPDX-License-Identifier: BSD-3-Clause
/* win_object.h - struct win: every engine's view of a window; libmpi/rma has the rest. */
#ifndef HAFT_CORE_WIN_OBJECT_H
#define HAFT_CORE_WIN_OBJECT_H

#include "libobj/obj.h"
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct comm;
struct rma;        /* libmpi/rma: the engine's own part */
struct rma_target; /* libmpi/rma: how a member is reached */

struct win {
	struct obj o;
	uint8_t open;              /* not 0: an epoch lets this process access all targets */
	bool no_locks;             /* info says so, and HAFT_CHECK=strict: locks are refused */
	int rank;                  /* of this process */
	int size;                  /* members */
	int flavor;                /* MPI_WIN_FLAVOR_CREATE .. */
	int model;                 /* MPI_WIN_UNIFIED */
	struct rma_target *target; /* [size], owned */
	struct comm *comm; /* held; without a handle, the window's own: its ctx, its group */
	struct rma *rma;   /* owned */
	void *base;        /* of this process's part */
	MPI_Aint bytes;
	int unit; /* for attributes: int; the full one is in target[rank] */
};

/* Set by libmpi/rma: frees a window's memory, when its last reference is dropped. */
extern void (*haft_win_destroy_hook)(struct win *w);

#endif
