// SPDX-License-Identifier: BSD-3-Clause
/* hosts.h - the members of a file by host, and the steps of those of one host before messages go
 * to other hosts.
 *
 *      host A   rank 0 ─┐ pack      image of block a          carrier of a on A
 *               rank 1 ─┼────────>  |..aa.bb..aacc..| ──merged runs──┐
 *               rank 2 ─┘ and mark  |..11.11..1111..|                ├──> aggregator a
 *      host B   rank 3 ─┬────────>  another image     ──merged runs──┘
 *               ...
 *
 * Each host has an image of each aggregator's block, in memory that its members share.  The
 * members take turns as its owner, the *carrier*: it lists the runs that are marked, merged, and
 * is for the aggregator the only member of its host.  So bytes that several members read come from
 * the disk and over the network once for a host.
 *
 * A host of one member, or one that has no shared memory, has no image: its members send
 * themselves. */
#ifndef HAFT_IO_HOSTS_H
#define HAFT_IO_HOSTS_H

#include "libmpi/io/collective.h"

struct io_hosts {
	int n;        /* hosts */
	int least;    /* members of the host that has the fewest */
	int *host;    /* [size] of each rank: 0, 1 ... in the order of their lowest ranks */
	int *first;   /* [n + 1] where a host's members begin in `member' */
	int *member;  /* [size] ranks, host by host, ascending */
	bool *merges; /* [n] in the access under way: does the host have images? */
	int mine;     /* this member's host */
};

/* How many members host h has. */
static inline int io_hosts_members(const struct io_hosts *t, int h)
{
	return t->first[h + 1] - t->first[h];
}

/* Makes f->hosts of a file over hosts, at open.  lowest_of gives the lowest rank on the host of a
 * rank, equally on all members.  0, or MPI_ERR_NO_MEM with words. */
int io_hosts_new(struct io_file *f, int (*lowest_of)(const void *arg, int rank), const void *arg);
void io_hosts_free(struct io_file *f);

/* How many aggregators a file has, and the rank of one of them if it is over hosts; equal on all
 * members.  By default one a host, or a few members of the only host; with striping_factor so many
 * that each has stripes of its own. */
int io_hosts_aggregators(const struct io_file *f);
int io_hosts_aggregator(const struct io_file *f, int naggregators, int a);

/* How many aggregators of at most `most' on some hosts: a number that divides that of the stripes
 * has stripes of its own each, because blocks go round-robin. */
int io_hosts_for_stripes(int64_t stripes, int most, int hosts);

/* The length of a block, at most `room': whole stripes; with striping_factor so many that all
 * blocks of an aggregator have the same stripes. */
int64_t io_hosts_cb_block(const struct io_file *f, int naggregators, int64_t room);

/* Bytes of the largest block of which an image has room; 0: no host merges. */
int64_t io_hosts_image_room(const struct io_file *f, int naggregators);

/* Makes this member's images, if it can; and says in its descriptor where they are. */
void io_hosts_image_new(struct io_collective *c);
void io_hosts_describe(struct io_collective *c);

/* Sets `merges' of all hosts from the descriptors. */
void io_hosts_choose(struct io_collective *c);

/* The place of aggregator a in the order in which host h deals images to its members.  Host h
 * begins with aggregator h, so that by default an aggregator carries its own images. */
int io_hosts_ordinal(const struct io_collective *c, int h, int a);

/* The carrier of aggregator a on host h; whether a member of h has data in a block. */
int io_hosts_carrier(const struct io_collective *c, int h, int a);
bool io_hosts_has_data(const struct io_collective *c, int h, const struct io_cb_block *w);

/* Has rank r data in the access under way?  Then it takes part in each use of its host's images,
 * also where it has no byte: so no member fills an image that another one still needs. */
bool io_hosts_shares(const struct io_collective *c, int r);

/* Does rank r send to aggregator a, whose block is w? */
bool io_hosts_sends(const struct io_collective *c, int r, int a, const struct io_cb_block *w);

/* Does this member take part in the use of its host's image of block w? */
bool io_hosts_packs(const struct io_collective *c, const struct io_cb_block *w);

/* A member: marks its part [*at, *end) of the view in the image, and packs it if it writes; takes
 * the bytes read of the block, up to `end'. */
void io_hosts_pack(struct io_collective *c, int a, int64_t *at, int64_t *end);
void io_hosts_take(struct io_collective *c, int a, int64_t at, int64_t end);

/* A carrier: the image's bytes; calls fn for each merged run, in order, until it is false, and
 * clears the marks. */
char *io_hosts_image(const struct io_collective *c, int a);
bool io_hosts_runs(
	struct io_collective *c, int a, bool (*fn)(void *arg, int64_t off, int64_t len), void *arg);

#endif
