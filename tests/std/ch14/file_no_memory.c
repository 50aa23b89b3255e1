// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 */
/* RUN np=2,3 env="HAFT_VIA=net" */
/* MPI-5.0 9.3, 14.2.1 to 14.2.8, 14.3, 14.4.2 to 14.4.5, 14.7: the k-th allocation of one member
 * fails, or that one and all after it: in collective calls that open, view, access, resize and
 * close a file.  All members get an error or none, no member waits for ever, and later calls are
 * right.  A message that comes before its receive needs memory in any case: so calls that use
 * messages lack it while they start only. */
#include "tests/failing_malloc.h"
#include "tests/std/ch14/collective_calls.h"

enum { MINE = 1200, BLOCK = 20, ALLOCATIONS = 30, FEW = 2 };

static char out[MINE], in[MINE];
static const char *path;
static int no_memory_rank, nth, times;

static void no_memory_begin(void)
{
	no_memory.failures = 0;
	if (check_rank == no_memory_rank)
		failing_arm(0, nth - 1, times == FEW ? FAILING_ALWAYS : times);
}

/* Has the member lacked memory?  The call returned err. */
static bool no_memory_end(int err, const char *what)
{
	int class = 0, mine[3], all[3], wrong = check_failed;

	no_memory.armed = false;
	if (err != 0)
		OK(MPI_Error_class(err, &class));
	mine[0] = class;
	mine[1] = -class;
	mine[2] = no_memory.failures;
	OK(MPI_Allreduce(mine, all, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
	expect_eq(all[0], -all[1]);
	expect(all[0] == 0 || all[0] == MPI_ERR_NO_MEM);
	if (wrong != check_failed)
		fprintf(stderr, "rank %d: %s: class %d; allocation %d and %d of rank %d\n",
			check_rank, what, class, nth, times, no_memory_rank);
	return all[2] > 0;
}

static MPI_Datatype scarce_comb(void)
{
	MPI_Datatype t;

	OK(MPI_Type_vector(MINE / BLOCK, BLOCK, BLOCK * check_size, MPI_BYTE, &t));
	OK(MPI_Type_commit(&t));
	return t;
}

static void scarce_view(MPI_File f)
{
	MPI_Datatype t = scarce_comb();

	OK(MPI_File_set_view(f, check_rank * BLOCK, MPI_BYTE, t, "native", MPI_INFO_NULL));
	OK(MPI_Type_free(&t));
}

static MPI_File scarce_open_file(const char *wish)
{
	MPI_Info info;
	MPI_File f;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "romio_cb_write", wish));
	OK(MPI_Info_set(info, "romio_cb_read", wish));
	OK(MPI_Info_set(info, "cb_buffer_size", "1024"));
	OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
	OK(MPI_Info_free(&info));
	return f;
}

static bool messages; /* the calls use messages */

/* Calls step for the k-th allocation of a rank, until no k-th one is made. */
static void each_of_rank(bool (*step)(void))
{
	for (nth = 1; nth <= ALLOCATIONS && step(); nth++)
		;
}

static void scarce_each(bool (*step)(void))
{
	for (no_memory_rank = 0; no_memory_rank < check_size; no_memory_rank++)
		for (times = 1; times <= FEW; times++)
			each_of_rank(step);
}

/* --- the calls ------------------------------------------------------------------------------- */

static bool step_open(void)
{
	MPI_File f = MPI_FILE_NULL;
	bool hit;
	int err;

	no_memory_begin();
	err = MPI_File_open(
		MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f);
	hit = no_memory_end(err, "open");
	if (err == 0)
		OK(MPI_File_close(&f));
	return hit;
}

static bool step_close(void)
{
	MPI_File f = scarce_open_file("automatic");
	int err;

	scarce_view(f);
	OK(MPI_File_write_all(f, out, MINE, MPI_BYTE, MPI_STATUS_IGNORE));
	no_memory_begin();
	err = MPI_File_close(&f);
	expect(f == MPI_FILE_NULL);
	return no_memory_end(err, "close");
}

static MPI_File file;
static struct call call;

static bool step_view(void)
{
	MPI_Datatype t = scarce_comb();
	bool hit;

	no_memory_begin();
	hit = no_memory_end(MPI_File_set_view(file, check_rank * BLOCK, MPI_BYTE, t, "external32",
				    MPI_INFO_NULL),
		"set_view");
	OK(MPI_Type_free(&t));
	scarce_view(file);
	return hit;
}

static bool step_size(void)
{
	bool hit;

	no_memory_begin();
	hit = no_memory_end(MPI_File_set_size(file, (MPI_Offset)MINE * check_size), "set_size");
	no_memory_begin();
	hit = no_memory_end(MPI_File_set_atomicity(file, 0), "set_atomicity") || hit;
	no_memory_begin();
	hit = no_memory_end(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), "seek_shared") || hit;
	return hit;
}

/* Lacks memory at the start only. */
static int start_and_wait(MPI_Status *s)
{
	char *buf = call.write ? out : in;
	MPI_Request r;
	int err;

	if (call.form == SPLIT) {
		err = call_begin(file, &call, buf, MINE);
		no_memory.armed = false;
		return err != 0 ? err : call_end(file, &call, buf, s);
	}
	err = call_start(file, &call, buf, MINE, &r);
	no_memory.armed = false;
	return err != 0 ? err : MPI_Wait(&r, s);
}

static bool step_access(void)
{
	char what[80];
	MPI_Status s;
	bool hit;
	int err;

	call_rewind(file);
	snprintf(what, sizeof(what), "%s %s %s", form_words[call.form], where_words[call.where],
		call.write ? "write" : "read");
	no_memory_begin();
	err = messages ? start_and_wait(&s)
		       : call_run(file, &call, call.write ? out : in, MINE, &s);
	hit = no_memory_end(err, what);
	return hit;
}

static void scarce_right(void)
{
	MPI_Status s;

	scarce_view(file);
	OK(MPI_File_write_at_all(file, 0, out, MINE, MPI_BYTE, &s));
	memset(in, 0, sizeof(in));
	OK(MPI_File_read_at_all(file, 0, in, MINE, MPI_BYTE, &s));
	expect_eq(check_wrong(in, MINE, check_rank), -1);
}

static const char *rep;
static bool remote;

static void lack_in(const struct call *c)
{
	MPI_Datatype t = scarce_comb();

	OK(MPI_File_set_view(file, c->where == ORDERED ? 0 : check_rank * BLOCK, MPI_BYTE, t, rep,
		MPI_INFO_NULL));
	OK(MPI_Type_free(&t));
	call = *c;
	messages = call.form != NOW;
	if (messages ? call.where != ORDERED : !remote)
		scarce_each(step_access);
	scarce_right();
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	remote = check_has_remote();
	check_fill(out, MINE, check_rank);
	path = file_name("file_no_memory");
	if (!remote) {
		scarce_each(step_open);
		scarce_each(step_close);
	}
	for (int i = 0; i < 2; i++) {
		file = scarce_open_file(i == 0 ? "automatic" : "enable");
		scarce_view(file);
		rep = i == 0 ? "external32" : "native";
		call_each(lack_in);
		if (!remote) {
			scarce_each(step_view);
			scarce_each(step_size);
		}
		scarce_right();
		OK(MPI_File_close(&file));
	}
	file_delete(path);
	MPI_Finalize();
	return check_end();
}
