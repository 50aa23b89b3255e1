// SPDX-License-Identifier: BSD-3-Clause
/* crash_lines.c - the words for a rank that a signal has killed: its stack and its core file.
 *
 *     struct stack_page ── stack_crash ──┐
 *     core_pattern, the kernel's status ─┴─> struct death ──> struct rank ──> "... was killed by
 *         on the host of the rank                             mpiexec        signal 11 (...) in
 *                                                                            sum (a.c:17); core
 *                                                                            dumped: /d/core.12"
 * Ranks that crash beside the first one share lines at the end of the job. */
#include "tools/mpiexec/stacks.h"

#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libobj/base.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/limits.h"
#include "tools/mpiexec/local_ranks.h"
#include "tools/mpiexec/output.h"

#define PATTERN_MAX 512

/* --- core files ------------------------------------------------------------------------------ */

/* Reads the first line of a file of /proc/sys/kernel; "" if it cannot. */
static void kernel_read(const char *path, char *line, size_t n)
{
	FILE *f = fopen(path, "re");

	if (f == NULL || fgets(line, (int)n, f) == NULL)
		line[0] = '\0';
	if (f != NULL)
		fclose(f);
	line[strcspn(line, "\n")] = '\0';
}

/* A part of the pattern behind %, as one of glob(7).  core(5) has the letters; those that a dead
 * process no longer tells become a star. */
static char *core_part(char letter, int pid, int sig)
{
	char host[256] = "";

	switch (letter) {
	case '%': return text_new("%%");
	case 'p':
	case 'P': return text_new("%d", pid);
	case 'u': return text_new("%u", (unsigned)getuid());
	case 'g': return text_new("%u", (unsigned)getgid());
	case 's': return text_new("%d", sig);
	case 'h': gethostname(host, sizeof(host) - 1); return text_new("%s", host);
	default: return text_new("*");
	}
}

/* The newest file of a pattern of glob(7); NULL: there is none. */
static char *file_newest(const char *pattern)
{
	struct stat st;
	char *newest = NULL;
	time_t when = 0;
	glob_t g;

	if (glob(pattern, 0, NULL, &g) != 0)
		return NULL;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		if (stat(g.gl_pathv[i], &st) != 0 || !S_ISREG(st.st_mode) || st.st_mtime < when)
			continue;
		free(newest);
		newest = text_new("%s", g.gl_pathv[i]);
		when = st.st_mtime;
	}
	globfree(&g);
	return newest;
}

/* The path of the core file of a process that has run in directory wdir; NULL: it is not found. */
static char *core_find(const char *pattern, const char *wdir, int pid, int sig)
{
	char uses[8], *path, *found, *here = getcwd(NULL, 0);
	bool has_pid = strstr(pattern, "%p") != NULL || strstr(pattern, "%P") != NULL;

	kernel_read("/proc/sys/kernel/core_uses_pid", uses, sizeof(uses));
	path = pattern[0] == '/' ? text_new("%s", "")
	       : wdir == NULL    ? text_new("%s/", here != NULL ? here : ".")
	       : wdir[0] == '/'  ? text_new("%s/", wdir)
				 : text_new("%s/%s/", here != NULL ? here : ".", wdir);
	for (const char *s = pattern; *s != '\0'; s++) {
		char *part =
			*s == '%' && s[1] != '\0' ? core_part(*++s, pid, sig) : text_new("%c", *s);
		char *more = text_new("%s%s", path, part);

		free(part);
		free(path);
		path = more;
	}
	found = file_newest(path);
	if (found == NULL && !has_pid && uses[0] == '1') {
		char *more = text_new("%s.%d", path, pid);

		found = file_newest(more);
		free(more);
	}
	free(path);
	free(here);
	return found;
}

/* Words about the core file behind the line of a death; "" if there is nothing to say. */
static char *core_words(const char *wdir, int pid, int status)
{
	char pattern[PATTERN_MAX], *path, *words;
	struct rlimit limit;

	if (!WCOREDUMP(status))
		return getrlimit(RLIMIT_CORE, &limit) == 0 && limit.rlim_cur == 0
			       ? text_new("; no core file: ulimit -c is 0")
			       : text_new("%s", "");
	kernel_read("/proc/sys/kernel/core_pattern", pattern, sizeof(pattern));
	if (strstr(pattern, "systemd-coredump") != NULL)
		return text_new("; core dumped: coredumpctl debug %d", pid);
	if (pattern[0] == '|')
		return text_new(
			"; core dumped: to %.*s", (int)strcspn(pattern + 1, " "), pattern + 1);
	path = core_find(pattern, wdir, pid, WTERMSIG(status));
	words = path != NULL ? text_new("; core dumped: %s", path) : text_new("; core dumped");
	free(path);
	return words;
}

/* --- deaths ---------------------------------------------------------------------------------- */

static bool signal_is_crash(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL || sig == SIGABRT;
}

void crash_describe(struct local_ranks *c, int row, struct death *d)
{
	const struct local_rank *m = &c->m[row];

	if (WIFSIGNALED(d->status) && WTERMSIG(d->status) == SIGKILL)
		d->core = limit_memory_words();
	if (!WIFSIGNALED(d->status) || !signal_is_crash(WTERMSIG(d->status)))
		return;
	d->where = stack_crash(c, row, WTERMSIG(d->status));
	d->core = core_words(m->world->app[m->app].wdir, d->pid, d->status);
}

void crash_take(struct rank *k, const struct death *d)
{
	k->where = d->where;
	k->core = d->core;
}

void crash_drop(struct rank *k)
{
	free(k->where);
	free(k->core);
	k->where = k->core = NULL;
}

/* The words for a death by a signal, without the rank; malloc'ed. */
static char *crash_words(const struct rank *k, int status)
{
	return text_new("killed by signal %d (%s)%s%s", WTERMSIG(status),
		strsignal(WTERMSIG(status)), k->where != NULL ? " in " : "",
		k->where != NULL ? k->where : "");
}

void crash_tell(struct job *j, int r, int status)
{
	struct rank *k = &j->rank[r];
	char *words = crash_words(k, status);
	const char *core = k->core != NULL ? k->core : WCOREDUMP(status) ? "; core dumped" : "";

	out_say("%s was %s%s", job_process_name(j, r, k->pid), words, core);
	free(words);
	crash_drop(k);
}

void crash_others(struct job *j)
{
	char **text = mem_grow(NULL, (size_t)j->n + 1, sizeof(*text));

	for (int r = 0; r < j->n; r++)
		text[r] = j->rank[r].where != NULL ? crash_words(&j->rank[r], j->rank[r].status)
						   : NULL;
	for (int r = 0; r < j->n; r++) {
		char *line = text[r] != NULL ? stacks_line(j, text, j->n, r) : NULL;

		if (line != NULL)
			fprintf(stderr, "mpiexec: also %s\n", line);
		free(line);
	}
	for (int r = 0; r < j->n; r++)
		free(text[r]);
	free(text);
}
