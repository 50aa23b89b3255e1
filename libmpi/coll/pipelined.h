// SPDX-License-Identifier: BSD-3-Clause
/* pipelined.h - a member's place in a chain or a binary tree, along which segments go (pipelined.c;
 * for hosts: hierarchical.c). */
#ifndef HAFT_COLL_PIPELINED_H
#define HAFT_COLL_PIPELINED_H

#include "libmpi/coll/algorithms.h"

#define PIPE_ARITY 2 /* most children */

/* A member's place, and its data in segments: bytes, or elements of a reduction. */
struct pipe {
	int parent;            /* rank; -1: this is the root */
	int children;          /* so many */
	int child[PIPE_ARITY]; /* ranks */
	int64_t all, length;   /* of the data; of a segment */
};

/* The place of k->me below k->root, with so many children.  all: bytes, or elements of `size'
 * bytes. */
struct pipe coll_pipe_of(const struct coll_args *k, int arity, int64_t all, int64_t size);

/* The bytes of a segment of a reduction or scan of `bytes' bytes.  In a chain of many members
 * longer segments lose more time, until the first has come to the last member, than they save. */
int64_t coll_segment(const struct coll_args *k, int64_t bytes);

/* Are segments of so many bytes sent while the next is combined, not before? */
bool coll_segment_late(int64_t bytes);

/* The length of the segment that begins at `at'. */
static inline int64_t coll_pipe_len(const struct pipe *p, int64_t at)
{
	return p->all - at < p->length ? p->all - at : p->length;
}

#endif
