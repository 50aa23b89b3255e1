# SPDX-License-Identifier: BSD-3-Clause
# RUN time=120
# Failures in a job of two hosts: a process, a whole host.  The launcher learns by itself that they
# are survived (HAFT_FT=auto); without a function for failures the job ends as always.
. tests/tools/lib.sh

two="-launcher fork -hosts one:2,two:2"
"$B/bin/mpicc" $san -O1 -I. -o "$TMPDIR/notice" tests/ft/notice.c || fail "notice.c"
"$B/bin/mpicc" $san -O1 -I. -o "$TMPDIR/recover" tests/ft/recover.c || fail "recover.c"
strict=$([ -n "${STRICT:-}" ] && echo 5)

job $two "$TMPDIR/notice" process $strict
want_rc 0
want_err "was killed by signal 9"
want_err "the job goes on without it"
want_out "on host two, is lost: rank 3 (process "
noticed=$(sed -n 's/.*noticed after \([0-9.]* ms\).*/\1/p' "$out")

# The connection of the dead has ended before the launcher tells why.
job $two "$TMPDIR/notice" slow
want_rc 0
want_out "on host two, is lost: rank 3 (process "

job $two "$TMPDIR/notice" host
want_rc 0
want_err "host two (ranks 2-3): the connection to its proxy is lost"
want_err "the job goes on without them"

for way in one:2,two:2 one:1,two:1,three:1,four:1; do
	job -launcher fork -hosts $way -ft "$TMPDIR/recover"
	want_rc 0
done

"$B/bin/mpicc" $san -O1 -I. -o "$TMPDIR/abort" tests/ft/abort_members.c || fail "abort_members.c"
for how in half alone handler; do
	for way in one:2,two:2 one:1,two:3 one:1,two:1,three:1,four:1; do
		job -launcher fork -hosts $way -ft -x ABORT=$how "$TMPDIR/abort"
		want_rc 0
	done
done

# A freed communicator is revoked that has a collective call over both hosts under way.
"$B/bin/mpicc" $san -O1 -I. -o "$TMPDIR/revoked" tests/ft/revoked_freed.c || fail "revoked_freed.c"
job -launcher fork -hosts one:5,two:4 -ft "$TMPDIR/revoked" collective
want_rc 0

job $two -x HAFT_FT=no "$TMPDIR/notice"
want_rc 137
echo "a process of another host: noticed after $noticed"
finish
