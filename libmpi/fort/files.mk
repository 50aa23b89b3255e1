# SPDX-License-Identifier: BSD-3-Clause
# Fortran: libmpifort_abi.so.1, mpif.h, the modules.  None of it needs a Fortran compiler but the
# .mod files, which mpifort makes for itself where there are none.

# Procedures: compiled twice, as mpi_x_ over MPI_x and as pmpi_x_ over PMPI_x.
fort_TWICE := libmpi/fort/fort_attr.c libmpi/fort/fort_callback.c libmpi/fort/by_hand.c

# All other files: compiled once.
fort_SRCS := $(filter-out $(fort_TWICE),$(sort $(wildcard libmpi/fort/*.c)))

fort_GEN  := $(gen_CHAPTERS:%=$(B)/gen/fort_%.c)
fort_OBJS  = $(fort_SRCS:%.c=$(B)/obj/%.o) \
	$(foreach p,mpi pmpi,$(fort_TWICE:libmpi/fort/%.c=$(B)/obj/fort/$(p)/%.o) \
		$(fort_GEN:$(B)/gen/%.c=$(B)/obj/fort/$(p)/%.o))

$(fort_GEN): $(B)/gen/fort_%.c: $(gen)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(gen) fort $* >$@

# -fno-plt: a procedure is little more than a call into the other library.
fort_cflags-mpi  := -DFORT_p= -DFORT_P=
fort_cflags-pmpi := -DFORT_p=p -DFORT_P=P
fort_compile = $(CC) $(cflags) -fno-plt $(cflags-libmpi) -I. -I$(B)/gen -I$(B)/include -MMD -MP -c $< -o $@

define fort_rules
$(B)/obj/fort/$(1)/%.o: $(B)/gen/%.c $(B)/flags | $(gen_HDRS)
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$(Q)$$(fort_compile) $(fort_cflags-$(1))

$(B)/obj/fort/$(1)/%.o: libmpi/fort/%.c $(B)/flags | $(gen_HDRS)
	$$(call say,CC,$$@)
	@mkdir -p $$(@D)
	$(Q)$$(fort_compile) $(fort_cflags-$(1))
endef
$(foreach p,mpi pmpi,$(eval $(call fort_rules,$(p))))

# Linked again by install: where loaders look by themselves it has no run path.
fort_link = $(CC) -shared $(ldflags) -Wl,-soname,libmpifort_abi.so.1 $(1) $(fort_OBJS) -L$(B)/lib -lmpi_abi
$(B)/lib/libmpifort_abi.so.1: $(fort_OBJS) $(B)/lib/libmpi_abi.so
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(call fort_link,'-Wl$(comma)-rpath$(comma)$$ORIGIN') -o $@

$(B)/lib/libmpifort_abi.so $(B)/lib/libmpifort.so: $(B)/lib/libmpifort_abi.so.1
	$(Q)ln -sf libmpifort_abi.so.1 $@

$(B)/lib/libmpifort_abi.a: $(fort_OBJS)
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/lib/libmpifort.a: $(B)/lib/libmpifort_abi.a
	$(Q)ln -sf libmpifort_abi.a $@

# The modules' sources are installed; a compiler that is here makes the .mod files for itself now.
# Their objects hold what compilers derive from types (vtables), and nothing of ours.
fort_FC  := $(shell command -v $(FC) 2>/dev/null)
fort_F90 := $(B)/include/haft/mpi.f90 $(B)/include/haft/mpi_f08.f90
fort_MOD := $(patsubst %,$(B)/include/%.mod,mpi_fort_types mpi mpi_f08)

$(fort_F90): $(gen)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(gen) $(@F) >$@.new && if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
	@touch $@

$(B)/include/haft/compiler: $(fort_F90)
	$(call say,FC,$(fort_MOD))
	@mkdir -p $(B)/obj/fort
	$(Q)for m in mpi mpi_f08; do \
		$(FC) $(FCFLAGS) -fPIC -J$(B)/include -c $(B)/include/haft/$$m.f90 -o $(B)/obj/fort/$$m.o || exit 1; done
	$(Q)rm -f $(B)/lib/libmpifort_mod.a && \
		$(AR) rcs $(B)/lib/libmpifort_mod.a $(B)/obj/fort/mpi.o $(B)/obj/fort/mpi_f08.o
	$(Q)$(FC) --version | head -n 1 >$@

ifeq ($(fort_FC),)
all: fort-off
fort-off:
	@echo 'no $(FC) here: Fortran programs are served by mpif.h, and by modules that mpifort makes'
.PHONY: fort-off
else
all: $(B)/include/haft/compiler
endif
all: $(fort_F90)

fort_LIBS := $(patsubst %,$(B)/lib/libmpifort%,_abi.so .so _abi.a .a)
fort_INC  := $(B)/include/mpif.h

$(fort_INC): $(gen)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(gen) $(@F) >$@.new && if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
	@touch $@

all: $(fort_LIBS) $(fort_INC)

install-libmpi: install-fort
install-fort: all
	$(Q)install -d $(call dest,$(INCLUDEDIR))/haft $(call dest,$(LIBDIR)) $(call dest,$(DEVDIR))
	$(Q)install -m 644 $(fort_F90) $(call dest,$(INCLUDEDIR))/haft/
	$(if $(fort_FC),$(Q)install -m 644 $(fort_MOD) $(call dest,$(INCLUDEDIR))/)
	$(if $(fort_FC),$(Q)install -m 644 $(B)/include/haft/compiler $(call dest,$(INCLUDEDIR))/haft/)
	$(if $(fort_FC),$(Q)install -m 644 $(B)/lib/libmpifort_mod.a $(call dest,$(DEVDIR))/)
	$(Q)install -m 644 $(fort_INC) $(call dest,$(INCLUDEDIR))/
	$(Q)$(call fort_link,"$$($(layout) tools/pack/layout.sh beside)") -o $(call dest,$(LIBDIR))/libmpifort_abi.so.1
	$(Q)chmod 755 $(call dest,$(LIBDIR))/libmpifort_abi.so.1
	$(Q)install -m 644 $(B)/lib/libmpifort_abi.a $(call dest,$(DEVDIR))/
	$(Q)for l in libmpifort_abi.so libmpifort.so; do \
		$(layout) tools/pack/layout.sh link libmpifort_abi.so.1 $(call dest,$(DEVDIR))/$$l; done
	$(Q)ln -sf libmpifort_abi.a $(call dest,$(DEVDIR))/libmpifort.a
.PHONY: install-fort
