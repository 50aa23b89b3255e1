// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 14.4.1, 14.5: a read that meets the end of the file within an element keeps the entries
 * that are there, and MPI_Get_elements counts them: in all representations. */
#include "tests/std/ch14/file_name.h"
#include <stddef.h>

struct record {
	int i;
	double d;
	short s;
};

enum { RECORDS = 3, SIZE = 14 };

static int short_extent(MPI_Datatype type, MPI_Aint *bytes, void *state)
{
	int size;

	(void)state;
	MPI_Type_size(type, &size);
	*bytes = size;
	return MPI_SUCCESS;
}

/* Bytes of entry i of a record. */
static int entry(int i)
{
	return i % 3 == 0 ? 4 : i % 3 == 1 ? 8 : 2;
}

/* As it is, entry by entry. */
static int convert_in(
	void *user, MPI_Datatype type, int count, void *file, MPI_Offset position, void *state)
{
	static const size_t at[] = {
		offsetof(struct record, i), offsetof(struct record, d), offsetof(struct record, s)};
	const char *from = file;

	(void)type;
	(void)state;
	for (int i = (int)position; i < (int)position + count; from += entry(i), i++)
		memcpy((char *)user + (size_t)(i / 3) * sizeof(struct record) + at[i % 3], from,
			(size_t)entry(i));
	return MPI_SUCCESS;
}

static MPI_Datatype record_type(void)
{
	const MPI_Aint at[] = {
		offsetof(struct record, i), offsetof(struct record, d), offsetof(struct record, s)};
	const MPI_Datatype of[] = {MPI_INT, MPI_DOUBLE, MPI_SHORT};
	MPI_Datatype t, whole;

	OK(MPI_Type_create_struct(3, (int[]){1, 1, 1}, at, of, &t));
	OK(MPI_Type_create_resized(t, 0, sizeof(struct record), &whole));
	OK(MPI_Type_commit(&whole));
	OK(MPI_Type_free(&t));
	return whole;
}

/* A file of `bytes' bytes has `whole' entries. */
static void read_records(MPI_File f, MPI_Datatype t, int whole, int how)
{
	struct record r[RECORDS];
	MPI_Request request;
	MPI_Count n;
	MPI_Status s;

	memset(r, 0x55, sizeof(r));
	if (how == 0) {
		OK(MPI_File_read_at(f, 0, r, RECORDS, t, &s));
	} else if (how == 1) {
		OK(MPI_File_read_at_all(f, 0, r, RECORDS, t, &s));
	} else {
		OK(MPI_File_iread_at(f, 0, r, RECORDS, t, &request));
		OK(MPI_Wait(&request, &s));
	}
	OK(MPI_Get_elements_c(&s, t, &n));
	expect_eq(n, whole);
	for (int i = 0; i < RECORDS; i++) {
		expect_eq(r[i].i, 3 * i < whole ? 1 + i : 0x55555555);
		expect(3 * i + 1 < whole ? r[i].d == 2.5 + i : r[i].d != 2.5 + i);
		expect_eq(r[i].s, 3 * i + 2 < whole ? 7 + i : 0x5555);
	}
}

static void representation(const char *path, const char *rep)
{
	struct record r[RECORDS];
	MPI_Datatype t = record_type();
	MPI_File f = file_new(MPI_COMM_WORLD, path);
	int whole = 3 * RECORDS;

	for (int i = 0; i < RECORDS; i++)
		r[i] = (struct record){1 + i, 2.5 + i, (short)(7 + i)};
	OK(MPI_File_set_view(
		f, 0, MPI_BYTE, MPI_BYTE, rep[0] == 'e' ? rep : "native", MPI_INFO_NULL));
	if (check_rank == 0)
		OK(MPI_File_write_at(f, 0, r, RECORDS, t, MPI_STATUS_IGNORE));
	OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, rep, MPI_INFO_NULL));
	for (int bytes = RECORDS * SIZE, at = bytes; bytes >= 0; bytes--) {
		OK(MPI_File_set_size(f, bytes));
		while (at > bytes)
			at -= entry(--whole);
		for (int how = 0; how < 3; how++)
			read_records(f, t, whole, how);
		OK(MPI_Barrier(MPI_COMM_WORLD));
	}
	OK(MPI_File_close(&f));
	OK(MPI_Type_free(&t));
}

/* Tiles are woven, so a chunk that is short has one behind it whose bytes are in the file.  The
 * count ends at the first entry that is not there; no chunk behind it comes to memory. */
static void short_chunk(const char *path, const char *rep)
{
	enum { CHUNK = 16, MANY = 60, END = CHUNK + 1 }; /* ints; the file has END */
	int ones[END], got[MANY];
	MPI_Datatype two, woven;
	MPI_Count n;
	MPI_Info info;
	MPI_Status s;
	MPI_File f;

	memset(ones, -1, sizeof(ones));
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "cb_buffer_size", "64")); /* CHUNK ints */
	OK(MPI_File_open(MPI_COMM_WORLD, path,
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_Info_free(&info));
	if (check_rank == 0)
		OK(MPI_File_write_at(f, 0, ones, sizeof(ones), MPI_BYTE, &s));
	OK(MPI_Type_indexed(2, (int[]){1, 1}, (int[]){0, 3}, MPI_INT, &two));
	OK(MPI_Type_create_resized(two, 0, 8, &woven)); /* ints 0 3 2 5 ... 14 17, 16 19 ... */
	OK(MPI_Type_commit(&woven));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_File_set_view(f, 0, MPI_INT, woven, rep, MPI_INFO_NULL));
	for (int form = 0; form < 2; form++) {
		memset(got, 0x55, sizeof(got));
		if (form == 0)
			OK(MPI_File_read_at_all(f, 0, got, MANY, MPI_INT, &s));
		else
			OK(MPI_File_read_at(f, 0, got, MANY, MPI_INT, &s));
		OK(MPI_Get_elements_c(&s, MPI_INT, &n));
		expect_eq(n, CHUNK - 1);
		for (int i = 0; i < CHUNK - 1; i++)
			expect_eq(got[i], -1);
		for (int i = CHUNK; i < MANY; i++)
			expect_eq(got[i], 0x55555555);
	}
	OK(MPI_File_close(&f));
	OK(MPI_Type_free(&two));
	OK(MPI_Type_free(&woven));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Register_datarep("plain", convert_in, MPI_CONVERSION_FN_NULL, short_extent, NULL));
	OK(MPI_Register_datarep(
		"as_is", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, short_extent, NULL));
	representation(file_name("external"), "external32");
	representation(file_name("plain"), "plain");
	representation(file_name("as_is"), "as_is");
	short_chunk(file_name("chunk"), "external32");
	short_chunk(file_name("chunk_as_is"), "as_is");
	MPI_Finalize();
	return check_end();
}
