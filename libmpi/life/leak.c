// SPDX-License-Identifier: BSD-3-Clause
/* leak.c - HAFT_LEAKS=1: the objects that are alive at the end of MPI_Finalize, and their call
 * sites.
 *
 *     haft: rank 0 has not freed 4 objects:
 *         2  MPI_Comm     `solver' (size 4) ...       setup at solver.c:118
 *         1  MPI_Request  receive of 8 bytes, ...     main at solver.c:203
 *         1  message      12 bytes from rank 1 with tag 7 in `solver', never received
 *
 * Objects are counted by class and call site.  The site is the return address of the MPI call,
 * which libobj keeps with every object; addr2line makes file and line of it where it is installed.
 * Speed does not matter here: the program is over. */
#include "libmpi/life/leak.h"

#include "libmpi/core/attr_name.h"
#include "libmpi/core/comm_object.h"
#include "libmpi/core/errh_object.h"
#include "libmpi/core/file_object.h"
#include "libmpi/core/group_object.h"
#include "libmpi/core/info_object.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/req.h"
#include "libmpi/core/type_object.h"
#include "libmpi/core/callsite.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/process_state.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/type/type.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SITES_SHOWN 20 /* lines of objects: a table to be read, not a dump */
#define WORDS       96 /* bytes of the description of a line's first object */

struct leak_site {
	const struct obj_class *cls;
	uintptr_t site;
	long count;
	char words[WORDS]; /* of the first one */
};

struct leak_report {
	struct leak_site *sites; /* malloc'ed */
	int n, room;
	long objects;
	bool stopped; /* no process sends any more */
	FILE *out;    /* in memory: a table is written in one piece */
};

/* --- words of an object --------------------------------------------------------------------- */

static void leak_comm_text(const void *self, char *buf, size_t n)
{
	const struct comm *c = self;

	snprintf(buf, n, "size %d%s", c->size, c->remote != NULL ? " and a remote group" : "");
}

static void leak_group_text(const void *self, char *buf, size_t n)
{
	snprintf(buf, n, "size %d", ((const struct group *)self)->size);
}

static void leak_type_text(const void *self, char *buf, size_t n)
{
	const struct type *t = self;

	snprintf(buf, n, "%lld byte%s%s", (long long)t->size, t->size == 1 ? "" : "s",
		t->committed ? "" : ", not committed");
}

static void leak_req_text(const void *self, char *buf, size_t n)
{
	static const char *const kinds[] = {[REQ_DONE] = "a request that is complete",
		[REQ_SEND] = "send",
		[REQ_RECV] = "receive",
		[REQ_COLL] = "collective call",
		[REQ_USER] = "generalized request",
		[REQ_PSEND] = "partitioned send",
		[REQ_PRECV] = "partitioned receive",
		[REQ_IO] = "access to a file"};
	const struct req *r = self;
	char name[MPI_MAX_OBJECT_NAME];

	snprintf(buf, n, "%s%s%s, %s", r->persist ? "persistent " : "",
		r->kind < countof(kinds) ? kinds[r->kind] : "request",
		r->persist && !r->active ? ", not started"
		: r->done                ? ", complete"
					 : "",
		r->comm != NULL ? haft_name_or(r->comm, "no name", name) : "no communicator");
}

static void leak_errh_text(const void *self, char *buf, size_t n)
{
	static const char *const kinds[] = {[ERRH_COMM] = "communicators",
		[ERRH_WIN] = "windows",
		[ERRH_FILE] = "files",
		[ERRH_SESSION] = "sessions"};
	const struct errh *e = self;

	snprintf(buf, n, "for %s", e->kind >= ERRH_COMM ? kinds[e->kind] : "no object");
}

static void leak_info_text(const void *self, char *buf, size_t n)
{
	const struct info_pair *p = ((const struct info *)self)->pairs;

	snprintf(buf, n, p != NULL ? "%s=%.40s ..." : "empty", p != NULL ? p->key : "",
		p != NULL ? p->value : "");
}

static void leak_file_text(const void *self, char *buf, size_t n)
{
	const char *path = ((const struct file *)self)->path;
	size_t len = path != NULL ? strlen(path) : 0;

	snprintf(buf, n, "%s%s", len >= n ? "..." : "",
		path == NULL ? "closed"
		: len >= n   ? path + len - (n - 4)
			     : path);
}

static const struct {
	struct obj_class *cls;
	void (*words)(const void *self, char *buf, size_t n); /* NULL: its name says all */
} kinds[] = {
	{&haft_comm_class, leak_comm_text},
	{&haft_group_class, leak_group_text},
	{&haft_type_class, leak_type_text},
	{&haft_op_class, NULL},
	{&haft_req_class, leak_req_text},
	{&haft_msg_class, NULL},
	{&haft_info_class, leak_info_text},
	{&haft_errh_class, leak_errh_text},
	{&haft_win_class, NULL},
	{&haft_file_class, leak_file_text},
	{&haft_session_class, NULL},
};

static void leak_text(const void *self, char *buf)
{
	const struct obj *o = self;
	char name[MPI_MAX_OBJECT_NAME], more[WORDS] = "";
	size_t k = 0;

	haft_name_or(self, "", name);
	while (k < countof(kinds) && kinds[k].cls != o->u.cls)
		k++;
	if (k < countof(kinds) && kinds[k].words != NULL)
		kinds[k].words(self, more, sizeof(more));
	if (name[0] == '\0')
		snprintf(buf, WORDS, "%s", more);
	else
		snprintf(buf, WORDS, more[0] != '\0' ? "`%.40s' (%s)" : "`%.40s'%s", name, more);
}

/* --- collecting ----------------------------------------------------------------------------- */

static struct leak_site *leak_site_of(struct leak_report *r, const struct obj *o)
{
	struct leak_site *more;

	for (int i = r->n - 1; i >= 0; i--)
		if (r->sites[i].cls == o->u.cls && r->sites[i].site == o->site)
			return &r->sites[i];
	if (r->n == r->room) {
		more = reallocarray(r->sites, (size_t)r->room * 2 + 16, sizeof(*more));
		if (more == NULL)
			return NULL;
		r->sites = more;
		r->room = r->room * 2 + 16;
	}
	more = &r->sites[r->n++];
	*more = (struct leak_site){.cls = o->u.cls, .site = o->site};
	leak_text(o, more->words);
	return more;
}

static int leak_count(void *self, void *arg)
{
	struct leak_report *r = arg;
	struct leak_site *p = leak_site_of(r, self);

	r->objects++;
	if (p != NULL)
		p->count++;
	return 0;
}

/* --- the table ------------------------------------------------------------------------------ */

static void leak_line(const struct leak_report *r, const struct leak_site *p)
{
	char at[256];

	haft_callsite_text(p->site, at, sizeof(at));
	fprintf(r->out, "%6ld  %-14s %s%s%s%s\n", p->count, obj_class_name(p->cls), p->words,
		p->count > 1 ? " ..." : "", p->words[0] != '\0' || p->count > 1 ? ", " : "", at);
}

struct leak_message {
	struct leak_report *report;
	uint64_t ctx;
	const struct comm *comm;
};

static int leak_comm_match(void *self, void *arg)
{
	struct leak_message *m = arg;
	const struct comm *c = self;

	if (c->ctx == m->ctx)
		m->comm = c;
	return m->comm != NULL;
}

static void leak_message(void *arg, const struct p2p_unreceived *left)
{
	struct leak_report *r = arg;
	struct leak_message m = {.ctx = left->ctx};
	char name[MPI_MAX_OBJECT_NAME];

	if (haft_world.ctx == left->ctx)
		m.comm = &haft_world;
	else if (haft_self.ctx == left->ctx)
		m.comm = &haft_self;
	else
		obj_foreach(&haft_comm_class, leak_comm_match, &m);
	if (m.comm == NULL && !r->stopped)
		return;
	r->objects++;
	fprintf(r->out,
		"%6d  %-14s %lld byte%s from rank %d of MPI_COMM_WORLD with tag %d in %s, "
		"never received\n",
		1, "message", (long long)left->bytes, left->bytes == 1 ? "" : "s", left->peer,
		left->tag,
		m.comm != NULL ? haft_name_or(m.comm, "a communicator without name", name)
			       : "a communicator that has been freed");
}

static void leak_buffer(struct leak_report *r, const struct comm *c)
{
	int64_t bytes = p2p_buffer_bytes(c);
	char name[MPI_MAX_OBJECT_NAME];

	if (bytes < 0)
		return;
	r->objects++;
	fprintf(r->out, "%6d  %-14s %lld byte%s attached to %s for buffered sends\n", 1, "buffer",
		(long long)bytes, bytes == 1 ? "" : "s",
		c != NULL ? haft_name_or(c, "a communicator", name) : "the process");
}

static int leak_comm_buffer(void *self, void *arg)
{
	leak_buffer(arg, self);
	return 0;
}

static void leak_table(struct leak_report *r)
{
	for (int i = 0; i < r->n && i < SITES_SHOWN; i++)
		leak_line(r, &r->sites[i]);
	if (r->n > SITES_SHOWN)
		fprintf(r->out, "        and from %d more call sites\n", r->n - SITES_SHOWN);
	p2p_unreceived(leak_message, r);
	leak_buffer(r, NULL);
	leak_buffer(r, &haft_world);
	leak_buffer(r, &haft_self);
	obj_foreach(&haft_comm_class, leak_comm_buffer, r);
}

HAFT_START void life_leak_report(bool stopped)
{
	struct leak_report r = {.stopped = stopped};
	char *text = NULL;
	size_t len = 0;

	if (haft_setting_get(SETTING_LEAKS) == 0)
		return;
	r.out = open_memstream(&text, &len);
	if (r.out == NULL)
		return;
	for (size_t k = 0; k < countof(kinds); k++)
		obj_foreach(kinds[k].cls, leak_count, &r);
	obj_foreach(obj_keyvals(haft_domain), leak_count, &r);
	leak_table(&r);
	if (fclose(r.out) == 0 && r.objects > 0)
		fprintf(stderr, "haft: rank %d has not freed %ld object%s:\n%s", haft_life.rank,
			r.objects, r.objects == 1 ? "" : "s", text);
	free(text);
	free(r.sites);
}
