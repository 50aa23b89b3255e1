# SPDX-License-Identifier: BSD-3-Clause
# The benchmarks of MPI: they are no tests, nothing of `make check' depends on them.
#
#   make bench           Haft alone, one round
#   make bench-peers     Haft, Open MPI and MPICH in turns; installs the two if they are missing
#   make bench-peers OVER=tcp   the same by sockets
#   make bench-fort      Fortran beside C, call by call
#   make bench-start     4 hosts x 4 ranks over ssh, beside ssh alone (root)
#   make bench-obj       libobj alone: handles, references, attributes, 10^9 garbage values;
#                        ARGS=-q: fewer
#   ROWS=regex ROUNDS=n PEERS="openmpi mpich" LIMIT=seconds V=1    see tests/bench/README.md
bench_SRCS := \
	tests/bench/app.c \
	tests/bench/app_bare.c \
	tests/bench/app_cg.c \
	tests/bench/app_fft.c \
	tests/bench/app_halo.c \
	tests/bench/app_sort.c \
	tests/bench/app_task.c \
	tests/bench/app_wave.c \
	tests/bench/coll.c \
	tests/bench/comm.c \
	tests/bench/file.c \
	tests/bench/file_life.c \
	tests/bench/lat.c \
	tests/bench/life.c \
	tests/bench/move.c \
	tests/bench/mpi.c \
	tests/bench/neighbor.c \
	tests/bench/over.c \
	tests/bench/prof.c \
	tests/bench/spawn.c \
	tests/bench/win.c \
	tests/bench/stat.c \
	tests/bench/type.c
line_SRCS := tests/bench/line.c
copy_SRCS := tests/bench/copy.c
bare_SRCS := tests/bench/bare_start.c
ring_SRCS := tests/bench/ring.c
$(B)/tests/bench/mpi: $(filter-out tests/bench/mpi.c,$(bench_SRCS))
tests_FLAGS-mpi := -D_GNU_SOURCE -lm \
	$(if $(findstring clang,$(CC)),-Wno-unknown-attributes,-Wno-stringop-overflow)

# The script compiles them, once with each library's compiler command.
bench_env = B=$(abspath $(B)) SOURCES='$(bench_SRCS)' CC='$(CC)' LINE=$(line_SRCS) COPY=$(copy_SRCS) \
	BARE=$(bare_SRCS) RING=$(ring_SRCS) \
	$(if $(ROWS),ROWS='$(ROWS)') $(if $(LIMIT),LIMIT=$(LIMIT)) $(if $(OVER),OVER=$(OVER)) \
	$(if $(BEFORE),BEFORE='$(abspath $(BEFORE))')

bench: all
	$(Q)$(bench_env) PEERS= ROUNDS=$(or $(ROUNDS),1) tests/bench/peers.sh $(if $(V),-v)

bench-peers:
	$(call deps,build bench)
	$(sub) run-bench-peers

run-bench-peers: all
	$(Q)$(bench_env) $(if $(PEERS),PEERS='$(PEERS)') $(if $(ROUNDS),ROUNDS=$(ROUNDS)) \
		tests/bench/peers.sh $(if $(V),-v)
.PHONY: bench bench-peers run-bench-peers

# libobj alone: no MPI in it.
objbench_SRCS := tests/bench/obj.c
$(B)/tests/bench/obj: $(call objs,$(objbench_SRCS)) $(B)/lib/libobj.a
	$(call say,LD,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(ldflags) $^ $(libobj_LIBS) -ldl -lpthread -o $@

bench-obj: $(B)/tests/bench/obj
	$(Q)$(B)/tests/bench/obj $(ARGS)
.PHONY: bench-obj

# The extra cost of a call from Fortran over one from C.
fortbench_SRCS := tests/bench/fort_c.c
$(B)/tests/bench/fort: tests/bench/fort.f90 $(fortbench_SRCS) | all
	@mkdir -p $(@D)
	$(Q)$(B)/bin/mpicc -O2 -c $(fortbench_SRCS) -o $(B)/tests/bench/fort_c.o
	$(Q)$(B)/bin/mpifort -O2 $< $(B)/tests/bench/fort_c.o -o $@

bench-fort: $(B)/tests/bench/fort
	$(Q)$<
.PHONY: bench-fort

# Four hosts over ssh, beside ssh alone.
bench-start: all
	$(Q)B=$(abspath $(B)) $(if $(ROUNDS),ROUNDS=$(ROUNDS)) tests/bench/start.sh
.PHONY: bench-start
