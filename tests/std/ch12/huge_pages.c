/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,3 */
/* MPI-5.0 12.2.2, 12.2.3, 9.2: memory for large windows is of huge pages where the system gives a
 * program such for memory of its own, lies at a multiple of one, begins as zero wherever it has
 * been before, and its parts are those of their windows alone. */
#define _GNU_SOURCE
#include "tests/check.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COLLAPSE 25 /* MADV_COLLAPSE, which older headers have not */
#define HUGE     ((size_t)2 << 20)

enum { PARTS = 3, TRIES = 5 };

static const size_t lens[PARTS] = {HUGE, 4 * HUGE + 4096, 3 * HUGE - 1};

/* Bytes of huge pages in [at, at + len), as the kernel tells them. */
static size_t huge_bytes(const void *at, size_t len)
{
	uintptr_t low = (uintptr_t)at, start, end;
	char line[512];
	size_t sum = 0, kb;
	int in = 0;
	FILE *f = fopen("/proc/self/smaps", "r");

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			in = start < low + len && end > low;
		else if (in && (sscanf(line, "ShmemPmdMapped: %zu kB", &kb) == 1 ||
				       sscanf(line, "AnonHugePages: %zu kB", &kb) == 1))
			sum += kb * 1024;
	}
	if (f != NULL)
		fclose(f);
	return sum;
}

/* Can a program have `len' bytes of huge pages in shared memory just now? */
static int pages_given(size_t len)
{
	int fd = memfd_create("huge", 0), yes = 0;
	char *room = mmap(NULL, len + HUGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *p = room + -(uintptr_t)room % HUGE;

	if (fd >= 0 && room != MAP_FAILED && ftruncate(fd, (off_t)len) == 0 &&
		mmap(p, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == p) {
		for (size_t i = 0; i < len; i += HUGE)
			p[i] = 1;
		yes = madvise(p, len, COLLAPSE) == 0 && huge_bytes(p, len) >= len;
	}
	if (room != MAP_FAILED)
		munmap(room, len + HUGE);
	if (fd >= 0)
		close(fd);
	return yes;
}

static void check_zero(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i += 509)
		CHECK(p[i] == 0);
	CHECK(p[len - 1] == 0);
}

/* Each fills its own and, by MPI_Put, the neighbour's last page, and no other byte. */
static void whole(MPI_Win win, char *mine, size_t len)
{
	char page[4096];

	memset(mine, check_rank + 1, len - sizeof(page));
	memset(page, 100 + check_rank, sizeof(page));
	OK(MPI_Win_fence(0, win));
	OK(MPI_Put(page, sizeof(page), MPI_BYTE, (check_rank + 1) % check_size,
		(MPI_Aint)(len - sizeof(page)), sizeof(page), MPI_BYTE, win));
	OK(MPI_Win_fence(0, win));
	for (size_t i = 0; i < len - sizeof(page); i += 251)
		CHECK(mine[i] == check_rank + 1);
	for (size_t i = len - sizeof(page); i < len; i++)
		CHECK(mine[i] == 100 + (check_rank + check_size - 1) % check_size);
}

static void allocated(void)
{
	MPI_Win win[PARTS];
	char *p[PARTS];

	for (int i = 0; i < PARTS; i++) {
		OK(MPI_Win_allocate(
			(MPI_Aint)lens[i], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &p[i], &win[i]));
		check_zero(p[i], lens[i]);
	}
	for (int i = 0; i < PARTS; i++)
		whole(win[i], p[i], lens[i]);
	for (int i = 0; i < PARTS; i++)
		OK(MPI_Win_free(&win[i]));
}

static void pages_shared(void)
{
	size_t len = 3 * HUGE + 8192;
	MPI_Win win;
	char *p;

	OK(MPI_Win_allocate_shared((MPI_Aint)len, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &p, &win));
	check_zero(p, len);
	whole(win, p, len);
	OK(MPI_Win_free(&win));
}

/* Nothing but want of huge pages lets a window go without: a program that asks for some before and
 * after gets them. */
static void pages_huge(void)
{
	const size_t len = 4 * HUGE;
	int could = 0, had = 0;

	for (int i = 0; i < TRIES && !had; i++) {
		int before = pages_given(len);
		char *p;

		OK(MPI_Alloc_mem((MPI_Aint)len, MPI_INFO_NULL, &p));
		CHECK((uintptr_t)p % HUGE == 0);
		memset(p, 1, len);
		had = huge_bytes(p, len) > 0;
		OK(MPI_Free_mem(p));
		could += before && pages_given(len);
	}
	CHECK(had || could < TRIES);
	if (!had && check_rank == 0)
		printf("no huge pages here\n");
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	for (int i = 0; i < 2; i++)
		allocated();
	if (!check_has_remote())
		pages_shared();
	pages_huge();
	OK(MPI_Finalize());
	return 0;
}
