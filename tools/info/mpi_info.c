// SPDX-License-Identifier: BSD-3-Clause
/* mpi_info.c - mpi-info: which MPI is this, and what does it find here?
 *
 *     facts:     "library            Haft 0.1.0, ..."     or   "library": "Haft 0.1.0, ...",
 *     settings:  "HAFT_EAGER  16384 (0 to ...): ..."      or   an object each in "settings"
 *
 * It is a program of MPI like any other, so that the library that it describes is the one that
 * programs get; it never starts MPI.  Only the table of settings and libobj are linked into it:
 * they find here the results that the library finds. */
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include "libmpi/core/defaults_file.h"
#include "libmpi/core/setting.h"
#include "libobj/obj.h"
#include "mpi.h"

static const char usage[] =
	"usage: mpi-info [--json] [--settings | --version]\n"
	"  prints which MPI this is, and its findings on this machine\n"
	"  --json       as an object of JSON\n"
	"  --settings   only the settings that may be changed by the environment\n"
	"  --version    only the version\n";

static bool json;    /* --json */
static bool members; /* the object has some already */

/* A string of JSON.  Bytes that are no UTF-8 (a host's name may be anything) become `?'. */
static void json_string(const char *s)
{
	mbstate_t state = {0};

	putchar('"');
	while (*s != '\0') {
		size_t n = mbrlen(s, MB_CUR_MAX, &state);

		if (n == 0 || n > MB_CUR_MAX) {
			state = (mbstate_t){0};
			putchar('?');
			n = 1;
		} else if (*s == '"' || *s == '\\') {
			printf("\\%c", *s);
		} else if ((unsigned char)*s < ' ') {
			printf("\\u%04x", (unsigned char)*s);
		} else {
			printf("%.*s", (int)n, s);
		}
		s += n;
	}
	putchar('"');
}

/* Begins a member of an object of JSON. */
static void json_key(const char *key, const char *before)
{
	fputs(before, stdout);
	json_string(key);
	fputs(": ", stdout);
}

static void info_row(const char *what, const char *value)
{
	if (!json) {
		printf("%-18s %s\n", what, value);
		return;
	}
	json_key(what, members ? ",\n  " : "\n  ");
	json_string(value);
	members = true;
}

static void version_print(void)
{
	char lib[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	int major = 0, minor = 0, len = 0;
	char line[64];

	MPI_Get_library_version(lib, &len);
	info_row("library", lib);
	MPI_Get_version(&major, &minor);
	snprintf(line, sizeof(line), "%d.%d", major, minor);
	info_row("MPI", line);
	snprintf(line, sizeof(line), "%d.%d", MPI_ABI_VERSION, MPI_ABI_SUBVERSION);
	info_row("MPI ABI", line);
}

static void location_print(void)
{
	Dl_info where;
	char *path;

	if (dladdr((void *)(uintptr_t)&MPI_Init, &where) == 0 || where.dli_fname == NULL)
		return;
	path = realpath(where.dli_fname, NULL);
	info_row("library file", path != NULL ? path : where.dli_fname);
	free(path);
}

/* The allocator that libobj, and with it the library, uses. */
static void memory_print(void)
{
	struct obj_domain_opts opts = {.size = sizeof(opts), .alloc = OBJ_ALLOC_JEMALLOC};
	struct obj_domain *d;
	const char *kind;
	char line[96];

	if (obj_domain_open(&d, &opts) != OBJ_OK)
		return;
	obj_mem_put(d, obj_mem_get(d, 1));
	kind = obj_mem_kind(d);
	snprintf(
		line, sizeof(line), "built-in up to %d KiB, then %s", OBJ_ALLOC_SMALL / 1024, kind);
	if (strncmp(kind, "jemalloc", strlen("jemalloc")) != 0)
		snprintf(line, sizeof(line), "%s (ask `mpiexec mpi-info' for that of ranks)", kind);
	info_row("allocator", line);
	obj_domain_close(d, -1, OBJ_FMT_TEXT);
}

static void machine_print(void)
{
	char name[256] = "";
	char line[64];
	cpu_set_t set;

	gethostname(name, sizeof(name) - 1);
	info_row("host", name);
	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		snprintf(line, sizeof(line), "%d of %ld usable", CPU_COUNT(&set),
			sysconf(_SC_NPROCESSORS_ONLN));
	else
		snprintf(line, sizeof(line), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	info_row("CPUs", line);
	snprintf(line, sizeof(line), "%ld MiB",
		sysconf(_SC_PHYS_PAGES) / 1024 * (sysconf(_SC_PAGESIZE) / 1024));
	info_row("memory", line);
}

/* HAFT_VIA=ofi loads libfabric at run time; the library is not linked with it. */
static void fabric_print(void)
{
	void *lib = dlopen("libfabric.so.1", RTLD_NOW | RTLD_LOCAL);
	uint32_t (*version)(void) = NULL;
	char line[96];

	if (lib != NULL)
		*(void **)(void *)&version = dlsym(lib, "fi_version");
	if (version == NULL)
		snprintf(line, sizeof(line), "not installed");
	else
		snprintf(line, sizeof(line), "%u.%u%s", version() >> 16, version() & 0xffff,
			HAVE_OFI ? "" : ", but not used: its headers were not there for the build");
	info_row("libfabric", line);
}

/* origin: the file that sets it, or NULL. */
static void setting_print(
	const struct setting_row *r, const char *value, const char *range, const char *origin)
{
	printf("%-18s %s%s%s%s (%s): %s\n", r->name, value[0] != '\0' ? value : "none",
		origin != NULL ? " [" : "", origin != NULL ? origin : "", origin != NULL ? "]" : "",
		range, r->meaning);
}

static void setting_print_json(
	const struct setting_row *r, const char *value, const char *range, const char *origin)
{
	json_key("name", "    {");
	json_string(r->name);
	json_key("value", ", ");
	json_string(value);
	json_key("origin", ", ");
	if (origin != NULL)
		json_string(origin);
	else
		fputs("null", stdout);
	json_key("range", ", ");
	json_string(range);
	json_key("meaning", ", ");
	json_string(r->meaning);
	putchar('}');
}

/* Prints each setting: its value now, its range and its meaning. */
static void settings_print(void)
{
	const struct setting_row *r;
	char value[SETTING_TEXT_MAX], range[128];

	for (int i = 0; (r = haft_setting_row(i)) != NULL; i++)
		if (r->launch)
			haft_setting_launch((enum haft_setting)i,
				haft_setting_environ()); /* reports a bad value */
	haft_setting_warn();
	if (json)
		json_key("settings", members ? ",\n  " : "\n  ");
	for (int i = 0; (r = haft_setting_row(i)) != NULL; i++) {
		haft_setting_print(i, value, sizeof(value));
		haft_setting_range(i, range, sizeof(range));
		if (json) {
			fputs(i > 0 ? ",\n" : "[\n", stdout);
			setting_print_json(r, value, range, haft_defaults_origin(r->name));
		} else {
			setting_print(r, value, range, haft_defaults_origin(r->name));
		}
	}
	fputs(json ? "]" : "", stdout);
}

/* Flushes stdout.  Returns the exit code: 1, with words, if output is lost. */
static int output_end(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	fprintf(stderr, "mpi-info: cannot write to standard output: %s\n", strerror(errno));
	return 1;
}

enum part { PART_ALL, PART_SETTINGS, PART_VERSION };

/* Reads the options.  Returns what to print; does not return if there is nothing. */
static enum part options_read(int argc, char **argv)
{
	enum part part = PART_ALL;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0) {
			json = true;
		} else if (strcmp(argv[i], "--settings") == 0 && part == PART_ALL) {
			part = PART_SETTINGS;
		} else if (strcmp(argv[i], "--version") == 0 && part == PART_ALL) {
			part = PART_VERSION;
		} else if (strcmp(argv[i], "--help") == 0) {
			fputs(usage, stdout);
			exit(output_end());
		} else {
			fprintf(stderr, "mpi-info: unknown option %s\n%s", argv[i], usage);
			exit(2);
		}
	}
	return part;
}

int main(int argc, char **argv)
{
	enum part part = options_read(argc, argv);

	setlocale(LC_CTYPE, "C.UTF-8");
	if (json)
		putchar('{');
	if (part != PART_SETTINGS)
		version_print();
	if (part == PART_ALL) {
		location_print();
		machine_print();
		memory_print();
		fabric_print();
	}
	if (part != PART_VERSION)
		settings_print();
	if (json)
		fputs("\n}\n", stdout);
	return output_end();
}
