// SPDX-License-Identifier: BSD-3-Clause
/* wide_os.c - the loops of loops.h with registers of 32 bytes, for the processors that have them:
 * blocks of 32 bytes and more take half of the loads and stores. */
#include "libmpi/type/kern.h"

#if defined(__x86_64__)

#define LOOPS_WIDE   1
#define LOOPS_TARGET __attribute__((target("avx2,prfchw")))
#include "libmpi/type/loops.h"
SIZES(LOOPS, PACK)
SIZES(LOOPS, UNPACK)

static const struct kern wide[2][KERN_ROWS] = LOOPS_TABLE;

const struct kern (*kern_os_wide(void))[KERN_ROWS]
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") ? wide : NULL;
}

#else

const struct kern (*kern_os_wide(void))[KERN_ROWS]
{
	return NULL;
}

#endif
