// SPDX-License-Identifier: BSD-3-Clause
/* calls.c - the engines of the access calls. */
#include "libmpi/io/io.h"
