// SPDX-License-Identifier: BSD-3-Clause
/* gate.h - other opens of a file, which must not lose bytes in a block that is written back.
 *
 *      bytes of the file  ...| gate |  marks, a byte an open  |      behind all data; locked only
 *
 *      open for writing      locks its mark; then waits until the gate is free
 *      a block               shares the gate: looks for other marks; reads, changes, writes; leaves
 *
 * A block that sees no other mark is over before another open writes: that one waits at the gate.
 * One that sees a mark is not written back; its pieces are written one by one.  Locks of the kernel
 * tell all opens by Haft, of all jobs and hosts that see the file system's locks.
 *
 * A member that has the gate waits only for members that are within the same call.  So an open,
 * which waits for the gate, never waits for itself. */
#ifndef HAFT_IO_GATE_H
#define HAFT_IO_GATE_H

#include <stdbool.h>
#include <stdint.h>

struct io_file;

#define IO_GATE_MARKS ((int64_t)1 << 40) /* two opens hardly ever have one mark */
/* The gate: the first byte that is not data's.  Marks begin behind it. */
#define IO_GATE_BYTE (INT64_MAX - 2 * IO_GATE_MARKS)

/* Rank 0: marks its open, and waits for blocks under way.  Releases the library's lock.  Where it
 * cannot mark it, no open enters the gate. */
void io_gate_mark(struct io_file *f);

/* Enters the gate; false: there are other opens, or it is not known.  Any thread, without the
 * library's lock. */
bool io_gate_enter(struct io_file *f);
void io_gate_leave(struct io_file *f);

#endif
