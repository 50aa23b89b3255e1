// SPDX-License-Identifier: BSD-3-Clause
/* boot.h - who am I, and where are the others?
 *
 *   mpiexec --- memfd (the segment) ---+--> rank 0   HAFT_JOB=fd=3,rank=0,size=2,cookie=..,...
 *      ^                               '--> rank 1   HAFT_JOB=fd=3,rank=1,size=2,cookie=..,...
 *      '-- reads: who aborted, with what words; who has said MPI_Init and MPI_Finalize
 *
 *   ./a.out alone: boot makes a private segment for one rank; nothing else differs.
 *
 * HAFT_JOB is the only thing that the launcher tells by the environment, and it is believed only if
 * the segment that it names carries the same cookie.  What ranks tell the launcher stands in the
 * segment's job area (struct boot_job, struct boot_rank); zero-filled is its valid first state. */
#ifndef LIBMPI_BOOT_BOOT_H
#define LIBMPI_BOOT_BOOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "libobj/base.h"

struct shm_seg;

#define BOOT_VAR  "HAFT_JOB"
#define BOOT_TEXT 1024 /* bytes of the words of an abort, with the final 0: a long line */

/* What this process is in its job.  Read-only for all but boot.c. */
struct boot {
	int rank;            /* 0 .. size-1 */
	int size;            /* ranks of the job, all on this node */
	int app;             /* MPI_APPNUM: 0 for a in `mpiexec a : b'; -1 in a singleton */
	int seg_fd;          /* the segment's memfd, close-on-exec; boot's own */
	struct shm_seg *seg; /* the same, mapped: for shm_attach(boot->seg, boot->rank, ...) */
	uint64_t cookie; /* random, never 0; the same in all ranks of the job, in no other job */
	bool launched;   /* by mpiexec; false: a singleton */
	int by;          /* pid of mpiexec; 0 in a singleton */
};

/* Finds the job and takes this process's place in it; to be called first, by one thread.  Without
 * mpiexec it is a singleton: that is no error (but one line on stderr if another launcher, whose
 * protocol we do not speak, has started several of us).  A launched process dies with its mpiexec
 * from here on.  After boot_rest the same process may call it again.
 * Returns 0, or -1 with boot_words() saying why, e.g. a second MPI program in the place of one
 * rank. *b is the same for all calls. */
int boot_init(struct boot **b);

/* Why the last boot_init failed: one line without newline.  Never NULL. */
const char *boot_words(void);

/* Ends the job: notes that this rank gave up with `code' and `text' (one line without newline, NULL
 * for none; cut at BOOT_TEXT), wakes all who sleep in the segment, flushes stdout and stderr if
 * nobody holds them, and ends the process.  The first rank's text is printed, once, by mpiexec; a
 * singleton prints its own; before boot_init it prints and ends just this process.  The job's exit
 * code is code & 255, or 1 where that would turn a non-zero code into 0.  Any thread. */
__attribute__((noreturn, cold)) void boot_abort(int code, const char *text);

/* MPI is over here, for ever or until the next boot_init: from now on this rank may end with any
 * exit code without harm to the others.  The segment stays mapped: what others send to a later
 * session of this process waits there.  NULL: nothing to do. */
void boot_rest(struct boot *b);

/* --- what lies in the segment's job area, written by ranks and read by mpiexec ------------------
 */

enum boot_state { BOOT_NEW, BOOT_RUNNING, BOOT_DONE, BOOT_ABORTED };

/* A rank's own line: shm_seg_job_rank. */
struct boot_rank {
	_Atomic int32_t pid;    /* who took this place, 0: nobody yet; never changes after that */
	_Atomic uint32_t state; /* enum boot_state */
	uint8_t pad[56];
};
static_assert(sizeof(struct boot_rank) == CACHE_LINE, "as large as SHM_JOB_RANK");

/* For all: shm_seg_job.  One rank takes the abort record; the rest of it holds once ready is 1. */
struct boot_job {
	_Atomic uint32_t taken;
	_Atomic uint32_t ready;
	int32_t rank;
	int32_t pid;
	int32_t code; /* as given by the user */
	uint8_t pad[44];
	char text[BOOT_TEXT]; /* ends with 0; may be empty */
};
static_assert(sizeof(struct boot_job) <= 4096, "fits into SHM_JOB_LEN");

#endif
