// SPDX-License-Identifier: BSD-3-Clause
/* sentinel.c - what exists once: the common blocks, and the facts about Fortran's types.
 *
 *     mpif.h, modules:  COMMON /MPI_FORT_ADDR/ MPI_BOTTOM, MPI_IN_PLACE, ...
 *     here:             mpi_fort_addr_               whose addresses mean those constants
 *     libmpi_abi:       MPI_F_STATUS_IGNORE          pointed at ours when this library is loaded
 *
 * A program that names the block brings one of its own; the loader makes them one. */
#include "libmpi/fort/glue.h"

#include <stdlib.h>

/* Compilers align common blocks as they like; 64 is more than any of them wants. */
#define ALIGNED __attribute__((aligned(64)))
ALIGNED struct fort_addr mpi_fort_addr_;
ALIGNED struct fort_text mpi_fort_text_ = {" ", " "};

void *fort_named(const void *p)
{
	const struct fort_addr *a = &mpi_fort_addr_;
	const struct {
		const void *fortran;
		void *c;
	} names[] = {{&a->bottom, MPI_BOTTOM}, {&a->in_place, MPI_IN_PLACE},
		{&a->buffer_automatic, MPI_BUFFER_AUTOMATIC},
		{a->errcodes_ignore, MPI_ERRCODES_IGNORE}, {a->unweighted, MPI_UNWEIGHTED},
		{a->weights_empty, MPI_WEIGHTS_EMPTY}, {a->status_ignore, MPI_STATUS_IGNORE},
		{a->statuses_ignore, MPI_STATUSES_IGNORE}};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].fortran == p)
			return names[i].c;
	return (void *)(uintptr_t)p;
}

/* Default INTEGERs of another size are refused when a program is compiled (mpif.h, mpifort), so the
 * sizes are known here.  A caller that has set them before wins. */
static void fortran_facts_tell(void)
{
	static const char *const facts[][2] = {{"mpi_logical_size", "4"}, {"mpi_integer_size", "4"},
		{"mpi_real_size", "4"}, {"mpi_double_precision_size", "8"}};
	MPI_Fint yes = 1, no = 0;
	MPI_Info info;
	int set;

	if (FORT_OWN(MPI_Abi_get_fortran_booleans, (int)sizeof(yes), &yes, &no, &set) ==
			MPI_SUCCESS &&
		!set)
		FORT_OWN(MPI_Abi_set_fortran_booleans, (int)sizeof(yes), &yes, &no);
	if (FORT_OWN(MPI_Abi_get_fortran_info, &info) != MPI_SUCCESS)
		return;
	if (info == MPI_INFO_NULL && FORT_OWN(MPI_Info_create, &info) == MPI_SUCCESS) {
		for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
			FORT_OWN(MPI_Info_set, info, facts[i][0], facts[i][1]);
		FORT_OWN(MPI_Abi_set_fortran_info, info);
	}
	FORT_OWN(MPI_Info_free, &info);
}

__attribute__((constructor)) static void sentinel_open(void)
{
	MPI_F_STATUS_IGNORE = mpi_fort_addr_.status_ignore;
	MPI_F_STATUSES_IGNORE = mpi_fort_addr_.statuses_ignore;
	MPI_F08_STATUS_IGNORE = (MPI_F08_status *)mpi_fort_addr_.status_ignore;
	MPI_F08_STATUSES_IGNORE = (MPI_F08_status *)mpi_fort_addr_.statuses_ignore;
	fortran_facts_tell();
}

/* --- == and /= of mpi_f08's handles --------------------------------------------------------- */

#define CLASS(id, ctype, label, object, null, error, words)                              \
	FORT_API MPI_Fint mpi_fort_##object##_eq_(const MPI_Fint *a, const MPI_Fint *b); \
	FORT_API MPI_Fint mpi_fort_##object##_ne_(const MPI_Fint *a, const MPI_Fint *b); \
                                                                                         \
	MPI_Fint mpi_fort_##object##_eq_(const MPI_Fint *a, const MPI_Fint *b)           \
	{                                                                                \
		return *a == *b;                                                         \
	}                                                                                \
                                                                                         \
	MPI_Fint mpi_fort_##object##_ne_(const MPI_Fint *a, const MPI_Fint *b)           \
	{                                                                                \
		return *a != *b;                                                         \
	}
#include "libmpi/api/classes.def"
#undef CLASS

/* --- rooms ---------------------------------------------------------------------------------- */

void *fort_room(void *scratch, int64_t fit, size_t size, int64_t n)
{
	return n <= fit ? scratch : malloc((size_t)n * size);
}

void fort_room_end(void *scratch, void *room)
{
	if (room != scratch)
		free(room);
}

int fort_raise(int err)
{
	FORT_OWN(MPI_Comm_call_errhandler, MPI_COMM_SELF, err);
	return err;
}

int fort_no_memory(void)
{
	return fort_raise(MPI_ERR_NO_MEM);
}

/* --- lengths of arrays of datatypes --------------------------------------------------------- */

static bool in_place(const void *buf)
{
	return buf == &mpi_fort_addr_.in_place;
}

int fort_ranks(const void *buf, MPI_Fint comm)
{
	MPI_Comm c = fort_comm(comm);
	int inter = 0, n = 0;

	if (in_place(buf) || FORT_OWN(MPI_Comm_test_inter, c, &inter) != MPI_SUCCESS)
		return 0;
	if (inter ? FORT_OWN(MPI_Comm_remote_size, c, &n) : FORT_OWN(MPI_Comm_size, c, &n))
		return 0;
	return n;
}

/* Neighbors in and out; 0 if there is no topology, which the call itself will say. */
static int sentinel_neighbors(MPI_Fint comm, bool in)
{
	MPI_Comm c = fort_comm(comm);
	int kind = MPI_UNDEFINED, n = 0, out = 0, weighted, me;

	if (FORT_OWN(MPI_Topo_test, c, &kind) != MPI_SUCCESS)
		return 0;
	if (kind == MPI_CART)
		return FORT_OWN(MPI_Cartdim_get, c, &n) == MPI_SUCCESS ? 2 * n : 0;
	if (kind == MPI_GRAPH) {
		if (FORT_OWN(MPI_Comm_rank, c, &me) != MPI_SUCCESS)
			return 0;
		return FORT_OWN(MPI_Graph_neighbors_count, c, me, &n) == MPI_SUCCESS ? n : 0;
	}
	if (kind != MPI_DIST_GRAPH ||
		FORT_OWN(MPI_Dist_graph_neighbors_count, c, &n, &out, &weighted) != MPI_SUCCESS)
		return 0;
	return in ? n : out;
}

int fort_to(const void *buf, MPI_Fint comm)
{
	(void)buf;
	return sentinel_neighbors(comm, false);
}

int fort_from(const void *buf, MPI_Fint comm)
{
	(void)buf;
	return sentinel_neighbors(comm, true);
}
