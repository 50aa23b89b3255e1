// SPDX-License-Identifier: BSD-3-Clause
/* stats.c - counts of accesses: sums of a process, and the table of the hint haft_statistics.
 *
 *      haft: /data/x.h5: 4 ranks, open for 1.25 s
 *      haft:   writes   16 calls      67108864 bytes
 *      haft:   later          16 calls did not block: 0.310 s from start to end
 *      haft:   short           1 calls failed, 0 moved less than asked for: 0 bytes read ...
 *      haft:   paths    0 direct, 0 gathered, 0 blocks, 16 aggregated
 *      haft:   because 16 aggregated: blocks cost less than calls
 *      haft:   slowest rank: 0.210 s in accesses: 0.150 s disk, 0.040 s exchange, 0.000 s locks */
#include "libmpi/io/stats.h"

#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/clock.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/shared.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdio.h>

#define STATS_WORDS (sizeof(struct io_counts) / sizeof(int64_t))

static struct io_counts stats_closed; /* of all files that are closed */

static void stats_add(struct io_counts *sum, const struct io_counts *c)
{
	int64_t *to = (int64_t *)sum;
	const int64_t *from = (const int64_t *)c;

	for (size_t i = 0; i < STATS_WORDS; i++)
		to[i] += __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

const struct io_counts *io_counts_now(void)
{
	static struct io_counts now;

	now = stats_closed;
	for (const struct io_file *f = io_shared_first(); f != NULL; f = f->next)
		stats_add(&now, &f->counts);
	return &now;
}

static double stats_seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

static void stats_print_why(const struct io_counts *sum)
{
	static const char *const words[IO_WHYS] = {[IO_WHY_LONG] = "direct: long runs",
		[IO_WHY_HINT] = "direct: a hint",
		[IO_WHY_ORDER] = "direct: atomic, in sequence, or a view out of order",
		[IO_WHY_HOLES] = "direct: holes, and other accesses may be under way",
		[IO_WHY_CALLS] = "direct: calls cost less than blocks",
		[IO_WHY_STAGE] = "direct: no memory for a stage",
		[IO_WHY_ROUNDS] = "aggregated: blocks cost less than calls",
		[IO_WHY_ALWAYS] = "aggregated: a hint"};

	for (int i = 0; i < IO_WHYS; i++)
		if (sum->why[i] > 0)
			fprintf(stderr, "haft:   because %lld %s\n", (long long)sum->why[i],
				words[i]);
}

static void stats_print(
	const struct io_file *f, const struct io_counts *sum, const struct io_counts *most)
{
	static const char *const directions[] = {[IO_READ] = "reads ", [IO_WRITE] = "writes"};

	fprintf(stderr, "haft: %s: %d rank%s, open for %.3f s\n", f->path, f->size,
		f->size == 1 ? "" : "s", stats_seconds((int64_t)clock_now_ns() - f->opened_ns));
	for (int w = IO_READ; w <= IO_WRITE; w++)
		if (sum->calls[w] > 0)
			fprintf(stderr, "haft:   %s %10lld calls %16lld bytes\n", directions[w],
				(long long)sum->calls[w], (long long)sum->bytes[w]);
	if (sum->later > 0)
		fprintf(stderr,
			"haft:   later  %10lld calls did not block: %.3f s from start to end\n",
			(long long)sum->later, stats_seconds(sum->later_ns));
	if (sum->failed + sum->partial > 0)
		fprintf(stderr,
			"haft:   short  %10lld calls failed, %lld moved less than asked for: %lld "
			"bytes read and %lld written in all\n",
			(long long)sum->failed, (long long)sum->partial,
			(long long)sum->moved[IO_READ], (long long)sum->moved[IO_WRITE]);
	fprintf(stderr, "haft:   paths  %lld direct, %lld gathered, %lld blocks, %lld aggregated\n",
		(long long)sum->direct, (long long)sum->gathered, (long long)sum->sieved,
		(long long)sum->aggregated);
	stats_print_why(sum);
	fprintf(stderr,
		"haft:   slowest rank: %.3f s in accesses: %.3f s disk, %.3f s exchange, %.3f s "
		"locks\n",
		stats_seconds(most->access_ns), stats_seconds(most->disk_ns),
		stats_seconds(most->exchange_ns), stats_seconds(most->lock_ns));
}

void io_stats_close(struct io_file *f)
{
	struct type *word = type_predefined(MPI_INT64_T);
	struct io_counts sum = f->counts, most = f->counts;

	stats_add(&stats_closed, &f->counts);
	if (io_hint(f, IO_HAFT_STATISTICS) == 0)
		return;
	if (!f->alone) {
		coll_reduce(&f->counts, &sum, STATS_WORDS, word, coll_op_predefined(MPI_SUM), 0,
			f->comm);
		coll_reduce(&f->counts, &most, STATS_WORDS, word, coll_op_predefined(MPI_MAX), 0,
			f->comm);
	}
	if (f->rank == 0)
		stats_print(f, &sum, &most);
}
