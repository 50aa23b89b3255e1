# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 9.3, 6.4: over several hosts a root, alone on its own, has no memory for the steps of a
# broadcast.  Of another host's members only one learns of that by a message; it tells the rest, who
# wait in shared memory: all fail, with its words, and the next broadcast is right.
cd "$TMPDIR" || exit 1
case $B in /*) top=${B%/build/*} ;; *) top=$OLDPWD; B=$OLDPWD/$B ;; esac
"$B/bin/mpicc" -std=gnu11 -O1 -fno-builtin -I"$top" "$top/tests/net/starved_root.c" -o starve || exit 1
timeout 240 "$B/bin/mpiexec" -launcher fork -hosts a:1,b:3 -n 4 ./starve >out 2>&1
rc=$?
if [ $rc != 0 ] || [ "$(grep -c '^rank .: .*no memory' out)" != 4 ] ||
	[ "$(grep -c 'at rank 0: no memory' out)" != 3 ] || [ "$(grep -c '^rank . has 8$' out)" != 4 ]; then
	echo "exit code $rc"
	cat out
	exit 1
fi
rm -f starve out
