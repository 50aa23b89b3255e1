// SPDX-License-Identifier: BSD-3-Clause
/* card.c - opening libnet late, this process's card, and aliases made of cards: see alias.h. */
#include "libmpi/via/alias.h"
#include "libmpi/via/remote.h"

#include <stdio.h>

int via_net_need(void)
{
	bool had = via.net != NULL;
	int err = via_remote_open_late();

	if (had || via.net == NULL)
		return err;
	via_tune();
	via_poller_wake(); /* it sleeps without a check of sockets */
	return err;
}

int via_card_own(struct via_card *card)
{
	int err = via_net_need();

	*card = (struct via_card){.universe = via.universe, .number = via.me};
	if (err != 0)
		return err;
	card->host = via_alias_kernel();
	card->node = via_node(via.me);
	via_remote_card(card);
	snprintf(card->name, sizeof(card->name), "%s", via_host(via.me));
	return 0;
}

int via_alias_make(const struct via_card *card, int *number)
{
	int err = via_net_need();

	if (err != 0)
		return err;
	if (card->universe != via.universe)
		return via_alias_enter(card, number);
	*number = card->number;
	return 0;
}
