// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,3 time=60 */
/* RUN np=3 env="HAFT_VIA=net" time=60 */
/* MPI-5.0 14.2.8: the memory of an access is bounded by cb_buffer_size and its kin, whatever the
 * pattern, the size, and the representation; and a view takes none for its elements.  A nonblocking
 * collective access that converts data is the exception: haft-files(7). */
#define SAN_OPTIONS SAN_LEAN
#include "tests/check.h"
#include "tests/san.inc"
#include "tests/std/ch14/file_name.h"

enum {
	BYTES = 48 << 20, /* of each rank's buffer */
	SMALL = 64,
	BOUND_KIB = 20 << 10 /* stages of 1 MiB, and frames on their way; far below BYTES */
};

static char *buf;

/* KiB of this process's memory: `what' is VmRSS or VmHWM. */
static long memory(const char *what)
{
	char line[256], want[32];
	long kib = -1;
	FILE *f = fopen("/proc/self/status", "r");

	snprintf(want, sizeof(want), "%s: %%ld", what);
	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		sscanf(line, want, &kib);
	if (f != NULL)
		fclose(f);
	return kib;
}

/* From here on VmHWM counts from the memory of now. */
static long memory_begin(void)
{
	FILE *f = fopen("/proc/self/clear_refs", "w");

	if (f == NULL || fputs("5", f) < 0 || fclose(f) != 0)
		check_skip("the peak of memory cannot be set back");
	return memory("VmRSS");
}

static void memory_end(const char *what, long before)
{
	long more = memory("VmHWM") - before;

	if (more > BOUND_KIB * san_times())
		fprintf(stderr, "rank %d: %s took %ld KiB\n", check_rank, what, more);
	expect(more <= BOUND_KIB * san_times());
}

/* Every check_size-th block of `len' bytes of the file. */
static MPI_Datatype interleaved(int len)
{
	MPI_Datatype block, t;

	OK(MPI_Type_contiguous(len, MPI_BYTE, &block));
	OK(MPI_Type_create_resized(block, 0, (MPI_Aint)len * check_size, &t));
	OK(MPI_Type_commit(&t));
	OK(MPI_Type_free(&block));
	return t;
}

static void blocks(MPI_File f, int len, const char *rep, bool later)
{
	MPI_Datatype t = interleaved(len);
	MPI_Request r = MPI_REQUEST_NULL;
	long before;

	OK(MPI_File_set_view(f, (MPI_Offset)len * check_rank, MPI_BYTE, t, rep, MPI_INFO_NULL));
	before = memory_begin();
	OK(MPI_File_write_at_all(f, 0, buf, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
	memory_end("write_at_all of blocks", before);
	before = memory_begin();
	OK(MPI_File_read_at_all(f, 0, buf, BYTES, MPI_BYTE, MPI_STATUS_IGNORE));
	memory_end("read_at_all of blocks", before);
	before = memory_begin();
	if (later)
		OK(MPI_File_iwrite_at_all(f, 0, buf, BYTES, MPI_BYTE, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	memory_end("iwrite_at_all of blocks", before);
	OK(MPI_Type_free(&t));
}

/* Memory in parts, values of four bytes, another representation; no collective buffers. */
static void parts(MPI_File f, const char *rep)
{
	MPI_Datatype t, tile = interleaved(4000);
	MPI_Offset at = (MPI_Offset)4000 * check_rank;
	MPI_Request r = MPI_REQUEST_NULL;
	long before;

	OK(MPI_Type_vector(BYTES / SMALL / 2, SMALL / 4, SMALL / 2, MPI_INT, &t));
	OK(MPI_Type_commit(&t));
	OK(MPI_File_set_view(f, at, MPI_INT, tile, rep, MPI_INFO_NULL));
	before = memory_begin();
	OK(MPI_File_write_at(f, 0, buf, 1, t, MPI_STATUS_IGNORE));
	memory_end("write_at of parts", before);
	before = memory_begin();
	OK(MPI_File_iread_at(f, 0, buf, 1, t, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	memory_end("iread_at of parts", before);
	before = memory_begin();
	OK(MPI_File_iwrite_at(f, 0, buf, 1, t, &r));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	memory_end("iwrite_at of parts", before);
	OK(MPI_Type_free(&t));
	OK(MPI_Type_free(&tile));
}

/* An atomic access is one step for the others, and yet converted in chunks. */
static void atomic(MPI_File f)
{
	long before;

	OK(MPI_File_set_atomicity(f, 1));
	parts(f, "external32");
	OK(MPI_File_set_view(f, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL));
	before = memory_begin();
	OK(MPI_File_write_at_all(f, 0, buf, BYTES / 4, MPI_INT, MPI_STATUS_IGNORE));
	memory_end("atomic write_at_all", before);
	before = memory_begin();
	OK(MPI_File_read_at_all(f, 0, buf, BYTES / 4, MPI_INT, MPI_STATUS_IGNORE));
	memory_end("atomic read_at_all", before);
	for (int i = 1; i < BYTES; i++) /* all of one rank */
		if (buf[i] != buf[0])
			CHECK(!"the accesses of two ranks were mixed");
	OK(MPI_File_set_atomicity(f, 0));
}

/* 10^6 x 10^6 elements of 8 bytes. */
static void huge(MPI_File f)
{
	MPI_Datatype row, all;
	long before = memory_begin();

	OK(MPI_Type_vector(1000000, 1, 2, MPI_DOUBLE, &row));
	OK(MPI_Type_create_hvector(1000000, 1, 20000000, row, &all));
	OK(MPI_Type_commit(&all));
	OK(MPI_File_set_view(f, 0, MPI_DOUBLE, all, "native", MPI_INFO_NULL));
	memory_end("a view of 10^12 elements", before);
	OK(MPI_Type_free(&row));
	OK(MPI_Type_free(&all));
}

int main(int argc, char **argv)
{
	MPI_Info info;
	MPI_File f;

	check_init(&argc, &argv);
	buf = malloc(BYTES);
	CHECK(buf != NULL);
	for (int i = 0; i < BYTES; i++) /* SAN=thread has its own memory of it from here on */
		((volatile char *)buf)[i] = (char)(1 + check_rank);
	OK(MPI_Info_create(&info));
	OK(MPI_Info_set(info, "cb_buffer_size", "1048576"));
	OK(MPI_Info_set(info, "ind_rd_buffer_size", "1048576"));
	OK(MPI_Info_set(info, "ind_wr_buffer_size", "1048576"));
	OK(MPI_File_open(MPI_COMM_WORLD, file_name("memory"),
		MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, info, &f));
	OK(MPI_Info_free(&info));
	blocks(f, SMALL, "native", true);
	blocks(f, 4096, "native", true);
	blocks(f, SMALL, "external32", false);
	parts(f, "native");
	parts(f, "external32");
	atomic(f);
	huge(f);
	OK(MPI_File_close(&f));
	free(buf);
	MPI_Finalize();
	return check_end();
}
