// SPDX-License-Identifier: BSD-3-Clause
/* exchange.c - what members of a collective access tell each other, besides data.
 *
 *      distance 1   2   4         each step a member sends all it has to the rank `distance' below
 *      0 <- 1 <- 2 <- 3 ...       and receives as much from the one above: Bruck's allgather
 *
 * Blocking accesses use coll's allgather instead, which knows the hosts.  Others may not: members
 * come to their exchanges in any order, as progress runs them.  Messages go on a plane of the
 * file's own communicator, with the number of the access as their tag. */
#include "libmpi/core/err.h"
#include "libmpi/io/collective.h"
#include "libmpi/core/num.h"
#include "libmpi/io/long_access.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdio.h>
#include <string.h>

#define EXCHANGE_TAGS 0x3fffffff

/* --- messages ------------------------------------------------------------------------------- */

void io_message_send(struct io_collective *c, const void *buf, int64_t bytes, int to)
{
	must(c->nreqs < c->g->room);
	p2p_plane_isend(c->f->comm, CTX_GROUP, buf, bytes, to, c->g->tag & EXCHANGE_TAGS,
		&c->g->reqs[c->nreqs++]);
}

void io_message_receive(struct io_collective *c, void *buf, int64_t bytes, int from)
{
	must(c->nreqs < c->g->room);
	p2p_plane_irecv(c->f->comm, CTX_GROUP, buf, bytes, from, c->g->tag & EXCHANGE_TAGS,
		&c->g->reqs[c->nreqs++]);
}

bool io_messages_done(struct io_collective *c, bool *received)
{
	for (; c->waited < c->nreqs; c->waited++) {
		struct req *r = &c->g->reqs[c->waited];

		if (!r->done)
			return false;
		if (likely(r->res.error == 0))
			continue;
		io_job_fail(c->j, p2p_coll_wait(r, 1));
		if (received != NULL && r->kind == REQ_RECV)
			*received = false;
	}
	c->nreqs = c->waited = 0;
	return true;
}

/* --- all to all ----------------------------------------------------------------------------- */

/* The blocks as they come: block i is of the rank that is i above this one. */
static struct io_member *exchange_blocks(const struct io_collective *c)
{
	return c->g->all + c->f->size;
}

static int exchange_count(const struct io_collective *c)
{
	int left = c->f->size - c->distance;

	return c->distance < left ? c->distance : left;
}

static void exchange_next(struct io_collective *c)
{
	int n = c->f->size, d = c->distance;
	int64_t bytes = exchange_count(c) * (int64_t)sizeof(struct io_member);

	io_message_send(c, exchange_blocks(c), bytes, (c->f->rank - d + n) % n);
	io_message_receive(c, exchange_blocks(c) + d, bytes, (c->f->rank + d) % n);
}

/* All by a collective call; this waits. */
static void exchange_by_call(struct io_collective *c)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int err = coll_allgather(
		&c->mine, sizeof(c->mine), byte, c->g->all, sizeof(c->mine), byte, c->f->comm);

	if (unlikely(err != 0)) {
		io_job_fail(c->j, err);
		memset(c->g->all, 0, (size_t)c->f->size * sizeof(c->mine));
		c->mine.err = err;
		c->mine.runs = 1;
		c->g->all[c->f->rank] = c->mine;
	}
}

/* As io_exchange_begin, for members that only meet. */
static void exchange_barrier(struct io_collective *c)
{
	int err = coll_barrier(c->f->comm);

	if (unlikely(err != 0))
		io_job_fail(c->j, err);
}

void io_exchange_begin(struct io_collective *c, bool keep)
{
	c->distance = 1;
	c->keep = keep;
	if (keep && io_progress_is_shown())
		io_progress_round(c->j, c->round, c->rounds);
	if (c->by_calls) {
		if (keep)
			exchange_barrier(c);
		else
			exchange_by_call(c);
		return;
	}
	*exchange_blocks(c) = c->mine;
	if (c->f->size > 1)
		exchange_next(c);
}

/* The members that did not send: nothing is left to do for them, they have failed, and their
 * blocks may not be written. */
static void exchange_lost(struct io_collective *c)
{
	for (int i = c->distance; i < c->distance + exchange_count(c); i++)
		exchange_blocks(c)[i] = (struct io_member){.err = c->j->err, .runs = 1};
}

bool io_exchange_step(struct io_collective *c)
{
	int n = c->f->size;

	if (c->by_calls)
		return true;
	while (c->distance < n) {
		bool received = true;

		if (!io_messages_done(c, &received))
			return false;
		if (unlikely(!received))
			exchange_lost(c);
		c->distance *= 2;
		if (c->distance < n)
			exchange_next(c);
	}
	for (int i = 0; i < n && !c->keep; i++)
		c->g->all[(c->f->rank + i) % n] = exchange_blocks(c)[i];
	return true;
}

/* --- words of an error ---------------------------------------------------------------------- */

/* Children of a member in a binomial tree with the rank that has the words as its root. */
static void words_pass_on(struct io_collective *c, int from, int above)
{
	int n = c->f->size, me = (c->f->rank - from + n) % n;

	for (int d = above / 2; d > 0; d /= 2)
		if (me + d < n)
			io_message_send(c, &c->words, sizeof(c->words), (me + d + from) % n);
}

/* The distance of a member to its parent; of the root: more than all others. */
static int words_above(const struct io_collective *c, int from)
{
	int n = c->f->size;

	return num_tree_distance((c->f->rank - from + n) % n, n);
}

void io_words_begin(struct io_collective *c, int from)
{
	int n = c->f->size, d = words_above(c, from), me = (c->f->rank - from + n) % n;
	const char *words = c->j->words != NULL ? c->j->words : haft_err_class_text(c->j->err);

	c->distance = d;
	if (c->f->rank != from) {
		io_message_receive(c, &c->words, sizeof(c->words), (me - d + from) % n);
		return;
	}
	c->words.err = c->j->err;
	if (strncmp(words, "failed on ", 10) == 0)
		snprintf(c->words.words, sizeof(c->words.words), "%s", words);
	else
		snprintf(c->words.words, sizeof(c->words.words), "failed on rank %d of %d: %s",
			c->f->rank, n, words);
	words_pass_on(c, from, d);
	c->distance = 0;
}

bool io_words_step(struct io_collective *c, int from)
{
	bool received = true;

	if (!io_messages_done(c, &received))
		return false;
	if (c->distance == 0)
		return true;
	if (!received || c->words.err == 0) { /* its parent is gone: the error of that */
		c->words.err = c->j->err != 0 ? c->j->err : MPI_ERR_OTHER;
		snprintf(c->words.words, sizeof(c->words.words), "%.500s",
			c->j->words != NULL ? c->j->words : "");
	}
	c->words.words[sizeof(c->words.words) - 1] = '\0';
	words_pass_on(c, from, c->distance);
	c->distance = 0;
	return io_messages_done(c, &received);
}
