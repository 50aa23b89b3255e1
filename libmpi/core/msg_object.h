// SPDX-License-Identifier: BSD-3-Clause
/* msg_object.h - struct msg: the handle of a message that a matched probe took. */
#ifndef HAFT_CORE_MSG_OBJECT_H
#define HAFT_CORE_MSG_OBJECT_H

#include "libobj/obj.h"

struct comm;

struct msg {
	struct obj o;
	void *unexpected;  /* p2p's */
	struct comm *comm; /* held */
};

#endif
