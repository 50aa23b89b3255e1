#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fresh.sh DIR [TARGET...] - the README's commands on a fresh minimal Debian 12.
#
#     DIR/base     a system made by debootstrap (minbase and make); kept, and used again
#     DIR/root     its copy with a clean clone of this repository in /haft; made anew each time
#     DIR/report   what apt installed, how long each target took, its last line
#
# TARGET is a make target (demo and check if there is none).  Wants root, debootstrap and unshare.
# The system is entered by chroot in name spaces of its own: nothing is mounted, and no process is
# left, when it ends.  Packages come from where this machine gets its own (/etc/apt).
set -eu
dir=${1:?usage: fresh.sh DIR [TARGET...]}
shift
[ $# -gt 0 ] || set -- demo check
top=$(cd "$(dirname "$0")/../.." && pwd)
suite=bookworm
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# The first source of the suite, in either format of apt: its address, and its file.
source_find() {
	for list in /etc/apt/sources.list.d/*.sources; do
		[ -e "$list" ] || continue
		awk -v s="$suite" '/^URIs:/ { u = $2 } /^Suites:/ && index($0, s) { print u; exit }' "$list"
	done
	cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
		awk -v s="$suite" '$1 == "deb" && index($0, " " s " ") { for (i = 2; i < NF; i++)
			if ($i ~ /:\/\//) print $i }'
}

base_make() {
	mirror=$(source_find | head -n 1)
	[ -n "$mirror" ] || { echo "fresh: no source of $suite in /etc/apt"; exit 1; }
	echo "fresh: debootstrap into $dir/base"
	rm -rf "$dir/base.new" "$dir/base"
	debootstrap --variant=minbase --include=make "$suite" "$dir/base.new" "$mirror" \
		>"$dir/debootstrap.log" 2>&1 || { tail "$dir/debootstrap.log"; exit 1; }
	printf 'deb %s %s main\n' "$mirror" "$suite" >"$dir/base.new/etc/apt/sources.list"
	mv "$dir/base.new" "$dir/base"
}

# Runs a command line inside, as root with a bare environment.
inside() {
	unshare --mount --pid --fork --ipc --kill-child sh -euc '
		mount --make-rprivate /
		mount -t proc proc "$1/proc"
		mount --rbind /dev "$1/dev"
		mount -t tmpfs tmpfs "$1/dev/shm"
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
			${http_proxy:+http_proxy="$http_proxy"} \
			chroot "$1" /bin/sh -c "$2"' inside "$dir/root" "$1"
}

packages() {
	inside 'dpkg-query -W -f "\${Package} \${Version}\n"' | sort
}

[ -d "$dir/base" ] || base_make
rm -rf "$dir/root"
cp -a "$dir/base" "$dir/root"
cp /etc/resolv.conf "$dir/root/etc/resolv.conf"
git clone -q "$top" "$dir/root/haft"
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
