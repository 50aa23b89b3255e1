// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 14.3: which views MPI_File_set_view refuses,
 * and writes over tiles that overlap.  A call that fails leaves the old view and
 * the pointers as they were, on all ranks. */
#include "tests/std/ch14/file_name.h"

static MPI_File f;

static MPI_Datatype committed(MPI_Datatype t)
{
	OK(MPI_Type_commit(&t));
	return t;
}

static MPI_Datatype indexed(int at0, int at1)
{
	int lens[] = {1, 1}, at[] = {at0, at1};
	MPI_Datatype t;

	OK(MPI_Type_indexed(2, lens, at, MPI_INT, &t));
	return committed(t);
}

/* The view of the test is still there, and so is the pointer. */
static void unchanged(void)
{
	MPI_Datatype etype, filetype;
	char rep[MPI_MAX_DATAREP_STRING];
	MPI_Offset disp, at;

	OK(MPI_File_get_view(f, &disp, &etype, &filetype, rep));
	expect_eq(disp, 8);
	expect(etype == MPI_INT && filetype == MPI_INT && strcmp(rep, "internal") == 0);
	OK(MPI_File_get_position(f, &at));
	expect_eq(at, 5);
	OK(MPI_File_get_position_shared(f, &at));
	expect_eq(at, 6);
}

static void refuse(int class, const char *text, MPI_Offset disp, MPI_Datatype etype,
	MPI_Datatype filetype, const char *rep)
{
	FAILS(class, text, MPI_File_set_view(f, disp, etype, filetype, rep, MPI_INFO_NULL));
	unchanged();
}

static void view_types(void)
{
	MPI_Datatype falling = indexed(2, 0), negative = indexed(-1, 1), twice = indexed(0, 0);
	MPI_Datatype good = indexed(0, 2), dup;

	refuse(MPI_ERR_IO, "filetype", 0, MPI_INT, falling, "native");
	refuse(MPI_ERR_IO, "etype", 0, falling, falling, "native");
	refuse(MPI_ERR_IO, "filetype", 0, MPI_INT, negative, "native");
	refuse(MPI_ERR_IO, "filetype", 0, MPI_INT, twice, "native"); /* the file is writable */
	refuse(MPI_ERR_ARG, "etypes", 0, good, MPI_INT, "native");
	OK(MPI_Type_dup(good, &dup));
	OK(MPI_Type_free(&dup));
	OK(MPI_Type_contiguous(3, MPI_INT, &dup));
	refuse(MPI_ERR_TYPE, "", 0, MPI_INT, dup, "native"); /* not committed */
	OK(MPI_Type_free(&dup));
	OK(MPI_Type_free(&falling));
	OK(MPI_Type_free(&negative));
	OK(MPI_Type_free(&twice));
	OK(MPI_Type_free(&good));
}

static MPI_Datatype resized(MPI_Datatype t, MPI_Aint extent)
{
	MPI_Datatype wide;

	OK(MPI_Type_create_resized(t, 0, extent, &wide));
	return committed(wide);
}

/* A view whose tiles overlap: a tile may be read and written, and tiles may be read.  After it the
 * view is the test's. */
static void meets(MPI_Datatype etype, MPI_Datatype filetype, bool huge)
{
	int bytes, size;
	char *data;

	OK(MPI_Type_size(etype, &size));
	OK(MPI_Type_size(filetype, &bytes));
	data = calloc(2, (size_t)bytes);
	CHECK(data != NULL);
	OK(MPI_File_set_view(f, 0, etype, filetype, "native", MPI_INFO_NULL));
	FAILS(MPI_ERR_IO, "own repetition",
		MPI_File_write_at(f, 0, data, 2 * bytes / size, etype, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_IO, "own repetition",
		MPI_File_write_at_all(f, bytes / size - 1, data, 2, etype, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_IO, "own repetition",
		MPI_File_write_ordered(f, data, 2 * bytes / size, etype, MPI_STATUS_IGNORE));
	if (!huge) {
		OK(MPI_File_write_at_all(f, 0, data, bytes / size, etype, MPI_STATUS_IGNORE));
		OK(MPI_File_read_at(f, 0, data, 2 * bytes / size, etype, MPI_STATUS_IGNORE));
	}
	free(data);
	OK(MPI_File_set_view(f, 8, MPI_INT, MPI_INT, "internal", MPI_INFO_NULL));
	OK(MPI_File_seek(f, 5, MPI_SEEK_SET));
	OK(MPI_File_seek_shared(f, 6, MPI_SEEK_SET));
}

/* Repetitions that overlap, and types that are not made of etypes. */
static void repeated(void)
{
	MPI_Datatype short_one = resized(MPI_DOUBLE, 4), odd = resized(MPI_INT, 7);
	MPI_Datatype comb = indexed(0, 2), woven, inside, split;

	meets(MPI_BYTE, short_one, false);
	woven = resized(comb, 4); /* the second block of a tile is a block of the next but one */
	meets(MPI_INT, woven, false);
	refuse(MPI_ERR_ARG, "not made of etypes", 0, MPI_INT, odd, "native");
	OK(MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){0, 6}, MPI_INT, &split));
	split = committed(split);
	inside = resized(split, 16);
	refuse(MPI_ERR_ARG, "not made of etypes", 0, MPI_INT, inside, "native");
	OK(MPI_Type_free(&short_one));
	OK(MPI_Type_free(&odd));
	OK(MPI_Type_free(&comb));
	OK(MPI_Type_free(&woven));
	OK(MPI_Type_free(&inside));
	OK(MPI_Type_free(&split));
}

enum { MANY = 1000 };

/* MANY blocks of an int at these displacements, of a type that is no comb. */
static MPI_Datatype view_many(const MPI_Aint at[MANY])
{
	MPI_Datatype t;
	int one[MANY];

	for (int i = 0; i < MANY; i++)
		one[i] = 1;
	OK(MPI_Type_create_hindexed(MANY, one, at, MPI_INT, &t));
	return committed(t);
}

/* Mistakes at the end of a type of many blocks. */
static void view_late(void)
{
	MPI_Datatype bad, woven, inside, row;
	MPI_Aint at[MANY];

	for (int i = 0; i < MANY; i++)
		at[i] = 24 * i + 12 * (i % 2); /* 0 36 48 84 96 ... */
	at[MANY - 1] += 2;
	bad = view_many(at);
	inside = resized(bad, 24 * MANY);
	FAILS(MPI_ERR_ARG, "not made of etypes",
		MPI_File_set_view(f, 0, MPI_INT, inside, "native", MPI_INFO_NULL));
	OK(MPI_Type_free(&inside));
	OK(MPI_Type_free(&bad));
	for (int i = 0; i < MANY; i++)
		at[i] = 24 * i;
	at[MANY - 1] += 4; /* meets nothing but the last block of the tile behind it */
	bad = view_many(at);
	OK(MPI_Type_create_resized(bad, 0, 24 * (MANY / 2) + 8, &woven));
	woven = committed(woven);
	OK(MPI_File_set_view(f, 0, MPI_INT, woven, "native", MPI_INFO_NULL));
	OK(MPI_Type_free(&woven));
	OK(MPI_Type_create_resized(bad, 0, 24 * (MANY / 2) + 4, &woven));
	woven = committed(woven);
	meets(MPI_INT, woven, false);
	OK(MPI_Type_vector(MANY, 1, 5, MPI_INT, &row)); /* a comb: the last block but 400 */
	inside = resized(row, 20 * (MANY - 400) + 4);
	OK(MPI_File_set_view(f, 0, MPI_INT, inside, "native", MPI_INFO_NULL));
	OK(MPI_Type_free(&inside));
	inside = resized(row, 20 * (MANY - 400));
	meets(MPI_INT, inside, false);
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	OK(MPI_Type_free(&row));
	OK(MPI_Type_free(&inside));
	OK(MPI_Type_free(&woven));
	OK(MPI_Type_free(&bad));
}

/* Blocks behind the first ten thousands are whole etypes, too: of a power of two bytes, which the
 * description shows, and of 12. */
static void behind_many(void)
{
	enum { MOST = 50000 };
	MPI_Aint *at = malloc(MOST * sizeof(*at));
	int *one = malloc(MOST * sizeof(*one));
	MPI_Datatype unit, good, bad, wide;

	OK(MPI_Type_contiguous(3, MPI_INT, &unit));
	unit = committed(unit);
	for (int i = 0; i < MOST; i++) {
		at[i] = (MPI_Aint)24 * i + 12 * (i % 7 == 3);
		one[i] = 1;
	}
	OK(MPI_Type_create_hindexed(MOST, one, at, unit, &good));
	good = committed(good);
	for (int i = 0; i < 2; i++) {
		OK(MPI_File_set_view(f, 0, unit, good, "native", MPI_INFO_NULL));
		OK(MPI_File_set_view(f, 0, MPI_INT, good, "native", MPI_INFO_NULL));
	}
	for (int by = 2; by <= 4; by += 2) {
		at[MOST - 9] += by;
		OK(MPI_Type_create_hindexed(MOST, one, at, unit, &bad));
		wide = resized(bad, (MPI_Aint)24 * MOST);
		FAILS(MPI_ERR_ARG, "not made of etypes",
			MPI_File_set_view(
				f, 0, by == 2 ? MPI_INT : unit, wide, "native", MPI_INFO_NULL));
		OK(MPI_Type_free(&wide));
		OK(MPI_Type_free(&bad));
		at[MOST - 9] -= by;
	}
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	OK(MPI_Type_free(&good));
	OK(MPI_Type_free(&unit));
	free(one);
	free(at);
}

/* An access that is not complete keeps its view; a split one refuses a new view. */
static void view_pending(void)
{
	enum { N = 2 << 20 };
	int *data = calloc(N, sizeof(*data)), got[2] = {0};
	MPI_Datatype comb = indexed(0, 2), pairs;
	MPI_Request r;

	CHECK(data != NULL);
	pairs = resized(comb, 16);
	data[0] = 5;
	data[N - 1] = 7;
	OK(MPI_File_set_view(f, 0, MPI_INT, pairs, "native", MPI_INFO_NULL));
	OK(MPI_File_iwrite_at_all(f, 0, data, check_rank == 0 ? N : 0, MPI_INT, &r));
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_read_at(f, 0, got, 1, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_read_at(f, 2 * N - 2, got + 1, 1, MPI_INT, MPI_STATUS_IGNORE));
	expect(got[0] == 5 && got[1] == 7);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_write_at_all_begin(f, 0, data, 1, MPI_INT));
	FAILS(MPI_ERR_OTHER, "split collective",
		MPI_File_set_view(f, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	OK(MPI_File_write_at_all_end(f, data, MPI_STATUS_IGNORE));
	OK(MPI_Type_free(&comb));
	OK(MPI_Type_free(&pairs));
	free(data);
}

/* Tiles that are woven into each other, without overlap, are good. */
static void woven(void)
{
	MPI_Datatype one = indexed(0, 3), two;
	int data[] = {1, 2, 3, 4}, got[7] = {0};

	two = resized(one, 8);
	OK(MPI_File_set_view(f, 0, MPI_INT, two, "native", MPI_INFO_NULL));
	if (check_rank == 0)
		OK(MPI_File_write_at(f, 0, data, 4, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	OK(MPI_File_read_at(f, 0, got, 6, MPI_INT, MPI_STATUS_IGNORE));
	expect(got[0] == 1 && got[3] == 2 && got[2] == 3 && got[5] == 4);
	OK(MPI_Type_free(&one));
	OK(MPI_Type_free(&two));
}

/* Two blocks of `len' ints, `apart' ints from each other, in tiles of `extent' ints. */
static void two_blocks(int len, MPI_Aint apart, MPI_Aint extent, bool good)
{
	MPI_Datatype two, tile;

	OK(MPI_Type_create_hvector(2, len, 4 * apart, MPI_INT, &two));
	tile = resized(two, 4 * extent);
	if (good)
		OK(MPI_File_set_view(f, 0, MPI_INT, tile, "native", MPI_INFO_NULL));
	else
		meets(MPI_INT, tile, true);
	OK(MPI_Type_free(&tile));
	OK(MPI_Type_free(&two));
}

/* The tiles that meet are hundreds of millions apart. */
static void long_combs(void)
{
	MPI_Aint even = (MPI_Aint)1 << 29;

	two_blocks(1, even, 2, false);
	two_blocks(1, even - 1, 2, true);
	two_blocks(1, even * even, 2, false);
	two_blocks(1, even * even + 1, 2, true);
	two_blocks(2, 7 * even + 1, 7, false);
	two_blocks(2, 7 * even + 2, 7, true);
	two_blocks(2, 7 * even + 5, 7, true);
	two_blocks(2, 7 * even + 6, 7, false);
}

/* Three blocks of an int in tiles of 16 ints; the last one is `last' ints on. */
static void three_blocks(MPI_Aint last, bool good)
{
	MPI_Datatype three, tile;

	OK(MPI_Type_create_hindexed(
		3, (int[]){1, 1, 1}, (MPI_Aint[]){0, 16, 4 * last}, MPI_INT, &three));
	tile = resized(three, 64);
	if (good)
		OK(MPI_File_set_view(f, 0, MPI_INT, tile, "native", MPI_INFO_NULL));
	else
		meets(MPI_INT, tile, true);
	OK(MPI_Type_free(&tile));
	OK(MPI_Type_free(&three));
}

/* Blocks that are no comb, over as many tiles. */
static void long_tiles(void)
{
	MPI_Aint tiles = (MPI_Aint)1 << 40;

	three_blocks(tiles, false);
	three_blocks(tiles + 4, false);
	three_blocks(tiles + 3, true);
	three_blocks(tiles + 15, true);
}

static void view_others(void)
{
	refuse(MPI_ERR_ARG, "displacement", -5, MPI_INT, MPI_INT, "native");
	refuse(MPI_ERR_ARG, "SEQUENTIAL", MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native");
	refuse(MPI_ERR_UNSUPPORTED_DATAREP, "\"none\"", 0, MPI_INT, MPI_INT, "none");
	if (check_size == 1)
		return;
	refuse(MPI_ERR_NOT_SAME, "is \"internal\" here, and \"native\" on rank 0", 0, MPI_INT,
		MPI_INT, check_rank == 0 ? "native" : "internal");
	refuse(MPI_ERR_NOT_SAME, "extent of the etype", 0, check_rank == 0 ? MPI_INT : MPI_CHAR,
		check_rank == 0 ? MPI_INT : MPI_CHAR, "native");
	refuse(MPI_ERR_UNSUPPORTED_DATAREP, "rank 1 of", 0, MPI_INT, MPI_INT,
		check_rank == 0 ? "native" : "none");
}

/* Types without data are accepted; then an access can have no bytes only. */
static void empty(void)
{
	MPI_Datatype none;
	MPI_Status s;
	int x = 0;

	OK(MPI_Type_contiguous(0, MPI_INT, &none));
	none = committed(none);
	OK(MPI_File_set_view(f, 0, MPI_INT, none, "native", MPI_INFO_NULL));
	OK(MPI_File_write_all(f, &x, 0, MPI_INT, &s));
	expect_eq(file_bytes(&s), 0);
	FAILS(MPI_ERR_IO, "no data", MPI_File_write(f, &x, 1, MPI_INT, &s));
	OK(MPI_File_seek(f, 0, MPI_SEEK_END));
	OK(MPI_Type_free(&none));
}

int main(int argc, char **argv)
{
	const char *path;

	check_init(&argc, &argv);
	path = file_name("views");
	f = file_new(MPI_COMM_WORLD, path);
	OK(MPI_File_set_view(f, 8, MPI_INT, MPI_INT, "internal", MPI_INFO_NULL));
	OK(MPI_File_seek(f, 5, MPI_SEEK_SET));
	OK(MPI_File_seek_shared(f, 6, MPI_SEEK_SET));
	view_types();
	repeated();
	view_others();
	view_pending();
	woven();
	empty();
	view_late();
	behind_many();
	long_combs();
	long_tiles();
	OK(MPI_File_close(&f));
	MPI_Finalize();
	return check_end();
}
