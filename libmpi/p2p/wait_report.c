// SPDX-License-Identifier: BSD-3-Clause
/* wait_report.c - the record of a sleeping rank's wait.
 *
 *      p2p_progress_until ──> libshm sleeps ──> the sleep gets long: p2p_wait_report_req
 *                                                                      │
 *                             mpiexec reads it  <── the rank's page  <─'
 *
 * Only a rank that has slept for SHM_DESCRIBE_MS comes here: it may take its time. */
#include "libmpi/p2p/wait_report.h"

#include "libmpi/boot/waitrec.h"
#include "libmpi/core/stack_page.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/partitioned.h"
#include "libmpi/p2p/request.h"
#include "libmpi/via/alias.h"
#include <stdio.h>
#include <string.h>

static_assert(BOOT_WAIT_CALL == STACK_CALL, "both are the name of a function");

struct report_count {
	struct boot_wait *what;
	const struct comm *comm; /* may be NULL */
};

/* Counts a user's message.  If the first is of the communicator of the wait, it is named. */
static void report_unexpected(void *arg, const struct unexpected *u)
{
	const struct report_count *e = arg;
	struct boot_wait *w = e->what;

	if (u->ctx % CTX_PLANES != CTX_P2P || w->unexpected++ > 0 || e->comm == NULL ||
		u->ctx != e->comm->ctx)
		return;
	w->unexpected_rank = group_rank_of(comm_peers(e->comm), u->peer);
	w->unexpected_tag = u->tag;
}

/* The communicator's name, or for one without a name its context id and sizes. */
static void report_comm(const struct comm *c, struct boot_wait *what)
{
	char name[MPI_MAX_OBJECT_NAME];

	what->comm = c->ctx;
	what->world = obj_handle(c) == (obj_h)MPI_COMM_WORLD;
	if (haft_comm_words(c, "", name)[0] != '\0')
		snprintf(what->name, sizeof(what->name), "%.*s", (int)sizeof(what->name) - 1, name);
	else if (c->remote != NULL)
		snprintf(what->name, sizeof(what->name), "communicator %llx (sizes %d, %d)",
			(unsigned long long)c->ctx, c->group->size, c->remote->size);
	else
		snprintf(what->name, sizeof(what->name), "communicator %llx (size %d)",
			(unsigned long long)c->ctx, c->group->size);
}

/* awaited: as in p2p_hooks.long_wait. */
static void report_common(const struct comm *c, const struct req *awaited, struct boot_wait *what)
{
	struct report_count e = {what, c};

	if (what->brief)
		return;
	if (p2p_hooks.long_wait != NULL)
		p2p_hooks.long_wait(awaited);
	what->threads = haft_threads_enabled();
	what->stack = haft_stack_keep(via_extra(), what->call);
	if (c != NULL)
		report_comm(c, what);
	what->unexpected_rank = -1;
	p2p_match_each(report_unexpected, &e);
}

void p2p_wait_report(int kind, const struct comm *c, struct boot_wait *what)
{
	what->kind = kind;
	what->peer = what->rank = what->tag = -1;
	what->bytes = -1;
	what->open = 1;
	report_common(c, NULL, what);
}

/* The partitions that are not ready, or have not come, of `bytes' partitions. */
static void report_part(const struct req *r, struct boot_wait *w)
{
	const struct part_op *p = r->part;

	w->bytes = p->n;
	for (int i = 0; i < p->n; i++) {
		if (p->sends ? p->marks[i].next != PART_UNMARKED : part_has_arrived(p, i))
			continue;
		if (w->nlate < BOOT_WAIT_LATE)
			w->late[w->nlate] = i;
		w->nlate++;
	}
}

/* The kind of wait that is reported for a request of this kind. */
static const uint8_t wait_kind[] = {
	[REQ_SEND] = BOOT_WAIT_SEND,
	[REQ_RECV] = BOOT_WAIT_RECV,
	[REQ_COLL] = BOOT_WAIT_COLL,
	[REQ_USER] = BOOT_WAIT_USER,
	[REQ_PSEND] = BOOT_WAIT_PSEND,
	[REQ_PRECV] = BOOT_WAIT_PRECV,
	[REQ_IO] = BOOT_WAIT_DISK,
};

/* Adds a process to those that can end the wait.  Without a free row the last one gets wider. */
static void report_able(struct boot_wait *what, int number)
{
	struct boot_numbers *row = what->enders, *last = row + BOOT_WAIT_ENDERS - 1;

	while (row != last && row->n > 0 &&
		(number < row->first - 1 || number > row->first + row->n))
		row++;
	if (row->n == 0) {
		*row = (struct boot_numbers){number, 1};
	} else if (number < row->first) {
		row->n += row->first - number;
		row->first = number;
	} else if (number >= row->first + row->n) {
		row->n = number - row->first + 1;
	}
}

/* Adds the processes that can complete r.  False: they are not known. */
static bool report_partners(const struct req *r, struct boot_wait *what)
{
	const struct group *g = r->comm != NULL ? comm_peers(r->comm) : NULL;

	if ((r->kind != REQ_SEND && r->kind != REQ_RECV) || r->ctx % CTX_PLANES != CTX_P2P)
		return false;
	if (r->peer >= 0) {
		report_able(what, r->peer);
		return !via_is_alias(r->peer);
	}
	for (int i = 0; g != NULL && i < g->size; i++) {
		if (via_is_alias(group_peer(g, i)))
			return false;
		report_able(what, group_peer(g, i));
	}
	return g != NULL;
}

/* All open requests are to be complete: the peers of some beside the first. */
static void report_also(const struct p2p_about *about, struct boot_wait *what)
{
	for (int i = 0; i < about->n && what->also < BOOT_WAIT_LATE - 1; i++) {
		const struct req *r = about->reqs[i];
		int k = 0;

		if (p2p_req_idle(r) || r->done || r == about->req || r->peer < 0 ||
			(r->kind != REQ_SEND && r->kind != REQ_RECV) ||
			r->ctx % CTX_PLANES != CTX_P2P || r->peer == what->peer)
			continue;
		while (k < what->also && what->late[k] != r->peer)
			k++;
		what->late[k] = r->peer;
		what->also = (uint8_t)((k == what->also ? k + 1 : what->also) & 7);
	}
}

/* The processes that can end the call: of each open request if one of them is enough. */
static void report_able_all(const struct p2p_about *about, struct boot_wait *what)
{
	bool known = true;

	if (!about->any && about->n > 1 && about->req->peer >= 0) {
		report_also(about, what);
		return;
	}
	if (!about->any)
		known = report_partners(about->req, what);
	for (int i = 0; about->any && i < about->n && known; i++)
		if (!p2p_req_idle(about->reqs[i]) && !about->reqs[i]->done)
			known = report_partners(about->reqs[i], what);
	what->able = known;
	if (!known)
		memset(what->late, 0, sizeof(what->late));
}

/* The message that r waits for, and its peer. */
static void report_message(const struct req *r, struct boot_wait *what)
{
	what->kind = wait_kind[r->kind];
	what->peer = what->rank = r->peer;
	if (r->kind == REQ_RECV && r->done && r->peer < 0)
		what->peer = what->rank = r->recv.from; /* of any source, and here it is */
	what->tag = r->tag;
	what->bytes = r->kind == REQ_SEND ? r->bytes : -1;
	if (r->kind == REQ_SEND && r->state == STATE_CANCELLING)
		what->kind = BOOT_WAIT_BACK;
	if (r->comm != NULL && r->peer >= 0)
		what->rank = group_rank_of(comm_peers(r->comm), r->peer);
	if (what->rank < 0)
		what->rank = r->peer;
}

/* The tag that says which collective call r is a part of.  Messages of constructors have none: it
 * is the call of their communicator that has begun last. */
static int report_call_tag(const struct req *r)
{
	uint64_t plane = r->ctx % CTX_PLANES;

	if (plane == CTX_MAKE && r->comm != NULL)
		return (int)((r->comm->coll_seq - 1) & (BOOT_WAIT_CALLS - 1 - BOOT_WAIT_WHICH));
	return plane == CTX_COLL ? r->tag : -1;
}

/* A collective operation, and the member whose message is missing. */
static void report_coll(const struct req *r, struct boot_wait *what)
{
	int peer = r->peer;

	what->kind = BOOT_WAIT_COLL;
	what->tag = report_call_tag(r);
	if (r->ops != NULL && r->ops->needs != NULL)
		peer = r->ops->needs(r);
	if (peer < 0)
		return;
	what->nlate = 1;
	what->late[0] = peer;
}

static void report_request(const struct req *r, struct boot_wait *what)
{
	report_message(r, what);
	if (r->kind == REQ_PSEND || r->kind == REQ_PRECV) {
		what->unmatched = !r->part->matched;
		report_part(r, what);
		return;
	}
	if (r->kind == REQ_IO && r->ops->needs == NULL)
		return; /* no other rank can help the disk */
	if (r->ctx % CTX_PLANES != CTX_P2P)
		report_coll(r, what);
}

/* True if only processes of this universe can complete r. */
static bool report_closed(const struct req *r)
{
	return r->kind != REQ_USER && r->kind != REQ_IO && !via_alias_any();
}

void p2p_wait_report_req(const struct shm_describer *t, void *description)
{
	const struct p2p_about *about = (const struct p2p_about *)t;
	struct boot_wait *what = description;
	const struct req *r = about->req;

	what->bytes = -1;
	what->peer = what->rank = what->tag = -1;
	what->closed = r != NULL && report_closed(r);
	for (int i = 0; i < about->n; i++) {
		if (p2p_req_idle(about->reqs[i]) || about->reqs[i]->done)
			continue;
		what->open++;
		what->closed = what->closed && report_closed(about->reqs[i]);
	}
	if (about->n == 0)
		what->open = r != NULL;
	what->one = about->any;
	if (r != NULL) {
		report_request(r, what);
		if (what->nlate == 0 && !what->brief)
			report_able_all(about, what);
	}
	report_common(r != NULL ? r->comm : NULL,
		r != NULL && r->kind == REQ_RECV && r->state == STATE_POSTED && !r->done ? r : NULL,
		what);
}
