# SPDX-License-Identifier: BSD-3-Clause
# mpiexec reports programs that need Open MPI's library; here a stand-in with its name.
. tests/tools/lib.sh

cd "$TMPDIR" || exit 1
echo 'int f(void); int f(void) { return 0; }' >f.c
echo 'int f(void); int main(int argc, char **argv) { (void)argv; return argc > 1 ? 3 : f(); }' >main.c
${CC:-cc} -shared -fPIC -Wl,-soname,libmpi.so.40 f.c -o libmpi.so.40 || exit 1
${CC:-cc} main.c ./libmpi.so.40 -Wl,-rpath,"$TMPDIR" -o alien || exit 1
cd - >/dev/null || exit 1
words='alien is built with Open MPI (libmpi.so.40)'
job -n 2 "$TMPDIR/alien"
want_rc 0
want_err "$words"
want_err_lines 1
job -n 2 "$TMPDIR/alien" fail
want_rc 3
want_err "$words"
job -launcher fork -hosts a,b "$TMPDIR/alien"
want_rc 0
want_err "$words"
job -n 1 "$TMPDIR/alien"
want_rc 0
want_err_lines 0
job -n 2 true
want_rc 0
want_err_lines 0
# A program that only has the name among its strings, as mpiexec itself.  Under mpiexec that is
# a job of its own in each rank.
job -n 2 "$run" -n 1 echo hi
want_rc 0
want_lines 2
want_err 'this mpiexec runs as rank 0 of a job of 2 processes, and starts a job of its own, of 1 process;'
want_err_lines 1
job -n 1 "$run" -n 2 echo hi
want_lines 2
want_err 'runs as rank 0 of a job of 1 process, and starts a job of its own, of 2 processes'
want_err_lines 1
job -n 1 "$run" -v -n 2 echo hi
want_err 'runs as rank 0 of a job of 1 process, and starts a job of its own, of 2 processes'
finish
