// SPDX-License-Identifier: BSD-3-Clause
/* set.c - the table of settings and their reading from the environment. */
#include "libmpi/core/set.h"

#include "libmpi/core/state.h"
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
	bool text; /* any words: who uses it understands them */
	bool list; /* several words with commas: the sum of 1 << i */
};

static const struct row rows[HAFT_SETTINGS] = {
	[HAFT_SET_EAGER] = {"HAFT_EAGER", MEAN_OR(96, 16384), 0, 1 << 20, {NULL},
		"largest message, in bytes, that is sent before the receiver asks for it"},
	[HAFT_SET_COLL] = {"HAFT_COLL", 0, 0, 2, {"shm", "p2p", "check"},
		"collectives use shared memory where it is faster (shm), or messages only (p2p)"},
	[HAFT_SET_ERRH] = {"HAFT_ERRHANDLER", 0, 0, 2, {"fatal", "abort", "return"},
		"the initial error handler: MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, "
		"MPI_ERRORS_RETURN"},
	[HAFT_SET_PLACE] = {"HAFT_PLACE", 0, 0, 2, {"numa", "socket", "core"},
		"what MPI_Cart_create with reorder keeps neighbors in, for processes that are "
		"bound: a "
		"NUMA node, a socket, a core"},
	[HAFT_SET_LEAKS] = {"HAFT_LEAKS", 0, 0, 1, {NULL},
		"1: MPI_Finalize prints what the program has not freed, and where it was made"},
	[HAFT_SET_READ] = {"HAFT_READ", 0, 0, 2, {"auto", "never", "always"},
		"large messages are read straight from the sender's memory, where the system "
		"permits it: "
		"when that has been the faster way (auto), never, always"},
	[HAFT_SET_PLAN] = {"HAFT_COLL_PLAN", 0, 0, 0, {NULL},
		"algorithms to use for collectives, like allreduce=ring,bcast=binomial", true},
	[HAFT_SET_CHECK] = {"HAFT_CHECK", 0, 0, 3, {"types", "coll"},
		"a list of what is checked: types: that what was sent is what is received; coll: "
		"that "
		"all ranks make the same collective call",
		.list = true},
	[HAFT_SET_EARLY] = {"HAFT_EARLY", MEAN_OR(4096, 64 << 20), 0, (int64_t)1 << 40, {NULL},
		"bytes of messages that have come before their receives, of all senders together; "
		"who "
		"sends more must wait until he is asked"},
};

static int64_t values[HAFT_SETTINGS];
static const char *texts[HAFT_SETTINGS];

/* Understands a list of words. */
static bool parse_list(const struct row *r, const char *s, int64_t *v)
{
	*v = 0;
	for (size_t len; *s != '\0'; s += len + (s[len] == ',')) {
		int i = 0;

		len = strcspn(s, ",");
		while (i < (int)countof(r->words) && r->words[i] != NULL &&
			(strlen(r->words[i]) != len || strncmp(r->words[i], s, len) != 0))
			i++;
		if (i == (int)countof(r->words) || r->words[i] == NULL)
			return false;
		*v |= 1 << i;
	}
	return true;
}

/* Understands one value; false: nonsense. */
static bool parse(const struct row *r, const char *s, int64_t *v)
{
	char *end;

	if (r->list)
		return parse_list(r, s, v);
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

/* Says once a job what was not understood, and what would be. */
static void complain(const struct row *r, const char *s)
{
	if (haft_life.rank != 0)
		return;
	if (r->list)
		fprintf(stderr,
			"haft: %s=%s is not understood: it is a list of words with commas, of %s, "
			"%s\n",
			r->name, s, r->words[0], r->words[1]);
	else if (r->words[0] != NULL)
		fprintf(stderr,
			"haft: %s=%s is not understood: it is one of %s, %s, %s; using %s\n",
			r->name, s, r->words[0], r->words[1], r->words[2], r->words[r->normal]);
	else
		fprintf(stderr,
			"haft: %s=%s is not understood: it is a number from %lld to %lld, with k "
			"or M if "
			"you like; using %lld\n",
			r->name, s, (long long)r->min, (long long)r->max, (long long)r->normal);
}

static void read_all(void)
{
	for (int i = 0; i < HAFT_SETTINGS; i++) {
		const char *s = getenv(rows[i].name);

		values[i] = rows[i].normal;
		if (s == NULL || *s == '\0')
			continue;
		if (rows[i].text) {
			texts[i] = strdup(s); /* the program may change its environment */
			continue;
		}
		if (!parse(&rows[i], s, &values[i])) {
			values[i] = rows[i].normal;
			complain(&rows[i], s);
		}
	}
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

int64_t haft_set(enum haft_setting which)
{
	pthread_once(&once, read_all);
	return values[which];
}

const char *haft_set_text(enum haft_setting which)
{
	pthread_once(&once, read_all);
	return texts[which] != NULL ? texts[which] : "";
}

/* The words of a list's value. */
static void list_words(const struct row *r, int64_t v, char *value, size_t n)
{
	size_t at = 0;

	value[0] = '\0';
	for (int i = 0; i < (int)countof(r->words) && at < n; i++)
		if (v >> i & 1)
			at += (size_t)snprintf(
				value + at, n - at, "%s%s", at > 0 ? "," : "", r->words[i]);
}

int haft_set_row(int i, const char **name, char *value, size_t n, const char **meaning)
{
	int64_t v;

	if (i < 0 || i >= HAFT_SETTINGS)
		return 0;
	*name = rows[i].name;
	v = haft_set((enum haft_setting)i);
	if (rows[i].text)
		snprintf(value, n, "%s", haft_set_text((enum haft_setting)i));
	else if (rows[i].list)
		list_words(&rows[i], v, value, n);
	else if (rows[i].words[0] != NULL)
		snprintf(value, n, "%s", rows[i].words[v]);
	else
		snprintf(value, n, "%lld", (long long)v);
	*meaning = rows[i].meaning;
	return 1;
}
