// SPDX-License-Identifier: BSD-3-Clause
/* glue.h - the layer between mpi_send_ and MPI_Send.
 *
 *     call MPI_Send(a, n, MPI_REAL, 1, 0, comm, ierror)
 *        mpif.h            mpi_send_(void *buf, ...)                       by address
 *        mpi, mpi_f08      mpi_send_fts_, mpi_send_f08ts_(descriptor, ...) by descriptor
 *            fort_type(*datatype), fort_comm(*comm)   INTEGER -> handle
 *            FORT_BUF(buf), or struct fort_part       sentinels, sections of arrays
 *        MPI_Send(...)
 *            results, *ierror if it is there
 *
 * This library is a user of libmpi_abi.so.1 like any other: it calls MPI_ from mpi_..._ and PMPI_
 * from pmpi_..._, so that a tool that knows C alone sees Fortran too, and one that knows both
 * counts once.  The sources are compiled twice: with FORT_p and FORT_P empty, and as p and P.
 *
 * Names: x a parameter, c_x its value for C, s_x its scratch, l_x the length of a CHARACTER. */
#ifndef HAFT_FORT_GLUE_H
#define HAFT_FORT_GLUE_H

#define MPI_NO_DEPRECATED_WARNINGS
#include "libmpi/core/language.h"
#include "libobj/obj.h"

#include <haft/qmpi.h>
#include <mpi-ext.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FORT_PASTE2(a, b) a##b
#define FORT_PASTE(a, b)  FORT_PASTE2(a, b)
#define FORT_NAME(x)      FORT_PASTE(FORT_p, x)
#define FORT_C(x)         FORT_PASTE(FORT_P, x)

/* A call of our own, which the program has not made: no tool sees it. */
#define FORT_OWN(x, ...) Q##x((QMPI_Context){NULL}, 0, __VA_ARGS__)

#define FORT_API         __attribute__((visibility("default")))
#define FORT_COLD        __attribute__((noinline, cold))
#define FORT_UNUSUAL(x)  __builtin_expect(!!(x), 0)
#define FORT_USUAL(x)    __builtin_expect(!!(x), 1)
#define FORT_STRING2(x)  #x
#define FORT_STRING(x)   FORT_STRING2(x)
#define FORT_ALIAS(name) __attribute__((alias(FORT_STRING(FORT_NAME(name)))))

/* A declaration.  Objects that the next C call makes or ends get the address of the Fortran call as
 * their site (libmpi/core/language.h). */
#define FORT_SITE                                \
	uintptr_t site __attribute__((unused)) = \
		(haft_fort_site = (uintptr_t)__builtin_return_address(0))

#define FORT_SCRATCH  32   /* handles of one call that fit on the stack */
#define FORT_TEXT     512  /* bytes of a CHARACTER that fit on the stack */
#define FORT_TEXT_OUT 8192 /* MPI_MAX_LIBRARY_VERSION_STRING, the longest of all */
#define FORT_RANK_MAX 15   /* dimensions of an array in Fortran */

/* --- sentinels and descriptors -------------------------------------------------------------- */

/* The common blocks of mpif.h and of the modules: the address of a member means a constant. */
struct fort_addr {
	MPI_Fint bottom, in_place, buffer_automatic;
	MPI_Fint errcodes_ignore[1], unweighted[1], weights_empty[1];
	MPI_Fint status_ignore[8], statuses_ignore[8];
};
extern FORT_API struct fort_addr mpi_fort_addr_;

struct fort_text {
	char argv_null[1], argvs_null[1];
};
extern FORT_API struct fort_text mpi_fort_text_;

/* The head of a CFI_cdesc_t as gfortran and flang have it.  Members between elem_len and dim
 * differ, and are not read, except the rank. */
struct fort_dim {
	ptrdiff_t lower, extent, stride; /* extent -1: assumed size; stride in bytes */
};
struct fort_desc {
	void *base;
	size_t len; /* bytes of an element */
	int version;
	int8_t rank;
	int8_t other[3];
	struct fort_dim dim[];
};
_Static_assert(offsetof(struct fort_desc, rank) == 20 && offsetof(struct fort_desc, dim) == 24,
	"the layout of ISO_Fortran_binding.h");

/* --- handles -------------------------------------------------------------------------------- */

/* Converts INTEGER i to a handle, *h: a number of the ABI, 0 too, or a living object's token.
 * false: it is neither.  One step with 64 bits: a number of the ABI is its own handle. */
static inline bool fort_live(const struct obj_class *c, MPI_Fint i, uint64_t *h)
{
	uint64_t u = (uint32_t)i;

	*h = u;
	if (u < OBJ_PERMANENT_MAX)
		return true;
	*h = (uintptr_t)obj_from_int_live(c, i);
	return FORT_USUAL(*h != 0);
}

/* Two functions a class: fort_comm_live is fort_live of communicators; fort_comm: an INTEGER that
 * is not alive goes through MPI, which makes a handle of it that the next call refuses. */
#define CLASS(id, ctype, label, object, null, error, words)                         \
	static inline bool fort_##object##_live(MPI_Fint i, ctype *h)               \
	{                                                                           \
		uint64_t u;                                                         \
		bool live = fort_live(&haft_fort_##object, i, &u);                  \
                                                                                    \
		*h = (ctype)u;                                                      \
		return live;                                                        \
	}                                                                           \
                                                                                    \
	static inline ctype fort_##object(MPI_Fint i)                               \
	{                                                                           \
		ctype h;                                                            \
                                                                                    \
		return fort_##object##_live(i, &h) ? h : PMPI_##label##_fromint(i); \
	}                                                                           \
                                                                                    \
	static inline MPI_Fint fort_##object##_int(ctype h)                         \
	{                                                                           \
		return obj_to_int((obj_h)h);                                        \
	}
#include "libmpi/api/classes.def"
#undef CLASS

/* The value of an OUT variable before the call.  Still there afterwards: MPI has written
 * nothing. */
#define FORT_UNSET(ctype) ((ctype)(intptr_t)-1)

/* --- sentinels ------------------------------------------------------------------------------ */

/* Is p one of the constants?  Then it has to be asked which. */
static inline bool fort_is_named(const void *p)
{
	return (uintptr_t)p - (uintptr_t)&mpi_fort_addr_ < sizeof(mpi_fort_addr_);
}

void *fort_named(const void *p); /* the constant of C at that address; any other p stays */

/* An address that MPI gives back: one of the constants has the address that it has in Fortran. */
#define FORT_ADDRESS(x)                                                 \
	do {                                                            \
		if (*(void **)x == MPI_BUFFER_AUTOMATIC)                \
			*(void **)x = &mpi_fort_addr_.buffer_automatic; \
	} while (0)

#define FORT_BUF(p) (__builtin_expect(fort_is_named(p), 0) ? fort_named(p) : (void *)(uintptr_t)(p))

static inline MPI_Status *fort_status(MPI_Fint *p)
{
	return fort_is_named(p) ? MPI_STATUS_IGNORE : (MPI_Status *)p;
}

/* --- rooms ---------------------------------------------------------------------------------- */

/* Room for n elements: scratch if they fit, else malloc'ed.  NULL: no memory. */
void *fort_room(void *scratch, int64_t fit, size_t size, int64_t n);
void fort_room_end(void *scratch, void *room);
/* Raises MPI_ERR_NO_MEM on MPI_COMM_SELF and returns it. */
int fort_no_memory(void);
/* As fort_no_memory, for another class. */
int fort_raise(int err);

/* How many entries a collective's array of datatypes has; 0 if the buffer is MPI_IN_PLACE. */
int fort_ranks(const void *buf, MPI_Fint comm);
int fort_to(const void *buf, MPI_Fint comm);
int fort_from(const void *buf, MPI_Fint comm);

#define FORT_ROOM(x, n)                                                      \
	do {                                                                 \
		c_##x = fort_room(s_##x, FORT_SCRATCH, sizeof(s_##x[0]), n); \
		if (c_##x == NULL) {                                         \
			ret = fort_no_memory();                              \
			goto done;                                           \
		}                                                            \
	} while (0)

#define FORT_HANDLES(object, x, n)                         \
	do {                                               \
		FORT_ROOM(x, n);                           \
		for (int64_t i = 0; i < (int64_t)(n); i++) \
			c_##x[i] = fort_##object(x[i]);    \
	} while (0)

#define FORT_HANDLES_BACK(object, x, n)                       \
	do {                                                  \
		for (int64_t i = 0; i < (int64_t)(n); i++)    \
			x[i] = fort_##object##_int(c_##x[i]); \
	} while (0)

#define FORT_HANDLES_OUT(ctype, x, n)                      \
	do {                                               \
		FORT_ROOM(x, n);                           \
		for (int64_t i = 0; i < (int64_t)(n); i++) \
			c_##x[i] = FORT_UNSET(ctype);      \
	} while (0)

#define FORT_HANDLES_NEW(ctype, object, x, n)                         \
	do {                                                          \
		for (int64_t i = 0; i < (int64_t)(n); i++)            \
			if (c_##x[i] != FORT_UNSET(ctype))            \
				x[i] = fort_##object##_int(c_##x[i]); \
	} while (0)

#define FORT_HANDLE_NEW(ctype, object, x)                \
	do {                                             \
		if (c_##x != FORT_UNSET(ctype))          \
			*x = fort_##object##_int(c_##x); \
	} while (0)

/* A result that is a position: it counts from 1 in Fortran.  A call that failed may have set it. */
#define FORT_NO_INDEX INT32_MIN

#define FORT_INDEX_NEW(x)                          \
	do {                                       \
		if (c_##x != FORT_NO_INDEX)        \
			*x = c_##x + (c_##x >= 0); \
	} while (0)

/* Positions count from 1 in Fortran; `n' may be MPI_UNDEFINED, which is negative. */
#define FORT_INDICES(x, n)                    \
	do {                                  \
		for (int i = 0; i < (n); i++) \
			x[i]++;               \
	} while (0)

#define FORT_INTS(x, n)                                    \
	do {                                               \
		FORT_ROOM(x, n);                           \
		for (int64_t i = 0; i < (int64_t)(n); i++) \
			c_##x[i] = x[i];                   \
	} while (0)

/* --- text ----------------------------------------------------------------------------------- */

/* The string in p[0..len), without blanks at the end (and at the beginning, if `both'), with NUL:
 * in the scratch of FORT_TEXT bytes, or malloc'ed.  NULL: no memory. */
char *fort_text_in(char *scratch, const char *p, size_t len, bool both);
/* Writes the C string s, cut or padded with blanks.  s as fort_text_unset left it: nothing. */
void fort_text_out(char *p, size_t len, const char *s);
void fort_text_unset(char *s);

#define FORT_TEXT_IN(x, both)                                \
	do {                                                 \
		c_##x = fort_text_in(s_##x, x, l_##x, both); \
		if (c_##x == NULL) {                         \
			ret = fort_no_memory();              \
			goto done;                           \
		}                                            \
	} while (0)

/* --- sections of arrays --------------------------------------------------------------------- */

/* (buf, count, datatype) of a message whose buffer came with a descriptor. */
struct fort_part {
	void *addr;
	MPI_Count count;
	MPI_Datatype type;
	bool made;  /* the type is ours */
	void *copy; /* malloc'ed: no datatype describes the part */
	const struct fort_desc *desc;
};

/* For buffers that are not contiguous: as a datatype, or as a copy; 0 or an error code. */
int fort_part_make(struct fort_part *p);
int fort_copy_make(struct fort_part *p);
void fort_part_end(struct fort_part *p, bool written);
void fort_copy_keep(struct fort_part *p, bool written, MPI_Request request);

/* The user's own memory, in one piece at first sight: a scalar, a vector, a whole matrix.  No loop
 * and no call, so that the usual case saves no register.  MPI's constants are scalars, so a vector
 * need not be asked whether it is one. */
static inline bool fort_contiguous(const struct fort_desc *d)
{
	if (__builtin_expect(d->rank == 1, 1))
		return d->dim[0].stride == (ptrdiff_t)d->len;
	if (d->rank == 0)
		return !fort_is_named(d->base);
	return d->rank == 2 && d->dim[0].stride == (ptrdiff_t)d->len &&
	       d->dim[1].stride == d->dim[0].stride * d->dim[0].extent;
}

/* Is it more than one piece of memory? */
static inline bool fort_scattered(const struct fort_desc *d)
{
	ptrdiff_t next = (ptrdiff_t)d->len;

	for (int i = 0; i < d->rank; i++) {
		if (d->dim[i].extent == 0 || (i == d->rank - 1 && d->dim[i].extent < 0))
			return false;
		if (d->dim[i].stride != next && d->dim[i].extent > 1)
			return true;
		next *= d->dim[i].extent;
	}
	return false;
}

/* a_x, n_x, t_x: the buffer, count and datatype for C; contiguous memory is passed on.  c_x is
 * valid if part_x says so. */
#define FORT_BUFFER(x)          \
	struct fort_part c_##x; \
	bool part_##x = false;  \
	void *a_##x = FORT_BUF(x->base)

#define FORT_PART(x)                                                                     \
	do {                                                                             \
		if (__builtin_expect(fort_scattered(x), 0)) {                            \
			part_##x = true;                                                 \
			c_##x = (struct fort_part){a_##x, n_##x, t_##x, false, NULL, x}; \
			ret = fort_part_make(&c_##x);                                    \
			if (ret != MPI_SUCCESS)                                          \
				goto done;                                               \
			a_##x = c_##x.addr;                                              \
			n_##x = c_##x.count;                                             \
			t_##x = c_##x.type;                                              \
		}                                                                        \
	} while (0)

/* The whole of a section as a copy, because its elements are named by position. */
#define FORT_COPY(x)                                                                             \
	do {                                                                                     \
		if (__builtin_expect(fort_scattered(x), 0)) {                                    \
			part_##x = true;                                                         \
			c_##x = (struct fort_part){a_##x, 0, MPI_DATATYPE_NULL, false, NULL, x}; \
			ret = fort_copy_make(&c_##x);                                            \
			if (ret != MPI_SUCCESS)                                                  \
				goto done;                                                       \
			a_##x = c_##x.addr;                                                      \
		}                                                                                \
	} while (0)

/* After the call: results go back if `written'. */
#define FORT_PART_END(x, written)                       \
	do {                                            \
		if (__builtin_expect(part_##x, 0))      \
			fort_part_end(&c_##x, written); \
	} while (0)

/* After a nonblocking call: a copy stays with the request. */
#define FORT_PART_KEEP(x, written, request)                       \
	do {                                                      \
		if (__builtin_expect(part_##x, 0))                \
			fort_copy_keep(&c_##x, written, request); \
	} while (0)

/* Where ierror is has been passed on the stack by most callers.  It is read there after the call:
 * kept in a register, it would cost saving one.  (The statement says that it is in memory.) */
#define FORT_RETURN(x)                      \
	do {                                \
		__asm__("" : "+m"(ierror)); \
		if (ierror != NULL)         \
			*ierror = x;        \
	} while (0)

#endif
