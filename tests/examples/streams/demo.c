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
static void demo_ok(int rc)
{
	if (rc == ST_OK)
		return;
	printf("error %d: %s\n", rc, st_error_text());
	exit(1);
}

/* Prints the words of an error that must come. */
static void demo_fails(int rc, int want)
{
	if (rc != want)
		printf("error %d was expected, and not %d\n", want, rc);
	printf("refused: %s\n", st_error_text());
}

static int demo_axpy(size_t n, void *const args[], void *ctx)
{
	const float *x = args[0];
	float *y = args[1], a = *(float *)ctx;

	for (size_t i = 0; i < n; i++)
		y[i] += a * x[i];
	return 0;
}

static int demo_bad(size_t n, void *const args[], void *ctx)
{
	(void)n;
	(void)args;
	(void)ctx;
	return 42;
}

static int demo_nothing(size_t n, void *const args[], void *ctx)
{
	(void)n;
	(void)args;
	(void)ctx;
	return 0;
}

#define FN(f) ((void (*)(void))(f))

/* Two queues: the second waits for the first by an event.  All handles go while work still runs. */
static void demo_compute(void)
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
	demo_ok(st_queue_new(&load));
	demo_ok(st_queue_new(&work));
	demo_ok(st_event_new(&loaded));
	demo_ok(st_buffer_new(sizeof(x), &args[0]));
	demo_ok(st_buffer_new(sizeof(y), &args[1]));
	demo_ok(st_kernel_new(ST_C, FN(demo_axpy), &a, &k));
	demo_ok(st_write(load, args[0], 0, x, sizeof(x)));
	demo_ok(st_write(load, args[1], 0, y, sizeof(y)));
	demo_ok(st_event_record(loaded, load));
	demo_ok(st_queue_wait(work, loaded));
	for (int i = 0; i < 10; i++)
		demo_ok(st_launch(work, k, N, 2, args));
	demo_ok(st_read(work, y, args[1], 0, sizeof(y)));
	demo_ok(st_kernel_free(&k));
	demo_ok(st_event_free(&loaded));
	demo_ok(st_buffer_free(&args[0]));
	demo_ok(st_buffer_free(&args[1]));
	demo_ok(st_queue_free(&load));
	demo_ok(st_queue_sync(work));
	demo_ok(st_queue_free(&work));
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

	demo_ok(st_key_new(priority_copy, priority_delete, &deleted, &key));
	demo_ok(st_queue_new(&q[0]));
	demo_ok(st_queue_set(q[0], key, (void *)2));
	demo_ok(st_key_free(&key)); /* it lives on with the values */
	demo_ok(st_queue_spawn(q[0], &q[1]));
	demo_ok(st_queue_spawn(q[1], &q[2]));
	demo_fails(st_queue_spawn(q[2], &q[3]), ST_REFUSED);
	demo_fails(st_queue_set(q[0], 12345, NULL), ST_HANDLE);
	for (int i = 0; i < 3; i++)
		demo_ok(st_queue_free(&q[i]));
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

	demo_ok(st_queue_new(&q));
	demo_ok(st_errh_new(on_failure, &told, &e));
	demo_ok(st_queue_errh(q, e));
	demo_ok(st_errh_free(&e)); /* the queue holds it */
	demo_ok(st_queue_spawn(q, &child));
	demo_ok(st_queue_name(child, "child"));
	demo_ok(st_kernel_new(ST_C, FN(demo_bad), NULL, &k));
	demo_ok(st_launch(child, k, 1, 0, NULL));
	demo_fails(st_queue_sync(child), ST_KERNEL);
	demo_ok(st_queue_sync(child)); /* told once */
	printf("failures: the handler was called %d time\n", told);
	demo_ok(st_kernel_free(&k));
	demo_ok(st_queue_free(&q));
	demo_ok(st_queue_free(&child));
}

/* Each of these would be a crash, or nothing at all, with plain pointers. */
static void demo_mistakes(void)
{
	struct st_buffer *b, *copy;
	struct st_queue *q, *old;
	int on_stack = 0;

	demo_ok(st_queue_new(&q));
	demo_ok(st_queue_name(q, "mine"));
	demo_ok(st_buffer_new(100, &b));
	demo_ok(st_buffer_name(b, "bytes"));
	old = q;
	copy = b;
	demo_fails(st_queue_sync((struct st_queue *)b), ST_HANDLE);
	demo_fails(st_buffer_size((struct st_buffer *)q, &(size_t){0}), ST_HANDLE);
	demo_fails(st_queue_sync((struct st_queue *)&on_stack), ST_HANDLE);
	demo_fails(st_write(q, b, 90, "0123456789ab", 12), ST_INVALID);
	demo_ok(st_queue_free(&q));
	demo_fails(st_queue_sync(old), ST_HANDLE);
	demo_fails(st_queue_free(&old), ST_HANDLE);
	demo_ok(st_buffer_free(&b));
	demo_fails(st_buffer_free(&copy), ST_HANDLE);
	demo_fails(st_queue_sync(NULL), ST_HANDLE);
	printf("mistakes: %s after its end\n", q == NULL && b == NULL ? "NULL" : "a handle");
}

static void *demo_user(void *arg)
{
	struct st_queue *q;
	struct st_event *e;
	struct st_buffer *b;

	(void)arg;
	for (int i = 0; i < 200; i++) {
		demo_ok(st_queue_new(&q));
		demo_ok(st_event_new(&e));
		demo_ok(st_buffer_new(64, &b));
		demo_ok(st_write(q, b, 0, "x", 1));
		demo_ok(st_event_record(e, q));
		demo_ok(st_buffer_free(&b));
		demo_ok(st_event_sync(e));
		demo_ok(st_event_free(&e));
		demo_ok(st_queue_free(&q));
	}
	return NULL;
}

static void demo_threads(void)
{
	pthread_t t[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, demo_user, NULL) != 0)
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

	demo_ok(st_buffer_new(64, &b));
	demo_ok(st_queue_new(&q));
	demo_ok(st_kernel_new(ST_C, FN(demo_nothing), NULL, &k));
	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < ROUNDS; i++) {
		demo_ok(st_buffer_size(b, &bytes));
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
		demo_ok(st_launch(q, k, 1, 1, &b));
	demo_ok(st_queue_sync(q));
	printf("launch put in, run and forgotten: %.0f ns (%zu)\n", ns_since(&from, LAUNCHES),
		sum & 1);
	demo_ok(st_kernel_free(&k));
	demo_ok(st_queue_free(&q));
	demo_ok(st_buffer_free(&b));
}

int main(int argc, char **argv)
{
	struct st_buffer *lost;
	struct st_queue *q;

	demo_ok(st_init(3));
	if (argc > 1 && strcmp(argv[1], "bench") == 0) {
		bench();
		return st_finalize(1) != 0;
	}
	demo_fails(st_init(1), ST_INVALID);
	demo_compute();
	inherit();
	failures();
	demo_mistakes();
	demo_threads();
	demo_ok(st_buffer_new(4096, &lost));
	demo_ok(st_buffer_name(lost, "lost one"));
	fflush(stdout);
	printf("%ld left\n", st_finalize(1));
	demo_fails(st_queue_new(&q), ST_NOMEM);
	demo_ok(st_init(0)); /* it can run again */
	return st_finalize(1) != 0;
}
