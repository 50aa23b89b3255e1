/* SPDX-License-Identifier: BSD-3-Clause
 * seat.pml - spare seats (seat.c, inbox.c, channel.c): tenants of one seat come, talk to a rank
 * that stays, and go, at any moment; the launcher closes the seat and opens it for the next one.
 *
 *   tenant 1, 2, ...  ── inbox of the rank: {from, frame | ring} ──>  rank
 *                     ── ring of the tenant: frames without names ──>
 *                    <── inbox of the seat: {to, frame | ring} ──
 *                    <── ring of the rank ──
 *
 * A ring is a block of the heap; a block that is free is taken by any maker.  Inboxes and rings as
 * such have models of their own (inbox.pml, ring.pml), so here a step is atomic.
 *
 * Claim: the rank gets all frames that each tenant has sent, in order, as that tenant's; a tenant
 * gets the frames for itself, in order, and no others; none waits for good.  The variants must
 * fail: NO_DRAIN (a newcomer's frame replaces the former ring at once)  NO_NAME (frames for a
 * former tenant are not dropped)  NO_FACE (the rank goes on with its ring for the former tenant)
 * GIVE_AT_CLOSE (the launcher gives back a ring that the rank may still read). */
#ifndef TENANTS
#define TENANTS 2
#endif
#ifndef EACH
#define EACH 3 /* frames in each direction */
#endif
#define BLOCKS 3
#define CELLS  2
#define NONE   15
#define RANK   14 /* as the owner of a block */
#define FRAME  0
#define RING   1

typedef block {
	byte owner; /* 0: free; name of the tenant that made it, or RANK */
	bool kept;  /* its maker has gone; the reader gives it back */
	byte n, read;
	byte frame[EACH]
}

block heap[BLOCKS];
chan to_rank = [CELLS] of { byte, byte, byte }; /* name, FRAME or RING, frame or block */
chan to_seat = [CELLS] of { byte, byte, byte };
byte name;    /* of the seat's tenant; 0: closed */
bool ended[TENANTS + 1];
byte sent[TENANTS + 1], got[TENANTS + 1];
bool over; /* the last seat is closed */

#define of(sender, k) ((sender) * 16 + (k))

/* Takes a free block, if there is one. */
inline ring_make(maker, b)
{
	b = 0;
	do
	:: b == BLOCKS -> b = NONE; break
	:: b < BLOCKS && heap[b].owner == 0 ->
		heap[b].owner = maker;
		heap[b].kept = false;
		heap[b].n = 0;
		heap[b].read = 0;
		break
	:: else -> b++
	od
}

inline ring_put(b, value)
{
	heap[b].frame[heap[b].n] = value;
	heap[b].n++
}

#define ring_has(b) ((b) != NONE && heap[b].read < heap[b].n)

proctype tenant(byte me)
{
	byte out = NONE, in = NONE, next = 1, to, kind, v;

	do
	:: me < TENANTS || next > EACH -> break /* dies at any moment; the last one has all first */
	:: atomic { sent[me] < EACH && out == NONE && nfull(to_rank) ->
		sent[me]++;
		to_rank!me,FRAME,of(me, sent[me]) }
	:: atomic { sent[me] > 0 && out == NONE && nfull(to_rank) ->
		ring_make(me, out);
		if
		:: out != NONE -> to_rank!me,RING,out
		:: else
		fi }
	:: atomic { sent[me] < EACH && out != NONE ->
		sent[me]++;
		ring_put(out, of(me, sent[me])) }
	:: atomic { to_seat?to,kind,v ->
		if
#ifndef NO_NAME
		:: to != me /* for a former tenant: dropped */
#endif
		:: kind == RING && to == me -> in = v
		:: else -> if
			:: kind == FRAME -> assert(v == of(me, next)); next++
			:: else
			fi
		fi }
	:: atomic { ring_has(in) ->
		v = heap[in].frame[heap[in].read];
		heap[in].read++;
		assert(v == of(me, next));
		next++ }
	od;
	ended[me] = true
}

proctype rank()
{
	byte in = NONE, name_in = 0, out = NONE, name_out = 0, k = 0, from, kind, v;

	do
	:: over && empty(to_rank) && !ring_has(in) -> break
	/* receives */
	:: atomic { ring_has(in) ->
		v = heap[in].frame[heap[in].read];
		heap[in].read++;
		got[name_in]++;
		assert(v == of(name_in, got[name_in])) }
	:: atomic { to_rank?<from,kind,v> ->
		if
		:: from == name_in && kind == FRAME ->
			to_rank?from,kind,v;
			got[name_in]++;
			assert(v == of(name_in, got[name_in]))
		:: from == name_in && kind == RING -> to_rank?from,kind,v; in = v
#ifdef NO_DRAIN
		:: from != name_in ->
#else
		:: from != name_in && !ring_has(in) ->
#endif
			/* shm_seat_renew; the frame stays in its cell */
			if
			:: in != NONE && heap[in].kept -> heap[in].owner = 0
			:: else
			fi;
			in = NONE;
			name_in = from
		:: from != name_in && ring_has(in) /* first the frames in the ring */
		fi }
	/* sends to the tenant that is there */
	:: atomic { name != 0 && name != name_out ->
		/* shm_seat_redirect */
#ifndef NO_FACE
		if
		:: out != NONE -> heap[out].owner = 0
		:: else
		fi;
		out = NONE;
#endif
		k = 0;
		name_out = name }
	:: atomic { name_out != 0 && k < EACH && out == NONE && nfull(to_seat) ->
		k++;
		to_seat!name_out,FRAME,of(name_out, k) }
	:: atomic { name_out != 0 && k > 0 && out == NONE && nfull(to_seat) ->
		ring_make(RANK, out);
		if
		:: out != NONE -> to_seat!name_out,RING,out
		:: else
		fi }
	:: atomic { out != NONE && k < EACH && heap[out].n < EACH ->
		k++;
		ring_put(out, of(name_out, k)) }
	od;
	/* no frame is lost, whenever its sender died */
	from = 1;
	do
	:: from > TENANTS -> break
	:: else -> assert(got[from] == sent[from]); from++
	od
}

proctype launcher()
{
	byte t = 1, b;

	do
	:: t > TENANTS -> break
	:: else ->
		name = t;
		run tenant(t);
		ended[t];
		/* shm_seat_close: shm_channel_return */
		d_step {
			b = 0;
			do
			:: b == BLOCKS -> break
			:: else ->
				if
				:: heap[b].owner == t ->
#ifdef GIVE_AT_CLOSE
					heap[b].owner = 0
#else
					heap[b].kept = true
#endif
				:: else
				fi;
				b++
			od;
			name = 0
		}
		t++
	od;
	over = true
}

init
{
	atomic {
		run rank();
		run launcher()
	}
}
