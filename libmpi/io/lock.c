// SPDX-License-Identifier: BSD-3-Clause
/* lock.c - the table of locked ranges that the members of a file on one host share.
 *
 *      slot   [0, 4096) shared, ticket 7     [512, 520) exclusive, ticket 8     free ...
 *
 * An access takes a slot and a ticket, then waits until no slot with a smaller ticket conflicts: so
 * the order of tickets decides, and no access starves.  A release frees the slot and wakes the
 * waiters, which look again.
 *
 * Before it takes a ticket an access that finds a conflict stands back for LOCK_BACK_NS: the
 * process that has the range may lock it again.  Accesses in turn would bring the pages from one
 * processor's cache to the other's each time, which takes longer than to write them.
 *
 * A shared lock of members of the host needs neither mutex nor ticket while no access has or wants
 * an exclusive one: each member has an entry of its own for it.
 *
 *      shared       entry = the range; exclusive == 0? ──> held.  Else the entry is free again, and
 *                                                          it takes a slot
 *      exclusive    slot; exclusive++; waits until no entry has a part of its range
 *
 * A process that dies leaves its slots and its entry, and perhaps the mutex.  A waiter that has
 * slept for LOCK_NAP_NS looks for processes that are gone.  So does one access of LOCK_REAP_EVERY
 * that take a slot: the dead one's exclusive lock may meet no other range, but keeps shared locks
 * from their entries.  model/lock_table.pml is the model. */
#include "libmpi/io/lock.h"

#include "libmpi/core/clock.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/io/io.h"
#include "libmpi/io/shared.h"
#include "libmpi/via/via.h"

#define LOCK_NAP_NS   100000000 /* between two looks for processes that are gone */
#define LOCK_SPIN_NS  MEAN_OR(100, 30000)
#define LOCK_BACK_NS  MEAN_OR(200, 50000) /* some accesses of 64 KiB */
#define LOCK_AGAIN_NS 1000                /* a loop over an access comes again sooner */

/* A check is a system call for each slot in use, 0.2 us, and there are few. */
#define LOCK_REAP_EVERY ((uint64_t)MEAN_OR(4, 256))

/* --- the mutex ------------------------------------------------------------------------------ */

static uint64_t lock_me(void)
{
	return (uint64_t)io_lock_pid_ns() << 32 | (uint32_t)io_lock_process();
}

/* Gives the mutex to this process if `was' has it.  Acquire: the slots.  Sequentially consistent:
 * lock_mutex_give sees `wanted', or this sees that the mutex is free. */
static bool lock_mutex_swap(struct io_lock_table *t, uint64_t *was)
{
	return atomic_compare_exchange_strong(&t->owner, was, lock_me());
}

/* Of several that find the owner gone, one gets the mutex. */
static void lock_mutex_wait(struct io_lock_table *t)
{
	bool mine = false;

	atomic_fetch_add(&t->wanted, 1);
	while (!mine) {
		uint32_t seen = atomic_load(&t->given);
		uint64_t was = 0;

		mine = lock_mutex_swap(t, &was);
		if (mine)
			break;
		haft_futex_wait(&t->given, seen, LOCK_NAP_NS);
		if (io_lock_process_gone((int32_t)(uint32_t)was, (uint32_t)(was >> 32)))
			mine = lock_mutex_swap(t, &was);
	}
	atomic_fetch_sub(&t->wanted, 1);
}

static void lock_mutex_take(struct io_lock_table *t)
{
	uint64_t was = 0;

	if (unlikely(!lock_mutex_swap(t, &was)))
		lock_mutex_wait(t);
}

static void lock_mutex_give(struct io_lock_table *t)
{
	atomic_store(&t->owner, 0);
	if (likely(atomic_load(&t->wanted) == 0))
		return;
	atomic_fetch_add(&t->given, 1);
	haft_futex_wake(&t->given, 1);
}

/* --- slots ---------------------------------------------------------------------------------- */

/* A free slot; -1: there is none.  Under the mutex, as all of this part. */
static int lock_slot_free(struct io_lock_table *t)
{
	for (uint32_t i = 0; i < t->top; i++)
		if (t->slot[i].pid == 0)
			return (int)i;
	return t->top < IO_LOCK_SLOTS ? (int)t->top++ : -1;
}

/* Sequentially consistent: lock_entry_take sees `exclusive', or this access sees the entry. */
static void lock_slot_fill(
	struct io_lock_table *t, int i, int64_t lo, int64_t hi, enum io_lock_mode mode)
{
	t->slot[i] = (struct io_lock_slot){
		lo, hi, ++t->ticket, io_lock_process(), io_lock_pid_ns(), mode, 0};
	if (mode == IO_LOCK_EXCLUSIVE)
		atomic_fetch_add(&t->exclusive, 1);
}

static void lock_slot_clear(struct io_lock_table *t, int i)
{
	if (t->slot[i].mode == IO_LOCK_EXCLUSIVE)
		atomic_fetch_sub(&t->exclusive, 1);
	t->slot[i].pid = 0;
}

/* Has a member a part of the range in its entry? */
static bool lock_entries_overlap(struct io_shared *s, int64_t lo, int64_t hi)
{
	for (struct io_shared_member *m = s->member; m < s->member + s->listed; m++)
		if (atomic_load(&m->entry.state) == IO_ENTRY_HELD &&
			atomic_load_explicit(&m->entry.lo, memory_order_relaxed) < hi &&
			lo < atomic_load_explicit(&m->entry.hi, memory_order_relaxed))
			return true;
	return false;
}

/* Does an access that came before slot i, or one in an entry, have or want a part of its range? */
static bool lock_slot_waits(struct io_shared *shared, int i)
{
	const struct io_lock_table *t = &shared->locks;
	const struct io_lock_slot *me = &t->slot[i];

	for (const struct io_lock_slot *s = t->slot; s < t->slot + t->top; s++)
		if (s->pid != 0 && s->ticket < me->ticket && s->lo < me->hi && me->lo < s->hi &&
			(s->mode == IO_LOCK_EXCLUSIVE || me->mode == IO_LOCK_EXCLUSIVE))
			return true;
	return me->mode == IO_LOCK_EXCLUSIVE && lock_entries_overlap(shared, me->lo, me->hi);
}

/* Frees all that dead processes have left.  Counts anew: one may have died beside its count. */
static void lock_reap(struct io_shared *s)
{
	struct io_lock_table *t = &s->locks;
	uint32_t exclusive = 0;

	for (struct io_lock_slot *slot = t->slot; slot < t->slot + t->top; slot++) {
		if (slot->pid != 0 && io_lock_process_gone(slot->pid, slot->pid_ns))
			slot->pid = 0;
		exclusive += slot->pid != 0 && slot->mode == IO_LOCK_EXCLUSIVE;
	}
	atomic_store(&t->exclusive, exclusive);
	for (struct io_shared_member *m = s->member; m < s->member + s->listed; m++)
		if (atomic_load(&m->entry.state) == IO_ENTRY_HELD &&
			io_lock_process_gone(
				atomic_load_explicit(&m->entry.pid, memory_order_relaxed),
				atomic_load_explicit(&m->entry.pid_ns, memory_order_relaxed)))
			atomic_store(&m->entry.state, IO_ENTRY_FREE);
}

/* Looks for a release for a short time: a system call on a few pages takes less than two switches
 * to another process and back.  False: none came. */
static bool lock_spin(const struct io_lock_table *t, uint32_t seen)
{
	uint64_t end = clock_now_ns() + LOCK_SPIN_NS;

	if (via.oversubscribed)
		return false;
	do
		if (atomic_load_explicit(&t->released, memory_order_relaxed) != seen)
			return true;
	while (clock_now_ns() < end);
	return false;
}

/* Does an access have or want a part of the range? */
static bool lock_conflicts(
	const struct io_lock_table *t, int64_t lo, int64_t hi, enum io_lock_mode mode)
{
	for (const struct io_lock_slot *s = t->slot; s < t->slot + t->top; s++)
		if (s->pid != 0 && s->lo < hi && lo < s->hi &&
			(s->mode == IO_LOCK_EXCLUSIVE || mode == IO_LOCK_EXCLUSIVE))
			return true;
	return false;
}

/* Stands back while others lock the range again and again, for LOCK_BACK_NS at most.  Gives the
 * mutex up meanwhile. */
static void lock_stand_back(struct io_lock_table *t, int64_t lo, int64_t hi, enum io_lock_mode mode)
{
	uint64_t end = clock_now_ns() + LOCK_BACK_NS, now = 0;

	while (now < end && lock_conflicts(t, lo, hi, mode)) {
		uint32_t seen = atomic_load_explicit(&t->released, memory_order_relaxed);
		uint64_t again;

		lock_mutex_give(t);
		do
			now = clock_now_ns();
		while (now < end &&
			atomic_load_explicit(&t->released, memory_order_relaxed) == seen);
		for (again = now + LOCK_AGAIN_NS; now < end && now < again;)
			now = clock_now_ns();
		lock_mutex_take(t);
	}
}

/* Waits until a lock was released; gives the mutex up meanwhile. */
static void lock_sleep(struct io_shared *s)
{
	struct io_lock_table *t = &s->locks;
	uint32_t seen = atomic_load_explicit(&t->released, memory_order_relaxed);

	lock_mutex_give(t);
	if (lock_spin(t, seen)) {
		lock_mutex_take(t);
		return;
	}
	lock_mutex_take(t);
	if (atomic_load_explicit(&t->released, memory_order_relaxed) != seen)
		return;
	atomic_fetch_add_explicit(&t->waiters, 1, memory_order_relaxed);
	lock_mutex_give(t);
	haft_futex_wait(&t->released, seen, LOCK_NAP_NS);
	lock_mutex_take(t);
	atomic_fetch_sub_explicit(&t->waiters, 1, memory_order_relaxed);
	if (atomic_load_explicit(&t->released, memory_order_relaxed) == seen)
		lock_reap(s);
}

static int lock_table_take(struct io_shared *s, int64_t lo, int64_t hi, enum io_lock_mode mode)
{
	struct io_lock_table *t = &s->locks;
	int i;

	lock_mutex_take(t);
	if (lock_conflicts(t, lo, hi, mode) && !via.oversubscribed)
		lock_stand_back(t, lo, hi, mode);
	while ((i = lock_slot_free(t)) < 0)
		lock_sleep(s);
	lock_slot_fill(t, i, lo, hi, mode);
	if (t->ticket % LOCK_REAP_EVERY == 0)
		lock_reap(s);
	while (lock_slot_waits(s, i))
		lock_sleep(s);
	lock_mutex_give(t);
	return i;
}

/* A lock was released: gives the mutex up, and wakes the waiters. */
static void lock_tell(struct io_lock_table *t)
{
	bool wake;

	atomic_fetch_add_explicit(&t->released, 1, memory_order_relaxed);
	wake = atomic_load_explicit(&t->waiters, memory_order_relaxed) > 0;
	lock_mutex_give(t);
	if (wake)
		haft_futex_wake(&t->released, INT32_MAX);
}

static void lock_table_give(struct io_lock_table *t, int i)
{
	lock_mutex_take(t);
	lock_slot_clear(t, i);
	lock_tell(t);
}

/* --- entries of members --------------------------------------------------------------------- */

/* Sequentially consistent: of this access and an exclusive one, one sees the other.  The waiter has
 * the mutex from its check of the entries until it has seen `released'. */
static void lock_entry_give(struct io_lock_table *t, struct io_lock_entry *p)
{
	atomic_store(&p->state, IO_ENTRY_FREE);
	if (likely(atomic_load(&t->exclusive) == 0))
		return;
	lock_mutex_take(t);
	lock_tell(t);
}

/* Takes a shared lock in the entry of this member.  False: another thread has it, or an access has
 * or wants an exclusive lock; *held then: the entry must be given back, which may wait. */
static bool lock_entry_take(
	struct io_lock_table *t, struct io_lock_entry *p, int64_t lo, int64_t hi, bool *held)
{
	uint32_t state = IO_ENTRY_FREE;

	if (atomic_load_explicit(&t->exclusive, memory_order_relaxed) != 0 ||
		!atomic_compare_exchange_strong(&p->state, &state, IO_ENTRY_TAKEN))
		return false;
	atomic_store_explicit(&p->lo, lo, memory_order_relaxed);
	atomic_store_explicit(&p->hi, hi, memory_order_relaxed);
	atomic_store_explicit(&p->pid, io_lock_process(), memory_order_relaxed);
	atomic_store_explicit(&p->pid_ns, io_lock_pid_ns(), memory_order_relaxed);
	atomic_store(&p->state, IO_ENTRY_HELD);
	*held = true;
	return likely(atomic_load(&t->exclusive) == 0);
}

/* The entry of this member.  NULL: the members of this host are not all, and have none. */
static struct io_lock_entry *lock_entry_mine(const struct io_file *f)
{
	return f->rank < f->shared->listed ? &f->shared->member[f->rank].entry : NULL;
}

/* --- both ----------------------------------------------------------------------------------- */

enum io_lock_reach io_lock_reach(const struct io_file *f)
{
	return f->one_host && (f->amode & MPI_MODE_UNIQUE_OPEN) != 0 ? IO_LOCK_HOST : IO_LOCK_ALL;
}

int io_lock_possible(const struct io_file *f)
{
	return io_lock_reach(f) == IO_LOCK_ALL ? io_lock_kernel_try(f) : 0;
}

int io_lock_range(struct io_file *f, int64_t lo, int64_t hi, enum io_lock_mode mode,
	enum io_lock_reach reach, struct io_lock *lock)
{
	struct io_shared *s = f->shared;
	struct io_lock_entry *entry = lock_entry_mine(f);
	bool had, held = false;
	/* The kernel's locks of one process are one: the second shared lock of a byte would go with
	 * the first one's unlock.  So only one access of a host has a byte locked there. */
	enum io_lock_mode here = reach == IO_LOCK_ALL ? IO_LOCK_EXCLUSIVE : mode;
	int err = 0;

	*lock = (struct io_lock){lo, hi, IO_LOCK_ENTRY, reach};
	if (here == IO_LOCK_SHARED && entry != NULL &&
		lock_entry_take(&s->locks, entry, lo, hi, &held))
		return 0;
	had = haft_user_begin();
	if (held)
		lock_entry_give(&s->locks, entry);
	lock->slot = lock_table_take(s, lo, hi, here);
	if (reach == IO_LOCK_ALL)
		err = io_lock_kernel(f, lo, hi, mode);
	if (err != 0) {
		lock_table_give(&s->locks, lock->slot);
		lock->slot = -1;
	}
	haft_user_end(had);
	return err;
}

void io_unlock_range(struct io_file *f, struct io_lock *lock)
{
	if (lock->slot < 0)
		return;
	if (lock->reach == IO_LOCK_ALL)
		io_unlock_kernel(f, lock->lo, lock->hi);
	if (lock->slot == IO_LOCK_ENTRY)
		lock_entry_give(&f->shared->locks, lock_entry_mine(f));
	else
		lock_table_give(&f->shared->locks, lock->slot);
	lock->slot = -1;
}
