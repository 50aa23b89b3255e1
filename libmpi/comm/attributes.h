// SPDX-License-Identifier: BSD-3-Clause
/* attributes.h - the predefined attributes. */
#ifndef HAFT_COMM_ATTRIBUTES_H
#define HAFT_COMM_ATTRIBUTES_H

#include "libmpi/core/win_object.h"

/* Registers the predefined keys of communicators and windows, and sets the predefined attributes of
 * communicators.  universe < 0: MPI_UNIVERSE_SIZE is not set; appnum < 0: nor is MPI_APPNUM.
 * one_clock: MPI_Wtime is of one clock in all processes (MPI_WTIME_IS_GLOBAL, MPI-5.0 9.1.2.3).
 * 0 or MPI_ERR_NO_MEM. */
int comm_attr_open(int universe, int appnum, bool one_clock);

/* Sets a predefined attribute of a window (MPI_WIN_BASE ..).  value is the C form: the
 * base address, or the address of a number that lives as long as the window (MPI-5.0 12.2.6).  0 or
 * MPI_ERR_NO_MEM. */
int comm_attr_win_fix(struct win *w, int key, void *value);

#endif
