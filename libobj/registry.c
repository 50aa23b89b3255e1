// SPDX-License-Identifier: BSD-3-Clause
/* registry.c - the domains and classes of the process, and words about errors.
 *
 *   obj_domains ──> domain ──> domain      classes[id]: one number space for the whole process,
 *                     │ cls[id]            so no token of one domain is valid in another
 *                     v
 *                   class (the user's memory) ── in ──> obj_inside
 *
 * Ids are given out round robin: the handles of a closed class stay garbage until 254 other classes
 * have been opened. */
#include "libobj/obj_inner.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct obj_domain *obj_domains;
struct obj_lock obj_domains_lock = OBJ_LOCK_INIT(RANK_DOMAINS, "domains");
static struct obj_class *classes[MAGS];
static uint32_t last_id;

struct obj_class *obj_class_by_id(uint32_t id)
{
	return __atomic_load_n(&classes[id], __ATOMIC_ACQUIRE);
}

const char *obj_class_name(const struct obj_class *c)
{
	return c->in != NULL ? c->in->desc.name : "";
}

HAFT_START uint32_t obj_class_id_take(struct obj_class *c)
{
	uint32_t id = 0;

	obj_lock_always(&obj_domains_lock);
	for (uint32_t i = 1; i <= OBJ_CLASS_MAX && id == 0; i++) {
		uint32_t try = (last_id + i - 1) % OBJ_CLASS_MAX + 1;

		if (classes[try] == NULL)
			id = try;
	}
	if (id != 0) {
		last_id = id;
		__atomic_store_n(&classes[id], c, __ATOMIC_RELEASE);
	}
	obj_unlock_always(&obj_domains_lock);
	return id;
}

void obj_class_id_give(uint32_t id)
{
	obj_lock_always(&obj_domains_lock);
	__atomic_store_n(&classes[id], NULL, __ATOMIC_RELEASE);
	obj_unlock_always(&obj_domains_lock);
}

const char *obj_error_text(int err)
{
	static const char *const text[] = {
		[OBJ_OK] = "no error",
		[OBJ_NULL] = "null handle",
		[OBJ_GARBAGE] = "not a handle",
		[OBJ_STALE] = "stale handle: the object has been freed",
		[OBJ_WRONG_CLASS] = "handle of another class",
		[OBJ_FOREIGN] = "handle of the parent process",
		[OBJ_PERMANENT] = "permanent, cannot be freed or set",
		[OBJ_BUSY] = "being freed or deleted already",
		[OBJ_NOMEM] = "no memory, or the table is full",
		[OBJ_KEYVAL] = "not a keyval of this class",
		[OBJ_CALLBACK] = "a callback returned an error",
		[OBJ_INVALID] = "invalid argument",
	};

	return err >= 0 && (size_t)err < countof(text) ? text[err] : "unknown error";
}

void obj_report_text(struct obj_class *c, int why, const char *fmt, ...)
{
	struct obj_diag diag;
	va_list ap;

	if (c->domain->opts.report == NULL)
		return;
	memset(&diag, 0, sizeof(diag));
	diag.why = why;
	snprintf(diag.cls, sizeof(diag.cls), "%s", obj_class_name(c));
	va_start(ap, fmt);
	vsnprintf(diag.text, sizeof(diag.text), fmt, ap);
	va_end(ap);
	c->domain->opts.report(c->domain->opts.report_ctx, &diag);
}
