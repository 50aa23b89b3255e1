// SPDX-License-Identifier: BSD-3-Clause
/* members.h - members that send to each other, and of which some die: a simulated network.
 *
 *      members_send ──> any time, but a pair in order ──────────────> members_test.got
 *      members_die_some_time: at a time, or when it has sent so many messages
 *                   ──> each other member, at a time of its own ────> members_test.heard
 *
 * As over a broken connection, some of the last messages of the dead are lost.  In a quarter of
 * the runs each some pairs are slow, news of deaths are, or members die at the same time.
 *
 * Invariants: events come by time, and of one time in the order in which they were added.  A dead
 * member gets nothing and sends nothing.  No member gets a message of one of whose death it has
 * heard.  A run is a function of its seed alone. */
#ifndef HAFT_TESTS_SIM_MEMBERS_H
#define HAFT_TESTS_SIM_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MEMBERS_MAX     64
#define MEMBERS_MESSAGE 256 /* bytes of the longest one */

struct members_test {
	void (*act)(int m); /* the time of members_act_at has come */
	void (*got)(int m, int from, const void *msg, size_t len);
	void (*heard)(int m, int dead);
};

/* Runs `run' for each seed, by the arguments [SEEDS [FIRST]].  Prints their number and `words'. */
int members_main(int argc, char **argv, void (*run)(uint64_t seed), const char *words);

/* Begins a run; then members_rnd draws from the seed: 0 .. below - 1. */
void members_seed(uint64_t seed);
uint64_t members_rnd(uint64_t below);

/* There are n members, without events.  steady: all messages take STEADY_TIME. */
#define MEMBERS_STEADY_TIME 10
void members_reset(int n, bool steady, const struct members_test *t);

/* Before members_run: events that will come. */
void members_act_at(int m, uint64_t time);
void members_closed_until(int m, uint64_t time); /* messages to it wait until then */
void members_die_some_time(int m); /* by the seed: at a time, or after some messages of its own */

/* Until nothing happens any more. */
void members_run(void);

/* In a callback.  The sender may die by it: then its further messages are dropped. */
void members_send(int from, int to, const void *msg, size_t len);

bool members_dead(int m);
const bool *members_heard(int m); /* by member: has m heard of its death? */

#endif
