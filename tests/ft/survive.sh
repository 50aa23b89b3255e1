# SPDX-License-Identifier: BSD-3-Clause
# RUN time=120
# The example of failures: whichever process dies, in whichever step, the picture is that of a job
# in which none dies.
. tests/tools/lib.sh

"$B/bin/mpicc" $san -O1 -o "$TMPDIR/survive" tests/examples/survive/survive.c || fail "survive.c"
job -n 4 "$TMPDIR/survive"
want_rc 0
cp "$out" "$TMPDIR/picture"
[ "$(wc -l <"$TMPDIR/picture")" = 16 ] && grep -q '@@@@' "$TMPDIR/picture" || fail "no picture: $(cat "$TMPDIR/picture")"
victim=0
for at in MPI_Comm_dup:1 MPI_Allreduce:1 MPI_Sendrecv:1 MPI_Sendrecv:2 MPI_Sendrecv:3 \
	MPI_Sendrecv:102 MPI_Sendrecv:103 MPI_Sendrecv:103+1 MPI_Sendrecv:104 MPI_Sendrecv:105 \
	MPI_Sendrecv:807 MPIX_Comm_agree:1 MPIX_Comm_agree:1+1 MPIX_Comm_agree:4 MPIX_Comm_agree:9; do
	job -ft -x HAFT_DIE=$victim@$at -n 4 "$TMPDIR/survive"
	want_rc 0
	want_err "rank $victim (process"
	want_err "the job goes on without it"
	cmp -s "$out" "$TMPDIR/picture" || fail "HAFT_DIE=$victim@$at: $(cat "$out")"
	victim=$(((victim + 1) % 4))
done
finish
