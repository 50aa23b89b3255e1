// SPDX-License-Identifier: BSD-3-Clause
/* hint_report.c - hints that a call ignores: each is told once a file, by rank 0.
 *
 *      rank 0   "cb_node": did you mean cb_nodes
 *      rank 1   "cb_node": did you mean cb_nodes \n "nb_proc"
 *
 *      stderr   haft: MPI_File_open of x.h5 ignores the hint "cb_node": did you mean cb_nodes
 *               haft: MPI_File_open of x.h5 ignores the hint "nb_proc" (rank 1)
 *
 * The lowest rank that has lines left gives its first one to all.  The ranks that have it, too,
 * count themselves and strike it out.  Nothing is sent if there are no such hints. */
#include "libmpi/coll/reduce_op.h"
#include "libmpi/io/check.h"
#include "libmpi/io/hint.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPORT_LINE (IO_HINT_WHY + MPI_MAX_INFO_KEY + 8)

/* Where a line is among lines that end with '\n'; NULL: nowhere. */
static char *report_find(char *lines, const char *line)
{
	size_t n = strlen(line);

	for (char *at = lines; at != NULL && *at != '\0'; at = strchr(at, '\n') + 1)
		if (strncmp(at, line, n) == 0 && at[n] == '\n')
			return at;
	return NULL;
}

/* Adds a line; without memory it is lost. */
static void report_add(char **lines, const char *line)
{
	size_t old = *lines != NULL ? strlen(*lines) : 0, n = strlen(line);
	char *more = realloc(*lines, old + n + 2);

	if (more == NULL)
		return;
	memcpy(more + old, line, n);
	memcpy(more + old + n, "\n", 2);
	*lines = more;
}

/* Keys and values are the user's: characters that end a line or move the cursor become \x0a. */
static void report_escape(const char *raw, char line[REPORT_LINE])
{
	int at = 0;

	for (; *raw != '\0' && at + 4 < REPORT_LINE; raw++) {
		if ((unsigned char)*raw < ' ' || *raw == 0x7f)
			at += snprintf(line + at, 5, "\\x%02x", (unsigned char)*raw);
		else
			line[at++] = *raw;
	}
	line[at] = '\0';
}

char *io_check_hints(const struct io_file *f, const struct info *info, bool late)
{
	char why[IO_HINT_WHY], raw[REPORT_LINE], line[REPORT_LINE], *lines = NULL;
	const char *key;
	int i = 0;

	if (likely(info == NULL))
		return NULL;
	while ((key = io_hints_ignored(f->hints, info, late, &i, why)) != NULL) {
		snprintf(raw, sizeof(raw), "\"%s\"%s%s", key, why[0] != '\0' ? ": " : "", why);
		report_escape(raw, line);
		if (report_find(f->hints->told, line) == NULL && report_find(lines, line) == NULL)
			report_add(&lines, line);
	}
	return lines;
}

/* The first line of the lowest rank that has one, to all; *from: that rank.  false: there is none.
 */
static bool report_next(const struct io_file *f, const char *lines, char *line, int64_t *from)
{
	int64_t mine = lines != NULL && lines[0] != '\0' ? f->rank : INT64_MAX;
	int err;

	*from = mine;
	if (!f->alone && coll_allreduce(&mine, from, 1, type_predefined(MPI_INT64_T),
				 coll_op_predefined(MPI_MIN), f->comm) != 0)
		return false;
	if (*from == INT64_MAX)
		return false;
	memset(line, 0, REPORT_LINE);
	if (*from == f->rank)
		memcpy(line, lines, strcspn(lines, "\n"));
	err = f->alone ? 0
		       : coll_bcast(
				 line, REPORT_LINE, type_predefined(MPI_BYTE), (int)*from, f->comm);
	return err == 0;
}

/* How many members have the line?  This one strikes it out. */
static int64_t report_strike(struct io_file *f, char *lines, const char *line)
{
	char *at = report_find(lines, line);
	int64_t mine = at != NULL, all = mine;

	if (at != NULL)
		memmove(at, strchr(at, '\n') + 1, strlen(strchr(at, '\n') + 1) + 1);
	report_add(&f->hints->told, line);
	if (!f->alone && coll_allreduce(&mine, &all, 1, type_predefined(MPI_INT64_T),
				 coll_op_predefined(MPI_SUM), f->comm) != 0)
		return 0;
	return all;
}

static void report_print(
	const struct io_file *f, const char *call, const char *line, int64_t first, int64_t n)
{
	const char *path = f->final_path != NULL ? f->final_path : f->path;
	char ranks[80] = "";

	if (n == 1 && f->size > 1)
		snprintf(ranks, sizeof(ranks), " (rank %lld)", (long long)first);
	else if (n < f->size)
		snprintf(ranks, sizeof(ranks), " (%lld of %d ranks; the first is rank %lld)",
			(long long)n, f->size, (long long)first);
	fprintf(stderr, "haft: %s of %s ignores the hint %s%s\n", call, path, line, ranks);
}

void io_check_hints_tell(struct io_file *f, char *lines, bool any, const char *call)
{
	char line[REPORT_LINE];
	int64_t first, n;

	while (any && report_next(f, lines, line, &first)) {
		n = report_strike(f, lines, line);
		if (n == 0)
			break;
		if (f->rank == 0)
			report_print(f, call, line, first, n);
	}
	free(lines);
}
