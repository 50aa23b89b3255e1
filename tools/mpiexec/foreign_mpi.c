// SPDX-License-Identifier: BSD-3-Clause
/* foreign_mpi.c - detects programs of an MPI that mpiexec cannot start.
 *
 * Under this mpiexec each process of an Open MPI program finds no PMIx server and becomes a job of
 * one process, silently.  Their executables show it by the libraries they need (DT_NEEDED).  The
 * check runs only if no process of the job has called MPI_Init. */
#include "tools/mpiexec/job.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"

#define FOREIGN_LIB "libmpi.so.40" /* Open MPI since 3.0; MPICH has .12, we have another name */

/* A mapped file. */
struct image {
	const char *v;
	size_t len;
};

/* Bytes [at, at + len) of the file; NULL: out of range. */
static const void *image_part(const struct image *f, uint64_t at, uint64_t len)
{
	return at <= f->len && len <= f->len - at ? f->v + at : NULL;
}

/* True if the string at this offset of the file equals `name'. */
static bool image_says(const struct image *f, uint64_t at, const char *name)
{
	const char *s = image_part(f, at, strlen(name) + 1);

	return s != NULL && strcmp(s, name) == 0;
}

/* True if a dynamic section needs the library.  `names' is its string table. */
static bool dynamic_needs(const struct image *f, const Elf64_Shdr *sec, const Elf64_Shdr *names)
{
	const char *v = image_part(f, sec->sh_offset, sec->sh_size);

	for (uint64_t at = 0; v != NULL && at + sizeof(Elf64_Dyn) <= sec->sh_size;
		at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn d;

		memcpy(&d, v + at, sizeof(d));
		if (d.d_tag == DT_NULL)
			break;
		if (d.d_tag == DT_NEEDED && d.d_un.d_val < names->sh_size &&
			image_says(f, names->sh_offset + d.d_un.d_val, FOREIGN_LIB))
			return true;
	}
	return false;
}

static bool section_at(const struct image *f, const Elf64_Ehdr *h, unsigned i, Elf64_Shdr *sec)
{
	const void *v = image_part(f, h->e_shoff + (uint64_t)i * sizeof(*sec), sizeof(*sec));

	if (v == NULL || i >= h->e_shnum || h->e_shentsize != sizeof(*sec))
		return false;
	memcpy(sec, v, sizeof(*sec));
	return true;
}

static bool image_needs(const struct image *f)
{
	Elf64_Shdr sec, names;
	Elf64_Ehdr h;

	if (f->len < sizeof(h))
		return false;
	memcpy(&h, f->v, sizeof(h));
	if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned i = 0; section_at(f, &h, i, &sec); i++)
		if (sec.sh_type == SHT_DYNAMIC && section_at(f, &h, sec.sh_link, &names))
			return dynamic_needs(f, &sec, &names);
	return false;
}

/* True if the executable needs the library. */
static bool foreign_mpi_linked(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	struct image f = {.v = NULL};
	struct stat st;
	bool found;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		f.len = (size_t)st.st_size;
		f.v = mmap(NULL, f.len, PROT_READ, MAP_PRIVATE, fd, 0);
	}
	close(fd);
	if (f.v == NULL || f.v == MAP_FAILED)
		return false;
	found = image_needs(&f);
	munmap((void *)(uintptr_t)f.v, f.len);
	return found;
}

void foreign_mpi_say(const struct job *j)
{
	for (int r = 0; r < j->n; r++)
		if (j->rank[r].inside)
			return;
	for (int i = 0; i < j->plan->napps && j->world->n > 1; i++) {
		const struct app *a = &j->plan->app[i];

		if (!foreign_mpi_linked(a->file != NULL ? a->file : a->argv[0]))
			continue;
		/* The main loop, which would write the queue of out_say, is over. */
		fprintf(stderr,
			"mpiexec: %s is built with Open MPI (" FOREIGN_LIB
			"), which has its own mpirun: "
			"here it was no job of %d processes, but %d jobs of one\n",
			a->argv[0], j->world->n, j->world->n);
		return;
	}
}
