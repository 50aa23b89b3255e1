// SPDX-License-Identifier: BSD-3-Clause
/* join.c - MPI_Comm_join: two processes that share a stream socket (MPI-5.0 11.10.5).
 *
 *      CARD  ───────>     each sends its card and offers context ids, and receives the other's;
 *            <───────  CARD     the offer of the lower (universe, number) is taken
 *
 * Not a byte more is read or written than the two messages, so the socket has no bytes left
 * afterwards.  If the other end says something else, the result is MPI_COMM_NULL, and success. */
#include "libmpi/comm/cards.h"
#include "libmpi/comm/comm_create.h"
#include "libmpi/core/err.h"
#include "libnet/handshake.h"
#include "libmpi/p2p/p2p.h"
#include <engine.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define NAP_NS 1000000 /* a user's socket may be one that libnet cannot watch */

struct join_offer {
	struct via_card card; /* universe 0: this process cannot connect */
	struct comm_ids ids;
};

struct join_wait {
	struct net_handshake handshake;
	uint32_t nap_ns;
	bool done;
	int err; /* of the handshake: -errno */
};

static bool join_step(void *arg)
{
	struct join_wait *w = arg;

	if (w->done)
		return true;
	w->err = net_handshake_flush(&w->handshake);
	if (w->err == 0)
		w->err = net_handshake_get(&w->handshake);
	w->done = w->err != -EAGAIN;
	return w->done;
}

static int join_check(int fd)
{
	struct sockaddr_storage sa;
	socklen_t len = sizeof(int);
	int type = 0;

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) != 0)
		return haft_err(MPI_ERR_ARG, "descriptor %d is no socket: %s", fd, strerror(errno));
	len = sizeof(sa);
	if (type != SOCK_STREAM || getpeername(fd, (struct sockaddr *)&sa, &len) != 0)
		return haft_err(MPI_ERR_ARG, "descriptor %d is no connected stream socket", fd);
	return 0;
}

static bool join_lower(const struct via_card *a, const struct via_card *b)
{
	return a->universe != b->universe ? a->universe < b->universe : a->number < b->number;
}

/* Makes the inter-communicator of this process and the other; none if that is not possible. */
static int join_bind(
	const struct join_offer *mine, const struct join_offer *theirs, struct comm **c)
{
	struct comm_spec how = {.parent = &haft_self, .group = haft_self.group};
	int err;

	how.low = join_lower(&mine->card, &theirs->card);
	if (mine->card.universe == 0 || theirs->card.universe == 0 ||
		(!how.low && !join_lower(&theirs->card, &mine->card)))
		return 0;
	how.ids = how.low ? mine->ids : theirs->ids;
	err = comm_cards_group(&theirs->card, 1, &how.remote);
	if (err != 0)
		return err;
	err = comm_make(&how, c);
	if (err == 0 && how.low && via_is_alias(group_peer(how.remote, 0)))
		p2p_peer_greet(group_peer(how.remote, 0));
	obj_free_obj(how.remote);
	return err;
}

int dyn_comm_join(int fd, struct comm **intercomm)
{
	static const uint8_t no_key[NET_KEY_LEN];
	struct join_wait w = {.nap_ns = NAP_NS};
	struct join_offer mine = {.ids = comm_ctx_mint_mixed(CTX_FEW)}, theirs;
	int err = join_check(fd);

	*intercomm = NULL;
	if (err != 0)
		return err;
	if (via_card_own(&mine.card) != 0)
		mine.card.universe = 0;
	net_handshake_begin(&w.handshake, fd, no_key);
	if (!net_handshake_put(&w.handshake, HANDSHAKE_CARD, &mine, sizeof(mine)))
		return haft_err(MPI_ERR_NO_MEM, "no memory for a connection");
	memset(w.handshake.mine, 0, sizeof(w.handshake.mine)); /* the other side has not seen it */
	p2p_progress_until(
		&(struct p2p_condition){.ready = join_step, .arg = &w, .nap_ns = &w.nap_ns});
	if (w.err == 0 && w.handshake.kind == HANDSHAKE_CARD &&
		w.handshake.bytes == sizeof(theirs)) {
		memcpy(&theirs, w.handshake.data, sizeof(theirs));
		err = join_bind(&mine, &theirs, intercomm);
	}
	net_handshake_end(&w.handshake);
	return err;
}
