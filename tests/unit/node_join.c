// SPDX-License-Identifier: BSD-3-Clause
/* node_join.c - the nodes of a job under another launcher, with a launcher that is not there: each
 * rank gets a seat beside the others of its node, by ascending ranks; the map of each node knows
 * all addresses; and the launcher carries one value a job and one a node. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/job_map.h"
#include "libmpi/boot/node_host.h"
#include "libmpi/boot/node_join.h"
#include "libmpi/boot/node_record.h"
#include "libshm/shm.h"
#include "tests/check_true.h"

#define RANKS 24
#define KEYS  64
#define ALARM 120

/* The launcher: a table of texts in shared memory. */
static struct server {
	pthread_barrier_t fence;
	pthread_mutex_t lock;
	atomic_int puts, gets, fences, most; /* most: gets of one rank */
	int n;
	struct {
		int rank;
		char key[16], value[KVS_VALUE];
	} v[KEYS];
} * server;

static int nranks, nnodes, my_gets;
static int (*node_of)(int rank);
static struct kvs kvs;

static int fake_put(struct kvs *k, const char *key, const char *value)
{
	pthread_mutex_lock(&server->lock);
	server->v[server->n].rank = k->rank;
	snprintf(server->v[server->n].key, sizeof(server->v[0].key), "%s", key);
	snprintf(server->v[server->n++].value, KVS_VALUE, "%s", value);
	pthread_mutex_unlock(&server->lock);
	atomic_fetch_add(&server->puts, 1);
	return strpbrk(value, " =;\n") == NULL ? 0 : boot_fail("a byte that PMI does not carry");
}

static int fake_fence(struct kvs *k)
{
	if (pthread_barrier_wait(&server->fence) == PTHREAD_BARRIER_SERIAL_THREAD)
		atomic_fetch_add(&server->fences, 1);
	(void)k;
	return 0;
}

static int fake_get(struct kvs *k, int rank, const char *key, char *value, size_t len)
{
	(void)k;
	atomic_fetch_add(&server->gets, 1);
	my_gets++;
	for (int i = 0; i < server->n; i++)
		if (server->v[i].rank == rank && strcmp(server->v[i].key, key) == 0) {
			snprintf(value, len, "%s", server->v[i].value);
			return 0;
		}
	return boot_fail("rank %d has put no \"%s\"", rank, key);
}

static const struct boot_kvs_ops fake_ops = {.put = fake_put, .fence = fake_fence, .get = fake_get};

/* Nodes that are such in name only. */
void __wrap_boot_node_host(struct node_host *h);
void __wrap_boot_node_host(struct node_host *h)
{
	*h = (struct node_host){.cpu = {1}};
	snprintf(h->id, sizeof(h->id), "node%d-of-%d", node_of(kvs.rank), (int)getppid());
	snprintf(h->name, sizeof(h->name), "name%d", node_of(kvs.rank));
}

__attribute__((noreturn)) static inline void check_broken(
	const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: rank %d: %s: %s\n", file, line, kvs.rank, what, boot_error_text());
	_exit(1);
}

/* The ranks of node `node' below `rank'. */
static int seats_below(int node, int rank)
{
	int n = 0;

	for (int r = 0; r < rank; r++)
		n += node_of(r) == node;
	return n;
}

static void rank_run(int rank)
{
	struct boot_node m;
	int node = node_of(rank), most = 0;
	size_t len;

	alarm(ALARM);
	kvs = (struct kvs){.ops = &fake_ops, .rank = rank, .size = nranks};
	CHECK(boot_node_join(&kvs, &m) == 0);
	CHECK(m.seat == seats_below(node, rank));
	CHECK(shm_seg_nranks(m.seg) == seats_below(node, nranks));
	CHECK((m.listen >= 0) == (nnodes > 1));
	if (nnodes > 1) {
		const struct boot_map *map = shm_seg_map(m.seg, &len);

		CHECK(boot_map_good(map, len, nranks, shm_seg_nranks(m.seg)));
		boot_map_use(map);
		for (int r = 0; r < nranks; r++) {
			CHECK(boot_host_of(r) ==
				node_of(r)); /* nodes are numbered by first ranks */
			CHECK(boot_addr(r)[0] != '\0');
		}
	}
	while (most < my_gets && !atomic_compare_exchange_weak(&server->most, &most, my_gets))
		continue;
	pthread_barrier_wait(&server->fence);
	_exit(0);
}

/* A job of n ranks on so many nodes. */
static void job_run(int n, int nodes, int (*of)(int rank))
{
	pthread_barrierattr_t ba;
	pthread_mutexattr_t ma;
	int status;

	nranks = n;
	nnodes = nodes;
	node_of = of;
	memset(server, 0, sizeof(*server));
	pthread_barrierattr_init(&ba);
	pthread_barrierattr_setpshared(&ba, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&server->fence, &ba, (unsigned)n);
	pthread_mutexattr_init(&ma);
	pthread_mutexattr_setpshared(&ma, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&server->lock, &ma);
	for (int r = 0; r < n; r++)
		if (fork() == 0)
			rank_run(r);
	for (int r = 0; r < n; r++) {
		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
	/* One value of the job and one of each node, if there are several. */
	assert_int_equal(server->puts, 1 + (nodes > 1 ? nodes : 0));
	assert_int_equal(server->gets, n + (nodes > 1 ? nodes * nodes : 0));
	assert_int_equal(server->most, 1 + (nodes > 1 ? nodes : 0));
	assert_int_equal(server->fences, nodes > 1 ? 3 : 2);
}

static int all_on_one(int rank)
{
	return 0 * rank;
}

static int by_blocks(int rank)
{
	return rank / (RANKS / 4);
}

static int cyclic(int rank)
{
	return rank % 3;
}

static int one_each(int rank)
{
	return rank;
}

static int uneven(int rank)
{
	return rank == 0 ? 0 : rank < 4 || rank == 17 ? 1 : 2;
}

static void nodes_form(void **state)
{
	(void)state;
	job_run(1, 1, all_on_one);
	job_run(RANKS, 1, all_on_one);
	job_run(RANKS, 4, by_blocks);
	job_run(RANKS, 3, cyclic);
	job_run(5, 5, one_each);
	job_run(RANKS, 3, uneven);
}

/* --- records -------------------------------------------------------------------------------- */

#define LARGE 2000

static char *large_addr[LARGE];
static char *record;

static int text_get(struct kvs *k, int rank, const char *key, char *value, size_t len)
{
	size_t at = (size_t)atoi(key + 4) * (KVS_VALUE - 1);

	(void)k;
	if (rank != 0 || at >= strlen(record))
		return boot_fail("no value");
	snprintf(value, len, "%s", record + at);
	return 0;
}

static const struct boot_kvs_ops text_ops = {.get = text_get};

/* A record of many values, with addresses of both kinds, is read as it was written. */
static void record_is_long(void **state)
{
	struct kvs k = {.ops = &text_ops, .size = LARGE};
	struct node_table t;
	int ranks[LARGE];

	(void)state;
	for (int r = 0; r < LARGE; r++) {
		ranks[r] = r;
		assert_true(asprintf(&large_addr[r],
				    r % 7 == 3 ? "tcp:[fe80::%x%%eth0]:%d" : "tcp:10.0.0.%d:%d",
				    r / 100, 1024 + r) > 0);
	}
	record = boot_node_record("name", LARGE, ranks, large_addr);
	assert_non_null(record);
	assert_int_equal(boot_node_table_get(&k, &t), 0);
	assert_int_equal(t.nhosts, 1);
	assert_string_equal(t.names[0], "name");
	for (int r = 0; r < LARGE; r++) {
		assert_string_equal(t.addr[r], large_addr[r]);
		assert_int_equal(t.host_of[r], 0);
	}
	boot_node_table_free(&t);
	free(record);
	for (int r = 0; r < LARGE; r++)
		free(large_addr[r]);
}

/* A node of 128 ranks needs one value. */
static void record_is_short(void **state)
{
	int ranks[128];
	char *addr[128], *text;

	(void)state;
	for (int r = 0; r < 128; r++) {
		ranks[r] = 4711 + 64 * r;
		assert_true(asprintf(&addr[r], "tcp:10.255.255.2:%d", 65000 + r) > 0);
	}
	text = boot_node_record("a-host.of.some.length.example.org", 128, ranks, addr);
	assert_true(strlen(text) < KVS_VALUE);
	free(text);
	for (int r = 0; r < 128; r++)
		free(addr[r]);
}

/* Records that make no sense are refused with words. */
static void record_is_bad(void **state)
{
	static const char *bad[] = {"3,4,a,0,", "3,9,a,0,1234", "2,5,a,0,x:1", "3,11,a,0-1,tcp:1",
		"3,11,a,5,tcp:1:1", "3,20,a,0+0,tcp:1:1/2:2", "3,9,a,1,tcp:1", "x", "3,-1,a,0,x:1",
		"3,6,a,-1,x"};
	struct kvs k = {.ops = &text_ops, .size = 2};
	struct node_table t;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		record = (char *)(uintptr_t)bad[i];
		assert_int_not_equal(boot_node_table_get(&k, &t), 0);
		boot_node_table_free(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(nodes_form),
		cmocka_unit_test(record_is_long), cmocka_unit_test(record_is_short),
		cmocka_unit_test(record_is_bad)};

	server = mmap(
		NULL, sizeof(*server), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
