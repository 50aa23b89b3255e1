// SPDX-License-Identifier: BSD-3-Clause
/* hosts.c - the hosts that the user names, and which of them is this machine.
 *
 * Hostfiles of both families are read: "host", "host:4", "host slots=4 max-slots=8", comments by #.
 * A host's name is a word of a launcher's command line, so that nothing is taken for one that could
 * be an option of it, or mean something to a shell. */
#include "tools/mpiexec/plan.h"

#include <ctype.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "libshm/shm.h"

/* True if the two socket addresses mean the same host. */
static bool addr_same(const struct sockaddr *a, const struct sockaddr *b)
{
	if (a == NULL || b == NULL || a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return memcmp(&((const struct sockaddr_in *)(const void *)a)->sin_addr,
			       &((const struct sockaddr_in *)(const void *)b)->sin_addr,
			       sizeof(struct in_addr)) == 0;
	if (a->sa_family == AF_INET6)
		return memcmp(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr,
			       &((const struct sockaddr_in6 *)(const void *)b)->sin6_addr,
			       sizeof(struct in6_addr)) == 0;
	return false;
}

static bool addr_local(const struct sockaddr *a)
{
	struct ifaddrs *list = NULL;
	bool found = false;

	if (a->sa_family == AF_INET &&
		ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) >> 24 == 127)
		return true; /* all of 127/8 */
	if (getifaddrs(&list) != 0)
		return false;
	for (struct ifaddrs *i = list; i != NULL && !found; i = i->ifa_next)
		found = addr_same(a, i->ifa_addr);
	freeifaddrs(list);
	return found;
}

/* True if `a' is `b', or its first part up to a dot. */
static bool name_same(const char *a, const char *b)
{
	size_t len = strlen(a);

	return strncasecmp(a, b, len) == 0 && (b[len] == '\0' || b[len] == '.');
}

/* True if the host is this machine; `look': ask also for its addresses. */
static bool host_local(const char *name, bool look)
{
	struct addrinfo *list = NULL;
	char own[256] = "";
	bool found = false;

	if (strcasecmp(name, "localhost") == 0)
		return true;
	if (gethostname(own, sizeof own - 1) == 0 && (name_same(name, own) || name_same(own, name)))
		return true;
	if (!look)
		return false;
	if (getaddrinfo(name, NULL, &(struct addrinfo){.ai_socktype = SOCK_STREAM}, &list) != 0)
		return false;
	for (struct addrinfo *i = list; i != NULL && !found; i = i->ai_next)
		found = addr_local(i->ai_addr);
	freeaddrinfo(list);
	return found;
}

static bool name_good(const char *name)
{
	for (const char *c = name; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && strchr("._-:%@", *c) == NULL)
			return false;
	return name[0] != '\0' && name[0] != '-' && strstr(name, "@-") == NULL;
}

static void host_add(struct plan *p, const char *name, int slots)
{
	int i = 0;

	if (!name_good(name))
		die(EXIT_USAGE, "`%s' is no name of a host", name);
	while (i < p->nhosts && strcmp(p->host[i].name, name) != 0)
		i++;
	if (i < p->nhosts) {
		p->host[i].slots += slots;
	} else {
		p->host = grow(p->host, (size_t)p->nhosts + 1, sizeof *p->host);
		p->host[p->nhosts++] = (struct host){.name = text("%s", name), .slots = slots};
	}
	if (p->host[i].slots > SHM_RANKS_MAX || p->nhosts > SHM_RANKS_MAX)
		die(EXIT_USAGE, "more than %d slots, or hosts", SHM_RANKS_MAX);
}

/* One host, "name" or "name:slots" (IPv6 addresses in brackets), with its slots if they were said
 * elsewhere (0: not). */
static void host_take(struct plan *p, char *host, long slots)
{
	char *name = host[0] == '[' ? host + 1 : host;
	char *end = host[0] == '[' ? strchr(host, ']') : strrchr(host, ':');
	char *rest = host + strlen(host);

	if (end != NULL && (host[0] == '[' || strchr(host, ':') == end)) {
		rest = host[0] == '[' ? end + 1 : end;
		if (*rest == ':')
			slots = strtol(rest + 1, &rest, 10);
		*end = '\0';
	}
	if (*rest != '\0' || slots < 0 || slots > SHM_RANKS_MAX)
		die(EXIT_USAGE, "host `%s': its number of slots makes no sense", name);
	host_add(p, name, slots > 0 ? (int)slots : 1);
}

void hosts_list(struct plan *p, const char *list)
{
	char *copy = text("%s", list);
	char *save;
	int before = p->nhosts;

	for (char *h = strtok_r(copy, ",", &save); h != NULL; h = strtok_r(NULL, ",", &save))
		host_take(p, h, 0);
	if (p->nhosts == 0 || (before == p->nhosts && list[strspn(list, ",")] == '\0'))
		die(EXIT_USAGE, "no host in `%s'", list);
	free(copy);
}

/* A line of a hostfile. */
static void line_take(struct plan *p, char *line)
{
	char *save;
	char *host;
	long slots = 0;

	line[strcspn(line, "#\r\n")] = '\0';
	host = strtok_r(line, " \t", &save);
	if (host == NULL)
		return;
	for (char *w = strtok_r(NULL, " \t", &save); w != NULL; w = strtok_r(NULL, " \t", &save))
		if (strncmp(w, "slots=", 6) == 0)
			slots = strtol(w + 6, NULL, 10);
	host_take(p, host, slots);
}

void hosts_file(struct plan *p, const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	int before = p->nhosts;

	if (f == NULL)
		die(EXIT_USAGE, "cannot read hostfile %s: %s", path, strerror(errno));
	while (getline(&line, &cap, f) >= 0)
		line_take(p, line);
	if (p->nhosts == before && before == 0)
		die(EXIT_USAGE, "no host in hostfile %s", path);
	free(line);
	fclose(f);
}

/* Where agents need no launcher.  A launcher that the user has chosen starts them all: its hosts
 * may be this machine in a way that only it knows. */
static void local_find(struct plan *p)
{
	if (p->launcher != LAUNCH_SSH && p->launcher != LAUNCH_RSH)
		return;
	for (int i = 0; i < p->nhosts; i++)
		p->host[i].local = host_local(p->host[i].name, true);
}

int hosts_settle(struct plan *p)
{
	int n = 0, slots = 0, here = -1;

	local_find(p);
	for (int i = 0; i < p->nhosts; i++) {
		slots += p->ppn > 0 ? p->ppn : p->host[i].slots;
		if (p->host[i].local && here >= 0) {
			p->host[here].slots += p->host[i].slots;
			free(p->host[i].name);
			continue;
		}
		if (p->host[i].local)
			here = n;
		p->host[n++] = p->host[i];
	}
	p->nhosts = n;
	return n > 0 ? slots : p->ppn;
}
