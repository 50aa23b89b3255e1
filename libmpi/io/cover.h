// SPDX-License-Identifier: BSD-3-Clause
/* cover.h - do runs cover every byte of a range once?  Without a list and without a map.
 *
 *      sums over the runs [a, b) of     b - a,   b^2 - a^2,   b^3 - a^3      modulo 2^64
 *
 * They are those of [low, high) if the runs cover it once.  Else some sum differs, but for rare
 * coincidences: the difference would be orthogonal to 1, x and x^2.  Runs at equal distances
 * are summed by a formula. */
#ifndef HAFT_IO_COVER_H
#define HAFT_IO_COVER_H

#include "libmpi/type/runs.h"
#include <stdbool.h>
#include <stdint.h>

struct io_cover {
	int64_t bytes;
	uint64_t square, cube;
};

/* Adds the run [at, at + n). */
static inline void io_cover_run(struct io_cover *c, int64_t at, int64_t n)
{
	uint64_t a = (uint64_t)at, b = (uint64_t)n;

	c->bytes += n;
	c->square += (2 * a + b) * b;
	c->cube += (3 * a * (a + b) + b * b) * b;
}

/* Adds m combs, `step' apart, the first at `at': comb->off is not used. */
void io_cover_combs(
	struct io_cover *c, int64_t at, const struct type_comb *comb, int64_t m, int64_t step);

/* Adds a sum of another member. */
static inline void io_cover_add(struct io_cover *c, const struct io_cover *other)
{
	c->bytes += other->bytes;
	c->square += other->square;
	c->cube += other->cube;
}

static inline bool io_cover_is_full(const struct io_cover *c, int64_t low, int64_t high)
{
	struct io_cover all = {0};

	io_cover_run(&all, low, high - low);
	return c->bytes == all.bytes && c->square == all.square && c->cube == all.cube;
}

#endif
