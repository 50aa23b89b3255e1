// SPDX-License-Identifier: BSD-3-Clause
/* atomic.c - elements combined by the processor's atomics.
 *
 *      integer sums of 4 and 8 bytes   lock xadd
 *      MPI_REPLACE, MPI_NO_OP          xchg or a store, a load
 *      everything else                 load, the operation's own loop on one element, cmpxchg
 *
 * Any of these may meet at one place: each is one atomic step of its element. */
#include "libmpi/rma/atomic.h"

#include "libmpi/coll/reduce_op.h"
#include "libmpi/rma/win.h"
#include <sched.h>

const struct op *rma_atomic_replace, *rma_atomic_no_op;

HAFT_START void rma_atomic_init(void)
{
	rma_atomic_replace = coll_op_predefined(MPI_REPLACE);
	rma_atomic_no_op = coll_op_predefined(MPI_NO_OP);
}

/* --- bulks ---------------------------------------------------------------------------------- */

void rma_atomic_enter_slow(struct win *w, int rank)
{
	struct rma_ctl *mine = w->rma->ctl;
	const struct rma_ctl *its = w->target[rank].ctl;

	do {
		atomic_store_explicit(&mine->inside.word, 0, memory_order_release);
		while (atomic_load_explicit(&its->bulk.word, memory_order_relaxed) != 0 &&
			!rma_member_died(w, -1))
			sched_yield();
		atomic_store_explicit(&mine->inside.word, (uint32_t)rank + 1, memory_order_relaxed);
		atomic_thread_fence(memory_order_seq_cst);
	} while (atomic_load_explicit(&its->bulk.word, memory_order_acquire) != 0 &&
		 !rma_member_died(w, -1));
}

void rma_atomic_bulk_begin(struct win *w, int rank)
{
	struct rma_ctl *its = w->target[rank].ctl;

	while (atomic_exchange_explicit(&its->bulk.word, 1, memory_order_acq_rel) != 0 &&
		!rma_member_died(w, -1))
		sched_yield();
	shm_fence_all(via.shm);
	for (int i = 0; i < w->size; i++) {
		const struct rma_ctl *c = w->target[i].ctl;

		while (c != NULL &&
			atomic_load_explicit(&c->inside.word, memory_order_acquire) ==
				(uint32_t)rank + 1 &&
			!rma_member_died(w, -1))
			sched_yield();
	}
}

void rma_atomic_bulk_end(struct win *w, int rank)
{
	atomic_store_explicit(&w->target[rank].ctl->bulk.word, 0, memory_order_release);
}

/* --- elements ------------------------------------------------------------------------------- */

/* For each width: T is an integer of that many bytes. */
#define WIDTH(T)                                                                                  \
	static void cas_##T(op_loop *loop, char *mem, const char *src, char *old, int64_t n)      \
	{                                                                                         \
		T *p = (T *)(void *)mem, next;                                                    \
                                                                                                  \
		for (int64_t i = 0; i < n; i++) {                                                 \
			T was = __atomic_load_n(&p[i], __ATOMIC_RELAXED);                         \
                                                                                                  \
			do                                                                        \
				loop(&was, src + (size_t)i * sizeof(T), &next, 1);                \
			while (!__atomic_compare_exchange_n(                                      \
				&p[i], &was, next, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));    \
			if (old != NULL)                                                          \
				__builtin_memcpy(old + (size_t)i * sizeof(T), &was, sizeof(T));   \
		}                                                                                 \
	}                                                                                         \
	static void replace_##T(char *mem, const char *src, char *old, int64_t n)                 \
	{                                                                                         \
		T *p = (T *)(void *)mem, was;                                                     \
                                                                                                  \
		for (int64_t i = 0; i < n; i++) {                                                 \
			T next;                                                                   \
                                                                                                  \
			__builtin_memcpy(&next, src + (size_t)i * sizeof(T), sizeof(T));          \
			if (old == NULL) {                                                        \
				__atomic_store_n(&p[i], next, __ATOMIC_RELEASE);                  \
				continue;                                                         \
			}                                                                         \
			was = __atomic_exchange_n(&p[i], next, __ATOMIC_ACQ_REL);                 \
			__builtin_memcpy(old + (size_t)i * sizeof(T), &was, sizeof(T));           \
		}                                                                                 \
	}                                                                                         \
	static void read_##T(char *mem, char *old, int64_t n)                                     \
	{                                                                                         \
		T *p = (T *)(void *)mem, was;                                                     \
                                                                                                  \
		for (int64_t i = 0; i < n; i++) {                                                 \
			was = __atomic_load_n(&p[i], __ATOMIC_ACQUIRE);                           \
			__builtin_memcpy(old + (size_t)i * sizeof(T), &was, sizeof(T));           \
		}                                                                                 \
	}                                                                                         \
	static void swap_##T(char *mem, const void *compare, const void *origin, void *old)       \
	{                                                                                         \
		T was, next;                                                                      \
                                                                                                  \
		__builtin_memcpy(&was, compare, sizeof(T));                                       \
		__builtin_memcpy(&next, origin, sizeof(T));                                       \
		__atomic_compare_exchange_n(                                                      \
			(T *)(void *)mem, &was, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); \
		__builtin_memcpy(old, &was, sizeof(T));                                           \
	}

WIDTH(uint16_t)
WIDTH(uint32_t)
WIDTH(uint64_t)

#define ADD(T)                                                                                  \
	static void add_##T(char *mem, const char *src, char *old, int64_t n)                   \
	{                                                                                       \
		T *p = (T *)(void *)mem, was, by;                                               \
                                                                                                \
		for (int64_t i = 0; i < n; i++) {                                               \
			__builtin_memcpy(&by, src + (size_t)i * sizeof(T), sizeof(T));          \
			was = __atomic_fetch_add(&p[i], by, __ATOMIC_ACQ_REL);                  \
			if (old != NULL)                                                        \
				__builtin_memcpy(old + (size_t)i * sizeof(T), &was, sizeof(T)); \
		}                                                                               \
	}

ADD(uint32_t)
ADD(uint64_t)

/* Programs accumulate sums of doubles most: no call for each element. */
static void add_double(char *mem, const char *src, char *old, int64_t n)
{
	uint64_t *p = (uint64_t *)(void *)mem;

	for (int64_t i = 0; i < n; i++) {
		uint64_t was = __atomic_load_n(&p[i], __ATOMIC_RELAXED), next;
		double a, b;

		__builtin_memcpy(&b, src + i * 8, 8);
		do {
			__builtin_memcpy(&a, &was, 8);
			a += b;
			__builtin_memcpy(&next, &a, 8);
		} while (!__atomic_compare_exchange_n(
			&p[i], &was, next, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
		if (old != NULL)
			__builtin_memcpy(old + i * 8, &was, 8);
	}
}

#define BY_WIDTH(e, name, ...)                        \
	switch (e) {                                  \
	case 2: name##_uint16_t(__VA_ARGS__); break;  \
	case 4: name##_uint32_t(__VA_ARGS__); break;  \
	default: name##_uint64_t(__VA_ARGS__); break; \
	}

static void atomic_combine(const struct op *op, const struct type *basic, char *mem,
	const char *src, char *old, int64_t n)
{
	op_loop *loop = op->loops[basic->basic];

	BY_WIDTH(basic->extent, cas, loop, mem, src, old, n)
}

void rma_atomic_apply(const struct op *op, const struct type *basic, char *mem, const char *src,
	char *old, int64_t n)
{
	if (op->loops == coll_op_sum) {
		switch (basic->basic) {
		case BASIC_INT32:
		case BASIC_UINT32: add_uint32_t(mem, src, old, n); return;
		case BASIC_INT64:
		case BASIC_UINT64: add_uint64_t(mem, src, old, n); return;
		case BASIC_DOUBLE: add_double(mem, src, old, n); return;
		}
	}
	if (op == rma_atomic_replace)
		BY_WIDTH(basic->extent, replace, mem, src, old, n)
	else if (op != rma_atomic_no_op)
		atomic_combine(op, basic, mem, src, old, n);
	else if (old != NULL)
		BY_WIDTH(basic->extent, read, mem, old, n)
}

void rma_atomic_swap(
	const struct type *basic, char *mem, const void *compare, const void *origin, void *old)
{
	BY_WIDTH(basic->extent, swap, mem, compare, origin, old)
}
