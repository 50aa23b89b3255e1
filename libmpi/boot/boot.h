// SPDX-License-Identifier: BSD-3-Clause
/* boot.h - who am I, and where are the others?
 *
 *   mpiexec --- memfd (the segment) ---+--> rank 0   HAFT_JOB=fd=3,rank=0,size=2,cookie=..,...
 *      ^                               '--> rank 1   HAFT_JOB=fd=3,rank=1,size=2,cookie=..,...
 *      '-- reads: who aborted, with what words; who has said MPI_Init and MPI_Finalize
 *
 *   hydra, srun, mpirun, prterun: boot asks them for rank and size, and the ranks of a host make
 *   their segment themselves.
 *
 *   ./a.out alone: boot makes a private segment for one rank; nothing else differs.
 *
 *   Several hosts: each has a segment of its own, with the ranks of that host; the map in it says
 *   where all others are, and the key by which they know each other.
 *
 *      host 0: ranks 0 1 2 --- segment: near 0 1 2, map ---.
 *                                                          |   each rank has a listening socket
 *      host 1: ranks 3 4   --- segment: near 0 1,   map ---'   from the moment on that it starts
 *
 * HAFT_JOB is the only thing that the launcher tells by the environment, and it is believed only if
 * the segment that it names carries the same cookie.  What ranks tell the launcher stands in the
 * segment's job area (struct boot_job, struct boot_rank); zero-filled is its valid first state. */
#ifndef LIBMPI_BOOT_BOOT_H
#define LIBMPI_BOOT_BOOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "libobj/base.h"

struct shm_opts;
struct shm_seg;

#define BOOT_VAR  "HAFT_JOB"
#define BOOT_TEXT 1024 /* bytes of the words of an abort, with the final 0: a long line */

#define BOOT_SETS     48  /* settings that there is room for */
#define BOOT_SET_TEXT 40  /* bytes of the text of one, with the final 0 */
#define BOOT_KEY      16  /* bytes of the job's key */
#define BOOT_ADDR     128 /* bytes of the text of an address, with the final 0 */

/* What this process is in its job.  Read-only for all but boot.c. */
struct boot {
	int rank;   /* 0 .. size-1 */
	int size;   /* ranks of the job, on all hosts */
	int nhosts; /* >= 1 */
	int host;   /* 0 .. nhosts-1: where this process is */
	int near;   /* 0 .. nnear-1: this rank among those of its host, and in the segment */
	int nnear;  /* ranks of this host: those of the segment */
	int app;    /* MPI_APPNUM: 0 for a in `mpiexec a : b'; -1 in a singleton */
	int seg_fd; /* the segment's memfd, close-on-exec; boot's own */
	struct shm_seg *seg; /* the same, mapped: for shm_attach(boot->seg, boot->near, ...) */
	uint64_t cookie; /* random, never 0; the same in all ranks of the job, in no other job */
	bool launched;   /* by our mpiexec; false: by another launcher, or a singleton */
	int by;          /* pid of our mpiexec, or 0 */
};

/* Finds the job and takes this process's place in it; to be called first, by one thread.  Under
 * another launcher that speaks PMI-1 or PMIx it blocks until all ranks have come.  Without any it
 * is a singleton: that is no error, unless there are signs that several of us were started by a
 * launcher that we cannot talk to.  A launched process dies with its mpiexec from here on.  After
 * boot_leave the same process may call it again. Returns 0, or -1 with boot_error_text() saying why, e.g.
 * a second MPI program in the place of one rank. *b is the same for all calls. */
int boot_init(struct boot **b);

/* Compares the settings that all processes of a job must share (HAFT_COLL ...) with those of the
 * first rank of this host to come here, and says what is wrong with the environment, once a host.
 * Returns 0, or -1 with boot_error_text() saying what differs.  May wait for that first rank to have
 * written them. */
int boot_agree(const struct boot *me);

/* Who is where.  From boot_init on; any thread; a load or two, but boot_seat_of: a search where the
 * ranks of this host are no block; ranks, hosts and nears must exist.  One host: near and rank are
 * the same number, and there is no table behind it. */
int boot_host_of(int rank);
int boot_seat_of(int rank); /* -1: on another host */
int boot_rank_of(int near); /* of a rank of this host */
const char *boot_host_name(
	int host); /* as the user has named it; the system's name if nobody has */

/* Where a rank listens, as text: "tcp:10.0.0.2:4711", "tcp:[fe80::1]:4711", "unix:NAME" (abstract).
 * NULL: nowhere, as on one host, unless HAFT_VIA=net.  Valid until this thread calls it again. */
const char *boot_addr(int rank);

/* BOOT_KEY secret bytes that only the job's processes know; NULL where no rank listens. */
const uint8_t *boot_key(void);

/* The socket on which this rank listens: bound to boot_addr(rank), listening, non-blocking,
 * close-on-exec.  -1: none.  It stays boot's: who gives it away to be closed gives a dup, as the
 * next session needs it again. */
int boot_listen_fd(void);

/* Why the last boot_init failed: one line without newline.  Never NULL. */
const char *boot_error_text(void);

/* Ends the job: notes that this rank gave up with `code' and `text' (one line without newline, NULL
 * for none; cut at BOOT_TEXT), wakes all who sleep in the segment, flushes stdout and stderr if
 * nobody holds them, and ends the process.  The first rank's text is printed, once, by mpiexec; a
 * singleton prints its own, and so does the first of a host under another launcher; before
 * boot_init it prints and ends just this process.  The job's exit code is code & 255, or 1 where
 * that would turn a non-zero code into 0.  Any thread. */
__attribute__((noreturn, cold)) void boot_abort(int code, const char *text);

/* Notes that an operation of this rank has failed because another one is gone (haft_peer_lost calls it
 * for the first).  If this rank now ends, mpiexec asks first how that one has ended. */
void boot_lost(int rank);

/* This rank is about to exit although MPI has not ended here: `state' is BOOT_SESSION_LEFT or
 * BOOT_FINALIZE_FAILED, and mpiexec says so. */
void boot_leave(uint32_t state);

/* MPI is over here, for ever or until the next boot_init: from now on this rank may end with any
 * exit code without harm to the others.  The segment stays mapped: what others send to a later
 * session of this process waits there.  NULL: nothing to do. */
void boot_close_rest(struct boot *b);

/* --- the map: who is where, written by who makes the segment, before a rank starts ---------- */

/* The head of the segment's map (shm_seg_map).  Constant once a rank has started.  Everything else
 * lies behind it, at so many bytes from its beginning. */
struct boot_map {
	uint64_t len; /* bytes in all */
	uint8_t key[BOOT_KEY];
	int32_t nranks, nhosts;
	int32_t host, nnear; /* of the host whose map it is */
	uint32_t rows;       /* struct boot_row [nranks]: job_map.c's */
	uint32_t ranks;      /* int32_t [nnear]: the ranks of this host, in ascending order */
	uint32_t hosts;      /* struct boot_host [nhosts]: job_map.c's */
	uint32_t pad;
};

/* What a map is made of. */
struct boot_world {
	int nranks, nhosts;
	const int *host_of;       /* by rank */
	const char *const *addr;  /* by rank; NULL for one that does not listen */
	const char *const *names; /* by host */
	const uint8_t *key;       /* BOOT_KEY bytes */
};

/* The options of a segment for so many ranks, with what the settings of an environment say about
 * pipes and rings. */
struct shm_opts boot_opts(int nranks, char *const envp[]);

/* The bytes that the map of a host takes; 0: no memory to find out. */
size_t boot_map_len(const struct boot_world *w, int host);

/* Makes the map, into `map' (so many bytes, aligned to 8, all zero).  The table is the same on all
 * hosts, but for host, nnear and ranks.  False: no memory. */
bool boot_map_make(const struct boot_world *w, int host, struct boot_map *map);

/* True if `len' bytes at `map' are a map of these numbers, all of whose parts lie within it.  Does
 * not look at its rows: they are checked when they are read. */
bool boot_map_good(const struct boot_map *map, size_t len, int nranks, int nnear);

/* --- what lies in the segment's job area, written by ranks and read by mpiexec -------------- */

enum boot_state {
	BOOT_NEW,
	BOOT_RUNNING,
	BOOT_DONE,
	BOOT_ABORTED,
	BOOT_SESSION_LEFT,   /* it exits, and a session is not finalized */
	BOOT_FINALIZE_FAILED /* it exits, and its MPI_Finalize returned an error */
};

/* Was it in MPI when it ended? */
static inline bool boot_inside(uint32_t state)
{
	return state == BOOT_RUNNING || state == BOOT_SESSION_LEFT || state == BOOT_FINALIZE_FAILED;
}

/* A rank's own line: shm_seg_job_rank. */
struct boot_rank {
	_Atomic int32_t pid;    /* who took this place, 0: nobody yet; never changes after that */
	_Atomic uint32_t state; /* enum boot_state */
	_Atomic int32_t lost;   /* 1 + the rank that it has missed first, 0: none */
	uint8_t pad[52];
};
static_assert(sizeof(struct boot_rank) == CACHE_LINE, "as large as SHM_JOB_RANK");

/* A setting's value as the first rank of the host has it: its text (cut), and a hash of all of it.
 */
struct boot_set {
	uint64_t hash;
	char text[BOOT_SET_TEXT];
};

/* For all: shm_seg_job.  One rank takes the abort record; the rest of it holds once ready is 1. */
struct boot_job {
	_Atomic uint32_t taken;
	_Atomic uint32_t ready;
	int32_t rank;
	int32_t pid;
	int32_t code; /* as given by the user */
	uint8_t pad[44];
	char text[BOOT_TEXT]; /* ends with 0; may be empty */
	/* What boot_agree compares; holds once set_ready is 1. */
	_Atomic uint32_t set_taken;
	_Atomic uint32_t set_ready;
	int32_t set_rank; /* whose they are */
	uint8_t pad2[4];
	struct boot_set set[BOOT_SETS];
};
static_assert(sizeof(struct boot_job) <= 4096, "fits into SHM_JOB_LEN");

#endif
