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

#define LINE_MAX_LEN 4096  /* of an answer: a value of 1024 bytes, and names */
#define NAME_LEN     257   /* of a key-value space: the most that servers announce, and a 0 */
#define SILENCE_MS   60000 /* for answers that wait for no other rank: a full machine needs less */
#define WORDS_MS     200   /* for the abort text to reach the user's terminal */
#define NO_LIMIT     (-1)

/* The one connection of this process. */
static struct {
	int fd;
	size_t have;             /* bytes in line */
	char line[LINE_MAX_LEN]; /* the last answer, without its newline */
	char table[NAME_LEN];    /* name of the job's key-value space */
} pmi = {.fd = -1};

/* A word of the last answer.  The last one may be anything: msg=... */
static const char *pmi_word_find(const char *key, size_t *len)
{
	return boot_pmi_word(pmi.line, key, len);
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

/* Waits at most `ms' until there is something to read. */
static int pmi_line_wait(int ms)
{
	struct pollfd p = {.fd = pmi.fd, .events = POLLIN};
	int n;

	do
		n = poll(&p, 1, ms);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		return 0;
	return boot_fail("the launcher has not answered for %d s (PMI_FD=%d)", ms / 1000, pmi.fd);
}

/* Reads one answer.  There is one request at a time, so no other answer follows. */
static int pmi_line_read(int ms)
{
	char *end = NULL;
	ssize_t n;

	pmi.have = 0;
	while (end == NULL) {
		if (pmi.have == sizeof(pmi.line))
			return boot_fail(
				"the launcher's answer is longer than %zu bytes", sizeof(pmi.line));
		if (pmi_line_wait(ms) != 0)
			return -1;
		n = recv(pmi.fd, pmi.line + pmi.have, sizeof(pmi.line) - pmi.have, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 || (n < 0 && errno == ECONNRESET))
			return pmi_hung_up();
		if (n < 0)
			return boot_fail("the launcher cannot be heard (PMI_FD=%d): %s", pmi.fd,
				strerror(errno));
		end = memchr(pmi.line + pmi.have, '\n', (size_t)n);
		pmi.have += (size_t)n;
	}
	*end = '\0';
	return 0;
}

/* Sends a request and reads its answer, which must be `answer'. */
__attribute__((format(printf, 3, 4))) static int pmi_ask(
	const char *answer, int ms, const char *fmt, ...)
{
	char line[LINE_MAX_LEN];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(line))
		return boot_fail(
			"a request to the launcher would be longer than %zu bytes", sizeof(line));
	if (pmi_line_write(line, (size_t)n) != 0 || pmi_line_read(ms) != 0)
		return -1;
	line[strcspn(line, "\n")] = '\0';
	if (!pmi_word_is("cmd", answer))
		return boot_fail("the launcher answers \"%.80s\" to \"%.80s\"", pmi.line, line);
	if (pmi_word_find("rc", &(size_t){0}) != NULL && !pmi_word_is("rc", "0"))
		return boot_fail("the launcher refuses \"%.80s\": \"%.80s\"", line, pmi.line);
	return 0;
}

/* Copies the value of `key' in the last answer. */
static int pmi_word_take(const char *key, char *value, size_t size)
{
	size_t len;
	const char *p = pmi_word_find(key, &len);

	if (p == NULL)
		return boot_fail("the launcher's answer has no \"%s\": \"%.80s\"", key, pmi.line);
	if (len >= size)
		return boot_fail("the launcher's \"%s\" is longer than %zu bytes", key, size - 1);
	memcpy(value, p, len);
	value[len] = '\0';
	return 0;
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

static const struct boot_kvs_ops pmi_ops = {
	.put = pmi_put, .fence = pmi_fence, .get = pmi_get, .abort = pmi_abort, .done = pmi_done};

bool boot_pmi_fd_valid(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* MPI_APPNUM; servers that do not know it answer 0 or an error. */
static int pmi_app_number(void)
{
	char value[16];
	int n;

	if (pmi_ask("appnum", SILENCE_MS, "cmd=get_appnum\n") != 0 ||
		pmi_word_take("appnum", value, sizeof(value)) != 0)
		return 0;
	n = atoi(value);
	return n >= 0 ? n : 0;
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
	k->app = pmi_app_number();
	return 0;
}
