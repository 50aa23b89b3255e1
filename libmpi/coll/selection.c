// SPDX-License-Identifier: BSD-3-Clause
/* selection.c - algorithm selection: the first row of an operation's table that fits the call.
 *
 *      HAFT_COLL_ALGORITHM=allreduce=ring,bcast=linear   these rows for all sizes, where able,
 *                                                        by messages, not shared memory
 *
 * The result of a reduction in floating point, or by a user's function, depends on the order of
 * operands.  Shared memory combines from left to right.  So if the members of such a call could
 * share memory, only algorithms in that order fit (RULE_ORDERED), and all three forms of the call
 * give equal bits. */
#include "libmpi/coll/algorithms.h"
#include "libmpi/coll/hierarchical.h"
#include "libmpi/coll/coll_shm.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/process_state.h"
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Limits of the rules: tests/sim/coll_sim.c asserts that they choose well.  Bytes of a block, or of
 * the data; PART: of a member's part, or of a host's. */
#define PART_CHAIN        MEAN_OR(32, 64 * 1024)  /* segments go along a chain */
#define PART_CHAIN_FEW    MEAN_OR(16, 16 * 1024)  /* as that, if members are FEW_HOSTS */
#define PART_CHAIN_REDUCE MEAN_OR(16, 32 * 1024)  /* as that, with several members on hosts */
#define PART_SCAN_CHAIN   MEAN_OR(16, 6 * 1024)   /* as that, of a scan */
#define PART_SCAN_HOSTS   MEAN_OR(32, 12 * 1024)  /* as that, with several members on hosts */
#define BCAST_CUT         MEAN_OR(32, 16 * 1024)  /* a broadcast goes in segments, or in parts */
#define BCAST_CUT_LOCAL   MEAN_OR(16, 4 * 1024)   /* as that, on one host */
#define LANE_THIN         MEAN_OR(8, 1024)        /* a part is too short for lanes, below */
#define HOSTS_CUT         MEAN_OR(64, 128 * 1024) /* as BCAST_CUT, with several members on hosts */
#define CYCLIC_LONG       MEAN_OR(128, 1024 * 1024) /* as that, with RULE_CYCLIC */
#define REDUCE_BINARY     MEAN_OR(64, 128 * 1024)   /* a reduction goes in segments */
#define PORTS_SHORT       MEAN_OR(32, 2048)      /* each host sends all its data to each, below */
#define PORTS_BCAST       MEAN_OR(64, 4 * 1024)  /* as that, to some hosts at a time */
#define PORTS_REDUCE      MEAN_OR(64, 4 * 1024)  /* as that, of a reduction to a root */
#define PORTS_BLOCK       MEAN_OR(16, 1024)      /* as that, of a block */
#define PORTS_GATHER      MEAN_OR(64, 32 * 1024) /* as that, of a block that all get */
#define PARTS_BELOW       MEAN_OR(4096, 128 * 1024)  /* each host has a part of the data */
#define LANES_FROM        MEAN_OR(16, 4 * 1024)      /* all members of a host combine a part */
#define LANES_LONG        MEAN_OR(32, 16 * 1024)     /* as that, if elements are left */
#define BLOCK_LANES       MEAN_OR(16, 512)           /* as that, of a block */
#define BLOCK_LANES_MANY  MEAN_OR(8, 64)             /* as that, of many */
#define BLOCK_SHORT       MEAN_OR(16, 4 * 1024)      /* a tree carries many, up to this */
#define BLOCK_TINY        MEAN_OR(8, 64)             /* as that, for alltoall by leaders */
#define BLOCK_LEADERS     MEAN_OR(8, 64)             /* as that, for many ranks, from this */
#define BLOCK_HOPS        MEAN_OR(16, 1024)          /* as that, for alltoall in log n hops */
#define BLOCK_HOPS_LOCAL  MEAN_OR(8, 32)             /* as that, on one host */
#define BLOCK_RING        MEAN_OR(64, 512 * 1024)    /* a block goes round a ring, from this */
#define BLOCK_RING_FEW    MEAN_OR(16, 16 * 1024)     /* as that, if members are FEW_HOSTS */
#define BLOCK_BRUCK       MEAN_OR(16, 128 * 1024)    /* as that, if ranks are no power of two */
#define RING_PART         MEAN_OR(16, 8 * 1024)      /* a part goes round a ring */
#define HALVING_LONG      MEAN_OR(32, 32 * 1024)     /* an operand is halved */
#define HALVING_LOCAL     MEAN_OR(32, 4 * 1024)      /* as that, on one host */
#define BLOCK_HALVED      MEAN_OR(64, 256 * 1024)    /* operands are halved up to this */
#define BLOCK_HALVED_ODD  MEAN_OR(32, 4 * 1024)      /* as that, if ranks are no power of two */
#define BLOCK_ALL         MEAN_OR(32, 64 * 1024)     /* each member may get its block of all */
#define ORDERED_SHORT     MEAN_OR(16, 1024)          /* each member may get all operands */
#define REDUCE_GATHER     MEAN_OR(16, 512)           /* the root may get all operands */
#define SCAN_PARTS        MEAN_OR(2048, 1024 * 1024) /* each makes a part of all scans, below */
#define LOCAL_PARTS       8                          /* ... divided by this, on one host */
#define SCAN_SHORT        MEAN_OR(16, 2 * 1024)      /* as that, of a scan */

/* Numbers of members. */
#define SCAN_MOST       256            /* each may get all operands of SCAN_SHORT */
#define MANY            8              /* fewer messages pay */
#define PORT_HOSTS      3              /* steps between fewer leaders are as few */
#define PORT_HOSTS_MOST 512            /* a message to each is worse than steps */
#define PORT_MESSAGES   12             /* likewise, of one member */
#define LARGE_HOST      4              /* ... times as many members as hosts: leaders alone send */
#define WIDE_HOST       32             /* a step of a host's members takes as long as a message */
#define FEW_HOSTS       7              /* a chain is short */
#define FEW             16             /* one root may send to all, or get from all */
#define HOPS_MANY       32             /* hops pay */
#define LEADERS_MOST    64             /* leaders can sort their blocks */
#define SCAN_MANY       MEAN_OR(2, 16) /* as MANY, for a scan over several hosts */
#define PAIRWISE        64             /* some partners at a time are enough */

/* The algorithms: their functions, and the words by which HAFT_COLL_ALGORITHM names them.  A rule
 * has a number of this list: so it has no address, and processes share the page that it is in. */
/* clang-format off */
#define ALGORITHMS(_) \
	_(ALG_BARRIER_BINOMIAL, coll_barrier_binomial, "binomial") \
	_(ALG_BARRIER_DISSEMINATION, coll_barrier_dissemination, "dissemination") \
	_(ALG_BARRIER_HIER, coll_barrier_hier, "hierarchical") \
	_(ALG_BARRIER_PORTS, coll_barrier_ports, "multi_port") \
	_(ALG_BCAST_BINARY, coll_bcast_binary, "binary") \
	_(ALG_BCAST_BINOMIAL, coll_bcast_binomial, "binomial") \
	_(ALG_BCAST_CHAIN, coll_bcast_chain, "chain") \
	_(ALG_BCAST_HIER, coll_bcast_hier, "hierarchical") \
	_(ALG_BCAST_HIER_BINARY, coll_bcast_hier_binary, "hierarchical_binary") \
	_(ALG_BCAST_HIER_CHAIN, coll_bcast_hier_chain, "hierarchical_chain") \
	_(ALG_BCAST_PARTS, coll_bcast_parts, "multi_port_scatter") \
	_(ALG_BCAST_PORTS, coll_bcast_ports, "multi_port") \
	_(ALG_BCAST_SCATTER_ALLGATHER, coll_bcast_scatter_allgather, "scatter_allgather") \
	_(ALG_BCAST_SCATTER_BRUCK, coll_bcast_scatter_bruck, "scatter_bruck") \
	_(ALG_GATHER_BINOMIAL, coll_gather_binomial, "binomial") \
	_(ALG_GATHER_HIER, coll_gather_hier, "hierarchical") \
	_(ALG_GATHER_LINEAR, coll_gather_linear, "linear") \
	_(ALG_GATHER_PORTS, coll_gather_ports, "multi_port") \
	_(ALG_SCATTER_BINOMIAL, coll_scatter_binomial, "binomial") \
	_(ALG_SCATTER_HIER, coll_scatter_hier, "hierarchical") \
	_(ALG_SCATTER_LINEAR, coll_scatter_linear, "linear") \
	_(ALG_SCATTER_PORTS, coll_scatter_ports, "multi_port") \
	_(ALG_ALLGATHER_BRUCK, coll_allgather_bruck, "bruck") \
	_(ALG_ALLGATHER_HIER, coll_allgather_hier, "hierarchical") \
	_(ALG_ALLGATHER_LANES, coll_allgather_lanes, "multi_lane") \
	_(ALG_ALLGATHER_PORTS, coll_allgather_ports, "multi_port") \
	_(ALG_ALLGATHER_RECURSIVE_DOUBLING, coll_allgather_recursive_doubling, \
		"recursive_doubling") \
	_(ALG_ALLGATHER_RING, coll_allgather_ring, "ring") \
	_(ALG_ALLTOALL_BRUCK, coll_alltoall_bruck, "bruck") \
	_(ALG_ALLTOALL_HIER, coll_alltoall_hier, "hierarchical") \
	_(ALG_ALLTOALL_LINEAR, coll_alltoall_linear, "linear") \
	_(ALG_ALLTOALL_PAIRWISE, coll_alltoall_pairwise, "pairwise") \
	_(ALG_ALLTOALL_PORTS, coll_alltoall_ports, "multi_port") \
	_(ALG_REDUCE_BINARY, coll_reduce_binary, "binary") \
	_(ALG_REDUCE_BINOMIAL, coll_reduce_binomial, "binomial") \
	_(ALG_REDUCE_CHAIN, coll_reduce_chain, "chain") \
	_(ALG_REDUCE_HIER, coll_reduce_hier, "hierarchical") \
	_(ALG_REDUCE_LANES, coll_reduce_lanes, "multi_lane") \
	_(ALG_REDUCE_ORDERED_GATHER, coll_reduce_ordered_gather, "ordered_gather") \
	_(ALG_REDUCE_ORDERED_SCATTER, coll_reduce_ordered_scatter, "ordered_scatter") \
	_(ALG_REDUCE_PARTS, coll_reduce_parts, "multi_port_scatter") \
	_(ALG_REDUCE_PORTS, coll_reduce_ports, "multi_port") \
	_(ALG_REDUCE_RABENSEIFNER, coll_reduce_rabenseifner, "rabenseifner") \
	_(ALG_ALLREDUCE_HIER, coll_allreduce_hier, "hierarchical") \
	_(ALG_ALLREDUCE_LANES, coll_allreduce_lanes, "multi_lane") \
	_(ALG_ALLREDUCE_ORDERED_GATHER, coll_allreduce_ordered_gather, "ordered_gather") \
	_(ALG_ALLREDUCE_ORDERED_SCATTER, coll_allreduce_ordered_scatter, "ordered_scatter") \
	_(ALG_ALLREDUCE_PARTS, coll_allreduce_parts, "multi_port_scatter") \
	_(ALG_ALLREDUCE_PORTS, coll_allreduce_ports, "multi_port") \
	_(ALG_ALLREDUCE_RABENSEIFNER, coll_allreduce_rabenseifner, "rabenseifner") \
	_(ALG_ALLREDUCE_RECURSIVE_DOUBLING, coll_allreduce_recursive_doubling, \
		"recursive_doubling") \
	_(ALG_ALLREDUCE_RING, coll_allreduce_ring, "ring") \
	_(ALG_REDUCE_SCATTER_HIER, coll_reduce_scatter_hier, "hierarchical") \
	_(ALG_REDUCE_SCATTER_LANES, coll_reduce_scatter_lanes, "multi_lane") \
	_(ALG_REDUCE_SCATTER_NONOVERLAPPING, coll_reduce_scatter_nonoverlapping, "nonoverlapping") \
	_(ALG_REDUCE_SCATTER_ORDERED, coll_reduce_scatter_ordered, "ordered_scatter") \
	_(ALG_REDUCE_SCATTER_PARTS, coll_reduce_scatter_parts, "multi_port_scatter") \
	_(ALG_REDUCE_SCATTER_PAIRWISE, coll_reduce_scatter_pairwise, "pairwise") \
	_(ALG_REDUCE_SCATTER_RECURSIVE_HALVING, coll_reduce_scatter_recursive_halving, \
		"recursive_halving") \
	_(ALG_SCAN_HIER, coll_scan_hier, "hierarchical") \
	_(ALG_SCAN_LANES, coll_scan_lanes, "multi_lane") \
	_(ALG_SCAN_ORDERED_CHAIN, coll_scan_ordered_chain, "ordered_chain") \
	_(ALG_SCAN_ORDERED_GATHER, coll_scan_ordered_gather, "ordered_gather") \
	_(ALG_SCAN_ORDERED_SCATTER, coll_scan_ordered_scatter, "ordered_scatter") \
	_(ALG_SCAN_PORTS, coll_scan_ports, "multi_port") \
	_(ALG_SCAN_RECURSIVE_DOUBLING, coll_scan_recursive_doubling, "recursive_doubling") \
	_(ALG_NEIGHBOR_LINEAR, coll_neighbor_linear, "linear")
/* clang-format on */

#define ALGORITHM_NUMBER(number, function, word) number,
#define ALGORITHM_ROW(number, function, word)    [number] = {function, word},

enum algorithm { ALG_NONE, ALGORITHMS(ALGORITHM_NUMBER) };

static const struct {
	coll_algorithm_fn *function;
	const char *name; /* two algorithms of an operation have two names */
} algorithms[] = {ALGORITHMS(ALGORITHM_ROW)};

/* When a row fits, besides its numbers of bytes and ranks. */
enum rule_flags {
	/* it can do the call only with */
	RULE_COMMUTES = 1 << 0,         /* an operation that commutes */
	RULE_PREDEFINED = 1 << 1,       /* a predefined operation */
	RULE_ELEMENT_PER_RANK = 1 << 2, /* at least as many elements as ranks */
	RULE_POWER_OF_TWO = 1 << 3,     /* a power of two of ranks */
	RULE_HIERARCHICAL = 1 << 4,     /* several hosts, and several members on some of them */
	RULE_CONTIGUOUS = 1 << 5,       /* hosts whose members are an interval of ranks */
	RULE_EVEN_HOSTS = 1 << 6,       /* as many members on each host, in lanes */
	RULE_LANES = 1 << 7,            /* an element for each of them; with RULE_EVEN_HOSTS */
	RULE_MANY_HOSTS = 1 << 8,       /* PORT_HOSTS; with RULE_EVEN_HOSTS */
	RULE_SHORT = 1 << 9,            /* fewer bytes than `below' */
	RULE_FLAT = 1 << 10, /* members alone on their hosts; of one host: below / LOCAL_PARTS */
	/* it is meant for */
	RULE_ORDERED = 1 << 11, /* calls whose order of operands matters; other rows for the rest */
	RULE_SCATTERED = 1 << 12, /* hosts whose members are not an interval of ranks */
	RULE_INTERVALS = 1 << 13, /* several hosts with several members, intervals of ranks */
	RULE_EVEN = 1 << 14,      /* a power of two of ranks */
	RULE_REMOTE = 1 << 15,    /* several hosts */
	RULE_LOCAL = 1 << 16,     /* one host */
	RULE_CYCLIC = 1 << 17,    /* rank r on host r mod hosts, which are a power of two */
	RULE_DIVIDED = 1 << 18,   /* as many elements for each member of a host, and none left */
	/* `from' and `below' are bytes of */
	RULE_LONGEST_BLOCK = 1 << 19, /* the longest block */
	RULE_PART = 1 << 20,          /* a member's part of the data */
	RULE_HOST_PART = 1 << 21,     /* a host's part of them; with RULE_HIERARCHICAL */
	RULE_LANE_PART = 1 << 22,     /* a part for each member of a host; with RULE_HIERARCHICAL */
	/* it is meant for jobs of several hosts, some with several members, where */
	RULE_SERVED = 1 << 23,       /* no host has more members than there are hosts */
	RULE_FEW_MESSAGES = 1 << 24, /* a member sends to at most PORT_MESSAGES other hosts */
	RULE_LARGE_HOSTS = 1 << 25,  /* LARGE_HOST times as many members; leaders need one step */
	RULE_WIDE = 1 << 26,         /* a host of more than WIDE_HOST members */
	RULE_PAIRS = 1 << 27,        /* no host of more than two members */
	RULE_REQUEST = 1 << 28       /* a call with a request: messages within a host, too */
};

struct rule {
	enum algorithm algorithm; /* ALG_NONE: the end */
	int64_t from;             /* least number of bytes */
	int64_t below;            /* greater than all numbers of bytes; 0: any */
	int ranks;                /* least number of ranks that it can do */
	int least, most;          /* numbers of ranks that it is meant for; most 0: any */
	int flags;                /* enum rule_flags */
};

#define RULE_BY_HOSTS (RULE_HIERARCHICAL | RULE_EVEN_HOSTS)
#define RULE_BY_MEMBERS \
	(RULE_SERVED | RULE_FEW_MESSAGES | RULE_LARGE_HOSTS | RULE_WIDE | RULE_PAIRS)

#define NAMED_COUNT (RULE_COMMUTES | RULE_PREDEFINED | RULE_ELEMENT_PER_RANK)
#define HALVED      (RULE_COMMUTES | RULE_PREDEFINED)

/* clang-format off */
/* The rows of an operation, and their end. */
#define ROWS(...) (const struct rule[]){__VA_ARGS__, {.algorithm = ALG_NONE}}

/* Rows that two operations have. */
#define SCATTERS \
	{ALG_REDUCE_SCATTER_HIER, 0, 0, 0, MANY, 0, \
		RULE_HIERARCHICAL | RULE_CONTIGUOUS}, \
	{ALG_REDUCE_SCATTER_ORDERED, 0, 0, 0, 0, 0, RULE_ORDERED}, \
	{ALG_REDUCE_SCATTER_RECURSIVE_HALVING, 0, 2 * BLOCK_HALVED_ODD, \
		2, MANY, 0, HALVED | RULE_EVEN}, \
	{ALG_REDUCE_SCATTER_ORDERED, 0, BLOCK_ALL, 0, MANY, FEW, \
		RULE_SHORT | RULE_REMOTE}, \
	{ALG_REDUCE_SCATTER_PAIRWISE, BLOCK_HALVED / 4, 0, 0, 8 * PAIRWISE, 0, \
		RULE_COMMUTES}, \
	{ALG_REDUCE_SCATTER_ORDERED, 2 * BLOCK_HALVED_ODD, BLOCK_ALL, 0, 0, \
		PAIRWISE, RULE_SHORT}, \
	{ALG_REDUCE_SCATTER_RECURSIVE_HALVING, 0, BLOCK_HALVED, 2, 0, 0, \
		HALVED | RULE_EVEN}, \
	{ALG_REDUCE_SCATTER_RECURSIVE_HALVING, 0, BLOCK_HALVED_ODD, 2, 0, 0, \
		HALVED}, \
	{ALG_REDUCE_SCATTER_PAIRWISE, 0, 0, 0, 0, 0, RULE_COMMUTES}, \
	{ALG_REDUCE_SCATTER_NONOVERLAPPING, 0, 0, 0, 0, 0, 0}

#define SCANS \
	{ALG_SCAN_HIER, 0, PORTS_SHORT, 0, 0, 0, \
		RULE_HIERARCHICAL | RULE_CONTIGUOUS | RULE_LARGE_HOSTS}, \
	{ALG_SCAN_HIER, PORTS_SHORT / 8, PORTS_SHORT, 0, 0, 0, \
		RULE_HIERARCHICAL | RULE_CONTIGUOUS | RULE_WIDE | RULE_REQUEST}, \
	{ALG_SCAN_PORTS, 0, PORTS_SHORT, 0, 0, SCAN_MOST, \
		RULE_CONTIGUOUS | RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_FEW_MESSAGES}, \
	{ALG_SCAN_PORTS, 0, PORTS_SHORT / 2, 0, 0, 0, \
		RULE_CONTIGUOUS | RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_FEW_MESSAGES}, \
	{ALG_SCAN_LANES, 8 * PORTS_SHORT, 32 * PORTS_SHORT, 0, 0, 0, \
		RULE_CONTIGUOUS | RULE_EVEN_HOSTS | RULE_LARGE_HOSTS}, \
	{ALG_SCAN_HIER, 0, LANE_THIN, 0, 0, 0, \
		RULE_HIERARCHICAL | RULE_CONTIGUOUS | RULE_WIDE | RULE_LANE_PART | \
			RULE_REQUEST}, \
	{ALG_SCAN_ORDERED_GATHER, 0, SCAN_SHORT, 0, 0, SCAN_MOST, \
		RULE_ORDERED}, \
	{ALG_SCAN_ORDERED_SCATTER, 0, SCAN_PARTS, MANY, 0, 0, \
		RULE_SHORT | RULE_FLAT | RULE_ORDERED}, \
	{ALG_SCAN_ORDERED_CHAIN, 0, 0, 0, 0, 0, RULE_ORDERED}, \
	{ALG_SCAN_ORDERED_CHAIN, PART_SCAN_HOSTS, 0, 0, 0, 0, \
		RULE_PART | RULE_INTERVALS}, \
	{ALG_SCAN_LANES, PORTS_SHORT / 2, 0, 0, 0, 0, \
		RULE_CONTIGUOUS | RULE_EVEN_HOSTS}, \
	{ALG_SCAN_HIER, 0, 0, 0, SCAN_MANY, 0, \
		RULE_HIERARCHICAL | RULE_CONTIGUOUS}, \
	{ALG_SCAN_ORDERED_CHAIN, 0, 0, 0, 0, 2, RULE_LOCAL}, \
	{ALG_SCAN_ORDERED_SCATTER, SCAN_PARTS / 256, SCAN_PARTS, MANY, 0, 0, \
		RULE_SHORT | RULE_FLAT | RULE_LOCAL}, \
	{ALG_SCAN_ORDERED_SCATTER, SCAN_PARTS / 32, SCAN_PARTS, MANY, 0, \
		HOPS_MANY, RULE_SHORT | RULE_FLAT | RULE_REMOTE}, \
	{ALG_SCAN_ORDERED_SCATTER, SCAN_PARTS / 8, SCAN_PARTS, MANY, 0, \
		SCAN_MOST, RULE_SHORT | RULE_FLAT | RULE_REMOTE}, \
	{ALG_SCAN_ORDERED_CHAIN, PART_SCAN_HOSTS / 3, 0, 0, 0, 0, \
		RULE_PART | RULE_LOCAL}, \
	{ALG_SCAN_ORDERED_CHAIN, PART_SCAN_CHAIN, 0, 0, 0, 0, RULE_PART}, \
	{ALG_SCAN_RECURSIVE_DOUBLING, 0, 0, 0, 0, 0, 0}

/* many: bytes of a block from which a tree of all members is good for many, on each machine. */
#define ROOTED(ports, hier, binomial, linear, many) \
	{binomial, 0, BLOCK_SHORT, 2, 0, 0, \
		RULE_INTERVALS | RULE_LARGE_HOSTS}, \
	{hier, 0, BLOCK_SHORT / 4, 0, MANY + 4, FEW, RULE_HIERARCHICAL}, \
	{binomial, many, BLOCK_SHORT, 2, 12 * PAIRWISE, 0, RULE_INTERVALS}, \
	{binomial, 0, BLOCK_SHORT, 2, 512 * PAIRWISE, 0, RULE_INTERVALS}, \
	{binomial, BLOCK_SHORT / 2, BLOCK_SHORT, 2, PAIRWISE, 0, RULE_INTERVALS}, \
	{ports, 0, PORTS_BLOCK / 4, 0, HOPS_MANY, 0, \
		RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SERVED}, \
	{hier, 0, BLOCK_SHORT, 0, 0, 0, RULE_HIERARCHICAL | RULE_SCATTERED}, \
	{hier, 0, BLOCK_SHORT, 0, FEW, 0, RULE_HIERARCHICAL}, \
	{binomial, BLOCK_SHORT, 2 * BLOCK_SHORT, 2, MANY, 0, RULE_LOCAL}, \
	{binomial, BLOCK_SHORT, 2 * BLOCK_SHORT, 2, 2 * PAIRWISE, 0, RULE_INTERVALS}, \
	{binomial, BLOCK_SHORT, 2 * BLOCK_SHORT, 2, MANY, 0, RULE_CYCLIC}, \
	{linear, 0, 0, 0, 0, FEW, 0}, \
	{binomial, 0, BLOCK_SHORT, 2, 0, 0, 0}, \
	{linear, 0, 0, 0, 0, 0, 0}

/* Of each operation the last row can do every call, and the last ordered one too: a search ends. */
static const struct rule *const rules[COLL_KINDS] = {
	/* algorithm, bytes from, below, ranks, least, most, flags */
	[COLL_BARRIER] = ROWS(
		{ALG_BARRIER_HIER, 0, 0, 0, 0, 0, RULE_HIERARCHICAL | RULE_LARGE_HOSTS},
		{ALG_BARRIER_PORTS, 0, 0, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_FEW_MESSAGES},
		{ALG_BARRIER_HIER, 0, 0, 0, 0, 0, RULE_HIERARCHICAL},
		{ALG_BARRIER_DISSEMINATION, 0, 0, 0, 0, 0, 0},
		{ALG_BARRIER_BINOMIAL, 0, 0, 0, 0, 0, 0}),
	[COLL_BCAST] = ROWS(
		{ALG_BCAST_PORTS, 0, PORTS_BCAST, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS},
		{ALG_BCAST_HIER, 0, 2 * PORTS_BCAST, 0, 0, 0,
			RULE_HIERARCHICAL | RULE_WIDE | RULE_REQUEST},
		{ALG_BCAST_PORTS, 0, 2 * PORTS_BCAST, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_WIDE},
		{ALG_BCAST_PORTS, 0, 2 * PORTS_BCAST, 0, HOPS_MANY, 3 * FEW,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS},
		{ALG_BCAST_SCATTER_BRUCK, BCAST_CUT, CYCLIC_LONG, 3, 0, 0,
			RULE_CYCLIC},
		{ALG_BCAST_PARTS, PORTS_BCAST, PARTS_BELOW, 0, HOPS_MANY, 0,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SERVED |
				RULE_FEW_MESSAGES},
		{ALG_BCAST_PARTS, BCAST_CUT, PARTS_BELOW, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SERVED},
		{ALG_BCAST_PARTS, BCAST_CUT, 4 * PARTS_BELOW, 0, PAIRWISE, 0,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SERVED},
		{ALG_BCAST_HIER, HOSTS_CUT, CYCLIC_LONG, 0, 0, 0,
			RULE_HIERARCHICAL | RULE_WIDE | RULE_REQUEST},
		{ALG_BCAST_HIER_CHAIN, PART_CHAIN, 0, 0, 0, 0,
			RULE_HIERARCHICAL | RULE_HOST_PART},
		{ALG_BCAST_HIER_CHAIN, PART_CHAIN_FEW, 0, 0, 0, 4,
			RULE_HIERARCHICAL | RULE_HOST_PART},
		{ALG_BCAST_HIER_BINARY, HOSTS_CUT, 0, 0, 0, 0,
			RULE_HIERARCHICAL},
		{ALG_BCAST_HIER, 0, 0, 0, 0, 0, RULE_HIERARCHICAL},
		{ALG_BCAST_CHAIN, PART_CHAIN, 0, 2, 3, 0, RULE_PART},
		{ALG_BCAST_BINARY, BCAST_CUT, 0, 2, MANY, 0, 0},
		{ALG_BCAST_SCATTER_BRUCK, BCAST_CUT_LOCAL, 0, 3, MANY, 0,
			RULE_LOCAL},
		{ALG_BCAST_BINOMIAL, 0, 0, 0, 0, 0, 0},
		{ALG_BCAST_SCATTER_ALLGATHER, 0, 0, 3, 0, 0, 0}),
	[COLL_GATHER] = ROWS(ROOTED(ALG_GATHER_PORTS, ALG_GATHER_HIER, ALG_GATHER_BINOMIAL,
		ALG_GATHER_LINEAR, BLOCK_SHORT / 32)),
	[COLL_GATHERV] = ROWS({ALG_GATHER_LINEAR, 0, 0, 0, 0, 0, 0}),
	[COLL_SCATTER] = ROWS(ROOTED(ALG_SCATTER_PORTS, ALG_SCATTER_HIER, ALG_SCATTER_BINOMIAL,
		ALG_SCATTER_LINEAR, BLOCK_SHORT / 16)),
	[COLL_SCATTERV] = ROWS({ALG_SCATTER_LINEAR, 0, 0, 0, 0, 0, 0}),
	[COLL_ALLGATHER] = ROWS(
		{ALG_ALLGATHER_LANES, PORTS_BLOCK / 2, 0, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_CYCLIC},
		{ALG_ALLGATHER_PORTS, 0, PORTS_GATHER, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SHORT | RULE_SERVED},
		{ALG_ALLGATHER_BRUCK, 1024, 0, 2, 0, 0, RULE_CYCLIC},
		{ALG_ALLGATHER_RECURSIVE_DOUBLING, 0, 16, 2, 2 * PAIRWISE,
			8 * PAIRWISE, RULE_POWER_OF_TWO | RULE_INTERVALS | RULE_SERVED},
		{ALG_ALLGATHER_HIER, 0, BLOCK_SHORT, 0, 0, 0, RULE_HIERARCHICAL},
		{ALG_ALLGATHER_HIER, 0, 2 * BLOCK_SHORT, 0, MANY, 0, RULE_HIERARCHICAL},
		{ALG_ALLGATHER_HIER, 0, 4 * BLOCK_SHORT, 0, HOPS_MANY, 0,
			RULE_HIERARCHICAL},
		{ALG_ALLGATHER_HIER, 0, 0, 0, 0, 0,
			RULE_HIERARCHICAL | RULE_SCATTERED},
		{ALG_ALLGATHER_RING, 0, 0, 0, MANY, 0, RULE_INTERVALS},
		{ALG_ALLGATHER_RING, BLOCK_BRUCK, 0, 0, 0, FEW_HOSTS, RULE_INTERVALS},
		{ALG_ALLGATHER_RECURSIVE_DOUBLING, 0, BLOCK_RING, 2, 0, 0,
			RULE_POWER_OF_TWO},
		{ALG_ALLGATHER_RING, BLOCK_RING_FEW, 0, 0, 0, FEW_HOSTS, 0},
		{ALG_ALLGATHER_BRUCK, 0, BLOCK_BRUCK, 2, 0, 0, 0},
		{ALG_ALLGATHER_RING, 0, 0, 0, 0, 0, 0}),
	[COLL_ALLGATHERV] = ROWS(
		{ALG_ALLGATHER_HIER, 0, BLOCK_SHORT, 0, 0, 0,
			RULE_HIERARCHICAL | RULE_LONGEST_BLOCK},
		{ALG_ALLGATHER_RING, 0, 0, 0, 0, 0, 0}),
	[COLL_ALLTOALL] = ROWS(
		{ALG_ALLTOALL_PORTS, 0, PORTS_BLOCK, 0, HOPS_MANY, 0,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SHORT | RULE_SERVED},
		{ALG_ALLTOALL_BRUCK, 0, BLOCK_TINY / 2, 2, 0, 0, RULE_LARGE_HOSTS},
		{ALG_ALLTOALL_PORTS, 0, BLOCK_TINY / 2, 0, HOPS_MANY, 0,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SHORT},
		{ALG_ALLTOALL_PORTS, 0, PORTS_BLOCK / 4, 0, FEW, HOPS_MANY,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SHORT},
		{ALG_ALLTOALL_PORTS, 0, PORTS_BLOCK / 4, 0, FEW, 0,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SHORT | RULE_SERVED},
		{ALG_ALLTOALL_HIER, 0, BLOCK_TINY, 0, MANY, LEADERS_MOST,
			RULE_HIERARCHICAL},
		{ALG_ALLTOALL_HIER, 0, 4 * BLOCK_TINY, 0, MANY, HOPS_MANY,
			RULE_HIERARCHICAL},
		{ALG_ALLTOALL_HIER, BLOCK_LEADERS, 4 * BLOCK_LEADERS, 0,
			8 * PAIRWISE, 32 * PAIRWISE, RULE_HIERARCHICAL},
		{ALG_ALLTOALL_PAIRWISE, 4 * BLOCK_TINY, 0, 0, PAIRWISE, 0,
			RULE_INTERVALS},
		{ALG_ALLTOALL_BRUCK, 0, BLOCK_HOPS / 2, 2, FEW, 0, RULE_REMOTE},
		{ALG_ALLTOALL_BRUCK, 0, BLOCK_HOPS, 2, PAIRWISE, 0, RULE_REMOTE},
		{ALG_ALLTOALL_BRUCK, 0, BLOCK_HOPS_LOCAL, 2, HOPS_MANY, 0, 0},
		{ALG_ALLTOALL_PAIRWISE, 0, 0, 0, PAIRWISE, 0, 0},
		{ALG_ALLTOALL_LINEAR, 0, 0, 0, 0, 0, 0}),
	[COLL_ALLTOALLV] = ROWS(
		{ALG_ALLTOALL_PAIRWISE, 0, 0, 0, PAIRWISE, 0, 0},
		{ALG_ALLTOALL_LINEAR, 0, 0, 0, 0, 0, 0}),
	[COLL_ALLTOALLW] = ROWS(
		{ALG_ALLTOALL_PAIRWISE, 0, 0, 0, PAIRWISE, 0, 0},
		{ALG_ALLTOALL_LINEAR, 0, 0, 0, 0, 0, 0}),
	[COLL_REDUCE] = ROWS(
		{ALG_REDUCE_HIER, 0, 2 * PORTS_REDUCE, 0, 0, 0,
			RULE_HIERARCHICAL | RULE_LARGE_HOSTS},
		{ALG_REDUCE_PORTS, 0, PORTS_REDUCE, 0, 0, 32 * PAIRWISE,
			RULE_COMMUTES | RULE_EVEN_HOSTS | RULE_MANY_HOSTS},
		{ALG_REDUCE_PORTS, 0, PORTS_REDUCE / 8, 0, 0, 0,
			RULE_COMMUTES | RULE_EVEN_HOSTS | RULE_MANY_HOSTS},
		{ALG_REDUCE_PARTS, PORTS_REDUCE, PARTS_BELOW, 0, HOPS_MANY,
			64 * PAIRWISE, RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SERVED |
				RULE_FEW_MESSAGES},
		{ALG_REDUCE_PARTS, 4 * PORTS_REDUCE, 4 * PARTS_BELOW, 0,
			PAIRWISE, 64 * PAIRWISE, RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SERVED},
		{ALG_REDUCE_CHAIN, PART_CHAIN_REDUCE, 0, 2, 0, 0,
			RULE_COMMUTES | RULE_PART | RULE_INTERVALS},
		{ALG_REDUCE_LANES, HALVING_LONG, REDUCE_BINARY, 0, 0, 4,
			RULE_EVEN_HOSTS | RULE_LANES | RULE_REQUEST},
		{ALG_REDUCE_RABENSEIFNER, HALVING_LONG, REDUCE_BINARY, 4, 0, 4,
			RULE_PREDEFINED | RULE_INTERVALS},
		{ALG_REDUCE_LANES, LANES_FROM, 0, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_LANES | RULE_LARGE_HOSTS},
		{ALG_REDUCE_HIER, 0, LANE_THIN, 0, 0, 0,
			RULE_HIERARCHICAL | RULE_WIDE | RULE_LANE_PART},
		{ALG_REDUCE_LANES, LANES_FROM, 0, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_LANES | RULE_DIVIDED},
		{ALG_REDUCE_LANES, LANES_LONG, 0, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_LANES},
		{ALG_REDUCE_HIER, 0, 0, 0, 0, 0, RULE_HIERARCHICAL},
		{ALG_REDUCE_ORDERED_GATHER, 0, REDUCE_GATHER, 0, 0, 0,
			RULE_ORDERED},
		{ALG_REDUCE_ORDERED_SCATTER, 0, 0, 0, 0, 0, RULE_ORDERED},
		{ALG_REDUCE_BINARY, HALVING_LONG / 2, REDUCE_BINARY, 2, 3, 3,
			RULE_COMMUTES | RULE_REMOTE},
		{ALG_REDUCE_ORDERED_SCATTER, HALVING_LONG, CYCLIC_LONG, 0, MANY, FEW,
			RULE_REMOTE},
		{ALG_REDUCE_ORDERED_SCATTER, CYCLIC_LONG, 8 * CYCLIC_LONG, 0, PAIRWISE,
			2 * PAIRWISE, RULE_REMOTE},
		{ALG_REDUCE_CHAIN, PART_CHAIN_FEW, 0, 2, 2, FEW_HOSTS,
			RULE_COMMUTES | RULE_PART | RULE_REMOTE},
		{ALG_REDUCE_CHAIN, PART_CHAIN_FEW, 0, 2, 2, 2,
			RULE_COMMUTES | RULE_PART},
		{ALG_REDUCE_CHAIN, PART_CHAIN, 0, 2, 0, 0,
			RULE_COMMUTES | RULE_PART | RULE_REMOTE},
		{ALG_REDUCE_CHAIN, 4 * PART_CHAIN, 0, 2, 0, 0, RULE_COMMUTES | RULE_PART},
		{ALG_REDUCE_RABENSEIFNER, REDUCE_BINARY, 4 * REDUCE_BINARY, 4,
			16 * PAIRWISE, 0, RULE_PREDEFINED},
		{ALG_REDUCE_BINARY, REDUCE_BINARY, 0, 2, MANY, 0,
			RULE_COMMUTES | RULE_REMOTE},
		{ALG_REDUCE_RABENSEIFNER, HALVING_LOCAL, 0, 4, 0, 0,
			RULE_PREDEFINED | RULE_LOCAL},
		{ALG_REDUCE_RABENSEIFNER, HALVING_LONG, 0, 4, 0, 0,
			RULE_PREDEFINED},
		{ALG_REDUCE_BINOMIAL, 0, 0, 0, 0, 0, 0}),
	[COLL_ALLREDUCE] = ROWS(
		{ALG_ALLREDUCE_HIER, 0, 2 * LANES_FROM, 0, 0, 0,
			RULE_HIERARCHICAL | RULE_LARGE_HOSTS},
		{ALG_ALLREDUCE_PORTS, 0, PORTS_SHORT, 0, 0, 8 * PAIRWISE,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SHORT | RULE_FEW_MESSAGES},
		{ALG_ALLREDUCE_PORTS, 0, PORTS_SHORT / 2, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_FEW_MESSAGES},
		{ALG_ALLREDUCE_LANES, LANES_FROM / 2, LANES_FROM, 0,
			12 * PAIRWISE, 16 * PAIRWISE,
			RULE_EVEN_HOSTS | RULE_LANES | RULE_DIVIDED},
		{ALG_ALLREDUCE_PARTS, LANES_FROM / 2, PARTS_BELOW, 0,
			HOPS_MANY, 16 * PAIRWISE, RULE_EVEN_HOSTS | RULE_MANY_HOSTS |
				RULE_SERVED | RULE_FEW_MESSAGES},
		{ALG_ALLREDUCE_PARTS, LANES_FROM, PARTS_BELOW, 0,
			HOPS_MANY, 64 * PAIRWISE, RULE_EVEN_HOSTS | RULE_MANY_HOSTS |
				RULE_SERVED | RULE_FEW_MESSAGES},
		{ALG_ALLREDUCE_PARTS, 4 * LANES_FROM, PARTS_BELOW, 0,
			HOPS_MANY, 64 * PAIRWISE,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SERVED},
		{ALG_ALLREDUCE_PARTS, PARTS_BELOW, 4 * PARTS_BELOW, 0,
			HOPS_MANY, 64 * PAIRWISE, RULE_EVEN_HOSTS | RULE_MANY_HOSTS |
				RULE_SERVED | RULE_PAIRS},
		{ALG_ALLREDUCE_RABENSEIFNER, 8 * PARTS_BELOW, 0, 2, 0, 0,
			RULE_PREDEFINED | RULE_EVEN | RULE_PAIRS},
		{ALG_ALLREDUCE_PARTS, PARTS_BELOW, 4 * PARTS_BELOW, 0,
			8 * PAIRWISE, 64 * PAIRWISE,
			RULE_EVEN_HOSTS | RULE_MANY_HOSTS | RULE_SERVED},
		{ALG_ALLREDUCE_HIER, 0, 4 * LANES_FROM, 0, 4096 * PAIRWISE, 0,
			RULE_HIERARCHICAL},
		{ALG_ALLREDUCE_RABENSEIFNER, HALVING_LONG, 0, 2, 0, FEW,
			RULE_PREDEFINED | RULE_EVEN | RULE_INTERVALS},
		{ALG_ALLREDUCE_LANES, LANES_FROM, 0, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_LANES | RULE_LARGE_HOSTS},
		{ALG_ALLREDUCE_HIER, 0, LANE_THIN, 0, 0, 0,
			RULE_HIERARCHICAL | RULE_WIDE | RULE_LANE_PART},
		{ALG_ALLREDUCE_LANES, LANES_FROM, 0, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_LANES | RULE_DIVIDED},
		{ALG_ALLREDUCE_LANES, LANES_LONG, 0, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_LANES},
		{ALG_ALLREDUCE_HIER, 0, 0, 0, 0, 0, RULE_HIERARCHICAL},
		{ALG_ALLREDUCE_ORDERED_GATHER, 0, ORDERED_SHORT, 0, 0, 0,
			RULE_ORDERED},
		{ALG_ALLREDUCE_ORDERED_SCATTER, 0, 0, 0, 0, 0, RULE_ORDERED},
		{ALG_ALLREDUCE_ORDERED_GATHER, 0, 2 * LANES_FROM, 0, 3, 3, RULE_REMOTE},
		{ALG_ALLREDUCE_ORDERED_SCATTER, HALVING_LONG / 2, CYCLIC_LONG, 0, 3, 3,
			RULE_REMOTE},
		{ALG_ALLREDUCE_ORDERED_SCATTER, HALVING_LONG, CYCLIC_LONG, 0, MANY, FEW,
			RULE_REMOTE},
		{ALG_ALLREDUCE_RABENSEIFNER, HALVING_LOCAL, 0, 2, 0, 0,
			RULE_PREDEFINED | RULE_EVEN | RULE_LOCAL},
		{ALG_ALLREDUCE_RABENSEIFNER, HALVING_LONG, 0, 2, 0, 0,
			RULE_PREDEFINED | RULE_EVEN},
		{ALG_ALLREDUCE_RING, RING_PART, 0, 2, 0, 0, NAMED_COUNT | RULE_PART},
		{ALG_ALLREDUCE_RABENSEIFNER, HALVING_LONG, 0, 2, 0, 0,
			RULE_PREDEFINED},
		{ALG_ALLREDUCE_RECURSIVE_DOUBLING, 0, 0, 0, 0, 0, 0}),
	[COLL_REDUCE_SCATTER_BLOCK] = ROWS(
		{ALG_REDUCE_SCATTER_LANES, BLOCK_HALVED / 2, 0, 0, 0, 4,
			RULE_EVEN_HOSTS | RULE_REQUEST},
		{ALG_REDUCE_SCATTER_PAIRWISE, BLOCK_HALVED / 2, 0, 0, 0, 4,
			RULE_COMMUTES | RULE_INTERVALS},
		{ALG_REDUCE_SCATTER_PAIRWISE, 4 * BLOCK_SHORT, 0, 0, 0, 2,
			RULE_COMMUTES | RULE_LOCAL},
		{ALG_REDUCE_SCATTER_ORDERED, 0, BLOCK_ALL, 0, 3, 3,
			RULE_SHORT | RULE_REMOTE},
		{ALG_REDUCE_SCATTER_ORDERED, BLOCK_HALVED_ODD, BLOCK_ALL, 0, 0,
			4, RULE_SHORT | RULE_INTERVALS},
		{ALG_REDUCE_SCATTER_RECURSIVE_HALVING, BLOCK_LANES,
			BLOCK_ALL / 2, 2, 0, 4, HALVED | RULE_EVEN | RULE_REMOTE},
		{ALG_REDUCE_SCATTER_ORDERED, BLOCK_ALL / 2, BLOCK_ALL, 0, 0, 4,
			RULE_SHORT | RULE_REMOTE},
		{ALG_REDUCE_SCATTER_ORDERED, BLOCK_LANES, BLOCK_ALL, 0, 0, 2,
			RULE_SHORT},
		{ALG_REDUCE_SCATTER_PARTS, 0, BLOCK_LANES, 0, HOPS_MANY, 0,
			RULE_CONTIGUOUS | RULE_EVEN_HOSTS | RULE_MANY_HOSTS |
				RULE_SERVED | RULE_FEW_MESSAGES},
		{ALG_REDUCE_SCATTER_PARTS, 0, 2 * BLOCK_LANES, 0, HOPS_MANY, PAIRWISE,
			RULE_CONTIGUOUS | RULE_EVEN_HOSTS | RULE_MANY_HOSTS |
				RULE_SERVED | RULE_FEW_MESSAGES},
		{ALG_REDUCE_SCATTER_PARTS, 0, BLOCK_LANES, 0, MANY, FEW - 1,
			RULE_CONTIGUOUS | RULE_EVEN_HOSTS | RULE_MANY_HOSTS},
		{ALG_REDUCE_SCATTER_LANES, 0, 0, 0, 0, 0,
			RULE_EVEN_HOSTS | RULE_SCATTERED},
		{ALG_REDUCE_SCATTER_LANES, BLOCK_LANES, 0, 0, 0, 0,
			RULE_EVEN_HOSTS},
		{ALG_REDUCE_SCATTER_LANES, BLOCK_LANES_MANY, 0, 0, FEW, 0,
			RULE_EVEN_HOSTS},
		SCATTERS),
	[COLL_REDUCE_SCATTER] = ROWS(SCATTERS),
	[COLL_SCAN] = ROWS(SCANS),
	[COLL_EXSCAN] = ROWS(SCANS),
	[COLL_NEIGHBOR_ALLGATHER] = ROWS({ALG_NEIGHBOR_LINEAR, 0, 0, 0, 0, 0, 0}),
	[COLL_NEIGHBOR_ALLGATHERV] = ROWS({ALG_NEIGHBOR_LINEAR, 0, 0, 0, 0, 0, 0}),
	[COLL_NEIGHBOR_ALLTOALL] = ROWS({ALG_NEIGHBOR_LINEAR, 0, 0, 0, 0, 0, 0}),
	[COLL_NEIGHBOR_ALLTOALLV] = ROWS({ALG_NEIGHBOR_LINEAR, 0, 0, 0, 0, 0, 0}),
	[COLL_NEIGHBOR_ALLTOALLW] = ROWS({ALG_NEIGHBOR_LINEAR, 0, 0, 0, 0, 0, 0}),
};
/* clang-format on */

/* Names that rows had before. */
static const struct {
	const char *old, *name;
} aliases[] = {
	{"hosts", "hierarchical"},
	{"doubling", "recursive_doubling"},
	{"halving", "recursive_halving"},
	{"halving", "rabenseifner"},
	{"parts", "scatter_allgather"},
	{"spread", "linear"},
	{"gathered", "ordered_gather"},
	{"shared", "ordered_scatter"},
	{"chain", "ordered_chain"},
	{"reduced", "nonoverlapping"},
};

HAFT_HOT_DATA const void *coll_algorithm_forced[COLL_KINDS]; /* struct rule */

/* --- choosing ------------------------------------------------------------------------------- */

/* Does the order of operands not matter for the bits of the result? */
static bool op_exact(const struct op *op, const struct type *type)
{
	if (op->loops == NULL)
		return false;
	switch (type->basic) {
	case BASIC_FLOAT:
	case BASIC_DOUBLE:
	case BASIC_LDOUBLE:
	case BASIC_FLOAT16:
	case BASIC_FLOAT128:
	case BASIC_CFLOAT:
	case BASIC_CDOUBLE:
	case BASIC_CLDOUBLE:
	case BASIC_CFLOAT16:
	case BASIC_CFLOAT128:
	case BASIC_FLOAT_INT:
	case BASIC_DOUBLE_INT:
	case BASIC_LDOUBLE_INT:
	case BASIC_2REAL:
	case BASIC_2DOUBLE: return false;
	}
	return true;
}

static bool args_order_matters(const struct coll_args *k)
{
	return k->op != NULL && !k->inter && !op_exact(k->op, k->rtype) &&
	       coll_shm_possible(k->comm);
}

/* Does the row need hosts whose members are an interval of ranks? */
static bool rule_contiguous(const struct rule *r, const struct coll_args *k)
{
	return (r->flags & RULE_CONTIGUOUS) || (k->op != NULL && !k->op->commute);
}

/* RULE_FLAT; leaders, who are alone on their hosts, are fewer than the communicator's members. */
static bool rule_flat(const struct rule *r, const struct coll_args *k)
{
	if (coll_one_host(k->comm))
		return k->bytes < r->below / LOCAL_PARTS;
	return k->n < k->comm->size || !coll_hier_useful(k->comm, false);
}

/* Can the row do the call? */
static bool rule_able(const struct rule *r, const struct coll_args *k)
{
	if (k->n < r->ranks)
		return false;
	if ((r->flags & RULE_COMMUTES) && !k->op->commute)
		return false;
	if ((r->flags & RULE_PREDEFINED) && k->op->loops == NULL)
		return false;
	if ((r->flags & RULE_HIERARCHICAL) && !coll_hier_useful(k->comm, rule_contiguous(r, k)))
		return false;
	if ((r->flags & RULE_EVEN_HOSTS) && !coll_hier_even(k->comm, rule_contiguous(r, k)))
		return false;
	if ((r->flags & RULE_LANES) && k->rcount < coll_hier_of(k->comm)->largest)
		return false;
	if ((r->flags & RULE_MANY_HOSTS) &&
		(coll_hier_of(k->comm)->nhosts < PORT_HOSTS ||
			coll_hier_of(k->comm)->nhosts > PORT_HOSTS_MOST))
		return false;
	if ((r->flags & RULE_SHORT) && k->bytes >= r->below)
		return false;
	if ((r->flags & RULE_FLAT) && !rule_flat(r, k))
		return false;
	if ((r->flags & RULE_POWER_OF_TWO) && (k->n & (k->n - 1)) != 0)
		return false;
	return !(r->flags & RULE_ELEMENT_PER_RANK) || k->rcount >= k->n;
}

/* The bytes that the limits of a row are of. */
static int64_t rule_bytes(const struct rule *r, const struct coll_args *k)
{
	if (r->flags & RULE_LONGEST_BLOCK)
		return coll_block_longest(k);
	if (r->flags & RULE_HOST_PART)
		return k->bytes / coll_hier_of(k->comm)->nhosts;
	if (r->flags & RULE_LANE_PART)
		return k->bytes / coll_hier_of(k->comm)->largest;
	return r->flags & RULE_PART ? k->bytes / k->n : k->bytes;
}

/* Is the row meant for so many members and hosts? */
static bool rule_suits_members(const struct rule *r, const struct coll_hier *h)
{
	if ((r->flags & RULE_SERVED) && h->largest > h->nhosts)
		return false;
	if ((r->flags & RULE_FEW_MESSAGES) && (h->nhosts - 2) / h->largest >= PORT_MESSAGES)
		return false;
	if ((r->flags & RULE_LARGE_HOSTS) &&
		(h->nhosts > RADIX_MOST || h->largest <= LARGE_HOST * h->nhosts))
		return false;
	if ((r->flags & RULE_WIDE) && h->largest <= WIDE_HOST)
		return false;
	return !(r->flags & RULE_PAIRS) || h->largest <= 2;
}

/* Is the row meant for members on such hosts? */
static bool rule_suits_hosts(const struct rule *r, const struct coll_args *k, bool leaders)
{
	if ((r->flags & (RULE_REMOTE | RULE_LOCAL)) != 0 &&
		coll_one_host(k->comm) != ((r->flags & RULE_LOCAL) != 0))
		return false;
	if ((r->flags & RULE_SCATTERED) && coll_hier_useful(k->comm, true))
		return false;
	if ((r->flags & RULE_CYCLIC) && (leaders || !coll_hier_cyclic(k->comm)))
		return false;
	if ((r->flags & RULE_BY_MEMBERS) && (leaders || !coll_hier_useful(k->comm, false) ||
						    !rule_suits_members(r, coll_hier_of(k->comm))))
		return false;
	if ((r->flags & RULE_DIVIDED) && k->rcount % coll_hier_of(k->comm)->largest != 0)
		return false;
	return !(r->flags & RULE_INTERVALS) || (!leaders && coll_hier_useful(k->comm, true));
}

/* Is the row meant for calls like this? */
static bool rule_suits(const struct rule *r, const struct coll_args *k, bool ordered, bool leaders)
{
	int64_t bytes;

	if (ordered != ((r->flags & RULE_ORDERED) != 0))
		return false;
	if ((r->flags & RULE_REQUEST) && k->blocking)
		return false;
	if (k->n < r->least || (r->most > 0 && k->n > r->most))
		return false;
	if ((r->flags & RULE_EVEN) && (k->n & (k->n - 1)) != 0)
		return false;
	bytes = r->from > 0 || r->below > 0 ? rule_bytes(r, k) : 0;
	if (bytes < r->from || (r->below > 0 && bytes >= r->below))
		return false;
	return rule_suits_hosts(r, k, leaders);
}

coll_algorithm_fn *coll_algorithm_local(const struct coll_args *k)
{
	const struct rule *r = coll_algorithm_forced[k->kind];
	bool ordered;

	if (unlikely(r != NULL) && rule_able(r, k))
		return algorithms[r->algorithm].function;
	ordered = args_order_matters(k);
	r = rules[k->kind];
	while (!rule_able(r, k) || !rule_suits(r, k, ordered, false))
		r++;
	return algorithms[r->algorithm].function;
}

coll_algorithm_fn *coll_algorithm_leaders(const struct coll_args *k)
{
	const struct rule *r = coll_algorithm_forced[k->kind];

	if (r != NULL && !(r->flags & RULE_BY_HOSTS) && rule_able(r, k))
		return algorithms[r->algorithm].function;
	r = rules[k->kind];
	while ((r->flags & RULE_BY_HOSTS) || !rule_able(r, k) || !rule_suits(r, k, false, true))
		r++;
	return algorithms[r->algorithm].function;
}

/* Algorithms between groups; scans and neighborhood calls are not allowed there. */
static coll_algorithm_fn *const inter[COLL_KINDS] = {
	[COLL_BARRIER] = coll_barrier_inter,
	[COLL_BCAST] = coll_bcast_inter,
	[COLL_GATHER] = coll_gather_inter,
	[COLL_GATHERV] = coll_gather_inter,
	[COLL_SCATTER] = coll_scatter_inter,
	[COLL_SCATTERV] = coll_scatter_inter,
	[COLL_ALLGATHER] = coll_alltoall_inter,
	[COLL_ALLGATHERV] = coll_alltoall_inter,
	[COLL_ALLTOALL] = coll_alltoall_inter,
	[COLL_ALLTOALLV] = coll_alltoall_inter,
	[COLL_ALLTOALLW] = coll_alltoall_inter,
	[COLL_REDUCE] = coll_reduce_inter,
	[COLL_ALLREDUCE] = coll_allreduce_inter,
	[COLL_REDUCE_SCATTER_BLOCK] = coll_reduce_scatter_inter,
	[COLL_REDUCE_SCATTER] = coll_reduce_scatter_inter,
};

coll_algorithm_fn *coll_algorithm(const struct coll_args *k)
{
	return k->inter ? inter[k->kind] : coll_algorithm_local(k);
}

/* --- HAFT_COLL_ALGORITHM -------------------------------------------------------------------- */

/* Is a row's name, or an old one of it, these `len' characters? */
static bool rule_is_named(const struct rule *r, const char *word, size_t len)
{
	const char *name = algorithms[r->algorithm].name;

	if (strlen(name) == len && memcmp(name, word, len) == 0)
		return true;
	for (size_t i = 0; i < countof(aliases); i++)
		if (strcmp(aliases[i].name, name) == 0 && strlen(aliases[i].old) == len &&
			memcmp(aliases[i].old, word, len) == 0)
			return true;
	return false;
}

/* The operation whose name, without MPI_, is before the equals sign; COLL_KINDS: there is none. */
static int algorithm_kind(const char *word, size_t len)
{
	const char *equal = memchr(word, '=', len);
	size_t kind_len = equal == NULL ? len : (size_t)(equal - word);

	for (int k = 0; k < COLL_KINDS; k++) {
		const char *name = coll_kind_name((enum coll_kind)k) + strlen("MPI_");

		if (strlen(name) == kind_len && strncasecmp(name, word, kind_len) == 0)
			return k;
	}
	return COLL_KINDS;
}

/* Forces the row of the operation that "allreduce=ring", of `len' characters, names.  False: there
 * is none. */
static bool algorithm_force(int kind, const char *word, size_t len)
{
	const char *equal = memchr(word, '=', len);

	if (equal == NULL || kind == COLL_KINDS)
		return false;
	for (const struct rule *r = rules[kind]; r->algorithm != ALG_NONE; r++)
		if (rule_is_named(r, equal + 1, len - (size_t)(equal + 1 - word))) {
			coll_algorithm_forced[kind] = r;
			return true;
		}
	return false;
}

/* Says what may stand there: the operation's algorithms, each once, or the operations. */
static void algorithm_refuse(int kind, const char *word, size_t len)
{
	fprintf(stderr, "haft: HAFT_COLL_ALGORITHM: %.*s is not understood: ", (int)len, word);
	if (kind == COLL_KINDS) {
		fprintf(stderr, "it is operation=algorithm, with one of these operations:");
		for (int k = 0; k < COLL_KINDS; k++)
			fprintf(stderr, " %s", coll_kind_name((enum coll_kind)k) + strlen("MPI_"));
	} else {
		fprintf(stderr, "the algorithms of %s are", coll_kind_name((enum coll_kind)kind));
		for (const struct rule *r = rules[kind]; r->algorithm != ALG_NONE; r++) {
			const struct rule *first = rules[kind];

			while (first->algorithm != r->algorithm)
				first++;
			if (first == r)
				fprintf(stderr, " %s", algorithms[r->algorithm].name);
		}
	}
	fputc('\n', stderr);
}

HAFT_START void coll_algorithm_open(void)
{
	const char *s = haft_setting_text(SETTING_COLL_ALGORITHM);

	memset(coll_algorithm_forced, 0, sizeof(coll_algorithm_forced));
	while (*s != '\0') {
		size_t len = strcspn(s, ",");
		int kind = algorithm_kind(s, len);

		if (!algorithm_force(kind, s, len) && haft_life.rank == 0)
			algorithm_refuse(kind, s, len);
		s += len;
		s += *s == ',';
	}
}
