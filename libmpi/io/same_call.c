// SPDX-License-Identifier: BSD-3-Clause
/* same_call.c - see same_call.h. */
#include "libmpi/io/same_call.h"

#include "libmpi/coll/coll_check.h"
#include "libmpi/coll/coll_shm.h"
#include "libmpi/p2p/p2p.h"

/* The call has no phase of its own: all members meet in a collective call inside, whose line shows
 * the history of calls, with this one. */
int io_same_call(const struct io_file *f, enum coll_maker call)
{
	if (f->alone)
		return 0;
	if (unlikely((f->comm->hints & COMM_REVOKED) != 0))
		return p2p_comm_error(f->comm);
	if (unlikely(coll_check_wanted))
		return coll_check_constructor(f->comm, call);
	coll_calls_begin_maker(f->comm, call);
	return 0;
}

/* In the order of enum coll_maker. */
static_assert(COLL_FILE_WRITE_ORDERED == COLL_FILE_READ_AT_ALL + 5 &&
		      COLL_FILE_IWRITE_ALL == COLL_FILE_IREAD_AT_ALL + 3 &&
		      COLL_FILE_WRITE_ORDERED_BEGIN == COLL_FILE_READ_AT_ALL_BEGIN + 5,
	"two directions of each positioning");

enum coll_maker io_same_call_of(const struct io_job *j)
{
	static const uint8_t first[] = {[IO_BLOCKING] = COLL_FILE_READ_AT_ALL,
		[IO_NONBLOCKING] = COLL_FILE_IREAD_AT_ALL,
		[IO_SPLIT] = COLL_FILE_READ_AT_ALL_BEGIN};
	static const uint8_t behind[] = {[IO_EXPLICIT] = 0, [IO_INDIVIDUAL] = 2, [IO_ORDERED] = 4};

	return (enum coll_maker)(first[j->form] + behind[j->positioning] + j->direction);
}

int io_same_call_job(struct io_job *j)
{
	enum coll_maker call = io_same_call_of(j);
	struct comm *c = j->f->comm;

	j->comparison = NULL;
	if (j->f->alone || (c->hints & COMM_REVOKED) != 0)
		return 0;
	if (j->positioning == IO_ORDERED)
		return io_same_call(j->f, call);
	coll_next_tag(c);
	coll_calls_begin_silent(c, COLL_NONBLOCKING, coll_maker_digest(call));
	if (likely(!coll_check_wanted))
		return 0;
	return coll_check_constructor_begin(c, call, &j->comparison);
}

bool io_same_call_goes_on(const struct io_file *f)
{
	return coll_check_wanted && !p2p_comm_broken(f->comm);
}
