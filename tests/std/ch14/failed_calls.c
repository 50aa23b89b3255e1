// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,3 */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 14.4.1, 14.6.1, 14.7: a call that fails at one rank fails on all, and leaves the pointers
 * of all ranks as they were: the individual one, and the shared one.  MPI_File_sync likewise. */
#include "tests/failing_disk.h"
#include "tests/std/ch14/collective_calls.h"

enum { N = 300, FROM = 7 };

static char buf[N];
static MPI_File file;
static int last;
static bool local; /* the shared pointer is in memory here: a failed call gives back its place */

static void equal_class(int err, int want)
{
	int class = 0;

	if (err != 0)
		OK(MPI_Error_class(err, &class));
	expect_eq(class, want);
}

static void pointers(const char *what)
{
	MPI_Offset one, all;

	OK(MPI_File_get_position(file, &one));
	OK(MPI_File_get_position_shared(file, &all));
	if (!expect(one == FROM + check_rank && all == FROM))
		fprintf(stderr, "rank %d: %s: pointers %lld and %lld\n", check_rank, what,
			(long long)one, (long long)all);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void rewind_both(void)
{
	OK(MPI_File_seek(file, FROM + check_rank, MPI_SEEK_SET));
	OK(MPI_File_seek_shared(file, FROM, MPI_SEEK_SET));
}

static void disk_fails(bool on)
{
	if (on && check_rank == last) {
		disk_arm(DISK_PWRITE, 1, EIO);
		disk_arm(DISK_PREAD, 1, EIO);
	}
	if (!on)
		disk_disarm();
}

static void collective(const struct call *c)
{
	char what[60];
	MPI_Status s;

	if (c->form == LATER && c->where != AT)
		return; /* its pointer moves when it begins */
	snprintf(what, sizeof(what), "%s %s %s", form_words[c->form], where_words[c->where],
		c->write ? "write" : "read");
	rewind_both();
	disk_fails(true);
	equal_class(call_run(file, c, buf, N, &s), MPI_ERR_IO);
	disk_fails(false);
	pointers(what);
	OK(call_run(file, c, buf, N, &s));
	expect_eq(file_bytes(&s), N);
}

static void failed_alone(void)
{
	MPI_Status s;

	rewind_both();
	disk_fails(true);
	equal_class(
		MPI_File_write(file, buf, N, MPI_BYTE, &s), check_rank == last ? MPI_ERR_IO : 0);
	if (check_rank == last && local)
		equal_class(MPI_File_write_shared(file, buf, N, MPI_BYTE, &s), MPI_ERR_IO);
	disk_fails(false);
	if (check_rank != last)
		OK(MPI_File_seek(file, FROM + check_rank, MPI_SEEK_SET));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	pointers("independent");
}

static void sync_fails(void)
{
	OK(MPI_File_write_at(file, check_rank, buf, 1, MPI_BYTE, MPI_STATUS_IGNORE));
	if (check_rank == last)
		disk_arm(DISK_SYNC, 1, EIO);
	FAILS(MPI_ERR_IO, "fdatasync", MPI_File_sync(file));
	disk_disarm();
	OK(MPI_File_sync(file));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	last = check_size - 1;
	check_local(0, &local);
	check_fill(buf, N, check_rank);
	file = file_new(MPI_COMM_WORLD, file_name("failed"));
	OK(MPI_File_set_size(file, 8192));
	call_each(collective);
	failed_alone();
	sync_fails();
	OK(MPI_File_close(&file));
	MPI_Finalize();
	return check_end();
}
