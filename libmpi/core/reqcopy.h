// SPDX-License-Identifier: BSD-3-Clause
/* reqcopy.h - a copy that stands in for the user's memory while an operation runs.
 *
 *     start ──> take: memory ──> copy    the operation works on the copy
 *     end   ──> give: copy ──> memory    once, when the user learns of the end (a wait, a test)
 *     the request is freed ──> gone: the owner frees the copy
 *
 * Owners: libmpi/fort, for sections of arrays that no datatype describes; libmpi/rma, whose checks
 * ask to be told of the end.  A partition is taken when it is ready, and given when it has
 * arrived. */
#ifndef HAFT_CORE_REQCOPY_H
#define HAFT_CORE_REQCOPY_H

#include <stdbool.h>

struct req_copy {
	struct req_copy *next;
	bool given; /* since the last start: the memory is the user's again */
	void (*take)(struct req_copy *c);
	void (*give)(struct req_copy *c);
	void (*gone)(struct req_copy *c);
};

#endif
