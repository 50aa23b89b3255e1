// SPDX-License-Identifier: BSD-3-Clause
/* file_object.h - struct file: every engine's view of an open file. */
#ifndef HAFT_CORE_FILE_OBJECT_H
#define HAFT_CORE_FILE_OBJECT_H

#include "libobj/obj.h"

struct comm;

struct file {
	struct obj o;
	void *io;
	struct comm *comm; /* not held: the file's own; NULL: the file is closed */
	const char *path;  /* not owned: its path, that which it gets at close; likewise */
};

#endif
