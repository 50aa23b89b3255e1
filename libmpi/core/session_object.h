// SPDX-License-Identifier: BSD-3-Clause
/* session_object.h - struct session: a session, its thread level and its memory kinds. */
#ifndef HAFT_CORE_SESSION_OBJECT_H
#define HAFT_CORE_SESSION_OBJECT_H

#include "libobj/obj.h"

struct buffer;

struct session {
	struct obj o;
	int thread_level;      /* MPI_THREAD_SINGLE .. */
	char *kinds;           /* malloc'ed: kinds of memory that were asked for, or NULL */
	struct buffer *buffer; /* of its communicators' buffered sends; NULL: none attached */
};

#endif
