// SPDX-License-Identifier: BSD-3-Clause
/* spawn.c - see spawn.h.
 *
 *   spawn_do: read, find programs ── one is missing, or there is no room ──> spawn_refuse
 *      |                             and the numbers that `soft' allows do
 *      v                             not include the rest
 *   spawn_begin ── a rank cannot be started, without soft ──> kills the others, spawn_refuse
 *      |
 *      v
 *   spawn_reply: first number, how many, an error code for each process that was asked for
 *
 * Everything that can be checked is checked before a process starts. */
#include "tools/mpiexec/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/listen.h"
#include "libmpi/boot/mpiexec_words.h"
#include "libmpi/core/setting.h"
#include "libobj/base.h"
#include "tools/mpiexec/requests.h"
#include "tools/mpiexec/stdin_forward.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/job_show.h"
#include "tools/mpiexec/marshal.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/remote_ranks.h"

#define CODE_LEN 12 /* bytes of a number with its comma */

static void spawn_free(struct spawn *s)
{
	for (int i = 0; i < s->q.nparts && s->app != NULL; i++) {
		spawn_app_free(&s->app[i]);
		if (s->w == NULL) /* else they are the world's */
			app_free(&s->app[i].app);
	}
	if (s->w != NULL) {
		s->q.preput = NULL;
		s->q.npreputs = 0;
	}
	free(s->app);
	free(s->found);
	free(s->errs);
	free(s->why);
	free(s->other_hosts);
	spawn_request_free(&s->q);
	free(s);
}

/* Keeps the first reason why a process is missing. */
static void spawn_reason(struct spawn *s, char *why)
{
	if (s->why == NULL)
		s->why = why;
	else
		free(why);
}

/* The codes of all processes that were asked for, "0,0,42"; malloc'ed.  `none': none was
 * started. */
static char *codes_text(const struct spawn *s, bool none)
{
	char *text = mem_grow(NULL, (size_t)s->q.total + 1, CODE_LEN), *to = text;
	int rank = 0;

	*to = '\0';
	for (int i = 0; i < s->q.nparts; i++) {
		int started = none || s->w == NULL ? 0 : s->w->app[i].n;

		for (int k = 0; k < s->q.part[i].nprocs; k++) {
			bool bad = k >= started || (s->errs != NULL && s->errs[rank + k] != 0);

			to += snprintf(to, CODE_LEN, "%s%d", to > text ? "," : "",
				bad ? MPI_ERR_SPAWN : 0);
		}
		rank += started;
	}
	return text;
}

/* Answers that nothing was started, and why. */
static void spawn_refuse(struct spawn *s)
{
	int entry = job_entry(s->j, s->root), class = MPI_ERR_SPAWN;
	char *codes = codes_text(s, true);
	char *words = request_word(s->why != NULL ? s->why : "no process could be started");

	for (int i = 0; i < s->q.nparts && s->app != NULL; i++)
		class = s->app[i].bad_value ? MPI_ERR_INFO_VALUE : class;
	if (entry >= 0)
		request_reply(s->j, entry,
			BOOT_SPAWN_RESULT " rc=-1 " BOOT_WORD_CLASS "=%d errcodes=%s%s%s msg=%s",
			class, codes, s->other_hosts != NULL ? " " BOOT_WORD_OTHER_HOSTS "=" : "",
			s->other_hosts != NULL ? s->other_hosts : "", words);
	free(words);
	free(codes);
	spawn_free(s);
}

/* Replies with the processes that run. */
static void spawn_reply(struct spawn *s)
{
	int entry = job_entry(s->j, s->root), n = s->w != NULL ? s->w->n : 0;
	char *codes = n < s->q.total || s->why != NULL ? codes_text(s, false) : NULL;
	char *words = s->why != NULL ? request_word(s->why) : NULL;

	if (entry >= 0)
		request_reply(s->j, entry,
			BOOT_SPAWN_RESULT " rc=0 " BOOT_WORD_FIRST "=%d " BOOT_WORD_N
					  "=%d " BOOT_WORD_WORLD "=%d%s%s%s%s",
			n > 0 ? s->w->first : -1, n, n > 0 ? s->w->id : 0,
			codes != NULL ? " errcodes=" : "", codes != NULL ? codes : "",
			words != NULL ? " msg=" : "", words != NULL ? words : "");
	free(words);
	free(codes);
	spawn_free(s);
}

/* --- before the start ----------------------------------------------------------------------- */

static const char *path_of(char *const *env)
{
	for (; *env != NULL; env++)
		if (strncmp(*env, "PATH=", 5) == 0)
			return *env + 5;
	return NULL;
}

/* Finds the program of each part, if it is to run on this host. */
static void programs_find(struct spawn *s)
{
	for (int i = 0; i < s->q.nparts; i++) {
		struct app *a = &s->app[i].app;
		int err;
		char *why = NULL;

		s->found[i] = true;
		if (s->j->remote == NULL)
			why = app_find(a, path_of(a->envp + 1), &err);
		if (why == NULL)
			continue;
		s->found[i] = false;
		spawn_reason(s, why);
	}
}

/* Settles how many processes of each part are started.  False: not as many as was asked for. */
static bool numbers_settle(struct spawn *s)
{
	char *missing = spawn_hosts_missing(s);

	if (missing != NULL) {
		spawn_reason(s, missing);
		return false;
	}
	for (int i = 0; i < s->q.nparts; i++) {
		struct spawn_app *a = &s->app[i];
		int all = s->q.part[i].nprocs;
		int most = s->found[i] ? spawn_room(s, i, all) : 0;

		if (most < all && s->found[i]) {
			s->full_why = s->full_why || s->why == NULL;
			s->full = true;
			spawn_reason(s, spawn_full(s, i, all));
		}
		a->app.n = soft_number(a->soft, all, most);
		if (a->app.n < 0 && a->soft != NULL)
			spawn_reason(s, text_new("soft is `%s', which has no number from 0 to %d",
						a->soft, most));
		if (a->app.n < 0)
			return false;
	}
	return true;
}

/* Reads the request.  False: it is refused, with s->why. */
static bool request_take(struct spawn *s, const char *text, char *const *base)
{
	char *copy = text_new("%s", text);
	const char *bad = spawn_request_read(&s->q, copy);
	size_t n = (size_t)s->q.nparts + 1;

	free(copy);
	s->app = mem_grow(NULL, n, sizeof(*s->app));
	memset(s->app, 0, n * sizeof(*s->app));
	s->found = mem_grow(NULL, n, sizeof(*s->found));
	if (bad != NULL) {
		s->why = text_new("the request is not understood: %s", bad);
		return false;
	}
	for (int i = 0; i < s->q.nparts; i++) {
		char *why = spawn_app_make(&s->app[i], &s->q.part[i], base);

		if (s->app[i].app.appnum < 0)
			s->app[i].app.appnum = i;
		if (why != NULL) {
			spawn_reason(s, why);
			return false;
		}
	}
	if (s->q.total > 0 && s->app[0].stdin_to >= s->q.total) {
		s->app[0].bad_value = true;
		spawn_reason(s, text_new(BOOT_KEY_STDIN " is %d: the children are 0 to %d",
					s->app[0].stdin_to, s->q.total - 1));
		return false;
	}
	s->other_hosts = spawn_other_hosts(s);
	spawn_hosts_add(s);
	for (int i = 0; i < s->q.nparts && s->other_hosts == NULL && s->why == NULL; i++)
		s->why = spawn_hosts_settle(s, i);
	return s->other_hosts == NULL && s->why == NULL;
}

/* Makes the world.  It has the programs and the preput values of the request. */
static void spawn_world_make(struct spawn *s)
{
	struct app *app = mem_grow(NULL, (size_t)s->q.nparts, sizeof(*app));

	/* From here on the world has the programs of s->app, and the preput values. */
	for (int i = 0; i < s->q.nparts; i++)
		app[i] = s->app[i].app;
	s->w = world_new(s->j->made, s->j->numbers, app, s->q.nparts);
	s->w->preput = s->q.preput;
	s->w->npreputs = s->q.npreputs;
	s->w->stdin_to = s->app[0].stdin_to;
	s->errs = mem_grow(s->errs, (size_t)s->w->n + 1, sizeof(*s->errs));
	memset(s->errs, 0, (size_t)s->w->n * sizeof(*s->errs));
}

/* Forgets a world that has no process. */
static void spawn_world_drop(struct spawn *s)
{
	free(s->w->app); /* the programs are those of s->app */
	s->w->app = NULL;
	s->w->napps = 0;
	s->w->preput = NULL;
	s->w->npreputs = 0;
	world_free(s->w);
	s->w = NULL;
}

/* Forgets a world that has entries, none of whose ranks was started. */
static void spawn_world_cancel(struct spawn *s)
{
	job_world_remove(s->j, s->w);
	spawn_world_drop(s);
}

/* --- the start ------------------------------------------------------------------------------ */

static const struct spawn *starting; /* for spawn_stdin, a callback without an argument */

/* The stdin of a spawned rank: /dev/null, unless a key has said that it reads that of mpiexec. */
static int spawn_stdin(int entry)
{
	const struct rank *k = &starting->j->rank[entry];
	int to = starting->app[0].stdin_to;

	if ((to != k->rank && to != STDIN_ALL) || isatty(STDIN_FILENO))
		return -1;
	return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

/* Opens the files of the keys. */
static bool spawn_files(struct spawn *s)
{
	const struct plan *p = s->j->plan;

	for (int r = 0; r < s->w->n; r++)
		for (int which = 0; which < 2; which++) {
			int a;
			const char *f;

			world_app(s->w, r, &a);
			f = s->app[a].file[which];
			if (f == NULL && p->file[which] == NULL)
				continue;
			if (job_file_open(s->j, s->w->entry[r], which,
				    f != NULL ? f : p->file[which], f == NULL && p->file_copy))
				continue;
			spawn_reason(s, text_new("output to %s: %s", f != NULL ? f : p->file[which],
						strerror(errno)));
			return false;
		}
	return true;
}

/* True if no part can do with fewer processes than it has. */
static bool spawn_hard(const struct spawn *s)
{
	for (int i = 0; i < s->q.nparts; i++)
		if (s->app[i].soft != NULL)
			return false;
	return true;
}

/* Counts what runs, and says so with -v. */
static void spawn_count(struct spawn *s)
{
	struct job *j = s->j;

	for (int r = 0; r < s->w->n; r++) {
		int entry = s->w->entry[r], row = local_row(&j->local, entry);
		struct rank *k = &j->rank[entry];

		k->pid = row >= 0 ? (int)j->local.m[row].pid : 0;
		k->alive = row >= 0 && j->local.m[row].alive;
		s->started += k->alive;
		s->w->alive += k->alive;
		j->alive += k->alive;
		if (k->alive)
			job_show_rank(j, entry, j->local.cpus != NULL ? &j->local.cpus[row] : NULL);
	}
}

/* The world is refused after some of its processes have started: they are killed, and their deaths
 * are no failures. */
static void spawn_kill(struct spawn *s)
{
	s->w->ending = s->w->killed = true;
	job_world_signal(s->j, s->w, SIGKILL);
}

/* Starts the world on this host. */
static void start_here(struct spawn *s)
{
	struct job *j = s->j;
	char ip[LISTEN_IP], **addr;
	char *why;

	addr = mem_grow(NULL, (size_t)s->w->n, sizeof(*addr));
	memset(addr, 0, (size_t)s->w->n * sizeof(*addr));
	why = local_add(&j->local, s->w, 0, job_listen_where(j, ip), addr);
	job_world_add(j, s->w);
	for (int r = 0; r < s->w->n; r++)
		j->rank[s->w->entry[r]].addr = addr[r];
	free(addr);
	starting = s;
	if (why == NULL && spawn_files(s))
		why = local_start(&j->local, s->w, spawn_stdin, out_add, s->errs, !spawn_hard(s));
	if (why != NULL)
		spawn_reason(s, why);
	spawn_count(s);
}

/* The processes of the world have been started, or not: answers. */
static void spawn_end(struct spawn *s)
{
	struct job *j = s->j;

	if (s->started < s->w->n && (spawn_hard(s) || s->started == 0)) {
		spawn_kill(s);
		spawn_refuse(s);
		return;
	}
	job_connect(j, s->parent, s->w->id);
	spawn_reply(s);
}

/* --- on several hosts ----------------------------------------------------------------------- */

/*
 *   root: FRAME_SPAWN ──> each host: programs, sockets ──> UP_PREPARED
 *         FRAME_GO    ──> each host: starts its ranks  ──> UP_SPAWNED
 *
 * A host without ranks of the world answers nothing.  If a program is missing on a host, the spawn
 * begins again without that program, as far as `soft' allows it. */

static struct spawn *pending;  /* spawns that wait for hosts to prepare or to start */
static struct spawn *deferred; /* spawns that wait until it is known which hosts there are */

static struct spawn *pending_find(int world)
{
	struct spawn *s = pending;

	while (s != NULL && s->w->id != world)
		s = s->next;
	return s;
}

static void pending_remove(struct spawn *s)
{
	struct spawn **at = &pending;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	s->w->starting = false;
}

/* The number of hosts that have ranks of the world. */
static int hosts_count(const struct spawn *s)
{
	int n = 0;

	for (int h = 0; h < s->j->plan->nhosts; h++)
		for (int r = 0; r < s->w->n; r++)
			if (s->w->host_of[r] == h) {
				n++;
				break;
			}
	return n;
}

static void start_remote(struct spawn *s)
{
	job_world_add(s->j, s->w);
	s->next = pending;
	pending = s;
	s->w->starting = true;
	s->waits = hosts_count(s);
	remote_spawn(s->j->remote, s->w);
}

static void spawn_begin(struct spawn *s);

/* All hosts have prepared the world: starts it, or begins again without the missing ones. */
static void prepared_all(struct spawn *s)
{
	bool all = true;

	for (int i = 0; i < s->q.nparts; i++)
		all &= s->found[i] || s->app[i].app.n == 0; /* soft allows none */
	if (!all || !spawn_files(s)) {
		pending_remove(s);
		remote_forget(s->j->remote, s->w);
		spawn_world_cancel(s);
		if (all)
			spawn_refuse(s);
		else
			spawn_begin(s);
		return;
	}
	s->waits = hosts_count(s);
	remote_go(s->j->remote, s->w, !spawn_hard(s));
}

void spawn_prepared(int world, int host, struct marshal *p)
{
	struct spawn *s = pending_find(world);

	if (s == NULL)
		return;
	for (int i = 0; i < s->q.nparts; i++) {
		char *why = marshal_take_text(p);

		if (why == NULL)
			continue;
		s->found[i] = false;
		spawn_reason(s, text_new("host %s: %s", s->j->plan->host[host].name, why));
		free(why);
	}
	for (int r = 0; r < s->w->n; r++)
		if (s->w->host_of[r] == host) {
			struct rank *k = &s->j->rank[s->w->entry[r]];

			free(k->addr);
			k->addr = marshal_take_text(p);
		}
	if (--s->waits == 0)
		prepared_all(s);
}

void spawn_host_started(int world, int host, struct marshal *p)
{
	struct spawn *s = pending_find(world);
	char *why;

	if (s == NULL)
		return;
	for (int r = 0; r < s->w->n; r++) {
		struct rank *k = &s->j->rank[s->w->entry[r]];

		if (s->w->host_of[r] != host)
			continue;
		k->pid = (int)marshal_take_int(p);
		s->errs[r] = (int)marshal_take_int(p);
		k->alive = k->pid > 0;
		s->started += k->alive;
		s->w->alive += k->alive;
		s->j->alive += k->alive;
		if (!k->alive)
			for (int which = 0; which < 2; which++)
				out_push(s->w->entry[r], which, NULL, 0, clock_now_ns());
		else
			job_show_rank(s->j, s->w->entry[r], NULL);
	}
	why = marshal_take_text(p);
	if (why != NULL)
		spawn_reason(s, why);
	if (--s->waits > 0)
		return;
	pending_remove(s);
	spawn_end(s);
}

void spawn_host_lost(int host)
{
	struct spawn *next;

	for (struct spawn *s = pending; s != NULL; s = next) {
		bool mine = false;

		next = s->next;
		for (int r = 0; r < s->w->n; r++)
			mine |= s->w->host_of[r] == host;
		if (!mine)
			continue;
		pending_remove(s);
		spawn_reason(s, text_new("host %s is lost", s->j->plan->host[host].name));
		spawn_kill(s);
		spawn_refuse(s);
	}
}

/* --- the request ---------------------------------------------------------------------------- */

#define ROOM_WAIT_MS 1000 /* for processes that are disconnected from the asking one */
#define ROOM_POLL_MS 100  /* until the answer to a poll is asked for again */
#define ROOM_MAX_S   30   /* for those that have called MPI_Finalize, and live */

static struct spawn *without_room; /* spawns that wait for room; tried again after each event */

/* Waits on for room. */
static bool room_await(struct spawn *s, uint64_t now, uint64_t ms)
{
	s->room_ns = now + ms * NS_PER_MS;
	return true;
}

/* True if a process lives that nothing connects with the marked worlds.  done: it has called
 * MPI_Finalize, as of the last check. */
static bool room_held(const struct job *j, bool done)
{
	for (int r = 0; r < j->n; r++)
		if (j->rank[r].alive && !j->rank[r].world->mark &&
			(!done || (j->seen[r].known && j->seen[r].state == BOOT_DONE)))
			return true;
	return false;
}

/* True if processes live that nothing connects with the one that asks: as a rule they are about to
 * end, and their places are free then.  Those that have called MPI_Finalize surely are, however
 * busy the machine is: a check at the end of the wait tells. */
static bool room_comes(struct spawn *s)
{
	int asks = job_entry(s->j, s->root);
	uint64_t now = clock_now_ns();

	if (!s->full || asks < 0)
		return false;
	job_mark_connected(s->j, s->j->rank[asks].world);
	if (!room_held(s->j, false))
		return false;
	if (s->room_ns == 0) {
		s->room_max_ns = now + (uint64_t)ROOM_MAX_S * 1000 * NS_PER_MS;
		return room_await(s, now, ROOM_WAIT_MS);
	}
	if (now < s->room_ns)
		return true;
	if ((s->j->asked & ASK_ROOM) != 0)
		return room_await(s, now, ROOM_POLL_MS);
	if (!s->room_asked) {
		s->room_asked = true;
		job_ask(s->j, ASK_ROOM);
		return room_await(s, now, ROOM_POLL_MS);
	}
	s->room_asked = false;
	return room_held(s->j, true) && now < s->room_max_ns && room_await(s, now, ROOM_WAIT_MS);
}

/* Settles numbers, hosts and entries, and starts. */
static void spawn_begin(struct spawn *s)
{
	if (!numbers_settle(s)) {
		if (!room_comes(s)) {
			spawn_refuse(s);
			return;
		}
		s->next = without_room;
		without_room = s;
		return;
	}
	spawn_world_make(s);
	if (s->w->n == 0) {
		spawn_world_drop(s);
		spawn_reply(s);
		return;
	}
	spawn_assign(s);
	if (s->j->remote != NULL) {
		start_remote(s);
		return;
	}
	start_here(s);
	spawn_end(s);
}

void spawn_do(struct job *j, int entry, const char *text)
{
	struct spawn *s = mem_grow(NULL, 1, sizeof(*s));

	*s = (struct spawn){
		.j = j, .root = job_number(j, entry), .parent = j->rank[entry].world->id};
	if (!request_take(s, text, j->rank[entry].app->envp + 1)) {
		spawn_refuse(s);
		return;
	}
	if (j->remote != NULL && !remote_settled(j->remote)) {
		s->next = deferred;
		deferred = s;
		return;
	}
	programs_find(s);
	spawn_begin(s);
}

void spawn_clock(void)
{
	struct spawn *s = without_room, *next;

	without_room = NULL;
	for (; s != NULL; s = next) {
		next = s->next;
		if (s->full_why) {
			free(s->why);
			s->why = NULL;
		}
		s->full = s->full_why = false;
		spawn_begin(s);
	}
}

int spawn_timeout(uint64_t now)
{
	int ms = -1;

	for (const struct spawn *s = without_room; s != NULL; s = s->next) {
		int left = s->room_ns > now ? (int)((s->room_ns - now) / NS_PER_MS) + 1 : 0;

		ms = ms < 0 || left < ms ? left : ms;
	}
	return ms;
}

void spawn_resume(void)
{
	while (deferred != NULL && remote_settled(deferred->j->remote)) {
		struct spawn *s = deferred;

		deferred = s->next;
		programs_find(s);
		spawn_begin(s);
	}
}
