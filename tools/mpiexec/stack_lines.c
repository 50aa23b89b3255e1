// SPDX-License-Identifier: BSD-3-Clause
/* stack_lines.c - frames become functions, files and lines.  See stacks.h.
 *
 *      frames of all ranks ──> sites: each (file, offset) once ── addr2line, a file at a time
 *                                          │
 *      frames of one rank ──> MPI_Recv <- exchange (halo.c:88) <- main (main.c:41)
 *
 * Places are kept as long as this process lives: the ranks of a job call from few of them.  A frame
 * in which functions are inlined is a piece of several. */
#include "tools/mpiexec/stacks.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/waitrec.h"
#include "libmpi/core/callsite.h"
#include "tools/mpiexec/local_ranks.h"
#include "tools/mpiexec/util.h"

#define SITE_TEXT 200

static_assert(sizeof(struct stack_page) <= SHM_EXTRA_LEN, "it holds the page");
static_assert(STACK_THREADS == 1 + SHM_STANDBY_MAX, "as many as libshm shows");

/* An instruction of a file. */
struct site {
	char path[STACK_PATH];
	uint64_t offset;
	enum stack_kind kind;
	bool asked;           /* addr2line was asked */
	bool mpi, last;       /* a function of MPI; main, behind which nothing is of interest */
	char text[SITE_TEXT]; /* "exchange (halo.c:88)"; "": not known */
};

static struct site *sites;
static int nsites;

/* The frames of a stack, as sites. */
struct trace {
	int n;
	int site[STACK_FRAMES];
};

/* --- sites ----------------------------------------------------------------------------------- */

static int site_get(const struct stack_module *m, uint64_t offset)
{
	for (int i = 0; i < nsites; i++)
		if (sites[i].offset == offset && strcmp(sites[i].path, m->path) == 0)
			return i;
	sites = mem_grow(sites, (size_t)nsites + 1, sizeof(*sites));
	sites[nsites] = (struct site){.offset = offset, .kind = (enum stack_kind)m->kind};
	snprintf(sites[nsites].path, STACK_PATH, "%.*s", STACK_PATH - 1, m->path);
	return nsites++;
}

/* Cuts the parameters of a function of C++. */
static void function_cut(char *name)
{
	char *p = strchr(name, '(');

	while (p != NULL && strncmp(p, "(anonymous namespace)", 21) == 0)
		p = strchr(p + 1, '(');
	if (p != NULL && p > name && strncmp(name, "operator", 8) != 0)
		*p = '\0';
}

/* Procedures of Fortran have the names of their source: "halo::exchange" is one of a module. */
static void function_fortran(char *name, const char *at)
{
	const char *dot = strrchr(at, '.'), *of = strstr(name, "_MOD_");
	size_t len = strlen(name), module = of != NULL ? (size_t)(of - name) : 0;

	if (module > 2 && strncmp(name, "__", 2) == 0) {
		memmove(name, name + 2, module - 2);
		memcpy(name + module - 2, "::", 2);
		memmove(name + module, of + 5, len - module - 5 + 1);
	} else if (strcmp(name, "MAIN__") == 0)
		snprintf(name, sizeof("program"), "program");
	else if (dot != NULL && (dot[1] == 'f' || dot[1] == 'F') && name[len - 1] == '_')
		name[len - 1] = '\0';
}

static const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Takes "exchange at halo.c:88" for a site.  Each line called the one before it. */
static void site_line(struct site *p, const char *line)
{
	char name[CALLSITE_LEN], *at, *unknown;
	size_t len = strlen(p->text);

	snprintf(name, sizeof(name), "%s", line);
	at = strstr(name, " at ");
	if (at == NULL || strncmp(name, "??", 2) == 0)
		return;
	*at = '\0';
	at += 4;
	function_cut(name);
	p->mpi = p->mpi || strncmp(name + (name[0] == 'P'), "MPI_", 4) == 0;
	p->last = strcmp(name, "main") == 0 || strcmp(name, "MAIN__") == 0;
	function_fortran(name, at);
	unknown = strstr(at, ":?");
	if (unknown != NULL && unknown > at && at[0] != '?')
		*unknown = '\0'; /* without debug information the symbol table has files */
	if (p->mpi || p->kind == STACK_MPI)
		snprintf(p->text, SITE_TEXT, "%s", name + (name[0] == 'P'));
	else if (strncmp(at, "??", 2) != 0)
		snprintf(p->text + len, SITE_TEXT - len, "%s%s (%s)", len > 0 ? " <- " : "", name,
			at);
	else if (p->kind == STACK_USER)
		snprintf(p->text + len, SITE_TEXT - len, "%s%s", len > 0 ? " <- " : "", name);
}

struct site_batch {
	int n, site[CALLSITE_BATCH];
	uint64_t offset[CALLSITE_BATCH];
};

static void batch_line(void *arg, int i, const char *line)
{
	struct site_batch *b = arg;

	if (i >= 0 && i < b->n)
		site_line(&sites[b->site[i]], line);
}

/* Asks addr2line for all sites that it has not been asked for. */
static void sites_resolve(int *ms)
{
	for (int i = 0; i < nsites; i++) {
		struct site_batch b = {.n = 0};

		for (int k = i; k < nsites && b.n < CALLSITE_BATCH; k++) {
			if (sites[k].asked || strcmp(sites[k].path, sites[i].path) != 0)
				continue;
			sites[k].asked = true;
			b.site[b.n] = k;
			b.offset[b.n++] = sites[k].offset;
		}
		if (b.n > 0 && sites[i].kind != STACK_SYSTEM)
			haft_callsite_lines(sites[i].path, b.offset, b.n, ms, batch_line, &b);
	}
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* Copies a record; false: its owner was writing it, or it is not the stack of this wait. */
static bool record_copy(const struct stack_record *r, uint8_t token, uint64_t *frame, int *n)
{
	uint32_t seq = atomic_load_explicit(&r->seq, memory_order_acquire);
	bool same = atomic_load_explicit(&r->token, memory_order_relaxed) == token;

	*n = atomic_load_explicit(&r->n, memory_order_relaxed);
	*n = *n < STACK_FRAMES ? *n : STACK_FRAMES;
	for (int i = 0; i < *n; i++)
		frame[i] = atomic_load_explicit(&r->frame[i], memory_order_relaxed);
	atomic_thread_fence(memory_order_acquire);
	return same && seq % 2 == 0 && seq != 0 &&
	       seq == atomic_load_explicit(&r->seq, memory_order_relaxed);
}

static bool trace_take(
	const struct stack_page *page, const struct stack_record *r, uint8_t token, struct trace *t)
{
	uint64_t frame[STACK_FRAMES];
	int n;

	t->n = 0;
	if (!record_copy(r, token, frame, &n))
		return false;
	for (int i = 0; i < n; i++) {
		const struct stack_module *m;
		uint64_t row = frame[i] >> STACK_SHIFT;

		if (row >= STACK_MODULES)
			continue;
		m = &page->module[row];
		if (atomic_load_explicit(&m->from, memory_order_acquire) != 0)
			t->site[t->n++] =
				site_get(m, frame[i] & ((UINT64_C(1) << STACK_SHIFT) - 1));
	}
	return t->n > 0;
}

/* Leaves out frames inside of MPI, in a program that has the library inside, and those outside
 * of main. */
static void trace_trim(const struct trace *t, bool waits, bool named, int *from, int *to)
{
	int first = 0, end = t->n;

	for (int i = t->n - 1; i >= 0 && waits; i--)
		if (sites[t->site[i]].mpi && sites[t->site[i]].kind == STACK_USER)
			first = i + named;
	for (int i = t->n - 1; i >= first; i--)
		if (sites[t->site[i]].last)
			end = i + 1;
	while (end > first + 1 && (sites[t->site[end - 1]].kind == STACK_SYSTEM ||
					  sites[t->site[end - 2]].kind == STACK_SYSTEM))
		end--; /* the C library calls main, and the thread's function */
	*from = first;
	*to = end;
}

/* The text of a stack, malloc'ed; call: the MPI function, or "". */
static char *trace_text(const struct trace *t, const char *call, bool waits)
{
	char text[STACK_TEXT];
	size_t len = (size_t)snprintf(text, sizeof(text), "%s", call);
	int from, to;

	trace_trim(t, waits, call[0] != '\0', &from, &to);
	for (int i = from; i < to && len < sizeof(text); i++) {
		const struct site *p = &sites[t->site[i]];
		const char *arrow = len > 0 ? " <- " : "";

		if (p->kind == STACK_MPI && !p->mpi)
			continue;
		if (p->text[0] != '\0')
			len += (size_t)snprintf(
				text + len, sizeof(text) - len, "%s%s", arrow, p->text);
		else
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s+%#llx", arrow,
				path_name(p->path), (unsigned long long)p->offset);
	}
	return text_new("%s", text);
}

/* The page of a row's rank; NULL: it has none, or has not written it. */
static const struct stack_page *page_of(const struct local_ranks *c, int row)
{
	const struct local_rank *m = &c->m[row];
	const struct stack_page *page =
		m->world != NULL && m->seat >= 0 ? shm_seg_extra(c->seg, m->seat) : NULL;
	int pid = page != NULL ? atomic_load_explicit(&page->pid, memory_order_acquire) : 0;

	return pid != 0 && pid == atomic_load(&local_page(c, row)->pid) ? page : NULL;
}

char **stacks_here(struct local_ranks *c)
{
	char **text = mem_grow(NULL, (size_t)c->n + 1, sizeof(*text));
	struct trace *t = mem_grow(NULL, (size_t)c->n + 1, sizeof(*t));
	struct shm_view *v = mem_grow(NULL, (size_t)c->n + 1, sizeof(*v));
	int ms = STACK_MS;

	for (int i = 0; i < c->n; i++) {
		const struct stack_page *page = c->m[i].alive ? page_of(c, i) : NULL;
		uint8_t token = 0;

		t[i].n = 0;
		if (page != NULL) {
			shm_seg_view(c->seg, c->m[i].seat, &v[i]);
			token = v[i].asleep ? boot_wait_in(v[i].description)->stack : 0;
		}
		if (token != 0)
			trace_take(page, &page->wait[stack_slot(token)], token, &t[i]);
	}
	sites_resolve(&ms);
	for (int i = 0; i < c->n; i++)
		text[i] = t[i].n > 0 ? trace_text(&t[i], boot_wait_in(v[i].description)->call, true)
				     : NULL;
	free(t);
	free(v);
	return text;
}

char *stack_crash(struct local_ranks *c, int row, int sig)
{
	const struct stack_page *page = page_of(c, row);
	char call[STACK_CALL];
	int ms = STACK_MS / 2;
	struct trace t;

	if (page == NULL || atomic_load_explicit(&page->signal, memory_order_acquire) != sig)
		return NULL;
	snprintf(call, sizeof(call), "%.*s", STACK_CALL - 1, page->call);
	if (!trace_take(page, &page->crash, 0, &t) && call[0] == '\0')
		return NULL;
	sites_resolve(&ms);
	return trace_text(&t, call, false);
}
