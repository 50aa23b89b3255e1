# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# MPI-5.0 3.5, 6.14, 12.3: programs over libfabric's provider for TCP, alone and beside shared
# memory; a peer whose connections break; the message where libfabric is not to be had; and that
# it is loaded only on request.

case $("$B/bin/mpi-info" | grep '^libfabric') in
*installed* | *headers*) echo "libfabric-dev is not installed"; exit 77 ;;
esac
run="$B/bin/mpiexec -launcher fork"
said=$TMPDIR/said
HAFT_OFI_PROVIDER=${HAFT_OFI_PROVIDER:-tcp}
export HAFT_OFI_PROVIDER

# program TEST: the path of a test, which is built if the tests are not.
program() {
	bin=$B/tests/$1
	[ -x "$bin" ] || bin=$TMPDIR/${1##*/}.program
	[ -x "$bin" ] || "$B/bin/mpicc" -std=gnu11 -O1 $SANFLAGS -I. "tests/$1.c" -o "$bin" || exit 1
	echo "$bin"
}

# over VIA "OPTIONS" TEST: a test that has passed without it.
over() {
	bin=$(program "$3") || exit 1
	HAFT_VIA=$1 timeout 120 $run $2 "$bin" >"$said" 2>&1 || {
		echo "HAFT_VIA=$1 $2 $3: $?"
		cat "$said"
		exit 1
	}
}

over ofi "-hosts a:2,b:2 -n 4" std/ch03/message_sizes
over ofi "-hosts a:2,b:2 -n 4" std/ch06/coll_sequence
over ofi-all "-n 3" std/ch03/probe

# The connection changes amid a stream of numbered messages.  If the numbers of frames did not go on
# from those by sockets, nearly all jobs of the provider udp would see messages out of order.
over ofi-all "-n 2" std/ch03/first_messages
over ofi-all "-n 4" std/ch03/first_messages
HAFT_VIA=ofi-all HAFT_OFI_PROVIDER=udp $run -n 1 "$(program std/ch03/probe)" >"$said" 2>&1
grep -q "knows no provider" "$said" ||
	HAFT_OFI_PROVIDER=udp over ofi-all "-n 4" std/ch03/first_messages

over ofi-all "-n 4" std/ch03/random_traffic
over ofi-all "-n 2" std/ch12/rma_data_movement
over ofi-all "-n 2" std/ch03/cancel_persistent
over ofi-all "-n 3" net/connection_lost
HAFT_FT=yes over ofi-all "-n 2" ft/last_messages

# Without BYE_ACK most of these jobs lose messages: the provider's frames of 60 KB let rank 0 answer
# before it learns by the sockets that rank 1 has left.
for i in 1 2 3; do
	HAFT_UNEXPECTED=16k FI_OFI_RXM_BUFFER_SIZE=70000 over ofi-all "-n 2" net/left_unread
done

"$B/bin/mpicc" -std=gnu11 -O1 $SANFLAGS -I. tests/ofi/ofi_connection_lost.c -o "$TMPDIR/cut" || exit 1
HAFT_VIA=ofi-all timeout 120 $run -n 2 "$TMPDIR/cut" >"$said" 2>&1 || {
	echo "tests/ofi/ofi_connection_lost: $?"
	cat "$said"
	exit 1
}
rm "$TMPDIR/cut"

# The signals of a crash stay the program's.
"$B/bin/mpicc" -std=gnu11 $SANFLAGS tests/ofi/crash_signals.c -o "$TMPDIR/signals" || exit 1
HAFT_BACKTRACE=no HAFT_VIA=ofi-all HAFT_OFI_PROVIDER= timeout 120 $run -n 2 "$TMPDIR/signals" >"$said" 2>&1 || {
	echo "signals are taken by libfabric: $?"
	cat "$said"
	exit 1
}
rm "$TMPDIR/signals"

# fails "WORDS" COMMAND...: all of it, for one reason
fails() {
	words=$1
	shift
	if timeout 60 "$@" >"$said" 2>&1 || ! grep -q "$words" "$said"; then
		echo "$*: not \`$words', but"
		cat "$said"
		exit 1
	fi
}

# A library that is none: as if it were not installed.
echo "no library" >"$TMPDIR/libfabric.so.1"
LD_LIBRARY_PATH=$TMPDIR${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
fails "libfabric.so.1 cannot be loaded: install libfabric1" \
	env HAFT_VIA=ofi-all $run -n 2 "$(program std/ch03/probe)"
over net "-n 2" std/ch03/cancel_persistent
over ofi "-n 2" std/ch03/cancel_persistent
rm "$TMPDIR/libfabric.so.1"
fails "libfabric knows no provider nonsense" \
	env HAFT_VIA=ofi-all HAFT_OFI_PROVIDER=nonsense $run -n 2 "$(program std/ch03/probe)"
rm -f "$said" "$TMPDIR"/*.program
