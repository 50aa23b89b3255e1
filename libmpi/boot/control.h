// SPDX-License-Identifier: BSD-3-Clause
/* control.h - requests of a running process to its launcher: further processes, names of
 * ports, where a process is.
 *
 *   our mpiexec       lines of PMI-1 over the socket of HAFT_JOB, with words haft_... of ours
 *   a singleton       starts our mpiexec as its service at the first request
 *   hydra, srun       PMI-1; mpirun, prterun: PMIx (kvs.h).  Spawned processes are strangers.
 *
 * One thread at a time calls these functions, but other requests may come between boot_spawn_begin
 * and boot_spawn_end.  Functions that return int return 0 or a class of MPI with words (haft_err),
 * unless their comment says otherwise. */
#ifndef LIBMPI_BOOT_CONTROL_H
#define LIBMPI_BOOT_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include "libmpi/boot/boot.h"

/* A key of an info object. */
struct boot_key {
	const char *key, *value;
};

/* One program of a spawn. */
struct boot_command {
	const char *path;
	char *const *argv; /* without the program, ends with NULL; NULL: no argument */
	int maxprocs;
	const struct boot_key *keys;
	int nkeys;
};

#define BOOT_WORDS 512

/* The result of a spawn. */
struct boot_spawned {
	bool same_universe; /* they are in our universe, and know us; false: strangers */
	int first, n;       /* same_universe: numbers first .. first+n-1 */
	int world;          /* ... and the name of their world: rank_name.h; 0: not known */
	int total;          /* processes that were asked for */
	int spawn_id;       /* for boot_spawn_disconnected; 0: the launcher counts no connection */
	int *errcode;       /* [total], classes of MPI; malloc'ed: the caller's */
	int err;            /* a class of MPI: no process was started; 0: n were */
	char words[BOOT_WORDS]; /* why processes are missing; "": none is */
	char *other_hosts;      /* to ask boot_spawn_other_hosts for; NULL: none.  malloc'ed */
};

/* True if processes that are spawned will be in our universe. */
bool boot_spawn_same_universe(void);

/* Sends the request; c and birth stay valid until boot_spawn_end.  birth: a text without blanks and
 * newlines that each child gets (boot_birth); under other launchers at most 1000 bytes.  The
 * environment of this process as it is now, and its directory, are sent as well.  -1: another
 * thread's spawn is under way: make progress and call again. */
int boot_spawn_begin(const struct boot_command *c, int n, const char *birth);

/* As boot_spawn_begin, on hosts that are not of this process's job: a service of ours starts the
 * children, as a universe of its own.  hosts: as the answer of boot_spawn_begin had them. */
int boot_spawn_other_hosts(
	const struct boot_command *c, int n, const char *birth, const char *hosts);

/* Waits at most `ms' for the answer.  1: it is there; 0: not yet; -1: the launcher is gone. */
int boot_answer_wait(int ms);

/* Takes the answer, once boot_answer_wait has returned 1 or -1. */
void boot_spawn_end(struct boot_spawned *r);

/* The text that the parents have sent with the spawn of this process; NULL: it was not spawned.
 * Valid for ever. */
const char *boot_birth(void);

/* Names of ports, known to all processes of the launcher.  replace: a name of this process gets the
 * new port; else that is MPI_ERR_SERVICE.  boot_lookup: MPI_ERR_NAME if there is none.
 * boot_unpublish withdraws a name that leads to this port; MPI_ERR_SERVICE: there is none, or it
 * leads to another one, or (if the launcher is ours) another process has published it. */
int boot_publish(const char *service, const char *port, bool replace);
int boot_lookup(const char *service, char *port, size_t len);
int boot_unpublish(const char *service, const char *port);

/* Where a process of the universe is. */
struct boot_location {
	int host; /* boot_host_name, if the host is one of the first job's */
	int pid;
	char name[256];       /* of the host */
	char addr[BOOT_ADDR]; /* where it listens; "": it does not, or the launcher does not know */
};

/* Asks the launcher for a process that the segment and the map do not know. */
int boot_where(int number, struct boot_location *where);

/* Tells the launcher that this process listens at an address from now on. */
int boot_listen_show(const char *addr);

/* Processes first .. first + n - 1. */
struct boot_run {
	int first, n;
};

/* Tells the launcher that this process's job and those of some processes are connected once more,
 * or once less: it ends all connected jobs when one fails. */
void boot_connected(const struct boot_run *v, int n);
void boot_disconnected(const struct boot_run *v, int n);

/* The children of a spawn are no longer connected to this process's job because of it. */
void boot_spawn_disconnected(int spawn_id);

/* Whether the children of a spawn (spawn_id: of boot_spawned) all live, while they are on their way
 * to their parents.  0, or MPI_ERR_SPAWN with words: one has ended, or the launcher has. */
int boot_children_live(int spawn_id);

/* The parents give these children up: the launcher ends them. */
void boot_children_end(int spawn_id);

/* MPI_Abort of a group where failures are survived: these processes end, and this one is going
 * to.  `last': they are all.  text: one line.  False: no mpiexec of ours could end them. */
bool boot_group_abort(const struct boot_run *v, int n, int code, const char *text, bool last);

/* MPI_UNIVERSE_SIZE; -1: not known. */
int boot_universe_size(void);

/* For boot.c: the socket to mpiexec, -1: none; whether this process was spawned. */
void boot_control_use(int fd, bool spawned);

/* For boot.c: tells the launcher an enum boot_ft, which it cannot see if this process is on another
 * host.  Waits for no answer. */
void boot_control_ft(uint32_t what);

struct kvs;

/* For boot.c: this process has no mpiexec of ours.  launcher: that of another project, which is
 * asked first, and whose children are of another universe; NULL: a singleton.  A request that it
 * cannot do starts a service of ours. */
void boot_control_alone(const struct boot *me, struct kvs *launcher);

/* For boot.c: tells the launcher the state of a process that has no seat which shows it. */
void boot_control_state(uint32_t state);

#endif
