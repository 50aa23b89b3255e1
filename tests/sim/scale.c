// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0 time=120 */
/* scale.c - MPI_Init in jobs of 10^3 to 10^6 ranks, of which one rank runs.
 *
 *     parent: the map of a job that is not there ──> segment of one host ──> child: MPI_Init,
 *             first communicators, first words to log2(n) ranks of its host, the beginning of a
 *             first collective call over all hosts; the cost of each
 *
 * The child runs all of boot, via and the engines; only its partners are missing.  Invariants:
 *  - its private memory does not depend on the size of the job: at most PRIVATE_MAX bytes;
 *  - the map of the job, which the processes of a host share, is at most SHARED_MAX bytes a rank;
 *  - it sends at most log2(n) messages.  (tests/unit/init_messages.c counts them in jobs that are
 *    there: none.)
 *
 * A host has at most SHM_RANKS_MAX ranks, so rows of more ranks on few hosts cannot be.
 *
 *     scale [-a]          -a: all sizes, as `make sim-scale' does; else small ones */
#include <mpi.h>

#include "libmpi/boot/boot.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/via/via.h"
#include "tests/check_true.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PRIVATE_MAX ((long)2 << 20)
#define SHARED_MAX  32.0

__attribute__((noreturn)) static inline void check_broken(
	const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
	exit(1);
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* --- the rank ------------------------------------------------------------------------------- */

/* Bytes of memory that this process has for itself: anonymous pages of private mappings.  (Not
 * Private_Dirty: pages of a program that was linked a moment ago count there, until they are on
 * disk.) */
static long private_bytes(void)
{
	FILE *f = fopen("/proc/self/smaps", "re");
	char line[512], perm[8];
	long sum = 0, kib;
	bool mine = false;

	CHECK(f != NULL);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%*x-%*x %7s", perm) == 1)
			mine = perm[3] == 'p';
		if (mine && sscanf(line, "Anonymous: %ld kB", &kib) == 1)
			sum += kib * 1024;
	}
	fclose(f);
	return sum;
}

static uint64_t scale_messages(void)
{
	uint64_t n = via.shm->count.put;

	return via.net != NULL ? n + net_counts(via.net)->put : n;
}

/* Words to the ranks of this host that a dissemination meets first: 1, 2, 4 ... away. */
static void first_words(int rank, int size)
{
	MPI_Request r;

	for (int d = 1; d < size; d *= 2) {
		int peer = (rank + d) % size;

		via_peer_get(peer);
		if (!via_is_local(peer) || peer == rank)
			continue;
		MPI_Isend(&d, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	}
}

/* Begins a collective call, which never ends.  A rank that leads its host is not taken: it would
 * connect to other hosts. */
static double first_collective(void)
{
	static int in = 1, out;
	MPI_Request r;
	double start = now_ms();

	MPI_Iallreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
	return now_ms() - start;
}

/* The first communicators that are made without others. */
static void communicators(int rank, int size)
{
	int range[1][3] = {{rank, rank, 1}}, n;
	MPI_Group world, mine;
	MPI_Comm dup, self;

	MPI_Comm_dup(MPI_COMM_WORLD, &dup);
	MPI_Comm_size(dup, &n);
	CHECK(n == size);
	MPI_Comm_group(dup, &world);
	MPI_Group_range_incl(world, 1, range, &mine);
	MPI_Comm_create_group(dup, mine, 0, &self);
	MPI_Comm_size(self, &n);
	CHECK(n == 1);
	MPI_Comm_free(&self);
	MPI_Group_free(&mine);
	MPI_Group_free(&world);
	MPI_Comm_free(&dup);
}

static void rank_run(bool leads)
{
	long before = private_bytes(), exchange;
	double start = now_ms(), ms, first = 0;
	int rank, size;
	uint64_t sent;

	MPI_Init(NULL, NULL);
	ms = now_ms() - start;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	communicators(rank, size);
	sent = scale_messages();
	printf("%ld %ld ", private_bytes(), private_bytes() - before);
	first_words(rank, size);
	exchange = private_bytes();
	if (!leads)
		first = first_collective();
	printf("%ld %ld %llu %.2f %.2f\n", exchange, private_bytes(), (unsigned long long)sent, ms,
		first);
	fflush(stdout);
	_exit(0);
}

/* --- the job -------------------------------------------------------------------------------- */

struct fake {
	struct boot_world world;
	int *host_of;
	char **addr, **names;
};

/* So many ranks, in blocks on so many hosts. */
static void fake_make(struct fake *f, int ranks, int hosts)
{
	static const uint8_t key[BOOT_KEY] = "a secret of ours";
	char text[BOOT_ADDR];

	f->host_of = calloc((size_t)ranks, sizeof(*f->host_of));
	f->addr = calloc((size_t)ranks, sizeof(*f->addr));
	f->names = calloc((size_t)hosts, sizeof(*f->names));
	CHECK(f->host_of != NULL && f->addr != NULL && f->names != NULL);
	for (int h = 0; h < hosts; h++) {
		snprintf(text, sizeof(text), "node%05d", h);
		f->names[h] = strdup(text);
	}
	for (int r = 0; r < ranks; r++) {
		int h = (int)((int64_t)r * hosts / ranks);

		f->host_of[r] = h;
		snprintf(text, sizeof(text), "tcp:127.77.%d.%d:%d", h / 250, 1 + h % 250,
			1024 + r % 60000);
		f->addr[r] = strdup(text);
	}
	f->world = (struct boot_world){.nranks = ranks,
		.nhosts = hosts,
		.host_of = f->host_of,
		.addr = (const char *const *)f->addr,
		.names = (const char *const *)f->names,
		.key = key};
}

static void fake_free(struct fake *f)
{
	for (int r = 0; r < f->world.nranks; r++)
		free(f->addr[r]);
	for (int h = 0; h < f->world.nhosts; h++)
		free(f->names[h]);
	free(f->host_of);
	free(f->addr);
	free(f->names);
}

/* Runs one rank of the job, with this segment.  Its output goes into line. */
static void rank_start(
	const struct shm_seg *seg, int rank, int seat, int size, bool leads, char *line, int len)
{
	char order[256];
	int out[2], status = -1;
	ssize_t n;
	pid_t pid;

	CHECK(pipe2(out, O_CLOEXEC) == 0);
	snprintf(order, sizeof(order), "fd=%d,rank=%d,seat=%d,size=%d,cookie=%llx,app=0,by=%d",
		shm_seg_fd(seg), rank, seat, size, (unsigned long long)shm_seg_cookie(seg),
		(int)getpid());
	pid = fork();
	if (pid == 0) {
		fcntl(shm_seg_fd(seg), F_SETFD, 0);
		dup2(out[1], 1);
		setenv(BOOT_VAR, order, 1);
		execl("/proc/self/exe", "scale", leads ? "leader" : "member", (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	n = read(out[0], line, (size_t)len - 1);
	line[n > 0 ? n : 0] = '\0';
	close(out[0]);
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0);
}

static void size_try(int ranks, int hosts)
{
	int host = hosts / 2, first = 0, local = 0;
	struct shm_opts opts = {0};
	struct shm_seg *seg;
	struct fake f;
	double start, each, ms, coll_ms;
	long all, more, exchange, coll, sent;
	char line[256];
	size_t len = 0;
	int lg = 0;

	fake_make(&f, ranks, hosts);
	for (int r = ranks - 1; r >= 0; r--)
		if (f.host_of[r] == host)
			first = r, local++;
	start = now_ms();
	opts = boot_opts(local, environ);
	opts.map_len = hosts > 1 ? boot_map_len(&f.world, host) : 0;
	CHECK(shm_seg_create(&opts, &seg) == 0);
	CHECK(hosts == 1 || boot_map_make(&f.world, host, shm_seg_map(seg, &len)));
	start = now_ms() - start;
	fake_free(&f);
	rank_start(seg, first + local / 2, local / 2, ranks, local == 1, line, sizeof(line));
	shm_seg_close(seg);
	CHECK(sscanf(line, "%ld %ld %ld %ld %ld %lf %lf", &all, &more, &exchange, &coll, &sent, &ms,
		      &coll_ms) == 7);
	each = (double)len / ranks;
	while (1 << lg < ranks)
		lg++;
	printf("%8d %6d %9ld %9ld %9ld %9ld %8.1f %6ld %9.2f %9.2f %9.2f\n", ranks, hosts, all,
		more, exchange, coll, each, sent, ms, coll_ms, start);
	fflush(stdout);
	CHECK(each <= SHARED_MAX);
	CHECK(sent <= lg);
	CHECK(coll <= PRIVATE_MAX || HAFT_MEAN || HAFT_DEBUG);
}

int main(int argc, char **argv)
{
	static const int ranks[] = {1000, 10000, SHM_RANKS_MAX, 100000, 1000000},
			 hosts[] = {1, 10, 100, 1000, 10000};
	bool all = argc > 1 && strcmp(argv[1], "-a") == 0;

	if (argc > 1 && !all)
		rank_run(strcmp(argv[1], "leader") == 0);
	printf("%8s %6s %9s %9s %9s %9s %8s %6s %9s %9s %9s\n", "ranks", "hosts", "private",
		"of it MPI", "talking", "allreduce", "map/rank", "sent", "init ms", "allr. ms",
		"launch ms");
	for (size_t i = 0; i < countof(ranks); i++)
		for (size_t j = 0; j < countof(hosts); j++)
			if (hosts[j] <= ranks[i] && ranks[i] / hosts[j] <= SHM_RANKS_MAX &&
				(all || ranks[i] / hosts[j] * 8 <= 1000 || ranks[i] < 2000) &&
				(all || ranks[i] <= 100000))
				size_try(ranks[i], hosts[j]);
	return 0;
}
