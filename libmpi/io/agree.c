// SPDX-License-Identifier: BSD-3-Clause
/* agree.c - one error for all members of a file: a minimum, and after an error its words. */
#include "libmpi/io/agree.h"

#include "libmpi/coll/coll_shm.h"
#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/err.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <stdio.h>
#include <string.h>

#define AGREE_NONE INT64_MAX /* this member has no error */

/* An error on its way to the other members. */
struct agree_words {
	int32_t class;
	char words[HAFT_ERR_TEXT_MAX];
};

static int agree_minimum(struct comm *c, const int64_t *mine, int64_t *least, int n)
{
	return coll_allreduce(
		mine, least, n, type_predefined(MPI_INT64_T), coll_op_predefined(MPI_MIN), c);
}

/* Rank `from' has an error: all members return it. */
static int agree_spread(struct comm *c, int from, int class, const char *words)
{
	struct agree_words all = {.class = class};
	int err;

	if (c->rank == from && strncmp(words, "failed on ", 10) == 0)
		snprintf(all.words, sizeof(all.words), "%s", words);
	else if (c->rank == from)
		snprintf(all.words, sizeof(all.words), "failed on rank %d of %d: %.350s", c->rank,
			c->size, words[0] != '\0' ? words : haft_err_class_text(class));
	err = coll_bcast(&all, sizeof(all), type_predefined(MPI_BYTE), from, c);
	return err != 0 ? err : haft_err(all.class, "%s", all.words);
}

/* The result of a minimum whose first word is that of the ranks with errors. */
static int agree_result(struct comm *c, int64_t least, int err, const char *words)
{
	if (c->size == 1 || least == AGREE_NONE)
		return err;
	return agree_spread(c, (int)least, err, words);
}

int io_agree_on(struct comm *c, int err)
{
	int64_t mine = err != 0 ? c->rank : AGREE_NONE, least = mine;
	char words[HAFT_ERR_TEXT_MAX];
	int failed;

	if (c->size == 1)
		return err;
	if (err != 0)
		snprintf(words, sizeof(words), "%s", haft_err_text(err));
	failed = agree_minimum(c, &mine, &least, 1);
	return failed != 0 ? failed : agree_result(c, least, err, err != 0 ? words : "");
}

int io_agree(const struct io_file *f, int err)
{
	return io_agree_on(f->comm, err);
}

/* A number on its way from rank 0, and its meaning. */
struct agree_first {
	int64_t value;
	char text[120];
};

/* A number differs between members: the lowest rank that has another one than rank 0 says so. */
static int agree_differs(const struct io_file *f, const struct io_same *same)
{
	struct agree_first mine = {.value = same->value}, first;
	int err;

	if (same->say != NULL)
		same->say(same->arg, mine.text, sizeof(mine.text));
	else
		snprintf(mine.text, sizeof(mine.text), "%lld", (long long)same->value);
	first = mine;
	err = coll_bcast(&first, sizeof(first), type_predefined(MPI_BYTE), 0, f->comm);
	if (err == 0 && same->value != first.value)
		err = haft_err(MPI_ERR_NOT_SAME,
			"%s differs between the members of %s: it is %s here, and %s on rank 0",
			same->name, f->path, mine.text, first.text);
	return io_agree(f, err);
}

/* Numbers as one word, which is equal if all of them are. */
static int64_t agree_digest(const struct io_same same[], int n)
{
	uint64_t digest = 0;

	for (int i = 0; i < n; i++) {
		digest = (digest ^ (uint64_t)same[i].value) * 0x9e3779b97f4a7c15u;
		digest ^= digest >> 32;
	}
	return (int64_t)digest;
}

/* Members have other digests: the first number that differs is the error of all. */
static int agree_find(const struct io_file *f, const struct io_same same[], int n)
{
	static const struct io_same none = {.name = "the number of arguments"};
	int64_t mine[2 * IO_AGREE_SAME], least[2 * IO_AGREE_SAME];
	int failed;

	for (int i = 0; i < IO_AGREE_SAME; i++) {
		mine[2 * i] = i < n ? same[i].value : 0;
		mine[2 * i + 1] = ~mine[2 * i]; /* the greatest, as a minimum; never overflows */
	}
	failed = agree_minimum(f->comm, mine, least, 2 * IO_AGREE_SAME);
	for (int i = 0; i < IO_AGREE_SAME && failed == 0; i++)
		if (least[2 * i] != ~least[2 * i + 1])
			return agree_differs(f, i < n ? &same[i] : &none);
	return failed != 0 ? failed
			   : haft_err(MPI_ERR_NOT_SAME, "the members of %s are in different calls",
				     f->path);
}

/* The words that members exchange, whatever they compare. */
enum agree_word { AGREE_ERROR, AGREE_LEAST, AGREE_GREATEST, AGREE_ANY };
#define AGREE_WORDS (AGREE_ANY + IO_AGREE_ANY)
static_assert(
	AGREE_WORDS * sizeof(int64_t) <= COLL_LINE_DATA, "one line of shared memory a member");

int io_agree_same(const struct io_file *f, int err, const struct io_same same[], int n,
	bool any[IO_AGREE_ANY])
{
	int64_t digest = agree_digest(same, n), least[AGREE_WORDS];
	int64_t mine[AGREE_WORDS] = {AGREE_NONE, digest, ~digest};
	char words[HAFT_ERR_TEXT_MAX] = "";
	int failed;

	must(n <= IO_AGREE_SAME);
	if (f->comm->size == 1)
		return err;
	if (err != 0) {
		snprintf(words, sizeof(words), "%s", haft_err_text(err));
		mine[AGREE_ERROR] = f->comm->rank;
	}
	for (int i = 0; i < IO_AGREE_ANY; i++)
		mine[AGREE_ANY + i] = any != NULL && any[i] ? -1 : 0;
	failed = agree_minimum(f->comm, mine, least, AGREE_WORDS);
	if (failed == 0)
		failed = agree_result(f->comm, least[AGREE_ERROR], err, words);
	if (failed == 0 && unlikely(least[AGREE_LEAST] != ~least[AGREE_GREATEST]))
		failed = agree_find(f, same, n);
	for (int i = 0; i < IO_AGREE_ANY && failed == 0 && any != NULL; i++)
		any[i] = least[AGREE_ANY + i] < 0;
	return failed;
}

static _Thread_local bool agree_joined;

int io_has_joined(int err)
{
	agree_joined = err != 0;
	return err;
}

bool io_joined_take(void)
{
	bool joined = agree_joined;

	agree_joined = false;
	return joined;
}
