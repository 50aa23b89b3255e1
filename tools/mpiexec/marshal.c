// SPDX-License-Identifier: BSD-3-Clause
/* marshal.c - see marshal.h. */
#include "tools/mpiexec/marshal.h"

#include <limits.h>
#include <string.h>
#include "tools/mpiexec/job_plan.h"

#define NONE (-1) /* as the length of a text or list: NULL */

void marshal_put(struct marshal *p, const void *v, size_t len)
{
	if (len == 0)
		return;
	if (len > p->cap - p->len) {
		p->cap = (p->len + len) * 2;
		p->v = mem_grow(p->v, p->cap, 1);
	}
	memcpy(p->v + p->len, v, len);
	p->len += len;
}

void marshal_put_int(struct marshal *p, int64_t n)
{
	marshal_put(p, &n, sizeof(n));
}

void marshal_put_text(struct marshal *p, const char *s)
{
	marshal_put_int(p, s != NULL ? (int64_t)strlen(s) : NONE);
	if (s != NULL)
		marshal_put(p, s, strlen(s));
}

void marshal_put_list(struct marshal *p, char *const *list)
{
	int64_t n = 0;

	while (list != NULL && list[n] != NULL)
		n++;
	marshal_put_int(p, list != NULL ? n : NONE);
	for (int64_t i = 0; i < n; i++)
		marshal_put_text(p, list[i]);
}

void marshal_take(struct marshal *p, void *v, size_t len)
{
	if (p->bad || len > p->len - p->at) {
		p->bad = true;
		memset(v, 0, len);
		return;
	}
	memcpy(v, p->v + p->at, len);
	p->at += len;
}

int64_t marshal_take_int(struct marshal *p)
{
	int64_t n;

	marshal_take(p, &n, sizeof(n));
	return n;
}

int marshal_take_count(struct marshal *p, int max)
{
	int64_t n = marshal_take_int(p);

	if (n < 0 || n > max || (uint64_t)n > p->len - p->at) {
		p->bad = true;
		return 0;
	}
	return (int)n;
}

char *marshal_take_text(struct marshal *p)
{
	int64_t n = marshal_take_int(p);
	char *s;

	if (n == NONE)
		return NULL;
	if (n < 0 || (uint64_t)n > p->len - p->at || p->bad) {
		p->bad = true;
		return text_new("%s", "");
	}
	s = mem_grow(NULL, (size_t)n + 1, 1);
	marshal_take(p, s, (size_t)n);
	s[n] = '\0';
	return s;
}

char **marshal_take_list(struct marshal *p)
{
	int64_t n = marshal_take_int(p);
	char **v;

	if (n == NONE)
		return NULL;
	if (n < 0 || (uint64_t)n > p->len - p->at || p->bad) {
		p->bad = true;
		n = 0;
	}
	v = mem_grow(NULL, (size_t)n + 1, sizeof(*v));
	for (int64_t i = 0; i < n; i++)
		v[i] = marshal_take_text(p);
	v[n] = NULL;
	return v;
}
