// SPDX-License-Identifier: BSD-3-Clause
/* rep.h - data representations (14.5). */
#ifndef HAFT_IO_REP_H
#define HAFT_IO_REP_H

#include "libmpi/io/io.h"

#endif
