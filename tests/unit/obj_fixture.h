// SPDX-License-Identifier: BSD-3-Clause
/* obj_fixture.h - the fixture of all unit tests of libobj: one domain, two classes, a recording
 * hook.
 *
 * Each test starts with fix_setup, which makes fix.domain with two classes:
 *
 *     fix.thing     with constructor, on_free, destroy, describe
 *     fix.other     with none of these
 *
 * It ends with fix_teardown, which closes the domain.  `fix.seen' counts the callbacks that libobj
 * has made, `fix.diag' is the last report.  Test names begin with a number: H1 to H11 are libobj's
 * requirements, B1 to B23 known errors of MPI libraries. */
#ifndef TESTS_UNIT_FIX_H
#define TESTS_UNIT_FIX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "libobj/base.h"
#include "libobj/obj.h"
#include "tests/check_true.h"

/* 1 in debug, mean and AddressSanitizer builds: long loops are cut short. */
#define FIX_SLOW (HAFT_ASAN || HAFT_DEBUG || HAFT_MEAN)

/* CHECK in a child process: ends it. */
__attribute__((noreturn)) static inline void check_broken(
	const char *file, int line, const char *what)
{
	dprintf(2, "%s:%d: %s\n", file, line, what);
	_exit(1);
}

struct thing {
	struct obj obj;
	int value;
	void *child; /* held by us; dropped by destroy */
};

struct other {
	struct obj obj;
	char pad[100];
};

struct seen {
	int construct, on_free, destroy, report;
	int order; /* of the last destroy: its thing's value */
};

static struct {
	struct obj_domain *domain;
	struct obj_class thing, other;
	struct seen seen;
	struct obj_diag diag;
	int say_no;              /* construct returns it */
	void (*in_free)(void *); /* called by on_free, by destroy */
	void (*in_destroy)(void *);
} fix;

static inline int fix_construct(void *self, void *arg)
{
	struct thing *t = self;

	fix.seen.construct++;
	t->value = arg != NULL ? *(int *)arg : 0;
	return fix.say_no;
}

static inline void fix_on_free(void *self)
{
	fix.seen.on_free++;
	if (fix.in_free != NULL)
		fix.in_free(self);
}

static inline void fix_destroy(void *self)
{
	struct thing *t = self;

	fix.seen.destroy++;
	fix.seen.order = t->value;
	if (t->child != NULL)
		obj_drop(t->child);
	if (fix.in_destroy != NULL)
		fix.in_destroy(self);
}

static inline int fix_describe(const void *self, char *buf, size_t n)
{
	return snprintf(buf, n, "value %d", ((const struct thing *)self)->value);
}

static inline void fix_report(void *ctx, const struct obj_diag *diag)
{
	(void)ctx;
	fix.seen.report++;
	fix.diag = *diag;
}

static const struct obj_class_desc fix_thing = {
	.size = sizeof(struct obj_class_desc),
	.name = "thing",
	.obj_size = sizeof(struct thing),
	.construct = fix_construct,
	.on_free = fix_on_free,
	.destroy = fix_destroy,
	.describe = fix_describe,
};

static const struct obj_class_desc fix_other = {
	.size = sizeof(struct obj_class_desc),
	.name = "other",
	.obj_size = sizeof(struct other),
	.null_value = 77,
};

/* Opens the domain with options of the caller's (size, name and hook are filled in). */
static inline void fix_open(struct obj_domain_opts opts)
{
	memset(&fix, 0, sizeof(fix));
	opts.size = sizeof(opts);
	opts.name = "fix";
	opts.report = fix_report;
	assert_int_equal(obj_domain_open(&fix.domain, &opts), OBJ_OK);
	assert_int_equal(obj_class_open(&fix.thing, fix.domain, &fix_thing), OBJ_OK);
	assert_int_equal(obj_class_open(&fix.other, fix.domain, &fix_other), OBJ_OK);
}

static inline int fix_setup(void **state)
{
	(void)state;
	fix_open((struct obj_domain_opts){.size = 0});
	return 0;
}

static inline int fix_teardown(void **state)
{
	(void)state;
	obj_domain_close(fix.domain, -1, OBJ_FMT_TEXT);
	return 0;
}

/* A new thing with a value; fails the test if there is none. */
static inline struct thing *fix_new(int value)
{
	struct thing *t = obj_new(&fix.thing, &value);

	assert_non_null(t);
	return t;
}

/* Frees it as its user; fails the test if libobj refuses. */
static inline void fix_free(void *self)
{
	obj_h h = obj_handle(self);

	assert_int_equal(obj_free(((struct obj *)self)->u.cls, &h), OBJ_OK);
}

static inline struct obj_class_stats fix_stats(struct obj_class *cls)
{
	struct obj_class_stats s = {.size = sizeof(s)};

	obj_stats(cls, &s);
	return s;
}

/* The bits of a handle, and back. */
static inline uint64_t fix_bits(obj_h h)
{
	return (uint64_t)(uintptr_t)h;
}

static inline obj_h fix_handle(uint64_t bits)
{
	return (obj_h)(uintptr_t)bits;
}

/* Random numbers that a seed repeats (splitmix64). */
static inline uint64_t fix_random(uint64_t *seed)
{
	uint64_t z = (*seed += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

#define FIX_TEST(f) cmocka_unit_test_setup_teardown(f, fix_setup, fix_teardown)

#endif
