// SPDX-License-Identifier: BSD-3-Clause
/* idle.c - calls that need a file without pending accesses (MPI-5.0 14.2.4, 14.3, 14.6.1). */
#include "libmpi/core/err.h"
#include "libmpi/io/file.h"

int io_file_idle(const struct io_file *f)
{
	if (f->split.req != NULL)
		return haft_err(
			MPI_ERR_OTHER, "a split collective access of %s is active", f->path);
	if (f->jobs > 0)
		return haft_err(MPI_ERR_OTHER, "%d nonblocking accesses of %s are not complete",
			f->jobs, f->path);
	return 0;
}
