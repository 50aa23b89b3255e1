// SPDX-License-Identifier: BSD-3-Clause
/* library_lock_os.c - the kernel's part of waiting inside one process.  The words are shared
 * futexes: the sleeper may be in a call of libshm that waits for a word of the segment as well. */
#include "libmpi/core/library_lock.h"

#include "libmpi/core/clock.h"
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

void haft_futex_wait(_Atomic uint32_t *word, uint32_t old, uint64_t ns)
{
	struct timespec t = {(time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S)};

	syscall(SYS_futex, word, FUTEX_WAIT, old, ns == 0 ? NULL : &t, NULL, 0);
}

void haft_futex_wake(_Atomic uint32_t *word, int n)
{
	syscall(SYS_futex, word, FUTEX_WAKE, n, NULL, NULL, 0);
}

bool haft_barrier_all(void)
{
	static bool registered;

	if (!registered &&
		syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
		return false;
	registered = true;
	return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}
