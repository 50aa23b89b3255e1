// SPDX-License-Identifier: BSD-3-Clause
/* kvs.h - the launcher of another project: this process's rank, and a key-value space of all ranks.
 *
 *                            .-- pmi.c   lines of text over PMI_FD (hydra, srun --mpi=pmi2)
 *   boot.c, node_join.c --> kvs
 *                            '-- pmix.c  libpmix.so.2 by dlopen (mpirun, prterun, srun --mpi=pmix)
 *
 * Every rank puts texts, then all call fence, then each gets the texts of any rank.  No key is put
 * twice.
 *
 * Functions that return int return 0, or -1 with the reason in boot_error_text().  One thread at a
 * time, but boot_kvs_abort: any thread. */
#ifndef LIBMPI_BOOT_KVS_H
#define LIBMPI_BOOT_KVS_H

#include <stdbool.h>
#include <stddef.h>

#define KVS_VALUE 1000 /* bytes of a value, with the final 0; PMI-1 servers take 1024 at least */

struct boot_part;
struct kvs;

/* The protocol of one kind of launcher. */
struct boot_kvs_ops {
	int (*put)(struct kvs *k, const char *key, const char *value);
	int (*fence)(struct kvs *k);
	int (*get)(struct kvs *k, int rank, const char *key, char *value, size_t len);
	void (*abort)(struct kvs *k, int code, const char *text);
	void (*done)(struct kvs *k);

	/* Requests of a running process: boot_kvs_spawn and the like. */
	int (*spawn)(struct kvs *k, const struct boot_part *parts, int n);
	int (*spawned)(struct kvs *k, int ms);
	void (*spawn_forget)(void);
	int (*publish)(struct kvs *k, const char *service, const char *port);
	int (*lookup)(struct kvs *k, const char *service, char *port, size_t len);
	int (*unpublish)(struct kvs *k, const char *service);
};

/* This process, for its launcher. */
struct kvs {
	const struct boot_kvs_ops *ops; /* NULL: no launcher */
	int rank, size;
	int universe; /* MPI_UNIVERSE_SIZE; -1: the launcher does not know it */
	int app;      /* number of the program in the launcher's command line */
	int fd;       /* the launcher has died when poll gives `death' for it; -1: none */
	short death;  /* an event of poll */
};

enum kvs_kind {
	KVS_NONE, /* no known launcher, or one that has started one process only */
	KVS_PMI,
	KVS_PMIX,
	KVS_BAD /* several processes were started, and the launcher cannot be asked */
};

/* Finds the launcher of this process, by the environment alone.  KVS_BAD: boot_error_text() says
 * a hint for the user. */
enum kvs_kind boot_kvs_detect(void);

/* Opens the connection.  Blocks until the launcher answers, not until other ranks call it. */
int boot_kvs_open(struct kvs *k, enum kvs_kind kind);

/* Offers a value; others see it after the next fence.  0 or -1 with words. */
int boot_kvs_put(struct kvs *k, const char *key, const char *value);

/* Blocks until all ranks of the job have called it. */
int boot_kvs_fence(struct kvs *k);

/* Copies the text that `rank' has put under `key' before the last fence into value[0 .. len-1]. */
int boot_kvs_get(struct kvs *k, int rank, const char *key, char *value, size_t len);

/* Asks the launcher to end the whole job on all hosts with exit code `code'.  May return before
 * that. */
void boot_kvs_abort(struct kvs *k, int code, const char *text);

/* This rank may end from now on with any exit code.  Closes; k->ops is NULL then. */
void boot_kvs_done(struct kvs *k);

/* Asks the launcher to start programs; one spawn at a time.  boot_kvs_spawned waits at most `ms':
 * 1: they have been started; 0: no answer yet; -1: the launcher refuses.  boot_kvs_spawn_forget:
 * the answer is of no use any more.  After boot_kvs_done the launcher refuses everything. */
int boot_kvs_spawn(struct kvs *k, const struct boot_part *parts, int n);
int boot_kvs_spawned(struct kvs *k, int ms);
void boot_kvs_spawn_forget(struct kvs *k);

/* Names of ports, for all processes of the launcher. */
int boot_kvs_publish(struct kvs *k, const char *service, const char *port);
int boot_kvs_lookup(struct kvs *k, const char *service, char *port, size_t len);
int boot_kvs_unpublish(struct kvs *k, const char *service);

/* --- inside boot ---------------------------------------------------------------------------- */

/* Opens PMI-1 by the socket PMI_FD.  0 or -1 with words. */
int boot_pmi_open(struct kvs *k);
bool boot_pmi_fd_valid(int fd); /* a socket: it may be a launcher's */
/* Opens PMIx by the launcher's client library.  0, or -1: not there, or with words. */
int boot_pmix_open(struct kvs *k);
bool boot_pmix_present(void); /* libpmix can be loaded; if not, boot_error_text() says why */

#endif
