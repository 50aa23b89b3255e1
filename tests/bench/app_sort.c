// SPDX-License-Identifier: BSD-3-Clause
/*
 * app_sort.c - a sort by regular samples: sort, choose splitters, exchange, merge.
 *
 *	my keys ── sort ── samples ── MPI_Allgather ── splitters ── MPI_Alltoallv ── merge p runs
 *
 * Merging p runs in pairs takes log2(p) passes, so all ranks together compare as often as one rank
 * alone.  Keys are random; the result is in order, within a rank and from rank to rank, and its
 * sum and number are those of the input.
 */
#include "tests/bench/app.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 32768, SAMPLES = 64 /* of each rank */, SHORT = 12 /* sorted by insertion */ };

struct sort {
	const struct app *a;
	int n; /* keys of mine at first */
	uint64_t *input, *keys, *in, *spare, *samples;
	int *counts, *offsets, *in_counts, *in_offsets; /* by rank */
};

static void merge(uint64_t *to, const uint64_t *x, int nx, const uint64_t *y, int ny)
{
	int i = 0, j = 0;

	while (i < nx && j < ny) {
		int less = y[j] < x[i];
		*to++ = less ? y[j] : x[i];
		i += !less;
		j += less;
	}
	memcpy(to, x + i, (size_t)(nx - i) * sizeof(*x));
	memcpy(to + nx - i, y + j, (size_t)(ny - j) * sizeof(*y));
}

static void insertion(uint64_t *v, int n)
{
	for (int i = 1; i < n; i++) {
		uint64_t x = v[i];
		int j = i;
		for (; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

/* Sorts v, with as much memory beside. */
static void sort_keys(uint64_t *v, uint64_t *spare, int n)
{
	int half = n / 2;

	if (n <= SHORT) {
		insertion(v, n);
		return;
	}
	sort_keys(v, spare, half);
	sort_keys(v + half, spare + half, n - half);
	merge(spare, v, half, v + half, n - half);
	memcpy(v, spare, (size_t)n * sizeof(*v));
}

/* Merges the runs first .. last - 1 of `in', which stand one after the other. */
static void merge_runs(const struct sort *s, int first, int last)
{
	int middle = (first + last) / 2, begin = s->in_offsets[first];
	int mid = s->in_offsets[middle], end = s->in_offsets[last];

	if (last - first < 2)
		return;
	merge_runs(s, first, middle);
	merge_runs(s, middle, last);
	merge(s->spare, s->in + begin, mid - begin, s->in + mid, end - mid);
	memcpy(s->in + begin, s->spare, (size_t)(end - begin) * sizeof(*s->in));
}

/* Samples as of all ranks, without messages: of my keys, as many runs in order. */
static void samples_bare(const struct sort *s)
{
	int n = SAMPLES * s->a->size;

	app_wait_bare(s->a);
	for (int i = 0; i < n; i++)
		s->samples[i] = s->keys[(long)s->n * (i % SAMPLES * s->a->size + i / SAMPLES) / n];
}

/* How many keys go to each rank. */
static void sort_split(const struct sort *s)
{
	int size = s->a->size, n = SAMPLES * size, at = 0;
	uint64_t mine[SAMPLES];

	for (int i = 0; i < SAMPLES; i++)
		mine[i] = s->keys[(long)s->n * i / SAMPLES];
	if (s->a->silent)
		samples_bare(s);
	else
		MPI_Allgather(
			mine, SAMPLES, MPI_UINT64_T, s->samples, SAMPLES, MPI_UINT64_T, s->a->comm);
	sort_keys(s->samples, s->spare, n);
	for (int r = 0; r < size; r++) {
		s->offsets[r] = at;
		while (at < s->n && (r == size - 1 || s->keys[at] < s->samples[(r + 1) * SAMPLES]))
			at++;
		s->counts[r] = at - s->offsets[r];
	}
}

/* Exchanges and merges; returns how many keys this rank has then. */
static int sort_exchange(const struct sort *s)
{
	int size = s->a->size, n = 0;

	MPI_Alltoall(s->counts, 1, MPI_INT, s->in_counts, 1, MPI_INT, s->a->comm);
	for (int r = 0; r < size; r++) {
		s->in_offsets[r] = n;
		n += s->in_counts[r];
	}
	s->in_offsets[size] = n;
	MPI_Alltoallv(s->keys, s->counts, s->offsets, MPI_UINT64_T, s->in, s->in_counts,
		s->in_offsets, MPI_UINT64_T, s->a->comm);
	merge_runs(s, 0, size);
	return n;
}

/* As many comparisons without the exchange: my keys, shared out to as many runs. */
static int exchange_not(const struct sort *s)
{
	int size = s->a->size, n = 0;

	app_wait_bare(s->a);
	app_wait_bare(s->a);
	for (int r = 0; r < size; r++) {
		s->in_offsets[r] = n;
		for (int i = r; i < s->n; i += size)
			s->in[n++] = s->keys[i];
	}
	s->in_offsets[size] = n;
	merge_runs(s, 0, size);
	return n;
}

static double sort_run(void *state)
{
	const struct sort *s = state;
	uint64_t ends[2] = {UINT64_MAX, 0}, left = 0;
	double sum = 0;
	int n, next = s->a->rank + 1 < s->a->size ? s->a->rank + 1 : MPI_PROC_NULL;

	memcpy(s->keys, s->input, (size_t)s->n * sizeof(*s->keys));
	sort_keys(s->keys, s->spare, s->n);
	sort_split(s);
	n = s->a->silent ? exchange_not(s) : sort_exchange(s);
	for (int i = 0; i < n; i++) {
		sum += (double)(s->in[i] >> 20);
		if (i > 0 && s->in[i - 1] > s->in[i])
			bench_fail(s->a->b, "sort: key %d of %d is less than the one before", i, n);
	}
	if (s->a->silent) {
		app_wait_bare(s->a);
		return 0;
	}
	ends[0] = n > 0 ? s->in[0] : UINT64_MAX;
	ends[1] = n > 0 ? s->in[n - 1] : 0;
	MPI_Sendrecv(&ends[1], 1, MPI_UINT64_T, next, BENCH_TAG, &left, 1, MPI_UINT64_T,
		s->a->rank > 0 ? s->a->rank - 1 : MPI_PROC_NULL, BENCH_TAG, s->a->comm,
		MPI_STATUS_IGNORE);
	if (left > ends[0])
		bench_fail(s->a->b, "sort: the rank before has a greater key");
	return app_sum(s->a, sum);
}

static void *sort_make(const struct app *a)
{
	struct sort *s = bench_alloc(a->b, sizeof(*s));
	int first = app_part(KEYS, a->rank, a->size);
	uint64_t **keys[] = {&s->input, &s->keys, &s->in, &s->spare, &s->samples};
	int **ints[] = {&s->counts, &s->offsets, &s->in_counts, &s->in_offsets};

	s->a = a;
	s->n = app_part(KEYS, a->rank + 1, a->size) - first;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		*keys[i] =
			bench_alloc(a->b, (size_t)(KEYS + SAMPLES * a->size) * sizeof(**keys[i]));
	for (size_t i = 0; i < sizeof(ints) / sizeof(ints[0]); i++)
		*ints[i] = bench_alloc(a->b, (size_t)(a->size + 1) * sizeof(**ints[i]));
	for (int i = 0; i < s->n; i++) {
		uint64_t x = (uint64_t)(first + i + 1) * UINT64_C(0x9e3779b97f4a7c15);
		x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
		s->input[i] = x ^ x >> 32;
	}
	return s;
}

static void sort_drop(void *state)
{
	struct sort *s = state;
	void *all[] = {s->input, s->keys, s->in, s->spare, s->samples, s->counts, s->offsets,
		s->in_counts, s->in_offsets};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		free(all[i]);
	free(s);
}

void app_sort(struct bench *b, const struct bench_row *row)
{
	static const struct app_kernel kernel = {sort_make, sort_run, sort_drop, 0};

	app_measure(b, row, &kernel);
}
