// SPDX-License-Identifier: BSD-3-Clause
/* launch_part.h - a program of a spawn, for a launcher of another project.
 *
 *   struct boot_command ──> struct boot_part ──> PMI-1: mcmd=spawn (pmi_requests.c)
 *                           file, environment,   PMIx:  PMIx_Spawn_nb (pmix_requests.c)
 *                           keys by class
 *
 * Such launchers say little about a program that is not there, and some end the job.  So the
 * program is looked for here first, unless keys name hosts. */
#ifndef LIBMPI_BOOT_LAUNCH_PART_H
#define LIBMPI_BOOT_LAUNCH_PART_H

#include "libmpi/boot/control.h"
#include <limits.h>

#define BOOT_BIRTH_VAR "HAFT_BIRTH" /* boot_birth of such a child */

/* A key that the launcher understands, in its words. */
struct boot_part_key {
	const char *pmi, *pmix; /* NULL: it has no word for it */
	const char *value;
};

#define BOOT_PART_KEYS 16

struct boot_part {
	const struct boot_command *command;
	char file[PATH_MAX]; /* as found; the command's name if keys name hosts */
	char wdir[PATH_MAX];
	char **env; /* NAME=VALUE, or NAME to unset it; malloc'ed, and each text */
	int nenv;
	struct boot_part_key key[BOOT_PART_KEYS];
	int nkeys;
};

/* Makes the parts of n commands; *parts is malloc'ed, for boot_parts_free.  0; -1: a key asks for
 * a service that such launchers lack; or a class of MPI with words. */
int boot_parts_make(
	const struct boot_command *c, int n, const char *birth, struct boot_part **parts);
void boot_parts_free(struct boot_part *parts, int n);

/* The words of a part: the file and its arguments, behind those of env(1) that change variables
 * before: `env -u OLD NEW=1 program ...'.  all: set variables as well; else unset them alone.
 * malloc'ed, ends with NULL; the words are the part's.  NULL: no memory. */
const char **boot_part_words(const struct boot_part *p, bool all);

#endif
