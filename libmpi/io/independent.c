// SPDX-License-Identifier: BSD-3-Clause
/* independent.c - an access of one process. */
#include "libmpi/io/io.h"
