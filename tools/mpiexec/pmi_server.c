// SPDX-License-Identifier: BSD-3-Clause
/* pmi_server.c - PMI version 1, server side, for the ranks of this host.
 *
 *   rank ---- "cmd=get key=K\n" ----> line ----> verbs[] ----> "cmd=get_result rc=0 value=V\n"
 *                                                  |-- put, get: a tree of keys, of a world
 *                                                  |-- barrier_in: answered when all ranks are in
 *                                                  '-- spawn, names: to the root (pmi_request_fn)
 *
 *  - A client has one request in flight, so the answer fits into the socket.  A client that does
 *    not read, or sends an endless request, is disconnected; its death then ends the job.
 *  - init, finalize and abort set the rank's state in the segment as MPI_Init, MPI_Finalize and
 *    MPI_Abort do, so its death is judged by the same rules.
 *  - A request of several lines, mcmd=spawn ... endcmd, is handed on in one text. */
#include "tools/mpiexec/pmi_server.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/mpiexec_words.h"
#include "libmpi/boot/pmi_word.h"
#include "libobj/base.h"
#include "tools/mpiexec/local_ranks.h"

/* Limits that get_maxes reports. */
#define NAME_MAX_LEN  256
#define KEY_MAX_LEN   64
#define VALUE_MAX_LEN 1024

#define LINE_FIRST 4096 /* bytes of a client's buffer at first */
#define FD_MIN     100  /* low numbers are left to scripts */
#define EVENTS     32   /* clients served per pass */

struct pmi_client {
	int fd;      /* server's end; -1: none, or closed */
	bool spoke;  /* has sent cmd=init; Haft programs never do */
	bool in;     /* waits in the barrier */
	size_t have; /* bytes in `line' */
	size_t room; /* of `line' */
	char *line;  /* allocated at the first request */
};

/* A key and its value, in one allocation. */
struct pmi_pair {
	char *value;
	char key[];
};

/* Keys and barrier of one world. */
struct pmi_space {
	struct pmi_space *next;
	const struct world *world;
	int in;      /* ranks in the barrier */
	void *table; /* of struct pmi_pair, by key (tsearch) */
};

struct pmi_server {
	struct local_ranks *local;
	struct pmi_client **client; /* by row; they never move */
	int n;
	int epoll;
	struct pmi_space *space; /* a list */
	pmi_request_fn *request;
	void *request_arg;
	char name[NAME_MAX_LEN];
};

/* --- the table ------------------------------------------------------------------------------ */

static int pmi_pair_order(const void *a, const void *b)
{
	return strcmp(((const struct pmi_pair *)a)->key, ((const struct pmi_pair *)b)->key);
}

static struct pmi_pair *pmi_pair_new(const char *key, const char *value)
{
	size_t k = strlen(key) + 1, v = strlen(value) + 1;
	struct pmi_pair *e = mem_grow(NULL, 1, sizeof(*e) + k + v);

	e->value = e->key + k;
	memcpy(e->key, key, k);
	memcpy(e->value, value, v);
	return e;
}

/* Returns false if the key exists. */
static bool table_put(struct pmi_space *p, const char *key, const char *value)
{
	struct pmi_pair *e = pmi_pair_new(key, value);
	struct pmi_pair **at = tsearch(e, &p->table, pmi_pair_order);

	if (at == NULL)
		fatal(1, "no memory");
	if (*at != e)
		free(e);
	return *at == e;
}

/* The value, or NULL. */
static const char *table_get(const struct pmi_space *p, const char *key)
{
	struct pmi_pair *e = pmi_pair_new(key, "");
	struct pmi_pair **at = tfind(e, &p->table, pmi_pair_order);

	free(e);
	return at != NULL ? (*at)->value : NULL;
}

static struct pmi_space *space_new(struct pmi_server *p, const struct world *w)
{
	struct pmi_space *s = mem_grow(NULL, 1, sizeof(*s));
	char mapping[64];

	*s = (struct pmi_space){.world = w, .next = p->space};
	p->space = s;
	snprintf(mapping, sizeof(mapping), "(vector,(0,1,%d))", w->n);
	table_put(s, "PMI_process_mapping", mapping);
	for (int i = 0; i < w->npreputs; i++)
		table_put(s, w->preput[i].key, w->preput[i].value);
	return s;
}

/* The space of a client's world, made at its first request. */
static struct pmi_space *space_of(struct pmi_server *p, int local)
{
	const struct world *w = p->local->m[local].world;
	struct pmi_space *s = p->space;

	while (s != NULL && s->world != w)
		s = s->next;
	return s != NULL ? s : space_new(p, w);
}

void pmi_space_drop(struct pmi_server *p, const struct world *w)
{
	struct pmi_space **at, *s;

	if (p == NULL)
		return;
	for (at = &p->space; *at != NULL && (*at)->world != w; at = &(*at)->next)
		continue;
	s = *at;
	if (s == NULL)
		return;
	*at = s->next;
	tdestroy(s->table, free);
	free(s);
}

/* --- requests ------------------------------------------------------------------------------- */

static void hang_up(struct pmi_server *p, int local)
{
	struct pmi_client *c = p->client[local];

	if (c->fd >= 0) {
		epoll_ctl(p->epoll, EPOLL_CTL_DEL, c->fd, NULL); /* a child may hold it, too */
		close(c->fd);
	}
	c->fd = -1;
	if (c->in)
		space_of(p, local)->in--;
	c->in = c->spoke = false;
	c->have = c->room = 0;
	free(c->line);
	c->line = NULL;
}

void pmi_reply(struct pmi_server *p, int local, const char *line)
{
	struct pmi_client *c = p->client[local];
	size_t n = strlen(line);

	if (c->fd >= 0 && send(c->fd, line, n, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)n)
		hang_up(p, local);
}

__attribute__((format(printf, 3, 4))) static void pmi_answer(
	struct pmi_server *p, int local, const char *fmt, ...)
{
	va_list ap;
	char *line;

	va_start(ap, fmt);
	line = text_new_args(fmt, ap);
	va_end(ap);
	pmi_reply(p, local, line);
	free(line);
}

/* Copies the value of `key' in a request to `copy', of `size' bytes.  Returns NULL if it is
 * missing or too long.  value=... is the last word and may contain blanks. */
static const char *word_of(const char *line, const char *key, char *copy, size_t size)
{
	size_t n = strlen(key), len;
	const char *s = line;

	while (s != NULL && (strncmp(s, key, n) != 0 || s[n] != '=')) {
		s = strchr(s, ' ');
		s = s != NULL ? s + strspn(s, " ") : NULL;
	}
	if (s == NULL)
		return NULL;
	s += n + 1;
	len = strcmp(key, "value") == 0 ? strlen(s) : strcspn(s, " ");
	if (len >= size)
		return NULL;
	memcpy(copy, s, len);
	copy[len] = '\0';
	return copy;
}

static struct boot_rank *pmi_page(const struct pmi_server *p, int local)
{
	return local_page(p->local, local);
}

/* Writes the job's abort record as boot_abort does, and ends the rank; its death is then
 * reported. */
static void abort_record(struct pmi_server *p, int local, int code, const char *text)
{
	struct boot_job *job = shm_seg_job(p->local->seg);
	const struct local_rank *m = &p->local->m[local];

	if (atomic_exchange(&job->taken, 1) == 0) {
		job->rank = m->rank;
		job->first = m->world->first;
		job->pid = (int32_t)m->pid;
		job->code = code;
		snprintf(job->text, sizeof(job->text), "%s", text);
		atomic_store(&job->ready, 1);
	}
	atomic_store(&pmi_page(p, local)->state, BOOT_ABORTED);
	if (m->group > 0)
		kill(-m->group, SIGTERM);
}

static void do_init(struct pmi_server *p, int local, const char *line)
{
	struct boot_rank *page = pmi_page(p, local);
	char version[16];
	int32_t none = 0;

	p->client[local]->spoke = true;
	if (local_count(p->local, p->local->m[local].world) != p->local->m[local].world->n) {
		abort_record(p, local, 1,
			"mpiexec: this is a program of another MPI, which we start on one host "
			"only: build it with our mpicc, or start it with its own mpiexec");
		return;
	}
	if (word_of(line, "pmi_version", version, sizeof(version)) == NULL ||
		strcmp(version, "1") != 0) {
		pmi_answer(p, local, "cmd=response_to_init rc=-1 pmi_version=1 pmi_subversion=1\n");
		return;
	}
	atomic_compare_exchange_strong(&page->pid, &none, (int32_t)p->local->m[local].pid);
	atomic_store(&page->state, BOOT_RUNNING);
	pmi_answer(p, local, "cmd=response_to_init rc=0 pmi_version=1 pmi_subversion=1\n");
}

static void do_maxes(struct pmi_server *p, int local, const char *line)
{
	(void)line;
	pmi_answer(p, local, "cmd=maxes rc=0 kvsname_max=%d keylen_max=%d vallen_max=%d\n",
		NAME_MAX_LEN, KEY_MAX_LEN, VALUE_MAX_LEN);
}

static void do_appnum(struct pmi_server *p, int local, const char *line)
{
	const struct local_rank *m = &p->local->m[local];

	(void)line;
	pmi_answer(p, local, "cmd=appnum rc=0 appnum=%d\n", m->world->app[m->app].appnum);
}

static void do_universe(struct pmi_server *p, int local, const char *line)
{
	(void)line;
	pmi_answer(p, local, "cmd=universe_size rc=0 size=%d\n", p->local->plan->universe);
}

static void do_name(struct pmi_server *p, int local, const char *line)
{
	(void)line;
	pmi_answer(p, local, "cmd=my_kvsname rc=0 kvsname=%s\n", p->name);
}

static void do_put(struct pmi_server *p, int local, const char *line)
{
	char key[KEY_MAX_LEN + 1], value[VALUE_MAX_LEN + 1];
	const char *why = "ok";

	if (word_of(line, "key", key, sizeof(key)) == NULL)
		why = "no_key_or_too_long";
	else if (word_of(line, "value", value, sizeof(value)) == NULL)
		why = "no_value_or_too_long";
	else if (!table_put(space_of(p, local), key, value))
		why = "key_is_there";
	pmi_answer(p, local, "cmd=put_result rc=%d msg=%s\n", strcmp(why, "ok") == 0 ? 0 : -1, why);
}

static void do_get(struct pmi_server *p, int local, const char *line)
{
	char key[KEY_MAX_LEN + 1];
	const char *value = NULL;

	if (word_of(line, "key", key, sizeof(key)) != NULL)
		value = table_get(space_of(p, local), key);
	if (value != NULL)
		pmi_answer(p, local, "cmd=get_result rc=0 msg=ok value=%s\n", value);
	else
		pmi_answer(p, local, "cmd=get_result rc=-1 msg=no_such_key value=unknown\n");
}

/* True if Haft programs are in the world as well: the two kinds cannot communicate. */
static bool mixed(const struct pmi_server *p, const struct world *w)
{
	for (int i = 0; i < p->local->n; i++)
		if (p->local->m[i].world == w && !p->client[i]->spoke &&
			atomic_load(&pmi_page(p, i)->state) == BOOT_RUNNING)
			return true;
	return false;
}

static void do_barrier(struct pmi_server *p, int local, const char *line)
{
	struct pmi_space *s = space_of(p, local);

	(void)line;
	if (!p->client[local]->in)
		s->in++;
	p->client[local]->in = true;
	if (mixed(p, s->world)) {
		abort_record(p, local, 1,
			"mpiexec: programs of two MPIs are in this job, which cannot exchange "
			"messages");
		return;
	}
	if (s->in < s->world->n)
		return;
	s->in = 0;
	for (int i = 0; i < p->local->n; i++) {
		if (p->local->m[i].world != s->world)
			continue;
		p->client[i]->in = false;
		pmi_answer(p, i, "cmd=barrier_out rc=0\n");
	}
}

static void do_finalize(struct pmi_server *p, int local, const char *line)
{
	(void)line;
	atomic_store(&pmi_page(p, local)->state, BOOT_DONE);
	pmi_answer(p, local, "cmd=finalize_ack rc=0\n");
}

static void do_abort(struct pmi_server *p, int local, const char *line)
{
	char code[16];

	abort_record(p, local,
		word_of(line, "exitcode", code, sizeof(code)) != NULL ? atoi(code) : 1, "");
}

/* The state of a rank without a seat, which mpiexec cannot see. */
static void do_state(struct pmi_server *p, int local, const char *line)
{
	char state[16];

	if (word_of(line, "state", state, sizeof(state)) != NULL)
		p->local->m[local].end = (uint32_t)atoi(state);
}

/* For the root: it knows all worlds, hosts and names. */
static void do_request(struct pmi_server *p, int local, const char *line)
{
	p->request(p->request_arg, p->local->m[local].entry, line);
}

static const struct {
	const char *name;
	void (*work)(struct pmi_server *p, int local, const char *line);
} commands[] = {{"get", do_get}, {"put", do_put}, {"barrier_in", do_barrier}, {"init", do_init},
	{"get_maxes", do_maxes}, {"get_appnum", do_appnum}, {"get_universe_size", do_universe},
	{"get_my_kvsname", do_name}, {"finalize", do_finalize}, {"abort", do_abort},
	{"publish_name", do_request}, {"unpublish_name", do_request}, {"lookup_name", do_request},
	{BOOT_CMD_WHERE, do_request}, {BOOT_CMD_SHOW, do_request}, {BOOT_CMD_CONNECTED, do_request},
	{BOOT_CMD_DISCONNECTED, do_request}, {BOOT_CMD_CHILDREN, do_request},
	{BOOT_CMD_FT, do_request}, {BOOT_CMD_ABORT, do_request}, {BOOT_CMD_STATE, do_state}};

/* Processes one request. */
static void request_work(struct pmi_server *p, int local, const char *line)
{
	char command[32], why[128];

	if (strncmp(line, "mcmd=spawn", 10) == 0) {
		do_request(p, local, line);
		return;
	}
	if (word_of(line, "cmd", command, sizeof(command)) == NULL)
		command[0] = '\0';
	for (size_t i = 0; i < countof(commands); i++)
		if (strcmp(commands[i].name, command) == 0) {
			commands[i].work(p, local, line);
			return;
		}
	snprintf(
		why, sizeof(why), "mpiexec: a request by PMI that we do not know: \"%.60s\"", line);
	abort_record(p, local, 1, why);
}

/* The number after "KEY=" at the start of a line of a request; -1: none. */
static int number_in(const char *from, const char *end, const char *key)
{
	size_t len = strlen(key);

	while (from != NULL && from < end) {
		if (strncmp(from, key, len) == 0 && from[len] == '=')
			return atoi(from + len + 1);
		from = memchr(from, '\n', (size_t)(end - from));
		from = from != NULL ? from + 1 : NULL;
	}
	return -1;
}

#define END_LINE "\nendcmd\n"

/* The end of the request that begins at `from' and ends before `end': its last newline.  A spawn of
 * several programs is several parts, and each says how many there are.  NULL: it is not
 * complete. */
static char *request_end(char *from, char *end)
{
	int parts = 1;
	char *last = memchr(from, '\n', (size_t)(end - from));

	if (strncmp(from, "mcmd=", 5) != 0)
		return last;
	for (int i = 0; i < parts; i++) {
		char *part = from;

		last = memmem(from, (size_t)(end - from), END_LINE, strlen(END_LINE));
		if (last == NULL)
			return NULL;
		last += strlen(END_LINE) - 1;
		parts = number_in(part, last, "totspawns");
		from = last + 1;
	}
	return last;
}

/* Processes complete requests.  There is a 0 behind the bytes of a client. */
static void lines_work(struct pmi_server *p, int local)
{
	struct pmi_client *c = p->client[local];
	char *from = c->line, *end;

	while (c->fd >= 0 && (end = request_end(from, c->line + c->have)) != NULL) {
		*end = '\0';
		request_work(p, local, from);
		from = end + 1;
	}
	if (c->fd < 0)
		return;
	c->have -= (size_t)(from - c->line);
	memmove(c->line, from, c->have);
	if (c->have == BOOT_REQUEST_MAX ||
		(c->have >= BOOT_LINE_MAX && strncmp(c->line, "mcmd=", 5) != 0))
		hang_up(p, local);
}

static void client_work(struct pmi_server *p, int local)
{
	struct pmi_client *c = p->client[local];
	ssize_t n;

	if (c->fd < 0)
		return;
	if (c->have == c->room) {
		c->room = c->room == 0 ? LINE_FIRST : 2 * c->room;
		c->line = mem_grow(c->line, c->room + 1, 1);
	}
	n = recv(c->fd, c->line + c->have, c->room - c->have, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		hang_up(p, local);
		return;
	}
	c->have += (size_t)n;
	c->line[c->have] = '\0';
	lines_work(p, local);
}

/* --- the server ----------------------------------------------------------------------------- */

struct pmi_server *pmi_new(struct local_ranks *c, pmi_request_fn *request, void *arg)
{
	struct pmi_server *p = mem_grow(NULL, 1, sizeof(*p));
	struct timespec t;

	*p = (struct pmi_server){.local = c,
		.epoll = fd_keep(epoll_create1(EPOLL_CLOEXEC)),
		.request = request,
		.request_arg = arg};
	if (p->epoll < 0) {
		free(p);
		return NULL;
	}
	clock_gettime(CLOCK_REALTIME, &t);
	/* clients derive the names of their shared memory from it */
	snprintf(p->name, sizeof(p->name), "haft_%d_%llx", (int)getpid(),
		(unsigned long long)t.tv_sec * NS_PER_S + (unsigned long long)t.tv_nsec);
	return p;
}

void pmi_take(struct pmi_server *p, int local, int fd)
{
	struct epoll_event e = {.events = EPOLLIN, .data.u32 = (uint32_t)local};

	if (local >= p->n) {
		p->client = mem_grow(p->client, (size_t)local + 1, sizeof(*p->client));
		while (p->n <= local) {
			p->client[p->n] = mem_grow(NULL, 1, sizeof(struct pmi_client));
			*p->client[p->n++] = (struct pmi_client){.fd = -1};
		}
	}
	hang_up(p, local);
	p->client[local]->fd = fd;
	epoll_ctl(p->epoll, EPOLL_CTL_ADD, fd, &e);
}

void pmi_drop(struct pmi_server *p, int local)
{
	if (p != NULL && local < p->n)
		hang_up(p, local);
}

int pmi_give(struct pmi_server *p, int local)
{
	int two[2], high;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, two) != 0)
		return -1;
	pmi_take(p, local, fd_keep(two[0]));
	high = fcntl(two[1], F_DUPFD_CLOEXEC, FD_MIN);
	if (high < 0)
		return two[1];
	close(two[1]);
	return high;
}

int pmi_fd(const struct pmi_server *p)
{
	return p != NULL ? p->epoll : -1;
}

void pmi_work(struct pmi_server *p)
{
	struct epoll_event e[EVENTS];
	int n = epoll_wait(p->epoll, e, EVENTS, 0);

	for (int i = 0; i < n; i++)
		client_work(p, (int)e[i].data.u32);
}

void pmi_free(struct pmi_server *p)
{
	if (p == NULL)
		return;
	for (int i = 0; i < p->n; i++) {
		hang_up(p, i);
		free(p->client[i]);
	}
	while (p->space != NULL)
		pmi_space_drop(p, p->space->world);
	close(p->epoll);
	free(p->client);
	free(p);
}
