// SPDX-License-Identifier: BSD-3-Clause
/* top.h - mpiexec -top: the ranks at work, a line a rank, each second.
 *
 *      table of a rank (libmpi/prof/table.h), /proc ── top_host.c ──> struct top_row
 *          of this host ───────────────────────────────────┐
 *          of other hosts: FRAME_TOP ──> proxy ── UP_TOP ───┤
 *                                                          v
 *                       top_show.c: this sample less the one before ──> terminal, or lines
 *
 * On a terminal the lines are drawn again in place, below the output of the ranks, and the keyboard
 * belongs to the view: `q' leaves it, and the job goes on.  Else each sample is printed. */
#ifndef HAFT_TOOLS_MPIEXEC_TOP_H
#define HAFT_TOOLS_MPIEXEC_TOP_H

#include <stdbool.h>
#include <stdint.h>
#include "tools/mpiexec/marshal.h"

struct job;
struct local_ranks;

/* One sample of a rank.  Sums are since its start; times are of its host's clock. */
struct top_row {
	int32_t entry; /* in the table of processes */
	int32_t peer;  /* that it waits for: a number of the universe + 1; 0: several, not known */
	uint32_t fn;   /* enum haft_fn: it is in that call; 0: it is in none */
	uint8_t why;   /* enum prof_why */
	bool alive;
	bool inside; /* MPI has begun, and has not ended */
	bool after;  /* MPI has ended */
	bool waits;
	bool runs; /* one of its threads is runnable */
	uint64_t at_ns;
	uint64_t wait_ns, cpu_ns;
	uint64_t bytes;  /* sent, put and got */
	uint64_t memory; /* resident bytes */
};

/* --- top_host.c ------------------------------------------------------------------------------- */

/* Samples the ranks of this host, and puts a row for each into *out. */
void top_host_read(const struct local_ranks *c, struct marshal *out);

/* --- top_show.c ------------------------------------------------------------------------------- */

/* Begins the view if the command line has -top. */
void top_start(struct job *j);

/* Takes the rows of a host, this one or another, from *p. */
void top_take(struct job *j, struct marshal *p);

/* Samples and shows when it is time.  top_next: when that is; 0: never. */
void top_clock(struct job *j, uint64_t now);
uint64_t top_next(void);

/* The descriptor of the keyboard, to be polled; -1: it is not the view's.  top_key: call it when
 * that can be read. */
int top_fd(void);
void top_key(void);

/* mpiexec is about to be stopped, and goes on. */
void top_pause(void);
void top_resume(void);

/* Takes the lines away, and gives the keyboard back. */
void top_end(void);

#endif
