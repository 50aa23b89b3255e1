// SPDX-License-Identifier: BSD-3-Clause
/* qmpi_register.c - which tools there are, in which order, and which functions they take.
 *
 *     QMPI_TOOL_LIST=calls:libsizes.so
 *         tool 1 "calls"          its function of initialization, storage, a function a number
 *         tool 2 "libsizes.so"    the same
 *         tool 0                  MPI itself: QMPI_x
 *
 *     constructors of libraries: QMPI_Register_tool_name      any time before the first call
 *     the first call of MPI: initialization of the last tool, ..., of the first one
 *                                  QMPI_Register_function     by this thread, only meanwhile
 *
 * The last tool is first, so that QMPI_Get_function knows all tools behind the one that asks.
 * Afterwards nothing changes but the storage, and calls read it without a lock. */
#define _GNU_SOURCE 1
#include "libmpi/qmpi/qmpi.h"

#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/prof/prof.h"
#include "libobj/base.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST "QMPI_TOOL_LIST"

struct qmpi_tool {
	const char *name; /* as listed: the name that it registers, or its file */
	void (*init)(int tool_id);
	_Atomic(void *) storage;
	qmpi_function *function[MPI_LAST_FUNC_T]; /* NULL: the tool does not take it */
};

static struct qmpi_tool *tools;                          /* tool 0 is MPI itself */
static int ntools;                                       /* without it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of tools[].init and `state' */
static enum { LISTED, STARTING, STARTED } state;
static qmpi_own_store *_Atomic own; /* NULL: not registered */
__thread bool qmpi_starts;
struct qmpi_next *qmpi_first;

/* --- the list --------------------------------------------------------------------------------- */

static void list_read(void)
{
	char *list = getenv(LIST) != NULL ? strdup(getenv(LIST)) : NULL;
	char *next = NULL;
	int n = 0;

	for (const char *s = list; s != NULL && *s != '\0'; s++)
		n += *s != ':' && (s[1] == ':' || s[1] == '\0');
	tools = calloc((size_t)n + 1, sizeof(*tools));
	qmpi_first = calloc(MPI_LAST_FUNC_T, sizeof(*qmpi_first));
	if (tools == NULL || qmpi_first == NULL) {
		fprintf(stderr, "haft: no memory for the %d tools of %s\n", n, LIST);
		tools = NULL;
		return;
	}
	ntools = n;
	for (int i = 1; i <= n; i++)
		tools[i].name = strtok_r(i == 1 ? list : NULL, ":", &next);
}

/* False: there is no memory. */
static bool list_open(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, list_read);
	return tools != NULL;
}

static void own_read(void)
{
	if (list_open())
		own(tools[0].function);
}

void qmpi_own_register(qmpi_own_store *store)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	if (own == NULL)
		own = store;
	pthread_once(&once, own_read);
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Is it the file that has this function? */
static bool file_of_function(const char *name, void (*function)(int))
{
	Dl_info in;

	return dladdr((void *)(uintptr_t)function, &in) != 0 && in.dli_fname != NULL &&
	       strcmp(base_of(in.dli_fname), base_of(name)) == 0;
}

/* Enters the tool at its positions in the list, if it has any. */
static bool tool_enlist(const char *name, void (*init)(int))
{
	bool listed = false;

	for (int i = 1; i <= ntools; i++) {
		bool named = strcmp(tools[i].name, name) == 0;

		if (tools[i].init != NULL || (!named && !file_of_function(tools[i].name, init)))
			continue;
		tools[i].init = init;
		listed = true;
	}
	return listed;
}

int qmpi_tool_register(const char *tool_name, void (*init_function_ptr)(int tool_id))
{
	bool late, listed = false;

	if (tool_name == NULL || init_function_ptr == NULL)
		return haft_err(MPI_ERR_ARG, "%s is NULL",
			tool_name == NULL ? "tool_name" : "init_function_ptr");
	if (*tool_name == '\0' || strlen(tool_name) >= QMPI_MAX_TOOL_NAME_LENGTH)
		return haft_err(MPI_ERR_ARG, "a name of %zu characters: 1 to %d are allowed",
			strlen(tool_name), QMPI_MAX_TOOL_NAME_LENGTH - 1);
	if (!list_open())
		return haft_err(MPI_ERR_NO_MEM, "no memory for tools");
	pthread_mutex_lock(&lock);
	late = state != LISTED;
	if (!late)
		listed = tool_enlist(tool_name, init_function_ptr);
	pthread_mutex_unlock(&lock);
	if (late)
		return haft_err(MPI_ERR_OTHER,
			"the tool %s is registered after the first call of MPI", tool_name);
	if (!listed)
		return haft_err(MPI_ERR_NAME, "the tool %s is not in " LIST, tool_name);
	haft_life.tools = true;
	haft_gate_set(HAFT_GATE_TOOLS);
	return MPI_SUCCESS;
}

/* --- start ------------------------------------------------------------------------------------ */

/* The first function behind `tool' of those that take this number. */
static struct qmpi_next next_after(int tool, int number)
{
	while (++tool <= ntools)
		if (tools[tool].function[number] != NULL)
			return (struct qmpi_next){tools[tool].function[number], tool};
	return (struct qmpi_next){tools[0].function[number], 0};
}

void qmpi_start(void)
{
	pthread_mutex_lock(&lock);
	state = STARTING;
	pthread_mutex_unlock(&lock);
	prof_site_open();
	qmpi_starts = true;
	for (int i = ntools; i > 0; i--)
		if (tools[i].init != NULL)
			tools[i].init(i);
	qmpi_starts = false;
	for (int i = 0; i < MPI_LAST_FUNC_T; i++)
		qmpi_first[i] = next_after(0, i);
	pthread_mutex_lock(&lock);
	state = STARTED;
	pthread_mutex_unlock(&lock);
}

HAFT_START void qmpi_warn(bool says)
{
	if (!says || getenv(LIST) == NULL || !list_open())
		return;
	for (int i = 1; i <= ntools; i++)
		if (tools[i].init == NULL)
			fprintf(stderr,
				"haft: " LIST " names the tool %s, which no loaded library has "
				"registered: it is left out\n",
				tools[i].name);
}

/* --- what tools ask --------------------------------------------------------------------------- */

/* 0, or an error if there is no such tool.  least: 0 if MPI itself is one here. */
static int tool_check(int tool, int least)
{
	if (!list_open())
		return haft_err(MPI_ERR_NO_MEM, "no memory for tools");
	if (tool < least || tool > ntools)
		return haft_err(
			MPI_ERR_ARG, "there is no tool %d: they are %d to %d", tool, least, ntools);
	return 0;
}

static int number_check(int number)
{
	if (number < 0 || number >= MPI_LAST_FUNC_T)
		return haft_err(MPI_ERR_ARG, "there is no function %d: they are 0 to %d", number,
			MPI_LAST_FUNC_T - 1);
	return 0;
}

int QMPI_Register_tool_storage(int tool_id, void *tool_storage)
{
	int err = tool_check(tool_id, 1);

	if (err == 0)
		tools[tool_id].storage = tool_storage;
	return err;
}

int QMPI_Get_tool_storage(QMPI_Context context, int tool_id, void **storage)
{
	int err = tool_check(tool_id, 1);

	(void)context;
	if (err == 0 && storage == NULL)
		err = haft_err(MPI_ERR_ARG, "storage is NULL");
	if (err == 0)
		*storage = tools[tool_id].storage;
	return err;
}

int QMPI_Register_function(int calling_tool_id, int function_enum, void (*function_ptr)(void))
{
	int err = tool_check(calling_tool_id, 1);

	if (err == 0)
		err = number_check(function_enum);
	if (err == 0 && !qmpi_starts)
		err = haft_err(MPI_ERR_OTHER,
			"functions are registered by the tool's function of initialization");
	if (err == 0)
		tools[calling_tool_id].function[function_enum] = function_ptr;
	return err;
}

int qmpi_function_get(
	int calling_tool_id, int function_enum, void (**function_ptr)(void), int *next_tool_id)
{
	int err = tool_check(calling_tool_id, 0);
	struct qmpi_next next;

	if (err == 0)
		err = number_check(function_enum);
	if (err == 0 && (function_ptr == NULL || next_tool_id == NULL))
		err = haft_err(MPI_ERR_ARG, "%s is NULL",
			function_ptr == NULL ? "function_ptr" : "next_tool_id");
	if (err != 0)
		return err;
	next = next_after(calling_tool_id, function_enum);
	*function_ptr = next.function;
	*next_tool_id = next.tool;
	return MPI_SUCCESS;
}
