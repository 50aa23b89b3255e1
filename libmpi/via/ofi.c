// SPDX-License-Identifier: BSD-3-Clause
/* ofi.c - see ofi.h, ofiin.h: ties to peers, and frames.
 *
 *      ofi_put ──> by sockets, until the fabric is open ──> net_put
 *          │
 *          └─> bounce: head and payload, copied ──> fab_send ──> back in the pool at its completion
 *                         │ full
 *                         └─> waiting (one), then SHM_AGAIN
 *
 *      INS buffers are posted for everybody ──> fab_poll ──> key? number? ──> deliver, post it
 * again └─> held: others come first
 *
 * Memory is bounded: OUT_MAX bytes to a peer, INS buffers for all that come; what does not fit
 * there waits at its sender, which libfabric sees to (FI_RM_ENABLED), and the sender meets
 * SHM_AGAIN. */
#include "libmpi/via/ofiin.h"

#include "libmpi/core/err.h"
#include "libmpi/core/set.h"
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define VERSION    1
#define INS        MEAN_OR(4, 64) /* buffers for frames that come, of the greatest length */
#define OUT_MAX    NET_QUEUE_MAX
#define SMALL      MEAN_OR(64, 1024) /* bytes of payload of a small buffer */
#define SLAB_SMALL MEAN_OR(2, 64)    /* buffers made at a time */
#define SLAB_LARGE MEAN_OR(1, 8)
#define PEEK       64 /* looks at the fabric for one at sockets that have nothing to do */
#define BATCH      16 /* completions, before others get their turn */

#define MS        1000000u
#define DOUBT_NS  (1000 * (uint64_t)MS)  /* for sockets to say why the fabric has failed */
#define LEAVE_NS  (2000 * (uint64_t)MS)  /* for frames that are on their way when somebody left */
#define END_NS    (2000 * (uint64_t)MS)  /* for libfabric to give back what a lost peer had */
#define DRAIN_NS  (10000 * (uint64_t)MS) /* as libnet: for what was put to go, at the end */
#define GOT_NS    (10000 * (uint64_t)MS) /* for peers to say that they have it all */
#define LOOKS     300 /* at the fabric, before such a time is over: we may have been stopped */
#define NAP_WORK  1   /* ms: something would not go */
#define NAP_BUSY  10  /* libfabric has something that goes out: its descriptor should tell */
#define WORDS_LEN NET_WORDS_LEN
#define LEAVE_NAP 50000 /* ns between two looks while we leave */

struct ofi ofi;
struct via_ofi_count via_ofi_count;

static struct bounces pool_small, pool_large;
static struct bounces idle; /* to be posted, when libfabric takes them */
static struct bounce *reserved;

struct hello {
	uint32_t version, name_len;
	uint64_t key;
	char provider[64];
	char name[FAB_NAME_MAX];
};

uint64_t ofi_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void nap_set(uint32_t ms)
{
	atomic_store_explicit(&ofi.nap_ms, ms, memory_order_relaxed);
}

void ofi_work(struct tie *t)
{
	if (t->working)
		return;
	t->working = true;
	t->next = ofi.work;
	ofi.work = t;
	nap_set(NAP_WORK);
}

void ofi_began(void)
{
	if (ofi.busy++ == 0 && ofi.work == NULL)
		nap_set(NAP_BUSY);
}

static void random_fill(uint64_t *v)
{
	while (getrandom(v, sizeof(*v), 0) != sizeof(*v))
		;
}

/* NULL: it was never spoken of. */
static struct tie *tie_of(int peer)
{
	return via_peer(peer)->ofi;
}

struct tie *ofi_tie(int peer)
{
	struct tie *t = tie_of(peer);

	if (likely(t != NULL))
		return t;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return NULL;
	t->peer = peer;
	random_fill(&t->key_in);
	t->all = ofi.ties;
	ofi.ties = t;
	via_peer_get(peer)->ofi = t;
	return t;
}

static void words_set(struct tie *t, const char *words)
{
	if (t->words == NULL)
		t->words = strdup(words);
}

void ofi_break(struct tie *t, int err)
{
	char words[WORDS_LEN];

	if (t->broken || t->end != OFI_HERE)
		return;
	snprintf(
		words, sizeof(words), "libfabric's provider %s: %s", fab_provider(), fab_text(err));
	words_set(t, words);
	t->broken = true;
	t->since_ns = ofi_now();
	ofi_work(t);
}

const char *ofi_words(int peer)
{
	const struct tie *t = tie_of(peer);

	return t != NULL && t->words != NULL ? t->words : net_peer_words(via.net, peer);
}

/* --- buffers -------------------------------------------------------------------------------- */

static void bounce_push(struct bounces *q, struct bounce *b)
{
	b->next = NULL;
	if (q->head == NULL)
		q->head = b;
	else
		q->tail->next = b;
	q->tail = b;
}

static struct bounce *bounce_pop(struct bounces *q)
{
	struct bounce *b = q->head;

	if (b != NULL)
		q->head = b->next;
	return b;
}

/* n more buffers, for q. */
static bool bounces_new(struct bounces *q, size_t n, uint32_t room)
{
	size_t each = (sizeof(struct bounce) + room + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
	void *desc;
	char *slab = fab_slab(n * each, &desc);

	if (slab == NULL)
		return false;
	for (size_t i = 0; i < n; i++) {
		struct bounce *b = (struct bounce *)(void *)(slab + i * each);

		memset(b, 0, sizeof(*b));
		b->desc = desc;
		b->room = room;
		bounce_push(q, b);
	}
	return true;
}

static struct bounces *pool_of(size_t room)
{
	return room <= SMALL ? &pool_small : &pool_large;
}

/* A buffer for len bytes to a peer: 0, SHM_AGAIN or SHM_NOMEM. */
static int bounce_get(struct tie *t, size_t len, struct bounce **b)
{
	struct bounces *q = pool_of(len);
	bool small = q == &pool_small;

	if (t->out_bytes + len > OUT_MAX)
		return SHM_AGAIN;
	if (q->head == NULL &&
		!bounces_new(q, small ? SLAB_SMALL : SLAB_LARGE, small ? SMALL : NET_FRAME_MAX))
		return SHM_NOMEM;
	*b = bounce_pop(q);
	(*b)->op.what = OFI_OUT;
	(*b)->tie = t;
	(*b)->head = (struct head){.key = t->key_out, .from = (uint32_t)via.me};
	t->out_bytes += (*b)->room;
	return 0;
}

static void bounce_put(struct bounce *b)
{
	b->tie->out_bytes -= b->room;
	bounce_push(pool_of(b->room), b);
}

/* --- frames that go ------------------------------------------------------------------------- */

static int error_of(int err)
{
	switch (err) {
	case 0: return 0;
	case NET_NOMEM: return SHM_NOMEM;
	}
	return SHM_AGAIN; /* lost: the tie will end, and then say so */
}

/* A frame without a number.  True: it has gone, or never will. */
static bool aside_go(struct tie *t, enum ofi_kind kind, const void *data, size_t len)
{
	struct net_hdr h = {.kind = (uint8_t)kind};
	int err = net_put(via.net, t->peer, &h, data, len);

	return err != NET_AGAIN && err != NET_NOMEM;
}

/* Our name, before anything else. */
static bool hello_go(struct tie *t)
{
	struct hello h = {.version = VERSION, .key = t->key_in};
	size_t len;

	if (t->told)
		return true;
	if (fab_name(h.name, &len) != 0)
		len = 0;
	h.name_len = (uint32_t)len;
	snprintf(h.provider, sizeof(h.provider), "%s", fab_provider());
	if (!aside_go(t, OFI_HELLO, &h, sizeof(h)))
		return false;
	t->told = true;
	ofi.making += !t->known;
	return true;
}

/* A numbered frame has gone by sockets. */
static void by_net(struct tie *t)
{
	t->nets_out++;
	via_ofi_count.put++;
	via_ofi_count.by_net++;
	t->wants = true;
	if (t->known)
		ofi_work(t);
}

static int frame_by_net(struct tie *t, const struct net_hdr *h, const void *buf, size_t len)
{
	int err;

	if (!hello_go(t))
		return SHM_AGAIN;
	err = net_put(via.net, t->peer, h, buf, len);
	if (err == 0)
		by_net(t);
	return error_of(err);
}

/* Hands a filled buffer to libfabric: false: not now. */
static bool bounce_go(struct bounce *b)
{
	struct tie *t = b->tie;
	int err;

	err = fab_send(&b->op, t->addr, &b->head, b->len, b->desc);
	if (err == 0)
		ofi_began();
	else if (err != FAB_AGAIN)
		ofi_break(t, err);
	return err == 0;
}

static void frame_go(struct bounce *b, size_t len)
{
	struct tie *t = b->tie;

	b->len = (uint32_t)(sizeof(b->head) + len);
	b->head.seq = t->seq_out++;
	via_ofi_count.put++;
	if (likely(bounce_go(b)))
		return;
	bounce_push(&t->waiting, b);
	ofi_work(t);
}

/* Can a frame go now?  0, SHM_AGAIN or VIA_LOST. */
static int way_free(const struct tie *t)
{
	if (t->end == OFI_GONE)
		return VIA_LOST;
	if (likely(!t->broken && t->end == OFI_HERE && t->waiting.head == NULL))
		return 0;
	via_ofi_count.put_again++;
	return SHM_AGAIN;
}

static void head_set(struct head *to, const struct net_hdr *h)
{
	to->ctx = h->ctx;
	to->tag = h->tag;
	to->kind = h->kind;
	to->flags = h->flags;
}

int ofi_frame(struct tie *t, const struct net_hdr *h, const void *buf, size_t len)
{
	struct bounce *b;
	int err = way_free(t);

	if (err != 0)
		return err;
	if (!t->opened)
		return frame_by_net(t, h, buf, len);
	err = bounce_get(t, len, &b);
	if (err != 0)
		return err;
	head_set(&b->head, h);
	if (len > 0)
		memcpy(b->data, buf, len);
	frame_go(b, len);
	return 0;
}

static struct net_hdr hdr_of(const struct shm_hdr *h)
{
	return (struct net_hdr){.ctx = h->ctx, .tag = h->tag, .kind = h->kind, .flags = h->flags};
}

int ofi_put(int peer, const struct shm_hdr *h, const void *buf, size_t len)
{
	struct tie *t = ofi_tie(peer);
	struct net_hdr hdr = hdr_of(h);

	return t != NULL ? ofi_frame(t, &hdr, buf, len) : SHM_NOMEM;
}

int ofi_reserve(int peer, size_t len, void **room)
{
	struct tie *t = ofi_tie(peer);
	int err = t != NULL ? way_free(t) : SHM_NOMEM;

	if (err != 0)
		return err;
	reserved = NULL;
	if (!t->opened) {
		if (!hello_go(t))
			return SHM_AGAIN;
		return error_of(net_reserve(via.net, peer, len, room));
	}
	err = bounce_get(t, len, &reserved);
	if (err == 0)
		*room = reserved->data;
	return err;
}

void ofi_commit(int peer, const struct shm_hdr *h, size_t len)
{
	struct net_hdr hdr = hdr_of(h);

	if (reserved == NULL) {
		net_commit(via.net, peer, &hdr, len);
		by_net(tie_of(peer));
		return;
	}
	head_set(&reserved->head, &hdr);
	frame_go(reserved, len);
}

/* The first by the fabric.  Its connection may take a while, and needs the other process: until
 * then frames go by sockets. */
static int open_go(struct tie *t)
{
	struct bounce *b;

	if (bounce_get(t, 0, &b) != 0)
		return 0;
	b->head.kind = OFI_OPEN;
	b->head.ctx = t->nets_out;
	b->len = sizeof(b->head);
	if (!bounce_go(b)) {
		bounce_put(b);
		return 0;
	}
	t->seq_out = 1;
	t->opened = true;
	return 1;
}

/* --- frames that come ----------------------------------------------------------------------- */

static void take(struct tie *t, const struct net_hdr *h, const void *data, size_t len)
{
	struct shm_frame f = {.ctx = h->ctx,
		.data = data,
		.tag = h->tag,
		.len = (uint32_t)len,
		.src = t->peer,
		.kind = h->kind,
		.flags = h->flags};

	via_ofi_count.got++;
	if (h->kind == OFI_ROOM)
		flows_room(t, data, len);
	else if (!ofi.closing && t->end != OFI_GONE)
		via.deliver(NULL, &f);
}

/* Posts a buffer for whatever comes. */
static void in_post(struct bounce *b)
{
	b->op.what = OFI_IN;
	if (fab_recv(&b->op, &b->head, sizeof(b->head) + NET_FRAME_MAX, b->desc) != 0)
		bounce_push(&idle, b);
}

/* Is it the next frame? */
static bool in_turn(const struct tie *t, const struct bounce *b)
{
	if (b->head.seq != t->seq_in)
		return false;
	return b->head.seq == 0 || t->nets_in == t->nets_due;
}

static void in_take(struct tie *t, struct bounce *b)
{
	struct net_hdr h = {b->head.ctx, b->head.tag, b->head.kind, b->head.flags};

	if (t->seq_in++ == 0 && !t->heard) {
		t->heard = true;
		t->nets_due = (uint32_t)h.ctx;
	} else {
		take(t, &h, b->data, b->len - sizeof(b->head));
	}
	in_post(b);
}

/* Keeps it until it is its turn: frames match in the order of their sends, and long ones end later
 * than short ones that came after them. */
static void in_hold(struct tie *t, struct bounce *b)
{
	struct bounce **at = &t->held.head;

	while (*at != NULL && (int32_t)((*at)->head.seq - b->head.seq) < 0)
		at = &(*at)->next;
	b->next = *at;
	*at = b;
	via_ofi_count.held++;
	ofi_work(t);
}

/* It has said goodbye: do we have all? */
static void bye_check(struct tie *t)
{
	if (!t->bye || t->got_it || t->seq_in != t->bye_seq || t->held.head != NULL)
		return;
	t->got_it = true;
	t->owes_got = true;
	ofi_work(t);
}

static void held_go(struct tie *t)
{
	while (t->held.head != NULL && in_turn(t, t->held.head))
		in_take(t, bounce_pop(&t->held));
	bye_check(t);
}

/* Whose frame it is; NULL: of nobody who was told the key. */
static struct tie *sender_of(const struct bounce *b, size_t len)
{
	const struct head *h = &b->head;
	struct tie *t;

	if (len < sizeof(*h) || h->from >> VIA_PEER_BITS != 0)
		return NULL;
	t = tie_of((int)h->from);
	return t != NULL && t->told && h->key == t->key_in ? t : NULL;
}

static void in_frame(struct bounce *b, size_t len)
{
	struct tie *t = sender_of(b, len);

	if (t == NULL || t->end == OFI_GONE) {
		via_ofi_count.strays++;
		in_post(b);
		return;
	}
	b->len = (uint32_t)len;
	if (likely(in_turn(t, b)))
		in_take(t, b);
	else
		in_hold(t, b);
	if (unlikely(t->held.head != NULL || t->bye))
		held_go(t);
}

static void event(const struct fab_event *ev)
{
	struct bounce *b = (struct bounce *)(void *)ev->op;

	switch (ev->op->what) {
	case OFI_IN:
		if (ev->err == 0)
			in_frame(b, ev->len);
		else if (!ofi.closing)
			in_post(b);
		break;
	case OFI_OUT:
		ofi.busy--;
		if (ev->err != 0)
			ofi_break(b->tie, ev->err);
		bounce_put(b);
		break;
	default: flows_event(ev);
	}
}

/* --- what sockets bring --------------------------------------------------------------------- */

static void hello_got(struct tie *t, const struct net_frame *f)
{
	const struct hello *h = f->data;
	char words[WORDS_LEN];
	int err;

	if (f->len != sizeof(*h) || h->version != VERSION || h->name_len > FAB_NAME_MAX ||
		strncmp(h->provider, fab_provider(), sizeof(h->provider) - 1) != 0) {
		snprintf(words, sizeof(words), "it uses libfabric's provider %.63s, and we use %s",
			f->len == sizeof(*h) ? h->provider : "?", fab_provider());
		words_set(t, words);
		ofi_break(t, EPROTO);
		return;
	}
	t->key_out = h->key;
	err = fab_peer(h->name, h->name_len, &t->addr);
	if (err != 0) {
		ofi_break(t, err);
		return;
	}
	ofi.making -= t->told && !t->known;
	t->known = true;
	if (!hello_go(t) || t->wants)
		ofi_work(t);
}

static void bye_got(struct tie *t, const struct net_frame *f)
{
	if (f->len != sizeof(t->bye_seq))
		return;
	memcpy(&t->bye_seq, f->data, sizeof(t->bye_seq));
	t->bye = true;
	bye_check(t);
}

static void end_set(struct tie *t, enum ofi_end end)
{
	t->end = end;
	t->since_ns = ofi_now();
	t->looks = 0;
	ofi_work(t);
}

static bool time_over(struct tie *t, uint64_t ns)
{
	return ++t->looks > LOOKS && ofi_now() - t->since_ns >= ns;
}

/* The other side has seen the fabric fail. */
static void cut_got(struct tie *t, const struct net_frame *f)
{
	char words[WORDS_LEN];

	snprintf(words, sizeof(words), "it has lost us: %.*s", (int)f->len, (const char *)f->data);
	words_set(t, words);
	if (t->end == OFI_HERE)
		end_set(t, OFI_ENDING);
}

void ofi_deliver(const struct net_frame *f)
{
	struct tie *t = ofi_tie(f->from);

	if (t == NULL)
		haft_abort_job(MPI_ERR_NO_MEM, "no memory for another rank");
	switch (f->hdr.kind) {
	case OFI_HELLO: hello_got(t, f); break;
	case OFI_BYE: bye_got(t, f); break;
	case OFI_GOT: t->got = true; break;
	case OFI_CUT: cut_got(t, f); break;
	default:
		t->nets_in++;
		take(t, &f->hdr, f->data, f->len);
		held_go(t);
	}
}

void ofi_net_lost(int peer, bool left, const char *words)
{
	struct tie *t = tie_of(peer);

	if (t == NULL) {
		if (!ofi.closing)
			ofi.lost(peer, left, words);
		return;
	}
	if (t->end != OFI_HERE)
		return;
	if (left) {
		free(t->words);
		t->words = NULL;
	}
	words_set(t, words);
	ofi.making -= t->told && !t->known;
	t->known = true;
	t->left = left;
	end_set(t, left && t->bye ? OFI_LEAVING : OFI_ENDING);
}

/* --- what is done later --------------------------------------------------------------------- */

static void gone(struct tie *t)
{
	struct bounce *b;

	t->end = OFI_GONE;
	while ((b = bounce_pop(&t->waiting)) != NULL)
		bounce_put(b);
	while ((b = bounce_pop(&t->held)) != NULL)
		in_post(b);
	flows_end(t);
	if (!ofi.closing)
		ofi.lost(t->peer, t->left, t->words != NULL ? t->words : "lost");
}

/* A step towards its end. */
static int end_step(struct tie *t)
{
	if (t->end == OFI_LEAVING) {
		if (!t->got_it && !time_over(t, LEAVE_NS)) {
			ofi_work(t);
			return 0;
		}
		end_set(t, OFI_ENDING);
	}
	if (!flows_stop(t, !t->stopping) && !time_over(t, END_NS)) {
		t->stopping = true;
		ofi_work(t);
		return 0;
	}
	gone(t);
	return 1;
}

/* The fabric has failed and sockets know nothing of it. */
static void doubt_step(struct tie *t)
{
	if (time_over(t, DOUBT_NS)) {
		end_set(t, OFI_ENDING);
		aside_go(t, OFI_CUT, t->words, t->words != NULL ? strlen(t->words) : 0);
	}
	ofi_work(t);
}

static int waiting_go(struct tie *t)
{
	int moved = 0;

	while (t->waiting.head != NULL && bounce_go(t->waiting.head)) {
		bounce_pop(&t->waiting);
		moved++;
	}
	return moved;
}

static int tie_step(struct tie *t)
{
	int moved = 0;

	if (t->end == OFI_GONE)
		return 0;
	if (t->end != OFI_HERE)
		return end_step(t);
	if (t->broken) {
		doubt_step(t);
		return 0;
	}
	if (t->known && !hello_go(t))
		ofi_work(t);
	if (t->wants && t->known && !t->opened)
		moved += open_go(t);
	moved += waiting_go(t);
	moved += flows_push(t);
	if (t->owes_got && aside_go(t, OFI_GOT, NULL, 0))
		t->owes_got = false;
	if ((t->wants && t->known && !t->opened) || t->waiting.head != NULL || t->owes_got ||
		t->held.head != NULL)
		ofi_work(t);
	return moved;
}

static int work_go(void)
{
	struct tie *t = ofi.work, *next;
	int moved = 0;

	ofi.work = NULL;
	for (; t != NULL; t = next) {
		next = t->next;
		t->working = false;
		moved += tie_step(t);
	}
	return moved;
}

static void idle_post(void)
{
	struct bounces q = idle;

	idle.head = NULL;
	while (q.head != NULL)
		in_post(bounce_pop(&q));
}

int ofi_look(bool all)
{
	static uint32_t tick;
	struct fab_event ev[BATCH];
	int n = fab_poll(ev, BATCH);

	for (int i = 0; i < n; i++)
		event(&ev[i]);
	if (unlikely(idle.head != NULL))
		idle_post();
	if (ofi.work != NULL || ofi.making > 0)
		all = true;
	if (ofi.work != NULL)
		n += work_go();
	if (all || ++tick % PEEK == 0)
		n += net_poll(via.net);
	if (ofi.work == NULL)
		nap_set(ofi.busy > 0 ? NAP_BUSY : 0);
	return n;
}

bool ofi_quiet(void)
{
	if (ofi.busy > 0 || !net_quiet(via.net))
		return false;
	for (const struct tie *t = ofi.work; t != NULL; t = t->next)
		if (t->waiting.head != NULL || !flows_quiet(t))
			return false;
	return true;
}

bool ofi_sleep(uint64_t *ns, int *fd)
{
	uint64_t nap = (uint64_t)atomic_load_explicit(&ofi.nap_ms, memory_order_relaxed) * MS;

	*fd = fab_fd();
	if (nap > 0 && nap < *ns)
		*ns = nap;
	return fab_may_sleep();
}

/* --- coming and leaving --------------------------------------------------------------------- */

int ofi_open(const char *ip, void (*lost)(int peer, bool left, const char *words))
{
	struct fab_want want = {.provider = haft_set_text(HAFT_SET_OFI),
		.ip = ip,
		.ops = INS,
		.msg_max = OFI_PART_MAX,
		.fd = haft_set(HAFT_SET_SLEEP) != SHM_SLEEP_NEVER};
	struct bounces ins = {0};
	struct bounce *b;
	char words[WORDS_LEN];

	if (!fab_open(&want, words, sizeof(words)))
		return haft_err(MPI_ERR_OTHER, "HAFT_VIA=ofi: %s", words);
	if (!bounces_new(&ins, INS, NET_FRAME_MAX))
		return haft_err(MPI_ERR_NO_MEM, "no memory for %d frames that come", INS);
	while ((b = bounce_pop(&ins)) != NULL)
		in_post(b);
	ofi.lost = lost;
	random_fill(&ofi.secret);
	random_fill(&ofi.factor);
	ofi.factor |= 1;
	return 0;
}

static void look_again(void)
{
	if (ofi_look(true) == 0)
		nanosleep(&(struct timespec){.tv_nsec = LEAVE_NAP}, NULL);
}

/* There is somebody to say goodbye to. */
static bool bye_due(const struct tie *t)
{
	return t->told && !t->broken && t->end == OFI_HERE;
}

/* It has said that it has everything. */
static bool bye_heard(const struct tie *t)
{
	return !bye_due(t) || t->got || t->seq_out == 0;
}

void ofi_leave(void)
{
	uint64_t end = ofi_now() + DRAIN_NS;

	ofi.closing = true;
	while (!ofi_quiet() && ofi_now() < end)
		look_again();
	for (struct tie *t = ofi.ties; t != NULL; t = t->all)
		while (bye_due(t) && ofi_now() < end &&
			!aside_go(t, OFI_BYE, &t->seq_out, sizeof(t->seq_out)))
			look_again();
	end = ofi_now() + GOT_NS;
	for (const struct tie *t = ofi.ties; t != NULL; t = t->all)
		while (!bye_heard(t) && ofi_now() < end)
			look_again();
}

void ofi_close(void)
{
	struct tie *t;

	fab_close();
	while ((t = ofi.ties) != NULL) {
		ofi.ties = t->all;
		via_peer_get(t->peer)->ofi = NULL;
		flows_free(t);
		free(t->words);
		free(t);
	}
}
