// SPDX-License-Identifier: BSD-3-Clause
/* work.h - threads that wait for the disk while the program goes on.
 *
 *      MPI thread                         worker
 *      io_work_start ──> queue ────────> work->run        system calls; no object of MPI
 *                                          │
 *      p2p_progress <── finished <─────────┘              its sleep ends
 *        └─> work->over                                   under the library's lock
 *
 * Workers are made at the first need, HAFT_IO_THREADS at most.  They block all signals, run on the
 * CPUs of the thread that made them, and end in MPI_Finalize.
 *
 * An access to a pipe may wait for ever, or for an access of another file.  So each pipe has a
 * worker of its own, which ends when the file is closed. */
#ifndef HAFT_IO_WORK_H
#define HAFT_IO_WORK_H

#include <stdbool.h>

struct io_workers;

/* One piece of work, part of a struct of the caller's.  `over' may free it. */
struct io_work {
	struct io_work *next;
	bool (*ready)(
		const struct io_work *w); /* NULL: at once.  Else run follows when it is true */
	void (*run)(struct io_work *w);   /* in a worker, without any lock */
	void (*over)(struct io_work *w);  /* in a call of MPI that makes progress */
};

/* stop is called at the end of MPI, with the library's lock, to end a thread. */
void io_threads_end_with(void (*stop)(void));

/* Ends finished accesses; under the library's lock.  Returns how much.  Progress calls it. */
int io_work_progress(void);

/* A worker of a file's own; NULL: no memory.  io_workers_free waits until it has nothing to do;
 * under the library's lock, which is released meanwhile. */
struct io_workers *io_workers_new(void);
void io_workers_free(struct io_workers *own);

/* Starts work; under the library's lock.  own: its worker; NULL: a common one.  Without any
 * thread, run is called here, once it is ready. */
void io_work_start(struct io_workers *own, struct io_work *w);

#endif
