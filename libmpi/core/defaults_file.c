// SPDX-License-Identifier: BSD-3-Clause
/* defaults_file.c - reads the files of defaults.
 *
 *     FILE ─ getline ─ "HAFT_EAGER = 64k" ──┬──> defaults.entry: text "HAFT_EAGER=64k", its origin
 *                      "mpiexec = -l"       ├──> defaults.entry: text "mpiexec=-l"
 *                      unknown line         └──> defaults.bad, until haft_defaults_warn
 *     environ + entries that it does not have ──> defaults.all
 *
 * The first entry of a name counts, so the user's file is read before the system's. */
#include "libmpi/core/defaults_file.h"

#include "libmpi/core/setting.h"
#include "libobj/base.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SYSTEM_FILE  "/etc/haft.conf"
#define OPTIONS_NAME "mpiexec"
#define ENTRIES_MAX  128 /* lines; each setting has one name and at most one old name */

struct defaults_entry {
	char *text;   /* NAME=VALUE, malloc'ed */
	char *origin; /* FILE:LINE, malloc'ed */
};

BSS_BEHIND static struct {
	struct defaults_entry entry[ENTRIES_MAX];
	int n;
	char *bad;  /* words about lines that were not understood, malloc'ed; NULL: none */
	char **all; /* the environment with the entries; NULL: not made */
} defaults;

/* Adds a line to the words about mistakes. */
static void defaults_complain(const char *file, int line, const char *what, const char *text)
{
	char *more;

	if (asprintf(&more, "%shaft: %s:%d: %s `%s'\n", defaults.bad != NULL ? defaults.bad : "",
		    file, line, what, text) < 0)
		return;
	free(defaults.bad);
	defaults.bad = more;
}

/* The text without blanks around it; it is cut in place. */
static char *defaults_trim(char *s)
{
	size_t n;

	s += strspn(s, " \t");
	for (n = strlen(s); n > 0 && isspace((unsigned char)s[n - 1]); n--)
		s[n - 1] = '\0';
	return s;
}

/* The value of a name in NAME=VALUE; NULL: that is another name. */
static const char *defaults_value(const char *text, const char *name)
{
	size_t len = strlen(name);

	return strncmp(text, name, len) == 0 && text[len] == '=' ? text + len + 1 : NULL;
}

static const struct defaults_entry *defaults_find(const char *name)
{
	for (int i = 0; i < defaults.n; i++)
		if (defaults_value(defaults.entry[i].text, name) != NULL)
			return &defaults.entry[i];
	return NULL;
}

static void defaults_add(const char *file, int line, const char *name, const char *value)
{
	struct defaults_entry e;

	if (defaults_find(name) != NULL || defaults.n == ENTRIES_MAX)
		return;
	if (asprintf(&e.text, "%s=%s", name, value) < 0)
		return;
	if (asprintf(&e.origin, "%s:%d", file, line) < 0) {
		free(e.text);
		return;
	}
	defaults.entry[defaults.n++] = e;
}

/* Takes one line, which it changes. */
static void defaults_line(const char *file, int line, char *s)
{
	char *eq, *name;

	s = defaults_trim(s);
	if (*s == '\0' || *s == '#')
		return;
	eq = strchr(s, '=');
	if (eq == NULL) {
		defaults_complain(file, line, "a line is NAME = VALUE, not", s);
		return;
	}
	*eq = '\0';
	name = defaults_trim(s);
	if (strcmp(name, OPTIONS_NAME) != 0 && haft_setting_find(name) < 0)
		defaults_complain(file, line, "this is no setting:", name);
	else
		defaults_add(file, line, name, defaults_trim(eq + 1));
}

/* Reads one file.  A file that is not there is empty, unless the user has named it. */
static void defaults_read(const char *file, bool named)
{
	FILE *f = fopen(file, "re");
	char *s = NULL;
	size_t size = 0;

	if (f == NULL) {
		if (named)
			defaults_complain(file, 0, "HAFT_CONF cannot be read:", strerror(errno));
		return;
	}
	for (int line = 1; getline(&s, &size, f) >= 0; line++)
		defaults_line(file, line, s);
	free(s);
	fclose(f);
}

/* A program with more rights than its user reads no file that the user names. */
static void defaults_read_all(void)
{
	const char *named = secure_getenv("HAFT_CONF");
	const char *dir = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
	char file[PATH_MAX];
	int n = 0;

	if (named != NULL && *named != '\0') {
		if (strcmp(named, "none") != 0)
			defaults_read(named, true);
		return;
	}
	if (dir != NULL && *dir == '/')
		n = snprintf(file, sizeof(file), "%s/haft.conf", dir);
	else if (home != NULL && *home == '/')
		n = snprintf(file, sizeof(file), "%s/.config/haft.conf", home);
	if (n > 0 && n < (int)sizeof(file))
		defaults_read(file, false);
	defaults_read(SYSTEM_FILE, false);
}

/* Has the environment a value for the setting of this entry, under its name or its old one? */
static bool defaults_overridden(const char *text)
{
	const struct setting_row *r;
	char name[64];
	const char *s;

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, "="), text);
	r = haft_setting_row(haft_setting_find(name));
	if (r == NULL)
		return false; /* the words for mpiexec */
	s = getenv(r->name);
	if (s == NULL && r->old != NULL)
		s = getenv(r->old);
	return s != NULL;
}

char **haft_defaults_environ(void)
{
	int n = 0;
	char **all;

	if (defaults.all != NULL)
		return defaults.all;
	defaults_read_all();
	while (environ != NULL && environ[n] != NULL)
		n++;
	all = malloc(((size_t)n + (size_t)defaults.n + 1) * sizeof(*all));
	if (all == NULL)
		return environ;
	if (n > 0)
		memcpy(all, environ, (size_t)n * sizeof(*all));
	for (int i = 0; i < defaults.n; i++)
		if (defaults_value(defaults.entry[i].text, OPTIONS_NAME) == NULL &&
			!defaults_overridden(defaults.entry[i].text))
			all[n++] = defaults.entry[i].text;
	all[n] = NULL;
	defaults.all = all;
	return all;
}

const char *haft_defaults_origin(const char *name)
{
	const struct defaults_entry *e = defaults_find(name);

	return e != NULL && !defaults_overridden(e->text) ? e->origin : NULL;
}

const char *haft_defaults_mpiexec(void)
{
	const struct defaults_entry *e = defaults_find(OPTIONS_NAME);

	return e != NULL ? defaults_value(e->text, OPTIONS_NAME) : "";
}

void haft_defaults_warn(void)
{
	if (defaults.bad != NULL)
		fputs(defaults.bad, stderr);
	free(defaults.bad);
	defaults.bad = NULL;
}
