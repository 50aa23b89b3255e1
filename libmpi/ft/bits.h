// SPDX-License-Identifier: BSD-3-Clause
/* bits.h - a set of members: n bits in bytes. */
#ifndef HAFT_FT_BITS_H
#define HAFT_FT_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool ft_bit(const uint8_t *set, int i)
{
	return (set[i / 8] >> i % 8 & 1) != 0;
}

static inline void ft_bit_set(uint8_t *set, int i)
{
	set[i / 8] = (uint8_t)(set[i / 8] | 1u << i % 8);
}

static inline size_t ft_bits_len(int n)
{
	return ((size_t)n + 7) / 8;
}

#endif
