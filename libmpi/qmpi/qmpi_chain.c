// SPDX-License-Identifier: BSD-3-Clause
/* qmpi_chain.c - a call on its way from the program through the tools to MPI.
 *
 *     program: MPI_Send ─> gate ─> chain ─> tool 1 ─> tool 2 ─> QMPI_Send ─> gate ─> engine
 *                            │ `program' says true   thread.end = MPI_Send ┘     │
 *                            └────── says false, and forgets it <────────────────┘
 *
 * Both passes of the gate are the same code.  QMPI_Send tells the second one apart by a word of the
 * thread; it names the function, for a tool may call others between. */
#include "libmpi/qmpi/qmpi.h"

#include "libmpi/core/err.h"
#include "libmpi/core/language.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/prof/prof.h"
#include "libobj/base.h"
#include <pthread.h>

static __thread struct {
	int end;                           /* the function that goes on to MPI; 0: none */
	const struct haft_qmpi_call *call; /* the call that it ends; NULL: none */
	uintptr_t ret, cfa;                /* of the call that goes to the first tool */
} thread;

static pthread_once_t started = PTHREAD_ONCE_INIT;

bool qmpi_enters(int fn, uintptr_t *ret, uintptr_t *cfa)
{
	bool ends = thread.end == fn;

	thread.end = 0;
	if (ends && thread.call != NULL) {
		*ret = thread.call->ret;
		*cfa = thread.call->cfa;
	}
	if (ends || qmpi_starts)
		return false;
	pthread_once(&started, qmpi_start);
	thread.ret = *ret;
	thread.cfa = *cfa;
	return true;
}

void qmpi_begin(struct haft_qmpi_call *call, int number)
{
	call->function = qmpi_first[number].function;
	call->tool = qmpi_first[number].tool;
	call->has_dots = false;
	call->ret = thread.ret;
	call->cfa = thread.cfa;
	call->site = haft_fort_site;
	call->lang = haft_lang_take();
	haft_fort_site = 0;
}

void qmpi_end(QMPI_Context context, int fn, bool site)
{
	const struct haft_qmpi_call *call = context.call;

	thread.end = fn;
	thread.call = call;
	if (call == NULL)
		return;
	haft_fort_lang(call->lang);
	if (site)
		haft_fort_site = call->site != 0 ? call->site : call->ret;
}

/* A Fortran call is found on the stack, by a table of the profile that is filled under the lock. */
int QMPI_Get_calling_address(QMPI_Context context, void **address)
{
	const struct haft_qmpi_call *call = context.call;
	uintptr_t site;

	if (call == NULL || address == NULL)
		return haft_err(MPI_ERR_ARG, "%s is NULL",
			address == NULL ? "address" : "context: it is of no call");
	site = call->site;
	if (site == 0) {
		haft_lock();
		site = prof_site_of(call->ret, call->cfa);
		haft_unlock();
	}
	*address = (void *)site;
	return MPI_SUCCESS;
}
