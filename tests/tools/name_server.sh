# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 11.9.4: mpiexec -name-server serves names to jobs of several mpiexecs, and to programs
# without one, which know its secret.
. tests/tools/lib.sh

me=$TMPDIR/service
uri=$TMPDIR/uri
"$B/bin/mpicc" $san -Wall tests/tools/service.c -o "$me" || exit 1

"$run" -name-server -iface lo -report-uri "$uri" >"$TMPDIR/server" 2>&1 </dev/null &
server=$!
until_ [ -s "$uri" ] || fail "the name server does not start"
[ "$(stat -c %a "$uri")" = 600 ] || fail "others may read the address"
said="the address"
grep -q '^haft-names://.*/tcp:127.0.0.1:[0-9]*/[0-9a-f]\{32\}$' "$uri" || fail "$said: $(cat "$uri")"

# --- two mpiexecs; the second time a program without one
for client in "$run -n 1" ""; do
	: >"$TMPDIR/o"
	"$run" -n 1 -nameserver "file:$uri" "$me" -k haft_scope=server publish solver \
		>"$TMPDIR/o" 2>"$err" </dev/null &
	publisher=$!
	until_there "$TMPDIR/o" 1
	said="$client lookup"
	HAFT_NAME_SERVER=$(cat "$uri") timeout $patience $client "$me" -k haft_scope=server lookup solver \
		>"$out" 2>"$err" </dev/null
	rc=$?
	want_rc 0
	want_out 'lookup: good'
	wait $publisher || fail "publish: exit code $?"
	cp "$TMPDIR/o" "$out"
	want_out 'publish: good'
	want_out 'unpublish: good'
done

# --- the key names the server as well; errors have words
job -n 1 "$me" -k "haft_name_server=file:$uri" errors e
want_rc 0
want_out 'publish: good'
want_out 'again: MPI_ERR_SERVICE'
want_out '"e" is published already at the name server'
want_out 'replace: good'
want_out 'found: third'
want_out 'unpublish: good'
want_out 'unpublish again: MPI_ERR_SERVICE'
want_out 'lookup again: MPI_ERR_NAME'
job -n 1 "$me" -k haft_scope=server lookup solver
want_out 'lookup: MPI_ERR_INFO_VALUE'
want_out 'HAFT_NAME_SERVER'
job -n 1 -nameserver "file:$TMPDIR/none" "$me" -k haft_scope=server lookup solver
want_out 'no address of a name server in'
job -n 1 -nameserver node7 "$me" -k haft_scope=server lookup solver
want_rc 2
want_err 'mpiexec -name-server'

# --- a process that ends takes its names along
job -n 1 -nameserver "file:$uri" "$me" -k haft_scope=server leave left
want_out 'publish: good'
job -n 1 -nameserver "file:$uri" "$me" -k haft_scope=server lookup left
want_out 'lookup: MPI_ERR_NAME'

# --- without a key a name is found on its host and at the server
: >"$TMPDIR/o"
"$run" -n 1 -nameserver "file:$uri" "$me" publish "both $$" >"$TMPDIR/o" 2>"$err" </dev/null &
publisher=$!
until_there "$TMPDIR/o" 1
job -n 1 -nameserver "file:$uri" "$me" -k haft_scope=server lookup "both $$"
want_out 'lookup: good'
wait $publisher || fail "publish: exit code $?"

# --- a name in one scope is withdrawn, though another program holds it in another scope
: >"$TMPDIR/o"
"$run" -n 1 "$me" -k haft_scope=host publish "held $$" >"$TMPDIR/o" 2>"$err" </dev/null &
publisher=$!
until_there "$TMPDIR/o" 1
for way in "-n 1 -nameserver file:$uri $me -k haft_scope=server" \
	"-launcher fork -hosts a:1,b:1 -n 2 $me -k haft_scope=job"; do
	job $way withdraw "held $$"
	want_rc 0
	want_out 'publish: good'
	want_out 'wrong: MPI_ERR_SERVICE'
	want_out 'published with another port'
	want_out 'withdraw: good'
	want_out 'found: MPI_ERR_NAME'
done
job -n 1 "$me" lookup "held $$"
want_out 'lookup: good'
wait $publisher || fail "publish: exit code $?"

# --- strangers: rubbish, and another secret
job -n 1 "$me" noise "$(cat "$uri")"
want_rc 0
want_out 'hung up'
"$me" silence "$(cat "$uri")" >"$TMPDIR/silent" </dev/null &
silent=$!
until_there "$TMPDIR/silent" 1
job -n 1 "$me" -k "haft_name_server=file:$uri" errors quiet
want_out 'publish: good'
want_out 'lookup again: MPI_ERR_NAME'
kill $silent
other=$(sed 's|/[0-9a-f]*$|/00000000000000000000000000000000|' "$uri")
job -n 1 -nameserver "$other" "$me" -k haft_scope=server lookup solver
want_out 'lookup: MPI_ERR_NAME'
want_out 'has refused this process'
job -n 1 -nameserver "file:$uri" "$me" -k haft_scope=server lookup solver
want_out 'no process has published "solver" at the name server'

# --- without descriptors for more clients it says so once, waits, and goes on when some have left
(
	ulimit -n 14
	exec "$run" -name-server -iface lo -report-uri "$uri.few" >"$TMPDIR/few" 2>&1 </dev/null
) &
few=$!
until_ [ -s "$uri.few" ] || fail "the name server with few descriptors does not start"
"$me" silence "$(cat "$uri.few")" >"$TMPDIR/held" </dev/null &
held=$!
until_ grep -q 'cannot accept more: .*(errno 24)' "$TMPDIR/few" || fail "no words of a full server"
sleep 1.2
[ "$(wc -l <"$TMPDIR/few")" = 1 ] || fail "a full server says: $(cat "$TMPDIR/few")"
kill $held
job -n 1 "$me" -k "haft_name_server=file:$uri.few" errors few
want_out 'publish: good'
want_out 'lookup again: MPI_ERR_NAME'
kill $few
wait $few || fail "the name server with few descriptors ends with $?"

# --- its end: the file goes, and clients are told
last=$(cat "$uri")
kill $server
wait $server || fail "the name server ends with $?"
[ ! -e "$uri" ] || fail "its address is left in the file"
[ ! -s "$TMPDIR/server" ] || fail "it has said: $(cat "$TMPDIR/server")"
job -n 1 -nameserver "$last" "$me" -k haft_scope=server lookup solver
want_out 'no way to the name server'
finish
