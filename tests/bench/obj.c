// SPDX-License-Identifier: BSD-3-Clause
/* obj.c - the cost of libobj: one line a figure, with its target and whether it is met.
 *
 * A figure is the median of BATCHES batches.  The best batch is printed too: on a busy machine it
 * shows what an idle one would reach.  Rows in parentheses are bare work of the same kind: where
 * such a row alone is near its neighbor's target, the machine decides.  All is called as by a user
 * of libobj: inline functions of obj.h in a loop, and functions of the library.
 *
 *     obj [-q] [-g VALUES] [-f NAME]
 *
 *     -q          quick: 10^6 live objects and 10^7 garbage values, not 10^7 and 10^9
 *     -g VALUES   number of garbage values
 *     -f NAME     only figures whose name contains NAME
 *
 * Ends with 0 whether or not targets are met, and with 1 if a garbage value is accepted. */
#include "libobj/base.h"
#include "libobj/obj.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define BATCHES 21
#define HOT     100   /* objects that fit the first cache */
#define PAIRS   20000 /* of a batch */
#define LOOKS   200000

struct bare {
	struct obj obj;
};

static struct obj_domain *domain;
static struct obj_class bare;
static obj_h *handles; /* [live] */
static size_t live = 10 * 1000 * 1000;
static uint64_t garbage = 1000 * 1000 * 1000;
static const char *only;
static uintptr_t sink; /* results of loops, so that they are not thrown away */

/* ------------------------------------------------------------------------------------------------
 * measuring */

static double read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Processor time of this thread in ns. */
static double now(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* The compiler may not throw away what made this. */
static inline void done(uintptr_t sum)
{
	__asm__ volatile("" : : "r"(sum));
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool wanted(const char *name)
{
	return only == NULL || strstr(name, only) != NULL;
}

static void print_head(void)
{
	printf("| libobj | target | measured | best | |\n|---|---|---|---|---|\n");
}

/* One line; target 0: none.  `more': larger is better. */
static void print_row(
	const char *name, const char *unit, double target, bool more, double value, double best)
{
	bool met = more ? value >= target : value <= target;
	char limit[32] = "", fmt[32] = "-";

	if (target != 0)
		snprintf(fmt, sizeof(fmt), "%s %g %s", more ? ">=" : "<=", target, unit);
	snprintf(limit, sizeof(limit), "%s", target == 0 ? "" : met ? "ok" : "MISS");
	printf("| %s | %s | %.2f %s | %.2f | %s |\n", name, fmt, value, unit, best, limit);
	fflush(stdout);
}

/* Runs a batch BATCHES times after a warm-up.  batch() returns ns for an operation. */
static void measure(const char *name, double target, double (*batch)(void))
{
	double ns[BATCHES];

	if (!wanted(name))
		return;
	batch();
	for (int i = 0; i < BATCHES; i++)
		ns[i] = batch();
	qsort(ns, BATCHES, sizeof(ns[0]), by_value);
	print_row(name, "ns", target, false, ns[BATCHES / 2], ns[0]);
}

/* ------------------------------------------------------------------------------------------------
 * one thread */

static double pairs(void)
{
	uintptr_t sum = 0;
	double start = now();

	for (int i = 0; i < PAIRS; i++) {
		void *o = obj_new_at(&bare, NULL, 1);
		obj_h h = obj_handle(o);

		sum += (uintptr_t)obj_free(&bare, &h);
	}
	done(sum);
	return (now() - start) / PAIRS;
}

/* Time of as many loads without any check: the floor to compare lookups with
 * today. */
static double loads(void)
{
	static struct obj *o[HOT];
	uintptr_t sum = 0;
	double start;

	for (int k = 0; k < HOT; k++)
		o[k] = obj_get(&bare, handles[k]);
	start = now();
	for (int i = 0; i < LOOKS / HOT; i++) {
		for (int k = 0; k < HOT; k++)
			sum += __atomic_load_n(&o[k]->token, __ATOMIC_RELAXED);
	}
	done(sum);
	return (now() - start) / LOOKS;
}

static double looks(void)
{
	uintptr_t sum = 0;
	double start = now();

	for (int i = 0; i < LOOKS / HOT; i++) {
		for (int k = 0; k < HOT; k++)
			sum += (uintptr_t)obj_get(&bare, handles[k]);
	}
	done(sum);
	return (now() - start) / LOOKS;
}

static double looks_int(void)
{
	uintptr_t sum = 0;
	double start = now();

	for (int i = 0; i < LOOKS / HOT; i++) {
		for (int k = 0; k < HOT; k++)
			sum += (uintptr_t)obj_find(&bare, obj_to_int(handles[k]));
	}
	done(sum);
	return (now() - start) / LOOKS;
}

static double to_int(void)
{
	double start = now();
	unsigned n = 0;

	for (int i = 0; i < LOOKS / HOT; i++) {
		for (int k = 0; k < HOT; k++)
			n += (unsigned)obj_to_int(handles[k]);
		__asm__ volatile("" : "+r"(n));
	}
	sink += n;
	return (now() - start) / LOOKS;
}

static double from_int(void)
{
	uintptr_t sum = 0;
	static int numbers[HOT];
	double start;

	for (int k = 0; k < HOT; k++)
		numbers[k] = obj_to_int(handles[k]);
	start = now();
	for (int i = 0; i < LOOKS / HOT; i++) {
		for (int k = 0; k < HOT; k++)
			sum += (uintptr_t)obj_from_int(&bare, numbers[k]);
	}
	done(sum);
	return (now() - start) / LOOKS;
}

/* The shapes that a library exports: MPI_Comm_toint, MPI_Comm_fromint. */
__attribute__((noinline)) static int exported_to_int(obj_h h)
{
	return obj_to_int(h);
}

__attribute__((noinline)) static obj_h exported_from_int(int i)
{
	return obj_from_int(&bare, i);
}

static double exported(void)
{
	uintptr_t sum = 0;
	double start = now();

	for (int i = 0; i < LOOKS / HOT; i++) {
		for (int k = 0; k < HOT; k++)
			sum += (uintptr_t)exported_from_int(exported_to_int(handles[k]));
	}
	done(sum);
	return (now() - start) / LOOKS / 2;
}

static double references(void)
{
	void *o = obj_get(&bare, handles[0]);
	double start = now();

	for (int i = 0; i < LOOKS; i++) {
		obj_hold(o);
		__asm__ volatile("" ::: "memory");
		obj_drop(o);
	}
	return (now() - start) / LOOKS;
}

/* ------------------------------------------------------------------------------------------------
 * attributes */

#define KEYS 64

static int keys[KEYS];
static void *cached; /* has attributes keys[0..] */

static void attributes(int n)
{
	struct obj_keyval_desc desc = {.size = sizeof(desc)};

	cached = obj_new_at(&bare, NULL, 1);
	for (int i = 0; i < n; i++) {
		if (keys[i] == 0)
			obj_keyval_new(&bare, &desc, &keys[i]);
		obj_attr_set(cached, keys[i], OBJ_LANG_C, i);
	}
}

static double attr_get(void)
{
	uintptr_t sum = 0;
	double start = now();
	intptr_t value = 0;
	int found = 0;

	for (int i = 0; i < LOOKS; i++) {
		obj_attr_get(cached, keys[0], OBJ_LANG_C, &value, &found);
		sum += (uintptr_t)value;
	}
	done(sum);
	return (now() - start) / LOOKS;
}

static double attr_set(void)
{
	uintptr_t sum = 0;
	double start = now();

	for (int i = 0; i < LOOKS; i++)
		sum += (uintptr_t)obj_attr_set(cached, keys[0], OBJ_LANG_C, i);
	done(sum);
	return (now() - start) / LOOKS;
}

/* ------------------------------------------------------------------------------------------------
 * bare work */

/* A cycle. */
static double adds(void)
{
	uintptr_t sum = 0;
	double start = now();

	for (int i = 0; i < LOOKS; i++) {
		sum += 1;
		__asm__ volatile("" : "+r"(sum));
	}
	done(sum);
	return (now() - start) / LOOKS;
}

/* An object of another kind: memory of its size from malloc, and back. */
static double mallocs(void)
{
	double start = now();

	for (int i = 0; i < PAIRS; i++) {
		void *p = malloc(sizeof(struct bare));

		__asm__ volatile("" : "+r"(p));
		free(p);
	}
	return (now() - start) / PAIRS;
}

/* A count that threads share: one of these is the least that a thread-safe object costs. */
static double locked_adds(void)
{
	uint64_t count __attribute__((aligned(128))) = 0;
	double start = now();

	for (int i = 0; i < PAIRS; i++)
		__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
	done((uintptr_t)count);
	return (now() - start) / PAIRS;
}

/* ------------------------------------------------------------------------------------------------
 * two threads */

#define TOGETHER 2000000 /* operations of each thread */

static pthread_barrier_t line_up;

static void *pairs_thread(void *arg)
{
	(void)arg;
	pairs();
	pthread_barrier_wait(&line_up);
	for (int i = 0; i < TOGETHER / PAIRS; i++)
		pairs();
	pthread_barrier_wait(&line_up);
	return NULL;
}

static void *locked_thread(void *arg)
{
	(void)arg;
	pthread_barrier_wait(&line_up);
	for (int i = 0; i < TOGETHER / PAIRS; i++)
		locked_adds();
	pthread_barrier_wait(&line_up);
	return NULL;
}

static void *get_thread(void *arg)
{
	uintptr_t sum = 0;
	intptr_t value = 0;
	int found = 0;

	(void)arg;
	pthread_barrier_wait(&line_up);
	for (int i = 0; i < 10 * TOGETHER; i++) {
		obj_attr_get(cached, keys[0], OBJ_LANG_C, &value, &found);
		sum += (uintptr_t)value;
	}
	pthread_barrier_wait(&line_up);
	__atomic_fetch_add(&sink, sum, __ATOMIC_RELAXED);
	return NULL;
}

/* M operations a second of two threads together. */
static void together(const char *name, double target, void *(*fn)(void *), double operations)
{
	double rate[5];

	if (!wanted(name))
		return;
	for (int i = 0; i < 5; i++) {
		pthread_t t[2];
		double start;

		pthread_barrier_init(&line_up, NULL, 3);
		for (int k = 0; k < 2; k++)
			pthread_create(&t[k], NULL, fn, NULL);
		pthread_barrier_wait(&line_up);
		start = read_clock(CLOCK_MONOTONIC);
		pthread_barrier_wait(&line_up);
		rate[i] = 2 * operations / (read_clock(CLOCK_MONOTONIC) - start) * 1e3;
		for (int k = 0; k < 2; k++)
			pthread_join(t[k], NULL);
		pthread_barrier_destroy(&line_up);
	}
	qsort(rate, 5, sizeof(rate[0]), by_value);
	print_row(name, "M/s", target, true, rate[2], rate[4]);
}

/* ------------------------------------------------------------------------------------------------
 * many objects */

static uint64_t random_next(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static long resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (f == NULL || fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f != NULL)
		fclose(f);
	return pages * sysconf(_SC_PAGESIZE);
}

/* These handles in random order; NULL: no memory. */
static obj_h *shuffled(void)
{
	obj_h *order = malloc(live * sizeof(*order));
	uint64_t seed = 88172645463325252ULL;

	for (size_t i = 0; order != NULL && i < live; i++) {
		size_t k = random_next(&seed) % (i + 1);

		order[i] = order[k];
		order[k] = handles[i];
	}
	return order;
}

/* As many lines of memory: touched for the first time, then loaded in random order. */
static void many_bare(void)
{
	uint64_t seed = 88172645463325252ULL;
	size_t size = live * sizeof(struct bare);
	double start = now(), n = (double)live;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return;
	for (size_t i = 0; i < size; i += sizeof(struct bare))
		p[i] = 1;
	start = now() - start;
	print_row("(first touch of as many objects' memory)", "ns", 0, false, start / n, start / n);
	start = now();
	for (size_t i = 0; i < live; i++)
		sink += (uintptr_t)p[random_next(&seed) % live * sizeof(struct bare)];
	start = now() - start;
	print_row("(load from it, random)", "ns", 0, false, start / n, start / n);
	munmap(p, size);
}

static void many(void)
{
	double start, n = (double)live;
	long before;
	obj_h *order;

	memset(handles, 1, live * sizeof(*handles)); /* so that it is not counted as theirs */
	before = resident();
	start = now();
	for (size_t i = 0; i < live; i++)
		handles[i] = obj_handle(obj_new_at(&bare, NULL, 1));
	start = now() - start;
	print_row("create until 10^7 live", "ns", 20, false, start / n, start / n);
	start = (double)(resident() - before) / n;
	print_row("memory of each", "B", 66, false, start, start);

	order = shuffled();
	start = now();
	for (size_t i = 0; order != NULL && i < live; i++)
		sink += (uintptr_t)obj_get(&bare, order[i]);
	start = now() - start;
	print_row("lookup, 10^7 live, random", "ns", 18, false, start / n, start / n);
	free(order);

	start = now();
	for (size_t i = 0; i < live; i++)
		sink += (uintptr_t)obj_free(&bare, &handles[i]);
	start = now() - start;
	print_row("free of all of them", "ns", 15, false, start / n, start / n);
}

/* ------------------------------------------------------------------------------------------------
 * garbage */

#define LOCAL 4096 /* live objects that garbage is near to */

/* Neither of these can be a live handle: any 64 bits, a live one with a bit above the index
 * flipped, a freed one. */
static uint64_t garbage_draw(uint64_t *seed, const uint64_t *alive, const uint64_t *freed)
{
	uint64_t r = random_next(seed), k = (r >> 8) % LOCAL;

	switch (r & 3) {
	case 0: return alive[k] ^ 1ULL << (24 + (r >> 32) % 40);
	case 1: return freed[k];
	default: return r * 0x9e3779b97f4a7c15ULL;
	}
}

/* The slow entries, for one value in a thousand. */
static bool refused_slowly(uint64_t h)
{
	obj_h again = (obj_h)(uintptr_t)h;

	return obj_why(&bare, again, NULL) != OBJ_OK && obj_acquire(&bare, again) == NULL &&
	       obj_free(&bare, &again) != OBJ_OK;
}

static uint64_t garbage_accepted(void)
{
	static uint64_t alive[LOCAL], freed[LOCAL];
	uint64_t seed = 362436069, accepted = 0;

	for (int i = 0; i < LOCAL; i++) {
		void *o = obj_new_at(&bare, NULL, 1);

		freed[i] = (uintptr_t)obj_handle(o);
		alive[i] = (uintptr_t)obj_handle(obj_new_at(&bare, NULL, 1));
		obj_free_obj(o);
	}
	for (uint64_t i = 0; i < garbage; i++) {
		uint64_t h = garbage_draw(&seed, alive, freed);
		struct bare *o = obj_find(&bare, (int)h);

		accepted += obj_get(&bare, (obj_h)(uintptr_t)h) != NULL;
		accepted += o != NULL && obj_int(o) != (int)h;
		if (i % 1000 == 0)
			accepted += !refused_slowly(h);
	}
	return accepted;
}

/* ------------------------------------------------------------------------------------------------
 * the table */

static void open_all(void)
{
	struct obj_domain_opts opts = {.size = sizeof(opts), .name = "bench"};
	struct obj_class_desc desc = {
		.size = sizeof(desc), .name = "bare", .obj_size = sizeof(struct bare)};

	handles = calloc(live, sizeof(*handles));
	if (handles == NULL || obj_domain_open(&domain, &opts) != OBJ_OK ||
		obj_class_open(&bare, domain, &desc) != OBJ_OK) {
		fprintf(stderr, "bench obj: no memory\n");
		exit(2);
	}
	for (int i = 0; i < HOT; i++)
		handles[i] = obj_handle(obj_new_at(&bare, NULL, 1));
}

static void one_thread(void)
{
	measure("(a cycle: an add that waits for the last one)", 0, adds);
	measure("(malloc + free of its size)", 0, mallocs);
	measure("create + free, bare object", 6, pairs);
	measure("(load of an object, unchecked)", 0, loads);
	measure("lookup, hot, by handle", 1.2, looks);
	measure("lookup, hot, by INTEGER", 1.2, looks_int);
	measure("handle to INTEGER, inline", 0.3, to_int);
	measure("INTEGER to handle, inline", 0.8, from_int);
	measure("either, as exported function", 1.3, exported);
	measure("hold + drop, one thread", 0, references);
	attributes(1);
	measure("attribute get, 1 set", 1.5, attr_get);
	measure("attribute set again, 1 set", 0, attr_set);
	attributes(KEYS);
	measure("attribute get, oldest of 64", 1.5, attr_get);
}

static void threads(void)
{
	obj_domain_threads(domain, 1);
	measure("(a locked add)", 0, locked_adds);
	measure("create + free, thread-safe", 8, pairs);
	measure("hold + drop, thread-safe", 0, references);
	together("(locked adds, two threads, a line each)", 0, locked_thread, TOGETHER);
	together("create + free, two threads", 250, pairs_thread, TOGETHER);
	together("attribute get, two threads", 600, get_thread, 10.0 * TOGETHER);
	obj_domain_threads(domain, 0);
}

int main(int argc, char **argv)
{
	struct obj_class_stats s = {.size = sizeof(s)};
	uint64_t accepted = 0;
	int c;

	while ((c = getopt(argc, argv, "qg:f:")) != -1) {
		if (c == 'q') {
			live = 1000 * 1000;
			garbage = 10 * 1000 * 1000;
		} else if (c == 'g') {
			garbage = strtoull(optarg, NULL, 0);
		} else if (c == 'f') {
			only = optarg;
		} else {
			return 2;
		}
	}
	open_all();
	print_head();
	one_thread();
	threads();
	obj_stats(&bare, &s);
	print_row("header", "B", 40, false, sizeof(struct obj), sizeof(struct obj));
	print_row("bare object", "B", 64, false, (double)s.stride, (double)s.stride);
	if (wanted("live")) {
		many();
		many_bare();
	}
	if (wanted("garbage")) {
		double start = now();

		accepted = garbage_accepted();
		printf("| %.0e garbage values | 0 accepted | %llu accepted | %.1f ns each | %s |\n",
			(double)garbage, (unsigned long long)accepted,
			(now() - start) / (double)garbage, accepted == 0 ? "ok" : "MISS");
	}
	obj_domain_close(domain, -1, OBJ_FMT_TEXT);
	return accepted != 0 || sink == 1;
}
