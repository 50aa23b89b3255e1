/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 9.3: a handle that was freed is refused, in every form, and the words say that it was
 * freed and from where; no value that was never a handle is taken for one. */
#include "tests/check.h"

#include <stdint.h>

static void stale_freed(void)
{
	MPI_Request r, old;
	int x = 1, y = 0, i, flag;

	expect_ok(MPI_Irecv(&y, 1, MPI_INT, 0, 9, MPI_COMM_SELF, &r));
	old = r;
	i = MPI_Request_toint(r);
	expect_ok(MPI_Send(&x, 1, MPI_INT, 0, 9, MPI_COMM_SELF));
	expect_ok(MPI_Wait(&r, MPI_STATUS_IGNORE));
	r = old;
	expect_eq(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
	expect(error_says(MPI_ERR_REQUEST, "freed at stale"));
	expect(error_says(MPI_ERR_REQUEST, "created at stale"));
	expect(r == old);
	r = MPI_Request_fromint(i);
	expect_eq(MPI_Test(&r, &flag, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
	expect(error_says(MPI_ERR_REQUEST, "MPI_Test"));
	expect_eq(MPI_Request_free(&old), MPI_ERR_REQUEST);
}

static void wrong_class(void)
{
	MPI_Request r;
	MPI_Errhandler e;
	int y, size;

	expect_ok(MPI_Irecv(&y, 1, MPI_INT, MPI_PROC_NULL, 9, MPI_COMM_SELF, &r));
	expect_eq(MPI_Comm_size((MPI_Comm)r, &size), MPI_ERR_COMM);
	expect(error_says(MPI_ERR_COMM, "MPI_Request"));
	expect_ok(MPI_Wait(&r, MPI_STATUS_IGNORE));
	e = MPI_ERRORS_RETURN;
	expect_eq(MPI_Type_size((MPI_Datatype)e, &size), MPI_ERR_TYPE);
	expect(error_says(MPI_ERR_TYPE, "MPI_ERRORS_RETURN"));
}

/* xorshift: the same values in each run. */
static uint64_t stale_dice(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static void garbage(void)
{
	uint64_t s = 88172645463325252u;
	int wrong = 0, size;

	for (int i = 0; i < 20000; i++) {
		uint64_t v = stale_dice(&s) >> (i % 48);

		if (v == 257 || v == 258)
			continue;
		wrong += MPI_Comm_size((MPI_Comm)(uintptr_t)v, &size) != MPI_ERR_COMM;
	}
	expect_eq(wrong, 0);
}

int main(int argc, char **argv)
{
	expect_ok(MPI_Init(&argc, &argv));
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	stale_freed();
	wrong_class();
	garbage();
	MPI_Finalize();
	return check_end();
}
