// SPDX-License-Identifier: BSD-3-Clause
/* alloc_mem.c - MPI_Alloc_mem (MPI-5.0 9.2): the hint for alignment, and via's shared memory. */
#include "libmpi/core/err.h"
#include "libmpi/core/info_object.h"
#include "libmpi/via/shared_mem.h"
#include <engine.h>
#include <errno.h>
#include <stdlib.h>

#define ALIGN_KEY "mpi_minimum_memory_alignment"

/* The alignment that the hints ask for; 0: none. */
static int mem_alignment(struct info *info, int64_t *align)
{
	char value[MPI_MAX_INFO_VAL], *end;
	int len = sizeof(value), found = 0, err;

	*align = 0;
	if (info == NULL)
		return 0;
	err = env_info_get_string(info, ALIGN_KEY, &len, value, &found);
	if (err != 0 || !found)
		return err;
	errno = 0;
	*align = strtoll(value, &end, 0);
	if (errno != 0 || end == value || *end != '\0' || *align < 1 ||
		(*align & (*align - 1)) != 0)
		return haft_err(MPI_ERR_INFO_VALUE, "%s is \"%s\", which is not a power of two",
			ALIGN_KEY, value);
	return 0;
}

int env_alloc_mem(int64_t size, struct info *info, void *baseptr)
{
	int64_t align;
	void *p;
	int err;

	if (size < 0)
		return haft_err(MPI_ERR_ARG, "the size is %lld", (long long)size);
	err = mem_alignment(info, &align);
	if (err == 0)
		err = via_mem_new(size, align, &p);
	if (err == 0)
		*(void **)baseptr = p;
	return err;
}

int env_free_mem(void *base)
{
	return via_mem_free(base);
}
