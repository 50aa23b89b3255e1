// SPDX-License-Identifier: BSD-3-Clause
/* interlanguage_c.c - C's side of interlanguage.f90: rank 1 receives, and answers. */
#include <mpi.h>

int c_answer(MPI_Fint comm, MPI_Fint rows, MPI_Fint prec);
int c_constants(MPI_Fint any_source, MPI_Fint any_tag, MPI_Fint undefined, MPI_Fint max_name);

/* The vector of Fortran arrives as three ints, and through Fortran's own type with its gaps. */
int c_answer(MPI_Fint comm, MPI_Fint rows, MPI_Fint prec)
{
	MPI_Comm c = MPI_Comm_f2c(comm);
	int a[3] = {0}, size;
	double d[3] = {0};

	MPI_Type_size(MPI_Type_f2c(rows), &size);
	MPI_Recv(a, 3, MPI_INT, 0, 1, c, MPI_STATUS_IGNORE);
	MPI_Recv(d, 3, MPI_Type_f2c(prec), 0, 2, c, MPI_STATUS_IGNORE);
	for (int i = 0; i < 3; i++)
		a[i] = -a[i];
	MPI_Send(a, 3, MPI_INT, 0, 3, c);
	return !(size == 3 * (int)sizeof(int) && a[0] == -1 && a[1] == -3 && a[2] == -5 &&
		 d[0] == 0.5 && d[1] == 1.5 && d[2] == 2.5);
}

/* 19.3.9: constants have one value in both languages; lengths of strings are one less in
 * Fortran. */
int c_constants(MPI_Fint any_source, MPI_Fint any_tag, MPI_Fint undefined, MPI_Fint max_name)
{
	return !(any_source == MPI_ANY_SOURCE && any_tag == MPI_ANY_TAG &&
		 undefined == MPI_UNDEFINED && max_name == MPI_MAX_OBJECT_NAME - 1);
}
