# SPDX-License-Identifier: BSD-3-Clause
# CMake's find_package(MPI), for C and C++: by MPI_HOME, by PATH, and with mpicc as its compiler.
. tests/build/lib.sh
command -v cmake >/dev/null || exit 77
install_tree
cd "$TMPDIR" || exit 1
mkdir src
cp sum.c sum.cc src/
cat >src/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(sum C CXX)
find_package(MPI 3.0 REQUIRED COMPONENTS C CXX)
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
	ldd "$name/sum_c" | grep -q "$prefix/lib/libmpi_abi.so.1" || fail "$name: another MPI was found"
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
try wrapped -DCMAKE_C_COMPILER="$prefix/bin/mpicc" -DCMAKE_CXX_COMPILER="$prefix/bin/mpicxx" \
	-DMPIEXEC_EXECUTABLE="$prefix/bin/mpiexec"
cd /
finish
