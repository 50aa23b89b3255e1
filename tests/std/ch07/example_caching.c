// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 */
/* MPI-5.0 7.7.6: a library keeps its plan for a group on the communicator, shared
 * with dups by a count of references; the last of them frees it. */
#include "tests/check.h"

struct plan {
	int refs, users, sum_of_ranks;
};

static int plan_key = MPI_KEYVAL_INVALID;
static int plans; /* that are alive */

static int plan_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	struct plan *p = in;

	(void)comm;
	(void)extra;
	CHECK(key == plan_key);
	p->refs++;
	*(struct plan **)out = p;
	*flag = 1;
	return MPI_SUCCESS;
}

static int plan_delete(MPI_Comm comm, int key, void *value, void *extra)
{
	struct plan *p = value;

	(void)comm;
	(void)extra;
	CHECK(key == plan_key);
	if (--p->refs == 0) {
		free(p);
		plans--;
	}
	return MPI_SUCCESS;
}

/* The library's operation: the sum of all ranks, worked out once for each group. */
static int rank_sum(MPI_Comm comm, int *worked)
{
	struct plan *p;
	int found, rank;

	if (plan_key == MPI_KEYVAL_INVALID)
		OK(MPI_Comm_create_keyval(plan_copy, plan_delete, &plan_key, NULL));
	OK(MPI_Comm_get_attr(comm, plan_key, &p, &found));
	*worked = !found;
	if (!found) {
		p = calloc(1, sizeof(*p));
		CHECK(p != NULL);
		p->refs = 1;
		plans++;
		OK(MPI_Comm_rank(comm, &rank));
		OK(MPI_Allreduce(&rank, &p->sum_of_ranks, 1, MPI_INT, MPI_SUM, comm));
		OK(MPI_Comm_set_attr(comm, plan_key, p));
	}
	p->users++;
	return p->sum_of_ranks;
}

int main(int argc, char **argv)
{
	int worked, sum;
	MPI_Comm c[4];

	check_init(&argc, &argv);
	sum = check_size * (check_size - 1) / 2;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c[0]));
	CHECK(rank_sum(c[0], &worked) == sum && worked);
	CHECK(rank_sum(c[0], &worked) == sum && !worked);
	OK(MPI_Comm_dup(c[0], &c[1]));
	CHECK(rank_sum(c[1], &worked) == sum && !worked);
	OK(MPI_Comm_dup(c[1], &c[2]));
	CHECK(plans == 1);
	OK(MPI_Comm_free(&c[0]));
	CHECK(rank_sum(c[2], &worked) == sum && !worked);
	OK(MPI_Comm_split(c[1], 0, 0, &c[3]));
	CHECK(rank_sum(c[3], &worked) == sum && worked && plans == 2);
	OK(MPI_Comm_free(&c[1]));
	CHECK(plans == 2);
	OK(MPI_Comm_free(&c[2]));
	CHECK(plans == 1);
	OK(MPI_Comm_free(&c[3]));
	CHECK(plans == 0);
	OK(MPI_Comm_free_keyval(&plan_key));
	MPI_Finalize();
	return 0;
}
