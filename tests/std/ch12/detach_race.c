/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=2,4 env="HAFT_RMA=mailbox" time=120 */
/* MPI-5.0 12.2.4, 12.6.2: memory that is detached, and cannot even be touched any more, while
 * others access it: they get MPI_ERR_RMA_RANGE or have come in time; its process does not die of
 * it. */
#include "tests/check.h"

#include <stdint.h>
#include <sys/mman.h>

enum { ROUNDS = 10000, BYTES = 65536 /* whole pages of any size */, LOOKS = 6 };

static MPI_Win win;

static void detach_look(int n)
{
	int flag;

	while (n-- > 0)
		OK(MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
}

static void come_and_go(void *page)
{
	for (int i = 0; i < ROUNDS; i++) {
		CHECK(mprotect(page, BYTES, PROT_READ | PROT_WRITE) == 0);
		OK(MPI_Win_attach(win, page, BYTES));
		detach_look(LOOKS);
		OK(MPI_Win_detach(win, page));
		CHECK(mprotect(page, BYTES, PROT_NONE) == 0);
		detach_look(1);
	}
}

static void in_time(int err)
{
	int class;

	OK(MPI_Error_class(err, &class));
	CHECK(class == MPI_SUCCESS || class == MPI_ERR_RMA_RANGE);
}

static void access_it(MPI_Aint at)
{
	const int64_t one = 1;
	int64_t old;

	in_time(MPI_Put(&one, 1, MPI_INT64_T, 0, at, 1, MPI_INT64_T, win));
	in_time(MPI_Win_flush(0, win));
	in_time(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, 0, at, MPI_SUM, win));
	in_time(MPI_Win_flush(0, win));
	in_time(MPI_Get(&old, 1, MPI_INT64_T, 0, at, 1, MPI_INT64_T, win));
	in_time(MPI_Win_flush(0, win));
}

int main(int argc, char **argv)
{
	MPI_Request all;
	void *page;
	MPI_Aint at;
	int over = 0;

	check_init(&argc, &argv);
	page = mmap(NULL, BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(page != MAP_FAILED);
	OK(MPI_Get_address(page, &at));
	OK(MPI_Bcast(&at, 1, MPI_AINT, 0, MPI_COMM_WORLD));
	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	OK(MPI_Win_lock_all(0, win));
	if (check_rank == 0)
		come_and_go(page);
	OK(MPI_Ibarrier(MPI_COMM_WORLD, &all));
	while (!over) {
		if (check_rank > 0)
			access_it(at);
		OK(MPI_Test(&all, &over, MPI_STATUS_IGNORE));
	}
	OK(MPI_Win_unlock_all(win));
	OK(MPI_Win_free(&win));
	munmap(page, BYTES);
	MPI_Finalize();
	return 0;
}
