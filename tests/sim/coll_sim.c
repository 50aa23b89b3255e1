// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0 time=120 */
/* coll_sim.c - every algorithm of libmpi/coll at every size, in simulated time, beside the lower
 * bound and the choice of the rules.
 *
 *     machine x shape x call x bytes ──> each algorithm of the rules that is able to do the call
 *          ──> plans of all members, or of one host if all hosts are alike ──> loggp_run
 *          ──> time / least time of all algorithms,  least time / bound
 *
 *     coll_sim                       small cases
 *     coll_sim -s [RANKS HOSTS[c] [CALL]]
 *                                    a line for each algorithm in them, or in those of this shape,
 *                                    which may be any; c: cyclic mapping
 *     coll_sim -a DIR [RANKS HOSTS]  all, or this shape: a line for each algorithm in
 *                                    DIR/sim-coll.txt, curves in DIR/sim-coll.svg
 *                                    DIR RANKS HOSTS CALL: that collective call only
 *     coll_sim -m                    constructors, files and the start, at all sizes
 *     coll_sim -t                    calls of 2 to 16 ranks on a host of 2 processors
 *
 * Asserted
 *  - Each call's result is right: members begin at different times, roots are not 0, numbers of
 *    ranks are no powers of two, hosts have blocks of ranks, or cyclic ones.
 *  - A plan made with a shared layout is that of a communicator of its own.
 *  - One host that stands for all takes the time of all hosts.
 *  - No algorithm takes less than the bound.
 *  - The rules choose an algorithm that takes at most RATIO_GOOD times the least time. */
#include <mpi.h>

#include "tests/check_true.h"
#include "tests/sim/coll_makers.h"
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RATIO_GOOD 1.3
#define FOLD_ERROR 0.05 /* parts of uneven lengths; messages that come at one time */
#define ROUNDING   1e-6
#define CASES_MAX  4000
#define MEMORY_MAX ((double)(4LL << 30)) /* bytes of a member's buffers */
#define STEPS_ALL  2e7                   /* of a case of -a */
#define WIDE       2000                  /* ranks from which fewer numbers of bytes are tried */
#define HUGE_JOB   500000                /* as that, and calls of log n steps only */

static const enum coll_kind kinds[] = {COLL_BARRIER, COLL_BCAST, COLL_GATHER, COLL_SCATTER,
	COLL_ALLGATHER, COLL_ALLTOALL, COLL_REDUCE, COLL_ALLREDUCE, COLL_REDUCE_SCATTER_BLOCK,
	COLL_SCAN, COLL_EXSCAN};
static const struct plan_shape small_shapes[] = {{2, 1, false}, {2, 2, false}, {3, 3, false},
	{4, 2, false}, {16, 1, false}, {16, 4, false}, {16, 16, false}, {24, 4, true},
	{60, 10, false}, {64, 1, false}, {64, 64, false}, {256, 16, false}};
static const struct plan_shape other_shapes[] = {
	{12, 3, false}, {36, 6, false}, {512, 4, false}, {1000, 10, false}, {2048, 256, false}};
static const struct plan_shape more_shapes[] = {{8, 1, false}, {64, 4, false}, {100, 100, false},
	{256, 1, false}, {1000, 10, false}, {1024, 64, false}, {1024, 1024, false},
	{4096, 64, false}, {4096, 4096, false}, {10000, 100, false}, {10000, 10000, false},
	{65536, 1024, false}, {100000, 1000, false}, {1000000, 10000, false},
	{1048576, 8192, false}};
static const struct plan_shape maker_shapes[] = {{16, 4, false}, {256, 16, false},
	{1024, 64, false}, {4096, 64, false}, {10000, 100, false}, {65536, 1024, false},
	{1000000, 10000, false}};

static const char *only; /* NULL, or the call that is taken alone */
static struct coll_case *cases;
static int ncases;

__attribute__((noreturn)) static inline void check_broken(
	const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
	exit(1);
}

static bool has_blocks(enum coll_kind kind)
{
	return (kind >= COLL_GATHER && kind <= COLL_ALLTOALL) || kind == COLL_REDUCE_SCATTER_BLOCK;
}

/* --- results, plans and folds are right ----------------------------------------------------- */

static void check_call(const struct plan_shape *shape, struct plan_call call)
{
	const char *name = "";
	coll_algorithm_fn *fn = NULL;

	for (int i = 0; name != NULL; i++)
		if (plan_row(&call, i, &name, &fn)) {
			struct plan_call row = call;

			row.algorithm = fn;
			case_check(shape, row);
		}
}

static void check_results(void)
{
	static const struct plan_shape shapes[] = {{1, 1, false}, {5, 1, false}, {8, 1, false},
		{7, 7, false}, {8, 8, false}, {12, 3, false}, {11, 3, false}, {14, 4, true},
		{20, 1, false}, {32, 4, false}, {24, 8, false}, {16, 8, true}};
	static const int64_t bytes[] = {8, 72, 4000, 20000};

	for (size_t s = 0; s < countof(shapes); s++)
		for (size_t i = 0; i < countof(kinds) * countof(bytes); i++) {
			struct plan_call call = {.kind = kinds[i / countof(bytes)],
				.bytes = bytes[i % countof(bytes)]};

			plan_shape_set(&shapes[s]);
			check_call(&shapes[s], call);
			call.root = shapes[s].ranks - 1;
			check_call(&shapes[s], call);
			call.floats = call.kind >= COLL_REDUCE;
			check_call(&shapes[s], call);
		}
}

/* One host for all, and all hosts: equal times. */
static void check_fold(const struct plan_shape *shape, int *folded)
{
	plan_shape_set(shape);
	for (size_t i = 0; i < 3 * countof(kinds); i++) {
		static const int64_t bytes[] = {8, 1024, 262144};
		struct coll_case c = {.m = &machines[FABRIC],
			.shape = *shape,
			.call = {.kind = kinds[i / 3], .bytes = bytes[i % 3], .blocking = true}};
		const char *name = "";
		coll_algorithm_fn *fn = NULL;

		for (int r = 0; name != NULL; r++) {
			struct outcome one, all;

			if (!plan_row(&c.call, r, &name, &fn))
				continue;
			one = case_row(&c, fn, true, 1e12);
			all = case_row(&c, fn, false, 1e12);
			*folded += one.folded;
			if (fabs(one.time - all.time) > FOLD_ERROR * all.time)
				fprintf(stderr,
					"%s, %s, %d ranks on %d hosts, %lld bytes: one host takes "
					"%.0f ns, all take %.0f\n",
					coll_kind_name(c.call.kind), name, shape->ranks,
					shape->hosts, (long long)c.call.bytes, one.time, all.time);
			CHECK(fabs(one.time - all.time) <= FOLD_ERROR * all.time);
			CHECK(fabs(one.messages - all.messages) <= FOLD_ERROR * all.messages);
		}
	}
}

static void check_folds(void)
{
	int folded = 0;

	check_fold(&(struct plan_shape){12, 4, false}, &folded);
	check_fold(&(struct plan_shape){32, 8, false}, &folded);
	check_fold(&(struct plan_shape){9, 9, false}, &folded);
	check_fold(&(struct plan_shape){48, 4, false}, &folded); /* one member for others */
	CHECK(folded > 40);
}

/* --- cases ---------------------------------------------------------------------------------- */

static void case_print(FILE *f, const struct coll_case *c)
{
	const char *form = c->call.floats ? "double" : c->call.blocking ? "block" : "req";

	for (int i = 0; i < c->nrows; i++) {
		const struct outcome *o = &c->rows[i];
		bool cut = isinf(o->time);

		fprintf(f,
			"%-9s %-24s %7d %5d%s %9lld %-6s %-19s %s%12.2f %10.3g %10.3g %9lld %12lld "
			"%10.2f %6.2f %7.2f%s\n",
			c->m->name, coll_kind_name(c->call.kind), c->shape.ranks, c->shape.hosts,
			c->shape.cyclic ? "c" : "", (long long)c->call.bytes, form, o->name,
			cut ? ">" : " ", (cut ? o->least : o->time) / 1e3, o->messages, o->bytes,
			(long long)o->step_memory, (long long)o->temp_memory, c->bound / 1e3,
			o->time / c->best, o->time / c->bound, o->chosen ? " <" : "");
	}
	fflush(f);
}

static void case_add(FILE *f, const struct machine *m, const struct plan_shape *shape,
	const struct plan_call *call)
{
	struct coll_case *c = &cases[ncases++];

	CHECK(ncases <= CASES_MAX);
	*c = (struct coll_case){.m = m, .shape = *shape, .call = *call};
	case_run(c);
	if (f != NULL)
		case_print(f, c);
}

/* All calls of a job, of `step'^2 times as many bytes each. */
static void cases_of_shape(
	FILE *f, const struct machine *m, const struct plan_shape *shape, int step)
{
	plan_shape_set(shape);
	case_cut = shape->ranks < WIDE ? 4 : 1;
	for (size_t i = 0; i < countof(kinds) - 1; i++)
		for (int64_t bytes = 8; bytes <= 16 << 20; bytes *= step) {
			struct plan_call call = {.kind = kinds[i], .bytes = bytes};

			if ((double)bytes * (has_blocks(call.kind) ? shape->ranks : 1) >
					MEMORY_MAX ||
				(call.kind == COLL_BARRIER && bytes > 8) ||
				(has_blocks(call.kind) && shape->ranks >= HUGE_JOB) ||
				(only != NULL && strcmp(coll_kind_name(call.kind), only) != 0))
				continue;
			call.blocking = shape->hosts > 1;
			case_add(f, m, shape, &call);
			call.blocking = false;
			call.floats = shape->hosts == 1;
			if (shape->hosts > 1 ? shape->hosts < shape->ranks && shape->ranks < WIDE
					     : call.kind >= COLL_REDUCE)
				case_add(f, m, shape, &call);
		}
}

/* For each collective: how many cases, how many within RATIO_GOOD, the worst; in how many all
 * algorithms take more than twice the bound. */
static void summary(bool asserts)
{
	int all = 0, good = 0, many = 0;

	printf("%-24s %6s %8s %8s %8s %s\n", "", "cases", "<= 1.3", "worst", "> 2 bound",
		"worst case");
	for (size_t i = 0; i < countof(kinds) - 1; i++) {
		const struct coll_case *worst = NULL;
		int n = 0, within = 0, above = 0;

		for (const struct coll_case *c = cases; c < cases + ncases; c++) {
			if (c->call.kind != kinds[i])
				continue;
			if (isnan(case_ratio(c))) {
				many++;
				continue;
			}
			n++;
			within += case_ratio(c) <= RATIO_GOOD;
			above += c->best > 2 * c->bound;
			CHECK(c->best > (1 - ROUNDING) * c->bound);
			if (worst == NULL || case_ratio(c) > case_ratio(worst))
				worst = c;
		}
		if (worst == NULL)
			continue;
		printf("%-24s %6d %8d %8.2f %8d  %s, %d ranks on %d hosts, %lld bytes: %s\n",
			coll_kind_name(kinds[i]), n, within, case_ratio(worst), above,
			worst->m->name, worst->shape.ranks, worst->shape.hosts,
			(long long)worst->call.bytes, worst->rows[0].name);
		all += n;
		good += within;
	}
	printf("%d of %d within %.1f times the best; %d not simulated: too many steps\n", good, all,
		RATIO_GOOD, many);
	CHECK(!asserts || good == all);
}

/* Constructors, files and the start.  Returns the table, as a line each in f. */
static struct maker_table makers_of(FILE *f, int machine)
{
	struct maker_table t = makers_run(&machines[machine], maker_shapes, countof(maker_shapes));

	makers_print(f, &t);
	return t;
}

static void run_makers(void)
{
	case_steps_max = STEPS_ALL;
	for (int m = ETHERNET; m < MACHINES; m++) {
		struct maker_table t = makers_of(stdout, m);

		free(t.ns);
		free(t.messages);
	}
}

/* Those that send nothing do so, and the others as many messages as their trees have edges. */
static void check_makers(void)
{
	static const struct plan_shape shapes[] = {{16, 4, false}, {60, 60, false}};
	struct maker_table t = makers_run(&machines[FABRIC], shapes, countof(shapes));
	static const char *const none[] = {"MPI_Init", "MPI_Comm_dup"};

	for (int i = 0; i < MAKERS; i++)
		for (int s = 0; s < t.nshapes; s++) {
			double n = t.messages[i * t.nshapes + s];
			const char *name = maker_name(i);

			if (strcmp(name, none[0]) == 0 || strcmp(name, none[1]) == 0)
				CHECK(n < 1);
			else if (strcmp(name, "MPI_Comm_create_group") == 0)
				CHECK(fabs(n - (shapes[s].ranks - 1)) < 1);
			else if (strcmp(name, "mpiexec, start") == 0)
				CHECK(fabs(n - 4 * (shapes[s].hosts - 1)) < 1);
			else
				CHECK(n >= shapes[s].hosts - 1);
		}
	free(t.ns);
	free(t.messages);
}

/* The small cases, and allreduces of jobs for which no rule has its limits; or the cases of one
 * job. */
static void run_small(FILE *f)
{
	for (size_t i = 0; i < countof(small_shapes); i++)
		for (int m = ETHERNET; m < MACHINES; m++)
			cases_of_shape(f, &machines[m], &small_shapes[i], 8);
}

/* Allreduces alone: other calls of these jobs may take more than RATIO_GOOD. */
static void run_others(void)
{
	only = coll_kind_name(COLL_ALLREDUCE);
	for (size_t i = 0; i < countof(other_shapes); i++)
		for (int m = ETHERNET; m < MACHINES; m++)
			cases_of_shape(NULL, &machines[m], &other_shapes[i], 8);
	only = NULL;
}

static void run_shape(FILE *f, struct plan_shape shape)
{
	for (int m = ETHERNET; m < MACHINES; m++)
		cases_of_shape(f, &machines[m], &shape, 8);
}

static void run_all(const char *dir, int ranks, int hosts)
{
	struct maker_table tables[2];
	int ntables = 0;
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/sim-coll.txt", dir);
	f = fopen(path, ranks > 0 ? "ae" : "we");
	CHECK(f != NULL);
	case_steps_max = STEPS_ALL;
	for (int m = ETHERNET; m < MACHINES; m++)
		for (size_t i = 0; i < countof(small_shapes) + countof(more_shapes); i++) {
			const struct plan_shape *s =
				i < countof(small_shapes) ? &small_shapes[i]
							  : &more_shapes[i - countof(small_shapes)];

			if (ranks == 0 || (s->ranks == ranks && s->hosts == hosts))
				cases_of_shape(f, &machines[m], s, s->ranks < WIDE ? 4 : 32);
		}
	for (int m = ETHERNET; m < MACHINES && ranks == 0; m++)
		tables[ntables++] = makers_of(f, m);
	CHECK(fclose(f) == 0);
	snprintf(path, sizeof(path), "%s/sim-coll.svg", dir);
	CHECK(curves_write(path, cases, ncases, tables, ntables));
	for (int i = 0; i < ntables; i++) {
		free(tables[i].ns);
		free(tables[i].messages);
	}
}

/* Times of the chosen algorithms, which PERF.md compares with measurements. */
static void run_times(void)
{
	static const enum coll_kind some[] = {
		COLL_BARRIER, COLL_BCAST, COLL_ALLREDUCE, COLL_ALLGATHER, COLL_ALLTOALL};

	for (int n = 2; n <= 16; n *= 2)
		for (int hosts = 1; hosts <= 2; hosts++) {
			struct plan_shape shape = {n, hosts, false};

			plan_shape_set(&shape);
			for (size_t i = 0; i < 3 * countof(some); i++) {
				static const int64_t bytes[] = {8, 1024, 65536};
				struct coll_case c = {.m = &machines[HERE],
					.shape = shape,
					.call = {.kind = some[i / 3], .bytes = bytes[i % 3]}};
				struct outcome o = case_row(&c, plan_choice(&c.call), false, 1e12);

				printf("%2d ranks, %d hosts, %-14s %6lld bytes: %9.2f us\n", n,
					hosts, coll_kind_name(c.call.kind), (long long)c.call.bytes,
					o.time / 1e3);
			}
		}
}

int main(int argc, char **argv)
{
	mallopt(M_MMAP_THRESHOLD, 1 << 28); /* buffers are used again */
	mallopt(M_TRIM_THRESHOLD, 1 << 30);
	MPI_Init(NULL, NULL);
	cases = calloc(CASES_MAX, sizeof(*cases));
	CHECK(cases != NULL);
	only = NULL;
	if (argc > 4)
		only = strcmp(argv[1], "-a") == 0 ? argv[5] : argv[4]; /* the last one is NULL */
	if (argc > 1 && strcmp(argv[1], "-t") == 0)
		run_times();
	else if (argc > 1 && strcmp(argv[1], "-m") == 0)
		run_makers();
	else if (argc > 2 && strcmp(argv[1], "-a") == 0)
		run_all(argv[2], argc > 4 ? atoi(argv[3]) : 0, argc > 4 ? atoi(argv[4]) : 0);
	else if (argc > 3)
		run_shape(stdout, (struct plan_shape){atoi(argv[2]), atoi(argv[3]),
					  strchr(argv[3], 'c') != NULL});
	else if (argc > 1)
		run_small(stdout);
	else {
		check_results();
		check_makers();
		check_folds();
		run_small(NULL);
		run_others();
	}
	if (ncases > 0)
		summary(argc == 1);
	via.mixed = false;
	free(cases);
	MPI_Finalize();
	return 0;
}
