// SPDX-License-Identifier: BSD-3-Clause
/* hardware.h - the parts of this machine, as hwloc sees them.
 *
 *     hwloc://Machine   instance 0            this process may run here only: one instance
 *     hwloc://L3Cache   instance 1            the second of several
 *     hwloc://Core      HAFT_HW_MANY          it may run on more than one: not restricted
 *
 * libhwloc is loaded (dlopen) at the first question, because few programs ask.  Without it no kind
 * is known. */
#ifndef HAFT_CORE_HARDWARE_H
#define HAFT_CORE_HARDWARE_H

#define HAFT_HW_NAME  32 /* bytes of a kind's name: "hwloc://" and the longest of hwloc's types */
#define HAFT_HW_KINDS 24 /* hwloc 2 has 20 types */
#define HAFT_HW_MANY  (-1)

/* A kind of part, and where this process is in it. */
struct haft_hw {
	char name[HAFT_HW_NAME];
	int instance; /* hwloc's logical index of the only one it may run on, or HAFT_HW_MANY */
	int count;    /* instances in this machine */
};

/* Writes the kinds that this machine has to rows, the largest parts first, memory last; returns
 * their number, 0 if nothing is known.  It looks at the process's present binding, so answers may
 * change.  Any thread; the first call may take tens of milliseconds. */
int haft_hw_kinds(struct haft_hw rows[HAFT_HW_KINDS]);

/* The row of the kind with this name (hwloc's names differ in case from tool to tool: case does not
 * count), or -1. */
int haft_hw_find(const struct haft_hw *rows, int n, const char *name);

#endif
