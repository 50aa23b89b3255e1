// SPDX-License-Identifier: BSD-3-Clause
/* ft_inner.h - declarations shared by the files of this folder. */
#ifndef HAFT_FT_FT_INNER_H
#define HAFT_FT_FT_INNER_H

#include "libmpi/core/comm_object.h"
#include "libmpi/p2p/p2p.h"

/* The planes of the context ids in frames of this folder. */
enum ft_plane { FT_AGREE = 6, FT_REVOKE };

/* Each function for failures calls it first: from now on failures are survived.  `handled': the
 * function lets the program see failures, which counts for the job's exit code. */
void ft_use(bool handled);

/* All members of a communicator, in an order that all of them share: those of its group, or of the
 * low group and then of the high one. */
struct ft_members {
	const struct group *first, *second; /* second NULL: one group */
	int n, me, side;                    /* side: 0, or 1 in the second group */
};

/* Groups are not held. */
struct ft_members ft_members(const struct comm *c);

static inline int ft_member_peer(const struct ft_members *m, int i)
{
	return i < m->first->size ? group_peer(m->first, i)
				  : group_peer(m->second, i - m->first->size);
}

/* The member that a process is, or -1. */
int ft_member_of(const struct ft_members *m, int peer);

/* Calls fn for MPI_COMM_WORLD, all communicators with a handle, and those of windows and files,
 * until it returns another value than 0, which is returned (owned.c). */
typedef int ft_comm_fn(struct comm *c, void *arg);
int ft_comm_each(ft_comm_fn *fn, void *arg);

/* The communicator among these that has the context id; NULL: there is none (yet). */
struct comm *ft_comm_find(uint64_t ctx);

/* Reads HAFT_DIE, and sets HAFT_GATE_DIE if it names this process (injected_death.c). */
void ft_die_open(void);

/* --- agreements (agreement.c) --------------------------------------------------------------- */

/* A message of an agreement: for the era, or kept until the call begins here. */
void ft_agree_got(const struct shm_frame *f);
/* Tells all agreements under way that a process has died. */
void ft_agree_peer_lost(int peer);
/* c has just been revoked: its settles end, with the error of c in calls that wait.  Messages that
 * come for them later are dropped. */
void ft_agree_revoked(struct comm *c);

/* --- revocations (revoke.c) ----------------------------------------------------------------- */

/* True if the frame is a revocation of a known form. */
bool ft_revoke_fits(const struct shm_frame *f);
/* Has the communicator with this id, which is or has been here, been revoked?  Only the latest
 * revocations are known. */
bool ft_is_revoked(uint64_t ctx);
/* A revocation: revokes the communicator here, and passes it on. */
void ft_revoke_got(const struct shm_frame *f);

/* haft_comm_hooks.differ: revokes c, but its members get errors of this class with these words. */
void ft_comm_differ(struct comm *c, int class, const char *words);
/* Passes all revocations on again: the process may have died before it did. */
void ft_revoke_peer_lost(int peer);

#endif
