// SPDX-License-Identifier: BSD-3-Clause
/* magazine.h - tokens, a thread's free slots, and the usual ways of a slot out and in, in line.
 * Not installed: for libobj, and for a runtime that is linked with it into one library.
 *
 *      head ──> slot ──> slot ──> slot ──> slot <── tail
 *               '--- avail ----'  '-- limbo ---'
 *      obj_mag_new takes the first           obj_mag_give appends behind the last
 *
 * The callers look first whether the case is usual; all others are obj_new's and obj_free's. */
#ifndef LIBOBJ_MAGAZINE_H
#define LIBOBJ_MAGAZINE_H

#include "libobj/base.h"
#include "libobj/obj.h"
#include <stdbool.h>

/* ------------------------------------------------------------------------ tokens */

#define TOKEN_TAG      (0x5aULL << 56)
#define TOKEN_CLASS(t) ((uint32_t)((t) >> 48) & 0xff)
#define TOKEN_INDEX(t) ((uint32_t)(t)&OBJ_INDEX_MAX)
#define TOKEN_GEN_ONE  (1ULL << 24)
#define TOKEN_GEN_OVER (1ULL << 31) /* set when the low generation passes 127 */
#define TOKEN_GEN_HI   (1ULL << 32) /* carry into the high generation */
#define TOKEN_HI(t)    ((uint32_t)((t) >> 32) & 0xffff)
#define TOKEN_HI_MAX   ((uint32_t)MEAN_OR(3, 0xffff)) /* all bits 1: then the slot retires */
#define TOKEN_DEAD     1ULL                           /* xor: index bit 0 */

#define REFS_INTERNAL 0x7fffffffULL
#define REFS_CLOSING  (1ULL << 62) /* obj_free runs callbacks */
#define REFS_DYING    (1ULL << 63) /* no new reference is taken: destroy is due or runs */
#define REFS_IGNORE   1ULL         /* permanent objects, which count nothing: freeing is ignored */
#define REFS_USER(r)  ((uint32_t)((r) >> 32) & 0x3fffffff)

/* Number of generations that a slot with token word `t' has used (0: none). */
static inline uint64_t token_uses(uint64_t t)
{
	return t == 0 ? 0 : (uint64_t)TOKEN_HI(t) * 127 + ((t >> 24) & 127);
}

/* The next token of a slot whose dead token is `dead'; it is dead, too. */
static inline uint64_t token_next(uint64_t dead)
{
	uint64_t t = dead + TOKEN_GEN_ONE;

	return likely(!(t & TOKEN_GEN_OVER)) ? t
					     : t - TOKEN_GEN_OVER + TOKEN_GEN_ONE + TOKEN_GEN_HI;
}

/* Has the slot no generation left after token `t'? */
static inline bool token_last(uint64_t t)
{
	const uint64_t last = TOKEN_HI_MAX * TOKEN_GEN_HI + 127 * TOKEN_GEN_ONE;

	return (t & last) == last;
}

/* ------------------------------------------------------------------------ magazines */

/* A magazine: free slots of one class in one thread, in the order of freeing.  The first `avail'
 * may be handed out.  The `limbo' after them wait until as many others have been freed.  Only the
 * owner thread touches it. */
struct mag {
	struct obj *head;
	struct obj *tail; /* valid while avail + limbo != 0 */
	uint32_t avail;
	uint32_t limbo;
	uint32_t fresh; /* never-used slots [fresh, fresh_end) */
	uint32_t fresh_end;
};
static_assert(sizeof(struct mag) == 32, "two a cache line");

#define MAGS           256 /* one for each value of a token's class byte */
#define LOCKS_HELD_MAX 16  /* nested locks that a debug build remembers */

struct obj_thread {
	struct mag *mags; /* [MAGS], by class id; NULL: not attached */
	struct obj *reap; /* objects to be destroyed, newest first */
	uintptr_t site;   /* obj_site_set */
	uint32_t defer;   /* depth of obj_defer_begin */
	uint32_t nlocks;
	int user_rc;
	bool reaping;
	struct obj_thread *next, *prev; /* list of attached threads: lock THREADS */
	struct obj_lock *locks[HAFT_DEBUG ? LOCKS_HELD_MAX : 1];
};
extern __thread struct obj_thread obj_this_thread; /* mutex.c */

/* obj_class.flags, the half that is libobj's: flags that stop the fast paths. */
#define CLASS_F_CONSTRUCT 0x100
#define CLASS_F_ON_FREE   0x200
#define CLASS_F_DESTROY   0x400
#define CLASS_F_TRACE     0x800
#define CLASS_F_EXACT     0x1000 /* no magazines */
#define CLASS_F_SLOW_FREE (CLASS_F_ON_FREE | CLASS_F_DESTROY | CLASS_F_EXACT | OBJ_F_LATER)

/* ------------------------------------------------------------------------ out and in */

/* Reports and diagnoses read these words of an object that may go at any moment. */
static inline void slot_record(struct obj *o, void *ext, uintptr_t site)
{
	__atomic_store_n(&o->ext, ext, __ATOMIC_RELAXED);
	__atomic_store_n(&o->site, site, __ATOMIC_RELAXED);
}

static inline uint32_t slot_index(const struct obj_class *c, const struct obj *o)
{
	return (uint32_t)((size_t)((const char *)o - c->base) / c->stride);
}

/* Is `t', read from the slot, a live token? */
static inline bool slot_live(uint64_t t, uint32_t index)
{
	return t != 0 && TOKEN_INDEX(t) == index;
}

/* This thread's magazine of a class; NULL: there is none, slots are poisoned, or the class has one
 * of these flags. */
static inline struct mag *obj_mag_of(const struct obj_class *c, uint32_t flags)
{
	struct mag *m = obj_this_thread.mags;

	return unlikely(m == NULL || HAFT_ASAN || (c->flags & flags) != 0) ? NULL : m + c->id;
}

/* The first slot of m, which has one, becomes an object.  The class has neither CLASS_F_CONSTRUCT
 * nor CLASS_F_TRACE. */
static inline struct obj *obj_mag_new(struct obj_class *c, struct mag *m, uintptr_t site)
{
	struct obj *o = m->head;

	m->head = o->u.next;
	m->avail--;
	__builtin_prefetch(m->head, 1);
	o->u.cls = c;
	slot_record(o, NULL, site);
	__atomic_store_n(&o->refs, OBJ_REFS_USER, __ATOMIC_RELEASE); /* obj_slot_hold sees cls */
	return o;
}

/* Last, when the object has been filled: its handle is valid. */
static inline uint64_t obj_mag_publish(struct obj *o)
{
	uint64_t token = token_next(o->token) ^ TOKEN_DEAD;

	__atomic_store_n(&o->token, token, __ATOMIC_RELEASE);
	return token;
}

/* Gives freed slots to the class: slow half of obj_mag_give and obj_batch_end. */
void obj_mag_spill(struct obj_class *c, struct mag *m);

/* Enters a slot whose object has ended in this thread's magazine, which is not empty. */
static inline void obj_mag_give(struct obj_class *c, struct mag *m, struct obj *o, uintptr_t site)
{
	__atomic_store_n(&o->ext, (void *)site, __ATOMIC_RELAXED);
	__atomic_store_n(&o->refs, 0, __ATOMIC_RELEASE);
	m->tail->u.next = o;
	m->tail = o;
	if (unlikely(m->limbo < c->quarantine))
		m->limbo++;
	else if (unlikely(++m->avail > c->spill))
		obj_mag_spill(c, m);
}

/* As obj_drop, by one thread, if other references remain.  False: it has done nothing. */
static inline bool obj_drop_more(void *self)
{
	struct obj *o = (struct obj *)self;
	uint64_t r = __atomic_load_n(&o->refs, __ATOMIC_RELAXED);

	if (likely(r & OBJ_REFS_SATURATED))
		return true;
	if (unlikely(r == 1 || o->u.cls->shared))
		return false;
	__atomic_store_n(&o->refs, r - 1, __ATOMIC_RELAXED);
	return true;
}

/* ------------------------------------------------------------------------ many frees at once */

/*      obj_batch_begin ── obj_batch_free, of each object ── obj_batch_end
 *
 * Between the first and the last nothing may free another object of the class on this thread. */

struct obj_batch {
	struct obj_class *cls;
	struct mag *m; /* NULL: every obj_batch_free is refused */
	struct obj *tail;
	uint32_t n;
	uintptr_t site; /* of the frees */
};

static inline void obj_batch_begin(struct obj_batch *b, struct obj_class *c, uintptr_t site)
{
	struct mag *m = obj_mag_of(c, CLASS_F_SLOW_FREE | OBJ_F_DIRECT);

	if (unlikely(m != NULL && (c->shared || m->limbo == 0)))
		m = NULL;
	*b = (struct obj_batch){c, m, m != NULL ? m->tail : NULL, 0, site};
}

/* As obj_free_fresh.  False: the case is not usual, and nothing was done. */
static inline bool obj_batch_free(struct obj_batch *b, struct obj *o)
{
	uint64_t token = o->token;

	must(slot_live(token, slot_index(b->cls, o)));
	if (unlikely(b->m == NULL || token_last(token) || o->refs != OBJ_REFS_USER ||
		     o->ext != NULL))
		return false;
	__atomic_store_n(&o->token, token ^ TOKEN_DEAD, __ATOMIC_RELEASE);
	__atomic_store_n(&o->ext, (void *)b->site, __ATOMIC_RELAXED);
	__atomic_store_n(&o->refs, 0, __ATOMIC_RELEASE);
	b->tail->u.next = o;
	b->tail = o;
	b->n++;
	return true;
}

static inline void obj_batch_end(struct obj_batch *b)
{
	struct mag *m = b->m;
	uint32_t over;

	if (unlikely(b->n == 0))
		return;
	m->tail = b->tail;
	m->limbo += b->n;
	if (unlikely(m->limbo <= b->cls->quarantine))
		return;
	over = m->limbo - b->cls->quarantine;
	m->limbo -= over;
	m->avail += over;
	if (unlikely(m->avail > b->cls->spill))
		obj_mag_spill(b->cls, m);
}

#endif
