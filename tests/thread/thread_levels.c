// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 11.2.1, 11.6.2: levels of thread support; calls for any thread at any time */
#include "tests/thread/threads.h"

static void before(int id)
{
	int flag = -1, version, sub, class;
	MPI_Info info;

	CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag == 0);
	CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag == 0);
	CHECK(MPI_Get_version(&version, &sub) == MPI_SUCCESS && version == 5);
	CHECK(MPI_Error_class(MPI_ERR_TAG, &class) == MPI_SUCCESS && class == MPI_ERR_TAG);
	for (int i = 0; i < 100; i++) {
		CHECK(MPI_Info_create(&info) == MPI_SUCCESS);
		CHECK(MPI_Info_set(info, "id", id % 2 == 0 ? "even" : "odd") == MPI_SUCCESS);
		CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
	}
}

static void during(int id)
{
	int provided = -1, flag = -1, in = -1;

	CHECK(MPI_Query_thread(&provided) == MPI_SUCCESS && provided == MPI_THREAD_MULTIPLE);
	CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && flag == 0);
	CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag == 1);
	/* the first calls with a communicator may come from any thread */
	CHECK(MPI_Sendrecv(&id, 1, MPI_INT, (check_rank + 1) % check_size, id, &in, 1, MPI_INT,
		      MPI_ANY_SOURCE, id, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS);
	CHECK(in == id);
}

static void level_after(int id)
{
	int flag = -1;

	(void)id;
	CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && flag == 1);
	CHECK(MPI_Initialized(&flag) == MPI_SUCCESS && flag == 1);
}

int main(int argc, char **argv)
{
	int flag = -1;

	threads_run(4, before);
	threads_init(&argc, &argv);
	CHECK(MPI_Is_thread_main(&flag) == MPI_SUCCESS && flag == 1);
	threads_run(8, during);
	MPI_Finalize();
	threads_run(4, level_after);
	return 0;
}
