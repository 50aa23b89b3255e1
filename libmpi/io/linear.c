// SPDX-License-Identifier: BSD-3-Clause
/* linear.c - access to a range of the file without holes.
 *
 *      memory one piece          pread, pwrite         from the user's buffer
 *      long pieces               preadv, pwritev       LINEAR_VEC at a time
 *      short pieces              stage + pwrite        packed, a stage at a time
 *
 * A piece costs the kernel about as much as packing LINEAR_LONG bytes does.
 *
 * Writes of one file wait for each other in the kernel: it locks the inode while it copies.  So
 * members that write long pieces together do it part by part.  While one member has the lock, the
 * others bring their next parts into their caches, and then have the lock for a shorter time:
 *
 *      member 0   | write part 0 | fetch part 1 | write part 1 | fetch part 2 | ...
 *      member 1   | fetch part 0 | write part 0 | fetch part 1 | write part 1 | ... */
#include "libmpi/io/path.h"

#include "libmpi/core/err.h"
#include "libmpi/core/num.h"
#include "libmpi/type/runs.h"
#include "libmpi/type/type.h"
#include "libmpi/via/via.h"
#include <stdlib.h>
#include <sys/uio.h>

#define LINEAR_STAGE  MEAN_OR(64, 256 << 10) /* bytes: a part of the second-level cache */
#define LINEAR_LONG   MEAN_OR(16, 512)       /* average bytes of pieces that go by vectors */
#define LINEAR_VEC    256
#define LINEAR_SAMPLE 16                     /* pieces that tell how long pieces are */
#define LINEAR_PART   MEAN_OR(32, 128 << 10) /* bytes that any second-level cache has room for */

/* The average length of the first pieces of memory. */
static int64_t linear_average(const struct io_job *j)
{
	struct type_run run[LINEAR_SAMPLE];
	int64_t bytes;
	int n = type_runs(j->type, 0, j->bytes, run, countof(run), &bytes);

	return bytes / n;
}

static int linear_vec(struct io_job *j, int64_t at)
{
	struct type_run run[LINEAR_VEC];
	struct iovec vec[LINEAR_VEC];
	int64_t bytes, moved;
	int err = 0;

	while (err == 0 && j->moved < j->bytes) {
		int n = type_runs(j->type, j->moved, j->bytes - j->moved, run, LINEAR_VEC, &bytes);

		for (int i = 0; i < n; i++)
			vec[i] = (struct iovec){(char *)((uintptr_t)j->buf + (uintptr_t)run[i].off),
				(size_t)run[i].len};
		err = io_disk_movev(j->f, j->direction, vec, n, at + j->moved, &moved);
		j->moved += moved;
		if (moved < bytes)
			break; /* the end of the file, or an error */
	}
	return err;
}

static int linear_staged(struct io_job *j, int64_t at)
{
	int64_t room = num_min(j->bytes, LINEAR_STAGE), n, moved;
	char *stage = malloc((size_t)room);
	int err;

	if (stage == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for a stage of %lld bytes", (long long)room);
	do {
		n = num_min(room, j->bytes - j->moved);
		if (j->direction == IO_WRITE) {
			type_pack(j->type, j->buf, j->count, j->moved, stage, n);
			err = io_disk_write(j->f, stage, n, at + j->moved, &moved);
		} else {
			err = io_disk_read(j->f, stage, n, at + j->moved, &moved);
			type_unpack(j->type, j->buf, j->count, j->moved, stage, moved);
		}
		j->moved += moved;
	} while (err == 0 && moved == n && j->moved < j->bytes);
	free(stage);
	return err;
}

/* --- long pieces of several members ---------------------------------------------------------- */

/* Other hosts' locks of a file system are for longer ranges.  Where ranks share processors the one
 * that has the lock may not run, and each part would cost a switch. */
static bool linear_in_parts(const struct io_file *f, int64_t n)
{
	return n > LINEAR_PART && !f->alone && f->one_host && f->local_fs && !f->stream &&
	       !via.oversubscribed;
}

/* Asks for memory that the kernel will read; never faults. */
static void linear_fetch(const char *mem, int64_t n)
{
	for (int64_t i = 0; i < n; i += CACHE_LINE)
		__builtin_prefetch(mem + i, 0, 2);
}

int io_write_among(const struct io_file *f, const char *buf, int64_t n, int64_t at, int64_t *moved)
{
	int64_t part = 0;
	int err = 0;

	if (!linear_in_parts(f, n))
		return io_disk_write(f, buf, n, at, moved);
	for (*moved = 0; err == 0 && *moved < n; *moved += part) {
		int64_t next = at + *moved, most = LINEAR_PART - next % LINEAR_PART;

		most = num_min(most, n - *moved);
		linear_fetch(buf + *moved, most);
		err = io_disk_write(f, buf + *moved, most, next, &part);
	}
	return err;
}

int io_move_run(const struct io_job *j, char *mem, int64_t n, int64_t at, int64_t *moved)
{
	if (j->collective && j->form == IO_BLOCKING && j->direction == IO_WRITE)
		return io_write_among(j->f, mem, n, at, moved);
	return io_disk_move(j->f, (enum io_direction)j->direction, mem, n, at, moved);
}

/* --- one range ------------------------------------------------------------------------------- */

int io_linear(struct io_job *j)
{
	int64_t at = j->view->first + j->at;
	char *mem = type_contiguous_at(j->type, j->buf, j->count);

	if (mem != NULL) {
		io_count(&j->f->counts.direct, 1);
		return io_move_run(j, mem, j->bytes, at, &j->moved);
	}
	io_count(&j->f->counts.gathered, 1);
	return linear_average(j) >= LINEAR_LONG ? linear_vec(j, at) : linear_staged(j, at);
}
