// SPDX-License-Identifier: BSD-3-Clause
/* demo.c - uses all of the device: kernels over several queues, attributes that a queue inherits,
 * mistakes that are told, an error handler, threads, a leak, and the cost of a launch.
 *
 *     demo          each part prints a line; the last: the rest
 *     demo bench    nanoseconds of a check of a handle, and of a launch */
#include "streams.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define N 1000

/* Ends the program with the words of the error. */
static void ok(int rc)
{
	if (rc == ST_OK)
		return;
	printf("error %d: %s\n", rc, st_error_text());
	exit(1);
}

/* Prints the words of an error that must come. */
static void fails(int rc, int want)
{
	if (rc != want)
		printf("error %d was expected, and not %d\n", want, rc);
	printf("refused: %s\n", st_error_text());
}

static int axpy(size_t n, void *const args[], void *ctx)
{
	const float *x = args[0];
	float *y = args[1], a = *(float *)ctx;

	for (size_t i = 0; i < n; i++)
		y[i] += a * x[i];
	return 0;
}

static int bad(size_t n, void *const args[], void *ctx)
{
	(void)n;
	(void)args;
	(void)ctx;
	return 42;
}

static int nothing(size_t n, void *const args[], void *ctx)
{
	(void)n;
	(void)args;
	(void)ctx;
	return 0;
}

#define FN(f) ((void (*)(void))(f))

/* Two queues: the second waits for the first by an event.  All handles go while work still runs. */
static void compute(void)
{
	struct st_queue *load, *work;
	struct st_buffer *args[2];
	struct st_kernel *k;
	struct st_event *loaded;
	float x[N], y[N], a = 2, sum = 0;

	for (int i = 0; i < N; i++) {
		x[i] = 3;
		y[i] = 1;
	}
	ok(st_queue_new(&load));
	ok(st_queue_new(&work));
	ok(st_event_new(&loaded));
	ok(st_buffer_new(sizeof(x), &args[0]));
	ok(st_buffer_new(sizeof(y), &args[1]));
	ok(st_kernel_new(ST_C, FN(axpy), &a, &k));
	ok(st_write(load, args[0], 0, x, sizeof(x)));
	ok(st_write(load, args[1], 0, y, sizeof(y)));
	ok(st_event_record(loaded, load));
	ok(st_queue_wait(work, loaded));
	for (int i = 0; i < 10; i++)
		ok(st_launch(work, k, N, 2, args));
	ok(st_read(work, y, args[1], 0, sizeof(y)));
	ok(st_kernel_free(&k));
	ok(st_event_free(&loaded));
	ok(st_buffer_free(&args[0]));
	ok(st_buffer_free(&args[1]));
	ok(st_queue_free(&load));
	ok(st_queue_sync(work));
	ok(st_queue_free(&work));
	for (int i = 0; i < N; i++)
		sum += y[i];
	printf("compute: %g\n", (double)sum / N);
}

/* A priority that a spawned queue has one less of; below 0 there is no child. */
static int priority_copy(void *queue, int key, void *extra, void *in, void *out, int *flag)
{
	(void)queue;
	(void)key;
	(void)extra;
	if ((intptr_t)in == 0)
		return 7;
	*(void **)out = (void *)((intptr_t)in - 1);
	*flag = 1;
	return 0;
}

static int priority_delete(void *queue, int key, void *value, void *extra)
{
	(void)queue;
	(void)key;
	(void)value;
	++*(int *)extra;
	return 0;
}

static void inherit(void)
{
	struct st_queue *q[4];
	int key, found, deleted = 0;
	void *value;

	ok(st_key_new(priority_copy, priority_delete, &deleted, &key));
	ok(st_queue_new(&q[0]));
	ok(st_queue_set(q[0], key, (void *)2));
	ok(st_key_free(&key)); /* it lives on with the values */
	ok(st_queue_spawn(q[0], &q[1]));
	ok(st_queue_spawn(q[1], &q[2]));
	fails(st_queue_spawn(q[2], &q[3]), ST_REFUSED);
	fails(st_queue_set(q[0], 12345, NULL), ST_HANDLE);
	for (int i = 0; i < 3; i++)
		ok(st_queue_free(&q[i]));
	printf("inherit: %d values deleted\n", deleted);
	(void)found;
	(void)value;
}

static void on_failure(int code, const char *queue, void *ctx)
{
	printf("handler: kernel of queue %s returned %d\n", queue, code);
	fflush(stdout);
	++*(int *)ctx;
}

static void failures(void)
{
	struct st_queue *q, *child;
	struct st_kernel *k;
	struct st_errh *e;
	int told = 0;

	ok(st_queue_new(&q));
	ok(st_errh_new(on_failure, &told, &e));
	ok(st_queue_errh(q, e));
	ok(st_errh_free(&e)); /* the queue holds it */
	ok(st_queue_spawn(q, &child));
	ok(st_queue_name(child, "child"));
	ok(st_kernel_new(ST_C, FN(bad), NULL, &k));
	ok(st_launch(child, k, 1, 0, NULL));
	fails(st_queue_sync(child), ST_KERNEL);
	ok(st_queue_sync(child)); /* told once */
	printf("failures: the handler was called %d time\n", told);
	ok(st_kernel_free(&k));
	ok(st_queue_free(&q));
	ok(st_queue_free(&child));
}

/* Each of these would be a crash, or nothing at all, with plain pointers. */
static void mistakes(void)
{
	struct st_buffer *b, *copy;
	struct st_queue *q, *old;
	int on_stack = 0;

	ok(st_queue_new(&q));
	ok(st_queue_name(q, "mine"));
	ok(st_buffer_new(100, &b));
	ok(st_buffer_name(b, "bytes"));
	old = q;
	copy = b;
	fails(st_queue_sync((struct st_queue *)b), ST_HANDLE);
	fails(st_buffer_size((struct st_buffer *)q, &(size_t){0}), ST_HANDLE);
	fails(st_queue_sync((struct st_queue *)&on_stack), ST_HANDLE);
	fails(st_write(q, b, 90, "0123456789ab", 12), ST_INVALID);
	ok(st_queue_free(&q));
	fails(st_queue_sync(old), ST_HANDLE);
	fails(st_queue_free(&old), ST_HANDLE);
	ok(st_buffer_free(&b));
	fails(st_buffer_free(&copy), ST_HANDLE);
	fails(st_queue_sync(NULL), ST_HANDLE);
	printf("mistakes: %s after its end\n", q == NULL && b == NULL ? "NULL" : "a handle");
}

static void *user(void *arg)
{
	struct st_queue *q;
	struct st_event *e;
	struct st_buffer *b;

	(void)arg;
	for (int i = 0; i < 200; i++) {
		ok(st_queue_new(&q));
		ok(st_event_new(&e));
		ok(st_buffer_new(64, &b));
		ok(st_write(q, b, 0, "x", 1));
		ok(st_event_record(e, q));
		ok(st_buffer_free(&b));
		ok(st_event_sync(e));
		ok(st_event_free(&e));
		ok(st_queue_free(&q));
	}
	return NULL;
}

static void threads(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, user, NULL) != 0)
			exit(1);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	printf("threads: done\n");
}

static double ns_since(const struct timespec *from, int rounds)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return ((double)(now.tv_sec - from->tv_sec) * 1e9 + (double)(now.tv_nsec - from->tv_nsec)) /
	       rounds;
}

static void bench(void)
{
	enum { ROUNDS = 1000000, LAUNCHES = 20000 };
	struct st_buffer *b;
	struct st_queue *q;
	struct st_kernel *k;
	struct timespec from;
	size_t bytes, sum = 0;

	ok(st_buffer_new(64, &b));
	ok(st_queue_new(&q));
	ok(st_kernel_new(ST_C, FN(nothing), NULL, &k));
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < ROUNDS; i++) {
		ok(st_buffer_size(b, &bytes));
		sum += bytes;
	}
	printf("handle looked up, held, used, dropped: %.1f ns\n", ns_since(&from, ROUNDS));
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < ROUNDS; i++) {
		__asm__ volatile("" : "+r"(b));
		sum += (size_t)st_data(b);
	}
	printf("direct handle followed: %.1f ns\n", ns_since(&from, ROUNDS));
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < LAUNCHES; i++)
		ok(st_launch(q, k, 1, 1, &b));
	ok(st_queue_sync(q));
	printf("launch put in, run and forgotten: %.0f ns (%zu)\n", ns_since(&from, LAUNCHES),
		sum & 1);
	ok(st_kernel_free(&k));
	ok(st_queue_free(&q));
	ok(st_buffer_free(&b));
}

int main(int argc, char **argv)
{
	struct st_buffer *lost;
	struct st_queue *q;

	ok(st_init(3));
	if (argc > 1 && strcmp(argv[1], "bench") == 0) {
		bench();
		return st_finalize(1) != 0;
	}
	fails(st_init(1), ST_INVALID);
	compute();
	inherit();
	failures();
	mistakes();
	threads();
	ok(st_buffer_new(4096, &lost));
	ok(st_buffer_name(lost, "lost one"));
	fflush(stdout);
	printf("%ld left\n", st_finalize(1));
	fails(st_queue_new(&q), ST_NOMEM);
	ok(st_init(0)); /* it can run again */
	return st_finalize(1) != 0;
}
