// SPDX-License-Identifier: BSD-3-Clause
/*
 * lat.c - two ranks: latency, message rate, bandwidth, and the cost of posted receives.
 *
 *	ping-pong	0 --msg--> 1 --msg--> 0		figure: half of a round trip
 *	rate		0 ==WINDOW x 8 B==> 1 --ack--> 0	figure: messages a second
 *	stream		0 ==WINDOW x 4 MiB==> 1 --ack--> 0	figure: bytes a second, out of one
 *			buffer and into one: the speed of the memory is left out
 *	posted		the ping-pong past N receives that wait for other tags
 *
 * Every message is checked where that costs nothing (its first and last words carry the number of
 * the round), every byte is checked in rounds before and after the clock runs.  Both sides use two
 * buffers, one to send and one to receive.  No two pending receives share memory, as MPI wants it:
 * that is why the stream is received one message after the other.
 */
#include "tests/bench/bench.h"

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	RATE_WINDOW = 64,
	STREAM_WINDOW = 16,
	CHECK_ROUNDS = 3,
	POSTED_TAG = 100, /* tags POSTED_TAG + i; the smallest MPI_TAG_UB is 32767 */
};

static const struct bench_unit one_way = {"us", 1e6 / 2, 0};
static const struct bench_unit rate = {"M/s", RATE_WINDOW / 1e6, 1};

struct pair {
	char *out, *in;
	size_t bytes;
	uint64_t round;
	int peer;
};

static void pair_init(struct bench *b, struct pair *p, size_t bytes, int window)
{
	p->bytes = bytes;
	p->round = 0;
	p->peer = 1 - b->rank;
	p->out = bench_alloc(b, bytes * (size_t)window);
	p->in = bench_alloc(b, bytes * (size_t)window);
}

static void pair_fini(struct pair *p)
{
	free(p->out);
	free(p->in);
}

static void stamp(char *buf, size_t bytes, uint64_t round)
{
	memcpy(buf, &round, sizeof(round));
	memcpy(buf + bytes - sizeof(round), &round, sizeof(round));
}

static void lat_verify(const struct bench *b, const char *buf, size_t bytes, uint64_t round)
{
	uint64_t first, last;

	memcpy(&first, buf, sizeof(first));
	memcpy(&last, buf + bytes - sizeof(last), sizeof(last));
	if (first != round || last != round)
		bench_fail(b, "round %llu: got %llu .. %llu", (unsigned long long)round,
			(unsigned long long)first, (unsigned long long)last);
}

/* One way and back; the answer is rank 1's own buffer with the number it received. */
static double lat_echo(struct bench *b, void *ctx, long n)
{
	struct pair *p = ctx;
	int bytes = (int)p->bytes;
	double t0 = MPI_Wtime();

	for (long i = 0; i < n; i++) {
		p->round++;
		stamp(p->out, p->bytes, p->round);
		if (b->rank == 0)
			MPI_Send(p->out, bytes, MPI_BYTE, p->peer, BENCH_TAG, MPI_COMM_WORLD);
		MPI_Recv(p->in, bytes, MPI_BYTE, p->peer, BENCH_TAG, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		lat_verify(b, p->in, p->bytes, p->round);
		if (b->rank == 1)
			MPI_Send(p->out, bytes, MPI_BYTE, p->peer, BENCH_TAG, MPI_COMM_WORLD);
	}
	return MPI_Wtime() - t0;
}

/* Every byte, in both directions, and the status. */
static void pingpong_check(struct bench *b, struct pair *p)
{
	int bytes = (int)p->bytes, got = -1;
	MPI_Status st;

	for (unsigned seed = 1; seed <= CHECK_ROUNDS; seed++) {
		bench_fill(p->out, p->bytes, seed + (unsigned)b->rank);
		memset(p->in, 0, p->bytes);
		if (b->rank == 0)
			MPI_Send(p->out, bytes, MPI_BYTE, p->peer, BENCH_TAG, MPI_COMM_WORLD);
		MPI_Recv(p->in, bytes, MPI_BYTE, p->peer, BENCH_TAG, MPI_COMM_WORLD, &st);
		if (b->rank == 1)
			MPI_Send(p->out, bytes, MPI_BYTE, p->peer, BENCH_TAG, MPI_COMM_WORLD);
		MPI_Get_count(&st, MPI_BYTE, &got);
		if (got != bytes || st.MPI_SOURCE != p->peer || st.MPI_TAG != BENCH_TAG)
			bench_fail(b, "status: %d bytes from %d with tag %d", got, st.MPI_SOURCE,
				st.MPI_TAG);
		bench_check(b, p->in, p->bytes, seed + (unsigned)p->peer, "ping-pong");
	}
}

void lat_pingpong(struct bench *b, const struct bench_row *row)
{
	struct pair p;

	pair_init(b, &p, row->arg, 1);
	pingpong_check(b, &p);
	bench_measure(b, row->name, &one_way, lat_echo, &p, 0);
	pingpong_check(b, &p);
	pair_fini(&p);
}

/* After a window one word comes back: the number of the window. */
static void acknowledged(struct bench *b, struct pair *p)
{
	uint64_t ack = 0;

	MPI_Recv(
		&ack, sizeof(ack), MPI_BYTE, p->peer, BENCH_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (ack != p->round)
		bench_fail(b, "window %llu was answered as %llu", (unsigned long long)p->round,
			(unsigned long long)ack);
}

static void acknowledge(struct pair *p)
{
	MPI_Send(&p->round, sizeof(p->round), MPI_BYTE, p->peer, BENCH_TAG, MPI_COMM_WORLD);
}

/* A window of messages, each with its own buffer and number. */
static void rate_send(struct bench *b, struct pair *p)
{
	MPI_Request req[RATE_WINDOW];

	for (int w = 0; w < RATE_WINDOW; w++) {
		char *buf = p->out + (size_t)w * p->bytes;
		stamp(buf, p->bytes, p->round + (uint64_t)w);
		MPI_Isend(
			buf, (int)p->bytes, MPI_BYTE, p->peer, BENCH_TAG, MPI_COMM_WORLD, &req[w]);
	}
	MPI_Waitall(RATE_WINDOW, req, MPI_STATUSES_IGNORE);
	acknowledged(b, p);
}

static void rate_receive(struct bench *b, struct pair *p)
{
	MPI_Request req[RATE_WINDOW];

	for (int w = 0; w < RATE_WINDOW; w++)
		MPI_Irecv(p->in + (size_t)w * p->bytes, (int)p->bytes, MPI_BYTE, p->peer, BENCH_TAG,
			MPI_COMM_WORLD, &req[w]);
	MPI_Waitall(RATE_WINDOW, req, MPI_STATUSES_IGNORE);
	for (int w = 0; w < RATE_WINDOW; w++)
		lat_verify(b, p->in + (size_t)w * p->bytes, p->bytes, p->round + (uint64_t)w);
	acknowledge(p);
}

static double rate_op(struct bench *b, void *ctx, long n)
{
	struct pair *p = ctx;
	double t0 = MPI_Wtime();

	for (long i = 0; i < n; i++) {
		p->round += RATE_WINDOW;
		if (b->rank == 0)
			rate_send(b, p);
		else
			rate_receive(b, p);
	}
	return MPI_Wtime() - t0;
}

/* One buffer is sent WINDOW times at once, and received WINDOW times, one after the other. */
static void stream_send(struct bench *b, struct pair *p)
{
	MPI_Request req[STREAM_WINDOW];

	stamp(p->out, p->bytes, p->round);
	for (int w = 0; w < STREAM_WINDOW; w++)
		MPI_Isend(p->out, (int)p->bytes, MPI_BYTE, p->peer, BENCH_TAG, MPI_COMM_WORLD,
			&req[w]);
	MPI_Waitall(STREAM_WINDOW, req, MPI_STATUSES_IGNORE);
	acknowledged(b, p);
}

static void stream_receive(struct bench *b, struct pair *p)
{
	for (int w = 0; w < STREAM_WINDOW; w++) {
		MPI_Recv(p->in, (int)p->bytes, MPI_BYTE, p->peer, BENCH_TAG, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		lat_verify(b, p->in, p->bytes, p->round);
	}
	acknowledge(p);
}

static double stream_op(struct bench *b, void *ctx, long n)
{
	struct pair *p = ctx;
	double t0 = MPI_Wtime();

	for (long i = 0; i < n; i++) {
		p->round++;
		if (b->rank == 0)
			stream_send(b, p);
		else
			stream_receive(b, p);
	}
	return MPI_Wtime() - t0;
}

void lat_rate(struct bench *b, const struct bench_row *row)
{
	struct pair p;

	pair_init(b, &p, row->arg, RATE_WINDOW);
	bench_measure(b, row->name, &rate, rate_op, &p, 0);
	pair_fini(&p);
}

void lat_stream(struct bench *b, const struct bench_row *row)
{
	const struct bench_unit gbs = {"GB/s", STREAM_WINDOW * (double)row->arg / 1e9, 1};
	struct pair p;

	pair_init(b, &p, row->arg, 1);
	pingpong_check(b, &p);
	bench_measure(b, row->name, &gbs, stream_op, &p, 0);
	pingpong_check(b, &p);
	pair_fini(&p);
}

/* The receives that wait: each gets its own word, so that the end can tell them apart. */
static void posted_release(struct bench *b, int n, int peer, uint64_t *word, MPI_Request *req)
{
	for (int i = n - 1; i >= 0; i--) {
		uint64_t w = (uint64_t)i * 3 + 1;
		MPI_Send(&w, sizeof(w), MPI_BYTE, peer, POSTED_TAG + i, MPI_COMM_WORLD);
	}
	MPI_Waitall(n, req, MPI_STATUSES_IGNORE);
	for (int i = 0; i < n; i++)
		if (word[i] != (uint64_t)i * 3 + 1)
			bench_fail(b, "posted receive %d got %llu", i, (unsigned long long)word[i]);
}

void lat_posted(struct bench *b, const struct bench_row *row)
{
	int n = (int)row->arg;
	uint64_t *word = bench_alloc(b, (size_t)n * sizeof(*word));
	MPI_Request *req = bench_alloc(b, (size_t)n * sizeof(*req));
	char base_name[32], added_name[32];
	struct pair p;

	snprintf(base_name, sizeof(base_name), "%s.base", row->name);
	snprintf(added_name, sizeof(added_name), "%s.add", row->name);
	pair_init(b, &p, sizeof(uint64_t), 1);
	double base = bench_measure(b, base_name, &one_way, lat_echo, &p, 0);
	for (int i = 0; i < n; i++)
		MPI_Irecv(&word[i], sizeof(word[i]), MPI_BYTE, p.peer, POSTED_TAG + i,
			MPI_COMM_WORLD, &req[i]);
	double with = bench_measure(b, row->name, &one_way, lat_echo, &p, 0);
	bench_print(b, added_name, "us", with - base);
	posted_release(b, n, p.peer, word, req);
	pair_fini(&p);
	free(word);
	free(req);
}
