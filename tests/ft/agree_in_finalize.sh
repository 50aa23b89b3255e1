# SPDX-License-Identifier: BSD-3-Clause
# RUN idle
# A member agrees or shrinks, and the others are in MPI_Finalize: the report names the calls and the
# ranks that are waited for, and the job is ended (HAFT_ENDED).
. tests/tools/lib.sh

"$B/bin/mpicc" $san -O1 -I. -o "$TMPDIR/order" tests/ft/unequal_order.c || fail "unequal_order.c"
export HAFT_FT=yes HAFT_HANG=1 HAFT_ENDED=2

for hosts in "" "-launcher fork -hosts one:2,two:2"; do
	for call in agree shrink; do
		job $hosts -n 4 "$TMPDIR/order" agree $call ended
		want_rc 1
		want_err "in MPIX_Comm_$call of MPI_COMM_WORLD, for rank"
		want_err "in MPI_Finalize of MPI_COMM_WORLD, for rank"
		want_err "rank 1 waits in MPIX_Comm_$call for rank"
		want_err ", which is in MPI_Finalize: that would be for ever"
	done
done
finish
