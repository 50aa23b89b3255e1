// SPDX-License-Identifier: BSD-3-Clause
/* start_facts.c - the facts that a rank finds at its start, and events of its first moments.
 *
 *     facts          prints all that it finds, a line each: "RANK fact value"
 *     line FILE      appends a line to FILE, before MPI
 *     code N         exits with N times its rank, without MPI
 *     kill WHO       rank 2 sends SIGKILL: to `itself'; to `server', by which others are forked;
 *                    to `mpiexec'.  Or SIGTERM: to `mpiexec-term'; SIGSTOP: to
 *                    `server-stop', and then SIGTERM to mpiexec
 *     spawn N        starts N more, which print facts
 *
 * With START_FACTS=thread it has a thread from its constructor on, with =words it prints there. */
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank;

static void fact(const char *name, const char *value)
{
	printf("%d %s %s\n", rank, name, value);
}

static void fact_number(const char *name, long long v)
{
	printf("%d %s %lld\n", rank, name, v);
}

/* The rank as the environment says, and as a constructor has seen it. */
static int constructed = -1;

static int rank_now(void)
{
	const char *s = getenv("OMPI_COMM_WORLD_RANK");

	return s != NULL ? atoi(s) : -2;
}

/* Of start_library.c, if the program is linked with it. */
extern __attribute__((weak)) int library_rank;

static volatile int thread_runs;

static void *thread_main(void *arg)
{
	thread_runs = 1;
	pause();
	return arg;
}

__attribute__((constructor)) static void begin(void)
{
	const char *what = getenv("START_FACTS");
	pthread_t t;

	constructed = rank_now();
	if (what != NULL && strcmp(what, "words") == 0) {
		printf("constructor of %d\n", constructed);
		fprintf(stderr, "constructor of %d\n", constructed);
	}
	if (what == NULL || strcmp(what, "thread") != 0)
		return;
	if (pthread_create(&t, NULL, thread_main, NULL) != 0)
		abort();
	while (!thread_runs)
		usleep(1000);
}

/* The lines of a file that begin with a word; "": all. */
static void fact_file(const char *name, const char *path, const char *begin)
{
	FILE *f = fopen(path, "r");
	char line[4096];

	while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, begin, strlen(begin)) == 0)
			fact(name, line);
	}
	if (f != NULL)
		fclose(f);
}

static void fact_link(const char *name, const char *path)
{
	char to[4096];
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	to[n > 0 ? n : 0] = '\0';
	fact(name, to);
}

/* The variables, but for numbers that are those of the job; the kernel's copy has each, too. */
static void facts_environ(char **envp)
{
	static char kernel[1 << 20];
	int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
	ssize_t len = 0, n = 1;

	while (n > 0 && (n = read(fd, kernel + len, sizeof(kernel) - 1 - (size_t)len)) > 0)
		len += n;
	close(fd);
	fact_number("main has environ", envp == environ);
	for (char **e = environ; *e != NULL; e++) {
		char *by = strstr(*e, ",by="), *cookie = strstr(*e, ",cookie=");
		char text[8192];

		if (memmem(kernel, (size_t)len, *e, strlen(*e) + 1) == NULL)
			fact("kernel has not", *e);
		if (strncmp(*e, "HAFT_START_BY=", 14) == 0)
			continue;
		snprintf(text, sizeof(text), "%s", *e);
		if (strncmp(*e, "HAFT_JOB=", 9) == 0 && by != NULL && cookie != NULL)
			snprintf(text, sizeof(text), "%.*s%s", (int)(by - *e), *e, cookie + 25);
		fact("variable", text);
	}
}

static int fd_less(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void facts_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *e;
	int fds[256], n = 0;

	while ((e = readdir(d)) != NULL)
		if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d))
			fds[n++] = atoi(e->d_name);
	closedir(d);
	qsort(fds, (size_t)n, sizeof(*fds), fd_less);
	for (int i = 0; i < n; i++) {
		char text[128];
		struct stat st;

		fstat(fds[i], &st);
		snprintf(text, sizeof(text), "%d: type %o, flags %x, close-on-exec %d", fds[i],
			st.st_mode & S_IFMT, fcntl(fds[i], F_GETFL), fcntl(fds[i], F_GETFD));
		fact("file", text);
	}
}

static void facts_limits(void)
{
	for (int i = 0; i < RLIM_NLIMITS; i++) {
		char text[128];
		struct rlimit r;

		getrlimit(i, &r);
		snprintf(text, sizeof(text), "%d: %llx %llx", i, (unsigned long long)r.rlim_cur,
			(unsigned long long)r.rlim_max);
		fact("limit", text);
	}
}

static void facts_signals(void)
{
	static const char *const names[] = {"SigQ:\t0", "SigPnd", "ShdPnd", "SigBlk", "SigIgn",
		"SigCgt", "Threads", "NoNewPrivs", "Seccomp:", "CapEff", "Groups", "Uid", "Gid"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		fact_file("status", "/proc/self/status", names[i]);
}

/* The attributes of its scheduling, as bytes, its CPUs, and its share of memory. */
static void facts_schedule(void)
{
	unsigned char attr[48] = {0};
	char text[128] = "";
	cpu_set_t set;

	syscall(SYS_sched_getattr, 0, attr, sizeof(attr), 0);
	for (size_t i = 0; i < sizeof(attr); i++)
		snprintf(text + 2 * i, 3, "%02x", attr[i]);
	fact("schedule", text);
	CPU_ZERO(&set);
	sched_getaffinity(0, sizeof(set), &set);
	*text = '\0';
	for (int i = 0; i < 64; i++)
		snprintf(text + i, 2, "%d", CPU_ISSET(i, &set));
	fact("CPUs", text);
	fact_file("oom_score_adj", "/proc/self/oom_score_adj", "");
}

/* libc knows this thread: its number is the kernel's, and it can make others. */
static void facts_thread(void)
{
	pthread_mutexattr_t a;
	pthread_mutex_t m;
	pthread_t t;
	clockid_t clock = 0;
	void *robust = NULL;
	size_t len = 0;
	int sig = 0;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK); /* it keeps the owner's number */
	pthread_mutex_init(&m, &a);
	fact_number("lock", pthread_mutex_lock(&m));
	fact_number("lock again", pthread_mutex_lock(&m));
	fact_number("number", gettid() == getpid());
	fact_number("clock", pthread_getcpuclockid(pthread_self(), &clock));
	fact_number("libc's number", ~(clock >> 3) == gettid()); /* from it libc makes the clock */
	fact_number("pthread_kill", pthread_kill(pthread_self(), 0));
	fact_number("pthread_create", pthread_create(&t, NULL, thread_main, NULL));
	fact_number("pthread_cancel", pthread_cancel(t));
	fact_number("pthread_join", pthread_join(t, NULL));
	fact_number(
		"robust", syscall(SYS_get_robust_list, 0, &robust, &len) == 0 && robust != NULL);
	prctl(PR_GET_PDEATHSIG, &sig);
	fact_number("dies with mpiexec", sig);
}

static void facts(int argc, char **argv, char **envp)
{
	char text[4096];
	const unsigned long *random = (const void *)getauxval(AT_RANDOM);

	printf("random %lx\n", *random);
	for (int i = 0; i < argc; i++)
		fact("argument", argv[i]);
	fact_number("constructor has seen rank", constructed);
	fact_number("library has seen rank", &library_rank != NULL ? library_rank : rank);
	facts_environ(envp);
	facts_files();
	facts_limits();
	facts_signals();
	facts_schedule();
	facts_thread();
	fact_link("exe", "/proc/self/exe");
	fact_file("cmdline", "/proc/self/cmdline", "");
	fact_file("comm", "/proc/self/comm", "");
	snprintf(text, sizeof(text), "/proc/%d/exe", getppid());
	fact_link("parent", text);
	fact_link("cwd", "/proc/self/cwd");
	fact_number("umask", umask(0));
	fact_number("group", getpgrp() == getpid());
	fact_number("session", getsid(0) == getsid(getppid()));
	if (fgets(text, sizeof(text), stdin) != NULL)
		fact("stdin", text);
}

/* The process number of the fork server: a child of mpiexec whose HAFT_JOB says so. */
static int server_find(void)
{
	static char text[65536];
	char path[64];
	FILE *f;
	int pid, found = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", getppid(), getppid());
	f = fopen(path, "r");
	while (f != NULL && found == 0 && fscanf(f, "%d", &pid) == 1) {
		FILE *e;
		size_t n;

		snprintf(path, sizeof(path), "/proc/%d/environ", pid);
		e = fopen(path, "r");
		n = e != NULL ? fread(text, 1, sizeof(text), e) : 0;
		if (memmem(text, n, "HAFT_JOB=serve=", 15) != NULL)
			found = pid;
		if (e != NULL)
			fclose(e);
	}
	return found;
}

static void killer(const char *who)
{
	int pid = 0, sig = SIGKILL;

	if (rank_now() != 2)
		sleep(100000);
	if (strcmp(who, "itself") == 0)
		raise(SIGKILL);
	if (strncmp(who, "server", 6) == 0)
		pid = server_find();
	else
		pid = getppid();
	if (strstr(who, "-term") != NULL)
		sig = SIGTERM;
	else if (strstr(who, "-stop") != NULL)
		sig = SIGSTOP;
	kill(pid > 0 ? pid : getpid(), pid > 0 ? sig : SIGKILL);
	if (sig == SIGSTOP && usleep(300000) == 0)
		kill(getppid(), SIGTERM);
	sleep(100000);
}

static void spawn_more(char *self, const char *n)
{
	char *more[] = {(char *)"facts", NULL};
	MPI_Comm parent, c;

	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL)
		MPI_Comm_spawn(self, more, atoi(n), MPI_INFO_NULL, 0, MPI_COMM_WORLD, &c,
			MPI_ERRCODES_IGNORE);
}

int main(int argc, char **argv, char **envp)
{
	const char *what = argc > 1 ? argv[1] : "facts", *arg = argc > 2 ? argv[2] : "";

	rank = rank_now();
	if (strcmp(what, "code") == 0)
		return atoi(arg) * rank;
	if (strcmp(what, "kill") == 0)
		killer(arg);
	if (strcmp(what, "line") == 0) {
		int fd = open(arg, O_WRONLY | O_APPEND | O_CREAT, 0600);

		if (write(fd, "line\n", 5) != 5)
			abort();
		close(fd);
	}
	if (strcmp(what, "facts") == 0)
		facts(argc, argv, envp);
	MPI_Init(&argc, &argv);
	if (strcmp(what, "spawn") == 0)
		spawn_more(argv[0], arg);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	fact_number("finalize", MPI_Finalize());
	return 0;
}
