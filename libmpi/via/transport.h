// SPDX-License-Identifier: BSD-3-Clause
/* transport.h - libmpi/via's own: a transport to remote peers is a table of functions.
 *
 *      remote.c ──┬─> via_sockets (sockets.c) ──────────────────> libnet
 *                 └─> via_ofi_transport (ofi.c, ofi_stream.c) ──> libfabric.c
 *                         └── first frames, names, deaths ──────> libnet
 *
 *      frames          put; reserve, then commit
 *      large messages  stream_send, stream_post, stream_unpost
 *      progress        poll, all_sent, sleep
 *      the end         words, leave, close
 *      from libnet     deliver, net_lost: of a transport that begins with libnet's connections
 *
 * Sockets are always open where a peer is remote: they carry peers of other universes and the
 * beginning of every other transport.  remote.c has the list of the others, by HAFT_VIA.
 *
 * A transport delivers the frames of a pair in the order of their puts: it fills a struct shm_frame
 * and calls via.deliver.  Frames of up to NET_FRAME_MAX bytes must fit.  Kinds above SHM_KIND_MAX
 * are the transport's own (ofi.h).  One thread at a time is inside its functions, but for sleep. */
#ifndef HAFT_VIA_TRANSPORT_H
#define HAFT_VIA_TRANSPORT_H

#include "libmpi/via/via.h"

struct via_transport {
	/* ip: where the sockets listen, or NULL.  lost: as in struct via_conf.  0, or MPI_ERR_OTHER
	 * or MPI_ERR_NO_MEM with words.  NULL: open with libnet. */
	int (*open)(const char *ip, void (*lost)(int peer, bool left, const char *words));

	/* As via_put, via_reserve and via_commit. */
	int (*put)(int peer, const struct shm_hdr *h, const void *buf, size_t len);
	int (*reserve)(int peer, size_t len, void **room);
	void (*commit)(int peer, const struct shm_hdr *h, size_t len);

	/* As via_stream_send, via_stream_post and via_stream_unpost.  They fill in *op, with its
	 * peer: it says later whose stream this is.  `poll' calls op->done, unless NULL, when
	 * the state becomes DONE or LOST; not if it is so as the call returns (libnet/net.h). */
	int (*stream_send)(int peer, uint64_t id, const void *buf, size_t len, struct net_op *op);
	int (*stream_post)(int peer, uint64_t id, void *buf, size_t len, struct net_op *op);
	void (*stream_unpost)(struct net_op *op);

	/* Delivers frames that have arrived, those of libnet's connections included; `all': from
	 * every peer, not only via.awaited.  > 0: something has moved. */
	int (*poll)(bool all);

	/* True if the fabric or the kernel has taken everything that was put. */
	bool (*all_sent)(void);

	/* Before a sleep of *ns, which it may shorten: *fd is a descriptor to sleep on, or -1.
	 * False: there is work, do not sleep.  net_fd and net_sleep_ms count besides; NULL: they
	 * alone. */
	bool (*sleep)(uint64_t *ns, int *fd);

	/* The reason why a peer is lost, for messages.  Never NULL. */
	const char *(*words)(int peer);

	/* The process ends.  leave: sends all that was put, and returns when the peers have it or
	 * cannot get it.  Then libnet is closed, then `close' frees all.  NULL: net_close does. */
	void (*leave)(void);
	void (*close)(void);

	/* libnet's callbacks: a frame, and the end of a connection.  NULL: remote.c has them. */
	void (*deliver)(const struct net_frame *f);
	void (*net_lost)(int peer, bool left, const char *words);
};

/* sockets.c */
extern const struct via_transport via_sockets;

/* The header of a frame, as libnet has it. */
static inline struct net_hdr via_net_hdr(const struct shm_hdr *h)
{
	return (struct net_hdr){.ctx = h->ctx, .tag = h->tag, .kind = h->kind, .flags = h->flags};
}

#endif
