// SPDX-License-Identifier: BSD-3-Clause
/* connect.c - MPI_Comm_accept and MPI_Comm_connect, collectively (MPI-5.0 11.9.2).
 *
 *      members ──cards──> root ──(pairing.h)── the other root <──cards── members
 *      members <──result── root               root ──result──> members
 *
 *      result: an error with words, or ids and the cards of the other side
 *
 * Members make numbers of the cards: aliases, or the numbers of their own universe, whose processes
 * may share memory.  The acceptors' group is the low one. */
#include "libmpi/dyn/connect.h"

#include "libmpi/comm/cards.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/comm/leader_exchange.h"
#include "libmpi/core/err.h"
#include "libmpi/dyn/dyn.h"
#include "libmpi/dyn/pairing.h"
#include "libmpi/dyn/port.h"
#include "libmpi/env/info.h"
#include "libmpi/p2p/p2p.h"
#include <engine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONNECT_TIMEOUT_S 180 /* of MPI_Comm_connect, unless info says otherwise */

/* The result as the root sends it to its members.  Cards follow. */
struct connect_result {
	struct comm_ids ids;
	int32_t err, n;
	char words[HAFT_ERR_TEXT_MAX];
};

/* One of the two calls. */
struct connect_call {
	struct comm *c;
	const char *port;
	int root;
	double timeout_s;
	bool accepts;
	int spawn_id;            /* of the spawn whose children are awaited; 0: of none */
	const struct info *info; /* with the key `timeout'; NULL: timeout_s holds */
};

#define TIMEOUT_MAX_S 1e9 /* of the key: the ns of it are still a uint64_t */

/* The seconds of the key `timeout'.  Without it *seconds stays. */
static int connect_timeout(const struct info *info, double *seconds)
{
	const char *v = info != NULL ? env_info_find(info, "timeout") : NULL;
	char *end = NULL;
	double s = v != NULL ? strtod(v, &end) : 0;

	if (v == NULL)
		return 0;
	if (end == v || end[strspn(end, " \t")] != '\0' || !(s >= 0 && s <= TIMEOUT_MAX_S))
		return haft_err(MPI_ERR_INFO_VALUE,
			"timeout is \"%.40s\": it is seconds, such as 5 or 0.2; 0: no limit", v);
	*seconds = s;
	return 0;
}

/* Meets the other root.  Only at the root. */
static int connect_pair(
	const struct connect_call *k, const struct via_card *cards, struct dyn_pairing *m)
{
	double timeout_s = k->timeout_s;
	int err = connect_timeout(k->info, &timeout_s);

	if (err != 0)
		return err;
	if (k->accepts)
		return dyn_pair_accept(&(struct dyn_awaited){k->port, timeout_s, k->spawn_id},
			cards, k->c->size, comm_ctx_mint_mixed(CTX_FEW), m);
	return dyn_pair_connect(k->port, timeout_s, cards, k->c->size, m);
}

/* The result of a pairing as a message.  Takes the pairing's memory. */
static int connect_describe(int err, struct dyn_pairing *m, struct blob *b)
{
	struct connect_result *r;
	size_t cards = err == 0 ? (size_t)m->n * sizeof(*m->card) : 0;

	b->bytes = (int64_t)(sizeof(*r) + cards);
	b->data = r = calloc(1, (size_t)b->bytes);
	if (r == NULL) {
		b->bytes = -MPI_ERR_NO_MEM;
		err = haft_err(MPI_ERR_NO_MEM, "no memory for a connection");
	} else {
		r->err = err;
		r->ids = m->ids;
		r->n = err == 0 ? m->n : 0;
		snprintf(r->words, sizeof(r->words), "%s", haft_err_text(err));
		if (cards > 0)
			memcpy(r + 1, m->card, cards);
	}
	free(m->card);
	return err;
}

/* The root gathers cards, and pairs. */
static int connect_at_root(
	const struct connect_call *k, const struct leader_path *path, struct blob *b)
{
	struct via_card *cards = malloc((size_t)k->c->size * sizeof(*cards));
	struct dyn_pairing m = {.n = 0};
	int err;

	err = comm_cards_gather(path, k->c->group, k->root, cards);
	if (err == 0 && cards == NULL)
		err = haft_err(MPI_ERR_NO_MEM, "no memory for %d members", k->c->size);
	if (err == 0)
		err = connect_pair(k, cards, &m);
	free(cards);
	return connect_describe(err, &m, b);
}

#define GREET_MAX 64 /* members to which each member connects at once; others when they talk */

/* Connects to the other side, where no mpiexec of ours notices a death.  Both sides do so: a
 * process may die before its own connection stands. */
static void connect_greet(const struct group *remote)
{
	for (int i = 0; i < remote->size && remote->size <= GREET_MAX; i++)
		if (via_is_alias(group_peer(remote, i)))
			p2p_peer_greet(group_peer(remote, i));
}

static int connect_bind(
	const struct connect_call *k, const struct connect_result *r, struct comm **newcomm)
{
	struct comm_spec how = {
		.parent = k->c, .group = k->c->group, .low = k->accepts, .ids = r->ids};
	int err =
		comm_cards_group((const struct via_card *)(const void *)(r + 1), r->n, &how.remote);

	if (err != 0)
		return err;
	err = comm_make(&how, newcomm);
	if (err == 0)
		connect_greet(how.remote);
	obj_free_obj(how.remote);
	return err;
}

static int connect_run(const struct connect_call *k, struct comm **newcomm)
{
	struct leader_path path = {.c = k->c, .plane = CTX_MAKE};
	struct blob b = {0};
	const struct connect_result *r;
	int err = 0, told;

	if (k->c->remote != NULL)
		return haft_err(MPI_ERR_COMM, "the communicator must not be an inter-communicator");
	err = comm_check_joined(k->c, k->accepts ? COLL_COMM_ACCEPT : COLL_COMM_CONNECT);
	if (err != 0)
		return err;
	if (k->c->rank == k->root)
		err = connect_at_root(k, &path, &b);
	else
		err = comm_cards_gather(&path, k->c->group, k->root, NULL);
	told = comm_leader_bcast_blob(&path, k->c->group, k->root, &b);
	r = b.data;
	if (told == 0 && r->err != 0)
		told = haft_err(r->err, "%.*s", (int)sizeof(r->words) - 1, r->words);
	if (err == 0)
		err = told;
	if (err == 0)
		err = connect_bind(k, r, newcomm);
	free(b.data);
	return err;
}

int dyn_port_accept(
	const char *port, struct comm *c, int root, int timeout_s, struct comm **newcomm)
{
	struct connect_call k = {c, port, root, timeout_s, true, 0, NULL};

	return connect_run(&k, newcomm);
}

int dyn_port_await(const char *port, struct comm *c, int root, int spawn_id, struct comm **newcomm)
{
	struct connect_call k = {c, port, root, DYN_BIRTH_TIMEOUT_S, true, spawn_id, NULL};

	return connect_run(&k, newcomm);
}

int dyn_port_connect(
	const char *port, struct comm *c, int root, int timeout_s, struct comm **newcomm)
{
	struct connect_call k = {c, port, root, timeout_s, false, 0, NULL};

	return connect_run(&k, newcomm);
}

/* --- the calls of MPI ----------------------------------------------------------------------- */

int dyn_open_port(struct info *info, char *port_name)
{
	return dyn_port_open(info, port_name);
}

int dyn_close_port(const char *port_name)
{
	return dyn_port_close(port_name);
}

int dyn_comm_accept(
	const char *port, struct info *info, int root, struct comm *c, struct comm **newcomm)
{
	struct connect_call k = {c, port, root, 0, true, 0, info};

	return connect_run(&k, newcomm);
}

/* The limit without the key: MPICH's variables are understood as well. */
static int connect_limit(void)
{
	static const char *const names[] = {
		"MPIR_CVAR_CH4_COMM_CONNECT_TIMEOUT", "MPIR_CVAR_CH3_COMM_CONNECT_TIMEOUT"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *v = getenv(names[i]);

		if (v != NULL && atoi(v) > 0)
			return atoi(v);
	}
	return CONNECT_TIMEOUT_S;
}

int dyn_comm_connect(
	const char *port, struct info *info, int root, struct comm *c, struct comm **newcomm)
{
	struct connect_call k = {c, port, root, connect_limit(), false, 0, info};

	return connect_run(&k, newcomm);
}
