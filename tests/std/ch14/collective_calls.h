// SPDX-License-Identifier: BSD-3-Clause
/* collective_calls.h - all collective accesses as one function, for tests that disturb them.
 *
 *      verb          NOW              LATER              SPLIT
 *      AT            write_at_all     iwrite_at_all      write_at_all_begin, _end
 *      INDIVIDUAL    write_all        iwrite_all         write_all_begin, _end
 *      ORDERED       write_ordered    (as NOW)           write_ordered_begin, _end */
#ifndef TESTS_STD_CH14_COLLECTIVE_CALLS_H
#define TESTS_STD_CH14_COLLECTIVE_CALLS_H

#include "tests/std/ch14/file_name.h"

enum call_where { AT, INDIVIDUAL, ORDERED, WHERES };
enum call_form { NOW, LATER, SPLIT, FORMS };

static const char *const where_words[] = {"at", "individual", "ordered"};
static const char *const form_words[] = {"blocking", "nonblocking", "split"};

struct call {
	enum call_where where;
	enum call_form form;
	bool write;
};

static inline int call_now(MPI_File f, const struct call *c, void *buf, int n, MPI_Status *s)
{
	if (c->where == AT)
		return c->write ? MPI_File_write_at_all(f, 0, buf, n, MPI_BYTE, s)
				: MPI_File_read_at_all(f, 0, buf, n, MPI_BYTE, s);
	if (c->where == INDIVIDUAL)
		return c->write ? MPI_File_write_all(f, buf, n, MPI_BYTE, s)
				: MPI_File_read_all(f, buf, n, MPI_BYTE, s);
	return c->write ? MPI_File_write_ordered(f, buf, n, MPI_BYTE, s)
			: MPI_File_read_ordered(f, buf, n, MPI_BYTE, s);
}

static inline int call_start(MPI_File f, const struct call *c, void *buf, int n, MPI_Request *r)
{
	if (c->where == AT)
		return c->write ? MPI_File_iwrite_at_all(f, 0, buf, n, MPI_BYTE, r)
				: MPI_File_iread_at_all(f, 0, buf, n, MPI_BYTE, r);
	return c->write ? MPI_File_iwrite_all(f, buf, n, MPI_BYTE, r)
			: MPI_File_iread_all(f, buf, n, MPI_BYTE, r);
}

static inline int call_later(MPI_File f, const struct call *c, void *buf, int n, MPI_Status *s)
{
	MPI_Request r;
	int err = call_start(f, c, buf, n, &r);

	return err != 0 ? err : MPI_Wait(&r, s);
}

static inline int call_begin(MPI_File f, const struct call *c, void *buf, int n)
{
	if (c->where == AT)
		return c->write ? MPI_File_write_at_all_begin(f, 0, buf, n, MPI_BYTE)
				: MPI_File_read_at_all_begin(f, 0, buf, n, MPI_BYTE);
	if (c->where == INDIVIDUAL)
		return c->write ? MPI_File_write_all_begin(f, buf, n, MPI_BYTE)
				: MPI_File_read_all_begin(f, buf, n, MPI_BYTE);
	return c->write ? MPI_File_write_ordered_begin(f, buf, n, MPI_BYTE)
			: MPI_File_read_ordered_begin(f, buf, n, MPI_BYTE);
}

static inline int call_end(MPI_File f, const struct call *c, void *buf, MPI_Status *s)
{
	if (c->where == AT)
		return c->write ? MPI_File_write_at_all_end(f, buf, s)
				: MPI_File_read_at_all_end(f, buf, s);
	if (c->where == INDIVIDUAL)
		return c->write ? MPI_File_write_all_end(f, buf, s)
				: MPI_File_read_all_end(f, buf, s);
	return c->write ? MPI_File_write_ordered_end(f, buf, s)
			: MPI_File_read_ordered_end(f, buf, s);
}

/* Does the call to its end, from the beginning of the view on; the first error. */
static inline int call_run(MPI_File f, const struct call *c, void *buf, int n, MPI_Status *s)
{
	int err;

	if (c->form == LATER && c->where != ORDERED)
		return call_later(f, c, buf, n, s);
	if (c->form != SPLIT)
		return call_now(f, c, buf, n, s);
	err = call_begin(f, c, buf, n);
	return err != 0 ? err : call_end(f, c, buf, s);
}

/* Calls fn for each verb and form, writing and reading. */
static inline void call_each(void (*fn)(const struct call *c))
{
	for (int i = 0; i < 2 * (int)WHERES * (int)FORMS; i++) {
		struct call c = {(enum call_where)(i / 2 % (int)WHERES),
			(enum call_form)(i / 2 / (int)WHERES), i % 2 == 0};

		fn(&c);
	}
}

/* Puts both pointers at the beginning. */
static inline void call_rewind(MPI_File f)
{
	OK(MPI_File_seek(f, 0, MPI_SEEK_SET));
	OK(MPI_File_seek_shared(f, 0, MPI_SEEK_SET));
}

#endif
