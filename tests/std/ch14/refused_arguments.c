// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 14.2.1, 14.3, 14.4.2 to 14.4.5, 14.7: one rank gives a bad argument to a collective call.
 * All ranks return one class, none waits, and the next call is right.  Positions near 2^63. */
#include "tests/std/ch14/collective_calls.h"

enum { BAD_COUNT, BAD_TYPE, NOT_COMMITTED, BADS };

static char buf[400], in[400];
static MPI_File file;
static MPI_Datatype raw; /* not committed */

/* All ranks have an error of one class. */
static void refused(int err, const char *what)
{
	int class = 0, mine[2], all[2];

	if (err != 0)
		OK(MPI_Error_class(err, &class));
	mine[0] = class;
	mine[1] = -class;
	OK(MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
	if (!expect(all[0] == -all[1] && class != 0))
		fprintf(stderr, "rank %d: %s: class %d\n", check_rank, what, class);
}

static int bad_call(const struct call *c, int n, MPI_Datatype t)
{
	MPI_Status s;
	MPI_Request r;
	int err;

	if (c->form == NOW && c->where == AT)
		return MPI_File_write_at_all(file, 0, buf, n, t, &s);
	if (c->form == NOW && c->where == INDIVIDUAL)
		return MPI_File_write_all(file, buf, n, t, &s);
	if (c->form == NOW)
		return MPI_File_write_ordered(file, buf, n, t, &s);
	if (c->form == LATER) {
		err = c->where == AT ? MPI_File_iwrite_at_all(file, 0, buf, n, t, &r)
				     : MPI_File_iwrite_all(file, buf, n, t, &r);
		return err != 0 ? err : MPI_Wait(&r, &s);
	}
	if (c->where == AT)
		err = MPI_File_write_at_all_begin(file, 0, buf, n, t);
	else if (c->where == INDIVIDUAL)
		err = MPI_File_write_all_begin(file, buf, n, t);
	else
		err = MPI_File_write_ordered_begin(file, buf, n, t);
	return err != 0 ? err : call_end(file, c, buf, &s);
}

static void accesses(const struct call *c)
{
	MPI_Status s;

	if (!c->write)
		return;
	for (int bad = 0; bad < BADS; bad++) {
		bool mine = check_rank == check_size - 1;
		int n = mine && bad == BAD_COUNT ? -1 : 100;
		MPI_Datatype t = !mine || bad == BAD_COUNT ? MPI_BYTE
				 : bad == BAD_TYPE         ? MPI_DATATYPE_NULL
							   : raw;

		call_rewind(file);
		refused(bad_call(c, n, t), form_words[c->form]);
		OK(MPI_File_write_at_all(file, 100 * check_rank, buf, 100, MPI_BYTE, &s));
		OK(MPI_File_read_at_all(file, 100 * check_rank, in, 100, MPI_BYTE, &s));
		expect_eq(check_wrong(in, 100, check_rank), -1);
	}
}

static void views(void)
{
	bool mine = check_rank == 0;
	MPI_File f;

	refused(MPI_File_set_view(
			file, 0, MPI_BYTE, mine ? raw : MPI_BYTE, "native", MPI_INFO_NULL),
		"set_view");
	refused(MPI_File_set_view(file, 0, mine ? MPI_DATATYPE_NULL : MPI_BYTE, MPI_BYTE, "native",
			MPI_INFO_NULL),
		"set_view");
	refused(MPI_File_set_view(
			file, 0, MPI_BYTE, MPI_BYTE, mine ? NULL : "native", MPI_INFO_NULL),
		"set_view");
	refused(MPI_File_open(MPI_COMM_WORLD, mine ? NULL : file_name("none"),
			MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
			&f),
		"open");
}

/* Hints that must be equal are compared as they are. */
static void hints(void)
{
	MPI_Info info;
	MPI_File f;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "cb_buffer_size", check_rank == 0 ? "4096" : "69617"));
	FAILS(MPI_ERR_NOT_SAME, "cb_buffer_size",
		MPI_File_open(MPI_COMM_WORLD, file_name("same"), MPI_MODE_CREATE | MPI_MODE_RDWR,
			info, &f));
	OK(MPI_Info_free(&info));
}

static void positions(void)
{
	MPI_Offset distant = (MPI_Offset)1 << 62, at;
	MPI_Datatype wide;
	MPI_Status s;
	int x = 7;

	OK(MPI_Type_create_resized(MPI_INT, 0, (MPI_Aint)distant, &wide));
	OK(MPI_Type_commit(&wide));
	OK(MPI_File_set_view(file, 0, MPI_INT, wide, "native", MPI_INFO_NULL));
	FAILS(MPI_ERR_ARG, "offset", MPI_File_write_at(file, 2, &x, 1, MPI_INT, &s));
	FAILS(MPI_ERR_ARG, "offset", MPI_File_write_at_all(file, 2, &x, 1, MPI_INT, &s));
	FAILS(MPI_ERR_ARG, "offset", MPI_File_get_byte_offset(file, 4, &at));
	OK(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	OK(MPI_File_seek_shared(file, distant, MPI_SEEK_SET));
	FAILS(MPI_ERR_ARG, "", MPI_File_write_shared(file, &x, 1, MPI_INT, &s));
	OK(MPI_File_seek_shared(file, distant, MPI_SEEK_SET));
	FAILS(MPI_ERR_ARG, "", MPI_File_write_ordered(file, &x, 1, MPI_INT, &s));
	OK(MPI_Type_free(&wide));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	check_fill(buf, 100, check_rank);
	file = file_new(MPI_COMM_WORLD, file_name("refused"));
	OK(MPI_Type_contiguous(1, MPI_BYTE, &raw));
	call_each(accesses);
	views();
	hints();
	positions();
	OK(MPI_Type_free(&raw));
	OK(MPI_File_close(&file));
	MPI_Finalize();
	return check_end();
}
