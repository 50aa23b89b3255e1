// SPDX-License-Identifier: BSD-3-Clause
/* allocation.c - hosts of a batch allocation, used when the command line names none.
 *
 *     Slurm      SLURM_JOB_NODELIST=node[01-03,7],big   SLURM_TASKS_PER_NODE=2(x3),1,8
 *     PBS, OAR   PBS_NODEFILE, OAR_NODEFILE: a file with a host for each slot
 *     LSF        LSB_MCPU_HOSTS="a 2 b 4"; LSB_HOSTS="a a b"
 *     SGE        PE_HOSTFILE: a file of "host slots queue processors"
 *     Kubernetes OMPI_MCA_orte_default_hostfile, I_MPI_HYDRA_HOST_FILE, HYDRA_HOST_FILE; they go
 *                before the others, since a user sets them
 *
 * Each form becomes the list that -hosts takes.  A value that cannot be parsed is an error: a job
 * that silently runs on one host of four looks like a success. */
#include "tools/mpiexec/job_plan.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libobj/base.h"
#include "libshm/shm.h"

#define DIGITS_MAX \
	9 /* digits of a number in a host name, with leading zeros; the value fits into an int */

__attribute__((noreturn)) static void alloc_refuse(const char *name, const char *why)
{
	fatal(EXIT_USAGE,
		"the hosts of the allocation are not understood: %s in %s=`%s'; "
		"name them by -hosts or -hostfile",
		why, name, getenv(name));
}

static const char *value_of(const char *name)
{
	const char *v = getenv(name);

	return v != NULL && *v != '\0' ? v : NULL;
}

/* Ends mpiexec unless `slots', a word of variable `name', is a number of slots. */
static void slots_check(const char *name, const char *slots)
{
	size_t len = strspn(slots, "0123456789");

	if (slots[len] != '\0' || len == 0 || len > DIGITS_MAX || atoi(slots) < 1 ||
		atoi(slots) > SHM_RANKS_MAX)
		alloc_refuse(name,
			text_new("`%s' is no number of slots from 1 to %d", slots, SHM_RANKS_MAX));
}

/* --- Slurm ---------------------------------------------------------------------------------- */

/* A list of host names under construction, from "node[01-03,7]x[0-1],big". */
struct slurm_names {
	const char *var; /* the variable, for messages */
	char **v;
	int n;
};

/* Parses a decimal number; returns how many digits it has. */
static int digits_read(struct slurm_names *to, const char *s, int *value)
{
	int len = 0;

	for (*value = 0; isdigit((unsigned char)s[len]); len++) {
		if (len == DIGITS_MAX)
			alloc_refuse(to->var, "a number too long");
		*value = *value * 10 + (s[len] - '0');
	}
	if (len == 0)
		alloc_refuse(to->var, "no number");
	return len;
}

static void names_make(struct slurm_names *to, const char *done, const char *rest, int len);

/* Adds all names that start with `done', continue with a range list "01-03,7" and end with
 * `rest'. */
static void ranges_make(
	struct slurm_names *to, const char *done, const char *range, const char *rest, int len)
{
	int low, high;

	for (;; range++) {
		int width = digits_read(to, range, &low);

		range += width;
		high = low;
		if (*range == '-')
			range += 1 + digits_read(to, range + 1, &high);
		if (high < low || high - low >= SHM_RANKS_MAX)
			alloc_refuse(to->var, "no range");
		for (int i = low; i <= high; i++) {
			char *more = text_new("%s%0*d", done, width, i);

			names_make(to, more, rest, len);
			free(more);
		}
		if (*range != ',')
			break;
	}
	if (*range != ']')
		alloc_refuse(to->var, "no ]");
}

/* Adds all names that start with `done' and continue with the `len' bytes at `rest'. */
static void names_make(struct slurm_names *to, const char *done, const char *rest, int len)
{
	const char *open = memchr(rest, '[', (size_t)len);
	const char *close = open != NULL ? memchr(open, ']', (size_t)(rest + len - open)) : NULL;

	if (open != NULL) {
		char *more = text_new("%s%.*s", done, (int)(open - rest), rest);

		if (close == NULL)
			alloc_refuse(to->var, "no ]");
		ranges_make(to, more, open + 1, close + 1, (int)(rest + len - close - 1));
		free(more);
		return;
	}
	if (to->n == SHM_RANKS_MAX)
		alloc_refuse(to->var, "too many hosts");
	to->v = mem_grow(to->v, (size_t)to->n + 1, sizeof(*to->v));
	to->v[to->n++] = text_new("%s%.*s", done, len, rest);
}

/* Length of the first name of a list; commas in brackets do not end it. */
static int name_len(const char *s)
{
	bool in = false;
	int n = 0;

	for (; s[n] != '\0' && (in || s[n] != ','); n++)
		in = s[n] == '[' || (in && s[n] != ']');
	return n;
}

static struct slurm_names names_read(const char *var, const char *s)
{
	struct slurm_names to = {.var = var};

	for (;;) {
		int len = name_len(s);

		if (len == 0)
			alloc_refuse(var, "a host without a name");
		names_make(&to, "", s, len);
		if (s[len] == '\0')
			return to;
		s += len + 1;
	}
}

/* Slots of the next host in a list like "2(x3),1".  *s and *again hold the position. */
static int slots_next(struct slurm_names *of, const char **s, int *slots, int *again)
{
	const char *p = *s;

	if (*again > 0) {
		--*again;
		return *slots;
	}
	if (*p == '\0')
		alloc_refuse(of->var, "fewer numbers than hosts");
	p += digits_read(of, p, slots);
	if (*slots < 1)
		alloc_refuse(of->var, "no slots");
	if (*p == '(' && p[1] == 'x') {
		p += 2;
		p += digits_read(of, p, again);
		if (*again == 0 || *p != ')')
			alloc_refuse(of->var, "no (xTIMES)");
		--*again;
		p++;
	}
	if (*p == ',')
		p++;
	else if (*p != '\0')
		alloc_refuse(of->var, "something after a number");
	*s = p;
	return *slots;
}

/* The variable with the slots of the nodes.  In a step that of tasks is the step's, which may have
 * fewer nodes than the job. */
static const char *slurm_counts(void)
{
	bool step = value_of("SLURM_STEP_TASKS_PER_NODE") != NULL;

	return value_of("SLURM_TASKS_PER_NODE") != NULL && !step ? "SLURM_TASKS_PER_NODE"
								 : "SLURM_JOB_CPUS_PER_NODE";
}

static char *slurm_list(const char *var)
{
	const char *tasks = slurm_counts();
	struct slurm_names hosts = names_read(var, getenv(var)), counts = {.var = tasks};
	const char *s = value_of(tasks);
	int slots = 1, again = 0;
	char *list = text_new("%s", "");

	for (int i = 0; i < hosts.n; i++) {
		char *more;

		if (s != NULL)
			slots_next(&counts, &s, &slots, &again);
		more = text_new("%s%s%s:%d", list, i > 0 ? "," : "", hosts.v[i], slots);
		free(list);
		free(hosts.v[i]);
		list = more;
	}
	free(hosts.v);
	if (again > 0 || (s != NULL && *s != '\0'))
		alloc_refuse(tasks, "more numbers than hosts");
	return list;
}

/* --- LSF, SGE ------------------------------------------------------------------------------- */

/* Parses "host slots host slots ...", or host names only. */
static char *lsf_list(const char *var, bool counts)
{
	char *copy = text_new("%s", getenv(var)), *rest = NULL, *list = text_new("%s", "");

	for (char *w = strtok_r(copy, " \t", &rest); w != NULL; w = strtok_r(NULL, " \t", &rest)) {
		char *slots = counts ? strtok_r(NULL, " \t", &rest) : NULL, *more;

		if (counts && slots == NULL)
			alloc_refuse(var, "a host without a number");
		if (counts)
			slots_check(var, slots);
		more = text_new(
			"%s%s%s:%s", list, *list != '\0' ? "," : "", w, counts ? slots : "1");
		free(list);
		list = more;
	}
	if (*list == '\0')
		alloc_refuse(var, "no host");
	free(copy);
	return list;
}

static char *sge_list(const char *var)
{
	FILE *f = fopen(getenv(var), "re");
	const char *bad = NULL;
	char *line = NULL, *list;
	size_t cap = 0;

	if (f == NULL)
		alloc_refuse(var, strerror(errno));
	list = text_new("%s", "");
	while (getline(&line, &cap, f) >= 0) {
		char *rest = NULL, *host = strtok_r(line, " \t\n", &rest);
		char *slots = strtok_r(NULL, " \t\n", &rest), *more;

		if (host == NULL)
			continue;
		if (slots == NULL) {
			bad = "a host without a number";
			break;
		}
		slots_check(var, slots);
		more = text_new("%s%s%s:%s", list, *list != '\0' ? "," : "", host, slots);
		free(list);
		list = more;
	}
	if (ferror(f))
		bad = strerror(errno);
	else if (bad == NULL && *list == '\0')
		bad = "no host";
	free(line);
	fclose(f);
	if (bad != NULL) {
		free(list);
		alloc_refuse(var, bad);
	}
	return list;
}

/* --- which of them -------------------------------------------------------------------------- */

/* A host file that a variable names: those of other launchers, as Kubernetes' MPI operator sets
 * them in its three modes. */
static void file_take(struct plan *p)
{
	static const char *const names[] = {"HYDRA_HOST_FILE", "I_MPI_HYDRA_HOST_FILE",
		"OMPI_MCA_orte_default_hostfile", "PRTE_MCA_prte_default_hostfile"};

	for (size_t i = 0; i < countof(names) && p->nhosts == 0; i++)
		if (value_of(names[i]) != NULL)
			hosts_file(p, getenv(names[i]));
}

static void list_take(struct plan *p, char *list)
{
	hosts_list(p, list);
	free(list);
}

/* An allocation of this host alone needs no proxy: only its slots count. */
static void alone_settle(struct plan *p)
{
	const char *own = value_of("SLURMD_NODENAME");
	const char *name = p->host[0].name;

	if (p->nhosts > 1 || ((own == NULL || strcmp(name, own) != 0) && !hosts_here(name)))
		return;
	p->ppn = p->ppn > 0 ? p->ppn : p->host[0].slots;
	free(p->host[0].name);
	p->nhosts = 0;
}

bool alloc_hosts(struct plan *p)
{
	static const char *const slurm[] = {"SLURM_JOB_NODELIST", "SLURM_NODELIST"};
	static const char *const files[] = {"PBS_NODEFILE", "OAR_NODEFILE"};
	bool by_slurm = false;

	file_take(p);
	if (p->nhosts > 0)
		return false;
	if (value_of("SLURM_HET_SIZE") != NULL)
		alloc_refuse("SLURM_HET_SIZE", "several components");
	for (size_t i = 0; i < countof(slurm) && p->nhosts == 0; i++)
		if (value_of(slurm[i]) != NULL) {
			list_take(p, slurm_list(slurm[i]));
			by_slurm = true;
		}
	for (size_t i = 0; i < countof(files) && p->nhosts == 0; i++)
		if (value_of(files[i]) != NULL)
			hosts_file(p, getenv(files[i]));
	if (p->nhosts == 0 && value_of("LSB_MCPU_HOSTS") != NULL)
		list_take(p, lsf_list("LSB_MCPU_HOSTS", true));
	else if (p->nhosts == 0 && value_of("LSB_HOSTS") != NULL)
		list_take(p, lsf_list("LSB_HOSTS", false));
	else if (p->nhosts == 0 && value_of("PE_HOSTFILE") != NULL)
		list_take(p, sge_list("PE_HOSTFILE"));
	if (p->nhosts > 0)
		alone_settle(p);
	return by_slurm;
}
