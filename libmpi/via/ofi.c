// SPDX-License-Identifier: BSD-3-Clause
/* ofi.c - remote peers by libfabric, and frames to them: see ofi.h and ofi_internal.h.
 *
 *   ofi_put ──┬─> until the fabric is open: net_put
 *             └─> buffer: header, payload copied ──> via_fabric_send ──> pool, when complete
 *                        │ the fabric is full
 *                        └─> waiting (one), then VIA_AGAIN
 *
 *   RX_BUFFERS buffers are posted for all peers ──> via_fabric_poll ──> right key? next number?
 *                        ├─ yes ──> deliver, post the buffer again
 *                        └─ early ─> kept until its turn
 *
 * Memory is bounded: OUT_MAX bytes to a peer, RX_BUFFERS buffers for all frames that arrive.
 * Frames beyond that stay with their senders (FI_RM_ENABLED), whose puts return VIA_AGAIN. */
#include "libmpi/via/ofi_internal.h"

#include "libmpi/core/clock.h"
#include "libmpi/core/err.h"
#include "libmpi/core/list.h"
#include "libmpi/core/setting.h"
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define VERSION    2
#define RX_BUFFERS MEAN_OR(4, 64) /* buffers for frames that arrive, of the greatest length */
#define OUT_MAX    NET_QUEUE_MAX
#define SMALL      MEAN_OR(64, 1024) /* bytes of payload of a small buffer */
#define SLAB_SMALL MEAN_OR(2, 64)    /* buffers made at a time */
#define SLAB_LARGE MEAN_OR(1, 8)
#define PEEK       64 /* polls of the fabric for one of idle sockets */
#define BATCH      16 /* completions, before other work is done */

#define MS         1000000u
#define SUSPECT_NS (1000 * (uint64_t)MS) /* for sockets to report why the fabric has failed */
#define LEAVE_NS   (2000 * (uint64_t)MS) /* for frames under way from a peer that has left */
#define END_NS     (2000 * (uint64_t)MS) /* for libfabric to return the operations of a lost peer */
#define DRAIN_NS   (10000 * (uint64_t)MS) /* as libnet: for the last messages */
#define GOT_NS     (10000 * (uint64_t)MS) /* for BYE_ACK of all peers */
#define POLLS      300 /* such a time also takes so many polls: the process may have been stopped */
#define SILENCE    32  /* polls without a frame from a dead peer: the fabric has no more of them */
#define NAP_WORK   1   /* ms: the fabric had no room for something */
#define NAP_SENDS  10  /* ms: sends are under way, and the descriptor should wake us */
#define WORDS_LEN  NET_WORDS_LEN
#define LEAVE_NAP  50000 /* ns between two polls while leaving */

struct via_ofi via_ofi;
struct via_ofi_count via_ofi_count;

static struct ofi_buffers pool_small, pool_large;
static struct ofi_buffers idle; /* to be posted once libfabric has room */
static struct ofi_buffer *reserved;

struct ofi_hello {
	uint32_t version, name_len;
	uint64_t key;
	char provider[64];
	char name[FABRIC_NAME_MAX];
};

static void nap_set(uint32_t ms)
{
	atomic_store_explicit(&via_ofi.nap_ms, ms, memory_order_relaxed);
}

void via_ofi_work_add(struct ofi_peer *t)
{
	if (t->working)
		return;
	t->working = true;
	t->next = via_ofi.work;
	via_ofi.work = t;
	nap_set(NAP_WORK);
}

void via_ofi_started(void)
{
	if (via_ofi.in_flight++ == 0 && via_ofi.work == NULL)
		nap_set(NAP_SENDS);
}

static void random_fill(uint64_t *v)
{
	while (getrandom(v, sizeof(*v), 0) != sizeof(*v))
		;
}

/* NULL: no frame went to it or came from it. */
static struct ofi_peer *ofi_peer_of(int peer)
{
	return via_peer(peer)->ofi;
}

struct ofi_peer *via_ofi_peer_get(int peer)
{
	struct ofi_peer *t = ofi_peer_of(peer);

	if (likely(t != NULL))
		return t;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->peer = peer;
	random_fill(&t->key_in);
	t->all = via_ofi.peers;
	via_ofi.peers = t;
	via_peer_get(peer)->ofi = t;
	return t;
}

static void peer_words_set(struct ofi_peer *t, const char *words)
{
	if (t->words == NULL)
		t->words = strdup(words);
}

void via_ofi_fail(struct ofi_peer *t, int err)
{
	char words[WORDS_LEN];

	if (t->broken || t->end != OFI_HERE)
		return;
	snprintf(words, sizeof(words), "libfabric's provider %s: %s", via_fabric_provider(),
		via_fabric_error_text(err));
	peer_words_set(t, words);
	t->broken = true;
	t->since_ns = clock_now_ns();
	via_ofi_work_add(t);
}

static const char *ofi_words(int peer)
{
	const struct ofi_peer *t = ofi_peer_of(peer);

	return t != NULL && t->words != NULL ? t->words : net_peer_words(via.net, peer);
}

/* --- buffers -------------------------------------------------------------------------------- */

static void buffer_push(struct ofi_buffers *q, struct ofi_buffer *b)
{
	LIST_APPEND(q, b);
}

static struct ofi_buffer *buffer_pop(struct ofi_buffers *q)
{
	struct ofi_buffer *b;

	LIST_TAKE(q, b);
	return b;
}

/* Adds n buffers to q.  False: no memory. */
static bool buffers_new(struct ofi_buffers *q, size_t n, uint32_t room)
{
	size_t each = (sizeof(struct ofi_buffer) + room + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	void *desc;
	char *slab = via_fabric_slab(n * each, &desc);

	if (slab == NULL)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct ofi_buffer *b = (struct ofi_buffer *)(void *)(slab + i * each);

		memset(b, 0, sizeof(*b));
		b->desc = desc;
		b->room = room;
		buffer_push(q, b);
	}
	return true;
}

static struct ofi_buffers *pool_for(size_t room)
{
	return room <= SMALL ? &pool_small : &pool_large;
}

/* Gets a buffer for len bytes to a peer.  0, VIA_AGAIN or VIA_NOMEM. */
static int buffer_get(struct ofi_peer *t, size_t len, struct ofi_buffer **b)
{
	struct ofi_buffers *q = pool_for(len);
	bool small = q == &pool_small;

	if (t->out_bytes + len > OUT_MAX)
		return VIA_AGAIN;
	if (q->head == NULL &&
		!buffers_new(q, small ? SLAB_SMALL : SLAB_LARGE, small ? SMALL : NET_FRAME_MAX))
		return VIA_NOMEM;
	*b = buffer_pop(q);
	(*b)->op.what = OFI_TX;
	(*b)->ofi_peer = t;
	(*b)->head = (struct ofi_header){.key = t->key_out, .from = (uint32_t)via.me};
	t->out_bytes += (*b)->room;
	return 0;
}

static void buffer_put(struct ofi_buffer *b)
{
	b->ofi_peer->out_bytes -= b->room;
	buffer_push(pool_for(b->room), b);
}

/* --- sending frames ------------------------------------------------------------------------- */

static int error_of(int err)
{
	switch (err) {
	case 0: return 0;
	case NET_NOMEM: return VIA_NOMEM;
	}
	return VIA_AGAIN; /* lost: the next polls will end this peer */
}

/* Sends a frame without a number.  True: it has gone, or never will. */
static bool control_send(struct ofi_peer *t, enum ofi_kind kind, const void *data, size_t len)
{
	struct net_hdr h = {.kind = (uint8_t)kind};
	int err = net_put(via.net, t->peer, &h, data, len);

	return err != NET_AGAIN && err != NET_NOMEM;
}

/* Sends HELLO unless it was sent.  False: not now. */
static bool hello_send(struct ofi_peer *t)
{
	struct ofi_hello h = {.version = VERSION, .key = t->key_in};
	size_t len;

	if (t->told)
		return true;
	if (via_fabric_name(h.name, &len) != 0)
		len = 0;
	h.name_len = (uint32_t)len;
	snprintf(h.provider, sizeof(h.provider), "%s", via_fabric_provider());
	if (!control_send(t, OFI_HELLO, &h, sizeof(h)))
		return false;
	t->told = true;
	via_ofi.connecting += !t->known;
	return true;
}

/* Counts a numbered frame that went by sockets. */
static void by_net(struct ofi_peer *t)
{
	t->seq_out++;
	via_ofi_count.put++;
	via_ofi_count.by_net++;
	t->wants = true;
	if (t->known)
		via_ofi_work_add(t);
}

static int frame_by_net(struct ofi_peer *t, const struct net_hdr *h, const void *buf, size_t len)
{
	int err;

	if (!hello_send(t))
		return VIA_AGAIN;
	err = net_put(via.net, t->peer, h, buf, len);
	if (err == 0)
		by_net(t);
	return error_of(err);
}

/* Hands a filled buffer to libfabric.  False: not now. */
static bool buffer_send(struct ofi_buffer *b)
{
	struct ofi_peer *t = b->ofi_peer;
	int err;

	err = via_fabric_send(&b->op, t->addr, &b->head, b->len, b->desc);
	if (err == 0)
		via_ofi_started();
	else if (err != FABRIC_AGAIN)
		via_ofi_fail(t, err);
	return err == 0;
}

static void frame_go(struct ofi_buffer *b, size_t len)
{
	struct ofi_peer *t = b->ofi_peer;

	b->len = (uint32_t)(sizeof(b->head) + len);
	b->head.seq = t->seq_out++;
	via_ofi_count.put++;
	if (likely(buffer_send(b)))
		return;
	buffer_push(&t->waiting, b);
	via_ofi_work_add(t);
}

/* 0: a frame may go now; else VIA_AGAIN or VIA_LOST. */
static int peer_writable(const struct ofi_peer *t)
{
	if (t->end == OFI_GONE)
		return VIA_LOST;
	if (likely(!t->broken && t->end == OFI_HERE && t->waiting.head == NULL))
		return 0;
	via_ofi_count.put_again++;
	return VIA_AGAIN;
}

static void header_set(struct ofi_header *to, const struct net_hdr *h)
{
	to->ctx = h->ctx;
	to->tag = h->tag;
	to->kind = h->kind;
	to->flags = h->flags;
}

int via_ofi_frame(struct ofi_peer *t, const struct net_hdr *h, const void *buf, size_t len)
{
	struct ofi_buffer *b;
	int err = peer_writable(t);

	if (err != 0)
		return err;
	if (!t->opened)
		return frame_by_net(t, h, buf, len);
	err = buffer_get(t, len, &b);
	if (err != 0)
		return err;
	header_set(&b->head, h);
	if (len > 0)
		memcpy(b->data, buf, len);
	frame_go(b, len);
	return 0;
}

static int ofi_put(int peer, const struct shm_hdr *h, const void *buf, size_t len)
{
	struct ofi_peer *t = via_ofi_peer_get(peer);
	struct net_hdr hdr = via_net_hdr(h);

	return t != NULL ? via_ofi_frame(t, &hdr, buf, len) : VIA_NOMEM;
}

static int ofi_reserve(int peer, size_t len, void **room)
{
	struct ofi_peer *t = via_ofi_peer_get(peer);
	int err = t != NULL ? peer_writable(t) : VIA_NOMEM;

	if (err != 0)
		return err;
	reserved = NULL;
	if (!t->opened) {
		if (!hello_send(t))
			return VIA_AGAIN;
		return error_of(net_reserve(via.net, peer, len, room));
	}
	err = buffer_get(t, len, &reserved);
	if (err == 0)
		*room = reserved->data;
	return err;
}

static void ofi_commit(int peer, const struct shm_hdr *h, size_t len)
{
	struct net_hdr hdr = via_net_hdr(h);

	if (reserved == NULL) {
		net_commit(via.net, peer, &hdr, len);
		by_net(ofi_peer_of(peer));
		return;
	}
	header_set(&reserved->head, &hdr);
	frame_go(reserved, len);
}

/* Sends OPEN.  The fabric's connection may take long, and needs the other process: until it stands,
 * frames go by sockets. */
static int open_send(struct ofi_peer *t)
{
	struct ofi_buffer *b;

	if (buffer_get(t, 0, &b) != 0)
		return 0;
	b->head.kind = OFI_OPEN;
	b->head.seq = t->seq_out;
	b->len = sizeof(b->head);
	if (!buffer_send(b)) {
		buffer_put(b);
		return 0;
	}
	t->seq_out++;
	t->opened = true;
	return 1;
}

/* --- receiving frames ----------------------------------------------------------------------- */

static void frame_deliver(struct ofi_peer *t, const struct net_hdr *h, const void *data, size_t len)
{
	struct shm_frame f = {.ctx = h->ctx,
		.data = data,
		.tag = h->tag,
		.len = (uint32_t)len,
		.src = t->peer,
		.kind = h->kind,
		.flags = h->flags};

	via_ofi_count.got++;
	if (h->kind == OFI_CTS)
		via_ofi_streams_cts(t, data, len);
	else if (!via_ofi.closing && t->end != OFI_GONE)
		via.deliver(NULL, &f);
}

/* Posts a buffer for a frame of any peer. */
static void rx_post(struct ofi_buffer *b)
{
	b->op.what = OFI_RX;
	if (via_fabric_recv(&b->op, &b->head, sizeof(b->head) + NET_FRAME_MAX, b->desc) != 0)
		buffer_push(&idle, b);
}

static void rx_deliver(struct ofi_peer *t, struct ofi_buffer *b)
{
	struct net_hdr h = {b->head.ctx, b->head.tag, b->head.kind, b->head.flags};

	t->seq_in++;
	if (h.kind != OFI_OPEN)
		frame_deliver(t, &h, b->data, b->len - sizeof(b->head));
	rx_post(b);
}

/* Holds a frame until its turn: earlier ones may still come by sockets, and a long frame may be
 * complete after a short one that was sent later. */
static void rx_reorder(struct ofi_peer *t, struct ofi_buffer *b)
{
	struct ofi_buffer **at = &t->reorder.head;

	while (*at != NULL && (int32_t)((*at)->head.seq - b->head.seq) < 0)
		at = &(*at)->next;
	b->next = *at;
	*at = b;
	via_ofi_count.reordered++;
	via_ofi_work_add(t);
}

/* After BYE: once all frames have arrived, BYE_ACK is to be sent. */
static void bye_check(struct ofi_peer *t)
{
	if (!t->bye || t->ack_sent || t->seq_in != t->bye_seq || t->reorder.head != NULL)
		return;
	t->ack_sent = true;
	t->ack_pending = true;
	via_ofi_work_add(t);
}

static void reorder_deliver(struct ofi_peer *t)
{
	while (t->reorder.head != NULL && t->reorder.head->head.seq == t->seq_in)
		rx_deliver(t, buffer_pop(&t->reorder));
	bye_check(t);
}

/* The peer that has sent a frame; NULL: the key is wrong. */
static struct ofi_peer *sender_of(const struct ofi_buffer *b, size_t len)
{
	const struct ofi_header *h = &b->head;
	struct ofi_peer *t;

	if (len < sizeof(*h) || h->from >> VIA_PEER_BITS != 0)
		return NULL;
	t = ofi_peer_of((int)h->from);
	return t != NULL && t->told && h->key == t->key_in ? t : NULL;
}

static void rx_frame(struct ofi_buffer *b, size_t len)
{
	struct ofi_peer *t = sender_of(b, len);

	if (t == NULL || t->end == OFI_GONE) {
		via_ofi_count.strays++;
		rx_post(b);
		return;
	}
	b->len = (uint32_t)len;
	t->silent = 0;
	if (likely(b->head.seq == t->seq_in))
		rx_deliver(t, b);
	else
		rx_reorder(t, b);
	if (unlikely(t->reorder.head != NULL || t->bye))
		reorder_deliver(t);
}

static void fabric_event(const struct via_fabric_event *ev)
{
	struct ofi_buffer *b = (struct ofi_buffer *)(void *)ev->op;

	switch (ev->op->what) {
	case OFI_RX:
		if (ev->err == 0)
			rx_frame(b, ev->len);
		else if (!via_ofi.closing)
			rx_post(b);
		break;
	case OFI_TX:
		via_ofi.in_flight--;
		if (ev->err != 0)
			via_ofi_fail(b->ofi_peer, ev->err);
		buffer_put(b);
		break;
	default: via_ofi_streams_event(ev);
	}
}

/* --- frames of sockets ---------------------------------------------------------------------- */

static void hello_received(struct ofi_peer *t, const struct net_frame *f)
{
	const struct ofi_hello *h = f->data;
	char words[WORDS_LEN];
	int err;

	if (f->len != sizeof(*h) || h->version != VERSION || h->name_len > FABRIC_NAME_MAX ||
		strncmp(h->provider, via_fabric_provider(), sizeof(h->provider) - 1) != 0) {
		snprintf(words, sizeof(words), "it uses libfabric's provider %.63s, and we use %s",
			f->len == sizeof(*h) ? h->provider : "?", via_fabric_provider());
		peer_words_set(t, words);
		via_ofi_fail(t, EPROTO);
		return;
	}
	t->key_out = h->key;
	err = via_fabric_peer_add(h->name, h->name_len, &t->addr);
	if (err != 0) {
		via_ofi_fail(t, err);
		return;
	}
	via_ofi.connecting -= t->told && !t->known;
	t->known = true;
	if (!hello_send(t) || t->wants)
		via_ofi_work_add(t);
}

static void bye_received(struct ofi_peer *t, const struct net_frame *f)
{
	if (f->len != sizeof(t->bye_seq))
		return;
	memcpy(&t->bye_seq, f->data, sizeof(t->bye_seq));
	t->bye = true;
	bye_check(t);
}

static void peer_end_set(struct ofi_peer *t, enum ofi_end end)
{
	t->end = end;
	t->since_ns = clock_now_ns();
	t->polls = 0;
	via_ofi_work_add(t);
}

static bool peer_time_over(struct ofi_peer *t, uint64_t ns)
{
	return ++t->polls > POLLS && clock_now_ns() - t->since_ns >= ns;
}

/* FAILED: the fabric has failed at the other end. */
static void failed_received(struct ofi_peer *t, const struct net_frame *f)
{
	char words[WORDS_LEN];

	snprintf(words, sizeof(words), "it has lost us: %.*s", (int)f->len, (const char *)f->data);
	peer_words_set(t, words);
	if (t->end == OFI_HERE)
		peer_end_set(t, OFI_ENDING);
}

static void ofi_deliver(const struct net_frame *f)
{
	struct ofi_peer *t = via_ofi_peer_get(f->from);

	if (t == NULL)
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for another peer");
	switch (f->hdr.kind) {
	case OFI_HELLO: hello_received(t, f); break;
	case OFI_BYE: bye_received(t, f); break;
	case OFI_BYE_ACK: t->acked = true; break;
	case OFI_FAILED: failed_received(t, f); break;
	default:
		t->seq_in++;
		frame_deliver(t, &f->hdr, f->data, f->len);
		reorder_deliver(t);
	}
}

static void ofi_net_lost(int peer, bool left, const char *words)
{
	struct ofi_peer *t = ofi_peer_of(peer);

	if (t == NULL) {
		if (!via_ofi.closing)
			via_ofi.lost(peer, left, words);
		return;
	}
	if (t->end != OFI_HERE)
		return;
	if (left) {
		free(t->words);
		t->words = NULL;
	}
	peer_words_set(t, words);
	via_ofi.connecting -= t->told && !t->known;
	t->known = true;
	t->left = left;
	peer_end_set(t, left && t->bye ? OFI_LEAVING : OFI_ENDING);
}

/* --- the list of work ----------------------------------------------------------------------- */

static void peer_gone(struct ofi_peer *t)
{
	struct ofi_buffer *b;

	t->end = OFI_GONE;
	while ((b = buffer_pop(&t->waiting)) != NULL)
		buffer_put(b);
	while ((b = buffer_pop(&t->reorder)) != NULL)
		rx_post(b);
	via_ofi_streams_end(t);
	if (!via_ofi.closing)
		via_ofi.lost(t->peer, t->left, t->words != NULL ? t->words : "lost");
}

/* One step towards the end of a peer.  Returns how much has moved. */
static int peer_end_step(struct ofi_peer *t)
{
	if (t->end == OFI_LEAVING) {
		if (!t->ack_sent && !peer_time_over(t, LEAVE_NS)) {
			via_ofi_work_add(t);
			return 0;
		}
		peer_end_set(t, OFI_ENDING);
	}
	if ((t->silent++ < SILENCE || !via_ofi_streams_stop(t, !t->stopping)) &&
		!peer_time_over(t, END_NS)) {
		t->stopping = t->silent > SILENCE;
		via_ofi_work_add(t);
		return 0;
	}
	peer_gone(t);
	return 1;
}

/* The fabric has failed, and the sockets have reported nothing yet. */
static void peer_suspect_step(struct ofi_peer *t)
{
	if (peer_time_over(t, SUSPECT_NS)) {
		peer_end_set(t, OFI_ENDING);
		control_send(t, OFI_FAILED, t->words, t->words != NULL ? strlen(t->words) : 0);
	}
	via_ofi_work_add(t);
}

static int waiting_send(struct ofi_peer *t)
{
	int moved = 0;

	while (t->waiting.head != NULL && buffer_send(t->waiting.head)) {
		buffer_pop(&t->waiting);
		moved++;
	}
	return moved;
}

/* Is OPEN to be sent?  Not behind BYE, which has said the last number. */
static bool open_due(const struct ofi_peer *t)
{
	return t->wants && t->known && !t->opened && !via_ofi.closing;
}

static int peer_step(struct ofi_peer *t)
{
	int moved = 0;

	if (t->end == OFI_GONE)
		return 0;
	if (t->end != OFI_HERE)
		return peer_end_step(t);
	if (t->broken) {
		peer_suspect_step(t);
		return 0;
	}
	if (t->known && !hello_send(t))
		via_ofi_work_add(t);
	if (open_due(t))
		moved += open_send(t);
	moved += waiting_send(t);
	moved += via_ofi_streams_push(t);
	if (t->ack_pending && control_send(t, OFI_BYE_ACK, NULL, 0))
		t->ack_pending = false;
	if (open_due(t) || t->waiting.head != NULL || t->ack_pending || t->reorder.head != NULL)
		via_ofi_work_add(t);
	return moved;
}

static int work_run(void)
{
	struct ofi_peer *t = via_ofi.work, *next;
	int moved = 0;

	via_ofi.work = NULL;
	for (; t != NULL; t = next) {
		next = t->next;
		t->working = false;
		moved += peer_step(t);
	}
	return moved;
}

static void rx_idle_post(void)
{
	struct ofi_buffers q = idle;

	idle = (struct ofi_buffers){0};
	while (q.head != NULL)
		rx_post(buffer_pop(&q));
}

static int ofi_poll(bool all)
{
	static uint32_t tick;
	struct via_fabric_event ev[BATCH];
	int n = via_fabric_poll(ev, BATCH);

	for (int i = 0; i < n; i++)
		fabric_event(&ev[i]);
	if (unlikely(idle.head != NULL))
		rx_idle_post();
	if (via_ofi.work != NULL || via_ofi.connecting > 0)
		all = true;
	if (via_ofi.work != NULL)
		n += work_run();
	if (all || ++tick % PEEK == 0)
		n += net_poll(via.net);
	if (via_ofi.work == NULL)
		nap_set(via_ofi.in_flight > 0 ? NAP_SENDS : 0);
	return n;
}

static bool ofi_all_sent(void)
{
	if (via_ofi.in_flight > 0 || !net_all_sent(via.net))
		return false;
	for (const struct ofi_peer *t = via_ofi.work; t != NULL; t = t->next)
		if (t->waiting.head != NULL || !via_ofi_streams_sent(t))
			return false;
	return true;
}

static bool ofi_sleep(uint64_t *ns, int *fd)
{
	uint64_t nap = (uint64_t)atomic_load_explicit(&via_ofi.nap_ms, memory_order_relaxed) * MS;

	*fd = via_fabric_fd();
	if (nap > 0 && nap < *ns)
		*ns = nap;
	return via_fabric_may_sleep();
}

/* --- opening and closing -------------------------------------------------------------------- */

static int ofi_open(const char *ip, void (*lost)(int peer, bool left, const char *words))
{
	struct via_fabric_options want = {.provider = haft_setting_text(SETTING_OFI_PROVIDER),
		.ip = ip,
		.ops = RX_BUFFERS,
		.msg_max = OFI_FRAGMENT_MAX,
		.fd = haft_setting_get(SETTING_SLEEP) != SHM_SLEEP_NEVER};
	struct ofi_buffers ins = {0};
	struct ofi_buffer *b;
	char words[WORDS_LEN];

	if (!via_fabric_open(&want, words, sizeof(words)))
		return haft_err(MPI_ERR_OTHER, "HAFT_VIA=ofi: %s", words);
	if (!buffers_new(&ins, RX_BUFFERS, NET_FRAME_MAX))
		return haft_err(MPI_ERR_NO_MEM, "no memory for %d frames", RX_BUFFERS);
	while ((b = buffer_pop(&ins)) != NULL)
		rx_post(b);
	via_ofi.lost = lost;
	random_fill(&via_ofi.secret);
	random_fill(&via_ofi.factor);
	via_ofi.factor |= 1;
	return 0;
}

static void leave_poll(void)
{
	if (ofi_poll(true) == 0)
		nanosleep(&(struct timespec){.tv_nsec = LEAVE_NAP}, NULL);
}

/* True if BYE is to be sent to this peer. */
static bool bye_due(const struct ofi_peer *t)
{
	return t->told && !t->broken && t->end == OFI_HERE;
}

/* True if it has acknowledged all frames. */
static bool bye_acked(const struct ofi_peer *t)
{
	return !bye_due(t) || t->acked || !t->opened;
}

static void ofi_leave(void)
{
	uint64_t end = clock_now_ns() + DRAIN_NS;

	via_ofi.closing = true;
	while (!ofi_all_sent() && clock_now_ns() < end)
		leave_poll();
	for (struct ofi_peer *t = via_ofi.peers; t != NULL; t = t->all)
		while (bye_due(t) && clock_now_ns() < end &&
			!control_send(t, OFI_BYE, &t->seq_out, sizeof(t->seq_out)))
			leave_poll();
	end = clock_now_ns() + GOT_NS;
	for (const struct ofi_peer *t = via_ofi.peers; t != NULL; t = t->all)
		while (!bye_acked(t) && clock_now_ns() < end)
			leave_poll();
}

static void ofi_close(void)
{
	struct ofi_peer *t;

	via_fabric_close();
	while ((t = via_ofi.peers) != NULL) {
		via_ofi.peers = t->all;
		via_peer_get(t->peer)->ofi = NULL;
		via_ofi_streams_free(t);
		free(t->words);
		free(t);
	}
}

const struct via_transport via_ofi_transport = {
	.open = ofi_open,
	.put = ofi_put,
	.reserve = ofi_reserve,
	.commit = ofi_commit,
	.stream_send = via_ofi_stream_send,
	.stream_post = via_ofi_stream_post,
	.stream_unpost = via_ofi_stream_unpost,
	.poll = ofi_poll,
	.all_sent = ofi_all_sent,
	.sleep = ofi_sleep,
	.words = ofi_words,
	.leave = ofi_leave,
	.close = ofi_close,
	.deliver = ofi_deliver,
	.net_lost = ofi_net_lost,
};
