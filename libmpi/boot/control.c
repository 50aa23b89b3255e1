// SPDX-License-Identifier: BSD-3-Clause
/* control.c - see control.h: the client of mpiexec's PMI socket.
 *
 *   boot_spawn_begin ── mcmd=spawn ... endcmd ──>
 *                    <── cmd=spawn_result ... ──  kept in control.spawned until boot_spawn_end
 *   boot_lookup, ... ── cmd=lookup_name ... ───>
 *                    <── cmd=lookup_result ... ─
 *
 * A short request waits for its answer, in some ten microseconds on one host.  The answer of a
 * spawn may come while a short request waits: it is told by its first word.  Bytes that would end a
 * word or a line travel as %XX. */
#include "libmpi/boot/control.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "libmpi/boot/pmi_word.h"
#include "libmpi/boot/service.h"
#include "libmpi/core/err.h"

#define LINE_FIRST 4096 /* bytes of the buffer for answers at first */
#define SPAWN_MARK "cmd=spawn_result"

static struct {
	int fd;
	bool child;               /* this process was spawned */
	const struct boot *alone; /* this process can start a service; NULL: it has mpiexec */
	bool strange;  /* spawned processes are strangers: another project's launcher runs us */
	bool unseen;   /* mpiexec does not see our state in its segment */
	char *birth;   /* NULL: not asked for yet */
	bool spawning; /* between boot_spawn_begin and boot_spawn_end */
	int total;     /* processes that were asked for */
	char *spawned; /* the answer of the spawn; NULL: it has not come */
	char *buf;     /* bytes that have come */
	size_t have, room;
	bool gone; /* mpiexec has hung up */
} control = {.fd = -1};

void boot_control_use(int fd, bool spawned, bool unseen)
{
	control.fd = fd;
	control.child = spawned;
	control.unseen = unseen;
}

/* --- text ----------------------------------------------------------------------------------- */

/* A request that is being made. */
struct control_text {
	char *v;
	size_t len, room;
	bool full; /* there was no memory */
};

static void text_put(struct control_text *t, const char *v, size_t len)
{
	if (t->len + len + 1 > t->room && !t->full) {
		size_t room = (t->len + len + 1) * 2;
		char *more = realloc(t->v, room);

		t->full = more == NULL;
		if (t->full)
			return;
		t->v = more;
		t->room = room;
	}
	if (t->full)
		return;
	memcpy(t->v + t->len, v, len);
	t->len += len;
	t->v[t->len] = '\0';
}

__attribute__((format(printf, 2, 3))) static void text_add(
	struct control_text *t, const char *fmt, ...)
{
	char line[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n > 0)
		text_put(t, line, (size_t)n < sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

/* Adds a value with its escapes; `blank': blanks as well, in a request of one line. */
static void text_escape(struct control_text *t, const char *v, bool blank)
{
	for (; *v != '\0'; v++) {
		bool bad = *v == '%' || *v == '\n' || *v == '\r' || (blank && *v == ' ');

		if (bad)
			text_add(t, "%%%02X", (unsigned char)*v);
		else
			text_put(t, v, 1);
	}
}

/* Copies a value without its escapes; cut at size. */
static void unescape(char *to, size_t size, const char *v, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len && n + 1 < size; i++) {
		unsigned x;

		if (v[i] == '%' && i + 2 < len && sscanf(v + i + 1, "%2x", &x) == 1) {
			to[n++] = (char)x;
			i += 2;
		} else {
			to[n++] = v[i];
		}
	}
	to[n] = '\0';
}

static int answer_number(const char *line, const char *key, int none)
{
	size_t len;
	const char *v = boot_pmi_word(line, key, &len);

	return v != NULL ? atoi(v) : none;
}

/* --- the socket ----------------------------------------------------------------------------- */

static int control_gone(void)
{
	control.gone = true;
	return haft_err(MPI_ERR_OTHER, "the launcher is gone, or has refused a request");
}

static int control_send(const char *v, size_t len)
{
	while (len > 0) {
		ssize_t n = send(control.fd, v, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return control_gone();
		v += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Takes the first line that has come.  malloc'ed; NULL: no line is complete. */
static char *line_take(void)
{
	char *end = control.have > 0 ? memchr(control.buf, '\n', control.have) : NULL, *line;
	size_t len;

	if (end == NULL)
		return NULL;
	len = (size_t)(end - control.buf);
	line = strndup(control.buf, len);
	control.have -= len + 1;
	memmove(control.buf, end + 1, control.have);
	return line;
}

/* Waits at most `ms' (-1: for ever) for more bytes, and takes them. 1: some have come; 0: none; -1:
 * mpiexec is gone. */
static int bytes_take(int ms)
{
	struct pollfd p = {.fd = control.fd, .events = POLLIN};
	ssize_t n;

	if (control.gone)
		return -1;
	if (poll(&p, 1, ms) <= 0)
		return 0;
	if (control.have == control.room) {
		size_t room = control.room == 0 ? LINE_FIRST : 2 * control.room;
		char *more = realloc(control.buf, room);

		if (more == NULL)
			return -1;
		control.buf = more;
		control.room = room;
	}
	n = recv(control.fd, control.buf + control.have, control.room - control.have, MSG_DONTWAIT);
	if (n > 0)
		control.have += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		control.gone = true;
	return control.gone ? -1 : n > 0;
}

/* Sends a request of one line and waits for its answer, which is malloc'ed. */
static int control_ask(const struct control_text *t, char **answer)
{
	int err = t->full ? haft_err(MPI_ERR_NO_MEM, "no memory for a request to the launcher")
			  : control_send(t->v, t->len);

	*answer = NULL;
	while (err == 0 && *answer == NULL) {
		char *line = line_take();

		if (line == NULL && bytes_take(-1) < 0)
			err = control_gone();
		else if (line != NULL && strncmp(line, SPAWN_MARK, strlen(SPAWN_MARK)) == 0)
			control.spawned = line;
		else
			*answer = line;
	}
	return err;
}

/* Asks, and takes the text apart.  *rc: of the answer; *answer is malloc'ed. */
static int control_call(struct control_text *t, int *rc, char **answer)
{
	int err = control_ask(t, answer);

	free(t->v);
	*rc = err == 0 ? answer_number(*answer, "rc", 0) : -1;
	return err;
}

void boot_control_alone(const struct boot *me, bool strange)
{
	control.alone = me;
	control.strange = strange;
}

bool boot_spawn_kin(void)
{
	return !control.strange;
}

/* A singleton's service is started by its first request. */
static int control_need(void)
{
	if (control.fd >= 0 && !control.gone)
		return 0;
	if (control.alone != NULL && !control.gone) {
		control.fd = boot_service_start(control.alone, !control.strange);
		return control.fd >= 0 ? 0 : haft_err(MPI_ERR_SPAWN, "%s", boot_error_text());
	}
	return haft_err(MPI_ERR_UNSUPPORTED_OPERATION,
		control.gone ? "the launcher of this process is gone"
			     : "this process has no launcher that can be asked");
}

/* --- spawn ---------------------------------------------------------------------------------- */

static void spawn_key_put(struct control_text *t, int i, const char *key, const char *value)
{
	text_add(t, "info_key_%d=", i);
	text_escape(t, key, false);
	text_add(t, "\ninfo_val_%d=", i);
	text_escape(t, value, false);
	text_put(t, "\n", 1);
}

/* The environment at the start of this process: NAME=VALUE, each with its 0.  malloc'ed. */
static char *environ_first(size_t *len)
{
	int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
	size_t room = 0;
	char *v = NULL;
	ssize_t n = 1;

	*len = 0;
	while (fd >= 0 && n > 0) {
		char *more = *len == room ? realloc(v, room * 2 + 65536 + 1) : v;

		if (more == NULL)
			break;
		room = *len == room ? room * 2 + 65536 : room;
		v = more;
		n = read(fd, v + *len, room - *len);
		*len += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	if (v != NULL)
		v[*len] = '\0';
	return v;
}

/* The entry of a variable in the first environment; NULL: none. */
static const char *first_find(const char *v, size_t len, const char *entry)
{
	size_t n = strcspn(entry, "=");

	for (size_t at = 0; v != NULL && at < len; at += strlen(v + at) + 1)
		if (strncmp(v + at, entry, n) == 0 && v[at + n] == '=')
			return v + at;
	return NULL;
}

/* Adds what this process has changed of its environment since it has started. */
static int environ_put(struct control_text *t, int i)
{
	size_t len;
	char *first = environ_first(&len);

	for (char **e = environ; *e != NULL; e++) {
		const char *was = first_find(first, len, *e);

		if (was == NULL || strcmp(was, *e) != 0)
			spawn_key_put(t, i++, "haft_env", *e);
	}
	for (size_t at = 0; first != NULL && at < len; at += strlen(first + at) + 1) {
		size_t n = strcspn(first + at, "=");
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)n, first + at);
		if (n > 0 && n < sizeof(name) && getenv(name) == NULL)
			spawn_key_put(t, i++, "haft_env", name);
	}
	free(first);
	return i;
}

static void spawn_part_put(
	struct control_text *t, const struct boot_command *c, int i, int n, const char *birth)
{
	char cwd[PATH_MAX];
	int nargs = 0, nkeys = 0;

	text_add(t, "mcmd=spawn\nhaft_escaped=1\nnprocs=%d\nexecname=", c->maxprocs);
	text_escape(t, c->path, false);
	text_add(t, "\ntotspawns=%d\nspawnssofar=%d\n", n, i + 1);
	for (; c->argv != NULL && c->argv[nargs] != NULL; nargs++) {
		text_add(t, "arg%d=", nargs + 1);
		text_escape(t, c->argv[nargs], false);
		text_put(t, "\n", 1);
	}
	text_add(t, "argcnt=%d\n", nargs);
	if (i == 0)
		text_add(t, "preput_num=1\npreput_key_0=haft_birth\npreput_val_0=");
	if (i == 0)
		text_escape(t, birth, false);
	text_add(t, "\n");
	nkeys = environ_put(t, nkeys);
	for (int k = 0; k < c->nkeys; k++)
		spawn_key_put(t, nkeys++, c->keys[k].key, c->keys[k].value);
	if (getcwd(cwd, sizeof(cwd)) != NULL)
		spawn_key_put(t, nkeys++, "haft_wdir", cwd);
	text_add(t, "info_num=%d\nendcmd\n", nkeys);
}

int boot_spawn_begin(const struct boot_command *c, int n, const char *birth)
{
	struct control_text t = {.v = NULL};
	int err;

	if (control.spawning)
		return -1;
	err = control_need();
	control.total = 0;
	for (int i = 0; i < n && err == 0; i++) {
		spawn_part_put(&t, &c[i], i, n, birth);
		control.total += c[i].maxprocs;
	}
	if (err == 0 && t.full)
		err = haft_err(MPI_ERR_NO_MEM, "no memory for a request to the launcher");
	if (err == 0)
		err = control_send(t.v, t.len);
	free(t.v);
	control.spawning = err == 0;
	return err;
}

int boot_answer_wait(int ms)
{
	while (control.spawned == NULL) {
		char *line = line_take();
		int got;

		if (line != NULL) {
			control.spawned = line;
			continue;
		}
		got = bytes_take(ms);
		if (got <= 0)
			return got;
		ms = 0;
	}
	return 1;
}

/* Fills in the code of each process: those of the answer, else `all'. */
static void errcodes_take(struct boot_spawned *r, const char *line, int all)
{
	size_t len;
	const char *v = boot_pmi_word(line, "errcodes", &len);

	for (int i = 0; i < r->total && r->errcode != NULL; i++) {
		char *end = NULL;

		r->errcode[i] = v != NULL ? (int)strtol(v, &end, 10) : all;
		if (r->errcode[i] != 0)
			r->errcode[i] = MPI_ERR_SPAWN;
		v = end != NULL && end != v && *end == ',' ? end + 1 : NULL;
	}
}

void boot_spawn_end(struct boot_spawned *r)
{
	const char *line = control.spawned != NULL ? control.spawned : "rc=-1 msg=mpiexec is gone";
	size_t len;
	const char *words = boot_pmi_word(line, "msg", &len);
	int rc = answer_number(line, "rc", 0);

	*r = (struct boot_spawned){.kin = !control.strange,
		.first = answer_number(line, "haft_first", -1),
		.n = answer_number(line, "haft_n", 0),
		.total = control.total,
		.errcode = calloc((size_t)control.total + 1, sizeof(int)),
		.err = rc != 0 ? MPI_ERR_SPAWN : 0};
	unescape(r->words, sizeof(r->words), words != NULL ? words : "",
		words != NULL ? strlen(words) : 0);
	errcodes_take(r, line, rc != 0 ? MPI_ERR_SPAWN : 0);
	if (r->errcode == NULL)
		r->err = MPI_ERR_NO_MEM;
	free(control.spawned);
	control.spawned = NULL;
	control.spawning = false;
}

const char *boot_birth(void)
{
	struct control_text t = {.v = NULL};
	char *answer;
	const char *v;
	size_t len;
	int rc;

	if (control.birth != NULL || !control.child || control.fd < 0)
		return control.birth;
	text_add(&t, "cmd=get kvsname=haft key=haft_birth\n");
	if (control_call(&t, &rc, &answer) != 0)
		return NULL;
	v = rc == 0 ? boot_pmi_word(answer, "value", &len) : NULL;
	control.birth = v != NULL ? strdup(v) : NULL;
	free(answer);
	return control.birth;
}

/* --- names, places, connections ------------------------------------------------------------- */

int boot_publish(const char *service, const char *port, bool replace)
{
	struct control_text t = {.v = NULL};
	int err = control_need(), rc;
	char *answer;

	if (err != 0)
		return err;
	text_add(&t, "cmd=publish_name service=");
	text_escape(&t, service, true);
	text_add(&t, " port=");
	text_escape(&t, port, true);
	text_add(&t, "%s\n", replace ? " mode=replace" : "");
	err = control_call(&t, &rc, &answer);
	free(answer);
	if (err == 0 && rc != 0)
		err = haft_err(MPI_ERR_SERVICE, "the name `%.100s' is published already", service);
	return err;
}

int boot_lookup(const char *service, char *port, size_t len)
{
	struct control_text t = {.v = NULL};
	int err = control_need(), rc;
	const char *v;
	char *answer;
	size_t n;

	if (err != 0)
		return err;
	text_add(&t, "cmd=lookup_name service=");
	text_escape(&t, service, true);
	text_put(&t, "\n", 1);
	err = control_call(&t, &rc, &answer);
	v = err == 0 && rc == 0 ? boot_pmi_word(answer, "port", &n) : NULL;
	if (v != NULL)
		unescape(port, len, v, n);
	else if (err == 0)
		err = haft_err(MPI_ERR_NAME, "no port is published as `%.100s'", service);
	free(answer);
	return err;
}

int boot_unpublish(const char *service)
{
	struct control_text t = {.v = NULL};
	int err = control_need(), rc;
	char *answer;

	if (err != 0)
		return err;
	text_add(&t, "cmd=unpublish_name service=");
	text_escape(&t, service, true);
	text_put(&t, "\n", 1);
	err = control_call(&t, &rc, &answer);
	free(answer);
	if (err == 0 && rc != 0)
		err = haft_err(MPI_ERR_SERVICE, "no port is published as `%.100s'", service);
	return err;
}

int boot_where(int number, struct boot_place *where)
{
	struct control_text t = {.v = NULL};
	int err = control_need(), rc;
	char *answer;
	const char *v;
	size_t n;

	if (err != 0)
		return err;
	text_add(&t, "cmd=haft_where number=%d\n", number);
	err = control_call(&t, &rc, &answer);
	if (err == 0 && rc != 0)
		err = haft_err(MPI_ERR_PROC_ABORTED, "process %d has ended", number);
	if (err == 0) {
		*where = (struct boot_place){.host = answer_number(answer, "host", 0),
			.pid = answer_number(answer, "pid", 0)};
		v = boot_pmi_word(answer, "name", &n);
		unescape(where->name, sizeof(where->name), v != NULL ? v : "", v != NULL ? n : 0);
		v = boot_pmi_word(answer, "addr", &n);
		unescape(where->addr, sizeof(where->addr), v != NULL ? v : "", v != NULL ? n : 0);
	}
	free(answer);
	return err;
}

/* A request whose answer says nothing. */
static int control_tell(struct control_text *t)
{
	char *answer;
	int rc, err;

	if (control.fd < 0 || control.gone) {
		free(t->v);
		return 0;
	}
	err = control_call(t, &rc, &answer);
	free(answer);
	return err;
}

int boot_listen_show(const char *addr)
{
	struct control_text t = {.v = NULL};

	text_add(&t, "cmd=haft_show addr=%s\n", addr);
	return control_tell(&t);
}

void boot_together(int first)
{
	struct control_text t = {.v = NULL};

	text_add(&t, "cmd=haft_together first=%d\n", first);
	(void)control_tell(&t);
}

void boot_apart(int first)
{
	struct control_text t = {.v = NULL};

	text_add(&t, "cmd=haft_apart first=%d\n", first);
	(void)control_tell(&t);
}

void boot_kill(const int *numbers, int n, int code)
{
	struct control_text t = {.v = NULL};

	text_add(&t, "cmd=haft_kill code=%d numbers=", code);
	for (int i = 0; i < n; i++)
		text_add(&t, "%s%d", i > 0 ? "," : "", numbers[i]);
	text_put(&t, "\n", 1);
	(void)control_tell(&t);
}

int boot_universe_size(void)
{
	struct control_text t = {.v = NULL};
	int rc, n;
	char *answer;

	if (control.fd < 0 || control.gone)
		return -1;
	text_add(&t, "cmd=get_universe_size\n");
	n = control_call(&t, &rc, &answer) == 0 && rc == 0 ? answer_number(answer, "size", -1) : -1;
	free(answer);
	return n;
}

void boot_control_state(uint32_t state)
{
	char line[64];
	int n = snprintf(line, sizeof(line), "cmd=haft_state state=%u\n", state);

	if (control.fd >= 0 && !control.gone && (control.strange || control.unseen))
		(void)!send(control.fd, line, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
}
