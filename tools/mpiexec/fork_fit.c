// SPDX-License-Identifier: BSD-3-Clause
/* fork_fit.c - can a fork server start this program?
 *
 *     ELF file with our own dynamic linker, no more rights than ours     program_fits
 *     no variable that changes what the linker does                      environ_fits
 *     it loads a libmpi that says that it has a fork server              libraries_unfit
 *
 * A program that is started although its library has no fork server would run.  So the dynamic
 * linker is asked first: with LD_TRACE_LOADED_OBJECTS it names the libraries and ends. */
#include "tools/mpiexec/fork_client.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define TRACE_VAR   "LD_TRACE_LOADED_OBJECTS=1"
#define TRACE_MAX   65536 /* bytes of its answer */
#define HEADERS_MAX 64    /* program headers of a file */
#define PART_MARKS  4     /* <elf.h>: the kind of those for other programs to read */
#define PART_MAX    4096  /* bytes of one of its notes */

/* --- ELF files ------------------------------------------------------------------------------ */

/* The program headers of a file; 0: it is no ELF file of this machine's kind. */
static int headers_read(int fd, ElfW(Phdr) * ph)
{
	ElfW(Ehdr) h, own;
	ssize_t n = pread(fd, &h, sizeof(h), 0);
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool same = n == (ssize_t)sizeof(h) && self >= 0 &&
		    pread(self, &own, sizeof(own), 0) == (ssize_t)sizeof(own) &&
		    memcmp(h.e_ident, own.e_ident, EI_OSABI) == 0 && h.e_machine == own.e_machine;

	if (self >= 0)
		close(self);
	if (!same || h.e_phentsize != sizeof(*ph) || h.e_phnum > HEADERS_MAX)
		return 0;
	n = pread(fd, ph, h.e_phnum * sizeof(*ph), (off_t)h.e_phoff);
	return n == (ssize_t)(h.e_phnum * sizeof(*ph)) ? h.e_phnum : 0;
}

/* The bytes of the first part of a kind that satisfies `good'.  False: there is none. */
static bool part_find(int fd, ElfW(Word) type, bool (*good)(const char *part, size_t len))
{
	ElfW(Phdr) ph[HEADERS_MAX];
	int n = headers_read(fd, ph);
	char part[PART_MAX];

	for (int i = 0; i < n; i++) {
		size_t len = ph[i].p_filesz < sizeof(part) ? ph[i].p_filesz : sizeof(part);

		if (ph[i].p_type == type &&
			pread(fd, part, len, (off_t)ph[i].p_offset) == (ssize_t)len &&
			good(part, len))
			return true;
	}
	return false;
}

static bool has_server(const char *part, size_t len)
{
	return memmem(part, len, FORK_MARK, sizeof(FORK_MARK)) != NULL;
}

/* glibc's linker, which ends when it has named the libraries. */
static bool linker_good(const char *part, size_t len)
{
	return memmem(part, len, "/ld-linux", 9) != NULL;
}

static bool program_fits(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	       (st.st_mode & (S_ISUID | S_ISGID)) == 0 &&
	       fgetxattr(fd, "security.capability", NULL, 0) < 0 &&
	       part_find(fd, PT_INTERP, linker_good);
}

/* True if the file is a library with a fork server. */
static bool library_serves(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool serves = fd >= 0 && part_find(fd, PART_MARKS, has_server);

	if (fd >= 0)
		close(fd);
	return serves;
}

/* --- the linker's answer -------------------------------------------------------------------- */

/* Reads until the end of file.  NULL, or why it has not come. */
static const char *answer_read(int fd, char *text, uint64_t until)
{
	size_t len = 0;
	ssize_t n = 1;

	while (n > 0 && len < TRACE_MAX - 1) {
		if (!fork_await(fd, POLLIN, until))
			return "the dynamic linker has not named its libraries in " TEXT_OF(
				FORK_BEGIN_S) " s";
		n = read(fd, text + len, TRACE_MAX - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	text[len] = '\0';
	return n == 0  ? NULL
	       : n > 0 ? "the dynamic linker names more libraries than mpiexec reads"
		       : "the dynamic linker's words could not be read";
}

/* Lines "<tab>NAME => FILE (ADDRESS)". */
static bool answer_fits(char *text)
{
	bool serves = false;
	char *rest = NULL;

	if (strstr(text, "not found") != NULL)
		return false;
	for (char *line = strtok_r(text, "\n", &rest); line != NULL;
		line = strtok_r(NULL, "\n", &rest)) {
		char *file = strstr(line, " => "), *end = strrchr(line, '(');

		if (strncmp(line, "\tlibmpi", 7) != 0 || file == NULL || end == NULL || end < file)
			continue;
		end[-1] = '\0';
		serves = serves || library_serves(file + 4);
	}
	return serves;
}

/* Asks the linker, as a rank would be started. */
static const char *libraries_unfit(
	const struct rank_common *s, const struct app *a, char *const *envp, uint64_t until)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), p[2] = {-1, -1}, status;
	struct rank_ends e = {.in = null, .err = null, .listen = -1, .pmi = -1};
	char *text = mem_grow(NULL, TRACE_MAX, 1);
	const char *step, *why = "the dynamic linker could not be asked";
	size_t n = 0;
	pid_t pid = -1;

	while (envp[n] != NULL)
		n++;
	e.envp = mem_grow(NULL, n + 2, sizeof(*e.envp));
	e.envp[0] = (char *)(uintptr_t)TRACE_VAR;
	memcpy(e.envp + 1, envp, (n + 1) * sizeof(*e.envp));
	if (null >= 0 && pipe2(p, O_CLOEXEC) == 0) {
		e.out = p[1];
		pid = rank_start(s, a, &e, &step);
		close(p[1]);
		if (pid > 0)
			why = answer_read(p[0], text, until);
		if (why == NULL && !answer_fits(text))
			why = "it is not linked with a library that has a fork server";
		close(p[0]);
	}
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
	}
	if (null >= 0)
		close(null);
	free(e.envp);
	free(text);
	return why;
}

/* --- all ------------------------------------------------------------------------------------ */

/* False for a variable that makes the linker load or print something. */
static bool environ_fits(char *const *envp)
{
	for (; *envp != NULL; envp++)
		if (strncmp(*envp, "LD_", 3) == 0 && strncmp(*envp, "LD_LIBRARY_PATH=", 16) != 0 &&
			strncmp(*envp, "LD_BIND_NOW=", 12) != 0)
			return false;
	return true;
}

/* The program's file; one that is no path was found in the directory of the rank. */
static int program_open(const struct app *a)
{
	char path[PATH_MAX];

	if (a->wdir == NULL || a->file[0] == '/')
		return open(a->file, O_RDONLY | O_CLOEXEC);
	if (snprintf(path, sizeof(path), "%s/%s", a->wdir, a->file) >= (int)sizeof(path))
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC);
}

const char *fork_unfit(
	const struct rank_common *s, const struct app *a, char *const *envp, uint64_t until_ns)
{
	int fd;
	bool fits;

	if (!environ_fits(envp))
		return "a variable changes what the dynamic linker does";
	fd = program_open(a);
	fits = program_fits(fd);
	if (fd >= 0)
		close(fd);
	return fits ? libraries_unfit(s, a, envp, until_ns)
		    : "it is a script, or static, or has more rights than its user";
}
