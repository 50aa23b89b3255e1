# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 15.2, 20.2, 20.3.6: a program with MPI_Send of its own works with the static library as
# with the shared one, and a program that was not linked with MPI, and is of the system's C
# compiler, can load it; 20.2, A.1.1: each number of the standard has its meaning.
set -u
case $B in /*) top=${B%/build/*} ;; *) top=$PWD B=$PWD/$B ;; esac
cd "$TMPDIR" || exit 1
bad=0
say() {
	echo "$1"
	bad=1
}
case $B in *-address* | *-undefined* | *-thread*) exit 77 ;; esac

"${CC:-cc}" -I"$B/include" -I"$top" "$top/tests/abi/pmpi.c" "$B/lib/libmpi_abi.a" -ldl -lpthread \
	-o static || say "cannot link with libmpi_abi.a"
timeout 200 "$B/bin/mpiexec" -n 2 ./static || say "the static program fails"

"${CC:-cc}" "$top/tests/abi/library_loaded.c" -ldl -o load || say "cannot compile"
timeout 200 "$B/bin/mpiexec" -n 2 ./load "$B/lib/libmpi_abi.so.1" || say "the loading program fails"

# The standard's numbers without its header, as a language's package has them.
{
	grep -v '^#' "$top/tests/abi/values.tsv" | sed 's/\(.*\)\t\(.*\)/#define \1 (\2)/'
	echo '#define VALUES \'
	grep -v '^#' "$top/tests/abi/values.tsv" | sed 's/\(.*\)\t\(.*\)/	{"\1", \2},\\/'
	echo
} >mpi_values.h
"${CC:-cc}" -Wall -Werror -include ./mpi_values.h "$top/tests/abi/loaded_values.c" -ldl -o values || say "cannot compile"
timeout 200 "$B/bin/mpiexec" -n 2 ./values "$B/lib/libmpi_abi.so.1" "$PWD/file" ||
	say "a number has another meaning"
rm -f ./*
exit $bad
