// SPDX-License-Identifier: BSD-3-Clause
/* ffi_os.h - libffi as libobj wants it: loaded when first needed, and maybe not there.
 *
 * libobj.so does not name libffi among its needs: a program that makes no closure does not pay for
 * it, and one on a host without it gets the pool of closure.c. */
#ifndef LIBOBJ_FFI_OS_H
#define LIBOBJ_FFI_OS_H

#include <stdbool.h>
#include <stdint.h>

#define SIG_ARGS_MAX 16 /* arguments of a signature: MPI's longest callback has 8 */

/* Room for libffi's call interface and its array of types. */
struct ffi_room {
	uint64_t words[8 + SIG_ARGS_MAX];
};

typedef void ffi_body(void *state, void *ret, void **args);

bool obj_ffi_ready(void); /* loads it; once a process */
/* `types' are the letters of obj.h's signatures, n arguments and then the result.  false: libffi
 * does not like it. */
bool obj_ffi_prepare(struct ffi_room *room, const char *types, int n);
/* *ret is 8 bytes, at least as wide as libffi's ffi_arg. */
void obj_ffi_invoke(const struct ffi_room *room, void (*fn)(void), void *ret, void **args);
/* Executable code that calls body(state, ret, args); NULL: not possible on this host.  `room' stays
 * in use. */
void *obj_ffi_closure_open(struct ffi_room *room, ffi_body *body, void *state, void (**code)(void));
void obj_ffi_closure_close(void *closure);

#endif
