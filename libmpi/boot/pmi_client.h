// SPDX-License-Identifier: BSD-3-Clause
/* pmi_client.h - the connection of pmi.c, for the requests of pmi_requests.c. */
#ifndef LIBMPI_BOOT_PMI_CLIENT_H
#define LIBMPI_BOOT_PMI_CLIENT_H

#include "libmpi/boot/kvs.h"

/* Sends one request of one line, with its newline, and waits for its answer.  0, or -1 with
 * boot_error_text(). */
int boot_pmi_ask(const char *answer, const char *line);

/* Copies a word of the last answer.  0, or -1 with boot_error_text(). */
int boot_pmi_take(const char *key, char *value, size_t size);

/* Sends a request whose answer comes later.  0, or -1 with boot_error_text(). */
int boot_pmi_send(const char *text, size_t len);

/* Waits at most `ms' for the answer of a spawn; *line is malloc'ed.  1: it is there; 0: not yet;
 * -1: boot_error_text().  boot_pmi_spawn_forget: it is of no use any more. */
int boot_pmi_spawn_wait(int ms, char **line);
void boot_pmi_spawn_forget(void);

/* pmi_requests.c */
int boot_pmi_spawn(struct kvs *k, const struct boot_part *parts, int n);
int boot_pmi_spawned(struct kvs *k, int ms);
int boot_pmi_publish(struct kvs *k, const char *service, const char *port);
int boot_pmi_lookup(struct kvs *k, const char *service, char *port, size_t len);
int boot_pmi_unpublish(struct kvs *k, const char *service);

#endif
