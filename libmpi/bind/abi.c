// SPDX-License-Identifier: BSD-3-Clause
/* abi.c - the functions of chapter 20: versions of the ABI, and the properties of Fortran's types
 * (MPI-5.0 20.2, 20.4.1).
 *
 * The first caller that sets a property wins; later callers get MPI_ERR_ABI.  Values of LOGICAL are
 * kept sign-extended, so that they can be returned in another size. */
#include "libmpi/coll/reduce_op.h"
#include "libmpi/core/err.h"
#include "libmpi/core/info_object.h"
#include "libmpi/type/type.h"

#include <engine.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define FACT_MAX    32 /* bytes of a value that can be right, and more */
#define LOGICAL_MAX 16 /* bytes of the largest LOGICAL: MPI_LOGICAL16 */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct info *fortran; /* under lock; a copy of the first one; never freed */

static struct {
	bool set;
	unsigned char yes[LOGICAL_MAX], no[LOGICAL_MAX];
} logical; /* under lock */

int bind_abi_get_version(int *abi_major, int *abi_minor)
{
	*abi_major = MPI_ABI_VERSION;
	*abi_minor = MPI_ABI_SUBVERSION;
	return MPI_SUCCESS;
}

int bind_abi_get_info(struct info **info)
{
	static const struct {
		const char *key, *value;
	} sizes[] = {{"mpi_aint_size", "8"}, {"mpi_count_size", "8"}, {"mpi_offset_size", "8"}};
	int err = env_info_create(info);

	static_assert(sizeof(MPI_Aint) == 8 && sizeof(MPI_Count) == 8 && sizeof(MPI_Offset) == 8,
		"the table above");
	for (size_t i = 0; err == MPI_SUCCESS && i < countof(sizes); i++)
		err = env_info_set(*info, sizes[i].key, sizes[i].value);
	return err;
}

/* Applies every fact to the datatypes, or only checks that all of them are valid. */
static int fortran_facts_apply(struct info *info, bool apply)
{
	char key[MPI_MAX_INFO_KEY + 1], value[FACT_MAX];
	int n, found, room, err = env_info_get_nkeys(info, &n);

	for (int i = 0; i < n && err == MPI_SUCCESS; i++) {
		err = env_info_get_nthkey(info, i, key);
		room = sizeof(value);
		if (err == MPI_SUCCESS)
			err = env_info_get_string(info, key, &room, value, &found);
		if (err == MPI_SUCCESS)
			err = type_fortran_set(key, value, apply);
	}
	return err;
}

int bind_abi_set_fortran_info(struct info *info)
{
	int err = type_open();

	if (err != MPI_SUCCESS)
		return err;
	pthread_mutex_lock(&lock);
	if (fortran == NULL) {
		err = fortran_facts_apply(info, false);
		if (err == MPI_SUCCESS)
			err = env_info_dup(info, &fortran);
		if (err == MPI_SUCCESS) {
			obj_hold(fortran); /* without a handle, so no leak report shows it */
			obj_free_obj(fortran);
			err = fortran_facts_apply(info, true);
		}
	} else
		err = haft_err(MPI_ERR_ABI, "the properties of Fortran have been set before");
	pthread_mutex_unlock(&lock);
	return err;
}

int bind_abi_get_fortran_info(struct info **info)
{
	int err = MPI_SUCCESS;

	pthread_mutex_lock(&lock);
	*info = NULL;
	if (fortran != NULL)
		err = env_info_dup(fortran, info);
	pthread_mutex_unlock(&lock);
	return err;
}

static int logical_check(int size, const void *yes, const void *no)
{
	if (size != 1 && size != 2 && size != 4 && size != 8 && size != LOGICAL_MAX)
		return haft_err(MPI_ERR_ARG, "no LOGICAL has %d bytes", size);
	if (yes == NULL || no == NULL)
		return haft_err(MPI_ERR_ARG, "the address of .TRUE. or .FALSE. is NULL");
	return MPI_SUCCESS;
}

/* Little-endian: the bytes that are there, then the sign. */
static void logical_keep(unsigned char *to, const void *from, int size)
{
	memcpy(to, from, (size_t)size);
	memset(to + size, to[size - 1] & 0x80 ? 0xff : 0, (size_t)(LOGICAL_MAX - size));
}

int bind_abi_set_fortran_booleans(int logical_size, void *logical_true, void *logical_false)
{
	int err = logical_check(logical_size, logical_true, logical_false);

	if (err != MPI_SUCCESS)
		return err;
	pthread_mutex_lock(&lock);
	if (logical.set) {
		err = haft_err(MPI_ERR_ABI, "the values of LOGICAL have been set before");
	} else {
		logical.set = true;
		logical_keep(logical.yes, logical_true, logical_size);
		logical_keep(logical.no, logical_false, logical_size);
		coll_op_logical_set(logical.yes, logical.no);
	}
	pthread_mutex_unlock(&lock);
	return err;
}

int bind_abi_get_fortran_booleans(
	int logical_size, void *logical_true, void *logical_false, int *is_set)
{
	int err = logical_check(logical_size, logical_true, logical_false);

	if (err != MPI_SUCCESS)
		return err;
	pthread_mutex_lock(&lock);
	*is_set = logical.set;
	if (logical.set) {
		memcpy(logical_true, logical.yes, (size_t)logical_size);
		memcpy(logical_false, logical.no, (size_t)logical_size);
	}
	pthread_mutex_unlock(&lock);
	return MPI_SUCCESS;
}
