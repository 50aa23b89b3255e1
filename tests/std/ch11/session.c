// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0,1,2,5 */
/* RUN np=5 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 11.3.1 to 11.3.3, 11.10.2: sessions without the World Model: begin and end many times,
 * process sets, groups and communicators from them. */
#include "tests/check.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm session_comm_of(MPI_Session s, const char *pset, const char *tag)
{
	MPI_Group g;
	MPI_Comm c;

	expect_ok(MPI_Group_from_session_pset(s, pset, &g));
	expect_ok(MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	expect_ok(MPI_Group_free(&g));
	return c;
}

/* 11.3.1: a session can be opened again and again.  A message that another process sends to the
 * next one, while this process is between two, is there when it comes. */
static void session_rounds(void)
{
	MPI_Session s;
	MPI_Comm c, d;
	int me, n, sum, flag;

	for (int i = 0; i < 200; i++) {
		expect_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
		c = session_comm_of(s, "mpi://WORLD", "round");
		expect_ok(MPI_Comm_rank(c, &me));
		expect_ok(MPI_Comm_size(c, &n));
		expect_ok(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, c));
		expect_eq(sum, n * (n - 1) / 2);
		expect_ok(MPI_Comm_dup(c, &d));
		sum = i;
		expect_ok(MPI_Bcast(&sum, 1, MPI_INT, i % n, d));
		expect_eq(sum, i);
		expect_ok(MPI_Comm_free(&d));
		expect_ok(MPI_Comm_disconnect(&c));
		expect_ok(MPI_Session_finalize(&s));
		expect(s == MPI_SESSION_NULL);
	}
	expect_ok(MPI_Initialized(&flag));
	expect(!flag);
	expect_ok(MPI_Finalized(&flag));
	expect(!flag);
}

/* 11.3.2, 11.3.3: process sets: their names, lengths and sizes. */
static void psets(void)
{
	static const char *const must[] = {"mpi://WORLD", "mpi://SELF", "mpi://SHARED"};
	char name[MPI_MAX_PSET_NAME_LEN], shorter[5], value[16];
	int n, found = 0, len, flag, size;
	MPI_Session s;
	MPI_Group g;
	MPI_Info info;

	expect_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	expect_ok(MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n));
	for (int i = 0; i < n; i++) {
		len = 0;
		expect_ok(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len, NULL));
		expect(len > 6 && len <= MPI_MAX_PSET_NAME_LEN);
		expect_ok(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len, name));
		expect_eq(len, (int)strlen(name) + 1);
		len = sizeof(shorter);
		expect_ok(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len, shorter));
		expect(strncmp(shorter, name, 4) == 0 && shorter[4] == '\0');
		expect_eq(len, (int)strlen(name) + 1);
		for (int j = 0; j < 3; j++)
			found += strcmp(name, must[j]) == 0;
		expect_ok(MPI_Session_get_pset_info(s, name, &info));
		len = sizeof(value);
		expect_ok(MPI_Info_get_string(info, "mpi_size", &len, value, &flag));
		expect_ok(MPI_Group_from_session_pset(s, name, &g));
		expect_ok(MPI_Group_size(g, &size));
		expect(flag && atoi(value) == size);
		expect_ok(MPI_Group_free(&g));
		expect_ok(MPI_Info_free(&info));
	}
	expect_eq(found, 3);
	expect(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, n, &len, name) == MPI_ERR_ARG);
	expect(MPI_Group_from_session_pset(s, "mpi://NONE", &g) == MPI_ERR_ARG);
	expect(MPI_Session_get_pset_info(s, "", &info) == MPI_ERR_ARG);
	expect_ok(MPI_Session_finalize(&s));
}

/* 11.3.1, 11.3.3: the level of threads is the session's. */
static void levels(void)
{
	static const char *const names[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
		"MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
	char value[MPI_MAX_INFO_VAL];
	MPI_Session s;
	MPI_Info info, used;
	int len, flag;

	expect_ok(MPI_Info_create(&info));
	for (int i = 0; i < 4; i++) {
		expect_ok(MPI_Info_set(info, "thread_level", names[i]));
		expect_ok(MPI_Session_init(info, MPI_ERRORS_RETURN, &s));
		expect_ok(MPI_Session_get_info(s, &used));
		len = sizeof(value);
		expect_ok(MPI_Info_get_string(used, "thread_level", &len, value, &flag));
		expect(flag && strcmp(value, names[i]) == 0);
		len = sizeof(value);
		expect_ok(MPI_Info_get_string(used, "mpi_memory_alloc_kinds", &len, value, &flag));
		expect(flag && strstr(value, "mpi") != NULL && strstr(value, "system") != NULL);
		expect_ok(MPI_Info_free(&used));
		expect_ok(MPI_Session_finalize(&s));
	}
	expect_ok(MPI_Info_free(&info));
}

static int called;

static void session_handler(MPI_Session *s, int *code, ...)
{
	(void)s;
	(void)code;
	called++;
}

/* 9.3.4: errors of calls on a session are its handler's. */
static void handlers(void)
{
	MPI_Errhandler e, back;
	MPI_Session s;
	MPI_Group g, none;

	expect_ok(MPI_Session_create_errhandler(session_handler, &e));
	expect_ok(MPI_Session_init(MPI_INFO_NULL, e, &s));
	expect(MPI_Group_from_session_pset(s, "org://none", &g) == MPI_ERR_ARG && called == 1);
	expect_ok(MPI_Session_get_errhandler(s, &back));
	expect(back == e);
	expect_ok(MPI_Errhandler_free(&back));
	expect_ok(MPI_Session_set_errhandler(s, MPI_ERRORS_RETURN));
	expect(MPI_Group_from_session_pset(s, "org://none", &g) == MPI_ERR_ARG && called == 1);
	expect_ok(MPI_Session_set_errhandler(
		s, e)); /* 9.3: a group's errors are those of its session */
	expect_ok(MPI_Group_from_session_pset(s, "mpi://SELF", &g));
	expect(MPI_Group_incl(g, 1, &called, &none) == MPI_ERR_RANK && called == 2);
	expect_ok(MPI_Group_free(&g));
	expect_ok(MPI_Session_finalize(&s));
	expect_ok(MPI_Errhandler_free(&e));
}

/* 3.6: a session's buffer serves its communicators, unless they have their own. */
static void session_buffers(void)
{
	static char room[2][1000 + MPI_BSEND_OVERHEAD];
	char out[900] = "x", in[900];
	void *addr;
	int size, me;
	MPI_Session s;
	MPI_Comm c, d;
	MPI_Request r[2];

	expect_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	c = session_comm_of(s, "mpi://WORLD", "buffers");
	expect_ok(MPI_Comm_dup(c, &d));
	expect_ok(MPI_Comm_rank(c, &me));
	expect(MPI_Bsend(out, 900, MPI_CHAR, me, 1, c) == MPI_ERR_BUFFER);
	expect_ok(MPI_Session_attach_buffer(s, room[0], sizeof(room[0])));
	expect(MPI_Session_attach_buffer(s, room[1], sizeof(room[1])) == MPI_ERR_BUFFER);
	expect_ok(MPI_Irecv(in, 900, MPI_CHAR, me, 1, d, &r[0]));
	expect_ok(MPI_Bsend(out, 900, MPI_CHAR, me, 1, d));
	expect_ok(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
	expect_eq(in[0], 'x');
	expect_ok(MPI_Session_flush_buffer(s));
	expect_ok(MPI_Session_iflush_buffer(s, &r[1]));
	expect_ok(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
	expect_ok(MPI_Session_detach_buffer(s, &addr, &size));
	expect(addr == room[0] && size == (int)sizeof(room[0]));
	expect_ok(MPI_Comm_free(&d));
	expect_ok(MPI_Comm_disconnect(&c));
	expect_ok(MPI_Session_finalize(&s));
}

/* 7.3.2: groups made from a set's group make communicators too. */
static void subsets(void)
{
	int zero = 0, range[1][3] = {{0, 0, 1}}, size, n;
	MPI_Session s;
	MPI_Group g, sub[4];
	MPI_Comm c;

	expect_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	expect_ok(MPI_Group_from_session_pset(s, "mpi://world", &g)); /* names are URIs */
	expect_ok(MPI_Group_size(g, &size));
	expect_ok(MPI_Group_excl(g, 1, &zero, &sub[0]));
	expect_ok(MPI_Group_range_incl(g, 1, range, &sub[1]));
	expect_ok(MPI_Group_union(sub[1], sub[0], &sub[2]));
	expect_ok(MPI_Group_difference(g, sub[1], &sub[3]));
	expect_ok(MPI_Comm_create_from_group(sub[2], "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	expect_ok(MPI_Comm_size(c, &n));
	expect_eq(n, size);
	expect_ok(MPI_Comm_free(&c));
	for (int i = 0; i < 4; i++)
		expect_ok(MPI_Group_free(&sub[i]));
	expect_ok(MPI_Group_free(&g));
	expect_ok(MPI_Session_finalize(&s));
}

/* 9.1.2: MPI_TAG_UB alone; 7.4.2: a set of the session can split its communicators. */
static void session_derived(void)
{
	int *ub, flag, size;
	MPI_Session s;
	MPI_Comm c, part;
	MPI_Info info;

	expect_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	c = session_comm_of(s, "mpi://SHARED", "derived");
	expect_ok(MPI_Comm_get_attr(c, MPI_TAG_UB, &ub, &flag));
	expect(flag && *ub >= 32767);
	expect_ok(MPI_Info_create(&info));
	expect_ok(MPI_Info_set(info, "mpi_pset_name", "mpi://SELF"));
	expect_ok(MPI_Comm_split_type(c, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part));
	expect_ok(MPI_Comm_size(part, &size));
	expect_eq(size, 1);
	expect_ok(MPI_Comm_free(&part));
	expect_ok(MPI_Info_free(&info));
	expect_ok(MPI_Comm_free(&c));
	expect_ok(MPI_Session_finalize(&s));
}

/* 11.3: without the World Model there is no MPI_COMM_WORLD, and errors do not speak of one. */
static void session_words(void)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	MPI_Session s;
	MPI_Comm c;
	int len, x = 0, e;

	expect_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	c = session_comm_of(s, "mpi://WORLD", "words");
	expect_ok(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	e = MPI_Send(&x, 1, MPI_INT, 4711, 0, c);
	expect_eq(e, MPI_ERR_RANK);
	expect_ok(MPI_Error_string(e, text, &len));
	expect(strstr(text, "4711") != NULL && strstr(text, "MPI_COMM_WORLD") == NULL);
	expect_ok(MPI_Comm_free(&c));
	e = MPI_Session_get_num_psets(s, (MPI_Info)MPI_INT, &x);
	expect_eq(e, MPI_ERR_INFO);
	expect_ok(MPI_Error_string(e, text, &len));
	expect(strstr(text, "of the job") != NULL && strstr(text, "MPI_COMM_WORLD") == NULL);
	expect_ok(MPI_Session_finalize(&s));
}

int main(void)
{
	session_words();
	session_rounds();
	psets();
	levels();
	handlers();
	session_buffers();
	session_derived();
	subsets();
	return check_end();
}
