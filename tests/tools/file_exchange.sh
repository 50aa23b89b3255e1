# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 14.5.2: files in external32 go from MPICH and Open MPI to Haft and back.
. tests/tools/lib.sh

file=$TMPDIR/file
peers=0
"$B/bin/mpicc" -O1 $san tests/tools/file_exchange.c -o "$TMPDIR/ours" || exit 1

# peer NAME COMPILER START...: exchanges a file both ways.
peer() {
	name=$1 cc=$2
	shift 2
	command -v "$cc" >/dev/null && command -v "$1" >/dev/null || return
	env -u MPI_HOME "$cc" -w -O1 tests/tools/file_exchange.c -o "$TMPDIR/$name" || return
	timeout 60 "$@" "$TMPDIR/$name" write "$file" >"$out" 2>&1 </dev/null || {
		echo "$name does not write external32 here:"
		head -3 "$out"
		return
	}
	peers=$((peers + 1))
	job -n 2 "$TMPDIR/ours" read "$file"
	want_rc 0
	rm -f "$file"
	job -n 4 "$TMPDIR/ours" write "$file"
	want_rc 0
	timeout 60 "$@" "$TMPDIR/$name" read "$file" >"$out" 2>&1 </dev/null || {
		fail "$name does not read what Haft has written"
		cat "$out"
	}
	rm -f "$file"
}

peer mpich mpicc.mpich mpiexec.mpich -n 2
peer openmpi mpicc.openmpi mpiexec.openmpi --allow-run-as-root --oversubscribe -n 2
[ $peers -gt 0 ] || {
	echo "skipped: neither MPICH nor Open MPI is here"
	exit 77
}
finish
