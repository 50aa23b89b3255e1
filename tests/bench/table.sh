# SPDX-License-Identifier: BSD-3-Clause
# The benchmark's table says what its results say: medians, ratios, bounds, states.
set -u
in=$TMPDIR/results
trap 'rm -f "$in"' EXIT
cat >"$in" <<'END'
2.cores haft 1 = lat8 us 1 2 3
2.cores openmpi 1 = lat8 us 3 4 5
2.cores mpich 1 = lat8 us 7 8 9
2.cores haft 2 = lat8 us 1 3 3
2.cores openmpi 2 = lat8 us 3 4 5
2.cores mpich 2 > lat8 us 70
2.cores haft 3 = lat8 us 10 20 30
2.cores openmpi 3 = lat8 us 30 40 50
2.cores haft 1 = rate8 M/s 50
2.cores openmpi 1 = rate8 M/s 20
2.cores mpich 1 = rate8 M/s 25
64.free haft 1 = start s 0.2
64.free openmpi 1 > start s 20
64.free mpich 1 ! start failed
2.share haft 1 ! lat8 time
2.share openmpi 1 = lat8 us 4000
END

# line FIGURE ID FIRST TARGET EXPECTED: one line of the table, blanks squeezed.
line() {
	got=$(awk -v libs="haft openmpi mpich" -v verbose=0 -v mode=row -v figure="$1" -v id="$2" \
		-v first="$3" -v target="$4" -v title=T -f tests/bench/table.awk "$in" | tr -s ' ')
	[ "$got" = "$5" ] && return
	echo "expected: $5"
	echo "got:      $got"
	bad=1
}

bad=0
# The third round was ten times slower for both: the ratio does not see it, and a star tells of
# the round in which MPICH gave no figure.
line lat8 2.cores - 'r<=0.70' 'T 3.00 4.00 8.00* 0.50 r<=0.70 ok'
line lat8 2.cores - 'r<=0.40' 'T 3.00 4.00 8.00* 0.50 r<=0.40 MISS'
line lat8 2.cores 'r<=0.50' 'r<=0.40' 'T 3.00 4.00 8.00* 0.50 r<=0.40 first'
line lat8 2.cores - 'v<=2' 'T 3.00 4.00 8.00* 0.50 v<=2 MISS'
line lat8 2.cores - - 'T 3.00 4.00 8.00* 0.50'
# More is better: the best peer is the one with the most.
line rate8 2.cores - 'r>=2.00' 'T 50.0 20.0 25.0 2.00 r>=2.00 ok'
# No peer has a figure: the limit is a bound.
line start 64.free - 'r<=0.15' 'T 0.200 > 20.0 failed < 0.01 r<=0.15 ok'
# We have none.
line lat8 2.share - 'v<=5' 'T time 4000 - - v<=5 MISS'
exit $bad
