// SPDX-License-Identifier: BSD-3-Clause
/* coll_calls.c - which collective call is each member in?  For calls that no phase shows.
 *
 *      call      rank 0            rank 1
 *       7    MPI_Comm_idup     MPI_Ibarrier      words of the block: number | form | digest
 *       8    MPI_Barrier       MPI_Wait          rank 1 waits for long: its call 7 is not rank 0's
 *
 * Calls with a request, and constructors, go by messages, or count arrivals (shm_request.c).  Each
 * writes its number, form and digest into a word of its member when it begins.  Blocking calls
 * write nothing, as they have no time for it, unless HAFT_CHECK=coll is set.  A member whose wait
 * has become long writes the word of its last call, and compares its words with those of the
 * others.  So the last of the members that wait for long sees a difference, whichever call waits
 * for which, and all members are told (haft_comm_hooks.differ).
 *
 * Invariants
 *  - A call has one number in all members (coll_next_tag), and calls of one number that differ are
 *    a mistake of the program.
 *  - A member keeps the words of its last CALLS_KEPT calls.  A call without a word is blocking, and
 *    goes into phases: its lines say which it is.
 *  - The words are there before the members agree to use the block for data: coll_shm_block.
 *
 * With HAFT_CHECK=coll the members compare all calls by messages, and go on after an error.  So
 * there is no history, and nothing is compared here. */
#include "libmpi/coll/coll_check.h"
#include "libmpi/coll/coll_shm.h"
#include "libmpi/boot/waitrec.h"
#include "libmpi/p2p/match.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* A word: number 32 | form 8 | digest 24 bits. */
#define NUMBER_AT 32
#define FORM_AT   DIGEST_BITS

/* The words of a member: two are those of errors (coll_phase_set_error). */
#define CALLS_FROM 2
#define CALLS_KEPT (SHM_BLOCK_WORDS - CALLS_FROM)

static _Atomic uint64_t *calls_word(const struct coll *s, int i, uint64_t number)
{
	return shm_block_word(s->block, i, CALLS_FROM + (int)(number % CALLS_KEPT));
}

static uint64_t calls_get(const struct coll *s, int i, uint64_t number)
{
	return atomic_load_explicit(calls_word(s, i, number), memory_order_acquire);
}

/* A word alone says all, so its order with other memory does not matter. */
static void calls_write(struct coll *s, uint64_t number, enum coll_form form, uint32_t digest)
{
	atomic_store_explicit(calls_word(s, s->me, number),
		number << NUMBER_AT | (uint64_t)form << FORM_AT | digest, memory_order_release);
}

HAFT_START void coll_calls_begin(struct comm *c, enum coll_form form, uint32_t digest)
{
	struct coll *s = c->coll;

	if (s != NULL)
		coll_shown_keep(s, c->coll_seq - 1);
	if (form > COLL_BLOCKING && !coll_check_wanted)
		coll_history_add(c, form, digest);
	if (c->remote != NULL || (s == NULL && !coll_shm_possible(c)))
		return;
	s = c->coll; /* coll_shm_possible has made it */
	if (s != NULL && s->local && !s->broken && coll_shm_block(s))
		calls_write(s, c->coll_seq - 1, form, digest);
}

bool coll_calls_begun(const struct coll *s, int i, uint64_t number)
{
	for (uint64_t k = 0; k < CALLS_KEPT; k++) {
		uint64_t word = calls_get(s, i, k);

		if (word != 0 && (int32_t)((uint32_t)(word >> NUMBER_AT) - (uint32_t)number) >= 0)
			return true;
	}
	return false;
}

void coll_calls_by_messages(struct coll *s)
{
	if (s->local && !s->broken)
		calls_write(s, s->comm->coll_seq - 1, COLL_BY_MESSAGES, s->digest);
}

/* Which call, in a tag: kind 5 | request 1 | root and history 6 bits.  Kind 0: a constructor, whose
 * messages have the number alone.  With over 64 members one pair of roots in 64 has one tag (0 and
 * 65): their messages match, and the next call of the communicator, whose history differs, tells.
 * Calls with requests that are under way need all bits of the number. */
#define WHICH_ROOT_BITS 6
#define WHICH_ROOT      ((1u << WHICH_ROOT_BITS) - 1)
#define WHICH_REQUEST   (1u << WHICH_ROOT_BITS)
#define WHICH_KIND_AT   (WHICH_ROOT_BITS + 1)
#define WHICH_INIT      21 /* is added to the root of an _init call: MPI_Ibcast has other tags */
#define WHICH_LAST      (COLL_KINDS + 1) /* the barrier of MPI_Finalize */
#define TAG_LATER       (TAG_CALLS / 2)  /* a number not so far behind another is a later one */
static_assert(
	BOOT_WAIT_CALLS == TAG_PERSISTENT && BOOT_WAIT_WHICH == ((TAG_PERSISTENT - 1) & ~TAG_CALLS),
	"mpiexec compares tags");
static_assert(
	(WHICH_LAST + 1) << WHICH_KIND_AT <= TAG_PERSISTENT >> TAG_NUMBER_BITS, "a tag has room");

/* Of the call that has just taken its number. */
static void calls_sent_set(struct coll *s, int tag, enum coll_form form, uint32_t digest)
{
	uint64_t number = s->comm->coll_seq;

	s->sent[number % COLL_OWN_KEPT] = (struct coll_sent){(uint32_t)number, tag, form, digest};
}

/* This member's call `back' calls ago, 1: the last one, if it is kept: one by messages, or with a
 * request; or NULL. */
static const struct coll_sent *calls_sent_get(const struct coll *s, uint64_t back)
{
	uint64_t number = s->comm->coll_seq + 1 - back;
	const struct coll_sent *sent = &s->sent[number % COLL_OWN_KEPT];

	return back > 0 && back <= COLL_OWN_KEPT && sent->form != COLL_FORM_NONE &&
			       sent->number == (uint32_t)number
		       ? sent
		       : NULL;
}

HAFT_START void coll_calls_begin_silent(struct comm *c, enum coll_form form, uint32_t digest)
{
	if (!coll_check_wanted && c->remote == NULL && coll_state(c) != NULL)
		calls_sent_set(c->coll, coll_last_tag(c), form, digest);
	coll_calls_begin(c, form, digest);
}

/* The bits of a tag that have the root and the calls before. */
static uint32_t calls_which_root(const struct comm *c, uint32_t root)
{
	return (root + (c->coll_history >> DIGEST_BYTES_BITS)) & WHICH_ROOT;
}

/* Between two groups members give different roots, and have no history. */
void coll_calls_tag(struct coll_args *k, enum coll_form form)
{
	struct comm *c = k->comm;
	bool last = k->kind == COLL_BARRIER && k->bytes == COLL_BARRIER_LAST;
	uint32_t which = (last ? WHICH_LAST : (uint32_t)k->kind + 1) << WHICH_KIND_AT;
	uint32_t root = (uint32_t)k->root ^ (uint32_t)k->root >> WHICH_ROOT_BITS;

	if (coll_check_wanted)
		return;
	if (form != COLL_BLOCKING)
		which |= WHICH_REQUEST;
	if (!k->inter)
		which |= calls_which_root(c, root + (form == COLL_PERSISTENT ? WHICH_INIT : 0));
	k->tag |= (int)(which << TAG_NUMBER_BITS);
	if (k->inter)
		return;
	if (coll_state(c) != NULL)
		calls_sent_set(c->coll, k->tag, form, coll_digest(k));
	if (form == COLL_BLOCKING && (c->coll == NULL || c->coll->block == NULL))
		coll_history_add(c, form, coll_digest_call(k->kind, k->root));
}

HAFT_START void coll_calls_begin_maker(struct comm *c, enum coll_maker maker)
{
	bool only_copied = maker <= COLL_COMM_IDUP && c->coll == NULL && c != &haft_world &&
			   !coll_check_wanted;

	coll_next_tag(c);
	if (!coll_check_wanted)
		coll_history_add(c, COLL_BLOCKING, coll_maker_digest(maker));
	if (!only_copied) /* memory for each of a long chain of copies would be too much */
		coll_calls_begin_silent(c, COLL_BLOCKING, coll_maker_digest(maker));
}

void coll_calls_maker_waits(struct comm *c, enum coll_maker maker)
{
	coll_calls_begin_silent(c, COLL_BLOCKING, coll_maker_digest(maker));
}

void coll_calls_variant(struct comm *c, enum coll_variant variant)
{
	if (!coll_check_wanted)
		coll_history_add(
			c, COLL_BLOCKING, coll_maker_digest(COLL_MAKERS) + (uint32_t)variant);
}

static enum coll_form calls_form(uint64_t word)
{
	return (enum coll_form)(word >> FORM_AT & 0xff);
}

static uint32_t calls_digest(uint64_t word)
{
	return coll_line_digest((uint32_t)word);
}

static struct coll_call calls_of_word(uint64_t word)
{
	return (struct coll_call){calls_form(word), calls_digest(word)};
}

/* Tells all members of the difference between this member's call and that of member i. */
static void calls_tell(struct coll *s, struct coll_call mine, int i, struct coll_call theirs)
{
	char how[HAFT_ERR_TEXT_MAX - 32], words[HAFT_ERR_TEXT_MAX];
	int class = coll_call_differ(s, mine, i, theirs, how, sizeof(how));

	snprintf(words, sizeof(words), "%s (HAFT_CHECK=coll says more)", how);
	haft_comm_hooks.differ(s->comm, class, words);
}

/* A message of a call that this member has begun, and that is another one here; or of a call that
 * it has not begun, by the member whose message it waits for, or by one that has made other calls
 * before. */
struct other_message {
	const struct coll *s;
	const struct req *awaited;    /* as in coll_calls_check */
	const struct coll_sent *sent; /* this member's call; NULL: there is none */
	uint64_t back;                /* so many calls ago */
	int peer, tag;
};

static void calls_check_message(void *arg, const struct unexpected *u)
{
	struct other_message *m = arg;
	const struct coll *s = m->s;
	uint64_t back = (s->comm->coll_seq - (uint64_t)u->tag) & TAG_CALLS;
	const struct coll_sent *mine = calls_sent_get(s, back);

	if (u->ctx != s->comm->ctx + CTX_COLL || u->tag >= TAG_PERSISTENT || mine == NULL ||
		mine->tag == u->tag || back < m->back)
		return;
	m->sent = mine;
	m->back = back;
	m->peer = u->peer;
	m->tag = u->tag;
}

/* Is the awaited message one of the last call of s, which is blocking, as its wait is for this
 * message? */
static bool calls_awaits(const struct coll *s, const struct req *awaited)
{
	uint64_t ctx = s->comm->ctx;

	if (awaited == NULL || s->comm->remote != NULL)
		return false;
	return awaited->ctx == ctx + CTX_MAKE ||
	       (awaited->ctx == ctx + CTX_COLL && awaited->tag < TAG_PERSISTENT &&
		       (awaited->tag & TAG_CALLS) == coll_last_tag(s->comm));
}

/* Is a message of the next call from a member that has made other calls before?  Its tag says so if
 * the call has no root. */
static bool calls_history_differs(const struct comm *c, int tag)
{
	uint32_t which = (uint32_t)tag >> TAG_NUMBER_BITS, kind = which >> WHICH_KIND_AT;
	uint32_t root = which & WHICH_ROOT;

	return !c->coll->local && kind > 0 && kind < WHICH_LAST && !coll_kind_rooted(kind - 1) &&
	       root != calls_which_root(c, 0) &&
	       ((which & WHICH_REQUEST) == 0 || root != calls_which_root(c, WHICH_INIT));
}

/* A member begins a call when it has sent all messages of a blocking call before it. */
static void calls_check_later(void *arg, const struct unexpected *u)
{
	struct other_message *m = arg;
	const struct comm *c = m->s->comm;
	uint64_t later = ((uint64_t)u->tag - c->coll_seq) & TAG_CALLS;
	bool passed = m->awaited != NULL && u->peer == m->awaited->peer;

	if (u->ctx == c->ctx + CTX_COLL && u->tag < TAG_PERSISTENT && later <= TAG_LATER)
		passed = passed || (later == 0 && calls_history_differs(c, u->tag));
	else if (u->ctx != c->ctx + CTX_MAKE || u->tag != 0)
		return;
	if (!passed)
		return;
	m->sent = calls_sent_get(m->s, 1);
	m->peer = u->peer;
}

/* The call of a tag.  Its root is not known, but differs from mine if their kinds are equal. */
static struct coll_call calls_of_tag(int tag, struct coll_call mine)
{
	uint32_t which = (uint32_t)tag >> TAG_NUMBER_BITS, kind = which >> WHICH_KIND_AT;
	enum coll_form form = (which & WHICH_REQUEST) != 0 ? COLL_NONBLOCKING : COLL_BLOCKING;

	if (kind == 0 || kind > WHICH_LAST)
		return (struct coll_call){form, (uint32_t)DIGEST_UNKNOWN << DIGEST_KIND_AT};
	if (kind == WHICH_LAST && mine.digest != COLL_BARRIER_LAST)
		return (struct coll_call){form, COLL_BARRIER_LAST};
	if (kind != WHICH_LAST && kind - 1 != mine.digest >> DIGEST_KIND_AT)
		return (struct coll_call){form, (kind - 1) << DIGEST_KIND_AT};
	if (form == COLL_NONBLOCKING && mine.form == COLL_PERSISTENT)
		form = COLL_PERSISTENT;
	return (struct coll_call){form, mine.digest ^ 1u << DIGEST_BYTES_BITS};
}

/* The oldest message that this member does not receive because its sender is in another call, or
 * has passed this one.  False: there is one, and all are told. */
static bool calls_compare_messages(struct coll *s, const struct req *awaited)
{
	struct other_message m = {.s = s, .awaited = awaited};
	struct coll_call mine, theirs = {COLL_BLOCKING, (uint32_t)DIGEST_UNKNOWN << DIGEST_KIND_AT};
	int i;

	p2p_match_each(calls_check_message, &m);
	if (!calls_awaits(s, awaited))
		m.awaited = NULL;
	if (m.sent == NULL && s->comm->remote == NULL)
		p2p_match_each(calls_check_later, &m);
	i = m.sent != NULL ? group_rank_of(s->comm->group, m.peer) : -1;
	if (i < 0)
		return true;
	mine = (struct coll_call){m.sent->form, m.sent->digest};
	calls_tell(s, mine, i, m.back != 0 ? calls_of_tag(m.tag, mine) : theirs);
	return false;
}

/* The history of a kept call, where a digest has it. */
static uint32_t calls_own_history(const struct coll_own *own)
{
	return own->digest >> DIGEST_BITS << DIGEST_BYTES_BITS;
}

/* The word of this member's blocking call `number', if it is one of the last.  False: it is not. */
static bool calls_own_word(const struct coll *s, uint64_t number, uint64_t *word)
{
	for (uint32_t i = 0; i < COLL_OWN_KEPT && i < s->nown; i++) {
		const struct coll_own *own = &s->own[i];
		uint32_t digest = coll_line_digest(own->digest);

		if (own->number != (uint32_t)(number + 1))
			continue;
		if (digest >> DIGEST_KIND_AT != DIGEST_MAKER)
			digest ^= calls_own_history(own);
		*word = number << NUMBER_AT | (uint64_t)COLL_BLOCKING << FORM_AT | digest;
		return true;
	}
	return false;
}

HAFT_START void coll_calls_publish(struct coll *s)
{
	uint64_t calls = s->comm->coll_seq;

	if (!s->local || s->broken || s->block == NULL)
		return;
	for (uint64_t number = calls > CALLS_KEPT ? calls - CALLS_KEPT : 0; number < calls;
		number++) {
		uint64_t there = calls_get(s, s->me, number), word;

		if ((there >> NUMBER_AT != (uint32_t)number ||
			    calls_form(there) == COLL_FORM_NONE) &&
			calls_own_word(s, number, &word))
			calls_write(s, number, COLL_BLOCKING, calls_digest(word));
	}
}

/* Two members' words of one call that differ. */
struct word_pair {
	uint64_t mine, theirs;
	int i; /* the other member; -1: there is no difference */
};

static struct word_pair calls_published_pair(const struct coll *s)
{
	uint64_t calls = s->comm->coll_seq;

	for (uint64_t number = calls > CALLS_KEPT ? calls - CALLS_KEPT : 0; number < calls;
		number++) {
		uint64_t mine = calls_get(s, s->me, number);

		for (int i = 0; i < s->n; i++) {
			uint64_t theirs = calls_get(s, i, number);

			if (i == s->me || mine == theirs ||
				theirs >> NUMBER_AT != (uint32_t)number ||
				mine >> NUMBER_AT != (uint32_t)number ||
				calls_form(mine) == COLL_FORM_NONE ||
				calls_form(theirs) == COLL_FORM_NONE)
				continue;
			return (struct word_pair){mine, theirs, i};
		}
	}
	return (struct word_pair){.i = -1};
}

bool coll_calls_compare_published(struct coll *s)
{
	struct word_pair pair = calls_published_pair(s);

	if (pair.i >= 0)
		calls_tell(s, calls_of_word(pair.mine), pair.i, calls_of_word(pair.theirs));
	return pair.i < 0;
}

/* Has member i ended its use of the communicator after other calls than this one, whose end is
 * `mine', call `number'? */
static bool calls_end_differs(const struct coll *s, uint64_t number, uint64_t mine, int i)
{
	uint64_t there = calls_get(s, i, number);

	if (there >> NUMBER_AT == (uint32_t)number && calls_form(there) != COLL_FORM_NONE)
		return there != mine;
	for (uint64_t at = 0; at < CALLS_KEPT; at++) {
		uint64_t word = calls_get(s, i, at);
		uint32_t digest = calls_digest(word);

		if (calls_form(word) != COLL_FORM_NONE && word != mine && /* it may come now */
			digest >> DIGEST_KIND_AT == DIGEST_MAKER &&
			coll_digest_bytes(digest) >= COLL_COMM_FREE)
			return true; /* after more calls, or fewer */
	}
	return false;
}

int coll_calls_end(struct comm *c, enum coll_maker maker)
{
	struct coll *s = c->coll;
	uint64_t number = c->coll_seq, mine;
	char words[HAFT_ERR_TEXT_MAX];
	struct word_pair pair;

	if (s == NULL || s->block == NULL || s->broken || s->ended || coll_check_wanted ||
		c == &haft_world || p2p_comm_broken(c))
		return 0;
	s->ended = true;
	coll_calls_publish(s);
	coll_next_tag(c);
	calls_write(s, number, COLL_BLOCKING, coll_maker_digest(maker) ^ c->coll_history);
	mine = calls_get(s, s->me, number);
	atomic_thread_fence(memory_order_seq_cst); /* of two members one sees the other's word */
	for (int i = 0; i < s->n; i++) {
		if (i == s->me || !calls_end_differs(s, number, mine, i))
			continue;
		pair = calls_published_pair(s);
		if (pair.i < 0)
			pair = (struct word_pair){mine, calls_get(s, i, number), i};
		return haft_err(coll_call_differ(s, calls_of_word(pair.mine), pair.i,
					calls_of_word(pair.theirs), words, sizeof(words)),
			"%s (HAFT_CHECK=coll says more)", words);
	}
	return 0;
}

/* The digest of the call that this member was in at phase e, with its history.  False: it is not
 * known any more. */
static bool calls_own_digest(const struct coll *s, uint64_t e, uint32_t *digest)
{
	if (coll_phase_line_call(s, e, s->me, digest))
		return true;
	for (uint32_t i = 0; i < COLL_OWN_KEPT && i < s->nown; i++) {
		const struct coll_own *own = &s->own[i];

		if (own->phase != e)
			continue;
		*digest = coll_line_digest(own->digest) ^ calls_own_history(own);
		return true;
	}
	return false;
}

/* Does each call of this kind write its word when it begins?  Copies of communicators do so at
 * times, other blocking calls when their wait becomes long. */
static bool calls_is_first(uint64_t word)
{
	uint32_t digest = calls_digest(word);

	return calls_form(word) > COLL_BLOCKING ||
	       (digest >> DIGEST_KIND_AT == DIGEST_MAKER &&
		       digest > coll_maker_digest(COLL_COMM_IDUP));
}

static bool calls_has_request(uint64_t word)
{
	return calls_form(word) == COLL_NONBLOCKING || calls_form(word) == COLL_PERSISTENT;
}

/* A blocking call that goes into phases, which compare more than words do? */
static bool calls_in_phases(uint64_t word)
{
	return calls_form(word) == COLL_BLOCKING && coll_digest_has_phases(calls_digest(word));
}

/* Is another member, whose word is `theirs', in another call `number' than this one?  If *mine is
 * of another number, this member has made a blocking call, which becomes *mine. */
static bool calls_differ(const struct coll *s, uint64_t number, uint64_t *mine, uint64_t theirs)
{
	if (calls_form(theirs) == COLL_FORM_NONE || theirs >> NUMBER_AT != (uint32_t)number)
		return false;
	if ((*mine >> NUMBER_AT != (uint32_t)number || calls_form(*mine) == COLL_FORM_NONE) &&
		!calls_own_word(s, number, mine)) {
		if (!calls_is_first(theirs))
			return false;
		*mine = number << NUMBER_AT | (uint64_t)COLL_BLOCKING << FORM_AT |
			(uint32_t)DIGEST_UNKNOWN << DIGEST_KIND_AT;
	}
	if (calls_in_phases(*mine) && calls_in_phases(theirs))
		return false;
	return calls_digest(theirs) != calls_digest(*mine) ||
	       calls_has_request(theirs) != calls_has_request(*mine) ||
	       (calls_has_request(theirs) && calls_form(theirs) != calls_form(*mine));
}

/* Compares this member's call `number' with those of the others.  False: they differ. */
static bool calls_compare(struct coll *s, uint64_t number)
{
	for (int i = 0; i < s->n; i++) {
		uint64_t mine = calls_get(s, s->me, number), theirs = calls_get(s, i, number);

		if (i == s->me || !calls_differ(s, number, &mine, theirs))
			continue;
		calls_tell(s, calls_of_word(mine), i, calls_of_word(theirs));
		return false;
	}
	return true;
}

bool coll_calls_are_other(struct coll *s, int tag)
{
	uint64_t calls = s->comm->coll_seq, back = (calls - (uint64_t)tag) & TAG_CALLS;

	if (coll_check_wanted || s->block == NULL || s->broken || back == 0 || back > CALLS_KEPT)
		return false;
	for (int i = 0; i < s->n; i++) {
		uint64_t number = calls - back, mine = calls_get(s, s->me, number);
		uint64_t theirs = calls_get(s, i, number);

		if (i == s->me || !calls_differ(s, number, &mine, theirs))
			continue;
		if (calls_form(mine) == calls_form(theirs) &&
			calls_digest(mine) >> DIGEST_KIND_AT ==
				calls_digest(theirs) >> DIGEST_KIND_AT)
			continue;
		calls_tell(s, calls_of_word(mine), i, calls_of_word(theirs));
		return true;
	}
	return false;
}

/* Compares the lines of the others with this member's calls at their phases.  A member that waits
 * for messages looks at no line by itself; one that is some phases ahead has passed those of
 * members that wait for it.  False: they differ. */
static bool calls_compare_lines(struct coll *s)
{
	struct coll_call mine = {.form = COLL_BLOCKING}, theirs = {.form = COLL_BLOCKING};

	for (int i = 0; i < 2 * s->n; i++) {
		uint64_t e;

		if (i / 2 == s->me || !coll_phase_line_last(s, i / 2, i % 2, &e, &theirs.digest))
			continue;
		if (!calls_own_digest(s, e, &mine.digest) || mine.digest == theirs.digest)
			continue;
		calls_tell(s, mine, i / 2, theirs);
		return false;
	}
	return true;
}

void coll_calls_check_comm(struct coll *s)
{
	uint64_t calls = s->comm->coll_seq, last = calls - 1, mine;

	if (s->block == NULL || s->broken || calls == 0 || p2p_comm_broken(s->comm))
		return;
	mine = calls_get(s, s->me, last);
	if (calls_form(mine) == COLL_FORM_NONE || mine >> NUMBER_AT != (uint32_t)last)
		calls_write(s, last, COLL_BLOCKING, s->digest);
	for (uint64_t number = calls > CALLS_KEPT ? calls - CALLS_KEPT : 0; number < calls;
		number++)
		if (!calls_compare(s, number))
			return;
}

void coll_calls_check(const struct req *awaited)
{
	struct coll *next;

	if (coll_check_wanted)
		return;
	for (struct coll *s = coll_state_first(); s != NULL; s = next) {
		next = s->next;
		if (!p2p_comm_broken(s->comm) && !calls_compare_messages(s, awaited))
			continue;
		coll_calls_check_comm(s);
		if (s->block != NULL && s->joined && !s->stop)
			calls_compare_lines(s);
	}
}
