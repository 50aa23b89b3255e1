# SPDX-License-Identifier: BSD-3-Clause
# The sources of libshm: every .c file of the folder.
libshm_SRCS := $(sort $(wildcard libshm/*.c))

$(B)/lib/libshm.a: $(patsubst %.c,$(B)/obj/%.o,$(libshm_SRCS))
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

all: $(B)/lib/libshm.a

# Measures; not a test.
bench_shm_SRCS := tests/bench/shm.c
$(B)/tests/bench/shm: $(call objs,$(bench_shm_SRCS)) $(B)/lib/libshm.a $(B)/lib/libobj.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $^ $(libobj_LIBS) -ldl -lpthread -o $@

bench-shm: $(B)/tests/bench/shm
	$(Q)$<
.PHONY: bench-shm
