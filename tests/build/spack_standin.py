# SPDX-License-Identifier: BSD-3-Clause
"""Runs Spack's recipe with stand-ins for all that it gets from Spack: spack_standin.py PREFIX.

It builds (what is built already, with the same compilers and flags), installs into PREFIX, and says
which version of Haft is there; each path that the recipe tells to other packages must exist.
"""
import os
import subprocess
import sys
import types


class Executable:
    def __init__(self, path):
        self.path = path

    def __call__(self, *words, **kept):
        return subprocess.run([self.path, *words], capture_output=True, text=True).stdout


class Prefix(str):
    bin = property(lambda self: self + "/bin")


class Spec:
    def dependencies(self, deptype):
        return []

    def satisfies(self, what):
        return True


class Env(dict):
    set = dict.__setitem__


package = types.ModuleType("spack.package")
for name in "license", "version", "variant", "provides", "depends_on", "filter_compiler_wrappers":
    setattr(package, name, lambda *words, **kept: None)
package.MakefilePackage = object
package.Executable = Executable
package.make = lambda *words: subprocess.run(["make", "-s", *words], check=True, stdout=sys.stderr)
package.find_libraries = lambda names, root, **kept: [f"{root}/lib/{n}.so" for n in names]
package.spack_cc, package.spack_cxx, package.spack_fc = "gcc", "g++", "gfortran"
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = package

recipe = {}
with open("tools/pack/spack/package.py") as f:
    exec(f.read(), recipe)
haft, spec, prefix, env = recipe["Haft"](), Spec(), Prefix(sys.argv[1]), Env()
haft.prefix, haft.spec = prefix, spec
haft.build(spec, prefix)
haft.install(spec, prefix)
haft.setup_dependent_build_environment(env, spec)
haft.setup_dependent_package(None, spec)
for path in haft.libs + [env["MPICC"], env["MPICXX"], env["MPIF90"], spec.mpicc, spec.mpicxx, spec.mpifc]:
    if not os.path.exists(path):
        sys.exit(f"the recipe names {path}, which is not there")
print(haft.determine_version(prefix + "/bin/mpi-info"))
