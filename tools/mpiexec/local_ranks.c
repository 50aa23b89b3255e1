// SPDX-License-Identifier: BSD-3-Clause
/* local_ranks.c - starts the ranks of this host and collects their deaths.  See local_ranks.h. */
#include "tools/mpiexec/local_ranks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/listen.h"
#include "libmpi/core/setting.h"
#include "tools/mpiexec/cpu_bind.h"
#include "tools/mpiexec/pmi_server.h"
#include "tools/mpiexec/proc.h"

#define FD_MIN    100 /* low numbers are left to scripts */
#define FILES_OWN 32  /* files of mpiexec itself, and inherited ones */

static struct boot_rank *local_page(const struct local_ranks *c, int i)
{
	return shm_seg_job_rank(c->seg, i);
}

/* Raises the limit of open files: at 512 ranks, pipes and sockets need more than the usual 1024. */
static void files_raise(struct local_ranks *c, int each)
{
	rlim_t want = (rlim_t)c->n * (rlim_t)each + FILES_OWN;
	struct rlimit r;

	getrlimit(RLIMIT_NOFILE, &c->common.files);
	r = c->common.files;
	if (r.rlim_cur >= want)
		return;
	r.rlim_cur = r.rlim_max < want ? r.rlim_max : want;
	setrlimit(RLIMIT_NOFILE, &r);
	if (r.rlim_cur < want)
		fatal(1, "%d processes need %ld open files, and the limit is %ld (ulimit -Hn)",
			c->n, (long)want, (long)r.rlim_cur);
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

static void members_find(struct local_ranks *c, int host)
{
	const struct plan *p = c->plan;

	for (int r = 0; r < p->nranks; r++)
		c->n += p->host_of[r] == host;
	c->m = mem_grow(NULL, (size_t)c->n, sizeof(*c->m));
	for (int a = 0, r = 0, local = 0; a < p->napps; a++)
		for (int i = 0; i < p->app[a].n; i++, r++)
			if (p->host_of[r] == host)
				c->m[local++] =
					(struct local_rank){.rank = r, .app = a, .listen = -1};
}

void local_init(struct local_ranks *c, const struct plan *p, int host, const char *ip, char **addr)
{
	sigset_t mask = c->common.mask;
	char where[BOOT_ADDR];

	*c = (struct local_ranks){.plan = p, .common = {.mask = mask, .by = getpid()}};
	members_find(c, host);
	c->cpus = bind_make(p, c->n);
	files_raise(c, ip != NULL ? 4 : 3);
	for (int i = 0; i < c->n && ip != NULL; i++) {
		int fd = boot_listen_open(ip, where, sizeof(where));

		if (fd < 0)
			fatal(1, "no socket at %s: %s", ip, strerror(errno));
		c->m[i].listen = fd_lift(fd);
		addr[c->m[i].rank] = text_new("%s", where);
	}
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
	fatal(1, "no shared memory for %d processes: %s%s%s%s", c->n, shm_error_text(err),
		why != NULL ? ": " : "", why != NULL ? why : "", limit);
}

/* The settings of the segment come from the environment of the first program. */
void local_segment(struct local_ranks *c, const struct boot_world *world, int host, uint64_t cookie)
{
	char **envp = c->plan->app[0].envp + 1;
	struct shm_opts opts = boot_opts(c->n, envp);
	size_t len;
	int err;

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
	guard_init(&c->guard, c->n, shm_seg_cookie(c->seg));
}

/* The value of BOOT_VAR for a rank. */
static char *boot_var_make(const struct local_ranks *c, int i, int pmi)
{
	const struct local_rank *m = &c->m[i];
	char tail[64] = "", other[32] = "";

	if (m->listen >= 0)
		snprintf(tail, sizeof(tail), ",seat=%d,listen=%d", i, m->listen);
	if (pmi >= 0)
		snprintf(other, sizeof(other), ",pmi=%d", pmi);
	return text_new(BOOT_VAR "=fd=%d,rank=%d,size=%d,app=%d,by=%d,cookie=%016llx%s%s",
		c->common.seg_fd, m->rank, c->plan->nranks, m->app, (int)c->common.by,
		(unsigned long long)shm_seg_cookie(c->seg), tail, other);
}

/* True for variables of an outer launcher, which must not reach the ranks. */
static bool rank_env_foreign(const char *setting)
{
	static const char *const all[] = {
		"PMI_FD=", "PMI_RANK=", "PMI_SIZE=", "PMI_ID=", "PMI_PORT=", "PMIX_NAMESPACE=",
		"PMIX_RANK=", "MPI_LOCALRANKID=", "MPI_LOCALNRANKS=", "OMPI_COMM_WORLD_RANK=",
		"OMPI_COMM_WORLD_SIZE=", "OMPI_COMM_WORLD_LOCAL_RANK=",
		"OMPI_COMM_WORLD_LOCAL_SIZE=", "MV2_COMM_WORLD_LOCAL_RANK="};

	for (size_t i = 0; i < countof(all); i++)
		if (strncmp(setting, all[i], strlen(all[i])) == 0)
			return true;
	return false;
}

#define ENV_OWN 11 /* number of variables that mpiexec adds, at most */

/* The environment of a rank: that of its program and the rank's identity, for Haft and, by the PMI
 * socket `pmi' (-1: none), for other MPIs.  The ENV_OWN texts own[] (NULL: unused) and the array
 * are malloc'ed. */
static char **rank_env_make(
	const struct local_ranks *c, int i, char *const *base, int pmi, char **own)
{
	char **env;
	size_t n = 0;

	own[0] = boot_var_make(c, i, pmi);
	own[1] = pmi >= 0 ? text_new("PMI_FD=%d", pmi) : NULL;
	own[2] = pmi >= 0 ? text_new("PMI_RANK=%d", c->m[i].rank) : NULL;
	own[3] = pmi >= 0 ? text_new("PMI_SIZE=%d", c->plan->nranks) : NULL;
	/* For scripts that choose a device by local rank: names of MPICH, Open MPI and MVAPICH. */
	own[4] = text_new("MPI_LOCALRANKID=%d", i);
	own[5] = text_new("MPI_LOCALNRANKS=%d", c->n);
	own[6] = text_new("OMPI_COMM_WORLD_RANK=%d", c->m[i].rank);
	own[7] = text_new("OMPI_COMM_WORLD_SIZE=%d", c->plan->nranks);
	own[8] = text_new("OMPI_COMM_WORLD_LOCAL_RANK=%d", i);
	own[9] = text_new("OMPI_COMM_WORLD_LOCAL_SIZE=%d", c->n);
	own[10] = text_new("MV2_COMM_WORLD_LOCAL_RANK=%d", i);
	while (base[n] != NULL)
		n++;
	env = mem_grow(NULL, n + ENV_OWN + 1, sizeof(*env));
	n = 0;
	for (int k = 0; k < ENV_OWN; k++)
		if (own[k] != NULL)
			env[n++] = own[k];
	for (; *base != NULL; base++)
		if (!rank_env_foreign(*base))
			env[n++] = *base;
	env[n] = NULL;
	return env;
}

/* Makes a pipe for a rank's output and hands over its read end.  Returns the write end, or -1. */
static int output_make(int rank, int which, local_hear_fn *hear)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) != 0)
		return -1;
	fcntl(p[0], F_SETFL, O_NONBLOCK);
	hear(rank, which, p[0]);
	return p[1];
}

/* Starts one rank with stdin `in' (-1: pipe failed).  Returns NULL, or malloc'ed words. */
static char *member_start(struct local_ranks *c, int i, int in, local_hear_fn *hear)
{
	struct local_rank *m = &c->m[i];
	struct app *a = &c->plan->app[m->app];
	struct rank_ends e = {.in = in, .pmi = c->pmi != NULL ? pmi_give(c->pmi, i) : -1};
	const char *stage = "a pipe";
	char *own[ENV_OWN], *why = NULL;
	pid_t pid = -1;

	e.out = output_make(m->rank, 0, hear);
	e.err = output_make(m->rank, 1, hear);
	e.listen = m->listen;
	e.cpus = c->cpus != NULL ? &c->cpus[i] : NULL;
	e.envp = rank_env_make(c, i, a->envp + 1, e.pmi, own);
	if (e.in >= 0 && e.out >= 0 && e.err >= 0)
		pid = rank_start(&c->common, a, &e, &stage);
	if (pid < 0)
		why = text_new("rank %d (%s) could not be started: %s: %s", m->rank, a->argv[0],
			stage, strerror(errno));
	close(e.out);
	close(e.err);
	if (m->listen >= 0)
		close(m->listen);
	if (e.pmi >= 0)
		close(e.pmi);
	free(e.envp);
	for (int k = 0; k < ENV_OWN; k++)
		free(own[k]);
	if (pid < 0)
		return why;
	m->pid = m->group = pid;
	c->guard.group[i] = pid;
	m->alive = true;
	c->alive++;
	return NULL;
}

char *local_start(struct local_ranks *c, int (*in_fd)(int rank), local_hear_fn *hear)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char *why = NULL;

	if (null < 0)
		fatal(1, "/dev/null: %s", strerror(errno));
	for (int i = 0; i < c->n && why == NULL; i++) {
		int in = in_fd(c->m[i].rank);

		why = member_start(c, i, in >= 0 ? in : null, hear);
		if (in >= 0)
			close(in);
	}
	close(null);
	return why;
}

void local_signal(struct local_ranks *c, int sig)
{
	for (int i = 0; i < c->n; i++)
		if (c->m[i].group > 0)
			kill(-c->m[i].group, sig);
}

void local_end(struct local_ranks *c, int sig)
{
	if (c->seg != NULL)
		shm_seg_abort(c->seg);
	local_signal(c, sig);
	local_signal(c, SIGCONT); /* one that is stopped would not notice */
}

/* The rank whose loss a local rank noticed, or -1. */
static int lost_of(struct local_ranks *c, int i)
{
	return atomic_load(&local_page(c, i)->lost) - 1;
}

static void member_died(struct local_ranks *c, int i, int status, local_died_fn *died, void *arg)
{
	struct local_rank *m = &c->m[i];

	m->alive = false;
	c->alive--;
	if (kill(-m->group, 0) != 0) /* the kernel may reuse the number */
		c->guard.group[i] = m->group = 0;
	died(arg, &(struct death){.rank = m->rank,
			  .pid = (int)m->pid,
			  .status = status,
			  .state = atomic_load(&local_page(c, i)->state),
			  .lost = lost_of(c, i)});
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

void local_see(struct local_ranks *c, struct rank_view *seen)
{
	for (int i = 0; i < c->n; i++) {
		struct rank_view *s = &seen[i];

		s->known = true;
		s->state = atomic_load(&local_page(c, i)->state);
		s->alive = c->m[i].alive;
		shm_seg_view(c->seg, i, &s->view);
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

int local_lost(struct local_ranks *c, const struct boot_job *b)
{
	for (int i = 0; i < c->n; i++)
		if (c->m[i].rank == b->rank)
			return lost_of(c, i);
	return -1;
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
	free(c->m);
	free(c->cpus);
}
