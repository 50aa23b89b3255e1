// SPDX-License-Identifier: BSD-3-Clause
/* conf.h - what every agent is told: the plan, and the job's secrets.  It goes through links only:
 * no command line and no environment ever has it. */
#ifndef MPIEXEC_CONF_H
#define MPIEXEC_CONF_H

#include <stdint.h>
#include "libmpi/boot/boot.h"
#include "tools/mpiexec/marshal.h"
#include "tools/mpiexec/job_plan.h"

struct conf {
	struct plan plan;
	uint64_t cookie; /* by which the job's processes are found: not secret */
	uint8_t key[BOOT_KEY];
	int mask;   /* umask of the user */
	char *path; /* his PATH; NULL: none */
};

void conf_put(struct pack *p, const struct conf *c);

/* False: it is not one. */
bool conf_take(struct pack *p, struct conf *c);

/* The addresses of all ranks (NULL: none); addr[] has room for n. */
void addrs_put(struct pack *p, char *const *addr, int n);
bool addrs_take(struct pack *p, char **addr, int n);

#endif
