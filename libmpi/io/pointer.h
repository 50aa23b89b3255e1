// SPDX-License-Identifier: BSD-3-Clause
/* pointer.h - the shared file pointer of a file over hosts: served without rank 0's CPU time.
 *
 *      member on another host                        rank 0's process
 *        pointer_os.c ── datagram {question} ──────> a thread of its own ── fetch-and-add
 *                     <── datagram {was} ──────────                          on the word in
 *        no answer for POINTER_TIMEOUT_NS:                                   struct io_shared
 *        a frame, too ─────────────────────────────> its next call of MPI ──────┘
 *
 * A noncollective access completes whatever other processes do (MPI-5.0 14.4.1).  So a thread of
 * rank 0's process answers while the program computes.  It touches no object of MPI: only the words
 * and the table below.  It is made when the first file over hosts is opened, and sleeps in the
 * kernel until a datagram comes.
 *
 * A datagram may be lost or come twice.  Each member's questions have growing numbers, one at a
 * time; the table keeps the last one's answer.  So a question is asked again until it is answered,
 * in either way, and the pointer moves once.  Each datagram has the file's key, which only its
 * members know. */
#ifndef HAFT_IO_POINTER_H
#define HAFT_IO_POINTER_H

#include "libmpi/io/io.h"

#define POINTER_KEY_LEN 16
#define POINTER_IP_LEN  64

/* Where rank 0 answers, and to whom; it goes to all members at open.  port 0: nowhere. */
struct io_pointer_name {
	char ip[POINTER_IP_LEN];
	uint8_t key[POINTER_KEY_LEN];
	uint16_t port;
	uint8_t pad[6];
};

/* A question of a member: adds n to one of the two words; io_shared_step. */
struct io_pointer_question {
	uint64_t id; /* greater than that of the member's last one; not 0 */
	int64_t n;   /* in an answer: the result of io_shared_step */
	int64_t most;
	int32_t rank; /* of the asker */
	int32_t word; /* which of the two of the shared pointer: shared.h */
};

struct io_pointer_server; /* rank 0's table of a file */
struct io_pointer_client; /* another host's socket of a file */

/* Rank 0: begins to answer questions about f->shared.  NULL: not possible, and members ask by
 * frames. */
struct io_pointer_server *io_pointer_serve(const struct io_file *f, struct io_pointer_name *name);
void io_pointer_serve_end(struct io_pointer_server *s);

/* Answers a question that came by a frame; any thread. */
int64_t io_pointer_answer(struct io_pointer_server *s, const struct io_pointer_question *q);

/* Another host: the way to rank 0.  NULL: no memory, or there is none. */
struct io_pointer_client *io_pointer_client_new(const struct io_pointer_name *name);
void io_pointer_client_free(struct io_pointer_client *c);

/* Sends a question, and looks whether its answer has come, waiting at most `ms'. */
void io_pointer_ask(struct io_pointer_client *c, const struct io_pointer_question *q);
bool io_pointer_answered(
	struct io_pointer_client *c, const struct io_pointer_question *q, int ms, int64_t *was);

#endif
