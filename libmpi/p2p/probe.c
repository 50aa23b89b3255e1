// SPDX-License-Identifier: BSD-3-Clause
/* probe.c - looking at messages before they are received (MPI-5.0 3.8).
 *
 * MPI_Probe leaves the message in the unexpected queue.  MPI_Mprobe takes it out and makes a
 * message object of it: no other receive can take the message away. */
#include "libmpi/p2p/probe.h"

#include "libmpi/core/err.h"
#include "libmpi/core/msg_object.h"
#include "libmpi/core/status.h"
#include "libmpi/p2p/fail.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/progress.h"
#include "libmpi/p2p/recv.h"
#include "libmpi/p2p/request.h"
#include <engine.h>
#include <stdlib.h>

struct probe {
	uint64_t ctx;
	int peer, tag;
	const struct comm *comm;
	uint32_t broken;      /* peers lost when it began */
	struct unexpected *u; /* the message; NULL: there is none yet */
	int err;              /* there is none, and none can come */
};

/* As a posted receive: one from any source fails once when a member is lost. */
static int probe_lost(const struct probe *p)
{
	int peer = p->peer;

	if (peer == MPI_ANY_SOURCE && p->broken != p2p_state.broken &&
		p2p_peer_in_comm(p2p_state.last_lost, p->comm))
		peer = p2p_state.last_lost;
	return p2p_peer_check(peer, p->comm);
}

static bool probe_found(void *arg)
{
	struct probe *p = arg;

	p->u = p2p_match_find(p->ctx, p->peer, p->tag);
	p->err = p->u == NULL ? probe_lost(p) : 0;
	return p->u != NULL || p->err != 0;
}

/* A call that does not wait may say that nothing is there, of a source that left in good order. */
static int probe_lost_only(const struct probe *p)
{
	if (p->err != 0 && p->peer >= 0 && p2p_peer_seen(via_peer(p->peer))->lost == PEER_LEFT)
		return 0;
	return p->err;
}

static void probe_status(const struct probe *p, struct comm *c, MPI_Status *status)
{
	haft_status_set(
		status, group_rank_of(comm_peers(c), p->u->peer), p->u->tag, p->u->total, 0);
}

static struct probe probe_of(int source, int tag, const struct comm *c)
{
	return (struct probe){
		.ctx = c->ctx,
		.peer = source == MPI_ANY_SOURCE ? source : group_peer(comm_peers(c), source),
		.tag = tag,
		.comm = c,
		.broken = p2p_state.broken,
	};
}

int p2p_probe(int source, int tag, struct comm *c, MPI_Status *status)
{
	struct probe p;
	struct req show;

	if (source == MPI_PROC_NULL) {
		haft_status_nobody(status);
		return 0;
	}
	p = probe_of(source, tag, c);
	show = (struct req){.ctx = p.ctx, .peer = p.peer, .tag = tag, .kind = REQ_RECV, .comm = c};
	p2p_wait_until(probe_found, &p, (struct p2p_about){.req = &show});
	if (p.err != 0)
		return p.err;
	probe_status(&p, c, status);
	return 0;
}

int p2p_iprobe(int source, int tag, struct comm *c, int *flag, MPI_Status *status)
{
	struct probe p;

	*flag = 1;
	if (source == MPI_PROC_NULL) {
		haft_status_nobody(status);
		return 0;
	}
	p = probe_of(source, tag, c);
	if (!probe_found(&p)) {
		p2p_progress_poll();
		probe_found(&p);
	}
	*flag = p.u != NULL;
	if (p.u != NULL)
		probe_status(&p, c, status);
	return probe_lost_only(&p);
}

/* --- matched probes ------------------------------------------------------------------------- */

/* MPI_MESSAGE_NO_PROC, of a matched probe of MPI_PROC_NULL. */
static struct msg no_proc;

HAFT_START int p2p_probe_open(void)
{
	int err = obj_permanent(&haft_msg_class, (uint32_t)(uintptr_t)MPI_MESSAGE_NO_PROC, &no_proc,
		"MPI_MESSAGE_NO_PROC", 0);

	return err == OBJ_OK ? 0 : haft_err(MPI_ERR_NO_MEM, "%s", obj_error_text(err));
}

/* Takes the probed message out of its queue into a new message object. */
static int probe_take(struct probe *p, struct comm *c, struct msg **message, MPI_Status *status)
{
	struct msg *m = obj_new(&haft_msg_class, NULL);

	if (m == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a message object");
	probe_status(p, c, status);
	p2p_match_probe_take(p->u);
	obj_hold(c);
	m->unexpected = p->u;
	m->comm = c;
	*message = m;
	return 0;
}

static int probe_proc_null(struct msg **message, MPI_Status *status)
{
	*message = &no_proc;
	haft_status_nobody(status);
	return 0;
}

int p2p_mprobe(int source, int tag, struct comm *c, struct msg **message, MPI_Status *status)
{
	struct probe p;
	struct req show;

	if (source == MPI_PROC_NULL)
		return probe_proc_null(message, status);
	p = probe_of(source, tag, c);
	show = (struct req){.ctx = p.ctx, .peer = p.peer, .tag = tag, .kind = REQ_RECV, .comm = c};
	p2p_wait_until(probe_found, &p, (struct p2p_about){.req = &show});
	return p.err != 0 ? p.err : probe_take(&p, c, message, status);
}

int p2p_improbe(
	int source, int tag, struct comm *c, int *flag, struct msg **message, MPI_Status *status)
{
	struct probe p;

	*flag = 1;
	if (source == MPI_PROC_NULL)
		return probe_proc_null(message, status);
	p = probe_of(source, tag, c);
	if (!probe_found(&p)) {
		p2p_progress_poll();
		probe_found(&p);
	}
	*flag = p.u != NULL;
	return p.u != NULL ? probe_take(&p, c, message, status) : probe_lost_only(&p);
}

/* Starts r with the message of *message, and frees that. */
static int probe_mrecv_start(
	struct req *r, void *buf, int64_t count, struct type *type, struct msg **message)
{
	struct msg *m = *message;
	struct unexpected *u = m->unexpected;
	struct p2p_message in = {buf, count, type, u->peer, u->tag};
	int err = p2p_req_fill(r, REQ_RECV, &in, m->comm, u->ctx);

	if (err != 0)
		return err;
	*message = NULL;
	p2p_match_probe_release(u);
	p2p_recv_unexpected(r, u);
	obj_drop(m->comm);
	obj_free_obj(m);
	return 0;
}

int p2p_mrecv(void *buf, int64_t count, struct type *type, struct msg **message, MPI_Status *status)
{
	struct req r = {.state = STATE_NEW};
	struct comm *c = (*message)->comm;
	int err;

	if (*message == &no_proc) {
		*message = NULL;
		haft_status_nobody(status);
		return 0;
	}
	obj_hold(c); /* until the words of an error have its name */
	err = probe_mrecv_start(&r, buf, count, type, message);
	if (err == 0) {
		if (!r.done)
			p2p_wait_done(&r);
		err = p2p_req_report(&r, status);
	}
	obj_drop(c);
	return err;
}

int p2p_imrecv(
	void *buf, int64_t count, struct type *type, struct msg **message, struct req **request)
{
	struct req *r;
	int err;

	if (*message == &no_proc) {
		r = p2p_req_new_message(type, &haft_world);
		if (r == NULL)
			return p2p_req_no_memory();
		p2p_req_proc_null(r);
		*message = NULL;
		*request = r;
		return 0;
	}
	r = p2p_req_new_message(type, (*message)->comm);
	if (r == NULL)
		return p2p_req_no_memory();
	err = probe_mrecv_start(r, buf, count, type, message);
	if (err != 0) {
		p2p_req_free(r);
		return err;
	}
	*request = r;
	return 0;
}

/* --- what no receive has matched ------------------------------------------------------------ */

struct unreceived_visit {
	void (*fn)(void *arg, const struct p2p_unreceived *m);
	void *arg;
};

static void probe_unreceived_one(void *arg, const struct unexpected *u)
{
	const struct unreceived_visit *l = arg;
	struct p2p_unreceived m = {
		.ctx = u->ctx, .peer = u->peer, .tag = u->tag, .bytes = u->total};

	if (u->ctx % CTX_PLANES == CTX_P2P)
		l->fn(l->arg, &m);
}

void p2p_unreceived(void (*fn)(void *arg, const struct p2p_unreceived *m), void *arg)
{
	struct unreceived_visit l = {fn, arg};

	p2p_match_each(probe_unreceived_one, &l);
}
