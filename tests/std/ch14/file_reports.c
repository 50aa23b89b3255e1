// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 env="HAFT_CHECK=io" */
/* RUN np=2 */
/* MPI-5.0 14.2.8, 15.3.7: Haft's reports on files: the line for a hint that it ignores, the table
 * of the hint haft_statistics, the performance variables file_..., and the room that haft_reserve
 * takes at open. */
#include "tests/std/ch14/file_name.h"
#include <sys/stat.h>
#include <unistd.h>

enum { N = 4096, RESERVE = 3 << 20 };

static char buf[N], said[4000];
static int terminal;

/* Standard error of rank 0 goes to a file from here on. */
static void report_listen(void)
{
	fflush(stderr);
	terminal = dup(2);
	CHECK(check_rank != 0 || freopen(file_name("said"), "w", stderr) != NULL);
}

static void heard(void)
{
	FILE *f;

	if (check_rank != 0)
		return;
	fflush(stderr);
	CHECK(dup2(terminal, 2) == 2);
	f = fopen(file_name("said"), "r");
	CHECK(f != NULL);
	said[fread(said, 1, sizeof(said) - 1, f)] = '\0';
	fclose(f);
	unlink(file_name("said"));
}

/* Rank 0 has said all of it. */
static bool report_says(const char *words)
{
	if (check_rank != 0 || strstr(said, words) != NULL)
		return true;
	fprintf(stderr, "not \"%s\" in:\n%s", words, said);
	return false;
}

static MPI_File report_open_with(const char *const pairs[][2], int n)
{
	MPI_Info info;
	MPI_File f;

	OK(MPI_Info_create(&info));
	for (int i = 0; i < n; i++)
		OK(MPI_Info_set(info, pairs[i][0], pairs[i][1]));
	OK(MPI_File_open(MPI_COMM_WORLD, file_name("reports"),
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_Info_free(&info));
	return f;
}

static void ignored_hints(void)
{
	static const char *const pairs[][2] = {{"cb_node", "2"}, {"cb_buffer_size", "many"},
		{"my_own_key", "1"}, {"haft_commit", "renam"}, {"haft_sink", "close"},
		{"file_perm", "9"}, {"access_style", "read_once,often"},
		{"collective_buffering", "perhaps"}, {"two\nlines", "1"}};
	MPI_File f;

	report_listen();
	f = report_open_with(pairs, 9);
	OK(MPI_File_close(&f));
	heard();
	expect(report_says("MPI_File_open of "));
	expect(report_says("ignores the hint \"haft_sink\": did you mean haft_sync\n"));
	if (getenv("HAFT_CHECK") == NULL) { /* only hints with this prefix */
		expect(strstr(said, "cb_node") == NULL && strstr(said, "file_perm") == NULL);
		return;
	}
	expect(report_says("ignores the hint \"cb_node\": did you mean cb_nodes"));
	expect(report_says(
		"ignores the hint \"cb_buffer_size\": \"many\" is no number from 1 to "));
	expect(report_says("ignores the hint \"haft_commit\": \"renam\" is none of none, rename, "
			   "replace: did you mean rename\n"));
	expect(report_says(
		"ignores the hint \"file_perm\": \"9\" is no octal number from 0 to 7777\n"));
	expect(report_says("ignores the hint \"access_style\": \"read_once,often\" is no value"));
	expect(report_says("ignores the hint \"collective_buffering\": \"perhaps\" is none of "
			   "automatic, true, false\n"));
	expect(report_says("ignores the hint \"my_own_key\"\n"));
	expect(report_says("ignores the hint \"two\\x0alines\"\n"));
}

/* Hints that only MPI_File_open takes; values in use already may be repeated. */
static void late_hints(void)
{
	static const char *const pairs[][2] = {{"file_perm", "640"}, {"nb_proc", "4"}};
	MPI_Info info;
	MPI_File f;

	report_listen();
	f = report_open_with(pairs, 2);
	OK(MPI_File_get_info(f, &info));
	OK(MPI_File_set_info(f, info));
	OK(MPI_Info_set(info, "file_perm", "600"));
	OK(MPI_Info_set(info, "striping_unit", "65536"));
	OK(MPI_File_set_info(f, info));
	OK(MPI_Info_free(&info));
	OK(MPI_File_close(&f));
	heard();
	expect(report_says("MPI_File_open of "));
	expect(report_says("ignores the hint \"nb_proc\"\n"));
	expect(report_says("MPI_File_set_info of "));
	expect(report_says("ignores the hint \"file_perm\": it comes too late"));
	expect(report_says("ignores the hint \"striping_unit\": it comes too late"));
	expect(check_rank != 0 ||
		strstr(strstr(said, "\"file_perm\"") + 1, "\"file_perm\"") == NULL);
}

/* Ranks that give different hints, several times: each is told once, with its ranks. */
static void differing_hints(void)
{
	const char *line;
	char words[80];
	MPI_Info info;
	MPI_File f;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "haft_everywhere", "1"));
	OK(MPI_Info_set(info, check_rank == 1 ? "haft_one" : "haft_others", "1"));
	report_listen();
	OK(MPI_File_open(MPI_COMM_WORLD, file_name("reports"),
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_File_set_info(f, info));
	OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", info));
	OK(MPI_Info_set(info, check_rank == 0 ? "haft_late" : "haft_everywhere", "1"));
	OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", info));
	OK(MPI_Info_free(&info));
	OK(MPI_File_close(&f));
	heard();
	if (check_rank != 0)
		return;
	line = strstr(said, "\"haft_everywhere\"");
	expect(report_says("MPI_File_open of ") && line != NULL);
	expect(line != NULL && line[strlen("\"haft_everywhere\"")] == '\n');
	expect(line != NULL && strstr(line + 1, "\"haft_everywhere\"") == NULL);
	if (check_size == 1)
		return;
	expect(report_says("ignores the hint \"haft_one\" (rank 1)\n"));
	expect(report_says("ignores the hint \"haft_late\" (rank 0)\n"));
	snprintf(words, sizeof(words), "\"haft_others\" (%s)\n",
		check_size == 2 ? "rank 0" : "2 of 3 ranks; the first is rank 0");
	expect(report_says(words));
	line = strstr(said, "\"haft_one\"");
	expect(line != NULL && strstr(line + 1, "\"haft_one\"") == NULL);
}

/* More runs than a rank remembers: it says so, once a file. */
static void many_runs(void)
{
	enum { RUNS = (1 << 20) + 2 };
	char *bytes = calloc(RUNS, 1);
	const char *line;
	MPI_Datatype tile;
	MPI_File f;

	CHECK(bytes != NULL);
	OK(MPI_Type_create_resized(MPI_BYTE, 0, 2, &tile));
	OK(MPI_Type_commit(&tile));
	report_listen();
	f = report_open_with(NULL, 0);
	OK(MPI_File_set_view(f, 2L * RUNS * check_rank, MPI_BYTE, tile, "native", MPI_INFO_NULL));
	for (int i = 0; i < 2; i++) {
		OK(MPI_File_write_at(f, 0, bytes, RUNS, MPI_BYTE, MPI_STATUS_IGNORE));
		OK(MPI_File_sync(f));
	}
	OK(MPI_File_close(&f));
	heard();
	OK(MPI_Type_free(&tile));
	free(bytes);
	if (check_rank != 0)
		return;
	line = strstr(said, "and further ones are not compared");
	expect((line != NULL) == (getenv("HAFT_CHECK") != NULL && check_size > 1));
	expect(line == NULL || strstr(line + 40, "are not compared") == NULL);
}

/* Writes of two ranks that meet: an error of each sync, and one line a file. */
static void overlap(void)
{
	MPI_File f;
	const char *line;

	report_listen();
	f = report_open_with(NULL, 0);
	for (int i = 0; i < 2; i++) {
		OK(MPI_File_write_at(f, 0, buf, N, MPI_BYTE, MPI_STATUS_IGNORE));
		if (check_size > 1)
			FAILS(MPI_ERR_OTHER, "were written by rank 0", MPI_File_sync(f));
	}
	OK(MPI_File_sync(f));
	OK(MPI_File_close(&f));
	heard();
	if (check_rank != 0 || check_size == 1)
		return;
	expect(report_says("haft: HAFT_CHECK=io: "));
	expect(report_says("bytes 0 to 4095 were written by rank 0 ("));
	line = strstr(said, "were written by rank");
	expect(line != NULL && strstr(line + 1, "were written by rank") == NULL);
	line = line != NULL ? strstr(line, "file_reports.c:") : NULL;
	expect(line != NULL && strstr(line + 1, "file_reports.c:") != NULL);
}

/* A performance variable, which counts from here on. */
static MPI_T_pvar_handle variable(MPI_T_pvar_session session, const char *name, int class)
{
	MPI_T_pvar_handle h;
	int i, count;

	OK(MPI_T_pvar_get_index(name, class, &i));
	OK(MPI_T_pvar_handle_alloc(session, i, NULL, &h, &count));
	OK(MPI_T_pvar_start(session, h));
	return h;
}

static long long report_value(MPI_T_pvar_session session, MPI_T_pvar_handle h)
{
	long long n = -1;

	OK(MPI_T_pvar_read(session, h, &n));
	return n;
}

static void statistics(void)
{
	static const char *const pairs[][2] = {
		{"haft_statistics", "true"}, {"romio_cb_write", "enable"}};
	MPI_Datatype t;
	MPI_File f;
	char line[80];

	report_listen();
	f = report_open_with(pairs, 2);
	OK(MPI_Type_vector(N / 16, 16, 16 * check_size, MPI_BYTE, &t));
	OK(MPI_Type_commit(&t));
	OK(MPI_File_set_view(f, 16 * check_rank, MPI_BYTE, t, "native", MPI_INFO_NULL));
	OK(MPI_Type_free(&t));
	OK(MPI_File_write_at_all(f, 0, buf, N, MPI_BYTE, MPI_STATUS_IGNORE));
	OK(MPI_File_read_at(f, 0, buf, 100, MPI_BYTE, MPI_STATUS_IGNORE));
	OK(MPI_File_close(&f));
	heard();
	snprintf(line, sizeof(line), "reports: %d rank", check_size);
	expect(report_says(line));
	snprintf(line, sizeof(line), "writes %10d calls %16d bytes", check_size, N * check_size);
	expect(report_says(line));
	snprintf(line, sizeof(line), "reads  %10d calls %16d bytes", check_size, 100 * check_size);
	expect(report_says(line));
	expect(report_says("s disk"));
	expect(report_says("s exchange"));
	if (check_size == 1)
		return;
	snprintf(line, sizeof(line), "%d aggregated", check_size);
	expect(report_says(line));
	snprintf(line, sizeof(line), "%d aggregated: a hint", check_size);
	expect(report_says(line));
}

static void variables(void)
{
	static const char *const pairs[][2] = {{"haft_statistics", "true"}};
	MPI_T_pvar_session session;
	MPI_T_pvar_handle calls, bytes, disk;
	MPI_File f;
	int level;

	report_listen();
	f = report_open_with(pairs, 1);
	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &level));
	OK(MPI_T_pvar_session_create(&session));
	calls = variable(session, "file_writes", MPI_T_PVAR_CLASS_COUNTER);
	bytes = variable(session, "file_written_bytes", MPI_T_PVAR_CLASS_AGGREGATE);
	disk = variable(session, "file_disk_ns", MPI_T_PVAR_CLASS_TIMER);
	OK(MPI_File_write_at(f, (MPI_Offset)N * check_rank, buf, N, MPI_BYTE, MPI_STATUS_IGNORE));
	expect_eq(report_value(session, calls), 1);
	expect_eq(report_value(session, bytes), N);
	expect(report_value(session, disk) > 0);
	OK(MPI_File_close(&f));
	expect_eq(report_value(session, calls), 1);
	OK(MPI_T_pvar_session_free(&session));
	OK(MPI_T_finalize());
	heard();
}

static void reserved(void)
{
	static const char *const pairs[][2] = {{"haft_reserve", "3145728"}};
	MPI_File f = report_open_with(pairs, 1);
	MPI_Offset size;
	struct stat st;

	OK(MPI_File_get_size(f, &size));
	expect_eq(size, 0);
	CHECK(stat(file_name("reports"), &st) == 0);
	expect(st.st_blocks * 512 >= RESERVE);
	OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	ignored_hints();
	differing_hints();
	if (getenv("HAFT_CHECK") != NULL) {
		late_hints();
		overlap();
	}
	many_runs();
	statistics();
	variables();
	reserved();
	MPI_Finalize();
	return check_end();
}
