# SPDX-License-Identifier: BSD-3-Clause
# Bash offers at each place of the line what fits there, from the tables of mpiexec and of the settings.
. tests/tools/lib.sh
command -v bash >/dev/null || exit 77
"$run" -completion bash >"$TMPDIR/words" || fail "-completion bash"
cd "$TMPDIR" || exit 1
: >hosts.txt
mkdir here

# offers TEXT WORDS...: the last of the words is completed to lines one of which is TEXT.
offers() {
	text=$1
	shift
	got=$(bash -c '. ./words
		compopt() { :; }
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		"_haft_${COMP_WORDS[0]#mpi-}" && printf "%s\n" "${COMPREPLY[@]}"' bash "$@" 2>&1)
	case "
$got
" in *"
$text
"*) ;; *) fail "$*: no \`$text' in: $(printf %s "$got" | head -n 5)" ;; esac
}
ln -s "$run" mpiexec
offers -bind-to mpiexec -b
offers core mpiexec -bind-to c
offers slurm mpiexec -n 2 -launcher s
offers hosts.txt mpiexec -n 2 -f ho
offers here mpiexec -wdir h
offers HAFT_CHECK mpiexec -x HAFT_CH
offers hosts.txt mpiexec -n 2 ./prog -f ho
offers -ppn mpiexec -n 2 ./prog : -pp
offers '' mpiexec -n ''
offers --settings mpi-info --s
bash -c '. ./words; complete -p mpiexec mpirun mpi-info' >/dev/null || fail "nothing is registered"

job -completion csh
want_rc 2
want_err '-completion is for bash'
finish
