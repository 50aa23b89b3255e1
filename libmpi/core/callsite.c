// SPDX-License-Identifier: BSD-3-Clause
/* callsite.c - the line of the program behind a return address.
 *
 *     return address ── dladdr ──> file, offset ── addr2line ──> "setup at solver.c:118"
 *                                                      └─ not installed, or no debug information:
 *                                                         "solver+0x1741" (libobj) */
#include "libmpi/core/callsite.h"

#include "libobj/obj.h"
#include <dlfcn.h>
#include <elf.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool haft_callsite_line(const char *file, uintptr_t address, char *buf, size_t n)
{
	char hex[24], dashes[] = "-Cspfe";
	char *argv[] = {(char *)"addr2line", dashes, strdup(file), hex, NULL};
	posix_spawn_file_actions_t to;
	int p[2], err;
	pid_t pid;
	FILE *f;

	snprintf(hex, sizeof(hex), "%#lx", (unsigned long)address);
	if (argv[2] == NULL || pipe(p) != 0) {
		free(argv[2]);
		return false;
	}
	posix_spawn_file_actions_init(&to);
	posix_spawn_file_actions_adddup2(&to, p[1], 1);
	posix_spawn_file_actions_addopen(&to, 2, "/dev/null", 1, 0);
	posix_spawn_file_actions_addclose(&to, p[0]);
	err = posix_spawnp(&pid, argv[0], &to, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&to);
	free(argv[2]);
	close(p[1]);
	buf[0] = '\0';
	f = fdopen(p[0], "r");
	if (f != NULL && err == 0 && fgets(buf, (int)n, f) != NULL) {
		char *more = strstr(buf, " (discriminator");

		buf[more != NULL ? (size_t)(more - buf) : strcspn(buf, "\n")] = '\0';
	}
	if (f != NULL)
		fclose(f);
	else
		close(p[0]);
	if (err == 0)
		waitpid(pid, NULL, 0);
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
