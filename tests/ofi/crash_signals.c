// SPDX-License-Identifier: BSD-3-Clause
/* crash_signals.c - counts the handlers that MPI_Init has changed: tcp_provider.sh. */
#include <mpi.h>
#include <signal.h>
#include <stddef.h>

int main(int argc, char **argv)
{
	static const int crash[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTERM};
	struct sigaction had[5], has;
	int changed = 0;

	for (int i = 0; i < 5; i++)
		sigaction(crash[i], NULL, &had[i]);
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 5; i++) {
		sigaction(crash[i], NULL, &has);
		changed += has.sa_handler != had[i].sa_handler;
	}
	MPI_Finalize();
	return changed;
}
