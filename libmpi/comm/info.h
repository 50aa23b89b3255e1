// SPDX-License-Identifier: BSD-3-Clause
/* info.h - info objects, for the life cycle and for engines that read hints. */
#ifndef HAFT_COMM_INFO_H
#define HAFT_COMM_INFO_H

#include "libmpi/core/mpo.h"

/* info_open makes MPI_INFO_ENV; the process is running.  0 or MPI_ERR_NO_MEM. */
int info_open(void);

#endif
