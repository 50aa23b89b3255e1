// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 11.2.4: MPI_Finalize deletes the attributes of MPI_COMM_SELF first, the newest first,
 * while all of MPI still works. */
#include "tests/check.h"

static int key[4], extra_key;
static char order[64];

static int finalize_last(MPI_Comm comm, int k, void *value, void *extra)
{
	int flag, sum = 0, one = 1;

	(void)k;
	(void)extra;
	CHECK(comm == MPI_COMM_SELF);
	OK(MPI_Finalized(&flag));
	CHECK(!flag);
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	CHECK(sum == check_size);
	snprintf(order + strlen(order), 8, "%d", (int)(intptr_t)value);
	if ((intptr_t)value == 3) /* pitfall 8: attributes set by a callback go as well */
		OK(MPI_Comm_set_attr(MPI_COMM_SELF, extra_key, (void *)9));
	return MPI_SUCCESS;
}

static int fail_once(MPI_Comm comm, int k, void *value, void *extra)
{
	static int calls;

	(void)comm;
	(void)k;
	(void)value;
	(void)extra;
	FAILS(MPI_ERR_OTHER, "by a callback", MPI_Finalize());
	return calls++ == 0 ? MPI_ERR_INTERN : MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	int bad, flag;
	MPI_Comm self = MPI_COMM_SELF;

	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	for (int i = 0; i < 4; i++) {
		OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize_last, &key[i], NULL));
		OK(MPI_Comm_set_attr(MPI_COMM_SELF, key[i], (void *)(intptr_t)i));
	}
	OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, finalize_last, &extra_key, NULL));
	OK(MPI_Comm_set_attr(MPI_COMM_SELF, key[1], (void *)5)); /* pitfall 5: the newest now */
	CHECK(strcmp(order, "1") == 0);
	order[0] = '\0';
	OK(MPI_Comm_free_keyval(&key[2])); /* pitfall 11: its callback still runs */
	FAILS(MPI_ERR_COMM, "predefined", MPI_Comm_free(&self));
	CHECK(order[0] == '\0');
	/* a callback that fails makes MPI_Finalize fail, and nothing has ended */
	OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, fail_once, &bad, NULL));
	OK(MPI_Comm_set_attr(MPI_COMM_SELF, bad, NULL));
	FAILS(MPI_ERR_INTERN, "delete callback", MPI_Finalize());
	OK(MPI_Finalized(&flag));
	CHECK(!flag && order[0] == '\0');
	OK(MPI_Finalize());
	if (strcmp(order, "53920") == 0)
		return 0;
	fprintf(stderr, "order: %s\n", order);
	return 1;
}
