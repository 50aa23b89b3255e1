// SPDX-License-Identifier: BSD-3-Clause
/* host_list.c - parses -hosts and hostfiles, and finds the hosts that are this machine.
 *
 * Hostfiles of MPICH and Open MPI are accepted: "host", "host:4", "host slots=4 max_slots=8"; #
 * starts a comment.  Other words are errors that name file and line: a job that silently gets fewer
 * slots looks like a success.  Host names become words of a launcher's command line, so names that
 * could be options or have a meaning for a shell are refused. */
#include "tools/mpiexec/job_plan.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "libshm/shm.h"

/* True if both socket addresses have the same IP address. */
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

/* True if `a' equals `b', or the part of `b' before a dot. */
static bool name_same(const char *a, const char *b)
{
	size_t len = strlen(a);

	return strncasecmp(a, b, len) == 0 && (b[len] == '\0' || b[len] == '.');
}

/* True if the host is this machine; `resolve': resolve its addresses as well. */
static bool host_local(const char *name, bool resolve)
{
	struct addrinfo *list = NULL;
	char own[256] = "";
	bool found = false;

	if (strcasecmp(name, "localhost") == 0)
		return true;
	if (gethostname(own, sizeof(own) - 1) == 0 &&
		(name_same(name, own) || name_same(own, name)))
		return true;
	if (!resolve)
		return false;
	if (getaddrinfo(name, NULL, &(struct addrinfo){.ai_socktype = SOCK_STREAM}, &list) != 0)
		return false;
	for (struct addrinfo *i = list; i != NULL && !found; i = i->ai_next)
		found = addr_local(i->ai_addr);
	freeaddrinfo(list);
	return found;
}

bool hosts_here(const char *name)
{
	return host_local(name, true);
}

/* The place of the text that is parsed, for messages. */
struct host_source {
	const char *file; /* NULL: the command line */
	int line;         /* of the file; the first is 1 */
	const char *text; /* the line, or the list */
};

__attribute__((noreturn, format(printf, 2, 3))) static void hosts_refuse(
	const struct host_source *from, const char *fmt, ...)
{
	va_list ap;
	char *why;

	va_start(ap, fmt);
	why = text_new_args(fmt, ap);
	va_end(ap);
	if (from->file == NULL)
		fatal(EXIT_USAGE, "hosts `%s': %s; understood is HOST[:SLOTS],...", from->text,
			why);
	fatal(EXIT_USAGE,
		"hostfile %s, line %d: `%s': %s; "
		"understood is HOST, HOST:N, or HOST [slots=N] [max_slots=N]",
		from->file, from->line, from->text, why);
}

/* True unless the name has colons and is no IPv6 address: then a slot count is malformed. */
static bool colons_good(const char *name)
{
	const char *at = strrchr(name, '@');
	char addr[INET6_ADDRSTRLEN];
	size_t len;

	name = at != NULL ? at + 1 : name;
	len = strcspn(name, "%");
	if (strchr(name, ':') == NULL)
		return true;
	if (len >= sizeof(addr))
		return false;
	memcpy(addr, name, len);
	addr[len] = '\0';
	return inet_pton(AF_INET6, addr, &(struct in6_addr){0}) == 1;
}

bool host_name_good(const char *name)
{
	for (const char *c = name; *c != '\0'; c++)
		if (!isalnum((unsigned char)*c) && strchr("._-:%@", *c) == NULL)
			return false;
	return name[0] != '\0' && name[0] != '-' && strstr(name, "@-") == NULL && colons_good(name);
}

char *host_word_cut(char *word, const char **slots)
{
	bool bracket = word[0] == '[';
	char *end = strchr(word, bracket ? ']' : ':');

	*slots = NULL;
	if (bracket && (end == NULL || (end[1] != '\0' && end[1] != ':')))
		return NULL;
	if (bracket && end[1] == ':')
		*slots = end + 2;
	if (!bracket && end != NULL && strchr(end + 1, ':') == NULL)
		*slots = end + 1;
	if (bracket || *slots != NULL)
		*end = '\0';
	return word + bracket;
}

char *host_word(const char *name, int slots)
{
	bool bracket = strchr(name, ':') != NULL;

	return text_new("%s%s%s:%d", bracket ? "[" : "", name, bracket ? "]" : "", slots);
}

int host_slots(const char *s)
{
	char *end;
	long n = strtol(s, &end, 10);

	return isdigit((unsigned char)s[0]) && *end == '\0' && n <= SHM_RANKS_MAX ? (int)n : 0;
}

/* Adds the slots of a repeated host.  The limits add up only if all of its entries have one. */
static void host_merge(struct host *h, const struct host *more)
{
	h->slots += more->slots;
	h->max = h->max > 0 && more->max > 0 ? h->max + more->max : 0;
	h->max = h->max < SHM_RANKS_MAX ? h->max : SHM_RANKS_MAX;
}

static void host_add(struct plan *p, const struct host_source *from, const struct host *h)
{
	int i = 0;

	if (!host_name_good(h->name))
		hosts_refuse(from, "`%s' is no name of a host", h->name);
	while (i < p->nhosts && strcmp(p->host[i].name, h->name) != 0)
		i++;
	if (i < p->nhosts) {
		host_merge(&p->host[i], h);
	} else {
		p->host = mem_grow(p->host, (size_t)p->nhosts + 1, sizeof(*p->host));
		p->host[p->nhosts] = *h;
		p->host[p->nhosts++].name = text_new("%s", h->name);
	}
	if (p->host[i].slots > SHM_RANKS_MAX || p->nhosts > SHM_RANKS_MAX)
		hosts_refuse(from, "more than %d slots, or hosts", SHM_RANKS_MAX);
}

/* Parses a number of slots. */
static int slots_read(const struct host_source *from, const char *s)
{
	int n = host_slots(s);

	if (n < 1)
		hosts_refuse(from, "`%s' is no number of slots from 1 to %d", s, SHM_RANKS_MAX);
	return n;
}

/* Parses a word of a list or a file.  Without slots: slots is 0. */
static struct host host_read(const struct host_source *from, char *word)
{
	const char *slots;
	struct host h = {.name = host_word_cut(word, &slots)};

	if (h.name == NULL)
		hosts_refuse(from, "`%s' is no [HOST] or [HOST]:SLOTS", word);
	if (slots != NULL)
		h.slots = slots_read(from, slots);
	return h;
}

void hosts_list(struct plan *p, const char *list)
{
	struct host_source from = {.text = list};
	char *copy = text_new("%s", list);
	char *rest = copy;

	for (char *word = strsep(&rest, ","); word != NULL; word = strsep(&rest, ",")) {
		struct host h = host_read(&from, word);

		if (word[0] == '\0')
			hosts_refuse(&from, "a host without a name");
		h.slots = h.slots > 0 ? h.slots : 1;
		host_add(p, &from, &h);
	}
	free(copy);
}

/* Cuts off the first word of *s, which ends at a blank or a character of `stop', and the blanks
 * behind it.  *ended is '=' if the word was followed by one, else 0. */
static char *word_cut(char **s, const char *stop, char *ended)
{
	char *word = *s;
	char *end = word + strcspn(word, stop);
	char *next = end + strspn(end, " \t");

	*ended = *next;
	if (*next == '=' && strchr(stop, '=') != NULL)
		next++;
	else
		*ended = '\0';
	next += strspn(next, " \t");
	*end = '\0';
	*s = next;
	return word;
}

/* Parses one "slots=4" or "max_slots = 8". */
static void setting_take(const struct host_source *from, char **rest, struct host *h)
{
	char sign;
	char *name = word_cut(rest, " \t=", &sign);
	bool max = strcmp(name, "max_slots") == 0 || strcmp(name, "max-slots") == 0;
	int *to = max ? &h->max : &h->slots;

	if (!max && strcmp(name, "slots") != 0)
		hosts_refuse(from, "unknown word `%s' after the host", name);
	if (sign != '=')
		hosts_refuse(from, "no = after `%s'", name);
	if (*to != 0)
		hosts_refuse(from, "%s is there twice", max ? "max_slots" : "the number of slots");
	*to = slots_read(from, word_cut(rest, " \t", &sign));
}

/* Parses a line of a hostfile.  Returns false if it names no host. */
static bool line_take(struct plan *p, const struct host_source *from, char *line)
{
	char *rest = line + strspn(line, " \t");
	struct host h;
	char sign;

	rest[strcspn(rest, "#")] = '\0';
	if (*rest == '\0')
		return false;
	h = host_read(from, word_cut(&rest, " \t", &sign));
	while (*rest != '\0')
		setting_take(from, &rest, &h);
	if (h.max > 0 && h.slots > h.max)
		hosts_refuse(from, "more slots than max_slots");
	if (h.slots == 0)
		h.slots = h.max > 0 ? h.max : 1;
	host_add(p, from, &h);
	return true;
}

/* The byte order mark with which some editors begin UTF-8 text. */
#define BOM "\xef\xbb\xbf"

void hosts_file(struct plan *p, const char *path)
{
	FILE *f = fopen(path, "re");
	struct host_source from = {.file = path};
	bool some = false;
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;

	if (f == NULL)
		fatal(EXIT_USAGE, "cannot read hostfile %s: %s", path, strerror(errno));
	while ((len = getline(&line, &cap, f)) >= 0) {
		bool zero = strlen(line) != (size_t)len;
		char *copy;

		line[strcspn(line, "\r\n")] = '\0';
		if (from.line++ == 0 && strncmp(line, BOM, strlen(BOM)) == 0)
			memmove(line, line + strlen(BOM), strlen(line + strlen(BOM)) + 1);
		copy = text_new("%s", line);
		from.text = copy;
		if (zero)
			hosts_refuse(&from, "a zero byte follows");
		some |= line_take(p, &from, line);
		free(copy);
	}
	if (ferror(f))
		fatal(EXIT_USAGE, "cannot read hostfile %s: %s", path, strerror(errno));
	if (!some)
		fatal(EXIT_USAGE, "no host in hostfile %s", path);
	free(line);
	fclose(f);
}

/* Marks hosts that are this machine: their proxy needs no launcher.  With a launcher chosen by the
 * user all hosts use it: host names may then mean containers. */
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
			host_merge(&p->host[here], &p->host[i]);
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
