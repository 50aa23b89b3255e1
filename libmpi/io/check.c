// SPDX-License-Identifier: BSD-3-Clause
/* check.c - HAFT_CHECK=io: ignored hints, conflicting writes, buffers that change.
 *
 *      rank 0   write [0, 100) solver.c:80 ──┐ MPI_File_sync: all ranges to all members,
 *      rank 1   write [96, 200) solver.c:80 ─┘ sorted; [96, 100) has two writers
 *
 * A file remembers a bounded number of ranges.  Further ranges are not compared. */
#include "libmpi/io/check.h"

#include "libmpi/core/callsite.h"
#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/setting_names.h"
#include "libmpi/io/agree.h"
#include "libmpi/io/hint.h"
#include "libmpi/type/runs.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_RANGES 16384 /* of one member between two syncs: 512 KiB */
#define CHECK_RUNS   64    /* taken from a type at a time */

struct check_range {
	int64_t lo, hi; /* bytes of the file */
	uintptr_t site; /* in the process of `rank' */
	int64_t rank;
};

struct io_check {
	struct check_range range[CHECK_RANGES];
	int64_t n;
};

bool io_check_wanted;

void io_check_open(const struct io_file *f)
{
	(void)f;
	io_check_wanted = (haft_setting_get(SETTING_CHECK) & HAFT_CHECK_IO) != 0;
}

void io_check_free(struct io_file *f)
{
	free(f->check);
	f->check = NULL;
}

/* --- hints ---------------------------------------------------------------------------------- */

/* The key of the table that is most like this one, or NULL. */
static const char *check_like(const char *key)
{
	const char *best = NULL;
	int least = 3; /* more changes than two make another word */

	for (int h = 0; h < IO_HINTS; h++) {
		const char *known = io_hint_key((enum io_hint)h);
		int n = haft_setting_name_distance(key, (int)strlen(key), known);

		if (n < least) {
			least = n;
			best = known;
		}
	}
	return best;
}

void io_check_hints(const struct io_file *f, const struct info *info, const char *call)
{
	bool late = strcmp(call, "MPI_File_open") != 0;
	const char *key, *why;
	int i = 0;

	if (likely(!io_check_wanted) || f->rank != 0)
		return;
	while ((key = io_hints_ignored(f->hints, info, late, &i, &why)) != NULL) {
		const char *like = why == NULL ? check_like(key) : NULL;

		fprintf(stderr, "haft: %s of %s ignores the hint \"%s\"%s%s%s\n", call, f->path,
			key,
			why != NULL    ? ": "
			: like != NULL ? ": did you mean "
				       : "",
			why != NULL ? why : "", like != NULL ? like : "");
	}
}

/* --- conflicting writes --------------------------------------------------------------------- */

static void check_remember(struct io_file *f, int64_t lo, int64_t hi, uintptr_t site)
{
	struct io_check *c = f->check;
	struct check_range *last = c->n > 0 ? &c->range[c->n - 1] : NULL;

	if (last != NULL && last->hi == lo && last->site == site)
		last->hi = hi;
	else if (c->n < CHECK_RANGES)
		c->range[c->n++] = (struct check_range){lo, hi, site, f->rank};
}

/* Notes the ranges of the file that a job writes. */
static void check_remember_job(const struct io_job *j, uintptr_t site)
{
	const struct io_view *v = j->view;
	struct type_run run[CHECK_RUNS];

	if (v->linear) {
		check_remember(j->f, v->first + j->at, v->first + j->at + j->bytes, site);
		return;
	}
	for (int64_t done = 0, covered; done < j->bytes && j->f->check->n < CHECK_RANGES;
		done += covered) {
		int n = type_runs(
			v->file_filetype, j->at + done, j->bytes - done, run, CHECK_RUNS, &covered);

		for (int i = 0; i < n; i++)
			check_remember(j->f, v->disp + run[i].off,
				v->disp + run[i].off + run[i].len, site);
	}
}

static uint64_t check_sum(const struct io_job *j)
{
	unsigned char part[4096];
	uint64_t sum = 0xcbf29ce484222325u;

	for (int64_t at = 0, n; at < j->bytes; at += n) {
		n = num_min(j->bytes - at, (int64_t)sizeof(part));
		type_pack(j->type, j->buf, j->count, at, part, n);
		for (int64_t i = 0; i < n; i++)
			sum = (sum ^ part[i]) * 0x100000001b3u;
	}
	return sum;
}

void io_check_write(struct io_job *j)
{
	struct io_file *f = j->f;

	if (f->check == NULL)
		f->check = calloc(1, sizeof(*f->check));
	if (f->check != NULL && j->bytes > 0 && !f->atomic && !f->sequential)
		check_remember_job(j, obj_site_now());
	if (j->form != IO_BLOCKING && j->convert == NULL)
		j->sum = check_sum(j);
}

int io_check_buffer(const struct io_job *j)
{
	if (j->direction != IO_WRITE || j->convert != NULL || j->sum == 0 || check_sum(j) == j->sum)
		return 0;
	return haft_err(MPI_ERR_BUFFER,
		"the buffer of %lld bytes was changed before the nonblocking write to %s was "
		"complete",
		(long long)j->bytes, j->f->path);
}

static int check_order(const void *a, const void *b)
{
	const struct check_range *x = a, *y = b;

	return x->lo != y->lo ? (x->lo > y->lo) - (x->lo < y->lo)
			      : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Finds two ranges of different ranks that overlap. */
static bool check_find(
	struct check_range *all, int64_t n, struct check_range *a, struct check_range *b)
{
	int64_t reach = 0; /* the range that reaches furthest so reach */

	qsort(all, (size_t)n, sizeof(*all), check_order);
	for (int64_t i = 1; i < n; i++) {
		if (all[i].lo < all[reach].hi && all[i].rank != all[reach].rank) {
			*a = all[reach];
			*b = all[i];
			return true;
		}
		if (all[i].hi > all[reach].hi)
			reach = i;
	}
	return false;
}

/* The place of a range in the source, as its rank sees it, on all members. */
static int check_location(
	const struct io_file *f, const struct check_range *r, char text[CALLSITE_LEN])
{
	memset(text, 0, CALLSITE_LEN);
	if (f->rank == r->rank)
		haft_callsite_text(r->site, text, CALLSITE_LEN);
	if (f->alone)
		return 0;
	return coll_bcast(text, CALLSITE_LEN, type_predefined(MPI_BYTE), (int)r->rank, f->comm);
}

static int check_report(
	const struct io_file *f, const struct check_range *a, const struct check_range *b)
{
	char one[CALLSITE_LEN], two[CALLSITE_LEN];
	int err = check_location(f, a, one);

	if (err == 0)
		err = check_location(f, b, two);
	if (err != 0)
		return err;
	return haft_err(MPI_ERR_OTHER,
		"bytes %lld to %lld were written by rank %lld (%.80s) and by rank %lld (%.80s) "
		"with no "
		"MPI_File_sync between",
		(long long)num_max(a->lo, b->lo), (long long)num_min(a->hi, b->hi) - 1,
		(long long)a->rank, one, (long long)b->rank, two);
}

/* All members get the ranges of all; *all is malloc'ed. */
static int check_gather(const struct io_file *f, struct check_range **all, int64_t *total)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int64_t mine = f->check != NULL ? f->check->n * (int64_t)sizeof(**all) : 0, at = 0;
	int64_t *n = calloc(2 * (size_t)f->size, sizeof(*n)), *from = n + f->size;
	int err = io_agree(f, n != NULL ? 0 : haft_err(MPI_ERR_NO_MEM, "no memory for a check"));

	if (err == 0)
		err = coll_allgather(&mine, sizeof(mine), byte, n, sizeof(mine), byte, f->comm);
	for (int i = 0; i < f->size && err == 0; i++) {
		from[i] = at;
		at += n[i];
	}
	*all = err == 0 ? malloc((size_t)at + 1) : NULL;
	*total = at / (int64_t)sizeof(**all);
	if (err == 0)
		err = io_agree(
			f, *all != NULL ? 0 : haft_err(MPI_ERR_NO_MEM, "no memory for a check"));
	if (err == 0)
		err = coll_allgatherv(f->check != NULL ? f->check->range : NULL, mine, byte, *all,
			(struct haft_counts){n, 1}, (struct haft_counts){from, 1}, byte, f->comm);
	free(n);
	return err;
}

int io_check_writes(struct io_file *f, int err)
{
	struct check_range *all = NULL, a, b;
	int64_t total;

	if (likely(!io_check_wanted) || f->alone)
		return err;
	err = io_agree(f, err);
	if (err == 0)
		err = check_gather(f, &all, &total);
	if (err == 0 && check_find(all, total, &a, &b))
		err = check_report(f, &a, &b);
	free(all);
	if (f->check != NULL)
		f->check->n = 0;
	return err;
}
