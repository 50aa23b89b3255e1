/* SPDX-License-Identifier: BSD-3-Clause */
/* t.h - what a test program of MPI needs: checks that say where and what, and an exit code.
 *
 *     int main(int argc, char **argv)
 *     {
 *             MPI_Init(&argc, &argv);
 *             t_ok(MPI_Send(...));           it returns MPI_SUCCESS (0)
 *             t_eq(status.MPI_TAG, 7);       two integers are equal; prints both if not
 *             t_true(flag && x == 1);
 *             MPI_Finalize();
 *             return t_end();                0, or 1 if anything failed here
 *     }
 *
 * A failed check prints and goes on, so that one run shows all that is wrong.  Exit code 77
 * (t_skip) says that this machine cannot run the test.  Unit tests use cmocka instead. */
#ifndef TESTS_T_H
#define TESTS_T_H

#include <stdio.h>
#include <stdlib.h>

#define T_PRINT_MAX 20 /* failures printed by a process; more of them say nothing new */

static int t_failed; /* checks that failed in this process */

static inline int t_note(int good, const char *file, int line, const char *what)
{
	if (!good && t_failed++ < T_PRINT_MAX) {
		fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
		fflush(stderr);
	}
	return good;
}

static inline int t_same(long long a, long long b, const char *file, int line, const char *what)
{
	if (a != b && t_failed++ < T_PRINT_MAX) {
		fprintf(stderr, "%s:%d: %s: %lld, not %lld\n", file, line, what, a, b);
		fflush(stderr);
	}
	return a == b;
}

/* Each returns 1 if it holds, 0 if not, and may be used in an `if'. */
#define t_true(x)  t_note(!!(x), __FILE__, __LINE__, #x)
#define t_ok(call) t_same((call), 0, __FILE__, __LINE__, #call)
#define t_eq(a, b) t_same((long long)(a), (long long)(b), __FILE__, __LINE__, #a)

/* The exit code of main. */
static inline int t_end(void)
{
	return t_failed != 0;
}

/* Ends the process: the test cannot run here, and why. */
__attribute__((noreturn)) static inline void t_skip(const char *why)
{
	printf("skipped: %s\n", why);
	exit(77);
}

#endif
