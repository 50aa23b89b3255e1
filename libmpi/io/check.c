// SPDX-License-Identifier: BSD-3-Clause
/* check.c - HAFT_CHECK=io: ignored hints, conflicting writes, buffers that change.
 *
 *      rank 0   write [0, 100) solver.c:80 ──┐ MPI_File_sync: all ranges to all members,
 *      rank 1   write [96, 200) solver.c:80 ─┘ sorted; [96, 100) has two writers
 *
 * Each member compares the ranges of a part of the file.  A member remembers a bounded number of
 * ranges between two syncs, and says when it stops. */
#include "libmpi/io/check.h"

#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/callsite.h"
#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/core/setting.h"
#include "libmpi/io/agree.h"
#include "libmpi/type/runs.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_RANGES (1 << 20) /* of one member between two syncs: 32 MiB */
#define CHECK_FIRST  1024
#define CHECK_RUNS   64 /* taken from a type at a time */

struct check_range {
	int64_t lo, hi; /* bytes of the file */
	uintptr_t site; /* in the process of `rank' */
	int64_t rank;
};

struct io_check {
	struct check_range *range; /* malloc'ed */
	int64_t n, room;
	bool told; /* that it remembers no more */
};

bool io_check_wanted;

void io_check_open(const struct io_file *f)
{
	(void)f;
	io_check_wanted = (haft_setting_get(SETTING_CHECK) & HAFT_CHECK_IO) != 0;
}

void io_check_free(struct io_file *f)
{
	if (f->check != NULL)
		free(f->check->range);
	free(f->check);
	f->check = NULL;
}

/* --- conflicting writes --------------------------------------------------------------------- */

/* Makes room for one more range.  false: no more; it has said so once. */
static bool check_grow(struct io_file *f)
{
	struct io_check *c = f->check;
	int64_t room = num_min(num_max(2 * c->room, CHECK_FIRST), CHECK_RANGES);
	struct check_range *more = NULL;

	if (room > c->room)
		more = realloc(c->range, (size_t)room * sizeof(*more));
	if (more != NULL) {
		c->range = more;
		c->room = room;
		return true;
	}
	if (!c->told)
		fprintf(stderr,
			"haft: HAFT_CHECK=io: rank %d has written %lld parts of %s since the last "
			"MPI_File_sync: it remembers no more between two of them, and further ones "
			"are not compared\n",
			f->rank, (long long)c->n, f->path);
	c->told = true;
	return false;
}

static bool check_remember(struct io_file *f, int64_t lo, int64_t hi, uintptr_t site)
{
	struct io_check *c = f->check;
	struct check_range *last = c->n > 0 ? &c->range[c->n - 1] : NULL;

	if (last != NULL && last->hi == lo && last->site == site) {
		last->hi = hi;
		return true;
	}
	if (c->n == c->room && !check_grow(f))
		return false;
	c->range[c->n++] = (struct check_range){lo, hi, site, f->rank};
	return true;
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
	for (int64_t done = 0, covered; done < j->bytes; done += covered) {
		int n = type_runs(
			v->file_filetype, j->at + done, j->bytes - done, run, CHECK_RUNS, &covered);

		for (int i = 0; i < n; i++)
			if (!check_remember(j->f, v->disp + run[i].off,
				    v->disp + run[i].off + run[i].len, site))
				return;
	}
}

void io_check_write(struct io_job *j)
{
	struct io_file *f = j->f;

	if (f->alone) /* no other member to compare with */
		return;
	if (f->check == NULL)
		f->check = calloc(1, sizeof(*f->check));
	if (f->check != NULL && j->bytes > 0 && !f->atomic && !f->sequential)
		check_remember_job(j, obj_site_now());
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

/* The error on all members; the first one of a file also on standard error, by rank 0: a program
 * may drop what MPI_File_sync returns. */
static int check_report(struct io_file *f, const struct check_range *a, const struct check_range *b)
{
	char one[CALLSITE_LEN], two[CALLSITE_LEN];
	int err = check_location(f, a, one);

	if (err == 0)
		err = check_location(f, b, two);
	if (err != 0)
		return err;
	err = haft_err(MPI_ERR_OTHER,
		"bytes %lld to %lld were written by rank %lld (%.80s) and by rank %lld (%.80s) "
		"with no MPI_File_sync between",
		(long long)num_max(a->lo, b->lo), (long long)num_min(a->hi, b->hi) - 1,
		(long long)a->rank, one, (long long)b->rank, two);
	if (f->rank == 0 && !f->overlap_told)
		fprintf(stderr, "haft: HAFT_CHECK=io: %s: %s\n", f->path, haft_err_text(err));
	f->overlap_told = true;
	return err;
}

/* --- who has written where ------------------------------------------------------------------ */

/* The ranges that members compare: each those of a part of the file. */
struct check_parts {
	int64_t low, each; /* part p: from low + p * each on */
	int64_t *n;        /* [4 size]: bytes to, their places; bytes from, their places */
	struct check_range *out, *in;
	int64_t nin;
};

/* All members get the first byte of all ranges, and the length of a part. */
static int check_span(const struct io_file *f, struct check_parts *p)
{
	int64_t mine[2] = {INT64_MAX, INT64_MAX}, all[2];
	int err;

	for (int64_t i = 0; f->check != NULL && i < f->check->n; i++) {
		mine[0] = num_min(mine[0], f->check->range[i].lo);
		mine[1] = num_min(mine[1], -f->check->range[i].hi);
	}
	err = coll_allreduce(
		mine, all, 2, type_predefined(MPI_INT64_T), coll_op_predefined(MPI_MIN), f->comm);
	p->low = all[0];
	p->each = all[0] == INT64_MAX ? 1 : (-all[1] - all[0]) / f->size + 1;
	return err;
}

/* Is a range in part `which'? */
static bool check_is_in(const struct check_parts *p, const struct check_range *r, int which)
{
	return (r->lo - p->low) / p->each <= which && (r->hi - 1 - p->low) / p->each >= which;
}

/* Copies this member's ranges in the order of the parts; those in several parts, several times.
 * 0 or MPI_ERR_NO_MEM. */
static int check_sort_out(const struct io_file *f, struct check_parts *p)
{
	const struct io_check *c = f->check;
	int64_t bytes = (int64_t)sizeof(*p->out), total = 0;

	p->n = calloc(4 * (size_t)f->size, sizeof(*p->n));
	for (int64_t i = 0; c != NULL && i < c->n; i++)
		total += (c->range[i].hi - 1 - p->low) / p->each -
			 (c->range[i].lo - p->low) / p->each + 1;
	p->out = malloc((size_t)(total * bytes) + 1);
	if (p->n == NULL || p->out == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory to compare %lld writes", (long long)total);
	total = 0;
	for (int which = 0; which < f->size; which++) {
		p->n[f->size + which] = total * bytes;
		for (int64_t i = 0; c != NULL && i < c->n; i++)
			if (check_is_in(p, &c->range[i], which))
				p->out[total++] = c->range[i];
		p->n[which] = total * bytes - p->n[f->size + which];
	}
	return 0;
}

/* Makes room for the ranges of this member's part. */
static int check_room(const struct io_file *f, struct check_parts *p)
{
	int64_t *n = p->n + 2 * f->size, *from = n + f->size, at = 0;

	for (int i = 0; i < f->size; i++) {
		from[i] = at;
		at += n[i];
	}
	p->nin = at / (int64_t)sizeof(*p->in);
	p->in = malloc((size_t)at + 1);
	return p->in != NULL ? 0
			     : haft_err(MPI_ERR_NO_MEM, "no memory to compare %lld writes",
				       (long long)p->nin);
}

/* Each member gets all ranges in its part. */
static int check_exchange(const struct io_file *f, struct check_parts *p)
{
	struct type *byte = type_predefined(MPI_BYTE), *number = type_predefined(MPI_INT64_T);
	int size = f->size, err = check_span(f, p);

	err = io_agree(f, err != 0 ? err : check_sort_out(f, p));
	if (err == 0)
		err = coll_alltoall(p->n, 1, number, p->n + 2 * size, 1, number, f->comm);
	if (err == 0)
		err = io_agree(f, check_room(f, p));
	if (err == 0)
		err = coll_alltoallv(p->out, (struct haft_counts){p->n, 1},
			(struct haft_counts){p->n + size, 1}, byte, p->in,
			(struct haft_counts){p->n + 2 * size, 1},
			(struct haft_counts){p->n + 3 * size, 1}, byte, f->comm);
	return err;
}

/* The conflict that the lowest member has found: on all members, in words. */
static int check_compare(struct io_file *f, struct check_parts *p)
{
	struct check_range pair[2] = {{.lo = 0}};
	bool found = check_find(p->in, p->nin, &pair[0], &pair[1]);
	int64_t mine = found ? f->rank : INT64_MAX, first;
	int err = coll_allreduce(&mine, &first, 1, type_predefined(MPI_INT64_T),
		coll_op_predefined(MPI_MIN), f->comm);

	if (err != 0 || first == INT64_MAX)
		return err;
	err = coll_bcast(pair, sizeof(pair), type_predefined(MPI_BYTE), (int)first, f->comm);
	return err != 0 ? err : check_report(f, &pair[0], &pair[1]);
}

int io_check_writes(struct io_file *f, int err)
{
	struct check_parts p = {.low = 0};

	if (likely(!io_check_wanted) || f->alone)
		return err;
	err = io_agree(f, err);
	if (err == 0)
		err = check_exchange(f, &p);
	if (err == 0)
		err = check_compare(f, &p);
	free(p.n);
	free(p.out);
	free(p.in);
	if (f->check != NULL)
		f->check->n = 0;
	return err;
}
