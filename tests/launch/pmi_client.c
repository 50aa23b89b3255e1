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

/* Sends a request in pieces of `chunk' bytes, takes one line of answer. */
__attribute__((format(printf, 2, 3))) static void pmi_ask(size_t chunk, const char *fmt, ...)
{
	va_list ap;
	size_t n, at = 0;

	va_start(ap, fmt);
	n = (size_t)vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	for (size_t i = 0, len; i < n; i += len) {
		len = n - i < chunk ? n - i : chunk;
		expect(write(fd, line + i, len) == (ssize_t)len);
	}
	memset(line, 0, sizeof(line));
	while (at < sizeof(line) - 1 && read(fd, line + at, 1) == 1 && line[at] != '\n')
		at++;
}

static void pmi_want(const char *part)
{
	if (strstr(line, part) == NULL) {
		fprintf(stderr, "not `%s' in: %s\n", part, line);
		expect(0);
	}
}

static void pmi_well(void)
{
	char name[300] = "";

	pmi_ask(100, "cmd=init pmi_version=1 pmi_subversion=1\n");
	pmi_want("cmd=response_to_init");
	pmi_want(" rc=0");
	pmi_ask(1, "cmd=get_maxes\n");
	pmi_want("vallen_max=1024");
	pmi_ask(100, "cmd=get_appnum\n");
	pmi_want("appnum=0");
	pmi_ask(100, "cmd=get_my_kvsname\n");
	pmi_want("cmd=my_kvsname");
	expect_eq(sscanf(strstr(line, "kvsname="), "kvsname=%299s", name), 1);
	pmi_ask(100, "cmd=get_universe_size\n");
	pmi_want("cmd=universe_size");
	pmi_ask(100, "cmd=get kvsname=%s key=PMI_process_mapping\n", name);
	pmi_want("value=(vector,(0,1,");
	pmi_ask(3, "cmd=put kvsname=%s key=k%d value=of %d = x\n", name, rank, rank);
	pmi_want("rc=0");
	pmi_ask(100, "cmd=barrier_in\n");
	pmi_want("cmd=barrier_out");
	for (int r = 0; r < size; r++) {
		char text[32];

		pmi_ask(100, "cmd=get kvsname=%s key=k%d\n", name, r);
		snprintf(text, sizeof(text), "value=of %d = x", r);
		pmi_want(text);
	}
}

/* Everything that is wrong gets an answer that says so. */
static void badly(void)
{
	char big[1026];

	memset(big, 'v', sizeof(big));
	big[1025] = '\0';
	pmi_ask(100, "cmd=get kvsname=x key=none\n");
	pmi_want("cmd=get_result rc=-1");
	pmi_ask(100, "cmd=get kvsname=x\n");
	pmi_want("rc=-1");
	pmi_ask(100, "cmd=put kvsname=x key=k%d value=again\n", rank);
	pmi_want("cmd=put_result rc=-1");
	pmi_ask(100, "cmd=put kvsname=x key=big%d value=%s\n", rank, big);
	pmi_want("rc=-1");
	big[1024] = '\0';
	pmi_ask(100, "cmd=put kvsname=x key=big%d value=%s\n", rank, big);
	pmi_want("rc=0");
	pmi_ask(100, "cmd=get kvsname=x key=big%d\n", rank);
	expect(strlen(line) > 1024);
	pmi_ask(100, "cmd=put kvsname=x value=no\n");
	pmi_want("rc=-1");
	pmi_ask(100, "mcmd=spawn\nnprocs=1\nexecname=cmd=get key=k0\nendcmd\n");
	pmi_want("cmd=spawn_result rc=-1");
}

/* Names are those of all processes, until they are taken away. */
static void pmi_names(void)
{
	pmi_ask(100, "cmd=publish_name service=a%d port=b=c:%d\n", rank, rank);
	pmi_want("cmd=publish_result rc=0");
	pmi_ask(100, "cmd=publish_name service=a%d port=other\n", rank);
	pmi_want("cmd=publish_result rc=-1");
	pmi_ask(100, "cmd=barrier_in\n");
	for (int r = 0; r < size; r++) {
		char port[48];

		pmi_ask(100, "cmd=lookup_name service=a%d\n", r);
		snprintf(port, sizeof(port), "rc=0 info=ok port=b=c:%d", r);
		pmi_want(port);
	}
	pmi_ask(100, "cmd=barrier_in\n");
	pmi_ask(100, "cmd=unpublish_name service=a%d\n", rank);
	pmi_want("cmd=unpublish_result rc=0");
	pmi_ask(100, "cmd=unpublish_name service=a%d\n", rank);
	pmi_want("cmd=unpublish_result rc=-1");
	pmi_ask(100, "cmd=lookup_name service=a%d\n", rank);
	pmi_want("cmd=lookup_result rc=-1");
}

/* MPICH's MPI_Comm_spawn_multiple: two programs, a key, a value for the children.  A child finds
 * its value, and speaks PMI as any other rank. */
static void parents(const char *self)
{
	pmi_ask(7,
		"mcmd=spawn\nnprocs=2\nexecname=%s\ntotspawns=2\nspawnssofar=1\narg1=a "
		"b\nargcnt=1\n"
		"preput_num=1\npreput_key_0=PARENT_ROOT_PORT_NAME\npreput_val_0=tag#0$port %d\n"
		"info_num=1\ninfo_key_0=wdir\ninfo_val_0=/\nendcmd\n"
		"mcmd=spawn\nnprocs=1\nexecname=%s\ntotspawns=2\nspawnssofar=2\nargcnt=0\n"
		"preput_num=0\ninfo_num=0\nendcmd\n",
		self, rank, self);
	pmi_want("cmd=spawn_result rc=0");
	pmi_ask(100, "cmd=get_appnum\n");
	pmi_want("appnum=0");
}

static int child_main(int argc, char **argv)
{
	char cwd[64];

	expect(size == 3);
	expect(getcwd(cwd, sizeof(cwd)) != NULL);
	if (rank < 2)
		expect(argc == 2 && strcmp(argv[1], "a b") == 0 && strcmp(cwd, "/") == 0);
	else
		expect(argc == 1 && strcmp(cwd, "/") != 0);
	pmi_ask(100, "cmd=init pmi_version=1 pmi_subversion=1\n");
	pmi_want("cmd=response_to_init rc=0");
	pmi_ask(100, "cmd=get kvsname=x key=PARENT_ROOT_PORT_NAME\n");
	pmi_want("value=tag#0$port ");
	pmi_ask(100, "cmd=get_appnum\n");
	pmi_want(rank < 2 ? "appnum=0" : "appnum=1");
	pmi_ask(100, "cmd=put kvsname=x key=child%d value=v%d\n", rank, rank);
	pmi_want("rc=0");
	pmi_ask(100, "cmd=barrier_in\n");
	pmi_want("cmd=barrier_out");
	pmi_ask(100, "cmd=get kvsname=x key=child%d\n", (rank + 1) % size);
	pmi_want("value=v");
	pmi_ask(100, "cmd=finalize\n");
	pmi_want("cmd=finalize_ack");
	return check_end();
}

int main(int argc, char **argv)
{
	char self[512] = "";

	expect(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	expect(getenv("PMI_FD") != NULL && getenv("PMI_RANK") != NULL &&
		getenv("PMI_SIZE") != NULL);
	if (check_end() != 0)
		return 1;
	fd = atoi(getenv("PMI_FD"));
	rank = atoi(getenv("PMI_RANK"));
	size = atoi(getenv("PMI_SIZE"));
	if (getenv("PMI_SPAWNED") != NULL)
		return child_main(argc, argv);
	pmi_well();
	badly();
	pmi_names();
	parents(self);
	pmi_ask(100, "cmd=finalize\n");
	pmi_want("cmd=finalize_ack");
	return check_end();
}
