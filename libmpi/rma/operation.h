// SPDX-License-Identifier: BSD-3-Clause
/* operation.h - one operation on its way from the call to the memory.
 *
 *      MPI_Put ...  ── fast: checks, a store ──────────────────────────────────────> done
 *            └──> struct rma_operation ── rma_operation_check ──┬── DIRECT putget.c, acc_execute.c
 *                                                               ├── VM     process_vm.c, delegate.c
 *                                                               └── AM     am_origin.c
 *
 * An operation lives on the caller's stack.  Active messages copy the parts that they need. */
#ifndef HAFT_RMA_OPERATION_H
#define HAFT_RMA_OPERATION_H

#include "libmpi/rma/rma.h"
#include "libmpi/type/type.h"

struct rma_operation {
	struct win *w;
	int rank;
	uint8_t kind;   /* enum rma_kind */
	bool fetch;     /* ACC: the old values are wanted: result, rcount, rtype */
	bool swap;      /* ACC: compare and swap */
	bool shared;    /* the target's memory lies in the segment: atomics */
	uint8_t method; /* enum rma_method, set by rma_operation_check */
	int64_t disp;
	int64_t tcount, ocount, rcount;
	struct type *ttype, *otype, *rtype;
	void *origin;        /* PUT, ACC: read only; GET: the destination */
	void *result;        /* ACC with fetch */
	const void *compare; /* ACC with swap */
	const struct op *op; /* ACC; NULL: swap */
	uint64_t offset;     /* bytes from the target's base; dynamic window: an address there */
	char *at;            /* DIRECT: as mapped here; else the target's own address */
	struct req *req;     /* of a request-based operation, or NULL */
};

/* The arguments that every call has, in the order of the standard. */
struct rma_args {
	const void *origin; /* MPI_Get writes it */
	int64_t ocount;
	struct type *otype;
	int rank;
	int64_t disp, tcount;
	struct type *ttype;
	struct win *w;
};

static inline struct rma_operation rma_operation_of(
	enum rma_kind kind, const struct op *op, const struct rma_args *a)
{
	return (struct rma_operation){.w = a->w,
		.kind = (uint8_t)kind,
		.op = op,
		.rank = a->rank,
		.disp = a->disp,
		.tcount = a->tcount,
		.ttype = a->ttype,
		.origin = (void *)(uintptr_t)a->origin,
		.ocount = a->ocount,
		.otype = a->otype};
}

/* operation.c: checks rank, epoch, types and range; sets method, shared, offset and at.  0: go on.
 * < 0: nothing to do (MPI_PROC_NULL, no data).  Else an error class with words. */
int rma_operation_check(struct rma_operation *j);

/* operation.c: runs an operation that has a request.  The request is complete when `run' has
 * returned; active messages add a part to it that they complete later.  Sets *request if it returns
 * 0, which the caller owns then. */
int rma_operation_request(
	struct rma_operation *j, int (*run)(struct rma_operation *j), struct req **request);

/* acc_execute.c: an accumulate on memory that is mapped here or reached by process_vm calls.  0
 * or an error class with words. */
int rma_acc_execute(const struct rma_operation *j);

/* acc_execute.c: the predefined type that a datatype consists of; NULL: it has several. */
const struct type *rma_acc_basic(const struct type *t);

/* acc_execute.c: *dense becomes n elements of the origin's data in memory form, malloc'ed; with
 * `swap' the element to compare with follows.  0 or MPI_ERR_NO_MEM with words. */
int rma_acc_gather(const struct rma_operation *j, const struct type *basic, int64_t n, bool swap,
	char **dense);

/* process_vm.c: moves `bytes' bytes between n <= VM_RUNS parts of the memory of rank's process and
 * `here'.  0; MPI_ERR_RMA_RANGE with words: the memory is not mapped; MPI_ERR_PROC_ABORTED. */
#define VM_RUNS MEAN_OR(2, 256) /* the kernel takes 1024; more would not be faster */
struct iovec;
int rma_vm_runs(const struct win *w, int rank, bool write, void *here, const struct iovec *run,
	int n, int64_t bytes);

/* process_vm.c: a put or a get.  Errors as of rma_vm_runs, or MPI_ERR_NO_MEM. */
int rma_vm_move(const struct rma_operation *j);

/* am_origin.c: asks the target's process to execute the operation.  0 or MPI_ERR_NO_MEM with
 * words. */
int rma_am_start(const struct rma_operation *j);

#endif
