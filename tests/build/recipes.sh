# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# Recipes for other packagers, as far as they can be tried without them: a wheel in an environment
# of its own, the module file, Spack's and conda's builds, what EasyBuild expects.
. tests/build/lib.sh
install_tree
top=$PWD
command -v python3 >/dev/null || exit 77

# A wheel: pip puts the libraries where mpi4py's looks, and the launcher beside python.
wheel=$(tools/pack/wheel.sh "$prefix" "$TMPDIR") || fail wheel.sh
if python3 -m venv "$TMPDIR/venv" >"$TMPDIR/venv.log" 2>&1; then
	"$TMPDIR/venv/bin/pip" install -q --no-index --disable-pip-version-check "$wheel" || fail "pip install $wheel"
	got=$(timeout 100 "$TMPDIR/venv/bin/mpiexec" -n 2 "$TMPDIR/venv/bin/python" -c '
import ctypes, sys
mpi = ctypes.CDLL(sys.prefix + "/lib/libmpi_abi.so.1")
mpi.MPI_Init(None, None)
n = ctypes.c_int()
mpi.MPI_Comm_size(ctypes.c_void_p(0x101), ctypes.byref(n))
print("size", n.value)
mpi.MPI_Finalize()' 2>&1)
	[ "$(echo "$got" | grep -c '^size 2$')" = 2 ] || fail "python in the wheel's environment: $got"
	"$TMPDIR/venv/bin/mpi-info" --version | grep -q Haft || fail "mpi-info of the wheel"
	"$TMPDIR/venv/bin/pip" uninstall -q -y haft && [ ! -e "$TMPDIR/venv/lib/libmpi_abi.so.1" ] || fail "pip uninstall"
fi

# The module file finds its prefix from its own place.  Lmod and Environment Modules load and unload
# it.
module=$(ls "$prefix"/share/modulefiles/haft/*)
lmod=$(ls /usr/share/lmod/*/libexec/lmod 2>/dev/null | tail -n 1)
tmod=$(ls /usr/lib/*/modulecmd.tcl /usr/share/modules/libexec/modulecmd.tcl 2>/dev/null | head -n 1)
command -v tclsh >/dev/null || tmod=
for cmd in ${lmod:+"$lmod"} ${tmod:+"tclsh $tmod"}; do
	got=$(
		unset MANPATH LD_LIBRARY_PATH
		export MODULEPATH="$prefix/share/modulefiles"
		eval "$($cmd bash load haft 2>&1)" && command -v mpicc && echo "$LD_LIBRARY_PATH ${MANPATH-no MANPATH}"
		eval "$($cmd bash unload haft 2>&1)" && command -v mpicc
	)
	[ "$(printf '%s\n' "$got" | head -n 2)" = "$prefix/bin/mpicc
$prefix/lib no MANPATH" ] || fail "$cmd: module load haft: $got"
	! printf '%s\n' "$got" | sed 1d | grep -q "$prefix/bin" || fail "$cmd: module unload haft: $got"
done
if command -v tclsh >/dev/null; then
	got=$(printf '%s\n' 'foreach p {module-whatis conflict} {proc $p args {}}' \
		'foreach p {prepend-path setenv} {proc $p {k v} {puts "$k=$v"}}' \
		"set ModulesCurrentModulefile {$module}" "source {$module}" | tclsh 2>&1)
	for want in "PATH=$prefix/bin" "LD_LIBRARY_PATH=$prefix/lib" "MPI_HOME=$prefix"; do
		printf '%s\n' "$got" | grep -qxF "$want" || fail "the module file: no $want in: $got"
	done
fi

# Spack's recipe builds and installs, with stand-ins for Spack itself; conda's script does it as
# conda-build would call it.  Both take the compiler and the flags of the plain build.
version=$("$prefix/bin/mpi-info" --version | sed -n 's/.*Haft \([0-9.]*\).*/\1/p' | head -n 1)
python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$top"/tools/pack/easybuild/*.eb || fail "EasyBuild's recipe"
# EasyBuild empties the directory between its steps build and install.
grep -q '^buildopts.*install' "$top"/tools/pack/easybuild/*.eb && fail "EasyBuild's recipe installs too early"
case $B,$(command -v gfortran) in
*/release,?*)
	got=$(flock "$B/install.lock" python3 tests/build/spack_standin.py "$TMPDIR/spack" 2>&1)
	[ "$got" = "$version" ] || fail "Spack's recipe: $got"
	(export CC=gcc FC=gfortran PREFIX="$TMPDIR/conda" && flock "$B/install.lock" sh tools/pack/conda/build.sh) \
		>"$TMPDIR/conda.log" 2>&1 || fail "conda/build.sh: $(tail -n 5 "$TMPDIR/conda.log")"
	for prefix in "$TMPDIR/spack" "$TMPDIR/conda"; do
		"$prefix/bin/mpicc" "$TMPDIR/sum.c" -o "$TMPDIR/sum" || fail "mpicc of $prefix"
		runs "$TMPDIR/sum"
	done
	prefix=$TMPDIR/spack
	;;
esac
# Conda's description, with words in place of Jinja's: the needs, and its tests with the plain
# build.
for py in python3 /usr/bin/python3; do
	$py -c 'import yaml' 2>/dev/null || continue
	sed -e 's/{{[^}]*}}/word/' -e 's/ # \[.*//' tools/pack/conda/meta.yaml | $py -c '
import sys, yaml
r = yaml.safe_load(sys.stdin)
assert r["package"]["name"] == "haft" and len(r["requirements"]["build"]) == 5, r
assert "mpi 1.0.* haft" in r["requirements"]["run"], r
print("\n".join(r["test"]["commands"]))' >"$TMPDIR/commands" 2>"$TMPDIR/log" || fail "conda/meta.yaml: $(tail -n 1 "$TMPDIR/log")"
	PATH=$prefix/bin:$PATH sh -e "$TMPDIR/commands" >"$TMPDIR/log" 2>&1 || fail "the tests of conda: $(cat "$TMPDIR/log")"
	break
done
# The image has what the Containerfile copies, and the packages that it names exist where there is
# an apt.
sed -n 's/.*apt-get install -y --no-install-recommends//p; /^        [a-z]/p' tools/pack/Containerfile |
	tr -d '\\' >"$TMPDIR/packages"
! command -v apt-cache >/dev/null || ! apt-cache show make >/dev/null 2>&1 ||
	apt-cache show $(cat "$TMPDIR/packages") >/dev/null 2>"$TMPDIR/log" || fail "Containerfile: $(cat "$TMPDIR/log")"
for f in $(sed -n 's/.*RUN \(tools[^ ]*\).*/\1/p' tools/pack/Containerfile); do
	[ -x "$f" ] || fail "Containerfile: no $f"
done
for f in $(sed -n "s/.*'files': \[\(.*\)\].*/\1/p" tools/pack/easybuild/*.eb | tr -d "',"); do
	[ -e "$prefix/$f" ] || fail "EasyBuild's list: no $f"
done
for f in conda/meta.yaml easybuild/*.eb debian/changelog; do
	grep -qF "$version" "$top"/tools/pack/$f || fail "$f is not for version $version"
done
finish
