// SPDX-License-Identifier: BSD-3-Clause
/* callsite.c - the line of the program behind a return address.
 *
 *     return address ── dladdr ──> file, offset ── addr2line ──> "setup at solver.c:118"
 *                                                      └─ not installed, or no debug information:
 *                                                         "solver+0x1741" (libobj) */
#define _GNU_SOURCE 1
#include "libmpi/core/callsite.h"

#include "libmpi/core/clock.h"
#include "libobj/obj.h"
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Starts addr2line for n addresses of a file.  Returns the pipe of its output and *pid, or -1. */
static int callsite_start(const char *file, const uint64_t address[], int n, pid_t *pid)
{
	enum { WORDS = 3, HEX = 24 };
	char dashes[] = "-aCspfie", hex[CALLSITE_BATCH][HEX];
	char *argv[WORDS + CALLSITE_BATCH + 1] = {
		(char *)"addr2line", dashes, (char *)(uintptr_t)file};
	posix_spawn_file_actions_t to;
	int p[2], err;

	for (int i = 0; i < n; i++) {
		snprintf(hex[i], HEX, "%#llx", (unsigned long long)address[i]);
		argv[WORDS + i] = hex[i];
	}
	if (pipe2(p, O_CLOEXEC) != 0)
		return -1;
	posix_spawn_file_actions_init(&to);
	posix_spawn_file_actions_adddup2(&to, p[1], 1);
	posix_spawn_file_actions_addopen(&to, 2, "/dev/null", O_WRONLY, 0);
	err = posix_spawnp(pid, argv[0], &to, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&to);
	close(p[1]);
	if (err == 0)
		return p[0];
	close(p[0]);
	return -1;
}

/* Reads until the end of the output, or until *ms are over: those that it took are taken off.  The
 * text is malloc'ed; NULL: none. */
static char *callsite_read(int fd, int *ms)
{
	size_t len = 0, room = 0;
	char *text = NULL;
	ssize_t got = 1;

	while (got > 0 && *ms > 0) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		uint64_t from = clock_now_ns();
		char *more = len + 1 >= room ? realloc(text, room += 4096) : text;

		if (more == NULL)
			break;
		text = more;
		got = poll(&p, 1, *ms) > 0 ? read(fd, text + len, room - len - 1) : 0;
		len += got > 0 ? (size_t)got : 0;
		text[len] = '\0';
		*ms -= (int)((clock_now_ns() - from) / NS_PER_MS);
	}
	return text;
}

/* A line of addr2line's, "0x1139: step at a.c:3" or " (inlined by) main at a.c:9 (discriminator
 * 2)": the number of its address, and its text. */
static void callsite_take(char *line, int *i, haft_callsite_fn *each, void *arg)
{
	char *more = strstr(line, " (discriminator");
	bool first = strncmp(line, "0x", 2) == 0;
	char *text = first ? strstr(line, ": ") : strstr(line, "by) ");

	*i += first;
	if (more != NULL)
		*more = '\0';
	if (text == NULL || *i < 0)
		return;
	text += first ? 2 : 4;
	if (strncmp(text, "?? ??", 5) != 0)
		each(arg, *i, text);
}

void haft_callsite_lines(const char *file, const uint64_t address[], int n, int *ms,
	haft_callsite_fn *each, void *arg)
{
	pid_t pid;
	int fd = *ms > 0 ? callsite_start(file, address, n, &pid) : -1, i = -1;
	char *text, *next;

	if (fd < 0)
		return;
	text = callsite_read(fd, ms);
	close(fd);
	if (*ms <= 0)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (char *line = text; line != NULL && *line != '\0' && i < n; line = next) {
		next = strchr(line, '\n');
		if (next == NULL)
			break;
		*next++ = '\0';
		callsite_take(line, &i, each, arg);
	}
	free(text);
}

struct callsite_first {
	char *buf;
	size_t n;
};

static void callsite_first(void *arg, int i, const char *line)
{
	struct callsite_first *f = arg;

	(void)i;
	if (f->buf[0] == '\0')
		snprintf(f->buf, f->n, "%s", line);
}

bool haft_callsite_line(const char *file, uintptr_t address, char *buf, size_t n)
{
	struct callsite_first f = {buf, n};
	uint64_t one = address;
	int ms = CALLSITE_MS;

	buf[0] = '\0';
	haft_callsite_lines(file, &one, 1, &ms, callsite_first, &f);
	return buf[0] != '\0' && strncmp(buf, "??", 2) != 0;
}

void haft_callsite_text(uintptr_t site, char *buf, size_t n)
{
	Dl_info in;
	const Elf64_Ehdr *elf;
	uintptr_t base;

	if (site != 0 && !(site & OBJ_SITE_TEXT) && dladdr((void *)(site - 1), &in) != 0 &&
		in.dli_fname != NULL) {
		elf = in.dli_fbase;
		base = elf->e_type == ET_DYN ? (uintptr_t)in.dli_fbase : 0;
		if (haft_callsite_line(in.dli_fname, site - 1 - base, buf, n))
			return;
	}
	obj_site_text(site, buf, n);
}

/* Replaces the first `was' in line by "file:line (function)", if that is known and there is
 * room. */
static void callsite_replace_one(char *line, size_t n, const char *was, uintptr_t site)
{
	char where[CALLSITE_LEN], words[CALLSITE_LEN + 8], *at = strstr(line, was), *in;
	size_t len, more = strlen(was);

	if (at == NULL)
		return;
	haft_callsite_text(site, where, sizeof(where));
	in = strstr(where, " at ");
	if (in == NULL)
		return;
	snprintf(words, sizeof(words), "%s (%.*s)", in + 4, (int)(in - where), where);
	len = strlen(words);
	if (strlen(line) - more + len >= n)
		return;
	memmove(at + len, at + more, strlen(at + more) + 1);
	memcpy(at, words, len);
}

void haft_callsite_replace(char *line, size_t n, const uintptr_t sites[], int nsites)
{
	char was[CALLSITE_LEN];

	for (int i = 0; i < nsites; i++) {
		if (sites[i] == 0)
			continue;
		obj_site_text(sites[i], was, sizeof(was));
		callsite_replace_one(line, n, was, sites[i]);
	}
}
