// SPDX-License-Identifier: BSD-3-Clause
/* list.h - queues: singly linked, of any struct that has a member `next'.
 *
 *     q->head ──> node ──next──> node ──next──> NULL
 *     q->tail ─────────────────────^            both NULL: empty
 *
 * q points to any struct with members `head' and `tail'.  No lock; arguments are evaluated
 * twice. */
#ifndef HAFT_CORE_LIST_H
#define HAFT_CORE_LIST_H

#include <stddef.h>

/* Puts node behind the last one. */
#define LIST_APPEND(q, node)                                                   \
	do {                                                                   \
		(node)->next = NULL;                                           \
		*((q)->tail != NULL ? &(q)->tail->next : &(q)->head) = (node); \
		(q)->tail = (node);                                            \
	} while (0)

/* Removes the first one into node; NULL if there is none. */
#define LIST_TAKE(q, node)                        \
	do {                                      \
		(node) = (q)->head;               \
		if ((node) != NULL) {             \
			(q)->head = (node)->next; \
			if ((q)->head == NULL)    \
				(q)->tail = NULL; \
		}                                 \
	} while (0)

#endif
