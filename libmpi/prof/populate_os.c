// SPDX-License-Identifier: BSD-3-Clause
/* populate_os.c - memory of a ring, many pages at once: half of the price of a fault for each. */
#include "libmpi/prof/prof.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14; glibc 2.35 names it */
#endif

void prof_populate(void *from, void *to)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)from / page * page;
	int was = errno;

	madvise((void *)begin, (uintptr_t)to - begin, MADV_POPULATE_WRITE);
	errno = was;
}
