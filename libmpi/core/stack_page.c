// SPDX-License-Identifier: BSD-3-Clause
/* stack_page.c - the stack of this thread: the MPI function that it is in, and the way there.
 *
 *     main  step  exchange  MPI_Recv  p2p_recv  p2p_wait_done  shm_idle ... haft_stack_keep
 *     └── frames that are kept ──┘    └─ the innermost frame with a name like MPI_*, PMPI_*
 *
 * Noting the function at each entry would cost every call.  Only a sleeping thread is asked, which
 * has the time to look at its stack.  A call that has passed the gate jumped to a binding without a
 * public name; it has noted its own.  Names are those of the dynamic linker: a program that has
 * libmpi_abi.a inside has none, unless it was linked with -rdynamic, and its frames in MPI are kept
 * like all others.
 *
 * The unwinder is linked in, finds its tables without a lock, and takes no memory: so a handler of
 * a signal may use it.  The list of modules has the dynamic linker's lock, which a thread may take
 * twice. */
#define _GNU_SOURCE 1
#include "libmpi/core/stack_page.h"

#include "libmpi/core/current_call.h"
#include "libobj/base.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

__thread const char *haft_gated_call;

#define VISITS_MAX 64 /* our own frames are fewer than 40 */

static_assert(STACK_MODULES < 1 << (64 - STACK_SHIFT), "a frame has room for its module");

/* --- modules -------------------------------------------------------------------------------- */

struct module_search {
	struct stack_page *page;
	uint64_t address;
	int row; /* found or made; -1: there is no room */
};

static bool name_begins(const char *path, const char *const words[], size_t n)
{
	const char *name = strrchr(path, '/');

	name = name != NULL ? name + 1 : path;
	for (size_t i = 0; i < n; i++)
		if (strncmp(name, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

static enum stack_kind module_kind(const char *path, uint64_t from, uint64_t to)
{
	static const char *const system[] = {"libc.so", "libc-", "ld-", "libpthread", "linux-vdso"};
	static const char *const fort[] = {"libmpifort_abi."};
	uint64_t here = (uint64_t)(uintptr_t)haft_stack_keep;

	if (path[0] == '\0')
		return STACK_USER;
	if (here >= from && here < to)
		return STACK_MPI;
	if (name_begins(path, fort, countof(fort)))
		return STACK_FORT;
	return name_begins(path, system, countof(system)) ? STACK_SYSTEM : STACK_USER;
}

/* The program itself has an empty name. */
static void module_path(struct stack_module *m, const char *name)
{
	ssize_t len = name[0] == '\0' ? readlink("/proc/self/exe", m->path, STACK_PATH - 1) : -1;
	size_t all = strnlen(name, STACK_PATH - 1);

	if (len < 0) {
		memcpy(m->path, name, all);
		len = (ssize_t)all;
	}
	m->path[len] = '\0';
}

static int module_visit(struct dl_phdr_info *in, size_t n, void *arg)
{
	struct module_search *s = arg;
	uint64_t from = UINT64_MAX, to = 0;
	struct stack_module *m;
	uint32_t row;

	(void)n;
	for (int i = 0; i < in->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &in->dlpi_phdr[i];

		if (p->p_type != PT_LOAD)
			continue;
		from = in->dlpi_addr + p->p_vaddr < from ? in->dlpi_addr + p->p_vaddr : from;
		to = in->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	if (s->address < from || s->address >= to)
		return 0;
	row = atomic_fetch_add_explicit(&s->page->modules, 1, memory_order_relaxed);
	if (row >= STACK_MODULES)
		return 1;
	m = &s->page->module[row];
	m->base = in->dlpi_addr;
	m->kind = module_kind(in->dlpi_name, from, to);
	module_path(m, in->dlpi_name);
	atomic_store_explicit(&m->to, to, memory_order_relaxed);
	atomic_store_explicit(&m->from, from, memory_order_release);
	s->row = (int)row;
	return 1;
}

/* The row of the module that an address lies in; -1: not known, or there is no room. */
static int module_row(struct stack_page *page, uint64_t address)
{
	struct module_search s = {page, address, -1};

	for (int i = 0; i < STACK_MODULES; i++) {
		uint64_t from = atomic_load_explicit(&page->module[i].from, memory_order_acquire);

		if (from != 0 && address >= from &&
			address < atomic_load_explicit(&page->module[i].to, memory_order_relaxed))
			return i;
	}
	if (atomic_load_explicit(&page->modules, memory_order_relaxed) < STACK_MODULES)
		dl_iterate_phdr(module_visit, &s);
	return s.row;
}

/* --- frames --------------------------------------------------------------------------------- */

struct stack_search {
	struct stack_page *page; /* NULL: the name is all that is wanted */
	const char *name;        /* of the MPI function */
	int visits, n;
	bool crash;
	bool skip;     /* a crash: the frames of its handler come first */
	bool in_mpi;   /* frames of MPI come before all others */
	uint64_t held; /* the outermost frame so far of a piece of MPI between others; 0: none */
	uint64_t frame[STACK_FRAMES];
};

static const char *frame_mpi_name(struct _Unwind_Context *c)
{
	void *start = (void *)_Unwind_GetRegionStart(c);
	const char *name;
	Dl_info info;

	if (start == NULL || dladdr(start, &info) == 0 || info.dli_sname == NULL)
		return NULL;
	name = info.dli_sname + (info.dli_sname[0] == 'P');
	return strncmp(name, "MPI_", 4) == 0 || strncmp(name, "MPIX_", 5) == 0 ? name : NULL;
}

/* Keeps a frame, unless it is one of a library below the first that tells something. */
static void frame_keep(struct stack_search *w, uint64_t address)
{
	int row = module_row(w->page, address);
	const struct stack_module *m = &w->page->module[row < 0 ? 0 : row];
	uint64_t frame = row < 0 ? 0 : (uint64_t)row << STACK_SHIFT | (address - m->base);

	if (row < 0)
		return;
	if (m->kind == STACK_MPI) {
		w->in_mpi = w->in_mpi || w->n == 0;
		w->held = w->n > 0 ? frame : 0;
		return;
	}
	if (m->kind == STACK_FORT || (m->kind == STACK_SYSTEM && w->n == 0))
		return;
	if (w->held != 0 && w->n < STACK_FRAMES)
		w->frame[w->n++] = w->held;
	w->held = 0;
	if (w->n < STACK_FRAMES)
		w->frame[w->n++] = frame;
}

static _Unwind_Reason_Code frame_visit(struct _Unwind_Context *c, void *arg)
{
	struct stack_search *w = arg;
	int before = 0; /* the address is that of an instruction, and not behind one */
	uint64_t address = _Unwind_GetIPInfo(c, &before);

	if (w->visits++ == VISITS_MAX || w->n == STACK_FRAMES)
		return _URC_END_OF_STACK;
	if (w->skip && before == 0)
		return _URC_NO_REASON;
	w->skip = false;
	if (w->name == NULL && (w->n == 0 || !(w->in_mpi || w->crash)))
		w->name = frame_mpi_name(c);
	if (w->page == NULL && w->name != NULL)
		return _URC_END_OF_STACK;
	if (w->page != NULL)
		frame_keep(w, address - (before == 0));
	return _URC_NO_REASON;
}

/* --- records -------------------------------------------------------------------------------- */

static void name_copy(char *to, size_t n, const char *name)
{
	size_t len = name != NULL ? strnlen(name, n - 1) : 0;

	if (len > 0)
		memcpy(to, name, len);
	to[len] = '\0';
}

static void record_write(struct stack_record *r, const struct stack_search *w, uint8_t token)
{
	uint32_t seq = atomic_load_explicit(&r->seq, memory_order_relaxed);

	atomic_store_explicit(&r->seq, seq + 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_release);
	for (int i = 0; i < w->n; i++)
		atomic_store_explicit(&r->frame[i], w->frame[i], memory_order_relaxed);
	atomic_store_explicit(&r->n, (uint8_t)w->n, memory_order_relaxed);
	atomic_store_explicit(&r->token, token, memory_order_relaxed);
	atomic_store_explicit(&r->seq, seq + 2, memory_order_release);
}

/* The page may be that of an earlier tenant of the seat. */
static void page_own(struct stack_page *page)
{
	int32_t pid = (int32_t)getpid();

	if (atomic_load_explicit(&page->pid, memory_order_relaxed) == pid)
		return;
	atomic_store_explicit(&page->pid, 0, memory_order_relaxed);
	memset(page, 0, sizeof(*page));
	atomic_store_explicit(&page->pid, pid, memory_order_release);
}

/* The next token of this thread, never 0. */
static uint8_t token_next(void)
{
	static __thread uint8_t last;
	static uint8_t threads; /* the next one's slot */

	if (last == 0)
		last = (uint8_t)(threads++ % STACK_THREADS);
	last = (uint8_t)(last + STACK_THREADS);
	if (last < STACK_THREADS)
		last = (uint8_t)(last + STACK_THREADS);
	return last;
}

uint8_t haft_stack_keep(struct stack_page *page, char *call)
{
	struct stack_search w = {.page = page};
	uint8_t token = 0;

	if (page != NULL)
		page_own(page);
	_Unwind_Backtrace(frame_visit, &w);
	name_copy(call, STACK_CALL, w.name != NULL ? w.name : haft_gated_call);
	if (page == NULL || w.n == 0)
		return 0;
	token = token_next();
	record_write(&page->wait[stack_slot(token)], &w, token);
	return token;
}

void haft_current_call(char *name, size_t n)
{
	char call[STACK_CALL];

	haft_stack_keep(NULL, call);
	name_copy(name, n, call);
}

void haft_stack_keep_crash(struct stack_page *page, int sig)
{
	struct stack_search w = {.page = page, .crash = true, .skip = true};

	page_own(page);
	_Unwind_Backtrace(frame_visit, &w);
	if (w.in_mpi)
		name_copy(page->call, STACK_CALL, w.name != NULL ? w.name : haft_gated_call);
	record_write(&page->crash, &w, 0);
	atomic_store_explicit(&page->signal, sig, memory_order_release);
}
