// SPDX-License-Identifier: BSD-3-Clause
/* p2p.h - messages between two ranks: the interface for other engines.
 *
 * protocol.h has the frames, README.md the reading order.  Engines of MPI's own calls (p2p_send
 * ...) are in the generated engine.h; bind/ has checked their arguments.
 *
 * One thread at a time is inside.  Every blocking call makes progress for all outstanding
 * operations of the process, and gives the library's lock up while it idles. */
#ifndef HAFT_P2P_P2P_H
#define HAFT_P2P_P2P_H

#include "libmpi/core/comm_object.h"
#include "libmpi/core/req.h"
#include "libmpi/core/session_object.h"
#include "libmpi/core/type_object.h"
#include "libmpi/p2p/frame_kind.h"
#include "libmpi/via/via.h"

/* Events since p2p_open, and bytes. */
struct p2p_count {
	uint64_t stops_sent;      /* times that a peer lost its credit for eager messages here */
	uint64_t stops_received;  /* times that this process lost its credit at a peer */
	int64_t unexpected_bytes; /* of eager messages that have no receive, now */
	int64_t unexpected_peak;  /* the most there were since p2p_unexpected_restart */
};

/* The counters, to be read. */
const struct p2p_count *p2p_counts(void);

/* Begins the peak of unexpected bytes again, at the present level.  Any thread, and signal
 * handlers. */
void p2p_unexpected_restart(void);

/* The lengths of the posted and of the unexpected queue.  Any thread, and signal handlers. */
void p2p_queues(uint32_t *receives, uint32_t *messages);

/* Messages of communicators with COMM_METERED are counted from now on (core/traffic.h). */
void p2p_messages_watch(void);

/* Gets ready for the peers of via, which is open and has p2p_deliver and p2p_peer_lost.  0, or
 * MPI_ERR_NO_MEM with words. */
int p2p_open(void);
void p2p_deliver(void *arg, const struct shm_frame *f);

/* Fills in p2p's part of a new row of via's table of peers. */
struct via_peer;
void p2p_peer_made(struct via_peer *p);

/* A remote peer is gone: all operations with it fail.  left: it has ended MPI in good order. */
void p2p_peer_lost(int peer, bool left, const char *words);

/* As p2p_peer_lost for a local peer that has left and whose seat is another's now.  True: nothing
 * is left of it, and its row may go. */
bool p2p_peer_ended(int peer, const char *words);

/* --- processes that fail, and revoked communicators ---------------------------------------- */

/* From now on failures are survived (HAFT_FT): operations with a failed process raise
 * MPIX_ERR_PROC_FAILED. */
void p2p_failures_survive(void);

/* A process has died: takes its last messages, then fails its waiters.  Any number of times.
 * Not from a handler of frames. */
void p2p_peer_died(int peer, const char *words);

/* As p2p_peer_died.  If a connection to it is open, its messages are taken until that ends,
 * which it does within 100 ms. */
void p2p_peer_dies(int peer, const char *words);

/* A frame says that a process has died, of which there is no notice yet: p2p_peer_died in the next
 * pass. */
void p2p_peer_suspect(int peer);

/* The kernel says that a process of this host, a member of c, is no more, of which there may be no
 * notice yet: the error of an operation with it.  As p2p_peer_suspect where failures are
 * survived. */
int p2p_peer_vanished(int peer, const struct comm *c);

/* A process has ended, in good order: as p2p_peer_died.  A remote one where failures are survived,
 * and a while later, unless its connection says so: an agreement may wait for it. */
void p2p_peer_left(int peer, const char *words);

/* A process that was spawned has ended before MPI_Init: operations with it raise MPI_ERR_SPAWN.  As
 * p2p_peer_died. */
void p2p_peer_spawn_failed(int peer, const char *words);

/* Adds a function that is called when a process has failed where that is survived, and when a
 * communicator is revoked: windows, files.  Adding it twice is adding it once. */
void p2p_broken_hook(void (*check)(void));

/* Functions of higher folders about peers and waits; NULL: none. */
extern struct p2p_hooks {
	/* ft: a peer is lost, or has left MPI */
	void (*lost)(int peer, bool left);
	/* ft: a peer is lost; or a connection has broken where failures are survived, or another
	 * peer tells of a failure: replaces the words (of n bytes) by better ones if it has some */
	void (*lost_words)(int peer, char *words, size_t n);
	/* ft: a peer is lost: true if it has ended before MPI_Init, with the words for it; may
	 * wait for some ms */
	bool (*spawn_failed)(int peer, char *words, size_t n);
	/* ft: has a process died, as the launcher has told?  Nothing is done about it, so
	 * that a loop that holds or awaits anything may ask. */
	bool (*dead)(int peer);
	/* coll: a wait of this process, or a loop of its calls that look and come back, has become
	 * long.  awaited: the receive that it is for, if no message has matched it; or NULL.  May
	 * fail the messages of a communicator (p2p_comm_revoke), also those that are waited for.
	 * Under the library's lock. */
	void (*long_wait)(const struct req *awaited);
} p2p_hooks;

/* The processes that have failed, as far as is known here: their number, and the i-th, in the order
 * of notice.  p2p_peer_gone: has a process failed, or left MPI? */
uint32_t p2p_failed_count(void);
int p2p_failed_at(uint32_t i);
bool p2p_peer_gone(int peer);

/* 0; or MPIX_ERR_REVOKED or MPIX_ERR_PROC_FAILED with words: the communicator is revoked, or a
 * member of it has failed. */
int p2p_comm_error(const struct comm *c);

/* Is it revoked, or has a member failed where failures are survived?  Then no collective call on it
 * waits, and p2p_comm_error says why. */
bool p2p_comm_broken(const struct comm *c);

/* Is a message with this context id, of a communicator, one of a collective call? */
static inline bool p2p_is_collective(uint64_t ctx, const struct comm *c)
{
	uint64_t plane = ctx % CTX_PLANES;

	return plane == CTX_COLL || plane == CTX_MAKE || (c->hints & COMM_COLLECTIVE) != 0;
}

/* The first member, of either group, that has failed, or -1. */
int p2p_comm_failed(const struct comm *c);

/* Is the peer a member, of either group? */
bool p2p_comm_has(const struct comm *c, int peer);

/* A member that has failed and is not acknowledged (comm.acked), or -1. */
int p2p_comm_unacked(const struct comm *c);

/* c->acked has grown: receives from any source go on that would raise for these failures. */
void p2p_comm_acked(const struct comm *c);

/* The communicator with this context id of an incomplete operation, or NULL: also a freed one. */
struct comm *p2p_comm_waiting(uint64_t ctx);

/* Revokes a communicator here: unmatched operations on it fail. */
void p2p_comm_revoke(struct comm *c);

/* A process has failed, where failures are survived: the messages of collective calls of its
 * communicators that wait fail.  Elsewhere nothing.  For p2p_hooks.lost. */
void p2p_collectives_lost(int peer);

/* Sends one frame of FRAME_FT to any process; data are copied.  Without memory the job ends. */
void p2p_ft_send(int peer, uint64_t ctx, int32_t tag, const void *data, int64_t n);

/* Connects to a remote peer by a frame that says nothing new.  So the end of a peer that no
 * launcher watches is noticed, also by a process that never sends to it. */
void p2p_peer_greet(int peer);

/* A handler of frames.  It runs inside a poll, must not poll, and looks at a frame before it
 * changes anything for it.  The payload is gone when it returns. */
typedef void p2p_handler(const struct shm_frame *f);

enum p2p_from {
	P2P_FROM_ANY, /* the handler gets frames of peers that are gone, too */
	P2P_FROM_LIVE /* those are dropped: their operation has failed */
};

/* Gives frames of a kind to a handler from now on. */
void p2p_deliver_register(enum p2p_frame_kind kind, p2p_handler *handle, enum p2p_from from);

/* A peer has sent a frame that no Haft sends.  Says so in one line, with its rank and host, and
 * ends the job. */
__attribute__((noreturn, cold, format(printf, 2, 3))) void p2p_protocol_error(
	int peer, const char *fmt, ...);

/* Waits until no frame of this process waits to be sent: freed requests may still send. */
void p2p_flush(void);

/* Tells a process of another universe that the group in which it is has been aborted. */
void p2p_abort_send(int peer, int code, const char *words);

/* As p2p_flush, for at most so many milliseconds. */
void p2p_flush_for(int ms);

/* Waits until the operations of a communicator whose requests were freed are complete. */
void p2p_complete_freed(struct comm *c);

/* Waits until the rendezvous messages to processes outside of first .. first + n - 1 are received.
 * over: has the process ended?  Then nothing more is waited for from it.  No alias is asked about:
 * its connection tells. */
void p2p_complete_other_jobs(int first, int n, bool (*over)(int peer));

/* A message that has come and that no receive has matched, for reports. */
struct p2p_unreceived {
	uint64_t ctx; /* of the communicator */
	int peer, tag;
	int64_t bytes;
};

/* Calls fn for each of the user's messages that have no receive; they stay. */
void p2p_unreceived(void (*fn)(void *arg, const struct p2p_unreceived *m), void *arg);

/* Bytes of the buffer that is attached to a communicator, NULL: to the process; 0 if it is an
 * automatic one, -1: none is. */
int64_t p2p_buffer_bytes(const struct comm *c);

/* Detaches a session's buffer for buffered sends, when all of its messages are sent. */
void p2p_session_end(struct session *s);

/* Moves what can be moved, once; returns > 0 if something moved. */
int p2p_progress(void);

/* Reads the settings again that may change while MPI runs (HAFT_EAGER ...): for messages from now
 * on. Under the lock. */
void p2p_tune(void);

/* As p2p_progress, by the helper of HAFT_PROGRESS=thread; -1: a thread of the program waits, and
 * makes progress itself. */
int p2p_progress_help(void);

/* The helper is there, or has gone: haft_helper.  Receives that need one are not made in line. */
void p2p_helper_tell(void);

/* A request of the program has begun.  If it is not over at once, and cannot end without progress
 * here, the helper of HAFT_PROGRESS=thread serves until it has ended. */
void p2p_help(struct req *r);

/* A short message asks for an answer: a synchronous one, or the sender has no credit.  The helper
 * serves the next short receives.  After 1,000 of which none was synchronous, it serves no more of
 * them. */
void p2p_help_short(void);

static inline void p2p_req_begun(struct req *r)
{
	if (unlikely(haft_helper) && r != NULL && !r->done)
		p2p_help(r);
}

/* As p2p_progress, for calls that look and come back (MPI_Test, MPI_Iprobe ...).  After some that
 * have moved nothing it gives up the CPU, if there are more ranks than CPUs. */
void p2p_progress_poll(void);

/* Adds a function that p2p_progress calls as well; it returns > 0 if it moved something.  Adding it
 * twice is adding it once. */
void p2p_progress_hook(int (*pass)(void));

/* For work that ends by a change of a word, by another thread of this process without the library's
 * lock, or by another process.  Its progress hook calls p2p_progress_watch in each pass that leaves
 * work: a sleep does not begin once *word differs from `seen'; of two calls for a word in one pass
 * the second counts.  With over 8 words, sleeps are short naps.  A thread that has changed the word
 * calls p2p_progress_wake, which ends a sleep; a process calls shm_wake. */
void p2p_progress_watch(const _Atomic uint64_t *word, uint64_t seen);
void p2p_progress_wake(void);

/* As a pass of progress, for a thread that must not call functions of the program's: of the hooks
 * only this one is run (NULL: none).  It may run in two threads at once.  Under the library's lock.
 * Returns how much has moved. */
int p2p_progress_beside(int (*hook)(void));

/* The condition that a call waits for. */
struct p2p_condition {
	bool (*ready)(void *arg); /* asked under the lock by any thread, often; changes nothing but
				     the object of arg */
	void *arg;
	const struct shm_describer *describer; /* NULL, or for the wait report */
	struct shm_flag *flag;  /* NULL, or: a change of it ends a sleep, as frames do */
	const uint32_t *nap_ns; /* NULL, or: no sleep is longer, if not 0; ready may change it */
	const struct req *req;  /* NULL, or a request whose peer is looked at first */
	bool several;           /* others are waited for after it */
};

/* Makes progress until want->ready(want->arg): polls, then yields, then sleeps.  The lock is given
 * up meanwhile: other threads may enter MPI. */
void p2p_progress_until(const struct p2p_condition *want);

/* Waits for one request, on the stack or with a handle; frees nothing. */
void p2p_wait_done(struct req *r);

/* Fills in the part of a wait report that all waits but those for requests have: the kind, one open
 * operation without peer, tag and bytes, the MPI function, the communicator (NULL: none), and the
 * unexpected messages. */
struct boot_wait; /* libmpi/boot/waitrec.h */
void p2p_wait_report(int kind, const struct comm *c, struct boot_wait *what);

/* --- requests of other engines -------------------------------------------------------------- */

/* A request that holds c; NULL: no memory. */
struct req *p2p_req_new(struct comm *c, const struct req_ops *ops);

/* No result of r is wanted any more.  r is given away. */
void p2p_req_abandon(struct req *r);

/* Its operation is over, and its result is set.  r may be gone afterwards. */
void p2p_req_done(struct req *r);

/* Its operation has failed: err and its words (haft_err) are its result. */
void p2p_req_fail(struct req *r, int err);

/* Returns `class' with the words of the error that the request has ended with. */
int p2p_req_error(const struct req *r, int class);

/* --- messages of collectives and of constructors of communicators --------------------------- */

/* Starts a message of a collective call (kind: REQ_SEND, REQ_RECV) on the plane CTX_COLL, to or
 * from a peer, of either group. *r is the caller's memory and must stay until p2p_coll_wait has
 * returned. */
void p2p_coll_start(struct comm *c, int kind, const void *buf, int64_t count, struct type *type,
	int peer, int tag, struct req *r);

/* Waits for all n; returns the first error, with words (haft_err). */
int p2p_coll_wait(struct req *reqs, int n);

/* Sent in place of a message of the library that a member cannot make: the receive that it matches
 * fails with this class, and these words. */
struct p2p_error_msg {
	int32_t err;
	int32_t missed; /* haft_peer_lost_rank of the sender */
	char words[120];
};

/* A peer has sent it: notes the peer that it has missed, and returns the class, with the words. */
int p2p_error_take(const struct p2p_error_msg *msg);

/* This error of the communicator, whose words are the latest, as a peer is told of it. */
struct p2p_error_msg p2p_error_of(const struct comm *c, int err);

/* As p2p_coll_start of a send, to another process.  *msg stays until it is over. */
void p2p_coll_send_error(
	struct comm *c, const struct p2p_error_msg *msg, int peer, int tag, struct req *r);

/* Bytes on any plane, to or from a rank of the communicator, not MPI_PROC_NULL; these wait.  A
 * receive may be from MPI_ANY_SOURCE, and a message shorter than its room.  0 or an error class
 * with words. */
int p2p_plane_send(
	struct comm *c, enum ctx_plane plane, const void *buf, int64_t bytes, int rank, int tag);
int p2p_plane_recv(
	struct comm *c, enum ctx_plane plane, void *buf, int64_t bytes, int rank, int tag);

/* In place of a p2p_plane_send that cannot be made: the receive fails with this class and words.
 * Does not wait. */
void p2p_plane_send_error(struct comm *c, enum ctx_plane plane, int err, int rank, int tag);

/* Likewise, but they start a request, as p2p_coll_start does. */
void p2p_plane_isend(struct comm *c, enum ctx_plane plane, const void *buf, int64_t bytes, int rank,
	int tag, struct req *r);
void p2p_plane_irecv(struct comm *c, enum ctx_plane plane, void *buf, int64_t bytes, int rank,
	int tag, struct req *r);

#endif
