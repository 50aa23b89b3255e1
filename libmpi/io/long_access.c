// SPDX-License-Identifier: BSD-3-Clause
/* long_access.c - see long_access.h. */
#include "libmpi/io/long_access.h"

#include "libmpi/boot/waitrec.h"
#include "libmpi/io/file.h"
#include "libmpi/via/via.h"
#include <stdio.h>

const struct io_job *_Atomic io_progress_job;

static struct {
	const struct io_file *_Atomic file; /* of the access that is shown */
	_Atomic bool rounds;                /* it is done in rounds, which count */
} progress;

/* This rank's record. */
static struct boot_long *progress_record(void)
{
	return (struct boot_long *)(void *)((char *)via_job_record() + BOOT_LONG_AT);
}

void io_progress_begin(const struct io_job *j)
{
	struct boot_long *record = progress_record();

	if (io_progress_is_shown())
		return;
	snprintf(record->name, sizeof(record->name), "%s",
		io_path_end(j->f->path, sizeof(record->name)));
	atomic_store_explicit(&record->moved, 0, memory_order_relaxed);
	atomic_store_explicit(&record->bytes, j->bytes, memory_order_release);
	atomic_store_explicit(&progress.rounds, false, memory_order_relaxed);
	atomic_store_explicit(&progress.file, j->f, memory_order_relaxed);
	atomic_store_explicit(&io_progress_job, j, memory_order_relaxed);
}

void io_progress_end(void)
{
	atomic_store_explicit(&io_progress_job, NULL, memory_order_relaxed);
	atomic_store_explicit(&progress.file, NULL, memory_order_relaxed);
	atomic_store_explicit(&progress_record()->bytes, 0, memory_order_relaxed);
}

void io_progress_moved(const struct io_file *f, int64_t n)
{
	if (f == atomic_load_explicit(&progress.file, memory_order_relaxed) &&
		!atomic_load_explicit(&progress.rounds, memory_order_relaxed))
		atomic_fetch_add_explicit(&progress_record()->moved, n, memory_order_relaxed);
}

void io_progress_round(const struct io_job *j, int64_t round, int64_t rounds)
{
	if (atomic_load_explicit(&progress.file, memory_order_relaxed) != j->f)
		return;
	atomic_store_explicit(&progress.rounds, true, memory_order_relaxed);
	atomic_store_explicit(&progress_record()->moved,
		(int64_t)((double)j->bytes * (double)round / (double)rounds), memory_order_relaxed);
}
