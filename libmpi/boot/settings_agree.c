// SPDX-License-Identifier: BSD-3-Clause
/* settings_agree.c - checks that settings are equal in all processes of a job where they must be.
 *
 *     rank 1 comes first:  taken, its values, ready        rank 0, 2, ...: wait for ready, compare
 *
 * mpiexec gives all ranks one environment, but a wrapper may change it in some of them.  With
 * HAFT_COLL=p2p in one rank and shm in another, a collective call would wait for ever.  The first
 * rank also reports errors in the environment.  It does so before it lets the others go on, because
 * one of them might end the job: so the report appears once, and is not lost.
 *
 * Each host compares its own processes. */
#include "libmpi/boot/boot.h"

#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/kvs.h"
#include "libmpi/core/setting.h"
#include "libshm/shm.h"
#include <stdio.h>
#include <string.h>
#include <time.h>

static_assert(SETTING_COUNT <= BOOT_SETS, "each has its place in the segment");

#define NAP_NS 200000 /* between two checks: the first rank writes a few lines meanwhile */

/* FNV-1a. */
HAFT_START static uint64_t text_hash(const char *s)
{
	uint64_t h = UINT64_C(14695981039346656037);

	for (; *s != '\0'; s++)
		h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
	return h;
}

/* Of the value: most processes never write it as a text. */
HAFT_START static uint64_t setting_hash(int i)
{
	if (haft_setting_row(i)->form == SETTING_TEXT)
		return text_hash(haft_setting_text((enum haft_setting)i));
	return (uint64_t)haft_setting_get((enum haft_setting)i);
}

static void setting_record(int i, struct boot_set *set)
{
	char text[SETTING_TEXT_MAX];

	haft_setting_print(i, text, sizeof(text));
	set->hash = setting_hash(i);
	snprintf(set->text, sizeof(set->text), "%.*s", BOOT_SET_TEXT - 1, text);
}

static void settings_write(const struct boot *me, struct boot_job *job)
{
	for (int i = 0; i < SETTING_COUNT; i++)
		setting_record(i, &job->set[i]);
	job->set_rank = me->rank;
	haft_setting_warn();
	atomic_store(&job->set_ready, 1);
}

HAFT_START static int settings_compare(const struct boot_job *job)
{
	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct setting_row *r = haft_setting_row(i);
		struct boot_set mine;

		if (!r->everywhere || r->launch || setting_hash(i) == job->set[i].hash)
			continue;
		setting_record(i, &mine);
		return boot_fail("%s must be the same in all processes of a job: it is `%s' here, "
				 "and `%s' in rank %d",
			r->name, mine.text, job->set[i].text, job->set_rank);
	}
	return 0;
}

HAFT_START int boot_agree(const struct boot *me)
{
	struct boot_job *job = shm_seg_job(me->seg);
	struct timespec nap = {.tv_nsec = NAP_NS};
	uint32_t nobody = 0;

	if (atomic_compare_exchange_strong(&job->set_taken, &nobody, 1)) {
		settings_write(me, job);
		return 0;
	}
	while (atomic_load(&job->set_ready) == 0 && !shm_seg_aborted(me->seg))
		nanosleep(&nap, NULL);
	return atomic_load(&job->set_ready) != 0 ? settings_compare(job) : 0;
}
