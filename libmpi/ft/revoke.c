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
 * A revocation may come before its communicator is made here; it is kept for that moment. */
#include "libmpi/coll/coll_args.h"
#include "libmpi/core/process_state.h"
#include "libmpi/ft/flood.h"
#include "libmpi/ft/ft_inner.h"
#include <engine.h>
#include <stdlib.h>
#include <string.h>

/* A revocation without a communicator here. */
struct revoked_ahead {
	struct revoked_ahead *next;
	uint64_t ctx;
};

static struct revoked_ahead *ahead;
static int revoked; /* communicators, so distance */

static bool revoke_member_gone(int member, const void *members)
{
	return p2p_peer_gone(ft_member_peer(members, member));
}

static void revoke_tell(const struct comm *c, const struct ft_members *m, int step)
{
	int64_t len = c->differs != NULL ? (int64_t)strlen(c->differs) + 1 : 0;
	int to = ft_flood_next(m->me, m->n, INT64_C(1) << step, revoke_member_gone, m);

	if (to >= 0)
		p2p_ft_send(ft_member_peer(m, to), c->ctx | FT_REVOKE, step, c->differs, len);
}

/* Told from distance 1 << told, or FT_FLOOD_REVOKES: also if it was known before. */
static void revoke_here(struct comm *c, int told)
{
	struct ft_members m = ft_members(c);
	int from, to;

	if ((c->hints & COMM_REVOKED) == 0) {
		revoked++;
		p2p_comm_revoke(c);
		coll_comm_revoked(c);
		if (c->local != NULL) {
			p2p_comm_revoke(c->local);
			coll_comm_revoked(c->local);
		}
	}
	from = ft_flood_steps(m.n, told, c->flooded, &to);
	c->flooded = (uint8_t)to;
	while (to-- > from)
		revoke_tell(c, &m, to);
}

int ft_comm_revoke(struct comm *c)
{
	ft_use(false);
	revoke_here(c, FT_FLOOD_REVOKES);
	return 0;
}

/* Keeps the words, if they are the first. */
static void revoke_differ(struct comm *c, int class, const char *words)
{
	size_t len = strlen(words);

	if ((c->hints & COMM_REVOKED) != 0)
		return;
	c->differs = malloc(len + 2); /* NULL: the error is that of a revocation */
	if (c->differs != NULL) {
		c->differs[0] = (char)class;
		memcpy(c->differs + 1, words, len + 1);
	}
}

/* No ft_use: this is no failure of a process. */
void ft_comm_differ(struct comm *c, int class, const char *words)
{
	revoke_differ(c, class, words);
	revoke_here(c, FT_FLOOD_REVOKES);
}

int ft_comm_is_revoked(struct comm *c, int *flag)
{
	ft_use(false);
	if (!p2p_progress())
		via_news_look();
	*flag = (c->hints & COMM_REVOKED) != 0;
	return 0;
}

/* core's: a communicator has got its ids. */
static void revoke_made(struct comm *c)
{
	struct revoked_ahead **link = &ahead, *r;

	while (*link != NULL && (*link)->ctx != c->ctx)
		link = &(*link)->next;
	r = *link;
	if (r == NULL)
		return;
	*link = r->next;
	free(r);
	if (ahead == NULL)
		haft_comm_ids_hook = NULL;
	revoke_here(c, FT_FLOOD_REVOKES);
}

/* True if a frame has a distance, and no words, or words that end with a 0. */
bool ft_revoke_fits(const struct shm_frame *f)
{
	const char *differs = (const char *)f->data; /* a class and words */

	if (f->tag < 0 || f->tag >= FT_FLOOD_REVOKES)
		return false;
	return f->len == 0 || (f->len > 1 && f->len <= HAFT_ERR_TEXT_MAX + 1 && differs[0] > 0 &&
				      differs[f->len - 1] == '\0');
}

void ft_revoke_got(const struct shm_frame *f)
{
	uint64_t ctx = f->ctx / CTX_PLANES * CTX_PLANES;
	struct comm *c = ft_comm_find(ctx);
	struct revoked_ahead *r;

	if (f->len == 0)
		ft_use(false);
	if (c != NULL && f->len > 0)
		revoke_differ(c, *(const char *)f->data, (const char *)f->data + 1);
	if (c != NULL) {
		revoke_here(c, f->tag);
		return;
	}
	for (r = ahead; r != NULL; r = r->next)
		if (r->ctx == ctx)
			return;
	r = malloc(sizeof(*r));
	if (r == NULL)
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for a revocation");
	*r = (struct revoked_ahead){ahead, ctx};
	ahead = r;
	haft_comm_ids_hook = revoke_made;
}

static int revoke_again(struct comm *c, void *arg)
{
	struct ft_members m;

	if ((c->hints & COMM_REVOKED) == 0)
		return 0;
	m = ft_members(c);
	if (ft_member_of(&m, *(int *)arg) >= 0)
		revoke_tell(c, &m, 0);
	return 0;
}

void ft_revoke_peer_lost(int peer)
{
	if (revoked == 0)
		return;
	ft_comm_each(revoke_again, &peer);
}
