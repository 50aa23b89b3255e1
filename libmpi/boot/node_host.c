// SPDX-License-Identifier: BSD-3-Clause
/* node_host.c - see node_host.h. */
#include "libmpi/boot/node_host.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The number of this process's namespace of kind `name'; 0: unknown. */
static unsigned long namespace_of(const char *name)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
	return stat(path, &st) == 0 ? (unsigned long)st.st_ino : 0;
}

static void host_identify(struct node_host *h)
{
	char id[48] = "";
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd < 0 || read(fd, id, sizeof(id) - 1) <= 0)
		gethostname(id, sizeof(id) - 1); /* no /proc: nothing better is left */
	if (fd >= 0)
		close(fd);
	id[strcspn(id, "\n ")] = '\0';
	if (gethostname(h->name, sizeof(h->name) - 1) != 0 || h->name[0] == '\0')
		memcpy(h->name, "localhost", sizeof("localhost"));
	h->name[strcspn(h->name, ",;= ")] = '\0';
	snprintf(h->id, sizeof(h->id), "%s-%lx-%lx-%u", id, namespace_of("net"),
		namespace_of("pid"), (unsigned)geteuid());
}

static void cpus_identify(uint64_t cpu[NODE_CPU_WORDS])
{
	cpu_set_t *set = CPU_ALLOC(NODE_CPUS);
	size_t size = CPU_ALLOC_SIZE(NODE_CPUS);

	if (set != NULL && sched_getaffinity(0, size, set) == 0)
		for (size_t c = 0; c < NODE_CPUS; c++)
			if (CPU_ISSET_S(c, size, set))
				cpu[c / 64] |= UINT64_C(1) << (c % 64);
	CPU_FREE(set);
}

void boot_node_host(struct node_host *h)
{
	*h = (struct node_host){.name = ""};
	host_identify(h);
	cpus_identify(h->cpu);
}
