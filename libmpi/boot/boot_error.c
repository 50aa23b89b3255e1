// SPDX-License-Identifier: BSD-3-Clause
/* boot_error.c - why boot has failed, in one line of text; and numbers in the environment. */
#include "libmpi/boot/boot_error.h"

#include "libobj/base.h"
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

BSS_BEHIND static char error_text[640]; /* of the last failure */

int boot_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error_text, sizeof(error_text), fmt, ap);
	va_end(ap);
	return -1;
}

const char *boot_error_text(void)
{
	return error_text;
}

HAFT_START int boot_env_number(const char *name)
{
	const char *s = getenv(name);
	int64_t n = 0;

	if (s == NULL || *s == '\0')
		return -1;
	for (; *s >= '0' && *s <= '9' && n <= INT_MAX; s++)
		n = n * 10 + (*s - '0');
	return *s == '\0' && n <= INT_MAX ? (int)n : -1;
}
