// SPDX-License-Identifier: BSD-3-Clause
/* sockets.c - the transport of libnet: frames and streams over sockets (transport.h). */
#include "libmpi/via/transport.h"

static int sockets_error(int err)
{
	switch (err) {
	case 0: return 0;
	case NET_AGAIN: return VIA_AGAIN;
	case NET_NOMEM: return VIA_NOMEM;
	}
	return VIA_LOST;
}

static int sockets_put(int peer, const struct shm_hdr *h, const void *buf, size_t len)
{
	struct net_hdr hdr = via_net_hdr(h);

	return sockets_error(net_put(via.net, peer, &hdr, buf, len));
}

static int sockets_reserve(int peer, size_t len, void **room)
{
	return sockets_error(net_reserve(via.net, peer, len, room));
}

static void sockets_commit(int peer, const struct shm_hdr *h, size_t len)
{
	struct net_hdr hdr = via_net_hdr(h);

	net_commit(via.net, peer, &hdr, len);
}

static int sockets_stream_send(
	int peer, uint64_t id, const void *buf, size_t len, struct net_op *op)
{
	return sockets_error(net_send(via.net, peer, id, buf, len, op));
}

static int sockets_stream_post(int peer, uint64_t id, void *buf, size_t len, struct net_op *op)
{
	return sockets_error(net_post(via.net, peer, id, buf, len, op));
}

static void sockets_stream_unpost(struct net_op *op)
{
	net_unpost(via.net, op);
}

static int sockets_poll(bool all)
{
	return all ? net_poll(via.net) : net_poll_from(via.net, via.awaited);
}

static bool sockets_all_sent(void)
{
	return net_all_sent(via.net);
}

static const char *sockets_words(int peer)
{
	return net_peer_words(via.net, peer);
}

const struct via_transport via_sockets = {
	.put = sockets_put,
	.reserve = sockets_reserve,
	.commit = sockets_commit,
	.stream_send = sockets_stream_send,
	.stream_post = sockets_stream_post,
	.stream_unpost = sockets_stream_unpost,
	.poll = sockets_poll,
	.all_sent = sockets_all_sent,
	.words = sockets_words,
};
