// SPDX-License-Identifier: BSD-3-Clause
/* alias.c - the table of aliases: see alias.h.
 *
 *      (universe, number) ──tree──> struct alias ──> card
 *      alias - VIA_ALIAS_FIRST ──table──^
 *
 * Invariants
 *  - A process has one alias for as long as it lives, and an alias names one process.
 *  - Two aliases are on one node if their cards name the same universe and the same node there. */
#include "libmpi/via/alias.h"

#include "libmpi/core/err.h"
#include "libmpi/core/valid.h"
#include <fcntl.h>
#include <mpi.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALIASES_MAX ((1 << VIA_PEER_BITS) - VIA_ALIAS_FIRST)

/* A node of another universe. */
struct alias_node {
	uint64_t universe;
	int32_t node;
};

struct alias {
	struct via_card card;
	int number; /* here */
	int node;   /* index in the table of nodes; -1: not known yet */
};

static struct {
	struct net *net;
	void *tree; /* of struct alias, by identity */
	struct alias **by_number;
	int n, room;
	struct alias_node *node;
	int nnodes;
} aliases;

void via_alias_open(struct net *net)
{
	aliases.net = net;
	haft_valid_add("via_aliases_valid", via_aliases_valid);
}

bool via_alias_any(void)
{
	return aliases.n > 0;
}

static int alias_by_identity(const void *a, const void *b)
{
	const struct via_card *x = &((const struct alias *)a)->card;
	const struct via_card *y = &((const struct alias *)b)->card;

	if (x->universe != y->universe)
		return x->universe < y->universe ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Appends to the table of aliases.  False: no memory, or too many. */
static bool alias_append(struct alias *a)
{
	int room = aliases.room > 0 ? 2 * aliases.room : 16;
	struct alias **by = aliases.by_number;

	if (aliases.n == ALIASES_MAX)
		return false;
	if (aliases.n == aliases.room) {
		by = realloc(by, (size_t)room * sizeof(struct alias *));
		if (by == NULL)
			return false;
		aliases.by_number = by;
		aliases.room = room;
	}
	a->number = VIA_ALIAS_FIRST + aliases.n;
	by[aliases.n++] = a;
	return true;
}

/* The alias of a process, made if need be.  NULL: no memory. */
static struct alias *alias_get(const struct via_card *card)
{
	struct alias *a = calloc(1, sizeof(*a)), **found;

	if (a == NULL)
		return NULL;
	a->card = *card;
	a->node = -1;
	found = tsearch(a, &aliases.tree, alias_by_identity);
	if (found == NULL || *found != a) {
		free(a);
		return found != NULL ? *found : NULL;
	}
	if (alias_append(a))
		return a;
	tdelete(a, &aliases.tree, alias_by_identity);
	free(a);
	return NULL;
}

static struct alias *alias_at(int number)
{
	return aliases.by_number[number - VIA_ALIAS_FIRST];
}

/* The index of the node of a card in the table of nodes; -1: no memory. */
static int node_index(const struct via_card *card)
{
	struct alias_node *node;

	for (int i = 0; i < aliases.nnodes; i++)
		if (aliases.node[i].universe == card->universe &&
			aliases.node[i].node == card->node)
			return i;
	node = realloc(aliases.node, ((size_t)aliases.nnodes + 1) * sizeof(*node));
	if (node == NULL)
		return -1;
	aliases.node = node;
	node[aliases.nnodes] = (struct alias_node){card->universe, card->node};
	return aliases.nnodes++;
}

/* Tells libnet what an alias is called at home.  0 or an error of libnet. */
static int alias_register(const struct alias *a)
{
	struct net_foreign home = {
		.universe = a->card.universe, .number = (uint32_t)a->card.number};
	int err = net_grow(aliases.net, NET_PEERS_MAX);

	memcpy(home.key, a->card.key, NET_KEY_LEN);
	return err != 0 ? err : net_foreign_set(aliases.net, a->number, &home);
}

int via_alias_enter(const struct via_card *card, int *number)
{
	struct alias *a = alias_get(card);

	if (a == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a process of another job");
	a->card = *card;
	a->node = node_index(card);
	if (a->node < 0 || alias_register(a) != 0)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a process of another job");
	*number = a->number;
	return 0;
}

int via_alias_asked(void *arg, uint64_t universe, uint32_t number)
{
	struct via_card card = {.universe = universe, .number = (int32_t)number};
	struct alias *a;

	(void)arg;
	if (card.number < 0 || number >= VIA_ALIAS_FIRST)
		return -1;
	a = alias_get(&card);
	if (a == NULL || (a->node < 0 && alias_register(a) != 0))
		return -1;
	return a->number;
}

const struct via_card *via_alias_card(int alias)
{
	return &alias_at(alias)->card;
}

int via_alias_node(int alias)
{
	/* One that has only called here so far is on a node of its own. */
	return alias_at(alias)->node >= 0 ? VIA_ALIAS_FIRST + alias_at(alias)->node : 2 * alias;
}

const char *via_alias_host(int alias)
{
	const char *name = alias_at(alias)->card.name;

	return name[0] != '\0' ? name : "not known yet";
}

uint64_t via_alias_kernel(void)
{
	static uint64_t id;
	char text[64] = "";
	struct stat ns;
	int fd;

	if (id != 0)
		return id;
	fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	if (fd >= 0)
		close(fd);
	id = 14695981039346656037u; /* FNV-1a */
	for (const char *s = text; *s != '\0'; s++)
		id = (id ^ (unsigned char)*s) * 1099511628211u;
	if (stat("/proc/self/ns/net", &ns) == 0)
		id = (id ^ (uint64_t)ns.st_ino) * 1099511628211u;
	return id;
}

const char *via_alias_addr(int alias)
{
	const struct via_card *c = via_alias_card(alias);

	if (c->unix_[0] != '\0' && c->host == via_alias_kernel())
		return c->unix_;
	return c->tcp[0] != '\0' ? c->tcp : NULL;
}

static bool alias_valid(const struct alias *a, int number)
{
	struct alias **found = tfind(a, &aliases.tree, alias_by_identity);

	return a->number == number && a->node >= -1 && a->node < aliases.nnodes && found != NULL &&
	       *found == a;
}

bool via_aliases_valid(void)
{
	if (aliases.n < 0 || aliases.n > aliases.room || aliases.n > ALIASES_MAX)
		return false;
	for (int i = 0; i < aliases.n; i++)
		if (!alias_valid(aliases.by_number[i], VIA_ALIAS_FIRST + i))
			return false;
	return true;
}
