// SPDX-License-Identifier: BSD-3-Clause
/* shared.h - state shared by the members of an open file on one host; the shared file pointer.
 *
 *      host A   rank 0 ──┐                         host B   rank 2 ──┐
 *               rank 1 ──┴─> struct io_shared               rank 3 ──┴─> struct io_shared
 *                            pointer: the one in use        pointer: not used
 *
 * The shared pointer (14.4.4) is a word in rank 0's block.  Members of that host add to it; members
 * of other hosts ask a thread of rank 0's process (pointer.h).  Nothing of it is on the disk.
 *
 * A view begins with the pointer at 0.  Members may still use the old view while others have left
 * MPI_File_set_view, so there are two words, used alternately: rank 0 writes the next one before
 * the agreement that ends MPI_File_set_view, and each member goes over to it afterwards. */
#ifndef HAFT_IO_SHARED_H
#define HAFT_IO_SHARED_H

#include "libmpi/io/io.h"
#include "libmpi/io/lock.h"

/* A member of a file on one host, or of a sequential file, as the others see it. */
struct io_shared_member {
	/* pipes and devices: 1 + the first byte of its lowest access under way, or a lower bound of
	 * the access that is about to begin; 0: it has none */
	_Alignas(CACHE_LINE) _Atomic int64_t start;
	struct io_lock_entry entry;
};
static_assert(sizeof(struct io_shared_member) == CACHE_LINE, "members do not share a line");

/* Made at open by the lowest rank of a host, in its segment; zero at first. */
struct io_shared {
	_Atomic int64_t pointer[2]; /* in etypes; of rank 0's block only; file->word is in use */
	_Atomic int64_t stream;     /* pipes and devices: bytes that are through */
	int64_t members;            /* on this host */
	int64_t listed;             /* in `member' */
	uint64_t pad[3];
	struct io_lock_table locks;
	struct io_shared_member member[]; /* by rank */
};

/* Makes a file known to the frames of other members; and takes it out again. */
void io_shared_attach(struct io_file *f);
void io_shared_detach(struct io_file *f);

/* The first of the open files of this process; each leads to the next. */
const struct io_file *io_shared_first(void);

/* Adds n >= 0 etypes to the shared pointer, if it then is at most `most' (io_view_most); *before is
 * the old value.  Waits for an answer of rank 0's host if that is another one, but for no call of
 * MPI there.  0 or an error class with words: the pointer has not moved. */
int io_shared_add(struct io_file *f, int64_t n, int64_t most, int64_t *before);

/* The step of a word of the shared pointer: the old value, or if the new one were greater than
 * `most', -1 - the old value. */
static inline int64_t io_shared_step(_Atomic int64_t *word, int64_t n, int64_t most)
{
	int64_t now = atomic_load(word);

	do
		if (n > 0 && (now > most || n > most - now))
			return -1 - now;
	while (!atomic_compare_exchange_weak(word, &now, now + n));
	return now;
}

/* Takes back a step of the shared pointer by n etypes from `before' on, if it was the last one, and
 * the pointer is in this host's memory.  Another host's stays: others may have moved it. */
void io_shared_give_back(struct io_file *f, int64_t before, int64_t n);

/* Sets the word that is not in use; rank 0 only.  After the agreement of all members,
 * io_shared_word_next goes over to it. */
void io_shared_prepare(struct io_file *f, int64_t to);
void io_shared_word_next(struct io_file *f);

/* Collective: sets j->at of an ordered job from the counts of all members, and moves the pointer.
 * j->err may be set.  An error is the job's, on all members. */
void io_shared_order(struct io_job *j);

/* Collective: the last ordered access has failed on all members: takes its step back, if it was the
 * last one.  No member waits if one has failed. */
void io_shared_order_undo(struct io_file *f);

#endif
