// SPDX-License-Identifier: BSD-3-Clause
/* alias.h - processes of other universes, and the numbers that they have here.
 *
 *      universe A                                  universe B
 *      numbers 0 1 2                               numbers 0 1 2 3
 *          '-- knows B's 3 as alias 1015808            '-- knows A's 0 as alias 1015810
 *              (universe B, number 3)                      (universe A, number 0)
 *
 * Engines name processes by numbers (via.h).  A process of another universe gets a number that none
 * of this universe can have, its alias.  An alias is local to a process and is never
 * sent.  Messages have the process's card, from which the receiver makes its own alias, or finds
 * the number of a process of its own universe.
 *
 * Groups hold the aliases of their members.  An alias that has been held, is held no more, and
 * whose process has left MPI or is lost is another process's the next time that one is made.
 *
 * Messages with aliases go over libnet's sockets, which open when the first card is needed.
 *
 * All of it belongs to the thread that is inside via (via.h). */
#ifndef HAFT_VIA_ALIAS_H
#define HAFT_VIA_ALIAS_H

#include "libmpi/via/via.h"

/* Numbers of processes of this universe are below it: a million of them. */
#define VIA_ALIASES_MAX MEAN_OR(256, 1 << 15) /* at once */
#define VIA_ALIAS_FIRST ((1 << VIA_PEER_BITS) - VIA_ALIASES_MAX)
#define VIA_CARD_ADDR   128 /* bytes of an address in a card, with its 0 */

/* The identity of a process, and how others reach it.  Sent as it is, between processes of one
 * build. */
struct via_card {
	uint64_t universe;
	uint64_t host;             /* equal: they can connect by UNIX sockets */
	int32_t number;            /* in the universe */
	int32_t node;              /* via_node there: processes of one node share memory */
	uint8_t key[NET_KEY_LEN];  /* with which foreign peers prove themselves to it */
	char tcp[VIA_CARD_ADDR];   /* "tcp:..."; "": it does not listen there */
	char unix_[VIA_CARD_ADDR]; /* "unix:..."; likewise */
	char name[VIA_CARD_ADDR];  /* of its host, for messages */
};

/* Opens libnet if it is not open, with listeners.  From then on via.mixed is true.  0, or
 * MPI_ERR_OTHER with words. */
int via_net_need(void);

/* This process's card; opens libnet.  0, or MPI_ERR_OTHER with words. */
int via_card_own(struct via_card *card);

/* The number of a process here: that of its card if it is of this universe, else its alias, made if
 * need be.  0; MPI_ERR_NO_MEM or MPI_ERR_OTHER with words. */
int via_alias_make(const struct via_card *card, int *number);

/* A group has this alias as a member; it has it no longer.  The latter may come from any thread. */
void via_alias_hold(int alias);
void via_alias_drop(int alias);

/* Frees aliases that no group has, if few numbers are free.  `release' says whether nothing can
 * come from the process of an alias any more, and forgets it then.  Not inside a callback. */
void via_alias_free_unused(bool (*release)(int alias));

/* libnet is open: for the functions below. */
void via_alias_open(struct net *net);

/* As via_alias_make, for a card of another universe */
int via_alias_enter(const struct via_card *card, int *number);

/* Processes with the same value can connect to each other's UNIX sockets: one running kernel, one
 * network namespace. */
uint64_t via_alias_kernel(void);

/* The card of an alias.  Without addresses if it has only called here so far. */
const struct via_card *via_alias_card(int alias);

/* As via_node and via_host, for an alias. */
int via_alias_node(int alias);
const char *via_alias_host(int alias);

/* The address to which we connect for an alias; NULL: it is not known yet. */
const char *via_alias_addr(int alias);

/* For libnet: a process of another universe asks for a connection. */
int via_alias_asked(void *arg, uint64_t universe, uint32_t number);

/* Does this process know any process of another universe? */
bool via_alias_any(void);

/* How many aliases are in use; for tests. */
int via_alias_count(void);

/* Has each alias its number, a node of the table, and its place in the tree?  (core/valid.h) */
bool via_aliases_valid(void);

static inline bool via_is_alias(int number)
{
	return number >= VIA_ALIAS_FIRST;
}

/* net_fd of this process wakes for `fd', too: see net_wake_on.  libnet is open. */
void via_wake_on(int fd, bool on);

#endif
