// SPDX-License-Identifier: BSD-3-Clause
/*
 * app_fft.c - a two-dimensional FFT that transposes by MPI_Alltoall, there and back.
 *
 *	rows ── FFT ── transpose ── FFT ── spectrum, transposed ── FFT ── transpose ── FFT ── rows
 *
 * Each rank has `part' rows of SIDE complex numbers; where the ranks do not divide SIDE, the last
 * ones have fewer, and blocks are filled up.  After the way back all is SIDE^2 times the input.
 */
#include "tests/bench/app.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

enum { SIDE = 128, LOG_SIDE = 7 };

static const double ERROR_MAX = 1e-9;

struct fft {
	const struct app *a;
	int part, rows;               /* rows of a rank at most; mine */
	double complex *input, *data; /* rows */
	double complex *out, *in;     /* blocks of part x part, one for each rank */
	double complex root[SIDE / 2];
	int reversed[SIDE]; /* bits */
};

/* In place; sign 1: the conjugate roots. */
static void row_transform(const struct fft *f, double complex *v, int back)
{
	for (int i = 0; i < SIDE; i++)
		if (i < f->reversed[i]) {
			double complex x = v[i];
			v[i] = v[f->reversed[i]];
			v[f->reversed[i]] = x;
		}
	for (int half = 1; half < SIDE; half *= 2)
		for (int i = 0; i < SIDE; i += 2 * half)
			for (int k = 0; k < half; k++) {
				double complex w = f->root[k * (SIDE / 2 / half)];
				double c = creal(w), s = back ? -cimag(w) : cimag(w);
				double complex y = v[i + half + k], x = v[i + k];
				double complex z = CMPLX(
					creal(y) * c - cimag(y) * s, creal(y) * s + cimag(y) * c);
				v[i + k] = x + z;
				v[i + half + k] = x - z;
			}
}

static void transform(const struct fft *f, int back)
{
	for (int i = 0; i < f->rows; i++)
		row_transform(f, f->data + (long)i * SIDE, back);
}

/* Rows become columns. */
static void transpose(const struct fft *f)
{
	int count = f->part * f->part;

	for (int r = 0; r < f->a->size; r++)
		for (int j = 0; j < f->part && r * f->part + j < SIDE; j++)
			for (int i = 0; i < f->rows; i++)
				f->out[(long)r * count + j * f->part + i] =
					f->data[(long)i * SIDE + r * f->part + j];
	if (f->a->silent)
		app_wait_bare(f->a);
	else
		MPI_Alltoall(
			f->out, 2 * count, MPI_DOUBLE, f->in, 2 * count, MPI_DOUBLE, f->a->comm);
	for (int r = 0; r < f->a->size; r++)
		for (int j = 0; j < f->rows; j++)
			for (int i = 0; i < f->part && r * f->part + i < SIDE; i++)
				f->data[(long)j * SIDE + r * f->part + i] =
					f->in[(long)r * count + j * f->part + i];
}

static double fft_run(void *state)
{
	const struct fft *f = state;
	long n = (long)f->rows * SIDE, first = (long)f->a->rank * f->part * SIDE;
	double sum = 0, worst = 0;

	for (long i = 0; i < n; i++)
		f->data[i] = f->input[i];
	transform(f, 0);
	transpose(f);
	transform(f, 0);
	for (long i = 0; i < n; i++)
		sum += cabs(f->data[i]) * (double)(1 + (first + i) % 7);
	transform(f, 1);
	transpose(f);
	transform(f, 1);
	for (long i = 0; i < n; i++)
		worst = fmax(worst, cabs(f->data[i] / (SIDE * SIDE) - f->input[i]));
	if (!f->a->silent && !(worst < ERROR_MAX))
		bench_fail(f->a->b, "FFT: there and back differs by %g", worst);
	return app_sum(f->a, sum);
}

static void *fft_make(const struct app *a)
{
	struct fft *f = bench_alloc(a->b, sizeof(*f));
	long blocks, first;

	f->a = a;
	f->part = (SIDE + a->size - 1) / a->size;
	f->rows = SIDE - a->rank * f->part;
	f->rows = f->rows < 0 ? 0 : f->rows < f->part ? f->rows : f->part;
	blocks = (long)f->part * f->part * a->size;
	first = (long)a->rank * f->part * SIDE;
	f->input = bench_alloc(a->b, (size_t)f->part * SIDE * sizeof(double complex));
	f->data = bench_alloc(a->b, (size_t)f->part * SIDE * sizeof(double complex));
	f->out = bench_alloc(a->b, (size_t)blocks * sizeof(double complex));
	f->in = bench_alloc(a->b, (size_t)blocks * sizeof(double complex));
	for (int i = 0; i < SIDE / 2; i++)
		f->root[i] = cexp(-2 * M_PI * I * i / SIDE);
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < LOG_SIDE; k++)
			f->reversed[i] |= (i >> k & 1) << (LOG_SIDE - 1 - k);
	for (long i = 0; i < (long)f->rows * SIDE; i++)
		f->input[i] = CMPLX(sin((double)(first + i)), cos(3.0 * (double)(first + i)));
	return f;
}

static void fft_drop(void *state)
{
	struct fft *f = state;

	free(f->input);
	free(f->data);
	free(f->out);
	free(f->in);
	free(f);
}

void app_fft(struct bench *b, const struct bench_row *row)
{
	static const struct app_kernel kernel = {fft_make, fft_run, fft_drop, 0};

	app_measure(b, row, &kernel);
}
