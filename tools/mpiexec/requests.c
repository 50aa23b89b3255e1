// SPDX-License-Identifier: BSD-3-Clause
/* requests.c - the requests that only the root can answer.
 *
 *   mcmd=spawn ...                          spawn.c
 *   publish_name, lookup_name, ...          names.c
 *   haft_where number=N                     the host and the address of a process
 *   haft_show addr=A                        the asking process listens there from now on
 *   haft_connected, haft_disconnected runs=F+N,...   the worlds of the asking process and of the N
 *                                           processes from number F on are connected once more, or
 *                                           once less
 *   haft_children first=F end=E             whether all processes of the world of number F live; E
 *                                           is 1: its parents give it up, and it ends
 *   haft_abort runs=F+N,... code=C last=B msg=TEXT   MPI_Abort of a group: group_abort.c
 *   haft_ft what=W                          enum boot_ft of the asking process; no answer */
#include "tools/mpiexec/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/mpiexec_words.h"
#include "libmpi/boot/pmi_word.h"
#include "libmpi/core/rank_name.h"
#include "libobj/base.h"
#include "tools/mpiexec/group_abort.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/names.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/pmi_server.h"
#include "tools/mpiexec/remote_ranks.h"
#include "tools/mpiexec/spawn.h"

/* The number of a word; -1: there is none. */
static int request_number(const char *line, const char *key)
{
	size_t len;
	const char *v = boot_pmi_word(line, key, &len);

	return v != NULL && *v >= '0' && *v <= '9' ? atoi(v) : -1;
}

/* A process may be asked for before its host has said that it runs: its address is known then. */
static void where_do(struct job *j, int entry, const char *line)
{
	int r = job_entry(j, request_number(line, "number"));
	const struct rank *k = r >= 0 ? &j->rank[r] : NULL;
	char *name, *addr;

	if (k == NULL || (!k->alive && k->pid != 0)) {
		request_reply(j, entry, "cmd=" BOOT_CMD_WHERE "_result rc=-1 msg=%s",
			k == NULL ? "no such process" : "it has ended");
		return;
	}
	name = request_word(j->plan->nhosts > 0 ? j->plan->host[k->host].name : "localhost");
	addr = request_word(k->addr != NULL ? k->addr : "");
	request_reply(j, entry, "cmd=" BOOT_CMD_WHERE "_result rc=0 host=%d name=%s pid=%d addr=%s",
		k->host, name, k->pid, addr);
	free(name);
	free(addr);
}

static void show_do(struct job *j, int entry, const char *line)
{
	size_t len;
	const char *v = boot_pmi_word(line, "addr", &len);
	struct rank *k = &j->rank[entry];

	free(k->addr);
	k->addr = v != NULL ? text_new("%.*s", (int)len, v) : NULL;
	request_reply(j, entry, "cmd=" BOOT_CMD_SHOW "_result rc=0");
}

/* True if the world has a process of the list "F+N,F+N,...". */
static bool world_in(const struct world *w, const char *runs)
{
	long first, n;
	char *end;

	for (const char *at = runs; at != NULL; at = *end == ',' ? end + 1 : NULL) {
		first = strtol(at, &end, 10);
		n = *end == '+' ? strtol(end + 1, &end, 10) : 0;
		if (first < w->first + w->n && first + n > w->first)
			return true;
	}
	return false;
}

/* For each other world of the list.  Worlds that have ended are gone. */
static void edges_do(struct job *j, int entry, const char *line,
	void (*work)(struct job *j, int a, int b), const char *command)
{
	const struct world *own = j->rank[entry].world;
	size_t len;
	const char *runs = boot_pmi_word(line, "runs", &len);

	for (const struct world *w = j->world; w != NULL; w = w->next)
		if (w != own && world_in(w, runs))
			work(j, own->id, w->id);
	request_reply(j, entry, "cmd=%s_result rc=0", command);
}

static void connected_do(struct job *j, int entry, const char *line)
{
	edges_do(j, entry, line, job_connect, BOOT_CMD_CONNECTED);
}

static void disconnected_do(struct job *j, int entry, const char *line)
{
	edges_do(j, entry, line, job_disconnect, BOOT_CMD_DISCONNECTED);
}

/* True if a process of the spawned world w, which may be forgotten, has ended. */
static bool child_ended(const struct job *j, const struct world *w)
{
	for (int i = 0; w != NULL && i < w->n; i++) {
		const struct rank *k = w->entry[i] >= 0 ? &j->rank[w->entry[i]] : NULL;

		if (k != NULL && !k->alive && k->pid != 0)
			return true;
	}
	return w == NULL || w->ending;
}

/* Answers that a child has ended: which one, and how, if that is known. */
static void child_tell(struct job *j, int entry, int first)
{
	const struct spawn_failure *u = &j->spawn_failure;
	bool killed = WIFSIGNALED(u->status);
	char *text, *words, name[HAFT_RANK_NAME];

	if (u->first != first)
		text = text_new("they have ended before MPI_Init was complete");
	else
		text = text_new("%s (process %d on host %s) %s %d before MPI_Init was complete",
			haft_rank_name(name, u->world, u->rank), u->pid,
			j->plan->nhosts > 0 ? j->plan->host[u->host].name : "localhost",
			killed ? "was killed by signal" : "exited with code",
			killed ? WTERMSIG(u->status) : WEXITSTATUS(u->status));
	words = request_word(text);
	request_reply(j, entry, "cmd=" BOOT_CMD_CHILDREN "_result rc=-1 msg=%s", words);
	free(words);
	free(text);
}

/* A spawn has waited for HAFT_HANG seconds: says once what its children do. */
static void children_late(struct job *j, struct world *w)
{
	uint64_t now = clock_now_ns();

	if (w->awaited_ns == 0)
		w->awaited_ns = now;
	if (w->late || j->hang.limit_ns == 0 || now - w->awaited_ns < j->hang.limit_ns)
		return;
	w->late = true;
	out_say("a spawn has waited for its children for %llu s (HAFT_HANG): does it hang?",
		(unsigned long long)((now - w->awaited_ns) / NS_PER_S));
	job_ask(j, ASK_REPORT);
}

/* The children come to a port of their parents, which ask meanwhile whether they still can. */
static void children_do(struct job *j, int entry, const char *line)
{
	int first = request_number(line, "first");
	struct world *w = j->world;

	while (w != NULL && (w->id == 0 || w->first != first))
		w = w->next;
	if (w != NULL && request_number(line, "end") == 1) {
		job_disconnect(j, j->rank[entry].world->id, w->id);
		job_world_fail(j, w, 1);
	}
	if (child_ended(j, w)) {
		child_tell(j, entry, first);
		return;
	}
	children_late(j, w);
	request_reply(j, entry, "cmd=" BOOT_CMD_CHILDREN "_result rc=0");
}

static void ft_do(struct job *j, int entry, const char *line)
{
	int what = request_number(line, "what");

	(void)entry;
	if (what > (int)j->failures.known && what <= BOOT_FT_HANDLED)
		j->failures.known = (uint32_t)what;
}

static const struct {
	const char *name;
	void (*work)(struct job *j, int entry, const char *line);
} requests[] = {{BOOT_CMD_WHERE, where_do}, {BOOT_CMD_SHOW, show_do},
	{BOOT_CMD_CONNECTED, connected_do}, {BOOT_CMD_DISCONNECTED, disconnected_do},
	{BOOT_CMD_CHILDREN, children_do}, {BOOT_CMD_FT, ft_do}, {BOOT_CMD_ABORT, group_abort_do},
	{"publish_name", names_publish}, {"unpublish_name", names_unpublish},
	{"lookup_name", names_lookup}};

void request_do(void *arg, int entry, const char *text)
{
	struct job *j = arg;
	size_t len;
	const char *command;

	if (strncmp(text, "mcmd=spawn", 10) == 0) {
		spawn_do(j, entry, text);
		return;
	}
	command = boot_pmi_word(text, "cmd", &len);
	for (size_t i = 0; i < countof(requests) && command != NULL; i++)
		if (strlen(requests[i].name) == len &&
			strncmp(command, requests[i].name, len) == 0) {
			requests[i].work(j, entry, text);
			return;
		}
	request_reply(j, entry, "cmd=unknown rc=-1");
}
