// SPDX-License-Identifier: BSD-3-Clause
/* kernel_wide_os.c - the loops of kernel_loops.h with registers of 32 bytes, for processors that
 * have them: blocks of 32 bytes and more take half of the loads and stores. */
#include "libmpi/type/kernel.h"

#if defined(__x86_64__)

#include <cpuid.h>

#define CPUID_MORE      0x80000001u
#define CPUID_PREFETCHW (1u << 8) /* of ecx */

#define LOOPS_WIDE   1
#define LOOPS_TARGET __attribute__((target("avx2,prfchw")))
#include "libmpi/type/kernel_loops.h"
SIZES(LOOPS, PACK)
SIZES(LOOPS, UNPACK)

static const struct type_kernel wide[2][KERNEL_ROWS] = LOOPS_TABLE;

/* May prefetchw be used?  Intel's 64-bit processors that do not list it execute it as a nop. */
static bool has_prefetchw(void)
{
	unsigned a, b, c, d;

	if (__builtin_cpu_is("intel"))
		return true;
	return __get_cpuid(CPUID_MORE, &a, &b, &c, &d) != 0 && (c & CPUID_PREFETCHW) != 0;
}

const struct type_kernel (*type_kernel_wide(void))[KERNEL_ROWS]
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") && has_prefetchw() ? wide : NULL;
}

#else

const struct type_kernel (*type_kernel_wide(void))[KERNEL_ROWS]
{
	return NULL;
}

#endif
