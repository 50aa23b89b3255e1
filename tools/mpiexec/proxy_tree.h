// SPDX-License-Identifier: BSD-3-Clause
/* proxy_tree.h - the proxies below this process, and the frames that pass through it.
 *
 *            mpiexec  (node 0)
 *            /      \
 *        node 1    node 2        node k is the proxy of host plan->order[k-1]; its children are
 *        /    \                  k * fanout + 1 .. k * fanout + fanout
 *    node 3  node 4                hosts that are added later: children of node 0
 *
 * Frames go down to one host or to all.  Frames of children go up by a callback; in a proxy it
 * sends them to its own parent.  A child is lost if its command ends, its link breaks, or it is
 * silent. Then UP_LOST of its host is sent up; all hosts behind it are lost, too. */
#ifndef HAFT_TOOLS_MPIEXEC_PROXY_TREE_H
#define HAFT_TOOLS_MPIEXEC_PROXY_TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "tools/mpiexec/link.h"
#include "tools/mpiexec/job_plan.h"

#define TREE_FANOUT 32    /* children of one process; one launcher command each */
#define START_MS    30000 /* ms for a proxy to say hello */
#define WORDS_MS    300   /* ms for the last output of a command that has ended */
#define ENDING_MS   3000  /* ms for a command that has closed its output to end */
#define BYE_MS      2000  /* ms for proxies and their commands to end by themselves */

/* One child. */
struct proxy_child {
	int host, node;
	pid_t pid; /* pid of the launcher's command; 0: it has ended, or was never started */
	int err;   /* its stderr; -1: closed */
	struct marshal line; /* unfinished line of its stderr */
	struct proxy_link link;
	bool dead;         /* its link is closed */
	bool said;         /* UP_LOST was sent, or is not needed */
	bool ended;        /* the command has ended; `status' is valid */
	int status;        /* as of waitpid */
	uint64_t begun_ns; /* time of its start */
	uint64_t dead_ns;  /* time when its link was closed */
};

struct proxy_tree {
	const struct plan *plan;
	int node; /* node of this process */
	struct proxy_child *child;
	int n;
	int epfd;
	bool bye;          /* FRAME_BYE was sent: children that end now are not lost */
	bool fresh;        /* frames were put since tree_write: no event tells of them */
	uint64_t clock_ns; /* time of the last tree_clock */
	uint64_t nframes;  /* that children have sent, without pings */
	link_take_fn *up;
	void *arg;
};

/* Initializes the tree at node `node'.  up(arg, ...) receives every frame from below except
 * pings; those of an UP_GATHERED one by one. */
void tree_init(struct proxy_tree *t, const struct plan *p, int node, link_take_fn *up, void *arg);

/* Starts the children and sends them `conf', the content of FRAME_CONF. */
void tree_start(struct proxy_tree *t, const struct marshal *conf);

/* The root's: adds a host that has come to the plan, or starts the proxy of a lost one again.  Not
 * from inside up(). */
void tree_add(struct proxy_tree *t, int host, const struct marshal *conf, uint64_t now);

/* Sends a frame to f->host and those on the way; -1: to all.  FRAME_END and SIGKILL also end
 * launcher commands whose proxies have not said hello. */
void tree_down(struct proxy_tree *t, const struct proxy_frame *f, const void *v);

/* tree_fd: poll for POLLIN, then tree_work.  Call tree_clock at least every HEARTBEAT_MS.  Both
 * may call up(). */
int tree_fd(const struct proxy_tree *t);
void tree_work(struct proxy_tree *t, uint64_t now);
void tree_clock(struct proxy_tree *t, uint64_t now);
void tree_write(struct proxy_tree *t, uint64_t now);

/* Handles the end of a child process.  Returns false if it is not one of the tree. */
bool tree_reap(struct proxy_tree *t, pid_t pid, int status);

/* True if all children and their commands have ended. */
bool tree_over(const struct proxy_tree *t);

/* True if `host' is at or behind `top'. */
bool tree_behind(const struct plan *p, int host, int top);

/* Kills remaining commands and closes everything. */
void tree_fini(struct proxy_tree *t);

#endif
