// SPDX-License-Identifier: BSD-3-Clause
/* cover.c - the sums of cover.h over runs at equal distances. */
#include "libmpi/io/cover.h"

/* Sums of i and of i * i for i < n, modulo 2^64. */
static uint64_t cover_first(int64_t n)
{
	return n == 0 ? 0 : (uint64_t)((unsigned __int128)n * (uint64_t)(n - 1) / 2);
}

static uint64_t cover_second(int64_t n)
{
	uint64_t a = (uint64_t)n, b = a - 1, c = 2 * a - 1;

	if (n == 0)
		return 0;
	if (a % 2 == 0)
		a /= 2;
	else
		b /= 2;
	if (a % 3 == 0)
		a /= 3;
	else if (b % 3 == 0)
		b /= 3;
	else
		c /= 3;
	return a * b * c;
}

void io_cover_combs(
	struct io_cover *cover, int64_t at, const struct type_comb *comb, int64_t m, int64_t step)
{
	uint64_t f = (uint64_t)at, s = (uint64_t)step, d = (uint64_t)comb->stride;
	uint64_t b = (uint64_t)comb->block, n = (uint64_t)comb->n, k = (uint64_t)m;
	uint64_t n1 = cover_first(comb->n), n2 = cover_second(comb->n);
	uint64_t k1 = cover_first(m), k2 = cover_second(m);
	uint64_t combs = k * f + s * k1; /* sum of the places of the combs, and of their squares */
	uint64_t squares = k * f * f + 2 * f * s * k1 + s * s * k2;
	uint64_t blocks = n * combs + k * d * n1; /* and of all blocks */
	uint64_t squares2 = n * squares + 2 * d * n1 * combs + k * d * d * n2;

	cover->bytes += comb->block * comb->n * m;
	cover->square += 2 * b * blocks + k * n * b * b;
	cover->cube += 3 * b * squares2 + 3 * b * b * blocks + k * n * b * b * b;
}
