// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 15.3.8, 15.3.8.1, 15.3.8.3 to 15.3.8.7, 15.3.9, 15.3.9.1, 15.3.9.2: categories, sources,
 * types of events; 15.3.8.2, 15.3.11: levels of safety, names for profiling. */
#include "tests/check.h"
#include <stdint.h>

enum { MANY = 256 };

/* MPI-5.0 15.3.9: each category is found by its name, and has as many members as it says, which
 * exist. */
static void category(int i, int *cvars, int *pvars)
{
	char name[64];
	int len = sizeof(name), nc, np, ng, ne = -1, back, in[MANY], n;

	OK(MPI_T_category_get_info(i, name, &len, NULL, NULL, &nc, &np, &ng));
	OK(MPI_T_category_get_index(name, &back));
	CHECK(back == i && len == (int)strlen(name) + 1 && len > 1);
	OK(MPI_T_category_get_num_events(i, &ne));
	CHECK(ne >= 0 && ne < MANY && nc < MANY && np < MANY && ng == 0);
	memset(in, -1, sizeof(in));
	OK(MPI_T_category_get_cvars(i, MANY, in));
	OK(MPI_T_cvar_get_num(&n));
	for (int k = 0; k < nc; k++)
		CHECK(in[k] >= 0 && in[k] < n);
	CHECK(in[nc] == -1);
	memset(in, -1, sizeof(in));
	OK(MPI_T_category_get_pvars(i, MANY, in));
	OK(MPI_T_pvar_get_num(&n));
	for (int k = 0; k < np; k++)
		CHECK(in[k] >= 0 && in[k] < n);
	CHECK(in[np] == -1);
	memset(in, -1, sizeof(in));
	OK(MPI_T_category_get_pvars(i, 1, in));
	OK(MPI_T_category_get_cvars(i, 1, in));
	CHECK(in[1] == -1);
	OK(MPI_T_category_get_categories(i, MANY, in + 1));
	CHECK(in[1] == -1);
	memset(in, -1, sizeof(in));
	OK(MPI_T_category_get_events(i, MANY, in));
	CHECK(in[ne] == -1);
	*cvars += nc;
	*pvars += np;
}

static void categories(void)
{
	int n, cvars = 0, pvars = 0, x, first, second;

	OK(MPI_T_category_changed(&first));
	OK(MPI_T_category_get_num(&n));
	for (int i = 0; i < n; i++)
		category(i, &cvars, &pvars);
	OK(MPI_T_cvar_get_num(&x));
	CHECK(x == cvars);
	OK(MPI_T_pvar_get_num(&x));
	CHECK(x == pvars);
	OK(MPI_T_category_changed(&second));
	CHECK(first == second);
	CHECK(MPI_T_category_get_info(n, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
		MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_category_get_index("none", &x) == MPI_T_ERR_INVALID_NAME);
	CHECK(MPI_T_category_get_cvars(-1, 1, &x) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_category_get_cvars(0, 1, NULL) == MPI_T_ERR_INVALID);
	CHECK(MPI_T_category_get_num_events(n, &x) == MPI_T_ERR_INVALID_INDEX);
}

/* MPI-5.0 15.3.8: a source's time goes on, in its ticks. */
static void source(void)
{
	int n;
	char name[64];
	int len = sizeof(name), keys = -1;
	MPI_T_source_order order;
	MPI_Count ticks = 0, most = 0, a, b;
	MPI_Info info;

	OK(MPI_T_source_get_num(&n));
	CHECK(n >= 1);
	OK(MPI_T_source_get_info(0, name, &len, NULL, NULL, &order, &ticks, &most, &info));
	CHECK(order == MPI_T_SOURCE_ORDERED && ticks > 0 && most > ticks && len > 1);
	OK(MPI_Info_get_nkeys(info, &keys));
	CHECK(keys == 0);
	OK(MPI_Info_free(&info));
	OK(MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
	OK(MPI_T_source_get_timestamp(0, &a));
	OK(MPI_T_source_get_timestamp(0, &b));
	CHECK(a > 0 && b >= a && b - a < 60 * ticks && b <= most);
	CHECK(MPI_T_source_get_timestamp(n, &a) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_source_get_info(-1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) ==
		MPI_T_ERR_INVALID_INDEX);
}

static void called(MPI_T_event_instance event, MPI_T_event_registration registration,
	MPI_T_cb_safety safety, void *data)
{
	(void)event, (void)registration, (void)safety, (void)data;
	CHECK(!"called");
}

static void category_freed(
	MPI_T_event_registration registration, MPI_T_cb_safety safety, void *data)
{
	(void)registration, (void)safety, (void)data;
	CHECK(!"called");
}

static void dropped(MPI_Count count, MPI_T_event_registration registration, int source_index,
	MPI_T_cb_safety safety, void *data)
{
	(void)count, (void)registration, (void)source_index, (void)safety, (void)data;
	CHECK(!"called");
}

/* MPI-5.0 15.3.8: indices and handles that are none (events.c has those that are). */
static void events(void)
{
	int n = -1, len = 0, back;
	MPI_Count t;
	MPI_Info info = MPI_INFO_NULL;
	MPI_T_event_registration r = (MPI_T_event_registration)(uintptr_t)0x77;
	MPI_T_event_instance e = (MPI_T_event_instance)(uintptr_t)0x77;

	OK(MPI_T_event_get_num(&n));
	CHECK(n > 0);
	CHECK(MPI_T_event_get_info(n, NULL, &len, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
		      NULL) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_event_get_index("none", &back) == MPI_T_ERR_INVALID_NAME);
	CHECK(MPI_T_event_handle_alloc(n, NULL, MPI_INFO_NULL, &r) == MPI_T_ERR_INVALID_INDEX);
	CHECK(MPI_T_event_handle_set_info(r, MPI_INFO_NULL) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_handle_get_info(r, &info) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, NULL,
		      called) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_callback_set_info(r, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL) ==
		MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_callback_get_info(r, MPI_T_CB_REQUIRE_NONE, &info) ==
		MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_set_dropped_handler(r, dropped) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_handle_free(r, NULL, category_freed) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_read(e, 0, &n) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_copy(e, &n) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_get_timestamp(e, &t) == MPI_T_ERR_INVALID_HANDLE);
	CHECK(MPI_T_event_get_source(e, &n) == MPI_T_ERR_INVALID_HANDLE);
}

/* MPI-5.0 15.3.8.2: each level is one that a registration takes; the refusal is the handle's. */
static void safety_levels(void)
{
	static const MPI_T_cb_safety level[] = {MPI_T_CB_REQUIRE_NONE,
		MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_T_CB_REQUIRE_THREAD_SAFE,
		MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};
	MPI_T_event_registration r = (MPI_T_event_registration)(uintptr_t)0x77;

	for (int i = 0; i < 4; i++) {
		CHECK(i == 0 || level[i] > level[i - 1]);
		CHECK(MPI_T_event_register_callback(r, level[i], MPI_INFO_NULL, NULL, called) ==
			MPI_T_ERR_INVALID_HANDLE);
	}
}

/* MPI-5.0 15.3.11: the tools interface has PMPI_ names, which agree with the others. */
static void profiling_names(void)
{
	int n = -1, m = -1;

	OK(MPI_T_cvar_get_num(&n));
	OK(PMPI_T_cvar_get_num(&m));
	CHECK(n == m && n > 0);
	OK(PMPI_T_event_get_num(&m));
	CHECK(m > 0);
}

int main(int argc, char **argv)
{
	int provided;

	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	categories();
	source();
	safety_levels();
	profiling_names();
	events();
	check_init(&argc, &argv);
	categories();
	source();
	events();
	MPI_Finalize();
	source();
	OK(MPI_T_finalize());
	return 0;
}
