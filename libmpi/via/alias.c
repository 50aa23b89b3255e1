// SPDX-License-Identifier: BSD-3-Clause
/* alias.c - the table of aliases: see alias.h.
 *
 *      (universe, number) ──tree──> struct alias ──> card
 *      alias - VIA_ALIAS_FIRST ──table──^                     NULL: the number is free
 *
 * A new alias takes a free number.  When there is none, aliases that nothing needs any more are
 * freed first, and the table grows only if these are few: so each check of all of them pays for as
 * many new ones.
 *
 * Invariants
 *  - A process has one alias for as long as a group has it, and an alias names one process.
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

#define ALIASES_FEW MEAN_OR(2, 64) /* of them none is freed */

/* A node of another universe. */
struct alias_node {
	uint64_t universe;
	int32_t node;
	int naliases; /* on it; 0: the entry is free */
};

struct alias {
	struct via_card card;
	int number;         /* here */
	int node;           /* index in the table of nodes; -1: not known yet */
	_Atomic int groups; /* that have it as a member; the last one may go in any thread, which
			       touches nothing else: relaxed is enough */
	bool held;          /* a group has had it */
};

static struct {
	struct net *net;
	void *tree;               /* of struct alias, by identity */
	struct alias **by_number; /* [VIA_ALIASES_MAX], of which the first n have been touched */
	int n, used;              /* used: of the n, those that are no NULL */
	int free_from;            /* the first n have no NULL below it */
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

int via_alias_count(void)
{
	return aliases.used;
}

static int alias_by_identity(const void *a, const void *b)
{
	const struct via_card *x = &((const struct alias *)a)->card;
	const struct via_card *y = &((const struct alias *)b)->card;

	if (x->universe != y->universe)
		return x->universe < y->universe ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Puts it into the table of aliases.  False: no memory, or too many. */
static bool alias_append(struct alias *a)
{
	int i = aliases.free_from;

	if (aliases.by_number == NULL) /* pages that are not touched cost nothing */
		aliases.by_number = calloc(VIA_ALIASES_MAX, sizeof(struct alias *));
	if (aliases.by_number == NULL)
		return false;
	while (i < aliases.n && aliases.by_number[i] != NULL)
		i++;
	if (i == VIA_ALIASES_MAX)
		return false;
	aliases.n += i == aliases.n;
	aliases.used++;
	aliases.free_from = i + 1;
	a->number = VIA_ALIAS_FIRST + i;
	aliases.by_number[i] = a;
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

/* The index of the node of a card in the table of nodes, which has one alias more; -1: no
 * memory. */
static int node_index(const struct via_card *card)
{
	struct alias_node *node = aliases.node;
	int free_one = aliases.nnodes;

	for (int i = 0; i < aliases.nnodes; i++) {
		if (node[i].naliases == 0)
			free_one = i;
		else if (node[i].universe == card->universe && node[i].node == card->node) {
			node[i].naliases++;
			return i;
		}
	}
	if (free_one == aliases.nnodes) {
		node = realloc(aliases.node, ((size_t)aliases.nnodes + 1) * sizeof(*node));
		if (node == NULL)
			return -1;
		aliases.node = node;
		aliases.nnodes++;
	}
	node[free_one] = (struct alias_node){card->universe, card->node, 1};
	return free_one;
}

/* Frees an alias if no group has it, and nothing can come from its process. */
static void alias_end(struct alias *a, bool (*release)(int alias))
{
	if (!a->held || atomic_load_explicit(&a->groups, memory_order_relaxed) > 0 ||
		!release(a->number) || net_peer_forget(aliases.net, a->number) != 0)
		return;
	if (a->node >= 0)
		aliases.node[a->node].naliases--;
	tdelete(a, &aliases.tree, alias_by_identity);
	aliases.by_number[a->number - VIA_ALIAS_FIRST] = NULL;
	aliases.used--;
	free(a);
}

void via_alias_free_unused(bool (*release)(int alias))
{
	int full = aliases.n - aliases.n / 4;

	if (aliases.used < full || aliases.used < ALIASES_FEW)
		return;
	for (int i = 0; i < aliases.n; i++)
		if (aliases.by_number[i] != NULL)
			alias_end(aliases.by_number[i], release);
	aliases.free_from = 0;
}

void via_alias_hold(int alias)
{
	struct alias *a = alias_at(alias);

	a->held = true;
	atomic_fetch_add_explicit(&a->groups, 1, memory_order_relaxed);
}

void via_alias_drop(int alias)
{
	atomic_fetch_sub_explicit(&alias_at(alias)->groups, 1, memory_order_relaxed);
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
	if (a->node < 0)
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
	       *found == a && atomic_load_explicit(&a->groups, memory_order_relaxed) >= 0;
}

bool via_aliases_valid(void)
{
	int used = 0;

	if (aliases.n < 0 || aliases.n > VIA_ALIASES_MAX)
		return false;
	for (int i = 0; i < aliases.n; i++) {
		if (aliases.by_number[i] == NULL)
			continue;
		used++;
		if (!alias_valid(aliases.by_number[i], VIA_ALIAS_FIRST + i))
			return false;
	}
	return used == aliases.used;
}
