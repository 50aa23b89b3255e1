// SPDX-License-Identifier: BSD-3-Clause
/* info_env.c - info objects about the environment: MPI_INFO_ENV (MPI-5.0 11.2.1) and the hardware
 * (9.1.2).
 *
 *     mpiexec -n 5 -arch x86_64 ./ocean 7
 *        └─ HAFT_INFO_ENV="maxprocs=5\narch=x86_64\n" ──> the options of mpiexec, which win
 *           the words on the stack, uname, getcwd     ──> everything else
 *
 * MPI_INFO_ENV has the request, not its outcome. */
#include "libmpi/env/info.h"

#include "libmpi/env/error_handler.h"
#include "libmpi/core/err.h"
#include "libmpi/core/hardware.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/start.h"
#include "libobj/base.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TOLD_VAR     "HAFT_INFO_ENV" /* lines KEY=VALUE from mpiexec */
#define COMMAND_STEP 4096            /* bytes of a command line that are read at once */
#define COMMAND_MOST (1 << 21)       /* bytes of one on the stack, else it is another text */

static struct info info_env;

/* --- the start of the program --------------------------------------------------------------- */

/* Sets a value, unless it is empty or too long for an info object. */
static void info_env_set(struct info *info, const char *key, const char *value)
{
	if (value != NULL && value[0] != '\0' && strlen(value) < MPI_MAX_INFO_VAL)
		env_info_set(info, key, value);
}

/* As env_command_line, from the stack; NULL: also if the words are not in one text. */
HAFT_START static char *command_line_copy(size_t *len)
{
	const char *last, *first = haft_command_words(&last);
	char *text;

	if (first == NULL || last < first || last - first > COMMAND_MOST)
		return NULL;
	*len = (size_t)(last - first) + strlen(last) + 1;
	text = malloc(*len + 1);
	if (text == NULL)
		return NULL;
	memcpy(text, first, *len);
	text[*len] = '\0';
	return text;
}

/* As env_command_line, from /proc: 30 us. */
static char *command_line_read(size_t *len)
{
	FILE *f = fopen("/proc/self/cmdline", "re");
	size_t room = 0;
	char *text = NULL;

	*len = 0;
	if (f == NULL)
		return NULL;
	do {
		char *more = realloc(text, room + COMMAND_STEP);

		if (more == NULL) {
			free(text);
			text = NULL;
			break;
		}
		text = more;
		room += COMMAND_STEP;
		*len += fread(text + *len, 1, room - *len - 1, f);
	} while (*len == room - 1);
	fclose(f);
	if (text != NULL)
		text[*len] = '\0';
	return text;
}

HAFT_START char *env_command_line(size_t *len)
{
	char *text = command_line_copy(len);

	return text != NULL ? text : command_line_read(len);
}

/* The program and its arguments: from main's argv, or from the kernel if that is not given. */
HAFT_START static void fill_words(struct info *info, int argc, char **argv)
{
	char args[MPI_MAX_INFO_VAL] = "", *words = NULL;
	size_t n = 0, at = 0;

	if (argc > 0 && argv != NULL && argv[0] != NULL) {
		info_env_set(info, "command", argv[0]);
		for (int i = 1; i < argc && argv[i] != NULL && at < sizeof(args); i++)
			at += (size_t)snprintf(
				args + at, sizeof(args) - at, "%s%s", i > 1 ? " " : "", argv[i]);
	} else {
		words = env_command_line(&n);
		info_env_set(info, "command", words);
		for (size_t i = n > 0 ? strlen(words) + 1 : 0; i < n && at < sizeof(args);
			i += strlen(words + i) + 1)
			at += (size_t)snprintf(
				args + at, sizeof(args) - at, "%s%s", at > 0 ? " " : "", words + i);
	}
	if (at < sizeof(args) && n + 1 < sizeof(args))
		info_env_set(info, "argv", args);
	free(words);
}

static void fill_errhandler(struct info *info)
{
	static const char *const names[] = {[ERRH_FATAL] = "mpi_errors_are_fatal",
		[ERRH_ABORT] = "mpi_errors_abort",
		[ERRH_RETURN] = "mpi_errors_return"};

	info_env_set(info, "mpi_initial_errhandler", names[errh_initial()->kind]);
}

HAFT_START static void fill_system(struct info *info)
{
	char text[MPI_MAX_INFO_VAL];
	struct utsname host;

	if (uname(&host) == 0) {
		info_env_set(info, "host", host.nodename);
		info_env_set(info, "arch", host.machine);
	}
	info_env_set(info, "wdir", getcwd(text, sizeof(text)));
}

/* The next line KEY=VALUE from *at on, copied to line; NULL: no more.  Returns the value. */
HAFT_START static char *info_env_next(const char **at, char *line, size_t room)
{
	size_t n, copied;
	char *eq;

	while (*at != NULL && **at != '\0') {
		n = (size_t)(strchrnul(*at, '\n') - *at);
		copied = n < room ? n : room - 1;
		memcpy(line, *at, copied);
		line[copied] = '\0';
		*at += n + ((*at)[n] == '\n' ? 1 : 0);
		eq = strchr(line, '=');
		if (eq != NULL && n < room) {
			*eq = '\0';
			return eq + 1;
		}
	}
	return NULL;
}

HAFT_START static void fill_told(struct info *info)
{
	char line[MPI_MAX_INFO_KEY + MPI_MAX_INFO_VAL], *value;
	const char *at = getenv(TOLD_VAR);

	while ((value = info_env_next(&at, line, sizeof(line))) != NULL)
		info_env_set(info, line, value);
}

/* A number as text, in the end of room[].  Each process does it, and printf would cost 10 us for
 * pages of its code. */
HAFT_START static const char *decimal(int n, char *room, size_t len)
{
	char *at = room + len - 1;

	*at = '\0';
	do
		*--at = (char)('0' + n % 10);
	while ((n /= 10) > 0 && at > room);
	return at;
}

HAFT_START static void info_env_fill(struct info *info, int argc, char **argv)
{
	char number[16];

	fill_words(info, argc, argv);
	if (haft_life.state == HAFT_RUNNING)
		info_env_set(info, "maxprocs", decimal(haft_life.size, number, sizeof(number)));
	fill_errhandler(info);
	fill_system(info);
	fill_told(info);
}

int env_info_create_env(int argc, char *argv[], struct info **info)
{
	int err = env_info_create(info);

	if (err == 0)
		info_env_fill(*info, argc, argv);
	return err;
}

HAFT_START int env_info_open(void)
{
	int err = obj_permanent(
		&haft_info_class, (uint32_t)(uintptr_t)MPI_INFO_ENV, &info_env, "MPI_INFO_ENV", 0);

	if (err != OBJ_OK)
		return haft_err(MPI_ERR_NO_MEM, "MPI_INFO_ENV: %s", obj_error_text(err));
	info_env_fill(&info_env, 0, NULL);
	return 0;
}

/* The value is valid until the next call. */
const char *env_memory_kinds_requested(void)
{
	BSS_BEHIND static char line[MPI_MAX_INFO_KEY + MPI_MAX_INFO_VAL];
	const char *at = getenv(TOLD_VAR);
	char *value;

	while ((value = info_env_next(&at, line, sizeof(line))) != NULL)
		if (strcmp(line, "mpi_memory_alloc_kinds") == 0)
			return value;
	return NULL;
}

/* --- the machine ---------------------------------------------------------------------------- */

int env_hw_resource_info(struct info **hw_info)
{
	struct haft_hw rows[HAFT_HW_KINDS];
	struct info *info;
	int n, err = env_info_create(&info);

	if (err != 0)
		return err;
	n = haft_hw_kinds(rows);
	for (int i = 0; i < n && err == 0; i++)
		err = env_info_set(
			info, rows[i].name, rows[i].instance == HAFT_HW_MANY ? "false" : "true");
	if (err != 0)
		obj_free_obj(info);
	else
		*hw_info = info;
	return err;
}
