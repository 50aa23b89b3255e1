// SPDX-License-Identifier: BSD-3-Clause
/* coll_cases.h - one collective call of one job by each of its algorithms: time, messages, memory,
 * and the least time that any algorithm could take. */
#ifndef HAFT_TESTS_SIM_COLL_CASES_H
#define HAFT_TESTS_SIM_COLL_CASES_H

#include "tests/sim/loggp.h"

/* The machines, whose figures are in the table of README.md. */
enum { HERE, ETHERNET, FABRIC, MACHINES };
extern const struct machine machines[MACHINES];

#define CASE_ROWS 16

/* The costs of one algorithm.  Without a time (INFINITY) it takes more than `least'. */
struct outcome {
	const char *name;
	double time, least;               /* ns */
	double messages, bytes;           /* of all members */
	int64_t step_memory, temp_memory; /* bytes, of the member with the most */
	bool chosen, folded;
	bool many; /* without a time because its plans have too many steps */
};

struct coll_case {
	const struct machine *m;
	struct plan_shape shape;
	struct plan_call call;
	struct outcome rows[CASE_ROWS];
	int nrows;
	double best, bound; /* ns */
};

/* A row that takes so many times the best time is given up. */
extern double case_cut;

/* How many steps, of all members that are simulated, a plan may have. */
extern double case_steps_max;

/* Fills rows, best and bound.  The shape is set. */
void case_run(struct coll_case *c);

/* The chosen row's time through the best; INFINITY: it was given up.  NAN: it, or all, have too
 * many steps. */
double case_ratio(const struct coll_case *c);

/* Runs one algorithm, with one host, or one member, for those that are alike (fold) or with all.
 * limit: ns. */
struct outcome case_row(const struct coll_case *c, coll_algorithm_fn *fn, bool fold, double limit);

/* Runs an algorithm with data.  Ends the program if a result is wrong, or a member left a barrier
 * before the last had come: coll_data.c. */
void case_check(const struct plan_shape *shape, struct plan_call call);

#endif
