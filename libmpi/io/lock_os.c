// SPDX-License-Identifier: BSD-3-Clause
/* lock_os.c - the kernel's locks on ranges of a file.
 *
 * Locks of an open file description (OFD) belong to one open, not to a process: two handles of one
 * process exclude each other, and to close another descriptor of the file drops none.  They vanish
 * with the process.  A kernel without them has the older locks of a process. */
#include "libmpi/io/lock.h"

#include "libmpi/io/disk.h"
#include "libmpi/io/sieve_lock.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

int io_lock_fcntl(const struct io_file *f, int command, short kind, int64_t lo, int64_t hi)
{
	struct flock range = {.l_type = kind,
		.l_whence = SEEK_SET,
		.l_start = lo,
		.l_len = hi == INT64_MAX ? 0 : hi - lo};
	int rc;

	do
		rc = fcntl(f->fd, command, &range);
	while (rc != 0 && errno == EINTR);
	return rc == 0 ? 0 : errno;
}

/* The end of a lock on data: the bytes of the sieve lock are locked by others. */
static int64_t lock_data_end(int64_t lo, int64_t hi)
{
	return lo < IO_SIEVE_LOCK_BYTE && hi > IO_SIEVE_LOCK_BYTE ? IO_SIEVE_LOCK_BYTE : hi;
}

int io_lock_kernel_try(const struct io_file *f)
{
	const int64_t behind = INT64_MAX - 1; /* no access is there */
	short kind = (f->amode & MPI_MODE_WRONLY) != 0 ? F_WRLCK : F_RDLCK;
	int os_error = io_lock_fcntl(f, F_OFD_SETLK, kind, behind, INT64_MAX);

	if (os_error == EINVAL)
		os_error = io_lock_fcntl(f, F_SETLK, kind, behind, INT64_MAX);
	if (os_error == EAGAIN || os_error == EACCES)
		return 0; /* another process has it */
	if (os_error != 0)
		return io_disk_error(f, os_error, "a lock");
	io_unlock_kernel(f, behind, INT64_MAX);
	return 0;
}

int io_lock_kernel(const struct io_file *f, int64_t lo, int64_t hi, enum io_lock_mode mode)
{
	short kind = mode == IO_LOCK_SHARED ? F_RDLCK : F_WRLCK;
	int os_error;

	hi = lock_data_end(lo, hi);
	os_error = io_lock_fcntl(f, F_OFD_SETLKW, kind, lo, hi);

	if (os_error == EINVAL)
		os_error = io_lock_fcntl(f, F_SETLKW, kind, lo, hi);
	if (os_error == 0)
		return 0;
	return io_disk_error(f, os_error, "%s lock of bytes %lld to %lld",
		mode == IO_LOCK_SHARED ? "shared" : "exclusive", (long long)lo, (long long)hi);
}

void io_unlock_kernel(const struct io_file *f, int64_t lo, int64_t hi)
{
	hi = lock_data_end(lo, hi);
	if (io_lock_fcntl(f, F_OFD_SETLK, F_UNLCK, lo, hi) == EINVAL)
		io_lock_fcntl(f, F_SETLK, F_UNLCK, lo, hi);
}

/* The signal that another open waits: by default it is ignored.  The usual one, SIGIO, would end
 * the process. */
bool io_sole_take(const struct io_file *f)
{
	return fcntl(f->fd, F_SETSIG, SIGURG) == 0 && fcntl(f->fd, F_SETLEASE, F_WRLCK) == 0;
}

void io_sole_give(const struct io_file *f)
{
	fcntl(f->fd, F_SETLEASE, F_UNLCK);
}

uint32_t io_lock_pid_ns(void)
{
	static _Atomic uint32_t pid_ns;
	uint32_t known = atomic_load_explicit(&pid_ns, memory_order_relaxed);
	struct stat st;

	if (known != 0)
		return known;
	known = stat("/proc/self/ns/pid", &st) == 0 ? (uint32_t)st.st_ino | 1 : 0;
	atomic_store_explicit(&pid_ns, known, memory_order_relaxed);
	return known;
}

/* A system call each time would cost more than the lock.  A forked child makes no calls of MPI. */
int32_t io_lock_process(void)
{
	static _Atomic int32_t me;
	int32_t known = atomic_load_explicit(&me, memory_order_relaxed);

	if (known == 0) {
		known = (int32_t)getpid();
		atomic_store_explicit(&me, known, memory_order_relaxed);
	}
	return known;
}

bool io_lock_process_gone(int32_t pid, uint32_t pid_ns)
{
	return pid != 0 && pid_ns != 0 && pid_ns == io_lock_pid_ns() && kill(pid, 0) != 0 &&
	       errno == ESRCH;
}
