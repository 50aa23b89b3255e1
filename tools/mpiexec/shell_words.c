// SPDX-License-Identifier: BSD-3-Clause
/* shell_words.c - mpiexec -completion bash: how a shell completes words of mpiexec and mpi-info.
 *
 *     complete's words ──► options and values before the word ──┬─► the value of an option
 *                                                               ├─► an option, or the program
 *                                                               └─► arguments of the program: files
 *
 * The script's tables are written from the table of the command line and from that of the settings,
 * so that they agree. */
#include "tools/mpiexec/shell_words.h"

#include <stdio.h>
#include <string.h>
#include "libmpi/core/setting.h"
#include "tools/mpiexec/job_plan.h"

/* Walks over the words before the one to complete.  An option's values follow it. */
static const char script[] =
	"_haft_words() { COMPREPLY=($(compgen -W \"$1\" -- \"$2\")); }\n"
	"\n"
	"_haft_value() {\n"
	"	case ${_haft_kind[$1]-} in\n"
	"	@file) COMPREPLY=($(compgen -f -- \"$2\")); compopt -o filenames ;;\n"
	"	@dir) COMPREPLY=($(compgen -d -- \"$2\")); compopt -o filenames ;;\n"
	"	@host) COMPREPLY=($(compgen -A hostname -- \"$2\")) ;;\n"
	"	@var) COMPREPLY=($(compgen -v -W \"$_haft_settings\" -- \"$2\")) ;;\n"
	"	'') COMPREPLY=() ;;\n"
	"	*) _haft_words \"${_haft_kind[$1]}\" \"$2\" ;;\n"
	"	esac\n"
	"}\n"
	"\n"
	"_haft_mpiexec() {\n"
	"	local cur=${COMP_WORDS[COMP_CWORD]} i=1 name values program=\n"
	"	while [ $i -lt $COMP_CWORD ]; do\n"
	"		case ${COMP_WORDS[i]} in\n"
	"		:) program= ;;\n"
	"		-?*) if [ -z \"$program\" ]; then\n"
	"				name=${COMP_WORDS[i]#-} name=${name#-} "
	"values=${_haft_values[$name]-0}\n"
	"				if [ $((i + values)) -ge $COMP_CWORD ]; then\n"
	"					_haft_value \"$name\" \"$cur\"\n"
	"					return\n"
	"				fi\n"
	"				i=$((i + values))\n"
	"			fi ;;\n"
	"		*) program=yes ;;\n"
	"		esac\n"
	"		i=$((i + 1))\n"
	"	done\n"
	"	if [ -n \"$program\" ]; then\n"
	"		COMPREPLY=($(compgen -f -- \"$cur\"))\n"
	"		compopt -o filenames\n"
	"	elif [ \"${cur#-}\" != \"$cur\" ]; then\n"
	"		_haft_words \"$_haft_options\" \"$cur\"\n"
	"	else\n"
	"		COMPREPLY=($(compgen -c -- \"$cur\") $(compgen -f -- \"$cur\"))\n"
	"		compopt -o filenames\n"
	"	fi\n"
	"}\n"
	"\n"
	"_haft_info() { _haft_words \"--settings --version --help\" \"${COMP_WORDS[COMP_CWORD]}\"; "
	"}\n"
	"\n"
	"complete -F _haft_mpiexec mpiexec mpirun mpiexec.haft mpirun.haft\n"
	"complete -F _haft_info mpi-info\n";

static void options_print(void)
{
	struct option_view o;

	printf("_haft_options='");
	for (int i = 0; option_view(i, &o); i++)
		if (!o.ignored)
			printf("%s-%.*s", i > 0 ? " " : "", o.len, o.name);
	printf("'\ndeclare -A _haft_values=(");
	for (int i = 0; option_view(i, &o); i++)
		if (o.values > 0)
			printf(" [%.*s]=%d", o.len, o.name, o.values);
	printf(" )\ndeclare -A _haft_kind=(");
	for (int i = 0; option_view(i, &o); i++)
		if (o.values > 0 && *o.kind != '\0')
			printf(" [%.*s]='%s'", o.len, o.name, o.kind);
	printf(" )\n");
}

void shell_words_print(void)
{
	const struct setting_row *r;

	printf("# Completion for bash, written by mpiexec -completion bash.  In zsh, after "
	       "bashcompinit.\n");
	options_print();
	printf("_haft_settings='");
	for (int i = 0; (r = haft_setting_row(i)) != NULL; i++)
		printf("%s%s", i > 0 ? " " : "", r->name);
	printf("'\n\n%s", script);
}
