// SPDX-License-Identifier: BSD-3-Clause
/* stream_os.c - pipes and devices, which have no positions (MPI_MODE_SEQUENTIAL, MPI-5.0 14.2.1).
 *
 *      shared pointer    rank 0: [0, 100)   rank 2: [100, 180)   rank 1: [180, 300)
 *      shared->stream    0 ───────────────> 100 ───────────────> 180
 *                                            └── rank 2's turn: its bytes go now
 *
 * The shared pointer gives each access its place; here it waits until all before it are through.
 * A blocking access waits in progress; a worker takes another one when its turn has come.  An
 * access keeps its turn for all its bytes.  It passes the turn on after an error and at the end of
 * the stream, too, but never before its turn has come.  A failed access does not give its place
 * back: bytes before it and behind it have gone.
 *
 * A process may die in its turn, or before it.  Then it is not known which bytes the pipe has: the
 * accesses behind it fail, and do not pass their turns on.  So each member shows the others its
 * lowest place that is not through (shared->starts).  Those before it go on, and a process that
 * dies without a place stops no other. */
#include "libmpi/io/disk.h"

#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/num.h"
#include "libmpi/io/shared.h"
#include "libmpi/io/view.h"
#include "libmpi/p2p/p2p.h"
#include <errno.h>
#include <mpi-ext.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define STREAM_CALL_MAX 0x7ffff000 /* bytes that Linux moves in one call */
#define STREAM_NAP_MIN  1000       /* ns; doubled up to STREAM_NAP_MAX */
#define STREAM_NAP_MAX  1000000

/* An access that waits for its turn. */
struct stream_turn {
	const struct io_job *j;
	uint32_t nap_ns; /* other processes do not wake this one */
};

static bool stream_has_come(const struct io_file *f, int64_t at)
{
	return atomic_load(&f->shared->stream) >= at;
}

/* --- places of this process ----------------------------------------------------------------- */

struct io_starts {
	pthread_mutex_t mutex; /* no thread holds it while it waits */
	int64_t *at;           /* malloc'ed, `room': first bytes of places; ascending */
	int n, room;
	int taking;    /* threads that are about to take one */
	int64_t bound; /* no place that they take begins before it */
};

/* Under the mutex.  Shows the lowest place that is not through. */
static void starts_show(const struct io_file *f)
{
	struct io_starts *p = f->starts;
	int64_t through = atomic_load(&f->shared->stream), lowest = INT64_MAX;
	int gone = 0;

	while (gone < p->n && p->at[gone] < through)
		gone++;
	p->n -= gone;
	if (gone > 0)
		memmove(p->at, p->at + gone, (size_t)p->n * sizeof(p->at[0]));
	if (p->n > 0)
		lowest = p->at[0];
	if (p->taking > 0)
		lowest = num_min(lowest, p->bound);
	atomic_store(&f->shared->member[f->rank].start, lowest == INT64_MAX ? 0 : lowest + 1);
}

/* Makes room for one more place of each thread that takes one. */
static bool starts_grow(struct io_starts *p)
{
	int room = p->n + p->taking + 1;
	int64_t *more;

	if (room <= p->room)
		return true;
	more = realloc(p->at, 2 * (size_t)room * sizeof(*more));
	if (more == NULL)
		return false;
	p->at = more;
	p->room = 2 * room;
	return true;
}

int io_stream_reserve_begin(const struct io_job *j)
{
	struct io_file *f = j->f;
	int64_t now = atomic_load(&f->shared->pointer[f->word]);
	int64_t bound = io_view_byte(j->view, now * j->view->unit);
	bool grown;

	if (f->starts == NULL) {
		f->starts = calloc(1, sizeof(*f->starts));
		if (f->starts != NULL)
			pthread_mutex_init(&f->starts->mutex, NULL);
	}
	if (f->starts == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a place in %s", f->path);
	pthread_mutex_lock(&f->starts->mutex);
	grown = starts_grow(f->starts);
	if (grown) {
		if (f->starts->taking++ == 0 || bound < f->starts->bound)
			f->starts->bound = bound;
		starts_show(f);
	}
	pthread_mutex_unlock(&f->starts->mutex);
	return grown ? 0 : haft_err(MPI_ERR_NO_MEM, "no memory for a place in %s", f->path);
}

void io_stream_reserve_end(const struct io_job *j)
{
	struct io_starts *p = j->f->starts;
	int64_t at = j->placed && j->err == 0 ? io_view_byte(j->view, j->at) : -1;
	int i;

	pthread_mutex_lock(&p->mutex);
	p->taking--;
	if (at >= 0) {
		for (i = p->n++; i > 0 && p->at[i - 1] > at; i--)
			p->at[i] = p->at[i - 1];
		p->at[i] = at;
	}
	starts_show(j->f);
	pthread_mutex_unlock(&p->mutex);
}

void io_stream_starts_free(struct io_file *f)
{
	if (f->starts == NULL)
		return;
	pthread_mutex_destroy(&f->starts->mutex);
	free(f->starts->at);
	free(f->starts);
}

/* --- turns ---------------------------------------------------------------------------------- */

/* Has the access at this byte lost its turn? */
static bool stream_is_lost(const struct io_file *f, int64_t at)
{
	int64_t lost = atomic_load(&f->lost);

	return atomic_load(&f->revoked) || (lost != 0 && at > lost - 1);
}

static bool stream_is_over(void *arg)
{
	struct stream_turn *t = arg;

	t->nap_ns = (uint32_t)num_min(2 * (int64_t)t->nap_ns, STREAM_NAP_MAX);
	return io_stream_is_turn(t->j);
}

void io_stream_wait(const struct io_job *j)
{
	struct stream_turn t = {.j = j, .nap_ns = STREAM_NAP_MIN};
	const struct p2p_condition over = {.ready = stream_is_over, .arg = &t, .nap_ns = &t.nap_ns};

	p2p_progress_until(&over);
}

static int stream_lost(const struct io_file *f)
{
	return haft_err(atomic_load(&f->revoked) ? MPIX_ERR_REVOKED : MPIX_ERR_PROC_FAILED,
		"a member of %s has failed, or the file is revoked: the turn of this access will "
		"not come",
		f->path);
}

/* It is this access's turn; its bytes up to `end' are through, or never will be. */
static void stream_pass(const struct io_file *f, int64_t end)
{
	int64_t now = atomic_load(&f->shared->stream);

	while (now < end && !atomic_compare_exchange_weak(&f->shared->stream, &now, end))
		;
	if (f->starts == NULL)
		return;
	pthread_mutex_lock(&f->starts->mutex);
	starts_show(f);
	pthread_mutex_unlock(&f->starts->mutex);
}

bool io_stream_is_turn(const struct io_job *j)
{
	int64_t at = io_view_byte(j->view, j->at);

	return stream_has_come(j->f, at) || stream_is_lost(j->f, at);
}

void io_stream_pass(const struct io_job *j)
{
	int64_t at = io_view_byte(j->view, j->at);

	if (j->bytes > 0 && stream_has_come(j->f, at))
		stream_pass(j->f, at + j->bytes);
}

/* As write(2); a pipe without a reader is EPIPE, and no signal that ends the process. */
static ssize_t stream_write(int fd, const char *buf, size_t n)
{
	const struct timespec now = {.tv_nsec = 0};
	sigset_t broken, before, pending;
	ssize_t got;
	int os_error;

	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &broken, &before);
	sigpending(&pending);
	got = write(fd, buf, n);
	os_error = errno;
	if (got < (ssize_t)n && !sigismember(&pending, SIGPIPE)) /* also after a part has gone */
		sigtimedwait(&broken, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = os_error;
	return got;
}

/* Moves n bytes; a read stops at the end.  Returns errno, or 0. */
static int stream_bytes(
	const struct io_file *f, enum io_direction direction, char *buf, int64_t n, int64_t *moved)
{
	int64_t got = 1;

	for (*moved = 0; *moved < n && got > 0; *moved += got) {
		size_t most = (size_t)num_min(n - *moved, STREAM_CALL_MAX);

		do
			got = direction == IO_READ ? read(f->fd, buf + *moved, most)
						   : stream_write(f->fd, buf + *moved, most);
		while (got < 0 && errno == EINTR);
		if (got < 0)
			return errno;
	}
	return 0;
}

int io_stream_movev(const struct io_file *f, enum io_direction direction, const struct iovec *vec,
	int nvec, int64_t at, int64_t *moved)
{
	int64_t all = 0, part;
	int os_error = 0;
	bool had;

	*moved = 0;
	if (!stream_has_come(f, at))
		return stream_lost(f);
	had = haft_user_begin();
	for (int i = 0; i < nvec; i++) {
		int64_t n = (int64_t)vec[i].iov_len;

		if (os_error == 0 && *moved == all) {
			os_error = stream_bytes(f, direction, vec[i].iov_base, n, &part);
			*moved += part;
		}
		all += n;
	}
	stream_pass(f, at + all);
	haft_user_end(had);
	if (os_error == 0)
		return 0;
	return io_disk_error(f, os_error, "%s of %lld bytes, after %lld,",
		direction == IO_READ ? "read" : "write", (long long)all, (long long)*moved);
}

int io_stream_move(const struct io_file *f, enum io_direction direction, void *buf, int64_t n,
	int64_t at, int64_t *moved)
{
	const struct iovec all = {.iov_base = buf, .iov_len = (size_t)n};

	return io_stream_movev(f, direction, &all, 1, at, moved);
}
