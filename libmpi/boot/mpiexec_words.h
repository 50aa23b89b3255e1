// SPDX-License-Identifier: BSD-3-Clause
/* mpiexec_words.h - the words that the library and our mpiexec say to each other.
 *
 *     this process ── mpiexec --haft-serve ... ──────────────> a service (service.h)
 *     boot, life   ── cmd=haft_where number=7 ───────────────> mpiexec: one line of PMI-1
 *                  <── cmd=..._result rc=0 host=2 ... ──────
 *     boot         ── mcmd=spawn, with keys of an info ──────> mpiexec (spawn_request.h)
 *
 * Both are of one build, so a word may change, but those of info keys are in programs. */
#ifndef HAFT_BOOT_MPIEXEC_WORDS_H
#define HAFT_BOOT_MPIEXEC_WORDS_H

/* --- options for the library alone ---------------------------------------------------------- */

#define BOOT_SERVE_OPTION   "--haft-serve"   /* value: SOCKET,SEGMENT,PID */
#define BOOT_PROFILE_OPTION "--haft-profile" /* value: as HAFT_PROFILE; tables come from stdin */

/* SEGMENT: a descriptor of the program's segment, or one of the last two. */
enum boot_service {
	BOOT_SERVICE_OWN = 0, /* of a singleton: the processes that it starts join its segment */
	BOOT_SERVICE_FOREIGN = -1,    /* they get a segment of their own, on this host */
	BOOT_SERVICE_OTHER_HOSTS = -2 /* they are on hosts that the requests name */
};

/* --- exit codes ----------------------------------------------------------------------------- */

/* No such program, or not executable: of a process that was to become a rank, and of mpiexec. */
#define EXIT_NONE 127

/* --- requests of PMI-1 ---------------------------------------------------------------------- */

#define BOOT_CMD_WHERE        "haft_where"        /* where a process is */
#define BOOT_CMD_SHOW         "haft_show"         /* the address of this process */
#define BOOT_CMD_CONNECTED    "haft_connected"    /* these processes are connected to this one */
#define BOOT_CMD_DISCONNECTED "haft_disconnected" /* ... and no longer */
#define BOOT_CMD_CHILDREN     "haft_children"     /* do the children of a spawn live, or end them */
#define BOOT_CMD_ABORT        "haft_abort"        /* MPI_Abort of some processes */
#define BOOT_CMD_FT           "haft_ft"           /* failures are handled; no answer */
#define BOOT_CMD_STATE        "haft_state" /* of this process, which has no seat; no answer */

#define BOOT_SPAWN_ESCAPED "haft_escaped=1" /* a line of a spawn: its words have %XX */
#define BOOT_SPAWN_RESULT  "cmd=spawn_result"

/* Words of that answer, besides those of PMI-1. */
#define BOOT_WORD_OTHER_HOSTS "haft_other_hosts" /* hosts to ask a service for */
#define BOOT_WORD_FIRST       "haft_first"       /* number of the first process */
#define BOOT_WORD_N           "haft_n"           /* processes that were started */
#define BOOT_WORD_WORLD       "haft_world"       /* name of their world: rank_name.h */
#define BOOT_WORD_CLASS       "haft_class"       /* error class of MPI */

/* --- keys of a spawn's info ----------------------------------------------------------------- */

/* Of programs (haft-spawn(7)). */
#define BOOT_KEY_STDIN   "haft_stdin"
#define BOOT_KEY_OUTFILE "haft_outfile"
#define BOOT_KEY_ERRFILE "haft_errfile"

/* Of the library, beside them. */
#define BOOT_KEY_ENV   "haft_env"   /* a change of the root's environment */
#define BOOT_KEY_WDIR  "haft_wdir"  /* the root's directory */
#define BOOT_KEY_HOSTS "haft_hosts" /* hosts outside of the job, for a service */

#endif
