// SPDX-License-Identifier: BSD-3-Clause
/* closure.c - functions made and called by signature: closures for callbacks that carry no state.
 *
 *   "i(p,&l)" ──parse──> types p p, result i; argument 1 by reference
 *                        │
 *   obj_call ────────────┤ libffi
 *   obj_closure_new ─────┤ libffi; where it may not write code: one of OBJ_POOL_MAX thunks here
 *   attribute callbacks ─┘ libffi; each argument has a role ("&l=x": extra state, by reference)
 *
 * A closure belongs to an object and goes with it.  Environment variable OBJ_CLOSURES=pool leaves
 * libffi out. */
#include "libobj/obj_attr.h"
#include "libobj/ffi_os.h"
#include <stdlib.h>
#include <string.h>

#define ROLES "hokxivfr"
#define TYPES "bsilpfd"

struct sig {
	char types[SIG_ARGS_MAX + 1]; /* arguments: p for all by reference; then the result */
	char value[SIG_ARGS_MAX];     /* the letter after & */
	char role[SIG_ARGS_MAX];
	bool ref[SIG_ARGS_MAX];
	char ret;
	int n;
	struct ffi_room room;
};

/* An argument of any type; and a result as wide as libffi wants it. */
union cell {
	int8_t b;
	int16_t s;
	int32_t i;
	int64_t l;
	void *p;
	float f;
	double d;
};
static_assert(sizeof(union cell) == 8, "a register");

/* ------------------------------------------------------------------------ signatures */

static bool sig_char_in(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

/* One argument; returns what comes after it, or NULL. */
static const char *sig_parse_arg(struct sig *s, const char *p, bool roles)
{
	int n = s->n;

	if (n == SIG_ARGS_MAX)
		return NULL;
	s->ref[n] = *p == '&';
	p += s->ref[n];
	if (!sig_char_in(*p, TYPES))
		return NULL;
	s->value[n] = *p;
	s->types[n] = s->ref[n] ? 'p' : *p;
	p++;
	if (roles) {
		if (*p++ != '=' || !sig_char_in(*p, ROLES))
			return NULL;
		s->role[n] = *p++;
	}
	s->n++;
	return p;
}

static bool sig_parse(struct sig *s, const char *p, bool roles)
{
	memset(s, 0, sizeof(*s));
	if (p == NULL || !sig_char_in(*p, TYPES "v"))
		return false;
	s->ret = *p++;
	if (*p++ != '(')
		return false;
	while (p != NULL && *p != ')') {
		if (s->n != 0 && *p++ != ',')
			return false;
		p = sig_parse_arg(s, p, roles);
	}
	if (p == NULL || p[1] != '\0')
		return false;
	s->types[s->n] = s->ret;
	return true;
}

static bool libffi_wanted(void)
{
	const char *kind = getenv("OBJ_CLOSURES");

	return (kind == NULL || strcmp(kind, "pool") != 0) && obj_ffi_ready();
}

const char *obj_closure_kind(void)
{
	return libffi_wanted() ? "libffi" : "pool";
}

/* libffi widens small integer results to a register; *ret gets the result in its own width.  The
 * whole register is read once: gcc 12 warns of the narrow reads when it links with -flto. */
static void sig_result_narrow(char type, const union cell *wide, void *ret)
{
	int64_t n = wide->l;

	switch (type) {
	case 'v': break;
	case 'b': *(int8_t *)ret = (int8_t)n; break;
	case 's': *(int16_t *)ret = (int16_t)n; break;
	case 'i': *(int32_t *)ret = (int32_t)n; break;
	case 'f': *(float *)ret = wide->f; break;
	default: memcpy(ret, wide, sizeof(*wide)); break;
	}
}

static void sig_result_widen(char type, const union cell *narrow, void *ret)
{
	switch (type) {
	case 'v': break;
	case 'b': *(int64_t *)ret = narrow->b; break;
	case 's': *(int64_t *)ret = narrow->s; break;
	case 'i': *(int64_t *)ret = narrow->i; break;
	case 'f': *(float *)ret = narrow->f; break;
	default: memcpy(ret, narrow, sizeof(*narrow)); break;
	}
}

static void sig_call(const struct sig *s, void (*fn)(void), void *ret, void **args)
{
	void *passed[SIG_ARGS_MAX];
	union cell wide = {.l = 0};

	for (int i = 0; i < s->n; i++)
		passed[i] = s->ref[i] ? (void *)&args[i] : args[i];
	obj_ffi_invoke(&s->room, fn, &wide, passed);
	sig_result_narrow(s->ret, &wide, ret);
}

int obj_call(const char *text, void (*fn)(void), void *ret, void **args)
{
	struct sig s;

	if (!sig_parse(&s, text, false))
		return OBJ_INVALID;
	if (!libffi_wanted() || !obj_ffi_prepare(&s.room, s.types, s.n))
		return OBJ_NOMEM;
	sig_call(&s, fn, ret, args);
	return OBJ_OK;
}

/* ------------------------------------------------------------------------ attribute callbacks */

int obj_sig_new(struct obj_domain *d, const char *text, struct sig **sig)
{
	struct sig *s;

	*sig = NULL;
	if (!libffi_wanted())
		return OBJ_NOMEM;
	s = obj_mem_get(d, sizeof(*s));
	if (s == NULL)
		return OBJ_NOMEM;
	if (!sig_parse(s, text, true) || !obj_ffi_prepare(&s->room, s->types, s->n)) {
		obj_mem_put(d, s);
		return OBJ_INVALID;
	}
	*sig = s;
	return OBJ_OK;
}

void obj_sig_free(struct obj_domain *d, struct sig *s)
{
	obj_mem_put(d, s);
}

static int64_t sig_role_value(const struct obj_attr_call *call, char role)
{
	switch (role) {
	case 'h': return (int64_t)(intptr_t)call->handle;
	case 'o': return call->object;
	case 'k': return call->key;
	case 'x': return call->extra;
	case 'i': return call->in;
	default: return 0;
	}
}

static void sig_cell_set(union cell *c, char type, int64_t n)
{
	switch (type) {
	case 'b': c->b = (int8_t)n; break;
	case 's': c->s = (int16_t)n; break;
	case 'i': c->i = (int32_t)n; break;
	case 'f': c->f = (float)n; break;
	case 'd': c->d = (double)n; break;
	default: c->l = n; break;
	}
}

static int64_t sig_cell_get(const union cell *c, char type)
{
	switch (type) {
	case 'b': return c->b;
	case 's': return c->s;
	case 'i': return c->i;
	case 'f': return (int64_t)c->f;
	case 'd': return (int64_t)c->d;
	default: return c->l;
	}
}

int obj_sig_attr_call(const struct sig *s, struct obj_attr_call *call)
{
	union cell cells[SIG_ARGS_MAX], ret = {.l = 0};
	void *args[SIG_ARGS_MAX];
	int64_t code;

	for (int i = 0; i < s->n; i++) {
		cells[i].l = 0;
		sig_cell_set(&cells[i], s->value[i], sig_role_value(call, s->role[i]));
		/* an output that is passed by value is an address */
		if (!s->ref[i] && s->role[i] == 'v')
			cells[i].p = &call->out;
		if (!s->ref[i] && s->role[i] == 'f')
			cells[i].p = &call->flag;
		args[i] = &cells[i];
	}
	sig_call(s, call->fn, &ret, args);
	code = s->ret != 'v' ? sig_cell_get(&ret, s->ret) : 0;
	for (int i = 0; i < s->n; i++) {
		if (!s->ref[i])
			continue;
		if (s->role[i] == 'v')
			call->out = (intptr_t)sig_cell_get(&cells[i], s->value[i]);
		if (s->role[i] == 'f')
			call->flag = sig_cell_get(&cells[i], s->value[i]) != 0;
		if (s->role[i] == 'r')
			code = sig_cell_get(&cells[i], s->value[i]);
	}
	return (int)code;
}

/* ------------------------------------------------------------------------ closures */

struct closure {
	struct closure *next;
	obj_closure_fn *fn;
	void *state;
	void *ffi; /* NULL: of the pool */
	int thunk;
	struct sig sig;
};

#define POOL_ARGS 6 /* integer arguments in registers, on x86-64; aarch64 has 8 */

/* pool[n] belongs to thunk n; NULL: free.  Taken and given by compare-and-swap. */
static struct closure *pool[OBJ_POOL_MAX];

/* Every thunk and every closure of libffi ends here.  By reference means here: the argument is
 * the address. */
static void closure_body(void *state, void *ret, void **args)
{
	const struct closure *k = state;
	union cell narrow = {.l = 0};
	void *given[SIG_ARGS_MAX];

	for (int i = 0; i < k->sig.n; i++)
		given[i] = k->sig.ref[i] ? *(void **)args[i] : args[i];
	k->fn(k->state, &narrow, given);
	sig_result_widen(k->sig.ret, &narrow, ret);
}

static int64_t thunk_run(int n, const int64_t *regs)
{
	struct closure *k = __atomic_load_n(&pool[n], __ATOMIC_ACQUIRE);
	union cell cells[POOL_ARGS], ret = {.l = 0};
	void *args[POOL_ARGS];

	for (int i = 0; i < k->sig.n; i++) {
		cells[i].l = 0;
		sig_cell_set(&cells[i], k->sig.types[i], regs[i]);
		args[i] = &cells[i];
	}
	closure_body(k, &ret, args);
	return ret.l;
}

/* Registers that the caller did not fill hold anything; thunk_run does not read them. */
#define THUNK(n)                                                                                   \
	static int64_t thunk_##n(int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f) \
	{                                                                                          \
		const int64_t regs[POOL_ARGS] = {a, b, c, d, e, f};                                \
		return thunk_run(n, regs);                                                         \
	}

typedef int64_t thunk_fn(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);

/* Octal numbers: the row and the column are its digits. */
#define ROW(X, r) \
	X(0##r##0) X(0##r##1) X(0##r##2) X(0##r##3) X(0##r##4) X(0##r##5) X(0##r##6) X(0##r##7)
#define THUNK_NAME(n) thunk_##n,

// clang-format off
ROW(THUNK, 0) ROW(THUNK, 1) ROW(THUNK, 2) ROW(THUNK, 3)
	// clang-format on

	static thunk_fn *const thunks[] = {
		ROW(THUNK_NAME, 0) ROW(THUNK_NAME, 1) ROW(THUNK_NAME, 2) ROW(THUNK_NAME, 3)};
static_assert(countof(thunks) == OBJ_POOL_MAX, "four rows");

static bool pool_fits(const struct sig *s)
{
	for (int i = 0; i <= s->n; i++)
		if (sig_char_in(s->types[i], "fd"))
			return false;
	return s->n <= POOL_ARGS;
}

static bool pool_take(struct closure *k, void (**code)(void))
{
	for (int i = 0; i < OBJ_POOL_MAX; i++) {
		struct closure *none = NULL;

		if (!__atomic_compare_exchange_n(
			    &pool[i], &none, k, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			continue;
		k->thunk = i;
		*code = (void (*)(void))thunks[i];
		return true;
	}
	return false;
}

static bool closure_open(struct closure *k, void (**code)(void))
{
	if (libffi_wanted() && obj_ffi_prepare(&k->sig.room, k->sig.types, k->sig.n))
		k->ffi = obj_ffi_closure_open(&k->sig.room, closure_body, k, code);
	return k->ffi != NULL || (pool_fits(&k->sig) && pool_take(k, code));
}

static void closure_close(struct closure *k)
{
	if (k->ffi != NULL)
		obj_ffi_closure_close(k->ffi);
	else
		__atomic_store_n(&pool[k->thunk], NULL, __ATOMIC_RELEASE);
}

static bool closure_link(struct obj *o, struct closure *k)
{
	struct ext *e;

	object_lock(o);
	e = obj_ext_get(o);
	if (e != NULL) {
		k->next = e->closures;
		e->closures = k;
	}
	object_unlock(o);
	return e != NULL;
}

int obj_closure_new(
	void *owner, const char *text, obj_closure_fn *fn, void *state, void (**code)(void))
{
	struct obj *o = owner;
	struct obj_domain *d = o->u.cls->domain;
	struct closure *k;
	struct sig s;

	if (!sig_parse(&s, text, false) || fn == NULL)
		return OBJ_INVALID;
	k = obj_mem_get(d, sizeof(*k));
	if (k == NULL)
		return OBJ_NOMEM;
	*k = (struct closure){.fn = fn, .state = state, .sig = s};
	if (!closure_open(k, code)) {
		obj_mem_put(d, k);
		return OBJ_NOMEM;
	}
	if (!closure_link(o, k)) {
		closure_close(k);
		obj_mem_put(d, k);
		return OBJ_NOMEM;
	}
	return OBJ_OK;
}

void obj_closures_free(struct obj *o)
{
	struct obj_domain *d = o->u.cls->domain;
	struct ext *e = ext_of(o);
	struct closure *k;

	while ((k = e->closures) != NULL) {
		e->closures = k->next;
		closure_close(k);
		obj_mem_put(d, k);
	}
}
