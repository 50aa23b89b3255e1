# SPDX-License-Identifier: BSD-3-Clause
# libobj/gdb.py: an object in words, and the list of those that are alive.
set -u
command -v gdb >/dev/null || exit 77
case $B in *-address* | *-thread* | *-undefined*) exit 77 ;; esac
out=$TMPDIR/out

bad() {
	echo "$1"
	cat "$out"
	rm -rf "$TMPDIR"/*
	exit 1
}
# says WORDS...: is there such a line?
says() {
	grep -q "$1" "$out" || bad "gdb does not say: $1"
}

cc -g -O0 -I. tests/build/gdb.c "$B/lib/libobj.a" -ldl -lpthread -o "$TMPDIR/prog" >"$out" 2>&1 ||
	bad "gdb.c does not build"
gdb -nx -batch -ex 'source libobj/gdb.py' -ex 'break gdb_here' -ex run -ex 'print *task' -ex obj \
	-ex 'obj nothing' -ex 'obj task->obj.token' -ex 'obj 7' -ex 'obj 99' "$TMPDIR/prog" >"$out" 2>&1
grep -q -i -e 'not permitted' -e 'scripting is not supported' "$out" && {
	rm -rf "$TMPDIR"/*
	exit 77 # no ptrace here, or a gdb without Python
}
says '^\$1 = {obj = task 0x5a[0-9a-f]* "solver" (user 1, references 1), number = 4711}$'
says '^task of gdbtest: 5$'
says ': task 0x7 "idle" (permanent)$'
says ': task 0x5a[0-9a-f]* (user 0, references 1) pending$'
says '^0x[0-9a-f]*: task 0x5a[0-9a-f]* "solver"'
says '^0x[0-9a-f]*: task 0x7 "idle"'
says '^nothing: no class, and no expression$'
says '^0x63 is no live object$'
rm -rf "$TMPDIR"/*
