/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2 */
/* MPI-5.0 5.2, 5.1.11, 3.2.5: packing, packed messages, and counts of received data. */
#include "tests/std/ch06/values.h"
#include "tests/check.h"

#define COUNT 5

/* Packs COUNT elements of every type, one behind the other; unpacks what came. */
static int pack_all(char *buf, int size, int rank)
{
	_Alignas(16) char x[32 * COUNT];
	int at = 0, need;

	for (int t = 0; t < KINDS; t++) {
		for (int i = 0; i < COUNT; i++)
			kinds[t].put(x + i * kinds[t].extent, OP_SUM, rank, i);
		expect_ok(MPI_Pack_size(COUNT, kinds[t].type, MPI_COMM_WORLD, &need));
		expect_eq(need, COUNT * kinds[t].size);
		expect_ok(MPI_Pack(x, COUNT, kinds[t].type, buf, size, &at, MPI_COMM_WORLD));
	}
	return at;
}

static void unpack_all(char *buf, int size, int rank)
{
	_Alignas(16) char x[32 * COUNT], want[32];
	int at = 0;

	for (int t = 0; t < KINDS; t++) {
		memset(x, 85, sizeof(x));
		expect_ok(MPI_Unpack(buf, size, &at, x, COUNT, kinds[t].type, MPI_COMM_WORLD));
		for (int i = 0; i < COUNT; i++) {
			kinds[t].put(want, OP_SUM, rank, i);
			if (!expect(kinds[t].same(x + i * kinds[t].extent, want)))
				fprintf(stderr, "%s\n", kinds[t].name);
		}
	}
	expect_eq(at, size);
}

static void pack_counts(const MPI_Status *s, int bytes)
{
	MPI_Count large;
	int count;

	expect_ok(MPI_Get_count(s, MPI_BYTE, &count));
	expect_eq(count, bytes);
	expect_ok(MPI_Get_count_c(s, MPI_BYTE, &large));
	expect_eq(large, bytes);
	expect_ok(MPI_Get_count(s, MPI_DOUBLE, &count));
	expect_eq(count, bytes % 8 == 0 ? bytes / 8 : MPI_UNDEFINED);
	expect_ok(MPI_Get_elements(s, MPI_DOUBLE_INT, &count));
	expect_eq(count, bytes % 12 == 0   ? bytes / 6
			 : bytes % 12 == 8 ? bytes / 12 * 2 + 1
					   : MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
	char buf[32 * COUNT * KINDS], got[32 * COUNT * KINDS];
	MPI_Status s;
	int n, me, size, at;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	size = pack_all(buf, sizeof(buf), me);
	expect_ok(MPI_Sendrecv(buf, size, MPI_PACKED, (me + 1) % n, 1, got, sizeof(got), MPI_PACKED,
		(me + n - 1) % n, 1, MPI_COMM_WORLD, &s));
	pack_counts(&s, size);
	unpack_all(got, size, (me + n - 1) % n);
	for (int bytes = 0; bytes < 60; bytes++) {
		expect_ok(MPI_Sendrecv(buf, bytes, MPI_BYTE, me, 2, got, sizeof(got), MPI_BYTE, me,
			2, MPI_COMM_WORLD, &s));
		pack_counts(&s, bytes);
	}
	at = size - 3;
	expect_eq(MPI_Pack(&n, 1, MPI_INT, buf, size, &at, MPI_COMM_WORLD), MPI_ERR_TRUNCATE);
	expect_eq(at, size - 3);
	MPI_Finalize();
	return check_end();
}
