// SPDX-License-Identifier: BSD-3-Clause
/* option_values.c - reads the values of options: cmdline_options.h.
 *
 *     "core:overload-allowed" ──> a word of the option's list: core ──> fields of the plan
 *                            └──> modifiers: ignored, and reported by -v */
#include "tools/mpiexec/cmdline_options.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "libmpi/boot/name_protocol.h"
#include "libobj/base.h"
#include "libshm/shm.h"
#include "tools/mpiexec/profile.h"
#include "tools/mpiexec/trace.h"

#define TIMES_MAX 1000000 /* of a job that is started again: days, if it fails at once */

/* Is all of s a number?  One that is too large is LONG_MAX. */
static bool read_number(const char *s, long *n)
{
	char *end;

	*n = strtol(s, &end, 10);
	return end != s && *end == '\0';
}

int option_number(const char *opt, const char *s)
{
	long n;

	if (!read_number(s, &n))
		fatal(EXIT_USAGE, "-%s needs a number of processes, not `%s'", opt, s);
	if (n < 1 || n > SHM_RANKS_MAX)
		fatal(EXIT_USAGE, "-%s %s: a job has 1 to %d processes", opt, s, SHM_RANKS_MAX);
	return (int)n;
}

int option_times(const char *opt, const char *s)
{
	long n;

	if (!read_number(s, &n) || n < 0 || n > TIMES_MAX)
		fatal(EXIT_USAGE, "-%s needs a number of times, 0 to %d, not `%s'", opt, TIMES_MAX,
			s);
	return (int)n;
}

const char *option_errhandler(const char *s)
{
	static const char *const names[] = {
		"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"};

	for (size_t i = 0; i < countof(names); i++)
		if (strcasecmp(s, names[i]) == 0)
			return names[i];
	fatal(EXIT_USAGE, "-initial-errhandler is %s, %s or %s, not `%s'", names[0], names[1],
		names[2], s);
}

const char *option_ft(const char *s)
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

const char *option_name_server(const char *opt, const char *s)
{
	if (strncmp(s, BOOT_NAMES_PREFIX, strlen(BOOT_NAMES_PREFIX)) != 0 &&
		strncmp(s, BOOT_NAMES_FILE, strlen(BOOT_NAMES_FILE)) != 0)
		fatal(EXIT_USAGE,
			"-%s takes the address that mpiexec -name-server prints, or file:FILE with "
			"it, not `%s'",
			opt, s);
	return s;
}

double option_seconds(const char *name, const char *s)
{
	char *end;
	double t = strtod(s, &end);

	if (end == s || *end != '\0' || !isfinite(t) || t <= 0 || t > INT_MAX)
		fatal(EXIT_USAGE, "%s needs a positive number of seconds, not `%s'", name, s);
	return t;
}

int option_stdin(const char *opt, const char *s)
{
	long r;

	if (strcmp(s, "all") == 0)
		return STDIN_ALL;
	if (strcmp(s, "none") == 0)
		return STDIN_NONE;
	if (!read_number(s, &r) || r < 0 || r >= SHM_RANKS_MAX)
		fatal(EXIT_USAGE, "-%s takes a rank, all or none, not `%s'", opt, s);
	return (int)r;
}

char **words_split(char *line, int *n)
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

bool option_word_is(const char *s, size_t len, const char *word)
{
	return strlen(word) == len && strncmp(s, word, len) == 0;
}

void option_ignore(struct plan *p, char *words)
{
	p->ignored = mem_grow(p->ignored, (size_t)p->nignored + 1, sizeof(*p->ignored));
	p->ignored[p->nignored++] = words;
}

void option_without(struct plan *p, char *line)
{
	p->without = mem_grow(p->without, (size_t)p->nwithout + 1, sizeof(*p->without));
	p->without[p->nwithout++] = line;
}

static bool word_is_any_case(const char *s, size_t len, const char *word)
{
	return strlen(word) == len && strncasecmp(s, word, len) == 0;
}

/* The part of a machine that the first len characters name; PART_NONE: they name none. */
static enum part part_named(const char *s, size_t len)
{
	static const struct {
		const char *name;
		enum part part;
	} words[] = {{"hwthread", PART_THREAD}, {"core", PART_CORE}, {"l1cache", PART_L1},
		{"l2cache", PART_L2}, {"l3cache", PART_L3}, {"socket", PART_SOCKET},
		{"package", PART_SOCKET}, {"numa", PART_NUMA}};

	for (size_t i = 0; i < countof(words); i++)
		if (word_is_any_case(s, len, words[i].name))
			return words[i].part;
	return PART_NONE;
}

/* Records the modifiers of "slot:PE=2:OVERSUBSCRIBE".  Those about oversubscription ask for
 * the normal behavior, but the one that refuses it. */
static void modifiers_take(struct plan *p, const char *opt, const char *rest)
{
	static const char *const so[] = {"oversubscribe", "overload-allowed", "if-supported"};

	while (*rest == ':') {
		size_t len = strcspn(++rest, ":,");
		bool anyway = false;

		for (size_t i = 0; i < countof(so); i++)
			anyway |= word_is_any_case(rest, len, so[i]);
		if (word_is_any_case(rest, len, "nooversubscribe"))
			p->full_refuse = true;
		else if (anyway)
			option_ignore(p, text_new("%.*s of -%s", (int)len, rest, opt));
		else if (len > 0)
			option_without(
				p, text_new("%.*s of -%s has no effect", (int)len, rest, opt));
		rest += len;
	}
}

void option_bind(struct plan *p, const char *s)
{
	size_t len = strcspn(s, ":"); /* core:overload-allowed, :overload-allowed */
	enum part part = part_named(s, len);

	if (part == PART_NONE && *s != ':' && !word_is_any_case(s, len, "none"))
		fatal(EXIT_USAGE,
			"-bind-to takes none, hwthread, core, l1cache to l3cache, socket or numa, "
			"not `%s'",
			s);
	if (*s != ':')
		p->bind = part;
	modifiers_take(p, "bind-to", s + len);
}

/* Over these parts ranks go one to each in turn; the smaller ones follow each other anyway. */
static enum part part_spread(enum part part)
{
	return part > PART_CORE ? part : PART_NONE;
}

/* "2:node" of -map-by ppr:2:node: processes per host.  For other parts: one of each in turn. */
void option_ppr(struct plan *p, const char *s)
{
	char *end;
	long n = strtol(s, &end, 10);
	const char *part = *end == ':' ? end + 1 : "";
	size_t len = strcspn(part, ":");

	if (end == s || n < 1 || n > SHM_RANKS_MAX || len == 0)
		fatal(EXIT_USAGE,
			"-map-by ppr:N:PART needs a number and node, socket, numa or another part, "
			"not `%s'",
			s);
	if (word_is_any_case(part, len, "node") || word_is_any_case(part, len, "host")) {
		p->ppn = (int)n;
	} else {
		if (part_named(part, len) == PART_NONE)
			fatal(EXIT_USAGE,
				"-map-by ppr:%ld: node, hwthread, core, l1cache to l3cache, socket "
				"or numa, not `%s'",
				n, part);
		p->spread = part_spread(part_named(part, len));
		option_without(p,
			text_new("the number in -map-by ppr:%s has no effect: processes go to each "
				 "%.*s in turn",
				s, (int)len, part));
	}
	modifiers_take(p, "map-by", part + len);
}

void option_map(struct plan *p, const char *s)
{
	size_t len = strcspn(s, ":"); /* slot:PE=2, :OVERSUBSCRIBE */
	bool node = word_is_any_case(s, len, "node") || word_is_any_case(s, len, "host");
	enum part part = part_named(s, len);

	if (strncasecmp(s, "ppr:", 4) == 0) {
		option_ppr(p, s + 4);
		return;
	}
	if (!node && part == PART_NONE && *s != ':' && !word_is_any_case(s, len, "slot"))
		fatal(EXIT_USAGE,
			"-map-by takes slot, node, hwthread, core, l1cache to l3cache, socket, "
			"numa or ppr:N:PART, not `%s'",
			s);
	if (*s != ':') {
		p->map = node ? MAP_NODE : MAP_SLOT;
		p->spread = part_spread(part);
	}
	modifiers_take(p, "map-by", s + len);
}

/* A word that names no launcher is a command, as with -launcher exec. */
void option_launcher(struct plan *p, const char *s)
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

void option_universe(struct plan *p, const char *name, const char *s)
{
	long n;

	if (strcmp(s, "none") == 0 || strcmp(s, "infinite") == 0)
		p->universe = UNIVERSE_NONE;
	else if (strcmp(s, "slots") == 0 || strcmp(s, "SYSTEM") == 0)
		p->universe = UNIVERSE_SLOTS;
	else if (read_number(s, &n) && n > 0 && n <= INT_MAX)
		p->universe = (int)n;
	else
		fatal(EXIT_USAGE, "%s takes a number, slots or none, not `%s'", name, s);
}

void option_profile(struct plan *p, const char *where)
{
	const char *why = profile_refuse(where);

	if (why != NULL)
		fatal(EXIT_USAGE, "-profile or HAFT_PROFILE %s: %s", where, why);
	p->profile = *where != '\0' ? where : "-";
}

void option_trace(struct plan *p, const char *where)
{
	const char *why = trace_refuse(where);

	if (why != NULL)
		fatal(EXIT_USAGE, "-trace or HAFT_TRACE %s: %s", where, why);
	p->trace = where;
	if (p->trace_room == 0)
		p->trace_room = TRACE_ROOM;
}

void option_trace_room(struct plan *p, const char *s)
{
	static const char units[] = "KMG";
	char *end;
	long long n = strtoll(s, &end, 10);
	const char *unit = *end != '\0' ? strchr(units, *end & ~0x20) : NULL;

	for (int i = 0; unit != NULL && i <= unit - units && n <= INT64_MAX / 1024; i++)
		n *= 1024;
	if (end == s || end[unit != NULL] != '\0' || n < TRACE_ROOM_MIN || n > TRACE_ROOM_MAX)
		fatal(EXIT_USAGE, "-trace-room takes a size from 64K to 64G, not `%s'", s);
	p->trace_room = n / TRACE_ROOM_MIN * TRACE_ROOM_MIN;
}

void option_trace_keep(struct plan *p, const char *s)
{
	if (strcmp(s, "first") != 0 && strcmp(s, "last") != 0)
		fatal(EXIT_USAGE, "-trace-keep takes first or last, not `%s'", s);
	p->trace_first = strcmp(s, "first") == 0;
}
