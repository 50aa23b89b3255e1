// SPDX-License-Identifier: BSD-3-Clause
/* map.c - the table of all ranks of a job over several hosts, as it lies in each host's segment.
 *
 *   | struct boot_map | rows: nranks | ranks: nnear | hosts: nhosts | names and addresses, each
 *   with its 0 |
 *
 * Who reads it has checked it once (boot_map_good): every text ends within the map, every row names
 * a host that exists. */
#include <string.h>
#include "libmpi/boot/boot.h"
#include "libmpi/core/set.h"
#include "libshm/shm.h"

/* Where the parts begin. */
struct parts {
	size_t rows, ranks, hosts, texts, end;
};

static int near_count(const struct boot_world *w, int host)
{
	int n = 0;

	for (int r = 0; r < w->nranks; r++)
		n += w->host_of[r] == host;
	return n;
}

static struct parts parts_of(const struct boot_world *w, int host)
{
	struct parts p = {.rows = sizeof(struct boot_map)};

	p.ranks = p.rows + (size_t)w->nranks * sizeof(struct boot_row);
	p.hosts = p.ranks + (size_t)near_count(w, host) * sizeof(int32_t);
	p.texts = p.hosts + (size_t)w->nhosts * sizeof(uint32_t);
	p.end = p.texts;
	for (int h = 0; h < w->nhosts; h++)
		p.end += strlen(w->names[h]) + 1;
	for (int r = 0; r < w->nranks; r++)
		p.end += w->addr[r] != NULL ? strlen(w->addr[r]) + 1 : 0;
	return p;
}

struct shm_opts boot_opts(int nranks, char *const envp[])
{
	return (struct shm_opts){.nranks = nranks,
		.chunk_len = (size_t)haft_set_launch(HAFT_SET_CHUNK, envp),
		.chunks = (uint32_t)haft_set_launch(HAFT_SET_CHUNKS, envp),
		.slots = (uint32_t)haft_set_launch(HAFT_SET_SLOTS, envp)};
}

size_t boot_map_len(const struct boot_world *w, int host)
{
	return parts_of(w, host).end;
}

/* Puts a text at *at, which moves behind it.  Returns where it lies. */
static uint32_t text_put(char *base, size_t *at, const char *text)
{
	size_t len = strlen(text) + 1, from = *at;

	memcpy(base + from, text, len);
	*at += len;
	return (uint32_t)from;
}

/* The index of each rank on its host: ranks of a host are numbered in the order of the job. */
static void rows_fill(const struct boot_world *w, struct boot_row *row)
{
	for (int h = 0; h < w->nhosts; h++)
		for (int r = 0, near = 0; r < w->nranks; r++)
			if (w->host_of[r] == h)
				row[r] = (struct boot_row){.host = h, .near = near++};
}

void boot_map_make(const struct boot_world *w, int host, struct boot_map *map)
{
	struct parts p = parts_of(w, host);
	char *base = (char *)map;
	struct boot_row *row = (struct boot_row *)(void *)(base + p.rows);
	int32_t *rank = (int32_t *)(void *)(base + p.ranks);
	uint32_t *name = (uint32_t *)(void *)(base + p.hosts);
	size_t at = p.texts;

	*map = (struct boot_map){.len = p.end,
		.nranks = w->nranks,
		.nhosts = w->nhosts,
		.host = host,
		.nnear = near_count(w, host),
		.rows = (uint32_t)p.rows,
		.ranks = (uint32_t)p.ranks,
		.hosts = (uint32_t)p.hosts};
	memcpy(map->key, w->key, BOOT_KEY);
	rows_fill(w, row);
	for (int h = 0; h < w->nhosts; h++)
		name[h] = text_put(base, &at, w->names[h]);
	for (int r = 0; r < w->nranks; r++) {
		if (w->host_of[r] == host)
			rank[row[r].near] = r;
		if (w->addr[r] != NULL)
			row[r].addr = text_put(base, &at, w->addr[r]);
	}
}

/* True if `n' things of `size' bytes at `at' lie within `len', and are aligned. */
static bool part_good(uint32_t at, int32_t n, size_t size, size_t len)
{
	return n >= 0 && at % sizeof(uint32_t) == 0 && at <= len && (size_t)n <= (len - at) / size;
}

bool boot_map_good(const struct boot_map *map, size_t len, int nranks, int nnear)
{
	const char *base = (const char *)map;
	const struct boot_row *row;
	const uint32_t *name;

	if (len < sizeof *map || map->len != len || base[len - 1] != '\0')
		return false;
	if (map->nranks != nranks || map->nnear != nnear || map->nhosts < 1 || map->host < 0 ||
		map->host >= map->nhosts || !part_good(map->rows, nranks, sizeof *row, len) ||
		!part_good(map->ranks, nnear, sizeof(int32_t), len) ||
		!part_good(map->hosts, map->nhosts, sizeof *name, len))
		return false;
	row = (const struct boot_row *)(const void *)(base + map->rows);
	name = (const uint32_t *)(const void *)(base + map->hosts);
	for (int r = 0; r < nranks; r++)
		if (row[r].host < 0 || row[r].host >= map->nhosts || row[r].addr >= len)
			return false;
	for (int h = 0; h < map->nhosts; h++)
		if (name[h] >= len)
			return false;
	return true;
}
