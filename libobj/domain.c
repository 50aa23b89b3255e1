// SPDX-License-Identifier: BSD-3-Clause
/* domain.c - domains: opening, closing, switching to threads.
 *
 * A domain is one mapping of zeros; its arrays of permanent objects are touched only where they are
 * used.  This file is the top of libobj: it registers what lower files call upward. */
#include "libobj/obj_inner.h"
#include <pthread.h>
#include <string.h>

static const struct obj_upcalls upcalls = {
	.reap = obj_reap_run,
	.attrs_delete_all = obj_attr_delete_all,
	.attrs_free = obj_attrs_free,
	.closures_free = obj_closures_free,
	.index_empty = &obj_index_empty,
	.report_handle = obj_report_handle,
};

HAFT_START static void domain_first_open(void)
{
	obj_up = &upcalls;
	obj_fork_watch();
}

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
	d->tombstone_lock = (struct obj_lock)OBJ_LOCK_INIT(RANK_TOMBSTONE, "tombstones");
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

HAFT_START int obj_domain_open(struct obj_domain **domain, const struct obj_domain_opts *opts)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
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
	pthread_once(&once, domain_first_open);
	d = obj_os_zeros(domain_bytes());
	if (d == NULL)
		return OBJ_NOMEM;
	d->opts = full;
	domain_locks_init(d);
	d->mem.bare = obj_on_valgrind();
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

/* Does all that the object refers to still exist? */
static bool object_valid(const struct obj *o)
{
	const struct ext *e = ext_of(o);

	if (e == NULL)
		return true;
	if (e->name != NULL && e->name[e->name_len] != '\0')
		return false;
	if (e->errh != NULL && e->errh->refs == 0)
		return false;
	return e->ntrace <= OBJ_TRACE_MAX && obj_attrs_valid(o);
}

static bool class_valid(struct obj_class *c)
{
	if (!obj_table_valid(c))
		return false;
	for (uint32_t i = 1; i < c->in->hi; i++) {
		const struct obj *o = obj_slot(c, i);

		if (o->refs != 0 && !(o->refs & REFS_DYING) && !object_valid(o))
			return false;
	}
	for (uint32_t i = 1; i < OBJ_PERMANENT_MAX; i++) {
		const struct obj *o = c->perm[i];

		if (o != NULL && o->u.cls == c && (o->token != i || !object_valid(o)))
			return false;
	}
	return true;
}

int obj_domain_valid(struct obj_domain *d)
{
	for (uint32_t id = 1; id <= OBJ_CLASS_MAX; id++)
		if (d->cls[id] != NULL && !class_valid(d->cls[id]))
			return 0;
	return 1;
}

long obj_domain_close(struct obj_domain *d, int leaks, int fmt)
{
	long n = 0;

	must_valid(obj_domain_valid(d));
	obj_this_thread.defer++; /* objects go with their tables: no destroy runs */
	if (leaks >= 0)
		obj_leaks(d, fmt, leaks);
	obj_domain_threads(d, 0);
	domain_unlink(d);
	for (uint32_t id = 1; id <= OBJ_CLASS_MAX; id++)
		if (d->cls[id] != NULL && d->cls[id] != &d->keyvals)
			n += obj_class_close_now(d->cls[id], true);
	obj_keyvals_close(d);
	n += obj_class_close_now(&d->keyvals, true);
	obj_this_thread.defer--;
	obj_langs_close(d);
	obj_tombstones_close(d);
	obj_mem_close(d);
	obj_os_release(d, domain_bytes());
	return n;
}

HAFT_START void obj_domain_threads(struct obj_domain *d, int on)
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
