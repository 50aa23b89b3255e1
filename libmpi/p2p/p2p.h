// SPDX-License-Identifier: BSD-3-Clause
/* p2p_state.h - messages between two ranks: what the life cycle and the collectives may call.
 *
 *   sender                                   receiver
 *   EAGER  ctx tag bytes  ────────────────>  match: into the buffer, or kept until the receive is
 * posted
 *
 *   ASK    ctx tag {bytes, id} ───────────>  match: now, or when the receive is posted
 *          <─────────────────────  CLEAR id
 *          chunks of the pipe  ───────────>  unpacked chunk by chunk
 *
 *   ASK    the same, and where in shared memory it lies (MPI_Alloc_mem)
 *          <─────────────────────  DONE id   read there: one copy                    (claim.h)
 *
 *   WITHDRAW id  ───────────────────────>  a synchronous send is cancelled             (cancel.c)
 *          <───────────────  GONE or KEPT  id
 *
 *          <─────────────────────  PACE      too much has come unasked: everything by ASK (credit.c)
 *
 * Messages up to haft_setting_get(SETTING_EAGER) bytes go eagerly.  Engines of MPI's own calls (p2p_send
 * ...) are in the generated engine.h; bind/ has checked their arguments.
 *
 * One thread at a time.  Everything that waits makes progress for everybody meanwhile. */
#ifndef HAFT_P2P_P2P_H
#define HAFT_P2P_P2P_H

#include "libmpi/core/comm_object.h"
#include "libmpi/core/req.h"
#include "libmpi/core/session_object.h"
#include "libmpi/core/type_object.h"
#include "libmpi/via/via.h"

/* What has happened since p2p_open. */
struct p2p_count {
	uint64_t held;     /* times that a peer was told to keep its messages until asked */
	uint64_t hold;     /* times that we were told */
	int64_t early;     /* bytes kept now of messages that nobody has asked for */
	int64_t early_top; /* the most there were */
};

/* The counters, to be read. */
const struct p2p_count *p2p_counts(void);

/* How many receives wait for a message, and how many messages for a receive, at this moment. */
void p2p_queues(uint32_t *receives, uint32_t *messages);

/* p2p_open gets ready for the peers of via, which is open and has p2p_deliver and p2p_peer_lost.  0 or
 * MPI_ERR_NO_MEM. */
int p2p_open(void);
void p2p_deliver(void *arg, const struct shm_frame *f);

/* Fills in p2p_state's part of a new row of the table of peers. */
struct via_peer;
void p2p_peer_made(struct via_peer *p);

/* A peer has sent what no Haft sends: who knows what else is wrong.  Says so in one line, with its
 * rank and host, and ends the job.  A frame is looked at before anything is changed for it. */
__attribute__((noreturn, cold, format(printf, 2, 3))) void p2p_protocol_error(
	int peer, const char *fmt, ...);
void p2p_peer_lost(int peer, bool left, const char *words);

/* p2p_flush waits until nothing of this process is on its way out any more (freed requests that
 * still send). */
void p2p_flush(void);

/* Waits until the operations of a communicator whose requests were freed are complete. */
void p2p_complete_freed(struct comm *c);

/* For reports of what is left.  A message that has come and nobody has received. */
struct p2p_unreceived {
	uint64_t ctx; /* of the communicator */
	int peer, tag;
	int64_t bytes;
};

/* p2p_unreceived calls fn for each of the user's messages that wait for a receive; they stay. */
void p2p_unreceived(void (*fn)(void *arg, const struct p2p_unreceived *m), void *arg);

/* Bytes of the buffer that is attached to a communicator, NULL: to the process; 0 if it is an
 * automatic one, -1: none is. */
int64_t p2p_buffer_bytes(const struct comm *c);

/* p2p_session_end takes a session's buffer for buffered sends away, when all of it is out. */
void p2p_session_end(struct session *s);

/* Frames about windows: their kind, and who gets them, from inside a poll; set when MPI starts by
 * libmpi/rma, which is above. */
#define P2P_WINDOW 15
extern void (*p2p_window)(const struct shm_frame *f);

/* p2p_progress moves what can be moved, once; returns > 0 if something moved. */
int p2p_progress(void);

/* Reads the settings again that may change while MPI runs (HAFT_EAGER ...): for messages from now
 * on. Under the lock. */
void p2p_tune(void);

/* p2p_progress_poll is p2p_progress for calls that look and come back (MPI_Test, MPI_Iprobe ...): after some
 * that have moved nothing it gives up the CPU, if there are more ranks than CPUs. */
void p2p_progress_poll(void);

/* p2p_progress_hook adds a function that p2p_progress calls as well (collectives under way); returns > 0 if
 * it moved something.  Twice is once. */
#define P2P_HOOKS_MAX 6 /* collectives, communicators, three of windows; one more is nothing */
void p2p_progress_hook(int (*pass)(void));

/* Waits for one request, on the stack or with a handle; frees nothing. */
void p2p_wait_done(struct req *r);

/* Fills in what a sleeping rank says besides what it waits for: the MPI function, the communicator
 * (NULL: none), and the messages that nobody has asked for. */
void p2p_wait_report(const struct comm *c, struct shm_what *what);

/* Requests of other engines.  p2p_req_new: one that holds c; NULL: no memory.  p2p_req_done: its
 * operation is over, res and errwords are set; r may be gone afterwards. */
struct req *p2p_req_new(struct comm *c, const struct req_ops *ops);
void p2p_req_done(struct req *r);

/* Its operation has failed: the error and its words (haft_err) are what completes it will say. */
void p2p_req_fail(struct req *r, int err);

/* A message of a collective call (kind: REQ_SEND, REQ_RECV) on the plane CTX_COLL, to or from a
 * peer, of either group, is started: *r is the caller's memory and must stay until p2p_coll_wait
 * has returned, which returns the first error of the n, with words (haft_err). */
void p2p_coll_start(struct comm *c, int kind, const void *buf, int64_t count, struct type *type,
	int peer, int tag, struct req *r);
int p2p_coll_wait(struct req *reqs, int n);

/* What a member sends in place of a message that it cannot make: the receive it meets fails with
 * this class, and these words. */
struct p2p_error_msg {
	int32_t err;
	int32_t missed; /* haft_peer_lost_rank of who says so */
	char words[120];
};

/* Somebody has said so: notes whom it has missed, and returns the class, with the words. */
int p2p_error_take(const struct p2p_error_msg *sorry);

/* p2p_coll_start of a send that says so, to another process.  *sorry stays until it is over. */
void p2p_coll_send_error(
	struct comm *c, const struct p2p_error_msg *sorry, int peer, int tag, struct req *r);

/* The same for bytes, on any plane.  rank is one of the communicator's, not MPI_PROC_NULL; send and
 * recv wait. */
int p2p_plane_send(
	struct comm *c, enum ctx_plane plane, const void *buf, int64_t bytes, int rank, int tag);
int p2p_plane_recv(
	struct comm *c, enum ctx_plane plane, void *buf, int64_t bytes, int rank, int tag);
void p2p_plane_isend(struct comm *c, enum ctx_plane plane, const void *buf, int64_t bytes, int rank,
	int tag, struct req *r);
void p2p_plane_irecv(struct comm *c, enum ctx_plane plane, void *buf, int64_t bytes, int rank,
	int tag, struct req *r);

#endif
