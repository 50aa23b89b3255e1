// SPDX-License-Identifier: BSD-3-Clause
/* seg.c - the segment: creating, mapping, and the view from outside.
 *
 *   shm_seg_create   memfd of the whole length (sparse), control part reserved, head written last
 *   shm_seg_open     checks the head, maps the file, or less of its heap where space is short */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libshm/shm_inner.h"
#include "libshm/ticks.h"

/* The heap is address space only: memory comes extent by extent. */
#define HEAP_BASE     ((uint64_t)1 << 30)   /* of the library's own needs */
#define HEAP_RANK     ((uint64_t)64 << 20)  /* more for each rank */
#define HEAP_TIMES    MEAN_OR(1, 4)         /* machines' memories for users: extents differ */
#define HEAP_VALGRIND ((uint64_t)192 << 20) /* it warns of each range from 256 MiB on */
#define HEAP_SCANT    16 /* under a narrow limit, one part of so many: a few pipes */

#define MAP_BELOW ((uint64_t)1 << 30) /* of address space that libraries, loaded later, may take */

static uint64_t seg_round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* Everything that the inline functions and the structures of two builds must agree on.  A receiver
 * without a ring looks at the head as if it were a slot.  The hash is then the slot's word: without
 * the lap bit it is never full. */
static_assert(
	offsetof(struct seg_head, shape) == offsetof(struct shm_slot, word), "shape is the word");
HAFT_START static uint64_t seg_shape_hash(void)
{
	const uint64_t part[] = {sizeof(struct seg_head), sizeof(struct channel),
		sizeof(struct seg_spread), sizeof(struct wait_record), WAIT_RECORDS,
		sizeof(struct shm_ring), sizeof(struct shm_inbox), sizeof(struct shm_pipe),
		sizeof(struct shm_block_area), SHM_CHUNKS_MAX};
	uint64_t h = 1;

	for (size_t i = 0; i < countof(part); i++)
		h = (h ^ part[i]) * UINT64_C(0x100000001b3);
	return h & ~(uint64_t)SHM_WORD_LAP;
}

/* Greatest frame: with many ranks the payload areas of all pairs would take too much memory. */
static uint32_t seg_frame_max(int nranks)
{
	if (HAFT_MEAN)
		return 256;
	if (nranks <= 32)
		return SHM_FRAME_MAX;
	return nranks <= 128 ? SHM_FRAME_MAX / 2 : SHM_FRAME_MAX / 4;
}

/* How much address space the heap may take. */
enum room { ROOM_SCANT, ROOM_OWN, ROOM_USERS, ROOM_KINDS };

HAFT_START static uint64_t seg_heap_len(const struct shm_opts *o, enum room room)
{
	uint64_t own = HEAP_BASE + (uint64_t)o->nranks * HEAP_RANK;

	if (o->heap_len != 0)
		return o->heap_len;
	if (obj_on_valgrind()) {
		own = HEAP_VALGRIND;
		room = room == ROOM_USERS ? ROOM_OWN : room;
	}
	if (room == ROOM_SCANT)
		return own / HEAP_SCANT;
	return own + (room == ROOM_USERS ? HEAP_TIMES * shm_os_memory() : 0);
}

/* Fills in all of the head but the magic. */
static void seg_lay_out(struct seg_head *h, const struct shm_opts *o, enum room room)
{
	uint64_t n = (uint64_t)o->nranks + (uint64_t)o->spare, at;

	h->shape = seg_shape_hash();
	h->cookie = o->cookie != 0 ? o->cookie : shm_os_random();
	h->nranks = (uint32_t)o->nranks;
	h->nseats = (uint32_t)n;
	h->seats_end = h->live = h->nranks;
	h->ncpus = (uint32_t)(o->ncpus > 0 ? o->ncpus : shm_cpus());
	h->ticks = shm_ticks_known();
	h->fence = h->nranks > h->ncpus || !shm_os_barrier_known();
	h->frame_max = seg_frame_max(o->nranks);
	h->chunk_len = (uint32_t)(o->chunk_len != 0 ? o->chunk_len : SHM_CHUNK);
	h->chunks = (uint16_t)(o->chunks != 0 ? o->chunks : SHM_CHUNKS);
	h->slots = (uint16_t)(o->slots != 0 ? o->slots : SHM_SLOTS);
	h->spread = seg_round_up(sizeof(*h), CACHE_LINE);
	h->job = at = seg_round_up(h->spread + sizeof(struct seg_spread), PAGE);
	h->job_rank = at += SHM_JOB_LEN;
	h->doorbell = at += n * SHM_JOB_RANK;
	h->record = at += (n + 1) * sizeof(struct shm_doorbell); /* one for the launcher */
	h->bucket = at += n * WAIT_RECORDS * sizeof(struct wait_record);
	h->inbox = at += BUCKETS * sizeof(uint64_t);
	h->map = at += n * sizeof(struct shm_inbox);
	h->map_len = o->map_len;
	h->notices = seg_round_up(at + h->map_len, PAGE);
	h->extra = h->notices + (uint64_t)SHM_NOTICE_MAX * SHM_NOTICE_LEN; /* a page at need */
	h->heap = seg_round_up(h->extra + n * SHM_EXTRA_LEN, PAGE);        /* likewise */
	h->len = h->heap + seg_round_up(seg_heap_len(o, room), PAGE);
}

/* Maps the file at an address that the system gives for a hint, a multiple of a huge page below the
 * libraries.  Most often that is free, and one call does it.  NULL: it has given another one. */
static char *map_at_hint(int fd, uint64_t len)
{
	static const char here[1];
	uintptr_t hint = (uintptr_t)here;
	char *p;

	if (hint < len + MAP_BELOW)
		return NULL;
	hint = (hint - len - MAP_BELOW) / SHM_HUGE * SHM_HUGE;
	p = mmap((void *)hint, len, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (p == MAP_FAILED)
		return NULL;
	if ((uintptr_t)p % SHM_HUGE == 0)
		return p;
	munmap(p, len);
	return NULL;
}

/* Likewise, in a part of a larger range that it takes first. */
static char *map_aligned(int fd, uint64_t len)
{
	char *room = mmap(NULL, len + SHM_HUGE, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	size_t before = (size_t)(-(uintptr_t)room % SHM_HUGE);
	char *p = room != MAP_FAILED ? room + before : NULL;

	if (p == NULL || mmap(p, len, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_NORESERVE | MAP_FIXED, fd, 0) == MAP_FAILED) {
		if (room != MAP_FAILED)
			munmap(room, len + SHM_HUGE);
		return NULL;
	}
	if (before > 0)
		munmap(room, before);
	munmap(p + len, SHM_HUGE - before);
	return p;
}

/* At an address for huge pages: a piece of the file lies in one if both its offset and its address
 * are multiples of one. */
HAFT_START static int seg_map(struct shm_seg *seg, int fd, uint64_t len)
{
	char *p = map_at_hint(fd, len);

	if (p == NULL)
		p = map_aligned(fd, len);
	if (p == NULL) {
		shm_os_error_set("mmap failed");
		return SHM_SYS;
	}
	madvise(p, len, MADV_DONTDUMP); /* a core file would take memory for all of it */
	seg->base = (void *)p;
	seg->len = len;
	seg->head = (void *)p;
	return shm_os_file_id(fd, &seg->dev, &seg->ino) ? 0 : SHM_SYS;
}

/* Some programs close every descriptor that they find, and get its number again for a file of
 * theirs: that file is not touched. */
static int seg_own_fd(const struct shm_seg *seg)
{
	uint64_t dev, ino;

	if (seg->mem_fd < 0 || !shm_os_file_id(seg->mem_fd, &dev, &ino))
		return -1;
	return dev == seg->dev && ino == seg->ino ? seg->mem_fd : -1;
}

int shm_seg_reserve(const struct shm_seg *seg, uint64_t off, uint64_t len)
{
	return shm_os_reserve(seg_own_fd(seg), off, seg->base + off, len);
}

int shm_seg_reserve_huge(const struct shm_seg *seg, uint64_t off, uint64_t len)
{
	return shm_os_reserve_huge(seg_own_fd(seg), off, seg->base + off, len);
}

int shm_seg_punch(const struct shm_seg *seg, uint64_t off, uint64_t len)
{
	return shm_os_punch(seg->base + off, len);
}

void shm_seg_core(const struct shm_seg *seg)
{
	const struct seg_head *h = seg->head;
	uint64_t top = h->heap_top > h->heap ? h->heap_top : h->heap;

	if (top <= seg->len)
		madvise(seg->base, (top + PAGE - 1) / PAGE * PAGE, MADV_DODUMP);
}

static void seg_drop(struct shm_seg *seg)
{
	int e = errno;

	int fd = seg->base != NULL ? seg_own_fd(seg) : seg->mem_fd;

	if (seg->base != NULL)
		munmap(seg->base, seg->len);
	if (fd >= 0)
		close(fd);
	free(seg);
	errno = e;
}

static struct shm_seg *seg_new(void)
{
	struct shm_seg *seg = calloc(1, sizeof(*seg));

	if (seg != NULL)
		seg->fd = seg->mem_fd = -1;
	return seg;
}

/* Lays out and maps the new file: with room for users' memory, or, under a limit of address space
 * or of the size of files, without, or with little of anything. */
static int seg_size_and_map(struct shm_seg *seg, const struct shm_opts *opts, struct seg_head *h)
{
	for (int room = ROOM_KINDS - 1; room >= 0; room--) {
		*h = (struct seg_head){0};
		seg_lay_out(h, opts, (enum room)room);
		if (shm_os_resize(seg->mem_fd, h->len) == 0 &&
			seg_map(seg, seg->mem_fd, h->len) == 0)
			return 0;
	}
	return SHM_SYS;
}

/* 0, or a power of two from least to most. */
static bool power_of_two_or_0(uint32_t n, uint32_t least, uint32_t most)
{
	return n == 0 || ((n & (n - 1)) == 0 && n >= least && n <= most);
}

/* Reserves the part of an array that belongs to n seats, in whole pages. */
static int seat_part_reserve(struct shm_seg *seg, uint64_t array, size_t each, int first, int n)
{
	uint64_t from = array + (uint64_t)first * each, to = from + (uint64_t)n * each;

	from = from / PAGE * PAGE;
	return shm_seg_reserve(seg, from, (to + PAGE - 1) / PAGE * PAGE - from);
}

int shm_seat_reserve(struct shm_seg *seg, int first, int n)
{
	const struct seg_head *h = seg->head;

	if (seat_part_reserve(seg, h->job_rank, SHM_JOB_RANK, first, n) != 0 ||
		seat_part_reserve(seg, h->doorbell, sizeof(struct shm_doorbell), first, n) != 0 ||
		seat_part_reserve(
			seg, h->record, WAIT_RECORDS * sizeof(struct wait_record), first, n) != 0)
		return -1;
	return seat_part_reserve(seg, h->inbox, sizeof(struct shm_inbox), first, n);
}

/* Reserves the control part: all of it, but for the spare seats. */
static int seg_control_reserve(struct shm_seg *seg, const struct seg_head *h)
{
	uint64_t inboxes_end = h->inbox + (uint64_t)h->nseats * sizeof(struct shm_inbox);

	if (h->nseats == h->nranks)
		return shm_seg_reserve(seg, 0, h->notices);
	if (shm_seg_reserve(seg, 0, h->job_rank) != 0 ||
		shm_seg_reserve(seg, h->bucket / PAGE * PAGE, h->inbox - h->bucket + PAGE) != 0 ||
		(h->map_len > 0 && shm_seg_reserve(seg, inboxes_end / PAGE * PAGE,
					   h->notices - inboxes_end / PAGE * PAGE) != 0))
		return -1;
	seg->head->job_rank = h->job_rank; /* where shm_seat_reserve looks */
	seg->head->doorbell = h->doorbell;
	seg->head->record = h->record;
	seg->head->inbox = h->inbox;
	if (shm_seat_reserve(seg, 0, (int)h->nranks) != 0)
		return -1;
	return shm_seg_reserve(
		seg, (h->doorbell + h->nseats * sizeof(struct shm_doorbell)) / PAGE * PAGE, PAGE);
}

int shm_seg_create(const struct shm_opts *opts, struct shm_seg **out)
{
	struct shm_seg *seg;
	struct seg_head h;

	if (opts->nranks < 1 || opts->spare < 0 || opts->nranks > SHM_RANKS_MAX - opts->spare ||
		opts->chunk_len % CACHE_LINE != 0 || opts->chunk_len > UINT32_MAX ||
		opts->heap_len > (size_t)1 << 46 || opts->map_len > SHM_MAP_MAX ||
		!power_of_two_or_0(opts->chunks, SHM_CHUNKS_MIN, SHM_CHUNKS_MAX) ||
		!power_of_two_or_0(opts->slots, SHM_SLOTS_MIN, SHM_SLOTS_MAX))
		return SHM_BAD;
	seg = seg_new();
	if (seg == NULL)
		return SHM_NOMEM;
	seg->mem_fd = shm_os_memfd();
	if (seg->mem_fd < 0 || seg_size_and_map(seg, opts, &h) != 0 ||
		shm_os_memfd_seal(seg->mem_fd) != 0 || seg_control_reserve(seg, &h) != 0) {
		seg_drop(seg);
		return errno == ENOSPC || errno == ENOMEM ? SHM_NOMEM : SHM_SYS;
	}
	h.magic = SEG_MAGIC;
	*seg->head = h;
	seg->fd = seg->mem_fd;
	*out = seg;
	return 0;
}

/* Reads the head of a file that may be anything; 0 if it is a segment of ours. */
static int head_check(int fd, struct seg_head *h)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return SHM_SYS;
	if (!S_ISREG(st.st_mode) || pread(fd, h, sizeof(*h), 0) != (ssize_t)sizeof(*h))
		return SHM_BAD;
	if (h->magic != SEG_MAGIC)
		return SHM_BAD;
	if (h->shape != seg_shape_hash())
		return SHM_OTHER;
	if (h->len != (uint64_t)st.st_size)
		return SHM_BAD;
	if (h->map % sizeof(uint64_t) != 0 || h->map > h->heap || h->map_len > h->heap - h->map)
		return SHM_BAD;
	if (h->nranks < 1 || h->nseats < h->nranks || h->nseats > SHM_RANKS_MAX)
		return SHM_BAD;
	return h->heap < h->len ? 0 : SHM_BAD;
}

/* Maps the segment, or, where address space is short (a limit, valgrind), as much of its heap as a
 * segment gets that is created there. */
static int map_most(struct shm_seg *seg, const struct seg_head *h)
{
	const struct shm_opts like = {.nranks = (int)h->nranks};
	bool wide = obj_on_valgrind() && h->len - h->heap > HEAP_VALGRIND;
	int e = wide ? SHM_SYS : seg_map(seg, seg->mem_fd, h->len);

	for (int room = ROOM_OWN; e != 0 && room >= ROOM_SCANT; room--) {
		uint64_t len = h->heap + seg_round_up(seg_heap_len(&like, (enum room)room), PAGE);

		if (len < h->len)
			e = seg_map(seg, seg->mem_fd, len);
	}
	return e;
}

HAFT_START int shm_seg_open(int fd, struct shm_seg **out)
{
	struct shm_seg *seg;
	struct seg_head h;
	int e = head_check(fd, &h);

	if (e != 0)
		return e;
	seg = seg_new();
	if (seg == NULL)
		return SHM_NOMEM;
	seg->mem_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (seg->mem_fd < 0 || map_most(seg, &h) != 0) {
		seg_drop(seg);
		return SHM_SYS;
	}
	shm_ticks_learn(h.ticks != 0);
	*out = seg;
	return 0;
}

void shm_seg_close(struct shm_seg *seg)
{
	if (seg != NULL)
		seg_drop(seg);
}

int shm_seg_fd(const struct shm_seg *seg)
{
	return seg->fd;
}

HAFT_START uint64_t shm_seg_len(const struct shm_seg *seg)
{
	return seg->len;
}

HAFT_START int shm_seg_nranks(const struct shm_seg *seg)
{
	return (int)seg->head->nranks;
}

HAFT_START int shm_seg_nseats(const struct shm_seg *seg)
{
	return (int)seg->head->nseats;
}

HAFT_START int shm_seg_seats_end(const struct shm_seg *seg)
{
	return (int)atomic_load_explicit(&seg->head->seats_end, memory_order_acquire);
}

int shm_seg_ncpus(const struct shm_seg *seg)
{
	return (int)seg->head->ncpus;
}

HAFT_START bool shm_seg_oversubscribed(const struct shm_seg *seg)
{
	return seg->head->nranks > seg->head->ncpus;
}

HAFT_START bool shm_seg_oversubscribed_now(const struct shm_seg *seg)
{
	return atomic_load_explicit(&seg->head->live, memory_order_relaxed) > seg->head->ncpus;
}

HAFT_START uint32_t shm_seg_ranks_per_cpu(const struct shm_seg *seg)
{
	return atomic_load_explicit(&seg->head->live, memory_order_relaxed) / seg->head->ncpus;
}

HAFT_START uint64_t shm_seg_cookie(const struct shm_seg *seg)
{
	return seg->head->cookie;
}

HAFT_START void *shm_seg_job(struct shm_seg *seg)
{
	return seg_at(seg, seg->head->job);
}

HAFT_START void *shm_seg_job_rank(struct shm_seg *seg, int rank)
{
	must(rank >= 0 && rank < shm_seg_nseats(seg));
	return seg_at(seg, seg->head->job_rank + (uint64_t)rank * SHM_JOB_RANK);
}

void *shm_seg_extra(const struct shm_seg *seg, int rank)
{
	must(rank >= 0 && rank < shm_seg_nseats(seg));
	return seg_at(seg, seg->head->extra + (uint64_t)rank * SHM_EXTRA_LEN);
}

void *shm_seg_extra_take(struct shm_seg *seg, int rank)
{
	static_assert(PAGE % SHM_EXTRA_LEN == 0, "it lies in one page");
	uint64_t off = seg->head->extra + (uint64_t)rank * SHM_EXTRA_LEN;

	return shm_seg_reserve(seg, off / PAGE * PAGE, PAGE) == 0 ? shm_seg_extra(seg, rank) : NULL;
}

HAFT_START void *shm_seg_map(struct shm_seg *seg, size_t *len)
{
	*len = seg->head->map_len;
	return *len > 0 ? seg_at(seg, seg->head->map) : NULL;
}

/* One try to copy a record; false: the owner was writing it. */
static bool view_try(struct wait_record *p, struct shm_view *v)
{
	uint32_t seq = atomic_load_explicit(&p->seq, memory_order_acquire);
	uint64_t w[countof(p->description)];

	v->asleep = atomic_load_explicit(&p->waiting, memory_order_relaxed) != 0;
	v->since_ns = atomic_load_explicit(&p->since_ns, memory_order_relaxed);
	v->still_ns = atomic_load_explicit(&p->still_ns, memory_order_relaxed);
	for (size_t i = 0; i < countof(w); i++)
		w[i] = atomic_load_explicit(&p->description[i], memory_order_relaxed);
	memcpy(v->description, w, sizeof(w));
	shm_fence();
	return seq % 2 == 0 && seq == atomic_load_explicit(&p->seq, memory_order_relaxed);
}

void shm_seg_view(const struct shm_seg *seg, int rank, struct shm_view *view)
{
	enum { TRIES = 100 }; /* the owner may have been stopped while writing */
	struct shm_doorbell *d = (struct shm_doorbell *)seg_at(seg, seg->head->doorbell) + rank;
	struct wait_record *p =
		(struct wait_record *)seg_at(seg, seg->head->record) + rank * WAIT_RECORDS;

	must(rank >= 0 && rank < shm_seg_nseats(seg));
	view->state = (enum shm_state)atomic_load_explicit(&d->state, memory_order_acquire);
	view->pid = atomic_load_explicit(&d->pid, memory_order_relaxed);
	view->cpu = atomic_load_explicit(&p->cpu, memory_order_relaxed);
	for (int i = 0; i < TRIES && !view_try(p, view); i++)
		shm_os_relax();
	view->nothers = 0;
	for (int k = 1; k < WAIT_RECORDS; k++) {
		struct shm_view v;

		if (!view_try(p + k, &v) || !v.asleep)
			continue;
		view->other[view->nothers].since_ns = v.since_ns;
		memcpy(view->other[view->nothers++].description, v.description,
			sizeof(v.description));
	}
}

const char *shm_error_text(int error)
{
	static const char *const text[] = {
		[0] = "no error",
		[SHM_AGAIN] = "full or empty for now",
		[SHM_NOMEM] = "no memory left",
		[SHM_BAD] =
			"not a segment of this build, or a rank that it has not or that is taken",
		[SHM_ABORTED] = "the job is being ended",
		[SHM_OTHER] = "a segment of another build",
	};

	if (error == SHM_SYS)
		return shm_os_error_text();
	return error >= 0 && (size_t)error < countof(text) ? text[error] : "unknown error";
}
