# SPDX-License-Identifier: BSD-3-Clause
# Bash, zsh and fish offer at each place of the line what fits there, from the tables of mpiexec and
# of the settings.
. tests/tools/lib.sh
command -v bash >/dev/null || exit 77
# Print the completions of the last word, one a line.
bash_offers() {
	bash -c '. ./words.bash
		compopt() { :; }
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		"_haft_${COMP_WORDS[0]#mpi-}" && printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

# Functions stand for those of zsh's completion, which want a terminal.
zsh_offers() {
	zsh -f -c '
		words=("$@") CURRENT=$# service=$1
		compadd() { shift; print -rl -- $*; }
		_files() { if [[ $1 = -/ ]] print -rl -- *(/); [[ $1 = -/ ]] || print -rl -- *; }
		_command_names() { print -rl -- ${(k)commands}; }
		. ./words.zsh' zsh "$@"
}

fish_offers() {
	XDG_CONFIG_HOME=$TMPDIR/fish HOME=$TMPDIR fish -c 'source words.fish; complete -C"$argv"' "$@"
}

# offers TEXT WORDS...: the last of the words is completed to lines one of which is TEXT, as each
# shell offers it.
offers() {
	text=$1
	shift
	for shell in $shells; do
		got=$(${shell}_offers "$@" 2>&1 | sed 's/\t.*//; s|/$||')
		case "
$got
" in *"
$text
"*) ;; *) fail "$shell: $*: no \`$text' in: $(printf %s "$got" | head -n 5)" ;; esac
	done
}
shells=
for shell in bash zsh fish; do
	command -v $shell >/dev/null || continue
	"$run" -completion $shell >"$TMPDIR/words.$shell" || fail "-completion $shell"
	shells="$shells $shell"
done
cd "$TMPDIR" || exit 1
: >hosts.txt
mkdir here
ln -s "$run" mpiexec
PATH=$TMPDIR:$PATH # fish completes words of commands that it can find
offers -bind-to mpiexec -b
offers core mpiexec -bind-to c
offers slurm mpiexec -n 2 -launcher s
offers hosts.txt mpiexec -n 2 -f ho
offers here mpiexec -wdir h
offers HAFT_CHECK mpiexec -x HAFT_CH
offers hosts.txt mpiexec -n 2 ./prog -f ho
offers -ppn mpiexec -n 2 ./prog : -pp
offers sleep mpiexec -env A B -n 2 slee
offers --settings mpi-info --s
offers --json mpi-info --j
shells=bash
offers '' mpiexec -n ''
bash -c '. ./words.bash; complete -p mpiexec mpirun mpi-info' >/dev/null || fail "nothing is registered"

job -completion csh
want_rc 2
want_err '-completion is for bash, zsh or fish'
finish
