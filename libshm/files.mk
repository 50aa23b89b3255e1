# SPDX-License-Identifier: BSD-3-Clause
# The sources of libshm, one line a file.
libshm_SRCS := \
	libshm/block.c \
	libshm/heap.c \
	libshm/inbox.c \
	libshm/lock.c \
	libshm/pipe.c \
	libshm/poll.c \
	libshm/rank.c \
	libshm/read.c \
	libshm/ring.c \
	libshm/seg.c \
	libshm/shm_os.c \
	libshm/wait.c

$(B)/lib/libshm.a: $(patsubst %.c,$(B)/obj/%.o,$(libshm_SRCS))
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

all: $(B)/lib/libshm.a

# What it costs on this machine; not a test.
bench_shm_SRCS := tests/bench/shm.c
$(B)/tests/bench/shm: $(call objs,$(bench_shm_SRCS)) $(B)/lib/libshm.a $(B)/lib/libobj.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $^ $(libobj_LIBS) -ldl -lpthread -o $@

bench-shm: $(B)/tests/bench/shm
	$(Q)$<
.PHONY: bench-shm
