# SPDX-License-Identifier: BSD-3-Clause
# A user's program of several threads, built with the compiler's sanitizers for threads and for
# undefined behaviour, beside a library that is not: no report that is not the program's.
set -u
case $B in *-address* | *-thread* | *-undefined*) exit 77 ;; esac # the libraries have one themselves
case $B in /*) ;; *) B=$PWD/$B ;; esac
source=$PWD/tests/build/own_threads.c
cd "$TMPDIR" || exit 1
for kind in thread undefined; do
	printf 'int main(void){return 0;}\n' >e.c
	gcc -fsanitize=$kind e.c -o e 2>/dev/null && ./e || continue
	"$B/bin/mpicc" -g -fsanitize=$kind "$source" -o p -lpthread || exit 1
	tried=y
	for n in 2 3; do
		"$B/bin/mpiexec" -n $n ./p >out 2>&1 && ! grep -q 'WARNING\|runtime error' out || {
			echo "$kind, $n ranks: exit code $?"
			head -60 out
			exit 1
		}
	done
	[ $kind = undefined ] && continue
	"$B/bin/mpiexec" -n 1 ./p race >out 2>&1 && echo "the program's race is lost" && exit 1
	grep -q 'data race' out || { cat out; exit 1; }
done
rm -rf "${TMPDIR:?}"/*
[ -n "${tried-}" ] || exit 77
