// SPDX-License-Identifier: BSD-3-Clause
/* callsite.h - files and lines of the program, for words at its end: they cost a process each. */
#ifndef HAFT_CORE_CALLSITE_H
#define HAFT_CORE_CALLSITE_H

#include <stddef.h>
#include <stdint.h>

#define CALLSITE_LEN 256 /* bytes of a place in words */

/* What is known of a site of libobj's: "setup at solver.c:118", or as obj_site_text says it.  Runs
 * addr2line, and waits for it. */
void haft_callsite_text(uintptr_t site, char *buf, size_t n);

/* In a line of n bytes, what obj_site_text has said of these sites (0: none) becomes
 * "solver.c:118 (setup)", as far as that is known. */
void haft_callsite_replace(char *line, size_t n, const uintptr_t sites[], int nsites);

#endif
