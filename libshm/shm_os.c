// SPDX-License-Identifier: BSD-3-Clause
/* shm_os.c - system calls and instructions of the processor.
 *
 * Futexes are shared ones: the kernel finds the word by the memfd's page, not by address.  Every
 * call that an old kernel or a sandbox may refuse has a substitute, and says so. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include "libshm/shm_inner.h"

#if defined(__has_include)
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h> /* glibc 2.35 registers it for each thread */
#define HAVE_RSEQ 1
#endif
#endif

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#ifndef FUTEX_32
#define FUTEX_32 2
struct futex_waitv {
	uint64_t val;
	uint64_t uaddr;
	uint32_t flags;
	uint32_t reserved;
};
#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static _Thread_local const char *failed_call; /* the last call that failed, in words */

void shm_os_error_set(const char *words)
{
	failed_call = words;
}

const char *shm_os_error_text(void)
{
	return failed_call != NULL ? failed_call : "a system call failed";
}

/* `result', with the words for it if it says failure. */
static int os_result(int result, const char *words)
{
	if (result < 0)
		failed_call = words;
	return result;
}

int shm_os_memfd(void)
{
	return os_result(
		memfd_create("haft", MFD_CLOEXEC | MFD_ALLOW_SEALING), "memfd_create failed");
}

int shm_os_memfd_seal(int fd)
{
	return os_result(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL),
		"fcntl(F_ADD_SEALS) failed");
}

HAFT_START bool shm_os_file_id(int fd, uint64_t *dev, uint64_t *ino)
{
	struct stat st;

	if (os_result(fstat(fd, &st), "fstat failed") != 0)
		return false;
	*dev = st.st_dev;
	*ino = st.st_ino;
	return true;
}

/* A limit on the size of files (ulimit -f) counts for memfds, too; here it is an
 * error code, and not SIGXFSZ. */
int shm_os_resize(int fd, uint64_t len)
{
	const struct timespec now = {0, 0};
	sigset_t xfsz, old;
	int e, err;

	sigemptyset(&xfsz);
	sigaddset(&xfsz, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &xfsz, &old);
	e = ftruncate(fd, (off_t)len);
	err = errno;
	if (e != 0 && err == EFBIG && !sigismember(&old, SIGXFSZ))
		sigtimedwait(&xfsz, NULL, &now);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	errno = err;
	return os_result(e, "ftruncate failed");
}

uint64_t shm_os_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	return pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 0;
}

/* The number behind `key' in a file of the kernel, or UINT64_MAX ("max", no such file). */
static uint64_t proc_number(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	char line[128];
	unsigned long long n;
	uint64_t found = UINT64_MAX;

	if (f == NULL)
		return found;
	while (found == UINT64_MAX && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, key, strlen(key)) == 0 &&
			sscanf(line + strlen(key), "%llu", &n) == 1)
			found = n;
	fclose(f);
	return found;
}

/* Leaves a part of every limit to other processes: ranks that reserve at once have all asked before
 * any of them took memory. */
static uint64_t memory_margin(uint64_t left, uint64_t limit)
{
	return left > limit / 64 ? left - limit / 64 : 0;
}

/* Bytes that may still be had: of the machine, and of the cgroup as a container sees its own. */
static uint64_t memory_left(void)
{
	uint64_t kb = proc_number("/proc/meminfo", "MemAvailable:");
	uint64_t swap = proc_number("/proc/meminfo", "SwapFree:");
	uint64_t left = kb == UINT64_MAX ? kb : (kb + (swap == UINT64_MAX ? 0 : swap)) * 1024;
	uint64_t most = proc_number("/sys/fs/cgroup/memory.max", "");
	uint64_t used = proc_number("/sys/fs/cgroup/memory.current", ""), here;

	if (left != UINT64_MAX)
		left = memory_margin(left, shm_os_memory());
	if (most == UINT64_MAX || used == UINT64_MAX)
		return left;
	here = memory_margin(used < most ? most - used : 0, most);
	return here < left ? here : left;
}

#define RESERVE_ASK  ((uint64_t)16 << 20) /* bytes: less is had without asking first */
#define RESERVE_STEP ((uint64_t)32 << 20) /* bytes: asked again after as many */

int shm_os_memory_check(uint64_t len)
{
	if (len < RESERVE_ASK || len <= memory_left())
		return 0;
	errno = ENOMEM;
	return -1;
}

static int os_reserve(int fd, uint64_t off, void *p, uint64_t len)
{
	int e;

	do
		e = fd >= 0 ? fallocate(fd, 0, (off_t)off, (off_t)len)
			    : madvise(p, len, MADV_POPULATE_WRITE);
	while (e != 0 && errno == EINTR);
	return os_result(e, fd >= 0 ? "fallocate failed" : "madvise(MADV_POPULATE_WRITE) failed");
}

/* The first write to a page brings a huge one where the machine is set up so for shared memory
 * (shmem_enabled).  Elsewhere madvise (Linux 6.1) merges small pages into one; at least one small
 * page must be present. */
static void huge_page_request(char *p, uint64_t len)
{
	uint64_t huge = len / SHM_HUGE * SHM_HUGE;

	if (huge == 0 || madvise(p, huge, MADV_HUGEPAGE) != 0)
		return;
	for (uint64_t i = 0; i < huge; i += SHM_HUGE)
		if (madvise(p + i, 1, MADV_POPULATE_WRITE) != 0)
			return;
	madvise(p, huge, MADV_COLLAPSE);
}

/* Reserves step by step: ranks that reserve at once have all been told that there is room.  Memory
 * that the others got meanwhile shows at the next step, before the kernel ends a process. */
static int os_reserve_steps(int fd, uint64_t off, char *p, uint64_t len, bool huge)
{
	uint64_t done, step;

	for (done = 0; done < len; done += step) {
		step = len - done < RESERVE_STEP ? len - done : RESERVE_STEP;
		if (shm_os_memory_check(len - done) != 0)
			return -1;
		if (huge)
			huge_page_request(p + done, step);
		if (os_reserve(fd, off + done, p + done, step) != 0)
			return -1;
	}
	return 0;
}

int shm_os_reserve(int fd, uint64_t off, void *p, uint64_t len)
{
	return os_reserve_steps(fd, off, p, len, false);
}

int shm_os_reserve_huge(int fd, uint64_t off, void *p, uint64_t len)
{
	return os_reserve_steps(fd, off, p, len, true);
}

int shm_os_punch(void *p, uint64_t len)
{
	return madvise(p, len, MADV_REMOVE);
}

typedef ssize_t vm_fn(pid_t pid, const struct iovec *here, unsigned long nhere,
	const struct iovec *there, unsigned long nthere, unsigned long flags);

static bool vm_copy(vm_fn *copy, int pid, uintptr_t here, uint64_t there, size_t len)
{
	while (len > 0) {
		struct iovec h = {(void *)here, len}, t = {(void *)(uintptr_t)there, len};
		ssize_t n = copy(pid, &h, 1, &t, 1, 0);

		if (n <= 0)
			return false;
		here += (uintptr_t)n;
		there += (uint64_t)n;
		len -= (size_t)n;
	}
	return true;
}

bool shm_os_read(int pid, void *dst, uint64_t at, size_t len)
{
	return vm_copy(process_vm_readv, pid, (uintptr_t)dst, at, len);
}

bool shm_os_write(int pid, const void *src, uint64_t at, size_t len)
{
	return vm_copy(process_vm_writev, pid, (uintptr_t)src, at, len);
}

bool shm_os_barrier_known(void)
{
	long has = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	return has > 0 && (has & MEMBARRIER_CMD_GLOBAL_EXPEDITED) &&
	       (has & MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED);
}

int shm_os_barrier_join(void)
{
	return (int)syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0);
}

void shm_os_barrier(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0);
}

/* ThreadSanitizer does not know fences, and gcc says so; an exchange it knows. */
HAFT_HOT void shm_fence(void)
{
#if defined(__SANITIZE_THREAD__)
	static _Atomic uint32_t dummy;

	atomic_exchange(&dummy, 1);
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
}

/* Asked once: the kernel knows futex_waitv and allows it if it finds fault with the arguments.
 * Valgrind does not know it, and says so at length. */
bool shm_os_sleep_two(void)
{
	enum { UNASKED, YES, NO };
	static _Atomic int answer;
	int is = atomic_load_explicit(&answer, memory_order_relaxed);

	if (is == UNASKED) {
		is = !obj_on_valgrind() && syscall(SYS_futex_waitv, NULL, 0, 0, NULL, 0) == -1 &&
				     errno == EINVAL
			     ? YES
			     : NO;
		atomic_store_explicit(&answer, is, memory_order_relaxed);
	}
	return is == YES;
}

bool shm_os_sleep(
	_Atomic uint32_t *word, uint32_t old, _Atomic uint32_t *word2, uint32_t old2, uint64_t ns)
{
	struct futex_waitv two[2] = {
		{.val = old, .uaddr = (uintptr_t)word, .flags = FUTEX_32},
		{.val = old2, .uaddr = (uintptr_t)word2, .flags = FUTEX_32},
	};
	struct timespec t = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	if (word2 == NULL)
		return syscall(SYS_futex, word, FUTEX_WAIT, old, &t, NULL, 0) == -1 &&
		       errno == ETIMEDOUT;
	ns += shm_os_now();
	t.tv_sec = (time_t)(ns / 1000000000);
	t.tv_nsec = (long)(ns % 1000000000);
	return syscall(SYS_futex_waitv, two, 2, 0, &t, CLOCK_MONOTONIC) == -1 && errno == ETIMEDOUT;
}

HAFT_START void shm_os_wake(_Atomic uint32_t *word, int n)
{
	syscall(SYS_futex, word, FUTEX_WAKE, n, NULL, NULL, 0);
}

uint64_t shm_os_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

HAFT_START uint64_t shm_os_random(void)
{
	uint64_t r = 0;

	if (getrandom(&r, sizeof(r), GRND_NONBLOCK) != (ssize_t)sizeof(r))
		r = shm_os_now() * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)getpid();
	return r != 0 ? r : 1;
}

/* The kernel keeps the number in the thread's rseq area.  sched_getcpu reads it there, too, but is
 * on a page of the C library's code that a waiting rank does not need else. */
HAFT_HOT int shm_os_cpu(void)
{
#if defined(__x86_64__) && defined(HAVE_RSEQ)
	static HAFT_HOT_DATA _Atomic ptrdiff_t area;
	ptrdiff_t at = atomic_load_explicit(&area, memory_order_relaxed);
	char *thread;
	int cpu;

	if (unlikely(at == 0)) {
		at = __rseq_offset;
		atomic_store_explicit(&area, at, memory_order_relaxed);
	}
	__asm__("mov %%fs:0, %0" : "=r"(thread));
	cpu = *(const volatile int32_t *)(thread + at + offsetof(struct rseq, cpu_id));
	if (likely(cpu >= 0)) /* otherwise the area is not registered */
		return cpu;
#endif
	return sched_getcpu();
}

#define ALLOWED_MOST 8192 /* CPUs that a mask can name: the kernel's own limit on x86-64 */

/* A mask that names other CPUs than the first ones is not understood: it could not be restored. */
bool shm_os_cpus_allowed(struct shm_cpus_allowed *allowed)
{
	uint64_t mask[ALLOWED_MOST / 64] = {0};
	long len = syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask);

	for (size_t i = countof(allowed->word); i < countof(mask); i++)
		if (mask[i] != 0)
			return false;
	memcpy(allowed->word, mask, sizeof(allowed->word));
	return len > 0;
}

bool shm_os_cpu_move(const struct shm_cpus_allowed *allowed, int cpu)
{
	struct shm_cpus_allowed one = {{0}};
	bool moved;

	one.word[cpu / 64] |= UINT64_C(1) << cpu % 64;
	moved = syscall(SYS_sched_setaffinity, 0, sizeof(one), &one) == 0;
	if (moved)
		syscall(SYS_sched_setaffinity, 0, sizeof(*allowed), allowed);
	return moved;
}

bool shm_os_alive(int pid)
{
	return kill(pid, 0) == 0 || errno != ESRCH;
}

void shm_os_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#else
	atomic_signal_fence(memory_order_seq_cst);
#endif
}

/* CPUs that "quota period" grants, rounded up; `most' if the file is not there or says max. */
static int quota_cpus(const char *path, int most)
{
	long quota, period;
	FILE *f = fopen(path, "re");
	int n = most;

	if (f == NULL)
		return most;
	if (fscanf(f, "%ld %ld", &quota, &period) == 2 && quota > 0 && period > 0)
		n = (int)((quota + period - 1) / period);
	fclose(f);
	return n < most ? n : most;
}

/* CPUs that the quota of version 1 of cgroups grants, which has two files. */
static int quota_cpus_v1(int most)
{
	long quota = 0, period = 0;
	FILE *q = fopen("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "re");
	FILE *p = fopen("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "re");
	int n = most;

	if (q != NULL && p != NULL && fscanf(q, "%ld", &quota) == 1 &&
		fscanf(p, "%ld", &period) == 1 && quota > 0 && period > 0)
		n = (int)((quota + period - 1) / period);
	if (q != NULL)
		fclose(q);
	if (p != NULL)
		fclose(p);
	return n < most ? n : most;
}

/* The tightest quota on the way from our cgroup (version 2: line "0::/path") up to the root. */
static int cgroup_cpus(int most)
{
	char line[PATH_MAX], path[PATH_MAX + 64];
	FILE *f = fopen("/proc/self/cgroup", "re");
	char *end = NULL;
	int n = quota_cpus_v1(most);

	while (f != NULL && fgets(line, sizeof(line), f) != NULL)
		if (line[0] == '0' && line[1] == ':' && line[2] == ':') {
			line[strcspn(line, "\n")] = 0;
			end = line + strlen(line);
			break;
		}
	if (f != NULL)
		fclose(f);
	while (end != NULL) {
		*end = 0;
		snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", line + 3);
		n = quota_cpus(path, n);
		end = strrchr(line + 3, '/');
	}
	return n;
}

int shm_cpus(void)
{
	enum { MOST = 8192 }; /* CPUs that a mask can name: the kernel's own limit on x86-64 */
	cpu_set_t *set = CPU_ALLOC(MOST);
	int n = 0;

	if (set != NULL && sched_getaffinity(0, CPU_ALLOC_SIZE(MOST), set) == 0)
		n = CPU_COUNT_S(CPU_ALLOC_SIZE(MOST), set);
	CPU_FREE(set);
	if (n < 1)
		n = (int)sysconf(_SC_NPROCESSORS_ONLN);
	n = cgroup_cpus(n < 1 ? 1 : n);
	return n < 1 ? 1 : n;
}
