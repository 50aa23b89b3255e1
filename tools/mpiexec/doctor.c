// SPDX-License-Identifier: BSD-3-Clause
/* doctor.c - mpiexec -doctor: looks at what jobs need of a machine.
 *
 *     ok    CPUs          2 of 2
 *     less  open files    ulimit -n is 64: ...      jobs run, but something is slower or missing
 *     BAD   overcommit    vm.overcommit_memory ...  jobs cannot run
 *
 * Each line that is not ok says how to mend it.  Nothing is changed and nothing is sent: for other
 * hosts, mpiexec -l -ppn 1 -hosts a,b mpiexec -doctor. */
#include "tools/mpiexec/doctor.h"

#include <dlfcn.h>
#include <errno.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netdb.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include "libshm/shm.h"
#include "tools/mpiexec/util.h"

enum verdict { FINE, LESS, BAD };

static int doctor_bad; /* lines of BAD so far */

__attribute__((format(printf, 3, 4))) static void doctor_say(
	enum verdict v, const char *what, const char *fmt, ...)
{
	static const char *const words[] = {"ok", "less", "BAD"};
	va_list ap;

	printf("%-4s  %-14s ", words[v], what);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	doctor_bad += v == BAD;
}

/* The first line of a file; "" if it cannot be read. */
static const char *line_of(const char *path, char *line, int len)
{
	FILE *f = fopen(path, "re");

	*line = '\0';
	if (f == NULL)
		return line;
	if (fgets(line, len, f) == NULL)
		*line = '\0';
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* The file NAME of a directory of PATH, as text_new; NULL: there is none that may be executed. */
static char *program_find(const char *name)
{
	const char *path = getenv("PATH");

	for (const char *dir = path != NULL ? path : ""; *dir != '\0';) {
		size_t len = strcspn(dir, ":");
		char *file = text_new("%.*s/%s", (int)len, dir, name);

		if (len > 0 && access(file, X_OK) == 0)
			return file;
		free(file);
		dir += len + (dir[len] != '\0');
	}
	return NULL;
}

static void cpus_check(void)
{
	long have = sysconf(_SC_NPROCESSORS_ONLN);
	int may = shm_cpus();

	if (may < have)
		doctor_say(LESS, "CPUs",
			"%d of %ld: the affinity mask or the quota of the cgroup gives no more; "
			"more ranks than that share them (docker run --cpus, taskset)",
			may, have);
	else
		doctor_say(FINE, "CPUs", "%d", may);
}

static void memory_check(void)
{
	char line[64];
	unsigned long long have = (unsigned long long)sysconf(_SC_PHYS_PAGES) *
				  (unsigned long long)sysconf(_SC_PAGESIZE);
	const char *most = line_of("/sys/fs/cgroup/memory.max", line, sizeof(line));
	unsigned long long limit = strtoull(most, NULL, 10);

	if (limit > 0 && limit < have)
		doctor_say(LESS, "memory",
			"%llu MiB of %llu: memory of the ranks and between them counts against "
			"the cgroup's limit (docker run --memory)",
			limit >> 20, have >> 20);
	else
		doctor_say(FINE, "memory", "%llu MiB", have >> 20);
}

/* The memory between ranks is a file without a name (memfd), so it needs no /dev/shm. */
static void segment_check(void)
{
	enum { SOME = 1 << 20 };
	int fd = memfd_create("haft-doctor", MFD_CLOEXEC);
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, SOME) == 0)
		p = mmap(NULL, SOME, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		doctor_say(BAD, "shared memory",
			"memfd_create or mmap fails: %s; a seccomp profile or a limit refuses it",
			strerror(errno));
	else
		doctor_say(FINE, "shared memory", "memfd; the size of /dev/shm does not matter");
	if (p != MAP_FAILED)
		munmap(p, SOME);
	if (fd >= 0)
		close(fd);
}

/* Exit code 0 if a process can read the memory of another one that is no child of it. */
static int sibling_read(pid_t other, const void *at)
{
	char here = 0;
	struct iovec to = {&here, 1}, from = {(void *)(uintptr_t)at, 1};

	return process_vm_readv(other, &to, 1, &from, 1, 0) == 1 ? 0 : 1;
}

static void copies_check(void)
{
	static const char byte = 1;
	char line[16];
	int status = -1;
	pid_t other = fork(), reader;

	if (other == 0)
		for (;;)
			pause();
	reader = other > 0 ? fork() : -1;
	if (reader == 0)
		_exit(sibling_read(other, &byte));
	if (reader > 0)
		waitpid(reader, &status, 0);
	if (other > 0) {
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
	}
	if (status == 0)
		doctor_say(FINE, "direct copies", "a rank may read the memory of another");
	else
		doctor_say(LESS, "direct copies",
			"a rank may not read the memory of another: large messages are copied "
			"twice, and gdb cannot attach (kernel.yama.ptrace_scope is %s; in a "
			"container: --cap-add=SYS_PTRACE)",
			line_of("/proc/sys/kernel/yama/ptrace_scope", line, sizeof(line)));
}

/* One resource limit: the effect of less than `least'. */
struct limit_row {
	const char *what, *shell, *hint;
	rlim_t least;
	int resource;
	enum verdict verdict;
};

static const struct limit_row limits[] = {
	{"open files", "ulimit -n",
		"a rank has a socket for each process of other hosts that it talks to", 1024,
		RLIMIT_NOFILE, LESS},
	{"processes", "ulimit -u", "a job has one for each rank, and threads count", 256,
		RLIMIT_NPROC, LESS},
	{"address space", "ulimit -v",
		"objects live in reserved address space; it should be unlimited", (rlim_t)1 << 40,
		RLIMIT_AS, BAD},
	{"locked memory", "ulimit -l",
		"InfiniBand registers memory: it should be unlimited with HAFT_VIA=ofi",
		(rlim_t)8 << 20, RLIMIT_MEMLOCK, LESS},
	{"core files", "ulimit -c", "a rank that crashes leaves no core file", 1, RLIMIT_CORE,
		LESS},
};

static void limits_check(void)
{
	struct rlimit r;

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		const struct limit_row *l = &limits[i];

		if (getrlimit((__rlimit_resource_t)l->resource, &r) != 0)
			continue;
		if (r.rlim_cur == RLIM_INFINITY)
			doctor_say(FINE, l->what, "unlimited");
		else
			doctor_say(r.rlim_cur >= l->least ? FINE : l->verdict, l->what,
				"%s: %llu%s%s", l->shell, (unsigned long long)r.rlim_cur,
				r.rlim_cur >= l->least ? "" : "; ",
				r.rlim_cur >= l->least ? "" : l->hint);
	}
}

/* Interfaces that are up, have an address and are not loopback: their names with blanks between. */
static int interfaces_list(char *names, size_t len)
{
	struct ifaddrs *list = NULL;
	int n = 0;

	*names = '\0';
	if (getifaddrs(&list) != 0)
		return 0;
	for (struct ifaddrs *i = list; i != NULL; i = i->ifa_next) {
		if (i->ifa_addr == NULL || i->ifa_addr->sa_family != AF_INET ||
			(i->ifa_flags & IFF_UP) == 0 || (i->ifa_flags & IFF_LOOPBACK) != 0)
			continue;
		snprintf(names + strlen(names), len - strlen(names), "%s%s", n > 0 ? " " : "",
			i->ifa_name);
		n++;
	}
	freeifaddrs(list);
	return n;
}

static void network_check(void)
{
	char names[512], own[256] = "";
	struct addrinfo *list = NULL;
	int n = interfaces_list(names, sizeof(names)), rc;

	if (n == 0)
		doctor_say(LESS, "network", "no interface but loopback: jobs of this host alone");
	else if (n == 1)
		doctor_say(FINE, "network", "%s", names);
	else
		doctor_say(LESS, "network",
			"%s: other hosts must reach the one that is used; -iface names it, if "
			"the first is a VPN or the bridge of containers",
			names);
	gethostname(own, sizeof(own) - 1);
	rc = getaddrinfo(own, NULL, &(struct addrinfo){.ai_socktype = SOCK_STREAM}, &list);
	if (rc == 0) {
		doctor_say(FINE, "host name", "%s", own);
		freeaddrinfo(list);
	} else {
		doctor_say(LESS, "host name",
			"%s does not resolve (%s): add it to /etc/hosts, or name hosts by their "
			"addresses",
			own, gai_strerror(rc));
	}
}

/* Is a program of PATH the one beside this mpiexec?  The wrapper of another MPI makes programs that
 * may not know this launcher: each of them would be rank 0 of a job of one. */
static void sibling_check(const char *name, const char *here)
{
	char *found = program_find(name), there[PATH_MAX];

	if (found == NULL) {
		doctor_say(LESS, name, "not in PATH; this mpiexec is in %s", here);
		return;
	}
	if (realpath(found, there) == NULL)
		snprintf(there, sizeof(there), "%s", found);
	if (strrchr(there, '/') != NULL)
		*strrchr(there, '/') = '\0';
	if (strcmp(there, here) == 0)
		doctor_say(FINE, name, "%s", found);
	else
		doctor_say(LESS, name,
			"%s is first in PATH, and not that of %s: it may be of another MPI", found,
			here);
	free(found);
}

static void programs_check(void)
{
	static const char *const names[] = {"mpicc", "mpiexec", "mpirun"};
	char here[PATH_MAX], *ssh = program_find("ssh");
	ssize_t n = readlink("/proc/self/exe", here, sizeof(here) - 1);

	here[n > 0 ? n : 0] = '\0';
	if (strrchr(here, '/') != NULL)
		*strrchr(here, '/') = '\0';
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		sibling_check(names[i], here);
	if (ssh != NULL)
		doctor_say(FINE, "ssh", "%s", ssh);
	else
		doctor_say(LESS, "ssh",
			"not in PATH: jobs on other hosts need it, or -launcher; apt-get install "
			"openssh-client");
	free(ssh);
}

/* Does this library load in a rank?  jemalloc wants more static TLS than mpiexec itself has; ranks
 * have it (program.c). */
static bool library_is_there(const char *name)
{
	void *lib = dlopen(name, RTLD_LAZY | RTLD_LOCAL);

	if (lib == NULL)
		return strstr(dlerror(), "static TLS") != NULL;
	dlclose(lib);
	return true;
}

static void libraries_check(void)
{
	static const char *const rows[][3] = {
		{"libhwloc.so.15", "libhwloc15",
			"binding, and communicators by parts of the machine"},
		{"libjemalloc.so.2", "libjemalloc2", "faster allocation in shared windows"},
		{"libffi.so.8", "libffi8", "callbacks of Fortran and of libobj's closures"},
		{"libfabric.so.1", "libfabric1", "InfiniBand and its like, with HAFT_VIA=ofi"},
		{"libpmix.so.2", "libpmix2", "start by srun --mpi=pmix, mpirun or prterun"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bool there = library_is_there(rows[i][0]);

		doctor_say(there ? FINE : LESS, rows[i][1], "%s%s",
			there ? "for " : "not installed; it is for ", rows[i][2]);
	}
}

static void kernel_check(void)
{
	char line[64];
	const char *tmp = getenv("TMPDIR");

	line_of("/proc/sys/vm/overcommit_memory", line, sizeof(line));
	if (strcmp(line, "2") == 0)
		doctor_say(BAD, "overcommit",
			"vm.overcommit_memory is 2: reserved address space counts as memory; set "
			"it to 0 or 1");
	line_of("/sys/devices/system/clocksource/clocksource0/current_clocksource", line,
		sizeof(line));
	if (*line == '\0')
		doctor_say(LESS, "clock", "unknown: /sys cannot be read");
	else if (strcmp(line, "tsc") != 0 && strcmp(line, "kvm-clock") != 0 &&
		 strcmp(line, "arch_sys_counter") != 0)
		doctor_say(LESS, "clock", "%s: MPI_Wtime takes a system call", line);
	else
		doctor_say(FINE, "clock", "%s", line);
	line_of("/sys/kernel/mm/transparent_hugepage/shmem_enabled", line, sizeof(line));
	if (strstr(line, "[never]") != NULL || strstr(line, "[deny]") != NULL)
		doctor_say(LESS, "huge pages",
			"not for shared memory: echo advise "
			">/sys/kernel/mm/transparent_hugepage/shmem_enabled "
			"makes large windows faster");
	else if (*line != '\0')
		doctor_say(FINE, "huge pages", "%s", line);
	tmp = tmp != NULL && *tmp != '\0' ? tmp : "/tmp";
	doctor_say(access(tmp, W_OK) == 0 ? FINE : LESS, "TMPDIR", "%s%s", tmp,
		access(tmp, W_OK) == 0 ? "" : " cannot be written");
}

int doctor_print(void)
{
	cpus_check();
	memory_check();
	segment_check();
	copies_check();
	limits_check();
	network_check();
	programs_check();
	libraries_check();
	kernel_check();
	return doctor_bad;
}
