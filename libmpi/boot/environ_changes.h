// SPDX-License-Identifier: BSD-3-Clause
/* environ_changes.h - changes of the process's environment since its start. */
#ifndef LIBMPI_BOOT_ENVIRON_CHANGES_H
#define LIBMPI_BOOT_ENVIRON_CHANGES_H

/* Calls take for each change: "NAME=VALUE", or "NAME" if the variable is no longer set. */
void boot_environ_changes(void (*take)(void *arg, const char *entry), void *arg);

#endif
