/* SPDX-License-Identifier: BSD-3-Clause
 * inbox.pml - the inbox of inbox.c: two senders, one receiver, tickets and sequences.
 *
 *   mem[0 .. N)      a cell's payload: sender and number of the message
 *   mem[N .. 2 N)    a cell's sequence: twice the lap, and one more when it is full
 *
 * Claim: each sender's messages come once, in order, whole; none waits for good.  Must
 * fail: SEQUENCE_RELAXED (the sequence overtakes the payload), BLIND (a ticket is taken without a
 * check of the cell), FREE_BEFORE_READ (the cell is given back before it is read). */
#define N       2
#define EACH    3 /* messages of each sender: two laps of three */
#define SENDERS 2
#define CELLS   (2 * N)
#define STORERS (SENDERS + 1)
#include "weak.pml"

#ifdef SEQUENCE_RELAXED
#define SEQUENCE_REL 0
#else
#define SEQUENCE_REL 1 /* shm_inbox_send: memory_order_release */
#endif

byte ticket;

proctype sender(byte me)
{
	byte k = 0, t, sequence;

	do
	:: k == EACH -> break
	:: k < EACH ->
		t = ticket; /* relaxed */
claim:
		sequence = mem[N + t % N]; /* acquire */
		if
#ifndef BLIND
		:: sequence < 2 * (t / N) -> goto later
		:: sequence > 2 * (t / N) -> t = ticket; goto claim
		:: sequence == 2 * (t / N) ->
#else
		:: true ->
#endif
			atomic {
				if
				:: ticket == t -> ticket++
				:: else -> t = ticket; goto claim
				fi
			}
		fi;
		put(me, t % N, me * 16 + k + 1, 0);
		put(me, N + t % N, 2 * (t / N) + 1, SEQUENCE_REL);
		k++;
later:
		skip
	od
}

proctype receiver()
{
	byte head = 0, got, next[SENDERS];

	do
	:: head == SENDERS * EACH -> break
	:: head < SENDERS * EACH ->
		mem[N + head % N] == 2 * (head / N) + 1; /* front: acquire */
#ifdef FREE_BEFORE_READ
		put(SENDERS, N + head % N, 2 * (head / N) + 2, 1);
		got = mem[head % N];
#else
		got = mem[head % N];
		put(SENDERS, N + head % N, 2 * (head / N) + 2, 1); /* release */
#endif
		assert(got % 16 == next[got / 16] + 1);
		next[got / 16]++;
		head++
	od
}

init
{
	atomic {
		run memory(0);
		run memory(1);
		run memory(2);
		run sender(0);
		run sender(1);
		run receiver()
	}
}
