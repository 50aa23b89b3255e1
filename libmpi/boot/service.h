// SPDX-License-Identifier: BSD-3-Clause
/* service.h - starts our mpiexec as the service of a process that was started without it. */
#ifndef LIBMPI_BOOT_SERVICE_H
#define LIBMPI_BOOT_SERVICE_H

#include "libmpi/boot/boot.h"

/* Starts the service of this process. kin: it is a singleton, and the processes that the service
 * starts join its segment; else they get one of their own.  Blocks for some milliseconds.  Returns
 * the socket to it, close-on-exec; -1 with boot_error_text(). */
int boot_service_start(const struct boot *me, bool same_universe);

#endif
