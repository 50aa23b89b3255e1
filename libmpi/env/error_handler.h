// SPDX-License-Identifier: BSD-3-Clause
/* error_handler.h - which error handler an object has (MPI-5.0 9.3). */
#ifndef HAFT_ENV_ERROR_HANDLER_H
#define HAFT_ENV_ERROR_HANDLER_H

#include "libmpi/core/comm_object.h"
#include "libmpi/core/errh_object.h"

/* The handler of a communicator, window, file or session, with a reference that the caller drops;
 * object NULL: the default of files.  Without a handler a file has MPI_ERRORS_RETURN (14.7) or what
 * HAFT_ERRHANDLER says, and everything else MPI_ERRORS_ARE_FATAL (12.6).  Never NULL. */
struct errh *errh_of(const void *object);

/* 0: e may be attached to objects of this kind (ERRH_COMM ... ERRH_SESSION); else
 * MPI_ERR_ERRHANDLER with words. */
int errh_fits_kind(const struct errh *e, int kind);

/* The initial error handler (11.2.1), a predefined one: set by `mpiexec -initial-errhandler'.  It
 * counts where MPI_COMM_SELF does not exist.  May be called at any time. */
struct errh *errh_initial(void);

/* The communicator on which errors without an object are raised: MPI_COMM_SELF (9.3).  If the
 * program has set the handler of MPI_COMM_WORLD only, then MPI_COMM_WORLD, as before MPI 4.0. */
struct comm *errh_default_comm(void);

/* Gives MPI_COMM_WORLD and MPI_COMM_SELF the initial error handler.  0 or MPI_ERR_NO_MEM. */
int errh_open(void);

#endif
