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
#define NAME_LEN 64

/* The numbers that libmpi/p2p writes for what it waits for, and its context ids. */
enum { WAIT_SEND = 1, WAIT_RECV = 2 };
enum { CTX_INSIDE = 7, CTX_WORLD = 8, CTX_SELF = 16 }; /* planes; 0 is the user's */

static void comm_text(uint64_t ctx, char *to)
{
	uint64_t id = ctx & ~(uint64_t)CTX_INSIDE;

	if (id == CTX_WORLD)
		snprintf(to, NAME_LEN, "MPI_COMM_WORLD");
	else if (id == CTX_SELF)
		snprintf(to, NAME_LEN, "MPI_COMM_SELF");
	else
		snprintf(to, NAME_LEN, "communicator %llu", (unsigned long long)id);
}

/* Negative peers and tags are the wild ones. */
static void peer_text(const struct shm_what *w, char *to)
{
	int n = w->peer < 0 ? snprintf(to, NAME_LEN, "any rank")
			    : snprintf(to, NAME_LEN, "rank %d", w->peer);

	if (w->comm & CTX_INSIDE)
		return; /* the tag is ours */
	if (w->tag < 0)
		snprintf(to + n, NAME_LEN - (size_t)n, ", any tag");
	else
		snprintf(to + n, NAME_LEN - (size_t)n, ", tag %d", w->tag);
}

static void wait_text(const struct shm_view *v, char *line)
{
	const struct shm_what *w = &v->what;
	long long s = (long long)((now_ns() - v->since_ns + 500000000u) / 1000000000u);
	char comm[NAME_LEN], peer[NAME_LEN];
	const char *what = w->call == WAIT_SEND ? "to send to" : "to receive from";

	comm_text(w->comm, comm);
	peer_text(w, peer);
	if (w->call != WAIT_SEND && w->call != WAIT_RECV)
		snprintf(line, LINE_LEN, "has waited %lld s for other ranks", s);
	else if (w->comm & CTX_INSIDE)
		snprintf(line, LINE_LEN, "has waited %lld s for %s, in a collective of %s", s, peer,
			comm);
	else
		snprintf(line, LINE_LEN, "has waited %lld s %s %s, %s", s, what, peer, comm);
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

/* The rank that `r' waits for; -1: nobody that could be named. */
static int awaited(const struct job *j, int r)
{
	struct shm_view v;

	shm_seg_view(j->seg, r, &v);
	if (!j->rank[r].alive || !v.asleep)
		return -1;
	if ((v.what.call != WAIT_SEND && v.what.call != WAIT_RECV) || v.what.peer >= j->n)
		return -1;
	return v.what.peer;
}

/* One circle, from `first' around. */
static void circle_say(const struct job *j, int first)
{
	char line[LINE_LEN];
	int n = snprintf(line, sizeof line, "  these wait for each other: %d", first);
	int r = first;

	for (int steps = 0; steps < j->n && n < LINE_LEN - NAME_LEN; steps++) {
		r = awaited(j, r);
		if (r < 0)
			return; /* no longer */
		n += snprintf(line + n, sizeof line - (size_t)n, " -> %d", r);
		if (r == first)
			break;
	}
	say("%s%s", line, r == first ? "" : " -> ...");
}

/* Names the circles of ranks that wait for each other, each once: the mark of a rank is the walk
 * that came by first, and a walk that meets its own mark has found one. */
static void circles_say(const struct job *j)
{
	int *mark = grow(NULL, (size_t)j->n, sizeof *mark);
	int r;

	memset(mark, 0, (size_t)j->n * sizeof *mark);
	for (int walk = 1; walk <= j->n; walk++) {
		for (r = walk - 1; r >= 0 && mark[r] == 0; r = awaited(j, r))
			mark[r] = walk;
		if (r >= 0 && mark[r] == walk)
			circle_say(j, r);
	}
	free(mark);
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
	circles_say(j);
}
