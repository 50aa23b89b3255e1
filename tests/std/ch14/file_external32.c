// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 14.5.1, 14.5.2, 14.5.4: in external32 data are big-endian, in sizes of their own;
 * offsets, MPI_SEEK_END and extents are those of the file. */
#include "tests/std/ch14/file_name.h"

static MPI_File f;

static void external_view(MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype)
{
	OK(MPI_File_set_view(f, disp, etype, filetype, "external32", MPI_INFO_NULL));
}

/* Bytes of the file. */
static void bytes_are(MPI_Offset at, const void *want, int n)
{
	unsigned char got[64];

	OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
	OK(MPI_File_read_at(f, at, got, n, MPI_BYTE, MPI_STATUS_IGNORE));
	expect(memcmp(got, want, (size_t)n) == 0);
}

static MPI_Aint external_extent(MPI_Datatype t)
{
	MPI_Aint e;

	OK(MPI_File_get_type_extent(f, t, &e));
	return e;
}

/* A long has 4 bytes there, 8 here. */
static void longs(void)
{
	long x[5] = {1, -2, 3, 1L << 20, 5}, y[5] = {0};
	MPI_Offset at;
	MPI_Status s;

	external_view(0, MPI_LONG, MPI_LONG);
	expect_eq(external_extent(MPI_LONG), 4);
	if (check_rank == 0)
		OK(MPI_File_write(f, x, 5, MPI_LONG, &s));
	OK(MPI_File_sync(f));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_seek(f, 0, MPI_SEEK_END));
	OK(MPI_File_get_position(f, &at));
	expect_eq(at, 5);
	OK(MPI_File_get_byte_offset(f, 3, &at));
	expect_eq(at, 12);
	OK(MPI_File_read_at_all(f, 1, y, 5, MPI_LONG, &s));
	expect_eq(file_bytes(&s), 4 * 8); /* of memory, and only four are there */
	expect(y[0] == -2 && y[3] == 5);
	bytes_are(4, "\xff\xff\xff\xfe\0\0\0\x03", 8);
}

/* Every other int of the file, from a struct in memory, by a nonblocking call. */
static void holes(void)
{
	struct {
		int i;
		double d;
	} x[3] = {{1, 0.5}, {2, 1.5}, {3, 2.5}}, y[3];
	int lens[] = {1, 1};
	MPI_Aint at[] = {0, 8};
	MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE}, mem, pair, tile;
	MPI_Request r;
	MPI_Status s;

	OK(MPI_Type_create_struct(2, lens, at, types, &mem));
	OK(MPI_Type_commit(&mem));
	at[1] = 4;
	OK(MPI_Type_create_struct(2, lens, at, types, &pair)); /* 12 bytes, as in the file */
	OK(MPI_Type_create_resized(pair, 0, 12, &types[0]));
	OK(MPI_Type_commit(&types[0]));
	OK(MPI_Type_create_resized(types[0], 0, 24, &tile));
	OK(MPI_Type_commit(&tile));
	external_view(100, types[0], tile);
	if (check_rank == 0) {
		OK(MPI_File_iwrite_at(f, 0, x, 3, mem, &r));
		OK(MPI_Wait(&r, &s));
		expect_eq(file_bytes(&s), 36);
	}
	OK(MPI_File_sync(f));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	memset(y, 0, sizeof(y));
	OK(MPI_File_iread_at_all(f, 1, y, 2, mem, &r));
	OK(MPI_Wait(&r, &s));
	expect(y[0].i == 2 && y[0].d == 1.5 && y[1].i == 3 && y[1].d == 2.5);
	bytes_are(124, "\0\0\0\x02\x3f\xf8\0\0\0\0\0\0", 12);
	OK(MPI_Type_free(&mem));
	OK(MPI_Type_free(&pair));
	OK(MPI_Type_free(&types[0]));
	OK(MPI_Type_free(&tile));
}

/* More than a stage at once, collectively, ranks interleaved. */
static void external_many(void)
{
	enum { N = 100000 };
	short *x = malloc(N * sizeof(*x)), *y = malloc(N * sizeof(*y));
	MPI_Datatype tile;
	MPI_Status s;

	OK(MPI_Type_vector(1000, 1, check_size, MPI_SHORT, &tile));
	OK(MPI_Type_create_resized(tile, 0, 2 * 1000 * check_size, &tile));
	OK(MPI_Type_commit(&tile));
	external_view(2 * check_rank, MPI_SHORT, tile);
	for (int i = 0; i < N; i++)
		x[i] = (short)(i * 7 + check_rank);
	OK(MPI_File_write_all(f, x, N, MPI_SHORT, &s));
	expect_eq(file_bytes(&s), 2 * N);
	OK(MPI_File_read_at_all(f, 0, y, N, MPI_SHORT, &s));
	expect(memcmp(x, y, N * sizeof(*x)) == 0);
	bytes_are(2 * check_size, "\0\x07", 2);
	OK(MPI_Type_free(&tile));
	free(x);
	free(y);
}

/* A long double is binary128 there; in "internal" it is that of the machine. */
static void long_doubles(const char *rep)
{
	long double x[3] = {1.0L, -0x1.8p-3L, 0x1.fffffffffffffffep+1000L}, y[3] = {0};
	MPI_Aint e;

	OK(MPI_File_set_view(f, 0, MPI_LONG_DOUBLE, MPI_LONG_DOUBLE, rep, MPI_INFO_NULL));
	OK(MPI_File_get_type_extent(f, MPI_LONG_DOUBLE, &e));
	expect_eq(e, 16);
	if (check_rank == 0)
		OK(MPI_File_write_at(f, 0, x, 3, MPI_LONG_DOUBLE, MPI_STATUS_IGNORE));
	OK(MPI_File_sync(f));
	OK(MPI_File_read_at_all(f, 0, y, 3, MPI_LONG_DOUBLE, MPI_STATUS_IGNORE));
	expect(x[0] == y[0] && x[1] == y[1] && x[2] == y[2]);
	if (strcmp(rep, "external32") == 0)
		bytes_are(0, "\x3f\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xbf\xfc\x80", 19);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	f = file_new(MPI_COMM_WORLD, file_name("external"));
	longs();
	external_view(0, MPI_BYTE, MPI_BYTE);
	expect_eq(external_extent(MPI_LONG_DOUBLE), 16);
	expect_eq(external_extent(MPI_WCHAR), 2);
	expect_eq(external_extent(MPI_OFFSET), 8);
	holes();
	external_many();
	long_doubles("external32");
	long_doubles("internal");
	OK(MPI_File_close(&f));
	MPI_Finalize();
	return check_end();
}
