// SPDX-License-Identifier: BSD-3-Clause
/* view.c - views of a file. */
#include "libmpi/io/io.h"
