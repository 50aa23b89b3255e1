/* SPDX-License-Identifier: BSD-3-Clause
 * stage.pml - the two halves of a stage, and where members stop after an error (stage_local.c).
 *
 *   write          pack 0 | X | round r: stopped before r?  store r;  pack r + 1 | X | ...
 *   with holes     load 0, 1 | X | pack 0 | X | round r: stopped?  store r;  load r + 2;  pack ...
 *   read           load 0 | X | round r: stopped by r?  load r + 1;  unpack r | X | ...
 *
 * X is an exchange: a member leaves it when all have come.  Round r uses half r mod 2.  Any load
 * and any store of an aggregator may fail.  Odd aggregators pack round r + 1 before they store r.
 *
 * Checked: no half is packed while it is stored or holds another round; a store has the data of all
 * members; with holes a half is loaded before it is packed; an unpacked half is the round's; all
 * members leave after one number of exchanges (the end states).
 *
 * Must fail: AT_ONCE (members stop at any error that they see), ONE_HALF (all rounds use one half),
 * UNREADY (with holes: no exchange between loads and packs), BOTH (read: half r + 1 is loaded
 * before the exchange of round r). */
#ifndef MEMBERS
#define MEMBERS 3
#endif
#ifndef AGGREGATORS
#define AGGREGATORS 2
#endif
#ifndef ROUNDS
#define ROUNDS 4
#endif
#define PACKS_FIRST (_pid % 2 == 1)
#ifdef ONE_HALF
#define half(a, r) ((a) * 2)
#else
#define half(a, r) ((a) * 2 + (r) % 2)
#endif

byte come, left;                     /* members in an exchange; exchanges that are over */
byte holds[2 * AGGREGATORS];         /* by half: 1 + the round whose data it has; 0: none */
byte packs[2 * AGGREGATORS];         /* members that have packed it */
bit disk[2 * AGGREGATORS];           /* a system call uses it */
byte failed[AGGREGATORS];            /* 1 + the first round that failed; 0: none */

inline exchange()
{
	atomic {
		seen = left;
		come++;
		if
		:: come == MEMBERS -> come = 0; left++
		:: else
		fi
	}
	left != seen
}

inline fail(round)
{
	if
	:: failed[_pid] == 0 -> failed[_pid] = round + 1
	:: else
	fi
}

/* Reads round r into its half. */
inline load(r)
{
	if
	:: _pid < AGGREGATORS && r < ROUNDS ->
		disk[half(_pid, r)] = 1;
		if
		:: atomic { holds[half(_pid, r)] = r + 1; disk[half(_pid, r)] = 0 }
		:: atomic { disk[half(_pid, r)] = 0; fail(r) }
		fi
	:: else
	fi
}

/* Writes the half of round r, which then is free. */
inline store(r)
{
	if
	:: _pid < AGGREGATORS && (failed[_pid] == 0 || failed[_pid] - 1 > r) ->
		atomic {
			assert(packs[half(_pid, r)] == MEMBERS);
			assert(holds[half(_pid, r)] == r + 1);
			packs[half(_pid, r)] = 0;
			disk[half(_pid, r)] = 1
		}
		if
		:: atomic { holds[half(_pid, r)] = 0; disk[half(_pid, r)] = 0 }
		:: atomic { holds[half(_pid, r)] = 0; disk[half(_pid, r)] = 0; fail(r) }
		fi
	:: else
	fi
}

inline pack(r)
{
	a = 0;
	do
	:: a < AGGREGATORS ->
		atomic {
			assert(!disk[half(a, r)]);
#ifdef HOLES
			assert(holds[half(a, r)] == r + 1 ||
				(failed[a] != 0 && failed[a] <= r + 1));
#else
			assert(holds[half(a, r)] == 0 || holds[half(a, r)] == r + 1);
			holds[half(a, r)] = r + 1;
#endif
			packs[half(a, r)]++;
			a++
		}
	:: else -> break
	od
}

inline unpack(r)
{
	a = 0;
	do
	:: a < AGGREGATORS ->
		atomic {
			assert(failed[a] != 0 || holds[half(a, r)] == r + 1);
			assert(failed[a] != 0 || !disk[half(a, r)]);
			a++
		}
	:: else -> break
	od
}

/* Has an aggregator failed in round `last' or before? */
inline stop_check(last)
{
	a = 0;
	stop = 0;
	do
	:: a < AGGREGATORS ->
#ifdef AT_ONCE
		stop = stop || failed[a] != 0;
#else
		stop = stop || (failed[a] != 0 && failed[a] <= last + 1);
#endif
		a++
	:: else -> break
	od
}

inline write_rounds()
{
#ifdef HOLES
	load(0);
	load(1);
#ifndef UNREADY
	exchange();
#endif
#endif
	pack(0);
	exchange();
	do
	:: true ->
		if
		:: r > 0 -> stop_check(r - 1)
		:: else
#ifdef AT_ONCE
			-> stop_check(0)
#endif
		fi;
		if
		:: stop -> break
		:: else
		fi;
		if
		:: PACKS_FIRST && r + 1 < ROUNDS -> pack(r + 1)
		:: else
		fi;
		store(r);
#ifdef HOLES
		load(r + 2);
#endif
		r++;
		if
		:: r == ROUNDS -> break
		:: else
		fi;
		if
		:: !PACKS_FIRST -> pack(r)
		:: else
		fi;
		exchange()
	od
}

inline read_rounds()
{
	load(0);
#ifdef BOTH
	load(1);
#endif
	exchange();
	do
	:: true ->
		stop_check(r);
#ifdef BOTH
		if
		:: !stop -> load(r + 2)
		:: else
		fi;
#else
		if
		:: !stop -> load(r + 1)
		:: else
		fi;
#endif
		unpack(r);
		r++;
		if
		:: r == ROUNDS || stop -> break
		:: else
		fi;
		exchange()
	od
}

active [MEMBERS] proctype member()
{
	byte r, a, seen;
	bit stop;

#ifdef READ
	read_rounds();
#else
	write_rounds();
#endif
	exchange() /* the last one, with the results */
}
