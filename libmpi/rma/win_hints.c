// SPDX-License-Identifier: BSD-3-Clause
/* win_hints.c - info hints of windows (MPI-5.0 12.2.1, 12.2.3, 12.2.7).
 *
 *      key                          effect
 *      no_locks                     HAFT_CHECK=strict: MPI_Win_lock is refused; else none
 *      accumulate_ordering          none: operations always run in call order
 *      accumulate_ops               none: atomics allow different operations at the same time
 *      mpi_accumulate_granularity   none: atomics are per element, locks per 64 KiB (acc_apply.c)
 *      same_size, same_disp_unit    none
 *      alloc_shared_noncontig       each part of a shared window has memory of its own
 *      mpi_minimum_memory_alignment alignment of memory that comes with the window
 *
 * MPI_Win_get_info returns all of them.  A value that its key does not define is ignored
 * (chapter 10). */
#include "libmpi/env/info.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/core/err.h"
#include "libmpi/rma/win.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEY_ORDER "accumulate_ordering"
#define KEY_OPS   "accumulate_ops"
#define KEY_GRAIN "mpi_accumulate_granularity"
#define KEY_ALIGN "mpi_minimum_memory_alignment"
#define KEY_KINDS "mpi_assert_memory_alloc_kinds"

enum flag { NO_LOCKS, SAME_SIZE, SAME_UNIT, NONCONTIG, FLAGS };

static const char *const flag_keys[FLAGS] = {
	"no_locks", "same_size", "same_disp_unit", "alloc_shared_noncontig"};

/* The elements of an accumulate_ordering. */
static const char *const orders[] = {"rar", "raw", "war", "waw"};

#define ORDER_ALL ((1u << countof(orders)) - 1)

struct rma_hints {
	bool flag[FLAGS];
	bool same_op;   /* accumulate_ops is "same_op" */
	unsigned order; /* bit i: orders[i]; 0: "none" */
	int grain;      /* bytes */
	int align;      /* bytes */
	char *kinds;    /* malloc'ed, or NULL: not set */
};

/* Parses a list like "rar,waw". False: it is not one. */
static bool hint_order(const char *s, unsigned *order)
{
	unsigned bits = 0;

	if (strcmp(s, "none") == 0) {
		*order = 0;
		return true;
	}
	for (size_t len; *s != '\0'; s += len + (s[len] == ',')) {
		size_t i = 0;

		s += strspn(s, " ");
		len = strcspn(s, ",");
		while (i < countof(orders) && strncmp(s, orders[i], 3) != 0)
			i++;
		if (i == countof(orders) || strspn(s + 3, " ") != len - 3)
			return false;
		bits |= 1u << i;
	}
	if (bits == 0)
		return false;
	*order = bits;
	return true;
}

static void hints_take(struct rma_hints *h, const struct info *info)
{
	const char *s;
	int n;

	for (int i = 0; i < FLAGS; i++)
		h->flag[i] = env_info_flag(info, flag_keys[i], h->flag[i]);
	if (env_info_number(info, KEY_GRAIN, &n) && n >= 0)
		h->grain = n;
	if (env_info_number(info, KEY_ALIGN, &n) && n > 0 && (n & (n - 1)) == 0)
		h->align = n;
	if (info == NULL)
		return;
	s = env_info_find(info, KEY_ORDER);
	if (s != NULL)
		hint_order(s, &h->order);
	s = env_info_find(info, KEY_OPS);
	if (s != NULL && (strcmp(s, "same_op") == 0 || strcmp(s, "same_op_no_op") == 0))
		h->same_op = s[strlen("same_op")] == '\0';
	s = env_info_find(info, KEY_KINDS);
	s = s != NULL && env_memory_kinds_known(s) ? strdup(s) : NULL;
	if (s != NULL) {
		free(h->kinds);
		h->kinds = (char *)(uintptr_t)s;
	}
}

struct rma_hints *rma_hints_new(const struct info *info)
{
	struct rma_hints *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return NULL;
	h->order = ORDER_ALL;
	hints_take(h, info);
	return h;
}

void rma_hints_free(struct rma_hints *h)
{
	if (h == NULL)
		return;
	free(h->kinds);
	free(h);
}

bool rma_hints_no_locks(const struct rma_hints *h)
{
	return h->flag[NO_LOCKS];
}

bool rma_hints_noncontig(const struct rma_hints *h)
{
	return h->flag[NONCONTIG];
}

int64_t rma_hints_align(const struct rma_hints *h)
{
	return h->align;
}

/* Hints on memory and locks keep the values that they had when the window was made. */
int rma_win_set_info(struct win *w, struct info *info)
{
	struct rma_hints *h = w->rma->hints, was = *h;

	hints_take(h, info);
	h->flag[NO_LOCKS] = was.flag[NO_LOCKS];
	h->flag[NONCONTIG] = was.flag[NONCONTIG];
	h->align = was.align;
	return 0;
}

static int hint_put_number(struct info *info, const char *key, int n)
{
	char value[16];

	snprintf(value, sizeof(value), "%d", n);
	return env_info_set(info, key, value);
}

static int hint_put_order(struct info *info, unsigned order)
{
	char value[sizeof("rar,raw,war,waw")] = "";

	for (size_t i = 0; i < countof(orders); i++)
		if (order & 1u << i)
			snprintf(value + strlen(value), sizeof(value) - strlen(value), "%s%s",
				value[0] != '\0' ? "," : "", orders[i]);
	return env_info_set(info, KEY_ORDER, order == 0 ? "none" : value);
}

int rma_win_get_info(struct win *w, struct info **info_used)
{
	const struct rma_hints *h = w->rma->hints;
	struct info *info;
	int err = env_info_create(&info);

	if (err != 0)
		return err;
	for (int i = 0; i < FLAGS && err == 0; i++)
		if (i != NONCONTIG || w->flavor == MPI_WIN_FLAVOR_SHARED)
			err = env_info_set(info, flag_keys[i], h->flag[i] ? "true" : "false");
	if (err == 0)
		err = hint_put_order(info, h->order);
	if (err == 0)
		err = env_info_set(info, KEY_OPS, h->same_op ? "same_op" : "same_op_no_op");
	if (err == 0)
		err = hint_put_number(info, KEY_GRAIN, h->grain);
	if (err == 0 && h->align > 0)
		err = hint_put_number(info, KEY_ALIGN, h->align);
	if (err == 0)
		err = env_memory_kinds_set(info, comm_kinds_asked(w->comm));
	if (err == 0 && h->kinds != NULL)
		err = env_info_set(info, KEY_KINDS, h->kinds);
	if (err == 0)
		*info_used = info;
	else
		obj_free_obj(info);
	return err;
}
