# SPDX-License-Identifier: BSD-3-Clause
# The sources of libmpi: every .c file of its folders; then the generator, the libraries, the man
# pages.

# --- sources -----------------------------------------------------------------------------------
# Libfabric's headers are needed for HAFT_VIA=ofi only; without them it says so.
have_ofi := $(shell $(CC) -include rdma/fi_tagged.h -E -x c /dev/null >/dev/null 2>&1 && echo 1)
# The calls of libfabric, or the file that says that there are none.
libmpi_FAB := libmpi/via/libfabric.c libmpi/via/libfabric_stub.c
libmpi_SRCS := $(filter-out libmpi/api/% libmpi/fort/% $(libmpi_FAB),$(sort $(wildcard libmpi/*/*.c)))
libmpi_SRCS += $(if $(have_ofi),libmpi/via/libfabric.c,libmpi/via/libfabric_stub.c)

# The loops of reductions and of packing are worth the vectoriser's full effort.
$(B)/obj/libmpi/coll/op_loops.o: cflags-libmpi += -O3 -fopenmp-simd -Wno-pass-failed
$(B)/obj/libmpi/type/kernel.o $(B)/obj/libmpi/type/kernel_wide_os.o: cflags-libmpi += -O3

# --- the table of facts and its generator --------------------------------------------------------
# A program of the build: it reads libmpi/api/*.def (as C) and writes into $(B)/gen.
gen_SRCS := $(sort $(wildcard libmpi/api/*.c))
gen_CHAPTERS := p2p part type coll comm topo env info dyn rma ext io tool old lang abi ft
gen_HDRS += $(B)/include/mpi.h $(B)/include/mpi-ext.h $(B)/include/haft/qmpi.h $(B)/gen/engine.h $(B)/gen/raw.h $(B)/gen/names.h
gen_BIND := $(gen_CHAPTERS:%=$(B)/gen/bind_%.c) $(gen_CHAPTERS:%=$(B)/gen/qmpi_%.c) $(B)/gen/names.c $(B)/gen/qmpi_own.c
gen = $(B)/dev/gen

$(gen): $(gen_SRCS:%.c=$(B)/obj/%.o)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $^ -o $@

$(B)/include/mpi.h $(B)/include/mpi-ext.h $(B)/include/haft/qmpi.h: $(gen)
$(B)/gen/engine.h $(B)/gen/raw.h $(B)/gen/names.h: $(gen)
$(B)/gen/names.c $(B)/gen/qmpi_own.c $(B)/gen/map $(B)/gen/list $(B)/gen/abi.c $(B)/gen/none.c $(B)/gen/garbage.c: $(gen)
$(B)/include/mpi.h $(B)/include/mpi-ext.h $(B)/include/haft/qmpi.h \
$(B)/gen/engine.h $(B)/gen/raw.h $(B)/gen/names.h $(B)/gen/names.c $(B)/gen/qmpi_own.c \
$(B)/gen/map $(B)/gen/list $(B)/gen/abi.c $(B)/gen/none.c $(B)/gen/garbage.c:
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(gen) $(@F) >$@.new && if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
	@touch $@

$(gen_CHAPTERS:%=$(B)/gen/bind_%.c): $(B)/gen/bind_%.c: $(gen)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(gen) bind $* >$@

$(gen_CHAPTERS:%=$(B)/gen/qmpi_%.c): $(B)/gen/qmpi_%.c: $(gen)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(gen) qmpi $* >$@

# --- the library ---------------------------------------------------------------------------------
# libmpi_abi.so.1 is the name of the standard ABI; libmpi.so is the same under its old name.  Inside
# are libobj, libshm, libnet and the unwinder (core/stack_page.c: one library less to load in each
# rank), and nothing but MPI_*, PMPI_*, QMPI_*, haft_fort_* (core/language.h) and MPIR_* (debug) can
# be seen.
# Functions that are HAFT_HOT lie in the order of the objects.  Those of messages come first: then
# the code of a waiting rank, from libmpi/coll to libshm, is on few pages.
libmpi_MESSAGES = $(addprefix libmpi/p2p/,completion.c deliver.c pt2pt.c recv.c)
libmpi_ORDERED = $(libmpi_MESSAGES) $(filter-out $(libmpi_MESSAGES),$(libmpi_SRCS))
libmpi_OBJS = $(libmpi_ORDERED:%.c=$(B)/obj/%.o) $(gen_BIND:$(B)/gen/%.c=$(B)/obj/gen/%.o)
libmpi_PARTS = $(libmpi_OBJS) $(B)/obj/libobj.whole.o $(B)/obj/libshm.whole.o \
	$(B)/obj/libnet.whole.o
libmpi_LIBS = $(libobj_LIBS) -ldl -lpthread

all: $(B)/lib/libmpi_abi.so $(B)/lib/libmpi.so $(B)/lib/libmpi_abi.a $(B)/lib/libmpi.a $(B)/man/man3/done

# nodelete: threads that end later run code of this library.  initfirst: boot/fork_server_os.c.
$(B)/lib/libmpi_abi.so.1: $(libmpi_PARTS) $(B)/gen/map
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -static-libgcc $(ldflags) -Wl,-soname,libmpi_abi.so.1 -Wl,-z,nodelete \
		$(if $(san),,-Wl,-z,initfirst) -Xlinker --version-script=$(B)/gen/map $(libmpi_PARTS) $(libmpi_LIBS) -o $@

$(B)/lib/libmpi_abi.so $(B)/lib/libmpi.so: $(B)/lib/libmpi_abi.so.1
	$(Q)ln -sf libmpi_abi.so.1 $@

# The libraries below, each as one object that shows its own prefix only: their inner names may
# meet.
$(B)/obj/libobj.whole.o: $(libobj_SRCS:%.c=$(B)/obj/%.o)
	$(call say,LD,$@)
	$(Q)$(relink) -o $@ $^ && objcopy -w --keep-global-symbol='obj_*' $@

$(B)/obj/libshm.whole.o: $(libshm_SRCS:%.c=$(B)/obj/%.o)
	$(call say,LD,$@)
	$(Q)$(relink) -o $@ $^ && objcopy -w --keep-global-symbol='shm_*' $@

$(B)/obj/libnet.whole.o: $(libnet_SRCS:%.c=$(B)/obj/%.o)
	$(call say,LD,$@)
	$(Q)$(relink) -o $@ $^ && objcopy -w --keep-global-symbol='net_*' $@

# One object with all others inside, so that the linker cannot see their names either.
$(B)/obj/libmpi.o: $(libmpi_PARTS)
	$(call say,LD,$@)
	$(Q)$(relink) -o $@ $^ && objcopy -w --keep-global-symbol='MPI_*' \
		--keep-global-symbol='PMPI_*' --keep-global-symbol='MPIX_*' \
		--keep-global-symbol='PMPIX_*' --keep-global-symbol='QMPI_*' \
		--keep-global-symbol='QMPIX_*' --keep-global-symbol='haft_fort_*' \
		--keep-global-symbol='MPIR_*' $@

$(B)/lib/libmpi_abi.a: $(B)/obj/libmpi.o
	$(call say,AR,$@)
	@mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $<

$(B)/lib/libmpi.a: $(B)/lib/libmpi_abi.a
	$(Q)ln -sf libmpi_abi.a $@

$(B)/man/man3/done: $(gen)
	$(call say,GEN,$(@D))
	@mkdir -p $(@D)
	$(Q)$(gen) man $(@D) && touch $@

# The functions for tools (QMPI) have one page, written by hand: their table has only numbers.
qmpi_page := QMPI_Register_function
$(B)/man/man3/$(qmpi_page).3: tools/man/$(qmpi_page).3 $(B)/man/man3/done
	$(call say,MAN,$@)
	$(Q)cp $< $@
	$(Q)for f in QMPI_Register_tool_name QMPI_Get_function QMPI_Register_tool_storage \
		QMPI_Get_tool_storage QMPI_Get_calling_address; do \
		echo '.so man3/$(qmpi_page).3' >$(@D)/$$f.3; done

# The man page of the settings, from their own table.
$(B)/dev/settings_man: $(call objs,tools/man/settings_man.c libmpi/core/setting.c \
	libmpi/core/setting_names.c libmpi/core/defaults_file.c libmpi/core/process_state.c)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $^ -lpthread -o $@

$(B)/man/man7/haft-settings.7: $(B)/dev/settings_man
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$< >$@

# The man page of the error classes, from theirs.
$(B)/man/man7/haft-classes.7: $(gen)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(gen) classes.7 >$@

# The man pages of topics.
$(B)/man/man7/%.7: tools/man/%.7
	$(call say,MAN,$@)
	@mkdir -p $(@D)
	$(Q)cp $< $@

man7 := $(B)/man/man7/haft-settings.7 $(B)/man/man7/haft-classes.7 $(patsubst tools/man/%,$(B)/man/man7/%,$(sort $(wildcard tools/man/*.7)))
all: $(man7) $(B)/man/man3/$(qmpi_page).3

install-libmpi:
	$(Q)install -d $(call dest,$(INCLUDEDIR))/haft $(call dest,$(LIBDIR)) $(call dest,$(DEVDIR)) \
		$(call dest,$(MANDIR))/man3 $(call dest,$(MANDIR))/man7
	$(Q)install -m 644 $(B)/include/mpi.h $(B)/include/mpi-ext.h $(call dest,$(INCLUDEDIR))/
	$(Q)install -m 644 $(B)/include/haft/qmpi.h $(call dest,$(INCLUDEDIR))/haft/
	$(Q)install -m 755 $(B)/lib/libmpi_abi.so.1 $(call dest,$(LIBDIR))/
	$(Q)install -m 644 $(B)/lib/libmpi_abi.a $(call dest,$(DEVDIR))/
	$(Q)for l in libmpi_abi.so libmpi.so; do \
		$(layout) tools/pack/layout.sh link libmpi_abi.so.1 $(call dest,$(DEVDIR))/$$l; done
	$(Q)ln -sf libmpi_abi.a $(call dest,$(DEVDIR))/libmpi.a
	$(Q)install -m 644 $(B)/man/man3/*.3 $(call dest,$(MANDIR))/man3/
	$(Q)install -m 644 $(man7) $(call dest,$(MANDIR))/man7/

# How much of MPI there is.
coverage: $(B)/gen/list
	$(Q)awk -f libmpi/api/coverage.awk $<
.PHONY: coverage

include libmpi/fort/files.mk
