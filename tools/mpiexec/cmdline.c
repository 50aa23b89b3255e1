// SPDX-License-Identifier: BSD-3-Clause
/* cmdline.c - parses the command line.
 *
 *     words of the command line, of -configfile ──> programs with options ──> struct plan
 *
 * The options are a table: options.c.  "-" and "--" are equivalent, and --name=value works for
 * options with one value. */
#include "tools/mpiexec/cmdline_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmpi/core/defaults_file.h"
#include "libshm/shm.h"
#include "tools/mpiexec/gdb_run.h"
#include "tools/mpiexec/launch.h"
#include "tools/mpiexec/proxy_tree.h"
#include "tools/mpiexec/wrap.h"

void settings_add(struct settings *s, const char *name, const char *value)
{
	if (*name == '\0' || *name == '=' || (value != NULL && strchr(name, '=') != NULL))
		fatal(EXIT_USAGE, "`%s' is no name of a variable", name);
	s->v = mem_grow(s->v, (size_t)s->n + 1, sizeof(*s->v));
	s->v[s->n++] = (struct setting){name, value};
}

void info_add(struct app *a, const char *key, const char *value)
{
	char *more;

	if (strchr(value, '\n') != NULL)
		fatal(EXIT_USAGE, "the value of -%s has more than one line", key);
	if (strcmp(key, "memory-alloc-kinds") == 0)
		key = "mpi_memory_alloc_kinds";
	more = text_new("%s%s=%s\n", a->info != NULL ? a->info : "", key, value);
	free(a->info);
	a->info = more;
}

static void apps_read(struct plan *p, int argc, char **argv, bool nested);

void config_read(struct plan *p, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	int n;

	if (f == NULL)
		fatal(EXIT_USAGE, "cannot read %s: %s", path, strerror(errno));
	while (getline(&line, &cap, f) >= 0) {
		char **v = words_split(line, &n);

		if (n == 0)
			continue;
		apps_read(p, n, v, true);
		free(v);
		line = NULL; /* the plan now owns its words */
		cap = 0;
	}
	free(line);
	fclose(f);
}

/* Chooses the launcher and its command where the user has not. */
static void launcher_settle(struct plan *p, bool slurm)
{
	if (p->launcher == LAUNCH_NONE)
		p->launcher = slurm ? LAUNCH_SLURM : LAUNCH_SSH;
	if (p->launch_exec == NULL && p->launcher == LAUNCH_SSH)
		p->launch_exec = "ssh";
	if (p->launch_exec == NULL && p->launcher == LAUNCH_RSH)
		p->launch_exec = "rsh";
	if (p->launch_exec == NULL && p->launcher == LAUNCH_SLURM)
		p->launch_exec = "srun";
	if (p->launch_exec == NULL && p->launcher == LAUNCH_EXEC)
		fatal(EXIT_USAGE, "-launcher exec needs -launcher-exec COMMAND");
}

/* MPI_UNIVERSE_SIZE is never less than the ranks that are started.  Without -usize it is the number
 * of slots, if there are more of them than ranks: otherwise programs would conclude that there is
 * no room. */
static void universe_settle(struct plan *p, int slots)
{
	int known = slots > 0 ? slots : shm_cpus();

	p->slots = slots;
	p->universe_given = p->universe != UNIVERSE_AUTO;
	if (p->universe == UNIVERSE_AUTO)
		p->universe = known > p->nranks ? known : UNIVERSE_NONE;
	else if (p->universe == UNIVERSE_SLOTS)
		p->universe = known;
	if (p->universe > 0 && p->universe < p->nranks)
		p->universe = p->nranks;
}

/* The number of words behind an option that its values take; *u gets the values.  eq: the sign
 * behind its name, or NULL. */
static int values_take(struct option_use *u, int argc, char **argv, char *eq, char *values[2])
{
	static char none[] = "";
	const struct option *o = u->o;
	int words = o->values > 0 && eq == NULL ? o->values : o->values == VALUE_RANKS ? 1 : 0;

	if (argc <= words && !option_refused(o))
		fatal(EXIT_USAGE, "%s needs %s", argv[0],
			words == 1 ? "a value" : "a name and a value");
	values[0] = eq != NULL ? eq + 1 : none;
	values[1] = o->values == VALUE_RANKS ? argv[1] : NULL;
	u->v = words > 0 && o->values > 0 ? argv + 1 : values;
	return words;
}

/* Parses one option with its values; returns the number of words used. */
static int option_read(struct plan *p, struct app *a, int argc, char **argv)
{
	const char *name = argv[0] + (argv[0][1] == '-' ? 2 : 1);
	char *eq = strchr(argv[0], '='), *values[2];
	const struct option *o = option_find(name, strcspn(name, "="));
	struct option_use u = {.plan = p, .app = a, .o = o, .word = argv[0]};
	int words;

	if (o != NULL && option_ignored(o) && o->values == 0)
		eq = NULL; /* such as -kill-on-bad-exit=1 */
	if (o == NULL || (eq != NULL && (o->values == 0 || o->values > 1) && !option_refused(o)))
		fatal(EXIT_USAGE, "unknown option %s; mpiexec --help lists them", argv[0]);
	words = values_take(&u, argc, argv, eq, values);
	u.name = text_new("%.*s", (int)strcspn(name, "="), name);
	o->apply(&u);
	free((char *)(uintptr_t)u.name);
	return 1 + words;
}

static int app_end(int argc, char **argv)
{
	int i = 0;

	while (i < argc && strcmp(argv[i], ":") != 0)
		i++;
	return i;
}

/* Parses one program with its options: argc words without ":". */
static void app_read(struct plan *p, int argc, char **argv)
{
	struct app a = {.n = 0};
	int before = p->napps;
	int i = 0;

	while (i < argc && argv[i][0] == '-' && argv[i][1] != '\0') {
		if (strcmp(argv[i], "--") == 0) {
			i++;
			break;
		}
		i += option_read(p, &a, argc - i, argv + i);
	}
	if (i == argc && p->napps > before)
		return; /* -configfile */
	if (i == argc)
		fatal(EXIT_USAGE, "no program given; mpiexec --help tells more");
	a.argv = mem_grow(NULL, (size_t)(argc - i) + 1, sizeof(*a.argv));
	memcpy(a.argv, argv + i, (size_t)(argc - i) * sizeof(*a.argv));
	a.argv[argc - i] = NULL;
	p->app = mem_grow(p->app, (size_t)p->napps + 1, sizeof(*p->app));
	p->app[p->napps++] = a;
}

/* Parses programs separated by ":". */
static void apps_read(struct plan *p, int argc, char **argv, bool nested)
{
	int end = app_end(argc, argv);

	if (nested && end < argc)
		fatal(EXIT_USAGE, "a line of a -configfile holds one program, without `:'");
	app_read(p, end, argv);
	while (end < argc) {
		argc -= end + 1;
		argv += end + 1;
		end = app_end(argc, argv);
		app_read(p, end, argv);
	}
}

/* The words of the command line, with those of the files of defaults before them. */
static char **words_with_defaults(int *argc, char **argv)
{
	static char *volatile line; /* the words point into it; volatile: leak checkers find it */
	char **v;
	int n;

	line = text_new("%s", haft_defaults_mpiexec());
	v = words_split(line, &n);

	for (int i = 0; i < n; i++)
		if (v[i][0] == ':' && v[i][1] == '\0')
			fatal(EXIT_USAGE, "%s: `:' is for the command line only",
				haft_defaults_origin("mpiexec"));
	v = mem_grow(v, (size_t)n + (size_t)*argc + 1, sizeof(*v));
	memcpy(v + n, argv, (size_t)*argc * sizeof(*v));
	*argc += n;
	v[*argc] = NULL;
	return v;
}

static struct plan plan; /* static, so that leak checkers find its memory */

struct plan *plan_this(void)
{
	return &plan;
}

struct plan *plan_serve(char **argv)
{
	int argc = 1;
	char **words = words_with_defaults(&argc, argv);

	plan.fanout = TREE_FANOUT;
	apps_read(&plan, argc, words, false);
	free(words);
	launcher_settle(&plan, plan.nhosts == 0 && alloc_hosts(&plan));
	plan.slots = hosts_settle(&plan);
	return &plan;
}

/* A variable of the environment; NULL: not set, or empty. */
static const char *variable_read(const char *name)
{
	const char *value = getenv(name);

	return value != NULL && *value != '\0' ? value : NULL;
}

/* Variables that stand for options, before the options are read: those win. */
static void variables_before(struct plan *p)
{
	const char *universe = variable_read("MPIEXEC_UNIVERSE_SIZE");
	const char *limit = variable_read("MPIEXEC_TIMEOUT");

	if (universe != NULL)
		option_universe(p, "MPIEXEC_UNIVERSE_SIZE", universe);
	if (limit != NULL)
		p->timeout = option_seconds("MPIEXEC_TIMEOUT", limit);
}

/* Options that concern others, and variables in place of options that were not given. */
static void variables_after(struct plan *p)
{
	const char *profile = variable_read("HAFT_PROFILE");
	const char *trace = variable_read("HAFT_TRACE");

	if (p->trace == NULL && trace != NULL)
		option_trace(p, trace);
	if (p->stamp)
		p->prefix = text_new("%%t %s", p->prefix != NULL ? p->prefix : "");
	if (p->profile == NULL && profile != NULL)
		option_profile(p, profile);
	if (p->iface == NULL)
		p->iface = variable_read("HAFT_IFACE");
}

/* Numbers the programs and counts their ranks; without -n: one, or one a slot. */
static void apps_settle(struct plan *p, int slots)
{
	for (int i = 0; i < p->napps; i++) {
		struct app *a = &p->app[i];
		char n[12];

		if (a->n == 0)
			a->n = p->napps == 1 && slots > 0 ? slots : 1;
		if (a->n > SHM_RANKS_MAX - p->nranks)
			fatal(EXIT_USAGE, "a job has at most %d processes", SHM_RANKS_MAX);
		p->nranks += a->n;
		a->appnum = i;
		snprintf(n, sizeof(n), "%d", a->n);
		info_add(a, "maxprocs", n);
		settings_add(&a->set, "HAFT_INFO_ENV", a->info);
	}
	if (p->stdin_to >= p->nranks)
		fatal(EXIT_USAGE, "standard input is for rank %d, and the last rank is %d",
			p->stdin_to, p->nranks - 1);
}

struct plan *plan_read(int argc, char **argv)
{
	struct plan *p = &plan;
	bool slurm = false;
	char **words;
	int slots;

	variables_before(p);
	p->fanout = TREE_FANOUT;
	argc--;
	words = words_with_defaults(&argc, argv + 1);
	apps_read(p, argc, words, false);
	free(words);
	variables_after(p);
	if (p->nhosts == 0)
		slurm = alloc_hosts(p);
	launcher_settle(p, slurm);
	slots = hosts_settle(p);
	apps_settle(p, slots);
	universe_settle(p, slots);
	map_ranks(p);
	wrap_settle(p);
	gdb_settle(p);
	plan_environ(p);
	if (p->nhosts > 0)
		launch_init(p);
	else
		plan_find(p);
	return p;
}
