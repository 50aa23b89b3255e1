// SPDX-License-Identifier: BSD-3-Clause
/* set.c - the table of settings and their reading from the environment. */
#include "libmpi/core/set.h"

#include "libobj/base.h"
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row {
	const char *name;
	int64_t normal, min, max;
	const char
		*words[3]; /* words[i] means the number i; else a number with an optional k or M */
	const char *meaning;
};

static const struct row rows[HAFT_SETTINGS] = {
	[HAFT_SET_EAGER] = {"HAFT_EAGER", MEAN_OR(96, 16384), 0, 1 << 20, {NULL},
		"largest message, in bytes, that is sent before the receiver asks for it"},
	[HAFT_SET_COLL] = {"HAFT_COLL", 0, 0, 2, {"shm", "p2p", "check"},
		"collectives use shared memory where it is faster, or messages only; or check "
		"first "
		"that all ranks make the same call"},
};

static int64_t values[HAFT_SETTINGS];

/* Understands one value; false: nonsense. */
static bool parse(const struct row *r, const char *s, int64_t *v)
{
	char *end;

	for (int i = 0; i < (int)countof(r->words) && r->words[i] != NULL; i++) {
		if (strcmp(s, r->words[i]) == 0) {
			*v = i;
			return true;
		}
	}
	if (r->words[0] != NULL)
		return false;
	errno = 0;
	*v = strtoll(s, &end, 10);
	if (end == s || errno != 0 || *v > r->max)
		return false;
	if (*end == 'k' || *end == 'K')
		*v <<= 10, end++;
	else if (*end == 'M')
		*v <<= 20, end++;
	return *end == '\0' && *v >= r->min && *v <= r->max;
}

static void read_all(void)
{
	for (int i = 0; i < HAFT_SETTINGS; i++) {
		const char *s = getenv(rows[i].name);

		values[i] = rows[i].normal;
		if (s == NULL || *s == '\0')
			continue;
		if (!parse(&rows[i], s, &values[i])) {
			values[i] = rows[i].normal;
			fprintf(stderr, "haft: %s=%s is not understood (%s); using the default\n",
				rows[i].name, s, rows[i].meaning);
		}
	}
}

int64_t haft_set(enum haft_setting which)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, read_all);
	return values[which];
}

int haft_set_row(int i, const char **name, int64_t *value, const char **meaning)
{
	if (i < 0 || i >= HAFT_SETTINGS)
		return 0;
	*name = rows[i].name;
	*value = haft_set((enum haft_setting)i);
	*meaning = rows[i].meaning;
	return 1;
}
