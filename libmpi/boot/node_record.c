// SPDX-License-Identifier: BSD-3-Clause
/* node_record.c - see node_record.h.
 *
 * No value has a blank, '=', ';' or a newline: lines of PMI use them. */
#include "libmpi/boot/node_record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/request_text.h"
#include "libmpi/core/setting.h"

static int record_bad(int rank, const char *text)
{
	return boot_fail("rank %d says \"%.60s\": is it another version of this MPI?", rank, text);
}

/* --- the job -------------------------------------------------------------------------------- */

int boot_job_secret_put(struct kvs *k)
{
	struct job_secret s;
	char value[128];
	int n;

	if (getrandom(&s, sizeof(s), 0) != (ssize_t)sizeof(s))
		return boot_fail("no random numbers: %s", strerror(errno));
	n = snprintf(value, sizeof(value), "%d,%016" PRIx64 ",", NODE_VERSION, s.name);
	for (int i = 0; i < BOOT_KEY; i++)
		n += snprintf(value + n, sizeof(value) - (size_t)n, "%02x", s.key[i]);
	snprintf(value + n, sizeof(value) - (size_t)n, ",%d",
		haft_via_isolates(haft_setting_get(SETTING_VIA)));
	return boot_kvs_put(k, "job", value);
}

int boot_job_secret_get(struct kvs *k, struct job_secret *s)
{
	char value[KVS_VALUE], key[2 * BOOT_KEY + 1];
	int version, net;

	if (boot_kvs_get(k, 0, "job", value, sizeof(value)) != 0)
		return -1;
	if (sscanf(value, "%d,%" SCNx64 ",%32[0-9a-f],%d", &version, &s->name, key, &net) != 4 ||
		version != NODE_VERSION || strlen(key) != 2 * BOOT_KEY)
		return boot_fail(
			"rank 0 does not say what it should: is it another version of this "
			"MPI?");
	for (int i = 0; i < BOOT_KEY; i++)
		sscanf(key + 2 * i, "%2hhx", &s->key[i]);
	s->net = net != 0;
	return 0;
}

/* --- writing a record ----------------------------------------------------------------------- */

/* Writes rank[0 .. n-1] as runs. */
static void ranks_write(struct boot_text *t, int n, const int *rank)
{
	for (int i = 0, end; i < n; i = end) {
		int step = i + 1 < n ? rank[i + 1] - rank[i] : 1;

		for (end = i + 1; end < n && rank[end] - rank[end - 1] == step;)
			end++;
		if (end == i + 2 && step != 1)
			end = i + 1; /* two ranks are no run */
		boot_text_add(t, "%s%d", i > 0 ? "+" : "", rank[i]);
		if (end > i + 1)
			boot_text_add(t, "-%d", rank[end - 1]);
		if (end > i + 1 && step != 1)
			boot_text_add(t, "x%d", step);
	}
}

/* The bytes of an address before its port. */
static size_t address_host(const char *addr)
{
	const char *colon = strrchr(addr, ':');

	return colon != NULL ? (size_t)(colon + 1 - addr) : 0;
}

static void addresses_write(struct boot_text *t, int n, char *const *addr)
{
	for (int i = 0; i < n; i++) {
		size_t host = address_host(addr[i]);
		bool again = i > 0 && host == address_host(addr[i - 1]) &&
			     memcmp(addr[i], addr[i - 1], host) == 0;

		boot_text_add(t, "%s%s", i > 0 ? "/" : "", addr[i] + (again ? host : 0));
	}
}

char *boot_node_record(const char *name, int n, const int *rank, char *const *addr)
{
	struct boot_text t = {.v = NULL};
	char *text = NULL;

	boot_text_add(&t, "%.*s,", NODE_NAME - 1, name);
	ranks_write(&t, n, rank);
	boot_text_add(&t, ",");
	addresses_write(&t, n, addr);
	if (!t.full && asprintf(&text, "%d,%zu,%s", NODE_VERSION, t.len, t.v) < 0)
		text = NULL;
	free(t.v);
	return text;
}

int boot_node_record_put(struct kvs *k, const char *record)
{
	size_t len = strlen(record);
	char value[KVS_VALUE], key[32];

	for (size_t at = 0; at < len; at += KVS_VALUE - 1) {
		snprintf(key, sizeof(key), "node%zu", at / (KVS_VALUE - 1));
		snprintf(value, sizeof(value), "%s", record + at);
		if (boot_kvs_put(k, key, value) != 0)
			return -1;
	}
	return 0;
}

/* --- reading the records -------------------------------------------------------------------- */

/* Gets a whole record: malloc'ed, the caller's, in *body without its head. */
static int record_get(struct kvs *k, int rank, char **body)
{
	char value[KVS_VALUE], key[32];
	int version, len, head = 0;
	size_t have;

	if (boot_kvs_get(k, rank, "node0", value, sizeof(value)) != 0)
		return -1;
	if (sscanf(value, "%d,%d,%n", &version, &len, &head) != 2 || head == 0 ||
		version != NODE_VERSION || len < 1)
		return record_bad(rank, value);
	*body = malloc((size_t)len + KVS_VALUE);
	if (*body == NULL)
		return boot_fail("no memory for the record of a node, %d bytes", len);
	have = strlen(value + head);
	memcpy(*body, value + head, have + 1);
	for (int i = 1; have < (size_t)len; i++) {
		snprintf(key, sizeof(key), "node%d", i);
		if (boot_kvs_get(k, rank, key, value, sizeof(value)) != 0)
			return -1;
		if (value[0] == '\0')
			return record_bad(rank, *body);
		memcpy(*body + have, value, strlen(value) + 1);
		have += strlen(value);
	}
	return 0;
}

/* Reads one run, and moves *p behind it.  False: it is none. */
static bool run_read(const char **p, int *first, int *last, int *step)
{
	char *end;

	*first = *last = (int)strtol(*p, &end, 10);
	*step = 1;
	if (end == *p)
		return false;
	if (*end == '-')
		*last = (int)strtol(end + 1, &end, 10);
	if (*end == 'x')
		*step = (int)strtol(end + 1, &end, 10);
	*p = end + (*end == '+');
	return *step > 0 && *last >= *first;
}

/* Reads one address, and moves *p behind it.  `before' is the one before, or NULL.  malloc'ed;
 * NULL: it is none, or no memory. */
static char *address_read(const char **p, const char *before)
{
	size_t len = strcspn(*p, "/");
	bool whole = memchr(*p, ':', len) != NULL;
	char *addr = NULL;

	if (len == 0 || len >= BOOT_ADDR || (!whole && before == NULL))
		return NULL;
	if (asprintf(&addr, "%.*s%.*s", whole ? 0 : (int)address_host(before), whole ? "" : before,
		    (int)len, *p) < 0)
		return NULL;
	*p += len + ((*p)[len] == '/');
	return addr;
}

/* Adds the node with this record.  False: the record makes no sense. */
static bool record_add(struct node_table *t, const char *body)
{
	const char *ranks = strchr(body, ','), *addrs, *before = NULL;
	int first, last, step;

	addrs = ranks != NULL ? strchr(ranks + 1, ',') : NULL;
	if (addrs == NULL)
		return false;
	t->names[t->nhosts++] = strndup(body, (size_t)(ranks - body));
	ranks++;
	addrs++;
	while (*ranks != ',') {
		if (!run_read(&ranks, &first, &last, &step) || last >= t->nranks)
			return false;
		for (int r = first; r <= last; r += step) {
			if (r < 0 || t->host_of[r] >= 0)
				return false;
			t->host_of[r] = t->nhosts - 1;
			t->addr[r] = address_read(&addrs, before);
			before = t->addr[r];
			if (before == NULL)
				return false;
		}
	}
	return t->names[t->nhosts - 1] != NULL;
}

int boot_node_table_get(struct kvs *k, struct node_table *t)
{
	size_t n = (size_t)k->size;

	*t = (struct node_table){.nranks = k->size,
		.host_of = malloc(n * sizeof(*t->host_of)),
		.addr = calloc(n, sizeof(*t->addr)),
		.names = calloc(n, sizeof(*t->names))};
	if (t->host_of == NULL || t->addr == NULL || t->names == NULL)
		return boot_fail("no memory for a table of %d ranks", k->size);
	memset(t->host_of, -1, n * sizeof(*t->host_of));
	for (int r = 0; r < k->size; r++) {
		char *body = NULL;
		int err = t->host_of[r] < 0 ? record_get(k, r, &body) : 0;

		if (err == 0 && body != NULL && (!record_add(t, body) || t->host_of[r] < 0))
			err = record_bad(r, body);
		free(body);
		if (err != 0)
			return -1;
	}
	return 0;
}

void boot_node_table_free(struct node_table *t)
{
	for (int i = 0; i < t->nranks && t->addr != NULL; i++)
		free(t->addr[i]);
	for (int i = 0; i < t->nranks && t->names != NULL; i++)
		free(t->names[i]);
	free(t->host_of);
	free(t->addr);
	free(t->names);
}
