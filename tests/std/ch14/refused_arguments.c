// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 14.2.1, 14.3, 14.4.2 to 14.4.5, 14.7: one rank gives a bad argument to a collective call.
 * All ranks return one class, none waits, and the next call is right.  Positions near 2^63. */
#include "tests/std/ch14/collective_calls.h"

/* BAD_OFFSET is of explicit offsets only. */
enum { BAD_COUNT, BAD_TYPE, NOT_COMMITTED, BAD_BUFFER, BAD_OFFSET, BADS };

static char buf[400], in[400];
static MPI_File file;
static MPI_Datatype raw; /* not committed */

/* All ranks have an error of one class. */
static void argument_refused(int err, const char *what)
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

/* One call with these arguments. */
static int bad_now(const struct call *c, MPI_Offset at, void *p, int n, MPI_Datatype t)
{
	MPI_Status s;

	if (c->where == AT)
		return c->write ? MPI_File_write_at_all(file, at, p, n, t, &s)
				: MPI_File_read_at_all(file, at, p, n, t, &s);
	if (c->where == INDIVIDUAL)
		return c->write ? MPI_File_write_all(file, p, n, t, &s)
				: MPI_File_read_all(file, p, n, t, &s);
	return c->write ? MPI_File_write_ordered(file, p, n, t, &s)
			: MPI_File_read_ordered(file, p, n, t, &s);
}

static int bad_later(const struct call *c, MPI_Offset at, void *p, int n, MPI_Datatype t)
{
	MPI_Status s;
	MPI_Request r;
	int err;

	if (c->where == AT)
		err = c->write ? MPI_File_iwrite_at_all(file, at, p, n, t, &r)
			       : MPI_File_iread_at_all(file, at, p, n, t, &r);
	else
		err = c->write ? MPI_File_iwrite_all(file, p, n, t, &r)
			       : MPI_File_iread_all(file, p, n, t, &r);
	return err != 0 ? err : MPI_Wait(&r, &s);
}

static int bad_split(const struct call *c, MPI_Offset at, void *p, int n, MPI_Datatype t)
{
	MPI_Status s;
	int err;

	if (c->where == AT)
		err = c->write ? MPI_File_write_at_all_begin(file, at, p, n, t)
			       : MPI_File_read_at_all_begin(file, at, p, n, t);
	else if (c->where == INDIVIDUAL)
		err = c->write ? MPI_File_write_all_begin(file, p, n, t)
			       : MPI_File_read_all_begin(file, p, n, t);
	else
		err = c->write ? MPI_File_write_ordered_begin(file, p, n, t)
			       : MPI_File_read_ordered_begin(file, p, n, t);
	return err != 0 ? err : call_end(file, c, p, &s);
}

static int bad_call(const struct call *c, int bad, bool mine)
{
	int n = mine && bad == BAD_COUNT ? -1 : 100;
	MPI_Datatype t = !mine                  ? MPI_BYTE
			 : bad == BAD_TYPE      ? MPI_DATATYPE_NULL
			 : bad == NOT_COMMITTED ? raw
						: MPI_BYTE;
	void *p = mine && bad == BAD_BUFFER ? NULL : c->write ? buf : in;
	MPI_Offset at = mine && bad == BAD_OFFSET ? -1 : 100 * check_rank;

	if (c->form == LATER && c->where != ORDERED)
		return bad_later(c, at, p, n, t);
	return c->form == SPLIT ? bad_split(c, at, p, n, t) : bad_now(c, at, p, n, t);
}

/* The pointers of all ranks are as they were. */
static void same_pointers(const struct call *c)
{
	MPI_Offset one, all;

	OK(MPI_File_get_position(file, &one));
	OK(MPI_File_get_position_shared(file, &all));
	if (c->form != LATER) /* else it has moved when the call began */
		expect_eq(one, 0);
	expect_eq(all, 0);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void accesses(const struct call *c)
{
	MPI_Status s;
	char what[60];

	for (int bad = 0; bad < BADS; bad++)
		for (int rank = 0; rank < check_size; rank++) {
			if (bad == BAD_OFFSET && c->where != AT)
				continue;
			call_rewind(file);
			snprintf(what, sizeof(what), "%s %s %s, argument %d of rank %d",
				form_words[c->form], where_words[c->where],
				c->write ? "write" : "read", bad, rank);
			argument_refused(bad_call(c, bad, check_rank == rank), what);
			same_pointers(c);
			OK(MPI_File_write_at_all(file, 100 * check_rank, buf, 100, MPI_BYTE, &s));
			OK(MPI_File_read_at_all(file, 100 * check_rank, in, 100, MPI_BYTE, &s));
			expect_eq(check_wrong(in, 100, check_rank), -1);
		}
}

/* Collective calls that move no data. */
static void settings(void)
{
	for (int rank = 0; rank < check_size; rank++) {
		bool mine = check_rank == rank;

		argument_refused(MPI_File_set_size(file, mine ? -1 : 4096), "set_size");
		argument_refused(MPI_File_preallocate(file, mine ? -1 : 4096), "preallocate");
		argument_refused(
			MPI_File_seek_shared(file, mine ? -1 : 0, MPI_SEEK_SET), "seek_shared");
		argument_refused(
			MPI_File_seek_shared(file, 0, mine ? 4711 : MPI_SEEK_SET), "seek_shared");
		argument_refused(MPI_File_set_view(file, mine ? -7 : 0, MPI_BYTE, MPI_BYTE,
					 "native", MPI_INFO_NULL),
			"set_view");
	}
}

static void views(void)
{
	bool mine = check_rank == 0;
	MPI_File f;

	argument_refused(MPI_File_set_view(
				 file, 0, MPI_BYTE, mine ? raw : MPI_BYTE, "native", MPI_INFO_NULL),
		"set_view");
	argument_refused(MPI_File_set_view(file, 0, mine ? MPI_DATATYPE_NULL : MPI_BYTE, MPI_BYTE,
				 "native", MPI_INFO_NULL),
		"set_view");
	argument_refused(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, mine ? NULL : "native",
				 MPI_INFO_NULL),
		"set_view");
	argument_refused(MPI_File_open(MPI_COMM_WORLD, mine ? NULL : file_name("none"),
				 MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
				 MPI_INFO_NULL, &f),
		"open");
}

/* Hints that must be equal are compared as they are. */
static void argument_hints(void)
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
	settings();
	views();
	argument_hints();
	positions();
	OK(MPI_Type_free(&raw));
	OK(MPI_File_close(&file));
	MPI_Finalize();
	return check_end();
}
