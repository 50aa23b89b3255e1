// SPDX-License-Identifier: BSD-3-Clause
/* run.c - runs the tests: one line a test, the output of those that failed, and the sum.
 *
 *     run [-b BUILD] [-o LOG] [-x FACTOR] [-j N] [-g MS] [-t S] [-r N] [-n NP] [-w WORDS]
 *         [-s WAY] [-l] [unit SRC...] [mpi SRC...] [script SRC...]
 *
 *     run ──► keeper (one per test, a subreaper) ──► the test, in a process group of its own
 *                                                       └─► mpiexec, ranks, whatever it starts
 *
 * A test is named by its source.  Its orders are the lines `RUN ...' among its first lines, each
 * of which is carried out:
 *
 *     RUN np=1,2,4 time=SECONDS rc=N args="..." env="A=1 B=2|3" alone idle
 *
 * np: a test runs once for each, under BUILD/bin/mpiexec -n NP (np=0: alone, without mpiexec).  An
 * MPI test needs it; a unit test without it runs once, alone.
 * Words of env and args may have alternatives, `B=2|3': the test runs with each of them, and if
 * several words have some, with every combination.  An order of several, or a combination, whose
 * variables are in the environment anyway is left out: another order has run it.
 * time: the limit in seconds, if it is more than TIME_LIMIT or -t (times FACTOR).
 * rc: the exit code expected (0).
 * env: variables of this test; B (the build directory) is always there.
 * alone: nothing runs beside it; tests of more than two processes always do so.
 * idle: it sleeps nearly all of its time, and does not count among those that run side by side.
 *
 * Exit code 0 is ok, 77 is skip (the line `skipped: ...' of its output says why), all else failed.
 * A test must leave nothing behind: no process (its keeper, a subreaper, inherits the orphans), no
 * file in the TMPDIR that it was given, no file of our name in /dev/shm and /tmp.
 *
 * -r N: tests that have failed are run again, each alone, after all others, up to N times.  One
 * that passes then is said to have failed first, with all its output: it is to be mended.  Where
 * many fail (AGAIN_MAX) none is run again.
 *
 * -n NP: the runs of at most NP processes.  -w WORDS: stand before a program, unit or MPI
 * (valgrind and its options).
 *
 * -s block, -s round: the ranks of each MPI test are spread over two hosts, which are such in name
 * only (-launcher fork): the first half to one and the others to the other, or round-robin.  A test
 * of one process does not run then. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TIME_LIMIT   400   /* seconds a test may take, at least, on a machine however slow */
#define GRACE_MS     20000 /* processes of a test may outlive it so long, on a slow machine */
#define SIDE_BY_SIDE 2     /* tests at a time; the reference machine has two cores */
#define AT_ONCE      16    /* at most, with those that are idle */
#define HEAD_MAX     4096  /* bytes of a source in which its RUN line is looked for */
#define NP_MAX       16    /* runs of one test */
#define ARGV_MAX     64    /* words of a command */
#define SHOW_MAX     12000 /* bytes of a failed test's output that are shown; the log has all */
#define AGAIN_MAX    16 /* tests that are run again, at most: if more fail, it is not by chance */
#define AGAIN_S      2  /* seconds before that: the rest of a failed run is older than the next */
#define LOG_MAX      (1L << 24) /* bytes of it that the log has */
#define PATH_LEN     1024

enum kind { UNIT, MPI, SCRIPT };
enum spread { ONE_HOST, BLOCK, ROUND };
enum result { OK, FAIL, SKIP };

/* One run of one test. */
struct job {
	enum kind kind;
	const char *src; /* path from the top, as in files.mk */
	char name[256];  /* src without tests/ and suffix */
	int np;          /* MPI only; 0: started without mpiexec */
	int row;         /* which of the runs that its orders ask for, from 0 */
	int limit;       /* seconds */
	int rc;          /* exit code to expect */
	int alone, idle;
	int runs;    /* how often it has run */
	int failing; /* the last run has failed, and there may be another */
	int chance;  /* it has passed after that */
	double took; /* seconds of the last run */
	char args[512], env[512];
	char out[PATH_LEN];    /* file with its output */
	char before[PATH_LEN]; /* with that of the run before */
	char tmp[PATH_LEN];    /* its TMPDIR */
	pid_t keeper;          /* 0: not started */
	int fd;                /* the keeper's verdict arrives here */
	struct timespec start;
};

/* A keeper writes this through its pipe. */
struct verdict {
	int status;          /* as from waitpid */
	int timeout;         /* 1: killed at the limit */
	int left;            /* processes left behind, killed by the keeper */
	char file[PATH_LEN]; /* a file left behind */
};

static const char *build = "build/release";
static const char *log_path;
static int factor = 1, width = SIDE_BY_SIDE, grace = GRACE_MS, least = TIME_LIMIT;
static int only_list, again, most = INT_MAX;
static char wrap[512]; /* -w */
static enum spread spread;
static struct job *jobs;
static int njobs;
static FILE *log_file;
static int sum[3], nfailing;

__attribute__((noreturn, format(printf, 1, 2))) static void run_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("run: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(2);
}

static void make_dirs(const char *path)
{
	char part[PATH_LEN];

	for (size_t i = 0; path[i] != '\0' && i + 2 < sizeof(part); i++) {
		part[i] = path[i];
		part[i + 1] = '\0';
		if (path[i + 1] == '/' || path[i + 1] == '\0')
			mkdir(part, 0777);
	}
}

static int entry_remove(const char *path, const struct stat *st, int flag, struct FTW *at)
{
	(void)st;
	(void)flag;
	return at->level > 0 ? remove(path) : 0;
}

/* An empty directory, whatever an earlier run has left in it. */
static void dir_make(const char *path)
{
	make_dirs(path);
	nftw(path, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

static double seconds_since(const struct timespec *t)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->tv_sec) + 1e-9 * (double)(now.tv_nsec - t->tv_nsec);
}

/* --- orders --------------------------------------------------------------------------------- */

/* The value of `key' in the order line, quotes removed, into buf; 0 if the line has no such key. */
static int order_get(const char *line, const char *key, char *buf, size_t len)
{
	size_t n = strlen(key), i = 0;
	char end = ' ';

	for (line = strstr(line, key); line != NULL; line = strstr(line + 1, key))
		if (line[-1] == ' ' && line[n] == '=')
			break;
	if (line == NULL)
		return 0;
	line += n + 1;
	if (*line == '"')
		end = *line++;
	while (*line != '\0' && *line != end && i + 1 < len)
		buf[i++] = *line++;
	buf[i] = '\0';
	return 1;
}

/* The first HEAD_MAX bytes of a source. */
static void head_read(const char *src, char *head)
{
	FILE *f = fopen(src, "r");
	size_t n;

	if (f == NULL)
		run_die("%s: %s", src, strerror(errno));
	n = fread(head, 1, HEAD_MAX, f);
	fclose(f);
	head[n] = '\0';
}

/* Does a comment's line begin at p, with nothing of it before p but its marks? */
static int is_line(const char *head, const char *p)
{
	const char *q = p;

	while (q > head && strchr("#!/*", q[-1]) != NULL)
		q--;
	if (q == p)
		return 0;
	if (q > head && q[-1] == ' ' && *q == '*')
		q--;
	return q == head || q[-1] == '\n';
}

/* The next RUN line at or after `at' in a head; returns where to look for the one after it, or NULL
 * if there is none. */
static const char *order_next(const char *head, const char *at, char *line, size_t len)
{
	const char *p;
	size_t n;

	line[0] = '\0';
	for (p = strstr(at, " RUN "); p != NULL; p = strstr(p + 1, " RUN "))
		if (is_line(head, p))
			break;
	if (p == NULL)
		return NULL;
	n = strcspn(p, "\n");
	snprintf(line, len, "%.*s", (int)n, p);
	if (strstr(line, "*/") != NULL)
		*strstr(line, "*/") = '\0';
	n = strlen(line);
	snprintf(line + n, len - n, " ");
	return p + 1;
}

/* Picks of words with alternatives (`A=1|2 B=3') the combination number *k, and takes its part
 * from *k: the rest chooses among other words. */
static void combination_pick(const char *words, int *k, char *buf, size_t len)
{
	size_t at = 0;

	buf[0] = '\0';
	for (const char *p = words; *p != '\0'; p += strspn(p, " ")) {
		size_t n = strcspn(p, " "), name = strcspn(p, "=|"), i;
		const char *alt = p;
		int nalt = 1, which;

		name = p[name] == '=' && name < n ? name + 1 : 0;
		for (i = 0; i < n; i++)
			nalt += p[i] == '|';
		which = *k % nalt;
		*k /= nalt;
		for (alt += name; which > 0; which--)
			alt += strcspn(alt, "|") + 1;
		i = strcspn(alt, "| ");
		at += (size_t)snprintf(buf + at, len - at, "%s%.*s%.*s", at > 0 ? " " : "",
			(int)name, p, (int)i, alt);
		if (at >= len)
			run_die("too many words: %s", words);
		p += n;
	}
}

/* Has the environment all these variables already? */
static int env_is_set(const char *env)
{
	char words[512], *save = NULL;

	snprintf(words, sizeof(words), "%s", env);
	for (char *p = strtok_r(words, " ", &save); p != NULL; p = strtok_r(NULL, " ", &save)) {
		char *value = strchr(p, '=');

		if (value == NULL)
			return 0;
		*value++ = '\0';
		if (getenv(p) == NULL || strcmp(getenv(p), value) != 0)
			return 0;
	}
	return 1;
}

static void paths_make(struct job *j)
{
	char flat[256];

	snprintf(flat, sizeof(flat), "%s", j->name);
	for (char *p = flat; *p != '\0'; p++)
		if (*p == '/')
			*p = '-';
	snprintf(j->out, sizeof(j->out), "%s/tests/out/%s.%d.%d.out", build, flat, j->np, j->row);
	snprintf(j->before, sizeof(j->before), "%s/tests/out/%s.%d.%d.before", build, flat, j->np,
		j->row);
	snprintf(j->tmp, sizeof(j->tmp), "%s/tests/out/%s.%d.%d.tmp", build, flat, j->np, j->row);
}

/* The job of one order, one np and one combination of its alternatives; 0 if there is no such
 * combination. */
static int job_add(enum kind kind, const char *src, const char *order, int np, int k, int row)
{
	const char *name = strncmp(src, "tests/", 6) == 0 ? src + 6 : src;
	char val[512];
	int combination = k;
	struct job j = {.kind = kind, .src = src, .np = np, .limit = least, .row = row};

	snprintf(j.name, sizeof(j.name), "%.*s", (int)strcspn(name, "."), name);
	if (order_get(order, "env", val, sizeof(val)))
		combination_pick(val, &k, j.env, sizeof(j.env));
	if (order_get(order, "args", val, sizeof(val)))
		combination_pick(val, &k, j.args, sizeof(j.args));
	if (k > 0)
		return 0;
	if (order_get(order, "time", val, sizeof(val)))
		j.limit = atoi(val) > least ? atoi(val) : least;
	if (order_get(order, "rc", val, sizeof(val)))
		j.rc = atoi(val);
	j.limit *= factor;
	j.alone = np > 2 || strstr(order, " alone ") != NULL;
	j.idle = !j.alone && strstr(order, " idle ") != NULL;
	paths_make(&j);
	if (j.env[0] != '\0' && row + combination > 0 && j.args[0] == '\0' && env_is_set(j.env))
		return 1;
	jobs = realloc(jobs, (size_t)(njobs + 1) * sizeof(*jobs));
	if (jobs == NULL)
		run_die("no memory");
	jobs[njobs++] = j;
	return 1;
}

/* All combinations of the alternatives of an order, for one np; returns how many rows there are
 * then. */
static int combinations_add(enum kind kind, const char *src, const char *order, int np, int row)
{
	for (int k = 0; job_add(kind, src, order, np, k, row); k++)
		row++;
	return row;
}

/* The jobs of a test: one, or one for each order, np and combination. */
static void test_add(enum kind kind, const char *src)
{
	char head[HEAD_MAX + 1], order[1024], np[128];
	const char *at = head;
	char *save = NULL;
	int row = 0;

	head_read(src, head);
	at = order_next(head, at, order, sizeof(order));
	if (kind == UNIT && at != NULL && order_get(order, "np", np, sizeof(np)))
		kind = MPI;
	if (kind != MPI) {
		do
			row = combinations_add(kind, src, order, 1, row);
		while (at != NULL && (at = order_next(head, at, order, sizeof(order))) != NULL);
		return;
	}
	if (at == NULL)
		run_die("%s: no line /* RUN np=... */ among its first lines", src);
	for (; at != NULL; at = order_next(head, at, order, sizeof(order))) {
		if (!order_get(order, "np", np, sizeof(np)))
			run_die("%s: no np=... in a line RUN", src);
		for (char *p = strtok_r(np, ",", &save); p != NULL; p = strtok_r(NULL, ",", &save))
			if (atoi(p) <= most && (spread == ONE_HOST || atoi(p) > 1))
				row = combinations_add(kind, src, order, atoi(p), row);
	}
}

/* --- leftovers in the file system ----------------------------------------------------------- */

/* ThreadSanitizer's file of a process that was killed between two of its first system calls. */
static int file_is_tsan(const char *name)
{
	return strncmp(name, "tsan.rodata.", strlen("tsan.rodata.")) == 0;
}

/* Files of ours in `dir' that are not older than the test: name into buf.  `ours' is a part of the
 * name, or NULL if every file counts.  (We make no directories in /tmp; people do, for a clone.) */
static int file_find(const char *dir, const char *ours, const struct job *j, char *buf, size_t len)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	struct stat st;
	time_t begin = time(NULL) - (time_t)seconds_since(&j->start) - 1;
	int n = 0;

	while (d != NULL && (e = readdir(d)) != NULL) {
		if (e->d_name[0] == '.' || (ours != NULL && strstr(e->d_name, ours) == NULL))
			continue;
		if (file_is_tsan(e->d_name))
			continue;
		if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (st.st_uid != getuid() ||
			(ours != NULL && (st.st_mtime < begin || S_ISDIR(st.st_mode))))
			continue;
		snprintf(buf, len, "%s/%s", dir, e->d_name);
		n++;
	}
	if (d != NULL)
		closedir(d);
	return n;
}

/* A file that the test has left: name into buf.  Those in directories that others use as well may
 * be theirs, and go: so they are waited for. */
static int file_left(const struct job *j, char *buf, size_t len)
{
	struct timespec ms = {.tv_nsec = 10000000}, start;

	if (file_find(j->tmp, NULL, j, buf, len) > 0)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &start);
	while (file_find("/dev/shm", "haft", j, buf, len) > 0 ||
		file_find("/tmp", "haft", j, buf, len) > 0) {
		if (seconds_since(&start) * 1e3 > grace)
			return 1;
		nanosleep(&ms, NULL);
	}
	buf[0] = '\0';
	return 0;
}

/* --- the keeper ----------------------------------------------------------------------------- */

/* The words of s at argv[n] and on, and a NULL; where that is. */
static int words_split(char *s, const char **argv, int n)
{
	char *save = NULL;

	for (char *p = strtok_r(s, " ", &save); p != NULL; p = strtok_r(NULL, " ", &save))
		if (n < ARGV_MAX - 1)
			argv[n++] = p;
	argv[n] = NULL;
	return n;
}

static void env_put(char *s)
{
	char *save = NULL;

	for (char *p = strtok_r(s, " ", &save); p != NULL; p = strtok_r(NULL, " ", &save))
		putenv(p);
}

/* No signal is ignored or blocked, although nohup or a shell's background job may have set that. */
static void signals_reset(void)
{
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The words that start NP ranks, from argv[n] on; returns how many words there are then. */
static int mpiexec_put(const char **argv, int n, int np)
{
	static char path[PATH_LEN], number[16], hosts[64];

	snprintf(path, sizeof(path), "%s/bin/mpiexec", build);
	snprintf(number, sizeof(number), "%d", np);
	argv[n++] = path;
	if (spread != ONE_HOST) {
		snprintf(hosts, sizeof(hosts), "one:%d,two:%d", np - np / 2, np / 2);
		argv[n++] = "-launcher";
		argv[n++] = "fork";
		argv[n++] = "-hosts";
		argv[n++] = hosts;
	}
	if (spread == ROUND)
		argv[n++] = "-rr";
	argv[n++] = "-n";
	argv[n++] = number;
	return n;
}

/* In the test's own process: becomes the test. */
__attribute__((noreturn)) static void test_exec(struct job *j)
{
	char prog[PATH_LEN], full[PATH_MAX];
	const char *argv[ARGV_MAX];
	int n = 0;
	int in = open("/dev/null", O_RDONLY);
	int out = open(j->out, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);

	signals_reset();
	setpgid(0, 0);
	umask(022);
	dup2(in, 0);
	dup2(out, 1);
	dup2(out, 2);
	setenv("B", build, 1);
	setenv("HAFT_CONF", "none", 1); /* a developer's own defaults change no test */
	if (realpath(j->tmp, full) != NULL)
		setenv("TMPDIR", full, 1);
	env_put(j->env);
	snprintf(prog, sizeof(prog), "%s/tests/%s", build, j->name);
	if (j->kind == SCRIPT) {
		argv[n++] = "sh";
		argv[n++] = j->src;
	} else {
		if (j->kind == MPI && j->np > 0)
			n = mpiexec_put(argv, n, j->np);
		n = words_split(wrap, argv, n);
		argv[n++] = prog;
	}
	words_split(j->args, argv, n);
	execvp(argv[0], (char *const *)(uintptr_t)argv);
	fprintf(stderr, "run: %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Kills the children of this process, again and again until no descendant is left. */
static void children_kill(void)
{
	char path[64];
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	for (;;) {
		FILE *f = fopen(path, "r");

		while (f != NULL && fscanf(f, "%d", &pid) == 1)
			kill(pid, SIGKILL);
		if (f != NULL)
			fclose(f);
		if (waitpid(-1, NULL, 0) < 0)
			return;
	}
}

/* The processes that the test left behind after the grace; they are killed. */
static int leftover_count(void)
{
	struct timespec ms = {.tv_nsec = 10000000}, start;
	int n = 0;
	pid_t pid;

	clock_gettime(CLOCK_MONOTONIC, &start);
	while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0) {
		if (pid > 0)
			continue;
		if (seconds_since(&start) * 1e3 > grace) {
			n++;
			break;
		}
		nanosleep(&ms, NULL);
	}
	if (n > 0)
		children_kill();
	return n;
}

/* Runs the test and writes the verdict.  Never returns. */
__attribute__((noreturn)) static void keeper_main(struct job *j, int fd)
{
	struct verdict v = {0};
	struct timespec limit = {.tv_sec = j->limit};
	sigset_t set;
	pid_t pid;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	pid = fork();
	if (pid == 0)
		test_exec(j);
	setpgid(pid, pid);
	while (waitpid(pid, &v.status, WNOHANG) == 0) {
		/* Orphans that end wake us as well; the limit has a second's slack. */
		struct timespec tick = {.tv_sec = 1};

		/* SIGTERM: the runner has gone. */
		if (sigtimedwait(&set, NULL, &tick) != SIGTERM &&
			seconds_since(&j->start) < (double)limit.tv_sec)
			continue;
		v.timeout = 1;
		kill(-pid, SIGKILL);
		children_kill();
		break;
	}
	if (!v.timeout) {
		v.left = leftover_count();
		file_left(j, v.file, sizeof(v.file));
	}
	_exit(write(fd, &v, sizeof(v)) != sizeof(v));
}

/* --- running -------------------------------------------------------------------------------- */

__attribute__((format(printf, 1, 2))) static void run_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	fflush(stdout);
	if (log_file == NULL)
		return;
	va_start(ap, fmt);
	vfprintf(log_file, fmt, ap);
	va_end(ap);
	fflush(log_file);
}

static void output_copy(const char *path, FILE *to, long max)
{
	FILE *f = fopen(path, "r");
	char line[2048];
	long at = 0;

	if (f == NULL)
		return;
	fseek(f, 0, SEEK_END);
	if (ftell(f) > max) {
		at = ftell(f) - max;
		fprintf(to, "    (the last %ld bytes)\n", max);
	}
	fseek(f, at, SEEK_SET);
	while (fgets(line, sizeof(line), f) != NULL)
		fprintf(to, "    %s%s", line, strchr(line, '\n') != NULL ? "" : "\n");
	fclose(f);
	fflush(to);
}

/* Why a test was skipped: its line `skipped: ...', or the last one. */
static void output_reason(const char *path, char *why, size_t len)
{
	static const char mark[] = "skipped: ";
	FILE *f = fopen(path, "r");
	char line[256];
	bool marked = false;

	while (f != NULL && !marked && fgets(line, sizeof(line), f) != NULL) {
		marked = strncmp(line, mark, sizeof(mark) - 1) == 0;
		line[strcspn(line, "\n")] = '\0';
		snprintf(why, len, "%s", marked ? line + sizeof(mark) - 1 : line);
	}
	if (f != NULL)
		fclose(f);
}

/* Ok, skip or failed, and why in words. */
static enum result job_judge(const struct job *j, const struct verdict *v, char *why, size_t len)
{
	int code = WIFEXITED(v->status) ? WEXITSTATUS(v->status) : -1;

	if (v->timeout)
		snprintf(why, len, "killed after its %d s", j->limit);
	else if (WIFSIGNALED(v->status))
		snprintf(why, len, "signal %d", WTERMSIG(v->status));
	else if (code == 77 && j->rc != 77) {
		output_reason(j->out, why, len);
		return SKIP;
	} else if (code != j->rc)
		snprintf(why, len, "exit code %d, not %d", code, j->rc);
	else if (v->left > 0)
		snprintf(why, len, "left processes behind");
	else if (v->file[0] != '\0')
		snprintf(why, len, "left %s behind", v->file);
	else
		return OK;
	return FAIL;
}

static void job_start(struct job *j)
{
	int fd[2];

	dir_make(j->tmp);
	unlink(j->before);
	rename(j->out, j->before);
	if (pipe2(fd, O_CLOEXEC) != 0)
		run_die("pipe: %s", strerror(errno));
	fflush(NULL);
	clock_gettime(CLOCK_MONOTONIC, &j->start);
	j->keeper = fork();
	if (j->keeper < 0)
		run_die("fork: %s", strerror(errno));
	if (j->keeper == 0) {
		close(fd[0]);
		keeper_main(j, fd[1]);
	}
	close(fd[1]);
	j->fd = fd[0];
}

/* One line about a run of a test. */
static void job_say(const struct job *j, const char *word, const char *why)
{
	char np[16] = "";

	if (j->kind == MPI)
		snprintf(np, sizeof(np), "np=%d", j->np);
	run_say("%-5s %-40s %-6s %7.2f s%s%s%s%s\n", word, j->name, np, j->took,
		why[0] != '\0' ? "  " : "", why, j->env[0] != '\0' ? "  " : "", j->env);
}

/* A run of a test of which there may be another, if it has failed, or already was one. */
static void again_judge(struct job *j, enum result res, const char *why)
{
	char words[PATH_LEN + 128];

	if (res == FAIL && j->runs <= again) {
		nfailing += j->runs == 1;
		j->failing = 1;
		snprintf(words, sizeof(words), "%s; is run again after all others", why);
		job_say(j, "fails", words);
		return;
	}
	j->failing = 0;
	j->chance = res == OK;
	snprintf(words, sizeof(words), "failed %d of %d runs%s%s", j->runs - j->chance, j->runs,
		why[0] != '\0' ? ": " : "", why);
	job_say(j, j->chance ? "again" : "FAIL", words);
	output_copy(j->chance ? j->before : j->out, stdout, SHOW_MAX);
	sum[j->chance ? OK : FAIL]++;
}

static void job_end(struct job *j)
{
	static const char *const words[] = {"ok", "FAIL", "skip"};
	struct verdict v = {.status = -1};
	char why[PATH_LEN + 64] = "";
	enum result res;

	if (read(j->fd, &v, sizeof(v)) != sizeof(v))
		v.timeout = 1;
	close(j->fd);
	waitpid(j->keeper, NULL, 0);
	j->runs++;
	j->took = seconds_since(&j->start);
	res = job_judge(j, &v, why, sizeof(why));
	if (j->failing || (res == FAIL && again > 0)) {
		again_judge(j, res, why);
	} else {
		job_say(j, words[res], why);
		sum[res]++;
		if (res == FAIL)
			output_copy(j->out, stdout, SHOW_MAX);
	}
	if (log_file != NULL)
		output_copy(j->out, log_file, LOG_MAX);
	rmdir(j->tmp);
}

/* The jobs that run just now. */
static struct {
	struct pollfd p[AT_ONCE];
	struct job *job[AT_ONCE];
	int n, busy; /* busy: those that are not idle */
} on;

/* Starts jobs of one kind, from number `next' on, as long as `n' are not busy and there is room. */
static int jobs_start(int alone, int idle, int next, int n)
{
	for (; next < njobs && on.n < AT_ONCE && on.busy < n; next++) {
		struct job *j = &jobs[next];

		if (j->alone != alone || j->idle != idle)
			continue;
		job_start(j);
		on.p[on.n] = (struct pollfd){.fd = j->fd, .events = POLLIN};
		on.job[on.n++] = j;
		on.busy += !idle;
	}
	return next;
}

/* Waits until a job ends. */
static void jobs_wait(void)
{
	if (poll(on.p, (nfds_t)on.n, -1) < 0)
		run_die("poll: %s", strerror(errno));
	for (int i = on.n - 1; i >= 0; i--) {
		if (on.p[i].revents == 0)
			continue;
		job_end(on.job[i]);
		on.busy -= !on.job[i]->idle;
		on.n--;
		on.job[i] = on.job[on.n];
		on.p[i] = on.p[on.n];
	}
}

/* Runs the jobs whose `alone' is as said, at most `n' at a time, and beside them those that are
 * idle.
 */
static void jobs_run(int alone, int n)
{
	int idle = 0, next = 0;

	for (;;) {
		idle = jobs_start(alone, 1, idle, n);
		next = jobs_start(alone, 0, next, n);
		if (on.n == 0)
			return;
		jobs_wait();
	}
}

/* Runs those that have failed once more, unless they are too many. */
static void again_run(void)
{
	if (nfailing > 0 && nfailing <= AGAIN_MAX)
		sleep(AGAIN_S);
	for (int i = 0; i < njobs; i++) {
		struct job *j = &jobs[i];

		while (j->failing && nfailing <= AGAIN_MAX) {
			job_start(j);
			job_end(j);
		}
		if (!j->failing)
			continue;
		job_say(j, "FAIL", "one of too many to be run again");
		output_copy(j->out, stdout, SHOW_MAX);
		sum[FAIL]++;
	}
}

/* Names those that have passed only when they were run again. */
static void chance_say(void)
{
	const char *comma = "";
	int n = 0;

	for (int i = 0; i < njobs; i++)
		n += jobs[i].chance;
	if (n == 0)
		return;
	run_say("%d tests failed first and passed when run again:", n);
	for (int i = 0; i < njobs; i++) {
		if (!jobs[i].chance)
			continue;
		run_say("%s %s", comma, jobs[i].name);
		if (jobs[i].kind == MPI)
			run_say(" np=%d", jobs[i].np);
		comma = ",";
	}
	run_say("\n");
}

static enum spread spread_of(const char *word)
{
	if (strcmp(word, "block") != 0 && strcmp(word, "round") != 0)
		run_die("-s wants block or round");
	return word[0] == 'b' ? BLOCK : ROUND;
}

static void args_read(int argc, char **argv)
{
	static const char *const kinds[] = {"unit", "mpi", "script"};
	enum kind kind = UNIT;
	int c;

	while ((c = getopt(argc, argv, "+b:o:x:j:g:t:r:n:w:s:l")) != -1) {
		switch (c) {
		case 'b': build = optarg; break;
		case 'o': log_path = optarg; break;
		case 'x': factor = atoi(optarg); break;
		case 'j': width = atoi(optarg); break;
		case 'g': grace = atoi(optarg); break;
		case 't': least = atoi(optarg); break;
		case 'r': again = atoi(optarg); break;
		case 'n': most = atoi(optarg); break;
		case 'w': snprintf(wrap, sizeof(wrap), "%s", optarg); break;
		case 's': spread = spread_of(optarg); break;
		case 'l': only_list = 1; break;
		default: exit(2);
		}
	}
	if (width < 1 || width > 16 || factor < 1 || again < 0 || most < 0)
		run_die("-j wants 1 to 16, -x at least 1, -r and -n at least 0");
	for (int i = optind; i < argc; i++) {
		int is_kind = 0;

		for (enum kind k = UNIT; k <= SCRIPT; k++) {
			if (strcmp(argv[i], kinds[k]) == 0) {
				kind = k;
				is_kind = 1;
			}
		}
		if (!is_kind)
			test_add(kind, argv[i]);
	}
}

int main(int argc, char **argv)
{
	args_read(argc, argv);
	if (only_list) {
		for (int i = 0; i < njobs; i++)
			printf("%s np=%d time=%d%s%s%s%s\n", jobs[i].name, jobs[i].np,
				jobs[i].limit, jobs[i].env[0] != '\0' ? " " : "", jobs[i].env,
				jobs[i].args[0] != '\0' ? " " : "", jobs[i].args);
		return 0;
	}
	if (log_path != NULL && (log_file = fopen(log_path, "w")) == NULL)
		run_die("%s: %s", log_path, strerror(errno));
	jobs_run(0, width);
	jobs_run(1, 1);
	again_run();
	chance_say();
	run_say("%d passed, %d failed, %d skipped\n", sum[OK], sum[FAIL], sum[SKIP]);
	if (log_file != NULL)
		fclose(log_file);
	return sum[FAIL] != 0;
}
