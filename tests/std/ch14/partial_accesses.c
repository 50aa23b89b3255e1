// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* RUN np=2 env="HAFT_VIA=net" */
/* MPI-5.0 14.4.1, 14.2.8: nonblocking and split accesses that move less than asked for: status,
 * error, the performance variables file_..., and the table of the hint haft_statistics. */
#include "tests/std/ch14/file_name.h"
#include <sys/resource.h>
#include <unistd.h>

enum { N = 300000, LIMIT = 200000, SIZE = 1000 };

static char buf[N], said[4000];
static MPI_T_pvar_session session;

static MPI_T_pvar_handle moved[2], failed, partial, later, later_ns;

static MPI_T_pvar_handle counter(const char *name, int class)
{
	MPI_T_pvar_handle h;
	int i, count;

	OK(MPI_T_pvar_get_index(name, class, &i));
	OK(MPI_T_pvar_handle_alloc(session, i, NULL, &h, &count));
	OK(MPI_T_pvar_start(session, h));
	return h;
}

static long long partial_value(MPI_T_pvar_handle h)
{
	long long n = -1;

	OK(MPI_T_pvar_read(session, h, &n));
	return n;
}

static void partial_begin(void)
{
	int level;

	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
	OK(MPI_T_pvar_session_create(&session));
	moved[0] = counter("file_read_moved", MPI_T_PVAR_CLASS_AGGREGATE);
	moved[1] = counter("file_written_moved", MPI_T_PVAR_CLASS_AGGREGATE);
	failed = counter("file_failed", MPI_T_PVAR_CLASS_COUNTER);
	partial = counter("file_partial", MPI_T_PVAR_CLASS_COUNTER);
	later = counter("file_later", MPI_T_PVAR_CLASS_COUNTER);
	later_ns = counter("file_later_ns", MPI_T_PVAR_CLASS_TIMER);
}

static int bytes(const MPI_Status *s)
{
	int n;

	OK(MPI_Get_count(s, MPI_BYTE, &n));
	return n;
}

/* Reads that meet the end of the file, in each form. */
static void short_reads(MPI_File f)
{
	MPI_Request r;
	MPI_Status s;

	OK(MPI_File_iread_at(f, SIZE - 10, buf, 100, MPI_BYTE, &r));
	OK(MPI_Wait(&r, &s));
	expect_eq(bytes(&s), 10);
	OK(MPI_File_iread_at_all(f, SIZE - 20, buf, 100, MPI_BYTE, &r));
	OK(MPI_Wait(&r, &s));
	expect_eq(bytes(&s), 20);
	OK(MPI_File_read_at_all_begin(f, SIZE - 30, buf, 100, MPI_BYTE));
	OK(MPI_File_read_at_all_end(f, buf, &s));
	expect_eq(bytes(&s), 30);
	OK(MPI_File_read_at(f, SIZE - 40, buf, 100, MPI_BYTE, &s));
	expect_eq(bytes(&s), 40);
	expect_eq(partial_value(moved[0]), 100);
	expect_eq(partial_value(partial), 4);
	expect_eq(partial_value(later), 3);
	expect_eq(partial_value(failed), 0);
	expect(partial_value(later_ns) > 0);
}

/* A call that is refused is no access: neither counted nor failed. */
static void partial_refused(MPI_File f)
{
	MPI_Request r;

	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
	FAILS(MPI_ERR_IO, "whole etypes",
		MPI_File_write_at_all(f, 0, buf, 3, MPI_BYTE, MPI_STATUS_IGNORE));
	FAILS(MPI_ERR_IO, "whole etypes", MPI_File_iwrite_at(f, 0, buf, 3, MPI_BYTE, &r));
	OK(MPI_File_iwrite_at_all(f, 0, buf, 3, MPI_BYTE, &r));
	FAILS(MPI_ERR_IO, "whole etypes", MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
	expect_eq(partial_value(failed), 0);
	expect_eq(partial_value(later), 0);
}

/* A write that the limit of the file's size cuts. */
static void short_write(MPI_File f)
{
	const struct rlimit all = {LIMIT, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
	long long before = partial_value(moved[1]);
	MPI_Request r;
	MPI_Status s;

	CHECK(setrlimit(RLIMIT_FSIZE, &all) == 0);
	OK(MPI_File_iwrite_at(f, 0, buf, N, MPI_BYTE, &r));
	FAILS(MPI_ERR_IO, "EFBIG", MPI_Wait(&r, &s));
	expect_eq(bytes(&s), LIMIT);
	OK(MPI_File_iwrite_at_all(f, 0, buf, N, MPI_BYTE, &r));
	FAILS(MPI_ERR_IO, "EFBIG", MPI_Wait(&r, &s));
	expect_eq(bytes(&s), LIMIT);
	CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
	expect_eq(partial_value(moved[1]) - before, 2 * LIMIT);
	expect_eq(partial_value(failed), 2);
	expect_eq(partial_value(partial), 4);
	expect_eq(partial_value(later), 5);
}

/* The table of rank 0. */
static void table(void)
{
	char line[160];
	FILE *t;

	if (check_rank != 0)
		return;
	t = fopen(file_name("said"), "r");
	CHECK(t != NULL);
	said[fread(said, 1, sizeof(said) - 1, t)] = '\0';
	fclose(t);
	unlink(file_name("said"));
	snprintf(line, sizeof(line), "later  %10d calls did not block: ", 5 * check_size);
	expect(strstr(said, line) != NULL);
	snprintf(line, sizeof(line),
		"short  %10d calls failed, %d moved less than asked for: %d bytes read and %d w",
		2 * check_size, 4 * check_size, 100 * check_size, (2 * LIMIT + SIZE) * check_size);
	expect(strstr(said, line) != NULL);
}

int main(int argc, char **argv)
{
	MPI_Info info;
	MPI_File f;
	int terminal;

	check_init(&argc, &argv);
	fflush(stderr);
	terminal = dup(2);
	CHECK(check_rank != 0 || freopen(file_name("said"), "w", stderr) != NULL);
	partial_begin();
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "haft_statistics", "true"));
	OK(MPI_File_open(MPI_COMM_WORLD, file_name("short"),
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_Info_free(&info));
	OK(MPI_File_write_at_all(f, 0, buf, SIZE, MPI_BYTE, MPI_STATUS_IGNORE));
	partial_refused(f);
	short_reads(f);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	short_write(f);
	OK(MPI_File_close(&f));
	fflush(stderr);
	CHECK(dup2(terminal, 2) == 2);
	table();
	OK(MPI_T_pvar_session_free(&session));
	OK(MPI_T_finalize());
	MPI_Finalize();
	return check_end();
}
