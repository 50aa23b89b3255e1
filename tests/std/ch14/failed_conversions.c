// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,3 */
/* RUN np=2 env="HAFT_VIA=net" */
/* MPI-5.0 14.5.3, 14.7: a conversion function that fails leaves the file pointers as they were, and
 * no member waits for the access: blocking, nonblocking, split; files and pipes. */
#include "tests/std/ch14/file_name.h"

enum { N = 10 };

static bool fails;
static MPI_Offset fails_at = -1; /* likewise: a chunk that begins at this entry */

static int conversion_extent(MPI_Datatype type, MPI_Aint *bytes, void *state)
{
	int size;

	(void)state;
	MPI_Type_size(type, &size);
	*bytes = size;
	return MPI_SUCCESS;
}

static int conversion_convert(void *to, const void *from, MPI_Datatype type, int count)
{
	int size;

	if (fails)
		return MPI_ERR_CONVERSION;
	MPI_Type_size(type, &size);
	memcpy(to, from, (size_t)count * (size_t)size);
	return MPI_SUCCESS;
}

static char *element(void *user, MPI_Datatype type, MPI_Offset position)
{
	int size;

	MPI_Type_size(type, &size);
	return (char *)user + position * size;
}

static int convert_out(
	void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *state)
{
	(void)state;
	return conversion_convert(file, element(user, type, position), type, count);
}

static int convert_in(
	void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *state)
{
	(void)state;
	if (position == fails_at)
		return MPI_ERR_CONVERSION;
	return conversion_convert(element(user, type, position), file, type, count);
}

static void pointers(MPI_File f, long individual, long shared)
{
	MPI_Offset at;

	OK(MPI_File_get_position(f, &at));
	expect_eq(at, individual);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_get_position_shared(f, &at));
	expect_eq(at, shared);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Reads whose last member cannot convert its data: all members fail, and split ones go back. */
static void conversion_late(MPI_File f)
{
	int b[N] = {0}, b2[N] = {0};
	MPI_Request r[2];
	MPI_Status s;

	OK(MPI_File_iread_at_all(f, 0, b, N, MPI_INT, &r[0]));
	OK(MPI_File_iread_at_all(f, 0, b2, N, MPI_INT, &r[1]));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_Wait(&r[1], &s));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_Wait(&r[0], &s));
	OK(MPI_File_read_at_all_begin(f, 0, b, N, MPI_INT));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_read_at_all_end(f, b, &s));
	OK(MPI_File_seek(f, 0, MPI_SEEK_SET));
	OK(MPI_File_read_all_begin(f, b, N, MPI_INT));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_read_all_end(f, b, &s));
	OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	OK(MPI_File_read_ordered_begin(f, b, N, MPI_INT));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_read_ordered_end(f, b, &s));
	pointers(f, 0, 0);
}

/* The pointers have been moved between _begin and an _end that fails: they stay there. */
static void moved_between(MPI_File f)
{
	bool was = fails;
	int b[N] = {0}, c[N] = {0};
	MPI_Offset at;
	MPI_Status s;

	OK(MPI_File_seek(f, 2, MPI_SEEK_SET));
	OK(MPI_File_read_all_begin(f, b, N, MPI_INT));
	OK(MPI_File_seek(f, 1, MPI_SEEK_SET));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_read_all_end(f, b, &s));
	OK(MPI_File_get_position(f, &at));
	expect_eq(at, 1);
	OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	OK(MPI_File_read_ordered_begin(f, b, N, MPI_INT));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0) {
		fails = false;
		OK(MPI_File_write_shared(f, c, N, MPI_INT, &s));
		fails = was;
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_read_ordered_end(f, b, &s));
	OK(MPI_File_seek(f, 0, MPI_SEEK_SET));
	pointers(f, 0, (long)N * (check_size + 1));
}

/* Several members fail: all have the words of the lowest one. */
static void conversion_words(MPI_File f)
{
	const char *lowest = check_size > 1 ? "rank 0 of" : "fails";
	int b[N] = {0};
	MPI_Status s;

	FAILS(MPI_ERR_CONVERSION, lowest, MPI_File_read_at_all(f, 0, b, N, MPI_INT, &s));
	FAILS(MPI_ERR_CONVERSION, lowest, MPI_File_write_at_all(f, 0, b, N, MPI_INT, &s));
	OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	FAILS(MPI_ERR_CONVERSION, lowest, MPI_File_read_ordered(f, b, N, MPI_INT, &s));
}

/* One member's conversion fails; the last one's, if all members take part. */
static void to_file(const char *path)
{
	bool last = check_rank == check_size - 1;
	MPI_File f = file_new(MPI_COMM_WORLD, path);
	MPI_Request r;
	MPI_Status s;
	int b[N] = {0};

	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "fails", MPI_INFO_NULL));
	fails = true;
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_write(f, b, N, MPI_INT, &s));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_iwrite(f, b, N, MPI_INT, &r));
	pointers(f, 0, 0);
	if (last) { /* one alone: a step of another rank would stay behind it */
		FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_write_shared(f, b, N, MPI_INT, &s));
		FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_iwrite_shared(f, b, N, MPI_INT, &r));
	}
	if (!check_has_remote())
		pointers(f, 0, 0);
	fails = last;
	OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_write_ordered(f, b, N, MPI_INT, &s));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_write_all(f, b, N, MPI_INT, &s));
	pointers(f, 0, 0);
	OK(MPI_File_write_ordered_begin(f, b, N, MPI_INT));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_write_ordered_end(f, b, &s));
	OK(MPI_File_write_all_begin(f, b, N, MPI_INT));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_write_all_end(f, b, &s));
	pointers(f, 0, 0);
	fails = false;
	OK(MPI_File_write_ordered(f, b, N, MPI_INT, &s));
	pointers(f, 0, (long)N * check_size);
	fails = last; /* reads fail at their end */
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_read_at_all(f, 0, b, N, MPI_INT, &s));
	conversion_late(f);
	moved_between(f);
	fails = true;
	conversion_words(f);
	fails = false;
	OK(MPI_File_close(&f));
}

/* A read in chunks: the status counts those before the one that fails, and no chunk behind it
 * comes to memory, of a collective access on no member. */
static void chunks(const char *path)
{
	enum { MANY = 320, CHUNK = 32 };
	int b[MANY], got[MANY], right;
	bool first = check_rank == 0;
	MPI_Info info;
	MPI_Status s;
	MPI_File f;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "cb_buffer_size", "128")); /* CHUNK ints */
	OK(MPI_File_open(MPI_COMM_WORLD, path,
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_Info_free(&info));
	OK(MPI_File_set_view(
		f, check_rank * (long)sizeof(b), MPI_INT, MPI_INT, "fails", MPI_INFO_NULL));
	for (int i = 0; i < MANY; i++)
		b[i] = i + 1;
	OK(MPI_File_write_all(f, b, MANY, MPI_INT, &s));
	for (int form = 0; form < 2; form++) {
		memset(got, 0, sizeof(got));
		fails_at = first ? (MPI_Offset)2 * CHUNK : -1;
		if (form == 0)
			FAILS(MPI_ERR_CONVERSION, "fails",
				MPI_File_read_at_all(f, 0, got, MANY, MPI_INT, &s));
		else if (first)
			FAILS(MPI_ERR_CONVERSION, "fails",
				MPI_File_read_at(f, 0, got, MANY, MPI_INT, &s));
		else
			OK(MPI_File_read_at(f, 0, got, MANY, MPI_INT, &s));
		fails_at = -1;
		right = first ? 2 * CHUNK : MANY;
		if (!first && form == 0) { /* its chunk of that round is the last */
			right = (int)(file_bytes(&s) / (long)sizeof(int));
			expect(right > 2 * CHUNK && right <= 3 * CHUNK);
		}
		expect_eq(file_bytes(&s), right * (long)sizeof(int));
		for (int i = 0; i < MANY; i++)
			expect_eq(got[i], i < right ? b[i] : 0);
	}
	OK(MPI_File_close(&f));
}

/* The bytes that do not come are skipped. */
static void to_stream(void)
{
	MPI_Request r;
	MPI_Status s;
	MPI_File f;
	int b[N] = {0};

	OK(MPI_File_open(MPI_COMM_WORLD, "/dev/null", MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL,
		MPI_INFO_NULL, &f));
	OK(MPI_File_set_view(
		f, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "fails", MPI_INFO_NULL));
	fails = check_rank == 0;
	if (fails) {
		FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_iwrite_shared(f, b, N, MPI_INT, &r));
		FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_write_shared(f, b, N, MPI_INT, &s));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_write_ordered(f, b, N, MPI_INT, &s));
	OK(MPI_File_write_ordered_begin(f, b, N, MPI_INT));
	FAILS(MPI_ERR_CONVERSION, "fails", MPI_File_write_ordered_end(f, b, &s));
	fails = false;
	OK(MPI_File_write_shared(f, b, N, MPI_INT, &s));
	OK(MPI_File_iwrite_shared(f, b, N, MPI_INT, &r));
	OK(MPI_File_write_ordered(f, b, N, MPI_INT, &s));
	OK(MPI_Wait(&r, &s));
	OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
	MPI_File f;

	check_init(&argc, &argv);
	OK(MPI_Register_datarep("fails", convert_in, convert_out, conversion_extent, NULL));
	to_file(file_name("converted"));
	chunks(file_name("chunks"));
	if (!check_has_remote())
		to_stream();
	else
		FAILS(MPI_ERR_UNSUPPORTED_OPERATION, "hosts",
			MPI_File_open(MPI_COMM_WORLD, "/dev/null",
				MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL, MPI_INFO_NULL, &f));
	MPI_Finalize();
	return check_end();
}
