// SPDX-License-Identifier: BSD-3-Clause
/* boot.h - which process of the job am I, and where are the others?
 *
 *   mpiexec --- memfd (the segment) ---+--> rank 0   HAFT_JOB=fd=3,rank=0,size=2,cookie=..,...
 *      ^                               '--> rank 1   HAFT_JOB=fd=3,rank=1,size=2,cookie=..,...
 *      '-- reads: the abort record; which ranks have called MPI_Init and MPI_Finalize
 *
 *   hydra, srun, mpirun, prterun: boot asks them for rank and size, and the ranks of a host make
 *   their segment themselves.
 *
 *   ./a.out alone: boot makes a private segment for one rank; all else is as above.
 *
 *   Several hosts: each has a segment with a seat for each of its ranks, and a map of the job: the
 *   host and the address of every rank, and the key by which they prove that they belong to it.
 *
 *      host 0: ranks 0 1 2 --- segment: seats 0 1 2, map --.
 *                                                          |   each rank has a listening socket
 *      host 1: ranks 3 4   --- segment: seats 0 1,   map --'   before it starts
 *
 * HAFT_JOB is all that mpiexec says by the environment.  It is believed only if the segment that it
 * names has the same cookie.  Ranks report to mpiexec in the job area of the segment (struct
 * boot_job, struct boot_rank); zero-filled is its valid first state. */
#ifndef LIBMPI_BOOT_BOOT_H
#define LIBMPI_BOOT_BOOT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "libmpi/boot/waitrec.h"
#include "libobj/base.h"

struct shm_opts;
struct shm_seg;

#define BOOT_VAR  "HAFT_JOB"
#define BOOT_TEXT 1024 /* bytes of the words of an abort, with the final 0: a long line */

#define BOOT_SETS     48  /* settings that there is room for */
#define BOOT_SET_TEXT 40  /* bytes of the text of one, with the final 0 */
#define BOOT_KEY      16  /* bytes of the job's key */
#define BOOT_ADDR     128 /* bytes of the text of an address, with the final 0 */

/* This process in its job.  Only boot.c writes it. */
struct boot {
	int rank;     /* 0 .. size-1 */
	int size;     /* ranks of the job, on all hosts */
	int first;    /* number of rank 0 in the universe; 0 in the first job */
	int world;    /* rank_name.h; 0: not spawned by our mpiexec */
	int nhosts;   /* >= 1 */
	int host;     /* 0 .. nhosts-1: where this process is */
	int seat;     /* 0 .. nseats-1: the place of this process in the segment of its host */
	int nseats;   /* of the segment: one for each rank of this host */
	int universe; /* MPI_UNIVERSE_SIZE; -1: it is not set */
	int app;      /* MPI_APPNUM: 0 for a in `mpiexec a : b'; -1 in a singleton */
	int seg_fd;   /* the segment's memfd, close-on-exec; boot closes it */
	struct shm_seg *seg; /* the segment, mapped: for shm_attach(boot->seg, boot->seat, ...) */
	uint64_t cookie;     /* random, never 0; equal in all ranks of a job, and in no other job */
	bool launched;       /* by our mpiexec; false: by another launcher, or a singleton */
	int by;              /* pid of our mpiexec, or 0 */
	int profile_fd;      /* memfd of mpiexec's profile, perhaps closed; -1: none */
};

/* Finds the job and takes this process's seat in it.  To be called first, by one thread; a process
 * may call it again after boot_close, and *b is the same pointer then.
 *  - Under another launcher that speaks PMI-1 or PMIx it blocks until all ranks have called it.
 *  - Without a launcher the process is a singleton.  It is an error if the environment shows that a
 *    launcher which cannot be asked has started several processes.
 *  - A process that mpiexec has started dies with mpiexec from here on.
 * Returns 0, or -1 with the reason in boot_error_text(): a second MPI program in the seat of a
 * rank, for example. */
int boot_init(struct boot **b);

/* Compares the settings that must be equal in all processes of a job (HAFT_COLL ...) with those of
 * the first rank of this host that calls it; that rank reports errors in the environment.  May wait
 * until that rank has written its settings.  Returns 0, or -1 with boot_error_text(). */
int boot_agree(const struct boot *me);

/* Where the processes of the universe are, by number.  From boot_init on, any thread.  Arguments
 * must exist.  For the first job, whose ranks are the first numbers, a load or two each;
 * boot_seat_of searches if the ranks of this host are not consecutive.  Other numbers are searched
 * for among the names of the seats.  With the first job on one host, its seats and numbers are
 * equal. */
int boot_host_of(int number);
int boot_seat_of(int number);  /* -1: on another host, or it has ended and its seat is taken */
bool boot_is_over(int number); /* of this host, and MPI has ended in it; no alias */
int boot_number_at(int seat);  /* of its tenant now */
int boot_first_at(int seat);   /* of the first rank whose seat it was at first */
const char *boot_host_name(int host); /* as in the host list; else the system's name */

/* Likewise of the host of a process, also if it has ended and the launcher has told so. */
const char *boot_host_name_of(int number);

/* The address at which a process listens, as text: "tcp:10.0.0.2:4711", "tcp:[fe80::1]:4711",
 * "unix:NAME" (abstract).  NULL: it does not listen, as in a job on one host without HAFT_VIA=net
 * or ofi-all.  That of a spawned process that has ended is no address.  Valid until this thread
 * calls it again. */
const char *boot_addr(int number);

/* The job's key: BOOT_KEY secret bytes that only its processes know.  NULL: no rank listens. */
const uint8_t *boot_key(void);

/* The socket on which this rank listens: bound to boot_addr(rank), listening, non-blocking,
 * close-on-exec.  -1: none.  Boot keeps it open for the next session: hand on a dup. */
int boot_listen_fd(void);

/* Why the last boot_init failed: one line without newline.  Never NULL. */
const char *boot_error_text(void);

/* Ends the job.  Writes `code' and `text' into the abort record, wakes every sleeper in the
 * segment, flushes stdout and stderr unless a thread holds them, and ends the process.
 *  - text: one line without newline, cut at BOOT_TEXT; NULL: none.  mpiexec prints that of the
 *    first rank.  A singleton prints its own; so does the first rank of a host under another
 *    launcher.
 *  - The exit code of the job is code & 255, or 1 where that would turn another code into 0.
 *  - Before boot_init it prints the text and ends this process only.
 * Any thread. */
__attribute__((noreturn, cold)) void boot_abort(int code, const char *text);

/* Reports that an operation of this rank has failed because process `number' is gone;
 * haft_peer_lost calls it for the first one.  If this rank then ends, mpiexec looks first how that
 * has ended. */
void boot_lost(int number);

/* Reports that this rank exits although MPI has not ended here: `state' is BOOT_SESSION_LEFT or
 * BOOT_FINALIZE_FAILED.  mpiexec says so. */
void boot_exit_mark(uint32_t state);

/* MPI has ended in this process, for ever or until the next boot_init: from now on it may exit with
 * any code, and the job goes on.  The segment stays mapped: messages for a later session of this
 * process wait there.  NULL: nothing to do. */
void boot_close(struct boot *b);

/* Starts mpiexec for the report of a profile, and waits for it.  where: the value of HAFT_PROFILE.
 * fd: the tables of all ranks, as bytes.  0, or -1 with boot_error_text(). */
int boot_profile_report(const char *where, int fd);

/* --- the map of the job: written by the creator of the segment, before a rank starts -------- */

/* The head of the segment's map (shm_seg_map).  Constant once a rank has started.  Everything else
 * lies behind it, at so many bytes from its beginning. */
struct boot_map {
	uint64_t len; /* bytes in all */
	uint8_t key[BOOT_KEY];
	int32_t nranks, nhosts;
	int32_t host, nseats; /* of the host whose map it is */
	uint32_t rows;        /* struct boot_row [nranks]: job_map.h */
	uint32_t ranks;       /* int32_t [nseats]: the ranks of this host, in ascending order */
	uint32_t hosts;       /* struct boot_host [nhosts]: job_map.h */
	uint32_t pad;
};

/* The contents of a map. */
struct boot_world {
	int nranks, nhosts;
	const int *host_of;       /* by rank */
	const char *const *addr;  /* by rank; NULL for one that does not listen */
	const char *const *names; /* by host */
	const uint8_t *key;       /* BOOT_KEY bytes */
};

/* The options of a segment for so many ranks, with the settings of an environment about
 * pipes and rings. */
struct shm_opts boot_opts(int nranks, char *const envp[]);

/* The length of the map of a host, bytes.  0: no memory to find out. */
size_t boot_map_len(const struct boot_world *w, int host);

/* Makes the map at `map': boot_map_len bytes, aligned to 8, all zero.  The maps of all hosts are
 * equal but for host, nseats and ranks.  False: no memory. */
bool boot_map_make(const struct boot_world *w, int host, struct boot_map *map);

/* True if `len' bytes at `map' are a map of so many ranks and seats whose parts lie within it.
 * Does not look at the rows: they are checked when they are read. */
bool boot_map_good(const struct boot_map *map, size_t len, int nranks, int nseats);

/* --- the job area of the segment: written by ranks, read by mpiexec ------------------------- */

enum boot_state {
	BOOT_NEW,
	BOOT_RUNNING,
	BOOT_DONE,
	BOOT_ABORTED,
	BOOT_SESSION_LEFT,   /* it exits, and a session is not finalized */
	BOOT_FINALIZE_FAILED /* it exits, and its MPI_Finalize returned an error */
};

/* Was the rank in MPI when it ended? */
static inline bool boot_inside(uint32_t state)
{
	return state == BOOT_RUNNING || state == BOOT_SESSION_LEFT || state == BOOT_FINALIZE_FAILED;
}

/* The record of a seat: shm_seg_job_rank. */
struct boot_rank {
	_Atomic int32_t pid;     /* of the process that has claimed the seat; 0: not claimed yet */
	_Atomic uint32_t state;  /* enum boot_state */
	_Atomic int32_t lost;    /* 1 + the number that boot_lost has named; 0: none */
	_Atomic uint32_t ft;     /* enum boot_ft */
	struct boot_long access; /* libmpi/io; waitrec.h */
};
static_assert(offsetof(struct boot_rank, access) == BOOT_LONG_AT, "waitrec.h says so");
static_assert(sizeof(struct boot_rank) == CACHE_LINE, "as large as SHM_JOB_RANK");

/* The part that a process takes when others fail. */
enum boot_ft {
	BOOT_FT_NONE,
	BOOT_FT_SURVIVES, /* it has called a function for failures: the job need not end */
	BOOT_FT_HANDLED   /* it has done so since one has failed */
};

enum boot_end {
	BOOT_END_FAILED = 1,   /* without MPI_Finalize, or by a signal */
	BOOT_END_LEFT,         /* in good order */
	BOOT_END_HOST,         /* its host cannot be reached any more */
	BOOT_END_SPAWN_FAILED, /* it was spawned, and has ended before MPI_Init */
	BOOT_END_NEW,          /* as BOOT_END_FAILED, before MPI_Init */
	BOOT_END_DIED,         /* without MPI_Finalize, in an unknown way: failure_detector.c */
	BOOT_END_ABORTED,      /* by MPI_Abort of its group, with the code of the status */
	BOOT_END_SIBLING /* the launcher has ended it with others of its spawn, as one of these
			      * is BOOT_END_SPAWN_FAILED: rank, pid and status are of that one */
};

/* A notice of the launcher (shm_notice_put): a process has ended, and the job goes on. */
struct boot_notice {
	int32_t number; /* of the process in the universe */
	int32_t world;  /* rank_name.h; and its rank there */
	int32_t rank;
	int32_t pid;
	uint16_t status; /* as of wait(2) */
	uint16_t how;    /* enum boot_end */
	int32_t host;
	int64_t when_s; /* since 1970 */
};
static_assert(sizeof(struct boot_notice) == 32, "as large as SHM_NOTICE_LEN");

/* Was this process started by our mpiexec, which tells of failures? */
bool boot_launched(void);

/* The exit code that the service of this process has told, since the job is to end; -1: none. */
int boot_end_code(void);

/* The word that holds this process in MPI_Init while it is not 0; NULL: there is no job. */
const _Atomic uint32_t *boot_hold(void);

/* This process survives the failure of others (BOOT_FT_SURVIVES), or has handled one: tells the
 * launcher. */
void boot_ft(uint32_t what);

/* The value of a setting in the first rank of the host: its text, cut, and a hash of the whole
 * text. */
struct boot_set {
	uint64_t hash;
	char text[BOOT_SET_TEXT];
};

/* For all ranks: shm_seg_job.  The rank that has set `taken' writes the abort record, which holds
 * once `ready' is 1. */
struct boot_job {
	_Atomic uint32_t taken;
	_Atomic uint32_t ready;
	int32_t rank;
	int32_t pid;
	int32_t code;  /* as given by the user */
	int32_t first; /* its job: struct boot */
	_Atomic int32_t
		end_code; /* of the service of a singleton: 1 + its exit code, if it is to end */
	_Atomic uint32_t notice_taken; /* 1: a rank puts a notice: failure_detector.c */
	_Atomic uint32_t hold; /* not 0: MPI_Init waits, as a tool is to see all ranks first */
	uint8_t pad[28];
	char text[BOOT_TEXT]; /* ends with 0; may be empty */
	/* For boot_agree: holds once set_ready is 1. */
	_Atomic uint32_t set_taken;
	_Atomic uint32_t set_ready;
	int32_t set_rank; /* the rank whose settings these are */
	uint8_t pad2[4];
	struct boot_set set[BOOT_SETS];
};
static_assert(sizeof(struct boot_job) <= 4096, "fits into SHM_JOB_LEN");

#endif
