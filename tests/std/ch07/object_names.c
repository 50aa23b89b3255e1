// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 7.8: names of communicators and datatypes. */
#include "tests/check.h"

static char name[MPI_MAX_OBJECT_NAME + 8];
static int len;

/* The answer of MPI_Comm_get_name, with the bytes behind the buffer untouched. */
static const char *comm_name(MPI_Comm c)
{
	memset(name, '#', sizeof(name));
	OK(MPI_Comm_get_name(c, name, &len));
	CHECK(name[MPI_MAX_OBJECT_NAME] == '#');
	CHECK(len == (int)strlen(name) && len < MPI_MAX_OBJECT_NAME);
	return name;
}

static const char *type_name(MPI_Datatype t)
{
	memset(name, '#', sizeof(name));
	OK(MPI_Type_get_name(t, name, &len));
	CHECK(name[MPI_MAX_OBJECT_NAME] == '#');
	CHECK(len == (int)strlen(name) && len < MPI_MAX_OBJECT_NAME);
	return name;
}

/* MPI-5.0 7.8: predefined communicators have default names; the null handle has one too; others
 * have none. */
static void defaults_of_comms(void)
{
	MPI_Comm c;

	CHECK(strcmp(comm_name(MPI_COMM_WORLD), "MPI_COMM_WORLD") == 0);
	CHECK(strcmp(comm_name(MPI_COMM_SELF), "MPI_COMM_SELF") == 0);
	CHECK(strcmp(comm_name(MPI_COMM_NULL), "MPI_COMM_NULL") == 0);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	CHECK(strcmp(comm_name(c), "") == 0 && len == 0);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 7.8: the default name of a named datatype is its name.  Pitfall 21: of all of them. */
static void defaults_of_types(void)
{
	enum { COMM, TYPE, GROUP, OP, REQ, ERRH, INFO, MSG, WIN, FILES, SESSION };
	static const struct {
		int class;
		intptr_t number;
		const char *name;
	} all[] = {
#define FILE FILES
#define TITLE(words)
#define CONST(type, name, value)
#define CONST_C(type, name, value)
#define CONST_EXT(type, name, value)
#define CONST_OFFSET(type, name, value)
#define ROOM(name, value)
#define LATER(type, name, value)
#define SAME(name, other)
#define HANDLE(class, name, number) {class, number, #name},
#include "libmpi/api/const.def"
#undef FILE
	};
	int types = 0;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i].class != TYPE)
			continue;
		types++;
		CHECK(strcmp(type_name((MPI_Datatype)all[i].number), all[i].name) == 0);
	}
	CHECK(types > 60);
}

/* MPI-5.0 7.8: the user's string is copied; leading blanks are significant (pitfall 3); the empty
 * string is a name; a new name takes the place of the old one. */
static void name_set(void)
{
	char mine[] = "  ocean ";
	MPI_Comm c;
	MPI_Datatype t;

	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	OK(MPI_Comm_set_name(c, mine));
	mine[2] = 'x';
	CHECK(strncmp(comm_name(c), "  ocean", 7) == 0);
	OK(MPI_Comm_set_name(c, "atmosphere"));
	CHECK(strcmp(comm_name(c), "atmosphere") == 0);
	OK(MPI_Comm_set_name(c, ""));
	CHECK(len == 10 && strcmp(comm_name(c), "") == 0);
	OK(MPI_Comm_free(&c));
	OK(MPI_Type_contiguous(2, MPI_INT, &t));
	CHECK(strcmp(type_name(t), "") == 0);
	OK(MPI_Type_set_name(t, " pair"));
	CHECK(strcmp(type_name(t), " pair") == 0);
	OK(MPI_Type_free(&t));
}

/* MPI-5.0 7.8: predefined objects can be renamed, with an empty name too. */
static void renamed(void)
{
	OK(MPI_Comm_set_name(MPI_COMM_WORLD, "everybody"));
	CHECK(strcmp(comm_name(MPI_COMM_WORLD), "everybody") == 0);
	OK(MPI_Comm_set_name(MPI_COMM_WORLD, ""));
	CHECK(strcmp(comm_name(MPI_COMM_WORLD), "") == 0);
	OK(MPI_Comm_set_name(MPI_COMM_WORLD, "MPI_COMM_WORLD"));
	OK(MPI_Type_set_name(MPI_DOUBLE, "kelvin"));
	CHECK(strcmp(type_name(MPI_DOUBLE), "kelvin") == 0);
	CHECK(strcmp(type_name(MPI_FLOAT), "MPI_FLOAT") == 0);
	OK(MPI_Type_set_name(MPI_DOUBLE, "MPI_DOUBLE"));
}

/* MPI-5.0 7.8: longer names are cut at MPI_MAX_OBJECT_NAME - 1. */
static void name_cut(void)
{
	char longer[2 * MPI_MAX_OBJECT_NAME];
	MPI_Comm c;

	memset(longer, 'n', sizeof(longer));
	longer[sizeof(longer) - 1] = '\0';
	OK(MPI_Comm_dup(MPI_COMM_SELF, &c));
	OK(MPI_Comm_set_name(c, longer));
	CHECK(strlen(comm_name(c)) == MPI_MAX_OBJECT_NAME - 1);
	CHECK(strncmp(name, longer, MPI_MAX_OBJECT_NAME - 1) == 0);
	longer[MPI_MAX_OBJECT_NAME - 1] = '\0';
	OK(MPI_Comm_set_name(c, longer));
	CHECK(strcmp(comm_name(c), longer) == 0);
	OK(MPI_Comm_free(&c));
}

/* MPI-5.0 7.8: a dup has no name; pitfall 4: that of a predefined datatype neither. */
static void not_copied(void)
{
	MPI_Comm c, d;
	MPI_Datatype t, u;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_set_name(c, "parent"));
	OK(MPI_Comm_dup(c, &d));
	CHECK(strcmp(comm_name(d), "") == 0);
	OK(MPI_Comm_free(&d));
	OK(MPI_Comm_split(c, 0, 0, &d));
	CHECK(strcmp(comm_name(d), "") == 0);
	OK(MPI_Comm_free(&d));
	OK(MPI_Comm_free(&c));
	OK(MPI_Type_dup(MPI_INT, &t));
	CHECK(strcmp(type_name(t), "") == 0);
	OK(MPI_Type_set_name(t, "mine"));
	OK(MPI_Type_dup(t, &u));
	CHECK(strcmp(type_name(u), "") == 0);
	OK(MPI_Type_free(&t));
	OK(MPI_Type_free(&u));
}

/* MPI-5.0 9.3.5: names stand in the words of errors: the communicator's, the datatype's. */
static void in_words(void)
{
	MPI_Comm c, stale;
	MPI_Datatype t;
	int x = 0;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_set_name(c, "solver"));
	OK(MPI_Type_contiguous(2, MPI_INT, &t));
	OK(MPI_Type_set_name(t, "cell"));
	FAILS(MPI_ERR_RANK, "of solver", MPI_Send(&x, 1, MPI_INT, check_size, 0, c));
	FAILS(MPI_ERR_TYPE, "cell", MPI_Send(&x, 1, t, 0, 0, c));
	FAILS(MPI_ERR_TYPE, "solver", MPI_Send(&x, 1, t, 0, 0, c));
	OK(MPI_Type_set_name(MPI_INT, "number"));
	FAILS(MPI_ERR_TYPE, "number", MPI_Type_free(&(MPI_Datatype){MPI_INT}));
	OK(MPI_Type_set_name(MPI_INT, "MPI_INT"));
	stale = c;
	OK(MPI_Comm_free(&c));
	FAILS(MPI_ERR_COMM, "solver", MPI_Barrier(stale));
	OK(MPI_Type_free(&t));
}

/* Wrong arguments. */
static void name_refused(void)
{
	FAILS(MPI_ERR_ARG, "NULL", MPI_Comm_set_name(MPI_COMM_WORLD, NULL));
	FAILS(MPI_ERR_ARG, "NULL", MPI_Comm_get_name(MPI_COMM_WORLD, NULL, &len));
	FAILS(MPI_ERR_COMM, "MPI_COMM_NULL", MPI_Comm_set_name(MPI_COMM_NULL, "x"));
	FAILS(MPI_ERR_TYPE, "MPI_DATATYPE_NULL", MPI_Type_set_name(MPI_DATATYPE_NULL, "x"));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN));
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	defaults_of_comms();
	defaults_of_types();
	name_set();
	renamed();
	name_cut();
	not_copied();
	in_words();
	name_refused();
	MPI_Finalize();
	return 0;
}
