// SPDX-License-Identifier: BSD-3-Clause
/* hang.c - programs that hang, by name: hang.sh looks at what mpiexec says about them. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int rank, size;
static int x[4], y[100000];

static void recv_recv(void)
{
	MPI_Recv(x, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void ssend_ring(void)
{
	MPI_Ssend(x, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
}

/* Rank 1 of a communicator of its own name is missing: it waits for a message. */
static void missing(void)
{
	MPI_Comm c;

	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Comm_set_name(c, "ocean");
	MPI_Barrier(c);
	if (rank != 1)
		MPI_Barrier(c);
	else
		MPI_Recv(x, 1, MPI_INT, 0, 1, c, MPI_STATUS_IGNORE);
}

/* Rank 0 has the lock of its window, and does not give it back. */
static void hang_locked(void)
{
	MPI_Win w;

	MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	MPI_Win_set_name(w, "lagoon");
	if (rank == 0)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Recv(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
}

/* Each has locked one of the two that it wants. */
static void crossed(void)
{
	MPI_Win w;

	MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &(void *){NULL}, &w);
	MPI_Win_lock(rank == 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, rank, 0, w);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, (rank + 1) % size, 0, w);
}

/* Rank 1 does not complete. */
static void incomplete(void)
{
	MPI_Group all, one;
	MPI_Win w;

	MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	MPI_Win_set_name(w, "lagoon");
	MPI_Win_get_group(w, &all);
	MPI_Group_incl(all, 1, (int[]){rank == 0}, &one);
	if (rank == 0) {
		MPI_Win_post(one, 0, w);
		MPI_Win_wait(w);
	} else {
		MPI_Win_start(one, 0, w);
		MPI_Recv(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void unfreed(void)
{
	MPI_Win w;

	MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	if (rank != 1)
		MPI_Win_free(&w);
	else
		MPI_Recv(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 1 does not open its window for rank 0. */
static void unposted(void)
{
	MPI_Group all, one;
	MPI_Win w;

	MPI_Win_create(x, sizeof(x), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	MPI_Win_set_name(w, "lagoon");
	MPI_Win_get_group(w, &all);
	MPI_Group_incl(all, 1, (int[]){1 - rank}, &one);
	if (rank == 0) {
		MPI_Win_start(one, 0, w);
		MPI_Put(y, 1, MPI_INT, 1, 0, 1, MPI_INT, w);
	} else {
		MPI_Recv(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void wrong_tag(void)
{
	if (rank == 0) {
		MPI_Send(x, 1, MPI_INT, 1, 6, MPI_COMM_WORLD);
		MPI_Recv(x, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void waitall(void)
{
	MPI_Request r[3];

	for (int i = 0; i < 3; i++)
		MPI_Irecv(x + i, 1, MPI_INT, 1 - rank, i, MPI_COMM_WORLD, &r[i]);
	MPI_Send(x, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
}

/* Two of three partitions are never made ready. */
static void unready(void)
{
	MPI_Request r;

	if (rank == 0)
		MPI_Psend_init(x, 3, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	else
		MPI_Precv_init(x, 3, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
	MPI_Start(&r);
	if (rank == 0)
		MPI_Pready(1, r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void waitany(void)
{
	MPI_Request r[2];
	int i;

	MPI_Irecv(x, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(x, 1, MPI_INT, 1 - rank, 2, MPI_COMM_WORLD, &r[1]);
	MPI_Waitany(2, r, &i, MPI_STATUS_IGNORE);
}

/* Rank 2 does not join: a call by messages, one by counters of shared memory. */
static void request_missing(int (*begin)(MPI_Request *r))
{
	MPI_Request r;

	if (rank == 2) {
		MPI_Probe(0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		return;
	}
	begin(&r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static int begin_allreduce(MPI_Request *r)
{
	return MPI_Iallreduce(x, y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, r);
}

static void iallreduce(void)
{
	request_missing(begin_allreduce);
}

static int begin_barrier(MPI_Request *r)
{
	return MPI_Ibarrier(MPI_COMM_WORLD, r);
}

static void ibarrier(void)
{
	request_missing(begin_barrier);
}

/* Long sends, head to head, in the lower half of the ranks; the others are in a broadcast. */
static void long_sends(void)
{
	MPI_Comm c;

	MPI_Comm_split(MPI_COMM_WORLD, rank * 2 < size, -rank, &c);
	MPI_Comm_set_name(c, rank * 2 < size ? "" : "half");
	MPI_Comm_size(c, &size);
	MPI_Comm_rank(c, &rank);
	if (size > 1)
		MPI_Send(y, 100000, MPI_INT, rank ^ 1, 9, c);
}

/* Rank 1 has an error, and goes elsewhere. */
static void hang_refused(void)
{
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	if (MPI_Bcast(y, 100000, MPI_INT, rank == 1 ? 99 : 0, MPI_COMM_WORLD) != MPI_SUCCESS)
		MPI_Recv(x, 1, MPI_INT, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else
		MPI_Barrier(MPI_COMM_WORLD);
}

static void hang_any(void)
{
	MPI_Recv(x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Not hangs: one rank computes, one polls, all nap in turns. */
static void hang_slow(void)
{
	time_t end = time(NULL) + 4;

	while (rank == 0 && time(NULL) < end)
		;
	MPI_Barrier(MPI_COMM_WORLD);
}

static void hang_test(void)
{
	time_t end = time(NULL) + 4;
	int flag = 0;
	MPI_Request r;

	if (rank != 0) {
		MPI_Recv(x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		return;
	}
	MPI_Irecv(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &r);
	while (!flag && time(NULL) < end)
		MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
	MPI_Cancel(&r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	for (int i = 1; i < size; i++)
		MPI_Send(x, 1, MPI_INT, i, 1, MPI_COMM_WORLD);
}

static void hang_rounds(void)
{
	for (int i = 0; i < 8; i++) {
		if (i % size == rank)
			usleep(500000);
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* Collective calls that do not fit together, in which rank 1 passes MPI_Finalize before rank 0. */
static void hang_mixed(void)
{
	MPI_Comm c;

	if (rank == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	else
		MPI_Comm_dup(MPI_COMM_WORLD, &c);
}

static void final(void)
{
	if (rank == 1)
		MPI_Recv(x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void final_dup(bool used)
{
	MPI_Comm c;

	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	if (used)
		MPI_Barrier(c);
	if (rank > 0)
		MPI_Barrier(c);
}

static void final_of_new(void)
{
	final_dup(false);
}

static void final_of_used(void)
{
	final_dup(true);
}

/* A thread that waits for the file GO, or computes, and then sends what rank 1 waits for. */
static void *later(void *busy)
{
	struct timespec t = {0};

	while (busy == NULL && access(getenv("GO"), F_OK) != 0)
		usleep(100000);
	while (busy != NULL && t.tv_sec < 2)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	MPI_Send(x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
	return NULL;
}

static void with_thread(void *busy)
{
	pthread_t t;

	if (rank == 0)
		pthread_create(&t, NULL, later, busy);
	MPI_Recv(x, 1, MPI_INT, 1 - rank, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 1 && busy != NULL)
		MPI_Send(x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
	if (rank == 1 && busy == NULL)
		MPI_Recv(x, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 0)
		pthread_join(t, NULL);
}

/* Three threads, each waits for another message. */
static void *lonely(void *tag)
{
	int y1;

	MPI_Recv(&y1, 1, MPI_INT, 1 - rank, *(int *)tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return NULL;
}

static void hang_many(void)
{
	static int tags[3] = {21, 22, 23};
	pthread_t t;

	for (int i = 0; i < 2; i++)
		pthread_create(&t, NULL, lonely, &tags[i]);
	lonely(&tags[2]);
}

/* All sleep; then rank 1 is given a message; then all sleep again. */
static void hang_again(void)
{
	with_thread(NULL);
}

static void hang_busy(void)
{
	with_thread(&rank);
}

/* Rank 1 is stopped while rank 0 waits for it. */
static void stopped(void)
{
	if (rank == 1)
		raise(SIGSTOP);
	else
		lonely(&(int){7});
}

/* Rank 1 is outside of MPI for longer than the test waits, while the others
 * wait for it. */
static void elsewhere(void)
{
	if (rank == 1)
		sleep(100000);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The program of its own computes. */
static void compiles(void)
{
	if (rank == 1 &&
		system("i=0; while [ $i -lt 20 ]; do timeout 0.2 sh -c 'while :; do :; done'; "
		       "i=$((i + 1)); done") < 0)
		abort();
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 1 looks for messages now and then. */
static void hang_lazy(void)
{
	int flag = 0;

	if (rank == 1) {
		for (int i = 0; i < 40; i++) {
			MPI_Iprobe(0, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
			usleep(100000);
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
}

/* A partitioned send and a receive of the other kind: no match. */
static void unmatched(void)
{
	MPI_Request r;

	if (rank == 0) {
		MPI_Psend_init(x, 1, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &r);
		MPI_Start(&r);
		MPI_Pready(0, r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(x, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

/* A second thread waits once the file GO is there. */
static void hang_ages(void)
{
	pthread_t t;

	pthread_create(&t, NULL, lonely, &(int){21});
	while (access(getenv("GO"), F_OK) != 0)
		usleep(100000);
	lonely(&(int){22});
}

static volatile int disk_is_dead; /* it never answers */

ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	while (disk_is_dead)
		pause();
	return syscall(SYS_pread64, fd, buf, n, at);
}

/* Rank 1 waits for the disk, and rank 0 for rank 1. */
static void hang_disk(void)
{
	MPI_Request r;
	MPI_File f;

	if (rank == 0)
		MPI_Recv(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_File_open(MPI_COMM_SELF, "/proc/self/exe", MPI_MODE_RDONLY, MPI_INFO_NULL, &f);
	disk_is_dead = 1;
	MPI_File_iread_at(f, 0, y, sizeof(y), MPI_BYTE, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* The others go to MPI_Finalize, and each of them could have been the sender. */
static void final_any(void)
{
	if (rank == 0)
		MPI_Probe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void final_some(void)
{
	MPI_Request r[2];
	int n, index[2];

	if (rank != 0)
		return;
	for (int i = 0; i < 2; i++)
		MPI_Irecv(x + i, 1, MPI_INT, i + 1, 0, MPI_COMM_WORLD, &r[i]);
	MPI_Waitsome(2, r, &n, index, MPI_STATUSES_IGNORE);
}

static const struct {
	const char *name;
	void (*fn)(void);
} all[] = {{"recv", recv_recv}, {"ssend", ssend_ring}, {"missing", missing},
	{"locked", hang_locked}, {"crossed", crossed}, {"unposted", unposted},
	{"incomplete", incomplete}, {"unfreed", unfreed}, {"unready", unready}, {"tag", wrong_tag},
	{"waitall", waitall}, {"waitany", waitany}, {"iallreduce", iallreduce},
	{"ibarrier", ibarrier}, {"long", long_sends}, {"any", hang_any}, {"slow", hang_slow},
	{"test", hang_test}, {"turns", hang_rounds}, {"refused", hang_refused}, {"final", final},
	{"mixed", hang_mixed}, {"again", hang_again}, {"busy", hang_busy}, {"many", hang_many},
	{"stopped", stopped}, {"elsewhere", elsewhere}, {"compiles", compiles}, {"lazy", hang_lazy},
	{"unmatched", unmatched}, {"ages", hang_ages}, {"disk", hang_disk}, {"finalany", final_any},
	{"finalsome", final_some}, {"finaldup", final_of_new}, {"finalused", final_of_used}};

/* Without MPI_Init: the others than `stays' leave their session and end, while that one waits for
 * rank 1, or for any. */
static int leave(int stays, int from)
{
	MPI_Session s;
	MPI_Group g;
	MPI_Comm c;

	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s);
	MPI_Group_from_session_pset(s, "mpi://WORLD", &g);
	MPI_Comm_create_from_group(g, "left", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c);
	MPI_Group_free(&g);
	MPI_Comm_rank(c, &rank);
	if (rank == stays)
		MPI_Recv(x, 1, MPI_INT, from, 0, c, MPI_STATUS_IGNORE);
	MPI_Comm_free(&c);
	MPI_Session_finalize(&s);
	return 0;
}

int main(int argc, char **argv)
{
	int level, want = argc > 2 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;

	if (argc > 1 && strcmp(argv[1], "left") == 0)
		return leave(0, 1);
	if (argc > 1 && strcmp(argv[1], "leftany") == 0)
		return leave(2, MPI_ANY_SOURCE);
	MPI_Init_thread(&argc, &argv, want, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (argc > 1 && strcmp(argv[1], all[i].name) == 0)
			all[i].fn();
	MPI_Finalize();
	return 0;
}
