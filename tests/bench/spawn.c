// SPDX-License-Identifier: BSD-3-Clause
/*
 * spawn.c - processes that are started and connected while others run.
 *
 *	spawn	MPI_Comm_spawn of n processes until the first message of each has come
 *	connect	MPI_Comm_accept and MPI_Comm_connect of two ranks, and the disconnect
 *	names	MPI_Publish_name, MPI_Lookup_name, MPI_Unpublish_name
 *	child	one way to a spawned process, x one way to a rank of MPI_COMM_WORLD
 *
 * A spawned process runs the row `child'.
 */
#include "tests/bench/bench.h"
#include "tests/bench/pin.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROUNDS = 9, TURN_BATCH = 4000, WORD_STOP = -1 };

static const struct bench_unit us = {"us", 1e6, 0};

static int double_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double spawn_median(double *v, int n)
{
	qsort(v, (size_t)n, sizeof(*v), double_compare);
	return v[n / 2];
}

static MPI_Comm children_start(struct bench *b, int n)
{
	static char self[4096];
	char *words[] = {(char *)"child", NULL};
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	MPI_Comm children;

	if (len < 0)
		bench_fail(b, "no /proc/self/exe");
	MPI_Comm_spawn(
		self, words, n, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
	return children;
}

static void children_end(MPI_Comm children, int n)
{
	int word = WORD_STOP;

	for (int i = 0; i < n; i++)
		MPI_Send(&word, 1, MPI_INT, i, BENCH_TAG, children);
	MPI_Comm_disconnect(&children);
}

/* Sends what comes back, until the first word says stop. */
static void spawn_echo(MPI_Comm c)
{
	static int buf[65536 / sizeof(int)];
	MPI_Status s;
	int bytes;

	do {
		MPI_Recv(buf, sizeof(buf), MPI_BYTE, 0, BENCH_TAG, c, &s);
		MPI_Get_count(&s, MPI_BYTE, &bytes);
		if (buf[0] != WORD_STOP)
			MPI_Send(buf, bytes, MPI_BYTE, 0, BENCH_TAG, c);
	} while (buf[0] != WORD_STOP);
}

void spawn_child(struct bench *b, const struct bench_row *row)
{
	MPI_Comm parent;

	(void)row;
	MPI_Comm_get_parent(&parent);
	if (parent == MPI_COMM_NULL)
		return; /* all rows are measured */
	MPI_Send(&b->rank, 1, MPI_INT, 0, BENCH_TAG, parent);
	pin_to_nth(1); /* where rank 1 is as well, if there are two processors */
	spawn_echo(parent);
	MPI_Comm_disconnect(&parent);
}

static double spawn_once(struct bench *b, int n)
{
	double t0 = MPI_Wtime();
	MPI_Comm children = children_start(b, n);
	int word;

	for (int i = 0; i < n; i++)
		MPI_Recv(&word, 1, MPI_INT, i, BENCH_TAG, children, MPI_STATUS_IGNORE);
	t0 = MPI_Wtime() - t0;
	children_end(children, n);
	return t0;
}

void spawn_start(struct bench *b, const struct bench_row *row)
{
	int n = (int)row->arg, rounds = n > 8 ? 3 : 7;
	double v[8];

	if (b->rank > 0)
		return;
	for (int i = 0; i < rounds; i++)
		v[i] = spawn_once(b, n);
	bench_print(b, row->name, "ms", spawn_median(v, rounds) * 1e3);
}

void spawn_first(struct bench *b, const struct bench_row *row)
{
	if (b->rank == 0)
		bench_print(b, row->name, "ms", spawn_once(b, (int)row->arg) * 1e3);
}

static double connect_op(struct bench *b, void *ctx, long n)
{
	double t0 = MPI_Wtime();
	MPI_Comm c;

	for (long i = 0; i < n; i++) {
		if (b->rank == 0)
			MPI_Comm_accept(ctx, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c);
		else
			MPI_Comm_connect(ctx, MPI_INFO_NULL, 0, MPI_COMM_SELF, &c);
		MPI_Comm_disconnect(&c);
	}
	return MPI_Wtime() - t0;
}

void spawn_connect(struct bench *b, const struct bench_row *row)
{
	char port[MPI_MAX_PORT_NAME] = "";

	if (b->rank == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, sizeof(port), MPI_CHAR, 0, MPI_COMM_WORLD);
	bench_measure(b, row->name, &us, connect_op, port, 0);
	if (b->rank == 0)
		MPI_Close_port(port);
}

static double names_op(struct bench *b, void *ctx, long n)
{
	char found[MPI_MAX_PORT_NAME], name[64];
	double t0 = MPI_Wtime();

	snprintf(name, sizeof(name), "bench %d", (int)getpid());
	for (long i = 0; i < n && b->rank == 0; i++) {
		MPI_Publish_name(name, MPI_INFO_NULL, ctx);
		MPI_Lookup_name(name, MPI_INFO_NULL, found);
		MPI_Unpublish_name(name, MPI_INFO_NULL, ctx);
	}
	return MPI_Wtime() - t0;
}

void spawn_names(struct bench *b, const struct bench_row *row)
{
	char port[MPI_MAX_PORT_NAME] = "a port";

	bench_measure(b, row->name, &us, names_op, port, 0);
}

static double spawn_one_way(int bytes, int to, MPI_Comm c)
{
	static int buf[65536 / sizeof(int)];
	double t0 = MPI_Wtime();

	for (int i = 0; i < TURN_BATCH; i++) {
		MPI_Send(buf, bytes, MPI_BYTE, to, BENCH_TAG, c);
		MPI_Recv(buf, bytes, MPI_BYTE, to, BENCH_TAG, c, MPI_STATUS_IGNORE);
	}
	return (MPI_Wtime() - t0) / TURN_BATCH / 2;
}

void spawn_local(struct bench *b, const struct bench_row *row)
{
	double to_child[ROUNDS], to_rank[ROUNDS];
	int word = 0, bytes = (int)row->arg;
	MPI_Comm child;

	if (b->rank > 0) {
		spawn_echo(MPI_COMM_WORLD);
		return;
	}
	child = children_start(b, 1);
	MPI_Recv(&word, 1, MPI_INT, 0, BENCH_TAG, child, MPI_STATUS_IGNORE);
	for (int i = 0; i < ROUNDS; i++) {
		to_rank[i] = spawn_one_way(bytes, 1, MPI_COMM_WORLD);
		to_child[i] = spawn_one_way(bytes, 0, child);
	}
	word = WORD_STOP;
	MPI_Send(&word, 1, MPI_INT, 1, BENCH_TAG, MPI_COMM_WORLD);
	children_end(child, 1);
	bench_print(
		b, row->name, "x", spawn_median(to_child, ROUNDS) / spawn_median(to_rank, ROUNDS));
}
