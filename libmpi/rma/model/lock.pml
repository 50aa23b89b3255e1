/* SPDX-License-Identifier: BSD-3-Clause
 * lock.pml - the lock of win_lock.c: every waiter gets it, and no process holds it beside a
 * writer.
 *
 *   member      rma_lock_try;  else: slot, ticket, count;  rma_lock_wait_ready until it has it;
 *               rma_lock_drop
 *   starving    begins whenever a waiter checks, or never
 *   sleep       rung = false before the check, then until rung (doorbell of rma_epoch_wait_until)
 *
 * One statement here is one atomic instruction there; a loop of compare-and-exchange is its last
 * round.  The fields of the word are variables that change together.  The timer of RMA_STARVING_NS
 * is left out, because waiters of remote members have none: the doorbell must be enough.  With
 * NAPS a waiter that is not starving awakes at any time.
 *
 * Checked: no holder beside a writer; each counted lock is held; no waiter sleeps for ever (the end
 * states); nothing is left at the end; a starving waiter sees each of the others hold the lock for
 * at most HOLDS times before it.
 *
 * Must fail: GIVE_STORE (a writer's slot is granted by a store, and loses `chosen'), REGRANT (a
 * reader's slot is granted whatever it contains by now), GIVE_ONCE (give finds no reader before
 * the writer that came meanwhile, and frees the lock), WAKE_ONCE (wake finds no waiter, and
 * forgets one that came meanwhile), REST_CHOSEN (a chosen waiter sleeps without a last check),
 * TELL_FIRST (a reader's slot is granted before it is counted). */
#ifndef MEMBERS
#define MEMBERS 3
#endif
#ifndef EACH
#define EACH 2 /* epochs of member TWICE (MEMBERS: of all); others have one */
#endif
#ifndef TWICE
#define TWICE 0
#endif
#ifndef HOLDS
#define HOLDS 2 /* one that it had or came for earlier, one that began with it */
#endif
#define NONE    0
#define SHARED  1
#define ALONE   2
#define GRANTED 3
#define NOBODY  MEMBERS

/* the word */
byte readers, starving, waiters;
bit writer, woken;
#define held (readers > 0 || writer)

/* the slots, and the doorbells */
byte ticket;
byte wish[MEMBERS], stamp[MEMBERS];
bit chosen[MEMBERS], rung[MEMBERS];
#define waits(i) (wish[i] == SHARED || wish[i] == ALONE)

/* what the claims speak of */
byte in_shared, in_alone;
bit starves[MEMBERS];
byte holds[MEMBERS * MEMBERS]; /* [i, j]: of j, since i is starving */

inline enter()
{
	d_step {
		i = 0;
		do
		:: i == MEMBERS -> break
		:: i < MEMBERS && starves[i] && i != me ->
			holds[i * MEMBERS + me]++;
			assert(holds[i * MEMBERS + me] <= HOLDS);
			i++
		:: else -> i++
		od;
		i = 0;
		if
		:: want == SHARED -> in_shared++
		:: else -> in_alone++
		fi;
		assert(in_alone == 0 || (in_alone == 1 && in_shared == 0));
		assert(in_alone <= writer && in_shared <= readers)
	}
}

inline leave()
{
	d_step {
		if
		:: want == SHARED -> in_shared--
		:: else -> in_alone--
		fi
	}
}

/* rma_lock_try (eager false), lock_take_free (eager true) */
inline try(eager)
{
	d_step {
		if
		:: want == SHARED && !writer && (eager -> readers == 0 : starving == 0) ->
			readers++;
			ok = true
		:: want == ALONE && !held && (eager || starving == 0) ->
			writer = 1;
			ok = true
		:: else -> ok = false
		fi
	}
}

/* got; `was' is the slot's mark */
inline got()
{
	d_step {
		assert(waiters > 0 && (!eager || starving > 0));
		waiters--;
		starving = starving - eager;
		starves[me] = 0;
		i = 0;
		do
		:: i < MEMBERS -> holds[me * MEMBERS + i] = 0; i++
		:: else -> break
		od;
		i = 0
	}
	if
	:: was -> d_step { woken = 0; was = 0 }
	:: else
	fi;
	have = true
}

inline taken()
{
	d_step {
		again = (wish[me] == GRANTED);
		was = chosen[me];
		wish[me] = NONE;
		chosen[me] = 0;
		stamp[me] = 0
	}
	if
	:: again ->
		d_step {
			assert(want == SHARED && readers > 1);
			readers--;
			again = false
		}
	:: else
	fi;
	got()
}

/* rma_lock_wait_ready; rest is true of about every second check */
inline ready()
{
	rest = false;
	if
	:: rest = true
	:: skip
	fi;
once_more:
	skip; /* a d_step is not jumped to */
	d_step {
		ok = (wish[me] == GRANTED);
		was = ok && chosen[me]
	}
	if
	:: ok ->
		d_step { wish[me] = NONE; chosen[me] = 0; stamp[me] = 0; ok = false }
		got()
	:: else ->
		try(eager);
		if
		:: ok -> ok = false; taken()
		:: else ->
			if
			:: !eager -> d_step { starving++; eager = true; starves[me] = 1 }
			:: skip
			fi;
			if
			:: rest && chosen[me] ->
				chosen[me] = 0;
				woken = 0;
#ifndef REST_CHOSEN
				goto once_more
#endif
			:: else
			fi;
			if
			:: eager ->
				try(true);
				if
				:: ok -> ok = false; taken()
				:: else
				fi
			:: else
			fi
		fi
	fi
}

/* The rank of the oldest waiter in `best', its slot as it was in `seen' and `mark'. */
inline oldest(writers)
{
	best = NOBODY;
	i = 0;
	do
	:: i < MEMBERS ->
		d_step {
			if
			:: waits(i) && (!writers || wish[i] == ALONE) &&
					(best == NOBODY || stamp[i] < seen) ->
				best = i;
				seen = stamp[i];
				kind = wish[i];
				mark = chosen[i]
			:: else
			fi;
			i++
		}
	:: else -> i = 0; break
	od
}

/* Grants slot i if it has the ticket `seen', or whatever it has. */
inline grant()
{
	d_step {
#ifdef REGRANT
		ok = waits(i);
#else
		ok = waits(i) && stamp[i] == seen;
#endif
		if
		:: ok -> wish[i] = GRANTED; stamp[i] = 0; rung[i] = 1
		:: else
		fi
	}
}

inline count()
{
	d_step {
		if
		:: any -> readers++
		:: else -> assert(writer && readers == 0); writer = 0; readers = 2; any = true
		fi
	}
}

/* give_readers: those with tickets before bar */
inline give_readers()
{
	i = 0;
	do
	:: i == MEMBERS -> i = 0; break
	:: i < MEMBERS ->
		d_step { again = (wish[i] == SHARED && stamp[i] < bar); seen = stamp[i] }
		if
		:: again ->
			again = false;
#ifdef TELL_FIRST
			grant();
			count();
#else
			count();
			grant();
#endif
			if
			:: !ok -> d_step { assert(readers > 1); readers-- } /* it is not the last */
			:: else -> ok = false
			fi
		:: else
		fi;
		i++
	od
}

/* give; ends with any = true if a reader's hold is to be given back */
inline give()
{
	do
	:: true ->
		oldest(false);
		if
		:: best != NOBODY && kind == ALONE ->
			d_step {
				assert(wish[best] == ALONE && stamp[best] == seen);
				wish[best] = GRANTED;
#ifdef GIVE_STORE
				chosen[best] = mark;
#endif
				stamp[best] = 0;
				rung[best] = 1
			}
			break
		:: else
		fi;
		again = (best != NOBODY);
		oldest(true);
		bar = (best == NOBODY -> 255 : seen);
		if
		:: again -> again = false; give_readers()
		:: else
		fi;
		bar = 0;
		if
		:: any -> break
		:: else
		fi;
#ifdef GIVE_ONCE
		writer = 0;
		break
#endif
	od
}

inline wake()
{
	do
	:: true ->
		oldest(false);
		if
		:: best == NOBODY ->
			skip;
			d_step {
#ifdef WAKE_ONCE
				ok = true;
#else
				ok = held || waiters == 0;
#endif
				if
				:: ok -> woken = 0
				:: else
				fi
			}
		:: else ->
			d_step {
				ok = waits(best) && stamp[best] == seen && chosen[best] == mark;
				if
				:: ok -> chosen[best] = 1; rung[best] = 1
				:: else
				fi
			}
		fi;
		if
		:: ok -> ok = false; break
		:: else
		fi
	od
}

/* rma_lock_drop, rma_lock_drop_slow */
inline drop()
{
	do
	:: true ->
		skip;
		d_step {
			if
			:: want == SHARED -> assert(readers > 0); readers--
			:: else -> assert(writer); writer = 0
			fi;
			giving = !held && starving > 0;
			waking = !held && starving == 0 && waiters > 0 && !woken;
			if
			:: giving -> writer = 1
			:: waking -> woken = 1
			:: else
			fi
		}
		if
		:: giving -> giving = false; give()
		:: waking -> waking = false; wake()
		:: else
		fi;
		skip;
		d_step { best = 0; seen = 0; mark = 0; kind = 0 }
		if
		:: any -> d_step { any = false; want = SHARED }
		:: else -> break
		fi
	od
}

byte done;

proctype member(byte me)
{
	byte want, i, best, seen, kind, bar, left;
	bit mark, was;
	bool ok, again, eager, have, rest, any, giving, waking;

	left = (me == TWICE || TWICE == MEMBERS -> EACH : 1);
	do
	:: left == 0 -> break
	:: left > 0 ->
		left--;
		if
		:: want = SHARED
		:: want = ALONE
		fi;
		try(false);
		if
		:: ok -> ok = false
		:: else ->
			d_step { seen = ticket + 1; ticket++ }
			d_step { wish[me] = want; stamp[me] = seen; seen = 0 }
			waiters++;
			do
			:: true ->
				rung[me] = 0;
				ready();
				if
				:: have -> d_step { have = false; eager = false; rest = false }; break
				:: !have && rest ->
					if
					:: rung[me]
#ifdef NAPS
					:: !eager
#endif
					fi
				:: else
				fi
			od
		fi;
		enter();
		leave();
		drop();
		want = NONE
	od;
	done++
}

init
{
	byte k;

	atomic {
		do
		:: k < MEMBERS -> run member(k); k++
		:: else -> break
		od
	}
	done == MEMBERS;
	assert(!held && !woken && starving == 0 && waiters == 0);
	k = 0;
	do
	:: k < MEMBERS -> assert(wish[k] == NONE && !chosen[k]); k++
	:: else -> break
	od
}
