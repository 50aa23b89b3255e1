// SPDX-License-Identifier: BSD-3-Clause
/* roll.c - the roll-call: what does each rank wait for?
 *
 * Read from the segment, without asking the ranks, which may hang.  Ranks in the same state are
 * named in one line: "ranks 3-511: ...". */
#include "tools/mpiexec/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmpi/boot/boot.h"
#include "libshm/shm.h"
#include "tools/mpiexec/out.h"

#define LINE_LEN 256

static void wait_text(const struct shm_view *v, char *line)
{
	int s = (int)((now_ns() - v->since_ns) / 1000000000u);
	size_t n;

	if (v->what.call == 0) {
		snprintf(line, LINE_LEN, "waiting for %d s", s);
		return;
	}
	n = (size_t)snprintf(line, LINE_LEN, "waiting for %d s in call %d, communicator %llx", s,
		v->what.call, (unsigned long long)v->what.comm);
	if (n < LINE_LEN)
		snprintf(line + n, LINE_LEN - n, ", peer %d, tag %d", v->what.peer, v->what.tag);
}

static void rank_text(const struct job *j, int r, char *line)
{
	struct boot_rank *page = shm_seg_job_rank(j->seg, r);
	uint32_t state = atomic_load(&page->state);
	struct shm_view v;

	shm_seg_view(j->seg, r, &v);
	if (!j->rank[r].alive)
		snprintf(line, LINE_LEN, "has ended");
	else if (state == BOOT_NEW)
		snprintf(line, LINE_LEN, "running, has not called MPI_Init");
	else if (state == BOOT_DONE)
		snprintf(line, LINE_LEN, "running, has called MPI_Finalize");
	else if (!v.asleep)
		snprintf(line, LINE_LEN, "running, in MPI or in its own code");
	else
		wait_text(&v, line);
}

void roll_call(const struct job *j)
{
	char cur[LINE_LEN], next[LINE_LEN];
	int from = 0;

	rank_text(j, 0, cur);
	for (int r = 1; r <= j->n; r++) {
		if (r < j->n)
			rank_text(j, r, next);
		if (r < j->n && strcmp(cur, next) == 0)
			continue;
		if (from == r - 1)
			say("  rank %d: %s", from, cur);
		else
			say("  ranks %d-%d: %s", from, r - 1, cur);
		memcpy(cur, next, sizeof cur);
		from = r;
	}
}
