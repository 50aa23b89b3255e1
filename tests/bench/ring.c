// SPDX-License-Identifier: BSD-3-Clause
/*
 * ring.c - the machine itself: windows of 8-byte messages through a ring, no MPI.
 *
 *	sender ──> |slot|slot|slot| .. 64 of them, a pair of lines each ──> receiver
 *	       <── credit, after each quarter of the ring; an answer, after each window
 *
 *	plain	the slot, and nothing else
 *	matched	as well what MPI asks for: a request for each message on either side, the receives
 *		posted before and found by context, source and tag, and a wait for all requests
 *
 * A pair of lines for each slot is the best layout known of a ring that has nothing else to do.
 * The library's slots are one line: libshm/PERF.md.
 *
 * The row rate8 of lat.c, whose windows these are, without a library.  Both ways take turns; the
 * median of SAMPLES batches of each is printed: "= ring M/s PLAIN MATCHED".  Exit code 77: one
 * processor only. */
#include "tests/bench/pin.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	WINDOW = 64, /* messages, as RATE_WINDOW of lat.c */
	SLOTS = 64,  /* of the ring */
	BATCH = 200, /* windows of one sample */
	SAMPLES = 401,
	HASH = 64,   /* lists of posted receives */
	CONTEXT = 5, /* what the messages are matched by */
	TAG = 7
};

struct slot {
	_Alignas(128) _Atomic uint64_t number; /* of the message, from 1 on */
	uint32_t context, tag, bytes;
	char data[40];
};

static struct shared {
	struct slot slots[SLOTS];
	_Alignas(128) _Atomic uint64_t credit;
	_Alignas(128) _Atomic uint64_t answer;
} * shared;

/* An operation under way: a send is done at once. */
struct request {
	_Alignas(64) struct request *next;
	char *buf;
	uint32_t bytes, context, source, tag;
	int done;
};

static struct {
	struct request *first, *last;
} posted[HASH];

static struct request *free_requests;
static uint64_t sent, received, limit = SLOTS;
static int matched;
static uint64_t out[WINDOW], in[WINDOW];

static struct request *request_new(void)
{
	struct request *r = free_requests;

	free_requests = r->next;
	r->next = NULL;
	r->done = 0;
	return r;
}

static void request_free(struct request *r)
{
	r->next = free_requests;
	free_requests = r;
}

static void ring_put(const void *buf, uint32_t bytes, uint32_t context, uint32_t tag)
{
	struct slot *s = &shared->slots[sent % SLOTS];

	while (sent == limit)
		limit = atomic_load_explicit(&shared->credit, memory_order_acquire) + SLOTS;
	s->context = context;
	s->tag = tag;
	s->bytes = bytes;
	memcpy(s->data, buf, bytes);
	atomic_store_explicit(&s->number, ++sent, memory_order_release);
}

/* The next slot of the ring, once it is full. */
static struct slot *ring_await(void)
{
	struct slot *s = &shared->slots[received % SLOTS];

	while (atomic_load_explicit(&s->number, memory_order_acquire) != received + 1)
		;
	return s;
}

static void ring_next(void)
{
	if (++received % (SLOTS / 4) == 0)
		atomic_store_explicit(&shared->credit, received, memory_order_release);
}

static unsigned posted_list(uint32_t context, uint32_t source, uint32_t tag)
{
	return (context * 31 + source * 17 + tag) % HASH;
}

__attribute__((noinline)) static void ring_isend(
	const void *buf, uint32_t bytes, uint32_t context, uint32_t tag, struct request **request)
{
	struct request *r = request_new();

	ring_put(buf, bytes, context, tag);
	r->done = 1;
	*request = r;
}

__attribute__((noinline)) static void ring_irecv(void *buf, uint32_t bytes, uint32_t context,
	uint32_t source, uint32_t tag, struct request **request)
{
	unsigned list = posted_list(context, source, tag);
	struct request *r = request_new();

	r->buf = buf;
	r->bytes = bytes;
	r->context = context;
	r->source = source;
	r->tag = tag;
	if (posted[list].first == NULL)
		posted[list].first = r;
	else
		posted[list].last->next = r;
	posted[list].last = r;
	*request = r;
}

/* The receive of the next message has it. */
static void ring_deliver(void)
{
	struct slot *s = ring_await();
	unsigned list = posted_list(s->context, 0, s->tag);
	struct request **at = &posted[list].first, *r;

	while ((r = *at)->context != s->context || r->tag != s->tag || r->source != 0)
		at = &r->next;
	*at = r->next;
	memcpy(r->buf, s->data, s->bytes < r->bytes ? s->bytes : r->bytes);
	r->done = 1;
	ring_next();
}

__attribute__((noinline)) static void ring_waitall(int n, struct request **requests)
{
	for (int i = 0; i < n; i++) {
		while (!requests[i]->done)
			ring_deliver();
		request_free(requests[i]);
		requests[i] = NULL;
	}
}

static void window_send(void)
{
	struct request *requests[WINDOW];

	for (int w = 0; w < WINDOW; w++) {
		out[w] = sent + 1;
		if (matched)
			ring_isend(&out[w], sizeof(out[w]), CONTEXT, TAG, &requests[w]);
		else
			ring_put(&out[w], sizeof(out[w]), CONTEXT, TAG);
	}
	if (matched)
		ring_waitall(WINDOW, requests);
	while (atomic_load_explicit(&shared->answer, memory_order_acquire) != sent)
		;
}

static void window_receive(void)
{
	struct request *requests[WINDOW];

	for (int w = 0; w < WINDOW && matched; w++)
		ring_irecv(&in[w], sizeof(in[w]), CONTEXT, 0, TAG, &requests[w]);
	if (matched)
		ring_waitall(WINDOW, requests);
	for (int w = 0; w < WINDOW && !matched; w++) {
		memcpy(&in[w], ring_await()->data, sizeof(in[w]));
		ring_next();
	}
	for (int w = 0; w < WINDOW; w++) {
		if (in[w] != received - WINDOW + 1 + (uint64_t)w)
			exit(1);
	}
	atomic_store_explicit(&shared->answer, received, memory_order_release);
}

/* Million messages a second. */
static double ring_batch(int sender)
{
	struct timespec a, b;

	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < BATCH; i++) {
		if (sender)
			window_send();
		else
			window_receive();
	}
	clock_gettime(CLOCK_MONOTONIC, &b);
	return (double)BATCH * WINDOW /
	       ((double)(b.tv_sec - a.tv_sec) * 1e6 + (double)(b.tv_nsec - a.tv_nsec) / 1e3);
}

static int ring_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void ring_run(int sender)
{
	static double rates[2][SAMPLES];

	for (int i = -1; i < SAMPLES; i++) {
		for (matched = 0; matched < 2; matched++)
			rates[matched][i < 0 ? 0 : i] = ring_batch(sender);
	}
	if (!sender)
		return;
	printf("= ring M/s");
	for (int i = 0; i < 2; i++) {
		qsort(rates[i], SAMPLES, sizeof(rates[i][0]), ring_compare);
		printf(" %.4g", rates[i][SAMPLES / 2]);
	}
	printf("\n");
}

int main(void)
{
	int status;
	pid_t pid;

	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	pid = fork();
	if (pid < 0)
		return 1;
	for (int i = 0; i < WINDOW; i++) {
		struct request *r = aligned_alloc(64, sizeof(*r));

		if (r == NULL)
			return 1;
		request_free(r);
	}
	if (!pin_to_nth(pid == 0))
		exit(77);
	alarm(30); /* the other may have given up */
	ring_run(pid != 0);
	return pid != 0 && (waitpid(pid, &status, 0) != pid || status != 0);
}
