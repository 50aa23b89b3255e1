// SPDX-License-Identifier: BSD-3-Clause
/* job_map_read.c - host, seat and address of a process.
 *
 *      number < size         the first job: its map in this host's segment (job_map.c); without a
 *                             map there is one host, and number and seat are equal
 *      others                 spawned later: a seat whose tenant has that name, or on another host:
 *                             then the launcher is asked */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "libmpi/boot/control.h"
#include "libmpi/boot/job_map.h"
#include "libmpi/core/process_state.h"
#include "libshm/shm.h"

static const struct boot_map *map; /* of this process; NULL: one host, and no rank listens */

static struct shm_seg *seats; /* of this process's segment; NULL: none yet */

HAFT_START void boot_map_use(const struct boot_map *m)
{
	map = m;
}

HAFT_START void boot_seats_use(struct shm_seg *seg)
{
	seats = seg;
}

/* True for a rank of the first job. */
static bool number_first(int number)
{
	if (map != NULL)
		return number < map->nranks;
	return seats == NULL || number < shm_seg_nranks(seats);
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

#define LOCATIONS 64 /* answers of the launcher that are kept */

BSS_BEHIND static struct known_location {
	int number; /* 0: nothing: the first process is in no want of this */
	struct boot_location location;
} known_locations[LOCATIONS];

/* Where a process on another host is, as the launcher says.  NULL: it does not know. */
static const struct boot_location *location_of(int number)
{
	struct known_location *k = &known_locations[number % LOCATIONS];

	if (k->number == number)
		return &k->location;
	k->number = 0;
	if (boot_where(number, &k->location) != 0)
		return NULL;
	k->number = number;
	return &k->location;
}

static int host_here(void)
{
	return map != NULL ? map->host : 0;
}

static int seat_of_spawned(int number);

int boot_host_of(int number)
{
	const struct boot_location *p;

	if (number_first(number))
		return map != NULL ? (int)row_of(number).host : 0;
	if (seat_of_spawned(number) >= 0)
		return host_here();
	p = location_of(number);
	return p != NULL ? p->host : host_here();
}

int boot_first_at(int seat)
{
	return map != NULL ? ((const int32_t *)map_at(map, map->ranks))[seat] : seat;
}

int boot_number_at(int seat)
{
	uint32_t name = seats != NULL ? shm_seat_name(seats, seat) : 0;

	return name == 0 ? boot_first_at(seat) : (int)name - 1;
}

/* The seat of a process that was spawned; -1: none here. */
static int seat_of_spawned(int number)
{
	int n = seats != NULL ? shm_seg_seats_end(seats) : 0;

	for (int i = 0; i < n; i++)
		if (shm_seat_name(seats, i) == (uint32_t)number + 1)
			return i;
	return -1;
}

/* As a rule the ranks of a host are a block, and the first guess is right. */
static int seat_of_first(int rank)
{
	int lo = 0, hi, i;

	if (map == NULL)
		return rank;
	if ((int)row_of(rank).host != map->host)
		return -1;
	hi = map->nseats - 1;
	i = rank - boot_first_at(0);
	while (lo <= hi) {
		if (i < lo || i > hi)
			i = lo + (hi - lo) / 2;
		if (boot_first_at(i) == rank)
			return i;
		if (boot_first_at(i) < rank)
			lo = i + 1;
		else
			hi = i - 1;
		i = lo + (hi - lo) / 2;
	}
	return -1;
}

HAFT_START int boot_seat_of(int number)
{
	int seat;

	if (!number_first(number))
		return seat_of_spawned(number);
	seat = seat_of_first(number);
	return seat >= 0 && seats != NULL && shm_seat_name(seats, seat) != 0 ? -1 : seat;
}

bool boot_is_over(int number)
{
	int seat = boot_seat_of(number);
	struct boot_rank *r;

	if (seats == NULL || boot_host_of(number) != host_here())
		return false;
	r = seat >= 0 ? shm_seg_job_rank(seats, seat) : NULL;
	return r == NULL || atomic_load(&r->state) == BOOT_DONE;
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

/* The host of a process that the launcher does not know any more, as the notice of its end says.
 * -1: there are none. */
static int host_of_ended(int number)
{
	struct boot_notice notice;
	const void *record;

	for (uint32_t i = 0; seats != NULL && (record = shm_seg_notice(seats, i)) != NULL; i++) {
		memcpy(&notice, record, sizeof(notice));
		if (notice.number == number)
			return notice.host;
	}
	return -1;
}

const char *boot_host_name_of(int number)
{
	const struct boot_location *p;
	int host;

	if (map == NULL || number_first(number) || seat_of_spawned(number) >= 0)
		return boot_host_name(boot_host_of(number));
	p = location_of(number);
	if (p != NULL)
		return p->name;
	host = host_of_ended(number);
	return host >= 0 && host < map->nhosts ? boot_host_name(host) : "(not known any more)";
}

/* The address of a process that was spawned; NULL: none is known yet.  Of one that has ended it is
 * a text that is none, so that no connection is waited for. */
static const char *addr_of_spawned(int number)
{
	const struct boot_location *p = location_of(number);

	if (p == NULL)
		return "no place, as it has ended";
	return p->addr[0] != '\0' ? p->addr : NULL;
}

const char *boot_addr(int number)
{
	static __thread char text[BOOT_ADDR];
	const struct boot_host *host;
	struct boot_row row;
	size_t len;

	if (!number_first(number))
		return addr_of_spawned(number);
	if (map == NULL)
		return NULL;
	row = row_of(number);
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

HAFT_START const uint8_t *boot_key(void)
{
	return map != NULL ? map->key : NULL;
}
