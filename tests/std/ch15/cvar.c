// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* MPI-5.0 15.3.1, 15.3.2, 15.3.5, 15.3.6.1 to 15.3.6.3: control variables. */
#include "tests/check.h"
#include <stdint.h>

struct var {
	char name[128], desc[1024];
	int verbosity, bind, scope;
	MPI_Datatype type;
	MPI_T_enum words;
};

static void cvar_ask(int i, struct var *v)
{
	int name = sizeof(v->name), desc = sizeof(v->desc);

	OK(MPI_T_cvar_get_info(i, v->name, &name, &v->verbosity, &v->type, &v->words, v->desc,
		&desc, &v->bind, &v->scope));
	CHECK(name == (int)strlen(v->name) + 1 && desc == (int)strlen(v->desc) + 1);
}

static int cvar_find(const char *name)
{
	int i = -1;

	OK(MPI_T_cvar_get_index(name, &i));
	return i;
}

static void cvar_put(char *room, const char *s)
{
	memcpy(room, s, strlen(s) + 1);
}

static MPI_T_cvar_handle cvar_open(const char *name, int *count)
{
	MPI_T_cvar_handle h = MPI_T_CVAR_HANDLE_NULL;

	OK(MPI_T_cvar_handle_alloc(cvar_find(name), NULL, &h, count));
	CHECK(h != MPI_T_CVAR_HANDLE_NULL && *count >= 1);
	return h;
}

static void close_var(MPI_T_cvar_handle *h)
{
	OK(MPI_T_cvar_handle_free(h));
	CHECK(*h == MPI_T_CVAR_HANDLE_NULL);
}

/* MPI-5.0 15.3.6.1: names are unique and not empty; each leads back to its index; types are of
 * table 19; names stay. */
static void cvar_listed(void)
{
	int n;

	OK(MPI_T_cvar_get_num(&n));
	for (int i = 0; i < n; i++) {
		struct var a, b;

		cvar_ask(i, &a);
		cvar_ask(i, &b);
		CHECK(a.name[0] != '\0' && cvar_find(a.name) == i);
		CHECK(a.type == MPI_INT || a.type == MPI_COUNT || a.type == MPI_CHAR);
		CHECK(a.type == MPI_INT || a.words == MPI_T_ENUM_NULL);
		CHECK(a.verbosity >= MPI_T_VERBOSITY_USER_BASIC &&
			a.verbosity <= MPI_T_VERBOSITY_MPIDEV_ALL);
		CHECK(a.bind == MPI_T_BIND_NO_OBJECT);
		CHECK(a.scope >= MPI_T_SCOPE_CONSTANT && a.scope <= MPI_T_SCOPE_ALL_EQ);
		CHECK(a.type == b.type && a.words == b.words && a.scope == b.scope &&
			strcmp(a.desc, b.desc) == 0 && a.verbosity == b.verbosity);
	}
}

/* MPI-5.0 15.3.6.1: results that are not wanted. */
static void unwanted(void)
{
	OK(MPI_T_cvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
}

/* MPI-5.0 15.3.10: errors. */
static void cvar_wrong(void)
{
	int n, x, count;
	MPI_T_cvar_handle h, freed;
	MPI_T_pvar_session s;

	OK(MPI_T_cvar_get_num(&n));
	CHECK(MPI_T_cvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
		MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_cvar_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
		MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_cvar_get_index("no such variable", &x) == MPI_T_ERR_INVALID_NAME);
	CHECK(MPI_T_cvar_get_index(NULL, &x) == MPI_T_ERR_INVALID);
	CHECK(MPI_T_cvar_get_index("HAFT_EAGER", NULL) == MPI_T_ERR_INVALID);
	CHECK(MPI_T_cvar_get_num(NULL) == MPI_T_ERR_INVALID);
	CHECK(MPI_T_cvar_handle_alloc(n, NULL, &h, &count) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_cvar_handle_alloc(0, NULL, NULL, &count) == MPI_T_ERR_INVALID);
	h = freed = cvar_open("HAFT_EAGER", &count);
	CHECK(MPI_T_cvar_read(h, NULL) == MPI_T_ERR_INVALID);
	close_var(&h);
	CHECK(MPI_T_cvar_read(h, &x) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_cvar_handle_free(&h) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_cvar_read(freed, &x) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_cvar_write(freed, &x) == MPI_T_ERR_INVALID_HANDLE);
	h = (MPI_T_cvar_handle)(uintptr_t)0x1234567;
	CHECK(MPI_T_cvar_read(h, &x) == MPI_T_ERR_INVALID_HANDLE);
	h = (MPI_T_cvar_handle)&x;
	CHECK(MPI_T_cvar_read(h, &x) == MPI_T_ERR_INVALID_HANDLE);
	OK(MPI_T_pvar_session_create(&s));
	CHECK(MPI_T_cvar_read((MPI_T_cvar_handle)s, &x) == MPI_T_ERR_INVALID_HANDLE);
	OK(MPI_T_pvar_session_free(&s));
}

/* MPI-5.0 15.3.6.3: before MPI_Init settings can be written, within their range. */
static void number(void)
{
	int count, old, x = 12345, y = 0, bad = -1;
	MPI_T_cvar_handle h = cvar_open("HAFT_EAGER", &count);

	CHECK(count == 1);
	OK(MPI_T_cvar_read(h, &old));
	OK(MPI_T_cvar_write(h, &x));
	OK(MPI_T_cvar_read(h, &y));
	CHECK(y == x);
	CHECK(MPI_T_cvar_write(h, &bad) == MPI_T_ERR_INVALID);
	OK(MPI_T_cvar_read(h, &y));
	CHECK(y == x);
	OK(MPI_T_cvar_write(h, &old));
	close_var(&h);
}

static void cvar_large(void)
{
	int count;
	MPI_Count x = (MPI_Count)1 << 33, y = 0;
	MPI_T_cvar_handle h = cvar_open("HAFT_UNEXPECTED", &count);
	struct var v;

	cvar_ask(cvar_find("HAFT_UNEXPECTED"), &v);
	CHECK(v.type == MPI_COUNT && count == 1);
	OK(MPI_T_cvar_write(h, &x));
	OK(MPI_T_cvar_read(h, &y));
	CHECK(x == y);
	close_var(&h);
}

/* MPI-5.0 15.3.5: MPI_CHAR is a string, and there is room for any that is valid. */
static void cvar_text(void)
{
	int count;
	char *room;
	MPI_T_cvar_handle h = cvar_open("HAFT_CHECK", &count);
	struct var v;

	cvar_ask(cvar_find("HAFT_CHECK"), &v);
	CHECK(v.type == MPI_CHAR && count > (int)sizeof("types,coll"));
	room = calloc(1, (size_t)count);
	cvar_put(room, "types,coll");
	OK(MPI_T_cvar_write(h, room));
	memset(room, 'x', (size_t)count);
	OK(MPI_T_cvar_read(h, room));
	CHECK(strcmp(room, "types,coll") == 0);
	cvar_put(room, "rubbish");
	CHECK(MPI_T_cvar_write(h, room) == MPI_T_ERR_INVALID);
	room[0] = '\0';
	OK(MPI_T_cvar_write(h, room));
	free(room);
	close_var(&h);
}

/* Text that is not checked before use; written again and again. */
static void cvar_plan(void)
{
	int count;
	char room[4096] = "bcast=binomial";
	MPI_T_cvar_handle h = cvar_open("HAFT_COLL_ALGORITHM", &count);

	CHECK(count <= (int)sizeof(room));
	OK(MPI_T_cvar_write(h, room));
	cvar_put(room, "");
	OK(MPI_T_cvar_read(h, room));
	CHECK(strcmp(room, "bcast=binomial") == 0);
	memset(room, 'a', sizeof(room));
	CHECK(MPI_T_cvar_write(h, room) == MPI_T_ERR_INVALID);
	cvar_put(room, "");
	OK(MPI_T_cvar_write(h, room));
	close_var(&h);
}

/* MPI-5.0 15.3.5: names for the values of an enumeration. */
static void cvar_words(void)
{
	struct var v;
	char name[64];
	int n = 0, len = sizeof(name), value = -1, count;
	MPI_T_cvar_handle h = cvar_open("HAFT_ERRHANDLER", &count);

	cvar_ask(cvar_find("HAFT_ERRHANDLER"), &v);
	CHECK(v.type == MPI_INT && v.words != MPI_T_ENUM_NULL && count == 1);
	OK(MPI_T_enum_get_info(v.words, &n, name, &len));
	CHECK(n == 6 && len > 1);
	len = sizeof(name);
	OK(MPI_T_enum_get_item(v.words, 2, &value, name, &len));
	CHECK(strcmp(name, "return") == 0 && len == (int)sizeof("return") && value == 2);
	OK(MPI_T_cvar_write(h, &value));
	value = 6;
	CHECK(MPI_T_cvar_write(h, &value) == MPI_T_ERR_INVALID);
	OK(MPI_T_cvar_read(h, &value));
	CHECK(value == 2);
	value = 0;
	OK(MPI_T_cvar_write(h, &value));
	CHECK(MPI_T_enum_get_item(v.words, n, &value, name, &len) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_enum_get_item(v.words, -1, &value, name, &len) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &n, name, &len) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_enum_get_info((MPI_T_enum)h, &n, name, &len) == MPI_T_ERR_INVALID_HANDLE);
	OK(MPI_T_enum_get_item(v.words, 0, NULL, NULL, NULL));
	close_var(&h);
}

/* A written value takes effect: the initial error handler returns, so this process lives. */
static void cvar_works(void)
{
	int count, ret = 2;
	MPI_T_cvar_handle h = cvar_open("HAFT_ERRHANDLER", &count);

	OK(MPI_T_cvar_write(h, &ret));
	close_var(&h);
	CHECK(MPI_Error_class(-1, &ret) == MPI_ERR_ARG);
}

/* MPI-5.0 15.3.6.3: variables read when MPI started cannot be set any more; those read later
 * can. */
static void cvar_late(void)
{
	int count, x = 1, y = 0;
	MPI_T_cvar_handle h = cvar_open("HAFT_COLL", &count);

	OK(MPI_T_cvar_read(h, &x));
	CHECK(MPI_T_cvar_write(h, &x) == MPI_T_ERR_CVAR_SET_NEVER);
	close_var(&h);
	h = cvar_open("HAFT_REORDER", &count);
	x = 1;
	OK(MPI_T_cvar_write(h, &x));
	OK(MPI_T_cvar_read(h, &y));
	CHECK(y == 1);
	close_var(&h);
}

/* Settings of one process can be set while messages run, and the messages are of it: with
 * HAFT_EAGER=0 (over sockets HAFT_EAGER_NET=0) a standard send of one element is not done before
 * a receive asks for it. */
static void at_any_time(void)
{
	static const char *const names[] = {"HAFT_SPIN", "HAFT_YIELD", "HAFT_RING_AFTER",
		"HAFT_SLEEP", "HAFT_MOVE", "HAFT_SINGLE_COPY"};
	int count, flag, old, x = 0, y = 4711, zero = 0, other = 1 - check_rank;
	MPI_T_cvar_handle h;
	MPI_Request r;

	for (int i = 0; i < 6; i++) {
		h = cvar_open(names[i], &count);
		OK(MPI_T_cvar_read(h, &old));
		OK(MPI_T_cvar_write(h, &zero));
		OK(MPI_Sendrecv(&y, 1, MPI_INT, check_rank, 0, &x, 1, MPI_INT, check_rank, 0,
			MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		OK(MPI_T_cvar_write(h, &old));
		CHECK(x == y);
	}
	if (check_size != 2)
		return;
	h = cvar_open(check_has_remote() ? "HAFT_EAGER_NET" : "HAFT_EAGER", &count);
	OK(MPI_T_cvar_read(h, &old));
	for (int eager = 1; eager >= 0; eager--) {
		OK(MPI_T_cvar_write(h, eager ? &old : &zero));
		OK(MPI_Isend(&y, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &r));
		for (int i = flag = 0; i < 100 && !flag; i++)
			OK(MPI_Test(&r, &flag, MPI_STATUS_IGNORE));
		CHECK(flag == (eager != 0));
		OK(MPI_Barrier(MPI_COMM_WORLD));
		OK(MPI_Recv(&x, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		if (!flag)
			OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	}
	OK(MPI_T_cvar_write(h, &old));
	close_var(&h);
}

int main(int argc, char **argv)
{
	int provided;

	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	cvar_listed();
	unwanted();
	cvar_wrong();
	number();
	cvar_large();
	cvar_text();
	cvar_plan();
	cvar_words();
	cvar_works();
	check_init(&argc, &argv);
	cvar_listed();
	cvar_wrong();
	cvar_late();
	at_any_time();
	MPI_Finalize();
	cvar_late();
	OK(MPI_T_finalize());
	return 0;
}
