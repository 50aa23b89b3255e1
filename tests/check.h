// SPDX-License-Identifier: BSD-3-Clause
/* check.h - the assertions of tests of MPI.  One that fails prints a line with place, rank and
 * condition, and then
 *
 *     CHECK(x)  OK(call)  FAILS(class, text, call)    ends the job: other ranks would wait for ever
 *     expect(x)  expect_ok(call)  expect_eq(a, b)     counts and goes on, to show all failures
 *
 *     int main(int argc, char **argv)
 *     {
 *             check_init(&argc, &argv);           MPI_Init; sets check_rank and check_size
 *             OK(MPI_Send(...));                  it returns MPI_SUCCESS
 *             FAILS(MPI_ERR_TAG, "tag", ...);     it returns this class, with this word in its text
 *             expect_eq(status.MPI_TAG, 7);       prints both if they differ
 *             MPI_Finalize();
 *             return check_end();                 1 if an expectation failed in this process
 *     }
 *
 * Exit code 77 (check_skip) says that this machine cannot run the test.  Unit tests use cmocka. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include "tests/check_true.h"
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK_PRINT_MAX 20 /* expectations that a process prints; more of them say nothing new */

static int check_rank, check_size; /* set by check_init */
static int check_failed;           /* expectations that failed in this process */

static inline void check_init(int *argc, char ***argv)
{
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &check_size);
}

/* The exit code of main. */
static inline int check_end(void)
{
	return check_failed != 0;
}

/* Ends the process: the test cannot run here, and why. */
__attribute__((noreturn)) static inline void check_skip(const char *why)
{
	printf("skipped: %s\n", why);
	exit(77);
}

/* --- assertions that end the job ------------------------------------------------------------ */

static inline void check_broken(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: rank %d: not true: %s\n", file, line, check_rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A call that must succeed. */
#define OK(call)                                                                        \
	do {                                                                            \
		int ok_err = (call);                                                    \
		if (ok_err != MPI_SUCCESS) {                                            \
			char ok_words[MPI_MAX_ERROR_STRING];                            \
			int ok_len;                                                     \
			MPI_Error_string(ok_err, ok_words, &ok_len);                    \
			fprintf(stderr, "%s:%d: rank %d: %s: %s\n", __FILE__, __LINE__, \
				check_rank, #call, ok_words);                           \
			MPI_Abort(MPI_COMM_WORLD, 1);                                   \
		}                                                                       \
	} while (0)

/* A call that must fail with this class, and whose words must hold `text'. */
#define FAILS(class, text, call)                                                                   \
	do {                                                                                       \
		int ok_err = (call), ok_class = 0, ok_len;                                         \
		char ok_words[MPI_MAX_ERROR_STRING] = "";                                          \
		MPI_Error_class(ok_err, &ok_class);                                                \
		MPI_Error_string(ok_err, ok_words, &ok_len);                                       \
		if (ok_class != (class) || strstr(ok_words, text) == NULL) {                       \
			fprintf(stderr,                                                            \
				"%s:%d: rank %d: %s gave class %d, \"%s\"; expected "              \
				"%s with \"%s\"\n",                                                \
				__FILE__, __LINE__, check_rank, #call, ok_class, ok_words, #class, \
				text);                                                             \
			MPI_Abort(MPI_COMM_WORLD, 1);                                              \
		}                                                                                  \
	} while (0)

/* --- expectations: print, count, go on ------------------------------------------------------ */

static inline bool expect_line(bool good, const char *file, int line, const char *what)
{
	if (!good && check_failed++ < CHECK_PRINT_MAX) {
		fprintf(stderr, "%s:%d: rank %d: not true: %s\n", file, line, check_rank, what);
		fflush(stderr);
	}
	return good;
}

static inline bool expect_same(
	long long a, long long b, const char *file, int line, const char *what)
{
	if (a != b && check_failed++ < CHECK_PRINT_MAX) {
		fprintf(stderr, "%s:%d: rank %d: %s: %lld, not %lld\n", file, line, check_rank,
			what, a, b);
		fflush(stderr);
	}
	return a == b;
}

/* Each is true if it holds, and may be used in an `if'. */
#define expect(x)       expect_line(!!(x), __FILE__, __LINE__, #x)
#define expect_ok(call) expect_same((call), 0, __FILE__, __LINE__, #call)
#define expect_eq(a, b) expect_same((long long)(a), (long long)(b), __FILE__, __LINE__, #a)

/* Do the words of the error `code' contain `part'?  For expect(). */
static inline bool error_says(int code, const char *part)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	int len;

	MPI_Error_string(code, text, &len);
	if (strstr(text, part) != NULL)
		return true;
	fprintf(stderr, "not `%s' in: %s\n", part, text);
	return false;
}

/* --- where the ranks are -------------------------------------------------------------------- */

/* Do all messages go by libfabric's providers (HAFT_VIA=ofi-all)?  They have memory of their own,
 * which we cannot bound. */
static inline bool check_fabric(void)
{
	const char *transport = getenv("HAFT_VIA");

	return transport != NULL && strcmp(transport, "ofi-all") == 0;
}

/* How many processes share memory with this one, itself included; *here (may be NULL): is `rank'
 * one of them?  Collective, as the next. */
static inline int check_local(int rank, bool *here)
{
	MPI_Group local, all;
	MPI_Comm c;
	int n, at;

	OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c));
	OK(MPI_Comm_size(c, &n));
	OK(MPI_Comm_group(c, &local));
	OK(MPI_Comm_group(MPI_COMM_WORLD, &all));
	OK(MPI_Group_translate_ranks(all, 1, &rank, local, &at));
	OK(MPI_Group_free(&local));
	OK(MPI_Group_free(&all));
	OK(MPI_Comm_free(&c));
	if (here != NULL)
		*here = at != MPI_UNDEFINED;
	return n;
}

/* Are there processes that share no memory: on another host, or with HAFT_VIA=net or ofi-all? */
static inline bool check_has_remote(void)
{
	return check_local(0, NULL) < check_size;
}

/* Ends the job as skipped unless all its processes share memory; `why' says what needs that. */
static inline void check_one_host(const char *why)
{
	if (!check_has_remote())
		return;
	if (check_rank == 0)
		printf("skipped: several hosts: %s\n", why);
	MPI_Finalize();
	exit(77);
}

/* --- data ----------------------------------------------------------------------------------- */

/* A byte that depends on message and position, to fill and verify buffers. */
static inline unsigned char check_byte(long message, long position)
{
	return (unsigned char)(message * 131 + position * 7 + (position >> 8));
}

static inline void check_fill(void *buf, long n, long message)
{
	for (long i = 0; i < n; i++)
		((unsigned char *)buf)[i] = check_byte(message, i);
}

/* The first wrong position, or -1. */
static inline long check_wrong(const void *buf, long n, long message)
{
	for (long i = 0; i < n; i++) {
		if (((const unsigned char *)buf)[i] != check_byte(message, i))
			return i;
	}
	return -1;
}

/* A small generator of numbers, the same on all ranks for one seed. */
static inline unsigned check_random(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

#endif
