// SPDX-License-Identifier: BSD-3-Clause
/* mem_os.c - system calls of libobj: address space, and sleeping on a word.
 *
 * Address space is reserved without access and without a claim on memory (it costs a few bytes of
 * kernel memory however large), and made usable from its low end on. */
#include "libobj/obj_inner.h"
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* One reservation takes at most this part of a limited address space: a dozen classes must fit. */
#define SPACE_SHARE 32

/* And that much of it under valgrind, which warns of each range from 256 MiB on. */
#define SPACE_VALGRIND ((size_t)128 << 20)

/* Commits of this size and more get huge pages, where the system has them: a table of 10^7 objects
 * has fewer faults and fewer misses of the TLB.  Tables grow by a quarter, so one that gets there
 * has 8 MiB.  Its reservation begins, and its commits end, at a multiple of a huge page: the system
 * makes a part of one of small pages. */
#define HUGE_FROM ((size_t)2 << 20)
#define HUGE_PAGE ((size_t)2 << 20) /* of most machines; with larger ones only the gain is less */

/* LeakSanitizer's functions, if the program is linked with it, however libobj is built. */
__attribute__((weak)) void __lsan_register_root_region(const void *p, size_t len);
__attribute__((weak)) void __lsan_unregister_root_region(const void *p, size_t len);

HAFT_START void obj_leak_root_add(const void *p, size_t len)
{
	if (__lsan_register_root_region != NULL)
		__lsan_register_root_region(p, len);
}

void obj_leak_root_drop(const void *p, size_t len)
{
	if (__lsan_unregister_root_region != NULL)
		__lsan_unregister_root_region(p, len);
}

static void *space_map_for(size_t len, int access)
{
	void *p = mmap(NULL, len, access, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p != MAP_FAILED ? p : NULL;
}

static void *space_map(size_t len)
{
	return space_map_for(len, PROT_NONE);
}

/* As space_map, at a multiple of a huge page: maps more, and cuts both ends off. */
static void *space_map_aligned(size_t len)
{
	char *p = space_map(len + HUGE_PAGE);
	size_t head = -(uintptr_t)p % HUGE_PAGE;

	if (p == NULL)
		return NULL;
	if (head != 0)
		munmap(p, head);
	munmap(p + head + len, HUGE_PAGE - head);
	return p + head;
}

void *obj_os_reserve(size_t len)
{
	void *p = len >= HUGE_FROM ? space_map_aligned(len) : space_map(len);

	if (p != NULL)
		obj_leak_root_add(p, len);
	return p;
}

HAFT_START void *obj_os_zeros(size_t len)
{
	void *p = space_map_for(len, PROT_READ | PROT_WRITE);

	if (p != NULL)
		obj_leak_root_add(p, len);
	return p;
}

size_t obj_os_commit_unit(size_t len)
{
	return len >= HUGE_FROM ? HUGE_PAGE : obj_os_page();
}

bool obj_os_commit(void *p, size_t len)
{
	if (mprotect(p, len, PROT_READ | PROT_WRITE) != 0)
		return false;
	if (len >= HUGE_FROM)
		madvise(p, len, MADV_HUGEPAGE); /* without them it works as well */
	return true;
}

void obj_os_release(void *p, size_t len)
{
	if (p == NULL)
		return;
	obj_leak_root_drop(p, len);
	munmap(p, len);
}

size_t obj_os_space_limit(void)
{
	struct rlimit rl;

	if (obj_on_valgrind())
		return SPACE_VALGRIND;
	if (getrlimit(RLIMIT_AS, &rl) != 0 || rl.rlim_cur == RLIM_INFINITY)
		return SIZE_MAX;
	return (size_t)rl.rlim_cur / SPACE_SHARE;
}

HAFT_START size_t obj_os_page(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

HAFT_START bool obj_on_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload != NULL && strstr(preload, "/vgpreload_") != NULL; /* valgrind's libraries */
}

void obj_os_wait(uint32_t *word, uint32_t seen)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

void obj_os_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}
