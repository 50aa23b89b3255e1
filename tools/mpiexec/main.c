// SPDX-License-Identifier: BSD-3-Clause
/* main.c - mpiexec: the main loop.
 *
 *                     .-- signalfd: deaths, Ctrl-C, Ctrl-Z, SIGUSR1
 *   poll(...) <-------+-- output of ranks, room in our stdout and stderr
 *                     |-- terminal -> rank 0
 *                     |-- proxies of other hosts
 *                     '-- PMI requests of ranks of other MPIs
 *
 * Relevant signals are blocked and read from a signalfd: no code runs in a handler.  Only poll
 * waits. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/job_list.h"
#include "libmpi/boot/mpiexec_words.h"
#include "libmpi/core/defaults_file.h"
#include "libmpi/core/setting.h"
#include "libobj/base.h"
#include "tools/mpiexec/proxy.h"
#include "tools/mpiexec/remote_ranks.h"
#include "tools/mpiexec/stdin_forward.h"
#include "tools/mpiexec/group_abort.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/launch.h"
#include "tools/mpiexec/name_server.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/pmi_server.h"
#include "tools/mpiexec/profile.h"
#include "tools/mpiexec/serve.h"
#include "tools/mpiexec/spawn.h"
#include "tools/mpiexec/top.h"

#define RESPAWN_VAR "MPIEXEC_RESPAWNED" /* so often the job was started again; ranks see it, too */

/* Entries of the poll array. */
enum {
	ON_SIGNAL,
	ON_TTY,
	ON_STDIN,
	ON_PMI,
	ON_REMOTE,
	ON_SERVE,
	ON_TOP,
	ON_OUT,
	ON_ALL = ON_OUT + OUT_POLLS
};

/* Opens /dev/null for each of fds 0 to 2 that is closed, so that no other file gets these numbers.
 * Read-only: output to an fd that the user has closed is lost, and that is an error. */
static void fds_open(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd < 3);
	if (fd >= 0)
		close(fd);
}

/* Blocks the signals that the loop reads, except those that mpiexec inherited as ignored (nohup, a
 * background job).  Returns the signalfd; *before is the inherited mask. */
static int signals_init(sigset_t *before)
{
	static const int all[] = {
		SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2};
	struct sigaction sa;
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < countof(all); i++)
		if (all[i] == SIGCHLD ||
			(sigaction(all[i], NULL, &sa) == 0 && sa.sa_handler != SIG_IGN))
			sigaddset(&set, all[i]);
	signal(SIGCHLD, SIG_DFL); /* if SIGCHLD were ignored, children would vanish unreported */
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, before);
	fd = fd_keep(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
	if (fd < 0)
		fatal(1, "signalfd: %s", strerror(errno));
	return fd;
}

/* Passes the user's signal to the ranks, to end the job; the second signal kills them. */
static void user_end(struct job *j, int sig)
{
	if (j->signal != 0) {
		job_end(j, SIGKILL, 0);
		return;
	}
	j->signal = sig;
	if (j->remote != NULL && !remote_begun(j->remote))
		j->hurt = true; /* ranks were not started yet: the job has failed */
	job_end(j, sig, j->grace_ms);
}

/* Ctrl-Z: stops the ranks, then mpiexec.  SIGCONT continues mpiexec, and the loop reads it. */
static void user_stop(struct job *j)
{
	job_signal(j, SIGTSTP);
	if (j->remote != NULL)
		remote_pause(j->remote);
	top_pause();
	raise(SIGSTOP);
	top_resume();
}

static void signal_do(struct job *j, int sig)
{
	switch (sig) {
	case SIGCHLD: job_reap(j); break;
	case SIGTSTP: user_stop(j); break;
	case SIGUSR1: job_ask(j, ASK_REPORT); break;
	case SIGCONT:
	case SIGUSR2: job_signal(j, sig); break;
	default: user_end(j, sig); break;
	}
}

static void signals_read(struct job *j, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		signal_do(j, (int)info.ssi_signo);
}

/* True if mpiexec may read the terminal: in the background it would be stopped.  A terminal that
 * does not control mpiexec cannot stop it (tcgetpgrp fails). */
static bool tty_ours(void)
{
	pid_t owner = tcgetpgrp(STDIN_FILENO);

	return owner < 0 || owner == getpgrp();
}

static void stdin_work(struct job *j, const struct pollfd *p)
{
	static char buf[STDIN_LEN];
	size_t room = job_stdin_room(j);
	ssize_t n;

	if (p[ON_TTY].revents != 0 && room > 0 && tty_ours()) {
		n = read(STDIN_FILENO, buf, room < sizeof(buf) ? room : sizeof(buf));
		if (n >= 0 || (errno != EINTR && errno != EAGAIN))
			job_stdin(j, buf, n > 0 ? (size_t)n : 0);
	}
	if (p[ON_STDIN].revents != 0)
		stdin_flush();
}

static void stdin_polls(struct job *j, struct pollfd *p)
{
	bool want = top_fd() < 0 && job_stdin_room(j) > 0 && tty_ours();

	p[ON_TTY] = (struct pollfd){.fd = want ? STDIN_FILENO : -1, .events = POLLIN};
	p[ON_STDIN] = (struct pollfd){.fd = stdin_pipes_fd(), .events = POLLIN};
}

/* ms until the next deadline; -1: none. */
static int loop_timeout(const struct job *j, uint64_t drain_ns, uint64_t now)
{
	const uint64_t at[] = {j->killed ? 0 : j->kill_ns, j->group_kill_ns,
		j->ending ? 0 : j->stop_ns, j->ending ? 0 : j->absent_check_ns,
		j->ending ? 0 : j->wait.until_ns, j->ending ? 0 : j->leave_ns,
		j->ending ? 0 : j->hang.check_ns, j->ending ? 0 : j->ended_check_ns,
		j->ending ? 0 : top_next(), j->ending ? 0 : snapshot_next(), drain_ns};
	int ms = out_timeout(now), mine;

	mine = job_worlds_timeout(j, now);
	if (mine >= 0 && (ms < 0 || mine < ms))
		ms = mine;
	mine = spawn_timeout(now);
	if (mine >= 0 && (ms < 0 || mine < ms))
		ms = mine;
	if (j->remote != NULL && (ms < 0 || ms > remote_timeout(j->remote)))
		ms = remote_timeout(j->remote);
	for (size_t i = 0; i < countof(at); i++) {
		uint64_t left = at[i] > now ? (at[i] - now) / NS_PER_MS + 1 : 0;

		mine = left > INT_MAX ? INT_MAX : (int)left;
		if (at[i] != 0 && (ms < 0 || mine < ms))
			ms = mine;
	}
	return ms;
}

/* Runs everything that is due. */
static void main_clock(struct job *j, uint64_t now)
{
	if (j->kill_ns != 0 && now >= j->kill_ns && !j->killed) {
		job_signal(j, SIGKILL);
		j->killed = true;
	}
	group_abort_clock(j, now);
	job_worlds_clock(j, now);
	spawn_clock();
	if (j->ending)
		return;
	top_clock(j, now);
	snapshot_clock(j, now);
	if (j->wait.until_ns != 0 && now >= j->wait.until_ns) {
		job_first_failure(j);
		return;
	}
	if (j->leave_ns != 0 && now >= j->leave_ns) {
		j->leave_ns = 0;
		if (j->wait.until_ns == 0) /* else that ends the worlds, with words */
			job_world_fail(j, j->world, 1);
		if (j->ending)
			return;
	}
	if (j->absent_check_ns != 0 && now >= j->absent_check_ns) {
		j->absent_check_ns = now + ABSENT_MS * NS_PER_MS;
		job_ask(j, ASK_ABSENT);
	}
	if (j->hang.check_ns != 0 && now >= j->hang.check_ns) {
		j->hang.check_ns = hang_next(j, now);
		job_ask(j, ASK_HANG);
	}
	if (j->ended_check_ns != 0 && now >= j->ended_check_ns) {
		j->ended_check_ns = ended_next(j, now);
		job_ask(j, ASK_ENDED);
	}
	if (j->stop_ns != 0 && now >= j->stop_ns) {
		j->stop_ns = 0;
		job_ask(j, ASK_TIMEOUT);
	}
}

/* All local ranks have ended: ends their background processes.  Returns when to stop reading
 * output. */
static uint64_t drain_begin(struct job *j, uint64_t now)
{
	job_signal(j, SIGTERM);
	return now + DRAIN_MS * NS_PER_MS;
}

static void main_polls(struct job *j, int sigfd, struct pollfd *p)
{
	int remote = j->remote != NULL ? remote_fd(j->remote) : -1;

	p[ON_SIGNAL] = (struct pollfd){.fd = sigfd, .events = POLLIN};
	stdin_polls(j, p);
	p[ON_PMI] = (struct pollfd){.fd = pmi_fd(j->local.pmi), .events = POLLIN};
	p[ON_REMOTE] = (struct pollfd){.fd = remote, .events = POLLIN};
	p[ON_SERVE] = (struct pollfd){.fd = serve_fd(), .events = POLLIN};
	p[ON_TOP] = (struct pollfd){.fd = top_fd(), .events = POLLIN};
	out_polls(p + ON_OUT);
}

/* Reads and writes whatever is ready. */
static void main_work(struct job *j, const struct pollfd *p)
{
	if (j->remote != NULL)
		remote_work(j->remote, clock_now_ns());
	out_work(p + ON_OUT, clock_now_ns());
	stdin_work(j, p);
	if (p[ON_PMI].revents != 0)
		pmi_work(j->local.pmi);
	if (p[ON_SERVE].revents != 0)
		serve_work(j);
	if (p[ON_TOP].revents != 0)
		top_key();
	if (p[ON_SIGNAL].revents != 0)
		signals_read(j, p[ON_SIGNAL].fd);
}

/* True if nothing is left to wait for. */
static bool main_over(const struct job *j)
{
	return job_over(j) && !out_open() && !out_pending();
}

static void main_loop(struct job *j, int sigfd)
{
	struct pollfd p[ON_ALL];
	uint64_t drain_ns = 0;

	signals_read(j, sigfd); /* one may have ended the start before there was a rank */
	while (!main_over(j)) {
		uint64_t now = clock_now_ns();

		if (j->remote == NULL && j->alive == 0 && out_open() && drain_ns == 0)
			drain_ns = drain_begin(j, now);
		if (drain_ns != 0 && now >= drain_ns && out_open())
			out_cut(now);
		main_clock(j, now);
		if (main_over(j)) /* the last output has been cut: no event would come */
			break;
		main_polls(j, sigfd, p);
		if (poll(p, ON_ALL, loop_timeout(j, out_open() ? drain_ns : 0, now)) >= 0)
			main_work(j, p);
	}
}

/* Ends mpiexec by the user's signal, so that the shell sees an interrupted command. */
static void signal_die(int sig, const sigset_t *mask)
{
	signal(sig, SIG_DFL);
	raise(sig);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

/* Reports an mpiexec that is itself a rank, once for a job: this is often a mistake. */
static void nested_tell(const struct job *j)
{
	const char *list = getenv(BOOT_VAR);
	int rank, size;

	if (list == NULL || !job_list_int(list, "rank", &rank) ||
		!job_list_int(list, "size", &size))
		return;
	if (j->plan->verbose || rank == 0)
		out_say("this mpiexec runs as rank %d of a job of %d process%s, and starts a "
			"job of its own, of %d process%s%s",
			rank, size, size > 1 ? "es" : "", j->n, j->n > 1 ? "es" : "",
			size > 1 ? "; so does each of the other ranks that is an mpiexec" : "");
}

/* Starts a job that has failed again, instead of this process, up to `most' times.  Returns if
 * it was started as often, or cannot be. */
static void respawn(int most, int code, char **argv, const sigset_t *mask)
{
	const char *v = getenv(RESPAWN_VAR);
	int n = v != NULL ? atoi(v) : 0;
	char number[16];

	if (n >= most)
		return;
	out_say("the job has failed with code %d, and is started again (%d of %d)", code, n + 1,
		most);
	fflush(NULL);
	snprintf(number, sizeof(number), "%d", n + 1);
	setenv(RESPAWN_VAR, number, 1);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execv("/proc/self/exe", argv);
	out_say("-respawn: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	struct plan *plan = NULL;
	sigset_t mask;
	struct job j;
	int sigfd, code;

	fds_open();
	if (argc == 2 && strcmp(argv[1], PROXY_OPTION) == 0) {
		sigfd = signals_init(&mask);
		return proxy_main(sigfd, &mask);
	}
	if (argc == 3 && strcmp(argv[1], BOOT_PROFILE_OPTION) == 0)
		return profile_main(argv[2]);
	environ = haft_setting_environ();
	haft_defaults_warn();
	if (argc == 3 && strcmp(argv[1], BOOT_SERVE_OPTION) == 0) {
		serve_detach(argv[2]);
		sigfd = signals_init(&mask);
		serve_start(&j, &mask);
	} else if (name_server_wanted(argc, argv)) {
		return name_server_main(argc, argv);
	} else {
		plan = plan_read(argc, argv);
		sigfd = signals_init(&mask);
		job_start(&j, plan, &mask);
		nested_tell(&j);
		top_start(&j);
	}
	main_loop(&j, sigfd);
	code = job_fini(&j);
	if (j.signal != 0 && j.hurt && code == 0)
		signal_die(j.signal, &mask);
	if (code != 0 && j.signal == 0 && plan != NULL && plan->respawn > 0)
		respawn(plan->respawn, code, argv, &mask);
	return code;
}
