// SPDX-License-Identifier: BSD-3-Clause
/* remote_ranks.c - sends the job's requests for its ranks to the proxies.  See remote_ranks.h;
 * their answers arrive in remote_frames.c. */
#include "tools/mpiexec/remote_state.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/conf.h"
#include "tools/mpiexec/stdin_forward.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/output.h"

#define POLL_MS 5000 /* ms for all hosts to report the state of their ranks */
#define REAP_MS 1 /* ms between two checks whether a command has ended, which wakes no poll here */

void remote_send(struct remote_ranks *f, enum frame_kind kind, int which, const void *v, size_t len)
{
	struct proxy_frame fr = {.len = (uint32_t)len,
		.kind = (uint16_t)kind,
		.which = (uint16_t)which,
		.host = -1,
		.rank = -1};

	tree_down(&f->tree, &fr, v);
}

void remote_send_rank(struct remote_ranks *f, enum frame_kind kind, int which, int rank,
	const void *v, size_t len)
{
	struct proxy_frame fr = {.len = (uint32_t)len,
		.kind = (uint16_t)kind,
		.which = (uint16_t)which,
		.host = f->j->rank[rank].host,
		.rank = rank};

	tree_down(&f->tree, &fr, v);
}

/* --- requests of the job -------------------------------------------------------------------- */

bool remote_begun(const struct remote_ranks *f)
{
	return f->nready == f->plan->nused;
}

void remote_signal(struct remote_ranks *f, enum frame_kind kind, int sig)
{
	remote_send(f, kind, sig, NULL, 0);
}

void remote_signal_world(struct remote_ranks *f, const struct world *w, int sig)
{
	struct proxy_frame fr = {
		.kind = FRAME_KILL, .which = (uint16_t)sig, .host = -1, .rank = w->id};

	tree_down(&f->tree, &fr, NULL);
}

void remote_signal_rank(struct remote_ranks *f, int entry, int sig)
{
	remote_send_rank(f, FRAME_STOP, sig, entry, NULL, 0);
}

void remote_forget(struct remote_ranks *f, const struct world *w)
{
	struct proxy_frame fr = {.kind = FRAME_FORGET, .host = -1, .rank = w->id};

	if (f->reader == w) {
		f->reader = NULL;
		f->j->stdin_fd = -1;
	}
	tree_down(&f->tree, &fr, NULL);
}

void remote_spawn(struct remote_ranks *f, const struct world *w)
{
	struct marshal p = {.len = 0};

	world_put(&p, w);
	remote_send(f, FRAME_SPAWN, 0, p.v, p.len);
	free(p.v);
}

/* From now on the world reads the rest of stdin. */
static void stdin_reader_set(struct remote_ranks *f, const struct world *w)
{
	f->reader = w;
	f->sent = 0;
	for (int h = 0; h < f->plan->nhosts; h++) {
		f->hosts[h].took = 0;
		f->hosts[h].sated = false;
	}
	f->j->stdin_fd = STDIN_FILENO;
}

void remote_go(struct remote_ranks *f, const struct world *w, bool soft)
{
	struct proxy_frame fr = {
		.kind = FRAME_GO, .which = (uint16_t)soft, .host = -1, .rank = w->id};

	for (int r = 0; r < w->n; r++) {
		out_expect(w->entry[r], 0);
		out_expect(w->entry[r], 1);
	}
	if (w->stdin_to != STDIN_NONE)
		stdin_reader_set(f, w);
	tree_down(&f->tree, &fr, NULL);
}

void remote_reply(struct remote_ranks *f, int entry, const char *line)
{
	remote_send_rank(f, FRAME_REPLY, 0, entry, line, strlen(line));
}

bool remote_lives(const struct remote_ranks *f, int host)
{
	return f->hosts[host].ready && !f->hosts[host].over;
}

int remote_host(const struct remote_ranks *f, const char *name)
{
	const struct plan *p = f->plan;

	for (int h = 0; h < p->nhosts; h++)
		if (!p->host[h].outside && strcmp(p->host[h].name, name) == 0)
			return h;
	return -1;
}

const char *remote_why(const struct remote_ranks *f, int host)
{
	return f->hosts[host].over ? f->hosts[host].why : NULL;
}

bool remote_settled(const struct remote_ranks *f)
{
	for (int h = 0; h < f->plan->nhosts; h++)
		if (!f->hosts[h].ready && !f->hosts[h].over)
			return false;
	return true;
}

void remote_poll(struct remote_ranks *f)
{
	if (f->polling)
		return;
	f->polling = true;
	f->poll_ns = clock_now_ns() + POLL_MS * NS_PER_MS;
	for (int h = 0; h < f->plan->nhosts; h++)
		f->hosts[h].seen = false;
	for (int r = 0; r < f->j->n; r++)
		f->j->seen[r].known = f->j->seen[r].known && !f->j->rank[r].alive;
	remote_send(f, FRAME_POLL, 0, NULL, 0);
}

void remote_stacks(struct remote_ranks *f)
{
	for (int h = 0; h < f->plan->nhosts; h++)
		f->hosts[h].stacks = false;
	remote_send(f, FRAME_STACKS, 0, NULL, 0);
}

void remote_top(struct remote_ranks *f)
{
	remote_send(f, FRAME_TOP, 0, NULL, 0);
}

void remote_pause(struct remote_ranks *f)
{
	remote_send(f, FRAME_PAUSE, 0, NULL, 0);
	tree_write(&f->tree, clock_now_ns());
}

/* The entry of the rank that reads stdin; -1: several may. */
static int stdin_entry(const struct remote_ranks *f)
{
	int to = f->reader != NULL ? f->reader->stdin_to : f->plan->stdin_to;

	if (f->reader == NULL || to < 0)
		return to;
	return to < f->reader->n ? f->reader->entry[to] : -1;
}

/* True if a rank of the host reads stdin. */
static bool host_reads(const struct remote_ranks *f, int host)
{
	const struct world *w = f->reader;
	int to = stdin_entry(f);

	if (to >= 0)
		return host == f->j->rank[to].host;
	for (int r = 0; w != NULL && w->stdin_to == STDIN_ALL && r < w->n; r++)
		if (w->host_of[r] == host)
			return true;
	return w == NULL;
}

size_t remote_stdin_room(const struct remote_ranks *f)
{
	int64_t least = f->sent;
	bool wanted = false;

	for (int h = 0; h < f->plan->nhosts; h++) {
		const struct remote_host *s = &f->hosts[h];

		if (!host_reads(f, h) || s->over || s->sated)
			continue;
		wanted = true;
		least = s->took < least ? s->took : least;
	}
	if (!wanted || (f->reader == NULL && f->nready < f->plan->nused) ||
		f->sent - least >= STDIN_LEN)
		return 0;
	return (size_t)(STDIN_LEN - (f->sent - least));
}

void remote_stdin(struct remote_ranks *f, const void *v, size_t len)
{
	int to = stdin_entry(f);

	f->sent += (int64_t)len;
	if (to >= 0)
		remote_send_rank(f, FRAME_STDIN, 0, to, v, len);
	else
		remote_send(f, FRAME_STDIN, 0, v, len);
}

/* --- the loop's part ------------------------------------------------------------------------ */

int remote_fd(const struct remote_ranks *f)
{
	return tree_fd(&f->tree);
}

int remote_timeout(const struct remote_ranks *f)
{
	if (f->adds || f->tree.fresh)
		return 0;
	return f->polling || f->j->ending ? 100 : HEARTBEAT_MS / 2;
}

void remote_reap(struct remote_ranks *f, pid_t pid, int status)
{
	tree_reap(&f->tree, pid, status);
}

bool remote_over(const struct remote_ranks *f)
{
	return f->nover == f->plan->nhosts;
}

void remote_fini(struct remote_ranks *f)
{
	uint64_t end = clock_now_ns() + BYE_MS * NS_PER_MS;
	int status;
	pid_t pid;

	remote_send(f, FRAME_BYE, 0, NULL, 0);
	tree_write(&f->tree, clock_now_ns());
	while (!tree_over(&f->tree) && clock_now_ns() < end) {
		poll(&(struct pollfd){.fd = tree_fd(&f->tree), .events = POLLIN}, 1, REAP_MS);
		tree_work(&f->tree, clock_now_ns());
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
			remote_reap(f, pid, status);
	}
	tree_fini(&f->tree);
	for (int h = 0; h < f->plan->nhosts; h++)
		free(f->hosts[h].why);
	free(f->hosts);
}

void remote_tool_server(struct remote_ranks *f, char *const *argv)
{
	struct marshal p = {.len = 0};

	marshal_put_list(&p, argv);
	remote_send(f, FRAME_TOOL, 0, p.v, p.len);
	free(p.v);
}

void remote_release(struct remote_ranks *f)
{
	remote_send(f, FRAME_GATE, 0, NULL, 0);
}

void remote_notice(struct remote_ranks *f, const struct boot_notice *notice)
{
	remote_send(f, FRAME_NOTICE, 0, notice, sizeof(*notice));
}
