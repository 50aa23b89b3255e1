// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 14.4.2 to 14.4.5, 14.6.9, 14.7, 14.8: the k-th system call of one rank fails in a
 * collective access: blocking, nonblocking or split, ordered or not, by aggregators, with holes, or
 * by each rank itself.  All members return one class with the words of that rank, and none waits;
 * the next access is right.  Short and interrupted calls are no failures. */
#include "tests/failing_disk.h"
#include "tests/std/ch14/collective_calls.h"

enum { MINE = 1200, BLOCK = 20, CALLS = 3, ROOM = 2 * MINE };

/* Where data are, and which members move them. */
static const struct path {
	const char *wish;
	bool holes, one_view; /* every second block of all is a hole; all ranks have one view */
} paths[] = {{"enable", false, false}, {"enable", true, false}, {"automatic", true, false},
	{"disable", false, false}, {"disable", true, true}};

static const struct {
	int number, class;
	const char *word;
} faults[] = {{ENOSPC, MPI_ERR_NO_SPACE, "ENOSPC"}, {EDQUOT, MPI_ERR_QUOTA, "EDQUOT"},
	{EIO, MPI_ERR_IO, "EIO"}, {DISK_SHORT, 0, NULL}, {DISK_EINTR, 0, NULL}};

static char out[MINE], in[MINE];

static void fault_say(const struct path *w, const struct call *c, int rank, int nth, int how)
{
	fprintf(stderr, "rank %d: %s, holes %d, %s %s %s; call %d of rank %d goes wrong by %d\n",
		check_rank, w->wish, w->holes, form_words[c->form], where_words[c->where],
		c->write ? "write" : "read", nth, rank, how);
}

static MPI_File fault_open_file(const char *path, const struct path *w)
{
	int stride = BLOCK * (w->holes ? 2 : 1) * (w->one_view ? 1 : check_size);
	MPI_Datatype t;
	MPI_Info info;
	MPI_File f;
	char nodes[12];

	snprintf(nodes, sizeof(nodes), "%d", check_size);
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "romio_cb_write", w->wish));
	OK(MPI_Info_set(info, "romio_cb_read", w->wish));
	OK(MPI_Info_set(info, "cb_buffer_size", "1024"));
	OK(MPI_Info_set(info, "cb_nodes", nodes));
	OK(MPI_File_open(MPI_COMM_WORLD, path,
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_Info_free(&info));
	OK(MPI_Type_vector(MINE / BLOCK, BLOCK, stride, MPI_BYTE, &t));
	OK(MPI_Type_create_resized(t, 0, (MPI_Aint)(MINE / BLOCK) * stride, &t));
	OK(MPI_Type_commit(&t));
	OK(MPI_File_set_view(
		f, w->one_view ? 0 : check_rank * BLOCK, MPI_BYTE, t, "native", MPI_INFO_NULL));
	return f;
}

/* The class that all ranks have, or -1 if they differ. */
static int class_of_all(int err)
{
	int class = 0, both[2], all[2];

	if (err != 0)
		OK(MPI_Error_class(err, &class));
	both[0] = class;
	both[1] = -class;
	OK(MPI_Allreduce(both, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
	return all[0] == -all[1] ? class : -1;
}

/* Writes and reads all without a fault. */
static bool fault_right(MPI_File f, const struct call *c)
{
	struct call again = *c;
	MPI_Status s;

	for (int write = 1; write >= 0; write--) {
		again.write = write;
		call_rewind(f);
		memset(in, 0, sizeof(in));
		OK(call_run(f, &again, write ? out : in, MINE, &s));
		if (!expect_eq(file_bytes(&s), MINE))
			return false;
	}
	return expect_eq(check_wrong(in, MINE, check_rank), -1);
}

/* One fault.  False: the rank makes fewer calls than nth. */
static bool disturb(
	MPI_File f, const struct path *w, const struct call *c, int rank, int nth, int which)
{
	enum disk_call kind = c->write ? DISK_PWRITE : DISK_PREAD;
	int before = disk[kind].failures, err, class, wrong, hit, any;
	MPI_Status s;

	call_rewind(f);
	if (check_rank == rank)
		disk_arm(kind, nth, faults[which].number);
	err = call_run(f, c, c->write ? out : in, MINE, &s);
	disk_disarm();
	hit = disk[kind].failures != before;
	OK(MPI_Allreduce(&hit, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
	class = class_of_all(err);
	wrong = check_failed;
	expect_eq(class, any ? faults[which].class : 0);
	if (err == 0) {
		expect_eq(file_bytes(&s), MINE);
	} else if (any && faults[which].word != NULL) {
		char who[40];

		snprintf(who, sizeof(who), "failed on rank %d of %d, host", rank, check_size);
		expect(error_says(err, who));
		expect(error_says(err, faults[which].word));
		if (c->form == NOW)
			expect(file_bytes(&s) >= 0 && file_bytes(&s) <= MINE);
	}
	fault_right(f, c);
	if (check_failed != wrong)
		fault_say(w, c, rank, nth, faults[which].number);
	return any != 0;
}

static MPI_File file;
static const struct path *path;

static void disturb_all(const struct call *c)
{
	int faults_n = (int)(sizeof(faults) / sizeof(faults[0]));

	if (path->one_view != (c->where == ORDERED))
		return;
	fault_right(file, c);
	for (int i = 0; i < check_size * CALLS; i++) {
		int rank = i / CALLS, nth = 1 + i % CALLS;
		int which = (rank + nth + (int)c->where + (int)c->form) % faults_n;

		if (disturb(file, path, c, rank, nth, which))
			disturb(file, path, c, rank, nth, (which + 2) % faults_n);
	}
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	check_fill(out, MINE, check_rank);
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		path = &paths[i];
		file = fault_open_file(file_name("collective_faults"), path);
		call_each(disturb_all);
		OK(MPI_File_close(&file));
	}
	expect(disk[DISK_PWRITE].failures > 100 && disk[DISK_PREAD].failures > 50);
	MPI_Finalize();
	return check_end();
}
