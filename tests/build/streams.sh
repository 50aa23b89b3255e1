# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# A runtime of a device on the installed libobj: built by pkg-config alone, used from C, Fortran and
# Python.
set -u
case $B in *-address* | *-thread* | *-undefined*) exit 77 ;; esac # a plain cc cannot link these
command -v pkg-config >/dev/null || exit 77
prefix=$TMPDIR/prefix
bad=0

fail() {
	echo "$*"
	bad=1
}
make -s install-libobj B="$B" PREFIX="$prefix" DESTDIR= >"$TMPDIR/make.log" 2>&1 || {
	cat "$TMPDIR/make.log"
	exit 1
}
cp "$prefix"/share/doc/libobj/examples/streams/* "$TMPDIR" || exit 1
cd "$TMPDIR" || exit 1
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib:$TMPDIR

cc -Wall -Wextra -Werror -O1 -g -shared -fPIC device.c queue.c event.c buffer.c kernel.c attr.c integers.c \
	$(pkg-config --cflags --libs libobj) -pthread -o libstreams.so || fail "libstreams.so"
cc -Wall -Wextra -Werror -g demo.c -L. -lstreams -pthread -o demo || fail demo
timeout 100 ./demo >got 2>&1 || fail "demo: exit code $?"
# said WORDS: a line of the program has them.
said() {
	grep -q -- "$1" got || fail "no line with: $1"
}
said '^compute: 61$'
said 'copy callback of an attribute returned 7'
said '^inherit: 3 values deleted$'
said '^handler: kernel of queue child returned 42$'
said '^failures: the handler was called 1 time$'
said "a buffer, not a queue; name 'bytes'; created at .*demo"
said "a queue, not a buffer; name 'mine'"
said 'never was a handle'
said "stale: it was freed; name 'mine'; created at .*demo.*; freed at .*demo"
said 'the null handle'
said '^threads: done$'
said "'lost one', 1 handle, 0 references: 4096 bytes"
said '^1 left$'
[ $bad = 0 ] || cat got
if command -v valgrind >/dev/null; then
	timeout 200 valgrind -q --error-exitcode=9 ./demo >got 2>&1 || fail "valgrind: $(tail -20 got)"
fi

if command -v gfortran >/dev/null; then
	{ gfortran -Wall streams.f90 saxpy.f90 -L. -lstreams $(pkg-config --libs libobj) -o saxpy_f &&
		timeout 100 ./saxpy_f; } >got 2>&1 || fail "Fortran: $(cat got)"
	said '^inherited: 1 -7$'
	said '^y = 7.0$'
	said "stale: it was freed; name 'fortran'"
	said "a buffer, not a queue; name 'result'"
	said '^0 left$'
fi
if command -v python3 >/dev/null; then
	STREAMS_LIBRARY=./libstreams.so timeout 100 python3 -B saxpy.py >got 2>&1 || fail "Python: $(cat got)"
	said '^y = 7.0$'
	said "stale: it was freed; name 'python'"
	said 'a buffer, not a kernel'
	said '^0 left$'
fi
# It shows nothing but its own, and knows nothing of MPI.
! nm -D --undefined-only libstreams.so | grep -i ' mpi' || fail "a device that knows MPI"
cd /
rm -rf "${TMPDIR:?}"/*
exit $bad
