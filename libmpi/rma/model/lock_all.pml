/* SPDX-License-Identifier: BSD-3-Clause
 * lock_all.pml - MPI_Win_lock_all beside processes that lock several targets: none waits for ever.
 *
 *   lock k     readers, a writer, and a queue of waiters (lock.pml has the details): a process
 *              takes it if it is free and no process waits before it
 *   writers    lock 1, then 0: the opposite order of MPI_Win_lock_all
 *   others     try all; then take the free ones, wait for one of the rest, and so on (passive.c)
 *
 * The time for which it keeps them may end at any moment.  Checked: the end is reached from every
 * state in which a process waits (no other end states), and a process that has all locks holds all.
 *
 * Must fail: HOLD (that time has no end: a process keeps its locks). */
#define LOCKS   2
#define WRITERS 2
#define ALLS    2
#define NOBODY  255

byte readers[LOCKS];
bit writer[LOCKS];
chan queue[LOCKS] = [WRITERS + ALLS] of { byte };

#define free_shared(k) (!writer[k])
#define free_alone(k)  (!writer[k] && readers[k] == 0)

byte in_all, in_alone;

inline lock_alone(k)
{
	if
	:: atomic { free_alone(k) && empty(queue[k]) -> writer[k] = 1 }
	:: atomic { !free_alone(k) || nempty(queue[k]) -> queue[k] ! me };
		atomic { queue[k] ? [eval(me)] && free_alone(k) -> queue[k] ? eval(me); writer[k] = 1 }
	fi
}

inline drop_shared(k)
{
	skip;
	d_step { assert(readers[k] > 0); readers[k]--; has[k] = 0 }
}

inline give_back()
{
	j = 0;
	do
	:: j < LOCKS ->
		if
		:: has[j] -> drop_shared(j)
		:: else
		fi;
		j++
	:: else -> j = 0; break
	od
}

/* Takes the locks that are free; `wanted' is one of the rest. */
inline take_free()
{
	wanted = NOBODY;
	j = 0;
	do
	:: j < LOCKS ->
		atomic {
			ok = !has[j] && free_shared(j) && empty(queue[j]);
			if
			:: ok -> readers[j]++; has[j] = 1
			:: !ok && !has[j] -> wanted = j
			:: else
			fi
		}
		j++
	:: else -> j = 0; break
	od
}

proctype locks_two(byte me)
{
	lock_alone(1);
	lock_alone(0);
	d_step { in_alone++; assert(in_alone == 1 && in_all == 0) }
	in_alone--;
	writer[1] = 0;
	writer[0] = 0
}

proctype locks_all(byte me)
{
	bit has[LOCKS];
	byte wanted, j;
	bool ok;

	do
	:: true ->
		take_free();
		if
		:: wanted == NOBODY -> break
		:: else
		fi;
		queue[wanted] ! me;
		do
		:: atomic {
			queue[wanted] ? [eval(me)] && free_shared(wanted) ->
			queue[wanted] ? eval(me);
			readers[wanted]++;
			has[wanted] = 1
		   }
		   break
#ifndef HOLD
		:: has[0] || has[1] -> give_back()
#endif
		od
	od;
	skip;
	d_step { in_all++; assert(in_alone == 0 && has[0] && has[1]) }
	in_all--;
	give_back()
}

init
{
	byte k;

	atomic {
		do
		:: k < WRITERS -> run locks_two(k); k++
		:: k >= WRITERS && k < WRITERS + ALLS -> run locks_all(k); k++
		:: else -> break
		od
	}
}
