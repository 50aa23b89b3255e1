// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,3 */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 15.3.2, 15.3.7.4: variables that are bound to a communicator, with an element for each
 * rank: a communication matrix.  It is that of the messages, whatever way they went. */
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>

typedef unsigned long long num;

enum { MAX = 8, BIG = 300000 };

static MPI_T_pvar_session session;
static char out[BIG], in[BIG];

struct matrix {
	MPI_T_pvar_handle handle[4]; /* messages and bytes sent, messages and bytes received */
	num want[4][MAX];
};

static void matrix_open(struct matrix *m, MPI_Comm comm, int size)
{
	static const struct {
		const char *name;
		int class;
	} vars[] = {{"sent_msgs", MPI_T_PVAR_CLASS_COUNTER},
		{"sent_bytes", MPI_T_PVAR_CLASS_AGGREGATE},
		{"received_msgs", MPI_T_PVAR_CLASS_COUNTER},
		{"received_bytes", MPI_T_PVAR_CLASS_AGGREGATE}};

	memset(m, 0, sizeof(*m));
	for (int k = 0; k < 4; k++) {
		int i, count, bind;

		OK(MPI_T_pvar_get_index(vars[k].name, vars[k].class, &i));
		OK(MPI_T_pvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind,
			NULL, NULL, NULL));
		CHECK(bind == MPI_T_BIND_MPI_COMM);
		OK(MPI_T_pvar_handle_alloc(session, i, &comm, &m->handle[k], &count));
		CHECK(count == size);
	}
}

static void matrix_check(struct matrix *m, int size)
{
	for (int k = 0; k < 4; k++) {
		num have[MAX] = {0};

		OK(MPI_T_pvar_read(session, m->handle[k], have));
		for (int i = 0; i < size; i++) {
			if (have[i] != m->want[k][i])
				fprintf(stderr, "rank %d: %d: peer %d: %llu, not %llu\n",
					check_rank, k, i, have[i], m->want[k][i]);
			CHECK(have[i] == m->want[k][i]);
		}
	}
}

/* A message of n bytes to a rank, and one of n bytes from another. */
static void expect_one(struct matrix *m, int to, int from, int n)
{
	m->want[0][to]++;
	m->want[1][to] += (num)n;
	m->want[2][from]++;
	m->want[3][from] += (num)n;
}

/* Each kind of send and of receive. */
static void traffic_exchange(struct matrix *m, MPI_Comm comm, int to, int from, int n)
{
	MPI_Request r, p[2];
	MPI_Message msg;
	int size = n;

	OK(MPI_Irecv(in, BIG, MPI_CHAR, from, 0, comm, &r));
	OK(MPI_Send(out, n, MPI_CHAR, to, 0, comm));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	expect_one(m, to, from, n);
	OK(MPI_Isend(out, n, MPI_CHAR, to, 1, comm, &r));
	OK(MPI_Recv(in, BIG, MPI_CHAR, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	expect_one(m, to, from, n);
	OK(MPI_Issend(out, n, MPI_CHAR, to, 2, comm, &r));
	OK(MPI_Mprobe(from, MPI_ANY_TAG, comm, &msg, MPI_STATUS_IGNORE));
	OK(MPI_Mrecv(in, BIG, MPI_CHAR, &msg, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	expect_one(m, to, from, n);
	OK(MPI_Sendrecv(
		out, size, MPI_CHAR, to, 3, in, BIG, MPI_CHAR, from, 3, comm, MPI_STATUS_IGNORE));
	expect_one(m, to, from, n);
	OK(MPI_Send_init(out, n, MPI_CHAR, to, 4, comm, &p[0]));
	OK(MPI_Recv_init(in, n, MPI_CHAR, from, 4, comm, &p[1]));
	for (int i = 0; i < 2; i++) {
		OK(MPI_Startall(2, p));
		OK(MPI_Waitall(2, p, MPI_STATUSES_IGNORE));
		expect_one(m, to, from, n);
	}
	OK(MPI_Request_free(&p[0]));
	OK(MPI_Request_free(&p[1]));
	OK(MPI_Send(out, n, MPI_CHAR, MPI_PROC_NULL, 5, comm));
	OK(MPI_Recv(in, n, MPI_CHAR, MPI_PROC_NULL, 5, comm, MPI_STATUS_IGNORE));
}

static void exchange_sizes(struct matrix *m, MPI_Comm comm, int to, int from)
{
	static const int sizes[] = {0, 8, 3000, BIG};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		traffic_exchange(m, comm, to, from, sizes[i]);
}

/* Messages of other communicators, and those of collective calls, are not among them. */
static void within(void)
{
	int to = (check_rank + 1) % check_size, from = (check_rank + check_size - 1) % check_size;
	struct matrix m, late, none;
	MPI_Comm c, d;
	int x = 1, sum;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &d));
	matrix_open(&m, c, check_size);
	matrix_open(&late, c, check_size);
	matrix_open(&none, d, check_size);
	exchange_sizes(&m, c, to, from);
	memset(m.want, 0, sizeof(m.want));
	matrix_check(&m, check_size); /* not started */
	OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
	exchange_sizes(&m, c, to, from);
	OK(MPI_Allreduce(&x, &sum, 1, MPI_INT, MPI_SUM, c));
	OK(MPI_Bcast(out, 50000, MPI_CHAR, 0, c));
	matrix_check(&m, check_size);
	matrix_check(&none, check_size);
	OK(MPI_T_pvar_stop(session, late.handle[0]));
	OK(MPI_T_pvar_reset(session, late.handle[0]));
	exchange_sizes(&m, c, to, from);
	matrix_check(&m, check_size);
	memcpy(late.want, m.want, sizeof(m.want));
	memset(late.want[0], 0, sizeof(late.want[0]));
	matrix_check(&late, check_size);
	OK(MPI_Comm_free(&d));
	OK(MPI_Comm_free(&c));
	matrix_check(&m, check_size); /* the counts outlive the communicator */
	for (int k = 0; k < 4; k++)
		OK(MPI_T_pvar_handle_free(session, &m.handle[k]));
}

/* Between groups the elements are ranks of the remote one. */
static void traffic_between(void)
{
	int half = check_rank % 2, mine, other;
	MPI_Comm part, inter;
	struct matrix m;

	if (check_size < 2)
		return;
	OK(MPI_Comm_split(MPI_COMM_WORLD, half, 0, &part));
	OK(MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, 1 - half, 0, &inter));
	OK(MPI_Comm_size(inter, &mine));
	OK(MPI_Comm_remote_size(inter, &other));
	matrix_open(&m, inter, other);
	OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
	if (check_rank < 2)
		exchange_sizes(&m, inter, 0, 0);
	matrix_check(&m, other);
	OK(MPI_Comm_free(&inter));
	OK(MPI_Comm_free(&part));
}

/* A handle needs the address of a handle of a communicator. */
static void traffic_wrong(void)
{
	MPI_T_pvar_handle h;
	MPI_Comm null = MPI_COMM_NULL;
	int i, n;

	OK(MPI_T_pvar_get_index("sent_msgs", MPI_T_PVAR_CLASS_COUNTER, &i));
	CHECK(MPI_T_pvar_handle_alloc(session, i, NULL, &h, &n) == MPI_T_ERR_INVALID);
	CHECK(MPI_T_pvar_handle_alloc(session, i, &null, &h, &n) == MPI_T_ERR_INVALID);
}

int main(int argc, char **argv)
{
	int provided;

	check_init(&argc, &argv);
	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	OK(MPI_T_pvar_session_create(&session));
	within();
	traffic_between();
	traffic_wrong();
	OK(MPI_T_finalize());
	MPI_Finalize();
	return 0;
}
