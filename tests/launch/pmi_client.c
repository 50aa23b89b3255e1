// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2,5 */
/* MPI-5.0 11.1: mpiexec serves programs of other MPIs by PMI-1; here is one that has no MPI at all,
 * and asks well and badly. */
#include "tests/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fd, rank, size;
static char line[8192];

/* Sends a request in pieces of `piece' bytes, takes one line of answer. */
__attribute__((format(printf, 2, 3))) static void ask(size_t piece, const char *fmt, ...)
{
	va_list ap;
	size_t n, at = 0;

	va_start(ap, fmt);
	n = (size_t)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	for (size_t i = 0, len; i < n; i += len) {
		len = n - i < piece ? n - i : piece;
		expect(write(fd, line + i, len) == (ssize_t)len);
	}
	memset(line, 0, sizeof(line));
	while (at < sizeof(line) - 1 && read(fd, line + at, 1) == 1 && line[at] != '\n')
		at++;
}

static void want(const char *part)
{
	if (strstr(line, part) == NULL) {
		fprintf(stderr, "not `%s' in: %s\n", part, line);
		expect(0);
	}
}

static void well(void)
{
	char name[300] = "";

	ask(100, "cmd=init pmi_version=1 pmi_subversion=1\n");
	want("cmd=response_to_init");
	want(" rc=0");
	ask(1, "cmd=get_maxes\n");
	want("vallen_max=1024");
	ask(100, "cmd=get_appnum\n");
	want("appnum=0");
	ask(100, "cmd=get_my_kvsname\n");
	want("cmd=my_kvsname");
	expect_eq(sscanf(strstr(line, "kvsname="), "kvsname=%299s", name), 1);
	ask(100, "cmd=get_universe_size\n");
	want("cmd=universe_size");
	ask(100, "cmd=get kvsname=%s key=PMI_process_mapping\n", name);
	want("value=(vector,(0,1,");
	ask(3, "cmd=put kvsname=%s key=k%d value=of %d = x\n", name, rank, rank);
	want("rc=0");
	ask(100, "cmd=barrier_in\n");
	want("cmd=barrier_out");
	for (int r = 0; r < size; r++) {
		char text[32];

		ask(100, "cmd=get kvsname=%s key=k%d\n", name, r);
		snprintf(text, sizeof(text), "value=of %d = x", r);
		want(text);
	}
}

/* Everything that is wrong gets an answer that says so. */
static void badly(void)
{
	char big[1026];

	memset(big, 'v', sizeof(big));
	big[1025] = '\0';
	ask(100, "cmd=get kvsname=x key=none\n");
	want("cmd=get_result rc=-1");
	ask(100, "cmd=get kvsname=x\n");
	want("rc=-1");
	ask(100, "cmd=put kvsname=x key=k%d value=again\n", rank);
	want("cmd=put_result rc=-1");
	ask(100, "cmd=put kvsname=x key=big%d value=%s\n", rank, big);
	want("rc=-1");
	big[1024] = '\0';
	ask(100, "cmd=put kvsname=x key=big%d value=%s\n", rank, big);
	want("rc=0");
	ask(100, "cmd=get kvsname=x key=big%d\n", rank);
	expect(strlen(line) > 1024);
	ask(100, "cmd=put kvsname=x value=no\n");
	want("rc=-1");
	ask(100, "mcmd=spawn\nnprocs=1\nexecname=cmd=get key=k0\nendcmd\n");
	want("cmd=spawn_result rc=-1");
	ask(100, "cmd=publish_name service=a port=b\n");
	want("rc=-1");
	ask(100, "cmd=lookup_name service=a\n");
	want("rc=-1");
}

int main(void)
{
	expect(getenv("PMI_FD") != NULL && getenv("PMI_RANK") != NULL &&
		getenv("PMI_SIZE") != NULL);
	if (check_end() != 0)
		return 1;
	fd = atoi(getenv("PMI_FD"));
	rank = atoi(getenv("PMI_RANK"));
	size = atoi(getenv("PMI_SIZE"));
	well();
	badly();
	ask(100, "cmd=finalize\n");
	want("cmd=finalize_ack");
	return check_end();
}
