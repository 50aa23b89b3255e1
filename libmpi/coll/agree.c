// SPDX-License-Identifier: BSD-3-Clause
/* agree.c - HAFT_COLL=check: do all members make the same call?
 *
 *     rank 0   MPI_Bcast  root 0  16 bytes ┐
 *     rank 1   MPI_Bcast  root 0  16 bytes ├─ a meeting before each call ──> MPI_ERR_ROOT
 *     rank 2   MPI_Bcast  root 1  16 bytes ┘  everywhere: "rank 2 says root 1, rank 0 says 0"
 *
 * Without it a program that is wrong in this way hangs, or computes nonsense.  It costs a barrier a
 * call, so it is the user's choice. */
#include "libmpi/coll/share.h"
#include <stdio.h>
#include <string.h>

struct said {
	char name[28]; /* without "MPI_" */
	int32_t root;
	int64_t bytes; /* AGREE_ANY: members may differ */
	char op[16];   /* predefined: its name without "MPI_"; else "user's" */
};
static_assert(sizeof(struct said) <= SHM_LINE_DATA, "it fits a line");

static int differ(const struct said *a, const struct said *b, int rank)
{
	if (strcmp(a->name, b->name) != 0)
		return haft_err(MPI_ERR_OTHER, "rank %d calls MPI_%s, rank 0 MPI_%s", rank, b->name,
			a->name);
	if (a->root != b->root)
		return haft_err(MPI_ERR_ROOT, "rank %d says root %d, rank 0 says %d", rank, b->root,
			a->root);
	if (strcmp(a->op, b->op) != 0)
		return haft_err(MPI_ERR_OP, "rank %d says operation %s, rank 0 says %s", rank,
			b->op, a->op);
	if (a->bytes != b->bytes)
		return haft_err(MPI_ERR_COUNT, "rank %d says %lld bytes, rank 0 says %lld", rank,
			(long long)b->bytes, (long long)a->bytes);
	return 0;
}

int share_agree(const struct call *k)
{
	struct coll *s = k->comm->coll;
	uint64_t e = epoch_begin(s);
	struct said mine = {.root = k->root, .bytes = k->bytes};
	const char *op = k->op == NULL          ? ""
			 : k->op->loops == NULL ? "user's"
						: k->op->short_name + 4;
	const struct said *first;

	snprintf(mine.name, sizeof(mine.name), "%s", verb_name(k->verb) + 4);
	snprintf(mine.op, sizeof(mine.op), "%s", op);
	memcpy(epoch_give(s, e, sizeof(mine)), &mine, sizeof(mine));
	epoch_meet(s, e);
	first = epoch_of(s, e, sizeof(mine), 0);
	for (int i = 1; i < s->n; i++) {
		int err = differ(first, epoch_of(s, e, sizeof(mine), i), i);

		if (err != 0)
			return err;
	}
	return 0;
}
