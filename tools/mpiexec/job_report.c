// SPDX-License-Identifier: BSD-3-Clause
/* job_report.c - reports what each rank waits for.
 *
 *     rank 0: has waited 61 s in MPI_Recv to receive from rank 1, tag 7, MPI_COMM_WORLD
 *     ranks 1-9: have waited 60 to 61 s in MPI_Barrier of MPI_COMM_WORLD, for rank 0
 *     a cycle: 0 waits for 1, 1 waits for 0
 *
 * Behind it come their stacks (stacks.h).  The data come from j->seen, read from the segments of
 * all hosts without help of the ranks, which may hang.  Consecutive ranks in the same state share a
 * line. */
#include "tools/mpiexec/job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/waitrec.h"
#include "libobj/base.h"
#include "libshm/shm.h"
#include "tools/mpiexec/rank_needs.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/stacks.h"

#define LINE_LEN   1024
#define CYCLES_MAX 4 /* cycles to report; usually the first ones explain the others */
#define PIDS_MAX   4 /* processes to name among equal ones that have not called MPI_Init */

static const char NOT_INIT[] = "not called MPI_Init";

/* A line under construction; truncated at LINE_LEN. */
struct report_line {
	const struct job *j;
	char s[LINE_LEN];
	size_t len;
	int64_t wait_s;                 /* seconds the rank has waited; -1: it does not wait */
	int64_t age_s[SHM_STANDBY_MAX]; /* seconds its other threads have waited ... */
	size_t age_at[SHM_STANDBY_MAX]; /* ... and where in s these are inserted: not part of it, so
					 * that lines of equal states are equal */
	int nages;
	const char *does; /* verb for wait_s: "waited" */
	const char *has;  /* a fact without a time: "ended"; NULL: none */
};

__attribute__((format(printf, 2, 3))) static void line_add(
	struct report_line *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->s + l->len, LINE_LEN - l->len, fmt, ap);
	va_end(ap);
	if (n > 0)
		l->len += (size_t)n < LINE_LEN - l->len ? (size_t)n : LINE_LEN - l->len - 1;
}

/* --- one rank ------------------------------------------------------------------------------- */

static void add_comm(struct report_line *l, const struct boot_wait *w)
{
	if (w->name[0] != '\0')
		line_add(l, "%.*s", BOOT_WAIT_NAME - 1, w->name);
	else
		line_add(l, "communicator %llx", (unsigned long long)w->comm);
}

/* A process of the universe, "3" or "3 of world 2"; one of a world that has gone has no name. */
static const char *number_name(const struct report_line *l, int number)
{
	int r = job_entry(l->j, number);

	return r >= 0 ? job_rank_short(l->j, r) : "? of a world that has ended";
}

/* True if one of the processes was spawned: its name says so. */
static bool any_spawned(const struct job *j, const struct boot_wait *w)
{
	for (int i = 0; i < w->nlate && i < BOOT_WAIT_LATE; i++) {
		int r = job_entry(j, w->late[i]);

		if (r < 0 || j->rank[r].world->id > 0)
			return true;
	}
	return false;
}

static void add_peer(struct report_line *l, const struct boot_wait *w)
{
	int r = w->peer >= 0 ? job_entry(l->j, w->peer) : -1;

	if (w->peer < 0)
		line_add(l, " any rank");
	else if (r >= 0 && l->j->rank[r].world->id > 0)
		line_add(l, " rank %d (%s)", w->rank, job_rank_name(l->j, r));
	else if (w->peer == w->rank)
		line_add(l, " rank %d", w->rank);
	else
		line_add(l, " rank %d (%d in MPI_COMM_WORLD)", w->rank, w->peer);
	if (w->tag < 0)
		line_add(l, ", any tag, ");
	else
		line_add(l, ", tag %d, ", w->tag);
	add_comm(l, w);
}

/* Adds the ranks (of MPI_COMM_WORLD) that are late. */
static void add_ranks(struct report_line *l, const struct boot_wait *w, const char *why)
{
	int n = w->nlate < BOOT_WAIT_LATE ? w->nlate : BOOT_WAIT_LATE;

	for (int i = 0; i < n; i++)
		if (i > 0)
			line_add(l, ", %s", number_name(l, w->late[i]));
		else
			line_add(l, ", %s rank%s %s", why, w->nlate > 1 ? "s" : "",
				number_name(l, w->late[i]));
	if (w->nlate > n)
		line_add(l, " and %d more", w->nlate - n);
}

/* Adds a window and the ranks that have not posted or completed, or the holder of its lock. */
static void add_win(struct report_line *l, const struct boot_wait *w)
{
	line_add(l, " of %.*s", BOOT_WAIT_NAME - 1, w->name);
	if (w->kind == BOOT_WAIT_WIN) {
		add_ranks(l, w, "for");
		return;
	}
	if (w->peer >= 0)
		line_add(l, ", for rank %s", number_name(l, w->peer));
	add_ranks(l, w, "which is locked by");
	if (w->peer != w->rank)
		line_add(l, " (in MPI_COMM_WORLD)");
}

/* Adds the ranks that a collective call waits for. */
static void add_late(struct report_line *l, const struct boot_wait *w)
{
	if (strncmp(w->call, "MPI_Wait", 8) == 0)
		line_add(l, " for a collective call");
	if (w->comm != 0) {
		line_add(l, " of ");
		add_comm(l, w);
	}
	add_ranks(l, w, "for");
	if (w->nlate > 0 && !w->world && !any_spawned(l->j, w))
		line_add(l, " (in MPI_COMM_WORLD)");
}

static void add_unexpected(struct report_line *l, const struct boot_wait *w)
{
	if (w->unexpected == 0)
		return;
	line_add(l, "; %d message%s unreceived", w->unexpected, w->unexpected > 1 ? "s" : "");
	if (w->unexpected_rank >= 0)
		line_add(l, ", %sfrom rank %d, tag %d", w->unexpected > 1 ? "one " : "",
			w->unexpected_rank, w->unexpected_tag);
	else
		line_add(l, ", of another communicator");
}

/* Adds the partitions that are not ready, or have not arrived; w->bytes is their total number. */
static void add_parts(struct report_line *l, const struct boot_wait *w)
{
	bool sends = w->kind == BOOT_WAIT_PSEND;
	int n = w->nlate < BOOT_WAIT_LATE ? w->nlate : BOOT_WAIT_LATE;

	if ((!sends && w->kind != BOOT_WAIT_PRECV) || w->nlate == 0)
		return;
	line_add(l,
		sends ? ": MPI_Pready is missing for %d of %lld partitions ("
		      : ": %d of %lld partitions have not come (",
		w->nlate, (long long)w->bytes);
	for (int i = 0; i < n; i++)
		line_add(l, "%s%d", i > 0 ? ", " : "", w->late[i]);
	line_add(l, w->nlate > n ? ", ...)" : ")");
}

/* Reports a partitioned operation without a matching one. */
static void add_unmatched(struct report_line *l, const struct boot_wait *w)
{
	if (w->unmatched)
		line_add(l, "; not matched by an %s yet",
			w->kind == BOOT_WAIT_PSEND ? "MPI_Precv_init" : "MPI_Psend_init");
}

static void add_send(struct report_line *l, const struct boot_wait *w)
{
	bool back = w->kind == BOOT_WAIT_BACK;

	line_add(l, " to %s %lld byte%s %s", back ? "take back" : "send", (long long)w->bytes,
		w->bytes == 1 ? "" : "s", back ? "sent to" : "to");
	add_peer(l, w);
}

static void add_disk(struct report_line *l, const struct boot_wait *w)
{
	if (w->name[0] != '\0')
		line_add(l, " of %.*s", BOOT_WAIT_NAME - 1, w->name);
	line_add(l,
		w->kind == BOOT_WAIT_PIPE ? ", for the other end of this pipe" : " for the disk");
}

static void add_port(struct report_line *l, const struct boot_wait *w)
{
	const char *whom = strncmp(w->call, "MPI_Comm_spawn", 14) == 0 ? "its children"
			   : w->kind == BOOT_WAIT_ACCEPT               ? "a client"
								       : "a server";

	line_add(l, " %s port %.*s for %s", w->kind == BOOT_WAIT_ACCEPT ? "at" : "to",
		BOOT_WAIT_NAME - 1, w->name, whom);
}

/* The words behind the call's name, by the kind of the wait. */
static const struct {
	const char *words;
	void (*add)(struct report_line *l, const struct boot_wait *w);
} waits[] = {
	[BOOT_WAIT_SEND] = {"", add_send},
	[BOOT_WAIT_BACK] = {"", add_send},
	[BOOT_WAIT_RECV] = {" to receive from", add_peer},
	[BOOT_WAIT_PSEND] = {" to send partitions to", add_peer},
	[BOOT_WAIT_PRECV] = {" to receive partitions from", add_peer},
	[BOOT_WAIT_COLL] = {"", add_late},
	[BOOT_WAIT_WIN] = {"", add_win},
	[BOOT_WAIT_LOCK] = {"", add_win},
	[BOOT_WAIT_USER] = {" for MPI_Grequest_complete", NULL},
	[BOOT_WAIT_DISK] = {"", add_disk},
	[BOOT_WAIT_PIPE] = {"", add_disk},
	[BOOT_WAIT_ACCEPT] = {"", add_port},
	[BOOT_WAIT_CONNECT] = {"", add_port},
};

static void add_wait(struct report_line *l, const struct boot_wait *w)
{
	bool known =
		w->kind >= 0 && (size_t)w->kind < countof(waits) && waits[w->kind].words != NULL;

	if (w->call[0] != '\0')
		line_add(l, " in %.*s", BOOT_WAIT_CALL - 1, w->call);
	line_add(l, "%s", known ? waits[w->kind].words : " for other ranks");
	if (known && waits[w->kind].add != NULL)
		waits[w->kind].add(l, w);
	add_parts(l, w);
	add_unmatched(l, w);
	if (w->open > 1)
		line_add(l, w->one ? " (or another of its %d requests)" : " (%d requests are open)",
			w->open);
}

static int64_t seconds(uint64_t ns)
{
	return (int64_t)((ns + 500000000u) / NS_PER_S);
}

/* Adds the wait of the polling thread, and those of other threads. */
static void add_waits(struct report_line *l, const struct shm_view *v)
{
	l->wait_s = seconds(clock_now_ns() - v->since_ns);
	add_wait(l, boot_wait_in(v->description));
	for (int i = 0; i < v->nothers; i++) {
		line_add(l, "; another thread");
		l->age_s[l->nages] = seconds(clock_now_ns() - v->other[i].since_ns);
		l->age_at[l->nages++] = l->len;
		add_wait(l, boot_wait_in(v->other[i].description));
	}
	add_unexpected(l, boot_wait_in(v->description));
}

/* How far a long access to a file has come. */
static void add_file(struct report_line *l, const struct rank_view *s)
{
	if (s->known && s->alive && s->bytes > 0)
		line_add(l, "; has moved %lld %% of %lld bytes of %.*s",
			(long long)((double)s->moved * 100 / (double)s->bytes), (long long)s->bytes,
			BOOT_LONG_NAME - 1, s->file);
}

/* The state of rank r, without the time it has waited (wait_s). */
static void rank_line(const struct job *j, int r, struct report_line *l)
{
	const struct rank_view *s = &j->seen[r];

	uint64_t away_ns = rank_away_ns(j, r);

	*l = (struct report_line){.j = j, .wait_s = -1, .does = "waited"};
	if (!s->known)
		line_add(l, " nothing is known: the host has not answered");
	else if (!s->alive)
		l->has = "ended";
	else if (s->stopped)
		line_add(l, " stopped by a signal (SIGCONT lets it go on)");
	else if (s->state == BOOT_NEW)
		line_add(l, " running,"), l->has = NOT_INIT;
	else if (s->state == BOOT_DONE)
		line_add(l, " running,"), l->has = "called MPI_Finalize";
	else if (away_ns > 0)
		l->wait_s = seconds(away_ns), l->does = "been outside of MPI for",
		line_add(l, " and has used no CPU time");
	else if (!s->view.asleep)
		line_add(l, " running, in MPI or in its own code");
	else
		add_waits(l, &s->view);
	add_file(l, s);
}

/* --- cycles --------------------------------------------------------------------------------- */

/* A rank on the path of the cycle search. */
struct cycle_step {
	struct needs needs;
	int next;                     /* index of the next needs.to to follow */
	int before;                   /* predecessor on the path; -1: the start */
	enum { NEW, ON, OVER } visit; /* ON: on the current path */
};

/* Reports the cycle first -> ... -> last -> first. */
static void cycle_say(const struct job *j, const struct cycle_step *e, int first, int last)
{
	struct report_line l = {.j = j};
	int *chain, n = 0;

	for (int r = last; r != first; r = e[r].before)
		n++;
	chain = mem_grow(NULL, (size_t)n + 2, sizeof(*chain));
	chain[0] = chain[n + 1] = first;
	for (int r = last, i = n; i > 0; r = e[r].before)
		chain[i--] = r;
	for (int i = 0; i <= n; i++)
		line_add(&l, "%s%s waits for %s", i > 0 ? ", " : "", job_rank_short(j, chain[i]),
			job_rank_short(j, chain[i + 1]));
	free(chain);
	out_say("  a cycle: %s", l.s);
}

/* Follows the needs of ranks from `first', depth first.  Returns the number of cycles found: 0 or
 * 1. */
static int cycle_visit(const struct job *j, struct cycle_step *e, int first)
{
	int r = first;

	e[r].before = -1;
	e[r].visit = ON;
	while (r >= 0) {
		int to = e[r].next < e[r].needs.n ? e[r].needs.to[e[r].next++] : -1;

		if (to < 0) {
			e[r].visit = OVER;
			r = e[r].before;
		} else if (e[to].visit == ON) {
			cycle_say(j, e, to, r);
			for (; r >= 0; r = e[r].before)
				e[r].visit = OVER;
			return 1;
		} else if (e[to].visit == NEW) {
			e[to].before = r;
			e[to].visit = ON;
			r = to;
		}
	}
	return 0;
}

static void cycles_say(const struct job *j)
{
	struct cycle_step *e = mem_grow(NULL, (size_t)j->n, sizeof(*e));
	int any = -1, cycles = 0;

	for (int r = 0; r < j->n; r++) {
		e[r] = (struct cycle_step){.needs = {.n = 0}};
		if (j->rank[r].world != NULL)
			e[r].needs = rank_needs(j, r);
		if (e[r].needs.any && any < 0)
			any = r;
	}
	for (int r = 0; r < j->n && cycles < CYCLES_MAX; r++)
		if (e[r].visit == NEW)
			cycles += cycle_visit(j, e, r);
	if (cycles == 0 && any >= 0)
		out_say("  no cycle is seen: %s would take a message of any rank",
			job_rank_name(j, any));
	free(e);
}

/* --- all of them ---------------------------------------------------------------------------- */

/* Adds the text of a rank's state, with the ages of its threads if `ages'. */
static void add_aged(struct report_line *l, const struct report_line *what, bool ages)
{
	size_t at = 0;

	for (int i = 0; i < what->nages; i++) {
		line_add(l, "%.*s", (int)(what->age_at[i] - at), what->s + at);
		at = what->age_at[i];
		if (ages)
			line_add(l, ", for %lld s,", (long long)what->age_s[i]);
	}
	line_add(l, "%s", what->s + at);
}

/* Names the processes of ranks that have not called MPI_Init: no more is known of them. */
static void add_processes(struct report_line *l, int from, int to)
{
	const struct job *j = l->j;
	const char *before = from == to ? " (process" : " (processes";

	for (int r = from; r <= to && r < from + PIDS_MAX; r++) {
		const struct rank *k = &j->rank[r];
		const char *host = j->plan->nhosts > 0 ? j->plan->host[k->host].name : "localhost";

		line_add(l, "%s %d on %s", r > from ? "," : before, k->pid, host);
	}
	if (to - from >= PIDS_MAX)
		line_add(l, " and %d more", to - from + 1 - PIDS_MAX);
	line_add(l, ", %s)", j->rank[from].app->argv[0]);
}

/* Prints the line of ranks from..to, which have waited least..most seconds. */
static void ranks_say(int from, int to, const struct report_line *what, int64_t least, int64_t most)
{
	const char *have = from == to ? "has" : "have";
	struct report_line l = {.j = what->j};
	const struct rank *k = &what->j->rank[from];

	if (from == to)
		line_add(&l, "%s:", job_rank_name(what->j, from));
	else if (k->world->id == 0)
		line_add(&l, "ranks %d-%d:", k->rank, k->rank + to - from);
	else
		line_add(
			&l, "ranks %d-%d of world %d:", k->rank, k->rank + to - from, k->world->id);
	if (least >= 0 && least == most)
		line_add(&l, " %s %s %lld s", have, what->does, (long long)least);
	else if (least >= 0)
		line_add(&l, " %s %s %lld to %lld s", have, what->does, (long long)least,
			(long long)most);
	add_aged(&l, what, from == to);
	if (what->has != NULL)
		line_add(&l, " %s %s", have, what->has);
	if (what->has == NOT_INIT)
		add_processes(&l, from, to);
	out_say("  %s", l.s);
}

/* True if entries a and b can share a line: neighbors in one world, and of one program if the line
 * names it. */
static bool line_shared(const struct job *j, int a, int b, const struct report_line *what)
{
	return j->rank[b].world == j->rank[a].world && j->rank[b].rank == j->rank[a].rank + b - a &&
	       (what->has != NOT_INIT || j->rank[b].app == j->rank[a].app);
}

void job_report(struct job *j)
{
	struct report_line cur = {.wait_s = -1}, next;
	int64_t least = -1, most = -1;
	int from = -1;

	for (int r = 0; r <= j->n; r++) {
		bool some = r < j->n && job_shows(j, r);

		if (some)
			rank_line(j, r, &next);
		if (some && from >= 0 && line_shared(j, r - 1, r, &cur) &&
			strcmp(cur.s, next.s) == 0 && cur.has == next.has) {
			least = next.wait_s < least ? next.wait_s : least;
			most = next.wait_s > most ? next.wait_s : most;
			continue;
		}
		if (from >= 0)
			ranks_say(from, r - 1, &cur, least, most);
		from = some ? r : -1;
		if (some)
			cur = next;
		least = most = cur.wait_s;
	}
	cycles_say(j);
	stacks_say(j);
}
