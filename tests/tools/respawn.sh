# SPDX-License-Identifier: BSD-3-Clause
# RUN time=60
# mpiexec -respawn N: a job that fails is started again with the same command, at most N times.
. tests/tools/lib.sh

# Rank 0 says that it starts; rank 1 is killed in the first three.
cat >"$TMPDIR/step" <<EOF
$my
[ "\$r" = 0 ] && echo "start \${MPIEXEC_RESPAWNED:-0}"
[ "\$r" = 1 ] && [ "\${MPIEXEC_RESPAWNED:-0}" -lt 3 ] && kill -9 \$\$
exit 0
EOF

starts() {
	job -respawn "$1" -n 2 sh "$TMPDIR/step"
	got=$(grep -c '^start' "$out")
	[ "$rc" = "$2" ] && [ "$got" -le "$3" ] || fail "$said: code $rc, not $2; $got starts, not $3"
	grep -q "^start $(($3 - 1))" "$out" || [ "$rc" != 0 ] || fail "$said: no last start"
}

starts 5 0 4
starts 3 0 4
starts 2 137 3
starts 0 137 1

# Values that are no number of times.
for n in x -1 1.5 '' 9999999999; do
	job -respawn "$n" -n 1 true
	[ "$rc" = 2 ] && grep -q 'respawn needs a number of times' "$err" || fail "$said: code $rc"
done

# A job that ends well is not started again.
job -respawn 2 -n 1 echo once
[ "$rc" = 0 ] && [ "$(cat "$out")" = once ] || fail "$said: code $rc: $(cat "$out")"
finish
