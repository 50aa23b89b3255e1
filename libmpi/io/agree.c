// SPDX-License-Identifier: BSD-3-Clause
/* agree.c - one error for all members. */
#include "libmpi/io/io.h"
