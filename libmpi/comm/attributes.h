// SPDX-License-Identifier: BSD-3-Clause
/* attributes.h - the predefined attributes. */
#ifndef HAFT_COMM_ATTRIBUTES_H
#define HAFT_COMM_ATTRIBUTES_H

#include "libmpi/core/win_object.h"

/* comm_attr_open registers the predefined keys of communicators and windows, and gives MPI_COMM_WORLD
 * its attributes; appnum < 0: it has no MPI_APPNUM.  0 or MPI_ERR_NO_MEM. */
int comm_attr_open(int universe, int appnum);

/* Gives a window a predefined attribute (MPI_WIN_BASE ..): what a C program gets is `value', which
 * is the base address, or the address of what the window keeps (12.2.6).  0, MPI_ERR_NO_MEM. */
int comm_attr_win_fix(struct win *w, int key, void *value);

#endif
