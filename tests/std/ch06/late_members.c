// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3,9 */
/* MPI-5.0 6.1, 6.12, 6.14: members that come late by more than a wait takes to compare the calls of
 * all make the same blocking, nonblocking and persistent calls, and constructors, in one order.  No
 * error. */
#include "tests/check.h"
#include <time.h>

enum { CALLS = 60, KINDS = 14, LATE_MS = 15, COMMS = 3 };

static MPI_Comm comm[COMMS];
static MPI_Request left[CALLS]; /* calls that are waited for at the end */
static int in[CALLS], out[CALLS], calls;

/* Equal in all members. */
static unsigned late_draw(unsigned n)
{
	static unsigned state = 12345;

	state = state * 1103515245 + 12345;
	return state / 65536 % n;
}

static void late_member(void)
{
	unsigned member = late_draw((unsigned)check_size), wait = late_draw(4);

	if (wait == 0 && member == (unsigned)check_rank)
		nanosleep(&(struct timespec){.tv_nsec = LATE_MS * 1000000}, NULL);
}

static void late_window(MPI_Comm c, int allocated)
{
	MPI_Win w;
	int *base;

	if (allocated)
		OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, c, &base, &w));
	else
		OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, c, &w));
	OK(MPI_Win_free(&w));
}

static void constructor(MPI_Comm c, unsigned kind)
{
	MPI_Comm d = MPI_COMM_NULL;
	MPI_Request r;
	MPI_Group g;

	switch (kind) {
	case 8: OK(MPI_Comm_dup(c, &d)); break;
	case 9: OK(MPI_Comm_split(c, check_rank % 2, 0, &d)); break;
	case 10:
		OK(MPI_Comm_group(c, &g));
		OK(MPI_Comm_create(c, g, &d));
		OK(MPI_Group_free(&g));
		break;
	case 11:
		OK(MPI_Comm_idup(c, &d, &r));
		OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		break;
	default: late_window(c, kind == 12); return;
	}
	OK(MPI_Comm_free(&d));
}

static void late_call(void)
{
	MPI_Comm c = comm[late_draw(COMMS)];
	unsigned kind = late_draw(KINDS);
	int *o = &out[calls], root = (int)late_draw((unsigned)check_size);
	MPI_Request *r = &left[calls++];

	switch (kind) {
	case 0: OK(MPI_Barrier(c)); break;
	case 1: OK(MPI_Bcast(o, 1, MPI_INT, root, c)); break;
	case 2: OK(MPI_Allreduce(in, o, 1, MPI_INT, MPI_SUM, c)); break;
	case 3: OK(MPI_Reduce(in, o, 1, MPI_INT, MPI_SUM, root, c)); break;
	case 4: OK(MPI_Ibarrier(c, r)); break;
	case 5: OK(MPI_Ibcast(o, 1, MPI_INT, root, c, r)); break;
	case 6: OK(MPI_Iallreduce(in, o, 1, MPI_INT, MPI_SUM, c, r)); break;
	case 7:
		OK(MPI_Barrier_init(c, MPI_INFO_NULL, r));
		OK(MPI_Start(r));
		OK(MPI_Wait(r, MPI_STATUS_IGNORE));
		OK(MPI_Request_free(r));
		break;
	default: constructor(c, kind);
	}
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	comm[0] = MPI_COMM_WORLD;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]));
	OK(MPI_Comm_dup(comm[1], &comm[2]));
	for (int i = 0; i < CALLS; i++)
		left[i] = MPI_REQUEST_NULL;
	for (int i = 0; i < CALLS; i++) {
		late_member();
		late_call();
	}
	OK(MPI_Waitall(CALLS, left, MPI_STATUSES_IGNORE));
	OK(MPI_Comm_free(&comm[2]));
	OK(MPI_Comm_free(&comm[1]));
	MPI_Finalize();
	return 0;
}
