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
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/environ_changes.h"
#include "libmpi/boot/kvs.h"
#include "libmpi/boot/launch_part.h"
#include "libmpi/boot/mpiexec_words.h"
#include "libmpi/boot/pmi_word.h"
#include "libmpi/boot/request_text.h"
#include "libmpi/boot/service.h"
#include "libmpi/core/clock.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/rank_name.h"
#include "libmpi/core/err.h"

#define LINE_FIRST 4096 /* bytes of the buffer for answers at first */
#define LAUNCHER_S 60   /* so long another project's launcher may take to answer a spawn */

/* The socket to one mpiexec, and the bytes that have come from it. */
struct control_line {
	int fd; /* -1: none yet */
	char *buf;
	size_t have, room; /* bytes of buf */
	bool gone;         /* mpiexec has hung up */
};

static struct {
	struct control_line home;        /* our mpiexec, or a singleton's service on this host */
	struct control_line other_hosts; /* the service for hosts that are not of home's job */
	struct control_line *asked;      /* the one that a spawn was sent to */
	bool child;                      /* this process was spawned */
	const struct boot *alone; /* this process can start a service; NULL: it has mpiexec */
	struct kvs *kvs;          /* another project's launcher runs us; NULL: none does */
	char *birth;              /* NULL: not asked for yet */
	bool spawning;            /* between boot_spawn_begin and boot_spawn_end */
	int total;                /* processes that were asked for */
	char *spawned;            /* the answer of the spawn; NULL: it has not come */
	struct boot_part *parts;  /* the launcher of another project is asked: kvs */
	const struct boot_command *command;
	int commands;
	const char *birth_text; /* of that spawn, if our service has to do it */
	uint64_t until;         /* when that launcher is no longer waited for, ns */
} control = {.home.fd = -1, .other_hosts.fd = -1, .asked = &control.home};

HAFT_START void boot_control_use(int fd, bool spawned)
{
	control.home.fd = fd;
	control.child = spawned;
}

static int answer_number(const char *line, const char *key, int none)
{
	size_t len;
	const char *v = boot_pmi_word(line, key, &len);

	return v != NULL ? atoi(v) : none;
}

/* --- the socket ----------------------------------------------------------------------------- */

static int line_gone(struct control_line *l)
{
	l->gone = true;
	return haft_err(MPI_ERR_OTHER, "the launcher is gone, or has refused a request");
}

static int line_send(struct control_line *l, const char *v, size_t len)
{
	while (len > 0) {
		ssize_t n = send(l->fd, v, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return line_gone(l);
		v += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Takes the first line that has come.  malloc'ed; NULL: no line is complete. */
static char *line_take(struct control_line *l)
{
	char *end = l->have > 0 ? memchr(l->buf, '\n', l->have) : NULL, *line;
	size_t len;

	if (end == NULL)
		return NULL;
	len = (size_t)(end - l->buf);
	line = strndup(l->buf, len);
	l->have -= len + 1;
	memmove(l->buf, end + 1, l->have);
	return line;
}

#define END_POLL_MS 50 /* between two checks whether the job is to end */

/* Waits for bytes, at most `ms' (-1: for ever); false: none have come.  The service of a program
 * without launcher may end the job meanwhile, without an answer: then this process ends with it. */
static bool line_wait(int fd, int ms)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	int n, code;

	do {
		n = poll(&p, 1, ms < 0 ? END_POLL_MS : ms);
		code = n == 0 && ms < 0 ? boot_end_code() : -1;
	} while (ms < 0 && n == 0 && code < 0);
	if (code >= 0) {
		haft_flush();
		_exit(code);
	}
	return n > 0;
}

/* Waits at most `ms' (-1: for ever) for more bytes, and takes them. 1: some have come; 0: none; -1:
 * mpiexec is gone. */
static int line_bytes(struct control_line *l, int ms)
{
	ssize_t n;

	if (l->gone)
		return -1;
	if (!line_wait(l->fd, ms))
		return 0;
	if (l->have == l->room) {
		size_t room = l->room == 0 ? LINE_FIRST : 2 * l->room;
		char *more = realloc(l->buf, room);

		if (more == NULL)
			return -1;
		l->buf = more;
		l->room = room;
	}
	n = recv(l->fd, l->buf + l->have, l->room - l->have, MSG_DONTWAIT);
	if (n > 0)
		l->have += (size_t)n;
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		l->gone = true;
	return l->gone ? -1 : n > 0;
}

/* Sends a request of one line and waits for its answer, which is malloc'ed. */
static int control_ask(struct control_line *l, const struct boot_text *t, char **answer)
{
	int err = t->full ? haft_err(MPI_ERR_NO_MEM, "no memory for a request to the launcher")
			  : line_send(l, t->v, t->len);

	*answer = NULL;
	while (err == 0 && *answer == NULL) {
		char *line = line_take(l);

		if (line == NULL && line_bytes(l, -1) < 0)
			err = line_gone(l);
		else if (line != NULL &&
			 strncmp(line, BOOT_SPAWN_RESULT, strlen(BOOT_SPAWN_RESULT)) == 0)
			control.spawned = line;
		else
			*answer = line;
	}
	return err;
}

/* Asks, and takes the text apart.  *rc: of the answer; *answer is malloc'ed. */
static int control_call(struct boot_text *t, int *rc, char **answer)
{
	int err = control_ask(&control.home, t, answer);

	free(t->v);
	*rc = err == 0 ? answer_number(*answer, "rc", 0) : -1;
	return err;
}

void boot_control_alone(const struct boot *me, struct kvs *launcher)
{
	control.alone = me;
	control.kvs = launcher;
}

bool boot_spawn_same_universe(void)
{
	return control.kvs == NULL;
}

/* A singleton's service is started by its first request. */
static int control_need(void)
{
	struct control_line *home = &control.home;

	if (home->fd >= 0 && !home->gone)
		return 0;
	if (control.alone != NULL && !home->gone) {
		home->fd = boot_service_start(control.alone,
			control.kvs == NULL ? BOOT_SERVICE_OWN : BOOT_SERVICE_FOREIGN);
		return home->fd >= 0 ? 0 : haft_err(MPI_ERR_SPAWN, "%s", boot_error_text());
	}
	return haft_err(MPI_ERR_UNSUPPORTED_OPERATION,
		home->gone ? "the launcher of this process is gone"
			   : "this process has no launcher that can be asked");
}

/* --- spawn ---------------------------------------------------------------------------------- */

static void spawn_key_put(struct boot_text *t, int i, const char *key, const char *value)
{
	boot_text_add(t, "info_key_%d=", i);
	boot_text_escape(t, key, false);
	boot_text_add(t, "\ninfo_val_%d=", i);
	boot_text_escape(t, value, false);
	boot_text_put(t, "\n", 1);
}

/* Where changes of the environment go. */
struct environ_keys {
	struct boot_text *t;
	int n;
};

static void environ_key_put(void *arg, const char *entry)
{
	struct environ_keys *e = arg;

	spawn_key_put(e->t, e->n++, BOOT_KEY_ENV, entry);
}

/* Where a spawn is to go, beside what its commands say. */
struct spawn_route {
	struct control_line *line;
	const char *birth, *hosts; /* hosts: that it needs; NULL: those of the job */
};

static void spawn_part_put(struct boot_text *t, const struct boot_command *c, int i, int n,
	const struct spawn_route *route)
{
	struct environ_keys e = {.t = t};
	char cwd[PATH_MAX];
	int nargs = 0;

	boot_text_add(t, "mcmd=spawn\n" BOOT_SPAWN_ESCAPED "\nnprocs=%d\nexecname=", c->maxprocs);
	boot_text_escape(t, c->path, false);
	boot_text_add(t, "\ntotspawns=%d\nspawnssofar=%d\n", n, i + 1);
	for (; c->argv != NULL && c->argv[nargs] != NULL; nargs++) {
		boot_text_add(t, "arg%d=", nargs + 1);
		boot_text_escape(t, c->argv[nargs], false);
		boot_text_put(t, "\n", 1);
	}
	boot_text_add(t, "argcnt=%d\n", nargs);
	if (i == 0)
		boot_text_add(t, "preput_num=1\npreput_key_0=haft_birth\npreput_val_0=");
	if (i == 0)
		boot_text_escape(t, route->birth, false);
	boot_text_add(t, "\n");
	boot_environ_changes(environ_key_put, &e);
	for (int k = 0; k < c->nkeys; k++)
		spawn_key_put(t, e.n++, c->keys[k].key, c->keys[k].value);
	if (getcwd(cwd, sizeof(cwd)) != NULL)
		spawn_key_put(t, e.n++, BOOT_KEY_WDIR, cwd);
	if (route->hosts != NULL)
		spawn_key_put(t, e.n++, BOOT_KEY_HOSTS, route->hosts);
	boot_text_add(t, "info_num=%d\nendcmd\n", e.n);
}

/* Sends the request to an mpiexec of ours, which is there. */
static int spawn_send(const struct boot_command *c, int n, const struct spawn_route *route)
{
	struct boot_text t = {.v = NULL};
	int err = 0;

	control.asked = route->line;
	for (int i = 0; i < n; i++)
		spawn_part_put(&t, &c[i], i, n, route);
	if (err == 0 && t.full)
		err = haft_err(MPI_ERR_NO_MEM, "no memory for a request to the launcher");
	if (err == 0 && t.len > BOOT_REQUEST_MAX)
		err = haft_err(MPI_ERR_SPAWN,
			"a request of %zu bytes, with all arguments and keys: the launcher takes "
			"%d",
			t.len, BOOT_REQUEST_MAX);
	if (err == 0)
		err = line_send(route->line, t.v, t.len);
	free(t.v);
	return err;
}

static int spawn_ask(const struct boot_command *c, int n, const char *birth)
{
	int err = control_need();

	return err != 0 ? err : spawn_send(c, n, &(struct spawn_route){&control.home, birth, NULL});
}

/* Asks the launcher of another project.  0; -1: it cannot do this; or a class with words. */
static int spawn_ask_launcher(const struct boot_command *c, int n, const char *birth)
{
	int err = boot_parts_make(c, n, birth, &control.parts);

	if (err == 0 && boot_kvs_spawn(control.kvs, control.parts, n) != 0) {
		boot_parts_free(control.parts, n);
		control.parts = NULL;
		err = -1;
	}
	control.command = c;
	control.commands = n;
	control.birth_text = birth;
	control.until = clock_now_ns() + LAUNCHER_S * NS_PER_S;
	return err;
}

int boot_spawn_begin(const struct boot_command *c, int n, const char *birth)
{
	int err = -1;

	if (control.spawning)
		return -1;
	control.total = 0;
	for (int i = 0; i < n; i++)
		control.total += c[i].maxprocs;
	if (control.kvs != NULL)
		err = spawn_ask_launcher(c, n, birth);
	if (err < 0)
		err = spawn_ask(c, n, birth);
	control.spawning = err == 0;
	return err;
}

int boot_spawn_other_hosts(
	const struct boot_command *c, int n, const char *birth, const char *hosts)
{
	struct control_line *l = &control.other_hosts;
	int err;

	if (control.spawning)
		return -1;
	if (l->gone) {
		close(l->fd);
		*l = (struct control_line){.fd = -1, .buf = l->buf, .room = l->room};
	}
	if (l->fd < 0)
		l->fd = boot_service_start(NULL, BOOT_SERVICE_OTHER_HOSTS);
	if (l->fd < 0)
		return haft_err(MPI_ERR_SPAWN, "%s", boot_error_text());
	err = spawn_send(c, n, &(struct spawn_route){l, birth, hosts});
	control.spawning = err == 0;
	return err;
}

/* The answer, in the words of our mpiexec. */
static void launcher_say(const char *fmt, int n)
{
	if (asprintf(&control.spawned, fmt, n) < 0)
		control.spawned = NULL;
}

/* The launcher of another project is waited for no longer. */
static void launcher_slow(void)
{
	boot_kvs_spawn_forget(control.kvs); /* which may still read the parts: they stay */
	control.parts = NULL;
	launcher_say(
		BOOT_SPAWN_RESULT " rc=-1 msg=the launcher has not answered for %d s", LAUNCHER_S);
}

/* Looks for the answer of the launcher of another project.  If it refuses, our service is asked. */
static int launcher_poll(int ms)
{
	int got = boot_kvs_spawned(control.kvs, ms);

	if (got == 0 && clock_now_ns() < control.until)
		return 0;
	if (got == 0) {
		launcher_slow();
		return 1;
	}
	boot_parts_free(control.parts, control.commands);
	control.parts = NULL;
	if (got > 0)
		launcher_say(BOOT_SPAWN_RESULT " rc=0 " BOOT_WORD_N "=%d", control.total);
	else if (spawn_ask(control.command, control.commands, control.birth_text) == 0)
		return 0;
	return 1;
}

int boot_answer_wait(int ms)
{
	if (control.parts != NULL)
		return launcher_poll(ms);
	while (control.spawned == NULL) {
		char *line = line_take(control.asked);
		int got;

		if (line != NULL) {
			control.spawned = line;
			continue;
		}
		got = line_bytes(control.asked, ms);
		if (got <= 0)
			return got;
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
		if (end == v) /* no digit: a refusal before the processes were counted */
			r->errcode[i] = all;
		if (r->errcode[i] != 0)
			r->errcode[i] = MPI_ERR_SPAWN;
		v = end != NULL && end != v && *end == ',' ? end + 1 : NULL;
	}
}

void boot_spawn_end(struct boot_spawned *r)
{
	const char *line = control.spawned != NULL ? control.spawned : "rc=-1 msg=mpiexec is gone";
	size_t len, hosts;
	const char *words = boot_pmi_word(line, "msg", &len);
	const char *list = boot_pmi_word(line, BOOT_WORD_OTHER_HOSTS, &hosts);
	int rc = answer_number(line, "rc", 0);

	*r = (struct boot_spawned){.same_universe = control.kvs == NULL,
		.first = answer_number(line, BOOT_WORD_FIRST, -1),
		.n = answer_number(line, BOOT_WORD_N, 0),
		.world = control.asked == &control.other_hosts
				 ? 0
				 : answer_number(line, BOOT_WORD_WORLD, 0),
		.total = control.total,
		.errcode = calloc((size_t)control.total + 1, sizeof(int)),
		.other_hosts = list != NULL ? strndup(list, hosts) : NULL,
		.err = rc != 0 ? answer_number(line, BOOT_WORD_CLASS, MPI_ERR_SPAWN) : 0};
	if (r->first > 0)
		r->spawn_id = 2 * r->first + (control.asked == &control.other_hosts);
	boot_text_unescape(r->words, sizeof(r->words), words != NULL ? words : "",
		words != NULL ? strlen(words) : 0);
	errcodes_take(r, line, rc != 0 ? MPI_ERR_SPAWN : 0);
	if (r->errcode == NULL)
		r->err = MPI_ERR_NO_MEM;
	free(control.spawned);
	control.spawned = NULL;
	control.spawning = false;
}

HAFT_START const char *boot_birth(void)
{
	struct boot_text t = {.v = NULL};
	char *answer;
	const char *v;
	size_t len;
	int rc;

	if (control.birth != NULL)
		return control.birth;
	if (control.kvs != NULL && getenv(BOOT_BIRTH_VAR) != NULL) {
		control.birth = strdup(getenv(BOOT_BIRTH_VAR));
		unsetenv(BOOT_BIRTH_VAR); /* no program that this one starts has these parents */
	}
	if (!control.child || control.home.fd < 0)
		return control.birth;
	boot_text_add(&t, "cmd=get kvsname=haft key=haft_birth\n");
	if (control_call(&t, &rc, &answer) != 0)
		return NULL;
	v = rc == 0 ? boot_pmi_word(answer, "value", &len) : NULL;
	control.birth = v != NULL ? strdup(v) : NULL;
	free(answer);
	return control.birth;
}

/* --- names, places, connections ------------------------------------------------------------- */

static int launcher_refused(int class, const char *command, const char *service)
{
	return haft_err(
		class, "the name `%.100s' cannot be %s: %s", service, command, boot_error_text());
}

static int launcher_publish(const char *service, const char *port, bool replace)
{
	char old[MPI_MAX_PORT_NAME];
	bool had = replace && boot_kvs_lookup(control.kvs, service, old, sizeof(old)) == 0;
	int err;

	if (had)
		(void)boot_kvs_unpublish(control.kvs, service);
	if (boot_kvs_publish(control.kvs, service, port) == 0)
		return 0;
	err = launcher_refused(MPI_ERR_SERVICE, "published", service);
	if (had)
		(void)boot_kvs_publish(control.kvs, service, old);
	return err;
}

int boot_publish(const char *service, const char *port, bool replace)
{
	struct boot_text t = {.v = NULL};
	int err, rc;
	char *answer;

	if (control.kvs != NULL)
		return launcher_publish(service, port, replace);
	err = control_need();
	if (err != 0)
		return err;
	boot_text_add(&t, "cmd=publish_name service=");
	boot_text_escape(&t, service, true);
	boot_text_add(&t, " port=");
	boot_text_escape(&t, port, true);
	boot_text_add(&t, "%s\n", replace ? " mode=replace" : "");
	err = control_call(&t, &rc, &answer);
	free(answer);
	if (err == 0 && rc != 0)
		err = haft_err(MPI_ERR_SERVICE, "the name `%.100s' is published already", service);
	return err;
}

int boot_lookup(const char *service, char *port, size_t len)
{
	struct boot_text t = {.v = NULL};
	int err, rc;
	const char *v;
	char *answer;
	size_t n;

	if (control.kvs != NULL)
		return boot_kvs_lookup(control.kvs, service, port, len) == 0
			       ? 0
			       : launcher_refused(MPI_ERR_NAME, "looked up", service);
	err = control_need();
	if (err != 0)
		return err;
	boot_text_add(&t, "cmd=lookup_name service=");
	boot_text_escape(&t, service, true);
	boot_text_put(&t, "\n", 1);
	err = control_call(&t, &rc, &answer);
	v = err == 0 && rc == 0 ? boot_pmi_word(answer, "port", &n) : NULL;
	if (v != NULL)
		boot_text_unescape(port, len, v, n);
	else if (err == 0)
		err = haft_err(MPI_ERR_NAME, "no port is published as `%.100s'", service);
	free(answer);
	return err;
}

/* PMI and PMIx withdraw a name whatever its port is. */
static int launcher_unpublish(const char *service, const char *port)
{
	char now[MPI_MAX_PORT_NAME];

	if (boot_kvs_lookup(control.kvs, service, now, sizeof(now)) == 0 && strcmp(now, port) != 0)
		return haft_err(
			MPI_ERR_SERVICE, "`%.100s' is published with another port", service);
	if (boot_kvs_unpublish(control.kvs, service) == 0)
		return 0;
	return launcher_refused(MPI_ERR_SERVICE, "withdrawn", service);
}

int boot_unpublish(const char *service, const char *port)
{
	struct boot_text t = {.v = NULL};
	int err, rc;
	char *answer;

	if (control.kvs != NULL)
		return launcher_unpublish(service, port);
	err = control_need();
	if (err != 0)
		return err;
	boot_text_add(&t, "cmd=unpublish_name service=");
	boot_text_escape(&t, service, true);
	boot_text_add(&t, " port=");
	boot_text_escape(&t, port, true);
	boot_text_put(&t, "\n", 1);
	err = control_call(&t, &rc, &answer);
	if (err == 0 && rc != 0)
		err = haft_err(MPI_ERR_SERVICE, "`%.100s' is %s", service,
			strstr(answer, "another_port") != NULL      ? "published with another port"
			: strstr(answer, "another_process") != NULL ? "published by another process"
								    : "not published in this job");
	free(answer);
	return err;
}

int boot_where(int number, struct boot_location *where)
{
	struct boot_text t = {.v = NULL};
	int err = control_need(), rc;
	char *answer, name[HAFT_RANK_NAME];
	const char *v;
	size_t n;

	if (err != 0)
		return err;
	boot_text_add(&t, "cmd=" BOOT_CMD_WHERE " number=%d\n", number);
	err = control_call(&t, &rc, &answer);
	if (err == 0 && rc != 0)
		err = haft_err(
			MPI_ERR_PROC_ABORTED, "%s has ended", haft_number_name(name, number));
	if (err == 0) {
		*where = (struct boot_location){.host = answer_number(answer, "host", 0),
			.pid = answer_number(answer, "pid", 0)};
		v = boot_pmi_word(answer, "name", &n);
		boot_text_unescape(
			where->name, sizeof(where->name), v != NULL ? v : "", v != NULL ? n : 0);
		v = boot_pmi_word(answer, "addr", &n);
		boot_text_unescape(
			where->addr, sizeof(where->addr), v != NULL ? v : "", v != NULL ? n : 0);
	}
	free(answer);
	return err;
}

/* A request whose answer says nothing. */
static int line_request(struct control_line *l, struct boot_text *t)
{
	char *answer = NULL;
	int err = l->fd >= 0 && !l->gone ? control_ask(l, t, &answer) : 0;

	free(t->v);
	free(answer);
	return err;
}

int boot_listen_show(const char *addr)
{
	struct boot_text t = {.v = NULL};

	boot_text_add(&t, "cmd=" BOOT_CMD_SHOW " addr=%s\n", addr);
	return line_request(&control.home, &t);
}

static void runs_put(struct boot_text *t, const struct boot_run *v, int n)
{
	for (int i = 0; i < n; i++)
		boot_text_add(t, "%s%d+%d", i > 0 ? "," : "", v[i].first, v[i].n);
}

/* A request about some processes. */
static void runs_tell(struct control_line *l, const char *command, const struct boot_run *v, int n)
{
	struct boot_text t = {.v = NULL};

	boot_text_add(&t, "cmd=%s runs=", command);
	runs_put(&t, v, n);
	boot_text_put(&t, "\n", 1);
	(void)line_request(l, &t);
}

void boot_connected(const struct boot_run *v, int n)
{
	runs_tell(&control.home, BOOT_CMD_CONNECTED, v, n);
}

void boot_disconnected(const struct boot_run *v, int n)
{
	runs_tell(&control.home, BOOT_CMD_DISCONNECTED, v, n);
}

/* The launcher of a spawn. */
static struct control_line *spawn_line(int spawn_id)
{
	return spawn_id % 2 != 0 ? &control.other_hosts : &control.home;
}

void boot_spawn_disconnected(int spawn_id)
{
	const struct boot_run first = {spawn_id / 2, 1};

	runs_tell(spawn_line(spawn_id), BOOT_CMD_DISCONNECTED, &first, 1);
}

int boot_children_live(int spawn_id)
{
	struct boot_text t = {.v = NULL};
	char *answer, words[BOOT_WORDS] = "";
	const char *v = NULL;
	int err;

	boot_text_add(&t, "cmd=" BOOT_CMD_CHILDREN " first=%d end=0\n", spawn_id / 2);
	err = control_ask(spawn_line(spawn_id), &t, &answer);
	free(t.v);
	if (err != 0)
		return haft_err(MPI_ERR_SPAWN, "their launcher is gone");
	if (answer_number(answer, "rc", 0) != 0)
		v = strstr(answer, "msg=");
	if (v != NULL) {
		boot_text_unescape(words, sizeof(words), v + 4, strlen(v + 4));
		err = haft_err(MPI_ERR_SPAWN, "%s", words);
	}
	free(answer);
	return err;
}

void boot_children_end(int spawn_id)
{
	struct boot_text t = {.v = NULL};

	boot_text_add(&t, "cmd=" BOOT_CMD_CHILDREN " first=%d end=1\n", spawn_id / 2);
	(void)line_request(spawn_line(spawn_id), &t);
}

bool boot_group_abort(const struct boot_run *v, int n, int code, const char *text, bool last)
{
	struct boot_text t = {.v = NULL};

	if (control.home.fd < 0 || control.home.gone || control.kvs != NULL)
		return false;
	boot_text_add(&t, "cmd=" BOOT_CMD_ABORT " code=%d last=%d runs=", code, last);
	runs_put(&t, v, n);
	if (last)
		boot_text_add(&t, " msg=");
	for (; last && *text != '\0'; text++)
		boot_text_put(&t, *text != '\n' ? text : " ", 1);
	boot_text_put(&t, "\n", 1);
	return line_request(&control.home, &t) == 0;
}

int boot_universe_size(void)
{
	struct boot_text t = {.v = NULL};
	int rc, n;
	char *answer;

	if (control.home.fd < 0 || control.home.gone)
		return -1;
	boot_text_add(&t, "cmd=get_universe_size\n");
	n = control_call(&t, &rc, &answer) == 0 && rc == 0 ? answer_number(answer, "size", -1) : -1;
	free(answer);
	return n;
}

/* Sends a line that has no answer, and waits for nothing. */
static void line_tell(const struct control_line *l, const char *fmt, uint32_t value)
{
	char line[64];
	int n;

	if (l->fd < 0 || l->gone)
		return;
	n = snprintf(line, sizeof(line), fmt, value);
	(void)!send(l->fd, line, (size_t)n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void boot_control_ft(uint32_t what)
{
	if (control.kvs == NULL)
		line_tell(&control.home, "cmd=" BOOT_CMD_FT " what=%u\n", what);
}

HAFT_START void boot_control_state(uint32_t state)
{
	static const char said[] = "cmd=" BOOT_CMD_STATE " state=%u\n";

	if (control.kvs != NULL)
		line_tell(&control.home, said, state);
	line_tell(&control.other_hosts, said, state);
}
