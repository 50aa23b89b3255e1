// SPDX-License-Identifier: BSD-3-Clause
/* kernel_wide_os.c - the loops of kernel_loops.h with registers of 32 bytes, for processors that
 * have them: blocks of 32 bytes and more take half of the loads and stores. */
#include "libmpi/type/kernel.h"

#if defined(__x86_64__)

#include <cpuid.h>

#define CPUID_MORE      0x80000001u
#define CPUID_PREFETCHW (1u << 8) /* of ecx */
#define XCR0_YMM        6u        /* the kernel keeps registers of 16 and of 32 bytes */

#define LOOPS_WIDE   1
#define LOOPS_TARGET __attribute__((target("avx2,prfchw")))
#include "libmpi/type/kernel_loops.h"
SIZES(LOOPS, PACK)
SIZES(LOOPS, UNPACK)

static const struct type_kernel wide[2][KERNEL_ROWS] = LOOPS_TABLE;

static bool has_avx2(void)
{
	const unsigned avx = bit_OSXSAVE | bit_AVX;
	unsigned a, b, c, d, kept;

	if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & avx) != avx)
		return false;
	__asm__("xgetbv" : "=a"(kept), "=d"(d) : "c"(0));
	return (kept & XCR0_YMM) == XCR0_YMM && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 &&
	       (b & bit_AVX2) != 0;
}

/* May prefetchw be used?  Intel's 64-bit processors that do not list it execute it as a nop. */
static bool has_prefetchw(void)
{
	unsigned a, b, c, d;

	if (__get_cpuid(0, &a, &b, &c, &d) != 0 && b == signature_INTEL_ebx)
		return true;
	return __get_cpuid(CPUID_MORE, &a, &b, &c, &d) != 0 && (c & CPUID_PREFETCHW) != 0;
}

/* gcc's __builtin_cpu_supports would ask in a constructor of each process, by a dozen cpuids.  A
 * hypervisor traps each: 6 us. */
const struct type_kernel (*type_kernel_wide(void))[KERNEL_ROWS]
{
	return has_avx2() && has_prefetchw() ? wide : NULL;
}

#else

const struct type_kernel (*type_kernel_wide(void))[KERNEL_ROWS]
{
	return NULL;
}

#endif
