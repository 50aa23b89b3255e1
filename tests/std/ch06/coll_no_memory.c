// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,5 env="HAFT_COLL=p2p HAFT_VIA=auto" */
/* MPI-5.0 9.3, 6.1: one member has no memory for the steps of a collective call.  It says so, and
 * so do all whose result depends on it; no member waits for ever, and the next call is right. */
#include "tests/check.h"
#include "tests/failing_malloc.h"

#define BIG   1000  /* bytes: steps and copies of data, not the envelope of a message */
#define SHORT 1     /* elements */
#define LONG  30000 /* more than is sent unasked */
#define HELD  9     /* calls that keep all schedules that Haft has in store */

/* --- calls ---------------------------------------------------------------------------------- */

enum coll_call {
	BARRIER,
	BCAST,
	GATHER,
	SCATTER,
	ALLGATHER,
	ALLTOALL,
	REDUCE,
	ALLREDUCE,
	REDUCE_SCATTER,
	SCAN,
	CALLS
};

enum form { NOW, LATER, AGAIN, FORMS };

static int *in, *out; /* LONG a rank */
static MPI_Comm comm;

/* The call of the form, NULL for the request of a call without. */
#define CALL(name, ...)                                             \
	(form == NOW            ? MPI_##name(__VA_ARGS__, comm)     \
		: form == LATER ? MPI_I##name(__VA_ARGS__, comm, r) \
				: MPI_##name##_init(__VA_ARGS__, comm, MPI_INFO_NULL, r))

static int scarce_start(enum coll_call v, enum form form, int n, int root, MPI_Request *r)
{
	switch (v) {
	case BARRIER:
		if (form == NOW)
			return MPI_Barrier(comm);
		return form == LATER ? MPI_Ibarrier(comm, r)
				     : MPI_Barrier_init(comm, MPI_INFO_NULL, r);
#define MPI_IBcast MPI_Ibcast
	case BCAST: return CALL(Bcast, check_rank == root ? in : out, n, MPI_INT, root);
#define MPI_IGather MPI_Igather
	case GATHER: return CALL(Gather, in, n, MPI_INT, out, n, MPI_INT, root);
#define MPI_IScatter MPI_Iscatter
	case SCATTER: return CALL(Scatter, in, n, MPI_INT, out, n, MPI_INT, root);
#define MPI_IAllgather MPI_Iallgather
	case ALLGATHER: return CALL(Allgather, in, n, MPI_INT, out, n, MPI_INT);
#define MPI_IAlltoall MPI_Ialltoall
	case ALLTOALL: return CALL(Alltoall, in, n, MPI_INT, out, n, MPI_INT);
#define MPI_IReduce MPI_Ireduce
	case REDUCE: return CALL(Reduce, in, out, n, MPI_INT, MPI_SUM, root);
#define MPI_IAllreduce MPI_Iallreduce
	case ALLREDUCE: return CALL(Allreduce, in, out, n, MPI_INT, MPI_SUM);
#define MPI_IReduce_scatter_block MPI_Ireduce_scatter_block
	case REDUCE_SCATTER: return CALL(Reduce_scatter_block, in, out, n, MPI_INT, MPI_SUM);
#define MPI_IScan MPI_Iscan
	default: return CALL(Scan, in, out, n, MPI_INT, MPI_SUM);
	}
}

/* If it lacks memory after more allocations, it may have given its data before. */
static int late = INT_MAX;

/* To the end; the first error. */
static int scarce_run(enum coll_call v, enum form form, int n, int root)
{
	MPI_Request r = MPI_REQUEST_NULL;
	int err = scarce_start(v, form, n, root, &r), end = 0;

	no_memory.armed = false;
	if (err != 0 || form == NOW)
		return err;
	if (form == AGAIN)
		OK(MPI_Start(&r));
	end = MPI_Wait(&r, MPI_STATUS_IGNORE);
	if (r != MPI_REQUEST_NULL)
		OK(MPI_Request_free(&r));
	return end;
}

/* Element i of the data of rank `from'. */
static int scarce_given(int from, int i)
{
	return from * 1000 + i % 777;
}

static int result(enum coll_call v, int n, int root, int i)
{
	int sum = 0, last = v == SCAN ? check_rank : check_size - 1;
	int at = v == REDUCE_SCATTER ? check_rank * n + i : i;

	switch (v) {
	case BCAST: return scarce_given(root, i);
	case SCATTER: return scarce_given(root, check_rank * n + i);
	case GATHER:
	case ALLGATHER: return scarce_given(i / n, i % n);
	case ALLTOALL: return scarce_given(i / n, check_rank * n + i % n);
	default:
		for (int r = 0; r <= last; r++)
			sum += scarce_given(r, at);
		return sum;
	}
}

static void scarce_right(enum coll_call v, enum form form, int n, int root)
{
	int blocks = v == GATHER || v == ALLGATHER || v == ALLTOALL ? check_size : 1;

	OK(scarce_run(v, form, n, root));
	if (v == BARRIER || ((v == GATHER || v == REDUCE) && check_rank != root) ||
		(v == BCAST && check_rank == root))
		return;
	for (int i = 0; i < blocks * n; i++)
		CHECK(out[i] == result(v, n, root, i));
}

/* Does what this rank gets depend on what rank who gives? */
static bool depends(enum coll_call v, int root, int who)
{
	switch (v) {
	case BCAST:
	case SCATTER: return who == root;
	case GATHER:
	case REDUCE: return check_rank == root;
	case SCAN: return who <= check_rank;
	default: return true;
	}
}

/* Do the words name the rank that has no memory: by a call of it, or by one of its messages? */
static bool names_rank(const char *words, int who)
{
	char call[64], message[64];

	snprintf(call, sizeof(call), "at rank %d: no memory", who);
	snprintf(message, sizeof(message), "at rank %d of the job: no memory for a message", who);
	return strstr(words, call) != NULL || strstr(words, message) != NULL;
}

/* Rank `who' has no memory after `some' allocations. */
static void scarce_one(enum coll_call v, enum form form, int n, int root, int who, int some)
{
	char words[MPI_MAX_ERROR_STRING];
	MPI_Request held[HELD];
	int err, len, failed[2]; /* at all; and for its steps, not for a message to it */

	for (int i = 0; i < HELD && check_rank == who; i++)
		OK(MPI_Ibarrier(MPI_COMM_WORLD, &held[i]));
	failing_arm(BIG, some, FAILING_ALWAYS);
	no_memory.armed = check_rank == who;
	err = scarce_run(v, form, n, root);
	for (int i = 0; i < check_size && check_rank == who; i++)
		if (i != who)
			OK(MPI_Send(NULL, 0, MPI_INT, i, 0, MPI_COMM_WORLD));
	if (check_rank != who) /* not before: the poor one could then end its own */
		OK(MPI_Recv(NULL, 0, MPI_INT, who, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	for (int i = 0; i < HELD && check_rank != who; i++)
		OK(MPI_Ibarrier(MPI_COMM_WORLD, &held[i]));
	OK(MPI_Waitall(HELD, held, MPI_STATUSES_IGNORE));
	CHECK(err == 0 || err == MPI_ERR_NO_MEM);
	OK(MPI_Error_string(err, words, &len));
	failed[0] = err != 0;
	failed[1] = strstr(words, "no memory for the steps") != NULL;
	OK(MPI_Bcast(failed, 2, MPI_INT, who, MPI_COMM_WORLD));
	CHECK(failed[0] || err == 0);
	CHECK(!failed[1] || some > late || form == AGAIN || err != 0 || !depends(v, root, who));
	CHECK(!failed[1] || form != AGAIN || err != 0);
	CHECK(err == 0 || check_rank == who || names_rank(words, who));
	CHECK(check_rank != who || some > 0 || (no_memory.failures > 0 && failed[0]));
}

static void scarce_each(enum coll_call v, enum form form, int who)
{
	for (int some = 0; some < 4; some++) {
		int n = (some + who) % 2 != 0 ? LONG : SHORT;
		int root = (some / 2 + who) % check_size;

		scarce_one(v, form, n, root, who, some);
		scarce_right(v, form, n, root);
	}
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	late = check_has_remote() ? 0 : INT_MAX; /* phases on each host have steps of their own */
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
	in = malloc((size_t)check_size * LONG * sizeof(*in));
	out = malloc((size_t)check_size * LONG * sizeof(*out));
	CHECK(in != NULL && out != NULL);
	for (int i = 0; i < check_size * LONG; i++)
		in[i] = scarce_given(check_rank, i);
	for (enum coll_call v = 0; v < CALLS; v++)
		for (enum form form = 0; form < FORMS; form++)
			for (int who = 0; who < check_size; who++)
				scarce_each(v, form, who);
	OK(MPI_Comm_free(&comm));
	free(in);
	free(out);
	MPI_Finalize();
	return 0;
}
