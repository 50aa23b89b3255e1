// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0,1,2,5 */
/* RUN np=5 env="HAFT_VIA=net" time=120 */
/* MPI-5.0 11.3.1 to 11.3.3, 11.10.2: sessions without the World Model: begin and end many times, process sets, groups
 * and communicators from them. */
#include "tests/t.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm comm_of(MPI_Session s, const char *pset, const char *tag)
{
	MPI_Group g;
	MPI_Comm c;

	t_ok(MPI_Group_from_session_pset(s, pset, &g));
	t_ok(MPI_Comm_create_from_group(g, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	t_ok(MPI_Group_free(&g));
	return c;
}

/* 11.3.1: a session can be opened again and again, and what another process sends to the next one
 * while this process is between two is there when it comes. */
static void rounds(void)
{
	MPI_Session s;
	MPI_Comm c, d;
	int me, n, sum, flag;

	for (int i = 0; i < 200; i++) {
		t_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
		c = comm_of(s, "mpi://WORLD", "round");
		t_ok(MPI_Comm_rank(c, &me));
		t_ok(MPI_Comm_size(c, &n));
		t_ok(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, c));
		t_eq(sum, n * (n - 1) / 2);
		t_ok(MPI_Comm_dup(c, &d));
		sum = i;
		t_ok(MPI_Bcast(&sum, 1, MPI_INT, i % n, d));
		t_eq(sum, i);
		t_ok(MPI_Comm_free(&d));
		t_ok(MPI_Comm_disconnect(&c));
		t_ok(MPI_Session_finalize(&s));
		t_true(s == MPI_SESSION_NULL);
	}
	t_ok(MPI_Initialized(&flag));
	t_true(!flag);
	t_ok(MPI_Finalized(&flag));
	t_true(!flag);
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

	t_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	t_ok(MPI_Session_get_num_psets(s, MPI_INFO_NULL, &n));
	for (int i = 0; i < n; i++) {
		len = 0;
		t_ok(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len, NULL));
		t_true(len > 6 && len <= MPI_MAX_PSET_NAME_LEN);
		t_ok(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len, name));
		t_eq(len, (int)strlen(name) + 1);
		len = sizeof(shorter);
		t_ok(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, i, &len, shorter));
		t_true(strncmp(shorter, name, 4) == 0 && shorter[4] == '\0');
		t_eq(len, (int)strlen(name) + 1);
		for (int j = 0; j < 3; j++)
			found += strcmp(name, must[j]) == 0;
		t_ok(MPI_Session_get_pset_info(s, name, &info));
		len = sizeof(value);
		t_ok(MPI_Info_get_string(info, "mpi_size", &len, value, &flag));
		t_ok(MPI_Group_from_session_pset(s, name, &g));
		t_ok(MPI_Group_size(g, &size));
		t_true(flag && atoi(value) == size);
		t_ok(MPI_Group_free(&g));
		t_ok(MPI_Info_free(&info));
	}
	t_eq(found, 3);
	t_true(MPI_Session_get_nth_pset(s, MPI_INFO_NULL, n, &len, name) == MPI_ERR_ARG);
	t_true(MPI_Group_from_session_pset(s, "mpi://NONE", &g) == MPI_ERR_ARG);
	t_true(MPI_Session_get_pset_info(s, "", &info) == MPI_ERR_ARG);
	t_ok(MPI_Session_finalize(&s));
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

	t_ok(MPI_Info_create(&info));
	for (int i = 0; i < 4; i++) {
		t_ok(MPI_Info_set(info, "thread_level", names[i]));
		t_ok(MPI_Session_init(info, MPI_ERRORS_RETURN, &s));
		t_ok(MPI_Session_get_info(s, &used));
		len = sizeof(value);
		t_ok(MPI_Info_get_string(used, "thread_level", &len, value, &flag));
		t_true(flag && strcmp(value, names[i]) == 0);
		len = sizeof(value);
		t_ok(MPI_Info_get_string(used, "mpi_memory_alloc_kinds", &len, value, &flag));
		t_true(flag && strstr(value, "mpi") != NULL && strstr(value, "system") != NULL);
		t_ok(MPI_Info_free(&used));
		t_ok(MPI_Session_finalize(&s));
	}
	t_ok(MPI_Info_free(&info));
}

static int called;

static void handler(MPI_Session *s, int *code, ...)
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

	t_ok(MPI_Session_create_errhandler(handler, &e));
	t_ok(MPI_Session_init(MPI_INFO_NULL, e, &s));
	t_true(MPI_Group_from_session_pset(s, "org://none", &g) == MPI_ERR_ARG && called == 1);
	t_ok(MPI_Session_get_errhandler(s, &back));
	t_true(back == e);
	t_ok(MPI_Errhandler_free(&back));
	t_ok(MPI_Session_set_errhandler(s, MPI_ERRORS_RETURN));
	t_true(MPI_Group_from_session_pset(s, "org://none", &g) == MPI_ERR_ARG && called == 1);
	t_ok(MPI_Session_set_errhandler(s, e)); /* 9.3: a group's errors are those of its session */
	t_ok(MPI_Group_from_session_pset(s, "mpi://SELF", &g));
	t_true(MPI_Group_incl(g, 1, &called, &none) == MPI_ERR_RANK && called == 2);
	t_ok(MPI_Group_free(&g));
	t_ok(MPI_Session_finalize(&s));
	t_ok(MPI_Errhandler_free(&e));
}

/* 3.6: a session's buffer serves its communicators, unless they have their own. */
static void buffers(void)
{
	static char room[2][1000 + MPI_BSEND_OVERHEAD];
	char out[900] = "x", in[900];
	void *addr;
	int size, me;
	MPI_Session s;
	MPI_Comm c, d;
	MPI_Request r[2];

	t_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	c = comm_of(s, "mpi://WORLD", "buffers");
	t_ok(MPI_Comm_dup(c, &d));
	t_ok(MPI_Comm_rank(c, &me));
	t_true(MPI_Bsend(out, 900, MPI_CHAR, me, 1, c) == MPI_ERR_BUFFER);
	t_ok(MPI_Session_attach_buffer(s, room[0], sizeof(room[0])));
	t_true(MPI_Session_attach_buffer(s, room[1], sizeof(room[1])) == MPI_ERR_BUFFER);
	t_ok(MPI_Irecv(in, 900, MPI_CHAR, me, 1, d, &r[0]));
	t_ok(MPI_Bsend(out, 900, MPI_CHAR, me, 1, d));
	t_ok(MPI_Wait(&r[0], MPI_STATUS_IGNORE));
	t_eq(in[0], 'x');
	t_ok(MPI_Session_flush_buffer(s));
	t_ok(MPI_Session_iflush_buffer(s, &r[1]));
	t_ok(MPI_Wait(&r[1], MPI_STATUS_IGNORE));
	t_ok(MPI_Session_detach_buffer(s, &addr, &size));
	t_true(addr == room[0] && size == (int)sizeof(room[0]));
	t_ok(MPI_Comm_free(&d));
	t_ok(MPI_Comm_disconnect(&c));
	t_ok(MPI_Session_finalize(&s));
}

/* 7.3.2: what is made from a set's group makes communicators too. */
static void subsets(void)
{
	int zero = 0, range[1][3] = {{0, 0, 1}}, size, n;
	MPI_Session s;
	MPI_Group g, sub[4];
	MPI_Comm c;

	t_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	t_ok(MPI_Group_from_session_pset(s, "mpi://world", &g)); /* names are URIs */
	t_ok(MPI_Group_size(g, &size));
	t_ok(MPI_Group_excl(g, 1, &zero, &sub[0]));
	t_ok(MPI_Group_range_incl(g, 1, range, &sub[1]));
	t_ok(MPI_Group_union(sub[1], sub[0], &sub[2]));
	t_ok(MPI_Group_difference(g, sub[1], &sub[3]));
	t_ok(MPI_Comm_create_from_group(sub[2], "all", MPI_INFO_NULL, MPI_ERRORS_RETURN, &c));
	t_ok(MPI_Comm_size(c, &n));
	t_eq(n, size);
	t_ok(MPI_Comm_free(&c));
	for (int i = 0; i < 4; i++)
		t_ok(MPI_Group_free(&sub[i]));
	t_ok(MPI_Group_free(&g));
	t_ok(MPI_Session_finalize(&s));
}

/* 9.1.2: MPI_TAG_UB alone; 7.4.2: a set of the session can split its communicators. */
static void derived(void)
{
	int *ub, flag, size;
	MPI_Session s;
	MPI_Comm c, part;
	MPI_Info info;

	t_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	c = comm_of(s, "mpi://SHARED", "derived");
	t_ok(MPI_Comm_get_attr(c, MPI_TAG_UB, &ub, &flag));
	t_true(flag && *ub >= 32767);
	t_ok(MPI_Info_create(&info));
	t_ok(MPI_Info_set(info, "mpi_pset_name", "mpi://SELF"));
	t_ok(MPI_Comm_split_type(c, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part));
	t_ok(MPI_Comm_size(part, &size));
	t_eq(size, 1);
	t_ok(MPI_Comm_free(&part));
	t_ok(MPI_Info_free(&info));
	t_ok(MPI_Comm_free(&c));
	t_ok(MPI_Session_finalize(&s));
}

/* 11.3: without the World Model there is no MPI_COMM_WORLD, and errors do not speak of one. */
static void words(void)
{
	char text[MPI_MAX_ERROR_STRING] = "";
	MPI_Session s;
	MPI_Comm c;
	int len, x = 0, e;

	t_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &s));
	c = comm_of(s, "mpi://WORLD", "words");
	t_ok(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	e = MPI_Send(&x, 1, MPI_INT, 4711, 0, c);
	t_eq(e, MPI_ERR_RANK);
	t_ok(MPI_Error_string(e, text, &len));
	t_true(strstr(text, "4711") != NULL && strstr(text, "MPI_COMM_WORLD") == NULL);
	t_ok(MPI_Comm_free(&c));
	e = MPI_Session_get_num_psets(s, (MPI_Info)MPI_INT, &x);
	t_eq(e, MPI_ERR_INFO);
	t_ok(MPI_Error_string(e, text, &len));
	t_true(strstr(text, "of the job") != NULL && strstr(text, "MPI_COMM_WORLD") == NULL);
	t_ok(MPI_Session_finalize(&s));
}

int main(void)
{
	words();
	rounds();
	psets();
	levels();
	handlers();
	buffers();
	derived();
	subsets();
	return t_end();
}
