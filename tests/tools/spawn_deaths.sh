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
finish
