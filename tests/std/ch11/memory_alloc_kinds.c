// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4 */
/* MPI-5.0 11.4.3: objects made from a session have its mpi_memory_alloc_kinds: each communicator,
 * each flavor of window and files, on each of these communicators. */
#include "tests/check.h"
#include <unistd.h>

static char here[MPI_MAX_INFO_VAL]; /* of the session */

/* The value of the key in info, which goes. */
static void kind_kinds(MPI_Info info, char *value)
{
	int len = MPI_MAX_INFO_VAL, flag;

	OK(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &len, value, &flag));
	CHECK(flag);
	OK(MPI_Info_free(&info));
}

static void same_kinds(MPI_Info info, const char *what, const char *of)
{
	char there[MPI_MAX_INFO_VAL];

	kind_kinds(info, there);
	if (strcmp(here, there) != 0)
		printf("%s of %s: %s instead of %s\n", what, of, there, here);
	CHECK(strcmp(here, there) == 0);
}

/* Frees w. */
static void same_window(MPI_Win w, const char *what, const char *of)
{
	MPI_Info info;

	OK(MPI_Win_get_info(w, &info));
	same_kinds(info, what, of);
	OK(MPI_Win_free(&w));
}

static void kind_windows(MPI_Comm c, const char *of)
{
	int at[2];
	MPI_Comm host;
	MPI_Win w;
	void *p;

	OK(MPI_Win_create(at, sizeof(at), 1, MPI_INFO_NULL, c, &w));
	same_window(w, "window", of);
	OK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, c, &p, &w));
	same_window(w, "allocated window", of);
	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, c, &w));
	same_window(w, "dynamic window", of);
	OK(MPI_Comm_split_type(c, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host));
	OK(MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, host, &p, &w));
	same_window(w, "shared window", of);
	OK(MPI_Comm_free(&host));
}

static void kind_file(MPI_Comm c, const char *of)
{
	const char *dir = getenv("TMPDIR");
	char name[MPI_MAX_INFO_VAL];
	int id = getpid();
	MPI_Info info;
	MPI_File f;

	OK(MPI_Bcast(&id, 1, MPI_INT, 0, c));
	snprintf(name, sizeof(name), "%s/kinds.%d", dir != NULL ? dir : "/tmp", id);
	OK(MPI_File_open(c, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
		MPI_INFO_NULL, &f));
	OK(MPI_File_get_info(f, &info));
	same_kinds(info, "file", of);
	OK(MPI_File_close(&f));
}

/* A communicator made of g, a group of the session, belongs to the session.  Frees g. */
static void from_group(MPI_Group g, const char *what, const char *of)
{
	MPI_Info info;
	MPI_Comm d;

	OK(MPI_Comm_create_from_group(g, "again", MPI_INFO_NULL, MPI_ERRORS_RETURN, &d));
	OK(MPI_Comm_get_info(d, &info));
	same_kinds(info, what, of);
	OK(MPI_Comm_free(&d));
	OK(MPI_Group_free(&g));
}

static void groups(MPI_Comm c, const char *of)
{
	MPI_Group g;
	MPI_Win w;

	OK(MPI_Comm_group(c, &g));
	from_group(g, "communicator of the group", of);
	OK(MPI_Win_create_dynamic(MPI_INFO_NULL, c, &w));
	OK(MPI_Win_get_group(w, &g));
	OK(MPI_Win_free(&w));
	from_group(g, "communicator of the window's group", of);
}

/* Frees c. */
static void all_of(MPI_Comm c, const char *of)
{
	MPI_Info info;

	OK(MPI_Comm_get_info(c, &info));
	same_kinds(info, "communicator", of);
	kind_windows(c, of);
	kind_file(c, of);
	groups(c, of);
	OK(MPI_Comm_free(&c));
}

static MPI_Comm kind_comm_of(MPI_Session s)
{
	MPI_Group g;
	MPI_Comm c;

	OK(MPI_Group_from_session_pset(s, "mpi://WORLD", &g));
	OK(MPI_Comm_create_from_group(g, "kinds", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	OK(MPI_Group_free(&g));
	return c;
}

/* Communicators with a group, or a topology, of their own. */
static void kind_derived(MPI_Comm c)
{
	int rank, size, periodic = 1, to;
	MPI_Group g;
	MPI_Comm d;

	OK(MPI_Comm_rank(c, &rank));
	OK(MPI_Comm_size(c, &size));
	OK(MPI_Comm_dup(c, &d));
	all_of(d, "a dup");
	OK(MPI_Comm_split(c, rank % 2, -rank, &d));
	all_of(d, "a split");
	OK(MPI_Cart_create(c, 1, &size, &periodic, 1, &d));
	all_of(d, "a grid");
	to = (rank + 1) % size;
	OK(MPI_Dist_graph_create(
		c, 1, &rank, &(int){1}, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &d));
	all_of(d, "a graph");
	OK(MPI_Comm_group(c, &g));
	OK(MPI_Comm_create(c, g, &d));
	OK(MPI_Group_free(&g));
	all_of(d, "a created one");
	if (size > 1) {
		MPI_Comm half, both;

		OK(MPI_Comm_split(c, rank % 2, 0, &half));
		OK(MPI_Intercomm_create(half, 0, c, 1 - rank % 2, 1, &both));
		OK(MPI_Intercomm_merge(both, rank % 2, &d));
		OK(MPI_Comm_free(&half));
		OK(MPI_Comm_remote_group(both, &g));
		OK(MPI_Group_free(&g));
		OK(MPI_Comm_free(&both));
		all_of(d, "a merged one");
	}
}

int main(void)
{
	MPI_Info ask, info;
	MPI_Session s;
	MPI_Comm c;

	OK(MPI_Info_create(&ask));
	OK(MPI_Info_set(ask, "mpi_memory_alloc_kinds", "system,mpi:alloc_mem"));
	OK(MPI_Session_init(ask, MPI_ERRORS_RETURN, &s));
	OK(MPI_Info_free(&ask));
	OK(MPI_Session_get_info(s, &info));
	kind_kinds(info, here);
	CHECK(strstr(here, "mpi:alloc_mem") != NULL);
	c = kind_comm_of(s);
	kind_derived(c);
	all_of(c, "the session");
	OK(MPI_Session_finalize(&s));
	return 0;
}
