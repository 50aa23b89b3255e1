# SPDX-License-Identifier: BSD-3-Clause
# The sources of libmpi, one line a file.
libmpi_SRCS += libmpi/type/pack.c
libmpi_SRCS += libmpi/type/predef.c
