// SPDX-License-Identifier: BSD-3-Clause
/* pipelined.c - long data in segments, which follow each other down a tree, or up.
 *
 *      chain    0 ── 1 ── 2 ── 3 ...        each member sends all data once: few members, much data
 *
 *      binary   0 ─┬─ 1 ─┬─ 3 ...           twice, but a segment arrives after log2(n) messages
 *                  └─ 2  └─ 4 ...           v's children: 2v + 1, 2v + 2
 *
 *      a member of a broadcast:   recv 0 | recv 1, send 0 | recv 2, send 1 | ...
 *      of a reduction:            recv 0 | recv 1, combine 0, send 0 | ...
 *      in long segments:          recv 0 | recv 1, combine 0 | recv 2, send 0, combine 1 | ...
 *                                 so a message that waits for its receiver costs no time
 *
 * v = (rank - root) mod n.  A reduction combines neighbors in the tree: its operation commutes. */
#include "libmpi/coll/pipelined.h"

#include "libmpi/coll/coll_shm.h"

/* Bytes of a segment: an eager message between hosts.  Of a reduction or scan in which there are so
 * many bytes for each member, longer ones: twice, and four times. */
#define SEGMENT   MEAN_OR(64, 16 * 1024)
#define PART_LONG MEAN_OR(256, 128 * 1024)
#define SEGMENTS  4096 /* most of a call: each is some steps of a schedule */

int64_t coll_segment(const struct coll_args *k, int64_t bytes)
{
	if (coll_one_host(k->comm) || bytes / k->n < PART_LONG)
		return SEGMENT;
	return bytes / k->n < 4 * PART_LONG ? 2 * SEGMENT : 4 * SEGMENT;
}

bool coll_segment_late(int64_t bytes)
{
	return bytes > SEGMENT;
}

struct pipe coll_pipe_of(const struct coll_args *k, int arity, int64_t all, int64_t size)
{
	int v = (k->me - k->root + k->n) % k->n;
	int64_t least = (all - 1) / SEGMENTS + 1,
		length = (k->op != NULL ? coll_segment(k, all * size) : SEGMENT) / num_max(size, 1);
	struct pipe p = {.parent = -1, .all = all, .length = length > least ? length : least};

	if (v > 0)
		p.parent = ((v - 1) / arity + k->root) % k->n;
	for (int i = 1; i <= arity && arity * (int64_t)v + i < k->n; i++)
		p.child[p.children++] = (arity * v + i + k->root) % k->n;
	return p;
}

/* --- broadcast ------------------------------------------------------------------------------ */

static void bcast_pipelined(struct sched *s, const struct coll_args *k, int arity)
{
	struct pipe p = coll_pipe_of(k, arity, k->bytes, 1);
	struct type *byte = type_predefined(MPI_BYTE);
	char *mem = k->rtype->dense ? k->rbuf : coll_sched_bytes(s, k->bytes);

	if (!k->rtype->dense && p.parent < 0)
		coll_sched_pack(s, k->rbuf, k->rcount, k->rtype, mem, k->bytes);
	for (int64_t at = 0; at < p.all; at += p.length) {
		int64_t n = coll_pipe_len(&p, at);

		if (p.parent >= 0) {
			coll_sched_recv(s, mem + at, n, byte, p.parent);
			coll_sched_fence(s);
		}
		for (int i = 0; i < p.children; i++)
			coll_sched_send(s, mem + at, n, byte, p.child[i]);
	}
	if (!k->rtype->dense && p.parent >= 0)
		coll_sched_unpack(s, mem, k->rbuf, k->rcount, k->rtype, k->bytes);
}

void coll_bcast_chain(struct sched *s, const struct coll_args *k)
{
	bcast_pipelined(s, k, 1);
}

void coll_bcast_binary(struct sched *s, const struct coll_args *k)
{
	bcast_pipelined(s, k, 2);
}

/* --- reduce --------------------------------------------------------------------------------- */

/* Receives the children's results of the segment at `at' into this half of the temps. */
static void pipe_recv(struct sched *s, const struct coll_args *k, const struct pipe *p,
	void *const temp[PIPE_ARITY], int64_t at)
{
	for (int i = 0; i < p->children && at < p->all; i++)
		coll_sched_recv(s, temp[i], coll_pipe_len(p, at), k->rtype, p->child[i]);
}

/* Combines this member's segment with those of the children.  Returns the result: the operand
 * itself without children, rbuf at the root, else the last child's temp. */
static void *pipe_combine(struct sched *s, const struct coll_args *k, const struct pipe *p,
	void *const temp[PIPE_ARITY], int64_t at)
{
	void *acc = coll_element(coll_operand(k), k->rtype, at);

	for (int i = 0; i < p->children; i++) {
		bool last = i == p->children - 1;
		void *out = last && p->parent < 0 ? coll_element(k->rbuf, k->rtype, at) : temp[i];

		if (acc == out) /* in place */
			coll_sched_reduce(s, temp[i], acc, out, coll_pipe_len(p, at), k->rtype);
		else
			coll_sched_reduce(s, acc, temp[i], out, coll_pipe_len(p, at), k->rtype);
		acc = out;
	}
	return acc;
}

/* Sends the result of the segment at `at' to the parent. */
static void pipe_send(struct sched *s, const struct coll_args *k, const struct pipe *p,
	const void *sum, int64_t at)
{
	if (p->parent >= 0)
		coll_sched_send(s, sum, coll_pipe_len(p, at), k->rtype, p->parent);
}

static void reduce_pipelined(struct sched *s, const struct coll_args *k, int arity)
{
	struct pipe p = coll_pipe_of(k, arity, k->rcount, k->rtype->size);
	bool late = coll_segment_late(p.length * k->rtype->size);
	void *temp[3][PIPE_ARITY] = {{NULL}}, *sum = NULL;
	int rooms = late ? 3 : 2, room = 0;
	int64_t at;

	for (int i = 0; i < rooms * p.children; i++)
		temp[i % rooms][i / rooms] = coll_sched_elements(s, k->rtype, p.length);
	pipe_recv(s, k, &p, temp[0], 0);
	for (at = 0; at < p.all; at += p.length, room = (room + 1) % rooms) {
		coll_sched_fence(s);
		pipe_recv(s, k, &p, temp[(room + 1) % rooms], at + p.length);
		if (late && at > 0)
			pipe_send(s, k, &p, sum, at - p.length);
		sum = pipe_combine(s, k, &p, temp[room], at);
		if (!late)
			pipe_send(s, k, &p, sum, at);
	}
	if (late)
		pipe_send(s, k, &p, sum, at - p.length);
	if (k->n == 1)
		coll_sched_move(s, coll_operand(k), k->rbuf, k->rcount, k->rtype);
}

void coll_reduce_chain(struct sched *s, const struct coll_args *k)
{
	reduce_pipelined(s, k, 1);
}

void coll_reduce_binary(struct sched *s, const struct coll_args *k)
{
	reduce_pipelined(s, k, 2);
}
