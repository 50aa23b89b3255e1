# SPDX-License-Identifier: BSD-3-Clause
# MPI-5.0 20.2.1, 20.3.3, 20.3.4, 20.5: mpi.h (and haft/qmpi.h) compiles without a word in every C
# and C++ that programs are written in, has the standard's prototypes, and each constant has the
# standard's value; the libraries show these names and no others.
set -u
cd "$TMPDIR" || exit 1
case $B in /*) top=${B%/build/*} ;; *) top=$OLDPWD; B=$OLDPWD/$B ;; esac
facts=$top/tests/abi
bad=0
say() {
	echo "$1"
	bad=1
}

# compile COMPILER STANDARD FILE [FLAGS...]: not one warning.
compile() {
	cc=$1 std=$2 file=$3
	shift 3
	command -v "$cc" >/dev/null || return 0
	"$cc" -std="$std" -Wall -Wextra -pedantic -Wshadow -Werror "$@" -I"$B/include" \
		-fsyntax-only "$file" >out 2>&1 || { say "$cc -std=$std $file:"; head -n 20 out; }
}

printf '%s\n' '#include <mpi.h>' '#include <mpi.h>' '#include <haft/qmpi.h>' 'int main(void)' '{' \
	'	return MPI_COMM_WORLD == MPI_COMM_NULL;' '}' >use.c
cp use.c use.cc
for cc in gcc clang; do
	for std in c99 c11 gnu17; do compile $cc $std use.c; done
done
for cc in g++ clang++; do
	for std in c++11 c++17 c++20; do compile $cc $std use.cc; done
done

# Prototypes: declared again as the standard has them, which is an error if they differ.
{
	printf '%s\n' '#define MPI_NO_DEPRECATED_WARNINGS' '#include <mpi.h>'
	grep -v '^#' "$facts/prototypes.txt" | sed 's/.*\(MPI_[A-Z_]*\)(.*/#undef \1/;t;d' | grep FN
	grep -v '^#' "$facts/prototypes.txt" | sed 's/$/;/'
	grep -v '^#' "$facts/prototypes.txt" | sed 's/(.*//; s/.*[ *]//' |
		sed 's/.*/void *use_&(void); void *use_&(void) { return (void *)\&P&; }/'
} >protos.c
compile gcc gnu11 protos.c -Wno-pedantic
n=$(grep -vc '^#' "$facts/prototypes.txt")
[ "$n" = 704 ] || say "$n prototypes, not 704"

# Values: the standard's list, then types and values of the whole table.
{
	printf '%s\n' '#include <mpi.h>' '#include <assert.h>'
	grep -v '^#\|^MPI_STATUS_SIZE' "$facts/values.tsv" |
		sed 's/\(.*\)	\(.*\)/static_assert((long)(\1) == (\2), "\1");/'
	echo 'static_assert(sizeof(MPI_Status) == 8 * sizeof(int), "MPI_Status");'
} >values.c
compile gcc gnu11 values.c -Wno-pedantic
compile gcc gnu11 "$B/gen/abi.c" -Wno-pedantic

# Names that the libraries show: MPI's, extensions of mpi-ext.h, haft/qmpi.h's, and
# those that libmpifort_abi takes from them (haft_fort_...).
grep -v '^#' "$facts/prototypes.txt" | sed 's/(.*//; s/.*[ *]//' | sed 's/.*/&\nP&/' | sort >want
nm -D --defined-only "$B/lib/libmpi_abi.so" | awk '{print $3}' | sort >have
comm -23 want have | head >missing
[ -s missing ] && say "libmpi_abi.so lacks: $(cat missing)"
grep -v -e '^[PQ]\?MPIX\?_' -e '^haft_fort_' -e '^MPIR_' have | head >more
[ -s more ] && say "libmpi_abi.so shows more than MPI: $(cat more)"
nm -g --defined-only "$B/lib/libmpi_abi.a" | awk 'NF == 3 {print $3}' | sort >have
comm -23 want have | head >missing
[ -s missing ] && say "libmpi_abi.a lacks: $(cat missing)"
grep -v -e '^[PQ]\?MPIX\?_' -e '^haft_fort_' -e '^MPIR_' have | head >more
[ -s more ] && say "libmpi_abi.a shows more than MPI: $(cat more)"
readelf -d "$B/lib/libmpi_abi.so" | grep -q 'SONAME.*libmpi_abi\.so\.1\]' || say "wrong soname"
[ "$(readlink -f "$B/lib/libmpi.so")" = "$(readlink -f "$B/lib/libmpi_abi.so")" ] ||
	say "libmpi.so is another library"

# One page a function, without a complaint of the formatter where there is one.
for f in $(grep -v '^P' want); do
	[ -s "$B/man/man3/$f.3" ] || say "no man page of $f"
done
# The page of a function of mpi_f08 shows how Fortran calls it.
sed -n 's/^  INTERFACE \(MPI_[A-Z][A-Za-z0-9_]*\)$/\1/p' "$B/include/haft/mpi_f08.f90" |
	grep -v -e '^MPI_F_sync_reg$' -e '^MPI_Sizeof$' >fort
[ "$(wc -l <fort)" -gt 400 ] || say "mpi_f08 has $(wc -l <fort) generic names"
while read -r f; do
	sed -n '/^USE mpi_f08$/,/^USE mpi /p' "$B/man/man3/$f.3" | grep -q " $f(" ||
		say "no Fortran in the man page of $f"
done <fort
if command -v groff >/dev/null; then
	(cd "$B/man" && groff -man -ww -z man3/MPI_*.3) >out 2>&1
	[ -s out ] && say "man pages: $(head -n 5 out)"
fi
rm -f ./*
exit $bad
