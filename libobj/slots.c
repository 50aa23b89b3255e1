// SPDX-License-Identifier: BSD-3-Clause
/* slots.c - the slots of a class: address space, batches, quarantine, retirement.
 *
 *          push                                  spill
 *   free ───────> [ avail ... | limbo ... ] ──────────────> [ fifo ............... ]
 *   new  <─────── a thread's magazine       <────────────── the class's list, under its lock
 *          pop                                FIFO_BATCH
 *                                           <────────────── hi: never-used slots, FRESH_BATCH
 *
 * Both lists are first in, first out.  A slot leaves a magazine when `quarantine' slots were freed
 * after it on this thread, and the class's list when as many are behind it there.  So an INTEGER
 * handle, which has only 7 bits of generation, comes back after 127 * quarantine creations at the
 * earliest.  A full table breaks the quarantine: the quarantine protects programs that use stale
 * handles, but running out of slots harms correct programs.
 *
 * Classes with a small `max' have no magazines (spill == 0): otherwise an idle thread could
 * keep the slots that another one needs. */
#include "libobj/obj_inner.h"
#include <string.h>

#define COMMIT_MIN        \
	((size_t)MEAN_OR( \
		4096, 64 << 10))        /* bytes made usable at once: little for small programs, */
#define COMMIT_MAX ((size_t)(16 << 20)) /* and few system calls for large ones */
#define SLOTS_MIN  64                   /* a reservation smaller than this is no table */

static size_t table_round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/* Reserves address space for the whole class, or as much of it as there is. */
static bool table_reserve(struct obj_class *c)
{
	struct obj_inside *in = c->in;
	size_t want = in->desc.max != 0 ? in->desc.max : OBJ_INDEX_MAX;
	size_t max = obj_os_space_limit();
	size_t slots = want + 1; /* slot 0 is never used */
	char *base = NULL;

	if (slots > max / c->stride)
		slots = max / c->stride;
	while (slots > SLOTS_MIN || slots == want + 1) {
		in->reserved = table_round_up(slots * c->stride, obj_os_page());
		base = obj_os_reserve(in->reserved);
		if (base != NULL)
			break;
		slots /= 2;
	}
	if (base == NULL)
		return false;
	c->base = base;
	__atomic_store_n(&in->capacity, (uint32_t)slots, __ATOMIC_RELAXED);
	__atomic_store_n(&in->hi, 1, __ATOMIC_RELEASE);
	return true;
}

static void table_report_reserved(struct obj_class *c)
{
	uint32_t want = c->in->desc.max != 0 ? c->in->desc.max : OBJ_INDEX_MAX;
	uint32_t slots = __atomic_load_n(&c->in->capacity, __ATOMIC_RELAXED);

	if (slots != 0 && slots - 1 < want)
		obj_report_text(c, OBJ_NOMEM, "%s: address space for %u objects only, of %u",
			c->in->desc.name, slots - 1, want);
}

/* Makes slots up to and including `index' usable. */
static bool table_commit(struct obj_class *c, uint32_t index)
{
	struct obj_inside *in = c->in;
	size_t need = ((size_t)index + 1) * c->stride;
	size_t step = in->committed / 4;
	size_t limit;

	if (need <= in->committed)
		return true;
	if (step < COMMIT_MIN)
		step = COMMIT_MIN;
	if (step > COMMIT_MAX)
		step = COMMIT_MAX;
	need = table_round_up(need > in->committed + step ? need : in->committed + step,
		obj_os_commit_unit(step));
	if (need > in->reserved)
		need = in->reserved;
	if (!obj_os_commit(c->base + in->committed, need - in->committed))
		return false;
	in->committed = need;
	limit = need / c->stride;
	if (limit > in->capacity)
		limit = in->capacity;
	/* release: after the limit, base and the memory behind it are visible */
	__atomic_store_n(&in->limit, (uint32_t)limit, __ATOMIC_RELEASE);
	if (!(c->flags & OBJ_F_DIRECT))
		__atomic_store_n(&c->limit, (uint32_t)limit, __ATOMIC_RELEASE);
	return true;
}

/* Takes up to `max' never-used slots: [*first, *first + result). */
static uint32_t slots_fresh_take(struct obj_class *c, uint32_t max, uint32_t *first)
{
	struct obj_inside *in = c->in;
	uint32_t n = in->capacity - in->hi;

	if (n > max)
		n = max;
	if (n == 0 || !table_commit(c, in->hi + n - 1))
		return 0;
	*first = in->hi;
	__atomic_store_n(&in->hi, in->hi + n, __ATOMIC_RELEASE);
	return n;
}

/* Moves `n' slots of the class's list to the front of the magazine, which has none available. */
static void fifo_take(struct obj_inside *in, struct mag *m, uint32_t n)
{
	struct obj *first = in->fifo_head;
	struct obj *last = first;

	for (uint32_t i = 1; i < n; i++)
		last = last->u.next;
	in->fifo_n -= n;
	in->fifo_head = in->fifo_n != 0 ? last->u.next : NULL;
	if (m->limbo == 0)
		m->tail = last;
	else
		last->u.next = m->head;
	m->head = first;
	m->avail = n;
}

static void fifo_give(struct obj_inside *in, struct obj *first, struct obj *last, uint32_t n)
{
	if (in->fifo_n == 0)
		in->fifo_head = first;
	else
		in->fifo_tail->u.next = first;
	in->fifo_tail = last;
	in->fifo_n += n;
}

/* Fills the empty magazine: freed slots whose quarantine is over, or never-used ones, or at last
 * any. */
static bool mag_fill(struct obj_class *c, struct mag *m)
{
	struct obj_inside *in = c->in;
	uint32_t batch = c->spill != 0 ? FIFO_BATCH : 1;
	uint32_t n;

	if (in->fifo_n > c->quarantine) {
		n = in->fifo_n - c->quarantine;
		fifo_take(in, m, n < batch ? n : batch);
		return true;
	}
	n = slots_fresh_take(c, c->spill != 0 ? FRESH_BATCH : 1, &m->fresh);
	if (n != 0) {
		m->fresh_end = m->fresh + n;
		return true;
	}
	if (in->fifo_n != 0) {
		fifo_take(in, m, 1);
		return true;
	}
	if (m->limbo != 0) {
		m->limbo--;
		m->avail = 1;
		return true;
	}
	return false;
}

/* A slot out of a magazine that has one. */
static struct obj *mag_pop(struct obj_class *c, struct mag *m)
{
	struct obj *o = m->head;

	if (m->avail == 0)
		return mag_pop_fresh(c, m);
	m->head = o->u.next;
	m->avail--;
	__atomic_store_n(&o->token, token_next(o->token), __ATOMIC_RELAXED);
	return o;
}

static void table_report_full(struct obj_class *c)
{
	struct obj_inside *in = c->in;
	uint32_t slots = __atomic_load_n(&in->capacity, __ATOMIC_RELAXED);
	uint32_t retired = __atomic_load_n(&in->retired, __ATOMIC_RELAXED);

	if (__atomic_exchange_n(&in->full_told, true, __ATOMIC_RELAXED))
		return;
	obj_report_text(c, OBJ_NOMEM, "%s: no room for another object (%u slots, %u retired)",
		in->desc.name, slots != 0 ? slots - 1 : 0, retired);
}

struct obj *obj_slot_refill(struct obj_class *c)
{
	bool first = false, ok = true;
	struct mag *m;

	if (NEVER(c->in == NULL) || !obj_thread_attach())
		return NULL;
	m = &obj_this_thread.mags[c->id];
	if (m->fresh == m->fresh_end) {
		obj_lock_always(&c->in->lock);
		if (c->in->capacity == 0) {
			first = true;
			ok = table_reserve(c);
		}
		ok = ok && mag_fill(c, m);
		obj_unlock_always(&c->in->lock);
		if (first)
			table_report_reserved(c);
		if (!ok) {
			table_report_full(c);
			return NULL;
		}
	}
	return mag_pop(c, m);
}

void obj_slot_retire(struct obj_class *c, struct obj *o)
{
	obj_lock_always(&c->in->lock);
	if (token_last(o->token))
		__atomic_fetch_add(&c->in->retired, 1, __ATOMIC_RELAXED);
	else
		fifo_give(c->in, o, o, 1);
	obj_unlock_always(&c->in->lock);
}

void obj_mag_spill(struct obj_class *c, struct mag *m)
{
	uint32_t n = m->avail + m->limbo;

	if (n == 0)
		return;
	obj_lock_always(&c->in->lock);
	fifo_give(c->in, m->head, m->tail, n);
	obj_unlock_always(&c->in->lock);
	m->avail = m->limbo = 0;
}

void obj_mag_return(struct obj_class *c, struct mag *m)
{
	/* never-used slots get a dead token here: every slot of the list has one */
	while (m->fresh != m->fresh_end) {
		struct obj *o = obj_slot(c, m->fresh);
		uint64_t t = TOKEN_TAG | (uint64_t)c->id << 48 | m->fresh;

		__atomic_store_n(&o->token, t ^ TOKEN_DEAD, __ATOMIC_RELAXED);
		m->fresh++;
		obj_slot_retire(c, o);
	}
	obj_mag_spill(c, m);
}

void obj_table_drop(struct obj_class *c)
{
	struct obj_inside *in = c->in;

	__atomic_store_n(&c->limit, 0, __ATOMIC_RELEASE);
	if (HAFT_ASAN && in->committed != 0)
		__asan_unpoison_memory_region(c->base, in->committed);
	obj_os_release(c->base, in->reserved);
	c->base = NULL;
	in->capacity = 0;
}

void obj_table_rebuild(struct obj_class *c)
{
	struct obj_inside *in = c->in;

	in->fifo_head = in->fifo_tail = NULL;
	in->fifo_n = 0;
	if (obj_this_thread.mags != NULL)
		memset(&obj_this_thread.mags[c->id], 0, sizeof(struct mag));
	for (uint32_t i = 1; i < in->hi; i++) {
		struct obj *o = obj_slot(c, i);

		if (o->refs != 0 || token_last(o->token))
			continue;
		if (o->token == 0 || slot_live(o->token, i))
			o->token = (TOKEN_TAG | (uint64_t)c->id << 48 | i) ^ TOKEN_DEAD;
		fifo_give(in, o, o, 1);
	}
}

static bool slot_valid(const struct obj_class *c, uint32_t i)
{
	const struct obj *o = obj_slot(c, i);
	uint64_t t = o->token;

	if (t == 0)
		return o->refs == 0;
	if (t >> 56 != TOKEN_TAG >> 56 || TOKEN_CLASS(t) != c->id || t & TOKEN_GEN_OVER)
		return false;
	if (TOKEN_INDEX(t) != i && TOKEN_INDEX(t) != (i ^ TOKEN_DEAD))
		return false;
	if (slot_live(t, i) && REFS_USER(o->refs) == 0)
		return false;
	if (o->refs & REFS_CLOSING && (o->refs & REFS_INTERNAL) == 0 &&
		!(o->refs & OBJ_REFS_SATURATED))
		return false; /* obj_free holds the object while it runs callbacks */
	return o->refs == 0 || o->u.cls == c;
}

bool obj_table_valid(struct obj_class *c)
{
	struct obj_inside *in = c->in;
	struct obj *o = in->fifo_head;

	if (in->hi > in->capacity || in->limit > in->capacity)
		return false;
	for (uint32_t i = 1; i < in->hi; i++)
		if (!slot_valid(c, i))
			return false;
	for (uint32_t n = 1; n < in->fifo_n; n++) {
		if (o == NULL || o->refs != 0)
			return false;
		o = o->u.next;
	}
	return in->fifo_n == 0 || o == in->fifo_tail;
}
