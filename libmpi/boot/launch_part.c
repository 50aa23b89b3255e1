// SPDX-License-Identifier: BSD-3-Clause
/* launch_part.c - see launch_part.h. */
#include "libmpi/boot/launch_part.h"

#include "libmpi/boot/environ_changes.h"
#include "libmpi/boot/mpiexec_words.h"
#include "libmpi/core/err.h"
#include "libobj/base.h"
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENV_PROGRAM "/usr/bin/env"

/* The executor of a key.  Keys that are not here are ignored, as by our mpiexec. */
enum key_class {
	KEY_ENV,      /* a list of variables, one a line */
	KEY_HANDLER,  /* mpi_initial_errhandler */
	KEY_WDIR,     /* the launcher */
	KEY_PATH,     /* the program is looked for there */
	KEY_HOSTS,    /* the launcher; the program is not looked for here */
	KEY_LAUNCHER, /* the launcher */
	KEY_OURS      /* our mpiexec alone */
};

static const struct {
	const char *name;
	enum key_class class;
	const char *pmi, *pmix;
} keys[] = {
	{"env", KEY_ENV, NULL, NULL},
	{BOOT_KEY_ENV, KEY_ENV, NULL, NULL},
	{"mpi_initial_errhandler", KEY_HANDLER, NULL, NULL},
	{"wdir", KEY_WDIR, NULL, NULL},
	{"wd", KEY_WDIR, NULL, NULL},
	{"path", KEY_PATH, NULL, NULL},
	{"host", KEY_HOSTS, "host", "pmix.host"},
	{"hosts", KEY_HOSTS, "host", "pmix.host"},
	{"hostlist", KEY_HOSTS, "host", "pmix.host"},
	{"ompi_host", KEY_HOSTS, "host", "pmix.host"},
	{"hostfile", KEY_HOSTS, "hostfile", "pmix.hostfile"},
	{"ompi_hostfile", KEY_HOSTS, "hostfile", "pmix.hostfile"},
	{"add-host", KEY_HOSTS, "host", "pmix.addhost"},
	{"add-hostfile", KEY_HOSTS, "hostfile", "pmix.addhostfile"},
	{"map", KEY_LAUNCHER, NULL, "pmix.mapby"},
	{"map_by", KEY_LAUNCHER, NULL, "pmix.mapby"},
	{"map-by", KEY_LAUNCHER, NULL, "pmix.mapby"},
	{"mapper", KEY_LAUNCHER, NULL, "pmix.mapby"},
	{"pmix.mapby", KEY_LAUNCHER, NULL, "pmix.mapby"},
	{"PMIX_MAPBY", KEY_LAUNCHER, NULL, "pmix.mapby"},
	{"soft", KEY_OURS, NULL, NULL},
	{"arch", KEY_OURS, NULL, NULL},
	{"file", KEY_OURS, NULL, NULL},
	{"ppn", KEY_OURS, NULL, NULL},
	{"npernode", KEY_OURS, NULL, NULL},
	{BOOT_KEY_STDIN, KEY_OURS, NULL, NULL},
	{"ompi_stdin_target", KEY_OURS, NULL, NULL},
	{BOOT_KEY_OUTFILE, KEY_OURS, NULL, NULL},
	{BOOT_KEY_ERRFILE, KEY_OURS, NULL, NULL},
};

/* --- the environment ------------------------------------------------------------------------ */

static void part_env_add(struct boot_part *p, const char *entry, size_t len)
{
	char **more = realloc(p->env, ((size_t)p->nenv + 2) * sizeof(*more));

	if (more == NULL)
		return;
	p->env = more;
	p->env[p->nenv] = strndup(entry, len);
	p->nenv += p->env[p->nenv] != NULL;
	p->env[p->nenv] = NULL;
}

static void part_env_take(void *arg, const char *entry)
{
	part_env_add(arg, entry, strlen(entry));
}

static void part_env_lines(struct boot_part *p, const char *v)
{
	while (*v != '\0') {
		size_t len = strcspn(v, "\n");

		if (len > 0 && v[0] != '=')
			part_env_add(p, v, len);
		v += len + (v[len] == '\n');
	}
}

static int part_env_handler(struct boot_part *p, const char *v)
{
	static const char *const names[][2] = {
		{"mpi_errors_are_fatal", "HAFT_ERRHANDLER=mpi_errors_are_fatal"},
		{"mpi_errors_abort", "HAFT_ERRHANDLER=mpi_errors_abort"},
		{"mpi_errors_return", "HAFT_ERRHANDLER=mpi_errors_return"}};

	for (size_t i = 0; i < countof(names); i++)
		if (strcasecmp(v, names[i][0]) == 0) {
			part_env_take(p, names[i][1]);
			return 0;
		}
	return haft_err(MPI_ERR_INFO_VALUE,
		"mpi_initial_errhandler is `%.80s': it is mpi_errors_are_fatal, mpi_errors_abort "
		"or mpi_errors_return",
		v);
}

/* --- the program ---------------------------------------------------------------------------- */

/* Why `file' cannot be executed: an errno; 0: it can. */
static int part_file_check(const char *file)
{
	struct stat st;

	if (stat(file, &st) != 0)
		return errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(file, X_OK) == 0 ? 0 : errno;
}

/* Looks for a name in a directory, which is relative to the part's own. */
static int file_in(struct boot_part *p, const char *dir, size_t len, const char *name)
{
	int n;

	if (len > 0 && dir[0] == '/')
		n = snprintf(p->file, sizeof(p->file), "%.*s/%s", (int)len, dir, name);
	else if (name[0] == '/')
		n = snprintf(p->file, sizeof(p->file), "%s", name);
	else
		n = snprintf(p->file, sizeof(p->file), "%s%s%.*s/%s", p->wdir, len > 0 ? "/" : "",
			(int)len, dir, name);
	return n < 0 || (size_t)n >= sizeof(p->file) ? ENAMETOOLONG : part_file_check(p->file);
}

/* Looks for a name in directories that colons separate. */
static int file_search(struct boot_part *p, const char *dirs, const char *name)
{
	int err = ENOENT;

	while (dirs != NULL && *dirs != '\0' && err != 0) {
		size_t len = strcspn(dirs, ":");

		err = file_in(p, dirs, len, name);
		dirs += len + (dirs[len] == ':');
	}
	return err;
}

/* Finds the program as our mpiexec does: in `path', PATH and the working directory. */
static int part_find(struct boot_part *p, const char *path)
{
	const char *name = p->command->path;
	int err = part_file_check(p->wdir);

	if (err == 0) /* a program */
		err = ENOTDIR;
	if (err != EISDIR)
		return haft_err(MPI_ERR_SPAWN, "working directory `%.200s': %s (%d)", p->wdir,
			strerror(err), err);
	err = strchr(name, '/') == NULL ? file_search(p, path, name) : ENOENT;
	if (err != 0 && strchr(name, '/') == NULL)
		err = file_search(p, getenv("PATH"), name);
	if (err != 0)
		err = file_in(p, "", 0, name);
	return err == 0 ? 0
			: haft_err(MPI_ERR_SPAWN, "program `%.200s' cannot be executed: %s (%d)",
				  name, err == EISDIR ? "it is a directory" : strerror(err), err);
}

/* --- keys ----------------------------------------------------------------------------------- */

static void part_wdir(struct boot_part *p, const char *v)
{
	char cwd[PATH_MAX];
	int n;

	if (v[0] == '/' || getcwd(cwd, sizeof(cwd)) == NULL)
		n = snprintf(p->wdir, sizeof(p->wdir), "%s", v);
	else
		n = snprintf(p->wdir, sizeof(p->wdir), "%s/%s", cwd, v);
	if (n < 0 || (size_t)n >= sizeof(p->wdir))
		p->wdir[0] = '\0'; /* no such directory, as part_find will say */
}

/* The keys that matter when all have been read. */
struct part_take {
	const char *path; /* NULL: no such key */
	bool hosts;       /* keys name hosts */
};

static int part_key(struct boot_part *p, struct part_take *t, size_t i, const char *v)
{
	switch (keys[i].class) {
	case KEY_ENV: part_env_lines(p, v); break;
	case KEY_HANDLER: return part_env_handler(p, v);
	case KEY_WDIR: part_wdir(p, v); break;
	case KEY_PATH: t->path = v; break;
	case KEY_OURS: return -1;
	case KEY_HOSTS: t->hosts = true; /* fall through */
	case KEY_LAUNCHER:
		if (p->nkeys < BOOT_PART_KEYS)
			p->key[p->nkeys++] = (struct boot_part_key){keys[i].pmi, keys[i].pmix, v};
		break;
	}
	return 0;
}

static int part_make(struct boot_part *p, const struct boot_command *c)
{
	struct part_take t = {.path = NULL};
	int err = 0;

	p->command = c;
	if (getcwd(p->wdir, sizeof(p->wdir)) == NULL)
		p->wdir[0] = '\0';
	boot_environ_changes(part_env_take, p);
	for (int k = 0; k < c->nkeys && err == 0; k++)
		for (size_t i = 0; i < countof(keys) && err == 0; i++)
			if (strcmp(c->keys[k].key, keys[i].name) == 0)
				err = part_key(p, &t, i, c->keys[k].value);
	if (err != 0)
		return err;
	if (!t.hosts)
		return part_find(p, t.path);
	if (snprintf(p->file, sizeof(p->file), "%s", c->path) >= (int)sizeof(p->file))
		return haft_err(MPI_ERR_SPAWN, "the program's name is too long");
	return 0;
}

int boot_parts_make(
	const struct boot_command *c, int n, const char *birth, struct boot_part **parts)
{
	struct boot_part *p = calloc((size_t)n, sizeof(*p));
	char var[sizeof(BOOT_BIRTH_VAR) + 1 + MPI_MAX_PORT_NAME];
	int err = 0;

	if (p == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for %d programs", n);
	snprintf(var, sizeof(var), BOOT_BIRTH_VAR "=%s", birth);
	for (int i = 0; i < n && err == 0; i++) {
		err = part_make(&p[i], &c[i]);
		part_env_take(&p[i], var);
	}
	*parts = p;
	if (err != 0) {
		boot_parts_free(p, n);
		*parts = NULL;
	}
	return err;
}

void boot_parts_free(struct boot_part *parts, int n)
{
	for (int i = 0; i < n && parts != NULL; i++) {
		for (int e = 0; e < parts[i].nenv; e++)
			free(parts[i].env[e]);
		free(parts[i].env);
	}
	free(parts);
}

const char **boot_part_words(const struct boot_part *p, bool all)
{
	char *const *argv = p->command->argv;
	const char **v;
	size_t n = 0, args = 0;

	while (argv != NULL && argv[args] != NULL)
		args++;
	v = malloc((2 * (size_t)p->nenv + args + 3) * sizeof(*v));
	if (v == NULL)
		return NULL;
	v[n++] = ENV_PROGRAM;
	for (int i = 0; i < p->nenv; i++)
		if (strchr(p->env[i], '=') == NULL) {
			v[n++] = "-u";
			v[n++] = p->env[i];
		}
	for (int i = 0; i < p->nenv && all; i++)
		if (strchr(p->env[i], '=') != NULL)
			v[n++] = p->env[i];
	if (n == 1)
		n = 0; /* no variables */
	v[n++] = p->file;
	for (size_t i = 0; i < args; i++)
		v[n++] = argv[i];
	v[n] = NULL;
	return v;
}
