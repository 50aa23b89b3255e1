// SPDX-License-Identifier: BSD-3-Clause
/* switch.c - begins and ends the profile, and MPI_Pcontrol.
 *
 *     mpiexec -profile: a memfd with a table for each seat ──> this rank's part is mapped
 *     HAFT_PROFILE under another launcher ───────────────────> private memory
 *
 *     MPI_Init ── on ──── MPI_Pcontrol(0) ── off ── MPI_Pcontrol(1) ── on ──── MPI_Finalize */
#include "libmpi/prof/prof.h"

#include "libmpi/boot/boot.h"
#include "libmpi/core/clock.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/setting.h"
#include "libmpi/via/via.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Maps this rank's table.  NULL: `fd' is not mpiexec's. */
static struct prof_table *table_map(const struct boot *b, int fd)
{
	size_t len = sizeof(struct prof_table);
	struct prof_head head;
	struct stat st;
	void *p;

	if (fstat(fd, &st) != 0 || (uint64_t)st.st_size < ((uint64_t)b->seat + 1) * len ||
		pread(fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
		head.magic != PROF_MAGIC || head.cookie != b->cookie)
		return NULL;
	p = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)((size_t)b->seat * len));
	if (p != MAP_FAILED && head.ring_len > 0)
		prof_trace_open(fd, &head, b->seat);
	close(fd);
	return p != MAP_FAILED ? p : NULL;
}

/* As table_map, by way of mpiexec's own descriptor, if a parent has closed the inherited one. */
static struct prof_table *table_fetch(const struct boot *b)
{
	struct prof_table *t;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", b->by, b->profile_fd);
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	t = fd >= 0 ? table_map(b, fd) : NULL;
	if (fd >= 0 && t == NULL)
		close(fd);
	return t;
}

static struct prof_table *table_private(void)
{
	void *p = mmap(NULL, sizeof(struct prof_table), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p != MAP_FAILED ? p : NULL;
}

static void gate_set(bool on)
{
	if (on)
		haft_gate_set(HAFT_GATE_PROFILE);
	else
		haft_gate_clear(HAFT_GATE_PROFILE);
	prof_observe();
}

static void profile_switch(bool on)
{
	struct prof_table *t = prof_state.table;
	uint64_t now = shm_ticks();

	if (on == (t->on != 0))
		return;
	t->on = on;
	prof_state.generation++;
	if (on)
		t->off += t->off_since != 0 ? now - t->off_since : 0;
	t->off_since = on ? 0 : now;
	gate_set(on);
}

static void table_begin(struct prof_table *t, int host)
{
	if (t->begin == 0) {
		t->begin_ns = clock_now_ns();
		t->begin = shm_ticks();
	}
	t->end = 0;
	t->on = 1;
	t->ns = shm_ticks_are_ns();
	t->rank = haft_life.rank;
	t->size = haft_life.size;
	t->number = haft_life.peer;
	t->host = host;
	t->pid = (int32_t)getpid();
	t->eager = haft_setting_get(SETTING_EAGER);
	atomic_store_explicit(&t->stage, PROF_RUNS, memory_order_release);
}

/* A trace needs the memory of our mpiexec, which outlives its ranks. */
static void trace_refuse(const struct boot *b)
{
	if (!b->launched && haft_life.rank == 0 && *haft_setting_text(SETTING_TRACE) != '\0')
		fprintf(stderr,
			"haft: HAFT_TRACE=%s: only jobs that Haft's mpiexec starts have a "
			"trace; HAFT_PROFILE works here\n",
			haft_setting_text(SETTING_TRACE));
}

HAFT_START void prof_open(const struct boot *b)
{
	trace_refuse(b);
	prof_observe();
	if (prof_state.table == NULL && b->profile_fd >= 0) {
		prof_state.table = table_map(b, b->profile_fd);
		if (prof_state.table == NULL)
			prof_state.table = table_fetch(b);
	} else if (prof_state.table == NULL && !b->launched &&
		   *haft_setting_text(SETTING_PROFILE) != '\0') {
		prof_state.table = table_private();
		prof_state.private = true;
	}
	if (prof_state.table == NULL)
		return;
	prof_site_open();
	table_begin(prof_state.table, b->host);
	gate_set(true);
}

HAFT_START void prof_close(void)
{
	if (prof_state.table == NULL)
		return;
	gate_set(false);
	prof_state.table->end = shm_ticks();
	atomic_store_explicit(&prof_state.table->stage, PROF_DONE, memory_order_release);
}

/* --- MPI_Pcontrol --------------------------------------------------------------------------- */

/* Copies a text of the program.  One that is not there, of a program that means something else by
 * this level, is none.  False: none. */
static bool name_copy(const char *from, char name[PROF_NAME])
{
	size_t page = 4096 - ((uintptr_t)from & 4095), len = PROF_NAME - 1;
	struct iovec to = {name, page < len ? page : len};
	struct iovec there = {(void *)(uintptr_t)from, to.iov_len};

	memset(name, 0, PROF_NAME);
	if (process_vm_readv(getpid(), &to, 1, &there, 1, 0) != (ssize_t)to.iov_len)
		return false;
	if (strlen(name) == to.iov_len && to.iov_len < len) {
		to = (struct iovec){name + page, len - page};
		there = (struct iovec){(void *)(uintptr_t)(from + page), len - page};
		if (process_vm_readv(getpid(), &to, 1, &there, 1, 0) < 0)
			return false;
	}
	return name[0] != '\0';
}

void prof_push(const char *from)
{
	struct prof_table *t = prof_state.table;
	char name[PROF_NAME];
	int i = 0, at;

	if (t == NULL || !name_copy(from, name) || t->depth++ >= PROF_DEPTH)
		return;
	at = t->depth - 1;
	while (i < PROF_REGIONS && t->region[i].name[0] != '\0' &&
		strcmp(t->region[i].name, name) != 0)
		i++;
	t->stack[at] = i < PROF_REGIONS ? i : -1;
	if (i == PROF_REGIONS)
		return;
	memcpy(t->region[i].name, name, PROF_NAME);
	t->region_at[at][0] = shm_ticks();
	t->region_at[at][1] = t->mpi;
	t->region_at[at][2] = t->wait;
}

static void region_pop(struct prof_table *t)
{
	struct prof_region *r;
	int at;

	if (t->depth == 0 || t->depth-- > PROF_DEPTH || t->stack[t->depth] < 0)
		return;
	at = t->depth;
	r = &t->region[t->stack[at]];
	r->n++;
	r->ticks += shm_ticks() - t->region_at[at][0];
	r->mpi += t->mpi - t->region_at[at][1];
	r->wait += t->wait - t->region_at[at][2];
	if (prof_traces())
		prof_trace_region(prof_call_mine(), t->stack[at], t->region_at[at][0]);
}

void prof_control(int level)
{
	if (prof_state.table == NULL || haft_life.state != HAFT_RUNNING)
		return;
	if (level == 0 || level == 1)
		profile_switch(level == 1);
	else if (level == PROF_SNAPSHOT)
		atomic_fetch_add_explicit(&prof_state.table->snapshots, 1, memory_order_release);
	else if (level == PROF_POP)
		region_pop(prof_state.table);
}
