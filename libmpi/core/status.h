// SPDX-License-Identifier: BSD-3-Clause
/* status.h - the library's data in the private fields of MPI_Status.
 *
 *     MPI_internal   [0]  [1]        [2]          [3] [4]
 *                    bytes, 64 bits  cancelled    zero
 *
 * The words travel by value with the status: copying one (MPI_Status_c2f, an array of the user's)
 * copies everything.  MPI-5.0 3.2.5, 20.3.1. */
#ifndef HAFT_CORE_STATUS_H
#define HAFT_CORE_STATUS_H

#include <mpi.h>
#include <stdint.h>
#include <string.h>

/* Bytes received, as MPI_Get_count divides them. */
static inline void haft_status_set_bytes(MPI_Status *s, int64_t bytes)
{
	memcpy(&s->MPI_internal[0], &bytes, sizeof(bytes));
}

static inline int64_t haft_status_bytes(const MPI_Status *s)
{
	int64_t bytes;

	memcpy(&bytes, &s->MPI_internal[0], sizeof(bytes));
	return bytes;
}

static inline void haft_status_set_cancelled(MPI_Status *s, int flag)
{
	s->MPI_internal[2] = flag;
}

static inline int haft_status_cancelled(const MPI_Status *s)
{
	return s->MPI_internal[2];
}

/* Fills in the result of a receive or probe.  MPI_ERROR is not touched.  s may be
 * MPI_STATUS_IGNORE. */
static inline void haft_status_set(MPI_Status *s, int source, int tag, int64_t bytes, int cancelled)
{
	if (s == MPI_STATUS_IGNORE)
		return;
	s->MPI_SOURCE = source;
	s->MPI_TAG = tag;
	haft_status_set_bytes(s, bytes);
	haft_status_set_cancelled(s, cancelled);
}

/* The empty status, that of a null or inactive request: error is MPI_SUCCESS (MPI-5.0 3.7.3).  s
 * may be MPI_STATUS_IGNORE. */
static inline void haft_status_empty(MPI_Status *s)
{
	haft_status_set(s, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, 0);
	if (s != MPI_STATUS_IGNORE)
		s->MPI_ERROR = MPI_SUCCESS;
}

/* The status of a receive or probe from MPI_PROC_NULL (MPI-5.0 3.11).  MPI_ERROR is not touched, as
 * the standard wants for calls that return one status.  s may be MPI_STATUS_IGNORE. */
static inline void haft_status_nobody(MPI_Status *s)
{
	haft_status_set(s, MPI_PROC_NULL, MPI_ANY_TAG, 0, 0);
}

#endif
