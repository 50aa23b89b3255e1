// SPDX-License-Identifier: BSD-3-Clause
/* libfabric.c - libfabric, loaded at run time: see libfabric.h.
 *
 *      fi_getinfo ──> fabric ──> domain ──┬── endpoint (FI_EP_RDM) ── its name
 *                                         ├── address vector          the others' names
 *                                         ├── completion queue ────── FI_WAIT_FD
 *                                         └── registrations           slabs; and, for providers
 *                                                                     that ask for it, user memory
 *
 * A provider must have messages and tagged messages in the order of their sends, report a full
 * queue (FI_RM_ENABLED), and allow calls of several threads.  tcp, verbs, efa, cxi, psm2
 * and opx do. */
#include "libmpi/via/libfabric.h"

#include "libmpi/core/dl.h"
#include "libobj/base.h"
#include <arpa/inet.h>
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
#define VERSION FI_VERSION(1, 9) /* of 2019: everything used here is in it */
#define CQ_MIN  1024             /* length of the completion queue, at least */

static_assert(
	sizeof(struct fi_context2) <= sizeof(((struct via_fabric_op *)0)->room), "room in an op");

#define FUNCTIONS(F) F(getinfo) F(freeinfo) F(dupinfo) F(fabric) F(strerror)

#define POINTER(name) __typeof__(&fi_##name) name;
static struct {
	void *handle;
	FUNCTIONS(POINTER)
} lib;
#undef POINTER

struct fabric_slab {
	struct fabric_slab *next;
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
	struct fabric_slab *slabs;
	uint64_t tags;
	uint64_t keys; /* of registrations, so far */
	int fd;
	bool must_register; /* user memory too */
} fabric = {.fd = -1};

const char *via_fabric_error_text(int err)
{
	return lib.strerror(err);
}

const char *via_fabric_provider(void)
{
	return fabric.info->fabric_attr->prov_name;
}

uint64_t via_fabric_tags(void)
{
	return fabric.tags;
}

static int fabric_result(ssize_t r)
{
	if (likely(r == 0))
		return 0;
	return r == -FI_EAGAIN ? FABRIC_AGAIN : (int)-r;
}

/* --- opening -------------------------------------------------------------------------------- */

/* Loads the library.  Some providers (libinfinipath) install handlers for the signals of crashes
 * when they are loaded: the program's handlers are restored.  NULL: no such library. */
static void *lib_open(const struct dl_symbol *rows, size_t n)
{
	struct sigaction had[NSIG];
	void *so;

	for (int s = 1; s < NSIG; s++)
		if (sigaction(s, NULL, &had[s]) != 0)
			had[s].sa_handler = SIG_ERR; /* libc's own */
	so = dl_open(LIBRARY, rows, n);
	for (int s = 1; s < NSIG; s++)
		if (had[s].sa_handler != SIG_ERR)
			sigaction(s, &had[s], NULL);
	return so;
}

static bool lib_load(char *words, size_t n)
{
#define FIND(name) {"fi_" #name, (void **)(void *)&lib.name},
	static const struct dl_symbol rows[] = {FUNCTIONS(FIND)};
#undef FIND
	const char *why;

	if (lib.handle == NULL)
		lib.handle = lib_open(rows, countof(rows));
	if (lib.handle != NULL)
		return true;
	why = dlerror();
	snprintf(words, n, "%s cannot be loaded: install libfabric1 (%s)", LIBRARY,
		why != NULL ? why : "it lacks a function");
	return false;
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

/* True if the provider uses IP: it then listens at the address of the sockets, not at all. */
static bool by_ip(const struct fi_info *i)
{
	return i->addr_format == FI_SOCKADDR || i->addr_format == FI_SOCKADDR_IN ||
	       i->addr_format == FI_SOCKADDR_IN6;
}

static int env_info_find(const char *provider, const char *ip)
{
	struct fi_info *hints = hints_new(provider), *found = NULL;
	int err = hints != NULL ? 0 : -FI_ENOMEM;

	if (err == 0)
		err = lib.getinfo(VERSION, NULL, NULL, 0, hints, &fabric.info);
	if (err == 0 && ip != NULL && by_ip(fabric.info)) {
		free(hints->fabric_attr->prov_name);
		hints->fabric_attr->prov_name = strdup(via_fabric_provider());
		if (lib.getinfo(VERSION, ip, NULL, FI_SOURCE, hints, &found) == 0) {
			lib.freeinfo(fabric.info);
			fabric.info = found;
		}
	}
	if (hints != NULL)
		lib.freeinfo(hints);
	return err;
}

static int queue_open(const struct via_fabric_options *w)
{
	struct fi_cq_attr a = {.format = FI_CQ_FORMAT_MSG};
	int err;

	a.wait_obj = w->fd ? FI_WAIT_FD : FI_WAIT_NONE;
	a.size = 2 * w->ops > CQ_MIN ? 2 * w->ops : CQ_MIN;
	err = fi_cq_open(fabric.domain, &a, &fabric.cq, NULL);
	if (err == 0 && w->fd && fi_control(&fabric.cq->fid, FI_GETWAIT, &fabric.fd) != 0)
		fabric.fd = -1;
	if (err == 0 || !w->fd)
		return err;
	a.wait_obj = FI_WAIT_NONE;
	return fi_cq_open(fabric.domain, &a, &fabric.cq, NULL);
}

/* Opens the endpoint and all that it needs; *what: the step that has failed. */
static int parts_open(const struct via_fabric_options *w, const char **what)
{
	struct fi_av_attr av = {.type = fabric.info->domain_attr->av_type};
	int err;

	if (av.type == FI_AV_UNSPEC)
		av.type = FI_AV_TABLE;
	*what = "fabric";
	err = lib.fabric(fabric.info->fabric_attr, &fabric.fabric, NULL);
	if (err == 0) {
		*what = "domain";
		err = fi_domain(fabric.fabric, fabric.info, &fabric.domain, NULL);
	}
	if (err == 0) {
		*what = "completion queue";
		err = queue_open(w);
	}
	if (err == 0) {
		*what = "address vector";
		err = fi_av_open(fabric.domain, &av, &fabric.av, NULL);
	}
	if (err == 0) {
		*what = "endpoint";
		err = fi_endpoint(fabric.domain, fabric.info, &fabric.ep, NULL);
	}
	if (err == 0)
		err = fi_ep_bind(fabric.ep, &fabric.av->fid, 0);
	if (err == 0)
		err = fi_ep_bind(fabric.ep, &fabric.cq->fid, FI_TRANSMIT | FI_RECV);
	if (err == 0)
		err = fi_enable(fabric.ep);
	return err;
}

bool via_fabric_open(const struct via_fabric_options *want, char *words, size_t n)
{
	const char *what = "provider";
	uint64_t format;
	int err;

	if (!lib_load(words, n))
		return false;
	err = env_info_find(want->provider, want->ip);
	if (err != 0) {
		snprintf(words, n,
			"libfabric knows no provider%s%s that will do here: %s (fi_info lists "
			"them)",
			want->provider[0] != '\0' ? " " : "", want->provider,
			via_fabric_error_text(-err));
		return false;
	}
	if (fabric.info->ep_attr->max_msg_size < want->msg_max) {
		snprintf(words, n, "libfabric's provider %s takes %zu bytes at a time, and not %zu",
			via_fabric_provider(), fabric.info->ep_attr->max_msg_size, want->msg_max);
		return false;
	}
	err = parts_open(want, &what);
	if (err != 0) {
		snprintf(words, n, "libfabric's provider %s opens no %s: %s", via_fabric_provider(),
			what, via_fabric_error_text(-err));
		return false;
	}
	format = fabric.info->ep_attr->mem_tag_format;
	fabric.tags = format == 0 ? UINT64_MAX : UINT64_MAX >> __builtin_clzll(format);
	fabric.must_register = HAFT_MEAN || (fabric.info->domain_attr->mr_mode & FI_MR_LOCAL) != 0;
	return true;
}

static void fid_close(struct fid *f)
{
	if (f != NULL)
		fi_close(f);
}

void via_fabric_close(void)
{
	fid_close(fabric.ep != NULL ? &fabric.ep->fid : NULL);
	while (fabric.slabs != NULL) {
		struct fabric_slab *s = fabric.slabs;

		fabric.slabs = s->next;
		fid_close(s->mr != NULL ? &s->mr->fid : NULL);
		free(s->mem);
		free(s);
	}
	fid_close(fabric.cq != NULL ? &fabric.cq->fid : NULL);
	fid_close(fabric.av != NULL ? &fabric.av->fid : NULL);
	fid_close(fabric.domain != NULL ? &fabric.domain->fid : NULL);
	fid_close(fabric.fabric != NULL ? &fabric.fabric->fid : NULL);
	if (fabric.info != NULL)
		lib.freeinfo(fabric.info);
	memset(&fabric, 0, sizeof(fabric));
	fabric.fd = -1;
}

/* --- names and memory ----------------------------------------------------------------------- */

int via_fabric_name(void *name, size_t *len)
{
	*len = FABRIC_NAME_MAX;
	return fabric_result(fi_getname(&fabric.ep->fid, name, len));
}

int via_fabric_peer_add(const void *name, size_t len, uint64_t *addr)
{
	fi_addr_t a = FI_ADDR_UNSPEC;
	int n;

	(void)len; /* the address format implies it */
	n = fi_av_insert(fabric.av, name, 1, &a, 0, NULL);
	*addr = a;
	if (n == 1)
		return 0;
	return n < 0 ? -n : FI_EINVAL;
}

/* Registers memory for messages only: no remote reads and writes. */
static int mr_new(const void *p, size_t len, struct fid_mr **mr)
{
	int err =
		fi_mr_reg(fabric.domain, p, len, FI_SEND | FI_RECV, 0, ++fabric.keys, 0, mr, NULL);

	if (err == 0 && (fabric.info->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0) {
		err = fi_mr_bind(*mr, &fabric.ep->fid, 0);
		if (err == 0)
			err = fi_mr_enable(*mr);
		if (err != 0)
			fid_close(&(*mr)->fid);
	}
	return err;
}

void *via_fabric_slab(size_t len, void **desc)
{
	struct fabric_slab *s = calloc(1, sizeof(*s));

	*desc = NULL;
	if (s == NULL)
		return NULL;
	s->mem = aligned_alloc(CACHE_LINE, len);
	if (s->mem == NULL || (fabric.must_register && mr_new(s->mem, len, &s->mr) != 0)) {
		free(s->mem);
		free(s);
		return NULL;
	}
	if (s->mr != NULL)
		*desc = fi_mr_desc(s->mr);
	s->next = fabric.slabs;
	fabric.slabs = s;
	return s->mem;
}

/* Registers a user's memory for one operation, if the provider needs that. */
static int fabric_op_begin(struct via_fabric_op *op, const void *buf, size_t len, void **desc)
{
	struct fid_mr *mr = NULL;
	int err;

	op->mr = NULL;
	*desc = NULL;
	if (!fabric.must_register)
		return 0;
	err = mr_new(buf, len, &mr);
	if (err != 0)
		return err == -FI_EAGAIN ? FABRIC_AGAIN : -err;
	op->mr = mr;
	*desc = fi_mr_desc(mr);
	return 0;
}

static void fabric_op_end(struct via_fabric_op *op)
{
	if (likely(op->mr == NULL))
		return;
	fid_close(&((struct fid_mr *)op->mr)->fid);
	op->mr = NULL;
}

/* --- operations ----------------------------------------------------------------------------- */

int via_fabric_send(
	struct via_fabric_op *op, uint64_t addr, const void *buf, size_t len, void *desc)
{
	op->mr = NULL;
	return fabric_result(fi_send(fabric.ep, buf, len, desc, addr, op));
}

int via_fabric_recv(struct via_fabric_op *op, void *buf, size_t len, void *desc)
{
	op->mr = NULL;
	return fabric_result(fi_recv(fabric.ep, buf, len, desc, FI_ADDR_UNSPEC, op));
}

int via_fabric_tsend(
	struct via_fabric_op *op, uint64_t addr, uint64_t tag, const void *buf, size_t len)
{
	void *desc;
	int err = fabric_op_begin(op, buf, len, &desc);

	if (err == 0)
		err = fabric_result(fi_tsend(fabric.ep, buf, len, desc, addr, tag, op));
	if (err != 0)
		fabric_op_end(op);
	return err;
}

int via_fabric_trecv(struct via_fabric_op *op, uint64_t tag, void *buf, size_t len)
{
	void *desc;
	int err = fabric_op_begin(op, buf, len, &desc);

	if (err == 0)
		err = fabric_result(
			fi_trecv(fabric.ep, buf, len, desc, FI_ADDR_UNSPEC, tag, 0, op));
	if (err != 0)
		fabric_op_end(op);
	return err;
}

void via_fabric_cancel(struct via_fabric_op *op)
{
	fi_cancel(&fabric.ep->fid, op);
}

#define BATCH 16

/* Takes a failed completion, which blocks the queue until it is read. */
static int poll_failed(struct via_fabric_event *ev)
{
	struct fi_cq_err_entry e = {0};

	if (fi_cq_readerr(fabric.cq, &e, 0) != 1 || e.op_context == NULL)
		return 0;
	*ev = (struct via_fabric_event){e.op_context, e.len, e.err != 0 ? e.err : FI_EOTHER};
	fabric_op_end(ev->op);
	return 1;
}

int via_fabric_poll(struct via_fabric_event *ev, int max)
{
	struct fi_cq_msg_entry e[BATCH];
	ssize_t n = fi_cq_read(fabric.cq, e, (size_t)(max < BATCH ? max : BATCH));

	if (n == -FI_EAVAIL)
		return poll_failed(ev);
	for (ssize_t i = 0; i < n; i++) {
		ev[i] = (struct via_fabric_event){e[i].op_context, e[i].len, 0};
		fabric_op_end(ev[i].op);
	}
	return n > 0 ? (int)n : 0;
}

int via_fabric_fd(void)
{
	return fabric.fd;
}

bool via_fabric_may_sleep(void)
{
	struct fid *fids[1] = {&fabric.cq->fid};

	return fabric.fd >= 0 && fi_trywait(fabric.fabric, fids, 1) == FI_SUCCESS;
}
