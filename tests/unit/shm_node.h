// SPDX-License-Identifier: BSD-3-Clause
/* shm_node.h - for tests of libshm: a job of forked processes on one segment.
 *
 * node_run forks one process a rank; each attaches and runs `fn'.  A failed CHECK in a process says
 * where and ends it; the test fails if any process failed or took too long. */
#ifndef TESTS_UNIT_NODE_H
#define TESTS_UNIT_NODE_H

#include <pthread.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>
#include "libshm/shm.h"
#include "tests/check_true.h"

#define NODE_SECONDS 300 /* then a process is stuck */

__attribute__((noreturn)) static inline void check_broken(
	const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	_exit(1);
}

typedef void node_fn(struct shm *s, void *arg);

static inline double node_now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline void node_rank(int fd, int rank, node_fn *fn, void *arg)
{
	struct shm_seg *seg;
	struct shm *s;

	alarm(NODE_SECONDS);
	CHECK(shm_seg_open(fd, &seg) == 0);
	CHECK(shm_attach(seg, rank, &s) == 0);
	fn(s, arg);
	shm_detach(s);
	shm_seg_close(seg);
	_exit(0);
}

static inline void node_start(struct shm_seg *seg, int rank, node_fn *fn, void *arg, pid_t *pid)
{
	*pid = fork();
	assert_true(*pid >= 0);
	if (*pid == 0)
		node_rank(shm_seg_fd(seg), rank, fn, arg);
}

static inline void node_join(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* Runs `fn' in all ranks of a segment made with `opts'. */
static inline void node_run_opts(const struct shm_opts *opts, node_fn *fn, void *arg)
{
	struct shm_seg *seg;
	pid_t *pid = calloc((size_t)opts->nranks, sizeof(*pid));

	assert_int_equal(shm_seg_create(opts, &seg), 0);
	for (int i = 0; i < opts->nranks; i++)
		node_start(seg, i, fn, arg, &pid[i]);
	for (int i = 0; i < opts->nranks; i++)
		node_join(pid[i]);
	shm_seg_close(seg);
	free(pid);
}

static inline void node_run(int nranks, node_fn *fn, void *arg)
{
	const struct shm_opts opts = {.nranks = nranks};

	node_run_opts(&opts, fn, arg);
}

/* As node_run, with threads of this process as ranks, each with a mapping of its own, so that
 * ThreadSanitizer sees both ends. */
struct node_thread {
	int fd, rank;
	node_fn *fn;
	void *arg;
	pthread_t id;
};

static inline void *node_thread(void *arg)
{
	struct node_thread *t = arg;
	struct shm_seg *seg;
	struct shm *s;

	CHECK(shm_seg_open(t->fd, &seg) == 0);
	CHECK(shm_attach(seg, t->rank, &s) == 0);
	t->fn(s, t->arg);
	shm_detach(s);
	shm_seg_close(seg);
	return NULL;
}

static inline void node_run_threads(int nranks, node_fn *fn, void *arg)
{
	const struct shm_opts opts = {.nranks = nranks};
	struct node_thread *t = calloc((size_t)nranks, sizeof(*t));
	struct shm_seg *seg;

	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	for (int i = 0; i < nranks; i++) {
		t[i] = (struct node_thread){shm_seg_fd(seg), i, fn, arg, 0};
		assert_int_equal(pthread_create(&t[i].id, NULL, node_thread, &t[i]), 0);
	}
	for (int i = 0; i < nranks; i++)
		pthread_join(t[i].id, NULL);
	shm_seg_close(seg);
	free(t);
}

/* A deterministic random number. */
static inline uint32_t node_random(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(*state >> 33);
}

/* Waits for all ranks by a counter and a release flag at the segment's job area. */
struct node_gate {
	_Atomic uint32_t in;
	uint8_t pad[60];
	struct shm_flag out;
};

static inline void node_gate(struct shm *s)
{
	struct node_gate *g = shm_seg_job(s->seg);
	uint32_t n = (uint32_t)s->nranks, mine = atomic_fetch_add(&g->in, 1);

	if ((mine + 1) % n == 0)
		shm_flag_set(s, &g->out, (mine + 1) / n);
	else
		CHECK(shm_flag_wait(s, &g->out, mine / n + 1, SHM_FLAG_LATER, NULL, NULL, NULL) ==
			0);
}

#endif
