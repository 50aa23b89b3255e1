# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# The start of a job: mpiexec gets one frame of each proxy that it has started itself, with the
# addresses of all hosts behind it, however many there are.

# frames HOSTS FANOUT MOST: a job of a rank on each of so many hosts
frames() {
	hosts=$(seq -s, -f h%g "$1")
	timeout 200 "$B/bin/mpiexec" -v -launcher fork -hosts "$hosts" -fanout "$2" -n "$1" \
		sh -c 'test -n "$HAFT_JOB" && echo here' >"$TMPDIR/out" 2>"$TMPDIR/err" || {
		echo "$1 hosts, fanout $2: $?"
		tail "$TMPDIR/err"
		exit 1
	}
	[ "$(grep -c '^here$' "$TMPDIR/out")" = "$1" ] || { echo "$1 hosts: not all ranks ran"; exit 1; }
	line=$(grep 'hosts are ready' "$TMPDIR/err")
	n=$(echo "$line" | sed 's/.*by \([0-9]*\) frames.*/\1/')
	[ "$n" -le "$3" ] || { echo "$1 hosts, fanout $2: $line"; exit 1; }
	rm -f "$TMPDIR/out" "$TMPDIR/err"
}

frames 7 2 2
frames 64 8 8
frames 96 32 32
