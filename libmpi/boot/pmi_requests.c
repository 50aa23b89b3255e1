// SPDX-License-Identifier: BSD-3-Clause
/* pmi_requests.c - requests of a running process to a PMI-1 server: spawn, names of ports.
 *
 *   mcmd=spawn, lines KEY=VALUE, endcmd            ->  cmd=spawn_result rc=0
 *   cmd=publish_name service=S port=P              ->  cmd=publish_result info=ok
 *   cmd=lookup_name service=S                      ->  cmd=lookup_result info=ok port=P
 *   cmd=unpublish_name service=S                   ->  cmd=unpublish_result info=ok
 *
 * Servers do not pass an environment on: variables go by env(1). */
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/launch_part.h"
#include "libmpi/boot/pmi_client.h"
#include "libmpi/boot/pmi_word.h"
#include "libmpi/boot/request_text.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- spawn ---------------------------------------------------------------------------------- */

/* A value that a line can carry. */
static bool value_good(const char *v)
{
	return strchr(v, '\n') == NULL && strchr(v, '\r') == NULL;
}

static void arg_put(struct boot_text *t, int *n, const char *v)
{
	boot_text_add(t, "arg%d=", ++*n);
	boot_text_put(t, v, strlen(v));
	boot_text_put(t, "\n", 1);
}

static void info_put(struct boot_text *t, int *n, const char *key, const char *value)
{
	boot_text_add(t, "info_key_%d=%s\ninfo_val_%d=", *n, key, *n);
	boot_text_put(t, value, strlen(value));
	boot_text_put(t, "\n", 1);
	++*n;
}

/* The words of the program.  A variable of several lines is left out. */
static void words_put(struct boot_text *t, const char **words)
{
	int n = 0;

	boot_text_add(t, "execname=");
	boot_text_put(t, words[0], strlen(words[0]));
	boot_text_put(t, "\n", 1);
	for (int i = 1; words[i] != NULL; i++)
		if (value_good(words[i]))
			arg_put(t, &n, words[i]);
	boot_text_add(t, "argcnt=%d\n", n);
}

/* Refuses names that lines cannot carry: unlike variables, they cannot be left out. */
static int part_check(const struct boot_part *p)
{
	char *const *argv = p->command->argv;
	bool good = value_good(p->file) && value_good(p->wdir);

	for (int i = 0; argv != NULL && argv[i] != NULL; i++)
		good &= value_good(argv[i]);
	return good ? 0
		    : boot_fail(
			      "a file name or an argument of %s has more than one line, which PMI "
			      "cannot carry",
			      p->command->path);
}

static int part_put(struct boot_text *t, const struct boot_part *p, int i, int n)
{
	const char **words = boot_part_words(p, true);
	int infos = 0, err = part_check(p);

	if (err == 0 && words == NULL)
		err = boot_fail("no memory for a request to the launcher");
	if (err != 0) {
		free(words);
		return err;
	}
	boot_text_add(t, "mcmd=spawn\nnprocs=%d\n", p->command->maxprocs);
	words_put(t, words);
	free(words);
	boot_text_add(t, "totspawns=%d\nspawnssofar=%d\n", n, i + 1);
	boot_text_add(t, "preput_num=0\n");
	info_put(t, &infos, "wdir", p->wdir);
	for (int k = 0; k < p->nkeys; k++)
		if (p->key[k].pmi != NULL && value_good(p->key[k].value))
			info_put(t, &infos, p->key[k].pmi, p->key[k].value);
	boot_text_add(t, "info_num=%d\nendcmd\n", infos);
	return 0;
}

int boot_pmi_spawn(struct kvs *k, const struct boot_part *parts, int n)
{
	struct boot_text t = {.v = NULL};
	int err = 0;

	(void)k;
	/* Slurm 22 waits for free CPUs without an end, and splits arguments at their blanks. */
	if (getenv("SLURM_STEP_ID") != NULL)
		return boot_fail("processes that srun's PMI starts have other arguments");
	for (int i = 0; i < n && err == 0; i++)
		err = part_put(&t, &parts[i], i, n);
	if (err == 0 && t.full)
		err = boot_fail("no memory for a request to the launcher");
	if (err == 0)
		err = boot_pmi_send(t.v, t.len);
	free(t.v);
	return err;
}

int boot_pmi_spawned(struct kvs *k, int ms)
{
	char *line;
	int got = boot_pmi_spawn_wait(ms, &line);
	const char *rc;
	size_t len;

	(void)k;
	if (got <= 0)
		return got;
	rc = boot_pmi_word(line, "rc", &len);
	if (rc != NULL && atoi(rc) != 0)
		got = boot_fail("the launcher refuses to start processes: \"%.200s\"", line);
	free(line);
	return got;
}

/* --- names ---------------------------------------------------------------------------------- */

/* Asks with a service and perhaps a port.  Servers say in `info' or in `rc' whether they could. */
static int name_ask(const char *command, const char *answer, const char *service, const char *port)
{
	struct boot_text t = {.v = NULL};
	char info[32];
	int err;

	boot_text_add(&t, "cmd=%s service=", command);
	boot_text_escape(&t, service, true);
	if (port != NULL) {
		boot_text_put(&t, " port=", 6);
		boot_text_escape(&t, port, true);
	}
	boot_text_put(&t, "\n", 1);
	err = t.full ? boot_fail("no memory for a request to the launcher")
		     : boot_pmi_ask(answer, t.v);
	free(t.v);
	if (err == 0 && boot_pmi_take("info", info, sizeof(info)) == 0 && strcmp(info, "ok") != 0)
		err = boot_fail("the launcher says: %s", info);
	return err;
}

int boot_pmi_publish(struct kvs *k, const char *service, const char *port)
{
	(void)k;
	return name_ask("publish_name", "publish_result", service, port);
}

int boot_pmi_lookup(struct kvs *k, const char *service, char *port, size_t len)
{
	char word[3 * MPI_MAX_PORT_NAME];

	(void)k;
	if (name_ask("lookup_name", "lookup_result", service, NULL) != 0 ||
		boot_pmi_take("port", word, sizeof(word)) != 0)
		return -1;
	boot_text_unescape(port, len, word, strlen(word));
	return 0;
}

int boot_pmi_unpublish(struct kvs *k, const char *service)
{
	(void)k;
	return name_ask("unpublish_name", "unpublish_result", service, NULL);
}
