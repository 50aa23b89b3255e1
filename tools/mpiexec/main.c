// SPDX-License-Identifier: BSD-3-Clause
/* main.c - mpiexec: one loop that waits for everything at once.
 *
 *                     .-- signalfd: deaths, Ctrl-C, Ctrl-Z, roll-call
 *   poll(...) <-------+-- out: ranks' output, room in our own
 *                     |-- terminal -> rank 0
 *                     '-- pmi: requests of ranks of other MPIs
 *
 * All signals that matter are blocked and come by the signalfd, so that nothing here runs in a
 * handler, and nothing but poll ever waits. */
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
#include "libobj/base.h"
#include "tools/mpiexec/proxy.h"
#include "tools/mpiexec/remote_ranks.h"
#include "tools/mpiexec/feed.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/launch.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/pmi_server.h"

#define NS_MS 1000000u

/* What the loop waits for. */
enum { ON_SIGNAL, ON_TTY, ON_STDIN, ON_PMI, ON_FAR, ON_OUT, ON_ALL = ON_OUT + OUT_POLLS };

/* The lowest three fds exist, so that no file of ours is taken for one of them.  One that the user
 * has closed cannot be written: what would go there is lost, and that is an error. */
static void fds_open(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd < 3);
	if (fd >= 0)
		close(fd);
}

/* Blocks the signals that the loop takes, except those that the user wants ignored (nohup, a
 * shell's background job).  Returns the signalfd. */
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
	signal(SIGCHLD, SIG_DFL); /* ignored, children would vanish without a word */
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &set, before);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (fd < 0)
		die(1, "signalfd: %s", strerror(errno));
	return fd;
}

/* The user wants the job to end: his signal goes to the ranks; the second time they are killed. */
static void user_end(struct job *j, int sig)
{
	if (j->signal != 0) {
		job_end(j, SIGKILL, 0);
		return;
	}
	j->signal = sig;
	if (j->far != NULL && !remote_begun(j->far))
		j->hurt = true; /* no rank will run: none can end well */
	job_end(j, sig, j->grace_ms);
}

/* Ctrl-Z: stop the ranks, then ourselves; SIGCONT wakes us, and the loop then sees it. */
static void user_stop(struct job *j)
{
	job_signal(j, SIGTSTP);
	if (j->far != NULL)
		remote_pause(j->far);
	raise(SIGSTOP);
}

static void signal_do(struct job *j, int sig)
{
	switch (sig) {
	case SIGCHLD: job_reap(j); break;
	case SIGTSTP: user_stop(j); break;
	case SIGUSR1: job_ask(j, ASK_ROLL); break;
	case SIGCONT:
	case SIGUSR2: job_signal(j, sig); break;
	default: user_end(j, sig); break;
	}
}

static void signals_read(struct job *j, int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof info) == (ssize_t)sizeof info)
		signal_do(j, (int)info.ssi_signo);
}

/* The terminal belongs to others while we are in the background: reading would stop us.  One that
 * does not control us cannot (tcgetpgrp fails). */
static bool tty_ours(void)
{
	pid_t owner = tcgetpgrp(STDIN_FILENO);

	return owner < 0 || owner == getpgrp();
}

static void stdin_work(struct job *j, const struct pollfd *p)
{
	static char buf[FEED_LEN];
	size_t room = job_stdin_room(j);
	ssize_t n;

	if (p[ON_TTY].revents != 0 && room > 0 && tty_ours()) {
		n = read(STDIN_FILENO, buf, room < sizeof buf ? room : sizeof buf);
		if (n >= 0 || (errno != EINTR && errno != EAGAIN))
			job_stdin(j, buf, n > 0 ? (size_t)n : 0);
	}
	if (p[ON_STDIN].revents != 0)
		feed_work();
}

static void stdin_polls(struct job *j, struct pollfd *p)
{
	bool want = job_stdin_room(j) > 0 && tty_ours();

	p[ON_TTY] = (struct pollfd){.fd = want ? STDIN_FILENO : -1, .events = POLLIN};
	p[ON_STDIN] = (struct pollfd){.fd = feed_fd(), .events = POLLIN};
}

/* ms until something must be done although nothing comes. */
static int loop_patience(const struct job *j, uint64_t drain_ns, uint64_t now)
{
	const uint64_t at[] = {j->killed ? 0 : j->kill_ns, j->ending ? 0 : j->stop_ns,
		j->ending ? 0 : j->look_ns, j->ending ? 0 : j->wait.until_ns,
		j->ending ? 0 : j->hang.look_ns, j->ending ? 0 : j->ended_look_ns, drain_ns};
	int ms = out_patience(now);

	if (j->far != NULL && (ms < 0 || ms > remote_patience(j->far)))
		ms = remote_patience(j->far);
	for (size_t i = 0; i < countof(at); i++) {
		uint64_t left = at[i] > now ? (at[i] - now) / NS_MS + 1 : 0;
		int mine = left > INT_MAX ? INT_MAX : (int)left;

		if (at[i] != 0 && (ms < 0 || mine < ms))
			ms = mine;
	}
	return ms;
}

/* Carries out what the clock demands. */
static void main_clock(struct job *j, uint64_t now)
{
	if (j->kill_ns != 0 && now >= j->kill_ns && !j->killed) {
		job_signal(j, SIGKILL);
		j->killed = true;
	}
	if (j->ending)
		return;
	if (j->wait.until_ns != 0 && now >= j->wait.until_ns) {
		job_believe(j);
		return;
	}
	if (j->look_ns != 0 && now >= j->look_ns) {
		j->look_ns = now + (uint64_t)ABSENT_MS * NS_MS;
		job_ask(j, ASK_ABSENT);
	}
	if (j->hang.look_ns != 0 && now >= j->hang.look_ns) {
		j->hang.look_ns = now + j->hang.limit_ns / HANG_LOOKS;
		job_ask(j, ASK_HANG);
	}
	if (j->ended_look_ns != 0 && now >= j->ended_look_ns) {
		j->ended_look_ns = ended_next(j, now);
		job_ask(j, ASK_ENDED);
	}
	if (j->stop_ns != 0 && now >= j->stop_ns) {
		j->stop_ns = 0;
		job_ask(j, ASK_TIMEOUT);
	}
}

/* All ranks have ended here: what they left in the background is ended too, and what it still says
 * in DRAIN_MS is heard.  Returns when to stop listening. */
static uint64_t drain_begin(struct job *j, uint64_t now)
{
	job_signal(j, SIGTERM);
	return now + (uint64_t)DRAIN_MS * NS_MS;
}

static void main_loop(struct job *j, int sigfd)
{
	struct pollfd p[ON_ALL];
	uint64_t drain_ns = 0;

	while (!job_over(j) || out_open() || out_pending()) {
		uint64_t now = now_ns();

		if (j->far == NULL && j->alive == 0 && out_open() && drain_ns == 0)
			drain_ns = drain_begin(j, now);
		if (drain_ns != 0 && now >= drain_ns && out_open())
			out_cut(now);
		main_clock(j, now);
		p[ON_SIGNAL] = (struct pollfd){.fd = sigfd, .events = POLLIN};
		stdin_polls(j, p);
		p[ON_PMI] = (struct pollfd){.fd = pmi_fd(j->crew.pmi), .events = POLLIN};
		p[ON_FAR] = (struct pollfd){
			.fd = j->far != NULL ? remote_fd(j->far) : -1, .events = POLLIN};
		out_polls(p + ON_OUT);
		if (poll(p, ON_ALL, loop_patience(j, out_open() ? drain_ns : 0, now)) < 0)
			continue;
		if (j->far != NULL)
			remote_work(j->far, now_ns());
		out_work(p + ON_OUT, now_ns());
		stdin_work(j, p);
		if (p[ON_PMI].revents != 0)
			pmi_work(j->crew.pmi);
		if (p[ON_SIGNAL].revents != 0)
			signals_read(j, sigfd);
	}
}

/* Dies by the user's signal, so that his shell knows that its script was interrupted. */
static void signal_die(int sig, const sigset_t *mask)
{
	signal(sig, SIG_DFL);
	raise(sig);
	sigprocmask(SIG_SETMASK, mask, NULL);
}

/* An mpiexec that is itself a rank starts a job of its own: among several ranks that is hardly what
 * the user wants, and it is said once. */
static void nested_tell(const struct job *j)
{
	const char *v = getenv(BOOT_VAR), *s = v != NULL ? strstr(v, ",rank=") : NULL;
	int rank, size;

	if (s == NULL || sscanf(s, ",rank=%d,size=%d", &rank, &size) != 2)
		return;
	if (j->plan->verbose || (size > 1 && rank == 0))
		say("this mpiexec runs as rank %d of a job of %d process%s, and starts a job of "
		    "its "
		    "own, of %d process%s%s",
			rank, size, size > 1 ? "es" : "", j->n, j->n > 1 ? "es" : "",
			size > 1 ? "; so does each of the other ranks that is an mpiexec" : "");
}

int main(int argc, char **argv)
{
	struct plan *plan;
	sigset_t mask;
	struct job j;
	int sigfd, code;

	fds_open();
	if (argc == 2 && strcmp(argv[1], PROXY_OPTION) == 0) {
		sigfd = signals_init(&mask);
		return proxy_main(sigfd, &mask);
	}
	plan = plan_read(argc, argv);
	sigfd = signals_init(&mask);
	job_start(&j, plan, &mask);
	nested_tell(&j);
	main_loop(&j, sigfd);
	code = job_fini(&j);
	if (j.signal != 0 && j.hurt && code == 0)
		signal_die(j.signal, &mask);
	return code;
}
