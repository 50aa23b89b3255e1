// SPDX-License-Identifier: BSD-3-Clause
/* table.h - the profile of one rank, as the rank writes it and mpiexec reads it.
 *
 *     memfd of mpiexec (one a host):  | table of seat 0 | table of seat 1 | ... | rings | sparse
 *          rank: MPI_Send ... ── prof_leave ──> site, call, peer, size rows
 *          mpiexec: reads while ranks run, and after they have died in any way
 *
 * The rank alone writes its table, one thread at a time (under the library's lock).  A reader gets
 * whole words, and rows that may be a call behind.  Memory full of zeros is the valid first state,
 * and pages that a rank does not touch cost nothing.
 *
 * Times are ticks of shm_ticks; prof_clock_set makes nanoseconds of them.  The rings of a trace
 * (ring.h) are behind the tables. */
#ifndef HAFT_PROF_TABLE_H
#define HAFT_PROF_TABLE_H

#include "libshm/ticks.h"
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#define PROF_MAGIC   UINT64_C(0x32666f7270666168) /* "hafprof2": changes with the layout */
#define PROF_SITES   2048                         /* lines of source with a call; a power of two */
#define PROF_PEERS   4096 /* processes talked to or waited for; a power of two */
#define PROF_PROBES  64   /* rows that a hash looks at before it gives up */
#define PROF_FNS     2048 /* entry points of MPI; there are some 1,300 */
#define PROF_MODULES 32   /* program and libraries that call MPI */
#define PROF_PATH    240
#define PROF_REGIONS 64
#define PROF_DEPTH   16 /* regions inside of each other */
#define PROF_NAME    40 /* bytes of a region's name, with the final 0 */
#define PROF_SIZES   48 /* classes of sizes: 0; 1; 2..3; 4..7; ... */

/* Kinds of messages: rows of the histogram of sizes. */
enum prof_class { PROF_P2P, PROF_COLL, PROF_RMA, PROF_CLASSES /* also: none of them */ };

/* Why a call waited. */
enum prof_why {
	PROF_SENDER,   /* a receiver for its sender */
	PROF_RECEIVER, /* a sender for its receiver */
	PROF_LAST,     /* members of a collective call for the last one */
	PROF_LOCK,     /* for the holder of a window's lock */
	PROF_WINDOW,   /* for the other side of a window's synchronization */
	PROF_OTHER,    /* the disk, generalized requests, unknown */
	PROF_WHYS
};

struct prof_row {
	uint64_t n;
	uint64_t ticks, wait; /* in all; of them waiting */
	uint64_t longest;
	uint64_t bytes;
	uint64_t why[PROF_WHYS]; /* sum: wait */
};

/* One line of source and one function of MPI. */
struct prof_site {
	uint64_t address; /* the return address of the call; 0: the row is free */
	uint32_t offset;  /* of the call in its module, less than 4 GiB */
	uint16_t module;  /* row + 1; 0: not known */
	uint16_t fn;      /* enum haft_fn */
	int32_t culprit;  /* of the waits, by majority: a number of the universe + 1; 0: none */
	uint32_t pad;
	uint64_t lead; /* ticks by which it leads */
	struct prof_row row;
};

struct prof_peer {
	int64_t peer;             /* a number of the universe + 1; 0: the row is free */
	uint64_t messages, bytes; /* sent to it, or put and got there */
	uint64_t why[PROF_WHYS];  /* ticks that this rank has waited for it */
};

struct prof_size {
	uint64_t n, bytes;
};

struct prof_module {
	char path[PROF_PATH];
	uint64_t base; /* of its addresses: offset + base is the address */
};

struct prof_region {
	char name[PROF_NAME];
	uint64_t n, ticks, mpi, wait; /* regions inside of it included */
};

/* The call under way, for readers: the last call of a rank that died or hangs. */
struct prof_now {
	_Atomic uint32_t fn; /* 0: outside of MPI */
	uint32_t site;       /* row + 1; 0: none */
	uint64_t since;      /* ticks */
	uint64_t wait_since; /* ticks; 0: it does not wait */
	uint32_t why;        /* enum prof_why */
	int32_t peer;        /* waited for: a number of the universe + 1; 0: not known */
};

enum prof_stage { PROF_NEVER, PROF_RUNS, PROF_DONE };

struct prof_table {
	/* Of the first table of a memfd; mpiexec writes it. */
	struct prof_head {
		uint64_t magic, cookie;
		uint64_t rings;      /* where they begin */
		uint64_t ring_len;   /* bytes of each; 0: there is no trace */
		uint64_t ring_first; /* not 0: each keeps its first records */
	} head;
	_Atomic uint32_t stage; /* enum prof_stage */
	uint32_t on;            /* MPI_Pcontrol */
	int32_t rank, size;     /* in its MPI_COMM_WORLD */
	int32_t number;         /* in the universe */
	int32_t host;
	int32_t pid;
	uint32_t ns;                /* not 0: ticks are nanoseconds */
	int64_t eager;              /* bytes of the longest eager message, of this host */
	uint64_t begin, begin_ns;   /* the same moment, in ticks and by CLOCK_MONOTONIC */
	uint64_t end;               /* ticks; 0: MPI_Finalize has not returned */
	_Atomic uint32_t snapshots; /* that MPI_Pcontrol(2) has asked for */
	uint32_t pad;
	uint64_t off, off_since; /* ticks that MPI_Pcontrol has left out; since when it does */
	uint64_t mpi, wait;      /* ticks of all calls; of them waiting */
	uint64_t nested;         /* calls made in callbacks: counted, not timed */
	uint64_t elsewhere;      /* calls of sites for which there is no row */
	double ns_per_tick;      /* written by readers: prof_clock_set */
	struct prof_now now;
	int32_t depth; /* of regions; more than PROF_DEPTH are counted only */
	int32_t stack[PROF_DEPTH];
	struct prof_size size_row[PROF_CLASSES][PROF_SIZES];
	struct prof_region region[PROF_REGIONS];
	uint64_t region_at[PROF_DEPTH][3]; /* ticks, mpi and wait at the push */
	struct prof_module module[PROF_MODULES];
	_Alignas(4096) _Atomic uint64_t read[PROF_FNS]; /* calls that are only counted */
	struct prof_row rest[PROF_FNS];                 /* of sites without a row */
	_Alignas(4096) struct prof_site site[PROF_SITES];
	_Alignas(4096) struct prof_peer peer[PROF_PEERS];
};

/* By a reader on the same host: sets t->ns_per_tick. */
void prof_clock_set(struct prof_table *t);

/* The moment until which a table's rank has run, in ticks: its end, or now. */
uint64_t prof_until(const struct prof_table *t);

#endif
