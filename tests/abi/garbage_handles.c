/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 2.5.1, pitfall 15: no function takes other values for a handle: random values, small
 * numbers, addresses, handles of other kinds, handles that were freed.  It fails with a class and
 * words, and nothing breaks. */
#include "tests/abi/garbage_handles.h"
#include "tests/check.h"

#include <mpi.h>
#include <stdint.h>
#include <string.h>

#define RANDOM 200 /* values for each function */

static int wrong;

static void garbage_try(const struct garbage_case *c, void *garbage)
{
	char text[MPI_MAX_ERROR_STRING];
	int err = c->call(garbage), len = 0, class = -1;

	if (err != MPI_SUCCESS && MPI_Error_class(err, &class) == MPI_SUCCESS &&
		MPI_Error_string(err, text, &len) == MPI_SUCCESS && len > 0)
		return;
	if (wrong++ < 20)
		fprintf(stderr, "%s(%p) gives %d\n", c->name, garbage, err);
}

/* xorshift: the same values in each run. */
static uint64_t garbage_dice(void)
{
	static uint64_t s = 88172645463325252u;

	s ^= s << 13;
	s ^= s >> 7;
	s ^= s << 17;
	return s;
}

/* Values that are no handle of any kind, not even a null one (the ABI's are 256 to 511 and types
 * to 767, operations below 64). */
static void random_values(const struct garbage_case *c)
{
	for (int i = 0; i < RANDOM; i++) {
		uint64_t v = garbage_dice() >> (i % 40);

		if (v > 4096)
			garbage_try(c, (void *)(uintptr_t)v);
	}
	garbage_try(c, (void *)(intptr_t)-1);
	garbage_try(c, (void *)(uintptr_t)0x44000000);
	garbage_try(c, (void *)(uintptr_t)1000);
	garbage_try(c, &wrong);
}

/* Handles that are gone, of every kind at once: for each function at least all but one are of a
 * wrong kind too. */
static void freed_values(const struct garbage_case *c)
{
	static MPI_Comm comm;
	static MPI_Datatype type;
	static MPI_Info info;
	static MPI_Group group;

	if (comm == 0) {
		MPI_Comm comm2;
		MPI_Datatype type2;
		MPI_Info info2;
		MPI_Group group2;

		expect_ok(MPI_Comm_dup(MPI_COMM_SELF, &comm));
		expect_ok(MPI_Comm_group(comm, &group));
		expect_ok(MPI_Type_contiguous(2, MPI_INT, &type));
		expect_ok(MPI_Info_create(&info));
		comm2 = comm;
		type2 = type;
		info2 = info;
		group2 = group;
		expect_ok(MPI_Comm_free(&comm2));
		expect_ok(MPI_Type_free(&type2));
		expect_ok(MPI_Info_free(&info2));
		expect_ok(MPI_Group_free(&group2));
	}
	garbage_try(c, comm);
	garbage_try(c, type);
	garbage_try(c, info);
	garbage_try(c, group);
}

int main(int argc, char **argv)
{
	int n = 0;

	expect_ok(MPI_Init(&argc, &argv));
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	for (const struct garbage_case *c = garbage_cases; c->name != NULL; c++, n++) {
		random_values(c);
		freed_values(c);
	}
	printf("%d functions\n", n);
	expect(n > 200);
	expect_eq(wrong, 0);
	MPI_Finalize();
	return check_end();
}
