// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 15.3.4: the tools interface begins and ends by itself, and is counted. */
#include "tests/check.h"

/* MPI-5.0 15.3.10: not initialised: every call says so, and no error handler is called, not even
 * that of a process outside of MPI. */
static void closed(void)
{
	int n = -1, len = 0;
	MPI_T_cvar_handle h = MPI_T_CVAR_HANDLE_NULL;
	MPI_T_pvar_session s = MPI_T_PVAR_SESSION_NULL;

	CHECK(MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED && n == -1);
	CHECK(MPI_T_pvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
	CHECK(MPI_T_category_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
	CHECK(MPI_T_event_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
	CHECK(MPI_T_source_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
	CHECK(MPI_T_cvar_handle_alloc(0, NULL, &h, &n) == MPI_T_ERR_NOT_INITIALIZED);
	CHECK(MPI_T_cvar_handle_free(&h) == MPI_T_ERR_NOT_INITIALIZED);
	CHECK(MPI_T_pvar_session_create(&s) == MPI_T_ERR_NOT_INITIALIZED);
	CHECK(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, NULL, &len) == MPI_T_ERR_NOT_INITIALIZED);
	CHECK(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
	CHECK(MPI_T_cvar_get_num(NULL) == MPI_T_ERR_NOT_INITIALIZED);
}

static void open_once(void)
{
	int provided = -1, n = 0;

	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
	OK(MPI_T_cvar_get_num(&n));
	CHECK(n > 0);
}

/* MPI-5.0 15.3.4: it ends with the last of as many MPI_T_finalize as there were
 * MPI_T_init_thread. */
static void tool_counted(void)
{
	int n;

	open_once();
	open_once();
	OK(MPI_T_finalize());
	OK(MPI_T_cvar_get_num(&n));
	OK(MPI_T_finalize());
	closed();
}

/* Open handles end with it: they are invalid afterwards. */
static void handles_end(void)
{
	MPI_T_cvar_handle c;
	MPI_T_pvar_session s;
	MPI_T_pvar_handle p;
	int n, value;

	open_once();
	OK(MPI_T_cvar_handle_alloc(0, NULL, &c, &n));
	OK(MPI_T_pvar_session_create(&s));
	OK(MPI_T_pvar_handle_alloc(s, 0, NULL, &p, &n));
	OK(MPI_T_finalize());
	open_once();
	CHECK(MPI_T_cvar_read(c, &value) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_pvar_start(s, p) == MPI_T_ERR_INVALID_SESSION);
	CHECK(MPI_T_pvar_session_free(&s) == MPI_T_ERR_INVALID_SESSION);
	OK(MPI_T_finalize());
}

/* MPI-5.0 15.3.10: codes have texts like all others. */
static void texts(void)
{
	char words[MPI_MAX_ERROR_STRING];
	int len, class, n;

	CHECK(MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
	OK(MPI_Error_string(MPI_T_ERR_NOT_INITIALIZED, words, &len));
	CHECK(len > 0 && strstr(words, "MPI_T_init_thread") != NULL);
	OK(MPI_Error_class(MPI_T_ERR_PVAR_NO_ATOMIC, &class));
	CHECK(class == MPI_T_ERR_PVAR_NO_ATOMIC && class <= MPI_ERR_LASTCODE);
}

int main(int argc, char **argv)
{
	int provided;

	closed();
	tool_counted();
	handles_end();
	CHECK(MPI_T_init_thread(-17, &provided) == MPI_T_ERR_INVALID);
	CHECK(MPI_T_init_thread(MPI_THREAD_SINGLE, NULL) == MPI_T_ERR_INVALID);
	closed();
	open_once();
	check_init(&argc, &argv);
	OK(MPI_T_finalize());
	closed();
	handles_end();
	texts();
	open_once();
	MPI_Finalize();
	open_once();
	OK(MPI_T_finalize());
	OK(MPI_T_finalize());
	closed();
	return 0;
}
