// SPDX-License-Identifier: BSD-3-Clause
/* group_abort.c - MPI_Abort, and MPI_ERRORS_ABORT, where failures are survived: the processes of
 * one group end, and all others see that these have failed (MPI-5.0 11.4.2).
 *
 *   haft_abort runs=F+N,... ──> these are marked `aborted', and so is the process that asks
 *        └─ last=1 ──┬─ another process lives ──> SIGTERM, END_GRACE_MS later SIGKILL
 *                    │                            each death is a notice: BOOT_END_ABORTED
 *                    └─ none does ─────────────> the job ends, with the code of the abort */
#include "tools/mpiexec/group_abort.h"

#include <signal.h>
#include <stdlib.h>
#include "libmpi/boot/mpiexec_words.h"
#include "libmpi/boot/pmi_word.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/remote_ranks.h"
#include "tools/mpiexec/requests.h"

static int word_number(const char *line, const char *key)
{
	size_t len;
	const char *v = boot_pmi_word(line, key, &len);

	return v != NULL ? atoi(v) : 0;
}

static void abort_mark(struct job *j, int r, int code)
{
	if (r < 0 || !j->rank[r].alive)
		return;
	j->rank[r].aborted = true;
	j->rank[r].abort_code = code;
}

/* Marks the processes of a list "F+N,F+N,...". */
static void abort_mark_runs(struct job *j, const char *runs, int code)
{
	char *end;

	for (const char *at = runs; at != NULL; at = *end == ',' ? end + 1 : NULL) {
		long first = strtol(at, &end, 10);
		long n = *end == '+' ? strtol(end + 1, &end, 10) : 0;

		for (int r = 0; r < j->n; r++) {
			const struct world *w = j->rank[r].world;

			if (w != NULL && job_number(j, r) >= first && job_number(j, r) < first + n)
				abort_mark(j, r, code);
		}
	}
}

/* Ends those that are marked, but for the process that asks: it ends itself. */
static void abort_signal(struct job *j, int sig, int but)
{
	for (int r = 0; r < j->n; r++) {
		if (r == but || !j->rank[r].alive || !j->rank[r].aborted)
			continue;
		if (j->remote != NULL)
			remote_signal_rank(j->remote, r, sig);
		else
			local_signal_rank(&j->local, r, sig);
	}
}

/* The processes that live, and those of them that are marked. */
static void abort_count(const struct job *j, int *living, int *marked)
{
	*living = *marked = 0;
	for (int r = 0; r < j->n; r++) {
		*living += j->rank[r].alive;
		*marked += j->rank[r].alive && j->rank[r].aborted;
	}
}

/* All are marked that the group has. */
static void abort_begin(struct job *j, int asker, const char *line, int code)
{
	size_t len;
	const char *words = boot_pmi_word(line, "msg", &len); /* to the end of the line */
	int living, marked;

	abort_count(j, &living, &marked);
	out_rest(asker, clock_now_ns());
	if (words != NULL && words[0] != '\0')
		out_say_raw(words);
	out_say("%s has aborted %s with code %d", job_process_name(j, asker, j->rank[asker].pid),
		living == marked ? "the job"
		: marked == 1    ? "itself"
				 : "its group",
		code);
	if (living == marked) {
		job_fail(j, code & 255 ? code & 255 : code != 0);
		return;
	}
	out_say("%d process%s, and %d go%s on without %s (HAFT_FT)", marked,
		marked == 1 ? " ends" : "es end", living - marked, living - marked == 1 ? "es" : "",
		marked == 1 ? "it" : "them");
	j->group_kill_ns = clock_now_ns() + END_GRACE_MS * NS_PER_MS;
	abort_signal(j, SIGTERM, asker);
	abort_signal(j, SIGCONT, asker);
}

void group_abort_do(struct job *j, int r, const char *line)
{
	size_t len;
	int code = word_number(line, "code");

	if (!j->ending) {
		abort_mark(j, r, code);
		abort_mark_runs(j, boot_pmi_word(line, "runs", &len), code);
		if (word_number(line, "last") == 1)
			abort_begin(j, r, line, code);
	}
	request_reply(j, r, "cmd=" BOOT_CMD_ABORT "_result rc=0");
}

void group_abort_clock(struct job *j, uint64_t now)
{
	if (j->group_kill_ns == 0 || now < j->group_kill_ns)
		return;
	j->group_kill_ns = 0;
	abort_signal(j, SIGKILL, -1);
}
