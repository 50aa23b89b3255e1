// SPDX-License-Identifier: BSD-3-Clause
/* file.c - the name of a file, its end. */
#include "libmpi/io/file.h"

#include "libmpi/core/err.h"
#include "libmpi/io/check.h"
#include "libmpi/io/collective.h"
#include "libmpi/io/disk.h"
#include "libmpi/io/access_thread.h"
#include "libmpi/io/hint.h"
#include "libmpi/io/hosts.h"
#include "libmpi/io/pointer.h"
#include "libmpi/io/shared.h"
#include "libmpi/io/view.h"
#include "libmpi/io/work.h"
#include "libmpi/via/shared_mem.h"
#include <stdlib.h>
#include <string.h>

/* The name without the prefix of a file system, which other implementations want.  A name that
 * exists as it is has no prefix. */
static const char *file_without_prefix(const char *name)
{
	static const char *const prefixes[] = {"ufs:", "nfs:", "lustre:", "gpfs:", "beegfs:",
		"panfs:", "xfs:", "ime:", "daos:", "pvfs2:", "testfs:", "quobyte:"};

	for (size_t i = 0; i < countof(prefixes); i++) {
		size_t n = strlen(prefixes[i]);

		if (strncmp(name, prefixes[i], n) == 0)
			return name[n] == '\0' || io_disk_exists(name) ? name : name + n;
	}
	return name;
}

int io_file_path(struct io_file *f, const char *name)
{
	if (name[0] == '\0')
		return haft_err(MPI_ERR_BAD_FILE, "the name of the file is empty");
	f->name = strdup(name);
	if (f->name == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for the name of a file");
	return io_disk_absolute(f, file_without_prefix(name), &f->path);
}

void io_file_free(struct io_file *f)
{
	if (f == NULL)
		return;
	io_access_thread_rest();
	io_aggregate_free(f);
	io_hosts_free(f);
	io_shared_detach(f);
	io_pointer_serve_end(f->pointer_server);
	io_pointer_client_free(f->pointer_client);
	io_check_free(f);
	io_workers_free(f->workers);
	io_stream_starts_free(f);
	if (f->view != NULL)
		io_view_drop(f->view);
	if (f->comm != NULL)
		obj_drop(f->comm);
	if (f->shared_owner)
		via_mem_free(f->shared);
	io_hints_free(f->hints);
	free(f->poisoned_words);
	free(f->final_path);
	free(f->path);
	free(f->name);
	free(f);
}
