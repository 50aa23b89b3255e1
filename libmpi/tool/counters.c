// SPDX-License-Identifier: BSD-3-Clause
/* counters.c - the table of performance variables: names, sources, meanings.
 *
 * Engines count by plain increments; this table says where their counters are.  Messages by
 * communicator, calls and waits are counted for the tools interface, while it has handles for them.
 * So a program that does not use it pays nothing.
 *
 * Classes (MPI-5.0 15.3.7.1): a number of events is a COUNTER, a number of bytes an AGGREGATE, a
 * time a TIMER. */
#include "libmpi/io/stats.h"
#include "libmpi/core/process_state.h"
#include "libmpi/p2p/p2p.h"
#include "libmpi/prof/prof.h"
#include "libmpi/tool/tool.h"
#include "libmpi/type/type.h"
#include "libmpi/via/via.h"
#include <string.h>

enum tool_source {
	OF_P2P,
	OF_QUEUES,
	OF_SHM,
	OF_NET,
	OF_OFI,
	OF_VIA,
	OF_OBJECTS,
	OF_FILES,
	OF_TRAFFIC,
	OF_HEAP,
	OF_CALL,
	OF_WAITS
};

/* The results of p2p_queues. */
struct queues {
	uint32_t receives, messages;
};

#define COUNTER MPI_T_PVAR_CLASS_COUNTER
#define SUM     MPI_T_PVAR_CLASS_AGGREGATE
#define TIMER   MPI_T_PVAR_CLASS_TIMER
#define LEVEL   MPI_T_PVAR_CLASS_LEVEL
#define SIZE    MPI_T_PVAR_CLASS_SIZE
#define TOP     MPI_T_PVAR_CLASS_HIGHWATERMARK

#define P2P(name, class, field, meaning)                                                     \
	{                                                                                    \
		name, class, TOOL_MESSAGES, OF_P2P, offsetof(struct p2p_count, field), NULL, \
			meaning                                                              \
	}
#define QUEUE(name, field, meaning)                                                          \
	{                                                                                    \
		name, LEVEL, TOOL_MESSAGES, OF_QUEUES, offsetof(struct queues, field), NULL, \
			meaning                                                              \
	}
#define SHM(field, meaning)                                                                        \
	{                                                                                          \
		"shm_" #field, COUNTER, TOOL_TRANSPORT, OF_SHM, offsetof(struct shm_count, field), \
			NULL, meaning                                                              \
	}
#define NET(class, field, meaning)                                                               \
	{                                                                                        \
		"net_" #field, class, TOOL_TRANSPORT, OF_NET, offsetof(struct net_count, field), \
			NULL, meaning                                                            \
	}
#define OFI(class, field, meaning)                                           \
	{                                                                    \
		"ofi_" #field, class, TOOL_TRANSPORT, OF_OFI,                \
			offsetof(struct via_ofi_count, field), NULL, meaning \
	}
#define VIA(name, field, meaning)                                                              \
	{                                                                                      \
		name, SIZE, TOOL_TRANSPORT, OF_VIA, offsetof(struct via, field), NULL, meaning \
	}
#define FILES(class, name, field, meaning)                                                    \
	{                                                                                     \
		"file_" name, class, TOOL_FILES, OF_FILES, offsetof(struct io_counts, field), \
			NULL, meaning                                                         \
	}

#define TRAFFIC(class, field, meaning)                                           \
	{                                                                        \
#field, class, TOOL_MESSAGES, OF_TRAFFIC,                        \
			offsetof(struct comm_traffic_peer, field), NULL, meaning \
	}

const struct tool_count tool_counts[] = {
	P2P("peers_held", COUNTER, stops_sent,
		"times that this process took the credit of a sender"),
	P2P("held_by_peers", COUNTER, stops_received,
		"times that a receiver took the credit of this process"),
	P2P("unexpected_bytes", LEVEL, unexpected_bytes, "bytes kept of unexpected messages"),
	P2P("unexpected_bytes", TOP, unexpected_peak,
		"the most bytes kept of unexpected messages, since the start"),
	QUEUE("posted_receives", receives, "posted receives that wait for a message"),
	QUEUE("unexpected_messages", messages, "unexpected messages that wait for a receive"),
	SHM(put, "frames sent through shared memory"),
	SHM(put_inbox, "frames sent through an inbox, because the pair has no ring"),
	SHM(put_long, "frames too long for one slot of a ring"),
	SHM(put_again, "attempts to send that met a full ring or inbox"),
	SHM(got, "frames received"),
	SHM(rings, "rings made towards other processes"),
	SHM(rings_none, "rings that could not be made"),
	SHM(pipes, "pipes made towards other processes, for large messages"),
	SHM(pipes_moved, "idle pipes that were given to another pair"),
	SHM(chunks, "chunks of large messages sent"),
	SHM(spins, "polls without work that were spent spinning"),
	SHM(yields, "polls without work that yielded the processor"),
	SHM(yields_slow, "yields that ran another process"),
	SHM(moves, "moves to a CPU with fewer processes"),
	SHM(sleeps, "sleeps for want of work"),
	SHM(naps, "sleeps that were ended by the clock"),
	SHM(wakes, "other processes woken"),
	SHM(reads, "reads of parts of the private memory of other processes"),
	NET(COUNTER, put, "frames sent through sockets"),
	NET(SUM, put_bytes, "bytes in them"),
	NET(COUNTER, put_again, "attempts to send that met a full queue"),
	NET(COUNTER, queued, "frames that could not go at once"),
	NET(COUNTER, got, "frames received through sockets"),
	NET(SUM, got_bytes, "bytes in them"),
	NET(SUM, sent_bytes, "bytes of large messages sent from the user's buffer, without a copy"),
	NET(SUM, read_bytes, "bytes of large messages received"),
	NET(SUM, direct_bytes, "bytes of them received into the user's buffer, without a copy"),
	NET(COUNTER, sends, "system calls that have sent something"),
	NET(COUNTER, recvs, "system calls that have received something"),
	NET(COUNTER, empty, "system calls that have found nothing to receive"),
	NET(COUNTER, opened, "connections opened to other processes"),
	NET(COUNTER, left, "processes that have ended MPI in good order"),
	NET(COUNTER, lost, "processes that were lost"),
	OFI(COUNTER, put, "frames sent with HAFT_VIA=ofi"),
	OFI(COUNTER, by_net, "those of them that went by sockets, before libfabric was connected"),
	OFI(COUNTER, put_again, "attempts to send that met a full queue"),
	OFI(COUNTER, got, "frames received with HAFT_VIA=ofi"),
	OFI(COUNTER, reordered, "those of them that waited for earlier ones"),
	OFI(COUNTER, strays, "frames without the key of a peer, dropped"),
	OFI(SUM, sent_bytes, "bytes of large messages sent by libfabric"),
	OFI(SUM, read_bytes, "bytes of large messages received by libfabric"),
	VIA("frame_bytes", frame_max, "greatest payload of a frame"),
	FILES(COUNTER, "reads", calls[IO_READ], "accesses that read files"),
	FILES(COUNTER, "writes", calls[IO_WRITE], "accesses that write files"),
	FILES(SUM, "read_bytes", bytes[IO_READ], "bytes that they were to read"),
	FILES(SUM, "written_bytes", bytes[IO_WRITE], "bytes that they were to write"),
	FILES(SUM, "read_moved", moved[IO_READ], "bytes that were read by accesses that are over"),
	FILES(SUM, "written_moved", moved[IO_WRITE], "bytes that were written by such accesses"),
	FILES(COUNTER, "failed", failed, "accesses that have ended with an error"),
	FILES(COUNTER, "partial", partial,
		"accesses that have moved less than asked for, without an error"),
	FILES(COUNTER, "later", later, "nonblocking and split accesses that are over"),
	FILES(TIMER, "later_ns", later_ns, "nanoseconds from their start to their end"),
	FILES(COUNTER, "direct", direct, "accesses by system calls with the user's buffer"),
	FILES(COUNTER, "gathered", gathered, "accesses of contiguous parts of files by a stage"),
	FILES(COUNTER, "windows", sieved, "accesses with holes by windows of the file"),
	FILES(COUNTER, "aggregated", aggregated, "collective accesses by aggregators"),
	FILES(TIMER, "exchange_ns", exchange_ns, "nanoseconds in exchanges with other ranks"),
	FILES(TIMER, "lock_ns", lock_ns, "nanoseconds in waits for locks of files"),
	FILES(TIMER, "disk_ns", disk_ns, "nanoseconds in system calls that move data of files"),
#define CLASS(id, type, label, object, null, error, words)                          \
	{"live_" #type, LEVEL, TOOL_OBJECTS, OF_OBJECTS, 0, &haft_##object##_class, \
		"handles of this kind that were made and not freed yet: " words},
#include "libmpi/api/classes.def"
#undef CLASS
	TRAFFIC(COUNTER, sent_msgs,
		"messages to each rank (of the remote group) since there was a handle for the "
		"communicator: sends of MPI chapter 3 that were called"),
	TRAFFIC(SUM, sent_bytes, "bytes in them"),
	TRAFFIC(COUNTER, received_msgs, "messages of each rank that have met their receive"),
	TRAFFIC(SUM, received_bytes, "bytes in them"),
	{"segment_used", MPI_T_PVAR_CLASS_PERCENTAGE, TOOL_TRANSPORT, OF_HEAP, 0, NULL,
		"the part of the room for rings, pipes and windows in the shared segment of this "
		"host that has been used"},
	{"in_call", MPI_T_PVAR_CLASS_STATE, TOOL_CALLS, OF_CALL, 0, NULL,
		"the function of MPI that the calling thread is in: one that its signal handler "
		"interrupts; short ones that only look something up are not seen"},
	{"wait_ns", TIMER, TOOL_CALLS, OF_WAITS, 0, NULL,
		"nanoseconds that calls have waited, in all threads, since there was a handle"},
};

const int tool_ncounts = countof(tool_counts);

/* Engines count by plain increments, under the library's lock if there are threads.  The reader may
 * be without it, also in a signal handler.  It gets a word as it was before or after an increment:
 * words of this size are loaded and stored in one piece. */
__attribute__((no_sanitize("thread"))) static uint64_t counter64_at(const void *base, size_t at)
{
	return *(const volatile uint64_t *)((const char *)base + at);
}

__attribute__((no_sanitize("thread"))) static uint32_t counter32_at(const void *base, size_t at)
{
	return *(const volatile uint32_t *)((const char *)base + at);
}

static uint64_t objects_live(struct obj_class *cls)
{
	struct obj_class_stats stats = {.size = sizeof(stats)};

	obj_stats(cls, &stats);
	return stats.live;
}

static uint64_t heap_used(void)
{
	double share = haft_life.state == HAFT_RUNNING ? shm_heap_share(via.shm) : 0;
	uint64_t bits;

	memcpy(&bits, &share, sizeof(bits));
	return bits;
}

uint64_t tool_count_now(const struct tool_count *c, const struct comm_traffic *traffic, int i)
{
	struct queues queues;

	switch ((enum tool_source)c->source) {
	case OF_P2P: return counter64_at(p2p_counts(), c->at);
	case OF_SHM: return via.shm != NULL ? counter64_at(&via.shm->count, c->at) : 0;
	case OF_NET: return via.net != NULL ? counter64_at(net_counts(via.net), c->at) : 0;
	case OF_OFI: return counter64_at(&via_ofi_count, c->at);
	case OF_VIA: return counter32_at(&via, c->at);
	case OF_FILES: return counter64_at(io_counts_now(), c->at);
	case OF_OBJECTS: return objects_live(c->cls);
	case OF_TRAFFIC: return counter64_at(&traffic->peer[i], c->at);
	case OF_HEAP: return heap_used();
	case OF_CALL: return prof_meter_call();
	case OF_WAITS: return prof_meter_waited();
	case OF_QUEUES: break;
	}
	p2p_queues(&queues.receives, &queues.messages);
	return counter32_at(&queues, c->at);
}

struct type *tool_count_type(const struct tool_count *c)
{
	switch (c->class) {
	case MPI_T_PVAR_CLASS_STATE: return type_predefined(MPI_INT);
	case MPI_T_PVAR_CLASS_PERCENTAGE: return type_predefined(MPI_DOUBLE);
	default: return type_predefined(MPI_UNSIGNED_LONG_LONG);
	}
}

int tool_count_bind(const struct tool_count *c)
{
	return c->source == OF_TRAFFIC ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT;
}

void tool_count_use(const struct tool_count *c, int change)
{
	if (c->source == OF_TRAFFIC) {
		p2p_messages_watch();
		prof_meter_use(PROF_MESSAGES, change);
	} else if (c->source == OF_CALL) {
		prof_meter_use(PROF_CALLS, change);
	} else if (c->source == OF_WAITS) {
		prof_meter_use(PROF_WAITS, change);
	}
}

bool tool_count_locks(const struct tool_count *c)
{
	return c->source == OF_FILES;
}

uint64_t tool_peak_now(const struct tool_count *c)
{
	uint64_t peak = tool_count_now(c, NULL, 0);
	uint64_t level = counter64_at(p2p_counts(), offsetof(struct p2p_count, unexpected_bytes));

	return level > peak ? level : peak;
}

uint64_t tool_peak_restart(const struct tool_count *c)
{
	uint64_t peak = tool_peak_now(c);

	p2p_unexpected_restart();
	return peak;
}
