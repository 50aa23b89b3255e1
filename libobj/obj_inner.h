// SPDX-License-Identifier: BSD-3-Clause
/* obj_inner.h - what the files of libobj share and nobody else sees.
 *
 *   struct obj_domain ── cls[id] ──> struct obj_class ── in ──> struct obj_inside: bookkeeping
 *         │                               │ base                fifo: free slots of all threads
 *         └── perm[4096]                  v
 *                                     [ slot 0: never used ][ slot 1 ] ... [ hi ) ... reserved ]
 *   struct obj_thread (thread-local) ── mags[id] ──> struct mag: free slots of this thread
 *
 * Invariants of a slot (checked by obj_table_valid):
 *   live     token names this slot, refs has a user's handle, cls is its class
 *   pending  token with index bit 0 flipped, refs != 0: the handle is freed and somebody refers to
 *            the object; or its destroy waits or runs (DYING); or it is under construction; or it
 *            is the parent process's (STICKY)
 *   free     token likewise (or 0: never used), refs == 0, next is the slot to be used after it
 * A stored token whose index is not that of its slot can equal no handle that leads here: that is
 * why flipping one bit is enough to kill a handle and keeps the generation for the next one.
 *
 * Locks of libobj, by rank, upwards:
 *     DOMAINS < DOMAIN < OBJECT < CLASS < GRAVE < THREADS < MEM < ARENA */
#ifndef HAFT_LIBOBJ_OBJ_INNER_H
#define HAFT_LIBOBJ_OBJ_INNER_H

#include "libobj/base.h"
#include "libobj/obj.h"
#include <stdbool.h>

/* ------------------------------------------------------------------------ tokens */

#define TOKEN_TAG      (0x5aULL << 56)
#define TOKEN_CLASS(t) ((uint32_t)((t) >> 48) & 0xff)
#define TOKEN_INDEX(t) ((uint32_t)(t)&OBJ_INDEX_MAX)
#define TOKEN_GEN_ONE  (1ULL << 24)
#define TOKEN_GEN_OVER (1ULL << 31) /* set when the low generation passes 127 */
#define TOKEN_GEN_HI   (1ULL << 32) /* carry into the high one */
#define TOKEN_HI(t)    ((uint32_t)((t) >> 32) & 0xffff)
#define TOKEN_HI_MAX   ((uint32_t)MEAN_OR(3, 0xffff)) /* then the slot retires */
#define TOKEN_DEAD     1ULL                           /* xor: index bit 0 */

#define REFS_INTERNAL 0x7fffffffULL
#define REFS_CLOSING  (1ULL << 62) /* obj_free runs callbacks */
#define REFS_DYING    (1ULL << 63) /* nobody may come in any more: destroy waits or runs */
#define REFS_IGNORE   1ULL         /* permanent objects, which count nothing: freeing is ignored */
#define REFS_USER(r)  ((uint32_t)((r) >> 32) & 0x3fffffff)

/* Generations used so far by a slot whose token word is t (0: never used). */
static inline uint64_t token_uses(uint64_t t)
{
	return t == 0 ? 0 : (uint64_t)TOKEN_HI(t) * 127 + ((t >> 24) & 127);
}

/* ------------------------------------------------------------------------ magazines */

#define QUARANTINE  ((uint32_t)MEAN_OR(8, OBJ_QUARANTINE))
#define FRESH_BATCH ((uint32_t)MEAN_OR(1, 32))  /* never-used slots a thread takes at once */
#define FIFO_BATCH  ((uint32_t)MEAN_OR(1, 64))  /* freed ones */
#define SPILL_MIN   ((uint32_t)MEAN_OR(2, 512)) /* free slots a thread keeps */

/* Free slots of one class in one thread, in order of freeing: the first `avail' may be handed out,
 * the `limbo' after them wait until as many others have been freed.  All by owner thread. */
struct mag {
	struct obj *head;
	struct obj *tail; /* good while avail + limbo != 0 */
	uint32_t avail;
	uint32_t limbo;
	uint32_t fresh; /* never-used slots [fresh, fresh_end) */
	uint32_t fresh_end;
};
static_assert(sizeof(struct mag) == 32, "two a cache line");

#define MAGS           256 /* one for each value of a token's class byte */
#define LOCKS_HELD_MAX 16  /* nested locks a debug build remembers */

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
extern __thread struct obj_thread obj_this_thread;

/* ------------------------------------------------------------------------ class and domain */

/* obj_class.flags, the half that is not the user's: what the fast paths must stop for. */
#define CLASS_F_CONSTRUCT 0x100
#define CLASS_F_ON_FREE   0x200
#define CLASS_F_DESTROY   0x400
#define CLASS_F_TRACE     0x800
#define CLASS_F_EXACT     0x1000 /* no magazines */
#define CLASS_F_SLOW_FREE (CLASS_F_ON_FREE | CLASS_F_DESTROY | CLASS_F_EXACT | OBJ_F_LATER)

struct obj_inside {
	struct obj_class_desc desc;
	struct obj_lock lock; /* rank CLASS: fifo, hi, committed, retired */
	struct obj *fifo_head, *fifo_tail;
	uint32_t fifo_n;
	uint32_t hi;       /* slots handed out at least once are below; atomic */
	uint32_t limit;    /* slots below it may be touched: obj_class.limit of direct classes too;
			      atomic */
	uint32_t capacity; /* slots below it are in the reservation; 0: none yet */
	uint32_t retired;
	uint32_t shift;   /* direct classes: stride is 1 << shift */
	size_t reserved;  /* bytes of address space at obj_class.base */
	size_t committed; /* bytes of it that may be touched */
	bool full_told;
};

#define NAME_DEFAULT 128 /* bytes: what MPI wants */

struct lang;
struct attr_cache;
struct attr_index;
struct closure;

#define OBJ_LOCKS 16 /* an object's lock is one of these, by address: enough for 2 cores and 64 */

struct obj_domain {
	struct obj_domain_opts opts;
	struct obj_lock lock; /* rank DOMAIN */
	struct obj_class *cls[256];
	struct lang *langs; /* [nlangs]; set once each */
	uint32_t nlangs;
	struct obj_class keyvals;
	struct obj *reap;         /* objects of OBJ_F_LATER classes; lock DOMAIN */
	struct tombstone *graves; /* made at first need */
	uint32_t ngraves;         /* ever written */
	struct obj_lock grave_lock;
	struct {
		struct obj_lock lock;  /* rank MEM: big, tried */
		size_t bytes;          /* handed out; atomic */
		struct obj_arena *big; /* jemalloc's, once it is in use; set once */
		bool tried;            /* to load jemalloc */
	} mem;
	struct obj_domain *next, *prev; /* list of domains: lock `domains' */
	struct {
		struct obj_lock l;
		char pad[CACHE_LINE - sizeof(struct obj_lock)];
	} locks[OBJ_LOCKS]; /* rank OBJECT */
	struct obj *perm[OBJ_PERMANENT_MAX];
	struct obj *kv_perm[OBJ_PERMANENT_MAX]; /* the keyvals' own numbers */
};

#define RANK_DOMAINS   (OBJ_RANK_LEAF + 0)
#define RANK_DOMAIN    (OBJ_RANK_LEAF + 1)
#define RANK_OBJECT    (OBJ_RANK_LEAF + 2)
#define RANK_CLASS     (OBJ_RANK_LEAF + 3)
#define RANK_TOMBSTONE (OBJ_RANK_LEAF + 4)
#define RANK_THREADS   (OBJ_RANK_LEAF + 5)
#define RANK_MEM       (OBJ_RANK_LEAF + 6)
#define RANK_ARENA     (OBJ_RANK_LEAF + 7)

/* class.c: the list of all domains, for fork and for gdb, and the class of an id, or NULL. */
extern struct obj_domain *obj_domains;
extern struct obj_lock obj_domains_lock; /* rank DOMAINS */
struct obj_class *obj_class_by_id(uint32_t id);

/* What an object has besides its header, made at first need and never moved. */
struct ext {
	struct obj *reap_next;
	char *name; /* lock OBJECT */
	uint32_t name_len;
	uint32_t ntrace;
	struct obj *errh;         /* lock OBJECT; we hold it */
	struct attr_cache *attrs; /* set once */
	struct attr_index *index; /* of attrs, or the empty one: what obj_attr_get needs at once */
	struct closure *closures;
	void **trace;    /* [ntrace] return addresses, set at creation */
	int64_t born_ns; /* with a trace only */
};

#define EXT_LINK 1ULL /* low bit of obj.ext: not an ext but the next object of a reap list */

/* ------------------------------------------------------------------------ slots.c
 *
 * slot_pop gives a slot that is the caller's alone: refs 0, its next token, still dead (flip bit 0
 * to publish).  slot_push takes one back: dead token, nobody refers to it.  Any thread. */
struct obj *obj_slot_refill(struct obj_class *c);         /* slow half of slot_pop; NULL: full */
void obj_slot_retire(struct obj_class *c, struct obj *o); /* slow half of slot_push */
void obj_mag_spill(struct obj_class *c, struct mag *m);   /* all free slots to the class */
void obj_mag_return(struct obj_class *c, struct mag *m);  /* the same with the never-used ones */
void obj_table_drop(struct obj_class *c);                 /* gives the address space back */
bool obj_table_valid(struct obj_class *c);                /* every invariant above; quiet */
void obj_table_rebuild(struct obj_class *c); /* the free slots are those with refs == 0; quiet */

/* Who looks at an object that may go any moment (reports, diagnoses) reads the same words as its
 * owner writes. */
static inline uintptr_t site_of(const struct obj *o)
{
	return __atomic_load_n(&o->site, __ATOMIC_RELAXED);
}

static inline void slot_note(struct obj *o, void *ext, uintptr_t site)
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

void __asan_poison_memory_region(const volatile void *p, size_t len);
void __asan_unpoison_memory_region(const volatile void *p, size_t len);

/* The slot's next token, still dead. */
static inline uint64_t token_next(uint64_t dead)
{
	uint64_t t = dead + TOKEN_GEN_ONE;

	return likely(!(t & TOKEN_GEN_OVER)) ? t
					     : t - TOKEN_GEN_OVER + TOKEN_GEN_ONE + TOKEN_GEN_HI;
}

static inline bool token_last(uint64_t t)
{
	return TOKEN_HI(t) >= TOKEN_HI_MAX && (t & (127 * TOKEN_GEN_ONE)) == 127 * TOKEN_GEN_ONE;
}

static inline struct obj *slot_pop(struct obj_class *c)
{
	struct mag *m = obj_this_thread.mags != NULL ? &obj_this_thread.mags[c->id] : NULL;
	struct obj *o;

	if (unlikely(m == NULL || m->avail == 0)) {
		o = obj_slot_refill(c);
		if (o == NULL)
			return NULL;
	} else {
		o = m->head;
		m->head = o->u.next;
		m->avail--;
		__atomic_store_n(&o->token, token_next(o->token), __ATOMIC_RELAXED);
		__builtin_prefetch(m->head, 1);
	}
	if (HAFT_ASAN)
		__asan_unpoison_memory_region(o + 1, c->in->desc.obj_size - sizeof(*o));
	return o;
}

static inline void slot_push(struct obj_class *c, struct obj *o)
{
	struct mag *m = obj_this_thread.mags != NULL ? &obj_this_thread.mags[c->id] : NULL;

	if (HAFT_ASAN)
		__asan_poison_memory_region(o + 1, c->stride - sizeof(*o));
	__atomic_store_n(&o->refs, 0, __ATOMIC_RELEASE);
	if (unlikely(m == NULL || c->flags & CLASS_F_EXACT || token_last(o->token))) {
		obj_slot_retire(c, o);
		return;
	}
	if (m->avail + m->limbo == 0)
		m->head = o;
	else
		m->tail->u.next = o;
	m->tail = o;
	if (++m->limbo <= c->quarantine)
		return;
	m->limbo--;
	if (++m->avail > c->spill)
		obj_mag_spill(c, m);
}

/* ------------------------------------------------------------------------ thread.c */
bool obj_thread_attach(void);         /* this thread gets magazines; false: no memory */
void obj_threads_forget(uint32_t id); /* empties that magazine in all threads; quiet */
void obj_threads_lost(
	bool *lost); /* after fork: lost[id] where a thread that is gone had free slots */
extern struct obj_lock obj_threads_lock;

/* mutex.c: without ranks and counting, for fork. */
void obj_lock_take(struct obj_lock *l);
void obj_lock_give(struct obj_lock *l);

/* reap.c */
void obj_destroy_now(
	struct obj *o, uintptr_t freed);   /* destroys now; refs are DYING, token is dead */
void obj_reap_add(struct obj *o);          /* puts it on this thread's list, or the domain's */
void obj_reap_forget(struct obj_class *c); /* takes its objects off both; quiet */
void obj_reap_run(void);                   /* destroys this thread's list */
static inline bool reap_must_wait(void)
{
	return obj_this_thread.defer != 0 || obj_this_thread.nlocks != 0 || obj_this_thread.reaping;
}
static inline void reap_if_due(void)
{
	if (unlikely(obj_this_thread.reap != NULL) && !reap_must_wait())
		obj_reap_run();
}

/* ref.c */
/* Holds the object that has this token in that slot, dead or live; false: it has another, or it is
 * going. */
bool obj_slot_hold(const struct obj_class *c, struct obj *o, uint64_t token);
struct ext *obj_ext_get(struct obj *o); /* makes it; NULL: no memory; under the object's lock */
static inline struct ext *ext_of(const struct obj *o)
{
	uintptr_t e = (uintptr_t)__atomic_load_n(&o->ext, __ATOMIC_ACQUIRE);

	return e & EXT_LINK ? NULL : (struct ext *)e;
}
void obj_ext_free(struct obj *o);
/* The object's lock is one of a few of its domain. */
static inline struct obj_lock *lock_of(const struct obj *o)
{
	return &o->u.cls->domain->locks[((uintptr_t)o >> 6) % OBJ_LOCKS].l;
}
/* The object's lock; nothing if the class is not shared. */
static inline void object_lock(const struct obj *o)
{
	if (o->u.cls->shared)
		obj_lock_always(lock_of(o));
}
static inline void object_unlock(const struct obj *o)
{
	if (o->u.cls->shared)
		obj_unlock_always(lock_of(o));
}

/* diagnosis.c */
int obj_report_handle(
	struct obj_class *c, obj_h h, int why); /* fills a diag and calls the hook; returns why */
void obj_report_text(struct obj_class *c, int why, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void obj_tombstone_add(
	const struct obj *o, uintptr_t freed); /* remembers name and sites of a live object */
void obj_tombstones_close(struct obj_domain *d);

/* obj_attr.c */
extern struct attr_index obj_index_empty;
void obj_attrs_free(
	struct obj *o); /* the cache goes, without callbacks; nobody else has the object */
void obj_langs_close(struct obj_domain *d);
int obj_keyvals_open(struct obj_domain *d);
void obj_keyvals_close(struct obj_domain *d); /* the permanent ones */
/* closure.c */
void obj_closures_free(struct obj *o);
/* domain_mem.c */
#define ALLOC_SMALL ((size_t)MEAN_OR(1024, OBJ_ALLOC_SMALL))
void obj_mem_close(struct obj_domain *d);

/* fork.c */
void obj_fork_watch(void); /* once a process */

/* mem_os.c: address space. */
void *obj_os_reserve(size_t len);        /* NULL: refused */
bool obj_os_commit(void *p, size_t len); /* readable and writable, zero */
void obj_os_release(void *p, size_t len);
size_t obj_os_space_limit(void); /* bytes a single reservation may ask for: a share of RLIMIT_AS */
size_t obj_os_page(void);        /* bytes, a power of 2 */
void obj_os_wait(uint32_t *word, uint32_t seen); /* sleeps while *word == seen */
void obj_os_wake(uint32_t *word);                /* one sleeper */

#define obj_caller() ((uintptr_t)__builtin_return_address(0))

#endif
