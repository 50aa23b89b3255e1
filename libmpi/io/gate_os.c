// SPDX-License-Identifier: BSD-3-Clause
/* gate_os.c - see gate.h.  Locks are those of open file descriptions: a process has several. */
#include "libmpi/io/gate.h"

#include "libmpi/core/library_lock.h"
#include "libmpi/io/io.h"
#include "libmpi/io/lock.h"
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

/* Locks of one descriptor are one: its threads share the gate by a count. */
static pthread_mutex_t gate_mutex = PTHREAD_MUTEX_INITIALIZER;

static int64_t gate_mark_of(const struct io_file *f)
{
	return IO_GATE_BYTE + 1 + (int64_t)(f->number % (uint64_t)IO_GATE_MARKS);
}

static bool gate_lock(const struct io_file *f, int command, short kind, int64_t at)
{
	return io_lock_fcntl(f, command, kind, at, at + 1) == 0;
}

/* Has no other open a lock in [lo, hi)? */
static bool gate_is_free(const struct io_file *f, int64_t lo, int64_t hi)
{
	struct flock range = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = lo, .l_len = hi - lo};

	return lo == hi || (fcntl(f->fd, F_OFD_GETLK, &range) == 0 && range.l_type == F_UNLCK);
}

void io_gate_mark(struct io_file *f)
{
	bool had = haft_user_begin();

	gate_lock(f, F_OFD_SETLK, f->readable ? F_RDLCK : F_WRLCK, gate_mark_of(f));
	if (!gate_is_free(f, IO_GATE_BYTE, IO_GATE_BYTE + 1) &&
		gate_lock(f, F_OFD_SETLKW, F_WRLCK, IO_GATE_BYTE))
		gate_lock(f, F_OFD_SETLK, F_UNLCK, IO_GATE_BYTE);
	haft_user_end(had);
}

bool io_gate_enter(struct io_file *f)
{
	int64_t mark = gate_mark_of(f);
	bool in = true;

	if ((f->amode & MPI_MODE_UNIQUE_OPEN) != 0)
		return true;
	pthread_mutex_lock(&gate_mutex);
	if (f->gate == 0)
		in = gate_lock(f, F_OFD_SETLKW, F_RDLCK, IO_GATE_BYTE);
	f->gate += in;
	pthread_mutex_unlock(&gate_mutex);
	if (!in)
		return false;
	if (gate_is_free(f, IO_GATE_BYTE + 1, mark) &&
		gate_is_free(f, mark + 1, IO_GATE_BYTE + 1 + IO_GATE_MARKS))
		return true;
	io_gate_leave(f);
	return false;
}

void io_gate_leave(struct io_file *f)
{
	if ((f->amode & MPI_MODE_UNIQUE_OPEN) != 0)
		return;
	pthread_mutex_lock(&gate_mutex);
	if (--f->gate == 0)
		gate_lock(f, F_OFD_SETLK, F_UNLCK, IO_GATE_BYTE);
	pthread_mutex_unlock(&gate_mutex);
}
