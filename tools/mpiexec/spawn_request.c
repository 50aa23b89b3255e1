// SPDX-License-Identifier: BSD-3-Clause
/* spawn_request.c - see spawn_request.h.  A client may be of another project: nothing is
 * believed. */
#include "tools/mpiexec/spawn_request.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "libmpi/boot/mpiexec_words.h"
#include "libshm/shm.h"
#include "tools/mpiexec/util.h"

/* The lines of one part. */
struct spawn_lines {
	char **line;
	int n;
	bool escaped;
};

/* The value of "KEY=" or "KEYn=" (n >= 0) in the lines; NULL: it is not there.  Arguments come in
 * order, so the search begins at *from and leaves it behind the line that is found. */
static char *line_find(const struct spawn_lines *l, const char *key, int n, int *from)
{
	char name[64];
	size_t len = (size_t)(n >= 0 ? snprintf(name, sizeof(name), "%s%d=", key, n)
				     : snprintf(name, sizeof(name), "%s=", key));

	for (int i = 0; i < l->n; i++) {
		int at = (*from + i) % l->n;

		if (strncmp(l->line[at], name, len) != 0)
			continue;
		*from = at + 1;
		return l->line[at] + len;
	}
	return NULL;
}

static int line_number(const struct spawn_lines *l, const char *key, int none)
{
	int from = 0;
	const char *v = line_find(l, key, -1, &from);
	char *end;
	long n = v != NULL ? strtol(v, &end, 10) : none;

	if (v != NULL && (end == v || *end != '\0' || n < 0 || n > SHM_RANKS_MAX * 64L))
		return -1;
	return (int)n;
}

static int hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : (tolower((unsigned char)c) - 'a' + 10) & 15;
}

/* A copy of a value, without its escapes. */
static char *value_copy(const struct spawn_lines *l, const char *v)
{
	char *copy = text_new("%s", v), *to = copy;

	for (const char *s = copy; l->escaped && *s != '\0'; s++) {
		if (*s == '%' && isxdigit((unsigned char)s[1]) && isxdigit((unsigned char)s[2])) {
			*to++ = (char)(hex_digit(s[1]) << 4 | hex_digit(s[2]));
			s += 2;
		} else {
			*to++ = *s;
		}
	}
	if (l->escaped)
		*to = '\0';
	return copy;
}

/* Takes n pairs NAMEkey_i, NAMEval_i.  False: one is missing. */
static bool pairs_take(
	const struct spawn_lines *l, const char *key, const char *val, int n, struct preput **to)
{
	int from = 0;

	*to = n > 0 ? calloc((size_t)n, sizeof(**to)) : NULL;
	for (int i = 0; i < n && *to != NULL; i++) {
		const char *k = line_find(l, key, i, &from), *v = line_find(l, val, i, &from);

		if (k == NULL || v == NULL)
			return false;
		(*to)[i] = (struct preput){value_copy(l, k), value_copy(l, v)};
	}
	return n <= 0 || *to != NULL;
}

/* Reads the program's name and the numbers of a part; *nargs: of arguments. */
static const char *part_numbers(
	struct spawn_request *q, struct spawn_part *p, const struct spawn_lines *l, int *nargs)
{
	int from = 0;
	const char *name = line_find(l, "execname", -1, &from);
	bool many;

	*nargs = line_number(l, "argcnt", 0);
	p->nprocs = line_number(l, "nprocs", -1);
	p->ninfos = line_number(l, "info_num", 0);
	many = p->nprocs > SHM_RANKS_MAX - q->total;
	if (many || name == NULL || p->nprocs < 0 || *nargs < 0 || *nargs > l->n || p->ninfos < 0 ||
		p->ninfos > l->n) {
		p->nprocs = 0; /* so many codes are in the answer */
		return many ? "more processes than a job can have"
			    : "a program without its name or number";
	}
	q->total += p->nprocs;
	p->name = value_copy(l, name);
	return NULL;
}

static const char *part_args(struct spawn_part *p, const struct spawn_lines *l, int nargs)
{
	int from = 0;

	p->arg = calloc((size_t)nargs + 1, sizeof(*p->arg));
	for (int i = 0; i < nargs && p->arg != NULL; i++) {
		const char *v = line_find(l, "arg", i + 1, &from);

		if (v == NULL)
			return "fewer arguments than argcnt";
		p->arg[i] = value_copy(l, v);
	}
	return NULL;
}

/* The values that the children find; those of the first part are for all. */
static const char *preput_take(struct spawn_request *q, const struct spawn_lines *l)
{
	int n = line_number(l, "preput_num", 0);

	if (n < 0 || n > l->n || !pairs_take(l, "preput_key_", "preput_val_", n, &q->preput))
		return "fewer values than preput_num";
	q->npreputs = n;
	return NULL;
}

static const char *part_take(
	struct spawn_request *q, struct spawn_part *p, const struct spawn_lines *l)
{
	int nargs;
	const char *why = part_numbers(q, p, l, &nargs);

	if (why == NULL)
		why = part_args(p, l, nargs);
	if (why != NULL)
		return why;
	if (p->arg == NULL || !pairs_take(l, "info_key_", "info_val_", p->ninfos, &p->info))
		return "fewer keys than info_num";
	return q->preput == NULL ? preput_take(q, l) : NULL;
}

/* Cuts the text of one part into lines.  Returns what follows its endcmd. */
static char *lines_cut(struct spawn_lines *l, char *text)
{
	char *end;

	l->n = 0;
	for (; text != NULL && *text != '\0'; text = end) {
		end = strchr(text, '\n');
		if (end != NULL)
			*end++ = '\0';
		if (strcmp(text, "endcmd") == 0)
			return end;
		if (l->n % 64 == 0)
			l->line = mem_grow(l->line, (size_t)l->n + 64, sizeof(*l->line));
		l->line[l->n++] = text;
		l->escaped = l->escaped || strcmp(text, BOOT_SPAWN_ESCAPED) == 0;
	}
	return NULL;
}

const char *spawn_request_read(struct spawn_request *q, char *text)
{
	struct spawn_lines l = {.n = 0};
	const char *why = NULL;

	*q = (struct spawn_request){.nparts = 0};
	while (why == NULL && text != NULL && *text != '\0') {
		text = lines_cut(&l, text);
		if (l.n == 0)
			continue;
		q->part = mem_grow(q->part, (size_t)q->nparts + 1, sizeof(*q->part));
		q->part[q->nparts] = (struct spawn_part){.name = NULL};
		why = part_take(q, &q->part[q->nparts++], &l);
	}
	free(l.line);
	return why == NULL && q->nparts == 0 ? "no program" : why;
}

static void pairs_free(struct preput *v, int n)
{
	for (int i = 0; i < n && v != NULL; i++) {
		free(v[i].key);
		free(v[i].value);
	}
	free(v);
}

void spawn_request_free(struct spawn_request *q)
{
	for (int i = 0; i < q->nparts; i++) {
		struct spawn_part *p = &q->part[i];

		for (int k = 0; p->arg != NULL && p->arg[k] != NULL; k++)
			free(p->arg[k]);
		free(p->arg);
		free(p->name);
		pairs_free(p->info, p->ninfos);
	}
	free(q->part);
	pairs_free(q->preput, q->npreputs);
}

const char *spawn_info(const struct spawn_part *p, const char *key)
{
	for (int i = p->ninfos - 1; i >= 0; i--)
		if (strcmp(p->info[i].key, key) == 0)
			return p->info[i].value;
	return NULL;
}
