// SPDX-License-Identifier: BSD-3-Clause
/* serve.c - see serve.h. */
#include "tools/mpiexec/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/mpiexec_words.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/launch.h"
#include "tools/mpiexec/pmi_server.h"
#include "tools/mpiexec/remote_ranks.h"
#include "tools/mpiexec/requests.h"

static struct {
	int socket, segment, pid;
	int pidfd; /* -1: the program has ended, or there is none */
} serve = {.pidfd = -1};

/* Closes every other fd of the program but its stdin, stdout and stderr. */
static void others_close(void)
{
	int other = serve.segment >= 3 ? serve.segment : serve.socket;
	int low = serve.socket < other ? serve.socket : other, high = serve.socket + other - low;

	if (low > 3)
		close_range(3, (unsigned)low - 1, 0);
	if (high > low + 1)
		close_range((unsigned)low + 1, (unsigned)high - 1, 0);
	close_range((unsigned)high + 1, ~0u, 0);
}

void serve_detach(const char *what)
{
	if (sscanf(what, "%d,%d,%d", &serve.socket, &serve.segment, &serve.pid) != 3 ||
		serve.socket < 3 || serve.segment == serve.socket)
		fatal(EXIT_USAGE, "%s is for libmpi alone", BOOT_SERVE_OPTION);
	others_close();
	fcntl(serve.socket, F_SETFD, FD_CLOEXEC);
	serve.pidfd = (int)syscall(SYS_pidfd_open, serve.pid, 0);
	if (serve.pidfd < 0)
		fatal(1, "process %d: %s", serve.pid, strerror(errno));
	if (fork() != 0)
		_exit(0);
	setsid();
}

/* MPI_UNIVERSE_SIZE of the program's children is that of the program, which has read the same
 * variable. */
static void universe_take(struct plan *p)
{
	const char *said = getenv("MPIEXEC_UNIVERSE_SIZE");
	int n = said != NULL ? atoi(said) : -1;

	p->universe = n > 0 ? n : -1;
	p->universe_given = n > 0;
}

/* The plan: one process.  The hosts of the allocation, if it has several, are for its spawns. */
static struct plan *serve_plan(void)
{
	static char *words[] = {(char *)"the program that was started without mpiexec", NULL};
	static int host_of[1];
	struct plan *p = plan_serve(words);
	char own[256] = "this host";

	p->napps = p->nranks = p->app[0].n = 1;
	p->host_of = host_of;
	universe_take(p);
	p->stdin_to = STDIN_NONE;
	p->serves = true;
	plan_hosts_spare(p);
	if (serve.segment == BOOT_SERVICE_OTHER_HOSTS) {
		gethostname(own, sizeof(own) - 1);
		plan_host_add(p, own, 1);
		p->host[0].outside = true;
		p->host[0].local = false;
		launch_init(p);
	}
	plan_environ(p);
	return p;
}

void serve_start(struct job *j, const sigset_t *mask)
{
	struct plan *plan = serve_plan();
	char *why;

	job_prepare(j, plan, mask);
	local_init(&j->local, plan);
	why = local_add(&j->local, j->world, 0, NULL, NULL);
	if (why == NULL)
		why = local_adopt(&j->local, serve.segment, serve.pid);
	j->local.m[0].end = BOOT_RUNNING; /* until it says otherwise, if its segment is another */
	if (why != NULL)
		fatal(1, "%s", why);
	j->local.pmi = pmi_new(&j->local, request_do, j);
	if (j->local.pmi == NULL)
		fatal(1, "no files for the service");
	pmi_take(j->local.pmi, 0, serve.socket);
	j->rank[0].pid = serve.pid;
	j->rank[0].alive = true;
	j->alive = j->world->alive = 1;
	if (serve.segment == BOOT_SERVICE_OTHER_HOSTS)
		remote_open(j);
}

int serve_fd(void)
{
	return serve.pidfd;
}

void serve_work(struct job *j)
{
	uint32_t state = serve.segment >= 0 ? atomic_load(&local_page(&j->local, 0)->state)
					    : j->local.m[0].end;

	close(serve.pidfd);
	serve.pidfd = -1;
	j->local.m[0].end = state;
	j->local.m[0].alive = j->rank[0].alive = false;
	j->local.alive--;
	j->alive--;
	j->world->alive--;
	/* Its exit code is its own to show.  Worlds that are connected to it end with it.  A child
	 * may be the cause, and its death become known a moment later: that is to be told. */
	if ((boot_inside(state) || state == BOOT_ABORTED) && !j->ending)
		j->leave_ns = clock_now_ns() + LEAVE_MS * NS_PER_MS;
}
