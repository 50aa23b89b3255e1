// SPDX-License-Identifier: BSD-3-Clause
/* mqs.c - reads queues of messages from the memory of a rank.  See mqs.h.
 *
 *     MPIR_haft_layout ──> struct debug_layout: where everything is   libmpi/debug/layout.h
 *     communicators: MPI_COMM_WORLD, MPI_COMM_SELF, the slots of their class ──> list
 *     operations: posted receives, unexpected messages, sends ──> list of one communicator
 *
 * The process has stopped, perhaps in the middle of a change: every chain is followed for a bounded
 * number of steps, and memory that cannot be read ends it. */
#include "tools/mqs/mqs.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "libmpi/debug/layout.h"

#define SHOWN     __attribute__((visibility("default")))
#define STEPS_MAX 1000000 /* of one chain */
#define PLANES    8       /* enum ctx_plane: the low bits of a message's context */
#define ANY_PEER  (-1)
#define ANY_TAG   (-2)

enum { NO_LAYOUT = MQS_FIRST_OWN, NO_MEMORY, OTHER_LAYOUT, NOT_READ };

struct comm_row {
	uint64_t ctx;
	unsigned long group; /* that ranks in messages are of */
	unsigned long own;   /* the local group */
	struct mqs_communicator shown;
};

struct mqs_image_info {
	const struct mqs_image_callbacks *call;
};

struct mqs_process_info {
	const struct mqs_process_callbacks *call;
	struct debug_layout at;
	struct comm_row *comm;
	int ncomms, comm_at;
	struct mqs_operation *op;
	unsigned long *from; /* by op: the request or the message that it shows */
	int nops, op_at;
};

static const struct mqs_basic_callbacks *debugger;

/* --- memory ----------------------------------------------------------------------------------- */

static bool fetch(struct mqs_process *p, unsigned long at, void *to, size_t n)
{
	struct mqs_process_info *info = debugger->process_info_get(p);

	return at != 0 && info->call->fetch(p, at, (int)n, to) == MQS_OK;
}

/* A field of a structure; 0 if it cannot be read. */
static unsigned long pointer_at(struct mqs_process *p, unsigned long at)
{
	uint64_t v = 0;

	return fetch(p, at, &v, sizeof(v)) ? v : 0;
}

static int int_at(struct mqs_process *p, unsigned long at)
{
	int32_t v = 0;

	return fetch(p, at, &v, sizeof(v)) ? v : 0;
}

static bool bool_at(struct mqs_process *p, unsigned long at)
{
	uint8_t v = 0;

	return fetch(p, at, &v, sizeof(v)) && v != 0;
}

/* An array with room for one more element; NULL: no memory, and the old one is kept. */
static void *row_add(void *old, int n, size_t size)
{
	void *new = (n & (n - 1)) != 0 ? old : debugger->alloc((size_t)(n > 0 ? 2 * n : 1) * size);

	if (new == NULL || new == old)
		return new;
	if (n > 0)
		memcpy(new, old, (size_t)n * size);
	if (old != NULL)
		debugger->release(old);
	return new;
}

/* --- image and process ------------------------------------------------------------------------ */

SHOWN void mqs_setup_basic_callbacks(const struct mqs_basic_callbacks *c)
{
	debugger = c;
}

SHOWN char *mqs_version_string(void)
{
	static char words[] = "Haft " HAFT_VERSION;

	return words;
}

SHOWN int mqs_version_compatibility(void)
{
	return MQS_VERSION;
}

SHOWN int mqs_dll_taddr_width(void)
{
	return sizeof(unsigned long);
}

SHOWN char *mqs_dll_error_string(int code)
{
	static char words[][64] = {"no table MPIR_haft_layout: it is no program of Haft",
		"no memory", "the table is of another version of Haft", "memory cannot be read",
		"unknown error"};
	int i = code - MQS_FIRST_OWN;

	return words[i >= 0 && i < 4 ? i : 4];
}

SHOWN int mqs_setup_image(struct mqs_image *i, const struct mqs_image_callbacks *c)
{
	struct mqs_image_info *info = debugger->alloc(sizeof(*info));

	if (info == NULL)
		return NO_MEMORY;
	info->call = c;
	debugger->image_info_put(i, info);
	return MQS_OK;
}

/* The library may be loaded later than the debugger asks: each process decides. */
SHOWN int mqs_image_has_queues(struct mqs_image *i, char **why)
{
	(void)i;
	*why = NULL;
	return MQS_OK;
}

SHOWN void mqs_destroy_image_info(struct mqs_image_info *info)
{
	debugger->release(info);
}

SHOWN int mqs_setup_process(struct mqs_process *p, const struct mqs_process_callbacks *c)
{
	struct mqs_process_info *info = debugger->alloc(sizeof(*info));

	if (info == NULL)
		return NO_MEMORY;
	memset(info, 0, sizeof(*info));
	info->call = c;
	debugger->process_info_put(p, info);
	return MQS_OK;
}

static int layout_read(struct mqs_process *p)
{
	struct mqs_process_info *info = debugger->process_info_get(p);
	struct mqs_image *image = info->call->image(p);
	struct mqs_image_info *i = debugger->image_info_get(image);
	static char name[] = "MPIR_haft_layout";
	unsigned long at = 0;

	if (i->call->find_symbol(image, name, &at) != MQS_OK)
		return NO_LAYOUT;
	if (!fetch(p, at, &info->at, sizeof(info->at)))
		return NOT_READ;
	return info->at.version == DEBUG_LAYOUT_VERSION && info->at.bytes >= sizeof(info->at)
		       ? MQS_OK
		       : OTHER_LAYOUT;
}

SHOWN int mqs_process_has_queues(struct mqs_process *p, char **why)
{
	int err = layout_read(p);

	*why = NULL;
	return err == MQS_OK ? MQS_OK : err == NO_LAYOUT ? MQS_NO_INFORMATION : err;
}

SHOWN void mqs_destroy_process_info(struct mqs_process_info *info)
{
	if (info->comm != NULL)
		debugger->release(info->comm);
	if (info->op != NULL)
		debugger->release(info->op);
	if (info->from != NULL)
		debugger->release(info->from);
	debugger->release(info);
}

/* --- groups ----------------------------------------------------------------------------------- */

/* The process behind a rank of a group; -1: it cannot be read. */
static int group_peer(struct mqs_process *p, unsigned long group, int rank)
{
	const struct debug_layout *l = &debugger->process_info_get(p)->at;
	unsigned long map = pointer_at(p, group + l->group_map);

	if (map != 0)
		return int_at(p, map + (unsigned long)rank * sizeof(int32_t));
	return int_at(p, group + l->group_base) + rank * int_at(p, group + l->group_stride);
}

/* The rank of a process in a group; -1: any process, or no member. */
static int group_rank(struct mqs_process *p, unsigned long group, int peer)
{
	int n = peer < 0 ? 0 : int_at(p, group + debugger->process_info_get(p)->at.group_size);

	for (int r = 0; r < n && r < STEPS_MAX; r++)
		if (group_peer(p, group, r) == peer)
			return r;
	return -1;
}

/* --- communicators ---------------------------------------------------------------------------- */

static void name_read(struct mqs_process *p, unsigned long o, char *name)
{
	const struct debug_layout *l = &debugger->process_info_get(p)->at;
	unsigned long ext = pointer_at(p, o + l->obj_ext), text;
	int len;

	if (o == (unsigned long)l->world)
		snprintf(name, MQS_NAME, "MPI_COMM_WORLD");
	if (o == (unsigned long)l->self)
		snprintf(name, MQS_NAME, "MPI_COMM_SELF");
	if (ext == 0 || (ext & 1) != 0)
		return;
	text = pointer_at(p, ext + l->ext_name);
	len = int_at(p, ext + l->ext_name_len);
	if (text == 0 || len <= 0)
		return;
	len = len < MQS_NAME ? len : MQS_NAME - 1;
	memset(name, 0, MQS_NAME);
	if (!fetch(p, text, name, (size_t)len))
		name[0] = '\0';
}

static int comm_add(struct mqs_process *p, unsigned long o)
{
	struct mqs_process_info *info = debugger->process_info_get(p);
	const struct debug_layout *l = &info->at;
	unsigned long remote = pointer_at(p, o + l->comm_remote);
	struct comm_row *rows, *c;

	if (pointer_at(p, o + l->obj_refs) == 0)
		return MQS_OK; /* a free slot */
	rows = row_add(info->comm, info->ncomms, sizeof(*rows));
	if (rows == NULL)
		return NO_MEMORY;
	info->comm = rows;
	c = &rows[info->ncomms++];
	memset(c, 0, sizeof(*c));
	c->ctx = pointer_at(p, o + l->comm_ctx);
	c->own = pointer_at(p, o + l->comm_group);
	c->group = remote != 0 ? remote : c->own;
	c->shown.unique_id = (unsigned long)c->ctx;
	c->shown.local_rank = int_at(p, o + l->comm_rank);
	c->shown.size = int_at(p, o + l->comm_size);
	name_read(p, o, c->shown.name);
	return MQS_OK;
}

SHOWN int mqs_update_communicator_list(struct mqs_process *p)
{
	struct mqs_process_info *info = debugger->process_info_get(p);
	const struct debug_layout *l = &info->at;
	unsigned long cls = (unsigned long)l->comm_class, inside, base;
	int err = layout_read(p), slots, stride;

	info->ncomms = 0;
	if (err == MQS_OK)
		err = comm_add(p, (unsigned long)l->world);
	if (err == MQS_OK)
		err = comm_add(p, (unsigned long)l->self);
	inside = pointer_at(p, cls + l->class_in);
	base = pointer_at(p, cls + l->class_base);
	stride = int_at(p, cls + l->class_stride);
	slots = inside != 0 ? int_at(p, inside + l->inside_hi) : 0;
	for (int i = 1; i < slots && i < STEPS_MAX && err == MQS_OK; i++)
		err = comm_add(p, base + (unsigned long)i * (unsigned long)stride);
	return err;
}

SHOWN int mqs_setup_communicator_iterator(struct mqs_process *p)
{
	struct mqs_process_info *info = debugger->process_info_get(p);
	int err = mqs_update_communicator_list(p);

	info->comm_at = 0;
	return err != MQS_OK ? err : info->ncomms > 0 ? MQS_OK : MQS_END_OF_LIST;
}

SHOWN int mqs_get_communicator(struct mqs_process *p, struct mqs_communicator *c)
{
	struct mqs_process_info *info = debugger->process_info_get(p);

	if (info->comm_at >= info->ncomms)
		return MQS_END_OF_LIST;
	*c = info->comm[info->comm_at].shown;
	return MQS_OK;
}

SHOWN int mqs_get_comm_group(struct mqs_process *p, int *group)
{
	struct mqs_process_info *info = debugger->process_info_get(p);
	const struct comm_row *c = &info->comm[info->comm_at];

	if (info->comm_at >= info->ncomms)
		return MQS_END_OF_LIST;
	for (int r = 0; r < c->shown.size; r++)
		group[r] = group_peer(p, c->own, r);
	return MQS_OK;
}

SHOWN int mqs_next_communicator(struct mqs_process *p)
{
	struct mqs_process_info *info = debugger->process_info_get(p);

	return ++info->comm_at < info->ncomms ? MQS_OK : MQS_END_OF_LIST;
}

/* --- operations ------------------------------------------------------------------------------- */

/* Adds an operation; from: its request or message. */
static int op_add(struct mqs_process *p, const struct mqs_operation *o, unsigned long from)
{
	struct mqs_process_info *info = debugger->process_info_get(p);
	struct mqs_operation *ops = row_add(info->op, info->nops, sizeof(*ops));
	unsigned long *froms;

	if (ops == NULL)
		return NO_MEMORY;
	info->op = ops;
	froms = row_add(info->from, info->nops, sizeof(*froms));
	if (froms == NULL)
		return NO_MEMORY;
	info->from = froms;
	froms[info->nops] = from;
	ops[info->nops++] = *o;
	return MQS_OK;
}

/* The current communicator has messages of this context; of collective calls as well. */
static bool ctx_is_here(const struct mqs_process_info *info, uint64_t ctx)
{
	return info->comm_at < info->ncomms && info->comm[info->comm_at].ctx == ctx - ctx % PLANES;
}

static void text_put(struct mqs_operation *o, uint64_t ctx, const char *words)
{
	snprintf(o->extra_text[0], MQS_NAME, "%s", words);
	if (ctx % PLANES != 0)
		snprintf(o->extra_text[1], MQS_NAME, "of a collective or internal operation");
}

/* A request of the user: a posted receive, or a send. */
static int request_add(struct mqs_process *p, unsigned long r, bool sends)
{
	struct mqs_process_info *info = debugger->process_info_get(p);
	const struct debug_layout *l = &info->at;
	uint64_t ctx = pointer_at(p, r + l->req_ctx);
	int peer = int_at(p, r + l->req_peer), tag = int_at(p, r + l->req_tag);
	struct mqs_operation o = {.status = MQS_PENDING, .desired_tag = tag};

	if (!ctx_is_here(info, ctx))
		return MQS_OK;
	o.desired_global_rank = peer == ANY_PEER ? -1 : peer;
	o.desired_local_rank = group_rank(p, info->comm[info->comm_at].group, peer);
	o.tag_wild = tag == ANY_TAG;
	o.desired_length = (long)pointer_at(p, r + l->req_bytes);
	o.buffer = pointer_at(p, r + l->req_buf);
	if (sends) {
		o.actual_local_rank = o.desired_local_rank;
		o.actual_global_rank = o.desired_global_rank;
		o.actual_tag = tag;
		o.actual_length = o.desired_length;
	}
	text_put(&o, ctx, sends ? "a send" : "a receive");
	return op_add(p, &o, r);
}

static int unexpected_add(struct mqs_process *p, unsigned long u)
{
	struct mqs_process_info *info = debugger->process_info_get(p);
	const struct debug_layout *l = &info->at;
	uint64_t ctx = pointer_at(p, u + l->unexpected_ctx);
	int peer = int_at(p, u + l->unexpected_peer), tag = int_at(p, u + l->unexpected_tag);
	bool away = bool_at(p, u + l->unexpected_is_rts);
	struct mqs_operation o = {.status = MQS_MATCHED, .desired_tag = tag, .system_buffer = 1};

	if (!ctx_is_here(info, ctx))
		return MQS_OK;
	o.desired_global_rank = o.actual_global_rank = peer;
	o.desired_local_rank = o.actual_local_rank =
		group_rank(p, info->comm[info->comm_at].group, peer);
	o.actual_tag = tag;
	o.desired_length = o.actual_length = (long)pointer_at(p, u + l->unexpected_total);
	o.buffer = away ? 0 : u + l->unexpected_data;
	text_put(&o, ctx, away ? "the data are still at the sender" : "the data are here");
	return op_add(p, &o, u);
}

/* The entries of a table of fifos. */
static int fifos_add(struct mqs_process *p, unsigned long table, uint32_t mask, bool receives)
{
	const struct debug_layout *l = &debugger->process_info_get(p)->at;
	uint32_t next = receives ? l->req_next : l->unexpected_next;
	int err = MQS_OK, steps = 0;

	for (uint32_t i = 0; table != 0 && i <= mask && err == MQS_OK && i < STEPS_MAX; i++) {
		unsigned long at = pointer_at(p, table + (unsigned long)i * l->fifo_bytes);

		for (; at != 0 && err == MQS_OK && steps < STEPS_MAX; steps++) {
			err = receives ? request_add(p, at, false) : unexpected_add(p, at);
			at = pointer_at(p, at + next);
		}
	}
	return err;
}

/* A send that is not done, unless it is in the list already. */
static int send_add(struct mqs_process *p, unsigned long r)
{
	struct mqs_process_info *info = debugger->process_info_get(p);
	const struct debug_layout *l = &info->at;
	uint8_t kind = 0;
	bool persists = bool_at(p, r + l->req_persist);

	if (!fetch(p, r + l->req_kind, &kind, sizeof(kind)) || kind != l->kind_send ||
		bool_at(p, r + l->req_done) || (persists && !bool_at(p, r + l->req_active)))
		return MQS_OK;
	for (int i = 0; i < info->nops; i++)
		if (info->from[i] == r)
			return MQS_OK;
	return request_add(p, r, true);
}

static int queue_sends_add(struct mqs_process *p, unsigned long head)
{
	const struct debug_layout *l = &debugger->process_info_get(p)->at;
	int err = MQS_OK;

	for (int i = 0; head != 0 && err == MQS_OK && i < STEPS_MAX; i++) {
		err = send_add(p, head);
		head = pointer_at(p, head + l->req_next);
	}
	return err;
}

/* Sends: those with a handle, those that wait for an answer, those in the queues of peers. */
static int sends_add(struct mqs_process *p)
{
	const struct debug_layout *l = &debugger->process_info_get(p)->at;
	unsigned long cls = (unsigned long)l->req_class, state = (unsigned long)l->state;
	unsigned long inside = pointer_at(p, cls + l->class_in);
	unsigned long base = pointer_at(p, cls + l->class_base);
	unsigned long ids = pointer_at(p, state + l->state_ids_at), peer;
	unsigned long stride = (unsigned long)int_at(p, cls + l->class_stride);
	int slots = inside != 0 ? int_at(p, inside + l->inside_hi) : 0, err = MQS_OK;
	int nids = int_at(p, state + l->state_ids_n);

	for (int i = 1; i < slots && i < STEPS_MAX && err == MQS_OK; i++)
		if (pointer_at(p, base + (unsigned long)i * stride + l->obj_refs) != 0)
			err = send_add(p, base + (unsigned long)i * stride);
	for (int i = 0; i < nids && i < STEPS_MAX && err == MQS_OK; i++) {
		unsigned long thing = pointer_at(p, ids + (unsigned long)i * sizeof(void *));

		if (thing != 0 && (thing & 1) == 0)
			err = send_add(p, thing);
	}
	peer = pointer_at(p, state + l->state_worklist);
	for (int i = 0; peer != 0 && i < STEPS_MAX && err == MQS_OK; i++) {
		err = queue_sends_add(p, pointer_at(p, peer + l->peer_out));
		if (err == MQS_OK)
			err = queue_sends_add(p, pointer_at(p, peer + l->peer_pipe_sends));
		peer = pointer_at(p, peer + l->peer_worklist_next);
	}
	return err;
}

SHOWN int mqs_setup_operation_iterator(struct mqs_process *p, int kind)
{
	struct mqs_process_info *info = debugger->process_info_get(p);
	const struct debug_layout *l = &info->at;
	unsigned long match = (unsigned long)l->match, messages = (unsigned long)l->messages;
	int err = MQS_NO_INFORMATION;

	info->nops = info->op_at = 0;
	if (kind == MQS_PENDING_SENDS)
		err = sends_add(p);
	if (kind == MQS_PENDING_RECEIVES)
		err = fifos_add(p, pointer_at(p, match + l->match_posted),
			(uint32_t)int_at(p, match + l->match_mask), true);
	if (kind == MQS_UNEXPECTED_MESSAGES)
		err = fifos_add(p, pointer_at(p, messages + l->messages_key),
			(uint32_t)int_at(p, messages + l->messages_mask), false);
	return err != MQS_OK ? err : info->nops > 0 ? MQS_OK : MQS_END_OF_LIST;
}

SHOWN int mqs_next_operation(struct mqs_process *p, struct mqs_operation *o)
{
	struct mqs_process_info *info = debugger->process_info_get(p);

	if (info->op_at >= info->nops)
		return MQS_END_OF_LIST;
	*o = info->op[info->op_at++];
	return MQS_OK;
}
