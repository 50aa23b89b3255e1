// SPDX-License-Identifier: BSD-3-Clause
/* service.h - starts our mpiexec as the service of a process that was started without it. */
#ifndef LIBMPI_BOOT_SERVICE_H
#define LIBMPI_BOOT_SERVICE_H

#include "libmpi/boot/boot.h"
#include "libmpi/boot/mpiexec_words.h"

/* Starts a service of this process.  me: for BOOT_SERVICE_OWN.  Blocks for some milliseconds.
 * Returns the socket to it, close-on-exec; -1 with boot_error_text(). */
int boot_service_start(const struct boot *me, enum boot_service kind);

#endif
