// SPDX-License-Identifier: BSD-3-Clause
/* environment.c - inquiry about the environment (MPI-5.0 9.1, 9.3.5, 9.5, 9.6): version, processor,
 * clock, error codes.  Most of it works before MPI_Init and after MPI_Finalize. */
#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/core/error_code.h"
#include "libmpi/core/objects.h"
#include <engine.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int env_get_version(int *version, int *subversion)
{
	*version = MPI_VERSION;
	*subversion = MPI_SUBVERSION;
	return 0;
}

int env_get_library_version(char *version, int *len)
{
	*len = snprintf(version, MPI_MAX_LIBRARY_VERSION_STRING,
		"Haft %s, MPI %d.%d, standard ABI %d.%d, %d-bit", OBJ_VERSION, MPI_VERSION,
		MPI_SUBVERSION, MPI_ABI_VERSION, MPI_ABI_SUBVERSION, (int)sizeof(void *) * 8);
	return 0;
}

int env_get_processor_name(char *name, int *len)
{
	if (gethostname(name, MPI_MAX_PROCESSOR_NAME - 1) != 0)
		return haft_err(MPI_ERR_OTHER, "the host has no name");
	name[MPI_MAX_PROCESSOR_NAME - 1] = '\0';
	*len = (int)strlen(name);
	return 0;
}

double env_wtime(void)
{
	return (double)clock_now_ns() * 1e-9;
}

double env_wtick(void)
{
	struct timespec t;

	clock_getres(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A program may ask for the words of each number up to MPI_ERR_LASTCODE, also those of no class. */
int env_error_string(int code, char *string, int *len)
{
	const char *words = haft_err_text(code);

	if (haft_code_text(code, string, MPI_MAX_ERROR_STRING) == 0) {
		*len = (int)strlen(string);
		return 0;
	}
	if (haft_code_class(code) < 0) {
		if (code < 0 || code > MPI_ERR_LASTCODE)
			return haft_err(MPI_ERR_ARG, "%d is not an error code", code);
		*len = snprintf(string, MPI_MAX_ERROR_STRING, "no error class has number %d", code);
		return 0;
	}
	*len = snprintf(string, MPI_MAX_ERROR_STRING, "%s: %s%s%s", haft_err_class_name(code),
		haft_err_class_text(code), *words != '\0' ? ": " : "", words);
	if (*len >= MPI_MAX_ERROR_STRING)
		*len = MPI_MAX_ERROR_STRING - 1;
	return 0;
}

/* A code of ours is its own class; a code of the program belongs to one. */
int env_error_class(int code, int *errorclass)
{
	int class = haft_code_class(code);

	if (class < 0)
		return haft_err(MPI_ERR_ARG, "%d is not an error code", code);
	*errorclass = class;
	return 0;
}

/* --- error classes and codes of the program, 9.5.1 ------------------------------------------ */

int env_add_error_class(int *errorclass)
{
	return haft_code_add(-1, errorclass);
}

int env_remove_error_class(int errorclass)
{
	return haft_code_remove(errorclass, 1);
}

int env_add_error_code(int errorclass, int *errorcode)
{
	if (errorclass < 0)
		return haft_err(MPI_ERR_ARG, "%d is not an error class", errorclass);
	return haft_code_add(errorclass, errorcode);
}

int env_remove_error_code(int errorcode)
{
	return haft_code_remove(errorcode, 0);
}

int env_add_error_string(int errorcode, const char *string)
{
	return haft_code_text_set(errorcode, string);
}

int env_remove_error_string(int errorcode)
{
	return haft_code_text_set(errorcode, NULL);
}
