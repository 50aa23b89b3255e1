// SPDX-License-Identifier: BSD-3-Clause
/* dl.h - libraries that are loaded at run time, when a program first needs them.
 *
 *     static struct { FUNCTIONS(POINTER) } hw;                 a pointer for each function
 *     static const struct dl_symbol table[] = {{"hwloc_topology_init", (void **)&hw.init}, ...};
 *     void *lib = dl_open("libhwloc.so.15", table, countof(table));
 */
#ifndef HAFT_CORE_DL_H
#define HAFT_CORE_DL_H

#include <dlfcn.h>
#include <stddef.h>

struct dl_symbol {
	const char *name;
	void **at; /* where its address goes */
};

/* Loads a library and finds all n symbols.  NULL: it is not installed or lacks one of them; then
 * dlerror() says which, so the library stays loaded.  Any thread, but a table belongs to one. */
static inline void *dl_open(const char *library, const struct dl_symbol *table, size_t n)
{
	void *lib = dlopen(library, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; lib != NULL && i < n; i++) {
		*table[i].at = dlsym(lib, table[i].name);
		if (*table[i].at == NULL)
			return NULL;
	}
	return lib;
}

#endif
