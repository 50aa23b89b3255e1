// SPDX-License-Identifier: BSD-3-Clause
/* coll_check.c - HAFT_CHECK=coll: do all members make the same call?
 *
 *     rank 0   Bcast  root 0  4 MPI_INT ┐
 *     rank 1   Bcast  root 0  4 MPI_INT ├─ told by all to all, ──> MPI_ERR_ROOT everywhere:
 *     rank 2   Bcast  root 1  4 MPI_INT ┘  before the call         "rank 2 says root 1, rank 0 0"
 *
 * It is the first steps of a schedule, so it works for calls with requests too, at each start of a
 * persistent one, and a call that waits is told from one that does not.  What most members say is
 * right, and without a majority what rank 0 says.  Between groups each asks its own.
 *
 * Of calls that move blocks, what one member sends is what another expects of it:
 *
 *     rank 2   for rank 0: 1 MPI_FLOAT ──> rank 0 finds it; what all have found is told by all to
 *     rank 0   from rank 2: 1 MPI_INT      all: "rank 2 sends 1 MPI_FLOAT to rank 0, ..."
 *
 * Without it a program that is wrong in this way hangs, or computes nonsense.  It costs a small
 * allgather a call, with blocks another and a message for each block, so it is the user's
 * choice. */
#include "libmpi/coll/coll_args.h"
#include "libmpi/coll/coll_shm.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/topo.h"
#include "libmpi/core/current_call.h"
#include "libmpi/type/signature.h"
#include <stdio.h>
#include <string.h>

bool coll_check_wanted;

/* Zero where a member may say anything. */
struct said {
	char name[32]; /* without "MPI_" */
	char call[32]; /* the user's, which may have made it inside: MPI_Win_free; or "" */
	int64_t root;
	int64_t bytes; /* AGREE_ANY: members may differ */
	uint64_t hash; /* of the basic types */
	char op[16];   /* predefined: its name without "MPI_"; else "user's" */
	char types[64];
};

struct agree {
	int n, me;
	struct said said[]; /* of rank (me + i) mod n */
};

void coll_check_open(void)
{
	coll_check_wanted = (haft_setting_get(SETTING_CHECK) & HAFT_CHECK_COLL) != 0 ||
			    haft_setting_get(SETTING_COLL) == COLL_SETTING_CHECK;
}

/* --- what is said --------------------------------------------------------------------------- */

static void check_say_types(struct said *s, const struct coll_args *k)
{
	struct type *type = k->rtype != NULL ? k->rtype : k->stype;
	struct type_signature sum;

	if (k->verb ==
		(k->root_here ? COLL_SCATTER : COLL_GATHER)) /* the other is not significant */
		type = k->stype;
	if (k->bytes <= 0 || type == NULL || type_signature_bytes(type, k->bytes, &sum) != 0 ||
		sum.packed)
		return;
	s->hash = sum.hash;
	type_signature_words(type, k->bytes, s->types, sizeof(s->types));
}

/* A schedule that goes on in MPI_Wait or MPI_Test: those are not the call that began it. */
static void check_say_call(struct said *s)
{
	char name[sizeof(s->call)];

	haft_current_call(name, sizeof(name));
	if (strncmp(name, "MPI_Wait", 8) != 0 && strncmp(name, "MPI_Test", 8) != 0)
		memcpy(s->call, name, sizeof(name));
}

static void check_say(
	struct said *s, const struct coll_args *k, const char *before, const char *after)
{
	const char *op = k->op == NULL          ? ""
			 : k->op->loops == NULL ? "user's"
						: k->op->short_name + strlen("MPI_");
	const char *name = coll_kind_name(k->verb) + strlen("MPI_");

	memset(s, 0, sizeof(*s));
	if (before[0] == '\0')
		snprintf(s->name, sizeof(s->name), "%s%s", name, after);
	else
		snprintf(s->name, sizeof(s->name), "%s%c%s", before, name[0] | 0x20, name + 1);
	check_say_call(s);
	if (k->inter)
		return;
	s->root = k->root;
	s->bytes = k->bytes;
	snprintf(s->op, sizeof(s->op), "%s", op);
	check_say_types(s, k);
}

/* --- comparing ------------------------------------------------------------------------------ */

static const struct said *check_of_rank(const struct agree *a, int rank)
{
	return &a->said[(rank - a->me + a->n) % a->n];
}

/* What the two differ in first: a class, or 0. */
static int check_differ(const struct said *a, const struct said *b)
{
	if (strcmp(a->name, b->name) != 0)
		return MPI_ERR_OTHER;
	if (a->root != b->root)
		return MPI_ERR_ROOT;
	if (strcmp(a->op, b->op) != 0)
		return MPI_ERR_OP;
	if (a->bytes != b->bytes)
		return MPI_ERR_COUNT;
	return a->hash != 0 && b->hash != 0 && a->hash != b->hash ? MPI_ERR_TYPE : 0;
}

/* The first rank that says what most say; 0 if there is no majority. */
static int check_majority(const struct agree *a)
{
	int rank = 0, votes = 0, all = 0, first = -1;

	for (int i = 0; i < a->n; i++) {
		if (votes == 0)
			rank = i;
		votes += check_differ(check_of_rank(a, rank), check_of_rank(a, i)) == 0 ? 1 : -1;
	}
	for (int i = 0; i < a->n; i++) {
		if (check_differ(check_of_rank(a, rank), check_of_rank(a, i)) != 0)
			continue;
		first = first < 0 ? i : first;
		all++;
	}
	return 2 * all > a->n ? first : 0;
}

/* The words for rank `odd', which says something else than rank `right'. */
static int check_complain(const struct agree *a, int odd, int right)
{
	const struct said *x = check_of_rank(a, odd), *y = check_of_rank(a, right);
	int err = check_differ(x, y);

	switch (err) {
	case MPI_ERR_OTHER:
		if (x->call[0] != '\0' && y->call[0] != '\0' && strcmp(x->call, y->call) != 0)
			return haft_err(
				err, "rank %d calls %s, rank %d %s", odd, x->call, right, y->call);
		return haft_err(
			err, "rank %d calls MPI_%s, rank %d MPI_%s", odd, x->name, right, y->name);
	case MPI_ERR_ROOT:
		return haft_err(err, "rank %d says root %lld, rank %d says %lld", odd,
			(long long)x->root, right, (long long)y->root);
	case MPI_ERR_OP:
		return haft_err(err, "rank %d says operation %s, rank %d says %s", odd, x->op,
			right, y->op);
	case MPI_ERR_COUNT:
		return haft_err(err, "rank %d says %lld bytes, rank %d says %lld", odd,
			(long long)x->bytes, right, (long long)y->bytes);
	}
	return haft_err(err, "rank %d says %s, rank %d says %s", odd, x->types, right, y->types);
}

static int check_compare(void *arg)
{
	const struct agree *a = arg;
	int right = check_majority(a);

	for (int i = 0; i < a->n; i++)
		if (check_differ(check_of_rank(a, i), check_of_rank(a, right)) != 0)
			return check_complain(a, i, right);
	return 0;
}

/* --- blocks --------------------------------------------------------------------------------- */

/* What a block is made of. */
struct cargo {
	int64_t bytes;
	uint64_t hash; /* of the basic types; 0: matches all */
	char types[64];
};

/* What a member has found wrong. */
struct found {
	int err; /* a class; or 0 */
	char words[188];
};

struct blocks {
	int n, me, nin;
	struct found *found;  /* [n] of rank (me + i) mod n */
	struct cargo *in;     /* [nin] what this member expects */
	struct cargo *got;    /* [nin] what it is going to get */
	struct cargo *out;    /* [nout] */
	const int *neighbors; /* [nin], or NULL: all ranks */
};

/* Which rank block i comes from, and goes to; MPI_PROC_NULL: there is no such block. */
static int check_comes_from(const struct coll_args *k, int i)
{
	if (k->verb >= COLL_NEIGHBOR_ALLGATHER)
		return k->comm->topo->neighbors.in[i];
	if ((k->verb == COLL_GATHER || k->verb == COLL_GATHERV) && k->me != k->root)
		return MPI_PROC_NULL;
	if ((k->verb == COLL_SCATTER || k->verb == COLL_SCATTERV) && i != k->root)
		return MPI_PROC_NULL;
	return k->in_place && i == k->me ? MPI_PROC_NULL : i;
}

static int check_goes_to(const struct coll_args *k, int i)
{
	if (k->verb >= COLL_NEIGHBOR_ALLGATHER)
		return k->comm->topo->neighbors.out[i];
	if ((k->verb == COLL_GATHER || k->verb == COLL_GATHERV) && i != k->root)
		return MPI_PROC_NULL;
	if ((k->verb == COLL_SCATTER || k->verb == COLL_SCATTERV) && k->me != k->root)
		return MPI_PROC_NULL;
	return k->in_place && i == k->me ? MPI_PROC_NULL : i;
}

/* What goes there.  A scatter's root that keeps its own block sends the others' all the same. */
static struct block check_given(const struct coll_args *k, int i)
{
	if (!k->in_place || k->verb == COLL_SCATTER || k->verb == COLL_SCATTERV)
		return coll_block_out(k, i);
	return coll_block_in(
		k, k->verb == COLL_ALLGATHER || k->verb == COLL_ALLGATHERV ? k->me : i);
}

static void check_cargo_describe(struct cargo *c, struct block b)
{
	struct type_signature sum;

	memset(c, 0, sizeof(*c));
	c->bytes = b.count * b.type->size;
	if (c->bytes <= 0 || type_signature_bytes(b.type, c->bytes, &sum) != 0 || sum.packed)
		return;
	c->hash = sum.hash;
	type_signature_words(b.type, c->bytes, c->types, sizeof(c->types));
}

/* All that is expected has been told; the others wait for what this member finds. */
static int check_look(void *arg, const struct p2p_error_msg *sorry)
{
	struct blocks *b = arg;
	struct found *f;

	if (sorry != NULL) /* which tells them */
		return 0;
	f = &b->found[0];
	memset(f, 0, sizeof(*f));
	for (int i = 0; i < b->nin && f->err == 0; i++) {
		const struct cargo *want = &b->in[i], *got = &b->got[i];
		int rank = b->neighbors != NULL ? b->neighbors[i] : i;

		if (got->bytes != want->bytes) {
			f->err = got->bytes > want->bytes ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT;
			snprintf(f->words, sizeof(f->words),
				"rank %d sends %lld bytes to rank %d, which expects %lld", rank,
				(long long)got->bytes, b->me, (long long)want->bytes);
		} else if (got->hash != 0 && want->hash != 0 && got->hash != want->hash) {
			f->err = MPI_ERR_TYPE;
			snprintf(f->words, sizeof(f->words),
				"rank %d sends %s to rank %d, which expects %s", rank, got->types,
				b->me, want->types);
		}
	}
	return 0;
}

/* What the first rank has found that found anything: the same for all. */
static int check_say_found(void *arg)
{
	const struct blocks *b = arg;

	for (int i = 0; i < b->n; i++) {
		const struct found *f = &b->found[(i - b->me + b->n) % b->n];

		if (f->err != 0)
			return haft_err(f->err, "%s", f->words);
	}
	return 0;
}

/* Each step doubles what a member knows: Bruck.  mem: n times `size' bytes, of rank (me + i) mod n;
 * its own are there. */
static void check_tell_all(struct sched *s, const struct coll_args *k, void *mem, int64_t size)
{
	struct type *byte = type_predefined(MPI_BYTE);
	char *at = mem;

	for (int bit = 1; bit < k->n; bit <<= 1) {
		int64_t len = size * (2 * bit <= k->n ? bit : k->n - bit);

		coll_sched_recv(s, at + bit * size, len, byte, (k->me + bit) % k->n);
		coll_sched_send(s, at, len, byte, (k->me + k->n - bit) % k->n);
		coll_sched_fence(s);
	}
}

/* In the order of neighbor.c: between two that are neighbours twice the n-th send is the n-th receive.
 */
static void check_exchange(struct sched *s, const struct coll_args *k, struct blocks *b)
{
	struct type *byte = type_predefined(MPI_BYTE);
	bool grid = b->neighbors != NULL && k->comm->topo->neighbors.kind == MPI_CART;
	int64_t size = sizeof(struct cargo);

	for (int j = 0; j < k->nin; j++) {
		int i = grid ? j ^ 1 : j, rank = check_comes_from(k, i);

		memset(&b->in[i], 0, sizeof(b->in[i]));
		memset(&b->got[i], 0, sizeof(b->got[i]));
		if (rank == MPI_PROC_NULL)
			continue;
		check_cargo_describe(&b->in[i], coll_block_in(k, i));
		coll_sched_recv(s, &b->got[i], size, byte, rank);
	}
	for (int i = 0; i < k->nout; i++) {
		int rank = check_goes_to(k, i);

		if (rank == MPI_PROC_NULL)
			continue;
		check_cargo_describe(&b->out[i], check_given(k, i));
		coll_sched_send(s, &b->out[i], size, byte, rank);
	}
	coll_sched_fence(s);
}

static void check_blocks_steps(struct sched *s, const struct coll_args *k)
{
	struct blocks *b = coll_sched_bytes(s, sizeof(*b));
	int64_t all = 2 * (int64_t)k->nin + k->nout;
	struct cargo *cargo = coll_sched_bytes(s, all * (int64_t)sizeof(*cargo));
	struct found *found = coll_sched_bytes(s, k->n * (int64_t)sizeof(*found));

	if (b == NULL || cargo == NULL || found == NULL)
		return;
	*b = (struct blocks){k->n, k->me, k->nin, found, cargo, cargo + k->nin,
		cargo + 2 * (int64_t)k->nin, NULL};
	if (k->verb >= COLL_NEIGHBOR_ALLGATHER)
		b->neighbors = k->comm->topo->neighbors.in;
	check_exchange(s, k, b);
	coll_sched_call(s, check_look, b);
	check_tell_all(s, k, found, sizeof(*found));
	coll_sched_check(s, check_say_found, b);
}

static bool check_moves_blocks(const struct coll_args *k)
{
	return (k->verb >= COLL_GATHER && k->verb <= COLL_ALLTOALLW) ||
	       k->verb >= COLL_NEIGHBOR_ALLGATHER;
}

/* Who has no memory for these steps is sorry in the first of them, and nobody comes to the others.
 */
void coll_check_steps(
	struct sched *s, const struct coll_args *k, const char *before, const char *after)
{
	int64_t size = sizeof(struct said);
	struct agree *a = coll_sched_bytes(s, (int64_t)sizeof(*a) + k->n * size);

	if (a == NULL)
		return;
	static_assert(sizeof(*a) + sizeof(a->said[0]) <= SCHED_PLANNING, "a walk has room for it");
	a->n = k->n;
	a->me = k->me;
	check_say(&a->said[0], k, before, after);
	check_tell_all(s, k, a->said, size);
	coll_sched_check(s, check_compare, a);
	if (check_moves_blocks(k) && !k->inter && !coll_sched_is_dry_run(s))
		check_blocks_steps(s, k);
}
