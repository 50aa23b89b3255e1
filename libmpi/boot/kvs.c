// SPDX-License-Identifier: BSD-3-Clause
/* kvs.c - which launcher has started this process, by the environment, and the calls to it.
 *
 *   PMI_FD is a socket ----------------------------> PMI-1
 *   PMIX_NAMESPACE, libpmix can be loaded ---------> PMIx
 *   signs of several processes, and neither ------> an error that says what to do
 *   nothing, or one process -----------------------> a singleton
 *
 * Several processes that each believe to be rank 0 of 1 would write the same files, so that case is
 * always an error.  A program that a rank starts inherits the launcher's variables, but is no rank:
 * if an ancestor is an MPI process, this process is a singleton. */
#include "libmpi/boot/kvs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libmpi/boot/boot_error.h"
#include "libobj/base.h"

#define ANCESTORS_MAX 64 /* processes between init and us: a shell in a shell in a shell has 10 */

/* The parent of process `pid'; 0: none, or unknown. */
static int process_parent(int pid)
{
	char path[64], text[512];
	const char *p;
	FILE *f;
	int up = 0;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = '\0';
	p = strrchr(text, ')'); /* behind the name, which may be anything */
	if (p == NULL || sscanf(p, ") %*c %d", &up) != 1)
		return 0;
	return up;
}

/* True if the process holds a segment of ours. */
static bool process_has_segment(int pid)
{
	static const char mark[] = "/memfd:haft";
	char path[64], to[64];
	struct dirent *e;
	bool found = false;
	ssize_t n;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	d = opendir(path);
	if (d == NULL)
		return false;
	while (!found && (e = readdir(d)) != NULL) {
		n = readlinkat(dirfd(d), e->d_name, to, sizeof(to));
		found = n >= (ssize_t)sizeof(mark) - 1 && memcmp(to, mark, sizeof(mark) - 1) == 0;
	}
	closedir(d);
	return found;
}

/* True if an ancestor is an MPI process of ours: this process is then no rank of that launcher. */
static bool launcher_nested(void)
{
	int pid = getppid();

	for (int i = 0; i < ANCESTORS_MAX && pid > 1; i++) {
		if (process_has_segment(pid))
			return true;
		pid = process_parent(pid);
	}
	return false;
}

#define SRUN_HINT "use srun --mpi=pmi2 (or --mpi=pmix, with libpmix.so.2 installed)"

/* Variables of launchers that show several processes, and the hint if the launcher cannot be
 * asked. */
static const struct launcher_sign {
	const char *launcher;
	const char *mark; /* an environment variable ... */
	int least;        /* ... that is at least this number; text after it is ignored: "3(x2)" */
	const char *hint;
} launcher_signs[] = {
	{"Slurm's srun", "SLURM_STEP_NUM_TASKS", 2, SRUN_HINT},
	{"Slurm's srun", "SLURM_STEP_TASKS_PER_NODE", 2, SRUN_HINT},
	{"Slurm's srun", "SLURM_STEP_NUM_NODES", 2, SRUN_HINT},
	{"Slurm's srun", "SLURM_PROCID", 1, SRUN_HINT}, /* not the first one */
	{"a PMIx launcher", "PMIX_RANK", 0, "install libpmix.so.2 (Debian: libpmix2)"},
	{"Open MPI's mpirun", "OMPI_COMM_WORLD_SIZE", 2, "use the mpiexec of this MPI"},
	{"a PMI launcher", "PMI_SIZE", 2, "use hydra's mpiexec, or the mpiexec of this MPI"},
};

/* KVS_BAD with an error text for the first sign of several processes; KVS_NONE: there is none. */
static enum kvs_kind sign_find(const char *why)
{
	for (size_t i = 0; i < countof(launcher_signs); i++) {
		const struct launcher_sign *s = &launcher_signs[i];

		if (getenv(s->mark) == NULL || atoi(getenv(s->mark)) < s->least)
			continue;
		if (launcher_nested())
			return KVS_NONE;
		boot_fail(
			"one of several processes started by %s (%s is set), which gives them no "
			"way to find each other%s%s: %s; or set HAFT_BOOT=alone if each of them is "
			"a job of its own",
			s->launcher, s->mark, *why != '\0' ? ": " : "", why, s->hint);
		return KVS_BAD;
	}
	return KVS_NONE;
}

enum kvs_kind boot_kvs_detect(void)
{
	char why[128] = "";

	if (getenv("PMI_FD") != NULL) {
		if (boot_pmi_fd_valid(boot_env_number("PMI_FD")))
			return KVS_PMI;
		snprintf(why, sizeof(why), "PMI_FD=%.20s is not an open socket", getenv("PMI_FD"));
	}
	if (getenv("PMIX_NAMESPACE") != NULL && getenv("PMIX_RANK") != NULL) {
		if (launcher_nested())
			return KVS_NONE;
		if (boot_pmix_present())
			return KVS_PMIX;
		snprintf(why, sizeof(why), "%.127s", boot_error_text());
	}
	return sign_find(why);
}

int boot_kvs_open(struct kvs *k, enum kvs_kind kind)
{
	return kind == KVS_PMI ? boot_pmi_open(k) : boot_pmix_open(k);
}

int boot_kvs_put(struct kvs *k, const char *key, const char *value)
{
	return k->ops->put(k, key, value);
}

int boot_kvs_fence(struct kvs *k)
{
	return k->ops->fence(k);
}

int boot_kvs_get(struct kvs *k, int rank, const char *key, char *value, size_t len)
{
	return k->ops->get(k, rank, key, value, len);
}

void boot_kvs_abort(struct kvs *k, int code, const char *text)
{
	if (k->ops != NULL)
		k->ops->abort(k, code, text);
}

HAFT_START void boot_kvs_done(struct kvs *k)
{
	if (k->ops != NULL)
		k->ops->done(k);
	k->ops = NULL;
}

/* --- requests of a running process ---------------------------------------------------------- */

static int kvs_over(void)
{
	return boot_fail("MPI has ended for the launcher of this process");
}

int boot_kvs_spawn(struct kvs *k, const struct boot_part *parts, int n)
{
	return k->ops != NULL ? k->ops->spawn(k, parts, n) : kvs_over();
}

int boot_kvs_spawned(struct kvs *k, int ms)
{
	return k->ops != NULL ? k->ops->spawned(k, ms) : kvs_over();
}

void boot_kvs_spawn_forget(struct kvs *k)
{
	if (k->ops != NULL)
		k->ops->spawn_forget();
}

int boot_kvs_publish(struct kvs *k, const char *service, const char *port)
{
	return k->ops != NULL ? k->ops->publish(k, service, port) : kvs_over();
}

int boot_kvs_lookup(struct kvs *k, const char *service, char *port, size_t len)
{
	return k->ops != NULL ? k->ops->lookup(k, service, port, len) : kvs_over();
}

int boot_kvs_unpublish(struct kvs *k, const char *service)
{
	return k->ops != NULL ? k->ops->unpublish(k, service) : kvs_over();
}
