// SPDX-License-Identifier: BSD-3-Clause
/* failing_disk.h - system calls on files that fail, are short or are slow when a test says so, in
 * place of libc's, for the whole process.  Only one .c file of a program may include it.
 *
 *      disk_arm(DISK_PWRITE, 3, ENOSPC)      the 3rd pwrite from now on fails, and all after it
 *      disk_arm(DISK_PREAD, 1, DISK_SHORT)   each pread moves half of its bytes
 *
 * Other libraries of MPI make other calls; it is for ours. */
#ifndef TESTS_FAILING_DISK_H
#define TESTS_FAILING_DISK_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* F_OFD_SETLK and F_OFD_SETLKW, which plain C does not show. */
enum { DISK_OFD_SETLK = 37, DISK_OFD_SETLKW = 38 };

enum disk_call { DISK_PREAD, DISK_PWRITE, DISK_SYNC, DISK_TRUNCATE, DISK_LOCK, DISK_CALLS };

/* Instead of an errno. */
#define DISK_SHORT 10001 /* half of the bytes, at least one */
#define DISK_EINTR 10002 /* every other call is interrupted, and then they are short */
#define DISK_SLOW  10003 /* 50 ms more */
#define DISK_KILL  10004 /* the process dies */
#define DISK_STOP  10005 /* it is stopped for 300 ms, once */
#define DISK_HANG  10006 /* the call does not return */

static struct {
	_Atomic int left;  /* calls that still succeed; < 0: the following fail */
	_Atomic int how;   /* an errno or DISK_...; 0: nothing */
	_Atomic int calls; /* of this kind so far */
	_Atomic int failures;
} disk[DISK_CALLS];

/* From the `nth' call of this kind on (1: the next), calls go wrong. */
static inline void disk_arm(enum disk_call call, int nth, int how)
{
	disk[call].left = nth - 1;
	disk[call].how = how;
}

static inline void disk_disarm(void)
{
	for (int i = 0; i < DISK_CALLS; i++)
		disk[i].how = 0;
}

/* A child lets this process go on. */
static inline void disk_stop(enum disk_call call)
{
	pid_t me = getpid();

	disk[call].how = 0;
	if (fork() == 0) {
		nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
		kill(me, SIGCONT);
		_exit(0);
	}
	raise(SIGSTOP);
}

/* false: the call fails, with errno.  *n: bytes that it may move. */
static inline bool disk_allows(enum disk_call call, size_t *n)
{
	int nth = atomic_fetch_add(&disk[call].calls, 1), how = disk[call].how;

	if (how == 0 || atomic_fetch_sub(&disk[call].left, 1) > 0)
		return true;
	atomic_fetch_add(&disk[call].failures, 1);
	if (how == DISK_SLOW)
		nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
	if (how == DISK_KILL)
		raise(SIGKILL);
	while (how == DISK_HANG)
		pause();
	if (how == DISK_STOP)
		disk_stop(call);
	if (how == DISK_EINTR && nth % 2 == 0) {
		errno = EINTR;
		return false;
	}
	if (how == DISK_SHORT || how == DISK_EINTR)
		*n = *n > 1 ? *n / 2 : *n;
	if (how >= DISK_SHORT)
		return true;
	errno = how;
	return false;
}

ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	return disk_allows(DISK_PREAD, &n) ? syscall(SYS_pread64, fd, buf, n, at) : -1;
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	return disk_allows(DISK_PWRITE, &n) ? syscall(SYS_pwrite64, fd, buf, n, at) : -1;
}

/* A short vector is its first piece, cut. */
static inline ssize_t disk_vector(
	enum disk_call call, int fd, const struct iovec *vec, int n, off_t at)
{
	size_t first = vec[0].iov_len;

	if (!disk_allows(call, &first))
		return -1;
	if (first < vec[0].iov_len)
		return call == DISK_PREAD ? syscall(SYS_pread64, fd, vec[0].iov_base, first, at)
					  : syscall(SYS_pwrite64, fd, vec[0].iov_base, first, at);
	return syscall(call == DISK_PREAD ? SYS_preadv : SYS_pwritev, fd, vec, n, at, at >> 32);
}

ssize_t preadv(int fd, const struct iovec *vec, int n, off_t at)
{
	return disk_vector(DISK_PREAD, fd, vec, n, at);
}

ssize_t pwritev(int fd, const struct iovec *vec, int n, off_t at)
{
	return disk_vector(DISK_PWRITE, fd, vec, n, at);
}

int fdatasync(int fd)
{
	size_t one = 1;

	return disk_allows(DISK_SYNC, &one) ? (int)syscall(SYS_fdatasync, fd) : -1;
}

int ftruncate(int fd, off_t to)
{
	size_t one = 1;

	return disk_allows(DISK_TRUNCATE, &one) ? (int)syscall(SYS_ftruncate, fd, to) : -1;
}

/* Only locks fail. */
int fcntl(int fd, int command, ...)
{
	bool lock = command == F_SETLK || command == F_SETLKW || command == DISK_OFD_SETLK ||
		    command == DISK_OFD_SETLKW;
	size_t one = 1;
	va_list args;
	long arg;

	va_start(args, command);
	arg = va_arg(args, long);
	va_end(args);
	if (lock && !disk_allows(DISK_LOCK, &one))
		return -1;
	return (int)syscall(SYS_fcntl, fd, command, arg);
}

#endif
