// SPDX-License-Identifier: BSD-3-Clause
/* job_spec.h - the job as our mpiexec describes it to a rank: environment variable HAFT_JOB. */
#ifndef LIBMPI_BOOT_JOB_SPEC_H
#define LIBMPI_BOOT_JOB_SPEC_H

#include <stdbool.h>
#include <stdint.h>

struct shm_seg;

struct job_spec {
	int fd; /* of the segment */
	int rank, size, app;
	int first;    /* number of the job's rank 0 in the universe; 0: the first job */
	int world;    /* rank_name.h; 0: the first job */
	int universe; /* MPI_UNIVERSE_SIZE; -1: it is not set */
	int by;       /* pid of mpiexec */
	int seat;     /* the rank, if the variable does not say it: one host, first job */
	int listen;   /* listening socket of this rank; -1: none */
	int pmi;      /* socket of mpiexec's PMI server, for ranks of other MPIs; -1: none */
	int profile;  /* memfd of the profile: libmpi/prof; -1: none */
	uint64_t cookie;
};

/* Reads HAFT_JOB.  False: it is not set, or not complete. */
bool boot_spec_read(struct job_spec *o);

/* True if another launcher was started between mpiexec and this process: HAFT_JOB is then not meant
 * for this process. */
bool boot_spec_stale(const struct job_spec *o);

/* Maps the segment behind `fd' if it is the job's and has a seat for this rank.  The caller closes
 * it.  NULL: *err is libshm's error; SHM_BAD: `fd' is no segment. */
struct shm_seg *boot_spec_segment(const struct job_spec *o, int fd, int *err);

/* As boot_spec_segment, by way of mpiexec's own descriptor, for programs whose parent (sudo, a
 * Python script) has closed the inherited one.  *fd: the descriptor, the caller's. */
struct shm_seg *boot_spec_fetch(const struct job_spec *o, int *fd);

#endif
