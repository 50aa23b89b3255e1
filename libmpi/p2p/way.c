// SPDX-License-Identifier: BSD-3-Clause
/* way.c - the table of way.h. */
#include "libmpi/p2p/way.h"

#include "libmpi/core/set.h"
#include "libmpi/via/via.h"
#include <time.h>

#define SIZES     12                  /* rows: by powers of two, from ROW_FIRST on */
#define ROW_FIRST 14                  /* 16 KiB; smaller ones are in the same row */
#define READ_MOST ((int64_t)16 << 20) /* bytes: nothing else is done while a message is read */
#define FIRST     4                   /* so many tries of each way before they are compared */
#define AGAIN     64                  /* then one of so many goes the other way */
#define FADE      16                  /* a best time grows by 1/FADE with each later one */

struct row {
	uint64_t best[WAYS]; /* ns for 2^20 bytes */
	uint32_t tries[WAYS];
	uint32_t asked;
};

static struct row rows[SIZES];

static struct row *row_of(int64_t n)
{
	int i = 63 - __builtin_clzll((unsigned long long)n | 1) - ROW_FIRST;

	return &rows[i < 0 ? 0 : i < SIZES ? i : SIZES - 1];
}

bool way_to_read(int peer, int64_t n)
{
	int64_t set = haft_set(HAFT_SET_READ);
	struct row *r = row_of(n);
	bool better;

	if (set == 1 || n > READ_MOST || !via_readable(peer))
		return false;
	if (set == 2)
		return true;
	r->asked++;
	if (r->tries[WAY_PIPE] < FIRST || r->tries[WAY_READ] < FIRST)
		return r->asked % 2 == 0;
	better = r->best[WAY_READ] < r->best[WAY_PIPE];
	return r->asked % AGAIN == 0 ? !better : better;
}

void way_took(enum way way, int64_t n, uint64_t ns)
{
	struct row *r = row_of(n);
	uint64_t rate = (uint64_t)((double)ns * (1 << 20) / (double)(n > 0 ? n : 1));
	uint64_t faded = r->best[way] + r->best[way] / FADE;

	r->best[way] = r->tries[way]++ == 0 || rate < faded ? rate : faded;
}

uint64_t way_clock(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec) | 1;
}
