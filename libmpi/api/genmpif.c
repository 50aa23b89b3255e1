// SPDX-License-Identifier: BSD-3-Clause
/* genmpif.c - writes mpif.h: constants, common blocks, EXTERNAL functions, which is all that it can
 * say.  Its constants are module mpi's too. */
#include "libmpi/api/genfort.h"

#include <string.h>

bool fort_constant_shown(const struct constant *c)
{
	return c->what != C_TITLE && c->what != C_ONLY && c->what != C_LATER;
}

int fort_constant_value(const struct constant *c)
{
	return c->what == C_ROOM ? c->value - 1 : c->value;
}

/* --- mpif.h --------------------------------------------------------------------------------- */

static const char mpif_head[] =
	"! SPDX-License-Identifier: BSD-3-Clause\n"
	"! mpif.h - MPI 5.0 for Fortran programs of fixed and of free form.\n"
	"! Written by the generator in libmpi/api: change its tables, not this.\n"
	"!\n"
	"! Handles and statuses are made of INTEGERs of 4 bytes.  A program compiled\n"
	"! with larger default INTEGERs ends here, with a division by zero, rather\n"
	"! than later without a word.\n"
	"      INTEGER MPI_NEEDS_INTEGERS_OF_4_BYTES, MPI_IS_4\n"
	"      PARAMETER (MPI_IS_4=32/BIT_SIZE(0)*(BIT_SIZE(0)/32))\n"
	"      PARAMETER (MPI_NEEDS_INTEGERS_OF_4_BYTES=1/MPI_IS_4)\n";

static const char kinds_text[] = "\n"
				 "      INTEGER MPI_ADDRESS_KIND, MPI_COUNT_KIND, MPI_OFFSET_KIND\n"
				 "      PARAMETER (MPI_ADDRESS_KIND=8, MPI_COUNT_KIND=8)\n"
				 "      PARAMETER (MPI_OFFSET_KIND=8)\n"
				 "      INTEGER MPI_INTEGER_KIND\n"
				 "      PARAMETER (MPI_INTEGER_KIND=4)\n"
				 "      INTEGER MPI_SOURCE, MPI_TAG, MPI_ERROR\n"
				 "      PARAMETER (MPI_SOURCE=1, MPI_TAG=2, MPI_ERROR=3)\n";

void fort_kinds(FILE *out)
{
	fputs(kinds_text, out);
}

static const char mpif_promises[] = "      LOGICAL MPI_SUBARRAYS_SUPPORTED\n"
				    "      LOGICAL MPI_ASYNC_PROTECTS_NONBLOCKING\n"
				    "      PARAMETER (MPI_SUBARRAYS_SUPPORTED=.FALSE.)\n"
				    "      PARAMETER (MPI_ASYNC_PROTECTS_NONBLOCKING=.FALSE.)\n";

static void mpif_constant(FILE *out, const char *name, const char *type, const char *value)
{
	fprintf(out, "      %s %s\n      PARAMETER (%s=%s)\n", type, name, name, value);
}

void fort_constants(FILE *out)
{
	char value[64];

	fputs("\n! error classes\n", out);
	for (int i = 0; i < nerrors; i++) {
		if (errors[i].of == ERROR_OF_TOOL)
			continue;
		snprintf(value, sizeof(value), "%d", errors[i].value);
		mpif_constant(out, errors[i].name, "INTEGER", value);
	}
	for (const struct constant *c = constants; c < constants + nconstants; c++) {
		if (c->what == C_TITLE)
			fprintf(out, "\n! %s\n", c->name);
		if (!fort_constant_shown(c))
			continue;
		if (c->what == C_SAME)
			snprintf(value, sizeof(value), "%s", c->type);
		else
			snprintf(value, sizeof(value), "%d", fort_constant_value(c));
		mpif_constant(out, c->name,
			c->what == C_OFFSET ? "INTEGER(KIND=MPI_OFFSET_KIND)" : "INTEGER", value);
	}
}

/* The variables whose addresses are constants: struct fort_addr in libmpi/fort/glue.h. */
const char fort_commons[] =
	"\n"
	"! variables whose addresses mean something\n"
	"      INTEGER MPI_BOTTOM, MPI_IN_PLACE, MPI_BUFFER_AUTOMATIC\n"
	"      INTEGER MPI_ERRCODES_IGNORE(1)\n"
	"      INTEGER MPI_UNWEIGHTED(1), MPI_WEIGHTS_EMPTY(1)\n"
	"      INTEGER MPI_STATUS_IGNORE(MPI_STATUS_SIZE)\n"
	"      INTEGER MPI_STATUSES_IGNORE(MPI_STATUS_SIZE, 1)\n"
	"      COMMON /MPI_FORT_ADDR/ MPI_BOTTOM, MPI_IN_PLACE\n"
	"      COMMON /MPI_FORT_ADDR/ MPI_BUFFER_AUTOMATIC, MPI_ERRCODES_IGNORE\n"
	"      COMMON /MPI_FORT_ADDR/ MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY\n"
	"      COMMON /MPI_FORT_ADDR/ MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE\n"
	"      CHARACTER*1 MPI_ARGV_NULL(1), MPI_ARGVS_NULL(1, 1)\n"
	"      COMMON /MPI_FORT_TEXT/ MPI_ARGV_NULL, MPI_ARGVS_NULL\n"
	"      SAVE /MPI_FORT_ADDR/, /MPI_FORT_TEXT/\n";

/* Functions that return something, and procedures that are handed to others, must be declared. */
static void mpif_externals(FILE *out)
{
	struct entry e;

	fputs("\n! functions, and procedures to be handed to others\n", out);
	for (bool more = entry_first(&e, -1); more; more = entry_next(&e, -1)) {
		if (!in_fortran(e.f) || e.large || (e.f->flags & C_FORM))
			continue;
		for (int p = 0; p < 2; p++) {
			const char *prefix = p ? "P" : "";

			if (e.f->ret == KIND_DOUBLE)
				fprintf(out, "      DOUBLE PRECISION %s%s\n", prefix, e.name);
			else if (e.f->ret == KIND_AINT)
				fprintf(out, "      INTEGER(KIND=MPI_ADDRESS_KIND) %s%s\n", prefix,
					e.name);
			if (e.f->ret != KIND_INT || fort_callback(e.f))
				fprintf(out, "      EXTERNAL %s%s\n", prefix, e.name);
		}
	}
}

void write_mpif_h(FILE *out)
{
	fputs(mpif_head, out);
	fort_kinds(out);
	fputs(mpif_promises, out);
	fort_constants(out);
	fputs(fort_commons, out);
	mpif_externals(out);
}
