// SPDX-License-Identifier: BSD-3-Clause
/* output.c - streams and sinks: see output.h.
 *
 * Each sink has an epoll set of its streams.  The main loop polls one fd for any number of
 * ranks, and skips it while the sink is full. */
#include "tools/mpiexec/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "tools/mpiexec/outfile.h"
#include "tools/mpiexec/job_plan.h"
#include "tools/mpiexec/pattern.h"
#include "tools/mpiexec/rank_start.h"

#define EVENTS     64                             /* streams processed per pass */
#define READ_LEN   65536                          /* a pipe's capacity */
#define LABEL_MADE (OUT_LABEL + sizeof(OUT_TIME)) /* a label with a time in it */

/* A growing byte buffer. */
struct bytes {
	char *v;
	size_t len, cap;
};

struct stream {
	int fd; /* -1: none, the stream is pushed (out_push) */
	bool open;
	int rank, which;
	char label[OUT_LABEL]; /* before each line, if lines have labels */
	struct sink *sink;
	struct outfile *file; /* destination file; NULL: the sink only */
	struct bytes part;    /* an unfinished line, not yet in the sink */
	bool begun;           /* the beginning of its line is already in the sink */
	uint64_t last_ns;     /* time of the last bytes */
	struct bytes pending; /* pushed stream: bytes not yet processed */
	bool last;            /* pushed stream: its end follows `pending' */
	int owed;             /* bytes processed, and not yet returned as credit */
};

struct sink {
	int fd;
	int epfd;           /* epoll set of its streams */
	int open;           /* open streams */
	int parts;          /* streams with an unfinished line */
	int pending;        /* streams with bytes, or an end, in `pending' */
	struct bytes queue; /* bytes to be written, from `done' on */
	size_t done;
	struct stream *mid;     /* stream whose unfinished line ends the queue, or NULL */
	struct stream *speaker; /* the only stream that is read, or NULL */
	bool tty, file, broken;
	int err; /* errno of a failed write; 0: none */
};

static struct {
	struct stream **stream; /* [2 r]: stdout of entry r, [2 r + 1]: stderr */
	int nstreams;
	struct sink sink[2];
	struct sink *to[2]; /* sinks of the ranks' stdout and stderr; one if both are one file */
	struct sink *say;   /* of mpiexec's own lines */
	bool label, raw;
	bool copy;             /* file output is copied to the sink */
	bool refused;          /* a file could not be written (reported) */
	out_credit_fn *credit; /* NULL: no stream is pushed */
	void *credit_arg;
	char *chunk; /* READ_LEN bytes */
} out;

static void bytes_add(struct bytes *b, const char *v, size_t len)
{
	if (b->len + len > b->cap) {
		b->cap = (b->len + len) * 2;
		b->v = mem_grow(b->v, b->cap, 1);
	}
	if (len > 0)
		memcpy(b->v + b->len, v, len);
	b->len += len;
}

static void sink_init(struct sink *s, int fd)
{
	struct stat st;

	s->fd = fd;
	s->tty = isatty(fd) == 1;
	s->file = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
	s->epfd = fd_keep(epoll_create1(EPOLL_CLOEXEC));
	if (s->epfd < 0)
		fatal(1, "epoll: %s", strerror(errno));
}

/* True if both fds write one file: two sinks would then cut each other's lines.  In place of a
 * closed fd there is /dev/null, which cannot be written there. */
static bool file_same(int a, int b)
{
	struct stat x, y;

	return (fcntl(a, F_GETFL) & O_ACCMODE) != O_RDONLY &&
	       (fcntl(b, F_GETFL) & O_ACCMODE) != O_RDONLY && fstat(a, &x) == 0 &&
	       fstat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* The stream of an entry, which never moves. */
static struct stream *stream_of(int r, int which)
{
	return out.stream[2 * r + which];
}

void out_grow(int n)
{
	out.stream = mem_grow(out.stream, (size_t)n * 2, sizeof(*out.stream));
	for (int i = out.nstreams; i < 2 * n; i++) {
		out.stream[i] = mem_grow(NULL, 1, sizeof(struct stream));
		*out.stream[i] = (struct stream){.fd = -1, .rank = i / 2, .which = i % 2};
	}
	out.nstreams = 2 * n;
	out.raw = n == 1 && !out.label;
}

void out_label(int r, int which, const char *label)
{
	snprintf(stream_of(r, which)->label, OUT_LABEL, "%s", label);
}

/* Begins a stream that has ended, or was never open: settings from before it opens stay. */
static struct stream *stream_begin(int r, int which, int fd)
{
	struct stream *t = stream_of(r, which);
	struct stream was = *t;

	free(was.part.v);
	free(was.pending.v);
	*t = (struct stream){.fd = fd,
		.open = true,
		.rank = r,
		.which = which,
		.sink = out.to[which],
		.file = was.file};
	memcpy(t->label, was.label, sizeof(t->label));
	t->sink->open++;
	return t;
}

void out_init(bool label, bool merge)
{
	out.chunk = mem_grow(NULL, READ_LEN, 1);
	out.label = label;
	sink_init(&out.sink[0], STDOUT_FILENO);
	sink_init(&out.sink[1], STDERR_FILENO);
	out.to[0] = &out.sink[0];
	out.say = file_same(STDOUT_FILENO, STDERR_FILENO) ? &out.sink[0] : &out.sink[1];
	out.to[1] = merge ? &out.sink[0] : out.say;
}

void out_file(int rank, int which, struct outfile *file, bool copy)
{
	stream_of(rank, which)->file = file;
	out.copy = copy;
}

void out_add(int rank, int which, int fd)
{
	struct stream *t = stream_begin(rank, which, fd);
	struct epoll_event ev = {.events = EPOLLIN, .data.ptr = t};

	if (epoll_ctl(t->sink->epfd, EPOLL_CTL_ADD, fd, &ev) != 0)
		fatal(1, "epoll: %s", strerror(errno));
}

static bool sink_full(const struct sink *s)
{
	return s->queue.len - s->done >= OUT_QUEUE;
}

static void sink_put(struct sink *s, const char *v, size_t len)
{
	if (!s->broken)
		bytes_add(&s->queue, v, len);
}

/* Writes to the file of the stream; reports a failure. */
static void file_put(struct stream *t, const char *v, size_t len)
{
	int err = outfile_put(t->file, v, len);

	if (err == 0)
		return;
	out.refused = true;
	out_say("cannot write to %s: %s", outfile_name(t->file), strerror(err));
}

/* Writes the time of day, to microseconds, as OUT_TIME shows it. */
static void time_text(char *to, size_t n)
{
	struct timespec at;
	struct tm tm;
	size_t len = 0;

	clock_gettime(CLOCK_REALTIME, &at);
	if (localtime_r(&at.tv_sec, &tm) != NULL)
		len = strftime(to, n, "%Y-%m-%d %H:%M:%S", &tm);
	snprintf(to + len, n - len, ".%06ld", at.tv_nsec / 1000);
}

/* Makes the label of a line that begins now; `to' has room for LABEL_MADE bytes. */
static void label_make(const struct stream *t, char *to)
{
	size_t len = 0;

	for (const char *s = t->label; *s != '\0' && len < OUT_LABEL; s++)
		if (*s == PATTERN_TIME) {
			time_text(to + len, LABEL_MADE - len);
			len += strlen(to + len);
		} else {
			to[len++] = *s;
		}
	to[len] = '\0';
}

/* Writes a piece of one line, with or without its newline, to the sink or the file. */
static void chunk_put(struct stream *t, const char *v, size_t len)
{
	struct sink *s = t->sink;
	char name[LABEL_MADE] = "";
	bool copy = t->file == NULL || out.copy;

	if (s->mid != NULL && s->mid != t && copy && (s->tty || out.label)) {
		sink_put(s, "\n", 1);
		s->mid->begun = false;
	}
	if (out.label && !t->begun)
		label_make(t, name);
	t->begun = v[len - 1] != '\n';
	if (t->file != NULL) {
		file_put(t, name, strlen(name));
		file_put(t, v, len);
	}
	if (!copy)
		return;
	sink_put(s, name, strlen(name));
	sink_put(s, v, len);
	s->mid = t->begun ? t : NULL;
}

/* Writes several lines; the last may be unfinished. */
static void lines_put(struct stream *t, const char *v, size_t len)
{
	while (len > 0) {
		const char *nl = out.label ? memchr(v, '\n', len) : memrchr(v, '\n', len);
		size_t n = nl != NULL ? (size_t)(nl - v) + 1 : len;

		chunk_put(t, v, n);
		v += n;
		len -= n;
	}
}

/* Writes the unfinished line of the stream. */
static void part_put(struct stream *t)
{
	if (t->part.len == 0)
		return;
	lines_put(t, t->part.v, t->part.len);
	t->part.len = 0;
	t->sink->parts--;
}

static void stream_take(struct stream *t, const char *v, size_t len, uint64_t now)
{
	struct sink *s = t->sink;
	const char *nl = memrchr(v, '\n', len);
	size_t whole = nl != NULL ? (size_t)(nl - v) + 1 : 0;

	t->last_ns = now;
	if (out.raw) {
		lines_put(t, v, len);
		return;
	}
	if (s->speaker == t && whole == 0)
		whole = len;
	else if (s->speaker == t)
		s->speaker = NULL;
	if (whole > 0) {
		part_put(t);
		lines_put(t, v, whole);
	}
	if (len == whole)
		return;
	s->parts += t->part.len == 0;
	bytes_add(&t->part, v + whole, len - whole);
	if (t->part.len > OUT_PART_MAX) {
		part_put(t);
		s->speaker = t;
	}
}

/* All streams of the sink have ended: writes unfinished lines, in the order of ranks. */
static void parts_put(struct sink *s)
{
	for (int i = 0; i < out.nstreams && s->parts > 0; i++)
		if (out.stream[i]->sink == s)
			part_put(out.stream[i]);
}

/* Returns credit to the sender, in large pieces. */
static void credit_return(struct stream *t)
{
	if (t->owed < OUT_WINDOW / 4)
		return;
	out.credit(out.credit_arg, t->rank, t->which, t->owed);
	t->owed = 0;
}

static void stream_end(struct stream *t)
{
	struct sink *s = t->sink;

	if (s->tty || out.label)
		part_put(t);
	if (out.label && t->begun)
		chunk_put(t, "\n", 1);
	if (s->speaker == t)
		s->speaker = NULL;
	/* EPOLL_CTL_DEL is needed: a child before its exec may still hold this fd. */
	if (t->fd >= 0) {
		epoll_ctl(s->epfd, EPOLL_CTL_DEL, t->fd, NULL);
		close(t->fd);
	}
	if (t->pending.len > 0 || t->last)
		s->pending--;
	t->pending.len = 0;
	t->fd = -1;
	t->open = false;
	if (--s->open == 0)
		parts_put(s);
}

/* Reads from the stream.  Returns true if bytes came. */
static bool stream_read(struct stream *t, uint64_t now)
{
	ssize_t n = read(t->fd, out.chunk, READ_LEN);

	if (n > 0)
		stream_take(t, out.chunk, (size_t)n, now);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		stream_end(t);
	return n > 0;
}

/* Processes the pending bytes of a pushed stream, and its end. */
static void pending_take(struct stream *t, uint64_t now)
{
	size_t len = t->pending.len;

	if (len == 0 && !t->last)
		return;
	t->pending.len = 0;
	t->sink->pending--;
	if (len > 0) {
		t->owed += (int)len;
		stream_take(t, t->pending.v, len, now);
		credit_return(t);
	}
	if (t->last) {
		t->last = false;
		stream_end(t);
	}
}

/* Runs pending_take for the streams of a sink while the sink has room. */
static void sink_take(struct sink *s, uint64_t now)
{
	if (s->speaker != NULL && !sink_full(s))
		pending_take(s->speaker, now);
	for (int i = 0; i < out.nstreams && s->pending > 0 && s->speaker == NULL && !sink_full(s);
		i++)
		if (out.stream[i]->open && out.stream[i]->sink == s)
			pending_take(out.stream[i], now);
}

void out_remote(out_credit_fn *credit, void *arg)
{
	out.credit = credit;
	out.credit_arg = arg;
}

void out_expect(int rank, int which)
{
	stream_begin(rank, which, -1);
}

void out_push(int rank, int which, const char *v, size_t len, uint64_t now_ns)
{
	struct stream *t = stream_of(rank, which);
	struct sink *s = t->sink;

	if (!t->open || t->last)
		return;
	s->pending += t->pending.len == 0;
	if (len > 0)
		bytes_add(&t->pending, v, len);
	else
		t->last = true;
	if (!sink_full(s) && (s->speaker == NULL || s->speaker == t))
		pending_take(t, now_ns);
}

/* Reads ready streams until the sink is full. */
static void sink_read(struct sink *s, uint64_t now)
{
	struct epoll_event ev[EVENTS];
	int n;

	if (s->speaker != NULL) {
		if (s->speaker->fd >= 0)
			stream_read(s->speaker, now);
		return;
	}
	n = epoll_wait(s->epfd, ev, EVENTS, 0);
	for (int i = 0; i < n && s->speaker == NULL && !sink_full(s); i++)
		stream_read(ev[i].data.ptr, now);
}

/* Ends a stream whose rank may still write. */
static void stream_shut(struct stream *t)
{
	if (t->fd < 0)
		out.credit(out.credit_arg, t->rank, t->which, -1);
	stream_end(t);
}

/* The sink cannot be written.  stdout: closes its streams, so that the ranks get SIGPIPE, as
 * without mpiexec.  stderr alone: the ranks go on, because their results are still wanted;
 * their output there is read and dropped. */
static void sink_break(struct sink *s)
{
	s->broken = true;
	s->queue.len = s->done = 0;
	if (s == &out.sink[1])
		return;
	for (int i = 0; i < out.nstreams; i++)
		if (out.stream[i]->open && out.stream[i]->sink == s)
			stream_shut(out.stream[i]);
}

/* Reports a failed write, on stderr if that still works. */
static void write_refused(const struct sink *s)
{
	bool first = s == &out.sink[0];

	if (!out.say->broken)
		out_say("cannot write to standard %s: %s", first ? "output" : "error",
			strerror(s->err));
	else if (s == out.say)
		fprintf(stderr, "mpiexec: cannot write to standard %s: %s\n",
			first ? "output" : "error", strerror(s->err));
}

static void (*write_clear)(void); /* NULL, or before a write to a terminal */

void out_before_write(void (*clear)(void))
{
	write_clear = clear;
}

/* Writes at most what poll has promised: the fd is shared, so it cannot be made non-blocking. */
static void sink_write(struct sink *s)
{
	size_t len = s->queue.len - s->done;
	ssize_t n;

	if (write_clear != NULL && !s->file)
		write_clear();
	n = write(s->fd, s->queue.v + s->done, !s->file && len > PIPE_BUF ? PIPE_BUF : len);

	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		s->err = errno;
		sink_break(s);
		if (s->err != EPIPE)
			write_refused(s);
		return;
	}
	s->done += n > 0 ? (size_t)n : 0;
	if (s->done == s->queue.len) {
		s->done = s->queue.len = 0;
	} else if (s->done > s->queue.cap / 2) {
		memmove(s->queue.v, s->queue.v + s->done, s->queue.len - s->done);
		s->queue.len -= s->done;
		s->done = 0;
	}
}

void out_polls(struct pollfd *p)
{
	for (int i = 0; i < 2; i++) {
		struct sink *s = &out.sink[i];
		size_t len = s->queue.len - s->done;
		bool want = s->open > 0 && !sink_full(s);

		p[2 * i] = (struct pollfd){.fd = -1, .events = POLLIN};
		if (want)
			p[2 * i].fd = s->speaker != NULL ? s->speaker->fd : s->epfd;
		p[2 * i + 1] = (struct pollfd){.fd = len > 0 ? s->fd : -1, .events = POLLOUT};
	}
}

/* Writes unfinished lines that have waited long enough on a terminal; ends an idle speaker. */
static void sink_tick(struct sink *s, uint64_t now)
{
	if (s->speaker != NULL && now - s->speaker->last_ns >= OUT_SPEAKER_MS * NS_PER_MS)
		s->speaker = NULL;
	if (!s->tty || s->parts == 0 || s->speaker != NULL)
		return;
	for (int i = 0; i < out.nstreams; i++) {
		struct stream *t = out.stream[i];

		if (t->sink == s && t->part.len > 0 && now - t->last_ns >= OUT_PART_MS * NS_PER_MS)
			part_put(t);
	}
}

void out_work(const struct pollfd *p, uint64_t now_ns)
{
	for (int i = 0; i < 2; i++) {
		struct sink *s = &out.sink[i];

		if (p[2 * i + 1].fd >= 0 && p[2 * i + 1].revents != 0)
			sink_write(s);
		if (p[2 * i].fd >= 0 && p[2 * i].revents != 0 && s->open > 0)
			sink_read(s, now_ns);
		sink_tick(s, now_ns);
		sink_take(s, now_ns);
	}
}

int out_timeout(uint64_t now_ns)
{
	int ms = -1;

	for (int i = 0; i < 2; i++) {
		struct sink *s = &out.sink[i];
		int mine = -1;

		if (s->speaker != NULL)
			mine = OUT_SPEAKER_MS + 1 -
			       (int)((now_ns - s->speaker->last_ns) / NS_PER_MS);
		else if (s->tty && s->parts > 0)
			mine = OUT_PART_MS;
		if (mine >= 0 && (ms < 0 || mine < ms))
			ms = mine;
	}
	return ms;
}

/* Reads at most one pipe's capacity: background children of the rank may continue to write. */
static void pipe_read(struct stream *t, uint64_t now)
{
	for (size_t n = 0; n < OUT_PART_MAX / PIPE_BUF && t->fd >= 0; n++)
		if ((t->sink->speaker != NULL && t->sink->speaker != t) || !stream_read(t, now))
			return;
}

void out_rest(int rank, uint64_t now_ns)
{
	for (int which = 0; which < 2; which++)
		pipe_read(stream_of(rank, which), now_ns);
}

bool out_open(void)
{
	return out.sink[0].open + out.sink[1].open > 0;
}

bool out_pending(void)
{
	return out.sink[0].queue.len > 0 || out.sink[1].queue.len > 0;
}

bool out_broken(void)
{
	return out.sink[0].broken || out.sink[1].broken;
}

/* Detects errors that file systems report at close; the fd itself stays open. */
static void sink_close(struct sink *s)
{
	int copy = s->broken || !s->file ? -1 : dup(s->fd);

	if (copy < 0 || close(copy) == 0 || errno == EINTR)
		return;
	s->err = errno;
	s->broken = true;
	write_refused(s);
}

int out_fini(void)
{
	const char *bad = outfile_fini();
	int code = bad != NULL || out.refused ? 1 : 0;

	if (bad != NULL)
		fprintf(stderr, "mpiexec: cannot write to %s: %s\n", bad, strerror(errno));

	for (int i = 0; i < 2; i++) {
		struct sink *s = &out.sink[i];

		sink_close(s);
		if (s->err != 0 && code != 1)
			code = s->err == EPIPE ? 128 + SIGPIPE : 1;
	}
	return code;
}

/* Ends a stream after reading its pipe, which may hold output of the rank itself. */
static void stream_cut(struct stream *t, uint64_t now)
{
	if (t->fd >= 0)
		pipe_read(t, now);
	if (t->open && t->pending.len > 0)
		stream_take(t, t->pending.v, t->pending.len, now);
	if (t->open)
		stream_end(t);
}

void out_cut(uint64_t now_ns)
{
	for (int i = 0; i < 2; i++)
		if (out.sink[i].speaker != NULL)
			stream_cut(out.sink[i].speaker, now_ns);
	for (int i = 0; i < out.nstreams; i++)
		if (out.stream[i]->open)
			stream_cut(out.stream[i], now_ns);
}

void out_cut_rank(int r, uint64_t now_ns)
{
	for (int which = 0; which < 2; which++)
		if (stream_of(r, which)->open)
			stream_cut(stream_of(r, which), now_ns);
}

bool out_stream_open(int r)
{
	return stream_of(r, 0)->open || stream_of(r, 1)->open;
}

void out_forget(int r)
{
	for (int which = 0; which < 2; which++) {
		struct stream *t = stream_of(r, which);

		part_put(t);
		if (t->sink != NULL && t->sink->mid == t)
			t->sink->mid = NULL;
		t->begun = false;
		t->file = NULL;
	}
}

void out_say_raw(const char *line)
{
	struct sink *s = out.say;

	if (s->mid != NULL) {
		sink_put(s, "\n", 1);
		s->mid->begun = false;
		s->mid = NULL;
	}
	sink_put(s, line, strlen(line));
	sink_put(s, "\n", 1);
}

void out_say(const char *fmt, ...)
{
	va_list ap;
	char *words, *line;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&words, fmt, ap);
	va_end(ap);
	if (len < 0)
		return;
	if (out.say != NULL) {
		line = text_new("mpiexec: %s", words);
		out_say_raw(line);
		free(line);
	} else {
		fprintf(stderr, "%s\n", words); /* a proxy: output.h */
	}
	free(words);
}
