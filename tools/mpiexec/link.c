// SPDX-License-Identifier: BSD-3-Clause
/* link.c - see link.h. */
#include "tools/mpiexec/link.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tools/mpiexec/local_ranks.h"
#include "tools/mpiexec/job_plan.h"

#define READ_LEN     65536
#define READ_MAX     16    /* reads per call, so that other links get their turn */
#define PREAMBLE_MAX 65536 /* bytes of unterminated text before the hello */
#define HELLO        "HAFT-PROXY "

/* Everything that must be equal at both ends: structs are sent as they are in memory. */
const char *link_hello(void)
{
	static char *line;

	if (line == NULL)
		line = text_new(HELLO HAFT_VERSION " wire 1, %d kinds, order %s, sizes %zu %zu %zu",
			FRAME_KINDS, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "LE" : "BE",
			sizeof(struct proxy_frame), sizeof(struct rank_view), sizeof(long));
	return line;
}

void link_open(struct proxy_link *l, int in, int out, uint64_t now)
{
	*l = (struct proxy_link){.in = in, .out = out, .read_ns = now, .written_ns = now};
	fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
	fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
}

void link_close(struct proxy_link *l)
{
	if (l->in >= 0)
		close(l->in);
	if (l->out >= 0)
		close(l->out);
	free(l->got.v);
	free(l->queue.v);
	*l = (struct proxy_link){.in = -1, .out = -1, .hello = l->hello, .trouble = l->trouble};
}

void link_put(struct proxy_link *l, const struct proxy_frame *f, const void *v)
{
	if (l->out < 0)
		return;
	marshal_put(&l->queue, f, sizeof(*f));
	marshal_put(&l->queue, v, f->len);
}

bool link_write(struct proxy_link *l, uint64_t now)
{
	struct marshal *q = &l->queue;

	while (l->out >= 0 && q->at < q->len) {
		ssize_t n = write(l->out, q->v + q->at, q->len - q->at);

		if (n < 0 && errno == EAGAIN)
			return true;
		if (n < 0 && errno != EINTR) {
			l->trouble = errno == EPIPE ? NULL : strerror(errno);
			return false;
		}
		q->at += n > 0 ? (size_t)n : 0;
		l->written_ns = now;
	}
	q->at = q->len = 0;
	return true;
}

/* Drops the first n received bytes. */
static void got_drop(struct proxy_link *l, size_t n)
{
	memmove(l->got.v, l->got.v + n, l->got.len - n);
	l->got.len -= n;
}

/* Reads lines up to and including the hello.  Returns false if the hello is of another version. */
static bool hello_read(struct proxy_link *l, link_preamble_fn *preamble, void *arg)
{
	const char *nl;

	while (!l->hello && l->got.len > 0 && (nl = memchr(l->got.v, '\n', l->got.len)) != NULL) {
		size_t len = (size_t)(nl - l->got.v);
		char *line = text_new("%.*s", (int)len, l->got.v);
		bool like = strncmp(line, HELLO, strlen(HELLO)) == 0;

		l->hello = strcmp(line, link_hello()) == 0;
		if (!like)
			preamble(arg, line);
		free(line);
		got_drop(l, len + 1);
		if (like && !l->hello) {
			l->trouble = "its mpiexec is of another version";
			return false;
		}
	}
	if (!l->hello && l->got.len > PREAMBLE_MAX)
		got_drop(l, l->got.len);
	return true;
}

static bool frames_read(struct proxy_link *l, link_take_fn *take, void *arg)
{
	size_t at = 0;
	struct proxy_frame f;

	while (l->in >= 0 && l->got.len - at >= sizeof(f)) {
		memcpy(&f, l->got.v + at, sizeof(f));
		if (f.kind >= FRAME_KINDS || f.len > FRAME_MAX) {
			l->trouble = "it sent garbage";
			return false;
		}
		if (l->got.len - at - sizeof(f) < f.len)
			break;
		take(arg, &f, l->got.v + at + sizeof(f));
		at += sizeof(f) + f.len;
	}
	if (l->in >= 0 && at > 0)
		got_drop(l, at);
	return true;
}

bool link_read(struct proxy_link *l, link_take_fn *take, link_preamble_fn *preamble, void *arg,
	uint64_t now)
{
	static char buf[READ_LEN];

	for (int i = 0; i < READ_MAX && l->in >= 0; i++) {
		ssize_t n = read(l->in, buf, sizeof(buf));

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return true;
		if (n <= 0) {
			l->trouble = n < 0 ? strerror(errno) : NULL;
			return false;
		}
		l->read_ns = now;
		marshal_put(&l->got, buf, (size_t)n);
		if (!l->hello && !hello_read(l, preamble, arg))
			return false;
		if (l->hello && !frames_read(l, take, arg))
			return false;
	}
	return l->in >= 0;
}
