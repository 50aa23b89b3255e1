// SPDX-License-Identifier: BSD-3-Clause
/* lint_link.c - rules for objects: nm shows all names that the source really uses.  Objects
 * are those of the libraries, also generated ones, the tools, and the tests of one library from
 * inside.
 *
 *     twice     a global name is defined once in objects linked together
 *     link      a global name begins with a prefix of its folder, which has at most two
 *     arrow     a folder uses names of those folders only that it may include (layers.txt, see)
 *     circle    at most CIRCLE_MAX files of a folder call each other in a circle; folders never do
 *
 * The graph of calls is a matrix of bits: one of all sources, and one of all folders. */
#include "tools/dev/lint.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CIRCLE_MAX   5
#define GENERATED    "gen/"
#define FORT         "libmpi/fort"
#define TWICE        "fort/mpi/"
#define SOURCES_MAX  768
#define FOLDERS_MAX  64
#define PREFIXES_MAX 2

static struct {
	char *path;
	int folder;
} sources[SOURCES_MAX];
static int nsources;
static char *folders[FOLDERS_MAX];
static int nfolders;

/* A generated source stands beside the objects: BUILD/gen/NAME.c. */
static int is_generated(const char *source)
{
	return begins(source, GENERATED);
}

/* False: the object is an old one. */
static int has_source(const char *source)
{
	char path[2 * LINE_LEN];

	if (!is_generated(source))
		return file_of(source) != NULL;
	snprintf(path, sizeof(path), "%s/%s", lint_build, source);
	return access(path, R_OK) == 0;
}

/* A generated source belongs to the folder that layers.txt says (see gen...), or to libmpi/fort;
 * any other to its own. */
static void room_of(const char *source, char *folder, size_t len)
{
	const struct law *l = is_generated(source) ? law_of("see", source) : NULL;

	if (begins(source, GENERATED "fort_"))
		snprintf(folder, len, "%s", FORT);
	else if (l != NULL)
		snprintf(folder, len, "%s", l->folder);
	else
		folder_of(source, folder, len);
}

static int folder_number(const char *source)
{
	char folder[LINE_LEN];

	room_of(source, folder, sizeof(folder));
	for (int i = 0; i < nfolders; i++)
		if (strcmp(folders[i], folder) == 0)
			return i;
	if (nfolders == FOLDERS_MAX)
		die("too many folders");
	folders[nfolders] = must_copy(folder);
	return nfolders++;
}

static int source_number(const char *path)
{
	for (int i = 0; i < nsources; i++)
		if (strcmp(sources[i].path, path) == 0)
			return i;
	if (nsources == SOURCES_MAX)
		die("too many sources");
	sources[nsources].path = must_copy(path);
	sources[nsources].folder = folder_number(path);
	return nsources++;
}

/* --- names ---------------------------------------------------------------------------------- */

/* A global name in an object: defined there, or used. */
struct name {
	char *name, *source; /* the source of that object */
	int file;            /* number of the source */
	int defined;
};

static struct name *names;
static int nnames;

/* The source of an object, whose path begins in BUILD/obj.  Fortran's procedures are compiled
 * twice, as mpi_x and as pmpi_x: those of fort/mpi are of libmpi/fort, or generated. */
static void source_of(const char *object, char *source, size_t len)
{
	const char *name = object + (begins(object, TWICE) ? strlen(TWICE) : 0);

	snprintf(source, len, "%s%s", name == object ? "" : FORT "/", name);
	source[strlen(source) - 1] = 'c';
	if (name == object || file_of(source) != NULL)
		return;
	snprintf(source, len, GENERATED "%s", name);
	source[strlen(source) - 1] = 'c';
}

static void names_read(void)
{
	char line[LINE_LEN], object[LINE_LEN], kind, name[LINE_LEN];
	char source[LINE_LEN + 16];
	FILE *p;

	snprintf(line, sizeof(line),
		"cd %s/obj && find lib* gen fort/mpi tools tests -name '*.o' 2>/dev/null | "
		"LC_ALL=C sort | xargs -r nm -A -g 2>/dev/null",
		lint_build);
	p = popen(line, "r");
	while (p != NULL && fgets(line, sizeof(line), p) != NULL) {
		line[strcspn(line, ":")] = ' ';
		if (sscanf(line, "%s %*[0-9a-f] %c %s", object, &kind, name) != 3 &&
			sscanf(line, "%s %c %s", object, &kind, name) != 3)
			continue;
		source_of(object, source, sizeof(source));
		if (!has_source(source) || strcmp(name, "main") == 0)
			continue;
		names = must_alloc(names, (size_t)(nnames + 1) * sizeof(*names));
		names[nnames++] = (struct name){.name = must_copy(name),
			.source = must_copy(source),
			.file = source_number(source),
			.defined = strchr("TDBRCVW", kind) != NULL};
	}
	if (p != NULL)
		pclose(p);
}

static int has_prefix(const struct name *n, const struct law *law)
{
	for (int i = 0; i < law->n; i++)
		if (begins(n->name, law->words[i]))
			return 1;
	return 0;
}

/* Is the object of `def' linked with the source `user'?  A tool is a program, in a folder of its
 * own.  Tests are linked with anything, and no product with them. */
static int is_linked(int user, int def)
{
	if (begins(sources[def].path, "tests/"))
		return begins(sources[user].path, "tests/");
	return !begins(sources[def].path, "tools/") || sources[user].folder == sources[def].folder;
}

static void twice_check(void)
{
	for (int i = 0; i < nnames; i++) {
		const struct name *twin = NULL;

		if (begins(names[i].source, "tests/")) /* a program of its own */
			continue;

		for (int k = 0; names[i].defined && k < i; k++)
			if (names[k].defined && is_linked(names[i].file, names[k].file) &&
				strcmp(names[i].name, names[k].name) == 0)
				twin = &names[k];
		if (twin != NULL)
			found(names[i].source, 1, "twice", "%s is also in %s", names[i].name,
				twin->source);
	}
}

/* A name of the standard's is no choice of ours. */
static int is_standard(const char *name)
{
	return begins(name, "MPI_") || begins(name, "PMPI_") || begins(name, "mpi_") ||
	       begins(name, "mpix_");
}

static void prefixes_check(void)
{
	const struct law *l = NULL;

	for (int i = 0; i < nnames; i++) {
		const struct law *law = law_of("link", names[i].source);

		if (!names[i].defined || law == NULL || has_prefix(&names[i], law))
			continue;
		found(names[i].source, 1, "link", "%s begins with no prefix of %s", names[i].name,
			law->folder);
	}
	while ((l = law_next("link", l)) != NULL) {
		int n = 0;

		for (int i = 0; i < l->n; i++)
			n += !is_standard(l->words[i]);
		if (n > PREFIXES_MAX)
			found("tools/dev/layers.txt", 1, "link",
				"%s has %d prefixes; %d are allowed", l->folder, n, PREFIXES_MAX);
	}
}

/* --- calls ---------------------------------------------------------------------------------- */

/* Row a, column b: a uses a name of b. */
struct graph {
	int n;
	char *bits;
};

static char *graph_at(const struct graph *g, int a, int b)
{
	return &g->bits[(size_t)a * (size_t)g->n + (size_t)b];
}

static struct graph graph_new(int n)
{
	struct graph g = {.n = n, .bits = must_alloc(NULL, (size_t)n * (size_t)n + 1)};

	memset(g.bits, 0, (size_t)n * (size_t)n + 1);
	return g;
}

/* Adds all ways of more than one step. */
static void graph_close(const struct graph *g)
{
	for (int k = 0; k < g->n; k++)
		for (int a = 0; a < g->n; a++)
			for (int b = 0; b < g->n && *graph_at(g, a, k); b++)
				*graph_at(g, a, b) |= *graph_at(g, k, b);
}

/* The nodes in a circle with a: their number, and their names in buf. */
static int circle_of(
	const struct graph *g, int a, const int *skip, char *const *words, char *buf, size_t len)
{
	int n = 0;

	buf[0] = '\0';
	for (int b = 0; b < g->n; b++) {
		size_t at = strlen(buf);

		if (!*graph_at(g, a, b) || !*graph_at(g, b, a) || skip[b])
			continue;
		snprintf(buf + at, len - at, " %s", words[b]);
		n++;
	}
	return n;
}

/* Which source defines a name that another uses; -1: none of ours. */
static int definer_of(const struct name *user)
{
	for (int k = 0; k < nnames; k++)
		if (names[k].defined && strcmp(names[k].name, user->name) == 0 &&
			is_linked(user->file, names[k].file))
			return names[k].file;
	return -1;
}

/* Is the file in one of the folders of the law, or the source of one of its headers?  Generated
 * headers are included without a folder. */
static int is_inside_any(const char *path, const struct law *law)
{
	const char *name = path + (is_generated(path) ? strlen(GENERATED) : 0);

	for (int i = 0; law != NULL && i < law->n; i++)
		if (inside(path, law->words[i]) ||
			(strchr(law->words[i], '.') != NULL &&
				strncmp(name, law->words[i], strcspn(law->words[i], ".")) == 0))
			return 1;
	return 0;
}

static void arrow_check(const struct name *user, int definer)
{
	const struct law *l = law_of("see", user->source);
	const char *to = sources[definer].path;

	if (is_inside_any(to, l) || is_inside_any(to, law_of("use", user->source)))
		return;
	found(user->source, 1, "arrow", "uses %s of %s, which %s may not include", user->name, to,
		l == NULL ? "it" : l->folder);
}

/* Reports each circle once: `done' are those of an earlier one. */
static void circles_report(const struct graph *g, int max, char *const *words, const char *what)
{
	int *done = must_alloc(NULL, (size_t)(g->n + 1) * sizeof(*done));
	char buf[LINE_LEN];

	memset(done, 0, (size_t)(g->n + 1) * sizeof(*done));
	for (int a = 0; a < g->n; a++) {
		int n = done[a] ? 0 : circle_of(g, a, done, words, buf, sizeof(buf));

		if (n > max)
			found(words[a], 1, "circle", "%d %s call each other in a circle:%s", n,
				what, buf);
		for (int b = 0; b < g->n; b++)
			done[b] |= *graph_at(g, a, b) && *graph_at(g, b, a);
	}
	free(done);
}

static void graphs_check(void)
{
	struct graph files = graph_new(nsources), rooms = graph_new(nfolders);
	char *paths[SOURCES_MAX];

	for (int i = 0; i < nnames; i++) {
		int to = names[i].defined ? -1 : definer_of(&names[i]), from = names[i].file;

		if (to < 0 || to == from)
			continue;
		if (sources[from].folder == sources[to].folder) {
			*graph_at(&files, from, to) = 1;
		} else {
			*graph_at(&rooms, sources[from].folder, sources[to].folder) = 1;
			arrow_check(&names[i], to);
		}
	}
	for (int i = 0; i < nsources; i++)
		paths[i] = sources[i].path;
	graph_close(&files);
	graph_close(&rooms);
	circles_report(&files, CIRCLE_MAX, paths, "files");
	circles_report(&rooms, 1, folders, "folders");
	free(files.bits);
	free(rooms.bits);
}

void link_check(void)
{
	names_read();
	twice_check();
	prefixes_check();
	graphs_check();
}
