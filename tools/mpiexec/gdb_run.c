// SPDX-License-Identifier: BSD-3-Clause
/* gdb_run.c - see gdb_run.h. */
#include "tools/mpiexec/gdb_run.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/proc.h"
#include "tools/mpiexec/wrap.h"

#define STOP_MS   10000 /* ms for ranks to stop; a program without MPI does not */
#define POLL_MS   10
#define WORDS_MAX (24 + GDB_RANKS * 16)

static struct {
	pid_t pid;    /* 0: it does not run */
	bool has_tty; /* the terminal is gdb's */
} gdb;

/* --- words of gdb's command line ------------------------------------------------------------- */

struct gdb_words {
	char *v[WORDS_MAX];
	int n;
};

static void word_put(struct gdb_words *w, char *command)
{
	w->v[w->n++] = text_new("-ex");
	w->v[w->n++] = command;
}

/* Attaches inferior `number' to a rank, and lets it go on to main alone. */
static void rank_put(struct gdb_words *w, const struct job *j, int r, int number)
{
	if (number > 1) {
		word_put(w, text_new("add-inferior -no-connection"));
		word_put(w, text_new("inferior %d", number));
	}
	word_put(w, text_new("attach %d", j->rank[r].pid));
	word_put(w, text_new("tbreak main"));
	word_put(w, text_new("continue"));
	word_put(w,
		text_new("echo rank %d is inferior %d, process %d\\n", r, number, j->rank[r].pid));
}

/* The command mpi of gdb, PREFIX/share/haft/gdb.py, for PREFIX/bin/mpiexec; NULL: it is not there.
 * malloc'ed. */
static char *gdb_script(void)
{
	char path[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	char *script = NULL;

	for (int i = 0; i < 2 && len > 0; i++)
		while (len > 0 && path[--len] != '/')
			;
	if (len > 0)
		script = text_new("%.*s/share/haft/gdb.py", (int)len, path);
	if (script != NULL && access(script, R_OK) == 0)
		return script;
	free(script);
	return NULL;
}

static void gdb_words_make(struct gdb_words *w, const struct job *j)
{
	char *script = gdb_script();
	int number = 0;

	*w = (struct gdb_words){.n = 0};
	w->v[w->n++] = text_new("gdb");
	w->v[w->n++] = text_new("-q");
	if (script != NULL) {
		w->v[w->n++] = text_new("-x");
		w->v[w->n++] = script;
	}
	word_put(w, text_new("set pagination off"));
	word_put(w, text_new("set breakpoint pending on"));
	word_put(w, text_new("handle SIGSTOP nostop noprint nopass"));
	for (int r = 0; r < j->n; r++)
		if (ranks_have(j->plan->gdb, r) && j->rank[r].alive)
			rank_put(w, j, r, ++number);
	word_put(w, text_new("handle SIGSTOP stop print pass"));
	word_put(w, text_new("set schedule-multiple on"));
	word_put(w, text_new("set pagination on"));
	word_put(w, text_new("inferior 1"));
}

/* --- the process ----------------------------------------------------------------------------- */

/* Waits until the ranks have stopped before main. */
static void ranks_await(const struct job *j)
{
	for (int ms = 0; ms < STOP_MS; ms += POLL_MS) {
		bool all = true;

		for (int r = 0; r < j->n; r++)
			if (ranks_have(j->plan->gdb, r) && j->rank[r].alive)
				all &= proc_stopped(j->rank[r].pid);
		if (all)
			return;
		usleep(POLL_MS * 1000);
	}
}

/* In the child: its own process group, in the foreground of the terminal. */
__attribute__((noreturn)) static void gdb_exec(
	const struct job *j, char **words, const sigset_t *mask)
{
	setpgid(0, 0);
	if (gdb.has_tty) {
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(STDIN_FILENO, getpid());
		signal(SIGTTOU, SIG_DFL);
	}
	signal(SIGPIPE, SIG_DFL);
	ranks_await(j);
	sigprocmask(SIG_SETMASK, mask, NULL);
	execvp(words[0], words);
	fprintf(stderr, "mpiexec: gdb: %s\n", strerror(errno));
	_exit(EXIT_NONE);
}

void gdb_start(struct job *j, const sigset_t *mask)
{
	struct gdb_words w;

	if (j->plan->gdb == NULL)
		return;
	gdb_words_make(&w, j);
	gdb.has_tty = isatty(STDIN_FILENO) == 1;
	fflush(NULL);
	gdb.pid = fork();
	if (gdb.pid == 0)
		gdb_exec(j, w.v, mask);
	if (gdb.pid < 0) {
		out_say("gdb: %s", strerror(errno));
		gdb.pid = 0;
		job_fail(j, 1);
	}
	for (int i = 0; i < w.n; i++)
		free(w.v[i]);
}

bool gdb_runs(void)
{
	return gdb.pid > 0;
}

bool gdb_reap(pid_t pid)
{
	if (pid != gdb.pid || pid <= 0)
		return false;
	gdb.pid = 0;
	if (gdb.has_tty) {
		signal(SIGTTOU, SIG_IGN);
		tcsetpgrp(STDIN_FILENO, getpgrp());
		signal(SIGTTOU, SIG_DFL);
	}
	return true;
}
