// SPDX-License-Identifier: BSD-3-Clause
/* priority.c - mpiexec runs before the ranks of its host.
 *
 * A thousand ranks that share two CPUs are all ready at once, and mpiexec is one among them: its
 * turn comes after seconds, and so does the end of the job that the user asks for.  As root it
 * takes a better nice value.  Others get a short time slice, which lets a process that wakes run
 * early (Linux 6.12 and later).
 *
 *     mpiexec   raised ── clone ── waits ─────────── next rank ──> ... raised, no child inherits
 *     a rank              raised ── own value ── exec
 *
 * A child that began with the value of a rank would wait behind a rank on its CPU, and mpiexec for
 * it, while the other CPU is idle: up to 4 ms. */
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

static struct {
	bool raised;
	int nice, own; /* now, and of a rank */
} now;

static bool schedule_set(pid_t pid, int nice, uint64_t slice, uint64_t flags)
{
	struct schedule s = {.size = sizeof(s), .flags = flags, .nice = nice, .runtime = slice};

	return syscall(SYS_sched_setattr, pid, &s, 0) == 0;
}

void priority_raise(int nranks, int ncpus)
{
	if (!now.raised)
		now.own = getpriority(PRIO_PROCESS, 0);
	if (nranks / ncpus < OVERSUB || now.own < 0) /* < 0: the ranks would not inherit it */
		return;
	now.raised = true;
	now.nice = NICE;
	if (schedule_set(0, now.nice, SLICE_NS, 0))
		return;
	now.nice = now.own;
	schedule_set(
		0, now.nice, SLICE_NS, 0); /* or, in a later start, they begin with their own */
}

void priority_of_rank(void)
{
	if (now.raised)
		schedule_set(0, now.own, 0, 0);
}

void priority_give(pid_t pid)
{
	if (now.raised)
		schedule_set(pid, now.own, 0, 0);
}

/* RESET_ON_FORK makes a nice value below 0 to 0, not to that of a rank. */
void priority_of_server(void)
{
	if (now.raised && now.nice < 0 && now.own > 0)
		priority_of_rank();
	else if (now.raised)
		priority_keep();
}

void priority_keep(void)
{
	if (now.raised)
		schedule_set(0, now.nice, SLICE_NS, RESET_ON_FORK);
}
