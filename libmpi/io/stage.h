// SPDX-License-Identifier: BSD-3-Clause
/* stage.h - an aggregator's stage in the segment of its host.
 *
 *      | struct io_stage | half 0: a block | half 1: a block |
 *
 * Round r uses half r mod 2.  Only the aggregator makes and frees it; members find it by the offset
 * that the aggregator's descriptor has. */
#ifndef HAFT_IO_STAGE_H
#define HAFT_IO_STAGE_H

#include "libobj/base.h"
#include <stdatomic.h>
#include <stdint.h>

struct io_half {
	_Alignas(CACHE_LINE) _Atomic int64_t filled; /* bytes that members have packed */
	_Atomic int64_t valid; /* reads: bytes of the block that the file has, from its place on */
};

struct io_stage {
	struct io_half half[2];
	_Atomic int32_t failed;      /* 1 + the first round whose system call failed; 0: none */
	_Atomic int32_t others_open; /* 1: the file has other opens */
	_Alignas(4096) char data[];
};

#endif
