// SPDX-License-Identifier: BSD-3-Clause
/* base.h - macros, constants of the build and assertions, for every file of the house.
 *
 * The only file outside *_os.c that asks the preprocessor what build this is.  Other files
 * write `if (HAFT_DEBUG)', so that both sides always compile.  Internal: it is not installed. */
#ifndef LIBOBJ_BASE_H
#define LIBOBJ_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef HAFT_DEBUG
#define HAFT_DEBUG 0 /* 1: invariants and lock ranks are checked (FLAVOUR=debug) */
#endif
#ifndef HAFT_MEAN
#define HAFT_MEAN \
	0 /* 1: every ring, batch, threshold and chunk is as small as it can be (MEAN=1) */
#endif
#ifdef __SANITIZE_ADDRESS__
#define HAFT_ASAN 1 /* freed slots are poisoned for AddressSanitizer */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAFT_ASAN 1
#endif
#endif
#ifndef HAFT_ASAN
#define HAFT_ASAN 0
#endif

#define CACHE_LINE 64 /* bytes; x86-64 and most aarch64 */

/* The struct that contains `member' at address `ptr'. */
#define container_of(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* A function, or a variable, that a rank uses in each of its turns on a CPU with other ranks.  The
 * linker puts them together, on few pages: after a switch of processes the first use of a page
 * takes 0.1 to 0.2 us. */
#define HAFT_HOT __attribute__((hot))
#ifdef __linux__
#define HAFT_HOT_DATA __attribute__((section("haft_hot")))
#else
#define HAFT_HOT_DATA
#endif

/* Of a declaration of such a variable: it lies in the library that uses it, so that its address is
 * no load there. */
#define HAFT_INSIDE __attribute__((visibility("hidden")))

/* A function that most processes use once, in MPI_Init or MPI_Finalize.  The linker puts them
 * together, as it does those of compilers: the system maps code in pieces of 64 KiB, 2 us each at
 * the first use and 1 us at the end. */
#define HAFT_START __attribute__((section(".text.startup")))

/* A large variable without a first value that few processes touch: it lies behind the others, so
 * that those are on few pages. */
#if defined(__x86_64__) && defined(__linux__)
#define BSS_BEHIND __attribute__((section(".lbss.haft")))
#else
#define BSS_BEHIND
#endif

/* The processor's time-stamp counter; 0 where there is none.  See shm_ticks. */
#if defined(__x86_64__)
#define CPU_TICKS() __builtin_ia32_rdtsc()
#else
#define CPU_TICKS() UINT64_C(0)
#endif

/* Elements of an array (not of a pointer). */
#define countof(a) (sizeof(a) / sizeof((a)[0]))

/* Prints the wrong belief and its place, and aborts.  Never returns. */
__attribute__((noreturn, cold)) void obj_assert_failed(
	const char *file, int line, const char *what);

/* Does this process run under valgrind? */
bool obj_on_valgrind(void);

/* Mapped memory has pointers to the heap from now on, or no longer: LeakSanitizer searches it, if
 * the program is linked with it. */
void obj_leak_root_add(const void *p, size_t len);
void obj_leak_root_drop(const void *p, size_t len);

/* must: an invariant of ours; checked in debug builds only.  The expression has no side effect. */
#define must(x)                                                    \
	do {                                                       \
		if (HAFT_DEBUG && unlikely(!(x)))                  \
			obj_assert_failed(__FILE__, __LINE__, #x); \
	} while (0)

/* must_valid: a whole structure, checked by a function that looks at all of it: in debug builds and
 * in MEAN=1 builds, when no call is under way, as at the end of the process. */
#define must_valid(x)                                              \
	do {                                                       \
		if ((HAFT_DEBUG || HAFT_MEAN) && unlikely(!(x)))   \
			obj_assert_failed(__FILE__, __LINE__, #x); \
	} while (0)

/* ALWAYS and NEVER: cannot happen (or not happen), but survive it in release builds:
 *     if (NEVER(p == NULL)) return; */
#define ALWAYS(x) \
	(likely(x) ? 1 : (HAFT_DEBUG ? (obj_assert_failed(__FILE__, __LINE__, #x), 0) : 0))
#define NEVER(x) \
	(unlikely(x) ? (HAFT_DEBUG ? (obj_assert_failed(__FILE__, __LINE__, #x), 1) : 1) : 0)

/* The normal size of something, and the one of a mean build. */
#define MEAN_OR(mean, normal) (HAFT_MEAN ? (mean) : (normal))

#endif
