// SPDX-License-Identifier: BSD-3-Clause
/* pmi.c - a client of PMI version 1: one line of words "key=value" each way, over PMI_FD.
 *
 *   cmd=init pmi_version=1 pmi_subversion=1      ->  cmd=response_to_init rc=0 ...
 *   cmd=get_my_kvsname                           ->  cmd=my_kvsname kvsname=X
 *   cmd=put kvsname=X key=K value=V              ->  cmd=put_result rc=0
 *   cmd=barrier_in                               ->  cmd=barrier_out
 *   cmd=get kvsname=X key=K                      ->  cmd=get_result rc=0 value=V
 *   cmd=finalize                                 ->  cmd=finalize_ack
 *   cmd=abort exitcode=C                         ->  (the end)
 *
 * Servers differ in the order of words, and some leave words out.  So a word is looked up by its
 * key, and rc counts only if it is there.  A server that gives another answer, closes the
 * connection or is silent is an error with a text. */
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/kvs.h"
#include "libmpi/boot/mpiexec_words.h"
#include "libmpi/boot/pmi_client.h"
#include "libmpi/boot/pmi_word.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "libobj/base.h"

#define LINE_MAX_LEN 65536 /* of an answer: codes of the processes of a spawn */
#define REQUEST_LEN  4096  /* of a request: a value of 1024 bytes, and names */
#define NAME_LEN     257   /* of a key-value space: the most that servers announce, and a 0 */
#define SILENCE_MS   60000 /* for answers that wait for no other rank: a full machine needs less */
#define WORDS_MS     200   /* for the abort text to reach the user's terminal */
#define NO_LIMIT     (-1)

/* The one connection of this process. */
static struct {
	int fd;
	size_t used;          /* bytes of the last answer in pmi_line, with its 0 */
	size_t have;          /* bytes there; those from `used' on came behind that answer */
	char *spawned;        /* the answer of a spawn, which may come at any time; malloc'ed */
	int forgotten;        /* answers of spawns that are of no use any more */
	char table[NAME_LEN]; /* name of the job's key-value space */
} pmi = {.fd = -1};
BSS_BEHIND static char pmi_line[LINE_MAX_LEN]; /* the last answer, without its newline */

/* A word of the last answer.  The last one may be anything: msg=... */
static const char *pmi_word_find(const char *key, size_t *len)
{
	return boot_pmi_word(pmi_line, key, len);
}

static bool pmi_word_is(const char *key, const char *value)
{
	size_t len;
	const char *p = pmi_word_find(key, &len);

	return p != NULL && len == strlen(value) && memcmp(p, value, len) == 0;
}

static int pmi_hung_up(void)
{
	return boot_fail("the launcher has hung up (PMI_FD=%d): either it has died, or this is the "
			 "second MPI program in the place of one rank",
		pmi.fd);
}

static int pmi_line_write(const char *line, size_t len)
{
	while (len > 0) {
		ssize_t n = send(pmi.fd, line, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EPIPE)
			return pmi_hung_up();
		if (n < 0)
			return boot_fail("the launcher does not take requests (PMI_FD=%d): %s",
				pmi.fd, strerror(errno));
		line += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Waits at most `ms' until there is something to read.  1: there is; 0: not yet. */
static int pmi_bytes_wait(int ms)
{
	struct pollfd p = {.fd = pmi.fd, .events = POLLIN};
	int n;

	do
		n = poll(&p, 1, ms);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

/* Takes bytes that have come.  0, or -1. */
static int pmi_bytes_take(void)
{
	ssize_t n;

	if (pmi.have == sizeof(pmi_line))
		return boot_fail(
			"the launcher's answer is longer than %zu bytes", sizeof(pmi_line));
	n = recv(pmi.fd, pmi_line + pmi.have, sizeof(pmi_line) - pmi.have, 0);
	if (n < 0 && errno == EINTR)
		return 0;
	if (n == 0 || (n < 0 && errno == ECONNRESET))
		return pmi_hung_up();
	if (n < 0)
		return boot_fail(
			"cannot read from the launcher (PMI_FD=%d): %s", pmi.fd, strerror(errno));
	pmi.have += (size_t)n;
	return 0;
}

/* True if the line is the answer of a spawn, which is kept for its waiter. */
static bool pmi_spawn_keep(void)
{
	if (strncmp(pmi_line, BOOT_SPAWN_RESULT, strlen(BOOT_SPAWN_RESULT)) != 0)
		return false;
	if (pmi.forgotten > 0) {
		pmi.forgotten--;
		return true;
	}
	free(pmi.spawned);
	pmi.spawned = strdup(pmi_line);
	return true;
}

/* Goes to the next answer.  1: it is in pmi_line; 0: it has not come within `ms'; -1. */
static int pmi_line_next(int ms)
{
	char *end;

	pmi.have -= pmi.used;
	memmove(pmi_line, pmi_line + pmi.used, pmi.have);
	pmi.used = 0;
	while ((end = memchr(pmi_line, '\n', pmi.have)) == NULL) {
		if (pmi_bytes_wait(ms) == 0)
			return 0;
		if (pmi_bytes_take() != 0)
			return -1;
	}
	*end = '\0';
	pmi.used = (size_t)(end + 1 - pmi_line);
	return 1;
}

/* Reads the answer of a request of one line. */
static int pmi_line_read(int ms)
{
	int got;

	do
		got = pmi_line_next(ms);
	while (got > 0 && pmi_spawn_keep());
	if (got == 0)
		boot_fail("the launcher has not answered for %d s (PMI_FD=%d)", ms / 1000, pmi.fd);
	return got > 0 ? 0 : -1;
}

int boot_pmi_spawn_wait(int ms, char **line)
{
	int got = 1;

	while (pmi.spawned == NULL && got > 0) {
		got = pmi_line_next(ms);
		if (got > 0)
			pmi_spawn_keep();
	}
	*line = pmi.spawned;
	pmi.spawned = NULL;
	return *line != NULL ? 1 : got;
}

void boot_pmi_spawn_forget(void)
{
	pmi.forgotten++;
}

int boot_pmi_send(const char *text, size_t len)
{
	return pmi_line_write(text, len);
}

/* Sends a request and reads its answer, which must be `answer'. */
static int pmi_exchange(const char *answer, int ms, const char *line, size_t len)
{
	int shown = (int)strcspn(line, "\n") < 80 ? (int)strcspn(line, "\n") : 80;

	if (pmi_line_write(line, len) != 0 || pmi_line_read(ms) != 0)
		return -1;
	if (!pmi_word_is("cmd", answer))
		return boot_fail(
			"the launcher answers \"%.80s\" to \"%.*s\"", pmi_line, shown, line);
	if (pmi_word_find("rc", &(size_t){0}) != NULL && !pmi_word_is("rc", "0"))
		return boot_fail("the launcher refuses \"%.*s\": \"%.80s\"", shown, line, pmi_line);
	return 0;
}

int boot_pmi_ask(const char *answer, const char *line)
{
	return pmi_exchange(answer, SILENCE_MS, line, strlen(line));
}

/* As printf: pmi_exchange. */
__attribute__((format(printf, 3, 4))) static int pmi_ask(
	const char *answer, int ms, const char *fmt, ...)
{
	char line[REQUEST_LEN];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(line))
		return boot_fail(
			"a request to the launcher would be longer than %zu bytes", sizeof(line));
	return pmi_exchange(answer, ms, line, (size_t)n);
}

/* Copies the value of `key' in the last answer. */
static int pmi_word_take(const char *key, char *value, size_t size)
{
	size_t len;
	const char *p = pmi_word_find(key, &len);

	if (p == NULL)
		return boot_fail("the launcher's answer has no \"%s\": \"%.80s\"", key, pmi_line);
	if (len >= size)
		return boot_fail("the launcher's \"%s\" is longer than %zu bytes", key, size - 1);
	memcpy(value, p, len);
	value[len] = '\0';
	return 0;
}

int boot_pmi_take(const char *key, char *value, size_t size)
{
	return pmi_word_take(key, value, size);
}

static int pmi_put(struct kvs *k, const char *key, const char *value)
{
	return pmi_ask("put_result", SILENCE_MS, "cmd=put kvsname=%s key=haft-%s-%d value=%s\n",
		pmi.table, key, k->rank, value);
}

static int pmi_fence(struct kvs *k)
{
	(void)k;
	return pmi_ask("barrier_out", NO_LIMIT, "cmd=barrier_in\n");
}

static int pmi_get(struct kvs *k, int rank, const char *key, char *value, size_t len)
{
	(void)k;
	if (pmi_ask("get_result", SILENCE_MS, "cmd=get kvsname=%s key=haft-%s-%d\n", pmi.table, key,
		    rank) != 0)
		return -1;
	return pmi_word_take("value", value, len);
}

/* Sends one line by one call: another thread may be waiting for an answer.  Waits first, because
 * hydra ends the job at once and drops the last output of its ranks. */
static void pmi_abort(struct kvs *k, int code, const char *text)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "cmd=abort exitcode=%d\n", code);

	(void)k;
	(void)text;
	usleep(WORDS_MS * 1000);
	(void)!send(pmi.fd, line, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* The fd stays open: hydra takes its end for the end of this process.  Errors do not matter now. */
static void pmi_done(struct kvs *k)
{
	(void)k;
	(void)pmi_ask("finalize_ack", SILENCE_MS, "cmd=finalize\n");
}

static const struct boot_kvs_ops pmi_ops = {.put = pmi_put,
	.fence = pmi_fence,
	.get = pmi_get,
	.abort = pmi_abort,
	.done = pmi_done,
	.spawn = boot_pmi_spawn,
	.spawned = boot_pmi_spawned,
	.spawn_forget = boot_pmi_spawn_forget,
	.publish = boot_pmi_publish,
	.lookup = boot_pmi_lookup,
	.unpublish = boot_pmi_unpublish};

HAFT_START bool boot_pmi_fd_valid(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* A number that the server knows; `none' if it answers an error or a negative one. */
static int pmi_number_ask(const char *request, const char *answer, const char *key, int none)
{
	char value[16];
	int n;

	if (pmi_ask(answer, SILENCE_MS, "cmd=%s\n", request) != 0 ||
		pmi_word_take(key, value, sizeof(value)) != 0)
		return none;
	n = atoi(value);
	return n >= 0 ? n : none;
}

int boot_pmi_open(struct kvs *k)
{
	*k = (struct kvs){.ops = &pmi_ops,
		.rank = boot_env_number("PMI_RANK"),
		.size = boot_env_number("PMI_SIZE"),
		.fd = boot_env_number("PMI_FD"),
		.death = POLLRDHUP};
	pmi.fd = k->fd;
	if (k->rank < 0 || k->size < 1 || k->rank >= k->size)
		return boot_fail("PMI_FD is set, but PMI_RANK and PMI_SIZE make no sense");
	fcntl(pmi.fd, F_SETFD, FD_CLOEXEC); /* child processes are no ranks */
	if (pmi_ask("response_to_init", SILENCE_MS, "cmd=init pmi_version=1 pmi_subversion=1\n") !=
		0)
		return -1;
	if (pmi_ask("my_kvsname", SILENCE_MS, "cmd=get_my_kvsname\n") != 0 ||
		pmi_word_take("kvsname", pmi.table, sizeof(pmi.table)) != 0)
		return -1;
	k->app = pmi_number_ask("get_appnum", "appnum", "appnum", 0);
	k->universe = pmi_number_ask("get_universe_size", "universe_size", "size", -1);
	return 0;
}
