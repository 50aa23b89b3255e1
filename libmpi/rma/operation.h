// SPDX-License-Identifier: BSD-3-Clause
/* operation.h - one operation on its way from the call to the memory.
 *
 *      MPI_Put ...  ──fast: checks, a store──────────────────────────────> done
 *             └──> struct rma_operation ── rma_operation_check ──┬── DIRECT  putget.c, accumulate.c
 *                                            ├── VM      process_vm.c
 *                                            └── MSG     am_origin.c
 *
 * A job lives on the caller's stack; what goes by messages is copied from it. */
#ifndef HAFT_RMA_OPERATION_H
#define HAFT_RMA_OPERATION_H

#include "libmpi/rma/rma.h"
#include "libmpi/type/type.h"

struct rma_operation {
	struct win *w;
	int rank;
	uint8_t what; /* enum rma_kind */
	bool fetch;   /* ACC: the old value is wanted: result, rcount, rtype */
	bool swap;    /* ACC: compare and swap */
	bool shared;  /* target's memory lies in the segment: atomics */
	uint8_t way;  /* enum rma_method, once it has been checked */
	int64_t disp;
	int64_t tcount, ocount, rcount;
	struct type *ttype, *otype, *rtype;
	void *origin;        /* PUT, ACC: read only; GET: where the data goes */
	void *result;        /* ACC with fetch */
	const void *compare; /* ACC with swap */
	const struct op *op; /* ACC; NULL: swap */
	uint64_t place;      /* bytes from the target's base; dynamic: its address */
	char *at;            /* DIRECT: mapped here; else the target's address, a number here */
	struct req *req;     /* of an R-form, or NULL */
};

/* One with what every call says: data of the origin, and where at the target. */
static inline struct rma_operation rma_operation_of(enum rma_kind what, const struct op *op,
	const void *origin, int64_t ocount, struct type *otype, int rank, int64_t disp,
	int64_t tcount, struct type *ttype, struct win *w)
{
	return (struct rma_operation){.w = w,
		.what = (uint8_t)what,
		.op = op,
		.rank = rank,
		.disp = disp,
		.tcount = tcount,
		.ttype = ttype,
		.origin = (void *)(uintptr_t)origin,
		.ocount = ocount,
		.otype = otype};
}

/* putget.c: rank, epoch, types, range: fills in way, shared, place and at.  0: go on; < 0: there is
 * nothing to do (MPI_PROC_NULL, no data); else an error class with words. */
int rma_operation_check(struct rma_operation *j);

/* putget.c: runs an operation that has a request: done when `run' has returned, but for what went by
 * messages, which makes the request one part more (am_origin.c).  *request is set if 0 is returned. */
int rma_operation_request(
	struct rma_operation *j, int (*run)(struct rma_operation *j), struct req **request);

/* accumulate.c: the accumulate family, on memory that is mapped here or reached by process_vm_*. */
int rma_acc_execute(const struct rma_operation *j);

/* accumulate.c: applies op to n elements of a predefined type at mem, `place' bytes from the target's
 * base: of w's member `rank', by its window's rule.  src: n elements as in memory, NULL with
 * MPI_NO_OP; old (may be NULL): where their old values go.  The memory is mapped here.  0, or
 * MPI_ERR_NO_MEM with words. */
struct rma_acc {
	struct win *w;
	int rank;
	bool shared;
	const struct op *op; /* NULL: compare and swap, of one element */
	const struct type *basic;
	const void *compare;
};
int rma_acc_apply(
	const struct rma_acc *a, char *mem, uint64_t place, const char *src, char *old, int64_t n);

/* accumulate.c: is it for compare and swap (12.3.4)? */
bool rma_acc_comparable(const struct type *type);

/* accumulate.c: the predefined type that all of a datatype is made of; NULL: they are several. */
const struct type *rma_acc_basic(const struct type *t);

/* accumulate.c: n elements of the origin's data in a row as in memory, malloc'ed, with swap followed by
 * the one to compare with.  0 or MPI_ERR_NO_MEM with words. */
int rma_acc_row(
	const struct rma_operation *j, const struct type *basic, int64_t n, bool swap, char **row);

/* process_vm.c: n <= VM_RUNS pieces of the memory of rank's process, to or from `bytes' bytes in a row
 * here. 0; MPI_ERR_RMA_RANGE with words: the memory is not there. */
#define VM_RUNS MEAN_OR(2, 256) /* the kernel takes 1024; more would not be faster */
struct iovec;
int rma_vm_runs(const struct win *w, int rank, bool write, void *here, const struct iovec *run,
	int n, int64_t bytes);

/* process_vm.c: put or get. */
int rma_vm_move(const struct rma_operation *j);

/* am_origin.c: asks the target's process.  0 or MPI_ERR_NO_MEM with words. */
int rma_am_start(const struct rma_operation *j);

#endif
