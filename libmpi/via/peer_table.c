// SPDX-License-Identifier: BSD-3-Clause
/* peer_table.c - the table of peers: see peer_table.h. */
#include "libmpi/via/via.h"

#include "libmpi/core/err.h"
#include "libmpi/core/process_state.h"
#include <mpi.h>
#include <string.h>
#include <sys/mman.h>

struct via_peer *via_peer_pages[VIA_PEER_PAGES];

static struct via_peer *blank; /* a page of rows that cannot be written */
static uint16_t made_rows[VIA_PEER_PAGES];

#define PAGE_LEN (VIA_PEER_ROWS * sizeof(struct via_peer))

/* A page of rows, all zero; NULL: no memory. */
static struct via_peer *rows_new(int prot)
{
	void *rows = mmap(NULL, PAGE_LEN, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (rows == MAP_FAILED)
		return NULL;
	obj_leak_root_add(rows, PAGE_LEN);
	return rows;
}

HAFT_START int via_peers_open(int n)
{
	if (n > 1 << VIA_PEER_BITS)
		return haft_err(MPI_ERR_OTHER, "a job of %d processes: %d are the most", n,
			1 << VIA_PEER_BITS);
	if (blank == NULL)
		blank = rows_new(PROT_READ);
	if (blank == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the table of peers");
	for (uint32_t i = 0; i < VIA_PEER_PAGES; i++)
		via_peer_pages[i] = blank;
	return 0;
}

struct via_peer *via_peer_make(int number)
{
	struct via_peer **page = &via_peer_pages[(uint32_t)number / VIA_PEER_ROWS], *p;

	p = *page != blank ? *page : rows_new(PROT_READ | PROT_WRITE);
	if (p == NULL)
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for another peer");
	*page = p;
	p += (uint32_t)number % VIA_PEER_ROWS;
	p->number = number;
	made_rows[(uint32_t)number / VIA_PEER_ROWS]++; /* before another row may go */
	p->seat = via_seat_find(number);
	p->made = true;
	p->next = via.peers_made;
	via.peers_made = p;
	via.peer_made(p);
	if (unlikely(p->seat < 0 && via.net == NULL))
		via_peer_unreachable(number);
	return p;
}

void via_peer_unmake(struct via_peer *p)
{
	uint32_t page = (uint32_t)p->number / VIA_PEER_ROWS;
	struct via_peer **link = &via.peers_made;

	while (*link != p)
		link = &(*link)->next;
	*link = p->next;
	memset(p, 0, sizeof(*p));
	if (--made_rows[page] > 0)
		return;
	obj_leak_root_drop(via_peer_pages[page], PAGE_LEN);
	munmap(via_peer_pages[page], PAGE_LEN);
	via_peer_pages[page] = blank;
}

bool via_peers_valid(void)
{
	uint32_t listed = 0, made = 0;

	for (const struct via_peer *p = via.peers_made; p != NULL; p = p->next, listed++)
		if (!p->made || via_peer(p->number) != p)
			return false;
	for (uint32_t i = 0; i < VIA_PEER_PAGES; i++)
		for (uint32_t j = 0; via_peer_pages[i] != blank && j < VIA_PEER_ROWS; j++)
			made += via_peer_pages[i][j].made;
	return made == listed;
}
