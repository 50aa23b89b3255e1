// SPDX-License-Identifier: BSD-3-Clause
/* setting.h - settings: what a user may turn by the environment, read once, listed by mpi-info.
 *
 * One table (setting.c) has every setting: name, default, smallest and largest value, meaning.  A value
 * that is not understood is said once a job, by name, on stderr, and the default is used. */
#ifndef HAFT_CORE_SETTING_H
#define HAFT_CORE_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum haft_setting {
	SETTING_EAGER, /* HAFT_EAGER: largest message sent before the receiver asks for it, bytes
			 */
	SETTING_COLL,  /* HAFT_COLL: 0 shm, 1 p2p: messages only, 2 check: an old name of
			   HAFT_CHECK=coll */
	SETTING_ERRHANDLER, /* HAFT_ERRHANDLER: the initial error handler: 0 fatal, 1 abort, 2 return */
	SETTING_PLACE, /* HAFT_PLACE: what reordering takes for near: 0 numa, 1 socket, 2 core */
	SETTING_LEAKS, /* HAFT_LEAKS: 1: MPI_Finalize says what was not freed */
	SETTING_READ,  /* HAFT_READ: large messages are read from the sender's memory: 0 auto, 1
			   never, 2 always */
	SETTING_COLL_PLAN,  /* HAFT_COLL_PLAN: text: libmpi/coll/selection.c */
	SETTING_CHECK,      /* HAFT_CHECK: a sum of enum haft_check */
	SETTING_UNEXPECTED, /* HAFT_EARLY: bytes of messages that nobody has asked for, kept by a
			 * process
			 */
	SETTING_EAGER_NET,  /* HAFT_EAGER_NET: as HAFT_EAGER, for peers that sockets reach; bytes */
	SETTING_RING_AFTER, /* HAFT_RING: messages to a process before the pair gets a ring */
	SETTING_PIPE_CHUNK, /* HAFT_CHUNK: bytes of a chunk of a pipe; read by who starts the job */
	SETTING_PIPE_CHUNKS, /* HAFT_CHUNKS: of a pipe; the same */
	SETTING_RING_SLOTS,  /* HAFT_SLOTS: of a ring; the same */
	SETTING_SPIN,        /* HAFT_SPIN: looks of a wait before it yields */
	SETTING_YIELD,       /* HAFT_YIELD: yields of a wait before it sleeps */
	SETTING_SLEEP,       /* HAFT_SLEEP: 0 auto, 1 never, 2 always */
	SETTING_BOOT,     /* HAFT_BOOT: 0 auto, 1 alone: a singleton under any launcher but ours */
	SETTING_IFACE,    /* HAFT_IFACE: text: where processes of another launcher listen */
	SETTING_HANG,     /* HAFT_HANG: seconds; mpiexec reads it: tools/mpiexec/hang_watch.c */
	SETTING_VIA,      /* HAFT_VIA: enum haft_via */
	HAFT_SET_ENDED,   /* HAFT_ENDED: seconds; mpiexec reads it: tools/mpiexec/ended.c */
	SETTING_GRACE,    /* HAFT_GRACE: seconds; mpiexec reads it: tools/mpiexec/main.c */
	SETTING_RMA,      /* HAFT_RMA: enum haft_rma */
	SETTING_PROGRESS, /* HAFT_PROGRESS: 0 call, 1 thread: libmpi/life/progress_thread.h */
	SETTING_OFI_PROVIDER, /* HAFT_OFI_PROVIDER: text: libfabric's name of it; "": its first */
	SETTING_COUNT
};

/* How processes talk: those of one host, and those of several. */
enum haft_via {
	HAFT_VIA_AUTO,   /* by shared memory; by sockets */
	HAFT_VIA_SHM,    /* by shared memory; others cannot be reached */
	HAFT_VIA_NET,    /* all by sockets */
	HAFT_VIA_OFI,    /* by shared memory; by libfabric */
	HAFT_VIA_OFI_ALL /* all by libfabric */
};

/* Processes of one host talk as those of several do. */
static inline bool haft_via_apart(int64_t how)
{
	return how == HAFT_VIA_NET || how == HAFT_VIA_OFI_ALL;
}

static inline bool haft_via_ofi(int64_t how)
{
	return how == HAFT_VIA_OFI || how == HAFT_VIA_OFI_ALL;
}

enum haft_rma { /* how memory of other processes is reached */
	HAFT_RMA_AUTO,
	HAFT_RMA_VM, /* never mapped, as if all windows were private memory */
	HAFT_RMA_MSG,
	HAFT_RMA_BOX /* as VM; small operations by the target's process, if it is in MPI */
};

enum haft_check {
	HAFT_CHECK_TYPES = 1, /* the two sides of a message have the same basic types */
	HAFT_CHECK_COLL = 2,  /* all members of a communicator make the same collective call */
	HAFT_CHECK_RMA = 4,   /* accesses to windows do not meet */
	HAFT_CHECK_STRICT = 8 /* what the standard forbids is refused, though real programs do it */
};

/* The value of a setting.  Any thread. */
int64_t haft_setting_get(enum haft_setting which);

/* The value of a setting as `envp' (an environment, ended by NULL) has it, for who starts a job: a
 * bad value of one that is meant for him (HAFT_CHUNK) is said here and nowhere else, that of others
 * by haft_setting_warn in one rank. */
int64_t haft_setting_launch(enum haft_setting which, char *const envp[]);

/* Row i as a process with environment `envp' would print it (haft_setting_print), into value (n bytes).
 * Says nothing of bad values. */
void haft_setting_expect(int i, char *const envp[], char *value, size_t n);

/* Says on stderr which settings have values that were not understood, and which variables of the
 * environment have names of ours that nobody knows; each once. */
void haft_setting_warn(void);

/* The value of a setting that is text; "" if it is not set.  Any thread. */
const char *haft_setting_text(enum haft_setting which);

/* What a setting's value is. */
enum setting_form {
	SETTING_NUMBER, /* min to max; k and M are understood */
	SETTING_WORD,   /* words[i] means the number i */
	SETTING_LIST,   /* several words with commas: the sum of 1 << i */
	SETTING_TEXT    /* any words: who uses it understands them */
};

#define SETTING_WORDS_MAX 5    /* the most that a setting has */
#define SETTING_TEXT_MAX  1024 /* bytes of a text that is set by haft_setting_put, NUL included */

/* A row of the table.  Constant. */
struct setting_row {
	const char *name;
	int64_t normal, min, max;
	const char *words[SETTING_WORDS_MAX]; /* NULL after the last */
	const char *meaning;
	enum setting_form form;
	bool everywhere; /* all processes of a job must have the same value */
	bool launch;  /* read by who starts the job: only haft_setting_launch says that it is bad */
	int64_t step; /* of numbers: 0, or only multiples of it */
	bool power;   /* of numbers: only powers of two */
	bool late; /* can be set at any time; else it is read once, when MPI starts or soon after */
};

/* Row i of the table; NULL: there is none.  Any thread. */
const struct setting_row *haft_setting_row(int i);

/* The value of row i as it would stand in the environment, into value (n bytes).  Any thread. */
void haft_setting_print(int i, char *value, size_t n);

/* What row i allows, with its default, into range (n bytes).  Any thread. */
void haft_setting_range(int i, char *range, size_t n);

/* Set row i as if the environment had said so; false: not understood, or out of range, and nothing
 * has changed.  Before MPI runs, unless the row is `late'.  One thread at a time, and for text none
 * that still has what haft_setting_text gave. */
bool haft_setting_put(int i, const char *text);
bool haft_setting_put_number(int i, int64_t value);

#endif
