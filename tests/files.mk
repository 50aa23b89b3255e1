# SPDX-License-Identifier: BSD-3-Clause
# The tests, one line a file, alphabetical.  tests/README.md says what each kind is.

# cmocka programs, started alone.  They are linked with libobj.a and libshm.a; objects of libmpi
# that one needs are named as its prerequisites:  $(B)/tests/unit/match: $(B)/obj/libmpi/p2p/match.o
unit_TESTS :=
unit_TESTS += tests/fuzz/frame.c
unit_TESTS += tests/fuzz/net.c
unit_TESTS += tests/fuzz/obj.c
unit_TESTS += tests/fuzz/type.c
unit_TESTS += tests/sim/net.c
unit_TESTS += tests/unit/group.c
unit_TESTS += tests/unit/hang.c
unit_TESTS += tests/unit/net_fault.c
unit_TESTS += tests/unit/net_safe.c
unit_TESTS += tests/unit/net_sock.c
unit_TESTS += tests/unit/net_wire.c
unit_TESTS += tests/unit/obj_attr.c
unit_TESTS += tests/unit/obj_call.c
unit_TESTS += tests/unit/obj_direct.c
unit_TESTS += tests/unit/obj_dump.c
unit_TESTS += tests/unit/obj_errh.c
unit_TESTS += tests/unit/obj_fork.c
unit_TESTS += tests/unit/obj_garbage.c
unit_TESTS += tests/unit/obj_lock.c
unit_TESTS += tests/unit/obj_mem.c
unit_TESTS += tests/unit/obj_name.c
unit_TESTS += tests/unit/obj_pool.c
unit_TESTS += tests/unit/obj_ref.c
unit_TESTS += tests/unit/obj_space.c
unit_TESTS += tests/unit/obj_table.c
unit_TESTS += tests/unit/obj_thread.c
unit_TESTS += tests/unit/plan.c
unit_TESTS += tests/unit/set.c
unit_TESTS += tests/unit/shm_block.c
unit_TESTS += tests/unit/shm_frame.c
unit_TESTS += tests/unit/shm_pipe.c
unit_TESTS += tests/unit/shm_seg.c
unit_TESTS += tests/unit/shm_wait.c
unit_TESTS += tests/unit/win.c
unit_TESTS += tests/unit/topo_order.c

# Programs of MPI, built with our mpicc, run by mpiexec as their RUN line says.
mpi_TESTS :=
mpi_TESTS += tests/abi/convert.c
mpi_TESTS += tests/abi/fortran.c
mpi_TESTS += tests/abi/garbage.c
mpi_TESTS += tests/abi/kinds.c
mpi_TESTS += tests/abi/none.c
mpi_TESTS += tests/abi/old.c
mpi_TESTS += tests/abi/pmpi.c
mpi_TESTS += tests/bench/mpi.c
mpi_TESTS += tests/err/args.c
mpi_TESTS += tests/err/buffers.c
mpi_TESTS += tests/err/codes.c
mpi_TESTS += $(if $(SAN),,tests/err/early.c) # it has an allocator of its own
mpi_TESTS += tests/err/fatal.c
mpi_TESTS += tests/err/handler.c
mpi_TESTS += tests/err/part.c
mpi_TESTS += tests/err/nobody.c
mpi_TESTS += tests/err/refuse.c
mpi_TESTS += tests/err/stale.c
mpi_TESTS += tests/err/truncate.c
mpi_TESTS += tests/err/types.c
mpi_TESTS += tests/err/whose.c
mpi_TESTS += tests/examples/halo/halo.c
mpi_TESTS += tests/examples/heat/heat.c
mpi_TESTS += tests/examples/typetree/typetree.c
mpi_TESTS += tests/launch/ranks.c
mpi_TESTS += tests/launch/raw.c
mpi_TESTS += tests/life/abort.c
mpi_TESTS += tests/life/ends.c
mpi_TESTS += tests/life/odd.c
mpi_TESTS += tests/life/phases.c
mpi_TESTS += tests/life/storm.c
mpi_TESTS += tests/net/cancel.c
mpi_TESTS += tests/net/from.c
mpi_TESTS += tests/net/inter.c
mpi_TESTS += tests/net/leave.c
mpi_TESTS += tests/net/lost.c
mpi_TESTS += tests/net/mix.c
mpi_TESTS += tests/net/part.c
mpi_TESTS += tests/net/probe.c
mpi_TESTS += tests/net/session.c
mpi_TESTS += tests/net/sizes.c
mpi_TESTS += tests/net/storm.c
mpi_TESTS += tests/net/thread.c
mpi_TESTS += tests/std/ch02/limit.c
mpi_TESTS += tests/std/ch02/named.c
mpi_TESTS += tests/std/ch02/opaque.c
mpi_TESTS += tests/std/ch02/system.c
mpi_TESTS += tests/std/ch02/terms.c
mpi_TESTS += tests/std/ch02/values.c
mpi_TESTS += tests/std/ch03/cancel.c
mpi_TESTS += tests/std/ch03/complete.c
mpi_TESTS += tests/std/ch03/empty.c
mpi_TESTS += tests/std/ch03/flood.c
mpi_TESTS += tests/std/ch03/leave.c
mpi_TESTS += tests/std/ch03/many.c
mpi_TESTS += tests/std/ch03/modes.c
mpi_TESTS += tests/std/ch03/order.c
mpi_TESTS += tests/std/ch03/probe.c
mpi_TESTS += tests/std/ch03/rarely.c
mpi_TESTS += tests/std/ch03/reuse.c
mpi_TESTS += tests/std/ch03/self.c
mpi_TESTS += tests/std/ch03/sizes.c
mpi_TESTS += tests/std/ch03/storm.c
mpi_TESTS += tests/std/ch03/ways.c
mpi_TESTS += tests/std/ch03/ways_pipe.c
mpi_TESTS += tests/std/ch03/types.c
mpi_TESTS += tests/std/ch07/attr.c
mpi_TESTS += tests/std/ch07/comm.c
mpi_TESTS += tests/std/ch07/ctx.c
mpi_TESTS += tests/std/ch07/from.c
mpi_TESTS += tests/std/ch07/group.c
mpi_TESTS += tests/std/ch07/hints.c
mpi_TESTS += tests/std/ch08/carry.c
mpi_TESTS += tests/std/ch08/cart.c
mpi_TESTS += tests/std/ch08/dims.c
mpi_TESTS += tests/std/ch07/idup.c
mpi_TESTS += tests/std/ch07/inter.c
mpi_TESTS += tests/std/ch08/dist.c
mpi_TESTS += tests/std/ch08/graph.c
mpi_TESTS += tests/std/ch07/basic.c
mpi_TESTS += tests/std/ch07/caching.c
mpi_TESTS += tests/std/ch07/keycomm.c
mpi_TESTS += tests/std/ch07/keyend.c
mpi_TESTS += tests/std/ch07/keyinter.c
mpi_TESTS += tests/std/ch07/keysess.c
mpi_TESTS += tests/std/ch07/keytype.c
mpi_TESTS += tests/std/ch07/names.c
mpi_TESTS += tests/std/ch07/nested.c
mpi_TESTS += tests/std/ch09/attrs.c
mpi_TESTS += tests/std/ch07/kinds.c
mpi_TESTS += tests/std/ch07/live.c
mpi_TESTS += tests/std/ch08/place.c
mpi_TESTS += tests/std/ch08/large.c
mpi_TESTS += tests/std/ch08/near.c
mpi_TESTS += tests/std/ch09/codes.c
mpi_TESTS += tests/std/ch09/errh.c
mpi_TESTS += tests/std/ch09/initial.c
mpi_TESTS += tests/std/ch09/inquire.c
mpi_TESTS += tests/std/ch09/session.c
mpi_TESTS += tests/std/ch09/mem.c
mpi_TESTS += tests/std/ch10/hints.c
mpi_TESTS += tests/std/ch10/info.c
mpi_TESTS += tests/std/ch05/external.c
mpi_TESTS += tests/std/ch05/extreme.c
mpi_TESTS += tests/std/ch05/array.c
mpi_TESTS += tests/std/ch05/decode.c
mpi_TESTS += tests/std/ch11/abort.c
mpi_TESTS += tests/std/ch11/session.c
mpi_TESTS += tests/std/ch11/worlds.c
mpi_TESTS += tests/std/ch12/box.c
mpi_TESTS += tests/std/ch12/check.c
mpi_TESTS += tests/std/ch12/detach.c
mpi_TESTS += tests/std/ch12/epochs.c
mpi_TESTS += tests/std/ch12/failsnet.c
mpi_TESTS += tests/std/ch12/gonenet.c
mpi_TESTS += tests/std/ch12/helper.c
mpi_TESTS += tests/std/ch12/helpernet.c
mpi_TESTS += tests/std/ch12/history.c
mpi_TESTS += tests/std/ch12/historybox.c
mpi_TESTS += tests/std/ch12/historymsg.c
mpi_TESTS += tests/std/ch12/huge.c
mpi_TESTS += tests/std/ch12/keywin.c
mpi_TESTS += tests/std/ch12/locks.c
mpi_TESTS += tests/std/ch12/move.c
mpi_TESTS += tests/std/ch12/movebox.c
mpi_TESTS += tests/std/ch12/movemsg.c
mpi_TESTS += tests/std/ch12/movevm.c
mpi_TESTS += tests/std/ch12/sync.c
mpi_TESTS += tests/std/ch12/syncbox.c
mpi_TESTS += tests/std/ch12/syncmsg.c
mpi_TESTS += tests/std/ch12/syncnet.c
mpi_TESTS += tests/std/ch12/syncvm.c
mpi_TESTS += tests/std/ch12/turns.c
mpi_TESTS += tests/std/ch12/turnsnet.c
mpi_TESTS += tests/std/ch12/types.c
mpi_TESTS += tests/std/ch12/windows.c
mpi_TESTS += tests/std/ch12/wrong.c
mpi_TESTS += tests/std/ch15/cvar.c
mpi_TESTS += tests/std/ch15/group.c
mpi_TESTS += tests/std/ch15/life.c
mpi_TESTS += tests/std/ch15/pvar.c
mpi_TESTS += tests/std/ch15/text.c
mpi_TESTS += tests/std/ch04/equal.c
mpi_TESTS += tests/std/ch04/part.c
mpi_TESTS += $(if $(SAN),,tests/std/ch04/poor.c) # it has an allocator of its own
mpi_TESTS += tests/std/ch04/tasks.c
mpi_TESTS += tests/std/ch05/dup.c
mpi_TESTS += tests/std/ch05/edge.c
mpi_TESTS += tests/std/ch05/elements.c
mpi_TESTS += tests/std/ch05/make.c
mpi_TESTS += tests/std/ch05/named.c
mpi_TESTS += tests/std/ch05/packed.c
mpi_TESTS += tests/std/ch05/quick.c
mpi_TESTS += tests/std/ch05/typed.c
mpi_TESTS += tests/std/ch06/barrier.c
mpi_TESTS += tests/std/ch06/barrier_msg.c
mpi_TESTS += tests/std/ch06/check.c
mpi_TESTS += tests/std/ch06/fits.c
mpi_TESTS += tests/std/ch06/gaps.c
mpi_TESTS += tests/std/ch06/mix.c
mpi_TESTS += tests/std/ch06/mix_msg.c
mpi_TESTS += tests/std/ch06/move.c
mpi_TESTS += tests/std/ch06/move_msg.c
mpi_TESTS += tests/std/ch06/pairs.c
mpi_TESTS += tests/std/ch06/plans.c
mpi_TESTS += tests/std/ch06/plans_a.c
mpi_TESTS += tests/std/ch06/plans_b.c
mpi_TESTS += tests/std/ch06/plans_c.c
mpi_TESTS += tests/std/ch06/plans_d.c
mpi_TESTS += tests/std/ch06/plans_msg.c
mpi_TESTS += tests/std/ch06/bits.c
mpi_TESTS += tests/std/ch06/inter.c
mpi_TESTS += tests/std/ch06/later.c
mpi_TESTS += $(if $(SAN),,tests/std/ch06/poor.c) # it has an allocator of its own
mpi_TESTS += tests/std/ch06/reduce.c
mpi_TESTS += tests/std/ch06/reduce_msg.c
mpi_TESTS += tests/std/ch06/refused.c
mpi_TESTS += tests/std/ch06/short.c
mpi_TESTS += tests/std/ch06/uneven.c
mpi_TESTS += tests/std/ch06/userop.c
mpi_TESTS += tests/std/ch06/userop_msg.c
mpi_TESTS += tests/std/ch19/kinds.c
mpi_TESTS += tests/thread/attrs.c
mpi_TESTS += tests/thread/level.c
mpi_TESTS += tests/thread/storm.c
mpi_TESTS += tests/thread/tool.c
mpi_TESTS += tests/thread/waits.c
mpi_TESTS += tests/thread/wins.c

# The same in Fortran, built with our mpifort.
fort_TESTS :=
fort_TESTS += tests/examples/pi/pi.f
fort_TESTS += tests/examples/pi/pi90.f90
fort_TESTS += tests/examples/stencil/stencil.f90
fort_TESTS += tests/fort/attr.f90
fort_TESTS += tests/fort/calls.f90
fort_TESTS += tests/fort/hello.f90
fort_TESTS += tests/fort/hello08.f90
fort_TESTS += tests/fort/learn.f90
fort_TESTS += tests/fort/legacy.f90
fort_TESTS += tests/fort/more.f90
fort_TESTS += tests/fort/old.f
fort_TESTS += tests/fort/parts.f90
fort_TESTS += tests/fort/profile.f90
fort_TESTS += tests/fort/refuse.f90
fort_TESTS += tests/fort/ring.f
fort_TESTS += tests/fort/section.f90

# Shell scripts; they find the build directory in $B.
script_TESTS :=
script_TESTS += tests/abi/fort.sh
script_TESTS += tests/abi/header.sh
script_TESTS += tests/abi/link.sh
script_TESTS += tests/bench/table.sh
script_TESTS += tests/build/cmake.sh
script_TESTS += tests/build/fort.sh
script_TESTS += tests/build/gdb.sh
script_TESTS += tests/build/libobj.sh
script_TESTS += tests/build/mpicc.sh
script_TESTS += tests/build/pkgconf.sh
script_TESTS += tests/err/line.sh
script_TESTS += tests/house/lint.sh
script_TESTS += tests/house/run.sh
script_TESTS += tests/house/word.sh
script_TESTS += tests/fort/leaks.sh
script_TESTS += tests/fort/wrong.sh
script_TESTS += tests/launch/across.sh
script_TESTS += tests/launch/hydra.sh
script_TESTS += tests/launch/many.sh
script_TESTS += tests/launch/mpich.sh
script_TESTS += tests/launch/ompi.sh
script_TESTS += tests/launch/pmixabi.sh
script_TESTS += tests/launch/slurm.sh
script_TESTS += tests/launch/ssh.sh
script_TESTS += tests/life/leaks.sh
script_TESTS += tests/net/hosts.sh
script_TESTS += $(if $(SAN),,tests/net/poor.sh) # ch06/poor has an allocator of its own
script_TESTS += $(if $(SAN),,tests/net/starve.sh) # it has an allocator of its own
script_TESTS += tests/ofi/some.sh
script_TESTS += tests/tools/agree.sh
script_TESTS += tests/tools/alien.sh
script_TESTS += tests/tools/alloc.sh
script_TESTS += tests/tools/death.sh
script_TESTS += tests/tools/harsh.sh
script_TESTS += tests/tools/fail.sh
script_TESTS += tests/tools/hang.sh
script_TESTS += tests/tools/hosts.sh
script_TESTS += tests/tools/infoenv.sh
script_TESTS += tests/tools/input.sh
script_TESTS += tests/tools/kill.sh
script_TESTS += tests/tools/many.sh
script_TESTS += tests/tools/mpi.sh
script_TESTS += tests/tools/mpicc.sh
script_TESTS += tests/tools/one.sh
script_TESTS += tests/tools/output.sh
script_TESTS += tests/tools/place.sh
script_TESTS += tests/tools/setting.sh
script_TESTS += tests/tools/signal.sh
script_TESTS += tests/tools/slay.sh
script_TESTS += tests/tools/usage.sh

demo_SRCS := tests/examples/heat/heat.c

# --- rules ---------------------------------------------------------------------------------------
tests_SRCS := tests/run.c
tests_sel = $(if $(T),$(foreach t,$(1),$(if $(findstring $(T),$(t)),$(t))),$(1))
tests_bin = $(patsubst %,$(B)/%,$(basename $(1)))
unit_sel := $(call tests_sel,$(sort $(unit_TESTS)))
# Without a compiler of Fortran there are no tests of it; make check installs one.
tests_FC := $(shell command -v $(FC) 2>/dev/null)
mpi_sel  := $(call tests_sel,$(sort $(mpi_TESTS) $(if $(tests_FC),$(fort_TESTS))))
sh_sel   := $(call tests_sel,$(sort $(script_TESTS)))

# A sanitizer makes everything slower; the limits of the tests are for the plain build.
tests_factor := $(if $(SAN),5,1)

$(B)/tests/run: $(B)/obj/tests/run.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $< -o $@

unit_libs = $(if $(libnet_SRCS),$(B)/lib/libnet.a) $(if $(libshm_SRCS),$(B)/lib/libshm.a) $(if $(libobj_SRCS),$(B)/lib/libobj.a)
$(call tests_bin,$(sort $(unit_TESTS))): $(B)/tests/%: $(B)/obj/tests/%.o $(unit_libs)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $(filter %.o,$^) $(unit_libs) -lcmocka $(libobj_LIBS) -ldl -lpthread -o $@

plan_OBJS := $(addprefix $(B)/obj/libmpi/,type/kern.o type/wide_os.o type/move.o type/pack.o type/plan.o \
	type/visit.o core/code.o core/err.o)
$(B)/tests/unit/plan: $(plan_OBJS)
group_OBJS := $(addprefix $(B)/obj/libmpi/,comm/group.o core/code.o core/err.o core/lock.o core/lock_os.o core/mpo.o core/state.o)
$(B)/tests/unit/group: $(group_OBJS)
$(B)/tests/unit/topo_order: $(B)/obj/libmpi/topo/order.o
$(B)/tests/unit/hang: $(B)/obj/tools/mpiexec/hang.o

# A network that is not there.
$(B)/tests/sim/net: $(B)/obj/tests/sim/wire.o

# All of libmpi, with its inside.
$(B)/tests/unit/set $(B)/tests/unit/win: $(libmpi_OBJS)

# The whole library from inside.
$(B)/tests/fuzz/frame $(B)/tests/fuzz/type: $(libmpi_OBJS)
# Its peers are a mirror, and it goes on where a job would end.
frame_wraps := far_open far_put far_reserve far_commit far_look via_stream_send via_stream_post \
	via_quiet_far via_idle p2p_nonsense haft_abort_job boot_init boot_near_of boot_host_of \
	coll_allgather coll_barrier
$(B)/tests/fuzz/frame: private ldflags += $(frame_wraps:%=-Wl,--wrap=%)

# With the user's own compiler command: what is installed is what is tested.  More sources of a test
# are more prerequisites; tests_FLAGS-NAME are its own flags and libraries.  A test that another one
# includes is no source of that one.
tests_mpicc = $(B)/bin/mpicc -std=gnu11 -Wall -Wextra -O1 -g $(san) $(if $(WERROR),-Werror) -I.
$(call tests_bin,$(sort $(mpi_TESTS) $(demo_SRCS))): $(B)/tests/%: tests/%.c $(B)/include/mpi.h $(B)/flags | all
	$(call say,MPICC,$@)
	@mkdir -p $(@D)
	$(Q)$(tests_mpicc) -MMD -MP -MT $@ $(filter-out $(filter-out $<,$(mpi_TESTS)),$(filter %.c,$^)) \
		-o $@ $(tests_FLAGS-$(*F))

tests_mpifort = $(B)/bin/mpifort -Wall -O1 -g $(san)
define tests_fort
$(B)/tests/%: tests/%$(1) $(B)/include/mpif.h $(B)/flags | all
	$$(call say,FORT,$$@)
	@mkdir -p $$(@D)
	$(Q)$$(tests_mpifort) $$(tests_FFLAGS-$$(*F)) -J$$(@D) $$(filter %$(1) %.c,$$^) -o $$@
endef
$(foreach s,.f .f90,$(eval $(call tests_fort,$(s))))

$(B)/tests/fort/attr: tests/fort/attr_c.c
$(B)/tests/fort/calls: tests/fort/calls_c.c
$(B)/tests/fort/more: tests/fort/more_c.c
# Programs of old times: buffers of any type without an interface, Cray pointers.
tests_FFLAGS-old := -fcray-pointer -fallow-argument-mismatch -w

# Every function that has no engine yet, as the generator lists them.
$(B)/tests/abi/none: $(B)/gen/none.c
$(B)/tests/abi/garbage: $(B)/gen/garbage.c

# The main job.
heat := $(B)/tests/examples/heat/heat
tests_FLAGS-heat := -O3 -D_GNU_SOURCE -lpng -lm
$(heat): tests/examples/heat/picture.c
run-demo: all $(heat)
	$(Q)$(B)/bin/mpiexec -n 4 $(heat) -o $(B)/heat.png

tests: all $(B)/dev/lint $(B)/gen/abi.c $(B)/tests/run $(call tests_bin,$(unit_sel) $(mpi_sel))

# How often a test that has failed may run again (the runner names it); .ci/run says more than 0.
AGAIN ?= 0
some = $(if $(strip $1),,$(error no test has "$(T)" in its path))
run-check: tests
	$(call some,$(unit_sel) $(mpi_sel) $(sh_sel))
	$(Q)SANFLAGS='$(san)' $(B)/tests/run -b $(B) -o $(B)/check.log -x $(tests_factor) -r $(AGAIN) \
		unit $(unit_sel) mpi $(mpi_sel) script $(sh_sel)
.PHONY: tests

# How long the end of a job takes: only where nobody else computes.
timely := death kill mpi output signal slay
check-times: tests
	$(Q)STRICT=1 SANFLAGS='$(san)' $(B)/tests/run -b $(B) -j 1 script $(timely:%=tests/tools/%.sh)
.PHONY: check-times
# All programs of MPI once more, over sockets only.  Each of them applies: what is about shared
# memory asks whether there is any.
check-net:
	$(call some,$(mpi_sel))
	$(call deps,build check)
	+$(Q)$(MAKE) --no-print-directory run-check-net
run-check-net: export HAFT_VIA := net
run-check-net: tests
	$(Q)SANFLAGS='$(san)' $(B)/tests/run -b $(B) -o $(B)/check-net.log -x $(tests_factor) \
		mpi $(mpi_sel)
.PHONY: check-net run-check-net

# And both ways at once: the ranks are spread over two hosts, by blocks and turn by turn, so that one
# finds some in its memory and others behind sockets.  With four ranks these are 2 x 2.  A program
# that stands for another MPI's runs on one host.
SPREAD ?= block round
mixed_sel := $(filter-out tests/launch/raw.c,$(mpi_sel))
check-mixed:
	$(call some,$(mixed_sel))
	$(call deps,build check)
	+$(Q)$(MAKE) --no-print-directory $(SPREAD:%=run-check-%)
run-check-block run-check-round: run-check-%: tests
	$(Q)SANFLAGS='$(san)' $(B)/tests/run -b $(B) -o $(B)/check-$*.log -x $(tests_factor) -s $* \
		mpi $(mixed_sel)
.PHONY: check-mixed run-check-block run-check-round

# And by libfabric, with its provider for TCP: no other works on every machine.
check-ofi:
	$(call some,$(mpi_sel))
	$(call deps,build check ofi)
	+$(Q)$(MAKE) --no-print-directory run-check-ofi
run-check-ofi: export HAFT_VIA := ofi-all
run-check-ofi: export HAFT_OFI_PROVIDER := $(or $(HAFT_OFI_PROVIDER),tcp)
run-check-ofi: tests
	$(Q)SANFLAGS='$(san)' $(B)/tests/run -b $(B) -o $(B)/check-ofi.log -x $(tests_factor) \
		mpi $(mpi_sel)
.PHONY: check-ofi run-check-ofi

# And under valgrind, each of at most two processes: no use of what was never written, no memory that
# nobody points to at the end, no suppression of ours.  Library and tests are as for anybody, but for
# the limit: valgrind has no room for the addresses that a job takes otherwise.
tests_memcheck := valgrind -q --vgdb=no --error-exitcode=99 --leak-check=full --show-leak-kinds=definite \
	--errors-for-leak-kinds=definite
check-valgrind:
	$(call some,$(mpi_sel))
	$(call deps,build check valgrind)
	+$(Q)$(MAKE) --no-print-directory run-check-valgrind
run-check-valgrind: tests
	$(Q)ulimit -v 50000000; $(B)/tests/run -b $(B) -o $(B)/check-valgrind.log -x 20 -n 2 -w '$(tests_memcheck)' mpi $(mpi_sel)
.PHONY: check-valgrind run-check-valgrind

# kill -9 at 100 random moments.
long-kill: $(B)/tests/life/storm $(B)/tests/run
	$(Q)KILLS=100 SANFLAGS='$(san)' $(B)/tests/run -b $(B) -o $(B)/kill.log -x 10 script tests/tools/slay.sh
.PHONY: long-kill

# What of the standard has a test.  tests/abi calls every function, which says nothing of them.
evidence_bin = $(filter-out $(B)/tests/abi/%,$(call tests_bin,$(sort $(mpi_TESTS)))) \
	$(call objs,$(filter tests/unit/%,$(unit_TESTS)))
$(B)/called: tests
	$(Q)nm -u $(evidence_bin) 2>/dev/null | sed -n 's/^ *U P\?\(MPI_[A-Za-z0-9_]*\).*/\1/p' | sort -u >$@
evidence: $(B)/called $(B)/gen/list
	$(Q)awk -f tests/evidence.awk kind=sections tests/sections.txt kind=list $(B)/gen/list \
		kind=called $(B)/called kind=test $(sort $(unit_TESTS) $(mpi_TESTS) $(fort_TESTS) \
		$(script_TESTS)) $(wildcard tests/std/*/*.inc tests/std/*/*.h)
.PHONY: evidence

# Until it is stopped, or finds something: random operations on libobj, with a new seed every 10^7.
fuzz-obj: $(B)/tests/fuzz/obj
	$(Q)s=$${SEED:-$$(date +%s)}; while $(B)/tests/fuzz/obj -n $${STEPS:-10000000} -s $$s; do s=$$((s + 1)); done
.PHONY: fuzz-obj

# The same for the engines: frames that authenticated peers should not send.
fuzz-frame: $(B)/tests/fuzz/frame
	$(Q)s=$${SEED:-$$(date +%s)}; while $(B)/tests/fuzz/frame -n $${STEPS:-10000} -s $$s; do s=$$((s + 10000)); done
.PHONY: fuzz-frame

# The same for libnet: bytes from hell, with a new seed every 10^6.
fuzz-net: $(B)/tests/fuzz/net
	$(Q)s=$${SEED:-$$(date +%s)}; while $(B)/tests/fuzz/net -n $${STEPS:-1000000} -s $$s; do s=$$((s + 1000000)); done
.PHONY: fuzz-net

# Lives of libnet on a network that is not there: LIVES of them from SEED, or 10^4.
sim-net: $(B)/tests/sim/net
	$(Q)$(B)/tests/sim/net -n $${LIVES:-10000} -s $${SEED:-1000}
.PHONY: sim-net

# The same for nested datatypes: made, decoded, rebuilt, packed.
fuzz-type: $(B)/tests/fuzz/type
	$(Q)s=$${SEED:-$$(date +%s)}; while $(B)/tests/fuzz/type -n $${STEPS:-1000000} -s $$s; do s=$$((s + 1)); done
.PHONY: fuzz-type
# Random collective calls with every algorithm, for minutes: the tests plans*, with more of all.
plans := $(wildcard tests/std/ch06/plans*.c)
long-plans: $(call tests_bin,$(plans))
	$(Q)for p in $(plans); do \
		e=$$(sed -n 's/.*env="\(.*\)".*/\1/p' $$p); t=$(B)/$${p%.c}; \
		echo "$$t $$e"; env $$e $(B)/bin/mpiexec -n 17 $$t $${ROUNDS:-30} || exit 1; \
	done
.PHONY: long-plans
# Communicators by the million: alive at once, made and freed; and by two threads at once.
long-comms: $(B)/tests/std/ch07/live $(B)/tests/std/ch07/ctx
	$(Q)$(B)/bin/mpiexec -n 2 $(B)/tests/std/ch07/live 1000000 10000000
	$(Q)for n in 2 3 4; do $(B)/bin/mpiexec -n $$n $(B)/tests/std/ch07/ctx 100000 || exit 1; done
.PHONY: long-comms

include tests/bench/files.mk
