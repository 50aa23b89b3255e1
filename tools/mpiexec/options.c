// SPDX-License-Identifier: BSD-3-Clause
/* options.c - the table of mpiexec's options, and the functions of its rows.
 *
 *     {"n np c", 1, "", app_number, APP(n)}     names, values, kind, function, field
 *
 * A function is named for its effect: app_text sets a text of the program, plan_flag a bool of the
 * job.  The last rows are options of other launchers.  Those that ask for the normal behavior, or
 * mean nothing here, are ignored, so that scripts run; -v reports them.  Those whose effect is
 * missed are always reported (option_missed).  Those without which the job would be another one are
 * refused. */
#include "tools/mpiexec/cmdline_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libobj/base.h"
#include "tools/mpiexec/doctor.h"
#include "tools/mpiexec/pattern.h"
#include "tools/mpiexec/shell_words.h"
#include "tools/mpiexec/wrap.h"

static const char help[] =
	"usage: mpiexec [options] program [arguments] [: [options] program [arguments]]\n"
	"\n"
	"  -n N, -np N          start N processes of the program (default: one, or the\n"
	"                       slots of -host or -hostfile)\n"
	"  -wdir DIR, -wd DIR   in directory DIR\n"
	"  -path DIRS           look for the program in DIRS first (separated by colons)\n"
	"  -x VAR[=VALUE]       with environment variable VAR set\n"
	"  -env VAR VALUE       the same\n"
	"  -genv VAR VALUE      the same, for all programs of the line\n"
	"  -envlist A,B         pass only these variables (-envnone: none);\n"
	"                       -genvlist, -genvnone: for all programs\n"
	"  -l                   begin each line of output with \"[rank] \"\n"
	"  -prepend-pattern P   ... with P, where %r is the rank, %n the number of ranks,\n"
	"                       %h the host, %o stdout or stderr, %t the time\n"
	"  -timestamp-output    ... with the time\n"
	"  -merge-stderr-to-stdout  standard error of the processes to standard output\n"
	"  -outfile-pattern F   standard output to files, a rank's own with %r in the\n"
	"                       name (%h: its host); -errfile-pattern F: standard error\n"
	"  -output-filename DIR both also to DIR/1/rank.R/stdout and stderr\n"
	"  -wrap[=RANKS] COMMAND  start the processes (or those) by COMMAND, which may\n"
	"                       have %r, %n, %h: -wrap=0 \"valgrind --log-file=vg.%r\"\n"
	"  -valgrind[=RANKS]    the same with valgrind\n"
	"  -gdb[=RANKS]         one gdb for up to 8 processes of this host, before main\n"
	"  -xterm[=RANKS]       a pane of tmux, or an xterm, for each; with -gdb: for its\n"
	"                       own gdb\n"
	"  -profile[=FILE]      at the end, say what the processes waited for, and whom:\n"
	"                       as a table, or in FILE.html, FILE.json or FILE.csv;\n"
	"                       see haft-profile(7)\n"
	"  -top                 each second, say what each process does; q leaves that\n"
	"  -trace=FILE          write all calls and messages down, by time: FILE.pftrace,\n"
	"                       FILE.json, FILE.otf2 or FILE.html; see haft-trace(7)\n"
	"  -trace-room SIZE, -trace-keep first|last\n"
	"                       memory for each process (default 64M); what stays in it\n"
	"  -tool A.so,B.so      load tools into each process, A nearest to the program;\n"
	"                       see haft-tools(7)\n"
	"  -stdin R             standard input to rank R (default 0), to all, or to none\n"
	"  -timeout S           end the job after S seconds, saying what each process\n"
	"                       waits for\n"
	"  -host H[:N],...      the hosts to use, with N slots each (also -hosts, -H)\n"
	"  -hostfile FILE       the same from a file (also -f, -machinefile): lines like\n"
	"                       \"host\", \"host:4\", \"host slots=4 max_slots=8\"\n"
	"  -ppn N, -N N         N processes to each host in turn, instead of its slots\n"
	"  -rr                  one process to each host in turn (also -map-by node)\n"
	"  -bind-to P           each process to a core, hwthread, l1cache to l3cache,\n"
	"                       socket or numa node (default none)\n"
	"  -map-by P            bound processes go to sockets, numa nodes or caches in\n"
	"                       turn (default core)\n"
	"  -launcher L          how to reach hosts: ssh (default), rsh, slurm, exec,\n"
	"                       fork, or any command that takes a host and a command\n"
	"  -launcher-exec CMD   the command to use for it\n"
	"  -prefix DIR          where Haft is installed on the other hosts\n"
	"  -iface NAME          the network interface, or address, that processes use\n"
	"  -fanout N            each host starts at most N others (default 32)\n"
	"  -configfile FILE     take each line of FILE as one program with its options\n"
	"  -initial-errhandler H  mpi_errors_are_fatal, mpi_errors_abort or\n"
	"                       mpi_errors_return\n"
	"  -memory-alloc-kinds KINDS, -soft S, -arch A, -file F\n"
	"                       what the program finds in MPI_INFO_ENV\n"
	"  -ft                  go on when a process fails (HAFT_FT=yes, -with-ft ulfm)\n"
	"  -respawn N           a job that fails is started again, up to N times\n"
	"  -usize N             MPI_UNIVERSE_SIZE: a number, slots, or none (not set)\n"
	"  -nooversubscribe     MPI_Comm_spawn gets free slots only\n"
	"  -nameserver ADDRESS  publish and look up names there (HAFT_NAME_SERVER),\n"
	"                       besides on the host; mpiexec -name-server is such a\n"
	"                       server, and prints ADDRESS\n"
	"  -display-map, -display-allocation, -report-bindings\n"
	"                       say which process is where, the hosts, the CPUs\n"
	"  -print-all-exitcodes say at the end how each process has ended\n"
	"  -v                   say what is started, and which options are ignored\n"
	"  -doctor              look whether this machine is fit for jobs, and say how to\n"
	"                       mend it\n"
	"  -completion SHELL    write what the shell (bash, zsh, fish) reads to complete\n"
	"                       these words\n"
	"  --help, --version\n"
	"\n"
	"The job's exit code is 0, or that of the first process that failed; 128+n if\n"
	"signal n killed it.  SIGUSR1 sent to mpiexec prints what each process waits for.\n"
	"See mpiexec(1).\n";

#define PREFIX_RANK "[%i] " /* of -l */

/* --- effects: fields ------------------------------------------------------------------------- */

static void *app_field(const struct option_use *u)
{
	return (char *)u->app + u->o->field;
}

static void *plan_field(const struct option_use *u)
{
	return (char *)u->plan + u->o->field;
}

static void app_text(const struct option_use *u)
{
	*(const char **)app_field(u) = u->v[0];
}

static void app_empty(const struct option_use *u)
{
	*(const char **)app_field(u) = "";
}

static void app_number(const struct option_use *u)
{
	*(int *)app_field(u) = option_number(u->name, u->v[0]);
}

static void plan_text(const struct option_use *u)
{
	*(const char **)plan_field(u) = u->v[0];
}

static void plan_empty(const struct option_use *u)
{
	*(const char **)plan_field(u) = "";
}

static void plan_number(const struct option_use *u)
{
	*(int *)plan_field(u) = option_number(u->name, u->v[0]);
}

static void plan_times(const struct option_use *u)
{
	*(int *)plan_field(u) = option_times(u->name, u->v[0]);
}

/* An int, or an enum: those of struct plan are as large. */
static void plan_int(const struct option_use *u)
{
	memcpy(plan_field(u), &u->o->value, sizeof(u->o->value));
}

static void plan_flag(const struct option_use *u)
{
	*(bool *)plan_field(u) = u->o->value != 0;
}

/* --- effects: variables of the environment, MPI_INFO_ENV -------------------------------------- */

static void app_variable(const struct option_use *u)
{
	settings_add(&u->app->set, u->v[0], u->v[1]);
}

static void app_variable_pass(const struct option_use *u)
{
	settings_add(&u->app->set, u->v[0], NULL);
}

static void plan_variable(const struct option_use *u)
{
	settings_add(&u->plan->set, u->v[0], u->v[1]);
}

static void errhandler_set(const struct option_use *u)
{
	settings_add(&u->app->set, "HAFT_ERRHANDLER", option_errhandler(u->v[0]));
}

static void ft_yes(const struct option_use *u)
{
	settings_add(&u->plan->set, "HAFT_FT", "yes");
}

static void ft_set(const struct option_use *u)
{
	settings_add(&u->plan->set, "HAFT_FT", option_ft(u->v[0]));
}

static void name_server_set(const struct option_use *u)
{
	settings_add(&u->plan->set, "HAFT_NAME_SERVER", option_name_server(u->name, u->v[0]));
}

static void app_info(const struct option_use *u)
{
	info_add(u->app, u->name, u->v[0]);
}

static void app_directory(const struct option_use *u)
{
	u->app->wdir = u->v[0];
	info_add(u->app, "wdir", u->v[0]);
}

/* --- effects: hosts, places, programs --------------------------------------------------------- */

static void hosts_add(const struct option_use *u)
{
	hosts_list(u->plan, u->v[0]);
	info_add(u->app, "host", u->v[0]);
}

static void hosts_add_file(const struct option_use *u)
{
	hosts_file(u->plan, u->v[0]);
}

static void map_set(const struct option_use *u)
{
	option_map(u->plan, u->v[0]);
}

static void ppr_set(const struct option_use *u)
{
	option_ppr(u->plan, u->v[0]);
}

static void bind_set(const struct option_use *u)
{
	option_bind(u->plan, u->v[0]);
}

static void launcher_set(const struct option_use *u)
{
	option_launcher(u->plan, u->v[0]);
}

static void prefix_set(const struct option_use *u)
{
	u->plan->proxy_path = text_new("%s/bin/mpiexec", u->v[0]);
}

static void universe_set(const struct option_use *u)
{
	option_universe(u->plan, "-usize", u->v[0]);
}

static void programs_add(const struct option_use *u)
{
	config_read(u->plan, u->v[0]);
}

/* --- effects: output, input, time ------------------------------------------------------------- */

static void stdin_set(const struct option_use *u)
{
	u->plan->stdin_to = option_stdin(u->name, u->v[0]);
}

static void timeout_set(const struct option_use *u)
{
	u->plan->timeout = option_seconds("-timeout", u->v[0]);
}

static void profile_set(const struct option_use *u)
{
	option_profile(u->plan, u->v[0]);
}

static void trace_set(const struct option_use *u)
{
	option_trace(u->plan, u->v[0]);
}

static void trace_room_set(const struct option_use *u)
{
	option_trace_room(u->plan, u->v[0]);
}

static void trace_keep_set(const struct option_use *u)
{
	option_trace_keep(u->plan, u->v[0]);
}

static void tool_set(const struct option_use *u)
{
	option_tool(u->plan, u->v[0]);
}

/* -output-filename DIR[:nocopy]: a file for each stream of each rank. */
static void out_dir_read(struct plan *p, const char *s)
{
	size_t len = strcspn(s, ":");

	if (len == 0)
		fatal(EXIT_USAGE, "-output-filename needs the name of a directory");
	p->file_copy = !option_word_is(s + len, strlen(s + len), ":nocopy");
	p->file[0] = text_new("%.*s/1/rank.%%r/stdout", (int)len, s);
	p->file[1] = text_new("%.*s/1/rank.%%r/stderr", (int)len, s);
}

/* The prefix of output lines; a text that lives as long as the plan. */
static void prefix_put(struct plan *p, const char *opt, const char *pattern)
{
	char wrong = pattern_wrong(pattern, PATTERN_ALL);

	if (wrong != '\0')
		fatal(EXIT_USAGE, "-%s %s: %%%c is none of %%r %%n %%h %%p %%w %%i %%o %%t %%%%",
			opt, pattern, wrong);
	p->prefix = pattern;
}

/* A word of -output, of Open MPI 5. */
static void output_word(struct plan *p, const char *s, size_t len)
{
	if (option_word_is(s, len, "tag") || option_word_is(s, len, "rank"))
		p->prefix = PREFIX_RANK;
	else if (option_word_is(s, len, "tag-detailed") || option_word_is(s, len, "tag-fullname"))
		p->prefix = "[%i of %n on %h]<%o>: ";
	else if (option_word_is(s, len, "timestamp"))
		p->stamp = true;
	else if (option_word_is(s, len, "merge"))
		p->merge = true;
	else if (len > 5 && strncmp(s, "file=", 5) == 0)
		out_dir_read(p, text_new("%.*s", (int)len - 5, s + 5));
	else if (len > 4 && strncmp(s, "dir=", 4) == 0)
		out_dir_read(p, text_new("%.*s", (int)len - 4, s + 4));
	else
		option_without(p, text_new("%.*s of -output has no effect", (int)len, s));
}

/* The words of a list, separated by commas, to take(p, word, length). */
static void words_each(
	struct plan *p, const char *s, void (*take)(struct plan *p, const char *s, size_t len))
{
	while (*s != '\0') {
		size_t len = strcspn(s, ",");

		take(p, s, len);
		s += len + (s[len] != '\0');
	}
}

static void output_set(const struct option_use *u)
{
	words_each(u->plan, u->v[0], output_word);
}

/* A word of -display, of Open MPI 5. */
static void display_word(struct plan *p, const char *s, size_t len)
{
	if (option_word_is(s, len, "allocation"))
		p->show_hosts = true;
	else if (strncmp(s, "map", 3) == 0 && (len == 3 || s[3] == '-'))
		p->show_map = true;
	else if (option_word_is(s, len, "bind") || option_word_is(s, len, "bindings"))
		p->show_bind = true;
	else
		option_without(p, text_new("%.*s of -display has no effect", (int)len, s));
}

static void display_set(const struct option_use *u)
{
	words_each(u->plan, u->v[0], display_word);
}

static void output_directory(const struct option_use *u)
{
	out_dir_read(u->plan, u->v[0]);
}

/* -l and its like: a prefix that is the row's. */
static void prefix_row(const struct option_use *u)
{
	u->plan->prefix = PREFIX_RANK;
}

static void prefix_set_pattern(const struct option_use *u)
{
	prefix_put(u->plan, u->name, u->v[0]);
}

/* A pattern of the name of files. */
static void file_pattern(const struct option_use *u)
{
	char wrong = pattern_wrong(u->v[0], PATTERN_RANK);

	if (wrong != '\0')
		fatal(EXIT_USAGE, "-%s %s: %%%c is none of %%r %%n %%h %%p %%w %%i %%%%", u->name,
			u->v[0], wrong);
	plan_text(u);
}

/* -npersocket N is -map-by ppr:N:socket. */
static void socket_ppr(const struct option_use *u)
{
	char *ppr = text_new("%s:socket", u->v[0]);

	option_ppr(u->plan, ppr);
	free(ppr);
}

/* -wrap COMMAND, -wrap RANKS:COMMAND, -wrap=RANKS COMMAND. */
static void wrap_set(const struct option_use *u)
{
	const char *ranks = u->v[0], *command = u->v[1], *colon = strchr(command, ':');
	char *list = NULL;

	if (*ranks == '\0' && colon != NULL && ranks_good(command, (size_t)(colon - command))) {
		ranks = list = text_new("%.*s", (int)(colon - command), command);
		command = colon + 1;
	}
	wrap_add(u->plan, ranks, command);
	free(list);
}

static void valgrind_set(const struct option_use *u)
{
	wrap_add(u->plan, u->v[0], "valgrind -q");
}

static void xterm_set(const struct option_use *u)
{
	wrap_add_xterm(u->plan, u->v[0]);
}

/* -report-pid FILE, - or +: the process number of mpiexec to a file, stdout or stderr. */
static void pid_report(const struct option_use *u)
{
	const char *where = u->v[0];
	FILE *f = strcmp(where, "-") == 0   ? stdout
		  : strcmp(where, "+") == 0 ? stderr
					    : fopen(where, "we");
	bool good = f != NULL && fprintf(f, "%ld\n", (long)getpid()) > 0 && fflush(f) == 0;

	if (f != NULL && f != stdout && f != stderr)
		good = fclose(f) == 0 && good;
	if (!good)
		fatal(1, "-%s %s: %s", u->name, where, strerror(errno));
}

/* --- options that end mpiexec, or have no effect ---------------------------------------------- */

/* Prints the text and ends mpiexec. */
__attribute__((noreturn)) static void text_exit(const char *s)
{
	if (fputs(s, stdout) == EOF || fflush(stdout) != 0)
		fatal(1, "cannot write to standard output: %s", strerror(errno));
	exit(0);
}

__attribute__((noreturn)) static void help_exit(const struct option_use *u)
{
	(void)u;
	text_exit(help);
}

__attribute__((noreturn)) static void version_exit(const struct option_use *u)
{
	(void)u;
	text_exit("mpiexec (Haft) " HAFT_VERSION ", MPI 5.0\n");
}

__attribute__((noreturn)) static void completion_exit(const struct option_use *u)
{
	if (!shell_words_print(u->v[0]))
		fatal(EXIT_USAGE, "-completion is for bash, zsh or fish, not `%s'", u->v[0]);
	text_exit("");
}

/* The exit code is 1 if something would make jobs fail. */
__attribute__((noreturn)) static void doctor_exit(const struct option_use *u)
{
	(void)u;
	if (doctor_print() == 0)
		text_exit("");
	fflush(stdout);
	exit(1);
}

static void ignored(const struct option_use *u)
{
	bool one = u->o->values > 0, two = u->o->values > 1;

	option_ignore(u->plan, text_new("-%s%s%s%s%s", u->name, one ? " " : "", one ? u->v[0] : "",
				       two ? " " : "", two ? u->v[1] : ""));
}

/* Values that ask for nothing. */
static bool value_is_none(const char *v)
{
	static const char *const none[] = {"none", "no", "off", "0", "false", "default"};

	for (size_t i = 0; i < countof(none); i++)
		if (strcmp(v, none[i]) == 0)
			return true;
	return false;
}

/* An option whose effect is missed: this is always reported, with a hint. */
static void option_missed(const struct option_use *u)
{
	const char *hint = u->o->kind, *value = u->o->values > 0 ? u->v[0] : "";

	if (u->o->values > 0 && value_is_none(value))
		ignored(u);
	else
		option_without(u->plan,
			text_new("-%s%s%s has no effect%s%s", u->name, *value != '\0' ? " " : "",
				value, *hint != '\0' ? ": " : "", hint));
}

static void refused(const struct option_use *u)
{
	fatal(EXIT_USAGE, "%s is an option of another launcher; mpiexec cannot do that", u->word);
}

/* --- the table ------------------------------------------------------------------------------- */

#define APP(field)  offsetof(struct app, field)
#define PLAN(field) offsetof(struct plan, field)

/* clang-format off */
static const struct option options[] = {
	{"n np c ntasks", 1, "", app_number, APP(n), 0},
	{"env", 2, "@var", app_variable, 0, 0},
	{"genv", 2, "@var", plan_variable, 0, 0},
	{"x", 1, "@var", app_variable_pass, 0, 0},
	{"envlist", 1, "@var", app_text, APP(keep), 0},
	{"genvlist", 1, "@var", plan_text, PLAN(keep), 0},
	{"envnone", 0, "", app_empty, APP(keep), 0},
	{"genvnone", 0, "", plan_empty, PLAN(keep), 0},
	{"wdir wd chdir", 1, "@dir", app_directory, 0, 0},
	{"path", 1, "@dir", app_text, APP(path), 0},
	{"l label prepend-rank tag-output", 0, "", prefix_row, 0, 0},
	{"prepend-pattern", 1, "", prefix_set_pattern, 0, 0},
	{"timestamp-output", 0, "", plan_flag, PLAN(stamp), true},
	{"merge-stderr-to-stdout", 0, "", plan_flag, PLAN(merge), true},
	{"output", 1, "", output_set, 0, 0},
	{"output-filename", 1, "@dir", output_directory, 0, 0},
	{"outfile-pattern outfile", 1, "@file", file_pattern, PLAN(file[0]), 0},
	{"errfile-pattern errfile", 1, "@file", file_pattern, PLAN(file[1]), 0},
	{"profile", VALUE_MAY, "", profile_set, 0, 0},
	{"top", 0, "", plan_flag, PLAN(top), true},
	{"trace", VALUE_MAY, "", trace_set, 0, 0},
	{"trace-room", 1, "", trace_room_set, 0, 0},
	{"trace-keep", 1, "last first", trace_keep_set, 0, 0},
	{"tool", 1, "@file", tool_set, 0, 0},
	{"timeout", 1, "", timeout_set, 0, 0},
	{"host H hosts nodelist", 1, "@host", hosts_add, 0, 0},
	{"hostfile f machinefile default-hostfile", 1, "@file", hosts_add_file, 0, 0},
	{"configfile app", 1, "@file", programs_add, 0, 0},
	{"ppn perhost npernode N ntasks-per-node", 1, "", plan_number, PLAN(ppn), 0},
	{"pernode", 0, "", plan_int, PLAN(ppn), 1},
	{"rr bynode", 0, "", plan_int, PLAN(map), MAP_NODE},
	{"byslot", 0, "", plan_int, PLAN(map), MAP_SLOT},
	{"map-by", 1, "slot node hwthread core l1cache l2cache l3cache socket numa ppr:",
	 map_set, 0, 0},
	{"bind-to binding", 1, "none hwthread core l1cache l2cache l3cache socket numa",
	 bind_set, 0, 0},
	{"bind-to-core", 0, "", plan_int, PLAN(bind), PART_CORE},
	{"bind-to-socket", 0, "", plan_int, PLAN(bind), PART_SOCKET},
	{"bind-to-none", 0, "", plan_int, PLAN(bind), PART_NONE},
	{"launcher bootstrap", 1, "ssh rsh slurm exec fork", launcher_set, 0, 0},
	{"launcher-exec bootstrap-exec", 1, "@file", plan_text, PLAN(launch_exec), 0},
	{"iface", 1, "", plan_text, PLAN(iface), 0},
	{"prefix", 1, "@dir", prefix_set, 0, 0},
	{"fanout", 1, "", plan_number, PLAN(fanout), 0},
	{"stdin s", 1, "0 all none", stdin_set, 0, 0},
	{"initial-errhandler", 1, "mpi_errors_are_fatal mpi_errors_abort mpi_errors_return",
	 errhandler_set, 0, 0},
	{"ft disable-auto-cleanup", 0, "", ft_yes, 0, 0},
	{"respawn", 1, "", plan_times, PLAN(respawn), 0},
	{"with-ft", 1, "ulfm mpi no auto", ft_set, 0, 0},
	{"memory-alloc-kinds arch file soft", 1, "", app_info, 0, 0},
	{"v verbose", 0, "", plan_flag, PLAN(verbose), true},
	{"h help ?", 0, "", help_exit, 0, 0},
	{"V version info", 0, "", version_exit, 0, 0},
	{"doctor", 0, "", doctor_exit, 0, 0},
	{"completion", 1, "bash zsh fish", completion_exit, 0, 0},
	{"nooversubscribe", 0, "", plan_flag, PLAN(full_refuse), true},
	{"nameserver ompi-server", 1, "", name_server_set, 0, 0},
	{"oversubscribe", 0, "", plan_flag, PLAN(full_refuse), false},
	{"usize", 1, "slots none", universe_set, 0, 0},
	{"ppr", 1, "", ppr_set, 0, 0},
	{"display-map display-devel-map display-diffable-map print-rank-map", 0, "", plan_flag,
	 PLAN(show_map), true},
	{"display-allocation display-devel-allocation", 0, "", plan_flag, PLAN(show_hosts), true},
	{"display", 1, "map allocation bind", display_set, 0, 0},
	{"report-bindings", 0, "", plan_flag, PLAN(show_bind), true},
	{"print-all-exitcodes exitcodes", 0, "", plan_flag, PLAN(show_ends), true},
	{"wrap", VALUE_RANKS, "", wrap_set, 0, 0},
	{"valgrind", VALUE_MAY, "", valgrind_set, 0, 0},
	{"xterm", VALUE_MAY, "", xterm_set, 0, 0},
	{"gdb", VALUE_MAY, "", plan_text, PLAN(gdb), 0},
	{"report-pid pidfile", 1, "@file", pid_report, 0, 0},
	{"bycore", 0, "", plan_int, PLAN(map), MAP_SLOT},
	{"bysocket", 0, "", plan_int, PLAN(spread), PART_SOCKET},
	{"bynuma", 0, "", plan_int, PLAN(spread), PART_NUMA},
	{"npersocket", 1, "", socket_ppr, 0, 0},
	{"enable-recovery", 0, "", ft_yes, 0, 0},
	/* Of other launchers: so anyway, or about daemons that are not here. */
	{"allow-run-as-root continuous d dac debug-daemons debug-daemons-file debug-devel "
	 "disable-hostname-propagation disable-recovery disable-x do-not-aggregate "
	 "do-not-resolve dvm enable-hostname-propagation enable-instant-on-support enable-x "
	 "envall exact exclusive fwd-environment fwd-mpirun-port genvall get-stack-traces "
	 "hostname-propagation kill-on-bad-exit leave-session-attached no-ready-msg noprefix "
	 "novm ordered-output overcommit pmi-port q quiet report-state-on-timeout set-sid "
	 "use-hwthread-cpus use-regexp",
	 0, "", ignored, 0, 0},
	{"account am demux dvm-uri exec-agent gpu-support hnp job-name keepalive launch-agent "
	 "localhost max-vm-size mpi num-connect-retries partition personality rmk "
	 "runtime-options topolib tune",
	 1, "", ignored, 0, 0},
	{"gmca mca omca pmixmca prtemca", 2, "", ignored, 0, 0},
	/* Of other launchers: their effect is missed. */
	{"cartofile cf cpu-bind cpu-list cpu-set cpus-per-proc cpus-per-rank cpus-per-task "
	 "distribution membind rank-by rtos",
	 1, "see -bind-to and -map-by", option_missed, 0, 0},
	{"gpu-bind gpus gpus-per-proc gpus-per-task", 1, "choose devices by MPI_LOCALRANKID",
	 option_missed, 0, 0},
	{"mem mem-per-cpu", 1, "see ulimit -v", option_missed, 0, 0},
	{"time", 1, "see -timeout", option_missed, 0, 0},
	{"max-restarts", 1, "see -respawn", option_missed, 0, 0},
	{"preload-files", 1, "files must be on each host", option_missed, 0, 0},
	{"report-uri", 1, "it is of mpiexec -name-server", option_missed, 0, 0},
	{"order-nodes", 1, "hosts have the order of -host", option_missed, 0, 0},
	{"spawn-timeout report-events stream-buffering xml-file", 1, "", option_missed, 0, 0},
	{"preload-binary", 0, "programs must be on each host", option_missed, 0, 0},
	{"display-topo", 0, "see lstopo(1)", option_missed, 0, 0},
	{"nolocal skip-launch-node", 0, "name the hosts with -host", option_missed, 0, 0},
	{"unbuffered", 0, "programs buffer: see stdbuf(1)", option_missed, 0, 0},
	{"daemonize", 0, "see setsid(1)", option_missed, 0, 0},
	{"output-proctable", 0, "see -v", option_missed, 0, 0},
	{"debug report-child-jobs-separately set-cwd-to-session-dir show-progress xml", 0, "",
	 option_missed, 0, 0},
	{"do-not-launch index-argv-by-rank stop-in-init stop-on-exec tv", 0, "", refused, 0, 0},
	{"add-host add-hostfile debugger exclude multi-prog rankfile relative rf "
	 "stop-in-app",
	 1, "", refused, 0, 0},
};
/* clang-format on */

bool option_refused(const struct option *o)
{
	return o->apply == refused;
}

bool option_ignored(const struct option *o)
{
	return o->apply == ignored || o->apply == option_missed;
}

/* The next of the words at s, and its length; NULL: there is none. */
static const char *name_next(const char *s, size_t *len)
{
	s += strspn(s, " ");
	*len = strcspn(s, " ");
	return *len > 0 ? s : NULL;
}

const struct option *option_find(const char *name, size_t len)
{
	size_t n;

	for (size_t i = 0; i < countof(options); i++)
		for (const char *w = options[i].names; (w = name_next(w, &n)) != NULL; w += n)
			if (n == len && strncmp(w, name, len) == 0)
				return &options[i];
	return NULL;
}

bool option_view(int i, struct option_view *v)
{
	size_t n;

	for (size_t k = 0; k < countof(options); k++)
		for (const char *w = options[k].names; (w = name_next(w, &n)) != NULL; w += n) {
			if (i-- > 0)
				continue;
			*v = (struct option_view){.name = w,
				.len = (int)n,
				.values = options[k].values > 0 ? options[k].values : 0,
				.ignored =
					option_ignored(&options[k]) || option_refused(&options[k]),
				.kind = options[k].kind};
			return true;
		}
	return false;
}
