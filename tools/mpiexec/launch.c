// SPDX-License-Identifier: BSD-3-Clause
/* launch.c - see launch.h.
 *
 * The launcher runs in its own session: Ctrl-C reaches mpiexec only, and a launcher that wants a
 * password fails instead of waiting.  The launcher gets SIGTERM when mpiexec dies, besides the end
 * of its stdin. */
#include "tools/mpiexec/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libobj/base.h"

/* ConnectTimeout: a host that is switched off is noticed soon. */
static const char *const ssh_words[] = {"-x", "-T", "-o", "BatchMode=yes", "-o",
	"ConnectTimeout=10", "-o", "EscapeChar=none", NULL};

/* One step of the allocation per proxy, sharing the CPUs of other steps; output is unbuffered. */
static const char *const srun_words[] = {"--nodes=1", "--ntasks=1", "--overlap", "--mpi=none",
	"--cpu-bind=none", "--unbuffered", "--input=0", "--quiet", "--nodelist", NULL};

/* `s' quoted as one word of a shell. */
static char *shell_quote(const char *s)
{
	char *q = mem_grow(NULL, strlen(s) * 4 + 3, 1);
	char *to = q;

	*to++ = '\'';
	for (; *s != '\0'; s++) {
		if (*s == '\'') {
			memcpy(to, "'\\''", 4);
			to += 4;
		} else {
			*to++ = *s;
		}
	}
	*to++ = '\'';
	*to = '\0';
	return q;
}

void launch_init(struct plan *p)
{
	char self[PATH_MAX];
	ssize_t n;

	if (p->proxy_path != NULL)
		return;
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (n <= 0)
		fatal(1, "/proc/self/exe: %s", strerror(errno));
	self[n] = '\0';
	p->proxy_path = text_new("%s", self);
}

const char *launch_name(const struct plan *p, int host)
{
	if (p->host[host].local || p->launcher == LAUNCH_FORK)
		return "mpiexec";
	return p->launch_exec;
}

/* The launcher's own options. */
static const char *const *options_of(enum launcher l)
{
	static const char *const none[] = {NULL};

	if (l == LAUNCH_SSH)
		return ssh_words;
	return l == LAUNCH_SLURM ? srun_words : none;
}

/* The words of the command; free them with words_free. */
static char **words_make(const struct plan *p, int host)
{
	bool shell = p->launcher == LAUNCH_SSH || p->launcher == LAUNCH_RSH;
	const char *const *options = options_of(p->launcher);
	char **v = mem_grow(NULL, countof(ssh_words) + countof(srun_words) + 5, sizeof(*v));
	size_t n = 0;

	if (!p->host[host].local && p->launcher != LAUNCH_FORK) {
		v[n++] = text_new("%s", p->launch_exec);
		for (size_t i = 0; options[i] != NULL; i++)
			v[n++] = text_new("%s", options[i]);
		v[n++] = text_new("%s", p->host[host].name);
		v[n++] = shell ? shell_quote(p->proxy_path) : text_new("%s", p->proxy_path);
	} else {
		v[n++] = text_new("%s", p->proxy_path);
	}
	v[n++] = text_new("%s", PROXY_OPTION);
	v[n] = NULL;
	return v;
}

static void words_free(char **v)
{
	for (size_t i = 0; v[i] != NULL; i++)
		free(v[i]);
	free(v);
}

/* Shared by parent and vforked child until exec. */
struct launch_child {
	char **words;
	int fd[3]; /* its stdin, stdout, stderr */
	pid_t by;
	volatile int err;
};

__attribute__((noreturn)) static void launch_child_run(struct launch_child *c)
{
	sigset_t none;

	setsid();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != c->by)
		_exit(EXIT_NONE);
	for (int i = 0; i < 3; i++)
		dup2(c->fd[i], i);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvp(c->words[0], c->words);
	c->err = errno;
	_exit(EXIT_NONE);
}

static void pair_close(const int fd[2])
{
	if (fd[0] >= 0)
		close(fd[0]);
	if (fd[1] >= 0)
		close(fd[1]);
}

int launch_proxy(const struct plan *p, int host, struct launch_ends *l, const char **step)
{
	struct launch_child c = {.words = words_make(p, host), .by = getpid()};
	int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
	pid_t pid = -1;

	*step = "a pipe";
	if (pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 && pipe2(err, O_CLOEXEC) == 0) {
		c.fd[0] = in[0], c.fd[1] = out[1], c.fd[2] = err[1];
		*step = "fork";
		pid = vfork();
		if (pid == 0)
			launch_child_run(&c);
	}
	if (pid > 0 && c.err != 0) {
		waitpid(pid, NULL, 0);
		errno = c.err;
		*step = launch_name(p, host);
		pid = -1;
	}
	words_free(c.words);
	if (pid < 0) {
		int e = errno;

		pair_close(in), pair_close(out), pair_close(err);
		errno = e;
		return -1;
	}
	close(in[0]), close(out[1]), close(err[1]);
	*l = (struct launch_ends){.pid = pid, .in = in[1], .out = out[0], .err = err[0]};
	fcntl(l->err, F_SETFL, O_NONBLOCK);
	return 0;
}
