# SPDX-License-Identifier: BSD-3-Clause
# Programs that are linked with Open MPI are told from others, where nobody was in MPI: with a library
# that has only its name.
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
finish
