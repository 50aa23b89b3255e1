// SPDX-License-Identifier: BSD-3-Clause
/* listen.c - see listen.h.  A socket is never bound to all addresses of a host, which may have some
 * that the job has no business with. */
#include "libmpi/boot/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG 4096 /* the kernel takes less if net.core.somaxconn is less */
#define PORT    "9"  /* discard: nothing is sent there, connect(2) only asks for the route */

/* Writes an IP address as text, without its port.  False: it is of another family. */
static bool ip_text(const struct sockaddr *a, socklen_t len, char *ip)
{
	if (a == NULL || (a->sa_family != AF_INET && a->sa_family != AF_INET6))
		return false;
	return getnameinfo(a, len, ip, LISTEN_IP, NULL, 0, NI_NUMERICHOST) == 0;
}

static struct addrinfo *ip_parse(const char *ip)
{
	struct addrinfo hint = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
	struct addrinfo *list = NULL;

	return getaddrinfo(ip, "0", &hint, &list) == 0 ? list : NULL;
}

static bool any_address(const struct sockaddr *a)
{
	if (a->sa_family == AF_INET)
		return ((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr == 0;
	return IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

/* Writes the address at which `fd' listens. */
static bool listen_text(int fd, char *text, size_t len)
{
	struct sockaddr_storage a;
	struct sockaddr *sa = (struct sockaddr *)(void *)&a;
	socklen_t alen = sizeof(a);
	char ip[LISTEN_IP], port[8];
	bool v6;

	if (getsockname(fd, sa, &alen) != 0 ||
		getnameinfo(sa, alen, ip, sizeof(ip), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return false;
	v6 = sa->sa_family == AF_INET6;
	snprintf(text, len, "tcp:%s%s%s:%s", v6 ? "[" : "", ip, v6 ? "]" : "", port);
	return true;
}

int boot_listen_open(const char *ip, char *text, size_t len)
{
	struct addrinfo *a = ip_parse(ip);
	int fd = -1, e;

	errno = EADDRNOTAVAIL;
	if (a != NULL && !any_address(a->ai_addr))
		fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && (bind(fd, a->ai_addr, a->ai_addrlen) != 0 || listen(fd, BACKLOG) != 0 ||
			       !listen_text(fd, text, len))) {
		e = errno;
		close(fd);
		errno = e;
		fd = -1;
	}
	if (a != NULL)
		freeaddrinfo(a);
	return fd;
}

/* How good an address is for connections from other hosts; 0: of no use. */
static int iface_preference(const struct ifaddrs *i)
{
	const struct sockaddr *a = i->ifa_addr;

	if (a == NULL || (i->ifa_flags & IFF_UP) == 0)
		return 0;
	if (a->sa_family == AF_INET)
		return (i->ifa_flags & IFF_LOOPBACK) != 0 ? 2 : 4;
	if (a->sa_family != AF_INET6 ||
		IN6_IS_ADDR_LINKLOCAL(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr))
		return 0;
	return (i->ifa_flags & IFF_LOOPBACK) != 0 ? 1 : 3;
}

static socklen_t addr_len(const struct sockaddr *a)
{
	return a->sa_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

/* The best address of interface `name' (NULL: of all), or the one that is `name'. */
static bool listen_own_find(const char *name, char *ip)
{
	struct ifaddrs *list = NULL;
	int best = 0;

	if (getifaddrs(&list) != 0)
		return false;
	for (struct ifaddrs *i = list; i != NULL; i = i->ifa_next) {
		char text[LISTEN_IP];

		if (iface_preference(i) <= best ||
			!ip_text(i->ifa_addr, addr_len(i->ifa_addr), text))
			continue;
		if (name != NULL && strcmp(name, i->ifa_name) != 0 && strcmp(name, text) != 0)
			continue;
		best = iface_preference(i);
		memcpy(ip, text, sizeof(text));
	}
	freeifaddrs(list);
	return best > 0;
}

/* This host's address on the route to `peer', by the kernel's table of routes; nothing is sent. */
static bool listen_route_find(const char *peer, char *ip)
{
	struct addrinfo hint = {.ai_socktype = SOCK_DGRAM};
	struct addrinfo *list = NULL;
	struct sockaddr_storage own;
	socklen_t len = sizeof(own);
	bool found = false;
	int fd;

	if (getaddrinfo(peer, PORT, &hint, &list) != 0)
		return false;
	for (struct addrinfo *a = list; a != NULL && !found; a = a->ai_next) {
		fd = socket(a->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (fd < 0)
			continue;
		found = connect(fd, a->ai_addr, a->ai_addrlen) == 0 &&
			getsockname(fd, (struct sockaddr *)(void *)&own, &len) == 0 &&
			ip_text((struct sockaddr *)(void *)&own, len, ip);
		close(fd);
	}
	freeaddrinfo(list);
	return found;
}

/* The address of this host to which ssh has connected: the third word of SSH_CONNECTION. */
static bool listen_ssh_find(char *ip)
{
	const char *s = getenv("SSH_CONNECTION");
	char word[LISTEN_IP];

	return s != NULL && sscanf(s, "%*s %*s %63s", word) == 1 && listen_own_find(word, ip);
}

const char *boot_listen_where(const char *iface, const char *name, const char *peer, char *ip)
{
	char own[LISTEN_IP];

	if (iface != NULL)
		return listen_own_find(iface, ip)
			       ? NULL
			       : "no interface that is up has this name or address";
	if (listen_ssh_find(ip))
		return NULL;
	if (peer != NULL && listen_route_find(peer, ip))
		return NULL;
	if (listen_route_find(name, own) && listen_own_find(own, ip) && strncmp(ip, "127.", 4) != 0)
		return NULL;
	return listen_own_find(NULL, ip) ? NULL : "no interface is up";
}
