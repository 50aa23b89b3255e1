# SPDX-License-Identifier: BSD-3-Clause
# The sources of tools, one line a file.

HAFT_VERSION ?= 0.1.0
cflags-tools += -DHAFT_VERSION='"$(HAFT_VERSION)"'

mpiexec_SRCS := \
	tools/mpiexec/find.c \
	tools/mpiexec/guard.c \
	tools/mpiexec/hosts.c \
	tools/mpiexec/job.c \
	tools/mpiexec/main.c \
	tools/mpiexec/out.c \
	tools/mpiexec/plan.c \
	tools/mpiexec/roll.c \
	tools/mpiexec/spawn.c

$(B)/bin/mpiexec: $(call objs,$(mpiexec_SRCS)) $(B)/lib/libshm.a $(B)/lib/libobj.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $^ $(libobj_LIBS) -ldl -lpthread -o $@

$(B)/bin/mpirun: $(B)/bin/mpiexec
	$(Q)ln -sf mpiexec $@

all: $(if $(libshm_SRCS),tools)
tools: $(B)/bin/mpiexec $(B)/bin/mpirun
.PHONY: tools
