// SPDX-License-Identifier: BSD-3-Clause
/* process_state.c - the state of this process, and how it or its job is aborted. */
#include "libmpi/core/process_state.h"
#include "libobj/base.h"
#include "libmpi/core/rank_name.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

HAFT_HOT_DATA struct haft_life haft_life = {.gate = HAFT_GATE_SHUT, .size = 1};
HAFT_HOT_DATA struct haft_life_hooks haft_life_hooks;

HAFT_START void haft_life_set_state(enum haft_state state)
{
	if (state == HAFT_RUNNING)
		haft_gate_clear(HAFT_GATE_SHUT);
	else
		haft_gate_set(HAFT_GATE_SHUT);
	/* Release: a thread that sees the new state sees all that opened before. */
	atomic_store_explicit(&haft_life.state, state, memory_order_release);
}

void haft_gate_set(uint32_t bits)
{
	atomic_fetch_or_explicit(&haft_life.gate, bits, memory_order_relaxed);
}

void haft_gate_clear(uint32_t bits)
{
	atomic_fetch_and_explicit(&haft_life.gate, ~bits, memory_order_relaxed);
}

/* Skips a stream that another thread holds, in a read for example. */
static void stream_flush(FILE *f)
{
	if (ftrylockfile(f) != 0)
		return;
	fflush(f);
	funlockfile(f);
}

void haft_flush(void)
{
	stream_flush(stdout);
	stream_flush(stderr);
}

static int missed; /* haft_peer_lost_rank */

void haft_peer_lost(int rank)
{
	if (missed != 0)
		return;
	missed = rank + 1;
	if (haft_life_hooks.peer_lost != NULL)
		haft_life_hooks.peer_lost(rank);
}

int haft_peer_lost_rank(void)
{
	return missed;
}

static bool missed_said; /* haft_peer_lost_is_said */

void haft_peer_lost_say(int err)
{
	bool lost = err == MPI_ERR_PROC_ABORTED || err == MPI_ERR_SPAWN || err == MPI_ERR_IN_STATUS;

	missed_said = missed_said || (lost && missed != 0);
}

bool haft_peer_lost_is_said(void)
{
	return missed_said;
}

void haft_life_child(void)
{
	haft_gate_set(HAFT_GATE_SHUT | HAFT_GATE_CHILD);
	haft_life_hooks.abort = NULL;
	haft_life_hooks.end_code = NULL;
	haft_life_hooks.leave = NULL;
	haft_life_hooks.threads_stop = NULL;
	haft_life_hooks.peer_lost = NULL;
}

/* The code to exit with: one that is not 0 stays so. */
static int exit_code(int code)
{
	return (code & 255) != 0 || code == 0 ? code & 255 : 1;
}

void haft_abort_process(int code, const char *text)
{
	haft_flush();
	fprintf(stderr, "%s\n", text);
	if (haft_life_hooks.leave != NULL)
		haft_life_hooks.leave();
	_Exit(exit_code(code));
}

void haft_abort_job(int code, const char *text)
{
	if (haft_life_hooks.abort != NULL)
		haft_life_hooks.abort(code, text);
	haft_flush();
	fprintf(stderr, "%s\n", text);
	_Exit(exit_code(code));
}

#define WORLDS_KNOWN 16 /* spawns of this process that words can name */

/* The last spawns of this process, in turn.  Protected by the library's lock. */
static struct {
	int world, first, n;
} worlds[WORLDS_KNOWN];
static unsigned worlds_made;

void haft_world_known(int world, int first, int n)
{
	unsigned at = worlds_made++ % WORLDS_KNOWN;

	worlds[at].world = world;
	worlds[at].first = first;
	worlds[at].n = n;
}

const char *haft_number_name(char name[HAFT_RANK_NAME], int number)
{
	int rank = number - (haft_life.peer - haft_life.rank);

	if (rank >= 0 && rank < haft_life.size && haft_life.spawn > 0)
		return haft_rank_name(name, haft_life.spawn, rank);
	for (int i = 0; i < WORLDS_KNOWN; i++)
		if (number >= worlds[i].first && number - worlds[i].first < worlds[i].n)
			return haft_rank_name(name, worlds[i].world, number - worlds[i].first);
	if (rank >= 0 && rank < haft_life.size)
		snprintf(name, HAFT_RANK_NAME, "rank %d of the job", rank);
	else
		snprintf(name, HAFT_RANK_NAME, "a process of another world");
	return name;
}
