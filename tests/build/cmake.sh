# SPDX-License-Identifier: BSD-3-Clause
# RUN time=600
# CMake's find_package(MPI), for C and C++: by MPI_HOME, by PATH, with mpicc as its compiler, with a
# suffix, without a wrapper; the versions and components that it can be asked for.  For Fortran:
# fortran_install.sh.
. tests/build/lib.sh
command -v cmake >/dev/null || exit 77
install_tree
cd "$TMPDIR" || exit 1
mkdir src
cp sum.c sum.cc src/
cat >src/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(sum C CXX)
set(MPI_DETERMINE_LIBRARY_VERSION TRUE)
find_package(MPI 3.0 REQUIRED COMPONENTS C CXX)
if(NOT MPI_C_VERSION VERSION_EQUAL 5.0 OR NOT MPI_CXX_VERSION_MAJOR EQUAL 5)
	message(FATAL_ERROR "version ${MPI_C_VERSION}, C++ ${MPI_CXX_VERSION}")
endif()
if(NOT MPI_C_LIBRARY_VERSION_STRING MATCHES "Haft [0-9]+[.][0-9]+")
	message(FATAL_ERROR "the library is ${MPI_C_LIBRARY_VERSION_STRING}")
endif()
add_executable(sum_c sum.c)
target_link_libraries(sum_c MPI::MPI_C)
add_executable(sum_cxx sum.cc)
target_link_libraries(sum_cxx MPI::MPI_CXX)
enable_testing()
add_test(NAME run COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} 3 ${MPIEXEC_PREFLAGS}
	$<TARGET_FILE:sum_c> ${MPIEXEC_POSTFLAGS})
END
try() {
	name=$1
	shift
	cmake -S src -B "$name" "$@" >"$name.log" 2>&1 &&
		cmake --build "$name" >>"$name.log" 2>&1 || {
		cat "$name.log"
		fail "cmake by $name"
		return
	}
	runs "$name/sum_c"
	runs "$name/sum_cxx"
	ldd "$name/sum_c" | grep -q "$prefix/lib/.*libmpi_abi.so.1 (" || fail "$name: another MPI was found"
	(cd "$name" && ctest) >>"$name.log" 2>&1 || {
		cat "$name.log"
		fail "ctest by $name"
	}
}
try home -DMPI_HOME="$prefix"
PATH=$prefix/bin:$PATH try path
# A prefix with a blank: CMake understands double quotes only.
mv "$prefix" "$TMPDIR/my mpi"
prefix="$TMPDIR/my mpi" try blank -DMPI_HOME="$TMPDIR/my mpi"
mv "$TMPDIR/my mpi" "$prefix"
# Debian's way: all commands have a suffix.
for n in mpiexec mpicc mpicxx mpic++ mpifort; do
	mkdir -p "$TMPDIR/suffix/bin"
	ln -s "$prefix/bin/$n" "$TMPDIR/suffix/bin/$n.haft"
done
PATH=$TMPDIR/suffix/bin:$PATH try suffix -DMPI_EXECUTABLE_SUFFIX=.haft
grep -q "suffix/bin/mpicc.haft" suffix/CMakeCache.txt || fail "the suffix: $(grep MPI_C_COMPILER suffix/CMakeCache.txt)"
# No wrapper: pkg-config names the flags, CMake looks for the libraries itself.
! command -v pkg-config >/dev/null ||
	PKG_CONFIG_LIBDIR="$prefix/lib/pkgconfig" try pkg -DMPI_SKIP_COMPILER_WRAPPER=TRUE \
		-DCMAKE_PREFIX_PATH="$prefix" -DMPIEXEC_EXECUTABLE="$prefix/bin/mpiexec"
# The standard has no C++ classes any more: a request for them finds the rest.  A later version
# is not there yet.
mkdir ask
cat >ask/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(ask C CXX)
find_package(MPI COMPONENTS C OPTIONAL_COMPONENTS MPICXX)
message(STATUS "C: ${MPI_C_FOUND}")
set(MPI_FOUND)
find_package(MPI 5.1 COMPONENTS C)
message(STATUS "5.1: ${MPI_FOUND}")
END
cmake -S ask -B asked -DMPI_HOME="$prefix" >asked.log 2>&1 || fail "cmake of ask"
grep -q 'C: TRUE' asked.log && grep -q '5.1: FALSE' asked.log || fail "components: $(grep -e C: -e 5.1: asked.log)"
try wrapped -DCMAKE_C_COMPILER="$prefix/bin/mpicc" -DCMAKE_CXX_COMPILER="$prefix/bin/mpicxx" \
	-DMPIEXEC_EXECUTABLE="$prefix/bin/mpiexec"
cd /
finish
