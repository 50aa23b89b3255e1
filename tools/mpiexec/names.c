// SPDX-License-Identifier: BSD-3-Clause
/* names.c - see names.h.  Service names and ports travel without blanks: libmpi writes other bytes
 * as %XX, and they are compared in that form. */
#include "tools/mpiexec/names.h"

#include <stdlib.h>
#include <string.h>
#include "libmpi/boot/pmi_word.h"
#include "tools/mpiexec/requests.h"
#include "tools/mpiexec/job.h"

struct published {
	char *service, *port;
	int number; /* of the process that has published it */
};

static struct {
	struct published *v;
	int n;
} published;

static struct published *name_find(const char *service)
{
	for (int i = 0; i < published.n; i++)
		if (strcmp(published.v[i].service, service) == 0)
			return &published.v[i];
	return NULL;
}

static void name_forget(struct published *p)
{
	free(p->service);
	free(p->port);
	*p = published.v[--published.n];
}

/* A copy of a word, or NULL. */
static char *word_copy(const char *line, const char *key)
{
	size_t len;
	const char *v = boot_pmi_word(line, key, &len);

	return v != NULL && len > 0 ? text_new("%.*s", (int)len, v) : NULL;
}

static void name_add(struct job *j, int entry, char *service, char *port)
{
	published.v = mem_grow(published.v, (size_t)published.n + 1, sizeof(*published.v));
	published.v[published.n++] = (struct published){
		.service = service, .port = port, .number = job_number(j, entry)};
	request_reply(j, entry, "cmd=publish_result rc=0 info=ok");
}

void names_publish(struct job *j, int entry, const char *line)
{
	char *service = word_copy(line, "service"), *port = word_copy(line, "port");
	struct published *old = service != NULL ? name_find(service) : NULL;
	size_t len;
	const char *mode = boot_pmi_word(line, "mode", &len);

	if (old != NULL && old->number == job_number(j, entry) && mode != NULL &&
		strncmp(mode, "replace", len) == 0) {
		name_forget(old);
		old = NULL;
	}
	if (service != NULL && port != NULL && old == NULL) {
		name_add(j, entry, service, port);
		return;
	}
	request_reply(j, entry, "cmd=publish_result rc=-1 info=error msg=%s",
		old != NULL ? "key_already_present" : "no_name_or_port");
	free(service);
	free(port);
}

void names_unpublish(struct job *j, int entry, const char *line)
{
	char *service = word_copy(line, "service"), *port = word_copy(line, "port");
	struct published *p = service != NULL ? name_find(service) : NULL;
	const char *why = NULL;

	if (p == NULL)
		why = "service_not_found";
	else if (port != NULL && strcmp(port, p->port) != 0)
		why = "another_port";
	else if (p->number != job_number(j, entry))
		why = "another_process";
	else
		name_forget(p);
	request_reply(j, entry, "cmd=unpublish_result rc=%d info=%s%s", why == NULL ? 0 : -1,
		why == NULL ? "ok" : "error msg=", why == NULL ? "" : why);
	free(service);
	free(port);
}

void names_lookup(struct job *j, int entry, const char *line)
{
	char *service = word_copy(line, "service");
	const struct published *p = service != NULL ? name_find(service) : NULL;

	if (p != NULL)
		request_reply(j, entry, "cmd=lookup_result rc=0 info=ok port=%s", p->port);
	else
		request_reply(j, entry, "cmd=lookup_result rc=-1 info=error msg=service_not_found");
	free(service);
}

void names_drop(int number)
{
	for (int i = 0; i < published.n; i++)
		if (published.v[i].number == number)
			name_forget(&published.v[i--]);
}
