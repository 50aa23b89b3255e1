// SPDX-License-Identifier: BSD-3-Clause
/* settings_man.c - prints the man page haft-settings(7) from the table of settings
 * (core/setting.c).
 *
 *     settings_man >haft-settings.7 */
#include "libmpi/core/setting.h"

#include <stdio.h>
#include <stdlib.h>

#define RANGE_LEN 160 /* bytes of the words for a range */

static void row_print(int i, const struct setting_row *r)
{
	char range[RANGE_LEN];

	haft_setting_range(i, range, sizeof(range));
	printf(".TP\n.B %s\n%s.\n.br\nValues: %s.\n", r->name, r->meaning, range);
	if (r->more != NULL)
		printf("%s\n", r->more);
	if (r->launch)
		printf("mpiexec reads it, for the whole job.\n");
	else if (r->everywhere)
		printf("All processes of a job must have the same value.\n");
	if (r->late)
		printf("The tools interface can change it at any time.\n");
	if (r->old != NULL)
		printf("Old name: %s.\n", r->old);
	if (r->old_word != NULL)
		printf("Old value: %s.\n", r->old_word);
}

static const char head[] =
	".TH HAFT-SETTINGS 7 \"\" \"Haft\" \"Haft\"\n"
	".SH NAME\n"
	"haft-settings \\- environment variables of the Haft MPI library\n"
	".SH DESCRIPTION\n"
	"Each setting is a variable of the environment, read once when a process first needs one.\n"
	".B mpi-info \\-\\-settings\n"
	"prints them with their present values.  In programs they are control variables of\n"
	"the tools interface (MPI_T_cvar_read).  A value that is not understood, and a variable\n"
	"HAFT_... that is no setting, is reported once on standard error; the default is used.\n"
	"Numbers may end with k (2^10) or M (2^20).\n"
	".SH FILES\n"
	"Variables that are not set are looked for in\n"
	".I $XDG_CONFIG_HOME/haft.conf\n"
	"(without that variable in\n"
	".IR ~/.config ),\n"
	"then in\n"
	".IR /etc/haft.conf .\n"
	"HAFT_CONF names one file in place of both; the value none stands for no file.\n"
	"A line is\n"
	".IR NAME = VALUE ;\n"
	"# begins a comment.\n"
	"A line mpiexec=WORDS has options that mpiexec reads before those of the command line.\n"
	"mpiexec reads the files for the whole job.\n"
	".B mpi-info \\-\\-settings\n"
	"names file and line of each value that comes from one:\n"
	".PP\n"
	".\\\" RUN prints: 8192 [\n"
	".EX\n"
	"echo 'HAFT_EAGER = 8k' >my.conf\n"
	"HAFT_CONF=$PWD/my.conf mpi-info \\-\\-settings | grep '^HAFT_EAGER '\n"
	".EE\n"
	".SH SETTINGS\n";

static const char tail[] =
	".SH OLD NAMES\n"
	"The old name of a setting works as an alias.  If both are set, the new name counts.\n"
	".SH SEE ALSO\n"
	".BR mpiexec (1),\n"
	".BR mpi-info (1)\n";

int main(void)
{
	const struct setting_row *r;

	fputs(head, stdout);
	for (int i = 0; (r = haft_setting_row(i)) != NULL; i++)
		row_print(i, r);
	fputs(tail, stdout);
	return ferror(stdout) || fflush(stdout) != 0;
}
