// SPDX-License-Identifier: BSD-3-Clause
/* split.c - split collectives. */
#include "libmpi/io/io.h"
