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

/* Sends a text about the host of child `b' up. */
__attribute__((format(printf, 4, 5))) static void up_text(struct proxy_tree *t,
	const struct proxy_child *b, enum frame_kind kind, const char *fmt, ...)
{
	struct proxy_frame f = {.kind = (uint16_t)kind, .host = b->host, .rank = -1};
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

static void branch_watch(struct proxy_tree *t, int i, enum what what, int fd, uint32_t events)
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
	t->b = mem_grow(NULL, (size_t)t->n + 1, sizeof(*t->b));
	for (int i = 0; i < t->n; i++) {
		int k = node * p->fanout + 1 + i;

		t->b[i] = (struct proxy_child){.node = k, .host = p->order[k - 1], .err = -1};
	}
}

/* Closes the link of a child.  How its command ends may explain it a moment later. */
static void branch_die(struct proxy_tree *t, struct proxy_child *b, uint64_t now)
{
	if (b->dead)
		return;
	link_close(&b->link);
	b->dead = true;
	b->dead_ns = now;
	if (t->bye)
		b->said = true;
}

/* A hint for an error of launch_proxy, or an empty text. */
static const char *branch_hint(const char *step, int err)
{
	if (err == ENOENT && strcmp(step, "ssh") == 0)
		return "; apt-get install openssh-client, or -launcher names another command";
	return limit_words(err);
}

static void branch_start(struct proxy_tree *t, int i, const struct marshal *conf, uint64_t now)
{
	struct proxy_child *b = &t->b[i];
	struct proxy_frame f = {.kind = FRAME_CONF, .host = b->host, .rank = b->node};
	struct launch_ends l;
	const char *step;

	b->begun_ns = now;
	if (launch_proxy(t->plan, b->host, &l, &step) != 0) {
		b->link.in = b->link.out = -1;
		b->ended = b->said = true;
		branch_die(t, b, now);
		up_text(t, b, UP_LOST, "its proxy could not be started: %s: %s%s", step,
			strerror(errno), branch_hint(step, errno));
		return;
	}
	b->pid = l.pid;
	b->err = l.err;
	link_open(&b->link, l.out, l.in, now);
	branch_watch(t, i, ON_IN, l.out, EPOLLIN);
	branch_watch(t, i, ON_OUT, l.in, EPOLLOUT | EPOLLET);
	branch_watch(t, i, ON_ERR, l.err, EPOLLIN);
	f.len = (uint32_t)conf->len;
	link_put(&b->link, &f, conf->v);
}

void tree_start(struct proxy_tree *t, const struct marshal *conf)
{
	uint64_t now = clock_now_ns();

	t->clock_ns = now;
	for (int i = 0; i < t->n; i++)
		branch_start(t, i, conf, now);
	tree_write(t, now);
}

void tree_add(struct proxy_tree *t, int host, const struct marshal *conf, uint64_t now)
{
	int k = node_of(t->plan, host);

	t->b = mem_grow(t->b, (size_t)t->n + 1, sizeof(*t->b));
	t->b[t->n] = (struct proxy_child){.node = k, .host = host, .err = -1};
	branch_start(t, t->n++, conf, now);
	tree_write(t, now);
}

/* Ends a launcher command whose proxy has not said hello.  It has its own session, and may hang. */
static void branch_stop(struct proxy_tree *t, struct proxy_child *b, int sig)
{
	kill(-b->pid, sig == SIGKILL ? SIGKILL : SIGTERM);
	branch_die(t, b, clock_now_ns());
}

void tree_down(struct proxy_tree *t, const struct proxy_frame *f, const void *v)
{
	bool ends = f->kind == FRAME_END || (f->kind == FRAME_SIGNAL && f->which == SIGKILL);

	t->fresh = true;
	for (int i = 0; i < t->n; i++) {
		struct proxy_child *b = &t->b[i];

		if (ends && b->pid > 0 && !b->link.hello)
			branch_stop(t, b, f->which);
		if (!b->dead && (f->host < 0 || tree_behind(t->plan, f->host, b->host)))
			link_put(&b->link, f, v);
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
	struct proxy_child *b;
};

static void branch_frame(void *arg, const struct proxy_frame *f, const char *v)
{
	struct child_arg *from = arg;

	if (f->kind >= UP_READY && f->host >= 0 && f->host < from->t->plan->nhosts)
		from->t->up(from->t->arg, f, v);
}

static void branch_take(void *arg, const struct proxy_frame *f, const char *v)
{
	struct child_arg *from = arg;

	from->t->nframes += f->kind != FRAME_PING;
	if (f->kind == UP_JOINED)
		start_gather_each(f, v, branch_frame, arg);
	else
		branch_frame(arg, f, v);
}

static void branch_preamble(void *arg, const char *line)
{
	struct child_arg *from = arg;

	if (line[0] != '\0')
		up_text(from->t, from->b, UP_SAID, "%s", line);
}

/* Forwards a line of the command's stderr.  Proxies that cannot send frames print "mpiexec: ". */
static void err_line(struct proxy_tree *t, struct proxy_child *b, size_t len)
{
	const char *s = b->line.v;

	while (len > 0 && s[len - 1] == '\r')
		len--;
	if (len >= 9 && memcmp(s, "mpiexec: ", 9) == 0)
		s += 9, len -= 9;
	if (len > 0)
		up_text(t, b, UP_SAID, "%.*s", (int)len, s);
}

static void err_read(struct proxy_tree *t, struct proxy_child *b)
{
	char buf[LINE_MAX];
	ssize_t n = read(b->err, buf, sizeof(buf));
	const char *nl;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		err_line(t, b, b->line.len);
		b->line.len = 0;
		close(b->err);
		b->err = -1;
		return;
	}
	marshal_put(&b->line, buf, (size_t)n);
	while ((nl = memchr(b->line.v, '\n', b->line.len)) != NULL || b->line.len >= LINE_MAX) {
		size_t len = nl != NULL ? (size_t)(nl - b->line.v) : b->line.len;

		err_line(t, b, len);
		len += nl != NULL;
		memmove(b->line.v, b->line.v + len, b->line.len - len);
		b->line.len -= len;
	}
}

void tree_write(struct proxy_tree *t, uint64_t now)
{
	t->fresh = false;
	for (int i = 0; i < t->n; i++) {
		struct proxy_child *b = &t->b[i];
		struct child_arg from = {t, b};

		if (b->dead || link_write(&b->link, now))
			continue;
		link_read(&b->link, branch_take, branch_preamble, &from, now); /* its last frames */
		branch_die(t, b, now);
	}
}

void tree_work(struct proxy_tree *t, uint64_t now)
{
	struct epoll_event ev[EVENTS];
	int n = epoll_wait(t->epfd, ev, EVENTS, 0);

	for (int i = 0; i < n; i++) {
		struct proxy_child *b = &t->b[ev[i].data.u64 / ONS];
		struct child_arg from = {t, b};
		enum what what = (enum what)(ev[i].data.u64 % ONS);

		if (what == ON_ERR && b->err >= 0)
			err_read(t, b);
		else if (what == ON_IN && !b->dead &&
			 !link_read(&b->link, branch_take, branch_preamble, &from, now))
			branch_die(t, b, now);
	}
	tree_write(t, now);
}

/* --- lost children -------------------------------------------------------------------------- */

/* How the launcher's command has ended, in words. */
static char *ending_of(const struct proxy_tree *t, const struct proxy_child *b)
{
	const char *name = launch_name(t->plan, b->host);

	if (!b->ended)
		return text_new("%s", "");
	if (WIFSIGNALED(b->status))
		return text_new(": %s was killed by signal %d (%s)", name, WTERMSIG(b->status),
			strsignal(WTERMSIG(b->status)));
	if (WEXITSTATUS(b->status) == EXIT_NONE)
		return text_new(
			": %s exited with code 127: is there a %s on that host? -prefix says "
			"where it is",
			name, t->plan->proxy_path);
	return text_new(": %s exited with code %d", name, WEXITSTATUS(b->status));
}

static void lost_say(struct proxy_tree *t, struct proxy_child *b)
{
	const char *trouble = b->link.trouble;
	char *ending = ending_of(t, b);

	b->said = true;
	if (!b->link.hello && trouble != NULL)
		up_text(t, b, UP_LOST, "its proxy could not be started: %s", trouble);
	else if (!b->link.hello)
		up_text(t, b, UP_LOST, "its proxy could not be started%s", ending);
	else if (trouble != NULL)
		up_text(t, b, UP_LOST, "the connection to its proxy is lost: %s", trouble);
	else
		up_text(t, b, UP_LOST, "the connection to its proxy is lost%s", ending);
	free(ending);
	if (b->pid > 0)
		kill(b->pid, SIGKILL); /* the command has nothing left to carry */
}

/* Checks one child: is it alive, is a heartbeat due? */
static void branch_clock(struct proxy_tree *t, struct proxy_child *b, uint64_t now)
{
	struct proxy_frame ping = {.kind = FRAME_PING, .host = -1, .rank = -1};
	uint64_t silent = b->link.read_ns > now ? 0 : now - b->link.read_ns;

	if (b->dead) {
		uint64_t wait = b->ended || b->link.trouble != NULL ? WORDS_MS : ENDING_MS;

		if (!b->said && ((b->ended && b->err < 0) || now - b->dead_ns >= wait * NS_PER_MS))
			lost_say(t, b);
		return;
	}
	if (!b->link.hello && now - b->begun_ns >= START_MS * NS_PER_MS) {
		b->link.trouble = "it has not said hello in time";
		branch_die(t, b, now);
	} else if (b->link.hello && silent >= SILENT_MS * NS_PER_MS) {
		b->link.trouble =
			"it has been silent for too long: the host or the network is down";
		branch_die(t, b, now);
	} else if (now - b->link.written_ns >= HEARTBEAT_MS * NS_PER_MS) {
		link_put(&b->link, &ping, NULL);
	}
}

void tree_clock(struct proxy_tree *t, uint64_t now)
{
	/* After a long stop of this process, no child counts as silent. */
	bool slept = now - t->clock_ns >= (uint64_t)3 * HEARTBEAT_MS * NS_PER_MS;

	t->clock_ns = now;
	for (int i = 0; i < t->n; i++) {
		if (slept && !t->b[i].dead)
			t->b[i].link.read_ns = now;
		branch_clock(t, &t->b[i], now);
	}
	tree_write(t, now);
}

bool tree_reap(struct proxy_tree *t, pid_t pid, int status)
{
	for (int i = 0; i < t->n; i++) {
		struct proxy_child *b = &t->b[i];

		if (b->pid != pid)
			continue;
		b->pid = 0;
		b->ended = true;
		b->status = status;
		return true;
	}
	return false;
}

bool tree_over(const struct proxy_tree *t)
{
	for (int i = 0; i < t->n; i++)
		if (!t->b[i].dead || t->b[i].pid != 0)
			return false;
	return true;
}

void tree_fini(struct proxy_tree *t)
{
	for (int i = 0; i < t->n; i++) {
		struct proxy_child *b = &t->b[i];

		if (!b->dead)
			link_close(&b->link);
		if (b->err >= 0)
			close(b->err);
		if (b->pid > 0) {
			kill(b->pid, SIGKILL);
			waitpid(b->pid, NULL, 0);
		}
		free(b->line.v);
	}
	free(t->b);
	close(t->epfd);
}
