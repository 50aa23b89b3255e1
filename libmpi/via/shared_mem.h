// SPDX-License-Identifier: BSD-3-Clause
/* shared_mem.h - memory that the other ranks of the node can read and write where it lies: what
 * MPI_Alloc_mem hands out, and windows.
 *
 * One thread at a time is inside these functions. */
#ifndef HAFT_VIA_SHARED_MEM_H
#define HAFT_VIA_SHARED_MEM_H

#include "libmpi/via/via.h"

/* via_mem_new sets *p to `len' bytes at a multiple of `align' (a power of two; at least that of any
 * C type is given), in shared memory if there is enough of it, else private.  The contents are
 * whatever they are.  len 0: an address of its own.  0 or MPI_ERR_NO_MEM with words.  The caller
 * frees it by via_mem_free. */
int via_mem_new(int64_t len, int64_t align, void **p);

/* via_mem_free: 0, or MPI_ERR_BASE with words if p is not the start of a piece of via_mem_new. */
int via_mem_free(void *p);

/* Is [p, p + len) memory of the segment?  Then its offset, the same for all ranks of the node; else
 * 0.  len > 0. */
static inline uint64_t via_mem_off(const void *p, int64_t len)
{
	uint64_t off = (uint64_t)(uintptr_t)p - (uint64_t)(uintptr_t)via.shm->base;

	return unlikely(off < via.mem_len && (uint64_t)len <= via.mem_len - off) ? off : 0;
}

/* The bytes behind an offset that another rank of the node has named. */
static inline void *via_mem_at(uint64_t off)
{
	return shm_ptr(via.shm, off);
}

/* Everything goes, freed or not; the next use begins again. */
void via_mem_close(void);

#endif
