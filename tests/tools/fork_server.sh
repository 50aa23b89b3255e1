# SPDX-License-Identifier: BSD-3-Clause
# Ranks that a fork server starts (HAFT_START_BY) find what ranks find that are executed, and end as
# they do; whatever the server cannot start is executed.
. tests/tools/lib.sh
case $san in *address* | *thread*) exit 77 ;; esac # built without the server
prog=$TMPDIR/prog
src=tests/tools/start_facts.c
"$B/bin/mpicc" $san -D_GNU_SOURCE -g $src -o "$prog" || fail "mpicc"

# ways N: the ranks have so many values of AT_RANDOM, which exec gives anew.
ways() {
	[ "$(sed -n 's/^random //p' "$out" | sort -u | wc -l)" = "$1" ] ||
		fail "$said: ranks of not $1 executed processes: $(sed -n 's/^random //p' "$out" | sort | uniq -c)"
}
# by WAY ARGS...: a job whose ranks are started by fork, exec or auto.
by() {
	way=$1
	shift
	HAFT_START_BY=$way job "$@"
	said="HAFT_START_BY=$way $said"
}
facts_of() {
	grep -v '^random' "$out" | sort >"$TMPDIR/$1"
	[ -s "$TMPDIR/$1" ] || fail "$said: no facts: $(cat "$err")"
}
# same RANKS MPIEXEC-ARGS...: all facts are equal, however the ranks are started.
same() {
	n=$1
	shift
	for w in exec fork; do
		(
			trap '' USR1
			umask 027
			ulimit -S -c 1234
			exec 7</dev/null 8>>"$TMPDIR/eight"
			HAFT_START_BY=$w timeout $patience nice -n 3 "$run" "$@" <"$0" >"$out" 2>"$err"
		)
		rc=$?
		said="HAFT_START_BY=$w mpiexec $*"
		want_rc 0
		facts_of $w
		ways $(($([ $w = fork ] && echo ${servers:-1} || echo $n)))
	done
	cmp -s "$TMPDIR/exec" "$TMPDIR/fork" || fail "$said: $(diff "$TMPDIR/exec" "$TMPDIR/fork" | head -20)"
	grep -q 'kernel has not' "$TMPDIR/fork" && fail "$said: $(grep -m 3 'kernel has not' "$TMPDIR/fork")"
	[ "$(grep -c 'finalize 0' "$TMPDIR/fork")" = "$n" ] || fail "$said: not $n ranks"
}
mkdir "$TMPDIR/d"
same 5 -n 5 "$prog" facts 'a b' ''
same 40 -n 40 -wdir "$TMPDIR/d" -genv X 'y z' -genv EMPTY '' "$prog"
same 3 -n 3 -s all "$prog"
same 4 -bind-to core -n 4 "$prog"
same 3 -genv HAFT_VIA net -n 3 "$prog"
same 3 -profile="$TMPDIR/profile.txt" -n 3 "$prog"
(
	ulimit -S -n 64
	same 3 -genv HAFT_VIA net -n 3 "$prog"
	exit $bad
) || bad=1
servers=2
same 5 -n 3 "$prog" facts one : -n 2 -env Z 1 "$prog" facts two
same 6 -launcher fork -hosts a:3,b:3 -n 6 "$prog"
servers=

# Many are forked without being asked for, few are not.  Both in one job, and of a spawn.
many=$((16 + 4 * $(nproc)))
by auto -n $many "$prog"
want_rc 0
ways 1
by auto -n 4 "$prog"
ways 4
by auto -n 2 "$prog" : -n $many "$prog"
ways 3
by auto -n 1 "$prog" spawn $many
want_rc 0
ways 1
[ "$(grep -c 'finalize 0' "$out")" = $((many + 1)) ] || fail "$said: not all have come: $(cat "$err")"

# Constructors run in each rank.
by fork -n 6 -genv START_FACTS thread "$prog"
want_rc 0
ways 1
[ "$(grep -c 'status Threads:.2' "$out")" = 6 ] || fail "$said: a thread is missing: $(grep Threads "$out")"
by fork -n 6 -genv START_FACTS words "$prog" none
want_rc 0
for f in "$out" "$err"; do
	[ "$(grep '^constructor' "$f" | sort)" = "$(for i in 0 1 2 3 4 5; do echo "constructor of $i"; done)" ] ||
		fail "$said: $(cat "$f")"
done

# Also those of libraries that come before ours without it: they are initialised later.
if [ -z "$san" ]; then
	cc -shared -fPIC tests/tools/start_library.c -o "$TMPDIR/libfirst.so" &&
		cc -D_GNU_SOURCE -I"$B/include" $src -Wl,--no-as-needed "$B/lib/libmpi_abi.so" \
			"$TMPDIR/libfirst.so" -Wl,-rpath,"$B/lib:$TMPDIR" -o "$TMPDIR/uses" || fail "cc"
	same 3 -n 3 "$TMPDIR/uses"
	[ "$(sed -n 's/library has seen rank//p' "$TMPDIR/fork" | tr '\n' ' ')" = '0  0 1  1 2  2 ' ] ||
		fail "$said: constructors of a library: $(grep library "$TMPDIR/fork")"
fi

# Ends: codes, a signal at once, SIGTERM, SIGKILL of mpiexec and of the server in the middle.
for w in exec fork; do
	by $w -n 6 "$prog" code 0
	want_rc 0
	by $w -n 2 "$prog" code 7
	want_rc 7
	by $w -n 6 "$prog" kill itself $mark
	want_rc 137
	want_err "rank 2 (process "
	want_err "was killed by signal 9 (Killed)"
	want_err_lines 1
done
gone() {
	until_gone "$mark" 1000 || fail "$said: $(alive "$mark") processes are left"
}
gone
by fork -n 500 "$prog" kill mpiexec-term $mark
want_rc 143
gone
by fork -n 500 "$prog" kill mpiexec $mark
want_rc 137
gone
for how in server server-stop; do
	by fork -n 900 "$prog" kill $how $mark
	case $how.$rc in
	server.1) want_err "its fork server has ended" ;;
	server-stop.143) ! grep 'could not' "$err" || fail "$said" ;; # SIGTERM is obeyed
	*.137) echo "$said: the server had ended before rank 2 looked for it" ;; # rank 2 ends itself then
	*) fail "$said: exit code $rc: $(head -3 "$err")" ;;
	esac
	gone
done

# A limit of processes that is enough for executed ranks is enough for forked ones.
other="setpriv --reuid=61236 --regid=61236 --clear-groups"
if [ "$(id -u)" = 0 ] && $other "$run" -n 1 "$prog" none >"$out" 2>&1; then
	limit=9
	until HAFT_START_BY=exec prlimit --nproc=$limit $other "$run" -n 10 "$prog" none >"$out" 2>&1; do
		limit=$((limit + 1))
		[ $limit -lt 20 ] || break
	done
	said="HAFT_START_BY=fork, ulimit -u $limit"
	HAFT_START_BY=fork prlimit --nproc=$limit $other "$run" -n 10 "$prog" none >"$out" 2>"$err" </dev/null
	rc=$?
	want_rc 0
	[ "$(sort -n "$out")" = "$(seq -f '%g finalize 0' 0 9)" ] || fail "$said: $(cat "$out")"
	HAFT_START_BY=fork prlimit --nproc=$((limit - 1)) $other "$run" -n 10 "$prog" none >"$out" 2>"$err" </dev/null
	rc=$?
	want_rc 1
	want_err "could not be started: fork: Resource temporarily unavailable (11) (ulimit -u: $((limit - 1));"
fi

# Programs that the server cannot start are executed, once, without a word.
once() {
	rm -f "$TMPDIR/lines"
	n=$1
	shift
	by fork -n $n "$@"
	want_rc 0
	[ ! -s "$err" ] || fail "$said: $(cat "$err")"
}
once 4 -genv LD_PRELOAD libm.so.6 "$prog"
ways 4
once 4 -wrap "env A=b" "$prog"
ways 4
once 4 sh -c "exec '$prog'"
ways 4
if [ "$(id -u)" = 0 ]; then
	cp "$prog" "$TMPDIR/setuid"
	chmod u+s "$TMPDIR/setuid"
	once 4 "$TMPDIR/setuid"
	ways 4
fi

# mpiexec -v says how ranks are started.
by fork -v -n 3 "$prog" none
want_err "$prog: 3 ranks: copies of one process"
by exec -v -n 3 "$prog" none
want_err "$prog: 3 ranks: executed each by itself, as HAFT_START_BY=exec"
by fork -v -n 3 -genv LD_PRELOAD libm.so.6 "$prog" none
want_err "$prog: 3 ranks: executed each by itself, as a variable changes what the dynamic linker does"

# A kernel that lets no server fork: the ranks are executed, with words.  (Where libc's vfork is not
# clone.)  One that binds no rank: the rank says so.
refuse=$TMPDIR/refuse
"$B/bin/mpicc" $san tests/tools/refuse.c -o "$refuse" || fail "mpicc"
refused() {
	calls=$1
	shift
	HAFT_START_BY=fork timeout $patience "$refuse" $calls "$run" "$@" >"$out" 2>"$err" </dev/null
	rc=$?
	said="HAFT_START_BY=fork, refused: $calls: mpiexec $*"
}
refused clone=EPERM -n 4 "$prog"
if [ $rc != 77 ] && [ "$(uname -m)" = x86_64 ]; then
	want_rc 0
	want_err "$prog: 4 ranks: executed each by itself, as its fork server may not fork: Operation not permitted"
	want_err_lines 1
	ways 4
fi
if [ $rc != 77 ]; then
	refused pidfd_open=ENOSYS -n 4 "$prog" none # an old kernel: no word of it, but by -v
	want_rc 0
	[ ! -s "$err" ] || fail "$said: $(cat "$err")"
	refused pidfd_open=ENOSYS -v -n 4 "$prog" none
	want_err "as there is no pidfd_open here"
	refused sched_setaffinity=EPERM -bind-to core -n 2 "$prog" none
	[ $rc != 0 ] || fail "$said: exit code 0"
	want_err "a rank could not be started: the CPUs that it is to be bound to: errno 1"
fi

# A linker that does not come to an end: after 3 s mpiexec says so, also of another host, which is
# not taken for a lost one meanwhile.
mkdir "$TMPDIR/stuck"
mkfifo "$TMPDIR/stuck/libc.so.6"
export HAFT_START_BY=fork
begin -genv LD_LIBRARY_PATH "$TMPDIR/stuck" -n 2 "$prog" none
until_err "$prog: 2 ranks: executed each by itself, as the dynamic linker has not named its libraries in 3 s"
kill $pid
wait $pid
begin -launcher fork -hosts a:2,b:2 -genv LD_LIBRARY_PATH "$TMPDIR/stuck" -n 4 "$prog" none
until_err "libraries in 3 s"
sleep 3 # the host would be lost by then
! grep 'lost\|silent' "$err" || fail "$said: $(cat "$err")"
kill $pid
wait $pid
unset HAFT_START_BY

# A library of the same name that has no fork server: its programs run once in each rank.
mkdir "$TMPDIR/other"
for f in MPI_Init MPI_Finalize MPI_Comm_rank MPI_Comm_get_parent MPI_Comm_spawn; do
	echo "int $f() { return 0; }"
done >"$TMPDIR/other.c"
cc -shared -fPIC -Wl,-soname,libmpi_abi.so.1 "$TMPDIR/other.c" -o "$TMPDIR/other/libmpi_abi.so.1" || fail "cc"
cc -D_GNU_SOURCE -I"$B/include" $src "$TMPDIR/other/libmpi_abi.so.1" -Wl,-rpath,"$TMPDIR/other" -o "$TMPDIR/foreign" || fail "cc"
by fork -n 4 "$TMPDIR/foreign" line "$TMPDIR/lines"
want_rc 0
[ "$(wc -l <"$TMPDIR/lines")" = 4 ] || fail "$said: it ran $(wc -l <"$TMPDIR/lines") times"

# A missing library: the same words as ever, of each rank.
rm "$TMPDIR/other/libmpi_abi.so.1"
by fork -n 4 "$TMPDIR/foreign" none
want_rc 127
[ "$(grep -c 'error while loading shared libraries' "$err")" -ge 1 ] || fail "$said: $(cat "$err")"
[ "$(grep -c 'error while loading shared libraries' "$err")" -le 4 ] || fail "$said: $(cat "$err")"

# A sanitizer's program.
if cc -fsanitize=address -x c - -o "$TMPDIR/asan" 2>/dev/null <<EOF; then
int main(void) { return 0; }
EOF
	"$B/bin/mpicc" $san -D_GNU_SOURCE -fsanitize=address $src -o "$TMPDIR/asan" &&
		ASAN_OPTIONS=detect_leaks=0 by fork -n 4 "$TMPDIR/asan"
	want_rc 0
	ways 1
fi
finish
