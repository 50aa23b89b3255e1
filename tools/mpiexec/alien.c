// SPDX-License-Identifier: BSD-3-Clause
/* alien.c - programs of an MPI that mpiexec does not start.
 *
 * Those of Open MPI find nobody to ask for their rank here, and are quietly so many jobs of one
 * process each.  Nothing shows that from outside but what they are linked with, which is looked at
 * only where no process of the job has ever been in MPI. */
#include "tools/mpiexec/job.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"

#define ALIEN     "libmpi.so.40"   /* Open MPI since 3.0; MPICH has .12, we have another name */
#define NAMES_MAX ((off_t)1 << 26) /* the names of libraries stand at the beginning of a file */

/* Is this an ELF file that says the name of that library? */
static bool alien_linked(const char *file)
{
	static const char name[] = "\0" ALIEN;
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct stat st;
	size_t len;
	bool found;
	void *v;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(Elf64_Ehdr)) {
		close(fd);
		return false;
	}
	len = (size_t)(st.st_size < NAMES_MAX ? st.st_size : NAMES_MAX);
	v = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (v == MAP_FAILED)
		return false;
	found = memcmp(v, ELFMAG, SELFMAG) == 0 && memmem(v, len, name, sizeof name) != NULL;
	munmap(v, len);
	return found;
}

void alien_say(const struct job *j)
{
	for (int r = 0; r < j->n; r++)
		if (j->rank[r].inside)
			return;
	for (int i = 0; i < j->plan->napps && j->n > 1; i++) {
		const struct app *a = &j->plan->app[i];

		if (!alien_linked(a->file != NULL ? a->file : a->argv[0]))
			continue;
		fprintf(stderr,
			"mpiexec: %s is built with Open MPI (" ALIEN "), which has its own mpirun: "
			"here it was no job of %d processes, but %d jobs of one\n",
			a->argv[0], j->n, j->n); /* the loop that writes what say() says is over */
		return;
	}
}
