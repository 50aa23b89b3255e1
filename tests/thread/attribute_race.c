// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 11.6.2, 7.7.2: several threads read, set and delete attributes of one communicator, and
 * copy it: no thread sees a value that was not set, and every value that was set is deleted
 * once. */
#include "tests/check.h"
#include <pthread.h>
#include <stdatomic.h>

#define THREADS 4
#define ROUNDS  3000

static int key[THREADS], shared_key;
static atomic_long made, deleted;
static MPI_Comm comm;

static int attr_copies(MPI_Comm c, int k, void *extra, void *in, void *out, int *flag)
{
	(void)c;
	(void)k;
	(void)extra;
	*(void **)out = in;
	*flag = 1;
	made++;
	return MPI_SUCCESS;
}

static int deletes(MPI_Comm c, int k, void *value, void *extra)
{
	(void)c;
	(void)k;
	(void)extra;
	CHECK((intptr_t)value >> 32 == 0x5a);
	deleted++;
	return MPI_SUCCESS;
}

static void *attr_run(void *arg)
{
	int me = (int)(intptr_t)arg, flag;
	void *v;

	for (int i = 0; i < ROUNDS; i++) {
		OK(MPI_Comm_set_attr(comm, key[me], (void *)(((intptr_t)0x5a << 32) + i)));
		made++;
		OK(MPI_Comm_get_attr(comm, key[me], &v, &flag));
		CHECK(flag && (intptr_t)v == ((intptr_t)0x5a << 32) + i);
		OK(MPI_Comm_set_attr(comm, shared_key, (void *)(((intptr_t)0x5a << 32) + me)));
		made++;
		OK(MPI_Comm_get_attr(comm, shared_key, &v, &flag));
		/* none while another thread replaces it: that is a delete and a set */
		CHECK(!flag || ((intptr_t)v >> 32 == 0x5a && ((intptr_t)v & 0xff) < THREADS));
		OK(MPI_Comm_get_attr(comm, key[(me + 1) % THREADS], &v, &flag));
		CHECK(!flag || (intptr_t)v >> 32 == 0x5a);
		if (i % 7 == 0)
			OK(MPI_Comm_delete_attr(comm, key[me]));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	MPI_Comm copy;
	int provided;

	OK(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided));
	if (provided != MPI_THREAD_MULTIPLE) {
		MPI_Finalize();
		return 77;
	}
	OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
	for (int i = 0; i < THREADS; i++)
		OK(MPI_Comm_create_keyval(attr_copies, deletes, &key[i], NULL));
	OK(MPI_Comm_create_keyval(attr_copies, deletes, &shared_key, NULL));
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&t[i], NULL, attr_run, (void *)(intptr_t)i) == 0);
	for (int i = 0; i < 200; i++) {
		OK(MPI_Comm_dup(comm, &copy));
		OK(MPI_Comm_free(&copy));
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	OK(MPI_Comm_free(&comm));
	CHECK(made == deleted);
	for (int i = 0; i < THREADS; i++)
		OK(MPI_Comm_free_keyval(&key[i]));
	OK(MPI_Comm_free_keyval(&shared_key));
	MPI_Finalize();
	return 0;
}
