// SPDX-License-Identifier: BSD-3-Clause
/* shared_mem.h - memory of MPI_Alloc_mem and of windows: the other ranks of the node can read and
 * write it where it lies.
 *
 * One thread at a time is inside these functions. */
#ifndef HAFT_VIA_SHARED_MEM_H
#define HAFT_VIA_SHARED_MEM_H

#include "libmpi/via/via.h"

/* Allocates `len' bytes at a multiple of `align', a power of two; any C type fits.  The memory is
 * shared if there is enough, else private, and its contents are undefined.  len 0 gives an address
 * of its own.  The caller frees *p by via_mem_free.  0 or MPI_ERR_NO_MEM with words. */
int via_mem_new(int64_t len, int64_t align, void **p);

/* Frees memory of via_mem_new.  0; MPI_ERR_BASE with words: p is not the start of such memory. */
int via_mem_free(void *p);

/* The offset of [p, p + len) in the segment, by which other ranks of the node find it.  0: it is
 * not in the segment.  len > 0. */
static inline uint64_t via_mem_off(const void *p, int64_t len)
{
	uint64_t off = (uint64_t)(uintptr_t)p - (uint64_t)(uintptr_t)via.shm->base;

	return unlikely(off < via.mem_len && (uint64_t)len <= via.mem_len - off) ? off : 0;
}

/* The address of an offset that via_mem_off has given, here or in another rank of the node. */
static inline void *via_mem_at(uint64_t off)
{
	return shm_ptr(via.shm, off);
}

/* Frees everything that is left.  via_mem_new may be called again afterwards. */
void via_mem_close(void);

#endif
