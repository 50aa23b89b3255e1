# SPDX-License-Identifier: BSD-3-Clause
# The sources of libnet: every .c file of the folder.
libnet_SRCS := $(sort $(wildcard libnet/*.c))

$(B)/lib/libnet.a: $(patsubst %.c,$(B)/obj/%.o,$(libnet_SRCS))
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

all: $(B)/lib/libnet.a

# Measures; not a test.
bench_net_SRCS := tests/bench/net.c
$(B)/tests/bench/net: $(call objs,$(bench_net_SRCS)) $(B)/lib/libnet.a $(B)/lib/libobj.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $^ $(libobj_LIBS) -ldl -lpthread -o $@

bench-net: $(B)/tests/bench/net
	$(Q)$<
.PHONY: bench-net
