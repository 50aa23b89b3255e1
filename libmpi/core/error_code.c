// SPDX-License-Identifier: BSD-3-Clause
/* error_code.c - the program's own error classes and codes: an array, searched by index. */
#include "libmpi/core/error_code.h"

#include "libmpi/core/err.h"
#include "libobj/base.h"
#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST (HAFT_CODE_OWN + 1)

struct code {
	bool used;
	bool is_class;
	int class; /* its own number if it is one */
	int codes; /* a class: codes that belong to it */
	char *text;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct code *rows; /* [nrows] code FIRST + i; under lock */
static int nrows, room;

int haft_code_last = HAFT_CODE_OWN;

/* The row of a code, or NULL.  Under lock. */
static struct code *code_find(int code)
{
	if (code < FIRST || code - FIRST >= nrows || !rows[code - FIRST].used)
		return NULL;
	return &rows[code - FIRST];
}

/* A free row, the lowest.  Under lock. */
static struct code *code_new(void)
{
	int i = 0;

	while (i < nrows && rows[i].used)
		i++;
	if (i == room) {
		int more = room == 0 ? 16 : 2 * room;
		struct code *grown = realloc(rows, (size_t)more * sizeof(*rows));

		if (grown == NULL)
			return NULL;
		rows = grown;
		room = more;
	}
	if (i == nrows)
		nrows++;
	memset(&rows[i], 0, sizeof(rows[i]));
	rows[i].used = true;
	return &rows[i];
}

/* Under lock. */
static void code_last_update(void)
{
	while (nrows > 0 && !rows[nrows - 1].used)
		nrows--;
	__atomic_store_n(&haft_code_last, HAFT_CODE_OWN + nrows, __ATOMIC_RELAXED);
}

static int code_add(int class, int *code)
{
	struct code *of = code_find(class), *c;

	if (class >= 0 && !haft_code_is_own(class) && (of == NULL || !of->is_class))
		return haft_err(MPI_ERR_ARG, "%d is not an error class", class);
	c = code_new();
	if (c == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for another error code");
	*code = FIRST + (int)(c - rows);
	c->is_class = class < 0;
	c->class = class < 0 ? *code : class;
	of = code_find(class); /* the array may have moved */
	if (of != NULL)
		of->codes++;
	code_last_update();
	return 0;
}

static int code_remove(int code, int is_class)
{
	struct code *c = code_find(code), *of;

	if (c == NULL || c->is_class != (is_class != 0))
		return haft_err(MPI_ERR_ARG, "%d is not an error %s that the program has added",
			code, is_class ? "class" : "code");
	if (c->text != NULL)
		return haft_err(MPI_ERR_ARG, "%d still has a text: MPI_Remove_error_string", code);
	if (c->codes > 0)
		return haft_err(MPI_ERR_ARG, "error class %d still has %d codes", code, c->codes);
	of = is_class ? NULL : code_find(c->class);
	if (of != NULL)
		of->codes--;
	c->used = false;
	code_last_update();
	return 0;
}

static int code_text_set(int code, const char *text)
{
	struct code *c = code_find(code);
	char *copy = NULL;

	if (c == NULL)
		return haft_err(
			MPI_ERR_ARG, "%d is not an error code that the program has added", code);
	if (text == NULL && c->text == NULL)
		return haft_err(MPI_ERR_ARG, "error code %d has no text", code);
	if (text != NULL && strlen(text) >= MPI_MAX_ERROR_STRING)
		return haft_err(MPI_ERR_ARG, "a text of %zu bytes is too long: %d with its end",
			strlen(text), MPI_MAX_ERROR_STRING);
	if (text != NULL && (copy = strdup(text)) == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the text of an error code");
	free(c->text);
	c->text = copy;
	return 0;
}

int haft_code_add(int class, int *code)
{
	int err;

	pthread_mutex_lock(&lock);
	err = code_add(class, code);
	pthread_mutex_unlock(&lock);
	return err;
}

int haft_code_remove(int code, int is_class)
{
	int err;

	pthread_mutex_lock(&lock);
	err = code_remove(code, is_class);
	pthread_mutex_unlock(&lock);
	return err;
}

int haft_code_text_set(int code, const char *text)
{
	int err;

	pthread_mutex_lock(&lock);
	err = code_text_set(code, text);
	pthread_mutex_unlock(&lock);
	return err;
}

int haft_code_class(int code)
{
	struct code *c;
	int class = -1;

	if (haft_code_is_own(code))
		return code;
	pthread_mutex_lock(&lock);
	c = code_find(code);
	if (c != NULL)
		class = c->class;
	pthread_mutex_unlock(&lock);
	return class;
}

int haft_code_text(int code, char *buf, size_t n)
{
	struct code *c;

	pthread_mutex_lock(&lock);
	c = code_find(code);
	if (c != NULL)
		snprintf(buf, n, "%s", c->text != NULL ? c->text : "");
	pthread_mutex_unlock(&lock);
	return c != NULL ? 0 : -1;
}
