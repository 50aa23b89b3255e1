// SPDX-License-Identifier: BSD-3-Clause
/* job_spec.c - what HAFT_JOB says, and the segment that it names.
 *
 *   HAFT_JOB=fd=3,rank=5,seat=1,size=8,first=8,world=1,cookie=..,app=0,by=4711,listen=4,pmi=5
 *            |                         |                |
 *            '-- memfd of the segment  '-- must be in   '-- pid of mpiexec: /proc/4711/fd/3 is a
 *                                          the segment      second way to the segment
 *
 * The variable is believed only if a segment with its cookie and with a seat for its rank is found:
 * any process may inherit a variable. */
#include "libmpi/boot/job_spec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "libmpi/boot/boot.h"
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/job_list.h"
#include "libshm/shm.h"

HAFT_START bool boot_spec_read(struct job_spec *o)
{
	const char *list = getenv(BOOT_VAR);

	if (list == NULL)
		return false;
	if (!job_list_int(list, "listen", &o->listen))
		o->listen = -1;
	if (!job_list_int(list, "pmi", &o->pmi))
		o->pmi = -1;
	if (!job_list_int(list, "profile", &o->profile))
		o->profile = -1;
	if (!job_list_int(list, "universe", &o->universe))
		o->universe = -1;
	if (!job_list_int(list, "first", &o->first))
		o->first = 0;
	if (!job_list_int(list, "world", &o->world))
		o->world = 0;
	if (!job_list_int(list, "seat", &o->seat) && !job_list_int(list, "rank", &o->seat))
		return false;
	return job_list_int(list, "fd", &o->fd) && job_list_int(list, "rank", &o->rank) &&
	       job_list_int(list, "size", &o->size) && job_list_int(list, "app", &o->app) &&
	       job_list_int(list, "by", &o->by) &&
	       job_list_number(list, "cookie", 16, UINT64_MAX, &o->cookie);
}

/* True if the segment has a seat for this rank.  Without a map, seats and ranks of the first job
 * are equal.  A spawned rank has a seat with its name. */
static bool spec_fits(const struct job_spec *o, struct shm_seg *seg)
{
	const struct boot_map *map;
	const int32_t *ranks;
	size_t len;

	if (o->rank >= o->size || o->seat >= shm_seg_nseats(seg))
		return false;
	if (o->first > 0)
		return shm_seat_name(seg, o->seat) == (uint32_t)(o->first + o->rank) + 1;
	if (o->seat >= shm_seg_nranks(seg))
		return false;
	map = shm_seg_map(seg, &len);
	if (map == NULL)
		return shm_seg_nranks(seg) == o->size && o->seat == o->rank;
	if (!boot_map_good(map, len, o->size, shm_seg_nranks(seg)))
		return false;
	ranks = (const int32_t *)(const void *)((const char *)map + map->ranks);
	return ranks[o->seat] == o->rank;
}

HAFT_START struct shm_seg *boot_spec_segment(const struct job_spec *o, int fd, int *err)
{
	struct shm_seg *seg;

	*err = SHM_BAD;
	/* Only a memfd has seals: no other file of the user is ever mapped, not even to look. */
	if (fcntl(fd, F_GET_SEALS) < 0)
		return NULL;
	*err = shm_seg_open(fd, &seg);
	if (*err != 0)
		return NULL;
	if (shm_seg_cookie(seg) == o->cookie && spec_fits(o, seg))
		return seg;
	shm_seg_close(seg);
	return NULL;
}

struct shm_seg *boot_spec_fetch(const struct job_spec *o, int *fd)
{
	struct shm_seg *seg;
	char path[64];
	int err;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", o->by, o->fd);
	*fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (*fd < 0)
		return NULL;
	seg = boot_spec_segment(o, *fd, &err);
	if (seg == NULL)
		close(*fd);
	return seg;
}

HAFT_START bool boot_spec_stale(const struct job_spec *o)
{
	return getenv("PMIX_NAMESPACE") != NULL ||
	       (getenv("PMI_FD") != NULL && boot_env_number("PMI_FD") != o->pmi);
}
