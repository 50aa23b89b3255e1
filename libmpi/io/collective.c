// SPDX-License-Identifier: BSD-3-Clause
/* collective.c - an access of all members: each does its part, then all agree on the error. */
#include "libmpi/io/io.h"

#include <stddef.h>

void io_collective(struct io_job *j)
{
	if (j->err == 0)
		io_independent(j);
	io_job_fail(j, io_agree(j->f, io_job_error(j)));
}

int io_collective_begin(struct io_job *j, struct req **request)
{
	io_collective(j);
	return io_independent_begin(j, request);
}
