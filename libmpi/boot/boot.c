// SPDX-License-Identifier: BSD-3-Clause
/* boot.c - finds the job of this process and takes its seat in it.
 *
 *   HAFT_JOB? --no--> another launcher (kvs.h)? --no--> singleton
 *      | yes             | yes
 *      |                 '--> join the other ranks of this host (node_join.h), and notice their
 *      |                      death (failure_detector.h)
 *      v
 *   fd ours? --no--> mpiexec's own fd, by /proc: ours? --no--> singleton
 *      | yes             | yes
 *      '--> claim the seat: compare and swap pid 0 -> mine
 *
 * Invariants
 *  - A seat (struct boot_rank) is claimed once in a job's life.  A second MPI program in it would
 *    read the rings of the first: it is refused with an error text.
 *  - A child of an MPI process is no part of the job.  Its exec closes the fd, and the seat that it
 *    finds by /proc is held by its living parent.  It becomes a singleton.
 *  - Only another launcher and its ranks can block a process here.  Nothing stays in the file
 *    system. */
#include "libmpi/boot/boot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "libmpi/boot/boot_error.h"
#include "libmpi/boot/control.h"
#include "libmpi/boot/failure_detector.h"
#include "libmpi/boot/job_map.h"
#include "libmpi/boot/job_spec.h"
#include "libmpi/boot/kvs.h"
#include "libmpi/boot/node_join.h"
#include "libmpi/core/process_state.h"
#include "libmpi/core/setting.h"
#include "libshm/shm.h"

static_assert(sizeof(struct boot_rank) == SHM_JOB_RANK, "a rank's job area is struct boot_rank");
static_assert(sizeof(struct boot_job) <= SHM_JOB_LEN, "struct boot_job fits into the job area");

enum seat_claim {
	CLAIM_OK,
	CLAIM_NESTED, /* a living process above this one has the seat, or there is no segment */
	CLAIM_USED,   /* another process has had the seat */
	CLAIM_BLIND   /* there is a segment, but this process cannot map it */
};

static struct boot this_process; /* this_process.seg != NULL from the first boot_init on */
static int listen_fd = -1;
static struct kvs kvs; /* another project's launcher; kvs.ops NULL: none */
static bool foreign;   /* such a launcher has started this process: it prints nothing of Haft */

static enum seat_claim seat_claim(struct boot_rank *record, bool inherited)
{
	static bool mine; /* claimed earlier by this very process: boot_init after boot_close */
	int32_t pid = atomic_load(&record->pid); /* a read: the system maps pages around, too */

	if (mine || (pid == 0 && atomic_compare_exchange_strong(
					 &record->pid, &pid, (int32_t)getpid()))) {
		mine = true;
		return CLAIM_OK;
	}
	/* The fd was not inherited, and the holder of the seat is alive: an ancestor of ours. */
	if (!inherited && pid != getpid() && (kill(pid, 0) == 0 || errno == EPERM))
		return CLAIM_NESTED;
	boot_fail(
		"the place of this rank was taken by process %d before: each process that mpiexec "
		"starts can run one MPI program, not several",
		pid);
	return CLAIM_USED;
}

/* This process dies with mpiexec, its parent.  Below a shell or a wrapper mpiexec sees to it: there
 * the signal would also come from the death of a thread of the wrapper. */
static void launcher_follow(int by)
{
	bool child = getppid() == by;

	if (child)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	if ((child && getppid() != by) || (kill(by, 0) != 0 && errno == ESRCH))
		_exit(128 + SIGKILL); /* it died while we started */
}

/* MPI_UNIVERSE_SIZE of a process without launcher: as the environment says, or the tasks of a Slurm
 * allocation; -1: not set. */
static int singleton_universe(void)
{
	const char *said = getenv("MPIEXEC_UNIVERSE_SIZE");
	const char *tasks = getenv("SLURM_STEP_ID") == NULL ? getenv("SLURM_NTASKS") : NULL;
	int n = said != NULL ? atoi(said) : tasks != NULL && atoi(tasks) > 1 ? atoi(tasks) : -1;

	return n > 0 ? n : -1;
}

static int singleton_init(void)
{
	struct shm_opts opts = boot_opts(1, haft_setting_environ());
	struct shm_seg *seg;
	int err = shm_seg_create(&opts, &seg);

	if (err != 0)
		return boot_fail("no shared memory for a job of one: %s%s%s", shm_error_text(err),
			err == SHM_SYS ? ": " : "", err == SHM_SYS ? strerror(errno) : "");
	boot_seats_use(seg);
	this_process = (struct boot){.size = 1,
		.nhosts = 1,
		.nseats = 1,
		.universe = singleton_universe(),
		.app = -1,
		.seg_fd = shm_seg_fd(seg),
		.profile_fd = -1,
		.seg = seg,
		.cookie = shm_seg_cookie(seg)};
	boot_control_alone(&this_process, NULL);
	return 0;
}

static struct boot_rank *rank_record(const struct boot *b)
{
	return shm_seg_job_rank(b->seg, b->seat);
}

/* The listening socket that mpiexec has opened for this rank; -1: a parent has closed it. */
static int listen_take(int fd)
{
	int on = 0;
	socklen_t len = sizeof(on);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &len) != 0 || on == 0)
		return -1;
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return fd;
}

/* Says why the segment of a job cannot be mapped.  False: there is no segment at all. */
static bool segment_refused(const struct job_spec *o, int err)
{
	switch (err) {
	case SHM_OTHER:
		boot_fail("rank %d and its mpiexec are of different builds of Haft, which cannot "
			  "share memory: start it with the mpiexec that is installed beside its "
			  "library",
			o->rank);
		return true;
	case SHM_SYS:
	case SHM_NOMEM:
		boot_fail("rank %d cannot map the shared memory of its job: %s; `ulimit -v' before "
			  "mpiexec makes it smaller",
			o->rank, err == SHM_SYS ? strerror(errno) : shm_error_text(err));
		return true;
	default: return false;
	}
}

/* The map of a segment; NULL: one host, and no rank listens. */
static const struct boot_map *map_adopt(struct shm_seg *seg)
{
	size_t len;
	const struct boot_map *map = shm_seg_map(seg, &len);

	boot_map_use(map);
	return map;
}

/* The seat is this process's: keeps what mpiexec has handed down, out of reach of its children. */
static void job_adopt(const struct job_spec *o, struct shm_seg *seg, int fd)
{
	const struct boot_map *map = map_adopt(seg);

	fcntl(fd, F_SETFD, FD_CLOEXEC);
	launcher_follow(o->by);
	if (o->pmi >= 0 && boot_pmi_fd_valid(o->pmi))
		fcntl(o->pmi, F_SETFD, FD_CLOEXEC);
	boot_control_use(boot_pmi_fd_valid(o->pmi) ? o->pmi : -1, o->first > 0);
	boot_seats_use(seg);
	listen_fd = listen_take(o->listen);
	this_process = (struct boot){.rank = o->rank,
		.size = o->size,
		.first = o->first,
		.world = o->world,
		.nhosts = map != NULL ? map->nhosts : 1,
		.host = map != NULL ? map->host : 0,
		.seat = o->seat,
		.nseats = shm_seg_nranks(seg),
		.universe = o->universe,
		.app = o->app,
		.seg_fd = fd,
		.seg = seg,
		.cookie = o->cookie,
		.launched = true,
		.by = o->by,
		.profile_fd = o->profile};
}

/* Takes the seat that mpiexec has reserved.  CLAIM_NESTED: there is none, be a singleton. */
static enum seat_claim job_join(const struct job_spec *o)
{
	int fd = this_process.launched ? this_process.seg_fd : o->fd, err;
	struct shm_seg *seg = boot_spec_segment(o, fd, &err);
	bool inherited = seg != NULL;
	enum seat_claim claim;

	if (!inherited && segment_refused(o, err))
		return CLAIM_BLIND;
	if (!inherited)
		seg = boot_spec_fetch(o, &fd);
	if (seg == NULL)
		return CLAIM_NESTED;
	claim = seat_claim(shm_seg_job_rank(seg, o->seat), inherited);
	if (claim == CLAIM_OK) {
		job_adopt(o, seg, fd);
		return CLAIM_OK;
	}
	shm_seg_close(seg);
	if (!inherited)
		close(fd);
	return claim;
}

/* Takes a seat in a job of another launcher.  The seat is this process's from the start. */
static int foreign_join(enum kvs_kind kind)
{
	struct boot_node m;
	const struct boot_map *map;
	size_t len;

	if (boot_kvs_open(&kvs, kind) != 0 || boot_node_join(&kvs, &m) != 0)
		return -1;
	map = shm_seg_map(m.seg, &len);
	if (map != NULL && !boot_map_good(map, len, kvs.size, shm_seg_nranks(m.seg)))
		return boot_fail("the map of this host's shared memory is bad");
	boot_map_use(map);
	boot_seats_use(m.seg);
	listen_fd = m.listen;
	this_process = (struct boot){.rank = kvs.rank,
		.size = kvs.size,
		.nhosts = map != NULL ? map->nhosts : 1,
		.host = map != NULL ? map->host : 0,
		.seat = m.seat,
		.nseats = shm_seg_nranks(m.seg),
		.universe = kvs.universe,
		.app = kvs.app,
		.seg_fd = m.fd,
		.profile_fd = -1,
		.seg = m.seg,
		.cookie = m.cookie};
	foreign = true;
	boot_control_alone(&this_process, &kvs);
	return 0;
}

/* Without HAFT_JOB: a job of another launcher, or a singleton. */
static int other_join(void)
{
	enum kvs_kind kind = haft_setting_launch(SETTING_BOOT, haft_setting_environ()) == 0
				     ? boot_kvs_detect()
				     : KVS_NONE;

	if (kind == KVS_BAD)
		return -1;
	return kind == KVS_NONE ? singleton_init() : foreign_join(kind);
}

/* This rank is in MPI. */
HAFT_START static void seat_enter(void)
{
	atomic_store(&rank_record(&this_process)->pid, (int32_t)getpid());
	atomic_store(&rank_record(&this_process)->state, BOOT_RUNNING);
	boot_control_state(BOOT_RUNNING);
	if (foreign && this_process.size > 1)
		boot_detector_start(&this_process, &kvs, boot_abort);
}

HAFT_START int boot_init(struct boot **b)
{
	struct job_spec o;
	enum seat_claim claim;
	bool told = boot_spec_read(&o) && !boot_spec_stale(&o);

	*b = &this_process;
	if (this_process.seg != NULL) {
		seat_enter();
		return 0;
	}
	claim = told ? job_join(&o) : CLAIM_NESTED;
	if (claim == CLAIM_USED || claim == CLAIM_BLIND)
		return -1;
	if (claim == CLAIM_NESTED && (told ? singleton_init() : other_join()) != 0)
		return -1;
	seat_enter();
	return 0;
}

HAFT_START int boot_listen_fd(void)
{
	return listen_fd;
}

#define RECORD_WAIT_MS \
	1000 /* writing the record takes microseconds; on a full machine, some turns */

/* Writes the abort record of the job if this rank is the first.  True: it is.  Any other rank waits
 * until the record is complete: the launcher may notice the death of that rank first. */
static bool job_abort(int code, const char *text)
{
	struct boot_job *job = shm_seg_job(this_process.seg);
	bool first = atomic_exchange(&job->taken, 1) == 0;

	if (first) {
		job->rank = this_process.rank;
		job->first = this_process.first;
		job->pid = (int32_t)getpid();
		job->code = code;
		snprintf(job->text, sizeof(job->text), "%s", text);
		atomic_store(&job->ready, 1);
	}
	for (int i = 0; i < RECORD_WAIT_MS && atomic_load(&job->ready) == 0; i++)
		usleep(1000);
	atomic_store(&rank_record(&this_process)->state, BOOT_ABORTED);
	/* Beside spawned jobs mpiexec says which end with this one: those that are connected. */
	if (shm_seg_seats_end(this_process.seg) == shm_seg_nranks(this_process.seg))
		shm_seg_abort(this_process.seg);
	return first;
}

void boot_lost(int number)
{
	if (this_process.seg != NULL)
		atomic_store(&rank_record(&this_process)->lost, number + 1);
}

bool boot_launched(void)
{
	return this_process.launched;
}

HAFT_START const _Atomic uint32_t *boot_hold(void)
{
	return this_process.seg != NULL ? &((struct boot_job *)shm_seg_job(this_process.seg))->hold
					: NULL;
}

int boot_end_code(void)
{
	const struct boot_job *job =
		this_process.seg != NULL ? shm_seg_job(this_process.seg) : NULL;

	return job != NULL ? atomic_load(&job->end_code) - 1 : -1;
}

void boot_ft(uint32_t what)
{
	struct boot_rank *r = this_process.seg != NULL ? rank_record(&this_process) : NULL;

	if (r == NULL || atomic_load(&r->ft) >= what)
		return;
	atomic_store(&r->ft, what);
	if (what == BOOT_FT_HANDLED || haft_setting_get(SETTING_FT) == HAFT_FT_AUTO)
		boot_control_ft(what);
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

void boot_exit_mark(uint32_t state)
{
	if (this_process.seg != NULL)
		atomic_store(&rank_record(&this_process)->state, state);
}

HAFT_START void boot_close(struct boot *b)
{
	if (b == NULL || b->seg == NULL)
		return;
	boot_detector_stop();
	atomic_store(&rank_record(b)->state, BOOT_DONE);
	boot_control_state(BOOT_DONE);
	boot_kvs_done(&kvs);
}
