// SPDX-License-Identifier: BSD-3-Clause
/* inner.h - what the files of libobj share and nobody else sees.
 *
 *    struct obj_domain ── cls[id] ──> struct obj_class ── in ──> struct obj_inside: the slots' bookkeeping
 *          │                               │ base                  fifo: free slots of all threads
 *          └── perm[4096]                  v
 *                                     [ slot 0: never used ][ slot 1 ][ slot 2 ] ... [ hi ) ... reserved ... ]
 *    struct thread (thread-local) ── mags[id] ──> struct mag: free slots of this thread
 *
 * Invariants of a slot (checked by table_valid in debug builds):
 *   live     token names this slot, refs != 0, cls is its class
 *   pending  token with index bit 0 flipped, refs != 0      (handle freed, somebody still refers to it)
 *   free     token likewise (or 0: never used), refs == 0, next is the slot to be used after it
 * A stored token whose index is not that of its slot can equal no handle that leads here: that is why flipping one bit
 * is enough to kill a handle and keeps the generation for the next one.
 *
 * Lock ranks of libobj, upwards: DOMAIN < OBJECT < CLASS < GRAVE < THREADS < ARENA. */
#ifndef LIBOBJ_INNER_H
#define LIBOBJ_INNER_H

#include "libobj/base.h"
#include "libobj/obj.h"
#include <stdbool.h>

/* ------------------------------------------------------------------------------------------------ tokens */

#define TOKEN_TAG      (0x5aULL << 56)
#define TOKEN_CLASS(t) ((uint32_t)((t) >> 48) & 0xff)
#define TOKEN_INDEX(t) ((uint32_t)(t) & OBJ_INDEX_MAX)
#define TOKEN_GEN_ONE  (1ULL << 24)
#define TOKEN_GEN_OVER (1ULL << 31)                    /* set when the low generation passes 127 */
#define TOKEN_GEN_HI   (1ULL << 32)                    /* carry into the high one */
#define TOKEN_HI(t)    ((uint32_t)((t) >> 32) & 0xffff)
#define TOKEN_HI_MAX   ((uint32_t)MEAN_OR(3, 0xffff))  /* then the slot retires: a token never comes back */
#define TOKEN_DEAD     1ULL                            /* xor: index bit 0 */

#define REFS_INTERNAL 0x7fffffffULL
#define REFS_CLOSING  (1ULL << 62) /* obj_free runs callbacks */
#define REFS_USER(r)  ((uint32_t)((r) >> 32) & 0x3fffffff)

/* Generations used so far by a slot whose token word is t (0: never used). */
static inline uint64_t token_uses(uint64_t t)
{
	return t == 0 ? 0 : (uint64_t)TOKEN_HI(t) * 127 + ((t >> 24) & 127);
}

/* ------------------------------------------------------------------------------------------------ magazines */

#define FRESH_BATCH ((uint32_t)MEAN_OR(1, 32))   /* never-used slots a thread takes at once */
#define FIFO_BATCH  ((uint32_t)MEAN_OR(1, 64))   /* freed ones */
#define SPILL_MIN   ((uint32_t)MEAN_OR(2, 512))  /* free slots a thread keeps before it gives all to the class */

/* Free slots of one class in one thread, in order of freeing: the first `avail' may be handed out, the
 * `limbo' after them wait until as many others have been freed.  All by owner thread. */
struct mag {
	struct obj *head;
	struct obj *tail; /* good while avail + limbo != 0 */
	uint32_t avail;
	uint32_t limbo;
	uint32_t fresh; /* never-used slots [fresh, fresh_end) */
	uint32_t fresh_end;
};
static_assert(sizeof(struct mag) == 32, "two a cache line");

#define LOCKS_HELD_MAX 16 /* nested locks a debug build remembers */

struct thread {
	struct mag *mags; /* [nmags], by class id */
	uint32_t nmags;
	uint32_t defer; /* depth of obj_defer_begin and obj_lock */
	bool reaping;
	bool known; /* is in the list of threads */
	int user_rc;
	int nlocks;
	uintptr_t site;
	struct obj *reap; /* linked by reap_next */
	struct thread *next, *prev; /* list of threads: lock `threads' */
	struct obj_lock *locks[HAFT_DEBUG ? LOCKS_HELD_MAX : 1];
};
extern __thread struct thread me;

/* ------------------------------------------------------------------------------------------------ class and domain */

struct obj_inside {
	struct obj_class_desc desc;
	struct obj_lock lock; /* rank CLASS: fifo, hi, committed, retired */
	struct obj *fifo_head, *fifo_tail;
	uint32_t fifo_n;
	uint32_t hi;        /* slots handed out at least once are below; atomic */
	uint32_t capacity;  /* slots the reservation holds */
	uint32_t retired;
	size_t reserved;    /* bytes of address space at base */
	size_t committed;   /* bytes of it that may be touched */
	char *base;         /* also for direct classes, where cls->limit stays 0 */
	uint32_t shift;     /* direct classes: stride is 1 << shift */
	uint32_t hi_fork;   /* OBJ_FORK_FOREIGN: slots below are of the parent */
	bool full_told;
	struct obj *reap; /* OBJ_F_LATER; lock DOMAIN */
};

struct lang;

#define OBJ_LOCKS 16 /* an object's lock is one of these, by address: enough for 2 cores and 64 */

struct obj_domain {
	struct obj_domain_opts opts;
	struct obj_lock lock; /* rank DOMAIN */
	struct obj_class *cls[256];
	struct lang *langs; /* [nlangs]; set once each */
	uint32_t nlangs;
	struct obj_class keyvals;
	struct obj **kv_perm; /* OBJ_PERMANENT_MAX pointers, made at first need */
	struct obj *reap;     /* objects of OBJ_F_LATER classes; lock DOMAIN */
	struct grave *graves; /* made at first need */
	uint32_t ngraves;     /* ever written */
	struct obj_lock grave_lock;
	struct mem *mem;
	struct obj_domain *next, *prev; /* list of domains: lock `domains' */
	struct {
		struct obj_lock l;
		char pad[CACHE_LINE - sizeof(struct obj_lock)];
	} locks[OBJ_LOCKS]; /* rank OBJECT */
	struct obj *perm[OBJ_PERMANENT_MAX];
};

#define RANK_DOMAIN  (OBJ_RANK_LEAF + 0)
#define RANK_OBJECT  (OBJ_RANK_LEAF + 1)
#define RANK_CLASS   (OBJ_RANK_LEAF + 2)
#define RANK_GRAVE   (OBJ_RANK_LEAF + 3)
#define RANK_THREADS (OBJ_RANK_LEAF + 4)
#define RANK_ARENA   (OBJ_RANK_LEAF + 5)

/* class.c: the list of all domains, for fork, and for gdb. */
extern struct obj_domain *obj_domains;
extern struct obj_lock obj_domains_lock; /* rank THREADS */

/* What an object has besides its header, made at first need and never moved until the object goes. */
struct ext {
	struct obj *reap_next;
	char *name;        /* lock OBJECT */
	uint32_t name_len;
	uint32_t ntrace;
	struct obj *errh;  /* lock OBJECT; we hold it */
	struct cache *attrs; /* set once */
	struct closure *closures;
	void **trace; /* [ntrace] return addresses, set at creation */
	int64_t born_ns; /* with a trace only */
};

#define EXT_LINK 1ULL /* low bit of obj.ext: not an ext but the next object of a reap list */

/* table.c: slots.  slot_pop gives a slot with a live token, refs 0; slot_push takes one with refs 0 and a dead token. */
struct obj *slot_pop(struct obj_class *c);
void slot_push(struct obj_class *c, struct obj *o);
void table_drop(struct obj_class *c);  /* gives the address space back */
bool table_valid(struct obj_class *c); /* every invariant above; class lock not held; quiet */
void table_rebuild(struct obj_class *c); /* after fork: the free slots are those with refs == 0 */
uint32_t slot_index(const struct obj_class *c, const struct obj *o);

/* thread.c */
bool thread_attach(uint32_t id); /* this thread gets magazines up to class id */
void threads_forget(uint32_t id); /* empties that magazine in all threads; quiet */
void thread_tell(void (*fn)(struct thread *t, void *ctx), void *ctx); /* for each; takes THREADS */
extern struct obj_lock threads_lock;

/* ref.c */
struct ext *ext_get(struct obj *o); /* makes it; NULL: no memory */
static inline struct ext *ext_of(const struct obj *o)
{
	uintptr_t e = (uintptr_t)__atomic_load_n(&o->ext, __ATOMIC_ACQUIRE);

	return e & EXT_LINK ? NULL : (struct ext *)e;
}
void ext_free(struct obj *o);
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

/* handle.c */
int tell(struct obj_class *c, obj_h h, int why); /* fills a diag and calls the hook; returns why */
void tell_text(struct obj_class *c, int why, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void grave_add(const struct obj *o, uintptr_t freed); /* remembers name and sites of a freed object */

/* attr.c */
void attrs_free(struct obj *o); /* the cache goes, without callbacks; refs are 0 */
int keyvals_open(struct obj_domain *d);
/* call.c */
void closures_free(struct obj *o);
/* alloc.c */
void mem_close(struct obj_domain *d);

/* fork.c */
void fork_watch(void); /* once a process */

/* mem_os.c: address space. */
void *os_reserve(size_t len);              /* NULL: refused */
bool os_commit(void *p, size_t len);       /* readable and writable, zero */
void os_release(void *p, size_t len);
size_t os_space_limit(void);               /* bytes a single reservation may ask for, by RLIMIT_AS */
size_t os_page(void);
void os_wait(uint32_t *word, uint32_t seen); /* sleeps while *word == seen */
void os_wake(uint32_t *word);
uintptr_t os_caller_site(void);

#define obj_caller() ((uintptr_t)__builtin_return_address(0))

#endif
