# SPDX-License-Identifier: BSD-3-Clause
# The sources of libobj, one line a file, and what is made of them.
libobj_SRCS := \
	libobj/alloc.c \
	libobj/arena.c \
	libobj/attr.c \
	libobj/call.c \
	libobj/class.c \
	libobj/dump.c \
	libobj/errh.c \
	libobj/ffi_os.c \
	libobj/fork.c \
	libobj/handle.c \
	libobj/jem.c \
	libobj/keyval.c \
	libobj/lock.c \
	libobj/mem_os.c \
	libobj/name.c \
	libobj/page.c \
	libobj/reap.c \
	libobj/ref.c \
	libobj/table.c \
	libobj/thread.c

all: $(B)/lib/libobj.a

$(B)/lib/libobj.a: $(patsubst %.c,$(B)/obj/%.o,$(libobj_SRCS))
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
