// SPDX-License-Identifier: BSD-3-Clause
/* decode.c - the call that made a datatype (MPI-5.0 5.1.13): struct type_made, copied out.
 *
 *     form of the call     get_envelope, get_contents      their _c forms
 *     int                  ints addrs types                ints addrs (no counts) types
 *     _c                   MPI_ERR_TYPE if it has counts   ints (addrs: none) counts types
 *
 * Fortran's MPI-1 constructors take INTEGER displacements (MPI_COMBINER_..._INTEGER).  They decode
 * as their successors do: displacements are addresses.
 *
 * Parameters of type MPI_Count of a _c call, displacements in bytes included, are large counts.
 * Its other integers (dimensions, order, distributions) are integers.
 *
 * Derived types are returned as new objects: the original ones may have been freed. */
#include "libmpi/type/type_make.h"

#include "libmpi/core/err.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <string.h>

static const struct type_made none;

static const struct type_made *decode_made(const struct type *t)
{
	return t->made != NULL ? t->made : &none;
}

static int decode_only_large(const struct type_made *m)
{
	return haft_err(MPI_ERR_TYPE,
		"the datatype was made by a call with large counts (%lld of them): only the _c "
		"form can decode it",
		(long long)m->nc);
}

int type_get_envelope(
	struct type *type, int *num_integers, int *num_addresses, int *num_datatypes, int *combiner)
{
	const struct type_made *m = decode_made(type);

	if (m->nc > 0)
		return decode_only_large(m);
	*num_integers = (int)m->ni;
	*num_addresses = (int)m->na;
	*num_datatypes = (int)m->nd;
	*combiner = type->combiner;
	return 0;
}

int type_get_envelope_c(struct type *type, int64_t *num_integers, int64_t *num_addresses,
	int64_t *num_large_counts, int64_t *num_datatypes, int *combiner)
{
	const struct type_made *m = decode_made(type);

	*num_integers = m->ni;
	*num_addresses = m->na;
	*num_large_counts = m->nc;
	*num_datatypes = m->nd;
	*combiner = type->combiner;
	return 0;
}

static int decode_fits(const char *what, int64_t max, int64_t n, const void *array)
{
	if (max < n)
		return haft_err(MPI_ERR_ARG, "max_%s is %lld, and the datatype has %lld of them",
			what, (long long)max, (long long)n);
	if (n > 0 && array == NULL)
		return haft_err(MPI_ERR_ARG,
			"array_of_%s is NULL, and the datatype has %lld of them", what,
			(long long)n);
	return 0;
}

/* Returns the types of the call.  On an error, frees those that it has made already. */
static int decode_types(const struct type_made *m, struct type **types)
{
	for (int64_t i = 0; i < m->nd; i++) {
		int err = 0;

		types[i] = m->types[i];
		if (!type_is_predefined(types[i]))
			err = type_clone(types[i], &types[i]);
		if (err == 0)
			continue;
		while (i-- > 0)
			if (!type_is_predefined(types[i]))
				obj_free_obj(types[i]);
		return err;
	}
	return 0;
}

int type_get_contents_c(struct type *type, int64_t max_integers, int64_t max_addresses,
	int64_t max_large_counts, int64_t max_datatypes, int *integers, int64_t *addresses,
	int64_t *large_counts, struct type **datatypes)
{
	const struct type_made *m = type->made;
	char name[MPI_MAX_OBJECT_NAME];
	int err;

	if (m == NULL)
		return haft_err(MPI_ERR_TYPE,
			"%s is a named predefined datatype: there is nothing to decode",
			type_words(type, name));
	err = decode_fits("integers", max_integers, m->ni, integers);
	if (err == 0)
		err = decode_fits("addresses", max_addresses, m->na, addresses);
	if (err == 0)
		err = decode_fits("large_counts", max_large_counts, m->nc, large_counts);
	if (err == 0)
		err = decode_fits("datatypes", max_datatypes, m->nd, datatypes);
	if (err == 0)
		err = decode_types(m, datatypes);
	if (err != 0)
		return err;
	if (m->ni > 0)
		memcpy(integers, m->ints, (size_t)m->ni * sizeof(*integers));
	if (m->na > 0)
		memcpy(addresses, m->addrs, (size_t)m->na * sizeof(*addresses));
	if (m->nc > 0)
		memcpy(large_counts, m->counts, (size_t)m->nc * sizeof(*large_counts));
	return 0;
}

int type_get_contents(struct type *type, int max_integers, int max_addresses, int max_datatypes,
	int *integers, int64_t *addresses, struct type **datatypes)
{
	if (type->made != NULL && type->made->nc > 0)
		return decode_only_large(type->made);
	return type_get_contents_c(type, max_integers, max_addresses, 0, max_datatypes, integers,
		addresses, NULL, datatypes);
}
