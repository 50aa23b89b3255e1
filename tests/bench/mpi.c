// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,5 args="-t 2 -b 1 all" */
/*
 * mpi.c - the benchmark program: measures one row in one job.
 *
 *	mpi [-m] [-p] [-t total] [-b batch] [-l limit] ROW | all
 *
 *	-m	MPI_THREAD_MULTIPLE
 *	-p	pin rank r to the r-th processor of those the job may use (after MPI_Init, so
 *		that no library's idea of pinning matters and all are pinned alike)
 *	-t -b	milliseconds that all samples, and one sample, should take
 *	-l	seconds after which rank 0 prints a lower bound and gives up
 *
 * Ranks that share processors must be measured in batches longer than the scheduler's turns, or
 * the median would hide the waits: -b 20.  "all" does every row that this number of ranks allows;
 * `make check' does so for a moment, because each row also checks its data.
 */
#include "tests/bench/bench.h"

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A shape of type.c in the sizes that are measured. */
#define SHAPE(name, n)                                                         \
	{name ".1k", type_shape, (size_t)(n)*TYPE_BYTES + 1024, 1},            \
		{name ".64k", type_shape, (size_t)(n)*TYPE_BYTES + 65536, 1},  \
		{name ".1m", type_shape, (size_t)(n)*TYPE_BYTES + 1048576, 1}, \
	{                                                                      \
		name ".8m", type_shape, (size_t)(n)*TYPE_BYTES + 8388608, 1    \
	}

static const struct bench_row rows[] = {
	{"lat8", lat_pingpong, 8, 1},
	{"lat1k", lat_pingpong, 1024, 1},
	{"lat8k", lat_pingpong, 8192, 1},
	{"lat64k", lat_pingpong, 65536, 1},
	{"lat1m", lat_pingpong, 1048576, 1},
	{"rate8", lat_rate, 8, 1},
	{"bw4m", lat_stream, 4194304, 1},
	{"posted1k", lat_posted, 1000, 1},
	{"posted10k", lat_posted, 10000, 1},
	{"barrier", coll_barrier, 0, 0},
	{"ibarrier", coll_ibarrier, 0, 0},
	{"allreduce8", coll_allreduce, 8, 0},
	{"allreduce1m", coll_allreduce, 1048576, 0},
	{"bcast64k", coll_bcast, 65536, 0},
	{"alltoall8", coll_alltoall, 8, 0},
	{"alltoall64k", coll_alltoall, 65536, 0},
	{"alltoall256k", coll_alltoall, 262144, 0},
	{"allgather8k", coll_allgather, 8192, 0},
	{"allgather64k", coll_allgather, 65536, 0},
	{"alltoallv8", coll_alltoallv, 8, 0},
	{"alltoallv1k", coll_alltoallv, 1024, 0},
	{"allgatherv8", coll_allgatherv, 8, 0},
	{"redscat8", coll_reduce_scatter, 8, 0},
	{"ring", neighbor_ring, 1024, 0},
	{"halo", neighbor_halo, 1024, 0},
	SHAPE("cont", 0),
	SHAPE("v1", 1),
	SHAPE("v4", 2),
	SHAPE("fx", 3),
	SHAPE("fy", 4),
	SHAPE("fz", 5),
	SHAPE("idx", 6),
	SHAPE("rec", 7),
	{"fence", win_fence, 8, 0},
	{"pscw", win_pscw, 8, 0},
	{"lock", win_lock, 8, 1},
	{"queue", win_queue, 8, 0},
	{"put8", move_put, 8, 1},
	{"put1m", move_copy, 1048576, 1},
	{"get8", move_get, 8, 1},
	{"acc8", move_acc, 8, 1},
	{"fop8", move_fop, 8, 1},
	{"putmine8", move_put, 8, 1},
	{"getmine8", move_get, 8, 1},
	{"accmine8", move_acc, 8, 1},
	{"fopmine8", move_fop, 8, 1},
	{"winnew", move_new, 0, 1},
	{"commit", type_commit, 0, 0},
	{"packcall", type_call, 0, 0},
	{"profcall", prof_call, 0, 0},
	{"tracecall", prof_call, 0, 0},
	{"filew8", file_write, 8, 0},
	{"filew1m", file_write, 1 << 20, 0},
	{"filer1m", file_read, 1 << 20, 0},
	{"fileb8", file_blocks, 8, 0},
	{"fileb64", file_blocks, 64, 0},
	{"fileb4k", file_blocks, 4096, 0},
	{"filebig", file_blocks, 1 << 20, 0},
	{"filebr64", file_blocks_read, 64, 0},
	{"fileholes8", file_holes, 8, 0},
	{"filecube", file_cube, 0, 0},
	{"filecuber", file_cube_read, 0, 0},
	{"filemem", file_memory, 64, 0},
	{"filesmallw", file_small_write, 0, 0},
	{"filesmallr", file_small_read, 0, 0},
	{"fileh5", file_views, 65536, 0},
	{"fileshared", file_shared, 64, 0},
	{"fileorder", file_ordered, 4096, 0},
	{"fileopen", file_life, 0, 0},
	{"filespace", file_reserve, 0, 0},
	{"fileend", file_end, 64 << 20, 0},
	{"fileend64k", file_end, 64 << 10, 0},
	{"filew64m", file_write, 64 << 20, 0},
	{"filelong", file_long, 16 << 20, 0},
	{"fileequal", file_equal, 16 << 20, 0},
	{"filelist", file_view_list, 0, 0},
	{"filehuge", file_view_huge, 0, 0},
	{"fileatomic", file_atomic, 65536, 0},
	{"fileover", file_over, 64 << 20, 0},
	{"fileoverall", file_over_all, 64 << 20, 0},
	{"fileoveridle", file_over_idle, 64 << 20, 0},
	{"dup", comm_dup, 0, 0},
	{"apps.cg", app_cg, 0, 0},
	{"apps.fft", app_fft, 0, 0},
	{"apps.sort", app_sort, 0, 0},
	{"apps.wave", app_wave, 0, 0},
	{"apps.halo", app_halo, 0, 0},
	{"apps.master", app_master, 0, 0},
	{"apps.pool", app_pool, 0, 0},
	{"over64k", over_part, 65536, 1},
	{"over64k.one", over_part, 65536 + 1, 1},
	{"over64k.long", over_part, 65536 + 5, 1},
	{"overall64k", over_part, 65536 + 2, 1},
	{"overall64k.one", over_part, 65536 + 3, 1},
	{"overall64k.long", over_part, 65536 + 7, 1},
	{"over1m", over_part, 1048576, 1},
	{"over1m.one", over_part, 1048576 + 1, 1},
	{"over1m.long", over_part, 1048576 + 5, 1},
	{"overall1m", over_part, 1048576 + 2, 1},
	{"overall1m.one", over_part, 1048576 + 3, 1},
	{"overall1m.long", over_part, 1048576 + 7, 1},
	{"over4m", over_part, 4194304, 1},
	{"over4m.one", over_part, 4194304 + 1, 1},
	{"over4m.long", over_part, 4194304 + 5, 1},
	{"overall4m", over_part, 4194304 + 2, 1},
	{"overall4m.one", over_part, 4194304 + 3, 1},
	{"overall4m.long", over_part, 4194304 + 7, 1},
	{"spawn1", spawn_start, 1, 0},
	{"spawn8", spawn_start, 8, 0},
	{"spawn64", spawn_start, 64, 0},
	{"spawnalone", spawn_first, 1, 0},
	{"spawnlat8", spawn_local, 8, 1},
	{"spawnlat64k", spawn_local, 65536, 1},
	{"connect", spawn_connect, 0, 1},
	{"names", spawn_names, 0, 0},
	{"child", spawn_child, 0, 0},
	{"wait", life_wait, 4, 1},
	{"memory", life_memory, 0, 0},
	{"first", life_first, 2000, 1},
	{"start", life_start, 0, 0},
};

static const struct bench_row *row_find(const char *name)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

/* The r-th of the allowed processors, counted around. */
static void bench_pin(const struct bench *b)
{
	cpu_set_t all, one;

	if (sched_getaffinity(0, sizeof(all), &all))
		bench_fail(b, "sched_getaffinity");
	int left = b->rank % CPU_COUNT(&all);
	size_t cpu = 0;
	while (!CPU_ISSET(cpu, &all) || left-- > 0)
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		bench_fail(b, "sched_setaffinity to processor %zu", cpu);
}

static void measure(struct bench *b, const struct bench_row *row)
{
	if (row->pair && b->size != 2)
		bench_fail(b, "row %s wants 2 ranks, not %d", row->name, b->size);
	bench_alarm_begin(b, row->name);
	row->run(b, row);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: mpi [-m] [-p] [-t total_ms] [-b batch_ms] [-l limit_s] ROW\nrows: all");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		fprintf(stderr, " %s", rows[i].name);
	fprintf(stderr, "\n");
	return 2;
}

int main(int argc, char **argv)
{
	struct bench b = {.total = 0.2, .batch = 0.0005};
	int pinned = 0, level = MPI_THREAD_SINGLE, c;

	while ((c = getopt(argc, argv, "mpt:b:l:")) != -1) {
		switch (c) {
		case 'm': level = MPI_THREAD_MULTIPLE; break;
		case 'p': pinned = 1; break;
		case 't': b.total = atof(optarg) / 1e3; break;
		case 'b': b.batch = atof(optarg) / 1e3; break;
		case 'l': b.limit = atoi(optarg); break;
		default: return usage();
		}
	}
	const char *name = optind + 1 == argc ? argv[optind] : "";
	const struct bench_row *row = row_find(name);
	if (!row && strcmp(name, "all") != 0)
		return usage();

	bench_alarm_end(&b);
	MPI_Init_thread(&argc, &argv, level, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &b.size);
	if (pinned)
		bench_pin(&b);
	if (row)
		measure(&b, row);
	for (size_t i = 0; !row && i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!rows[i].pair || b.size == 2)
			measure(&b, &rows[i]);
	MPI_Finalize();
	return 0;
}
