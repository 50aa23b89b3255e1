// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 2.5.6: absolute addresses are of type MPI_Aint, and MPI_BOTTOM is their origin. */
#include "tests/check.h"

/* MPI-5.0 2.5.6: a message from and to absolute addresses. */
static void absolute(void)
{
	int a[2] = {3, 4}, b[2] = {0, 0}, len[1] = {2};
	MPI_Datatype from, to, ints = MPI_INT;
	MPI_Aint at;

	OK(MPI_Get_address(a, &at));
	CHECK(at == (MPI_Aint)(intptr_t)a);
	CHECK(MPI_Aint_add(at, 4) == at + 4 && MPI_Aint_diff(at + 8, at) == 8);
	OK(MPI_Type_create_struct(1, len, &at, &ints, &from));
	OK(MPI_Get_address(b, &at));
	OK(MPI_Type_create_struct(1, len, &at, &ints, &to));
	OK(MPI_Type_commit(&from));
	OK(MPI_Type_commit(&to));
	OK(MPI_Sendrecv(MPI_BOTTOM, 1, from, 0, 0, MPI_BOTTOM, 1, to, 0, 0, MPI_COMM_SELF,
		MPI_STATUS_IGNORE));
	CHECK(b[0] == 3 && b[1] == 4);
	OK(MPI_Type_free(&from));
	OK(MPI_Type_free(&to));
}

/* MPI-5.0 2.5.3: states have names: MPI_ORDER_C and MPI_ORDER_FORTRAN differ. */
static void states(void)
{
	int size[2] = {2, 3}, sub[2] = {1, 1}, start[2] = {1, 0}, a[6] = {0, 1, 2, 3, 4, 5}, b = -1;
	MPI_Datatype c, f;

	CHECK(MPI_ORDER_C != MPI_ORDER_FORTRAN);
	OK(MPI_Type_create_subarray(2, size, sub, start, MPI_ORDER_C, MPI_INT, &c));
	OK(MPI_Type_create_subarray(2, size, sub, start, MPI_ORDER_FORTRAN, MPI_INT, &f));
	OK(MPI_Type_commit(&c));
	OK(MPI_Type_commit(&f));
	OK(MPI_Sendrecv(a, 1, c, 0, 0, &b, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
	CHECK(b == 3);
	OK(MPI_Sendrecv(a, 1, f, 0, 0, &b, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
	CHECK(b == 1);
	OK(MPI_Type_free(&c));
	OK(MPI_Type_free(&f));
}

/* MPI-5.0 2.5.5: a choice argument takes an address of any type. */
static void choice(void)
{
	double d = 1.5, e = 0;
	char s[4] = "abc", t[4] = "";
	struct {
		int i;
	} u = {7}, v = {0};
	MPI_Comm c = MPI_COMM_SELF;

	OK(MPI_Sendrecv(&d, 1, MPI_DOUBLE, 0, 0, &e, 1, MPI_DOUBLE, 0, 0, c, MPI_STATUS_IGNORE));
	OK(MPI_Sendrecv(s, 4, MPI_CHAR, 0, 0, t, 4, MPI_CHAR, 0, 0, c, MPI_STATUS_IGNORE));
	OK(MPI_Sendrecv(&u, 1, MPI_INT, 0, 0, &v, 1, MPI_INT, 0, 0, c, MPI_STATUS_IGNORE));
	CHECK(e == 1.5 && strcmp(t, "abc") == 0 && v.i == 7);
}

/* MPI-5.0 2.5.7, 2.5.8: offsets and counts: wide enough for everything, and comparable with
 * MPI_UNDEFINED. */
static void widths(void)
{
	MPI_Count n = MPI_UNDEFINED;

	CHECK(sizeof(MPI_Count) >= sizeof(MPI_Aint) && sizeof(MPI_Count) >= sizeof(MPI_Offset));
	CHECK(sizeof(MPI_Aint) == sizeof(void *) && sizeof(MPI_Offset) == 8);
	CHECK(n == MPI_UNDEFINED && (MPI_Count)-1 < 0 && (MPI_Offset)-1 < 0 && (MPI_Aint)-1 < 0);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	absolute();
	states();
	choice();
	widths();
	MPI_Finalize();
	return 0;
}
