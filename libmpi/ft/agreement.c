// SPDX-License-Identifier: BSD-3-Clause
/* agreement.c - MPIX_Comm_agree, MPIX_Comm_shrink and their kin: agreements (era.h) on
 * communicators.
 *
 *      call ──> agreement_begin ──> era ──> decided ──> agree_pass ──> results, request done
 *                    ^                        ^
 *                    └── waiting messages ──────┴── frames: (context id | FT_AGREE, number)
 *
 * The n-th agreement on a communicator has number n in all members.  A message for one that has not
 * begun here waits for it.  A shrink is an agreement whose decision has the failed members and the
 * new context id.
 *
 * Spawns settle by agreements with numbers of their own.  A revocation ends those, and no later one
 * begins: a member that shrinks a revoked communicator does not wait for members in a spawn.
 *
 * An agreement is kept after its end, because others may ask for its decision when a member fails.
 * It goes when a later one on the same communicator shows that all have it (`floor'), or, long
 * after, when there are too many.  Messages that still come for it are dropped, also when its
 * communicator has been freed.
 *
 * A member without memory for an agreement would leave the others waiting, so it ends the job.
 *
 * If some members agree and others shrink, which is a mistake of the program, the decision says so:
 * an error in all of them. */
#include "libmpi/boot/boot.h"
#include "libmpi/boot/waitrec.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/comm/groups.h"
#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/rank_name.h"
#include "libmpi/ft/era.h"
#include "libmpi/ft/ft.h"
#include "libmpi/ft/ft_inner.h"
#include "libmpi/via/alias.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_MAX    256  /* agreements that have ended, at least */
#define DROPPED_MAX 1024 /* communicators of which is known that some were dropped */

/* Numbers from here on are those of settles. */
#define NUMBER_SETTLE (UINT32_C(1) << 31)
#define NUMBER_FINAL  (NUMBER_SETTLE - 1) /* the one of MPI_Finalize */

/* The first FT_ERA_CALLS have one order in a program. */
enum agree_kind {
	AGREE_FLAG,
	AGREE_IFLAG,
	AGREE_SHRINK,
	AGREE_ISHRINK,
	AGREE_REPLACE, /* the shrink of MPIX_Comm_replace */
	AGREE_SETTLE,  /* ft_settle */
	AGREE_FINAL    /* MPI_Finalize */
};

static const char *const agree_names[FT_ERA_CALLS] = {"MPIX_Comm_agree", "MPIX_Comm_iagree",
	"MPIX_Comm_shrink", "MPIX_Comm_ishrink", "MPIX_Comm_replace"};

static bool agree_shrinks(enum agree_kind kind)
{
	return kind == AGREE_SHRINK || kind == AGREE_ISHRINK || kind == AGREE_REPLACE;
}

static bool number_settles(uint32_t number)
{
	return number >= NUMBER_SETTLE;
}

/* A message for an agreement that has not begun here. */
struct waiting_msg {
	struct waiting_msg *next;
	int peer;
	uint32_t len;
	char data[];
};

struct agreement {
	struct agreement *next;
	uint64_t ctx;
	uint32_t number;
	enum agree_kind kind;
	struct ft_era *era; /* NULL: not begun here */
	struct waiting_msg *waiting, **waiting_last;
	struct ft_members m; /* groups are held */
	bool decided;        /* agree_pass has not looked at it yet */
	bool over;
	int err;
	char words[160];
	struct comm *c;       /* held until it is over */
	struct comm *newcomm; /* of a shrink: held until it is over */
	int *flag;
	struct req *req; /* held until it is over; NULL: a blocking call */
};

static struct agreement *agreements;

/* Communicators of which agreements were dropped, in the order of the first one, in a ring. */
BSS_BEHIND static struct dropped {
	uint64_t ctx;
	uint32_t end[2]; /* those dropped have lower numbers; the second: settles */
} dropped[DROPPED_MAX];
static unsigned ndropped; /* since the start */

/* --- the list ------------------------------------------------------------------------------- */

static struct agreement *agreement_find(uint64_t ctx, uint32_t number)
{
	struct agreement *a = agreements;

	while (a != NULL && (a->ctx != ctx || a->number != number))
		a = a->next;
	return a;
}

static struct agreement *agreement_new(uint64_t ctx, uint32_t number)
{
	struct agreement *a = calloc(1, sizeof(*a));

	if (a == NULL)
		return NULL;
	a->ctx = ctx;
	a->number = number;
	a->waiting_last = &a->waiting;
	a->next = agreements;
	agreements = a;
	return a;
}

static void waiting_free(struct agreement *a)
{
	struct waiting_msg *m;

	while ((m = a->waiting) != NULL) {
		a->waiting = m->next;
		free(m);
	}
	a->waiting_last = &a->waiting;
}

static void agreement_free(struct agreement **link)
{
	struct agreement *a = *link;

	*link = a->next;
	waiting_free(a);
	ft_era_free(a->era);
	if (a->m.first != NULL)
		obj_drop((void *)(uintptr_t)a->m.first);
	if (a->m.second != NULL)
		obj_drop((void *)(uintptr_t)a->m.second);
	free(a);
}

static struct dropped *dropped_find(uint64_t ctx)
{
	unsigned n = ndropped < DROPPED_MAX ? ndropped : DROPPED_MAX;

	for (unsigned i = 1; i <= n; i++) {
		struct dropped *d = &dropped[(ndropped - i) % DROPPED_MAX];

		if (d->ctx == ctx)
			return d;
	}
	return NULL;
}

static void dropped_keep(uint64_t ctx, uint32_t number)
{
	struct dropped *d = dropped_find(ctx);

	if (d == NULL) {
		d = &dropped[ndropped++ % DROPPED_MAX];
		*d = (struct dropped){.ctx = ctx};
	}
	if (d->end[number_settles(number)] <= number)
		d->end[number_settles(number)] = number + 1;
}

/* The number of the next agreement, or of the next settle, on a communicator. */
static uint32_t agreement_next(const struct comm *c, bool settles)
{
	return settles ? NUMBER_SETTLE + c->settles : c->agreements;
}

/* Was the agreement dropped, as all have its decision, or as a settle that a revocation has
 * ended? */
static bool agreement_dropped(uint64_t ctx, uint32_t number)
{
	bool settles = number_settles(number);
	const struct comm *c = ft_comm_find(ctx);
	const struct dropped *d = c == NULL ? dropped_find(ctx) : NULL;

	if (settles && ft_is_revoked(ctx))
		return true;
	return number < (c != NULL ? agreement_next(c, settles) : d != NULL ? d->end[settles] : 0);
}

/* Is it on the communicator of this id, in the order of number `floor', and before it? */
static bool agreement_before(const struct agreement *a, uint64_t ctx, uint32_t floor)
{
	return a->ctx == ctx && number_settles(a->number) == number_settles(floor) &&
	       a->number < floor;
}

/* Frees agreements that are over: those before `floor' on communicator ctx and of its order, whose
 * decision no member lacks, and all beyond the latest KEPT_MAX. */
static void agreements_drop(uint64_t ctx, uint32_t floor)
{
	struct agreement **link = &agreements;
	int n = 0;

	while (*link != NULL) {
		struct agreement *a = *link;

		if (a->over && (agreement_before(a, ctx, floor) || n >= KEPT_MAX)) {
			dropped_keep(a->ctx, a->number);
			agreement_free(link);
			continue;
		}
		n++;
		link = &a->next;
	}
}

/* The least number of an agreement, or of a settle, that this process has no decision of. */
static uint32_t agreement_floor(const struct comm *c, bool settles)
{
	uint32_t floor = agreement_next(c, settles);

	for (const struct agreement *a = agreements; a != NULL; a = a->next)
		if (a->c != NULL && agreement_before(a, c->ctx, floor))
			floor = a->number;
	return floor;
}

/* --- era's view of the world ---------------------------------------------------------------- */

static void agreement_send(void *arg, int to, const void *msg, size_t len)
{
	const struct agreement *a = arg;
	int peer = ft_member_peer(&a->m, to);

	if (!p2p_peer_gone(peer))
		p2p_ft_send(peer, a->ctx | FT_AGREE, (int32_t)a->number, msg, (int64_t)len);
}

static uint64_t agreement_mint(void *arg)
{
	const struct agreement *a = arg;

	if (!agree_shrinks(a->kind))
		return 0;
	for (int i = 0; i < a->m.n; i++)
		if (via_is_alias(ft_member_peer(&a->m, i)))
			return comm_ctx_mint_mixed(CTX_FEW).ctx;
	return comm_ctx_mint(CTX_FEW).ctx;
}

static void agreement_decided(void *arg)
{
	((struct agreement *)arg)->decided = true;
}

static const struct ft_era_ops agreement_ops = {agreement_send, agreement_mint, agreement_decided};

__attribute__((noreturn, cold)) static void agreement_no_memory(void)
{
	haft_abort_job(MPI_ERR_NO_MEM, "no memory for an agreement");
}

/* Gives a message to the era.  A peer's messages come in the order in which it has sent them, and
 * the notice of its death comes after them. */
static void agreement_take(struct agreement *a, int peer, const void *msg, size_t len)
{
	if (!ft_era_got(a->era, ft_member_of(&a->m, peer), msg, len))
		p2p_protocol_error(peer, "a message of an agreement, of %zu bytes", len);
}

void ft_agree_got(const struct shm_frame *f)
{
	uint64_t ctx = f->ctx / CTX_PLANES * CTX_PLANES;
	struct agreement *a = agreement_find(ctx, (uint32_t)f->tag);
	struct waiting_msg *m;

	if ((a == NULL && agreement_dropped(ctx, (uint32_t)f->tag)) ||
		(a != NULL && a->over && a->era == NULL)) /* a settle that a revocation ended */
		return;
	if (a != NULL && a->era != NULL) {
		agreement_take(a, f->src, f->data, f->len);
		return;
	}
	m = malloc(sizeof(*m) + f->len);
	if (a == NULL)
		a = agreement_new(ctx, (uint32_t)f->tag);
	if (a == NULL || m == NULL)
		agreement_no_memory();
	m->next = NULL;
	m->peer = f->src;
	m->len = f->len;
	memcpy(m->data, f->data, f->len);
	*a->waiting_last = m;
	a->waiting_last = &m->next;
}

void ft_agree_peer_lost(int peer)
{
	for (struct agreement *a = agreements; a != NULL; a = a->next) {
		int i = a->era != NULL ? ft_member_of(&a->m, peer) : -1;

		if (i >= 0)
			ft_era_failed(a->era, i);
	}
}

/* --- results -------------------------------------------------------------------------------- */

/* MPI_ERR_OTHER with words if the members' calls are not of one kind, agree, shrink or replace;
 * else 0. */
static int agreed_differ(const struct ft_part *d)
{
	const int32_t *f = d->first;
	int kind[] = {f[AGREE_FLAG] < f[AGREE_IFLAG] ? AGREE_FLAG : AGREE_IFLAG,
		f[AGREE_SHRINK] < f[AGREE_ISHRINK] ? AGREE_SHRINK : AGREE_ISHRINK, AGREE_REPLACE};
	int seen = -1;

	for (size_t i = 0; i < countof(kind); i++) {
		if (f[kind[i]] == INT32_MAX)
			continue;
		if (seen >= 0)
			return haft_err(MPI_ERR_OTHER,
				"member %d calls %s, member %d %s; all members must make these "
				"calls in one order",
				f[seen], agree_names[seen], f[kind[i]], agree_names[kind[i]]);
		seen = kind[i];
	}
	return 0;
}

/* MPIX_ERR_PROC_FAILED with words if a member has failed that not all have acknowledged; else 0. */
static int agreed_error(const struct agreement *a, const struct ft_part *d)
{
	char who[HAFT_RANK_NAME];

	for (int i = 0; i < a->m.n; i++)
		if (ft_bit(d->failed, i) && !ft_bit(d->acked, i))
			return haft_err(MPIX_ERR_PROC_FAILED,
				"member %d has failed (%s), and not all members have "
				"acknowledged it",
				i, haft_number_name(who, ft_member_peer(&a->m, i)));
	return 0;
}

static void agreed_flag(struct agreement *a, const struct ft_part *d)
{
	if (a->flag != NULL)
		*a->flag = d->flag[a->m.second != NULL ? 1 - a->m.side : 0];
	a->err = agreed_error(a, d);
}

/* Makes the group of those members of g that have not failed; g[0] is member `from'.  0, or
 * MPI_ERR_NO_MEM with words. */
static int agreed_group(
	const struct ft_part *d, int from, const struct group *g, struct group **living)
{
	int32_t *peers = malloc(((size_t)g->size + 1) * sizeof(*peers));
	int n = 0;

	if (peers == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a group of %d", g->size);
	for (int i = 0; i < g->size; i++)
		if (!ft_bit(d->failed, from + i))
			peers[n++] = group_peer(g, i);
	return group_make(n, peers, living);
}

/* The communicator of a shrink gets its groups and ids. */
static void comm_fill(struct comm *c, struct group *local, struct group *remote, uint64_t id)
{
	obj_drop(c->group);
	c->group = local;
	obj_hold(local);
	c->rank = local->rank;
	c->size = local->size;
	if (remote != NULL) {
		obj_drop(c->remote);
		c->remote = remote;
		obj_hold(remote);
	}
	comm_ready(c, (struct comm_ids){id, id + CTX_FEW});
}

/* An inter-communicator has two sides: without one of them there is none, as in MPI_Comm_split.  A
 * shrink gives MPI_COMM_NULL then (ft_comm_shrink); the user has the handle of an ishrink. */
static int agreed_side(const struct agreement *a, const struct group *remote)
{
	if (remote->size > 0 || a->kind != AGREE_ISHRINK)
		return 0;
	return haft_err(MPI_ERR_COMM, "all members of the remote group have failed, and an "
				      "inter-communicator has two groups");
}

static void agreed_shrink(struct agreement *a, const struct ft_part *d)
{
	struct group *g[2] = {NULL, NULL};
	int err = 0;

	if ((d->flag[0] & d->flag[1]) == 0)
		err = haft_err(MPI_ERR_NO_MEM, "a member has no memory for the communicator");
	if (err == 0)
		err = agreed_group(d, 0, a->m.first, &g[0]);
	if (err == 0 && a->m.second != NULL)
		err = agreed_group(d, a->m.first->size, a->m.second, &g[1]);
	if (err == 0 && a->m.second != NULL)
		err = agreed_side(a, g[1 - a->m.side]);
	if (err == 0)
		comm_fill(a->newcomm, g[a->m.side], a->m.second != NULL ? g[1 - a->m.side] : NULL,
			d->id);
	for (int i = 0; i < 2; i++)
		if (g[i] != NULL)
			obj_free_obj(g[i]);
	a->err = err;
}

/* The agreement is over, with a->err. */
static void agreement_end(struct agreement *a)
{
	if (a->err != 0)
		snprintf(a->words, sizeof(a->words), "%s", haft_err_text(a->err));
	a->over = true;
	if (a->newcomm != NULL)
		obj_drop(a->newcomm);
	a->newcomm = NULL;
	if (a->req != NULL) {
		if (a->err != 0)
			p2p_req_fail(a->req, a->err);
		p2p_req_done(a->req);
		obj_drop(a->req);
		a->req = NULL;
	}
	obj_drop(a->c);
	a->c = NULL;
}

static void agreement_decision(struct agreement *a)
{
	const struct ft_part *d = ft_era_decision(a->era);

	for (int i = 0; i < a->m.n; i++)
		if (ft_bit(d->failed, i) && a->kind != AGREE_FINAL)
			p2p_peer_died(ft_member_peer(&a->m, i),
				"another process has noticed that it has failed");
	a->err = agreed_differ(d);
	if (a->err == 0 && agree_shrinks(a->kind))
		agreed_shrink(a, d);
	else if (a->err == 0 && a->kind != AGREE_FINAL)
		agreed_flag(a, d);
	agreement_end(a);
	if (ft_is_on())
		ft_use(true);
}

/* p2p's progress hook: ends the agreements that are decided. */
static int agree_pass(void)
{
	int moved = 0;

	for (struct agreement *a = agreements; a != NULL; a = a->next) {
		if (!a->decided || a->over)
			continue;
		agreement_decision(a);
		moved++;
	}
	return moved;
}

/* Those that are decided end by their decision.  Others have no call here, or one that fails. */
void ft_agree_revoked(struct comm *c)
{
	for (struct agreement *a = agreements; a != NULL; a = a->next) {
		if (a->ctx != c->ctx || !number_settles(a->number) || a->decided || a->over)
			continue;
		waiting_free(a);
		a->over = true;
		if (a->c == NULL)
			continue;
		a->err = p2p_comm_error(c);
		agreement_end(a);
	}
}

/* --- beginning ------------------------------------------------------------------------------ */

/* Fills in the contribution of this process, into the sets of *p. */
static void agreement_mine(const struct agreement *a, int32_t value, struct ft_part *p)
{
	p->flag[a->m.side] = value;
	p->flag[1 - a->m.side] = -1;
	p->floor = agreement_floor(a->c, a->kind == AGREE_SETTLE);
	for (int k = 0; k < FT_ERA_CALLS; k++)
		p->first[k] = (int)a->kind == k ? a->m.me : INT32_MAX;
	for (int i = 0; i < a->m.n; i++)
		if (p2p_peer_gone(ft_member_peer(&a->m, i)))
			ft_bit_set(p->failed, i);
	for (uint32_t k = 0; k < a->c->acked; k++) {
		int i = ft_member_of(&a->m, p2p_failed_at(k));

		if (i >= 0)
			ft_bit_set(p->acked, i);
	}
}

/* Joins the agreement, and takes the messages that have come for it. */
static void agreement_join(struct agreement *a, int32_t value)
{
	size_t len = ft_bits_len(a->m.n);
	uint8_t *sets = calloc(3, len);
	struct ft_part mine = {.covered = sets, .failed = sets + len, .acked = sets + 2 * len};
	struct waiting_msg *m;

	if (sets == NULL)
		agreement_no_memory();
	agreement_mine(a, value, &mine);
	a->era = ft_era_new(a->m.n, a->m.me, &mine, &agreement_ops, a);
	free(sets);
	if (a->era == NULL)
		agreement_no_memory();
	for (m = a->waiting; m != NULL; m = m->next)
		if (!p2p_peer_gone(m->peer))
			agreement_take(a, m->peer, m->data, m->len);
	waiting_free(a);
}

static bool agreement_fits(int members)
{
	int64_t len = (int64_t)ft_era_msg_len(members);

	return len <= (int64_t)via.frame_max && len <= NET_FRAME_MAX;
}

/* Takes the number of a new agreement on c. */
static uint32_t agreement_number(struct comm *c, enum agree_kind kind)
{
	switch (kind) {
	case AGREE_FINAL: return NUMBER_FINAL;
	case AGREE_SETTLE: return NUMBER_SETTLE + c->settles++;
	default: return c->agreements++;
	}
}

/* Begins the next agreement on c, which may have messages already, with this member's value.  0 and
 * *out, which stays in the list; or a class with words. */
static int agreement_begin(
	struct comm *c, enum agree_kind kind, int32_t value, struct agreement **out)
{
	struct ft_members m = ft_members(c);
	struct agreement *a;
	uint32_t number;

	via_notice_poll(); /* may bring a revocation, or messages of the agreement */
	if (c->incomplete || (kind == AGREE_SETTLE && (c->hints & COMM_REVOKED) != 0))
		return p2p_comm_error(c);
	number = agreement_number(c, kind);
	a = agreement_find(c->ctx, number);
	if (kind < AGREE_SETTLE || ft_is_on()) /* MPI_Finalize: perhaps only calls differ */
		ft_use(true);
	if (!agreement_fits(m.n))
		return haft_err(MPI_ERR_OTHER, "%d members are too many for an agreement", m.n);
	if (a == NULL)
		a = agreement_new(c->ctx, number);
	if (a == NULL)
		agreement_no_memory();
	a->kind = kind;
	a->m = m;
	obj_hold((void *)(uintptr_t)m.first);
	if (m.second != NULL)
		obj_hold((void *)(uintptr_t)m.second);
	a->c = c;
	obj_hold(c);
	p2p_progress_hook(agree_pass);
	*out = a;
	agreement_join(a, value);
	return 0;
}

struct agreement_wait {
	struct shm_describer describer; /* first */
	const struct agreement *a;
};

static bool agreement_is_over(void *arg)
{
	return ((const struct agreement_wait *)arg)->a->over;
}

static void agreement_describe(const struct shm_describer *t, void *description)
{
	const struct agreement *a = ((const struct agreement_wait *)t)->a;
	struct boot_wait *what = description;
	int missing[BOOT_WAIT_LATE];

	what->nlate = ft_era_missing(a->era, missing, BOOT_WAIT_LATE);
	for (int i = 0; i < what->nlate && i < BOOT_WAIT_LATE; i++)
		what->late[i] = ft_member_peer(&a->m, missing[i]);
	p2p_wait_report(BOOT_WAIT_COLL, a->c, what);
}

static void agreement_sleep(const struct agreement *a)
{
	struct agreement_wait wait = {{agreement_describe}, a};

	p2p_progress_until(&(struct p2p_condition){
		.ready = agreement_is_over, .arg = &wait, .describer = &wait.describer});
}

/* Waits for the end of an agreement, frees those before it that all members have, and returns the
 * error that was decided, with its words. */
static int agreement_wait(struct agreement *a)
{
	const struct ft_part *d;
	int err;

	agreement_sleep(a);
	d = ft_era_decision(a->era); /* NULL: a revocation has ended it */
	err = a->err;
	if (err != 0)
		haft_err(err, "%s", a->words);
	if (d != NULL)
		agreements_drop(a->ctx, d->floor);
	return err;
}

/* --- the calls ------------------------------------------------------------------------------ */

static int agree_on(struct comm *c, enum agree_kind kind, int *flag)
{
	struct agreement *a;
	int err = agreement_begin(c, kind, *flag, &a);

	if (err != 0)
		return err;
	a->flag = flag;
	return agreement_wait(a);
}

int ft_comm_agree(struct comm *c, int *flag)
{
	return agree_on(c, AGREE_FLAG, flag);
}

int ft_settle(struct comm *c, int *flag)
{
	return agreement_fits(ft_members(c).n) ? agree_on(c, AGREE_SETTLE, flag) : 0;
}

static int agreement_needs(const struct req *r)
{
	const struct agreement *a = agreements;
	int missing;

	while (a != NULL && a->req != r)
		a = a->next;
	if (a == NULL || ft_era_missing(a->era, &missing, 1) == 0)
		return -1;
	return ft_member_peer(&a->m, missing);
}

static const struct req_ops agreement_request_ops = {.needs = agreement_needs};

/* Gives the agreement a request. */
static int agreement_request(struct agreement *a, struct comm *c, struct req **request)
{
	struct req *r = p2p_req_new(c, &agreement_request_ops);

	if (r == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for another request");
	r->kind = REQ_COLL;
	obj_hold(r);
	a->req = r;
	*request = r;
	return 0;
}

int ft_comm_iagree(struct comm *c, int *flag, struct req **request)
{
	struct agreement *a;
	int err = agreement_begin(c, AGREE_IFLAG, *flag, &a);

	if (err != 0)
		return err;
	err = agreement_request(a, c, request);
	if (err == 0)
		a->flag = flag; /* else the agreement ends without the program */
	return err;
}

/* The communicator of a shrink, which has the old groups until the end of the agreement.  Without
 * memory for it *newcomm is NULL, and the agreement fails in all members. */
static int shrink_begin(
	struct comm *c, enum agree_kind kind, struct comm **newcomm, struct agreement **a)
{
	struct comm_spec how = {.parent = c, .group = c->group, .remote = c->remote, .low = c->low};
	int made = comm_make(&how, newcomm), err;

	if (made == 0)
		comm_set_incomplete(*newcomm);
	else
		*newcomm = NULL;
	err = agreement_begin(c, kind, made == 0 ? -1 : 0, a);
	if (made != 0)
		return err;
	if (err != 0) {
		obj_free_obj(*newcomm);
		return err;
	}
	(*a)->newcomm = *newcomm;
	obj_hold(*newcomm);
	return 0;
}

static int shrink(struct comm *c, enum agree_kind kind, struct comm **newcomm)
{
	struct agreement *a;
	int err = shrink_begin(c, kind, newcomm, &a);

	if (err != 0)
		return err;
	err = agreement_wait(a);
	if (err == 0 && comm_peers(*newcomm)->size > 0) /* else a side is lost */
		return 0;
	if (*newcomm != NULL)
		obj_free_obj(*newcomm);
	*newcomm = NULL;
	return err;
}

int ft_comm_shrink(struct comm *c, struct comm **newcomm)
{
	return shrink(c, AGREE_SHRINK, newcomm);
}

int ft_replace_shrink(struct comm *c, struct comm **newcomm)
{
	return shrink(c, AGREE_REPLACE, newcomm);
}

int ft_comm_ishrink(struct comm *c, struct comm **newcomm, struct req **request)
{
	struct agreement *a;
	int err = shrink_begin(c, AGREE_ISHRINK, newcomm, &a);

	if (err != 0)
		return err;
	if (*newcomm == NULL) /* the agreement ends without the program */
		return haft_err(MPI_ERR_NO_MEM, "no memory for a communicator");
	err = agreement_request(a, c, request);
	if (err != 0)
		obj_free_obj(*newcomm);
	return err;
}

/* Waits for all that live.  Those that were out of the barrier before it failed have left. */
static int finalize_agree(void)
{
	struct agreement *a;
	int err = agreement_begin(&haft_world, AGREE_FINAL, -1, &a);

	if (err != 0)
		return err;
	agreement_sleep(a);
	return 0;
}

int ft_finalize(int barrier)
{
	int err = barrier != 0 ? finalize_agree() : 0;

	if (err != 0)
		return err;
	p2p_flush();
	while (agreements != NULL)
		agreement_free(&agreements);
	return 0;
}
