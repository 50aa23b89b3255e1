// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 env="HAFT_IO_THREADS=0|2" */
/* MPI-5.0 14.4.1, 14.7, 14.8: each failure of the system has its class, words with path, offset and
 * reason, and a status that says how much was moved; the next access works.  Interrupted and short
 * calls are no failures.  Contiguous, gathered and scattered accesses, blocking and not. */
#include "tests/check.h"
#include "tests/failing_disk.h"
#include "tests/std/ch14/file_name.h"

#define N 600000

static char out[2 * N], in[2 * N];
static const char *name;

/* How data lie in memory and in the file. */
struct layout {
	const char *words;
	MPI_Datatype memory, filetype;
	int count;
};

enum { LAYOUTS = 5 };
static struct layout layouts[LAYOUTS];

/* Blocks of `len' bytes, every second one. */
static MPI_Datatype disk_gaps(int len)
{
	MPI_Datatype t, all;

	OK(MPI_Type_vector(N / len, len, 2 * len, MPI_BYTE, &t));
	OK(MPI_Type_create_resized(t, 0, 2 * N, &all));
	OK(MPI_Type_commit(&all));
	OK(MPI_Type_free(&t));
	return all;
}

static void layouts_make(void)
{
	layouts[0] = (struct layout){"contiguous", MPI_BYTE, MPI_BYTE, N};
	layouts[1] = (struct layout){"short pieces of memory", disk_gaps(24), MPI_BYTE, 1};
	layouts[2] = (struct layout){"long pieces of memory", disk_gaps(6000), MPI_BYTE, 1};
	layouts[3] = (struct layout){"short runs of the file", MPI_BYTE, disk_gaps(24), N};
	layouts[4] = (struct layout){"long runs of the file", disk_gaps(24), disk_gaps(30000), 1};
}

static int disk_move(MPI_File f, const struct layout *l, bool write, bool later, MPI_Status *s)
{
	char *buf = write ? out : in;
	MPI_Request r;
	int err;

	if (!later)
		return write ? MPI_File_write_at(f, 0, buf, l->count, l->memory, s)
			     : MPI_File_read_at(f, 0, buf, l->count, l->memory, s);
	err = write ? MPI_File_iwrite_at(f, 0, buf, l->count, l->memory, &r)
		    : MPI_File_iread_at(f, 0, buf, l->count, l->memory, &r);
	return err != 0 ? err : MPI_Wait(&r, s);
}

/* Writes and reads all, and compares. */
static void disk_works(MPI_File f, const struct layout *l, bool later)
{
	MPI_Status s;
	MPI_Count n;
	int at = 0;

	memset(in, 0, sizeof(in));
	OK(disk_move(f, l, true, later, &s));
	OK(MPI_Get_count_c(&s, MPI_BYTE, &n));
	expect_eq(n, N);
	OK(disk_move(f, l, false, later, &s));
	OK(MPI_Get_count_c(&s, MPI_BYTE, &n));
	expect_eq(n, N);
	for (int step = l->memory == MPI_BYTE ? 1 : 1 << 20; at < N && step == 1; at++)
		if (in[at] != out[at])
			break;
	if (l->memory == MPI_BYTE)
		expect_eq(at, N);
	else
		expect_eq(memcmp(in, out, 24), 0); /* the first piece of each */
}

static void disk_fails(MPI_File f, const struct layout *l, bool write, bool later, int how,
	int class, const char *word)
{
	char words[MPI_MAX_ERROR_STRING];
	int err, found, len;
	MPI_Status s;
	MPI_Count n;

	disk_arm(write ? DISK_PWRITE : DISK_PREAD, 1, how);
	err = disk_move(f, l, write, later, &s);
	disk_disarm();
	MPI_Error_class(err, &found);
	MPI_Error_string(err, words, &len);
	if (!expect(found == class) || !expect(strstr(words, word) != NULL) ||
		!expect(strstr(words, "disk_faults") != NULL))
		fprintf(stderr, "%s, %s: %s\n", l->words, write ? "write" : "read", words);
	if (later || found != class)
		return;
	OK(MPI_Get_count_c(&s, MPI_BYTE, &n));
	expect_eq(n, 0);
}

static void faults(MPI_File f, const struct layout *l, bool later)
{
	static const struct {
		int number, class;
		const char *word;
	} all[] = {{ENOSPC, MPI_ERR_NO_SPACE, "No space"}, {EDQUOT, MPI_ERR_QUOTA, "EDQUOT"},
		{EIO, MPI_ERR_IO, "EIO"}, {EROFS, MPI_ERR_READ_ONLY, "EROFS"},
		{EFBIG, MPI_ERR_IO, "ulimit"}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		disk_fails(f, l, true, later, all[i].number, all[i].class, all[i].word);
		disk_works(f, l, later);
	}
	disk_fails(f, l, false, later, EIO, MPI_ERR_IO, "pread");
	disk_works(f, l, later);
}

/* Moves all in spite of short and interrupted calls. */
static void disturbed(MPI_File f, const struct layout *l, bool later)
{
	const int how[] = {DISK_SHORT, DISK_EINTR};

	for (int i = 0; i < 2; i++) {
		disk_arm(DISK_PREAD, 1, how[i]);
		disk_arm(DISK_PWRITE, 1, how[i]);
		disk_works(f, l, later);
		expect(disk[DISK_PWRITE].failures > 0 && disk[DISK_PREAD].failures > 0);
		disk_disarm();
	}
}

/* The disk is full after two calls: the status counts the bytes written before. */
static void full_midway(MPI_File f, const struct layout *l)
{
	MPI_Status s;
	MPI_Count n;
	int class, err;

	disk_arm(DISK_PWRITE, 3, ENOSPC);
	err = disk_move(f, l, true, false, &s);
	disk_disarm();
	MPI_Error_class(err, &class);
	if (err == 0)
		return; /* it took two calls or fewer */
	expect_eq(class, MPI_ERR_NO_SPACE);
	OK(MPI_Get_count_c(&s, MPI_BYTE, &n));
	expect(n > 0 && n < N);
}

int main(int argc, char **argv)
{
	MPI_File f;

	check_init(&argc, &argv);
	name = file_name("disk_faults");
	check_fill(out, sizeof(out), 1);
	layouts_make();
	f = file_create(MPI_COMM_WORLD, name, 0);
	for (int i = 0; i < LAYOUTS; i++) {
		OK(MPI_File_set_view(f, 0, MPI_BYTE, layouts[i].filetype, "native", MPI_INFO_NULL));
		for (int later = 0; later < 2; later++) {
			disk_works(f, &layouts[i], later);
			faults(f, &layouts[i], later);
			disturbed(f, &layouts[i], later);
		}
		full_midway(f, &layouts[i]);
	}
	OK(MPI_File_close(&f));
	for (int i = 0; i < LAYOUTS; i++) {
		if (layouts[i].memory != MPI_BYTE)
			OK(MPI_Type_free(&layouts[i].memory));
		if (layouts[i].filetype != MPI_BYTE)
			OK(MPI_Type_free(&layouts[i].filetype));
	}
	OK(MPI_File_delete(name, MPI_INFO_NULL));
	MPI_Finalize();
	return check_end();
}
