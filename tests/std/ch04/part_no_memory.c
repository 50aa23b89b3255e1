// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="HAFT_VIA=auto" */
/* MPI-5.0 9.3, 4.2: without memory a partitioned message fails at its init, or comes whole. */
#include "tests/check.h"
#include "tests/failing_malloc.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TAG = 3, LONG = 1 << 18, HELD_MAX = 1 << 16, BLOCK = 4, ROUNDS = 3 };

static unsigned char out[2 * LONG], in[2 * LONG];
static MPI_Request held[HELD_MAX];

/* How Haft's table of requests grows: into address space that it has. */
int mprotect(void *p, size_t len, int prot)
{
	if (prot == PROT_NONE || !failing_fails(len))
		return (int)syscall(SYS_mprotect, p, len, prot);
	errno = ENOMEM;
	return -1;
}

/* A message: partitions of a type, ready in an order that leaves gaps. */
struct job {
	int parts, count; /* of the sender; elements of BLOCK bytes a partition */
	int theirs;       /* partitions of the receiver */
	bool gaps;        /* between the elements, on both sides */
};

/* Takes all requests that there are without more memory. */
static int requests_take(void)
{
	int n = 0;

	while (n < HELD_MAX &&
		MPI_Recv_init(NULL, 0, MPI_INT, 0, TAG, MPI_COMM_SELF, &held[n]) == MPI_SUCCESS)
		n++;
	CHECK(n < HELD_MAX);
	return n;
}

static void requests_give(int n)
{
	for (int i = 0; i < n; i++)
		OK(MPI_Request_free(&held[i]));
}

static unsigned char scarce_byte(int round, long i)
{
	return (unsigned char)(i * 7 + round * 13 + (i >> 9) + 1);
}

static void scarce_fill(int round)
{
	for (long i = 0; i < 2 * LONG; i++) {
		out[i] = scarce_byte(round, i);
		in[i] = 0;
	}
}

static bool scarce_came(const struct job *j, int round)
{
	long n = (long)j->parts * j->count * BLOCK;

	for (long i = 0; i < n; i++) {
		long at = j->gaps ? i / BLOCK * 2 * BLOCK + i % BLOCK : i;

		if (in[at] != scarce_byte(round, at))
			return false;
	}
	return true;
}

/* Every second partition first, so that many go alone. */
static void scarce_ready(const struct job *j, MPI_Request r)
{
	for (int i = 0; i < j->parts; i += 2)
		OK(MPI_Pready(i, r));
	for (int i = 1; i < j->parts; i += 2)
		OK(MPI_Pready(i, r));
}

static void scarce_round_of(const struct job *j, MPI_Request r, int round, bool starved)
{
	int n = 0;

	scarce_fill(round);
	MPI_Barrier(MPI_COMM_WORLD);
	if (starved) {
		failing_arm(1, 0, FAILING_ALWAYS);
		n = requests_take();
	}
	OK(MPI_Start(&r));
	if (check_rank == 0)
		scarce_ready(j, r);
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	no_memory.armed = false;
	requests_give(n);
	CHECK(check_rank == 0 || scarce_came(j, round));
	MPI_Barrier(MPI_COMM_WORLD);
}

static void scarce_init(const struct job *j, MPI_Datatype type, MPI_Request *r)
{
	int err;

	for (int passes = 0;; passes++) { /* as much memory as it needs, and no more */
		failing_arm(1, passes, FAILING_ALWAYS);
		err = check_rank == 0
			      ? MPI_Psend_init(out, j->parts, j->count, type, 1, TAG,
					MPI_COMM_WORLD, MPI_INFO_NULL, r)
			      : MPI_Precv_init(in, j->theirs, j->parts * j->count / j->theirs, type,
					0, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, r);
		no_memory.armed = false;
		if (err == MPI_SUCCESS)
			return;
		CHECK(err == MPI_ERR_NO_MEM);
	}
}

/* Ranks without memory: bit 0 the sender, bit 1 the receiver. */
static void scarce_one(struct job j, int who)
{
	MPI_Datatype type;
	MPI_Request r;

	OK(MPI_Type_contiguous(BLOCK, MPI_BYTE, &type));
	if (j.gaps)
		OK(MPI_Type_create_resized(type, 0, 2 * BLOCK, &type));
	OK(MPI_Type_commit(&type));
	scarce_init(&j, type, &r);
	for (int round = 0; round < ROUNDS; round++)
		scarce_round_of(&j, r, round, round > 0 && (who >> check_rank & 1) != 0);
	OK(MPI_Request_free(&r));
	OK(MPI_Type_free(&type));
}

int main(int argc, char **argv)
{
	static const struct job jobs[] = {{1, LONG / BLOCK, 1, false}, {1, LONG / BLOCK, 4, true},
		{8, LONG / BLOCK / 8, 2, false}, {8, LONG / BLOCK / 8, 8, true},
		{1000, 8, 10, false}, {1000, 8, 1000, true}};

	int most = 3;

	check_init(&argc, &argv);
	if (check_has_remote()) /* a frame that arrives in pieces needs memory at its receiver */
		most = 1;
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		for (int who = 1; who <= most; who++)
			scarce_one(jobs[i], who);
	MPI_Finalize();
	return 0;
}
