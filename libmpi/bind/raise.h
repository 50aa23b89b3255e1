// SPDX-License-Identifier: BSD-3-Clause
/* raise.h - how an error reaches the user: through the error handler, and only through here.
 *
 *      MPI_Send: rank 1 of MPI_COMM_WORLD: MPI_ERR_RANK: dest 7 is not one of its ranks 0..3
 *      function  rank                      class         words of haft_err
 *
 * Which handler (MPI-5.0 9.3): that of the communicator, window, file or session at hand, or
 * MPI_COMM_SELF's if there is none; before MPI_Init and after MPI_Finalize the initial one. */
#ifndef HAFT_BIND_RAISE_H
#define HAFT_BIND_RAISE_H

/* Calls the error handler of `self' (struct comm, win, file, session; or NULL) for error class
 * `err', whose words haft_err has, in function `fn' (enum haft_fn).  Returns err, or the code
 * to which the user's function has changed it; or does not return.  The words stay for
 * MPI_Error_string.  Called with the library's lock if calls take it: then it is given up while the
 * user's function runs. */
__attribute__((cold, noinline)) int bind_raise(int err, void *self, int fn);

#endif
