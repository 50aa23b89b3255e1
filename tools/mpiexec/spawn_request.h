// SPDX-License-Identifier: BSD-3-Clause
/* spawn_request.h - the text of mcmd=spawn as a list of programs.
 *
 *   mcmd=spawn               one part a program; spawnssofar counts them up to totspawns
 *   nprocs=4
 *   execname=./worker
 *   arg1=-v                  argcnt of them
 *   info_key_0=wdir          info_num of them
 *   info_val_0=/tmp
 *   preput_key_0=K           of the last part, preput_num of them: for the kvs of the new world
 *   preput_val_0=V
 *   haft_escaped=1           ours: bytes of values are written as %XX where need be
 *   endcmd */
#ifndef HAFT_TOOLS_MPIEXEC_SPAWN_REQUEST_H
#define HAFT_TOOLS_MPIEXEC_SPAWN_REQUEST_H

#include "tools/mpiexec/worlds.h"

struct spawn_part {
	int nprocs;
	char *name;          /* NULL: the request is bad */
	char **arg;          /* ends with NULL */
	struct preput *info; /* keys and values */
	int ninfos;
};

struct spawn_request {
	struct spawn_part *part;
	int nparts;
	int total; /* processes */
	struct preput *preput;
	int npreputs;
};

/* Reads a request; `text' is changed.  Returns NULL, or constant words.  spawn_request_free in both
 * cases. */
const char *spawn_request_read(struct spawn_request *q, char *text);
void spawn_request_free(struct spawn_request *q);

/* The value of a key of one part; NULL: it is not there. */
const char *spawn_info(const struct spawn_part *p, const char *key);

#endif
