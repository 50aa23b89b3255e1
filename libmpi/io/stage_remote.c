// SPDX-License-Identifier: BSD-3-Clause
/* stage_remote.c - rounds of a collective access by messages: members that share no memory.
 *
 *      member                                  aggregator
 *        header  {bytes of the body, runs}  ──>  room for all bodies
 *        body    combs of runs, data        ──>  block: read if it has holes, filled, written
 *        (read)  combs of runs              ──>  block: read once
 *                                 reply     <──  {end, error}, data
 *
 * Where members of a host merge their parts (hosts.h), its carrier sends for all of them:
 *
 *      member: packs and marks ── "done" ──> carrier: lists ── "taken" ──> member: next round
 *                                            (read)         ── {end} ────> member: unpacks
 *
 * A worker writes a block while the next one is exchanged: the stage has two halves.  One write
 * is under way at a time.
 *
 * A member whose range [first, end) meets a block sends to its aggregator, also if it has no byte
 * in it: so the aggregator knows from the descriptors who sends.  Runs of one length at equal
 * distances are one comb.  An aggregator checks each comb before it uses it.
 *
 * A write's block with holes is read, filled and written in one step, where no other access can be
 * under way and there is no other open (sieve_lock.h).  Else, and if the runs are long, each run is
 * written by itself. */
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/io/collective.h"
#include "libmpi/io/sieve_lock.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/hosts.h"
#include "libmpi/io/work.h"
#include "libmpi/type/runs.h"
#include "libmpi/type/type.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REMOTE_RUNS  256
#define WORKER_LEAST MEAN_OR(1, 256 << 10) /* bytes that a worker writes */
#define LONG_RUN     4096 /* bytes; from here on a call a run costs less than reading holes */

enum remote_part {
	REMOTE_PACK,
	REMOTE_HEADERS,
	REMOTE_BODIES,
	REMOTE_DISK,
	REMOTE_STORE,
	REMOTE_REPLIES,
	REMOTE_GIVE,
	REMOTE_TAKE
};

struct remote_header {
	int64_t bytes; /* of the body */
	int64_t data;  /* of the runs */
	int64_t combs;
};

/* Runs of one length at equal distances, in a block. */
struct remote_comb {
	int64_t off; /* from the block's place in the file */
	int32_t n, len;
	int64_t stride;
};

struct remote_reply {
	int64_t end; /* the byte of the file where the data ends: its end, or that of the block */
};

/* The messages between this member and one aggregator, or one member and this aggregator. */
struct remote_link {
	struct remote_header header;
	char *body;               /* in `bodies', or in the other end's; NULL: there is none */
	char *reply;              /* in `replies': struct remote_reply, data; NULL: none */
	struct remote_reply none; /* the reply, if there is no memory for one */
	char *bodies, *replies;   /* malloc'ed, kept from round to round */
	int64_t bodies_room, replies_room;
	int64_t at, end;           /* of the view: this member's part */
	struct remote_reply given; /* from the carrier: where the data ends */
};

/* A block that is written, by a worker if that pays. */
struct remote_store {
	struct io_work work; /* first */
	struct io_collective *c;
	const char *data; /* these are the worker's until it is over */
	int64_t n, at, round;
	int64_t put; /* bytes that are in the file */
	int err;
	char words[HAFT_ERR_TEXT_MAX];
};

struct io_remote {
	struct remote_link *out; /* [naggregators] */
	struct remote_link *in;  /* [size] of an aggregator; else NULL */
	int nout, nin;
	struct remote_store store;
	/* the block that was filled and is to be written next; n 0: none */
	struct {
		const char *data;
		int64_t n, at;
	} filled;
};

/* --- memory --------------------------------------------------------------------------------- */

/* A new page costs more than the copy into it: so rooms are kept. */
static char *remote_grow(char **room, int64_t *have, int64_t bytes)
{
	int64_t more = bytes + bytes / 4 + 256;
	char *p;

	if (bytes <= *have)
		return *room;
	p = realloc(*room, (size_t)more);
	if (p == NULL)
		return NULL;
	*room = p;
	*have = more;
	return p;
}

/* Makes room for a body of so many bytes; its bytes stay.  False: no memory. */
static bool remote_body(struct remote_link *l, int64_t bytes)
{
	char *p = remote_grow(&l->bodies, &l->bodies_room, bytes);

	if (p != NULL)
		l->body = p;
	return p != NULL;
}

static void remote_link_clear(struct remote_link *l)
{
	*l = (struct remote_link){.bodies = l->bodies,
		.replies = l->replies,
		.bodies_room = l->bodies_room,
		.replies_room = l->replies_room};
}

static void remote_links_free(struct remote_link *links, int n)
{
	for (int i = 0; i < n && links != NULL; i++) {
		free(links[i].bodies);
		free(links[i].replies);
	}
	free(links);
}

static int64_t remote_links_room(const struct remote_link *links, int n)
{
	int64_t room = 0;

	for (int i = 0; i < n && links != NULL; i++)
		room += links[i].bodies_room + links[i].replies_room;
	return room;
}

static void remote_clear(struct io_collective *c)
{
	if (c->remote == NULL) /* this member has neither data nor a stage */
		return;
	for (int a = 0; a < c->remote->nout; a++)
		remote_link_clear(&c->remote->out[a]);
	for (int r = 0; r < c->remote->nin; r++)
		remote_link_clear(&c->remote->in[r]);
}

void io_remote_drop(struct io_remote *m)
{
	if (m == NULL)
		return;
	remote_links_free(m->out, m->nout);
	remote_links_free(m->in, m->nin);
	free(m);
}

/* Keeps it for the next access, unless that is much memory. */
void io_stage_remote_free(struct io_collective *c)
{
	struct io_remote *m = c->remote;

	if (m == NULL)
		return;
	remote_clear(c);
	c->remote = NULL;
	if (c->g->remote == NULL &&
		remote_links_room(m->out, m->nout) + remote_links_room(m->in, m->nin) <=
			io_hint(c->f, IO_CB_BUFFER_SIZE))
		c->g->remote = m;
	else
		io_remote_drop(m);
}

/* Takes the buffers of an earlier access, if their number is that of this one; or NULL. */
static struct io_remote *remote_kept(struct io_collective *c, int nin)
{
	struct io_remote *m = c->g->remote;

	c->g->remote = NULL;
	if (m != NULL && m->nout == c->naggregators && m->nin == nin)
		return m;
	io_remote_drop(m);
	return NULL;
}

int io_stage_remote_new(struct io_collective *c)
{
	int nin = c->mine_aggregator >= 0 ? c->f->size : 0;
	struct io_remote *m = remote_kept(c, nin);

	c->remote = m;
	if (m != NULL)
		return 0;
	m = calloc(1, sizeof(*m));
	if (m == NULL)
		return MPI_ERR_NO_MEM;
	m->out = calloc((size_t)c->naggregators, sizeof(*m->out));
	m->nout = m->out != NULL ? c->naggregators : 0;
	m->in = nin > 0 ? calloc((size_t)nin, sizeof(*m->in)) : NULL;
	m->nin = m->in != NULL ? nin : 0;
	if (m->nout == 0 || m->nin != nin) {
		io_remote_drop(m);
		return MPI_ERR_NO_MEM;
	}
	c->remote = m;
	return 0;
}

/* --- who sends to whom ---------------------------------------------------------------------- */

static struct io_cb_block remote_cb_block(const struct io_collective *c, int a)
{
	return io_stage_cb_block(c, c->round, a);
}

/* Calls fn for each aggregator to which this member sends in this round. */
static void remote_each_out(
	struct io_collective *c, void (*fn)(struct io_collective *c, struct remote_link *l, int a))
{
	for (int a = 0; a < c->naggregators; a++) {
		struct io_cb_block w = remote_cb_block(c, a);

		if (io_hosts_sends(c, c->f->rank, a, &w))
			fn(c, &c->remote->out[a], a);
	}
}

/* Calls fn for each aggregator in the use of whose image this member takes part. */
static void remote_each_packed(
	struct io_collective *c, void (*fn)(struct io_collective *c, struct remote_link *l, int a))
{
	for (int a = 0; a < c->naggregators; a++) {
		struct io_cb_block w = remote_cb_block(c, a);

		if (io_hosts_packs(c, &w))
			fn(c, &c->remote->out[a], a);
	}
}

/* Calls fn for each other member that takes part in the use of an image that this one carries. */
static void remote_each_carried(struct io_collective *c,
	void (*fn)(struct io_collective *c, struct remote_link *l, int rank))
{
	const struct io_hosts *t = c->f->hosts;

	for (int a = 0; a < c->naggregators && t->merges[t->mine]; a++) {
		struct io_cb_block w = remote_cb_block(c, a);

		if (io_hosts_carrier(c, t->mine, a) != c->f->rank ||
			!io_hosts_has_data(c, t->mine, &w))
			continue;
		for (int k = t->first[t->mine]; k < t->first[t->mine + 1]; k++)
			if (t->member[k] != c->f->rank && io_hosts_shares(c, t->member[k]))
				fn(c, &c->remote->out[a], t->member[k]);
	}
}

/* And for each member that sends to this aggregator. */
static void remote_each_in(
	struct io_collective *c, void (*fn)(struct io_collective *c, struct remote_link *l, int r))
{
	struct io_cb_block w;

	if (c->mine_aggregator < 0)
		return;
	w = remote_cb_block(c, c->mine_aggregator);
	for (int r = 0; r < c->f->size; r++)
		if (io_hosts_sends(c, r, c->mine_aggregator, &w))
			fn(c, &c->remote->in[r], r);
}

static struct remote_comb *remote_combs(const struct remote_link *l)
{
	return (struct remote_comb *)(void *)l->body;
}

/* --- members of one host -------------------------------------------------------------------- */

static int remote_carrier(const struct io_collective *c, int a)
{
	return io_hosts_carrier(c, c->f->hosts->mine, a);
}

/* Packs, and tells the carrier.  Messages of no bytes are enough: memory is shared. */
static void remote_pack(struct io_collective *c, struct remote_link *l, int a)
{
	io_hosts_pack(c, a, &l->at, &l->end);
	if (remote_carrier(c, a) != c->f->rank)
		io_message_send(c, NULL, 0, remote_carrier(c, a));
}

static void remote_receive_packed(struct io_collective *c, struct remote_link *l, int r)
{
	(void)l;
	io_message_receive(c, NULL, 0, r);
}

/* The carrier has taken its bytes: the image may be filled again. */
static void remote_send_taken(struct io_collective *c, struct remote_link *l, int r)
{
	(void)l;
	io_message_send(c, NULL, 0, r);
}

static void remote_receive_taken(struct io_collective *c, struct remote_link *l, int a)
{
	(void)l;
	if (remote_carrier(c, a) != c->f->rank)
		io_message_receive(c, NULL, 0, remote_carrier(c, a));
}

/* --- a member: its list --------------------------------------------------------------------- */

/* Adds a run to the combs of a body.  False: no memory. */
static bool remote_add(void *link, int64_t off, int64_t len)
{
	struct remote_link *l = link;
	int64_t n = l->header.combs;
	struct remote_comb *comb = n > 0 ? remote_combs(l) + n - 1 : NULL;

	l->header.data += len;
	if (comb != NULL && comb->len == len && comb->n < INT32_MAX &&
		(comb->n == 1 || off == comb->off + comb->n * comb->stride)) {
		comb->stride = comb->n == 1 ? off - comb->off : comb->stride;
		comb->n++;
		return true;
	}
	if (!remote_body(l, (n + 1) * (int64_t)sizeof(*comb)))
		return false;
	comb = remote_combs(l) + l->header.combs++;
	*comb = (struct remote_comb){.off = off, .n = 1, .len = (int32_t)len};
	return true;
}

/* Makes the list of the runs of a part of the view. */
static bool remote_list(struct io_collective *c, struct remote_link *l, const struct io_cb_block *w)
{
	struct type_run run[REMOTE_RUNS];
	int64_t covered, shift = c->j->view->disp - w->at;

	for (int64_t at = l->at; at < l->end; at += covered) {
		int n = type_runs(
			c->j->view->file_filetype, at, l->end - at, run, REMOTE_RUNS, &covered);

		for (int i = 0; i < n; i++)
			if (!remote_add(l, shift + run[i].off, run[i].len))
				return false;
	}
	return true;
}

/* Makes room for the data behind the list, and returns it.  NULL: no memory. */
static char *remote_room(struct remote_link *l)
{
	int64_t list = l->header.combs * (int64_t)sizeof(struct remote_comb);

	if (!remote_body(l, list + l->header.data + 1))
		return NULL;
	l->header.bytes = list + l->header.data;
	return l->body + list;
}

/* Moves the data of a list between an image and packed memory. */
static void remote_image_move(struct remote_link *l, char *image, char *packed, bool out)
{
	for (int64_t i = 0; i < l->header.combs; i++) {
		const struct remote_comb b = remote_combs(l)[i];

		for (int64_t k = 0; k < b.n; k++, packed += b.len) {
			char *at = image + b.off + k * b.stride;

			memcpy(out ? packed : at, out ? at : packed, (size_t)b.len);
		}
	}
}

/* Lists this member's part, and packs it. */
static bool remote_list_own(struct io_collective *c, struct remote_link *l, int a)
{
	struct io_cb_block w = remote_cb_block(c, a);
	char *data;

	io_stage_part(c, &w, &l->at, &l->end);
	if (!remote_list(c, l, &w))
		return false;
	l->header.bytes = l->header.combs * (int64_t)sizeof(struct remote_comb);
	if (c->j->direction == IO_READ)
		return true;
	data = remote_room(l);
	if (data != NULL)
		type_pack(
			c->j->type, c->j->buf, c->j->count, l->at - c->j->at, data, l->end - l->at);
	return data != NULL;
}

/* Lists the parts of all members of this host, merged. */
static bool remote_list_merged(struct io_collective *c, struct remote_link *l, int a)
{
	char *data;

	if (!io_hosts_runs(c, a, remote_add, l))
		return false;
	l->header.bytes = l->header.combs * (int64_t)sizeof(struct remote_comb);
	if (c->j->direction == IO_READ)
		return true;
	data = remote_room(l);
	if (data != NULL)
		remote_image_move(l, io_hosts_image(c, a), data, true);
	return data != NULL;
}

/* Is this the list of an aggregator for itself?  Then no message is needed, which could find no
 * memory: the aggregator would wait for itself. */
static bool remote_is_own(const struct io_collective *c, int a)
{
	return a == c->mine_aggregator;
}

static void remote_send_header(struct io_collective *c, struct remote_link *l, int a)
{
	const struct io_hosts *t = c->f->hosts;
	bool ok = t->merges[t->mine] ? remote_list_merged(c, l, a) : remote_list_own(c, l, a);

	if (!ok) {
		io_job_fail(c->j, haft_err(MPI_ERR_NO_MEM, "no memory for a list of runs"));
		l->header = (struct remote_header){0};
		l->end = t->merges[t->mine] ? l->end : l->at;
		io_stage_lacks(t->merges[t->mine] ? &c->unwritten : &c->unsent,
			remote_cb_block(c, a).first);
	}
	if (remote_is_own(c, a))
		c->remote->in[c->f->rank].header = l->header;
	else
		io_message_send(c, &l->header, sizeof(l->header), io_stage_rank(c, a));
}

static void remote_send_body(struct io_collective *c, struct remote_link *l, int a)
{
	if (remote_is_own(c, a)) {
		c->remote->in[c->f->rank].body = l->body;
	} else if (l->header.bytes > 0)
		io_message_send(c, l->body, l->header.bytes, io_stage_rank(c, a));
}

/* --- an aggregator: arrivals ---------------------------------------------------------------- */

static void remote_receive_header(struct io_collective *c, struct remote_link *l, int r)
{
	if (r != c->f->rank)
		io_message_receive(c, &l->header, sizeof(l->header), r);
}

/* A block of this aggregator has failed: byte `at' of the file is not written.  That of the round
 * before may still be written. */
static void remote_fail(struct io_collective *c, int64_t round, int64_t at, int err)
{
	io_job_fail(c->j, err);
	io_stage_lacks(&c->unwritten, at);
	if (c->failed == 0 || round < c->failed - 1)
		c->failed = (int)round + 1;
}

/* Likewise, the whole block of this round. */
static void remote_fail_round(struct io_collective *c, int err)
{
	remote_fail(c, c->round, remote_cb_block(c, c->mine_aggregator).first, err);
}

static void remote_receive_body(struct io_collective *c, struct remote_link *l, int r)
{
	if (l->header.bytes <= 0 || r == c->f->rank)
		return;
	if (!remote_body(l, l->header.bytes)) /* the message is received and dropped */
		remote_fail_round(c, haft_err(MPI_ERR_NO_MEM, "no memory for %lld bytes of rank %d",
					     (long long)l->header.bytes, r));
	io_message_receive(c, l->body, l->body == NULL ? 0 : l->header.bytes, r);
}

/* Is the list of a member valid?  All that is used of it is checked here. */
static bool remote_is_sound(const struct io_collective *c, const struct remote_link *l)
{
	const struct remote_header *h = &l->header;
	int64_t list, data = 0;

	if (h->combs < 0 || h->data < 0 ||
		h->combs > h->bytes / (int64_t)sizeof(struct remote_comb))
		return false;
	list = h->combs * (int64_t)sizeof(struct remote_comb);
	if (h->bytes != list + (c->j->direction == IO_WRITE ? h->data : 0))
		return false;
	for (int64_t i = 0; i < h->combs; i++) {
		const struct remote_comb *b = &remote_combs(l)[i];

		if (b->n < 1 || b->len < 1 || b->off < 0 || b->stride < 0 ||
			b->stride > c->cb_block || b->off > c->cb_block ||
			b->off + (b->n - 1) * b->stride + b->len > c->cb_block)
			return false;
		data += (int64_t)b->n * b->len;
	}
	return data == h->data;
}

/* All lists of a round together. */
struct remote_all {
	int64_t first, end; /* in the block */
	int64_t runs;
	struct io_cover cover;
};

static struct remote_all remote_sum(struct io_collective *c)
{
	struct remote_all all = {.first = c->cb_block};

	for (int r = 0; r < c->f->size; r++) {
		struct remote_link *l = &c->remote->in[r];

		if (l->body == NULL)
			continue;
		if (!remote_is_sound(c, l)) {
			remote_fail_round(c, haft_err(MPI_ERR_OTHER,
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

/* The half of the stage that this round uses. */
static char *remote_half(const struct io_collective *c)
{
	return c->g->local + (c->round & 1) * (c->g->local_room / 2);
}

static void remote_put(struct io_collective *c, int64_t off, char *data, int64_t len)
{
	memcpy(remote_half(c) + off, data, (size_t)len);
}

static void remote_get(struct io_collective *c, int64_t off, char *data, int64_t len)
{
	memcpy(data, remote_half(c) + off, (size_t)len);
}

static void remote_write_run(struct io_collective *c, int64_t off, char *data, int64_t len)
{
	int64_t at = remote_cb_block(c, c->mine_aggregator).at + off, moved = 0;
	int err;

	if (c->failed != 0) { /* runs do not come in the order of the file */
		io_stage_lacks(&c->unwritten, at);
		return;
	}
	err = io_disk_write(c->f, data, len, at, &moved);
	if (err != 0)
		remote_fail(c, c->round, at + moved, err);
}

/* Takes the sieve lock: other opens write nothing into the holes of a block meanwhile. */
static bool remote_sieve_lock(const struct io_collective *c)
{
	bool had = haft_user_begin(), in = io_sieve_lock_take(c->f);

	haft_user_end(had);
	return in;
}

/* Writes a block with holes.  Under the sieve lock it waits for the disk only. */
static void remote_write_holes(struct io_collective *c, const struct remote_all *all)
{
	int64_t at = remote_cb_block(c, c->mine_aggregator).at + all->first;
	int64_t n = all->end - all->first, moved = 0;
	char *data = remote_half(c) + all->first;
	int err;

	if (c->in_place || all->cover.bytes / all->runs >= LONG_RUN || !remote_sieve_lock(c)) {
		remote_all_runs(c, remote_write_run);
		return;
	}
	err = io_disk_read(c->f, data, n, at, &moved);
	memset(data + moved, 0, (size_t)(n - moved));
	if (err != 0) {
		remote_fail_round(c, err);
	} else {
		remote_all_runs(c, remote_put);
		moved = 0;
		err = io_disk_write(c->f, data, n, at, &moved);
		if (err != 0)
			remote_fail(c, c->round, at + moved, err);
	}
	io_sieve_lock_drop(c->f);
}

/* Fills a half with a block; `filled' says which bytes are to be written. */
static void remote_fill(struct io_collective *c)
{
	struct io_remote *m = c->remote;
	struct remote_all all = remote_sum(c);

	m->filled.n = 0;
	if (c->failed != 0 || all.runs == 0)
		return;
	c->f->dirty = true;
	if (!io_cover_is_full(&all.cover, all.first, all.end)) {
		remote_write_holes(c, &all);
		return;
	}
	remote_all_runs(c, remote_put);
	m->filled.data = remote_half(c) + all.first;
	m->filled.n = all.end - all.first;
	m->filled.at = remote_cb_block(c, c->mine_aggregator).at + all.first;
}

/* In a worker, or here. */
static void remote_store_run(struct io_work *work)
{
	struct remote_store *s = (struct remote_store *)work;

	s->put = 0;
	s->err = io_disk_write(s->c->f, s->data, s->n, s->at, &s->put);
	if (s->err != 0)
		snprintf(s->words, sizeof(s->words), "%s", haft_err_text(s->err));
}

static void remote_store_over(struct io_work *work)
{
	struct remote_store *s = (struct remote_store *)work;

	s->c->writing = false;
	if (s->err != 0)
		remote_fail(s->c, s->round, s->at + s->put, haft_err(s->err, "%s", s->words));
}

/* Writes the block that was filled.  The write before is done. */
static void remote_store(struct io_collective *c)
{
	const struct io_remote *m = c->remote;
	struct remote_store *s = &c->remote->store;

	if (m->filled.n == 0 || c->failed != 0)
		return;
	s->c = c;
	s->data = m->filled.data;
	s->n = m->filled.n;
	s->at = m->filled.at;
	s->round = c->round;
	s->work.run = remote_store_run;
	s->work.over = remote_store_over;
	if (s->n >= WORKER_LEAST && c->round + 1 < c->rounds) {
		c->writing = true;
		io_work_start(NULL, &s->work);
		return;
	}
	remote_store_run(&s->work);
	remote_store_over(&s->work);
}

/* Reads the block; *end: the byte of the file where its data ends. */
static void remote_read(struct io_collective *c)
{
	struct io_cb_block w = remote_cb_block(c, c->mine_aggregator);
	struct remote_all all = remote_sum(c);
	int64_t moved = 0, n = all.end - all.first;
	char *at = remote_half(c) + all.first;
	int err;

	c->read_end = w.first;
	if (c->failed != 0 || all.runs == 0)
		return;
	err = io_disk_read(c->f, at, n, w.at + all.first, &moved);
	memset(at + moved, 0, (size_t)(n - moved));
	c->read_end = moved == n ? w.end : w.at + all.first + moved;
	if (err != 0)
		remote_fail_round(c, err);
}

/* Makes the reply to a member, and returns its bytes. */
static int64_t remote_make_reply(struct io_collective *c, struct remote_link *l)
{
	int64_t room = (int64_t)sizeof(struct remote_reply);

	if (l->body != NULL)
		l->reply = remote_grow(&l->replies, &l->replies_room, room + l->header.data);
	if (l->reply == NULL) {
		l->none.end = 0;
		if (l->body != NULL)
			remote_fail_round(c, haft_err(MPI_ERR_NO_MEM, "no memory for %lld bytes",
						     (long long)l->header.data));
		return room;
	}
	((struct remote_reply *)(void *)l->reply)->end = c->read_end;
	remote_each_run(c, l, l->reply + room, remote_get);
	return room + l->header.data;
}

static void remote_send_reply(struct io_collective *c, struct remote_link *l, int r)
{
	int64_t bytes = remote_make_reply(c, l);

	if (r == c->f->rank)
		c->remote->out[c->mine_aggregator].reply = l->reply;
	else
		io_message_send(c, l->reply != NULL ? l->reply : (char *)&l->none, bytes, r);
}

/* --- a member: the reply -------------------------------------------------------------------- */

static void remote_receive_reply(struct io_collective *c, struct remote_link *l, int a)
{
	int64_t room = (int64_t)sizeof(struct remote_reply);

	if (remote_is_own(c, a))
		return;
	l->reply = remote_grow(&l->replies, &l->replies_room, room + l->header.data);
	if (l->reply == NULL)
		io_job_fail(c->j, haft_err(MPI_ERR_NO_MEM, "no memory for %lld bytes",
					  (long long)l->header.data));
	io_message_receive(
		c, l->reply, l->reply == NULL ? 0 : room + l->header.data, io_stage_rank(c, a));
}

/* Takes the bytes that the file has, up to byte `end', from the first on.  data: of this member
 * alone; NULL: they are in the image. */
static void remote_take_until(
	struct io_collective *c, struct remote_link *l, int a, int64_t end, const char *data)
{
	struct io_cb_block got = remote_cb_block(c, a);
	int64_t at, have;

	if (l->at >= l->end || c->over || c->j->err != 0)
		return;
	got.end = end < got.end ? end : got.end;
	io_stage_part(c, &got, &at, &have);
	have = have < l->at ? l->at : have;
	if (data == NULL)
		io_hosts_take(c, a, l->at, have);
	else
		type_unpack(
			c->j->type, c->j->buf, c->j->count, l->at - c->j->at, data, have - l->at);
	c->j->moved += have - l->at;
	c->over = have < l->end;
}

/* A carrier puts the data into the image; a member without one takes it. */
static void remote_take_reply(struct io_collective *c, struct remote_link *l, int a)
{
	const struct io_hosts *t = c->f->hosts;
	char *data = l->reply == NULL ? NULL : l->reply + sizeof(struct remote_reply);

	l->given.end = 0;
	if (data == NULL)
		return;
	l->given.end = ((struct remote_reply *)(void *)l->reply)->end;
	if (t->merges[t->mine])
		remote_image_move(l, io_hosts_image(c, a), data, false);
	else
		remote_take_until(c, l, a, l->given.end, data);
}

static void remote_give(struct io_collective *c, struct remote_link *l, int r)
{
	io_message_send(c, &l->given, sizeof(l->given), r);
}

static void remote_receive_given(struct io_collective *c, struct remote_link *l, int a)
{
	if (remote_carrier(c, a) != c->f->rank)
		io_message_receive(c, &l->given, sizeof(l->given), remote_carrier(c, a));
}

static void remote_take_given(struct io_collective *c, struct remote_link *l, int a)
{
	remote_take_until(c, l, a, l->given.end, NULL);
}

/* --- the rounds ----------------------------------------------------------------------------- */

static void remote_next(struct io_collective *c)
{
	remote_clear(c);
	c->round++;
	c->part = REMOTE_PACK;
}

/* The parts before the disk: lists and data come to the aggregators. */
static void remote_exchange(struct io_collective *c)
{
	switch ((enum remote_part)c->part) {
	case REMOTE_PACK:
		remote_each_packed(c, remote_pack);
		remote_each_carried(c, remote_receive_packed);
		c->part = REMOTE_HEADERS;
		return;
	case REMOTE_HEADERS:
		remote_each_out(c, remote_send_header);
		remote_each_in(c, remote_receive_header);
		if (c->j->direction == IO_WRITE) { /* in this order on either end */
			remote_each_carried(c, remote_send_taken);
			remote_each_packed(c, remote_receive_taken);
		}
		c->part = REMOTE_BODIES;
		return;
	default:
		remote_each_out(c, remote_send_body);
		remote_each_in(c, remote_receive_body);
		c->part = REMOTE_DISK;
		return;
	}
}

/* The parts after a read: the bytes go to the members. */
static void remote_return(struct io_collective *c)
{
	switch ((enum remote_part)c->part) {
	case REMOTE_REPLIES:
		remote_each_out(c, remote_receive_reply);
		remote_each_in(c, remote_send_reply);
		c->part = REMOTE_GIVE;
		return;
	case REMOTE_GIVE:
		remote_each_out(c, remote_take_reply);
		remote_each_carried(c, remote_give);
		remote_each_packed(c, remote_receive_given);
		c->part = REMOTE_TAKE;
		return;
	default:
		remote_each_packed(c, remote_take_given);
		remote_next(c);
		return;
	}
}

/* One part of a round: all messages of the part before are done.  False: the disk must be. */
static bool remote_part(struct io_collective *c)
{
	bool aggregates = c->mine_aggregator >= 0;

	if (c->part < REMOTE_DISK) {
		remote_exchange(c);
	} else if (c->part > REMOTE_STORE) {
		remote_return(c);
	} else if (c->j->direction == IO_READ) {
		if (aggregates)
			remote_read(c);
		c->part = REMOTE_REPLIES;
	} else if (c->part == REMOTE_DISK) {
		if (aggregates)
			remote_fill(c);
		c->part = REMOTE_STORE;
	} else {
		if (c->writing)
			return false;
		if (aggregates)
			remote_store(c);
		remote_next(c);
	}
	return true;
}

bool io_stage_remote_step(struct io_collective *c)
{
	while (c->round < c->rounds) {
		if (!io_messages_done(c, NULL))
			return false;
		c->stops_at_disk = !remote_part(c);
		if (c->stops_at_disk)
			return false;
	}
	c->stops_at_disk = c->writing;
	return !c->writing && io_messages_done(c, NULL);
}
