# SPDX-License-Identifier: BSD-3-Clause
# A rank dies in MPI_Finalize when only rank 0 has asked for failures (HAFT_FT=auto).  The others
# may see its connection break before they hear that failures are survived.  None waits for ever.
. tests/tools/lib.sh

"$B/bin/mpicc" $san -O1 -o "$TMPDIR/auto_by_one" -I. tests/ft/auto_by_one.c || fail "auto_by_one.c"
for via in net auto; do
	for i in 1 2 3 4 5 6 7 8; do
		job -x "HAFT_DIE=1@MPI_Finalize" -x HAFT_VIA=$via -n 3 "$TMPDIR/auto_by_one"
		want_err "rank 1 (process"
		[ $rc = 0 ] || [ $rc = 137 ] || fail "HAFT_VIA=$via: exit code $rc: $(cat "$err")"
	done
done
finish
