// SPDX-License-Identifier: BSD-3-Clause
/* attr.h - the predefined attributes. */
#ifndef HAFT_COMM_ATTR_H
#define HAFT_COMM_ATTR_H

#include "libmpi/core/mpo.h"

/* attr_open registers the predefined keys of communicators and gives MPI_COMM_WORLD its attributes;
 * appnum < 0: it has no MPI_APPNUM.  0 or MPI_ERR_NO_MEM. */
int attr_open(int universe, int appnum);

#endif
