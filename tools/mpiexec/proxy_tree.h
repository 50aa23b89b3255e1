// SPDX-License-Identifier: BSD-3-Clause
/* proxy_tree.h - the agents below this process, and the frames that pass through it.
 *
 *            mpiexec  (node 0)
 *            /      \
 *        node 1    node 2        node k is the agent of host plan->order[k-1]; its children are
 *        /    \                  k * fanout + 1 .. k * fanout + fanout
 *    node 3  node 4
 *
 * Frames go down to one host or to all; frames of children come up by a callback, which in an agent
 * passes them on to its own parent.  A child that is lost (its command ends, its link breaks, it is
 * silent) becomes UP_LOST of its host: who gets that knows that all behind it are lost, too. */
#ifndef HAFT_TOOLS_MPIEXEC_PROXY_TREE_H
#define HAFT_TOOLS_MPIEXEC_PROXY_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "tools/mpiexec/link.h"
#include "tools/mpiexec/job_plan.h"

#define TREE_FANOUT 32    /* links of one process; a command like ssh for each */
#define START_MS    30000 /* for an agent to say hello */
#define WORDS_MS    300   /* for the last words of a command that has ended */
#define ENDING_MS   3000  /* for a command that has closed its output to end, and say how */
#define BYE_MS      2000  /* for agents and their commands to end by themselves */

/* One child. */
struct branch {
	int host, node;
	pid_t pid;        /* of the launcher's command; 0: has ended, or was never there */
	int err;          /* its stderr; -1: closed */
	struct pack line; /* of it, unfinished */
	struct link link;
	bool dead;         /* its link is closed */
	bool said;         /* UP_LOST was sent, or need not be */
	bool ended;        /* the command has; `status' holds */
	int status;        /* as of waitpid */
	uint64_t begun_ns; /* when it was started */
	uint64_t dead_ns;  /* when its link was closed */
};

struct tree {
	const struct plan *plan;
	int node; /* of this process */
	struct branch *b;
	int n;
	int epfd;
	bool bye;          /* the end was said: what ends now is not lost */
	uint64_t clock_ns; /* of the last tree_clock */
	link_take_fn *up;
	void *arg;
};

/* Begins at node `node' of the tree that the plan describes.  up(arg, ...) gets every frame from
 * below but pings. */
void tree_init(struct tree *t, const struct plan *p, int node, link_take_fn *up, void *arg);

/* Starts the children and sends them `conf' (FRAME_CONF's content, which is the same for all). */
void tree_start(struct tree *t, const struct pack *conf);

/* Sends a frame down to f->host (-1: all below).  FRAME_END, and SIGKILL, go also to the commands
 * whose agents have not said hello. */
void tree_down(struct tree *t, const struct frame *f, const void *v);

/* To be polled for POLLIN, then tree_work; tree_clock at least every HEART_MS.  Both may call up().
 */
int tree_fd(const struct tree *t);
void tree_work(struct tree *t, uint64_t now);
void tree_clock(struct tree *t, uint64_t now);
void tree_write(struct tree *t, uint64_t now);

/* A child process has ended.  False: it was none of ours. */
bool tree_reap(struct tree *t, pid_t pid, int status);

/* All children and their commands have ended. */
bool tree_over(const struct tree *t);

/* True if `host' is at `top' or behind it. */
bool tree_behind(const struct plan *p, int host, int top);

/* Kills the commands that have not ended and closes everything. */
void tree_fini(struct tree *t);

#endif
