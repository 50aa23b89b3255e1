// SPDX-License-Identifier: BSD-3-Clause
/* algorithms.h - the algorithms by messages, and which one a call gets (selection.c).
 *
 *      rooted.c               trees: binomial, linear, scatter-allgather
 *      all_to_all.c           dissemination, Bruck, ring, recursive doubling, pairwise, linear
 *      allreduce.c            reductions by recursive doubling, ring, pairwise
 *      recursive_halving.c    reductions by recursive halving (Rabenseifner)
 *      ordered.c              reductions from left to right
 *      hierarchical.c         over several hosts: shared memory within a host, messages between
 *                             by leaders, or (lanes) by all members
 *      hier_blocks.c          hierarchical gathers, scatters and alltoalls; data in parts
 *      port_tree.c            steps of radix 4 between many hosts (multi_port)
 *      pipelined.c            long data in segments along a chain, or a binary tree
 *      inter_algorithms.c     between two groups
 *      neighbor.c             neighborhood collectives
 *
 * An algorithm is a function that writes the schedule of one member.  It never waits, never looks
 * at an error, and has no other result (sched.h). */
#ifndef HAFT_COLL_ALGORITHMS_H
#define HAFT_COLL_ALGORITHMS_H

#include "libmpi/coll/coll_args.h"
#include "libmpi/coll/reduce_op.h"
#include "libmpi/coll/sched.h"
#include "libmpi/core/num.h"

/* Writes the steps of a call. */
typedef void coll_algorithm_fn(struct sched *s, const struct coll_args *k);

/* How many times as many members have heard of one after a step: 2; 4, if the data are short and
 * there are several hosts, or many members on one: a message is under way longer than it takes to
 * send.
 * bytes: of a message, or of a block. */
#define RADIX_MOST 4
int coll_radix(const struct coll_args *k, int64_t bytes);

/* The algorithm for a call; for a call inside the local group; for a call of leaders, of whom no
 * two are on one host. */
coll_algorithm_fn *coll_algorithm(const struct coll_args *k);
coll_algorithm_fn *coll_algorithm_local(const struct coll_args *k);
coll_algorithm_fn *coll_algorithm_leaders(const struct coll_args *k);

/* Reads HAFT_COLL_ALGORITHM.  coll_algorithm_forced is not NULL for operations that it names. */
void coll_algorithm_open(void);
extern const void *coll_algorithm_forced[COLL_KINDS];

coll_algorithm_fn coll_barrier_dissemination, coll_barrier_binomial;
coll_algorithm_fn coll_bcast_binomial, coll_bcast_scatter_allgather, coll_bcast_scatter_bruck;
coll_algorithm_fn coll_bcast_chain, coll_bcast_binary, coll_reduce_chain, coll_reduce_binary;
coll_algorithm_fn coll_bcast_hier_chain, coll_bcast_hier_binary;
coll_algorithm_fn coll_barrier_ports, coll_bcast_ports, coll_reduce_ports, coll_allreduce_ports;
coll_algorithm_fn coll_allgather_ports, coll_alltoall_ports, coll_scan_ports, coll_gather_ports,
	coll_scatter_ports;
coll_algorithm_fn coll_bcast_parts, coll_reduce_parts, coll_allreduce_parts,
	coll_reduce_scatter_parts;
coll_algorithm_fn coll_reduce_lanes, coll_allreduce_lanes, coll_reduce_scatter_lanes,
	coll_scan_lanes, coll_allgather_lanes;
coll_algorithm_fn coll_reduce_binomial;
coll_algorithm_fn coll_gather_binomial, coll_gather_linear, coll_scatter_binomial,
	coll_scatter_linear;
coll_algorithm_fn coll_allgather_bruck, coll_allgather_recursive_doubling, coll_allgather_ring;
coll_algorithm_fn coll_alltoall_bruck, coll_alltoall_pairwise, coll_alltoall_linear;
void coll_allreduce_doubling(struct sched *s, const struct coll_args *k, int radix);
coll_algorithm_fn coll_allreduce_recursive_doubling, coll_allreduce_ring;
coll_algorithm_fn coll_reduce_scatter_pairwise, coll_reduce_scatter_nonoverlapping;
coll_algorithm_fn coll_scan_recursive_doubling;
coll_algorithm_fn coll_reduce_rabenseifner, coll_allreduce_rabenseifner,
	coll_reduce_scatter_recursive_halving;
coll_algorithm_fn coll_reduce_ordered_gather, coll_reduce_ordered_scatter,
	coll_allreduce_ordered_gather, coll_allreduce_ordered_scatter, coll_reduce_scatter_ordered;
coll_algorithm_fn coll_scan_ordered_gather, coll_scan_ordered_chain, coll_scan_ordered_scatter;
coll_algorithm_fn coll_barrier_inter, coll_bcast_inter, coll_gather_inter, coll_scatter_inter,
	coll_alltoall_inter;
coll_algorithm_fn coll_reduce_inter, coll_allreduce_inter, coll_reduce_scatter_inter;
coll_algorithm_fn coll_barrier_hier, coll_bcast_hier, coll_reduce_hier, coll_allreduce_hier,
	coll_scan_hier;
coll_algorithm_fn coll_gather_hier, coll_scatter_hier, coll_allgather_hier, coll_alltoall_hier,
	coll_reduce_scatter_hier;
coll_algorithm_fn coll_neighbor_linear;

#endif
