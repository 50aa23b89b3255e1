// SPDX-License-Identifier: BSD-3-Clause
/* class.c - domains and classes: opening, closing, who is where.
 *
 *   obj_domains ──> domain ──> domain      classes[id]: one number space for the whole process,
 *                     │ cls[id]            so a token of one domain is never right in another
 *                     v
 *                   class (the user's memory) ── in ──> obj_inside
 *
 * Ids are given out round robin: the handles of a closed class stay garbage until 254 others were
 * opened.  A domain is one mapping; its arrays of permanent objects are touched only where they are
 * used. */
#include "libobj/obj_inner.h"
#include <stdlib.h>
#include <string.h>

#define SLOT_MIN 64 /* bytes: one cache line, so that no two objects share one */

struct obj_domain *obj_domains;
struct obj_lock obj_domains_lock = OBJ_LOCK_INIT(RANK_DOMAINS, "domains");
static struct obj_class *classes[MAGS];
static uint32_t last_id;

struct obj_class *obj_class_by_id(uint32_t id)
{
	return __atomic_load_n(&classes[id], __ATOMIC_ACQUIRE);
}

const char *obj_class_name(const struct obj_class *c)
{
	return c->in != NULL ? c->in->desc.name : "";
}

static uint32_t class_id_take(struct obj_class *c)
{
	uint32_t id = 0;

	obj_lock_always(&obj_domains_lock);
	for (uint32_t i = 1; i <= OBJ_CLASS_MAX && id == 0; i++) {
		uint32_t try = (last_id + i - 1) % OBJ_CLASS_MAX + 1;

		if (classes[try] == NULL)
			id = try;
	}
	if (id != 0) {
		last_id = id;
		__atomic_store_n(&classes[id], c, __ATOMIC_RELEASE);
	}
	obj_unlock_always(&obj_domains_lock);
	return id;
}

static void class_id_give(uint32_t id)
{
	obj_lock_always(&obj_domains_lock);
	__atomic_store_n(&classes[id], NULL, __ATOMIC_RELEASE);
	obj_unlock_always(&obj_domains_lock);
}

/* Bytes a slot; direct classes find the slot of an address by a shift. */
static size_t class_stride(const struct obj_class_desc *desc)
{
	size_t n = (desc->obj_size + SLOT_MIN - 1) / SLOT_MIN * SLOT_MIN;

	if (desc->flags & OBJ_F_DIRECT)
		while (n & (n - 1))
			n += n & -n;
	return n;
}

static bool class_desc_valid(const struct obj_class_desc *d)
{
	const uint32_t known = OBJ_F_DIRECT | OBJ_F_RAW | OBJ_F_LATER | OBJ_F_SHARED;

	return d->name != NULL && d->obj_size >= sizeof(struct obj) &&
	       d->obj_size <= UINT32_MAX / 2 && d->name_max <= OBJ_NAME_MAX &&
	       (d->flags & ~known) == 0 && d->max <= OBJ_INDEX_MAX;
}

/* The quarantine in slots, small enough that it leaves most of a small table to be used. */
static uint32_t class_quarantine(const struct obj_domain *d, const struct obj_class_desc *desc)
{
	uint32_t max = desc->max != 0 ? desc->max : OBJ_INDEX_MAX;
	uint32_t q = desc->quarantine;

	if (q == 0)
		q = d->opts.quarantine != 0 ? d->opts.quarantine : QUARANTINE;
	return q < max ? q : max;
}

static void class_flags_set(struct obj_class *c, const struct obj_class_desc *d)
{
	uint32_t f = d->flags;

	f |= d->construct != NULL ? CLASS_F_CONSTRUCT : 0;
	f |= d->on_free != NULL ? CLASS_F_ON_FREE : 0;
	f |= d->destroy != NULL ? CLASS_F_DESTROY : 0;
	f |= c->domain->opts.trace != 0 ? CLASS_F_TRACE : 0;
	f |= c->spill == 0 ? CLASS_F_EXACT : 0;
	c->flags = (uint16_t)f;
	c->shared = c->domain->opts.threads || d->flags & OBJ_F_SHARED;
}

/* The class joins its domain; from here on lookups work (and find nothing). */
static void class_enter(struct obj_class *c, struct obj_domain *d, uint32_t id)
{
	obj_lock_always(&d->lock);
	c->perm = c == &d->keyvals ? d->kv_perm : d->perm;
	c->nperm = OBJ_PERMANENT_MAX;
	d->cls[id] = c;
	obj_unlock_always(&d->lock);
}

int obj_class_open(struct obj_class *c, struct obj_domain *d, const struct obj_class_desc *desc)
{
	struct obj_class_desc full;
	struct obj_inside *in;
	uint32_t id;

	if (c == NULL || d == NULL || desc == NULL || desc->size == 0 || c->in != NULL)
		return OBJ_INVALID;
	memset(&full, 0, sizeof(full));
	memcpy(&full, desc, desc->size < sizeof(full) ? desc->size : sizeof(full));
	if (!class_desc_valid(&full))
		return OBJ_INVALID;
	in = calloc(1, sizeof(*in));
	if (in == NULL)
		return OBJ_NOMEM;
	in->desc = full;
	if (full.name_max == 0)
		in->desc.name_max = NAME_DEFAULT;
	in->lock = (struct obj_lock)OBJ_LOCK_INIT(RANK_CLASS, full.name);
	memset(c, 0, sizeof(*c));
	c->stride = (uint32_t)class_stride(&full);
	in->shift = (uint32_t)__builtin_ctz(c->stride);
	c->quarantine = class_quarantine(d, &full);
	c->spill = full.max != 0 && full.max < OBJ_EXACT_MAX ? 0 : SPILL_MIN;
	c->null_value = full.null_value;
	c->domain = d;
	c->in = in;
	class_flags_set(c, &full);
	id = class_id_take(c);
	if (id == 0) {
		memset(c, 0, sizeof(*c));
		free(in);
		return OBJ_NOMEM;
	}
	c->id = (uint8_t)id;
	class_enter(c, d, id);
	return OBJ_OK;
}

/* The error handlers that objects of a class have: those of the same class, or of one that may be
 * closed already
 * (`all'), are not dropped but forgotten. */
static void class_errh_forget(const struct obj_class *c, const struct obj *o, bool all)
{
	struct ext *e = ext_of(o);

	if (e != NULL && e->errh != NULL && (all || e->errh->u.cls == c))
		e->errh = NULL;
}

/* Frees what hangs on the objects of the class, and counts the objects. */
static long class_sweep(struct obj_class *c, bool all)
{
	long n = 0;

	for (uint32_t i = 1; i < c->in->hi; i++) {
		struct obj *o = obj_slot(c, i);

		if (o->refs == 0)
			continue;
		n += !(o->refs & OBJ_REFS_STICKY);
		class_errh_forget(c, o, all);
		obj_ext_free(o);
	}
	for (uint32_t i = 1; i < OBJ_PERMANENT_MAX; i++) {
		if (c->perm[i] == NULL || c->perm[i]->u.cls != c)
			continue;
		class_errh_forget(c, c->perm[i], all);
		obj_permanent_end(c->perm[i]);
	}
	return n;
}

static long class_close(struct obj_class *c, bool all)
{
	struct obj_domain *d = c->domain;
	uint32_t id = c->id;
	long n;

	obj_reap_forget(c);
	n = class_sweep(c, all);
	obj_threads_forget(id);
	obj_table_drop(c);
	obj_lock_always(&d->lock);
	d->cls[id] = NULL;
	obj_unlock_always(&d->lock);
	class_id_give(id);
	free(c->in);
	memset(c, 0, sizeof(*c));
	return n;
}

long obj_class_close(struct obj_class *c)
{
	return c->in != NULL ? class_close(c, false) : 0;
}

/* ------------------------------------------------------------------------ domains */

static void domain_link(struct obj_domain *d)
{
	obj_lock_always(&obj_domains_lock);
	d->prev = NULL;
	d->next = obj_domains;
	if (d->next != NULL)
		d->next->prev = d;
	obj_domains = d;
	obj_unlock_always(&obj_domains_lock);
}

static void domain_unlink(struct obj_domain *d)
{
	obj_lock_always(&obj_domains_lock);
	if (d->prev != NULL)
		d->prev->next = d->next;
	else
		obj_domains = d->next;
	if (d->next != NULL)
		d->next->prev = d->prev;
	obj_unlock_always(&obj_domains_lock);
}

static void domain_locks_init(struct obj_domain *d)
{
	d->lock = (struct obj_lock)OBJ_LOCK_INIT(RANK_DOMAIN, "domain");
	d->mem.lock = (struct obj_lock)OBJ_LOCK_INIT(RANK_MEM, "memory");
	d->grave_lock = (struct obj_lock)OBJ_LOCK_INIT(RANK_TOMBSTONE, "graves");
	for (size_t i = 0; i < countof(d->locks); i++)
		d->locks[i].l = (struct obj_lock)OBJ_LOCK_INIT(RANK_OBJECT, "object");
}

static size_t domain_bytes(void)
{
	size_t page = obj_os_page();

	return (sizeof(struct obj_domain) + page - 1) / page * page;
}

static bool domain_opts_valid(const struct obj_domain_opts *o)
{
	return o->trace <= OBJ_TRACE_MAX && o->alloc >= OBJ_ALLOC_AUTO &&
	       o->alloc <= OBJ_ALLOC_JEMALLOC && o->fork >= OBJ_FORK_SHARE &&
	       o->fork <= OBJ_FORK_FOREIGN;
}

int obj_domain_open(struct obj_domain **domain, const struct obj_domain_opts *opts)
{
	struct obj_domain_opts full;
	struct obj_domain *d;
	int rc;

	if (domain == NULL || (opts != NULL && opts->size == 0))
		return OBJ_INVALID;
	memset(&full, 0, sizeof(full));
	if (opts != NULL)
		memcpy(&full, opts, opts->size < sizeof(full) ? opts->size : sizeof(full));
	if (!domain_opts_valid(&full))
		return OBJ_INVALID;
	if (full.name == NULL)
		full.name = "libobj";
	obj_fork_watch();
	d = obj_os_reserve(domain_bytes());
	if (d == NULL)
		return OBJ_NOMEM;
	if (!obj_os_commit(d, domain_bytes())) {
		obj_os_release(d, domain_bytes());
		return OBJ_NOMEM;
	}
	d->opts = full;
	domain_locks_init(d);
	rc = obj_keyvals_open(d);
	if (rc != OBJ_OK) {
		obj_os_release(d, domain_bytes());
		return rc;
	}
	domain_link(d);
	obj_domain_threads(d, full.threads);
	*domain = d;
	return OBJ_OK;
}

long obj_domain_close(struct obj_domain *d, int leaks, int fmt)
{
	long n = 0;

	obj_this_thread.defer++; /* who goes with his table is not called */
	if (leaks >= 0)
		obj_leaks(d, fmt, leaks);
	obj_domain_threads(d, 0);
	domain_unlink(d);
	for (uint32_t id = 1; id <= OBJ_CLASS_MAX; id++)
		if (d->cls[id] != NULL && d->cls[id] != &d->keyvals)
			n += class_close(d->cls[id], true);
	obj_keyvals_close(d);
	n += class_close(&d->keyvals, true);
	obj_this_thread.defer--;
	obj_langs_close(d);
	obj_tombstones_close(d);
	obj_mem_close(d);
	obj_os_release(d, domain_bytes());
	return n;
}

void obj_domain_threads(struct obj_domain *d, int on)
{
	uint32_t any = HAFT_DEBUG;

	obj_lock_always(&obj_domains_lock);
	d->opts.threads = on != 0;
	for (const struct obj_domain *x = obj_domains; x != NULL; x = x->next)
		any |= x->opts.threads != 0;
	obj_threads_on = any;
	for (uint32_t id = 1; id <= OBJ_CLASS_MAX; id++)
		if (d->cls[id] != NULL)
			d->cls[id]->shared = on || d->cls[id]->flags & OBJ_F_SHARED;
	obj_unlock_always(&obj_domains_lock);
}

void obj_on_error(struct obj_domain *d, obj_report_fn *report, void *ctx)
{
	d->opts.report = report;
	d->opts.report_ctx = ctx;
}

/* ------------------------------------------------------------------------ permanent objects */

int obj_permanent(struct obj_class *c, uint32_t value, void *self, const char *name, int ignore)
{
	struct obj *o = self;

	if (c->in == NULL || value == 0 || value >= OBJ_PERMANENT_MAX)
		return OBJ_INVALID;
	if (c->perm[value] != NULL)
		return OBJ_BUSY;
	o->token = value;
	o->refs = OBJ_REFS_STICKY | OBJ_REFS_USER | (ignore ? REFS_IGNORE : 0);
	o->u.cls = c;
	slot_note(o, NULL, (uintptr_t)name);
	__atomic_store_n(&c->perm[value], o, __ATOMIC_RELEASE);
	return OBJ_OK;
}

void obj_permanent_end(void *self)
{
	struct obj *o = self;
	struct obj_class *c = o->u.cls;

	if (NEVER(o->token == 0 || o->token >= OBJ_PERMANENT_MAX || c->perm[o->token] != o))
		return;
	__atomic_store_n(&c->perm[o->token], NULL, __ATOMIC_RELEASE);
	obj_ext_free(o);
	memset(o, 0, sizeof(*o));
}
