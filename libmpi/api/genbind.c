// SPDX-License-Identifier: BSD-3-Clause
/* genbind.c - writes the C bindings of one chapter: the layer between MPI_Send and p2p_send.
 *
 *     int PMPI_Send(...)                   strong; MPI_Send is a weak alias of it
 *         declarations                     o_NAME an object, w_NAME a wide integer, s_NAME scratch
 *         BIND_ENTER                       initialised?  takes the lock if there are threads;
 *                                          to tools first: chain_MPI_Send (genqmpi.c)
 *         self                             the object on which errors are raised, looked up first
 *         lookups and checks               in the order of the parameters, arrays last
 *         ret = engine(...)
 *         results                          handles, narrowed integers
 *         BIND_LEAVE
 *     fail:
 *         return BIND_FAIL                 calls the error handler
 *
 * The BIND_ macros are in libmpi/bind/binding.h. */
#include "libmpi/api/gen.h"

#include <string.h>

static const struct kind *kind_of(const struct param *p)
{
	return &kinds[p->kind];
}

static bool how_array(enum how how)
{
	return how == OBJ_ARRAY || how == OBJ_ARRAY_IO || how == OBJ_ARRAY_LIVE ||
	       how == OBJ_ARRAY_NEW;
}

static bool how_object(enum how how)
{
	return how == OBJ || how == OBJ_COUNTED || how == OBJ_NULL || how == OBJ_VAR ||
	       how == OBJ_VAR_NULL;
}

static bool how_narrow(const struct entry *e, const struct param *p)
{
	return !e->large && (kind_of(p)->how == NARROW || kind_of(p)->how == NARROW_IO);
}

/* Objects that carry an error handler. */
static bool class_raises(enum class_id c)
{
	return c == CLASS_COMM || c == CLASS_WIN || c == CLASS_FILE || c == CLASS_SESSION;
}

/* The error handler that a function gets for the object that it makes (MPI_Session_init).  NULL:
 * none. */
static const struct param *handler_find(const struct func *f)
{
	const struct param *handler = NULL;
	bool makes = false;

	for (int i = 0; i < f->nparam; i++) {
		const struct kind *k = kind_of(&f->param[i]);

		if (k->class == CLASS_ERRH && k->how == OBJ)
			handler = &f->param[i];
		makes |= k->how == OBJ_NEW && class_raises(k->class);
	}
	return makes ? handler : NULL;
}

/* The parameter on whose object errors are raised: a communicator, window, file or session, given
 * by value if possible; or else requests, which lead to one, or a group, which may come from a
 * session; or the error handler of an object that is to be made.  NULL: none. */
static const struct param *binding_self(const struct func *f)
{
	for (int i = 0; i < f->nparam; i++) {
		enum how how = kind_of(&f->param[i])->how;

		if ((how == OBJ || how == OBJ_NULL) && class_raises(kind_of(&f->param[i])->class) &&
			f->param[i].when == WHEN_ALWAYS)
			return &f->param[i];
	}
	for (int i = 0; i < f->nparam; i++)
		if (kind_of(&f->param[i])->how == OBJ_VAR &&
			class_raises(kind_of(&f->param[i])->class))
			return &f->param[i];
	for (int i = 0; i < f->nparam; i++)
		if (kind_of(&f->param[i])->class == CLASS_REQ &&
			kind_of(&f->param[i])->how != OBJ_NEW)
			return &f->param[i];
	for (int i = 0; i < f->nparam; i++)
		if (kind_of(&f->param[i])->class == CLASS_GROUP &&
			how_object(kind_of(&f->param[i])->how))
			return &f->param[i];
	return handler_find(f);
}

/* Adds the length of array p: the nearest length before it.  That of an array of results may also
 * be the nearest variable behind it, NULL for none. */
static void binding_length_add(struct text *t, const struct func *f, const struct param *p)
{
	const struct param *q = p;

	while (--q >= f->param) {
		if (check_role_of(kind_of(q)) == CHECK_LENGTH) {
			text_add(t, "%s", q->name);
			return;
		}
	}
	for (q = p; q < f->param + f->nparam && kind_of(p)->how == OBJ_ARRAY_NEW; q++) {
		if (q->kind == KIND_INT_ROOM) {
			text_add(t, "BIND_ROOM_OF(%s)", q->name);
			return;
		}
	}
	text_add(t, "0");
}

static const char *binding_length(const struct func *f, const struct param *p)
{
	static struct text t;

	text_clear(&t);
	binding_length_add(&t, f, p);
	return t.s;
}

bool makes_objects(const struct func *f, bool requests)
{
	if (f->flags & SITE)
		return true;
	for (int i = 0; i < f->nparam; i++) {
		enum how how = kind_of(&f->param[i])->how;

		if (kind_of(&f->param[i])->class == CLASS_REQ && !requests)
			continue;
		if (how == OBJ_NEW || how == OBJ_ROOM || how == OBJ_VAR || how == OBJ_VAR_NULL ||
			how == OBJ_ARRAY_IO)
			return true;
	}
	return false;
}

static void binding_declare(FILE *out, const struct entry *e)
{
	for (int i = 0; i < e->f->nparam; i++) {
		const struct param *p = &e->f->param[i];
		const char *object =
			classes[kind_of(p)->class == NOCLASS ? 0 : kind_of(p)->class].object;

		if (how_object(kind_of(p)->how) || kind_of(p)->how == OBJ_NEW ||
			kind_of(p)->how == OBJ_ROOM)
			fprintf(out, "\tstruct %s *o_%s = NULL;\n", object, p->name);
		else if (how_array(kind_of(p)->how))
			fprintf(out, "\tstruct %s *s_%s[BIND_SCRATCH], **o_%s = s_%s;\n", object,
				p->name, p->name, p->name);
		else if (how_narrow(e, p))
			fprintf(out, "\tint64_t w_%s = 0;\n", p->name);
	}
	fputs("\tvoid *self = NULL;\n\tint ret;\n\n", out);
}

/* Writes the lookup of a handle.  Returns whether it can fail. */
static bool binding_lookup(FILE *out, const struct func *f, const struct param *p)
{
	const struct class *c = &classes[kind_of(p)->class];

	switch (kind_of(p)->how) {
	case OBJ: fprintf(out, "\tBIND_OBJ(%s, %s);\n", c->object, p->name); return true;
	case OBJ_COUNTED:
		fprintf(out, "\tBIND_OBJ_COUNT(%s, %s, %s);\n", c->object, p->name, p[-1].name);
		return true;
	case OBJ_NULL:
		fprintf(out, "\tBIND_OBJ_NULL(%s, %s, %s);\n", c->object, p->name, c->null);
		return true;
	case OBJ_VAR: fprintf(out, "\tBIND_OBJ_VAR(%s, %s);\n", c->object, p->name); return true;
	case OBJ_VAR_NULL:
		fprintf(out, "\tBIND_OBJ_VAR_NULL(%s, %s, %s);\n", c->object, p->name, c->null);
		return true;
	case OBJ_ARRAY:
	case OBJ_ARRAY_IO:
		fprintf(out, "\tBIND_ARRAY(%s, %s, %s, %s);\n", c->object, binding_length(f, p),
			p->name, c->null);
		return true;
	case OBJ_ARRAY_LIVE:
		fprintf(out, "\tBIND_ARRAY(%s, %s, %s, 0);\n", c->object, binding_length(f, p),
			p->name);
		return true;
	case OBJ_ARRAY_NEW:
		fprintf(out, "\tBIND_ARRAY_NEW(%s, %s);\n", binding_length(f, p), p->name);
		return true;
	default: return false;
	}
}

/* The check of a handle given by value looks at its object, so it comes after the lookup. */
static bool how_by_value(enum how how)
{
	return how == OBJ || how == OBJ_COUNTED || how == OBJ_NULL;
}

static void binding_check(FILE *out, const struct param *p)
{
	fprintf(out, "\tBIND_CHECK(%s, %s);\n", kind_of(p)->check, p->name);
}

/* Writes the check and the lookup of one parameter, before the engine.  true: they can fail.
 * binding_prepare_self has looked up `self', and checked it if it is a variable. */
static bool binding_prepare(
	FILE *out, const struct entry *e, const struct param *p, const struct param *self)
{
	const struct kind *k = kind_of(p);
	bool checked = strcmp(k->check, "none") != 0, fails = checked;
	bool guarded = p != self && p->when != WHEN_ALWAYS && (how_object(k->how) || checked);

	if (guarded)
		fprintf(out, "\tif (BIND_WHEN_%s) {\n", whens[p->when].name);
	if (checked && !how_by_value(k->how) && !(p == self && how_object(k->how)))
		binding_check(out, p);
	if (p != self)
		fails |= binding_lookup(out, e->f, p);
	if (checked && how_by_value(k->how))
		binding_check(out, p);
	if (how_narrow(e, p) && k->how == NARROW_IO)
		fprintf(out, "\tw_%s = *%s;\n", p->name, p->name);
	if (guarded)
		fputs("\t}\n", out);
	return fails;
}

static bool binding_prepare_self(FILE *out, const struct entry *e, const struct param *self)
{
	const struct kind *k;

	if (self == NULL)
		return false;
	k = kind_of(self);
	if (how_array(k->how)) /* looked up last; its length must be checked before */
		return true;
	if (k->how == OBJ_VAR || k->how == OBJ_VAR_NULL)
		binding_check(out, self);
	binding_lookup(out, e->f, self);
	if (k->class == CLASS_REQ)
		fprintf(out, "\tself = bind_req_self(o_%s);\n", self->name);
	else if (k->class == CLASS_GROUP)
		fprintf(out, "\tself = o_%s->session;\n", self->name);
	else
		fprintf(out, "\tself = o_%s;\n", self->name);
	return true;
}

static void binding_argument(struct text *t, const struct entry *e, const struct param *p)
{
	switch (kind_of(p)->how) {
	case OBJ:
	case OBJ_COUNTED:
	case OBJ_NULL: text_add(t, "o_%s", p->name); break;
	case OBJ_NEW:
	case OBJ_VAR:
	case OBJ_VAR_NULL: text_add(t, "&o_%s", p->name); break;
	case OBJ_ROOM: text_add(t, "BIND_ROOM(%s)", p->name); break;
	case OBJ_ARRAY:
	case OBJ_ARRAY_IO:
	case OBJ_ARRAY_LIVE:
	case OBJ_ARRAY_NEW: text_add(t, "o_%s", p->name); break;
	case LIST:
		text_add(t, "(struct haft_%ss){%s}", classes[kind_of(p)->class].object, p->name);
		break;
	case ARRAY: text_add(t, "(struct haft_counts){%s, %d}", p->name, e->large); break;
	case ARRAY_WIDE: text_add(t, "(struct haft_counts){%s, 1}", p->name); break;
	case NARROW:
	case NARROW_IO: text_add(t, how_narrow(e, p) ? "&w_%s" : "%s", p->name); break;
	case WIDEN:
	case PASS: text_add(t, "%s", p->name); break;
	}
}

static void binding_call(FILE *out, const struct entry *e, const char *before)
{
	struct text t;

	text_clear(&t);
	text_add(&t, "\t%s%s(", before, e->f->engine);
	for (int i = 0; i < e->f->nparam; i++) {
		text_add(&t, i > 0 ? ", " : "");
		binding_argument(&t, e, &e->f->param[i]);
	}
	if (e->f->flags & FORM)
		text_add(&t, ", %d", e->large);
	text_add(&t, ");\n");
	text_write(&t, out);
}

static void binding_results(FILE *out, const struct entry *e)
{
	for (int i = 0; i < e->f->nparam; i++) {
		const struct param *p = &e->f->param[i];
		const char *null =
			classes[kind_of(p)->class == NOCLASS ? 0 : kind_of(p)->class].null;

		switch (kind_of(p)->how) {
		case OBJ_NEW: fprintf(out, "\tBIND_NEW(%s, %s);\n", p->name, null); break;
		case OBJ_ROOM: fprintf(out, "\tBIND_NEW_ROOM(%s, %s);\n", p->name, null); break;
		case OBJ_VAR:
		case OBJ_VAR_NULL: fprintf(out, "\tBIND_VAR(%s, %s);\n", p->name, null); break;
		case OBJ_ARRAY: fprintf(out, "\tBIND_ARRAY_END(%s);\n", p->name); break;
		case OBJ_ARRAY_IO:
		case OBJ_ARRAY_LIVE:
			fprintf(out, "\tBIND_ARRAY_ENDED(%s, %s, %s);\n", binding_length(e->f, p),
				p->name, null);
			break;
		case OBJ_ARRAY_NEW:
			fprintf(out, "\tBIND_ARRAY_GIVE(%s, %s, %s);\n", binding_length(e->f, p),
				p->name, null);
			break;
		case NARROW:
		case NARROW_IO:
			if (how_narrow(e, p))
				fprintf(out, "\tBIND_NARROW(%s);\n", p->name);
			break;
		default: break;
		}
	}
}

/* --- data moved by a call, for the profile ---------------------------------------------------- */

/* The datatype whose count is the parameter before it: of the arguments that are significant on all
 * ranks, if there is one.  NULL: none. */
static const struct param *moves_data(const struct func *f)
{
	const struct param *data = NULL;

	for (int i = 1; i < f->nparam; i++) {
		const struct param *p = &f->param[i];

		if (kind_of(p)->class != CLASS_TYPE || check_role_of(kind_of(p)) != CHECK_DATA ||
			check_role_of(kind_of(p - 1)) != CHECK_COUNT)
			continue;
		if (p->when == WHEN_ALWAYS)
			return p;
		if (data == NULL || whens[data->when].ranks == RANKS_ONE)
			data = p;
	}
	return data;
}

/* The object of a class, or for NOCLASS the parameter with this role. */
static const struct param *moves_find(
	const struct func *f, enum class_id class, enum check_role role)
{
	for (int i = 0; i < f->nparam; i++) {
		const struct kind *k = kind_of(&f->param[i]);

		if (class != NOCLASS ? k->class == class && k->how == OBJ
				     : check_role_of(k) == role)
			return &f->param[i];
	}
	return NULL;
}

/* The parameters that describe the data of a call. */
struct moves {
	const struct param *data;   /* its datatype; its count is before it */
	const struct param *object; /* communicator or window */
	const struct param *peer;   /* NULL: a collective call */
	const struct param *tag;    /* of its message; NULL: it sends none */
	const char *how;            /* enum bind_moves */
};

/* False: the function moves no data, or only makes a request that does. */
static bool moves_of(const struct func *f, struct moves *m)
{
	const struct param *win = moves_find(f, CLASS_WIN, CHECK_ALONE);
	const struct param *to = moves_find(f, NOCLASS, CHECK_DEST);

	m->data = moves_data(f);
	m->object = win != NULL ? win : moves_find(f, CLASS_COMM, CHECK_ALONE);
	m->peer = win != NULL ? moves_find(f, NOCLASS, CHECK_TARGET) : to;
	m->tag = win == NULL && to != NULL ? moves_find(f, NOCLASS, CHECK_TAG) : NULL;
	m->how = win != NULL ? "REACHES" : "SENDS";
	if (win == NULL && to == NULL) {
		m->peer = moves_find(f, NOCLASS, CHECK_SOURCE);
		m->how = m->peer != NULL ? "RECEIVES" : "COLLECTS";
	}
	return m->data != NULL && (f->flags & SITE) == 0 && m->object != NULL &&
	       (m->peer != NULL || chapters[f->chapter].calls != SINGLE);
}

/* The last argument of a BIND_ENTER macro: the call of the first tool. */
static void enter_end(FILE *out, const struct entry *e)
{
	struct text t;

	text_clear(&t);
	text_add(&t, ",\n\t\tchain_%s(", e->name);
	text_arguments(&t, e, "");
	text_add(&t, "));\n");
	text_write(&t, out);
}

/* Writes BIND_ENTER_MESSAGE. */
static void moves_enter(FILE *out, const struct entry *e, const struct moves *m)
{
	const struct param *data = m->data;
	const struct when *when = &whens[data->when];

	fprintf(out, "\tBIND_ENTER_MESSAGE(HAFT_%s, BIND_%s, %s, %s,\n\t\t", e->name, m->how,
		m->peer != NULL ? m->peer->name : "-1", m->tag != NULL ? m->tag->name : "-1");
	if (when->given == GIVEN)
		fprintf(out, "BIND_GIVEN_%s ? %s : 0", when->name, data[-1].name);
	else
		fprintf(out, "%s", data[-1].name);
	fprintf(out, ", %s, %s", data->name, m->object->name);
	enter_end(out, e);
}

/* The blocks of a collective call that have counts of their own. */
struct blocks {
	const struct param *counts, *types;            /* of those sent, or of those received */
	const struct param *received, *received_types; /* if the call may be in place; else NULL */
	const struct param *comm;
};

/* The next array of counts from *at on, or the next datatypes. */
static const struct param *blocks_next(const struct func *f, int *at, bool counts)
{
	for (; *at < f->nparam; ++*at) {
		const struct param *p = &f->param[*at];

		if (counts ? p->kind == KIND_COUNTS : kind_of(p)->class == CLASS_TYPE)
			return p;
	}
	return NULL;
}

/* Finds the parameters of a call whose blocks have counts of their own.  False: the counts of its
 * data are told on entry, or it has none. */
static bool blocks_of(const struct func *f, struct blocks *b)
{
	struct moves m;
	int at = 0;

	if (chapters[f->chapter].calls == SINGLE || (f->flags & SITE) != 0 || moves_of(f, &m))
		return false;
	b->counts = blocks_next(f, &at, true);
	b->types = blocks_next(f, &at, false);
	b->received = blocks_next(f, &at, true);
	b->received_types = blocks_next(f, &at, false);
	b->comm = moves_find(f, CLASS_COMM, CHECK_ALONE);
	return b->counts != NULL && b->types != NULL && b->comm != NULL;
}

/* Writes the telling of their bytes to the profile, after the checks. */
static void blocks_tell(FILE *out, const struct entry *e)
{
	bool neighbors = chapters[e->f->chapter].calls == NEIGHBORHOOD;
	const char *object;
	struct blocks b;

	if (!blocks_of(e->f, &b))
		return;
	object = kind_of(b.types)->how == LIST ? "" : "o_";
	fprintf(out, "\tif (BIND_PROFILES)\n\t\tbind_blocks_%s(BIND_OF_%s, ",
		*object == '\0' ? "each" : "tell",
		b.received == NULL ? "MEMBERS"
		: neighbors        ? "NEIGHBORS"
				   : "PEERS");
	if (b.received != NULL)
		fprintf(out,
			"(struct haft_counts){BIND_GIVEN_OUTGOING ? %s : %s, %d},\n"
			"\t\t\tBIND_GIVEN_OUTGOING ? %s%s : %s%s",
			b.counts->name, b.received->name, e->large, object, b.types->name, object,
			b.received_types->name);
	else
		fprintf(out, "(struct haft_counts){%s, %d}, %s%s", b.counts->name, e->large, object,
			b.types->name);
	fprintf(out, ", o_%s);\n", b.comm->name);
}

/* Writes BIND_ENTER_STARTS: the last parameter is the requests, one if it is the only one. */
static void starts_enter(FILE *out, const struct entry *e)
{
	const struct param *last = &e->f->param[e->f->nparam - 1];

	fprintf(out, "\tBIND_ENTER_STARTS(HAFT_%s, %s, %s", e->name,
		e->f->nparam > 1 ? binding_length(e->f, last) : "1", last->name);
	enter_end(out, e);
}

/* The suffix of the BIND_ENTER and BIND_LEAVE macros of a function. */
static const char *enter_kind(const struct func *f)
{
	bool any = (f->flags & ANYTIME) != 0;

	if ((f->flags & (TOOL | READ)) == (TOOL | READ))
		return "_TOOL_READ";
	if (f->flags & TOOL)
		return any ? "_ANYTIME" : "_TOOL";
	if (f->flags & READ)
		return any ? "_READ_ANYTIME" : "_READ";
	return any ? "_ANYTIME" : "";
}

static void binding_leave(FILE *out, const struct func *f)
{
	if ((f->flags & READ) == 0)
		fprintf(out, "\t\tBIND_LEAVE%s();\n", enter_kind(f));
}

/* A call for which more than the gate's function is to be done there would keep its arguments in
 * other registers in the usual case, too.  So it has a second binding, to which it jumps. */
static bool binding_gated(const struct func *f)
{
	struct moves m;
	struct blocks b;

	if ((f->flags & TOOL) != 0 || *enter_kind(f) == '\0')
		return (f->flags & TOOL) == 0 &&
		       ((f->flags & STARTS) != 0 || moves_of(f, &m) || blocks_of(f, &b));
	return (f->flags & (READ | ANYTIME)) == READ;
}

static void binding_jump(FILE *out, const struct entry *e)
{
	struct text t;

	text_clear(&t);
	text_add(&t, "\tif (BIND_GATED%s)\n\t\treturn gated_%s(", enter_kind(e->f), e->name);
	text_arguments(&t, e, "");
	text_add(&t, ");\n");
	text_write(&t, out);
}

static void binding_enter(FILE *out, const struct entry *e)
{
	struct moves m;

	if ((e->f->flags & STARTS) != 0) {
		starts_enter(out, e);
	} else if (*enter_kind(e->f) == '\0' && moves_of(e->f, &m)) {
		moves_enter(out, e, &m);
	} else {
		fprintf(out, "\tBIND_ENTER%s(HAFT_%s", enter_kind(e->f), e->name);
		enter_end(out, e);
	}
}

/* jumps: to the second binding, if the gate is not 0.  Before there are variables: a compiler calls
 * where their addresses may be known, and the profile would see its return address. */
static void binding_body(FILE *out, const struct entry *e, bool jumps)
{
	const struct func *f = e->f;
	const struct param *self = binding_self(f);
	bool fails;

	if (jumps)
		binding_jump(out, e);
	binding_declare(out, e);
	if (!jumps)
		binding_enter(out, e);
	fails = binding_prepare_self(out, e, self);
	for (int i = 0; i < f->nparam; i++)
		if (!how_array(kind_of(&f->param[i])->how))
			fails |= binding_prepare(out, e, &f->param[i], self);
	for (int i = 0; i < f->nparam; i++)
		if (how_array(kind_of(&f->param[i])->how))
			fails |= binding_lookup(out, f, &f->param[i]);
	if (self != NULL && how_array(kind_of(self)->how))
		fprintf(out, "\tself = bind_reqs_self(%s, o_%s);\n", binding_length(f, self),
			self->name);
	if (makes_objects(f, true))
		fputs("\tBIND_SITE();\n", out);
	if (!jumps)
		blocks_tell(out, e);
	binding_call(out, e, "ret = ");
	binding_results(out, e);
	fputs("\tif (bind_usual(ret == MPI_SUCCESS)) {\n", out);
	binding_leave(out, f);
	fputs("\t\treturn MPI_SUCCESS;\n\t}\n", out);
	if (fails)
		fputs("fail:\n", out);
	fprintf(out, "\treturn BIND_FAIL%s(ret, self, HAFT_%s);\n",
		f->flags & TOOL ? enter_kind(f) : "", e->name);
}

/* A function without an engine raises MPI_ERR_UNSUPPORTED_OPERATION, on the object that it was
 * called with if that has an error handler. */
static void binding_body_no_engine(FILE *out, const struct entry *e)
{
	const struct param *self = binding_self(e->f);
	const struct kind *ret = &kinds[e->f->ret];

	if (e->f->ret != KIND_INT) {
		struct text t;

		text_clear(&t);
		text_declare(&t, ret->small, "");
		fprintf(out, "\tbind_no_engine(NULL, 0, HAFT_%s);\n\treturn (%s)0;\n", e->name,
			t.s);
	} else if (e->f->flags & TOOL) {
		fprintf(out, "\treturn bind_no_engine_tool(HAFT_%s);\n", e->name);
	} else if (self != NULL && kind_of(self)->how == OBJ &&
		   class_raises(kind_of(self)->class)) {
		fprintf(out, "\treturn bind_no_engine(&haft_%s_class, %s, HAFT_%s);\n",
			classes[kind_of(self)->class].object, self->name, e->name);
	} else {
		fprintf(out, "\treturn bind_no_engine(NULL, 0, HAFT_%s);\n", e->name);
	}
}

/* "before CALLEE(a, b);": with the user's parameters; further ones are `dots'. */
static void binding_pass(
	FILE *out, const struct entry *e, const char *before, const char *callee, const char *name)
{
	struct text t;

	text_clear(&t);
	text_add(&t, "%s %s%s(", before, callee, name);
	for (int i = 0; i < e->f->nparam; i++)
		text_add(&t, "%s%s", i > 0 ? ", " : "",
			e->f->param[i].kind == KIND_DOTS ? "dots" : e->f->param[i].name);
	text_add(&t, ");\n");
	text_write(&t, out);
}

/* The user's parameters go on as they are. */
static void binding_body_raw(FILE *out, const struct entry *e)
{
	bool dots = func_has(e->f, KIND_DOTS);
	const char *before = dots ? "\tret =" : "\treturn";

	if (dots)
		fprintf(out, "\tva_list dots;\n\tint ret;\n\n\tva_start(dots, %s);\n",
			e->f->param[e->f->nparam - 2].name);
	if (qmpi_number(e) != NULL) {
		fprintf(out, "\tif (BIND_TO_TOOLS(HAFT_%s))\n\t", e->name);
		binding_pass(out, e, before, "chain_", e->name);
		if (dots)
			fputs("\telse\n\t", out);
	}
	binding_pass(out, e, before, e->f->engine, "");
	if (dots)
		fputs("\tva_end(dots);\n\treturn ret;\n", out);
}

/* The engine neither fails nor takes the lock: MPI_Wtime. */
static void binding_body_value(FILE *out, const struct entry *e)
{
	fprintf(out, "\tif (BIND_TO_TOOLS(HAFT_%s))\n\t", e->name);
	binding_pass(out, e, "\treturn", "chain_", e->name);
	binding_call(out, e, "return ");
}

/* The usual case, which changes no register that it would have to save; all others jump on. */
static void binding_body_quick(FILE *out, const struct entry *e)
{
	struct text t;

	for (int i = 0; i < 2; i++) {
		text_clear(&t);
		text_add(&t, i == 0 ? "\tif (bind_usual(quick_%s(" : "\treturn whole_%s(",
			i == 0 ? e->f->engine : e->name);
		text_arguments(&t, e, "");
		text_add(&t, i == 0 ? ")))\n" : ");\n");
		text_write(&t, out);
		if (i == 0)
			fputs("\t\treturn MPI_SUCCESS;\n", out);
	}
}

static bool binding_quick(const struct entry *e)
{
	return (e->f->flags & QUICK) && !e->large;
}

/* The generated binding under a name of its own; the caller writes the usual case after it. */
static void binding_whole(FILE *out, const struct entry *e, const char *prefix)
{
	struct text t;

	text_clear(&t);
	text_prototype(&t, e, prefix);
	fputs("\n__attribute__((noinline)) ", out);
	text_write(&t, out);
	fputs(";\n", out);
	text_write(&t, out);
	fputs("\n{\n", out);
	if (binding_quick(e))
		fprintf(out, "\tBIND_NAMED(HAFT_%s);\n", e->name);
	binding_body(out, e, false);
	fputs("}\n", out);
}

/* Has it a second binding, which enters by a gate that is not 0? */
static bool binding_twice(const struct entry *e)
{
	return has_engine(e->f) && !binding_quick(e) && (e->f->flags & RAW) == 0 &&
	       e->f->ret == KIND_INT && binding_gated(e->f);
}

const char *binding_inner(const struct entry *e)
{
	return binding_quick(e) ? "whole_" : binding_twice(e) ? "gated_" : "body_";
}

static void binding_write(FILE *out, const struct entry *e)
{
	bool quick = binding_quick(e), twice = binding_twice(e);
	struct text t;

	qmpi_declare(out, e);
	if (quick || twice)
		binding_whole(out, e, binding_inner(e));
	text_clear(&t);
	text_prototype(&t, e, "P");
	fputc('\n', out);
	if (e->f->flags & ONCE)
		fputs("HAFT_START ", out);
	text_write(&t, out);
	fputs("\n{\n", out);
	if (!has_engine(e->f))
		binding_body_no_engine(out, e);
	else if (quick)
		binding_body_quick(out, e);
	else if (e->f->flags & RAW)
		binding_body_raw(out, e);
	else if (e->f->ret != KIND_INT)
		binding_body_value(out, e);
	else
		binding_body(out, e, twice);
	fputs("}\n", out);
	text_clear(&t);
	text_prototype(&t, e, "");
	text_add(&t, " BIND_WEAK(P%s);\n", e->name);
	text_write(&t, out);
	if (!quick && !twice && qmpi_number(e) != NULL) {
		text_clear(&t);
		text_prototype(&t, e, binding_inner(e));
		text_add(&t, " BIND_ALIAS(P%s);\n", e->name);
		text_write(&t, out);
	}
}

void write_bind(FILE *out, int chapter)
{
	struct entry e;

	fprintf(out,
		"// SPDX-License-Identifier: BSD-3-Clause\n"
		"/* Bindings of chapter %s: %s.\n"
		" * Written by the generator in libmpi/api: change its tables, not this. */\n"
		"#define MPI_NO_DEPRECATED_WARNINGS\n"
		"#include \"libmpi/bind/binding.h\"\n"
		"#include \"libmpi/bind/quick.h\"\n"
		"#include \"engine.h\"\n"
		"#include \"names.h\"\n"
		"#include \"raw.h\"\n"
		"\n"
		"#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n",
		chapters[chapter].number, chapters[chapter].title);
	for (bool more = entry_first(&e, chapter); more; more = entry_next(&e, chapter))
		binding_write(out, &e);
}
