// SPDX-License-Identifier: BSD-3-Clause
/* hint.h - hints of a file (14.2.8): one table of keys, their synonyms, their defaults.
 *
 *      info of the user ──> io_hints_new, io_hints_change ──> struct io_hints ──> io_hint(f, ...)
 *                                                               └─> MPI_File_get_info
 *
 * A hint that is not understood, or comes too late, is ignored: it changes nothing, and
 * MPI_File_get_info does not show it. */
#ifndef HAFT_IO_HINT_H
#define HAFT_IO_HINT_H

#include "libmpi/io/io.h"

enum io_hint {
	IO_CB_BUFFER_SIZE,       /* bytes of an aggregator's stage */
	IO_CB_NODES,             /* aggregators; 0: chosen by cost */
	IO_CB_BLOCK_SIZE,        /* bytes; blocks go to the aggregators round-robin; 0: chosen */
	IO_COLLECTIVE_BUFFERING, /* enum io_tristate; of all collective accesses */
	IO_CB_READ,              /* enum io_tristate: aggregate collective reads */
	IO_CB_WRITE,
	IO_DS_READ, /* enum io_tristate: sieve independent reads */
	IO_DS_WRITE,
	IO_IND_RD_BUFFER_SIZE, /* bytes of a block of sieving */
	IO_IND_WR_BUFFER_SIZE,
	IO_ACCESS_STYLE, /* text: advice to the kernel about reads */
	IO_FILE_PERM,    /* octal */
	IO_STRIPING_FACTOR,
	IO_STRIPING_UNIT,   /* bytes; 0: not known.  Domains of aggregators begin at multiples */
	IO_HAFT_COMMIT,     /* enum io_commit */
	IO_HAFT_SYNC,       /* enum io_sync: the work of MPI_File_close */
	IO_HAFT_RESERVE,    /* bytes to allocate at open */
	IO_HAFT_STATISTICS, /* 1: print at close */
	IO_MEMORY_KINDS,    /* text: mpi_assert_memory_alloc_kinds */
	IO_HINTS
};

enum io_tristate { IO_AUTOMATIC, IO_ENABLE, IO_DISABLE };
enum io_commit { IO_COMMIT_NONE, IO_COMMIT_RENAME, IO_COMMIT_REPLACE };
enum io_sync { IO_SYNC_NEVER, IO_SYNC_CLOSE };

struct io_hints {
	int64_t number[IO_HINTS]; /* of keys whose value is no text */
	char *text[IO_HINTS];     /* malloc'ed; NULL: not set */
	uint32_t given;           /* bit i: the user has set hint i, and it is in use */
	char *told;               /* malloc'ed: lines that hint_report.c has printed; NULL: none */
};

/* The value of a hint in use. */
static inline int64_t io_hint(const struct io_file *f, enum io_hint which)
{
	return f->hints->number[which];
}

/* Hints at open: the defaults, and the hints of info (or NULL).  0, or MPI_ERR_NO_MEM with
 * words. */
int io_hints_new(const struct info *info, struct io_hints **hints);
void io_hints_free(struct io_hints *h);

/* Begins to use the hints of info that the file keeps no number of: after open, and by
 * io_hints_change. */
void io_hints_use(struct io_file *f, const struct info *info);

/* Sets hints of an open file, as far as they can still change. */
void io_hints_change(struct io_file *f, const struct info *info);

/* A number for each hint that must be equal on all members; 0: it is not set, or may differ. */
void io_hints_same(const struct info *info, uint64_t same[IO_HINTS]);

/* Likewise one number for all of them. */
int64_t io_hints_same_all(const struct info *info);

/* Writes the hints of such a number into text, of n bytes: "cb_nodes=2 file_perm=600", or "none".
 * info: const struct info *. */
void io_hints_same_say(const void *info, char *text, size_t n);

/* The key of a hint, and the value of its number in io_hints_same, into text of n bytes. */
const char *io_hint_key(enum io_hint which);
void io_hint_same_value(enum io_hint which, uint64_t same, char *text, size_t n);

#define IO_HINT_WHY 320 /* bytes of words about a hint */

/* The key that a file does not know or cannot use, and that is told (without HAFT_CHECK=io those
 * with Haft's prefix): the first one in info from the i-th on; *i becomes the number of the next.
 * NULL: there is none.  late: the file was open before.  why: the reason in words, or the key that
 * may be meant; empty: there is no such hint, and none like it. */
const char *io_hints_ignored(const struct io_hints *h, const struct info *info, bool late, int *i,
	char why[IO_HINT_WHY]);

#endif
