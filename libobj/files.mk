# SPDX-License-Identifier: BSD-3-Clause
# The sources of libobj, one line a file, and what is made of them.
libobj_SRCS := \
	libobj/class.c \
	libobj/handle.c \
	libobj/later.c \
	libobj/lock.c \
	libobj/mem_os.c \
	libobj/name.c \
	libobj/reap.c \
	libobj/ref.c \
	libobj/table.c \
	libobj/thread.c

all: $(B)/lib/libobj.a

$(B)/lib/libobj.a: $(patsubst %.c,$(B)/obj/%.o,$(libobj_SRCS))
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
