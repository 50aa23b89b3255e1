// SPDX-License-Identifier: BSD-3-Clause
/* wire.h - a simulated network: a struct net_io with a clock and chances of its own.
 *
 *     world                  time, chances of faults
 *       │
 *     host 0 .. n-1          one struct net each
 *       ├── sock <── pipe ──> sock of another host
 *       │            bytes under way, each piece with its time of arrival
 *       └── door             sockets that have connected and are not accepted yet
 *
 * Everything is drawn from one seed: a seed gives one run, on any machine. */
#ifndef TESTS_SIM_WIRE_H
#define TESTS_SIM_WIRE_H

#include "libnet/net_inner.h"

#define HOSTS_MAX 6

/* How often in 65536 something happens; 0: never. */
struct chances {
	uint32_t reset;    /* a connection breaks, at a send or a receive */
	uint32_t cut;      /* a connection goes silent for ever */
	uint32_t no_fd;    /* accept or connect finds no descriptor */
	uint32_t stranger; /* a stranger connects, at a step */
	uint32_t slow;     /* connecting takes time */
	uint32_t clog;     /* a send finds no room, or takes a part only */
	uint32_t bits;     /* a receive gets a part only */
	uint32_t late;     /* an event is told at the next wait */
	uint32_t doze;     /* a host does not poll for many seconds */
	uint32_t delay_us; /* greatest time of travel */
	uint32_t room;     /* bytes that a pipe holds */
};

struct sock {
	struct world *w;
	int host;                  /* -1: a stranger's */
	struct net_conn *conn;     /* NULL: not accepted yet */
	struct sock *other;        /* NULL: it is gone */
	struct sock *next;         /* of the world */
	uint8_t *buf;              /* received and under way */
	size_t at, seen, end, cap; /* in buf: not read, not arrived, free */
	uint64_t *times;           /* of arrival, one for each byte of buf: small is beautiful */
	uint64_t open_us;          /* connected from then on */
	uint64_t eof_us;           /* the other has closed or ended; 0: not */
	uint64_t reset_us;         /* 0: not */
	uint64_t cut_us;           /* 0: not */
	uint64_t last_us;          /* arrival of the last byte under way: TCP keeps the order */
	int accept_by;             /* host at whose door it knocks; -1: none */
	bool ended, closed, told_reset, unwatched;
};

struct world {
	uint64_t us, random;
	uint64_t seed;
	struct chances odds;
	int n;
	struct net *net[HOSTS_MAX];
	bool deaf[HOSTS_MAX], gone[HOSTS_MAX];
	uint64_t asleep[HOSTS_MAX]; /* does not poll until then */
	struct sock *socks;
	uint64_t faults;                          /* that have happened so far */
	void (*others)(struct world *w, int but); /* steps of the other hosts while one waits */
};

uint32_t world_draw(struct world *w, uint32_t below);
bool world_odds(struct world *w, uint32_t of_65536);

extern const struct net_io world_io;
struct host_arg {
	struct world *w;
	int me;
};
int world_open(struct world *w, const struct net_conf *conf, struct host_arg *arg);

/* A stranger knocks at a random door with random bytes; the ones before it may speak on or hang
 * up. */
void world_stranger(struct world *w);

/* Frees the socks that both sides have closed; all of them if `all'. */
void world_sweep(struct world *w, bool all);

#endif
