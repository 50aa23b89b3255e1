// SPDX-License-Identifier: BSD-3-Clause
/* forms.h - one collective call in its three forms: blocking, nonblocking, persistent.
 *
 *     for (form = 0; form < 3; form++)
 *             FORM(Bcast, bcast, buf, n, MPI_INT, 0, comm);         and it is over */
#ifndef TESTS_STD_FORMS_H
#define TESTS_STD_FORMS_H

#include "tests/check.h"
#include <mpi.h>

static MPI_Request form_req;
static int form; /* 0: blocking, 1: nonblocking, 2: persistent */

#define FORM(big, low, ...)                                       \
	form_end(form == 0   ? MPI_##big(__VA_ARGS__)             \
		 : form == 1 ? MPI_I##low(__VA_ARGS__, &form_req) \
			     : MPI_##big##_init(__VA_ARGS__, MPI_INFO_NULL, &form_req))

static void form_end(int err)
{
	expect_ok(err);
	if (form == 2)
		expect_ok(MPI_Start(&form_req));
	if (form > 0)
		expect_ok(MPI_Wait(&form_req, MPI_STATUS_IGNORE));
	if (form == 2)
		expect_ok(MPI_Request_free(&form_req));
}

#endif
