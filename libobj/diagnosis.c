// SPDX-License-Identifier: BSD-3-Clause
/* diagnosis.c - the reason why a handle is bad: the diagnosis, tombstones, direct handles,
 * sites.
 *
 *   64 bits ─┬─ 0, or the null value       OBJ_NULL
 *            ├─ below 4096: permanent      OBJ_WRONG_CLASS; OBJ_GARBAGE: no object has that number
 *            ├─ below 2^31: INTEGER form ┐ OBJ_GARBAGE: index and generation were never given out
 *            ├─ tag 0x5a: token          ├ OBJ_WRONG_CLASS: another class has given them out
 *            └─ an address: direct       ┘ OBJ_STALE, OBJ_FOREIGN: this class has; not valid now
 *
 * A freed slot remembers both sites until it is used again; objects with a name, or that lived on
 * after their handle, also leave them in a tombstone
 * (tombstone.c). */
#include "libobj/obj_inner.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A diagnosis, before it is put in words. */
struct finding {
	int why;
	uint64_t token;              /* the one it is or was, or 0 */
	const struct obj_class *cls; /* whose it is or was, or NULL */
	const char *detail;          /* more words, or NULL */
};

/* ------------------------------------------------------------------------ finding out */

/* Slots that were ever given out are below. */
static uint32_t slots_used(const struct obj_class *c)
{
	return __atomic_load_n(&c->in->hi, __ATOMIC_ACQUIRE);
}

static uint64_t slot_token(const struct obj_class *c, uint32_t index)
{
	return __atomic_load_n(&obj_slot(c, index)->token, __ATOMIC_ACQUIRE);
}

/* A slot's state for a token that names it and is not live there. */
static int token_why_dead(const struct obj_class *c, uint64_t token)
{
	const struct obj *o = obj_slot(c, TOKEN_INDEX(token));
	uint64_t r = __atomic_load_n(&o->refs, __ATOMIC_RELAXED);

	if (r & OBJ_REFS_SATURATED && (slot_token(c, TOKEN_INDEX(token)) ^ TOKEN_DEAD) == token)
		return OBJ_FOREIGN;
	return OBJ_STALE;
}

/* Was the token ever given out by class c? */
static bool token_known(const struct obj_class *c, uint64_t token)
{
	uint32_t index = TOKEN_INDEX(token);
	uint64_t low = (token >> 24) & 127;

	if (index == 0 || index >= slots_used(c) || low == 0 || token & TOKEN_GEN_OVER)
		return false;
	return token_uses(token) <= token_uses(slot_token(c, index));
}

static void find_token(const struct obj_class *c, uint64_t token, struct finding *f)
{
	const struct obj_class *other = c->domain->cls[TOKEN_CLASS(token)];

	f->why = OBJ_GARBAGE;
	if (other == NULL || !token_known(other, token))
		return;
	f->cls = other;
	f->token = token;
	f->why = other == c ? token_why_dead(c, token) : OBJ_WRONG_CLASS;
	if (other != c && slot_token(other, TOKEN_INDEX(token)) != token)
		f->detail = "freed";
}

/* The youngest token of class c whose INTEGER form is u, or 0. */
static uint64_t token_of_int(const struct obj_class *c, uint32_t u)
{
	uint32_t index = u & OBJ_INDEX_MAX;
	uint64_t now, t;

	if (index == 0 || index >= slots_used(c) || u >> 24 == 0)
		return 0;
	now = slot_token(c, index);
	if (!slot_live(now, index))
		now ^= TOKEN_DEAD;
	t = (now & ~0xffffffffULL) | u;
	if (token_uses(t) > token_uses(now))
		t -= TOKEN_HI(t) != 0 ? TOKEN_GEN_HI : 0;
	return token_uses(t) <= token_uses(now) ? t : 0;
}

/* INTEGER forms do not name their class.  Class c comes first, if this was the last handle of the
 * slot there; then a class in which it is live. */
static void find_int(const struct obj_class *c, uint32_t u, struct finding *f)
{
	uint64_t t = token_of_int(c, u);

	f->token = t;
	f->cls = t != 0 ? c : NULL;
	f->why = t != 0 ? token_why_dead(c, t) : OBJ_GARBAGE;
	if (t != 0 && slot_token(c, TOKEN_INDEX(t)) == t) {
		f->why = OBJ_GARBAGE;
		f->detail = "the INTEGER form of a live object, which is no handle";
		return;
	}
	if (t != 0 && slot_token(c, TOKEN_INDEX(t)) == (t ^ TOKEN_DEAD))
		return;
	for (uint32_t id = 1; id <= OBJ_CLASS_MAX; id++) {
		const struct obj_class *other = c->domain->cls[id];

		if (other == NULL || other == c || other->nperm == 0)
			continue;
		t = token_of_int(other, u);
		if (t == 0 || slot_token(other, TOKEN_INDEX(t)) != t)
			continue;
		f->token = t;
		f->cls = other;
		f->why = OBJ_WRONG_CLASS;
		return;
	}
}

static void find_permanent(const struct obj_class *c, uint32_t value, struct finding *f)
{
	const struct obj *o = __atomic_load_n(&c->perm[value], __ATOMIC_ACQUIRE);

	f->why = OBJ_GARBAGE;
	if (o != NULL) {
		f->why = OBJ_WRONG_CLASS;
		f->cls = o->u.cls;
		f->token = value;
	}
}

/* An address in a table of direct handles, of this class or another. */
static void find_address(const struct obj_class *c, obj_h h, struct finding *f)
{
	f->why = OBJ_GARBAGE;
	for (uint32_t id = 1; id <= OBJ_CLASS_MAX; id++) {
		const struct obj_class *other = c->domain->cls[id];
		const struct obj *o = NULL;
		uint64_t t;

		if (other != NULL && other->flags & OBJ_F_DIRECT)
			o = obj_direct_slot(other, h);
		t = o != NULL ? slot_token(other, slot_index(other, o)) : 0;
		if (t == 0)
			continue;
		f->cls = other;
		f->token = object_live(other, o, t) ? t : t ^ TOKEN_DEAD;
		f->why = other == c ? token_why_dead(c, f->token) : OBJ_WRONG_CLASS;
		return;
	}
}

/* The null handle of some class of the domain? */
static bool find_null(const struct obj_class *c, uint64_t h, struct finding *f)
{
	f->why = OBJ_NULL;
	if (h == 0 || h == (uint64_t)c->in->desc.null_value)
		return true;
	for (uint32_t id = 1; id <= OBJ_CLASS_MAX; id++) {
		const struct obj_class *other = c->domain->cls[id];

		if (other == NULL || (uint64_t)other->in->desc.null_value != h)
			continue;
		f->why = OBJ_WRONG_CLASS;
		f->cls = other;
		f->detail = "null handle";
		return true;
	}
	return false;
}

static void find_any(const struct obj_class *c, obj_h handle, struct finding *f)
{
	uint64_t h = (uint64_t)(uintptr_t)handle;

	memset(f, 0, sizeof(*f));
	if (find_null(c, h, f))
		return;
	if (h < OBJ_PERMANENT_MAX)
		find_permanent(c, (uint32_t)h, f);
	else if (h <= INT32_MAX)
		find_int(c, (uint32_t)h, f);
	else if (h >> 56 == TOKEN_TAG >> 56)
		find_token(c, h, f);
	else
		find_address(c, handle, f);
}

/* ------------------------------------------------------------------------ in words */

int obj_site_text(uintptr_t site, char *buf, size_t n)
{
	Dl_info info;
	const char *file;

	if (site == 0)
		return snprintf(buf, n, "?");
	if (site & OBJ_SITE_TEXT) {
		const struct obj_site *s = (const void *)(site & ~OBJ_SITE_TEXT);

		return snprintf(buf, n, "%s:%d (%s)", s->file, s->line, s->func);
	}
	/* a return address: the call is before it */
	if (dladdr((void *)(site - 1), &info) == 0 || info.dli_fname == NULL)
		return snprintf(buf, n, "%#lx", (unsigned long)site);
	file = strrchr(info.dli_fname, '/');
	file = file != NULL ? file + 1 : info.dli_fname;
	if (info.dli_sname == NULL)
		return snprintf(
			buf, n, "%s+%#lx", file, (unsigned long)(site - (uintptr_t)info.dli_fbase));
	return snprintf(buf, n, "%s+%#lx (%s)", file,
		(unsigned long)(site - (uintptr_t)info.dli_fbase), info.dli_sname);
}

/* The handle by which the object can be held.  It may be freed at any moment, so only its slot is
 * read. */
static obj_h finding_handle(const struct finding *f, const struct obj *o)
{
	return f->cls->flags & OBJ_F_DIRECT && f->token >= OBJ_PERMANENT_MAX
		       ? (obj_h)((uintptr_t)o + sizeof(*o))
		       : (obj_h)(uintptr_t)f->token;
}

/* Name and sites of the object that the finding is about, as far as they are still there. */
static void diag_fill_object(const struct finding *f, struct obj_diag *diag)
{
	const struct obj_class *c = f->cls;
	struct obj *o = f->token < OBJ_PERMANENT_MAX ? c->perm[f->token]
						     : obj_slot(c, TOKEN_INDEX(f->token));
	uint64_t now = __atomic_load_n(&o->token, __ATOMIC_ACQUIRE);
	uintptr_t created, freed = 0;
	struct tombstone g = {0};

	if (now == f->token) {
		if (f->token >= OBJ_PERMANENT_MAX)
			diag->created = site_of(o);
		if (obj_acquire(c, finding_handle(f, o)) == o) {
			obj_name_get(o, diag->name, sizeof(diag->name), OBJ_C, NULL);
			obj_drop(o);
		}
		return;
	}
	if (obj_tombstone_find(c->domain, f->token, &g)) {
		memcpy(diag->name, g.name, sizeof(diag->name));
		diag->created = g.created;
		diag->freed = g.freed;
		return;
	}
	if ((now ^ TOKEN_DEAD) != f->token)
		return;
	created = site_of(o);
	if (__atomic_load_n(&o->refs, __ATOMIC_ACQUIRE) == 0)
		freed = (uintptr_t)__atomic_load_n(&o->ext, __ATOMIC_ACQUIRE);
	/* the slot may have got a new life meanwhile */
	if (__atomic_load_n(&o->token, __ATOMIC_RELAXED) != now)
		return;
	diag->created = created;
	diag->freed = freed;
}

/* Appends to the text, as far as there is room. */
static __attribute__((format(printf, 2, 3))) void diag_append(
	struct obj_diag *diag, const char *fmt, ...)
{
	size_t at = strlen(diag->text);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(diag->text + at, sizeof(diag->text) - at, fmt, ap);
	va_end(ap);
}

static void diag_fill_text(const struct finding *f, struct obj_diag *diag)
{
	char site[160];

	diag_append(diag, "%s handle %#llx: ", diag->cls, (unsigned long long)diag->handle);
	switch (f->why) {
	case OBJ_NULL: diag_append(diag, "the null handle"); break;
	case OBJ_STALE: diag_append(diag, "stale: it was freed"); break;
	case OBJ_FOREIGN: diag_append(diag, "made by the parent process before fork"); break;
	case OBJ_WRONG_CLASS: diag_append(diag, "a %s, not a %s", diag->other, diag->cls); break;
	case OBJ_GARBAGE: diag_append(diag, "never was a handle"); break;
	default: diag_append(diag, "%s", obj_error_text(f->why)); break;
	}
	if (f->detail != NULL)
		diag_append(diag, " (%s)", f->detail);
	if (diag->name[0] != '\0')
		diag_append(diag, "; name '%s'", diag->name);
	if (diag->created != 0) {
		obj_site_text(diag->created, site, sizeof(site));
		diag_append(diag, "; created at %s", site);
	}
	if (diag->freed != 0) {
		obj_site_text(diag->freed, site, sizeof(site));
		diag_append(diag, "; freed at %s", site);
	}
}

static void diag_fill(
	const struct obj_class *c, obj_h h, const struct finding *f, struct obj_diag *diag)
{
	memset(diag, 0, sizeof(*diag));
	diag->why = f->why;
	diag->handle = (uint64_t)(uintptr_t)h;
	snprintf(diag->cls, sizeof(diag->cls), "%s", obj_class_name(c));
	if (f->cls != NULL && f->cls != c)
		snprintf(diag->other, sizeof(diag->other), "%s", obj_class_name(f->cls));
	if (f->cls != NULL && f->token != 0)
		diag_fill_object(f, diag);
	diag_fill_text(f, diag);
}

int obj_why(const struct obj_class *c, obj_h h, struct obj_diag *diag)
{
	struct finding f;

	memset(&f, 0, sizeof(f));
	if (c->in == NULL)
		f.why = OBJ_GARBAGE;
	else if (obj_get(c, h) == NULL)
		find_any(c, h, &f);
	if (diag != NULL)
		diag_fill(c, h, &f, diag);
	return f.why;
}

/* ------------------------------------------------------------------------ the hook */

int obj_report_handle(struct obj_class *c, obj_h h, int why)
{
	struct obj_diag diag;
	struct finding f;

	if (c->in == NULL)
		return OBJ_GARBAGE;
	find_any(c, h, &f);
	/* valid since the caller looked: an INTEGER comes back, a token never does */
	if (why != OBJ_OK && f.why == OBJ_OK)
		f.why = why;
	if (c->domain->opts.report != NULL) {
		diag_fill(c, h, &f, &diag);
		c->domain->opts.report(c->domain->opts.report_ctx, &diag);
	}
	return f.why;
}
