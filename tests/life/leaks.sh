# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 2.5.1, pitfall 23: with HAFT_LEAKS=1 MPI_Finalize says what was not freed and where it was
# made, one table a rank; the exit code does not change, and a clean program hears nothing.
set -u
case $B in /*) ;; *) B=$PWD/$B ;; esac
cd "$TMPDIR" || exit 1
bad=0

cat >p.c <<'END'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static int nothing(MPI_Comm c, int key, void *v, void *e)
{
	(void)c, (void)key, (void)v, (void)e;
	return MPI_SUCCESS;
}

static void sum(void *a, void *b, int *n, MPI_Datatype *t)
{
	(void)a, (void)b, (void)n, (void)t;
}

static void on_error(MPI_Comm *c, int *code, ...)
{
	(void)c, (void)code;
}

static void leak(int rank)
{
	static char room[4096 + MPI_BSEND_OVERHEAD];
	static int x;
	MPI_Comm c, d;
	MPI_Datatype t;
	MPI_Group g;
	MPI_Info i;
	MPI_Op op;
	MPI_Errhandler e;
	MPI_Request r;
	int key;

	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Comm_set_name(c, "solver");
	for (int n = 0; n < 3; n++)
		MPI_Comm_dup(MPI_COMM_SELF, &d);
	MPI_Type_contiguous(3, MPI_INT, &t);
	MPI_Type_set_name(t, "cell");
	MPI_Comm_group(MPI_COMM_WORLD, &g);
	MPI_Info_create(&i);
	MPI_Info_set(i, "colour", "blue");
	MPI_Op_create(sum, 1, &op);
	MPI_Comm_create_errhandler(on_error, &e);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, nothing, &key, NULL);
	MPI_Recv_init(&x, 1, MPI_INT, 0, 9, c, &r);
	MPI_Send(&x, 1, MPI_INT, rank, 7, c);
	MPI_Comm_attach_buffer(d, room, sizeof(room));
}

/* Everything is given back, also by others than the user. */
static void clean(int rank)
{
	static char room[4096 + MPI_BSEND_OVERHEAD];
	MPI_Comm c, d;
	MPI_Group g;
	MPI_Request r;
	int x = 1, y;

	MPI_Comm_dup(MPI_COMM_WORLD, &c);
	MPI_Comm_attach_buffer(c, room, sizeof(room));
	MPI_Bsend(&x, 1, MPI_INT, rank, 1, c);
	MPI_Irecv(&y, 1, MPI_INT, rank, 1, c, &r);
	MPI_Comm_group(c, &g);
	MPI_Comm_create(c, g, &d);
	MPI_Group_free(&g);
	MPI_Comm_free(&c);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Barrier(d);
	MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, d);
	MPI_Comm_free(&d);
	MPI_Bsend(&x, 0, MPI_INT, MPI_PROC_NULL, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 1 && strcmp(argv[1], "leak") == 0)
		leak(rank);
	else
		clean(rank);
	MPI_Finalize();
	return argc > 2 ? 3 : 0;
}
END
"$B/bin/mpicc" ${SANFLAGS-} -g p.c -o p || exit 1

fail() {
	echo "$1"
	cat out
	bad=1
}
run() { HAFT_LEAKS=1 ASAN_OPTIONS=detect_leaks=0 timeout 200 "$@" >out 2>&1; }

run "$B/bin/mpiexec" -n 2 ./p leak x
[ $? = 3 ] || fail "the exit code is not the program's"
[ "$(grep -c '^haft: rank [01] has not freed 13 objects:$' out)" = 2 ] || fail "no head, or two"
said() { [ "$(grep -c -- "$1" out)" = 2 ] || fail "not twice: $1"; }
if command -v addr2line >/dev/null; then
	said ' 3  MPI_Comm .*leak at .*p.c:3[67]'
fi
said " 1  MPI_Comm .*\`solver' (size 2)"
said " 1  MPI_Datatype .*\`cell' (12 bytes, not committed)"
said ' 1  MPI_Group .*size 2'
said ' 1  MPI_Info .*colour=blue'
said ' 1  MPI_Op '
said ' 1  MPI_Errhandler .*for communicators'
said ' 1  keyval '
said ' 1  MPI_Request .*persistent receive, not started, solver'
said ' 1  message .*4 bytes from rank . of MPI_COMM_WORLD with tag 7 in solver'
said ' 1  buffer .*bytes attached to a communicator'
[ "$(wc -l <out)" = 26 ] || fail "other lines"
run "$B/bin/mpiexec" -n 2 ./p clean || fail "exit code of a clean program"
[ -s out ] && fail "a clean program hears"
# a session that ends while another process sends in its next one
cat >s.c <<'END'
#include <mpi.h>
#include <unistd.h>

int main(void)
{
	MPI_Session s;
	MPI_Group g;
	MPI_Comm c;
	int rank, flag, x = 0;

	for (int round = 0; round < 2; round++) {
		MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &s);
		MPI_Group_from_session_pset(s, "mpi://WORLD", &g);
		MPI_Comm_create_from_group(g, "x", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &c);
		MPI_Comm_rank(c, &rank);
		if (rank == 0) {
			MPI_Send(&x, 1, MPI_INT, 1, round, c);
		} else {
			MPI_Recv(&x, 1, MPI_INT, 0, round, c, MPI_STATUS_IGNORE);
			usleep(500000 * (1 - round));
			MPI_Iprobe(0, 0, c, &flag, MPI_STATUS_IGNORE);
		}
		MPI_Comm_free(&c);
		MPI_Group_free(&g);
		MPI_Session_finalize(&s);
	}
	return 0;
}
END
"$B/bin/mpicc" ${SANFLAGS-} -g s.c -o s || exit 1
run "$B/bin/mpiexec" -n 2 ./s || fail "exit code of two sessions"
[ -s out ] && fail "two sessions hear"
# Objects that the library keeps for Fortran are not the program's leaks.
cat >f.c <<'END'
#include <mpi.h>

int main(int argc, char **argv)
{
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_integer_size", "4");
	MPI_Abi_set_fortran_info(info);
	MPI_Info_free(&info);
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	return 0;
}
END
"$B/bin/mpicc" ${SANFLAGS-} -g f.c -o f || exit 1
run "$B/bin/mpiexec" -n 1 ./f || fail "exit code with the properties of Fortran"
[ -s out ] && fail "the properties of Fortran are a leak"
HAFT_LEAKS=0 timeout 200 "$B/bin/mpiexec" -n 1 ./p leak >out 2>&1 || fail "HAFT_LEAKS=0"
[ -s out ] && fail "HAFT_LEAKS=0 says"
rm -f ./*
exit $bad
