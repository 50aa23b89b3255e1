// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 time=60 */
/* RUN np=3 env="HAFT_VIA=net" time=60 */
/* MPI-5.0 14.2.8: the memory of an access is bounded by cb_buffer_size and its kin, whatever the
 * pattern, the size, and the representation (14.5.3: conversion in chunks); and a view takes none
 * for its elements. */
#define SAN_OPTIONS SAN_LEAN
#include "tests/check.h"
#include "tests/san.inc"
#include "tests/std/ch14/file_name.h"

enum {
	MANY = 48 << 20, /* bytes of each rank's buffer */
	FEW = 256 << 10, /* likewise, where a chunk is a few bytes (MEAN) */
	SLOW = 6 << 20,  /* likewise with SAN=thread, where it is a matter of minutes */
	SMALL = 64,
	BOUND_KIB = 20 << 10 /* stages of 1 MiB, and frames on their way; far below MANY */
};

static char *buf;
static int bytes_all; /* of it */

/* --- representations of the program --------------------------------------------------------- */

/* "mirror": the bytes of each entry the other way round; records and all other types. */
static int mirror_extent(MPI_Datatype t, MPI_Aint *bytes, void *state)
{
	int size;

	(void)state;
	MPI_Type_size(t, &size);
	*bytes = size;
	return MPI_SUCCESS;
}

/* "wide": any entry has 16 bytes, the first as in memory. */
static int wide_extent(MPI_Datatype t, MPI_Aint *bytes, void *state)
{
	(void)t, (void)state;
	*bytes = 16;
	return MPI_SUCCESS;
}

/* A record of the element below: an int at 0, a double at 8. */
enum { RECORD = 16 };

static MPI_Datatype mirrored; /* the type of the access; its entries are known here */

/* Entry i of the type map, and its bytes. */
static char *mirror_entry(char *user, MPI_Offset i, int *bytes)
{
	if (mirrored == MPI_DATATYPE_NULL) { /* records */
		*bytes = i % 2 == 0 ? 4 : 8;
		return user + i / 2 * RECORD + i % 2 * 8;
	}
	if (mirrored == MPI_BYTE || mirrored == MPI_INT) {
		*bytes = mirrored == MPI_BYTE ? 1 : 4;
		return user + i * *bytes;
	}
	*bytes = 4; /* the vector of memory_parts() */
	return user + (i / (SMALL / 4) * (SMALL / 2) + i % (SMALL / 4)) * 4;
}

static void mirror(char *to, const char *from, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = from[n - 1 - i];
}

static int mirror_out(
	void *user, MPI_Datatype t, int n, void *file, MPI_Offset position, void *state)
{
	char *to = file;
	int bytes;

	(void)t, (void)state;
	for (int i = 0; i < n; i++, to += bytes) {
		const char *from = mirror_entry(user, position + i, &bytes);

		mirror(to, from, bytes);
	}
	return MPI_SUCCESS;
}

static int mirror_in(
	void *user, MPI_Datatype t, int n, void *file, MPI_Offset position, void *state)
{
	const char *from = file;
	int bytes;

	(void)t, (void)state;
	for (int i = 0; i < n; i++, from += bytes) {
		char *to = mirror_entry(user, position + i, &bytes);

		mirror(to, from, bytes);
	}
	return MPI_SUCCESS;
}

/* --- memory --------------------------------------------------------------------------------- */

/* KiB of this process's memory: `what' is VmRSS or VmHWM. */
static long memory(const char *what)
{
	char line[256], want[32];
	long kib = -1;
	FILE *f = fopen("/proc/self/status", "r");

	snprintf(want, sizeof(want), "%s: %%ld", what);
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		sscanf(line, want, &kib);
	if (f != NULL)
		fclose(f);
	return kib;
}

/* From here on VmHWM counts from the memory of now. */
static long memory_begin(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "w");

	if (f == NULL || fputs("5", f) < 0 || fclose(f) != 0)
		check_skip("the peak of memory cannot be set back");
	return memory("VmRSS");
}

static void memory_end(const char *what, long before)
{
	long more = memory("VmHWM") - before;

	if (more > BOUND_KIB * san_times())
		fprintf(stderr, "rank %d: %s took %ld KiB\n", check_rank, what, more);
	expect(more <= BOUND_KIB * san_times());
}

/* Every check_size-th block of `len' bytes of the file. */
static MPI_Datatype interleaved(int len)
{
	MPI_Datatype block, t;

	OK(MPI_Type_contiguous(len, MPI_BYTE, &block));
	OK(MPI_Type_create_resized(block, 0, (MPI_Aint)len * check_size, &t));
	OK(MPI_Type_commit(&t));
	OK(MPI_Type_free(&block));
	return t;
}

static void memory_blocks(MPI_File f, int len, const char *rep)
{
	MPI_Datatype t = interleaved(len);
	MPI_Request r = MPI_REQUEST_NULL;
	long before;

	mirrored = MPI_BYTE;
	OK(MPI_File_set_view(f, (MPI_Offset)len * check_rank, MPI_BYTE, t, rep, MPI_INFO_NULL));
	before = memory_begin();
	OK(MPI_File_write_at_all(f, 0, buf, bytes_all, MPI_BYTE, MPI_STATUS_IGNORE));
	memory_end("write_at_all of blocks", before);
	before = memory_begin();
	OK(MPI_File_read_at_all(f, 0, buf, bytes_all, MPI_BYTE, MPI_STATUS_IGNORE));
	memory_end("read_at_all of blocks", before);
	before = memory_begin();
	OK(MPI_File_iwrite_at_all(f, 0, buf, bytes_all, MPI_BYTE, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	memory_end("iwrite_at_all of blocks", before);
	before = memory_begin();
	OK(MPI_File_iread_at_all(f, 0, buf, bytes_all, MPI_BYTE, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	memory_end("iread_at_all of blocks", before);
	before = memory_begin();
	OK(MPI_File_write_at_all_begin(f, 0, buf, bytes_all, MPI_BYTE));
	OK(MPI_File_write_at_all_end(f, buf, MPI_STATUS_IGNORE));
	memory_end("write_at_all_begin of blocks", before);
	OK(MPI_Type_free(&t));
}

/* Memory in parts, values of four bytes, another representation; no collective buffers. */
static void memory_parts(MPI_File f, const char *rep)
{
	MPI_Datatype t, tile = interleaved(4000);
	MPI_Offset at = (MPI_Offset)4000 * check_rank;
	MPI_Request r = MPI_REQUEST_NULL;
	long before;

	OK(MPI_Type_vector(bytes_all / SMALL / 2, SMALL / 4, SMALL / 2, MPI_INT, &t));
	OK(MPI_Type_commit(&t));
	mirrored = t;
	OK(MPI_File_set_view(f, at, MPI_INT, tile, rep, MPI_INFO_NULL));
	before = memory_begin();
	OK(MPI_File_write_at(f, 0, buf, 1, t, MPI_STATUS_IGNORE));
	memory_end("write_at of parts", before);
	before = memory_begin();
	OK(MPI_File_iread_at(f, 0, buf, 1, t, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	memory_end("iread_at of parts", before);
	before = memory_begin();
	OK(MPI_File_iwrite_at(f, 0, buf, 1, t, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	memory_end("iwrite_at of parts", before);
	OK(MPI_Type_free(&t));
	OK(MPI_Type_free(&tile));
}

/* --- one huge element ----------------------------------------------------------------------- */

/* Records in one element: an int and a double, with a gap between them. */
static MPI_Datatype memory_records(void)
{
	int lens[2] = {1, 1};
	MPI_Aint at[2] = {0, 8};
	MPI_Datatype in[2] = {MPI_INT, MPI_DOUBLE}, one, t;

	OK(MPI_Type_create_struct(2, lens, at, in, &one));
	OK(MPI_Type_contiguous(bytes_all / RECORD, one, &t));
	OK(MPI_Type_commit(&t));
	OK(MPI_Type_free(&one));
	return t;
}

static void records_fill(int salt)
{
	for (int i = 0; i < bytes_all / RECORD; i++) {
		int x = i * 7 + salt;
		double y = i + 0.5 * salt;

		memcpy(buf + (size_t)i * RECORD, &x, 4);
		memcpy(buf + (size_t)i * RECORD + 8, &y, 8);
	}
}

static void records_check(int salt, const char *what)
{
	for (int i = 0; i < bytes_all / RECORD; i++) {
		int x = i * 7 + salt, got_x;
		double y = i + 0.5 * salt, got_y;

		memcpy(&got_x, buf + (size_t)i * RECORD, 4);
		memcpy(&got_y, buf + (size_t)i * RECORD + 8, 8);
		if (x != got_x || y != got_y) {
			fprintf(stderr, "rank %d: %s: record %d is %d, %g\n", check_rank, what, i,
				got_x, got_y);
			CHECK(!"a record differs");
		}
		memset(buf + (size_t)i * RECORD, 0, RECORD);
	}
}

enum { FORMS = 3 };

/* Writes and reads one element in one of the forms, and looks at its memory. */
static void element_moved(MPI_File f, MPI_Datatype t, int form, MPI_Offset at, const char *what)
{
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Status s;
	long before = memory_begin();

	if (form == 0)
		OK(MPI_File_write_at_all(f, at, buf, 1, t, &s));
	else if (form == 1)
		OK(MPI_File_iwrite_at_all(f, at, buf, 1, t, &r));
	else
		OK(MPI_File_iwrite_at(f, at, buf, 1, t, &r));
	OK(MPI_Wait(&r, form == 0 ? MPI_STATUS_IGNORE : &s));
	memory_end(what, before);
	expect_eq(file_bytes(&s), bytes_all / RECORD * 12L);
	memset(buf, 0, bytes_all);
	before = memory_begin();
	if (form == 0)
		OK(MPI_File_read_at_all(f, at, buf, 1, t, &s));
	else if (form == 1)
		OK(MPI_File_iread_at_all(f, at, buf, 1, t, &r));
	else
		OK(MPI_File_iread_at(f, at, buf, 1, t, &r));
	OK(MPI_Wait(&r, form == 0 ? MPI_STATUS_IGNORE : &s));
	memory_end(what, before);
	expect_eq(file_bytes(&s), bytes_all / RECORD * 12L);
}

/* each: bytes of a record in the file. */
static void element(MPI_File f, const char *rep, int each)
{
	MPI_Datatype t = memory_records();

	mirrored = MPI_DATATYPE_NULL;
	OK(MPI_File_set_view(f, (MPI_Offset)each * (bytes_all / RECORD) * check_rank, MPI_BYTE,
		MPI_BYTE, rep, MPI_INFO_NULL));
	for (int form = 0; form < FORMS; form++) {
		records_fill(form);
		element_moved(f, t, form, 0, rep);
		records_check(form, rep);
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Type_free(&t));
}

/* An atomic access is one step for the others, and yet converted in chunks. */
static void atomic(MPI_File f, const char *rep)
{
	MPI_Request r;
	long before;

	OK(MPI_File_set_atomicity(f, 1));
	memory_parts(f, rep);
	mirrored = MPI_INT;
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, rep, MPI_INFO_NULL));
	before = memory_begin();
	OK(MPI_File_write_at_all(f, 0, buf, bytes_all / 4, MPI_INT, MPI_STATUS_IGNORE));
	memory_end("atomic write_at_all", before);
	before = memory_begin();
	OK(MPI_File_read_at_all(f, 0, buf, bytes_all / 4, MPI_INT, MPI_STATUS_IGNORE));
	memory_end("atomic read_at_all", before);
	before = memory_begin();
	OK(MPI_File_iread_at_all(f, 0, buf, bytes_all / 4, MPI_INT, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	memory_end("atomic iread_at_all", before);
	for (int i = 1; i < bytes_all; i++) /* all of one rank */
		if (buf[i] != buf[0])
			CHECK(!"the accesses of two ranks were mixed");
	OK(MPI_File_set_atomicity(f, 0));
}

/* 10^6 x 10^6 elements of 8 bytes. */
static void memory_huge(MPI_File f)
{
	MPI_Datatype row, all;
	long before = memory_begin();

	OK(MPI_Type_vector(1000000, 1, 2, MPI_DOUBLE, &row));
	OK(MPI_Type_create_hvector(1000000, 1, 20000000, row, &all));
	OK(MPI_Type_commit(&all));
	OK(MPI_File_set_view(f, 0, MPI_DOUBLE, all, "native", MPI_INFO_NULL));
	memory_end("a view of 10^12 elements", before);
	OK(MPI_Type_free(&row));
	OK(MPI_Type_free(&all));
}

/* Is a collective buffer too small for accesses of many bytes? */
static bool is_mean(void)
{
	char value[32] = "";
	char own[32];
	int found, len = sizeof(value);
	MPI_Info info;
	MPI_File f;

	snprintf(own, sizeof(own), "mean%d", check_rank);
	f = file_new(MPI_COMM_SELF, file_name(own));
	OK(MPI_File_get_info(f, &info));
	OK(MPI_Info_get_string(info, "cb_buffer_size", &len, value, &found));
	OK(MPI_Info_free(&info));
	OK(MPI_File_close(&f));
	return atoi(value) < 1 << 20;
}

int main(int argc, char **argv)
{
	MPI_Info info;
	MPI_File f;

	check_init(&argc, &argv);
	bytes_all = is_mean() ? FEW : san_times() > 1 ? SLOW : MANY;
	buf = malloc((size_t)bytes_all);
	CHECK(buf != NULL);
	for (int i = 0; i < bytes_all; i++) /* SAN=thread has its own memory of it from here on */
		((volatile char *)buf)[i] = (char)(1 + check_rank);
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "cb_buffer_size", "1048576"));
	OK(MPI_Info_set(info, "ind_rd_buffer_size", "1048576"));
	OK(MPI_Info_set(info, "ind_wr_buffer_size", "1048576"));
	OK(MPI_File_open(MPI_COMM_WORLD, file_name("memory"),
		MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_Info_free(&info));
	OK(MPI_Register_datarep("mirror", mirror_in, mirror_out, mirror_extent, NULL));
	OK(MPI_Register_datarep(
		"wide", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, wide_extent, NULL));
	memory_blocks(f, SMALL, "native");
	memory_blocks(f, 4096, "native");
	memory_blocks(f, SMALL, "external32");
	memory_blocks(f, SMALL, "mirror");
	memory_parts(f, "native");
	memory_parts(f, "external32");
	memory_parts(f, "mirror");
	for (int on = 0; on < 2; on++) {
		OK(MPI_File_set_atomicity(f, on));
		element(f, "external32", 12);
		element(f, "mirror", 12);
		element(f, "wide", 32);
	}
	OK(MPI_File_set_atomicity(f, 0));
	atomic(f, "external32");
	atomic(f, "mirror");
	memory_huge(f);
	OK(MPI_File_close(&f));
	free(buf);
	MPI_Finalize();
	return check_end();
}
