// SPDX-License-Identifier: BSD-3-Clause
/* fabno.c - in the place of fab.c, where the build has found no header of libfabric: nothing but
 * fab_open is ever called. */
#include "libmpi/via/fab.h"

#include <stdio.h>

bool fab_open(const struct fab_want *want, char *words, size_t n)
{
	(void)want;
	snprintf(words, n,
		"Haft was built without libfabric's header: install libfabric-dev and build it "
		"again");
	return false;
}

void fab_close(void)
{
}

const char *fab_provider(void)
{
	return "none";
}

int fab_name(void *name, size_t *len)
{
	(void)name;
	*len = 0;
	return 1;
}

int fab_peer(const void *name, size_t len, uint64_t *addr)
{
	(void)name;
	(void)len;
	*addr = 0;
	return 1;
}

uint64_t fab_tags(void)
{
	return 0;
}

void *fab_slab(size_t len, void **desc)
{
	(void)len;
	*desc = NULL;
	return NULL;
}

int fab_send(struct fab_op *op, uint64_t addr, const void *buf, size_t len, void *desc)
{
	(void)op;
	(void)addr;
	(void)buf;
	(void)len;
	(void)desc;
	return 1;
}

int fab_recv(struct fab_op *op, void *buf, size_t len, void *desc)
{
	(void)op;
	(void)buf;
	(void)len;
	(void)desc;
	return 1;
}

int fab_tsend(struct fab_op *op, uint64_t addr, uint64_t tag, const void *buf, size_t len)
{
	(void)op;
	(void)addr;
	(void)tag;
	(void)buf;
	(void)len;
	return 1;
}

int fab_trecv(struct fab_op *op, uint64_t tag, void *buf, size_t len)
{
	(void)op;
	(void)tag;
	(void)buf;
	(void)len;
	return 1;
}

void fab_cancel(struct fab_op *op)
{
	(void)op;
}

int fab_poll(struct fab_event *ev, int max)
{
	(void)ev;
	(void)max;
	return 0;
}

int fab_fd(void)
{
	return -1;
}

bool fab_may_sleep(void)
{
	return false;
}

const char *fab_text(int err)
{
	(void)err;
	return "no libfabric";
}
