# SPDX-License-Identifier: BSD-3-Clause
# RUN time=60
# MPI-5.0 11.9: jobs of two users of one host meet at a port whose name one has told the other.
# Root alone can be two users.
. tests/tools/lib.sh
other=65534
patience=60
[ "$(id -u)" = 0 ] && setpriv --reuid=$other --regid=$other --clear-groups true 2>/dev/null || {
	echo "skipped: this user cannot be another one"
	rm -rf "${TMPDIR:?}"/*
	exit 77
}
me=$TMPDIR/port_exchange
"$B/bin/mpicc" $san -Wall tests/tools/port_exchange.c -o "$me" || exit 1
chmod 755 "$TMPDIR"
# as USER COMMAND...: runs it as that user.
as() {
	user=$1
	shift
	setpriv --reuid="$user" --regid="$user" --clear-groups "$@"
}
as $other test -x "$me" && as $other test -x "$run" || {
	echo "skipped: another user cannot read these files"
	rm -rf "${TMPDIR:?}"/*
	exit 77
}

# connects SERVER CLIENT OPTIONS...: two users, under mpiexec, and without it (options -).
connects() {
	said="user $1 serves, user $2 calls: $3"
	rm -rf "$TMPDIR/connects"
	mkdir "$TMPDIR/connects"
	chmod 777 "$TMPDIR/connects"
	start="$run $3"
	[ "$3" != - ] || start=
	as "$1" timeout $patience $start "$me" serve "$TMPDIR/connects/port" >"$TMPDIR/served" 2>"$TMPDIR/served.err" </dev/null &
	server=$!
	until_ [ -s "$TMPDIR/connects/port" ] || fail "$said: no port"
	as "$2" timeout $patience $start "$me" call "$TMPDIR/connects/port" >"$out" 2>"$err" </dev/null
	rc=$?
	want_rc 0
	want_out "call: user $2: good"
	wait $server || fail "$said: the server ends with $?: $(cat "$TMPDIR/served.err")"
	cp "$TMPDIR/served" "$out"
	want_out "serve: user $1: good"
}
for options in '-n 1' '-n 2' - '-launcher fork -hosts a:1,b:1 -n 2'; do
	connects 0 $other "$options"
	connects $other 0 "$options"
done
finish
