// SPDX-License-Identifier: BSD-3-Clause
/* addr.c - addresses as text and as the kernel's; listeners.
 *
 *     tcp:192.0.2.1:4711     tcp:[2001:db8::1]:4711     tcp:[fe80::1%eth0]:4711     unix:NAME
 *
 * Addresses to connect to consist of numbers, so no name service is asked in the middle of a
 * job.  An address to listen at may be a host's name or %INTERFACE. */
#include "libnet/net_inner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define HOST_LEN (NET_ADDR_LEN - 16) /* "tcp:[]:65535" has 12 */
#define BACKLOG  4096 /* ranks that may connect to one that is busy; the kernel may take less */

/* "tcp:HOST:PORT" or "tcp:[HOST]:PORT" in two. */
static bool tcp_split(const char *text, char host[HOST_LEN], char port[8])
{
	const char *at, *end;
	size_t n;

	if (strncmp(text, "tcp:", 4) != 0)
		return false;
	at = text + 4;
	end = strrchr(at, ':');
	if (!end || end == at || strlen(end + 1) == 0 || strlen(end + 1) >= 8)
		return false;
	memcpy(port, end + 1, strlen(end + 1) + 1);
	n = (size_t)(end - at);
	if (*at == '[') {
		if (end[-1] != ']' || n < 3)
			return false;
		at++;
		n -= 2;
	} else if (memchr(at, ':', n)) {
		return false;
	}
	if (n >= HOST_LEN || *at == '*')
		return false;
	memcpy(host, at, n);
	host[n] = '\0';
	return true;
}

static bool unix_read(const char *name, struct sockaddr_storage *sa, socklen_t *len)
{
	struct sockaddr_un *un = (struct sockaddr_un *)(void *)sa;
	size_t n = strlen(name);

	if (n >= sizeof(un->sun_path) || n >= NET_ADDR_LEN - 6)
		return false;
	memset(sa, 0, sizeof(*sa));
	un->sun_family = AF_UNIX;
	memcpy(un->sun_path + 1, name, n);
	*len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
	return true;
}

static bool resolve(
	const char *host, const char *port, int flags, struct sockaddr_storage *sa, socklen_t *len)
{
	struct addrinfo hint = {.ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
	struct addrinfo *found;
	int err = getaddrinfo(host, port, &hint, &found);

	if (err == EAI_MEMORY)
		errno = ENOMEM;
	if (err != 0)
		return false;
	memset(sa, 0, sizeof(*sa));
	memcpy(sa, found->ai_addr, found->ai_addrlen);
	*len = found->ai_addrlen;
	freeaddrinfo(found);
	return sa->ss_family == AF_INET || sa->ss_family == AF_INET6;
}

bool net_addr_read(const char *text, struct sockaddr_storage *sa, socklen_t *len)
{
	char host[HOST_LEN], port[8];

	if (strncmp(text, "unix:", 5) == 0)
		return text[5] != '\0' && unix_read(text + 5, sa, len);
	return tcp_split(text, host, port) && resolve(host, port, AI_NUMERICHOST, sa, len);
}

void net_addr_write(const struct sockaddr_storage *sa, socklen_t len, char text[NET_ADDR_LEN])
{
	const struct sockaddr_un *un = (const struct sockaddr_un *)(const void *)sa;
	char host[HOST_LEN], port[8];
	size_t head = offsetof(struct sockaddr_un, sun_path);

	if (sa->ss_family == AF_UNIX) {
		snprintf(text, NET_ADDR_LEN, "unix:%.*s",
			len > head + 1 ? (int)(len - head - 1) : 0,
			len > head + 1 ? un->sun_path + 1 : "");
		return;
	}
	if (getnameinfo((const struct sockaddr *)(const void *)sa, len, host, sizeof(host), port,
		    sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
		snprintf(text, NET_ADDR_LEN, "an unknown address");
		return;
	}
	snprintf(text, NET_ADDR_LEN, sa->ss_family == AF_INET6 ? "tcp:[%s]:%s" : "tcp:%s:%s", host,
		port);
}

/* --- listeners ------------------------------------------------------------------------------ */

static void set_port(struct sockaddr_storage *sa, const char *port)
{
	in_port_t p = htons((in_port_t)strtoul(port, NULL, 10));

	if (sa->ss_family == AF_INET)
		((struct sockaddr_in *)(void *)sa)->sin_port = p;
	else
		((struct sockaddr_in6 *)(void *)sa)->sin6_port = p;
}

/* The first address of an interface, of the older kind if it has both. */
static bool interface_addr(
	const char *name, const char *port, struct sockaddr_storage *sa, socklen_t *len)
{
	static const int families[] = {AF_INET, AF_INET6};
	struct ifaddrs *all, *i = NULL;

	if (getifaddrs(&all) != 0)
		return false;
	for (size_t f = 0; f < countof(families) && i == NULL; f++) {
		for (i = all; i != NULL; i = i->ifa_next) {
			if (i->ifa_addr != NULL && i->ifa_addr->sa_family == families[f] &&
				strcmp(i->ifa_name, name) == 0)
				break;
		}
	}
	if (i != NULL) {
		*len = i->ifa_addr->sa_family == AF_INET ? (socklen_t)sizeof(struct sockaddr_in)
							 : (socklen_t)sizeof(struct sockaddr_in6);
		memset(sa, 0, sizeof(*sa));
		memcpy(sa, i->ifa_addr, *len);
		set_port(sa, port);
	}
	freeifaddrs(all);
	return i != NULL;
}

static bool is_any(const struct sockaddr_storage *sa)
{
	const struct sockaddr_in *in4 = (const struct sockaddr_in *)(const void *)sa;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)sa;

	if (sa->ss_family == AF_INET)
		return in4->sin_addr.s_addr == htonl(INADDR_ANY);
	return sa->ss_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&in6->sin6_addr);
}

static bool where_read(const char *where, struct sockaddr_storage *sa, socklen_t *len)
{
	char host[HOST_LEN], port[8];

	if (strncmp(where, "unix:", 5) == 0)
		return unix_read(where + 5, sa, len);
	if (!tcp_split(where, host, port) || port[strspn(port, "0123456789")] != '\0')
		return false;
	if (host[0] == '%')
		return interface_addr(host + 1, port, sa, len);
	return resolve(host, port, 0, sa, len);
}

int net_listen(const char *where, int *fd, char *text)
{
	struct sockaddr_storage sa;
	socklen_t len;
	int s, on = 1, e;

	if (!where_read(where, &sa, &len) || is_any(&sa))
		return NET_BAD;
	s = socket(sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s < 0)
		return NET_SYS;
	if (sa.ss_family != AF_UNIX)
		setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	else if (where[5] == '\0')
		len = sizeof(sa.ss_family); /* the kernel finds a name */
	if (bind(s, (struct sockaddr *)&sa, len) != 0 || listen(s, BACKLOG) != 0) {
		e = errno;
		close(s);
		errno = e;
		return NET_SYS;
	}
	len = sizeof(sa);
	getsockname(s, (struct sockaddr *)&sa, &len);
	net_addr_write(&sa, len, text);
	*fd = s;
	return 0;
}
