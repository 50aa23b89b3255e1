// SPDX-License-Identifier: BSD-3-Clause
/* rank_env.h - the environment of the ranks that are started now.
 *
 *     v:  | of the rank, ENV_OWN at most | of its program, without an outer launcher's | NULL |
 *                        '-- rank_env_make: where the rank's begins */
#ifndef HAFT_TOOLS_MPIEXEC_RANK_ENV_H
#define HAFT_TOOLS_MPIEXEC_RANK_ENV_H

struct local_ranks;
struct world;

#define ENV_OWN 15 /* number of variables that mpiexec adds, at most */

/* Common to the ranks of one start. */
struct rank_env {
	int *before;       /* by rank: ranks of the world before it on this host ... */
	int total;         /* ... of so many */
	char *const *base; /* what v has; NULL: nothing */
	char **v;
};

/* Before the first rank of a world, and after the last. */
void rank_env_begin(struct rank_env *t, const struct local_ranks *c, const struct world *w);
void rank_env_end(struct rank_env *t);

/* The environment of row i's rank: `base', that of its program, and the rank's identity, for Haft
 * and, by the PMI socket `pmi' (-1: none), for other MPIs.  Valid until the next call; the ENV_OWN
 * texts own[] (NULL: unused) are malloc'ed. */
char **rank_env_make(struct rank_env *t, const struct local_ranks *c, int i, char *const *base,
	int pmi, char **own);

/* The number of texts of own[]: so many variables at the beginning are the rank's. */
int rank_env_own(char *const *own);

#endif
