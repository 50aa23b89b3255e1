// SPDX-License-Identifier: BSD-3-Clause
/* fab.c - see fab.h.
 *
 *      fi_getinfo ──> fabric ──> domain ──┬── endpoint (FI_EP_RDM) ── its name
 *                                         ├── address vector          the others' names
 *                                         ├── completion queue ────── FI_WAIT_FD
 *                                         └── registrations           slabs; and, for providers
 *                                                                     that ask for it, user memory
 *
 * What is asked of a provider: messages and tagged messages in the order of their sends, a full way
 * that says so (FI_RM_ENABLED), calls from several threads.  Those of tcp, verbs, efa, cxi, psm2
 * and opx do all of it. */
#include "libmpi/via/fab.h"

#include "libobj/base.h"
#include <arpa/inet.h>
#include <dlfcn.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libfabric.so.1"
#define VERSION FI_VERSION(1, 9) /* of 2019: all that is used here is as old */
#define CQ_MIN  1024             /* completions that wait to be looked at */

static_assert(sizeof(struct fi_context2) <= sizeof(((struct fab_op *)0)->room), "room in an op");

#define FUNCTIONS(F) F(getinfo) F(freeinfo) F(dupinfo) F(fabric) F(strerror)

#define POINTER(name) __typeof__(&fi_##name) name;
static struct {
	void *handle;
	FUNCTIONS(POINTER)
} lib;
#undef POINTER

struct slab {
	struct slab *next;
	struct fid_mr *mr;
	void *mem;
};

static struct {
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_ep *ep;
	struct fid_av *av;
	struct fid_cq *cq;
	struct slab *slabs;
	uint64_t tags;
	uint64_t keys; /* of registrations, given out so far */
	int fd;
	bool must_register; /* user memory too */
} fab = {.fd = -1};

const char *fab_text(int err)
{
	return lib.strerror(err);
}

const char *fab_provider(void)
{
	return fab.info->fabric_attr->prov_name;
}

uint64_t fab_tags(void)
{
	return fab.tags;
}

static int result(ssize_t r)
{
	if (likely(r == 0))
		return 0;
	return r == -FI_EAGAIN ? FAB_AGAIN : (int)-r;
}

/* --- opening -------------------------------------------------------------------------------- */

/* Some libraries of providers (libinfinipath) take the signals of crashes when they are loaded:
 * they stay the program's.  NULL: no such library. */
static void *lib_open(void)
{
	struct sigaction had[NSIG];
	void *so;

	for (int s = 1; s < NSIG; s++)
		if (sigaction(s, NULL, &had[s]) != 0)
			had[s].sa_handler = SIG_ERR; /* libc's own */
	so = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	for (int s = 1; s < NSIG; s++)
		if (had[s].sa_handler != SIG_ERR)
			sigaction(s, &had[s], NULL);
	return so;
}

static bool lib_load(char *words, size_t n)
{
#define FIND(name) {"fi_" #name, (void **)(void *)&lib.name},
	static const struct {
		const char *name;
		void **at;
	} rows[] = {FUNCTIONS(FIND)};
#undef FIND

	if (lib.handle == NULL)
		lib.handle = lib_open();
	if (lib.handle == NULL) {
		snprintf(words, n, "%s cannot be loaded: install libfabric1 (%s)", LIBRARY,
			dlerror());
		return false;
	}
	for (size_t i = 0; i < countof(rows); i++) {
		*rows[i].at = dlsym(lib.handle, rows[i].name);
		if (*rows[i].at == NULL) {
			snprintf(words, n, "%s has no %s", LIBRARY, rows[i].name);
			return false;
		}
	}
	return true;
}

static struct fi_info *hints_new(const char *provider)
{
	struct fi_info *h = lib.dupinfo(NULL);

	if (h == NULL)
		return NULL;
	h->caps = FI_MSG | FI_TAGGED | FI_SEND | FI_RECV;
	h->mode = FI_CONTEXT | FI_CONTEXT2;
	h->ep_attr->type = FI_EP_RDM;
	h->domain_attr->threading = FI_THREAD_SAFE;
	h->domain_attr->resource_mgmt = FI_RM_ENABLED;
	h->domain_attr->mr_mode =
		FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
	h->tx_attr->msg_order = FI_ORDER_SAS;
	h->rx_attr->msg_order = FI_ORDER_SAS;
	if (provider[0] != '\0')
		h->fabric_attr->prov_name = strdup(provider);
	return h;
}

/* By IP: then it is to be at the address that the sockets have, and not at all of them. */
static bool by_ip(const struct fi_info *i)
{
	return i->addr_format == FI_SOCKADDR || i->addr_format == FI_SOCKADDR_IN ||
	       i->addr_format == FI_SOCKADDR_IN6;
}

static int info_find(const char *provider, const char *ip)
{
	struct fi_info *hints = hints_new(provider), *found = NULL;
	int err = hints != NULL ? 0 : -FI_ENOMEM;

	if (err == 0)
		err = lib.getinfo(VERSION, NULL, NULL, 0, hints, &fab.info);
	if (err == 0 && ip != NULL && by_ip(fab.info)) {
		free(hints->fabric_attr->prov_name);
		hints->fabric_attr->prov_name = strdup(fab_provider());
		if (lib.getinfo(VERSION, ip, NULL, FI_SOURCE, hints, &found) == 0) {
			lib.freeinfo(fab.info);
			fab.info = found;
		}
	}
	if (hints != NULL)
		lib.freeinfo(hints);
	return err;
}

static int queue_open(const struct fab_want *w)
{
	struct fi_cq_attr a = {.format = FI_CQ_FORMAT_MSG};
	int err;

	a.wait_obj = w->fd ? FI_WAIT_FD : FI_WAIT_NONE;
	a.size = 2 * w->ops > CQ_MIN ? 2 * w->ops : CQ_MIN;
	err = fi_cq_open(fab.domain, &a, &fab.cq, NULL);
	if (err == 0 && w->fd && fi_control(&fab.cq->fid, FI_GETWAIT, &fab.fd) != 0)
		fab.fd = -1;
	if (err == 0 || !w->fd)
		return err;
	a.wait_obj = FI_WAIT_NONE;
	return fi_cq_open(fab.domain, &a, &fab.cq, NULL);
}

/* Everything under the endpoint; *what is the step that failed. */
static int parts_open(const struct fab_want *w, const char **what)
{
	struct fi_av_attr av = {.type = fab.info->domain_attr->av_type};
	int err;

	if (av.type == FI_AV_UNSPEC)
		av.type = FI_AV_TABLE;
	*what = "fabric";
	err = lib.fabric(fab.info->fabric_attr, &fab.fabric, NULL);
	if (err == 0) {
		*what = "domain";
		err = fi_domain(fab.fabric, fab.info, &fab.domain, NULL);
	}
	if (err == 0) {
		*what = "completion queue";
		err = queue_open(w);
	}
	if (err == 0) {
		*what = "address vector";
		err = fi_av_open(fab.domain, &av, &fab.av, NULL);
	}
	if (err == 0) {
		*what = "endpoint";
		err = fi_endpoint(fab.domain, fab.info, &fab.ep, NULL);
	}
	if (err == 0)
		err = fi_ep_bind(fab.ep, &fab.av->fid, 0);
	if (err == 0)
		err = fi_ep_bind(fab.ep, &fab.cq->fid, FI_TRANSMIT | FI_RECV);
	if (err == 0)
		err = fi_enable(fab.ep);
	return err;
}

bool fab_open(const struct fab_want *want, char *words, size_t n)
{
	const char *what = "provider";
	uint64_t format;
	int err;

	if (!lib_load(words, n))
		return false;
	err = info_find(want->provider, want->ip);
	if (err != 0) {
		snprintf(words, n,
			"libfabric knows no provider%s%s that will do here: %s (fi_info lists "
			"them)",
			want->provider[0] != '\0' ? " " : "", want->provider, fab_text(-err));
		return false;
	}
	if (fab.info->ep_attr->max_msg_size < want->msg_max) {
		snprintf(words, n, "libfabric's provider %s takes %zu bytes at a time, and not %zu",
			fab_provider(), fab.info->ep_attr->max_msg_size, want->msg_max);
		return false;
	}
	err = parts_open(want, &what);
	if (err != 0) {
		snprintf(words, n, "libfabric's provider %s opens no %s: %s", fab_provider(), what,
			fab_text(-err));
		return false;
	}
	format = fab.info->ep_attr->mem_tag_format;
	fab.tags = format == 0 ? UINT64_MAX : UINT64_MAX >> __builtin_clzll(format);
	fab.must_register = HAFT_MEAN || (fab.info->domain_attr->mr_mode & FI_MR_LOCAL) != 0;
	return true;
}

static void shut(struct fid *f)
{
	if (f != NULL)
		fi_close(f);
}

void fab_close(void)
{
	shut(fab.ep != NULL ? &fab.ep->fid : NULL);
	while (fab.slabs != NULL) {
		struct slab *s = fab.slabs;

		fab.slabs = s->next;
		shut(s->mr != NULL ? &s->mr->fid : NULL);
		free(s->mem);
		free(s);
	}
	shut(fab.cq != NULL ? &fab.cq->fid : NULL);
	shut(fab.av != NULL ? &fab.av->fid : NULL);
	shut(fab.domain != NULL ? &fab.domain->fid : NULL);
	shut(fab.fabric != NULL ? &fab.fabric->fid : NULL);
	if (fab.info != NULL)
		lib.freeinfo(fab.info);
	memset(&fab, 0, sizeof(fab));
	fab.fd = -1;
}

/* --- names and memory ----------------------------------------------------------------------- */

int fab_name(void *name, size_t *len)
{
	*len = FAB_NAME_MAX;
	return result(fi_getname(&fab.ep->fid, name, len));
}

int fab_peer(const void *name, size_t len, uint64_t *addr)
{
	fi_addr_t a = FI_ADDR_UNSPEC;
	int n;

	(void)len; /* the format says how long it is */
	n = fi_av_insert(fab.av, name, 1, &a, 0, NULL);
	*addr = a;
	if (n == 1)
		return 0;
	return n < 0 ? -n : FI_EINVAL;
}

/* Registers memory.  The access is that of messages only: nobody else reads or writes there. */
static int mr_new(const void *p, size_t len, struct fid_mr **mr)
{
	int err = fi_mr_reg(fab.domain, p, len, FI_SEND | FI_RECV, 0, ++fab.keys, 0, mr, NULL);

	if (err == 0 && (fab.info->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
		err = fi_mr_bind(*mr, &fab.ep->fid, 0);
		if (err == 0)
			err = fi_mr_enable(*mr);
		if (err != 0)
			shut(&(*mr)->fid);
	}
	return err;
}

void *fab_slab(size_t len, void **desc)
{
	struct slab *s = calloc(1, sizeof(*s));

	*desc = NULL;
	if (s == NULL)
		return NULL;
	s->mem = aligned_alloc(CACHE_LINE, len);
	if (s->mem == NULL || (fab.must_register && mr_new(s->mem, len, &s->mr) != 0)) {
		free(s->mem);
		free(s);
		return NULL;
	}
	if (s->mr != NULL)
		*desc = fi_mr_desc(s->mr);
	s->next = fab.slabs;
	fab.slabs = s;
	return s->mem;
}

/* Registers a user's memory for one operation, where the provider wants that. */
static int op_begin(struct fab_op *op, const void *buf, size_t len, void **desc)
{
	struct fid_mr *mr = NULL;
	int err;

	op->mr = NULL;
	*desc = NULL;
	if (!fab.must_register)
		return 0;
	err = mr_new(buf, len, &mr);
	if (err != 0)
		return err == -FI_EAGAIN ? FAB_AGAIN : -err;
	op->mr = mr;
	*desc = fi_mr_desc(mr);
	return 0;
}

static void op_end(struct fab_op *op)
{
	if (likely(op->mr == NULL))
		return;
	shut(&((struct fid_mr *)op->mr)->fid);
	op->mr = NULL;
}

/* --- operations ----------------------------------------------------------------------------- */

int fab_send(struct fab_op *op, uint64_t addr, const void *buf, size_t len, void *desc)
{
	op->mr = NULL;
	return result(fi_send(fab.ep, buf, len, desc, addr, op));
}

int fab_recv(struct fab_op *op, void *buf, size_t len, void *desc)
{
	op->mr = NULL;
	return result(fi_recv(fab.ep, buf, len, desc, FI_ADDR_UNSPEC, op));
}

int fab_tsend(struct fab_op *op, uint64_t addr, uint64_t tag, const void *buf, size_t len)
{
	void *desc;
	int err = op_begin(op, buf, len, &desc);

	if (err == 0)
		err = result(fi_tsend(fab.ep, buf, len, desc, addr, tag, op));
	if (err != 0)
		op_end(op);
	return err;
}

int fab_trecv(struct fab_op *op, uint64_t tag, void *buf, size_t len)
{
	void *desc;
	int err = op_begin(op, buf, len, &desc);

	if (err == 0)
		err = result(fi_trecv(fab.ep, buf, len, desc, FI_ADDR_UNSPEC, tag, 0, op));
	if (err != 0)
		op_end(op);
	return err;
}

void fab_cancel(struct fab_op *op)
{
	fi_cancel(&fab.ep->fid, op);
}

#define BATCH 16

/* The one completion that has failed and bars the way to the others. */
static int poll_failed(struct fab_event *ev)
{
	struct fi_cq_err_entry e = {0};

	if (fi_cq_readerr(fab.cq, &e, 0) != 1 || e.op_context == NULL)
		return 0;
	*ev = (struct fab_event){e.op_context, e.len, e.err != 0 ? e.err : FI_EOTHER};
	op_end(ev->op);
	return 1;
}

int fab_poll(struct fab_event *ev, int max)
{
	struct fi_cq_msg_entry e[BATCH];
	ssize_t n = fi_cq_read(fab.cq, e, (size_t)(max < BATCH ? max : BATCH));

	if (n == -FI_EAVAIL)
		return poll_failed(ev);
	for (ssize_t i = 0; i < n; i++) {
		ev[i] = (struct fab_event){e[i].op_context, e[i].len, 0};
		op_end(ev[i].op);
	}
	return n > 0 ? (int)n : 0;
}

int fab_fd(void)
{
	return fab.fd;
}

bool fab_may_sleep(void)
{
	struct fid *fids[1] = {&fab.cq->fid};

	return fab.fd >= 0 && fi_trywait(fab.fabric, fids, 1) == FI_SUCCESS;
}
