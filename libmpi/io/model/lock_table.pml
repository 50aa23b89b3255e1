/* SPDX-License-Identifier: BSD-3-Clause
 * lock_table.pml - the table of locked ranges of lock.c, its mutex, and processes that die.
 *
 *   entry    shared, and exclusive == 0: entry = held; exclusive == 0 again? it has the lock
 *            its end: entry = free; exclusive > 0: mutex, released++, mutex back
 *   take     mutex: owner 0 -> me, or wanted++, seen = given, again, sleep(given, seen), again
 *            a slot with the next ticket, exclusive++ if it is; while an entry meets an exclusive
 *            one, or an earlier slot conflicts: sleep(released), again
 *   give     slot free; released++; mutex back; wakes
 *   mutex    back: owner = 0; wanted > 0: given++, wakes
 *
 * A waiter looks at `released' for a while before it sleeps, without the mutex.  How long does not
 * count: the check is one step in which others may run or not.  NO_CHECK leaves it out.
 *
 * A sleep ends when the word differs from the value seen, and by the clock.  Here the clock counts
 * only once a process has died: so a lost wake-up is an end state that is not allowed.
 *
 * Each process wants a range, shared or exclusively; with RANGES one of two, or both; with MUTEX
 * the mutex alone.  One may die with the mutex or with a lock.
 *
 * Checked: the mutex has one owner; those that have a conflicting lock are one, the dead apart; all
 * processes come to their end.
 *
 * Must fail: ROB_STORE (a process that finds the owner dead stores itself, without
 * compare-and-swap), NO_COUNT (a waiter does not announce itself), LATE_SEEN (a waiter reads
 * `given' after its last try), UNSEEN (a waiter reads `released' again when its check is over: it
 * sleeps through the release between), NO_TICKET (only locks that are held conflict, and waiters
 * are not seen: starvation is not looked for, but both may enter), NO_SECOND (with an entry: no
 * second check of `exclusive'), NO_TELL (the end of an entry wakes no exclusive waiter), LATE_COUNT
 * (an exclusive access counts itself after its check of the entries). */
#ifndef PROCESSES
#define PROCESSES 3
#endif
#ifndef EACH
#define EACH 1
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#define SLOTS 2

byte owner, given, wanted, released, waiters, ticket, exclusive;
bit entry[PROCESSES + 1];             /* held; they want range 1 */
byte who[SLOTS], range[SLOTS], number[SLOTS];
bit writes[SLOTS];
bit dead[PROCESSES + 1];
byte deaths;
byte inside;                          /* processes with the mutex that live */
byte readers[2], writers[2];          /* by range: locks that are held by the living */

#define gone(p) ((p) != 0 && dead[p])

inline swap(from, ok)
{
	atomic {
		if
		:: owner == from -> owner = me; ok = 1
		:: else -> ok = 0
		fi
	}
}

inline mutex_take()
{
	swap(0, ok);
	if
	:: ok
	:: else ->
#ifndef NO_COUNT
		atomic { wanted++ }
#endif
		do
		:: true ->
#ifndef LATE_SEEN
			seen = given;
#endif
			swap(0, ok);
			if
			:: ok -> break
			:: else
			fi;
			atomic {
			was = owner;
			if
			:: !dead[was] -> was = 0
			:: else
			fi
			}
#ifdef LATE_SEEN
			seen = given;
#endif
			if
			:: given != seen
			:: deaths > 0 /* the clock */
			fi;
			if
			:: gone(was) ->
#ifdef ROB_STORE
				owner = me;
				ok = 1;
#else
				swap(was, ok);
#endif
				if
				:: ok -> break
				:: else
				fi
			:: else
			fi
		od;
		atomic { was = 0; seen = 0 }
#ifndef NO_COUNT
		atomic { wanted-- }
#endif
	fi;
	atomic { ok = 0; inside++; assert(inside == 1) }
}

inline mutex_give()
{
	atomic { inside--; owner = 0 }
	if
	:: wanted > 0 -> atomic { given++ }
	:: else
	fi
}

/* Sleeps until `released' differs from seen2; with the clock, frees the slots of the dead. */
inline sleep_counted()
{
	atomic { waiters++ }
	mutex_give();
	if
	:: released != seen2
	:: deaths > 0
	fi;
	mutex_take();
	atomic { waiters-- }
	if
	:: released == seen2 ->
		atomic {
			i = 0;
			do
			:: i < SLOTS ->
				if
				:: gone(who[i]) -> who[i] = 0; exclusive = exclusive - writes[i]
				:: else
				fi;
				i++
			:: else -> break
			od;
			i = 1;
			do
			:: i <= PROCESSES ->
				entry[i] = entry[i] && !dead[i];
				i++
			:: else -> break
			od;
			i = 0
		}
	:: else
	fi
}

/* Waits until a lock was released: looks for it for a while, and then sleeps. */
inline sleep_released()
{
	seen2 = released;
#ifndef NO_CHECK
	mutex_give();
	mutex_take(); /* a release may have come between, or the time of the check is over */
#endif
	if
#ifndef UNSEEN
	:: released != seen2
	:: released == seen2 ->
#else
	:: true ->
		seen2 = released;
#endif
		sleep_counted()
	fi;
	seen2 = 0
}

inline conflict()
{
	atomic {
		i = 0;
		ok = 0;
		do
		:: i < SLOTS ->
#ifdef NO_TICKET
			ok = ok || false;
#else
			ok = ok || (i != slot && who[i] != 0 && number[i] < number[slot] &&
				(range[i] & mine) != 0 && (writes[i] || alone));
#endif
			i++
		:: else -> break
		od;
		i = 1;
		do
		:: i <= PROCESSES ->
			ok = ok || (alone && (mine & 1) != 0 && entry[i]);
			i++
		:: else -> break
		od;
		i = 0
	}
}

/* One more, or one less, has the lock of process `me'. */
inline hold(more)
{
	atomic {
		i = 0;
		do
		:: i < 2 ->
			if
			:: (mine & (i + 1)) == 0
			:: (mine & (i + 1)) != 0 && alone -> writers[i] = writers[i] + more
			:: (mine & (i + 1)) != 0 && !alone -> readers[i] = readers[i] + more
			fi;
			assert(writers[i] == 0 || (writers[i] == 1 && readers[i] == 0));
			i++
		:: else -> break
		od;
		i = 0
	}
}

active [PROCESSES] proctype process()
{
	byte me, seen, seen2, was, i, slot, mine, n;
	bit ok, alone, over;

	me = _pid + 1;
	do
	:: n < EACH ->
		n++;
		if
		:: mine = 1; alone = 0
		:: mine = 1; alone = 1
#ifdef RANGES
		:: mine = 3; alone = 1
		:: mine = 2; alone = 1
#endif
		fi;
#ifndef MUTEX
		if
		:: !alone && exclusive == 0 ->
			entry[me] = 1;
			if
#ifdef NO_SECOND
			:: true ->
#else
			:: exclusive == 0 ->
#endif
				hold(1);
				if
				:: atomic {
					deaths < DEATHS ->
					deaths++;
					hold(-1);
					dead[me] = 1;
					goto end
				}
				:: true
				fi;
				hold(-1);
				over = 1
			:: else
			fi;
			entry[me] = 0;
#ifndef NO_TELL
			if
			:: exclusive > 0 ->
				mutex_take();
				released++;
				mutex_give()
			:: else
			fi;
#endif
			if
			:: over -> atomic { over = 0; mine = 0 } goto next
			:: else
			fi
		:: else
		fi;
#endif
		mutex_take();
		if
		:: atomic {
			deaths < DEATHS ->
			deaths++;
			inside--; /* the mutex is a dead process's */
			dead[me] = 1;
			goto end
		}
		:: true
		fi;
#ifdef MUTEX
		mutex_give()
#else
		do
		:: who[0] == 0 -> slot = 0; break
		:: who[0] != 0 && who[1] == 0 -> slot = 1; break
		:: who[0] != 0 && who[1] != 0 -> sleep_released()
		od;
		atomic {
			ticket++;
			number[slot] = ticket;
			range[slot] = mine;
			writes[slot] = alone;
			who[slot] = me
		}
#ifndef LATE_COUNT
		exclusive = exclusive + alone;
#endif
		do
		:: true ->
			conflict();
			if
			:: !ok -> break
			:: else -> sleep_released()
			fi
		od;
#ifdef LATE_COUNT
		exclusive = exclusive + alone;
#endif
		mutex_give();
		hold(1);
		if
		:: atomic {
			deaths < DEATHS ->
			deaths++;
			hold(-1);
			dead[me] = 1;
			goto end
		}
		:: true
		fi;
		hold(-1);
		mutex_take();
		exclusive = exclusive - alone;
		who[slot] = 0;
		released++;
		mutex_give();
		atomic { slot = 0; mine = 0; alone = 0; seen2 = 0 }
#endif
next:		skip
	:: else -> break
	od;
end:	skip;
	atomic { slot = 0; mine = 0; alone = 0; seen = 0; seen2 = 0; was = 0; ok = 0; n = 0; over = 0 }
}
