// SPDX-License-Identifier: BSD-3-Clause
/* io_valid.c - the invariants of open files (io_valid.h): MPI_Finalize and MPI_File_close run them
 * in debug and MEAN=1 builds. */
#include "libmpi/io/io_valid.h"

#include "libmpi/io/collective.h"
#include "libmpi/io/shared.h"
#include "libmpi/io/stage.h"
#include "libmpi/type/type.h"

/* --- the table of locks --------------------------------------------------------------------- */

/* The slots in use have ranges, and tickets of their own; exclusive ones are counted. */
static bool lock_slots_valid(const struct io_lock_table *t)
{
	uint32_t exclusive = 0;

	for (uint32_t i = 0; i < t->top && i < IO_LOCK_SLOTS; i++) {
		const struct io_lock_slot *s = &t->slot[i];

		if (s->pid == 0)
			continue;
		if (s->lo >= s->hi || s->mode > IO_LOCK_EXCLUSIVE || s->ticket == 0 ||
			s->ticket > t->ticket)
			return false;
		exclusive += s->mode == IO_LOCK_EXCLUSIVE;
		for (uint32_t k = 0; k < i; k++)
			if (t->slot[k].pid != 0 && t->slot[k].ticket == s->ticket)
				return false;
	}
	return exclusive == atomic_load_explicit(&t->exclusive, memory_order_relaxed);
}

/* A check without the mutex counts if nothing has been locked or released meanwhile.  Acquire: the
 * slots are read after the first check, and before the second. */
bool io_lock_table_valid(struct io_lock_table *t)
{
	uint32_t released = atomic_load_explicit(&t->released, memory_order_acquire);
	uint64_t ticket = t->ticket;
	bool valid;

	if (t->top > IO_LOCK_SLOTS)
		return false;
	if (atomic_load_explicit(&t->owner, memory_order_acquire) != 0)
		return true;
	valid = lock_slots_valid(t);
	atomic_thread_fence(memory_order_acquire);
	return valid || atomic_load(&t->owner) != 0 || t->ticket != ticket ||
	       atomic_load(&t->released) != released;
}

/* --- a file --------------------------------------------------------------------------------- */

/* The file and each job under way hold the view. */
static bool file_view_valid(const struct io_file *f)
{
	const struct io_view *v = f->view;

	return v != NULL && v->refs >= 1 && v->disp >= 0 && v->etype != NULL &&
	       v->filetype != NULL && type_valid(v->etype) && type_valid(v->filetype) &&
	       v->unit >= 0 && f->position >= 0;
}

/* The pointer may be anywhere above 0: rank 0's process has it, and accesses of others move it. */
static bool file_shared_valid(const struct io_file *f)
{
	struct io_shared *s = f->shared;

	return s != NULL && f->word <= 1 && s->members >= 1 && s->members <= f->size &&
	       (s->listed == 0 || s->listed == f->size) && atomic_load(&s->pointer[f->word]) >= 0 &&
	       atomic_load(&s->stream) >= 0 && io_lock_table_valid(&s->locks);
}

/* Counts of bytes and of rounds. */
static bool file_stage_valid(const struct io_stage *s)
{
	return s == NULL ||
	       (atomic_load_explicit(&s->half[0].filled, memory_order_relaxed) >= 0 &&
		       atomic_load_explicit(&s->half[1].filled, memory_order_relaxed) >= 0 &&
		       atomic_load_explicit(&s->failed, memory_order_relaxed) >= 0);
}

/* The queue has as many accesses as are counted, all of this file, and its tail is the last. */
static bool file_queue_valid(const struct io_file *f)
{
	const struct io_aggregate *g = f->aggregate;
	const struct io_collective *last = NULL;
	int n = 0;

	for (const struct io_collective *c = g->head; c != NULL; c = c->next, n++) {
		if (c->f != f || c->g != g)
			return false;
		last = c;
	}
	return g->tail == last && g->queued == n;
}

static bool file_aggregate_valid(const struct io_file *f)
{
	const struct io_aggregate *g = f->aggregate;

	if (g == NULL || f->size == 1)
		return (g == NULL) == (f->size == 1);
	return file_queue_valid(f) && g->room >= 0 && (g->reqs != NULL || g->room == 0) &&
	       (g->local != NULL || g->local_room == 0) && file_stage_valid(g->stage);
}

bool io_file_valid(const struct io_file *f)
{
	return f->jobs >= 0 && f->rank >= 0 && f->rank < f->size && f->file->io == f &&
	       file_view_valid(f) && file_shared_valid(f) && file_aggregate_valid(f);
}

bool io_files_valid(void)
{
	for (const struct io_file *f = io_shared_first(); f != NULL; f = f->next)
		if (!io_file_valid(f))
			return false;
	return true;
}
