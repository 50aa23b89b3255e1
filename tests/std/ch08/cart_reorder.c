// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=4 env="HAFT_REORDER=core" */
/* MPI-5.0 8.5.1: reorder puts neighbours near each other: four processes, bound by themselves to
 * two cores round-robin. */
#define _GNU_SOURCE
#include "tests/check.h"

#include <sched.h>

#define SKIP 77

/* Binds this process to one of the first two processors that it may use; false: there are none, or
 * the cores are unknown. */
static int bind_to(int which)
{
	char text[8] = "";
	cpu_set_t all, one;
	MPI_Info hw;
	int len = sizeof(text), flag = 0;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	for (int cpu = 0, i = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &all) && i++ == which)
			CPU_SET(cpu, &one);
	}
	if (CPU_COUNT(&one) == 0 || sched_setaffinity(0, sizeof(one), &one) != 0)
		return 0;
	OK(MPI_Get_hw_resource_info(&hw));
	OK(MPI_Info_get_string(hw, "hwloc://Core", &len, text, &flag));
	OK(MPI_Info_free(&hw));
	return flag && strcmp(text, "true") == 0;
}

/* Members of c in its order, and the rank of this process in it. */
static int members(MPI_Comm c, int *world)
{
	int me;

	OK(MPI_Comm_rank(c, &me));
	OK(MPI_Allgather(&check_rank, 1, MPI_INT, world, 1, MPI_INT, c));
	return me;
}

/* MPI-5.0 8.5.1: a row of four: the two of a core side by side */
static void reorder_row(void)
{
	int dims[1] = {4}, periods[1] = {0}, world[4], at;
	MPI_Comm c;

	OK(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 1, &c));
	at = members(c, world);
	CHECK(world[0] == 0 && world[1] == 2 && world[2] == 1 && world[3] == 3);
	OK(MPI_Cart_coords(c, at, 1, dims));
	CHECK(dims[0] == at);
	OK(MPI_Comm_free(&c));
	OK(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){4}, periods, 0, &c));
	members(c, world);
	CHECK(world[1] == 1 && world[2] == 2);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.1: 2 x 2: the columns are cores already, so nothing changes */
static void square(void)
{
	int dims[2] = {2, 2}, periods[2] = {0, 0}, world[4];
	MPI_Comm c;

	OK(MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &c));
	members(c, world);
	CHECK(world[1] == 1 && world[2] == 2);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 8.5.3: pairs 0 1 and 2 3 of a graph */
static void reorder_pairs(void)
{
	int index[4] = {1, 2, 3, 4}, edges[4] = {1, 0, 3, 2}, world[4];
	MPI_Comm c;

	OK(MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 1, &c));
	members(c, world);
	CHECK(world[0] == 0 && world[1] == 2 && world[2] == 1 && world[3] == 3);
	OK(MPI_Comm_free(&c));
}

int main(int argc, char **argv)
{
	int can, all;

	check_init(&argc, &argv);
	can = bind_to(check_rank % 2);
	OK(MPI_Allreduce(&can, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
	if (all) {
		reorder_row();
		square();
		reorder_pairs();
	}
	MPI_Finalize();
	return all ? 0 : SKIP;
}
