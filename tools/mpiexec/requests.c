// SPDX-License-Identifier: BSD-3-Clause
/* requests.c - the requests that only the root can answer.
 *
 *   mcmd=spawn ...                          spawn.c
 *   publish_name, lookup_name, ...          names.c
 *   haft_where number=N                     the host and the address of a process
 *   haft_show addr=A                        the asking process listens there from now on
 *   haft_together, haft_apart first=F       the worlds of the asking process and of number F are
 *                                           connected once more, or once less
 *   haft_ft what=W                          enum boot_ft of the asking process; no answer
 *   haft_kill code=C numbers=N,N,...        MPI_Abort of a group */
#include "tools/mpiexec/requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/pmi_word.h"
#include "libobj/base.h"
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

static void where_do(struct job *j, int entry, const char *line)
{
	int r = job_entry(j, request_number(line, "number"));
	const struct rank *k = r >= 0 ? &j->rank[r] : NULL;

	if (k == NULL || !k->alive) {
		request_reply(j, entry, "cmd=haft_where_result rc=-1 msg=%s",
			k == NULL ? "no such process" : "it has ended");
		return;
	}
	request_reply(j, entry, "cmd=haft_where_result rc=0 host=%d name=%s pid=%d addr=%s",
		k->host, j->plan->nhosts > 0 ? j->plan->host[k->host].name : "localhost", k->pid,
		k->addr != NULL ? k->addr : "");
}

static void show_do(struct job *j, int entry, const char *line)
{
	size_t len;
	const char *v = boot_pmi_word(line, "addr", &len);
	struct rank *k = &j->rank[entry];

	free(k->addr);
	k->addr = v != NULL ? text_new("%.*s", (int)len, v) : NULL;
	request_reply(j, entry, "cmd=haft_show_result rc=0");
}

/* The id of the world of the process with the number of word `first'; -1: it has ended. */
static int world_named(const struct job *j, const char *line)
{
	int r = job_entry(j, request_number(line, "first"));

	return r >= 0 ? j->rank[r].world->id : -1;
}

static void together_do(struct job *j, int entry, const char *line)
{
	int other = world_named(j, line);

	if (other >= 0)
		job_connect(j, j->rank[entry].world->id, other);
	request_reply(j, entry, "cmd=haft_together_result rc=0");
}

static void apart_do(struct job *j, int entry, const char *line)
{
	int other = world_named(j, line);

	if (other >= 0)
		job_disconnect(j, j->rank[entry].world->id, other);
	request_reply(j, entry, "cmd=haft_apart_result rc=0");
}

/* Ends the worlds of some processes and those that are connected to them: the standard allows it
 * where a part of a world cannot be ended alone. */
static void kill_do(struct job *j, int entry, const char *line)
{
	int code = request_number(line, "code");
	size_t len;
	const char *v = boot_pmi_word(line, "numbers", &len);
	char *end;

	out_say("%s has aborted a group of processes with code %d", job_rank_name(j, entry), code);
	for (; v != NULL && *v != ' ' && *v != '\0'; v = *end == ',' ? end + 1 : end) {
		int r = job_entry(j, (int)strtol(v, &end, 10));

		if (end == v)
			break;
		if (r >= 0)
			job_world_fail(j, j->rank[r].world, code > 0 && code < 256 ? code : 1);
	}
	request_reply(j, entry, "cmd=haft_kill_result rc=0");
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
} requests[] = {{"haft_where", where_do}, {"haft_show", show_do}, {"haft_together", together_do},
	{"haft_apart", apart_do}, {"haft_kill", kill_do}, {"haft_ft", ft_do},
	{"publish_name", names_publish}, {"unpublish_name", names_unpublish},
	{"lookup_name", names_lookup}};

void request_ask(void *arg, int entry, const char *text)
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
