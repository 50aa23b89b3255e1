# SPDX-License-Identifier: BSD-3-Clause
# Makefile - the whole build: plain, non-recursive GNU make.
#
#   make                 the libraries, headers, tools and man pages, in build/release
#   make demo | check    the two commands of the README (both install missing packages first)
#   make help            all targets
#   FLAVOUR=release|debug   MEAN=1   CC=clang   V=1   WERROR=1
#   SAN=address|undefined|thread|address,undefined
#   CPPFLAGS CFLAGS LDFLAGS FCFLAGS, as a distribution sets them
#   DESTDIR PREFIX BINDIR LIBDIR DEVDIR INCLUDEDIR MANDIR DATADIR SUFFIX: see "install" below
#
# One build directory a flavour.  Every .c file of a folder is built: each files.mk takes them by
# wildcard and names the exceptions.

FLAVOUR ?= release
SAN     ?=
MEAN    ?=
comma   := ,
CC      := $(if $(filter default,$(origin CC)),gcc,$(CC))
FC      := $(if $(filter default,$(origin FC)),gfortran,$(FC))
B       := build/$(FLAVOUR)$(if $(SAN),-$(subst $(comma),-,$(SAN)))$(if $(MEAN),-mean)$(if $(findstring clang,$(CC)),-clang)
Q       := $(if $(V),,@)
say      = $(if $(V),,@printf '%-5s %s\n' $(1) '$(2)')

$(if $(filter release debug,$(FLAVOUR)),,$(error FLAVOUR is release or debug, not `$(FLAVOUR)'))
$(if $(filter-out address undefined thread address$(comma)undefined,$(SAN)),$(error \
	SAN is address, undefined, thread, or address$(comma)undefined))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
all:

# --- flags -------------------------------------------------------------------------------------
warn    := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla \
	-Wwrite-strings -Wundef $(if $(WERROR),-Werror)
opt-release := -O2 -g
opt-debug   := -O1 -g3 -fno-omit-frame-pointer -DHAFT_DEBUG=1
# ThreadSanitizer does not model fences, and gcc warns of each.  Where a fence causes a false
# report, shm_fence is an exchange.
warn        += $(if $(filter thread,$(SAN)),$(if $(findstring clang,$(CC)),,-Wno-tsan))
san         := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all)
# Intel's erratum SKX102: a branch across a 32-byte boundary is decoded again each time.  That costs
# 1 of the 3 ns of a call from Fortran, 3 of the 33 ns of a put, a tenth of the rate of small
# messages.
align       := $(shell for f in -mbranches-within-32B-boundaries -Wa,-mbranches-within-32B-boundaries; do \
	$(CC) -Werror $$f -c -x c /dev/null -o /dev/null 2>/dev/null && echo $$f && break; done)
# x86: __builtin_prefetch(p, 1) asks for the line to be written.  Without it, gcc asks for a copy.
prfchw      := $(shell $(CC) -Werror -mprfchw -c -x c /dev/null -o /dev/null 2>/dev/null && echo -mprfchw)
CPPFLAGS ?=
CFLAGS   ?=
LDFLAGS  ?=
FCFLAGS  ?= -O1
# With -flto an object has its machine code, too: for programs that another compiler links, and for
# tests whose --wrap replaces calls, which the linker must see.
fat     := $(if $(findstring -flto,$(CFLAGS)),$(shell $(CC) -Werror -flto -ffat-lto-objects -c -x c /dev/null \
	-o /dev/null 2>/dev/null && echo -ffat-lto-objects))
wrap     = $(1:%=-Wl,--wrap=%) $(if $(fat),-fno-lto)
cflags  := -std=gnu11 -fPIC -fvisibility=hidden -ftls-model=initial-exec -D_GNU_SOURCE $(warn) \
	$(opt-$(FLAVOUR)) $(align) $(prfchw) $(san) $(if $(MEAN),-DHAFT_MEAN=1) $(CPPFLAGS) $(CFLAGS) $(fat)
ldflags := $(san) -Wl,-z,now -Wl,-z,relro -Wl,--as-needed $(LDFLAGS)

# One object of several, whose names objcopy can then hide.  With -flto it must be machine code: gcc
# would leave its own language in it, and names of that language's symbols that nothing defines.
relink = $(CC) -r -nostdlib $(if $(findstring -flto,$(CFLAGS)),$(CFLAGS) $(nolto-rel))
nolto-rel = $(shell echo 'int x;' | $(CC) -flto -r -nostdlib -flinker-output=nolto-rel -x c - -o /dev/null 2>/dev/null && \
	echo -flinker-output=nolto-rel)

# Objects of one list of sources: $(call objs,$(X_SRCS)).
objs = $(patsubst %.c,$(B)/obj/%.o,$(1))

# --- what there is -----------------------------------------------------------------------------
# Every files.mk defines X_SRCS (paths from the top) for its library or program, and says in
# gen_HDRS which generated headers must exist before anything but the generator is compiled.
gen_HDRS :=
include libobj/files.mk libshm/files.mk libnet/files.mk libmpi/files.mk tools/files.mk tests/files.mk

# All sources that are listed anywhere, and the objects that may include a generated header.
all_SRCS := $(sort $(foreach v,$(filter %_SRCS,$(filter-out all_SRCS,$(.VARIABLES))),$($(v))) \
	$(unit_TESTS) $(mpi_TESTS))
$(call objs,$(filter-out libobj/% libshm/% libmpi/api/%,$(filter %.c,$(all_SRCS)))): | $(gen_HDRS)

# --- compile -----------------------------------------------------------------------------------
# -I. so that includes name the folder ("libobj/obj.h"); $(cflags-DIR) adds to one folder.
compile = $(CC) $(cflags) $(cflags-$(firstword $(subst /, ,$<))) -I. -I$(B)/gen -I$(B)/include \
	-MMD -MP -c $< -o $@

$(B)/obj/%.o: %.c $(B)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(compile)

$(B)/obj/gen/%.o: $(B)/gen/%.c $(B)/flags | $(gen_HDRS)
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(compile)

cflags-all = $(foreach d,libobj libshm libnet libmpi tools tests,$(cflags-$(d)))

# Changes when the compiler or its flags do; every object depends on it.  The first time it also
# looks for required headers, so that the error names packages and not files.
needs := ffi.h:libffi-dev hwloc.h:libhwloc-dev
$(B)/flags: force
	@mkdir -p $(@D)
	@echo '$(CC) $(filter-out -Werror,$(cflags)) / $(ldflags) /$(cflags-all)' | cmp -s - $@ || { \
		command -v $(firstword $(CC)) >/dev/null || { \
			echo "make: there is no $(firstword $(CC)) here" >&2; \
			lacks=" gcc libc6-dev libffi-dev libhwloc-dev pkg-config"; }; \
		for n in $(needs); do \
			case $$lacks in *gcc*) ;; *) $(CC) $(cflags-all) -include $${n%:*} -E -x c /dev/null \
				>/dev/null 2>&1 || lacks="$$lacks $${n#*:}" ;; esac; \
		done; \
		if [ -n "$$lacks" ]; then \
			echo "make: headers or tools of packages are missing.  On Debian and Ubuntu:" >&2; \
			echo "    apt-get install$$lacks" >&2; \
			echo "tools/dev/packages.txt says what each is for; make demo and make check install them." >&2; \
			exit 1; \
		fi; \
		echo '$(CC) $(filter-out -Werror,$(cflags)) / $(ldflags) /$(cflags-all)' > $@; }

# --- dependencies, the two commands, the house's checks ------------------------------------------
# A second make, because the first has asked pkg-config before the packages were installed.
deps = $(Q)tools/dev/deps.sh $(1)
sub  = +$(Q)$(MAKE) --no-print-directory

# Those second makes share a build directory: of several such goals (make -j8 lint check) each waits
# for the one before it.
again := $(filter demo lint html deb bench check check-%,$(MAKECMDGOALS))
each_after = $(if $(word 2,$(1)),$(eval $(word 2,$(1)): | $(firstword $(1)))$(call \
	each_after,$(wordlist 2,$(words $(1)),$(1))))
$(call each_after,$(filter-out check-models check-cross check-full,$(again)))
$(again): | $(filter all tests,$(MAKECMDGOALS))

# The tests in every flavour; warnings are errors.
flavours := FLAVOUR=release FLAVOUR=debug SAN=address SAN=undefined SAN=thread MEAN=1 CC=clang
check-all:
	$(call deps,build check clang)
	+$(Q)bad=; for f in $(flavours); do \
		echo "--- $$f"; \
		$(MAKE) --no-print-directory WERROR=1 $$f run-check || bad="$$bad $$f"; \
	done; \
	if [ -n "$$bad" ]; then echo "failed:$$bad"; exit 1; fi; \
	echo "passed in every flavour: $(flavours)"

# Checks that take too long for every day.
check-full: check-models check-cross sim-net
	$(sub) check-all

check-models:
	$(call deps,build full)
	$(Q)libshm/model/check.sh $(B)

# The libraries compiled for a processor with a weaker memory order and other sizes of C types.
# Sources that include headers of packages for this machine only are left out.
cross_CC   := aarch64-linux-gnu-gcc
cross_SRCS  = $(filter-out libobj/ffi_os.c libmpi/core/hardware.c, \
	$(libobj_SRCS) $(libshm_SRCS) $(libnet_SRCS) $(filter libmpi/%,$(libmpi_SRCS)))
check-cross: all
	$(call deps,build full)
	$(Q)n=0; for f in $(cross_SRCS); do n=$$((n + 1)); \
		$(cross_CC) $(filter-out $(align),$(cflags)) $(cflags-all) -fopenmp-simd -Werror -I. -I$(B)/gen -I$(B)/include \
			-c $$f -o $(B)/cross.o || exit 1; \
	done; rm -f $(B)/cross.o; echo "$(cross_CC): $$n files without a warning"
.PHONY: check-full check-models check-cross

demo:
	$(call deps,build demo)
	$(sub) run-demo

check:
	$(call deps,build check)
	$(sub) run-check

# Tests under other launchers; without these installed they are skipped.
check-launch:
	$(call deps,build check launch)
	$(sub) run-check T=launch/

# Built with -Werror; in a clean checkout that means all objects.
lint:
	$(call deps,build check lint)
	$(sub) WERROR=1 run-lint

run-lint: all tests $(B)/dev/lint
	$(Q)$(B)/dev/lint -b $(B) -c '$(CC)' $(RULE:%=-r %) $(WHERE)

dev_SRCS := $(sort $(wildcard tools/dev/*.c))
$(B)/dev/lint: $(call objs,$(dev_SRCS))
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $^ -o $@

# --- install -------------------------------------------------------------------------------------
# Run-time libraries go to LIBDIR; .so links for linkers, .a files and modules' code to DEVDIR; .pc
# files to DEVDIR/pkgconfig.  Programs and their man pages get SUFFIX (mpicc.haft) where several
# MPIs share a directory.  Any of these paths may have blanks and quotes.
DESTDIR    ?=
PREFIX     ?= /usr/local
BINDIR     ?= $(PREFIX)/bin
LIBDIR     ?= $(PREFIX)/lib
DEVDIR     ?= $(LIBDIR)
INCLUDEDIR ?= $(PREFIX)/include
DATADIR    ?= $(PREFIX)/share
MANDIR     ?= $(DATADIR)/man
SUFFIX     ?=

# A relative path is one below this directory, also for the sub-make of uninstall.  make gets a
# tilde where the shell has not replaced it: dash leaves PREFIX=~/haft as it is.
dirs := PREFIX BINDIR LIBDIR DEVDIR INCLUDEDIR DATADIR MANDIR
$(foreach v,DESTDIR $(dirs),$(if $(filter ~%,$(firstword $($(v)))),$(error \
	$(v) is $($(v)): the shell has not replaced ~, write $$HOME)))
$(foreach v,$(dirs),$(if $(filter-out /%,$(firstword $($(v)))),$(eval override $(v) := $$(CURDIR)/$$($(v)))))

# A path as one word of a shell; and where it is now, below DESTDIR.
quoted = '$(subst ','\'',$(1))'
dest = $(call quoted,$(DESTDIR)$(1))

# All of them, for layout.sh and for a second make.
layout = $(foreach v,$(dirs) SUFFIX,$(v)=$(call quoted,$($(v))))
layout_pc = $(layout) DESTDIR=$(call quoted,$(DESTDIR)) tools/pack/layout.sh pc

install: all install-libobj install-libmpi install-tools install-examples
install-libobj install-libmpi install-tools: all

# Removes the files that install would put there, as listed by a second, staged install, and the
# directories below PREFIX that are empty then.  /usr and /usr/local keep all but our own.
uninstall: all
	$(Q)rm -rf $(B)/uninstall
	+$(Q)$(MAKE) -s --no-print-directory install DESTDIR=$(B)/uninstall $(layout) >/dev/null
	$(Q)prefix=$(call quoted,$(PREFIX)); \
	(cd $(B)/uninstall && find . ! -type d) | while IFS= read -r f; do rm -f $(call quoted,$(DESTDIR))"$${f#.}"; done; \
	(cd $(B)/uninstall && find . -depth -type d) | while IFS= read -r d; do \
		case $${d#.} in \
		*/haft* | */libobj*) ;; \
		"$$prefix" | "$$prefix"/*) case $$prefix in /usr | /usr/local) continue ;; esac ;; \
		*) continue ;; \
		esac; \
		rmdir $(call quoted,$(DESTDIR))"$${d#.}" 2>/dev/null; \
	done; true
	$(Q)rm -rf $(B)/uninstall

# All manual pages in one folder, to be opened as files.
html: all
	$(call deps,html)
	$(Q)tools/man/html.sh $(B)/man $(B)/html $(HAFT_VERSION) libobj/obj.3
	$(Q)echo $(B)/html/index.html
.PHONY: html

# Packages of Debian, in build/deb/debs; and packages of others built against ours:
# REBUILD="hpcc ...".
deb:
	$(call deps,deb)
	$(Q)tools/pack/deb.sh build/deb

rebuild:
	$(Q)tools/pack/rebuild.sh build/deb $(REBUILD)
.PHONY: deb rebuild

clean:
	$(Q)rm -rf build

help:
	@sed -n 's/^#   //p' Makefile; \
	printf '%s\n' '' \
	'all          libraries, headers, tools, man pages' \
	'demo         dependencies, build, the heat equation on four ranks' \
	'check        dependencies, build, tests; T=WORD: those with WORD in their path' \
	'             AGAIN=N: a test that fails runs again, up to N times, and is named' \
	'check-all    the tests in every flavour: $(flavours)' \
	'check-full   that, and spin on the models, and a cross compiler' \
	'check-launch hydra, Slurm and mpirun start us: dependencies, and the tests that need them' \
	'check-net    the tests of MPI by sockets only; T=WORD, here and in the next two, as above' \
	'check-mixed  the same over two hosts in name: shared memory and sockets at once' \
	'check-ofi    the same by libfabric' \
	'check-valgrind  the tests of MPI of one and two processes under memcheck' \
	'check-ft     a rank dies in every collective call, in every way: an hour' \
	'long-kill    kill -9 at 100 random moments of a job, to ranks and to mpiexec' \
	'check-times  how soon a job ends that has failed; for a machine that has nothing else to do' \
	'check-models check-cross   spin alone; the libraries compiled for aarch64 alone' \
	'lint         layers, names, words, format; all with -Werror; RULE=name WHERE=folder' \
	'install      DESTDIR= PREFIX=/usr/local LIBDIR= ...; uninstall: removes it again' \
	'html         the manual as HTML with a search: $(B)/html/index.html' \
	'deb          packages of Debian 12, built and tried in a system of their own (root, debootstrap)' \
	'rebuild      packages of others, built and tested against these: REBUILD="hpcc arpack"' \
	'coverage     which functions of MPI 5.0 work, and which do not' \
	'evidence     which sections and functions of MPI 5.0 have a test (chapters 2 to 20)' \
	'bench bench-obj bench-peers   measure; bench-peers installs other MPIs to measure beside' \
	'bench-fort   Fortran beside C, call by call' \
	'bench-start  4 hosts of 4 ranks over ssh, beside ssh alone (root)' \
	'fuzz-obj fuzz-type fuzz-net   random operations on libobj, datatypes, bytes for libnet, until stopped' \
	'sim-net      10^4 lives of libnet on a network that is not there' \
	'sim-scale    MPI_Init in jobs of 10^3 to 10^6 ranks that are not there' \
	'sim-coll     collective calls of up to 10^6 ranks in simulated time, with curves' \
	'clean        remove build/'

.PHONY: all demo check check-all check-launch lint run-lint run-demo run-check install install-libobj \
	install-libmpi install-tools install-examples uninstall clean help force
force:

-include $(shell find $(B) -name '*.d' -type f 2>/dev/null)
