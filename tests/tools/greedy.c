// SPDX-License-Identifier: BSD-3-Clause
/* greedy.c - takes so many MiB of memory, and sleeps: limits.sh. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	size_t len = (size_t)(argc > 1 ? atoi(argv[1]) : 1) << 20;
	char *p = malloc(len);

	if (p == NULL)
		return 1;
	memset(p, 1, len);
	sleep(p[len / 2] > 0 ? 60 : 0);
	return 0;
}
