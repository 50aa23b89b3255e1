// SPDX-License-Identifier: BSD-3-Clause
/* boot_error.h - what every file of boot uses: the error text, and numbers in the environment. */
#ifndef LIBMPI_BOOT_BOOT_ERROR_H
#define LIBMPI_BOOT_BOOT_ERROR_H

/* Sets boot_error_text(), which boot.h declares.  Returns -1. */
__attribute__((format(printf, 1, 2))) int boot_fail(const char *fmt, ...);
const char *boot_error_text(void);

/* The number in environment variable `name'.  -1: it is not set, or no number from 0 to INT_MAX. */
int boot_env_number(const char *name);

#endif
