// SPDX-License-Identifier: BSD-3-Clause
/* obj.c - the cost of libobj: one line a figure, with its target, its bare work, and a verdict.
 *
 * A figure is the median of BATCHES batches.  The best batch is printed too: on a busy machine it
 * shows what an idle one would reach.  Bare work is what the machine asks for the same loads,
 * stores and locked instructions, in line, with no check, no class and no library.  It runs in
 * turns with the figure, so both see the same machine.  All else is called as by a user of libobj:
 * inline functions of obj.h in a loop, and functions of the library.
 *
 *     ok      the target is met
 *     bare    it is missed, and the figure is within BARE_LIMIT of the bare work: so the machine
 *             decides
 *     MISS    neither
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

#define BATCHES    21
#define ROUNDS     5     /* of figures that take long */
#define HOT        100   /* objects that fit the first cache */
#define PAIRS      20000 /* of a batch */
#define LOOKS      200000
#define BARE_LIMIT 1.2
#define MANY_TAG   (0x5a03ULL << 48) /* in tokens of bare work */

struct bare {
	struct obj obj;
};

static struct obj_domain *domain;
static struct obj_class hot_class, many_class;
static obj_h *handles; /* [live] */
static size_t live = 10 * 1000 * 1000;
static uint64_t garbage = 1000 * 1000 * 1000;
static const char *only;
static uintptr_t sink; /* results of loops, so that they are not thrown away */

/* --- measuring ------------------------------------------------------------------------------ */

static double read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Processor time of this thread in ns. */
static double obj_now(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* The compiler may not throw away what made this. */
static inline void obj_done(uintptr_t sum)
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
	printf("| libobj | target | measured | best | bare | |\n|---|---|---|---|---|---|\n");
}

/* The values of a line.  target, bare 0: none.  `more': larger is better. */
struct row {
	const char *name, *unit;
	double target;
	bool more;
	double value, best, bare;
};

static const char *row_verdict(const struct row *r)
{
	bool met = r->more ? r->value >= r->target : r->value <= r->target;
	double times = r->more ? r->bare / r->value : r->value / r->bare;

	if (r->target == 0)
		return "";
	return met ? "ok" : r->bare != 0 && times <= BARE_LIMIT ? "bare" : "MISS";
}

static void print_row(struct row r)
{
	char target[32] = "-", bare[32] = "-";

	if (r.target != 0)
		snprintf(target, sizeof(target), "%s %g", r.more ? ">=" : "<=", r.target);
	if (r.bare != 0)
		snprintf(bare, sizeof(bare), "%.2f", r.bare);
	printf("| %s, %s | %s | %.2f | %.2f | %s | %s |\n", r.name, r.unit, target, r.value, r.best,
		bare, row_verdict(&r));
	fflush(stdout);
}

static double obj_median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(v[0]), by_value);
	return v[n / 2];
}

/* Runs a batch and its bare work (NULL: none) BATCHES times in turns, after a warm-up of both.  A
 * batch returns ns for an operation. */
static void measure(const char *name, double target, double (*batch)(void), double (*bare)(void))
{
	double ns[BATCHES], floor[BATCHES] = {0};

	if (!wanted(name))
		return;
	for (int i = -1; i < BATCHES; i++) {
		double floor_ns = bare != NULL ? bare() : 0, batch_ns = batch();

		if (i < 0)
			continue;
		floor[i] = floor_ns;
		ns[i] = batch_ns;
	}
	print_row((struct row){name, "ns", target, false, obj_median(ns, BATCHES), ns[0],
		obj_median(floor, BATCHES)});
}

static void class_open(struct obj_class *c, const char *name)
{
	struct obj_class_desc desc = {
		.size = sizeof(desc), .name = name, .obj_size = sizeof(struct bare)};

	if (obj_class_open(c, domain, &desc) != OBJ_OK) {
		fprintf(stderr, "bench obj: no class\n");
		exit(2);
	}
}

/* --- one thread ----------------------------------------------------------------------------- */

static double obj_pairs(void)
{
	uintptr_t sum = 0;
	double start = obj_now();

	for (int i = 0; i < PAIRS; i++) {
		void *o = obj_new_at(&hot_class, NULL, 1);
		obj_h h = obj_handle(o);

		sum += (uintptr_t)obj_free(&hot_class, &h);
	}
	obj_done(sum);
	return (obj_now() - start) / PAIRS;
}

/* As many loads without any check. */
static double loads(void)
{
	static struct obj *o[HOT];
	uintptr_t sum = 0;
	double start;

	for (int k = 0; k < HOT; k++)
		o[k] = obj_get(&hot_class, handles[k]);
	start = obj_now();
	for (int i = 0; i < LOOKS / HOT; i++) {
		for (int k = 0; k < HOT; k++)
			sum += __atomic_load_n(&o[k]->token, __ATOMIC_RELAXED);
	}
	obj_done(sum);
	return (obj_now() - start) / LOOKS;
}

static double looks(void)
{
	uintptr_t sum = 0;
	double start = obj_now();

	for (int i = 0; i < LOOKS / HOT; i++) {
		for (int k = 0; k < HOT; k++)
			sum += (uintptr_t)obj_get(&hot_class, handles[k]);
	}
	obj_done(sum);
	return (obj_now() - start) / LOOKS;
}

static double looks_int(void)
{
	uintptr_t sum = 0;
	double start = obj_now();

	for (int i = 0; i < LOOKS / HOT; i++) {
		for (int k = 0; k < HOT; k++)
			sum += (uintptr_t)obj_find(&hot_class, obj_to_int(handles[k]));
	}
	obj_done(sum);
	return (obj_now() - start) / LOOKS;
}

static double to_int(void)
{
	double start = obj_now();
	unsigned n = 0;

	for (int i = 0; i < LOOKS / HOT; i++) {
		for (int k = 0; k < HOT; k++)
			n += (unsigned)obj_to_int(handles[k]);
		__asm__ volatile("" : "+r"(n));
	}
	sink += n;
	return (obj_now() - start) / LOOKS;
}

static double from_int(void)
{
	uintptr_t sum = 0;
	static int numbers[HOT];
	double start;

	for (int k = 0; k < HOT; k++)
		numbers[k] = obj_to_int(handles[k]);
	start = obj_now();
	for (int i = 0; i < LOOKS / HOT; i++) {
		for (int k = 0; k < HOT; k++)
			sum += (uintptr_t)obj_from_int(&hot_class, numbers[k]);
	}
	obj_done(sum);
	return (obj_now() - start) / LOOKS;
}

/* The shapes that a library exports: MPI_Comm_toint, MPI_Comm_fromint. */
__attribute__((noinline)) static int exported_to_int(obj_h h)
{
	return obj_to_int(h);
}

__attribute__((noinline)) static obj_h exported_from_int(int i)
{
	return obj_from_int(&hot_class, i);
}

static double exported(void)
{
	uintptr_t sum = 0;
	double start = obj_now();

	for (int i = 0; i < LOOKS / HOT; i++) {
		for (int k = 0; k < HOT; k++)
			sum += (uintptr_t)exported_from_int(exported_to_int(handles[k]));
	}
	obj_done(sum);
	return (obj_now() - start) / LOOKS / 2;
}

static double references(void)
{
	void *o = obj_get(&hot_class, handles[0]);
	double start = obj_now();

	for (int i = 0; i < LOOKS; i++) {
		obj_hold(o);
		__asm__ volatile("" ::: "memory");
		obj_drop(o);
	}
	return (obj_now() - start) / LOOKS;
}

/* --- attributes ----------------------------------------------------------------------------- */

#define KEYS 64

static int keys[KEYS];
static void *cached; /* has attributes keys[0..] */

static void obj_attributes(int n)
{
	struct obj_keyval_desc desc = {.size = sizeof(desc)};

	cached = obj_new_at(&hot_class, NULL, 1);
	for (int i = 0; i < n; i++) {
		if (keys[i] == 0)
			obj_keyval_new(&hot_class, &desc, &keys[i]);
		obj_attr_set(cached, keys[i], OBJ_LANG_C, i);
	}
}

static double attr_get(void)
{
	uintptr_t sum = 0;
	double start = obj_now();
	intptr_t value = 0;
	int found = 0;

	for (int i = 0; i < LOOKS; i++) {
		obj_attr_get(cached, keys[0], OBJ_LANG_C, &value, &found);
		sum += (uintptr_t)value;
	}
	obj_done(sum);
	return (obj_now() - start) / LOOKS;
}

static double attr_set(void)
{
	uintptr_t sum = 0;
	double start = obj_now();

	for (int i = 0; i < LOOKS; i++)
		sum += (uintptr_t)obj_attr_set(cached, keys[0], OBJ_LANG_C, i);
	obj_done(sum);
	return (obj_now() - start) / LOOKS;
}

/* --- bare work ------------------------------------------------------------------------------ */

/* An add that waits for the last one: a cycle. */
static double obj_adds(void)
{
	uintptr_t sum = 0;
	double start = obj_now();

	for (int i = 0; i < LOOKS; i++) {
		sum += 1;
		__asm__ volatile("" : "+r"(sum));
	}
	obj_done(sum);
	return (obj_now() - start) / LOOKS;
}

/* A slot as libobj has it, and a thread's ring of as many as its quarantine. */
struct line {
	uint64_t token, refs;
	struct line *next;
	void *ext;
	uintptr_t site;
	char rest[24];
} __attribute__((aligned(64)));

static_assert(sizeof(struct line) == 64, "a bare object is a cache line");

static __thread struct line *lines; /* [OBJ_QUARANTINE] */
static __thread struct line *ring;  /* the oldest of them; the newest leads to it */

static void ring_make(void)
{
	lines = aligned_alloc(64, OBJ_QUARANTINE * sizeof(*lines));
	if (lines == NULL)
		exit(2);
	memset(lines, 0, OBJ_QUARANTINE * sizeof(*lines));
	for (int i = 0; i < OBJ_QUARANTINE; i++)
		lines[i].next = &lines[(i + 1) % OBJ_QUARANTINE];
	ring = lines;
}

/* A line is taken, written, published, claimed and given back.  `locked': by a locked swap, as two
 * threads need it that free one object at once. */
static inline __attribute__((always_inline)) double ring_pairs(bool locked)
{
	double start;

	if (lines == NULL)
		ring_make();
	start = obj_now();
	for (int i = 0; i < PAIRS; i++) {
		struct line *l = ring;
		uint64_t alive = OBJ_REFS_USER;

		ring = l->next;
		__builtin_prefetch(ring, 1);
		l->ext = NULL;
		l->site = 1;
		l->refs = alive;
		memset(l->rest, 0, sizeof(l->rest));
		l->token += 2;
		__asm__ volatile("" : "+r"(l) : : "memory"); /* here its user has the handle */
		if (locked)
			__atomic_compare_exchange_n(
				&l->refs, &alive, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
		l->token ^= 1;
		l->refs = 0;
		l->next = ring; /* the ring has one round only: its order never changes */
		__asm__ volatile("" : : : "memory");
	}
	return (obj_now() - start) / PAIRS;
}

static double ring_unlocked(void)
{
	return ring_pairs(false);
}

static double ring_locked(void)
{
	return ring_pairs(true);
}

/* A hold and a drop: a count that threads share. */
static double locked_adds(void)
{
	uint64_t count __attribute__((aligned(128))) = 0;
	double start = obj_now();

	for (int i = 0; i < PAIRS; i++) {
		__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
		__atomic_fetch_sub(&count, 1, __ATOMIC_RELAXED);
	}
	obj_done((uintptr_t)count);
	return (obj_now() - start) / PAIRS;
}

/* A call that follows four pointers and returns the last one: to an object's parts, to their index,
 * to the attribute, to its value. */
struct link {
	struct link *next;
};

static struct link chain[5];

__attribute__((noinline)) static int chain_get(const struct link *l, intptr_t *value, int *found)
{
	*value = (intptr_t)l->next->next->next->next;
	*found = 1;
	return 0;
}

static double chains(void)
{
	uintptr_t sum = 0;
	intptr_t value = 0;
	int found = 0;
	double start;

	for (int i = 0; i < 4; i++)
		chain[i].next = &chain[i + 1];
	__asm__ volatile("" : : : "memory");
	start = obj_now();
	for (int i = 0; i < LOOKS; i++) {
		chain_get(chain, &value, &found);
		sum += (uintptr_t)value;
		__asm__ volatile("" : : : "memory");
	}
	obj_done(sum);
	return (obj_now() - start) / LOOKS;
}

/* --- two threads ---------------------------------------------------------------------------- */

#define TOGETHER 100 /* batches of each thread */

static pthread_barrier_t line_up;

/* Two threads run `arg', a batch. */
static void *together_thread(void *arg)
{
	double (*batch)(void) = *(double (**)(void))arg;

	batch();
	pthread_barrier_wait(&line_up);
	for (int i = 0; i < TOGETHER; i++)
		batch();
	pthread_barrier_wait(&line_up);
	free(lines);
	lines = NULL;
	return NULL;
}

/* M operations a second of two threads, of `each' operations a batch. */
static double together_rate(double (*batch)(void), double each)
{
	pthread_t t[2];
	double start;

	pthread_barrier_init(&line_up, NULL, 3);
	for (int k = 0; k < 2; k++)
		pthread_create(&t[k], NULL, together_thread, &batch);
	pthread_barrier_wait(&line_up);
	start = read_clock(CLOCK_MONOTONIC);
	pthread_barrier_wait(&line_up);
	start = read_clock(CLOCK_MONOTONIC) - start;
	for (int k = 0; k < 2; k++)
		pthread_join(t[k], NULL);
	pthread_barrier_destroy(&line_up);
	return 2 * TOGETHER * each / start * 1e3;
}

static void obj_together(
	const char *name, double target, double (*batch)(void), double (*bare)(void), double each)
{
	double rate[ROUNDS], floor[ROUNDS];

	if (!wanted(name))
		return;
	for (int i = 0; i < ROUNDS; i++) {
		floor[i] = together_rate(bare, each);
		rate[i] = together_rate(batch, each);
	}
	print_row((struct row){name, "M/s", target, true, obj_median(rate, ROUNDS),
		rate[ROUNDS - 1], obj_median(floor, ROUNDS)});
}

/* --- many objects --------------------------------------------------------------------------- */

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

/* The figures of obj_many(), each for an object: of libobj, and of bare work.  CHECKED is bare work
 * alone: a lookup as a table of one kind of objects would do it. */
enum many { CREATE, MEMORY, RANDOM, CHECKED, FREE, MANY };

/* Copies `handles' in random order. */
static void shuffle(void **order)
{
	uint64_t seed = 88172645463325252ULL;

	for (size_t i = 0; i < live; i++) {
		size_t k = random_next(&seed) % (i + 1);

		order[i] = order[k];
		order[k] = handles[i];
	}
}

/* Looks the tokens of `order' up in a table of lines by hand: bound, load, compare.  ns. */
static double many_checked(const struct line *all, void **order)
{
	uintptr_t sum = 0;
	double start;

	for (size_t i = 0; i < live; i++)
		order[i] = (void *)((struct line *)order[i])->token;
	start = obj_now();
	for (size_t i = 0; i < live; i++) {
		uint64_t h = (uintptr_t)order[i], index = h & OBJ_INDEX_MAX;

		sum += (uintptr_t)(index < live && all[index].token == h ? &all[index] : NULL);
	}
	obj_done(sum);
	return obj_now() - start;
}

/* As many lines of memory that nothing has touched: written whole, loaded by a pointer in random
 * order, looked up by hand, and written once more.  Asks for huge pages, as tables of libobj do. */
static void many_bare(void **order, double *ns)
{
	size_t size = live * sizeof(struct line);
	struct line *all =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uintptr_t sum = 0;
	double start;

	if (all == MAP_FAILED)
		exit(2);
	madvise(all, size, MADV_HUGEPAGE);
	start = obj_now();
	for (size_t i = 0; i < live; i++) {
		all[i] = (struct line){.token = MANY_TAG | i, .refs = OBJ_REFS_USER};
		handles[i] = &all[i];
	}
	ns[CREATE] = obj_now() - start;
	ns[MEMORY] = (double)size;
	shuffle(order);
	start = obj_now();
	for (size_t i = 0; i < live; i++)
		sum += ((struct line *)order[i])->token;
	obj_done(sum);
	ns[RANDOM] = obj_now() - start;
	ns[CHECKED] = many_checked(all, order);
	start = obj_now();
	for (size_t i = 0; i < live; i++)
		((struct line *)handles[i])->next = all;
	ns[FREE] = obj_now() - start;
	munmap(all, size);
}

static void many_objects(void **order, double *ns)
{
	long before = resident();
	uintptr_t sum = 0;
	double start = obj_now();

	for (size_t i = 0; i < live; i++)
		handles[i] = obj_handle(obj_new_at(&many_class, NULL, 1));
	ns[CREATE] = obj_now() - start;
	ns[MEMORY] = (double)(resident() - before);
	shuffle(order);
	start = obj_now();
	for (size_t i = 0; i < live; i++)
		sum += (uintptr_t)obj_get(&many_class, order[i]);
	obj_done(sum);
	ns[RANDOM] = obj_now() - start;
	ns[CHECKED] = 0;
	start = obj_now();
	for (size_t i = 0; i < live; i++)
		sink += (uintptr_t)obj_free(&many_class, &handles[i]);
	ns[FREE] = obj_now() - start;
}

static void obj_many(void)
{
	static const struct row rows[MANY] = {
		[CREATE] = {.name = "create until 10^7 live", .unit = "ns", .target = 20},
		[MEMORY] = {.name = "memory of each", .unit = "B", .target = 66},
		[RANDOM] = {.name = "lookup, 10^7 live, random", .unit = "ns", .target = 18},
		[CHECKED] = {.name = "the same, checked by hand", .unit = "ns"},
		[FREE] = {.name = "free of all of them", .unit = "ns", .target = 15},
	};
	double ns[MANY][ROUNDS], bare[MANY][ROUNDS], turn[MANY];
	void **order = calloc(live, sizeof(*order));

	if (order == NULL)
		exit(2);
	memset(handles, 1, live * sizeof(*handles)); /* so that it is not counted as theirs */
	for (int i = 0; i < ROUNDS; i++) {
		many_bare(order, turn);
		for (int k = 0; k < MANY; k++)
			bare[k][i] = turn[k] / (double)live;
		class_open(&many_class, "many");
		many_objects(order, turn);
		obj_class_close(&many_class);
		for (int k = 0; k < MANY; k++)
			ns[k][i] = turn[k] / (double)live;
	}
	free(order);
	for (int k = 0; k < MANY; k++) {
		struct row r = rows[k];

		r.value = obj_median(k == CHECKED ? bare[k] : ns[k], ROUNDS);
		r.best = k == CHECKED ? bare[k][0] : ns[k][0];
		r.bare = k == CHECKED ? 0 : obj_median(bare[k], ROUNDS);
		print_row(r);
	}
}

/* --- garbage -------------------------------------------------------------------------------- */

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

	return obj_why(&hot_class, again, NULL) != OBJ_OK &&
	       obj_acquire(&hot_class, again) == NULL && obj_free(&hot_class, &again) != OBJ_OK;
}

static uint64_t garbage_accepted(void)
{
	static uint64_t alive[LOCAL], freed[LOCAL];
	uint64_t seed = 362436069, accepted = 0;

	for (int i = 0; i < LOCAL; i++) {
		void *o = obj_new_at(&hot_class, NULL, 1);

		freed[i] = (uintptr_t)obj_handle(o);
		alive[i] = (uintptr_t)obj_handle(obj_new_at(&hot_class, NULL, 1));
		obj_free_obj(o);
	}
	for (uint64_t i = 0; i < garbage; i++) {
		uint64_t h = garbage_draw(&seed, alive, freed);
		struct bare *o = obj_find(&hot_class, (int)h);

		accepted += obj_get(&hot_class, (obj_h)(uintptr_t)h) != NULL;
		accepted += o != NULL && obj_int(o) != (int)h;
		if (i % 1000 == 0)
			accepted += !refused_slowly(h);
	}
	return accepted;
}

/* --- the table ------------------------------------------------------------------------------ */

static void obj_open_all(void)
{
	struct obj_domain_opts opts = {.size = sizeof(opts), .name = "bench"};

	handles = calloc(live, sizeof(*handles));
	if (handles == NULL || obj_domain_open(&domain, &opts) != OBJ_OK) {
		fprintf(stderr, "bench obj: no memory\n");
		exit(2);
	}
	class_open(&hot_class, "hot");
	for (int i = 0; i < HOT; i++)
		handles[i] = obj_handle(obj_new_at(&hot_class, NULL, 1));
}

static void one_thread(void)
{
	measure("(a cycle: an add that waits for the last one)", 0, obj_adds, NULL);
	measure("create + free, bare object", 6, obj_pairs, ring_unlocked);
	measure("lookup, hot, by handle", 1.2, looks, loads);
	measure("lookup, hot, by INTEGER", 1.2, looks_int, loads);
	measure("handle to INTEGER, inline", 0.3, to_int, NULL);
	measure("INTEGER to handle, inline", 0.8, from_int, loads);
	measure("either, as exported function", 1.3, exported, NULL);
	measure("hold + drop, one thread", 0, references, NULL);
	obj_attributes(1);
	measure("attribute get, 1 set", 1.5, attr_get, chains);
	measure("attribute set again, 1 set", 0, attr_set, NULL);
	obj_attributes(KEYS);
	measure("attribute get, oldest of 64", 1.5, attr_get, chains);
}

static void obj_threads(void)
{
	obj_domain_threads(domain, 1);
	measure("create + free, thread-safe", 8, obj_pairs, ring_locked);
	measure("hold + drop, thread-safe", 0, references, locked_adds);
	obj_together("create + free, two threads", 250, obj_pairs, ring_locked, PAIRS);
	obj_together("attribute get, two threads", 600, attr_get, chains, LOOKS);
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
	obj_open_all();
	print_head();
	one_thread();
	obj_threads();
	obj_stats(&hot_class, &s);
	print_row(
		(struct row){"header", "B", 40, false, sizeof(struct obj), sizeof(struct obj), 0});
	print_row(
		(struct row){"bare object", "B", 64, false, (double)s.stride, (double)s.stride, 0});
	if (wanted("live"))
		obj_many();
	if (wanted("garbage")) {
		double start = obj_now();

		accepted = garbage_accepted();
		printf("| garbage values, accepted of %.0e | 0 | %llu | - | %.1f ns each | %s |\n",
			(double)garbage, (unsigned long long)accepted,
			(obj_now() - start) / (double)garbage, accepted == 0 ? "ok" : "MISS");
	}
	obj_domain_close(domain, -1, OBJ_FMT_TEXT);
	return accepted != 0 || sink == 1;
}
