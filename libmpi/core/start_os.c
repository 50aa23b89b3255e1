// SPDX-License-Identifier: BSD-3-Clause
/* start_os.c - the start of a process: see start.h.
 *
 *     the program's variables  | .data | .bss: small ones | BSS_BEHIND ...
 *                              '-- the dynamic linker's --'-- pages that MPI_Init needs: 4 or 5
 *
 * A start of many ranks is as long as its page faults: 2 us each with the page, 0.5 at the end. */
#include "libmpi/core/start.h"

#include "libobj/base.h"
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define SMALL_PAGE  4096
#define SMALL_PAGES 5 /* of variables without a first value that are not BSS_BEHIND */

static struct {
	const char *first, *last;
} command;

#if defined(__GLIBC__)
/* glibc calls constructors with the arguments of main, which may turn argv over later. */
__attribute__((constructor)) static void command_keep(int argc, char **argv)
{
	if (argc <= 0 || argv == NULL || argv[0] == NULL)
		return;
	command.first = argv[0];
	command.last = argv[argc - 1];
}
#endif

HAFT_START const char *haft_command_words(const char **last)
{
	*last = command.last;
	return command.first;
}

HAFT_START void haft_small_pages_take(void)
{
#if defined(MADV_POPULATE_WRITE) && defined(__x86_64__)
	extern char __bss_start[] __attribute__((visibility("hidden")));
	char *page = __bss_start + (-(uintptr_t)__bss_start & (SMALL_PAGE - 1));

	madvise(page, (size_t)SMALL_PAGES * SMALL_PAGE, MADV_POPULATE_WRITE); /* or one by one */
#endif
}
