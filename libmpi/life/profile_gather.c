// SPDX-License-Identifier: BSD-3-Clause
/* profile_gather.c - HAFT_PROFILE under a launcher that is not our mpiexec.
 *
 *     every rank: its table as bytes ── gather ──> rank 0 ── a memfd ──> mpiexec --haft-profile
 *
 * mpiexec has the code of the reports, and finds the lines of the program.  Errors are told on
 * stderr; MPI_Finalize does not fail for want of a profile. */
#include "libmpi/life/life.h"

#include "libmpi/boot/boot.h"
#include "libmpi/comm/world.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/setting.h"
#include "libmpi/prof/prof.h"
#include "libmpi/type/type.h"
#include <engine.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The tables of all ranks, on rank 0. */
struct gathered {
	MPI_Count *len, *at; /* by rank */
	char *bytes;
	size_t all;
};

static void gathered_free(struct gathered *g)
{
	free(g->len);
	free(g->at);
	free(g->bytes);
}

/* The lengths have come: makes room.  False: no memory. */
static bool gathered_room(struct gathered *g, int n)
{
	for (int r = 0; r < n; r++) {
		g->at[r] = (MPI_Count)g->all;
		g->all += (size_t)g->len[r];
	}
	g->bytes = malloc(g->all);
	return g->bytes != NULL;
}

/* Writes the bytes where mpiexec reads them, and starts it. */
static void gathered_report(const struct gathered *g)
{
	int fd = memfd_create("haft-profile", MFD_CLOEXEC);
	ssize_t n = fd >= 0 ? pwrite(fd, g->bytes, g->all, 0) : -1;

	if (n != (ssize_t)g->all)
		fprintf(stderr, "haft: HAFT_PROFILE: %s\n", strerror(errno));
	else if (boot_profile_report(haft_setting_text(SETTING_PROFILE), fd) != 0)
		fprintf(stderr, "haft: HAFT_PROFILE: %s\n", boot_error_text());
	if (fd >= 0)
		close(fd);
}

HAFT_START void life_profile_gather(void)
{
	struct type *byte = type_predefined(MPI_BYTE), *count = type_predefined(MPI_COUNT);
	int n = haft_life.size, root = haft_life.rank == 0;
	struct gathered g = {.len = NULL};
	MPI_Count len;
	size_t size;
	char *mine;
	int err;

	if (prof_state.table == NULL || !prof_state.private)
		return;
	mine = prof_pack(&size);
	len = mine != NULL ? (MPI_Count)size : 0;
	g.len = calloc(root ? (size_t)n : 1, sizeof(*g.len));
	g.at = calloc(root ? (size_t)n : 1, sizeof(*g.at));
	err = coll_gather(&len, 1, count, g.len, 1, count, 0, &haft_world);
	if (err == 0 && root && !gathered_room(&g, n))
		err = MPI_ERR_NO_MEM;
	if (err == 0)
		err = coll_gatherv(mine, len, byte, g.bytes, (struct haft_counts){g.len, 1},
			(struct haft_counts){g.at, 1}, byte, 0, &haft_world);
	if (err == 0 && root)
		gathered_report(&g);
	gathered_free(&g);
	free(mine);
}
