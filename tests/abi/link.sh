# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 15.2, 20.2: a program with MPI_Send of its own works with the static library as with the
# shared one, and a program that was not linked with MPI can load it.
set -u
case $B in /*) top=${B%/build/*} ;; *) top=$PWD B=$PWD/$B ;; esac
cd "$TMPDIR" || exit 1
bad=0
say() {
	echo "$1"
	bad=1
}
case $B in *-address* | *-undefined* | *-thread*) exit 77 ;; esac

"${CC:-cc}" -I"$B/include" -I"$top" "$top/tests/abi/pmpi.c" "$B/lib/libmpi_abi.a" -ldl -lpthread \
	-o static || say "cannot link with libmpi_abi.a"
timeout 200 "$B/bin/mpiexec" -n 2 ./static || say "the static program fails"

cat >load.c <<'END'
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
END
"${CC:-cc}" load.c -ldl -o load || say "cannot compile"
timeout 200 "$B/bin/mpiexec" -n 2 ./load "$B/lib/libmpi_abi.so.1" || say "the loading program fails"
rm -f ./*
exit $bad
