#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# deb.sh [DIR [STEP...]] - Debian packages of this tree, built and tried in a minimal Debian 12; by
# make deb.
#
#     DIR/base    the system, by debootstrap; kept, and used again
#     DIR/debs    the packages
#     DIR/*.log   the build, lintian's words, the trial
#
# STEP is build, lintian or trial; without one it is all of them.  Each needs what the former left.
# DIR is build/deb if it is not named.  Wants root, debootstrap and unshare.  The packages hold what
# git has in its index or its work tree; tools/pack/debian becomes debian.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tools/pack/system.sh"
dir=${1:-$top/build/deb}
[ $# = 0 ] || shift
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
version=$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' "$top/tools/pack/debian/changelog")
name=haft-$version

# The sources of the packages, in the layer where they will be built.
unpack() {
	at=$dir/build/up/build
	mkdir -p "$at/$name"
	(cd "$top" && git ls-files -z | xargs -0 tar cf -) | tar xf - -C "$at/$name"
	(cd "$at" && tar cJf "haft_$version.orig.tar.xz" "$name")
	cp -r "$top/tools/pack/debian" "$at/$name/debian"
}

# step NAME LAYER LINE: runs it in the layer; its words go to NAME.log.
step() {
	start=$(date +%s)
	if system_run "$dir/$2" "$dir/base" "$3" >"$dir/$1.log" 2>&1; then
		echo "deb: $1: ok, $(($(date +%s) - start)) s"
	else
		tail -n "${LINES:-30}" "$dir/$1.log"
		echo "deb: $1 FAILED, see $dir/$1.log"
		exit 1
	fi
}

deb_build() {
	rm -rf "$dir/build" "$dir/debs"
	unpack
	step build build "cd /build/$name && apt-get -q build-dep -y . && dpkg-buildpackage -us -uc"
	mkdir "$dir/debs"
	cp "$dir"/build/up/build/*.deb "$dir"/build/up/build/*.dsc "$dir"/build/up/build/*.tar.* "$dir/debs"
}

# Warnings are failures, but for this one: the archive has no request for these packages to close.
deb_lintian() {
	step lintian build "cd /build && lintian --fail-on error,warning \
		--suppress-tags initial-upload-closes-no-bugs *.changes"
}

deb_trial() {
	rm -rf "$dir/trial"
	mkdir -p "$dir/trial/up/debs"
	cp "$dir"/debs/*.deb "$top/tools/pack/deb_trial.sh" "$dir/trial/up/debs/"
	cp -r "$top/tools/pack/debian/tests" "$dir/trial/up/debs/tests"
	step trial trial "sh /debs/deb_trial.sh"
	sed -n 's/^trial: /deb: /p' "$dir/trial.log"
}

system_make "$dir/base" build-essential debhelper fakeroot lintian
[ $# -gt 0 ] || set -- build lintian trial
for s; do
	case $s in
	build | lintian | trial) "deb_$s" ;;
	*) echo "deb: no step $s: build, lintian, trial"; exit 2 ;;
	esac
done
