// SPDX-License-Identifier: BSD-3-Clause
/* commit_os.c - names of temporary files, and deleting those of dead processes. */
#include "libmpi/io/commit.h"

#include "libmpi/core/err.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/lock.h"
#include "libmpi/via/via.h"
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMIT_MARK ".haft-"

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

int io_commit_name(struct io_file *f, const struct io_temporary *c)
{
	char *other;

	if (io_hint(f, IO_HAFT_COMMIT) != IO_COMMIT_RENAME || (f->amode & MPI_MODE_CREATE) == 0)
		return 0;
	if (asprintf(&other, "%s" COMMIT_MARK "%08x-%d-%" PRIx64, f->path, c->space, c->pid,
		    c->number) < 0)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the name of a temporary file");
	f->final_path = f->path;
	f->path = other;
	return 0;
}

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
