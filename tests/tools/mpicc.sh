# SPDX-License-Identifier: BSD-3-Clause
# The answers of mpicc and mpicxx, from any place and under any name of the tree.
. tests/tools/lib.sh

unset HAFT_CC MPICH_CC OMPI_CC HAFT_CXX MPICH_CXX OMPI_CXX

# answers PATTERN COMMAND...: its output is that pattern of the shell.
answers() {
	pat=$1
	shift
	got=$("$@" 2>&1)
	case $got in
	$pat) ;;
	*) fail "$* says: $got" ;;
	esac
}
mkdir -p "$TMPDIR/a dir"
cp -RP "$B/bin" "$TMPDIR/a dir/bin"
ln -s "$TMPDIR/a dir/bin/mpicc" "$TMPDIR/link"
d="$TMPDIR/a dir"
for cc in "$d/bin/mpicc" "$d/bin/mpicxx" "$TMPDIR/link"; do
	answers "$d/include" "$cc" -showme:incdirs
	answers "$d/lib" "$cc" -showme:libdirs
	answers "-I\"$d/include\"" "$cc" -showme:compile
	answers "-L\"$d/lib\" -Wl,\"-rpath,$d/lib,--enable-new-dtags\" -lmpi_abi" "$cc" -showme:link
	answers "-L\"$d/lib\" -Wl,\"-rpath,$d/lib,--enable-new-dtags\" -lmpi_abi" "$cc" --showme:link
	answers "* -I\"$d/include\"" "$cc" -compile_info
	answers "* -I\"$d/include\" -L\"$d/lib\" * -lmpi_abi" "$cc" -link_info
	answers "* -I\"$d/include\" -L\"$d/lib\" * -lmpi_abi" "$cc" -show
	answers "* -I\"$d/include\" -L\"$d/lib\" * -lmpi_abi" "$cc" -showme
	answers "* -I\"$d/include\" -c \"a b.c\" -o x.o" "$cc" -show -c 'a b.c' -o x.o
	answers "* -I\"$d/include\" a.c -L\"$d/lib\" * -lmpi_abi" "$cc" a.c -show
	answers "*: Haft *" "$cc" -showme:version
	answers "*usage:*" "$cc" --help
	answers "*unknown option -showme:nosuch*" "$cc" -showme:nosuch
done
cc=$B/bin/mpicc
HAFT_CC=one answers 'one -I*' "$cc" -show
MPICH_CC=two answers 'two -I*' "$cc" -show
OMPI_CC='three -m64' answers 'three -m64 -I*' "$cc" -show
HAFT_CC=one answers 'four -I*' "$cc" -cc=four -show
HAFT_CXX=five answers 'five -I*' "$B/bin/mpicxx" -show
answers 'six -I*' "$B/bin/mpicxx" -cxx=six -show
(cd "$B/bin" && PATH=.:$PATH && answers "$B/include" mpicc -showme:incdirs; exit $bad) || bad=1

# A call without linking does not get the options of the linker.
answers '[0-9]*' "$cc" -dumpversion
answers '*' "$cc" --version
"$cc" --version >"$out" 2>&1 || fail "mpicc --version"
echo 'int x;' >"$TMPDIR/x.c"
"$cc" -Werror -c "$TMPDIR/x.c" -o "$TMPDIR/x.o" || fail "mpicc -c"
"$cc" -E "$TMPDIR/x.c" >"$out" || fail "mpicc -E"
echo 'int y;' | "$cc" -c -x c - -o "$TMPDIR/y.o" || fail "mpicc -x c -"
"$cc" "$TMPDIR/nosuch.c" 2>"$err" && fail "mpicc succeeds without a source"
finish
