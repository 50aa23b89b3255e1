// SPDX-License-Identifier: BSD-3-Clause
/* setting_names.h - variables of the environment that look like ours, and that nobody reads. */
#ifndef HAFT_CORE_SETTING_NAMES_H
#define HAFT_CORE_SETTING_NAMES_H

/* Says on stderr, a line each, which variables in `envp' have names that begin with HAFT_ and that
 * none of our programs knows, and which known name is nearest.  Those of other tools begin with
 * other words. */
void haft_setting_names_check(char *const envp[]);

#endif
