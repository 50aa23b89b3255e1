// SPDX-License-Identifier: BSD-3-Clause
/* gate.c - the slow paths into a call of MPI and out of it.
 *
 *     gate 0            the binding goes straight on: nothing here is called
 *     gate THREADS      bind_gate takes the library lock, bind_leave releases it
 *     gate DIE          it counts the call (HAFT_DIE)
 *     gate SHUT         MPI is not running: the call is refused, with words
 *     gate SHUT CHILD   a forked child: likewise
 *
 * Calls that are allowed at any time (rows with ANYTIME, MPI_T) take the lock at every level of
 * thread support, because they are thread-safe at every level (MPI-5.0 11.6.2). */
#include "libmpi/bind/binding.h"

#include "libmpi/ft/ft.h"
#include "libmpi/tool/tool.h"
#include <names.h>
#include <stdio.h>
#include <stdlib.h>

/* --- into the call -------------------------------------------------------------------------- */

int bind_not_running(int fn)
{
	const char *words = "called before MPI_Init";

	if ((haft_life.gate & HAFT_GATE_CHILD) != 0)
		words = "called in a forked child of an MPI process: it has no place in the job, "
			"and must not call MPI before it executes another program";
	else if (haft_life.state != HAFT_BEFORE)
		words = "called after MPI_Finalize";
	return bind_raise(haft_err(MPI_ERR_OTHER, "%s", words), NULL, fn);
}

int bind_gate(int fn)
{
	if ((haft_life.gate & HAFT_GATE_SHUT) != 0)
		return bind_not_running(fn);
	haft_lock();
	if ((haft_life.gate & HAFT_GATE_DIE) != 0)
		ft_die_count(bind_fn_names[fn]);
	return 0;
}

int bind_gate_any(void)
{
	if (bind_rare(haft_life.state == HAFT_BEFORE) && haft_objects_open() != 0)
		return MPI_ERR_NO_MEM;
	haft_lock();
	return 0;
}

int bind_gate_tool(void)
{
	int err = bind_gate_any();

	if (err != 0)
		return MPI_T_ERR_MEMORY;
	if ((haft_life.gate & HAFT_GATE_CHILD) != 0)
		return bind_fail_tool(
			haft_err(MPI_T_ERR_INVALID, "called in a forked child of an MPI process"));
	if (!tool_up())
		return bind_fail_tool(haft_err(MPI_T_ERR_NOT_INITIALIZED,
			"MPI_T_init_thread has not been called, or MPI_T_finalize as often"));
	return 0;
}

/* --- out of it ------------------------------------------------------------------------------ */

/* MPI_Finalize shuts the gate, so the gate does not say whether this call took the lock. */
void bind_leave(void)
{
	if (haft_locked)
		haft_unlock();
}

int bind_fail(int err, void *self, int fn)
{
	haft_fort_site = 0;
	if (haft_refuse_hook != NULL)
		err = haft_refuse_hook(err, self, fn);
	err = bind_raise(err, self, fn);
	bind_leave();
	return err;
}

int bind_fail_tool(int err)
{
	char words[HAFT_ERR_TEXT_MAX];

	haft_fort_site = 0;
	if (err < MPI_T_ERR_CANNOT_INIT) {
		snprintf(words, sizeof(words), "%s", haft_err_text(err));
		err = haft_err(
			err == MPI_ERR_NO_MEM ? MPI_T_ERR_MEMORY : MPI_T_ERR_INVALID, "%s", words);
	}
	bind_leave();
	return err;
}

/* --- functions without an engine ------------------------------------------------------------ */

int bind_no_engine(const struct obj_class *class, void *handle, int fn)
{
	void *self =
		class != NULL && haft_life.state != HAFT_BEFORE ? obj_get(class, handle) : NULL;

	return bind_raise(haft_err(MPI_ERR_UNSUPPORTED_OPERATION,
				  "this version of Haft does not have %s yet", bind_fn_names[fn]),
		self, fn);
}

int bind_no_engine_tool(int fn)
{
	return haft_err(MPI_ERR_UNSUPPORTED_OPERATION, "this version of Haft does not have %s yet",
		bind_fn_names[fn]);
}

/* --- scratch -------------------------------------------------------------------------------- */

void *bind_scratch_heap(int64_t n)
{
	return reallocarray(NULL, (size_t)n, sizeof(void *));
}

void bind_scratch_free(void *room)
{
	free(room);
}
