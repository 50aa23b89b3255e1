// SPDX-License-Identifier: BSD-3-Clause
/* shm_seg.c - making, opening, refusing and watching a segment; the heap; the lock of the dead. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/unit/shm_node.h"
#include "libshm/shm_inner.h"

static void seg_life(void **state)
{
	const struct shm_opts opts = {.nranks = 3, .ncpus = 2, .cookie = 77};
	struct shm_seg *seg, *other;
	struct shm *s, *t;

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	assert_int_equal(shm_seg_nranks(seg), 3);
	assert_int_equal(shm_seg_ncpus(seg), 2);
	assert_true(shm_seg_oversubscribed(seg));
	assert_int_equal(shm_seg_cookie(seg), 77);
	assert_int_equal(shm_seg_open(shm_seg_fd(seg), &other), 0);
	assert_int_equal(shm_seg_cookie(other), 77);
	assert_int_equal(shm_seg_fd(other), -1);
	memcpy(shm_seg_job(seg), "hello", 6);
	assert_string_equal(shm_seg_job(other), "hello");
	assert_int_equal(*(char *)shm_seg_job_rank(other, 2), 0);
	assert_int_equal(shm_attach(other, 3, &s), SHM_BAD);
	assert_int_equal(shm_attach(other, -1, &s), SHM_BAD);
	assert_int_equal(shm_attach(other, 1, &s), 0);
	assert_int_equal(shm_attach(seg, 1, &t), SHM_BAD);
	shm_detach(s);
	assert_int_equal(shm_attach(seg, 1, &t), SHM_BAD); /* it does not come back */
	shm_seg_close(other);
	shm_seg_close(seg);
}

/* ulimit -f is an error, not a signal. */
static void limited(void **state)
{
	const struct shm_opts opts = {.nranks = 1};
	struct rlimit before, none;
	struct shm_seg *seg;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	assert_int_equal(shm_seg_create(&opts, &seg), SHM_SYS);
	assert_int_equal(errno, EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	shm_seg_close(seg);
}

/* Lets this process map no more than `more' further bytes. */
static void limit_space(rlim_t more, struct rlimit *before)
{
	FILE *f = fopen("/proc/self/statm", "re");
	struct rlimit now;
	long pages;

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%ld", &pages), 1);
	fclose(f);
	assert_int_equal(getrlimit(RLIMIT_AS, before), 0);
	now = *before;
	now.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
	assert_int_equal(setrlimit(RLIMIT_AS, &now), 0);
}

/* A rank with little address space maps less of the heap, and then all ranks stay within that. */
static void short_of_space(void **state)
{
	const size_t mib = 1 << 20;
	const struct shm_opts opts = {.nranks = 2};
	struct shm_seg *seg, *little;
	struct rlimit before;
	struct shm *s, *t;
	uint64_t off;

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	limit_space(400 * mib, &before);
	assert_int_equal(shm_seg_open(shm_seg_fd(seg), &little), 0);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_true(shm_seg_len(little) < 400 * mib);
	assert_true(shm_seg_len(little) > 64 * mib);
	assert_int_equal(shm_attach(seg, 0, &s), 0);
	assert_int_equal(shm_attach(little, 1, &t), 0);
	assert_int_equal(shm_heap_alloc(s, 500 * mib, CACHE_LINE), 0);
	off = shm_heap_alloc(s, mib, CACHE_LINE);
	assert_true(off != 0 && off + mib <= shm_seg_len(little));
	memcpy(shm_ptr(s, off), "seen", sizeof("seen"));
	assert_string_equal(shm_ptr(t, off), "seen");
	shm_detach(t);
	shm_detach(s);
	shm_seg_close(little);
	shm_seg_close(seg);
}

static void bad_opts(void **state)
{
	struct shm_seg *seg;

	(void)state;
	assert_int_equal(shm_seg_create(&(struct shm_opts){.nranks = 0}, &seg), SHM_BAD);
	assert_int_equal(
		shm_seg_create(&(struct shm_opts){.nranks = SHM_RANKS_MAX + 1}, &seg), SHM_BAD);
	assert_int_equal(
		shm_seg_create(&(struct shm_opts){.nranks = 1, .chunk_len = 100}, &seg), SHM_BAD);
}

/* Files that are no segment of ours are refused, whatever they are. */
static void strangers(void **state)
{
	struct shm_seg *seg;
	uint64_t magic = SEG_MAGIC;
	int fd = memfd_create("x", MFD_CLOEXEC), p[2];

	(void)state;
	assert_int_equal(shm_seg_open(-1, &seg), SHM_SYS);
	assert_int_equal(shm_seg_open(fd, &seg), SHM_BAD);
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(shm_seg_open(fd, &seg), SHM_BAD);
	assert_int_equal(pwrite(fd, &magic, sizeof(magic), 0), (ssize_t)sizeof(magic));
	assert_int_equal(shm_seg_open(fd, &seg), SHM_OTHER);
	close(fd);
	assert_int_equal(pipe(p), 0);
	assert_int_equal(shm_seg_open(p[0], &seg), SHM_BAD);
	close(p[0]);
	close(p[1]);
}

static void many_ranks(void **state)
{
	const struct shm_opts opts = {.nranks = 4096};
	struct shm_seg *seg;
	struct shm *s;

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	assert_int_equal(shm_attach(seg, 4095, &s), 0);
	assert_true(s->frame_max >= SHM_FRAME_MAX / 64);
	shm_detach(s);
	shm_seg_close(seg);
}

static void seg_heap(void **state)
{
	const struct shm_opts opts = {.nranks = 1, .heap_len = 64 << 20};
	static const size_t lens[] = {1, 64, 65, 4096, 8192, 8193, 20000, 70000, 300000, 5000000};
	struct shm_seg *seg;
	struct shm *s;
	uint64_t off[countof(lens)], again;

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	assert_int_equal(shm_attach(seg, 0, &s), 0);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < countof(lens); i++) {
			char *p;

			off[i] = shm_heap_alloc(s, lens[i], i % 2 ? PAGE : CACHE_LINE);
			assert_int_not_equal(off[i], 0);
			assert_int_equal(off[i] % (i % 2 ? PAGE : CACHE_LINE), 0);
			p = shm_ptr(s, off[i]);
			assert_int_equal(shm_off(s, p), off[i]);
			for (size_t k = 0; k < lens[i]; k++)
				assert_int_equal(p[k], 0);
			memset(p, 0xff, lens[i]);
		}
		for (size_t i = 0; i < countof(lens); i++)
			shm_heap_free(s, off[i], lens[i], i % 2 ? PAGE : CACHE_LINE);
	}
	again = shm_heap_alloc(s, 70000, PAGE);
	assert_int_equal(again, off[7]);
	assert_int_equal(shm_heap_alloc(s, 65 << 20, CACHE_LINE), 0);
	assert_int_equal(shm_heap_alloc(s, 0, CACHE_LINE), 0);
	assert_int_equal(shm_heap_alloc(s, 64, 2 * PAGE), 0);
	shm_detach(s);
	shm_seg_close(seg);
}

/* Every length has a class at least as long, and no two lengths of different size share one. */
static void heap_classes(void **state)
{
	const struct shm_opts opts = {.nranks = 1, .heap_len = (size_t)1 << 34};
	struct shm_seg *seg;
	struct shm *s;
	uint64_t last = 0, off;

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	assert_int_equal(shm_attach(seg, 0, &s), 0);
	for (size_t len = 1; len < (4 << 20); len += len / 7 + 1) {
		off = shm_heap_alloc(s, len, CACHE_LINE);
		assert_true(off > last);
		last = off + len - 1;
	}
	shm_detach(s);
	shm_seg_close(seg);
}

/* Memory that the machine lacks is refused each time, and takes no room from the rest. */
static void heap_refuses(void **state)
{
	const uint64_t all = shm_os_memory();
	const struct shm_opts opts = {.nranks = 1, .heap_len = 16 * all};
	struct shm_seg *seg;
	struct shm *s;
	uint64_t off;

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	assert_int_equal(shm_attach(seg, 0, &s), 0);
	off = shm_heap_alloc(s, 64, CACHE_LINE);
	assert_int_not_equal(off, 0);
	for (uint64_t i = 4; i < 8; i++)
		assert_int_equal(shm_heap_alloc(s, i * all, i % 2 ? PAGE : SHM_HUGE), 0);
	assert_in_range(shm_heap_alloc(s, 2 * SHM_HUGE, SHM_HUGE), off, off + SHM_HUGE);
	shm_detach(s);
	shm_seg_close(seg);
}

/* All ranks take and give; each piece is whole while it is had. */
static void heap_storm_rank(struct shm *s, void *arg)
{
	enum { HAD = 32, ROUNDS = 4000 };
	struct had {
		uint64_t off;
		size_t len;
	} had[HAD] = {0};
	uint64_t seed = (uint64_t)s->me + 1;

	(void)arg;
	for (int i = 0; i < ROUNDS; i++) {
		struct had *h = &had[node_random(&seed) % HAD];
		unsigned char *p = shm_ptr(s, h->off);

		if (h->off != 0) {
			CHECK(p[0] == (unsigned char)s->me + 1);
			CHECK(p[h->len - 1] == (unsigned char)s->me + 1);
			shm_heap_free(s, h->off, h->len, CACHE_LINE);
		}
		h->len = node_random(&seed) % 9000 + 1;
		h->off = shm_heap_alloc(s, h->len, CACHE_LINE);
		CHECK(h->off != 0);
		p = shm_ptr(s, h->off);
		CHECK(p[0] == 0 && p[h->len - 1] == 0);
		memset(p, s->me + 1, h->len);
	}
}

static void heap_storm(void **state)
{
	(void)state;
	node_run(4, heap_storm_rank, NULL);
}

static void die_holding(struct shm *s, void *arg)
{
	(void)arg;
	shm_lock_take(s->seg, s->me, &s->seg->head->lock);
	_exit(0);
}

static void alloc_once(struct shm *s, void *arg)
{
	(void)arg;
	CHECK(shm_heap_alloc(s, 100, CACHE_LINE) != 0);
}

/* A process that was killed with the lock does not hang the others. */
static void dead_holder(void **state)
{
	const struct shm_opts opts = {.nranks = 2};
	struct shm_seg *seg;
	pid_t pid;

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	node_start(seg, 0, die_holding, NULL, &pid);
	node_join(pid);
	node_start(seg, 1, alloc_once, NULL, &pid);
	node_join(pid);
	shm_seg_close(seg);
}

static void seg_cpus(void **state)
{
	(void)state;
	assert_true(shm_cpus() >= 1);
	assert_true(shm_cpus() <= sysconf(_SC_NPROCESSORS_CONF));
}

static void texts(void **state)
{
	(void)state;
	for (int i = -1; i <= SHM_ABORTED + 1; i++)
		assert_non_null(shm_error_text(i));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(seg_life),
		cmocka_unit_test(limited),
		cmocka_unit_test(short_of_space),
		cmocka_unit_test(bad_opts),
		cmocka_unit_test(strangers),
		cmocka_unit_test(many_ranks),
		cmocka_unit_test(seg_heap),
		cmocka_unit_test(heap_classes),
		cmocka_unit_test(heap_refuses),
		cmocka_unit_test(heap_storm),
		cmocka_unit_test(dead_holder),
		cmocka_unit_test(seg_cpus),
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
