/* SPDX-License-Identifier: BSD-3-Clause
 * doorbell.pml - the doorbell of shm_wait.c: no sleeper sleeps on after a message has arrived.
 *
 *   sender      store message;  (FENCE: full barrier);  look at `sleeping', ring if it is set
 *   sleeper     store `sleeping'; full barrier; (else: a barrier on every CPU); look for messages
 *
 * mem[0], mem[1]: messages put by sender 0 and 1; mem[2]: sleeping.  The futex sleeps only while
 * its word is 1; the process that takes the 1 away wakes it. The naps' clock is left out: the
 * claim is that the doorbell alone is enough.  Checked with FENCE and without.  Must fail: NOTHING
 * (neither barrier), CHECK_FIRST (the sleeper checks before it says that it sleeps). */
#define SENDERS  2
#define EACH     2
#define SLEEPING 2
#define CELLS    3
#define STORERS  3
#include "weak.pml"

#define ME 2 /* the sleeper's buffer */

bool asleep; /* in the futex */

proctype sender(byte me)
{
	byte k = 0, was;

	do
	:: k == EACH -> break
	:: k < EACH ->
		k++;
		put(me, me, k, 1);
#ifdef FENCE
		fence(me);
#endif
		if
		:: mem[SLEEPING] == 0
		:: else ->
			/* shm_wake: an exchange, which is a full barrier on its own word */
			atomic {
				was = mem[SLEEPING];
				mem[SLEEPING] = 0
			}
			if
			:: was == 1 -> asleep = false
			:: else
			fi
		fi
	od
}

#define unseen (mem[0] != seen[0] || mem[1] != seen[1])

inline take_all()
{
	d_step {
		seen[0] = mem[0];
		seen[1] = mem[1]
	}
}

proctype sleeper()
{
	byte seen[SENDERS];

	do
	:: seen[0] == EACH && seen[1] == EACH -> break
	:: else ->
		take_all();
		if
		:: seen[0] == EACH && seen[1] == EACH -> break
		:: else
		fi;
#ifdef CHECK_FIRST
		if
		:: unseen -> goto awake
		:: else
		fi;
#endif
		put(ME, SLEEPING, 1, 0);
		fence(ME);
#if !defined(FENCE) && !defined(NOTHING)
		fence(0); /* membarrier: every CPU that runs one of us has had a full barrier */
		fence(1);
#endif
#ifndef CHECK_FIRST
		if
		:: unseen -> goto awake
		:: else
		fi;
#endif
		/* the futex: looks and falls asleep in one step; only a wake ends that */
		asleep = (mem[SLEEPING] == 1);
		!asleep;
awake:
		put(ME, SLEEPING, 0, 0);
		fence(ME)
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
		run sleeper()
	}
}
