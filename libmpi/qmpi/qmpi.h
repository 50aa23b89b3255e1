// SPDX-License-Identifier: BSD-3-Clause
/* qmpi.h - tools between the program and MPI, as bind/ sees them.
 *
 *     MPI_Send ── gate: TOOLS ── qmpi_enters: true ──> chain_MPI_Send: qmpi_begin
 *                                                                  │
 *                          tool 1's function ──> tool 2's function ──> QMPI_Send: qmpi_end
 *                                                                  │
 *     MPI_Send ── gate: TOOLS ── qmpi_enters: false ──> the engine
 *
 * chain_MPI_Send and QMPI_Send are generated beside the binding.  Tools see haft/qmpi.h. */
#ifndef HAFT_QMPI_QMPI_H
#define HAFT_QMPI_QMPI_H

#include <haft/qmpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

typedef void qmpi_function(void);

/* A call on its way through the tools, on the stack of the caller: QMPI_Context leads to it. */
struct haft_qmpi_call {
	qmpi_function *function; /* the first one */
	int tool;                /* whose it is */
	bool has_dots;
	va_list dots;       /* MPI_Pcontrol: the program's further arguments */
	uintptr_t ret, cfa; /* the return address of the program's call, and the stack above it */
	uintptr_t site;     /* haft_fort_site of it */
	int lang;           /* the language of what the call brings (core/language.h) */
};

/* At the gate of function fn (enum haft_fn), with HAFT_GATE_TOOLS.  true: the call belongs to the
 * first tool.  false: it comes from QMPI_x and goes on; ret and cfa become those of the program's
 * call.  The first call of the process starts the tools. */
bool qmpi_enters(int fn, uintptr_t *ret, uintptr_t *cfa);

/* After qmpi_enters was true: fills in the call of this number (enum QMPI_Functions_enum). */
void qmpi_begin(struct haft_qmpi_call *call, int number);

/* In QMPI_x: the next call of function fn in this thread goes on to MPI.  site: the function takes
 * haft_fort_site. */
void qmpi_end(QMPI_Context context, int fn, bool site);

/* On each host one process says in MPI_Init which tools of QMPI_TOOL_LIST are not there. */
void qmpi_warn(bool says);

/* --- inside of the folder --------------------------------------------------------------------- */

struct qmpi_next {
	qmpi_function *function;
	int tool;
};

/* By enum QMPI_Functions_enum: whom a call of the program reaches.  Constant once tools started. */
extern struct qmpi_next *qmpi_first;

/* Calls the tools' functions of initialization, and fills in qmpi_first.  Meanwhile qmpi_starts is
 * true in this thread, and its calls go on to MPI. */
void qmpi_start(void);
extern __thread bool qmpi_starts;

/* Generated: stores MPI's own functions, QMPI_x. */
void qmpi_own(qmpi_function **own);

#endif
