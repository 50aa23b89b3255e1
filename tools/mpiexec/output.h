// SPDX-License-Identifier: BSD-3-Clause
/* output.h - the output of all ranks, line by line, to mpiexec's stdout and stderr.
 *
 *   rank 0 stdout --.                                  .--> sink: queue --> stdout
 *   rank 1 stdout --+--> stream: unfinished line ------'
 *   rank 1 stderr -----> stream: unfinished line ---------> sink: queue --> stderr
 *
 *  - Nothing is lost: while a sink's queue is full nobody reads its streams, their pipes fill, and
 *    the ranks wait in write().
 *  - A line reaches the sink whole.  One that is longer than OUT_HOLD takes the floor: only its
 *    stream is read until it ends, or has been quiet for OUT_FLOOR_MS.
 *  - An unfinished line waits for its end, or for the end of all: what ranks print without a
 *    newline comes last, in the order of ranks, and not a byte is added.  On a terminal it waits
 *    OUT_PART_MS (a prompt), and a newline is put if somebody else speaks next; so with labels.
 *  - One stream only and no labels: bytes pass as they come.
 *  - A stream from another host is pushed (out_feed) instead of read: its sender may send so much
 *    as he was given room for, and gets room back for what has left its stream.  */
#ifndef HAFT_TOOLS_MPIEXEC_OUTPUT_H
#define HAFT_TOOLS_MPIEXEC_OUTPUT_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include "libobj/base.h"

#define OUT_HOLD     65536  /* bytes of an unfinished line that are kept; a pipe's capacity */
#define OUT_QUEUE    262144 /* bytes in a sink's queue above which its streams are not read */
#define OUT_PART_MS  150    /* a person does not see this as a delay */
#define OUT_FLOOR_MS 5000   /* a rank that others keep from its CPU is still in its line */
#define OUT_WINDOW   MEAN_OR(512, 65536) /* bytes of a fed stream that may be on their way */
#define OUT_POLLS    4                   /* entries of out_polls */

/* Makes the sinks, for `n' ranks.  `label': lines begin with "[rank] ". */
void out_init(int n, bool label);

/* The stream goes to a file, and with `copy' to the sink as well.  Before out_add or out_expect. */
struct outfile;
void out_file(int rank, int which, struct outfile *file, bool copy);

/* Gives the read end of a pipe of a rank's stdout (which 0) or stderr (which 1). */
void out_add(int rank, int which, int fd);

/* The stream comes by out_feed.  room(arg, rank, which, n): n more bytes of it may be sent; n < 0:
 * nobody will read it any more. */
typedef void out_room_fn(void *arg, int rank, int which, int n);
void out_remote(out_room_fn *room, void *arg);
void out_expect(int rank, int which);

/* What a stream has brought; len 0: its end.  What comes after its end is dropped. */
void out_feed(int rank, int which, const char *v, size_t len, uint64_t now_ns);

/* Fills p[0 .. OUT_POLLS-1] with what to wait for, and carries out what has come.  now_ns is
 * CLOCK_MONOTONIC. */
void out_polls(struct pollfd *p);
void out_work(const struct pollfd *p, uint64_t now_ns);

/* ms until out_work must be called even if nothing comes; -1: never. */
int out_patience(uint64_t now_ns);

bool out_open(void);    /* a stream can still bring something */
bool out_pending(void); /* a sink still has something to write */
bool out_broken(void);  /* nobody reads our stdout or stderr any more */

/* Takes what a rank that has died said last, so that it stands before what we say of its death. */
void out_rest(int rank, uint64_t now_ns);

/* Takes what is in the pipes, and closes all streams; unfinished lines go out. */
void out_cut(uint64_t now_ns);

/* Closes files; to be called once the loop is over.  Returns the exit code that lost output asks
 * for: 0: nothing is lost; 1: it could not be written, which was said; 141: its reader has gone. */
int out_fini(void);

/* Queues one line of mpiexec itself on stderr; say_raw: without its name in front. */
__attribute__((format(printf, 1, 2))) void say(const char *fmt, ...);
void say_raw(const char *line);

#endif
