// SPDX-License-Identifier: BSD-3-Clause
/* coll_names.c - the names of collective operations and constructors, as MPI calls them. */
#include "libmpi/coll/coll_shm.h"
#include <stdio.h>
#include <string.h>

static const char *const kind_names[COLL_KINDS] = {
	[COLL_BARRIER] = "MPI_Barrier",
	[COLL_BCAST] = "MPI_Bcast",
	[COLL_GATHER] = "MPI_Gather",
	[COLL_GATHERV] = "MPI_Gatherv",
	[COLL_SCATTER] = "MPI_Scatter",
	[COLL_SCATTERV] = "MPI_Scatterv",
	[COLL_ALLGATHER] = "MPI_Allgather",
	[COLL_ALLGATHERV] = "MPI_Allgatherv",
	[COLL_ALLTOALL] = "MPI_Alltoall",
	[COLL_ALLTOALLV] = "MPI_Alltoallv",
	[COLL_ALLTOALLW] = "MPI_Alltoallw",
	[COLL_REDUCE] = "MPI_Reduce",
	[COLL_ALLREDUCE] = "MPI_Allreduce",
	[COLL_REDUCE_SCATTER_BLOCK] = "MPI_Reduce_scatter_block",
	[COLL_REDUCE_SCATTER] = "MPI_Reduce_scatter",
	[COLL_SCAN] = "MPI_Scan",
	[COLL_EXSCAN] = "MPI_Exscan",
	[COLL_NEIGHBOR_ALLGATHER] = "MPI_Neighbor_allgather",
	[COLL_NEIGHBOR_ALLGATHERV] = "MPI_Neighbor_allgatherv",
	[COLL_NEIGHBOR_ALLTOALL] = "MPI_Neighbor_alltoall",
	[COLL_NEIGHBOR_ALLTOALLV] = "MPI_Neighbor_alltoallv",
	[COLL_NEIGHBOR_ALLTOALLW] = "MPI_Neighbor_alltoallw",
};

const char *coll_kind_name(enum coll_kind kind)
{
	return kind_names[kind];
}

static const char *const maker_names[COLL_MAKERS] = {
	[COLL_COMM_DUP] = "MPI_Comm_dup",
	[COLL_COMM_IDUP] = "MPI_Comm_idup",
	[COLL_COMM_CREATE] = "MPI_Comm_create",
	[COLL_COMM_SPLIT] = "MPI_Comm_split",
	[COLL_INTERCOMM_CREATE] = "MPI_Intercomm_create",
	[COLL_INTERCOMM_MERGE] = "MPI_Intercomm_merge",
	[COLL_COMM_ACCEPT] = "MPI_Comm_accept",
	[COLL_COMM_CONNECT] = "MPI_Comm_connect",
	[COLL_COMM_SPAWN] = "MPI_Comm_spawn",
	[COLL_COMM_SPAWN_MULTIPLE] = "MPI_Comm_spawn_multiple",
	[COLL_WIN_CREATE] = "MPI_Win_create",
	[COLL_WIN_ALLOCATE] = "MPI_Win_allocate",
	[COLL_WIN_ALLOCATE_SHARED] = "MPI_Win_allocate_shared",
	[COLL_WIN_CREATE_DYNAMIC] = "MPI_Win_create_dynamic",
	[COLL_FILE_OPEN] = "MPI_File_open",
	[COLL_FILE_CLOSE] = "MPI_File_close",
	[COLL_FILE_SYNC] = "MPI_File_sync",
	[COLL_FILE_SET_SIZE] = "MPI_File_set_size",
	[COLL_FILE_PREALLOCATE] = "MPI_File_preallocate",
	[COLL_FILE_SET_VIEW] = "MPI_File_set_view",
	[COLL_FILE_SET_INFO] = "MPI_File_set_info",
	[COLL_FILE_SET_ATOMICITY] = "MPI_File_set_atomicity",
	[COLL_FILE_SEEK_SHARED] = "MPI_File_seek_shared",
	[COLL_FILE_READ_AT_ALL] = "MPI_File_read_at_all",
	[COLL_FILE_WRITE_AT_ALL] = "MPI_File_write_at_all",
	[COLL_FILE_READ_ALL] = "MPI_File_read_all",
	[COLL_FILE_WRITE_ALL] = "MPI_File_write_all",
	[COLL_FILE_READ_ORDERED] = "MPI_File_read_ordered",
	[COLL_FILE_WRITE_ORDERED] = "MPI_File_write_ordered",
	[COLL_FILE_IREAD_AT_ALL] = "MPI_File_iread_at_all",
	[COLL_FILE_IWRITE_AT_ALL] = "MPI_File_iwrite_at_all",
	[COLL_FILE_IREAD_ALL] = "MPI_File_iread_all",
	[COLL_FILE_IWRITE_ALL] = "MPI_File_iwrite_all",
	[COLL_FILE_READ_AT_ALL_BEGIN] = "MPI_File_read_at_all_begin",
	[COLL_FILE_WRITE_AT_ALL_BEGIN] = "MPI_File_write_at_all_begin",
	[COLL_FILE_READ_ALL_BEGIN] = "MPI_File_read_all_begin",
	[COLL_FILE_WRITE_ALL_BEGIN] = "MPI_File_write_all_begin",
	[COLL_FILE_READ_ORDERED_BEGIN] = "MPI_File_read_ordered_begin",
	[COLL_FILE_WRITE_ORDERED_BEGIN] = "MPI_File_write_ordered_begin",
	[COLL_COMM_FREE] = "MPI_Comm_free",
	[COLL_COMM_DISCONNECT] = "MPI_Comm_disconnect",
	[COLL_FINALIZE] = "MPI_Finalize",
};

const char *coll_maker_name(enum coll_maker maker)
{
	return maker_names[maker];
}

uint32_t coll_digest_fold(uint32_t bytes)
{
	bytes ^= bytes >> DIGEST_BYTES_BITS ^ bytes >> 2 * DIGEST_BYTES_BITS;
	return bytes & ((1u << DIGEST_BYTES_BITS) - 1);
}

/* The MPI function that makes this blocking call on c; NULL: that of the same name. */
static const char *name_of_outer(const struct comm *c, uint32_t digest)
{
	uint32_t kind = digest >> DIGEST_KIND_AT;

	if (kind == COLL_BARRIER && coll_digest_bytes(digest) == COLL_BARRIER_LAST)
		return maker_names[COLL_FINALIZE];
	if (c->win != NULL && kind == COLL_BARRIER)
		return "MPI_Win_fence";
	if (c->win != NULL && kind == COLL_ALLREDUCE)
		return "MPI_Win_free";
	return NULL;
}

void coll_call_name(const struct comm *c, struct coll_call call, char *name, size_t n)
{
	uint32_t kind = call.digest >> DIGEST_KIND_AT, maker = coll_digest_bytes(call.digest);
	const char *blocking = kind < COLL_KINDS ? kind_names[kind] : "another collective call";
	const char *outer = name_of_outer(c->whole != NULL ? c->whole : c, call.digest);

	if (kind == DIGEST_MAKER && maker < COLL_MAKERS)
		snprintf(name, n, "%s", maker_names[maker]);
	else if (outer != NULL)
		snprintf(name, n, "%s", outer);
	else if (kind < COLL_KINDS && call.form == COLL_NONBLOCKING)
		snprintf(name, n, "MPI_I%c%s", blocking[strlen("MPI_")] | 0x20,
			blocking + strlen("MPI_B"));
	else
		snprintf(name, n, "%s%s", blocking, call.form == COLL_PERSISTENT ? "_init" : "");
}

/* Is it the first of the two calls of MPI_Finalize?  They are one for the user. */
static bool name_is_finalize(const struct coll_sent *sent)
{
	return sent->form == COLL_BLOCKING && sent->digest == coll_maker_digest(COLL_FINALIZE);
}

/* This member's last call before the one that it is in, of those that it has kept. */
static struct coll_call name_before(const struct coll *s)
{
	struct coll_call before = {.form = COLL_FORM_NONE};
	uint32_t calls = (uint32_t)s->comm->coll_seq, least = UINT32_MAX;

	for (uint32_t i = 0; i < COLL_OWN_KEPT; i++) {
		const struct coll_own *own = &s->own[i];
		const struct coll_sent *sent = &s->sent[i];
		uint32_t back = calls - own->number;

		if (i < s->nown && back > 0 && back < least) {
			least = back;
			before = (struct coll_call){COLL_BLOCKING, coll_line_digest(own->digest)};
		}
		back = calls - sent->number;
		if (sent->form != COLL_FORM_NONE && !name_is_finalize(sent) && back > 0 &&
			back < least) {
			least = back;
			before = (struct coll_call){sent->form, sent->digest};
		}
	}
	return before;
}

int coll_call_differ(const struct coll *s, struct coll_call mine, int i, struct coll_call theirs,
	char *words, size_t n)
{
	char who[32] = "another rank", name[COLL_NAME_MAX], other[COLL_NAME_MAX], was[64] = "";
	struct coll_call before;
	uint32_t kind = mine.digest >> DIGEST_KIND_AT, differ = mine.digest ^ theirs.digest;

	if (i < s->n)
		snprintf(who, sizeof(who), "rank %d", i);
	coll_call_name(s->comm, mine, name, sizeof(name));
	coll_call_name(s->comm, theirs, other, sizeof(other));
	if (theirs.digest >> DIGEST_KIND_AT > DIGEST_MAKER) {
		snprintf(words, n, "%s is not in %s as rank %d is", who, name, s->me);
		return MPI_ERR_OTHER;
	}
	if (strcmp(name, other) != 0) {
		snprintf(words, n, "%s calls %s, rank %d %s", who, other, s->me, name);
		return MPI_ERR_OTHER;
	}
	if (differ >> DIGEST_BYTES_BITS == 0 && kind != DIGEST_MAKER) {
		snprintf(words, n, "%s gives another number of bytes to %s than rank %d", who, name,
			s->me);
		return MPI_ERR_COUNT;
	}
	if (coll_kind_rooted(kind)) {
		snprintf(words, n, "%s gives another root to %s, or to a call before, than rank %d",
			who, name, s->me);
		return MPI_ERR_ROOT;
	}
	before = name_before(s);
	if (before.form != COLL_FORM_NONE) {
		coll_call_name(s->comm, before, other, sizeof(other));
		snprintf(was, sizeof(was), ": rank %d's was %s", s->me, other);
	}
	snprintf(words, n,
		"%s made another call than rank %d before this %s, or gave another root or number "
		"of bytes to it%s",
		who, s->me, name, was);
	return MPI_ERR_OTHER;
}
