// SPDX-License-Identifier: BSD-3-Clause
/* boot.c - finds this process's job and its place in it.
 *
 *   HAFT_JOB? --no--> another launcher (kvs.h)? --no--> singleton
 *      | yes             | yes
 *      |                 '--> meet the others of this host (node_join.h), and watch them (failure_detector.h)
 *      v
 *   fd ours? --no--> the launcher's own fd, by /proc: ours? --no--> singleton
 *      | yes             | yes
 *      '--> claim the place: CAS pid 0 -> me
 *
 * Invariants:
 *  - A place (struct boot_rank) is claimed once in a job's life.  A second MPI program in it would
 *    read its predecessor's rings: it is refused, with words.
 *  - A child of an MPI process is no part of the job: the fd is closed by its exec, and what it
 * finds by /proc is a place that its living parent holds.  It becomes a singleton.
 *  - Nothing here blocks, but for another launcher and its ranks; nothing is left in the file
 * system.
 */
#include "libmpi/boot/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "libmpi/boot/kvs.h"
#include "libmpi/boot/job_map.h"
#include "libmpi/boot/node_join.h"
#include "libmpi/boot/failure_detector.h"
#include "libmpi/core/setting.h"
#include "libmpi/core/process_state.h"
#include "libshm/shm.h"

static_assert(sizeof(struct boot_rank) == SHM_JOB_RANK, "a rank's job area is struct boot_rank");
static_assert(sizeof(struct boot_job) <= SHM_JOB_LEN, "struct boot_job fits into the job area");

/* What HAFT_JOB says. */
struct job_spec {
	int fd, rank, size, app, by;
	int near;   /* rank if it is not said: one host */
	int listen; /* -1: no socket */
	int pmi;    /* mpiexec's server for ranks of other MPIs; -1: none */
	uint64_t cookie;
};

/* CLAIM_BLIND: the segment is there, and this process cannot map or read it. */
enum seat_claim { CLAIM_OK, CLAIM_NESTED, CLAIM_USED, CLAIM_BLIND };

static struct boot this_process; /* of this process; here.seg != NULL from the first boot_init on */
static const struct boot_map *job_map; /* of here.seg; NULL: one host, and nobody listens */
static int listen_fd = -1;
static struct kvs kvs;       /* another project's launcher; kvs.way NULL: none */
static bool foreign;         /* such a launcher has started us: it prints nothing of ours */
static char error_text[640]; /* of the last failure */

int boot_fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(error_text, sizeof error_text, fmt, ap);
	va_end(ap);
	return -1;
}

/* Takes a number after `key' from a list like "fd=3,rank=0"; false if it is not there. */
static bool spec_number(const char *list, const char *key, int base, uint64_t max, uint64_t *v)
{
	size_t len = strlen(key);
	const char *p = list;
	char *end;

	while (strncmp(p, key, len) != 0 || p[len] != '=') {
		p = strchr(p, ',');
		if (p == NULL)
			return false;
		p++;
	}
	p += len + 1;
	errno = 0;
	*v = strtoull(p, &end, base);
	return errno == 0 && end != p && *p != '-' && (*end == ',' || *end == '\0') && *v <= max;
}

static bool spec_int(const char *list, const char *key, int *v)
{
	uint64_t u;

	if (!spec_number(list, key, 10, INT_MAX, &u))
		return false;
	*v = (int)u;
	return true;
}

static bool spec_read(struct job_spec *o)
{
	const char *list = getenv(BOOT_VAR);

	if (list == NULL)
		return false;
	if (!spec_int(list, "listen", &o->listen))
		o->listen = -1;
	if (!spec_int(list, "pmi", &o->pmi))
		o->pmi = -1;
	if (!spec_int(list, "near", &o->near) && !spec_int(list, "rank", &o->near))
		return false;
	return spec_int(list, "fd", &o->fd) && spec_int(list, "rank", &o->rank) &&
	       spec_int(list, "size", &o->size) && spec_int(list, "app", &o->app) &&
	       spec_int(list, "by", &o->by) &&
	       spec_number(list, "cookie", 16, UINT64_MAX, &o->cookie);
}

/* True if the segment has the order's place: by its map, or, without one, by its ranks. */
static bool spec_fits(const struct job_spec *o, struct shm_seg *seg)
{
	const struct boot_map *map;
	const int32_t *ranks;
	size_t len;

	if (o->rank >= o->size || o->near >= shm_seg_nranks(seg))
		return false;
	map = shm_seg_map(seg, &len);
	if (map == NULL)
		return shm_seg_nranks(seg) == o->size && o->near == o->rank;
	if (!boot_map_good(map, len, o->size, shm_seg_nranks(seg)))
		return false;
	ranks = (const int32_t *)(const void *)((const char *)map + map->ranks);
	return ranks[o->near] == o->rank;
}

/* Maps the segment behind `fd' if it is the one that the order means; else NULL, and *err is what
 * libshm says of it: SHM_BAD for what is none. */
static struct shm_seg *spec_segment(const struct job_spec *o, int fd, int *err)
{
	struct shm_seg *seg;

	*err = SHM_BAD;
	/* Only a memfd has seals: no other file of the user is ever mapped, not even to look. */
	if (fcntl(fd, F_GET_SEALS) < 0)
		return NULL;
	*err = shm_seg_open(fd, &seg);
	if (*err != 0)
		return NULL;
	if (shm_seg_cookie(seg) == o->cookie && spec_fits(o, seg))
		return seg;
	shm_seg_close(seg);
	return NULL;
}

/* Somebody between mpiexec and us (sudo, a script of Python) has closed the fd: look it up at its
 * source.  Fills *fd and returns the segment, or NULL. */
static struct shm_seg *spec_fetch(const struct job_spec *o, int *fd)
{
	struct shm_seg *seg;
	char path[64];
	int err;

	snprintf(path, sizeof path, "/proc/%d/fd/%d", o->by, o->fd);
	*fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (*fd < 0)
		return NULL;
	seg = spec_segment(o, *fd, &err);
	if (seg == NULL)
		close(*fd);
	return seg;
}

static enum seat_claim boot_place_claim(struct boot_rank *place, bool inherited)
{
	static bool mine; /* claimed earlier by this very process: boot_init after boot_leave */
	int32_t pid = 0;

	if (mine || atomic_compare_exchange_strong(&place->pid, &pid, (int32_t)getpid())) {
		mine = true;
		return CLAIM_OK;
	}
	/* The fd came not by inheritance, and who holds the place is alive: he is above us. */
	if (!inherited && pid != getpid() && (kill(pid, 0) == 0 || errno == EPERM))
		return CLAIM_NESTED;
	boot_fail(
		"the place of this rank was taken by process %d before: each process that mpiexec "
		"starts can run one MPI program, not several",
		pid);
	return CLAIM_USED;
}

/* We die with mpiexec.  Behind a shell or a wrapper that is the launcher's care: the signal would
 * come from the death of a thread of the wrapper, too. */
static void launcher_follow(int by)
{
	bool child = getppid() == by;

	if (child)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	if ((child && getppid() != by) || (kill(by, 0) != 0 && errno == ESRCH))
		_exit(128 + SIGKILL); /* it died while we started */
}

static int singleton_init(void)
{
	struct shm_opts opts = boot_opts(1, environ);
	struct shm_seg *seg;
	int err = shm_seg_create(&opts, &seg);

	if (err != 0)
		return boot_fail("no shared memory for a job of one: %s%s%s", shm_error_text(err),
			err == SHM_SYS ? ": " : "", err == SHM_SYS ? strerror(errno) : "");
	this_process = (struct boot){.size = 1,
		.nhosts = 1,
		.nnear = 1,
		.app = -1,
		.seg_fd = shm_seg_fd(seg),
		.seg = seg,
		.cookie = shm_seg_cookie(seg)};
	return 0;
}

static struct boot_rank *boot_record_of(const struct boot *b)
{
	return shm_seg_job_rank(b->seg, b->near);
}

/* The launcher's socket for this rank, if it still is one: programs may have closed it. */
static int listen_take(int fd)
{
	int on = 0;
	socklen_t len = sizeof on;

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &len) != 0 || on == 0)
		return -1;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* Takes the place that the launcher has given us.  CLAIM_NESTED: there is none, be a singleton. */
static enum seat_claim job_join(const struct job_spec *o)
{
	int fd = this_process.launched ? this_process.seg_fd : o->fd, err;
	struct shm_seg *seg = spec_segment(o, fd, &err);
	bool inherited = seg != NULL;
	enum seat_claim seat_claim;
	size_t len;

	if (err == SHM_OTHER) {
		boot_fail("rank %d and its mpiexec are of different builds of Haft, which cannot "
			  "share memory: start it with the mpiexec that is installed beside its "
			  "library",
			o->rank);
		return CLAIM_BLIND;
	}
	if (err == SHM_SYS || err == SHM_NOMEM) {
		boot_fail("rank %d cannot map the shared memory of its job: %s; `ulimit -v' before "
			  "mpiexec makes it smaller",
			o->rank, strerror(errno));
		return CLAIM_BLIND;
	}
	if (seg == NULL)
		seg = spec_fetch(o, &fd);
	if (seg == NULL)
		return CLAIM_NESTED;
	seat_claim = boot_place_claim(shm_seg_job_rank(seg, o->near), inherited);
	if (seat_claim != CLAIM_OK) {
		shm_seg_close(seg);
		if (!inherited)
			close(fd);
		return seat_claim;
	}
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	launcher_follow(o->by);
	if (o->pmi >= 0 && boot_pmi_fd_valid(o->pmi))
		fcntl(o->pmi, F_SETFD, FD_CLOEXEC);
	job_map = shm_seg_map(seg, &len);
	boot_map_use(job_map);
	listen_fd = listen_take(o->listen);
	this_process = (struct boot){.rank = o->rank,
		.size = o->size,
		.nhosts = job_map != NULL ? job_map->nhosts : 1,
		.host = job_map != NULL ? job_map->host : 0,
		.near = o->near,
		.nnear = shm_seg_nranks(seg),
		.app = o->app,
		.seg_fd = fd,
		.seg = seg,
		.cookie = o->cookie,
		.launched = true,
		.by = o->by};
	return CLAIM_OK;
}

/* Takes a place in a job of another launcher; the place's number is ours from the start. */
static int foreign_join(enum kvs_kind kind)
{
	struct boot_node m;
	size_t len;

	if (boot_kvs_open(&kvs, kind) != 0 || boot_node_join(&kvs, &m) != 0)
		return -1;
	job_map = shm_seg_map(m.seg, &len);
	if (job_map != NULL && !boot_map_good(job_map, len, kvs.size, shm_seg_nranks(m.seg)))
		return boot_fail("the map of this host's shared memory is bad");
	boot_map_use(job_map);
	listen_fd = m.listen;
	this_process = (struct boot){.rank = kvs.rank,
		.size = kvs.size,
		.nhosts = job_map != NULL ? job_map->nhosts : 1,
		.host = job_map != NULL ? job_map->host : 0,
		.near = m.near,
		.nnear = shm_seg_nranks(m.seg),
		.app = kvs.app,
		.seg_fd = m.fd,
		.seg = m.seg,
		.cookie = m.cookie};
	foreign = true;
	return 0;
}

/* True if another launcher has come between mpiexec and us: what mpiexec says is for him. */
static bool spec_stale(const struct job_spec *o)
{
	return getenv("PMIX_NAMESPACE") != NULL ||
	       (getenv("PMI_FD") != NULL && boot_env_number("PMI_FD") != o->pmi);
}

/* No order of our mpiexec: another launcher's job, or one of our own. */
static int other_join(void)
{
	enum kvs_kind kind =
		haft_setting_launch(SETTING_BOOT, environ) == 0 ? boot_kvs_detect() : KVS_NONE;

	if (kind == KVS_BAD)
		return -1;
	return kind == KVS_NONE ? singleton_init() : foreign_join(kind);
}

/* This rank is in MPI. */
static void boot_place_enter(void)
{
	atomic_store(&boot_record_of(&this_process)->pid, (int32_t)getpid());
	atomic_store(&boot_record_of(&this_process)->state, BOOT_RUNNING);
	if (foreign && this_process.size > 1)
		boot_detector_start(&this_process, &kvs);
}

int boot_init(struct boot **b)
{
	struct job_spec o;
	enum seat_claim seat_claim;
	bool told = spec_read(&o) && !spec_stale(&o);

	*b = &this_process;
	if (this_process.seg != NULL) {
		boot_place_enter();
		return 0;
	}
	seat_claim = told ? job_join(&o) : CLAIM_NESTED;
	if (seat_claim == CLAIM_USED || seat_claim == CLAIM_BLIND)
		return -1;
	if (seat_claim == CLAIM_NESTED && (told ? singleton_init() : other_join()) != 0)
		return -1;
	boot_place_enter();
	return 0;
}

int boot_listen_fd(void)
{
	return listen_fd;
}

const char *boot_error_text(void)
{
	return error_text;
}

#define RECORD_WAIT_MS \
	1000 /* whoever takes the record needs microseconds, on a full machine some turns */

/* Takes the abort record, if nobody has; the first one's words are those that count, and true is
 * returned. Whoever comes second waits until they stand there: its death may be what the launcher
 * sees first. */
static bool job_abort(int code, const char *text)
{
	struct boot_job *job = shm_seg_job(this_process.seg);
	bool first = atomic_exchange(&job->taken, 1) == 0;

	if (first) {
		job->rank = this_process.rank;
		job->pid = (int32_t)getpid();
		job->code = code;
		snprintf(job->text, sizeof job->text, "%s", text);
		atomic_store(&job->ready, 1);
	}
	for (int i = 0; i < RECORD_WAIT_MS && atomic_load(&job->ready) == 0; i++)
		usleep(1000);
	atomic_store(&boot_record_of(&this_process)->state, BOOT_ABORTED);
	shm_seg_abort(this_process.seg);
	return first;
}

void boot_lost(int rank)
{
	if (this_process.seg != NULL)
		atomic_store(&boot_record_of(&this_process)->lost, rank + 1);
}

void boot_abort(int code, const char *text)
{
	int status = code & 255;
	bool first = true;

	if (status == 0 && code != 0)
		status = 1;
	haft_flush();
	if (this_process.seg != NULL)
		first = job_abort(code, text != NULL ? text : "");
	if (!this_process.launched && first && text != NULL)
		dprintf(STDERR_FILENO, "%s\n", text);
	boot_kvs_abort(&kvs, status, text != NULL ? text : "MPI_Abort");
	_exit(status);
}

void boot_leave(uint32_t state)
{
	if (this_process.seg != NULL)
		atomic_store(&boot_record_of(&this_process)->state, state);
}

void boot_close_rest(struct boot *b)
{
	if (b == NULL || b->seg == NULL)
		return;
	boot_detector_stop();
	atomic_store(&boot_record_of(b)->state, BOOT_DONE);
	boot_kvs_done(&kvs);
}
