// SPDX-License-Identifier: BSD-3-Clause
/* service.c - see service.h.
 *
 *   this process ── posix_spawn ──> mpiexec --haft-serve ── fork ──> the service
 *        '── waits for the first of them, which ends at once
 *
 * The service is no child of ours, so that a wait() of the program never meets it.  It ends when
 * this process has ended. mpiexec is found beside our own library: it must be of the same build. */
#include "libmpi/boot/service.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libmpi/boot/boot_error.h"

#define FD_MIN 100 /* low numbers are left to the program */

/* Writes the path of mpiexec: PREFIX/bin/mpiexec for a library in PREFIX/lib, or in a directory of
 * it.  Packages call it mpiexec.haft, beside an mpiexec that may be of another MPI.  False: there
 * is none. */
static bool mpiexec_find(char *path, size_t len)
{
	Dl_info info;
	char dir[PATH_MAX];

	if (dladdr((void *)(uintptr_t)&boot_service_start, &info) == 0 ||
		realpath(info.dli_fname, dir) == NULL)
		return false;
	for (int up = 0; up < 3; up++) {
		char *slash = strrchr(dir, '/');

		if (slash == NULL)
			return false;
		*slash = '\0';
		for (int i = 0; i < 2; i++) {
			int n = snprintf(path, len, "%s/bin/mpiexec%s", dir, i == 0 ? ".haft" : "");

			if (n > 0 && (size_t)n < len && access(path, X_OK) == 0)
				return true;
		}
	}
	return false;
}

/* Starts mpiexec with two descriptors.  0, or an errno. */
static int service_spawn(const char *path, int socket, int segment)
{
	char what[64];
	char *argv[] = {(char *)"mpiexec", (char *)BOOT_SERVE_OPTION, what, NULL};
	sigset_t none;
	posix_spawnattr_t attr;
	pid_t pid;
	int err, status = 0;

	snprintf(what, sizeof(what), "%d,%d,%d", socket, segment, (int)getpid());
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	err = posix_spawn(&pid, path, NULL, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	if (err != 0)
		return err;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : ECHILD;
}

int boot_profile_report(const char *where, int fd)
{
	char path[PATH_MAX + 16];
	char *argv[] = {
		(char *)"mpiexec", (char *)BOOT_PROFILE_OPTION, (char *)(uintptr_t)where, NULL};
	posix_spawn_file_actions_t to;
	int err, status = 0;
	pid_t pid;

	if (!mpiexec_find(path, sizeof(path)))
		return boot_fail("there is no mpiexec beside the library of MPI, which would write "
				 "the profile");
	posix_spawn_file_actions_init(&to);
	posix_spawn_file_actions_adddup2(&to, fd, 0);
	err = posix_spawn(&pid, path, &to, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&to);
	if (err != 0)
		return boot_fail("%s cannot be started: %s", path, strerror(err));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return 0;
}

int boot_service_start(const struct boot *me, enum boot_service kind)
{
	bool own = kind == BOOT_SERVICE_OWN;
	char path[PATH_MAX + 16];
	int two[2], theirs, segment, err;

	if (!mpiexec_find(path, sizeof(path)))
		return boot_fail("there is no mpiexec beside the library of MPI, which would start "
				 "further processes");
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, two) != 0)
		return boot_fail("no socket for mpiexec: %s", strerror(errno));
	theirs = fcntl(two[1], F_DUPFD, FD_MIN);
	segment = own ? fcntl(me->seg_fd, F_DUPFD, FD_MIN) : (int)kind;
	close(two[1]);
	err = theirs < 0 || (own && segment < 0) ? errno : service_spawn(path, theirs, segment);
	if (theirs >= 0)
		close(theirs);
	if (segment >= 0)
		close(segment);
	if (err == 0)
		return two[0];
	close(two[0]);
	return boot_fail("%s cannot be started: %s", path, strerror(err));
}
