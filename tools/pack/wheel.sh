#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# wheel.sh PREFIX DIR - a wheel of Python from an installed tree; prints its name.
#
#     haft-0.1.0.data/data/lib/libmpi_abi.so.1   ──pip──►  VENV/lib, where mpi4py's wheel looks
#     first
#     haft-0.1.0.data/data/bin/mpiexec           ──pip──►  VENV/bin
#
# It has what runs programs, not what compiles them.
set -eu
prefix=${1:?usage: wheel.sh PREFIX DIR}
version=$("$prefix/bin/mpi-info" --version | sed -n 's/.*Haft \([0-9.]*\).*/\1/p' | head -n 1)
python3 - "$prefix" "$2" "$version" <<'END'
import base64, hashlib, os, sys, sysconfig, zipfile

prefix, out, version = sys.argv[1:]
platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
tag = "py3-none-" + platform
info = f"haft-{version}.dist-info"
name = os.path.join(out, f"haft-{version}-{tag}.whl")
files = {f"haft-{version}.data/data/lib/{f}": os.path.join(prefix, "lib", f)
         for f in ("libmpi_abi.so.1", "libmpifort_abi.so.1")}
files |= {f"haft-{version}.data/data/bin/{f}": os.path.join(prefix, "bin", f)
          for f in ("mpiexec", "mpirun", "mpi-info")}
texts = {
    f"{info}/METADATA": f"Metadata-Version: 2.1\nName: haft\nVersion: {version}\n"
                        "Summary: MPI 5.0 with the standard ABI: the libraries and mpiexec\n"
                        "License: BSD-3-Clause\n",
    f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: haft\nRoot-Is-Purelib: false\nTag: {tag}\n",
}
record = ""
with zipfile.ZipFile(name, "w", zipfile.ZIP_DEFLATED) as wheel:
    def put(path, data, mode):
        global record
        entry = zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0))
        entry.external_attr = mode << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        wheel.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    for path, file in files.items():
        with open(file, "rb") as f:
            put(path, f.read(), 0o100755)
    for path, text in texts.items():
        put(path, text.encode(), 0o100644)
    put(f"{info}/RECORD", (record + f"{info}/RECORD,,\n").encode(), 0o100644)
print(name)
END
