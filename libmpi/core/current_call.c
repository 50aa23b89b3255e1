// SPDX-License-Identifier: BSD-3-Clause
/* current_call.c - the MPI function on the stack of this thread.
 *
 *     main  MPI_Recv  p2p_recv  p2p_wait_done  shm_idle ... haft_current_call
 *           └─ the innermost frame whose function has a name like MPI_*, MPIX_*, PMPI_*
 *
 * Noting the function at each entry would cost every call.  Only a sleeping thread is asked, which
 * has the time to look at its stack.  A call that has passed the gate jumped to a binding without a
 * public name; it has noted its own.  Names are those of the dynamic linker: a program that has
 * libmpi_abi.a inside has none, unless it was linked with -rdynamic. */
#define _GNU_SOURCE 1
#include "libmpi/core/current_call.h"

#include <dlfcn.h>
#include <string.h>
#include <unwind.h>

__thread const char *haft_gated_call;

#define FRAMES_MAX 40 /* our own are fewer; a tool's wrappers come on top */

struct stack_search {
	const char *name;
	int frames;
};

static _Unwind_Reason_Code frame_visit(struct _Unwind_Context *c, void *arg)
{
	void *start = (void *)_Unwind_GetRegionStart(c);
	struct stack_search *w = arg;
	const char *name;
	Dl_info info;

	if (w->frames++ == FRAMES_MAX)
		return _URC_END_OF_STACK;
	if (start == NULL || dladdr(start, &info) == 0 || info.dli_sname == NULL)
		return _URC_NO_REASON;
	name = info.dli_sname + (info.dli_sname[0] == 'P');
	if (strncmp(name, "MPI_", 4) != 0 && strncmp(name, "MPIX_", 5) != 0)
		return _URC_NO_REASON;
	w->name = name;
	return _URC_END_OF_STACK;
}

void haft_current_call(char *name, size_t n)
{
	struct stack_search w = {.name = ""};
	size_t len;

	_Unwind_Backtrace(frame_visit, &w);
	if (w.name[0] == '\0' && haft_gated_call != NULL)
		w.name = haft_gated_call;
	len = strnlen(w.name, n - 1);
	memcpy(name, w.name, len);
	name[len] = '\0';
}
