// SPDX-License-Identifier: BSD-3-Clause
/* obj_inner.h - declarations that the files of libobj share.  Not installed.
 *
 *   struct obj_domain ── cls[id] ──> struct obj_class ── in ──> struct obj_inside: bookkeeping
 *         │                               │ base                fifo: free slots of all threads
 *         └── perm[4096]                  v
 *                                     [ slot 0: never used ][ slot 1 ] ... [ hi ) ... reserved ]
 *   struct obj_thread (thread-local) ── mags[id] ──> struct mag: free slots of this thread
 *
 * Layers.  A file calls only files of its own line and of the lines below it.  Calls upward go
 * through struct obj_upcalls, which obj_domain_open registers.
 *
 *   domain.c  fork.c  report.c                  domains; fork; iteration, statistics, leaks
 *   obj_attr.c  keyval.c  closure.c             attributes and their callbacks
 *   diagnosis.c  name.c  errh_slot.c            bad handles; names; error handlers
 *   class.c  ref.c                              classes and permanent objects; two counts
 *   reap.c  ext.c  tombstone.c  direct.c        the end of objects; their attachments
 *   slots.c  thread.c                           tables of slots; magazines of threads
 *   domain_mem.c  arena.c  jemalloc.c  arena_pages.c        memory of varying size
 *   registry.c  mutex.c  mem_os.c  ffi_os.c     lists of domains and classes; locks; the system
 *
 * Invariants of a slot (checked by obj_table_valid):
 *   live     The token names this slot, refs counts a user's handle, cls is its class.
 *   pending  The token has index bit 0 flipped, refs is not 0.  The handle has been freed and
 *            references remain; or destroy is due or runs (DYING); or the object is under
 *            construction; or it is the parent process's (SATURATED).
 *   free     The token is as for pending (or 0: never used), refs is 0, next is the next free slot.
 * A stored token whose index is not the index of its slot equals no handle that leads to the slot.
 * So one flipped bit kills a handle and keeps the generation for the next one.
 *
 * Locks of libobj, by rank, upwards:
 *     DOMAINS < DOMAIN < OBJECT < CLASS < TOMBSTONE < THREADS < MEM < ARENA */
#ifndef LIBOBJ_OBJ_INNER_H
#define LIBOBJ_OBJ_INNER_H

#include "libobj/base.h"
#include "libobj/magazine.h"
#include "libobj/obj.h"
#include <stdbool.h>

/* ------------------------------------------------------------------------ threads */

#define QUARANTINE  ((uint32_t)MEAN_OR(8, OBJ_QUARANTINE))
#define FRESH_BATCH ((uint32_t)MEAN_OR(1, 32))  /* never-used slots that a thread takes at once */
#define FIFO_BATCH  ((uint32_t)MEAN_OR(1, 64))  /* freed slots that a thread takes at once */
#define SPILL_MIN   ((uint32_t)MEAN_OR(2, 512)) /* free slots that a thread keeps */

/* ------------------------------------------------------------------------ class and domain */

struct obj_inside {
	struct obj_class_desc desc;
	struct obj_lock lock; /* rank CLASS: fifo, hi, committed, retired */
	struct obj *fifo_head, *fifo_tail;
	uint32_t fifo_n;
	uint32_t hi;       /* slots below it were handed out at least once; atomic */
	uint32_t limit;    /* slots below it may be touched: obj_class.limit, and set for direct
			    * classes too; atomic */
	uint32_t capacity; /* slots below it are in the reservation; 0: nothing reserved yet */
	uint32_t retired;
	uint32_t shift;   /* direct classes: stride is 1 << shift */
	size_t reserved;  /* bytes of address space at obj_class.base */
	size_t committed; /* bytes of it that may be touched */
	bool full_told;
};

#define NAME_DEFAULT 128 /* bytes: as MPI wants */

struct lang;
struct attr_cache;
struct attr_index;
struct closure;

#define OBJ_LOCKS 16 /* an object's lock is one of these, by address: enough for 2 cores and 64 */

struct obj_domain {
	struct obj_domain_opts opts;
	struct obj_lock lock; /* rank DOMAIN */
	struct obj_class *cls[256];
	struct lang *langs; /* [nlangs]; each is set once */
	uint32_t nlangs;
	struct obj_class keyvals;
	struct obj *reap;             /* objects of OBJ_F_LATER classes; lock DOMAIN */
	struct tombstone *tombstones; /* ring of the last freed objects; made at first need */
	uint32_t ntombstones;         /* ever written */
	struct obj_lock tombstone_lock;
	struct {
		struct obj_lock lock;  /* rank MEM: big, tried */
		size_t bytes;          /* handed out; atomic */
		struct obj_arena *big; /* jemalloc's, once it is in use; set once */
		bool tried;            /* to load jemalloc */
		bool bare;             /* pieces have no header; set once, at first */
	} mem;
	struct obj_domain *next, *prev; /* list of domains: lock DOMAINS */
	struct {
		struct obj_lock l;
		char pad[CACHE_LINE - sizeof(struct obj_lock)];
	} locks[OBJ_LOCKS]; /* rank OBJECT */
	struct obj *perm[OBJ_PERMANENT_MAX];
	struct obj *kv_perm[OBJ_PERMANENT_MAX]; /* permanent keyvals: a number space of their own */
};

#define RANK_DOMAINS   (OBJ_RANK_LEAF + 0)
#define RANK_DOMAIN    (OBJ_RANK_LEAF + 1)
#define RANK_OBJECT    (OBJ_RANK_LEAF + 2)
#define RANK_CLASS     (OBJ_RANK_LEAF + 3)
#define RANK_TOMBSTONE (OBJ_RANK_LEAF + 4)
#define RANK_THREADS   (OBJ_RANK_LEAF + 5)
#define RANK_MEM       (OBJ_RANK_LEAF + 6)
#define RANK_ARENA     (OBJ_RANK_LEAF + 7)

/* The parts of an object besides its header; made at first need and never moved. */
struct ext {
	struct obj *reap_next;
	char *name; /* lock OBJECT */
	uint32_t name_len;
	uint32_t ntrace;
	struct obj *errh;         /* lock OBJECT; holds a reference */
	struct attr_cache *attrs; /* set once */
	struct attr_index *index; /* of attrs, or the empty index: obj_attr_get reads it first */
	struct closure *closures;
	void **trace;    /* [ntrace] return addresses, set at creation */
	int64_t born_ns; /* valid with a trace only */
};

#define EXT_LINK 1ULL /* low bit of obj.ext: no ext, but the next object of a reap list */

/* --- mem_os.c ------------------------------------------------------------------------------- */

/* Address space, and sleeping on a word. */
void *obj_os_reserve(size_t len);        /* `len' of whole pages; NULL: refused */
void *obj_os_zeros(size_t len);          /* likewise, readable and writable at once */
bool obj_os_commit(void *p, size_t len); /* makes it readable and writable, zero; false: refused */
size_t obj_os_commit_unit(size_t len); /* bytes: a commit of `len' should end at a multiple of it */
void obj_os_release(void *p, size_t len);
size_t obj_os_space_limit(void); /* bytes one reservation may ask for: a share of RLIMIT_AS */
size_t obj_os_page(void);        /* bytes, a power of 2 */
bool obj_on_valgrind(void);      /* does this process run under valgrind? */
void obj_os_wait(uint32_t *word, uint32_t seen); /* sleeps while *word == seen */
void obj_os_wake(uint32_t *word);                /* wakes one sleeper */

/* ------------------------------------------------------------------------ upcalls */

/* Functions of higher files that lower ones call.  The process has one such table, in domain.c. */
struct obj_upcalls {
	void (*reap)(void); /* destroys what this thread's reap list has */
	int (*attrs_delete_all)(void *self);
	void (*attrs_free)(struct obj *o); /* without callbacks; no other thread has the object */
	void (*closures_free)(struct obj *o); /* likewise */
	struct attr_index *index_empty;       /* index of an object without attributes */
	/* Finds out why a handle is bad, calls the report hook, returns the error. */
	int (*report_handle)(struct obj_class *c, obj_h h, int why);
};
extern const struct obj_upcalls *obj_up; /* mutex.c; set by the first obj_domain_open */

/* ------------------------------------------------------------------------ mutex.c */

/* A lock without rank check and without counting, for fork. */
void obj_lock_take(struct obj_lock *l);
void obj_lock_give(struct obj_lock *l);

/* May this thread destroy nothing now? */
static inline bool reap_must_wait(void)
{
	return obj_this_thread.defer != 0 || obj_this_thread.nlocks != 0 || obj_this_thread.reaping;
}

/* Call this where a thread comes out of a callback, a destroy or a lock. */
static inline void reap_if_due(void)
{
	if (unlikely(obj_this_thread.reap != NULL) && !reap_must_wait())
		obj_up->reap();
}

/* ------------------------------------------------------------------------ registry.c */

extern struct obj_domain *obj_domains;   /* list of all domains, for fork and for gdb */
extern struct obj_lock obj_domains_lock; /* rank DOMAINS */
/* Enters the class under a free id, which is returned; 0: all ids are taken.  takes DOMAINS. */
uint32_t obj_class_id_take(struct obj_class *c);
void obj_class_id_give(uint32_t id);
struct obj_class *obj_class_by_id(uint32_t id); /* NULL: none */
/* Calls the domain's report hook with a text.  No lock of libobj may be held. */
void obj_report_text(struct obj_class *c, int why, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ------------------------------------------------------------------------ domain_mem.c */

#define ALLOC_SMALL ((size_t)MEAN_OR(1024, OBJ_ALLOC_SMALL))
/* Frees all memory of the domain's arena, at its end. */
void obj_mem_close(struct obj_domain *d);

/* ------------------------------------------------------------------------ thread.c */

bool obj_thread_attach(void);         /* this thread gets magazines; false: no memory */
void obj_threads_forget(uint32_t id); /* empties that magazine in all threads; exclusive */
/* In the child after fork: sets lost[id] where a thread that is gone had free slots. */
void obj_threads_lost(bool *lost);
extern struct obj_lock obj_threads_lock;

/* --- slots.c -------------------------------------------------------------------------------- */

/* slot_pop returns a slot that only the caller has: refs is 0, the token is its next one and dead
 * (flip bit 0 to publish it).  slot_push takes a slot back that has a dead token and no reference.
 * any thread. */
struct obj *obj_slot_refill(struct obj_class *c);         /* slow half of slot_pop; NULL: full */
void obj_slot_retire(struct obj_class *c, struct obj *o); /* slow half of slot_push */
void obj_mag_return(struct obj_class *c, struct mag *m);  /* gives all slots to the class */
void obj_table_drop(struct obj_class *c);                 /* gives the address space back */
bool obj_table_valid(struct obj_class *c);   /* checks the invariants above; exclusive */
void obj_table_rebuild(struct obj_class *c); /* finds the free slots (refs == 0) anew; exclusive */

/* Reports and diagnoses read these words of an object that may go at any moment. */
static inline uintptr_t site_of(const struct obj *o)
{
	return __atomic_load_n(&o->site, __ATOMIC_RELAXED);
}

/* Likewise, of the object's slot: without slot_index's division. */
static inline bool object_live(const struct obj_class *c, const struct obj *o, uint64_t t)
{
	return t != 0 && obj_slot(c, TOKEN_INDEX(t)) == o;
}

/* AddressSanitizer's: memory that must not be touched, and may be again. */
void __asan_poison_memory_region(const volatile void *p, size_t len);
void __asan_unpoison_memory_region(const volatile void *p, size_t len);

/* A never-used slot of the magazine, which has one: its first token is made here. */
static inline struct obj *mag_pop_fresh(const struct obj_class *c, struct mag *m)
{
	uint32_t index = m->fresh++;
	struct obj *o = obj_slot(c, index);
	uint64_t t = TOKEN_TAG | (uint64_t)c->id << 48 | TOKEN_GEN_ONE | index;

	__atomic_store_n(&o->token, t ^ TOKEN_DEAD, __ATOMIC_RELAXED);
	return o;
}

static inline struct obj *slot_pop(struct obj_class *c)
{
	struct mag *m = obj_this_thread.mags != NULL ? &obj_this_thread.mags[c->id] : NULL;
	struct obj *o;

	if (unlikely(m == NULL || m->avail == 0)) {
		o = m != NULL && m->fresh != m->fresh_end ? mag_pop_fresh(c, m)
							  : obj_slot_refill(c);
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

/* ------------------------------------------------------------------------ direct.c */

/* The slot whose direct handle would be `h', or NULL. */
struct obj *obj_direct_slot(const struct obj_class *c, obj_h h);

/* ------------------------------------------------------------------------ ext.c */

/* The object's ext, made if there is none; NULL: no memory.  Under the object's lock. */
struct ext *obj_ext_get(struct obj *o);
/* Frees the ext and all that it refers to.  No other thread has the object. */
void obj_ext_free(struct obj *o);

static inline struct ext *ext_of(const struct obj *o)
{
	uintptr_t e = (uintptr_t)__atomic_load_n(&o->ext, __ATOMIC_ACQUIRE);

	return e & EXT_LINK ? NULL : (struct ext *)e;
}

/* An object's lock is one of a few locks of its domain. */
static inline struct obj_lock *lock_of(const struct obj *o)
{
	return &o->u.cls->domain->locks[((uintptr_t)o >> 6) % OBJ_LOCKS].l;
}

/* Takes the object's lock; does nothing if the class is not shared. */
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

/* ------------------------------------------------------------------------ tombstone.c */

struct tombstone {
	uint64_t token;
	uintptr_t created; /* sites */
	uintptr_t freed;
	char name[64];
};

/* Remembers the name and the sites of an object that is being freed. */
void obj_tombstone_add(const struct obj *o, uintptr_t freed);
bool obj_tombstone_find(struct obj_domain *d, uint64_t token, struct tombstone *out); /* newest */
void obj_tombstones_close(struct obj_domain *d);

/* ------------------------------------------------------------------------ reap.c */

/* Destroys the object now.  Its refs are DYING, its token is dead; `freed' is the site of the
 * free, or 0.  runs destroy. */
void obj_destroy_now(struct obj *o, uintptr_t freed);
void obj_reap_add(struct obj *o);          /* enters it in this thread's list, or the domain's */
void obj_reap_forget(struct obj_class *c); /* takes the class's objects off both; exclusive */
void obj_reap_run(void);                   /* destroys the objects of this thread's list */

/* ------------------------------------------------------------------------ ref.c */

/* Takes a reference to the object that has this token, dead or live, in that slot.  False: the slot
 * has another token, or the object is being destroyed. */
bool obj_slot_hold(const struct obj_class *c, struct obj *o, uint64_t token);

/* ------------------------------------------------------------------------ class.c */

/* As obj_class_close.  `all': the whole domain closes, and other classes may be closed already. */
long obj_class_close_now(struct obj_class *c, bool all);

/* ------------------------------------------------------------------------ diagnosis.c */

int obj_report_handle(struct obj_class *c, obj_h h, int why); /* struct obj_upcalls */

/* ------------------------------------------------------------------------ obj_attr.c, keyval.c */

extern struct attr_index obj_index_empty;
void obj_attrs_free(struct obj *o); /* struct obj_upcalls */
/* Checks the attributes of an object: list, index and counts agree.  exclusive. */
bool obj_attrs_valid(const struct obj *o);
int obj_keyvals_open(struct obj_domain *d);
void obj_keyvals_close(struct obj_domain *d); /* the permanent ones */
void obj_langs_close(struct obj_domain *d);

/* ------------------------------------------------------------------------ closure.c */

void obj_closures_free(struct obj *o); /* struct obj_upcalls */

/* ------------------------------------------------------------------------ domain.c, fork.c */

void obj_fork_watch(void); /* registers the handlers of fork; call it once */

/* The address to which this function returns.  The function is OBJ_SITED: with -flto, a program
 * that is linked with libobj.a would have it in line, and another function's caller for a site. */
#define OBJ_SITED    __attribute__((noinline))
#define obj_caller() ((uintptr_t)__builtin_return_address(0))

#endif
