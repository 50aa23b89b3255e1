// SPDX-License-Identifier: BSD-3-Clause
/* RUN np=1,2 */
/* RUN np=1 env="HAFT_CHECK=types" */
/* The invariants of engines hold in a program that uses them, and each sees its structure broken:
 * files with their locks, stages and queues; ports; connected jobs; aliases; datatypes; signatures
 * of messages; the lock; objects and their tables; rings, pipes, inbox, waits and heap of the
 * segment.  A child breaks private memory, which goes with it; shared memory is mended later. */
#include "libmpi/core/errh_object.h"
#include "libmpi/core/library_lock.h"
#include "libmpi/core/objects.h"
#include "libmpi/core/type_object.h"
#include "libmpi/core/valid.h"
#include "libmpi/dyn/connected.h"
#include "libmpi/dyn/port.h"
#include "libmpi/io/collective.h"
#include "libmpi/io/io_valid.h"
#include "libmpi/io/shared.h"
#include "libmpi/io/stage.h"
#include "libmpi/p2p/match.h"
#include "libmpi/p2p/p2p_state.h"
#include "libmpi/p2p/sig.h"
#include "libmpi/via/alias.h"
#include "libobj/obj_inner.h"
#include "libshm/shm_inner.h"
#include "tests/std/ch14/file_name.h"

#include <sys/wait.h>
#include <unistd.h>

/* In a child: `change' is made, and then the check of this name does not hold. */
#define BROKEN(name, change)                                                        \
	do {                                                                        \
		pid_t pid = fork();                                                 \
		int status;                                                         \
		if (pid == 0) {                                                     \
			const char *broken;                                         \
			change;                                                     \
			broken = haft_valid_all();                                  \
			_exit(broken != NULL && strcmp(broken, name) == 0 ? 0 : 1); \
		}                                                                   \
		CHECK(waitpid(pid, &status, 0) == pid && status == 0);              \
	} while (0)

#define FILES "io_files_valid"

static void locks(struct io_lock_table *t)
{
	static struct io_lock_table own; /* the file's is shared */

	CHECK(io_lock_table_valid(t));
	own.top = 2;
	own.ticket = 2;
	own.slot[0] = (struct io_lock_slot){.lo = 0, .hi = 8, .ticket = 1, .pid = 1};
	own.slot[1] = (struct io_lock_slot){.lo = 4, .hi = 8, .ticket = 2, .pid = 1};
	CHECK(io_lock_table_valid(&own));
	own.slot[1].ticket = 1;
	CHECK(!io_lock_table_valid(&own)); /* two of one ticket */
	atomic_store(&own.owner, 1);
	CHECK(io_lock_table_valid(&own)); /* another process changes it just now */
	atomic_store(&own.owner, 0);
	own.slot[1].ticket = 3;
	CHECK(!io_lock_table_valid(&own)); /* not drawn yet */
	own.slot[1] = (struct io_lock_slot){.lo = 8, .hi = 8, .ticket = 2, .pid = 1};
	CHECK(!io_lock_table_valid(&own)); /* no bytes */
	own.slot[1] = (struct io_lock_slot){
		.lo = 4, .hi = 8, .ticket = 2, .pid = 1, .mode = IO_LOCK_EXCLUSIVE};
	CHECK(!io_lock_table_valid(&own)); /* exclusive, and not counted */
	atomic_store(&own.exclusive, 1);
	CHECK(io_lock_table_valid(&own));
	own.slot[1].pid = 0;
	CHECK(!io_lock_table_valid(&own)); /* still counted */
	atomic_store(&own.exclusive, 0);
	CHECK(io_lock_table_valid(&own));
	own.top = IO_LOCK_SLOTS + 1;
	CHECK(!io_lock_table_valid(&own));
}

/* Each rank writes every second byte, so that aggregators have a stage. */
static void valid_files(void)
{
	MPI_File fh = file_new(MPI_COMM_WORLD, file_name("valid"));
	struct io_file *f = io_of(obj_get(&haft_file_class, (obj_h)fh));
	char bytes[16] = "";
	MPI_Datatype comb;

	OK(MPI_Type_vector(16, 1, check_size, MPI_BYTE, &comb));
	OK(MPI_Type_commit(&comb));
	OK(MPI_File_set_view(fh, check_rank, MPI_BYTE, comb, "native", MPI_INFO_NULL));
	OK(MPI_File_write_all(fh, bytes, 16, MPI_BYTE, MPI_STATUS_IGNORE));
	CHECK(haft_valid_all() == NULL);
	BROKEN(FILES, f->jobs = -1);
	BROKEN(FILES, f->word = 2);
	BROKEN(FILES, f->position = -1);
	BROKEN(FILES, f->view->refs = 0);
	BROKEN(FILES, f->view->etype = NULL);
	BROKEN(FILES, f->shared = NULL);
	if (check_size > 1) {
		BROKEN(FILES, f->aggregate->queued = 1);
		BROKEN(FILES, f->aggregate->tail = (struct io_collective *)(void *)bytes);
	}
	if (check_size > 1 && f->aggregate->stage != NULL) {
		atomic_store(&f->aggregate->stage->failed, -1);
		CHECK(strcmp(haft_valid_all(), FILES) == 0);
		atomic_store(&f->aggregate->stage->failed, 0);
	}
	OK(MPI_Barrier(MPI_COMM_WORLD));
	atomic_fetch_sub(&f->shared->pointer[f->word], 1000);
	CHECK(strcmp(haft_valid_all(), FILES) == 0);
	atomic_fetch_add(&f->shared->pointer[f->word], 1000);
	OK(MPI_Barrier(MPI_COMM_WORLD));
	CHECK(haft_valid_all() == NULL);
	locks(&f->shared->locks);
	OK(MPI_File_close(&fh));
	OK(MPI_Type_free(&comb));
}

static void ports(void)
{
	char name[MPI_MAX_PORT_NAME];
	struct dyn_port *p;

	OK(MPI_Open_port(MPI_INFO_NULL, name));
	p = dyn_port_use(name);
	CHECK(p != NULL && haft_valid_all() == NULL);
	BROKEN("dyn_ports_valid", p->users = -1);
	BROKEN("dyn_ports_valid", p->nfd = 0);
	BROKEN("dyn_ports_valid", p->secret[0] ^= 1);
	BROKEN("dyn_ports_valid", p->closed = true);
	dyn_port_drop(p);
	OK(MPI_Close_port(name));
}

static void aliases(void)
{
	struct via_card card;
	const struct via_card *mine;
	int number, next;

	OK(via_card_own(&card));
	card.universe ^= 1; /* of another one */
	OK(via_alias_make(&card, &number));
	card.number++;
	OK(via_alias_make(&card, &next));
	CHECK(via_is_alias(number) && next == number + 1 && haft_valid_all() == NULL);
	mine = via_alias_card(number);
	/* Both are one process now. */
	BROKEN("via_aliases_valid", ((struct via_card *)(uintptr_t)mine)->number++);
}

static void valid_types(void)
{
	MPI_Datatype t;
	struct type *type;

	OK(MPI_Type_vector(3, 2, 5, MPI_INT, &t));
	OK(MPI_Type_commit(&t));
	type = obj_get(&haft_type_class, (obj_h)t);
	CHECK(type != NULL && haft_valid_all() == NULL);
	BROKEN("type_all_valid", type->size++);
	BROKEN("type_all_valid", type->dense = true);
	OK(MPI_Type_free(&t));
}

/* A communicator without members of other jobs connects none. */
static void connections(void)
{
	struct comm *c;
	MPI_Comm dup;

	OK(MPI_Comm_dup(MPI_COMM_WORLD, &dup));
	c = obj_get(&haft_comm_class, (obj_h)dup);
	CHECK(c != NULL && dyn_connected_valid());
	BROKEN("dyn_connected_valid", c->told = true);
	OK(MPI_Comm_free(&dup));
}

static void words_never_end(void *arg, const struct unexpected *u)
{
	(void)arg;
	if (u->sig != NULL)
		memset(u->sig->words, 'x', sizeof(u->sig->words));
}

/* HAFT_CHECK=types: an unexpected message has a signature. */
static void signatures(void)
{
	static const struct p2p_sig own;
	int x = 1, y = 0;
	MPI_Request r;

	OK(MPI_Isend(&x, 1, MPI_INT, check_rank, 0, MPI_COMM_WORLD, &r));
	CHECK(p2p_sig_valid());
	BROKEN("p2p_sig_valid", p2p_state.sig = &own);
	if (p2p_state.checks) {
		BROKEN("p2p_sig_valid", p2p_state.watched = false);
		BROKEN("p2p_sig_valid", p2p_match_each(words_never_end, NULL));
	}
	OK(MPI_Recv(&y, 1, MPI_INT, check_rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
	OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
}

#define LOCK "haft_lock_valid"

static void lock(void)
{
	CHECK(haft_lock_valid());
	haft_lock();
	CHECK(haft_lock_valid());
	haft_unlock();
	CHECK(haft_trylock() && haft_lock_valid());
	haft_unlock();
	CHECK(haft_lock_valid());
	BROKEN(LOCK, haft_locked = true);              /* the word says that it is free */
	BROKEN(LOCK, haft_user_depth = -1);            /* left more often than begun */
	BROKEN(LOCK, haft_help_need(-1));              /* likewise, needs of a helper */
	BROKEN(LOCK, haft_gate_set(HAFT_GATE_HELPER)); /* nothing needs a helper */
}

#define OBJECTS "haft_objects_valid"

/* libobj keeps these facts of any object; an info object has no check of an engine. */
static void objects(void)
{
	struct obj_inside *table = haft_info_class.in;
	MPI_Info info;
	struct obj *o;

	OK(MPI_Info_create(&info));
	o = obj_get(&haft_info_class, (obj_h)info);
	CHECK(o != NULL && haft_objects_valid());
	BROKEN(OBJECTS, o->refs = 0);                                /* a handle without a count */
	BROKEN(OBJECTS, o->refs |= REFS_CLOSING);                    /* held by no call */
	BROKEN(OBJECTS, o->token += 2);                              /* of another slot */
	BROKEN(OBJECTS, o->token ^= (uint64_t)1 << 48);              /* of another class */
	BROKEN(OBJECTS, o->token = 1);                               /* no token */
	BROKEN(OBJECTS, o->u.cls = &haft_errh_class);                /* in this class's table */
	BROKEN(OBJECTS, table->hi = table->capacity + 1);            /* slots that are not there */
	BROKEN(OBJECTS, table->limit = table->capacity + 1);         /* likewise */
	BROKEN(OBJECTS, table->fifo_n = 2; table->fifo_head = NULL); /* free slots, likewise */
	BROKEN(OBJECTS, haft_errh_fatal.o.token++);                  /* of a permanent object */
	CHECK(obj_name_set(o, "name", 4, OBJ_C) == OBJ_OK);
	BROKEN(OBJECTS, ext_of(o)->name[ext_of(o)->name_len] = 'x');
	BROKEN(OBJECTS, ext_of(o)->ntrace = OBJ_TRACE_MAX + 1);
	OK(MPI_Info_free(&info));
}

#define SEGMENT "via_segment_valid"

/* Positions in rings and pipes, those of this process towards itself: there is neither. */
static void segment_channels(struct shm *s)
{
	static struct shm_pipe pipe;
	struct shm_peer *own = &s->in->peer[s->me];
	uint32_t chunks = s->seg->head->chunks;

	CHECK(own->out == NULL && own->in == NULL && own->pipe_out == NULL);
	BROKEN(SEGMENT, s->tx[s->me].head = 1);
	BROKEN(SEGMENT, s->tx[s->me].limit = 1);
	BROKEN(SEGMENT, own->offered = true);
	BROKEN(SEGMENT, own->out = (struct shm_ring *)(void *)&pipe); /* outside of the segment */
	BROKEN(SEGMENT, s->rx[s->me].tail = 1);
	BROKEN(SEGMENT, own->in = (struct shm_ring *)(void *)&pipe);
	BROKEN(SEGMENT, own->pipe_out = &pipe; own->put = own->put_free = chunks + 1);
	BROKEN(SEGMENT, own->pipe_out = &pipe; own->put_free = own->put - chunks - 1);
	BROKEN(SEGMENT, own->pipe_in = &pipe; own->gen_in = 0; own->got = 1);
}

/* Rings that are polled, waits and the inbox. */
static void segment_waits(struct shm *s)
{
	static const struct shm_wait wait;
	struct shm_private *in = s->in;

	BROKEN(SEGMENT, in->inbox_head = atomic_load(&in->inbox->ticket) + 1);
	BROKEN(SEGMENT, in->inbox_head += INBOX_CELLS);
	BROKEN(SEGMENT, in->shown = &wait);
	BROKEN(SEGMENT, in->nwatches = ROOM_WATCHES + 1);
	BROKEN(SEGMENT, in->nwatches = -1);
	BROKEN(SEGMENT, in->peer[s->me].hot = true);
	BROKEN(SEGMENT, in->nhot++; in->hot[in->nhot - 1] = s->me);
	BROKEN(SEGMENT, in->nrings++; in->ring_src[in->nrings - 1] = s->me);
	BROKEN(SEGMENT, in->npipes = in->pipe_max + 1);
}

/* Words that other ranks see: broken and mended by this one. */
static void segment_shared(struct shm *s)
{
	struct wait_record *record = s->in->record;
	struct seg_head *head = s->seg->head;
	uint64_t was = head->heap_free[0];

	atomic_fetch_add(&record[1].seq, 1); /* half written */
	CHECK(strcmp(haft_valid_all(), SEGMENT) == 0);
	atomic_fetch_add(&record[1].seq, 1);
	atomic_store(&record->waiting, 1);
	CHECK(strcmp(haft_valid_all(), SEGMENT) == 0);
	atomic_store(&record->waiting, 0);
	if (check_size > 1)
		return; /* the others use the doorbell and the heap */
	atomic_store(&s->in->doorbell[s->me].sleeping, SLEEP_FUTEX);
	CHECK(strcmp(haft_valid_all(), SEGMENT) == 0);
	atomic_store(&s->in->doorbell[s->me].sleeping, SLEEP_NONE);
	head->heap_free[0] = head->heap - CACHE_LINE;
	CHECK(strcmp(haft_valid_all(), SEGMENT) == 0);
	head->heap_free[0] = was;
}

/* The process's side of the segment of its host. */
static void segment(void)
{
	CHECK(haft_valid_all() == NULL);
	segment_channels(via.shm);
	segment_waits(via.shm);
	segment_shared(via.shm);
	CHECK(haft_valid_all() == NULL);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	valid_types();
	valid_files();
	ports();
	aliases();
	connections();
	signatures();
	lock();
	objects();
	segment();
	CHECK(haft_valid_all() == NULL);
	MPI_Finalize();
	return check_end();
}
