#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# start.sh - how long 4 hosts of 4 ranks take to start and end over ssh, beside what ssh itself
# takes to run the same commands on the same hosts; in turns, and after that without a second of
# work.
#
#   B=DIR      build directory (default build/release)
#   ROUNDS=N   turns (default 15)
#
# The hosts are made of this machine (tests/launch/vhosts.sh: root), the home of the user who logs
# in is empty: a shell's files there would be measured four times.
B=${B:-build/release}
case $B in /*) ;; *) B=$PWD/$B ;; esac
TMPDIR=$(mktemp -d "${TMPDIR:-/tmp}/start.XXXXXX") || exit 1
export B TMPDIR
. tests/launch/vhosts.sh
vh_need
vh_up "$TMPDIR/vh" 4
trap 'vh_down; rm -rf "${TMPDIR:?}"' EXIT

# took FILE CMD...: ms that it takes, a line of FILE.
took() {
	to=$1
	shift
	from=$(date +%s%N)
	vh_root "$@" >"$TMPDIR/out" 2>"$TMPDIR/err" </dev/null || cat "$TMPDIR/err" >&2
	echo $((($(date +%s%N) - from) / 100000)) >>"$TMPDIR/$to"
	[ "$(wc -l <"$TMPDIR/out")" = 16 ] || { echo "$*: not 16 lines" >&2 && exit 1; }
}
# With words that mpiexec gives to ssh, too.
bare='for h in h1 h2 h3 h4; do
	"$0" -x -T -o BatchMode=yes -o EscapeChar=none $h \
		"hostname & hostname & hostname & hostname & wait" </dev/null &
	done; wait'
for i in $(seq "${ROUNDS:-15}"); do
	took bare sh -c "$bare" "$vh_ssh"
	took ours "$B/bin/mpiexec" -launcher-exec "$vh_ssh" -hosts h1:4,h2:4,h3:4,h4:4 hostname
done
paste "$TMPDIR/bare" "$TMPDIR/ours" | awk '
	function middle(v, n,    i, j, x) {
		for (i = 2; i <= n; i++)
			for (j = i; j > 1 && v[j - 1] > v[j]; j--) {
				x = v[j]; v[j] = v[j - 1]; v[j - 1] = x
			}
		return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
	}
	{ bare[NR] = $1 / 10; ours[NR] = $2 / 10; ratio[NR] = $2 / $1 }
	END {
		printf "4 hosts x 4 ranks over ssh: %.0f ms; ssh alone, to all at once: %.0f ms; ratio %.2f\n",
			middle(ours, NR), middle(bare, NR), middle(ratio, NR)
	}'
