// SPDX-License-Identifier: BSD-3-Clause
/* quick.h - the usual case of bindings that are short enough for their fixed cost to be felt.
 *
 *      PMPI_Pack ── quick_type_pack_at: nothing unusual: packs ──> MPI_SUCCESS
 *            └───── false: whole_MPI_Pack, the generated binding, words errors and does the rest
 *      PMPI_Isend, PMPI_Irecv, PMPI_Waitall likewise, by p2p/quick_message.h
 *
 * A row with the flag QUICK has such a function: quick_ and the name of its engine, with the user's
 * own types.  It words no error.  It writes its results before it calls anything, so that it saves
 * no register: half of the instructions of a short call are pushes and pops.  PERF.md has the
 * figures. */
#ifndef HAFT_BIND_QUICK_H
#define HAFT_BIND_QUICK_H

#include "libmpi/bind/binding.h"
#include "libmpi/p2p/quick_message.h"
#include "libmpi/type/type.h"

/* The type, if `count' of its elements at `buf' can be packed from or into a buffer of `size' bytes
 * at `position'; NULL: something is unusual.  *bytes of data, > 0.  One compare each: a negative
 * count makes *bytes negative, a negative position is a huge unsigned one. */
static inline const struct type *quick_part(const void *buf, int count, MPI_Datatype datatype,
	const void *packed, int size, const int *position, MPI_Comm comm, int64_t *bytes)
{
	const struct type *t;
	int64_t reach;

	if (bind_rare(haft_gate_now() != 0 || position == NULL || packed == NULL ||
		      (uintptr_t)buf <= (uintptr_t)MPI_IN_PLACE ||
		      obj_get_token(&haft_comm_class, (obj_h)comm) == NULL))
		return NULL;
	t = obj_get_token(&haft_type_class, (obj_h)datatype);
	if (bind_rare(t == NULL || !t->committed || t->size > INT_MAX))
		return NULL;
	*bytes = t->size * count;
	if (bind_rare(*bytes <= 0 || *bytes > (int64_t)size - (int64_t)(unsigned)*position))
		return NULL;
	if (!t->dense && bind_rare(__builtin_mul_overflow(t->extent, (int64_t)count, &reach)))
		return NULL;
	return t;
}

/* Takes `bytes' at *position: where they are.  Reads it again, which costs less than a register. */
static inline int quick_take(int *position, int64_t bytes)
{
	int at = *(volatile int *)position;

	*position = at + (int)bytes;
	return at;
}

static inline bool quick_type_pack_at(const void *inbuf, int incount, MPI_Datatype datatype,
	void *outbuf, int outsize, int *position, MPI_Comm comm)
{
	int64_t bytes;
	const struct type *t =
		quick_part(inbuf, incount, datatype, outbuf, outsize, position, comm, &bytes);
	const char *whole;
	char *dst;

	if (bind_rare(t == NULL))
		return false;
	dst = (char *)outbuf + quick_take(position, bytes);
	whole = type_contiguous_at(t, inbuf, incount);
	if (whole != NULL)
		__builtin_memcpy(dst, whole, (size_t)bytes);
	else
		type_pack_whole(t, inbuf, incount, dst);
	return true;
}

static inline bool quick_type_unpack_at(const void *inbuf, int insize, int *position, void *outbuf,
	int outcount, MPI_Datatype datatype, MPI_Comm comm)
{
	int64_t bytes;
	const struct type *t =
		quick_part(outbuf, outcount, datatype, inbuf, insize, position, comm, &bytes);
	const char *src;
	char *whole;

	if (bind_rare(t == NULL))
		return false;
	src = (const char *)inbuf + quick_take(position, bytes);
	whole = type_contiguous_at(t, outbuf, outcount);
	if (whole != NULL)
		__builtin_memcpy(whole, src, (size_t)bytes);
	else
		type_unpack_whole(t, outbuf, outcount, src);
	return true;
}

/* --- messages ------------------------------------------------------------------------------- */

/* The user's call: these functions are in line in it. */
#define QUICK_SITE bind_site((uintptr_t)__builtin_return_address(0))
#define QUICK      __attribute__((always_inline)) static inline

/* The communicator of a message to or from one of its ranks, but not MPI_PROC_NULL, and the type
 * of its `count' elements; false: something is unusual. */
QUICK bool quick_message(MPI_Comm comm, int rank, int tag, int count, MPI_Datatype datatype,
	const MPI_Request *request, struct comm **c, struct type **t)
{
	if (bind_rare(haft_gate_now() != 0 || request == NULL || (count | tag) < 0))
		return false;
	*c = obj_get_token(&haft_comm_class, (obj_h)comm);
	if (bind_rare(*c == NULL || !BIND_BELOW(rank, bind_peers(*c))))
		return false;
	*t = obj_get_token(&haft_type_class, (obj_h)datatype);
	return bind_usual(*t != NULL && (*t)->committed);
}

QUICK bool quick_p2p_isend(const void *buf, int count, MPI_Datatype datatype, int dest, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct comm *c;
	struct type *t;
	uint64_t handle;

	if (!quick_message(comm, dest, tag, count, datatype, request, &c, &t))
		return false;
	handle = p2p_quick_isend(buf, count, t, dest, tag, c, QUICK_SITE);
	if (bind_rare(handle == 0))
		return false;
	*request = (MPI_Request)(uintptr_t)handle;
	return true;
}

QUICK bool quick_p2p_irecv(void *buf, int count, MPI_Datatype datatype, int source, int tag,
	MPI_Comm comm, MPI_Request *request)
{
	struct comm *c;
	struct type *t;
	uint64_t handle;

	if (!quick_message(comm, source, tag, count, datatype, request, &c, &t))
		return false;
	handle = p2p_quick_irecv(buf, count, t, source, tag, c, QUICK_SITE);
	if (bind_rare(handle == 0))
		return false;
	*request = (MPI_Request)(uintptr_t)handle;
	return true;
}

/* The slow half of quick_p2p_waitall: 0 < n <= BIND_SCRATCH.  False: some request is not pristine
 * or is there twice.  The entries of those that have ended are MPI_REQUEST_NULL. */
bool bind_quick_waitall(int n, MPI_Request requests[], uintptr_t site);

QUICK bool quick_p2p_waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
	if (bind_rare(haft_gate_now() != 0 || statuses != MPI_STATUSES_IGNORE || requests == NULL ||
		      !BIND_BELOW(count - 1, BIND_SCRATCH)))
		return false;
	return bind_quick_waitall(count, requests, QUICK_SITE);
}

#endif
