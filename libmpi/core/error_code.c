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

static struct {
	pthread_mutex_t lock;
	struct code *rows; /* [n] code FIRST + i; under lock */
	int n, room;
} codes = {.lock = PTHREAD_MUTEX_INITIALIZER};

int haft_code_last = HAFT_CODE_OWN;

/* The row of a code, or NULL.  Under lock. */
static struct code *code_find(int code)
{
	if (code < FIRST || code - FIRST >= codes.n || !codes.rows[code - FIRST].used)
		return NULL;
	return &codes.rows[code - FIRST];
}

/* A free row, the lowest.  Under lock. */
static struct code *code_new(void)
{
	int i = 0;

	while (i < codes.n && codes.rows[i].used)
		i++;
	if (i == codes.room) {
		int more = codes.room == 0 ? 16 : 2 * codes.room;
		struct code *grown = realloc(codes.rows, (size_t)more * sizeof(*codes.rows));

		if (grown == NULL)
			return NULL;
		codes.rows = grown;
		codes.room = more;
	}
	if (i == codes.n)
		codes.n++;
	memset(&codes.rows[i], 0, sizeof(codes.rows[i]));
	codes.rows[i].used = true;
	return &codes.rows[i];
}

/* Under lock. */
static void code_last_update(void)
{
	while (codes.n > 0 && !codes.rows[codes.n - 1].used)
		codes.n--;
	__atomic_store_n(&haft_code_last, HAFT_CODE_OWN + codes.n, __ATOMIC_RELAXED);
}

static int code_add(int class, int *code)
{
	struct code *of = code_find(class), *c;

	if (class >= 0 && !haft_err_is_class(class) && (of == NULL || !of->is_class))
		return haft_err(MPI_ERR_ARG, "%d is not an error class", class);
	c = code_new();
	if (c == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for another error code");
	*code = FIRST + (int)(c - codes.rows);
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

	pthread_mutex_lock(&codes.lock);
	err = code_add(class, code);
	pthread_mutex_unlock(&codes.lock);
	return err;
}

int haft_code_remove(int code, int is_class)
{
	int err;

	pthread_mutex_lock(&codes.lock);
	err = code_remove(code, is_class);
	pthread_mutex_unlock(&codes.lock);
	return err;
}

int haft_code_text_set(int code, const char *text)
{
	int err;

	pthread_mutex_lock(&codes.lock);
	err = code_text_set(code, text);
	pthread_mutex_unlock(&codes.lock);
	return err;
}

int haft_code_class(int code)
{
	struct code *c;
	int class = -1;

	if (haft_err_is_class(code))
		return code;
	pthread_mutex_lock(&codes.lock);
	c = code_find(code);
	if (c != NULL)
		class = c->class;
	pthread_mutex_unlock(&codes.lock);
	return class;
}

int haft_code_text(int code, char *buf, size_t n)
{
	struct code *c;

	pthread_mutex_lock(&codes.lock);
	c = code_find(code);
	if (c != NULL)
		snprintf(buf, n, "%s", c->text != NULL ? c->text : "");
	pthread_mutex_unlock(&codes.lock);
	return c != NULL ? 0 : -1;
}
