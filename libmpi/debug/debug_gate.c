// SPDX-License-Identifier: BSD-3-Clause
/* debug_gate.c - where a rank waits for a debugger.
 *
 *      mpiexec -gdb:        HAFT_JOB=...,stop=1 ──> the library is loaded: SIGSTOP, before main
 *                                                     gdb attaches, and lets it go on
 *      a tool runs mpiexec: struct boot_job.hold ──> MPI_Init: debug_hold, until mpiexec or the
 *                                                     tool opens the gate
 *
 * The names that begin with MPIR_ are those of the MPIR process acquisition interface, version 1.1,
 * by which TotalView, DDT and their like know an MPI. */
#include "libmpi/debug/debug.h"

#include "libmpi/boot/boot.h"
#include "libmpi/boot/job_list.h"
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define GATE_MS 10 /* between checks */

/* A debugger sets it to 1. */
extern volatile int MPIR_debug_gate;
volatile int MPIR_debug_gate;

/* The library by which debuggers read queues of messages. */
extern char MPIR_dll_name[PATH_MAX];
BSS_BEHIND char MPIR_dll_name[PATH_MAX];

/* A debugger that is no ancestor may attach, where the kernel asks for that (Yama). */
static void debug_admit(void)
{
	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
}

/* Stops a rank that mpiexec starts for a debugger; not the programs that it starts in turn. */
HAFT_START __attribute__((constructor)) static void debug_stop(void)
{
	const char *job = getenv(BOOT_VAR);
	int by;

	if (job == NULL || !job_list_int(job, "stop", &by) || by != (int)getppid())
		return;
	debug_admit();
	raise(SIGSTOP);
}

/* Is the address *arg in this loaded object?  Then its name is the answer. */
HAFT_START static int debug_object_find(struct dl_phdr_info *o, size_t len, void *arg)
{
	const char **at = arg;

	(void)len;
	for (int i = 0; i < o->dlpi_phnum; i++) {
		uintptr_t begin = o->dlpi_addr + o->dlpi_phdr[i].p_vaddr;

		if (o->dlpi_phdr[i].p_type == PT_LOAD &&
			(uintptr_t)*at - begin < o->dlpi_phdr[i].p_memsz) {
			*at = o->dlpi_name;
			return 1;
		}
	}
	return 0;
}

/* DIR/lib/libmpi_abi.so.1 has DIR/lib/haft/libhaft-mqs.so beside it.  dladdr would look at all
 * symbols of the library, in each process that starts. */
static void debug_dll_name(void)
{
	static const char name[] = "/haft/libhaft-mqs.so";
	const char *file = MPIR_dll_name, *slash;

	if (MPIR_dll_name[0] != '\0' || dl_iterate_phdr(debug_object_find, &file) == 0)
		return;
	slash = strrchr(file, '/');
	if (slash == NULL || (size_t)(slash - file) + sizeof(name) > sizeof(MPIR_dll_name))
		return;
	memcpy(MPIR_dll_name, file, (size_t)(slash - file));
	memcpy(MPIR_dll_name + (slash - file), name, sizeof(name));
}

HAFT_START void debug_hold(const _Atomic uint32_t *hold)
{
	struct timespec ms = {.tv_nsec = GATE_MS * 1000000L};

	debug_dll_name();
	if (hold == NULL || atomic_load(hold) == 0)
		return;
	debug_admit();
	while (atomic_load(hold) != 0 && MPIR_debug_gate == 0)
		nanosleep(&ms, NULL);
}
