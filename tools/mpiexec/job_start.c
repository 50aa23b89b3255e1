// SPDX-License-Identifier: BSD-3-Clause
/* job_start.c - starts the ranks of world 0.
 *
 *   job_start ── job_prepare: settings, world 0 and its entries
 *        │
 *        ├── one host:       here_start: segment, PMI server, processes     local_ranks.h
 *        └── several hosts:  remote_start: proxies; ranks when all are ready  remote_ranks.h */
#include "tools/mpiexec/failures.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/job_show.h"
#include "tools/mpiexec/mpir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/listen.h"
#include "libmpi/core/setting.h"
#include "tools/mpiexec/stdin_forward.h"
#include "tools/mpiexec/gdb_run.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/pmi_server.h"
#include "tools/mpiexec/remote_ranks.h"
#include "tools/mpiexec/requests.h"

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
	return stdin_pipe();
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
	j->local.pmi = pmi_new(&j->local, request_do, j);
	why = local_start(&j->local, j->world, stdin_give, out_add, NULL, false);
	j->stdin_fd = stdin_has_reader() ? STDIN_FILENO : -1;
	for (int r = 0; r < j->n; r++) {
		j->rank[r].pid = (int)j->local.m[r].pid;
		j->rank[r].alive = j->local.m[r].alive;
		if (j->rank[r].alive)
			job_show_rank(j, r, j->local.cpus != NULL ? &j->local.cpus[r] : NULL);
	}
	j->alive = j->world->alive = j->local.alive;
	j->hurt = j->alive < j->n; /* a failure, or a signal that came meanwhile */
	if (why != NULL) {
		out_say("%s", why);
		free(why);
		job_fail(j, 1);
		return;
	}
	mpir_started(j);
	gdb_start(j, &j->local.common.mask);
}

/* Opens the files of -outfile-pattern, -errfile-pattern and -output-filename. */
static void files_open(const struct job *j)
{
	const struct plan *p = j->plan;

	for (int r = 0; r < j->n; r++)
		for (int which = 0; which < 2; which++) {
			const char *file = p->file[which];

			if (file == NULL && p->merge)
				file = p->file[0];
			if (file != NULL && !job_file_open(j, r, which, file, p->file_copy))
				fatal(1, "output to %s: %s", file, strerror(errno));
		}
}

/* Makes world 0, of the programs of the command line, and its entries. */
static void world_0_make(struct job *j)
{
	const struct plan *p = j->plan;
	struct world *w = world_new(0, 0, p->app, p->napps);

	for (int r = 0; r < w->n; r++) {
		w->entry[r] = r;
		w->host_of[r] = p->host_of[r];
	}
	job_entries_grow(j, w->n);
	job_world_add(j, w);
}

void job_prepare(struct job *j, struct plan *p, const sigset_t *mask)
{
	*j = (struct job){.plan = p, .stdin_fd = -1};
	j->local.common.mask = *mask;
	ended_init(j);
	hang_init(j, clock_now_ns());
	failures_init(j, p);
	j->grace_ms = 1000 * haft_setting_launch(SETTING_GRACE, environ);
	out_init(p->prefix != NULL, p->merge);
	world_0_make(j);
}

void job_start(struct job *j, struct plan *p, const sigset_t *mask)
{
	p->hold = mpir_wanted();
	job_prepare(j, p, mask);
	if (p->gdb != NULL)
		j->hang.limit_ns = 0; /* ranks sleep in the debugger */
	files_open(j);
	for (int i = 0; i < p->nignored && p->verbose; i++)
		out_say("ignored: %s", p->ignored[i]);
	for (int i = 0; i < p->nwithout; i++)
		out_say("%s", p->without[i]);
	job_show_start(j);
	if (p->timeout > 0)
		j->stop_ns = clock_now_ns() + (uint64_t)(p->timeout * 1e9);
	if (p->nhosts > 0)
		remote_start(j);
	else
		here_start(j);
}
