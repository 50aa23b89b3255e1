// SPDX-License-Identifier: BSD-3-Clause
/* io.h - an open file, its view, and one access to it as a struct.
 *
 *      MPI_File_write_at_all ... (34 verbs)                    calls.c
 *        └─> struct io_job: way, positioning, collective?, form, buffer, offset
 *              └─> access.c      checks; takes the position; converts to the file's form
 *                    ├─> independent.c   this process alone         direct, gathered, sieved
 *                    └─> collective.c    all members together       one exchange, aggregators
 *                          └─> disk_os.c    system calls; errno becomes a class with words
 *
 *      view     file   |disp|......| tile 0  ##..##.. | tile 1  ##..##.. |
 *               view bytes          ####              ####                 bytes [at, at + n)
 *
 * The data of a view, without its holes, are its *packed bytes*: the tiles' packed form, in the
 * representation of the file.  A position in a view is one of these bytes; MPI's offsets are
 * etypes, of view->unit bytes each.
 *
 * Invariants
 *  - access.c converts: below it a job moves bytes of the view to or from memory of an equal
 *    size, and no other file knows of representations.
 *  - A job holds its view, and counts in file->jobs, from its start to its end.  MPI_File_set_view
 *    puts a new view in place of the old one; it never changes one.
 *  - Nothing in this folder waits for a disk with the library's lock held (disk_os.c releases it).
 *  - A collective call returns an equal class on all members. */
#ifndef HAFT_IO_IO_H
#define HAFT_IO_IO_H

#include "libmpi/core/comm_object.h"
#include "libmpi/core/file_object.h"
#include "libmpi/core/info_object.h"
#include "libmpi/core/req.h"
#include "libmpi/core/type_object.h"
#include "libobj/base.h"
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct io_hints;          /* hint.h */
struct io_hosts;          /* hosts.h */
struct io_rep;            /* rep.h */
struct io_shared;         /* shared.h */
struct io_pointer_server; /* pointer.h */
struct io_pointer_client;
struct io_workers; /* work.h */

/* --- the view ------------------------------------------------------------------------------- */

/* The view of a file that a process has (14.3).  Never changes while it is in use, apart from
 * `refs', and from `compared' and the fields after it, which a representation of the user's gives
 * at the first access. */
struct io_view {
	int refs; /* of the file, and of each job under way; under the library's lock */
	int64_t disp;
	struct type *etype, *filetype; /* held; as the user gave them */
	const struct io_rep *rep;
	bool compared; /* all members have etypes of an equal extent; collective.c; equal on all */
	struct type *file_filetype; /* held; filetype as the file has it: its tile */
	struct type *file_etype;    /* held; likewise */
	int64_t unit;               /* view bytes of an etype */
	bool overlaps; /* a byte has a place in two tiles, and the file may be written */
	bool linear;   /* no holes: view byte `at' is byte `first + at' of the file */
	int64_t first; /* disp + lower bound of the tile: a linear view's byte 0 */
};

/* --- the file ------------------------------------------------------------------------------- */

/* Why a collective access took its path; the first group is direct. */
enum io_why {
	IO_WHY_LONG,   /* its pieces are long: a system call each costs less than copies */
	IO_WHY_HINT,   /* romio_cb_write, romio_cb_read: never */
	IO_WHY_ORDER,  /* atomic, a pipe, or a view whose bytes are not in order */
	IO_WHY_HOLES,  /* blocks have holes, which other accesses may be writing */
	IO_WHY_CALLS,  /* rounds of blocks would cost more than a call for each piece */
	IO_WHY_STAGE,  /* an aggregator has no memory for a stage */
	IO_WHY_ROUNDS, /* aggregated: rounds cost less than calls */
	IO_WHY_ALWAYS, /* aggregated: a hint */
	IO_WHYS
};

/* Statistics of a file, for performance variables and for the report at close. */
struct io_counts {
	int64_t calls[2], bytes[2]; /* accesses, and bytes asked for; by enum io_direction */
	int64_t moved[2];           /* bytes of those that are over */
	int64_t failed, partial; /* of calls: ended with an error; moved fewer bytes than asked */
	int64_t later;           /* accesses that did not block */
	int64_t later_ns;        /* from their start to their end; with the hint haft_statistics */
	int64_t direct, gathered, sieved, aggregated; /* accesses by the path they took */
	int64_t access_ns;   /* in blocking accesses; with the hint haft_statistics */
	int64_t disk_ns;     /* in system calls that move bytes, likewise */
	int64_t exchange_ns; /* of access_ns: collective accesses, less disk and locks */
	int64_t lock_ns;
	int64_t why[IO_WHYS]; /* collective accesses, by reason */
};

/* A split collective under way (14.4.5): between _begin and _end. */
struct io_split {
	struct req *req; /* owned; NULL: none is active */
	uint8_t routine; /* which _begin: split.c */
	const void *buf;
	int64_t before, after; /* individual pointer: where _begin has found it, and left it */
	bool touched; /* the error is that of a buffer which was changed: of this member alone */
};

/* The last step of the shared pointer by an ordered access; equal on all members. */
struct io_order {
	bool moved;
	uint8_t word;     /* as in io_file */
	int64_t first, n; /* etypes: where it began; of all members */
};

struct io_file {
	struct io_file *next; /* open files of this process: shared.c */
	struct file *file;    /* its handle's object */
	struct comm *comm;    /* the file's own; dropped at close */
	int rank, size;       /* in it */
	int fd;               /* -1: not opened here yet */
	int amode;            /* as the user gave it */
	char *path;           /* malloc'ed; absolute, without prefix */
	char *name;           /* malloc'ed; as the user gave it */
	char *final_path;     /* malloc'ed: of path after close (commit.h); NULL: no other */
	struct io_view *view;
	struct io_hints *hints;
	struct io_shared *shared; /* block of the members on this host; never NULL */
	bool atomic;              /* MPI_File_set_atomicity */
	/* The view of a member has had holes; equal on all members.  Workers read it; relaxed:
	 * nothing else is told by it. */
	_Atomic bool holes;
	bool alone;        /* one member */
	bool one_host;     /* all members share memory */
	bool sequential;   /* MPI_MODE_SEQUENTIAL: a pipe or a device has no positions */
	bool readable;     /* fd can be read, also where amode is MPI_MODE_WRONLY: for blocks */
	bool stream;       /* a pipe or a device, opened so: stream_os.c */
	bool marked;       /* other opens can see this one: sieve_lock.h */
	bool local_fs;     /* no other host can see its file system */
	bool timed;        /* the hint haft_statistics */
	bool dirty;        /* this member has changed the file since its last MPI_File_sync */
	bool shared_owner; /* this member has allocated `shared' */
	struct io_pointer_server *pointer_server; /* rank 0, of a file over hosts; or NULL */
	struct io_pointer_client
		*pointer_client; /* members that share no memory with it; or NULL */
	bool pointer_local;      /* the shared pointer is in memory that this process sees */
	bool asking;             /* a thread waits for an answer about the shared pointer */
	uint8_t word;     /* of the two words of the shared pointer, the one in use: shared.h */
	int64_t block;    /* bytes that the file system prefers to move at a time */
	int64_t position; /* individual pointer, in etypes; under the library's lock */
	int jobs;         /* jobs under way; under the library's lock */
	struct io_hosts *hosts;         /* of a file over hosts; else NULL */
	int aggregators;                /* at open, for MPI_File_get_info: a hint may change it */
	struct io_aggregate *aggregate; /* collective.h; NULL: one member */
	struct io_split split;
	struct io_order order;
	struct io_check *check; /* HAFT_CHECK=io; NULL: nothing noted */
	bool overlap_told;      /* likewise: writes that meet, on stderr */
	uint64_t number;        /* of this open, equal on all members; other opens have others */
	int sieving;            /* threads under the sieve lock: sieve_lock_os.c */
	_Atomic bool revoked;   /* a pipe: accesses whose turn has not come get none */
	_Atomic int64_t lost; /* likewise those behind this byte - 1: it was that of a member which
				 has failed; 0: there is none */
	struct io_starts *starts;   /* owned: of a pipe: stream_os.c; NULL: none yet */
	struct io_workers *workers; /* owned: of a pipe; NULL: none yet */
	int64_t opened_ns;
	int poisoned;         /* class of the first error of a write or of a change of the size by
			       this member, or 0; of a file with haft_commit */
	char *poisoned_words; /* malloc'ed; its words */
	struct io_counts counts;
};

static inline struct io_file *io_of(const struct file *f)
{
	return f->io;
}

/* --- one access ----------------------------------------------------------------------------- */

enum io_direction { IO_READ, IO_WRITE };

enum io_positioning {
	IO_EXPLICIT,
	IO_INDIVIDUAL,
	IO_SHARED, /* independent, at the shared pointer */
	IO_ORDERED /* collective, at the shared pointer, in order of ranks */
};

enum io_form { IO_BLOCKING, IO_NONBLOCKING, IO_SPLIT };

/* One access of one process.  A blocking call has it on its stack; else it is malloc'ed and goes
 * with the request. */
struct io_job {
	struct io_file *f;
	uint8_t direction;   /* enum io_direction */
	uint8_t positioning; /* enum io_positioning */
	uint8_t form;        /* enum io_form */
	bool collective;
	char *buf; /* the memory: `count' elements of `type' */
	int64_t count;
	struct type *type; /* held by a job that is not blocking */
	int64_t offset;    /* IO_EXPLICIT: etypes, as the user gave it */
	/* set by access.c before independent.c or collective.c see the job */
	struct io_view *view;       /* held */
	int64_t asked;              /* bytes of the program's memory */
	int64_t began_ns, ended_ns; /* of one that does not block, for statistics; or 0 */
	bool atomic;                /* the mode of the file when it began; equal on all members */
	bool inner;                 /* part of a collective access, which is counted */
	bool locked;                /* part of an atomic access, which has the lock of its range */
	bool placed;                /* a pointer has moved for it */
	bool counted;               /* it has begun: it is one of counts.calls */
	int64_t at;                 /* first byte of the view */
	int64_t bytes;              /* of the view, and of the memory */
	struct io_check_buffer *watched; /* owned: HAFT_CHECK=io.  Or NULL */
	struct req *comparison; /* of a collective access that must not wait: same_call.h.  Or NULL;
				   it goes over to the access */
	struct io_convert *convert; /* owned: memory has another representation.  Or NULL */
	/* the result */
	int64_t moved; /* of `bytes', from the first on */
	int err;       /* class of the first error; 0: none */
	char *words;   /* malloc'ed; of err */
};

/* access_job.c: stores the first error of a job, with the words that this thread's haft_err has. */
void io_job_fail(struct io_job *j, int err);

/* Returns the job's error, and hands its words to haft_err. */
int io_job_error(const struct io_job *j);

/* Stores the error that all members have agreed on in place of this member's own, with the words
 * that this thread's haft_err has.  err 0: nothing changes. */
void io_job_take(struct io_job *j, int err);

/* The bytes of a job that is not blocking have been moved, or it has failed: looks at a watched
 * buffer.  Called once, before io_job_report. */
void io_job_finish(struct io_job *j);

/* After the last step that members take together: the program has changed the buffer of a job that
 * succeeded.  That is an error of this member alone, and nothing is undone for it.  After this
 * j->moved and j->err are the user's.  Called once, before io_job_end. */
void io_job_report(struct io_job *j);

/* Counts an access that is over, with its result; once, before io_job_end. */
void io_job_count(const struct io_job *j);

/* Drops a job's references.  The struct stays. */
void io_job_end(struct io_job *j);

/* --- the layers ----------------------------------------------------------------------------- */

/* access.c: does a job of any verb to the end, or starts it.  The caller has filled in the first
 * part of *j; io_access_begin copies it.  0 or an MPI error class with words. */
int io_access(struct io_job *j, MPI_Status *status);
int io_access_begin(struct io_job *j, struct req **request);

/* access.c: 0, or the error of a write over tiles that overlap; j->at is set. */
int io_access_check_tiles(const struct io_job *j);

/* Does a blocking atomic access of all members, which converts data, first compare the extents of
 * the view, in an exchange of its own?  Equal on all members; may wait for pending accesses. */
bool io_access_compares(const struct io_file *f, const struct io_view *v);

/* independent.c: does a checked job of this process alone.  Results are in *j.
 * io_independent_request makes a request (NULL: no memory), and io_independent_start starts the job
 * for it: *j is malloc'ed, and the request owns it from then on (io_job_end, free).  An error of
 * the access, also an earlier one, is the request's. */
void io_independent(struct io_job *j);
struct req *io_independent_request(const struct io_file *f);
void io_independent_start(struct io_job *j, struct req *r);

/* collective.c: does a job of all members.  A member whose j->err is set already cannot take part;
 * all members then fail with that class, and the words say its rank.  Otherwise as above. */
void io_collective(struct io_job *j);
struct req *io_collective_request(const struct io_file *f);
void io_collective_start(struct io_job *j, struct req *r);

/* This member has no memory for a nonblocking access of all members, or for a split one: j->err.
 * Takes part without a request; all members fail.  *j and its words stay the caller's.  Waits only
 * if an earlier access of this kind is under way.  Returns j->err, with the words. */
int io_collective_refuse(const struct io_job *j);

/* agree.h: all members of a file call this.  err: this member's error, or 0, with its words in
 * haft_err.  Returns 0 if all have 0, else the class of the lowest rank that has one, with the
 * words of that rank. */
int io_agree(const struct io_file *f, int err);
int io_agree_on(struct comm *c, int err);

/* --- the disk: disk_os.c -------------------------------------------------------------------- */

/* Moves n bytes between memory and byte `at' of the file, all of them.  A read stops at the end of
 * the file.  *moved: bytes that were moved, also after an error.  Any thread; the library's lock is
 * released meanwhile.  0, or an error class with words: rank, host, path, offset, bytes, errno. */
int io_disk_move(const struct io_file *f, enum io_direction direction, void *buf, int64_t n,
	int64_t at, int64_t *moved);

static inline int io_disk_read(
	const struct io_file *f, void *buf, int64_t n, int64_t at, int64_t *moved)
{
	return io_disk_move(f, IO_READ, buf, n, at, moved);
}

static inline int io_disk_write(
	const struct io_file *f, const void *buf, int64_t n, int64_t at, int64_t *moved)
{
	return io_disk_move(f, IO_WRITE, (void *)(uintptr_t)buf, n, at, moved);
}

/* As io_disk_move, for pieces of memory, one behind the other in the file. */
struct iovec;
int io_disk_movev(const struct io_file *f, enum io_direction direction, struct iovec *vec, int nvec,
	int64_t at, int64_t *moved);

/* The error of a failed system call: class, with words.  what: "pwrite of 8 bytes at offset 0". */
__attribute__((cold, format(printf, 3, 4))) int io_disk_error(
	const struct io_file *f, int os_error, const char *what, ...);

#endif
