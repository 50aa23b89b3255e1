// SPDX-License-Identifier: BSD-3-Clause
/* revoke.c - MPIX_Comm_revoke: every living member learns of it in the end.
 *
 *      member i tells i+8, i+4, i+2, i+1; i+8 tells i+12, i+10, i+9; ...
 *
 * flood.h says whom a member tells, also when some have failed, or do so later.  The tag of a frame
 * is the distance from which it comes.
 *
 * A communicator whose members make different collective calls is revoked as well: the frame then
 * has the words of the error.
 *
 * A process may have no communicator with that id: it is not made there yet, or has been freed.
 * That process keeps the revocation for the moment when it is made.  It answers with the tag
 * -1 - distance, and the one that told it tells others in its place.
 *
 * A revocation outlives its communicator here, as other members may still have to be told. */
#include "libmpi/coll/coll_args.h"
#include "libmpi/core/process_state.h"
#include "libmpi/ft/flood.h"
#include "libmpi/ft/ft_inner.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

/* After so many later ones a revocation is forgotten: its messages have arrived long since. */
#define REVOCATIONS_MAX 1024

struct revocation {
	uint64_t ctx;
	bool here;     /* its communicator has been here; else only told and differs are valid */
	int told;      /* the farthest distance from which it has come */
	char *differs; /* malloc'ed: as of struct comm, or NULL */
	struct ft_members m;
	struct group *group, *remote; /* held: those of m; remote may be NULL */
	struct ft_flood flood;        /* flood.absent is malloc'ed */
};

/* The latest ones, in a ring.  Their ids lie side by side: each process looks through them when it
 * has just been woken, and has none of this memory in its cache. */
BSS_BEHIND static struct {
	uint64_t ctx[REVOCATIONS_MAX];
	struct revocation *v[REVOCATIONS_MAX];
	uint64_t n;    /* since the start; the next one's place is this modulo the size */
	int ahead;     /* those that are not here */
	bool any_gone; /* a process has failed, or left */
} revocations;

/* --- the ring ------------------------------------------------------------------------------- */

static void revocation_free(struct revocation *r)
{
	if (r->group != NULL)
		obj_drop(r->group);
	if (r->remote != NULL)
		obj_drop(r->remote);
	revocations.ahead -= !r->here;
	free(r->differs);
	free(r->flood.absent);
	free(r);
}

static struct revocation *revocation_find(uint64_t ctx)
{
	uint64_t i = revocations.n < REVOCATIONS_MAX ? revocations.n : REVOCATIONS_MAX;

	while (i > 0 && revocations.ctx[i - 1] != ctx)
		i--;
	return i > 0 ? revocations.v[i - 1] : NULL;
}

bool ft_is_revoked(uint64_t ctx)
{
	const struct revocation *r = revocation_find(ctx);

	return r != NULL && r->here;
}

static void *revoke_alloc(size_t size)
{
	void *p = calloc(1, size);

	if (p == NULL)
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for a revocation");
	return p;
}

/* That of a context id, which is made at need. */
static struct revocation *revocation_get(uint64_t ctx)
{
	struct revocation *r = revocation_find(ctx);
	uint64_t i;

	if (r != NULL)
		return r;
	i = revocations.n++ % REVOCATIONS_MAX;
	if (revocations.v[i] != NULL)
		revocation_free(revocations.v[i]);
	r = revoke_alloc(sizeof(*r));
	revocations.v[i] = r;
	revocations.ctx[i] = r->ctx = ctx;
	revocations.ahead++;
	return r;
}

/* --- telling others ------------------------------------------------------------------------- */

static bool revoke_gone(int member, void *revocation)
{
	const struct revocation *r = revocation;

	return p2p_peer_gone(ft_member_peer(&r->m, member));
}

static void revoke_tell(int member, int step, void *revocation)
{
	const struct revocation *r = revocation;
	int64_t len = r->differs != NULL ? (int64_t)strlen(r->differs) + 1 : 0;

	p2p_ft_send(ft_member_peer(&r->m, member), r->ctx | FT_REVOKE, step, r->differs, len);
}

/* The revocation gets to know the members of its communicator. */
static void revocation_begin(struct revocation *r, const struct comm *c)
{
	r->here = true;
	revocations.ahead--;
	r->m = ft_members(c);
	r->group = c->group;
	r->remote = c->remote;
	obj_hold(r->group);
	if (r->remote != NULL)
		obj_hold(r->remote);
	r->flood = (struct ft_flood){.n = r->m.n,
		.me = r->m.me,
		.lossy = revocations.any_gone,
		.gone = revoke_gone,
		.tell = revoke_tell,
		.arg = r};
}

/* Ends what waits for messages of the communicator. */
static void revoke_local(struct revocation *r, struct comm *c)
{
	if (r->differs != NULL && c->differs == NULL)
		c->differs = strdup(r->differs); /* NULL: as if it was revoked */
	p2p_comm_revoke(c);
	coll_comm_revoked(c);
	ft_agree_revoked(c);
	if (c->local != NULL) {
		p2p_comm_revoke(c->local);
		coll_comm_revoked(c->local);
	}
}

/* The communicator is here.  Told from distance 1 << told, or FT_FLOOD_REVOKES: also if it was
 * known before.  The others come first: they have to wake up.  A freed communicator may end with
 * its last request. */
static void revoke_here(struct revocation *r, struct comm *c, int told)
{
	bool first = !r->here;

	obj_hold(c);
	if (first)
		revocation_begin(r, c);
	ft_flood_told(&r->flood, told);
	if (first)
		revoke_local(r, c);
	obj_drop(c);
}

/* --- the program ---------------------------------------------------------------------------- */

int ft_comm_revoke(struct comm *c)
{
	if (c->incomplete) /* it has no id that others know */
		return p2p_comm_error(c);
	ft_use(false);
	revoke_here(revocation_get(c->ctx), c, FT_FLOOD_REVOKES);
	return 0;
}

/* No ft_use: this is no failure of a process. */
void ft_comm_differ(struct comm *c, int class, const char *words)
{
	struct revocation *r = revocation_get(c->ctx);
	size_t len = strlen(words);

	if (!r->here && r->differs == NULL) {
		r->differs = revoke_alloc(len + 2);
		r->differs[0] = (char)class;
		memcpy(r->differs + 1, words, len);
	}
	revoke_here(r, c, FT_FLOOD_REVOKES);
}

int ft_comm_is_revoked(struct comm *c, int *flag)
{
	if (c->incomplete)
		return p2p_comm_error(c);
	ft_use(false);
	if (!p2p_progress())
		via_notice_poll();
	*flag = (c->hints & COMM_REVOKED) != 0;
	return 0;
}

/* core's: a communicator has got its ids. */
static void revoke_made(struct comm *c)
{
	struct revocation *r = revocation_find(c->ctx);

	if (r != NULL && !r->here)
		revoke_here(r, c, r->told);
	if (revocations.ahead == 0)
		haft_comm_hooks.ids = NULL;
}

/* --- messages ------------------------------------------------------------------------------- */

/* True if a frame has a distance, and no words, or words that end with a 0; or is an answer. */
bool ft_revoke_fits(const struct shm_frame *f)
{
	const char *differs = (const char *)f->data; /* a class and words */

	if (f->tag < 0)
		return f->tag >= -FT_FLOOD_REVOKES && f->len == 0;
	if (f->tag >= FT_FLOOD_REVOKES)
		return false;
	return f->len == 0 || (f->len > 1 && f->len <= HAFT_ERR_TEXT_MAX + 1 && differs[0] > 0 &&
				      differs[f->len - 1] == '\0');
}

/* The communicator with this id, also one that is freed and has operations under way. */
static struct comm *revoke_comm(uint64_t ctx)
{
	struct comm *c = ft_comm_find(ctx);

	c = c != NULL ? c : p2p_comm_waiting(ctx);
	return c != NULL ? c : coll_comm_waiting(ctx);
}

static void revoke_got(uint64_t ctx, const struct shm_frame *f)
{
	struct revocation *r = revocation_get(ctx);
	struct comm *c = r->here ? NULL : revoke_comm(ctx);

	if (!r->here && r->differs == NULL && f->len > 0)
		r->differs = strdup((const char *)f->data);
	if (r->here) {
		ft_flood_told(&r->flood, f->tag);
	} else if (c != NULL) {
		revoke_here(r, c, f->tag);
	} else {
		r->told = f->tag > r->told ? f->tag : r->told;
		haft_comm_hooks.ids = revoke_made;
		p2p_ft_send(f->src, ctx | FT_REVOKE, -1 - f->tag, NULL, 0);
	}
}

/* An answer: the sender has no such communicator. */
static void revoke_got_absent(struct revocation *r, int peer, int told)
{
	int member = ft_member_of(&r->m, peer);

	if (member < 0)
		return;
	if (r->flood.absent == NULL)
		r->flood.absent = revoke_alloc(ft_bits_len(r->m.n));
	ft_flood_absent(&r->flood, member, told);
}

void ft_revoke_got(const struct shm_frame *f)
{
	uint64_t ctx = f->ctx / CTX_PLANES * CTX_PLANES;
	struct revocation *r;

	if (f->tag >= 0) {
		if (f->len == 0)
			ft_use(false);
		revoke_got(ctx, f);
		return;
	}
	r = revocation_find(ctx);
	if (r != NULL && r->here)
		revoke_got_absent(r, f->src, -1 - f->tag);
}

void ft_revoke_peer_lost(int peer)
{
	revocations.any_gone = true;
	for (int i = 0; i < REVOCATIONS_MAX && revocations.v[i] != NULL; i++)
		if (revocations.v[i]->here && ft_member_of(&revocations.v[i]->m, peer) >= 0)
			ft_flood_lost(&revocations.v[i]->flood);
}
