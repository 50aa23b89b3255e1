// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1 */
/* MPI-5.0 15.3.3: how strings come back. */
#include "tests/check.h"

static char whole[256];
static int whole_len;

static int string_ask(char *buf, int *len)
{
	return MPI_T_cvar_get_info(0, buf, len, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
}

/* Enough room: the string, and its length with the terminator. */
static void string_fits(void)
{
	char buf[256];
	int len;

	whole_len = sizeof(whole);
	OK(string_ask(whole, &whole_len));
	CHECK(whole_len == (int)strlen(whole) + 1 && whole_len > 1);
	len = whole_len;
	memset(buf, 'x', sizeof(buf));
	OK(string_ask(buf, &len));
	CHECK(len == whole_len && strcmp(buf, whole) == 0 && buf[len] == 'x');
}

/* Too little: n - 1 characters and a terminator; the length is that of the whole string. */
static void string_cut(void)
{
	for (int n = 1; n < whole_len; n++) {
		char buf[256];
		int len = n;

		memset(buf, 'x', sizeof(buf));
		OK(string_ask(buf, &len));
		CHECK(len == whole_len && (int)strlen(buf) == n - 1 && buf[n] == 'x');
		CHECK(strncmp(buf, whole, (size_t)n - 1) == 0);
	}
}

/* No buffer, or length 0: the length only.  No length: nothing at all. */
static void string_nothing(void)
{
	char buf[4] = "xyz";
	int len = 0;

	OK(string_ask(buf, &len));
	CHECK(len == whole_len && strcmp(buf, "xyz") == 0);
	len = 3;
	OK(string_ask(NULL, &len));
	CHECK(len == whole_len);
	OK(string_ask(buf, NULL));
	CHECK(strcmp(buf, "xyz") == 0);
}

int main(void)
{
	int provided;

	OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
	string_fits();
	string_cut();
	string_nothing();
	OK(MPI_T_finalize());
	return 0;
}
