// SPDX-License-Identifier: BSD-3-Clause
/* file_ends.c - a collective write in which the last rank comes to harm; for file_ends.sh.
 *
 *     file_ends PATH kill|stop|full|whole enable|disable now|later|split [rename]
 *     file_ends PATH forgets|aborts enable|disable now|later|split rename
 *     file_ends PATH drops enable now
 *     file_ends PATH hang
 *
 * kill, stop: the last rank is killed or stopped in a system call.  full: the file system is.
 * whole: nothing happens.  forgets: MPI_Finalize without MPI_File_close.  aborts: MPI_Abort.
 * drops: the file cannot be opened, and the program goes on.  rename: with the hint
 * haft_commit=rename.  hang: the third system call of a long write of the last rank hangs. */
#include "tests/failing_disk.h"
#include "tests/std/ch14/collective_calls.h"

enum { MINE = 2 << 20, BLOCK = 4096 };

static char buf[MINE];

static MPI_File file_open_file(const char *path, const char *wish, bool rename)
{
	MPI_Datatype t;
	MPI_Info info;
	MPI_File f;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "romio_cb_write", wish));
	OK(MPI_Info_set(info, "cb_buffer_size", "65536"));
	OK(MPI_Info_set(info, "haft_commit", rename ? "rename" : "none"));
	OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &f));
	OK(MPI_Info_free(&info));
	OK(MPI_Type_vector(MINE / BLOCK, BLOCK, BLOCK * check_size, MPI_BYTE, &t));
	OK(MPI_Type_commit(&t));
	OK(MPI_File_set_view(f, check_rank * BLOCK, MPI_BYTE, t, "native", MPI_INFO_NULL));
	OK(MPI_Type_free(&t));
	return f;
}

static void read_back(MPI_File f)
{
	memset(buf, 0, MINE);
	OK(MPI_File_read_at_all(f, 0, buf, MINE, MPI_BYTE, MPI_STATUS_IGNORE));
	expect_eq(check_wrong(buf, MINE, check_rank), -1);
}

/* All members have the error, and the file can be used again. */
static void file_full(MPI_File f, int err)
{
	MPI_Status s;

	FAILS(MPI_ERR_NO_SPACE, "No space left", err);
	OK(MPI_File_set_size(f, 0));
	OK(MPI_File_write_at_all(f, 0, buf, BLOCK, MPI_BYTE, &s));
	expect_eq(file_bytes(&s), BLOCK);
}

/* Two of three parts are written. */
static void file_hang(const char *path)
{
	enum { LONG = 192 << 20 };
	char *data = calloc(LONG, 1);
	MPI_File f;

	OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	if (check_rank == check_size - 1) {
		disk_arm(DISK_PWRITE, 3, DISK_HANG);
		OK(MPI_File_write_at(f, 0, data, LONG, MPI_BYTE, MPI_STATUS_IGNORE));
	}
	OK(MPI_File_close(&f));
}

int main(int argc, char **argv)
{
	struct call c = {.where = AT, .write = true};
	bool stop, kills;
	MPI_Status s;
	MPI_File f;
	int err;

	check_init(&argc, &argv);
	if (argc == 3)
		file_hang(argv[1]);
	CHECK(argc >= 5);
	if (strcmp(argv[2], "drops") == 0) {
		MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_RDWR, MPI_INFO_NULL, &f);
		MPI_Finalize();
		return 0;
	}
	stop = strcmp(argv[2], "stop") == 0;
	kills = strcmp(argv[2], "kill") == 0;
	c.form = argv[4][0] == 'n' ? NOW : argv[4][0] == 'l' ? LATER : SPLIT;
	check_fill(buf, MINE, check_rank);
	f = file_open_file(argv[1], argv[3], argc > 5);
	if ((stop || kills) && check_rank == check_size - 1)
		disk_arm(DISK_PWRITE, 3, stop ? DISK_STOP : DISK_KILL);
	err = call_run(f, &c, buf, MINE, &s);
	if (strcmp(argv[2], "full") == 0) {
		file_full(f, err);
	} else {
		OK(err);
		expect_eq(file_bytes(&s), MINE);
		read_back(f);
	}
	if (strcmp(argv[2], "aborts") == 0 && check_rank == 1)
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (strcmp(argv[2], "forgets") != 0)
		OK(MPI_File_close(&f));
	MPI_Finalize();
	return check_end();
}
