// SPDX-License-Identifier: BSD-3-Clause
/* shell_words.c - mpiexec -completion SHELL: how a shell completes words of mpiexec and mpi-info.
 *
 *     the line's words ──► options and values before the word ──┬─► the value of an option
 *                                                               ├─► an option, or the program
 *                                                               └─► arguments of the program: files
 *
 * The scripts' tables are written from the table of the command line and from that of the settings,
 * so that they agree.  The rest of each script walks over the words before the one to complete: an
 * option's values follow it. */
#include "tools/mpiexec/shell_words.h"

#include <stdio.h>
#include <string.h>
#include "libmpi/core/setting.h"
#include "tools/mpiexec/job_plan.h"

/* --- bash ------------------------------------------------------------------------------------ */

static const char bash_script[] =
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
	"_haft_info() { _haft_words \"--json --settings --version --help\" "
	"\"${COMP_WORDS[COMP_CWORD]}\"; "
	"}\n"
	"\n"
	"complete -F _haft_mpiexec mpiexec mpirun mpiexec.haft mpirun.haft\n"
	"complete -F _haft_info mpi-info\n";

/* --- zsh ------------------------------------------------------------------------------------- */

/* The first line of a file in zsh's fpath: the commands that it is for. */
static const char zsh_first[] = "#compdef mpiexec mpirun mpi-info\n";

static const char zsh_script[] =
	"_haft_value() {\n"
	"	case ${_haft_kind[$1]-} in\n"
	"	@file) _files ;;\n"
	"	@dir) _files -/ ;;\n"
	"	@host) _hosts ;;\n"
	"	@var) compadd -- ${=_haft_settings} ${(k)parameters[(R)*export*]} ;;\n"
	"	*) compadd -- ${=_haft_kind[$1]} ;;\n"
	"	esac\n"
	"}\n"
	"\n"
	"_haft_mpiexec() {\n"
	"	local i=2 name values program=\n"
	"	while (( i < CURRENT )); do\n"
	"		case $words[i] in\n"
	"		:) program= ;;\n"
	"		-?*) if [[ -z $program ]]; then\n"
	"				name=${${words[i]#-}#-} "
	"values=${_haft_values[$name]:-0}\n"
	"				if (( i + values >= CURRENT )); then\n"
	"					_haft_value $name\n"
	"					return\n"
	"				fi\n"
	"				(( i += values ))\n"
	"			fi ;;\n"
	"		*) program=yes ;;\n"
	"		esac\n"
	"		(( i++ ))\n"
	"	done\n"
	"	if [[ -n $program ]]; then\n"
	"		_files\n"
	"	elif [[ $words[CURRENT] == -* ]]; then\n"
	"		compadd -- ${=_haft_options}\n"
	"	else\n"
	"		_command_names\n"
	"		_files\n"
	"	fi\n"
	"}\n"
	"\n"
	"case $service in\n"
	"mpi-info) compadd -- --json --settings --version --help ;;\n"
	"*) _haft_mpiexec ;;\n"
	"esac\n";

/* --- fish ------------------------------------------------------------------------------------ */

/* True while the word to complete belongs to mpiexec and not to a program. */
static const char fish_script[] =
	"function __haft_before_program\n"
	"	set -l skip 1\n"
	"	set -l program no\n"
	"	for word in (commandline -opc)\n"
	"		if test $skip -gt 0\n"
	"			set skip (math $skip - 1)\n"
	"			continue\n"
	"		end\n"
	"		switch $word\n"
	"			case :\n"
	"				set program no\n"
	"			case '-?*'\n"
	"				test $program = yes; and continue\n"
	"				set skip (string replace -rf -- '^'(string replace -r "
	"-- '^--?' '' $word)= '' $__haft_values; or echo 0)\n"
	"			case '*'\n"
	"				set program yes\n"
	"		end\n"
	"	end\n"
	"	test $program = no\n"
	"end\n"
	"\n"
	"function __haft_option\n"
	"	for c in mpiexec mpirun mpiexec.haft mpirun.haft\n"
	"		complete -c $c -n __haft_before_program $argv\n"
	"	end\n"
	"end\n"
	"\n"
	"__haft_option -a '(__fish_complete_command)'\n"
	"complete -c mpi-info -f -a '--json --settings --version --help'\n";

/* The words by which fish completes the value of an option. */
static void fish_value_print(const char *kind)
{
	if (strcmp(kind, "@file") == 0)
		printf(" -r -F");
	else if (strcmp(kind, "@dir") == 0)
		printf(" -x -a '(__fish_complete_directories)'");
	else if (strcmp(kind, "@host") == 0)
		printf(" -x -a '(__fish_print_hostnames)'");
	else if (strcmp(kind, "@var") == 0)
		printf(" -x -a '$__haft_settings (set -nx)'");
	else
		printf(" -x -a '%s'", kind);
}

/* --- the tables ------------------------------------------------------------------------------ */

/* Arrays of bash or of zsh; `declare' begins one that has words for its indices. */
static void options_print(const char *declare)
{
	struct option_view o;

	printf("_haft_options='");
	for (int i = 0; option_view(i, &o); i++)
		if (!o.ignored)
			printf("%s-%.*s", i > 0 ? " " : "", o.len, o.name);
	printf("'\n%s _haft_values=(", declare);
	for (int i = 0; option_view(i, &o); i++)
		if (o.values > 0)
			printf(" [%.*s]=%d", o.len, o.name, o.values);
	printf(" )\n%s _haft_kind=(", declare);
	for (int i = 0; option_view(i, &o); i++)
		if (o.values > 0 && *o.kind != '\0')
			printf(" [%.*s]='%s'", o.len, o.name, o.kind);
	printf(" )\n");
}

static void settings_print(void)
{
	const struct setting_row *r;

	for (int i = 0; (r = haft_setting_row(i)) != NULL; i++)
		printf("%s%s", i > 0 ? " " : "", r->name);
}

static void bash_print(void)
{
	printf("# Completion for bash, written by mpiexec -completion bash.\n");
	options_print("declare -A");
	printf("_haft_settings='");
	settings_print();
	printf("'\n\n%s", bash_script);
}

static void zsh_print(void)
{
	printf("%s# Completion for zsh, written by mpiexec -completion zsh.\n", zsh_first);
	options_print("typeset -gA");
	printf("_haft_settings='");
	settings_print();
	printf("'\n\n%s", zsh_script);
}

static void fish_print(void)
{
	struct option_view o;

	printf("# Completion for fish, written by mpiexec -completion fish.\nset -g __haft_values");
	for (int i = 0; option_view(i, &o); i++)
		if (o.values > 0)
			printf(" %.*s=%d", o.len, o.name, o.values);
	printf("\nset -g __haft_settings ");
	settings_print();
	printf("\n\n%s\n", fish_script);
	for (int i = 0; option_view(i, &o); i++) {
		if (o.ignored || *o.name == '?')
			continue;
		printf("__haft_option -o %.*s", o.len, o.name);
		if (o.values > 0)
			fish_value_print(o.kind);
		putchar('\n');
	}
}

bool shell_words_print(const char *shell)
{
	static const struct {
		const char *shell;
		void (*print)(void);
	} shells[] = {{"bash", bash_print}, {"zsh", zsh_print}, {"fish", fish_print}};

	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (strcmp(shells[i].shell, shell) != 0)
			continue;
		shells[i].print();
		return true;
	}
	return false;
}
