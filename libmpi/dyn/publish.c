// SPDX-License-Identifier: BSD-3-Clause
/* publish.c - MPI_Publish_name, MPI_Lookup_name, MPI_Unpublish_name (MPI-5.0 11.9.4).
 *
 *      key haft_scope    host  processes of this user on this host: host_names.h.  The default
 *                        job   all that this launcher has started, on all hosts: boot/control.h
 *      key haft_replace  true: a name that is there gets the new port; else that is an error
 *
 * Without the key a name of a job on several hosts is published in both scopes, and a look-up asks
 * both.  A key means the same in all three calls. */
#include "libmpi/boot/boot.h"
#include "libmpi/boot/control.h"
#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/dyn/host_names.h"
#include "libmpi/env/info.h"
#include <engine.h>
#include <string.h>

struct publish_scope {
	bool host, job;
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

static int publish_scope(const struct info *info, struct publish_scope *s)
{
	const char *word = info != NULL ? env_info_find(info, "haft_scope") : NULL;

	*s = (struct publish_scope){.host = true, .job = false};
	if (word == NULL)
		s->job = publish_wide();
	else if (strcmp(word, "job") == 0)
		*s = (struct publish_scope){.host = false, .job = true};
	else if (strcmp(word, "host") != 0)
		return haft_err(MPI_ERR_INFO_VALUE,
			"haft_scope is \"%.40s\": the scopes are host and job", word);
	return 0;
}

int dyn_publish_name(const char *service, struct info *info, const char *port)
{
	bool replace = env_info_flag(info, "haft_replace", false);
	struct publish_scope s;
	int err = publish_scope(info, &s);

	if (err == 0 && strlen(service) > DYN_SERVICE_MAX)
		err = haft_err(MPI_ERR_SERVICE, "a service name of %zu characters: %d are the most",
			strlen(service), DYN_SERVICE_MAX);
	if (err == 0 && strnlen(port, MPI_MAX_PORT_NAME) == MPI_MAX_PORT_NAME)
		err = haft_err(MPI_ERR_ARG, "port_name is longer than %d characters",
			MPI_MAX_PORT_NAME - 1);
	if (err == 0 && s.host)
		err = dyn_service_publish(service, port, replace);
	if (err != 0 || !s.job)
		return err;
	err = boot_publish(service, port, replace);
	if (err != 0 && s.host)
		dyn_service_unpublish(service);
	return err;
}

int dyn_unpublish_name(const char *service, struct info *info, const char *port)
{
	struct publish_scope s;
	int err = publish_scope(info, &s), wide = 0;

	(void)port;
	if (err != 0)
		return err;
	if (s.job)
		wide = boot_unpublish(service);
	if (s.host)
		err = dyn_service_unpublish(service);
	/* Either is enough: the name may have been published with another key. */
	return s.host && s.job && (err == 0 || wide == 0) ? 0 : err != 0 ? err : wide;
}

int dyn_lookup_name(const char *service, struct info *info, char *port)
{
	struct publish_scope s;
	int err = publish_scope(info, &s);

	if (err == 0 && s.host)
		err = dyn_service_lookup(service, port, MPI_MAX_PORT_NAME);
	if (s.job && (!s.host || err == MPI_ERR_NAME))
		err = boot_lookup(service, port, MPI_MAX_PORT_NAME);
	return err;
}
