// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 env="QMPI_TOOL_LIST=two:one:two" */
/* haft/qmpi.h: tools in the order of the list, each with its storage; all kinds of functions arrive
 * there, also before MPI_Init and after MPI_Finalize; wrong arguments are refused. */
#include "tests/check.h"

#include <haft/qmpi.h>
#include <stdint.h>

#define TOOLS_MAX 4

struct tool {
	char letter;
	QMPI_Send_t *send;
	QMPI_Wtime_t *wtime;
	QMPI_Comm_c2f_t *c2f;
	QMPI_Send_c_t *send_c;
	QMPI_Pcontrol_t *pcontrol;
	QMPI_Initialized_t *initialized;
	QMPI_T_cvar_get_num_t *cvars;
	int send_id, wtime_id, c2f_id, send_c_id, pcontrol_id, initialized_id, cvars_id;
};

static struct tool storage[TOOLS_MAX]; /* by tool_id */
static char trace[256];                /* letters of the tools that were called */
static int inits;

static void trace_add(char letter)
{
	size_t n = strlen(trace);

	if (n + 1 < sizeof(trace))
		trace[n] = letter;
}

static struct tool *enter(QMPI_Context context, int id)
{
	void *p = NULL;

	if (QMPI_Get_tool_storage(context, id, &p) != MPI_SUCCESS || p != &storage[id])
		trace_add('!');
	else
		trace_add(storage[id].letter);
	return &storage[id];
}

static bool qmpi_went(const char *letters)
{
	bool same = strcmp(trace, letters) == 0;

	if (!same)
		fprintf(stderr, "tools were called as %s, not %s\n", trace, letters);
	memset(trace, 0, sizeof(trace));
	return same;
}

static uintptr_t called_from;

static int tool_send(QMPI_Context context, int id, const void *buf, int n, MPI_Datatype type,
	int dest, int tag, MPI_Comm comm)
{
	struct tool *t = enter(context, id);
	void *address = NULL;
	int size = 0;

	QMPI_Get_calling_address(context, &address);
	called_from = (uintptr_t)address;
	/* Calls of a tool to MPI itself, with its own context and without one. */
	QMPI_Comm_size(context, 0, comm, &size);
	QMPI_Comm_size((QMPI_Context){NULL}, 0, comm, &size);
	return t->send(context, t->send_id, buf, n, type, dest, tag, comm);
}

static int tool_send_c(QMPI_Context context, int id, const void *buf, MPI_Count n,
	MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
	struct tool *t = enter(context, id);

	return t->send_c(context, t->send_c_id, buf, n, type, dest, tag, comm);
}

static double tool_wtime(QMPI_Context context, int id)
{
	struct tool *t = enter(context, id);

	return t->wtime(context, t->wtime_id) + 1e9;
}

static MPI_Fint tool_c2f(QMPI_Context context, int id, MPI_Comm comm)
{
	struct tool *t = enter(context, id);

	return t->c2f(context, t->c2f_id, comm);
}

static int tool_pcontrol(QMPI_Context context, int id, const int level, ...)
{
	struct tool *t = enter(context, id);

	return t->pcontrol(context, t->pcontrol_id, level);
}

static int tool_initialized(QMPI_Context context, int id, int *flag)
{
	struct tool *t = enter(context, id);

	return t->initialized(context, t->initialized_id, flag);
}

static int tool_cvars(QMPI_Context context, int id, int *n)
{
	struct tool *t = enter(context, id);

	return t->cvars(context, t->cvars_id, n);
}

/* The functions behind are known already, for the last tool of the list comes first. */
#define TAKE(number, name)                                                                  \
	do {                                                                                \
		if (QMPI_Register_function(id, number, (void (*)(void))tool_##name) != 0 || \
			QMPI_Get_function(id, number, (void (**)(void))(void *)&t->name,    \
				&t->name##_id) != 0)                                        \
			trace_add('?');                                                     \
	} while (0)

static void qmpi_init(int id, char letter)
{
	struct tool *t = &storage[id];

	inits = inits * 10 + id;
	t->letter = letter;
	QMPI_Register_tool_storage(id, t);
	TAKE(MPI_SEND_T, send);
	TAKE(MPI_SEND_C_T, send_c);
	TAKE(MPI_WTIME_T, wtime);
	TAKE(MPI_COMM_C2F_T, c2f);
	TAKE(MPI_PCONTROL_T, pcontrol);
	if (letter == '1')
		TAKE(MPI_INITIALIZED_T, initialized);
	if (letter == '2')
		TAKE(MPI_T_CVAR_GET_NUM_T, cvars);
}

static void init_one(int id)
{
	qmpi_init(id, '1');
}

static void init_two(int id)
{
	int flag = 1;

	/* No tool sees what a tool calls here. */
	MPI_Initialized(&flag);
	qmpi_init(id, flag ? '?' : '2');
}

static int registered[3];

__attribute__((constructor)) static void tools_register(void)
{
	registered[0] = QMPI_Register_tool_name("one", init_one);
	registered[1] = QMPI_Register_tool_name("two", init_two);
	registered[2] = QMPI_Register_tool_name("three", init_one);
}

static __attribute__((noinline)) void calls_send(const int *x)
{
	OK(MPI_Send(x, 1, MPI_INT, check_rank, 1,
		MPI_COMM_SELF == MPI_COMM_NULL ? MPI_COMM_NULL : MPI_COMM_WORLD));
}

static void refuse(void)
{
	int id = 0;
	void *p;
	void (*f)(void);

	FAILS(MPI_ERR_ARG, "tool_name is NULL", QMPI_Register_tool_name(NULL, init_one));
	FAILS(MPI_ERR_ARG, "is NULL", QMPI_Register_tool_name("x", NULL));
	FAILS(MPI_ERR_ARG, "0 characters", QMPI_Register_tool_name("", init_one));
	FAILS(MPI_ERR_OTHER, "after the first call", QMPI_Register_tool_name("one", init_one));
	FAILS(MPI_ERR_ARG, "no tool 4", QMPI_Register_tool_storage(4, &id));
	FAILS(MPI_ERR_ARG, "no tool 0", QMPI_Register_tool_storage(0, &id));
	FAILS(MPI_ERR_ARG, "no tool -1", QMPI_Get_tool_storage((QMPI_Context){NULL}, -1, &p));
	FAILS(MPI_ERR_ARG, "storage is NULL", QMPI_Get_tool_storage((QMPI_Context){NULL}, 1, NULL));
	FAILS(MPI_ERR_OTHER, "initialization",
		QMPI_Register_function(1, MPI_RECV_T, (void (*)(void))tool_send));
	FAILS(MPI_ERR_ARG, "no function", QMPI_Register_function(1, MPI_LAST_FUNC_T, NULL));
	FAILS(MPI_ERR_ARG, "no function -1", QMPI_Get_function(1, -1, &f, &id));
	FAILS(MPI_ERR_ARG, "function_ptr is NULL", QMPI_Get_function(1, 0, NULL, &id));
	FAILS(MPI_ERR_ARG, "next_tool_id is NULL", QMPI_Get_function(1, 0, &f, NULL));
	FAILS(MPI_ERR_ARG, "of no call", QMPI_Get_calling_address((QMPI_Context){NULL}, &p));
}

static void chain(void)
{
	MPI_Request request;
	int x = 7, y = 0, n;

	OK(MPI_Irecv(&y, 1, MPI_INT, check_rank, 1, MPI_COMM_WORLD, &request));
	calls_send(&x);
	OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
	expect_eq(y, 7);
	expect(qmpi_went("212"));
	expect(called_from > (uintptr_t)calls_send && called_from < (uintptr_t)calls_send + 1024);
	OK(MPI_Irecv(&y, 1, MPI_INT, check_rank, 1, MPI_COMM_WORLD, &request));
	OK(PMPI_Send_c(&x, 1, MPI_INT, check_rank, 1, MPI_COMM_WORLD));
	OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
	expect(qmpi_went("212"));
	expect(MPI_Wtime() > 3e9);
	expect(qmpi_went("212"));
	expect(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
	expect(qmpi_went("212"));
	OK(MPI_Pcontrol(1000, "region"));
	OK(MPI_Pcontrol(-1000));
	expect(qmpi_went("212212"));
	OK(MPI_T_cvar_get_num(&n));
	expect(qmpi_went("22"));
	FAILS(MPI_ERR_TAG, "tag", MPI_Send(&x, 1, MPI_INT, 0, -5, MPI_COMM_WORLD));
	expect(qmpi_went("212"));
}

int main(int argc, char **argv)
{
	int flag = -1, provided;

	expect_ok(MPI_Initialized(&flag)); /* this call starts the tools */
	expect_eq(flag, 0);
	expect(qmpi_went("1"));
	expect_eq(inits, 321);
	expect_eq(registered[0], MPI_SUCCESS);
	expect_eq(registered[1], MPI_SUCCESS);
	expect_eq(registered[2], MPI_ERR_NAME);
	check_init(&argc, &argv);
	OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	refuse();
	chain();
	OK(MPI_T_finalize());
	MPI_Finalize();
	expect(qmpi_went(""));
	expect_ok(MPI_Initialized(&flag));
	expect(qmpi_went("1"));
	return check_end();
}
