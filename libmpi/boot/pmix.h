// SPDX-License-Identifier: BSD-3-Clause
/* pmix.h - the part of PMIx's binary interface that pmix.c uses: types and numbers of the PMIx
 * standard, checked by tests/launch/pmixabi.sh. */
#ifndef LIBMPI_BOOT_PMIX_H
#define LIBMPI_BOOT_PMIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libobj/base.h"

#define PMIX_NSLEN  256 /* bytes of a job's name, with the final 0 */
#define PMIX_LIB    "libpmix.so.2"
#define PMIX_KEYLEN 512

#define PMIX_GLOBAL        3 /* scope of a value: for all ranks */
#define PMIX_BOOL          1 /* types of values */
#define PMIX_STRING        3
#define PMIX_UINT32        14
#define PMIX_RANK_WILDCARD (UINT32_MAX - 1) /* of keys that belong to the job */
#define PMIX_JOB_SIZE      "pmix.job.size"  /* ranks of the job: a number */
#define PMIX_APPNUM        "pmix.appnum"
#define PMIX_UNIV_SIZE     "pmix.univ.size"
#define PMIX_COLLECT_DATA  "pmix.collect" /* of a fence: all get all values */

struct pmix_proc {
	char nspace[PMIX_NSLEN];
	uint32_t rank;
};

struct pmix_value {
	uint16_t type;
	union {
		bool flag;
		char *string;
		uint32_t uint32;
		struct {
			void *p[3]; /* as large as the largest of all kinds */
		} any;
	} data;
};

struct pmix_info {
	char key[PMIX_KEYLEN];
	uint32_t flags;
	struct pmix_value value;
};

struct pmix_app {
	char *cmd;
	char **argv, **env;
	char *cwd;
	int maxprocs;
	struct pmix_info *info;
	size_t ninfo;
};

struct pmix_pdata {
	struct pmix_proc proc;
	char key[PMIX_KEYLEN];
	struct pmix_value value;
};
static_assert(sizeof(struct pmix_proc) == 260, "pmix_proc_t");
static_assert(sizeof(struct pmix_value) == 32, "pmix_value_t");
static_assert(sizeof(struct pmix_info) == 552, "pmix_info_t");

static_assert(sizeof(struct pmix_app) == 56, "pmix_app_t");
static_assert(sizeof(struct pmix_pdata) == 808, "pmix_pdata_t");

struct kvs;
struct boot_part;

/* pmix_requests.c */
int boot_pmix_spawn(struct kvs *k, const struct boot_part *parts, int n);
int boot_pmix_spawned(struct kvs *k, int ms);
void boot_pmix_spawn_forget(void);
int boot_pmix_publish(struct kvs *k, const char *service, const char *port);
int boot_pmix_lookup(struct kvs *k, const char *service, char *port, size_t len);
int boot_pmix_unpublish(struct kvs *k, const char *service);

#endif
