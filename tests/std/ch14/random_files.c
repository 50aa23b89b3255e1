// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,4 args="-n 150 -s 1|2" time=120 */
/* RUN np=3 args="-n 60 -s 100|200|300" env="HAFT_VIA=net" */
/* MPI-5.0 14.2.1, 14.2.4, 14.2.5, 14.3, 14.4.1.1 to 14.4.1.4, 14.4.1 to 14.4.5, 14.5, 14.6.1:
 * random accesses to a file through random views, against a model that walks type maps
 * (file_model.h).
 *
 *      draw, equally on all ranks ──┬──> MPI_File_...   file, buffer, status, pointers
 *                                   └──> model          the same, of all ranks
 *                                              └── compare after each step
 *
 *     random_files [-n STEPS] [-s SEED] [-r REPS] [-p] [-v]
 *
 * A seed is printed when something differs; with it everything repeats.  -r: only the first REPS
 * representations.  -p: only what other libraries can do.  -v: prints each step. */
#include "tests/std/ch14/file_model.h"
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <unistd.h>

#define RANKS     8
#define BATCH     4    /* accesses that are pending at once */
#define ENTRIES   500  /* of a filetype */
#define REACH     2048 /* bytes of a filetype */
#define MARGIN    64
#define SPAN      (1 << 16) /* bytes of a buffer */
#define UNTOUCHED 0xee

enum positioning { AT, INDIVIDUAL, SHARED, POSITIONINGS };
enum form { BLOCKING, LATER, SPLIT, FORMS };
enum memory { SIMPLE, CONTIGUOUS, VECTOR, BACKWARDS, RESIZED, INDEXED, BYTES, MEMORIES };

/* The arguments of a rank. */
struct part {
	long pos, n;  /* etypes */
	int k, count; /* an element of the memory is k etypes */
	enum memory memory;
	int salt; /* of its data */
};

struct access {
	bool write, collective, big;
	enum positioning where;
	enum form form;
	int who; /* of an independent access at the shared pointer; -1: all */
	struct part part[RANKS];
	/* this rank's own */
	struct ft type;
	char *mem, *buf;
	MPI_Request req;
	MPI_Status status;
};

static unsigned long long seed, state;
static int steps = 250, step, me, ranks, reps = REPS;
static bool peers, verbose;
static char path[400], doing[400];
static struct model model;
static struct view view[RANKS];
static bool one_view; /* all ranks have one: the shared pointer may be used */
static long pointer[RANKS], shared_pointer;
static bool may_read, may_write;
static MPI_File file;
static int disk = -1; /* the file as the system has it */

/* --- drawing, and failing ------------------------------------------------------------------- */

static unsigned random_draw(unsigned below)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (unsigned)(state >> 33) % below;
}

static int random_between(int low, int high)
{
	return low + (int)random_draw((unsigned)(high - low + 1));
}

static bool one_in(unsigned n)
{
	return random_draw(n) == 0;
}

__attribute__((format(printf, 1, 2))) static void random_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(doing, sizeof(doing), fmt, ap);
	va_end(ap);
	if (verbose && me == 0) {
		fprintf(stderr, "%d: %s\n", step, doing);
		fflush(stderr);
	}
}

static void same_at(const char *what, long long got, long long want)
{
	if (got == want)
		return;
	fprintf(stderr,
		"random_files -s %llu, %d ranks, step %d, rank %d: %s\n    %s: %lld, not %lld\n",
		seed, ranks, step, me, doing, what, got, want);
	fprintf(stderr, "    disp %ld, extent %lld:", view[me].disp,
		map_extent(&view[me].filetype.fm));
	for (int i = 0; i < view[me].filetype.fm.n && i < 20; i++)
		fprintf(stderr, " %lld+%d", view[me].filetype.fm.e[i].at,
			view[me].filetype.fm.e[i].size);
	fprintf(stderr, "; etype of %d, extent %lld\n", view[me].etype.fm.n,
		map_extent(&view[me].etype.fm));
	fflush(stderr);
	MPI_Abort(MPI_COMM_WORLD, 1);
}
#define same(got, want) same_at(#got, got, want)

/* --- representations of a user: conversion by the type map that is attached to a type -------- */

static int map_key = MPI_KEYVAL_INVALID;

static int extent_mirror(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
	MPI_Aint lb;

	(void)extra;
	return MPI_Type_get_extent(type, &lb, extent);
}

static int extent_wide(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
	extent_mirror(type, extent, extra);
	*extent *= 2;
	return MPI_SUCCESS;
}

/* Converts `count' entries of the map of a type, tiled over the user's buffer, from entry
 * `position' on. */
static int random_convert(void *mem, MPI_Datatype type, int count, void *filebuf,
	MPI_Offset position, enum rep rep, bool reads)
{
	unsigned char *p = filebuf;
	struct map *m;
	int found;

	OK(MPI_Type_get_attr(type, map_key, &m, &found));
	if (!found)
		return MPI_ERR_OTHER;
	for (long long i = position; i < position + count; i++) {
		const struct map_entry *e = &m->e[i % m->n];
		unsigned char *at = (unsigned char *)mem + i / m->n * map_extent(m) + e->at;

		if (reads)
			rep_decode(rep, p, at, e->size);
		else
			rep_encode(rep, at, p, e->size);
		p += rep == REP_WIDE ? 2 * e->size : e->size;
	}
	return MPI_SUCCESS;
}

#define CONVERTER(name, rep, reads)                                                     \
	static int name(void *mem, MPI_Datatype type, int count, void *filebuf,         \
		MPI_Offset position, void *extra)                                       \
	{                                                                               \
		(void)extra;                                                            \
		return random_convert(mem, type, count, filebuf, position, rep, reads); \
	}
CONVERTER(mirror_read, REP_MIRROR, true)
CONVERTER(mirror_write, REP_MIRROR, false)
CONVERTER(wide_read, REP_WIDE, true)
CONVERTER(wide_write, REP_WIDE, false)

static void register_reps(void)
{
	OK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &map_key, NULL));
	if (reps <= REP_MIRROR)
		return;
	OK(MPI_Register_datarep(
		rep_names[REP_MIRROR], mirror_read, mirror_write, extent_mirror, NULL));
	OK(MPI_Register_datarep(rep_names[REP_WIDE], wide_read, wide_write, extent_wide, NULL));
}

/* --- drawing a view ------------------------------------------------------------------------- */

static const struct {
	MPI_Datatype type;
	int size;
} basics[] = {{MPI_BYTE, 1}, {MPI_SHORT, 2}, {MPI_INT, 4}, {MPI_FLOAT, 4}, {MPI_DOUBLE, 8}};
#define BASICS 5

static struct ft draw_etype(int scale)
{
	int b = random_between(0, BASICS - 1);
	struct ft basic = ft_basic(basics[b].type, basics[b].size, scale), t;
	MPI_Aint at[2] = {0, 3 * basics[b].size};
	int len[2] = {1, 2};

	switch (random_draw(scale == 1 ? 8 : 6)) {
	case 0: t = ft_contiguous(&basic, random_between(1, 3)); break;
	case 1: t = ft_vector(&basic, 2, 1, 2); break;
	case 6: t = ft_resized(&basic, 0, 3 * basics[b].size); break;
	case 7: t = ft_struct(&basic, 2, len, at); break;
	default: return basic;
	}
	ft_free(&basic);
	return t;
}

/* Blocks in order, with gaps between most of them; some are empty. */
static int draw_blocks(int *lens, int *displs)
{
	int n = random_between(1, 5), at = random_between(0, 2);

	for (int i = 0; i < n; i++) {
		lens[i] = random_between(0, 3);
		displs[i] = at;
		at += lens[i] + random_between(0, 3);
	}
	return n;
}

static struct ft draw_array(const struct ft *e, int rank)
{
	struct array a = {.ndims = random_between(1, DIMS), .rank = rank};
	bool dist = one_in(2);
	int left = ranks;

	a.order = one_in(2) ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
	for (int d = 0; d < a.ndims; d++) {
		a.sizes[d] = random_between(2, 8);
		a.subs[d] = random_between(1, a.sizes[d]);
		a.starts[d] = random_between(0, a.sizes[d] - a.subs[d]);
		a.procs[d] = d == a.ndims - 1 ? left : left % 2 == 0 && one_in(2) ? 2 : 1;
		left /= a.procs[d];
		a.dist[d] = one_in(2) ? MPI_DISTRIBUTE_CYCLIC : MPI_DISTRIBUTE_BLOCK;
		a.arg[d] =
			one_in(2) ? MPI_DISTRIBUTE_DFLT_DARG
			: a.dist[d] == MPI_DISTRIBUTE_CYCLIC
				? random_between(1, 3)
				: (a.sizes[d] + a.procs[d] - 1) / a.procs[d] + random_between(0, 1);
		if (a.procs[d] == 1 && one_in(3))
			a.dist[d] = MPI_DISTRIBUTE_NONE;
	}
	return dist ? ft_darray(e, &a) : ft_subarray(e, &a);
}

/* A filetype of one constructor; bytes: also those that have displacements in bytes. */
static struct ft draw_simple(const struct ft *e, int rank, bool bytes)
{
	long ext = (long)map_extent(&e->m);
	int lens[8], displs[8], n, len;
	MPI_Aint at[8];

	switch (random_draw(bytes ? 11 : 7)) {
	case 0: return ft_contiguous(e, random_between(1, 4));
	case 1:
		len = random_between(1, 3);
		return ft_vector(e, random_between(1, 4), len, len + random_between(0, 3));
	case 2: n = draw_blocks(lens, displs); return ft_indexed(e, n, lens, displs);
	case 3:
		n = draw_blocks(lens, displs);
		for (int i = 0; i < n; i++)
			displs[i] = 4 * i + random_between(0, 1);
		return ft_indexed_block(e, n, random_between(1, 3), displs);
	case 4:
	case 5: return draw_array(e, rank);
	case 6: return ft_dup(e);
	case 7:
		len = random_between(1, 3);
		return ft_hvector(e, random_between(1, 4), len, (len + random_between(0, 2)) * ext);
	case 8:
	case 9:
		n = draw_blocks(lens, displs);
		for (int i = 0; i < n; i++)
			at[i] = displs[i] * ext;
		return one_in(2) ? ft_hindexed(e, n, lens, at) : ft_struct(e, n, lens, at);
	}
	return ft_resized(e, 0, random_between(1, 3) * ext);
}

static struct ft draw_filetype(const struct ft *e, int rank, bool bytes)
{
	struct ft a = draw_simple(e, rank, bytes), b;
	long ext = (long)map_extent(&a.m), unit = (long)map_extent(&e->m);

	switch (random_draw(4)) {
	case 0: b = ft_vector(&a, random_between(1, 3), 1, random_between(1, 2)); break;
	case 1:
		if (!bytes || map_true_ub(&a.m) - map_true_lb(&a.m) > ext)
			return a;
		b = ft_resized(&a, (peers ? 0 : random_between(-1, 1)) * unit,
			ext + random_between(1, 3) * unit);
		break;
	default: return a;
	}
	ft_free(&a);
	return b;
}

/* Blocks of all ranks in turn, without a hole. */
static struct ft interleaved(const struct ft *e, int rank, int len)
{
	struct array a = {.ndims = 1, .order = MPI_ORDER_C};

	a.sizes[0] = ranks * len;
	a.subs[0] = len;
	a.starts[0] = rank * len;
	return ft_subarray(e, &a);
}

/* Is it in order, also from tile to tile, and not too large? */
static bool filetype_fits(const struct map *m)
{
	if (m->n == 0)
		return one_in(2);
	if (m->n > ENTRIES || map_true_ub(m) > REACH || map_true_lb(m) < 0 || map_extent(m) <= 0)
		return false;
	for (int i = 1; i < m->n; i++)
		if (m->e[i].at < m->e[i - 1].at + m->e[i - 1].size)
			return false;
	return map_true_ub(m) - map_true_lb(m) <= map_extent(m);
}

static void draw_views(void)
{
	enum rep rep = one_in(2) ? REP_NATIVE : (enum rep)random_draw((unsigned)reps);
	int scale = rep == REP_WIDE ? 2 : 1, kind = random_between(0, 3),
	    len = random_between(1, 4);
	unsigned long long before, equal = state;
	long disp = random_between(0, 40);

	one_view = kind == 0;
	equal = state;
	for (int r = 0; r < ranks; r++) {
		struct view *v = &view[r];

		if (one_view)
			state = equal;
		view_free(v);
		*v = (struct view){.disp = disp, .rep = rep, .scale = scale};
		before = state;
		state = equal; /* extents of etypes must be equal */
		v->etype = draw_etype(scale);
		if (!one_view && r > 0)
			state = before;
		if (kind == 1) {
			v->filetype = interleaved(&v->etype, r, len);
			continue;
		}
		v->disp = disp + random_between(0, 9);
		v->filetype = draw_filetype(&v->etype, one_view ? 0 : r, scale == 1);
		while (!filetype_fits(&v->filetype.fm)) {
			ft_free(&v->filetype);
			v->filetype = draw_simple(&v->etype, one_view ? 0 : r, scale == 1);
		}
	}
}

static void set_view(void)
{
	struct view *v = &view[me];
	MPI_Datatype etype, filetype;
	char rep[MPI_MAX_DATAREP_STRING];
	MPI_Offset disp;
	int ni, na, nd, combiner;

	draw_views();
	random_say("MPI_File_set_view %s, disp %ld, tile %d entries", rep_names[v->rep], v->disp,
		v->filetype.fm.n);
	if (!v->etype.named)
		OK(MPI_Type_commit(&v->etype.type));
	OK(MPI_Type_commit(&v->filetype.type));
	OK(MPI_File_set_view(
		file, v->disp, v->etype.type, v->filetype.type, rep_names[v->rep], MPI_INFO_NULL));
	memset(pointer, 0, sizeof(pointer));
	shared_pointer = 0;
	if (!one_in(4))
		return;
	OK(MPI_File_get_view(file, &disp, &etype, &filetype, rep));
	same(disp, v->disp);
	if (!peers) /* others say "native" for all */
		same(strcmp(rep, rep_names[v->rep]), 0);
	OK(MPI_Type_get_envelope(filetype, &ni, &na, &nd, &combiner));
	if (combiner != MPI_COMBINER_NAMED)
		OK(MPI_Type_free(&filetype));
	OK(MPI_Type_get_envelope(etype, &ni, &na, &nd, &combiner));
	if (combiner != MPI_COMBINER_NAMED)
		OK(MPI_Type_free(&etype));
}

/* --- drawing an access ---------------------------------------------------------------------- */

/* A memory type of k etypes. */
static struct ft draw_memory(enum memory how, const struct ft *e, int k)
{
	long ext = (long)map_extent(&e->m), span = (long)(map_true_ub(&e->m) - map_true_lb(&e->m));
	int lens[8], displs[8];
	MPI_Aint at[8];
	struct ft a, b;

	ext = ext > span ? ext : span;
	for (int i = 0; i < k; i++) {
		lens[i] = 1;
		displs[i] = 2 * i + (i & 1);
		at[i] = (k - 1 - i) * (ext + 8);
	}
	switch (how) {
	case CONTIGUOUS: return ft_contiguous(e, k);
	case VECTOR: return ft_vector(e, k, 1, 2);
	case BACKWARDS: return ft_hindexed(e, k, lens, at);
	case RESIZED:
		a = ft_contiguous(e, k);
		b = ft_resized(&a, peers ? 0 : -8, (long)map_true_ub(&a.m) + 24);
		ft_free(&a);
		return b;
	default: return ft_indexed(e, k, lens, displs);
	}
}

static void draw_part(struct access *a, int r)
{
	struct part *p = &a->part[r];
	const struct view *v = &view[r];

	p->memory = (enum memory)random_draw(v->rep == REP_NATIVE ? MEMORIES : BYTES);
	p->k = p->memory == SIMPLE || p->memory == BYTES ? 1 : random_between(1, 6);
	p->count = one_in(8) ? 0 : one_in(4) ? random_between(1, 40) : random_between(1, 8);
	p->salt = (int)random_draw(100000);
	p->pos = random_between(0, one_in(3) ? 100 : 20);
	p->n = (long)p->k * p->count;
	if (v->filetype.fm.n == 0 || (a->who >= 0 && a->who != r))
		p->n = p->count = 0;
}

/* Moves the pointers, and gives each rank what does not collide with what others write. */
static void random_element_at(struct access *a, int number)
{
	for (int r = 0; r < ranks; r++) {
		struct part *p = &a->part[r];
		long *where = a->where == INDIVIDUAL ? &pointer[r]
			      : a->where == SHARED   ? &shared_pointer
						     : NULL;

		if (where != NULL)
			p->pos = *where;
		if (p->n > 0 && a->write &&
			!model_claim(&model, &view[r], p->pos, p->n, number * RANKS + r + 1))
			p->n = p->count = 0;
		if (p->n > 0 && view_byte(&view[r], p->pos + p->n) >= FILE_MAX)
			p->n = p->count = 0;
		if (where != NULL)
			*where += p->n;
	}
}

static void draw_access(struct access *a, int number, const struct access *first)
{
	*a = (struct access){.who = -1, .type.type = MPI_DATATYPE_NULL, .req = MPI_REQUEST_NULL};
	if (first != NULL) {
		a->write = first->write;
		a->form = first->form;
	} else {
		a->write = may_write && (!may_read || one_in(2));
		a->form = (enum form)random_draw(FORMS);
	}
	a->where = (enum positioning)random_draw(one_view ? POSITIONINGS : SHARED);
	a->collective = a->form == SPLIT || one_in(2);
	if (a->where == SHARED && a->form == LATER)
		a->collective = false;
	a->big = one_in(2) && !peers;
	if (a->where == SHARED && !a->collective)
		a->who = step % ranks;
	for (int r = 0; r < ranks; r++)
		draw_part(a, r);
	random_element_at(a, number);
}

/* --- doing it ------------------------------------------------------------------------------- */

#define CALL(name, ...) (a->big ? MPI_File_##name##_c(__VA_ARGS__) : MPI_File_##name(__VA_ARGS__))

#define FORM(rw)                                                                       \
	static void rw##_start(struct access *a)                                       \
	{                                                                              \
		const struct part *p = &a->part[me];                                   \
		int n = p->count;                                                      \
		MPI_Datatype t = a->type.type;                                         \
		enum { NOW = 0, ALL = 1, KINDS = 2 };                                  \
                                                                                       \
		switch ((a->where * FORMS + a->form) * KINDS + a->collective) {        \
		case (AT * FORMS + BLOCKING) * KINDS + NOW:                            \
			OK(CALL(rw##_at, file, p->pos, a->buf, n, t, &a->status));     \
			return;                                                        \
		case (AT * FORMS + BLOCKING) * KINDS + ALL:                            \
			OK(CALL(rw##_at_all, file, p->pos, a->buf, n, t, &a->status)); \
			return;                                                        \
		case (AT * FORMS + LATER) * KINDS + NOW:                               \
			OK(CALL(i##rw##_at, file, p->pos, a->buf, n, t, &a->req));     \
			return;                                                        \
		case (AT * FORMS + LATER) * KINDS + ALL:                               \
			OK(CALL(i##rw##_at_all, file, p->pos, a->buf, n, t, &a->req)); \
			return;                                                        \
		case (AT * FORMS + SPLIT) * KINDS + ALL:                               \
			OK(CALL(rw##_at_all_begin, file, p->pos, a->buf, n, t));       \
			OK(MPI_File_##rw##_at_all_end(file, a->buf, &a->status));      \
			return;                                                        \
		case (INDIVIDUAL * FORMS + BLOCKING) * KINDS + NOW:                    \
			OK(CALL(rw, file, a->buf, n, t, &a->status));                  \
			return;                                                        \
		case (INDIVIDUAL * FORMS + BLOCKING) * KINDS + ALL:                    \
			OK(CALL(rw##_all, file, a->buf, n, t, &a->status));            \
			return;                                                        \
		case (INDIVIDUAL * FORMS + LATER) * KINDS + NOW:                       \
			OK(CALL(i##rw, file, a->buf, n, t, &a->req));                  \
			return;                                                        \
		case (INDIVIDUAL * FORMS + LATER) * KINDS + ALL:                       \
			OK(CALL(i##rw##_all, file, a->buf, n, t, &a->req));            \
			return;                                                        \
		case (INDIVIDUAL * FORMS + SPLIT) * KINDS + ALL:                       \
			OK(CALL(rw##_all_begin, file, a->buf, n, t));                  \
			OK(MPI_File_##rw##_all_end(file, a->buf, &a->status));         \
			return;                                                        \
		case (SHARED * FORMS + BLOCKING) * KINDS + NOW:                        \
			OK(CALL(rw##_shared, file, a->buf, n, t, &a->status));         \
			return;                                                        \
		case (SHARED * FORMS + BLOCKING) * KINDS + ALL:                        \
			OK(CALL(rw##_ordered, file, a->buf, n, t, &a->status));        \
			return;                                                        \
		case (SHARED * FORMS + LATER) * KINDS + NOW:                           \
			OK(CALL(i##rw##_shared, file, a->buf, n, t, &a->req));         \
			return;                                                        \
		case (SHARED * FORMS + SPLIT) * KINDS + ALL:                           \
			OK(CALL(rw##_ordered_begin, file, a->buf, n, t));              \
			OK(MPI_File_##rw##_ordered_end(file, a->buf, &a->status));     \
			return;                                                        \
		}                                                                      \
		same_at("no such verb", a->form, -1);                                  \
	}
FORM(read)
FORM(write)

/* Packed bytes of the data of a part. */
static long part_bytes(const struct view *v, const struct part *p)
{
	return p->n * (long)map_size(&v->etype.m);
}

static void part_data(const struct view *v, const struct part *p, unsigned char *packed)
{
	for (long i = 0; i < part_bytes(v, p); i++)
		packed[i] = check_byte(p->salt, i);
}

/* This rank's memory: a type, and a buffer around it. */
static void memory_new(struct access *a)
{
	static unsigned char packed[SPAN];
	struct part *p = &a->part[me];
	const struct view *v = &view[me];
	long long extent, low;

	if (p->memory == BYTES) {
		a->type = ft_basic(MPI_BYTE, 1, 1);
		p->count = (int)part_bytes(v, p);
	} else if (p->memory == SIMPLE && v->etype.named) {
		a->type = ft_basic(v->etype.type, v->etype.m.e[0].size, 1);
	} else {
		a->type = p->memory == SIMPLE ? ft_dup(&v->etype)
					      : draw_memory(p->memory, &v->etype, p->k);
		OK(MPI_Type_commit(&a->type.type));
	}
	OK(MPI_Type_set_attr(a->type.type, map_key, &a->type.m));
	extent = map_extent(&a->type.m);
	low = map_true_lb(&a->type.m);
	same(MARGIN + low >= 0 && MARGIN + p->count * extent + 2 * MARGIN < SPAN, 1);
	a->mem = malloc(SPAN);
	memset(a->mem, UNTOUCHED, SPAN);
	a->buf = a->mem + MARGIN;
	if (!a->write)
		return;
	part_data(v, p, packed);
	map_move(&a->type.m, a->buf, p->count, (char *)packed, false);
}

/* Moves the first `bytes' packed bytes into the memory that is expected. */
static void expect_memory(
	const struct access *a, char *buf, const unsigned char *packed, long bytes)
{
	const struct map *m = &a->type.m;

	for (long i = 0; bytes > 0; i++) {
		const struct map_entry *e = &m->e[i % m->n];
		long n = bytes < e->size ? bytes : e->size;

		memcpy(buf + i / m->n * map_extent(m) + e->at, packed, (size_t)n);
		packed += n;
		bytes -= n;
	}
}

static void verify_status(const struct access *a, long bytes)
{
	long size = (long)map_size(&a->type.m);
	int count;

	OK(MPI_Get_count(&a->status, a->type.type, &count));
	if (!peers) /* others often repeat the request */
		same(count, size == 0 ? 0 : bytes % size == 0 ? bytes / size : MPI_UNDEFINED);
}

static void random_verify(struct access *a)
{
	static unsigned char packed[SPAN];
	static char want[SPAN];
	const struct part *p = &a->part[me];
	bool partial = false;
	long bytes = part_bytes(&view[me], p);

	memset(want, UNTOUCHED, SPAN);
	if (a->write)
		part_data(&view[me], p, packed);
	else
		bytes = model_read(&model, &view[me], p->pos, p->n, packed, &partial);
	expect_memory(a, want + MARGIN, packed, bytes);
	if (partial && view[me].rep > REP_INTERNAL)
		return; /* the rest of an entry has no meaning */
	verify_status(a, bytes);
	for (long i = 0; i < SPAN; i++)
		if (a->mem[i] != want[i]) {
			fprintf(stderr, "byte %ld of the buffer\n", i - MARGIN);
			same((unsigned char)a->mem[i], (unsigned char)want[i]);
		}
}

static void wait_all(struct access *a, int n)
{
	MPI_Request req[BATCH];
	MPI_Status status[BATCH];
	int at, done;

	for (int i = 0; i < n; i++)
		req[i] = a[i].req;
	if (n == 1 && one_in(2)) {
		for (done = 0; !done;)
			OK(MPI_Test(&req[0], &done, &status[0]));
	} else if (one_in(2)) {
		OK(MPI_Waitall(n, req, status));
	} else {
		for (int i = 0; i < n; i++) {
			MPI_Status s;

			OK(MPI_Waitany(n, req, &at, &s));
			if (at != MPI_UNDEFINED) /* accesses of other ranks */
				status[at] = s;
		}
	}
	for (int i = 0; i < n; i++)
		a[i].status = status[i];
}

/* Makes writes visible to all ranks: with several hosts that takes a sync (14.6.1). */
static void settle(bool wrote)
{
	static int remote = -1;

	if (remote < 0)
		remote = check_has_remote();
	if (wrote && (remote || one_in(10)))
		OK(MPI_File_sync(file));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	if (wrote && remote)
		OK(MPI_File_sync(file));
}

static void verify_file(void)
{
	static unsigned char now[FILE_MAX + 1];
	ssize_t n;

	if (me != 0)
		return;
	n = pread(disk, now, sizeof(now), 0);
	same(n, model.size);
	for (long i = 0; i < n; i++)
		if (now[i] != model.byte[i]) {
			fprintf(stderr, "byte %ld of the file\n", i);
			same(now[i], model.byte[i]);
		}
}

static void verify_pointers(void)
{
	MPI_Offset at;

	OK(MPI_File_get_position(file, &at));
	same(at, pointer[me]);
	if (one_view) {
		OK(MPI_File_get_position_shared(file, &at));
		same(at, shared_pointer);
	}
}

static void describe(const struct access *a, int n)
{
	const struct part *p = &a->part[me];

	random_say("%s%s %s%s, batch of %d; here: etype %ld, %ld of them, memory %d, %s",
		a->form == LATER ? "i" : "", a->write ? "write" : "read",
		a->where == AT       ? "at"
		: a->where == SHARED ? "shared"
				     : "individual",
		a->form == SPLIT ? " split"
		: a->collective  ? " all"
				 : "",
		n, p->pos, p->n, p->memory, rep_names[view[me].rep]);
}

static void access_file(void)
{
	struct access a[BATCH];
	static unsigned char packed[SPAN];
	int n;

	memset(model.owner, 0, sizeof(model.owner));
	draw_access(&a[0], 0, NULL);
	n = a[0].form == LATER && !peers ? random_between(1, BATCH) : 1;
	for (int i = 1; i < n; i++)
		draw_access(&a[i], i, &a[0]);
	for (int i = 0; i < n; i++) {
		describe(&a[i], n);
		if (a[i].who >= 0 && a[i].who != me)
			continue;
		memory_new(&a[i]);
		(a[i].write ? write_start : read_start)(&a[i]);
	}
	if (a[0].form == LATER)
		wait_all(a, n);
	for (int i = 0; i < n && a[i].write; i++)
		for (int r = 0; r < ranks; r++) {
			part_data(&view[r], &a[i].part[r], packed);
			model_write(&model, &view[r], a[i].part[r].pos, a[i].part[r].n, packed);
		}
	settle(a[0].write);
	for (int i = 0; i < n; i++) {
		if (a[i].who >= 0 && a[i].who != me)
			continue;
		random_verify(&a[i]);
		ft_free(&a[i].type);
		free(a[i].mem);
	}
	verify_file();
	verify_pointers();
	OK(MPI_Barrier(MPI_COMM_WORLD)); /* the next step changes both */
}

/* --- other calls ---------------------------------------------------------------------------- */

static void random_seek(void)
{
	bool together = one_view && one_in(2);
	int whence[] = {MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END}, how = random_between(0, 2);
	MPI_Offset at, mine = 0;

	random_say("seek %s, whence %d", together ? "shared" : "individual", how);
	for (int r = 0; r < ranks; r++) {
		bool empty = view[r].filetype.fm.n == 0;
		long to = random_between(0, 60), base = 0;
		long *where = together ? &shared_pointer : &pointer[r];

		if (how == 1)
			base = *where;
		if (how == 2 && !empty)
			base = view_end(&view[r], model.size);
		if (how == 2 && empty) /* there is no end */
			to = *where;
		if (r == me || together)
			mine = to - base;
		*where = to;
		if (together)
			break;
	}
	if (view[me].filetype.fm.n == 0)
		how = 0;
	if (how == 0)
		mine = together ? shared_pointer : pointer[me];
	if (together)
		OK(MPI_File_seek_shared(file, mine, whence[how]));
	else
		OK(MPI_File_seek(file, mine, whence[how]));
	verify_pointers();
	if (view[me].filetype.fm.n > 0) {
		OK(MPI_File_get_byte_offset(file, pointer[me], &at));
		same(at, view_byte(&view[me], pointer[me]));
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void resize(void)
{
	long to = random_between(0, 1500);
	bool only_grows = one_in(2);
	MPI_Offset size;

	random_say("%s %ld", only_grows ? "preallocate" : "set_size", to);
	if (only_grows)
		OK(MPI_File_preallocate(file, to));
	else
		OK(MPI_File_set_size(file, to));
	if (to < model.size && !only_grows)
		memset(model.byte + to, 0, (size_t)(model.size - to));
	if (to > model.size || !only_grows)
		model.size = to;
	settle(true);
	OK(MPI_File_get_size(file, &size));
	same(size, model.size);
	verify_file();
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void draw_hint(MPI_Info info, const char *key, const char *a, const char *b, const char *c)
{
	const char *value[] = {a, b, c};
	int which = random_between(0, 3);

	if (which < 3)
		OK(MPI_Info_set(info, key, value[which]));
}

/* Hints that choose other ways, and buffers that never suffice. */
static MPI_Info draw_hints(void)
{
	MPI_Info info;

	OK(MPI_Info_create(&info));
	if (peers) { /* ROMIO's aggregators leave any bytes in holes behind the end */
		OK(MPI_Info_set(info, "romio_cb_write", "disable"));
		OK(MPI_Info_set(info, "romio_cb_read", "disable"));
		return info;
	}
	draw_hint(info, "cb_buffer_size", "64", "4096", "65536");
	draw_hint(info, "cb_nodes", "1", "2", "3");
	draw_hint(info, "romio_cb_write", "enable", "disable", "automatic");
	draw_hint(info, "romio_cb_read", "enable", "disable", "automatic");
	draw_hint(info, "romio_ds_write", "enable", "disable", "automatic");
	draw_hint(info, "romio_ds_read", "enable", "disable", "automatic");
	draw_hint(info, "ind_rd_buffer_size", "100", "4096", "65536");
	draw_hint(info, "ind_wr_buffer_size", "100", "4096", "65536");
	return info;
}

static void random_open_file(void)
{
	int amode = MPI_MODE_CREATE | MPI_MODE_RDWR, how = random_between(0, 9);
	MPI_Info info = draw_hints();

	may_read = may_write = true;
	if (how == 0 && step > 0) {
		amode = MPI_MODE_RDONLY;
		may_write = false;
	}
	if (how == 1) {
		amode = MPI_MODE_CREATE | MPI_MODE_WRONLY;
		may_read = false;
	}
	if (how == 2 && !peers)
		amode |= MPI_MODE_APPEND;
	random_say("MPI_File_open, amode %#x", (unsigned)amode);
	OK(MPI_File_open(MPI_COMM_WORLD, path, amode, info, &file));
	OK(MPI_Info_free(&info));
	if (one_in(8))
		OK(MPI_File_set_atomicity(file, 1));
	for (int r = 0; r < ranks; r++) {
		view_free(&view[r]);
		view[r] = (struct view){.scale = 1,
			.etype = ft_basic(MPI_BYTE, 1, 1),
			.filetype = ft_basic(MPI_BYTE, 1, 1)};
		pointer[r] = (amode & MPI_MODE_APPEND) != 0 ? model.size : 0;
	}
	shared_pointer = pointer[0];
	one_view = true;
	if (peers && step == 0) { /* ROMIO has its own ideas of bytes behind the end */
		OK(MPI_File_set_size(file, FILE_MAX));
		model.size = FILE_MAX;
	}
	if (me == 0 && disk < 0)
		disk = open(path, O_RDONLY);
}

static void reopen(void)
{
	random_say("MPI_File_close");
	OK(MPI_File_close(&file));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	verify_file();
	random_open_file();
}

static void one_step(void)
{
	int what = random_between(0, 99);

	if (what < 12)
		set_view();
	else if (what < 18)
		random_seek();
	else if (what < 22 && may_write && !peers)
		resize();
	else if (what < 26)
		reopen();
	else
		access_file();
}

static void options(int argc, char **argv)
{
	int c;

	seed = 1;
	while ((c = getopt(argc, argv, "n:s:r:pv")) != -1) {
		if (c == 'n')
			steps = atoi(optarg);
		if (c == 's')
			seed = strtoull(optarg, NULL, 10);
		if (c == 'r')
			reps = atoi(optarg);
		peers = peers || c == 'p';
		verbose = verbose || c == 'v';
	}
	if (peers)
		reps = 1;
	state = seed * 0x9e3779b97f4a7c15ULL + (unsigned)ranks;
}

int main(int argc, char **argv)
{
	const char *dir = getenv("TMPDIR");

	check_init(&argc, &argv);
	me = check_rank;
	ranks = check_size;
	CHECK(ranks <= RANKS);
	options(argc, argv);
	register_reps();
	snprintf(path, sizeof(path), "%s/random_files.%d", dir != NULL ? dir : "/tmp",
		(int)getpid());
	OK(MPI_Bcast(path, sizeof(path), MPI_BYTE, 0, MPI_COMM_WORLD));
	for (int r = 0; r < RANKS; r++)
		view[r].etype.type = view[r].filetype.type = MPI_DATATYPE_NULL;
	random_open_file();
	for (step = 1; step <= steps; step++)
		one_step();
	for (int r = 0; r < ranks; r++)
		view_free(&view[r]);
	OK(MPI_File_close(&file));
	if (me == 0)
		OK(MPI_File_delete(path, MPI_INFO_NULL));
	OK(MPI_Type_free_keyval(&map_key));
	MPI_Finalize();
	return check_end();
}
