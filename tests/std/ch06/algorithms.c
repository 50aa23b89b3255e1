// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=5,17 time=60 */
/* RUN np=4,17 time=60 env="HAFT_COLL=p2p" */
/* RUN np=17 time=60 args="1 0|1|2|3|4|5|6" */
/* MPI-5.0 6.1, 6.12.1 to 6.12.12, 6.13.1 to 6.13.12: all collective calls in their three forms
 * against results that each rank works out alone, on communicators of the first 1, 2, 3 ... ranks,
 * with random lengths, types and roots.  Several nonblocking and persistent ones are open at once,
 * and end in any order.
 *
 *     algorithms [ROUNDS [LIST]]
 *
 * ROUNDS is the number of batches of each form on each communicator; `make long-plans' runs many.
 * LIST is the number of a list of algorithms below, which HAFT_COLL_ALGORITHM gets.
 *
 * A block is `len' ints; sender and receiver may describe it by different types. */
#include "tests/check.h"
#include <mpi.h>
#include <stdint.h>
#include <string.h>

#define BATCH   6    /* calls open at once */
#define RANKS   32   /* no communicator has more */
#define UNIT    6    /* a block is a multiple of it, so that all types fit */
#define LEN_MAX 1800 /* ints of a block */
#define SPACE   2    /* ints of memory for an int of data */

enum { BLOCKING, LATER, AGAIN, FORMS };

enum call {
	BARRIER,
	BCAST,
	GATHER,
	GATHERV,
	SCATTER,
	SCATTERV,
	ALLGATHER,
	ALLGATHERV,
	ALLTOALL,
	ALLTOALLV,
	ALLTOALLW,
	REDUCE,
	ALLREDUCE,
	BLOCK,
	BLOCKS,
	SCAN,
	EXSCAN,
	CALLS
};

/* A type of `w' ints at `at' of `extent'. */
static struct kind {
	MPI_Datatype type;
	int w, at[3], extent;
} kinds[] = {{MPI_DATATYPE_NULL, 1, {0}, 1}, {MPI_DATATYPE_NULL, 3, {0, 1, 2}, 3},
	{MPI_DATATYPE_NULL, 2, {0, 2}, 4}};

/* One call, and its memory. */
struct job {
	enum call call;
	int root, len, ks, kr, salt, in_place;
	int op; /* 0: MPI_SUM, 1: the user's, which does not commute */
	int scounts[RANKS], sdispls[RANKS], rcounts[RANKS], rdispls[RANKS];
	MPI_Datatype stypes[RANKS], rtypes[RANKS];
	int *in, *out;
	MPI_Request req;
};

static int n, me;
static MPI_Comm comm;
static MPI_Datatype affine_type;
static MPI_Op affine;
static uint64_t common, own;

static unsigned random_of(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(*state >> 33);
}

/* Int j of block b of rank r. */
static unsigned algorithm_value(const struct job *o, int r, int b, int j)
{
	return (unsigned)(o->salt * 1009 + r * 31 + b * 7919 + j) * 2654435761u >> 3;
}

static int *algorithm_at(int *mem, const struct kind *k, int j)
{
	return mem + j / k->w * k->extent + k->at[j % k->w];
}

/* x -> a * x + b, first the left one's then the right one's: associative, not commutative. */
static void compose(void *in, void *inout, int *len, MPI_Datatype *type)
{
	const unsigned *l = in;
	unsigned *r = inout;

	(void)type;
	for (int i = 0; i < 2 * *len; i += 2) {
		r[i + 1] += r[i] * l[i + 1];
		r[i] *= l[i];
	}
}

/* The length of rank r's block in the calls that end in v: some are empty. */
static int length_of(const struct job *o, int r)
{
	return (r + o->salt) % 4 == 0 ? 0
				      : (o->len / UNIT * ((r + o->salt) % 3 + 1) + 2) / 3 * UNIT;
}

/* Blocks of different lengths lie in reverse order. */
static void lay_out(const struct job *o, int *counts, int *displs, int k, int same)
{
	int where = 0;

	for (int r = n - 1; r >= 0; r--) {
		int len = length_of(o, same >= 0 ? (r + same) % n : r);

		counts[r] = len / kinds[k].w;
		displs[r] = where;
		where += counts[r];
	}
}

/* --- calling -------------------------------------------------------------------------------- */

#define FORM(big, low, ...)                                        \
	(form == BLOCKING       ? MPI_##big(__VA_ARGS__)           \
		: form == LATER ? MPI_I##low(__VA_ARGS__, &o->req) \
				: MPI_##big##_init(__VA_ARGS__, MPI_INFO_NULL, &o->req))

static int algorithm_move(struct job *o, int form)
{
	MPI_Datatype s = kinds[o->ks].type, r = kinds[o->kr].type;
	int sn = o->len / kinds[o->ks].w, rn = o->len / kinds[o->kr].w;
	void *in = o->in_place ? MPI_IN_PLACE : o->in;

	switch (o->call) {
	case BARRIER: return FORM(Barrier, barrier, comm);
	case BCAST: return FORM(Bcast, bcast, o->out, rn, r, o->root, comm);
	case GATHER:
		return FORM(Gather, gather, me == o->root ? in : o->in, sn, s, o->out, rn, r,
			o->root, comm);
	case GATHERV:
		return FORM(Gatherv, gatherv, o->in, length_of(o, me) / kinds[o->ks].w, s, o->out,
			o->rcounts, o->rdispls, r, o->root, comm);
	case SCATTER: return FORM(Scatter, scatter, o->in, sn, s, o->out, rn, r, o->root, comm);
	case SCATTERV:
		return FORM(Scatterv, scatterv, o->in, o->scounts, o->sdispls, s, o->out,
			length_of(o, me) / kinds[o->kr].w, r, o->root, comm);
	case ALLGATHER: return FORM(Allgather, allgather, in, sn, s, o->out, rn, r, comm);
	case ALLGATHERV:
		return FORM(Allgatherv, allgatherv, in, length_of(o, me) / kinds[o->ks].w, s,
			o->out, o->rcounts, o->rdispls, r, comm);
	case ALLTOALL: return FORM(Alltoall, alltoall, in, sn, s, o->out, rn, r, comm);
	case ALLTOALLV:
		return FORM(Alltoallv, alltoallv, o->in, o->scounts, o->sdispls, s, o->out,
			o->rcounts, o->rdispls, r, comm);
	default:
		return FORM(Alltoallw, alltoallw, o->in, o->scounts, o->sdispls, o->stypes, o->out,
			o->rcounts, o->rdispls, o->rtypes, comm);
	}
}

static int reduce(struct job *o, int form)
{
	MPI_Datatype type = o->op ? affine_type : MPI_UNSIGNED;
	MPI_Op op = o->op ? affine : MPI_SUM;
	int len = o->len / (1 + o->op);
	void *in = o->in_place ? MPI_IN_PLACE : o->in;

	switch (o->call) {
	case REDUCE:
		return FORM(Reduce, reduce, me == o->root ? in : o->in, o->out, len, type, op,
			o->root, comm);
	case ALLREDUCE: return FORM(Allreduce, allreduce, in, o->out, len, type, op, comm);
	case BLOCK:
		return FORM(Reduce_scatter_block, reduce_scatter_block, in, o->out, len, type, op,
			comm);
	case BLOCKS:
		return FORM(Reduce_scatter, reduce_scatter, in, o->out, o->rcounts, type, op, comm);
	case SCAN: return FORM(Scan, scan, in, o->out, len, type, op, comm);
	default: return FORM(Exscan, exscan, in, o->out, len, type, op, comm);
	}
}

/* --- what goes in --------------------------------------------------------------------------- */

static int takes_in_place(enum call v)
{
	return v == GATHER || v == ALLGATHER || v == ALLGATHERV || v == ALLTOALL || v >= REDUCE;
}

static void algorithm_set(struct job *o, int *mem, int k, int first, int r, int b, int len)
{
	for (int j = 0; j < len; j++)
		*algorithm_at(mem + first * kinds[k].extent, &kinds[k], j) =
			(int)algorithm_value(o, r, b, j);
}

/* Operands are n blocks one behind the other for those that scatter, else one. */
static int operand_len(const struct job *o)
{
	int all = 0;

	if (o->call != BLOCKS)
		return o->call == BLOCK ? n * o->len : o->len;
	for (int r = 0; r < n; r++)
		all += o->rcounts[r];
	return all * (1 + o->op);
}

static void algorithm_fill(struct job *o)
{
	int k = o->in_place ? o->kr : o->ks, w = kinds[k].w;
	int *mem = o->in_place && (o->call != REDUCE || me == o->root) ? o->out : o->in;

	memset(o->in, 0x5a, sizeof(int) * (size_t)n * LEN_MAX * SPACE);
	memset(o->out, 0x77, sizeof(int) * (size_t)n * LEN_MAX * SPACE);
	if (o->call >= REDUCE) {
		for (int j = 0; j < operand_len(o); j++)
			mem[j] = (int)algorithm_value(o, me, 0, j);
	} else if (o->call == BCAST) {
		algorithm_set(o, o->out, o->kr, 0, o->root, 0, me == o->root ? o->len : 0);
	} else if (o->call == GATHER) {
		if (me == o->root && o->in_place)
			algorithm_set(o, o->out, k, me * (o->len / w), me, 0, o->len);
		algorithm_set(o, o->in, o->ks, 0, me, 0, o->len);
	} else if (o->call == ALLGATHER) {
		algorithm_set(o, mem, k, o->in_place ? me * (o->len / w) : 0, me, 0, o->len);
	} else if (o->call == GATHERV || o->call == ALLGATHERV) {
		algorithm_set(o, mem, k, o->in_place ? o->rdispls[me] : 0, me, 0, length_of(o, me));
	} else if (o->call == SCATTER || o->call == ALLTOALL) {
		for (int b = 0; b < n; b++)
			algorithm_set(o, mem, k, b * (o->len / w), me, b, o->len);
	} else {
		for (int b = 0; b < n; b++)
			algorithm_set(o, o->in, o->ks, o->sdispls[b], me, b, o->scounts[b] * w);
	}
}

static struct job *prepare(struct job *o)
{
	static const int max[] = {1, 2, 8, 40, 200, LEN_MAX / UNIT};

	o->call = (enum call)(random_of(&common) % CALLS);
	o->root = (int)(random_of(&common) % (unsigned)n);
	o->len = (int)(random_of(&common) % (unsigned)max[random_of(&common) % 6] + 1) * UNIT;
	if (random_of(&common) % 12 == 0)
		o->len = 0;
	o->salt = (int)(random_of(&common) % 100000);
	o->op = (int)(random_of(&common) % 2);
	o->in_place = random_of(&common) % 3 == 0 && takes_in_place(o->call);
	o->ks = (int)(random_of(&own) % 3);
	o->kr = (int)(random_of(&own) % 3);
	o->req = MPI_REQUEST_NULL;
	if (o->call == ALLTOALLV || o->call == ALLTOALLW) {
		lay_out(o, o->scounts, o->sdispls, o->ks, me);
		lay_out(o, o->rcounts, o->rdispls, o->kr, me);
	} else {
		lay_out(o, o->scounts, o->sdispls, o->ks, -1);
		lay_out(o, o->rcounts, o->rdispls, o->kr, -1);
	}
	for (int r = 0; r < n && o->call == BLOCKS; r++)
		o->rcounts[r] = length_of(o, r) / (1 + o->op);
	algorithm_fill(o);
	for (int r = 0; r < n && o->call == ALLTOALLW; r++) {
		o->sdispls[r] *= kinds[o->ks].extent * (int)sizeof(int);
		o->rdispls[r] *= kinds[o->kr].extent * (int)sizeof(int);
		o->stypes[r] = kinds[o->ks].type;
		o->rtypes[r] = kinds[o->kr].type;
	}
	return o;
}

/* --- what comes out ------------------------------------------------------------------------- */

static void algorithm_wrong(const struct job *o, int form, int j, unsigned got, unsigned want)
{
	fprintf(stderr,
		"rank %d of %d, verb %d, form %d, root %d, len %d, op %d, in place %d: [%d] = %u, "
		"not %u\n",
		me, n, (int)o->call, form, o->root, o->len, o->op, o->in_place, j, got, want);
	expect(0);
}

/* Block of rank r, its b-th, from element `first' of out on. */
static void algorithm_same(const struct job *o, int form, int first, int r, int b, int len)
{
	const struct kind *k = &kinds[o->kr];

	for (int j = 0; j < len; j++) {
		unsigned got = (unsigned)*algorithm_at(o->out + first * k->extent, k, j);

		if (got != algorithm_value(o, r, b, j)) {
			algorithm_wrong(o, form, j, got, algorithm_value(o, r, b, j));
			return;
		}
	}
}

/* Elements [first, first + len) of the operands of ranks below `upto', combined from the left. */
static void folded(const struct job *o, int form, int first, int len, int upto)
{
	for (int j = 0; j < len; j++) {
		unsigned want = 0, a = 1, b = 0;
		int even = (first + j) / 2 * 2;

		for (int r = 0; r < upto; r++) {
			unsigned ra = algorithm_value(o, r, 0, even),
				 rb = algorithm_value(o, r, 0, even + 1);

			want += algorithm_value(o, r, 0, first + j);
			b = rb + ra * b;
			a *= ra;
		}
		if (o->op)
			want = (first + j) % 2 == 0 ? a : b;
		if ((unsigned)o->out[j] != want) {
			algorithm_wrong(o, form, j, (unsigned)o->out[j], want);
			return;
		}
	}
}

static void check_reduction(const struct job *o, int form)
{
	int first = 0;

	if (o->call == BLOCKS) {
		for (int r = 0; r < me; r++)
			first += o->rcounts[r] * (1 + o->op);
		folded(o, form, first, o->rcounts[me] * (1 + o->op), n);
	} else if (o->call == BLOCK) {
		folded(o, form, me * o->len, o->len, n);
	} else if (o->call == SCAN) {
		folded(o, form, 0, o->len, me + 1);
	} else if (o->call == ALLREDUCE || (o->call == REDUCE && me == o->root)) {
		folded(o, form, 0, o->len, n);
	} else if (o->call == EXSCAN && me > 0) {
		folded(o, form, 0, o->len, me);
	}
}

static void algorithm_check(const struct job *o, int form)
{
	int w = kinds[o->kr].w, scale = o->call == ALLTOALLW ? kinds[o->kr].extent * 4 : 1;

	if (o->call >= REDUCE) {
		check_reduction(o, form);
	} else if (o->call == BCAST) {
		algorithm_same(o, form, 0, o->root, 0, o->len);
	} else if (o->call == SCATTER) {
		algorithm_same(o, form, 0, o->root, me, o->len);
	} else if (o->call == SCATTERV) {
		algorithm_same(o, form, 0, o->root, me, length_of(o, me));
	} else if (o->call == GATHER || o->call == ALLGATHER || o->call == ALLTOALL) {
		for (int r = 0; r < n && (o->call != GATHER || me == o->root); r++)
			algorithm_same(
				o, form, r * (o->len / w), r, o->call == ALLTOALL ? me : 0, o->len);
	} else if (o->call != BARRIER) {
		for (int r = 0; r < n && (o->call != GATHERV || me == o->root); r++)
			algorithm_same(o, form, o->rdispls[r] / scale, r,
				o->call < ALLTOALLV ? 0 : me, o->rcounts[r] * w);
	}
}

/* --- batches -------------------------------------------------------------------------------- */

static void end_all(struct job *jobs)
{
	for (int left = BATCH; left > 0; left--) {
		int i = (int)(random_of(&own) % BATCH), flag = 0;

		while (jobs[i].req == MPI_REQUEST_NULL && i < BATCH - 1)
			i++;
		if (random_of(&own) % 2)
			expect_ok(MPI_Test(&jobs[i].req, &flag, MPI_STATUS_IGNORE));
		else
			expect_ok(MPI_Wait(&jobs[i].req, MPI_STATUS_IGNORE));
	}
	for (int i = 0; i < BATCH; i++)
		expect_ok(MPI_Wait(&jobs[i].req, MPI_STATUS_IGNORE));
}

static void batch(struct job *jobs, int form)
{
	for (int i = 0; i < BATCH; i++) {
		struct job *o = prepare(&jobs[i]);

		expect_ok(o->call >= REDUCE ? reduce(o, form) : algorithm_move(o, form));
	}
	for (int again = form == AGAIN ? 3 : 0; again > 0; again--) {
		for (int i = 0; i < BATCH; i++)
			expect_ok(MPI_Start(&jobs[i].req));
		end_all(jobs);
		for (int i = 0; i < BATCH; i++) {
			struct job *o = &jobs[i];

			algorithm_check(o, form);
			for (int r = 0; r < n && o->call == ALLTOALLW; r++)
				o->sdispls[r] /= kinds[o->ks].extent * (int)sizeof(int);
			o->salt += 12; /* so that lengths stay */
			algorithm_fill(o);
			for (int r = 0; r < n && o->call == ALLTOALLW; r++)
				o->sdispls[r] *= kinds[o->ks].extent * (int)sizeof(int);
		}
	}
	if (form == LATER)
		end_all(jobs);
	for (int i = 0; i < BATCH; i++) {
		if (form == AGAIN)
			expect_ok(MPI_Request_free(&jobs[i].req));
		else
			algorithm_check(&jobs[i], form);
	}
}

static void make_types(void)
{
	MPI_Datatype gap;

	kinds[0].type = MPI_INT;
	MPI_Type_contiguous(3, MPI_INT, &kinds[1].type);
	MPI_Type_vector(2, 1, 2, MPI_INT, &gap);
	MPI_Type_create_resized(gap, 0, 4 * sizeof(int), &kinds[2].type);
	MPI_Type_free(&gap);
	MPI_Type_contiguous(2, MPI_UNSIGNED, &affine_type);
	MPI_Type_commit(&kinds[1].type);
	MPI_Type_commit(&kinds[2].type);
	MPI_Type_commit(&affine_type);
	MPI_Op_create(compose, 0, &affine);
}

/* Between them, and those of net/net_hosts, which asserts it, the lists name every algorithm that a
 * user can choose.  The last one has old names. */
static const char *const lists[] = {
	"barrier=binomial,bcast=scatter_allgather,gather=linear,scatter=linear,allgather=ring,"
	"alltoall=bruck,alltoallv=pairwise,alltoallw=pairwise,reduce=rabenseifner,"
	"allreduce=rabenseifner,reduce_scatter_block=recursive_halving,"
	"reduce_scatter=recursive_halving,scan=ordered_gather,exscan=ordered_gather",
	"barrier=dissemination,bcast=binomial,gather=binomial,scatter=binomial,allgather=bruck,"
	"alltoall=pairwise,reduce=ordered_gather,allreduce=ordered_gather,allgatherv=ring,"
	"reduce_scatter_block=ordered_scatter,reduce_scatter=ordered_scatter,scan=ordered_chain,"
	"exscan=ordered_chain",
	"bcast=scatter_bruck,allgather=recursive_doubling,alltoall=linear,reduce=ordered_scatter,"
	"allreduce=ordered_scatter,reduce_scatter_block=pairwise,reduce_scatter=pairwise,"
	"scan=recursive_doubling,exscan=recursive_doubling,alltoallv=linear,alltoallw=linear",
	"reduce=binomial,allreduce=ring,reduce_scatter_block=nonoverlapping,"
	"reduce_scatter=nonoverlapping,scan=ordered_scatter,exscan=ordered_scatter",
	"bcast=chain,reduce=chain,allreduce=recursive_doubling,gatherv=linear,scatterv=linear",
	"bcast=binary,reduce=binary",
	"bcast=parts,allgather=doubling,alltoall=spread,reduce=gathered,allreduce=halving,"
	"reduce_scatter_block=reduced,reduce_scatter=shared,scan=chain,exscan=chain",
};

int main(int argc, char **argv)
{
	static struct job jobs[BATCH];
	int all, rank, rounds = argc > 1 ? atoi(argv[1]) : 1;

	if (argc > 2)
		setenv("HAFT_COLL_ALGORITHM", lists[atoi(argv[2])], 0);
	MPI_Init(&argc, &argv);
	MPI_Comm_size(MPI_COMM_WORLD, &all);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	make_types();
	own = (uint64_t)rank + 12345;
	for (int i = 0; i < BATCH; i++) {
		jobs[i].in = malloc(sizeof(int) * RANKS * LEN_MAX * SPACE);
		jobs[i].out = malloc(sizeof(int) * RANKS * LEN_MAX * SPACE);
	}
	for (int size = 1; size <= all; size++) {
		common = (uint64_t)size * 77 + 1;
		MPI_Comm_split(MPI_COMM_WORLD, rank < size ? 0 : MPI_UNDEFINED, rank, &comm);
		if (comm == MPI_COMM_NULL)
			continue;
		MPI_Comm_size(comm, &n);
		MPI_Comm_rank(comm, &me);
		for (int i = 0; i < rounds * FORMS; i++)
			batch(jobs, i % FORMS);
		MPI_Comm_free(&comm);
	}
	for (int i = 0; i < BATCH; i++) {
		free(jobs[i].in);
		free(jobs[i].out);
	}
	MPI_Finalize();
	return check_end();
}
