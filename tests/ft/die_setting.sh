# SPDX-License-Identifier: BSD-3-Clause
# HAFT_DIE that cannot come true is not passed over: a text of another form, a rank that is not in
# the job, and a call that the rank does not make.
. tests/tools/lib.sh

prog=$TMPDIR/hello
"$B/bin/mpicc" $san tests/examples/hello/hello.c -o "$prog" || fail hello.c
for words in '1:no rank@call' '7@MPI_Finalize:this job has no rank 7' \
	'1@MPI_Bcats:rank 1 has not made that call so often' \
	'1@MPI_Comm_rank.9:rank 1 has not made that call so often'; do
	die=$(echo "${words%%:*}" | tr . :)
	job -ft -x "HAFT_DIE=$die" -n 2 "$prog"
	want_rc 0
	want_err "HAFT_DIE=$die"
	want_err "${words#*:}"
done
finish
