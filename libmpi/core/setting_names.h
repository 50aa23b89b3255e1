// SPDX-License-Identifier: BSD-3-Clause
/* setting_names.h - variables of the environment that look like settings and are none. */
#ifndef HAFT_CORE_SETTING_NAMES_H
#define HAFT_CORE_SETTING_NAMES_H

/* Reports on stderr, a line each, the variables of `envp' whose names begin with HAFT_ and are not
 * known, with the nearest known name. */
void haft_setting_names_check(char *const envp[]);

/* The edit distance between a (n bytes) and b, each of at most 64 bytes. */
int haft_setting_name_distance(const char *a, int n, const char *b);

#endif
