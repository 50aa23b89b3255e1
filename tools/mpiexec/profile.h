// SPDX-License-Identifier: BSD-3-Clause
/* profile.h - mpiexec -profile: the tables of the ranks, and the report about them.
 *
 *      ranks of this host ── memfd ── profile_host ──────────────┐
 *      ranks of other hosts: their proxy's memfd ── UP_PROFILE ──┤
 *                                                                v
 *      job_fini ── profile_end ── struct profile (profile_sum.c) ──> text, JSON, CSV, HTML
 *
 * The layout of a table is in libmpi/prof/table.h.  Tables are read after the ranks have ended in
 * any way: a call that a rank was in is counted as far as it came. */
#ifndef HAFT_TOOLS_MPIEXEC_PROFILE_H
#define HAFT_TOOLS_MPIEXEC_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "libmpi/prof/table.h"
#include "tools/mpiexec/marshal.h"

/* --- profile_host.c: the tables of one host --------------------------------------------------- */

/* All zero: there is no profile. */
struct profile_host {
	struct prof_table *table; /* by seat, shared with the ranks; NULL: none */
	int fd; /* of the memfd: the ranks inherit it; valid if there are tables */
	int n;
	uint64_t ring_len;  /* bytes of each seat's ring behind the tables; 0: no trace */
	bool ring_first;    /* rings keep their first records */
	uint64_t ticks, ns; /* one moment by both clocks, when the tables were made */
};

/* Makes the tables for n seats, and rings of `ring_len' bytes, whole pages, if that is not 0.
 * False, with errno: it cannot. */
bool profile_host_open(
	struct profile_host *h, int n, uint64_t cookie, uint64_t ring_len, bool ring_first);
void profile_host_close(struct profile_host *h);

/* Frees a table that profile_host_read or profile_take has made. */
void profile_table_free(struct prof_table *t);

/* ns of a tick, as far as is known now. */
double profile_host_scale(const struct profile_host *h);

/* The rank of a seat has died: its clock stops. */
void profile_host_died(const struct profile_host *h, int seat);

/* A seat gets a new tenant: keeps what its former one has written. */
void profile_host_renew(struct profile_host *h, int seat, uint64_t cookie);

/* The most snapshots that a rank of this host has asked for.  profile_host_read is as
 * profile_host_each, of ranks that run. */
uint32_t profile_host_snapshots(const struct profile_host *h);
void profile_host_read(
	const struct profile_host *h, void (*each)(void *arg, struct prof_table *t), void *arg);

/* Calls `each' for all tables that ranks have used, with their times settled (ns_per_tick). */
void profile_host_each(
	struct profile_host *h, void (*each)(void *arg, struct prof_table *t), void *arg);

/* A table as bytes, without pages of zeros; and back.  profile_take: NULL if they make no sense. */
void profile_put(struct marshal *p, const struct prof_table *t);
struct prof_table *profile_take(struct marshal *p);

/* --- profile_sum.c: the tables of a job ------------------------------------------------------- */

#define PROFILE_LINE 200 /* bytes of the words for a line of source */

/* A line of source and a function, of all ranks. */
struct profile_site {
	const char *path; /* of its module; NULL: the rest of this function's calls */
	uint32_t offset;
	uint16_t fn;
	int culprit; /* index of the rank that its waits name most; -1: none */
	double culprit_ns;
	struct prof_row row;     /* in ns */
	char line[PROFILE_LINE]; /* "exchange (halo.c:88)"; "": not looked for */
};

struct profile_rank {
	struct prof_table *t;
	double wall, mpi, wait; /* ns */
	double why[PROF_WHYS];  /* ns waited for others, by reason */
	uint64_t messages, bytes;
	int behind; /* index of the rank it waited for most; -1: none */
	double behind_ns;
	double blamed; /* ns that others have waited for it */
	double cause;  /* the same, with chains followed to their beginning */
	bool ended;    /* MPI_Finalize has returned */
	char name[24]; /* "3"; a spawned one: "2:3" */
};

struct profile {
	struct profile_rank *rank; /* in the order of their numbers */
	int n;
	struct profile_site *site; /* by time, longest first */
	int nsites;
	struct prof_size size[PROF_CLASSES][PROF_SIZES];
	uint64_t *read; /* by function: calls that are only counted */
	double wall, mpi, wait;
	int hosts;
	int64_t eager;
	const char *program; /* as on the command line */
};

/* Takes over the tables, malloc'ed or mapped.  The result is allocated for good. */
struct profile *profile_sum(struct prof_table *const tables[], int n, const char *program);

/* The index of the rank with a number of the universe; -1: none. */
int profile_rank_of(const struct profile *p, int64_t number);

/* ns that rank i has waited for the peer of this row. */
double profile_waited(const struct profile *p, int i, const struct prof_peer *row);

/* Looks up the lines of the first `most' sites. */
void profile_lines(struct profile *p, int most);

/* The name of a function of MPI. */
const char *profile_fn(int fn);

/* Words for enum prof_why: "late sender". */
extern const char *const profile_why[PROF_WHYS];

/* Calls `each' for all rows (i, j) of the matrix: rank i talked to j, or waited for it. */
typedef void profile_pair_fn(void *arg, int i, int j, const struct prof_peer *row);
void profile_pairs(const struct profile *p, profile_pair_fn *each, void *arg);

/* --- the reports ------------------------------------------------------------------------------ */

/* The sentence that a reader needs first: the rank that the others wait for. */
void profile_verdict(const struct profile *p, char *s, size_t n);

/* A time: "12.4 s", "118 us". */
const char *profile_time(double ns, char s[24]);
const char *profile_bytes(double bytes, char s[24]);

/* Write the whole report in one form; the caller closes the file. */
void profile_text(const struct profile *p, FILE *out);
void profile_json(const struct profile *p, FILE *out);
void profile_csv(const struct profile *p, FILE *out);
void profile_html(const struct profile *p, FILE *out);

/* --- profile_end.c ---------------------------------------------------------------------------- */

struct job;

/* Keeps a table, of another host for example; NULL: none. */
void profile_keep(struct prof_table *t);

/* Is `where' (of -profile=) a name that the reports know?  NULL, or words why not. */
const char *profile_refuse(const char *where);

/* BOOT_PROFILE_OPTION, with the value of HAFT_PROFILE: on behalf of a job that mpiexec has not
 * started.  The tables come from stdin.  The exit code. */
int profile_main(const char *where);

/* Writes the profile p to `where', with the words of the option's errors.  number: of a snapshot;
 * 0: it is the last one.  False: it could not be written, and this has been said. */
bool profile_report(struct profile *p, const char *where, uint32_t number);

/* --- profile_snapshot.c: MPI_Pcontrol(2) ------------------------------------------------------ */

/* Looks whether a rank has asked for one, and writes it when its time has come.  snapshot_next:
 * when to look again; 0: never. */
void snapshot_clock(struct job *j, uint64_t now);
uint64_t snapshot_next(void);

/* A table for snapshot `number', of another host; NULL: none. */
void snapshot_take(struct prof_table *t, uint32_t number, uint64_t now);

/* At the end of the job: writes what -profile has asked for. */
void profile_end(struct job *j);

#endif
