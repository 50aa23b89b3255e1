// SPDX-License-Identifier: BSD-3-Clause
/* fork_client.c - mpiexec's side of a fork server.  See fork_client.h. */
#include "tools/mpiexec/fork_client.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/job_plan.h"
#include "tools/mpiexec/priority.h"

#define TRY_MS    1000  /* for the first rank to be forked */
#define TRY_US    20    /* ... and between two looks */
#define STUCK_MS  60000 /* for a rank to be forked, behind thousands that compute */
#define STEP_MS   100   /* after so long a signal to mpiexec is obeyed */
#define SEND_ROOM 32768 /* bytes of orders that wait: few, so that few files are on their way */
#define SPARE     64    /* bytes by which the HAFT_JOB of another rank may be longer */
#define SPARE_ONE 16    /* ... and another variable */

/* --- the server ----------------------------------------------------------------------------- */

/* A copy of a variable with room for that of any rank. */
static char *variable_widen(const char *entry, size_t least, size_t spare)
{
	size_t len = strlen(entry);

	len = (len > least ? len : least) + spare;
	return text_new("%-*s", (int)len, entry);
}

/* The environment of the server: that of a rank, with wider variables.  envp[0] is BOOT_VAR. */
static char **environ_make(char **envp, int own, const char *job)
{
	size_t n = 0;
	char **v;

	while (envp[n] != NULL)
		n++;
	v = mem_grow(NULL, n + 1, sizeof(*v));
	memcpy(v, envp, (n + 1) * sizeof(*v));
	v[0] = variable_widen(job, strlen(envp[0]), SPARE);
	for (int i = 1; i < own; i++)
		v[i] = variable_widen(envp[i], 0, SPARE_ONE);
	return v;
}

static void environ_free(char **v, int own)
{
	for (int i = 0; i < own; i++)
		free(v[i]);
	free(v);
}

/* Makes the table.  Returns its memfd, or -1. */
static int table_make(struct fork_client *f, int rows)
{
	size_t len = (size_t)rows * sizeof(*f->table);
	int fd = memfd_create("haft-fork-server", MFD_CLOEXEC);
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, (off_t)len) == 0)
		p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	f->table = p;
	f->rows = rows;
	return fd;
}

/* Starts the server with its files, which are closed here.  False: it could not be executed. */
static bool server_exec(struct fork_client *f, const struct rank_common *s, const struct app *a,
	char **envp, int sock, int table)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct rank_ends e = {.in = null,
		.out = null,
		.err = null,
		.listen = sock,
		.pmi = table,
		.fork_server = true,
		.envp = envp};
	const char *step;

	f->pid = null >= 0 ? rank_start(s, a, &e, &step) : -1;
	f->pid = f->pid > 0 ? f->pid : 0;
	if (null >= 0)
		close(null);
	return f->pid > 0;
}

static uint64_t time_after(int ms)
{
	return clock_now_ns() + (uint64_t)ms * NS_PER_MS;
}

bool fork_await(int fd, short events, uint64_t until_ns)
{
	struct pollfd p = {.fd = fd, .events = events};

	while (clock_now_ns() < until_ns && !end_is_asked())
		if (poll(&p, 1, STEP_MS) > 0)
			return true;
	return false;
}

/* NULL: it is ready. */
static const char *server_unready(struct fork_client *f, uint64_t until)
{
	char c = 0;

	f->end = (int)syscall(SYS_pidfd_open, f->pid, 0);
	if (f->end < 0)
		return "there is no pidfd_open here";
	if (!fork_await(f->sock, POLLIN, until))
		return "its fork server is not ready after " TEXT_OF(FORK_BEGIN_S) " s";
	return read(f->sock, &c, 1) == 1 && c == FORK_READY ? NULL : "its fork server has ended";
}

/* The row whose rank the server has become, where there may be no process more; -1: none. */
static int server_row(const struct fork_client *f)
{
	int i = 0;

	while (i < f->rows && fork_client_pid(f, i) != f->pid)
		i++;
	return i < f->rows ? i : -1;
}

void fork_client_kill(struct fork_client *f)
{
	int row;

	if (f->pid > 0) {
		kill(f->pid, SIGKILL);
		waitpid(f->pid, NULL, 0);
		row = server_row(f);
		if (row >= 0)
			atomic_store(&f->table[row], -ECHILD);
	}
	if (f->sock >= 0)
		close(f->sock);
	if (f->end >= 0)
		close(f->end);
	f->pid = 0;
	f->sock = f->end = -1;
}

const char *fork_client_open(struct fork_client *f, const struct rank_common *s,
	const struct app *a, char **envp, int own, int rows, uint64_t cookie, uint64_t until_ns)
{
	int two[2] = {-1, -1}, table, room = SEND_ROOM;
	const char *why = "it could not be executed";
	char *job, **v;

	*f = (struct fork_client){.sock = -1, .end = -1};
	table = table_make(f, rows);
	if (table < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, two) != 0) {
		if (table >= 0)
			close(table);
		fork_client_close(f);
		return "there is no memory to share, or no socket";
	}
	f->sock = fd_keep(two[0]);
	setsockopt(f->sock, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	/* guard.c knows the job's processes by the last two. */
	job = text_new(BOOT_VAR "=serve=%d,table=%d,rows=%d,by=%d,cookie=%016llx", two[1], table,
		rows, (int)s->by, (unsigned long long)cookie);
	v = environ_make(envp, own, job);
	for (int i = 0; i < own; i++)
		f->room[i] = strlen(v[i]);
	if (server_exec(f, s, a, v, two[1], table))
		why = NULL;
	close(two[1]);
	close(table);
	environ_free(v, own);
	free(job);
	if (why == NULL)
		why = server_unready(f, until_ns);
	if (why != NULL) {
		fork_client_kill(f);
		fork_client_close(f);
	}
	return why;
}

/* --- ranks ---------------------------------------------------------------------------------- */

/* Fills an order, and files[] with what goes with it.  Returns their number; 0: the variables are
 * too long. */
static int order_make(struct fork_ask *a, size_t *len, int *files, int row,
	const struct rank_ends *e, int own, const size_t *room)
{
	size_t at = 0;
	int n = 3;

	*a = (struct fork_ask){
		.row = row, .listen = e->listen, .pmi = e->pmi, .bound = e->cpus != NULL};
	if (e->cpus != NULL)
		memcpy(a->cpus, e->cpus, sizeof(a->cpus));
	for (int i = 0; i < own; i++) {
		size_t more = strlen(e->envp[i]) + 1;

		if (at + more >= sizeof(a->env) || more > room[i] + 1)
			return 0;
		memcpy(a->env + at, e->envp[i], more);
		at += more;
	}
	*len = offsetof(struct fork_ask, env) + at + 1;
	files[0] = e->in;
	files[1] = e->out;
	files[2] = e->err;
	if (e->listen >= 0)
		files[n++] = e->listen;
	if (e->pmi >= 0)
		files[n++] = e->pmi;
	return n;
}

/* Sends an order.  False: the server has ended, or does not take it for STUCK_MS. */
static bool order_send(const struct fork_client *f, const struct msghdr *m)
{
	uint64_t until = time_after(STUCK_MS);

	while (sendmsg(f->sock, m, MSG_DONTWAIT | MSG_NOSIGNAL) < 0) {
		if (errno == ETOOMANYREFS && clock_now_ns() < until)
			poll(NULL, 0, 1); /* too many files are on their way */
		else if (errno != EAGAIN && errno != EINTR)
			return false;
		else if (!fork_await(f->sock, POLLOUT, until))
			return false;
	}
	return true;
}

bool fork_client_ask(struct fork_client *f, int row, const struct rank_ends *e, int own)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(FORK_FILES * sizeof(int))] = {0};
	int files[FORK_FILES], n;
	struct fork_ask a;
	struct iovec v = {.iov_base = &a};
	struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = space};
	struct cmsghdr *c;

	n = order_make(&a, &v.iov_len, files, row, e, own, f->room);
	if (n == 0)
		return false;
	m.msg_controllen = CMSG_SPACE((size_t)n * sizeof(int));
	c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN((size_t)n * sizeof(int));
	memcpy(CMSG_DATA(c), files, (size_t)n * sizeof(int));
	return order_send(f, &m);
}

int fork_client_try(const struct fork_client *f, int row)
{
	struct pollfd end = {.fd = f->end, .events = POLLIN};
	const struct timespec nap = {0, TRY_US * 1000};
	uint64_t until = time_after(TRY_MS);
	pid_t pid = fork_client_pid(f, row);

	while (pid == 0 && clock_now_ns() < until && !end_is_asked()) {
		bool ended = ppoll(&end, 1, &nap, NULL) > 0;

		pid = fork_client_pid(f, row);
		if (ended && pid == 0)
			pid = -ECHILD;
	}
	return pid < 0 && pid != -EAGAIN ? pid : 0;
}

pid_t fork_client_pid(const struct fork_client *f, int row)
{
	return f->table != NULL && row < f->rows ? atomic_load(&f->table[row]) : 0;
}

void fork_client_end(struct fork_client *f)
{
	uint64_t until = time_after(STUCK_MS);
	bool ended = false;

	if (f->pid == 0)
		return;
	shutdown(f->sock, SHUT_WR);
	while (!ended && clock_now_ns() < until && !end_is_asked()) {
		ended = fork_await(f->end, POLLIN, time_after(STEP_MS));
		if (server_row(f) < 0)
			continue;
		priority_give(f->pid);
		f->pid = 0; /* a rank, whose end is not ours to wait for */
		ended = true;
	}
	fork_client_kill(f);
}

void fork_client_close(struct fork_client *f)
{
	if (f->table != NULL)
		munmap(f->table, (size_t)f->rows * sizeof(*f->table));
	*f = (struct fork_client){.sock = -1, .end = -1};
}
