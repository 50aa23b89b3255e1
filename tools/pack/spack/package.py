# SPDX-License-Identifier: BSD-3-Clause
"""The recipe of Spack for Haft: spack repo add, then spack install haft."""
import os
import re

from spack.package import *


class Haft(MakefilePackage):
    """MPI 5.0 with the standard ABI, made for one node and for busy machines."""

    homepage = "https://www.mpi-forum.org/"
    git = "file:///usr/src/haft"  # where the sources are: spack develop, or a mirror of yours

    license("BSD-3-Clause")
    version("main", branch="main")

    variant("fortran", default=True, description="modules for the Fortran compiler")
    variant("ofi", default=True, description="InfiniBand and its like, by libfabric")
    variant("jemalloc", default=True, description="arenas of shared windows by jemalloc")

    provides("mpi@:5.0")
    executables = ["^mpi-info$"]

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("fortran", type="build", when="+fortran")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("libffi")
    depends_on("hwloc@2:")
    depends_on("libfabric", when="+ofi")
    depends_on("jemalloc", when="+jemalloc")

    filter_compiler_wrappers("mpicc", "mpicxx", "mpifort", relative_root="bin")

    @classmethod
    def determine_version(cls, exe):
        found = re.search(r"Haft (\d+\.\d+\.\d+)", Executable(exe)("--version", output=str, error=str))
        return found.group(1) if found else None

    def words(self, spec, prefix):
        # Libraries that are loaded when they are needed are found by the run path of ours.
        paths = [f"-Wl,-rpath,{d.prefix.lib}" for d in spec.dependencies(deptype="link")]
        words = [f"PREFIX={prefix}", f"CC={spack_cc}", f"LDFLAGS={' '.join(paths)}"]
        return words + ([f"FC={spack_fc}"] if spec.satisfies("+fortran") else ["FC=none"])

    def build(self, spec, prefix):
        make(*self.words(spec, prefix), "all")

    def install(self, spec, prefix):
        make(*self.words(spec, prefix), "install")

    @property
    def libs(self):
        return find_libraries(["libmpifort_abi", "libmpi_abi"], root=self.prefix, shared=True, recursive=True)

    def setup_run_environment(self, env):
        for name, wrapper in ("MPICC", "mpicc"), ("MPICXX", "mpicxx"), ("MPIF77", "mpifort"), ("MPIF90", "mpifort"):
            env.set(name, os.path.join(self.prefix.bin, wrapper))

    def setup_dependent_build_environment(self, env, dependent_spec):
        self.setup_run_environment(env)
        env.set("HAFT_CC", spack_cc)
        env.set("HAFT_CXX", spack_cxx)
        env.set("HAFT_FC", spack_fc)

    def setup_dependent_package(self, module, dependent_spec):
        self.spec.mpicc = os.path.join(self.prefix.bin, "mpicc")
        self.spec.mpicxx = os.path.join(self.prefix.bin, "mpicxx")
        self.spec.mpifc = self.spec.mpif77 = os.path.join(self.prefix.bin, "mpifort")
