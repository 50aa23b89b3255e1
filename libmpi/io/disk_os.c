// SPDX-License-Identifier: BSD-3-Clause
/* disk_os.c - the system calls. */
#include "libmpi/io/io.h"
