// SPDX-License-Identifier: BSD-3-Clause
/* aggregate.c - state shared by the collective accesses of a file, from open to close. */
#include "libmpi/io/collective.h"
#include "libmpi/core/err.h"
#include "libmpi/via/shared_mem.h"
#include <stdlib.h>

int io_aggregate_new(struct io_file *f)
{
	struct io_aggregate *g;
	int room = 2;

	if (f->size == 1)
		return 0;
	while (1 << (room - 2) < f->size)
		room++;
	g = calloc(1, sizeof(*g));
	if (g != NULL) {
		f->aggregate = g;
		g->room = room;
		g->reqs = calloc((size_t)room, sizeof(*g->reqs));
		g->all = calloc(2 * (size_t)f->size, sizeof(*g->all));
		g->refusal = calloc(1, sizeof(*g->refusal));
	}
	if (g == NULL || g->reqs == NULL || g->all == NULL || g->refusal == NULL)
		return haft_err(MPI_ERR_NO_MEM,
			"no memory for collective accesses of a file of %d members", f->size);
	return 0;
}

void io_aggregate_free(struct io_file *f)
{
	struct io_aggregate *g = f->aggregate;

	if (g == NULL)
		return;
	must(g->head == NULL);
	if (g->stage != NULL)
		via_mem_free(g->stage);
	if (g->images != NULL)
		via_mem_free(g->images);
	io_remote_drop(g->remote);
	free(g->local);
	free(g->tmp);
	free(g->reqs);
	free(g->all);
	free(g->refusal);
	free(g);
	f->aggregate = NULL;
}
