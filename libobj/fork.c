// SPDX-License-Identifier: BSD-3-Clause
/* fork.c - the tables in a child process.
 *
 * Before the fork all locks of libobj are taken, so that no table is caught half changed; the child
 * sets them free.  Other threads do not exist in the child; their magazines may hold free slots.
 * Where they do, the class's free slots are found anew.  A domain with OBJ_FORK_FOREIGN disowns the
 * parent's objects: their tokens die, and the child never destroys them, because the resources
 * behind them belong to the parent. */
#include "libobj/arena.h"
#include <pthread.h>

static void fork_each_lock(struct obj_domain *d, void (*fn)(struct obj_lock *l))
{
	fn(&d->lock);
	for (size_t i = 0; i < countof(d->locks); i++)
		fn(&d->locks[i].l);
	for (uint32_t id = 1; id <= OBJ_CLASS_MAX; id++)
		if (d->cls[id] != NULL)
			fn(&d->cls[id]->in->lock);
	fn(&d->tombstone_lock);
	fn(&d->mem.lock);
}

static void lock_reset(struct obj_lock *l)
{
	l->word = 0;
}

static void fork_prepare(void)
{
	obj_lock_take(&obj_domains_lock);
	for (struct obj_domain *d = obj_domains; d != NULL; d = d->next)
		fork_each_lock(d, obj_lock_take);
	obj_lock_take(&obj_threads_lock);
	obj_arenas_lock();
}

static void fork_parent(void)
{
	obj_arenas_unlock();
	obj_lock_give(&obj_threads_lock);
	for (struct obj_domain *d = obj_domains; d != NULL; d = d->next)
		fork_each_lock(d, obj_lock_give);
	obj_lock_give(&obj_domains_lock);
}

static void class_disown(struct obj_class *c)
{
	for (uint32_t i = 1; i < c->in->hi; i++) {
		struct obj *o = obj_slot(c, i);

		if (o->refs == 0)
			continue;
		if (slot_live(o->token, i))
			o->token ^= TOKEN_DEAD;
		o->refs |= OBJ_REFS_SATURATED;
	}
}

static void domain_child(struct obj_domain *d, const bool *lost)
{
	fork_each_lock(d, lock_reset);
	for (uint32_t id = 1; id <= OBJ_CLASS_MAX; id++) {
		struct obj_class *c = d->cls[id];

		if (c == NULL || c->in->capacity == 0)
			continue;
		if (d->opts.fork == OBJ_FORK_FOREIGN && c != &d->keyvals)
			class_disown(c);
		if (lost[id])
			obj_table_rebuild(c);
	}
}

static void fork_child(void)
{
	bool lost[MAGS] = {false};

	lock_reset(&obj_threads_lock);
	obj_arenas_reset();
	obj_threads_lost(lost);
	for (struct obj_domain *d = obj_domains; d != NULL; d = d->next)
		domain_child(d, lost);
	lock_reset(&obj_domains_lock);
}

HAFT_START void obj_fork_watch(void)
{
	pthread_atfork(fork_prepare, fork_parent, fork_child);
}
