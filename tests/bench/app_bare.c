// SPDX-License-Identifier: BSD-3-Clause
/*
 * app_bare.c - what ranks of a bare run share: messages and sums in memory, without a library.
 *
 *	sender    app_mailbox_open, writes the message, app_mailbox_give
 *	receiver  app_mailbox_take ── yields until it is given
 *
 * Each rank has a mailbox for each slot, with room for two messages.  A sender does not
 * ask whether it is empty.  Ranks send to each other in every step, so one that has the message of
 * step k knows that its own of step k - 1 was taken.
 *
 * This is the least that any library does where ranks have memory of their own: one copy into
 * shared memory and one out of it, a word that says so, and yields until it is there.
 */
#include "tests/bench/app.h"
#include "tests/bench/bench.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, ROOM = 2 };

struct mailbox {
	_Alignas(LINE) _Atomic unsigned given; /* messages so far */
};

struct app_mailboxes {
	const struct app *a;
	MPI_Win win;
	char *base;     /* of rank 0's mailbox for slot 0 */
	size_t message; /* bytes, in whole lines */
	int slots;
	unsigned *sent, *taken; /* by rank and slot; by slot */
};

/* A line for each rank; that of rank 0 has the words for all. */
struct app_desk {
	_Alignas(LINE) double mine;
	double sum;
	_Atomic int arrived, round;
};

static size_t mailbox_bytes(const struct app_mailboxes *b)
{
	return sizeof(struct mailbox) + ROOM * b->message;
}

static struct mailbox *mailbox_of(const struct app_mailboxes *b, int rank, int slot)
{
	return (struct mailbox *)(b->base + (size_t)(rank * b->slots + slot) * mailbox_bytes(b));
}

static double *mailbox_message(const struct app_mailboxes *b, struct mailbox *m, unsigned nth)
{
	return (double *)((char *)(m + 1) + nth % ROOM * b->message);
}

/* `bytes' of rank 0's, cleared, that all ranks share. */
static void *shared_make(const struct app *a, size_t bytes, MPI_Win *win)
{
	MPI_Aint size = a->rank == 0 ? (MPI_Aint)(bytes + LINE) : 0;
	char *base;
	int unit;

	MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, a->comm, (void *)&base, win);
	MPI_Win_shared_query(*win, 0, &size, &unit, (void *)&base);
	base += (LINE - (uintptr_t)base % LINE) % LINE;
	if (a->rank == 0)
		memset(base, 0, bytes);
	MPI_Barrier(a->comm);
	return base;
}

struct app_mailboxes *app_mailboxes_make(const struct app *a, int slots, size_t message)
{
	struct app_mailboxes *b = bench_alloc(a->b, sizeof(*b));
	size_t n = (size_t)a->size * (size_t)slots;

	b->a = a;
	b->slots = slots;
	b->message = (message + LINE - 1) / LINE * LINE;
	b->base = shared_make(a, n * mailbox_bytes(b), &b->win);
	b->sent = bench_alloc(a->b, n * sizeof(*b->sent));
	b->taken = bench_alloc(a->b, (size_t)slots * sizeof(*b->taken));
	memset(b->sent, 0, n * sizeof(*b->sent));
	memset(b->taken, 0, (size_t)slots * sizeof(*b->taken));
	return b;
}

void app_mailboxes_drop(struct app_mailboxes *b)
{
	MPI_Win_free(&b->win);
	free(b->sent);
	free(b->taken);
	free(b);
}

double *app_mailbox_open(struct app_mailboxes *b, int to, int slot)
{
	return mailbox_message(b, mailbox_of(b, to, slot), b->sent[to * b->slots + slot]);
}

void app_mailbox_give(struct app_mailboxes *b, int to, int slot)
{
	unsigned n = ++b->sent[to * b->slots + slot];

	atomic_store_explicit(&mailbox_of(b, to, slot)->given, n, memory_order_release);
}

const double *app_mailbox_take(struct app_mailboxes *b, int slot)
{
	struct mailbox *m = mailbox_of(b, b->a->rank, slot);

	while (atomic_load_explicit(&m->given, memory_order_acquire) == b->taken[slot])
		app_wait_bare(b->a);
	return mailbox_message(b, m, b->taken[slot]++);
}

struct app_desk *app_desks_make(const struct app *a, MPI_Win *win)
{
	return shared_make(a, (size_t)a->size * sizeof(struct app_desk), win);
}

/* The last rank that arrives adds for all. */
double app_sum_bare(const struct app *a, double mine)
{
	struct app_desk *d = a->desks;
	int round = atomic_load(&d->round);

	d[a->rank].mine = mine;
	if (atomic_fetch_add(&d->arrived, 1) < a->size - 1) {
		while (atomic_load_explicit(&d->round, memory_order_acquire) == round)
			app_wait_bare(a);
		return d->sum;
	}
	d->sum = 0;
	for (int r = 0; r < a->size; r++)
		d->sum += d[r].mine;
	atomic_store(&d->arrived, 0);
	atomic_store_explicit(&d->round, round + 1, memory_order_release);
	return d->sum;
}
