// SPDX-License-Identifier: BSD-3-Clause
/* kvs.h - another project's launcher: who we are for it, and a table of texts that all ranks share.
 *
 *                     .-- pmi.c   a line of text each way over PMI_FD (hydra, srun --mpi=pmi2)
 *   boot.c -> kvs ----+
 *      '-> node_join.c     '-- pmix.c  libpmix.so.2 by dlopen (mpirun, prterun, srun --mpi=pmix)
 *
 * Every rank puts texts, all meet in a fence, then everybody gets what any rank has put.  No values
 * are changed and no keys are put twice.
 *
 * All functions that return int return 0, or -1 with the reason in boot_error_text().  One thread at a
 * time, except boot_kvs_abort, which any thread may call. */
#ifndef LIBMPI_BOOT_KVS_H
#define LIBMPI_BOOT_KVS_H

#include <stdbool.h>
#include <stddef.h>

#define KVS_VALUE 1000 /* bytes of a value, with the final 0; PMI-1 servers take 1024 at least */

struct kvs;

/* How one kind of launcher is spoken to. */
struct boot_kvs_ops {
	int (*put)(struct kvs *k, const char *key, const char *value);
	int (*fence)(struct kvs *k);
	int (*get)(struct kvs *k, int rank, const char *key, char *value, size_t len);
	void (*abort)(struct kvs *k, int code, const char *text);
	void (*done)(struct kvs *k);
};

/* This process as the launcher knows it. */
struct kvs {
	const struct boot_kvs_ops *way; /* NULL: no launcher */
	int rank, size;
	int app;     /* number of the program in the launcher's command line */
	int fd;      /* shows the launcher's death; -1: nothing does */
	short death; /* the event of poll by which it does */
};

enum kvs_kind {
	KVS_NONE, /* no launcher that we know; also for one that has started one process only */
	KVS_PMI,
	KVS_PMIX,
	KVS_BAD /* several processes were started, and no way to talk to the launcher */
};

/* Who has started us, by the environment alone.  For KVS_BAD boot_error_text() says what to do. */
enum kvs_kind boot_kvs_detect(void);

/* Says hello.  Blocks until the launcher answers, not for other ranks. */
int boot_kvs_open(struct kvs *k, enum kvs_kind kind);

int boot_kvs_put(struct kvs *k, const char *key, const char *value);

/* Blocks until all ranks of the job have come here. */
int boot_kvs_fence(struct kvs *k);

/* What `rank' has put under `key' before the last fence, into value[0 .. len-1]. */
int boot_kvs_get(struct kvs *k, int rank, const char *key, char *value, size_t len);

/* Asks for the end of the whole job on all hosts, with exit code `code'.  May return before it
 * comes. */
void boot_kvs_abort(struct kvs *k, int code, const char *text);

/* This rank may end from now on with any exit code.  Closes; k->way is NULL then. */
void boot_kvs_done(struct kvs *k);

/* --- of the folder's own use ---------------------------------------------------------------- */

/* Sets boot_error_text(); returns -1. */
__attribute__((format(printf, 1, 2))) int boot_fail(const char *fmt, ...);

/* The number in environment variable `name' if there is a sound one from 0 on, else -1. */
int boot_env_number(const char *name);

/* True if a process above this one is an MPI process of ours: we are no rank of its job. */
bool boot_nested(void);

int boot_pmi_open(struct kvs *k);
bool boot_pmi_fd_valid(int fd); /* may be a launcher's: a socket */
int boot_pmix_open(struct kvs *k);
bool boot_pmix_present(void); /* libpmix can be loaded; if not, boot_error_text() */

#endif
