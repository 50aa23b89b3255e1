# SPDX-License-Identifier: BSD-3-Clause
# A user's program built with the compiler's address sanitizer, beside libraries that are not: leaks
# of the program are reported, what libobj keeps is none, and without leaks it ends with 0.
set -u
case $B in *-address* | *-thread* | *-undefined*) exit 77 ;; esac # the libraries have one themselves
case $B in /*) ;; *) B=$PWD/$B ;; esac
source=$PWD/tests/build/own_leak.c
all=$PWD/tests/build/memcheck.c
cd "$TMPDIR" || exit 1
for cc in gcc clang; do
	command -v $cc >/dev/null || continue
	printf 'int main(void){return 0;}\n' >e.c
	$cc -fsanitize=address e.c -o e 2>/dev/null && ./e || continue
	OMPI_CC=$cc MPICH_CC=$cc HAFT_CC=$cc "$B/bin/mpicc" -g -fsanitize=address "$source" -o p || exit 1
	tried=y
	for n in 1 2; do
		"$B/bin/mpiexec" -n $n ./p >out 2>&1 || {
			echo "$cc, $n ranks: exit code $?"
			cat out
			exit 1
		}
	done
	OMPI_CC=$cc MPICH_CC=$cc HAFT_CC=$cc "$B/bin/mpicc" -g -fsanitize=address "$all" -o all || exit 1
	ASAN_OPTIONS=detect_leaks=1 "$B/bin/mpiexec" -n 2 ./all >out 2>&1 || {
		echo "$cc, messages to spawned processes: exit code $?"
		cat out
		exit 1
	}
	ASAN_OPTIONS=detect_leaks=1 "$B/bin/mpiexec" -n 1 ./p leak >out 2>&1 && echo "$cc: the leak is lost" && exit 1
	grep -q '1234 byte' out || { echo "$cc: the leak is not reported"; cat out; exit 1; }
	! grep -q 'libobj\|obj_' out || { echo "$cc: libobj leaks"; cat out; exit 1; }
done
rm -rf "${TMPDIR:?}"/*
[ -n "${tried-}" ] || exit 77
