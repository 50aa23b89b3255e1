// SPDX-License-Identifier: BSD-3-Clause
/* collective.c - an access of all members. */
#include "libmpi/io/io.h"
