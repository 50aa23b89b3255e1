// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* MPI-5.0 9.3: error handlers of communicators and files, which one is called, with what. */
#include "tests/check.h"

static struct {
	int calls, code;
	MPI_Comm comm;
	MPI_File file;
} saw[3];

static void on_comm(MPI_Comm *c, int *code, ...)
{
	saw[0].calls++;
	saw[0].code = *code;
	saw[0].comm = *c;
}

static void on_other(MPI_Comm *c, int *code, ...)
{
	saw[1].calls++;
	saw[1].code = *code;
	saw[1].comm = *c;
}

static void on_file(MPI_File *f, int *code, ...)
{
	saw[2].calls++;
	saw[2].code = *code;
	saw[2].file = *f;
}

static void on_comm_forgive(MPI_Comm *c, int *code, ...)
{
	(void)c;
	*code = MPI_SUCCESS;
}

static void on_file_replace(MPI_File *f, int *code, ...)
{
	(void)f;
	*code = MPI_ERR_BASE;
}

static void on_win(MPI_Win *w, int *code, ...)
{
	(void)w;
	(void)code;
}

static void handler_on_session(MPI_Session *s, int *code, ...)
{
	(void)s;
	(void)code;
}

static int x[4];

/* A call with a wrong rank on c. */
static int err_on(MPI_Comm c)
{
	memset(saw, 0, sizeof(saw));
	return MPI_Send(x, 1, MPI_INT, 1000, 0, c);
}

/* MPI-5.0 9.3: the handler gets the code that the routine is going to return, and may change it. */
static void handler_changed(void)
{
	MPI_Errhandler forgive, replace;
	MPI_Comm c;
	MPI_File f;

	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	OK(MPI_Comm_create_errhandler(on_comm_forgive, &forgive));
	OK(MPI_Comm_set_errhandler(c, forgive));
	expect_eq(err_on(c), MPI_SUCCESS);
	OK(MPI_Comm_free(&c));
	OK(MPI_Errhandler_free(&forgive));
	OK(MPI_File_create_errhandler(on_file_replace, &replace));
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, replace));
	expect_eq(MPI_File_open(MPI_COMM_SELF, "/", MPI_MODE_RDONLY, MPI_INFO_NULL, &f),
		MPI_ERR_BASE);
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
	OK(MPI_Errhandler_free(&replace));
}

/* MPI-5.0 9.3: a handler is for the kind of objects that it was made for; predefined ones are for
 * all. */
static void handler_kinds(void)
{
	MPI_Errhandler w, f, s, all[] = {MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT, MPI_ERRORS_RETURN};
	MPI_Errhandler got;
	MPI_Comm c;

	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	OK(MPI_Win_create_errhandler(on_win, &w));
	OK(MPI_File_create_errhandler(on_file, &f));
	OK(MPI_Session_create_errhandler(handler_on_session, &s));
	FAILS(MPI_ERR_ERRHANDLER, "windows", MPI_Comm_set_errhandler(c, w));
	FAILS(MPI_ERR_ERRHANDLER, "files", MPI_Comm_set_errhandler(c, f));
	FAILS(MPI_ERR_ERRHANDLER, "sessions", MPI_Comm_set_errhandler(c, s));
	for (int i = 0; i < 3; i++) {
		OK(MPI_Comm_set_errhandler(c, all[i]));
		OK(MPI_Comm_get_errhandler(c, &got));
		CHECK(got == all[i]);
		OK(MPI_File_set_errhandler(MPI_FILE_NULL, all[i]));
		OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
		CHECK(got == all[i]);
	}
	OK(MPI_Errhandler_free(&w));
	OK(MPI_Errhandler_free(&f));
	OK(MPI_Errhandler_free(&s));
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	OK(MPI_Comm_free(&c));
	FAILS(MPI_ERR_ARG, "NULL", MPI_Comm_create_errhandler(NULL, &w));
	FAILS(MPI_ERR_COMM, "MPI_COMM_NULL",
		MPI_Comm_set_errhandler(MPI_COMM_NULL, MPI_ERRORS_RETURN));
}

/* MPI-5.0 9.3.1: a new communicator has its parent's handler, and keeps it. */
static void inherited(void)
{
	MPI_Errhandler h, none;
	MPI_Comm c, d[3];
	MPI_Group g;

	OK(MPI_Comm_create_errhandler(on_comm, &h));
	OK(MPI_Comm_create_errhandler(on_other, &none));
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_set_errhandler(c, h));
	OK(MPI_Comm_group(c, &g));
	OK(MPI_Comm_dup(c, &d[0]));
	OK(MPI_Comm_split(c, 0, 0, &d[1]));
	OK(MPI_Comm_create(c, g, &d[2]));
	OK(MPI_Comm_set_errhandler(c, none)); /* children are not followed */
	OK(MPI_Errhandler_free(&h));
	OK(MPI_Errhandler_free(&none));
	for (int i = 0; i < 3; i++) {
		CHECK(err_on(d[i]) == MPI_ERR_RANK);
		CHECK(saw[0].calls == 1 && saw[0].code == MPI_ERR_RANK && saw[0].comm == d[i]);
		OK(MPI_Comm_free(&d[i]));
	}
	CHECK(err_on(c) == MPI_ERR_RANK);
	CHECK(saw[0].calls == 0 && saw[1].calls == 1 && saw[1].comm == c);
	OK(MPI_Comm_free(&c));
	OK(MPI_Group_free(&g));
}

/* MPI-5.0 9.3: get behaves as if it made a new handler: each is freed, and the object's stays. */
static void gotten(void)
{
	MPI_Errhandler h, got[5];
	MPI_Comm c;

	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	OK(MPI_Comm_create_errhandler(on_comm, &h));
	OK(MPI_Comm_set_errhandler(c, h));
	for (int i = 0; i < 5; i++)
		OK(MPI_Comm_get_errhandler(c, &got[i]));
	for (int i = 0; i < 5; i++) {
		OK(MPI_Errhandler_free(&got[i]));
		CHECK(got[i] == MPI_ERRHANDLER_NULL);
	}
	CHECK(err_on(c) == MPI_ERR_RANK && saw[0].calls == 1);
	OK(MPI_Errhandler_free(&h));
	CHECK(err_on(c) == MPI_ERR_RANK && saw[0].calls == 1);
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	CHECK(err_on(c) == MPI_ERR_RANK && saw[0].calls == 0);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 9.3.5, pitfall 14: freeing predefined handlers nulls the variable and has no other
 * effect. */
static void predefined_freed(void)
{
	for (int i = 0; i < 5; i++) {
		MPI_Errhandler e = MPI_ERRORS_RETURN, got;

		OK(MPI_Errhandler_free(&e));
		CHECK(e == MPI_ERRHANDLER_NULL);
		OK(MPI_Comm_get_errhandler(MPI_COMM_SELF, &got));
		CHECK(got == MPI_ERRORS_RETURN);
		OK(MPI_Errhandler_free(&got));
	}
	CHECK(err_on(MPI_COMM_SELF) == MPI_ERR_RANK);
	FAILS(MPI_ERR_ERRHANDLER, "MPI_ERRHANDLER_NULL",
		MPI_Errhandler_free(&(MPI_Errhandler){MPI_ERRHANDLER_NULL}));
}

/* MPI-5.0 9.3.1: MPI_Waitall returns MPI_ERR_IN_STATUS, and the handler of the communicator of the
 * failed request gets that request's error. */
static void in_status(void)
{
	MPI_Errhandler h;
	MPI_Request r[3];
	MPI_Status s[3];
	MPI_Comm c;
	int other = 1 - check_rank, y[4], idx, n, many[3];

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_create_errhandler(on_comm, &h));
	OK(MPI_Comm_set_errhandler(c, h));
	for (int how = 0; how < 3; how++) {
		OK(MPI_Irecv(&y[0], 1, MPI_INT, other, 0, MPI_COMM_WORLD, &r[0]));
		OK(MPI_Irecv(&y[1], 1, MPI_INT, other, 1, c, &r[1]));
		r[2] = MPI_REQUEST_NULL;
		OK(MPI_Send(x, 1, MPI_INT, other, 0, MPI_COMM_WORLD));
		OK(MPI_Send(x, 2, MPI_INT, other, 1, c));
		memset(saw, 0, sizeof(saw));
		if (how == 0) {
			CHECK(MPI_Waitall(3, r, s) == MPI_ERR_IN_STATUS);
			CHECK(s[0].MPI_ERROR == MPI_SUCCESS && s[2].MPI_ERROR == MPI_SUCCESS);
			CHECK(s[1].MPI_ERROR == MPI_ERR_TRUNCATE);
		} else if (how == 1) {
			OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
			r[0] = MPI_REQUEST_NULL;
			CHECK(MPI_Waitsome(3, r, &n, many, s) == MPI_ERR_IN_STATUS);
			CHECK(n == 1 && many[0] == 1 && s[0].MPI_ERROR == MPI_ERR_TRUNCATE);
		} else {
			OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
			CHECK(MPI_Waitany(3, r, &idx, s) == MPI_ERR_TRUNCATE && idx == 1);
		}
		CHECK(saw[0].calls == 1 && saw[0].code == MPI_ERR_TRUNCATE && saw[0].comm == c);
		CHECK(r[1] == MPI_REQUEST_NULL);
	}
	OK(MPI_Errhandler_free(&h));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 9.3: calls without an object raise on MPI_COMM_SELF, also those on groups and types. */
static void nobodys(void)
{
	MPI_Errhandler h;
	int n;

	OK(MPI_Comm_create_errhandler(on_comm, &h));
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, h));
	memset(saw, 0, sizeof(saw));
	CHECK(MPI_Group_size(MPI_GROUP_NULL, &n) == MPI_ERR_GROUP);
	CHECK(MPI_Type_size(MPI_DATATYPE_NULL, &n) == MPI_ERR_TYPE);
	CHECK(MPI_Op_free(&(MPI_Op){MPI_OP_NULL}) == MPI_ERR_OP);
	CHECK(MPI_Comm_size(MPI_COMM_NULL, &n) == MPI_ERR_COMM);
	CHECK(MPI_Info_get_nkeys(MPI_INFO_NULL, &n) == MPI_ERR_INFO);
	CHECK(saw[0].calls == 5 && saw[0].comm == MPI_COMM_SELF && saw[0].code == MPI_ERR_INFO);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Errhandler_free(&h));
}

/* MPI-5.0 14.7, 9.3.3: files begin with MPI_ERRORS_RETURN; MPI_FILE_NULL is the default of
 * files. */
static void files(void)
{
	MPI_Errhandler h, got;

	OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
	OK(MPI_File_create_errhandler(on_file, &h));
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, h));
	OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got));
	CHECK(got == h);
	OK(MPI_Errhandler_free(&got));
	OK(MPI_Errhandler_free(&h));
	memset(saw, 0, sizeof(saw));
	OK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_NO_SPACE));
	CHECK(saw[2].calls == 1 && saw[2].code == MPI_ERR_NO_SPACE);
	CHECK(saw[2].file == MPI_FILE_NULL);
	CHECK(MPI_File_close(&(MPI_File){MPI_FILE_NULL}) != MPI_SUCCESS);
	CHECK(saw[2].calls == 2 && saw[2].file == MPI_FILE_NULL);
	OK(MPI_File_get_errhandler(MPI_FILE_NULL, &got)); /* its handle was freed: it works again */
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, got));
	OK(MPI_Errhandler_free(&got));
	OK(MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_AMODE));
	CHECK(saw[2].calls == 3 && saw[2].code == MPI_ERR_AMODE);
	OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
}

/* MPI-5.0 9.3: a handler may call MPI: here it takes itself off, and makes an error of its own. */
static int depth;

static void on_nested(MPI_Comm *c, int *code, ...)
{
	char text[MPI_MAX_ERROR_STRING];
	int len;

	OK(MPI_Error_string(*code, text, &len));
	CHECK(strstr(text, "1000") != NULL || depth > 0);
	if (depth++ == 0) {
		CHECK(MPI_Recv(x, 1, MPI_INT, 2000, 0, *c, MPI_STATUS_IGNORE) == MPI_ERR_RANK);
		OK(MPI_Comm_set_errhandler(*c, MPI_ERRORS_RETURN));
	}
}

static void nested(void)
{
	MPI_Errhandler h;
	MPI_Comm c;

	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	OK(MPI_Comm_create_errhandler(on_nested, &h));
	OK(MPI_Comm_set_errhandler(c, h));
	OK(MPI_Errhandler_free(&h));
	CHECK(err_on(c) == MPI_ERR_RANK);
	CHECK(depth == 2);
	CHECK(err_on(c) == MPI_ERR_RANK);
	CHECK(depth == 2);
	OK(MPI_Comm_free(&c));
}

/* A handler frees the communicator on which the error is. */
static void on_freeing(MPI_Comm *c, int *code, ...)
{
	(void)code;
	OK(MPI_Comm_free(c));
}

static void freed_by_handler(void)
{
	MPI_Errhandler h;
	MPI_Comm c, old;

	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	old = c;
	OK(MPI_Comm_create_errhandler(on_freeing, &h));
	OK(MPI_Comm_set_errhandler(c, h));
	OK(MPI_Errhandler_free(&h));
	CHECK(err_on(c) == MPI_ERR_RANK);
	CHECK(err_on(old) == MPI_ERR_COMM);
}

/* MPI-5.0 9.5.2: the program raises an error itself: MPI_SUCCESS if the handler comes back; with
 * codes of its own, and with words that say so. */
static void raised_by_user(void)
{
	MPI_Errhandler h;
	MPI_Comm c;
	int code;

	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	OK(MPI_Comm_create_errhandler(on_comm, &h));
	OK(MPI_Add_error_code(MPI_ERR_OTHER, &code));
	OK(MPI_Add_error_string(code, "out of tea"));
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	OK(MPI_Comm_call_errhandler(c, code));
	OK(MPI_Comm_set_errhandler(c, h));
	memset(saw, 0, sizeof(saw));
	OK(MPI_Comm_call_errhandler(c, code));
	CHECK(saw[0].calls == 1 && saw[0].code == code && saw[0].comm == c);
	OK(MPI_Comm_call_errhandler(c, MPI_ERR_TOPOLOGY));
	CHECK(saw[0].calls == 2 && saw[0].code == MPI_ERR_TOPOLOGY);
	OK(MPI_Remove_error_string(code));
	OK(MPI_Remove_error_code(code));
	OK(MPI_Errhandler_free(&h));
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 9.3.5, 9.4: every class has a text of at most MPI_MAX_ERROR_STRING bytes; that of an
 * error which has just happened says more than its class; no code is no code. */
static void strings(void)
{
	char text[MPI_MAX_ERROR_STRING + 1], simple[MPI_MAX_ERROR_STRING];
	int len, class;

	for (int code = MPI_SUCCESS; code <= MPI_ERR_ERRHANDLER; code++) {
		memset(text, '#', sizeof(text));
		OK(MPI_Error_string(code, text, &len));
		CHECK(text[MPI_MAX_ERROR_STRING] == '#');
		CHECK(len > 0 && len == (int)strlen(text));
		OK(MPI_Error_class(code, &class));
		CHECK(class == code);
	}
	OK(MPI_Error_string(MPI_ERR_RANK, simple, &len));
	CHECK(err_on(MPI_COMM_SELF) == MPI_ERR_RANK);
	OK(MPI_Error_string(MPI_ERR_RANK, text, &len));
	CHECK(strlen(text) > strlen(simple) || strcmp(text, simple) != 0);
	CHECK(strstr(text, "1000") != NULL && strstr(text, "MPI_Send") != NULL);
	FAILS(MPI_ERR_ARG, "-7", MPI_Error_class(-7, &class));
	FAILS(MPI_ERR_ARG, "", MPI_Error_string(MPI_ERR_LASTCODE + 77, text, &len));
}

int main(int argc, char **argv)
{
	MPI_Errhandler first;

	check_init(&argc, &argv);
	OK(MPI_Comm_get_errhandler(MPI_COMM_SELF, &first));
	CHECK(first == MPI_ERRORS_ARE_FATAL);
	OK(MPI_File_get_errhandler(MPI_FILE_NULL, &first));
	CHECK(first == MPI_ERRORS_RETURN);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	handler_kinds();
	handler_changed();
	inherited();
	gotten();
	predefined_freed();
	in_status();
	nobodys();
	files();
	nested();
	freed_by_handler();
	raised_by_user();
	strings();
	MPI_Finalize();
	return 0;
}
