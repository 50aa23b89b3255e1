// SPDX-License-Identifier: BSD-3-Clause
/* hosts.c - are the hosts that the user names this machine?
 *
 * A job runs on one machine for now: a host of another name is refused before anything is started.
 * Hostfiles of both families are read: "host", "host:4", "host slots=4 max-slots=8", comments by #.
 */
#include "tools/mpiexec/plan.h"

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

static bool host_local(const char *name)
{
	struct addrinfo *list = NULL;
	char own[256] = "";
	bool found = false;

	if (strcasecmp(name, "localhost") == 0)
		return true;
	if (gethostname(own, sizeof own - 1) == 0 && (name_same(name, own) || name_same(own, name)))
		return true;
	if (getaddrinfo(name, NULL, &(struct addrinfo){.ai_socktype = SOCK_STREAM}, &list) != 0)
		return false;
	for (struct addrinfo *i = list; i != NULL && !found; i = i->ai_next)
		found = addr_local(i->ai_addr);
	freeaddrinfo(list);
	return found;
}

/* One host, "name" or "name:slots" (IPv6 addresses in brackets), with its slots if they were said
 * elsewhere (0: not).  Returns its slots. */
static int host_take(char *host, long slots)
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
	if (!host_local(name))
		die(EXIT_USAGE,
			"host `%s' is not this machine: this version runs a job on one machine",
			name);
	return slots > 0 ? (int)slots : 1;
}

int hosts_list(const char *list)
{
	char *copy = text("%s", list);
	char *save;
	int slots = 0;

	for (char *h = strtok_r(copy, ",", &save); h != NULL; h = strtok_r(NULL, ",", &save))
		slots += host_take(h, 0);
	if (slots == 0)
		die(EXIT_USAGE, "no host in `%s'", list);
	free(copy);
	return slots;
}

/* A line of a hostfile.  Returns the slots it adds. */
static int line_take(char *line)
{
	char *save;
	char *host;
	long slots = 0;

	line[strcspn(line, "#\r\n")] = '\0';
	host = strtok_r(line, " \t", &save);
	if (host == NULL)
		return 0;
	for (char *w = strtok_r(NULL, " \t", &save); w != NULL; w = strtok_r(NULL, " \t", &save))
		if (strncmp(w, "slots=", 6) == 0)
			slots = strtol(w + 6, NULL, 10);
	return host_take(host, slots);
}

int hosts_file(const char *path)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0;
	int slots = 0;

	if (f == NULL)
		die(EXIT_USAGE, "cannot read hostfile %s: %s", path, strerror(errno));
	while (getline(&line, &cap, f) >= 0)
		slots += line_take(line);
	if (slots == 0)
		die(EXIT_USAGE, "no host in hostfile %s", path);
	free(line);
	fclose(f);
	return slots;
}
