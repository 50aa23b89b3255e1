// SPDX-License-Identifier: BSD-3-Clause
/* sieve_lock.h - other opens of a file, which must not lose bytes in a block that is written back.
 *
 *      bytes of the file  ...| lock |  marks, a byte an open  |      behind all data; locked only
 *
 *      open for writing      locks its mark; then waits until the sieve lock is free
 *      a block               shares that lock: looks for other marks; reads, changes, writes
 *
 * To read a block with holes, change it and write it back is data sieving (Thakur and others).
 * A block that sees no other mark is over before another open writes: that one waits for the lock.
 * One that sees a mark is not written back; its pieces are written one by one.  Locks of the kernel
 * tell all opens by Haft, of all jobs and hosts that see the file system's locks.
 *
 * A member that has the sieve lock waits only for members that are within the same call.  So an
 * open, which waits for the lock, never waits for itself. */
#ifndef HAFT_IO_SIEVE_LOCK_H
#define HAFT_IO_SIEVE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

struct io_file;

#define IO_SIEVE_LOCK_MARKS ((int64_t)1 << 40) /* two opens hardly ever have one mark */
/* The sieve lock: the first byte that is not data's.  Marks begin behind it. */
#define IO_SIEVE_LOCK_BYTE (INT64_MAX - 2 * IO_SIEVE_LOCK_MARKS)

/* Rank 0: marks its open, and waits for blocks under way.  Releases the library's lock.  Where it
 * cannot mark it, no open takes the sieve lock. */
void io_sieve_lock_mark(struct io_file *f);

/* Takes the sieve lock; false: there are other opens, or it is not known.  Any thread, without the
 * library's lock. */
bool io_sieve_lock_take(struct io_file *f);
void io_sieve_lock_drop(struct io_file *f);

#endif
