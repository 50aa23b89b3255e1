// SPDX-License-Identifier: BSD-3-Clause
/* node_join.c - creates the segment of a node under another launcher (PMI, PMIx).
 *
 *   all:      put "me" = host, pid, CPUs; rank 0 puts "job" = a secret, a key; fence; get "job"
 *   node:     bind an abstract UNIX socket whose name contains the secret: one process succeeds
 *   creator:  gets "me" of all ranks.
 *             One node: makes the segment, and grants its descriptor to each joiner.
 *             Several: tells each joiner so; then all ranks listen, put "at" = address, fence; the
 *             creator gets "at" of all ranks, makes the segment with the map, and grants it to each
 *             joiner that connects again
 *   joiner:   connects, and receives the grant
 *
 * Decisions
 *  - A node is a set of processes that can share memory and see each other: one running kernel
 *    (boot_id), network namespace (abstract sockets), pid namespace and user.  Host names do not
 *    count, as containers choose them freely.
 *  - No other process can bind the name first: only the job knows it until it is bound.  Both sides
 *    check that the other side has the same user id, so reading the name in /proc/net/unix is of no
 *    use to other users.
 *  - Each rank asks the launcher for one value; one rank of each node asks for all of them.
 *  - The socket goes when this is over, and nothing ever lies in the file system. */
#include "libmpi/boot/node_join.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/listen.h"
#include "libmpi/core/clock.h"
#include "libmpi/core/setting.h"
#include "libshm/shm.h"

#define VERSION    2    /* of the values and of struct grant */
#define HOST_LEN   96   /* bytes of a host's identity, with the final 0 */
#define NAME_LEN   64   /* of its name */
#define CPUS       2048 /* CPUs that a rank can name: their mask fits into a value */
#define SEG_FD_MIN 100  /* low numbers are left to the program */

#define CPU_WORDS (CPUS / 64)

/* The value under "me". */
struct joiner {
	char host[HOST_LEN]; /* identity of its node */
	char name[NAME_LEN]; /* of its host, for messages */
	int pid;
	uint64_t cpu[CPU_WORDS];
};

/* The value under "job". */
struct job_secret {
	uint64_t name;         /* part of the names of the nodes' sockets */
	uint8_t key[BOOT_KEY]; /* by which ranks prove that they belong to the job */
	bool net;              /* all ranks listen, even on one node: HAFT_VIA=net, ofi-all */
};

enum listen_mode {
	LISTEN_NONE,     /* the grant has the segment */
	LISTEN_LOOPBACK, /* listen on the loopback, put the address, fence, connect again */
	LISTEN_NETWORK,  /* listen where other hosts reach this one, put, fence, connect again */
};

/* A message of the creator to a joiner, with the segment's descriptor or without. */
struct grant {
	uint32_t version;
	int32_t seat;
	uint32_t listen_mode; /* enum listen_mode */
	uint32_t pad;
	uint64_t cookie; /* of the segment */
};

static uint64_t now_ms(void)
{
	return clock_now_ns() / NS_PER_MS;
}

/* --- this rank ------------------------------------------------------------------------------ */

/* The number of this process's namespace of kind `name'; 0: unknown. */
static unsigned long namespace_of(const char *name)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
	return stat(path, &st) == 0 ? (unsigned long)st.st_ino : 0;
}

static void host_identify(struct joiner *g)
{
	char id[48] = "";
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, id, sizeof(id) - 1) <= 0)
		gethostname(id, sizeof(id) - 1); /* no /proc: nothing better is left */
	if (fd >= 0)
		close(fd);
	id[strcspn(id, "\n ")] = '\0';
	if (gethostname(g->name, sizeof(g->name) - 1) != 0 || g->name[0] == '\0')
		memcpy(g->name, "localhost", sizeof("localhost"));
	g->name[strcspn(g->name, ", ")] = '\0';
	snprintf(g->host, sizeof(g->host), "%s-%lx-%lx-%u", id, namespace_of("net"),
		namespace_of("pid"), (unsigned)geteuid());
}

static void cpus_identify(uint64_t cpu[CPU_WORDS])
{
	cpu_set_t *set = CPU_ALLOC(CPUS);
	size_t size = CPU_ALLOC_SIZE(CPUS);

	memset(cpu, 0, CPU_WORDS * sizeof(*cpu));
	if (set != NULL && sched_getaffinity(0, size, set) == 0)
		for (size_t c = 0; c < CPUS; c++)
			if (CPU_ISSET_S(c, size, set))
				cpu[c / 64] |= UINT64_C(1) << (c % 64);
	CPU_FREE(set);
}

/* --- values --------------------------------------------------------------------------------- */

/* "version,host,name,pid,mask": the mask in words of 64 CPUs, the lowest first, without the zero
 * words at its end. */
static int joiner_put(struct kvs *k, const struct joiner *g)
{
	char value[KVS_VALUE];
	int n = snprintf(value, sizeof(value), "%d,%s,%s,%d,", VERSION, g->host, g->name, g->pid);
	int words = CPU_WORDS;

	while (words > 0 && g->cpu[words - 1] == 0)
		words--;
	for (int i = 0; i < words; i++)
		n += snprintf(value + n, sizeof(value) - (size_t)n, "%" PRIx64 ".", g->cpu[i]);
	return boot_kvs_put(k, "me", value);
}

static int joiner_get(struct kvs *k, int rank, struct joiner *g)
{
	char value[KVS_VALUE];
	const char *p;
	char *end;
	int version, at = 0;

	memset(g, 0, sizeof(*g));
	if (boot_kvs_get(k, rank, "me", value, sizeof(value)) != 0)
		return -1;
	if (sscanf(value, "%d,%95[^,],%63[^,],%d,%n", &version, g->host, g->name, &g->pid, &at) !=
			4 ||
		at == 0 || version != VERSION)
		return boot_fail(
			"rank %d says \"%.60s\": is it another version of this MPI?", rank, value);
	p = value + at;
	for (int i = 0; i < CPU_WORDS && *p != '\0'; i++, p = end + (*end == '.'))
		g->cpu[i] = strtoull(p, &end, 16);
	return 0;
}

/* Rank 0 makes the secrets: "version,name,key,net". */
static int job_secret_put(struct kvs *k)
{
	struct job_secret s;
	char value[128];
	int n;

	if (getrandom(&s, sizeof(s), 0) != (ssize_t)sizeof(s))
		return boot_fail("no random numbers: %s", strerror(errno));
	n = snprintf(value, sizeof(value), "%d,%016" PRIx64 ",", VERSION, s.name);
	for (int i = 0; i < BOOT_KEY; i++)
		n += snprintf(value + n, sizeof(value) - (size_t)n, "%02x", s.key[i]);
	snprintf(value + n, sizeof(value) - (size_t)n, ",%d",
		haft_via_apart(haft_setting_get(SETTING_VIA)));
	return boot_kvs_put(k, "job", value);
}

static int job_secret_get(struct kvs *k, struct job_secret *s)
{
	char value[KVS_VALUE], key[2 * BOOT_KEY + 1];
	int version, net;

	if (boot_kvs_get(k, 0, "job", value, sizeof(value)) != 0)
		return -1;
	if (sscanf(value, "%d,%" SCNx64 ",%32[0-9a-f],%d", &version, &s->name, key, &net) != 4 ||
		version != VERSION || strlen(key) != 2 * BOOT_KEY)
		return boot_fail(
			"rank 0 does not say what it should: is it another version of this "
			"MPI?");
	for (int i = 0; i < BOOT_KEY; i++)
		sscanf(key + 2 * i, "%2hhx", &s->key[i]);
	s->net = net != 0;
	return 0;
}

/* --- the socket ----------------------------------------------------------------------------- */

/* FNV-1a.  Nodes in one network namespace get different names by it. */
static uint64_t host_hash(const char *s)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *s != '\0'; s++)
		h = (h ^ (uint8_t)*s) * UINT64_C(0x100000001b3);
	return h;
}

/* Makes the abstract name of a node's socket.  Returns its length. */
static socklen_t node_socket_name(struct sockaddr_un *a, uint64_t job_secret, const char *host)
{
	*a = (struct sockaddr_un){.sun_family = AF_UNIX};
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   (size_t)snprintf(a->sun_path + 1, sizeof(a->sun_path) - 1,
				   "haft-%016" PRIx64 "-%016" PRIx64, job_secret, host_hash(host)));
}

/* The pid at the other end of a connection; 0: unknown, or of another user. */
static int peer_pid(int fd)
{
	struct ucred c;
	socklen_t len = sizeof(c);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &c, &len) != 0 || c.uid != geteuid())
		return 0;
	return c.pid;
}

/* Waits until fd is readable, or it is `end' by now_ms.  True: it is readable. */
static bool socket_readable(int fd, uint64_t end)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint64_t now = now_ms();
	int n;

	do {
		n = poll(&p, 1, now < end ? (int)(end - now) : 0);
		now = now_ms();
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

/* Sends a grant, with descriptor fd unless that is -1.  False: not sent. */
static bool grant_send(int to, const struct grant *g, int fd)
{
	struct iovec io = {.iov_base = (void *)(uintptr_t)g, .iov_len = sizeof(*g)};
	union {
		char buf[CMSG_SPACE(sizeof(fd))];
		struct cmsghdr align;
	} room = {.buf = {0}};
	struct msghdr m = {.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = room.buf,
		.msg_controllen = sizeof(room.buf)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (fd < 0)
		m.msg_control = NULL, m.msg_controllen = 0;
	return sendmsg(to, &m, MSG_NOSIGNAL) == (ssize_t)sizeof(*g);
}

/* Receives a grant; *fd is its descriptor, the caller's, or -1.  False: nothing, or no grant. */
static bool grant_recv(int from, struct grant *g, int *fd)
{
	struct iovec io = {.iov_base = g, .iov_len = sizeof(*g)};
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} room;
	struct msghdr m = {.msg_iov = &io,
		.msg_iovlen = 1,
		.msg_control = room.buf,
		.msg_controllen = sizeof(room.buf)};
	const struct cmsghdr *c;

	*fd = -1;
	if (recvmsg(from, &m, MSG_CMSG_CLOEXEC) != (ssize_t)sizeof(*g))
		return false;
	c = CMSG_FIRSTHDR(&m);
	if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return g->version == VERSION;
}

/* --- addresses ------------------------------------------------------------------------------ */

/* Opens this rank's listening socket, puts its address, and waits until all ranks have done so. */
static int listen_publish(
	struct kvs *k, const struct joiner *me, enum listen_mode listen_mode, struct boot_node *m)
{
	const char *iface = haft_setting_text(SETTING_IFACE);
	const char *peer = getenv("SLURM_LAUNCH_NODE_IPADDR"), *why;
	char ip[LISTEN_IP], at[BOOT_ADDR];

	if (listen_mode == LISTEN_LOOPBACK)
		iface = "127.0.0.1";
	if (peer != NULL && strncmp(peer, "127.", 4) == 0)
		peer = NULL; /* the launcher's own host: other hosts do not reach it there */
	why = boot_listen_where(*iface != '\0' ? iface : NULL, me->name, peer, ip);
	if (why != NULL)
		return boot_fail("nowhere to listen on host %s: %s (HAFT_IFACE)", me->name, why);
	m->listen = boot_listen_open(ip, at, sizeof(at));
	if (m->listen < 0)
		return boot_fail("no socket at %s: %s", ip, strerror(errno));
	fcntl(m->listen, F_SETFL, O_NONBLOCK);
	return boot_kvs_put(k, "at", at) != 0 ? -1 : boot_kvs_fence(k);
}

/* --- the creator ---------------------------------------------------------------------------- */

/* The job, and the ranks of the creator's node. */
struct node {
	int n;
	int *pid;                /* by seat */
	int seat;                /* the creator's */
	uint64_t cpu[CPU_WORDS]; /* of all of them */
	enum listen_mode listen_mode;
	struct boot_world world;
	int host;     /* of the creator, in world */
	int *host_of; /* tables of world, malloc'ed */
	char (*ids)[HOST_LEN];
	char **names, **addr;
};

/* The number of a rank's host; a new number if it is the first rank of its host. */
static int node_host_number(struct node *p, const struct joiner *g)
{
	int h = p->world.nhosts - 1; /* most ranks are on the host of the rank before */

	while (h >= 0 && strcmp(p->ids[h], g->host) != 0)
		h--;
	if (h >= 0)
		return h;
	h = p->world.nhosts++;
	memcpy(p->ids[h], g->host, HOST_LEN);
	p->names[h] = strdup(g->name);
	return h;
}

/* Adds a rank; ranks are added in ascending order. */
static void node_rank_add(struct node *p, int rank, const struct joiner *g, const struct joiner *me)
{
	p->host_of[rank] = node_host_number(p, g);
	if (strcmp(g->host, me->host) != 0)
		return;
	p->host = p->host_of[rank];
	if (g->pid == me->pid)
		p->seat = p->n;
	p->pid[p->n++] = g->pid;
	for (int i = 0; i < CPU_WORDS; i++)
		p->cpu[i] |= g->cpu[i];
}

static int node_collect(
	struct kvs *k, const struct joiner *me, const struct job_secret *s, struct node *p)
{
	size_t n = (size_t)k->size;
	struct joiner g;

	*p = (struct node){.pid = calloc(n, sizeof(*p->pid)),
		.host_of = calloc(n, sizeof(*p->host_of)),
		.ids = calloc(n, sizeof(*p->ids)),
		.names = calloc(n, sizeof(*p->names)),
		.addr = calloc(n, sizeof(*p->addr))};
	p->world = (struct boot_world){.nranks = k->size, .key = s->key};
	if (p->pid == NULL || p->host_of == NULL || p->ids == NULL || p->names == NULL ||
		p->addr == NULL)
		return boot_fail("no memory for a table of %d ranks", k->size);
	for (int r = 0; r < k->size; r++) {
		if (joiner_get(k, r, &g) != 0)
			return -1;
		node_rank_add(p, r, &g, me);
	}
	if (p->world.nhosts > 1)
		p->listen_mode = LISTEN_NETWORK;
	else if (s->net)
		p->listen_mode = LISTEN_LOOPBACK;
	return 0;
}

static void node_free(struct node *p, int size)
{
	for (int i = 0; i < size && p->names != NULL; i++)
		free(p->names[i]);
	for (int i = 0; i < size && p->addr != NULL; i++)
		free(p->addr[i]);
	free(p->pid);
	free(p->host_of);
	free(p->ids);
	free(p->names);
	free(p->addr);
}

/* Gets the addresses of all ranks. */
static int node_addresses(struct kvs *k, struct node *p)
{
	char at[KVS_VALUE];

	for (int r = 0; r < k->size; r++) {
		if (boot_kvs_get(k, r, "at", at, sizeof(at)) != 0)
			return -1;
		p->addr[r] = strdup(at);
		if (strlen(at) >= BOOT_ADDR || p->addr[r] == NULL)
			return boot_fail("rank %d does not say where it listens", r);
	}
	p->world.host_of = p->host_of;
	p->world.addr = (const char *const *)p->addr;
	p->world.names = (const char *const *)p->names;
	return 0;
}

/* The number of CPUs of all ranks of the node.  Launchers bind ranks, so the creator's own CPUs are
 * not all of them; but its cgroup's quota holds for all. */
static int node_cpus(const struct joiner *me, const struct node *p)
{
	int mine = 0, all = 0, allowed = shm_cpus();

	for (int i = 0; i < CPU_WORDS; i++) {
		mine += __builtin_popcountll(me->cpu[i]);
		all += __builtin_popcountll(p->cpu[i]);
	}
	return allowed < mine || all == 0 ? allowed : all;
}

static int node_segment_create(const struct joiner *me, const struct node *p, struct boot_node *m)
{
	struct shm_opts opts = boot_opts(p->n, environ);
	size_t len;
	int err;

	opts.ncpus = node_cpus(me, p);
	opts.map_len = p->listen_mode != LISTEN_NONE ? boot_map_len(&p->world, p->host) : 0;
	err = shm_seg_create(&opts, &m->seg);
	if (err != 0)
		return boot_fail("no shared memory for %d processes: %s%s%s", p->n,
			shm_error_text(err), err == SHM_SYS ? ": " : "",
			err == SHM_SYS ? strerror(errno) : "");
	if (p->listen_mode != LISTEN_NONE &&
		(opts.map_len == 0 ||
			!boot_map_make(&p->world, p->host, shm_seg_map(m->seg, &len))))
		return boot_fail("no memory for the map of %d ranks", p->world.nranks);
	m->fd = shm_seg_fd(m->seg);
	m->seat = p->seat;
	for (int i = 0; i < p->n;
		i++) { /* for the failure detector: a rank may die before it writes its pid */
		struct boot_rank *place = shm_seg_job_rank(m->seg, i);

		atomic_store(&place->pid, p->pid[i]);
	}
	return 0;
}

/* Serves one connection: sends the segment to a rank of the node, or (m NULL) the order to listen.
 * Returns 1; 0: the process is no rank of the node. */
static int node_grant(const struct node *p, const struct boot_node *m, int fd)
{
	struct grant g = {.version = VERSION};
	int pid = peer_pid(fd), i = 0;

	while (i < p->n && (pid == 0 || p->pid[i] != pid))
		i++;
	g.seat = i;
	g.listen_mode = m != NULL ? LISTEN_NONE : p->listen_mode;
	g.cookie = m != NULL ? shm_seg_cookie(m->seg) : 0;
	return i < p->n && grant_send(fd, &g, m != NULL ? m->fd : -1);
}

static int node_grant_all(const struct node *p, const struct boot_node *m, int listener)
{
	uint64_t end = now_ms() + NODE_JOIN_S * 1000;

	for (int served = 1; served < p->n;) {
		int fd;

		if (!socket_readable(listener, end))
			return boot_fail("%d of the %d processes of this host have not come for "
					 "their shared memory in %d s",
				p->n - served, p->n, NODE_JOIN_S);
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd < 0)
			continue;
		served += node_grant(p, m, fd);
		close(fd);
	}
	return 0;
}

static int creator_run(struct kvs *k, const struct joiner *me, const struct job_secret *s,
	int listener, struct boot_node *m)
{
	struct node p;
	int err = node_collect(k, me, s, &p);

	if (err == 0 && p.listen_mode != LISTEN_NONE)
		err = node_grant_all(&p, NULL, listener) != 0 ||
		      listen_publish(k, me, p.listen_mode, m) != 0 || node_addresses(k, &p) != 0;
	if (err == 0)
		err = node_segment_create(me, &p, m);
	if (err == 0)
		err = node_grant_all(&p, m, listener);
	node_free(&p, k->size);
	return err == 0 ? 0 : -1;
}

/* --- the joiners ---------------------------------------------------------------------------- */

/* Connects to the creator, which may have bound its name and not listen yet. */
static int joiner_connect(const struct sockaddr_un *a, socklen_t len)
{
	uint64_t end = now_ms() + NODE_JOIN_S * 1000;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	while (fd >= 0 && connect(fd, (const struct sockaddr *)a, len) != 0) {
		if ((errno == ECONNREFUSED || errno == EAGAIN || errno == EINTR) &&
			now_ms() < end) {
			usleep(500);
			continue;
		}
		close(fd);
		fd = -1;
	}
	return fd >= 0 ? fd
		       : boot_fail("the process that makes this host's shared memory cannot be "
				   "reached: %s",
				 strerror(errno));
}

/* Receives the grant, after a check that the other end is of the same user. */
static int joiner_receive(int fd, struct grant *g, int *seg)
{
	uint64_t end = now_ms() + NODE_JOIN_S * 1000;

	if (peer_pid(fd) == 0)
		return boot_fail("another user holds the socket of this host's ranks");
	if (!socket_readable(fd, end))
		return boot_fail(
			"the process that makes this host's shared memory has not done it in %d s",
			NODE_JOIN_S);
	if (!grant_recv(fd, g, seg) || (*seg < 0) != (g->listen_mode != LISTEN_NONE))
		return boot_fail("the process that makes this host's shared memory has given up: "
				 "it says why");
	return 0;
}

static int joiner_request(const struct sockaddr_un *a, socklen_t len, struct grant *g, int *seg)
{
	int fd = joiner_connect(a, len), err;

	if (fd < 0)
		return -1;
	err = joiner_receive(fd, g, seg);
	close(fd);
	return err;
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

static int joiner_run(struct kvs *k, const struct joiner *me, const struct sockaddr_un *a,
	socklen_t len, struct boot_node *m)
{
	struct grant g = {0};
	int fd = -1;

	if (joiner_request(a, len, &g, &fd) != 0)
		return -1;
	if (g.listen_mode != LISTEN_NONE && (listen_publish(k, me, g.listen_mode, m) != 0 ||
						    joiner_request(a, len, &g, &fd) != 0))
		return -1;
	return fd >= 0 ? joiner_adopt(&g, fd, m)
		       : boot_fail("the process that makes this host's shared memory sends none");
}

/* --- both ----------------------------------------------------------------------------------- */

static int node_join(
	struct kvs *k, const struct joiner *me, const struct job_secret *s, struct boot_node *m)
{
	struct sockaddr_un a;
	socklen_t len = node_socket_name(&a, s->name, me->host);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int err;

	if (fd < 0)
		return boot_fail("no UNIX socket: %s", strerror(errno));
	if (bind(fd, (const struct sockaddr *)&a, len) == 0 && listen(fd, SOMAXCONN) == 0)
		err = creator_run(k, me, s, fd, m);
	else if (errno == EADDRINUSE)
		err = joiner_run(k, me, &a, len, m);
	else
		err = boot_fail("the ranks of this host get no common socket: %s", strerror(errno));
	close(fd);
	return err;
}

int boot_node_join(struct kvs *k, struct boot_node *m)
{
	struct joiner me = {.pid = (int)getpid()};
	struct job_secret s;
	int err;

	*m = (struct boot_node){.fd = -1, .listen = -1};
	host_identify(&me);
	cpus_identify(me.cpu);
	if (joiner_put(k, &me) != 0 || (k->rank == 0 && job_secret_put(k) != 0) ||
		boot_kvs_fence(k) != 0 || job_secret_get(k, &s) != 0)
		return -1;
	err = node_join(k, &me, &s, m);
	m->cookie = s.name | 1;
	explicit_bzero(&s, sizeof(s));
	return err;
}
