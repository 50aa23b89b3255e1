// SPDX-License-Identifier: BSD-3-Clause
/* publish.c - MPI_Publish_name, MPI_Lookup_name, MPI_Unpublish_name (MPI-5.0 11.9.4).
 *
 *      key haft_scope    host  processes of this user on this host: host_names.h.  The default
 *                        job   all that this launcher has started, on all hosts: boot/control.h
 *                        server  all that know its address: name_client.h
 *      key haft_name_server  address of a server, in place of HAFT_NAME_SERVER; means scope server
 *      key haft_replace  true: a name that is there gets the new port; else that is an error
 *
 * Without the key a name goes into the scope host; into job, if the job has several hosts; and into
 * server, if HAFT_NAME_SERVER is set.  A look-up asks them in this order.  A key means the same in
 * all three calls. */
#include "libmpi/boot/boot.h"
#include "libmpi/boot/control.h"
#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/setting.h"
#include "libmpi/dyn/host_names.h"
#include "libmpi/dyn/name_client.h"
#include "libmpi/env/info.h"
#include <engine.h>
#include <stdio.h>
#include <string.h>

struct publish_scope {
	bool host, job;
	const char *server; /* address; NULL: not this scope */
};

/* Has the job processes on several hosts? */
static bool publish_wide(void)
{
	int first = haft_life.peer - haft_life.rank;

	for (int i = 1; i < haft_life.size; i++)
		if (boot_host_of(first + i) != boot_host_of(first))
			return true;
	return false;
}

/* The scope of a server. */
static int publish_scope_server(const char *address, struct publish_scope *s)
{
	*s = (struct publish_scope){.server = address};
	if (*address == '\0')
		return haft_err(MPI_ERR_INFO_VALUE,
			"haft_scope is server, but no server is known: set HAFT_NAME_SERVER, use "
			"mpiexec -nameserver, or the key haft_name_server");
	return 0;
}

static int publish_scope(const struct info *info, struct publish_scope *s)
{
	const char *word = info != NULL ? env_info_find(info, "haft_scope") : NULL;
	const char *named = info != NULL ? env_info_find(info, "haft_name_server") : NULL;
	const char *server = named != NULL ? named : haft_setting_text(SETTING_NAME_SERVER);

	*s = (struct publish_scope){.host = true, .job = false};
	if (named != NULL || (word != NULL && strcmp(word, "server") == 0))
		return publish_scope_server(server, s);
	if (word == NULL) {
		s->job = publish_wide();
		s->server = *server != '\0' ? server : NULL;
	} else if (strcmp(word, "job") == 0) {
		*s = (struct publish_scope){.host = false, .job = true};
	} else if (strcmp(word, "host") != 0) {
		return haft_err(MPI_ERR_INFO_VALUE,
			"haft_scope is \"%.40s\": the scopes are host, job and server", word);
	}
	return 0;
}

/* Both texts are such that a name can be made of them. */
static int publish_check(const char *service, const char *port)
{
	if (service[0] == '\0')
		return haft_err(MPI_ERR_SERVICE, "service_name is empty");
	if (strlen(service) > DYN_SERVICE_MAX)
		return haft_err(MPI_ERR_SERVICE,
			"a service name of %zu characters: %d are the most", strlen(service),
			DYN_SERVICE_MAX);
	if (port[0] == '\0')
		return haft_err(MPI_ERR_PORT, "port_name is empty");
	if (strnlen(port, MPI_MAX_PORT_NAME) == MPI_MAX_PORT_NAME)
		return haft_err(MPI_ERR_ARG, "port_name is longer than %d characters",
			MPI_MAX_PORT_NAME - 1);
	if (strchr(port, '\n') != NULL)
		return haft_err(MPI_ERR_PORT,
			"port_name has a newline at character %d: no name of a port has one",
			(int)strcspn(port, "\n"));
	return 0;
}

/* The key haft_replace. */
static int publish_replaces(const struct info *info, bool *replace)
{
	const char *v = info != NULL ? env_info_find(info, "haft_replace") : NULL;

	*replace = env_info_flag(info, "haft_replace", false);
	if (v == NULL || *replace || !env_info_flag(info, "haft_replace", true))
		return 0;
	return haft_err(MPI_ERR_INFO_VALUE, "haft_replace is \"%.40s\": it is true or false", v);
}

/* The ports that a name has in two scopes before it is replaced; empty: none. */
struct publish_old {
	char host[MPI_MAX_PORT_NAME], job[MPI_MAX_PORT_NAME];
};

static void publish_remember(
	const char *service, const struct publish_scope *s, struct publish_old *old)
{
	if (s->host && !dyn_service_mine(service, old->host, sizeof(old->host)))
		old->host[0] = '\0';
	if (s->job && s->server != NULL && boot_lookup(service, old->job, sizeof(old->job)) != 0)
		old->job[0] = '\0';
}

static int publish_undo_host(const char *service, const char *port, const char *old)
{
	return old[0] != '\0' ? dyn_service_publish(service, old, true)
			      : dyn_service_unpublish(service, port);
}

static int publish_undo_job(const char *service, const char *port, const char *old)
{
	return old[0] != '\0' ? boot_publish(service, old, true) : boot_unpublish(service, port);
}

/* Adds to the words of a failure that a scope could not be put back.  err: 0, or why. */
static void publish_undone(char words[HAFT_ERR_TEXT_MAX], const char *scope, int err)
{
	size_t len = strlen(words);

	if (err != 0)
		snprintf(words + len, HAFT_ERR_TEXT_MAX - len,
			"; the new port stays in the scope %s: %s", scope, haft_err_text(err));
}

/* Publishes in one scope after the other.  If one fails, those before it get their old port
 * back. */
static int publish_all(
	const char *service, const char *port, const struct publish_scope *s, bool replace)
{
	struct publish_old old = {"", ""};
	char words[HAFT_ERR_TEXT_MAX];
	bool server_failed = false;
	int err = 0;

	if (replace)
		publish_remember(service, s, &old);
	if (s->host)
		err = dyn_service_publish(service, port, replace);
	if (err != 0)
		return err;
	if (s->job)
		err = boot_publish(service, port, replace);
	if (err == 0 && s->server != NULL) {
		err = dyn_server_publish(s->server, service, port, replace);
		server_failed = err != 0;
	}
	if (err == 0)
		return 0;
	snprintf(words, sizeof(words), "%s", haft_err_text(err));
	if (s->job && server_failed)
		publish_undone(words, "job", publish_undo_job(service, port, old.job));
	if (s->host)
		publish_undone(words, "host", publish_undo_host(service, port, old.host));
	return haft_err(err, "%s", words); /* not those of the undoing alone */
}

int dyn_publish_name(const char *service, struct info *info, const char *port)
{
	struct publish_scope s;
	bool replace;
	int err = publish_scope(info, &s);

	if (err == 0)
		err = publish_replaces(info, &replace);
	if (err == 0)
		err = publish_check(service, port);
	return err != 0 ? err : publish_all(service, port, &s, replace);
}

/* The errors of a name in several scopes: a success, else words that say most. */
struct withdrawal {
	bool done;
	int err;
	char words[HAFT_ERR_TEXT_MAX];
};

/* One scope is enough: the name may have been published with another key.  A name that leads to
 * another port says more than one that is not there. */
static void withdrawal_add(struct withdrawal *w, int err)
{
	const char *text = haft_err_text(err);

	w->done |= err == 0;
	if (err == 0 || (w->err != 0 && strstr(text, "another port") == NULL))
		return;
	w->err = err;
	snprintf(w->words, sizeof(w->words), "%s", text);
}

/* Each scope compares the port itself, with the name that is withdrawn. */
int dyn_unpublish_name(const char *service, struct info *info, const char *port)
{
	struct withdrawal w = {.err = 0};
	struct publish_scope s;
	int err = publish_scope(info, &s);

	if (err == 0)
		err = publish_check(service, port);
	if (err != 0)
		return err;
	if (s.host)
		withdrawal_add(&w, dyn_service_unpublish(service, port));
	if (s.job)
		withdrawal_add(&w, boot_unpublish(service, port));
	if (s.server != NULL)
		withdrawal_add(&w, dyn_server_unpublish(s.server, service, port));
	return w.done ? 0 : haft_err(w.err, "%s", w.words);
}

int dyn_lookup_name(const char *service, struct info *info, char *port)
{
	struct publish_scope s;
	int err = publish_scope(info, &s);

	if (err == 0 && strlen(service) > DYN_SERVICE_MAX)
		err = haft_err(MPI_ERR_NAME,
			"a service name of %zu characters: none longer than %d is published",
			strlen(service), DYN_SERVICE_MAX);
	if (err != 0)
		return err;
	if (s.host)
		err = dyn_service_lookup(service, port, MPI_MAX_PORT_NAME);
	if (s.job && (!s.host || err == MPI_ERR_NAME))
		err = boot_lookup(service, port, MPI_MAX_PORT_NAME);
	if (s.server != NULL && (!s.host || err == MPI_ERR_NAME))
		err = dyn_server_lookup(s.server, service, port);
	return err;
}
