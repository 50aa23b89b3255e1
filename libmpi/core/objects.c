// SPDX-License-Identifier: BSD-3-Clause
/* objects.c - the classes of MPI's objects, one row a class, and the permanent objects that core
 * owns.
 *
 * Opened by MPI_Init or by the first call that is allowed before it; never closed: handles stay
 * checkable after MPI_Finalize, and an MPI_Info or error handler of before MPI_Init is one of after
 * MPI_Finalize. */
#include "libmpi/core/comm_object.h"
#include "libmpi/core/errh_object.h"
#include "libmpi/core/file_object.h"
#include "libmpi/core/group_object.h"
#include "libmpi/core/info_object.h"
#include "libmpi/core/msg_object.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/op_object.h"
#include "libmpi/core/req.h"
#include "libmpi/core/session_object.h"
#include "libmpi/core/type_object.h"
#include "libmpi/core/win_object.h"

#include "libmpi/core/err.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/start.h"
#include "libmpi/core/topo.h"
#include "libmpi/core/traffic.h"
#include <pthread.h>
#include <stdlib.h>

struct obj_domain *haft_domain;
HAFT_HOT_DATA struct obj_class haft_comm_class;
struct obj_class haft_group_class, haft_type_class, haft_op_class, haft_req_class, haft_errh_class,
	haft_info_class, haft_msg_class, haft_win_class, haft_file_class, haft_session_class;

HAFT_HOT_DATA struct comm haft_world;
struct comm haft_self;
struct group haft_group_empty = {.rank = MPI_UNDEFINED, .stride = 1};
struct errh haft_errh_fatal = {.kind = ERRH_FATAL};
struct errh haft_errh_abort = {.kind = ERRH_ABORT};
struct errh haft_errh_return = {.kind = ERRH_RETURN};

int haft_group_search(const struct group *g, int peer)
{
	int low = 0, high = g->size - 1;

	while (low < high) {
		int mid = low + (high - low) / 2;

		if (g->map[g->unmap[mid]] < peer)
			low = mid + 1;
		else
			high = mid;
	}
	return g->map[g->unmap[low]] == peer ? g->unmap[low] : -1;
}

static void group_destroy(void *self)
{
	struct group *g = self;

	if (g->aliases)
		haft_group_aliases_hook(g);
	if (g->session != NULL)
		obj_drop(g->session);
	if (g->owner != NULL) {
		obj_drop(g->owner);
		return;
	}
	free(g->map);
	free(g->unmap);
}

static void comm_destroy(void *self)
{
	struct comm *c = self;

	if (c->told || c->spawned > 0)
		haft_comm_hooks.end(c);
	if (c->coll != NULL)
		haft_comm_hooks.destroy(c);
	if (c->buffer != NULL)
		haft_comm_hooks.buffer_destroy(c);
	if (c->traffic != NULL)
		haft_traffic_drop(c);
	obj_drop(c->group);
	if (c->remote != NULL)
		obj_drop(c->remote);
	free(c->kinds);
	free(c->differs);
	if (c->session != NULL)
		obj_drop(c->session);
	if (c->local != NULL)
		obj_drop(c->local);
	topo_drop(c->topo);
}

static void type_destroy(void *self)
{
	if (haft_type_destroy_hook != NULL)
		haft_type_destroy_hook(self);
}

static void session_destroy(void *self)
{
	struct session *s = self;

	free(s->kinds);
}

static void win_destroy(void *self)
{
	if (haft_win_destroy_hook != NULL)
		haft_win_destroy_hook(self);
}

static void info_destroy(void *self)
{
	struct info *info = self;
	struct info_pair *next;

	for (struct info_pair *p = info->pairs; p != NULL; p = next) {
		next = p->next;
		free(p->value);
		free(p);
	}
}

struct haft_comm_hooks haft_comm_hooks;

int haft_comm_differ_error(const struct comm *c)
{
	return haft_err(c->differs[0], "%s", c->differs + 1);
}

void (*haft_group_aliases_hook)(const struct group *g);
void (*haft_type_destroy_hook)(struct type *t);
void (*haft_win_destroy_hook)(struct win *w);

/* A freed request's slot is reused after 64 others, so that the slots stay in the first-level
 * cache.  p2p clears the fields that it needs (OBJ_F_RAW).  A C handle never comes back all the
 * same; an INTEGER comes back after 127 * 64 requests at the earliest. */
#define REQ_QUARANTINE 64

/* The arguments of obj_class_open: a row a class. */
static const struct {
	struct obj_class *cls;
	const char *name;
	size_t size;
	uintptr_t null; /* the ABI's null handle */
	void (*destroy)(void *self);
} classes[] = {
	{&haft_comm_class, "MPI_Comm", sizeof(struct comm), (uintptr_t)MPI_COMM_NULL, comm_destroy},
	{&haft_group_class, "MPI_Group", sizeof(struct group), (uintptr_t)MPI_GROUP_NULL,
		group_destroy},
	{&haft_type_class, "MPI_Datatype", sizeof(struct type), (uintptr_t)MPI_DATATYPE_NULL,
		type_destroy},
	{&haft_op_class, "MPI_Op", sizeof(struct op), (uintptr_t)MPI_OP_NULL, NULL},
	{&haft_req_class, "MPI_Request", sizeof(struct req), (uintptr_t)MPI_REQUEST_NULL, NULL},
	{&haft_errh_class, "MPI_Errhandler", sizeof(struct errh), (uintptr_t)MPI_ERRHANDLER_NULL,
		NULL},
	{&haft_info_class, "MPI_Info", sizeof(struct info), (uintptr_t)MPI_INFO_NULL, info_destroy},
	{&haft_msg_class, "MPI_Message", sizeof(struct msg), (uintptr_t)MPI_MESSAGE_NULL, NULL},
	{&haft_win_class, "MPI_Win", sizeof(struct win), (uintptr_t)MPI_WIN_NULL, win_destroy},
	{&haft_file_class, "MPI_File", sizeof(struct file), (uintptr_t)MPI_FILE_NULL, NULL},
	{&haft_session_class, "MPI_Session", sizeof(struct session), (uintptr_t)MPI_SESSION_NULL,
		session_destroy},
};

/* The names under which libmpi/fort knows the classes. */
#define CLASS(id, type, label, object, null, error, words) \
	extern __attribute__((visibility("default"),       \
		alias("haft_" #object "_class"))) struct obj_class haft_fort_##object;
#include "libmpi/api/classes.def"
#undef CLASS

static int open_error;

static void permanent(struct obj_class *cls, uintptr_t value, void *self, const char *name)
{
	if (open_error == 0)
		open_error = obj_permanent(cls, (uint32_t)value, self, name, 1);
}

static int user_begin(void)
{
	return haft_user_begin();
}

static void user_end(int had)
{
	haft_user_end(had);
}

bool haft_objects_valid(void)
{
	return haft_life.user_threads || obj_domain_valid(haft_domain);
}

HAFT_START static void open_once(void)
{
	struct obj_domain_opts opts = {.size = sizeof(opts),
		.name = "MPI",
		.user_begin = user_begin,
		.user_end = user_end};

	haft_small_pages_take();
	open_error = obj_domain_open(&haft_domain, &opts);
	for (size_t i = 0; i < countof(classes) && open_error == 0; i++) {
		struct obj_class_desc d = {
			.size = sizeof(d),
			.name = classes[i].name,
			.obj_size = classes[i].size,
			.name_max = MPI_MAX_OBJECT_NAME,
			.flags = classes[i].cls == &haft_req_class ? OBJ_F_RAW : 0,
			.quarantine = classes[i].cls == &haft_req_class ? REQ_QUARANTINE : 0,
			.null_value = (intptr_t)classes[i].null,
			.destroy = classes[i].destroy,
		};

		open_error = obj_class_open(classes[i].cls, haft_domain, &d);
	}
	/* Freeing these is allowed: constructors and getters hand them out (MPI-5.0 7.3.2, 9.3). */
	permanent(&haft_group_class, (uintptr_t)MPI_GROUP_EMPTY, &haft_group_empty,
		"MPI_GROUP_EMPTY");
	permanent(&haft_errh_class, (uintptr_t)MPI_ERRORS_ARE_FATAL, &haft_errh_fatal,
		"MPI_ERRORS_ARE_FATAL");
	permanent(&haft_errh_class, (uintptr_t)MPI_ERRORS_ABORT, &haft_errh_abort,
		"MPI_ERRORS_ABORT");
	permanent(&haft_errh_class, (uintptr_t)MPI_ERRORS_RETURN, &haft_errh_return,
		"MPI_ERRORS_RETURN");
}

HAFT_START int haft_objects_open(void)
{
	static HAFT_HOT_DATA pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, open_once);
	if (open_error != 0)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the tables of MPI objects: %s",
			obj_error_text(open_error));
	return 0;
}
