// SPDX-License-Identifier: BSD-3-Clause
/* program.c - finds each program and makes its environment, before any process is started.
 *
 * A name with a slash is a path, relative to the app's working directory.  Other names are searched
 * in -path, PATH and the working directory, in this order; so `mpiexec a.out' works.
 *
 * A program needs its interpreter: that of the line #! of a script, or the loader of an ELF file.
 * If that is missing, execve(2) says that the program is. */
#include "tools/mpiexec/job_plan.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/core/setting.h"

/* Options that ranks get unless the user has set them. */
static const struct tunable {
	const char *variable, *option, *value;
} tunables[] = {
	/* jemalloc needs about 3000 bytes of static TLS when it is loaded by dlopen; glibc reserves
	 * 512. */
	{"GLIBC_TUNABLES", "glibc.rtld.optional_static_tls", "16384"},
	/* A program with -fsanitize=thread: the library is not built with it, so that its locks are
	 * unknown there, and its copies look like races. */
	{"TSAN_OPTIONS", "ignore_noninstrumented_modules", "1"},
};

/* Why `file' cannot be executed: an errno; 0: it can. */
static int file_check(const char *file)
{
	struct stat st;

	if (stat(file, &st) != 0)
		return errno == ENOTDIR ? ENOENT : errno;
	if (S_ISDIR(st.st_mode))
		return EISDIR;
	return access(file, X_OK) == 0 ? 0 : errno;
}

/* `file' relative to the app's working directory. */
static char *file_in(const char *dir, const char *file)
{
	if (dir == NULL || *dir == '\0' || file[0] == '/')
		return text_new("%s", file);
	return text_new("%s/%s", dir, file);
}

/* Searches `name' in dirs, separated by colons.  Returns NULL if it is missing; *err is the
 * reason. */
static char *path_find(const char *dirs, const char *name, const char *wdir, int *err)
{
	while (dirs != NULL && *dirs != '\0') {
		size_t len = strcspn(dirs, ":");
		char *dir = len == 0 ? text_new(".") : text_new("%.*s", (int)len, dirs);
		char *file = text_new("%s/%s", dir, name);
		char *full = file_in(wdir, file);
		int e = file_check(full);

		if (e == EACCES && access(full, F_OK) != 0)
			e = ENOENT; /* a directory that may not be searched counts as empty */

		free(full);
		free(dir);
		if (e == 0)
			return file;
		if (e != ENOENT)
			*err = e;
		free(file);
		dirs += len + (dirs[len] == ':' ? 1 : 0);
	}
	return NULL;
}

/* The file of the program; NULL: *err says why. */
static char *program_find(const struct app *a, const char *path, int *err)
{
	const char *name = a->argv[0];
	char *file = NULL;

	*err = ENOENT;
	if (strchr(name, '/') != NULL) {
		file = file_in(a->wdir, name);
		*err = file_check(file);
		free(file);
		return *err == 0 ? text_new("%s", name) : NULL;
	}
	if (*name == '\0')
		return NULL;
	file = path_find(a->path, name, a->wdir, err);
	if (file == NULL)
		file = path_find(path, name, a->wdir, err);
	return file != NULL ? file : path_find(".", name, a->wdir, err);
}

/* Why a program cannot run in a directory; NULL: it can. */
static char *wdir_check(const char *dir, int *err)
{
	struct stat st;
	const char *slash;
	char here[PATH_MAX];

	*err = stat(dir, &st) != 0 ? errno : S_ISDIR(st.st_mode) ? 0 : ENOTDIR;
	if (*err == 0 && access(dir, X_OK) != 0)
		*err = errno;
	if (*err == 0)
		return NULL;
	if (dir[0] == '/' || getcwd(here, sizeof(here)) == NULL)
		here[0] = '\0';
	slash = here[0] != '\0' ? "/" : "";
	if (*err == ENOTDIR)
		return text_new(
			"working directory `%s%s%s' is no directory (%d)", here, slash, dir, *err);
	return text_new(
		"working directory `%s%s%s': %s (%d)", here, slash, dir, strerror(*err), *err);
}

/* --- interpreters --------------------------------------------------------------------------- */

#define SCRIPT_LINE 256 /* bytes of a line #! that the kernel reads */
#define SCRIPTS_MAX 4   /* scripts that interpret each other: as many as the kernel allows */

/* Reads len bytes of a file at `at' as a string.  False: it has fewer. */
static bool bytes_read(int fd, uint64_t at, char *to, size_t len)
{
	bool all = pread(fd, to, len, (off_t)at) == (ssize_t)len;

	to[all ? len : 0] = '\0';
	return all;
}

/* The loader that an ELF file of this machine's kind names, malloc'ed; NULL: none. */
static char *elf_loader(int fd, const Elf64_Ehdr *e)
{
	char v[PATH_MAX + 1];
	Elf64_Phdr p;

	if (e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_phentsize != sizeof(p))
		return NULL;
	for (int i = 0; i < e->e_phnum; i++) {
		if (pread(fd, &p, sizeof(p), (off_t)(e->e_phoff + (size_t)i * sizeof(p))) !=
			(ssize_t)sizeof(p))
			return NULL;
		if (p.p_type == PT_INTERP && p.p_filesz < sizeof(v))
			return bytes_read(fd, p.p_offset, v, p.p_filesz) ? text_new("%s", v) : NULL;
	}
	return NULL;
}

/* The interpreter of a file, malloc'ed; NULL: none, or it cannot be read. */
static char *interpreter_of(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	union {
		char line[SCRIPT_LINE + 1];
		Elf64_Ehdr elf;
	} head = {.line = ""};
	ssize_t n = fd >= 0 ? pread(fd, head.line, SCRIPT_LINE, 0) : 0;
	char *found = NULL, *word = head.line + 2 + strspn(head.line + 2, " \t");
	size_t len = strcspn(word, " \t\n");

	/* a name that is cut is none */
	if (n > 2 && memcmp(head.line, "#!", 2) == 0 && len > 0 &&
		word + len < head.line + SCRIPT_LINE)
		found = text_new("%.*s", (int)len, word);
	else if (n >= (ssize_t)sizeof(head.elf) && memcmp(head.elf.e_ident, ELFMAG, SELFMAG) == 0)
		found = elf_loader(fd, &head.elf);
	if (fd >= 0)
		close(fd);
	return found;
}

/* Why the interpreter of a file cannot be executed, malloc'ed; NULL: it can, or there is none. */
static char *interpreter_check(const char *file, const char *wdir, int *err)
{
	char *at = file_in(wdir, file), *why = NULL;

	for (int i = 0; i < SCRIPTS_MAX && why == NULL; i++) {
		char *next = interpreter_of(at), *full;
		size_t end = next != NULL ? strcspn(next, "\r") : 0;

		if (next == NULL)
			break;
		full = file_in(wdir, next);
		*err = file_check(full);
		if (*err == ENOENT)
			why = text_new("its interpreter %.*s%s is not there (%d)", (int)end, next,
				next[end] != '\0' ? ", followed by a carriage return," : "", *err);
		else if (*err != 0)
			why = text_new("its interpreter %s: %s (%d)", next,
				*err == EISDIR ? "it is a directory" : strerror(*err), *err);
		free(next);
		free(at);
		at = full;
	}
	free(at);
	return why;
}

/* The arguments of the shell that runs a file without a line #!. */
static char **script_make(const struct app *a)
{
	char **v;
	size_t n = 0;

	while (a->argv[n] != NULL)
		n++;
	v = mem_grow(NULL, n + 2, sizeof(*v));
	v[0] = text_new("sh");
	v[1] = a->file;
	memcpy(v + 2, a->argv + 1, n * sizeof(*v)); /* includes the final NULL */
	return v;
}

/* The words for a program that is there but cannot run; frees `why'. */
static char *program_unfit(struct app *a, char *why)
{
	char *words = text_new("program `%s' cannot be executed: %s", a->argv[0], why);

	free(why);
	free(a->file);
	a->file = NULL;
	return words;
}

char *app_find(struct app *a, const char *path, int *err)
{
	char *why = a->wdir != NULL ? wdir_check(a->wdir, err) : NULL;

	if (why != NULL)
		return why;
	a->file = program_find(a, path, err);
	why = a->file != NULL ? interpreter_check(a->file, a->wdir, err) : NULL;
	if (a->file != NULL && why == NULL) {
		a->script = script_make(a);
		return NULL;
	}
	if (why != NULL)
		return program_unfit(a, why);
	if (*err == ENOENT)
		return text_new("program `%s' not found%s%s: %s (%d)", a->argv[0],
			a->wdir != NULL ? " from directory " : "", a->wdir != NULL ? a->wdir : "",
			strerror(*err), *err);
	return text_new("program `%s' cannot be executed: %s (%d)", a->argv[0],
		*err == EISDIR ? "it is a directory" : strerror(*err), *err);
}

/* --- environments --------------------------------------------------------------------------- */

/* An environment under construction. */
struct env_list {
	char **v;
	size_t n;
};

/* Index of variable `name' (len bytes) in `e', from 1; 0: not set. */
static size_t env_index(const struct env_list *e, const char *name, size_t len)
{
	for (size_t i = 1; i < e->n; i++)
		if (strncmp(e->v[i], name, len) == 0 && e->v[i][len] == '=')
			return i;
	return 0;
}

/* Sets a variable; `entry' is NAME=VALUE. */
static void env_set(struct env_list *e, char *entry)
{
	size_t i = env_index(e, entry, strcspn(entry, "="));

	if (i == 0) {
		e->v = mem_grow(e->v, e->n + 1, sizeof(*e->v));
		i = e->n++;
	}
	e->v[i] = entry;
}

/* True if the NAME of `entry' is in the comma-separated `list'. */
static bool list_has(const char *list, const char *entry)
{
	size_t len = strcspn(entry, "=");

	while (*list != '\0') {
		size_t n = strcspn(list, ",");

		if (n == len && strncmp(list, entry, n) == 0)
			return true;
		list += n + (list[n] == ',' ? 1 : 0);
	}
	return false;
}

static void env_apply(struct env_list *e, const struct settings *s)
{
	for (int i = 0; i < s->n; i++) {
		const struct setting *x = &s->v[i];

		if (x->value != NULL)
			env_set(e, text_new("%s=%s", x->name, x->value));
		else if (strchr(x->name, '=') != NULL)
			env_set(e, text_new("%s", x->name));
		else if (getenv(x->name) != NULL)
			env_set(e, text_new("%s=%s", x->name, getenv(x->name)));
	}
}

/* Appends an option to its variable, unless the user has set it. */
static void env_tune(struct env_list *e, const struct tunable *t)
{
	size_t i = env_index(e, t->variable, strlen(t->variable));

	if (i == 0)
		env_set(e, text_new("%s=%s=%s", t->variable, t->option, t->value));
	else if (strstr(e->v[i], t->option) == NULL)
		env_set(e, text_new("%s:%s=%s", e->v[i], t->option, t->value));
}

static char **env_make(const struct plan *p, const struct app *a)
{
	const char *keep = a->keep != NULL ? a->keep : p->keep;
	struct env_list e = {.n = 1};

	e.v = mem_grow(NULL, 1, sizeof(*e.v));
	e.v[0] = NULL;
	for (char **s = environ; *s != NULL; s++) {
		if (strncmp(*s, BOOT_VAR "=", strlen(BOOT_VAR "=")) == 0)
			continue;
		if (keep != NULL && !list_has(keep, *s))
			continue;
		e.v = mem_grow(e.v, e.n + 1, sizeof(*e.v));
		e.v[e.n++] = *s;
	}
	env_apply(&e, &p->set);
	env_apply(&e, &a->set);
	for (size_t i = 0; i < sizeof(tunables) / sizeof(tunables[0]); i++)
		env_tune(&e, &tunables[i]);
	e.v = mem_grow(e.v, e.n + 1, sizeof(*e.v));
	e.v[e.n] = NULL;
	return e.v;
}

/* Ends mpiexec if a setting that must be equal in all processes differs between program `a' and
 * the first. MPI_Init compares processes of one host only. */
static void settings_agree(const struct plan *p, int a)
{
	char one[SETTING_TEXT_MAX], other[SETTING_TEXT_MAX];

	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct setting_row *r = haft_setting_row(i);

		if (!r->everywhere || r->launch)
			continue;
		haft_setting_expect(i, p->app[0].envp + 1, one, sizeof(one));
		haft_setting_expect(i, p->app[a].envp + 1, other, sizeof(other));
		if (strcmp(one, other) != 0)
			fatal(EXIT_USAGE,
				"%s must be the same in all processes of a job: it is `%s' in "
				"program 1 (%s), and `%s' in program %d (%s)",
				r->name, one, p->app[0].argv[0], other, a + 1, p->app[a].argv[0]);
	}
}

void plan_environ(struct plan *p)
{
	for (int i = 0; i < p->napps; i++) {
		p->app[i].envp = env_make(p, &p->app[i]);
		if (i > 0)
			settings_agree(p, i);
	}
}

void plan_find(struct plan *p)
{
	for (int i = 0; i < p->napps; i++) {
		int err;
		char *why = app_find(&p->app[i], getenv("PATH"), &err);

		if (why != NULL)
			fatal(strncmp(why, "program", 7) == 0 ? EXIT_NONE : EXIT_USAGE, "%s", why);
	}
}

/* Sets or, without a value, removes a variable of an environment that owns its texts. */
static void env_change(struct env_list *e, const struct setting *x)
{
	size_t len = strcspn(x->name, "="), i = env_index(e, x->name, len);
	char *text = NULL;

	if (x->value != NULL)
		text = text_new("%s=%s", x->name, x->value);
	else if (x->name[len] == '=')
		text = text_new("%s", x->name);
	if (i == 0 && text != NULL) {
		e->v = mem_grow(e->v, e->n + 1, sizeof(*e->v));
		e->v[e->n++] = text;
		return;
	}
	if (i == 0)
		return;
	free(e->v[i]);
	e->v[i] = text != NULL ? text : e->v[--e->n];
}

char **app_environ(char *const *base, const struct settings *set)
{
	struct env_list e = {.n = 1};
	size_t n = 0;

	while (base[n] != NULL)
		n++;
	e.v = mem_grow(NULL, n + 1, sizeof(*e.v));
	e.v[0] = NULL;
	for (; *base != NULL; base++)
		e.v[e.n++] = text_new("%s", *base);
	for (int i = 0; i < set->n; i++)
		env_change(&e, &set->v[i]);
	e.v = mem_grow(e.v, e.n + 1, sizeof(*e.v));
	e.v[e.n] = NULL;
	return e.v;
}
