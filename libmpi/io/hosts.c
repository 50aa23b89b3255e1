// SPDX-License-Identifier: BSD-3-Clause
/* hosts.c - which members share a host, which of them aggregate, and which carry. */
#include "libmpi/io/hosts.h"

#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/io/hint.h"
#include <stdlib.h>

int io_hosts_new(struct io_file *f, int (*lowest_of)(const void *arg, int rank), const void *arg)
{
	size_t size = (size_t)f->size;
	struct io_hosts *t = malloc(sizeof(*t) + (3 * size + 1) * sizeof(int) + size);

	if (t == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the hosts of %d members", f->size);
	f->hosts = t;
	*t = (struct io_hosts){.host = (int *)(t + 1)};
	t->first = t->host + size;
	t->member = t->first + size + 1;
	t->merges = (bool *)(t->member + size);
	for (int r = 0; r < f->size; r++) {
		int lowest = lowest_of(arg, r);

		t->host[r] = lowest < r ? t->host[lowest] : t->n++;
		t->merges[r] = false;
		t->first[r] = 0;
	}
	t->first[size] = 0;
	for (int r = 0; r < f->size; r++)
		t->first[t->host[r] + 1]++;
	t->least = f->size;
	for (int h = 0; h < t->n; h++) {
		t->least = t->first[h + 1] < t->least ? t->first[h + 1] : t->least;
		t->first[h + 1] += t->first[h];
	}
	for (int h = 0, k = 0; h < t->n; h++)
		for (int r = 0; r < f->size; r++)
			if (t->host[r] == h)
				t->member[k++] = r;
	t->mine = t->host[f->rank];
	return 0;
}

void io_hosts_free(struct io_file *f)
{
	free(f->hosts);
	f->hosts = NULL;
}

/* --- aggregators ---------------------------------------------------------------------------- */

#define HOSTS_AGGREGATORS_LOCAL 8 /* more of them wait for each other in the kernel */

int io_hosts_for_stripes(int64_t stripes, int most, int hosts)
{
	int step;

	most = (int)num_min(stripes, most);
	step = most < hosts ? 1 : hosts; /* as many on each host */
	for (int a = most - most % step; a >= step && a > most / 2; a -= step)
		if (stripes % a == 0)
			return a;
	return most - most % step;
}

int io_hosts_aggregators(const struct io_file *f)
{
	int64_t wish = io_hint(f, IO_CB_NODES), stripes = io_hint(f, IO_STRIPING_FACTOR);
	const struct io_hosts *t = f->hosts;
	int hosts = f->one_host ? 1 : t->n, most;

	if (wish > 0)
		return (int)num_min(wish, f->size);
	most = f->one_host ? (int)num_min(f->size, HOSTS_AGGREGATORS_LOCAL) : t->n * t->least;
	if (stripes > 0)
		return io_hosts_for_stripes(stripes, most, hosts);
	return f->one_host ? most : t->n;
}

int io_hosts_aggregator(const struct io_file *f, int naggregators, int a)
{
	const struct io_hosts *t = f->hosts;
	int h, each, members;

	if (naggregators < t->n)
		return t->member[t->first[(int64_t)a * t->n / naggregators]];
	h = a % t->n;
	each = naggregators / t->n;
	members = io_hosts_members(t, h);
	return t->member[t->first[h] + (int)((int64_t)(a / t->n) * members / each)];
}

/* --- carriers ------------------------------------------------------------------------------- */

int64_t io_hosts_image_room(const struct io_file *f, int naggregators)
{
	const struct io_hosts *t = f->hosts;
	int64_t room = io_stage_room(f), half = io_hint(f, IO_CB_BUFFER_SIZE) / 2;
	bool any = false;

	for (int h = 0; h < t->n; h++) {
		int members = io_hosts_members(t, h);

		if (members < 2)
			continue;
		any = true;
		room = num_min(room, half / ((naggregators + members - 1) / members));
	}
	room &= ~(int64_t)63;
	return any && room >= IO_CB_BLOCK_MIN ? room : 0;
}

int io_hosts_ordinal(const struct io_collective *c, int h, int a)
{
	return (int)(((int64_t)a - h % c->naggregators + c->naggregators) % c->naggregators);
}

int io_hosts_carrier(const struct io_collective *c, int h, int a)
{
	const struct io_hosts *t = c->f->hosts;

	return t->member[t->first[h] + io_hosts_ordinal(c, h, a) % io_hosts_members(t, h)];
}

void io_hosts_choose(struct io_collective *c)
{
	struct io_hosts *t = c->f->hosts;

	for (int h = 0; h < t->n; h++) {
		t->merges[h] = c->image_room > 0 && io_hosts_members(t, h) > 1;
		for (int a = 0; a < c->naggregators && a < io_hosts_members(t, h); a++)
			if (c->g->all[io_hosts_carrier(c, h, a)].stage == 0)
				t->merges[h] = false;
	}
}

static bool hosts_has_part(const struct io_collective *c, int r, const struct io_cb_block *w)
{
	const struct io_member *m = &c->g->all[r];

	return w->first < w->end && m->first < w->end && m->end > w->first;
}

bool io_hosts_shares(const struct io_collective *c, int r)
{
	return c->g->all[r].first < c->g->all[r].end;
}

bool io_hosts_has_data(const struct io_collective *c, int h, const struct io_cb_block *w)
{
	const struct io_hosts *t = c->f->hosts;

	for (int k = t->first[h]; k < t->first[h + 1]; k++)
		if (hosts_has_part(c, t->member[k], w))
			return true;
	return false;
}

bool io_hosts_sends(const struct io_collective *c, int r, int a, const struct io_cb_block *w)
{
	int h = c->f->hosts->host[r];

	if (!c->f->hosts->merges[h])
		return hosts_has_part(c, r, w);
	return io_hosts_carrier(c, h, a) == r && io_hosts_has_data(c, h, w);
}

bool io_hosts_packs(const struct io_collective *c, const struct io_cb_block *w)
{
	int h = c->f->hosts->mine;

	return c->f->hosts->merges[h] && io_hosts_shares(c, c->f->rank) &&
	       io_hosts_has_data(c, h, w);
}

int64_t io_hosts_cb_block(const struct io_file *f, int naggregators, int64_t room)
{
	int64_t unit = io_hint(f, IO_STRIPING_UNIT), stripes = io_hint(f, IO_STRIPING_FACTOR);
	int64_t m, share;

	if (unit == 0 || unit > room)
		return room;
	m = room / unit;
	share = stripes % naggregators == 0 ? stripes / naggregators : 0;
	if (share > 0 && m >= share)
		m -= m % share;
	while (share > 0 && m < share && share % m != 0)
		m--;
	return m * unit;
}
