// SPDX-License-Identifier: BSD-3-Clause
/* setup.c - p2p begins: settings, tables, and which file handles which kind of frame. */
#include "libmpi/p2p/p2p_state.h"

#include "libmpi/core/setting.h"
#include "libmpi/core/valid.h"
#include "libmpi/p2p/buffered_send.h"
#include "libmpi/p2p/cancel.h"
#include "libmpi/p2p/cooperative.h"
#include "libmpi/p2p/credit.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/partitioned.h"
#include "libmpi/p2p/probe.h"
#include "libmpi/p2p/recv.h"
#include "libmpi/p2p/send.h"
#include "libmpi/p2p/sig.h"

/* Bytes of unexpected messages that any peer may have here: some thousands of small ones. */
#define UNEXPECTED_LEAST ((int64_t)MEAN_OR(512, 1 << 20))

/* The largest eager message: it is one frame. */
static int64_t setup_eager_limit(enum haft_setting set, int64_t frame_max)
{
	int64_t eager = haft_setting_get(set);

	if (p2p_state.checks)
		frame_max -= (int64_t)sizeof(struct p2p_sig);
	return eager < frame_max ? eager : frame_max;
}

HAFT_START static void setup_eager_limits(void)
{
	p2p_state.eager = setup_eager_limit(SETTING_EAGER, via.frame_max);
	p2p_state.eager_remote = setup_eager_limit(SETTING_EAGER_NET, NET_FRAME_MAX);
	p2p_helper_tell();
}

void p2p_tune(void)
{
	if (p2p_state.unexpected_max == 0) /* not open */
		return;
	setup_eager_limits();
	for (const struct via_peer *p = via.peers_made; p != NULL; p = p->next)
		if (p2p_peer_seen(p)->eager >= 0) /* without credit it takes none */
			p2p_credit_received(p->number, true);
}

static void setup_handlers(void)
{
	p2p_deliver_register(FRAME_RTS, p2p_recv_got_rts, P2P_FROM_ANY);
	p2p_deliver_register(FRAME_ERROR, p2p_recv_got_error, P2P_FROM_ANY);
	p2p_deliver_register(FRAME_CREDIT, p2p_credit_got, P2P_FROM_ANY);
	p2p_deliver_register(FRAME_CTS, p2p_send_got_cts, P2P_FROM_LIVE);
	p2p_deliver_register(FRAME_FIN, p2p_send_got_fin, P2P_FROM_LIVE);
	p2p_deliver_register(FRAME_COOP, p2p_coop_help, P2P_FROM_LIVE);
	p2p_deliver_register(FRAME_COOP_DONE, p2p_recv_got_coop_done, P2P_FROM_LIVE);
}

HAFT_START int p2p_open(void)
{
	p2p_state.me = via.me;
	p2p_state.checks = (haft_setting_get(SETTING_CHECK) & HAFT_CHECK_TYPES) != 0;
	setup_eager_limits();
	p2p_help_short();
	p2p_state.unexpected_max = haft_setting_get(SETTING_UNEXPECTED) / via.npeers;
	if (p2p_state.unexpected_max < UNEXPECTED_LEAST)
		p2p_state.unexpected_max = UNEXPECTED_LEAST;
	setup_handlers();
	p2p_buffer_open();
	p2p_cancel_open();
	p2p_part_open();
	haft_valid_add("p2p_match_valid", p2p_match_valid);
	haft_valid_add("p2p_queues_valid", p2p_queues_valid);
	haft_valid_add("p2p_part_valid", p2p_part_valid);
	haft_valid_add("p2p_sig_valid", p2p_sig_valid);
	return p2p_match_open() != 0 ? MPI_ERR_NO_MEM : p2p_probe_open();
}

void p2p_peer_made(struct via_peer *p)
{
	p2p_peer(p->number)->peer = p->number;
	p->put_seat = p->number != p2p_state.me && p->seat >= 0 ? 1 + p->seat : 0;
	p2p_credit_received(p->number, true);
}
