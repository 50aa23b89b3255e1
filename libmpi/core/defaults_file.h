// SPDX-License-Identifier: BSD-3-Clause
/* defaults_file.h - files with defaults of settings and of mpiexec's options.
 *
 *     the environment                       wins
 *     $XDG_CONFIG_HOME/haft.conf            the user's file; without that variable, in ~/.config
 *     /etc/haft.conf                        the system's
 *
 * A line is NAME = VALUE, where NAME is a setting, or mpiexec: words that mpiexec reads before its
 * own.  # begins a comment.  HAFT_CONF names one file in place of both, or is `none'.
 *
 * mpiexec reads them for the whole job.  A process under another launcher reads them for itself. */
#ifndef HAFT_CORE_DEFAULTS_FILE_H
#define HAFT_CORE_DEFAULTS_FILE_H

/* The environment, with the settings of the files that it does not have.  The first call reads the
 * files, once.  The array and its texts live for ever; the program's environ is not changed.
 * Without memory: environ.  The first call must not race with another, nor with setenv. */
char **haft_defaults_environ(void);

/* Where the value of a setting comes from, "FILE:LINE"; NULL: not from a file.  After
 * haft_defaults_environ. */
const char *haft_defaults_origin(const char *name);

/* The words for mpiexec; "": none.  After haft_defaults_environ. */
const char *haft_defaults_mpiexec(void);

/* Reports on stderr, once, the lines that were not understood. */
void haft_defaults_warn(void);

#endif
