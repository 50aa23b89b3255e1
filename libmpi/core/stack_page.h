// SPDX-License-Identifier: BSD-3-Clause
/* stack_page.h - the stacks of a rank: the record that libmpi writes and mpiexec reads.
 *
 *     a long wait ── p2p ──┐                                       ┌──> the report of a hang
 *                          ├──> struct stack_page, in the segment ─┤
 *     a crash ── handler ──┘      (libshm's extra area)      └──> the line of a death
 *
 * A frame is a module and an offset in its file, so that mpiexec can say file and line when the
 * process has gone.  Frames of libmpi_abi.so are left out: the call's name stands for them. */
#ifndef HAFT_CORE_STACK_PAGE_H
#define HAFT_CORE_STACK_PAGE_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STACK_FRAMES  16  /* of one stack: the innermost ones */
#define STACK_MODULES 5   /* program and libraries; frames of others are not kept */
#define STACK_PATH    228 /* bytes of the path of one, with the final 0 */
#define STACK_THREADS 4   /* waits that a rank shows at a time: as libshm's records */
#define STACK_CALL    32

enum stack_kind {
	STACK_USER,   /* the program, or a library of its own */
	STACK_SYSTEM, /* the C library, the dynamic linker */
	STACK_MPI,
	STACK_FORT /* libmpifort_abi.so */
};

/* Never changes once `from' is not 0. */
struct stack_module {
	_Atomic uint64_t from, to; /* its addresses */
	uint64_t base;             /* an address less base is one of the file, as addr2line wants */
	uint32_t kind;             /* enum stack_kind */
	char path[STACK_PATH];
};

/* The frames of one stack, innermost first.  Only the owner writes; odd seq: being written. */
struct stack_record {
	_Atomic uint32_t seq;
	_Atomic uint8_t n;
	_Atomic uint8_t token; /* which wait it is of: struct boot_wait */
	uint8_t pad[2];
	_Atomic uint64_t frame[STACK_FRAMES]; /* module << STACK_SHIFT | offset */
};
#define STACK_SHIFT 56

struct stack_page {
	_Atomic int32_t pid; /* of the process that has written it; else nothing here is valid */
	_Atomic uint32_t modules; /* taken so far; may be more than STACK_MODULES */
	struct stack_module module[STACK_MODULES];
	struct stack_record wait[STACK_THREADS];
	struct stack_record crash;
	_Atomic int32_t signal; /* of the crash; 0: none.  crash and call are valid then */
	char call[STACK_CALL];  /* the MPI function that it happened in; "": in none */
};

/* A wait's token: which of page->wait, and a number that changes with each wait of the thread. */
static inline int stack_slot(uint8_t token)
{
	return token % STACK_THREADS;
}

/* Keeps the stack of the calling thread, in a page that it may write: returns the token of its
 * record, not 0, and the name of the MPI function that the thread is in ("MPI_Recv") or "" in call
 * (STACK_CALL bytes).  page NULL: the name only, and 0.  Tens of microseconds.  One thread at a
 * time. */
uint8_t haft_stack_keep(struct stack_page *page, char *call);

/* Likewise for a crash, in the handler of a signal: the stack that the signal has interrupted. */
void haft_stack_keep_crash(struct stack_page *page, int sig);

#endif
