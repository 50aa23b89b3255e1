// SPDX-License-Identifier: BSD-3-Clause
/* shm_seat.c - tenants join and leave a segment ten thousand times: each frame comes from the
 * tenant that has put it, in its order, and memory stays as it was.
 *
 * One process plays the launcher and all tenants, by chance, so that every order of their steps
 * comes up.  A tenant leaves when all that it has put was taken, as MPI_Comm_disconnect demands, or
 * at any time, as a process that is killed does. */
#include <string.h>
#include <sys/mman.h>
#include "tests/unit/shm_node.h"
#include "libshm/shm_inner.h"

#define FIRST  2
#define SPARE  5
#define SEATS  (FIRST + SPARE)
#define ROUNDS 10000
#define LONG   200 /* bytes of a frame that needs a payload area */

#define MANY       1000                /* spare seats of a process alone ... */
#define TABLES_MAX (512 << 10)         /* ... whose tables are smaller than this */
#define USED       ((size_t)100 << 10) /* freed before: below the size that malloc maps */
#define PAGE_LEN   4096

struct tenant {
	struct shm *s; /* NULL: the seat is closed */
	uint32_t name;
	uint32_t from[SEATS]; /* the tenants whose frames come in, as newcomer says */
	uint32_t got[SEATS];  /* frames taken of each */
	uint32_t sent[SEATS]; /* frames put to each ... */
	uint32_t whom[SEATS]; /* ... to the tenant of this name */
};

struct frame_text {
	uint32_t from, to, number;
	uint8_t pad[LONG];
};

static struct shm_seg *seg;
static struct tenant tenant[SEATS];
static struct tenant *polling;
static uint64_t seed = 1;
static uint32_t names;

static void newcomer(int seat, uint32_t name)
{
	CHECK(name > polling->from[seat]);
	polling->from[seat] = name;
	polling->got[seat] = 0;
}

static void seat_take(void *arg, const struct shm_frame *f)
{
	struct frame_text t;

	(void)arg;
	memcpy(&t, f->data, offsetof(struct frame_text, pad));
	CHECK(t.to == polling->name);
	CHECK(t.from == polling->from[f->src]);
	CHECK(t.number == polling->got[f->src]);
	polling->got[f->src]++;
}

static int poll_once(int seat)
{
	polling = &tenant[seat];
	return shm_poll(polling->s, seat_take, NULL);
}

static void pipe_try(struct tenant *t, int dst)
{
	struct tenant *r = &tenant[dst];
	const void *in;
	void *out;
	size_t len;

	if (shm_pipe_acquire(t->s, dst, &out, &len) != 0)
		return;
	memcpy(out, &t->name, sizeof(t->name));
	shm_pipe_publish(t->s, dst, sizeof(t->name));
	for (int i = 0; i < 1000 && poll_once(dst) > 0; i++)
		;
	if (shm_pipe_front(r->s, (int)(t - tenant), &in, &len) != 0)
		return;
	CHECK(len == sizeof(t->name) && memcmp(in, &t->name, len) == 0);
	shm_pipe_release(r->s, (int)(t - tenant));
}

static void send_some(int src, int dst)
{
	struct tenant *t = &tenant[src], *r = &tenant[dst];
	struct shm_hdr h = {.kind = 1};
	struct frame_text text = {.from = t->name, .to = r->name};

	if (r->name != 0)
		shm_seat_redirect(t->s, dst, r->name);
	if (t->whom[dst] != r->name)
		t->sent[dst] = 0;
	t->whom[dst] = r->name;
	for (uint32_t i = node_random(&seed) % 12; i > 0; i--) {
		size_t len = node_random(&seed) % 4 == 0 ? sizeof(text)
							 : offsetof(struct frame_text, pad);

		text.number = t->sent[dst];
		t->sent[dst] += shm_put(t->s, dst, &h, &text, len) == 0;
	}
	if (node_random(&seed) % 8 == 0 && src != dst)
		pipe_try(t, dst);
}

static void seat_join(int seat, bool first)
{
	struct tenant *t = &tenant[seat];

	*t = (struct tenant){.name = first ? 0 : ++names};
	if (t->name != 0)
		CHECK(shm_seat_open(seg, seat, t->name) == 0);
	CHECK(t->name == 0 || shm_seat_open(seg, seat, t->name + 1) == SHM_AGAIN);
	CHECK(shm_attach(seg, seat, &t->s) == 0);
	shm_newcomer_set(t->s, newcomer);
}

static void leave(int seat)
{
	if (node_random(&seed) % 4 != 0)
		for (int r = 0; r < SEATS; r++)
			for (int i = 0; i < 100 && tenant[r].s != NULL && poll_once(r) > 0; i++)
				;
	shm_detach(tenant[seat].s);
	shm_seat_close(seg, seat);
	tenant[seat].s = NULL;
}

/* One step of a tenant that chance chooses; rank 0 stays. */
static void seat_step(void)
{
	int a = (int)(node_random(&seed) % SEATS), b = (int)(node_random(&seed) % SEATS);

	if (tenant[a].s == NULL) {
		seat_join(a, false);
		return;
	}
	if (a != 0 && node_random(&seed) % 16 == 0)
		leave(a);
	else if (tenant[b].s != NULL && node_random(&seed) % 3 != 0)
		send_some(a, b);
	else
		poll_once(a);
}

static void test_tenants(void **state)
{
	const struct shm_opts opts = {.nranks = FIRST, .spare = SPARE, .ncpus = SEATS};
	uint64_t top = 0;

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	assert_int_equal(shm_seg_nranks(seg), FIRST);
	assert_int_equal(shm_seg_nseats(seg), SEATS);
	for (int i = 0; i < FIRST; i++)
		seat_join(i, true);
	for (uint32_t n = 0; names < ROUNDS; n++) {
		seat_step();
		if (names == ROUNDS / 2 && top == 0)
			top = seg->head->heap_top;
	}
	print_message("heap: %llu bytes, then %llu\n", (unsigned long long)(top - seg->head->heap),
		(unsigned long long)(seg->head->heap_top - seg->head->heap));
	assert_true(seg->head->heap_top <= top + top / 16); /* some more at once, not more in all */
	for (int i = 0; i < SEATS; i++)
		assert_true(tenant[i].s == NULL || shm_valid(tenant[i].s));
	shm_seg_close(seg);
}

static void test_bad(void **state)
{
	const struct shm_opts opts = {.nranks = 1, .spare = 1};

	(void)state;
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	assert_int_equal(shm_seat_open(seg, 0, 1), SHM_AGAIN);
	assert_int_equal(shm_seat_open(seg, 2, 1), SHM_BAD);
	assert_int_equal(shm_seat_open(seg, 1, 0), SHM_BAD);
	assert_int_equal(shm_seat_open(seg, 1, 7), 0);
	assert_int_equal(shm_seat_name(seg, 1), 7);
	assert_int_equal(shm_seat_name(seg, 0), 0);
	shm_seat_close(seg, 1);
	assert_true(shm_seat_name(seg, 1) > SHM_NAME_MAX);
	shm_seg_close(seg);
}

/* A process that has freed memory before it attaches: seats without a tenant cost it none, but the
 * page of its own struct. */
static void test_memory(void **state)
{
	const struct shm_opts opts = {.nranks = 1, .spare = MANY};
	unsigned char there[TABLES_MAX / PAGE_LEN];
	char *used = malloc(USED);
	size_t pages, touched = 0;
	struct shm *s;

	(void)state;
	assert_non_null(used);
	memset(used, 1, USED);
	free(used);
	assert_int_equal(shm_seg_create(&opts, &seg), 0);
	assert_int_equal(shm_attach(seg, 0, &s), 0);
	pages = (s->in->mapped + PAGE_LEN - 1) / PAGE_LEN;
	assert_in_range(pages, MANY * sizeof(struct shm_peer) / PAGE_LEN, TABLES_MAX / PAGE_LEN);
	assert_int_equal(mincore(s, s->in->mapped, there), 0);
	for (size_t i = 0; i < pages; i++)
		touched += there[i] & 1;
	print_message("%zu of %zu pages of %d seats are touched\n", touched, pages, MANY + 1);
	assert_true(touched == 1 && (there[0] & 1) != 0);
	shm_detach(s);
	shm_seg_close(seg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tenants),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
