// SPDX-License-Identifier: BSD-3-Clause
/* error_handler.h - which error handler an object has (MPI-5.0 9.3). */
#ifndef HAFT_ENV_ERROR_HANDLER_H
#define HAFT_ENV_ERROR_HANDLER_H

#include "libmpi/core/comm_object.h"
#include "libmpi/core/errh_object.h"

/* The handler of a communicator, window, file or session, with a reference that the caller drops;
 * NULL: the default of files.  A window without one has MPI_ERRORS_ARE_FATAL (12.6), a file
 * MPI_ERRORS_RETURN (14.7).  Never NULL. */
struct errh *errh_of(const void *object);

/* Whether e may hang on objects of this kind (ERRH_COMM ... ERRH_SESSION): 0, or
 * MPI_ERR_ERRHANDLER with words. */
int errh_fits_kind(const struct errh *e, int kind);

/* The initial error handler (11.2.1), a predefined one: what `mpiexec -initial-errhandler' said. It
 * is asked where MPI_COMM_SELF is not there.  Any time. */
struct errh *errh_initial(void);

/* The communicator that errors without an object are raised on: MPI_COMM_SELF (9.3); but
 * MPI_COMM_WORLD, as it was before MPI 4.0, while the program has set that one's handler alone. */
struct comm *errh_default_comm(void);

/* Gives MPI_COMM_WORLD and MPI_COMM_SELF the initial error handler.  0 or MPI_ERR_NO_MEM. */
int errh_open(void);

#endif
