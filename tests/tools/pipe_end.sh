# SPDX-License-Identifier: BSD-3-Clause
# RUN idle
# MPI-5.0 14.2.1: MPI_File_open of a pipe waits for its other end.  mpiexec's report of waits names
# call and pipe, and the open goes on when the other end is there.
. tests/tools/lib.sh

prog=$TMPDIR/pipe_end
"$B/bin/mpicc" $san -Wall tests/tools/pipe_end.c -o "$prog" || exit 1
mkfifo "$TMPDIR/p"
name=$(printf %s "$TMPDIR/p" | tail -c 39)

for n in 1 2; do
	for way in read write; do
		behind env HAFT_HANG=1 "$run" -n $n "$prog" "$TMPDIR/p" $way
		until_err "in MPI_File_open of $name, for the other end of this pipe"
		case $way in
		read) printf 'ab' >"$TMPDIR/p" ;;
		write) [ "$(cat "$TMPDIR/p" | wc -c)" = $n ] || fail "$n ranks: not all has come" ;;
		esac
		wait $pid || fail "$n ranks, $way: exit code $?"
	done
done
finish
