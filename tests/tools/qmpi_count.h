// SPDX-License-Identifier: BSD-3-Clause
/* qmpi_count.h - a tool that counts calls (call_count.h), for qmpi.sh.  It writes to
 * $COUNT_FILE.NAME.PID.  The generator writes a function for each of MPI's. */
#ifndef TESTS_TOOLS_QMPI_COUNT_H
#define TESTS_TOOLS_QMPI_COUNT_H

#include "tests/tools/call_count.h"
#include <haft/qmpi.h>

#define NEXT(x)                    \
	static Q##x##_t *next_##x; \
	static int id_##x;

#define COUNT(x)                                     \
	static struct count counter = {#x, 0, NULL}; \
	(void)tool_id;                               \
	count_call(&counter)

#define TAKE(x, number)                                                \
	(QMPI_Register_function(id, number, (void (*)(void))tool_##x), \
		QMPI_Get_function(id, number, (void (**)(void))(void *)&next_##x, &id_##x))

static inline void count_call(struct count *c)
{
	int up, down;

	QMPI_Initialized((QMPI_Context){NULL}, 0, &up);
	QMPI_Finalized((QMPI_Context){NULL}, 0, &down);
	count_once(c, up && !down);
}

/* The tool, whose function of initialization takes all functions. */
#define COUNTER(name, init)                                                       \
	__attribute__((constructor)) static void tool_register(void)              \
	{                                                                         \
		if (QMPI_Register_tool_name(name, init) != MPI_SUCCESS)           \
			fprintf(stderr, "the tool %s is not registered\n", name); \
	}                                                                         \
	__attribute__((destructor)) static void tool_end(void)                    \
	{                                                                         \
		count_write("." name);                                            \
	}

#endif
