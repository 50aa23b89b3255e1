# SPDX-License-Identifier: BSD-3-Clause
# Options and variables of other launchers: effects here, and ignored ones that -v names.
. tests/tools/lib.sh
far="-launcher fork -hosts a,b"

# Local ranks, in the variables of MPICH, Open MPI and MVAPICH.
who='echo $MPI_LOCALRANKID/$MPI_LOCALNRANKS $OMPI_COMM_WORLD_RANK/$OMPI_COMM_WORLD_SIZE $OMPI_COMM_WORLD_LOCAL_RANK/$OMPI_COMM_WORLD_LOCAL_SIZE $MV2_COMM_WORLD_LOCAL_RANK'
mv2='echo $MV2_COMM_WORLD_LOCAL_RANK/$MV2_COMM_WORLD_LOCAL_SIZE $MV2_COMM_WORLD_RANK/$MV2_COMM_WORLD_SIZE'
MV2_COMM_WORLD_SIZE=9 job -n 2 sh -c "$mv2"
[ "$(sort "$out")" = "0/2 0/2
1/2 1/2" ] || fail "local ranks of MVAPICH: $(cat "$out")"
MPI_LOCALRANKID=9 OMPI_COMM_WORLD_RANK=9 job -n 2 sh -c "$who"
[ "$(sort "$out")" = "0/2 0/2 0/2 0
1/2 1/2 1/2 1" ] || fail "local ranks: $(cat "$out")"
job $far -N 2 sh -c "$who"
[ "$(sort "$out")" = "0/2 0/4 0/2 0
0/2 2/4 0/2 0
1/2 1/4 1/2 1
1/2 3/4 1/2 1" ] || fail "local ranks of two hosts: $(cat "$out")"

# So many processes to a host.
job -N 3 echo x
want_lines 3
job $far -pernode echo x
want_lines 2
job -map-by ppr:2:node echo x
want_lines 2
job $far --map-by ppr:2:node:PE=1 echo x
want_lines 4
job -n 1 -map-by ppr:2:board echo x
want_rc 2
want_err '-map-by ppr:2: node, hwthread, core, l1cache to l3cache, socket or numa, not'
job -n 1 -map-by ppr:x:node echo x
want_rc 2
# All parts, in either case, and modifiers with a part or without.
for part in hwthread core l1cache L2CACHE l3cache socket package NUMA; do
	for o in "-bind-to $part:overload-allowed" "-map-by $part"; do
		job -n 1 $o echo x
		want_rc 0
		want_lines 1
		want_err_lines 0
	done
	job -n 1 -map-by "ppr:2:$part" echo x
	want_rc 0
	want_lines 1
	want_err "the number in -map-by ppr:2:$part has no effect"
done
job $far -n 3 -map-by NODE sh -c 'echo $MPI_LOCALRANKID'
[ "$(sort "$out" | tr -d '\n')" = 001 ] || fail "-map-by NODE: $(cat "$out")"
job -n 1 --map-by :OVERSUBSCRIBE --bind-to :overload-allowed -map-by core:NOOVERSUBSCRIBE echo x
want_rc 0
want_err_lines 0

# Output to files.
cd "$TMPDIR" || exit 1
say='echo out; echo err >&2'
job -n 2 -outfile-pattern 'd/o.%r%%' -errfile-pattern d/e sh -c "$say"
want_lines 0
want_err_lines 0
[ "$(cat d/o.0% d/o.1% d/e)" = "out
out
err
err" ] || fail "-outfile-pattern: $(ls d)"
job $far -l -outfile-pattern 'h.%h' echo out
[ "$(cat h.a h.b)" = "[0] out
[1] out" ] || fail "-outfile-pattern with %h and labels: $(cat h.*)"
job -n 2 -output-filename f sh -c "$say"
want_lines 2
want_err_lines 2
[ "$(cat f/1/rank.1/stdout f/1/rank.0/stderr)" = "out
err" ] || fail "-output-filename: $(find f)"
job -n 2 -output-filename g:nocopy sh -c "$say"
want_lines 0
job -n 2 -output tag,file=i:nocopy sh -c "$say"
want_lines 0
[ "$(cat i/1/rank.1/stdout)" = "[1] out" ] || fail "-output: $(find i)"
job -n 2 -outfile-pattern /proc/none/x echo out
want_rc 1
want_err 'output to /proc/none/x: No such file or directory'
[ ! -w /dev/full ] || {
	job -n 2 -outfile-pattern /dev/full echo out
	want_rc 1
	want_err 'cannot write to /dev/full: No space left on device'
}

# Ignored options are reported with -v, and only with it.
set -- --mca btl tcp --oversubscribe --map-by slot:OVERSUBSCRIBE --allow-run-as-root --gpus-per-proc none
job -n 1 "$@" echo x
want_rc 0
want_err_lines 0
job -v -n 1 "$@" echo x
for o in '-mca btl tcp' 'OVERSUBSCRIBE of -map-by' -allow-run-as-root '-gpus-per-proc none'; do
	want_err "mpiexec: ignored: $o"
done

# Those whose effect is missed are always reported, with a hint.
job -n 1 --rank-by core --map-by slot:PE=2:oversubscribe -nolocal -xml --output xml --display topo echo x
want_rc 0
want_err_lines 6
for o in '-rank-by core has no effect: see -bind-to and -map-by' 'PE=2 of -map-by has no effect' \
	'-nolocal has no effect: name the hosts with -host' '-xml has no effect' \
	'xml of -output has no effect' 'topo of -display has no effect'; do
	want_err "mpiexec: $o"
done

# Every option of hydra and of Open MPI is known: it has its effect, or it is ignored, or it is
# refused with words.  Slurm's that scripts use, too.
for o in -ordered-output -enable-x -info '-localhost h' '-prepend-pattern [%r]' -pmi-port \
	'--gpu-support 0' --ntasks=1 --ntasks-per-node=1 --kill-on-bad-exit=1 --cpu-bind=none \
	-timestamp-output -merge-stderr-to-stdout -bynuma -bycore; do
	job -n 1 $o echo x
	want_rc 0
	want_err_lines 0
done
for o in '--rankfile f' --do-not-launch -tv; do
	job -n 1 $o echo x
	want_rc 2
	want_err "${o%% *} is an option of another launcher; mpiexec cannot do that"
done
job --help
[ "$(awk 'length > 80' "$out")" = '' ] || fail "--help has lines longer than 80 columns"

# One process is one.
job -timeout 1 -n 1 sleep "$mark"
want_err 'what its process does:'
job -timeout 1 -n 2 sleep "$mark"
want_err 'what its processes do:'
cd - >/dev/null || exit 1
finish
