// SPDX-License-Identifier: BSD-3-Clause
/* setting.c - the table of settings and their reading from the environment. */
#include "libmpi/core/setting.h"

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
		.meaning = "largest message, in bytes, that is sent before the receiver asks for "
			   "it"},
	[SETTING_COLL] = {.name = "HAFT_COLL",
		.form = SETTING_WORD,
		.max = 2,
		.words = {"shm", "p2p", "check"},
		.everywhere = true,
		.meaning = "collectives use shared memory where it is faster (shm), or messages "
			   "only (p2p); check is an old name of HAFT_CHECK=coll"},
	[SETTING_ERRHANDLER] = {.name = "HAFT_ERRHANDLER",
		.form = SETTING_WORD,
		.max = 2,
		.words = {"fatal", "abort", "return"},
		.meaning = "the initial error handler: MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, "
			   "MPI_ERRORS_RETURN"},
	[SETTING_PLACE] = {.name = "HAFT_PLACE",
		.late = true,
		.form = SETTING_WORD,
		.max = 2,
		.words = {"numa", "socket", "core"},
		.everywhere = true,
		.meaning = "what MPI_Cart_create with reorder keeps neighbors in, for processes "
			   "that are bound: a NUMA node, a socket, a core"},
	[SETTING_LEAKS] = {.name = "HAFT_LEAKS",
		.late = true,
		.max = 1,
		.meaning = "1: MPI_Finalize prints what the program has not freed, and where it "
			   "was made"},
	[SETTING_READ] = {.name = "HAFT_READ",
		.late = true,
		.form = SETTING_WORD,
		.max = 2,
		.words = {"auto", "never", "always"},
		.meaning = "large messages are read straight from the sender's memory, where the "
			   "system permits it: when that has been the faster way (auto), never, "
			   "always"},
	[SETTING_COLL_PLAN] = {.name = "HAFT_COLL_PLAN",
		.form = SETTING_TEXT,
		.everywhere = true,
		.meaning = "algorithms to use for collectives, like allreduce=ring,bcast=binomial"},
	[SETTING_CHECK] = {.name = "HAFT_CHECK",
		.form = SETTING_LIST,
		.max = HAFT_CHECK_TYPES | HAFT_CHECK_COLL | HAFT_CHECK_RMA | HAFT_CHECK_STRICT,
		.words = {"types", "coll", "rma", "strict"},
		.everywhere = true,
		.meaning = "a list of what is checked: types: that what was sent is what is "
			   "received; coll: that all ranks make the same collective call; rma: "
			   "that accesses to a window do not meet in one epoch; strict: what the "
			   "standard forbids is an error, though many programs do it (MPI_CHAR in "
			   "reductions)"},
	[SETTING_UNEXPECTED] = {.name = "HAFT_EARLY",
		.normal = MEAN_OR(4096, 64 << 20),
		.max = (int64_t)1 << 40,
		.meaning = "bytes of messages that have come before their receives, of all "
			   "senders together; who sends more must wait until he is asked"},
	[SETTING_EAGER_NET] = {.name = "HAFT_EAGER_NET",
		.late = true,
		.normal = MEAN_OR(96, 65536),
		.max = 1 << 20,
		.meaning = "the same as HAFT_EAGER for processes that are reached by sockets"},
	[SETTING_RING_AFTER] = {.name = "HAFT_RING",
		.late = true,
		.normal = MEAN_OR(2, 4),
		.max = INT32_MAX,
		.meaning = "messages to a process through the inbox that all its senders share, "
			   "before the pair gets a ring of its own (4 KiB)"},
	[SETTING_PIPE_CHUNK] = {.name = "HAFT_CHUNK",
		.normal = MEAN_OR(256, 65536),
		.min = 256,
		.max = 16 << 20,
		.everywhere = true,
		.launch = true,
		.step = CACHE_LINE,
		.meaning = "bytes of one chunk of a pipe, through which large messages go; the "
			   "same for all processes of a job"},
	[SETTING_PIPE_CHUNKS] = {.name = "HAFT_CHUNKS",
		.normal = MEAN_OR(2, 4),
		.min = 2,
		.max = 8,
		.everywhere = true,
		.launch = true,
		.power = true,
		.meaning = "chunks of a pipe; the same for all processes of a job"},
	[SETTING_RING_SLOTS] = {.name = "HAFT_SLOTS",
		.normal = MEAN_OR(4, 64),
		.min = 4,
		.max = 4096,
		.everywhere = true,
		.launch = true,
		.power = true,
		.meaning = "messages that a ring of a pair holds, of 64 bytes each; the same for "
			   "all processes of a job"},
	[SETTING_SPIN] = {.name = "HAFT_SPIN",
		.late = true,
		.normal = 2000,
		.max = 1 << 30,
		.meaning = "looks of a wait that keep the CPU, before it yields; none with more "
			   "processes than CPUs"},
	[SETTING_YIELD] = {.name = "HAFT_YIELD",
		.late = true,
		.normal = 200,
		.max = 1 << 30,
		.meaning = "yields of a wait before it sleeps; 4 are enough if others ran "
			   "meanwhile"},
	[SETTING_SLEEP] = {.name = "HAFT_SLEEP",
		.late = true,
		.form = SETTING_WORD,
		.max = 2,
		.words = {"auto", "never", "always"},
		.meaning = "whether a wait sleeps (futex): after spinning and yielding (auto), "
			   "never: yield on, always: at once"},
	[SETTING_BOOT] = {.name = "HAFT_BOOT",
		.form = SETTING_WORD,
		.max = 1,
		.words = {"auto", "alone"},
		.meaning = "whether a launcher other than mpiexec is asked for the other processes "
			   "of the job (auto), or each process is a job of its own (alone)"},
	[SETTING_IFACE] = {.name = "HAFT_IFACE",
		.form = SETTING_TEXT,
		.meaning = "the network interface (or address) by which processes on several hosts "
			   "talk; mpiexec's -iface goes before it"},
	[SETTING_HANG] = {.name = "HAFT_HANG",
		.normal = 60,
		.max = 1000000000,
		.everywhere = true,
		.launch = true,
		.meaning =
			"seconds after which mpiexec says what all processes wait for, if all of "
			"them sleep in MPI, or use no CPU time outside of it; 0: never"},
	[SETTING_VIA] = {.name = "HAFT_VIA",
		.form = SETTING_WORD,
		.max = 4,
		.words = {"auto", "shm", "net", "ofi", "ofi-all"},
		.everywhere = true,
		.meaning = "processes of one host talk by shared memory and those of several by "
			   "sockets (auto) or by libfabric (ofi), or all of them by sockets (net) "
			   "or by libfabric (ofi-all); with shm other hosts are not reached"},
	[HAFT_SET_ENDED] = {.name = "HAFT_ENDED",
		.normal = 10,
		.max = 1000000000,
		.everywhere = true,
		.launch = true,
		.meaning = "when a process has waited for so many seconds in MPI for one that has "
			   "ended, mpiexec ends the job and says which; 0: it does not"},
	[SETTING_GRACE] = {.name = "HAFT_GRACE",
		.normal = 3,
		.max = 1000000000,
		.everywhere = true,
		.launch = true,
		.meaning = "seconds that the processes of a job have to end by themselves, after "
			   "Ctrl-C or another signal to mpiexec, before it kills them"},
	[SETTING_RMA] = {.name = "HAFT_RMA",
		.form = SETTING_WORD,
		.max = 3,
		.words = {"auto", "vm", "msg", "box"},
		.everywhere = true,
		.meaning = "how windows of others are reached: mapped memory where there is some "
			   "(auto), always as if it were private, by the system's calls (vm) or "
			   "small ones by its process if it is in MPI (box), by messages (msg)"},
	[SETTING_PROGRESS] = {.name = "HAFT_PROGRESS",
		.form = SETTING_WORD,
		.max = 1,
		.words = {"call", "thread"},
		.meaning =
			"what others need of a process is done in its calls of MPI (call), or also "
			"while it computes, by a thread that sleeps until it is needed (thread)"},
	[SETTING_OFI_PROVIDER] = {.name = "HAFT_OFI_PROVIDER",
		.form = SETTING_TEXT,
		.everywhere = true,
		.meaning = "libfabric's provider for HAFT_VIA=ofi and ofi-all, as fi_info names "
			   "them (verbs, cxi, efa, tcp); if it is not set, the first that will do"},
};

static int64_t values[SETTING_COUNT];
static char *texts[SETTING_COUNT];
static char *bad[SETTING_COUNT]; /* what was not understood, until it is said */

/* Understands a list of words. */
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

/* Is it a value of that row? */
static bool setting_fits(const struct setting_row *r, int64_t v)
{
	return v >= r->min && v <= r->max && (r->step == 0 || v % r->step == 0) &&
	       (!r->power || (v & (v - 1)) == 0);
}

/* Understands one value; false: nonsense. */
static bool setting_parse(const struct setting_row *r, const char *s, int64_t *v)
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
	if (r->words[0] != NULL)
		return false;
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

/* Says once a job what was not understood, and what would be. */
static void setting_complain(const struct setting_row *r, const char *s)
{
	char step[STEP_LEN], words[WORDS_LEN];

	setting_step_text(r, step);
	setting_words(r, ", ", words);
	if (r->form == SETTING_LIST)
		fprintf(stderr,
			"haft: %s=%s is not understood: it is a list of words with commas, of %s; "
			"using none\n",
			r->name, s, words);
	else if (r->words[0] != NULL)
		fprintf(stderr, "haft: %s=%s is not understood: it is one of %s; using %s\n",
			r->name, s, words, r->words[r->normal]);
	else
		fprintf(stderr,
			"haft: %s=%s is not understood: it is a number from %lld to %lld%s, with "
			"k or M if "
			"you like; using %lld\n",
			r->name, s, (long long)r->min, (long long)r->max, step,
			(long long)r->normal);
}

static void setting_read_all(void)
{
	for (int i = 0; i < SETTING_COUNT; i++) {
		const char *s = getenv(rows[i].name);

		values[i] = rows[i].normal;
		if (s == NULL || *s == '\0')
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

int64_t haft_setting_get(enum haft_setting which)
{
	pthread_once(&once, setting_read_all);
	return values[which];
}

void haft_setting_warn(void)
{
	pthread_once(&once, setting_read_all);
	for (int i = 0; i < SETTING_COUNT; i++) {
		if (bad[i] != NULL)
			setting_complain(&rows[i], bad[i]);
		free(bad[i]);
		bad[i] = NULL;
	}
	haft_setting_names_check(environ);
}

/* What an environment says of a setting; "": nothing. */
static const char *setting_in_environ(const struct setting_row *r, char *const envp[])
{
	size_t len = strlen(r->name);

	while (*envp != NULL && (strncmp(*envp, r->name, len) != 0 || (*envp)[len] != '='))
		envp++;
	return *envp != NULL ? *envp + len + 1 : "";
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
		setting_complain(r, s);
	return r->normal;
}

const char *haft_setting_text(enum haft_setting which)
{
	pthread_once(&once, setting_read_all);
	return texts[which] != NULL ? texts[which] : "";
}

/* The words of a list's value. */
static void setting_list_text(const struct setting_row *r, int64_t v, char *value, size_t n)
{
	size_t at = 0;

	value[0] = '\0';
	for (int i = 0; i < (int)countof(r->words) && at < n; i++)
		if (v >> i & 1)
			at += (size_t)snprintf(
				value + at, n - at, "%s%s", at > 0 ? "," : "", r->words[i]);
}

const struct setting_row *haft_setting_row(int i)
{
	return i >= 0 && i < SETTING_COUNT ? &rows[i] : NULL;
}

static void setting_value_text(const struct setting_row *r, int64_t v, char *value, size_t n)
{
	if (r->form == SETTING_LIST)
		setting_list_text(r, v, value, n);
	else if (r->form == SETTING_WORD)
		snprintf(value, n, "%s", r->words[v]);
	else
		snprintf(value, n, "%lld", (long long)v);
}

void haft_setting_print(int i, char *value, size_t n)
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
