// SPDX-License-Identifier: BSD-3-Clause
/* stage_remote.c - rounds of a collective access by messages: members that share no memory.
 *
 *      member                                  aggregator
 *        header  {bytes of the body, runs}  ──>  room for all bodies
 *        body    combs of runs, data        ──>  window: read if it has holes, filled, written
 *        (read)  combs of runs              ──>  window: read once
 *                                 reply     <──  {end, error}, data
 *
 * A member whose range [first, end) meets a window sends to its aggregator, also if it has no byte
 * in it: so the aggregator knows from the descriptors who sends.  Runs of one length at equal
 * distances are one comb.  An aggregator checks each comb before it uses it.
 *
 * A write's window with holes is read first where no other access can be under way.  Else, and if
 * the runs are long, each run is written by itself. */
#include "libmpi/core/err.h"
#include "libmpi/io/collective.h"
#include "libmpi/type/runs.h"
#include "libmpi/type/type.h"
#include <stdlib.h>
#include <string.h>

#define REMOTE_RUNS 256
#define LONG_RUN    4096 /* bytes; from here on a system call a run costs less than reading holes */

enum remote_part { REMOTE_HEADERS, REMOTE_BODIES, REMOTE_DISK, REMOTE_REPLIES };

struct remote_header {
	int64_t bytes; /* of the body */
	int64_t data;  /* of the runs */
	int64_t combs;
};

/* Runs of one length at equal distances, in a window. */
struct remote_comb {
	int64_t off; /* from the window's place in the file */
	int32_t n, len;
	int64_t stride;
};

struct remote_reply {
	int64_t end; /* the byte of the file where the data ends: its end, or that of the window */
};

/* The messages between this member and one aggregator, or one member and this aggregator. */
struct remote_link {
	struct remote_header header;
	char *body;               /* malloc'ed */
	char *reply;              /* malloc'ed: struct remote_reply, data */
	struct remote_reply none; /* the reply, if there is no memory for one */
	int64_t at, end;          /* of the stream */
};

struct io_remote {
	struct remote_link *out; /* [naggregators] */
	struct remote_link *in;  /* [size] of an aggregator; else NULL */
};

/* --- memory --------------------------------------------------------------------------------- */

static void remote_link_clear(struct remote_link *l)
{
	free(l->body);
	free(l->reply);
	*l = (struct remote_link){0};
}

static void remote_clear(struct io_collective *c)
{
	if (c->remote == NULL) /* this member has neither data nor a stage */
		return;
	for (int a = 0; a < c->naggregators; a++)
		remote_link_clear(&c->remote->out[a]);
	for (int r = 0; r < c->f->size && c->remote->in != NULL; r++)
		remote_link_clear(&c->remote->in[r]);
}

void io_stage_remote_free(struct io_collective *c)
{
	if (c->remote == NULL)
		return;
	remote_clear(c);
	free(c->remote->out);
	free(c->remote->in);
	free(c->remote);
	c->remote = NULL;
}

int io_stage_remote_new(struct io_collective *c)
{
	struct io_remote *m = calloc(1, sizeof(*m));

	if (m != NULL) {
		m->out = calloc((size_t)c->naggregators, sizeof(*m->out));
		if (c->mine_aggregator >= 0)
			m->in = calloc((size_t)c->f->size, sizeof(*m->in));
	}
	if (m != NULL && m->out != NULL && (m->in != NULL || c->mine_aggregator < 0)) {
		c->remote = m;
		return 0;
	}
	if (m != NULL)
		free(m->out);
	free(m);
	return MPI_ERR_NO_MEM;
}

/* --- who sends to whom ---------------------------------------------------------------------- */

static struct io_window remote_window(const struct io_collective *c, int a)
{
	return io_stage_window(c, c->round, a);
}

static bool remote_meets(const struct io_collective *c, int rank, const struct io_window *w)
{
	const struct io_member *m = &c->g->all[rank];

	return w->first < w->end && m->first < w->end && m->end > w->first;
}

/* Calls fn for each aggregator to which this member sends in this round. */
static void remote_each_out(
	struct io_collective *c, void (*fn)(struct io_collective *c, struct remote_link *l, int a))
{
	for (int a = 0; a < c->naggregators; a++) {
		struct io_window w = remote_window(c, a);

		if (remote_meets(c, c->f->rank, &w))
			fn(c, &c->remote->out[a], a);
	}
}

/* And for each member that sends to this aggregator. */
static void remote_each_in(
	struct io_collective *c, void (*fn)(struct io_collective *c, struct remote_link *l, int r))
{
	struct io_window w;

	if (c->mine_aggregator < 0)
		return;
	w = remote_window(c, c->mine_aggregator);
	for (int r = 0; r < c->f->size; r++)
		if (remote_meets(c, r, &w))
			fn(c, &c->remote->in[r], r);
}

/* --- a member: its list --------------------------------------------------------------------- */

/* Adds a run to the combs of a body, which has room for *room.  False: no memory. */
static bool remote_add(struct remote_link *l, int64_t *room, int64_t off, int64_t len)
{
	struct remote_comb *comb = (struct remote_comb *)(void *)l->body + l->header.combs - 1;

	if (l->header.combs > 0 && comb->len == len && comb->n < INT32_MAX &&
		(comb->n == 1 || off == comb->off + comb->n * comb->stride)) {
		comb->stride = comb->n == 1 ? off - comb->off : comb->stride;
		comb->n++;
		return true;
	}
	if (l->header.combs == *room) {
		int64_t more = *room == 0 ? 4 : 2 * *room;
		char *body = realloc(l->body, (size_t)more * sizeof(*comb));

		if (body == NULL)
			return false;
		l->body = body;
		*room = more;
	}
	comb = (struct remote_comb *)(void *)l->body + l->header.combs++;
	*comb = (struct remote_comb){.off = off, .n = 1, .len = (int32_t)len};
	return true;
}

/* Makes the list of the runs of a part of the stream. */
static bool remote_list(struct io_collective *c, struct remote_link *l, const struct io_window *w)
{
	struct type_run run[REMOTE_RUNS];
	int64_t room = 0, covered, place = c->j->view->disp - w->at;

	for (int64_t at = l->at; at < l->end; at += covered) {
		int n = type_runs(
			c->j->view->file_filetype, at, l->end - at, run, REMOTE_RUNS, &covered);

		for (int i = 0; i < n; i++)
			if (!remote_add(l, &room, place + run[i].off, run[i].len))
				return false;
	}
	return true;
}

/* Puts the data behind the list. */
static bool remote_data(struct io_collective *c, struct remote_link *l)
{
	int64_t list = l->header.combs * (int64_t)sizeof(struct remote_comb), n = l->end - l->at;
	char *body = realloc(l->body, (size_t)(list + n) + 1);

	if (body == NULL)
		return false;
	l->body = body;
	type_pack(c->j->type, c->j->buf, c->j->count, l->at - c->j->at, body + list, n);
	l->header.bytes += n;
	return true;
}

static void remote_send_header(struct io_collective *c, struct remote_link *l, int a)
{
	struct io_window w = remote_window(c, a);
	bool ok;

	io_stage_part(c, &w, &l->at, &l->end);
	l->header.data = l->end - l->at;
	ok = remote_list(c, l, &w);
	l->header.bytes = l->header.combs * (int64_t)sizeof(struct remote_comb);
	if (ok && c->j->way == IO_WRITE)
		ok = remote_data(c, l);
	if (!ok) {
		io_job_fail(c->j, haft_err(MPI_ERR_NO_MEM, "no memory for a list of runs"));
		l->header = (struct remote_header){0};
		l->end = l->at;
	}
	io_message_send(c, &l->header, sizeof(l->header), io_stage_rank(c, a));
}

static void remote_send_body(struct io_collective *c, struct remote_link *l, int a)
{
	if (l->header.bytes > 0)
		io_message_send(c, l->body, l->header.bytes, io_stage_rank(c, a));
}

/* --- an aggregator: what comes -------------------------------------------------------------- */

static void remote_receive_header(struct io_collective *c, struct remote_link *l, int r)
{
	io_message_receive(c, &l->header, sizeof(l->header), r);
}

static void remote_fail(struct io_collective *c, int err)
{
	io_job_fail(c->j, err);
	if (c->failed == 0)
		c->failed = (int)c->round + 1;
}

static void remote_receive_body(struct io_collective *c, struct remote_link *l, int r)
{
	if (l->header.bytes <= 0)
		return;
	l->body = malloc((size_t)l->header.bytes);
	if (l->body == NULL) /* the message is received and dropped */
		remote_fail(c, haft_err(MPI_ERR_NO_MEM, "no memory for %lld bytes of rank %d",
				       (long long)l->header.bytes, r));
	io_message_receive(c, l->body, l->body == NULL ? 0 : l->header.bytes, r);
}

static struct remote_comb *remote_combs(const struct remote_link *l)
{
	return (struct remote_comb *)(void *)l->body;
}

/* Is the list of a member what it should be?  All that is used of it is checked here. */
static bool remote_is_sound(const struct io_collective *c, const struct remote_link *l)
{
	const struct remote_header *h = &l->header;
	int64_t list, data = 0;

	if (h->combs < 0 || h->data < 0 ||
		h->combs > h->bytes / (int64_t)sizeof(struct remote_comb))
		return false;
	list = h->combs * (int64_t)sizeof(struct remote_comb);
	if (h->bytes != list + (c->j->way == IO_WRITE ? h->data : 0))
		return false;
	for (int64_t i = 0; i < h->combs; i++) {
		const struct remote_comb *b = &remote_combs(l)[i];

		if (b->n < 1 || b->len < 1 || b->off < 0 || b->stride < 0 ||
			b->stride > c->window || b->off > c->window ||
			b->off + (b->n - 1) * b->stride + b->len > c->window)
			return false;
		data += (int64_t)b->n * b->len;
	}
	return data == h->data;
}

/* All lists of a round together. */
struct remote_all {
	int64_t first, end; /* in the window */
	int64_t runs;
	struct io_cover cover;
};

static struct remote_all remote_sum(struct io_collective *c)
{
	struct remote_all all = {.first = c->window};

	for (int r = 0; r < c->f->size; r++) {
		struct remote_link *l = &c->remote->in[r];

		if (l->body == NULL)
			continue;
		if (!remote_is_sound(c, l)) {
			remote_fail(c, haft_err(MPI_ERR_OTHER,
					       "rank %d has sent a list of runs "
					       "that makes no sense",
					       r));
			remote_link_clear(l);
			continue;
		}
		for (int64_t i = 0; i < l->header.combs; i++) {
			const struct remote_comb *b = &remote_combs(l)[i];
			const struct type_comb comb = {0, b->n, b->len, b->stride};
			int64_t end = b->off + (b->n - 1) * b->stride + b->len;

			all.first = b->off < all.first ? b->off : all.first;
			all.end = end > all.end ? end : all.end;
			all.runs += b->n;
			io_cover_combs(&all.cover, b->off, &comb, 1, 0);
		}
	}
	return all;
}

/* Calls fn for each run of all members, in order of ranks. */
typedef void remote_run_fn(struct io_collective *c, int64_t off, char *data, int64_t len);

static void remote_each_run(
	struct io_collective *c, struct remote_link *l, char *data, remote_run_fn *fn)
{
	for (int64_t i = 0; i < l->header.combs; i++) {
		const struct remote_comb b = remote_combs(l)[i];

		for (int64_t k = 0; k < b.n; k++, data += b.len)
			fn(c, b.off + k * b.stride, data, b.len);
	}
}

static void remote_all_runs(struct io_collective *c, remote_run_fn *fn)
{
	for (int r = 0; r < c->f->size; r++) {
		struct remote_link *l = &c->remote->in[r];

		if (l->body != NULL)
			remote_each_run(c, l,
				l->body + l->header.combs * (int64_t)sizeof(struct remote_comb),
				fn);
	}
}

/* --- an aggregator: the disk ---------------------------------------------------------------- */

static void remote_put(struct io_collective *c, int64_t off, char *data, int64_t len)
{
	memcpy(c->g->local + off, data, (size_t)len);
}

static void remote_get(struct io_collective *c, int64_t off, char *data, int64_t len)
{
	memcpy(data, c->g->local + off, (size_t)len);
}

static void remote_write_run(struct io_collective *c, int64_t off, char *data, int64_t len)
{
	int64_t at = remote_window(c, c->mine_aggregator).at + off, moved;
	int err = c->failed != 0 ? 0 : io_disk_write(c->f, data, len, at, &moved);

	if (err != 0)
		remote_fail(c, err);
}

static void remote_write(struct io_collective *c)
{
	struct io_window w = remote_window(c, c->mine_aggregator);
	struct remote_all all = remote_sum(c);
	int64_t moved = 0, n = all.end - all.first;
	char *at = c->g->local + all.first;
	bool full;
	int err = 0;

	if (c->failed != 0 || all.runs == 0)
		return;
	c->f->dirty = true;
	full = io_cover_is_full(&all.cover, all.first, all.end);
	if (!full && (c->in_place || all.cover.bytes / all.runs >= LONG_RUN)) {
		remote_all_runs(c, remote_write_run);
		return;
	}
	if (!full) {
		err = io_disk_read(c->f, at, n, w.at + all.first, &moved);
		memset(at + moved, 0, (size_t)(n - moved));
	}
	if (err == 0) {
		remote_all_runs(c, remote_put);
		err = io_disk_write(c->f, at, n, w.at + all.first, &moved);
	}
	if (err != 0)
		remote_fail(c, err);
}

/* Reads the window; *end: the byte of the file where its data ends. */
static void remote_read(struct io_collective *c)
{
	struct io_window w = remote_window(c, c->mine_aggregator);
	struct remote_all all = remote_sum(c);
	int64_t moved = 0, n = all.end - all.first;
	char *at = c->g->local + all.first;
	int err;

	c->read_end = w.first;
	if (c->failed != 0 || all.runs == 0)
		return;
	err = io_disk_read(c->f, at, n, w.at + all.first, &moved);
	memset(at + moved, 0, (size_t)(n - moved));
	c->read_end = moved == n ? w.end : w.at + all.first + moved;
	if (err != 0)
		remote_fail(c, err);
}

static void remote_send_reply(struct io_collective *c, struct remote_link *l, int r)
{
	int64_t room = (int64_t)sizeof(struct remote_reply);

	if (l->body != NULL)
		l->reply = malloc((size_t)(room + l->header.data));
	if (l->reply == NULL) {
		l->none.end = 0;
		if (l->body != NULL)
			remote_fail(c, haft_err(MPI_ERR_NO_MEM, "no memory for %lld bytes",
					       (long long)l->header.data));
		io_message_send(c, &l->none, room, r);
		return;
	}
	((struct remote_reply *)(void *)l->reply)->end = c->read_end;
	remote_each_run(c, l, l->reply + room, remote_get);
	io_message_send(c, l->reply, room + l->header.data, r);
}

/* --- a member: the reply -------------------------------------------------------------------- */

static void remote_receive_reply(struct io_collective *c, struct remote_link *l, int a)
{
	int64_t room = (int64_t)sizeof(struct remote_reply);

	l->reply = malloc((size_t)(room + l->end - l->at));
	if (l->reply == NULL)
		io_job_fail(c->j, haft_err(MPI_ERR_NO_MEM, "no memory for %lld bytes",
					  (long long)(l->end - l->at)));
	io_message_receive(
		c, l->reply, l->reply == NULL ? 0 : room + l->end - l->at, io_stage_rank(c, a));
}

/* Takes what the file has, from the first byte on. */
static void remote_take(struct io_collective *c, struct remote_link *l, int a)
{
	struct io_window got = remote_window(c, a);
	int64_t at, have, end;

	if (l->reply == NULL || l->at >= l->end || c->over || c->j->err != 0)
		return;
	end = ((struct remote_reply *)(void *)l->reply)->end;
	got.end = end < got.end ? end : got.end;
	io_stage_part(c, &got, &at, &have);
	have = have < l->at ? l->at : have;
	type_unpack(c->j->type, c->j->buf, c->j->count, l->at - c->j->at,
		l->reply + sizeof(struct remote_reply), have - l->at);
	c->j->moved += have - l->at;
	c->over = have < l->end;
}

/* --- the rounds ----------------------------------------------------------------------------- */

static void remote_next(struct io_collective *c)
{
	remote_clear(c);
	c->round++;
	c->part = REMOTE_HEADERS;
}

/* One part of a round: all messages of the part before are done. */
static void remote_part(struct io_collective *c)
{
	switch ((enum remote_part)c->part) {
	case REMOTE_HEADERS:
		remote_each_out(c, remote_send_header);
		remote_each_in(c, remote_receive_header);
		c->part = REMOTE_BODIES;
		return;
	case REMOTE_BODIES:
		remote_each_out(c, remote_send_body);
		remote_each_in(c, remote_receive_body);
		c->part = REMOTE_DISK;
		return;
	case REMOTE_DISK:
		if (c->mine_aggregator >= 0 && c->j->way == IO_WRITE)
			remote_write(c);
		if (c->mine_aggregator >= 0 && c->j->way == IO_READ)
			remote_read(c);
		if (c->j->way == IO_WRITE) {
			remote_next(c);
			return;
		}
		remote_each_out(c, remote_receive_reply);
		remote_each_in(c, remote_send_reply);
		c->part = REMOTE_REPLIES;
		return;
	case REMOTE_REPLIES:
		remote_each_out(c, remote_take);
		remote_next(c);
		return;
	}
}

bool io_stage_remote_step(struct io_collective *c)
{
	while (c->round < c->rounds) {
		if (!io_messages_done(c, NULL))
			return false;
		remote_part(c);
	}
	return io_messages_done(c, NULL);
}
