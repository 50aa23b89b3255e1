# SPDX-License-Identifier: BSD-3-Clause
# RUN time=600
# Fortran as it is installed: mpifort and its other names, pkg-config, CMake's find_package(MPI)
# with mpif.h, mpi and mpi_f08; modules for another compiler; programs that must not compile.
. tests/build/lib.sh
command -v gfortran >/dev/null && command -v "${FC:-gfortran}" >/dev/null || exit 77 # make FC=none: without modules
unset HAFT_FC MPICH_FC OMPI_FC
install_tree
cd "$TMPDIR" || exit 1
export XDG_CACHE_HOME="$TMPDIR/cache"

sum() {
	cat <<-END
	program sum
	$1
	$2
	integer rank, total, ierr
	call MPI_Init(ierr)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
	call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
	print '(a,i0)', 'sum ', total
	call MPI_Finalize(ierr)
	end
	END
}
mkdir src
sum 'implicit none' "include 'mpif.h'" >src/sumh.f90
sum 'use mpi' 'implicit none' >src/sum90.f90
sum 'use mpi_f08' 'implicit none' >src/sum08.f90
sum 'implicit none' "include 'mpif.h'" |
	sed -e 's/^/      /' -e 's/MPI_COMM_WORLD, ierr)/\n     \& &/' >src/sum77.f

for f in sumh.f90 sum90.f90 sum08.f90 sum77.f; do
	"$prefix/bin/mpifort" -Wall "src/$f" -o "a.$f" || fail "mpifort $f"
	runs "./a.$f"
done
"$prefix/bin/mpif77" -c src/sum77.f -o o.o && "$prefix/bin/mpif90" o.o -o two || fail "mpif77, mpif90"
runs ./two
gfortran $("$prefix/bin/mpifort" -showme:compile) src/sum90.f90 \
	$("$prefix/bin/mpifort" -showme:link) -o three || fail "-showme"
runs ./three
ldd three | grep -q "libmpifort_abi.so.1 => $prefix/lib/libmpifort_abi.so.1" || fail "ldd: $(ldd three)"
[ "$("$prefix/bin/mpifort" -showme:libs)" = "mpifort_abi mpi_abi" ] || fail "-showme:libs"
gfortran $(PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig" pkg-config --cflags mpi-fort) src/sum08.f90 \
	$(PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig" pkg-config --libs mpi-fort) -o four || fail pkg-config
runs ./four
"$prefix/bin/mpifort" src/sum08.f90 -o all -static 2>static.log || fail "-static: $(cat static.log)"
runs ./all
[ -e cache ] && fail "modules were made though those that are installed fit"

# Another compiler than the installed modules are for: they are made once.
echo 'another compiler' >"$prefix/include/haft/compiler"
rm "$prefix/include/"*.mod
"$prefix/bin/mpifort" src/sum08.f90 -o five || fail "modules for another compiler"
runs ./five
made=$(find cache -name mpi_f08.mod)
[ -n "$made" ] || fail "no modules in the cache"
before=$(stat -c %y "$made")
"$prefix/bin/mpifort" src/sum90.f90 -o six || fail "modules of the cache"
runs ./six
[ "$before" = "$(stat -c %y "$made")" ] || fail "modules are made more than once"
# No home that can be written: a directory of one's own below TMPDIR serves.
mkdir tmp
for home in HOME=/proc/nope -uHOME; do
	env -u XDG_CACHE_HOME $home TMPDIR="$TMPDIR/tmp" "$prefix/bin/mpifort" src/sum08.f90 -o homeless 2>homeless.log ||
		fail "$home: $(cat homeless.log)"
	[ ! -s homeless.log ] || fail "$home: $(cat homeless.log)"
	runs ./homeless
done
env -u XDG_CACHE_HOME -u HOME TMPDIR=/proc/nope "$prefix/bin/mpifort" src/sumh.f90 -o homeless 2>homeless.log ||
	fail "mpif.h needs no modules: $(cat homeless.log)"
grep -q 'no directory can be made.*XDG_CACHE_HOME' homeless.log || fail "no place for modules: $(cat homeless.log)"
# A full disk (here: files may have no bytes): the compiler's words are seen, nothing is left
# behind.
cat >full <<-'END'
	#!/bin/sh
	[ "$1" != --version ] || { echo full 1.0; exit 0; }
	case " $* " in *"/haft/"*) echo 'No space left on device' >&2; exit 1 ;; esac
END
chmod +x full
(ulimit -f 0; exec "$prefix/bin/mpifort" -fc="$PWD/full" -c src/sumh.f90) 2>&1 | cat >full.log
grep -q 'No space left' full.log && grep -q 'without them there is mpif.h' full.log || fail "full disk: $(cat full.log)"
[ -z "$(find cache -mindepth 3 -type d -name '*.*')" ] || fail "left behind: $(find cache)"
for fc in gfortran-11 gfortran-10 flang-new-19 flang-new; do
	command -v $fc >/dev/null || continue
	for f in sumh.f90 sum90.f90 sum08.f90; do
		"$prefix/bin/mpifort" -fc=$fc "src/$f" -o "$fc.$f" || fail "$fc $f"
		runs "./$fc.$f"
	done
done

# CMake.
if command -v cmake >/dev/null; then
	cat >src/CMakeLists.txt <<-'END'
	cmake_minimum_required(VERSION 3.18)
	project(sum Fortran)
	set(MPI_DETERMINE_Fortran_CAPABILITIES TRUE)
	find_package(MPI 3.0 REQUIRED COMPONENTS Fortran)
	foreach(h F77_HEADER F90_MODULE F08_MODULE)
		if(NOT MPI_Fortran_HAVE_${h})
			message(FATAL_ERROR "no ${h}")
		endif()
	endforeach()
	if(NOT MPI_Fortran_VERSION VERSION_EQUAL 5.0)
		message(FATAL_ERROR "version ${MPI_Fortran_VERSION}")
	endif()
	foreach(p sumh sum90 sum08)
		add_executable(${p} ${p}.f90)
		target_link_libraries(${p} MPI::MPI_Fortran)
	endforeach()
	END
	cmake -S src -B make -DMPI_HOME="$prefix" >cmake.log 2>&1 && cmake --build make >>cmake.log 2>&1 || {
		cat cmake.log
		fail "cmake"
	}
	for p in sumh sum90 sum08; do runs make/$p; done
fi

# Wrong arguments end at the compiler.
wrong() {
	printf 'program p\nuse %s\ninteger :: i, r(3)\nreal :: x\ntype(MPI_Comm) :: c\ntype(MPI_Request) :: q\n%s\nend\n' \
		"$1" "$2" >wrong.f90
	"$prefix/bin/mpifort" -c wrong.f90 >wrong.log 2>&1 && fail "compiles: $1: $2"
}
wrong mpi_f08 'call MPI_Comm_size(257, i)'
wrong mpi_f08 'call MPI_Comm_size(c, x)'
wrong mpi_f08 'call MPI_Send(x, 1, MPI_REAL, 0, MPI_COMM_WORLD)'
wrong mpi_f08 'call MPI_Wait(c, MPI_STATUS_IGNORE)'
wrong mpi_f08 'call MPI_Wait(q, r)'
wrong mpi_f08 'call MPI_Comm_free(MPI_COMM_WORLD)'
wrong mpi_f08 'if (c == q) stop'
wrong mpi_f08 'call MPI_Send(x, 1.0, MPI_REAL, 0, 0, c)'
wrong mpi 'call MPI_Comm_size(257, i)'
wrong mpi 'call MPI_Comm_size(x, i, i)'
wrong mpi 'call MPI_Send(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD)'
wrong mpi 'call MPI_Recv(x, 1, MPI_REAL, 0, 0, MPI_COMM_WORLD, i, i)'

# Fixed form of any width.
cat >wide.f <<'EOF'
      program wide
      include 'mpif.h'
      integer ierr
      call MPI_INIT(ierr)
      call MPI_FINALIZE(ierr)
      end
EOF
for length in 72 132 none; do
	"$prefix/bin/mpifort" -ffixed-line-length-$length wide.f -o wide >wide.log 2>&1 ||
		fail "mpif.h with lines of $length: $(cat wide.log)"
done

# Buffers of two types for one procedure of mpif.h, as real programs have them.
cat >two.f90 <<'EOF'
program two
  include 'mpif.h'
  integer i, ierr
  double precision x
  call MPI_Init(ierr)
  call MPI_Bcast(i, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
  call MPI_Bcast(x, 1, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end
EOF
"$prefix/bin/mpifort" -c two.f90 >two.log 2>&1 || fail "two types of buffers: $(cat two.log)"
"$prefix/bin/mpifort" -fno-allow-argument-mismatch -c two.f90 >two.log 2>&1 && fail "the user's own option counts for nothing"

# INTEGERs of 8 bytes: never without a word.
"$prefix/bin/mpifort" -fdefault-integer-8 src/sumh.f90 -o eight >eight.log 2>&1 && fail "-fdefault-integer-8"
grep -q 'INTEGERs have 4 bytes' eight.log || fail "-fdefault-integer-8: $(cat eight.log)"
gfortran -fdefault-integer-8 -I"$prefix/include" -c src/sumh.f90 >eight.log 2>&1 && fail "mpif.h with INTEGER(8)"
gfortran -fdefault-integer-8 $("$prefix/bin/mpifort" -showme:compile) -c src/sum90.f90 >eight.log 2>&1 &&
	fail "mpi with INTEGER(8)"
cd /
finish
