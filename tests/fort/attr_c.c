// SPDX-License-Identifier: BSD-3-Clause
/* attr_c.c - C's side of attr.f90. */
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

int c_keyval(void);
void c_put(int comm, int key, intptr_t value);
intptr_t c_get(int comm, int key);
intptr_t c_get_aint(int comm, int key);
int c_get_int(int comm, int key);
int c_copied(void);

static int copied;

static int attr_copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	(void)comm, (void)key, (void)extra;
	copied++;
	*(intptr_t *)out = (intptr_t)in + 1;
	*flag = 1;
	return MPI_SUCCESS;
}

int c_keyval(void)
{
	int key;

	MPI_Comm_create_keyval(attr_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	return key;
}

void c_put(int comm, int key, intptr_t value)
{
	MPI_Comm_set_attr(MPI_Comm_fromint(comm), key, (void *)value);
}

static void *comm_attr_get(int comm, int key)
{
	void *value = NULL;
	int flag;

	MPI_Comm_get_attr(MPI_Comm_fromint(comm), key, (void *)&value, &flag);
	return value;
}

intptr_t c_get(int comm, int key)
{
	return (intptr_t)comm_attr_get(comm, key);
}

intptr_t c_get_aint(int comm, int key)
{
	return *(intptr_t *)comm_attr_get(comm, key);
}

int c_get_int(int comm, int key)
{
	return *(int *)comm_attr_get(comm, key);
}

int c_copied(void)
{
	return copied;
}
