// SPDX-License-Identifier: BSD-3-Clause
/* library_loaded.c - a program that is not linked with MPI and loads it: link.sh. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *lib = dlopen(argv[argc - 1], RTLD_NOW | RTLD_LOCAL);
	int (*init)(int *, char ***), (*size)(void *, int *), (*fini)(void), n = 0;

	if (lib == NULL) {
		puts(dlerror());
		return 1;
	}
	*(void **)&init = dlsym(lib, "MPI_Init");
	*(void **)&size = dlsym(lib, "MPI_Comm_size");
	*(void **)&fini = dlsym(lib, "MPI_Finalize");
	if (init(NULL, NULL) != 0 || size((void *)(intptr_t)257, &n) != 0 || fini() != 0)
		return 1;
	return n != 2;
}
