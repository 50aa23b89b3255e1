// SPDX-License-Identifier: BSD-3-Clause
/* win.c - making and freeing windows (MPI-5.0 12.2).
 *
 *   every member   own memory ──┐
 *                  control block┴─> struct win_offer ── allgather on the user's comm ──> target[]
 *                  rank 0 adds the context ids of the window's own communicator
 *
 *   allocate_shared, contiguous:     sizes first, then rank 0 allocates memory for all members
 *
 *        rank 0      rank 1  rank 2
 *      |───────────|───────|─────────────|        each part begins where the one before it ends
 *
 * A member that cannot take part says so in its offer, and all members fail.  The exchange of
 * offers is the only communication: a member that has all offers has the window.
 *
 * MPI_Win_free runs the attributes' delete callbacks, and waits until all members have done so
 * without an error.  Only then does it free the user's handle and the memory. */
#include "libmpi/rma/win.h"

#include "libmpi/comm/attributes.h"
#include "libmpi/comm/context_id.h"
#include "libmpi/comm/groups.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/core/err.h"
#include "libmpi/core/event.h"
#include "libmpi/core/attr_name.h"
#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/setting.h"
#include "libmpi/rma/mailbox.h"
#include "libmpi/type/type.h"
#include "libmpi/via/shared_mem.h"
#include <engine.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The description of a member's part, sent to the others. */
struct win_offer {
	uint64_t ctx, end; /* rank 0: context ids for the window's communicator */
	int64_t bytes, unit;
	uint64_t at;  /* shared: offset in the segment; else an address */
	uint64_t ctl; /* offset of the control block */
	uint64_t seg; /* address at which it has mapped the segment */
	int32_t err;  /* not 0: it cannot take part */
	bool shared;
	bool noncontig;
	uint8_t maker; /* enum coll_maker: the call that it makes */
	uint8_t pad[1];
};
static_assert(sizeof(struct win_offer) == CACHE_LINE, "an offer is a line");

/* A window that is being made. */
struct win_making {
	int flavor;
	void *base;
	int64_t bytes, unit;
	struct info *info;
	struct comm *comm;
	struct win *w;
	struct win_offer mine, *all;
	char words[HAFT_ERR_TEXT_MAX]; /* the words of mine.err */
};

/* --- the end -------------------------------------------------------------------------------- */

/* Frees everything that this member has taken for the window.  Other members no longer access
 * it. */
static void win_release(struct win *w)
{
	struct rma *r = w->rma;

	if (r == NULL)
		return;
	if (r->epoch != NULL)
		rma_epoch_free(w);
	if (w->comm != NULL) {
		rma_registry_remove(w);
		w->comm->win = NULL;
		obj_drop(w->comm);
	}
	if (r->ctl != NULL && !r->broken) { /* else a member may not know yet, and store there */
		rma_attach_free(w);
		via_mem_free(r->ctl);
	}
	if (r->has_mailbox)
		rma_mailbox_drop();
	if (r->memory != NULL && !r->broken)
		via_mem_free(r->memory);
	rma_hints_free(r->hints);
	free(w->target);
	free(r);
	w->rma = NULL;
	w->comm = NULL;
	w->target = NULL;
}

static int win_fix_attributes(struct win *w)
{
	const struct {
		int key;
		void *value;
	} fixed[] = {
		{MPI_WIN_BASE, w->base},
		{MPI_WIN_SIZE, &w->bytes},
		{MPI_WIN_DISP_UNIT, &w->unit},
		{MPI_WIN_CREATE_FLAVOR, &w->flavor},
		{MPI_WIN_MODEL, &w->model},
	};
	int err = 0;

	for (size_t i = 0; i < countof(fixed) && err == 0; i++)
		err = comm_attr_win_fix(w, fixed[i].key, fixed[i].value);
	return err;
}

#define FREE_WORD ((int64_t)0x66726565 << 24) /* no value that memory has by chance */

/* MPI_Win_free of all members: runs the delete callbacks.  If one fails on any member the window
 * stays for all. 0, or the error of this member, or MPI_ERR_OTHER that names another member.  A
 * member that is in MPI_Win_fence meanwhile contributes something else than FREE_WORD + its rank:
 * MPI_ERR_RMA_SYNC. */
static int win_delete_attributes(struct win *w)
{
	int failed = haft_attr_delete_all(w);
	const int64_t all = FREE_WORD + w->size, said = failed != 0 ? FREE_WORD + w->rank : all;
	int64_t mine[] = {said, -said}, least[] = {0, 0}; /* the least, and minus the greatest */
	char words[HAFT_ERR_TEXT_MAX];
	int err;

	if (failed != 0)
		snprintf(words, sizeof(words), "%s", haft_err_text(failed));
	err = coll_allreduce(mine, least, countof(mine), type_predefined(MPI_INT64_T),
		coll_op_predefined(MPI_MIN), w->comm);
	if (err == 0 && least[0] == all && least[1] == -all)
		return 0;
	if (w->rma->broken && failed == 0)
		return 0; /* it goes without the others */
	if (err != 0 && failed == 0) {
		failed = err;
		snprintf(words, sizeof(words), "%s", haft_err_text(err));
	}
	win_fix_attributes(w);
	if (failed != 0)
		return haft_err(failed, "%s", words);
	if (least[0] < FREE_WORD || least[1] < -all)
		return haft_err(MPI_ERR_RMA_SYNC,
			"not all processes of %s are in MPI_Win_free: one is in MPI_Win_fence",
			rma_win_words(w, words));
	return haft_err(MPI_ERR_OTHER,
		"an attribute's delete callback has failed at rank %d: %s stays",
		(int)(least[0] - FREE_WORD), rma_win_words(w, words));
}

int rma_win_free(struct win **win)
{
	struct win *w = *win;
	obj_h h = obj_handle(w);
	int err = rma_epoch_end(w), failed;

	if (err != 0)
		return err;
	if (w->rma->freeing)
		return haft_err(MPI_ERR_WIN, "the window is being freed already");
	failed = rma_flush_wait_all(w);
	if (w->rma->broken)
		failed = 0;
	must_valid(rma_win_valid());
	w->rma->freeing = true;
	err = win_delete_attributes(w);
	w->rma->freeing = false;
	if (err != 0)
		return err;
	obj_hold(w);
	err = haft_obj_free(w, MPI_ERR_WIN, "window");
	if (err == 0) {
		*win = NULL;
		haft_event(EVENT_WIN_FREED, h, (int64_t)(intptr_t)h, 0, 0, 0);
		rma_remote_quiesce(w);
		win_release(w);
	}
	obj_drop(w);
	return err != 0 ? err : failed;
}

/* Names the window's communicator after the window, for reports of calls that wait for all
 * members.  That of a window without a name has none: haft_comm_words. */
static int win_name_comm(struct win *w)
{
	char words[RMA_WIN_WORDS];

	if (w->comm == NULL)
		return 0;
	return haft_name_set(w->comm, rma_win_words(w, words));
}

int rma_win_set_name(struct win *w, const char *name)
{
	int err = haft_name_set(w, name);

	return err != 0 ? err : win_name_comm(w);
}

/* --- this member's part --------------------------------------------------------------------- */

/* Notes the first failure of this member.  The others learn of it by its offer. */
static void win_fail(struct win_making *m, int err)
{
	if (err == 0 || m->mine.err != 0)
		return;
	m->mine.err = err;
	snprintf(m->words, sizeof(m->words), "%s", haft_err_text(err));
}

static void win_no_memory(struct win_making *m, const char *what)
{
	win_fail(m, haft_err(MPI_ERR_NO_MEM, "no memory for %s", what));
}

/* Offers memory of this process: by its offset if it lies in the segment, else by its address. */
static void win_offer_memory(struct win_making *m, void *at, int64_t bytes)
{
	uint64_t off = bytes > 0 ? via_mem_off(at, bytes) : 0;

	m->mine.shared = off != 0 && m->w->rma->direct;
	m->mine.at = m->mine.shared ? off : (uint64_t)(uintptr_t)at;
	m->mine.bytes = bytes;
}

static void win_offer_control(struct win_making *m)
{
	int64_t len =
		(int64_t)sizeof(struct rma_ctl) + (int64_t)sizeof(struct rma_pair) * m->comm->size;
	struct rma *r = m->w->rma;
	void *p = NULL;

	win_fail(m, via_mem_new(len, CACHE_LINE, &p));
	if (p == NULL)
		return;
	r->ctl = p;
	memset(p, 0, (size_t)len);
	m->mine.ctl = via_mem_off(p, len);
	m->mine.seg = (uint64_t)(uintptr_t)via.shm->base;
	if (m->mine.ctl == 0 && m->comm->size > 1)
		win_fail(m, haft_err(MPI_ERR_RMA_SHARED,
				    "shared memory for the locks of a window has run out"));
}

static enum coll_maker win_maker(int flavor)
{
	switch (flavor) {
	case MPI_WIN_FLAVOR_CREATE: return COLL_WIN_CREATE;
	case MPI_WIN_FLAVOR_ALLOCATE: return COLL_WIN_ALLOCATE;
	case MPI_WIN_FLAVOR_SHARED: return COLL_WIN_ALLOCATE_SHARED;
	}
	return COLL_WIN_CREATE_DYNAMIC;
}

/* Makes the object and allocates everything that this member needs, before the others are told. */
static int win_begin(struct win_making *m)
{
	struct win *w = obj_new(&haft_win_class, NULL);

	if (w == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a window");
	m->w = w;
	w->flavor = m->flavor;
	w->model = MPI_WIN_UNIFIED;
	w->rank = m->comm->rank;
	w->size = m->comm->size;
	w->rma = calloc(1, sizeof(*w->rma));
	w->target = aligned_alloc(CACHE_LINE, (size_t)w->size * sizeof(*w->target));
	m->all = malloc((size_t)w->size * sizeof(*m->all));
	if (w->rma == NULL || w->target == NULL || m->all == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a window of %d processes", w->size);
	w->rma->win = w;
	w->rma->fence = shm_must_fence(via.shm);
	w->rma->direct = haft_setting_get(SETTING_RMA) == HAFT_RMA_AUTO;
	w->rma->hints = rma_hints_new(m->info);
	if (w->rma->hints == NULL)
		win_no_memory(m, "a window's hints");
	else
		w->no_locks = rma_hints_no_locks(w->rma->hints) &&
			      (haft_setting_get(SETTING_CHECK) & HAFT_CHECK_STRICT) != 0;
	memset(w->target, 0, (size_t)w->size * sizeof(*w->target));
	m->mine.unit = m->unit;
	m->mine.maker = (uint8_t)win_maker(m->flavor);
	if (w->rank == 0) {
		struct comm_ids ids = comm_ctx_mint(CTX_FEW);

		m->mine.ctx = ids.ctx;
		m->mine.end = ids.end;
	}
	win_offer_control(m);
	return 0;
}

/* --- the exchange, and its results ---------------------------------------------------------- */

/* 0 if all members make windows by the same call. */
static int win_calls_differ(const struct win_making *m)
{
	for (int i = 0; i < m->w->size; i++)
		if (m->all[i].maker != m->mine.maker)
			return haft_err(MPI_ERR_OTHER, "rank %d calls %s, rank %d %s", i,
				coll_maker_name(m->all[i].maker), m->w->rank,
				coll_maker_name(m->mine.maker));
	return 0;
}

/* 0 if all members can take part.  Else the error of this member, or one that names another
 * member. */
static int win_refused(const struct win_making *m)
{
	if (m->mine.err != 0)
		return haft_err(m->mine.err, "%s", m->words);
	for (int i = 0; i < m->w->size; i++)
		if (m->all[i].err != 0)
			return haft_err(m->all[i].err, "rank %d cannot take part in the window", i);
	return 0;
}

/* Offers this process's mailbox, if others will access its private memory. */
static void win_offer_mailbox(struct win_making *m)
{
	struct rma *r = m->w->rma;
	bool none = m->mine.bytes == 0 && m->flavor != MPI_WIN_FLAVOR_DYNAMIC;
	bool mapped = m->mine.shared || (r->direct && m->flavor == MPI_WIN_FLAVOR_SHARED);

	if (m->mine.err != 0 || m->comm->size == 1 || none || mapped)
		return;
	r->ctl->mailbox = rma_mailbox_hold();
	r->has_mailbox = r->ctl->mailbox != 0;
}

static int win_exchange(struct win_making *m)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int err;

	win_offer_mailbox(m);
	err = coll_allgather(
		&m->mine, sizeof(m->mine), byte, m->all, sizeof(m->mine), byte, m->comm);

	if (err == 0)
		err = win_calls_differ(m);
	return err != 0 ? err : win_refused(m);
}

/* May this process use process_vm calls on the peer's memory? */
static bool win_vm_allowed(int peer)
{
	return haft_setting_get(SETTING_RMA) != HAFT_RMA_MSG && via_is_local(peer) &&
	       shm_readable(via.shm, via_seat(peer));
}

static void win_reach(struct win *w, int rank, const struct win_offer *o)
{
	struct rma_target *t = &w->target[rank];
	bool local, here;

	t->peer = group_peer(w->comm->group, rank);
	local = via_is_local(t->peer);
	t->bytes = w->flavor == MPI_WIN_FLAVOR_DYNAMIC ? INT64_MAX : o->bytes;
	t->unit = o->unit;
	t->seg = o->seg;
	t->shared = o->shared;
	if (rank == w->rank)
		t->ctl = w->rma->ctl;
	else if (local)
		t->ctl = via_mem_at(o->ctl);
	t->base = o->shared ? via_mem_at(o->at) : (char *)(uintptr_t)o->at;
	here = rank == w->rank || (local && (o->shared || o->bytes == 0));
	if (here && w->flavor != MPI_WIN_FLAVOR_DYNAMIC) {
		t->method = RMA_DIRECT;
		t->map = t->base;
	} else if (win_vm_allowed(t->peer)) {
		struct shm_view view;

		shm_seg_view(via.shm->seg, via_seat(t->peer), &view);
		t->pid = view.pid;
		t->method = RMA_VM;
		if (t->ctl->mailbox != 0)
			t->mailbox = via_mem_at(t->ctl->mailbox);
	} else {
		t->method = RMA_AM;
	}
	if (local && !o->shared &&
		o->at - o->seg < via.mem_len) /* HAFT_RMA forces another method */
		t->map = via_mem_at(o->at - o->seg);
}

/* This member has all offers: makes the window's communicator and targets. */
static int win_finish(struct win_making *m)
{
	struct comm_spec how = {.group = m->comm->group,
		.session = m->comm->session,
		.ids = {m->all[0].ctx, m->all[0].end}};
	struct win *w = m->w;
	int err = comm_make_internal(&how, &w->comm);

	if (err != 0)
		return err;
	w->comm->win = w;
	for (int i = 0; i < w->size; i++)
		win_reach(w, i, &m->all[i]);
	w->bytes = m->all[w->rank].bytes;
	w->unit = m->unit <= INT_MAX ? (int)m->unit : MPI_UNDEFINED;
	err = win_fix_attributes(w);
	if (err == 0)
		err = rma_epoch_new(w, m->info);
	if (err == 0)
		rma_registry_add(w);
	rma_dispatch_unmatched(w);
	return err;
}

/* Ends what win_begin began: *win becomes the window if err is 0; else frees it and returns err. */
static int win_made(struct win_making *m, int err, struct win **win)
{
	if (err == 0)
		err = win_finish(m);
	free(m->all);
	if (err == 0) {
		*win = m->w;
		haft_event(
			EVENT_WIN_CREATED, NULL, haft_event_handle(m->w), m->w->size, m->bytes, 0);
		return 0;
	}
	if (m->w != NULL) {
		char words[HAFT_ERR_TEXT_MAX];

		snprintf(words, sizeof(words), "%s", haft_err_text(err));
		win_release(m->w);
		obj_free_obj(m->w);
		haft_err(err, "%s", words);
	}
	return err;
}

static int win_check_comm(struct comm *c, int flavor)
{
	if (c->remote != NULL)
		return haft_err(MPI_ERR_COMM, "a window needs an intra-communicator");
	return comm_check(c, win_maker(flavor));
}

static int win_make(struct win_making *m, struct win **win)
{
	int err = win_exchange(m);

	m->w->base = m->base;
	return win_made(m, err, win);
}

/* --- the calls ------------------------------------------------------------------------------ */

int rma_win_create(void *base, int64_t size, int64_t unit, struct info *info, struct comm *comm,
	struct win **win)
{
	struct win_making m = {MPI_WIN_FLAVOR_CREATE, base, size, unit, info, comm, .w = NULL};
	int err = win_check_comm(comm, m.flavor);

	if (err == 0)
		err = win_begin(&m);
	if (err != 0)
		return win_made(&m, err, win);
	if (base == NULL && size > 0)
		win_fail(&m, haft_err(MPI_ERR_BASE, "the base of a window of %lld bytes is NULL",
				     (long long)size));
	win_offer_memory(&m, base, size);
	return win_make(&m, win);
}

int rma_win_allocate(int64_t size, int64_t unit, struct info *info, struct comm *comm,
	void *baseptr, struct win **win)
{
	struct win_making m = {MPI_WIN_FLAVOR_ALLOCATE, NULL, size, unit, info, comm, .w = NULL};
	int err = win_check_comm(comm, m.flavor);

	if (err == 0)
		err = win_begin(&m);
	if (err != 0)
		return win_made(&m, err, win);
	win_fail(&m, via_mem_new(size, rma_hints_align(m.w->rma->hints), &m.base));
	m.w->rma->memory = m.base;
	if (m.base != NULL)
		win_offer_memory(&m, m.base, size);
	err = win_make(&m, win);
	if (err == 0)
		*(void **)baseptr = (*win)->base;
	return err;
}

/* Rank 0 allocates memory for all members; *off becomes its offset in the segment. */
static int win_allocate_for_all(struct win_making *m, uint64_t *off)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int64_t all = 0, answer[2] = {0, 0};
	int err = 0;

	for (int i = 0; i < m->w->size && err == 0; i++)
		if (__builtin_add_overflow(all, m->all[i].bytes, &all))
			err = haft_err(MPI_ERR_SIZE, "the sizes of all ranks overflow 64 bits");
	if (err != 0)
		return err; /* on all members: they see the same sizes */
	if (m->w->rank == 0) {
		void *p = NULL;

		err = via_mem_new(all, rma_hints_align(m->w->rma->hints), &p);
		m->w->rma->memory = p;
		if (err == 0)
			answer[1] = (int64_t)via_mem_off(p, all > 0 ? all : 1);
		if (err == 0 && answer[1] == 0)
			err = m->w->size == 1 ? 0 : MPI_ERR_RMA_SHARED;
		if (m->w->size == 1)
			answer[1] = (int64_t)(uintptr_t)p - (int64_t)(uintptr_t)via.shm->base;
		answer[0] = err;
	}
	err = coll_bcast(answer, sizeof(answer), byte, 0, m->comm);
	*off = (uint64_t)answer[1];
	if (err == 0 && answer[0] != 0)
		err = haft_err((int)answer[0],
			"%lld bytes of shared memory for %d ranks could not be allocated",
			(long long)all, m->w->size);
	return err;
}

/* Places the parts one behind the other. */
static int win_layout_shared(struct win_making *m)
{
	bool forced = !m->w->rma->direct;
	uint64_t off = 0;
	int err = win_allocate_for_all(m, &off);

	for (int i = 0; i < m->w->size && err == 0; i++) {
		struct win_offer *o = &m->all[i];

		o->shared = !forced;
		o->at = forced ? off + o->seg : off;
		if (i == m->w->rank)
			m->base = via_mem_at(off);
		off += (uint64_t)o->bytes;
	}
	m->w->rma->contiguous = true;
	return err;
}

static int win_no_sharing(int rank, int peer)
{
	char via_word[32];

	if (via_machine(peer) != via_machine(via.me))
		return haft_err(MPI_ERR_RMA_SHARED,
			"rank %d is on another host: it cannot share memory", rank);
	haft_setting_print(SETTING_VIA, via_word, sizeof(via_word));
	return haft_err(MPI_ERR_RMA_SHARED,
		"rank %d cannot share memory with this one, as HAFT_VIA=%s forbids it", rank,
		via_word);
}

/* All members must choose the same layout, or parts would not lie where others expect them. */
static int win_same_layout(const struct win_making *m)
{
	for (int i = 0; i < m->w->size; i++) {
		if (!via_is_local(group_peer(m->comm->group, i)))
			return win_no_sharing(i, group_peer(m->comm->group, i));
		if (m->all[i].noncontig != m->all[0].noncontig)
			return haft_err(MPI_ERR_INFO_VALUE,
				"alloc_shared_noncontig differs between rank 0 and rank %d", i);
	}
	return 0;
}

int rma_win_allocate_shared(int64_t size, int64_t unit, struct info *info, struct comm *comm,
	void *baseptr, struct win **win)
{
	struct win_making m = {MPI_WIN_FLAVOR_SHARED, NULL, size, unit, info, comm, .w = NULL};
	int err = win_check_comm(comm, m.flavor);

	if (err == 0)
		err = win_begin(&m);
	if (err != 0)
		return win_made(&m, err, win);
	m.mine.bytes = size;
	m.mine.noncontig = rma_hints_noncontig(m.w->rma->hints);
	if (m.mine.noncontig) {
		win_fail(&m, via_mem_new(size, rma_hints_align(m.w->rma->hints), &m.base));
		m.w->rma->memory = m.base;
		if (m.base != NULL)
			win_offer_memory(&m, m.base, size);
		if (size > 0 && comm->size > 1 && via_mem_off(m.base, size) == 0)
			win_fail(&m, haft_err(MPI_ERR_RMA_SHARED,
					     "%lld bytes of shared memory could not be allocated",
					     (long long)size));
	}
	err = win_exchange(&m);
	if (err == 0)
		err = win_same_layout(&m);
	if (err == 0 && !m.mine.noncontig)
		err = win_layout_shared(&m);
	m.w->base = m.base;
	err = win_made(&m, err, win);
	if (err == 0)
		*(void **)baseptr = (*win)->base;
	return err;
}

int rma_win_create_dynamic(struct info *info, struct comm *comm, struct win **win)
{
	struct win_making m = {MPI_WIN_FLAVOR_DYNAMIC, MPI_BOTTOM, 0, 1, info, comm, .w = NULL};
	int err = win_check_comm(comm, m.flavor);

	if (err == 0)
		err = win_begin(&m);
	if (err != 0)
		return win_made(&m, err, win);
	return win_make(&m, win);
}

/* --- questions ------------------------------------------------------------------------------ */

int rma_win_get_group(struct win *w, struct group **group)
{
	return group_copy(w->comm->group, w->comm->session, group);
}

int rma_win_shared_query(struct win *w, int rank, int64_t *size, int64_t *disp_unit, void *baseptr)
{
	const struct rma_target *t;
	char words[RMA_WIN_WORDS];

	if (w->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return haft_err(MPI_ERR_RMA_FLAVOR,
			"%s was made by MPI_Win_create_dynamic: it has no part that could be "
			"shared",
			rma_win_words(w, words));
	if (rank >= w->size)
		return haft_err(
			MPI_ERR_RANK, "rank %d is not in %s", rank, rma_win_words(w, words));
	if (rank == MPI_PROC_NULL) {
		for (rank = 0; rank < w->size; rank++)
			if (w->target[rank].map != NULL && w->target[rank].bytes > 0)
				break;
		if (rank == w->size)
			rank = w->rank;
	}
	t = &w->target[rank];
	*disp_unit = t->unit;
	*size = t->map != NULL ? t->bytes : 0;
	*(void **)baseptr = t->bytes > 0 || w->rma->contiguous ? t->map : NULL;
	return 0;
}
