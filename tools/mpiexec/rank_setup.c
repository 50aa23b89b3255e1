// SPDX-License-Identifier: BSD-3-Clause
/* rank_setup.c - steps of a start of ranks, for world 0 and for spawned worlds. */
#include "tools/mpiexec/job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/listen.h"
#include "libmpi/core/setting.h"
#include "tools/mpiexec/cpu_bind.h"
#include "tools/mpiexec/outfile.h"
#include "tools/mpiexec/output.h"

const char *job_listen_where(const struct job *j, char *ip)
{
	const struct plan *p = j->plan;
	const char *why = NULL;

	if (!haft_via_apart(haft_setting_launch(SETTING_VIA, p->app[0].envp + 1)))
		return NULL;

	memcpy(ip, "127.0.0.1", sizeof("127.0.0.1"));
	if (p->iface != NULL)
		why = boot_listen_where(p->iface, NULL, NULL, ip);
	if (why != NULL)
		fatal(1, "-iface or HAFT_IFACE %s: %s", p->iface, why);
	return ip;
}

void job_rank_say(const struct job *j, int r, const cpu_set_t *cpus)
{
	const struct rank *k = &j->rank[r];
	const struct app *a = k->app;
	bool remote = j->plan->nhosts > 0;
	char *list = cpus != NULL ? bind_text(cpus) : NULL;

	out_say("%s is process %d%s%s: %s%s%s", job_rank_name(j, r), k->pid, remote ? " on " : "",
		remote ? j->plan->host[k->host].name : "", a->file != NULL ? a->file : a->argv[0],
		list != NULL ? ", on CPUs " : "", list != NULL ? list : "");
	free(list);
}

bool job_file_open(const struct job *j, int r, int which, const char *pattern, bool copy)
{
	const struct rank *k = &j->rank[r];
	char own[256] = "";
	struct outfile *f;

	gethostname(own, sizeof(own) - 1);
	f = outfile_open(pattern, k->rank, j->plan->nhosts > 0 ? j->plan->host[k->host].name : own);
	if (f != NULL)
		out_file(r, which, f, copy);
	return f != NULL;
}
