# SPDX-License-Identifier: BSD-3-Clause
# RUN time=300
# Recipes for other packagers, as far as they can be tried without them: a wheel in an environment of
# its own, the module file, the syntax of the rest.
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

# The module file finds its prefix from its own place.
module=$(ls "$prefix"/share/modulefiles/haft/*)
for cmd in /usr/lib/x86_64-linux-gnu/modulecmd.tcl /usr/share/modules/libexec/modulecmd.tcl; do
	[ -e "$cmd" ] && command -v tclsh >/dev/null || continue
	got=$(MODULEPATH=$prefix/share/modulefiles tclsh "$cmd" sh load haft 2>&1)
	case $got in *"$prefix/bin"*) ;; *) fail "module load haft: $got" ;; esac
	break
done
if command -v tclsh >/dev/null; then
	got=$(printf '%s\n' 'foreach p {module-whatis conflict} {proc $p args {}}' \
		'foreach p {prepend-path setenv} {proc $p {k v} {puts "$k=$v"}}' \
		"set ModulesCurrentModulefile {$module}" "source {$module}" | tclsh 2>&1)
	for want in "PATH=$prefix/bin" "LD_LIBRARY_PATH=$prefix/lib" "MPI_HOME=$prefix"; do
		printf '%s\n' "$got" | grep -qxF "$want" || fail "the module file: no $want in: $got"
	done
fi

# The others: their syntax, and that each file they name is installed.
python3 -c 'import ast, sys; [ast.parse(open(f).read()) for f in sys.argv[1:]]' \
	"$top/tools/pack/spack/package.py" "$top"/tools/pack/easybuild/*.eb || fail "a recipe in Python"
sh -n tools/pack/conda/build.sh || fail "conda/build.sh"
for f in $(sed -n "s/.*'files': \[\(.*\)\].*/\1/p" tools/pack/easybuild/*.eb | tr -d "',"); do
	[ -e "$prefix/$f" ] || fail "EasyBuild's list: no $f"
done
version=$("$prefix/bin/mpi-info" --version | sed -n 's/.*Haft \([0-9.]*\).*/\1/p' | head -n 1)
for f in conda/meta.yaml easybuild/*.eb debian/changelog; do
	grep -qF "$version" "$top"/tools/pack/$f || fail "$f is not for version $version"
done
finish
