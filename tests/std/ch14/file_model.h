// SPDX-License-Identifier: BSD-3-Clause
/* file_model.h - the naive model of a file and its views: a byte array, and type maps that are
 * walked entry by entry (MPI-5.0 14.3, 14.4, 14.5).
 *
 *      struct ft     a datatype and its type map, made by the same call
 *      struct view   disp, etype, filetype; the map of the filetype in units of the file
 *      view_entry    the byte of the file at which the i-th basic element of a view begins
 *
 * The type of a file entry and of its memory entry are equal; its size in the file is `scale' times
 * that in memory. */
#ifndef TESTS_FILE_MODEL_H
#define TESTS_FILE_MODEL_H

#include "tests/check.h"
#include "tests/type_map.h"

#define FILE_MAX (1 << 15) /* bytes of the file */
#define DIMS     2

/* --- datatypes with their maps -------------------------------------------------------------- */

struct ft {
	MPI_Datatype type;
	bool named;    /* predefined: not to be freed */
	struct map m;  /* in memory */
	struct map fm; /* in the file */
};

static inline void ft_free(struct ft *t)
{
	if (!t->named && t->type != MPI_DATATYPE_NULL)
		OK(MPI_Type_free(&t->type));
	map_free(&t->m);
	map_free(&t->fm);
}

static inline struct ft ft_basic(MPI_Datatype type, int size, int scale)
{
	struct ft t = {.type = type, .named = true};

	map_add(&t.m, 0, type, size, size);
	map_add(&t.fm, 0, type, size * scale, size * scale);
	return t;
}

/* One block of `len' elements of `in' at a displacement counted in elements, in both maps. */
static inline void ft_block(struct ft *t, const struct ft *in, long long elements, long long len)
{
	map_block(&t->m, &in->m, elements * map_extent(&in->m), len);
	map_block(&t->fm, &in->fm, elements * map_extent(&in->fm), len);
}

/* Likewise, in bytes: these are not scaled. */
static inline void ft_block_at(struct ft *t, const struct ft *in, long long bytes, long long len)
{
	map_block(&t->m, &in->m, bytes, len);
	map_block(&t->fm, &in->fm, bytes, len);
}

static inline struct ft ft_contiguous(const struct ft *in, int n)
{
	struct ft t = {0};

	ft_block(&t, in, 0, n);
	OK(MPI_Type_contiguous(n, in->type, &t.type));
	return t;
}

static inline struct ft ft_vector(const struct ft *in, int n, int len, int stride)
{
	struct ft t = {0};

	for (int i = 0; i < n; i++)
		ft_block(&t, in, (long long)i * stride, len);
	OK(MPI_Type_vector(n, len, stride, in->type, &t.type));
	return t;
}

static inline struct ft ft_hvector(const struct ft *in, int n, int len, long stride)
{
	struct ft t = {0};

	for (int i = 0; i < n; i++)
		ft_block_at(&t, in, i * stride, len);
	OK(MPI_Type_create_hvector(n, len, stride, in->type, &t.type));
	return t;
}

static inline struct ft ft_indexed(const struct ft *in, int n, int *lens, int *displs)
{
	struct ft t = {0};

	for (int i = 0; i < n; i++)
		ft_block(&t, in, displs[i], lens[i]);
	OK(MPI_Type_indexed(n, lens, displs, in->type, &t.type));
	return t;
}

static inline struct ft ft_indexed_block(const struct ft *in, int n, int len, int *displs)
{
	struct ft t = {0};

	for (int i = 0; i < n; i++)
		ft_block(&t, in, displs[i], len);
	OK(MPI_Type_create_indexed_block(n, len, displs, in->type, &t.type));
	return t;
}

static inline struct ft ft_hindexed(const struct ft *in, int n, int *lens, MPI_Aint *displs)
{
	struct ft t = {0};

	for (int i = 0; i < n; i++)
		ft_block_at(&t, in, displs[i], lens[i]);
	OK(MPI_Type_create_hindexed(n, lens, displs, in->type, &t.type));
	return t;
}

static inline struct ft ft_struct(const struct ft *in, int n, int *lens, MPI_Aint *displs)
{
	MPI_Datatype types[16];
	struct ft t = {0};

	for (int i = 0; i < n; i++) {
		ft_block_at(&t, in, displs[i], lens[i]);
		types[i] = in->type;
	}
	OK(MPI_Type_create_struct(n, lens, displs, types, &t.type));
	return t;
}

static inline struct ft ft_resized(const struct ft *in, long lb, long extent)
{
	struct ft t = {0};

	map_put(&t.m, &in->m, 0);
	map_put(&t.fm, &in->fm, 0);
	t.m.marked = t.fm.marked = true;
	t.m.lb = t.fm.lb = lb;
	t.m.ub = t.fm.ub = lb + extent;
	OK(MPI_Type_create_resized(in->type, lb, extent, &t.type));
	return t;
}

static inline struct ft ft_dup(const struct ft *in)
{
	struct ft t = {0};

	map_put(&t.m, &in->m, 0);
	map_put(&t.fm, &in->fm, 0);
	OK(MPI_Type_dup(in->type, &t.type));
	return t;
}

/* Which elements of an array of up to two dimensions a type has. */
struct array {
	int ndims, order;
	int sizes[DIMS];
	bool (*has)(const struct array *a, int dim, int i);
	int subs[DIMS], starts[DIMS];                 /* a subarray */
	int dist[DIMS], arg[DIMS], procs[DIMS], rank; /* a darray */
};

static inline bool array_sub_has(const struct array *a, int dim, int i)
{
	return i >= a->starts[dim] && i < a->starts[dim] + a->subs[dim];
}

static inline bool array_dist_has(const struct array *a, int dim, int i)
{
	int p = a->procs[dim], g = a->sizes[dim], mine, block;

	mine = dim == a->ndims - 1 ? a->rank % p : a->rank / a->procs[1];
	if (a->dist[dim] == MPI_DISTRIBUTE_NONE)
		return true;
	block = a->arg[dim];
	if (a->dist[dim] == MPI_DISTRIBUTE_BLOCK)
		return i / (block == MPI_DISTRIBUTE_DFLT_DARG ? (g + p - 1) / p : block) == mine;
	return i / (block == MPI_DISTRIBUTE_DFLT_DARG ? 1 : block) % p == mine;
}

/* Walks the array in order of its memory, and takes the type's elements. */
static inline void array_visit(struct ft *t, const struct ft *in, const struct array *a)
{
	int n0 = a->sizes[0], n1 = a->ndims > 1 ? a->sizes[1] : 1;
	long long all = (long long)n0 * n1;

	for (long long k = 0; k < all; k++) {
		int i = (int)(a->order == MPI_ORDER_C ? k / n1 : k % n0);
		int j = (int)(a->order == MPI_ORDER_C ? k % n1 : k / n0);

		if (a->has(a, 0, i) && (a->ndims == 1 || a->has(a, 1, j)))
			ft_block(t, in, k, 1);
	}
	t->m.marked = t->fm.marked = true;
	t->m.lb = t->fm.lb = 0;
	t->m.ub = all * map_extent(&in->m);
	t->fm.ub = all * map_extent(&in->fm);
}

static inline struct ft ft_subarray(const struct ft *in, struct array *a)
{
	struct ft t = {0};

	a->has = array_sub_has;
	array_visit(&t, in, a);
	OK(MPI_Type_create_subarray(
		a->ndims, a->sizes, a->subs, a->starts, a->order, in->type, &t.type));
	return t;
}

static inline struct ft ft_darray(const struct ft *in, struct array *a)
{
	struct ft t = {0};
	int procs = a->procs[0] * (a->ndims > 1 ? a->procs[1] : 1);

	a->has = array_dist_has;
	if (a->ndims == 1)
		a->procs[1] = 1;
	array_visit(&t, in, a);
	OK(MPI_Type_create_darray(procs, a->rank, a->ndims, a->sizes, a->dist, a->arg, a->procs,
		a->order, in->type, &t.type));
	return t;
}

/* --- representations ------------------------------------------------------------------------ */

enum rep { REP_NATIVE, REP_INTERNAL, REP_EXTERNAL, REP_MIRROR, REP_WIDE, REPS };

static const char *const rep_names[REPS] = {
	"native", "internal", "external32", "test mirror", "test wide"};

/* An entry of n bytes in memory as the file has it, and back.  Wide: its complement follows. */
static inline void rep_encode(enum rep rep, const unsigned char *mem, unsigned char *file, int n)
{
	for (int i = 0; i < n; i++) {
		file[i] = rep == REP_EXTERNAL ? mem[n - 1 - i]
			  : rep == REP_MIRROR ? mem[i] ^ 0x5a
					      : mem[i];
		if (rep == REP_WIDE)
			file[n + i] = (unsigned char)~mem[i];
	}
}

static inline void rep_decode(enum rep rep, const unsigned char *file, unsigned char *mem, int n)
{
	for (int i = 0; i < n; i++)
		mem[i] = rep == REP_EXTERNAL ? file[n - 1 - i]
			 : rep == REP_MIRROR ? file[i] ^ 0x5a
					     : file[i];
}

/* --- the view of a rank --------------------------------------------------------------------- */

struct view {
	long disp;
	struct ft etype, filetype;
	enum rep rep;
	int scale;
};

static inline void view_free(struct view *v)
{
	ft_free(&v->etype);
	ft_free(&v->filetype);
}

/* Etypes in a tile, and the byte of the file at which entry `i' of all tiles lies. */
static inline long view_tile(const struct view *v)
{
	return v->etype.fm.n == 0 ? 0 : v->filetype.fm.n / v->etype.fm.n;
}

static inline long view_entry(const struct view *v, long i)
{
	const struct map *m = &v->filetype.fm;

	return v->disp + i / m->n * (long)map_extent(m) + (long)m->e[i % m->n].at;
}

/* The byte at which etype k begins, as MPI_File_get_byte_offset says it. */
static inline long view_byte(const struct view *v, long k)
{
	return view_entry(v, k * v->etype.fm.n) - (long)v->etype.fm.e[0].at;
}

/* The first etype at or after the end of a file of `size' bytes. */
static inline long view_end(const struct view *v, long size)
{
	long k = 0;

	while (view_byte(v, k) < size)
		k++;
	return k;
}

/* --- the file ------------------------------------------------------------------------------- */

struct model {
	unsigned char byte[FILE_MAX];
	long size;
	int owner[FILE_MAX]; /* the writer of a byte in this step; 0: none */
};

/* Are bytes [at, end) in the file, and does no rank write them yet? */
static inline bool model_free(const struct model *f, long at, long end)
{
	for (; at < end; at++)
		if (at >= FILE_MAX || f->owner[at] != 0)
			return false;
	return true;
}

/* May `who' write n etypes at `pos'?  No if they leave the file, or another writes there. */
static inline bool model_claim(struct model *f, const struct view *v, long pos, long n, int who)
{
	const struct map *m = &v->filetype.fm;
	long en = v->etype.fm.n, first = pos * en, end = (pos + n) * en;

	for (long i = first; i < end; i++) {
		long at = view_entry(v, i);

		if (!model_free(f, at, at + m->e[i % m->n].size))
			return false;
	}
	for (long i = first; i < end; i++) {
		long at = view_entry(v, i);

		for (int b = 0; b < m->e[i % m->n].size; b++)
			f->owner[at + b] = who;
	}
	return true;
}

/* Writes the packed bytes of n etypes at `pos'. */
static inline void model_write(
	struct model *f, const struct view *v, long pos, long n, const unsigned char *packed)
{
	const struct map *m = &v->filetype.fm;
	long en = v->etype.fm.n;

	for (long i = pos * en; i < (pos + n) * en; i++) {
		long at = view_entry(v, i), end = at + m->e[i % m->n].size;
		int size = m->e[i % m->n].size / v->scale;

		rep_encode(v->rep, packed, f->byte + at, size);
		packed += size;
		f->size = end > f->size ? end : f->size;
	}
}

/* Reads the file's part of n etypes at `pos'.  Returns packed bytes; *partial: the file ends
 * inside an entry, of which these bytes are a part. */
static inline long model_read(const struct model *f, const struct view *v, long pos, long n,
	unsigned char *packed, bool *partial)
{
	const struct map *m = &v->filetype.fm;
	long en = v->etype.fm.n, bytes = 0;

	*partial = false;
	for (long i = pos * en; i < (pos + n) * en; i++) {
		long at = view_entry(v, i), end = at + m->e[i % m->n].size;
		int size = m->e[i % m->n].size / v->scale;

		if (end > f->size) {
			*partial = at < f->size;
			if (*partial && v->rep <= REP_INTERNAL) {
				memcpy(packed + bytes, f->byte + at, (size_t)(f->size - at));
				bytes += f->size - at;
			}
			break;
		}
		rep_decode(v->rep, f->byte + at, packed + bytes, size);
		bytes += size;
	}
	return bytes;
}

#endif
