// SPDX-License-Identifier: BSD-3-Clause
/* priority.c - mpiexec runs before the ranks of its host.
 *
 * A thousand ranks that share two CPUs are all ready at once, and mpiexec is one among them: its
 * turn comes after seconds, and so does the end of the job that the user asks for.  As root it
 * takes a better nice value.  Others get a short time slice, which lets a process that wakes run
 * early (Linux 6.12 and later).  Both end at fork: the ranks do not inherit them. */
#include "tools/mpiexec/priority.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OVERSUB       16 /* ranks a CPU: with fewer, mpiexec waits for some ms at most */
#define NICE          (-10)
#define SLICE_NS      200000 /* mpiexec has work for less than this, mostly */
#define RESET_ON_FORK 1      /* SCHED_FLAG_RESET_ON_FORK */

/* The first version of the record that the system call reads. */
struct schedule {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static bool schedule_set(int nice)
{
	struct schedule s = {
		.size = sizeof(s), .flags = RESET_ON_FORK, .nice = nice, .runtime = SLICE_NS};

	return syscall(SYS_sched_setattr, 0, &s, 0) == 0;
}

void priority_raise(int nranks, int ncpus)
{
	int nice = getpriority(PRIO_PROCESS, 0);

	if (nranks / ncpus < OVERSUB || nice < 0) /* < 0: the ranks would not inherit it */
		return;
	if (!schedule_set(NICE))
		schedule_set(nice);
}
