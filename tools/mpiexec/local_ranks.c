// SPDX-License-Identifier: BSD-3-Clause
/* local_ranks.c - starts the ranks of this host and collects their deaths.  See local_ranks.h. */
#include "tools/mpiexec/local_ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/listen.h"
#include "libmpi/core/rank_name.h"
#include "tools/mpiexec/cpu_bind.h"
#include "tools/mpiexec/forked_ranks.h"
#include "tools/mpiexec/limits.h"
#include "tools/mpiexec/pmi_server.h"
#include "tools/mpiexec/priority.h"
#include "tools/mpiexec/proc.h"
#include "tools/mpiexec/stacks.h"
#include "tools/mpiexec/wrap.h"

#define FD_MIN      100 /* low numbers are left to scripts */
#define FILES_OWN   32  /* files of mpiexec itself, and inherited ones */
#define ADOPTED_MS  200 /* for the program that is served to end itself */
#define START_BATCH 32  /* ranks that are started between two checks of the others */

static int seats_of(const struct local_ranks *c)
{
	return shm_seg_nseats(c->seg);
}

struct boot_rank *local_page(const struct local_ranks *c, int i)
{
	static struct boot_rank
		none; /* of ranks without a seat: mpiexec does not see their state */

	if (c->m[i].seat >= 0)
		return shm_seg_job_rank(c->seg, c->m[i].seat);
	memset(&none, 0, sizeof(none));
	atomic_store(&none.state, c->m[i].end);
	return &none;
}

/* Raises the limit of open files: at 512 ranks, pipes and sockets need more than the usual 1024.
 * Returns NULL, or malloc'ed words. */
static char *files_raise(const struct local_ranks *c, int n, int each)
{
	rlim_t want = (rlim_t)n * (rlim_t)each + FILES_OWN;
	struct rlimit r = c->common.files;

	if (getrlimit(RLIMIT_NOFILE, &r) != 0 || r.rlim_cur >= want + FD_OWN)
		return NULL;
	r.rlim_cur = r.rlim_max < want + FD_OWN ? r.rlim_max : want + FD_OWN;
	setrlimit(RLIMIT_NOFILE, &r);
	if (r.rlim_cur >= want)
		return NULL;
	return text_new("%d processes need %ld open files, and the limit is %ld (ulimit -Hn)", n,
		(long)want, (long)r.rlim_cur);
}

/* Moves `fd' to a high number, clear of the ranks' own files. */
static int fd_lift(int fd)
{
	int high = fcntl(fd, F_DUPFD_CLOEXEC, FD_MIN);

	if (high < 0)
		return fd;
	close(fd);
	return high;
}

/* --- seats of the segment ------------------------------------------------------------------- */

/* Opens a seat of the segment for a spawned rank. */
static bool seat_find(struct local_ranks *c, struct local_rank *m)
{
	int n = seats_of(c);

	for (int s = 0; s < n && m->seat < 0; s++) {
		if (c->taken[s] ||
			shm_seat_open(c->seg, s, (uint32_t)(m->world->first + m->rank + 1)) != 0)
			continue;
		memset(shm_seg_job_rank(c->seg, s), 0, SHM_JOB_RANK);
		profile_host_renew(&c->profile, s, shm_seg_cookie(c->seg));
		c->taken[s] = true;
		m->seat = s;
	}
	return m->seat >= 0;
}

/* Gives the seat of a dead rank back. */
static void seat_close(struct local_ranks *c, struct local_rank *m)
{
	if (m->seat < 0)
		return;
	shm_seat_close(c->seg, m->seat);
	c->taken[m->seat] = false;
	m->seat = -1;
}

/* Opens a seat for a spawned rank.  If none is free, those of dead ranks of living worlds are given
 * back; they are kept until then, as others may still read their last messages.  Returns NULL, or
 * malloc'ed words and errno. */
static char *seat_open(struct local_ranks *c, struct local_rank *m)
{
	char name[HAFT_RANK_NAME];

	if (m->world->id == 0 || seat_find(c, m))
		return NULL;
	for (int i = 0; i < c->n; i++)
		if (c->m[i].world != NULL && c->m[i].pid > 0 && !c->m[i].alive &&
			c->m[i].group == 0 && c->m[i].end != BOOT_NEW)
			seat_close(c, &c->m[i]);
	if (seat_find(c, m))
		return NULL;
	errno = ENOSPC;
	return text_new("%s (%s) could not be started: all %d seats of its host are used, or "
			"there is no memory for one (HAFT_SEATS)",
		haft_rank_name(name, m->world->id, m->rank), m->world->app[m->app].argv[0],
		seats_of(c));
}

/* --- rows ----------------------------------------------------------------------------------- */

int local_count(const struct local_ranks *c, const struct world *w)
{
	int n = 0;

	for (int i = 0; i < c->n; i++)
		n += c->m[i].world == w;
	return n;
}

int local_row(const struct local_ranks *c, int entry)
{
	int i = 0;

	if (entry < c->n && c->m[entry].world != NULL && c->m[entry].entry == entry)
		return entry;
	while (i < c->n && (c->m[i].world == NULL || c->m[i].entry != entry))
		i++;
	return i < c->n ? i : -1;
}

void local_init(struct local_ranks *c, const struct plan *p)
{
	sigset_t mask = c->common.mask;

	*c = (struct local_ranks){.plan = p,
		.common = {.mask = mask, .by = getpid(), .inherited_end = fd_inherited_end()}};
	getrlimit(RLIMIT_NOFILE, &c->common.files);
	gethostname(c->common.host, sizeof(c->common.host) - 1);
}

/* A free row; if all ranks are local, the one of that entry. */
static int row_free(const struct local_ranks *c, int entry)
{
	int i = 0;

	if (c->plan->nhosts == 0)
		return entry;
	while (i < c->n && c->m[i].world != NULL)
		i++;
	return i;
}

static void rows_grow(struct local_ranks *c, int n)
{
	if (n <= c->n)
		return;
	c->m = mem_grow(c->m, (size_t)n, sizeof(*c->m));
	memset(c->m + c->n, 0, (size_t)(n - c->n) * sizeof(*c->m));
	c->n = n;
	if (c->plan->bind != PART_NONE) {
		free(c->cpus);
		c->cpus = bind_make(c->plan, n);
	}
}

/* Opens the listening socket of a row.  Returns NULL, or malloc'ed words. */
static char *row_listen(struct local_rank *m, const char *ip, char **addr)
{
	char where[BOOT_ADDR];
	int fd = boot_listen_open(ip, where, sizeof(where));

	if (fd < 0)
		return text_new("no socket at %s: %s", ip, strerror(errno));
	m->listen = fd_lift(fd);
	*addr = text_new("%s", where);
	return NULL;
}

/* Adds rank `r' of a world. */
static char *row_add(struct local_ranks *c, struct world *w, int r, const char *ip, char **addr)
{
	int i = row_free(c, w->entry[r]);
	struct local_rank *m;

	rows_grow(c, i + 1);
	m = &c->m[i];
	*m = (struct local_rank){
		.world = w, .entry = w->entry[r], .rank = r, .seat = -1, .listen = -1};
	world_app(w, r, &m->app);
	if (w->id == 0) {
		m->seat = i;
		c->ranks0++;
	}
	return ip != NULL ? row_listen(m, ip, &addr[r]) : NULL;
}

char *local_add(struct local_ranks *c, struct world *w, int host, const char *ip, char **addr)
{
	char *why = NULL;
	int n = c->n;

	for (int r = 0; r < w->n; r++)
		n += w->host_of[r] == host && w->entry[r] >= 0;
	why = files_raise(c, n, ip != NULL ? 4 : 3);
	for (int r = 0; r < w->n && why == NULL; r++)
		if (w->host_of[r] == host && w->entry[r] >= 0)
			why = row_add(c, w, r, ip, addr);
	if (why != NULL)
		local_forget(c, w);
	return why;
}

void local_forget(struct local_ranks *c, const struct world *w)
{
	for (int i = 0; i < c->n; i++) {
		struct local_rank *m = &c->m[i];

		if (m->world != w)
			continue;
		if (m->listen >= 0)
			close(m->listen);
		if (m->group > 0)
			kill(-m->group, SIGKILL);
		c->guard.group[i] = 0;
		pmi_drop(c->pmi, i);
		seat_close(c, m);
		*m = (struct local_rank){.world = NULL, .seat = -1, .listen = -1};
	}
	pmi_space_drop(c->pmi, w);
}

/* Ends mpiexec: the segment could not be created. */
static void segment_refuse(const struct local_ranks *c, int err)
{
	const char *why = err == SHM_SYS ? strerror(errno) : NULL;
	char limit[64] = "";
	struct rlimit r;

	if (getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
		snprintf(limit, sizeof(limit), "; address space is limited to %llu KiB (ulimit -v)",
			(unsigned long long)r.rlim_cur / 1024);
	fatal(1, "no shared memory for %d processes: %s%s%s%s", c->ranks0, shm_error_text(err),
		why != NULL ? ": " : "", why != NULL ? why : "", limit);
}

/* The segment is there: its seats, and the guard. */
static void segment_begin(struct local_ranks *c)
{
	atomic_store(&((struct boot_job *)shm_seg_job(c->seg))->hold, c->plan->hold);
	c->taken = mem_grow(NULL, (size_t)seats_of(c), sizeof(*c->taken));
	memset(c->taken, 0, (size_t)seats_of(c) * sizeof(*c->taken));
	memset(c->taken, 1, (size_t)c->ranks0 * sizeof(*c->taken));
	guard_init(&c->guard, shm_seg_cookie(c->seg));
	limit_memory_begin();
	c->common.profile_fd = -1;
	if (c->plan->profile == NULL && c->plan->trace == NULL && !c->plan->top)
		return;
	if (!profile_host_open(&c->profile, seats_of(c), shm_seg_cookie(c->seg),
		    c->plan->trace != NULL ? (uint64_t)c->plan->trace_room : 0,
		    c->plan->trace_first))
		fatal(1, "no memory for the profile: %s", strerror(errno));
	c->common.profile_fd = c->profile.fd;
}

/* The settings of the segment come from the environment of the first program. */
void local_segment(struct local_ranks *c, const struct boot_world *world, int host, uint64_t cookie)
{
	char **envp = c->plan->app[0].envp + 1;
	struct shm_opts opts;
	size_t len;
	int err;

	c->ranks0 = c->ranks0 > 0 ? c->ranks0 : 1; /* a segment has a seat */
	opts = boot_opts(c->ranks0, envp);

	opts.cookie = cookie;
	opts.map_len = world != NULL ? boot_map_len(world, host) : 0;
	err = world != NULL && opts.map_len == 0 ? SHM_NOMEM : shm_seg_create(&opts, &c->seg);
	if (err != 0)
		segment_refuse(c, err);
	c->common.seg_fd = fcntl(shm_seg_fd(c->seg), F_DUPFD_CLOEXEC, FD_MIN);
	if (c->common.seg_fd < 0)
		c->common.seg_fd = shm_seg_fd(c->seg);
	if (world != NULL && !boot_map_make(world, host, shm_seg_map(c->seg, &len)))
		segment_refuse(c, SHM_NOMEM);
	segment_begin(c);
}

char *local_adopt(struct local_ranks *c, int fd, int pid)
{
	int err = fd >= 0 ? shm_seg_open(fd, &c->seg) : 0;

	c->m[0].pid = pid;
	c->m[0].alive = c->m[0].adopted = true;
	c->alive++;
	if (fd < 0) {
		local_segment(c, NULL, 0, 0);
		return NULL;
	}
	if (err != 0)
		return text_new("the segment of process %d: %s", pid, shm_error_text(err));
	c->common.seg_fd = fcntl(fd, F_DUPFD_CLOEXEC, FD_MIN);
	close(fd);
	if (c->common.seg_fd < 0 || shm_seg_nranks(c->seg) != 1)
		return text_new("the segment of process %d is none of a singleton", pid);
	segment_begin(c);
	return NULL;
}

/* Makes a pipe for a rank's output and hands over its read end.  Returns the write end, or -1. */
static int output_make(int rank, int which, local_output_fn *output)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) != 0)
		return -1;
	p[0] = fd_keep(p[0]);
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	output(rank, which, p[0]);
	return p[1];
}

/* A rank has its files and its environment, or will not run: closes and frees mpiexec's. */
static void rank_ends_close(struct local_rank *m, struct rank_ends *e, char **own)
{
	close(e->out);
	close(e->err);
	if (m->listen >= 0)
		close(m->listen);
	m->listen = -1;
	if (e->pmi >= 0)
		close(e->pmi);
	for (int k = 0; k < ENV_OWN; k++)
		free(own[k]);
}

/* The program that starts a row's rank: its own, or *wrapped, behind a command (wrap.h).  NULL:
 * that cannot run, for the malloc'ed words *why. */
static const struct app *member_program(
	const struct local_ranks *c, int i, struct app *wrapped, char **why)
{
	const struct local_rank *m = &c->m[i];
	const struct app *a = &m->world->app[m->app];
	struct pattern_facts facts = {.rank = m->rank,
		.size = m->world->n,
		.world = m->world->id,
		.node = m->world->host_of[m->rank],
		.host = c->common.host};

	if (c->plan->nhosts > 0)
		facts.host = c->plan->host[facts.node].name;
	wrapped->argv = NULL;
	if (!wrap_make(c->plan, a, &facts, wrapped, why))
		return a;
	return *why == NULL ? wrapped : NULL;
}

/* Starts a program as the rank of row i, with stdin `in' (-1: a pipe failed).  Returns the pid, 0
 * if the fork server starts it, or -1 with errno and the step that failed. */
static pid_t member_exec(struct local_ranks *c, int i, const struct app *a, int in,
	local_output_fn *output, const char **step)
{
	struct local_rank *m = &c->m[i];
	struct rank_ends e = {.in = in, .pmi = c->pmi != NULL ? pmi_give(c->pmi, i) : -1};
	char *own[ENV_OWN];
	pid_t pid = -1;
	int err;

	*step = "a pipe";
	e.out = output_make(m->entry, 0, output);
	e.err = output_make(m->entry, 1, output);
	e.listen = m->listen;
	e.cpus = c->cpus != NULL ? &c->cpus[i] : NULL;
	e.envp = rank_env_make(&c->env, c, i, a->envp + 1, e.pmi, own);
	if (e.in >= 0 && e.out >= 0 && e.err >= 0)
		pid = forked_ask(&c->forked, i, &e, rank_env_own(own))
			      ? 0
			      : rank_start(&c->common, a, &e, step);
	err = errno;
	rank_ends_close(m, &e, own);
	errno = err;
	return pid;
}

/* The process of a row runs. */
static void member_began(struct local_ranks *c, int i, pid_t pid)
{
	struct local_rank *m = &c->m[i];

	m->pid = m->group = pid;
	c->guard.group[i] = pid;
	m->alive = true;
	c->alive++;
}

/* Malloc'ed words: the rank of a row could not be started. */
static char *member_refused(
	const struct local_rank *m, const struct app *a, const char *step, int err)
{
	char name[HAFT_RANK_NAME];

	return text_new("%s (%s) could not be started: %s: %s (%d)%s",
		haft_rank_name(name, m->world->id, m->rank), a->argv[0], step, strerror(err), err,
		limit_words(err));
}

/* Starts one rank with stdin `in' (-1: pipe failed).  Returns NULL, or malloc'ed words and
 * errno. */
static char *member_start(struct local_ranks *c, int i, int in, local_output_fn *output)
{
	struct local_rank *m = &c->m[i];
	const char *step = "";
	char *why = NULL, *words = NULL, name[HAFT_RANK_NAME];
	struct app wrapped;
	const struct app *a = member_program(c, i, &wrapped, &why);
	pid_t pid = a != NULL ? member_exec(c, i, a, in, output, &step) : -1;
	int err = errno;

	if (pid < 0 && why != NULL)
		words = text_new("%s could not be started: %s",
			haft_rank_name(name, m->world->id, m->rank), why);
	else if (pid < 0)
		words = member_refused(m, a, step, err);
	free(why);
	if (wrapped.argv != NULL)
		wrap_free(&wrapped);
	if (pid > 0)
		member_began(c, i, pid);
	errno = err;
	return words;
}

/* Has the kernel killed a rank for lack of memory?  More ranks would meet the same end, one by one;
 * the main loop will read the death.  Asked now and then, in a start. */
static bool is_oom_killed(const struct local_ranks *c, int started)
{
	if (started % START_BATCH != START_BATCH - 1 || !limit_memory_met())
		return false;
	for (int i = 0; i < c->n; i++) {
		siginfo_t info = {0};

		if (c->m[i].alive &&
			waitid(P_PID, (id_t)c->m[i].pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
			info.si_code == CLD_KILLED && info.si_status == SIGKILL)
			return true;
	}
	return false;
}

/* One start: the caller's errs, and the first failure. */
struct start {
	int *errs;
	char *why; /* words about the first failure; NULL: none yet */
};

/* Keeps the malloc'ed words of a failure (NULL: none), whose reason is `errno'. */
static void start_keep(struct start *s, const struct local_rank *m, char *words)
{
	if (words != NULL && s->errs != NULL)
		s->errs[m->rank] = errno;
	if (s->why == NULL)
		s->why = words;
	else
		free(words);
}

/* Takes the ranks that the fork server has started: from now on they are processes like others. */
static void forked_take(struct local_ranks *c, struct start *s)
{
	pid_t pid;
	int i;

	while ((i = forked_next(&c->forked, &pid)) >= 0) {
		const struct local_rank *m = &c->m[i];
		bool ended = pid == -ECHILD;
		char *words = NULL;

		if (pid > 0)
			member_began(c, i, pid);
		else if (!ended || !end_is_asked()) /* or it need not start any more */
			words = member_refused(m, &m->world->app[m->app],
				ended ? "its fork server has ended" : "fork", -pid);
		errno = -pid;
		start_keep(s, m, words);
	}
}

/* Ends the fork server, when it has started all that it was asked for. */
static void forked_settle(struct local_ranks *c, struct start *s)
{
	forked_wait(&c->forked);
	forked_take(c, s);
	forked_end(&c->forked);
}

/* Starts the rank of a row, by the fork server of its program if there is to be one. */
static void row_start(
	struct local_ranks *c, struct start *s, int i, int in, local_output_fn *output)
{
	struct local_rank *m = &c->m[i];
	char *words = seat_open(c, m);

	if (!forked_serves(&c->forked, m)) {
		forked_settle(c, s);
		forked_begin(&c->forked, c, i);
	}
	if (words == NULL)
		words = member_start(c, i, in, output);
	start_keep(s, m, words);
	if (i % START_BATCH == START_BATCH - 1)
		forked_take(c, s);
}

char *local_start(struct local_ranks *c, const struct world *w, int (*in_fd)(int entry),
	local_output_fn *output, int *errs, bool soft)
{
	int null = fd_keep(open("/dev/null", O_RDONLY | O_CLOEXEC));
	struct start s = {.errs = errs};

	rank_env_begin(&c->env, c, w);
	priority_raise(c->n, shm_seg_ncpus(c->seg));
	for (int i = 0;
		i < c->n && (s.why == NULL || soft) && !end_is_asked() && !is_oom_killed(c, i);
		i++) {
		int in;

		if (c->m[i].world != w)
			continue;
		in = in_fd(c->m[i].entry);
		row_start(c, &s, i, in >= 0 ? in : null, output);
		if (in >= 0)
			close(in);
	}
	forked_settle(c, &s);
	priority_keep();
	rank_env_end(&c->env);
	if (null >= 0)
		close(null);
	return s.why;
}

bool local_notice(struct local_ranks *c, const struct boot_notice *notice)
{
	return shm_notice_put(c->seg, notice) == 0;
}

uint32_t local_ft(const struct local_ranks *c, const struct world *w, bool dead)
{
	uint32_t most = BOOT_FT_NONE;

	for (int i = 0; i < c->n; i++) {
		uint32_t ft = BOOT_FT_NONE;

		if (c->m[i].world != NULL && (w == NULL || c->m[i].world == w) &&
			(dead || c->m[i].alive))
			ft = atomic_load(&local_page(c, i)->ft);
		most = ft > most ? ft : most;
	}
	return most;
}

void local_signal(struct local_ranks *c, int sig)
{
	local_signal_world(c, NULL, sig);
}

static void local_signal_one(const struct local_rank *m, int sig)
{
	if (m->group > 0)
		kill(-m->group, sig);
	else if (m->adopted && m->alive)
		kill(m->pid, sig);
}

void local_signal_world(struct local_ranks *c, const struct world *w, int sig)
{
	for (int i = 0; i < c->n; i++)
		if (w == NULL || c->m[i].world == w)
			local_signal_one(&c->m[i], sig);
}

void local_signal_rank(struct local_ranks *c, int entry, int sig)
{
	int row = local_row(c, entry);

	if (row >= 0)
		local_signal_one(&c->m[row], sig);
}

void local_release(struct local_ranks *c)
{
	if (c->seg != NULL)
		atomic_store(&((struct boot_job *)shm_seg_job(c->seg))->hold, 0);
}

/* Waits until the program that this mpiexec serves has ended, or has not for ADOPTED_MS. */
static void adopted_await(const struct local_rank *m)
{
	struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, m->pid, 0), .events = POLLIN};

	if (p.fd < 0)
		return;
	poll(&p, 1, ADOPTED_MS);
	close(p.fd);
}

void local_end(struct local_ranks *c, int sig, int code)
{
	bool adopted = c->seg != NULL && c->n > 0 && c->m[0].adopted && c->m[0].alive;
	struct boot_job *job = adopted ? shm_seg_job(c->seg) : NULL;

	if (adopted)
		atomic_store(&job->end_code, 1 + code);
	if (c->seg != NULL)
		shm_seg_abort(c->seg);
	if (adopted)
		adopted_await(&c->m[0]);
	local_signal(c, sig);
	local_signal(c, SIGCONT); /* one that is stopped would not notice */
}

/* The number of the process whose loss a local rank noticed, or -1. */
static int lost_of(struct local_ranks *c, int i)
{
	return atomic_load(&local_page(c, i)->lost) - 1;
}

static void member_died(struct local_ranks *c, int i, int status, local_died_fn *died, void *arg)
{
	struct local_rank *m = &c->m[i];
	struct death d;

	m->alive = false;
	profile_host_died(&c->profile, m->seat);
	c->alive--;
	if (kill(-m->group, 0) != 0) /* the kernel may reuse the number */
		c->guard.group[i] = m->group = 0;
	m->end = atomic_load(&local_page(c, i)->state);
	d = (struct death){.rank = m->entry,
		.pid = (int)m->pid,
		.status = status,
		.state = m->end,
		.lost = lost_of(c, i)};
	crash_describe(c, i, &d);
	died(arg, &d);
}

void local_reap(
	struct local_ranks *c, local_died_fn *died, void (*other)(void *, pid_t, int), void *arg)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		int i = 0;

		if (pid == c->guard.pid)
			c->guard.pid = 0;
		while (i < c->n && (c->m[i].pid != pid || !c->m[i].alive))
			i++;
		if (i < c->n)
			member_died(c, i, status, died, arg);
		else if (other != NULL)
			other(arg, pid, status);
	}
}

/* Reads CPU time.  Outside of MPI it includes descendants: a rank that waits for its own child
 * is not idle. */
static void cpu_see(const struct local_rank *m, struct rank_view *s)
{
	s->runs = false;
	s->cpu_ns = 0;
	if (!s->alive)
		return;
	if (s->state == BOOT_RUNNING && !s->view.asleep) {
		s->cpu_ns = proc_family_cpu(m->pid, s->view.pid, &s->runs);
		return;
	}
	s->runs = s->view.asleep && proc_runs(s->view.pid);
	s->cpu_ns = proc_cpu(s->view.pid);
}

/* Reads how far a long access of the rank to a file is. */
static void file_see(struct boot_rank *r, struct rank_view *s)
{
	s->bytes = atomic_load(&r->access.bytes);
	s->moved = atomic_load(&r->access.moved);
	memcpy(s->file, r->access.name, sizeof(s->file));
	s->file[sizeof(s->file) - 1] = '\0';
}

void local_see(struct local_ranks *c, struct rank_view *seen)
{
	for (int i = 0; i < c->n; i++) {
		struct rank_view *s = &seen[i];

		s->known = c->m[i].world != NULL;
		if (!s->known)
			continue;
		s->alive = c->m[i].alive;
		s->state = c->m[i].seat >= 0 ? atomic_load(&local_page(c, i)->state) : c->m[i].end;
		memset(&s->view, 0, sizeof(s->view));
		s->bytes = 0;
		if (c->m[i].seat >= 0) {
			shm_seg_view(c->seg, c->m[i].seat, &s->view);
			file_see(local_page(c, i), s);
		}
		s->sleep = s->view.still_ns;
		s->left = !s->alive && c->m[i].group > 0 && kill(-c->m[i].group, 0) == 0;
		s->stopped = s->alive && proc_stopped(s->view.pid);
		cpu_see(&c->m[i], s);
	}
}

const struct boot_job *local_abort(struct local_ranks *c)
{
	struct boot_job *b = shm_seg_job(c->seg);

	if (atomic_load(&b->ready) == 0)
		return NULL;
	b->text[sizeof(b->text) - 1] = '\0';
	return b;
}

void local_abort_clear(struct local_ranks *c)
{
	struct boot_job *b = shm_seg_job(c->seg);

	if (shm_seg_aborted(c->seg))
		return; /* the job ends */
	atomic_store(&b->ready, 0);
	atomic_store(&b->taken, 0);
}

/* The row of the rank that has aborted; -1: it is forgotten. */
static int abort_row(const struct local_ranks *c, const struct boot_job *b)
{
	for (int i = 0; i < c->n; i++)
		if (c->m[i].world != NULL && c->m[i].world->first == b->first &&
			c->m[i].rank == b->rank)
			return i;
	return -1;
}

int local_lost(struct local_ranks *c, const struct boot_job *b)
{
	int row = abort_row(c, b);

	return row >= 0 ? lost_of(c, row) : -1;
}

int local_abort_entry(const struct local_ranks *c, const struct boot_job *b)
{
	int row = abort_row(c, b);

	return row >= 0 ? c->m[row].entry : -1;
}

void local_fini(struct local_ranks *c)
{
	pmi_free(c->pmi);
	c->pmi = NULL;
	if (c->seg == NULL)
		return;
	local_signal(c, SIGKILL);
	guard_fini(&c->guard);
	shm_seg_close(c->seg);
	c->seg = NULL;
	profile_host_close(&c->profile);
	free(c->taken);
	free(c->m);
	free(c->cpus);
}
