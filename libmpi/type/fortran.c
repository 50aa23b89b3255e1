// SPDX-License-Identifier: BSD-3-Clause
/* fortran.c - predefined types with the sizes of another Fortran compiler (MPI-5.0 20.4.1,
 * MPI_Abi_set_fortran_info).
 *
 *     mpi_integer_size 8          MPI_INTEGER becomes what MPI_INTEGER8 is, MPI_2INTEGER two of it
 *     mpi_real2_supported false   MPI_REAL2 has size MPI_UNDEFINED and cannot be used
 *
 * Until then they are those of gfortran, and all sized types exist: C has names for most. */
#include "libmpi/type/type.h"

#include "libmpi/core/err.h"
#include <stdlib.h>
#include <string.h>

#define SIZES 5 /* 1, 2, 4, 8, 16 bytes */
#define NONE  MPI_DATATYPE_NULL

/* A default kind: its types, and the type that each becomes for a size. */
static const struct {
	const char *key;
	MPI_Datatype type, complex, pair;
	MPI_Datatype like[SIZES], complex_like[SIZES];
} kinds[] = {
	{"mpi_logical_size", MPI_LOGICAL, NONE, NONE,
		{MPI_LOGICAL1, MPI_LOGICAL2, MPI_LOGICAL4, MPI_LOGICAL8, MPI_LOGICAL16}, {NONE}},
	{"mpi_integer_size", MPI_INTEGER, NONE, MPI_2INTEGER,
		{MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8, MPI_INTEGER16}, {NONE}},
	{"mpi_real_size", MPI_REAL, MPI_COMPLEX, MPI_2REAL,
		{NONE, MPI_REAL2, MPI_REAL4, MPI_REAL8, MPI_REAL16},
		{NONE, MPI_COMPLEX4, MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32}},
	{"mpi_double_precision_size", MPI_DOUBLE_PRECISION, MPI_DOUBLE_COMPLEX,
		MPI_2DOUBLE_PRECISION, {NONE, MPI_REAL2, MPI_REAL4, MPI_REAL8, MPI_REAL16},
		{NONE, MPI_COMPLEX4, MPI_COMPLEX8, MPI_COMPLEX16, MPI_COMPLEX32}},
};

static const struct {
	const char *key;
	MPI_Datatype type;
} optional[] = {
	{"mpi_logical1_supported", MPI_LOGICAL1},
	{"mpi_logical2_supported", MPI_LOGICAL2},
	{"mpi_logical4_supported", MPI_LOGICAL4},
	{"mpi_logical8_supported", MPI_LOGICAL8},
	{"mpi_logical16_supported", MPI_LOGICAL16},
	{"mpi_integer1_supported", MPI_INTEGER1},
	{"mpi_integer2_supported", MPI_INTEGER2},
	{"mpi_integer4_supported", MPI_INTEGER4},
	{"mpi_integer8_supported", MPI_INTEGER8},
	{"mpi_integer16_supported", MPI_INTEGER16},
	{"mpi_real2_supported", MPI_REAL2},
	{"mpi_real4_supported", MPI_REAL4},
	{"mpi_real8_supported", MPI_REAL8},
	{"mpi_real16_supported", MPI_REAL16},
	{"mpi_complex4_supported", MPI_COMPLEX4},
	{"mpi_complex8_supported", MPI_COMPLEX8},
	{"mpi_complex16_supported", MPI_COMPLEX16},
	{"mpi_complex32_supported", MPI_COMPLEX32},
	{"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX},
};

static void fortran_become(MPI_Datatype handle, MPI_Datatype like)
{
	struct type *t = type_predefined(handle);
	const struct type *l = type_predefined(like);

	t->size = l->size;
	t->extent = l->extent;
	t->true_extent = l->true_extent;
	t->align = l->align;
	t->basic = l->basic;
}

/* Makes a pair two of the value's type, dense, so no plan changes. */
static void fortran_become_pair(MPI_Datatype handle, MPI_Datatype value)
{
	struct type *t = type_predefined(handle);
	const struct type *v = type_predefined(value);
	int32_t size = (int32_t)v->size;

	if (t->part[0].len == size)
		return;
	t->size = t->extent = t->true_extent = 2 * v->size;
	t->align = v->align;
	t->basic = BASIC_PAIR;
	t->part[0] = (struct type_part){0, size};
	t->part[1] = (struct type_part){size, size};
}

static int fortran_set_size(size_t k, const char *value, bool apply)
{
	char *end;
	long size = strtol(value, &end, 10);
	int i = 0;

	while (i < SIZES && 1L << i != size)
		i++;
	if (*end != '\0' || i == SIZES || kinds[k].like[i] == NONE)
		return haft_err(MPI_ERR_INFO_VALUE, "%s is \"%s\": no kind has that size",
			kinds[k].key, value);
	if (!apply)
		return 0;
	fortran_become(kinds[k].type, kinds[k].like[i]);
	if (kinds[k].complex != NONE)
		fortran_become(kinds[k].complex, kinds[k].complex_like[i]);
	if (kinds[k].pair != NONE)
		fortran_become_pair(kinds[k].pair, kinds[k].type);
	return 0;
}

int type_fortran_set(const char *key, const char *value, bool apply)
{
	for (size_t k = 0; k < countof(kinds); k++)
		if (strcmp(key, kinds[k].key) == 0)
			return fortran_set_size(k, value, apply);
	for (size_t k = 0; k < countof(optional); k++) {
		if (strcmp(key, optional[k].key) != 0)
			continue;
		if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
			return haft_err(MPI_ERR_INFO_VALUE,
				"%s is \"%s\"; it must be true or false", key, value);
		if (apply && value[0] == 'f')
			type_predefined(optional[k].type)->committed = false;
		return 0;
	}
	return 0;
}
