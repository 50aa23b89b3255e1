// SPDX-License-Identifier: BSD-3-Clause
/* spawn_app.c - see spawn_app.h.
 *
 *   key of the info ──> keys[]: its row ──> take ──> a field, a variable, a line of MPI_INFO_ENV
 *   file=NAME       ──> lines KEY=VALUE, taken as keys of the info
 *
 * Keys that are not in the table are ignored, as the standard says. */
#include "tools/mpiexec/spawn_app.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include "libmpi/boot/mpiexec_words.h"
#include "libobj/base.h"
#include "libshm/shm.h"

/* --- the set of soft ------------------------------------------------------------------------ */

/* Reads a triplet a[:b[:c]] and goes behind it.  False: it is none. */
static bool triplet_read(const char **s, long *a, long *b, long *c)
{
	char *end;

	*a = strtol(*s, &end, 10);
	if (end == *s)
		return false;
	*b = *a;
	*c = 1;
	if (*end == ':') {
		*s = end + 1;
		*b = strtol(*s, &end, 10);
		if (end == *s)
			return false;
	}
	if (*end == ':') {
		*s = end + 1;
		*c = strtol(*s, &end, 10);
		if (end == *s || *c == 0)
			return false;
	}
	if (*a != *b && (*a < *b) != (*c > 0))
		return false; /* c leads away from b */
	*s = end + strspn(end, " ");
	if (**s == ',')
		++*s;
	else if (**s != '\0')
		return false;
	return true;
}

bool soft_good(const char *soft)
{
	long a, b, c;

	while (*soft != '\0')
		if (!triplet_read(&soft, &a, &b, &c))
			return false;
	return true;
}

/* The greatest of a, a+c, ... b that is at most `most'; -1: there is none. */
static long triplet_best(long a, long b, long c, long most)
{
	long low = c > 0 ? a : b, high = c > 0 ? b : a, step = c > 0 ? c : -c;
	long best;

	if (c < 0)
		low = a - (a - b) / step * step;
	best = most < high ? most : high;
	if (best < low)
		return -1;
	best = low + (best - low) / step * step;
	return best >= 0 ? best : -1;
}

int soft_number(const char *soft, int all, int most)
{
	long a, b, c, best = -1;

	if (soft == NULL)
		return most >= all ? all : -1;
	most = most < all ? most : all;
	while (*soft != '\0' && triplet_read(&soft, &a, &b, &c)) {
		long mine = triplet_best(a, b, c, most);

		best = mine > best ? mine : best;
	}
	return (int)best;
}

/* --- keys ----------------------------------------------------------------------------------- */

static void text_set(char **to, const char *v)
{
	free(*to);
	*to = text_new("%s", v);
}

static void env_add(struct settings *set, const char *name, const char *value)
{
	set->v = mem_grow(set->v, (size_t)set->n + 1, sizeof(*set->v));
	set->v[set->n++] = (struct setting){
		text_new("%s", name), value != NULL ? text_new("%s", value) : NULL};
}

/* Adds the lines of a list of variables.  NULL, or a line without a name; malloc'ed. */
static char *env_lines(struct settings *set, const char *v)
{
	while (*v != '\0') {
		size_t len = strcspn(v, "\n");
		char *line = text_new("%.*s", (int)len, v);

		if (line[0] == '=')
			return line;
		if (line[0] != '\0')
			env_add(set, line, NULL);
		free(line);
		v += len + (v[len] == '\n');
	}
	return NULL;
}

static void info_line(struct spawn_app *s, const char *key, const char *value)
{
	char *more;

	if (strchr(value, '\n') != NULL)
		return;
	more = text_new("%s%s=%s\n", s->app.info != NULL ? s->app.info : "", key, value);
	free(s->app.info);
	s->app.info = more;
}

/* The first word of a list that is neither HOST nor HOST:N, malloc'ed; NULL: there is none. */
static char *host_bad(const char *v)
{
	static const char gap[] = ", \t\n";
	char *bad = NULL;

	for (v += strspn(v, gap); *v != '\0' && bad == NULL; v += strspn(v, gap)) {
		size_t len = strcspn(v, gap);
		char *word = text_new("%.*s", (int)len, v);
		const char *slots, *name = host_word_cut(word, &slots);

		if (name == NULL || !host_name_good(name) ||
			(slots != NULL && host_slots(slots) < 1))
			bad = text_new("%.*s", (int)len, v);
		free(word);
		v += len;
	}
	return bad;
}

/* Adds a list of hosts with commas; MPI leaves the form to us, and users write blanks as well. */
static char *hosts_add(char **list, const char *v)
{
	char *old = *list, *bad;

	if (v[strspn(v, ", \t\n")] == '\0')
		return text_new("the list of hosts `%s' names no host", v);
	bad = host_bad(v);
	if (bad != NULL) {
		char *why = text_new("a host is `%s': it is HOST or HOST:N, with a number from 1 "
				     "to %d; an IPv6 address with a number stands in brackets",
			bad, SHM_RANKS_MAX);

		free(bad);
		return why;
	}
	*list = text_new("%s%s%s", old != NULL ? old : "", old != NULL ? "," : "", v);
	free(old);
	for (char *c = *list; *c != '\0'; c++)
		if (*c == ' ' || *c == '\t' || *c == '\n')
			*c = ',';
	return NULL;
}

/* The word of a list for a line of a hostfile.  slots: the text behind "slots=", or NULL. */
static char *hostfile_word(const char *host, const char *slots)
{
	char *copy = text_new("%s", host), *word;
	const char *own, *name = host_word_cut(copy, &own);

	if (slots != NULL && name != NULL && own == NULL)
		word = host_word(name, atoi(slots));
	else
		word = text_new(
			"%s%s%s", host, slots != NULL ? ":" : "", slots != NULL ? slots : "");
	free(copy);
	return word;
}

/* Adds the hosts of a hostfile: "host", "host:4", "host slots=4". */
static char *hostfile_take(char **list, const char *name)
{
	FILE *f = fopen(name, "re");
	char *line = NULL, *why = NULL;
	bool some = false;
	size_t cap = 0;

	if (f == NULL)
		return text_new("hostfile %s: %s", name, strerror(errno));
	while (why == NULL && getline(&line, &cap, f) >= 0) {
		char *slots, *host, *word;

		line[strcspn(line, "#\r\n")] = '\0';
		slots = strstr(line, "slots=");
		host = line + strspn(line, " \t");
		if (*host == '\0')
			continue;
		host[strcspn(host, " \t")] = '\0';
		word = hostfile_word(host, slots != NULL ? slots + 6 : NULL);
		why = hosts_add(list, word);
		free(word);
		some = true;
	}
	if (ferror(f) && why == NULL)
		why = text_new("hostfile %s: %s", name, strerror(errno));
	else if (why == NULL && !some)
		why = text_new("hostfile %s names no host", name);
	free(line);
	fclose(f);
	return why;
}

/* Refuses a value; MPI_ERR_INFO_VALUE. */
static char *value_bad(struct spawn_app *s, const char *key, const char *v, const char *good)
{
	s->bad_value = true;
	return text_new("%s is `%s': it is %s", key, v, good);
}

/* Reads a number that is at least `least'.  False: another text. */
static bool number_read(const char *v, int least, int *number)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(v, &end, 10);
	if (end == v || end[strspn(end, " \t")] != '\0' || errno != 0 || n < least || n > INT_MAX)
		return false;
	*number = (int)n;
	return true;
}

static char *arch_take(struct spawn_app *s, const char *v)
{
	struct utsname u;

	(void)s;
	if (uname(&u) != 0 || strcasestr(v, u.machine) != NULL || strcasecmp(v, u.sysname) == 0)
		return NULL;
	return text_new("arch is %s, and this machine is %s", v, u.machine);
}

static char *errhandler_take(struct spawn_app *s, const char *v)
{
	static const char *const names[] = {
		"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"};

	for (size_t i = 0; i < countof(names); i++)
		if (strcasecmp(v, names[i]) == 0) {
			env_add(&s->app.set, "HAFT_ERRHANDLER", names[i]);
			return NULL;
		}
	return value_bad(s, "mpi_initial_errhandler", v,
		"mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return");
}

static char *soft_take(struct spawn_app *s, const char *v)
{
	if (!soft_good(v))
		return value_bad(s, "soft", v, "a list of triplets a:b:c");
	text_set(&s->soft, v);
	return NULL;
}

static char *wdir_take(struct spawn_app *s, const char *v)
{
	text_set((char **)(uintptr_t)&s->app.wdir, v);
	return NULL;
}

/* The directory of the root, without wdir. */
static char *root_wdir_take(struct spawn_app *s, const char *v)
{
	return s->app.wdir == NULL ? wdir_take(s, v) : NULL;
}

static char *path_take(struct spawn_app *s, const char *v)
{
	text_set((char **)(uintptr_t)&s->app.path, v);
	return NULL;
}

/* A list in a key that is refused; NULL: it is taken. */
static char *host_value(struct spawn_app *s, char *why)
{
	s->bad_value |= why != NULL;
	return why;
}

static char *host_take(struct spawn_app *s, const char *v)
{
	return host_value(s, hosts_add(&s->hosts, v));
}

static char *hosts_of_file_take(struct spawn_app *s, const char *v)
{
	return hostfile_take(&s->hosts, v);
}

/* Further hosts, beside those of the job: no choice among them. */
static char *more_hosts_take(struct spawn_app *s, const char *v)
{
	return host_value(s, hosts_add(&s->more_hosts, v));
}

static char *more_hosts_of_file_take(struct spawn_app *s, const char *v)
{
	return hostfile_take(&s->more_hosts, v);
}

static char *appnum_take(struct spawn_app *s, const char *v)
{
	return number_read(v, 0, &s->app.appnum) ? NULL : value_bad(s, "appnum", v, "a number");
}

/* NAME=VALUE, or NAME to unset it; one a line.  As for env(1), names have all but `='. */
static char *env_take(struct spawn_app *s, const char *v)
{
	char *bad = env_lines(&s->app.set, v), *why = NULL;

	if (bad != NULL)
		why = value_bad(s, "env", bad, "lines of NAME=VALUE, or NAME to unset it");
	free(bad);
	return why;
}

static char *map_take(struct spawn_app *s, const char *v)
{
	s->by_node = strncmp(v, "node", 4) == 0 || strstr(v, "ppr:1:node") != NULL;
	return NULL;
}

static char *ppn_take(struct spawn_app *s, const char *v)
{
	return number_read(v, 1, &s->ppn) ? NULL : value_bad(s, "npernode", v, "a number from 1");
}

static char *stdin_take(struct spawn_app *s, const char *v)
{
	s->stdin_to = STDIN_NONE;
	if (strcmp(v, "all") == 0)
		s->stdin_to = STDIN_ALL;
	else if (strcmp(v, "none") != 0 && !number_read(v, 0, &s->stdin_to))
		return value_bad(s, BOOT_KEY_STDIN, v, "a rank, all or none");
	return NULL;
}

static char *outfile_take(struct spawn_app *s, const char *v)
{
	text_set(&s->file[0], v);
	return NULL;
}

static char *errfile_take(struct spawn_app *s, const char *v)
{
	text_set(&s->file[1], v);
	return NULL;
}

static char *job_hosts_take(struct spawn_app *s, const char *v)
{
	text_set(&s->job_hosts, v);
	return NULL;
}

static char *file_take(struct spawn_app *s, const char *name);

/* The keys.  `take' returns NULL, or malloc'ed words; NULL: the value is only shown.  `shown': in
 * MPI_INFO_ENV, as the standard says. */
static const struct {
	const char *name;
	char *(*take)(struct spawn_app *s, const char *v);
	bool shown;
} keys[] = {
	{"wdir", wdir_take, true},
	{"wd", wdir_take, false},
	{BOOT_KEY_WDIR, root_wdir_take, false},
	{"path", path_take, true},
	{"host", host_take, true},
	{"hosts", host_take, false},
	{"hostlist", host_take, false},
	{"ompi_host", host_take, false},
	{"hostfile", hosts_of_file_take, false},
	{"ompi_hostfile", hosts_of_file_take, false},
	{"add-host", more_hosts_take, false},
	{"add-hostfile", more_hosts_of_file_take, false},
	{BOOT_KEY_HOSTS, job_hosts_take, false},
	{"soft", soft_take, true},
	{"arch", arch_take, true},
	{"file", file_take, true},
	{"appnum", appnum_take, false},
	{"mpi_initial_errhandler", errhandler_take, false},
	{"mpi_memory_alloc_kinds", NULL, true},
	{"env", env_take, false},
	{BOOT_KEY_ENV, env_take, false},
	{"map", map_take, false},
	{"map_by", map_take, false},
	{"map-by", map_take, false},
	{"mapper", map_take, false},
	{"pmix.mapby", map_take, false},
	{"PMIX_MAPBY", map_take, false},
	{"npernode", ppn_take, false},
	{"ppn", ppn_take, false},
	{BOOT_KEY_STDIN, stdin_take, false},
	{"ompi_stdin_target", stdin_take, false},
	{BOOT_KEY_OUTFILE, outfile_take, false},
	{BOOT_KEY_ERRFILE, errfile_take, false},
};

/* Takes a key of the info. */
static char *info_take(struct spawn_app *s, const char *name, const char *value)
{
	for (size_t i = 0; i < countof(keys); i++) {
		if (strcmp(name, keys[i].name) != 0)
			continue;
		if (keys[i].shown)
			info_line(s, name, value);
		return keys[i].take != NULL ? keys[i].take(s, value) : NULL;
	}
	return NULL;
}

/* Takes the lines KEY=VALUE of a file. */
static char *file_take(struct spawn_app *s, const char *name)
{
	FILE *f = fopen(name, "re");
	char *line = NULL, *why = NULL;
	size_t cap = 0;

	if (f == NULL)
		return text_new("file %s: %s", name, strerror(errno));
	while (why == NULL && getline(&line, &cap, f) >= 0) {
		char *eq = strchr(line, '=');

		line[strcspn(line, "\r\n")] = '\0';
		if (line[0] == '#' || eq == NULL)
			continue;
		*eq = '\0';
		if (strcmp(line, "file") != 0)
			why = info_take(s, line, eq + 1);
	}
	if (ferror(f) && why == NULL)
		why = text_new("file %s: %s", name, strerror(errno));
	free(line);
	fclose(f);
	return why;
}

static void words_take(struct spawn_app *s, const struct spawn_part *p)
{
	size_t n = 0;

	while (p->arg[n] != NULL)
		n++;
	s->app.argv = mem_grow(NULL, n + 2, sizeof(*s->app.argv));
	s->app.argv[0] = text_new("%s", p->name);
	for (size_t i = 0; i < n; i++)
		s->app.argv[i + 1] = text_new("%s", p->arg[i]);
	s->app.argv[n + 1] = NULL;
}

/* The root's own changes of its environment come first: the keys of the info win. */
static char *infos_take(struct spawn_app *s, const struct spawn_part *p)
{
	char *why = NULL;

	for (int i = 0; i < p->ninfos; i++)
		if (strcmp(p->info[i].key, BOOT_KEY_ENV) == 0)
			env_add(&s->app.set, p->info[i].value, NULL);
	for (int i = 0; i < p->ninfos && why == NULL; i++)
		if (strcmp(p->info[i].key, BOOT_KEY_ENV) != 0)
			why = info_take(s, p->info[i].key, p->info[i].value);
	return why;
}

char *spawn_app_make(struct spawn_app *s, const struct spawn_part *p, char *const *base)
{
	char most[16], *why;

	*s = (struct spawn_app){.app = {.n = p->nprocs, .appnum = -1}, .stdin_to = STDIN_NONE};
	words_take(s, p);
	why = infos_take(s, p);
	snprintf(most, sizeof(most), "%d", p->nprocs);
	info_line(s, "maxprocs", most);
	env_add(&s->app.set, "HAFT_INFO_ENV", s->app.info);
	s->app.envp = app_environ(base, &s->app.set);
	return why;
}

void spawn_app_free(struct spawn_app *s)
{
	for (int i = 0; i < s->app.set.n; i++) {
		free((char *)(uintptr_t)s->app.set.v[i].name);
		free((char *)(uintptr_t)s->app.set.v[i].value);
	}
	free(s->app.set.v);
	s->app.set = (struct settings){.n = 0};
	free(s->hosts);
	free(s->more_hosts);
	free(s->job_hosts);
	free(s->soft);
	free(s->file[0]);
	free(s->file[1]);
}
