// SPDX-License-Identifier: BSD-3-Clause
/* info_object.h - struct info: keys and values in the order of setting. */
#ifndef HAFT_CORE_INFO_OBJECT_H
#define HAFT_CORE_INFO_OBJECT_H

#include "libobj/obj.h"

/* A key and its value, malloc'ed both. */
struct info_pair {
	struct info_pair *next;
	char *value;
	char key[];
};

struct info {
	struct obj o;
	struct info_pair *pairs; /* in order of setting; owned */
};

#endif
