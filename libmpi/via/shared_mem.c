// SPDX-License-Identifier: BSD-3-Clause
/* shared_mem.c - blocks of shared memory for users.
 *
 *   via_mem_new ─┬─ small ──> arena (libobj: jemalloc, or its own) ── grow ──┐
 *                ├─ large ───────────────────────────────────────────────────┴──> heap of segment
 *                └─ none left, or too large an alignment ───────────────────────> private mapping
 *
 * Every block is in a tree by its address: so a wrong address is found, and the length is known.  A
 * large block gives its memory back to the kernel when it is freed; the arena keeps the memory it
 * has until via_mem_close.
 *
 * Invariant: memory that is handed out is reserved (by libshm), or private. */
#include "libmpi/via/shared_mem.h"

#include "libmpi/core/err.h"
#include "libobj/obj.h"
#include <mpi.h>
#include <search.h>
#include <stdlib.h>
#include <sys/mman.h>

#define ALIGN_MIN   ((int64_t)64)                      /* a cache line suits any type */
#define LARGE       ((int64_t)MEAN_OR(16384, 1 << 20)) /* from here on not from the arena */
#define GROW        ((size_t)MEAN_OR(65536, 4 << 20))  /* the arena asks for as much at least */
#define ARENA_ALIGN 65536                              /* it cannot align to more */
#define HEAP_ALIGN  4096                               /* nor the heap */
#define HEAP_WASTE  (2 << 20) /* an alignment takes so much real memory at most */
static_assert(HEAP_WASTE <= SHM_HUGE, "blocks of that length need no more for it");

enum mem_block_kind { BLOCK_ARENA, BLOCK_HEAP, BLOCK_PRIVATE };

struct mem_block {
	char *at;
	int64_t len;  /* as the user has asked for */
	uint8_t kind; /* enum mem_block_kind */
	char *start;  /* HEAP, PRIVATE: of the memory taken for it */
	size_t taken; /* its length */
};

/* Memory of the heap that the arena has. */
struct arena_extent {
	struct arena_extent *next;
	uint64_t off;
	size_t len;
};

static struct {
	struct obj_arena *arena;
	struct arena_extent *arena_extent;
	void *tree; /* of struct mem_block, by its address */
} mem;

static int by_address(const void *a, const void *b)
{
	const struct mem_block *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

static char *ptr_align_up(char *p, int64_t align)
{
	return (char *)(((uintptr_t)p + (uintptr_t)align - 1) & ~((uintptr_t)align - 1));
}

/* --- three sources -------------------------------------------------------------------------- */

static void *arena_grow(void *ctx, size_t len, size_t align)
{
	struct arena_extent *g = malloc(sizeof(*g));

	(void)ctx;
	if (g == NULL)
		return NULL;
	g->len = (len < GROW ? GROW : len) + align;
	g->off = shm_heap_alloc(via.shm, g->len, HEAP_ALIGN);
	if (g->off == 0) {
		free(g);
		return NULL;
	}
	g->next = mem.arena_extent;
	mem.arena_extent = g;
	return ptr_align_up(shm_ptr(via.shm, g->off), (int64_t)align);
}

static bool block_in_arena(struct mem_block *p, int64_t align)
{
	const struct obj_arena_opts opts = {
		.size = sizeof(opts), .alloc = OBJ_ALLOC_AUTO, .grow = arena_grow};

	if (p->len >= LARGE || align > ARENA_ALIGN)
		return false;
	if (mem.arena == NULL)
		mem.arena = obj_arena_new(&opts);
	if (mem.arena == NULL)
		return false;
	p->kind = BLOCK_ARENA;
	p->at = obj_arena_get(mem.arena, (size_t)(p->len > 0 ? p->len : 1), (size_t)align);
	return p->at != NULL;
}

/* The alignment of so many bytes in the heap: huge pages, if they fill one. */
static size_t heap_align(size_t len)
{
	return len >= SHM_HUGE ? SHM_HUGE : HEAP_ALIGN;
}

static bool block_in_heap(struct mem_block *p, int64_t align)
{
	uint64_t off;

	if (align > HEAP_WASTE)
		return false;
	p->taken = (size_t)p->len;
	if ((size_t)align > heap_align(p->taken))
		p->taken += (size_t)align;
	off = shm_heap_alloc(via.shm, p->taken, heap_align(p->taken));
	if (off == 0)
		return false;
	p->kind = BLOCK_HEAP;
	p->start = shm_ptr(via.shm, off);
	p->at = ptr_align_up(p->start, align);
	return true;
}

static bool block_in_private(struct mem_block *p, int64_t align)
{
	if (p->len >= (int64_t)SHM_HUGE && align < (int64_t)SHM_HUGE)
		align = SHM_HUGE;
	p->taken = (size_t)p->len + (size_t)align;
	p->start = mmap(NULL, p->taken, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p->start == MAP_FAILED)
		return false;
	p->kind = BLOCK_PRIVATE;
	p->at = ptr_align_up(p->start, align);
	if (p->len >= (int64_t)SHM_HUGE)
		madvise(p->start, p->taken, MADV_HUGEPAGE);
	return true;
}

static void block_release(struct mem_block *p)
{
	if (p->kind == BLOCK_ARENA)
		obj_arena_put(mem.arena, p->at);
	else if (p->kind == BLOCK_HEAP)
		shm_heap_free(via.shm, shm_off(via.shm, p->start), p->taken, heap_align(p->taken));
	else
		munmap(p->start, p->taken);
	free(p);
}

/* --- blocks --------------------------------------------------------------------------------- */

int via_mem_new(int64_t len, int64_t align, void **out)
{
	struct mem_block *p;

	if (align < ALIGN_MIN)
		align = ALIGN_MIN;
	if (len > PTRDIFF_MAX - align - (int64_t)SHM_HUGE)
		return haft_err(
			MPI_ERR_NO_MEM, "%lld bytes are more than there can be", (long long)len);
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for %lld bytes", (long long)len);
	p->len = len;
	if (!block_in_arena(p, align) && !block_in_heap(p, align) && !block_in_private(p, align)) {
		free(p);
		return haft_err(MPI_ERR_NO_MEM,
			"%lld bytes at a multiple of %lld are not to be had", (long long)len,
			(long long)align);
	}
	if (tsearch(p, &mem.tree, by_address) == NULL) {
		block_release(p);
		return haft_err(MPI_ERR_NO_MEM, "no memory for %lld bytes", (long long)len);
	}
	*out = p->at;
	return 0;
}

int via_mem_free(void *at)
{
	struct mem_block key = {.at = at}, *p, **found = tfind(&key, &mem.tree, by_address);

	if (found == NULL)
		return haft_err(MPI_ERR_BASE, "%p is not the start of memory of MPI_Alloc_mem", at);
	p = *found;
	tdelete(p, &mem.tree, by_address);
	block_release(p);
	return 0;
}

HAFT_START void via_mem_close(void)
{
	while (mem.tree != NULL) {
		struct mem_block *p = *(struct mem_block **)mem.tree;

		tdelete(p, &mem.tree, by_address);
		block_release(p);
	}
	obj_arena_free(mem.arena);
	mem.arena = NULL;
	while (mem.arena_extent != NULL) {
		struct arena_extent *g = mem.arena_extent;

		mem.arena_extent = g->next;
		shm_heap_free(via.shm, g->off, g->len, HEAP_ALIGN);
		free(g);
	}
}
