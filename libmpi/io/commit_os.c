// SPDX-License-Identifier: BSD-3-Clause
/* commit_os.c - names of temporary files, their contents, and deleting those of dead processes.
 *
 *      old file     ######........######      data, a hole, data: lseek(2)
 *      temporary    ######........######      the data by copy_file_range(2), else by a buffer
 *
 * The kernel's copy shares the blocks on file systems that can. */
#include "libmpi/io/commit.h"

#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/num.h"
#include "libmpi/io/disk.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/lock.h"
#include "libmpi/via/via.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMIT_MARK  ".haft-"
#define COMMIT_LINKS 40                     /* symbolic links in a row; as the kernel */
#define COMMIT_COPY  MEAN_OR(64, 256 << 10) /* bytes that are copied at a time by a buffer */

/* --- names ---------------------------------------------------------------------------------- */

/* A number of this host's processes: of its name and the space of process numbers. */
static uint32_t commit_pid_space(void)
{
	uint32_t h = io_lock_pid_ns();

	for (const char *s = via_host(via.me); *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * 0x01000193u;
	return h;
}

struct io_temporary io_commit_mine(uint64_t number)
{
	return (struct io_temporary){number, commit_pid_space(), io_lock_process()};
}

bool io_commit_wanted(const struct io_file *f)
{
	const int once = MPI_MODE_CREATE | MPI_MODE_EXCL;
	struct stat st;

	if (io_hint(f, IO_HAFT_COMMIT) == IO_COMMIT_NONE ||
		(f->amode & (MPI_MODE_RDONLY | MPI_MODE_DELETE_ON_CLOSE)) != 0)
		return false;
	if ((f->amode & once) == once && io_disk_exists(f->path))
		return false;
	return stat(f->path, &st) == 0 ? S_ISREG(st.st_mode) : (f->amode & MPI_MODE_CREATE) != 0;
}

/* The target of a symbolic link, malloc'ed; NULL: it is none, or errno says why. */
static char *commit_link(const char *path)
{
	const char *slash = strrchr(path, '/');
	char to[PATH_MAX], *next;
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	if (n < 0)
		return NULL;
	to[n] = '\0';
	if (to[0] == '/' || slash == NULL)
		return strdup(to);
	return asprintf(&next, "%.*s%s", (int)(slash + 1 - path), path, to) < 0 ? NULL : next;
}

/* The name behind all links, which need not exist; malloc'ed.  NULL: no memory. */
static char *commit_target(const char *path)
{
	char *target = strdup(path), *next;

	for (int i = 0; i < COMMIT_LINKS && target != NULL; i++) {
		next = commit_link(target);
		if (next == NULL && errno == ENOMEM) {
			free(target);
			return NULL;
		}
		if (next == NULL)
			break;
		free(target);
		target = next;
	}
	return target;
}

int io_commit_name(struct io_file *f, const struct io_temporary *c)
{
	char *target = commit_target(f->path), *other = NULL;

	if (target == NULL || asprintf(&other, "%s" COMMIT_MARK "%08x-%d-%" PRIx64, target,
				      c->space, c->pid, c->number) < 0) {
		free(target);
		return haft_err(MPI_ERR_NO_MEM, "no memory for the name of a temporary file");
	}
	free(f->path);
	f->final_path = target;
	f->path = other;
	return 0;
}

/* --- contents ------------------------------------------------------------------------------- */

/* Copies n bytes at `at', in the kernel if it can.  Returns errno, or 0. */
static int commit_copy_range(int from, int to, off_t at, off_t n, char **buf)
{
	off_t end = at + n, out = at;

	while (at < end) {
		ssize_t got = copy_file_range(from, &at, to, &out, (size_t)(end - at), 0);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
	}
	if (at < end && *buf == NULL && (*buf = malloc(COMMIT_COPY)) == NULL)
		return ENOMEM;
	while (at < end) {
		ssize_t got = pread(from, *buf, (size_t)num_min(COMMIT_COPY, end - at), at);

		for (ssize_t done = 0, put; done<got; done += put> 0 ? put : 0) {
			put = pwrite(to, *buf + done, (size_t)(got - done), at + done);
			if (put < 0 && errno != EINTR)
				return errno;
		}
		if (got == 0 || (got < 0 && errno != EINTR))
			return got == 0 ? 0 : errno; /* the old file has become shorter */
		at += got > 0 ? got : 0;
	}
	return 0;
}

/* Copies the data of a file of `size' bytes, and leaves its holes out. */
static int commit_copy_data(int from, int to, off_t size)
{
	char *buf = NULL;
	off_t data = 0, hole;
	int os_error = 0;

	while (data < size && os_error == 0) {
		off_t next = lseek(from, data, SEEK_DATA);

		if (next < 0 && errno == ENXIO)
			break; /* only a hole is left */
		hole = next < 0 ? size : lseek(from, next, SEEK_HOLE);
		data = next < 0 ? data : next;
		hole = hole < 0 ? size : num_min(hole, size);
		os_error = commit_copy_range(from, to, data, hole - data, &buf);
		data = hole;
	}
	free(buf);
	if (os_error == 0 && ftruncate(to, size) != 0)
		os_error = errno;
	return os_error;
}

/* Makes `to' a file with the data, the owner and the permissions of `from'.  Another owner keeps no
 * bits that give rights of the owner. */
static int commit_copy(int from, int to, bool data)
{
	struct stat st;
	int os_error;

	if (fstat(from, &st) != 0)
		return errno;
	os_error = data ? commit_copy_data(from, to, st.st_size) : 0;
	if (os_error != 0)
		return os_error;
	if (fchown(to, st.st_uid, st.st_gid) != 0 && fchown(to, (uid_t)-1, st.st_gid) != 0)
		st.st_mode &= 0777;
	return fchmod(to, st.st_mode & 07777) == 0 ? 0 : errno;
}

/* Returns errno, or 0. */
static int commit_make(const struct io_file *f, bool *made)
{
	bool data = io_hint(f, IO_HAFT_COMMIT) == IO_COMMIT_RENAME;
	bool writable = faccessat(AT_FDCWD, f->final_path, W_OK, AT_EACCESS) == 0;
	int from = open(f->final_path, (data ? O_RDONLY : O_PATH) | O_CLOEXEC), to = -1;
	int os_error = from < 0 && errno != ENOENT ? errno : 0;

	if (from >= 0 && !writable)
		os_error = EACCES;
	if (from >= 0 && os_error == 0) {
		to = open(f->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		os_error = to < 0 ? errno : commit_copy(from, to, data);
	}
	*made = to >= 0;
	if (to >= 0)
		close(to);
	if (from >= 0)
		close(from);
	return os_error;
}

int io_commit_begin(struct io_file *f, bool *made)
{
	int os_error;
	bool had;

	io_disk_limit_begin();
	had = haft_user_begin();
	os_error = commit_make(f, made);
	haft_user_end(had);
	io_disk_limit_end();
	if (os_error == 0)
		return 0;
	return io_disk_error(
		f, os_error, "copying %s, as haft_commit wants, to a new file", f->final_path);
}

/* --- what dead jobs left -------------------------------------------------------------------- */

/* Is `name' a temporary file of `base', of a process of this host that is gone? */
static bool commit_is_left(const char *name, const char *base)
{
	size_t n = strlen(base), mark = strlen(COMMIT_MARK);
	unsigned space;
	int pid, end = 0;

	if (strncmp(name, base, n) != 0 || strncmp(name + n, COMMIT_MARK, mark) != 0)
		return false;
	if (sscanf(name + n + mark, "%8x-%d-%*x%n", &space, &pid, &end) != 2 || end == 0)
		return false;
	return name[n + mark + (size_t)end] == '\0' && space == commit_pid_space() &&
	       io_lock_process_gone(pid, io_lock_pid_ns());
}

void io_commit_sweep(const struct io_file *f)
{
	const char *slash = f->final_path != NULL ? strrchr(f->final_path, '/') : NULL;
	char *folder =
		slash != NULL ? strndup(f->final_path, (size_t)(slash - f->final_path) + 1) : NULL;
	DIR *dir = folder != NULL ? opendir(folder) : NULL;

	free(folder);
	if (dir == NULL)
		return;
	for (struct dirent *e = readdir(dir); e != NULL; e = readdir(dir))
		if (commit_is_left(e->d_name, slash + 1))
			unlinkat(dirfd(dir), e->d_name, 0);
	closedir(dir);
}
