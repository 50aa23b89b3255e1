// SPDX-License-Identifier: BSD-3-Clause
/* fork_server.h - what mpiexec and a fork server say to each other.
 *
 *     mpiexec ── exec ──> program, dynamic linker, constructor of libmpi_abi: the fork server
 *        │ ◄──────── FORK_READY ────────│
 *        │ ── struct fork_ask, files ──►│── clone ──> a rank: returns from the constructor
 *        │ ── struct fork_ask, files ──►│── clone ──> a rank
 *        │ ── end of file ─────────────►│  ends
 *        │ ◄┄┄┄┄┄┄ table of pids ┄┄┄┄┄┄┄│  in shared memory, written by the kernel
 *
 * HAFT_JOB, the server's first variable, is "serve=SOCKET,table=MEMFD,rows=N,by=PID,cookie=...".
 * Each variable of a rank has a place in the server's environment, long enough for every rank's:
 * its text is written there, and environ stays as it is. */
#ifndef HAFT_BOOT_FORK_SERVER_H
#define HAFT_BOOT_FORK_SERVER_H

#include <stdint.h>

/* A library with a fork server says so in an ELF note with this text; the number is that of struct
 * fork_ask. */
#define FORK_MARK "haft fork server 1"

#define FORK_READY 'R'
#define FORK_FILES 5    /* the most that come with a struct fork_ask */
#define FORK_ENV   3072 /* bytes of the variables of a rank ... */
#define FORK_OWN   16   /* ... and their number, at most */

/* Asks for a rank.  With it come its stdin, stdout, stderr; then, where their numbers are not -1,
 * the listening socket and the connection to the PMI server. */
struct fork_ask {
	int32_t row; /* the place of its pid in the table */
	int32_t listen, pmi;
	uint32_t bound;     /* 1: to cpus */
	uint64_t cpus[16];  /* as of sched_setaffinity */
	char env[FORK_ENV]; /* its variables in that order, each with its 0; "": the end */
};

/* The table: for each row the pid of its rank, or -errno; 0: it was not forked. */
typedef _Atomic int32_t fork_pid;

#endif
