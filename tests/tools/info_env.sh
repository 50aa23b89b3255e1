# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 11.2.1, 11.5: mpiexec's options stand in MPI_INFO_ENV, for each program its own; the
# initial error handler and kinds of memory are as its options say.
set -u
case $B in /*) ;; *) B=$PWD/$B ;; esac
source=$PWD/tests/tools/info_env.c
cd "$TMPDIR" || exit 1
bad=0

"$B/bin/mpicc" ${SANFLAGS-} "$source" -o p || exit 1

said() {
	grep -qFx -- "$1" out && return
	echo "nobody says $1"
	cat out
	bad=1
}
said_not() {
	grep -qF -- "$1" out || return
	echo "somebody says $1"
	cat out
	bad=1
}

R='-initial-errhandler MPI_Errors_Return'
timeout 200 "$B/bin/mpiexec" -n 1 $R -arch fast -soft 1:3 -file f.txt -memory-alloc-kinds \
	system,mpi:alloc_mem,gpu:device,mpi:nothing,mpi:win_allocate:alloc_mem ./p one two >out 2>&1 ||
	{ cat out; exit 1; }
said 'went on'
said 'command=./p.'
said 'argv=one two.'
said 'maxprocs=1.'
said 'arch=fast.'
said 'soft=1:3.'
said 'file=f.txt.'
said 'mpi_initial_errhandler=mpi_errors_return.'
said 'mpi_memory_alloc_kinds=system,mpi:alloc_mem,gpu:device,mpi:nothing,mpi:win_allocate:alloc_mem.'
said 'mpi_memory_alloc_kinds=mpi,system,mpi:alloc_mem,mpi:win_allocate:alloc_mem.'
timeout 200 "$B/bin/mpiexec" -l $R -n 2 -arch a ./p ocean : -n 1 $R -wdir . ./p atmos >out 2>&1
said '[0] maxprocs=2.'
said '[1] arch=a.'
said '[1] argv=ocean.'
said '[2] maxprocs=1.'
said '[2] argv=atmos.'
said '[2] wdir=..'
said_not '[2] arch=a.'
said_not '[0] thread_level'
said_not '[0] soft'
timeout 200 "$B/bin/mpiexec" -n 1 ./p >out 2>&1 && { echo "the error before MPI_Init is not fatal"; bad=1; }
grep -q 'called before MPI_Init' out || { cat out; bad=1; }
timeout 200 "$B/bin/mpiexec" -n 1 -initial-errhandler nonsense ./p >out 2>&1
[ $? = 2 ] || { echo "nonsense is taken"; bad=1; }
grep -q mpi_errors_return out || { cat out; bad=1; }
rm -f ./*
exit $bad
