// SPDX-License-Identifier: BSD-3-Clause
/* wrap_options.c - the options -wrap, -valgrind, -xterm and -gdb: wrap.h, gdb_run.h.
 *
 *     -wrap=0 "valgrind -q" ──> words ──┐
 *     -xterm ──> xterm, or tmux ────────┴──> struct plan: wrap[]      -gdb ──> struct plan: gdb
 *
 * -xterm with -gdb: a gdb for each rank in a window of its own. */
#include <stdlib.h>
#include <string.h>
#include "tools/mpiexec/cmdline_options.h"
#include "tools/mpiexec/gdb_run.h"
#include "tools/mpiexec/wrap.h"

void ranks_check(const char *name, const char *ranks, int n)
{
	const char *s = ranks;
	long from, to;

	if (*ranks != '\0' && !ranks_good(ranks, strlen(ranks)))
		fatal(EXIT_USAGE, "-%s=%s: ranks are written like 0,3-5", name, ranks);
	while (ranks_next(&s, &from, &to))
		if (from > to || to >= n)
			fatal(EXIT_USAGE, "-%s=%s: the last rank is %d", name, ranks, n - 1);
}

/* --- commands -------------------------------------------------------------------------------- */

/* Adds a command; takes the words. */
static void wrap_put(struct plan *p, const char *ranks, char **argv)
{
	p->wrap = mem_grow(p->wrap, (size_t)p->nwraps + 1, sizeof(*p->wrap));
	p->wrap[p->nwraps++] = (struct wrap){.ranks = text_new("%s", ranks), .argv = argv};
}

void wrap_add(struct plan *p, const char *ranks, const char *command)
{
	int n;
	char **words = words_split(text_new("%s", command), &n); /* they live as long as the plan */

	if (n == 0)
		fatal(EXIT_USAGE, "-wrap needs a command");
	wrap_put(p, ranks, words);
}

/* In tmux a rank cannot run in a pane, because the server of tmux would be its parent.  So the pane
 * lends it its terminal, passes Ctrl-C on, and closes when the rank has ended. */
static const char tmux_pane[] =
	"t=$(tmux split-window -d -P -F '#{pane_tty}' "
	"'i() { kill -INT '$$'; }; trap i INT; "
	"while kill -0 '$$' 2>/dev/null; do sleep 1; done') && "
	"tmux select-layout tiled >/dev/null && exec \"$@\" <\"$t\" >\"$t\" 2>&1";

static const char *const in_tmux[] = {"sh", "-c", tmux_pane, "rank-%r", NULL};
static const char *const in_xterm[] = {"xterm", "-T", "rank %r of %n on %h", "-e", NULL};
static const char *const in_gdb[] = {"gdb", "-q", "--args", NULL};

/* Words of two lists that end with NULL; malloc'ed. */
static char **words_join(const char *const a[], const char *const b[])
{
	char **v = NULL;
	size_t n = 0;

	for (int k = 0; k < 2; k++)
		for (const char *const *s = k == 0 ? a : b; *s != NULL; s++) {
			v = mem_grow(v, n + 2, sizeof(*v));
			v[n++] = text_new("%s", *s);
		}
	v[n] = NULL;
	return v;
}

void wrap_add_xterm(struct plan *p, const char *ranks)
{
	if (getenv("TMUX") == NULL && getenv("DISPLAY") == NULL)
		fatal(EXIT_USAGE, "-xterm needs tmux (TMUX) or a desktop (DISPLAY)");
	p->xterm = ranks;
}

void wrap_settle(struct plan *p)
{
	static const char *const none[] = {NULL};
	bool each = p->xterm != NULL && p->gdb != NULL;

	if (p->xterm != NULL)
		wrap_put(p, p->xterm,
			words_join(
				getenv("TMUX") != NULL ? in_tmux : in_xterm, each ? in_gdb : none));
	if (each)
		p->gdb = NULL;
	if (p->xterm != NULL)
		ranks_check("xterm", p->xterm, p->nranks);
	for (int i = 0; i < p->nwraps; i++)
		ranks_check("wrap", p->wrap[i].ranks, p->nranks);
}

/* Ends mpiexec if there is no gdb. */
static void gdb_check(void)
{
	char *argv[] = {(char *)(uintptr_t) "gdb", NULL}, *why;
	struct app a = {.argv = argv};
	int err;

	why = app_find(&a, getenv("PATH"), &err);
	if (why != NULL)
		fatal(EXIT_NONE, "-gdb: %s", why);
	free(a.file);
	free(a.script[0]);
	free(a.script);
}

void gdb_settle(struct plan *p)
{
	int n = 0;

	if (p->gdb == NULL)
		return;
	ranks_check("gdb", p->gdb, p->nranks);
	for (int r = 0; r < p->nranks; r++)
		n += ranks_have(p->gdb, r);
	if (p->nhosts > 0)
		fatal(EXIT_USAGE, "-gdb is for ranks of this host; -gdb -xterm starts a gdb for "
				  "each rank of any host");
	if (n > GDB_RANKS)
		fatal(EXIT_USAGE,
			"-gdb takes up to %d ranks in one gdb, not %d; choose some, as in -gdb=0,3",
			GDB_RANKS, n);
	gdb_check();
	p->stdin_to = STDIN_NONE;
}
