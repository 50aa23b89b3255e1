// SPDX-License-Identifier: BSD-3-Clause
/* options.c - the table of mpiexec's options, and the functions of its rows.
 *
 *     {"n np c", 1, "", app_number, APP(n)}     names, values, kind, function, field
 *
 * A function is named for its effect: app_text sets a text of the program, plan_flag a bool of the
 * job.  The last rows are options of other launchers.  Those without effect are ignored, so that
 * scripts run; -v reports them.  Those that would change the job are refused. */
#include "tools/mpiexec/cmdline_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libobj/base.h"
#include "tools/mpiexec/doctor.h"
#include "tools/mpiexec/shell_words.h"

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
	"  -outfile-pattern F   standard output to files, a rank's own with %r in the\n"
	"                       name (%h: its host); -errfile-pattern F: standard error\n"
	"  -output-filename DIR both also to DIR/1/rank.R/stdout and stderr\n"
	"  -profile[=FILE]      at the end, say what the processes waited for, and whom:\n"
	"                       as a table, or in FILE.html, FILE.json or FILE.csv;\n"
	"                       see haft-profile(7)\n"
	"  -stdin R             standard input to rank R (default 0), to all, or to none\n"
	"  -timeout S           end the job after S seconds, saying what each process\n"
	"                       waits for\n"
	"  -host H[:N],...      the hosts to use, with N slots each (also -hosts, -H)\n"
	"  -hostfile FILE       the same from a file (also -f, -machinefile): lines like\n"
	"                       \"host\", \"host:4\", \"host slots=4 max_slots=8\"\n"
	"  -ppn N, -N N         N processes to each host in turn, instead of its slots\n"
	"  -rr                  one process to each host in turn (also -map-by node)\n"
	"  -bind-to P           each process to a core, hwthread, socket or numa node\n"
	"                       (default none)\n"
	"  -map-by P            bound processes go to sockets or numa nodes in turn\n"
	"                       (default core)\n"
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

/* -output tag,file=NAME: words of Open MPI 5. */
static void output_words(struct plan *p, const char *s)
{
	while (*s != '\0') {
		size_t len = strcspn(s, ",");

		if (option_word_is(s, len, "tag"))
			p->label = true;
		else if (strncmp(s, "file=", 5) == 0 && len > 5)
			out_dir_read(p, text_new("%.*s", (int)len - 5, s + 5));
		else
			option_ignore(p, text_new("%.*s of -output", (int)len, s));
		s += len + (s[len] != '\0');
	}
}

static void output_directory(const struct option_use *u)
{
	out_dir_read(u->plan, u->v[0]);
}

static void output_set(const struct option_use *u)
{
	output_words(u->plan, u->v[0]);
}

static void pattern_ignore(const struct option_use *u)
{
	u->plan->label = true;
	option_ignore(u->plan, text_new("the pattern %s of -prepend-pattern", u->v[0]));
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
	{"l label prepend-rank tag-output", 0, "", plan_flag, PLAN(label), true},
	{"output", 1, "", output_set, 0, 0},
	{"output-filename", 1, "@dir", output_directory, 0, 0},
	{"outfile-pattern outfile", 1, "@file", plan_text, PLAN(file[0]), 0},
	{"errfile-pattern errfile", 1, "@file", plan_text, PLAN(file[1]), 0},
	{"profile", VALUE_MAY, "", profile_set, 0, 0},
	{"timeout", 1, "", timeout_set, 0, 0},
	{"host H hosts nodelist", 1, "@host", hosts_add, 0, 0},
	{"hostfile f machinefile default-hostfile", 1, "@file", hosts_add_file, 0, 0},
	{"configfile app", 1, "@file", programs_add, 0, 0},
	{"ppn perhost npernode N ntasks-per-node", 1, "", plan_number, PLAN(ppn), 0},
	{"pernode", 0, "", plan_int, PLAN(ppn), 1},
	{"rr bynode", 0, "", plan_int, PLAN(map), MAP_NODE},
	{"byslot", 0, "", plan_int, PLAN(map), MAP_SLOT},
	{"map-by", 1, "slot node core hwthread socket numa ppr:", map_set, 0, 0},
	{"bind-to binding", 1, "none hwthread core socket numa", bind_set, 0, 0},
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
	{"respawn", 1, "", plan_number, PLAN(respawn), 0},
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
	{"prepend-pattern", 1, "", pattern_ignore, 0, 0},
	{"allow-run-as-root bycore bynuma continuous d dac daemonize debug "
	 "debug-daemons debug-daemons-file debug-devel disable-hostname-propagation "
	 "disable-recovery disable-x display-allocation display-devel-allocation "
	 "display-devel-map display-diffable-map display-map display-topo "
	 "do-not-aggregate do-not-resolve dvm enable-hostname-propagation "
	 "enable-instant-on-support enable-recovery enable-x envall exact exclusive "
	 "exitcodes fwd-environment fwd-mpirun-port genvall get-stack-traces "
	 "hostname-propagation kill-on-bad-exit leave-session-attached "
	 "merge-stderr-to-stdout no-ready-msg nolocal noprefix novm ordered-output "
	 "output-proctable overcommit pmi-port preload-binary print-all-exitcodes "
	 "print-rank-map q quiet report-bindings report-child-jobs-separately "
	 "report-state-on-timeout set-cwd-to-session-dir set-sid show-progress "
	 "skip-launch-node timestamp-output unbuffered use-hwthread-cpus use-regexp "
	 "xml",
	 0, "", ignored, 0, 0},
	{"account am cartofile cf cpu-bind cpu-list cpu-set cpus-per-proc "
	 "cpus-per-rank cpus-per-task demux display distribution dvm-uri exec-agent "
	 "gpu-bind gpu-support gpus gpus-per-proc gpus-per-task hnp job-name keepalive "
	 "launch-agent localhost max-restarts max-vm-size mem mem-per-cpu membind mpi "
	 "npersocket num-connect-retries order-nodes partition personality pidfile "
	 "preload-files rank-by report-events report-pid report-uri rmk rtos "
	 "runtime-options spawn-timeout stream-buffering time topolib tune xml-file",
	 1, "", ignored, 0, 0},
	{"gmca mca omca pmixmca prtemca", 2, "", ignored, 0, 0},
	{"do-not-launch index-argv-by-rank stop-in-init stop-on-exec tv", 0, "", refused, 0, 0},
	{"add-host add-hostfile debugger exclude multi-prog rankfile relative rf "
	 "stop-in-app xterm",
	 1, "", refused, 0, 0},
};
/* clang-format on */

bool option_refused(const struct option *o)
{
	return o->apply == refused;
}

bool option_ignored(const struct option *o)
{
	return o->apply == ignored;
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
