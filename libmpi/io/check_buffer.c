// SPDX-License-Identifier: BSD-3-Clause
/* check_buffer.c - HAFT_CHECK=io: the program leaves the buffer of a pending access alone.
 *
 *      write   sum at the begin ──────────────────────────────────────── the same at the end?
 *      read    sum at the begin ── the bytes come into memory of ours ── the same at the end?  copy
 *
 * So bytes that the program writes into the buffer of a read are found.  Bytes that it reads there
 * are the old ones, each time. */
#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/io/check.h"
#include "libmpi/io/rep.h"
#include "libmpi/type/type.h"
#include <stdlib.h>

struct io_check_buffer {
	char *buf; /* the program's, as it gave it */
	int64_t count;
	struct type *type; /* held */
	uint64_t sum;
	bool changed; /* seen at the end */
	char *stage;  /* malloc'ed: of a read; NULL: the buffer does not change before the end */
};

static uint64_t check_buffer_sum(const struct io_check_buffer *b)
{
	unsigned char part[4096];
	int64_t bytes = b->count * b->type->size;
	uint64_t sum = 0xcbf29ce484222325u;

	for (int64_t at = 0, n; at < bytes; at += n) {
		n = num_min(bytes - at, (int64_t)sizeof(part));
		type_pack(b->type, b->buf, b->count, at, part, n);
		for (int64_t i = 0; i < n; i++)
			sum = (sum ^ part[i]) * 0x100000001b3u;
	}
	return sum;
}

void io_check_buffer_begin(struct io_job *j)
{
	bool staged = j->direction == IO_READ && !io_rep_converts(j->view->rep);
	struct io_check_buffer *b = calloc(1, sizeof(*b));
	char *stage = staged ? malloc((size_t)j->bytes + 1) : NULL;

	if (b == NULL || (staged && stage == NULL)) { /* no memory: not watched */
		free(b);
		free(stage);
		return;
	}
	*b = (struct io_check_buffer){
		.buf = j->buf, .count = j->count, .type = j->type, .stage = stage};
	b->sum = check_buffer_sum(b);
	j->watched = b;
	if (!staged) {
		obj_hold(b->type);
		return;
	}
	j->buf = stage; /* b has the reference to the type */
	j->count = j->bytes;
	j->type = type_predefined(MPI_BYTE);
}

void io_check_buffer_end(struct io_check_buffer *b, int64_t moved)
{
	b->changed = check_buffer_sum(b) != b->sum;
	if (b->stage != NULL)
		type_unpack(b->type, b->buf, b->count, 0, b->stage, moved);
}

int io_check_buffer_error(const struct io_job *j)
{
	const struct io_check_buffer *b = j->watched;

	if (!b->changed)
		return 0;
	return haft_err(MPI_ERR_BUFFER,
		"the buffer of %lld bytes was changed before the nonblocking %s %s was complete",
		(long long)(b->count * b->type->size),
		j->direction == IO_WRITE ? "write to" : "read from", j->f->path);
}

void io_check_buffer_free(struct io_job *j)
{
	struct io_check_buffer *b = j->watched;

	j->watched = NULL;
	obj_drop(b->type);
	free(b->stage);
	free(b);
}
