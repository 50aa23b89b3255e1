/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1,2 */
/* MPI-5.0 6.9.2, 6.9.5, 6.9.1: refusals of collective calls and operations, with words. */
#include "tests/std/ch06/values.h"
#include "tests/check.h"

/* The last error of this class says `word'. */
static void refused_says(int class, const char *word)
{
	char text[MPI_MAX_ERROR_STRING];
	int len;

	expect_ok(MPI_Error_string(class, text, &len));
	if (!expect(strstr(text, word) != NULL))
		fprintf(stderr, "no \"%s\" in: %s\n", word, text);
}

static void wrong_types(void)
{
	_Alignas(16) char a[64] = {0}, b[64] = {0};

	for (int t = 0; t < KINDS; t++)
		for (int op = 0; op < OPS; op++)
			if (!(ops[op].groups & kinds[t].groups) &&
				!(kinds[t].groups == G_INT && (ops[op].groups & G_INT)))
				expect_eq(MPI_Allreduce(a, b, 1, kinds[t].type, ops[op].op,
						  MPI_COMM_WORLD),
					MPI_ERR_OP);
	expect_eq(MPI_Allreduce(a, b, 1, MPI_FLOAT_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
	refused_says(MPI_ERR_OP, "MPI_SUM does not take MPI_FLOAT_INT");
	expect_eq(MPI_Reduce_local(a, b, 1, MPI_INT, MPI_REPLACE), MPI_ERR_OP);
	refused_says(MPI_ERR_OP, "one-sided");
}

/* One buffer is right where the types make two places of it: the second half goes. */
static void two_positions(int n)
{
	int x[16], four = 4 * (int)sizeof(int), zero = 0, one = 1;
	MPI_Datatype upper;

	if (n > 4)
		return;
	expect_ok(MPI_Type_create_hindexed_block(
		1, 1, (MPI_Aint[]){8 * sizeof(int)}, MPI_INT, &upper));
	expect_ok(MPI_Type_commit(&upper));
	for (int i = 0; i < 16; i++)
		x[i] = i;
	expect_ok(MPI_Allgather(x, 1, upper, x, 1, MPI_INT, MPI_COMM_WORLD));
	for (int i = 0; i < n; i++)
		expect_eq(x[i], 8);
	expect_ok(MPI_Alltoallv(x, &one, &zero, upper, x, &one, &zero, MPI_INT, MPI_COMM_SELF));
	expect_ok(MPI_Alltoallw(
		x, &one, &zero, &upper, x, &one, &four, (MPI_Datatype[]){MPI_INT}, MPI_COMM_SELF));
	expect_eq(x[4], 8);
	expect_ok(MPI_Gather(x, 1, upper, x, 1, MPI_INT, 0, MPI_COMM_WORLD));
	expect_ok(MPI_Scatter(x, 1, upper, x, 1, MPI_INT, 0, MPI_COMM_SELF));
	expect_eq(MPI_Allgather(x + 8, 1, MPI_INT, x, 1, upper, MPI_COMM_SELF), MPI_ERR_BUFFER);
	expect_ok(MPI_Type_free(&upper));
}

int main(int argc, char **argv)
{
	MPI_Op op = MPI_SUM;
	int x = 1, y = 2, n, me;

	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	wrong_types();
	expect_eq(MPI_Op_free(&op), MPI_ERR_OP);
	refused_says(MPI_ERR_OP, "MPI_SUM");
	expect(op == MPI_SUM);
	expect_eq(MPI_Bcast(&x, 1, MPI_INT, n, MPI_COMM_WORLD), MPI_ERR_ROOT);
	expect_eq(MPI_Bcast(&x, -1, MPI_INT, 0, MPI_COMM_WORLD), MPI_ERR_COUNT);
	expect_eq(MPI_Allreduce(&x, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
	refused_says(MPI_ERR_BUFFER, "MPI_IN_PLACE");
	if (n > 1)
		expect_eq(MPI_Exscan(&x, &x, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
	two_positions(n);
	op = MPI_OP_NULL;
	expect_eq(MPI_Op_create(NULL, 1, &op), MPI_ERR_ARG);
	refused_says(MPI_ERR_ARG, "user_fn is NULL");
	expect_eq(MPI_Op_create_c(NULL, 1, &op), MPI_ERR_ARG);
	expect(op == MPI_OP_NULL);
	if (me != 0)
		expect_eq(MPI_Reduce(MPI_IN_PLACE, &y, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD),
			MPI_ERR_BUFFER);
	else if (n > 1)
		x = 1;
	MPI_Finalize();
	return check_end();
}
