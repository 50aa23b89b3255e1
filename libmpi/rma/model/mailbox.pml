/* SPDX-License-Identifier: BSD-3-Clause
 * mailbox.pml - the mailbox of mailbox.h: each operation is executed once, by its target or its
 * origin.
 *
 *   origin      claim; data; word = POSTED;  then sees the answer, or at any time: REVOKED, a
 *               barrier in all processes, was it taken?
 *   target      at any time: reads the word; taken; the word again; executes; done
 *   buffer      a store of the target may become visible later: at any time, at the latest with
 *               its next store, or at the origin's barrier
 *
 * One statement here is one load or store there.  The origin's own stores need no buffer: a fence
 * is between those that matter (shm_fence_all begins with one), and no process reads the others.
 * With FENCE the target fences, as a process does that others' barriers do not reach.
 *
 * Checked: no process executes what another has executed or will execute; the target sees the data
 * of the operation that it executes; an origin that waits for an answer gets it (the end states).
 *
 * Must fail: NO_BARRIER (the origin reads `taken' before the target's store is visible), ONE_CHECK
 * (the target executes without reading the word again), HASTY (the origin executes what the target
 * has taken), SILENT (the target gives up without an answer). */
#ifndef ORIGINS
#define ORIGINS 2
#endif
#ifndef EACH
#define EACH 2 /* operations of an origin */
#endif
#define OPS      (ORIGINS * EACH)
#define POSTED   1
#define REVOKED  2
#define STEP     4
#define other(w) ((w) ^ 3)

byte word, done, taken, number, data;
byte buffer; /* 0, or what will be `taken' */
bit claim;
byte runs[OPS + 1]; /* by number: how often it was executed */

inline execute(w)
{
	runs[w / STEP]++;
	assert(runs[w / STEP] == 1)
}

inline drain()
{
	d_step {
		if
		:: buffer != 0 -> taken = buffer; buffer = 0
		:: else
		fi
	}
}

active proctype buffering()
{
end:	do
	:: buffer != 0 -> drain()
	od
}

active proctype target()
{
	byte seen, w, again;

end:	do
	:: atomic { word != seen -> w = word; seen = w }
		if
		:: (w & POSTED) == 0
		:: else ->
#ifdef FENCE
			taken = w;
#else
			buffer = w;
#endif
			again = word;
#ifdef ONE_CHECK
			again = w;
#endif
			if
			:: again == w ->
				assert(data == w / STEP);
				execute(w);
				drain();
				done = w
			:: else ->
				drain();
#ifndef SILENT
				done = other(w)
#endif
			fi
		fi
	od
}

active [ORIGINS] proctype origin()
{
	byte w, left = EACH;

	do
	:: left == 0 -> break
	:: left > 0 ->
		left--;
		atomic { claim == 0 -> claim = 1 }
		number++;
		data = number;
		w = number * STEP + POSTED;
		word = w;
		if
		:: done == w
		:: true ->
			word = other(w);
#ifndef NO_BARRIER
			drain();
#endif
			if
#ifdef HASTY
			:: true -> execute(w)
#else
			:: taken != w -> execute(w)
			:: else ->
				(done / STEP == w / STEP);
				if
				:: done == w
				:: else -> execute(w)
				fi
#endif
			fi
		fi;
		assert(runs[w / STEP] == 1);
		claim = 0
	od
}
