// SPDX-License-Identifier: BSD-3-Clause
/* output.h - forwards the output of all ranks, line by line, to stdout and stderr of mpiexec.
 *
 *   rank 0 stdout --.                                  .--> sink: queue --> stdout
 *   rank 1 stdout --+--> stream: unfinished line ------'
 *   rank 1 stderr -----> stream: unfinished line ---------> sink: queue --> stderr
 *
 *  - A sink (PRRTE's word for it) is stdout or stderr of mpiexec.
 *  - Flow control: while the queue of a sink is full, its streams are not read.  Their pipes fill,
 *    and the ranks block in write().  Nothing is lost, and memory is bounded.
 *  - A line reaches the sink whole.  The stream of a line longer than OUT_PART_MAX becomes the only
 *    speaker: other streams wait until the line ends, or no byte has come for OUT_SPEAKER_MS.
 *  - An unfinished line waits for its newline, or for the end of all streams; then unfinished lines
 *    are written in the order of ranks, without added bytes.  On a terminal it waits OUT_PART_MS (a
 *    prompt), and a newline is added if another stream follows; the same applies with labels.
 *  - With one rank and no labels, bytes pass unchanged.
 *  - Streams of other hosts are pushed by out_push.  The sender has credit for a number of bytes,
 *    and gets credit back for bytes that have left its stream. */
#ifndef HAFT_TOOLS_MPIEXEC_OUTPUT_H
#define HAFT_TOOLS_MPIEXEC_OUTPUT_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include "libobj/base.h"

#define OUT_PART_MAX   65536  /* bytes of an unfinished line that wait; a pipe's capacity */
#define OUT_QUEUE      262144 /* bytes in a sink's queue at which its streams are no longer read */
#define OUT_PART_MS    150    /* not noticed as a delay */
#define OUT_SPEAKER_MS 5000   /* a rank may be kept from its CPU for so long within a line */
#define OUT_WINDOW     MEAN_OR(512, 65536) /* credit of a stream from another host, bytes */
#define OUT_POLLS      4                   /* poll entries of out_polls */

#define OUT_LABEL 160                          /* bytes of a label, with the final 0 */
#define OUT_TIME  "2026-11-24 13:34:05.123456" /* as long as the time in a label */

/* Creates the sinks.  `label': lines begin with labels.  `merge': stderr of the ranks goes to
 * stdout. */
void out_init(bool label, bool merge);

/* Makes room for n entries (each has a stdout and a stderr).  With one entry and no labels bytes
 * pass unchanged. */
void out_grow(int n);

/* The label of a stream, "[3] ", in which PATTERN_TIME (pattern.h) stands for the time. */
void out_label(int rank, int which, const char *label);

/* True while a stream of the entry is open; out_cut_rank: reads the rest of its pipes and closes
 * them.  out_forget: after that, the entry is for another process. */
bool out_stream_open(int rank);
void out_cut_rank(int rank, uint64_t now_ns);
void out_forget(int rank);

/* Sends a stream to a file and, with `copy', to the sink as well.  Call before out_add or
 * out_expect. */
struct outfile;
void out_file(int rank, int which, struct outfile *file, bool copy);

/* Adds the read end of a pipe of a rank's stdout (which 0) or stderr (which 1). */
void out_add(int rank, int which, int fd);

/* out_expect: the stream comes by out_push.  credit(arg, rank, which, n) returns credit for n
 * bytes; n < 0: the stream is no longer read. */
typedef void out_credit_fn(void *arg, int rank, int which, int n);
void out_remote(out_credit_fn *credit, void *arg);
void out_expect(int rank, int which);

/* Bytes of a stream; len 0: its end.  Later bytes are dropped. */
void out_push(int rank, int which, const char *v, size_t len, uint64_t now_ns);

/* out_polls fills p[0 .. OUT_POLLS-1]; out_work processes the events.  now_ns: CLOCK_MONOTONIC. */
void out_polls(struct pollfd *p);
void out_work(const struct pollfd *p, uint64_t now_ns);

/* ms until the next out_work is due; -1: no deadline. */
int out_timeout(uint64_t now_ns);

bool out_open(void);    /* a stream is still open */
bool out_pending(void); /* a sink has queued bytes */
bool out_broken(void);  /* stdout or stderr of mpiexec cannot be written */

/* Reads the last output of a dead rank, so that it precedes the report of the death. */
void out_rest(int rank, uint64_t now_ns);

/* Reads the rest of the pipes, closes all streams and writes unfinished lines. */
void out_cut(uint64_t now_ns);

/* `clear' is called before anything is written to a terminal: it takes away what -top has drawn. */
void out_before_write(void (*clear)(void));

/* Closes files; call it after the main loop.  Returns the exit code for lost output: 0: none is
 * lost; 1: a write failed, which was reported; 141: the reader has closed the pipe. */
int out_fini(void);

/* Queues a line "mpiexec: ..." on stderr; out_say_raw: without the prefix.  A proxy has no queue:
 * there out_say writes the words to stderr at once, and mpiexec puts "mpiexec: host a: " before. */
__attribute__((format(printf, 1, 2))) void out_say(const char *fmt, ...);
void out_say_raw(const char *line);

#endif
