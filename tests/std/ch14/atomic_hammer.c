// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,4 */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 14.6.1, 14.6.10: in atomic mode each access is one step, contiguous or not, blocking or
 * not, over one handle or over a handle of each process: a read sees one write whole. */
#include "tests/check.h"
#include "tests/std/ch14/file_name.h"

enum { N = 40000, ROUNDS = 40 };

static unsigned char out[N], in[N];

/* All bytes are those of one write. */
static void whole(const unsigned char *buf, int round)
{
	for (int i = 1; i < N; i++)
		if (buf[i] != buf[0]) {
			fprintf(stderr, "rank %d, round %d: byte %d is %d, byte 0 is %d\n",
				check_rank, round, i, buf[i], buf[0]);
			expect(false);
			return;
		}
}

static void hammer(MPI_File f)
{
	unsigned seed = 17u * (unsigned)check_rank + 1;
	MPI_Request r;

	for (int round = 0; round < ROUNDS; round++) {
		memset(out, 1 + check_rank * ROUNDS % 200 + round % 50, N);
		if (check_random(&seed) % 2) {
			OK(MPI_File_write_at(f, 0, out, N, MPI_BYTE, MPI_STATUS_IGNORE));
		} else {
			OK(MPI_File_iwrite_at(f, 0, out, N, MPI_BYTE, &r));
			OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		}
		if (check_random(&seed) % 2) {
			OK(MPI_File_read_at(f, 0, in, N, MPI_BYTE, MPI_STATUS_IGNORE));
		} else {
			OK(MPI_File_iread_at(f, 0, in, N, MPI_BYTE, &r));
			OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
		}
		whole(in, round);
	}
}

/* The file's view has holes in every second round. */
static void views(MPI_Comm c, const char *name)
{
	MPI_Datatype t;
	MPI_File f;
	int flag;

	OK(MPI_Type_vector(N / 50, 50, 90, MPI_BYTE, &t));
	OK(MPI_Type_commit(&t));
	OK(MPI_File_open(c, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &f));
	OK(MPI_File_set_atomicity(f, 1));
	OK(MPI_File_get_atomicity(f, &flag));
	expect_eq(flag, 1);
	for (int holes = 0; holes < 2; holes++) {
		OK(MPI_File_set_view(
			f, 0, MPI_BYTE, holes ? t : MPI_BYTE, "native", MPI_INFO_NULL));
		memset(out, 0, N);
		OK(MPI_File_write_at_all(f, 0, out, N, MPI_BYTE, MPI_STATUS_IGNORE));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		hammer(f);
		OK(MPI_Barrier(MPI_COMM_WORLD));
	}
	OK(MPI_File_close(&f));
	OK(MPI_Type_free(&t));
}

int main(int argc, char **argv)
{
	const char *name;

	check_init(&argc, &argv);
	name = file_name("atomic");
	views(MPI_COMM_WORLD, name);
	views(MPI_COMM_SELF, name);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (check_rank == 0)
		OK(MPI_File_delete(name, MPI_INFO_NULL));
	MPI_Finalize();
	return check_end();
}
