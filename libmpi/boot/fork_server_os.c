// SPDX-License-Identifier: BSD-3-Clause
/* fork_server_os.c - one process is started, and forks the ranks of its host: see fork_server.h.
 *
 * Of the CPU time of a rank that starts and ends, exec and the dynamic linker take most.  Here they
 * run once.  The constructor runs before those of all other libraries (-z initfirst), so a rank is
 * an ordinary process from its first constructor on: these run in each rank, with its environment.
 *
 * Nothing is initialised yet, not even libc.  So only system calls are made.  The child is as
 * libc's fork would leave it: the kernel writes its number where libc keeps that of the thread, and
 * is told the list of robust mutexes.  By CLONE_PARENT the child is mpiexec's, not ours: mpiexec
 * waits for it, and PR_SET_PDEATHSIG means mpiexec. */
#include "libmpi/boot/fork_server.h"

#include "libmpi/boot/boot.h"
#include "libmpi/boot/job_list.h"
#include "libmpi/boot/mpiexec_words.h"

#if HAFT_ASAN || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define FORK_ABLE 0 /* this library has code that needs a runtime, or may not be the first */
#elif defined(__x86_64__) || defined(__aarch64__) || defined(__riscv)
#define FORK_ABLE 1
#else
#define FORK_ABLE 0 /* the arguments of clone may have another order */
#endif

#if FORK_ABLE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The server's own; a rank has a copy of it. */
struct fork_server {
	int sock;
	pid_t by; /* mpiexec */
	fork_pid *table;
	int rows;
	int *tid;     /* where libc keeps the number of the thread */
	void *robust; /* its list of robust mutexes */
	size_t robust_len;
	struct rlimit files; /* limit of open files of a rank */
	char *entry[FORK_OWN];
	size_t room[FORK_OWN];
};

/* A rank that is asked for: files[] are behind 0 to 2 what the message says. */
struct fork_order {
	struct fork_ask ask;
	int nfiles, file[FORK_FILES];
};

/* The note by which mpiexec finds out that this library has a fork server. */
__attribute__((used, section(".note.haft.fork"), aligned(4))) static const struct {
	uint32_t name_len, text_len, type;
	char name[8], text[(sizeof(FORK_MARK) + 3) / 4 * 4];
} server_mark = {5, sizeof(FORK_MARK), 1, "Haft", FORK_MARK};

/* True if `s' begins with `head'. */
static bool begins(const char *s, const char *head)
{
	while (*head != '\0' && *s == *head) {
		s++;
		head++;
	}
	return *head == '\0';
}

/* The places of the ranks' variables: the first ones, up to one that is empty. */
static void entries_find(struct fork_server *s, char **envp)
{
	for (int i = 0; i < FORK_OWN && envp[i] != NULL; i++) {
		s->entry[i] = envp[i];
		while (envp[i][s->room[i]] != '\0')
			s->room[i]++;
	}
}

/* --- a rank --------------------------------------------------------------------------------- */

/* Gives the files the numbers that they have in a rank that was started by exec; file[] follows. */
static bool files_move(struct fork_order *o)
{
	int want[FORK_FILES] = {0, 1, 2, o->ask.listen, o->ask.pmi}, n = 3;

	for (int i = 3; i < FORK_FILES; i++)
		if (want[i] >= 0)
			want[n++] = want[i];
	if (n != o->nfiles)
		return false;
	for (int i = 0; i < n; i++) {
		for (int k = i + 1; k < n; k++)
			if (o->file[k] == want[i]) /* in the way */
				o->file[k] =
					(int)syscall(SYS_fcntl, o->file[k], F_DUPFD, want[i] + 1);
		if (o->file[i] == want[i])
			syscall(SYS_fcntl, want[i], F_SETFD, 0);
		else if (syscall(SYS_dup3, o->file[i], want[i], 0) < 0)
			return false;
		else
			syscall(SYS_close, o->file[i]);
		o->file[i] = want[i];
	}
	return true;
}

/* Writes the variables of the rank to their places. */
static void environ_write(const struct fork_server *s, const struct fork_ask *a)
{
	const char *from = a->env;

	for (int i = 0; i < FORK_OWN && *from != '\0'; i++) {
		size_t k = 0;

		for (; k < s->room[i] && from[k] != '\0'; k++)
			s->entry[i][k] = from[k];
		from += k + 1;
		for (; k < s->room[i]; k++)
			s->entry[i][k] = '\0';
	}
}

/* Appends text at *at, below `end'. */
static void words_add(char **at, const char *end, const char *s)
{
	while (*s != '\0' && *at < end)
		*(*at)++ = *s++;
}

/* The rank cannot begin: says so on its stderr, file[2]. */
__attribute__((noreturn)) static void rank_fail(const struct fork_order *o, const char *step)
{
	char words[160], digits[8] = {0}, *at = words, *d = digits + sizeof(digits) - 1;
	const char *end = words + sizeof(words);
	int err = errno;

	do
		*--d = (char)('0' + err % 10);
	while ((err /= 10) != 0 && d > digits);
	words_add(&at, end, "haft: a rank could not be started: ");
	words_add(&at, end, step);
	words_add(&at, end, ": errno ");
	words_add(&at, end, d);
	words_add(&at, end, "\n");
	syscall(SYS_write, o->file[2], words, at - words);
	_exit(EXIT_NONE);
}

/* This process is the rank: does the rest of rank_child_run (tools/mpiexec/rank_start.c), the
 * server having inherited all that is common to ranks. */
static void rank_begin(const struct fork_server *s, struct fork_order *o)
{
	syscall(SYS_set_robust_list, s->robust, s->robust_len);
	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL);
	syscall(SYS_setpgid, 0, 0);
	syscall(SYS_close, s->sock);
	if (syscall(SYS_getppid) != s->by)
		_exit(EXIT_NONE);
	if (!files_move(o))
		rank_fail(o, "its files");
	syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &s->files, NULL);
	if (o->ask.bound == 1 &&
		syscall(SYS_sched_setaffinity, 0, sizeof(o->ask.cpus), o->ask.cpus) < 0)
		rank_fail(o, "the CPUs that it is to be bound to");
	environ_write(s, &o->ask);
}

/* --- the server ----------------------------------------------------------------------------- */

/* A copy of the process would have this thread only.  (Each has a directory; two names more.) */
static bool thread_single(void)
{
	struct stat st;

	return syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) == 0 &&
	       st.st_nlink == 3;
}

/* Prepares.  False: ranks cannot be forked here. */
static bool server_init(struct fork_server *s, const char *list)
{
	struct rlimit all;
	size_t len;
	int fd;

	if (!job_list_int(list, "serve", &s->sock) || !job_list_int(list, "by", &s->by) ||
		!job_list_int(list, "rows", &s->rows) || !job_list_int(list, "table", &fd))
		return false;
	len = (size_t)s->rows * sizeof(*s->table);
	if (!thread_single() || syscall(SYS_prctl, PR_GET_TID_ADDRESS, &s->tid) != 0 ||
		*s->tid != (int)syscall(SYS_gettid) ||
		syscall(SYS_get_robust_list, 0, &s->robust, &s->robust_len) != 0)
		return false;
	s->table = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (s->table == MAP_FAILED || madvise(s->table, len, MADV_DONTFORK) != 0)
		return false;
	syscall(SYS_close, fd);
	if (syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, NULL, &s->files) != 0)
		return false;
	all = (struct rlimit){s->files.rlim_max, s->files.rlim_max};
	return syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &all, NULL) == 0;
}

/* Waits for the next order.  False: there is none any more. */
static bool order_read(const struct fork_server *s, struct fork_order *o)
{
	_Alignas(struct cmsghdr) char space[CMSG_SPACE(sizeof(o->file))];
	struct iovec v = {&o->ask, sizeof(o->ask)};
	struct msghdr m = {.msg_iov = &v,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space)};
	const struct cmsghdr *c;
	long n;

	do
		n = syscall(SYS_recvmsg, s->sock, &m, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	c = CMSG_FIRSTHDR(&m);
	if (n <= (long)offsetof(struct fork_ask, env) || c == NULL || o->ask.row < 0 ||
		o->ask.row >= s->rows)
		return false;
	o->nfiles = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
	for (int i = 0; i < o->nfiles && i < FORK_FILES; i++)
		o->file[i] = ((const int *)(const void *)CMSG_DATA(c))[i];
	return true;
}

/* As fork, but the child is a child of mpiexec, and its number is in the table before either
 * process knows it: mpiexec finds the child even if this process dies now. */
static long rank_fork(const struct fork_server *s, fork_pid *pid)
{
	const long flags = CLONE_PARENT | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID |
			   CLONE_CHILD_CLEARTID | SIGCHLD;

#ifdef __x86_64__
	return syscall(SYS_clone, flags, NULL, pid, s->tid, 0L);
#else
	return syscall(SYS_clone, flags, NULL, pid, 0L, s->tid);
#endif
}

/* There may be no process more: if no other order comes, this process is the rank itself, and the
 * job has no more processes than without a server.  False: it is not. */
static bool server_is_rank(const struct fork_server *s, struct fork_order *o)
{
	int err = errno;
	char c;

	if (err != EAGAIN || syscall(SYS_recvfrom, s->sock, &c, 1L, MSG_PEEK, NULL, NULL) != 0) {
		s->table[o->ask.row] = -err;
		return false;
	}
	s->table[o->ask.row] = (int32_t)syscall(SYS_getpid);
	syscall(SYS_munmap, s->table, (size_t)s->rows * sizeof(*s->table));
	rank_begin(s, o);
	return true;
}

/* Returns in a rank only. */
static void server_run(const struct fork_server *s)
{
	struct fork_order o;
	long pid;

	while (order_read(s, &o)) {
		pid = rank_fork(s, &s->table[o.ask.row]);
		if (pid == 0) {
			rank_begin(s, &o);
			return;
		}
		if (pid < 0 && server_is_rank(s, &o))
			return;
		for (int i = 0; i < o.nfiles; i++)
			syscall(SYS_close, o.file[i]);
	}
	_exit(0);
}

/* The first variable of a rank says whether this process is a fork server.  This constructor is the
 * first of the library, too: the others may read variables, as if libc had begun. */
__attribute__((constructor(101))) HAFT_START static void fork_server_start(
	int argc, char **argv, char **envp)
{
	const char ready = FORK_READY;
	struct fork_server s = {.sock = -1};
	bool is_first = environ == NULL; /* else another library is, and libc has begun */

	(void)argc;
	(void)argv;
	if (is_first)
		environ = envp;
	if (envp == NULL || envp[0] == NULL || !begins(envp[0], BOOT_VAR "=serve="))
		return;
	entries_find(&s, envp);
	/* A program with more rights than its user obeys no variable. */
	if (!is_first || getauxval(AT_SECURE) != 0 ||
		!server_init(&s, envp[0] + sizeof(BOOT_VAR)) ||
		syscall(SYS_write, s.sock, &ready, 1L) != 1)
		_exit(EXIT_NONE);
	server_run(&s);
}
#endif
