// SPDX-License-Identifier: BSD-3-Clause
/* open.c - MPI_File_open (MPI-5.0 14.2.1).
 *
 *   all       arguments, memory: the first error of any member                    agreement
 *   all       offers: amode, hints, shared memory; rank 0: context ids            allgather
 *   rank 0    opens, creates
 *   all       what rank 0 has opened: device, inode, size; or its error           bcast
 *   others    open the existing file, and compare
 *   all       the first error of any member                                       agreement
 *
 * MPI_MODE_EXCL counts once, for rank 0.  After an error no member has the file open, and a file
 * that this call has created is deleted. */
#include "libmpi/boot/waitrec.h"
#include "libmpi/coll/reduce_op.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/comm/context_id.h"
#include "libmpi/core/err.h"
#include "libmpi/core/event.h"
#include "libmpi/core/clock.h"
#include "libmpi/core/valid.h"
#include "libmpi/env/error_handler.h"
#include "libmpi/io/agree.h"
#include "libmpi/io/check.h"
#include "libmpi/io/collective.h"
#include "libmpi/io/commit.h"
#include "libmpi/io/disk.h"
#include "libmpi/io/file.h"
#include "libmpi/io/sieve_lock.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/hosts.h"
#include "libmpi/io/io_valid.h"
#include "libmpi/io/pointer.h"
#include "libmpi/io/shared.h"
#include "libmpi/io/view.h"
#include "libmpi/type/type.h"
#include "libmpi/via/shared_mem.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A member's message to the others before anything is opened. */
struct open_offer {
	uint64_t ctx, end;             /* rank 0: context ids for the file's communicator */
	struct io_temporary temporary; /* rank 0: for the name of a temporary file */
	uint64_t shared;         /* offset of the block of its host, if this member has made it */
	uint64_t same[IO_HINTS]; /* hints that must be equal */
	int32_t amode;
	int32_t lowest;  /* the lowest rank on its host */
	int32_t ignored; /* does it ignore hints? */
	int32_t pad;
};

#define OPEN_NAME 100 /* bytes of a path in words: the end, which says most */

/* Rank 0's message: the file that it has opened, or its error. */
struct open_first {
	int32_t class;
	int32_t commit; /* it has opened a temporary file: commit.h */
	struct io_identity id;
	struct io_pointer_name pointer;
	char words[HAFT_ERR_TEXT_MAX]; /* of the error; without one: the end of the path */
};

struct open_making {
	struct comm *comm; /* the user's */
	const struct info *info;
	struct io_file *f;
	struct open_offer mine, *all;
	char *ignored; /* malloc'ed: check.h */
	struct io_identity id;
};

/* --- amode and name ------------------------------------------------------------------------- */

static int open_check_amode(int amode)
{
	const int all = MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY | MPI_MODE_CREATE |
			MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN |
			MPI_MODE_SEQUENTIAL | MPI_MODE_APPEND;
	int direction = amode & (MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY);

	if ((amode & ~all) != 0)
		return haft_err(MPI_ERR_AMODE, "amode %d has bits that mean nothing: 0x%x", amode,
			(unsigned)(amode & ~all));
	if (direction != MPI_MODE_RDONLY && direction != MPI_MODE_RDWR &&
		direction != MPI_MODE_WRONLY)
		return haft_err(MPI_ERR_AMODE,
			"amode %d must have exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and "
			"MPI_MODE_WRONLY",
			amode);
	if (direction == MPI_MODE_RDONLY && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)) != 0)
		return haft_err(MPI_ERR_AMODE,
			"MPI_MODE_RDONLY does not go with MPI_MODE_CREATE and MPI_MODE_EXCL");
	if (direction == MPI_MODE_RDWR && (amode & MPI_MODE_SEQUENTIAL) != 0)
		return haft_err(
			MPI_ERR_AMODE, "MPI_MODE_SEQUENTIAL does not go with MPI_MODE_RDWR");
	return 0;
}

/* --- this member's part --------------------------------------------------------------------- */

/* The lowest rank on this host; *members: how many there are. */
static int open_lowest(const struct comm *c, int *members)
{
	int lowest = -1;

	*members = 0;
	for (int i = 0; i < c->size; i++) {
		if (!via_is_local(group_peer(c->group, i)))
			continue;
		if (lowest < 0)
			lowest = i;
		++*members;
	}
	return lowest;
}

/* Allocates the block of this host's members, if this is the lowest of them. */
static int open_share(struct open_making *m)
{
	struct io_file *f = m->f;
	int members, lowest = open_lowest(m->comm, &members);
	int64_t bytes = (int64_t)sizeof(*f->shared), listed;
	void *p = NULL;
	int err;

	f->one_host = members == m->comm->size;
	m->mine.lowest = lowest;
	listed = f->one_host || f->sequential ? f->size : 0;
	bytes += listed * (int64_t)sizeof(f->shared->member[0]);
	if (lowest != m->comm->rank)
		return 0;
	err = via_mem_new(bytes, CACHE_LINE, &p);
	if (err != 0)
		return err;
	f->shared = p;
	f->shared_owner = true;
	memset(p, 0, (size_t)bytes);
	f->shared->members = members;
	f->shared->listed = listed;
	m->mine.shared = via_mem_off(p, bytes);
	if (members > 1 && m->mine.shared == 0)
		return haft_err(MPI_ERR_NO_MEM,
			"no shared memory for %d ranks of a host that open %s", members, f->path);
	return 0;
}

/* Makes all that this member needs, before the others are told. */
static int open_begin(struct open_making *m, const char *name, int amode)
{
	struct io_file *f = calloc(1, sizeof(*f));
	int err;

	m->f = f;
	m->all = malloc((size_t)m->comm->size * sizeof(*m->all));
	if (f != NULL)
		f->fd = -1;
	if (f == NULL || m->all == NULL)
		return haft_err(
			MPI_ERR_NO_MEM, "no memory to open a file by %d processes", m->comm->size);
	f->amode = amode;
	f->rank = m->comm->rank;
	f->size = m->comm->size;
	f->alone = f->size == 1;
	f->sequential = (amode & MPI_MODE_SEQUENTIAL) != 0;
	err = open_check_amode(amode);
	if (err == 0)
		err = io_hints_new(m->info, &f->hints);
	if (err == 0)
		err = io_aggregate_new(f);
	if (err == 0)
		err = io_file_path(f, name);
	if (err == 0)
		err = open_share(m);
	if (err != 0)
		return err;
	m->mine.amode = amode;
	io_hints_same(m->info, m->mine.same);
	io_check_open(f);
	m->ignored = io_check_hints(f, m->info, false);
	m->mine.ignored = m->ignored != NULL;
	if (f->rank == 0) {
		struct comm_ids ids = comm_ctx_mint(CTX_FEW);

		m->mine.ctx = ids.ctx;
		m->mine.end = ids.end;
		m->mine.temporary = io_commit_mine(ids.ctx ^ clock_now_ns() << 8);
	}
	return 0;
}

/* --- the exchange, and its results ---------------------------------------------------------- */

static int open_hint_differs(
	enum io_hint hint, const struct open_offer *first, int rank, const struct open_offer *other)
{
	char zero[32], value[32];

	io_hint_same_value(hint, first->same[hint], zero, sizeof(zero));
	io_hint_same_value(hint, other->same[hint], value, sizeof(value));
	return haft_err(MPI_ERR_NOT_SAME, "the hint %s is %s on rank 0 and %s on rank %d",
		io_hint_key(hint), zero, value, rank);
}

/* Compares the offers: amode and hints must be equal. */
static int open_compare(const struct open_making *m)
{
	const struct open_offer *first = &m->all[0];

	for (int i = 1; i < m->comm->size; i++) {
		const struct open_offer *o = &m->all[i];

		if (o->amode != first->amode)
			return haft_err(MPI_ERR_NOT_SAME, "amode is %d on rank 0 and %d on rank %d",
				first->amode, o->amode, i);
		for (int h = 0; h < IO_HINTS; h++)
			if (o->same[h] != first->same[h])
				return open_hint_differs((enum io_hint)h, first, i, o);
	}
	return 0;
}

static int open_exchange(struct open_making *m)
{
	struct type *byte = type_predefined(MPI_BYTE);
	int err = coll_allgather(
		&m->mine, sizeof(m->mine), byte, m->all, sizeof(m->mine), byte, m->comm);

	return err != 0 ? err : open_compare(m);
}

static int open_lowest_of(const void *offers, int rank)
{
	return ((const struct open_offer *)offers)[rank].lowest;
}

/* Wait reports name the file, or the end of a long path. */
static void open_name(const struct io_file *f)
{
	const char *end = io_path_end(f->path, BOOT_WAIT_NAME);

	obj_name_set(f->comm, end, strlen(end), OBJ_C);
}

/* The parts that need the offers of the others. */
static int open_join(struct open_making *m)
{
	struct comm_spec how = {
		.parent = m->comm, .group = m->comm->group, .ids = {m->all[0].ctx, m->all[0].end}};
	struct io_file *f = m->f;
	int members, err = comm_make_internal(&how, &f->comm);

	if (err == 0) {
		f->comm->hints |= COMM_COLLECTIVE;
		open_name(f);
	}
	f->number = m->all[0].temporary.number;
	if (f->shared == NULL)
		f->shared = via_mem_at(m->all[open_lowest(m->comm, &members)].shared);
	if (err == 0 && !f->one_host)
		err = io_hosts_new(f, open_lowest_of, m->all);
	if (err == 0)
		err = io_view_initial(f);
	if (err == 0)
		f->aggregators = io_hosts_aggregators(f);
	return err;
}

/* The end of the path as the program gave it. */
static const char *open_path_end(const struct io_file *f)
{
	const char *path = f->final_path != NULL ? f->final_path : f->path;
	size_t n = strlen(path);

	return path + (n < OPEN_NAME ? 0 : n - OPEN_NAME + 1);
}

/* Names may be spelled in several ways (14.2.1), but not lead to several files. */
static int open_other_name(const struct open_making *m, const char *first, const char *why)
{
	return haft_err(MPI_ERR_NOT_SAME,
		"failed on rank %d of %d, host %s: it opens another file than rank 0: %s%s; rank 0 "
		"opens %s",
		m->f->rank, m->f->size, via_host(via.me), open_path_end(m->f), why, first);
}

/* Do this member and rank 0 see one file? */
static int open_identical(const struct open_making *m, const struct open_first *rank0)
{
	const struct io_identity *id = &m->id, *first = &rank0->id;
	int peer = group_peer(m->comm->group, 0);
	bool same_host = via_machine(peer) == via_machine(via.me);

	if ((id->dev == first->dev && id->ino == first->ino) ||
		(!same_host && !(id->local_fs && first->local_fs)))
		return 0;
	if (strcmp(open_path_end(m->f), rank0->words) != 0)
		return open_other_name(m, rank0->words, "");
	return haft_err(MPI_ERR_BAD_FILE,
		"rank %d on host %s sees another file behind %s than rank 0 on host %s (inode "
		"%llu, and %llu)",
		m->f->rank, via_host(via.me), m->f->path, via_host(peer),
		(unsigned long long)id->ino, (unsigned long long)first->ino);
}

/* Rank 0 makes the temporary file, if the file is to have one. */
static int open_temporary(struct open_making *m, bool *made)
{
	int err;

	*made = false;
	if (!io_commit_wanted(m->f))
		return 0;
	err = io_commit_name(m->f, &m->all[0].temporary);
	if (err != 0)
		return err;
	io_commit_sweep(m->f);
	return io_commit_begin(m->f, made);
}

/* May there be other opens, which this one must not disturb, nor they this one? */
static bool open_is_marked(const struct io_file *f, const struct io_identity *id)
{
	return id->regular && (f->amode & (MPI_MODE_RDONLY | MPI_MODE_UNIQUE_OPEN)) == 0;
}

/* Rank 0 opens the file, and prepares what all members use. */
static int open_as_first(struct open_making *m)
{
	struct io_file *f = m->f;
	int64_t reserve = io_hint(f, IO_HAFT_RESERVE);
	char words[HAFT_ERR_TEXT_MAX];
	bool made;
	int err = open_temporary(m, &made);

	if (err == 0)
		err = io_disk_open(f, IO_OPEN_FIRST, (unsigned)io_hint(f, IO_FILE_PERM), &m->id);
	m->id.created = m->id.created || made;
	f->dirty = made; /* the copy; MPI_File_close brings it to the device */
	if (err != 0 && made) {
		snprintf(words, sizeof(words), "%s", haft_err_text(err));
		io_disk_delete(f, f->path);
		return haft_err(err, "%s", words);
	}
	if (err == 0 && f->sequential && !m->id.regular && !f->one_host)
		err = io_disk_several_hosts(f);
	if (err == 0 && open_is_marked(f, &m->id))
		io_sieve_lock_mark(f);
	if (err == 0 && reserve > 0 && (f->amode & MPI_MODE_RDONLY) == 0)
		err = io_disk_reserve(f, reserve);
	if (err == 0 && (f->amode & MPI_MODE_APPEND) != 0)
		f->shared->pointer[0] = m->id.size;
	return err;
}

/* Opens the file in rank 0, and fills in what the others need.  err: the result of open_join. */
static int open_and_tell(struct open_making *m, int err, struct open_first *first)
{
	struct io_file *f = m->f;

	if (err == 0)
		err = open_as_first(m);
	first->class = err;
	first->commit = f->final_path != NULL;
	first->id = m->id;
	snprintf(first->words, sizeof(first->words), "%s",
		err != 0 ? haft_err_text(err) : open_path_end(f));
	if (err == 0 && !f->one_host)
		f->pointer_server = io_pointer_serve(f, &first->pointer);
	return err;
}

/* Opens in another member the file that rank 0 has opened. */
static int open_likewise(struct open_making *m, const struct open_first *first)
{
	int err = first->commit ? io_commit_name(m->f, &m->all[0].temporary) : 0;

	if (err == 0)
		err = io_disk_open(m->f, IO_OPEN_AGAIN, 0, &m->id);
	if (err == MPI_ERR_NO_SUCH_FILE && strcmp(open_path_end(m->f), first->words) != 0)
		return open_other_name(m, first->words, ", which does not exist");
	return err != 0 ? err : open_identical(m, first);
}

/* Rank 0 tells the others, which open the file, too; all agree.  err: of this member so far. */
static int open_together(struct open_making *m, int err, struct open_first *first)
{
	int failed = coll_bcast(first, sizeof(*first), type_predefined(MPI_BYTE), 0, m->comm);

	if (err == 0)
		err = failed;
	if (err == 0 && first->class != 0)
		err = haft_err(first->class, "%s", first->words);
	if (err == 0 && m->f->rank != 0)
		err = open_likewise(m, first);
	if (!via_is_local(group_peer(m->comm->group, 0)))
		m->f->pointer_client = io_pointer_client_new(&first->pointer);
	return io_agree_on(m->comm, err);
}

/* Opens the file in all members.  err: the result of open_join. */
static int open_all(struct open_making *m, int err)
{
	struct open_first first = {.class = 0};
	struct io_file *f = m->f;

	if (f->rank == 0)
		err = open_and_tell(m, err, &first);
	if (!f->alone)
		err = open_together(m, err, &first);
	f->opened_ns = (int64_t)clock_now_ns();
	f->marked = open_is_marked(f, &first.id);
	f->local_fs = first.id.local_fs;
	f->stream = f->sequential && !first.id.regular;
	f->block = first.id.block;
	f->position = (f->amode & MPI_MODE_APPEND) != 0 ? first.id.size : 0;
	return err;
}

static void open_undo(struct open_making *m, int err)
{
	char words[HAFT_ERR_TEXT_MAX];

	snprintf(words, sizeof(words), "%s", haft_err_text(err));
	if (m->f != NULL && m->f->fd >= 0) {
		io_disk_close(m->f);
		if (m->id.created)
			io_disk_delete(m->f, m->f->path);
	}
	io_file_free(m->f);
	haft_err(err, "%s", words);
}

/* The handle.  It begins with the error handler of MPI_FILE_NULL (9.3). */
static int open_handle(struct open_making *m, struct file **fh)
{
	struct file *file = obj_new(&haft_file_class, NULL);
	struct errh *handler;

	if (file == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the handle of a file");
	handler = errh_of(NULL);
	obj_errh_set(file, handler);
	obj_drop(handler);
	file->io = m->f;
	file->comm = m->f->comm;
	m->f->pointer_local = via_is_local(group_peer(m->f->comm->group, 0));
	m->f->file = file;
	io_shared_attach(m->f);
	haft_valid_add("io_files_valid", io_files_valid);
	*fh = file;
	return 0;
}

static void open_tell_hints(struct open_making *m)
{
	bool any = false;

	for (int i = 0; i < m->comm->size; i++)
		any = any || m->all[i].ignored != 0;
	io_check_hints_tell(m->f, m->ignored, any, "MPI_File_open");
	m->ignored = NULL;
}

static int open_file(
	struct comm *comm, const char *filename, int amode, struct info *info, struct file **fh)
{
	struct open_making m = {.comm = comm, .info = info};
	struct file *file = NULL;
	int err;

	if (comm->remote != NULL)
		return haft_err(MPI_ERR_COMM, "a file needs an intra-communicator");
	err = comm_check(comm, COLL_FILE_OPEN);
	if (err != 0)
		return err;
	err = io_agree_on(comm, open_begin(&m, filename, amode));
	if (err == 0)
		err = open_exchange(&m);
	if (err == 0) {
		err = open_join(&m);
		if (err == 0)
			err = open_handle(&m, &file);
		err = open_all(&m, err);
	}
	if (err == 0)
		open_tell_hints(&m);
	free(m.all);
	if (err == 0) {
		file->path = m.f->final_path != NULL ? m.f->final_path : m.f->path;
		io_hints_use(m.f, info);
		*fh = file;
		haft_event(EVENT_FILE_OPENED, NULL, haft_event_handle(file), m.f->size, amode, 0);
		return 0;
	}
	if (file != NULL) {
		obj_errh_set(file, NULL);
		obj_free_obj(file);
	}
	free(m.ignored);
	open_undo(&m, err);
	return err;
}

int io_open(struct comm *comm, const char *filename, int amode, struct info *info, struct file **fh)
{
	return io_has_joined(open_file(comm, filename, amode, info, fh));
}
