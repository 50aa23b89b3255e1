// SPDX-License-Identifier: BSD-3-Clause
/* process_vm.c - private memory of another process of the host, by process_vm_readv and _writev.
 *
 *      origin: one piece, or packed ──> struct iovec here     1
 *      target: the runs of its type ──> struct iovec there    up to VM_RUNS a call
 *
 * Used where the kernel permits it (shm_readable has tested it).  Data has arrived when the call
 * returns.
 *
 * The kernel moves whole pieces or stops at the first that is not mapped.  The bytes moved are
 * counted, so a call that ends early is continued where it stopped. */
#include "libmpi/rma/operation.h"

#include "libmpi/core/err.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/signature.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define VM_CHUNK ((int64_t)MEAN_OR(64, 1 << 20)) /* packed bytes at a time: stays in the cache */

/* The runs that the next call moves. */
struct vm_call {
	const struct win *w;
	int rank;
	bool write;
	int err;
	char *local;   /* advances as bytes are moved */
	int64_t skip;  /* bytes of the type before the range that is moved */
	int64_t left;  /* bytes of that range which are not in a run yet */
	int64_t bytes; /* in the runs */
	int n;
	struct iovec run[VM_RUNS];
};

/* Initializes all but the runs, which are 4 KiB. */
static void vm_begin(struct vm_call *v, const struct win *w, int rank, bool write)
{
	v->w = w;
	v->rank = rank;
	v->write = write;
	v->err = 0;
	v->local = NULL;
	v->skip = v->left = v->bytes = 0;
	v->n = 0;
}

static int vm_absent(const struct vm_call *v)
{
	char words[RMA_WIN_WORDS];

	if (errno == ESRCH)
		return p2p_peer_vanished(v->w->target[v->rank].peer, v->w->comm);
	return haft_err(MPI_ERR_RMA_RANGE, "memory of rank %d in %s at %p is not mapped: %s",
		v->rank, rma_win_words(v->w, words), v->run[0].iov_base, strerror(errno));
}

/* Removes the first `done' bytes of the runs. */
static void vm_advance(struct vm_call *v, int64_t done)
{
	int i = 0;

	v->local += done;
	v->bytes -= done;
	while (i < v->n && done >= (int64_t)v->run[i].iov_len)
		done -= (int64_t)v->run[i++].iov_len;
	v->n -= i;
	memmove(v->run, v->run + i, (size_t)v->n * sizeof(v->run[0]));
	if (v->n > 0) {
		v->run[0].iov_base = (char *)v->run[0].iov_base + done;
		v->run[0].iov_len -= (size_t)done;
	}
}

static void vm_flush(struct vm_call *v)
{
	pid_t pid = v->w->target[v->rank].pid;

	while (v->bytes > 0 && v->err == 0) {
		struct iovec here = {v->local, (size_t)v->bytes};
		ssize_t k = v->write ? process_vm_writev(pid, &here, 1, v->run, (size_t)v->n, 0)
				     : process_vm_readv(pid, &here, 1, v->run, (size_t)v->n, 0);

		if (k <= 0)
			v->err = vm_absent(v);
		else
			vm_advance(v, k);
	}
	v->n = 0;
}

static void vm_add(struct vm_call *v, char *mem, int64_t n)
{
	struct iovec *last = &v->run[v->n - 1];

	if (v->n > 0 && (char *)last->iov_base + last->iov_len == mem) {
		last->iov_len += (size_t)n;
	} else {
		if (v->n == VM_RUNS)
			vm_flush(v);
		v->run[v->n++] = (struct iovec){mem, (size_t)n};
	}
	v->bytes += n;
}

static bool vm_each(void *arg, const struct type *basic, char *mem, int64_t n)
{
	struct vm_call *v = arg;
	int64_t bytes = n * basic->size, skip = v->skip < bytes ? v->skip : bytes;

	v->skip -= skip;
	mem += skip;
	bytes -= skip;
	bytes = bytes < v->left ? bytes : v->left;
	v->left -= bytes;
	if (bytes > 0)
		vm_add(v, mem, bytes);
	return v->left > 0 && v->err == 0;
}

static int vm_one(struct vm_call *v, uint64_t at, int64_t n)
{
	vm_add(v, (char *)(uintptr_t)at, n);
	vm_flush(v);
	return v->err;
}

int rma_vm_runs(const struct win *w, int rank, bool write, void *here, const struct iovec *run,
	int n, int64_t bytes)
{
	struct vm_call v;

	vm_begin(&v, w, rank, write);
	v.local = here;
	v.n = n;
	v.bytes = bytes;
	memcpy(v.run, run, (size_t)n * sizeof(*run));
	vm_flush(&v);
	return v.err;
}

/* Moves bytes [from, from + n) of the packed form of the target's data, at v->local. */
static int vm_part(struct vm_call *v, const struct rma_operation *j, int64_t from, int64_t n)
{
	int err;

	if (type_contiguous_at(j->ttype, j->at, j->tcount) != NULL) {
		uintptr_t at = (uintptr_t)type_contiguous_at(j->ttype, j->at, j->tcount);

		return vm_one(v, at + (uint64_t)from, n);
	}
	v->skip = from;
	v->left = n;
	err = type_each(j->ttype, j->at, j->tcount, vm_each, v);
	vm_flush(v);
	return err != 0 ? err : v->err;
}

/* The origin's data is not contiguous: goes through a packed copy, part by part. */
static int vm_by_copies(struct vm_call *v, const struct rma_operation *j, int64_t all)
{
	char *room = malloc((size_t)(all < VM_CHUNK ? all : VM_CHUNK));
	int err = 0;

	if (room == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory to move %lld bytes", (long long)all);
	for (int64_t at = 0, n; at < all && err == 0; at += n) {
		n = all - at < VM_CHUNK ? all - at : VM_CHUNK;
		v->local = room;
		if (v->write)
			type_pack(j->otype, j->origin, j->ocount, at, room, n);
		err = vm_part(v, j, at, n);
		if (err == 0 && !v->write)
			type_unpack(j->otype, j->origin, j->ocount, at, room, n);
	}
	free(room);
	return err;
}

int rma_vm_move(const struct rma_operation *j)
{
	bool write = j->kind == RMA_PUT;
	int64_t all = write ? j->ocount * j->otype->size : j->tcount * j->ttype->size;
	struct vm_call v;

	if (all == 0)
		return 0;
	vm_begin(&v, j->w, j->rank, write);
	v.local = type_contiguous_at(j->otype, j->origin, j->ocount);
	return v.local != NULL ? vm_part(&v, j, 0, all) : vm_by_copies(&v, j, all);
}
