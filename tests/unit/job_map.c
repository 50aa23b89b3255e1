// SPDX-License-Identifier: BSD-3-Clause
/* job_map.c - the map of a job has all that it was made of: hosts, seats, addresses of any kind;
 * and the table of peers gives each of them one row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "libmpi/boot/job_map.h"
#include "libmpi/via/alias.h"
#include "libmpi/via/via.h"
#include "libshm/shm.h"

#define RANKS 12
#define HOSTS 4

static const int host_of[RANKS] = {2, 0, 0, 1, 0, 3, 1, 1, 2, 3, 0, 3};
static const char *const names[HOSTS] = {"a", "node.two", "c", "the-last-one"};
static const char *const addr[RANKS] = {"tcp:10.0.0.3:4711", "tcp:10.0.0.1:1", "tcp:10.0.0.1:65535",
	"tcp:[fd00::2]:4711", "tcp:10.0.0.9:4711", NULL, "tcp:[fd00::2]:4712", "unix:haft-1",
	"tcp:10.0.0.3:04711", "unix:haft-2", "tcp:10.0.0.1:70000", "tcp:node:12"};
static const uint8_t key[BOOT_KEY] = "key of 16 bytes";
static const struct boot_world world = {RANKS, HOSTS, host_of, addr, names, key};

static struct boot_map *map_of(int host)
{
	size_t len = boot_map_len(&world, host);
	struct boot_map *map = calloc(1, len);

	assert_true(len > 0);
	assert_non_null(map);
	assert_true(boot_map_make(&world, host, map));
	assert_int_equal(map->len, len);
	return map;
}

static void all_is_there(void **state)
{
	(void)state;
	for (int h = 0; h < HOSTS; h++) {
		struct boot_map *map = map_of(h);
		int seats = 0;

		assert_true(boot_map_good(map, map->len, RANKS, map->nseats));
		boot_map_use(map);
		for (int r = 0; r < RANKS; r++) {
			assert_int_equal(boot_host_of(r), host_of[r]);
			assert_string_equal(boot_host_name(boot_host_of(r)), names[host_of[r]]);
			assert_int_equal(boot_seat_of(r), host_of[r] == h ? seats : -1);
			if (host_of[r] == h)
				assert_int_equal(boot_number_at(seats++), r);
			if (addr[r] == NULL)
				assert_null(boot_addr(r));
			else
				assert_string_equal(boot_addr(r), addr[r]);
		}
		assert_int_equal(seats, map->nseats);
		assert_memory_equal(boot_key(), key, BOOT_KEY);
		boot_map_use(NULL);
		free(map);
	}
}

static void bad_maps_are_refused(void **state)
{
	struct boot_map *map = map_of(1), good = *map;
	size_t len = map->len;

	(void)state;
	assert_false(boot_map_good(map, len, RANKS + 1, map->nseats));
	assert_false(boot_map_good(map, len, RANKS, map->nseats + 1));
	assert_false(boot_map_good(map, len - 1, RANKS, map->nseats));
	map->hosts = (uint32_t)len;
	assert_false(boot_map_good(map, len, RANKS, map->nseats));
	*map = good;
	map->host = HOSTS;
	assert_false(boot_map_good(map, len, RANKS, map->nseats));
	*map = good;
	map->rows = UINT32_MAX - 3;
	assert_false(boot_map_good(map, len, RANKS, map->nseats));
	*map = good;
	((struct boot_host *)(void *)((char *)map + map->hosts))[2].name = (uint32_t)len;
	assert_false(boot_map_good(map, len, RANKS, map->nseats));
	free(map);
}

static int made;

static void count_made(struct via_peer *p)
{
	assert_true(p->made);
	made++;
}

static void a_row_is_made_once(void **state)
{
	const int last = (1 << VIA_PEER_BITS) - 1,
		  some[] = {0, 1, 255, 256, 70000, VIA_ALIAS_FIRST - 1};
	struct via_peer *row[countof(some)];

	(void)state;
	assert_int_not_equal(via_peers_open(last + 2), 0);
	assert_int_equal(via_peers_open(last + 1), 0);
	via.peer_made = count_made;
	for (size_t i = 0; i < countof(some); i++) {
		assert_false(via_peer(some[i])->made);
		row[i] = via_peer_get(some[i]);
		assert_int_equal(row[i]->number, some[i]);
		assert_int_equal(made, i + 1);
	}
	assert_false(via_peer(2)->made); /* beside one that is */
	for (size_t i = 0; i < countof(some); i++)
		assert_ptr_equal(via_peer_get(some[i]), row[i]);
	assert_int_equal(made, countof(some));
	assert_true(via_peers_valid());
	row[0]->number = 3;
	assert_false(via_peers_valid());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_is_there),
		cmocka_unit_test(bad_maps_are_refused),
		cmocka_unit_test(a_row_is_made_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
