/* SPDX-License-Identifier: BSD-3-Clause
 * ring.pml - the ring of frame_ring.c: one sender, one receiver, slots with a lap bit, credits.
 *
 *   mem[0 .. SLOTS)   a slot's payload: the number of its message
 *   mem[SLOTS ..)     a slot's word: its lap bit
 *   mem[CREDIT]       frames consumed, as the receiver tells
 *
 * Claim: every message comes once, in order, whole; and the two never wait for each other for good
 * (spin's search for invalid end states).  The variants below break one memory order each, and
 * the search must find that:  WORD_RELAXED  CREDIT_BEFORE_READ  READ_BEFORE_WORD  NO_LAP. */
#define SLOTS   4
#define QUARTER 2 /* of the ring, after which credit is due */
#define LAST    11
#define CREDIT  (2 * SLOTS)
#define CELLS   (2 * SLOTS + 1)
#define STORERS 2
#include "weak.pml"

#ifdef WORD_RELAXED
#define WORD_REL 0
#else
#define WORD_REL 1 /* frame_ring.c: memory_order_release */
#endif
#ifdef NO_LAP
#define lap(i) 1
#else
#define lap(i) (1 - ((i) / SLOTS) % 2)
#endif

proctype sender()
{
	byte head = 0, limit = SLOTS;

	do
	:: head == LAST -> break
	:: head < LAST && head == limit ->
		/* refresh: acquire, and nothing is stored before it is known */
		atomic { mem[CREDIT] + SLOTS != limit -> limit = mem[CREDIT] + SLOTS }
	:: head < LAST && head != limit ->
		put(0, head % SLOTS, head + 1, 0);
		put(0, SLOTS + head % SLOTS, lap(head), WORD_REL);
		head++
	od
}

proctype receiver()
{
	byte tail = 0, credited = 0, got;

	do
	:: tail == LAST -> break
	:: tail < LAST ->
#ifdef READ_BEFORE_WORD
		got = mem[tail % SLOTS];
		mem[SLOTS + tail % SLOTS] == lap(tail);
#else
		mem[SLOTS + tail % SLOTS] == lap(tail); /* acquire: the payload is read after it */
#ifdef CREDIT_BEFORE_READ
		put(1, CREDIT, tail + 1, 1);
#endif
		got = mem[tail % SLOTS];
#endif
		assert(got == tail + 1);
		tail++;
		/* shm_next_rx asks at multiples of QUARTER, and shm_credit gives credit if the
		 * sender does not know of so many frames.  A frame with payload asks anywhere, and
		 * a quarter of the payload area is enough, too. */
		if
		:: true ->
			put(1, CREDIT, tail, 1); /* release, after the payload was read */
			credited = tail
		:: tail % QUARTER != 0 || tail - credited < QUARTER -> skip
		fi
	od
}

init
{
	atomic {
		run memory(0);
		run memory(1);
		run sender();
		run receiver()
	}
}
