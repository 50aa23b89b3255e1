// SPDX-License-Identifier: BSD-3-Clause
/* job_show.h - what a job says about itself when it is asked to: hosts, places, exit codes.
 *
 *     -display-allocation   mpiexec: host a: 4 slots
 *     -display-map          mpiexec: host a: ranks 0-3 of ./prog
 *     -report-bindings      mpiexec: rank 0 on a is bound to CPUs 0-1
 *     -print-all-exitcodes  mpiexec: exit codes: ranks 0-2: 0; rank 3: 1 */
#ifndef MPIEXEC_JOB_SHOW_H
#define MPIEXEC_JOB_SHOW_H

#include <sched.h>

struct job;

/* Before the start: hosts and map of the command line's ranks, if the plan asks for them. */
void job_show_start(const struct job *j);

/* A rank has been started: its process, host, program and CPUs with -v, its CPUs with
 * -report-bindings.  cpus NULL: not bound. */
void job_show_rank(const struct job *j, int r, const cpu_set_t *cpus);

/* After the job: how each process has ended, if the plan asks for it. */
void job_show_ends(const struct job *j);

#endif
