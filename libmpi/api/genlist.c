// SPDX-License-Identifier: BSD-3-Clause
/* genlist.c - writes the plain lists: the linker map, the entry points with their engines. */
#include "libmpi/api/gen.h"

#include <stdlib.h>
#include <string.h>

void write_map(FILE *out)
{
	struct entry e;

	fputs("{\nglobal:\n", out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1)) {
		fprintf(out, "\t%s;\n\tP%s;\n", e.name, e.name);
		if (qmpi_number(&e) != NULL)
			fprintf(out, "\tQ%s;\n", e.name);
	}
	fputs("\tMPI_F_STATUS_IGNORE;\n\tMPI_F_STATUSES_IGNORE;\n"
	      "\tMPI_F08_STATUS_IGNORE;\n\tMPI_F08_STATUSES_IGNORE;\n"
	      "\thaft_fort_*;\n\tMPIR_*;\n\tQMPI_Register_*;\n\tQMPI_Get_function;\n"
	      "\tQMPI_Get_tool_storage;\n\tQMPI_Get_calling_address;\n"
	      "local:\n\t*;\n};\n",
		out);
}

/* One line an entry point: name, chapter, section, engine, "removed" or "-". */
void write_list(FILE *out)
{
	struct entry e;

	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1))
		fprintf(out, "%s\t%s\t%s\t%s\t%s\n", e.name, chapters[e.f->chapter].file,
			e.f->section, e.f->engine, e.f->flags & REMOVED ? "removed" : "-");
}
