// SPDX-License-Identifier: BSD-3-Clause
/* genmain.c - the generator's command line: loads the tables and runs one writer (gen.h lists
 * them). */
#include "libmpi/api/gen.h"

#include <string.h>

static int usage(void)
{
	fputs("usage: gen mpi.h | mpi-ext.h | qmpi.h | engine.h | raw.h | names.h | names.c | "
	      "qmpi_own.c | bind CHAPTER | qmpi CHAPTER | map | list | man DIR | classes.7 | "
	      "abi.c | none.c | garbage.c | count.c | tool.c | fort CHAPTER | mpif.h | mpi.f90 | "
	      "mpi_f08.f90\n",
		stderr);
	return 2;
}

/* The exit code: 1 if something could not be written. */
static int output_end(void)
{
	return ferror(stdout) || fflush(stdout) != 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*write)(FILE *);
	} writers[] = {{"mpi.h", write_mpi_h}, {"mpi-ext.h", write_mpi_ext_h},
		{"engine.h", write_engine_h}, {"raw.h", write_raw_h}, {"names.h", write_names_h},
		{"names.c", write_names_c}, {"map", write_map}, {"list", write_list},
		{"abi.c", write_abi_test}, {"none.c", write_none_test},
		{"garbage.c", write_garbage_test}, {"count.c", write_count_test},
		{"tool.c", write_tool_test}, {"classes.7", write_classes_page},
		{"mpif.h", write_mpif_h}, {"mpi.f90", write_mpi_mod},
		{"mpi_f08.f90", write_f08_mod}, {"qmpi.h", write_qmpi_h},
		{"qmpi_own.c", write_qmpi_own}};

	funcs_load();
	if (argc == 3 && strcmp(argv[1], "bind") == 0) {
		write_bind(stdout, chapter_find(argv[2]));
		return output_end();
	}
	if (argc == 3 && strcmp(argv[1], "qmpi") == 0) {
		write_qmpi(stdout, chapter_find(argv[2]));
		return output_end();
	}
	if (argc == 3 && strcmp(argv[1], "fort") == 0) {
		write_fort(stdout, chapter_find(argv[2]));
		return output_end();
	}
	if (argc == 3 && strcmp(argv[1], "man") == 0) {
		write_man(argv[2]);
		return 0;
	}
	for (int i = 0; argc == 2 && i < (int)(sizeof(writers) / sizeof(writers[0])); i++) {
		if (strcmp(argv[1], writers[i].name) != 0)
			continue;
		writers[i].write(stdout);
		return output_end();
	}
	return usage();
}
