// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,4 */
/* RUN np=3 env="HAFT_VIA=net" */
/* MPI-5.0 14.2.8, 14.4.2, 14.4.3: collective accesses in many windows: blocks in turn, blocks with
 * holes, reads of equal bytes by all; with any number of aggregators and of stripes.
 * tests/net/files.sh runs this over hosts. */
#include "tests/std/ch14/file_name.h"

enum { BLOCK = 24, BLOCKS = 3000 };

static char out[BLOCK * BLOCKS], in[BLOCK * BLOCKS * 8];

static char hosts_byte_of(long i, int rank)
{
	return (char)(i * 31 + rank * 7 + 1);
}

static MPI_File hosts_open_with(const char *nodes, const char *unit, const char *factor)
{
	MPI_Info info;
	MPI_File f;

	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "collective_buffering", "true"));
	OK(MPI_Info_set(info, "romio_cb_write", "enable"));
	OK(MPI_Info_set(info, "romio_cb_read", "enable"));
	OK(MPI_Info_set(info, "cb_buffer_size", "32768"));
	if (nodes != NULL)
		OK(MPI_Info_set(info, "cb_nodes", nodes));
	if (unit != NULL)
		OK(MPI_Info_set(info, "striping_unit", unit));
	if (factor != NULL)
		OK(MPI_Info_set(info, "striping_factor", factor));
	OK(MPI_File_open(MPI_COMM_WORLD, file_name("hosts"),
		MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_Info_free(&info));
	return f;
}

/* Blocks of all ranks in turn; of `share' blocks that a rank could write, one is written. */
static void view_of(MPI_File f, int share)
{
	MPI_Datatype t;

	OK(MPI_Type_vector(BLOCKS, BLOCK, BLOCK * check_size * share, MPI_BYTE, &t));
	OK(MPI_Type_commit(&t));
	OK(MPI_File_set_view(
		f, (MPI_Offset)check_rank * BLOCK * share, MPI_BYTE, t, "native", MPI_INFO_NULL));
	OK(MPI_Type_free(&t));
}

/* Rank 0 compares the file with the data of all ranks; holes have the byte of before. */
static void file_is(MPI_File f, int share, char hole)
{
	long n = (long)BLOCKS * check_size, wrong = 0;

	OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
	for (long b = 0; b < n && check_rank == 0; b++) {
		char got[2 * BLOCK];
		int len = b == n - 1 ? BLOCK : BLOCK * share;

		OK(MPI_File_read_at(f, b * BLOCK * share, got, len, MPI_BYTE, MPI_STATUS_IGNORE));
		for (int i = 0; i < len; i++)
			wrong += got[i] != (i < BLOCK ? hosts_byte_of(b / check_size * BLOCK + i,
								(int)(b % check_size))
						      : hole);
	}
	expect_eq(wrong, 0);
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void write_and_read(MPI_File f, int share)
{
	long all = (long)BLOCKS * check_size * share * BLOCK;
	MPI_Status s;

	OK(MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
	memset(in, 'h', sizeof(in));
	for (long at = 0; at < all && check_rank == 0; at += (long)sizeof(in))
		OK(MPI_File_write_at(f, at, in,
			(int)(all - at < (long)sizeof(in) ? all - at : (long)sizeof(in)), MPI_BYTE,
			MPI_STATUS_IGNORE));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	view_of(f, share);
	OK(MPI_File_write_at_all(f, 0, out, sizeof(out), MPI_BYTE, &s));
	expect_eq(file_bytes(&s), (long)sizeof(out));
	file_is(f, share, 'h');
	view_of(f, share);
	memset(in, 0, sizeof(out));
	OK(MPI_File_read_at_all(f, 0, in, sizeof(out), MPI_BYTE, &s));
	expect_eq(file_bytes(&s), (long)sizeof(out));
	expect(memcmp(in, out, sizeof(out)) == 0);
}

/* All ranks read the same blocks, and more than there is. */
static void equal_reads(MPI_File f)
{
	MPI_Datatype t, tile;
	MPI_Status s;
	long wrong = 0;

	OK(MPI_Type_vector(BLOCKS, BLOCK, BLOCK * check_size, MPI_BYTE, &t));
	OK(MPI_Type_create_resized(t, 0, (MPI_Aint)BLOCKS * BLOCK * check_size, &tile));
	OK(MPI_Type_commit(&tile));
	OK(MPI_File_set_view(f, 0, MPI_BYTE, tile, "native", MPI_INFO_NULL));
	OK(MPI_Type_free(&tile));
	OK(MPI_Type_free(&t));
	memset(in, 0, 2 * sizeof(out));
	OK(MPI_File_read_at_all(f, 0, in, 2 * (int)sizeof(out), MPI_BYTE, &s));
	expect_eq(file_bytes(&s), (long)sizeof(out));
	for (long i = 0; i < (long)sizeof(out); i++)
		wrong += in[i] != hosts_byte_of(i, 0);
	expect_eq(wrong, 0);
}

int main(int argc, char **argv)
{
	static const char *const hints[][3] = {{NULL, NULL, NULL}, {"1", NULL, NULL},
		{"3", "4096", NULL}, {NULL, "1024", "4"}, {NULL, "6000", "1"}, {"2", NULL, "7"}};

	check_init(&argc, &argv);
	CHECK(check_size <= 8);
	for (long i = 0; i < (long)sizeof(out); i++)
		out[i] = hosts_byte_of(i, check_rank);
	for (size_t h = 0; h < sizeof(hints) / sizeof(hints[0]); h++) {
		MPI_File f = hosts_open_with(hints[h][0], hints[h][1], hints[h][2]);

		write_and_read(f, 2);
		OK(MPI_File_set_size(f, 0));
		write_and_read(f, 1);
		equal_reads(f);
		OK(MPI_File_close(&f));
	}
	MPI_Finalize();
	return check_end();
}
