// SPDX-License-Identifier: BSD-3-Clause
/* libfabric_stub.c - replaces libfabric.c in a build without libfabric's headers: via_fabric_open
 * fails, and no other function here is ever called. */
#include "libmpi/via/libfabric.h"

#include <stdio.h>

bool via_fabric_open(const struct via_fabric_options *want, char *words, size_t n)
{
	(void)want;
	snprintf(words, n,
		"Haft was built without libfabric's header: install libfabric-dev and build it "
		"again");
	return false;
}

void via_fabric_close(void)
{
}

const char *via_fabric_provider(void)
{
	return "none";
}

int via_fabric_name(void *name, size_t *len)
{
	(void)name;
	*len = 0;
	return 1;
}

int via_fabric_peer_add(const void *name, size_t len, uint64_t *addr)
{
	(void)name;
	(void)len;
	*addr = 0;
	return 1;
}

uint64_t via_fabric_tags(void)
{
	return 0;
}

void *via_fabric_slab(size_t len, void **desc)
{
	(void)len;
	*desc = NULL;
	return NULL;
}

int via_fabric_send(
	struct via_fabric_op *op, uint64_t addr, const void *buf, size_t len, void *desc)
{
	(void)op;
	(void)addr;
	(void)buf;
	(void)len;
	(void)desc;
	return 1;
}

int via_fabric_recv(struct via_fabric_op *op, void *buf, size_t len, void *desc)
{
	(void)op;
	(void)buf;
	(void)len;
	(void)desc;
	return 1;
}

int via_fabric_tsend(
	struct via_fabric_op *op, uint64_t addr, uint64_t tag, const void *buf, size_t len)
{
	(void)op;
	(void)addr;
	(void)tag;
	(void)buf;
	(void)len;
	return 1;
}

int via_fabric_trecv(struct via_fabric_op *op, uint64_t tag, void *buf, size_t len)
{
	(void)op;
	(void)tag;
	(void)buf;
	(void)len;
	return 1;
}

void via_fabric_cancel(struct via_fabric_op *op)
{
	(void)op;
}

int via_fabric_poll(struct via_fabric_event *ev, int max)
{
	(void)ev;
	(void)max;
	return 0;
}

int via_fabric_fd(void)
{
	return -1;
}

bool via_fabric_may_sleep(void)
{
	return false;
}

const char *via_fabric_error_text(int err)
{
	(void)err;
	return "no libfabric";
}
