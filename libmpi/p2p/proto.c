// SPDX-License-Identifier: BSD-3-Clause
/* proto.c - the table of proto.h. */
#include "libmpi/p2p/proto.h"

#include "libmpi/core/setting.h"
#include "libmpi/via/via.h"

#define SIZES     12                  /* rows: powers of two, from ROW_FIRST on */
#define ROW_FIRST 14                  /* 16 KiB; smaller messages are in the same row */
#define READ_MOST ((int64_t)16 << 20) /* bytes: above, the pipe is always taken (proto.h) */
#define FIRST     4                   /* tries of each protocol before they are compared */
#define AGAIN     64                  /* then one message of so many takes the other protocol */
#define FADE      16                  /* a best time grows by 1/FADE with each later one */

enum { READ_AUTO, READ_NEVER, READ_ALWAYS }; /* HAFT_SINGLE_COPY */

struct proto_row {
	uint64_t best[PROTOS]; /* ns for 2^20 bytes */
	uint32_t tries[PROTOS];
	uint32_t asked;
};

static struct proto_row proto_rows[SIZES];

static struct proto_row *proto_row_of(int64_t n)
{
	int i = 63 - __builtin_clzll((unsigned long long)n | 1) - ROW_FIRST;

	return &proto_rows[i < 0 ? 0 : i < SIZES ? i : SIZES - 1];
}

bool p2p_proto_read(int peer, int64_t n)
{
	int64_t set = haft_setting_get(SETTING_SINGLE_COPY);
	struct proto_row *r = proto_row_of(n);
	bool better;

	if (set == READ_NEVER || n > READ_MOST || !via_readable(peer))
		return false;
	if (set == READ_ALWAYS)
		return true;
	r->asked++;
	if (r->tries[PROTO_PIPE] < FIRST || r->tries[PROTO_READ] < FIRST)
		return r->asked % 2 == 0;
	better = r->best[PROTO_READ] < r->best[PROTO_PIPE];
	return r->asked % AGAIN == 0 ? !better : better;
}

void p2p_proto_took(enum p2p_proto proto, int64_t n, uint64_t ns)
{
	struct proto_row *r = proto_row_of(n);
	uint64_t rate = (uint64_t)((double)ns * (1 << 20) / (double)(n > 0 ? n : 1));
	uint64_t faded = r->best[proto] + r->best[proto] / FADE;

	r->best[proto] = r->tries[proto]++ == 0 || rate < faded ? rate : faded;
}
