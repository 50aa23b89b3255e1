# SPDX-License-Identifier: BSD-3-Clause
# RUN time=60
# MPI-5.0 11.8.2, 9.3: the words of an error say which spawned process has ended, where, and why.
. tests/tools/lib.sh

me=$TMPDIR/deaths
"$B/bin/mpicc" $san -Wall tests/tools/spawn_deaths.c -o "$me" || exit 1
two="-launcher fork -hosts a:2,b:2"

# --- the host is that of the process, also where the launcher knows it no more
for ft in '' -ft; do
	job $two $ft -n 1 "$me" b 'exit 3'
	want_out 'on host b, is lost'
done
job $two -ft -n 1 "$me" b abort
want_out 'on host b, is lost'

# --- an end before MPI_Init has one class and the same words, whether failures are survived or not
for ft in '' -ft '-x HAFT_FT=no'; do
	job $ft -n 1 "$me" - 'exit 3'
	want_rc 0
	want_out 'MPI_ERR_SPAWN'
	want_out 'exited with code 3 before MPI_Init'
	want_err 'it had not called MPI_Init: its parents get MPI_ERR_SPAWN, and the job goes on'
done

# --- a sibling that mpiexec has ended is not the cause: the words name the first failure
first='rank 1 of world 1 (process [0-9]*) exited with code 3 before MPI_Init at .*, and mpiexec ended'
for sibling in 'sleep 1000' live; do
	job -n 1 "$me" - "$sibling" 'exit 3' "$sibling"
	want_out 'MPI_ERR_SPAWN'
	grep -q "$first" "$out" || fail "$said: $(cat "$out")"
done
job $two -n 1 "$me" b live 'exit 3'
grep -q "on host b, is lost: $first" "$out" || fail "$said: $(cat "$out")"

# --- a child that exits with 0 without MPI_Init is told by mpiexec, once
job -n 1 "$me" - live 'exit 0'
want_out ') exited with code 0 before MPI_Init'
want_err 'exited with code 0 without MPI_Init: its parents get MPI_ERR_SPAWN, others of its spawn'
job -n 1 "$me" - 'exit 0' 'exit 0'
[ "$(grep -c 'exited with code 0 without MPI_Init: its parents get MPI_ERR_SPAWN' "$err")" = 1 ] ||
	fail "$said: $(cat "$err")"
finish
