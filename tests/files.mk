# SPDX-License-Identifier: BSD-3-Clause
# The tests: every file of their folders, with exceptions that are named below with a reason.
# tests/README.md describes each kind.

# cmocka programs, started alone.  They are linked with libobj.a, libshm.a and libnet.a; objects of
# libmpi that one needs are named as its prerequisites.
sim_PART   := tests/sim/wire.c # the network that tests/sim/net_sim.c runs on
sim_PART   += tests/sim/members.c # that of agreement.c and revocation.c
coll_sim_SRCS := $(addprefix tests/sim/,coll_cases.c coll_curves.c coll_data.c coll_makers.c coll_plan.c loggp.c) # of coll_sim.c
sim_PART   += $(coll_sim_SRCS)
unit_TESTS := $(filter-out $(sim_PART),$(wildcard tests/fuzz/*.c tests/sim/*.c tests/unit/*.c))

# Programs of MPI, built with our mpicc, run by mpiexec as their RUN line says.
mpi_PART  := tests/examples/heat/picture.c # linked with heat.c
mpi_PART  += tests/examples/tasks/tasks.c  # of libobj alone: tests/build/libobj.sh
mpi_PART  += tests/examples/tool/counts.c  # a library: tests/tools/qmpi.sh
mpi_PART  += $(wildcard tests/examples/streams/*.c) # the same: tests/build/streams.sh
# Programs that a script compiles or starts itself.
script_PART := tests/build/gdb.c tests/build/memcheck.c tests/build/own_leak.c tests/build/sum.c \
	tests/abi/library_loaded.c tests/abi/loaded_values.c tests/err/abort_scope.c \
	tests/err/error_line.c tests/ft/any_call.c \
	tests/ft/any_access.c tests/ft/any_message.c tests/launch/pmix_layout.c \
	tests/life/unfinished.c \
	tests/net/starved_root.c tests/ofi/crash_signals.c tests/ofi/ofi_connection_lost.c \
	tests/tools/both_outputs.c tests/tools/crash.c tests/tools/debugged.c tests/tools/file_ends.c \
	tests/tools/file_exchange.c tests/tools/hang.c tests/tools/info_env.c tests/tools/lost_rank.c \
	tests/tools/moved_ranks.c tests/tools/mqs_host.c \
	tests/tools/one_cpu.c tests/tools/one_error.c tests/tools/other_call.c tests/tools/profile.c \
	tests/tools/qmpi_where.c tests/tools/queues.c \
	tests/tools/refuse.c tests/tools/sendrecv_ring.c tests/tools/spawner.c tests/tools/start_facts.c \
	tests/tools/start_library.c tests/tools/trace.c \
	tests/tools/trace_read.c tests/tools/writer.c
mpi_ALL   := $(wildcard tests/abi/*.c tests/err/*.c tests/ft/*.c tests/launch/*.c tests/life/*.c \
	tests/net/*.c \
	tests/std/*/*.c tests/thread/*.c tests/examples/*/*.c)
mpi_ALL   += tests/bench/mpi.c # the measuring program, with few rounds

# These tests have an allocator of their own, which conflicts with a sanitizer's.
own_MALLOC := $(shell grep -l 'include "tests/failing_malloc.h"' tests/*/*.c tests/*/*/*.c)
own_MALLOC += tests/net/coll_no_memory.sh tests/net/bcast_root_no_memory.sh # they start such tests
mpi_TESTS  := $(filter-out $(mpi_PART) $(script_PART) $(if $(SAN),$(own_MALLOC)),$(mpi_ALL))

# Programs of Fortran, built with our mpifort; NAME_c.c is linked with NAME.f90.
fort_PART  := $(wildcard tests/fort/*_c.c)
fort_TESTS := $(filter-out tests/examples/streams/%,$(wildcard tests/fort/*.f tests/fort/*.f90 \
	tests/examples/*/*.f tests/examples/*/*.f90))

# Shell scripts; they find the build directory in $B.
sh_PART := tests/build/lib.sh tests/launch/lib.sh tests/net/lib.sh tests/tools/lib.sh # functions of the others
sh_PART += tests/launch/vhosts.sh # starts hosts for the others
sh_PART += tests/bench/first.sh tests/bench/peers.sh tests/bench/start.sh # they measure
sh_ALL := $(wildcard tests/abi/*.sh tests/bench/*.sh tests/build/*.sh tests/err/*.sh \
	tests/fort/*.sh tests/ft/*.sh tests/house/*.sh tests/launch/*.sh tests/life/*.sh tests/net/*.sh \
	tests/ofi/*.sh tests/tools/*.sh)
script_TESTS := $(filter-out $(sh_PART) $(if $(SAN),$(own_MALLOC)),$(sh_ALL))

demo_SRCS := tests/examples/heat/heat.c

# --- rules ---------------------------------------------------------------------------------------
tests_SRCS := tests/run.c
tests_sel = $(if $(T),$(foreach t,$(1),$(if $(findstring $(T),$(t)),$(t))),$(1))
tests_bin = $(patsubst %,$(B)/%,$(basename $(1)))
unit_sel := $(call tests_sel,$(sort $(unit_TESTS)))
# Tests of Fortran need a compiler; make check installs one.
tests_FC := $(shell command -v $(FC) 2>/dev/null)
mpi_sel  := $(call tests_sel,$(sort $(mpi_TESTS) $(if $(tests_FC),$(fort_TESTS))))
sh_sel   := $(call tests_sel,$(sort $(script_TESTS)))

# Limits of time are for the plain build; sanitizers are slower.
tests_factor := $(if $(SAN),5,1)

$(B)/tests/run: $(B)/obj/tests/run.o
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $< -o $@

unit_libs = $(if $(libnet_SRCS),$(B)/lib/libnet.a) $(if $(libshm_SRCS),$(B)/lib/libshm.a) $(if $(libobj_SRCS),$(B)/lib/libobj.a)
$(call tests_bin,$(sort $(unit_TESTS))): $(B)/tests/%: $(B)/obj/tests/%.o $(unit_libs)
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $(filter %.o,$^) $(unit_libs) -lcmocka $(libobj_LIBS) -ldl -lm -lpthread -o $@

plan_OBJS := $(call objs,libmpi/type/kernel.c libmpi/type/kernel_wide_os.c libmpi/type/plan_execute.c \
	libmpi/type/packed.c libmpi/type/plan_build.c libmpi/type/visit.c libmpi/core/error_code.c libmpi/core/err.c)
$(B)/tests/unit/pack_plan: $(plan_OBJS)
group_OBJS := $(call objs,libmpi/comm/groups.c libmpi/core/error_code.c libmpi/core/err.c libmpi/core/library_lock.c \
	libmpi/core/library_lock_os.c libmpi/core/objects.c libmpi/core/process_state.c \
	libmpi/core/start_os.c libmpi/core/traffic.c)
$(B)/tests/unit/group_large: $(group_OBJS)
$(B)/tests/unit/topo_order: $(B)/obj/libmpi/topo/order.o
$(B)/tests/unit/hang_watch: $(addprefix $(B)/obj/tools/mpiexec/,hang_watch.o rank_needs.o entry_lookup.o)

# Simulated networks.
$(B)/tests/sim/agreement: $(B)/obj/libmpi/ft/era.o
$(B)/tests/sim/agreement $(B)/tests/sim/revocation: $(B)/obj/tests/sim/members.o
$(B)/tests/sim/net_sim: $(B)/obj/tests/sim/wire.o

# Collective calls of jobs that are not there.  coll_plan.c contains these two files.
$(B)/tests/sim/coll_sim: $(call objs,$(coll_sim_SRCS)) \
	$(filter-out $(call objs,libmpi/coll/sched.c libmpi/coll/selection.c),$(libmpi_OBJS))
$(B)/tests/sim/coll_sim: private ldflags += $(call wrap,via_node_any)

# No thread is in malloc while it forks: the child could not use that of AddressSanitizer then.
$(B)/tests/unit/obj_fork: private ldflags += $(call wrap,malloc calloc free)

# Tests of libmpi from inside.
$(B)/tests/unit/engine_valid $(B)/tests/unit/file_locks $(B)/tests/unit/progress_thread_idle $(B)/tests/unit/init_messages $(B)/tests/unit/session_valid $(B)/tests/unit/job_map $(B)/tests/unit/node_join $(B)/tests/unit/settings $(B)/tests/unit/type_runs $(B)/tests/unit/win_attributes: $(libmpi_OBJS)

$(B)/tests/unit/node_join: private ldflags += $(call wrap,boot_node_host)

# Fuzzers of libmpi from inside.
$(B)/tests/fuzz/frame $(B)/tests/fuzz/type_fuzz $(B)/tests/sim/scale: $(libmpi_OBJS)
# These functions are replaced: the fuzzer plays all peers, and continues where a job would end.
frame_wraps := via_remote_open via_remote_put via_remote_reserve via_remote_commit via_remote_poll via_stream_send via_stream_post \
	via_all_sent_remote via_idle p2p_protocol_error haft_abort_job boot_init boot_seat_of boot_host_of \
	coll_allgather coll_barrier
$(B)/tests/fuzz/frame: private ldflags += $(call wrap,$(frame_wraps))

# Built with the user's compiler command, so that the installed tree is tested.  Further sources of
# a test are further prerequisites; tests_FLAGS-NAME are its own flags and libraries.
tests_mpicc = $(B)/bin/mpicc -std=gnu11 -Wall -Wextra -O1 -g $(san) $(if $(WERROR),-Werror) -I.
$(call tests_bin,$(sort $(mpi_TESTS) $(demo_SRCS))): $(B)/tests/%: tests/%.c $(B)/include/mpi.h $(B)/flags | all
	$(call say,MPICC,$@)
	@mkdir -p $(@D)
	$(Q)$(tests_mpicc) -MMD -MP -MT $@ $(filter %.c,$^) \
		-o $@ $(tests_FLAGS-$(*F))

tests_mpifort = $(B)/bin/mpifort -Wall -O1 -g $(san)
define tests_fort
$(B)/tests/%: tests/%$(1) $(B)/include/mpif.h $(B)/flags | all
	$$(call say,FORT,$$@)
	@mkdir -p $$(@D)
	$(Q)$$(tests_mpifort) $$(tests_FFLAGS-$$(*F)) -J$$(@D) $$(filter %$(1) %.c,$$^) -o $$@
endef
$(foreach s,.f .f90,$(eval $(call tests_fort,$(s))))

$(foreach c,$(fort_PART),$(eval $(c:%_c.c=$(B)/%): $(c)))
# Programs in the style of MPI-1: buffers of any type without an interface, Cray pointers.
tests_FFLAGS-old := -fcray-pointer -fallow-argument-mismatch -w

# Every function that has no engine yet, as the generator lists them.
$(B)/tests/abi/unsupported: $(B)/gen/none.c
$(B)/tests/abi/garbage_handles: $(B)/gen/garbage.c

# The demo.
heat := $(B)/tests/examples/heat/heat
tests_FLAGS-heat := -O3 -D_GNU_SOURCE -lpng -lm
$(heat): tests/examples/heat/picture.c
run-demo: all $(heat)
	$(Q)$(B)/bin/mpiexec -n 4 $(heat) -o $(B)/heat.png

tests: all $(B)/dev/lint $(B)/gen/abi.c $(B)/tests/run $(call tests_bin,$(unit_sel) $(mpi_sel))

# How often a failed test may run again; the runner names it.
AGAIN ?= 0
some = $(if $(strip $1),,$(error no test has "$(T)" in its path))
run-check: tests
	$(call some,$(unit_sel) $(mpi_sel) $(sh_sel))
	$(Q)SANFLAGS='$(san)' $(B)/tests/run -b $(B) -o $(B)/check.log -x $(tests_factor) -r $(AGAIN) \
		unit $(unit_sel) mpi $(mpi_sel) script $(sh_sel)
.PHONY: tests

# How long the end of a job takes: only on an idle machine.
timely := rank_death kill_mpiexec job_ends output signal kill_random
check-times: tests
	$(Q)STRICT=1 SANFLAGS='$(san)' $(B)/tests/run -b $(B) -j 1 script $(timely:%=tests/tools/%.sh)
.PHONY: check-times
# A rank dies in every collective call, in every way: an hour.
check-ft: tests
	$(Q)EVERY=1 SANFLAGS='$(san)' $(B)/tests/run -b $(B) -t 20000 script tests/ft/sweep.sh
.PHONY: check-ft
# All programs of MPI over sockets only.  Tests that need shared memory ask the library for it.
check-net:
	$(call some,$(mpi_sel))
	$(call deps,build check)
	+$(Q)$(MAKE) --no-print-directory run-check-net
run-check-net: export HAFT_VIA := net
run-check-net: tests
	$(Q)SANFLAGS='$(san)' $(B)/tests/run -b $(B) -o $(B)/check-net.log -x $(tests_factor) \
		mpi $(mpi_sel)
.PHONY: check-net run-check-net

# Local and remote peers: ranks on two hosts in name, by blocks and round-robin; four ranks are 2 x
# 2. The program that imitates another MPI's runs on one host only.
SPREAD ?= block round
mixed_sel := $(filter-out tests/launch/pmi_client.c,$(mpi_sel))
check-mixed:
	$(call some,$(mixed_sel))
	$(call deps,build check)
	+$(Q)$(MAKE) --no-print-directory $(SPREAD:%=run-check-%)
run-check-block run-check-round: run-check-%: tests
	$(Q)SANFLAGS='$(san)' $(B)/tests/run -b $(B) -o $(B)/check-$*.log -x $(tests_factor) -s $* \
		mpi $(mixed_sel)
.PHONY: check-mixed run-check-block run-check-round

# All programs of MPI over libfabric's TCP provider, the only one that works on every machine.
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

# Programs of at most two processes under valgrind: no use of uninitialized memory, no definite
# leak, no suppressions.  The limit keeps the job's segment within valgrind's address space.
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
long-kill: $(B)/tests/life/traffic $(B)/tests/run
	$(Q)KILLS=100 SANFLAGS='$(san)' $(B)/tests/run -b $(B) -o $(B)/kill.log -x 10 script tests/tools/kill_random.sh
.PHONY: long-kill

# Sections and functions of the standard with a test.  Two tests call every function, which proves
# nothing about them.
evidence_all := tests/abi/garbage_handles.c tests/abi/unsupported.c
evidence_bin = $(filter-out $(evidence_all:%.c=$(B)/%),$(call tests_bin,$(sort $(mpi_TESTS)))) \
	$(call objs,$(filter tests/unit/%,$(unit_TESTS)))
$(B)/called: tests
	$(Q)nm -u $(evidence_bin) 2>/dev/null | sed -n 's/^ *U P\?\(MPI_[A-Za-z0-9_]*\).*/\1/p' | sort -u >$@
evidence: $(B)/called $(B)/gen/list
	$(Q)awk -f tests/evidence.awk kind=sections tests/sections.txt kind=list $(B)/gen/list \
		kind=called $(B)/called kind=test $(sort $(unit_TESTS) $(mpi_TESTS) $(fort_TESTS) \
		$(script_TESTS)) $(wildcard tests/std/*/*.inc tests/std/*/*.h)
.PHONY: evidence

# Fuzzing of libobj until it fails or is stopped: random operations, a new seed every 10^7.
fuzz-obj: $(B)/tests/fuzz/obj_fuzz
	$(Q)s=$${SEED:-$$(date +%s)}; while $(B)/tests/fuzz/obj_fuzz -n $${STEPS:-10000000} -s $$s; do s=$$((s + 1)); done
.PHONY: fuzz-obj

# Fuzzing of the engines: frames that authenticated peers should not send.
fuzz-frame: $(B)/tests/fuzz/frame
	$(Q)s=$${SEED:-$$(date +%s)}; while $(B)/tests/fuzz/frame -n $${STEPS:-10000} -s $$s; do s=$$((s + 10000)); done
.PHONY: fuzz-frame

# Fuzzing of libnet: random bytes, a new seed every 10^6.
fuzz-net: $(B)/tests/fuzz/net_fuzz
	$(Q)s=$${SEED:-$$(date +%s)}; while $(B)/tests/fuzz/net_fuzz -n $${STEPS:-1000000} -s $$s; do s=$$((s + 1000000)); done
.PHONY: fuzz-net

# Runs of libnet on a simulated network: LIVES of them from SEED, or 10^4.
sim-net: $(B)/tests/sim/net_sim
	$(Q)$(B)/tests/sim/net_sim -n $${LIVES:-10000} -s $${SEED:-1000}
.PHONY: sim-net

# MPI_Init in jobs of up to 10^6 ranks that are not there: its cost for one of them.
sim-scale: $(B)/tests/sim/scale
	$(Q)$(B)/tests/sim/scale -a
.PHONY: sim-scale

# Collective calls of jobs of up to 10^6 ranks, by every algorithm, in simulated time.
sim-coll: $(B)/tests/sim/coll_sim
	$(Q)$(B)/tests/sim/coll_sim -a $(B)
.PHONY: sim-coll

# Fuzzing of nested datatypes: made, decoded, rebuilt, packed.
fuzz-type: $(B)/tests/fuzz/type_fuzz
	$(Q)s=$${SEED:-$$(date +%s)}; while $(B)/tests/fuzz/type_fuzz -n $${STEPS:-1000000} -s $$s; do s=$$((s + 1)); done
.PHONY: fuzz-type
# Random collective calls with every algorithm, for minutes: the test plans with more of all.
long-plans: $(B)/tests/std/ch06/algorithms
	$(Q)for p in '' 0 1 2 3; do \
		echo "$< $${ROUNDS:-30} $$p"; \
		$(B)/bin/mpiexec -n 17 $< $${ROUNDS:-30} $$p || exit 1; \
	done
	$(Q)HAFT_COLL=p2p $(B)/bin/mpiexec -n 17 $< $${ROUNDS:-30}
.PHONY: long-plans
# Communicators by the million: alive at once, made and freed; and by two threads at once.
long-comms: $(B)/tests/std/ch07/many_comms $(B)/tests/std/ch07/context_threads
	$(Q)$(B)/bin/mpiexec -n 2 $(B)/tests/std/ch07/many_comms 1000000 10000000
	$(Q)for n in 2 3 4; do $(B)/bin/mpiexec -n $$n $(B)/tests/std/ch07/context_threads 100000 || exit 1; done
.PHONY: long-comms

include tests/bench/files.mk

# The example programs of MPI, where a reader of haft(7) finds them; libobj installs its own.
examples := README.md $(patsubst tests/examples/%,%,$(filter-out tests/examples/streams/% \
	tests/examples/tasks/%,$(wildcard tests/examples/*/*.[cfh] tests/examples/*/*.f90)))
install-examples:
	for f in $(examples); do \
		install -D -m 644 tests/examples/$$f $(call dest,$(DATADIR))/doc/haft/examples/$$f || exit 1; done
