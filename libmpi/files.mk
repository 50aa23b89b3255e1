# SPDX-License-Identifier: BSD-3-Clause
# The sources of libmpi, one line a file.
libmpi_SRCS += libmpi/type/pack.c
libmpi_SRCS += libmpi/type/predef.c
libmpi_SRCS += libmpi/coll/loops.c
# The loops of reductions are worth the vectoriser's full effort.
libmpi_SRCS += libmpi/boot/boot.c
$(B)/obj/libmpi/coll/loops.o: cflags-libmpi += -O3 -fopenmp-simd -Wno-pass-failed
