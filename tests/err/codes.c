/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 9.5.1: error classes, codes and texts of the program's own. */
#include "tests/check.h"

#include <mpi.h>
#include <string.h>

static int last_used(void)
{
	int *value, flag;

	expect_ok(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
	expect(flag);
	return *value;
}

static int text_is(int code, const char *text)
{
	char s[MPI_MAX_ERROR_STRING];
	int len;

	expect_ok(MPI_Error_string(code, s, &len));
	return strcmp(s, text) == 0 && (size_t)len == strlen(text);
}

static int seen;

static void code_handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	seen = *code;
}

int main(int argc, char **argv)
{
	int class, code, other, c;
	char text[MPI_MAX_ERROR_STRING + 1];
	MPI_Errhandler e;

	expect_ok(MPI_Add_error_class(&class)); /* before MPI_Init */
	expect_ok(MPI_Init(&argc, &argv));
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	expect(class > MPI_ERR_LASTCODE);
	expect_ok(MPI_Add_error_code(class, &code));
	expect_ok(MPI_Add_error_code(MPI_ERR_IO, &other));
	expect(code != class && other != code);
	expect_eq(last_used(), other);
	expect_ok(MPI_Error_class(code, &c));
	expect_eq(c, class);
	expect_ok(MPI_Error_class(other, &c));
	expect_eq(c, MPI_ERR_IO);
	expect_ok(MPI_Error_class(class, &c));
	expect_eq(c, class);
	expect(text_is(code, ""));
	expect_ok(MPI_Add_error_string(code, "the moon is down"));
	expect_ok(MPI_Add_error_string(code, "the moon is up"));
	expect(text_is(code, "the moon is up"));

	expect_ok(MPI_Comm_create_errhandler(code_handler, &e));
	expect_ok(MPI_Comm_set_errhandler(MPI_COMM_WORLD, e));
	expect_ok(MPI_Comm_call_errhandler(MPI_COMM_WORLD, code));
	expect_eq(seen, code);

	memset(text, 'x', sizeof(text));
	text[MPI_MAX_ERROR_STRING] = '\0';
	expect_eq(MPI_Add_error_string(code, text), MPI_ERR_ARG);
	expect_eq(MPI_Add_error_string(MPI_ERR_IO, "no"), MPI_ERR_ARG);
	expect_eq(MPI_Add_error_code(code, &c), MPI_ERR_ARG);
	expect_eq(MPI_Remove_error_class(class), MPI_ERR_ARG);
	expect_eq(MPI_Remove_error_code(code), MPI_ERR_ARG);
	expect_ok(MPI_Remove_error_string(code));
	expect_eq(MPI_Remove_error_string(code), MPI_ERR_ARG);
	expect_ok(MPI_Remove_error_code(code));
	expect_eq(MPI_Error_class(code, &c), MPI_ERR_ARG);
	expect_ok(MPI_Remove_error_class(class));
	expect_eq(MPI_Remove_error_class(class), MPI_ERR_ARG);
	expect_eq(last_used(), other);
	expect_ok(MPI_Remove_error_code(other));
	expect(last_used() >= MPI_ERR_LASTCODE && last_used() < MPI_ERR_LASTCODE + 16);
	MPI_Finalize();
	return check_end();
}
