// SPDX-License-Identifier: BSD-3-Clause
/*
 * file.h - shared by the rows of files: an open file, and a measurement beside bare system calls.
 *
 *	file.c		accesses: one piece, collective ones, short pieces
 *	file_life.c	views, the shared pointer, opening, space, seeking; computation
 *
 * The file is in TMPDIR, or in /dev/shm.  It is written over in each operation.  A row with a bare
 * operation prints NAME.x: the time of bare system calls that do as much, through the library's; 1
 * is their speed.  Both take turns in one job, twice.
 */
#ifndef BENCH_FILE_H
#define BENCH_FILE_H

#include "tests/bench/bench.h"

#include <mpi.h>

struct file {
	MPI_File f;
	int fd; /* of the same file, for bare system calls */
	char *buf, *stage;
	MPI_Datatype filetype, memory;
	int count;    /* of memory */
	size_t bytes; /* of one access of this rank */
	size_t part;  /* of the file or the memory, for bare system calls */
	size_t parts, stride, first;
	long *pointer; /* shared by all ranks: a bare shared pointer */
	int method;    /* 'r', 'w'; 's' shared, 'o' ordered */
};

extern const struct bench_unit file_us, file_ms;

/* The name of the file; collective. */
const char *file_name(void);

/* Opens the file, with `bytes' of memory; and closes and deletes it. */
void file_open(const struct bench *b, struct file *x, size_t bytes);
void file_close(struct file *x);

/* Measures op, and beside it bare, if that is not NULL. */
void file_beside(struct bench *b, const struct bench_row *row, const struct bench_unit *unit,
	bench_op *op, bench_op *bare, struct file *x);

#endif
