// SPDX-License-Identifier: BSD-3-Clause
/* proxy.c - see proxy.h.
 *
 *                      .-- up: frames of the parent, room for ours
 *     poll(...) <------+-- signalfd: deaths
 *                      |-- tree: proxies below this one
 *                      |-- proxy_output: output of ranks
 *                      |-- stdin_forward: room in the stdin of ranks
 *                      '-- PMI requests
 *
 * A proxy makes no decision about the job, except to end when its parent is gone. */
#include "tools/mpiexec/proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/conf.h"
#include "tools/mpiexec/local_ranks.h"
#include "tools/mpiexec/stdin_forward.h"
#include "tools/mpiexec/host_clock.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/link.h"
#include "libmpi/boot/listen.h"
#include "tools/mpiexec/pmi_server.h"
#include "tools/mpiexec/proxy_output.h"
#include "tools/mpiexec/stacks.h"
#include "tools/mpiexec/proxy_tree.h"
#include "tools/mpiexec/tool_server.h"
#include "tools/mpiexec/start_gather.h"
#include "tools/mpiexec/top.h"
#include "tools/mpiexec/trace.h"

#define LAST_MS   2000 /* ms for the last frames to leave */
#define FD_LIFTED 10   /* the files of ranks have lower numbers */

enum { ON_SIGNAL, ON_UP, ON_UP_ROOM, ON_TREE, ON_OUTPUT, ON_STDIN, ON_PMI, ON_ALL };

/* The state of the proxy. */
static struct proxy {
	struct proxy_link up;
	struct proxy_tree tree;
	struct start_gather start;
	struct local_ranks local;
	struct conf conf;
	struct world *world; /* list of worlds; the first is that of the plan */
	char ip[LISTEN_IP];  /* where the ranks of this host listen */
	int host;            /* index of this host */
	bool told;           /* the configuration has arrived */
	bool begun;          /* the ranks have been started */
	bool ending;         /* the job is ending */
	bool bye;            /* this proxy is ending */
	bool leaving;        /* the tables of the profile were sent, and the trace follows */
	bool gone;           /* UP_GONE was sent */
	bool aborted;        /* UP_ABORT was sent */
	bool paused;         /* the root is stopped: its silence means nothing */
	int code;            /* exit code */
	uint64_t kill_ns;    /* when to kill what still runs; 0: never */
	uint64_t drain_ns;   /* start of ending background processes; 0: not yet */
	int reader;          /* id of the world that reads stdin */
	sigset_t mask;
} me;

static void up_send(void *arg, const struct proxy_frame *f, const char *v)
{
	(void)arg;
	link_put(&me.up, f, v);
}

static void up_put(enum frame_kind kind, int which, int rank, const void *v, size_t len)
{
	struct proxy_frame f = {.len = (uint32_t)len,
		.kind = (uint16_t)kind,
		.which = (uint16_t)which,
		.host = me.host,
		.rank = rank};

	start_gather_put(&me.start, &f, v, up_send, NULL);
}

/* Writes queued frames, for at most `ms'. */
static void up_flush(int ms)
{
	uint64_t end = clock_now_ns() + (uint64_t)ms * NS_PER_MS;

	while (me.up.out >= 0 && link_write(&me.up, clock_now_ns()) && me.up.queue.len > 0 &&
		clock_now_ns() < end)
		poll(&(struct pollfd){.fd = me.up.out, .events = POLLOUT}, 1, ms);
}

/* Reports an error that fatal() raises in a proxy, and exits. */
static void proxy_die(int code, const char *words)
{
	up_put(UP_FAIL, code, -1, words, strlen(words));
	up_flush(LAST_MS);
	local_fini(&me.local);
	_exit(code);
}

/* Begins to end: the ranks here and all proxies below. */
static void proxy_leave(int code)
{
	struct proxy_frame f = {.kind = FRAME_BYE, .host = -1};

	if (me.bye)
		return;
	me.bye = me.ending = true;
	me.code = code;
	me.kill_ns = clock_now_ns() + END_GRACE_MS * NS_PER_MS;
	local_end(&me.local, SIGTERM, code);
	if (me.told)
		tree_down(&me.tree, &f, NULL);
}

static void up_lose(void)
{
	link_close(&me.up);
	proxy_leave(1);
}

/* --- the plan ------------------------------------------------------------------------------- */

/* Corrects variables that describe the host of mpiexec. */
static void environ_adapt(struct app *a)
{
	char own[256] = "";

	gethostname(own, sizeof(own) - 1);
	for (char **e = a->envp + 1; *e != NULL; e++)
		if (strncmp(*e, "HOSTNAME=", 9) == 0)
			*e = text_new("HOSTNAME=%s", own);
}

/* Opens the listening sockets and reports their addresses. */
static void ready_say(void)
{
	const struct plan *p = &me.conf.plan;
	char **addr = mem_grow(NULL, (size_t)p->nranks, sizeof(*addr));
	const char *other = p->host[me.host == 0 && p->nhosts > 1 ? 1 : 0].name;
	const char *why = NULL;
	char *words;
	struct marshal out = {.len = 0};

	memcpy(me.ip, "127.0.0.1", sizeof("127.0.0.1"));
	if (p->iface != NULL || p->launcher != LAUNCH_FORK)
		why = boot_listen_where(p->iface, p->host[me.host].name, other, me.ip);
	if (why != NULL)
		fatal(1, "-iface or HAFT_IFACE %s: %s", p->iface != NULL ? p->iface : "", why);
	memset(addr, 0, (size_t)p->nranks * sizeof(*addr));
	local_init(&me.local, p);
	words = local_add(&me.local, me.world, me.host, me.ip, addr);
	if (words != NULL)
		fatal(1, "%s", words);
	for (int i = 0; i < me.local.n; i++)
		marshal_put_text(&out, addr[me.local.m[i].rank]);
	up_put(UP_READY, 0, -1, out.v, out.len);
	free(out.v);
}

static void tree_up(void *arg, const struct proxy_frame *f, const char *v)
{
	(void)arg;
	start_gather_put(&me.start, f, v, up_send, NULL);
}

static void conf_do(const struct proxy_frame *f, const char *v)
{
	struct marshal p = {.v = (char *)(uintptr_t)v, .len = f->len};
	struct conf *c = &me.conf;

	me.host = f->host;
	if (me.told || !conf_take(&p, c) || f->host < 0 || f->host >= c->plan.nhosts ||
		f->rank < 1 || f->rank > c->plan.nhosts)
		fatal(1, "the plan that its parent has sent makes no sense");
	if (c->plan.cwd != NULL && chdir(c->plan.cwd) != 0)
		fatal(EXIT_USAGE, "working directory %s: %s", c->plan.cwd, strerror(errno));
	tree_init(&me.tree, &c->plan, f->rank, tree_up, NULL);
	start_gather_init(&me.start, &c->plan, f->host, f->rank);
	me.told = true;
	p.at = 0;
	tree_start(&me.tree, &p);
	umask((mode_t)c->mask);
	if (c->path != NULL)
		setenv("PATH", c->path, 1);
	for (int i = 0; i < c->plan.napps; i++)
		environ_adapt(&c->plan.app[i]);
	if (me.host < c->plan.nused)
		plan_find(&c->plan);
	me.local.common.mask = me.mask;
	me.world = world_new(0, 0, c->plan.app, c->plan.napps);
	for (int r = 0; r < me.world->n; r++) {
		me.world->entry[r] = r;
		me.world->host_of[r] = c->plan.host_of[r];
	}
	ready_say();
}

/* --- the ranks ------------------------------------------------------------------------------ */

static void output_up(void *arg, int rank, int which, const char *v, size_t len)
{
	(void)arg;
	up_put(UP_OUT, which, rank, v, len);
}

static int proxy_stdin_give(int rank)
{
	int to = me.conf.plan.stdin_to;

	return to == rank || to == STDIN_ALL ? stdin_pipe() : -1;
}

/* Reports the pids of the ranks and their CPUs. */
static void begun_say(void)
{
	struct marshal out = {.len = 0};

	marshal_put_int(&out, me.local.cpus != NULL);
	for (int i = 0; i < me.local.n; i++) {
		marshal_put_int(&out, me.local.m[i].pid);
		if (me.local.cpus != NULL)
			marshal_put(&out, &me.local.cpus[i], sizeof(*me.local.cpus));
	}
	up_put(UP_BEGUN, 0, -1, out.v, out.len);
	free(out.v);
}

/* A request of a rank that only the root can answer. */
static void proxy_request(void *arg, int entry, const char *text)
{
	(void)arg;
	up_put(UP_REQUEST, 0, entry, text, strlen(text));
}

static void world_do(const struct proxy_frame *f, const char *v)
{
	const struct plan *p = &me.conf.plan;
	struct marshal in = {.v = (char *)(uintptr_t)v, .len = f->len};
	char **addr = mem_grow(NULL, (size_t)p->nranks, sizeof(*addr));
	const char **names = mem_grow(NULL, (size_t)p->nhosts, sizeof(*names));
	struct boot_world w = {.nranks = p->nranks,
		.nhosts = p->nhosts,
		.host_of = p->host_of,
		.addr = (const char *const *)addr,
		.names = names,
		.key = me.conf.key};
	char *why;

	if (me.begun || me.ending)
		return;
	if (!addrs_take(&in, addr, p->nranks))
		fatal(1, "the addresses that its parent has sent make no sense");
	for (int h = 0; h < p->nhosts; h++)
		names[h] = p->host[h].name;
	local_segment(&me.local, &w, me.host, me.conf.cookie);
	for (int r = 0; r < p->nranks; r++)
		free(addr[r]);
	free(addr);
	free(names);
	proxy_out_init(output_up, NULL);
	me.begun = true;
	me.local.pmi = pmi_new(&me.local, proxy_request, NULL);
	why = local_start(&me.local, me.world, proxy_stdin_give, proxy_out_add, NULL, false);
	begun_say();
	if (why != NULL)
		up_put(UP_FAIL, 1, -1, why, strlen(why));
	free(why);
}

/* Reports an abort, before the death of the rank. */
static void abort_say(void)
{
	const struct boot_job *b = local_abort(&me.local);
	struct marshal out = {.len = 0};
	int entry;

	if (b == NULL || me.aborted)
		return;
	me.aborted = true;
	entry = local_abort_entry(&me.local, b);
	proxy_out_rest(entry);
	marshal_put_int(&out, b->pid);
	marshal_put_int(&out, b->code);
	marshal_put_text(&out, b->text);
	marshal_put_int(&out, local_lost(&me.local, b));
	up_put(UP_ABORT, 0, entry, out.v, out.len);
	free(out.v);
	if (me.world->next != NULL) {
		local_abort_clear(&me.local);
		me.aborted = false;
	}
}

static void proxy_rank_died(void *arg, const struct death *d)
{
	struct marshal out = {.len = 0};

	(void)arg;
	abort_say();
	proxy_out_rest(d->rank);
	marshal_put_int(&out, d->pid);
	marshal_put_int(&out, d->status);
	marshal_put_int(&out, d->state);
	marshal_put_int(&out, d->lost);
	marshal_put_text(&out, d->where);
	marshal_put_text(&out, d->core);
	free(d->where);
	free(d->core);
	up_put(UP_DIED, 0, d->rank, out.v, out.len);
	free(out.v);
}

static void proxy_child_died(void *arg, pid_t pid, int status)
{
	(void)arg;
	if (me.told)
		tree_reap(&me.tree, pid, status);
}

/* Reports the state of the ranks.  Times are sent as ages: clocks of hosts differ. */
static void views_say(void)
{
	struct rank_view *seen = mem_grow(NULL, (size_t)me.local.n, sizeof(*seen));
	struct marshal out = {.len = 0};
	uint64_t now = clock_now_ns();

	memset(seen, 0, (size_t)me.local.n * sizeof(*seen));
	if (me.begun)
		local_see(&me.local, seen);
	for (int i = 0; i < me.local.n; i++) {
		struct shm_view *v = &seen[i].view;

		if (!seen[i].known)
			continue;
		v->since_ns = now > v->since_ns ? now - v->since_ns : 0;
		v->still_ns = now > v->still_ns ? now - v->still_ns : 0;
		for (int k = 0; k < v->nothers; k++) {
			uint64_t since = v->other[k].since_ns;

			v->other[k].since_ns = now > since ? now - since : 0;
		}
		marshal_put_int(&out, me.local.m[i].entry);
		marshal_put(&out, &seen[i], sizeof(*seen));
	}
	up_put(UP_VIEWS, 0, -1, out.v, out.len);
	free(out.v);
	free(seen);
}

/* Reports the stacks of ranks that wait. */
static void stacks_tell(void)
{
	char **text = me.begun ? stacks_here(&me.local) : NULL;
	struct marshal out = {.len = 0};

	for (int i = 0; text != NULL && i < me.local.n; i++) {
		if (text[i] == NULL)
			continue;
		marshal_put_int(&out, me.local.m[i].entry);
		marshal_put_text(&out, text[i]);
		free(text[i]);
	}
	free(text);
	up_put(UP_STACKS, 0, -1, out.v, out.len);
	free(out.v);
}

/* Reports the ranks at work. */
static void top_say(void)
{
	struct marshal out = {.len = 0};

	if (me.begun)
		top_host_read(&me.local, &out);
	up_put(UP_TOP, 0, -1, out.v, out.len);
	free(out.v);
}

static void clock_say(const struct proxy_frame *f, const char *v)
{
	struct marshal out = {.len = 0};

	host_clock_answer(&out, v, f->len);
	up_put(UP_CLOCK, 0, -1, out.v, out.len);
	free(out.v);
}

/* --- further worlds ------------------------------------------------------------------------- */

static struct world *proxy_world(int id)
{
	struct world *w = me.world;

	while (w != NULL && w->id != id)
		w = w->next;
	return w;
}

static bool world_here(const struct world *w)
{
	for (int r = 0; r < w->n; r++)
		if (w->host_of[r] == me.host)
			return true;
	return false;
}

/* Finds the programs that ranks of this host need: words for each that is missing. */
static bool programs_say(struct world *w, struct marshal *out)
{
	bool all = true;

	for (int i = 0, r = 0; i < w->napps; r += w->app[i++].n) {
		bool here = false;
		char *why = NULL;
		int err;

		for (int k = 0; k < w->app[i].n; k++)
			here |= w->host_of[r + k] == me.host;
		environ_adapt(&w->app[i]);
		if (here)
			why = app_find(&w->app[i], getenv("PATH"), &err);
		marshal_put_text(out, why);
		all &= why == NULL;
		free(why);
	}
	return all;
}

/* Prepares a world: programs, rows, sockets. */
static void spawn_prepare(const char *v, size_t len)
{
	struct marshal in = {.v = (char *)(uintptr_t)v, .len = len}, out = {.len = 0};
	struct world *w = world_take(&in);
	char **addr, *why = NULL;

	if (w == NULL || !me.begun || me.ending || !world_here(w)) {
		if (w != NULL)
			world_free(w);
		return;
	}
	addr = mem_grow(NULL, (size_t)w->n, sizeof(*addr));
	memset(addr, 0, (size_t)w->n * sizeof(*addr));
	if (programs_say(w, &out))
		why = local_add(&me.local, w, me.host, me.ip, addr);
	if (why != NULL) {
		out.len = 0;
		marshal_put_text(&out, why);
		for (int i = 1; i < w->napps; i++)
			marshal_put_text(&out, NULL);
	}
	for (int r = 0; r < w->n; r++)
		if (w->host_of[r] == me.host)
			marshal_put_text(&out, addr[r]);
	for (int r = 0; r < w->n; r++)
		free(addr[r]);
	free(addr);
	free(why);
	w->next = me.world->next;
	me.world->next = w;
	up_put(UP_PREPARED, 0, w->id, out.v, out.len);
	free(out.v);
}

static const struct world *starting; /* for starting_stdin, a callback without an argument */

static int starting_stdin(int entry)
{
	int to = starting->stdin_to;
	bool reads =
		to == STDIN_ALL || (to >= 0 && to < starting->n && starting->entry[to] == entry);

	return reads ? stdin_pipe() : -1;
}

static void spawn_go(int id, bool soft)
{
	struct world *w = proxy_world(id);
	struct marshal out = {.len = 0};
	int *errs;
	char *why;

	if (w == NULL || me.ending)
		return;
	errs = mem_grow(NULL, (size_t)w->n, sizeof(*errs));
	memset(errs, 0, (size_t)w->n * sizeof(*errs));
	if (w->stdin_to != STDIN_NONE) {
		stdin_restart();
		me.reader = id;
	}
	starting = w;
	why = local_start(&me.local, w, starting_stdin, proxy_out_add, errs, soft);
	for (int r = 0; r < w->n; r++) {
		int row = w->host_of[r] == me.host ? local_row(&me.local, w->entry[r]) : -1;

		if (w->host_of[r] != me.host)
			continue;
		marshal_put_int(&out, row >= 0 ? me.local.m[row].pid : 0);
		marshal_put_int(&out, errs[r]);
	}
	marshal_put_text(&out, why);
	up_put(UP_SPAWNED, 0, id, out.v, out.len);
	free(out.v);
	free(why);
	free(errs);
}

static void proxy_forget(int id)
{
	struct world **at = &me.world->next, *w;

	while (*at != NULL && (*at)->id != id)
		at = &(*at)->next;
	w = *at;
	if (w == NULL)
		return;
	*at = w->next;
	local_forget(&me.local, w);
	world_free(w);
}

static void proxy_reply(int entry, const char *v, size_t len)
{
	int row = local_row(&me.local, entry);
	char *line = text_new("%.*s", (int)len, v != NULL ? v : "");

	if (row >= 0 && me.local.pmi != NULL)
		pmi_reply(me.local.pmi, row, line);
	free(line);
}

/* A process has ended, and the job goes on.  `v' is not aligned. */
static void proxy_notice(const char *v, size_t len)
{
	static const char words[] = "no memory to tell that a process has failed";
	struct boot_notice notice;

	if (len != sizeof(notice))
		return;
	memcpy(&notice, v, len);
	if (!local_notice(&me.local, &notice))
		up_put(UP_FAIL, 1, -1, words, strlen(words));
}

static void proxy_tool_server(const char *v, size_t len)
{
	struct marshal p = {.v = (char *)(uintptr_t)v, .len = len};
	char **argv = marshal_take_list(&p);
	char *why = NULL;

	if (p.bad || argv == NULL || argv[0] == NULL || me.host >= me.conf.plan.nused)
		return;
	why = tool_server_start(argv, &me.mask);
	if (why != NULL)
		up_put(UP_TEXT, 0, -1, why, strlen(why));
	free(why);
}

/* Frames about worlds; me.world is set once the configuration is there. */
static void world_frame(const struct proxy_frame *f, const char *v)
{
	if (me.world == NULL)
		return;
	switch ((enum frame_kind)f->kind) {
	case FRAME_SPAWN: spawn_prepare(v, f->len); break;
	case FRAME_GO: spawn_go(f->rank, f->which != 0); break;
	case FRAME_FORGET: proxy_forget(f->rank); break;
	case FRAME_KILL:
		if (proxy_world(f->rank) != NULL)
			local_signal_world(&me.local, proxy_world(f->rank), f->which);
		break;
	case FRAME_STOP: local_signal_rank(&me.local, f->rank, f->which); break;
	case FRAME_REPLY: proxy_reply(f->rank, v, f->len); break;
	case FRAME_NOTICE: proxy_notice(v, f->len); break;
	case FRAME_GATE: local_release(&me.local); break;
	case FRAME_TOOL: proxy_tool_server(v, f->len); break;
	default: break;
	}
}

/* --- the parent's frames -------------------------------------------------------------------- */

static void stdin_do(const struct proxy_frame *f, const char *v)
{
	if (f->len > 0)
		stdin_push(v, f->len);
	else
		stdin_end();
}

static void proxy_signal(int sig)
{
	local_signal(&me.local, sig);
}

static void end_do(int sig)
{
	me.ending = true;
	local_end(&me.local, sig, 0);
}

static void credit_do(const struct proxy_frame *f, const char *v)
{
	int n = -1;

	if (f->kind == FRAME_CREDIT && f->len == sizeof(n))
		memcpy(&n, v, sizeof(n));
	if (me.begun)
		proxy_out_credit(f->rank, f->which, n);
}

static void drain_do(void)
{
	if (me.drain_ns == 0)
		me.drain_ns = clock_now_ns();
	local_signal(&me.local, SIGTERM);
}

/* Processes a frame for this host, or for all. */
static void own_frame_do(const struct proxy_frame *f, const char *v)
{
	switch ((enum frame_kind)f->kind) {
	case FRAME_CONF: conf_do(f, v); break;
	case FRAME_WORLD: world_do(f, v); break;
	case FRAME_SIGNAL: proxy_signal(f->which); break;
	case FRAME_END: end_do(f->which); break;
	case FRAME_POLL: views_say(); break;
	case FRAME_STACKS: stacks_tell(); break;
	case FRAME_TOP: top_say(); break;
	case FRAME_CLOCK: clock_say(f, v); break;
	case FRAME_STDIN: stdin_do(f, v); break;
	case FRAME_CREDIT:
	case FRAME_SHUT: credit_do(f, v); break;
	case FRAME_DRAIN: drain_do(); break;
	case FRAME_PAUSE: me.paused = true; break;
	case FRAME_BYE: proxy_leave(me.local.alive > 0 ? 1 : 0); break;
	default: world_frame(f, v); break;
	}
}

static void up_take(void *arg, const struct proxy_frame *f, const char *v)
{
	(void)arg;
	me.paused = false;
	if (f->kind == FRAME_PING || (!me.told && f->kind != FRAME_CONF))
		return;
	if (me.told && f->host != me.host)
		tree_down(&me.tree, f, v);
	if (f->kind == FRAME_CONF || f->host < 0 || f->host == me.host)
		own_frame_do(f, v);
}

/* --- the loop ------------------------------------------------------------------------------- */

static void proxy_signals_read(int fd)
{
	struct signalfd_siginfo info;
	char words[64];

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		int sig = (int)info.ssi_signo;

		if (sig == SIGCHLD)
			local_reap(&me.local, proxy_rank_died, proxy_child_died, NULL);
		else if (sig == SIGTERM || sig == SIGINT || sig == SIGHUP || sig == SIGQUIT) {
			snprintf(words, sizeof(words), "its proxy was ended by signal %d (%s)", sig,
				strsignal(sig));
			up_put(UP_FAIL, 128 + sig, -1, words, strlen(words));
			proxy_leave(128 + sig);
		}
	}
}

static void profile_say(void *arg, struct prof_table *t)
{
	struct marshal out = {.len = 0};

	(void)arg;
	profile_put(&out, t);
	up_put(UP_PROFILE, 0, -1, out.v, out.len);
	free(out.v);
}

/* Sends the next part of the trace once the one before has left.  False: there is no more. */
static bool trace_say(void)
{
	struct marshal out = {.len = 0};

	if (me.up.queue.len > 0)
		return true;
	if (!trace_put(&out))
		return false;
	up_put(UP_TRACE, 0, -1, out.v, out.len);
	free(out.v);
	return true;
}

/* Reports once that no rank and no output is left here, and none will come. */
static void gone_say(void)
{
	if (me.leaving && !me.gone && !trace_say()) {
		me.gone = true;
		up_put(UP_GONE, 0, -1, NULL, 0);
	}
	if (me.leaving || !me.told || me.local.alive > 0 || (me.begun && proxy_out_open()) ||
		(!me.ending && me.drain_ns == 0))
		return;
	me.leaving = true;
	profile_host_each(&me.local.profile, profile_say, NULL);
	trace_host_keep(&me.local.profile);
}

static void stdin_say(void)
{
	int n = (int)stdin_consumed();
	bool open = stdin_has_reader();
	static bool was_open;

	if (n > 0 || (was_open && !open))
		up_put(UP_STDIN, !open, me.reader, &n, sizeof(n));
	was_open = open;
}

static void snapshot_put(void *arg, struct prof_table *t)
{
	struct marshal out = {.len = 0};

	profile_put(&out, t);
	up_put(UP_SNAPSHOT, *(const int *)arg, -1, out.v, out.len);
	free(out.v);
	profile_table_free(t);
}

/* Sends the tables once a rank has asked for it, a poll later: by then the others have, too. */
static void snapshot_say(void)
{
	static int told, seen;
	int n = (int)profile_host_snapshots(&me.local.profile) & 0xffff;

	if (n == seen && n > told) {
		told = n;
		profile_host_read(&me.local.profile, snapshot_put, &n);
	}
	seen = n;
}

static void proxy_clock(uint64_t now)
{
	struct proxy_frame ping = {.kind = FRAME_PING, .host = -1, .rank = -1};

	if (me.told)
		tree_clock(&me.tree, now);
	if (now - me.up.written_ns >= HEARTBEAT_MS * NS_PER_MS && me.up.queue.len == 0)
		link_put(&me.up, &ping, NULL);
	if (!me.paused && now > me.up.read_ns && now - me.up.read_ns >= SILENT_MS * NS_PER_MS)
		proxy_leave(1);
	if (me.begun && me.conf.plan.profile != NULL && !me.leaving)
		snapshot_say();
	if (me.kill_ns != 0 && now >= me.kill_ns)
		local_signal(&me.local, SIGKILL);
	if (me.drain_ns != 0 && me.begun && proxy_out_open() && me.local.alive == 0 &&
		now - me.drain_ns >= DRAIN_MS * NS_PER_MS && proxy_out_idle(now, DRAIN_MS))
		proxy_out_cut();
}

/* True if nothing is left to do, or the time is over. */
static bool proxy_over(uint64_t now)
{
	if (!me.bye)
		return false;
	if (me.local.alive == 0 && (!me.told || tree_over(&me.tree)))
		return true;
	return now >= me.kill_ns + BYE_MS * NS_PER_MS;
}

/* ms until the next heartbeat or check. */
static int proxy_timeout(void)
{
	if ((me.told && me.tree.fresh) || (me.leaving && !me.gone && me.up.queue.len == 0))
		return 0;
	if (me.bye)
		return 10;
	return me.drain_ns != 0 ? 50 : HEARTBEAT_MS / 2;
}

static void proxy_polls(int sigfd, struct pollfd *p)
{
	int room = me.up.queue.len > 0 ? me.up.out : -1, tree = me.told ? tree_fd(&me.tree) : -1;

	p[ON_SIGNAL] = (struct pollfd){.fd = sigfd, .events = POLLIN};
	p[ON_UP] = (struct pollfd){.fd = me.up.in, .events = POLLIN};
	p[ON_UP_ROOM] = (struct pollfd){.fd = room, .events = POLLOUT};
	p[ON_TREE] = (struct pollfd){.fd = tree, .events = POLLIN};
	p[ON_OUTPUT] = (struct pollfd){.fd = me.begun ? proxy_out_fd() : -1, .events = POLLIN};
	p[ON_STDIN] = (struct pollfd){.fd = stdin_pipes_fd(), .events = POLLIN};
	p[ON_PMI] = (struct pollfd){.fd = pmi_fd(me.local.pmi), .events = POLLIN};
}

/* Reads and writes whatever is ready. */
static void proxy_work(const struct pollfd *p, uint64_t now)
{
	if (me.up.in >= 0 && p[ON_UP].revents != 0 && !link_read(&me.up, up_take, NULL, NULL, now))
		up_lose();
	if (p[ON_OUTPUT].revents != 0)
		proxy_out_work(now);
	if (p[ON_STDIN].revents != 0)
		stdin_flush();
	if (p[ON_PMI].revents != 0)
		pmi_work(me.local.pmi);
	if (p[ON_TREE].revents != 0)
		tree_work(&me.tree, now);
	if (p[ON_SIGNAL].revents != 0)
		proxy_signals_read(p[ON_SIGNAL].fd);
}

static void proxy_loop(int sigfd)
{
	struct pollfd p[ON_ALL];
	uint64_t last = clock_now_ns();

	while (!proxy_over(clock_now_ns())) {
		gone_say();
		if (me.begun)
			stdin_say();
		if (!link_write(&me.up, clock_now_ns()))
			up_lose();
		proxy_polls(sigfd, p);
		if (poll(p, ON_ALL, proxy_timeout()) < 0)
			continue;
		if (clock_now_ns() - last > (uint64_t)3 * HEARTBEAT_MS * NS_PER_MS)
			me.up.read_ns =
				clock_now_ns(); /* this process was stopped, not the parent */
		last = clock_now_ns();
		proxy_work(p, last);
		proxy_clock(clock_now_ns());
	}
}

/* stdin and stdout become the link; /dev/null takes their numbers. */
static void up_open(void)
{
	int in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, FD_LIFTED);
	int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FD_LIFTED);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (in < 0 || out < 0 || null < 0)
		fatal(1, "no files: %s", strerror(errno));
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	close(null);
	link_open(&me.up, in, out, clock_now_ns());
	me.up.hello = true; /* the parent sends no hello */
	marshal_put(&me.up.queue, link_hello(), strlen(link_hello()));
	marshal_put(&me.up.queue, "\n", 1);
}

int proxy_main(int sigfd, const sigset_t *mask)
{
	prctl(PR_SET_NAME, "haft-proxy");
	me.mask = *mask;
	me.host = -1;
	up_open();
	fatal_hook = proxy_die;
	proxy_loop(sigfd);
	up_flush(0);
	if (me.code != 0)
		return me.code; /* the guard then also kills processes that have left their group */
	tool_server_end();
	local_fini(&me.local);
	if (me.told)
		tree_fini(&me.tree);
	return me.code;
}
