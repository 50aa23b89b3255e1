// SPDX-License-Identifier: BSD-3-Clause
/* via_state.c - the state of via (struct via).  In a file of its own, because all other files read
 * it, and call each other in no circle for that. */
#include "libmpi/via/via.h"

HAFT_HOT_DATA struct via via;
