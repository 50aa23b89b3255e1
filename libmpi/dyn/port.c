// SPDX-License-Identifier: BSD-3-Clause
/* port.c - opening and closing ports: see port.h. */
#include "libmpi/dyn/port.h"

#include "libmpi/boot/listen.h"
#include "libmpi/core/err.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/valid.h"
#include "libmpi/dyn/port_clients.h"
#include "libmpi/env/info.h"
#include "libmpi/via/via.h"
#include <engine.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define PORT_PREFIX "haft://"

static struct dyn_port *ports; /* all open ones of this process */

/* --- opening -------------------------------------------------------------------------------- */

/* Opens a listener of a port.  False: errno says why. */
static bool port_listen(struct dyn_port *p, const char *where, char text[NET_ADDR_LEN])
{
	int err = net_listen(where, &p->fd[p->nfd], text);

	if (err == NET_BAD)
		errno = EADDRNOTAVAIL;
	if (err != 0)
		return false;
	p->nfd++;
	return true;
}

/* Opens the listener for other hosts, at the address that info or the settings name. */
static int port_listen_tcp(struct dyn_port *p, const struct info *info, char text[NET_ADDR_LEN])
{
	const char *ip = info != NULL ? env_info_find(info, "ip_address") : NULL, *why = NULL;
	char own[LISTEN_IP], where[NET_ADDR_LEN];
	int number = 0;

	if (!env_info_number(info, "ip_port", &number) && info != NULL &&
		env_info_find(info, "ip_port") != NULL)
		return haft_err(MPI_ERR_INFO_VALUE, "ip_port is \"%.40s\", which is no number",
			env_info_find(info, "ip_port"));
	if (number < 0 || number > 65535)
		return haft_err(
			MPI_ERR_INFO_VALUE, "ip_port is %d, which is no port of TCP", number);
	if (ip == NULL) {
		why = boot_listen_where(
			haft_setting_text(SETTING_IFACE), via_host(via.me), NULL, own);
		ip = own;
	}
	if (why != NULL) { /* this host has no network: UNIX sockets are enough */
		text[0] = '\0';
		return 0;
	}
	snprintf(where, sizeof(where), strchr(ip, ':') != NULL ? "tcp:[%s]:%d" : "tcp:%s:%d", ip,
		number);
	if (port_listen(p, where, text))
		return 0;
	return haft_err(
		MPI_ERR_PORT, "nowhere to listen at %s, port %d: %s", ip, number, strerror(errno));
}

static void port_free(struct dyn_port *p)
{
	dyn_clients_drop(p);
	for (int i = 0; i < p->nfd; i++)
		close(p->fd[i]);
	free(p);
}

/* Writes the name of a port. */
static void port_name_write(struct dyn_port *p, const char *tcp, const char *local)
{
	int n = snprintf(p->name, sizeof(p->name), PORT_PREFIX "%s/%s%s%s/", via_host(via.me), tcp,
		tcp[0] != '\0' && local[0] != '\0' ? "," : "", local);

	for (int i = 0; i < NET_KEY_LEN; i++)
		n += snprintf(p->name + n, sizeof(p->name) - (size_t)n, "%02x", p->secret[i]);
}

/* Opens the listeners of a port and gives it its name. */
static int port_fill(struct dyn_port *p, const struct info *info)
{
	char tcp[NET_ADDR_LEN], local[NET_ADDR_LEN] = "", where[NET_ADDR_LEN];
	uint64_t name;
	int err;

	if (getrandom(p->secret, sizeof(p->secret), 0) != sizeof(p->secret) ||
		getrandom(&name, sizeof(name), 0) != sizeof(name))
		return haft_err(MPI_ERR_PORT, "no random numbers for a port: %s", strerror(errno));
	err = port_listen_tcp(p, info, tcp);
	if (err != 0)
		return err;
	snprintf(where, sizeof(where), "unix:haft-port-%016llx", (unsigned long long)name);
	if (!port_listen(p, where, local) && p->nfd == 0)
		return haft_err(MPI_ERR_PORT, "nowhere to listen: %s", strerror(errno));
	port_name_write(p, tcp, local);
	return 0;
}

int dyn_port_open(struct info *info, char *name)
{
	struct dyn_port *p = calloc(1, sizeof(*p));
	int err;

	if (p == NULL)
		return haft_err(MPI_ERR_NO_MEM, "no memory for a port");
	err = port_fill(p, info);
	if (err != 0) {
		port_free(p);
		return err;
	}
	haft_valid_add("dyn_ports_valid", dyn_ports_valid);
	p->next = ports;
	ports = p;
	memcpy(name, p->name, sizeof(p->name));
	return 0;
}

/* --- the ports of this process -------------------------------------------------------------- */

static struct dyn_port **port_find(const char *name)
{
	struct dyn_port **at = &ports;

	while (*at != NULL && strcmp((*at)->name, name) != 0)
		at = &(*at)->next;
	return at;
}

static int port_unknown(const char *name)
{
	struct dyn_port_name p;
	int err = dyn_port_parse(name, &p);

	if (err != 0)
		return err;
	return haft_err(MPI_ERR_PORT,
		"the port is not open in this process: it was closed, or another process has "
		"opened it (on host %s)",
		p.host);
}

int dyn_port_close(const char *name)
{
	struct dyn_port **at = port_find(name), *p = *at;

	if (p == NULL)
		return port_unknown(name);
	*at = p->next;
	p->closed = true;
	if (p->users == 0)
		port_free(p);
	return 0;
}

HAFT_START void dyn_port_close_all(void)
{
	while (ports != NULL)
		dyn_port_close(ports->name);
}

struct dyn_port *dyn_port_use(const char *name)
{
	struct dyn_port *p = *port_find(name);

	if (p == NULL)
		port_unknown(name);
	else
		p->users++;
	return p;
}

void dyn_port_drop(struct dyn_port *p)
{
	if (--p->users == 0 && p->closed)
		port_free(p);
}

/* --- names ---------------------------------------------------------------------------------- */

static int port_no_name(const char *name)
{
	return haft_err(MPI_ERR_PORT, "\"%.80s%s\" is not the name of a port of Haft", name,
		strlen(name) > 80 ? "..." : "");
}

static bool secret_read(const char *hex, uint8_t secret[NET_KEY_LEN])
{
	unsigned byte;

	if (strlen(hex) != 2 * NET_KEY_LEN || strspn(hex, "0123456789abcdef") != 2 * NET_KEY_LEN)
		return false;
	for (int i = 0; i < NET_KEY_LEN && sscanf(hex + 2 * i, "%2x", &byte) == 1; i++)
		secret[i] = (uint8_t)byte;
	return true;
}

/* Adds an address.  UNIX sockets come first: on the port's own host they are the shortest way. */
static bool port_addr_add(struct dyn_port_name *p, const char *text, size_t len)
{
	int at = p->naddr;

	if (p->naddr == PORT_ADDRS || len >= NET_ADDR_LEN)
		return false;
	if (at > 0 && strncmp(text, "unix:", 5) == 0) {
		memcpy(p->addr[at], p->addr[0], NET_ADDR_LEN);
		at = 0;
	}
	memcpy(p->addr[at], text, len);
	p->addr[at][len] = '\0';
	p->naddr++;
	return true;
}

bool dyn_port_read(const char *prefix, const char *name, struct dyn_port_name *p)
{
	size_t head = strlen(prefix);
	const char *host, *addr, *secret;

	*p = (struct dyn_port_name){.naddr = 0};
	if (strnlen(name, MPI_MAX_PORT_NAME) == MPI_MAX_PORT_NAME ||
		strncmp(name, prefix, head) != 0)
		return false;
	host = name + head;
	addr = strchr(host, '/');
	secret = strrchr(host, '/');
	if (addr == NULL || addr == secret || !secret_read(secret + 1, p->secret))
		return false;
	memcpy(p->host, host, (size_t)(addr - host));
	for (const char *at = addr; at != secret;) {
		size_t len = strcspn(at + 1, ",/");

		if (!port_addr_add(p, at + 1, len))
			return false;
		at += 1 + len;
	}
	return p->naddr > 0;
}

int dyn_port_parse(const char *name, struct dyn_port_name *p)
{
	return dyn_port_read(PORT_PREFIX, name, p) ? 0 : port_no_name(name);
}

/* --- the invariants ------------------------------------------------------------------------- */

static bool port_valid(const struct dyn_port *p)
{
	struct dyn_port_name name;

	if (p->closed || p->users < 0 || p->nclients < 0 || p->nfd < 1 || p->nfd > PORT_ADDRS)
		return false;
	for (int i = 0; i < p->nfd; i++)
		if (p->fd[i] < 0)
			return false;
	return dyn_port_parse(p->name, &name) == 0 && name.naddr == p->nfd &&
	       memcmp(name.secret, p->secret, sizeof(p->secret)) == 0;
}

bool dyn_ports_valid(void)
{
	for (const struct dyn_port *p = ports; p != NULL; p = p->next)
		if (!port_valid(p))
			return false;
	return true;
}
