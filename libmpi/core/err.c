// SPDX-License-Identifier: BSD-3-Clause
/* err.c - the words of the last error of each thread; names and texts of the error classes. */
#include "libmpi/core/err.h"

#include "libmpi/core/error_code.h"
#include "libobj/base.h"
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* On the heap: a library that is loaded by dlopen has little thread-local memory. */
static __thread struct err_slot {
	int class;
	int code; /* for the handler */
	void *self;
	char text[HAFT_ERR_TEXT_MAX];
} * words;

/* Frees the words of a thread that ends. */
static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool key_made;

/* A later destructor of the thread may call MPI once more, and gets new words. */
static void words_free(void *old)
{
	words = NULL;
	free(old);
}

static void key_make(void)
{
	key_made = pthread_key_create(&key, words_free) == 0;
}

static struct err_slot *words_new(void)
{
	struct err_slot *w = calloc(1, sizeof(*w));

	pthread_once(&key_once, key_make);
	if (w != NULL && key_made)
		pthread_setspecific(key, w);
	return w;
}

int haft_err(int class, const char *fmt, ...)
{
	char text[HAFT_ERR_TEXT_MAX]; /* not words->text: arguments may point there */
	va_list ap;
	int len;

	if (words == NULL)
		words = words_new();
	if (words == NULL)
		return class;
	va_start(ap, fmt);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	words->class = words->code = class;
	words->self = NULL;
	words->text[0] = '\0'; /* len < 0: there are no words */
	if (len >= 0) /* with its 0, and no more: all of `text' is many lines of the cache */
		memcpy(words->text, text, len < (int)sizeof(text) ? (size_t)len + 1 : sizeof(text));
	return class;
}

void haft_err_attach(void *self, int code)
{
	if (words == NULL)
		return;
	words->self = self;
	words->code = code;
}

void *haft_err_attached(int class, int *code)
{
	bool mine = class != MPI_SUCCESS && words != NULL && words->class == class;

	*code = mine ? words->code : class;
	return mine ? words->self : NULL;
}

const char *haft_err_text(int class)
{
	return class != MPI_SUCCESS && words != NULL && words->class == class ? words->text : "";
}

int haft_err_of_callback(int code)
{
	return code != MPI_SUCCESS && haft_code_class(code) >= 0 ? code : MPI_ERR_OTHER;
}

void haft_err_clear(void)
{
	if (words != NULL)
		*words = (struct err_slot){.class = MPI_SUCCESS};
}

/* The value; a greater one than `max' does not compile. */
#define AT_MOST(value, max) ((value) + 0 * (int)sizeof(char[(value) <= (max) ? 1 : -1]))

/* A class a row.  No pointers: each process would relocate them.  The program's codes come behind
 * all classes. */
static const struct error_class {
	int value;
	char name[36], text[72];
} classes[] = {
#define ERROR(name, value, text) {AT_MOST(value, HAFT_CODE_OWN), #name, text},
#define ERROR_TOOL               ERROR
#define ERROR_EXT                ERROR
#include "libmpi/api/errors.def"
#undef ERROR
#undef ERROR_TOOL
#undef ERROR_EXT
	{MPI_ERR_LASTCODE, "MPI_ERR_LASTCODE", "the last of the standard's error codes"},
};

static const struct error_class *class_find(int class)
{
	for (size_t i = 0; i < countof(classes); i++)
		if (classes[i].value == class)
			return &classes[i];
	return NULL;
}

bool haft_err_is_class(int class)
{
	return class_find(class) != NULL;
}

const char *haft_err_class_name(int class)
{
	const struct error_class *c = class_find(class);

	return c != NULL ? c->name : "unknown error class";
}

const char *haft_err_class_text(int class)
{
	const struct error_class *c = class_find(class);

	return c != NULL ? c->text : "unknown error class";
}
