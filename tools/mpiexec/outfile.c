// SPDX-License-Identifier: BSD-3-Clause
/* outfile.c - see outfile.h.  A regular file never blocks, so writes need no queue. */
#include "tools/mpiexec/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tools/mpiexec/job_plan.h"

struct outfile {
	char *name;
	int fd; /* -1: a write has failed */
};

static struct {
	struct outfile **v; /* in the order of opening */
	int n;
} outfiles;

/* Creates the missing directories of a path; open() reports failures. */
static void outfile_dirs(char *name)
{
	for (char *s = strchr(name + 1, '/'); s != NULL; s = strchr(s + 1, '/')) {
		*s = '\0';
		mkdir(name, 0777);
		*s = '/';
	}
}

struct outfile *outfile_open(const char *pattern, const struct pattern_facts *rank)
{
	char *name = pattern_text(pattern, rank);
	struct outfile *f;
	int fd;

	for (int i = outfiles.n - 1; i >= 0; i--)
		if (strcmp(outfiles.v[i]->name, name) == 0) {
			free(name);
			return outfiles.v[i];
		}
	outfile_dirs(name);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0) {
		free(name);
		return NULL;
	}
	f = mem_grow(NULL, 1, sizeof(*f));
	*f = (struct outfile){.name = name, .fd = fd};
	outfiles.v = mem_grow(outfiles.v, (size_t)outfiles.n + 1, sizeof(*outfiles.v));
	outfiles.v[outfiles.n++] = f;
	return f;
}

int outfile_put(struct outfile *f, const char *v, size_t len)
{
	while (f->fd >= 0 && len > 0) {
		ssize_t n = write(f->fd, v, len);

		if (n < 0 && errno != EINTR && errno != EAGAIN) {
			int err = errno;

			close(f->fd);
			f->fd = -1;
			return err;
		}
		v += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

const char *outfile_name(const struct outfile *f)
{
	return f->name;
}

const char *outfile_fini(void)
{
	const char *bad = NULL;
	int err = 0;

	for (int i = 0; i < outfiles.n; i++)
		if (outfiles.v[i]->fd >= 0 && close(outfiles.v[i]->fd) != 0 && errno != EINTR) {
			bad = outfiles.v[i]->name;
			err = errno;
		}
	errno = err;
	return bad;
}
