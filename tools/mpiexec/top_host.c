// SPDX-License-Identifier: BSD-3-Clause
/* top_host.c - one sample of the ranks of this host, from their tables and from /proc. */
#include "tools/mpiexec/top.h"

#include "libmpi/prof/table.h"
#include "tools/mpiexec/local_ranks.h"
#include "tools/mpiexec/proc.h"

static uint64_t bytes_sum(const struct prof_table *t)
{
	uint64_t sum = 0;

	for (int c = 0; c < PROF_CLASSES; c++)
		for (int k = 0; k < PROF_SIZES; k++)
			sum += t->size_row[c][k].bytes;
	return sum;
}

/* The rank writes while this reads: a value may be a call behind. */
static void table_read(const struct profile_host *h, const struct prof_table *t, struct top_row *r)
{
	uint32_t stage = atomic_load_explicit(&t->stage, memory_order_acquire);
	uint64_t since = t->now.wait_since, now = shm_ticks(), wait = t->wait;
	double scale = profile_host_scale(h);

	r->inside = stage == PROF_RUNS;
	r->after = stage == PROF_DONE;
	r->fn = atomic_load_explicit(&t->now.fn, memory_order_relaxed);
	r->waits = r->inside && r->fn != 0 && since != 0;
	r->why = t->now.why < PROF_WHYS ? (uint8_t)t->now.why : PROF_OTHER;
	r->peer = t->now.peer;
	if (r->waits && now > since)
		wait += now - since;
	r->wait_ns = (uint64_t)((double)wait * scale);
	r->bytes = bytes_sum(t);
}

void top_host_read(const struct local_ranks *c, struct marshal *out)
{
	for (int i = 0; i < c->n; i++) {
		const struct local_rank *m = &c->m[i];
		struct top_row r = {.entry = m->entry, .alive = m->alive, .at_ns = clock_now_ns()};
		int pid = m->pid;

		if (m->world == NULL)
			continue;
		if (m->seat >= 0 && c->profile.table != NULL) {
			const struct prof_table *t = &c->profile.table[m->seat];

			table_read(&c->profile, t, &r);
			pid = r.inside ? t->pid : pid;
		}
		if (m->alive) {
			r.runs = proc_runs(pid);
			r.cpu_ns = proc_cpu(pid);
			r.memory = proc_memory(pid);
		}
		marshal_put(out, &r, sizeof(r));
	}
}
