// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2,3 */
/* MPI-5.0 15.3.2, 15.3.7, 15.3.7.1: performance variables, sessions and handles. */
#include "tests/check.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef unsigned long long num;

struct var {
	char name[128];
	int class, readonly, continuous, atomic, bind;
	MPI_Datatype type;
};

static MPI_T_pvar_session session, other;

static void pvar_ask(int i, struct var *v)
{
	int len = sizeof(v->name);

	OK(MPI_T_pvar_get_info(i, v->name, &len, NULL, &v->class, &v->type, NULL, NULL, NULL,
		&v->bind, &v->readonly, &v->continuous, &v->atomic));
}

static MPI_T_pvar_handle pvar_open(const char *name, int class)
{
	MPI_T_pvar_handle h = MPI_T_PVAR_HANDLE_NULL;
	int i, count = 0;

	OK(MPI_T_pvar_get_index(name, class, &i));
	OK(MPI_T_pvar_handle_alloc(session, i, NULL, &h, &count));
	CHECK(h != MPI_T_PVAR_HANDLE_NULL && count == 1);
	return h;
}

static num pvar_value(MPI_T_pvar_handle h)
{
	num x = 77;

	OK(MPI_T_pvar_read(session, h, &x));
	return x;
}

/* A message to each neighbour, which surely are counted. */
static void pvar_exchange(int n)
{
	int x = 0, to = (check_rank + 1) % check_size,
	    from = (check_rank + check_size - 1) % check_size;

	for (int i = 0; i < n; i++)
		OK(MPI_Sendrecv_replace(
			&x, 1, MPI_INT, to, 0, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

/* MPI-5.0 15.3.7.2: name and class are unique together and lead back to the index. */
static void pvar_listed(void)
{
	int n, back;

	OK(MPI_T_pvar_get_num(&n));
	CHECK(n > 20);
	for (int i = 0; i < n; i++) {
		struct var v;

		pvar_ask(i, &v);
		OK(MPI_T_pvar_get_index(v.name, v.class, &back));
		CHECK(back == i && v.name[0] != '\0');
		CHECK(v.class == MPI_T_PVAR_CLASS_STATE || v.class == MPI_T_PVAR_CLASS_PERCENTAGE ||
			v.type == MPI_UNSIGNED_LONG_LONG);
		CHECK(v.bind == MPI_T_BIND_NO_OBJECT || v.bind == MPI_T_BIND_MPI_COMM);
		CHECK(v.class >= MPI_T_PVAR_CLASS_STATE && v.class <= MPI_T_PVAR_CLASS_GENERIC);
		CHECK(MPI_T_pvar_get_index(v.name, MPI_T_PVAR_CLASS_LOWWATERMARK, &back) ==
			MPI_T_ERR_INVALID_NAME);
	}
	OK(MPI_T_pvar_get_info(
		0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
	CHECK(MPI_T_pvar_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		      NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_pvar_get_index("nothing", 0, &n) == MPI_T_ERR_INVALID_NAME);
}

static bool to_local, from_local; /* the neighbours of talk share memory with this process */

/* The counters of frames that talk sends, and receives. */
static bool goes_by(const char *transport)
{
	const char *via = getenv("HAFT_VIA");

	return via != NULL && strcmp(via, transport) == 0;
}

static const char *put_name(void)
{
	if (goes_by("ofi-all"))
		return "ofi_put";
	return to_local ? "shm_put" : "net_put";
}

static const char *got_name(void)
{
	if (goes_by("ofi-all"))
		return "ofi_got";
	return from_local ? "shm_got" : "net_got";
}

/* MPI-5.0 15.3.7.5: a counter begins at 0, stopped; it counts while it runs, and keeps its
 * value. */
static void counter(void)
{
	MPI_T_pvar_handle h = pvar_open(put_name(), MPI_T_PVAR_CLASS_COUNTER);
	num x;

	pvar_exchange(2);
	CHECK(pvar_value(h) == 0);
	OK(MPI_T_pvar_start(session, h));
	pvar_exchange(3);
	x = pvar_value(h);
	CHECK(x >= 3);
	OK(MPI_T_pvar_stop(session, h));
	x = pvar_value(h);
	pvar_exchange(5);
	CHECK(pvar_value(h) == x);
	OK(MPI_T_pvar_start(session, h));
	OK(MPI_T_pvar_start(session, h));
	pvar_exchange(4);
	CHECK(pvar_value(h) >= x + 4);
	OK(MPI_T_pvar_handle_free(session, &h));
	CHECK(h == MPI_T_PVAR_HANDLE_NULL);
}

/* MPI-5.0 15.3.7.6: reset gives the starting value, write any; readreset does both at once. */
static void pvar_changed(void)
{
	MPI_T_pvar_handle h = pvar_open(put_name(), MPI_T_PVAR_CLASS_COUNTER);
	num x = 1000, y = 0;

	OK(MPI_T_pvar_write(session, h, &x));
	CHECK(pvar_value(h) == 1000);
	OK(MPI_T_pvar_start(session, h));
	pvar_exchange(2);
	CHECK(pvar_value(h) >= 1002);
	OK(MPI_T_pvar_stop(session, h));
	x = pvar_value(h);
	OK(MPI_T_pvar_readreset(session, h, &y));
	CHECK(y == x && pvar_value(h) == 0);
	OK(MPI_T_pvar_write(session, h, &x));
	OK(MPI_T_pvar_reset(session, h));
	CHECK(pvar_value(h) == 0);
	OK(MPI_T_pvar_handle_free(session, &h));
}

/* MPI-5.0 15.3.7.4: two sessions do not see each other, nor two handles of one. */
static void pvar_apart(void)
{
	MPI_T_pvar_handle a = pvar_open(put_name(), MPI_T_PVAR_CLASS_COUNTER),
			  b = pvar_open(put_name(), MPI_T_PVAR_CLASS_COUNTER);
	num x;

	OK(MPI_T_pvar_start(session, a));
	pvar_exchange(2);
	CHECK(pvar_value(a) >= 2 && pvar_value(b) == 0);
	CHECK(MPI_T_pvar_read(other, a, &x) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_pvar_start(other, a) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_pvar_handle_free(other, &a) == MPI_T_ERR_INVALID_HANDLE);
	OK(MPI_T_pvar_reset(other, MPI_T_PVAR_ALL_HANDLES));
	CHECK(pvar_value(a) >= 2);
	OK(MPI_T_pvar_handle_free(session, &a));
	OK(MPI_T_pvar_handle_free(session, &b));
}

/* MPI-5.0 15.3.7.5, 15.3.7.6: all of a session; those that cannot are passed over. */
static void pvar_all(void)
{
	MPI_T_pvar_handle a = pvar_open(put_name(), MPI_T_PVAR_CLASS_COUNTER),
			  b = pvar_open(got_name(), MPI_T_PVAR_CLASS_COUNTER),
			  c = pvar_open("unexpected_bytes", MPI_T_PVAR_CLASS_LEVEL);
	num x;

	OK(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
	OK(MPI_Barrier(MPI_COMM_WORLD)); /* else a neighbour's messages may have come before */
	pvar_exchange(2);
	CHECK(pvar_value(a) >= 2 && pvar_value(b) >= 2);
	OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
	OK(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES));
	OK(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES));
	CHECK(pvar_value(a) == 0 && pvar_value(b) == 0);
	CHECK(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &x) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_pvar_write(session, MPI_T_PVAR_ALL_HANDLES, &x) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_pvar_readreset(session, MPI_T_PVAR_ALL_HANDLES, &x) ==
		MPI_T_ERR_INVALID_HANDLE);
	OK(MPI_T_pvar_handle_free(session, &a));
	OK(MPI_T_pvar_handle_free(session, &b));
	OK(MPI_T_pvar_handle_free(session, &c));
}

/* MPI-5.0 15.3.7.5, 15.3.7.6: a continuous one cannot be started, a read-only one not be
 * written, and info said so. */
static void fixed(void)
{
	MPI_T_pvar_handle h = pvar_open("unexpected_bytes", MPI_T_PVAR_CLASS_LEVEL);
	struct var v;
	num x = 1;
	int i;

	OK(MPI_T_pvar_get_index("unexpected_bytes", MPI_T_PVAR_CLASS_LEVEL, &i));
	pvar_ask(i, &v);
	CHECK(v.continuous == 1 && v.readonly == 1 && v.atomic == 0);
	CHECK(MPI_T_pvar_start(session, h) == MPI_T_ERR_PVAR_NO_STARTSTOP);
	CHECK(MPI_T_pvar_stop(session, h) == MPI_T_ERR_PVAR_NO_STARTSTOP);
	CHECK(MPI_T_pvar_write(session, h, &x) == MPI_T_ERR_PVAR_NO_WRITE);
	CHECK(MPI_T_pvar_reset(session, h) == MPI_T_ERR_PVAR_NO_WRITE);
	CHECK(MPI_T_pvar_readreset(session, h, &x) == MPI_T_ERR_PVAR_NO_ATOMIC);
	CHECK(MPI_T_pvar_read(session, h, NULL) == MPI_T_ERR_INVALID);
	OK(MPI_T_pvar_handle_free(session, &h));
}

/* MPI-5.0 15.3.7.1: a sum of bytes is no counter; times are timers. */
static void classes(void)
{
	int n;

	OK(MPI_T_pvar_get_num(&n));
	for (int i = 0; i < n; i++) {
		struct var v;
		size_t len;

		pvar_ask(i, &v);
		len = strlen(v.name);
		if (len > 3 && strcmp(v.name + len - 3, "_ns") == 0)
			CHECK(v.class == MPI_T_PVAR_CLASS_TIMER);
		else if (strstr(v.name, "_bytes") != NULL || strcmp(v.name, "file_read_moved") == 0)
			CHECK(v.class != MPI_T_PVAR_CLASS_COUNTER);
	}
}

enum { KEPT = 4000 };

/* A message that comes before its receive and is kept.  The neighbour sends it when all have
 * come. */
static void pvar_keep(void)
{
	static char out[KEPT], in[KEPT];
	int to = (check_rank + 1) % check_size, from = (check_rank + check_size - 1) % check_size;
	MPI_Request r;
	int flag = 0;

	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Isend(out, KEPT, MPI_CHAR, to, 9, MPI_COMM_WORLD, &r));
	while (!flag)
		OK(MPI_Iprobe(from, 9, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
	OK(MPI_Recv(in, KEPT, MPI_CHAR, from, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* MPI-5.0 15.3.7.1: a watermark begins with the level at the time of its start or reset; two
 * handles do not see each other's. */
static void watermarks(void)
{
	MPI_T_pvar_handle a = pvar_open("unexpected_bytes", MPI_T_PVAR_CLASS_HIGHWATERMARK),
			  b = pvar_open("unexpected_bytes", MPI_T_PVAR_CLASS_HIGHWATERMARK),
			  level = pvar_open("unexpected_bytes", MPI_T_PVAR_CLASS_LEVEL);
	num top, x = 5;
	struct var v;
	int i;

	OK(MPI_T_pvar_get_index("unexpected_bytes", MPI_T_PVAR_CLASS_HIGHWATERMARK, &i));
	pvar_ask(i, &v);
	CHECK(v.continuous == 0 && v.readonly == 0 && v.atomic == 1);
	pvar_keep(); /* before they start: not theirs */
	CHECK(pvar_value(a) == 0);
	OK(MPI_T_pvar_start(session, a));
	CHECK(pvar_value(a) == pvar_value(level) && pvar_value(a) < KEPT);
	pvar_keep();
	top = pvar_value(a);
	CHECK(top >= KEPT && pvar_value(level) < KEPT);
	OK(MPI_T_pvar_start(session, b));
	CHECK(pvar_value(b) < KEPT && pvar_value(a) == top);
	OK(MPI_T_pvar_readreset(session, a, &x));
	CHECK(x == top && pvar_value(a) < KEPT);
	OK(MPI_T_pvar_stop(session, a));
	pvar_keep();
	CHECK(pvar_value(a) < KEPT && pvar_value(b) >= KEPT);
	x = 100 * KEPT;
	OK(MPI_T_pvar_write(session, b, &x));
	pvar_keep();
	CHECK(pvar_value(b) == x);
	OK(MPI_T_pvar_reset(session, b));
	CHECK(pvar_value(b) < KEPT);
	OK(MPI_T_pvar_handle_free(session, &a));
	OK(MPI_T_pvar_handle_free(session, &b));
	OK(MPI_T_pvar_handle_free(session, &level));
}

/* Levels: early messages, posted receives, live objects. */
static void levels(void)
{
	MPI_T_pvar_handle ahead = pvar_open("unexpected_messages", MPI_T_PVAR_CLASS_LEVEL),
			  posted = pvar_open("posted_receives", MPI_T_PVAR_CLASS_LEVEL),
			  comms = pvar_open("live_MPI_Comm", MPI_T_PVAR_CLASS_LEVEL);
	MPI_Request r;
	MPI_Comm c;
	num n;
	int x = 5, y = 0;

	n = pvar_value(posted);
	OK(MPI_Irecv(&y, 1, MPI_INT, check_rank, 7, MPI_COMM_WORLD, &r));
	CHECK(pvar_value(posted) == n + 1);
	OK(MPI_Send(&x, 1, MPI_INT, check_rank, 7, MPI_COMM_WORLD));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	CHECK(pvar_value(posted) == n);
	n = pvar_value(ahead);
	OK(MPI_Isend(&x, 1, MPI_INT, check_rank, 8, MPI_COMM_WORLD, &r));
	CHECK(pvar_value(ahead) > n); /* a neighbour's collective call may have come as well */
	OK(MPI_Recv(&y, 1, MPI_INT, check_rank, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	n = pvar_value(comms);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	CHECK(pvar_value(comms) == n + 1);
	OK(MPI_Comm_free(&c));
	CHECK(pvar_value(comms) == n);
}

/* MPI-5.0 15.3.10: handles that are none. */
static void pvar_wrong(void)
{
	MPI_T_pvar_handle h = pvar_open(put_name(), MPI_T_PVAR_CLASS_COUNTER), freed = h;
	MPI_T_pvar_session s = (MPI_T_pvar_session)(uintptr_t)0x55, end;
	num x;
	int count, n;

	OK(MPI_T_pvar_get_num(&n));
	OK(MPI_T_pvar_handle_free(session, &h));
	CHECK(MPI_T_pvar_read(session, freed, &x) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_pvar_handle_free(session, &h) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_pvar_read(session, (MPI_T_pvar_handle)session, &x) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_pvar_read(s, freed, &x) == MPI_T_ERR_INVALID_SESSION);
	CHECK(MPI_T_pvar_session_free(&s) == MPI_T_ERR_INVALID_SESSION);
	CHECK(MPI_T_pvar_start(MPI_T_PVAR_SESSION_NULL, MPI_T_PVAR_ALL_HANDLES) ==
		MPI_T_ERR_INVALID_SESSION);
	CHECK(MPI_T_pvar_handle_alloc(session, n, NULL, &h, &count) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_pvar_handle_alloc(s, 0, NULL, &h, &count) == MPI_T_ERR_INVALID_SESSION);
	/* a session takes its handles with it */
	OK(MPI_T_pvar_session_create(&s));
	end = s;
	OK(MPI_T_pvar_handle_alloc(s, 0, NULL, &h, &count));
	OK(MPI_T_pvar_session_free(&s));
	CHECK(s == MPI_T_PVAR_SESSION_NULL);
	CHECK(MPI_T_pvar_read(end, h, &x) == MPI_T_ERR_INVALID_SESSION);
	CHECK(MPI_T_pvar_read(session, h, &x) == MPI_T_ERR_INVALID_HANDLE);
}

#define TRANSPORTS 3

/* Frames by all ways: before MPI_Init the transport is not known. */
static num pvar_sum(const MPI_T_pvar_handle *h)
{
	num x = 0;

	for (int i = 0; i < TRANSPORTS; i++)
		x += pvar_value(h[i]);
	return x;
}

int main(int argc, char **argv)
{
	static const char *const puts[TRANSPORTS] = {"shm_put", "net_put", "ofi_put"};
	int provided;
	MPI_T_pvar_session old;
	MPI_T_pvar_handle before[TRANSPORTS];

	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	OK(MPI_T_pvar_session_create(&session));
	for (int i = 0; i < TRANSPORTS; i++) {
		before[i] = pvar_open(puts[i], MPI_T_PVAR_CLASS_COUNTER);
		OK(MPI_T_pvar_start(session, before[i]));
	}
	CHECK(pvar_sum(before) == 0);
	old = session;
	OK(MPI_T_pvar_session_create(&session));
	OK(MPI_T_pvar_session_create(&other));
	pvar_listed();
	check_init(&argc, &argv);
	check_local((check_rank + 1) % check_size, &to_local);
	check_local((check_rank + check_size - 1) % check_size, &from_local);
	pvar_listed();
	counter();
	pvar_changed();
	pvar_apart();
	pvar_all();
	fixed();
	classes();
	watermarks();
	levels();
	pvar_wrong();
	OK(MPI_T_pvar_session_free(&session));
	session = old;
	CHECK(pvar_sum(before) > 0);
	MPI_Finalize();
	CHECK(pvar_sum(before) > 0);
	OK(MPI_T_pvar_session_free(&session));
	OK(MPI_T_pvar_session_free(&other));
	OK(MPI_T_finalize());
	return 0;
}
