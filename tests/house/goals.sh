# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# Several goals in one command: each that calls make again waits for the one before it, because they
# build in one directory.  (make -j8 lint check used to run a tool that the other make was linking.)

# waits GOALS GOAL BEFORE: in a make of these goals, GOAL comes after BEFORE.
waits() {
	make -np $1 2>/dev/null | grep -q "^$2:.*| .*\b$3\b" && return
	echo "make $1: $2 does not wait for $3"
	exit 1
}
waits "lint check" check lint
waits "check lint" lint check
waits "all lint check-net" check-net lint
waits "all lint check-net" lint all
