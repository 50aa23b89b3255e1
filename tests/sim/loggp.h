// SPDX-License-Identifier: BSD-3-Clause
/* loggp.h - runs the plans of all members of a collective call in simulated time.
 *
 *     sender  |o + c n|                           LogGP at two levels: between members of one host,
 *                     └─ NIC ─ g, G n ┐           and between hosts.  A host has one NIC: its
 *                                  L  └─ NIC ┐    messages leave, and arrive, one after another
 *     receiver                               └|o + c n|
 *
 * A message longer than `eager' goes by rendezvous: it leaves when its receive is there, and both
 * have heard so.  Within a host its receiver then copies it, G ns a byte.  A receiver handles
 * messages when it has come to a fence, in the order of their arrival.
 *
 * Members that behave alike
 *      If each host's members do what those of host 0 do, only shifted (FOLD_SHIFT: peer + d) or
 *      mirrored (FOLD_XOR: peer ^ d), one host stands for all.  Its message to host d is also that
 *      which it receives from the host as far away on the other side.
 *      Members of a host that send no messages, and only take part in its calls, are one (times).
 *
 * Invariants: events are handled in the order of their times; a message is matched once; in the
 * end no message is left, and each member has come to the end of its plan. */
#ifndef HAFT_TESTS_SIM_LOGGP_H
#define HAFT_TESTS_SIM_LOGGP_H

#include "tests/sim/coll_plan.h"

/* ns; G and c: ns a byte. */
struct loggp {
	double L; /* the wire, both NICs included */
	double o; /* a processor's time for a message, at each end */
	double c; /* a byte of an eager message, at each end */
	double g; /* the least time between two messages of a NIC */
	double G; /* a byte on the wire; within a host: of a message by rendezvous */
	int64_t eager;
};

struct machine {
	const char *name, *source;
	struct loggp host, net;
	struct plan_costs work;
	double line;   /* one member's line in shared memory, seen by another */
	int cores;     /* of a host, which its members share; 0: one for each */
	double change; /* from one process to another on a core */
};

#define FOLD_UNEQUAL 8 /* bytes by which parts of uneven lengths may differ between hosts */

enum fold { FOLD_NONE, FOLD_SHIFT, FOLD_XOR };

struct loggp_job {
	const struct machine *m;
	struct plan *plans; /* [members] */
	int members;        /* of the job; with a fold of host 0 */
	int hosts;          /* of the job */
	enum fold fold;
	bool data;      /* moves the plans' data as well */
	double stagger; /* member r begins at r * stagger */
	double limit;   /* ns: ends when the clock is there */
};

/* The time in ns when the last member is done; INFINITY: not before the limit.  first: when the
 * first is done.  Ends the program with words if an invariant does not hold. */
double loggp_run(const struct loggp_job *job, double *first);

#endif
