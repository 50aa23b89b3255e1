// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* RUN np=2 env="HAFT_VIA=net" */
/* MPI-5.0 3.3.2: between like processors nothing is converted: values of every bit pattern arrive
 * as they were, whatever type they are sent as. */
#include "tests/check.h"

#include <complex.h>
#include <wchar.h>

#define LEN 4096 /* bytes: each byte value at each position of an element */

static const struct {
	const char *name;
	MPI_Datatype type;
} types[] = {{"CHAR", MPI_CHAR}, {"SIGNED_CHAR", MPI_SIGNED_CHAR},
	{"UNSIGNED_CHAR", MPI_UNSIGNED_CHAR}, {"BYTE", MPI_BYTE}, {"WCHAR", MPI_WCHAR},
	{"SHORT", MPI_SHORT}, {"UNSIGNED_SHORT", MPI_UNSIGNED_SHORT}, {"INT", MPI_INT},
	{"UNSIGNED", MPI_UNSIGNED}, {"LONG", MPI_LONG}, {"UNSIGNED_LONG", MPI_UNSIGNED_LONG},
	{"LONG_LONG", MPI_LONG_LONG}, {"UNSIGNED_LONG_LONG", MPI_UNSIGNED_LONG_LONG},
	{"FLOAT", MPI_FLOAT}, {"DOUBLE", MPI_DOUBLE}, {"C_BOOL", MPI_C_BOOL},
	{"INT8_T", MPI_INT8_T}, {"INT16_T", MPI_INT16_T}, {"INT32_T", MPI_INT32_T},
	{"INT64_T", MPI_INT64_T}, {"UINT64_T", MPI_UINT64_T},
	{"C_FLOAT_COMPLEX", MPI_C_FLOAT_COMPLEX}, {"C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX},
	{"AINT", MPI_AINT}, {"COUNT", MPI_COUNT}, {"OFFSET", MPI_OFFSET}};

int main(int argc, char **argv)
{
	unsigned char out[LEN], in[LEN];

	check_init(&argc, &argv);
	for (size_t t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
		int size, n;

		OK(MPI_Type_size(types[t].type, &size));
		n = LEN / size;
		for (int i = 0; i < LEN; i++)
			out[i] = (unsigned char)(i + i / 256 + (int)t);
		if (check_rank == 0) {
			OK(MPI_Send(out, n, types[t].type, 1, (int)t, MPI_COMM_WORLD));
			continue;
		}
		memset(in, 0, sizeof(in));
		OK(MPI_Recv(in, n, types[t].type, 0, (int)t, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		if (memcmp(in, out, (size_t)(n * size)) != 0) {
			fprintf(stderr, "MPI_%s: other bits arrived\n", types[t].name);
			MPI_Abort(MPI_COMM_WORLD, 1);
		}
	}
	MPI_Finalize();
	return 0;
}
