/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 9.3: every function that this version does not have says so by its name, through the
 * error handler, whatever its arguments are. */
#include "tests/abi/unsupported.h"
#include "tests/check.h"

#include <mpi.h>
#include <string.h>

static int calls;     /* of the handler */
static int last_code; /* it was given */

static void unsupported_handler(MPI_Comm *comm, int *code, ...)
{
	calls += *comm == MPI_COMM_SELF;
	last_code = *code;
}

/* 14.7: functions on files have MPI_FILE_NULL's handler. */
static void file_handler(MPI_File *fh, int *code, ...)
{
	calls += *fh == MPI_FILE_NULL;
	last_code = *code;
}

/* The words name the function, and not one whose name merely begins like it. */
static int unsupported_names(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at != NULL && at[strlen(name)] == ':';
}

static void unsupported_try(const struct none_case *c)
{
	char text[MPI_MAX_ERROR_STRING];
	int tool = strncmp(c->name, "MPI_T_", 6) == 0, len, code;

	calls = last_code = 0;
	code = c->call();
	if (code != MPI_ERR_UNSUPPORTED_OPERATION || calls != !tool ||
		last_code != (tool ? 0 : code)) {
		fprintf(stderr, "%s: code %d, %d calls of the handler with %d\n", c->name, code,
			calls, last_code);
		check_failed++;
	}
	expect_ok(MPI_Error_string(code, text, &len));
	expect_eq(strlen(text), len);
	if (!unsupported_names(text, c->name) && !(tool && strstr(text, c->name) != NULL)) {
		fprintf(stderr, "%s: the words are: %s\n", c->name, text);
		check_failed++;
	}
}

int main(int argc, char **argv)
{
	MPI_Errhandler e, f;
	int n = 0;

	expect_ok(MPI_Init(&argc, &argv));
	expect_ok(MPI_Comm_create_errhandler(unsupported_handler, &e));
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_SELF, e));
	expect_ok(MPI_File_create_errhandler(file_handler, &f));
	expect_ok(MPI_File_set_errhandler(MPI_FILE_NULL, f));
	for (const struct none_case *c = none_cases; c->name != NULL; c++, n++)
		unsupported_try(c);
	printf("%d functions without an engine\n", n);
	MPI_Finalize();
	return check_end();
}
