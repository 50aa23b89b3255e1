// SPDX-License-Identifier: BSD-3-Clause
/* trace_otf2.c - the timeline as an archive of the Open Trace Format 2, which Vampir, Scalasca and
 * ViTE read.
 *
 *     -trace=F.otf2:   F.otf2    F.def    a directory F with 0.evt, 0.def, 1.evt, ...
 *
 * Written by the system's library, which is loaded when it is needed: its functions are declared
 * here, so that a build needs none of its files.  A rank is a location group, a thread a location.
 * Every context of messages is a communicator of all ranks: senders and receivers are their
 * indices. */
#include "tools/mpiexec/trace.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "libmpi/core/dl.h"
#include "libobj/base.h"
#include "tools/mpiexec/util.h"

#define LIBRARY "libopen-trace-format2.so.10" /* OTF2 3 */

/* Values of OTF2's enumerations. */
enum {
	MODE_WRITE = 0,
	SUBSTRATE_POSIX = 1,
	COMPRESSION_NONE = 1,
	DO_FLUSH = 1,
	GROUP_PROCESS = 1,
	LOCATION_THREAD = 1,
	PARADIGM_USER = 1,
	PARADIGM_MPI = 4,
	ROLE_FUNCTION = 1,
	ROLE_CODE = 4,
	GROUP_LOCATIONS = 4,
	GROUP_COMM = 5
};

#define UNDEFINED UINT32_MAX
#define CHUNK     (UINT64_C(4) << 20)

/* ViTE takes the number of a location for the rank, so the first threads have these. */
static uint64_t location(const struct timeline *t, int rank, int thread)
{
	return (uint64_t)thread * (uint64_t)t->n + (uint64_t)rank;
}

struct otf2_flush {
	uint8_t (*before)(void *arg, uint8_t type, uint64_t location, void *caller, bool last);
	uint64_t (*after)(void *arg, uint8_t type, uint64_t location);
};

/* F(name, result, parameters).  Results of type int are error codes, 0 if all is well. */
#define FUNCTIONS(F)                                                                         \
	F(Archive_Open, void *,                                                              \
		(const char *, const char *, uint8_t, uint64_t, uint64_t, uint8_t, uint8_t)) \
	F(Archive_Close, int, (void *))                                                      \
	F(Archive_SetFlushCallbacks, int, (void *, const struct otf2_flush *, void *))       \
	F(Archive_SetSerialCollectiveCallbacks, int, (void *))                               \
	F(Archive_SetCreator, int, (void *, const char *))                                   \
	F(Archive_OpenEvtFiles, int, (void *))                                               \
	F(Archive_CloseEvtFiles, int, (void *))                                              \
	F(Archive_OpenDefFiles, int, (void *))                                               \
	F(Archive_CloseDefFiles, int, (void *))                                              \
	F(Archive_GetEvtWriter, void *, (void *, uint64_t))                                  \
	F(Archive_CloseEvtWriter, int, (void *, void *))                                     \
	F(Archive_GetDefWriter, void *, (void *, uint64_t))                                  \
	F(Archive_CloseDefWriter, int, (void *, void *))                                     \
	F(Archive_GetGlobalDefWriter, void *, (void *))                                      \
	F(EvtWriter_Enter, int, (void *, void *, uint64_t, uint32_t))                        \
	F(EvtWriter_Leave, int, (void *, void *, uint64_t, uint32_t))                        \
	F(EvtWriter_MpiSend, int,                                                            \
		(void *, void *, uint64_t, uint32_t, uint32_t, uint32_t, uint64_t))          \
	F(EvtWriter_MpiRecv, int,                                                            \
		(void *, void *, uint64_t, uint32_t, uint32_t, uint32_t, uint64_t))          \
	F(GlobalDefWriter_WriteClockProperties, int,                                         \
		(void *, uint64_t, uint64_t, uint64_t, uint64_t))                            \
	F(GlobalDefWriter_WriteString, int, (void *, uint32_t, const char *))                \
	F(GlobalDefWriter_WriteSystemTreeNode, int,                                          \
		(void *, uint32_t, uint32_t, uint32_t, uint32_t))                            \
	F(GlobalDefWriter_WriteLocationGroup, int,                                           \
		(void *, uint32_t, uint32_t, uint8_t, uint32_t, uint32_t))                   \
	F(GlobalDefWriter_WriteLocation, int,                                                \
		(void *, uint64_t, uint32_t, uint8_t, uint64_t, uint32_t))                   \
	F(GlobalDefWriter_WriteRegion, int,                                                  \
		(void *, uint32_t, uint32_t, uint32_t, uint32_t, uint8_t, uint8_t, uint32_t, \
			uint32_t, uint32_t, uint32_t))                                       \
	F(GlobalDefWriter_WriteGroup, int,                                                   \
		(void *, uint32_t, uint32_t, uint8_t, uint8_t, uint32_t, uint32_t,           \
			const uint64_t *))                                                   \
	F(GlobalDefWriter_WriteComm, int,                                                    \
		(void *, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t))

#define POINTER(name, result, parameters) result(*name) parameters;
static struct {
	FUNCTIONS(POINTER)
} otf2;
#undef POINTER

/* NULL, or words why there is no library. */
static const char *otf2_load(void)
{
#define FIND(name, result, parameters) {"OTF2_" #name, (void **)(void *)&otf2.name},
	static const struct dl_symbol rows[] = {FUNCTIONS(FIND)};
#undef FIND
	static char words[512];

	if (dl_open(LIBRARY, rows, countof(rows)) != NULL)
		return NULL;
	snprintf(words, sizeof(words), "the library of OTF2 (%s) cannot be loaded: %s", LIBRARY,
		dlerror());
	return words;
}

struct otf2_out {
	const struct timeline *t;
	void *archive, *defs, *events;
	int bad;          /* the first error code */
	uint64_t *count;  /* of events, by location */
	uint64_t here;    /* of this location */
	uint32_t strings; /* that have been written */
	uint32_t *fn;     /* numbers + 1: of calls by function, then of waits by reason .. */
	uint32_t *own;    /* .. and of regions of the program, by rank and row */
	struct otf2_region {
		int rank; /* of which one the span is */
		struct trace_span s;
	} * region; /* by number */
	uint32_t regions;
	uint64_t *ctx; /* contexts, in the order of their communicators' numbers */
	int nctx;
};

static void otf2_check(struct otf2_out *o, int code)
{
	if (o->bad == 0)
		o->bad = code;
}

static uint32_t otf2_string(struct otf2_out *o, const char *s)
{
	otf2_check(o, otf2.GlobalDefWriter_WriteString(o->defs, o->strings, s));
	return o->strings++;
}

/* --- events ----------------------------------------------------------------------------------- */

/* Numbers are given when they are first needed; the definitions follow. */
static uint32_t region_of(struct otf2_out *o, int rank, const struct trace_span *s)
{
	uint32_t *at = s->kind == TRACE_REGION ? &o->own[rank * PROF_REGIONS + (int)s->what]
		       : s->kind == TRACE_CALL ? &o->fn[s->fn % PROF_FNS]
					       : &o->fn[PROF_FNS + s->fn];

	if (*at == 0) {
		o->region = mem_grow(o->region, (size_t)o->regions + 1, sizeof(*o->region));
		o->region[o->regions] = (struct otf2_region){rank, *s};
		*at = ++o->regions;
	}
	return *at - 1;
}

static uint32_t comm_of(struct otf2_out *o, uint64_t ctx)
{
	int i = 0;

	while (i < o->nctx && o->ctx[i] != ctx)
		i++;
	if (i == o->nctx) {
		o->ctx = mem_grow(o->ctx, (size_t)o->nctx + 1, sizeof(*o->ctx));
		o->ctx[o->nctx++] = ctx;
	}
	return (uint32_t)i;
}

static uint64_t stamp(int64_t ns)
{
	return ns > 0 ? (uint64_t)ns : 0;
}

static void otf2_enter(void *arg, int rank, const struct trace_span *s)
{
	struct otf2_out *o = arg;

	otf2_check(
		o, otf2.EvtWriter_Enter(o->events, NULL, stamp(s->begin), region_of(o, rank, s)));
	o->here++;
}

static void otf2_leave(void *arg, int rank, const struct trace_span *s, int64_t at)
{
	struct otf2_out *o = arg;

	otf2_check(o, otf2.EvtWriter_Leave(o->events, NULL, stamp(at), region_of(o, rank, s)));
	o->here++;
}

static void otf2_sent(void *arg, int i, const struct trace_arrow *a)
{
	struct otf2_out *o = arg;

	(void)i;
	otf2_check(o, otf2.EvtWriter_MpiSend(o->events, NULL, stamp(a->sent), (uint32_t)a->to,
			      comm_of(o, a->ctx), (uint32_t)a->tag, a->bytes));
	o->here++;
}

static void otf2_matched(void *arg, int i, const struct trace_arrow *a)
{
	struct otf2_out *o = arg;

	(void)i;
	otf2_check(o, otf2.EvtWriter_MpiRecv(o->events, NULL, stamp(a->matched), (uint32_t)a->from,
			      comm_of(o, a->ctx), (uint32_t)a->tag, a->bytes));
	o->here++;
}

/* Calls `each' for every thread of every rank. */
static void locations_each(
	struct otf2_out *o, void (*each)(struct otf2_out *o, int rank, int thread))
{
	for (int i = 0; i < o->t->n; i++)
		for (int k = 0; k < o->t->rank[i].threads; k++)
			each(o, i, k);
}

static void location_events(struct otf2_out *o, int rank, int thread)
{
	static const struct trace_visit visit = {otf2_enter, otf2_leave, otf2_sent, otf2_matched};

	o->events = otf2.Archive_GetEvtWriter(o->archive, location(o->t, rank, thread));
	if (o->events == NULL) {
		otf2_check(o, -1);
		return;
	}
	o->here = 0;
	trace_visit_thread(o->t, rank, thread, &visit, o);
	o->count[location(o->t, rank, thread)] = o->here;
	otf2_check(o, otf2.Archive_CloseEvtWriter(o->archive, o->events));
}

/* --- definitions ------------------------------------------------------------------------------ */

/* Readers expect a file of its own definitions for each location. */
static void location_defs(struct otf2_out *o, int rank, int thread)
{
	void *defs = otf2.Archive_GetDefWriter(o->archive, location(o->t, rank, thread));

	otf2_check(o, defs != NULL ? otf2.Archive_CloseDefWriter(o->archive, defs) : -1);
}

static void regions_define(struct otf2_out *o)
{
	for (uint32_t i = 0; i < o->regions; i++) {
		const struct otf2_region *r = &o->region[i];
		bool own = r->s.kind == TRACE_REGION;
		uint32_t name = otf2_string(o, trace_name(o->t, r->rank, &r->s));

		otf2_check(o, otf2.GlobalDefWriter_WriteRegion(o->defs, i, name, name, 0,
				      own ? ROLE_CODE : ROLE_FUNCTION,
				      own ? PARADIGM_USER : PARADIGM_MPI, 0, UNDEFINED, 0, 0));
	}
}

static void location_define(struct otf2_out *o, int rank, int thread)
{
	char name[64];

	if (thread == 0) {
		int host = o->t->p->rank[rank].t->host;
		uint32_t of = o->t->hosts != NULL && host >= 0 && host < o->t->nhosts
				      ? 1 + (uint32_t)host
				      : 0;

		otf2_check(o, otf2.GlobalDefWriter_WriteLocationGroup(o->defs, (uint32_t)rank,
				      otf2_string(o, trace_rank_name(o->t, rank, name)),
				      GROUP_PROCESS, of, UNDEFINED));
	}
	snprintf(name, sizeof(name), "thread %d", thread);
	otf2_check(o, otf2.GlobalDefWriter_WriteLocation(o->defs, location(o->t, rank, thread),
			      otf2_string(o, name), LOCATION_THREAD,
			      o->count[location(o->t, rank, thread)], (uint32_t)rank));
}

/* The machine, and its hosts. */
static void hosts_define(struct otf2_out *o)
{
	uint32_t machine = otf2_string(o, "machine"), node = otf2_string(o, "node");

	otf2_check(o,
		otf2.GlobalDefWriter_WriteSystemTreeNode(o->defs, 0, machine, machine, UNDEFINED));
	for (int h = 0; o->t->hosts != NULL && h < o->t->nhosts; h++)
		otf2_check(o, otf2.GlobalDefWriter_WriteSystemTreeNode(o->defs, 1 + (uint32_t)h,
				      otf2_string(o, o->t->hosts[h]), node, 0));
}

static void comms_define(struct otf2_out *o)
{
	uint64_t *member = mem_grow(NULL, (size_t)o->t->n + 1, sizeof(*member));
	uint32_t n = (uint32_t)o->t->n, none = otf2_string(o, "");

	for (uint32_t i = 0; i < n; i++)
		member[i] = i;
	otf2_check(o, otf2.GlobalDefWriter_WriteGroup(o->defs, 0, otf2_string(o, "ranks"),
			      GROUP_LOCATIONS, PARADIGM_MPI, 0, n, member));
	for (uint32_t i = 0; i < n; i++)
		member[i] = i;
	otf2_check(o, otf2.GlobalDefWriter_WriteGroup(
			      o->defs, 1, none, GROUP_COMM, PARADIGM_MPI, 0, n, member));
	for (int k = 0; k < o->nctx; k++) {
		char name[48];

		snprintf(name, sizeof(name), "context %llu", (unsigned long long)o->ctx[k]);
		otf2_check(o, otf2.GlobalDefWriter_WriteComm(
				      o->defs, (uint32_t)k, otf2_string(o, name), 1, UNDEFINED, 0));
	}
	free(member);
}

static uint8_t flush_do(void *arg, uint8_t type, uint64_t location, void *caller, bool last)
{
	(void)arg;
	(void)type;
	(void)location;
	(void)caller;
	(void)last;
	return DO_FLUSH;
}

static void archive_write(struct otf2_out *o)
{
	static const struct otf2_flush flush = {flush_do, NULL};

	otf2_check(o, otf2.Archive_SetFlushCallbacks(o->archive, &flush, NULL));
	otf2_check(o, otf2.Archive_SetSerialCollectiveCallbacks(o->archive));
	otf2_check(o, otf2.Archive_SetCreator(o->archive, "Haft mpiexec " HAFT_VERSION));
	otf2_check(o, otf2.Archive_OpenEvtFiles(o->archive));
	locations_each(o, location_events);
	otf2_check(o, otf2.Archive_CloseEvtFiles(o->archive));
	otf2_check(o, otf2.Archive_OpenDefFiles(o->archive));
	locations_each(o, location_defs);
	otf2_check(o, otf2.Archive_CloseDefFiles(o->archive));
	o->defs = otf2.Archive_GetGlobalDefWriter(o->archive);
	if (o->defs == NULL) {
		otf2_check(o, -1);
		return;
	}
	otf2_string(o, ""); /* number 0: none */
	otf2_check(o, otf2.GlobalDefWriter_WriteClockProperties(
			      o->defs, 1000000000, 0, stamp(o->t->end) + 1, UINT64_MAX));
	hosts_define(o);
	locations_each(o, location_define);
	regions_define(o);
	comms_define(o);
}

static bool ends_with(const char *s, const char *end)
{
	size_t len = strlen(s), n = strlen(end);

	return len > n && strcmp(s + len - n, end) == 0;
}

/* Removes an archive that has been written here before: the library does not write over it.  Other
 * files stay. */
static void archive_remove(const char *where)
{
	char *base = text_new("%.*s", (int)strlen(where) - 5, where);
	char *defs = text_new("%s.def", base);
	DIR *d = unlink(where) == 0 ? opendir(base) : NULL;
	struct dirent *e;

	while (d != NULL && (e = readdir(d)) != NULL)
		if (ends_with(e->d_name, ".evt") || ends_with(e->d_name, ".def"))
			unlinkat(dirfd(d), e->d_name, 0);
	if (d != NULL) {
		closedir(d);
		unlink(defs);
		rmdir(base);
	}
	free(defs);
	free(base);
}

static uint32_t *numbers_new(size_t n)
{
	uint32_t *v = mem_grow(NULL, n + 1, sizeof(*v));

	memset(v, 0, (n + 1) * sizeof(*v));
	return v;
}

const char *trace_otf2(const struct timeline *t, const char *where)
{
	const char *slash = strrchr(where, '/'), *why = otf2_load();
	char *dir = text_new(
		"%.*s", slash != NULL ? (int)(slash - where) + 1 : 1, slash != NULL ? where : ".");
	char *name = text_new("%.*s", (int)strlen(slash != NULL ? slash + 1 : where) - 5,
		slash != NULL ? slash + 1 : where);
	struct otf2_out o = {.t = t};

	if (why == NULL) {
		o.fn = numbers_new(PROF_FNS + PROF_WHYS);
		o.own = numbers_new((size_t)t->n * PROF_REGIONS);
		o.count = mem_grow(NULL, (size_t)t->n * 256 + 1, sizeof(*o.count));
		archive_remove(where);
		o.archive = otf2.Archive_Open(
			dir, name, MODE_WRITE, CHUNK, CHUNK, SUBSTRATE_POSIX, COMPRESSION_NONE);
		if (o.archive != NULL) {
			archive_write(&o);
			otf2_check(&o, otf2.Archive_Close(o.archive));
		}
		if (o.archive == NULL || o.bad != 0)
			why = "the library of OTF2 cannot write it";
	}
	free(o.fn);
	free(o.own);
	free(o.region);
	free(o.count);
	free(o.ctx);
	free(dir);
	free(name);
	return why;
}
