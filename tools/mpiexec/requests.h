// SPDX-License-Identifier: BSD-3-Clause
/* requests.h - what processes ask mpiexec for while they run: spawn, names, where a process is.
 *
 *   process ── its PMI socket ──> pmi_server.c ──┬── one host ────────────> request_do
 *                                                '── proxy ── UP_REQUEST ─> request_do
 *           <── pmi_reply <──────────────────────┬─────────── request_reply
 *                                                '── FRAME_REPLY ── proxy */
#ifndef HAFT_TOOLS_MPIEXEC_REQUESTS_H
#define HAFT_TOOLS_MPIEXEC_REQUESTS_H

/* The pmi_request_fn of the root; arg: struct job. */
void request_do(void *arg, int entry, const char *text);

struct job;

/* Replies to the request of a process with one line, to which a newline is added. */
__attribute__((format(printf, 3, 4))) void request_reply(
	struct job *j, int entry, const char *fmt, ...);

/* A copy of a text as a word of a reply: %XX for bytes that would end the word or the line, and
 * for %.  libmpi reads it by boot_text_unescape.  malloc'ed. */
char *request_word(const char *text);

#endif
