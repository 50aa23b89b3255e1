# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 11.2.2: a message that was sent to a process which cannot be reached is lost.  If no call
# has said so before, MPI_Finalize does, in words, and the job fails.
. tests/tools/lib.sh
prog=$TMPDIR/prog refuse=$TMPDIR/refuse
cat >"$prog.c" <<'EOF'
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
static char big[1 << 20];
int main(int argc, char **argv)
{
	int rank, word = 7, err;
	MPI_Request free_one;
	double start;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 1 && atoi(argv[1]) == 4 && rank == 1)
		raise(SIGKILL);
	if (argc > 1) {
		MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
		MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	}
	if (argc > 1 && atoi(argv[1]) == 3) {
		if (rank == 0) { /* no call tells the program of its end */
			MPI_Isend(big, sizeof(big), MPI_CHAR, 1, 0, MPI_COMM_WORLD, &free_one);
			MPI_Request_free(&free_one);
		}
		for (start = MPI_Wtime(); MPI_Wtime() < start + 1;)
			MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &err, MPI_STATUS_IGNORE);
	} else if (rank == 0)
		MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	if (argc > 1 && atoi(argv[1]) == 2) /* the program has heard of it */
		MPI_Barrier(MPI_COMM_WORLD);
	err = MPI_Finalize();
	printf("%d returned %d\n", rank, err != 0);
	return 0;
}
EOF
"$B/bin/mpicc" $san "$prog.c" -o "$prog" && "$B/bin/mpicc" $san tests/tools/refuse.c -o "$refuse" ||
	fail "mpicc"
alone() {
	job -launcher fork -hosts a:1,b:1 -n 2 "$refuse" connect=EPERM "$prog" "$@"
	[ $rc = 77 ] && echo "no seccomp here" && exit 77
}

alone
[ $rc != 0 ] || fail "$said: exit code 0"
want_err "MPI_Finalize: rank"
want_err ", is lost: peer "
alone 1
[ $rc != 0 ] || fail "$said: exit code 0"
grep -q 'returned 1' "$out" || fail "$said: $(cat "$out")"
want_err "MPI_Finalize that failed"
alone 2
want_rc 0
[ "$(grep -c 'returned 0' "$out")" = 2 ] || fail "$said: $(cat "$out")"
alone 3
[ $rc != 0 ] || fail "$said: exit code 0"
grep -q 'returned 1' "$out" || fail "$said: $(cat "$out")"

# That a process has ended is mpiexec's to say.
alone 4
want_rc 137
want_err "was killed by signal 9"
! grep MPI_Finalize "$err" || fail "$said: MPI_Finalize says so, too"
finish
