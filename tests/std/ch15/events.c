// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* RUN np=2 env="HAFT_VIA=net" */
/* RUN np=1 */
/* MPI-5.0 15.3.8: types of events, registrations, callbacks and their levels, data of an event,
 * sources; events are delivered at the end of the call that raises them. */
#include "tests/check.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX = 64, BUFFER = 64, BIG = 2000000 };

/* The events that a callback has got. */
static struct {
	int n;
	struct {
		MPI_T_event_registration reg;
		int source;
		MPI_Count at;
		uint64_t first; /* element 0 */
		void *user;
		char data[BUFFER];
	} of[MAX];
} got;

static int freed;
static void *freed_user;

static int event_type_of(const char *name)
{
	int i = -1;

	OK(MPI_T_event_get_index(name, &i));
	return i;
}

/* Reads all that there is to be read, in both forms. */
static void callback(
	MPI_T_event_instance e, MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	CHECK(safety == MPI_T_CB_REQUIRE_NONE && got.n < MAX);
	got.of[got.n].reg = reg;
	got.of[got.n].user = user;
	OK(MPI_T_event_get_source(e, &got.of[got.n].source));
	OK(MPI_T_event_get_timestamp(e, &got.of[got.n].at));
	memset(got.of[got.n].data, 0, BUFFER);
	OK(MPI_T_event_copy(e, got.of[got.n].data));
	OK(MPI_T_event_read(e, 0, &got.of[got.n].first));
	CHECK(memcmp(&got.of[got.n].first, got.of[got.n].data, sizeof(int)) == 0);
	CHECK(MPI_T_event_read(e, 99, got.of[got.n].data) == MPI_T_ERR_INVALID_INDEX);
	got.n++;
}

static void event_on_free(MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	CHECK(reg != NULL && safety == MPI_T_CB_REQUIRE_NONE);
	freed++;
	freed_user = user;
}

static MPI_T_event_registration event_listen(const char *name, void *object)
{
	MPI_T_event_registration reg;

	OK(MPI_T_event_handle_alloc(event_type_of(name), object, MPI_INFO_NULL, &reg));
	OK(MPI_T_event_register_callback(
		reg, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &got, callback));
	return reg;
}

static void event_end(MPI_T_event_registration reg)
{
	int before = freed;

	OK(MPI_T_event_handle_free(reg, &freed, event_on_free));
	CHECK(freed == before + 1 && freed_user == &freed);
	CHECK(MPI_T_event_handle_free(reg, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
}

/* 15.3.8.3: the facts of a type are right and stay. */
static void event_types(void)
{
	int n, back;

	OK(MPI_T_event_get_num(&n));
	CHECK(n >= 8);
	for (int i = 0; i < n; i++) {
		char name[64], item[64], desc[256];
		int len = sizeof(name), elements = 0, two = 2, bind, items, dlen = sizeof(desc);
		MPI_Datatype type[16], some[2] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL};
		MPI_Aint at[16];
		MPI_T_enum e;
		MPI_Info info;

		OK(MPI_T_event_get_info(
			i, name, &len, NULL, NULL, NULL, &elements, &e, &info, desc, &dlen, &bind));
		OK(MPI_Info_free(&info));
		CHECK(elements > 0 && elements <= 16 && dlen > 1 && name[0] != '\0');
		OK(MPI_T_event_get_index(name, &back));
		CHECK(back == i);
		back = elements;
		OK(MPI_T_event_get_info(
			i, NULL, NULL, NULL, type, at, &elements, NULL, NULL, NULL, NULL, NULL));
		CHECK(elements == back && at[0] == 0);
		for (int k = 0; k < elements; k++) {
			CHECK(type[k] == MPI_INT || type[k] == MPI_COUNT ||
				type[k] == MPI_UINT64_T);
			CHECK(k == 0 || at[k] > at[k - 1]);
		}
		OK(MPI_T_event_get_info(
			i, NULL, NULL, NULL, some, at, &two, NULL, NULL, NULL, NULL, NULL));
		CHECK(two == elements && some[0] == type[0]);
		CHECK(some[1] == (elements > 1 ? type[1] : MPI_DATATYPE_NULL));
		OK(MPI_T_enum_get_info(e, &items, NULL, NULL));
		CHECK(items == elements);
		len = sizeof(item);
		OK(MPI_T_enum_get_item(e, 0, &back, item, &len));
		CHECK(item[0] != '\0');
	}
	CHECK(MPI_T_event_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		      NULL) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_event_get_index("nothing", &n) == MPI_T_ERR_INVALID_NAME);
}

/* 15.3.8.1: sources, and times that grow. */
static void sources(void)
{
	MPI_Count a, b, per, most;
	MPI_T_source_order order;
	int n;

	OK(MPI_T_source_get_num(&n));
	CHECK(n == 2);
	for (int i = 0; i < n; i++) {
		OK(MPI_T_source_get_info(i, NULL, NULL, NULL, NULL, &order, &per, &most, NULL));
		OK(MPI_T_source_get_timestamp(i, &a));
		OK(MPI_T_source_get_timestamp(i, &b));
		CHECK(order == MPI_T_SOURCE_ORDERED && per > 0 && b >= a && most > b);
	}
	CHECK(MPI_T_source_get_timestamp(n, &a) == MPI_T_ERR_INVALID_INDEX);
}

/* A communicator from its making to its end; bound to one, or not. */
static void comms(void)
{
	MPI_T_event_registration made = event_listen("comm_created", NULL), named, over, other;
	MPI_Comm c, d, world = MPI_COMM_WORLD;
	int at[2];
	MPI_Count now;

	got.n = 0;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	CHECK(got.n == 1 && got.of[0].reg == made && got.of[0].user == &got);
	CHECK(got.of[0].first == (uint64_t)(uintptr_t)c);
	memcpy(at, got.of[0].data + 8, sizeof(at));
	CHECK(at[0] == check_size && at[1] == check_rank);
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &d));
	CHECK(got.n == 2 && got.of[1].at >= got.of[0].at);
	OK(MPI_T_source_get_timestamp(got.of[1].source, &now));
	CHECK(now >= got.of[1].at);
	named = event_listen("comm_named", &c);
	over = event_listen("comm_freed", &c);
	other = event_listen("comm_freed", &world);
	got.n = 0;
	OK(MPI_Comm_set_name(d, "d"));
	OK(MPI_Comm_free(&d));
	CHECK(got.n == 0);
	OK(MPI_Comm_set_name(c, "c"));
	CHECK(got.n == 1 && got.of[0].reg == named);
	OK(MPI_Comm_free(&c));
	CHECK(got.n == 2 && got.of[1].reg == over);
	event_end(made);
	event_end(named);
	event_end(over);
	event_end(other);
	got.n = 0;
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_free(&c));
	CHECK(got.n == 0);
}

static void wins_and_files(void)
{
	MPI_T_event_registration made = event_listen("win_created", NULL), over,
				 opened = event_listen("file_opened", NULL), closed;
	char name[4096];
	MPI_File f;
	MPI_Win w;

	got.n = 0;
	OK(MPI_Win_create(name, 100, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w));
	CHECK(got.n == 1 && got.of[0].reg == made && got.of[0].first == (uint64_t)(uintptr_t)w);
	over = event_listen("win_freed", &w);
	OK(MPI_Win_free(&w));
	CHECK(got.n == 2 && got.of[1].reg == over);
	snprintf(name, sizeof(name), "%s/events.%d",
		getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp", check_rank);
	OK(MPI_File_open(MPI_COMM_SELF, name,
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f));
	CHECK(got.n == 3 && got.of[2].reg == opened);
	closed = event_listen("file_closed", &f);
	OK(MPI_File_close(&f));
	CHECK(got.n == 4 && got.of[3].reg == closed);
	event_end(made);
	event_end(over);
	event_end(opened);
	event_end(closed);
}

static void event_errors(void)
{
	MPI_T_event_registration reg = event_listen("error_raised", NULL);
	MPI_Comm c;
	int code, function, x = 0;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	OK(MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN));
	got.n = 0;
	CHECK(MPI_Send(&x, 1, MPI_INT, 99, 0, c) != MPI_SUCCESS);
	CHECK(got.n == 1);
	memcpy(&code, got.of[0].data, sizeof(code));
	memcpy(&function, got.of[0].data + sizeof(code), sizeof(function));
	CHECK(code == MPI_ERR_RANK && function > 0);
	event_end(reg);
	OK(MPI_Comm_free(&c));
}

/* Messages: one that is unexpected, one that waits for its receive; and waits. */
static void event_messages(void)
{
	static char big[BIG];
	MPI_T_event_registration kept = event_listen("message_kept", NULL),
				 begun = event_listen("wait_begun", NULL),
				 ended = event_listen("wait_ended", NULL), other, rts;
	MPI_Comm c, world = MPI_COMM_WORLD;
	bool seen = false;
	MPI_Request r;
	int flag = 0, x[4] = {0}, rank;
	MPI_Count bytes;

	got.n = 0;
	OK(MPI_Barrier(MPI_COMM_WORLD)); /* the first message comes after all listen */
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	rts = event_listen("rendezvous_begun", &c);
	other = event_listen("rendezvous_begun", &world);
	if (check_rank == 0) {
		OK(MPI_Send(x, 4, MPI_INT, 1, 9, c));
		OK(MPI_Isend(big, BIG, MPI_CHAR, 1, 10, c, &r));
		for (int i = 0; i < got.n; i++)
			seen |= got.of[i].reg == rts;
		CHECK(seen);
		OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
	} else if (check_rank == 1) {
		while (!flag)
			OK(MPI_Iprobe(0, 10, c, &flag, MPI_STATUS_IGNORE));
		for (int i = 0; i < got.n; i++) {
			memcpy(&rank, got.of[i].data, sizeof(rank));
			memcpy(&bytes, got.of[i].data + 8, sizeof(bytes));
			seen |= got.of[i].reg == kept && rank == 0 && bytes == sizeof(x);
		}
		CHECK(seen);
		OK(MPI_Recv(x, 4, MPI_INT, 0, 9, c, MPI_STATUS_IGNORE));
		OK(MPI_Recv(big, BIG, MPI_CHAR, 0, 10, c, MPI_STATUS_IGNORE));
	}
	for (int i = 1; i < got.n; i++)
		CHECK(got.of[i].reg != other && got.of[i].at >= got.of[i - 1].at);
	event_end(kept);
	event_end(begun);
	event_end(ended);
	event_end(rts);
	event_end(other);
	OK(MPI_Comm_free(&c));
}

static int levels[4];

static void level(
	MPI_T_event_instance e, MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	(void)e, (void)reg;
	CHECK(safety == MPI_T_CB_REQUIRE_NONE);
	++*(int *)user;
}

/* 15.3.8.4: the callback of the lowest level is called; NULL takes one back; a second one replaces
 * the first. */
static void safety(void)
{
	static const MPI_T_cb_safety of[4] = {MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE,
		MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
		MPI_T_CB_REQUIRE_NONE};
	MPI_T_event_registration reg;
	MPI_Info info;
	int other = 0;

	OK(MPI_T_event_handle_alloc(
		event_type_of("comm_named"), &(MPI_Comm){MPI_COMM_SELF}, MPI_INFO_NULL, &reg));
	OK(MPI_Comm_set_name(MPI_COMM_SELF, "nobody listens"));
	for (int i = 0; i < 4; i++) {
		OK(MPI_T_event_register_callback(reg, of[i], MPI_INFO_NULL, &levels[i], level));
		OK(MPI_Comm_set_name(MPI_COMM_SELF, "self"));
		for (int k = 0; k < 4; k++)
			CHECK(levels[k] == (k <= i));
	}
	OK(MPI_T_event_register_callback(reg, of[3], MPI_INFO_NULL, NULL, NULL));
	OK(MPI_T_event_register_callback(reg, of[2], MPI_INFO_NULL, &other, level));
	OK(MPI_Comm_set_name(MPI_COMM_SELF, "self"));
	CHECK(levels[3] == 1 && levels[2] == 1 && other == 1);
	CHECK(MPI_T_event_register_callback(reg, (MPI_T_cb_safety)1, MPI_INFO_NULL, NULL, level) ==
		MPI_T_ERR_INVALID);
	OK(MPI_T_event_handle_set_info(reg, MPI_INFO_NULL));
	OK(MPI_T_event_handle_get_info(reg, &info));
	OK(MPI_Info_free(&info));
	OK(MPI_T_event_callback_set_info(reg, of[0], MPI_INFO_NULL));
	OK(MPI_T_event_callback_get_info(reg, of[0], &info));
	OK(MPI_Info_free(&info));
	event_end(reg);
}

/* 15.3.8.2: a callback whose requirement is NONE may call MPI, and MPI_T, and end itself.  Its own
 * events are delivered, too, and it is not called inside of itself. */
static int inside, calls;
static MPI_T_event_instance old;

static void event_busy(
	MPI_T_event_instance e, MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	MPI_T_pvar_session s;
	MPI_T_pvar_handle h;
	unsigned long long x;
	int n, i, sum, one = 1;
	MPI_Comm c;

	(void)safety, (void)user;
	CHECK(inside++ == 0);
	old = e;
	OK(MPI_T_pvar_session_create(&s));
	OK(MPI_T_pvar_get_index("shm_put", MPI_T_PVAR_CLASS_COUNTER, &i));
	OK(MPI_T_pvar_handle_alloc(s, i, NULL, &h, &n));
	OK(MPI_T_pvar_start(s, h));
	OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
	CHECK(sum == check_size);
	OK(MPI_T_pvar_read(s, h, &x));
	OK(MPI_T_pvar_session_free(&s));
	if (calls++ == 0) {
		OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
		OK(MPI_Comm_free(&c));
	} else {
		OK(MPI_T_event_handle_free(reg, &freed, event_on_free));
	}
	inside--;
}

static void reentry(void)
{
	MPI_T_event_registration reg;
	MPI_Comm c;
	MPI_Count at;

	freed = 0;
	OK(MPI_T_event_handle_alloc(event_type_of("comm_created"), NULL, MPI_INFO_NULL, &reg));
	OK(MPI_T_event_register_callback(
		reg, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, event_busy));
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &c));
	CHECK(calls == 1 && freed == 0);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	CHECK(calls == 2 && freed == 1);
	OK(MPI_Comm_free(&c));
	CHECK(MPI_T_event_get_timestamp(old, &at) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_handle_free(reg, NULL, NULL) == MPI_T_ERR_INVALID_HANDLE);
}

/* 15.3.8.5: events that find no room are dropped.  The handler learns how many before the next
 * event. */
static long dropped, seen, seen_at_drop = -1;

static void event_count(
	MPI_T_event_instance e, MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	(void)e, (void)reg, (void)safety, (void)user;
	seen++;
}

static void on_drop(
	MPI_Count n, MPI_T_event_registration reg, int source, MPI_T_cb_safety safety, void *user)
{
	CHECK(reg != NULL && safety == MPI_T_CB_REQUIRE_NONE);
	CHECK(n > 0 && source >= 0 && source < 2 && user == &seen);
	dropped += (long)n;
	seen_at_drop = seen;
}

/* Raises many events inside of one callback, so that none is delivered meanwhile. */
static void flood(
	MPI_T_event_instance e, MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	(void)e, (void)reg, (void)safety;
	for (int i = 0; i < *(int *)user; i++)
		OK(MPI_Comm_set_name(MPI_COMM_SELF, "flood"));
	*(int *)user = 0;
}

static void drops(void)
{
	MPI_T_event_registration reg, starter;
	MPI_Comm self = MPI_COMM_SELF, world = MPI_COMM_WORLD;
	int many = 1000;

	OK(MPI_T_event_handle_alloc(event_type_of("comm_named"), &self, MPI_INFO_NULL, &reg));
	OK(MPI_T_event_set_dropped_handler(reg, on_drop));
	OK(MPI_T_event_register_callback(
		reg, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &seen, event_count));
	OK(MPI_T_event_handle_alloc(event_type_of("comm_named"), &world, MPI_INFO_NULL, &starter));
	OK(MPI_T_event_register_callback(
		starter, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &many, flood));
	OK(MPI_Comm_set_name(MPI_COMM_WORLD, "start"));
	OK(MPI_Barrier(MPI_COMM_WORLD));
	OK(MPI_Comm_set_name(MPI_COMM_SELF, "the next"));
	CHECK(dropped > 0 && seen_at_drop == 0 && seen + dropped == 1001);
	OK(MPI_T_event_set_dropped_handler(reg, NULL));
	event_end(reg);
	event_end(starter);
}

/* 15.3.2, 15.3.10: objects and handles that are none. */
static void event_wrong(void)
{
	MPI_T_event_registration reg = (MPI_T_event_registration)(uintptr_t)0x55;
	MPI_Comm null = MPI_COMM_NULL;
	MPI_Info info;
	char buf[BUFFER];
	int n, i = event_type_of("comm_freed");

	CHECK(MPI_T_event_handle_alloc(i, NULL, MPI_INFO_NULL, &reg) == MPI_T_ERR_INVALID);
	CHECK(MPI_T_event_handle_alloc(i, &null, MPI_INFO_NULL, &reg) == MPI_T_ERR_INVALID);
	CHECK(MPI_T_event_handle_alloc(-1, NULL, MPI_INFO_NULL, &reg) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_event_handle_get_info(reg, &info) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_set_dropped_handler(reg, on_drop) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_copy(NULL, buf) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_get_source(NULL, &n) == MPI_T_ERR_INVALID_HANDLE);
}

/* 15.3.9: each type is in one category. */
static void categories(void)
{
	int n, all, sum = 0, part, index[64];

	OK(MPI_T_event_get_num(&all));
	OK(MPI_T_category_get_num(&n));
	for (int i = 0; i < n; i++) {
		OK(MPI_T_category_get_num_events(i, &part));
		OK(MPI_T_category_get_events(i, 64, index));
		for (int k = 0; k < part; k++)
			CHECK(index[k] >= 0 && index[k] < all);
		sum += part;
	}
	CHECK(sum == all);
}

int main(int argc, char **argv)
{
	MPI_T_event_registration first;
	int provided;

	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	event_types();
	sources();
	categories();
	first = event_listen("comm_created", NULL);
	check_init(&argc, &argv);
	event_end(first);
	comms();
	wins_and_files();
	event_errors();
	if (check_size > 1)
		event_messages();
	safety();
	reentry();
	drops();
	event_wrong();
	first = event_listen("comm_created", NULL); /* MPI_T_finalize ends it */
	OK(MPI_T_finalize());
	OK(MPI_Comm_dup(MPI_COMM_WORLD, &(MPI_Comm){MPI_COMM_NULL}));
	MPI_Finalize();
	return 0;
}
