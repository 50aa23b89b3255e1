// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4 time=240 */
/* RUN np=2 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 11.6: eight threads a rank, all kinds of calls at once */
#include "tests/thread/threads.h"

enum { THREADS = 8, ROUNDS = 60, WORDS = 9000, ANY_TAG_BASE = 5000 };

static MPI_Comm comm[THREADS];

struct me {
	int id;
	unsigned seed;
	MPI_Comm comm; /* of the threads of this number */
	int right, left;
	int *out, *in; /* WORDS each */
};

static int own_word(int from, int id, int round, int i)
{
	return from * 1000003 + id * 10007 + round * 101 + i;
}

static void own_fill(struct me *m, int round, int n)
{
	for (int i = 0; i < n; i++)
		m->out[i] = own_word(check_rank, m->id, round, i);
	memset(m->in, -1, sizeof(int) * (size_t)n);
}

static void own_check(const struct me *m, int from, int round, int n)
{
	for (int i = 0; i < n; i++)
		CHECK(m->in[i] == own_word(from, m->id, round, i));
}

/* Equal in all ranks, so that both sides agree. */
static int own_length(const struct me *m, int round)
{
	static const int of[] = {0, 1, 10, 100, 1000, 5000, WORDS};

	return of[(unsigned)(m->id + round) % (sizeof(of) / sizeof(of[0]))];
}

static void own_ring(struct me *m, int round)
{
	int n = own_length(m, round), tag = m->id;
	MPI_Request r[2];
	MPI_Status s;

	own_fill(m, round, n);
	switch (round % 5) {
	case 0:
		MPI_Sendrecv(m->out, n, MPI_INT, m->right, tag, m->in, n, MPI_INT, m->left, tag,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	case 1:
		MPI_Irecv(m->in, n, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(m->out, n, MPI_INT, m->right, tag, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		break;
	case 2:
		MPI_Issend(m->out, n, MPI_INT, m->right, tag, m->comm, &r[0]);
		MPI_Recv(m->in, WORDS, MPI_INT, m->left, MPI_ANY_TAG, m->comm, &s);
		CHECK(s.MPI_SOURCE == m->left && s.MPI_TAG == tag);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
		break;
	case 3:
		MPI_Irecv(m->in, n, MPI_INT, m->left, tag, m->comm, &r[0]);
		MPI_Send(m->out, n, MPI_INT, m->right, tag, m->comm);
		for (int done = 0; !done;)
			MPI_Test(&r[0], &done, MPI_STATUS_IGNORE);
		break;
	default:
		MPI_Isend(m->out, n, MPI_INT, m->right, tag, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(m->in, n, MPI_INT, m->left, tag, MPI_COMM_WORLD, &r[1]);
		for (int left = 2; left > 0;) {
			int count, which[2];

			MPI_Waitsome(2, r, &count, which, MPI_STATUSES_IGNORE);
			left -= count;
		}
	}
	own_check(m, m->left, round, n);
}

/* Matched probes by all threads of a rank at once: each message is got once. */
static void probes(struct me *m, int round)
{
	int n = 1 + m->id, count, flag = 0;
	MPI_Message msg;
	MPI_Status s;

	own_fill(m, round, n);
	m->out[0] = m->id;
	MPI_Send(m->out, n, MPI_INT, m->right, ANY_TAG_BASE + round, MPI_COMM_WORLD);
	if (m->id % 2 == 0)
		MPI_Mprobe(m->left, ANY_TAG_BASE + round, MPI_COMM_WORLD, &msg, &s);
	while (m->id % 2 != 0 && !flag)
		MPI_Improbe(MPI_ANY_SOURCE, ANY_TAG_BASE + round, MPI_COMM_WORLD, &flag, &msg, &s);
	MPI_Get_count(&s, MPI_INT, &count);
	MPI_Mrecv(m->in, count, MPI_INT, &msg, MPI_STATUS_IGNORE);
	CHECK(count == m->in[0] + 1);
	for (int i = 1; i < count; i++)
		CHECK(m->in[i] == own_word(m->left, m->in[0], round, i));
}

static void own_collectives(struct me *m, int round)
{
	int n = 1 + own_length(m, round) / check_size, root = round % check_size, sum = 0;

	for (int i = 0; i < n; i++)
		m->out[i] = own_word(check_rank, m->id, round, i);
	MPI_Allreduce(m->out, m->in, n, MPI_INT, MPI_SUM, m->comm);
	for (int r = 0; r < check_size; r++)
		sum += own_word(r, m->id, round, n - 1);
	CHECK(m->in[n - 1] == sum);
	MPI_Bcast(m->out, n, MPI_INT, root, m->comm);
	CHECK(m->out[n - 1] == own_word(root, m->id, round, n - 1));
	MPI_Barrier(m->comm);
}

static int copies;

static int own_copy(MPI_Comm old, int key, void *extra, void *in, void *out, int *flag)
{
	int rank;

	(void)key;
	(void)extra;
	MPI_Comm_rank(old, &rank);
	CHECK(rank == check_rank);
	*(void **)out = in;
	*flag = 1;
	__atomic_fetch_add(&copies, 1, __ATOMIC_RELAXED);
	return MPI_SUCCESS;
}

static int own_gone(MPI_Comm old, int key, void *value, void *extra)
{
	(void)old;
	(void)key;
	(void)extra;
	CHECK(value == &copies);
	__atomic_fetch_sub(&copies, 1, __ATOMIC_RELAXED);
	return MPI_SUCCESS;
}

/* Objects come and go in all threads, with callbacks. */
static void objects(struct me *m, int round)
{
	int key, n = 0, in = 0, flag;
	MPI_Datatype t;
	MPI_Group g;
	MPI_Comm dup;
	MPI_Info info;
	void *value;

	MPI_Comm_create_keyval(own_copy, own_gone, &key, NULL);
	MPI_Comm_set_attr(m->comm, key, &copies);
	__atomic_fetch_add(&copies, 1, __ATOMIC_RELAXED);
	MPI_Comm_dup(m->comm, &dup);
	MPI_Comm_get_attr(dup, key, &value, &flag);
	CHECK(flag && value == &copies);
	MPI_Comm_size(dup, &n);
	CHECK(n == check_size);
	MPI_Sendrecv(&round, 1, MPI_INT, m->right, 3, &in, 1, MPI_INT, m->left, 3, dup,
		MPI_STATUS_IGNORE);
	CHECK(in == round);
	MPI_Comm_free(&dup);
	MPI_Comm_delete_attr(m->comm, key);
	MPI_Comm_free_keyval(&key);
	MPI_Type_vector(3, 1, 2, MPI_INT, &t);
	MPI_Type_commit(&t);
	MPI_Sendrecv(m->out, 2, t, m->right, 4, m->in, 6, MPI_INT, m->left, 4, m->comm,
		MPI_STATUS_IGNORE);
	MPI_Type_free(&t);
	MPI_Comm_group(m->comm, &g);
	MPI_Group_size(g, &n);
	CHECK(n == check_size);
	MPI_Group_free(&g);
	MPI_Info_create(&info);
	MPI_Info_set(info, "thread", "x");
	MPI_Info_get_nkeys(info, &n);
	CHECK(n == 1);
	MPI_Info_free(&info);
}

/* Handlers run in the thread of the call that failed, which may call MPI from there; its words are
 * its own. */
static __thread int handled;

static void own_handler(MPI_Comm *c, int *code, ...)
{
	int rank;

	MPI_Comm_rank(*c, &rank);
	CHECK(rank == check_rank && *code == MPI_ERR_RANK);
	handled++;
}

static void own_errors(struct me *m)
{
	char text[MPI_MAX_ERROR_STRING], want[32];
	MPI_Errhandler e;
	int len;

	MPI_Comm_create_errhandler(own_handler, &e);
	MPI_Comm_set_errhandler(m->comm, e);
	MPI_Errhandler_free(&e);
	handled = 0;
	CHECK(MPI_Send(NULL, 0, MPI_INT, 1000 + m->id, 0, m->comm) == MPI_ERR_RANK);
	CHECK(handled == 1);
	MPI_Error_string(MPI_ERR_RANK, text, &len);
	snprintf(want, sizeof(want), "dest %d", 1000 + m->id);
	CHECK(strstr(text, want) != NULL);
	MPI_Comm_set_errhandler(m->comm, MPI_ERRORS_ARE_FATAL);
}

/* A user's operation calls MPI too; and other threads go on meanwhile. */
static void own_sum(void *a, void *b, int *n, MPI_Datatype *type)
{
	int size;

	MPI_Type_size(*type, &size);
	CHECK(size == (int)sizeof(int));
	for (int i = 0; i < *n; i++)
		((int *)b)[i] += ((int *)a)[i];
}

static void operations(struct me *m)
{
	int one = 1, all = 0;
	MPI_Request r[2];
	MPI_Op op;

	MPI_Op_create(own_sum, 1, &op);
	MPI_Allreduce(&one, &all, 1, MPI_INT, op, m->comm);
	CHECK(all == check_size);
	all = 0;
	MPI_Iallreduce(&one, &all, 1, MPI_INT, op, m->comm, &r[0]);
	MPI_Ibarrier(m->comm, &r[1]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	CHECK(all == check_size);
	MPI_Op_free(&op);
}

static void own_work(int id)
{
	struct me m = {.id = id,
		.seed = (unsigned)id,
		.comm = comm[id],
		.right = (check_rank + 1) % check_size,
		.left = (check_rank + check_size - 1) % check_size,
		.out = malloc(sizeof(int) * WORDS),
		.in = malloc(sizeof(int) * WORDS)};

	for (int round = 0; round < ROUNDS; round++) {
		own_ring(&m, round);
		if (round % 2 == 0)
			probes(&m, round);
		if (round % 3 == 0)
			own_collectives(&m, round);
		if (round % 4 == 0)
			objects(&m, round);
		if (round % 5 == 0)
			own_errors(&m);
		if (round % 6 == 0)
			operations(&m);
	}
	free(m.out);
	free(m.in);
}

int main(int argc, char **argv)
{
	threads_init(&argc, &argv);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
	threads_run(THREADS, own_work);
	CHECK(copies == 0);
	for (int i = 0; i < THREADS; i++)
		MPI_Comm_free(&comm[i]);
	MPI_Finalize();
	return 0;
}
