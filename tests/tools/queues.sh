# SPDX-License-Identifier: BSD-3-Clause
# Queues of messages from outside: gdb's command mpi, of a process and of a core file, and the
# library that other debuggers load.
. tests/tools/lib.sh
[ -z "$san" ] || exit 77
case $B in *-mean*) exit 77 ;; esac # rendezvous begins elsewhere
"$B/bin/mpicc" -g -O0 tests/tools/queues.c -o "$TMPDIR/queues" || fail "mpicc"
cc -std=gnu11 -D_GNU_SOURCE -I. tests/tools/mqs_host.c -ldl -o "$TMPDIR/host" || fail "cc"
said_in() {
	grep -q -e "$2" "$1" || {
		fail "not said: $2"
		cat "$1"
	}
}

ulimit -S -c "$(ulimit -H -c)"
top=$PWD
cd "$TMPDIR" || exit 1
begin -n 2 "$TMPDIR/queues" "$TMPDIR/pid"
cd "$top" || exit 1
until_ [ -s "$TMPDIR/pid" ]
read -r rank <"$TMPDIR/pid"
sleep 0.5 # it is in its last MPI_Recv soon

"$TMPDIR/host" "$B/lib/haft/libhaft-mqs.so" "$rank" >"$TMPDIR/mqs" 2>&1
case $? in
0)
	said_in "$TMPDIR/mqs" '^version 2, 8 bytes$'
	sed -n '/^MPI_COMM_WORLD: rank 0 of 2, ranks 0 1$/,/^[^ ]/p' "$TMPDIR/mqs" >"$TMPDIR/world"
	said_in "$TMPDIR/world" '^  receive: rank 1 (1), tag 77, 0 bytes, status 0$'
	sed -n '/^MPI_COMM_SELF: rank 0 of 1, ranks 0$/,/^[^ ]/p' "$TMPDIR/mqs" >"$TMPDIR/self"
	said_in "$TMPDIR/self" '^  receive: rank -1 (-1), tag -1 any, 4 bytes, status 0$'
	sed -n '/^ocean: rank 0 of 2, ranks 0 1$/,/^[^ o]/p' "$TMPDIR/mqs" >"$TMPDIR/ocean"
	said_in "$TMPDIR/ocean" '^  send: rank 1 (1), tag 3, 800000 bytes, status 0$'
	said_in "$TMPDIR/ocean" '^  receive: rank 1 (1), tag 7, 32 bytes, status 0$'
	said_in "$TMPDIR/ocean" '^  unexpected: rank 1 (1), tag 9, 12 bytes, status 1$'
	[ "$(grep -c '^  send' "$TMPDIR/mqs")" = 1 ] || fail "not one send: $(cat "$TMPDIR/mqs")"
	[ "$(grep -c '^  unexpected' "$TMPDIR/mqs")" = 1 ] || fail "not one message: $(cat "$TMPDIR/mqs")"
	;;
77) : ;; # no access to memory of other processes here
*) fail "mqs_host: $(cat "$TMPDIR/mqs")" ;;
esac

# gdb says the same, of the process and of its core file.
look() {
	gdb -nx -batch -ex 'source libmpi/debug/mpi_gdb.py' -ex mpi -ex 'mpi queues' -ex 'mpi comms' \
		-ex 'mpi windows' -ex 'mpi request receive' -ex 'mpi request persistent' -ex 'print ocean' \
		-ex 'print column' -ex 'print wild' -ex 'print status' -ex 'print window' \
		-ex 'print (MPI_Comm)0' -ex 'mpi nothing' "$@" >"$TMPDIR/gdb" 2>&1 </dev/null
	grep -q -i -e 'not permitted' -e 'scripting is not supported' "$TMPDIR/gdb" && return
	said_in "$TMPDIR/gdb" '^rank 0 of 2.*, in MPI_Recv$'
	said_in "$TMPDIR/gdb" '^  3 receives are posted, 1 messages unexpected, 1 sends not done$'
	said_in "$TMPDIR/gdb" '^communicator 0x[0-9a-f]* "ocean", rank 0 of 2$'
	said_in "$TMPDIR/gdb" '^  posted: 4 x MPI_DOUBLE from rank 1, tag 7$'
	said_in "$TMPDIR/gdb" '^  posted: 1 x MPI_INT.* from any rank, any tag$'
	said_in "$TMPDIR/gdb" '^  posted: 0 x MPI_INT.* from rank 1, tag 77$'
	said_in "$TMPDIR/gdb" '^  unexpected: 12 bytes from rank 1, tag 9$'
	said_in "$TMPDIR/gdb" '^  sending: 100000 x MPI_DOUBLE to rank 1, tag 3, 0 of 800000 bytes moved$'
	said_in "$TMPDIR/gdb" '^MPI_COMM_WORLD, rank 0 of 2, context [0-9]*$'
	said_in "$TMPDIR/gdb" '^window 0x[0-9a-f]* "lagoon", rank 0 of 2, 32 bytes at 0x[0-9a-f]*, unit 4$'
	said_in "$TMPDIR/gdb" '^request 0x[0-9a-f]* receives 4 x MPI_DOUBLE from rank 1, tag 7, communicator .*"ocean"$'
	said_in "$TMPDIR/gdb" 'sends 1 x MPI_INT.* to rank 1, tag 4, .*, persistent, inactive'
	said_in "$TMPDIR/gdb" '^\$1 = communicator 0x[0-9a-f]* "ocean", rank 0 of 2$'
	said_in "$TMPDIR/gdb" '^\$2 = datatype 0x[0-9a-f]* "column", 8 bytes, extent 20, not committed$'
	said_in "$TMPDIR/gdb" '^\$3 = request 0x[0-9a-f]* receives 1 x MPI_INT.* from any rank, any tag, MPI_COMM_SELF$'
	said_in "$TMPDIR/gdb" '^\$4 = source 1, tag 5, error 0, 4 bytes$'
	said_in "$TMPDIR/gdb" '^\$5 = window 0x[0-9a-f]* "lagoon"'
	said_in "$TMPDIR/gdb" '^\$6 = .*MPI_COMM_NULL or no live object'
	said_in "$TMPDIR/gdb" '^mpi \[queues | comms | windows | request R\]$'
}
command -v gdb >/dev/null && look -p "$rank" "$TMPDIR/queues"

# The core file is written by the kernel, where that writes files and not to a program.
read -r pattern </proc/sys/kernel/core_pattern
kill -ABRT "$rank"
wait $pid
core=$(sed -n 's/.*; core dumped: //p' "$err")
if command -v gdb >/dev/null && [ "${pattern#[|/]}" = "$pattern" ] && [ "$(ulimit -H -c)" = unlimited ]; then
	[ -s "$core" ] || fail "no core file: $(cat "$err")"
	[ ! -s "$core" ] || look "$TMPDIR/queues" "$core"
fi
finish
