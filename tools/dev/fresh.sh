#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fresh.sh DIR [TARGET...] - the README's commands on a fresh minimal Debian 12.
#
#     DIR/base     a system made by debootstrap (minbase and make); kept, and used again
#     DIR/layer    files written on top of it: a clean clone of this repository in /haft, and
#                  the commands' files; made anew each time
#     DIR/report   what apt installed, how long each target took, its last line
#
# TARGET is a make target (demo and check if there is none).  Wants root, debootstrap and unshare.
set -eu
dir=${1:?usage: fresh.sh DIR [TARGET...]}
shift
[ $# -gt 0 ] || set -- demo check
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tools/pack/system.sh"
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# Runs a command line inside.
inside() {
	system_run "$dir/layer" "$dir/base" "$1"
}

packages() {
	inside 'dpkg-query -W -f "\${Package} \${Version}\n"' | sort
}

system_make "$dir/base" make
rm -rf "$dir/layer"
mkdir -p "$dir/layer/up"
git clone -q "$top" "$dir/layer/up/haft"
packages >"$dir/before"

failed=0
: >"$dir/report"
for target in "$@"; do
	start=$(date +%s)
	echo "fresh: make $target"
	if inside "cd /haft && make $target" >"$dir/$target.log" 2>&1; then word=ok; else word=FAILED; failed=1; fi
	tail -n 3 "$dir/$target.log"
	echo "make $target: $word, $(($(date +%s) - start)) s: $(tail -n 1 "$dir/$target.log")" \
		>>"$dir/report"
	packages >"$dir/after"
	echo "    packages asked for: $(sed -n 's/^deps: installing//p' "$dir/$target.log")" >>"$dir/report"
	echo "    packages new with what they need: $(comm -13 "$dir/before" "$dir/after" | wc -l)" \
		>>"$dir/report"
done
cat "$dir/report"
exit $failed
