/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 5.2, 5.1: packing and unpacking touch no byte beyond the datatype's and the packed
 * data's, at either end.
 *
 *      | no access | mem ........ | no access |      elements begin, or end, at the border
 *
 * Blocks of all lengths, in rows, grids, records and lists: each has loops of its own; and rows
 * that are spread over more than the caches hold, and every other double, forwards and
 * backwards. */
#define _GNU_SOURCE
#include "tests/check.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ROOM    65536
#define DISTANT (3 << 20) /* room for elements of a megabyte and more */
#define LONGEST 200       /* bytes of a block */
#define FILL    0x5a

struct area {
	char *first, *end; /* so many bytes, and nothing around them */
};

static struct area walled(size_t room)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *all = mmap(NULL, room + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	expect(all != MAP_FAILED);
	expect_eq(mprotect(all + page, room, PROT_READ | PROT_WRITE), 0);
	return (struct area){all + page, all + page + room};
}

static void unwall(struct area *a)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	expect_eq(munmap(a->first - page, (size_t)(a->end - a->first) + 2 * page), 0);
}

static struct area mem, packed;

/* There and back; both areas at their first bytes or at their last. */
static void both_directions(MPI_Datatype t, int count, bool last)
{
	MPI_Aint lb, extent, low, bytes;
	int size, at = 0;
	char *buf, *out;

	expect_ok(MPI_Type_get_extent(t, &lb, &extent));
	expect_ok(MPI_Type_get_true_extent(t, &low, &bytes));
	expect_ok(MPI_Type_size(t, &size));
	bytes += (count - 1) * extent;
	size *= count;
	expect(bytes <= mem.end - mem.first && size <= ROOM);
	buf = (last ? mem.end - bytes : mem.first) - low;
	out = last ? packed.end - size : packed.first;
	memset(mem.first, FILL, (size_t)(mem.end - mem.first));
	for (int i = 0; i < size; i++)
		out[i] = (char)(i * 7 + i / 251);
	expect_ok(MPI_Unpack(out, size, &at, buf, count, t, MPI_COMM_SELF));
	memset(packed.first, FILL, ROOM);
	at = 0;
	expect_ok(MPI_Pack(buf, count, t, out, size, &at, MPI_COMM_SELF));
	expect_eq(at, size);
	for (int i = 0; i < size; i++)
		expect_eq(out[i], (char)(i * 7 + i / 251));
}

/* Frees t. */
static void all_directions(MPI_Datatype t)
{
	expect_ok(MPI_Type_commit(&t));
	for (int count = 1; count <= 6; count += count < 2 ? 1 : 4) {
		both_directions(t, count, false);
		both_directions(t, count, true);
	}
	expect_ok(MPI_Type_free(&t));
}

static void bounds_rows(int len)
{
	MPI_Datatype t, row;

	for (int n = 2; n <= 6; n++) {
		expect_ok(MPI_Type_vector(n, len, len + 3, MPI_BYTE, &t));
		all_directions(t);
	}
	expect_ok(MPI_Type_vector(5, len, len + 1, MPI_BYTE, &row));
	expect_ok(MPI_Type_create_hvector(3, 1, 6 * (len + 1) + 5, row, &t));
	expect_ok(MPI_Type_free(&row));
	all_directions(t);
}

static void bounds_records(int len)
{
	int lens[3] = {len, 1, len + 1};
	MPI_Aint at[3] = {0, len + 2, len + 5};
	MPI_Datatype t, kinds[3] = {MPI_BYTE, MPI_BYTE, MPI_BYTE};

	expect_ok(MPI_Type_create_struct(3, lens, at, kinds, &t));
	all_directions(t);
}

static void bounds_lists(int len)
{
	int at[7];
	MPI_Datatype t;

	for (int i = 0; i < 7; i++)
		at[i] = i * (len + 2) + i * i;
	expect_ok(MPI_Type_create_indexed_block(7, len, at, MPI_BYTE, &t));
	all_directions(t);
}

/* n blocks, `stride' bytes apart, each with its place in the element checked. */
static void bounds_strided(int n, int len, MPI_Aint stride)
{
	MPI_Datatype t;
	MPI_Aint low, bytes;
	char *buf, out[ROOM];
	int at = 0;

	expect_ok(MPI_Type_create_hvector(n, len, stride, MPI_BYTE, &t));
	expect_ok(MPI_Type_commit(&t));
	expect_ok(MPI_Type_get_true_extent(t, &low, &bytes));
	both_directions(t, 1, false);
	both_directions(t, 1, true);
	buf = mem.end - bytes - low;
	for (int i = 0; i < n * len; i++)
		buf[i / len * stride + i % len] = (char)(i * 3 + i / 253);
	expect_ok(MPI_Pack(buf, 1, t, out, n * len, &at, MPI_COMM_SELF));
	for (int i = 0; i < n * len; i++)
		expect_eq(out[i], (char)(i * 3 + i / 253));
	expect_ok(MPI_Type_free(&t));
}

static void every_other(void)
{
	for (int n = 1; n <= 13; n++) {
		bounds_strided(n, 8, 16);
		bounds_strided(n, 8, -16);
		bounds_strided(n, 8, 15);
		bounds_strided(n, 8, 24);
	}
}

static void distant_rows(void)
{
	static const int lens[] = {1, 3, 4, 8, 12, 32, 40, 64, 100};

	for (int i = 0; i < 9; i++)
		for (int n = 256; n <= 259; n++) {
			bounds_strided(n, lens[i], 4111);
			bounds_strided(n, lens[i], -4111);
		}
	/* several blocks in a line */
	bounds_strided(65535 / 8 * 8 / 2, 1, 33);
	bounds_strided(65535, 1, 17);
	bounds_strided(65535, 1, -17);
	bounds_strided(8191, 8, 131);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	mem = walled(ROOM);
	packed = walled(ROOM);
	for (int len = 1; len <= LONGEST; len++) {
		bounds_rows(len);
		bounds_records(len);
		bounds_lists(len);
	}
	every_other();
	unwall(&mem);
	mem = walled(DISTANT);
	distant_rows();
	MPI_Finalize();
	return check_end();
}
