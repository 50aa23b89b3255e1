// SPDX-License-Identifier: BSD-3-Clause
/* access.c - checks of an access, its position and its representation. */
#include "libmpi/io/io.h"
