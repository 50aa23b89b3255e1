// SPDX-License-Identifier: BSD-3-Clause
/* environ_changes.c - see environ_changes.h.  The kernel keeps the environment of the start. */
#include "libmpi/boot/environ_changes.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The environment at the start of this process: NAME=VALUE, each with its 0.  malloc'ed. */
static char *environ_first(size_t *len)
{
	int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
	size_t room = 0;
	char *v = NULL;
	ssize_t n = 1;

	*len = 0;
	while (fd >= 0 && n > 0) {
		char *more = *len == room ? realloc(v, room * 2 + 65536 + 1) : v;

		if (more == NULL)
			break;
		room = *len == room ? room * 2 + 65536 : room;
		v = more;
		n = read(fd, v + *len, room - *len);
		*len += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	if (v != NULL)
		v[*len] = '\0';
	return v;
}

/* The entry of a variable in the first environment; NULL: none. */
static const char *first_find(const char *v, size_t len, const char *entry)
{
	size_t n = strcspn(entry, "=");

	for (size_t at = 0; v != NULL && at < len; at += strlen(v + at) + 1)
		if (strncmp(v + at, entry, n) == 0 && v[at + n] == '=')
			return v + at;
	return NULL;
}

void boot_environ_changes(void (*take)(void *arg, const char *entry), void *arg)
{
	size_t len;
	char *first = environ_first(&len);

	for (char **e = environ; *e != NULL; e++) {
		const char *was = first_find(first, len, *e);

		if (was == NULL || strcmp(was, *e) != 0)
			take(arg, *e);
	}
	for (size_t at = 0; first != NULL && at < len; at += strlen(first + at) + 1) {
		size_t n = strcspn(first + at, "=");
		char name[256];

		snprintf(name, sizeof(name), "%.*s", (int)n, first + at);
		if (n > 0 && n < sizeof(name) && getenv(name) == NULL)
			take(arg, name);
	}
	free(first);
}
