# SPDX-License-Identifier: BSD-3-Clause
# Many ranks start and end: 512 under the usual limit of open files.  A signal ends a start.
. tests/tools/lib.sh

# SIGTERM while ranks are being started: they are ended, and most others are never started.
if [ "$(ulimit -H -n)" = unlimited ] || [ "$(ulimit -H -n)" -ge 4096 ]; then
	mkdir "$TMPDIR/up"
	job -n 1000 sh -c "$my : >'$TMPDIR/up/'\$r; [ \$r != 0 ] || kill -TERM \$PPID; exec sleep $mark"
	want_rc 143
	[ "$(ls "$TMPDIR/up" | wc -l)" -lt 1000 ] || fail "$said: SIGTERM came after the last start"
	until_gone "$mark" 0 || fail "$said: ranks are left"
fi

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
