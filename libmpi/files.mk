# SPDX-License-Identifier: BSD-3-Clause
# The sources of libmpi, one line a file; then the generator, the libraries, the man pages.

# --- sources -----------------------------------------------------------------------------------
# Libfabric's headers are needed for HAFT_VIA=ofi only; without them it says so.
have_ofi := $(shell $(CC) -include rdma/fi_tagged.h -E -x c /dev/null >/dev/null 2>&1 && echo 1)
libmpi_SRCS += libmpi/bind/abi.c
libmpi_SRCS += libmpi/bind/check.c
libmpi_SRCS += libmpi/bind/convert.c
libmpi_SRCS += libmpi/bind/fixed.c
libmpi_SRCS += libmpi/bind/raise.c
libmpi_SRCS += libmpi/bind/status.c
libmpi_SRCS += libmpi/boot/agree.c
libmpi_SRCS += libmpi/boot/boot.c
libmpi_SRCS += libmpi/boot/map.c
libmpi_SRCS += libmpi/boot/kvs.c
libmpi_SRCS += libmpi/boot/listen.c
libmpi_SRCS += libmpi/boot/meet.c
libmpi_SRCS += libmpi/boot/pmi.c
libmpi_SRCS += libmpi/boot/pmix.c
libmpi_SRCS += libmpi/boot/watch.c
libmpi_SRCS += libmpi/coll/agree.c
libmpi_SRCS += libmpi/coll/call.c
libmpi_SRCS += libmpi/coll/deal.c
libmpi_SRCS += libmpi/coll/epoch.c
libmpi_SRCS += libmpi/coll/fold.c
libmpi_SRCS += libmpi/coll/halve.c
libmpi_SRCS += libmpi/coll/hosts.c
libmpi_SRCS += libmpi/coll/inter.c
libmpi_SRCS += libmpi/coll/left.c
libmpi_SRCS += libmpi/coll/loops.c
libmpi_SRCS += libmpi/coll/near.c
libmpi_SRCS += libmpi/coll/op.c
libmpi_SRCS += libmpi/coll/pair.c
libmpi_SRCS += libmpi/coll/ring.c
libmpi_SRCS += libmpi/coll/sched.c
libmpi_SRCS += libmpi/coll/share.c
libmpi_SRCS += libmpi/coll/shfold.c
libmpi_SRCS += libmpi/coll/state.c
libmpi_SRCS += libmpi/coll/table.c
libmpi_SRCS += libmpi/coll/tree.c
libmpi_SRCS += libmpi/comm/attr.c
libmpi_SRCS += libmpi/comm/comm.c
libmpi_SRCS += libmpi/comm/ctx.c
libmpi_SRCS += libmpi/comm/dup.c
libmpi_SRCS += libmpi/comm/env.c
libmpi_SRCS += libmpi/comm/errh.c
libmpi_SRCS += libmpi/comm/from.c
libmpi_SRCS += libmpi/comm/group.c
libmpi_SRCS += libmpi/comm/hint.c
libmpi_SRCS += libmpi/comm/info.c
libmpi_SRCS += libmpi/comm/inter.c
libmpi_SRCS += libmpi/comm/kind.c
libmpi_SRCS += libmpi/comm/make.c
libmpi_SRCS += libmpi/comm/talk.c
libmpi_SRCS += libmpi/core/code.c
libmpi_SRCS += libmpi/core/err.c
libmpi_SRCS += libmpi/core/hang.c
libmpi_SRCS += libmpi/core/hw.c
libmpi_SRCS += libmpi/core/lock.c
libmpi_SRCS += libmpi/core/lock_os.c
libmpi_SRCS += libmpi/core/lang.c
libmpi_SRCS += libmpi/core/mpo.c
libmpi_SRCS += libmpi/core/names.c
libmpi_SRCS += libmpi/core/place.c
libmpi_SRCS += libmpi/core/set.c
libmpi_SRCS += libmpi/core/state.c
libmpi_SRCS += libmpi/core/where.c
libmpi_SRCS += libmpi/dyn/env.c
libmpi_SRCS += libmpi/dyn/helper.c
libmpi_SRCS += libmpi/dyn/leak.c
libmpi_SRCS += libmpi/dyn/life.c
libmpi_SRCS += libmpi/dyn/session.c
libmpi_SRCS += libmpi/dyn/mem.c
libmpi_SRCS += libmpi/p2p/buffer.c
libmpi_SRCS += libmpi/p2p/call.c
libmpi_SRCS += libmpi/p2p/cancel.c
libmpi_SRCS += libmpi/p2p/joint.c
libmpi_SRCS += libmpi/p2p/lease.c
libmpi_SRCS += libmpi/p2p/flow.c
libmpi_SRCS += libmpi/p2p/lost.c
libmpi_SRCS += libmpi/p2p/match.c
libmpi_SRCS += libmpi/p2p/pace.c
libmpi_SRCS += libmpi/p2p/part.c
libmpi_SRCS += libmpi/p2p/note.c
libmpi_SRCS += libmpi/p2p/persist.c
libmpi_SRCS += libmpi/p2p/probe.c
libmpi_SRCS += libmpi/p2p/recv.c
libmpi_SRCS += libmpi/p2p/send.c
libmpi_SRCS += libmpi/p2p/tell.c
libmpi_SRCS += libmpi/p2p/user.c
libmpi_SRCS += libmpi/p2p/wait.c
libmpi_SRCS += libmpi/p2p/way.c
libmpi_SRCS += libmpi/rma/acc.c
libmpi_SRCS += libmpi/rma/atom.c
libmpi_SRCS += libmpi/rma/attach.c
libmpi_SRCS += libmpi/rma/box.c
libmpi_SRCS += libmpi/rma/check.c
libmpi_SRCS += libmpi/rma/epoch.c
libmpi_SRCS += libmpi/rma/far.c
libmpi_SRCS += libmpi/rma/fence.c
libmpi_SRCS += libmpi/rma/flush.c
libmpi_SRCS += libmpi/rma/hint.c
libmpi_SRCS += libmpi/rma/lock.c
libmpi_SRCS += libmpi/rma/move.c
libmpi_SRCS += libmpi/rma/msg.c
libmpi_SRCS += libmpi/rma/mail.c
libmpi_SRCS += libmpi/rma/passive.c
libmpi_SRCS += libmpi/rma/pscw.c
libmpi_SRCS += libmpi/rma/serve.c
libmpi_SRCS += libmpi/rma/vm.c
libmpi_SRCS += libmpi/rma/win.c
libmpi_SRCS += libmpi/tool/count.c
libmpi_SRCS += libmpi/tool/cvar.c
libmpi_SRCS += libmpi/tool/event.c
libmpi_SRCS += libmpi/tool/group.c
libmpi_SRCS += libmpi/tool/life.c
libmpi_SRCS += libmpi/tool/pvar.c
libmpi_SRCS += libmpi/topo/cart.c
libmpi_SRCS += libmpi/topo/dims.c
libmpi_SRCS += libmpi/topo/dist.c
libmpi_SRCS += libmpi/topo/graph.c
libmpi_SRCS += libmpi/topo/make.c
libmpi_SRCS += libmpi/type/array.c
libmpi_SRCS += libmpi/topo/order.c
libmpi_SRCS += libmpi/topo/place.c
libmpi_SRCS += libmpi/type/bounds.c
libmpi_SRCS += libmpi/type/buffer.c
libmpi_SRCS += libmpi/type/decode.c
libmpi_SRCS += libmpi/type/listed.c
libmpi_SRCS += libmpi/type/make.c
libmpi_SRCS += libmpi/type/ext.c
libmpi_SRCS += libmpi/type/fortran.c
libmpi_SRCS += libmpi/type/kern.c
libmpi_SRCS += libmpi/type/move.c
libmpi_SRCS += libmpi/type/pack.c
libmpi_SRCS += libmpi/type/plan.c
libmpi_SRCS += libmpi/type/predef.c
libmpi_SRCS += libmpi/type/query.c
libmpi_SRCS += libmpi/type/strided.c
libmpi_SRCS += libmpi/type/sum.c
libmpi_SRCS += libmpi/type/unnamed.c
libmpi_SRCS += libmpi/type/visit.c
libmpi_SRCS += libmpi/type/wide_os.c
libmpi_SRCS += libmpi/via/coll.c
libmpi_SRCS += $(if $(have_ofi),libmpi/via/fab.c,libmpi/via/fabno.c)
libmpi_SRCS += libmpi/via/far.c
libmpi_SRCS += libmpi/via/mem.c
libmpi_SRCS += libmpi/via/hall.c
libmpi_SRCS += libmpi/via/ofi.c
libmpi_SRCS += libmpi/via/ofiflow.c
libmpi_SRCS += libmpi/via/via.c

# The loops of reductions and of packing are worth the vectoriser's full effort.
$(B)/obj/libmpi/coll/loops.o: cflags-libmpi += -O3 -fopenmp-simd -Wno-pass-failed
$(B)/obj/libmpi/type/kern.o $(B)/obj/libmpi/type/wide_os.o: cflags-libmpi += -O3

# --- the table of facts and its generator --------------------------------------------------------
# A program of the build: it reads libmpi/api/*.def (as C) and writes into $(B)/gen.
gen_SRCS := \
	libmpi/api/gen.c \
	libmpi/api/genbind.c \
	libmpi/api/genf.c \
	libmpi/api/genh.c \
	libmpi/api/genlist.c \
	libmpi/api/genman.c \
	libmpi/api/genmod.c \
	libmpi/api/genmpif.c \
	libmpi/api/gentest.c
gen_CHAPTERS := p2p part type coll comm topo env info dyn rma ext io tool old lang abi
gen_HDRS += $(B)/include/mpi.h $(B)/gen/engine.h $(B)/gen/raw.h $(B)/gen/names.h
gen_BIND := $(gen_CHAPTERS:%=$(B)/gen/bind_%.c) $(B)/gen/names.c
gen = $(B)/dev/gen

$(gen): $(gen_SRCS:%.c=$(B)/obj/%.o)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $^ -o $@

$(B)/include/mpi.h: $(gen)
$(B)/gen/engine.h $(B)/gen/raw.h $(B)/gen/names.h: $(gen)
$(B)/gen/names.c $(B)/gen/map $(B)/gen/list $(B)/gen/abi.c $(B)/gen/none.c $(B)/gen/garbage.c: $(gen)
$(B)/include/mpi.h $(B)/gen/engine.h $(B)/gen/raw.h $(B)/gen/names.h $(B)/gen/names.c \
$(B)/gen/map $(B)/gen/list $(B)/gen/abi.c $(B)/gen/none.c $(B)/gen/garbage.c:
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(gen) $(@F) >$@.new && if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi
	@touch $@

$(gen_CHAPTERS:%=$(B)/gen/bind_%.c): $(B)/gen/bind_%.c: $(gen)
	$(call say,GEN,$@)
	@mkdir -p $(@D)
	$(Q)$(gen) bind $* >$@

# --- the library ---------------------------------------------------------------------------------
# libmpi_abi.so.1 is the name of the standard ABI; libmpi.so is the same under its old name.  Inside
# are libobj, libshm, libnet and the unwinder (core/where.c: one library less to load in each rank), and
# nothing but MPI_* and PMPI_* can be seen.
libmpi_OBJS = $(libmpi_SRCS:%.c=$(B)/obj/%.o) $(gen_BIND:$(B)/gen/%.c=$(B)/obj/gen/%.o)
libmpi_PARTS = $(libmpi_OBJS) $(B)/obj/libobj.whole.o $(B)/obj/libshm.whole.o \
	$(B)/obj/libnet.whole.o
libmpi_LIBS = $(libobj_LIBS) -ldl -lpthread

all: $(B)/lib/libmpi_abi.so $(B)/lib/libmpi.so $(B)/lib/libmpi_abi.a $(B)/lib/libmpi.a $(B)/man/man3/done

# nodelete: threads that end later run code of this library.
$(B)/lib/libmpi_abi.so.1: $(libmpi_PARTS) $(B)/gen/map
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) -shared -static-libgcc $(ldflags) -Wl,-soname,libmpi_abi.so.1 -Wl,-z,nodelete \
		-Xlinker --version-script=$(B)/gen/map $(libmpi_PARTS) $(libmpi_LIBS) -o $@

$(B)/lib/libmpi_abi.so $(B)/lib/libmpi.so: $(B)/lib/libmpi_abi.so.1
	$(Q)ln -sf libmpi_abi.so.1 $@

# The libraries below, each as one object that shows its own prefix only: their inner names may meet.
$(B)/obj/libobj.whole.o: $(libobj_SRCS:%.c=$(B)/obj/%.o)
	$(call say,LD,$@)
	$(Q)$(CC) -r -nostdlib -o $@ $^ && objcopy -w --keep-global-symbol='obj_*' $@

$(B)/obj/libshm.whole.o: $(libshm_SRCS:%.c=$(B)/obj/%.o)
	$(call say,LD,$@)
	$(Q)$(CC) -r -nostdlib -o $@ $^ && objcopy -w --keep-global-symbol='shm_*' $@

$(B)/obj/libnet.whole.o: $(libnet_SRCS:%.c=$(B)/obj/%.o)
	$(call say,LD,$@)
	$(Q)$(CC) -r -nostdlib -o $@ $^ && objcopy -w --keep-global-symbol='net_*' $@

# One object with all others inside, so that the linker cannot see their names either.
$(B)/obj/libmpi.o: $(libmpi_PARTS)
	$(call say,LD,$@)
	$(Q)$(CC) -r -nostdlib -o $@ $^ && objcopy -w --keep-global-symbol='MPI_*' \
		--keep-global-symbol='PMPI_*' --keep-global-symbol='haft_fort_*' $@

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

install-libmpi:
	$(Q)install -d $(DESTDIR)$(PREFIX)/include $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/share/man/man3
	$(Q)install -m 644 $(B)/include/mpi.h $(DESTDIR)$(PREFIX)/include/
	$(Q)install -m 755 $(B)/lib/libmpi_abi.so.1 $(DESTDIR)$(PREFIX)/lib/
	$(Q)install -m 644 $(B)/lib/libmpi_abi.a $(DESTDIR)$(PREFIX)/lib/
	$(Q)for l in libmpi_abi.so libmpi.so; do ln -sf libmpi_abi.so.1 $(DESTDIR)$(PREFIX)/lib/$$l; done
	$(Q)ln -sf libmpi_abi.a $(DESTDIR)$(PREFIX)/lib/libmpi.a
	$(Q)install -m 644 $(B)/man/man3/*.3 $(DESTDIR)$(PREFIX)/share/man/man3/

# How much of MPI there is.
coverage: $(B)/gen/list
	$(Q)awk -f libmpi/api/coverage.awk $<
.PHONY: coverage

include libmpi/fort/files.mk
