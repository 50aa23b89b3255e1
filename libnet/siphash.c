// SPDX-License-Identifier: BSD-3-Clause
/* siphash.c - SipHash-2-4 with 128 bits of result, written from the description by its authors
 * (J.-P. Aumasson, D. J. Bernstein, 2012): a keyed hash that cannot be computed without the
 * key. */
#include "libnet/net_inner.h"

#include <endian.h>
#include <string.h>

struct sip {
	uint64_t v0, v1, v2, v3;
};

static inline uint64_t sip_rotl(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

static inline uint64_t sip_load(const uint8_t *p)
{
	uint64_t x;

	memcpy(&x, p, sizeof(x));
	return le64toh(x);
}

static inline void sip_store(uint8_t *p, uint64_t x)
{
	x = htole64(x);
	memcpy(p, &x, sizeof(x));
}

static void sip_rounds(struct sip *s, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		s->v0 += s->v1;
		s->v2 += s->v3;
		s->v1 = sip_rotl(s->v1, 13) ^ s->v0;
		s->v3 = sip_rotl(s->v3, 16) ^ s->v2;
		s->v0 = sip_rotl(s->v0, 32) + s->v3;
		s->v2 += s->v1;
		s->v3 = sip_rotl(s->v3, 21) ^ s->v0;
		s->v1 = sip_rotl(s->v1, 17) ^ s->v2;
		s->v2 = sip_rotl(s->v2, 32);
	}
}

static void sip_absorb(struct sip *s, uint64_t m)
{
	s->v3 ^= m;
	sip_rounds(s, 2);
	s->v0 ^= m;
}

void net_hash(const uint8_t key[NET_KEY_LEN], const void *data, size_t len, uint8_t out[16])
{
	const uint8_t *p = data;
	uint64_t k0 = sip_load(key), k1 = sip_load(key + 8);
	struct sip s = {k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
		k1 ^ 0x7465646279746573};
	uint8_t last[8] = {0};

	s.v1 ^= 0xee;
	for (size_t n = len; n >= 8; n -= 8, p += 8)
		sip_absorb(&s, sip_load(p));
	memcpy(last, p, len % 8);
	last[7] = (uint8_t)len;
	sip_absorb(&s, sip_load(last));
	s.v2 ^= 0xee;
	sip_rounds(&s, 4);
	sip_store(out, s.v0 ^ s.v1 ^ s.v2 ^ s.v3);
	s.v1 ^= 0xdd;
	sip_rounds(&s, 4);
	sip_store(out + 8, s.v0 ^ s.v1 ^ s.v2 ^ s.v3);
}

void net_mac(const uint8_t key[NET_KEY_LEN], const void *data, size_t len, uint8_t mac[16])
{
	net_hash(key, data, len, mac);
}
