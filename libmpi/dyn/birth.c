// SPDX-License-Identifier: BSD-3-Clause
/* birth.c - the text that parents give their children through the launcher.
 *
 *      K 100000000008 . 100000000048 . 0*1*4,9*2*3
 *      |      |               |             '-- their group: ranges, base * stride * length
 *      |      '---------------'-- ids of the inter-communicator, hexadecimal: [ctx, end)
 *      '-- K: one universe: numbers and ids mean the same on both sides
 *
 * So a child makes the inter-communicator in MPI_Init without a message, and may use it while the
 * parents are still in MPI_Comm_spawn.  Messages that come earlier wait as unexpected ones. */
#include "libmpi/dyn/dyn.h"

#include "libmpi/comm/groups.h"
#include "libmpi/core/err.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANGE_LEN 40 /* bytes of one range: three numbers, two stars and a comma */
#define IDS_LEN   40 /* bytes of everything before the ranges */

/* The ranks from r on that form a range.  *stride: 1 for a range of one. */
static int birth_range(const struct group *g, int r, int *stride)
{
	int n = 1;

	*stride = r + 1 < g->size ? group_peer(g, r + 1) - group_peer(g, r) : 1;
	while (r + n < g->size && group_peer(g, r + n) - group_peer(g, r + n - 1) == *stride)
		n++;
	return n;
}

char *dyn_birth_write(const struct group *parents, struct comm_ids ids)
{
	size_t room = IDS_LEN, at;
	char *text = malloc(room + RANGE_LEN), *more;
	int stride, n;

	if (text == NULL)
		return NULL;
	at = (size_t)snprintf(text, room, "K%llx.%llx.", (unsigned long long)ids.ctx,
		(unsigned long long)ids.end);
	for (int r = 0; r < parents->size; r += n) {
		n = birth_range(parents, r, &stride);
		if (at + RANGE_LEN > room) {
			room *= 2;
			more = realloc(text, room + RANGE_LEN);
			if (more == NULL) {
				free(text);
				return NULL;
			}
			text = more;
		}
		at += (size_t)snprintf(text + at, RANGE_LEN, "%s%d*%d*%d", r > 0 ? "," : "",
			group_peer(parents, r), stride, n);
	}
	return text;
}

/* Reads one range at *at, and goes behind it.  False: there is none. */
static bool birth_range_read(const char **at, int range[3])
{
	int used = 0;

	if (sscanf(*at, "%d*%d*%d%n", &range[0], &range[1], &range[2], &used) != 3 ||
		range[2] < 1 || range[0] < 0)
		return false;
	*at += used;
	*at += **at == ',';
	return true;
}

static int birth_refuse(const char *text)
{
	return haft_err(MPI_ERR_OTHER, "the launcher gave \"%.60s\" as the parents", text);
}

int dyn_birth_read(const char *text, struct group **parents, struct comm_ids *ids)
{
	unsigned long long ctx, end;
	int size = 0, used = 0, n = 0, range[3];
	const char *at;
	int32_t *peers;

	if (sscanf(text, "K%llx.%llx.%n", &ctx, &end, &used) != 2 || used == 0)
		return birth_refuse(text);
	for (at = text + used; birth_range_read(&at, range);)
		size += range[2];
	if (*at != '\0' || size == 0)
		return birth_refuse(text);
	peers = malloc((size_t)size * sizeof(*peers));
	if (peers == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a group of %d processes", size);
	for (at = text + used; n < size && birth_range_read(&at, range);)
		for (int i = 0; i < range[2]; i++)
			peers[n++] = range[0] + i * range[1];
	*ids = (struct comm_ids){ctx, end};
	return group_make(size, peers, parents);
}
