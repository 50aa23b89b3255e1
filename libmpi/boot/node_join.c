// SPDX-License-Identifier: BSD-3-Clause
/* node_join.c - creates the segment of a node under another launcher (PMI, PMIx).
 *
 *   all:      rank 0 puts "job" = a secret, a key; fence; get "job"
 *   node:     bind an abstract UNIX socket whose name contains the secret: one process succeeds and
 *             is the creator
 *   joiner:   connects, and says its rank; fence
 *   creator:  takes the hellos; fence: now it knows all ranks of its node
 *             One node: makes the segment, and grants its descriptor to each joiner.
 *             Several: tells each joiner so; each rank listens, and says where; the first rank of
 *             the node puts one record of all of them; fence; the creator gets the record of each
 *             node, makes the segment with the map, and grants it to each joiner
 *
 * Decisions
 *  - The launcher carries one value a job and one a node, put by one rank and got by one rank of
 *    each node.  All else goes by the node's socket.
 *  - No other process can bind the name first: only the job knows it until it is bound.  Both sides
 *    check that the other side has the same user id, so reading the name in /proc/net/unix is of no
 *    use to other users.
 *  - Each joiner has one connection, by which all messages go.  The creator needs one descriptor
 *    for each rank of its node, and raises its limit meanwhile.
 *  - The socket goes when this is over, and nothing ever lies in the file system. */
#include "libmpi/boot/node_join.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/listen.h"
#include "libmpi/boot/node_host.h"
#include "libmpi/boot/node_members.h"
#include "libmpi/boot/node_record.h"
#include "libmpi/boot/node_socket.h"
#include "libmpi/core/setting.h"
#include "libshm/shm.h"

#define SEG_FD_MIN 100 /* low numbers are left to the program */

/* This process, for both sides. */
struct join_state {
	struct kvs *k;
	struct node_host host;
	struct job_secret job;
	struct boot_node *out;
};

/* Opens this rank's listening socket; at[] receives its address. */
static int join_listen(struct join_state *j, enum grant_order order, char at[BOOT_ADDR])
{
	const char *iface = haft_setting_text(SETTING_IFACE);
	const char *peer = getenv("SLURM_LAUNCH_NODE_IPADDR"), *why;
	char ip[LISTEN_IP];

	if (order == ORDER_LISTEN_LOOPBACK)
		iface = "127.0.0.1";
	if (peer != NULL && strncmp(peer, "127.", 4) == 0)
		peer = NULL; /* the launcher's own host: other hosts do not reach it there */
	why = boot_listen_where(*iface != '\0' ? iface : NULL, j->host.name, peer, ip);
	if (why != NULL)
		return boot_fail(
			"nowhere to listen on host %s: %s (HAFT_IFACE)", j->host.name, why);
	j->out->listen = boot_listen_open(ip, at, BOOT_ADDR);
	if (j->out->listen < 0)
		return boot_fail("no socket at %s: %s", ip, strerror(errno));
	fcntl(j->out->listen, F_SETFL, O_NONBLOCK);
	return 0;
}

/* --- the creator ---------------------------------------------------------------------------- */

/* The number of CPUs of all ranks of the node.  Launchers bind ranks, so the creator's own CPUs are
 * not all of them; but its cgroup's quota holds for all. */
static int node_cpus(const struct join_state *j, const struct node_members *m)
{
	int mine = 0, all = 0, allowed = shm_cpus();

	for (int i = 0; i < NODE_CPU_WORDS; i++) {
		mine += __builtin_popcountll(j->host.cpu[i]);
		all += __builtin_popcountll(m->cpu[i]);
	}
	return allowed < mine || all == 0 ? allowed : all;
}

/* Makes the segment, with a map if w is not NULL. */
static int node_segment_create(struct join_state *j, const struct node_members *m,
	const struct boot_world *w, int host, int *seat)
{
	struct shm_opts opts = boot_opts(m->n, environ);
	struct boot_node *out = j->out;
	size_t len;
	int err;

	opts.ncpus = node_cpus(j, m);
	opts.map_len = w != NULL ? boot_map_len(w, host) : 0;
	err = shm_seg_create(&opts, &out->seg);
	if (err != 0)
		return boot_fail("no shared memory for %d processes: %s%s%s", m->n,
			shm_error_text(err), err == SHM_SYS ? ": " : "",
			err == SHM_SYS ? strerror(errno) : "");
	if (w != NULL &&
		(opts.map_len == 0 || !boot_map_make(w, host, shm_seg_map(out->seg, &len))))
		return boot_fail("no memory for the map of %d ranks", w->nranks);
	out->fd = shm_seg_fd(out->seg);
	for (int i = 0; i < m->n; i++) {
		struct boot_rank *record = shm_seg_job_rank(out->seg, i);

		/* for the failure detector: a rank may die before it writes its pid */
		atomic_store(&record->pid, m->v[i].pid);
		if (m->v[i].rank == j->k->rank)
			*seat = i;
	}
	return 0;
}

/* Makes the segment of one of several nodes. */
static int node_segment_mapped(struct join_state *j, const struct node_members *m)
{
	struct node_table t;
	int err = boot_node_table_get(j->k, &t);
	struct boot_world w = {.nranks = j->k->size,
		.nhosts = t.nhosts,
		.host_of = t.host_of,
		.addr = (const char *const *)t.addr,
		.names = (const char *const *)t.names,
		.key = j->job.key};

	if (err == 0)
		err = node_segment_create(j, m, &w, t.host_of[j->k->rank], &j->out->seat);
	boot_node_table_free(&t);
	return err;
}

/* Puts the record of the node, or has its first rank do so. */
static int node_publish(struct join_state *j, struct node_members *m)
{
	int *rank = malloc((size_t)m->n * sizeof(*rank)), err = -1;
	char **addr = malloc((size_t)m->n * sizeof(*addr)), *record = NULL;

	for (int i = 0; i < m->n && rank != NULL && addr != NULL; i++) {
		rank[i] = m->v[i].rank;
		addr[i] = m->v[i].addr;
	}
	if (rank != NULL && addr != NULL)
		record = boot_node_record(j->host.name, m->n, rank, addr);
	if (record == NULL)
		err = boot_fail("no memory for the record of %d ranks", m->n);
	else if (rank[0] == j->k->rank)
		err = boot_node_record_put(j->k, record);
	else
		err = boot_members_tell(m, record);
	free(record);
	free(addr);
	free(rank);
	return err;
}

/* All ranks of the node listen, and the job learns where. */
static int node_listen(struct join_state *j, struct node_members *m, enum grant_order order)
{
	char at[BOOT_ADDR];

	if (boot_members_order(m, (struct grant){.order = order}, -1) != 0 ||
		join_listen(j, order, at) != 0)
		return -1;
	for (int i = 0; i < m->n; i++)
		if (m->v[i].rank == j->k->rank)
			m->v[i].addr = strdup(at);
	if (node_publish(j, m) != 0 || boot_kvs_fence(j->k) != 0)
		return -1;
	return node_segment_mapped(j, m);
}

static int node_create(struct join_state *j, struct node_members *m)
{
	int err;

	if (m->n < j->k->size)
		err = node_listen(j, m, ORDER_LISTEN_NETWORK);
	else if (j->job.net)
		err = node_listen(j, m, ORDER_LISTEN_LOOPBACK);
	else
		err = node_segment_create(j, m, NULL, 0, &j->out->seat);
	if (err != 0)
		return -1;
	return boot_members_order(m,
		(struct grant){.order = ORDER_SEGMENT, .cookie = shm_seg_cookie(j->out->seg)},
		j->out->fd);
}

static int creator_run(struct join_state *j, int listener)
{
	struct node_members m;
	struct rlimit files;
	bool limited = getrlimit(RLIMIT_NOFILE, &files) == 0;
	int err;

	if (limited)
		setrlimit(RLIMIT_NOFILE,
			&(struct rlimit){.rlim_cur = files.rlim_max, .rlim_max = files.rlim_max});
	err = boot_members_begin(&m, listener, j->k->rank, j->host.cpu);
	if (err == 0) {
		int fenced = boot_kvs_fence(j->k);

		err = boot_members_end(&m);
		err = fenced != 0 ? fenced : err;
	}
	if (err == 0)
		err = node_create(j, &m);
	boot_members_free(&m);
	if (limited)
		setrlimit(RLIMIT_NOFILE, &files);
	return err;
}

/* --- the joiners ---------------------------------------------------------------------------- */

/* Receives a grant, and its descriptor or -1. */
static int joiner_receive(int fd, struct grant *g, int *seg)
{
	uint64_t end = boot_node_ms() + NODE_JOIN_S * 1000;

	if (!boot_node_readable(fd, end))
		return boot_fail(
			"the process that makes this host's shared memory has not done it in %d s",
			NODE_JOIN_S);
	if (!boot_grant_recv(fd, g, seg) || (*seg >= 0) != (g->order == ORDER_SEGMENT))
		return boot_fail("the process that makes this host's shared memory has given up: "
				 "it says why");
	return 0;
}

/* Says this rank to the creator. */
static int joiner_hello(const struct join_state *j, int fd)
{
	struct node_hello h = {.version = NODE_VERSION, .rank = j->k->rank};
	struct grant g;
	int seg;

	if (boot_node_peer(fd) == 0)
		return boot_fail("another user holds the socket of this host's ranks");
	memcpy(h.cpu, j->host.cpu, sizeof(h.cpu));
	if (send(fd, &h, sizeof(h), MSG_NOSIGNAL) != (ssize_t)sizeof(h))
		return boot_fail("the process that makes this host's shared memory has ended");
	return joiner_receive(fd, &g, &seg);
}

/* Puts the record of the node, which the creator sends. */
static int joiner_publish(const struct join_state *j, int fd)
{
	char *record = NULL;
	ssize_t n = 0;
	int err = -1;

	if (boot_node_readable(fd, boot_node_ms() + NODE_JOIN_S * 1000))
		n = recv(fd, NULL, 0, MSG_PEEK | MSG_TRUNC);
	if (n > 0)
		record = calloc(1, (size_t)n + 1);
	if (record != NULL && recv(fd, record, (size_t)n, 0) == n)
		err = boot_node_record_put(j->k, record);
	else
		boot_fail("the process that makes this host's shared memory has given up: "
			  "it says why");
	free(record);
	return err;
}

/* One of several nodes: listens, says where, and receives the segment. */
static int joiner_listen(struct join_state *j, int fd, struct grant *g, int *seg)
{
	char at[BOOT_ADDR];

	if (join_listen(j, (enum grant_order)g->order, at) != 0)
		return -1;
	if (send(fd, at, strlen(at), MSG_NOSIGNAL) != (ssize_t)strlen(at))
		return boot_fail("the process that makes this host's shared memory has ended");
	if (g->first != 0 && joiner_publish(j, fd) != 0)
		return -1;
	return boot_kvs_fence(j->k) != 0 ? -1 : joiner_receive(fd, g, seg);
}

static int joiner_adopt(const struct grant *g, int fd, struct boot_node *m)
{
	int err;

	m->fd = fcntl(fd, F_DUPFD_CLOEXEC, SEG_FD_MIN);
	if (m->fd >= 0)
		close(fd);
	else
		m->fd = fd;
	err = shm_seg_open(m->fd, &m->seg);
	if (err == 0 && shm_seg_cookie(m->seg) == g->cookie && g->seat < shm_seg_nranks(m->seg)) {
		m->seat = g->seat;
		return 0;
	}
	return boot_fail("this host's shared memory cannot be mapped: %s",
		shm_error_text(err != 0 ? err : SHM_BAD));
}

static int joiner_run(struct join_state *j, int fd)
{
	struct grant g = {0};
	int seg = -1;

	if (joiner_hello(j, fd) != 0 || boot_kvs_fence(j->k) != 0 ||
		joiner_receive(fd, &g, &seg) != 0)
		return -1;
	if (g.order != ORDER_SEGMENT && joiner_listen(j, fd, &g, &seg) != 0)
		return -1;
	return seg >= 0 ? joiner_adopt(&g, seg, j->out)
			: boot_fail("the process that makes this host's shared memory sends none");
}

/* --- both ----------------------------------------------------------------------------------- */

static int join_connect(struct join_state *j, const struct sockaddr_un *a, socklen_t len)
{
	int fd = boot_node_connect(a, len), err;

	if (fd < 0)
		return -1;
	err = joiner_run(j, fd);
	close(fd);
	return err;
}

static int join_elect(struct join_state *j)
{
	struct sockaddr_un a;
	socklen_t len = boot_node_name(&a, j->job.name, j->host.id);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return boot_fail("no UNIX socket: %s", strerror(errno));
	if (bind(fd, (const struct sockaddr *)&a, len) == 0 && listen(fd, SOMAXCONN) == 0)
		err = creator_run(j, fd);
	else if (errno == EADDRINUSE)
		err = join_connect(j, &a, len);
	else
		err = boot_fail("the ranks of this host get no common socket: %s", strerror(errno));
	close(fd);
	return err;
}

int boot_node_join(struct kvs *k, struct boot_node *m)
{
	struct join_state j = {.k = k, .out = m};
	int err;

	*m = (struct boot_node){.fd = -1, .listen = -1};
	boot_node_host(&j.host);
	if ((k->rank == 0 && boot_job_secret_put(k) != 0) || boot_kvs_fence(k) != 0 ||
		boot_job_secret_get(k, &j.job) != 0)
		return -1;
	err = join_elect(&j);
	m->cookie = j.job.name | 1;
	explicit_bzero(&j.job, sizeof(j.job));
	return err;
}
