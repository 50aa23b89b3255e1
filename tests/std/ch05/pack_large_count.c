/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 5.2: MPI_Pack and MPI_Unpack give what their large-count forms give, for blocks of all
 * lengths and elements in one piece, in many, and at MPI_BOTTOM; and say mistakes. */
#include "tests/check.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define ROOM 65536

static unsigned char mem[ROOM], got[ROOM], packed[ROOM], want[ROOM];

/* Both forms, both ways, behind `before' bytes of the buffer. */
static void packed_both(void *buf, void *back, int count, MPI_Datatype type, int before)
{
	int at = before, size;
	MPI_Count big = before;

	memset(packed, 1, sizeof(packed));
	memset(want, 1, sizeof(want));
	expect_ok(MPI_Pack_size(count, type, MPI_COMM_SELF, &size));
	expect_ok(MPI_Pack(buf, count, type, packed, before + size, &at, MPI_COMM_SELF));
	expect_ok(MPI_Pack_c(buf, count, type, want, before + size, &big, MPI_COMM_SELF));
	expect_eq(at, before + size);
	expect_eq(big, before + size);
	expect(memcmp(packed, want, sizeof(packed)) == 0);

	memset(got, 2, sizeof(got));
	at = before;
	expect_ok(MPI_Unpack(packed, before + size, &at, back, count, type, MPI_COMM_SELF));
	expect_eq(at, before + size);
	memcpy(want, got, sizeof(got));
	memset(got, 2, sizeof(got));
	big = before;
	expect_ok(MPI_Unpack_c(packed, before + size, &big, back, count, type, MPI_COMM_SELF));
	expect(memcmp(got, want, sizeof(got)) == 0);
	at = before;
	memset(want, 3, sizeof(want));
	expect_ok(MPI_Pack(back, count, type, want, before + size, &at, MPI_COMM_SELF));
	expect(memcmp(packed + before, want + before, (size_t)size) == 0);
}

static void lengths(void)
{
	for (int len = 1; len <= 200; len++) {
		MPI_Datatype v;

		expect_ok(MPI_Type_vector(7, len, len + 3, MPI_BYTE, &v));
		expect_ok(MPI_Type_commit(&v));
		packed_both(mem, got, 1, v, len % 5);
		packed_both(mem, got, 3, v, 0);
		expect_ok(MPI_Type_free(&v));
		packed_both(mem, got, len, MPI_DOUBLE_INT, 1);
		packed_both(mem, got, len, MPI_SHORT, 1);
	}
}

static void packed_parts(void)
{
	int one = 8, sizes[2] = {6, 9}, part[2] = {2, 9}, start[2] = {3, 0};
	MPI_Aint at;
	MPI_Datatype t, byte = MPI_BYTE;

	expect_ok(MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_DOUBLE, &t));
	expect_ok(MPI_Type_commit(&t));
	packed_both(mem, got, 1, t, 0);
	packed_both(mem, got, 2, t, 4);
	expect_ok(MPI_Type_free(&t));
	expect_ok(MPI_Get_address(got + 100, &at));
	expect_ok(MPI_Type_create_struct(1, &one, &at, &byte, &t));
	expect_ok(MPI_Type_commit(&t));
	packed_both(MPI_BOTTOM, MPI_BOTTOM, 1, t, 0);
	expect_ok(MPI_Type_free(&t));
}

/* The call fails with this class, and the position stays. */
#define WRONG(class, call)              \
	do {                            \
		expect_eq(call, class); \
		expect_eq(at, 8);       \
	} while (0)

static void packed_mistakes(void)
{
	MPI_Comm c = MPI_COMM_SELF, none = MPI_COMM_NULL;
	MPI_Datatype raw;
	int at = 8, distant = 40, less = -8;

	expect_ok(MPI_Type_vector(3, 1, 2, MPI_INT, &raw));
	WRONG(MPI_ERR_COUNT, MPI_Pack(mem, -1, MPI_INT, packed, 32, &at, c));
	WRONG(MPI_ERR_COUNT, MPI_Pack(mem, 1, MPI_INT, packed, -32, &at, c));
	WRONG(MPI_ERR_TYPE, MPI_Pack(mem, 1, raw, packed, 32, &at, c));
	WRONG(MPI_ERR_TYPE, MPI_Pack(mem, 1, MPI_DATATYPE_NULL, packed, 32, &at, c));
	WRONG(MPI_ERR_COMM, MPI_Pack(mem, 1, MPI_INT, packed, 32, &at, none));
	WRONG(MPI_ERR_BUFFER, MPI_Pack(mem, 1, MPI_INT, NULL, 32, &at, c));
	WRONG(MPI_ERR_BUFFER, MPI_Pack(MPI_BOTTOM, 1, MPI_INT, packed, 32, &at, c));
	WRONG(MPI_ERR_BUFFER, MPI_Pack(MPI_IN_PLACE, 1, MPI_INT, packed, 32, &at, c));
	WRONG(MPI_ERR_TRUNCATE, MPI_Pack(mem, 7, MPI_INT, packed, 32, &at, c));
	WRONG(MPI_ERR_ARG, MPI_Pack(mem, 1, MPI_INT, packed, 32, NULL, c));
	WRONG(MPI_ERR_ARG, MPI_Pack(mem, 1, MPI_INT, packed, 32, &distant, c));
	WRONG(MPI_ERR_ARG, MPI_Pack(mem, 1, MPI_INT, packed, 32, &less, c));
	WRONG(MPI_ERR_COUNT, MPI_Unpack(packed, 32, &at, mem, -1, MPI_INT, c));
	WRONG(MPI_ERR_COUNT, MPI_Unpack(packed, -32, &at, mem, 1, MPI_INT, c));
	WRONG(MPI_ERR_TYPE, MPI_Unpack(packed, 32, &at, mem, 1, raw, c));
	WRONG(MPI_ERR_COMM, MPI_Unpack(packed, 32, &at, mem, 1, MPI_INT, none));
	WRONG(MPI_ERR_BUFFER, MPI_Unpack(NULL, 32, &at, mem, 1, MPI_INT, c));
	WRONG(MPI_ERR_BUFFER, MPI_Unpack(packed, 32, &at, NULL, 1, MPI_INT, c));
	WRONG(MPI_ERR_TRUNCATE, MPI_Unpack(packed, 32, &at, mem, 7, MPI_INT, c));
	WRONG(MPI_ERR_ARG, MPI_Unpack(packed, 32, NULL, mem, 1, MPI_INT, c));
	WRONG(MPI_ERR_ARG, MPI_Unpack(packed, 32, &distant, mem, 1, MPI_INT, c));
	WRONG(MPI_ERR_ARG, MPI_Unpack(packed, 32, &less, mem, 1, MPI_INT, c));
	expect_ok(MPI_Pack(NULL, 0, MPI_INT, NULL, 32, &at, c));
	expect_ok(MPI_Unpack(NULL, 32, &at, NULL, 0, MPI_INT, c));
	expect_eq(at, 8);
	expect_ok(MPI_Type_free(&raw));
}

/* An element that spans all of memory and the sizes that no buffer has. */
static void giants(void)
{
	MPI_Datatype wide, big, huge;
	MPI_Count count = (MPI_Count)1 << 40;
	int at = 0;

	expect_ok(MPI_Type_create_resized(MPI_BYTE, 0, (MPI_Aint)1 << 61, &wide));
	expect_ok(MPI_Type_commit(&wide));
	expect_ok(MPI_Type_contiguous_c(count, MPI_BYTE, &big));
	expect_ok(MPI_Type_commit(&big));
	expect_ok(MPI_Type_contiguous_c(count << 20, MPI_INT, &huge));
	expect_ok(MPI_Type_commit(&huge));
	expect_eq(MPI_Pack(mem, 8, wide, packed, 32, &at, MPI_COMM_SELF), MPI_ERR_COUNT);
	expect_eq(MPI_Pack(mem, 1, big, packed, 32, &at, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
	expect_eq(MPI_Pack(mem, 8, huge, packed, 32, &at, MPI_COMM_SELF), MPI_ERR_COUNT);
	expect_eq(MPI_Unpack(packed, 32, &at, mem, 8, wide, MPI_COMM_SELF), MPI_ERR_COUNT);
	expect_eq(MPI_Unpack(packed, 32, &at, mem, 1, big, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
	expect_eq(at, 0);
	expect_ok(MPI_Type_free(&wide));
	expect_ok(MPI_Type_free(&big));
	expect_ok(MPI_Type_free(&huge));
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	srand(5);
	for (int i = 0; i < ROOM; i++)
		mem[i] = (unsigned char)rand();
	lengths();
	packed_parts();
	packed_mistakes();
	giants();
	MPI_Finalize();
	return check_end();
}
