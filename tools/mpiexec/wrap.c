// SPDX-License-Identifier: BSD-3-Clause
/* wrap.c - see wrap.h. */
#include "tools/mpiexec/wrap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "libobj/base.h"

/* --- lists of ranks -------------------------------------------------------------------------- */

bool ranks_good(const char *s, size_t len)
{
	bool digit = false;

	for (size_t i = 0; i < len; i++) {
		bool is = s[i] >= '0' && s[i] <= '9';

		if (!is && (!digit || (s[i] != ',' && s[i] != '-')))
			return false;
		digit = is;
	}
	return digit;
}

bool ranks_next(const char **s, long *from, long *to)
{
	char *end;

	if (**s == '\0')
		return false;
	*from = *to = strtol(*s, &end, 10);
	if (*end == '-')
		*to = strtol(end + 1, &end, 10);
	*s = end + (*end == ',');
	return true;
}

bool ranks_have(const char *ranks, int rank)
{
	long from, to;

	if (*ranks == '\0')
		return true;
	while (ranks_next(&ranks, &from, &to))
		if (rank >= from && rank <= to)
			return true;
	return false;
}

/* --- a rank ---------------------------------------------------------------------------------- */

bool wrap_make(const struct plan *p, const struct app *a, const struct pattern_facts *f,
	struct app *out, char **why)
{
	const struct wrap *w = NULL;
	size_t n = 0, words = 0;
	int err = 0;

	*why = NULL;
	for (int i = 0; i < p->nwraps && f->world == 0; i++)
		if (ranks_have(p->wrap[i].ranks, f->rank))
			w = &p->wrap[i];
	if (w == NULL)
		return false;
	while (a->argv[words] != NULL)
		words++;
	*out = *a;
	while (w->argv[n] != NULL)
		n++;
	out->argv = mem_grow(NULL, n + words + 1, sizeof(*out->argv));
	for (size_t i = 0; i < n; i++)
		out->argv[i] = pattern_text(w->argv[i], f);
	out->argv[n] = text_new("%s", a->file);
	for (size_t i = 1; i <= words; i++)
		out->argv[n + i] = a->argv[i] != NULL ? text_new("%s", a->argv[i]) : NULL;
	out->file = NULL;
	out->script = NULL;
	*why = app_find(out, getenv("PATH"), &err);
	if (*why != NULL)
		errno = err;
	return true;
}

void wrap_free(struct app *a)
{
	for (char **s = a->argv; *s != NULL; s++)
		free(*s);
	free(a->argv);
	free(a->file);
	if (a->script != NULL)
		free(a->script[0]);
	free(a->script);
}
