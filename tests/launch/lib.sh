# SPDX-License-Identifier: BSD-3-Clause
# lib.sh - functions for the tests of other launchers.  They install nothing; one whose
# launcher is not there says which package has it, and is skipped.  To be sourced from the top.
. tests/tools/lib.sh
ranks=$B/tests/launch/ranks
# Nothing of a launcher that may run these tests.
for v in $(env | sed -n 's/^\(\(PMI\|PMIX\|SLURM\|OMPI\|PRTE\|HYDI\|HYDRA\)_[A-Za-z0-9_]*\)=.*/\1/p'); do
	unset "$v"
done

# foreign_leaks: from here on LeakSanitizer says nothing: libpmix forgets some bytes of its own.
foreign_leaks() {
	export ASAN_OPTIONS=detect_leaks=0
}

# need COMMAND PACKAGE: the test is skipped where there is no such command.
need() {
	command -v "$1" >/dev/null || {
		echo "skipped: no $1 (Debian: $2)"
		rm -rf "${TMPDIR:?}"/*
		exit 77
	}
}

# under ARGS...: as `job', with the command that `launch' makes of "-n N program".
under() {
	said="$launch $*"
	from=$(date +%s%N)
	timeout $patience $launch "$@" >"$out" 2>"$err" </dev/null
	rc=$?
	ms=$((($(date +%s%N) - from) / 1000000))
}

want_some_rc() {
	[ $rc != 0 ] && [ $rc != 124 ] || fail "$said: exit code $rc after $ms ms"
}

# want_ranks N: each has said its line.
want_ranks() {
	for r in $(seq 0 $(($1 - 1))); do
		want_out "rank $r of $1 sum $(($1 * ($1 - 1) / 2))"
	done
}

# all_gone: nothing of our program is left.
all_gone() {
	until_gone "$ranks" 3000 || fail "$said: ranks are left"
}

# all_well: the same values under every launcher.
all_well() {
	for n in 1 2 5; do
		under -n $n "$ranks" hello
		want_rc 0
		want_ranks $n
		want_lines $n
	done
	# A program that a rank starts by itself is no rank.
	under -n 2 "$ranks" nest
	want_rc 0
	want_ranks 2
	want_out 'rank 0 of 1 sum 0'
	# Through a shell that stays.
	under -n 2 sh -c "$ranks hello; true"
	want_rc 0
	want_ranks 2
	# Afterwards a rank may end as it likes.
	under -n 2 "$ranks" late
	want_ranks 2
	# The last lines that ranks have printed may be lost: hydra ends itself at once.
	for how in abort kill busy exit; do
		under -n 3 "$ranks" $how
		want_ms 4000
		all_gone
		[ $how = exit ] || want_some_rc # hydra takes that for a good end
	done
	under -n 3 "$ranks" abort
	want_err 'MPI_Abort: rank 2'
}

# namespaced_well: ranks that cannot share memory, because some are alone in a pid namespace, are on
# several hosts for us, and talk by sockets.
namespaced_well() {
	HAFT_VIA=net under -n 3 "$ranks" hello
	want_rc 0
	want_ranks 3
	unshare -p -f true 2>/dev/null || {
		echo "not tested: several hosts (no unshare -p here)"
		return
	}
	split='[ $((${PMI_RANK:-$PMIX_RANK} % 2)) = 0 ] && exec '"$ranks"' $0
		exec unshare -p -f --kill-child '"$ranks"' $0'
	under -n 4 sh -c "$split" hello
	want_rc 0
	want_ranks 4
	under -n 4 sh -c "$split" abort
	want_some_rc
	want_err 'MPI_Abort: rank 3'
	want_ms 4000
	all_gone
}

# survivors_well: under a launcher that is told not to end the job, the others go on when ranks die.
# Its exit code is its own affair.
survivors_well() {
	HAFT_FT=yes under -n 4 "$B/tests/ft/recover"
	want_out '2 of 4 processes have recovered'
	want_ms 5000
	until_gone "$B/tests/ft/recover" 3000 || fail "$said: processes are left"
}

# spawn_well: processes are spawned by the launcher, and names are known to all of them.
spawn_well() {
	spawns=$B/tests/launch/spawns
	for n in 1 3; do
		SPAWNS_OLD=1 under -n $n "$spawns" "$@"
		want_rc 0
		want_out 'parents are well'
	done
	until_gone "$spawns" 3000 || fail "$said: processes are left"
}
