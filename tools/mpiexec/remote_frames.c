// SPDX-License-Identifier: BSD-3-Clause
/* remote_frames.c - starts the proxies, and takes the frames that they send.
 *
 *   host:   started --UP_READY--> ready --FRAME_WORLD (to all, once all are ready)--> running
 *              |                    |                                                  |
 *              '----- UP_LOST ------+-------------------- UP_GONE ---------------------'--> over
 *
 * Losing a host before the job is ending ends the job; the host is named with its ranks. */
#include "tools/mpiexec/remote_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libobj/base.h"
#include "tools/mpiexec/conf.h"
#include "tools/mpiexec/failures.h"
#include "tools/mpiexec/host_clock.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/job_show.h"
#include "tools/mpiexec/launch.h"
#include "tools/mpiexec/mpir.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/profile.h"
#include "tools/mpiexec/stacks.h"
#include "tools/mpiexec/requests.h"
#include "tools/mpiexec/spawn.h"
#include "tools/mpiexec/top.h"
#include "tools/mpiexec/trace.h"

#define LAST_MS 5000 /* ms after SIGKILL for a host to report its end */

/* The ranks of a host as text: "ranks 4-7"; they need not be contiguous. */
static char *ranks_of(const struct remote_ranks *f, int host)
{
	char *s = text_new("%s", "rank");
	int n = 0;

	for (int r = 0, from = -1; r <= f->j->n; r++) {
		bool in = r < f->j->n && f->j->rank[r].host == host;
		char *more;

		if (in && from < 0)
			from = r;
		if (in || from < 0)
			continue;
		if (r - from > 1)
			more = text_new("%s%s%d-%d", s, n > 0 ? "," : "s ", from, r - 1);
		else
			more = text_new("%s%s%d", s, n > 0 ? "," : " ", from);
		free(s);
		s = more;
		from = -1;
		n++;
	}
	return s;
}

static const char *host_name(const struct remote_ranks *f, int host)
{
	return f->plan->host[host].name;
}

/* Sends the addresses of world 0 to a host, or to all (-1). */
static void world_send(struct remote_ranks *f, int host)
{
	struct proxy_frame fr = {.kind = FRAME_WORLD, .host = host, .rank = -1};
	struct marshal p = {.len = 0};
	const struct world *w = f->j->world;
	char **addr = mem_grow(NULL, (size_t)w->n, sizeof(*addr));

	for (int r = 0; r < w->n; r++)
		addr[r] = f->j->rank[r].addr;
	addrs_put(&p, addr, w->n);
	free(addr);
	fr.len = (uint32_t)p.len;
	tree_down(&f->tree, &fr, p.v);
	free(p.v);
}

/* All hosts with ranks are ready: they start, and so do other hosts that are. */
static void world_begin(struct remote_ranks *f)
{
	f->begun = true;
	if (f->plan->verbose)
		out_say("%d hosts are ready, by %llu frames of proxies", f->nready,
			(unsigned long long)f->tree.nframes);
	if (f->plan->nused == f->plan->nhosts)
		world_send(f, -1);
	for (int h = 0; h < f->plan->nhosts && f->plan->nused < f->plan->nhosts; h++)
		if (f->hosts[h].ready)
			world_send(f, h);
}

static void ready_take(struct remote_ranks *f, int host, struct marshal *p)
{
	if (f->hosts[host].ready)
		return;
	f->hosts[host].ready = true;
	if (f->plan->trace != NULL)
		host_clock_begin(f, host);
	for (int r = 0; r < f->j->world->n; r++)
		if (f->j->rank[r].host == host)
			f->j->rank[r].addr = marshal_take_text(p);
	f->nready += host < f->plan->nused;
	if (f->begun)
		world_send(f, host);
	else if (remote_begun(f) && !f->j->ending)
		world_begin(f);
	spawn_resume();
}

static void begun_take(struct remote_ranks *f, int host, struct marshal *p)
{
	bool bound = marshal_take_int(p) != 0;
	cpu_set_t cpus;

	for (int r = 0; r < f->j->world->n; r++) {
		struct rank *k = &f->j->rank[r];

		if (f->j->rank[r].host != host)
			continue;
		k->pid = (int)marshal_take_int(p);
		if (bound)
			marshal_take(p, &cpus, sizeof(cpus));
		if (k->pid > 0 && !p->bad)
			job_show_rank(f->j, r, bound ? &cpus : NULL);
	}
	f->hosts[host].begun = true;
	for (int h = 0; h < f->plan->nused; h++)
		if (!f->hosts[h].begun)
			return;
	if (host < f->plan->nused)
		mpir_started(f->j);
}

static void died_take(struct remote_ranks *f, int rank, struct marshal *p)
{
	struct death d = {.rank = rank, .pid = (int)marshal_take_int(p)};

	d.status = (int)marshal_take_int(p);
	d.state = (uint32_t)marshal_take_int(p);
	d.lost = (int)marshal_take_int(p);
	d.lost = d.lost >= 0 ? job_entry(f->j, d.lost) : -1;
	d.where = marshal_take_text(p);
	d.core = marshal_take_text(p);
	if (p->bad || !f->j->rank[rank].alive) {
		free(d.where);
		free(d.core);
		return;
	}
	f->j->seen[rank] = (struct rank_view){.known = true, .state = d.state};
	job_died(f->j, &d);
}

static void abort_take(struct remote_ranks *f, int rank, struct marshal *p)
{
	struct abort_call *a = &f->j->abort;

	if (a->told)
		return;
	*a = (struct abort_call){.told = true,
		.rank = rank,
		.pid = (int)marshal_take_int(p),
		.code = (int)marshal_take_int(p)};
	a->text = marshal_take_text(p);
	if (a->text == NULL)
		a->text = text_new("%s", "");
	a->lost = (int)marshal_take_int(p);
	a->lost = p->bad || a->lost < 0 ? -1 : job_entry(f->j, a->lost);
}

/* True if no more answers are expected. */
static bool poll_done(const struct remote_ranks *f)
{
	for (int h = 0; h < f->plan->nhosts; h++)
		if (!f->hosts[h].seen && !f->hosts[h].over)
			return false;
	return true;
}

static void poll_end(struct remote_ranks *f)
{
	f->polling = false;
	job_answer(f->j);
}

/* Converts ages to times of our clock, and limits the number of threads to a valid one. */
static void view_dated(struct shm_view *v, uint64_t now)
{
	v->since_ns = now > v->since_ns ? now - v->since_ns : 0;
	v->still_ns = now > v->still_ns ? now - v->still_ns : 0;
	if (v->nothers < 0 || v->nothers > SHM_STANDBY_MAX)
		v->nothers = 0;
	for (int i = 0; i < v->nothers; i++) {
		uint64_t age = v->other[i].since_ns;

		v->other[i].since_ns = now > age ? now - age : 0;
	}
}

static void views_take(struct remote_ranks *f, int host, struct marshal *p)
{
	uint64_t now = clock_now_ns();

	while (p->at < p->len && !p->bad) {
		int r = (int)marshal_take_int(p);
		struct rank_view s;

		marshal_take(p, &s, sizeof(s));
		if (p->bad || r < 0 || r >= f->j->n || f->j->rank[r].host != host)
			continue;
		view_dated(&s.view, now);
		f->j->seen[r] = s;
	}
	f->hosts[host].seen = true;
	if (f->polling && poll_done(f))
		poll_end(f);
}

/* Prints the stacks once all hosts have answered. */
static void stacks_poll(struct remote_ranks *f)
{
	for (int h = 0; h < f->plan->nhosts; h++)
		if (!f->hosts[h].stacks && !f->hosts[h].over)
			return;
	stacks_end(f->j);
}

static void stacks_take(struct remote_ranks *f, int host, struct marshal *p)
{
	while (p->at < p->len && !p->bad) {
		int r = (int)marshal_take_int(p);
		char *text = marshal_take_text(p);

		if (p->bad || r < 0 || r >= f->j->n || f->j->rank[r].host != host)
			free(text);
		else
			stack_take(r, text);
	}
	f->hosts[host].stacks = true;
	stacks_poll(f);
}

/* Ends a host: its ranks are dead and its streams closed. */
static void host_end(struct remote_ranks *f, int host)
{
	struct remote_host *s = &f->hosts[host];

	if (s->over)
		return;
	s->over = true;
	f->nover++;
	job_host_lost(f->j, host);
	spawn_host_lost(host);
	spawn_resume();
	for (int r = 0; r < f->j->n; r++)
		if (f->j->rank[r].world != NULL && f->j->rank[r].host == host)
			for (int which = 0; which < 2; which++)
				out_push(r, which, NULL, 0, clock_now_ns());
	if (f->polling && poll_done(f))
		poll_end(f);
	stacks_poll(f);
}

/* True if no process is on the host: its loss harms nothing but later spawns. */
static bool host_idle(const struct remote_ranks *f, int host)
{
	bool idle = host >= f->plan->nused;

	for (int r = 0; r < f->j->n && idle; r++)
		idle = !f->j->rank[r].alive || f->j->rank[r].host != host;
	return idle;
}

/* A host without processes cannot be used. */
static void host_refused(struct remote_ranks *f, int host, const char *words)
{
	struct remote_host *s = &f->hosts[host];

	free(s->why);
	s->why = text_new("%s", words);
	if (f->plan->verbose)
		out_say("host %s cannot be used for spawns: %s", host_name(f, host), words);
}

static void fail_take(struct remote_ranks *f, int host, int code, const char *words)
{
	if (f->j->ending)
		return;
	if (host_idle(f, host)) {
		host_refused(f, host, words);
		host_end(f, host);
		return;
	}
	out_say("host %s: %s", host_name(f, host), words);
	job_fail(f->j, code != 0 ? code : 1);
}

static void lost_take(struct remote_ranks *f, int host, const char *words)
{
	char *ranks = ranks_of(f, host);
	bool *gone = mem_grow(NULL, (size_t)f->plan->nhosts, sizeof(*gone));

	for (int h = 0; h < f->plan->nhosts; h++)
		gone[h] = tree_behind(f->plan, h, host);
	if (!f->j->ending && !f->hosts[host].over && host_idle(f, host)) {
		host_refused(f, host, words);
	} else if (!f->j->ending && !f->hosts[host].over) {
		out_say("host %s (%s): %s", host_name(f, host), ranks, words);
		if (!failure_hosts_survived(f->j, gone))
			job_fail(f->j, 1);
	}
	free(ranks);
	for (int h = 0; h < f->plan->nhosts; h++)
		if (gone[h])
			host_end(f, h);
	free(gone);
}

static void stdin_read_take(struct remote_ranks *f, const struct proxy_frame *fr, struct marshal *p)
{
	int n;

	marshal_take(p, &n, sizeof(n));
	if (fr->rank != (f->reader != NULL ? f->reader->id : 0))
		return; /* it has read before */
	f->hosts[fr->host].took += n;
	f->hosts[fr->host].sated = fr->which != 0;
}

/* True if the frame may be used: one of a rank names a rank of its host. */
static bool frame_valid(const struct remote_ranks *f, const struct proxy_frame *fr)
{
	static const bool of_rank[] = {
		[UP_OUT] = true, [UP_DIED] = true, [UP_ABORT] = true, [UP_REQUEST] = true};

	if (fr->kind >= countof(of_rank) || !of_rank[fr->kind])
		return true;
	return fr->rank >= 0 && fr->rank < f->j->n && f->j->rank[fr->rank].world != NULL &&
	       f->j->rank[fr->rank].host == fr->host;
}

static void out_take(const struct proxy_frame *fr, const char *v)
{
	if (fr->which < 2)
		out_push(fr->rank, fr->which, v, fr->len, clock_now_ns());
}

/* A frame with text. */
static void words_take(struct remote_ranks *f, const struct proxy_frame *fr, const char *v)
{
	char *words = text_new("%.*s", (int)fr->len, v != NULL ? v : "");

	switch ((enum frame_kind)fr->kind) {
	case UP_TEXT: out_say("host %s: %s", host_name(f, fr->host), words); break;
	case UP_FAIL: fail_take(f, fr->host, fr->which, words); break;
	case UP_LOST: lost_take(f, fr->host, words); break;
	case UP_REQUEST: request_do(f->j, fr->rank, words); break;
	default: break;
	}
	free(words);
}

static void frame_take(void *arg, const struct proxy_frame *fr, const char *v)
{
	struct remote_ranks *f = arg;
	struct marshal p = {.v = (char *)(uintptr_t)v, .len = fr->len};

	if (!frame_valid(f, fr))
		return;
	switch ((enum frame_kind)fr->kind) {
	case UP_READY: ready_take(f, fr->host, &p); break;
	case UP_BEGUN: begun_take(f, fr->host, &p); break;
	case UP_OUT: out_take(fr, v); break;
	case UP_DIED: died_take(f, fr->rank, &p); break;
	case UP_ABORT: abort_take(f, fr->rank, &p); break;
	case UP_VIEWS: views_take(f, fr->host, &p); break;
	case UP_STACKS: stacks_take(f, fr->host, &p); break;
	case UP_STDIN: stdin_read_take(f, fr, &p); break;
	case UP_PROFILE: profile_keep(profile_take(&p)); break;
	case UP_SNAPSHOT: snapshot_take(profile_take(&p), fr->which, clock_now_ns()); break;
	case UP_TRACE: trace_take(&p); break;
	case UP_TOP: top_take(f->j, &p); break;
	case UP_CLOCK: host_clock_take(f, fr->host, &p); break;
	case UP_GONE: host_end(f, fr->host); break;
	case UP_PREPARED: spawn_prepared(fr->rank, fr->host, &p); break;
	case UP_SPAWNED: spawn_host_started(fr->rank, fr->host, &p); break;
	default: words_take(f, fr, v); break;
	}
}

/* --- the start ------------------------------------------------------------------------------ */

static struct remote_ranks remote;

static void credit_give(void *arg, int rank, int which, int n)
{
	if (n > 0)
		remote_send_rank(arg, FRAME_CREDIT, which, rank, &n, sizeof(n));
	else
		remote_send_rank(arg, FRAME_SHUT, which, rank, NULL, 0);
}

static void conf_make(struct remote_ranks *f, struct marshal *out)
{
	struct conf c = {.plan = *f->plan, .path = getenv("PATH")};

	c.mask = (int)umask(0);
	umask((mode_t)c.mask);
	c.plan.cwd = getcwd(NULL, 0);
	if (c.plan.cwd == NULL)
		fatal(1, "this directory: %s", strerror(errno));
	memcpy(c.key, f->key, sizeof(c.key));
	c.cookie = f->cookie;
	conf_put(out, &c);
	free(c.plan.cwd);
	explicit_bzero(&c, sizeof(c));
}

/* The state of the hosts of the plan, none of which has been started. */
static struct remote_ranks *remote_init(struct job *j)
{
	struct remote_ranks *f = &remote;

	f->j = j;
	f->plan = j->plan;
	j->remote = f;
	f->hosts = mem_grow(NULL, (size_t)j->plan->nhosts, sizeof(*f->hosts));
	memset(f->hosts, 0, (size_t)j->plan->nhosts * sizeof(*f->hosts));
	if (getrandom(f->key, sizeof(f->key), 0) != (ssize_t)sizeof(f->key) ||
		getrandom(&f->cookie, sizeof(f->cookie), 0) != (ssize_t)sizeof(f->cookie))
		fatal(1, "no random numbers: %s", strerror(errno));
	f->cookie |= 1;
	out_remote(credit_give, f);
	tree_init(&f->tree, j->plan, 0, frame_take, f);
	return f;
}

void remote_open(struct job *j)
{
	struct remote_ranks *f = remote_init(j);

	f->begun = true;
	for (int h = 0; h < j->plan->nhosts; h++)
		f->hosts[h].over = true;
	f->nover = j->plan->nhosts;
}

void remote_start(struct job *j)
{
	struct remote_ranks *f = remote_init(j);
	struct marshal conf = {.len = 0};

	for (int r = 0; r < j->n; r++) {
		j->rank[r].alive = true;
		out_expect(r, 0);
		out_expect(r, 1);
	}
	j->alive = j->world->alive = j->n;
	j->stdin_fd = j->plan->stdin_to != STDIN_NONE ? STDIN_FILENO : -1;
	conf_make(f, &conf);
	tree_start(&f->tree, &conf);
	explicit_bzero(conf.v, conf.len);
	free(conf.v);
}

void remote_add(struct remote_ranks *f, const char *name, int slots)
{
	struct plan *p = f->plan;
	int h = remote_host(f, name);

	if (h >= 0 && !f->hosts[h].over)
		return;
	if (h >= 0) {
		f->nover--;
		free(f->hosts[h].why);
	} else {
		h = p->nhosts;
		plan_host_add(p, name, slots);
		f->hosts = mem_grow(f->hosts, (size_t)p->nhosts, sizeof(*f->hosts));
	}
	f->hosts[h] = (struct remote_host){.added = true};
	f->adds = true;
}

/* Starts the proxies of hosts that have been added, unless the job ends. */
static void added_hosts_start(struct remote_ranks *f, uint64_t now)
{
	struct marshal conf = {.len = 0};

	f->adds = false;
	conf_make(f, &conf);
	for (int h = 0; h < f->plan->nhosts; h++) {
		if (!f->hosts[h].added)
			continue;
		f->hosts[h].added = false;
		if (f->j->ending)
			host_end(f, h);
		else
			tree_add(&f->tree, h, &conf, now);
	}
	explicit_bzero(conf.v, conf.len);
	free(conf.v);
}

/* --- the loop's part ------------------------------------------------------------------------ */

/* Abandons hosts that do not answer to the end of the job. */
static void silent_hosts_abandon(struct remote_ranks *f)
{
	for (int h = 0; h < f->plan->nhosts; h++) {
		if (f->hosts[h].over)
			continue;
		out_say("host %s does not answer: processes may be left there", host_name(f, h));
		host_end(f, h);
	}
}

void remote_work(struct remote_ranks *f, uint64_t now)
{
	struct job *j = f->j;

	if (f->adds)
		added_hosts_start(f, now);
	tree_work(&f->tree, now);
	if (f->polling && now >= f->poll_ns)
		poll_end(f);
	host_clock_work(f, now);
	if (j->alive == 0 && !f->drained) {
		f->drained = true;
		remote_send(f, FRAME_DRAIN, 0, NULL, 0);
	}
	if (j->killed && now >= j->kill_ns + LAST_MS * NS_PER_MS && !remote_over(f))
		silent_hosts_abandon(f);
	tree_clock(&f->tree, now);
}
