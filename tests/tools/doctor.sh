# SPDX-License-Identifier: BSD-3-Clause
# mpiexec -doctor describes a machine, and says how to mend it.
. tests/tools/lib.sh

# says VERDICT THING WORDS: there is such a line.
says() {
	grep "^$1  *$2 .*$3" "$out" >/dev/null || fail "no line \`$1 $2 $3' in: $(cat "$out")"
}
job -doctor
[ "$rc" = 0 ] || [ "$rc" = 1 ] || fail "exit code $rc"
[ "$rc" = 1 ] || ! grep -q '^BAD' "$out" || fail "exit code 0 with: $(grep '^BAD' "$out")"
says ok 'shared memory' memfd
for what in CPUs memory 'direct copies' 'open files' network 'host name' ssh clock TMPDIR; do
	says '[a-zB]*' "$what" ''
done
# jemalloc is there, and loads in a rank only.
! ldconfig -p 2>/dev/null | grep -q libjemalloc.so.2 || says ok libjemalloc2 for

# A thing that is missing is said with its cure.
(ulimit -n 64 && job -doctor && cp "$out" "$TMPDIR/few")
cp "$TMPDIR/few" "$out"
says less 'open files' 'ulimit -n: 64; a rank has a socket'
mkdir "$TMPDIR/path"
ln -s "$B/bin/mpicc" "$TMPDIR/path/"
printf '#!/bin/sh\n' >"$TMPDIR/path/mpirun"
chmod +x "$TMPDIR/path/mpirun"
PATH=$TMPDIR/path "$run" -doctor >"$out" 2>&1
says less ssh 'not in PATH.*openssh-client'
says ok mpicc "$TMPDIR/path/mpicc"
says less mpirun 'is first in PATH, and not that of'
says less mpiexec 'not in PATH'
case $san in *address* | *thread*) finish ;; esac # they need address space themselves
sh -c "ulimit -v 8000000; '$run' -doctor" >"$out" 2>&1
[ $? = 1 ] || fail "a bad machine, and exit code 0"
says BAD 'address space' 'should be unlimited'

# Any host of a job can be asked: it is no program of MPI.
job -launcher fork -hosts a,b -ppn 1 -l "$run" -doctor
[ "$(grep -c '^\[[01]\] ok .*memfd' "$out")" = 2 ] || fail "two hosts: $(cat "$out" "$err")"
finish
