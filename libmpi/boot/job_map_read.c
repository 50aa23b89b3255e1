// SPDX-License-Identifier: BSD-3-Clause
/* job_map_read.c - host, seat and address of a rank, from the map of the job in this host's segment
 * (job_map.c).  Without a map there is one host, and rank and seat are the same number. */
#include <limits.h>
#include <stdio.h>
#include <unistd.h>
#include "libmpi/boot/job_map.h"
#include "libmpi/core/process_state.h"

static const struct boot_map *map; /* of this process; NULL: one host, and no rank listens */

void boot_map_use(const struct boot_map *m)
{
	map = m;
}

/* The address of a part of a map that begins at so many bytes. */
static const void *map_at(const struct boot_map *m, size_t at)
{
	return (const char *)m + at;
}

/* True if `n' things of `size' bytes at `at' lie within the map, and are aligned. */
static bool part_good(const struct boot_map *m, uint32_t at, int32_t n, size_t size)
{
	return n >= 0 && at % sizeof(uint32_t) == 0 && at <= m->len &&
	       (size_t)n <= (m->len - at) / size;
}

bool boot_map_good(const struct boot_map *m, size_t len, int nranks, int nseats)
{
	const struct boot_host *host;

	if (len < sizeof(*m) || m->len < sizeof(*m) || m->len > len ||
		*(const char *)map_at(m, m->len - 1) != '\0')
		return false;
	if (m->nranks != nranks || m->nseats != nseats || m->nhosts < 1 || m->host < 0 ||
		m->host >= m->nhosts || !part_good(m, m->rows, nranks, sizeof(struct boot_row)) ||
		!part_good(m, m->ranks, nseats, sizeof(int32_t)) ||
		!part_good(m, m->hosts, m->nhosts, sizeof(*host)))
		return false;
	host = map_at(m, m->hosts);
	for (int h = 0; h < m->nhosts; h++)
		if (host[h].name >= m->len || host[h].text >= m->len)
			return false;
	return true;
}

/* The row of a rank, which makes sense. */
static struct boot_row row_of(int rank)
{
	struct boot_row row = ((const struct boot_row *)map_at(map, map->rows))[rank];

	if (row.host >= (uint32_t)map->nhosts ||
		(row.addr >= BOOT_PORTS && row.addr - BOOT_PORTS >= map->len))
		haft_abort_job(1, "the map of this host's shared memory is bad");
	return row;
}

static const struct boot_host *host_at(int host)
{
	return (const struct boot_host *)map_at(map, map->hosts) + host;
}

int boot_host_of(int rank)
{
	return map != NULL ? (int)row_of(rank).host : 0;
}

int boot_rank_of(int seat)
{
	return map != NULL ? ((const int32_t *)map_at(map, map->ranks))[seat] : seat;
}

/* As a rule the ranks of a host are a block, and the first guess is right. */
int boot_seat_of(int rank)
{
	int lo = 0, hi, i;

	if (map == NULL)
		return rank;
	if ((int)row_of(rank).host != map->host)
		return -1;
	hi = map->nseats - 1;
	i = rank - boot_rank_of(0);
	while (lo <= hi) {
		if (i < lo || i > hi)
			i = lo + (hi - lo) / 2;
		if (boot_rank_of(i) == rank)
			return i;
		if (boot_rank_of(i) < rank)
			lo = i + 1;
		else
			hi = i - 1;
		i = lo + (hi - lo) / 2;
	}
	return -1;
}

const char *boot_host_name(int host)
{
	static char own[HOST_NAME_MAX + 1];

	if (map != NULL)
		return map_at(map, host_at(host)->name);
	if (own[0] == '\0' && gethostname(own, sizeof(own) - 1) != 0)
		return "localhost";
	return own;
}

const char *boot_addr(int rank)
{
	static __thread char text[BOOT_ADDR];
	const struct boot_host *host;
	struct boot_row row;
	size_t len;

	if (map == NULL)
		return NULL;
	row = row_of(rank);
	if (row.addr == 0)
		return NULL;
	if (row.addr >= BOOT_PORTS)
		return map_at(map, row.addr - BOOT_PORTS);
	host = host_at((int)row.host);
	if (host->text != 0)
		len = (size_t)snprintf(
			text, sizeof(text), "%s", (const char *)map_at(map, host->text));
	else
		len = boot_ip_text(host->ip, text, sizeof(text));
	if (len < sizeof(text))
		snprintf(text + len, sizeof(text) - len, "%u", row.addr);
	return text;
}

const uint8_t *boot_key(void)
{
	return map != NULL ? map->key : NULL;
}
