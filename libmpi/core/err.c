// SPDX-License-Identifier: BSD-3-Clause
/* err.c - the words of the last error of each thread, and what the classes are called. */
#include "libmpi/core/err.h"

#include "libobj/base.h"
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The words are on the heap so that the library's thread-local memory stays small (it must load by
 * dlopen). */
static __thread struct words {
	int class;
	char text[HAFT_WORDS_MAX];
} * words;

int haft_err(int class, const char *fmt, ...)
{
	char text[HAFT_WORDS_MAX]; /* arguments may be the old words */
	va_list ap;

	if (words == NULL)
		words = calloc(1, sizeof(*words));
	if (words == NULL)
		return class;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	words->class = class;
	memcpy(words->text, text, sizeof(text));
	return class;
}

const char *haft_err_words(int class)
{
	return words != NULL && words->class == class ? words->text : "";
}

void haft_err_clear(void)
{
	if (words != NULL)
		words->class = 0;
}

static const struct {
	const char *name, *text;
} classes[] = {
#define CLASS(NAME, TEXT) [NAME] = {#NAME, TEXT},
	CLASS(MPI_SUCCESS, "no error") CLASS(MPI_ERR_BUFFER, "invalid buffer") CLASS(
		MPI_ERR_COUNT, "invalid count") CLASS(MPI_ERR_TYPE,
		"invalid datatype") CLASS(MPI_ERR_TAG, "invalid tag") CLASS(MPI_ERR_COMM,
		"invalid communicator") CLASS(MPI_ERR_RANK, "invalid rank") CLASS(MPI_ERR_REQUEST,
		"invalid request") CLASS(MPI_ERR_ROOT, "invalid root") CLASS(MPI_ERR_GROUP,
		"invalid group") CLASS(MPI_ERR_OP, "invalid operation") CLASS(MPI_ERR_TOPOLOGY,
		"invalid topology") CLASS(MPI_ERR_DIMS, "invalid dimensions") CLASS(MPI_ERR_ARG,
		"invalid argument") CLASS(MPI_ERR_UNKNOWN, "unknown error") CLASS(MPI_ERR_TRUNCATE,
		"message longer than the receive buffer") CLASS(MPI_ERR_OTHER,
		"other error") CLASS(MPI_ERR_INTERN,
		"internal error of the library") CLASS(MPI_ERR_PENDING,
		"request is still pending") CLASS(MPI_ERR_IN_STATUS,
		"the error is in the status") CLASS(MPI_ERR_ACCESS,
		"permission denied") CLASS(MPI_ERR_AMODE,
		"invalid access mode") CLASS(MPI_ERR_ASSERT,
		"invalid assertion") CLASS(MPI_ERR_BAD_FILE,
		"invalid file name") CLASS(MPI_ERR_BASE,
		"invalid base address") CLASS(MPI_ERR_CONVERSION,
		"a data conversion function failed") CLASS(MPI_ERR_DISP,
		"invalid displacement") CLASS(MPI_ERR_DUP_DATAREP,
		"data representation is defined already") CLASS(MPI_ERR_FILE_EXISTS,
		"file exists") CLASS(MPI_ERR_FILE_IN_USE, "file is in use") CLASS(MPI_ERR_FILE,
		"invalid file handle") CLASS(MPI_ERR_INFO_KEY,
		"info key is too long or empty") CLASS(MPI_ERR_INFO_NOKEY,
		"info key is not there") CLASS(MPI_ERR_INFO_VALUE,
		"info value is too long or not understood") CLASS(MPI_ERR_INFO,
		"invalid info object") CLASS(MPI_ERR_IO,
		"input or output failed") CLASS(MPI_ERR_KEYVAL,
		"invalid attribute key") CLASS(MPI_ERR_LOCKTYPE,
		"invalid lock type") CLASS(MPI_ERR_NAME,
		"service name is not published") CLASS(MPI_ERR_NO_MEM,
		"no memory left") CLASS(MPI_ERR_NOT_SAME,
		"arguments differ between processes") CLASS(MPI_ERR_NO_SPACE,
		"no space left") CLASS(MPI_ERR_NO_SUCH_FILE, "no such file") CLASS(MPI_ERR_PORT,
		"invalid port name") CLASS(MPI_ERR_QUOTA, "quota exceeded") CLASS(MPI_ERR_READ_ONLY,
		"read-only file or file system") CLASS(MPI_ERR_RMA_ATTACH,
		"memory cannot be attached") CLASS(MPI_ERR_RMA_CONFLICT,
		"conflicting accesses to a window") CLASS(MPI_ERR_RMA_RANGE,
		"target memory is not part of the window") CLASS(MPI_ERR_RMA_SHARED,
		"memory cannot be shared") CLASS(MPI_ERR_RMA_SYNC,
		"wrong synchronisation of a window") CLASS(MPI_ERR_SERVICE,
		"service name cannot be published") CLASS(MPI_ERR_SIZE,
		"invalid size") CLASS(MPI_ERR_SPAWN, "processes cannot be started")
		CLASS(MPI_ERR_UNSUPPORTED_DATAREP, "unsupported data representation") CLASS(
			MPI_ERR_UNSUPPORTED_OPERATION, "unsupported operation") CLASS(MPI_ERR_WIN,
			"invalid window") CLASS(MPI_ERR_RMA_FLAVOR, "wrong flavor of window")
			CLASS(MPI_ERR_PROC_ABORTED, "a process aborted")
				CLASS(MPI_ERR_VALUE_TOO_LARGE, "value does not fit")
					CLASS(MPI_ERR_SESSION, "invalid session") CLASS(
						MPI_ERR_ERRHANDLER, "invalid error handler")
						CLASS(MPI_ERR_ABI, "wrong or unsupported ABI")
#undef CLASS
};

static bool known(int class)
{
	return class >= 0 && (size_t) class < countof(classes) && classes[class].name != NULL;
}

const char *haft_class_name(int class)
{
	return known(class) ? classes[class].name : "unknown error class";
}

const char *haft_class_text(int class)
{
	return known(class) ? classes[class].text : "unknown error class";
}
