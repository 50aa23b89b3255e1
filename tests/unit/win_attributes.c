// SPDX-License-Identifier: BSD-3-Clause
/* MPI-5.0 7.7.3, 7.8, 9.3.2: attributes, names and error handlers of windows, through the bindings,
 * on window objects made from inside: an MPI_Win_create is not needed for them. */
#define KIND        Win
#define OBJECT      MPI_Win
#define NULL_COPY   MPI_WIN_NULL_COPY_FN
#define NULL_DELETE MPI_WIN_NULL_DELETE_FN
#include "libmpi/comm/attributes.h"
#include "libmpi/core/errh_object.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/attr_name.h"

static int type_key;
#define OTHER_KEY type_key

static int object_new(MPI_Win *w)
{
	struct win *o = obj_new(&haft_win_class, NULL);

	obj_errh_set(o, &haft_errh_return);
	*w = (MPI_Win)obj_handle(o);
	return MPI_SUCCESS;
}

static int object_free(MPI_Win *w)
{
	int err = haft_obj_free(obj_get(&haft_win_class, (obj_h)*w), MPI_ERR_WIN, "window");

	if (err == MPI_SUCCESS)
		*w = MPI_WIN_NULL;
	return err;
}

#include "tests/std/ch07/attributes.inc"

/* MPI-5.0 12.2.6: predefined attributes are read and never changed. */
static void win_predefined(void)
{
	MPI_Aint size = 64, *size_at;
	int base[16], flag;
	void *at_base;
	MPI_Win w;

	object_new(&w);
	OK(MPI_Win_get_attr(w, MPI_WIN_BASE, &at_base, &flag));
	CHECK(!flag);
	OK(comm_attr_win_fix(obj_get(&haft_win_class, (obj_h)w), MPI_WIN_BASE, base));
	OK(comm_attr_win_fix(obj_get(&haft_win_class, (obj_h)w), MPI_WIN_SIZE, &size));
	OK(MPI_Win_get_attr(w, MPI_WIN_BASE, &at_base, &flag));
	CHECK(flag && at_base == base);
	OK(MPI_Win_get_attr(w, MPI_WIN_SIZE, &size_at, &flag));
	CHECK(flag && *size_at == 64);
	FAILS(MPI_ERR_KEYVAL, "predefined", MPI_Win_set_attr(w, MPI_WIN_BASE, NULL));
	FAILS(MPI_ERR_KEYVAL, "predefined", MPI_Win_delete_attr(w, MPI_WIN_SIZE));
	OK(object_free(&w));
}

/* MPI-5.0 7.8: no name at first, then the one that was set; MPI_WIN_NULL has one. */
static void win_names(void)
{
	char name[MPI_MAX_OBJECT_NAME] = "x";
	int len = -1;
	MPI_Win w;

	object_new(&w);
	OK(MPI_Win_get_name(w, name, &len));
	CHECK(len == 0 && name[0] == '\0');
	OK(MPI_Win_set_name(w, "  halo"));
	OK(MPI_Win_get_name(w, name, &len));
	CHECK(len == 6 && strcmp(name, "  halo") == 0);
	FAILS(MPI_ERR_KEYVAL, "  halo", MPI_Win_set_attr(w, 12345, NULL));
	OK(object_free(&w));
	OK(MPI_Win_get_name(MPI_WIN_NULL, name, &len));
	CHECK(strcmp(name, "MPI_WIN_NULL") == 0 && len == 12);
	FAILS(MPI_ERR_WIN, "MPI_WIN_NULL", MPI_Win_set_name(MPI_WIN_NULL, "x"));
}

static MPI_Win raised_on;
static int raised;

static void on_win(MPI_Win *w, int *code, ...)
{
	raised_on = *w;
	raised = *code;
}

static void win_on_comm(MPI_Comm *c, int *code, ...)
{
	(void)c;
	(void)code;
}

/* MPI-5.0 9.3.2: a window's own handler, got and set; those made for communicators are refused. */
static void win_handlers(void)
{
	MPI_Errhandler h, got, of_comm;
	MPI_Win w;

	OK(MPI_Win_create_errhandler(on_win, &h));
	OK(MPI_Comm_create_errhandler(win_on_comm, &of_comm));
	object_new(&w);
	OK(MPI_Win_get_errhandler(w, &got));
	CHECK(got == MPI_ERRORS_RETURN);
	FAILS(MPI_ERR_ERRHANDLER, "communicators", MPI_Win_set_errhandler(w, of_comm));
	OK(MPI_Win_set_errhandler(w, h));
	OK(MPI_Win_get_errhandler(w, &got));
	CHECK(got == h);
	OK(MPI_Errhandler_free(&got));
	OK(MPI_Errhandler_free(&h));
	CHECK(MPI_Win_set_attr(w, 12345, NULL) == MPI_ERR_KEYVAL);
	CHECK(raised == MPI_ERR_KEYVAL && raised_on == w);
	OK(MPI_Win_call_errhandler(w, MPI_ERR_BASE));
	CHECK(raised == MPI_ERR_BASE);
	OK(object_free(&w));
	OK(MPI_Errhandler_free(&of_comm));
}

/* MPI-5.0 12.6: a window begins with MPI_ERRORS_ARE_FATAL. */
static void fatal_at_first(void)
{
	struct win *o = obj_new(&haft_win_class, NULL);
	MPI_Errhandler got;

	OK(MPI_Win_get_errhandler((MPI_Win)obj_handle(o), &got));
	CHECK(got == MPI_ERRORS_ARE_FATAL);
	obj_free_obj(o);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL));
	attributes_all();
	win_predefined();
	win_names();
	win_handlers();
	fatal_at_first();
	OK(MPI_Type_free_keyval(&type_key));
	MPI_Finalize();
	return 0;
}
