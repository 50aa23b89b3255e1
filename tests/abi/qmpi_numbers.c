// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* haft/qmpi.h: the numbers of functions are compiled into tools, so they never change.  New ones
 * come behind; then this test stays as it is. */
#include "tests/check.h"

#include <haft/qmpi.h>
#include <stdint.h>

#define FIRST_NUMBERS 721 /* those of the first version, and the FNV-1a of their names in order */
#define FIRST_HASH    UINT64_C(0x18360fcd01c3e63d)

static const struct {
	const char *name;
	int number;
} rows[] = {
#define QMPI(function, number) {#number "\n", number},
#include "libmpi/api/qmpi.def"
#undef QMPI
};

int main(int argc, char **argv)
{
	int n = (int)(sizeof(rows) / sizeof(rows[0]));
	uint64_t hash = UINT64_C(14695981039346656037);

	check_init(&argc, &argv);
	expect_eq(n, MPI_LAST_FUNC_T);
	for (int i = 0; i < n; i++)
		expect_eq(rows[i].number, i);
	for (int i = 0; i < FIRST_NUMBERS; i++)
		for (const char *s = rows[i].name; *s != '\0'; s++)
			hash = (hash ^ (unsigned char)*s) * UINT64_C(1099511628211);
	expect(hash == FIRST_HASH);
	MPI_Finalize();
	return check_end();
}
