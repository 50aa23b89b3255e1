// SPDX-License-Identifier: BSD-3-Clause
/* conf.h - the configuration that each proxy receives: the plan and the job's secrets.  It is sent
 * through links only; it never appears on a command line or in an environment. */
#ifndef MPIEXEC_CONF_H
#define MPIEXEC_CONF_H

#include <stdint.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/marshal.h"
#include "tools/mpiexec/job_plan.h"
#include "tools/mpiexec/worlds.h"

struct conf {
	struct plan plan;
	uint64_t cookie; /* identifies the processes of the job; not secret */
	uint8_t key[BOOT_KEY];
	int mask;   /* umask of the user */
	char *path; /* PATH of the user; NULL: not set */
};

/* Writes a configuration, which has the secret key: clear the bytes after use. */
void conf_put(struct marshal *p, const struct conf *c);

/* Returns false if the bytes are not a valid configuration. */
bool conf_take(struct marshal *p, struct conf *c);

/* A spawned world: programs, entries and hosts of its ranks, preput values.  NULL: the bytes are
 * none.
 */
void world_put(struct marshal *p, const struct world *w);
struct world *world_take(struct marshal *p);

/* The addresses of all ranks (NULL: none); addr[] has room for n. */
void addrs_put(struct marshal *p, char *const *addr, int n);
bool addrs_take(struct marshal *p, char **addr, int n);

#endif
