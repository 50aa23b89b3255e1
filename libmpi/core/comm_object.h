// SPDX-License-Identifier: BSD-3-Clause
/* comm_object.h - struct comm: a context id and the group, or the two groups, that use it.
 *
 *     struct comm
 *       │ group  ──> struct group    rank <-> peer; remote: the other group, between groups
 *       │ ctx        64-bit context id, a multiple of CTX_PLANES, never used again
 *       └ coll       the collective engine's own
 *
 * Invariant: messages carry `ctx | plane', so messages of different planes cannot meet. */
#ifndef HAFT_CORE_COMM_OBJECT_H
#define HAFT_CORE_COMM_OBJECT_H

#include "libmpi/core/group_object.h"
#include "libobj/obj.h"
#include <stdbool.h>
#include <stdint.h>

/* The purpose of a message: the low bits of its context id. */
enum ctx_plane {
	CTX_P2P,   /* the user's */
	CTX_COLL,  /* collective calls: tag is the number of the call */
	CTX_GROUP, /* MPI_Comm_create_group: tag is the user's */
	CTX_INTER, /* leaders in MPI_Intercomm_create: tag is the user's */
	CTX_MAKE,  /* all other constructors, in the order in which they are called */
	CTX_PART,  /* partitioned messages */
	CTX_PLANES = 8
};

/* Assertions of MPI-5.0 7.4.4 that are set to true. */
enum comm_hint {
	HINT_NO_ANY_TAG = 1,
	HINT_NO_ANY_SOURCE = 2,
	HINT_EXACT_LENGTH = 4,
	HINT_OVERTAKING = 8,
	HINT_STRICT_START = 16,
	COMM_METERED = 32, /* no assertion: its messages are counted (core/traffic.h) */
	COMM_COLLECTIVE =
		64,        /* no assertion: all of its messages are of collective calls: a file's */
	COMM_REVOKED = 128 /* no assertion: MPIX_Comm_revoke (libmpi/ft), or `incomplete' */
};

struct comm_traffic;
struct coll; /* libmpi/coll: the collective engine's state of one communicator */
struct topo; /* core/topo.h */

struct comm {
	struct obj o;
	uint64_t ctx; /* a multiple of CTX_PLANES; see above */
	int rank;
	int size;              /* of the local group */
	int reach;             /* so many ranks may be named: of comm_peers; 0: it is revoked */
	uint32_t coll_history; /* of its collective calls, in all members: coll_history_add */
	struct group *group;   /* held */
	struct group *remote;  /* held; NULL: an intra-communicator */
	struct coll *coll;     /* made by the first collective call, freed by its destroy hook */
	uint64_t coll_seq;     /* collective calls started on it; equal in all members */
	struct buffer *buffer; /* of its buffered sends: p2p/buffered_send.c; NULL: none attached */
	uint64_t ids, ids_end; /* context ids for its dups: comm/context_id.h */
	struct topo *topo;     /* held; NULL: no topology.  Dups share it */
	struct comm *local;    /* held; of an inter-communicator, made at need: comm_local */
	const struct comm *whole; /* not held: of the members of one host: coll_hier; else NULL */
	bool low;        /* inter-communicator: of its two groups this is the one that goes first */
	struct win *win; /* not held: whose own it is; its handler gets the errors.  Or NULL */
	struct session *session; /* held: its group comes from there; NULL: from MPI_COMM_WORLD */
	uint8_t hints;           /* enum comm_hint: assertions that are true */
	bool incomplete;         /* the request that makes it is not complete, or has failed */
	bool told;               /* mpiexec counts it as a connection of jobs: dyn/connected.c */
	int32_t spawned;     /* likewise, as a spawn: its id (boot_spawn_disconnected); 0: none */
	char *kinds;         /* malloc'ed: mpi_assert_memory_alloc_kinds, or NULL: not set */
	char *differs;       /* malloc'ed: how its members' collective calls differ: the error class
				    in the first byte, then words; or NULL */
	int freed;           /* incomplete operations whose requests the user has freed: p2p */
	uint32_t acked;      /* of the failed processes, in the order of p2p_failed_at: so many are
				    acknowledged on this communicator */
	uint32_t agreements; /* started on it: libmpi/ft */
	uint32_t settles;    /* likewise, of spawns */
	struct comm_traffic *traffic; /* counts of its messages: core/traffic.h; NULL: none */
};

extern struct comm haft_world, haft_self; /* MPI_COMM_WORLD, MPI_COMM_SELF */

/* Functions of higher folders for communicators.  NULL: none; `differ' is always set, and a folder
 * that has given a communicator a state has set the function that ends it. */
extern struct haft_comm_hooks {
	/* dyn: it is made; it connects jobs no longer: within MPI_Comm_disconnect, and before it is
	 * destroyed if it is told or spawned */
	void (*made)(struct comm *c);
	void (*end)(struct comm *c);
	/* ft: it gets its ids, and may have been revoked before */
	void (*ids)(struct comm *c);
	/* coll, p2p: the last reference to it is dropped, and it has a coll or a buffer; its groups
	 * are still there */
	void (*destroy)(struct comm *c);
	void (*buffer_destroy)(struct comm *c);
	/* ft: the collective calls of its members differ, as these words say: all members get
	 * errors from it from now on, of this class and with these words */
	void (*differ)(struct comm *c, int class, const char *words);
} haft_comm_hooks;

/* For words: the name of a communicator.  Without one: that of a window of so many processes, if it
 * is a window's own, or else `without'.  In buf (MPI_MAX_OBJECT_NAME bytes), which is returned. */
const char *haft_comm_words(const struct comm *c, const char *without, char *buf);

/* The error of such a communicator.  c->differs is not NULL. */
int haft_comm_differ_error(const struct comm *c);

/* The group that ranks in messages are ranks of: the remote one of an inter-communicator. */
static inline const struct group *comm_peers(const struct comm *c)
{
	return c->remote != NULL ? c->remote : c->group;
}

#endif
