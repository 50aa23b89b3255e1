// SPDX-License-Identifier: BSD-3-Clause
/* proxy_tree.c - see proxy_tree.h. */
#include "tools/mpiexec/proxy_tree.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/mpiexec/launch.h"
#include "tools/mpiexec/limits.h"
#include "tools/mpiexec/start_gather.h"

#define EVENTS   64
#define LINE_MAX 1024 /* bytes of a command's stderr that form one line */

/* The source of an epoll event: a child, and which of its fds. */
enum what { ON_IN, ON_OUT, ON_ERR, ONS };

static int parent_of(const struct plan *p, int node)
{
	return node > p->ntree ? 0 : (node - 1) / p->fanout;
}

static int node_of(const struct plan *p, int host)
{
	int k = 0;

	while (p->order[k] != host)
		k++;
	return k + 1;
}

bool tree_behind(const struct plan *p, int host, int top)
{
	int node = node_of(p, host), at = node_of(p, top);

	while (node > at)
		node = parent_of(p, node);
	return node == at;
}

/* Sends a text about the host of child `c' up. */
__attribute__((format(printf, 4, 5))) static void up_text(struct proxy_tree *t,
	const struct proxy_child *c, enum frame_kind kind, const char *fmt, ...)
{
	struct proxy_frame f = {.kind = (uint16_t)kind, .host = c->host, .rank = -1};
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	f.len = (uint32_t)n;
	t->up(t->arg, &f, s);
	free(s);
}

static void child_watch(struct proxy_tree *t, int i, enum what what, int fd, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.u64 = (uint64_t)i * ONS + what};

	if (epoll_ctl(t->epfd, EPOLL_CTL_ADD, fd, &ev) != 0)
		fatal(1, "epoll: %s", strerror(errno));
}

void tree_init(struct proxy_tree *t, const struct plan *p, int node, link_take_fn *up, void *arg)
{
	*t = (struct proxy_tree){.plan = p, .node = node, .up = up, .arg = arg};
	t->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (t->epfd < 0)
		fatal(1, "epoll: %s", strerror(errno));
	for (int k = node * p->fanout + 1; k <= node * p->fanout + p->fanout && k <= p->ntree; k++)
		t->n++;
	t->child = mem_grow(NULL, (size_t)t->n + 1, sizeof(*t->child));
	for (int i = 0; i < t->n; i++) {
		int k = node * p->fanout + 1 + i;

		t->child[i] = (struct proxy_child){.node = k, .host = p->order[k - 1], .err = -1};
	}
}

/* Closes the link of a child.  How its command ends may explain it a moment later. */
static void child_die(struct proxy_tree *t, struct proxy_child *c, uint64_t now)
{
	if (c->dead)
		return;
	link_close(&c->link);
	c->dead = true;
	c->dead_ns = now;
	if (t->bye)
		c->said = true;
}

/* A hint for an error of launch_proxy, or an empty text. */
static const char *child_hint(const char *step, int err)
{
	if (err == ENOENT && strcmp(step, "ssh") == 0)
		return "; apt-get install openssh-client, or -launcher names another command";
	return limit_words(err);
}

static void child_start(struct proxy_tree *t, int i, const struct marshal *conf, uint64_t now)
{
	struct proxy_child *c = &t->child[i];
	struct proxy_frame f = {.kind = FRAME_CONF, .host = c->host, .rank = c->node};
	struct launch_ends l;
	const char *step;

	c->begun_ns = now;
	if (launch_proxy(t->plan, c->host, &l, &step) != 0) {
		c->link.in = c->link.out = -1;
		c->ended = c->said = true;
		child_die(t, c, now);
		up_text(t, c, UP_LOST, "its proxy could not be started: %s: %s%s", step,
			strerror(errno), child_hint(step, errno));
		return;
	}
	c->pid = l.pid;
	c->err = l.err;
	link_open(&c->link, l.out, l.in, now);
	child_watch(t, i, ON_IN, l.out, EPOLLIN);
	child_watch(t, i, ON_OUT, l.in, EPOLLOUT | EPOLLET);
	child_watch(t, i, ON_ERR, l.err, EPOLLIN);
	f.len = (uint32_t)conf->len;
	link_put(&c->link, &f, conf->v);
}

void tree_start(struct proxy_tree *t, const struct marshal *conf)
{
	uint64_t now = clock_now_ns();

	t->clock_ns = now;
	for (int i = 0; i < t->n; i++)
		child_start(t, i, conf, now);
	tree_write(t, now);
}

void tree_add(struct proxy_tree *t, int host, const struct marshal *conf, uint64_t now)
{
	int k = node_of(t->plan, host);

	t->child = mem_grow(t->child, (size_t)t->n + 1, sizeof(*t->child));
	t->child[t->n] = (struct proxy_child){.node = k, .host = host, .err = -1};
	child_start(t, t->n++, conf, now);
	tree_write(t, now);
}

/* Ends a launcher command whose proxy has not said hello.  It has its own session, and may hang. */
static void child_stop(struct proxy_tree *t, struct proxy_child *c, int sig)
{
	kill(-c->pid, sig == SIGKILL ? SIGKILL : SIGTERM);
	child_die(t, c, clock_now_ns());
}

void tree_down(struct proxy_tree *t, const struct proxy_frame *f, const void *v)
{
	bool ends = f->kind == FRAME_END || (f->kind == FRAME_SIGNAL && f->which == SIGKILL);

	t->fresh = true;
	for (int i = 0; i < t->n; i++) {
		struct proxy_child *c = &t->child[i];

		if (ends && c->pid > 0 && !c->link.hello)
			child_stop(t, c, f->which);
		if (!c->dead && (f->host < 0 || tree_behind(t->plan, f->host, c->host)))
			link_put(&c->link, f, v);
	}
	if (f->kind == FRAME_BYE)
		t->bye = true;
}

int tree_fd(const struct proxy_tree *t)
{
	return t->epfd;
}

/* --- what comes from below ------------------------------------------------------------------ */

struct child_arg {
	struct proxy_tree *t;
	struct proxy_child *c;
};

static void child_frame(void *arg, const struct proxy_frame *f, const char *v)
{
	struct child_arg *from = arg;

	if (f->kind >= UP_READY && f->host >= 0 && f->host < from->t->plan->nhosts)
		from->t->up(from->t->arg, f, v);
}

static void child_take(void *arg, const struct proxy_frame *f, const char *v)
{
	struct child_arg *from = arg;

	from->t->nframes += f->kind != FRAME_PING;
	if (f->kind == UP_GATHERED)
		start_gather_each(f, v, child_frame, arg);
	else
		child_frame(arg, f, v);
}

static void child_preamble(void *arg, const char *line)
{
	struct child_arg *from = arg;

	if (line[0] != '\0')
		up_text(from->t, from->c, UP_TEXT, "%s", line);
}

/* Forwards a line of the command's stderr.  Proxies that cannot send frames print "mpiexec: ". */
static void err_line(struct proxy_tree *t, struct proxy_child *c, size_t len)
{
	const char *s = c->line.v;

	while (len > 0 && s[len - 1] == '\r')
		len--;
	if (len >= 9 && memcmp(s, "mpiexec: ", 9) == 0)
		s += 9, len -= 9;
	if (len > 0)
		up_text(t, c, UP_TEXT, "%.*s", (int)len, s);
}

static void err_read(struct proxy_tree *t, struct proxy_child *c)
{
	char buf[LINE_MAX];
	ssize_t n = read(c->err, buf, sizeof(buf));
	const char *nl;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		err_line(t, c, c->line.len);
		c->line.len = 0;
		close(c->err);
		c->err = -1;
		return;
	}
	marshal_put(&c->line, buf, (size_t)n);
	while ((nl = memchr(c->line.v, '\n', c->line.len)) != NULL || c->line.len >= LINE_MAX) {
		size_t len = nl != NULL ? (size_t)(nl - c->line.v) : c->line.len;

		err_line(t, c, len);
		len += nl != NULL;
		memmove(c->line.v, c->line.v + len, c->line.len - len);
		c->line.len -= len;
	}
}

void tree_write(struct proxy_tree *t, uint64_t now)
{
	t->fresh = false;
	for (int i = 0; i < t->n; i++) {
		struct proxy_child *c = &t->child[i];
		struct child_arg from = {t, c};

		if (c->dead || link_write(&c->link, now))
			continue;
		link_read(&c->link, child_take, child_preamble, &from, now); /* its last frames */
		child_die(t, c, now);
	}
}

void tree_work(struct proxy_tree *t, uint64_t now)
{
	struct epoll_event ev[EVENTS];
	int n = epoll_wait(t->epfd, ev, EVENTS, 0);

	for (int i = 0; i < n; i++) {
		struct proxy_child *c = &t->child[ev[i].data.u64 / ONS];
		struct child_arg from = {t, c};
		enum what what = (enum what)(ev[i].data.u64 % ONS);

		if (what == ON_ERR && c->err >= 0)
			err_read(t, c);
		else if (what == ON_IN && !c->dead &&
			 !link_read(&c->link, child_take, child_preamble, &from, now))
			child_die(t, c, now);
	}
	tree_write(t, now);
}

/* --- lost children -------------------------------------------------------------------------- */

/* How the launcher's command has ended, in words. */
static char *ending_of(const struct proxy_tree *t, const struct proxy_child *c)
{
	const char *name = launch_name(t->plan, c->host);

	if (!c->ended)
		return text_new("%s", "");
	if (WIFSIGNALED(c->status))
		return text_new(": %s was killed by signal %d (%s)", name, WTERMSIG(c->status),
			strsignal(WTERMSIG(c->status)));
	if (WEXITSTATUS(c->status) == EXIT_NONE)
		return text_new(
			": %s exited with code 127: is there a %s on that host? -prefix says "
			"where it is",
			name, t->plan->proxy_path);
	return text_new(": %s exited with code %d", name, WEXITSTATUS(c->status));
}

static void lost_say(struct proxy_tree *t, struct proxy_child *c)
{
	const char *trouble = c->link.trouble;
	char *ending = ending_of(t, c);

	c->said = true;
	if (!c->link.hello && trouble != NULL)
		up_text(t, c, UP_LOST, "its proxy could not be started: %s", trouble);
	else if (!c->link.hello)
		up_text(t, c, UP_LOST, "its proxy could not be started%s", ending);
	else if (trouble != NULL)
		up_text(t, c, UP_LOST, "the connection to its proxy is lost: %s", trouble);
	else
		up_text(t, c, UP_LOST, "the connection to its proxy is lost%s", ending);
	free(ending);
	if (c->pid > 0)
		kill(c->pid, SIGKILL); /* the command has nothing left to carry */
}

/* Checks one child: is it alive, is a heartbeat due? */
static void child_clock(struct proxy_tree *t, struct proxy_child *c, uint64_t now)
{
	struct proxy_frame ping = {.kind = FRAME_PING, .host = -1, .rank = -1};
	uint64_t silent = c->link.read_ns > now ? 0 : now - c->link.read_ns;

	if (c->dead) {
		uint64_t wait = c->ended || c->link.trouble != NULL ? WORDS_MS : ENDING_MS;

		if (!c->said && ((c->ended && c->err < 0) || now - c->dead_ns >= wait * NS_PER_MS))
			lost_say(t, c);
		return;
	}
	if (!c->link.hello && now - c->begun_ns >= START_MS * NS_PER_MS) {
		c->link.trouble = "it has not said hello in time";
		child_die(t, c, now);
	} else if (c->link.hello && silent >= SILENT_MS * NS_PER_MS) {
		c->link.trouble =
			"it has been silent for too long: the host or the network is down";
		child_die(t, c, now);
	} else if (now - c->link.written_ns >= HEARTBEAT_MS * NS_PER_MS) {
		link_put(&c->link, &ping, NULL);
	}
}

void tree_clock(struct proxy_tree *t, uint64_t now)
{
	/* After a long stop of this process, no child counts as silent. */
	bool slept = now - t->clock_ns >= (uint64_t)3 * HEARTBEAT_MS * NS_PER_MS;

	t->clock_ns = now;
	for (int i = 0; i < t->n; i++) {
		if (slept && !t->child[i].dead)
			t->child[i].link.read_ns = now;
		child_clock(t, &t->child[i], now);
	}
	tree_write(t, now);
}

bool tree_reap(struct proxy_tree *t, pid_t pid, int status)
{
	for (int i = 0; i < t->n; i++) {
		struct proxy_child *c = &t->child[i];

		if (c->pid != pid)
			continue;
		c->pid = 0;
		c->ended = true;
		c->status = status;
		return true;
	}
	return false;
}

bool tree_over(const struct proxy_tree *t)
{
	for (int i = 0; i < t->n; i++)
		if (!t->child[i].dead || t->child[i].pid != 0)
			return false;
	return true;
}

void tree_fini(struct proxy_tree *t)
{
	for (int i = 0; i < t->n; i++) {
		struct proxy_child *c = &t->child[i];

		if (!c->dead)
			link_close(&c->link);
		if (c->err >= 0)
			close(c->err);
		if (c->pid > 0) {
			kill(c->pid, SIGKILL);
			waitpid(c->pid, NULL, 0);
		}
		free(c->line.v);
	}
	free(t->child);
	close(t->epfd);
}
