// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 9.5.1: error classes, codes and texts of the user's; MPI_LASTUSEDCODE follows them. */
#include "tests/check.h"

static void code_all(int running)
{
	char text[MPI_MAX_ERROR_STRING] = "x";
	/* No class has these numbers. */
	static const int gaps[] = {63, 500, 1019, MPI_ERR_LASTCODE - 1, MPI_ERR_LASTCODE + 1};
	int class, code, other, len, *last, flag;

	OK(MPI_Error_class(MPI_ERR_LASTCODE, &class)); /* it is in the table of classes */
	CHECK(class == MPI_ERR_LASTCODE);
	OK(MPI_Add_error_class(&class));
	CHECK(class > MPI_ERR_LASTCODE);
	OK(MPI_Error_string(class, text, &len));
	CHECK(len == 0 && text[0] == 0);
	OK(MPI_Add_error_code(class, &code));
	OK(MPI_Add_error_string(code, "the kettle is empty"));
	OK(MPI_Error_class(code, &other));
	CHECK(other == class);
	OK(MPI_Error_string(code, text, &len));
	CHECK(strcmp(text, "the kettle is empty") == 0 && len == 19);
	OK(MPI_Add_error_code(MPI_ERR_IO, &other));
	OK(MPI_Error_class(other, &len));
	CHECK(len == MPI_ERR_IO);
	if (running) {
		OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
		CHECK(flag && *last == other);
		FAILS(MPI_ERR_ARG, "codes", MPI_Remove_error_class(class));
		FAILS(MPI_ERR_ARG, "text", MPI_Remove_error_code(code));
		FAILS(MPI_ERR_ARG, "", MPI_Add_error_string(MPI_ERR_IO, "no"));
		FAILS(MPI_ERR_ARG, "", MPI_Remove_error_class(code));
		FAILS(MPI_ERR_ARG, "", MPI_Add_error_code(code, &len));
		for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
			FAILS(MPI_ERR_ARG, "error code", MPI_Error_class(gaps[i], &len));
			FAILS(MPI_ERR_ARG, "error class", MPI_Add_error_code(gaps[i], &len));
		}
		OK(MPI_Error_string(gaps[0], text, &len));
		CHECK(strcmp(text, "no error class has number 63") == 0);
		FAILS(MPI_ERR_ARG, "", MPI_Error_string(MPI_ERR_LASTCODE + 1, text, &len));
		FAILS(MPI_ERR_ARG, "", MPI_Error_string(-1, text, &len));
	}
	OK(MPI_Remove_error_code(other));
	OK(MPI_Remove_error_string(code));
	OK(MPI_Remove_error_code(code));
	OK(MPI_Remove_error_class(class));
	if (running) {
		OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag));
		CHECK(flag && *last >= MPI_ERR_LASTCODE && *last < MPI_ERR_LASTCODE + 16);
	}
}

int main(int argc, char **argv)
{
	code_all(0);
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	code_all(1);
	MPI_Finalize();
	code_all(0);
	return 0;
}
