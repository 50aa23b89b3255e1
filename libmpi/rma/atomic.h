// SPDX-License-Identifier: BSD-3-Clause
/* atomic.h - accumulates by the processor: elements of 2, 4 or 8 bytes in memory that every process
 * which accumulates there has mapped.
 *
 * The rule (12.7.1 requires atomicity for each element of a predefined type, and only where the
 * same type is used at the same place):
 *
 *      memory in the segment, element of 2, 4, 8 bytes at a multiple of its size   ──> atomics
 *      everything else: other sizes, odd addresses, private memory                 ──> stripe locks
 *
 * Memory, type and address alone decide.  So all processes decide alike, and one place is never
 * accumulated to in both ways.
 *
 * Bytes go under locks on purpose: programs move whole structs as MPI_BYTE with MPI_REPLACE and
 * MPI_NO_OP, and under the lock of its stripe no process sees half of one. */
#ifndef HAFT_RMA_ATOMIC_H
#define HAFT_RMA_ATOMIC_H

#include "libmpi/rma/rma.h"

/* Atomics cost some nanoseconds an element, plain loops a tenth of that.  A process that combines
 * very many elements therefore excludes all atomics from the member's memory meanwhile.
 *
 *      atomics   inside = member; read the member's bulk word; taken: wait; combine; inside = 0
 *      bulk      take the bulk word; shm_fence_all; wait until no process is inside; plain loops;
 *                release the word
 *
 * Of two that begin at the same time at least one sees the other (shm_fence_all).  The atomics'
 * part is so short that waiting for it costs at most a turn of the scheduler. */
#define ATOMIC_BULK MEAN_OR(16, 4096) /* elements from which on it is worth two barriers (10 us) */

/* Waits until the bulk is over.  The process is inside then. */
void rma_atomic_enter_slow(struct win *w, int rank);

static inline void rma_atomic_enter(struct win *w, int rank)
{
	atomic_store_explicit(&w->rma->ctl->inside.word, (uint32_t)rank + 1, memory_order_relaxed);
	if (unlikely(w->rma->fence))
		atomic_thread_fence(memory_order_seq_cst);
	else
		atomic_signal_fence(memory_order_seq_cst);
	if (unlikely(atomic_load_explicit(&w->target[rank].ctl->bulk.word, memory_order_acquire) !=
		     0))
		rma_atomic_enter_slow(w, rank);
}

static inline void rma_atomic_leave(struct win *w)
{
	atomic_store_explicit(&w->rma->ctl->inside.word, 0, memory_order_release);
}

/* Between them no other process changes the member's memory by atomic instructions. */
void rma_atomic_bulk_begin(struct win *w, int rank);
void rma_atomic_bulk_end(struct win *w, int rank);

/* May elements of this predefined type at `at', in the segment, be combined by atomics? */
static inline bool rma_atomic_fits(const struct type *basic, const void *at)
{
	uint64_t e = (uint64_t)basic->extent;

	return (e == 8 || e == 4 || e == 2) && ((uintptr_t)at & (e - 1)) == 0;
}

/* Applies a predefined op, MPI_REPLACE or MPI_NO_OP to n elements at mem.  src: n elements (not
 * read with MPI_NO_OP).  old: NULL, or where their old values go.  rma_atomic_fits is true for
 * them. */
void rma_atomic_apply(const struct op *op, const struct type *basic, char *mem, const char *src,
	char *old, int64_t n);

/* Compare and swap of one element of 2, 4 or 8 bytes. */
void rma_atomic_swap(
	const struct type *basic, char *mem, const void *compare, const void *origin, void *old);

/* MPI_REPLACE and MPI_NO_OP, which have no loops.  Valid after rma_atomic_init. */
extern const struct op *rma_atomic_replace, *rma_atomic_no_op;
void rma_atomic_init(void);

#endif
