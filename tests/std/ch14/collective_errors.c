// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4 */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 14.2.1, 14.4.2, 14.7, 14.8: a system call fails at one member of a collective access.
 * All members return one class, with the words of that member; none waits; the status has the bytes
 * moved; and the file can be used afterwards.  The limit of the size of files is of one process. */
#include "tests/check.h"
#include <signal.h>
#include <sys/resource.h>

#define LIMIT (64 << 10) /* bytes that the last rank may write to */
#define MINE  (128 << 10)
#define BLOCK 16

static MPI_File file;
static char path[400], buf[MINE];
static int last; /* the rank with the limit */

static void limit(bool on)
{
	struct rlimit now;

	if (check_rank != last)
		return;
	CHECK(getrlimit(RLIMIT_FSIZE, &now) == 0);
	now.rlim_cur = on ? LIMIT : now.rlim_max;
	CHECK(setrlimit(RLIMIT_FSIZE, &now) == 0);
}

static void coll_open_file(const char *cb_write)
{
	MPI_Datatype type;
	MPI_Info info;
	char nodes[12];

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "romio_cb_write", cb_write));
	OK(MPI_Info_set(info, "cb_buffer_size", "16384"));
	snprintf(nodes, sizeof(nodes), "%d", check_size); /* the last rank is an aggregator */
	OK(MPI_Info_set(info, "cb_nodes", nodes));
	OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
	OK(MPI_Info_free(&info));
	OK(MPI_Type_vector(MINE / BLOCK, BLOCK, BLOCK * check_size, MPI_BYTE, &type));
	OK(MPI_Type_commit(&type));
	OK(MPI_File_set_view(file, check_rank * BLOCK, MPI_BYTE, type, "native", MPI_INFO_NULL));
	OK(MPI_Type_free(&type));
}

/* All ranks have the error of one, and the bytes of no more than were given. */
static void expect_error(int err, MPI_Status *status)
{
	int class = 0, least, most, moved;

	if (err != 0)
		OK(MPI_Error_class(err, &class));
	OK(MPI_Allreduce(&class, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
	OK(MPI_Allreduce(&class, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
	expect_eq(least, most);
	expect_eq(class, MPI_ERR_IO);
	expect(error_says(err, "rank "));
	expect(error_says(err, path));
	OK(MPI_Get_count(status, MPI_BYTE, &moved));
	expect(moved >= 0 && moved <= MINE);
	if (check_rank == last)
		expect(moved < MINE);
}

static void write_and_fail(const char *cb_write)
{
	MPI_Status status;
	MPI_Request req;
	int err, moved;

	coll_open_file(cb_write);
	limit(true);
	err = MPI_File_write_at_all(file, 0, buf, MINE, MPI_BYTE, &status);
	expect_error(err, &status);
	OK(MPI_File_iwrite_at_all(file, 0, buf, MINE, MPI_BYTE, &req));
	err = MPI_Wait(&req, &status);
	expect_error(err, &status);
	limit(false);
	OK(MPI_File_write_at_all(file, 0, buf, MINE, MPI_BYTE, &status));
	OK(MPI_Get_count(&status, MPI_BYTE, &moved));
	expect_eq(moved, MINE);
	memset(buf, 0, sizeof(buf));
	OK(MPI_File_read_at_all(file, 0, buf, MINE, MPI_BYTE, &status));
	expect_eq(check_wrong(buf, MINE, check_rank), -1);
	check_fill(buf, MINE, check_rank);
	OK(MPI_File_close(&file));
}

/* An argument that one member alone gets wrong is an error of all. */
static void wrong_argument(void)
{
	MPI_Status status;
	int err, class;

	coll_open_file("automatic");
	err = MPI_File_write_at_all(
		file, check_rank == last ? -1 : 0, buf, MINE, MPI_BYTE, &status);
	OK(MPI_Error_class(err, &class));
	expect_eq(class, MPI_ERR_ARG);
	OK(MPI_File_write_at_all(file, 0, buf, MINE, MPI_BYTE, &status));
	OK(MPI_File_close(&file));
}

int main(int argc, char **argv)
{
	const char *dir = getenv("TMPDIR");

	check_init(&argc, &argv);
	last = check_size - 1;
	signal(SIGXFSZ, SIG_IGN);
	check_fill(buf, MINE, check_rank);
	snprintf(path, sizeof(path), "%s/collective_errors", dir != NULL ? dir : "/tmp");
	write_and_fail("automatic");
	write_and_fail("enable");
	write_and_fail("disable");
	wrong_argument();
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0)
		OK(MPI_File_delete(path, MPI_INFO_NULL));
	MPI_Finalize();
	return check_end();
}
