// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=2 */
/* RUN np=1 */
/* MPI-5.0 15.3.8, 15.3.10: events of a tool that makes all mistakes: before and after the interface
 * and MPI run, arguments that are wrong, handles that are gone, ends inside of callbacks. */
#include "tests/check.h"

#include <stdint.h>

static MPI_T_event_registration unregistered;
static int calls, frees, drops;

static void event_count(
	MPI_T_event_instance e, MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	(void)e, (void)reg, (void)safety, (void)user;
	calls++;
}

static void event_on_free(MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	(void)reg, (void)safety, (void)user;
	frees++;
}

static void on_drop(
	MPI_Count n, MPI_T_event_registration reg, int source, MPI_T_cb_safety safety, void *user)
{
	(void)n, (void)reg, (void)source, (void)safety, (void)user;
	drops++;
}

static int type_of(const char *name)
{
	int i = -1;

	expect_ok(MPI_T_event_get_index(name, &i));
	return i;
}

static MPI_T_event_registration event_listen(
	const char *name, void *object, MPI_T_event_cb_function *fn)
{
	MPI_T_event_registration reg = NULL;

	expect_ok(MPI_T_event_handle_alloc(type_of(name), object, MPI_INFO_NULL, &reg));
	expect_ok(
		MPI_T_event_register_callback(reg, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, fn));
	return reg;
}

/* 15.3.4: all calls need the interface, and no call ends the program. */
static void event_refused(void)
{
	MPI_T_source_order order;
	MPI_Count ticks;
	MPI_Info info;
	int n;
	char x[64];

	expect_eq(MPI_T_event_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(MPI_T_event_get_index("comm_named", &n), MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(MPI_T_event_handle_alloc(0, NULL, MPI_INFO_NULL, &unregistered),
		MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(MPI_T_event_register_callback(
			  unregistered, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, event_count),
		MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(MPI_T_event_handle_free(unregistered, NULL, NULL), MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(MPI_T_event_handle_get_info(unregistered, &info), MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(
		MPI_T_event_set_dropped_handler(unregistered, on_drop), MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(MPI_T_event_read(NULL, 0, x), MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(MPI_T_event_copy(NULL, x), MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(MPI_T_event_get_timestamp(NULL, &ticks), MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(MPI_T_event_get_source(NULL, &n), MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(MPI_T_source_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(MPI_T_source_get_timestamp(0, &ticks), MPI_T_ERR_NOT_INITIALIZED);
	expect_eq(MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, &order, &ticks, &ticks, NULL),
		MPI_T_ERR_NOT_INITIALIZED);
}

/* 15.3.10: wrong arguments. */
static void event_mistakes(void)
{
	MPI_T_event_registration reg = unregistered;
	MPI_Comm null = MPI_COMM_NULL;
	MPI_Win win = MPI_WIN_NULL;
	MPI_Count ticks;
	MPI_Info info;
	int n, bound = type_of("comm_named");
	char x[64];

	expect_eq(MPI_T_event_get_num(NULL), MPI_T_ERR_INVALID);
	expect_eq(MPI_T_event_get_index(NULL, &n), MPI_T_ERR_INVALID);
	expect_eq(MPI_T_event_get_index("comm_named", NULL), MPI_T_ERR_INVALID);
	expect_eq(MPI_T_event_get_index("", &n), MPI_T_ERR_INVALID_NAME);
	for (int i = -1; i < 2000; i += 2001 - 1)
		expect_eq(MPI_T_event_handle_alloc(i, NULL, MPI_INFO_NULL, &reg),
			MPI_T_ERR_INVALID_INDEX);
	expect(MPI_T_event_handle_alloc(bound, NULL, MPI_INFO_NULL, &reg) == MPI_T_ERR_INVALID);
	expect(MPI_T_event_handle_alloc(bound, &null, MPI_INFO_NULL, &reg) == MPI_T_ERR_INVALID);
	expect(MPI_T_event_handle_alloc(bound, &win, MPI_INFO_NULL, &reg) == MPI_T_ERR_INVALID);
	expect(MPI_T_event_handle_alloc(bound, &(MPI_Comm){MPI_COMM_SELF}, MPI_INFO_NULL, NULL) ==
		MPI_T_ERR_INVALID);
	expect_eq(MPI_T_event_register_callback(
			  NULL, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, event_count),
		MPI_T_ERR_INVALID_HANDLE);
	expect_eq(MPI_T_event_register_callback((MPI_T_event_registration)(uintptr_t)12345,
			  MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, event_count),
		MPI_T_ERR_INVALID_HANDLE);
	expect_eq(MPI_T_event_handle_free(NULL, NULL, event_on_free), MPI_T_ERR_INVALID_HANDLE);
	expect_eq(MPI_T_event_handle_get_info(NULL, &info), MPI_T_ERR_INVALID_HANDLE);
	expect_eq(MPI_T_event_callback_get_info(NULL, MPI_T_CB_REQUIRE_NONE, &info),
		MPI_T_ERR_INVALID_HANDLE);
	expect_eq(MPI_T_event_set_dropped_handler(NULL, on_drop), MPI_T_ERR_INVALID_HANDLE);
	expect_eq(MPI_T_event_read(NULL, 0, x), MPI_T_ERR_INVALID_HANDLE);
	expect_eq(
		MPI_T_event_copy((MPI_T_event_instance)(uintptr_t)x, x), MPI_T_ERR_INVALID_HANDLE);
	expect_eq(MPI_T_source_get_timestamp(-1, &ticks), MPI_T_ERR_INVALID_INDEX);
	expect_eq(MPI_T_source_get_timestamp(0, NULL), MPI_T_ERR_INVALID);
	expect_eq(MPI_T_source_get_info(9, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
		MPI_T_ERR_INVALID_INDEX);
	expect_eq(frees + calls + drops, 0);
}

/* Ends its registration and another one, and both objects, from inside. */
static MPI_T_event_registration both[2];

static void ends_all(
	MPI_T_event_instance e, MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	char x[64];

	(void)reg, (void)safety, (void)user;
	calls++;
	for (int i = 0; i < 2; i++)
		expect_ok(MPI_T_event_handle_free(both[i], NULL, event_on_free));
	expect_ok(MPI_T_event_copy(e, x)); /* the instance is valid until the callback ends */
	expect_eq(MPI_T_event_copy(e, NULL), MPI_T_ERR_INVALID);
	expect_eq(MPI_T_event_read(e, -1, x), MPI_T_ERR_INVALID_INDEX);
	expect_eq(MPI_T_event_read(e, 0, NULL), MPI_T_ERR_INVALID);
}

/* 15.3.8.4: a callback may deallocate handles, also that of a listener that has its turn later. */
static void ends_inside(void)
{
	MPI_Comm self = MPI_COMM_SELF;

	calls = frees = 0;
	both[0] = event_listen("comm_named", &self, ends_all);
	both[1] = event_listen("comm_named", &self, event_count);
	expect_ok(MPI_Comm_set_name(MPI_COMM_SELF, "a"));
	expect(calls >= 1 && calls <= 2);
	expect_ok(MPI_Barrier(MPI_COMM_SELF));
	expect_eq(frees, 2);
	calls = 0;
	expect_ok(MPI_Comm_set_name(MPI_COMM_SELF, "b"));
	expect_eq(calls, 0);
}

/* 15.3.8.5: a handler without a callback is not called; one that comes later counts from then. */
static void drops_without_callback(void)
{
	MPI_Comm self = MPI_COMM_SELF;
	MPI_T_event_registration reg = event_listen("comm_named", &self, event_count);

	calls = drops = 0;
	expect_ok(MPI_T_event_set_dropped_handler(reg, on_drop));
	expect_ok(MPI_T_event_register_callback(
		reg, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL, NULL));
	expect_ok(MPI_Comm_set_name(MPI_COMM_SELF, "lost"));
	expect_eq(calls + drops, 0);
	expect_ok(MPI_T_event_register_callback(
		reg, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_INFO_NULL, NULL, event_count));
	expect_ok(MPI_Comm_set_name(MPI_COMM_SELF, "heard"));
	expect_eq(drops, 1);
	expect_eq(calls, 1);
	expect_ok(MPI_T_event_handle_free(reg, NULL, NULL));
}

static void closes(
	MPI_T_event_instance e, MPI_T_event_registration reg, MPI_T_cb_safety safety, void *user)
{
	int n;

	(void)e, (void)reg, (void)safety, (void)user;
	calls++;
	expect_ok(MPI_T_finalize());
	expect_eq(MPI_T_event_get_num(&n), MPI_T_ERR_NOT_INITIALIZED);
}

/* 15.3.4: the last MPI_T_finalize ends registrations, also in a callback; a new start has none. */
static void finalize_inside(void)
{
	MPI_Comm self = MPI_COMM_SELF;
	int provided;

	calls = frees = 0;
	event_listen("comm_named", &self, closes);
	event_listen("comm_named", &self, event_count);
	expect_ok(MPI_Comm_set_name(MPI_COMM_SELF, "closes"));
	expect_eq(calls, 1);
	expect_ok(MPI_Comm_set_name(MPI_COMM_SELF, "nobody"));
	expect_eq(calls, 1);
	event_refused();
	expect_ok(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	expect_ok(MPI_Comm_set_name(MPI_COMM_SELF, "nobody"));
	expect_eq(calls, 1);
}

int main(int argc, char **argv)
{
	MPI_T_event_registration first;
	int provided;

	event_refused();
	expect_ok(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	first = event_listen("comm_created", NULL, event_count);
	check_init(&argc, &argv);
	expect_ok(MPI_T_event_handle_free(first, NULL, event_on_free));
	frees = calls = 0;
	event_mistakes();
	ends_inside();
	drops_without_callback();
	finalize_inside();
	event_listen("comm_named", &(MPI_Comm){MPI_COMM_SELF}, event_count);
	MPI_Finalize();
	expect_ok(MPI_T_finalize());
	event_refused();
	return check_end();
}
