// SPDX-License-Identifier: BSD-3-Clause
/* sieve_lock_os.c - see sieve_lock.h.  Locks are those of open file descriptions, of which a
 * process has several. */
#include "libmpi/io/sieve_lock.h"

#include "libmpi/core/library_lock.h"
#include "libmpi/io/io.h"
#include "libmpi/io/lock.h"
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

/* Locks of one descriptor are one: its threads share the sieve lock by a count. */
static pthread_mutex_t sieve_mutex = PTHREAD_MUTEX_INITIALIZER;

static int64_t sieve_mark_of(const struct io_file *f)
{
	return IO_SIEVE_LOCK_BYTE + 1 + (int64_t)(f->number % (uint64_t)IO_SIEVE_LOCK_MARKS);
}

static bool sieve_lock_fcntl(const struct io_file *f, int command, short kind, int64_t at)
{
	return io_lock_fcntl(f, command, kind, at, at + 1) == 0;
}

/* Has no other open a lock in [lo, hi)? */
static bool sieve_lock_is_free(const struct io_file *f, int64_t lo, int64_t hi)
{
	struct flock range = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = lo, .l_len = hi - lo};

	return lo == hi || (fcntl(f->fd, F_OFD_GETLK, &range) == 0 && range.l_type == F_UNLCK);
}

void io_sieve_lock_mark(struct io_file *f)
{
	bool had = haft_user_begin();

	sieve_lock_fcntl(f, F_OFD_SETLK, f->readable ? F_RDLCK : F_WRLCK, sieve_mark_of(f));
	if (!sieve_lock_is_free(f, IO_SIEVE_LOCK_BYTE, IO_SIEVE_LOCK_BYTE + 1) &&
		sieve_lock_fcntl(f, F_OFD_SETLKW, F_WRLCK, IO_SIEVE_LOCK_BYTE))
		sieve_lock_fcntl(f, F_OFD_SETLK, F_UNLCK, IO_SIEVE_LOCK_BYTE);
	haft_user_end(had);
}

bool io_sieve_lock_take(struct io_file *f)
{
	int64_t mark = sieve_mark_of(f);
	bool in = true;

	if ((f->amode & MPI_MODE_UNIQUE_OPEN) != 0)
		return true;
	pthread_mutex_lock(&sieve_mutex);
	if (f->sieving == 0)
		in = sieve_lock_fcntl(f, F_OFD_SETLKW, F_RDLCK, IO_SIEVE_LOCK_BYTE);
	f->sieving += in;
	pthread_mutex_unlock(&sieve_mutex);
	if (!in)
		return false;
	if (sieve_lock_is_free(f, IO_SIEVE_LOCK_BYTE + 1, mark) &&
		sieve_lock_is_free(f, mark + 1, IO_SIEVE_LOCK_BYTE + 1 + IO_SIEVE_LOCK_MARKS))
		return true;
	io_sieve_lock_drop(f);
	return false;
}

void io_sieve_lock_drop(struct io_file *f)
{
	if ((f->amode & MPI_MODE_UNIQUE_OPEN) != 0)
		return;
	pthread_mutex_lock(&sieve_mutex);
	if (--f->sieving == 0)
		sieve_lock_fcntl(f, F_OFD_SETLK, F_UNLCK, IO_SIEVE_LOCK_BYTE);
	pthread_mutex_unlock(&sieve_mutex);
}
