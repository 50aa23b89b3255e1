// SPDX-License-Identifier: BSD-3-Clause
/* own_cpu_os.c - the number of its CPU that the kernel keeps for each thread of glibc 2.35 or newer
 * (restartable sequences). */
#include "libmpi/life/progress_thread.h"

#include <stddef.h>
#include <unistd.h>
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#endif

const volatile uint32_t *life_own_cpu(void)
{
#ifdef RSEQ_SIG
	const char *own = __builtin_thread_pointer();

	if (__rseq_size > 0 && gettid() == getpid())
		return &((const struct rseq *)(const void *)(own + __rseq_offset))->cpu_id;
#endif
	return NULL;
}
