// SPDX-License-Identifier: BSD-3-Clause
/* spawn_other_hosts.c - spawns on hosts that are not of the job.
 *
 *   the job runs       the spawn asks for                      it is done
 *   here alone         this host, or nothing                   here
 *                      another host by a key, or more slots    by a service (serve.h): the
 *                      than are free here, and there are       answer is a refusal with
 *                      further hosts in the allocation         haft_other_hosts=HOSTS, and
 *                                                              libmpi asks that service
 *   on several hosts   add-host of a further one               here, when its proxy is ready
 *
 * HOSTS is HOST:N,...;LAUNCHER;COMMAND;INTERFACE;PATH of the mpiexec that refuses, so that the
 * service reaches hosts as that one does; + before it: the key host may name further ones.
 *
 * The ranks of a job on one host have neither key nor sockets for others.  So its children on other
 * hosts are a universe of their own, and meet their parents at a port. */
#include "tools/mpiexec/spawn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libshm/shm.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/remote_ranks.h"

/* True if a host of the list is in another list; NULL: an empty one. */
static bool list_has(const char *list, const char *name)
{
	bool found = false;
	char *other;
	int n;

	while (!found && list != NULL && (other = spawn_list_next(&list, &n)) != NULL) {
		found = strcmp(other, name) == 0;
		free(other);
	}
	return found;
}

/* True if the list names another host than this one.  among: hosts that it may name; NULL: any. */
static bool list_leaves(const char *list, const char *among)
{
	bool leaves = false;
	char *name;
	int n;

	while (!leaves && list != NULL && (name = spawn_list_next(&list, &n)) != NULL) {
		leaves = !hosts_here(name) && (among == NULL || list_has(among, name));
		free(name);
	}
	return leaves;
}

static int slots_here(const struct plan *p)
{
	const char *list = p->spare;
	char *name;
	int slots = 0, n;

	while (list != NULL && (name = spawn_list_next(&list, &n)) != NULL) {
		slots += hosts_here(name) ? n : 0;
		free(name);
	}
	if (slots > 0)
		return slots;
	return p->slots > 0 && p->spare == NULL ? p->slots : shm_cpus();
}

/* The slots that are free on this host. */
static int slots_free(const struct job *j)
{
	int left = slots_here(j->plan);

	for (int r = 0; r < j->n; r++)
		left -= j->rank[r].alive;
	return left > 0 ? left : 0;
}

/* A text of an answer: bytes that would end a word or a field are %XX.  malloc'ed. */
static char *field_new(const char *v)
{
	char *text = mem_grow(NULL, v != NULL ? 3 * strlen(v) + 1 : 1, 1), *to = text;

	for (; v != NULL && *v != '\0'; v++)
		if (*v <= ' ' || *v == '%' || *v == ';')
			to += snprintf(to, 4, "%%%02x", (unsigned char)*v);
		else
			*to++ = *v;
	*to = '\0';
	return text;
}

/* Cuts off the next field, malloc'ed; NULL: it is empty or not there. */
static char *field_take(const char **from)
{
	const char *at = *from;
	size_t len = strcspn(at, ";");
	char *text = len > 0 ? mem_grow(NULL, len + 1, 1) : NULL, *to = text;

	*from = at + len + (at[len] == ';');
	for (const char *end = at + len; at < end; at++) {
		unsigned byte = (unsigned char)*at;

		if (*at == '%' && sscanf(at + 1, "%2x", &byte) == 1)
			at += 2;
		*to++ = (char)byte;
	}
	if (text != NULL)
		*to = '\0';
	return text;
}

/* Appends to a list of hosts how this mpiexec reaches them. */
static char *offer_write(const struct plan *p, char *list)
{
	char *exec = field_new(p->launch_exec), *iface = field_new(p->iface);
	char *path = field_new(p->proxy_path);
	char *text = text_new("%s;%d;%s;%s;%s", list, (int)p->launcher, exec, iface, path);

	free(list);
	free(exec);
	free(iface);
	free(path);
	return text;
}

/* A service reaches hosts as the mpiexec does that has refused.  Once: hosts are there then. */
static void offer_take(struct plan *p, const char *offer)
{
	const char *from = strchr(offer, ';');
	char *launcher, *path;

	if (from == NULL || p->nhosts > 1)
		return;
	from++;
	launcher = field_take(&from);
	if (launcher != NULL && atoi(launcher) > LAUNCH_NONE && atoi(launcher) <= LAUNCH_SLURM)
		p->launcher = (enum launcher)atoi(launcher);
	p->launch_exec = field_take(&from);
	p->iface = field_take(&from);
	path = field_take(&from);
	p->proxy_path = path != NULL ? path : p->proxy_path;
	free(launcher);
}

/* The hosts of the job with their slots; of this one those that are free. */
static char *hosts_offer(const struct job *j, bool open)
{
	const char *list = j->plan->spare;
	char own[256] = "localhost", *text, *name;
	int n;

	gethostname(own, sizeof(own) - 1);
	if (list == NULL)
		return offer_write(
			j->plan, text_new("%s%s:%d", open ? "+" : "", own, slots_free(j)));
	text = text_new("%s", open ? "+" : "");
	while ((name = spawn_list_next(&list, &n)) != NULL) {
		char *word = host_word(name, hosts_here(name) ? slots_free(j) : n);
		char *more = text_new("%s%s%s", text, strlen(text) > (size_t)open ? "," : "", word);

		free(word);
		free(name);
		free(text);
		text = more;
	}
	return offer_write(j->plan, text);
}

char *spawn_other_hosts(const struct spawn *s)
{
	const struct plan *p = s->j->plan;
	bool open = p->serves && p->spare == NULL, leaves = false, keys = false;
	int64_t want = 0;

	if (s->j->remote != NULL)
		return NULL;
	for (int i = 0; i < s->q.nparts; i++) {
		const struct spawn_app *a = &s->app[i];

		keys |= a->hosts != NULL;
		want += s->q.part[i].nprocs;
		leaves |= list_leaves(a->more_hosts, NULL) ||
			  ((open || p->spare != NULL) &&
				  list_leaves(a->hosts, open ? NULL : p->spare));
	}
	if (!leaves && !(p->spare != NULL && !keys && want > slots_free(s->j)))
		return NULL;
	return hosts_offer(s->j, open);
}

char *spawn_hosts_missing(const struct spawn *s)
{
	char *name, *why = NULL;
	int n;

	for (int i = 0; i < s->q.nparts && s->j->remote != NULL; i++) {
		const char *list = s->app[i].more_hosts;

		while (why == NULL && list != NULL && (name = spawn_list_next(&list, &n)) != NULL) {
			int h = remote_host(s->j->remote, name);
			const char *words = h >= 0 ? remote_why(s->j->remote, h) : NULL;

			if (words != NULL)
				why = text_new("host %s cannot be used: %s", name, words);
			free(name);
		}
	}
	return why;
}

/* Adds the hosts of a list, those with slots. */
static void list_add(struct spawn *s, const char *list, bool slots)
{
	char *name;
	int n;

	while (list != NULL && (name = spawn_list_next(&list, &n)) != NULL) {
		if (n > 0 || !slots)
			remote_add(s->j->remote, name, n);
		free(name);
	}
}

/* Adds what one program of the request of a service asks for. */
static void offer_add(struct spawn *s, const struct spawn_app *a)
{
	bool open = a->job_hosts[0] == '+';
	char *list = text_new("%s", a->job_hosts + open);

	offer_take(s->j->plan, a->job_hosts);
	list[strcspn(list, ";")] = '\0';
	if (open)
		list_add(s, a->hosts, false);
	if (a->hosts == NULL || !open)
		list_add(s, list, true);
	free(list);
}

void spawn_hosts_add(struct spawn *s)
{
	for (int i = 0; i < s->q.nparts && s->j->remote != NULL; i++) {
		if (s->app[i].job_hosts != NULL)
			offer_add(s, &s->app[i]);
		list_add(s, s->app[i].more_hosts, false);
	}
}
