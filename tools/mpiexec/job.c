// SPDX-License-Identifier: BSD-3-Clause
/* job.c - starts the ranks, judges their deaths.  See job.h. */
#include "tools/mpiexec/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/core/set.h"
#include "libshm/shm.h"
#include "tools/mpiexec/out.h"

#define SEG_FD_MIN 100 /* scripts use the low numbers for files of their own */
#define FILES_OWN  32  /* mpiexec's own files, and some that it was given */

uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static struct boot_rank *page_of(const struct job *j, int rank)
{
	return shm_seg_job_rank(j->seg, rank);
}

/* Why there is no segment, in words. */
static void segment_refuse(const struct job *j, int err)
{
	const char *why = err == SHM_SYS ? strerror(errno) : NULL;
	char limit[64] = "";
	struct rlimit r;

	if (getrlimit(RLIMIT_AS, &r) == 0 && r.rlim_cur != RLIM_INFINITY)
		snprintf(limit, sizeof limit, "; address space is limited to %llu KiB (ulimit -v)",
			(unsigned long long)r.rlim_cur / 1024);
	die(1, "no shared memory for %d processes: %s%s%s%s", j->n, shm_error_text(err),
		why != NULL ? ": " : "", why != NULL ? why : "", limit);
}

/* Settings of the segment are those of the first program: its environment is what the user said. */
static void segment_make(struct job *j)
{
	char **envp = j->plan->app[0].envp + 1;
	struct shm_opts opts = {
		.nranks = j->n, .chunk_len = (size_t)haft_set_launch(HAFT_SET_CHUNK, envp)};
	int err = shm_seg_create(&opts, &j->seg);

	if (err != 0)
		segment_refuse(j, err);
	j->spawn.seg_fd = fcntl(shm_seg_fd(j->seg), F_DUPFD_CLOEXEC, SEG_FD_MIN);
	if (j->spawn.seg_fd < 0)
		j->spawn.seg_fd = shm_seg_fd(j->seg);
}

/* Two pipes a rank are more than the usual limit of 1024 files at 512 ranks. */
static void files_raise(struct job *j)
{
	rlim_t want = (rlim_t)j->n * 2 + FILES_OWN;
	struct rlimit r;

	getrlimit(RLIMIT_NOFILE, &j->spawn.files);
	r = j->spawn.files;
	if (r.rlim_cur >= want)
		return;
	r.rlim_cur = r.rlim_max < want ? r.rlim_max : want;
	setrlimit(RLIMIT_NOFILE, &r);
	if (r.rlim_cur < want)
		die(1, "%d processes need %ld open files, and the limit is %ld (ulimit -Hn)", j->n,
			(long)want, (long)r.rlim_cur);
}

/* What rank 0 reads.  A terminal stays ours: rank 0 is in another process group, and would be
 * stopped when it reads.  Anything else it gets as it is, so that nothing is read which it does not
 * want: the rest of a script's stdin stays there for the next command. */
static int stdin_make(struct job *j)
{
	int p[2];

	j->stdin_fd = -1;
	if (!isatty(STDIN_FILENO))
		return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
	if (pipe2(p, O_CLOEXEC) != 0)
		return -1;
	fcntl(p[1], F_SETFL, O_NONBLOCK);
	j->stdin_fd = p[1];
	return p[0];
}

/* A pipe from a rank; its read end goes to the output.  Returns the write end or -1. */
static int output_make(int rank, int which)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) != 0)
		return -1;
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	out_add(rank, which, p[0]);
	return p[1];
}

/* Starts rank `r'; `null' is /dev/null.  False: it could not be. */
static bool rank_start(struct job *j, int r, int null)
{
	struct rank *k = &j->rank[r];
	struct app *a = &j->plan->app[k->app];
	struct ends e = {.in = r == 0 ? stdin_make(j) : null};
	const char *stage = "a pipe";
	char order[160];

	snprintf(order, sizeof order, BOOT_VAR "=fd=%d,rank=%d,size=%d,app=%d,by=%d,cookie=%016llx",
		j->spawn.seg_fd, r, j->n, k->app, (int)j->spawn.by,
		(unsigned long long)shm_seg_cookie(j->seg));
	a->envp[0] = order;
	e.out = output_make(r, 0);
	e.err = output_make(r, 1);
	if (e.in >= 0 && e.out >= 0 && e.err >= 0)
		k->pid = spawn_rank(&j->spawn, a, &e, &stage);
	else
		k->pid = -1;
	if (k->pid < 0)
		say("rank %d (%s) could not be started: %s: %s", r, a->argv[0], stage,
			strerror(errno));
	close(e.out);
	close(e.err);
	if (r == 0)
		close(e.in);
	a->envp[0] = NULL;
	if (k->pid < 0) {
		k->pid = 0;
		return false;
	}
	j->guard.group[r] = k->group = k->pid;
	k->alive = true;
	j->alive++;
	if (j->plan->verbose)
		say("rank %d is process %d: %s", r, (int)k->pid, a->file);
	return true;
}

void job_start(struct job *j, const struct plan *p)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int r = 0;

	if (null < 0)
		die(1, "/dev/null: %s", strerror(errno));
	*j = (struct job){.plan = p, .n = p->nranks, .spawn = j->spawn};
	j->spawn.by = getpid();
	j->rank = grow(NULL, (size_t)j->n, sizeof *j->rank);
	memset(j->rank, 0, (size_t)j->n * sizeof *j->rank);
	files_raise(j);
	segment_make(j);
	hang_init(j);
	guard_init(&j->guard, j->n, shm_seg_cookie(j->seg));
	out_init(j->n, p->label);
	if (p->timeout > 0)
		j->stop_ns = now_ns() + (uint64_t)(p->timeout * 1e9);
	for (int a = 0; a < p->napps; a++)
		for (int i = 0; i < p->app[a].n; i++)
			j->rank[r++].app = a;
	for (r = 0; r < j->n; r++)
		if (!rank_start(j, r, null)) {
			j->code = 1;
			job_end(j, SIGTERM, GRACE_FAIL_MS);
			break;
		}
	close(null);
}

void job_signal(struct job *j, int sig)
{
	for (int r = 0; r < j->n; r++)
		if (j->rank[r].group > 0)
			kill(-j->rank[r].group, sig);
}

void job_end(struct job *j, int sig, int grace_ms)
{
	uint64_t at = now_ns() + (uint64_t)grace_ms * 1000000u;

	j->ending = true;
	if (j->kill_ns == 0 || at < j->kill_ns)
		j->kill_ns = at;
	shm_seg_alarm(j->seg);
	job_signal(j, sig);
	job_signal(j, SIGCONT); /* one that is stopped would not notice */
}

/* True if a rank other than `r' lives and has not finished with MPI. */
static bool others_need(const struct job *j, int r)
{
	for (int i = 0; i < j->n; i++)
		if (i != r && j->rank[i].alive && atomic_load(&page_of(j, i)->state) != BOOT_DONE)
			return true;
	return false;
}

/* A rank has called for the end: its words, once. */
static bool abort_tell(struct job *j)
{
	struct boot_job *b = shm_seg_job(j->seg);

	if (atomic_load(&b->ready) == 0)
		return false;
	if (b->rank >= 0 && b->rank < j->n)
		out_hear(b->rank, now_ns());
	b->text[sizeof b->text - 1] = '\0';
	if (b->text[0] != '\0')
		say_raw(b->text);
	say("rank %d (process %d) has aborted the job with code %d", b->rank, b->pid, b->code);
	j->code = b->code & 255;
	if (j->code == 0 && b->code != 0)
		j->code = 1;
	return true;
}

static void death_tell(const struct job *j, int r, int status)
{
	const struct rank *k = &j->rank[r];
	const char *name = j->plan->app[k->app].argv[0];
	uint32_t state = atomic_load(&page_of(j, r)->state);
	const char *when = state == BOOT_RUNNING ? " before MPI_Finalize" : "";

	out_hear(r, now_ns());
	if (WIFSIGNALED(status))
		say("rank %d (process %d, %s) was killed by signal %d (%s)%s", r, (int)k->pid, name,
			WTERMSIG(status), strsignal(WTERMSIG(status)),
			WCOREDUMP(status) ? ", core dumped" : "");
	else if (WEXITSTATUS(status) > 128 && WEXITSTATUS(status) - 128 < SIGRTMIN)
		say("rank %d (process %d, %s) exited with code %d%s (128 + signal %d: %s)", r,
			(int)k->pid, name, WEXITSTATUS(status), when, WEXITSTATUS(status) - 128,
			strsignal(WEXITSTATUS(status) - 128));
	else
		say("rank %d (process %d, %s) exited with code %d%s", r, (int)k->pid, name,
			WEXITSTATUS(status), when);
}

static bool death_failed(const struct job *j, int r, int status)
{
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return true;
	return atomic_load(&page_of(j, r)->state) == BOOT_RUNNING && others_need(j, r);
}

/* One rank has died. */
static void death_judge(struct job *j, int r, int status)
{
	struct rank *k = &j->rank[r];
	bool done = atomic_load(&page_of(j, r)->state) == BOOT_DONE;

	k->alive = false;
	j->alive--;
	if (kill(-k->group, 0) != 0) /* its number may soon be somebody else's */
		j->guard.group[r] = k->group = 0;
	if (!j->ending && abort_tell(j)) {
		job_end(j, SIGTERM, GRACE_FAIL_MS);
		return;
	}
	if (!death_failed(j, r, status)) {
		k->absent = atomic_load(&page_of(j, r)->state) == BOOT_NEW;
		if (k->absent && j->look_ns == 0)
			j->look_ns = now_ns() + (uint64_t)ABSENT_MS * 1000000u;
		return;
	}
	if (j->ending) {
		j->hurt = true;
		return;
	}
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE && out_broken()) {
		j->code = j->code != 0 ? j->code : 128 + SIGPIPE; /* as in `./a.out | head' */
		return;
	}
	if (j->code != 0) {
		j->more++;
	} else {
		death_tell(j, r, status);
		j->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		j->code = j->code != 0 ? j->code : 1;
	}
	if (!done || WIFSIGNALED(status))
		job_end(j, SIGTERM, GRACE_FAIL_MS);
}

/* The first rank that is in MPI, or -1. */
static int rank_running(const struct job *j)
{
	for (int r = 0; r < j->n; r++)
		if (j->rank[r].alive && atomic_load(&page_of(j, r)->state) == BOOT_RUNNING)
			return r;
	return -1;
}

void job_look(struct job *j)
{
	int waits = rank_running(j);

	j->look_ns = now_ns() + (uint64_t)ABSENT_MS * 1000000u;
	for (int r = 0; r < j->n && waits >= 0; r++) {
		const struct rank *k = &j->rank[r];

		if (!k->absent || atomic_load(&page_of(j, r)->state) != BOOT_NEW)
			continue;
		say("rank %d (process %d, %s) ended without MPI_Init, and rank %d, which is in "
		    "MPI, would wait for it for ever",
			r, (int)k->pid, j->plan->app[k->app].argv[0], waits);
		j->code = j->code != 0 ? j->code : 1;
		job_end(j, SIGTERM, GRACE_FAIL_MS);
		return;
	}
}

void job_reap(struct job *j)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid == j->guard.pid)
			j->guard.pid = 0;
		for (int r = 0; r < j->n; r++)
			if (j->rank[r].pid == pid && j->rank[r].alive)
				death_judge(j, r, status);
	}
}

int job_fini(struct job *j)
{
	job_signal(j, SIGKILL);
	if (j->more > 0)
		fprintf(stderr, "mpiexec: %d more failed\n", j->more);
	guard_fini(&j->guard);
	shm_seg_close(j->seg);
	free(j->hang.cpu_ns);
	free(j->rank);
	return j->code;
}
