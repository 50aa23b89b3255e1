// SPDX-License-Identifier: BSD-3-Clause
/* bad_argument.c - the words for handles and arguments that are wrong.
 *
 * Everything here is cold: a binding calls it after its inline check has failed.  Each function
 * stores words by haft_err and returns the error class. */
#include "libmpi/bind/binding.h"

#include "libmpi/core/callsite.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/type.h"
#include <mpi-ext.h>
#include <stdio.h>

static const struct {
	const struct obj_class *class;
	int error;
	const char *null, *words;
} classes[] = {
#define CLASS(id, type, label, object, null, error, words) \
	{&haft_##object##_class, error, #null, words},
#include "libmpi/api/classes.def"
#undef CLASS
};

static int handle_class_row(const struct obj_class *class)
{
	int i = 0;

	while (classes[i].class != class)
		i++;
	return i;
}

/* The sites where the object of this thread's last bad handle was made and freed. */
static __thread uintptr_t sites[2];

void bind_callsites(char *line, size_t n)
{
	haft_callsite_replace(line, n, sites, countof(sites));
}

/* Words why a value is no handle of the class: null, garbage, freed (and where), of another
 * class. */
static int handle_bad(const struct obj_class *class, obj_h handle, const char *name)
{
	int row = handle_class_row(class);
	struct obj_diag why;

	if (haft_objects_open() != 0)
		return MPI_ERR_NO_MEM;
	switch (obj_why(class, handle, &why)) {
	case OBJ_NULL:
		return haft_err(classes[row].error, "%s is %s", name,
			handle == NULL ? "0, which is no handle: was it ever set?"
				       : classes[row].null);
	case OBJ_OK: /* valid by now: another thread has made the object meanwhile */
	default:
		sites[0] = why.created;
		sites[1] = why.freed;
		return haft_err(classes[row].error, "%s: %s", name, why.text);
	}
}

struct type *bind_no_type(obj_h handle, int64_t n)
{
	return n == 0 && handle == (obj_h)MPI_DATATYPE_NULL ? type_predefined(MPI_BYTE) : NULL;
}

int bind_bad_handle(const struct obj_class *class, obj_h handle, const char *name)
{
	return handle_bad(class, handle, name);
}

int bind_bad_element(const struct obj_class *class, obj_h handle, const char *name, int64_t i)
{
	char element[80];

	snprintf(element, sizeof(element), "%s[%lld]", name, (long long)i);
	return handle_bad(class, handle, element);
}

int bind_bad_array(int no_memory, int64_t n, const char *name)
{
	if (no_memory)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory for a copy of %lld handles", (long long)n);
	return haft_err(
		MPI_ERR_ARG, "%s is NULL, and %lld handles are expected there", name, (long long)n);
}

int bind_bad_null(const char *name)
{
	return haft_err(MPI_ERR_ARG, "%s is NULL", name);
}

#define NUMBER_LEN 40 /* bytes of a number beside its name */

/* A number in words; special tags and ranks with their names: "MPI_ANY_TAG (-2)". */
static const char *number_text(int class, int64_t value, char buf[NUMBER_LEN])
{
	const char *name = value == MPI_UNDEFINED ? "MPI_UNDEFINED" : NULL;

	if (class == MPI_ERR_TAG && value == MPI_ANY_TAG)
		name = "MPI_ANY_TAG";
	else if (class != MPI_ERR_TAG && value == MPI_ANY_SOURCE)
		name = "MPI_ANY_SOURCE";
	else if (class != MPI_ERR_TAG && value == MPI_PROC_NULL)
		name = "MPI_PROC_NULL";
	else if (class != MPI_ERR_TAG && value == MPI_ROOT)
		name = "MPI_ROOT";
	snprintf(buf, NUMBER_LEN, name != NULL ? "%s (%lld)" : "%s%lld", name != NULL ? name : "",
		(long long)value);
	return buf;
}

int bind_bad_number(int class, const char *name, int64_t value, int least)
{
	bool named = class == MPI_ERR_TAG || class == MPI_ERR_RANK || class == MPI_ERR_ROOT;
	char words[NUMBER_LEN];

	if (!named)
		return haft_err(class, "%s is %lld, and must be at least %d", name,
			(long long)value, least);
	return haft_err(class, "%s is %s, and must be at least %d", name,
		number_text(class, value, words), least);
}

int bind_bad_type(const struct type *type, const char *name)
{
	char words[MPI_MAX_OBJECT_NAME] = "";
	int len;

	obj_name_get(type, words, sizeof(words), OBJ_C, &len);
	if (type_is_absent(type))
		return haft_err(
			MPI_ERR_TYPE, "%s %s is not a type of this Fortran compiler", name, words);
	return haft_err(MPI_ERR_TYPE, "%s%s%s has not been committed (MPI_Type_commit)", name,
		len > 0 ? " " : "", words);
}

int bind_bad_rank(const struct comm *c, const char *name, int rank)
{
	int n = comm_peers(c)->size;
	char words[MPI_MAX_OBJECT_NAME] = "", number[NUMBER_LEN];
	int len;

	if ((c->hints & COMM_REVOKED) != 0)
		return p2p_comm_error(c);
	obj_name_get(c, words, sizeof(words), OBJ_C, &len);
	return haft_err(MPI_ERR_RANK, "%s %s is not a rank of %s%s, which has 0 to %d", name,
		number_text(MPI_ERR_RANK, rank, number),
		c->remote != NULL ? "the remote group of " : "",
		len > 0 ? words : "the communicator", n - 1);
}

int bind_bad_source(const struct comm *c, const char *name, int rank)
{
	if (rank != MPI_ANY_SOURCE || (c->hints & COMM_REVOKED) != 0)
		return bind_bad_rank(c, name, rank);
	return haft_err(MPI_ERR_RANK,
		"%s is MPI_ANY_SOURCE, but the communicator has mpi_assert_no_any_source", name);
}

int bind_bad_tag(const char *name, int tag)
{
	if (tag != MPI_ANY_TAG)
		return bind_bad_number(MPI_ERR_TAG, name, tag, 0);
	return haft_err(MPI_ERR_TAG,
		"%s is MPI_ANY_TAG, but the communicator has mpi_assert_no_any_tag", name);
}

int bind_bad_root(const struct comm *c, const char *name, int root)
{
	char number[NUMBER_LEN];

	if ((c->hints & COMM_REVOKED) != 0)
		return p2p_comm_error(c);
	return haft_err(MPI_ERR_ROOT, "%s %s is not a rank of the %s, which has 0 to %d", name,
		number_text(MPI_ERR_ROOT, root, number),
		c->remote != NULL ? "remote group" : "communicator", comm_peers(c)->size - 1);
}
