/* SPDX-License-Identifier: BSD-3-Clause */
/* RUN np=1 */
/* MPI-5.0 9.5.1: error classes, codes and texts of the program's own. */
#include "tests/t.h"

#include <mpi.h>
#include <string.h>

static int last_used(void)
{
	int *value, flag;

	t_ok(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &value, &flag));
	t_true(flag);
	return *value;
}

static int text_is(int code, const char *text)
{
	char s[MPI_MAX_ERROR_STRING];
	int len;

	t_ok(MPI_Error_string(code, s, &len));
	return strcmp(s, text) == 0 && (size_t)len == strlen(text);
}

static int seen;

static void handler(MPI_Comm *comm, int *code, ...)
{
	(void)comm;
	seen = *code;
}

int main(int argc, char **argv)
{
	int class, code, other, c;
	char text[MPI_MAX_ERROR_STRING + 1];
	MPI_Errhandler e;

	t_ok(MPI_Add_error_class(&class)); /* before MPI_Init */
	t_ok(MPI_Init(&argc, &argv));
	t_ok(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	t_true(class > MPI_ERR_LASTCODE);
	t_ok(MPI_Add_error_code(class, &code));
	t_ok(MPI_Add_error_code(MPI_ERR_IO, &other));
	t_true(code != class && other != code);
	t_eq(last_used(), other);
	t_ok(MPI_Error_class(code, &c));
	t_eq(c, class);
	t_ok(MPI_Error_class(other, &c));
	t_eq(c, MPI_ERR_IO);
	t_ok(MPI_Error_class(class, &c));
	t_eq(c, class);
	t_true(text_is(code, ""));
	t_ok(MPI_Add_error_string(code, "the moon is down"));
	t_ok(MPI_Add_error_string(code, "the moon is up"));
	t_true(text_is(code, "the moon is up"));

	t_ok(MPI_Comm_create_errhandler(handler, &e));
	t_ok(MPI_Comm_set_errhandler(MPI_COMM_WORLD, e));
	t_ok(MPI_Comm_call_errhandler(MPI_COMM_WORLD, code));
	t_eq(seen, code);

	memset(text, 'x', sizeof(text));
	text[MPI_MAX_ERROR_STRING] = '\0';
	t_eq(MPI_Add_error_string(code, text), MPI_ERR_ARG);
	t_eq(MPI_Add_error_string(MPI_ERR_IO, "no"), MPI_ERR_ARG);
	t_eq(MPI_Add_error_code(code, &c), MPI_ERR_ARG);
	t_eq(MPI_Remove_error_class(class), MPI_ERR_ARG);
	t_eq(MPI_Remove_error_code(code), MPI_ERR_ARG);
	t_ok(MPI_Remove_error_string(code));
	t_eq(MPI_Remove_error_string(code), MPI_ERR_ARG);
	t_ok(MPI_Remove_error_code(code));
	t_eq(MPI_Error_class(code, &c), MPI_ERR_ARG);
	t_ok(MPI_Remove_error_class(class));
	t_eq(MPI_Remove_error_class(class), MPI_ERR_ARG);
	t_eq(last_used(), other);
	t_ok(MPI_Remove_error_code(other));
	t_eq(last_used(), MPI_ERR_LASTCODE);
	MPI_Finalize();
	return t_end();
}
