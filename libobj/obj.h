// SPDX-License-Identifier: BSD-3-Clause
/* obj.h - handles that can be trusted: the public face of libobj.
 *
 * An object is memory of yours that begins with a `struct obj'.  It lives in a slot of its
 * class's table.  Outside it is known by a handle, which comes in two forms:
 *
 *     token     63   56 55    48 47         32 31 30   24 23          0
 *     obj_h     [ 0x5a ][ class ][ generation ][0][ gen  ][ index      ]   dereferenced, it faults
 *     INTEGER                                  [0][ gen  ][ index      ]   2^24 .. 2^31-1
 *
 * The slot holds the whole token, so one compare tells garbage, another class, freed, and freed
 * and used again.  An object counts two things in one word: handles its user has, and references
 * of all others (operations that run, objects that point to it).  obj_free ends the user's handle,
 * which is dead when it returns.  The object goes when both counts are zero, never under a lock and
 * never inside a callback.
 *
 * Locking.  Every declaration says one of
 *     any thread      no lock needed, nothing taken or taken inside; call it whenever you like
 *     owner           no lock needed, nothing taken: you hold a reference or are inside a callback
 *                     of the object; of two threads that do this to one object at once, one must
 *                     wait (your lock)
 *     takes X         takes lock X of libobj itself and gives it back before it returns
 *     runs callbacks  your code is run from inside: hold no lock of yours that it might want
 *     exclusive       no other thread may be inside a function on this domain
 * In short
 *     no lock needed  obj_get obj_find obj_acquire obj_handle obj_int obj_to_int obj_from_int
 *                     obj_hold obj_drop* obj_new* obj_share obj_free* obj_attr_get obj_refs obj_why
 *                     obj_user_rc obj_mem_get obj_mem_put obj_stats
 *     takes it itself obj_name_* obj_attr_set* obj_attr_delete* obj_attr_dup* obj_keyval_*
 *                     obj_errh_* obj_lang_add obj_class_open obj_foreach* obj_leaks*
 *                     obj_closure_new obj_reap*
 *     exclusive       obj_domain_close obj_domain_valid obj_domain_threads obj_class_close
 * Those with a star may run callbacks (construct, on_free, destroy, attribute copy and delete,
 * your function).
 *
 * Errors: functions return OBJ_OK (0) or one of enum obj_error, or NULL; nothing here prints or
 * aborts. */
#ifndef LIBOBJ_OBJ_H
#define LIBOBJ_OBJ_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define OBJ_VERSION "0.1.0"

/* ------------------------------------------------------------------------ limits */

#define OBJ_PERMANENT_MAX 4096      /* handles below are numbers that the caller names, but 0 */
#define OBJ_INDEX_MAX     0xffffff  /* live objects a class: 24 bits of index, less slot 0 */
#define OBJ_CLASS_MAX     254       /* classes a process: 8 bits of token, less 0 and 255 */
#define OBJ_NAME_MAX      4096      /* bytes a class may allow for a name, NUL included */
#define OBJ_TRACE_MAX     32        /* frames of a creation backtrace */
#define OBJ_LANG_MAX      32        /* languages a domain, the three built-in ones included */
#define OBJ_QUARANTINE    4096      /* default frees of a thread before a slot is used again */
#define OBJ_EXACT_MAX     65536     /* a smaller `max': every slot serves every thread, by a lock */
#define OBJ_ALLOC_SMALL   (1 << 20) /* live bytes of a domain before jemalloc is loaded */

/* ------------------------------------------------------------------------ errors */

enum obj_error {
	OBJ_OK = 0,
	OBJ_NULL,        /* the class's null handle, or 0 */
	OBJ_GARBAGE,     /* never was a handle of this domain */
	OBJ_STALE,       /* was a handle, and has been freed; its slot may be in use again */
	OBJ_WRONG_CLASS, /* a handle, live or not, of another class */
	OBJ_FOREIGN,     /* inherited through fork, and the domain's policy is OBJ_FORK_FOREIGN */
	OBJ_PERMANENT,   /* a permanent object or attribute, which cannot be freed or set */
	OBJ_BUSY,        /* a call further up the stack frees or deletes it */
	OBJ_NOMEM,       /* no memory, or the table is full */
	OBJ_KEYVAL,      /* not a live keyval of the object's class */
	OBJ_CALLBACK,    /* a callback said no (obj_user_rc), and nothing has changed */
	OBJ_INVALID      /* an argument out of range: a programming error of the caller */
};

/* Short English for an enum obj_error.  Never NULL.  any thread. */
const char *obj_error_text(int err);

/* ------------------------------------------------------------------------ types */

typedef void *obj_h; /* a handle: a token, a permanent number, or (direct classes) an address */

struct obj_class;
struct obj_domain;

/* The header of every object: the first member of your struct.  All fields are libobj's. */
struct obj {
	uint64_t token; /* the handle; index bit 0 flipped when it is dead; a permanent number */
	uint64_t refs;  /* internal references 0-30, saturated 31, user's handles 32-61, closing 62,
			 * dying 63; 0: a free slot */
	union {
		struct obj_class *cls; /* while refs != 0 */
		struct obj *next;      /* while the slot is free */
	} u;
	void *ext; /* name, attributes, error handler, trace; made at first need.  Free slot: the
		    * site of the free */
	uintptr_t site; /* where it was created; permanent: its default name */
};

#define OBJ_REFS_SATURATED (1ULL << 31) /* not counted any more: permanent, or 2^31 were reached */
#define OBJ_REFS_USER      (1ULL << 32) /* one handle of the user */

/* A class.  The memory is yours (usually static, all zero before obj_class_open: every lookup
 * then fails); the fields are libobj's, and only inline functions below read them. */
struct obj_class {
	char *base;        /* slot 0 */
	uint32_t limit;    /* slots a token may name; 0 for direct classes */
	uint32_t stride;   /* bytes a slot */
	struct obj **perm; /* [nperm] permanent objects of the domain */
	uint32_t nperm;    /* OBJ_PERMANENT_MAX when open, else 0 */
	uint8_t shared;    /* references are atomic */
	uint8_t id;        /* 1..OBJ_CLASS_MAX */
	uint16_t flags;    /* OBJ_F_* */
	struct obj_domain *domain;
	intptr_t null_value; /* as described */
	uint32_t quarantine;
	uint32_t spill;
	struct obj_inside *in; /* the rest, see obj_inner.h of libobj's source */
};

/* A source position, for OBJ_HERE. */
struct obj_site {
	const char *file;
	int line;
	const char *func;
};

/* The address of the caller, or a source position: creation and free site in reports. */
#define OBJ_SITE_TEXT (1ULL << 63) /* the rest is the address of a struct obj_site */
#define OBJ_HERE                                                                        \
	(__extension__({                                                                \
		static const struct obj_site obj_here = {__FILE__, __LINE__, __func__}; \
		(uintptr_t) & obj_here | OBJ_SITE_TEXT;                                 \
	}))

/* --- domains -------------------------------------------------------------------------------- */

/* A domain is one user of libobj: its classes, permanent numbers, languages, memory and
 * policies.  Handles of one domain are garbage or of the wrong class in another. */

enum obj_alloc {
	OBJ_ALLOC_AUTO, /* built-in up to OBJ_ALLOC_SMALL live bytes, then jemalloc if it loads */
	OBJ_ALLOC_BUILTIN, /* built-in only */
	OBJ_ALLOC_JEMALLOC /* jemalloc from the first byte; where it does not load, built-in */
};

enum obj_fork {
	OBJ_FORK_SHARE,  /* the child goes on using its copies of the parent's objects */
	OBJ_FORK_FOREIGN /* in the child, handles of before the fork are refused as OBJ_FOREIGN */
};

/* The diagnosis of a handle, for obj_why and the report hook.  Strings live inside. */
struct obj_diag {
	int why;           /* enum obj_error */
	uint64_t handle;   /* as given */
	char cls[32];      /* name of the class that was expected */
	char other[32];    /* OBJ_WRONG_CLASS: name of the class it belongs to */
	char name[64];     /* name of the object, if it has or had one and that is still known */
	uintptr_t created; /* site, or 0 */
	uintptr_t freed;   /* site, or 0 */
	char text[512];    /* one line with all of this, without newline */
};

/* Called when libobj itself refuses something (obj_free of a bad handle, a full table, address
 * space that could be reserved only in part).  `diag' is valid during the call.  No lock is
 * held; calling libobj is allowed. */
typedef void obj_report_fn(void *ctx, const struct obj_diag *diag);

struct obj_domain_opts {
	size_t size;      /* sizeof(struct obj_domain_opts): later versions add fields at the end */
	const char *name; /* for reports; kept by address */
	uint32_t quarantine; /* default of classes that name none; 0: OBJ_QUARANTINE */
	uint32_t trace;      /* frames of backtrace stored with each object, 0..OBJ_TRACE_MAX; costs
				microseconds */
	int alloc;           /* enum obj_alloc */
	int fork;            /* enum obj_fork */
	int threads;         /* as by obj_domain_threads */
	obj_report_fn *report;
	void *report_ctx;
	/* Around each copy and delete callback of an attribute, both or neither: for runtimes with
	 * a lock that users' code must not run under.  user_end gets what user_begin returned. */
	int (*user_begin)(void);
	void (*user_end)(int had);
};

/* obj_domain_open makes a domain.  `opts' may be NULL (all zero).  OBJ_OK, OBJ_INVALID,
 * OBJ_NOMEM.  It is one mmap and touches two pages.  any thread. */
int obj_domain_open(struct obj_domain **domain, const struct obj_domain_opts *opts);

/* obj_domain_close ends a domain and all of its classes: prints the leak report to file
 * descriptor `leaks' (< 0: do not) in format `fmt' (enum obj_fmt), and returns how many objects
 * were alive.  These are not destroyed: no callback runs.  All handles are garbage and all
 * objects gone afterwards.  exclusive. */
long obj_domain_close(struct obj_domain *domain, int leaks, int fmt);

/* obj_domain_valid: 1 if all tables of a domain, and all objects in them, keep their invariants:
 * tokens, counts, names, attributes; else 0.  Slow: it looks at each.  obj_domain_close calls it in
 * debug builds.  exclusive. */
int obj_domain_valid(struct obj_domain *domain);

/* obj_domain_threads says whether objects of the domain are used by several threads at once from
 * now on.  Off (the start), reference counting is plain arithmetic and object locks are not
 * taken; on, both are.  Creating, freeing and looking up is safe from any thread in either mode.
 * exclusive: call it before the second thread comes in. */
void obj_domain_threads(struct obj_domain *domain, int on);

/* obj_on_error sets the report hook (NULL: none).  exclusive. */
void obj_on_error(struct obj_domain *domain, obj_report_fn *report, void *ctx);

/* ------------------------------------------------------------------------ classes */

#define OBJ_F_DIRECT 1 /* the handle is the address behind the header: of its first word */
#define OBJ_F_RAW    2 /* obj_new does not clear the memory behind the header */
#define OBJ_F_LATER  4 /* destroy runs only from obj_reap: a progress thread never runs it */
#define OBJ_F_SHARED 8 /* several threads from the start, whatever obj_domain_threads says */

struct obj_class_desc {
	size_t size;      /* sizeof(struct obj_class_desc) */
	const char *name; /* for reports ("task"); kept by address */
	size_t obj_size;  /* bytes of your struct, header included; slots are multiples of 64
			     (direct: powers of 2) */
	size_t name_max;  /* longest object name, NUL included; 0: 128; at most OBJ_NAME_MAX */
	uint32_t flags;   /* OBJ_F_* */
	uint32_t max; /* live objects at most; 0: OBJ_INDEX_MAX.  Address space is reserved for that
			 many */
	uint32_t
		quarantine; /* frees (of a thread) before a slot is used again; 0: the domain's.  An
			      * INTEGER handle comes back after 127 x this many creations at the
			      * earliest (less if the table is full); a token never does */
	intptr_t null_value; /* obj_free leaves it in the handle variable, and obj_why calls it
				OBJ_NULL */

	/* All may be NULL.  No lock of libobj is held in any of them, and each may call libobj. */
	/* in obj_new, before the handle is valid; not 0: obj_new undoes and returns NULL */
	int (*construct)(void *self, void *arg);
	void (*on_free)(void *self); /* in obj_free, the last thing while the handle is valid */
	void (*destroy)(void *self); /* the last reference has gone; the handle is dead */
	/* words for the leak report, as snprintf */
	int (*describe)(const void *self, char *buf, size_t n);
};

/* obj_class_open makes `cls' a class of the domain.  OBJ_OK, OBJ_INVALID, OBJ_NOMEM (also:
 * OBJ_CLASS_MAX reached).  No address space is reserved before the first obj_new.  takes the
 * domain's lock. */
int obj_class_open(
	struct obj_class *cls, struct obj_domain *domain, const struct obj_class_desc *desc);

/* obj_class_close gives the class's table back and returns the number of objects that were alive
 * in it (not destroyed, no callback).  `cls' is all zero afterwards.  obj_domain_close does it
 * for all.  exclusive. */
long obj_class_close(struct obj_class *cls);

/* The name that the class was opened with. */
const char *obj_class_name(
	const struct obj_class *cls); /* any thread; lives as long as the class */

/* ------------------------------------------------------------------------ objects */

/* obj_new makes an object with one user's handle and no other reference; `arg' goes to
 * construct.  NULL: no memory, table full (reported by the hook), or construct said no
 * (obj_user_rc() is its result).  The site is that of obj_site_set, or else the caller's
 * address.  any thread; runs construct. */
void *obj_new(struct obj_class *cls, void *arg);

/* As obj_new, with a site of your own: obj_new_at(c, arg, OBJ_HERE). */
void *obj_new_at(struct obj_class *cls, void *arg, uintptr_t site);

/* obj_permanent registers your own memory `self' (it begins with a zeroed struct obj; its size
 * is not checked) as the permanent object `value', 1..OBJ_PERMANENT_MAX-1.
 * References to it are not counted; it is never destroyed.  `name' is its default name, kept by
 * address, or NULL.  Freeing it is OBJ_PERMANENT, or with `ignore' nothing: OBJ_OK, and the
 * variable gets the null value.  OBJ_BUSY: the value is taken.  owner. */
int obj_permanent(struct obj_class *cls, uint32_t value, void *self, const char *name, int ignore);

/* obj_permanent_end takes a permanent object out again and frees its name, error handler and
 * attributes (no callback: call obj_attr_delete_all before).  owner. */
void obj_permanent_end(void *self);

/* obj_share gives the user one more handle of the same value, to be freed like the first one.  The
 * handle must be alive (or its end be on its way: on_free): once it has ended it never comes back,
 * and obj_get does not find it any more.  owner. */
obj_h obj_share(void *self);

/* obj_free ends the user's handle.  It looks *handle up, runs the attributes' delete callbacks
 * (last set first) and on_free, ends the handle, gives back the user's reference and sets
 * *handle to the class's null value.  The object is destroyed when no reference is left, maybe
 * now.  OBJ_OK; OBJ_NULL, OBJ_GARBAGE, OBJ_STALE, OBJ_WRONG_CLASS, OBJ_FOREIGN (hook
 * told); OBJ_PERMANENT; OBJ_BUSY (re-entrant free from one of its callbacks); OBJ_CALLBACK: a
 * delete callback said no: the handle stays valid, and so do that attribute and those not
 * reached yet.  any thread; runs callbacks. */
int obj_free(struct obj_class *cls, obj_h *handle);

/* As obj_free, for an object that the caller has just looked up and that no other thread can free:
 * the handle is not checked again.  For objects that come and go by the million.  any thread; runs
 * callbacks. */
void obj_free_fresh(struct obj_class *cls, void *self);

/* As obj_free, for a caller that has the object and not the handle.  Unless it fails, `self' is not
 * yours afterwards. */
int obj_free_obj(void *self);

/* The value that the last refusing callback (copy, delete, construct) of this thread returned.  any
 * thread. */
int obj_user_rc(void);

/* obj_site_set names the site of the next creations and frees of this thread: the address of
 * your user's call, or 0 to go back to the caller's address.  any thread. */
void obj_site_set(uintptr_t site);

/* The site that obj_site_set has named; 0: none.  any thread. */
uintptr_t obj_site_now(void);

/* Both counts of an object.  A snapshot.  owner. */
void obj_refs(const void *self, uint32_t *user, uint32_t *internal);

/* --- slow halves ---------------------------------------------------------------------------- */

/* Called by the inline functions further down; not for direct use. */
void *obj_get_direct(const struct obj_class *cls, obj_h handle);
obj_h obj_from_int_direct(const struct obj_class *cls, uint32_t i);
void obj_gone(
	struct obj *o); /* the last reference has gone: destroy now, or put on the reap list */

static inline struct obj *obj_slot(const struct obj_class *c, size_t index)
{
	struct obj *o = (struct obj *)(void *)(c->base + index * c->stride);

	if (o == NULL) /* tells the compiler that callers need no compare with NULL */
		__builtin_unreachable();
	return o;
}

/* ------------------------------------------------------------------------ lookup */

/* obj_get_token: obj_get for a class that is known not to be direct: nothing on the way through is
 * a call, so no register is saved.  any thread. */
static inline void *obj_get_token(const struct obj_class *c, obj_h handle)
{
	uint64_t h = (uint64_t)(uintptr_t)handle;
	uint32_t index = (uint32_t)h & OBJ_INDEX_MAX;

	if (h < OBJ_PERMANENT_MAX) { /* nperm would be one more load */
		struct obj *p = h < c->nperm ? c->perm[h] : NULL;

		return p != NULL && p->u.cls == c ? p : NULL;
	}
	if (__builtin_expect(index < __atomic_load_n(&c->limit, __ATOMIC_ACQUIRE), 1)) {
		struct obj *o = obj_slot(c, index);

		/* acquire: after the token, the object's first contents are visible */
		return __atomic_load_n(&o->token, __ATOMIC_ACQUIRE) == h ? o : NULL;
	}
	return NULL;
}

/* obj_get: the live object behind a handle of this class, or NULL for anything else (obj_why says
 * what).  Holds nothing: with several threads the object stays only as long as the user does not
 * free the handle meanwhile.  That is the user's duty; where you cannot rely on it, use
 * obj_acquire.  Any 64 bits may be given.  any thread. */
static inline void *obj_get(const struct obj_class *c, obj_h handle)
{
	void *self = obj_get_token(c, handle);

	return self == NULL && c->flags & OBJ_F_DIRECT ? obj_get_direct(c, handle) : self;
}

/* obj_acquire: like obj_get, and holds the object for you (obj_drop when done).  Safe against a
 * concurrent free: either you hold a live object, or NULL.  any thread. */
void *obj_acquire(const struct obj_class *cls, obj_h handle);

/* obj_handle: the handle of an object: the same value until it is freed, then one that is never
 * valid.  any thread. */
static inline obj_h obj_handle(const void *self)
{
	const struct obj *o = (const struct obj *)self;

	if (__builtin_expect(o->u.cls->flags & OBJ_F_DIRECT, 0) && o->token >= OBJ_PERMANENT_MAX)
		return (obj_h)((uintptr_t)self + sizeof(struct obj));
	return (obj_h)(uintptr_t)o->token;
}

/* obj_int: the INTEGER form: positive, at least 2^24 or the permanent number; the same on each
 * call.  any thread. */
static inline int obj_int(const void *self)
{
	return (int)(((const struct obj *)self)->token & 0x7fffffff);
}

/* obj_to_int: the INTEGER form of a token or permanent handle (not of a direct one).  No check.
 * any thread. */
static inline int obj_to_int(obj_h handle)
{
	return (int)((uintptr_t)handle & 0x7fffffff);
}

/* obj_from_int_live: the handle of the INTEGER form of a live object that is not permanent, or 0.
 * Any 32 bits may be given.  any thread. */
static inline obj_h obj_from_int_live(const struct obj_class *c, int i)
{
	uint64_t u = (uint32_t)i; /* 64 bits: an index that a pointer can be added to */
	uint64_t index = u & OBJ_INDEX_MAX;

	if (u >= OBJ_PERMANENT_MAX && index < __atomic_load_n(&c->limit, __ATOMIC_ACQUIRE)) {
		uint64_t t = __atomic_load_n(&obj_slot(c, index)->token, __ATOMIC_RELAXED);

		if ((uint32_t)t == u)
			return (obj_h)(uintptr_t)t;
	}
	return 0;
}

/* obj_from_int: the handle of an INTEGER form.  If it names no live object of the class the
 * answer is the number itself: never valid, and obj_why still knows its object.  Any 32 bits
 * may be given.  any thread. */
static inline obj_h obj_from_int(const struct obj_class *c, int i)
{
	uint32_t u = (uint32_t)i;
	obj_h live = obj_from_int_live(c, i);

	if (live != 0)
		return live;
	return c->flags & OBJ_F_DIRECT ? obj_from_int_direct(c, u) : (obj_h)(uintptr_t)u;
}

/* obj_find: obj_get(c, obj_from_int(c, i)) with one lookup.  any thread. */
static inline void *obj_find(const struct obj_class *c, int i)
{
	uint32_t u = (uint32_t)i;
	uint32_t index = u & OBJ_INDEX_MAX;

	if (u >= OBJ_PERMANENT_MAX && index < __atomic_load_n(&c->limit, __ATOMIC_ACQUIRE)) {
		struct obj *o = obj_slot(c, index);

		return (uint32_t)__atomic_load_n(&o->token, __ATOMIC_ACQUIRE) == u ? o : NULL;
	}
	return obj_get(
		c, c->flags & OBJ_F_DIRECT ? obj_from_int_direct(c, u) : (obj_h)(uintptr_t)u);
}

/* obj_why says why obj_get gives NULL for a handle (or OBJ_OK if it does not), with names and
 * sites.  `diag' may be NULL.  INTEGER forms are understood too.  any thread; slow. */
int obj_why(const struct obj_class *cls, obj_h handle, struct obj_diag *diag);

/* Writes a site as "file:line (func)" or "program+0x12 (func)".  Returns as snprintf.  any
 * thread; slow. */
int obj_site_text(uintptr_t site, char *buf, size_t n);

/* --- references ----------------------------------------------------------------------------- */

/* Hold before you hand over; drop what you hold; say in a comment when you give yours away. */

/* obj_hold: one more internal reference.  You hold one already, or the user's handle cannot go
 * meanwhile.  any thread. */
static inline void obj_hold(void *self)
{
	struct obj *o = (struct obj *)self;
	uint64_t r = __atomic_load_n(&o->refs, __ATOMIC_RELAXED);

	if (r & OBJ_REFS_SATURATED)
		return;
	if (o->u.cls->shared)
		__atomic_fetch_add(&o->refs, 1, __ATOMIC_RELAXED);
	else
		__atomic_store_n(&o->refs, r + 1, __ATOMIC_RELAXED);
}

/* obj_drop: gives back what obj_hold or obj_acquire took.  `self' is not yours afterwards.  At
 * zero, destroy runs: now, or if this thread is inside a callback, a destroy or an obj_lock,
 * when it comes out; OBJ_F_LATER: in obj_reap.  any thread; may run destroy. */
static inline void obj_drop(void *self)
{
	struct obj *o = (struct obj *)self;
	uint64_t r = __atomic_load_n(&o->refs, __ATOMIC_RELAXED);

	if (r & OBJ_REFS_SATURATED)
		return;
	if (o->u.cls->shared) {
		/* release: my writes before the destroyer's reads; acquire: if it is me */
		r = __atomic_sub_fetch(&o->refs, 1, __ATOMIC_ACQ_REL);
	} else {
		r--;
		__atomic_store_n(&o->refs, r, __ATOMIC_RELAXED);
	}
	if (r == 0)
		obj_gone(o);
}

/* Between obj_defer_begin and obj_defer_end nothing is destroyed on this thread: objects whose
 * last reference goes wait on its reap list until the outermost end.  Put them round callbacks
 * to your user.  any thread; the end runs destroy. */
void obj_defer_begin(void);
void obj_defer_end(void);

/* obj_reap destroys the waiting objects of the domain's OBJ_F_LATER classes, and returns how
 * many.  any thread; takes the domain's lock; runs destroy. */
long obj_reap(struct obj_domain *domain);

/* ------------------------------------------------------------------------ names */

enum obj_text {
	OBJ_C,      /* up to NUL or n bytes; returned with NUL */
	OBJ_FORTRAN /* n bytes: trailing blanks do not count, leading ones do; returned padded with
		       blanks, no NUL */
};

/* obj_name_set names an object; longer names are cut at the class's name_max - 1 bytes.
 * Permanent objects can be renamed.  OBJ_OK, OBJ_NOMEM.  takes the object's lock. */
int obj_name_set(void *self, const char *s, size_t n, int how);

/* obj_name_get writes the name (empty if there is none) into buf, at most `cap' bytes (NUL
 * included if OBJ_C), and its length written, without padding, to *len.  takes the object's
 * lock. */
void obj_name_get(const void *self, char *buf, size_t cap, int how, int *len);

/* --- attributes ----------------------------------------------------------------------------- */

/* A keyval is an object of its own, known by its INTEGER; attributes are (keyval, value) pairs
 * of an object, in the order of setting.  Setting again is: delete callback, then a new newest
 * attribute.  An attribute whose delete callback runs is invisible, and cannot be set or deleted
 * again from inside it (OBJ_BUSY); another thread that wants to waits for the callback.
 * Values remember the language they were set in:
 *                        read as OBJ_LANG_C        read as FINT        read as FADDR
 *     set as OBJ_LANG_C  the pointer               its low 32 bits     the pointer as a number
 *     set as FINT        address of an int         the int             the int, sign kept
 *     set as FADDR       address of an intptr_t    its low 32 bits     the number
 * The addresses stay good until the attribute is deleted. */

enum obj_lang {
	OBJ_LANG_C,     /* pointer-sized values; int f(handle, key, extra, in, *out, *flag) */
	OBJ_LANG_FINT,  /* Fortran INTEGER values, all arguments by reference, error code last */
	OBJ_LANG_FADDR, /* Fortran address-sized INTEGER values, the rest as FINT */
	OBJ_LANG_USER   /* first one from obj_lang_add */
};

enum obj_form {
	OBJ_FORM_POINTER,
	OBJ_FORM_INT,
	OBJ_FORM_ADDR
}; /* the values of a language: the rows above */

/* The arguments of one attribute callback, for languages registered at run time. */
struct obj_attr_call {
	obj_h handle;     /* the object's */
	int object;       /* its INTEGER form */
	int key;          /* the keyval */
	intptr_t extra;   /* extra_state as given to obj_keyval_new */
	intptr_t in;      /* the value, read in the keyval's language */
	intptr_t out;     /* copy: the new value, to be set by the callback */
	int flag;         /* copy: 0: do not copy; set by the callback */
	void (*fn)(void); /* the user's callback */
	void *ctx;        /* of the language */
};

/* A language: how its values look and how its callbacks are called.  Either functions of yours
 * that make the call (return the user's code, 0 is success), or signatures for libffi: see
 * obj_call below; the roles after `=' are h handle, o object's INTEGER, k key, x extra, i value
 * in, v value out, f flag, r code.  E.g. a Fortran with 8-byte INTEGERs:
 *     copy "v(&l=o,&l=k,&l=x,&l=i,&l=v,&l=f,&l=r)"    del "v(&l=o,&l=k,&l=i,&l=x,&l=r)" */
struct obj_lang_desc {
	size_t size;
	const char *name;
	int form; /* enum obj_form */
	int (*copy)(struct obj_attr_call *call);
	int (*del)(struct obj_attr_call *call);
	const char *copy_sig;
	const char *del_sig;
	void *ctx;
};

/* obj_lang_add registers a language.  *lang is its number.  OBJ_OK, OBJ_INVALID, OBJ_NOMEM
 * (OBJ_LANG_MAX; no libffi).  takes the domain's lock. */
int obj_lang_add(struct obj_domain *domain, const struct obj_lang_desc *desc, int *lang);

#define OBJ_KV_COPY_NONE ((void (*)(void))0) /* the attribute is not copied by obj_attr_dup */
#define OBJ_KV_COPY_SAME ((void (*)(void))1) /* it is copied as it is */
#define OBJ_KV_DEL_NONE  ((void (*)(void))0) /* no callback at its deletion */
#define OBJ_KV_FIXED     1 /* flag: only obj_attr_fix sets it, and it cannot be deleted */

struct obj_keyval_desc {
	size_t size;
	int lang;           /* convention of copy and del: enum obj_lang or from obj_lang_add */
	uint32_t flags;     /* OBJ_KV_FIXED */
	void (*copy)(void); /* int copy(obj_h, int key, void *extra, void *in, void *out, int *flag)
			       in OBJ_LANG_C */
	void (*del)(void);  /* int del(obj_h, int key, void *in, void *extra) */
	intptr_t extra;
	void (*extra_free)(
		intptr_t extra); /* when the keyval and its last attribute have gone; may be NULL */
};

/* obj_keyval_new makes a keyval for objects of class `target'.  OBJ_OK, OBJ_INVALID, OBJ_NOMEM.
 * any thread. */
int obj_keyval_new(struct obj_class *target, const struct obj_keyval_desc *desc, int *key);

/* obj_keyval_permanent makes one with a number of your choice, 1..OBJ_PERMANENT_MAX-1 (a number
 * space of its own). */
int obj_keyval_permanent(
	struct obj_class *target, uint32_t value, const struct obj_keyval_desc *desc);

/* The class of the domain's keyvals, for obj_foreach.  any thread. */
struct obj_class *obj_keyvals(struct obj_domain *domain);

/* obj_keyval_free frees a keyval and sets *key to 0.  No attribute can be set by its number from
 * now on; attributes that exist are read, copied and deleted until the last one has gone.
 * OBJ_OK, OBJ_KEYVAL, OBJ_PERMANENT.  any thread. */
int obj_keyval_free(struct obj_class *target, int *key);

/* obj_keyval_exists: is there a keyval of that number, a live one, or a freed one that an attribute
 * still holds?  1 or 0.  any thread. */
int obj_keyval_exists(const struct obj_class *target, int key);

/* obj_attr_set sets an attribute.  OBJ_OK, OBJ_KEYVAL, OBJ_PERMANENT (OBJ_KV_FIXED), OBJ_BUSY,
 * OBJ_NOMEM, OBJ_CALLBACK (the old value's delete callback said no; it stays).  takes the
 * object's lock, not during callbacks; runs callbacks. */
int obj_attr_set(void *self, int key, int lang, intptr_t value);

/* obj_attr_fix sets an OBJ_KV_FIXED attribute; else like obj_attr_set. */
int obj_attr_fix(void *self, int key, int lang, intptr_t value);

/* obj_attr_get reads an attribute as language `lang' sees it: *found is 1 and *value set, or
 * *found is 0.  The number of a freed keyval is good as long as an attribute of any object holds
 * it.  OBJ_OK, OBJ_KEYVAL. any thread; lock-free; constant time. */
int obj_attr_get(const void *self, int key, int lang, intptr_t *value, int *found);

/* obj_attr_delete deletes an attribute.  The number of a freed keyval still names the attributes
 * that hold it.  OBJ_OK, OBJ_KEYVAL, OBJ_INVALID (it has none of that key), OBJ_PERMANENT,
 * OBJ_BUSY, OBJ_CALLBACK (it stays).  takes the object's lock, not during callbacks; runs
 * callbacks. */
int obj_attr_delete(void *self, int key);

/* obj_attr_dup copies the attributes of `from' that want it to `to' (same class, new, no
 * attributes), oldest first.  If a copy callback says no, the copies made are deleted again,
 * newest first, and OBJ_CALLBACK.  Also OBJ_NOMEM, OBJ_INVALID. takes the objects' locks, not
 * during callbacks; runs callbacks. */
int obj_attr_dup(void *from, void *to);

/* obj_attr_delete_all deletes them all, last set first, with those that callbacks set meanwhile.
 * obj_free does it; permanent objects need a call.  OBJ_OK, OBJ_CALLBACK (that one and older
 * ones stay).  runs callbacks. */
int obj_attr_delete_all(void *self);

/* obj_attr_next walks the attributes from the oldest: *at is 0 at first; returns 1 and fills, or
 * 0 at the end.  The walk sees a consistent attribute at a time, not a snapshot.  takes the
 * object's lock. */
int obj_attr_next(const void *self, uint64_t *at, int *key, int *lang, intptr_t *value);

/* ------------------------------------------------------------------------ error handlers */

/* obj_errh_set puts an object (NULL: none) into the error-handler slot and holds it; the one
 * before is dropped.  OBJ_OK, OBJ_NOMEM.  takes the object's lock; may run the old one's
 * destroy. */
int obj_errh_set(void *self, void *errh);

/* obj_errh_get: the object in the slot with a reference that is yours (obj_drop), or NULL.
 * takes the object's lock. */
void *obj_errh_get(const void *self);

/* ------------------------------------------------------------------------ iteration and reports */

/* obj_foreach calls fn for every object of the class whose handle is live, in order of slots
 * (permanent ones have none), holding the object meanwhile.  Objects may be made and freed inside;
 * new ones may be missed. fn not 0 ends it, and that is returned.  any thread; runs fn. */
int obj_foreach(struct obj_class *cls, int (*fn)(void *self, void *ctx), void *ctx);

struct obj_class_stats {
	size_t size;        /* set by the caller: sizeof(struct obj_class_stats) */
	uint64_t live;      /* handles alive */
	uint64_t pending;   /* handle freed, object still referred to */
	uint64_t permanent; /* permanent objects */
	uint64_t created;   /* since obj_class_open */
	uint64_t slots;     /* ever used: the high-water mark of live + quarantined */
	uint64_t retired;   /* slots whose generations are used up */
	uint64_t capacity;  /* objects that the reserved address space holds; 0 before the first */
	uint64_t stride;    /* bytes an object, header and padding included */
};

/* obj_stats counts by looking at every slot, so that the fast path need not count.  any thread, and
 * signal handlers; slow. */
void obj_stats(struct obj_class *cls, struct obj_class_stats *stats);

enum obj_fmt { OBJ_FMT_TEXT, OBJ_FMT_JSON };

/* obj_leaks writes all live and pending objects of the domain to file descriptor fd, grouped by
 * class and creation site: class, handle, name, counts, site, describe's words.  Returns their
 * number; keyvals are objects too.  any thread (a snapshot each object); slow. */
long obj_leaks(struct obj_domain *domain, int fmt, int fd);

/* --- closures and calls --------------------------------------------------------------------- */

/* A signature is ret(arg,...), each of v void (ret only) b 8 s 16 i 32 l 64 bit signed, p
 * pointer, f float, d double; & before it: by reference.  White space is not allowed. */

/* The body of a closure: args[n] points to the n-th argument (by reference:
 * to the arguments whose addresses the caller passed), ret to room for the result (at
 * least 8 bytes). */
typedef void obj_closure_fn(void *state, void *ret, void **args);

/* obj_closure_new makes a C function *code of signature `sig' that calls fn with `state', and
 * lives as long as `owner'.  For callbacks that carry no state argument.  OBJ_OK, OBJ_INVALID
 * (sig), OBJ_NOMEM (also: no libffi and the pool of OBJ_POOL_MAX integer-only thunks used up).
 * takes the owner's lock. */
int obj_closure_new(
	void *owner, const char *sig, obj_closure_fn *fn, void *state, void (**code)(void));

/* obj_call calls fn, of signature `sig', through libffi: args[n] points to the n-th argument;
 * ret to room for the result (8 bytes).  OBJ_OK, OBJ_INVALID, OBJ_NOMEM (no libffi).  any
 * thread. */
int obj_call(const char *sig, void (*fn)(void), void *ret, void **args);

#define OBJ_POOL_MAX 32 /* thunks where no code may be written; up to 6 integer arguments */

/* The allocator of obj_closure_new: "libffi" or "pool".  any thread. */
const char *obj_closure_kind(void);

/* --- memory --------------------------------------------------------------------------------- */

/* For memory without a fixed size: names, attribute tables, traces, buffers.  Aligned to 16. */

void *obj_mem_get(
	struct obj_domain *domain, size_t len); /* not cleared; NULL: none left.  any thread */
void obj_mem_put(struct obj_domain *domain, void *p); /* p may be NULL.  any thread */
const char *obj_mem_kind(
	struct obj_domain *domain); /* "jemalloc 5.3.0", "built-in": the one in use now */
size_t obj_mem_bytes(struct obj_domain *domain); /* handed out and not given back */

/* An arena hands out pieces of memory that you provide (a shared segment, huge pages, a NUMA
 * node). */
struct obj_arena;

struct obj_arena_opts {
	size_t size; /* sizeof(struct obj_arena_opts) */
	int alloc;   /* enum obj_alloc; AUTO is jemalloc if it is loaded already, else built-in */
	/* More memory: at least len bytes at a multiple of align (both multiples of 64 KiB), or
	 * NULL.  It is the arena's until obj_arena_free.  Called with the arena's lock held: must
	 * not come back into the arena. */
	void *(*grow)(void *ctx, size_t len, size_t align);
	void *ctx;
};

struct obj_arena *obj_arena_new(const struct obj_arena_opts *opts); /* NULL: no memory */
void *obj_arena_get(
	struct obj_arena *arena, size_t len, size_t align); /* align: power of 2, at most 64 KiB */
/* Gives memory of obj_arena_get back.  NULL: nothing.  any thread. */
void obj_arena_put(struct obj_arena *arena, void *p);
size_t obj_arena_bytes(struct obj_arena *arena); /* handed out now */
/* The allocator: jemalloc's version, or "built-in"; static.  any thread. */
const char *obj_arena_kind(const struct obj_arena *arena);
void obj_arena_free(struct obj_arena
		*arena); /* all pieces go with it; the memory is its provider's again.  exclusive */

/* --- locks ---------------------------------------------------------------------------------- */

/* A mutex of 4 bytes that sleeps in the kernel, with a name and a rank: take them upwards (debug
 * builds abort with both names otherwise).  Nothing is destroyed while this thread has one
 * (with one thread locks are not taken: obj_defer_begin and obj_defer_end say it in both modes). */
struct obj_lock {
	uint32_t word; /* 0 free, 1 taken, 2 taken and waited for */
	uint32_t rank;
	const char *name;
};

#define OBJ_RANK_LEAF 1000 /* ranks of libobj's own locks begin here; yours are below */
#define OBJ_LOCK_INIT(rank, name) \
	{                         \
		0, (rank), (name) \
	}

extern uint32_t
	obj_threads_on; /* some domain is in threaded mode; set by obj_domain_threads only */

/* obj_lock and obj_unlock do nothing (debug: check) unless a domain is in threaded mode.
 * obj_lock may sleep. */
void obj_lock_always(struct obj_lock *lock);
void obj_unlock_always(struct obj_lock *lock);

static inline void obj_lock(struct obj_lock *lock)
{
	if (obj_threads_on)
		obj_lock_always(lock);
}

static inline void obj_unlock(struct obj_lock *lock)
{
	if (obj_threads_on)
		obj_unlock_always(lock);
}

/* Locks that this thread has now; to be 0 where you enter and leave.  any thread. */
int obj_locks_held(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
