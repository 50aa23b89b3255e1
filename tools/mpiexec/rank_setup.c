// SPDX-License-Identifier: BSD-3-Clause
/* rank_setup.c - steps of a start of ranks, for world 0 and for spawned worlds. */
#include "tools/mpiexec/job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/listen.h"
#include "libmpi/core/setting.h"
#include "tools/mpiexec/outfile.h"
#include "tools/mpiexec/output.h"

const char *job_listen_where(const struct job *j, char *ip)
{
	const struct plan *p = j->plan;
	const char *why = NULL;

	if (!haft_via_isolates(haft_setting_launch(SETTING_VIA, p->app[0].envp + 1)))
		return NULL;

	memcpy(ip, "127.0.0.1", sizeof("127.0.0.1"));
	if (p->iface != NULL)
		why = boot_listen_where(p->iface, NULL, NULL, ip);
	if (why != NULL)
		fatal(1, "-iface or HAFT_IFACE %s: %s", p->iface, why);
	return ip;
}

const char *job_host_name(const struct job *j, int host)
{
	static char own[256];

	if (j != NULL && j->plan->nhosts > 0)
		return j->plan->host[host].name;
	gethostname(own, sizeof(own) - 1);
	return own;
}

struct pattern_facts job_pattern_facts(const struct job *j, int r, int which)
{
	const struct rank *k = &j->rank[r];

	return (struct pattern_facts){.rank = k->rank,
		.size = k->world->n,
		.world = k->world->id,
		.node = k->host,
		.host = job_host_name(j, k->host),
		.which = which};
}

bool job_file_open(const struct job *j, int r, int which, const char *pattern, bool copy)
{
	struct pattern_facts facts = job_pattern_facts(j, r, which);
	struct outfile *f = outfile_open(pattern, &facts);

	if (f != NULL)
		out_file(r, which, f, copy);
	return f != NULL;
}
