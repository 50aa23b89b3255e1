// SPDX-License-Identifier: BSD-3-Clause
/* top_show.c - shows the samples of the ranks.  See top.h.
 *
 *       rank  does                            waits    moves/s   memory    CPU
 *          0  in MPI_Recv from 1               98 %       0 B    12 MB     2 %
 *          1  computes                          0 %    1.2 MB    12 MB   100 %
 *
 * Parts of the time are of that since the sample before, so the first sample is not shown.  Other
 * hosts are asked, and the sample is shown ANSWER_MS later: one that does not answer holds
 * nothing up. */
#include "tools/mpiexec/top.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include "libmpi/prof/table.h"
#include "tools/mpiexec/job.h"
#include "tools/mpiexec/output.h"
#include "tools/mpiexec/profile.h"
#include "tools/mpiexec/remote_ranks.h"

#define EACH_MS   1000
#define ANSWER_MS 100
#define LINE      160
#define PRINT_MAX 32 /* ranks of a sample that is printed */
#define AROUND    3  /* lines of the terminal that are not ranks */

static struct {
	bool on, tty;
	uint64_t ask_ns, show_ns;     /* when; 0: not now */
	struct top_row *now, *before; /* by entry; at_ns 0: there was no sample */
	int n;
	int samples; /* so many have been begun */
	int drawn;   /* lines on the terminal */
	int keys;    /* the terminal, to be read; -1: it is not ours */
	struct termios saved;
} top = {.keys = -1};

/* --- the terminal ----------------------------------------------------------------------------- */

static void keys_open(void)
{
	struct termios t;
	int fd = open("/dev/tty", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return;
	if (tcgetpgrp(fd) != getpgrp() || tcgetattr(fd, &top.saved) != 0) {
		close(fd);
		return;
	}
	t = top.saved;
	t.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(fd, TCSANOW, &t);
	top.keys = fd;
}

static void keys_close(void)
{
	if (top.keys < 0)
		return;
	tcsetattr(top.keys, TCSANOW, &top.saved);
	close(top.keys);
	top.keys = -1;
}

static void screen_write(const char *s, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDERR_FILENO, s, len);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return;
		s += n > 0 ? n : 0;
		len -= n > 0 ? (size_t)n : 0;
	}
}

/* Takes the lines away: the cursor goes up over them. */
static void screen_clear(void)
{
	char s[32];

	if (top.drawn > 0)
		screen_write(s, (size_t)snprintf(s, sizeof(s), "\033[%dA\r\033[J", top.drawn));
	top.drawn = 0;
}

/* So many ranks fit. */
static int screen_ranks(void)
{
	struct winsize w;

	if (!top.tty)
		return PRINT_MAX;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &w) != 0 || w.ws_row <= AROUND)
		return 24 - AROUND;
	return w.ws_row - AROUND;
}

/* --- words ------------------------------------------------------------------------------------ */

static void does_words(const struct job *j, const struct top_row *r, char s[64])
{
	static const char *const waits[PROF_WHYS] = {[PROF_SENDER] = "from",
		[PROF_RECEIVER] = "to",
		[PROF_LAST] = "for",
		[PROF_LOCK] = "held by",
		[PROF_WINDOW] = "for",
		[PROF_OTHER] = "for"};
	int peer = r->waits && r->peer > 0 ? job_entry(j, r->peer - 1) : -1;

	if (!r->alive)
		snprintf(s, 64, "has ended");
	else if (r->fn != 0 && r->inside && peer >= 0)
		snprintf(s, 64, "in %.30s %s %.16s", profile_fn((int)r->fn), waits[r->why],
			job_rank_short(j, peer));
	else if (r->fn != 0 && r->inside)
		snprintf(s, 64, "in %.40s", profile_fn((int)r->fn));
	else
		snprintf(s, 64, "%s%s", r->runs ? "computes" : "asleep",
			r->inside  ? ""
			: r->after ? ", after MPI_Finalize"
				   : ", before MPI_Init");
}

/* Of the time since the sample before, in percent. */
static double time_part(uint64_t now, uint64_t before, uint64_t ns)
{
	double p = ns > 0 && now > before ? 100 * (double)(now - before) / (double)ns : 0;

	return p > 100 && p < 101 ? 100 : p;
}

static double waits_part(int i)
{
	const struct top_row *a = &top.before[i], *b = &top.now[i];
	double p = time_part(b->wait_ns, a->wait_ns, b->at_ns - a->at_ns);

	return p > 100 ? 100 : p;
}

static void row_words(const struct job *j, int i, char s[LINE])
{
	const struct top_row *a = &top.before[i], *b = &top.now[i];
	uint64_t ns = b->at_ns - a->at_ns, moved = b->bytes > a->bytes ? b->bytes - a->bytes : 0;
	char does[64], bytes[24], memory[24];

	does_words(j, b, does);
	snprintf(s, LINE, "%6.12s  %-36s %5.0f %%  %9s  %8s  %5.0f %%", job_rank_short(j, i), does,
		waits_part(i), profile_bytes(ns > 0 ? (double)moved * 1e9 / (double)ns : 0, bytes),
		profile_bytes((double)b->memory, memory), time_part(b->cpu_ns, a->cpu_ns, ns));
}

/* --- a sample is shown ------------------------------------------------------------------------ */

/* The others wait for those that wait least: they come first. */
static int row_order(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	double by = waits_part(x) - waits_part(y);

	return by != 0 ? (by > 0) - (by < 0) : x - y;
}

/* The entries that are shown, all that are there if they fit.  Returns their number. */
static int rows_choose(const struct job *j, int *v, int *left)
{
	int n = 0, room = screen_ranks();

	for (int i = 0; i < top.n; i++)
		if (top.now[i].at_ns != 0 && i < j->n && j->rank[i].world != NULL)
			v[n++] = i;
	*left = n > room ? n - room : 0;
	if (n > room)
		qsort(v, (size_t)n, sizeof(*v), row_order);
	return n - *left;
}

static void line_show(char *screen, size_t *len, const char *line)
{
	if (!top.tty) {
		out_say_raw(line);
		return;
	}
	*len += (size_t)snprintf(screen + *len, LINE, "%s\n", line);
	top.drawn++;
}

static void sample_show(const struct job *j)
{
	int *v = mem_grow(NULL, (size_t)top.n + 1, sizeof(*v)), left;
	int n = rows_choose(j, v, &left);
	char *screen = mem_grow(NULL, (size_t)n + AROUND, LINE);
	size_t len = 0;
	char line[LINE];

	screen_clear();
	snprintf(line, LINE, "%6s  %-36s %7s  %9s  %8s  %7s", "rank", "does", "waits", "moves/s",
		"memory", "CPU");
	line_show(screen, &len, line);
	for (int i = 0; i < n; i++) {
		row_words(j, v[i], line);
		line_show(screen, &len, line);
	}
	snprintf(line, LINE, "  ... and %d more, which wait longer", left);
	if (left > 0)
		line_show(screen, &len, line);
	if (top.tty && top.keys >= 0)
		line_show(screen, &len, "q leaves this view; the job goes on");
	if (top.tty)
		screen_write(screen, len);
	free(screen);
	free(v);
}

static void rows_grow(int n)
{
	if (n <= top.n)
		return;
	top.now = mem_grow(top.now, (size_t)n, sizeof(*top.now));
	top.before = mem_grow(top.before, (size_t)n, sizeof(*top.before));
	memset(top.now + top.n, 0, (size_t)(n - top.n) * sizeof(*top.now));
	memset(top.before + top.n, 0, (size_t)(n - top.n) * sizeof(*top.before));
	top.n = n;
}

void top_take(struct job *j, struct marshal *p)
{
	rows_grow(j->n);
	while (p->len - p->at >= sizeof(struct top_row)) {
		struct top_row r;

		marshal_take(p, &r, sizeof(r));
		if (r.entry < 0 || r.entry >= top.n || r.why >= PROF_WHYS)
			continue;
		top.before[r.entry] = top.now[r.entry].at_ns != 0 ? top.now[r.entry] : r;
		top.now[r.entry] = r;
	}
}

void top_clock(struct job *j, uint64_t now)
{
	struct marshal here = {.len = 0};

	if (!top.on)
		return;
	if (top.show_ns != 0 && now >= top.show_ns) {
		top.show_ns = 0;
		sample_show(j);
	}
	if (now < top.ask_ns)
		return;
	top.ask_ns = now + EACH_MS * NS_PER_MS;
	top.samples++;
	if (j->remote != NULL) {
		remote_top(j->remote);
		top.show_ns = top.samples > 1 ? now + ANSWER_MS * NS_PER_MS : 0;
		return;
	}
	top_host_read(&j->local, &here);
	top_take(j, &here);
	free(here.v);
	if (top.samples > 1)
		sample_show(j);
}

uint64_t top_next(void)
{
	if (!top.on)
		return 0;
	return top.show_ns != 0 && top.show_ns < top.ask_ns ? top.show_ns : top.ask_ns;
}

/* --- begin and end ---------------------------------------------------------------------------- */

void top_start(struct job *j)
{
	if (!j->plan->top)
		return;
	top.on = true;
	top.tty = isatty(STDERR_FILENO);
	top.ask_ns = clock_now_ns();
	if (top.tty) {
		keys_open();
		atexit(keys_close); /* also when mpiexec ends for want of something */
		out_before_write(screen_clear);
	}
}

int top_fd(void)
{
	return top.keys;
}

void top_key(void)
{
	char c = 0;
	ssize_t n = read(top.keys, &c, 1);

	if (n > 0 ? c == 'q' || c == 'Q' : n == 0 || (errno != EAGAIN && errno != EINTR))
		top_end();
}

void top_pause(void)
{
	screen_clear();
	keys_close();
}

void top_resume(void)
{
	if (top.on && top.tty)
		keys_open();
}

void top_end(void)
{
	if (!top.on)
		return;
	top_pause();
	top.on = false;
}
