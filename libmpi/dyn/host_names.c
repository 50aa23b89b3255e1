// SPDX-License-Identifier: BSD-3-Clause
/* host_names.c - names of services on one host: see host_names.h. */
#include "libmpi/dyn/host_names.h"

#include "libmpi/core/err.h"
#include "libnet/net.h"
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define NAME_LEN     108 /* bytes of an abstract name: sun_path */
#define SERVICE_TEXT (DYN_SERVICE_MAX + MPI_MAX_PORT_NAME + 8) /* name, port, two newlines */

/* A name that this process has published. */
struct service {
	struct service *next;
	int taken, where; /* the two sockets */
	int text;         /* memfd */
	char service[];
};

static struct service *services;

static struct service **service_find(const char *service)
{
	struct service **at = &services;

	while (*at != NULL && strcmp((*at)->service, service) != 0)
		at = &(*at)->next;
	return at;
}

/* The abstract name that says that a service is taken. */
static void service_socket(const char *service, char text[NAME_LEN])
{
	static const uint8_t no_key[NET_KEY_LEN];
	uint8_t hash[16];
	int n = snprintf(text, NAME_LEN, "haft-name-%u-", (unsigned)geteuid());

	net_mac(no_key, service, strlen(service), hash);
	for (size_t i = 0; i < sizeof(hash); i++)
		n += snprintf(text + n, NAME_LEN - (size_t)n, "%02x", hash[i]);
}

/* Binds a socket to an abstract name.  -1 with errno. */
static int service_bind(const char *text)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	size_t len = strlen(text);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), e;

	memcpy(a.sun_path + 1, text, len);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a,
			      (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len)) == 0)
		return fd;
	e = errno;
	close(fd);
	errno = e;
	return -1;
}

static void service_free(struct service *n)
{
	close(n->where);
	close(n->text);
	close(n->taken);
	free(n);
}

/* A memfd with the text of a name.  -1: errno says why not. */
static int service_memfd(const char *service, const char *port)
{
	char text[SERVICE_TEXT];
	int len = snprintf(text, sizeof(text), "%s\n%s\n", service, port);
	int fd = memfd_create("haft-name", MFD_CLOEXEC), e;

	if (fd < 0 || write(fd, text, (size_t)len) == len)
		return fd;
	e = errno;
	close(fd);
	errno = e;
	return -1;
}

/* Gives a name another port.  A process that looks it up meanwhile reads the old text or the new
 * one: dup3 puts another file behind the number that others open.  False: errno says why not. */
static bool service_swap(const struct service *n, const char *port)
{
	int fresh = service_memfd(n->service, port);
	bool good = fresh >= 0 && dup3(fresh, n->text, O_CLOEXEC) >= 0;
	int e = errno;

	if (fresh >= 0)
		close(fresh);
	errno = e;
	return good;
}

/* Reads the port of a name of this process. */
static bool service_own(const struct service *n, char *port, size_t len)
{
	size_t head = strlen(n->service) + 1; /* with the end of its line */
	ssize_t got = pread(n->text, port, len, (off_t)head);
	char *end = got > 0 ? memchr(port, '\n', (size_t)got) : NULL;

	if (end != NULL)
		*end = '\0';
	return end != NULL;
}

bool dyn_service_mine(const char *service, char *port, size_t len)
{
	const struct service *mine = *service_find(service);

	return mine != NULL && service_own(mine, port, len);
}

/* --- publishing ----------------------------------------------------------------------------- */

static int service_no_room(const char *service)
{
	return haft_err(MPI_ERR_SERVICE, "\"%.80s\" cannot be published on this host: %s", service,
		strerror(errno));
}

/* Makes what others look for.  Closes `taken' if that fails. */
static int service_show(const char *service, const char *port, const char *socket_name, int taken)
{
	size_t len = strlen(service) + 1;
	struct service *n = calloc(1, sizeof(*n) + len);
	char where[NAME_LEN + 32];

	if (n == NULL) {
		close(taken);
		return haft_err(MPI_ERR_NO_MEM, "no memory for a name");
	}
	memcpy(n->service, service, len);
	n->taken = taken;
	n->where = -1;
	n->text = service_memfd(service, port);
	if (n->text >= 0) {
		snprintf(where, sizeof(where), "%s-%d-%d", socket_name, (int)getpid(), n->text);
		n->where = service_bind(where);
	}
	if (n->where < 0) {
		int err = service_no_room(service);

		service_free(n);
		return err;
	}
	n->next = services;
	services = n;
	return 0;
}

int dyn_service_publish(const char *service, const char *port, bool replace)
{
	struct service *mine = *service_find(service);
	char text[NAME_LEN];
	int taken;

	if (mine != NULL && replace)
		return service_swap(mine, port) ? 0 : service_no_room(service);
	service_socket(service, text);
	taken = mine == NULL ? service_bind(text) : -1;
	if (mine != NULL || (taken < 0 && errno == EADDRINUSE))
		return haft_err(MPI_ERR_SERVICE,
			"\"%.80s\" is published already on this host, by %s process", service,
			mine != NULL ? "this" : "another");
	return taken < 0 ? service_no_room(service) : service_show(service, port, text, taken);
}

static void service_forget(struct service **at)
{
	struct service *n = *at;

	*at = n->next;
	service_free(n);
}

int dyn_service_unpublish(const char *service, const char *port)
{
	struct service **at = service_find(service);
	char now[MPI_MAX_PORT_NAME + 2];

	if (*at == NULL)
		return haft_err(
			MPI_ERR_SERVICE, "\"%.80s\" was not published by this process", service);
	if (service_own(*at, now, sizeof(now)) && strcmp(now, port) != 0)
		return haft_err(
			MPI_ERR_SERVICE, "\"%.80s\" is published with another port", service);
	service_forget(at);
	return 0;
}

HAFT_START void dyn_service_close(void)
{
	while (services != NULL)
		service_forget(&services);
}

/* --- looking up ----------------------------------------------------------------------------- */

/* Reads the port from the memfd of a process, if it is that of the service. */
static bool service_read(int pid, int memfd, const char *service, char *port, size_t len)
{
	char path[64], text[SERVICE_TEXT];
	size_t head = strlen(service);
	ssize_t n = -1;
	char *end;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, memfd);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd >= 0 && fcntl(fd, F_GET_SEALS) >= 0) /* only a memfd has seals */
		n = read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	if (strncmp(text, service, head) != 0 || text[head] != '\n')
		return false;
	end = strchr(text + head + 1, '\n');
	if (end == NULL || (size_t)(end - (text + head + 1)) >= len)
		return false;
	*end = '\0';
	memcpy(port, text + head + 1, strlen(text + head + 1) + 1);
	return true;
}

/* The kernel's list of UNIX sockets has one a line; abstract names begin with '@'. */
static bool service_search(FILE *list, const char *service, char *port, size_t len)
{
	char text[NAME_LEN], want[NAME_LEN + 4], line[512];
	int pid, memfd;

	service_socket(service, text);
	snprintf(want, sizeof(want), " @%s", text);
	while (fgets(line, sizeof(line), list) != NULL) {
		const char *at = strstr(line, want);

		if (at != NULL && sscanf(at + strlen(want), "-%d-%d", &pid, &memfd) == 2 &&
			service_read(pid, memfd, service, port, len))
			return true;
	}
	return false;
}

int dyn_service_lookup(const char *service, char *port, size_t len)
{
	FILE *list;
	bool found;

	if (dyn_service_mine(service, port, len))
		return 0;
	list = fopen("/proc/net/unix", "re");
	found = list != NULL && service_search(list, service, port, len);
	if (list != NULL)
		fclose(list);
	if (found)
		return 0;
	return haft_err(MPI_ERR_NAME,
		"no process of this user on this host has published \"%.80s\"", service);
}
