// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=0 time=120 */
/* frame.c - random frames for the engines: a peer that has the job's key may still send anything.
 *
 *     child of a seed:  MPI calls to peers ── via_remote_put ──> mirror ──┬── unchanged
 *                           ^                                             ├── changed, cut, long
 *                           └── p2p_deliver, from that peer <─────────────┴── twice, from another
 *
 * The process is rank 0 of 4; the other ranks are a mirror: a frame to a peer comes back from it.
 * So sends meet receives, requests their answers, partitioned operations each other, and windows
 * get their own accesses.  Collective calls, which a mirror cannot answer, are replaced.  Some
 * frames are changed under way, as drawn from the seed.
 *
 * A frame is either taken or refused (p2p_protocol_error); an unchanged one is never refused.
 * Nothing may be read or written beside its memory: the sanitizers watch, and frames end at the end
 * of their memory.
 *
 *     frame [-n SEEDS] [-s SEED]     (0 SEEDS: until killed) */
#include "libmpi/boot/boot.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/valid.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/rma/am.h"
#include "libmpi/rma/win_remote.h"
#include "libmpi/via/remote.h"

#include <mpi.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEEDS 60
#define PEERS 4
#define STEPS 600    /* calls of a seed */
#define KINDS 0x40   /* of frames, those with a signature too */
#define QUEUE 4096   /* frames on their way */
#define LONG  150000 /* bytes of the largest message: no frame holds it */
#define OPS   64     /* requests at a time */
#define PARTS 5
#define BYTES 4096 /* of a window */
#define STUCK 50   /* idle polls without a frame: no answer will come */

struct wire {
	int peer;
	struct shm_hdr h;
	uint32_t len;
	char *data; /* malloc'ed, exactly len bytes */
};

static struct wire queue[QUEUE];
static unsigned head, tail;
static char room[NET_FRAME_MAX]; /* of via_reserve */
static uint64_t seed, rnd;
static uint32_t wild; /* one frame of so many is changed; 0: none is, and none may be refused */
static uint32_t taken[KINDS], refused; /* frames */
static int idle;
static jmp_buf next_frame, next_seed;
static bool inside; /* a frame is being delivered */

static uint32_t frame_draw(uint32_t below)
{
	uint64_t x = rnd += 0x9e3779b97f4a7c15;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((x ^ x >> 31) >> 32) % below;
}

/* --- the mirror ----------------------------------------------------------------------------- */

static void wire_put(int peer, const struct shm_hdr *h, const void *buf, size_t len)
{
	struct wire *w = &queue[tail % QUEUE];

	if (tail - head == QUEUE)
		longjmp(next_seed, 1);
	*w = (struct wire){peer, *h, (uint32_t)len, malloc(len)};
	if (len > 0)
		memcpy(w->data, buf, len);
	tail++;
}

/* A number that may be taken for valid. */
static uint64_t odd_number(void)
{
	static const uint64_t odd[] = {0, 1, 2, 3, 4, 5, 7, 8, 64, 4095, BYTES, BYTES + 1, 0xffff,
		INT32_MAX, UINT32_MAX, UINT64_C(1) << 32, INT64_MAX, UINT64_C(1) << 63, UINT64_MAX};

	return frame_draw(4) == 0 ? (uint64_t)frame_draw(UINT32_MAX) << 32 | frame_draw(UINT32_MAX)
				  : odd[frame_draw(countof(odd))];
}

/* The frame gets another length; new bytes have any value. */
static void stretch(struct wire *w, uint32_t len)
{
	char *data = calloc(1, len);

	memcpy(data, w->data, len < w->len ? len : w->len);
	free(w->data);
	w->data = data;
	w->len = len;
}

static void spoil_data(struct wire *w)
{
	uint64_t number = odd_number();
	uint32_t size = 1u << frame_draw(4), at;

	if (w->len < size)
		return;
	at = frame_draw(frame_draw(2) == 0 && w->len > 64 ? 64 : w->len) / size * size;
	if (at + size <= w->len)
		memcpy(w->data + at, &number, size);
}

static void spoil(struct wire *w)
{
	switch (frame_draw(10)) {
	case 0: w->h.kind = (uint8_t)frame_draw(KINDS); break;
	case 1:
		w->h.tag = frame_draw(2) == 0 ? (int32_t)((uint32_t)w->h.tag + 1)
					      : (int32_t)odd_number();
		break;
	case 2: w->h.ctx = frame_draw(2) == 0 ? w->h.ctx ^ 1 : odd_number(); break;
	case 3: w->peer = 1 + (int)frame_draw(PEERS - 1); break;
	case 4: stretch(w, frame_draw(w->len + 1)); break;
	case 5: stretch(w, w->len + frame_draw(200)); break;
	case 6: stretch(w, frame_draw(200)); break;
	default: spoil_data(w);
	}
	if (frame_draw(3) == 0)
		spoil_data(w);
}

static void wire_deliver(const struct wire *w)
{
	struct shm_frame f = {.ctx = w->h.ctx,
		.data = (const uint8_t *)w->data,
		.tag = w->h.tag,
		.len = w->len,
		.src = w->peer,
		.kind = w->h.kind};

	inside = true;
	if (setjmp(next_frame) == 0) {
		p2p_deliver(NULL, &f);
		taken[w->h.kind]++;
	} else {
		refused++;
		p2p_state.sig = NULL;
	}
	inside = false;
}

/* One frame of those on their way; 0: there is none. */
static int frame_look(void)
{
	static bool looking;
	struct wire w;

	if (head == tail || looking)
		return 0;
	w = queue[head++ % QUEUE];
	if (w.len > 0 && w.data == NULL)
		abort();
	looking = true;
	if (wild > 0 && frame_draw(wild) == 0) {
		if (frame_draw(8) == 0)
			wire_deliver(&w); /* and once more, changed */
		spoil(&w);
	}
	wire_deliver(&w);
	looking = false;
	free(w.data);
	idle = 0;
	return 1;
}

/* --- replacements: the transport of remote.c, and functions that end a job ------------------ */
/* Each is the other half of -Wl,--wrap. */

int __wrap_via_remote_open(const struct via_conf *conf);
int __wrap_via_remote_put(int peer, const struct shm_hdr *h, const void *buf, size_t len);
int __wrap_via_remote_reserve(int peer, size_t len, void **at);
void __wrap_via_remote_commit(int peer, const struct shm_hdr *h, size_t len);
int __wrap_via_remote_poll(bool all);
int __wrap_via_stream_send(int peer, uint64_t id, const void *buf, size_t len, struct net_op *op);
int __wrap_via_stream_post(int peer, uint64_t id, void *buf, size_t len, struct net_op *op);
bool __wrap_via_all_sent_remote(void);
void __wrap_via_idle(struct shm_wait *w);
void __wrap_p2p_protocol_error(int peer, const char *fmt, ...);
void __wrap_haft_abort_job(int code, const char *text);
int __real_boot_init(struct boot **b);
int __wrap_boot_init(struct boot **b);
int __wrap_boot_seat_of(int rank);
int __wrap_boot_host_of(int rank);
int __wrap_coll_allgather(const void *mine, int64_t n, struct type *type, void *all, int64_t each,
	struct type *rtype, struct comm *c);
int __wrap_coll_barrier(struct comm *c);

int __wrap_via_remote_open(const struct via_conf *conf)
{
	static int wire;

	(void)conf;
	via.net = (struct net *)(void *)&wire; /* never read */
	return 0;
}

int __wrap_via_remote_put(int peer, const struct shm_hdr *h, const void *buf, size_t len)
{
	if (frame_draw(50) == 0)
		return SHM_AGAIN;
	wire_put(peer, h, buf, len);
	return 0;
}

int __wrap_via_remote_reserve(int peer, size_t len, void **at)
{
	(void)peer;
	*at = room;
	return len > sizeof(room) || frame_draw(50) == 0 ? SHM_AGAIN : 0;
}

void __wrap_via_remote_commit(int peer, const struct shm_hdr *h, size_t len)
{
	wire_put(peer, h, room, len);
}

int __wrap_via_remote_poll(bool all)
{
	(void)all;
	return frame_look();
}

/* Streams end at once.  Outgoing data is read, incoming data is written. */
int __wrap_via_stream_send(int peer, uint64_t id, const void *buf, size_t len, struct net_op *op)
{
	volatile uint8_t sum = 0;

	(void)peer;
	(void)id;
	for (size_t i = 0; i < len; i++)
		sum = (uint8_t)(sum + ((const uint8_t *)buf)[i]);
	op->len = op->at = len;
	op->state = NET_OP_DONE;
	return 0;
}

int __wrap_via_stream_post(int peer, uint64_t id, void *buf, size_t len, struct net_op *op)
{
	(void)peer;
	(void)id;
	memset(buf, 'x', len);
	op->len = op->at = len;
	op->state = NET_OP_DONE;
	return 0;
}

bool __wrap_via_all_sent_remote(void)
{
	return true;
}

void __wrap_via_idle(struct shm_wait *w)
{
	(void)w;
	if (++idle > STUCK)
		longjmp(next_seed, 1);
}

void __wrap_p2p_protocol_error(int peer, const char *fmt, ...)
{
	(void)peer;
	(void)fmt;
	if (!inside)
		abort();
	longjmp(next_frame, 1);
}

void __wrap_haft_abort_job(int code, const char *text)
{
	(void)code;
	(void)text;
	longjmp(next_seed, 1);
}

int __wrap_boot_init(struct boot **b)
{
	int err = __real_boot_init(b);

	if (err == 0) {
		(*b)->size = PEERS;
		(*b)->nhosts = PEERS;
	}
	return err;
}

int __wrap_boot_seat_of(int rank)
{
	return rank == 0 ? 0 : -1;
}

int __wrap_boot_host_of(int rank)
{
	return rank;
}

int __wrap_coll_allgather(const void *mine, int64_t n, struct type *type, void *all, int64_t each,
	struct type *rtype, struct comm *c)
{
	(void)type;
	(void)rtype;
	for (int i = 0; i < c->size; i++)
		memcpy((char *)all + i * each, mine, (size_t)n);
	return 0;
}

int __wrap_coll_barrier(struct comm *c)
{
	(void)c;
	return 0;
}

/* --- the calls ------------------------------------------------------------------------------ */

static MPI_Request reqs[OPS];
static char *bufs[OPS]; /* malloc'ed: the sanitizers see their ends */
static MPI_Request parts[PARTS * 2];
static MPI_Win wins[2];
static char *win_mem[2];
static MPI_Datatype gaps;
static int32_t *values;

static int peer_any(void)
{
	return 1 + (int)frame_draw(PEERS - 1);
}

static int free_slot(void)
{
	for (int i = 0; i < OPS; i++) {
		if (reqs[i] == MPI_REQUEST_NULL)
			return i;
	}
	return -1;
}

static int size_any(void)
{
	switch (frame_draw(4)) {
	case 0: return (int)frame_draw(64);
	case 1: return (int)frame_draw(2000);
	case 2: return (int)frame_draw(40000);
	}
	return (int)frame_draw(LONG);
}

/* A message one way or the other; with gaps it needs four times the room. */
static void message(void)
{
	int i = free_slot(), tag = (int)frame_draw(3), n = size_any() / 4 + 1, peer = peer_any();
	MPI_Datatype type = frame_draw(3) == 0 ? gaps : MPI_INT;

	if (i < 0)
		return;
	free(bufs[i]);
	bufs[i] = calloc((size_t)n, type == gaps ? 16 : 4);
	switch (frame_draw(8)) {
	case 0: MPI_Issend(bufs[i], n, type, peer, tag, MPI_COMM_WORLD, &reqs[i]); break;
	case 1:
	case 2: MPI_Isend(bufs[i], n, type, peer, tag, MPI_COMM_WORLD, &reqs[i]); break;
	case 3:
		MPI_Irecv(bufs[i], n, type, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &reqs[i]);
		break;
	case 4: MPI_Irecv(bufs[i], n, type, peer, MPI_ANY_TAG, MPI_COMM_WORLD, &reqs[i]); break;
	default: MPI_Irecv(bufs[i], n, type, peer, tag, MPI_COMM_WORLD, &reqs[i]);
	}
}

static void probe(void)
{
	static MPI_Message held = MPI_MESSAGE_NULL;
	int flag = 0, i = free_slot();
	MPI_Status status;

	if (held == MPI_MESSAGE_NULL) {
		MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &held, &status);
	} else if (i >= 0) {
		free(bufs[i]);
		bufs[i] = malloc(1000);
		MPI_Imrecv(bufs[i], 1000, MPI_BYTE, &held, &reqs[i]);
	}
}

static void test_some(void)
{
	int n, done[OPS];

	MPI_Testsome(OPS, reqs, &n, done, MPI_STATUSES_IGNORE);
	if (frame_draw(5) == 0) {
		int i = (int)frame_draw(OPS);

		if (reqs[i] != MPI_REQUEST_NULL)
			MPI_Cancel(&reqs[i]);
	}
}

/* Sends come first, then the receives of the same. */
static void parts_make(void)
{
	for (int i = 0; i < PARTS; i++) {
		int n = 1 + (int)frame_draw(4), each = (int)frame_draw(2) == 0 ? 100 : 20000;
		MPI_Datatype type = frame_draw(3) == 0 ? gaps : MPI_INT;
		int peer = peer_any();
		char *mem = calloc((size_t)n, (size_t)each * (type == gaps ? 16 : 4));
		char *to = calloc((size_t)n, (size_t)each * (type == gaps ? 16 : 4));

		MPI_Psend_init(
			mem, n, each, type, peer, i, MPI_COMM_WORLD, MPI_INFO_NULL, &parts[i]);
		MPI_Precv_init(to, 1, each * n, type, peer, i, MPI_COMM_WORLD, MPI_INFO_NULL,
			&parts[PARTS + i]);
	}
}

static void parts_step(void)
{
	int i = (int)frame_draw(PARTS), flag;
	struct req *r = obj_get(&haft_req_class, (obj_h)parts[i]);

	if (r == NULL)
		return;
	if (!r->active) {
		MPI_Start(&parts[i]);
		MPI_Pready(0, parts[i]);
	} else {
		MPI_Pready((int)frame_draw(4), parts[i]);
		MPI_Test(&parts[i], &flag, MPI_STATUS_IGNORE);
	}
	r = obj_get(&haft_req_class, (obj_h)parts[PARTS + i]);
	if (r != NULL && !r->active)
		MPI_Start(&parts[PARTS + i]);
	else if (r != NULL)
		MPI_Test(&parts[PARTS + i], &flag, MPI_STATUS_IGNORE);
	if (frame_draw(30) == 0 && r != NULL && !r->active)
		MPI_Request_free(&parts[PARTS + i]);
}

/* Is a frame about locks, which this peer does not send, refused? */
static bool sync_refused(MPI_Win win, uint8_t kind, uint8_t mode)
{
	const uint8_t bytes[8] = {kind, mode}; /* win_remote.c: struct sync_frame */
	volatile bool taken_it = false;

	inside = true;
	if (setjmp(next_frame) == 0) {
		rma_remote_frame(obj_get(&haft_win_class, (void *)win), 1, bytes, sizeof(bytes));
		taken_it = true;
	}
	inside = false;
	return !taken_it;
}

/* A peer drops no lock that it does not hold, and leaves a window once. */
static void strange_locks(MPI_Win win)
{
	enum { DROP = 3, BYE = 7, SHARED = 1, EXCLUSIVE = 2 };

	if (sync_refused(win, DROP, SHARED) && sync_refused(win, DROP, EXCLUSIVE) &&
		!sync_refused(win, BYE, 0) && sync_refused(win, BYE, 0))
		return;
	printf("seed %llu: a lock that is not held is dropped, or a member leaves twice\n",
		(unsigned long long)seed);
	fflush(stdout);
	abort();
}

static void windows_make(void)
{
	win_mem[0] = calloc(1, BYTES);
	win_mem[1] = calloc(1, BYTES);
	values = calloc(1, 2 * BYTES);
	MPI_Win_create(win_mem[0], BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &wins[0]);
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &wins[1]);
	MPI_Win_attach(wins[1], win_mem[1], BYTES);
	for (int i = 0; i < 2; i++) {
		strange_locks(wins[i]);
		MPI_Win_set_errhandler(wins[i], MPI_ERRORS_RETURN);
		MPI_Win_lock_all(frame_draw(2) == 0 ? MPI_MODE_NOCHECK : 0, wins[i]);
	}
}

static void frame_operation(void)
{
	int i = (int)frame_draw(2), n = (int)frame_draw(50) + 1, peer = peer_any();
	MPI_Aint at = (MPI_Aint)frame_draw(BYTES / 4 - 64) * 4;
	MPI_Datatype type = frame_draw(4) == 0 ? gaps : MPI_INT;

	n /= type == gaps ? 4 : 1;
	if (i == 1)
		at += (MPI_Aint)(intptr_t)win_mem[1];
	switch (frame_draw(8)) {
	case 0: MPI_Put(values, n, MPI_INT, peer, at, n, type, wins[i]); break;
	case 1: MPI_Get(values, n, MPI_INT, peer, at, n, type, wins[i]); break;
	case 2: MPI_Accumulate(values, n, MPI_INT, peer, at, n, type, MPI_SUM, wins[i]); break;
	case 3:
		MPI_Get_accumulate(values, n, MPI_INT, values + 512, n, MPI_INT, peer, at, n, type,
			frame_draw(2) == 0 ? MPI_NO_OP : MPI_REPLACE, wins[i]);
		break;
	case 4: MPI_Fetch_and_op(values, values + 512, MPI_INT, peer, at, MPI_MAX, wins[i]); break;
	case 5:
		MPI_Compare_and_swap(values, values + 4, values + 512, MPI_INT, peer, at, wins[i]);
		break;
	case 6: MPI_Win_flush(peer, wins[i]); break;
	case 7: /* frames of locks */
		MPI_Win_unlock_all(wins[i]);
		MPI_Win_lock_all(frame_draw(2) == 0 ? MPI_MODE_NOCHECK : 0, wins[i]);
		break;
	}
}

/* A frame that no peer has sent. */
static void strange(void)
{
	char bytes[256];
	uint32_t n = frame_draw(sizeof(bytes));
	struct shm_hdr h = {.ctx = frame_draw(2) == 0 ? frame_draw(64) : odd_number(),
		.tag = frame_draw(2) == 0 ? (int32_t)frame_draw(8) : (int32_t)odd_number(),
		.kind = (uint8_t)frame_draw(KINDS)};

	for (uint32_t i = 0; i < n; i++)
		bytes[i] = (char)(frame_draw(3) == 0 ? frame_draw(256) : 0);
	wire_put(peer_any(), &h, bytes, n);
}

/* All invariants of the engines, between two steps: a frame that is refused leaves them whole. */
static void invariants_check(void)
{
	const char *broken = haft_valid_all();

	if (broken == NULL)
		return;
	printf("seed %llu: the invariants of %s do not hold\n", (unsigned long long)seed, broken);
	fflush(stdout);
	abort();
}

static void calls(void)
{
	bool windows = frame_draw(2) == 0;

	parts_make();
	if (windows)
		windows_make();
	for (int i = 0; i < STEPS; i++) {
		switch (frame_draw(8)) {
		case 0:
		case 1:
		case 2: message(); break;
		case 3: probe(); break;
		case 4: parts_step(); break;
		case 5:
		case 6:
			if (windows)
				frame_operation();
			break;
		case 7:
			if (wild > 0 && frame_draw(wild) == 0)
				strange();
		}
		test_some();
		for (uint32_t n = frame_draw(6); n > 0; n--)
			frame_look();
		invariants_check();
	}
}

static void frame_child(void)
{
	rnd = seed * 0x2545f4914f6cdd1d;
	wild = frame_draw(5) > 0 ? 2 + frame_draw(40) : 0;
	for (int i = 0; i < OPS; i++)
		reqs[i] = MPI_REQUEST_NULL;
	if (frame_draw(3) == 0) { /* as with HAFT_CHECK=types: signatures take room in frames */
		p2p_state.checks = true;
		p2p_tune();
	}
	if (setjmp(next_seed) == 0)
		calls();
	if (wild == 0 && refused > 0) {
		printf("seed %llu: %u frames are refused, and none was changed\n",
			(unsigned long long)seed, refused);
		fflush(stdout);
		abort();
	}
}

/* --- seeds ---------------------------------------------------------------------------------- */

struct sum {
	uint32_t taken[KINDS], refused;
};

/* Frames that a mirror has no reason to send: of memory that both sides share, of processes that
 * have none left, of files, which it does not open, and of failures and aborts. */
static bool is_rare(int kind)
{
	return kind == FRAME_FIN || kind == FRAME_COOP || kind == FRAME_COOP_DONE ||
	       kind == FRAME_ERROR || kind == FRAME_PART_NO_RTS || kind == FRAME_PART_NO_MEM ||
	       kind == FRAME_IO || kind == FRAME_FT || kind == FRAME_ABORT;
}

/* How many have been taken; 0 if of some kind there was none. */
static uint32_t frame_count(const struct sum *sum)
{
	uint32_t n = 0;
	bool all = true;

	for (int kind = FRAME_EAGER; kind < FRAME_KINDS; kind++) {
		n += sum->taken[kind];
		if (sum->taken[kind] > 0 || is_rare(kind))
			continue;
		printf("no frame of kind %d was taken\n", kind);
		all = false;
	}
	return all ? n : 0;
}

/* Runs a seed in a child, whose state goes with it. */
static void seed_run(struct sum *sum)
{
	struct sum one = {0};
	int fd[2], status;
	pid_t pid;

	if (pipe(fd) != 0)
		abort();
	pid = fork();
	if (pid == 0) {
		haft_life.gate = 0; /* calls of MPI are allowed here: nothing is shared */
		frame_child();
		invariants_check();
		memcpy(one.taken, taken, sizeof(taken));
		one.refused = refused;
		_exit(write(fd[1], &one, sizeof(one)) != sizeof(one));
	}
	close(fd[1]);
	if (read(fd[0], &one, sizeof(one)) != sizeof(one))
		one = (struct sum){0};
	close(fd[0]);
	if (waitpid(pid, &status, 0) != pid || status != 0) {
		printf("seed %llu: status 0x%x\n", (unsigned long long)seed, (unsigned)status);
		exit(1);
	}
	for (int i = 0; i < KINDS; i++)
		sum->taken[i] += one.taken[i];
	sum->refused += one.refused;
}

int main(int argc, char **argv)
{
	uint64_t seeds = SEEDS, n;
	struct sum sum = {0};
	int c;

	seed = 1;
	while ((c = getopt(argc, argv, "n:s:")) != -1) {
		if (c == 'n')
			seeds = strtoull(optarg, NULL, 0);
		else if (c == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			return 2;
	}
	MPI_Init(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Type_create_resized(MPI_INT, 0, 16, &gaps);
	MPI_Type_commit(&gaps);
	for (n = 0; n < seeds || seeds == 0; n++, seed++)
		seed_run(&sum);
	n = frame_count(&sum);
	printf("%llu frames taken, %u refused\n", (unsigned long long)n, sum.refused);
	fflush(stdout);
	_exit(n == 0 || sum.refused == 0);
}
