// SPDX-License-Identifier: BSD-3-Clause
/* job_map.c - the table of all ranks of a job over several hosts, as it lies in each host's
 * segment.
 *
 *   | struct boot_map | rows | ranks | hosts | texts |
 *                       |      |       |       '-- names of hosts, addresses, each with its 0
 *                       |      |       '-- by host: its name, and the address of its listeners
 *                       |      '-- the ranks of this host, ascending: a seat is an index here
 *                       '-- by rank: its host, and its port there
 *
 * The processes of a host share it, and nothing of it is copied: 8 bytes a rank of the job.
 *
 * A rank's address is that of its host and a port, "tcp:10.0.0.2:" and 4711, as long as all of the
 * host listen at one address; any other address is a text of its own.
 *
 * Invariants
 *  - The parts of a map that is used lie within it, and so do the names of its hosts
 *    (boot_map_good).  A row is checked when it is read (job_map_read.c): a process that talks to
 *    few others reads few rows. */
#include "libmpi/boot/job_map.h"

#include "libmpi/core/setting.h"
#include "libshm/shm.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t boot_ip_text(uint32_t ip, char *text, size_t len)
{
	return (size_t)snprintf(
		text, len, "tcp:%u.%u.%u.%u:", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255);
}

/* Where the parts begin. */
struct map_layout {
	size_t rows, ranks, hosts, texts;
};

static int seats_count(const struct boot_world *w, int host)
{
	int n = 0;

	for (int r = 0; r < w->nranks; r++)
		n += w->host_of[r] == host;
	return n;
}

static struct map_layout map_layout_of(const struct boot_world *w, int host)
{
	struct map_layout p = {.rows = sizeof(struct boot_map)};

	p.ranks = p.rows + (size_t)w->nranks * sizeof(struct boot_row);
	p.hosts = p.ranks + (size_t)seats_count(w, host) * sizeof(int32_t);
	p.texts = p.hosts + (size_t)w->nhosts * sizeof(struct boot_host);
	return p;
}

struct shm_opts boot_opts(int nranks, char *const envp[])
{
	int spare = (int)haft_setting_launch(SETTING_SEATS, envp), room = SHM_RANKS_MAX - nranks;

	return (struct shm_opts){.nranks = nranks,
		.spare = spare < room ? spare : (room > 0 ? room : 0),
		.chunk_len = (size_t)haft_setting_launch(SETTING_PIPE_CHUNK, envp),
		.chunks = (uint32_t)haft_setting_launch(SETTING_PIPE_CHUNKS, envp),
		.slots = (uint32_t)haft_setting_launch(SETTING_RING_SLOTS, envp)};
}

/* --- making a map --------------------------------------------------------------------------- */

/* A map that is being made; base NULL: only its length is wanted. */
struct maker {
	char *base;
	size_t at; /* where the next text goes */
};

/* Appends `len' bytes of a text and its 0.  Returns where they lie. */
static uint32_t map_text_put(struct maker *m, const char *text, size_t len)
{
	size_t from = m->at;

	if (m->base != NULL)
		memcpy(m->base + from, text, len);
	m->at += len + 1;
	return (uint32_t)from;
}

/* The port at the end of "tcp:10.0.0.2:4711"; *len: of the text before it.  0: no such text. */
static uint32_t port_of(const char *addr, size_t *len)
{
	const char *colon = strrchr(addr, ':');
	char *end;
	unsigned long port;

	if (colon == NULL || colon[1] < '1' || colon[1] > '9')
		return 0;
	port = strtoul(colon + 1, &end, 10);
	*len = (size_t)(colon + 1 - addr);
	return *end == '\0' && port < BOOT_PORTS ? (uint32_t)port : 0;
}

/* The first rank of each host that listens at a port, by host; -1: none.  NULL: no memory. */
static int *first_ranks(const struct boot_world *w)
{
	int *first = malloc((size_t)w->nhosts * sizeof(*first));
	size_t len;

	if (first == NULL)
		return NULL;
	memset(first, -1, (size_t)w->nhosts * sizeof(*first));
	for (int r = w->nranks - 1; r >= 0; r--)
		if (w->addr[r] != NULL && port_of(w->addr[r], &len) != 0)
			first[w->host_of[r]] = r;
	return first;
}

/* The address in the row of a rank; host: an address of its host, or NULL. */
static uint32_t addr_put(struct maker *m, const char *addr, const char *host)
{
	size_t len = 0;
	uint32_t port = addr != NULL ? port_of(addr, &len) : 0;

	if (addr == NULL)
		return 0;
	if (port != 0 && host != NULL && strncmp(addr, host, len) == 0)
		return port;
	return BOOT_PORTS + map_text_put(m, addr, strlen(addr));
}

/* The four bytes of "tcp:10.0.0.2:"; 0: it is another text, or would be written in another way. */
static uint32_t ip_of(const char *addr, size_t len)
{
	unsigned b[4];
	char again[32];
	uint32_t ip;

	if (sscanf(addr, "tcp:%3u.%3u.%3u.%3u:", &b[0], &b[1], &b[2], &b[3]) != 4)
		return 0;
	ip = b[0] << 24 | b[1] << 16 | b[2] << 8 | b[3];
	return boot_ip_text(ip, again, sizeof(again)) == len && memcmp(again, addr, len) == 0 ? ip
											      : 0;
}

static void hosts_put(
	const struct boot_world *w, const int *first, struct maker *m, struct boot_host *host)
{
	for (int h = 0; h < w->nhosts; h++) {
		const char *addr = first != NULL && first[h] >= 0 ? w->addr[first[h]] : NULL;
		struct boot_host put = {.name = map_text_put(m, w->names[h], strlen(w->names[h]))};
		size_t len = 0;

		if (addr != NULL && port_of(addr, &len) != 0) {
			put.ip = ip_of(addr, len);
			put.text = put.ip == 0 ? map_text_put(m, addr, len) : 0;
		}
		if (m->base != NULL)
			host[h] = put;
	}
}

static void rows_put(
	const struct boot_world *w, const int *first, struct maker *m, struct boot_row *row)
{
	for (int r = 0; r < w->nranks; r++) {
		int h = w->host_of[r];
		const char *host = first != NULL && first[h] >= 0 ? w->addr[first[h]] : NULL;
		struct boot_row put = {(uint32_t)h, addr_put(m, w->addr[r], host)};

		if (m->base != NULL)
			row[r] = put;
	}
}

/* Fills in rows, hosts and texts, or finds their end (base NULL).  Returns the end; 0: no
 * memory. */
static size_t texts_put(const struct boot_world *w, const struct map_layout *p, char *base)
{
	struct maker m = {base, p->texts};
	int *first = first_ranks(w);

	if (first == NULL)
		return 0;
	hosts_put(
		w, first, &m, base != NULL ? (struct boot_host *)(void *)(base + p->hosts) : NULL);
	rows_put(w, first, &m, base != NULL ? (struct boot_row *)(void *)(base + p->rows) : NULL);
	free(first);
	return m.at;
}

size_t boot_map_len(const struct boot_world *w, int host)
{
	struct map_layout p = map_layout_of(w, host);

	return texts_put(w, &p, NULL);
}

bool boot_map_make(const struct boot_world *w, int host, struct boot_map *map)
{
	struct map_layout p = map_layout_of(w, host);
	char *base = (char *)map;
	int32_t *rank = (int32_t *)(void *)(base + p.ranks);
	int n = 0;

	for (int r = 0; r < w->nranks; r++)
		if (w->host_of[r] == host)
			rank[n++] = r;
	*map = (struct boot_map){.len = texts_put(w, &p, base),
		.nranks = w->nranks,
		.nhosts = w->nhosts,
		.host = host,
		.nseats = n,
		.rows = (uint32_t)p.rows,
		.ranks = (uint32_t)p.ranks,
		.hosts = (uint32_t)p.hosts};
	memcpy(map->key, w->key, BOOT_KEY);
	return map->len != 0;
}
