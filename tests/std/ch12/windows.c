/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2,4 */
/* MPI-5.0 12.2.1 to 12.2.7, 12.4: windows of each flavor: their
 * attributes, and the parts of them that load and store reach. */
#include "tests/check.h"
#include "tests/info_says.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void win_has(MPI_Win win, void *base, MPI_Aint size, int unit, int flavor)
{
	MPI_Aint *bytes;
	int *number, flag;
	void *at;

	OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &at, &flag));
	CHECK(flag && at == base);
	OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag));
	CHECK(flag && *bytes == size);
	OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &number, &flag));
	CHECK(flag && *number == unit);
	OK(MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &number, &flag));
	CHECK(flag && *number == flavor);
	OK(MPI_Win_get_attr(win, MPI_WIN_MODEL, &number, &flag));
	CHECK(flag && *number == MPI_WIN_UNIFIED);
}

/* 12.2.6: attributes; different sizes and units; a name; the group. */
static void flavors(void)
{
	MPI_Aint bytes = 8 * (MPI_Aint)check_rank;
	int unit = check_rank + 1, result, len;
	char name[MPI_MAX_OBJECT_NAME], *mem = malloc(100);
	MPI_Group group, world;
	MPI_Win win;
	void *base;

	OK(MPI_Win_create(mem, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	win_has(win, mem, bytes, unit, MPI_WIN_FLAVOR_CREATE);
	OK(MPI_Win_set_name(win, "mine"));
	OK(MPI_Win_get_name(win, name, &len));
	CHECK(strcmp(name, "mine") == 0 && len == 4);
	OK(MPI_Win_get_group(win, &group));
	OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
	OK(MPI_Group_compare(group, world, &result));
	CHECK(result == MPI_IDENT);
	OK(MPI_Group_free(&group));
	OK(MPI_Group_free(&world));
	OK(MPI_Win_free(&win));
	OK(MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
	win_has(win, base, bytes, unit, MPI_WIN_FLAVOR_ALLOCATE);
	memset(base, 1, (size_t)bytes);
	OK(MPI_Win_free(&win));
	if (!check_has_remote() || check_size == 1) {
		OK(MPI_Win_allocate_shared(
			bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
		win_has(win, base, bytes, unit, MPI_WIN_FLAVOR_SHARED);
		OK(MPI_Win_free(&win));
	}
	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	win_has(win, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
	OK(MPI_Win_free(&win));
	CHECK(win == MPI_WIN_NULL);
	free(mem);
}

/* 12.2.3: parts lie one behind the other, and every rank can load and store in them. */
static void win_shared(int noncontig)
{
	MPI_Aint bytes = check_rank == 1 ? 0 : 4 * (100 + check_rank), size;
	char *base, *at, *end = NULL;
	MPI_Info info;
	MPI_Win win;
	int unit, *mine;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "alloc_shared_noncontig", noncontig ? "true" : "false"));
	OK(MPI_Win_allocate_shared(bytes, 4, info, MPI_COMM_WORLD, &base, &win));
	OK(MPI_Info_free(&info));
	mine = (int *)(void *)base;
	for (int i = 0; i < bytes / 4; i++)
		mine[i] = 1000 * check_rank + i;
	OK(MPI_Win_fence(0, win));
	for (int r = 0; r < check_size; r++) {
		OK(MPI_Win_shared_query(win, r, &size, &unit, &at));
		CHECK(unit == 4 && size == (r == 1 ? 0 : 4 * (100 + r)));
		CHECK(noncontig || r == 0 || at == end);
		CHECK(r != check_rank || noncontig || at == base);
		for (int i = 0; i < size / 4; i++)
			CHECK(((int *)(void *)at)[i] == 1000 * r + i);
		end = at + size;
	}
	OK(MPI_Win_shared_query(win, MPI_PROC_NULL, &size, &unit, &at));
	CHECK(size == 400 && *(int *)(void *)at == 0);
	OK(MPI_Win_fence(0, win));
	OK(MPI_Win_free(&win));
}

/* 12.2.3: ranks that share no memory cannot make such a window. */
static void unshared(void)
{
	MPI_Win win;
	void *base;

	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	FAILS(MPI_ERR_RMA_SHARED, "cannot share memory",
		MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
}

/* 12.2.3: windows of MPI_Win_allocate and MPI_Win_create can be asked as well. */
static void queries(void)
{
	int *mem, *at, next = (check_rank + 1) % check_size, unit;
	MPI_Aint size;
	MPI_Win win;

	OK(MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &mem, &win));
	mem[3] = check_rank;
	OK(MPI_Win_fence(0, win));
	OK(MPI_Win_shared_query(win, next, &size, &unit, &at));
	CHECK(unit == 4 && (size == 0 || (size == 64 && at[3] == next)));
	OK(MPI_Win_fence(0, win));
	OK(MPI_Win_free(&win));
	mem = malloc(64);
	OK(MPI_Win_create(mem, 64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	OK(MPI_Win_shared_query(win, check_rank, &size, &unit, &at));
	CHECK(size == 64 && at == mem);
	OK(MPI_Win_shared_query(win, next, &size, &unit, &at));
	CHECK(next == check_rank || size == 0);
	OK(MPI_Win_free(&win));
	free(mem);
}

static void win_says(MPI_Win win, const char *key, const char *want)
{
	MPI_Info info;

	OK(MPI_Win_get_info(win, &info));
	CHECK(info_says(info, key, want));
}

/* 12.2.7, 12.2.1: hints. */
static void win_hints(void)
{
	MPI_Info info;
	MPI_Win win;
	void *base;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "accumulate_ordering", "rar,waw"));
	OK(MPI_Info_set(info, "accumulate_ops", "same_op"));
	OK(MPI_Info_set(info, "same_disp_unit", "true"));
	OK(MPI_Info_set(info, "mpi_accumulate_granularity", "64"));
	OK(MPI_Info_set(info, "what_nobody_knows", "1"));
	OK(MPI_Win_allocate(8, 1, info, MPI_COMM_WORLD, &base, &win));
	win_says(win, "no_locks", "false");
	win_says(win, "accumulate_ordering", "rar,waw");
	win_says(win, "accumulate_ops", "same_op");
	win_says(win, "same_disp_unit", "true");
	win_says(win, "same_size", "false");
	win_says(win, "mpi_accumulate_granularity", "64");
	OK(MPI_Info_set(info, "accumulate_ordering", "none"));
	OK(MPI_Info_set(info, "accumulate_ops", "rubbish"));
	OK(MPI_Win_set_info(win, info));
	win_says(win, "accumulate_ordering", "none");
	win_says(win, "accumulate_ops", "same_op");
	OK(MPI_Win_free(&win));
	OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
	win_says(win, "accumulate_ordering", "rar,raw,war,waw");
	win_says(win, "accumulate_ops", "same_op_no_op");
	win_says(win, "mpi_accumulate_granularity", "0");
	OK(MPI_Win_free(&win));
	OK(MPI_Info_free(&info));
}

/* 12.2.1: more than 2^31 bytes, and displacements behind them. */
static void win_large(void)
{
	MPI_Aint bytes = ((MPI_Aint)1 << 32) + 64;
	int x = check_rank + 1, next = (check_rank + 1) % check_size;
	MPI_Win win;
	char *mem;

	if (check_size != 2)
		return;
	mem = malloc((size_t)bytes);
	if (mem == NULL)
		return;
	memset(mem + bytes - 4, 0, 4); /* valgrind does not see what others write here */
	OK(MPI_Win_create_c(mem, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	OK(MPI_Win_fence(0, win));
	OK(MPI_Put_c(&x, 1, MPI_INT, next, bytes - 4, 1, MPI_INT, win));
	OK(MPI_Win_fence(0, win));
	memcpy(&x, mem + bytes - 4, 4);
	CHECK(x == next + 1);
	OK(MPI_Win_free(&win));
	free(mem);
}

/* 12.2.4: pieces come and go while the window stays; accesses may go through neighbours. */
static void win_parts(void)
{
	char *mem = malloc(300), x[200];
	MPI_Aint at, theirs;
	int next = (check_rank + 1) % check_size, from = (check_rank + check_size - 1) % check_size;
	MPI_Win win;

	memset(x, 7, sizeof(x));
	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	for (int i = 2; i >= 0; i--)
		OK(MPI_Win_attach(win, mem + 100 * i, 100));
	OK(MPI_Win_attach(win, mem, 0));
	OK(MPI_Win_detach(win, mem + 200));
	OK(MPI_Get_address(mem, &at));
	OK(MPI_Sendrecv(&at, 1, MPI_AINT, from, 0, &theirs, 1, MPI_AINT, next, 0, MPI_COMM_WORLD,
		MPI_STATUS_IGNORE));
	memset(mem, 0, 300);
	OK(MPI_Win_fence(0, win));
	OK(MPI_Put(x, 199, MPI_BYTE, next, MPI_Aint_add(theirs, 1), 199, MPI_BYTE, win));
	OK(MPI_Win_fence(0, win));
	for (int i = 0; i < 300; i++)
		CHECK(mem[i] == (i > 0 && i < 200 ? 7 : 0));
	OK(MPI_Win_free(&win));
	free(mem);
}

/* 12.2.4: a piece of no bytes is detached at its own address only, and once. */
static void hollow(void)
{
	int a, b;
	MPI_Win win;

	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
	OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
	OK(MPI_Win_attach(win, &a, 0));
	FAILS(MPI_ERR_RMA_ATTACH, "nothing is attached", MPI_Win_detach(win, &b));
	OK(MPI_Win_detach(win, &a));
	FAILS(MPI_ERR_RMA_ATTACH, "nothing is attached", MPI_Win_detach(win, &a));
	OK(MPI_Win_attach(win, &a, 0));
	OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	flavors();
	if (check_has_remote() && check_size > 1) {
		unshared();
	} else {
		win_shared(0);
		win_shared(1);
	}
	queries();
	win_hints();
	win_large();
	win_parts();
	hollow();
	MPI_Finalize();
	return 0;
}
