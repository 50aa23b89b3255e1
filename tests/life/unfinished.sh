# SPDX-License-Identifier: BSD-3-Clause
# RUN time=200
# MPI-5.0 9.3: MPI_ERRORS_ABORT on a session ends the local process alone.
# MPI-5.0 11.3.1, 11.2.2: a session that is not finalized, and an MPI_Finalize that failed, are named.
. tests/tools/lib.sh

cat >"$TMPDIR/p.c" <<'END'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int fails(MPI_Comm c, int key, void *value, void *extra)
{
	return MPI_ERR_OTHER;
}

int main(int argc, char **argv)
{
	MPI_Session s;
	MPI_Group g;
	int rank, key;

	if (strcmp(argv[1], "scope") == 0) {
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ABORT, &s);
		MPI_Group_from_session_pset(s, "mpi://WORLD", &g);
		MPI_Group_rank(g, &rank);
		MPI_Group_free(&g);
		if (rank == 1)
			MPI_Group_from_session_pset(s, "no such set", &g);
		sleep(1);
		MPI_Session_finalize(&s);
		printf("rank %d lives\n", rank);
		return 0;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	if (strcmp(argv[1], "session") == 0) {
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s);
	} else {
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, fails, &key, NULL);
		MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	}
	MPI_Finalize();
	return 0;
}
END
"$B/bin/mpicc" ${SANFLAGS-} "$TMPDIR/p.c" -o "$TMPDIR/p" || exit 1

job -n 2 "$TMPDIR/p" scope
[ $rc != 0 ] || fail "an aborted process, and exit code 0"
grep -q 'rank 0 lives' "$out" || fail "rank 1's session has ended rank 0: $(cat "$err")"
grep -q 'no process set' "$err" || fail "no words: $(cat "$err")"
job -n 2 "$TMPDIR/p" session
[ $rc = 1 ] || fail "a session not finalized: exit code $rc"
grep -q 'exited with code 0 and a session not finalized' "$err" || fail "session: $(cat "$err")"
job -n 2 "$TMPDIR/p" finalize
[ $rc = 1 ] || fail "MPI_Finalize failed: exit code $rc"
grep -q 'exited with code 0 after an MPI_Finalize that failed' "$err" || fail "finalize: $(cat "$err")"
finish
