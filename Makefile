# SPDX-License-Identifier: BSD-3-Clause
# Makefile - the whole build: plain, non-recursive GNU make.
#
#   make                 the libraries, headers, tools and man pages, in build/release
#   make demo | check    the two commands of the README (both install what is missing first)
#   make lint            layers, names, budgets, headers alone, format
#   FLAVOUR=release|debug   SAN=address|undefined|thread   MEAN=1   CC=clang   V=1
#
# One build directory a flavour.  Each folder lists its sources in a files.mk, one line a file;
# that list is the only thing to touch when a file is added.

FLAVOUR ?= release
SAN     ?=
MEAN    ?=
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))
PREFIX  ?= /usr/local
DESTDIR ?=
B       := build/$(FLAVOUR)$(if $(SAN),-$(SAN))$(if $(MEAN),-mean)$(if $(findstring clang,$(CC)),-clang)
Q       := $(if $(V),,@)
say      = $(if $(V),,@printf '%-5s %s\n' $(1) '$(2)')

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
all:

# --- flags -------------------------------------------------------------------------------------
warn    := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla \
	-Wwrite-strings -Wundef $(if $(WERROR),-Werror)
opt-release := -O2 -g
opt-debug   := -O1 -g3 -fno-omit-frame-pointer -DHAFT_DEBUG=1
san         := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
CFLAGS  ?=
LDFLAGS ?=
cflags  := -std=gnu11 -fPIC -fvisibility=hidden -ftls-model=initial-exec -D_GNU_SOURCE $(warn) \
	$(opt-$(FLAVOUR)) $(san) $(if $(MEAN),-DHAFT_MEAN=1) $(CFLAGS)
ldflags := $(san) -Wl,-z,now -Wl,-z,relro -Wl,--as-needed $(LDFLAGS)

# --- what there is -----------------------------------------------------------------------------
# Every files.mk defines X_SRCS (paths from the top) for its library or program.
include libobj/files.mk libshm/files.mk libnet/files.mk libmpi/files.mk tools/files.mk tests/files.mk

# Objects of one list of sources: $(call objs,$(X_SRCS)).
objs = $(patsubst %.c,$(B)/obj/%.o,$(1))

# Compile.  -I. so that includes name the folder ("libobj/obj.h"); $(cflags-DIR) adds to one folder.
$(B)/obj/%.o: %.c
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(CC) $(cflags) $(cflags-$(firstword $(subst /, ,$<))) -I. -I$(B)/gen -I$(B)/include -MMD -MP -c $< -o $@

clean:
	$(Q)rm -rf build
.PHONY: all clean

-include $(shell find $(B) -name '*.d' 2>/dev/null)
