// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* A process has died with an exclusive lock on bytes that no other wants: shared locks of others
 * take slots for a while, and then their own entries again, without a ticket. */
#include "libmpi/core/objects.h"
#include "libmpi/io/lock.h"
#include "libmpi/io/shared.h"
#include "tests/std/ch14/file_name.h"

#include <sys/wait.h>
#include <unistd.h>

#define SOON 300 /* accesses; libmpi/io/lock.c looks for the dead every 256 */

/* The pid of a process that is gone. */
static int32_t pid_gone(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	CHECK(waitpid(pid, NULL, 0) == pid);
	return (int32_t)pid;
}

static void leave_lock(struct io_lock_table *t, int64_t lo, int64_t hi)
{
	CHECK(t->top == 0);
	t->slot[0] = (struct io_lock_slot){.lo = lo,
		.hi = hi,
		.ticket = ++t->ticket,
		.pid = pid_gone(),
		.pid_ns = io_lock_pid_ns(),
		.mode = IO_LOCK_EXCLUSIVE};
	t->top = 1;
	atomic_store(&t->exclusive, 1);
}

static void read_locked(struct io_file *f)
{
	struct io_lock lock;

	OK(io_lock_range(f, 0, 8, IO_LOCK_SHARED, IO_LOCK_HOST, &lock));
	io_unlock_range(f, &lock);
}

int main(int argc, char **argv)
{
	struct io_lock_table *t;
	struct io_file *f;
	uint64_t ticket;
	MPI_File fh;

	check_init(&argc, &argv);
	fh = file_new(MPI_COMM_WORLD, file_name("locks"));
	f = io_of(obj_get(&haft_file_class, (obj_h)fh));
	t = &f->shared->locks;
	leave_lock(t, 100, 200);
	ticket = t->ticket;
	read_locked(f);
	CHECK(t->ticket == ticket + 1 && atomic_load(&t->exclusive) == 1);
	for (int i = 0; i < SOON && atomic_load(&t->exclusive) != 0; i++)
		read_locked(f);
	CHECK(atomic_load(&t->exclusive) == 0 && t->slot[0].pid == 0);
	ticket = t->ticket;
	read_locked(f);
	CHECK(t->ticket == ticket);
	OK(MPI_File_close(&fh));
	MPI_Finalize();
	return check_end();
}
