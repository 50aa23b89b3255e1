// SPDX-License-Identifier: BSD-3-Clause
/* check_true.h - CHECK, the one assertion of all tests; check.h has more for programs of MPI.
 *
 *     CHECK(x) ── false ──> check_broken(file, line, "x")     says so, and ends the process or job
 *
 * The program, or its fixture, defines check_broken: it knows what else the reader needs (a rank, a
 * seed) and how to end.  Unit tests use cmocka's assertions besides. */
#ifndef TESTS_CHECK_TRUE_H
#define TESTS_CHECK_TRUE_H

static inline void check_broken(const char *file, int line, const char *what);

#define CHECK(x)                                              \
	do {                                                  \
		if (!(x))                                     \
			check_broken(__FILE__, __LINE__, #x); \
	} while (0)

#endif
