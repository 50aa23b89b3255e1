/* SPDX-License-Identifier: BSD-3-Clause */
/* type_map.h - the naive model of a datatype: its type map, entry by entry (MPI-5.0 5.1).
 *
 *      { (MPI_INT, 0), (MPI_DOUBLE, 8), ... }      and where markers put the bounds, if any do
 *
 * Everything is computed from the list as the standard's definitions say, without any thought of
 * speed: a clever library must agree. */
#ifndef TESTS_MAP_H
#define TESTS_MAP_H

#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct map_entry {
	long long at; /* bytes from the element's address */
	MPI_Datatype type;
	int size, align;
};

struct map {
	int n, room;
	struct map_entry *e;
	bool marked;      /* lb and ub are those of markers */
	long long lb, ub; /* valid if marked */
};

static inline void map_free(struct map *m)
{
	free(m->e);
	*m = (struct map){0};
}

static inline void map_add(struct map *m, long long at, MPI_Datatype type, int size, int align)
{
	if (m->n == m->room) {
		m->room = m->room > 0 ? 2 * m->room : 8;
		m->e = realloc(m->e, (size_t)m->room * sizeof(*m->e));
		if (m->e == NULL)
			abort();
	}
	m->e[m->n++] = (struct map_entry){at, type, size, align};
}

static inline void map_mark(struct map *m, long long lb, long long ub)
{
	m->lb = m->marked && m->lb < lb ? m->lb : lb;
	m->ub = m->marked && m->ub > ub ? m->ub : ub;
	m->marked = true;
}

/* One element of `from' at displacement at. */
static inline void map_put(struct map *to, const struct map *from, long long at)
{
	for (int i = 0; i < from->n; i++)
		map_add(to, from->e[i].at + at, from->e[i].type, from->e[i].size, from->e[i].align);
	if (from->marked)
		map_mark(to, from->lb + at, from->ub + at);
}

static inline long long map_size(const struct map *m)
{
	long long size = 0;

	for (int i = 0; i < m->n; i++)
		size += m->e[i].size;
	return size;
}

static inline long long map_true_lb(const struct map *m)
{
	long long lb = m->n > 0 ? m->e[0].at : 0;

	for (int i = 1; i < m->n; i++)
		lb = m->e[i].at < lb ? m->e[i].at : lb;
	return lb;
}

static inline long long map_true_ub(const struct map *m)
{
	long long ub = m->n > 0 ? m->e[0].at + m->e[0].size : 0;

	for (int i = 1; i < m->n; i++)
		ub = m->e[i].at + m->e[i].size > ub ? m->e[i].at + m->e[i].size : ub;
	return ub;
}

static inline long long map_lb(const struct map *m)
{
	return m->marked ? m->lb : map_true_lb(m);
}

/* Without a marker the extent is rounded up to the strictest alignment. */
static inline long long map_ub(const struct map *m)
{
	long long ub = map_true_ub(m);
	int align = 1;

	if (m->marked)
		return m->ub;
	for (int i = 0; i < m->n; i++)
		align = m->e[i].align > align ? m->e[i].align : align;
	while ((ub - map_lb(m)) % align != 0)
		ub++;
	return ub;
}

static inline long long map_extent(const struct map *m)
{
	return map_ub(m) - map_lb(m);
}

/* `len' consecutive elements. */
static inline void map_block(struct map *to, const struct map *from, long long at, long long len)
{
	long long extent = map_extent(from);

	for (long long i = 0; i < len; i++)
		map_put(to, from, at + i * extent);
}

/* The packed form of count elements at base, to or from `packed'.  Returns its bytes. */
static inline long long map_move(
	const struct map *m, char *base, long long count, char *packed, bool pack)
{
	long long extent = map_extent(m), at = 0;

	for (long long c = 0; c < count; c++) {
		for (int i = 0; i < m->n; i++) {
			char *mem = base + c * extent + m->e[i].at;

			memcpy(pack ? packed + at : mem, pack ? mem : packed + at,
				(size_t)m->e[i].size);
			at += m->e[i].size;
		}
	}
	return at;
}

#endif
