// SPDX-License-Identifier: BSD-3-Clause
/* errh_object.h - struct errh: an error handler, predefined or the user's. */
#ifndef HAFT_CORE_ERRH_OBJECT_H
#define HAFT_CORE_ERRH_OBJECT_H

#include "libobj/obj.h"

enum errh_kind {
	ERRH_FATAL,
	ERRH_ABORT,
	ERRH_RETURN,
	ERRH_COMM,
	ERRH_WIN,
	ERRH_FILE,
	ERRH_SESSION
};

struct errh {
	struct obj o;
	int kind; /* enum errh_kind: the three predefined ones, or for which objects fn was made */
	int lang; /* enum obj_lang of fn: C or Fortran INTEGER */
	void (*fn)(void);
};

extern struct errh haft_errh_fatal, haft_errh_abort, haft_errh_return;

#endif
