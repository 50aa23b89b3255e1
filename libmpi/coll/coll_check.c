// SPDX-License-Identifier: BSD-3-Clause
/* coll_check.c - HAFT_CHECK=coll: do all members make the same call?
 *
 *     rank 0   Bcast  root 0  4 MPI_INT ┐
 *     rank 1   Bcast  root 0  4 MPI_INT ├─ allgather, before  ──> MPI_ERR_ROOT in all members:
 *     rank 2   Bcast  root 1  4 MPI_INT ┘  the call               "rank 2 says root 1, rank 0 0"
 *
 * The comparison is the first part of the call's schedule, so it covers calls with requests, and
 * each start of a persistent one.  It distinguishes blocking from nonblocking calls.  The majority
 * is right; without a majority, rank 0 is.
 *
 * Between groups each group compares its own members, and the leaders exchange the result.
 *
 * Constructors of communicators and windows, and calls on files, are compared by their names
 * (coll_check_constructor).
 *
 * For calls that move blocks, what each member sends is compared with what its receiver expects:
 *
 *     rank 2   for rank 0: 1 MPI_FLOAT ──> rank 0 compares; an allgather brings the result to all:
 *     rank 0   from rank 2: 1 MPI_INT      "rank 2 sends 1 MPI_FLOAT to rank 0, which expects ..."
 *
 * A call costs a small allgather; with blocks, another one and a message for each block. */
#include "libmpi/coll/coll_check.h"
#include "libmpi/coll/coll_shm.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/topo.h"
#include "libmpi/core/current_call.h"
#include "libmpi/type/signature.h"
#include <stdio.h>
#include <string.h>

HAFT_HOT_DATA bool coll_check_wanted;

/* A member's description of its call.  Zero where members may differ. */
struct said {
	char name[32]; /* without "MPI_" */
	/* The MPI function of the user, which may make this call inside (MPI_Win_free), or "". */
	char call[32];
	int64_t root;    /* between groups ROOT_GROUP: it is in this one */
	int64_t is_root; /* between groups: this member says MPI_ROOT */
	int64_t rooted;  /* between groups: the call has a root */
	int64_t bytes;   /* COLL_BYTES_DIFFER: members may differ */
	uint64_t hash;   /* of the basic types */
	uint64_t counts; /* a hash of the list that all members give; else 0 */
	char op[16];     /* predefined: its name without "MPI_"; else "user's" */
	char types[64];
};

#define ROOT_GROUP (-1)

/* The descriptions of all members. */
struct agree {
	int n, me;
	struct said said[]; /* of rank (me + i) mod n; said[0] is this member's */
};

HAFT_START void coll_check_open(void)
{
	coll_check_wanted = (haft_setting_get(SETTING_CHECK) & HAFT_CHECK_COLL) != 0 ||
			    haft_setting_get(SETTING_COLL) == COLL_SETTING_CHECK;
}

/* --- the report of a member ----------------------------------------------------------------- */

static void check_say_types(struct said *s, const struct coll_args *k)
{
	struct type *type = k->rtype != NULL ? k->rtype : k->stype;
	struct type_signature sum;

	if (k->kind == (k->at_root ? COLL_SCATTER : COLL_GATHER)) /* the other is not significant */
		type = k->stype;
	if (k->bytes <= 0 || type == NULL || type_signature_bytes(type, k->bytes, &sum) != 0 ||
		sum.packed)
		return;
	s->hash = sum.hash;
	type_signature_words(type, k->bytes, s->types, sizeof(s->types));
}

/* The list of a reduce_scatter: its sum is in `bytes'. */
static void check_say_counts(struct said *s, const struct coll_args *k)
{
	if (k->kind != COLL_REDUCE_SCATTER || k->rcounts.v == NULL)
		return;
	for (int i = 0; i < k->n; i++) {
		s->counts =
			(s->counts ^ (uint64_t)haft_count_at(k->rcounts, i)) * 0x9e3779b97f4a7c15u;
		s->counts ^= s->counts >> 32;
	}
}

/* Sets the MPI function that makes the call.  A schedule may go on in MPI_Wait or MPI_Test, which
 * have not begun it. */
static void check_say_call(struct said *s)
{
	char name[sizeof(s->call)];

	haft_current_call(name, sizeof(name));
	if (strncmp(name, "MPI_Wait", 8) != 0 && strncmp(name, "MPI_Test", 8) != 0)
		memcpy(s->call, name, sizeof(name));
}

/* Between groups only some members know bytes and operation, if there is a root. */
static void check_say_inter(struct said *s, const struct coll_args *k, const char *op)
{
	s->rooted = coll_kind_rooted(k->kind);
	if (s->rooted) {
		s->root = k->root >= 0 ? k->root : ROOT_GROUP;
		s->is_root = k->root == MPI_ROOT;
		return;
	}
	snprintf(s->op, sizeof(s->op), "%s", op);
	if (k->kind == COLL_ALLREDUCE)
		s->bytes = k->bytes;
}

static void check_say(
	struct said *s, const struct coll_args *k, const char *before, const char *after)
{
	const char *op = k->op == NULL          ? ""
			 : k->op->loops == NULL ? "user's"
						: k->op->short_name + strlen("MPI_");
	const char *name = coll_kind_name(k->kind) + strlen("MPI_");

	memset(s, 0, sizeof(*s));
	if (before[0] == '\0')
		snprintf(s->name, sizeof(s->name), "%s%s", name, after);
	else
		snprintf(s->name, sizeof(s->name), "%s%c%s", before, name[0] | 0x20, name + 1);
	check_say_call(s);
	if (k->inter) {
		check_say_inter(s, k, op);
		return;
	}
	s->root = k->root;
	s->bytes = k->bytes;
	snprintf(s->op, sizeof(s->op), "%s", op);
	check_say_types(s, k);
	check_say_counts(s, k);
}

/* --- comparing ------------------------------------------------------------------------------ */

static const struct said *check_of_rank(const struct agree *a, int rank)
{
	return &a->said[(rank - a->me + a->n) % a->n];
}

/* The first difference as an error class; 0: none. */
static int check_differ(const struct said *a, const struct said *b)
{
	if (strcmp(a->name, b->name) != 0)
		return MPI_ERR_OTHER;
	if (a->root != b->root)
		return MPI_ERR_ROOT;
	if (strcmp(a->op, b->op) != 0)
		return MPI_ERR_OP;
	if (a->bytes != b->bytes || a->counts != b->counts)
		return MPI_ERR_COUNT;
	return a->hash != 0 && b->hash != 0 && a->hash != b->hash ? MPI_ERR_TYPE : 0;
}

/* The first rank of the majority; 0 if there is none. */
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

/* The error for rank `wrong', which differs from rank `right'. */
static int check_complain(const struct agree *a, int wrong, int right)
{
	const struct said *x = check_of_rank(a, wrong), *y = check_of_rank(a, right);
	int err = check_differ(x, y);

	switch (err) {
	case MPI_ERR_OTHER:
		if (x->call[0] != '\0' && y->call[0] != '\0' && strcmp(x->call, y->call) != 0)
			return haft_err(err, "rank %d calls %s, rank %d %s", wrong, x->call, right,
				y->call);
		return haft_err(err, "rank %d calls MPI_%s, rank %d MPI_%s", wrong, x->name, right,
			y->name);
	case MPI_ERR_ROOT:
		return haft_err(err, "rank %d says root %lld, rank %d says %lld", wrong,
			(long long)x->root, right, (long long)y->root);
	case MPI_ERR_OP:
		return haft_err(err, "rank %d says operation %s, rank %d says %s", wrong, x->op,
			right, y->op);
	case MPI_ERR_COUNT:
		if (x->bytes == y->bytes)
			return haft_err(err,
				"rank %d gives another list of counts than rank %d, of an equal "
				"sum",
				wrong, right);
		return haft_err(err, "rank %d says %lld bytes, rank %d says %lld", wrong,
			(long long)x->bytes, right, (long long)y->bytes);
	}
	return haft_err(err, "rank %d says %s, rank %d says %s", wrong, x->types, right, y->types);
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

/* --- between groups ------------------------------------------------------------------------- */

/* The message of one group to the other. */
struct summary {
	struct said said; /* of its rank 0 */
	int32_t err;      /* class of a difference between its members; or 0 */
	int32_t root;     /* the rank that says MPI_ROOT; -1: none does */
	char words[188];  /* of err */
};

struct groups {
	const struct agree *members; /* of this group */
	struct summary ours, theirs;
};

/* Compares the members of this group.  The other group waits for the summary, so a difference does
 * not end the schedule here. */
static int check_summarize(void *arg, const struct p2p_error_msg *error)
{
	struct groups *g = arg;
	struct summary *o = &g->ours;

	if (error != NULL) /* which the other group gets instead */
		return 0;
	memset(o, 0, sizeof(*o));
	o->said = *check_of_rank(g->members, 0);
	o->root = -1;
	for (int i = 0; i < g->members->n; i++)
		if (check_of_rank(g->members, i)->is_root)
			o->root = i;
	o->err = check_compare((void *)(uintptr_t)g->members);
	if (o->err != 0)
		snprintf(o->words, sizeof(o->words), "%s", haft_err_text(o->err));
	return 0;
}

/* Does the root of one group fit to that of the other? */
static int check_roots(const struct summary *ours, const struct summary *theirs)
{
	bool here = ours->said.root == ROOT_GROUP, there = theirs->said.root == ROOT_GROUP;
	const struct summary *at = here ? ours : theirs, *other = here ? theirs : ours;

	if (here == there)
		return haft_err(MPI_ERR_ROOT, here ? "both groups say that they have the root"
						   : "both groups say that the other has the root");
	if (at->root < 0)
		return haft_err(MPI_ERR_ROOT, "no member of the root's group says MPI_ROOT");
	if (at->root != other->said.root)
		return haft_err(MPI_ERR_ROOT, "rank %d says MPI_ROOT, the other group root %lld",
			at->root, (long long)other->said.root);
	return 0;
}

static int check_compare_groups(void *arg)
{
	const struct groups *g = arg;
	const struct said *x = &g->ours.said, *y = &g->theirs.said;

	if (g->ours.err != 0)
		return haft_err(g->ours.err, "%s", g->ours.words);
	if (g->theirs.err != 0)
		return haft_err(g->theirs.err, "in the other group %s", g->theirs.words);
	if (strcmp(x->name, y->name) != 0)
		return haft_err(MPI_ERR_OTHER, "this group calls MPI_%s, the other MPI_%s", x->name,
			y->name);
	if (strcmp(x->op, y->op) != 0)
		return haft_err(
			MPI_ERR_OP, "this group says operation %s, the other %s", x->op, y->op);
	if (x->bytes != y->bytes)
		return haft_err(MPI_ERR_COUNT, "this group says %lld bytes, the other %lld",
			(long long)x->bytes, (long long)y->bytes);
	return x->rooted ? check_roots(&g->ours, &g->theirs) : 0;
}

/* The leaders exchange summaries, and tell their groups. */
static void check_groups_steps(struct sched *s, const struct coll_args *k, const struct agree *a)
{
	struct type *byte = type_predefined(MPI_BYTE);
	struct groups *g = coll_sched_bytes(s, sizeof(*g));
	int64_t size = sizeof(struct summary);
	const int leader = 0;

	if (g == NULL)
		return;
	if (!coll_sched_is_dry_run(s))
		g->members = a;
	if (!coll_sched_is_dry_run(s))
		coll_sched_call(s, check_summarize, g);
	if (k->me == leader) {
		coll_sched_group(s, k->comm->remote);
		coll_sched_recv(s, &g->theirs, size, byte, leader);
		coll_sched_send(s, &g->ours, size, byte, leader);
		coll_sched_fence(s);
		coll_sched_group(s, k->comm->group);
		for (int i = 1; i < k->n; i++)
			coll_sched_send(s, &g->theirs, size, byte, i);
	} else {
		coll_sched_recv(s, &g->theirs, size, byte, leader);
	}
	coll_sched_fence(s);
	coll_sched_check(s, check_compare_groups, g);
}

/* --- blocks --------------------------------------------------------------------------------- */

/* The bytes and basic datatypes of a block. */
struct block_signature {
	int64_t bytes;
	uint64_t hash; /* of the basic types; 0: matches all */
	char types[64];
};

/* A difference that a member has found. */
struct found {
	int err; /* a class; or 0 */
	char words[188];
};

struct blocks {
	int n, me, nin;
	struct found *found;         /* [n] of rank (me + i) mod n */
	struct block_signature *in;  /* [nin] what this member expects */
	struct block_signature *got; /* [nin] the data to come */
	struct block_signature *out; /* [nout] */
	const int *neighbors;        /* [nin], or NULL: all ranks */
};

/* The rank that block i comes from, and the one it goes to; MPI_PROC_NULL: there is no such block.
 */
static int check_comes_from(const struct coll_args *k, int i)
{
	if (k->kind >= COLL_NEIGHBOR_ALLGATHER)
		return k->comm->topo->neighbors.in[i];
	if ((k->kind == COLL_GATHER || k->kind == COLL_GATHERV) && k->me != k->root)
		return MPI_PROC_NULL;
	if ((k->kind == COLL_SCATTER || k->kind == COLL_SCATTERV) && i != k->root)
		return MPI_PROC_NULL;
	return k->in_place && i == k->me ? MPI_PROC_NULL : i;
}

static int check_goes_to(const struct coll_args *k, int i)
{
	if (k->kind >= COLL_NEIGHBOR_ALLGATHER)
		return k->comm->topo->neighbors.out[i];
	if ((k->kind == COLL_GATHER || k->kind == COLL_GATHERV) && i != k->root)
		return MPI_PROC_NULL;
	if ((k->kind == COLL_SCATTER || k->kind == COLL_SCATTERV) && k->me != k->root)
		return MPI_PROC_NULL;
	return k->in_place && i == k->me ? MPI_PROC_NULL : i;
}

static void check_block_describe(struct block_signature *c, struct block b)
{
	struct type_signature sum;

	memset(c, 0, sizeof(*c));
	c->bytes = coll_block_bytes(b);
	if (c->bytes <= 0 || type_signature_bytes(b.type, c->bytes, &sum) != 0 || sum.packed)
		return;
	c->hash = sum.hash;
	type_signature_words(b.type, c->bytes, c->types, sizeof(c->types));
}

/* Compares all data to come with the expected data.  The other members wait for the result.
 */
static int check_message(void *arg, const struct p2p_error_msg *error)
{
	struct blocks *b = arg;
	struct found *f;

	if (error != NULL) /* the error tells them */
		return 0;
	f = &b->found[0];
	memset(f, 0, sizeof(*f));
	for (int i = 0; i < b->nin && f->err == 0; i++) {
		const struct block_signature *want = &b->in[i], *got = &b->got[i];
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

/* The difference that the lowest rank has found; equal in all members. */
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

/* Bruck's allgather of n times `size' bytes, of rank (me + i) mod n; those of this member are in
 * place. */
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

/* Sends each block's description to its receiver, in the order of neighbor.c: between two that are
 * neighbors twice the n-th send matches the n-th receive. */
static void check_exchange(struct sched *s, const struct coll_args *k, struct blocks *b)
{
	struct type *byte = type_predefined(MPI_BYTE);
	bool grid = b->neighbors != NULL && k->comm->topo->neighbors.kind == MPI_CART;
	int64_t size = sizeof(struct block_signature);

	for (int j = 0; j < k->nin; j++) {
		int i = grid ? j ^ 1 : j, rank = check_comes_from(k, i);

		memset(&b->in[i], 0, sizeof(b->in[i]));
		memset(&b->got[i], 0, sizeof(b->got[i]));
		if (rank == MPI_PROC_NULL)
			continue;
		check_block_describe(&b->in[i], coll_block_in(k, i));
		coll_sched_recv(s, &b->got[i], size, byte, rank);
	}
	for (int i = 0; i < k->nout; i++) {
		int rank = check_goes_to(k, i);

		if (rank == MPI_PROC_NULL)
			continue;
		check_block_describe(&b->out[i], coll_block_given(k, i));
		coll_sched_send(s, &b->out[i], size, byte, rank);
	}
	coll_sched_fence(s);
}

static void check_blocks_steps(struct sched *s, const struct coll_args *k)
{
	struct blocks *b = coll_sched_bytes(s, sizeof(*b));
	int64_t all = 2 * (int64_t)k->nin + k->nout;
	struct block_signature *signatures =
		coll_sched_bytes(s, all * (int64_t)sizeof(*signatures));
	struct found *found = coll_sched_bytes(s, k->n * (int64_t)sizeof(*found));

	if (b == NULL || signatures == NULL || found == NULL)
		return;
	*b = (struct blocks){k->n, k->me, k->nin, found, signatures, signatures + k->nin,
		signatures + 2 * (int64_t)k->nin, NULL};
	if (k->kind >= COLL_NEIGHBOR_ALLGATHER)
		b->neighbors = k->comm->topo->neighbors.in;
	check_exchange(s, k, b);
	coll_sched_call(s, check_message, b);
	check_tell_all(s, k, found, sizeof(*found));
	coll_sched_check(s, check_say_found, b);
}

static bool check_moves_blocks(const struct coll_args *k)
{
	return (k->kind >= COLL_GATHER && k->kind <= COLL_ALLTOALLW) ||
	       k->kind >= COLL_NEIGHBOR_ALLGATHER;
}

/* Compares the members' said[0], which the callers have filled in. */
static void check_members_steps(struct sched *s, const struct coll_args *k, struct agree *a)
{
	a->n = k->n;
	a->me = k->me;
	check_tell_all(s, k, a->said, sizeof(a->said[0]));
	if (k->inter)
		check_groups_steps(s, k, a);
	else
		coll_sched_check(s, check_compare, a);
}

static struct agree *check_agree_new(struct sched *s, const struct coll_args *k)
{
	struct agree *a =
		coll_sched_bytes(s, (int64_t)sizeof(*a) + k->n * (int64_t)sizeof(struct said));

	static_assert(
		sizeof(*a) + sizeof(a->said[0]) <= SCHED_PLANNING, "a dry run has room for it");
	return a;
}

/* A member without memory sends errors in the first of these steps, after which no member goes on.
 */
void coll_check_steps(
	struct sched *s, const struct coll_args *k, const char *before, const char *after)
{
	struct agree *a = check_agree_new(s, k);

	if (a == NULL)
		return;
	check_say(&a->said[0], k, before, after);
	check_members_steps(s, k, a);
	if (check_moves_blocks(k) && !k->inter && !coll_sched_is_dry_run(s))
		check_blocks_steps(s, k);
}

/* --- constructors --------------------------------------------------------------------------- */

static void check_constructor_steps(struct sched *s, const struct coll_args *k, const void *arg)
{
	struct agree *a = check_agree_new(s, k);
	const enum coll_maker *file = arg;
	struct said *mine;

	if (a == NULL)
		return;
	mine = &a->said[0];
	memset(mine, 0, sizeof(*mine));
	if (file != NULL) {
		snprintf(mine->name, sizeof(mine->name), "%s",
			coll_maker_name(*file) + strlen("MPI_"));
	} else {
		haft_current_call(mine->call, sizeof(mine->call));
		snprintf(mine->name, sizeof(mine->name), "%s",
			mine->call + (strncmp(mine->call, "MPI_", 4) == 0 ? 4 : 0));
	}
	check_members_steps(s, k, a);
}

/* Its messages meet those of any other call of this number.  file: the call is on a file, or NULL:
 * the stack has its name. */
static int check_run_name(const struct coll_args *k, const enum coll_maker *file)
{
	struct coll_args own = *k;

	own.tag = coll_last_tag(k->comm);
	return coll_sched_run(&own, check_constructor_steps, file);
}

int coll_check_name(const struct coll_args *k)
{
	return check_run_name(k, NULL);
}

static struct coll_args check_args_constructor(struct comm *c)
{
	return (struct coll_args){.comm = c,
		.n = c->size,
		.me = c->rank,
		.caller = c->rank,
		.inter = c->remote != NULL,
		.tag = coll_last_tag(c)};
}

/* Is it a call on a file that is open?  Its _c form and its bindings have one name. */
static bool check_is_of_file(enum coll_maker maker)
{
	return maker >= COLL_FILE_CLOSE && maker <= COLL_FILE_WRITE_ORDERED_BEGIN;
}

int coll_check_constructor(struct comm *c, enum coll_maker maker)
{
	struct coll_args k;

	coll_calls_begin_maker(c, maker);
	k = check_args_constructor(c);
	return check_run_name(&k, check_is_of_file(maker) ? &maker : NULL);
}

int coll_check_constructor_begin(struct comm *c, enum coll_maker maker, struct req **comparison)
{
	struct coll_args k = check_args_constructor(c);

	return coll_sched_begin(
		&k, check_constructor_steps, check_is_of_file(maker) ? &maker : NULL, comparison);
}
