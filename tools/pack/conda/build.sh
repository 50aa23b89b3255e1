#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# build.sh - called by conda-build, which sets CC, FC, PREFIX, CFLAGS and the like.
set -eu
make -j"${CPU_COUNT:-2}" CC="$CC" FC="${FC:-gfortran}" all
make CC="$CC" FC="${FC:-gfortran}" PREFIX="$PREFIX" install
