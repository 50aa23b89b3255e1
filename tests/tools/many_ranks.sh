# SPDX-License-Identifier: BSD-3-Clause
# Many ranks start and end: 512 under the usual limit of open files.
. tests/tools/lib.sh

ulimit -S -n 256
job -n 512 sh -c 'ulimit -n; :'
want_rc 0
want_lines 512
[ "$(sort -u "$out")" = 256 ] || fail "the user's limit of open files is changed"
(
	ulimit -n 64
	job -n 4 sh -c 'ulimit -n; :'
	want_rc 0
	[ "$(sort -u "$out")" = 64 ] || fail "a low limit of open files"
	exit $bad
) || bad=1
ulimit -H -n 256
job -n 512 true
want_rc 1
want_err 'open files'
want_err_lines 1
finish
