// SPDX-License-Identifier: BSD-3-Clause
/* callsite.h - file and line of a call in the program.  Slow: for reports at the end of a
 * program. */
#ifndef HAFT_CORE_CALLSITE_H
#define HAFT_CORE_CALLSITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CALLSITE_LEN   256   /* bytes of a place in words */
#define CALLSITE_BATCH 64    /* addresses of one call of addr2line */
#define CALLSITE_MS    60000 /* a file with much debug information takes seconds */

/* Writes the first line that the program addr2line prints for an address of a file into buf:
 * "setup at solver.c:118".  false: addr2line is not installed, or does not know the address. */
bool haft_callsite_line(const char *file, uintptr_t address, char *buf, size_t n);

/* Receives what addr2line prints for address i: "setup at solver.c:118".  Where functions are
 * inlined, all of them, the innermost first. */
typedef void haft_callsite_fn(void *arg, int i, const char *line);

/* Likewise for up to CALLSITE_BATCH addresses of a file; none for those that are not known.  Takes
 * at most *ms milliseconds, and takes those off it. */
void haft_callsite_lines(const char *file, const uint64_t address[], int n, int *ms,
	haft_callsite_fn *each, void *arg);

/* Writes a site of libobj as words: "setup at solver.c:118", or what obj_site_text gives if the
 * line is not known.  Runs addr2line, and waits for it. */
void haft_callsite_text(uintptr_t site, char *buf, size_t n);

/* Replaces in line (n bytes) the words of obj_site_text for these sites (0: none) by
 * "solver.c:118 (setup)", as far as the lines are known.  Runs addr2line. */
void haft_callsite_replace(char *line, size_t n, const uintptr_t sites[], int nsites);

#endif
