# SPDX-License-Identifier: BSD-3-Clause
# Programs over several hosts, for the tests of this folder.

# over HOSTS NP TEST [VAR=VALUE...] [-- ARGUMENT...]: runs a test, which is built if the tests are
# not; ends this script if the test fails.
over() {
	hosts=$1 np=$2 test=$3
	shift 3
	vars=
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		vars="$vars $1"
		shift
	done
	[ $# = 0 ] || shift
	bin=$B/tests/$test
	if [ ! -x "$bin" ]; then
		bin=$TMPDIR/${test##*/}.program # tests of files have files of their own names there
		"$B/bin/mpicc" -std=gnu11 -O1 $SANFLAGS -I. tests/$test.c -o "$bin" || exit 1
	fi
	env $vars timeout 240 "$B/bin/mpiexec" -launcher fork $hosts -n $np "$bin" "$@" \
		>"$TMPDIR/said" 2>&1 || {
		echo "$hosts -n $np $test$vars $*: $?"
		cat "$TMPDIR/said"
		exit 1
	}
}
