// SPDX-License-Identifier: BSD-3-Clause
/* disk_os.c - the system calls on files, and their errors as classes of MPI.
 *
 *      io_disk_write(n bytes) ──> pwrite ── all moved ──> 0
 *                                    │ fewer: again with the rest     EINTR: again
 *                                    └─ error ──> disk_reasons: class, "ENOSPC", words
 *
 * Only this file knows errno.  Every call runs without the library's lock: another thread may work
 * meanwhile, and worker threads have no lock to give up. */
#include "libmpi/io/disk.h"

#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/num.h"
#include "libmpi/io/long_access.h"
#include "libmpi/io/open_pipe.h"
#include "libmpi/io/path.h"
#include "libmpi/via/via.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

#define DISK_CALL_MAX (64 << 20) /* bytes of a call: a report shows the progress */

/* --- errors --------------------------------------------------------------------------------- */

static const struct {
	int number, class;
	const char *name;
	const char *hint; /* for the user; or NULL */
} disk_reasons[] = {
	{ENOENT, MPI_ERR_NO_SUCH_FILE, "ENOENT", NULL},
	{EEXIST, MPI_ERR_FILE_EXISTS, "EEXIST", NULL},
	{EACCES, MPI_ERR_ACCESS, "EACCES", NULL},
	{EPERM, MPI_ERR_ACCESS, "EPERM", NULL},
	{EROFS, MPI_ERR_READ_ONLY, "EROFS", NULL},
	{ENOSPC, MPI_ERR_NO_SPACE, "ENOSPC", NULL},
	{EDQUOT, MPI_ERR_QUOTA, "EDQUOT", NULL},
	{EFBIG, MPI_ERR_IO, "EFBIG", "`ulimit -f' or the file system bounds the size of a file"},
	{EISDIR, MPI_ERR_BAD_FILE, "EISDIR", NULL},
	{ENOTDIR, MPI_ERR_BAD_FILE, "ENOTDIR", NULL},
	{ENAMETOOLONG, MPI_ERR_BAD_FILE, "ENAMETOOLONG", NULL},
	{ELOOP, MPI_ERR_BAD_FILE, "ELOOP", NULL},
	{ENXIO, MPI_ERR_BAD_FILE, "ENXIO", NULL},
	{ENODEV, MPI_ERR_BAD_FILE, "ENODEV", NULL},
	{ETXTBSY, MPI_ERR_FILE_IN_USE, "ETXTBSY", NULL},
	{EBUSY, MPI_ERR_FILE_IN_USE, "EBUSY", NULL},
	{ENOMEM, MPI_ERR_NO_MEM, "ENOMEM", NULL},
	{EMFILE, MPI_ERR_IO, "EMFILE", "`ulimit -n' bounds the number of open files"},
	{ENFILE, MPI_ERR_IO, "ENFILE", NULL},
	{ESPIPE, MPI_ERR_UNSUPPORTED_OPERATION, "ESPIPE",
		"a pipe or device needs MPI_MODE_SEQUENTIAL"},
	{EOPNOTSUPP, MPI_ERR_UNSUPPORTED_OPERATION, "EOPNOTSUPP", NULL},
	{ENOSYS, MPI_ERR_UNSUPPORTED_OPERATION, "ENOSYS", NULL},
	{ENOLCK, MPI_ERR_UNSUPPORTED_OPERATION, "ENOLCK", "this file system has no locks"},
	{EIO, MPI_ERR_IO, "EIO", NULL},
	{EPIPE, MPI_ERR_IO, "EPIPE", NULL},
	{EBADF, MPI_ERR_IO, "EBADF", NULL},
	{EINVAL, MPI_ERR_IO, "EINVAL", NULL},
	{ESTALE, MPI_ERR_IO, "ESTALE", NULL},
};

#define DISK_PATH_WORDS 120 /* bytes of a path in words: the end, which says most */

int io_disk_error(const struct io_file *f, int os_error, const char *what, ...)
{
	char words[HAFT_ERR_TEXT_MAX], text[80];
	const char *name = "errno", *hint = NULL, *path = f->path != NULL ? f->path : f->name;
	size_t longer = strlen(path);
	int class = MPI_ERR_IO;
	va_list args;

	va_start(args, what);
	vsnprintf(words, sizeof(words), what, args);
	va_end(args);
	for (size_t i = 0; i < countof(disk_reasons); i++) {
		if (disk_reasons[i].number != os_error)
			continue;
		class = disk_reasons[i].class;
		name = disk_reasons[i].name;
		hint = disk_reasons[i].hint;
	}
	longer = longer > DISK_PATH_WORDS ? longer - DISK_PATH_WORDS : 0;
	return haft_err(class, "failed on rank %d of %d, host %s: %s of %s%s: %s (%s %d)%s%s",
		f->rank, f->size, via_host(via.me), words, longer > 0 ? "..." : "", path + longer,
		strerror_r(os_error, text, sizeof(text)), name, os_error, hint != NULL ? "; " : "",
		hint != NULL ? hint : "");
}

/* The result of a call that is made again after a signal; -1 and errno if it fails. */
#define disk_retry(call)                                             \
	__extension__({                                              \
		int64_t disk_result;                                 \
		do                                                   \
			disk_result = (int64_t)(call);               \
		while (unlikely(disk_result < 0 && errno == EINTR)); \
		disk_result;                                         \
	})

/* --- signals -------------------------------------------------------------------------------- */

static struct {
	int files; /* that this process has open; under the library's lock */
	bool ignores;
} disk_limit;

void io_disk_limit_begin(void)
{
	struct sigaction now, none = {.sa_handler = SIG_IGN};

	if (disk_limit.files++ > 0)
		return;
	disk_limit.ignores = sigaction(SIGXFSZ, NULL, &now) == 0 &&
			     (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == SIG_DFL &&
			     sigaction(SIGXFSZ, &none, NULL) == 0;
}

void io_disk_limit_end(void)
{
	struct sigaction now, usual = {.sa_handler = SIG_DFL};

	if (--disk_limit.files > 0 || !disk_limit.ignores)
		return;
	if (sigaction(SIGXFSZ, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) == 0 &&
		now.sa_handler == SIG_IGN)
		sigaction(SIGXFSZ, &usual, NULL);
}

/* --- opening -------------------------------------------------------------------------------- */

/* f->readable: the descriptor is to be readable, too. */
static int disk_flags(const struct io_file *f, enum io_disk_open how)
{
	int flags = O_CLOEXEC;

	if (f->amode & MPI_MODE_RDONLY)
		flags |= O_RDONLY;
	else
		flags |= f->readable ? O_RDWR : O_WRONLY;
	if (how == IO_OPEN_AGAIN && f->sequential)
		flags |= O_NONBLOCK; /* a pipe's other end may have gone since the first open */
	if (how == IO_OPEN_FIRST && (f->amode & MPI_MODE_CREATE))
		flags |= O_CREAT | (f->amode & MPI_MODE_EXCL ? O_EXCL : 0);
	return flags;
}

/* Magic numbers of file systems that several hosts can see; statfs(2) and the kernel's magic.h. */
static bool disk_is_local(int fd)
{
	static const int64_t remote[] = {
		0x6969,     /* nfs */
		0xff534d42, /* cifs */
		0xfe534d42, /* smb2 */
		0x517b,     /* smb */
		0x0bd00bd0, /* lustre */
		0x47504653, /* gpfs */
		0x19830326, /* beegfs */
		0xaad7aaea, /* panfs */
		0x00c36400, /* ceph */
		0x65735546, /* fuse: sshfs, glusterfs ... */
		0x01021997, /* 9p */
		0x5346414f, /* afs */
		0x7461636f, /* ocfs2 */
		0x01161970, /* gfs2 */
		0x20030528, /* orangefs */
	};
	struct statfs fs;

	if (fstatfs(fd, &fs) != 0)
		return false;
	for (size_t i = 0; i < countof(remote); i++)
		if ((int64_t)fs.f_type == remote[i])
			return false;
	return true;
}

static int disk_identify(struct io_file *f, struct io_identity *id)
{
	struct stat st;

	if (fstat(f->fd, &st) != 0)
		return io_disk_error(f, errno, "fstat");
	if (S_ISDIR(st.st_mode))
		return io_disk_error(f, EISDIR, "open");
	id->dev = st.st_dev;
	id->ino = st.st_ino;
	id->size = st.st_size;
	id->block = st.st_blksize;
	id->regular = S_ISREG(st.st_mode);
	id->local_fs = disk_is_local(f->fd);
	if (!id->regular && !f->sequential && lseek(f->fd, 0, SEEK_CUR) < 0 && errno == ESPIPE)
		return io_disk_error(f, ESPIPE, "open");
	return 0;
}

/* Opens with these flags; created: it has made the file.  -1: errno says why. */
static int disk_open_flags(const char *path, int flags, unsigned permissions, bool *created)
{
	int fd;

	*created = false;
	if (flags & O_CREAT) {
		fd = (int)disk_retry(open(path, flags | O_EXCL, (mode_t)permissions));
		*created = fd >= 0;
		if (fd >= 0 || errno != EEXIST || (flags & O_EXCL))
			return fd;
	}
	return (int)disk_retry(open(path, flags, (mode_t)permissions));
}

/* One io_disk_open. */
struct disk_opening {
	struct io_file *f;
	enum io_disk_open how;
	unsigned permissions;
	bool created;
	int os_error; /* if f->fd is -1 */
};

/* The system calls; arg: struct disk_opening *. */
static void disk_open_now(void *arg)
{
	struct disk_opening *o = arg;
	struct io_file *f = o->f;

	f->readable = (f->amode & MPI_MODE_WRONLY) == 0 || !f->sequential;
	f->fd = disk_open_flags(f->path, disk_flags(f, o->how), o->permissions, &o->created);
	if (f->fd < 0 && errno == EACCES && f->readable && (f->amode & MPI_MODE_WRONLY) != 0) {
		f->readable = false;
		f->fd = disk_open_flags(f->path, /* a pipe is refused, not waited for */
			disk_flags(f, o->how) | O_NONBLOCK, o->permissions, &o->created);
	}
	o->os_error = errno;
	if (f->fd >= 0 && o->how == IO_OPEN_AGAIN && f->sequential)
		fcntl(f->fd, F_SETFL, fcntl(f->fd, F_GETFL) & ~O_NONBLOCK);
}

/* Does open(2) wait here for another process?  Not for a pipe that is opened for both ways. */
static bool disk_is_pipe(const struct io_file *f)
{
	struct stat st;

	return (f->sequential || (f->amode & MPI_MODE_RDONLY) != 0) && stat(f->path, &st) == 0 &&
	       S_ISFIFO(st.st_mode);
}

int io_disk_several_hosts(const struct io_file *f)
{
	return haft_err(MPI_ERR_UNSUPPORTED_OPERATION,
		"%s is a pipe or a device, and its members are on several hosts", f->path);
}

int io_disk_open(
	struct io_file *f, enum io_disk_open how, unsigned permissions, struct io_identity *id)
{
	struct disk_opening o = {.f = f, .how = how, .permissions = permissions};
	bool had = haft_user_begin(), pipe = disk_is_pipe(f), refused, waits;
	int err;

	refused = pipe && (!f->sequential || !f->one_host);
	waits = pipe && how == IO_OPEN_FIRST;
	if (!waits && !refused)
		disk_open_now(&o);
	haft_user_end(had);
	memset(id, 0, sizeof(*id));
	if (refused)
		return f->sequential ? io_disk_several_hosts(f) : io_disk_error(f, ESPIPE, "open");
	if (waits)
		io_open_pipe(f, disk_open_now, &o);
	id->created = o.created;
	if (f->fd < 0)
		return io_disk_error(f, o.os_error, "open");
	err = disk_identify(f, id);
	if (err == 0) {
		io_disk_limit_begin();
		return 0;
	}
	close(f->fd);
	f->fd = -1;
	return err;
}

int io_disk_close(struct io_file *f)
{
	int rc, os_error, fd = f->fd;
	bool had;

	if (fd < 0)
		return 0;
	f->fd = -1;
	io_disk_limit_end();
	had = haft_user_begin();
	rc = close(fd);
	os_error = errno;
	haft_user_end(had);
	return rc == 0 || os_error == EINTR ? 0 : io_disk_error(f, os_error, "close");
}

/* --- names ---------------------------------------------------------------------------------- */

bool io_disk_exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

int io_disk_absolute(const struct io_file *f, const char *name, char **path)
{
	char here[PATH_MAX];
	const char *slash = "/";

	if (name[0] == '/') {
		here[0] = '\0';
		slash = "";
	} else if (getcwd(here, sizeof(here)) == NULL) {
		return io_disk_error(f, errno, "getcwd for the absolute path");
	}
	if (asprintf(path, "%s%s%s", here, slash, name) < 0)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a path");
	return 0;
}

int io_disk_delete(const struct io_file *f, const char *path)
{
	bool had = haft_user_begin();
	int rc = unlink(path), os_error = errno;

	haft_user_end(had);
	return rc == 0 ? 0 : io_disk_error(f, os_error, "unlink");
}

int io_disk_rename(const struct io_file *f, const char *from, const char *to, bool exclusive)
{
	bool had = haft_user_begin();
	int rc, os_error;

	if (exclusive) { /* a link does not replace a file */
		rc = link(from, to);
		os_error = errno;
		if (rc == 0)
			unlink(from);
	} else {
		rc = rename(from, to);
		os_error = errno;
	}
	haft_user_end(had);
	return rc == 0 ? 0 : io_disk_error(f, os_error, "the rename to %s", to);
}

/* --- size, space, durability ---------------------------------------------------------------- */

int io_disk_size(const struct io_file *f, int64_t *size)
{
	struct stat st;

	if (fstat(f->fd, &st) != 0)
		return io_disk_error(f, errno, "fstat");
	*size = st.st_size;
	return 0;
}

int io_disk_truncate(const struct io_file *f, int64_t size)
{
	bool had = haft_user_begin();
	int rc = (int)disk_retry(ftruncate(f->fd, size)), os_error = errno;

	haft_user_end(had);
	return rc == 0 ? 0 : io_disk_error(f, os_error, "ftruncate to %lld bytes", (long long)size);
}

int io_disk_allocate(const struct io_file *f, int64_t size)
{
	bool had = haft_user_begin();
	int os_error;

	do
		os_error = size > 0 ? posix_fallocate(f->fd, 0, size) : 0;
	while (os_error == EINTR);
	haft_user_end(had);
	return os_error == 0
		       ? 0
		       : io_disk_error(f, os_error, "fallocate of %lld bytes", (long long)size);
}

int io_disk_reserve(const struct io_file *f, int64_t size)
{
	bool had = haft_user_begin();
	int rc = (int)disk_retry(fallocate(f->fd, FALLOC_FL_KEEP_SIZE, 0, size)), os_error = errno;

	haft_user_end(had);
	if (rc == 0 || os_error == EOPNOTSUPP || os_error == ENOSYS || os_error == ENODEV ||
		os_error == ESPIPE)
		return 0;
	return io_disk_error(f, os_error, "reserving %lld bytes", (long long)size);
}

/* A hint: an error changes nothing. */
void io_disk_advise(const struct io_file *f, const char *style)
{
	if (f->fd < 0 || style == NULL)
		return;
	if (strstr(style, "random") != NULL)
		posix_fadvise(f->fd, 0, 0, POSIX_FADV_RANDOM);
	else if (strstr(style, "sequential") != NULL)
		posix_fadvise(f->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
}

int io_disk_sync(const struct io_file *f)
{
	bool had = haft_user_begin();
	int rc = (int)disk_retry(fdatasync(f->fd)), os_error = errno;

	haft_user_end(had);
	if (rc == 0 || os_error == EINVAL || os_error == EROFS)
		return 0; /* a pipe or a device has nothing to bring to a disk */
	return io_disk_error(f, os_error, "fdatasync");
}

int io_disk_sync_folder(const struct io_file *f, const char *path)
{
	char *folder = strdup(path);
	char *slash = folder != NULL ? strrchr(folder, '/') : NULL;
	bool had = haft_user_begin();
	int fd = -1, os_error = 0;

	if (slash != NULL) {
		slash[slash == folder ? 1 : 0] = '\0';
		fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd >= 0 && disk_retry(fsync(fd)) != 0 && errno != EINVAL)
		os_error = errno;
	if (fd >= 0)
		close(fd);
	haft_user_end(had);
	free(folder);
	return os_error == 0 ? 0 : io_disk_error(f, os_error, "fsync of the folder");
}

/* --- moving bytes --------------------------------------------------------------------------- */

static int disk_failed(const struct io_file *f, int os_error, const char *call, int64_t n,
	int64_t at, int64_t moved)
{
	if (moved > 0)
		return io_disk_error(f, os_error,
			"%s of %lld bytes at offset %lld, after %lld bytes,", call, (long long)n,
			(long long)at, (long long)moved);
	return io_disk_error(
		f, os_error, "%s of %lld bytes at offset %lld", call, (long long)n, (long long)at);
}

/* The time of a transfer counts if the file has statistics. */
static int64_t disk_begin(const struct io_file *f)
{
	return unlikely(f->timed) ? (int64_t)clock_now_ns() : 0;
}

static void disk_end(const struct io_file *f, int64_t begin)
{
	struct io_file *counted = (struct io_file *)(uintptr_t)f;

	if (unlikely(f->timed))
		io_count(&counted->counts.disk_ns, (int64_t)clock_now_ns() - begin);
}

/* After a call that has returned `got': does another follow?  At the end of the file none does. */
static inline bool disk_goes_on(enum io_direction direction, int64_t got)
{
	return got > 0 || (got == 0 && direction == IO_WRITE) || (got < 0 && errno == EINTR);
}

int io_disk_move(const struct io_file *f, enum io_direction direction, void *buf, int64_t n,
	int64_t at, int64_t *moved)
{
	int64_t done = 0, got = 0, begin = disk_begin(f);
	int os_error = 0;
	bool had;

	if (unlikely(f->stream))
		return io_stream_move(f, direction, buf, n, at, moved);
	had = haft_user_begin();
	while (done < n) {
		size_t most = (size_t)num_min(n - done, DISK_CALL_MAX);

		got = direction == IO_READ ? pread(f->fd, (char *)buf + done, most, at + done)
					   : pwrite(f->fd, (char *)buf + done, most, at + done);
		if (!disk_goes_on(direction, got))
			break;
		done += got > 0 ? got : 0;
		if (io_progress_is_shown())
			io_progress_moved(f, num_max(got, 0));
	}
	if (unlikely(got < 0))
		os_error = errno;
	disk_end(f, begin);
	haft_user_end(had);
	*moved = done;
	return likely(os_error == 0)
		       ? 0
		       : disk_failed(f, os_error, direction == IO_READ ? "pread" : "pwrite", n, at,
				 done);
}

/* Drops the first n bytes of the pieces that are left. */
static void disk_vec_advance(struct iovec **vec, int *n, int64_t bytes)
{
	while (*n > 0 && bytes >= (int64_t)(*vec)->iov_len) {
		bytes -= (int64_t)(*vec)->iov_len;
		++*vec;
		--*n;
	}
	if (bytes > 0) {
		(*vec)->iov_base = (char *)(*vec)->iov_base + bytes;
		(*vec)->iov_len -= (size_t)bytes;
	}
}

static int64_t disk_vec_bytes(const struct iovec *vec, int n)
{
	int64_t bytes = 0;

	for (int i = 0; i < n; i++)
		bytes += (int64_t)vec[i].iov_len;
	return bytes;
}

int io_disk_movev(const struct io_file *f, enum io_direction direction, struct iovec *vec, int nvec,
	int64_t at, int64_t *moved)
{
	int64_t n = disk_vec_bytes(vec, nvec), done = 0, got = 0, begin = disk_begin(f);
	int os_error = 0;
	bool had;

	if (unlikely(f->stream))
		return io_stream_movev(f, direction, vec, nvec, at, moved);
	had = haft_user_begin();
	disk_vec_advance(&vec, &nvec, 0);
	while (nvec > 0) {
		int most = (int)num_min(nvec, IOV_MAX);

		got = direction == IO_READ ? preadv(f->fd, vec, most, at + done)
					   : pwritev(f->fd, vec, most, at + done);
		if (!disk_goes_on(direction, got))
			break;
		if (got > 0) {
			done += got;
			if (io_progress_is_shown())
				io_progress_moved(f, got);
			disk_vec_advance(&vec, &nvec, got);
		}
	}
	if (unlikely(got < 0))
		os_error = errno;
	disk_end(f, begin);
	haft_user_end(had);
	*moved = done;
	return likely(os_error == 0)
		       ? 0
		       : disk_failed(f, os_error, direction == IO_READ ? "preadv" : "pwritev", n,
				 at, done);
}
