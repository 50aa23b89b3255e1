// SPDX-License-Identifier: BSD-3-Clause
/* disk.h - files as the operating system has them: opening, size, space, durability.
 *
 *      engine ──> io_disk_... ──> system call ── errno ──> class of MPI, with words
 *                    └── gives the library's lock up meanwhile
 *
 * Words name rank, host, path and the reason, and for transfers bytes and offset.  Reads and writes
 * are declared in io.h.  All functions return 0 or an error class with words. */
#ifndef HAFT_IO_DISK_H
#define HAFT_IO_DISK_H

#include "libmpi/io/io.h"

/* Identity and kind of a file. */
struct io_identity {
	uint64_t dev, ino;
	int64_t size;
	int64_t block; /* bytes that the file system prefers to move at a time */
	bool regular;
	bool local_fs; /* no other host can see this file system */
	bool created;  /* io_disk_open has made the file */
	uint8_t pad[5];
};

enum io_disk_open {
	IO_OPEN_FIRST, /* as f->amode says: MPI_MODE_CREATE and MPI_MODE_EXCL count */
	IO_OPEN_AGAIN  /* the file exists: another member has opened it */
};

/* Opens f->path and sets f->fd; *id identifies the file.  permissions: of a file that it makes,
 * less the umask.  A file for writing only is opened for reading too if that is permitted:
 * f->readable.  A directory is an error.  A pipe that is refused is not waited for. */
int io_disk_open(
	struct io_file *f, enum io_disk_open how, unsigned permissions, struct io_identity *id);

/* Says the error of a pipe or a device whose members are on several hosts. */
int io_disk_several_hosts(const struct io_file *f);

/* While a file is open SIGXFSZ is ignored, unless the program handles it: a write beyond
 * `ulimit -f' is an error, and does not end the process.  Under the library's lock, in pairs. */
void io_disk_limit_begin(void);
void io_disk_limit_end(void);

/* Closes f->fd, if it is open.  The file system may report an earlier write here. */
int io_disk_close(struct io_file *f);

/* Is there a file of this name?  It looks at the name itself, not behind a link. */
bool io_disk_exists(const char *path);

/* Makes a relative path absolute; *path is malloc'ed.  f is for words. */
int io_disk_absolute(const struct io_file *f, const char *name, char **path);

/* Deletes `path'. */
int io_disk_delete(const struct io_file *f, const char *path);

/* Gives a file another name; exclusive: a file of that name is an error. */
int io_disk_rename(const struct io_file *f, const char *from, const char *to, bool exclusive);

/* Sets *size to the file's size, or changes it.  0 or an error class with words. */
int io_disk_size(const struct io_file *f, int64_t *size);
int io_disk_truncate(const struct io_file *f, int64_t size);

/* Allocates the bytes [0, size) on the device; no byte that was written changes. */
int io_disk_allocate(const struct io_file *f, int64_t size);

/* Likewise, but the size of the file stays.  No error where the file system cannot do it. */
int io_disk_reserve(const struct io_file *f, int64_t size);

/* Tells the kernel how the file will be read: the value of the hint access_style. */
void io_disk_advise(const struct io_file *f, const char *style);

/* Returns when the bytes of the file that this host has written are on the device. */
int io_disk_sync(const struct io_file *f);

/* Makes a new name in a directory last: `path' is in it. */
int io_disk_sync_folder(const struct io_file *f, const char *path);

/* stream_os.c: a job of some bytes is about to take its place in a pipe, and has taken it, or has
 * failed.  Should this process die, the others know behind which byte no access can go on.  0, or
 * MPI_ERR_NO_MEM with words, and then there is no end. */
int io_stream_reserve_begin(const struct io_job *j);
void io_stream_reserve_end(const struct io_job *j);
void io_stream_starts_free(struct io_file *f);

/* stream_os.c: io_disk_read, io_disk_write and their kin for a pipe or a device, in the turn of
 * the access.  An error if that never comes, as a member has failed. */
int io_stream_move(const struct io_file *f, enum io_direction direction, void *buf, int64_t n,
	int64_t at, int64_t *moved);
int io_stream_movev(const struct io_file *f, enum io_direction direction, const struct iovec *vec,
	int nvec, int64_t at, int64_t *moved);

/* Are all bytes before a placed job through, or will they never be?  Any thread. */
bool io_stream_is_turn(const struct io_job *j);

/* Makes progress until then; under the library's lock. */
void io_stream_wait(const struct io_job *j);

/* The end of a placed job's turn, also after an error or at the end of the stream: lets those after
 * it go on.  It has waited.  Any thread. */
void io_stream_pass(const struct io_job *j);

#endif
