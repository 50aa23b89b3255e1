// SPDX-License-Identifier: BSD-3-Clause
/* profile_host.c - the tables of the ranks of one host.  See profile.h. */
#define _GNU_SOURCE 1
#include "tools/mpiexec/profile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "libobj/base.h"
#include "tools/mpiexec/trace.h"
#include "tools/mpiexec/util.h"

#define PAGE   ((size_t)4096)
#define FD_MIN 100 /* low numbers are left to scripts */

#define MOMENT_SAMPLES 9

static_assert(sizeof(struct prof_table) % PAGE == 0, "tables begin at a page");

/* Tables of tenants that have left their seats. */
static struct prof_table **kept;
static int nkept;

/* One moment by both clocks: of MOMENT_SAMPLES the one that took least.  A sample that is
 * interrupted takes long. */
static void moment_take(uint64_t *ticks, uint64_t *ns)
{
	uint64_t least = UINT64_MAX;

	*ticks = *ns = 0;
	for (int i = 0; i < MOMENT_SAMPLES; i++) {
		uint64_t before = shm_ticks(), at = clock_now_ns(), after = shm_ticks();

		if (after - before >= least)
			continue;
		least = after - before;
		*ticks = before + (after - before) / 2;
		*ns = at;
	}
}

double profile_host_scale(const struct profile_host *h)
{
	uint64_t ticks, ns;

	if (shm_ticks_are_ns() != 0)
		return 1;
	moment_take(&ticks, &ns);
	return ticks > h->ticks ? (double)(ns - h->ns) / (double)(ticks - h->ticks) : 1;
}

/* Makes the ticks of a rank ns of this host's clock.  All ranks of a host use one pair of moments,
 * mpiexec's, so that their times can be compared. */
static void table_settle(const struct profile_host *h, struct prof_table *t)
{
	t->ns_per_tick = t->ns != 0 ? 1 : profile_host_scale(h);
	t->begin_ns = t->ns != 0
			      ? t->begin
			      : (uint64_t)((double)h->ns +
					   (double)(int64_t)(t->begin - h->ticks) * t->ns_per_tick);
}

static void table_mark(struct profile_host *h, uint64_t cookie)
{
	h->table[0].head = (struct prof_head){.magic = PROF_MAGIC,
		.cookie = cookie,
		.rings = (uint64_t)h->n * sizeof(struct prof_table),
		.ring_len = h->ring_len,
		.ring_first = h->ring_first};
}

bool profile_host_open(
	struct profile_host *h, int n, uint64_t cookie, uint64_t ring_len, bool ring_first)
{
	size_t len = (size_t)n * sizeof(struct prof_table);
	int low = memfd_create("haft-profile", MFD_CLOEXEC | MFD_ALLOW_SEALING), fd;
	void *p;

	if (low < 0)
		return false;
	fd = fcntl(low, F_DUPFD_CLOEXEC, FD_MIN);
	if (fd >= 0)
		close(low);
	else
		fd = low;
	p = ftruncate(fd, (off_t)(len + (size_t)n * ring_len)) == 0
		    ? mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
		    : MAP_FAILED;
	if (p == MAP_FAILED) {
		close(fd);
		return false;
	}
	*h = (struct profile_host){
		.table = p, .fd = fd, .n = n, .ring_len = ring_len, .ring_first = ring_first};
	moment_take(&h->ticks, &h->ns);
	table_mark(h, cookie);
	return true;
}

void profile_host_close(struct profile_host *h)
{
	if (h->table == NULL)
		return;
	munmap(h->table, (size_t)h->n * sizeof(*h->table));
	close(h->fd);
	*h = (struct profile_host){.table = NULL};
}

static bool table_used(const struct prof_table *t)
{
	return atomic_load_explicit(&t->stage, memory_order_acquire) != PROF_NEVER;
}

void profile_host_died(const struct profile_host *h, int seat)
{
	if (h->table != NULL && seat >= 0 && seat < h->n && table_used(&h->table[seat]) &&
		h->table[seat].end == 0)
		h->table[seat].end = shm_ticks();
}

/* Numbers that a reader uses as an index are in range. */
static bool table_sane(struct prof_table *t)
{
	bool sane = t->ns_per_tick > 0 && t->now.site <= PROF_SITES && t->now.why < PROF_WHYS;

	for (int i = 0; i < PROF_MODULES; i++)
		t->module[i].path[PROF_PATH - 1] = '\0';
	for (int i = 0; i < PROF_REGIONS; i++)
		t->region[i].name[PROF_NAME - 1] = '\0';
	for (int i = 0; i < PROF_SITES; i++)
		sane = sane && t->site[i].module <= PROF_MODULES && t->site[i].fn < PROF_FNS;
	return sane;
}

static struct prof_table *table_new(void)
{
	void *p = mmap(NULL, sizeof(struct prof_table), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p != MAP_FAILED ? p : NULL;
}

/* A copy of a seat's table, with its times settled.  Pages that the rank has not touched are not
 * touched.  NULL: no memory, or it makes no sense. */
static struct prof_table *table_load(const struct profile_host *h, int seat)
{
	off_t from = (off_t)((size_t)seat * sizeof(struct prof_table)), at = from;
	off_t end = from + (off_t)sizeof(struct prof_table);
	struct prof_table *t = table_new();

	while (t != NULL && (at = lseek(h->fd, at, SEEK_DATA)) >= 0 && at < end) {
		off_t hole = lseek(h->fd, at, SEEK_HOLE);

		if (hole < 0 || hole > end)
			hole = end;
		if (pread(h->fd, (char *)t + (at - from), (size_t)(hole - at), at) != hole - at)
			break;
		at = hole;
	}
	if (t == NULL)
		return NULL;
	table_settle(h, t);
	if (table_sane(t))
		return t;
	munmap(t, sizeof(*t));
	return NULL;
}

void profile_table_free(struct prof_table *t)
{
	munmap(t, sizeof(*t));
}

uint32_t profile_host_snapshots(const struct profile_host *h)
{
	uint32_t most = 0;

	for (int i = 0; h->table != NULL && i < h->n; i++) {
		uint32_t n = atomic_load_explicit(&h->table[i].snapshots, memory_order_acquire);

		most = n > most ? n : most;
	}
	return most;
}

void profile_host_read(
	const struct profile_host *h, void (*each)(void *arg, struct prof_table *t), void *arg)
{
	for (int i = 0; h->table != NULL && i < h->n; i++) {
		struct prof_table *t = table_used(&h->table[i]) ? table_load(h, i) : NULL;

		if (t == NULL)
			continue;
		if (t->end == 0)
			t->end = shm_ticks();
		each(arg, t);
	}
}

void profile_host_renew(struct profile_host *h, int seat, uint64_t cookie)
{
	struct prof_table *t = NULL;

	profile_host_died(h, seat);
	if (h->table != NULL && seat < h->n && table_used(&h->table[seat]))
		t = table_load(h, seat);
	if (t == NULL)
		return;
	kept = mem_grow(kept, (size_t)nkept + 1, sizeof(*kept));
	kept[nkept++] = t;
	trace_seat_keep(h, seat, t->number);
	fallocate(h->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		(off_t)((size_t)seat * sizeof(*t)), (off_t)sizeof(*t));
	table_mark(h, cookie);
}

void profile_host_each(
	struct profile_host *h, void (*each)(void *arg, struct prof_table *t), void *arg)
{
	for (int i = 0; h->table != NULL && i < h->n; i++) {
		struct prof_table *t;

		profile_host_died(h, i);
		t = table_used(&h->table[i]) ? table_load(h, i) : NULL;
		if (t != NULL)
			each(arg, t);
	}
	for (int i = 0; i < nkept; i++)
		each(arg, kept[i]);
}

/* --- tables as bytes -------------------------------------------------------------------------- */

static bool page_zero(const char *p)
{
	return p[0] == 0 && memcmp(p, p + 1, PAGE - 1) == 0;
}

void profile_put(struct marshal *p, const struct prof_table *t)
{
	size_t pages = sizeof(*t) / PAGE;

	for (size_t i = 0; i < pages; i++) {
		const char *page = (const char *)t + i * PAGE;

		if (page_zero(page))
			continue;
		marshal_put_int(p, (int)i);
		marshal_put(p, page, PAGE);
	}
	marshal_put_int(p, -1);
}

struct prof_table *profile_take(struct marshal *p)
{
	struct prof_table *t = table_new();
	int64_t page;

	if (t == NULL)
		return NULL;
	while ((page = marshal_take_int(p)) >= 0 && !p->bad) {
		if ((size_t)page >= sizeof(*t) / PAGE)
			p->bad = true;
		else
			marshal_take(p, (char *)t + (size_t)page * PAGE, PAGE);
	}
	if (!p->bad && table_sane(t))
		return t;
	munmap(t, sizeof(*t));
	return NULL;
}
