// SPDX-License-Identifier: BSD-3-Clause
/* cmdline.c - parses the command line.
 *
 * One table holds the names of each option and the number of its values.  Lists hold the options
 * of other launchers that have no effect here, so that scripts written for those launchers run; -v
 * reports them.  Options that would change what the job does are refused.  "-" and "--" are
 * equivalent, and --name=value works for options with one value. */
#include "tools/mpiexec/job_plan.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "libmpi/boot/name_protocol.h"
#include "libmpi/core/defaults_file.h"
#include "libobj/base.h"
#include "libshm/shm.h"
#include "tools/mpiexec/shell_words.h"
#include "tools/mpiexec/doctor.h"
#include "tools/mpiexec/launch.h"
#include "tools/mpiexec/profile.h"
#include "tools/mpiexec/proxy_tree.h"

enum opt {
	OPT_N,
	OPT_ENV,
	OPT_GENV,
	OPT_X,
	OPT_KEEP,
	OPT_GKEEP,
	OPT_NOENV,
	OPT_GNOENV,
	OPT_WDIR,
	OPT_PATH,
	OPT_LABEL,
	OPT_TIMEOUT,
	OPT_HOSTS,
	OPT_HOSTFILE,
	OPT_CONFIG,
	OPT_PPN,
	OPT_RR,
	OPT_BYSLOT,
	OPT_MAP,
	OPT_BIND,
	OPT_BIND_CORE,
	OPT_BIND_SOCKET,
	OPT_BIND_NONE,
	OPT_LAUNCHER,
	OPT_LAUNCH_EXEC,
	OPT_IFACE,
	OPT_PREFIX,
	OPT_FANOUT,
	OPT_STDIN,
	OPT_ERRH,
	OPT_FT,
	OPT_RESPAWN,
	OPT_WITH_FT,
	OPT_INFO,
	OPT_VERBOSE,
	OPT_HELP,
	OPT_VERSION,
	OPT_PERNODE,
	OPT_USIZE,
	OPT_FULL,
	OPT_NAMES,
	OPT_OVER,
	OPT_OUTPUT,
	OPT_OUT_DIR,
	OPT_OUT_FILE,
	OPT_ERR_FILE,
	OPT_DOCTOR,
	OPT_COMPLETION,
	OPT_PROFILE,
	OPT_PPR,
	OPT_PATTERN,
	OPT_SKIP,
	OPT_REFUSE,
};

/* An option's name without its dashes; `values' words follow it. */
struct option {
	const char *name;
	int values;
	enum opt opt;
};

static const struct option options[] = {
	{"n", 1, OPT_N},
	{"np", 1, OPT_N},
	{"c", 1, OPT_N},
	{"env", 2, OPT_ENV},
	{"genv", 2, OPT_GENV},
	{"x", 1, OPT_X},
	{"envlist", 1, OPT_KEEP},
	{"genvlist", 1, OPT_GKEEP},
	{"envnone", 0, OPT_NOENV},
	{"genvnone", 0, OPT_GNOENV},
	{"wdir", 1, OPT_WDIR},
	{"wd", 1, OPT_WDIR},
	{"path", 1, OPT_PATH},
	{"l", 0, OPT_LABEL},
	{"label", 0, OPT_LABEL},
	{"prepend-rank", 0, OPT_LABEL},
	{"tag-output", 0, OPT_LABEL},
	{"output", 1, OPT_OUTPUT},
	{"output-filename", 1, OPT_OUT_DIR},
	{"outfile-pattern", 1, OPT_OUT_FILE},
	{"outfile", 1, OPT_OUT_FILE},
	{"errfile-pattern", 1, OPT_ERR_FILE},
	{"errfile", 1, OPT_ERR_FILE},
	{"profile", 0, OPT_PROFILE},
	{"timeout", 1, OPT_TIMEOUT},
	{"host", 1, OPT_HOSTS},
	{"H", 1, OPT_HOSTS},
	{"hosts", 1, OPT_HOSTS},
	{"hostfile", 1, OPT_HOSTFILE},
	{"f", 1, OPT_HOSTFILE},
	{"machinefile", 1, OPT_HOSTFILE},
	{"default-hostfile", 1, OPT_HOSTFILE},
	{"configfile", 1, OPT_CONFIG},
	{"ppn", 1, OPT_PPN},
	{"perhost", 1, OPT_PPN},
	{"npernode", 1, OPT_PPN},
	{"N", 1, OPT_PPN},
	{"pernode", 0, OPT_PERNODE},
	{"rr", 0, OPT_RR},
	{"bynode", 0, OPT_RR},
	{"byslot", 0, OPT_BYSLOT},
	{"map-by", 1, OPT_MAP},
	{"bind-to", 1, OPT_BIND},
	{"binding", 1, OPT_BIND},
	{"bind-to-core", 0, OPT_BIND_CORE},
	{"bind-to-socket", 0, OPT_BIND_SOCKET},
	{"bind-to-none", 0, OPT_BIND_NONE},
	{"launcher", 1, OPT_LAUNCHER},
	{"bootstrap", 1, OPT_LAUNCHER},
	{"launcher-exec", 1, OPT_LAUNCH_EXEC},
	{"bootstrap-exec", 1, OPT_LAUNCH_EXEC},
	{"iface", 1, OPT_IFACE},
	{"prefix", 1, OPT_PREFIX},
	{"fanout", 1, OPT_FANOUT},
	{"stdin", 1, OPT_STDIN},
	{"s", 1, OPT_STDIN},
	{"initial-errhandler", 1, OPT_ERRH},
	{"ft", 0, OPT_FT},
	{"respawn", 1, OPT_RESPAWN},
	{"with-ft", 1, OPT_WITH_FT},
	{"memory-alloc-kinds", 1, OPT_INFO},
	{"arch", 1, OPT_INFO},
	{"file", 1, OPT_INFO},
	{"soft", 1, OPT_INFO},
	{"v", 0, OPT_VERBOSE},
	{"verbose", 0, OPT_VERBOSE},
	{"h", 0, OPT_HELP},
	{"help", 0, OPT_HELP},
	{"?", 0, OPT_HELP},
	{"V", 0, OPT_VERSION},
	{"version", 0, OPT_VERSION},
	{"doctor", 0, OPT_DOCTOR},
	{"completion", 1, OPT_COMPLETION},
	{"disable-auto-cleanup", 0, OPT_FT},
	{"nooversubscribe", 0, OPT_FULL},
	{"nameserver", 1, OPT_NAMES},
	{"ompi-server", 1, OPT_NAMES},
	{"oversubscribe", 0, OPT_OVER},
	{"usize", 1, OPT_USIZE},
	{"info", 0, OPT_VERSION},
	{"app", 1, OPT_CONFIG},
	{"ppr", 1, OPT_PPR},
	{"prepend-pattern", 1, OPT_PATTERN},
	{"ntasks", 1, OPT_N},
	{"ntasks-per-node", 1, OPT_PPN},
	{"nodelist", 1, OPT_HOSTS},
	{"chdir", 1, OPT_WDIR},
};

/* Options of other launchers that have no effect here, by the number of their values. */
static const char *const skipped[] = {
	"allow-run-as-root bycore bynuma continuous d dac daemonize debug debug-daemons "
	"debug-daemons-file debug-devel disable-hostname-propagation disable-recovery "
	"disable-x display-allocation display-devel-allocation display-devel-map "
	"display-diffable-map display-map display-topo do-not-aggregate do-not-resolve "
	"dvm enable-hostname-propagation enable-instant-on-support enable-recovery "
	"enable-x envall exact exclusive exitcodes fwd-environment fwd-mpirun-port "
	"genvall get-stack-traces hostname-propagation kill-on-bad-exit "
	"leave-session-attached merge-stderr-to-stdout no-ready-msg nolocal noprefix "
	"novm ordered-output output-proctable overcommit pmi-port preload-binary "
	"print-all-exitcodes print-rank-map q quiet report-bindings "
	"report-child-jobs-separately report-state-on-timeout set-cwd-to-session-dir "
	"set-sid show-progress skip-launch-node timestamp-output unbuffered "
	"use-hwthread-cpus use-regexp xml",
	"account am cartofile cf cpu-bind cpu-list cpu-set cpus-per-proc cpus-per-rank "
	"cpus-per-task demux display distribution dvm-uri exec-agent gpu-bind "
	"gpu-support gpus gpus-per-proc gpus-per-task hnp job-name keepalive "
	"launch-agent localhost max-restarts max-vm-size mem mem-per-cpu membind mpi "
	"npersocket num-connect-retries order-nodes partition "
	"personality pidfile preload-files rank-by report-events report-pid report-uri "
	"rmk rtos runtime-options spawn-timeout stream-buffering time topolib tune "
	"xml-file",
	"gmca mca omca pmixmca prtemca",
};

/* Those without which the job would be another one: they are refused. */
static const char *const refused[] = {
	"do-not-launch index-argv-by-rank stop-in-init stop-on-exec tv",
	"add-host add-hostfile debugger exclude multi-prog rankfile relative rf "
	"stop-in-app xterm",
};

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
	"  -completion bash     write what bash reads to complete these words\n"
	"  --help, --version\n"
	"\n"
	"The job's exit code is 0, or that of the first process that failed; 128+n if\n"
	"signal n killed it.  SIGUSR1 sent to mpiexec prints what each process waits for.\n"
	"See mpiexec(1).\n";

static void settings_add(struct settings *s, const char *name, const char *value)
{
	if (*name == '\0' || *name == '=' || (value != NULL && strchr(name, '=') != NULL))
		fatal(EXIT_USAGE, "`%s' is no name of a variable", name);
	s->v = mem_grow(s->v, (size_t)s->n + 1, sizeof(*s->v));
	s->v[s->n++] = (struct setting){name, value};
}

/* Parses a number of processes. */
static int number_read(const char *opt, const char *s)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(s, &end, 10);
	if (errno == EINVAL || end == s || *end != '\0')
		fatal(EXIT_USAGE, "-%s needs a number of processes, not `%s'", opt, s);
	if (n < 1 || n > SHM_RANKS_MAX)
		fatal(EXIT_USAGE, "-%s %s: a job has 1 to %d processes", opt, s, SHM_RANKS_MAX);
	return (int)n;
}

/* The value of HAFT_ERRHANDLER for an error handler's name; case does not matter. */
static const char *errhandler_read(const char *s)
{
	static const char *const names[][2] = {{"mpi_errors_are_fatal", "fatal"},
		{"mpi_errors_abort", "abort"}, {"mpi_errors_return", "return"}};

	for (size_t i = 0; i < countof(names); i++)
		if (strcasecmp(s, names[i][0]) == 0)
			return names[i][1];
	fatal(EXIT_USAGE, "-initial-errhandler is %s, %s or %s, not `%s'", names[0][0], names[1][0],
		names[2][0], s);
}

/* The value of HAFT_FT for Open MPI's words. */
static const char *ft_read(const char *s)
{
	static const char *const yes[] = {"ulfm", "mpi", "yes", "true", "1"}, *const no[] = {"no",
										      "false",
										      "none", "0"};

	for (size_t i = 0; i < countof(yes); i++)
		if (strcasecmp(s, yes[i]) == 0)
			return "yes";
	for (size_t i = 0; i < countof(no); i++)
		if (strcasecmp(s, no[i]) == 0)
			return "no";
	if (strcasecmp(s, "auto") == 0)
		return "auto";
	fatal(EXIT_USAGE, "-with-ft is ulfm, mpi, no or auto, not `%s'", s);
}

/* The address of a name server, or the file that has it. */
static const char *name_server_read(const char *opt, const char *s)
{
	if (strncmp(s, BOOT_NAMES_PREFIX, strlen(BOOT_NAMES_PREFIX)) != 0 &&
		strncmp(s, BOOT_NAMES_FILE, strlen(BOOT_NAMES_FILE)) != 0)
		fatal(EXIT_USAGE,
			"-%s takes the address that mpiexec -name-server prints, or file:FILE with "
			"it, not `%s'",
			opt, s);
	return s;
}

/* Appends KEY=VALUE to the text that becomes MPI_INFO_ENV. */
static void info_add(struct app *a, const char *key, const char *value)
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

static double seconds_read(const char *what, const char *s)
{
	char *end;
	double t = strtod(s, &end);

	if (end == s || *end != '\0' || !isfinite(t) || t <= 0 || t > INT_MAX)
		fatal(EXIT_USAGE, "%s needs a positive number of seconds, not `%s'", what, s);
	return t;
}

/* Is the name one of these words, which blanks separate? */
static bool option_in(const char *words, const char *name, size_t len)
{
	for (const char *w = words; *w != '\0'; w += strspn(w, " ")) {
		size_t n = strcspn(w, " ");

		if (n == len && strncmp(w, name, len) == 0)
			return true;
		w += n;
	}
	return false;
}

/* The option of this name, if it is in a list by the number of values. */
static bool option_in_lists(const char *const *lists, size_t n, enum opt opt, const char *name,
	size_t len, struct option *found)
{
	for (size_t i = 0; i < n; i++) {
		if (!option_in(lists[i], name, len))
			continue;
		*found = (struct option){text_new("%.*s", (int)len, name), (int)i, opt};
		return true;
	}
	return false;
}

static bool option_find(const char *name, size_t len, struct option *found)
{
	for (size_t i = 0; i < countof(options); i++)
		if (strlen(options[i].name) == len && strncmp(options[i].name, name, len) == 0) {
			*found = options[i];
			return true;
		}
	return option_in_lists(skipped, countof(skipped), OPT_SKIP, name, len, found) ||
	       option_in_lists(refused, countof(refused), OPT_REFUSE, name, len, found);
}

static void apps_read(struct plan *p, int argc, char **argv, bool nested);

/* Splits a line of a -configfile into words.  Blanks separate them, '...' and "..." keep words
 * together, # starts a comment.  The words point into `line'. */
static char **words_split(char *line, int *n)
{
	char **v = NULL;
	char *to = line;
	char quote = '\0';

	*n = 0;
	for (char *s = line; *s != '\0' && *s != '#';) {
		if (strchr(" \t\r\n", *s) != NULL) {
			s++;
			continue;
		}
		v = mem_grow(v, (size_t)*n + 2, sizeof(*v));
		v[(*n)++] = to;
		for (; *s != '\0' && (quote != '\0' || strchr(" \t\r\n", *s) == NULL); s++) {
			if (quote == '\0' && (*s == '\'' || *s == '"'))
				quote = *s;
			else if (quote != '\0' && *s == quote)
				quote = '\0';
			else
				*to++ = *s;
		}
		if (*s != '\0')
			s++;
		*to++ = '\0';
		v[*n] = NULL;
	}
	return v;
}

static void config_read(struct plan *p, const char *path)
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

/* Parses the reader of stdin: a rank, STDIN_ALL or STDIN_NONE. */
static int stdin_read(const char *opt, const char *s)
{
	char *end;
	long r;

	if (strcmp(s, "all") == 0)
		return STDIN_ALL;
	if (strcmp(s, "none") == 0)
		return STDIN_NONE;
	errno = 0;
	r = strtol(s, &end, 10);
	if (errno != 0 || end == s || *end != '\0' || r < 0 || r >= SHM_RANKS_MAX)
		fatal(EXIT_USAGE, "-%s takes a rank, all or none, not `%s'", opt, s);
	return (int)r;
}

static bool word_is(const char *s, size_t len, const char *word)
{
	return strlen(word) == len && strncmp(s, word, len) == 0;
}

/* Records an option, or part of one, that has no effect; -v reports it. */
static void ignore(struct plan *p, char *words)
{
	p->ignored = mem_grow(p->ignored, (size_t)p->nignored + 1, sizeof(*p->ignored));
	p->ignored[p->nignored++] = words;
}

/* Records the modifiers of "slot:PE=2:OVERSUBSCRIBE" as ignored. */
static void modifiers_ignore(struct plan *p, const char *opt, const char *rest)
{
	if (*rest == ':')
		ignore(p, text_new("%s of -%s", rest + 1, opt));
}

static enum part bind_read(struct plan *p, const char *s)
{
	static const struct {
		const char *name;
		enum part part;
	} words[] = {{"none", PART_NONE}, {"hwthread", PART_THREAD}, {"core", PART_CORE},
		{"socket", PART_SOCKET}, {"package", PART_SOCKET}, {"numa", PART_NUMA}};
	size_t len = strcspn(s, ":"); /* core:overload-allowed */

	for (size_t i = 0; i < countof(words); i++)
		if (word_is(s, len, words[i].name)) {
			modifiers_ignore(p, "bind-to", s + len);
			return words[i].part;
		}
	fatal(EXIT_USAGE, "-bind-to takes none, hwthread, core, socket or numa, not `%s'", s);
}

/* "2:node" of -map-by ppr:2:node: processes per host.  For other parts: one of each in turn. */
static void ppr_read(struct plan *p, const char *s)
{
	char *end;
	long n = strtol(s, &end, 10);
	const char *part = *end == ':' ? end + 1 : "";
	size_t len = strcspn(part, ":");

	if (end == s || n < 1 || n > SHM_RANKS_MAX || len == 0)
		fatal(EXIT_USAGE,
			"-map-by ppr:N:PART needs a number and node, socket or numa, not `%s'", s);
	if (word_is(part, len, "node") || word_is(part, len, "host"))
		p->ppn = (int)n;
	else if (word_is(part, len, "socket") || word_is(part, len, "package"))
		p->spread = PART_SOCKET;
	else if (word_is(part, len, "numa"))
		p->spread = PART_NUMA;
	else
		fatal(EXIT_USAGE, "-map-by ppr:%ld: node, socket or numa, not `%s'", n, part);
	if (p->spread != PART_NONE)
		ignore(p,
			text_new("the number in -map-by ppr:%s: processes go to each %.*s in turn",
				s, (int)len, part));
	modifiers_ignore(p, "map-by", part + len);
}

static void map_read(struct plan *p, const char *s)
{
	static const struct {
		const char *name;
		enum mapping map;
		enum part spread;
	} words[] = {{"slot", MAP_SLOT, PART_NONE}, {"core", MAP_SLOT, PART_NONE},
		{"hwthread", MAP_SLOT, PART_NONE}, {"socket", MAP_SLOT, PART_SOCKET},
		{"package", MAP_SLOT, PART_SOCKET}, {"numa", MAP_SLOT, PART_NUMA},
		{"node", MAP_NODE, PART_NONE}, {"host", MAP_NODE, PART_NONE}};
	size_t len = strcspn(s, ":"); /* slot:PE=2 */

	if (strncmp(s, "ppr:", 4) == 0) {
		ppr_read(p, s + 4);
		return;
	}
	for (size_t i = 0; i < countof(words); i++)
		if (word_is(s, len, words[i].name)) {
			p->map = words[i].map;
			p->spread = words[i].spread;
			modifiers_ignore(p, "map-by", s + len);
			return;
		}
	fatal(EXIT_USAGE, "-map-by takes slot, node, core, socket, numa or ppr:N:node, not `%s'",
		s);
}

/* A word that names no launcher is a command, as with -launcher exec. */
static void launcher_read(struct plan *p, const char *s)
{
	static const char *const words[] = {[LAUNCH_NONE] = "",
		[LAUNCH_SSH] = "ssh",
		[LAUNCH_RSH] = "rsh",
		[LAUNCH_EXEC] = "exec",
		[LAUNCH_FORK] = "fork",
		[LAUNCH_SLURM] = "slurm"};

	for (size_t i = LAUNCH_NONE + 1; i < countof(words); i++)
		if (strcmp(s, words[i]) == 0) {
			p->launcher = (enum launcher)i;
			return;
		}
	if (*s == '\0')
		fatal(EXIT_USAGE, "-launcher takes ssh, rsh, slurm, exec, fork or a command");
	p->launcher = LAUNCH_EXEC;
	p->launch_exec = s;
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

/* Prints the text and ends mpiexec. */
__attribute__((noreturn)) static void text_exit(const char *s)
{
	if (fputs(s, stdout) == EOF || fflush(stdout) != 0)
		fatal(1, "cannot write to standard output: %s", strerror(errno));
	exit(0);
}

/* -output-filename DIR[:nocopy]: a file for each stream of each rank. */
static void out_dir_read(struct plan *p, const char *s)
{
	size_t len = strcspn(s, ":");

	if (len == 0)
		fatal(EXIT_USAGE, "-output-filename needs the name of a directory");
	p->file_copy = !word_is(s + len, strlen(s + len), ":nocopy");
	p->file[0] = text_new("%.*s/1/rank.%%r/stdout", (int)len, s);
	p->file[1] = text_new("%.*s/1/rank.%%r/stderr", (int)len, s);
}

/* -output tag,file=NAME: words of Open MPI 5. */
static void output_read(struct plan *p, const char *s)
{
	while (*s != '\0') {
		size_t len = strcspn(s, ",");

		if (word_is(s, len, "tag"))
			p->label = true;
		else if (strncmp(s, "file=", 5) == 0 && len > 5)
			out_dir_read(p, text_new("%.*s", (int)len - 5, s + 5));
		else
			ignore(p, text_new("%.*s of -output", (int)len, s));
		s += len + (s[len] != '\0');
	}
}

#define UNIVERSE_AUTO  0    /* -usize is not given: the slots of the hosts */
#define UNIVERSE_NONE  (-1) /* MPI_UNIVERSE_SIZE is not set */
#define UNIVERSE_SLOTS (-2) /* the slots of the hosts, or the CPUs */

/* The value of -usize, or of MPIEXEC_UNIVERSE_SIZE: a number, slots, none. */
static void universe_read(struct plan *p, const char *what, const char *s)
{
	char *end;
	long n = strtol(s, &end, 10);

	if (strcmp(s, "none") == 0 || strcmp(s, "infinite") == 0)
		p->universe = UNIVERSE_NONE;
	else if (strcmp(s, "slots") == 0 || strcmp(s, "SYSTEM") == 0)
		p->universe = UNIVERSE_SLOTS;
	else if (end != s && *end == '\0' && n > 0 && n <= INT_MAX)
		p->universe = (int)n;
	else
		fatal(EXIT_USAGE, "%s takes a number, slots or none, not `%s'", what, s);
}

/* MPI_UNIVERSE_SIZE is never less than the ranks that are started.  Without -usize it is the number
 * of slots, if there are more of them than ranks: else programs would take it that there is no
 * room. */
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

/* The words that the first value of an option may be, or a kind of option_view. */
static const char *kind_of(enum opt opt)
{
	switch (opt) {
	case OPT_ENV:
	case OPT_GENV:
	case OPT_X:
	case OPT_KEEP:
	case OPT_GKEEP: return "@var";
	case OPT_WDIR:
	case OPT_PATH:
	case OPT_OUT_DIR:
	case OPT_PREFIX: return "@dir";
	case OPT_HOSTS: return "@host";
	case OPT_HOSTFILE:
	case OPT_CONFIG:
	case OPT_LAUNCH_EXEC:
	case OPT_OUT_FILE:
	case OPT_ERR_FILE: return "@file";
	case OPT_LAUNCHER: return "ssh rsh slurm exec fork";
	case OPT_BIND: return "none hwthread core socket numa";
	case OPT_MAP: return "slot node core hwthread socket numa ppr:";
	case OPT_STDIN: return "0 all none";
	case OPT_ERRH: return "mpi_errors_are_fatal mpi_errors_abort mpi_errors_return";
	case OPT_WITH_FT: return "ulfm mpi no auto";
	case OPT_USIZE: return "slots none";
	case OPT_COMPLETION: return "bash";
	default: return "";
	}
}

bool option_view(int i, struct option_view *v)
{
	if (i < 0 || (size_t)i >= countof(options))
		return false;
	*v = (struct option_view){.name = options[i].name,
		.values = options[i].values,
		.ignored = options[i].opt == OPT_SKIP,
		.kind = kind_of(options[i].opt)};
	return true;
}

__attribute__((noreturn)) static void completion_exit(const char *shell)
{
	if (strcmp(shell, "bash") != 0)
		fatal(EXIT_USAGE,
			"-completion is for bash (zsh reads it after bashcompinit), not `%s'",
			shell);
	shell_words_print();
	text_exit("");
}

/* The exit code is 1 if something would make jobs fail. */
__attribute__((noreturn)) static void doctor_exit(void)
{
	if (doctor_print() == 0)
		text_exit("");
	fflush(stdout);
	exit(1);
}

/* -profile, -profile=FILE. */
static void profile_read(struct plan *p, const char *where)
{
	const char *why = profile_refuse(where);

	if (why != NULL)
		fatal(EXIT_USAGE, "-profile or HAFT_PROFILE %s: %s", where, why);
	p->profile = *where != '\0' ? where : "-";
}

/* Applies one option; `v' points to its values. */
static void option_do(struct plan *p, struct app *a, const struct option *o, char **v)
{
	switch (o->opt) {
	case OPT_N: a->n = number_read(o->name, v[0]); break;
	case OPT_ENV: settings_add(&a->set, v[0], v[1]); break;
	case OPT_GENV: settings_add(&p->set, v[0], v[1]); break;
	case OPT_X: settings_add(&a->set, v[0], NULL); break;
	case OPT_KEEP: a->keep = v[0]; break;
	case OPT_GKEEP: p->keep = v[0]; break;
	case OPT_NOENV: a->keep = ""; break;
	case OPT_GNOENV: p->keep = ""; break;
	case OPT_WDIR:
		a->wdir = v[0];
		info_add(a, "wdir", v[0]);
		break;
	case OPT_PATH: a->path = v[0]; break;
	case OPT_LABEL: p->label = true; break;
	case OPT_PROFILE: profile_read(p, v[0]); break;
	case OPT_TIMEOUT: p->timeout = seconds_read("-timeout", v[0]); break;
	case OPT_HOSTS:
		hosts_list(p, v[0]);
		info_add(a, "host", v[0]);
		break;
	case OPT_HOSTFILE: hosts_file(p, v[0]); break;
	case OPT_PPN: p->ppn = number_read(o->name, v[0]); break;
	case OPT_RR: p->map = MAP_NODE; break;
	case OPT_BYSLOT: p->map = MAP_SLOT; break;
	case OPT_MAP: map_read(p, v[0]); break;
	case OPT_BIND: p->bind = bind_read(p, v[0]); break;
	case OPT_BIND_CORE: p->bind = PART_CORE; break;
	case OPT_BIND_SOCKET: p->bind = PART_SOCKET; break;
	case OPT_BIND_NONE: p->bind = PART_NONE; break;
	case OPT_LAUNCHER: launcher_read(p, v[0]); break;
	case OPT_LAUNCH_EXEC: p->launch_exec = v[0]; break;
	case OPT_IFACE: p->iface = v[0]; break;
	case OPT_PREFIX: p->proxy_path = text_new("%s/bin/mpiexec", v[0]); break;
	case OPT_FANOUT: p->fanout = number_read(o->name, v[0]); break;
	case OPT_CONFIG: config_read(p, v[0]); break;
	case OPT_STDIN: p->stdin_to = stdin_read(o->name, v[0]); break;
	case OPT_ERRH: settings_add(&a->set, "HAFT_ERRHANDLER", errhandler_read(v[0])); break;
	case OPT_RESPAWN: p->respawn = number_read(o->name, v[0]); break;
	case OPT_FT: settings_add(&p->set, "HAFT_FT", "yes"); break;
	case OPT_WITH_FT: settings_add(&p->set, "HAFT_FT", ft_read(v[0])); break;
	case OPT_INFO: info_add(a, o->name, v[0]); break;
	case OPT_VERBOSE: p->verbose = true; break;
	case OPT_HELP: text_exit(help);
	case OPT_VERSION: text_exit("mpiexec (Haft) " HAFT_VERSION ", MPI 5.0\n");
	case OPT_DOCTOR: doctor_exit();
	case OPT_COMPLETION: completion_exit(v[0]);
	case OPT_PERNODE: p->ppn = 1; break;
	case OPT_USIZE: universe_read(p, "-usize", v[0]); break;
	case OPT_NAMES:
		settings_add(&p->set, "HAFT_NAME_SERVER", name_server_read(o->name, v[0]));
		break;
	case OPT_FULL: p->full_refuse = true; break;
	case OPT_OVER: p->full_refuse = false; break;
	case OPT_OUTPUT: output_read(p, v[0]); break;
	case OPT_OUT_DIR: out_dir_read(p, v[0]); break;
	case OPT_OUT_FILE: p->file[0] = v[0]; break;
	case OPT_ERR_FILE: p->file[1] = v[0]; break;
	case OPT_PPR: ppr_read(p, v[0]); break;
	case OPT_PATTERN:
		p->label = true;
		ignore(p, text_new("the pattern %s of -prepend-pattern", v[0]));
		break;
	case OPT_REFUSE: break; /* option_read has refused it */
	case OPT_SKIP:
		ignore(p, text_new("-%s%s%s%s%s", o->name, o->values > 0 ? " " : "",
				  o->values > 0 ? v[0] : "", o->values > 1 ? " " : "",
				  o->values > 1 ? v[1] : ""));
		break;
	}
}

/* Parses one option with its values; returns the number of words used. */
static int option_read(struct plan *p, struct app *a, int argc, char **argv)
{
	const char *name = argv[0] + (argv[0][1] == '-' ? 2 : 1);
	const char *eq = strchr(name, '=');
	char *value[2] = {NULL, NULL};
	struct option o;
	bool known = option_find(name, strcspn(name, "="), &o);

	if (known && o.opt == OPT_REFUSE)
		fatal(EXIT_USAGE, "%s is an option of another launcher; mpiexec cannot do that",
			argv[0]);
	if (known && o.opt == OPT_SKIP && o.values == 0)
		eq = NULL; /* such as -kill-on-bad-exit=1 */
	if (!known || (eq != NULL && o.values != 1 && o.opt != OPT_PROFILE))
		fatal(EXIT_USAGE, "unknown option %s; mpiexec --help lists them", argv[0]);
	if (eq != NULL) {
		value[0] = argv[0] + (eq + 1 - argv[0]);
		option_do(p, a, &o, value);
		return 1;
	}
	if (o.opt == OPT_PROFILE) {
		value[0] = (char[]){""};
		option_do(p, a, &o, value);
		return 1;
	}
	if (argc <= o.values)
		fatal(EXIT_USAGE, "%s needs %s", argv[0],
			o.values == 1 ? "a value" : "a name and a value");
	option_do(p, a, &o, argv + 1);
	return 1 + o.values;
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
	static char *line; /* the words point into it */
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

static struct plan plan; /* static, so that leak checkers find what it points to */

const struct plan *plan_this(void)
{
	return &plan;
}

struct plan *plan_read(int argc, char **argv)
{
	struct plan *p = &plan;
	const char *limit = getenv("MPIEXEC_TIMEOUT");
	const char *iface = getenv("HAFT_IFACE");
	const char *universe = getenv("MPIEXEC_UNIVERSE_SIZE");
	const char *profile = getenv("HAFT_PROFILE");
	bool slurm = false;
	char **words;
	int slots;

	if (universe != NULL && *universe != '\0')
		universe_read(p, "MPIEXEC_UNIVERSE_SIZE", universe);
	if (limit != NULL && *limit != '\0')
		p->timeout = seconds_read("MPIEXEC_TIMEOUT", limit);
	p->fanout = TREE_FANOUT;
	argc--;
	words = words_with_defaults(&argc, argv + 1);
	apps_read(p, argc, words, false);
	free(words);
	if (p->profile == NULL && profile != NULL && *profile != '\0')
		profile_read(p, profile);
	if (p->iface == NULL && iface != NULL && *iface != '\0')
		p->iface = iface;
	if (p->nhosts == 0)
		slurm = alloc_hosts(p);
	launcher_settle(p, slurm);
	slots = hosts_settle(p);
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
	universe_settle(p, slots);
	map_ranks(p);
	plan_environ(p);
	if (p->nhosts > 0)
		launch_init(p);
	else
		plan_find(p);
	return p;
}
