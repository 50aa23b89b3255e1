// SPDX-License-Identifier: BSD-3-Clause
/* ffi_os.c - see ffi_os.h.  Built without libffi's header everything here says no. */
#include "libobj/ffi_os.h"
#include "libobj/base.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<ffi.h>)
#include <ffi.h>

#define FFI_FILE "libffi.so.8"

struct prepared {
	ffi_cif cif;
	ffi_type *types[SIG_ARGS_MAX];
};
static_assert(sizeof(struct prepared) <= sizeof(struct ffi_room), "a room is large enough");

static struct {
	__typeof__(&ffi_prep_cif) prep_cif;
	__typeof__(&ffi_call) call;
	__typeof__(&ffi_closure_alloc) closure_alloc;
	__typeof__(&ffi_closure_free) closure_free;
	__typeof__(&ffi_prep_closure_loc) prep_closure_loc;
	ffi_type *type[8]; /* in the order of LETTERS */
} ffi;

#define LETTERS "vbsilpfd"

static bool ready;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void ffi_load(void)
{
	static const char *const names[] = {"ffi_type_void", "ffi_type_sint8", "ffi_type_sint16",
		"ffi_type_sint32", "ffi_type_sint64", "ffi_type_pointer", "ffi_type_float",
		"ffi_type_double"};
	void *lib = dlopen(FFI_FILE, RTLD_NOW | RTLD_LOCAL);

	static_assert(countof(names) == countof(ffi.type), "a name a letter");
	if (lib == NULL)
		return;
	*(void **)&ffi.prep_cif = dlsym(lib, "ffi_prep_cif");
	*(void **)&ffi.call = dlsym(lib, "ffi_call");
	*(void **)&ffi.closure_alloc = dlsym(lib, "ffi_closure_alloc");
	*(void **)&ffi.closure_free = dlsym(lib, "ffi_closure_free");
	*(void **)&ffi.prep_closure_loc = dlsym(lib, "ffi_prep_closure_loc");
	ready = ffi.prep_cif != NULL && ffi.call != NULL && ffi.closure_alloc != NULL &&
		ffi.closure_free != NULL && ffi.prep_closure_loc != NULL;
	for (size_t i = 0; i < countof(names); i++) {
		ffi.type[i] = dlsym(lib, names[i]);
		ready = ready && ffi.type[i] != NULL;
	}
}

bool obj_ffi_ready(void)
{
	pthread_once(&once, ffi_load);
	return ready;
}

static ffi_type *ffi_type_of(char letter)
{
	return ffi.type[strchr(LETTERS, letter) - LETTERS];
}

bool obj_ffi_prepare(struct ffi_room *room, const char *types, int n)
{
	struct prepared *p = (struct prepared *)room;

	for (int i = 0; i < n; i++)
		p->types[i] = ffi_type_of(types[i]);
	return ffi.prep_cif(&p->cif, FFI_DEFAULT_ABI, (unsigned)n, ffi_type_of(types[n]),
		       p->types) == FFI_OK;
}

void obj_ffi_invoke(const struct ffi_room *room, void (*fn)(void), void *ret, void **args)
{
	const struct prepared *p = (const struct prepared *)room;
	ffi_cif cif = p->cif; /* libffi does not promise not to write there */

	ffi.call(&cif, fn, ret, args);
}

struct bound {
	ffi_closure *closure;
	ffi_body *body;
	void *state;
};

static void ffi_enter(ffi_cif *cif, void *ret, void **args, void *user)
{
	const struct bound *b = user;

	(void)cif;
	b->body(b->state, ret, args);
}

void *obj_ffi_closure_open(struct ffi_room *room, ffi_body *body, void *state, void (**code)(void))
{
	struct prepared *p = (struct prepared *)room;
	struct bound *b = malloc(sizeof(*b));
	void *entry = NULL;

	if (b == NULL)
		return NULL;
	b->body = body;
	b->state = state;
	b->closure = ffi.closure_alloc(sizeof(ffi_closure), &entry);
	if (b->closure == NULL ||
		ffi.prep_closure_loc(b->closure, &p->cif, ffi_enter, b, entry) != FFI_OK) {
		obj_ffi_closure_close(b);
		return NULL;
	}
	*(void **)code = entry;
	return b;
}

void obj_ffi_closure_close(void *closure)
{
	struct bound *b = closure;

	if (b->closure != NULL)
		ffi.closure_free(b->closure);
	free(b);
}
#else
bool obj_ffi_ready(void)
{
	return false;
}

bool obj_ffi_prepare(struct ffi_room *room, const char *types, int n)
{
	return room == NULL && types == NULL && n < 0;
}

void obj_ffi_invoke(const struct ffi_room *room, void (*fn)(void), void *ret, void **args)
{
	(void)room, (void)fn, (void)ret, (void)args;
}

void *obj_ffi_closure_open(struct ffi_room *room, ffi_body *body, void *state, void (**code)(void))
{
	(void)room, (void)body, (void)state, (void)code;
	return NULL;
}

void obj_ffi_closure_close(void *closure)
{
	(void)closure;
}
#endif
