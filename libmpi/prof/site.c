// SPDX-License-Identifier: BSD-3-Clause
/* site.c - the line of source behind a call, as module and offset.
 *
 *     C        solver.c:118 ── MPI_Send           its return address is the line
 *     Fortran  solver.f90:40 ── mpi_send_ ── MPI_Send
 *                  ^                 '-- the return address lies in libmpifort_abi.so
 *                  '-- on the stack, at one distance from MPI_Send's frame for each call in there
 *
 * The distance is found once by the unwinder.  So Fortran costs a load, and its procedures need not
 * note their callers. */
#define _GNU_SOURCE 1
#include "libmpi/prof/prof.h"

#include "libmpi/core/language.h"
#include "libobj/base.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#define WRAPPERS   4096 /* calls of MPI in libmpifort_abi.so: a power of two */
#define FRAMES_MAX 8    /* of libmpifort_abi.so, inside of each other */

/* A call inside of libmpifort_abi.so. */
struct wrapper {
	uintptr_t ret; /* 0: the row is free */
	/* from the callee's CFA to the user's return address on the stack; 0: it is not there */
	ptrdiff_t distance;
};

BSS_BEHIND static struct wrapper wrapper[WRAPPERS];

/* --- Fortran -------------------------------------------------------------------------------- */

static bool in_fort(uintptr_t address)
{
	return address - prof_state.fort < prof_state.fort_len;
}

static int module_visit(struct dl_phdr_info *in, size_t n, void *arg)
{
	const char *name = strrchr(in->dlpi_name, '/');

	(void)n;
	(void)arg;
	if (name == NULL || strncmp(name, "/libmpifort_abi.so", 18) != 0)
		return 0;
	for (int i = 0; i < in->dlpi_phnum; i++)
		if (in->dlpi_phdr[i].p_type == PT_LOAD && (in->dlpi_phdr[i].p_flags & PF_X) != 0) {
			prof_state.fort = in->dlpi_addr + in->dlpi_phdr[i].p_vaddr;
			prof_state.fort_len = in->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

void prof_site_open(void)
{
	dl_iterate_phdr(module_visit, NULL);
}

struct fort_search {
	uintptr_t ret, user, slot;
	int frames;
	bool inside;
};

static _Unwind_Reason_Code fort_visit(struct _Unwind_Context *c, void *arg)
{
	struct fort_search *w = arg;
	uintptr_t ip = _Unwind_GetIP(c);

	if (!w->inside && ip == w->ret)
		w->inside = true;
	if (!w->inside)
		return _URC_NO_REASON;
	if (in_fort(ip))
		return w->frames++ < FRAMES_MAX ? _URC_NO_REASON : _URC_END_OF_STACK;
	w->user = ip;
	w->slot = _Unwind_GetCFA(c) - sizeof(uintptr_t);
	return _URC_END_OF_STACK;
}

/* The distance for a call of libmpifort_abi.so, which is on the stack; 0: it is not known. */
static ptrdiff_t fort_distance(uintptr_t ret, uintptr_t cfa)
{
	struct fort_search w = {.ret = ret};

	_Unwind_Backtrace(fort_visit, &w);
	if (w.user == 0 || w.slot <= cfa || *(uintptr_t *)w.slot != w.user)
		return 0;
	return (ptrdiff_t)(w.slot - cfa);
}

/* The return address of the Fortran call. */
static uintptr_t fort_site(uintptr_t ret, uintptr_t cfa)
{
	for (uint32_t i = 0; i < PROF_PROBES; i++) {
		struct wrapper *p = &wrapper[((ret >> 2) + i) % WRAPPERS];

		if (p->ret == 0)
			*p = (struct wrapper){ret, fort_distance(ret, cfa)};
		if (p->ret == ret)
			return p->distance != 0 ? *(uintptr_t *)(cfa + (uintptr_t)p->distance)
						: ret;
	}
	return ret;
}

/* --- rows ----------------------------------------------------------------------------------- */

/* The program's own name may be relative to a directory that it has left. */
static void module_path(struct prof_module *m, const char *name)
{
	ssize_t len = name[0] != '/' ? readlink("/proc/self/exe", m->path, PROF_PATH - 1) : -1;

	if (len < 0)
		snprintf(m->path, PROF_PATH, "%s", name);
}

/* The row + 1 of the file that an address lies in; 0: not known, or there is no room. */
static uint16_t module_row(uintptr_t address, uint32_t *offset)
{
	const Elf64_Ehdr *elf;
	uintptr_t base;
	Dl_info in;

	if (dladdr((void *)address, &in) == 0 || in.dli_fname == NULL)
		return 0;
	elf = in.dli_fbase;
	base = elf->e_type == ET_DYN ? (uintptr_t)in.dli_fbase : 0;
	for (int i = 0; i < PROF_MODULES; i++) {
		struct prof_module *m = &prof_state.table->module[i];

		if (m->path[0] == '\0') {
			m->base = base;
			module_path(m, in.dli_fname);
		}
		if (m->base != base)
			continue;
		*offset = (uint32_t)(address - base);
		return (uint16_t)(i + 1);
	}
	return 0;
}

static __attribute__((noinline, cold)) void site_make(
	struct prof_site *s, uint32_t fn, uintptr_t address)
{
	s->fn = (uint16_t)fn;
	s->module = module_row(address - 1, &s->offset);
	s->address = address;
}

uintptr_t prof_site_of(uintptr_t ret, uintptr_t cfa)
{
	return in_fort(ret) ? fort_site(ret, cfa) : ret;
}

uint32_t prof_site_row(uint32_t fn, uintptr_t ret, uintptr_t cfa)
{
	uint32_t at;

	if (unlikely(haft_fort_site != 0))
		ret = haft_fort_site;
	else if (unlikely(in_fort(ret)))
		ret = fort_site(ret, cfa);
	at = (uint32_t)(ret >> 1) ^ fn * 2654435761u;
	for (uint32_t i = 0; i < PROF_PROBES; i++) {
		uint32_t row = (at + i) % PROF_SITES;
		struct prof_site *s = &prof_state.table->site[row];

		if (s->address == 0)
			site_make(s, fn, ret);
		if (likely(s->address == ret && s->fn == fn))
			return row + 1;
	}
	return 0;
}
