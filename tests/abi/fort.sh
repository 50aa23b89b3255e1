# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 19.1.5, 20.4.2, A.4, A.5: libmpifort_abi has every procedure twice, by each of its names;
# the modules have every name; nothing but MPI's can be seen.
set -u
case $B in /*) top=${B%/build/*} ;; *) top=$PWD B=$PWD/$B ;; esac
command -v gfortran >/dev/null || exit 77
[ -e "$B/include/mpi_f08.mod" ] || { echo "built without a compiler of Fortran (FC=)" && exit 77; }
facts=$top/tests/abi
cd "$TMPDIR" || exit 1
bad=0
say() {
	echo "$1"
	bad=1
}

# __odr_asan.*: AddressSanitizer's notes of each variable.
nm -D --defined-only "$B/lib/libmpifort_abi.so.1" | awk '$3 !~ /^__odr_asan[.]/ {print $3}' | sort -u >have
sed "/^#/d" "$facts/fortran-names.txt" | tr A-Z a-z | awk '{print $0 "_"; print "p" $0 "_"}' | sort -u >want
comm -13 have want >none
[ -s none ] && say "missing in libmpifort_abi: $(tr '\n' ' ' <none)"
other=$(grep -vE '^p?mpix?_[a-z0-9_]+_$' have | tr '\n' ' ')
[ -z "$other" ] || say "not MPI's: $other"
readelf -d "$B/lib/libmpifort_abi.so.1" | grep -q 'soname: \[libmpifort_abi.so.1\]' || say "soname"

# Every module procedure's own name is in the library, or the program would not link.
for m in mpi mpi_f08; do
	sed -n 's/.*NAME="\([a-z0-9_]*\)".*/\1/p' "$B/include/haft/$m.f90" | sort -u >bound
	comm -13 have bound >none
	[ -s none ] && say "$m is bound to names that do not exist: $(tr '\n' ' ' <none)"
	awk '/ABSTRACT INTERFACE/ {skip = 1} /END INTERFACE/ {skip = 0}
		!skip && !/BIND\(C/ && /^    .*(SUBROUTINE|FUNCTION) P?MPI_/ && !/END / {
			sub(/.*(SUBROUTINE|FUNCTION) /, ""); sub(/\(.*/, ""); print tolower($0) "_"}' \
		"$B/include/haft/$m.f90" | sort -u >plain
	grep -v '&' plain | comm -13 have - >none
	[ -s none ] && say "$m names what is not there: $(tr '\n' ' ' <none)"
done

{
	echo 'program p'
	sed -e "/^#/d" -e "s/^/  use mpi_f08, only: /" "$facts/f08-names.txt"
	echo 'end program'
} >names.f90
gfortran -I"$B/include" -fsyntax-only -fmax-errors=0 names.f90 2>&1 | grep -oE "(Symbol|module file).*" | head -20 >none
[ -s none ] && say "mpi_f08 has not: $(cat none)"
{
	echo 'program p'
	sed -e "/^#/d" -e "s/^/  use mpi, only: /" "$facts/fortran-names.txt"
	echo 'end program'
} >names.f90
gfortran -I"$B/include" -fsyntax-only -fmax-errors=0 names.f90 2>&1 | grep -oE "(Symbol|module file).*" | head -20 >none
[ -s none ] && say "mpi has not: $(cat none)"
rm -f ./*
exit $bad
