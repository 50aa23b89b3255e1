// SPDX-License-Identifier: BSD-3-Clause
/* path.h - the ways of an independent access from memory to the file and back.
 *
 *      memory       file          way
 *      one piece    linear        linear.c     the system call takes the user's buffer
 *      pieces       linear        linear.c     vectors of long pieces; else packed in a stage
 *      any          runs          scattered.c  a call a run, or a block of the file at once
 *
 * These functions run in any thread, without the library's lock, and touch no object of MPI but the
 * plans of types, which never change.  They move j->bytes and set j->moved to the bytes surely
 * moved, from the first byte on.  A read ends early at the end of the file.  0 or an error class
 * with words. */
#ifndef HAFT_IO_PATH_H
#define HAFT_IO_PATH_H

#include "libmpi/io/io.h"

/* The view has no holes. */
int io_linear(struct io_job *j);

/* The view has holes.  tidy: its bytes are in order, without overlap, also from tile to tile
 * (io_view_is_tidy). */
int io_scattered(struct io_job *j, bool tidy);

/* Are the bytes of a view in order, so that a block of the file is a range of the view?  Under
 * the library's lock. */
bool io_view_is_tidy(const struct io_view *v);

/* May members of this open read and write back bytes between the runs of a view?  Then each writer
 * of the open locks its range, shared.  Equal on all members. */
static inline bool io_may_rewrite(const struct io_file *f)
{
	return atomic_load_explicit(&f->holes, memory_order_relaxed) && f->one_host;
}

/* As io_disk_write, while other members write the file as well: in parts, where that is faster. */
int io_write_among(const struct io_file *f, const char *buf, int64_t n, int64_t at, int64_t *moved);

/* As io_disk_move, for one run of the file: n bytes of a job's memory or of its stage. */
int io_move_run(const struct io_job *j, char *mem, int64_t n, int64_t at, int64_t *moved);

/* As io_write_among, beside other members' accesses, which may write blocks back. */
int io_write_beside(struct io_file *f, const char *buf, int64_t n, int64_t at, int64_t *moved);

/* independent.c: the lock of a whole access, if it is atomic; for one that is done in parts.
 * Without the library's lock.  io_unlock_range ends it. */
struct io_lock;
int io_independent_lock(const struct io_job *j, struct io_lock *lock);

/* Adds to a counter of the file; any thread. */
static inline void io_count(int64_t *counter, int64_t n)
{
	__atomic_fetch_add(counter, n, __ATOMIC_RELAXED);
}

#endif
