// SPDX-License-Identifier: BSD-3-Clause
/* qmpi.h - tools between the program and MPI, as bind/ sees them.
 *
 *     MPI_Send ── gate: TOOLS ── qmpi_enters: true ──> chain_MPI_Send: qmpi_begin
 *                                                                  │
 *                          tool 1's function ──> tool 2's function ──> QMPI_Send: qmpi_end
 *                                                                  │
 *     MPI_Send ── gate: TOOLS ── qmpi_enters: false ──> the engine
 *
 * chain_MPI_Send and QMPI_Send are generated beside the binding.  Tools see haft/qmpi.h.
 *
 * Generated code calls this folder, which never calls it by name: so life and bind/ may stand above
 * the folder, and the bindings above them. */
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
	int lang;           /* the language of the call's arguments (core/language.h) */
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

/* Registers the function that stores MPI's own functions, QMPI_x, by enum QMPI_Functions_enum.
 * Generated code above this folder calls it, before a tool is known or asks for a function; any
 * thread.  All calls but the first do nothing. */
typedef void qmpi_own_store(qmpi_function **own);
void qmpi_own_register(qmpi_own_store *store);

/* QMPI_Register_tool_name and QMPI_Get_function, once MPI's own functions are registered. */
int qmpi_tool_register(const char *tool_name, void (*init_function_ptr)(int tool_id));
int qmpi_function_get(
	int calling_tool_id, int function_enum, void (**function_ptr)(void), int *next_tool_id);

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

#endif
