// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4 */
/* RUN np=4 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 4.2.1, 4.2.2: partitioned sends and receives in a ring */
#include "tests/check.h"

#include <mpi.h>
#include <string.h>

enum { BYTES_MAX = 1 << 20, ROUNDS = 4 };

static int rank, size, right, left;
static unsigned char out[BYTES_MAX], in[BYTES_MAX];

static void part_fill(int n, int round)
{
	for (int i = 0; i < n; i++)
		out[i] = (unsigned char)(i * 7 + rank + round * 13 + (i >> 9));
	memset(in, 0, (size_t)n);
}

static int right_bytes(int from, int to, int round)
{
	int good = 1;

	for (int i = from; i < to; i++)
		good &= in[i] == (unsigned char)(i * 7 + left + round * 13 + (i >> 9));
	return good;
}

static void part_ring_init(int sends, int recvs, int bytes, MPI_Request r[2])
{
	expect_ok(MPI_Psend_init(out, sends, bytes / sends, MPI_BYTE, right, 5, MPI_COMM_WORLD,
		MPI_INFO_NULL, &r[0]));
	expect_ok(MPI_Precv_init(
		in, recvs, bytes / recvs, MPI_BYTE, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
}

/* 4.2.1: any number of partitions on either side, in any order, again and again */
static void part_counts(int sends, int recvs, int bytes)
{
	MPI_Request r[2];
	MPI_Status s[2];
	int n;

	part_ring_init(sends, recvs, bytes, r);
	for (int round = 0; round < ROUNDS; round++) {
		part_fill(bytes, round);
		if (round % 2 == 0)
			expect_ok(MPI_Startall(2, r));
		else
			expect_ok(MPI_Start(&r[0]) + MPI_Start(&r[1]));
		for (int i = 0; i < sends; i++)
			expect_ok(MPI_Pready(round % 2 == 0 ? i : (i * 11 + 3) % sends, r[0]));
		expect_ok(MPI_Waitall(2, r, s));
		expect(right_bytes(0, bytes, round));
		expect_ok(MPI_Get_count(&s[1], MPI_BYTE, &n));
		expect_eq(n, bytes);
		expect_eq(s[1].MPI_SOURCE, left);
		expect_eq(s[1].MPI_TAG, 5);
		expect(r[0] != MPI_REQUEST_NULL && r[1] != MPI_REQUEST_NULL);
	}
	expect_ok(MPI_Request_free(&r[0]));
	expect_ok(MPI_Request_free(&r[1]));
	expect(r[0] == MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
}

/* 4.2.1: MPI_Pready_range and MPI_Pready_list */
static void part_several(void)
{
	int list[] = {9, 0, 4}, none[1] = {0}, bytes = 100000;
	MPI_Request r[2];

	part_ring_init(10, 4, bytes, r);
	part_fill(bytes, 1);
	expect_ok(MPI_Startall(2, r));
	expect_ok(MPI_Pready_range(5, 8, r[0]));
	expect_ok(MPI_Pready_list(0, none, r[0]));
	expect_ok(MPI_Pready_list(3, list, r[0]));
	expect_ok(MPI_Pready_range(1, 3, r[0]));
	expect_ok(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	expect(right_bytes(0, bytes, 1));
	expect_ok(MPI_Request_free(&r[0]));
	expect_ok(MPI_Request_free(&r[1]));
}

/* 4.2.2: a partition arrives although others are not ready; a null or inactive one has arrived */
static void part_arrived(int bytes)
{
	MPI_Request r[2], none = MPI_REQUEST_NULL;
	int flag = 0, done;

	expect_ok(MPI_Parrived(none, 0, &flag));
	expect_eq(flag, 1);
	part_ring_init(8, 4, bytes, r);
	flag = 0;
	expect_ok(MPI_Parrived(r[1], 3, &flag));
	expect_eq(flag, 1);
	part_fill(bytes, 2);
	expect_ok(MPI_Startall(2, r));
	expect_ok(MPI_Pready_range(2, 3, r[0]));
	for (flag = 0; !flag;)
		expect_ok(MPI_Parrived(r[1], 1, &flag));
	expect(right_bytes(bytes / 4, bytes / 2, 2));
	expect_ok(MPI_Parrived(r[1], 0, &flag));
	expect_eq(flag, 0);
	expect_ok(MPI_Test(&r[1], &done, MPI_STATUS_IGNORE));
	expect_eq(done, 0);
	expect_ok(MPI_Barrier(MPI_COMM_WORLD));
	expect_ok(MPI_Pready_range(0, 1, r[0]));
	expect_ok(MPI_Pready_range(4, 7, r[0]));
	for (int i = 0; i < 4; i++)
		for (flag = 0; !flag;)
			expect_ok(MPI_Parrived(r[1], i, &flag));
	expect(right_bytes(0, bytes, 2));
	expect_ok(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	expect_ok(MPI_Request_free(&r[0]));
	expect_ok(MPI_Request_free(&r[1]));
}

/* 4.2.1: the order of the init calls is the order of matching, whatever is started first; and
 * ordinary messages with the same tag have nothing to do with it */
static void order(void)
{
	enum { N = 3 };
	int to[N], from[N] = {-1, -1, -1}, simple = 77, got = 0;
	MPI_Request s[N], r[N], p;

	expect_ok(MPI_Irecv(&got, 1, MPI_INT, left, 5, MPI_COMM_WORLD, &p));
	for (int i = 0; i < N; i++) {
		to[i] = 100 * rank + i;
		expect_ok(MPI_Psend_init(
			&to[i], 1, 1, MPI_INT, right, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &s[i]));
	}
	for (int i = 0; i < N; i++)
		expect_ok(MPI_Precv_init(
			&from[i], 1, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[i]));
	for (int i = N - 1; i >= 0; i--) {
		expect_ok(MPI_Start(&r[(i + 1) % N]));
		expect_ok(MPI_Start(&s[i]));
		expect_ok(MPI_Pready(0, s[i]));
	}
	expect_ok(MPI_Send(&simple, 1, MPI_INT, right, 5, MPI_COMM_WORLD));
	expect_ok(MPI_Wait(&p, MPI_STATUS_IGNORE));
	expect_eq(got, 77);
	expect_ok(MPI_Waitall(N, s, MPI_STATUSES_IGNORE));
	expect_ok(MPI_Waitall(N, r, MPI_STATUSES_IGNORE));
	for (int i = 0; i < N; i++) {
		expect_eq(from[i], 100 * left + i);
		expect_ok(MPI_Request_free(&s[i]));
		expect_ok(MPI_Request_free(&r[i]));
	}
}

/* 4.2.3: count and datatype describe one partition; the two sides may have different ones */
static void part_types(void)
{
	enum { N = 300, PARTS = 20 };
	MPI_Datatype gaps;
	MPI_Request r[2];
	int *sparse = (int *)(void *)out, *dense = (int *)(void *)in, good = 1;

	expect_ok(MPI_Type_vector(N, 1, 2, MPI_INT, &gaps));
	expect_ok(MPI_Type_commit(&gaps));
	memset(in, 0, sizeof(int) * N * PARTS);
	expect_ok(MPI_Psend_init(
		sparse, PARTS, 1, gaps, right, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
	expect_ok(MPI_Precv_init(
		dense, 3, N * PARTS / 3, MPI_INT, left, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
	for (int i = 0; i < PARTS * (2 * N - 1); i++)
		sparse[i] = rank * 1000000 + i;
	expect_ok(MPI_Startall(2, r));
	for (int i = PARTS - 1; i >= 0; i--)
		expect_ok(MPI_Pready(i, r[0]));
	expect_ok(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	for (int i = 0; i < N * PARTS; i++)
		good &= dense[i] == left * 1000000 + i / N * (2 * N - 1) + i % N * 2;
	expect(good);
	expect_ok(MPI_Request_free(&r[0]));
	expect_ok(MPI_Request_free(&r[1]));
	expect_ok(MPI_Type_free(&gaps));
}

/* No data at all; MPI_PROC_NULL; a request that is never started */
static void part_nothing(void)
{
	MPI_Request r[2];
	MPI_Status s[2];

	for (int round = 0; round < 2; round++) {
		part_ring_init(3, 2, 0, r);
		expect_ok(MPI_Startall(2, r));
		expect_ok(MPI_Pready_range(0, 2, r[0]));
		expect_ok(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
		expect_ok(MPI_Request_free(&r[0]));
		expect_ok(MPI_Request_free(&r[1]));
		part_ring_init(3, 2, 6, r);
		expect_ok(MPI_Request_free(&r[round]));
		expect_ok(MPI_Request_free(&r[!round]));
	}
	expect_ok(MPI_Psend_init(
		out, 2, 1, MPI_BYTE, MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
	expect_ok(MPI_Precv_init(
		in, 2, 1, MPI_BYTE, MPI_PROC_NULL, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
	expect_ok(MPI_Startall(2, r));
	expect_ok(MPI_Pready_range(0, 1, r[0]));
	expect_ok(MPI_Waitall(2, r, s));
	expect_eq(s[1].MPI_SOURCE, MPI_PROC_NULL);
	expect_eq(s[1].MPI_TAG, MPI_ANY_TAG);
	expect_ok(MPI_Request_free(&r[0]));
	expect_ok(MPI_Request_free(&r[1]));
}

/* 4.2.1: MPI_Pready is local: the receiver may start later */
static void part_local(void)
{
	int a = 3, b = 0, go = 0;
	MPI_Request r[2];

	expect_ok(
		MPI_Psend_init(&a, 1, 1, MPI_INT, right, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]));
	expect_ok(MPI_Start(&r[0]));
	expect_ok(MPI_Pready(0, r[0]));
	expect_ok(MPI_Sendrecv(&a, 1, MPI_INT, right, 7, &go, 1, MPI_INT, left, 7, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE));
	expect_ok(MPI_Precv_init(&b, 1, 1, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]));
	expect_ok(MPI_Start(&r[1]));
	expect_ok(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
	expect_eq(go, 3);
	expect_eq(b, 3);
	expect_ok(MPI_Request_free(&r[0]));
	expect_ok(MPI_Request_free(&r[1]));
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	right = (rank + 1) % size;
	left = (rank + size - 1) % size;
	for (int self = 0; self < 2; self++) {
		part_counts(1, 1, 8);
		part_counts(8, 8, 64);
		part_counts(60, 4, 2400);
		part_counts(4, 60, 2400);
		part_counts(7, 5, 35 * 3001);
		part_counts(16, 1, 1 << 19);
		part_counts(1, 64, 1 << 18);
		part_counts(1000, 999, 999000);
		part_counts(2, 4, BYTES_MAX);
		part_several();
		part_arrived(400);
		part_arrived(800000);
		order();
		part_types();
		part_nothing();
		part_local();
		right = left = rank;
	}
	MPI_Finalize();
	return check_end();
}
