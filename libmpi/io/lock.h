// SPDX-License-Identifier: BSD-3-Clause
/* lock.h - locks on ranges of a file: between the members of a host, and against other processes.
 *
 *      io_lock_range ──> table of the host        members of this open, threads of one process
 *                    └─> lock of the kernel       other hosts, other opens (IO_LOCK_ALL)
 *
 * Shared locks of a range exclude exclusive ones only.  Each access has one lock at a time, so no
 * two accesses wait for each other. */
#ifndef HAFT_IO_LOCK_H
#define HAFT_IO_LOCK_H

#include "libobj/base.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct io_file;

#define IO_LOCK_SLOTS MEAN_OR(2, 80) /* accesses of a host that have or want a lock; others wait */

#define IO_LOCK_ENTRY IO_LOCK_SLOTS

enum io_lock_mode { IO_LOCK_SHARED, IO_LOCK_EXCLUSIVE };

enum io_lock_reach {
	IO_LOCK_HOST, /* against members of this open on this host */
	IO_LOCK_ALL   /* also against other hosts, and other opens that lock */
};

/* One access that has or wants a range.  pid 0: a free slot. */
struct io_lock_slot {
	int64_t lo, hi;  /* bytes [lo, hi) */
	uint64_t ticket; /* it waits for conflicting smaller ones only */
	int32_t pid;
	uint32_t pid_ns; /* the process's name space of pids */
	uint32_t mode;
	uint32_t pad;
};

/* A member's own entry for a shared lock, which it takes without the mutex. */
struct io_lock_entry {
	_Atomic uint32_t state; /* enum io_lock_entry_state */
	_Atomic int32_t pid;    /* of a held one, like all that follows */
	_Atomic uint32_t pid_ns;
	uint32_t pad;
	_Atomic int64_t lo, hi;
};

enum io_lock_entry_state {
	IO_ENTRY_FREE,
	IO_ENTRY_TAKEN, /* by a thread that writes the range */
	IO_ENTRY_HELD
};

/* Shared by the members of a file on a host.  All zero: no range is locked.  The slots, `top' and
 * `ticket' are under the mutex, whose owner `owner' says; `exclusive' changes under it. */
struct io_lock_table {
	_Atomic uint64_t owner;  /* name space and pid of the process that has the mutex; 0: free */
	_Atomic uint32_t wanted; /* threads that wait for the mutex */
	_Atomic uint32_t given;  /* grows when the mutex goes to one of them: they sleep here */
	_Atomic uint32_t released; /* grows with each release: waiters sleep here */
	_Atomic uint32_t waiters;
	_Atomic uint32_t exclusive; /* slots of this mode: then no entry is taken */
	uint64_t ticket;
	uint32_t top; /* slots from here on were never used */
	struct io_lock_slot slot[IO_LOCK_SLOTS];
};
static_assert(sizeof(struct io_lock_table) <= 4096, "a page of the block of a file");

/* A lock that is held. */
struct io_lock {
	int64_t lo, hi;
	int slot; /* -1: none is held; IO_LOCK_ENTRY: this member's entry */
	uint8_t reach;
};

/* Locks bytes [lo, hi), hi > lo; waits without the library's lock.  0, or an error class with
 * words: MPI_ERR_UNSUPPORTED_OPERATION if the file system has no locks.  Any thread. */
int io_lock_range(struct io_file *f, int64_t lo, int64_t hi, enum io_lock_mode mode,
	enum io_lock_reach reach, struct io_lock *lock);

/* Does nothing for a lock whose slot is -1. */
void io_unlock_range(struct io_file *f, struct io_lock *lock);

/* Can ranges of this file be locked as atomic accesses need it?  0, or an error class with words.
 *  */
int io_lock_possible(const struct io_file *f);

/* How far a lock of an atomic access must reach. */
enum io_lock_reach io_lock_reach(const struct io_file *f);

/* lock_os.c: the kernel's lock on bytes [lo, hi) of the file; waits.  As above. */
int io_lock_kernel(const struct io_file *f, int64_t lo, int64_t hi, enum io_lock_mode mode);
void io_unlock_kernel(const struct io_file *f, int64_t lo, int64_t hi);

/* fcntl(2) with a command that locks bytes [lo, hi), hi INT64_MAX: all from lo on; kind: F_RDLCK,
 * F_WRLCK, F_UNLCK.  Returns errno, or 0.  Never EINTR. */
int io_lock_fcntl(const struct io_file *f, int command, short kind, int64_t lo, int64_t hi);

/* Tries the kernel's lock and gives it back; a conflict is no error. */
int io_lock_kernel_try(const struct io_file *f);

/* Makes this the sole open: no other open of the file exists on this host, and none is completed
 * until io_sole_give.  false: there is another one, or the file system or the owner of the file
 * does not allow it. */
bool io_sole_take(const struct io_file *f);
void io_sole_give(const struct io_file *f);

/* This process's pid; a number for the name space that it is in; and whether a process is gone,
 * false also where that cannot be known. */
int32_t io_lock_process(void);
uint32_t io_lock_pid_ns(void);
bool io_lock_process_gone(int32_t pid, uint32_t pid_ns);

#endif
