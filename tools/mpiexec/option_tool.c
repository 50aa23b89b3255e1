// SPDX-License-Identifier: BSD-3-Clause
/* option_tool.c - mpiexec -tool a.so,b.so: libraries that take calls of MPI (haft-tools(7)).
 *
 *     a.so,b.so ──┬──> LD_PRELOAD=DIR/a.so:DIR/b.so         the ranks load them
 *                 └──> QMPI_TOOL_LIST=DIR/a.so:DIR/b.so     a.so is nearest to the program
 *
 * A list in the environment decides the order by itself: then the libraries are only loaded. */
#include "tools/mpiexec/cmdline_options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *loaded; /* the libraries, with colons; NULL: none yet */

/* The path of a library on all hosts.  A name that is no file here is the dynamic linker's. */
static const char *tool_path(const char *name)
{
	static char path[PATH_MAX];

	if (realpath(name, path) == NULL) {
		if (strchr(name, '/') != NULL)
			fatal(EXIT_USAGE, "-tool %s: %s", name, strerror(errno));
		return name;
	}
	if (strpbrk(path, ": \t") != NULL)
		fatal(EXIT_USAGE,
			"-tool %s: the dynamic linker takes no path with a colon or a blank", path);
	return path;
}

static void tool_add(const char *name)
{
	const char *path = tool_path(name);
	char *more =
		text_new("%s%s%s", loaded != NULL ? loaded : "", loaded != NULL ? ":" : "", path);

	free(loaded);
	loaded = more;
}

void option_tool(struct plan *p, const char *list)
{
	const char *others = getenv("LD_PRELOAD"), *order = getenv("QMPI_TOOL_LIST");

	while (*list != '\0') {
		size_t len = strcspn(list, ",");
		char *name = text_new("%.*s", (int)len, list);

		if (len == 0)
			fatal(EXIT_USAGE, "-tool needs names of libraries, with commas between");
		tool_add(name);
		free(name);
		list += len + (list[len] != '\0');
	}
	if (loaded == NULL)
		fatal(EXIT_USAGE, "-tool needs the name of a library");
	settings_add(&p->set, "LD_PRELOAD",
		text_new("%s%s%s", loaded, others != NULL && *others != '\0' ? ":" : "",
			others != NULL ? others : ""));
	if (order == NULL || *order == '\0')
		settings_add(&p->set, "QMPI_TOOL_LIST", text_new("%s", loaded));
}
