// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 14.5.3, 14.5.3.1, 14.5.3.2: representations of the program: extents, conversion in
 * chunks by position, large counts, MPI_CONVERSION_FN_NULL, errors, atomic mode. */
#include "tests/std/ch14/file_name.h"
#include <unistd.h>

/* In the file an int is its decimal number in 12 characters. */
enum { WIDTH = 12 };

static int extents, converted;

static int datarep_extent(MPI_Datatype t, MPI_Aint *bytes, void *state)
{
	expect(state == &extents);
	extents++;
	*bytes = t == MPI_INT ? WIDTH : MPI_UNDEFINED;
	return MPI_SUCCESS;
}

/* Where entry i of the type map is: an int, or two of three ints. */
static int *entry(void *user, MPI_Datatype t, MPI_Offset i)
{
	return (int *)user + (t == MPI_INT ? i : i / 2 * 3 + i % 2);
}

static int write_c(
	void *user, MPI_Datatype t, MPI_Count n, void *file, MPI_Offset from, void *state)
{
	expect(state == &extents);
	for (MPI_Offset i = 0; i < n; i++) {
		char text[WIDTH + 1];

		snprintf(text, sizeof(text), "%*d", WIDTH, *entry(user, t, from + i));
		memcpy((char *)file + i * WIDTH, text, WIDTH);
	}
	converted += (int)n;
	return MPI_SUCCESS;
}

static int read_c(void *user, MPI_Datatype t, MPI_Count n, void *file, MPI_Offset from, void *state)
{
	(void)state;
	for (MPI_Offset i = 0; i < n; i++) {
		char text[WIDTH + 1] = "";

		memcpy(text, (char *)file + i * WIDTH, WIDTH);
		*entry(user, t, from + i) = atoi(text);
	}
	converted += (int)n;
	return MPI_SUCCESS;
}

static int write_int(void *user, MPI_Datatype t, int n, void *file, MPI_Offset from, void *state)
{
	return write_c(user, t, n, file, from, state);
}

static int datarep_fails(
	void *user, MPI_Datatype t, int n, void *file, MPI_Offset from, void *state)
{
	(void)user, (void)t, (void)n, (void)file, (void)from, (void)state;
	return 7;
}

static void registering(void)
{
	OK(MPI_Register_datarep_c("decimal", read_c, write_c, datarep_extent, &extents));
	OK(MPI_Register_datarep("broken", datarep_fails, write_int, datarep_extent, &extents));
	OK(MPI_Register_datarep(
		"plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, datarep_extent, &extents));
	FAILS(MPI_ERR_DUP_DATAREP, "\"decimal\"",
		MPI_Register_datarep_c("decimal", read_c, write_c, datarep_extent, &extents));
	FAILS(MPI_ERR_DUP_DATAREP, "\"native\"",
		MPI_Register_datarep_c("native", read_c, write_c, datarep_extent, &extents));
}

static void datarep_text(MPI_File f)
{
	enum { N = 400000 }; /* more than a stage */
	int *x = malloc(N * sizeof(*x)), *y = calloc(N, sizeof(*y)), three[6] = {1, 2, 3, 4, 5, 6};
	char raw[WIDTH + 1] = "";
	MPI_Datatype two;
	MPI_Aint e;
	MPI_Count large;
	MPI_Offset at;
	MPI_Request r;
	MPI_Status s;

	extents = 0;
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "decimal", MPI_INFO_NULL));
	expect_eq(extents, 0); /* no callback by MPI_File_set_view */
	OK(MPI_File_get_type_extent(f, MPI_INT, &e));
	expect_eq(e, WIDTH);
	OK(MPI_File_get_type_extent_c(f, MPI_INT, &large));
	expect_eq(large, WIDTH);
	FAILS(MPI_ERR_VALUE_TOO_LARGE, "", MPI_File_get_type_extent(f, MPI_DOUBLE, &e));
	for (int i = 0; i < N; i++)
		x[i] = i - 1000;
	converted = 0;
	OK(MPI_File_write_at_all(f, (MPI_Offset)N * check_rank, x, N, MPI_INT, &s));
	expect_eq(file_bytes(&s), 4 * N);
	expect_eq(converted, N);
	OK(MPI_File_get_size(f, &at));
	expect_eq(at, (long)N * WIDTH * check_size);
	OK(MPI_File_iread_at(f, (MPI_Offset)N * check_rank, y, N, MPI_INT, &r));
	OK(MPI_Wait(&r, &s));
	expect_eq(file_bytes(&s), 4 * N);
	expect(memcmp(x, y, N * sizeof(*x)) == 0);
	OK(MPI_File_seek(f, -3, MPI_SEEK_END));
	OK(MPI_File_read(f, y, 10, MPI_INT, &s));
	expect_eq(file_bytes(&s), 12);
	expect_eq(y[2], N - 1001);

	OK(MPI_Type_vector(1, 2, 3, MPI_INT, &two));
	OK(MPI_Type_create_resized(two, 0, 12, &two));
	OK(MPI_Type_commit(&two));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_write_at(f, 10 * check_rank, three, 2, two, &s));
	expect_eq(file_bytes(&s), 16);
	OK(MPI_File_read_at(f, 10 * check_rank + 1, y, 3, MPI_INT, &s));
	expect(y[0] == 2 && y[1] == 4 && y[2] == 5);
	OK(MPI_File_set_view(f, 0, MPI_CHAR, MPI_CHAR, "native", MPI_INFO_NULL));
	OK(MPI_File_read_at(f, WIDTH * (10 * check_rank + 2), raw, WIDTH, MPI_CHAR, &s));
	expect(strcmp(raw, "           4") == 0);
	OK(MPI_Type_free(&two));
	free(x);
	free(y);
}

static void datarep_errors(MPI_File f)
{
	int x = 42;
	MPI_Status s;

	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "broken", MPI_INFO_NULL));
	OK(MPI_File_write_at(f, check_rank, &x, 1, MPI_INT, &s));
	FAILS(MPI_ERR_CONVERSION, "\"broken\" has returned 7",
		MPI_File_read_at(f, check_rank, &x, 1, MPI_INT, &s));
	FAILS(MPI_ERR_CONVERSION, "rank 0",
		MPI_File_read_at_all(f, 0, &x, check_rank == 0, MPI_INT, &s));
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "plain", MPI_INFO_NULL));
	OK(MPI_File_write_at(f, check_rank, &x, 1, MPI_INT, &s));
	x = 0;
	OK(MPI_File_read_at(f, check_rank, &x, 1, MPI_INT, &s));
	expect_eq(x, 42);
}

/* Extents must be equal on all members; the first collective access finds out. */
static int odd_extent(MPI_Datatype t, MPI_Aint *bytes, void *state)
{
	(void)t, (void)state;
	*bytes = check_rank == check_size - 1 ? 8 : 4;
	return MPI_SUCCESS;
}

static void unequal(MPI_File f)
{
	int x[10] = {0}, y;
	MPI_Offset before, after;
	MPI_Request r;

	if (check_size == 1)
		return;
	OK(MPI_Register_datarep(
		"odd", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, odd_extent, NULL));
	OK(MPI_File_get_size(f, &before));
	OK(MPI_File_set_view(f, before, MPI_INT, MPI_INT, "odd", MPI_INFO_NULL));
	FAILS(MPI_ERR_NOT_SAME, "rank 1 of 2: the extent of the etype",
		MPI_File_write_at_all(f, 10 * check_rank, x, 10, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_iwrite_at_all(f, 10 * check_rank, x, 10, MPI_INT, &r));
	FAILS(MPI_ERR_NOT_SAME, "rank 1 of 2", MPI_Wait(&r, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_NOT_SAME, "rank 1 of 2",
		MPI_File_read_ordered(f, &y, 1, MPI_INT, MPI_STATUS_IGNORE));
	OK(MPI_File_get_size(f, &after));
	expect_eq(after, before);
}

/* The first access of an atomic view is pending, and is late on one rank: it compares the extents.
 * The blocking one behind it does the same steps on all ranks. */
static void behind_pending(MPI_File f)
{
	enum { N = 100 };
	int x[N], y[N] = {0}, done;
	MPI_Request r;
	MPI_Status s;

	for (int i = 0; i < N; i++)
		x[i] = check_rank;
	OK(MPI_File_set_atomicity(f, 1));
	for (int i = 0; i < 5; i++) {
		OK(MPI_File_set_view(
			f, 2L * N * WIDTH * check_rank, MPI_INT, MPI_INT, "plain", MPI_INFO_NULL));
		if (check_rank == 0)
			usleep(20000);
		OK(MPI_File_iwrite_all(f, x, N, MPI_INT, &r));
		if (check_rank == 0)
			OK(MPI_Test(&r, &done, MPI_STATUS_IGNORE));
		OK(MPI_File_write_all(f, x, N, MPI_INT, &s));
		expect_eq(file_bytes(&s), (long)sizeof(x));
		OK(MPI_Wait(&r, &s));
		OK(MPI_File_read_at_all(f, N, y, N, MPI_INT, &s));
		expect(memcmp(x, y, sizeof(x)) == 0);
	}
	OK(MPI_File_set_atomicity(f, 0));
}

int main(int argc, char **argv)
{
	MPI_File f;

	check_init(&argc, &argv);
	registering();
	f = file_new(MPI_COMM_WORLD, file_name("decimal"));
	datarep_text(f);
	datarep_errors(f);
	unequal(f);
	behind_pending(f);
	OK(MPI_File_close(&f));
	MPI_Finalize();
	return check_end();
}
