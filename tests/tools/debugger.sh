# SPDX-License-Identifier: BSD-3-Clause
# Debuggers: mpiexec -gdb, and tools that start mpiexec or attach to it by the MPIR interface.
. tests/tools/lib.sh
command -v gdb >/dev/null || exit 77
[ -z "$san" ] || exit 77
"$B/bin/mpicc" -g -O0 tests/tools/debugged.c -o "$TMPDIR/prog" || fail "mpicc"
prog=$TMPDIR/prog
at=$TMPDIR/at
said_by_gdb() {
	grep -q -e "$1" "$out" || {
		fail "$said: gdb does not say: $1"
		cat "$out" "$err"
	}
}

# One gdb with an inferior for each rank, all before MPI_Init, at main.
with_gdb() {
	said="mpiexec $*"
	timeout $patience "$run" "$@" >"$out" 2>"$err"
	rc=$?
}
printf '%s\n' 'info inferiors' 'echo files:\n' "shell ls $TMPDIR" 'thread apply all bt 1' 'break debugged_work' continue \
	'bt 2' 'print size' mpi delete continue quit >"$TMPDIR/in"
with_gdb -n 2 -gdb "$prog" "$at" <"$TMPDIR/in"
if grep -q -i 'not permitted' "$out" "$err"; then
	finish # no ptrace here
fi
want_rc 0
said_by_gdb '^rank 0 is inferior 1, process [0-9]'
said_by_gdb '^rank 1 is inferior 2, process [0-9]'
[ "$(sed -n '/files:/,/Breakpoint 3/p' "$out" | grep -c '#0 .*main (')" = 2 ] || fail "not both ranks are at main: $(cat "$out")"
sed -n '/files:/,/Thread/p' "$out" | grep -q '^at\.' && fail "a rank was in MPI_Init before gdb: $(cat "$out")"
said_by_gdb '#0 .*debugged_work (rank=[01], size=2) at .*debugged.c:'
said_by_gdb '#1 .*main ('
said_by_gdb '^(gdb) rank [01] of 2, process [0-9]*, in its own code$' # share/haft/gdb.py is loaded
said_by_gdb '= 2$'
[ -e "$at.0" ] && [ -e "$at.1" ] || fail "the job has not gone on: $(cat "$out")"
rm -f "$at".*

# Some of the ranks only.
printf '%s\n' 'info inferiors' quit >"$TMPDIR/in"
with_gdb -n 3 -gdb=1 "$prog" "$at" <"$TMPDIR/in"
want_rc 0
said_by_gdb '^rank 1 is inferior 1, process [0-9]'
grep -q 'inferior 2' "$out" && fail "-gdb=1 has two inferiors: $(cat "$out")"
[ -e "$at.2" ] || fail "-gdb=1: rank 2 has not run"
rm -f "$at".*
job -n 9 -gdb "$prog"
want_rc 2
want_err '-gdb takes up to 8 ranks in one gdb, not 9; choose some, as in -gdb=0,3'
job -n 2 -gdb=2 "$prog"
want_rc 2
want_err '-gdb=2: the last rank is 1'
job -launcher fork -hosts a,b -gdb "$prog"
want_rc 2
want_err '-gdb is for ranks of this host'
said="mpiexec -gdb without gdb"
PATH=$TMPDIR/none "$run" -n 1 -gdb "$prog" >"$out" 2>"$err" </dev/null
rc=$?
want_rc 127
want_err "-gdb: program \`gdb' not found"

# MPIR: the tool starts mpiexec; ranks wait in MPI_Init until it goes on.
tool() {
	said="gdb mpiexec $*"
	timeout $patience gdb -nx -batch -ex starti \
		-ex 'set var *(int *)&MPIR_being_debugged = 1' -ex 'break MPIR_Breakpoint' -ex continue \
		-ex 'print *(int *)&MPIR_debug_state' -ex 'print *(int *)&MPIR_proctable_size' \
		-ex 'print **(char ***)&MPIR_proctable' -ex 'print ((char ***)&MPIR_proctable)[0][1]' \
		-ex 'print ((char ***)&MPIR_proctable)[0][3]' -ex 'print ((int **)&MPIR_proctable)[0][10]' \
		-ex 'shell sleep 0.5; ls '"$TMPDIR" -ex 'delete' -ex "break *'MPIR_Breakpoint'" -ex continue \
		-ex 'print *(int *)&MPIR_debug_state' -ex 'print *(char **)&MPIR_debug_abort_string' -ex continue \
		--args "$@" >"$out" 2>"$err" </dev/null
}
tool "$run" -n 2 "$prog" "$at"
said_by_gdb '^\$1 = 1$'
said_by_gdb '^\$2 = 2$'
said_by_gdb "^\\\$4 = .*\"$prog\""
pid=$(sed -n 's/^\$6 = //p' "$out")
[ "${pid:-0}" -gt 1 ] || fail "no process number: $(cat "$out")"
sed -n '/^\$6/,/exited/p' "$out" | grep -q '^at\.' && fail "a rank has left MPI_Init before the tool went on: $(cat "$out")"
said_by_gdb 'exited normally'
[ -e "$at.0" ] && [ -e "$at.1" ] || fail "the ranks have not gone on: $(cat "$out")"
rm -f "$at".*

# So on several hosts, with a stripped mpiexec.
mkdir -p "$TMPDIR/bin"
cp "$run" "$TMPDIR/bin/mpiexec" && strip "$TMPDIR/bin/mpiexec" || fail "strip"
readelf -W --dyn-syms "$TMPDIR/bin/mpiexec" >"$out"
for s in proctable proctable_size debug_state being_debugged Breakpoint i_am_starter partial_attach_ok \
	debug_abort_string; do
	grep -q " MPIR_$s\$" "$out" || fail "no MPIR_$s in a stripped mpiexec"
done
tool "$TMPDIR/bin/mpiexec" -launcher fork -hosts a,b "$prog" "$at"
said_by_gdb '^\$2 = 2$'
said_by_gdb '^\$3 = .*"a"$'
said_by_gdb '^\$5 = .*"b"$'
sed -n '/^\$6/,/exited/p' "$out" | grep -q '^at\.' && fail "a far rank has left MPI_Init: $(cat "$out")"
said_by_gdb 'exited normally'
[ -e "$at.0" ] && [ -e "$at.1" ] || fail "the far ranks have not gone on: $(cat "$out")"
rm -f "$at".*

# The tool names a server: one on each host that has ranks, before it is told of them.
word="echo server >>$at.server"
timeout $patience gdb -nx -batch -ex starti -ex 'set var *(int *)&MPIR_being_debugged = 1' \
	-ex 'set var {char [8]} &MPIR_executable_path = "/bin/sh"' \
	-ex "set var {char [$((${#word} + 5))]} &MPIR_server_arguments = \"-c\\000$word\\000\"" \
	-ex 'break MPIR_Breakpoint' -ex continue -ex 'shell sleep 1' -ex "shell cat $at.server" -ex continue \
	--args "$run" -launcher fork -hosts a,b "$prog" "$at" >"$out" 2>"$err" </dev/null
[ "$(grep -c '^server$' "$out")" = 2 ] || fail "not a server on each host: $(cat "$out" "$err")"
said_by_gdb 'exited normally'
rm -f "$at".*

# A job that fails stops for the tool.
tool "$run" -n 1 false
said_by_gdb '^\$7 = 2$'
said_by_gdb '"the job has failed with exit code 1"'

# A tool that attaches later finds the table full.
begin -n 2 "$prog" "$at" wait
until_ [ -e "$at.1" ]
timeout $patience gdb -nx -batch -p $pid -ex 'print *(int *)&MPIR_proctable_size' \
	-ex 'print ((char ***)&MPIR_proctable)[0][1]' >"$TMPDIR/said" 2>&1 </dev/null
grep -q '^\$1 = 2$' "$TMPDIR/said" || fail "a tool that attaches: $(cat "$TMPDIR/said")"
grep -q "\"$prog\"" "$TMPDIR/said" || fail "a tool that attaches: $(cat "$TMPDIR/said")"
kill $pid
wait $pid
finish
