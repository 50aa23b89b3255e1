// SPDX-License-Identifier: BSD-3-Clause
/* objects.h - the domain and the classes of MPI's objects.
 *
 *        the user's handle        bind/                     engines
 *     MPI_Comm 0x5a01..     ──> obj_get(class, handle) ──> struct comm *    begins with struct obj
 *
 *     comm_object.h, group_object.h ... one header an object: every engine's view of it
 *
 * Invariants
 *  - An object is reached by its handle (bind/ looks it up), or by a pointer under a reference
 *    (obj_hold).  A request holds its communicator and its datatype from start to completion.
 *  - Permanent objects (MPI_COMM_WORLD, MPI_INT, MPI_SUM ...) sit on the ABI's numbers: the number
 *    is the handle and the Fortran INTEGER. */
#ifndef HAFT_CORE_OBJECTS_H
#define HAFT_CORE_OBJECTS_H

#include "libobj/base.h"
#include "libobj/obj.h"

extern struct obj_domain *haft_domain;
extern HAFT_INSIDE struct obj_class haft_comm_class, haft_group_class, haft_type_class,
	haft_op_class, haft_req_class, haft_errh_class, haft_info_class, haft_msg_class,
	haft_win_class, haft_file_class, haft_session_class;

/* haft_objects_open opens the classes above and registers the permanent objects that core owns; the
 * second call and later ones do nothing.  Works before MPI_Init and after MPI_Finalize.  0 or
 * MPI_ERR_NO_MEM.  Thread-safe. */
int haft_objects_open(void);

/* Are the tables of all objects whole?  With MPI_THREAD_MULTIPLE other threads may change objects
 * while one ends MPI, so then this is true. */
bool haft_objects_valid(void);

#endif
