// SPDX-License-Identifier: BSD-3-Clause
/* setting.c - the table of settings, and how they are read from the environment.
 *
 *     HAFT_UNEXPECTED=1M ──┐                       ┌──> haft_setting_get: engines
 *     HAFT_EARLY=1M ───────┤                       │
 *     (old name)           ├─ parse ──> values[i] ─┼──> haft_setting_print: mpi-info, MPI_T
 *     haft.conf ───────────┘                       └──> haft_setting_warn: values not understood
 *
 * The first call reads the whole environment, once.  Afterwards only haft_setting_put changes
 * values. */
#include "libmpi/core/setting.h"

#include "libmpi/core/defaults_file.h"
#include "libmpi/core/setting_names.h"
#include "libobj/base.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct setting_row rows[SETTING_COUNT] = {
	[SETTING_EAGER] = {.name = "HAFT_EAGER",
		.late = true,
		.normal = MEAN_OR(96, 16384),
		.max = 1 << 20,
		.meaning = "bytes of the largest eager message; longer ones go by rendezvous",
		.more = "An eager message is one frame: 16 KiB at most, 8 KiB in a job of more "
			"than 32 ranks, 4 KiB in one of more than 128."},
	[SETTING_COLL] = {.name = "HAFT_COLL",
		.form = SETTING_WORD,
		.max = 2,
		.words = {"shm", "p2p", "check"},
		.everywhere = true,
		.meaning = "transport of collectives: shared memory where it is faster (shm), or "
			   "messages only (p2p)",
		.more = "The value check is an old form of HAFT_CHECK=coll."},
	[SETTING_ERRHANDLER] = {.name = "HAFT_ERRHANDLER",
		.form = SETTING_WORD,
		.normal = 3,
		.max = 5,
		.words = {"fatal", "abort", "return", "mpi_errors_are_fatal", "mpi_errors_abort",
			"mpi_errors_return"},
		.meaning = "the initial error handler of communicators, sessions and files: "
			   "MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN",
		.more = "The words that begin with mpi_ leave files as they are, with "
			"MPI_ERRORS_RETURN: the option -initial-errhandler of mpiexec sets these. "
			"With fatal a program that drops the errors of its files is stopped."},
	[SETTING_REORDER] = {.name = "HAFT_REORDER",
		.old = "HAFT_PLACE",
		.late = true,
		.form = SETTING_WORD,
		.max = 2,
		.words = {"numa", "socket", "core"},
		.everywhere = true,
		.meaning = "the part of the machine in which MPI_Cart_create and "
			   "MPI_Graph_create with reorder keep neighbors together",
		.more = "It has an effect only if processes are bound to processors."},
	[SETTING_LEAKS] = {.name = "HAFT_LEAKS",
		.late = true,
		.max = 1,
		.meaning = "1: MPI_Finalize lists the objects that were not freed, with the line "
			   "of the program that made them"},
	[SETTING_SINGLE_COPY] = {.name = "HAFT_SINGLE_COPY",
		.old = "HAFT_READ",
		.late = true,
		.form = SETTING_WORD,
		.max = 2,
		.words = {"auto", "never", "always"},
		.meaning = "large messages are copied once, from the memory of the sender "
			   "(process_vm_readv), where the system permits it",
		.more = "auto: when that has been faster than the pipe, which copies twice.  "
			"Messages of more than 16 MiB always take the pipe.  A message in shared "
			"memory (MPI_Alloc_mem) is always read in place."},
	[SETTING_COLL_ALGORITHM] = {.name = "HAFT_COLL_ALGORITHM",
		.old = "HAFT_COLL_PLAN",
		.form = SETTING_TEXT,
		.everywhere = true,
		.meaning = "algorithms of collectives by messages, as in "
			   "allreduce=ring,bcast=binomial",
		.more = "A word that names none is answered with those of its operation."},
	[SETTING_CHECK] = {.name = "HAFT_CHECK",
		.form = SETTING_LIST,
		.max = HAFT_CHECK_TYPES | HAFT_CHECK_COLL | HAFT_CHECK_RMA | HAFT_CHECK_STRICT |
		       HAFT_CHECK_IO,
		.words = {"types", "coll", "rma", "strict", "io"},
		.everywhere = true,
		.meaning = "checks of the program: type signatures of messages (types), matching "
			   "collective calls (coll), conflicting accesses to windows (rma), "
			   "errors that real programs depend on (strict), conflicting accesses to "
			   "files and hints that are ignored (io)",
		.more = "types: a message carries its type signature, and a receive with another "
			"one is an error that names both sides; so is an access to a window.  "
			"coll: ranks compare their collective calls, and the one that differs is "
			"named.  rma: accesses to one location of a window in one epoch, without "
			"an order, are an error that names both, if both processes share "
			"memory.  strict: what the standard forbids is an error, though many "
			"programs do it: MPI_CHAR in reductions, MPI_Rput and its kind to "
			"MPI_PROC_NULL without a passive target epoch, a lock of a window whose "
			"info says no_locks.  io: writes of two ranks "
			"to one byte of a file with no MPI_File_sync between are an error that "
			"names both places, and so is a buffer that changes during a nonblocking "
			"write; hints that are ignored are named on stderr."},
	[SETTING_UNEXPECTED] = {.name = "HAFT_UNEXPECTED",
		.old = "HAFT_EARLY",
		.normal = MEAN_OR(4096, 64 << 20),
		.max = (int64_t)1 << 40,
		.meaning = "bytes of unexpected messages that a process keeps, of all senders "
			   "together",
		.more = "Beyond this limit messages stay at the sender until a matching receive "
			"is posted."},
	[SETTING_EAGER_NET] = {.name = "HAFT_EAGER_NET",
		.late = true,
		.normal = MEAN_OR(96, 65536),
		.max = 1 << 20,
		.meaning = "as HAFT_EAGER, for processes of other hosts; 64 KiB at most"},
	[SETTING_RING_AFTER] = {.name = "HAFT_RING_AFTER",
		.old = "HAFT_RING",
		.late = true,
		.normal = MEAN_OR(2, 4),
		.max = INT32_MAX,
		.meaning =
			"messages from one process to another through the receiver's inbox, "
			"which all senders share, before the pair gets a ring of its own (4 KiB)"},
	[SETTING_PIPE_CHUNK] = {.name = "HAFT_PIPE_CHUNK",
		.old = "HAFT_CHUNK",
		.normal = MEAN_OR(256, 65536),
		.min = 256,
		.max = 16 << 20,
		.everywhere = true,
		.launch = true,
		.step = CACHE_LINE,
		.meaning = "bytes of one chunk of a pipe, the shared memory through which large "
			   "messages go"},
	[SETTING_PIPE_CHUNKS] = {.name = "HAFT_PIPE_CHUNKS",
		.old = "HAFT_CHUNKS",
		.normal = MEAN_OR(2, 4),
		.min = 2,
		.max = 8,
		.everywhere = true,
		.launch = true,
		.power = true,
		.meaning = "chunks of a pipe"},
	[SETTING_RING_SLOTS] = {.name = "HAFT_RING_SLOTS",
		.old = "HAFT_SLOTS",
		.normal = MEAN_OR(4, 64),
		.min = 4,
		.max = 4096,
		.everywhere = true,
		.launch = true,
		.power = true,
		.meaning = "slots of a ring, of 128 bytes each: one a message; a full ring blocks "
			   "its sender"},
	[SETTING_SEATS] = {.name = "HAFT_SEATS",
		.normal = MEAN_OR(64, 1024),
		.max = 32768,
		.everywhere = true,
		.launch = true,
		.meaning = "processes of a host that may run at once beside the first ones: "
			   "those of MPI_Comm_spawn",
		.more = "They take memory only while they run.  A spawn of more fails with "
			"MPI_ERR_SPAWN."},
	[SETTING_SPIN] = {.name = "HAFT_SPIN",
		.late = true,
		.normal = 2000,
		.max = 1 << 30,
		.meaning =
			"polls of a wait that keep the CPU, before it yields (2000: about 50 us)",
		.more = "A wait does not spin when the host has more processes than CPUs."},
	[SETTING_YIELD] = {.name = "HAFT_YIELD",
		.late = true,
		.normal = 200,
		.max = 1 << 30,
		.meaning = "yields of a wait, before it sleeps",
		.more = "4 are enough if other processes ran meanwhile."},
	[SETTING_SLEEP] = {.name = "HAFT_SLEEP",
		.late = true,
		.form = SETTING_WORD,
		.max = 2,
		.words = {"auto", "never", "always"},
		.meaning = "whether a wait sleeps in the kernel: after spinning and yielding "
			   "(auto), never, or at once (always)",
		.more = "never suits processes that own their CPUs."},
	[SETTING_MOVE] = {.name = "HAFT_MOVE",
		.late = true,
		.form = SETTING_WORD,
		.max = 1,
		.words = {"auto", "never"},
		.meaning = "whether a waiting process moves to another CPU that fewer processes "
			   "of the job run on (auto), or leaves that to the system (never)",
		.more = "It moves within its affinity mask only, and the mask is the same "
			"afterwards: nothing is bound.  Processes that -bind-to binds to one CPU "
			"never move."},
	[SETTING_BOOT] = {.name = "HAFT_BOOT",
		.form = SETTING_WORD,
		.max = 1,
		.words = {"auto", "alone"},
		.meaning = "whether a process asks a launcher other than mpiexec for its job "
			   "(auto), or is a job of its own (alone)"},
	[SETTING_IFACE] = {.name = "HAFT_IFACE",
		.form = SETTING_TEXT,
		.meaning = "network interface, or address, by which processes of several hosts "
			   "communicate",
		.more = "The option -iface of mpiexec goes before it."},
	[SETTING_NAME_SERVER] = {.name = "HAFT_NAME_SERVER",
		.form = SETTING_TEXT,
		.meaning = "address of a name server, or file:FILE with it, where MPI_Publish_name "
			   "and MPI_Lookup_name go besides their host",
		.more = "mpiexec -name-server is one.  The option -nameserver of mpiexec sets it."},
	[SETTING_HANG] = {.name = "HAFT_HANG",
		.normal = 60,
		.max = 1000000000,
		.everywhere = true,
		.launch = true,
		.meaning = "seconds without progress in any process, after which mpiexec reports "
			   "what each of them waits for; 0: never",
		.more = "No progress: all processes between MPI_Init and MPI_Finalize sleep in "
			"MPI, or use no CPU time outside of it.  The job goes on."},
	[SETTING_VIA] = {.name = "HAFT_VIA",
		.form = SETTING_WORD,
		.max = 4,
		.words = {"auto", "shm", "net", "ofi", "ofi-all"},
		.everywhere = true,
		.meaning = "transports: shared memory within a host and sockets between hosts "
			   "(auto), shared memory alone (shm), sockets alone (net), libfabric "
			   "between hosts (ofi), libfabric alone (ofi-all)",
		.more = "The launcher must have it in its environment.  With shm, processes of "
			"other hosts cannot be reached."},
	[SETTING_ENDED] = {.name = "HAFT_ENDED",
		.normal = 10,
		.max = 1000000000,
		.everywhere = true,
		.launch = true,
		.meaning =
			"seconds that a process waits in MPI for one that has ended, after which "
			"mpiexec ends the job and names both; 0: never",
		.more = "So it does if that one is in MPI_Finalize, or in another collective call "
			"of the communicator, and if all processes wait for each other: after up "
			"to twice as long, or six times if there are several hosts."},
	[SETTING_FT] = {.name = "HAFT_FT",
		.form = SETTING_WORD,
		.max = 2,
		.words = {"auto", "no", "yes"},
		.everywhere = true,
		.launch = true,
		.meaning =
			"whether a job goes on when one of its processes has failed: never (no), "
			"always (yes), or once a process has called a function of mpi-ext.h for "
			"failures (auto)",
		.more = "1, on and true mean yes; 0, off and false mean no."},
	[SETTING_DIE] = {.name = "HAFT_DIE",
		.form = SETTING_TEXT,
		.everywhere = true,
		.meaning = "kills a process, to test how a program survives that: 3@MPI_Bcast:5 is "
			   "rank 3 at the start of its fifth MPI_Bcast",
		.more = "With +n at the end the process dies in the n-th pass of progress after "
			"that, mostly inside the call.  The rank is one of the first processes of "
			"the job, not of those spawned later."},
	[SETTING_GRACE] = {.name = "HAFT_GRACE",
		.normal = 3,
		.max = 1000000000,
		.everywhere = true,
		.launch = true,
		.meaning = "seconds between a signal to mpiexec (Ctrl-C) and the moment when it "
			   "kills the processes of the job"},
	[SETTING_RMA] = {.name = "HAFT_RMA",
		.form = SETTING_WORD,
		.max = 3,
		.words = {"auto", "vm", "msg", "mailbox"},
		.old_word = "box",
		.old_value = HAFT_RMA_MAILBOX,
		.everywhere = true,
		.meaning = "transport of one-sided communication: the best for each window "
			   "(auto), process_vm calls (vm), messages (msg), or vm with small "
			   "operations executed by the target (mailbox)",
		.more = "All but auto are for tests."},
	[SETTING_PROGRESS] = {.name = "HAFT_PROGRESS",
		.form = SETTING_WORD,
		.max = 1,
		.words = {"call", "thread"},
		.meaning = "progress is made in calls of MPI only (call), or also by a thread "
			   "while the program computes and a CPU is idle (thread)",
		.more = "With thread, operations on a window by message, messages longer than "
			"HAFT_EAGER, synchronous ones and nonblocking collective calls do not "
			"wait for the next call of MPI at the other side.  (After 1,000 "
			"short receives of which none was synchronous, the next synchronous one "
			"does.)  It rests "
			"0.1 s after the last one, and costs other calls nothing.  Where no CPU "
			"is idle the thread gets a few ms a second."},
	[SETTING_OFI_PROVIDER] = {.name = "HAFT_OFI_PROVIDER",
		.form = SETTING_TEXT,
		.everywhere = true,
		.meaning = "libfabric's provider for HAFT_VIA=ofi and ofi-all, as fi_info -l "
			   "names it (verbs, cxi, efa, tcp); default: the first that is suitable",
		.more = "libfabric reads its own variables (FI_PROVIDER, FI_LOG_LEVEL)."},
	[SETTING_FILE_SYNC] = {.name = "HAFT_FILE_SYNC",
		.form = SETTING_WORD,
		.max = 1,
		.words = {"never", "close"},
		.everywhere = true,
		.meaning = "MPI_File_close brings written data to the device (close), or leaves "
			   "that to MPI_File_sync and the operating system (never)",
		.more = "The hint haft_sync says it for one file."},
	[SETTING_IO_THREADS] = {.name = "HAFT_IO_THREADS",
		.normal = 2,
		.max = 64,
		.meaning =
			"the most threads of a process that read and write files for nonblocking "
			"calls; 0: those calls wait for the disk",
		.more = "They are made when they are first needed."},
	[SETTING_PROFILE] = {.name = "HAFT_PROFILE",
		.form = SETTING_TEXT,
		.everywhere = true,
		.meaning = "where the job says how long its processes have computed, moved data, "
			   "and waited for whom: `-' for a table on stderr, or a file F.html, "
			   "F.json, F.csv or F.txt",
		.more = "As the option -profile of mpiexec.  Under other launchers the first "
			"process gathers it in MPI_Finalize."},
	[SETTING_BACKTRACE] = {.name = "HAFT_BACKTRACE",
		.form = SETTING_WORD,
		.max = 2,
		.words = {"auto", "yes", "no"},
		.meaning = "whether a process that crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, "
			   "SIGABRT) leaves its stack for the line that mpiexec prints",
		.more = "auto: not under sanitizers and valgrind, which print stacks themselves.  "
			"Signals that the program handles stay its own.  "
			"Exit status and core file are those without it."},
	[SETTING_TRACE] = {.name = "HAFT_TRACE",
		.form = SETTING_TEXT,
		.everywhere = true,
		.meaning = "where the job writes all its calls and messages down by time: a file "
			   "F.html, F.pftrace, F.json or F.otf2",
		.more = "As the option -trace of mpiexec.  Under other launchers there is no "
			"trace, and the first process says so in MPI_Init."},
	[SETTING_START_BY] = {.name = "HAFT_START_BY",
		.form = SETTING_WORD,
		.max = HAFT_START_EXEC,
		.words = {"auto", "fork", "exec"},
		.everywhere = true,
		.launch = true,
		.meaning =
			"how mpiexec starts the processes of a host: each by itself (exec), "
			"or as copies of one, made when its libraries have been loaded "
			"(fork); auto: fork, from 16 of a program on if they are more than 4 a CPU",
		.more = "fork takes less time and memory.  Each copy runs from the first "
			"constructor on, with its own environment; its addresses, "
			"its stack protector and AT_RANDOM are those of the other copies.  "
			"Programs that are not linked with the library as a shared one, scripts "
			"and ranks behind another command (-wrap, -gdb) are always started by "
			"themselves, and so are all if a variable LD_PRELOAD or LD_AUDIT is set, "
			"or if the kernel lets no process be forked so.  mpiexec -v says which "
			"way is taken, and why."},
};

static int64_t values[SETTING_COUNT];
static char *texts[SETTING_COUNT];
static char *bad[SETTING_COUNT]; /* malloc'ed: a value that was not understood, until the warning */

/* Parses a list of words. */
static bool setting_parse_list(const struct setting_row *r, const char *s, int64_t *v)
{
	*v = 0;
	for (size_t len; *s != '\0'; s += len + (s[len] == ',')) {
		int i = 0;

		len = strcspn(s, ",");
		while (i < (int)countof(r->words) && r->words[i] != NULL &&
			(strlen(r->words[i]) != len || strncmp(r->words[i], s, len) != 0))
			i++;
		if (i == (int)countof(r->words) || r->words[i] == NULL)
			return false;
		*v |= 1 << i;
	}
	return true;
}

/* true: v is a value of the row. */
static bool setting_fits(const struct setting_row *r, int64_t v)
{
	return v >= r->min && v <= r->max && (r->step == 0 || v % r->step == 0) &&
	       (!r->power || (v & (v - 1)) == 0);
}

/* Parses another spelling of the words "yes" and "no" of a row. */
static bool setting_parse_switch(const struct setting_row *r, const char *s, int64_t *v)
{
	static const char *const spelt[][2] = {{"0", "no"}, {"1", "yes"}, {"off", "no"},
		{"on", "yes"}, {"false", "no"}, {"true", "yes"}};
	const char *word = "";

	for (size_t i = 0; i < countof(spelt); i++)
		word = strcmp(s, spelt[i][0]) == 0 ? spelt[i][1] : word;
	for (int i = 0; i < (int)countof(r->words) && r->words[i] != NULL; i++)
		if (strcmp(word, r->words[i]) == 0) {
			*v = i;
			return true;
		}
	return false;
}

/* Parses one value; false: it is none of the row. */
HAFT_START static bool setting_parse(const struct setting_row *r, const char *s, int64_t *v)
{
	char *end;

	if (r->form == SETTING_LIST)
		return setting_parse_list(r, s, v);
	for (int i = 0; i < (int)countof(r->words) && r->words[i] != NULL; i++) {
		if (strcmp(s, r->words[i]) == 0) {
			*v = i;
			return true;
		}
	}
	if (r->old_word != NULL && strcmp(s, r->old_word) == 0) {
		*v = r->old_value;
		return true;
	}
	if (r->words[0] != NULL)
		return setting_parse_switch(r, s, v);
	errno = 0;
	*v = strtoll(s, &end, 10);
	if (end == s || errno != 0 || *v > r->max)
		return false;
	if (*end == 'k' || *end == 'K')
		*v <<= 10, end++;
	else if (*end == 'M')
		*v <<= 20, end++;
	return *end == '\0' && setting_fits(r, *v);
}

#define STEP_LEN 48

static void setting_step_text(const struct setting_row *r, char step[STEP_LEN])
{
	step[0] = '\0';
	if (r->step != 0)
		snprintf(step, STEP_LEN, ", a multiple of %lld", (long long)r->step);
	if (r->power)
		snprintf(step, STEP_LEN, ", a power of two");
}

#define WORDS_LEN 96

/* All words that a setting knows: "a, b or c". */
static void setting_words(const struct setting_row *r, const char *last, char s[WORDS_LEN])
{
	size_t len = 0;

	for (int i = 0; i < (int)countof(r->words) && r->words[i] != NULL; i++) {
		bool end = i + 1 == (int)countof(r->words) || r->words[i + 1] == NULL;

		len += (size_t)snprintf(s + len, WORDS_LEN - len, "%s%s",
			i == 0 ? ""
			: end  ? last
			       : ", ",
			r->words[i]);
		if (len >= WORDS_LEN)
			break; /* cut: no row has so many */
	}
}

/* Reports a value that was not understood, and the valid ones.  name: the one that it was set
 * under. */
static void setting_complain(const struct setting_row *r, const char *name, const char *s)
{
	char step[STEP_LEN], words[WORDS_LEN];

	setting_step_text(r, step);
	setting_words(r, ", ", words);
	if (r->form == SETTING_LIST)
		fprintf(stderr,
			"haft: %s=%s is not understood: it is a list of words with commas, of %s; "
			"using none\n",
			name, s, words);
	else if (r->words[0] != NULL)
		fprintf(stderr, "haft: %s=%s is not understood: it is one of %s; using %s\n", name,
			s, words, r->words[r->normal]);
	else
		fprintf(stderr,
			"haft: %s=%s is not understood: it is a number from %lld to %lld%s, with "
			"or without k or M; using %lld\n",
			name, s, (long long)r->min, (long long)r->max, step, (long long)r->normal);
}

/* The value of a variable in an environment; "" if it has none. */
HAFT_START static const char *variable_in(const char *name, char *const envp[])
{
	size_t len = strlen(name);

	while (*envp != NULL && (strncmp(*envp, name, len) != 0 || (*envp)[len] != '='))
		envp++;
	return *envp != NULL ? *envp + len + 1 : "";
}

/* The name under which an environment has a setting: the old one only if the new one is not set. */
static const char *setting_name_in(const struct setting_row *r, char *const envp[])
{
	return r->old != NULL && *variable_in(r->name, envp) == '\0' ? r->old : r->name;
}

/* The value of a setting in an environment; "": none. */
static const char *setting_in_environ(const struct setting_row *r, char *const envp[])
{
	return variable_in(setting_name_in(r, envp), envp);
}

char **haft_setting_environ(void)
{
	return getenv("HAFT_JOB") != NULL ? environ : haft_defaults_environ();
}

#define ENVIRON_OURS 64 /* names of settings begin with HAFT_ */

/* The variables of an environment that may be settings, in ours[], or the whole one if they are too
 * many: few have to be compared with each name. */
HAFT_START static char **environ_ours(char **env, char *ours[ENVIRON_OURS + 1])
{
	int n = 0;

	for (char **e = env; *e != NULL; e++) {
		if (strncmp(*e, "HAFT_", 5) != 0)
			continue;
		if (n == ENVIRON_OURS)
			return env;
		ours[n++] = *e;
	}
	ours[n] = NULL;
	return ours;
}

HAFT_START static void setting_read_all(void)
{
	char *ours[ENVIRON_OURS + 1], **env = haft_setting_environ();

	if (env != NULL)
		env = environ_ours(env, ours);
	for (int i = 0; i < SETTING_COUNT; i++) {
		const char *s = env != NULL ? setting_in_environ(&rows[i], env) : "";

		values[i] = rows[i].normal;
		if (*s == '\0')
			continue;
		if (rows[i].form == SETTING_TEXT) {
			texts[i] = strdup(s); /* the program may change its environment */
			continue;
		}
		if (!setting_parse(&rows[i], s, &values[i])) {
			values[i] = rows[i].normal;
			bad[i] = rows[i].launch ? NULL : strdup(s);
		}
	}
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

HAFT_START int64_t haft_setting_get(enum haft_setting which)
{
	pthread_once(&once, setting_read_all);
	return values[which];
}

void haft_setting_warn(void)
{
	pthread_once(&once, setting_read_all);
	for (int i = 0; i < SETTING_COUNT; i++) {
		if (bad[i] != NULL)
			setting_complain(&rows[i],
				setting_name_in(&rows[i], haft_setting_environ()), bad[i]);
		free(bad[i]);
		bad[i] = NULL;
	}
	haft_defaults_warn();
	haft_setting_names_check(environ);
}

int64_t haft_setting_launch(enum haft_setting which, char *const envp[])
{
	const struct setting_row *r = &rows[which];
	const char *s = setting_in_environ(r, envp);
	int64_t v;

	if (*s == '\0')
		return r->normal;
	if (setting_parse(r, s, &v))
		return v;
	if (r->launch)
		setting_complain(r, setting_name_in(r, envp), s);
	return r->normal;
}

HAFT_START const char *haft_setting_text(enum haft_setting which)
{
	pthread_once(&once, setting_read_all);
	return texts[which] != NULL ? texts[which] : "";
}

/* The words of a list's value. */
HAFT_START static void setting_list_text(
	const struct setting_row *r, int64_t v, char *value, size_t n)
{
	size_t at = 0;

	value[0] = '\0';
	for (int i = 0; i < (int)countof(r->words) && at < n; i++)
		if (v >> i & 1)
			at += (size_t)snprintf(
				value + at, n - at, "%s%s", at > 0 ? "," : "", r->words[i]);
}

int haft_setting_find(const char *name)
{
	for (int i = 0; i < SETTING_COUNT; i++)
		if (strcmp(rows[i].name, name) == 0 ||
			(rows[i].old != NULL && strcmp(rows[i].old, name) == 0))
			return i;
	return -1;
}

HAFT_START const struct setting_row *haft_setting_row(int i)
{
	return i >= 0 && i < SETTING_COUNT ? &rows[i] : NULL;
}

HAFT_START static void setting_value_text(
	const struct setting_row *r, int64_t v, char *value, size_t n)
{
	if (r->form == SETTING_LIST)
		setting_list_text(r, v, value, n);
	else if (r->form == SETTING_WORD)
		snprintf(value, n, "%s", r->words[v]);
	else
		snprintf(value, n, "%lld", (long long)v);
}

HAFT_START void haft_setting_print(int i, char *value, size_t n)
{
	if (rows[i].form == SETTING_TEXT)
		snprintf(value, n, "%s", haft_setting_text((enum haft_setting)i));
	else
		setting_value_text(&rows[i], haft_setting_get((enum haft_setting)i), value, n);
}

void haft_setting_expect(int i, char *const envp[], char *value, size_t n)
{
	const struct setting_row *r = &rows[i];
	const char *s = setting_in_environ(r, envp);
	int64_t v;

	if (r->form == SETTING_TEXT)
		snprintf(value, n, "%s", s);
	else
		setting_value_text(
			r, *s != '\0' && setting_parse(r, s, &v) ? v : r->normal, value, n);
}

void haft_setting_range(int i, char *range, size_t n)
{
	const struct setting_row *r = &rows[i];
	char normal[WORDS_LEN], words[WORDS_LEN];

	setting_value_text(r, r->normal, normal, sizeof(normal));
	if (r->form == SETTING_TEXT) {
		snprintf(range, n, "text, default none");
	} else if (r->form == SETTING_LIST) {
		setting_list_text(r, r->max, words, sizeof(words));
		snprintf(range, n, "list of %s, default %s", words,
			normal[0] != '\0' ? normal : "none");
	} else if (r->form == SETTING_WORD) {
		setting_words(r, " or ", words);
		snprintf(range, n, "%s, default %s", words, normal);
	} else {
		char step[STEP_LEN];

		setting_step_text(r, step);
		snprintf(range, n, "%lld to %lld%s, default %s", (long long)r->min,
			(long long)r->max, step, normal);
	}
}

static bool setting_put_text(int i, const char *text)
{
	char *copy = strlen(text) < SETTING_TEXT_MAX ? strdup(text) : NULL;

	if (copy == NULL)
		return false;
	free(texts[i]);
	texts[i] = copy;
	return true;
}

bool haft_setting_put(int i, const char *text)
{
	int64_t v;

	pthread_once(&once, setting_read_all);
	if (rows[i].form == SETTING_TEXT)
		return setting_put_text(i, text);
	if (!setting_parse(&rows[i], text, &v))
		return false;
	values[i] = v;
	return true;
}

bool haft_setting_put_number(int i, int64_t value)
{
	pthread_once(&once, setting_read_all);
	if (rows[i].form == SETTING_TEXT || !setting_fits(&rows[i], value))
		return false;
	values[i] = value;
	return true;
}
