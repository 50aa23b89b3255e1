// SPDX-License-Identifier: BSD-3-Clause
/* crash.c - the handler of signals that a crash raises.  See crash.h.
 *
 *      a bad access ──> SIGSEGV ──> crash_handler, on a stack of its own
 *                                      │  the action of before again
 *                                      │  frames ──> struct stack_page ──> mpiexec: "in sum (a.c)"
 *                                      └─ returns: the access is made again, and ends the process
 *
 * The process ends as it would without the handler: with the same status, and with a core file of
 * the place of the crash.  A signal that was sent, as abort() does, is sent again.
 *
 * The handler calls nothing that takes memory or a lock, but for the dynamic linker's list of
 * modules, whose lock a thread may take twice. */
#include "libmpi/core/crash.h"

#include "libmpi/core/setting.h"
#include "libmpi/core/stack_page.h"
#include "libobj/base.h"
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define CRASH_STACK 65536 /* for the unwinder, and the registers that the kernel saves */

enum { BACKTRACE_AUTO, BACKTRACE_YES, BACKTRACE_NO }; /* of HAFT_BACKTRACE */

static const int crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static struct {
	struct sigaction had[countof(crash_signals)]; /* the actions of before */
	void *(*page)(void);
	pid_t pid;         /* that may write the page: a forked child may not */
	atomic_flag taken; /* a thread has written the page */
} crash = {.taken = ATOMIC_FLAG_INIT};

static void crash_handler(int sig, siginfo_t *info, void *context)
{
	int err = errno;
	struct stack_page *page;

	(void)context;
	for (size_t i = 0; i < countof(crash_signals); i++)
		if (crash_signals[i] == sig)
			sigaction(sig, &crash.had[i], NULL);
	if (getpid() == crash.pid && !atomic_flag_test_and_set(&crash.taken)) {
		page = crash.page();
		if (page != NULL)
			haft_stack_keep_crash(page, sig);
	}
	errno = err;
	if (info->si_code <= 0) /* it was sent, and will not come by itself */
		raise(sig);
}

/* The thread that calls MPI_Init, mostly the main one, can be told of a stack that is full. */
static void crash_stack_give(void)
{
	BSS_BEHIND static char stack[CRASH_STACK];
	stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)}, had;

	if (sigaltstack(NULL, &had) == 0 && (had.ss_flags & SS_DISABLE) != 0)
		sigaltstack(&own, NULL);
}

/* Sanitizers and valgrind print stacks of their own. */
static bool crash_is_watched_by_others(void)
{
	return dlsym(RTLD_DEFAULT, "__sanitizer_print_stack_trace") != NULL || obj_on_valgrind();
}

/* The program does not handle the signal: it has the default action, or the one by which the
 * runtime of gfortran prints a stack of its own and ends the process. */
static bool crash_is_unhandled(const struct sigaction *had)
{
	uintptr_t at = (uintptr_t)had->sa_handler;
	const char *name;
	Dl_info info;

	if (had->sa_handler == SIG_DFL)
		return true;
	if (had->sa_handler == SIG_IGN || dladdr((void *)at, &info) == 0 || info.dli_fname == NULL)
		return false;
	name = strrchr(info.dli_fname, '/');
	return strncmp(name != NULL ? name + 1 : info.dli_fname, "libgfortran.", 12) == 0;
}

HAFT_START void haft_crash_watch(void *(*page)(void))
{
	struct sigaction sa = {.sa_sigaction = crash_handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	int64_t how = haft_setting_get(SETTING_BACKTRACE);

	if (crash.page != NULL || how == BACKTRACE_NO ||
		(how == BACKTRACE_AUTO && crash_is_watched_by_others()))
		return;
	crash.page = page;
	crash.pid = getpid();
	crash_stack_give();
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < countof(crash_signals); i++)
		if (sigaction(crash_signals[i], &sa, &crash.had[i]) == 0 &&
			!crash_is_unhandled(&crash.had[i]))
			sigaction(crash_signals[i], &crash.had[i], NULL);
}
