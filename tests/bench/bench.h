// SPDX-License-Identifier: BSD-3-Clause
/*
 * bench.h - the parts of the MPI benchmark: one source for every MPI library.
 *
 * The program measures one ROW of the table in one job, so that the script can let the libraries
 * take turns row by row (ABCABC...): on a machine whose speed changes from minute to minute only
 * neighbours in time can be compared.
 *
 *	mpi.c	options, the list of rows, the alarm
 *	stat.c	warm-up, calibration, batches, quantiles, the line that goes to the script
 *	lat.c	two ranks: latency, message rate, bandwidth, posted receives
 *	coll.c	collectives on any number of ranks
 *	comm.c	communicators
 *	neighbor.c	neighbours: ring and halo exchange
 *	over.c	communication hidden by computation
 *	win.c	synchronization of windows
 *	move.c	data moved to and from windows
 *	file.c	accesses of files in memory
 *	file_life.c	views, pointers and the life of files
 *	prof.c	the cost of a profile for a call
 *	type.c	derived datatypes: packing, messages, commit
 *	spawn.c	processes that are spawned, ports, names
 *	app.h	kernels of programs, and the time that messages cost them: app*.c
 *	life.c	start, processor time of a waiting rank, memory
 *
 * One measurement:
 *
 *	check | op(1) op(n) .. op(m) | op(m) op(m) op(m) .. op(m) | check
 *	 data |   warm up, calibrate |  `batches' samples         | data
 *
 * where op(n) is n operations and its value the seconds they took.  A sample is the mean of a
 * batch of m; quantiles of the samples are printed.
 *
 * Invariants: only functions of MPI-1 are used outside of win.c, move.c, file.c, file_life.c,
 * app_bare.c, app_task.c and spawn.c; every rank does the same number of operations; rank 0 alone
 * prints.
 */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>

enum {
	BENCH_SAMPLES_MAX = 1000, /* batches of one measurement; more adds nothing to quantiles */
	BENCH_SAMPLES_MIN = 5,    /* fewer have no median worth the name */
	BENCH_QUANTILES = 21,     /* 0, 5, 10 ... 100 % go to the script, which pools the rounds */
	BENCH_TAG = 7,
	TYPE_BYTES = 1 << 24, /* row of a shape: number of the shape * TYPE_BYTES + bytes */
};

/* How a row's seconds become its figure. */
struct bench_unit {
	const char *name;
	double scale; /* figure = scale * seconds / iterations, or when `inverse' ...  */
	int inverse;  /* ... scale * iterations / seconds: more is better */
};

struct bench {
	int rank, size;
	double total; /* seconds that the samples together should take */
	double batch; /* seconds of one sample */
	int limit;    /* seconds after which rank 0 gives up with a lower bound; 0: never */
};

/* One row: run() measures and prints; `arg' is what its name stands for (bytes, receives). */
struct bench_row {
	const char *name;
	void (*run)(struct bench *b, const struct bench_row *row);
	size_t arg;
	int pair; /* needs exactly two ranks */
};

/* n operations; returns the seconds they took on this rank (from MPI_Wtime). */
typedef double bench_op(struct bench *b, void *ctx, long n);

/*
 * bench_measure - warm up, calibrate, take the samples and, on rank 0, print the row's line.
 * `mean' != 0: a sample is the mean over the ranks, else rank 0's time.  Collective.
 * Returns the median on rank 0 (0 elsewhere).
 */
double bench_measure(struct bench *b, const char *name, const struct bench_unit *unit, bench_op *op,
	void *ctx, int mean);

/* bench_print - rank 0's line of a row that has one figure. */
void bench_print(const struct bench *b, const char *name, const char *unit, double value);

/* bench_samples - rank 0's line of a distribution: v[n], which is sorted, of figure `name' with a
 * suffix.  Returns the median.  Nothing, and 0, on other ranks. */
double bench_samples(const struct bench *b, const char *name, const char *suffix, const char *unit,
	double *v, int n);

/* bench_fail - says what went wrong and ends the job.  Does not return. */
_Noreturn void bench_fail(const struct bench *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* bench_alloc - page-aligned memory, touched.  Owner: the caller, free(). */
void *bench_alloc(const struct bench *b, size_t bytes);

/* The pattern of a buffer: every byte depends on its place and on `seed'. */
void bench_fill(void *buf, size_t bytes, unsigned seed);
void bench_check(
	const struct bench *b, const void *buf, size_t bytes, unsigned seed, const char *what);

/* The current wait of rank 0, for the alarm: since when (MPI_Wtime), and how many operations. */
void bench_clock_start(double now, long n);
/*
 * bench_alarm_begin - after b->limit seconds rank 0 prints a lower bound for `name' and exits.
 * bench_alarm_end - takes that back.  A rank that lives much longer than the limit is still ended
 * by the alarm: a benchmark leaves no process behind, whatever the library does.
 */
void bench_alarm_begin(const struct bench *b, const char *name);
void bench_alarm_end(const struct bench *b);

void lat_pingpong(struct bench *b, const struct bench_row *row);
void lat_rate(struct bench *b, const struct bench_row *row);
void lat_stream(struct bench *b, const struct bench_row *row);
void lat_posted(struct bench *b, const struct bench_row *row);

void spawn_start(struct bench *b, const struct bench_row *row);
void spawn_first(struct bench *b, const struct bench_row *row);
void spawn_local(struct bench *b, const struct bench_row *row);
void spawn_connect(struct bench *b, const struct bench_row *row);
void spawn_names(struct bench *b, const struct bench_row *row);
void spawn_child(struct bench *b, const struct bench_row *row);

void coll_barrier(struct bench *b, const struct bench_row *row);
void coll_ibarrier(struct bench *b, const struct bench_row *row);
void coll_bcast(struct bench *b, const struct bench_row *row);
void coll_allreduce(struct bench *b, const struct bench_row *row);
void coll_allgather(struct bench *b, const struct bench_row *row);
void coll_alltoall(struct bench *b, const struct bench_row *row);
void coll_alltoallv(struct bench *b, const struct bench_row *row);
void coll_allgatherv(struct bench *b, const struct bench_row *row);
void coll_reduce_scatter(struct bench *b, const struct bench_row *row);

void neighbor_ring(struct bench *b, const struct bench_row *row);
void neighbor_halo(struct bench *b, const struct bench_row *row);

void type_shape(struct bench *b, const struct bench_row *row);
void type_commit(struct bench *b, const struct bench_row *row);
void type_call(struct bench *b, const struct bench_row *row);

void prof_call(struct bench *b, const struct bench_row *row);

void win_fence(struct bench *b, const struct bench_row *row);
void win_pscw(struct bench *b, const struct bench_row *row);
void win_lock(struct bench *b, const struct bench_row *row);
void win_queue(struct bench *b, const struct bench_row *row);

void move_put(struct bench *b, const struct bench_row *row);
void move_copy(struct bench *b, const struct bench_row *row);
void move_get(struct bench *b, const struct bench_row *row);
void move_acc(struct bench *b, const struct bench_row *row);
void move_fop(struct bench *b, const struct bench_row *row);
void move_new(struct bench *b, const struct bench_row *row);

void file_write(struct bench *b, const struct bench_row *row);
void file_read(struct bench *b, const struct bench_row *row);
void file_blocks(struct bench *b, const struct bench_row *row);
void file_blocks_read(struct bench *b, const struct bench_row *row);
void file_holes(struct bench *b, const struct bench_row *row);
void file_cube(struct bench *b, const struct bench_row *row);
void file_cube_read(struct bench *b, const struct bench_row *row);
void file_memory(struct bench *b, const struct bench_row *row);
void file_small_write(struct bench *b, const struct bench_row *row);
void file_small_read(struct bench *b, const struct bench_row *row);
void file_views(struct bench *b, const struct bench_row *row);
void file_shared(struct bench *b, const struct bench_row *row);
void file_ordered(struct bench *b, const struct bench_row *row);
void file_life(struct bench *b, const struct bench_row *row);
void file_reserve(struct bench *b, const struct bench_row *row);
void file_end(struct bench *b, const struct bench_row *row);
void file_equal(struct bench *b, const struct bench_row *row);
void file_long(struct bench *b, const struct bench_row *row);
void file_view_list(struct bench *b, const struct bench_row *row);
void file_view_huge(struct bench *b, const struct bench_row *row);
void file_atomic(struct bench *b, const struct bench_row *row);
void file_over(struct bench *b, const struct bench_row *row);
void file_over_all(struct bench *b, const struct bench_row *row);
void file_over_idle(struct bench *b, const struct bench_row *row);

void app_cg(struct bench *b, const struct bench_row *row);
void app_fft(struct bench *b, const struct bench_row *row);
void app_sort(struct bench *b, const struct bench_row *row);
void app_wave(struct bench *b, const struct bench_row *row);
void app_halo(struct bench *b, const struct bench_row *row);
void app_master(struct bench *b, const struct bench_row *row);
void app_pool(struct bench *b, const struct bench_row *row);

void over_part(struct bench *b, const struct bench_row *row);

void comm_dup(struct bench *b, const struct bench_row *row);

void life_wait(struct bench *b, const struct bench_row *row);
void life_memory(struct bench *b, const struct bench_row *row);
void life_first(struct bench *b, const struct bench_row *row);
void life_start(struct bench *b, const struct bench_row *row);

#endif
