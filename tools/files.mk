# SPDX-License-Identifier: BSD-3-Clause
# The programs of tools: every .c file of their folders, and objects of libmpi.

# Written in one place only.
HAFT_VERSION := $(shell sed -n 's/^\#define OBJ_VERSION "\(.*\)"/\1/p' libobj/obj.h)
comma := ,
cflags-tools += -DHAFT_VERSION='"$(HAFT_VERSION)"' -DHAVE_OFI=$(or $(have_ofi),0)

mpiexec_SRCS := $(sort $(wildcard tools/mpiexec/*.c)) \
	libmpi/boot/listen.c \
	libmpi/boot/job_map.c \
	libmpi/prof/cells.c libmpi/prof/clock.c \
	libmpi/core/callsite.c \
	libmpi/core/defaults_file.c \
	libmpi/core/setting_names.c \
	libmpi/core/setting.c \
	libmpi/core/process_state.c

# Debuggers find these in the table of dynamic symbols, which strip(1) keeps.
mpiexec_SHOWN := $(patsubst %,-Wl$(comma)--export-dynamic-symbol=MPIR_%,proctable proctable_size \
	debug_state debug_abort_string being_debugged i_am_starter partial_attach_ok \
	acquired_pre_main executable_path server_arguments Breakpoint)

$(B)/bin/mpiexec: $(call objs,$(mpiexec_SRCS)) $(B)/obj/gen/names.o $(B)/lib/libshm.a $(B)/lib/libnet.a $(B)/lib/libobj.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $(mpiexec_SHOWN) $^ $(libobj_LIBS) -ldl -lpthread -o $@

# Debuggers load it: MPIR_dll_name of libmpi/debug is the way from libmpi_abi to it.
$(B)/lib/haft/libhaft-mqs.so: $(call objs,$(wildcard tools/mqs/*.c))
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared $(ldflags) -Wl,-soname,libhaft-mqs.so $^ -o $@

$(B)/bin/mpirun: $(B)/bin/mpiexec
	$(Q)ln -sf mpiexec $@

# --- mpicc and mpicxx, pkg-config --------------------------------------------------------------
# They find everything from their own place: bin, include and lib of the build directory have the
# same shape as the installed tree.
tools_CXX = $(if $(findstring clang,$(CC)),$(subst clang,clang++,$(CC)),$(subst gcc,g++,$(CC)))
tools_fill = sed -e 's|@VERSION@|$(HAFT_VERSION)|g' -e 's|@COMPILERXX@|$(tools_CXX)|g' \
	-e 's|@STATIC_LIBS@|$(strip $(libmpi_LIBS))|g'
pc_LIBS-mpi := -lmpi_abi
pc_LIBS-mpi-c := -lmpi_abi
pc_LIBS-mpi-cxx := -lmpi_abi
pc_LIBS-mpi-fort := -lmpifort_abi -lmpi_abi
pc_MORE-mpi-cxx := $(comma) the C interface for C++
pc_MORE-mpi-fort := $(comma) mpif.h and modules mpi and mpi_f08
tools_PC := $(patsubst %,$(B)/lib/pkgconfig/%.pc,mpi mpi-c mpi-cxx mpi-fort)
tools_MAN := $(patsubst %,$(B)/man/man1/%.1,mpiexec mpicc mpi-info)

$(B)/bin/mpicc: tools/mpicc/mpicc.in tools/files.mk $(B)/flags
	@mkdir -p $(@D)
	$(Q)$(tools_fill) -e 's|@NAME@|mpicc|g' -e 's|@WHAT@|C|g' -e 's|@VAR@|CC|g' \
		-e 's|@CCOPT@|-cc=|g' -e 's|@COMPILER@|$(CC)|g' \
		-e 's|@LIBS@|mpi_abi|g' -e 's|@FORTRAN@|no|g' $< >$@ && chmod +x $@

$(B)/bin/mpicxx: tools/mpicc/mpicc.in tools/files.mk $(B)/flags
	@mkdir -p $(@D)
	$(Q)$(tools_fill) -e 's|@NAME@|mpicxx|g' -e 's|@WHAT@|C++|g' -e 's|@VAR@|CXX|g' \
		-e 's|@CCOPT@|-cxx=|g' -e 's|@COMPILER@|$(tools_CXX)|g' \
		-e 's|@LIBS@|mpi_abi|g' -e 's|@FORTRAN@|no|g' $< >$@ && chmod +x $@

$(B)/bin/mpic++ $(B)/bin/mpiCC: $(B)/bin/mpicxx
	$(Q)ln -sf mpicxx $@

# Fortran's wrapper is there also where its compiler is not: it says so when it is used.
$(B)/bin/mpifort: tools/mpicc/mpicc.in tools/files.mk $(B)/flags
	@mkdir -p $(@D)
	$(Q)$(tools_fill) -e 's|@NAME@|mpifort|g' -e 's|@WHAT@|Fortran|g' -e 's|@VAR@|FC|g' \
		-e 's|@CCOPT@|-fc=|g' -e 's|@COMPILER@|$(FC)|g' \
		-e 's|@LIBS@|mpifort_abi mpi_abi|g' -e 's|@FORTRAN@|yes|g' $< >$@ && chmod +x $@

$(B)/bin/mpif90 $(B)/bin/mpif77 $(B)/bin/mpifc: $(B)/bin/mpifort
	$(Q)ln -sf mpifort $@

$(B)/lib/pkgconfig/%.pc: tools/mpicc/mpi.pc.in tools/files.mk $(B)/flags
	@mkdir -p $(@D)
	$(Q)$(tools_fill) -e 's|@NAME@|$*|g' -e 's|@COMPILER@|$(CC)|g' \
		-e 's|@MORE@|$(pc_MORE-$*)|g' -e 's|@LIBS@|$(pc_LIBS-$*)|g' -e 's|@FC@|$(FC)|g' $< >$@

# --- mpi-info ------------------------------------------------------------------------------------
info_SRCS := $(sort $(wildcard tools/info/*.c)) libmpi/core/defaults_file.c libmpi/core/setting_names.c \
	libmpi/core/setting.c libmpi/core/process_state.c

# Linked again by install, where the library may be in another place: $(call info_link,RUNPATH) -o
# FILE.
info_OBJS := $(call objs,$(info_SRCS)) $(B)/lib/libobj.a
info_link  = $(CC) $(ldflags) $(info_OBJS) $(1) -L$(B)/lib -lmpi_abi $(libobj_LIBS) -ldl -lpthread
$(B)/bin/mpi-info: $(info_OBJS) $(B)/lib/libmpi_abi.so
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(call info_link,'-Wl$(comma)-rpath$(comma)$$ORIGIN/../lib') -o $@

# --- man pages, all, install ---------------------------------------------------------------------
$(B)/man/man1/%.1: tools/man/%.1 tools/files.mk
	@mkdir -p $(@D)
	$(Q)sed -e 's|@VERSION@|$(HAFT_VERSION)|g' $< >$@

tools_ALIAS := mpirun=mpiexec mpic++=mpicxx mpiCC=mpicxx mpif90=mpifort mpif77=mpifort mpifc=mpifort
tools_WRAP  := mpicc mpicxx mpifort
tools_BIN   := mpiexec mpi-info $(tools_WRAP) $(foreach a,$(tools_ALIAS),$(firstword $(subst =, ,$(a))))

tools_WORDS := $(patsubst %,$(B)/completion/mpiexec.%,bash zsh fish)
# Beside bin, as installed: mpiexec -gdb loads the command mpi.
$(B)/share/haft/gdb.py: libmpi/debug/mpi_gdb.py
$(B)/share/haft/libobj_gdb.py: libobj/gdb.py
$(B)/share/haft/gdb.py $(B)/share/haft/libobj_gdb.py:
	@mkdir -p $(@D)
	$(Q)cp $< $@

all: $(B)/lib/haft/libhaft-mqs.so $(B)/share/haft/gdb.py $(B)/share/haft/libobj_gdb.py
all: $(tools_BIN:%=$(B)/bin/%) $(tools_PC) $(tools_MAN) $(tools_WORDS)

# Bash and fish load the file of a command's name when it is completed first; zsh reads in the first
# line of each file which commands it is for.  SUFFIX is ours, the names without it may be another
# MPI's.
$(tools_WORDS): $(B)/completion/mpiexec.%: $(B)/bin/mpiexec
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)HAFT_CONF=none $< -completion $* >$@
tools_BASH = $(call dest,$(DATADIR)/bash-completion/completions)
tools_ZSH  = $(call dest,$(DATADIR)/zsh/site-functions)
tools_FISH = $(call dest,$(DATADIR)/fish/vendor_completions.d)

# mpi-info has no suffix: it is ours alone.
install-tools:
	install -d $(call dest,$(BINDIR)) $(call dest,$(DEVDIR))/pkgconfig $(call dest,$(MANDIR))/man1
	install -m 755 $(B)/bin/mpiexec $(call dest,$(BINDIR))/mpiexec$(SUFFIX)
	install -d $(call dest,$(LIBDIR))/haft $(call dest,$(DATADIR))/haft
	install -m 644 $(B)/lib/haft/libhaft-mqs.so $(call dest,$(LIBDIR))/haft/
	install -m 644 $(B)/share/haft/gdb.py $(B)/share/haft/libobj_gdb.py $(call dest,$(DATADIR))/haft/
	$(call info_link,"$$($(layout) tools/pack/layout.sh runpath)") -o $(call dest,$(BINDIR))/mpi-info
	chmod 755 $(call dest,$(BINDIR))/mpi-info
	for n in $(tools_WRAP); do \
		$(layout) tools/pack/layout.sh wrapper $(B)/bin/$$n $(call dest,$(BINDIR))/$$n$(SUFFIX) || exit 1; done
	for a in $(tools_ALIAS); do \
		ln -sf "$${a#*=}$(SUFFIX)" $(call dest,$(BINDIR))/"$${a%=*}$(SUFFIX)"; done
	for p in $(tools_PC); do \
		$(layout_pc) $$p $(call dest,$(DEVDIR))/pkgconfig/ || exit 1; done
	for p in mpiexec mpicc; do \
		install -m 644 $(B)/man/man1/$$p.1 $(call dest,$(MANDIR))/man1/$$p$(SUFFIX).1; done
	install -m 644 $(B)/man/man1/mpi-info.1 $(call dest,$(MANDIR))/man1/
	ln -sf mpiexec$(SUFFIX).1 $(call dest,$(MANDIR))/man1/mpirun$(SUFFIX).1
	$(if $(SUFFIX),,install -d $(call dest,$(DATADIR))/modulefiles/haft && \
		install -m 644 tools/pack/modulefile $(call dest,$(DATADIR))/modulefiles/haft/$(HAFT_VERSION))
	install -d $(tools_BASH) $(tools_ZSH) $(tools_FISH)
	install -m 644 $(B)/completion/mpiexec.bash $(tools_BASH)/mpiexec$(SUFFIX)
	install -m 644 $(B)/completion/mpiexec.fish $(tools_FISH)/mpiexec$(SUFFIX).fish
	for n in mpirun$(SUFFIX) mpi-info; do \
		ln -sf mpiexec$(SUFFIX) $(tools_BASH)/$$n; \
		ln -sf mpiexec$(SUFFIX).fish $(tools_FISH)/$$n.fish; done
	sed '1s/\(mpiexec\|mpirun\)/&$(SUFFIX)/g' $(B)/completion/mpiexec.zsh >$(tools_ZSH)/_haft
	chmod 644 $(tools_ZSH)/_haft
	for n in mpicxx mpic++ mpiCC mpifort mpif90 mpif77 mpifc; do \
		ln -sf mpicc$(SUFFIX).1 $(call dest,$(MANDIR))/man1/$$n$(SUFFIX).1; done
