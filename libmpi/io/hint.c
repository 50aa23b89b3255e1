// SPDX-License-Identifier: BSD-3-Clause
/* hint.c - the table of hints, MPI_File_set_info and MPI_File_get_info. */
#include "libmpi/io/hint.h"

#include "libmpi/comm/comm_create.h"
#include "libmpi/core/err.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/setting_names.h"
#include "libmpi/env/info.h"
#include "libmpi/io/agree.h"
#include "libmpi/io/check.h"
#include "libmpi/io/disk.h"
#include "libmpi/io/file.h"
#include "libmpi/io/same_call.h"
#include <engine.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum hint_form { HINT_NUMBER, HINT_OCTAL, HINT_WORD, HINT_TEXT };

/* One hint.  `same': all members must give an equal value.  `late': it may change after open. */
struct hint_row {
	const char *key, *synonym;
	enum hint_form form;
	int64_t normal, min, max;
	const char *words[3];
	bool same, late;
};

#define HINT_BYTES ((int64_t)1 << 40) /* more memory than any stage has */
#define HINT_TRISTATE                                                                      \
	.form = HINT_WORD, .max = IO_DISABLE, .words = {"automatic", "enable", "disable"}, \
	.late = true

static const struct hint_row hint_rows[IO_HINTS] = {
	[IO_CB_BUFFER_SIZE] = {"cb_buffer_size", .normal = MEAN_OR(64, 16 << 20), .min = 1,
		.max = HINT_BYTES, .same = true, .late = true},
	[IO_CB_NODES] = {"cb_nodes", .max = INT32_MAX, .same = true, .late = true},
	[IO_CB_BLOCK_SIZE] = {"cb_block_size", .max = HINT_BYTES, .same = true, .late = true},
	[IO_COLLECTIVE_BUFFERING] = {"collective_buffering", .form = HINT_WORD, .max = IO_DISABLE,
		.words = {"automatic", "true", "false"}, .same = true, .late = true},
	[IO_CB_READ] = {"romio_cb_read", .same = true, HINT_TRISTATE},
	[IO_CB_WRITE] = {"romio_cb_write", .same = true, HINT_TRISTATE},
	[IO_DS_READ] = {"romio_ds_read", HINT_TRISTATE},
	[IO_DS_WRITE] = {"romio_ds_write", HINT_TRISTATE},
	[IO_IND_RD_BUFFER_SIZE] = {"ind_rd_buffer_size", .synonym = "romio_ind_rd_buffer_size",
		.normal = MEAN_OR(64, 4 << 20), .min = 1, .max = HINT_BYTES, .late = true},
	[IO_IND_WR_BUFFER_SIZE] = {"ind_wr_buffer_size", .synonym = "romio_ind_wr_buffer_size",
		.normal = MEAN_OR(64, 512 << 10), .min = 1, .max = HINT_BYTES, .late = true},
	[IO_ACCESS_STYLE] = {"access_style", .form = HINT_TEXT, .late = true},
	[IO_FILE_PERM] = {"file_perm", .form = HINT_OCTAL, .normal = 0666, .max = 07777,
		.same = true},
	[IO_STRIPING_FACTOR] = {"striping_factor", .max = INT32_MAX, .same = true},
	[IO_STRIPING_UNIT] = {"striping_unit", .max = HINT_BYTES, .same = true},
	[IO_HAFT_COMMIT] = {"haft_commit", .form = HINT_WORD, .max = IO_COMMIT_REPLACE,
		.words = {"none", "rename", "replace"}, .same = true},
	[IO_HAFT_SYNC] = {"haft_sync", .form = HINT_WORD, .max = IO_SYNC_CLOSE,
		.words = {"never", "close"}, .same = true, .late = true},
	[IO_HAFT_RESERVE] = {"haft_reserve", .max = INT64_MAX, .same = true},
	[IO_HAFT_STATISTICS] = {"haft_statistics", .form = HINT_WORD, .max = 1,
		.words = {"false", "true"}, .same = true, .late = true},
	[IO_MEMORY_KINDS] = {"mpi_assert_memory_alloc_kinds", .form = HINT_TEXT, .late = true},
};
static_assert(IO_HINTS <= 32, "a bit each in io_hints.given");

const char *io_hint_key(enum io_hint which)
{
	return hint_rows[which].key;
}

/* --- parsing -------------------------------------------------------------------------------- */

static bool hint_parse_word(const struct hint_row *row, const char *s, size_t n, int64_t *number)
{
	for (int64_t i = 0; i <= row->max; i++) {
		if (strlen(row->words[i]) == n && strncmp(row->words[i], s, n) == 0) {
			*number = i;
			return true;
		}
	}
	return false;
}

/* Parses a value; blanks around it do not count.  false: it is not one of this hint. */
static bool hint_parse(const struct hint_row *row, const char *value, int64_t *number)
{
	size_t n;
	char *end;
	long long l;

	value += strspn(value, " ");
	n = strlen(value);
	while (n > 0 && value[n - 1] == ' ')
		n--;
	if (n == 0)
		return false;
	if (row->form == HINT_WORD)
		return hint_parse_word(row, value, n, number);
	errno = 0;
	l = strtoll(value, &end, row->form == HINT_OCTAL ? 8 : 10);
	if (end != value + n || errno != 0 || l < row->min || l > row->max)
		return false;
	*number = l;
	return true;
}

/* 14.2.8: words between commas. */
static bool hint_style_valid(const char *value)
{
	static const char *const words[] = {"read_once", "write_once", "read_mostly",
		"write_mostly", "sequential", "reverse_sequential", "random"};

	for (const char *s = value + strspn(value, ", "); *s != '\0'; s += strspn(s, ", ")) {
		size_t n = strcspn(s, ", "), i = 0;

		while (i < countof(words) &&
			(strlen(words[i]) != n || strncmp(words[i], s, n) != 0))
			i++;
		if (i == countof(words))
			return false;
		s += n;
	}
	return true;
}

static bool hint_text_valid(enum io_hint which, const char *value)
{
	return which == IO_MEMORY_KINDS ? env_memory_kinds_known(value) : hint_style_valid(value);
}

/* The value that info has for a hint, or NULL. */
static const char *hint_value(const struct info *info, const struct hint_row *row)
{
	const char *value = info != NULL ? env_info_find(info, row->key) : NULL;

	if (value == NULL && info != NULL && row->synonym != NULL)
		value = env_info_find(info, row->synonym);
	return value;
}

/* Is the value one that this hint can have?  *number becomes it, unless the hint is a text. */
static bool hint_usable(enum io_hint which, const char *value, int64_t *number)
{
	const struct hint_row *row = &hint_rows[which];

	if (row->form == HINT_TEXT)
		return hint_text_valid(which, value);
	return hint_parse(row, value, number);
}

static void hint_take(struct io_hints *h, const struct info *info, bool late)
{
	for (int i = 0; i < IO_HINTS; i++) {
		const struct hint_row *row = &hint_rows[i];
		const char *value = hint_value(info, row);
		char *copy = NULL;

		if (value == NULL || (late && !row->late) ||
			!hint_usable((enum io_hint)i, value, &h->number[i]))
			continue;
		if (row->form == HINT_TEXT) {
			copy = strdup(value);
			if (copy == NULL)
				continue; /* a hint may be ignored */
			free(h->text[i]);
			h->text[i] = copy;
		}
		h->given |= 1u << i;
	}
}

int io_hints_new(const struct info *info, struct io_hints **hints)
{
	struct io_hints *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the hints of a file");
	for (int i = 0; i < IO_HINTS; i++)
		h->number[i] = hint_rows[i].normal;
	h->number[IO_HAFT_SYNC] = haft_setting_get(SETTING_FILE_SYNC);
	hint_take(h, info, false);
	*hints = h;
	return 0;
}

void io_hints_free(struct io_hints *h)
{
	if (h == NULL)
		return;
	for (int i = 0; i < IO_HINTS; i++)
		free(h->text[i]);
	free(h->told);
	free(h);
}

void io_hints_use(struct io_file *f, const struct info *info)
{
	f->timed = io_hint(f, IO_HAFT_STATISTICS) != 0;
	if (hint_value(info, &hint_rows[IO_ACCESS_STYLE]) != NULL)
		io_disk_advise(f, f->hints->text[IO_ACCESS_STYLE]);
}

void io_hints_change(struct io_file *f, const struct info *info)
{
	if (info == NULL)
		return;
	hint_take(f->hints, info, true);
	io_hints_use(f, info);
}

void io_hints_same(const struct info *info, uint64_t same[IO_HINTS])
{
	for (int i = 0; i < IO_HINTS; i++) {
		const char *value = hint_rows[i].same ? hint_value(info, &hint_rows[i]) : NULL;
		int64_t number = 0;

		same[i] = 0;
		if (value != NULL && hint_usable((enum io_hint)i, value, &number))
			same[i] = 1 + (uint64_t)number;
	}
}

int64_t io_hints_same_all(const struct info *info)
{
	uint64_t same[IO_HINTS];
	uint64_t all = 0;

	io_hints_same(info, same);
	for (int i = 0; i < IO_HINTS; i++)
		all = all * 0x9e3779b97f4a7c15u + same[i];
	return (int64_t)(all >> 1);
}

void io_hint_same_value(enum io_hint which, uint64_t same, char *text, size_t n)
{
	const struct hint_row *row = &hint_rows[which];

	if (same == 0)
		snprintf(text, n, "not set");
	else if (row->form == HINT_WORD)
		snprintf(text, n, "%s", row->words[same - 1]);
	else
		snprintf(text, n, row->form == HINT_OCTAL ? "%llo" : "%llu",
			(unsigned long long)same - 1);
}

void io_hints_same_say(const void *info, char *text, size_t n)
{
	uint64_t same[IO_HINTS];
	size_t at = 0;

	io_hints_same(info, same);
	snprintf(text, n, "none");
	for (int i = 0; i < IO_HINTS; i++) {
		char value[32];

		if (same[i] == 0 || at >= n)
			continue;
		io_hint_same_value((enum io_hint)i, same[i], value, sizeof(value));
		at += (size_t)snprintf(
			text + at, n - at, "%s%s=%s", at > 0 ? " " : "", hint_rows[i].key, value);
	}
}

/* The row of a key or of a synonym; -1: there is none. */
static int hint_find(const char *key)
{
	for (int i = 0; i < IO_HINTS; i++) {
		const struct hint_row *row = &hint_rows[i];

		if (strcmp(key, row->key) == 0 ||
			(row->synonym != NULL && strcmp(key, row->synonym) == 0))
			return i;
	}
	return -1;
}

/* --- why a hint is ignored ------------------------------------------------------------------ */

/* The word of n that is most like this one, or NULL. */
static const char *hint_like(
	const char *s, const char *(*word)(const void *arg, int i), const void *arg, int n)
{
	const char *best = NULL;
	int least = 3; /* more changes than two make another word */

	for (int i = 0; i < n; i++) {
		int changes = haft_setting_name_distance(s, (int)strlen(s), word(arg, i));

		if (changes < least) {
			least = changes;
			best = word(arg, i);
		}
	}
	return best;
}

static const char *hint_key(const void *arg, int i)
{
	(void)arg;
	return hint_rows[i].key;
}

static const char *hint_word(const void *arg, int i)
{
	return ((const struct hint_row *)arg)->words[i];
}

static void hint_mean(const char *like, char why[IO_HINT_WHY])
{
	size_t n = strlen(why);

	if (like != NULL)
		snprintf(why + n, IO_HINT_WHY - n, "%sdid you mean %s", n > 0 ? ": " : "", like);
}

/* Which values there are instead. */
static void hint_why_value(const struct hint_row *row, const char *value, char why[IO_HINT_WHY])
{
	bool octal = row->form == HINT_OCTAL;
	int n = snprintf(why, IO_HINT_WHY, "\"%.120s\" is ", value);

	if (row->form == HINT_TEXT) {
		snprintf(why + n, IO_HINT_WHY - (size_t)n, "no value of it");
	} else if (row->form == HINT_WORD) {
		n += snprintf(why + n, IO_HINT_WHY - (size_t)n, "none of ");
		for (int64_t i = 0; i <= row->max; i++)
			n += snprintf(why + n, IO_HINT_WHY - (size_t)n, "%s%s", i > 0 ? ", " : "",
				row->words[i]);
		hint_mean(hint_like(value, hint_word, row, (int)row->max + 1), why);
	} else {
		snprintf(why + n, IO_HINT_WHY - (size_t)n,
			octal ? "no octal number from %llo to %llo" : "no number from %lld to %lld",
			(long long)row->min, (long long)row->max);
	}
}

/* Is this hint in use?  One that comes late may repeat the value in use. */
static bool hint_is_used(const struct io_hints *h, const char *key, const char *value, bool late,
	char why[IO_HINT_WHY])
{
	int i = hint_find(key);
	int64_t number;

	why[0] = '\0';
	if (i < 0) {
		hint_mean(hint_like(key, hint_key, NULL, IO_HINTS), why);
		return strcmp(key, "filename") == 0; /* MPI_File_get_info returns it */
	}
	number = h->number[i];
	if (!hint_usable((enum io_hint)i, value, &number)) {
		hint_why_value(&hint_rows[i], value, why);
		return false;
	}
	snprintf(why, IO_HINT_WHY, "it comes too late, MPI_File_open takes it");
	return !late || hint_rows[i].late || number == h->number[i];
}

/* One with Haft's prefix is told without HAFT_CHECK=io, too: the program relies on it. */
static bool hint_is_told(const char *key)
{
	return io_check_wanted || strncmp(key, "haft_", 5) == 0;
}

const char *io_hints_ignored(
	const struct io_hints *h, const struct info *info, bool late, int *i, char why[IO_HINT_WHY])
{
	const struct info_pair *p = info != NULL ? info->pairs : NULL;

	for (int skip = *i; skip > 0 && p != NULL; skip--)
		p = p->next;
	for (; p != NULL; p = p->next) {
		++*i;
		if (hint_is_told(p->key) && !hint_is_used(h, p->key, p->value, late, why))
			return p->key;
	}
	return NULL;
}

/* --- the calls ------------------------------------------------------------------------------ */

int io_set_info(struct file *fh, struct info *info)
{
	const struct io_same same = {io_hints_same_all(info), "the set of hints that must be equal",
		io_hints_same_say, info};
	struct io_file *f = io_of(fh);
	char *ignored = io_check_hints(f, info, true);
	bool any[IO_AGREE_ANY] = {ignored != NULL};
	int err = io_same_call(f, COLL_FILE_SET_INFO);

	if (err == 0)
		err = io_agree_same(f, 0, &same, 1, any);
	if (err != 0) {
		free(ignored);
		return io_has_joined(err);
	}
	io_hints_change(f, info);
	io_check_hints_tell(f, ignored, any[0], "MPI_File_set_info");
	return 0;
}

/* Adds hint i as it is in use. */
static int hint_show(struct info *info, const struct io_file *f, int i)
{
	const struct hint_row *row = &hint_rows[i];
	const struct io_hints *h = f->hints;
	int64_t number = h->number[i];
	char value[32];

	if (row->form == HINT_TEXT)
		return h->text[i] != NULL ? env_info_set(info, row->key, h->text[i]) : 0;
	if (i == IO_CB_NODES && number == 0)
		number = f->aggregators;
	if (number == 0 && row->form == HINT_NUMBER && (h->given & 1u << i) == 0)
		return 0; /* chosen at each access, or there is none */
	if (row->form == HINT_WORD)
		return env_info_set(info, row->key, row->words[h->number[i]]);
	snprintf(
		value, sizeof(value), row->form == HINT_OCTAL ? "%llo" : "%lld", (long long)number);
	return env_info_set(info, row->key, value);
}

int io_get_info(struct file *fh, struct info **info_used)
{
	const struct io_file *f = io_of(fh);
	struct info *info;
	int err = env_info_create(&info);

	if (err != 0)
		return err;
	for (int i = 0; i < IO_HINTS && err == 0; i++)
		err = hint_show(info, f, i);
	if (err == 0)
		err = env_info_set(info, "filename", f->name);
	if (err == 0)
		err = env_memory_kinds_set(info, comm_kinds_asked(f->comm));
	if (err == 0)
		*info_used = info;
	else
		obj_free_obj(info);
	return err;
}
