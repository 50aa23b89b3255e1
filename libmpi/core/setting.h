// SPDX-License-Identifier: BSD-3-Clause
/* setting.h - settings: variables HAFT_... of the environment.
 *
 * One table (setting.c) has a row for each: name, form, default, range, meaning.  mpi-info, the
 * tools interface and the man page haft-settings(7) show its rows.  A value that is not understood
 * is reported once a job on stderr, and the default is used.
 *
 * Renamed settings and renamed words keep their old names as aliases (`old', `old_word'). */
#ifndef HAFT_CORE_SETTING_H
#define HAFT_CORE_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By variable; setting.c explains the numbers. */
enum haft_setting {
	SETTING_EAGER,          /* HAFT_EAGER: bytes */
	SETTING_COLL,           /* HAFT_COLL: 0 shm, 1 p2p, 2 check */
	SETTING_ERRHANDLER,     /* HAFT_ERRHANDLER: 0 fatal, 1 abort, 2 return; + 3: not of files */
	SETTING_REORDER,        /* HAFT_REORDER: 0 numa, 1 socket, 2 core */
	SETTING_LEAKS,          /* HAFT_LEAKS: 1 report */
	SETTING_SINGLE_COPY,    /* HAFT_SINGLE_COPY: 0 auto, 1 never, 2 always */
	SETTING_COLL_ALGORITHM, /* HAFT_COLL_ALGORITHM: text, parsed by libmpi/coll/selection.c */
	SETTING_CHECK,          /* HAFT_CHECK: a sum of enum haft_check */
	SETTING_UNEXPECTED,     /* HAFT_UNEXPECTED: bytes */
	SETTING_EAGER_NET,      /* HAFT_EAGER_NET: bytes */
	SETTING_RING_AFTER,     /* HAFT_RING_AFTER: messages */
	SETTING_PIPE_CHUNK,     /* HAFT_PIPE_CHUNK: bytes; mpiexec reads it */
	SETTING_PIPE_CHUNKS,    /* HAFT_PIPE_CHUNKS; mpiexec reads it */
	SETTING_RING_SLOTS,     /* HAFT_RING_SLOTS; mpiexec reads it */
	SETTING_SEATS,          /* HAFT_SEATS; mpiexec reads it */
	SETTING_SPIN,           /* HAFT_SPIN: polls */
	SETTING_YIELD,          /* HAFT_YIELD: yields */
	SETTING_SLEEP,          /* HAFT_SLEEP: 0 auto, 1 never, 2 always */
	SETTING_MOVE,           /* HAFT_MOVE: 0 auto, 1 never */
	SETTING_BOOT,           /* HAFT_BOOT: 0 auto, 1 alone */
	SETTING_IFACE,          /* HAFT_IFACE: text */
	SETTING_NAME_SERVER,    /* HAFT_NAME_SERVER: text */
	SETTING_HANG,           /* HAFT_HANG: seconds; mpiexec reads it */
	SETTING_VIA,            /* HAFT_VIA: enum haft_via */
	SETTING_ENDED,          /* HAFT_ENDED: seconds; mpiexec reads it */
	SETTING_FT,             /* HAFT_FT: 0 auto, 1 no, 2 yes; mpiexec reads it, too */
	SETTING_DIE,            /* HAFT_DIE, a text: libmpi/ft/injected_death.c */
	SETTING_GRACE,          /* HAFT_GRACE: seconds; mpiexec reads it */
	SETTING_RMA,            /* HAFT_RMA: enum haft_rma */
	SETTING_PROGRESS,       /* HAFT_PROGRESS: 0 call, 1 thread */
	SETTING_OFI_PROVIDER,   /* HAFT_OFI_PROVIDER: text */
	SETTING_FILE_SYNC,      /* HAFT_FILE_SYNC: 0 never, 1 close */
	SETTING_IO_THREADS,     /* HAFT_IO_THREADS */
	SETTING_PROFILE,        /* HAFT_PROFILE: text; mpiexec reads it, too */
	SETTING_BACKTRACE,      /* HAFT_BACKTRACE: 0 auto, 1 yes, 2 no */
	SETTING_TRACE,          /* HAFT_TRACE: text; mpiexec reads it */
	SETTING_START_BY,       /* HAFT_START_BY: enum haft_start_by; mpiexec reads it */
	SETTING_COUNT
};

/* Transports within a host, and between hosts. */
enum haft_via {
	HAFT_VIA_AUTO,    /* shared memory; sockets */
	HAFT_VIA_SHM,     /* shared memory; none */
	HAFT_VIA_NET,     /* sockets; sockets */
	HAFT_VIA_OFI,     /* shared memory; libfabric */
	HAFT_VIA_OFI_ALL, /* libfabric; libfabric */
	HAFT_VIA_COUNT
};

/* true: processes of one host use the transport of those of several hosts. */
static inline bool haft_via_isolates(int64_t how)
{
	return how == HAFT_VIA_NET || how == HAFT_VIA_OFI_ALL;
}

/* Values of HAFT_FT. */
enum haft_ft { HAFT_FT_AUTO, HAFT_FT_NO, HAFT_FT_YES };

enum haft_rma { /* transport of one-sided communication */
	HAFT_RMA_AUTO,
	HAFT_RMA_VM, /* process_vm calls, as if no window were mapped memory */
	HAFT_RMA_MSG,
	HAFT_RMA_MAILBOX /* as VM; the target executes small operations while it is in MPI */
};

enum haft_check {
	HAFT_CHECK_TYPES = 1,  /* type signatures of messages */
	HAFT_CHECK_COLL = 2,   /* matching collective calls */
	HAFT_CHECK_RMA = 4,    /* conflicting accesses to windows */
	HAFT_CHECK_STRICT = 8, /* errors that real programs depend on */
	HAFT_CHECK_IO = 16     /* conflicting accesses to files; hints that are ignored */
};

/* The environment with the settings: that of mpiexec's ranks as it is, any other completed by the
 * files of defaults (defaults_file.h).  The first call must not race with setenv. */
char **haft_setting_environ(void);

/* The value of a setting.  The first call reads the environment.  Any thread. */
int64_t haft_setting_get(enum haft_setting which);

/* The value of a setting of text; "" if it is not set.  It lives until haft_setting_put.  Any
 * thread. */
const char *haft_setting_text(enum haft_setting which);

/* For the launcher: the value of a setting in `envp' (an environment, ended by NULL).  Reports a
 * value that is not understood if the row has `launch'; other bad values are reported by
 * haft_setting_warn in one rank. */
int64_t haft_setting_launch(enum haft_setting which, char *const envp[]);

/* Writes the value of row i in environment `envp' into value (n bytes), as haft_setting_print would
 * in a process with that environment.  Reports nothing. */
void haft_setting_expect(int i, char *const envp[], char *value, size_t n);

/* Reports on stderr, once each: values that were not understood, and variables HAFT_... that are no
 * settings. */
void haft_setting_warn(void);

/* How mpiexec starts the ranks of a host. */
enum haft_start_by { HAFT_START_AUTO, HAFT_START_FORK, HAFT_START_EXEC };

/* The form of a value. */
enum setting_form {
	SETTING_NUMBER, /* min to max, with k or M behind it for 2^10 and 2^20 */
	SETTING_WORD,   /* words[i] is the number i */
	SETTING_LIST,   /* words separated by commas: the sum of 1 << i */
	SETTING_TEXT    /* any text; its engine parses it */
};

#define SETTING_WORDS_MAX 6    /* the most that a setting has */
#define SETTING_TEXT_MAX  1024 /* bytes of a text that is set by haft_setting_put, NUL included */

/* A row of the table.  Constant. */
struct setting_row {
	const char *name;
	const char *old;          /* its name before it was renamed, an alias; NULL: none */
	int64_t normal, min, max; /* default and range */
	const char *words[SETTING_WORDS_MAX]; /* NULL after the last */
	const char *old_word; /* a word before it was renamed, an alias of old_value; NULL: none */
	int64_t old_value;
	const char *meaning; /* one line */
	const char *more;    /* sentences for the man page, or NULL */
	enum setting_form form;
	bool everywhere; /* all processes of a job must have the same value */
	bool launch;     /* read by mpiexec for the whole job */
	int64_t step;    /* of numbers: 0, or only multiples of it */
	bool power;      /* of numbers: only powers of two */
	bool late;       /* can change at any time; else it is read once, when MPI starts */
};

/* Row i of the table; NULL: there is none.  Any thread. */
const struct setting_row *haft_setting_row(int i);

/* The row of the setting with this name, also an old one; -1: there is none.  Any thread. */
int haft_setting_find(const char *name);

/* Writes the value of row i, in the form of the environment, into value (n bytes).  Any thread. */
void haft_setting_print(int i, char *value, size_t n);

/* Writes the range of row i and its default into range (n bytes).  Any thread. */
void haft_setting_range(int i, char *range, size_t n);

/* Sets row i as the environment would.  false: not understood or out of range, and nothing changes.
 * Before MPI runs, unless the row is `late'.  One thread at a time; for text, no thread still uses
 * the result of haft_setting_text. */
bool haft_setting_put(int i, const char *text);
bool haft_setting_put_number(int i, int64_t value);

#endif
