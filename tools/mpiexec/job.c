// SPDX-License-Identifier: BSD-3-Clause
/* job.c - starts the ranks and judges their deaths.  See job.h. */
#include "tools/mpiexec/job.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/listen.h"
#include "libmpi/core/setting.h"
#include "tools/mpiexec/requests.h"
#include "tools/mpiexec/cpu_bind.h"
#include "tools/mpiexec/remote_ranks.h"
#include "tools/mpiexec/feed.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/outfile.h"
#include "tools/mpiexec/pmi_server.h"

/* The stdin of a local rank: an fd, or -1 for /dev/null.  A terminal stays with mpiexec: the
 * rank is in another process group and would be stopped when it reads.  Other files are
 * inherited, so that input the rank does not read stays for the next command of a script. */
static int stdin_give(int rank)
{
	const struct plan *p = plan_this();

	if (p->stdin_to != rank && p->stdin_to != STDIN_ALL)
		return -1;
	if (p->stdin_to == rank && !isatty(STDIN_FILENO))
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	return feed_pipe();
}

const char *job_listen_where(const struct job *j, char *ip)
{
	const struct plan *p = j->plan;
	const char *why = NULL;

	if (!haft_via_apart(haft_setting_launch(SETTING_VIA, p->app[0].envp + 1)))
		return NULL;

	memcpy(ip, "127.0.0.1", sizeof("127.0.0.1"));
	if (p->iface != NULL)
		why = boot_listen_where(p->iface, NULL, NULL, ip);
	if (why != NULL)
		fatal(1, "-iface or HAFT_IFACE %s: %s", p->iface, why);
	return ip;
}

static void here_segment(struct job *j, const char *ip, char **addr)
{
	struct boot_world w = {.nranks = j->n,
		.nhosts = 1,
		.host_of = j->plan->host_of,
		.addr = (const char *const *)addr,
		.names = (const char *const[]){"localhost"}};
	uint8_t key[BOOT_KEY];

	w.key = key;
	if (ip != NULL && getrandom(key, sizeof(key), 0) != (ssize_t)sizeof(key))
		fatal(1, "no random numbers: %s", strerror(errno));
	local_segment(&j->local, ip != NULL ? &w : NULL, 0, 0);
	explicit_bzero(key, sizeof(key));
}

void job_rank_say(const struct job *j, int r, const cpu_set_t *cpus)
{
	const struct rank *k = &j->rank[r];
	const struct app *a = k->app;
	bool remote = j->plan->nhosts > 0;
	char *list = cpus != NULL ? bind_text(cpus) : NULL;

	out_say("rank %d is process %d%s%s: %s%s%s", r, k->pid, remote ? " on " : "",
		remote ? j->plan->host[k->host].name : "", a->file != NULL ? a->file : a->argv[0],
		list != NULL ? ", on CPUs " : "", list != NULL ? list : "");
	free(list);
}

/* Starts a job whose ranks are all local. */
static void here_start(struct job *j)
{
	char where[LISTEN_IP];
	const char *ip = job_listen_where(j, where);
	char **addr = ip != NULL ? mem_grow(NULL, (size_t)j->n, sizeof(*addr)) : NULL;
	char *why;

	local_init(&j->local, j->plan);
	why = local_add(&j->local, j->world, 0, ip, addr);
	if (why != NULL)
		fatal(1, "%s", why);
	here_segment(j, ip, addr);
	for (int r = 0; r < j->n && ip != NULL; r++)
		j->rank[r].addr = addr[r];
	free(addr);
	j->local.pmi = pmi_new(&j->local, request_ask, j);
	why = local_start(&j->local, j->world, stdin_give, out_add, NULL, false);
	j->stdin_fd = feed_open() ? STDIN_FILENO : -1;
	for (int r = 0; r < j->n; r++) {
		j->rank[r].pid = (int)j->local.m[r].pid;
		j->rank[r].alive = j->local.m[r].alive;
		if (j->plan->verbose && j->rank[r].alive)
			job_rank_say(j, r, j->local.cpus != NULL ? &j->local.cpus[r] : NULL);
	}
	j->alive = j->world->alive = j->local.alive;
	if (why != NULL) {
		out_say("%s", why);
		free(why);
		job_fail(j, 1);
	}
}

bool job_file_open(const struct job *j, int r, int which, const char *pattern, bool copy)
{
	const struct rank *k = &j->rank[r];
	char own[256] = "";
	struct outfile *f;

	gethostname(own, sizeof(own) - 1);
	f = outfile_open(pattern, k->rank, j->plan->nhosts > 0 ? j->plan->host[k->host].name : own);
	if (f != NULL)
		out_file(r, which, f, copy);
	return f != NULL;
}

/* Opens the files of -outfile-pattern, -errfile-pattern and -output-filename. */
static void files_open(const struct job *j)
{
	const struct plan *p = j->plan;

	for (int r = 0; r < j->n; r++)
		for (int which = 0; which < 2; which++)
			if (p->file[which] != NULL &&
				!job_file_open(j, r, which, p->file[which], p->file_copy))
				fatal(1, "output to %s: %s", p->file[which], strerror(errno));
}

/* Makes world 0, of the programs of the command line, and its places. */
static void world_0_make(struct job *j)
{
	const struct plan *p = j->plan;
	struct world *w = world_new(0, 0, p->app, p->napps);

	for (int r = 0; r < w->n; r++) {
		w->place[r] = r;
		w->host_of[r] = p->host_of[r];
	}
	job_places_grow(j, w->n);
	job_world_add(j, w);
}

void job_prepare(struct job *j, const struct plan *p, const sigset_t *mask)
{
	*j = (struct job){.plan = p, .stdin_fd = -1};
	j->local.common.mask = *mask;
	hang_init(j);
	ended_init(j);
	j->grace_ms = 1000 * haft_setting_launch(SETTING_GRACE, environ);
	out_init(p->label);
	world_0_make(j);
}

void job_start(struct job *j, const struct plan *p, const sigset_t *mask)
{
	job_prepare(j, p, mask);
	files_open(j);
	for (int i = 0; i < p->nignored && p->verbose; i++)
		out_say("ignored: %s", p->ignored[i]);
	if (p->timeout > 0)
		j->stop_ns = now_ns() + (uint64_t)(p->timeout * 1e9);
	if (p->nhosts > 0)
		remote_start(j);
	else
		here_start(j);
}

void job_signal(struct job *j, int sig)
{
	if (j->remote != NULL)
		remote_signal(j->remote, FRAME_SIGNAL, sig);
	else
		local_signal(&j->local, sig);
}

void job_world_signal(struct job *j, const struct world *w, int sig)
{
	if (j->remote != NULL)
		remote_signal_world(j->remote, w, sig);
	else
		local_signal_world(&j->local, w, sig);
}

void job_end(struct job *j, int sig, int64_t grace_ms)
{
	uint64_t at = now_ns() + (uint64_t)grace_ms * 1000000u;

	j->ending = true;
	if (j->kill_ns == 0 || at < j->kill_ns)
		j->kill_ns = at;
	if (j->remote != NULL)
		remote_signal(j->remote, FRAME_END, sig);
	else
		local_end(&j->local, sig);
}

void job_fail(struct job *j, int code)
{
	j->code = j->code != 0 ? j->code : code;
	job_end(j, SIGTERM, END_GRACE_MS);
}

void job_world_fail(struct job *j, struct world *from, int code)
{
	bool all = true;

	job_mark_connected(j, from);
	for (struct world *w = j->world; w != NULL; w = w->next)
		all = all && (w->mark || w->alive == 0);
	if (all) {
		job_fail(j, code);
		return;
	}
	if (j->world->mark)
		j->code = j->code != 0 ? j->code : code;
	for (struct world *w = j->world; w != NULL; w = w->next) {
		if (!w->mark || w->ending)
			continue;
		w->ending = true;
		w->kill_ns = now_ns() + (uint64_t)END_GRACE_MS * 1000000u;
		job_world_signal(j, w, SIGTERM);
		job_world_signal(j, w, SIGCONT);
	}
}

void job_worlds_clock(struct job *j, uint64_t now)
{
	for (struct world *w = j->world; w != NULL; w = w->next) {
		if (w->ending && !w->killed && now >= w->kill_ns) {
			job_world_signal(j, w, SIGKILL);
			w->killed = true;
		}
		world_drain(j, w, now);
	}
	job_worlds_clean(j);
}

/* True if a process lives that is connected to the one at place `r', and has not called
 * MPI_Finalize. */
static bool others_need(const struct job *j, int r)
{
	job_mark_connected(j, j->rank[r].world);
	for (int i = 0; i < j->n; i++)
		if (i != r && j->rank[i].alive && j->rank[i].world->mark &&
			j->seen[i].state != BOOT_DONE)
			return true;
	return false;
}

/* The place of a lost process, or -1. */
static int place_of_lost(const struct job *j, int number)
{
	return number >= 0 ? job_place(j, number) : -1;
}

/* True if a rank has aborted the job, and this is neither reported nor kept back. */
static bool abort_hear(struct job *j)
{
	const struct boot_job *b = j->remote == NULL ? local_abort(&j->local) : NULL;
	struct abort_call *a = &j->abort;

	if (b != NULL && !a->told && !j->wait.abort.told) {
		*a = (struct abort_call){.told = true,
			.rank = job_place(j, b->first + b->rank),
			.pid = b->pid,
			.code = b->code,
			.lost = place_of_lost(j, local_lost(&j->local, b)),
			.text = text_new("%s", b->text)};
		if (j->worlds > 1)
			local_abort_clear(&j->local);
	}
	return a->told;
}

static void abort_forget(struct abort_call *a)
{
	if (a->told)
		free(a->text);
	a->told = false;
}

/* "rank 3 (process 4711, ./a)", with the host if there are several.  A static buffer. */
static const char *rank_name(const struct job *j, int r, int pid)
{
	static char name[256];
	const struct rank *k = &j->rank[r];
	const char *host = j->plan->nhosts > 0 ? j->plan->host[k->host].name : NULL;

	snprintf(name, sizeof(name), "%s (process %d%s%s, %s)", job_rank_name(j, r), pid,
		host != NULL ? " on " : "", host != NULL ? host : "", k->app->argv[0]);
	return name;
}

/* Ends the worlds that are connected to that of the aborting rank.  The exit code of mpiexec is
 * that of the abort if world 0 is one of them. */
static void abort_end(struct job *j, const struct abort_call *a)
{
	struct world *w = a->rank >= 0 && a->rank < j->n ? j->rank[a->rank].world : NULL;
	int code = a->code & 255;

	w = w != NULL ? w : j->world;
	if (code == 0 && a->code != 0)
		code = 1;
	if (code == 0 && job_connected(j, w, j->world))
		job_end(j, SIGTERM, END_GRACE_MS);
	else
		job_world_fail(j, w, code);
}

/* Reports an abort and ends the job. */
static void abort_tell(struct job *j, struct abort_call *a)
{
	if (a->rank >= 0 && a->rank < j->n)
		out_rest(a->rank, now_ns());
	if (a->text[0] != '\0')
		out_say_raw(a->text);
	if (a->rank >= 0 && a->rank < j->n)
		out_say("%s has aborted the job with code %d", rank_name(j, a->rank, a->pid),
			a->code);
	else
		out_say("process %d has aborted the job with code %d", a->pid, a->code);
	abort_end(j, a);
	abort_forget(a);
}

static void death_tell(const struct job *j, int r, int status, uint32_t state)
{
	const char *name = rank_name(j, r, j->rank[r].pid);
	const char *when = state == BOOT_RUNNING           ? " before MPI_Finalize"
			   : state == BOOT_SESSION_LEFT    ? " and a session not finalized"
			   : state == BOOT_FINALIZE_FAILED ? " after an MPI_Finalize that failed"
							   : "";

	out_rest(r, now_ns());
	if (WIFSIGNALED(status))
		out_say("%s was killed by signal %d (%s)%s", name, WTERMSIG(status),
			strsignal(WTERMSIG(status)), WCOREDUMP(status) ? ", core dumped" : "");
	else if (WEXITSTATUS(status) > 128 && WEXITSTATUS(status) - 128 < SIGRTMIN)
		out_say("%s exited with code %d%s (128 + signal %d: %s)", name, WEXITSTATUS(status),
			when, WEXITSTATUS(status) - 128, strsignal(WEXITSTATUS(status) - 128));
	else
		out_say("%s exited with code %d%s", name, WEXITSTATUS(status), when);
}

/* Handles the death of a rank as a failure. */
static void death_fail(struct job *j, const struct death *d)
{
	int status = d->status, code;

	if (j->ending) {
		j->hurt = true;
		return;
	}
	if (j->rank[d->rank].world->ending)
		return;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE && out_broken()) {
		j->code = j->code != 0 ? j->code : 128 + SIGPIPE; /* as in `./a.out | head' */
		return;
	}
	code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	code = code != 0 ? code : 1;
	if (j->code != 0 && j->rank[d->rank].world->id == 0)
		j->more++;
	else
		death_tell(j, d->rank, status, d->state);
	if (d->state != BOOT_DONE || WIFSIGNALED(status))
		job_world_fail(j, j->rank[d->rank].world, code);
	else if (job_connected(j, j->rank[d->rank].world, j->world))
		j->code = j->code != 0 ? j->code : code;
}

void job_host_lost(struct job *j, int host)
{
	for (int r = 0; r < j->n; r++) {
		if (j->rank[r].host != host || !j->rank[r].alive)
			continue;
		j->rank[r].alive = false;
		j->rank[r].world->alive--;
		j->alive--;
	}
}

/* --- the first failure ----------------------------------------------------------------------
 *
 *     rank 3 is killed -------------------- its proxy reports --------------------.
 *        '--> rank 1 loses its connection, and aborts -- its proxy reports --.    |
 *                                                                            v    v
 *                                       wait: rank 1 reports the loss of rank 3;  rank 3 is named
 *
 * Over sockets, a rank that loses a peer may be reported before that peer.  Its failure is kept
 * back until the end of the lost rank is known.  If the lost rank has itself lost a third rank,
 * that one is waited for, and so on.  If it has not ended, or exited with 0, the first failure
 * is named. */

static bool death_bad(const struct death *d)
{
	return !WIFEXITED(d->status) || WEXITSTATUS(d->status) != 0;
}

/* The rank whose loss caused this failure; -1: none, or it was after MPI_Finalize. */
static int lost_by(const struct job *j, const struct death *d)
{
	if (j->abort.told)
		return j->abort.lost;
	return d->state != BOOT_DONE ? d->lost : -1;
}

static void wait_forget(struct job *j)
{
	abort_forget(&j->wait.abort);
	j->wait.until_ns = 0;
}

void job_first_failure(struct job *j)
{
	struct lost_wait *w = &j->wait;

	w->until_ns = 0;
	abort_forget(&j->abort);
	if (w->abort.told)
		abort_tell(j, &w->abort);
	else
		death_fail(j, &w->death);
}

/* Continues to wait for rank `lost', if it can still be reported. */
static void wait_on(struct job *j, int lost)
{
	struct rank *k = lost >= 0 && lost < j->n ? &j->rank[lost] : NULL;

	j->wait.lost = lost;
	if (k != NULL && k->doubt) {
		k->doubt = false;
		wait_forget(j);
		death_fail(j, &(struct death){.rank = lost, .state = k->end});
	} else if (k == NULL || !k->alive || j->alive == 0) {
		job_first_failure(j);
	}
}

static void wait_begin(struct job *j, const struct death *d, int lost)
{
	j->wait = (struct lost_wait){.until_ns = now_ns() + (uint64_t)LOST_MS * 1000000u,
		.death = *d,
		.abort = j->abort,
		.lost = lost};
	j->abort.told = false;
}

/* Judges a death while the end of another rank is waited for.  `lost' is the rank that the dead one
 * had lost, or -1.  Returns true if nothing is left to be judged. */
static bool wait_judge(struct job *j, const struct death *d, int lost)
{
	struct lost_wait *w = &j->wait;
	struct abort_call *a = &j->abort;
	bool left_before_end = d->rank == w->lost && d->state == BOOT_RUNNING && !death_bad(d);
	bool own_fault = d->state != BOOT_ABORTED && (left_before_end || death_bad(d));
	bool end_of_wait =
		lost < 0 && (a->told || own_fault); /* no other rank explains this death */
	bool same_host = a->told && a->rank >= 0 && j->rank[a->rank].host == j->rank[w->lost].host;
	int next = same_host || (d->rank == w->lost && lost >= 0) ? lost : w->lost;

	if (end_of_wait) {
		wait_forget(j);
		if (left_before_end && !a->told)
			death_fail(j, d);
		return left_before_end && !a->told;
	}
	abort_forget(a);
	wait_on(j, next);
	return true;
}

/* --- the dead ------------------------------------------------------------------------------- */

/* Returns true if the death is judged, or kept back. */
static bool lost_judge(struct job *j, const struct death *d)
{
	bool aborted = abort_hear(j);
	int lost = lost_by(j, d);
	/* a rank aborted because of this death, and was reported just before it */
	bool about = aborted && lost == d->rank && j->abort.rank != d->rank;

	if (j->wait.until_ns == 0) {
		if (lost < 0 || (!aborted && !death_bad(d)))
			return false;
		wait_begin(j, d, lost);
		if (!about) {
			wait_on(j, lost);
			return true;
		}
	}
	if (about) {
		abort_forget(&j->abort);
		lost = lost_by(j, d);
	}
	return wait_judge(j, d, lost);
}

void job_died(struct job *j, const struct death *d)
{
	struct rank *k = &j->rank[d->rank];

	k->pid = d->pid;
	k->inside = d->state != BOOT_NEW;
	k->alive = false;
	k->world->alive--;
	j->alive--;
	if (!j->ending && lost_judge(j, d))
		return;
	if (!j->ending && j->abort.told) {
		abort_tell(j, &j->abort);
		return;
	}
	if (death_bad(d)) {
		death_fail(j, d);
		return;
	}
	if (boot_inside(d->state)) {
		k->doubt = true;
		k->end = d->state;
		job_ask(j, ASK_DOUBT);
		return;
	}
	k->absent = d->state == BOOT_NEW;
	k->ended_ns = now_ns();
	if (j->ended_look_ns == 0)
		j->ended_look_ns = ended_next(j, now_ns());
	if (k->absent && j->look_ns == 0)
		j->look_ns = now_ns() + (uint64_t)ABSENT_MS * 1000000u;
}

/* Ranks that exited with 0 in MPI: they have failed if other ranks still run. */
static void doubt_end(struct job *j)
{
	for (int r = 0; r < j->n; r++) {
		if (!j->rank[r].doubt)
			continue;
		j->rank[r].doubt = false;
		if (others_need(j, r))
			death_fail(j, &(struct death){.rank = r, .state = j->rank[r].end});
	}
}

/* The first live rank of a world in MPI, or -1. */
static int rank_running(const struct job *j, const struct world *w)
{
	for (int r = 0; r < j->n; r++)
		if (j->rank[r].world == w && j->rank[r].alive && j->seen[r].state == BOOT_RUNNING)
			return r;
	return -1;
}

/* True if a rank has ended without MPI_Init and none of its background processes may still call
 * it. */
static bool rank_absent(const struct job *j, int r, uint64_t now)
{
	const struct rank *k = &j->rank[r];

	return k->world != NULL && k->absent && j->seen[r].state == BOOT_NEW &&
	       (!j->seen[r].left || now - k->ended_ns > (uint64_t)ABSENT_MAX_S * 1000000000u);
}

/* Ends the job if a rank is in MPI and another has ended without it: MPI_Finalize would wait for
 * ever. */
static void absent_look(struct job *j)
{
	uint64_t now = now_ns();

	for (int r = 0; r < j->n; r++) {
		int waits = rank_absent(j, r, now) ? rank_running(j, j->rank[r].world) : -1;

		if (waits < 0 || j->rank[r].world->ending)
			continue;
		out_say("%s ended without MPI_Init, and %s, which is in "
			"MPI, would wait for it for ever",
			rank_name(j, r, j->rank[r].pid), job_rank_name(j, waits));
		job_world_fail(j, j->rank[r].world, 1);
		return;
	}
}

static int processes_count(const struct job *j)
{
	int n = 0;

	for (int r = 0; r < j->n; r++)
		n += j->rank[r].world != NULL;
	return n;
}

void job_answer(struct job *j)
{
	unsigned asked = j->asked;

	j->asked = 0;
	if ((asked & ASK_DOUBT) != 0)
		doubt_end(j);
	if ((asked & ASK_REPORT) != 0) {
		int n = processes_count(j);

		out_say("what the %d process%s of the job %s:", n, n > 1 ? "es" : "",
			n > 1 ? "do" : "does");
		job_report(j);
	}
	if ((asked & ASK_TIMEOUT) != 0 && !j->ending) {
		out_say("the job has not ended after %g s; what its process%s %s:",
			j->plan->timeout, j->n > 1 ? "es" : "", j->n > 1 ? "do" : "does");
		job_report(j);
		j->code = EXIT_TIMEOUT;
		job_end(j, SIGTERM, END_GRACE_MS);
	}
	if ((asked & ASK_ABSENT) != 0 && !j->ending)
		absent_look(j);
	if ((asked & ASK_ENDED) != 0 && !j->ending)
		ended_look(j, now_ns(), false);
	if ((asked & ASK_HANG) != 0 && !j->ending && hang_look(j, now_ns()))
		ended_look(j, now_ns(), true);
}

void job_ask(struct job *j, unsigned what)
{
	if (j->asked == 0) /* else the answers may be on their way */
		j->look_from_ns = now_ns();
	j->asked |= what;
	if (j->remote != NULL) {
		remote_look(j->remote);
		return;
	}
	local_see(&j->local, j->seen);
	job_answer(j);
}

size_t job_stdin_room(struct job *j)
{
	if (j->stdin_fd < 0)
		return 0;
	return j->remote != NULL ? remote_stdin_room(j->remote) : feed_room();
}

void job_stdin(struct job *j, const void *v, size_t len)
{
	if (j->remote != NULL) {
		remote_stdin(j->remote, v, len);
		if (len == 0)
			j->stdin_fd = -1;
		return;
	}
	if (len > 0)
		feed_put(v, len);
	else
		feed_end();
	if (len == 0 || !feed_open())
		j->stdin_fd = -1;
}

static void here_died(void *arg, const struct death *d)
{
	struct death at = *d;

	at.lost = place_of_lost(arg, d->lost);
	job_died(arg, &at);
}

static void child_died(void *arg, pid_t pid, int status)
{
	struct job *j = arg;

	if (j->remote != NULL)
		remote_reap(j->remote, pid, status);
}

void job_reap(struct job *j)
{
	local_reap(&j->local, here_died, child_died, j);
}

bool job_over(const struct job *j)
{
	return j->alive == 0 && (j->remote == NULL || remote_over(j->remote));
}

/* Frees the worlds.  The programs of world 0 are the plan's. */
static void worlds_fini(struct job *j)
{
	struct world *next;

	for (struct world *w = j->world; w != NULL; w = next) {
		next = w->next;
		if (w->id == 0) {
			w->app = NULL;
			w->napps = 0;
		}
		world_free(w);
	}
}

int job_fini(struct job *j)
{
	int lost;

	if (j->wait.until_ns != 0 && j->code == 0)
		job_first_failure(j); /* the user has ended the job meanwhile */
	foreign_mpi_say(j);
	local_fini(&j->local);
	if (j->remote != NULL)
		remote_fini(j->remote);
	lost = out_fini();
	if (j->code == 0 || (j->code == 128 + SIGPIPE && lost != 0))
		j->code = lost;
	if (j->more > 0)
		fprintf(stderr, "mpiexec: %d more process%s failed\n", j->more,
			j->more > 1 ? "es" : "");
	abort_forget(&j->abort);
	abort_forget(&j->wait.abort);
	worlds_fini(j);
	free(j->edge);
	free(j->hang.rank);
	free(j->seen);
	free(j->rank);
	return j->code;
}
